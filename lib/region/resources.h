/* SPDX-License-Identifier: MIT */
/*
 * Memory of a thread, from the kernel.  malloc() is not asked: a mark may come in a
 * signal handler, or in a child of _Fork(), while another holds malloc's locks.
 */
#ifndef TD_LIB_REGION_RESOURCES_H
#define TD_LIB_REGION_RESOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>

struct td_memory {
	struct td_memory_block *last; /* NULL: nothing was taken */
	size_t left;                  /* bytes at the end of the last block */
};

/* Zeros, aligned for anything; NULL: the kernel has none. */
void *td_memory_take(struct td_memory *memory, size_t size);
/* All that was taken. */
void td_memory_free(struct td_memory *memory);

/*
 * Descriptors that are in nobody's way: above the program's soft limit, where the
 * hard one is higher.  Else at most half of them are taken, from above.
 */
struct td_descriptors {
	size_t nr;
	struct rlimit limit; /* the program's */
	bool above;
};

/*
 * Before nr are opened; 0 or a negative errno.  Until td_descriptors_end() the soft
 * limit is the hard one.  nr counts until td_descriptors_give_back().
 */
int td_descriptors_begin(struct td_descriptors *descriptors, size_t nr);
/* Returns where it is from now on. */
int td_descriptors_move(const struct td_descriptors *descriptors, int fd);
void td_descriptors_end(const struct td_descriptors *descriptors);
void td_descriptors_give_back(size_t nr);
/*
 * In a child of fork(), whose parent may be between begin and end.  It has the
 * parent's descriptors, too.
 */
void td_descriptors_forked(void);

#endif
