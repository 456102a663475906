// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/file_symbols.h"

#include <string.h>

#include "lib/base/util.h"
#include "lib/sample/elf_debug.h"
#include "lib/sample/elf_symbols.h"
#include "lib/sample/regular_file.h"

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
	Elf_Data *data;

	return td_elf_section(file, ".debug_line", &data) ||
	       td_elf_section(file, ".zdebug_line", &data);
}

/* Opens also what several debug files share; without it there are no lines. */
static int open_lines(struct td_file_symbols *symbols,
		      const struct td_elf *from, const struct td_sysfs *fs,
		      int root)
{
	Elf_Data *data;
	int rc;

	if (!td_elf_section(from, ".gnu_debugaltlink", &data))
		return td_elf_lines_open(&symbols->lines, from, NULL);
	rc = td_elf_open_shared(&symbols->shared, from, fs, root);
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	return td_elf_lines_open(&symbols->lines, from, &symbols->shared);
}

/* The whole table, of the file or its debug file, else that of the linker. */
static int read_symbols(struct td_file_symbols *symbols,
			const struct td_sysfs *fs, int root, bool lines)
{
	const struct td_elf *file = &symbols->file;
	int rc = td_elf_read_symbols(file, SHT_SYMTAB, &symbols->table);

	if (!rc && (!symbols->table.nr || (lines && !has_lines(file)))) {
		rc = td_elf_open_debug(&symbols->debug, file, fs, root);
		if (!rc && !symbols->table.nr)
			rc = td_elf_read_symbols(&symbols->debug, SHT_SYMTAB,
						 &symbols->table);
		if (rc == -ENOENT)
			rc = 0;
	}
	if (!rc && !symbols->table.nr)
		rc = td_elf_read_symbols(file, SHT_DYNSYM, &symbols->table);
	if (!rc && lines)
		rc = open_lines(symbols,
				symbols->debug.elf ? &symbols->debug : file, fs,
				root);
	return rc;
}

int td_file_symbols_open(struct td_file_symbols *symbols,
			 const struct td_object *object,
			 const struct td_sysfs *fs, bool lines)
{
	int root = 0, rc;

	*symbols = (struct td_file_symbols){ .file.fd = -1,
					     .debug.fd = -1,
					     .shared.fd = -1 };
	if (object->kind == TD_OBJECT_VDSO)
		rc = td_elf_open_vdso(&symbols->file);
	else
		rc = open_file(&symbols->file, object, fs, &root);
	if (!rc && object->kind == TD_OBJECT_VDSO)
		rc = check_id(&symbols->file, object);
	if (rc)
		return rc;
	rc = read_symbols(symbols, fs, root, lines);
	if (rc)
		return rc;
	td_symbol_table_finish(&symbols->table);
	if (!symbols->lines.nr) {
		td_elf_lines_close(&symbols->lines);
		td_elf_done(&symbols->file);
		td_elf_close(&symbols->debug);
		td_elf_close(&symbols->shared);
	}
	return symbols->table.nr ? 0 : -ENODATA;
}

void td_file_symbols_close(struct td_file_symbols *symbols)
{
	td_elf_lines_close(&symbols->lines);
	td_elf_close(&symbols->shared);
	td_elf_close(&symbols->debug);
	td_elf_close(&symbols->file);
	td_symbol_table_free(&symbols->table);
}
