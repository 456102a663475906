// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of a ring in any state: parsed, put in order, and what becomes of
 * them.  The first byte says what samples have (1: values, 2: a chain, 8:
 * branches, 16: a copy of the stack; 4: the windows are of CPUs), the second is a
 * register of the rule by which stacks are unwound, the other six nothing.
 */
#include "tests/fuzz/replay.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/sample/record.h"
#include "lib/sample/spaces.h"
#include "lib/sample/unwind.h"
#include "lib/sample/windows.h"

#define MEMBERS 2

static int members[MEMBERS] = { 0, 1 };
static struct td_group group = { .members = members, .nr = MEMBERS };
static const struct td_plan plan = { .groups = &group, .nr_groups = 1 };

struct fuzz {
	struct td_record_format format;
	struct td_queue queue;
	struct td_windows windows;
	struct td_function_counts counts;
	struct td_spaces *spaces;
	struct td_locations locations;
	uint64_t number;
	uint8_t base;
};

/* --- what a record may not be ----------------------------------------------- */

static bool is_within(const void *at, size_t size, const void *data, size_t all)
{
	const char *from = at, *begin = data;

	return from >= begin && size <= all && (size_t)(from - begin) <= all - size;
}

static void check(const struct td_record *r, const void *data, size_t size)
{
	size_t values = 2 * r->nr_values * sizeof(*r->values);
	size_t chain = r->nr_chain * sizeof(*r->chain);

	if (r->nr_values > size || r->nr_chain > size)
		abort();
	if (r->nr_values && !is_within(r->values, values, data, size))
		abort();
	if (r->nr_chain && !is_within(r->chain, chain, data, size))
		abort();
	if (r->nr_branches > size ||
	    (r->nr_branches &&
	     !is_within(r->branches, TD_BRANCH_WORDS * r->nr_branches * sizeof(uint64_t), data,
			size)))
		abort();
	if (r->kind == TD_RECORD_MAP &&
	    (!r->path || (*r->path && !is_within(r->path, strlen(r->path) + 1, data, size))))
		abort();
	if (r->registers &&
	    !is_within(r->registers, TD_RECORD_REGS * sizeof(*r->registers), data, size))
		abort();
	if (r->nr_copied > size || (r->nr_copied && !is_within(r->copy, r->nr_copied, data, size)))
		abort();
	if (r->build_id.size > TD_BUILD_ID_SIZE)
		abort();
}

/* --- what becomes of it ----------------------------------------------------- */

/* By one rule for all, until it is at an end: each frame is above the last. */
static void unwind(const struct fuzz *f, const struct td_record *r)
{
	struct td_caller_rule rule = {
		.frame = { TD_CFI_VALUE, TD_REG_RSP, f->base },
	};
	struct td_registers regs;

	for (size_t i = 0; i < TD_NR_SAVED; i++)
		rule.saved[i] =
			(struct td_cfi_value){ TD_CFI_MEMORY, TD_REG_FRAME, -8 * (int)(i + 1) };
	rule.saved[0].base = f->base;
	td_registers_read(&regs, r);
	while (td_unwind(&regs, &rule, r) > 0)
		;
}

static void take_sample(struct fuzz *f, const struct td_record *r)
{
	const struct td_window_end end = { r->time_ns,
					   0,
					   r->cpu,
					   r->tid,
					   td_spaces_find(f->spaces, &f->locations, r->pid,
							  r->address, r->kernel),
					   r->values };

	if (end.location < 0 || (size_t)end.location >= f->locations.nr)
		abort();
	for (size_t i = 0; i < r->nr_chain; i++)
		td_spaces_find(f->spaces, &f->locations, r->pid, r->chain[i], false);
	unwind(f, r);
	if (r->nr_values == MEMBERS)
		td_windows_add(&f->windows, &end);
}

