/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_SYMBOL_TABLE_H
#define TD_LIB_SAMPLE_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/sample/search.h"

#define TD_SYMBOLS_MAX     (4 << 20)
#define TD_SYMBOL_NAME_MAX 4096

struct td_named {
	uint64_t start;
	uint64_t end;
	uint64_t limit; /* where it ends at the latest, if its size is 0 */
	size_t name;    /* in text */
	size_t around;  /* 1 + the place of the next symbol around it, or 0 */
	uint32_t rank;  /* of several at one address the highest has it */
};

/* The symbols of an object.  Zeroed, it is empty. */
struct td_symbol_table {
	struct td_named *v;
	size_t nr, room;
	char *text; /* the names, each with a NUL */
	size_t length, size;
	uint64_t *left; /* that all tables may have, or NULL */
	bool aliases;   /* all symbols of an address stay */
};

/*
 * Adds a symbol.  One whose size is 0 reaches to the next, up to limit.  Long names
 * are cut.  0; -ENOMEM; -E2BIG if there are more than TD_SYMBOLS_MAX, or than all
 * tables may have.
 */
int td_symbol_table_add(struct td_symbol_table *table,
			const struct td_named *symbol, const char *name);
/* After the last was added; before the first is looked for. */
void td_symbol_table_finish(struct td_symbol_table *table);
/* The symbol that begins last of those around an address, or NULL. */
const struct td_named *td_symbol_table_find(const struct td_symbol_table *table,
					    uint64_t address);
const char *td_symbol_table_name(const struct td_symbol_table *table,
				 const struct td_named *symbol);
void td_symbol_table_free(struct td_symbol_table *table);

/* Lists of symbols in text.  The caller finishes the table. */

/* /proc/kallsyms.  Also -EACCES if the kernel shows no addresses, -errno. */
int td_symbols_read_kernel(struct td_symbol_table *table,
			   struct td_search *search);
/*
 * What a JIT compiler tells of its memory in /tmp/perf-PID.map, which belongs to
 * root, to us or to the process's user.  Also -EPERM if not; -E2BIG if only a
 * part of it was read; -errno.
 */
int td_symbols_read_memory(struct td_symbol_table *table,
			   struct td_search *search, int pid);

#endif
