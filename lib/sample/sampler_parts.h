/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

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

#include "lib/counter/parts.h"
#include "lib/sample/record.h"
#include "lib/sample/sampler.h"

/* Types and functions of the files that use libperf. */

#define TD_SWITCHED_ON    64
#define TD_SAMPLER_VALUES 128 /* maximum number of values that read(2) returns */

struct td_sampler {
	struct td_sampler_setup setup;
	struct perf_evlist *evlist;
	struct perf_thread_map *threads;
	int *events;           /* the event of each evsel; -1: the watcher */
	struct td_index by_id; /* finds the kernel's ids in ids */
	int *ids;              /* the event of each id */
	size_t nr_ids;
	int epoll;
	struct td_queue queue;
	uint64_t read_ns; /* when the rings were read last */
	uint64_t nr_lost; /* records that the rings reported as lost */
	/* Samplers for CPUs that came online later.  The first has the queue and all ids. */
	struct td_sampler *next;
	struct td_target target; /* for a later sampler: its CPUs, which it owns */
	uint64_t *times_ns;      /* the watcher's time enabled on each CPU */
	bool off;                /* the events are disabled */
	/* The trace's ring on each CPU. */
	struct {
		struct perf_mmap *map;
		uint8_t *area;
		size_t size;
		uint8_t *bytes; /* bytes that were read but not taken yet */
		size_t nr;
		uint64_t from; /* offset of these bytes in the whole trace */
		uint64_t used; /* offset up to which the bytes were taken */
		/* the last times at which tracing was switched on again */
		uint64_t on_ns[TD_SWITCHED_ON];
		size_t nr_on;
		bool cut; /* the ring was full, and tracing has stopped */
	} * traces;
	size_t nr_traces;
	bool paused; /* td_sampler_pause_trace() */
};

/* --- sampler_open.c ------------------------------------------------------- */

/* Frees the members that libperf leaves when it frees an event. */
void td_sampler_free_parts(struct perf_evsel *evsel);
/* Calls open(), then opens the watcher. */
int td_sampler_open_events(struct td_sampler *sampler,
			   int (*open)(struct td_sampler *, struct td_err *), struct td_err *err);
int td_sampler_open_groups(struct td_sampler *sampler, struct td_err *err);

/* Reads an event's values.  Returns false if there are fewer than the first three. */
bool td_sampler_values(const struct perf_evsel *evsel, int x, int y,
		       uint64_t values[TD_SAMPLER_VALUES]);

/* --- sampler_open.c: a PMU that traces ------------------------------------ */

/* Opens the tracer before all other events, whose rings are then the trace's. */
int td_sampler_open_trace(struct td_sampler *sampler, struct td_err *err);
/* Maps the rings of the trace, after the rings of the records. */
int td_sampler_map_trace(struct td_sampler *sampler, struct td_err *err);
/* Notes whether a TD_RECORD_TRACE of this ring is cut. */
void td_sampler_note_trace(struct td_sampler *part, const struct perf_mmap *map,
			   const struct td_record *record);
/* Moves traced bytes out of the rings, to make room for more. */
void td_sampler_read_trace(struct td_sampler *part);
void td_sampler_close_trace(struct td_sampler *part);
