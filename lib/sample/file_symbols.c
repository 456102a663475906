// SPDX-License-Identifier: GPL-2.0-only
#include <gelf.h>

#include "lib/base/util.h"
#include "lib/sample/parts.h"

/* --- of a file of ELF ------------------------------------------------------ */

/* Maximum size of a section, which is above the tables of all known programs. */
#define SECTION_MAX ((uint64_t)1 << 30)

/* A symbol table that is being read. */
struct reading {
	Elf *elf;
	Elf_Data *symbols, *names;
	Elf_Data *indices;  /* SHT_SYMTAB_SHNDX, with more than 65000 sections; or NULL */
	Elf_Data *versions; /* SHT_GNU_versym, or NULL */
	size_t nr;
};

/* Returns true if the symbol is in an executable section. */
static bool is_code(const struct reading *reading, const GElf_Sym *sym, Elf32_Word index,
		    GElf_Shdr *shdr)
{
	Elf_Scn *section;

	if (sym->st_shndx != SHN_XINDEX) {
		if (sym->st_shndx >= SHN_LORESERVE)
			return false;
		index = sym->st_shndx;
	}
	section = index == SHN_UNDEF ? NULL : elf_getscn(reading->elf, index);
	return section && gelf_getshdr(section, shdr) && (shdr->sh_flags & SHF_EXECINSTR);
}

/* Prefers global to weak and local symbols, then functions. */
static uint32_t rank_of(const GElf_Sym *sym)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);
	uint32_t rank = bind == STB_LOCAL ? 0 : bind == STB_WEAK ? 1 : 2;

	return 2 * rank + (GELF_ST_TYPE(sym->st_info) == STT_FUNC);
}

#define VERSION_HIDDEN 0x8000

/*
 * Returns the length of "f" in "f@@V2" (the version to which f is linked now) or "f@V1" (for
 * programs that were linked earlier).  In dynamic tables, versions are in a section of their own.
 */
static size_t name_length(const struct reading *reading, const GElf_Sym *sym, int at,
			  const char *name, bool *old)
{
	size_t length = strcspn(name, "@");
	GElf_Versym version;

	*old = reading->versions && gelf_getversym(reading->versions, at, &version) &&
	       version & VERSION_HIDDEN;
	if (!length || GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		return strlen(name);
	*old = *old || (name[length] && name[length + 1] != '@');
	return length;
}

static int add_symbol(const struct reading *reading, int at, const GElf_Sym *sym, Elf32_Word index,
		      struct td_symbol_table *table)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	struct td_named symbol = { .start = sym->st_value,
				   .end = sym->st_value + sym->st_size,
				   .rank = rank_of(sym) };
	GElf_Shdr shdr;
	const char *name;

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return 0;
	if (!is_code(reading, sym, index, &shdr))
		return 0;
	name = td_elf_text(reading->names, sym->st_name);
	if (!name || !*name)
		return 0;
	symbol.limit = shdr.sh_addr + shdr.sh_size;
	return td_symbol_table_add(table, &symbol, name,
				   name_length(reading, sym, at, name, &symbol.old));
}

static int add_symbols(const struct reading *reading, struct td_symbol_table *table)
{
	int rc = 0;

	for (size_t i = 1; !rc && i < reading->nr; i++) {
		Elf32_Word index = SHN_UNDEF;
		GElf_Sym sym;

		if (!gelf_getsymshndx(reading->symbols, reading->indices, (int)i, &sym, &index))
			break;
		rc = add_symbol(reading, (int)i, &sym, index, table);
	}
	return rc;
}

/* Returns the section of a type and, if it is not 0, with a link, or NULL. */
static Elf_Scn *find(Elf *elf, uint32_t type, size_t link, GElf_Shdr *shdr)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, shdr) && shdr->sh_type == type &&
		    (!link || shdr->sh_link == link))
			return section;
	}
	return NULL;
}

/* Returns the size of a section; 0: there is none. */
static uint64_t size_of(Elf *elf, size_t at)
{
	Elf_Scn *section = elf_getscn(elf, at);
	GElf_Shdr shdr;

	return section && gelf_getshdr(section, &shdr) ? shdr.sh_size : 0;
}

/* Returns NULL if it is too large. */
static Elf_Data *read_section(Elf *elf, Elf_Scn *section, struct td_search *search)
{
	uint64_t size = size_of(elf, elf_ndxscn(section));

	return size <= SECTION_MAX && td_search_spend(&search->bytes, size)
		       ? elf_getdata(section, NULL)
		       : NULL;
}

/*
 * Adds the functions of a symbol table, SHT_SYMTAB or SHT_DYNSYM, by virtual address.  The
 * caller finishes the table.  Returns 0, also if there is no table, or -E2BIG if it is too large.
 */
static int elf_read_symbols(const struct td_elf *file, uint32_t type, struct td_search *search,
			    struct td_symbol_table *table)
{
	struct reading reading = { .elf = file->elf };
	GElf_Shdr shdr, shndx;
	Elf_Scn *section = find(file->elf, type, 0, &shdr), *indices, *versions;

	if (!section)
		return 0;
	if (!td_search_spend(&search->bytes, size_of(file->elf, shdr.sh_link)))
		return -E2BIG;
	reading.names = td_elf_strings(file->elf, shdr.sh_link, SECTION_MAX);
	/* no or invalid names */
	if (!reading.names)
		return 0;
	reading.symbols = read_section(file->elf, section, search);
	if (!reading.symbols)
		return -E2BIG;
	indices = find(file->elf, SHT_SYMTAB_SHNDX, elf_ndxscn(section), &shndx);
	if (indices)
		reading.indices = read_section(file->elf, indices, search);
	versions = find(file->elf, SHT_GNU_versym, elf_ndxscn(section), &shndx);
	if (versions)
		reading.versions = read_section(file->elf, versions, search);
	reading.nr = reading.symbols->d_size / gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	table->left = &search->symbols;
	return add_symbols(&reading, table);
}

