// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/symbol_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/sample/search.h"

/* All names of an object; those of the largest programs have half of it. */
#define TEXT_MAX ((size_t)512 << 20)
/* Symbols around each other; only wrong files have more of them. */
#define DEPTH_MAX 64

/* The place of a copy in the text, or SIZE_MAX if memory ran out. */
static size_t add_name(struct td_symbol_table *table, const char *name,
		       size_t length)
{
	size_t at = table->length, needs = at + length + 1;
	char *text = table->text;

	if (needs > table->size) {
		text = realloc(text, 2 * needs);
		if (!text)
			return SIZE_MAX;
		table->text = text;
		table->size = 2 * needs;
	}
	memcpy(text + at, name, length);
	text[at + length] = '\0';
	table->length = needs;
	return at;
}

static struct td_named *make_room(struct td_symbol_table *table)
{
	if (table->nr == table->room) {
		size_t room = table->room ? 2 * table->room : 64;
		struct td_named *v = realloc(table->v, room * sizeof(*v));

		if (!v)
			return NULL;
		table->v = v;
		table->room = room;
	}
	return &table->v[table->nr];
}

int td_symbol_table_add(struct td_symbol_table *table,
			const struct td_named *symbol, const char *name)
{
	size_t length = strnlen(name, TD_SYMBOL_NAME_MAX);
	struct td_named *new;
	size_t at;

	if (table->nr >= TD_SYMBOLS_MAX ||
	    TEXT_MAX - table->length < length + 1 ||
	    (table->left && !td_search_take(table->left, 1)))
		return -E2BIG;
	new = make_room(table);
	if (!new)
		return -ENOMEM;
	at = add_name(table, name, length);
	if (at == SIZE_MAX)
		return -ENOMEM;
	*new = *symbol;
	if (new->end < new->start)
		new->end = UINT64_MAX;
	new->name = at;
	table->nr++;
	return 0;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* The best of those at one address is the first. */
static int by_start(const void *x, const void *y, void *text)
{
	const struct td_named *a = x, *b = y;
	const char *name_a = (const char *)text + a->name;
	const char *name_b = (const char *)text + b->name;
	int order = compare(a->start, b->start);

	if (!order)
		order = compare(b->rank, a->rank);
	if (!order)
		order = compare(b->end, a->end);
	if (!order)
		order = compare(strspn(name_a, "_"), strspn(name_b, "_"));
	return order ? order : strcmp(name_a, name_b);
}

static bool is_open(const struct td_named *symbol)
{
	return symbol->end == symbol->start;
}

/* The first symbol from around on, going outward, that has the address. */
static size_t reach(const struct td_symbol_table *table, size_t around,
		    uint64_t address)
{
	for (int depth = 0; around && depth < DEPTH_MAX; depth++) {
		if (table->v[around - 1].end > address)
			return around;
		around = table->v[around - 1].around;
	}
	return 0;
}

static void close_last(struct td_symbol_table *table, uint64_t next)
{
	struct td_named *last = table->nr ? &table->v[table->nr - 1] : NULL;

	if (!last || !is_open(last))
		return;
	last->end = last->limit < next ? last->limit : next;
	if (last->end < last->start)
		last->end = last->start;
}

/*
 * Keeps one symbol of each address, or all, and tells which is around which.  What has
 * no size within a function is a label of it.
 */
void td_symbol_table_finish(struct td_symbol_table *table)
{
	size_t nr = table->nr;

	if (nr)
		qsort_r(table->v, nr, sizeof(*table->v), by_start, table->text);
	table->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		struct td_named symbol = table->v[i];
		bool first = !table->nr ||
			     table->v[table->nr - 1].start != symbol.start;

		if (!first && !table->aliases)
			continue;
		close_last(table, symbol.start);
		symbol.around = reach(table, table->nr, symbol.start);
		if (symbol.around && is_open(&symbol))
			continue;
		table->v[table->nr++] = symbol;
	}
	close_last(table, UINT64_MAX);
}

const struct td_named *td_symbol_table_find(const struct td_symbol_table *table,
					    uint64_t address)
{
	size_t low = 0, high = table->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->v[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	low = reach(table, low, address);
	return low ? &table->v[low - 1] : NULL;
}

const char *td_symbol_table_name(const struct td_symbol_table *table,
				 const struct td_named *symbol)
{
	return table->text + symbol->name;
}

void td_symbol_table_free(struct td_symbol_table *table)
{
	free(table->v);
	free(table->text);
	*table = (struct td_symbol_table){ 0 };
}
