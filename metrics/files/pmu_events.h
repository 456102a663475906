/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/files: what a processor model's files name.
 *
 * In: the kernel tree's pmu-events, or a checkout of intel/perfmon.
 * Out: struct td_pmu_events: events and metrics, in the kernel tree's form
 * whichever files they come from.
 */
#ifndef TD_METRICS_FILES_PMU_EVENTS_H
#define TD_METRICS_FILES_PMU_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/machine/cpu.h"

/* An event that a model's files name. */
struct td_model_event {
	char *name; /* lower case: "inst_retired.any" */
	char *pmu; /* "cpu_core", "uncore_imc"; "cpu": the core PMU of a machine with one */
	char *terms; /* as a PMU takes them: "event=0xd1,umask=0x1"; no period */
	char *desc;  /* one line; NULL: none */
	char *topic;           /* "cache": the file it stands in */
	double retire_latency; /* the mean, in cycles; NaN: not known */
};

/* When a metric's events need not be counted in one group. */
enum td_apart {
	TD_APART_NEVER,
	TD_APART_ALWAYS,
	TD_APART_NMI, /* while the NMI watchdog has a counter */
	TD_APART_SMT, /* with hyper-threading */
};

/* A metric that they define. */
struct td_model_metric {
	char *name;
	char *pmu;       /* as above */
	char *groups;    /* "TopdownL1;tma_L1_group"; NULL: none */
	char *desc;      /* NULL: none */
	char *unit;      /* ScaleUnit: "100%"; NULL: none */
	char *formula;   /* metrics/formula/expr.h */
	char *threshold; /* NULL: none */
	enum td_apart apart;
};

/* A file of nothing but events, of which nobody asked for one so far. */
struct td_events_file {
	char *path, *text;
};

/*
 * One model's files: <root>/<model>/<topic>.json.  They are large: those of
 * the units outside of the cores are read when they are asked for, and those
 * of nothing but events are parsed one by one until an event is found.
 */
struct td_pmu_events {
	char *dir; /* "<root>/alderlake" */
	struct td_events_file *unread;
	size_t nr_unread;
	struct td_model_event *events; /* sorted by name, then pmu */
	size_t nr_events;
	struct td_model_metric *metrics; /* sorted by name, then pmu */
	size_t nr_metrics;
	bool has_uncore;
	bool perfmon; /* intel/perfmon's files, not the kernel tree's */
	bool uncore_read;
	size_t nr_skipped; /* metrics of perfmon that cannot be computed here */
	char *skipped;     /* the first of them, and why; NULL: none */
};

/*
 * Reads what root has of this processor's cores.  root is told by its shape: a
 * folder such as tools/perf/pmu-events/arch/x86 of the kernel (a mapfile.csv
 * with four columns), a checkout of intel/perfmon (a mapfile.csv with seven),
 * or one model's folder of the former (no mapfile.csv: it is taken whatever the
 * processor is).  -ENOENT: no such folder, or no line of the map is this
 * processor's.  -EINVAL: a file makes no sense; the message says which and
 * where.  Free with td_pmu_events_free(), whatever the result.  All metrics are
 * there afterwards; of events, those of td_pmu_events_find().
 */
int td_pmu_events_read(struct td_pmu_events *out, const char *root,
		       const struct td_cpuid *cpuid, struct td_err *err);
/*
 * The files of the other units, too; twice is once.  What was found before
 * moves.
 */
int td_pmu_events_read_uncore(struct td_pmu_events *events,
			      const struct td_cpuid *cpuid, struct td_err *err);
/* All events, too, of what was read. */
int td_pmu_events_parse_all(struct td_pmu_events *events, struct td_err *err);
void td_pmu_events_free(struct td_pmu_events *events);

/*
 * By name, in any case, of a PMU ("cpu_core"; "uncore_cha_0" has the events of
 * "uncore_cha").  *out: NULL if there is none, else valid until the next
 * search; its texts stay as long as events.  -EINVAL: as above.
 */
int td_pmu_events_find(struct td_pmu_events *events, const char *pmu,
		       const char *name, const struct td_model_event **out,
		       struct td_err *err);

#endif
