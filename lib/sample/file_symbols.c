// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/file_symbols.h"

#include <string.h>

#include "lib/base/util.h"
#include "lib/sample/elf_debug.h"
#include "lib/sample/elf_symbols.h"
#include "lib/sample/regular_file.h"
#include "lib/sample/symbol_lists.h"

static int check_id(struct td_elf *file, const struct td_object *object)
{
	if (!object->build_id.size || !file->build_id.size ||
	    td_build_id_same(&object->build_id, &file->build_id))
		return 0;
	td_elf_close(file);
	return -ESTALE;
}

/* Opens the path as the process sees it, or as we do if pid is 0. */
static int open_one(struct td_elf *file, const struct td_object *object,
		    const struct td_sysfs *fs, int pid)
{
	td_autofree char *path = td_regular_path(pid, object->path);
	int rc = path ? td_elf_open(file, fs, path) : -ENOMEM;

	return rc ? rc : check_id(file, object);
}

/* *root becomes the process whose root folder it was found in, or 0. */
static int open_file(struct td_elf *file, const struct td_object *object,
		     const struct td_sysfs *fs, int *root)
{
	int inner = -ENOENT, rc;

	*root = object->pid > 0 ? object->pid : 0;
	if (*root)
		inner = open_one(file, object, fs, *root);
	if (!inner || inner == -ENOMEM)
		return inner;
	*root = 0;
	rc = open_one(file, object, fs, 0);
	if (rc && rc != -ENOMEM && (rc == -ENOENT || inner == -ESTALE))
		rc = inner;
	return rc;
}

static bool has_lines(const struct td_elf *file)
{
	return td_elf_has(file, ".debug_line") ||
	       td_elf_has(file, ".zdebug_line");
}

/* Opens also what several debug files share; without it there are no lines. */
static int open_lines(struct td_file_symbols *symbols,
		      const struct td_elf *from, struct td_search *search,
		      int root)
{
	int rc;

	if (!td_elf_has(from, ".gnu_debugaltlink"))
		return td_elf_lines_open(&symbols->lines, from, NULL, search);
	rc = td_elf_open_shared(&symbols->shared, from, search, root);
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	return td_elf_lines_open(&symbols->lines, from, &symbols->shared,
				 search);
}

/* What was left out is told, but it is no reason to leave out the rest. */
static bool goes_on(int rc, int *left_out)
{
	if (rc == -E2BIG || rc == -EFBIG || rc == -EOVERFLOW)
		*left_out = rc;
	return !rc || rc == -ENOENT || *left_out == rc;
}

static int read_debug(struct td_file_symbols *symbols, struct td_search *search,
		      int root)
{
	int rc = td_elf_open_debug(&symbols->debug, &symbols->file, search,
				   root);

	if (!rc && !symbols->table.nr)
		rc = td_elf_read_symbols(&symbols->debug, SHT_SYMTAB, search,
					 &symbols->table);
	return rc;
}

/* The whole table, of the file or its debug file, else that of the linker. */
static int read_symbols(struct td_file_symbols *symbols,
			struct td_search *search, int root)
{
	const struct td_elf *file = &symbols->file;
	int left_out = 0;
	int rc = td_elf_read_symbols(file, SHT_SYMTAB, search, &symbols->table);

	if (goes_on(rc, &left_out) &&
	    (!symbols->table.nr || (search->lines && !has_lines(file))))
		rc = read_debug(symbols, search, root);
	if (goes_on(rc, &left_out) && !symbols->table.nr)
		rc = td_elf_read_symbols(file, SHT_DYNSYM, search,
					 &symbols->table);
	if (goes_on(rc, &left_out) && search->lines)
		rc = open_lines(symbols,
				symbols->debug.elf ? &symbols->debug : file,
				search, root);
	return goes_on(rc, &left_out) ? left_out : rc;
}

static bool is_deleted(const char *path)
{
	return td_ends_with(path, " (deleted)");
}

static int open_object(struct td_file_symbols *symbols,
		       const struct td_object *object, struct td_search *search)
{
	int root = 0, rc;

	switch (object->kind) {
	case TD_OBJECT_KERNEL:
		return td_symbols_read_kernel(&symbols->table, search);
	case TD_OBJECT_MEMORY:
		return object->pid > 0
			       ? td_symbols_read_memory(&symbols->table, search,
							object->pid)
			       : -ENOENT;
	case TD_OBJECT_VDSO:
		rc = td_elf_open_vdso(&symbols->file);
		if (!rc)
			rc = check_id(&symbols->file, object);
		break;
	default:
		rc = is_deleted(object->path)
			     ? -EIDRM
			     : open_file(&symbols->file, object, search->fs,
					 &root);
	}
	return rc ? rc : read_symbols(symbols, search, root);
}

/* Whether its symbols have virtual addresses, and its spots offsets. */
static bool has_address(const struct td_object *object)
{
	return object->kind == TD_OBJECT_FILE || object->kind == TD_OBJECT_VDSO;
}

bool td_file_symbols_address(const struct td_file_symbols *symbols,
			     const struct td_object *object, uint64_t *address)
{
	return !has_address(object) ||
	       td_elf_address(&symbols->file, *address, address);
}

int td_file_symbols_open(struct td_file_symbols *symbols,
			 const struct td_object *object,
			 struct td_search *search)
{
	int rc;

	*symbols = (struct td_file_symbols){ .file.fd = -1,
					     .debug.fd = -1,
					     .shared.fd = -1 };
	rc = open_object(symbols, object, search);
	td_symbol_table_finish(&symbols->table);
	if (!rc && !symbols->table.nr && has_address(object))
		rc = -ENODATA;
	return rc;
}

void td_file_symbols_close(struct td_file_symbols *symbols)
{
	td_elf_lines_close(&symbols->lines);
	td_elf_close(&symbols->shared);
	td_elf_close(&symbols->debug);
	td_elf_close(&symbols->file);
	td_symbol_table_free(&symbols->table);
}
