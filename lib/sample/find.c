// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/find.h"

#include <errno.h>

#include "lib/base/util.h"
#include "lib/sample/demangle.h"
#include "lib/sample/file_symbols.h"

/* The names of the functions of an object, demangled once each. */
struct finding {
	const struct td_file_symbols *symbols;
	const struct td_named *last;
	char name[TD_SYMBOL_NAME_MAX + 1];
	FILE *fp;
};

static const char *name_of(struct finding *finding,
			   const struct td_named *named)
{
	const struct td_symbol_table *table = &finding->symbols->table;
	const char *name = td_symbol_table_name(table, named);

	if (named != finding->last &&
	    !td_demangle(name, finding->name, sizeof(finding->name)))
		snprintf(finding->name, sizeof(finding->name), "%s", name);
	finding->last = named;
	return finding->name;
}

static void find_spot(struct finding *finding, const struct td_spot *spot,
		      int at, uint64_t address)
{
	const struct td_file_symbols *symbols = finding->symbols;
	const struct td_named *named =
		td_symbol_table_find(&symbols->table, address);
	struct td_find find = { .spot = at };
	td_autofree char *file = NULL;

	if (named && address - named->start <= spot->address) {
		find.name = name_of(finding, named);
		find.begin = spot->address - (address - named->start);
	}
	if (symbols->lines.nr)
		file = td_elf_lines_find(&symbols->lines, address, &find.line);
	find.file = file;
	if (find.name || find.file)
		td_finds_write(finding->fp, &find);
}

void td_find_object(struct td_search *search, const struct td_spots *spots,
		    const struct td_unknown *unknown, int object, FILE *fp)
{
	struct td_file_symbols symbols;
	struct finding finding = { .symbols = &symbols, .fp = fp };
	const struct td_object *in = &spots->objects[object];
	int rc;

	td_finds_write_object(fp, object);
	/* whoever waits for us must know what we are at if we end here */
	fflush(fp);
	rc = td_file_symbols_open(&symbols, in, search);
	for (int i = unknown->first[object]; i >= 0; i = unknown->next[i]) {
		const struct td_spot *spot = &spots->v[i];
		uint64_t address = spot->address;

		if (td_file_symbols_address(&symbols, in, &address))
			find_spot(&finding, spot, i, address);
	}
	td_file_symbols_close(&symbols);
	td_finds_write_end(fp, object, rc);
	fflush(fp);
}
