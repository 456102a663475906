/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_SAMPLER_PARTS_H
#define TD_LIB_SAMPLE_SAMPLER_PARTS_H

#include <internal/evlist.h>
#include <internal/evsel.h>
#include <internal/mmap.h>
#include <internal/xyarray.h>
#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>

#include "lib/sample/queue.h"
#include "lib/sample/sampler.h"

/* Shared by the files that know libperf. */

struct td_sampler {
	struct td_sampler_setup setup;
	struct perf_evlist *evlist;
	struct perf_thread_map *threads;
	int *events; /* of the plan, one for each evsel; -1: the watcher */
	struct td_index by_id;
	int *ids; /* the events that by_id refers to */
	size_t nr_ids;
	int epoll;
	struct td_queue queue;
	uint64_t read_ns; /* when the rings were read last */
	/* Parts for CPUs that came later; the queue and the ids are the first's. */
	struct td_sampler *next;
	struct td_target target; /* of a part: has these CPUs, which it owns */
	uint64_t *times_ns;      /* of the watcher, on each CPU */
};

/* sampler_open.c: frees what libperf leaves when it frees an event. */
void td_sampler_free_parts(struct perf_evsel *evsel);
/* The groups of the plan, and the watcher. */
int td_sampler_open_events(struct td_sampler *sampler, struct td_err *err);
/* sampler_rings.c: from now on the first one waits for the part, and knows its ids. */
int td_sampler_join(struct td_sampler *first, const struct td_sampler *part,
		    struct td_err *err);

#endif
