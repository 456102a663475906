/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_INDEX_H
#define TD_LIB_BASE_INDEX_H

#include <stddef.h>
#include <stdint.h>

/*
 * A hash table that finds elements of an array of the caller's: it maps hashes
 * to indices of the array.  Zeroed: it is empty.
 */
struct td_index {
	struct td_index_slot {
		uint64_t hash;
		size_t place; /* 1 + the index; 0: the slot is free */
	} * slots;
	size_t size; /* of slots: 0 or a power of two */
	size_t nr;   /* slots that are taken */
};

#define TD_NOT_FOUND SIZE_MAX

/* Different numbers have different hashes. */
uint64_t td_hash(uint64_t number);
/* Of what has the hash so far, and one more number. */
uint64_t td_hash_more(uint64_t so_far, uint64_t number);
uint64_t td_hash_text(const char *text);

/* -ENOMEM leaves the index as it was. */
int td_index_add(struct td_index *index, uint64_t hash, size_t at);
/* The same, in the place of what was added under this hash before. */
int td_index_set(struct td_index *index, uint64_t hash, size_t at);
/*
 * The next of the elements under this hash, in the order in which they were
 * added; TD_NOT_FOUND: there are no more.  *step is 0 before the first call.
 * Several elements may share a hash: the caller compares what it looks for.
 */
size_t td_index_next(const struct td_index *index, uint64_t hash, size_t *step);
/* The first of them, where different elements have different hashes. */
size_t td_index_find(const struct td_index *index, uint64_t hash);
/* Forgets the elements, but keeps the memory. */
void td_index_clear(struct td_index *index);
void td_index_free(struct td_index *index);

#endif
