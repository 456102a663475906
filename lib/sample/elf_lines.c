// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/elf_lines.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/* The largest programs have a tenth of it. */
#define UNITS_MAX (4 << 20)

static int add_units(struct td_elf_lines *lines, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t step = 0;

	while (lines->nr < UNITS_MAX &&
	       (step = dwarf_ranges(unit, step, &base, &start, &end)) > 0) {
		struct td_elf_unit *new;

		if (start >= end)
			continue;
		new = td_array_add(&lines->units, lines->nr, sizeof(*new));
		if (!new)
			return -ENOMEM;
		*new = (struct td_elf_unit){ start, end,
					     dwarf_dieoffset(unit) };
		lines->nr++;
	}
	return 0;
}

static int by_start(const void *x, const void *y)
{
	const struct td_elf_unit *a = x, *b = y;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Whether libdw would read beyond the end of a section. */
static bool has_open_text(Elf_Scn *section, const char *name)
{
	Elf_Data *data;

	if (!name ||
	    (!strstr(name, "debug_str") && !strstr(name, "debug_line_str")))
		return false;
	data = elf_getdata(section, NULL);
	return data && data->d_buf && data->d_size &&
	       ((const char *)data->d_buf)[data->d_size - 1];
}

/* It unpacks sections, so it is asked before they are looked at. */
static Dwarf *begin(const struct td_elf *file)
{
	Dwarf *dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	size_t names;

	if (!dwarf || elf_getshdrstrndx(file->elf, &names))
		return dwarf;
	while ((section = elf_nextscn(file->elf, section))) {
		if (gelf_getshdr(section, &shdr) &&
		    has_open_text(section,
				  elf_strptr(file->elf, names, shdr.sh_name))) {
			dwarf_end(dwarf);
			return NULL;
		}
	}
	return dwarf;
}

/* Without its shared part libdw would look for that itself, anywhere. */
static int read_units(struct td_elf_lines *lines, const struct td_elf *shared)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	int rc = 0;

	if (shared) {
		lines->shared = begin(shared);
		if (!lines->shared)
			return 0;
		dwarf_setalt(lines->dwarf, lines->shared);
	}
	while (!rc && dwarf_get_units(lines->dwarf, cu, &cu, NULL, NULL, &unit,
				      NULL) == 0)
		rc = add_units(lines, &unit);
	return rc;
}

int td_elf_lines_open(struct td_elf_lines *lines, const struct td_elf *file,
		      const struct td_elf *shared)
{
	int rc = 0;

	*lines = (struct td_elf_lines){ 0 };
	lines->dwarf = begin(file);
	if (lines->dwarf)
		rc = read_units(lines, shared);
	if (rc)
		td_elf_lines_close(lines);
	else if (lines->nr)
		qsort(lines->units, lines->nr, sizeof(*lines->units), by_start);
	return rc;
}

static const struct td_elf_unit *find_unit(const struct td_elf_lines *lines,
					   uint64_t address)
{
	size_t low = 0, high = lines->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->units[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < lines->units[low - 1].end
		       ? &lines->units[low - 1]
		       : NULL;
}

/* A path is relative to the folder that the compiler ran in. */
static char *full_path(Dwarf_Die *unit, const char *path)
{
	Dwarf_Attribute attribute;
	const char *folder = NULL;
	char *text;

	if (*path != '/')
		folder = dwarf_formstring(
			dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	if (asprintf(&text, "%s%s%s", folder ? folder : "", folder ? "/" : "",
		     path) < 0)
		return NULL;
	return text;
}

char *td_elf_lines_find(const struct td_elf_lines *lines, uint64_t address,
			int *line)
{
	const struct td_elf_unit *at = find_unit(lines, address);
	Dwarf_Die unit;
	Dwarf_Line *found;
	const char *path;

	if (!at || !dwarf_offdie(lines->dwarf, at->offset, &unit))
		return NULL;
	found = dwarf_getsrc_die(&unit, address);
	if (!found || dwarf_lineno(found, line) || *line <= 0)
		return NULL;
	path = dwarf_linesrc(found, NULL, NULL);
	return path ? full_path(&unit, path) : NULL;
}

void td_elf_lines_close(struct td_elf_lines *lines)
{
	if (lines->dwarf)
		dwarf_end(lines->dwarf);
	if (lines->shared)
		dwarf_end(lines->shared);
	free(lines->units);
	*lines = (struct td_elf_lines){ 0 };
}
