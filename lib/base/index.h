/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * A hash table that finds elements of the caller's array: it maps hashes to
 * array indices.  A zeroed struct is an empty index.
 */
struct td_index {
	struct td_index_slot {
		uint64_t hash;
		size_t place; /* 1 + the array index; 0 if the slot is free */
	} * slots;
	size_t size; /* number of slots: 0 or a power of two */
	size_t nr;   /* slots in use */
};

#define TD_NOT_FOUND SIZE_MAX

/* Returns the hash of a number.  Different numbers have different hashes. */
uint64_t td_hash(uint64_t number);
/* Returns a hash with one more number added. */
uint64_t td_hash_more(uint64_t so_far, uint64_t number);
uint64_t td_hash_text(const char *text);
/* Returns the hash of a text, ignoring the case of letters. */
uint64_t td_hash_any_case(const char *text);

void td_index_add(struct td_index *index, uint64_t hash, size_t at);
/* Adds an element, or replaces the previous one with this hash. */
void td_index_set(struct td_index *index, uint64_t hash, size_t at);
/*
 * Returns the next element with this hash, in the order in which they were added, or
 * TD_NOT_FOUND after the last.  *step must be 0 in the first call.  Different elements may
 * have the same hash, so callers must compare them.
 */
size_t td_index_next(const struct td_index *index, uint64_t hash, size_t *step);
/* Returns the first element with this hash, for elements with different hashes. */
size_t td_index_find(const struct td_index *index, uint64_t hash);
/* Removes all elements but keeps the memory. */
void td_index_clear(struct td_index *index);
void td_index_free(struct td_index *index);
