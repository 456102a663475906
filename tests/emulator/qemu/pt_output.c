/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the packets of Processor Trace go: through a small buffer, as silicon has
 * one, to the regions of memory that a table of physical addresses (ToPA) names.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "exec/cpu-common.h"
#include "pmu.h"
#include "pt.h"

/* Of an entry of the table. */
enum {
	END = 1 << 0,
	INT = 1 << 2,
	STOP = 1 << 4,
};

#define ADDRESS 0x000ffffffffff000ULL

/* OUTPUT_MASK_PTRS: the index of the entry, the offset in its region. */
static uint64_t index_of(const struct tdemu_pt *pt)
{
	return (uint32_t)pt->output_mask >> 7;
}

static void move_to(struct tdemu_pt *pt, uint64_t index, uint64_t offset)
{
	pt->output_mask = offset << 32 | index << 7 | 0x7f;
}

static uint64_t read_entry(const struct tdemu_pt *pt)
{
	uint64_t entry = 0;

	cpu_physical_memory_read((pt->output_base & ADDRESS) + 8 * index_of(pt), &entry,
				 sizeof(entry));
	return entry;
}

/* The entry that is written to, behind the links between tables. */
static uint64_t current_entry(struct tdemu_pt *pt)
{
	uint64_t entry = read_entry(pt);

	for (int links = 0; entry & END && links < 8; links++) {
		pt->output_base = entry & ADDRESS;
		move_to(pt, 0, 0);
		entry = read_entry(pt);
	}
	if (entry & END || !(entry & ADDRESS))
		pt->status |= TDEMU_PT_ERROR;
	return entry;
}

static void region_is_full(struct tdemu_pmu *pmu, uint64_t entry)
{
	struct tdemu_pt *pt = &pmu->pt;

	if (entry & INT)
		tdemu_trace_interrupts(pmu);
	if (entry & STOP) {
		pt->status |= TDEMU_PT_STOPPED;
		return;
	}
	move_to(pt, index_of(pt) + 1, 0);
	current_entry(pt);
}

/* How much of it the region took. */
static int write_region(struct tdemu_pmu *pmu, const uint8_t *bytes, int nr)
{
	struct tdemu_pt *pt = &pmu->pt;
	uint64_t entry = current_entry(pt), offset = pt->output_mask >> 32;
	uint64_t size = 4096ULL << (entry >> 6 & 15);

	if (pt->status & TDEMU_PT_ERROR || offset > size)
		return nr;
	nr = (int)MIN((uint64_t)nr, size - offset);
	cpu_physical_memory_write((entry & ADDRESS) + offset, bytes, nr);
	move_to(pt, index_of(pt), offset + (uint64_t)nr);
	if (offset + (uint64_t)nr == size)
		region_is_full(pmu, entry);
	return nr;
}

/* What is left when the output stops is lost. */
void tdemu_pt_flush(struct tdemu_pmu *pmu)
{
	struct tdemu_pt *pt = &pmu->pt;

	for (int done = 0; done < pt->nr && tdemu_pt_on(pt);)
		done += write_region(pmu, pt->buffer + done, pt->nr - done);
	pt->nr = 0;
	if (!tdemu_pt_on(pt))
		tdemu_pt_changed(pmu);
}

void tdemu_pt_put(struct tdemu_pmu *pmu, const void *bytes, int nr)
{
	struct tdemu_pt *pt = &pmu->pt;
	uint64_t count = (pt->status >> 32 & 0x1ffff) + (uint64_t)nr;

	pt->written += (uint64_t)nr;
	if (pt->nr + nr > (int)sizeof(pt->buffer))
		tdemu_pt_flush(pmu);
	memcpy(pt->buffer + pt->nr, bytes, (size_t)nr);
	pt->nr += nr;
	pt->status = (uint32_t)pt->status | MIN(count, 0x1ffff) << 32;
}
