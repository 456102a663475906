// SPDX-License-Identifier: GPL-2.0-only
/* A hash table with open addressing: if a slot is in use, the next free one is used. */
#include "lib/base/index.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"

#define FIRST_SIZE 16

/* The last step of splitmix64; it gives different numbers different hashes. */
uint64_t td_hash(uint64_t number)
{
	number += UINT64_C(0x9e3779b97f4a7c15);
	number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
	return number ^ number >> 31;
}

uint64_t td_hash_more(uint64_t so_far, uint64_t number)
{
	return td_hash(so_far ^ number);
}

/* offset basis of FNV-1a */
#define NO_TEXT UINT64_C(0xcbf29ce484222325)

static uint64_t add_char(uint64_t hash, int c)
{
	return (hash ^ (uint64_t)c) * UINT64_C(0x100000001b3);
}

uint64_t td_hash_text(const char *text)
{
	uint64_t hash = NO_TEXT;

	for (; *text; text++)
		hash = add_char(hash, (unsigned char)*text);
	return td_hash(hash);
}

static unsigned char small_letter(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

uint64_t td_hash_any_case(const char *text)
{
	uint64_t hash = NO_TEXT;

	for (; *text; text++)
		hash = add_char(hash, small_letter(*text));
	return td_hash(hash);
}

/* Returns the slot to check for a hash in the given step. */
static struct td_index_slot *slot_of(const struct td_index *index, uint64_t hash, size_t step)
{
	return &index->slots[(hash + step) & (index->size - 1)];
}

static void put(const struct td_index *index, struct td_index_slot element)
{
	size_t step = 0;

	while (slot_of(index, element.hash, step)->place)
		step++;
	*slot_of(index, element.hash, step) = element;
}

/*
 * Doubles the table, keeping the order of elements with the same hash.  Elements that wrapped
 * around the end of the old table are at its start, so the walk begins after a free slot.
 */
static void grow(struct td_index *index)
{
	struct td_index bigger = {
		.size = index->size ? index->size * 2 : FIRST_SIZE,
		.nr = index->nr,
	};
	size_t start = 0;

	bigger.slots = td_calloc(bigger.size, sizeof(*bigger.slots));
	while (start < index->size && index->slots[start].place)
		start++;
	for (size_t i = 0; i < index->size; i++) {
		const struct td_index_slot *old = slot_of(index, start, i);

		if (old->place)
			put(&bigger, *old);
	}
	free(index->slots);
	*index = bigger;
}

void td_index_add(struct td_index *index, uint64_t hash, size_t at)
{
	/* at most half full, so that a free slot is near */
	if (index->nr >= index->size / 2)
		grow(index);
	put(index, (struct td_index_slot){ hash, at + 1 });
	index->nr++;
}

size_t td_index_next(const struct td_index *index, uint64_t hash, size_t *step)
{
	while (index->size) {
		const struct td_index_slot *slot = slot_of(index, hash, *step);

		if (!slot->place)
			break;
		(*step)++;
		if (slot->hash == hash)
			return slot->place - 1;
	}
	return TD_NOT_FOUND;
}

size_t td_index_find(const struct td_index *index, uint64_t hash)
{
	size_t step = 0;

	return td_index_next(index, hash, &step);
}

void td_index_set(struct td_index *index, uint64_t hash, size_t at)
{
	size_t step = 0;

	if (td_index_next(index, hash, &step) == TD_NOT_FOUND) {
		td_index_add(index, hash, at);
		return;
	}
	slot_of(index, hash, step - 1)->place = at + 1;
}

void td_index_clear(struct td_index *index)
{
	if (index->nr)
		memset(index->slots, 0, index->size * sizeof(*index->slots));
	index->nr = 0;
}

void td_index_free(struct td_index *index)
{
	free(index->slots);
	*index = (struct td_index){ 0 };
}