static void take(struct fuzz *f, const struct td_record *r)
{
	const struct td_mapping mapping = { r->address, r->length, r->offset, r->path,
					    r->build_id };

	switch (r->kind) {
	case TD_RECORD_SAMPLE:
		take_sample(f, r);
		break;
	case TD_RECORD_MAP:
		td_spaces_map(f->spaces, &f->locations, r->pid, &mapping);
		break;
	case TD_RECORD_FORK:
		td_spaces_fork(f->spaces, r->parent, r->pid);
		break;
	case TD_RECORD_EXEC:
		td_spaces_exec(f->spaces, r->pid);
		break;
	case TD_RECORD_SWITCH:
		td_windows_break(&f->windows, false, r->tid, r->time_ns);
		break;
	case TD_RECORD_LOST:
	case TD_RECORD_THROTTLE:
		td_windows_break(&f->windows, true, r->cpu, r->time_ns);
		break;
	case TD_RECORD_TRACE:
	case TD_RECORD_END:
	case TD_RECORD_UNTHROTTLE:
	case TD_RECORD_NAME:
	case TD_RECORD_THREAD:
	case TD_RECORD_CGROUP:
	case TD_RECORD_OTHER:
		break;
	}
}

static void take_all(struct fuzz *f, uint64_t until_ns)
{
	uint64_t last_ns = 0, *data;
	uint16_t size;

	while ((data = td_queue_pop(&f->queue, until_ns, &size))) {
		struct td_record r;

		if (!td_record_parse(&r, &f->format, data, size))
			abort();
		if (r.time_ns < last_ns || r.time_ns >= until_ns)
			abort();
		last_ns = r.time_ns;
		take(f, &r);
		free(data);
	}
}

/* The words are a copy of exactly this size, so that reading beyond it is detected. */
static void put(struct fuzz *f, const uint8_t *data, uint16_t size)
{
	td_autofree uint64_t *words = malloc(size ? size : 1);
	struct td_record r;

	if (!words)
		return;
	memcpy(words, data, size);
	if (!td_record_parse(&r, &f->format, words, size))
		return;
	check(&r, words, size);
	td_queue_put(&f->queue, r.time_ns, words, size);
}

/* --- windows ---------------------------------------------------------------- */

static void sum_up(struct fuzz *f)
{
	for (size_t i = 0; i < f->windows.nr; i++) {
		const struct td_window *w = &f->windows.v[i];

		if ((w->from < 0) != (w->to < 0) || w->from >= (int)f->locations.nr ||
		    w->to >= (int)f->locations.nr)
			abort();
	}
	for (size_t i = 0; i < f->locations.nr; i++) {
		const struct td_function function = { NULL, f->locations.v[i].object,
						      f->locations.v[i].address & ~63U };

		f->locations.v[i].function = td_locations_add_function(&f->locations, &function);
	}
	td_function_counts_add(&f->counts, &f->windows, &f->locations);
}

/* Each window is of one function or of none; nothing is lost or made up. */
static void make_regions(struct fuzz *f)
{
	struct td_regions regions = { 0 };
	struct td_batched batched = { 0 };
	uint64_t nr = 0;

	td_function_counts_to_regions(&f->counts, &plan, &f->locations, &regions, &batched);
	for (size_t i = 0; i < batched.readings.nr; i++) {
		int region = batched.readings.v[i].region;

		if (region < 1 || (size_t)region > regions.nr)
			abort();
	}
	for (size_t i = 0; i < regions.nr; i++)
		nr += regions.v[i].own ? regions.v[i].calls.counted : 0;
	if (nr != f->windows.nr)
		abort();
	td_regions_free(&regions);
	td_batched_free(&batched);
}

static void read_ring(struct fuzz *f, const uint8_t *data, size_t size)
{
	size_t at = 8;

	while (size - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header header;
		size_t left = size - at;

		memcpy(&header, data + at, sizeof(header));
		if (header.size > left || !header.size) {
			put(f, data + at, left > UINT16_MAX ? UINT16_MAX : (uint16_t)left);
			break;
		}
		put(f, data + at, header.size);
		at += header.size;
		if (f->number++ % 8 == 7)
			take_all(f, f->queue.nr ? f->queue.v[0].time_ns + 1000 : 1000);
	}
	take_all(f, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz f = { 0 };

	if (size < 8)
		return 0;
	f.format.values = data[0] & 1;
	f.format.chain = data[0] & 2;
	f.format.branches = data[0] & 8;
	f.format.copied = data[0] & 16;
	f.base = data[1];
	f.windows.plan = &plan;
	f.windows.of_cpus = data[0] & 4;
	f.spaces = td_spaces_new();
	read_ring(&f, data, size);
	sum_up(&f);
	make_regions(&f);
	td_queue_free(&f.queue);
	td_windows_free(&f.windows);
	td_function_counts_free(&f.counts);
	td_spaces_free(f.spaces);
	td_locations_free(&f.locations);
	return 0;
}
