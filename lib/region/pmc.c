// SPDX-License-Identifier: MIT
#include "lib/region/parts.h"

/* tools/perf/Documentation/topdown.txt in the kernel tree */
#define SLOTS_SELECTOR   (1u << 30 | 3)
#define METRICS_SELECTOR (1u << 29)

/*
 * Sums the locks of the pages.  The kernel changes all pages of a group when it starts or stops
 * counting the group, and one page when its event moves to another counter or the counter overflows
 * (x86_pmu_start() and x86_perf_event_set_period() in arch/x86/events/core.c).  Returns false while
 * the kernel is changing a page.
 */
static bool sum_locks(const struct td_group_counters *group, uint32_t *sum)
{
	bool even = true;

	*sum = 0;
	for (size_t i = 0; i < group->nr_pages; i++) {
		const struct perf_event_mmap_page *page = group->pages[i];
		uint32_t lock = page ? __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE) : 0;

		*sum += lock;
		even &= !(lock & 1);
	}
	return even;
}

uint32_t td_pmc_lock(const struct td_group_counters *group)
{
	uint32_t sum;

	sum_locks(group, &sum);
	return sum;
}

struct pmc_read {
	uint32_t selectors[TD_REGION_VALUES + 1];
	uint64_t values[TD_REGION_VALUES + 1];
	uint64_t nr;
	/* offset of each event except SLOTS and fields */
	int64_t offsets[TD_REGION_VALUES];
	unsigned int width; /* width of a counter in bits */
};

/*
 * Chooses the counters to read.  All fields are one counter, which is read last.  Returns false if
 * some event is not counting, because RDPMC of an event without a counter would end the program.
 */
static bool choose(const struct td_thread_counters *counters, size_t g, struct pmc_read *pmc)
{
	const struct td_group_spec_group *spec = &counters->spec->groups[g];
	const struct td_group_counters *group = &counters->groups[g];

	pmc->nr = 0;
	pmc->width = group->pages[0]->pmc_width;
	if (!group->pages[0]->index)
		return false;
	for (size_t i = 0; i < spec->nr; i++) {
		int kind = counters->spec->events[spec->first + i].kind;

		if (kind == TD_GROUP_SPEC_SLOTS)
			pmc->selectors[pmc->nr++] = SLOTS_SELECTOR;
		if (kind != TD_GROUP_SPEC_PLAIN)
			continue;
		if (!group->pages[i]->index)
			return false;
		pmc->offsets[pmc->nr] = group->pages[i]->offset;
		pmc->selectors[pmc->nr++] = group->pages[i]->index - 1;
	}
	if (spec->has_fields)
		pmc->selectors[pmc->nr++] = METRICS_SELECTOR;
	return true;
}

/*
 * Returns the total of an event.  The counter contains the low bits of the count since the offset.
 */
static uint64_t plain_total(const struct pmc_read *pmc, size_t i)
{
	unsigned int unused = 64 - pmc->width;
	int64_t counted = (int64_t)(pmc->values[i] << unused) >> unused;

	return (uint64_t)(pmc->offsets[i] + counted);
}

/*
 * Store the totals that RDPMC read.  Returns false if another program set PERF_METRICS to 0,
 * so that only the kernel knows the earlier values.
 */
static bool store_values(struct td_thread_counters *counters, size_t g, const struct pmc_read *pmc)
{
	const struct td_group_spec_group *spec = &counters->spec->groups[g];
	struct td_group_counters *group = &counters->groups[g];
	uint64_t metrics = pmc->values[pmc->nr - 1], slots = 0;
	size_t next = 0;

	for (size_t i = 0; i < spec->nr; i++) {
		size_t e = spec->first + i;
		int kind = counters->spec->events[e].kind;

		if (kind == TD_GROUP_SPEC_SLOTS) {
			slots = pmc->values[next++];
			if (slots < group->slots_now)
				return false;
			group->slots_now = slots;
			counters->totals[e] = counters->before[e] + slots;
		} else if (kind == TD_GROUP_SPEC_PLAIN) {
			counters->totals[e] = plain_total(pmc, next++) - counters->skipped[e];
		} else {
			counters->totals[e] =
				counters->before[e] + slots * (metrics >> 8 * kind & 0xff);
		}
	}
	return true;
}

/*
 * A hypervisor may stop the CPU between SLOTS and its fields, without the kernel noticing.  If a
 * read takes this many cycles, more than on any processor, the counters are read again.
 */
#define LONG_CYCLES 50000
#define LONG_READS  4

static bool read_all(const struct td_thread_counters *counters, size_t g, struct pmc_read *pmc)
{
	for (int i = 0; i < LONG_READS; i++) {
		uint64_t start = td_rseq_cycles();

		if (!td_rseq_read(counters->spec->group_of_cpu, (uint8_t)(g + 1), pmc->selectors,
				  pmc->values, pmc->nr))
			return false;
		if (td_rseq_cycles() - start < LONG_CYCLES)
			break;
	}
	return true;
}

enum td_look td_pmc_look(struct td_thread_counters *counters, size_t g)
{
	struct td_group_counters *group = &counters->groups[g];
	struct pmc_read pmc;

	for (;;) {
		uint32_t lock;

		if (!sum_locks(group, &lock))
			continue;
		if (!choose(counters, g, &pmc) || !read_all(counters, g, &pmc)) {
			if (lock != td_pmc_lock(group))
				continue;
			return TD_ASLEEP;
		}
		if (lock == td_pmc_lock(group))
			return store_values(counters, g, &pmc) ? TD_LOOKED : TD_DISTURBED;
	}
}
