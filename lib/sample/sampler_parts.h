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

#include "lib/sample/record.h"
#include "lib/sample/sampler.h"

/* Shared by the files that know libperf. */

#define TD_SWITCHED_ON 64

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
	uint64_t nr_lost; /* so many records were said to be lost */
	/* Parts for CPUs that came later; the queue and the ids are the first's. */
	struct td_sampler *next;
	struct td_target target; /* of a part: has these CPUs, which it owns */
	uint64_t *times_ns;      /* of the watcher, on each CPU */
	bool off;                /* it was disabled */
	/* Of each ring of the list, if something is traced. */
	struct {
		struct perf_mmap *map;
		uint8_t *area;
		size_t size;
		/* what was read, and from where on in all of the trace */
		uint8_t *bytes;
		size_t nr;
		uint64_t from;
		uint64_t used; /* up to there a record was */
		/* when it was switched on again, the last times */
		uint64_t on_ns[TD_SWITCHED_ON];
		size_t nr_on;
		bool cut; /* it had no room, and has stopped */
	} * traces;
	size_t nr_traces;
	bool rests; /* nothing is traced for a while */
};

/* sampler_open.c: frees what libperf leaves when it frees an event. */
void td_sampler_free_parts(struct perf_evsel *evsel);
/* What open() does, and the watcher behind it. */
int td_sampler_open_events(struct td_sampler *sampler,
			   int (*open)(struct td_sampler *, struct td_err *),
			   struct td_err *err);
/* The groups of the plan. */
int td_sampler_open_groups(struct td_sampler *sampler, struct td_err *err);
/* Adds an event to the list, on these CPUs; NULL: memory ran out. */
struct perf_evsel *td_sampler_add_evsel(struct td_sampler *sampler,
					struct perf_event_attr *attr,
					const struct td_ints *cpus, int event);
void td_sampler_drop_evsel(struct td_sampler *sampler,
			   struct perf_evsel *evsel);
/* Of the i-th member of a group of the plan. */
struct perf_event_attr td_sampler_attr(const struct td_sampler *sampler,
				       const struct td_group *group, size_t i);
/* What the kernel does for a task is its task's, too. */
struct perf_event_attr
td_sampler_companion_attr(const struct td_sampler *sampler,
			  const struct td_companion *companion);
/* Sample what is there already, and not what that starts; false: it was so. */
bool td_sampler_leave_children(const struct td_sampler_setup *setup);
/* sampler_trace.c: before all other events, as their rings are the trace's. */
int td_sampler_open_trace(struct td_sampler *sampler, struct td_err *err);
/* When the rings are mapped. */
int td_sampler_map_trace(struct td_sampler *sampler, struct td_err *err);
/* A record of the kind TD_RECORD_TRACE, which the ring has. */
void td_sampler_note_trace(struct td_sampler *part, const struct perf_mmap *map,
			   const struct td_record *record);
/* Keeps what was traced, so that there is room for more.  0 or -ENOMEM. */
int td_sampler_read_trace(struct td_sampler *part);
void td_sampler_close_trace(struct td_sampler *part);
/* sampler_rings.c: from now on the first one waits for the part, and knows its ids. */
int td_sampler_join(struct td_sampler *first, const struct td_sampler *part,
		    struct td_err *err);

#endif
