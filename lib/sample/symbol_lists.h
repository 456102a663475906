/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_SYMBOL_LISTS_H
#define TD_LIB_SAMPLE_SYMBOL_LISTS_H

#include "lib/sample/search.h"
#include "lib/sample/symbol_table.h"

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
