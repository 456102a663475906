// SPDX-License-Identifier: MIT
#include "lib/region/memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <sys/mman.h>

/* A thread, what measures the cost of its marks, and some twenty regions. */
#define LEAST_SIZE (128UL << 10)

struct td_memory_block {
	struct td_memory_block *before;
	size_t size;
};

static size_t round_up(size_t size)
{
	return (size + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
}

/* Leaves the rest of the last block. */
static int add_block(struct td_memory *memory, size_t size)
{
	size_t head = round_up(sizeof(struct td_memory_block));
	size_t whole = head + size > LEAST_SIZE ? head + size : LEAST_SIZE;
	struct td_memory_block *block =
		mmap(NULL, whole, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (block == MAP_FAILED)
		return -1;
	block->before = memory->last;
	block->size = whole;
	memory->last = block;
	memory->left = whole - head;
	return 0;
}

void *td_memory_take(struct td_memory *memory, size_t size)
{
	size = round_up(size);
	if (size > memory->left && add_block(memory, size))
		return NULL;
	memory->left -= size;
	return (char *)memory->last + memory->last->size - memory->left - size;
}

void td_memory_free(struct td_memory *memory)
{
	while (memory->last) {
		struct td_memory_block *block = memory->last;

		memory->last = block->before;
		munmap(block, block->size);
	}
	memory->left = 0;
}