/* --- of a file ------------------------------------------------------------- */

static int check_id(struct td_elf *file, const struct td_object *object)
{
	if (!object->build_id.size || !file->build_id.size ||
	    td_build_id_same(&object->build_id, &file->build_id))
		return 0;
	td_elf_close(file);
	return -ESTALE;
}

/* Opens the path in the root directory of a process, or in tdstat's if pid is 0. */
static int open_one(struct td_elf *file, const struct td_object *object, const struct td_sysfs *fs,
		    int pid)
{
	td_autofree char *path = td_regular_path(pid, object->path);
	int rc = td_elf_open(file, fs, path);

	return rc ?: check_id(file, object);
}

/*
 * Opens the object's file.  Sets *root to the process in whose root directory the file was found,
 * or to 0.
 */
static int open_file(struct td_elf *file, const struct td_object *object, const struct td_sysfs *fs,
		     int *root)
{
	int inner = -ENOENT, rc;

	*root = object->pid > 0 ? object->pid : 0;
	if (*root)
		inner = open_one(file, object, fs, *root);
	if (!inner)
		return 0;
	*root = 0;
	rc = open_one(file, object, fs, 0);
	return rc == -ENOENT || (rc && inner == -ESTALE) ? inner : rc;
}

static bool has_lines(const struct td_elf *file)
{
	return td_elf_has(file, ".debug_line") || td_elf_has(file, ".zdebug_line");
}

/* Opens the lines.  If the file that several debug files share is missing, there are no lines. */
int td_file_symbols_open_lines(struct td_file_symbols *symbols, struct td_search *search)
{
	const struct td_elf *from = symbols->debug.elf ? &symbols->debug : &symbols->file;

	if (!search->lines || !symbols->sound)
		return 0;
	if (!td_elf_has(from, ".gnu_debugaltlink"))
		return td_elf_lines_open(&symbols->lines, from, NULL, search);
	if (td_elf_open_shared(&symbols->shared, from, search, symbols->root))
		return 0;
	return td_elf_lines_open(&symbols->lines, from, &symbols->shared, search);
}

/* Returns true if other symbols are still read.  Sets *left_out if rc means a partial result. */
static bool continues(int rc, int *left_out)
{
	if (rc == -E2BIG || rc == -EFBIG || rc == -EOVERFLOW)
		*left_out = rc;
	return !rc || rc == -ENOENT || *left_out == rc;
}

static int read_debug(struct td_file_symbols *symbols, struct td_search *search)
{
	int rc = td_elf_open_debug(&symbols->debug, &symbols->file, search, symbols->root);

	if (!rc && !symbols->table.nr)
		rc = elf_read_symbols(&symbols->debug, SHT_SYMTAB, search, &symbols->table);
	return rc;
}

/* Reads the full table of the file or its debug file, or the dynamic table. */
static int read_symbols(struct td_file_symbols *symbols, struct td_search *search)
{
	const struct td_elf *file = &symbols->file;
	int left_out = 0;
	int rc = elf_read_symbols(file, SHT_SYMTAB, search, &symbols->table);

	if (continues(rc, &left_out) && (!symbols->table.nr || (search->lines && !has_lines(file))))
		rc = read_debug(symbols, search);
	if (continues(rc, &left_out) && !symbols->table.nr)
		rc = elf_read_symbols(file, SHT_DYNSYM, search, &symbols->table);
	symbols->sound = continues(rc, &left_out);
	return symbols->sound ? left_out : rc;
}

int td_file_symbols_open_elf(struct td_elf *file, const struct td_object *object,
			     const struct td_sysfs *fs, int *root)
{
	int rc;

	*root = 0;
	switch (object->kind) {
	case TD_OBJECT_VDSO:
		rc = td_elf_open_vdso(file);
		return rc ?: check_id(file, object);
	case TD_OBJECT_FILE:
		return td_ends_with(object->path, " (deleted)") ? -EIDRM
								: open_file(file, object, fs, root);
	case TD_OBJECT_KERNEL:
	case TD_OBJECT_MEMORY:
	case TD_OBJECT_NR:
		break;
	}
	return -ENOENT;
}

static int open_object(struct td_file_symbols *symbols, const struct td_object *object,
		       struct td_search *search)
{
	int rc;

	if (object->kind == TD_OBJECT_KERNEL)
		return td_symbols_read_kernel(&symbols->table, search);
	if (object->kind == TD_OBJECT_MEMORY)
		return object->pid > 0
			       ? td_symbols_read_memory(&symbols->table, search, object->pid)
			       : -ENOENT;
	rc = td_file_symbols_open_elf(&symbols->file, object, search->fs, &symbols->root);
	return rc ?: read_symbols(symbols, search);
}

/* Symbols of files have virtual addresses, spots have offsets. */
static bool is_file(const struct td_object *object)
{
	return object->kind == TD_OBJECT_FILE || object->kind == TD_OBJECT_VDSO;
}

bool td_file_symbols_address(const struct td_file_symbols *symbols, const struct td_object *object,
			     uint64_t *address)
{
	return !is_file(object) || td_elf_address(&symbols->file, *address, address);
}

int td_file_symbols_open(struct td_file_symbols *symbols, const struct td_object *object,
			 struct td_search *search)
{
	int rc;

	*symbols = (struct td_file_symbols){
		.file.fd = -1, .debug.fd = -1, .shared.fd = -1, .table.aliases = search->aliases
	};
	rc = open_object(symbols, object, search);
	td_symbol_table_finish(&symbols->table);
	if (!rc && !symbols->table.nr && is_file(object))
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
