/* SPDX-License-Identifier: MIT */
/*
 * Memory of a thread, from the kernel.  malloc() is not asked: a mark may come in a
 * signal handler, or in a child of _Fork(), while another holds malloc's locks.
 */
#ifndef TD_REGION_MEMORY_H
#define TD_REGION_MEMORY_H

#include <stddef.h>

struct td_memory {
	struct td_memory_block *last; /* NULL: nothing was taken */
	size_t left;                  /* bytes at the end of the last block */
};

/* Zeros, aligned for anything; NULL: the kernel has none. */
void *td_memory_take(struct td_memory *memory, size_t size);
/* All that was taken. */
void td_memory_free(struct td_memory *memory);

#endif
