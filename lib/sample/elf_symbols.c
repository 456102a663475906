// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/elf_symbols.h"

#include <gelf.h>

#include "lib/base/util.h"

/* Larger tables than any program has are not read. */
#define SECTION_MAX ((uint64_t)1 << 30)

/* A table in reading. */
struct reading {
	Elf *elf;
	Elf_Data *symbols, *indices; /* indices: of more than 65000 sections */
	size_t names;                /* the section of them */
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
	name = elf_strptr(reading->elf, reading->names, sym->st_name);
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

static bool is_small(Elf *elf, size_t at)
{
	Elf_Scn *section = elf_getscn(elf, at);
	GElf_Shdr shdr;

	return section && gelf_getshdr(section, &shdr) &&
	       shdr.sh_size <= SECTION_MAX;
}

int td_elf_read_symbols(const struct td_elf *file, uint32_t type,
			struct td_symbol_table *table)
{
	struct reading reading = { .elf = file->elf };
	GElf_Shdr shdr, shndx;
	Elf_Scn *section = find(file->elf, type, 0, &shdr), *indices;

	if (!section || !is_small(file->elf, elf_ndxscn(section)) ||
	    !is_small(file->elf, shdr.sh_link))
		return 0;
	reading.symbols = elf_getdata(section, NULL);
	if (!reading.symbols)
		return 0;
	indices =
		find(file->elf, SHT_SYMTAB_SHNDX, elf_ndxscn(section), &shndx);
	if (indices && is_small(file->elf, elf_ndxscn(indices)))
		reading.indices = elf_getdata(indices, NULL);
	reading.names = shdr.sh_link;
	reading.nr = reading.symbols->d_size /
		     gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	if (reading.nr > TD_SYMBOLS_MAX)
		reading.nr = TD_SYMBOLS_MAX;
	return add_symbols(&reading, table);
}
