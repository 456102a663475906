// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/elf_symbols.h"

#include <errno.h>
#include <gelf.h>

#include "lib/base/util.h"

/* Larger tables than any program has are not read. */
#define SECTION_MAX ((uint64_t)1 << 30)

/* A table in reading. */
struct reading {
	Elf *elf;
	Elf_Data *symbols, *indices; /* indices: of more than 65000 sections */
	Elf_Data *names;
	size_t nr;
};

/* True if the symbol is in a section that is executed. */
static bool is_code(const struct reading *reading, const GElf_Sym *sym,
		    Elf32_Word index, GElf_Shdr *shdr)
{
	Elf_Scn *section;

	if (sym->st_shndx != SHN_XINDEX) {
		if (sym->st_shndx >= SHN_LORESERVE)
			return false;
		index = sym->st_shndx;
	}
	section = index == SHN_UNDEF ? NULL : elf_getscn(reading->elf, index);
	return section && gelf_getshdr(section, shdr) &&
	       (shdr->sh_flags & SHF_EXECINSTR);
}

/* Of several symbols at one address. */
static uint32_t rank_of(const GElf_Sym *sym)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);
	uint32_t rank = bind == STB_LOCAL ? 0 : bind == STB_WEAK ? 1 : 2;

	return 2 * rank + (GELF_ST_TYPE(sym->st_info) == STT_FUNC);
}

static int add_symbol(const struct reading *reading, const GElf_Sym *sym,
		      Elf32_Word index, struct td_symbol_table *table)
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
	return td_symbol_table_add(table, &symbol, name);
}

static int add_symbols(const struct reading *reading,
		       struct td_symbol_table *table)
{
	int rc = 0;

	for (size_t i = 1; !rc && i < reading->nr; i++) {
		Elf32_Word index = SHN_UNDEF;
		GElf_Sym sym;

		if (!gelf_getsymshndx(reading->symbols, reading->indices,
				      (int)i, &sym, &index))
			break;
		rc = add_symbol(reading, &sym, index, table);
	}
	return rc;
}

/* The section of a type, which belongs to another if link is not 0. */
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

/* The bytes of a section; 0 if there is none. */
static uint64_t size_of(Elf *elf, size_t at)
{
	Elf_Scn *section = elf_getscn(elf, at);
	GElf_Shdr shdr;

	return section && gelf_getshdr(section, &shdr) ? shdr.sh_size : 0;
}

/* All that belongs to a table of symbols; NULL if it is too large. */
static Elf_Data *read_section(Elf *elf, Elf_Scn *section,
			      struct td_search *search)
{
	uint64_t size = size_of(elf, elf_ndxscn(section));

	return size <= SECTION_MAX && td_search_take(&search->bytes, size)
		       ? elf_getdata(section, NULL)
		       : NULL;
}

int td_elf_read_symbols(const struct td_elf *file, uint32_t type,
			struct td_search *search, struct td_symbol_table *table)
{
	struct reading reading = { .elf = file->elf };
	GElf_Shdr shdr, shndx;
	Elf_Scn *section = find(file->elf, type, 0, &shdr), *indices;

	if (!section)
		return 0;
	if (!td_search_take(&search->bytes, size_of(file->elf, shdr.sh_link)))
		return -E2BIG;
	reading.names = td_elf_strings(file->elf, shdr.sh_link, SECTION_MAX);
	/* a table without names, or one that nobody but us would read */
	if (!reading.names)
		return 0;
	reading.symbols = read_section(file->elf, section, search);
	if (!reading.symbols)
		return -E2BIG;
	indices =
		find(file->elf, SHT_SYMTAB_SHNDX, elf_ndxscn(section), &shndx);
	if (indices)
		reading.indices = read_section(file->elf, indices, search);
	reading.nr = reading.symbols->d_size /
		     gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	table->left = &search->symbols;
	return add_symbols(&reading, table);
}
