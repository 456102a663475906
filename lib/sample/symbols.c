// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/sample/demangle.h"
#include "lib/sample/file_symbols.h"
#include "lib/sample/symbol_lists.h"

struct td_symbols {
	const struct td_symbols_setup *setup;
	struct known {
		bool open;
		struct td_file_symbols symbols;
	} * v; /* by object */
	size_t nr;
};

struct td_symbols *td_symbols_new(const struct td_symbols_setup *setup)
{
	struct td_symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols)
		symbols->setup = setup;
	return symbols;
}

static void forget(struct known *known)
{
	if (known->open)
		td_file_symbols_close(&known->symbols);
	known->open = false;
}

void td_symbols_free(struct td_symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->nr; i++)
		forget(&symbols->v[i]);
	free(symbols->v);
	free(symbols);
}

static const char *reason(const struct td_object *object, int rc)
{
	if (object->kind == TD_OBJECT_KERNEL && rc == -EACCES)
		return "/proc/kallsyms shows no addresses (sysctl kernel.kptr_restrict)";
	switch (rc) {
	case -ENODATA:
		return "has no symbols";
	case -ESTALE:
		return "is a different file than what ran";
	case -EINVAL:
		return "is not a regular file";
	case -ENOEXEC:
		return "is not an ELF file";
	case -EIDRM:
		return "is deleted";
	case -ELIBACC:
		return "cannot be read without libdw.so.1 of elfutils";
	default:
		return strerror(-rc);
	}
}

static void say_why(const struct td_symbols *symbols,
		    const struct td_object *object, int rc)
{
	struct td_notes *notes = symbols->setup->notes;

	if (object->kind != TD_OBJECT_MEMORY)
		td_notes_add(notes, "%s: %s: addresses without names",
			     object->path, reason(object, rc));
	else if (object->pid > 0)
		td_notes_add(
			notes,
			"process %d: memory without a file, and /tmp/perf-%d.map: %s: addresses without names",
			object->pid, object->pid,
			rc == -EPERM ? "belongs to another user"
				     : reason(object, rc));
}

static bool is_deleted(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path);

	return length >= sizeof(mark) - 1 &&
	       strcmp(path + length - (sizeof(mark) - 1), mark) == 0;
}

/* Reads a list of symbols in text. */
static int open_list(struct td_file_symbols *file,
		     const struct td_object *object, const struct td_sysfs *fs)
{
	int rc = -ENOENT;

	*file = (struct td_file_symbols){ .file.fd = -1,
					  .debug.fd = -1,
					  .shared.fd = -1 };
	if (object->kind == TD_OBJECT_KERNEL)
		rc = td_symbols_read_kernel(&file->table, fs);
	else if (object->kind == TD_OBJECT_MEMORY && object->pid > 0)
		rc = td_symbols_read_memory(&file->table, fs, object->pid);
	else if (object->kind == TD_OBJECT_FILE)
		rc = -EIDRM;
	td_symbol_table_finish(&file->table);
	return rc;
}

static int open_known(const struct td_symbols *symbols, struct known *known,
		      const struct td_object *object)
{
	const struct td_symbols_setup *setup = symbols->setup;
	int rc;

	known->open = true;
	if (object->kind == TD_OBJECT_VDSO ||
	    (object->kind == TD_OBJECT_FILE && !is_deleted(object->path)))
		rc = td_file_symbols_open(&known->symbols, object, setup->fs,
					  setup->lines);
	else
		rc = open_list(&known->symbols, object, setup->fs);
	if (rc && rc != -ENOMEM) {
		say_why(symbols, object, rc);
		rc = 0;
	}
	return rc;
}

static int make_room(struct td_symbols *symbols, size_t nr)
{
	while (symbols->nr < nr) {
		if (!td_array_add(&symbols->v, symbols->nr,
				  sizeof(*symbols->v)))
			return -ENOMEM;
		symbols->nr++;
	}
	return 0;
}

/* The function of a symbol, which is added only at the first of its spots. */
static int name_function(const struct td_symbol_table *table,
			 struct td_named *named, struct td_spots *spots,
			 struct td_function *function)
{
	char name[TD_SYMBOL_NAME_MAX + 1], demangled[TD_SYMBOL_NAME_MAX + 1];

	if (named->function >= 0)
		return named->function;
	strcpy(name, td_symbol_table_name(table, named));
	function->name = name;
	if (td_demangle(name, demangled, sizeof(demangled)))
		function->name = demangled;
	named->function = td_spots_add_function(spots, function);
	return named->function;
}

static int find_function(const struct td_file_symbols *file,
			 struct td_spots *spots, const struct td_spot *spot,
			 uint64_t address)
{
	struct td_named *named = td_symbol_table_find(&file->table, address);
	struct td_function function = { NULL, spot->object, spot->address };

	if (named && address - named->start <= spot->address) {
		function.address -= address - named->start;
		return name_function(&file->table, named, spots, &function);
	}
	return td_spots_add_function(spots, &function);
}

static int find_line(const struct td_file_symbols *file, struct td_spots *spots,
		     struct td_spot *spot, uint64_t address)
{
	int line = 0, at;
	td_autofree char *path =
		td_elf_lines_find(&file->lines, address, &line);

	if (!path)
		return 0;
	at = td_spots_add_file(spots, path);
	if (at < 0)
		return at;
	spot->file = at;
	spot->line = line;
	return 0;
}

static int resolve(struct td_symbols *symbols, struct td_spots *spots,
		   struct td_spot *spot)
{
	const struct td_object *object = &spots->objects[spot->object];
	struct known *known = &symbols->v[spot->object];
	struct td_file_symbols *file = &known->symbols;
	struct td_function nameless = { NULL, spot->object, spot->address };
	bool in_file = object->kind == TD_OBJECT_FILE ||
		       object->kind == TD_OBJECT_VDSO;
	uint64_t address = spot->address;
	int rc = known->open ? 0 : open_known(symbols, known, object);

	if (rc)
		return rc;
	if (in_file && !td_elf_address(&file->file, address, &address))
		spot->function = td_spots_add_function(spots, &nameless);
	else
		spot->function = find_function(file, spots, spot, address);
	if (spot->function < 0)
		return -ENOMEM;
	return file->lines.nr ? find_line(file, spots, spot, address) : 0;
}

int td_symbols_resolve(struct td_symbols *symbols, struct td_spots *spots,
		       struct td_err *err)
{
	if (make_room(symbols, spots->nr_objects))
		return td_err_nomem(err);
	/* a JIT compiler adds to its list */
	for (size_t i = 0; i < symbols->nr; i++) {
		if (spots->objects[i].kind == TD_OBJECT_MEMORY)
			forget(&symbols->v[i]);
	}
	for (size_t i = 0; i < spots->nr; i++) {
		if (spots->v[i].function < 0 &&
		    resolve(symbols, spots, &spots->v[i]))
			return td_err_nomem(err);
	}
	return 0;
}
