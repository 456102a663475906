// SPDX-License-Identifier: GPL-2.0-only
/* Reads samples, sums them up and looks for windows between them. */
#include "tests/fuzz/replay.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/sample/hits.h"
#include "lib/sample/samples.h"
#include "lib/sample/windows.h"

struct taken {
	struct td_hits hits;
	struct td_windows windows;
};

static void take(void *ctx, const struct td_record *record, int event, int location, int caller)
{
	struct taken *taken = ctx;
	const struct td_plan *plan = taken->windows.plan;
	const struct td_window_end end = { .time_ns = record->time_ns,
					   .cpu = record->cpu,
					   .tid = record->tid,
					   .location = location,
					   .pairs = record->values };

	if (record->kind != TD_RECORD_SAMPLE) {
		td_windows_break(&taken->windows, true, record->cpu, record->time_ns);
		return;
	}
	if (plan->nr_groups && record->nr_values == plan->groups[0].nr)
		td_windows_add(&taken->windows, &end);
	td_hits_add(&taken->hits, event, location, caller, record->period);
}

static void sum_up(const struct taken *taken, const struct td_locations *locations)
{
	struct td_function_counts counts = { 0 };
	struct td_hot_functions hot;
	struct td_stacks stacks;
	struct td_regions regions = { 0 };
	struct td_batched batched = { 0 };

	td_hot_functions_make(&hot, &taken->hits, locations, 0);
	td_hot_functions_free(&hot);
	td_stacks_make(&stacks, &taken->hits, locations, 0);
	td_stacks_free(&stacks);
	td_function_counts_add(&counts, &taken->windows, locations);
	td_function_counts_to_regions(&counts, taken->windows.plan, locations, &regions, &batched);
	td_function_counts_free(&counts);
	td_regions_free(&regions);
	td_batched_free(&batched);
}

static void read_all(struct td_recording *rec, struct td_err *err)
{
	struct taken taken = { .windows = { .plan = &rec->plan } };
	struct td_samples samples;
	int rc = td_samples_read(&samples, rec, take, &taken, err);

	if (rc && (rc != err->code || !err->msg[0]))
		abort();
	if (!rc)
		sum_up(&taken, &samples.locations);
	td_hits_free(&taken.hits);
	td_windows_free(&taken.windows);
	td_samples_free(&samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("samples", MFD_CLOEXEC);
	struct td_recording rec;
	struct td_err err = { 0 };
	char path[32];

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size) {
		if (td_recording_open(&rec, path, NULL, &err) == 0)
			read_all(&rec, &err);
		td_recording_close(&rec);
	}
	close(fd);
	return 0;
}
