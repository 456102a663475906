/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/files: reads the event and metric files of a processor model.
 *
 * In: the kernel tree's pmu-events, or a checkout of intel/perfmon.
 * Out: struct td_pmu_events, with events and metrics in the kernel tree's form
 * for both.
 */
#ifndef TD_METRICS_FILES_PMU_EVENTS_H
#define TD_METRICS_FILES_PMU_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/base/suggest.h"
#include "lib/machine/cpu.h"

/* An event of a model's files. */
struct td_model_event {
	char *name;  /* lower case: "inst_retired.any" */
	char *pmu;   /* "cpu_core", "uncore_imc"; "cpu": the only core PMU */
	char *terms; /* "event=0xd1,umask=0x1", without a sample period */
	char *desc;  /* one line; NULL: none */
	char *topic; /* base name of its file: "cache" */
	double retire_latency; /* mean, in cycles; NaN: not known */
	char *errata; /* "HSD29, HSM30", by which it may count wrongly; NULL */
};

/* When the events of a metric may be split over groups (MetricConstraint). */
enum td_split {
	TD_SPLIT_NEVER,
	TD_SPLIT_ALWAYS,
	TD_SPLIT_NMI, /* while the NMI watchdog uses a counter */
	TD_SPLIT_SMT, /* with hyper-threading */
};

/*
 * In place of the PMU: of a metric that each kind of core has, and of one that
 * counts nothing but what the kernel counts by itself.
 */
#define TD_EACH_CORE "each core"
#define TD_NO_CORE   "the machine"

/* Does the name in a formula mean an event that cores count? */
bool td_is_core_event(const char *name);

/* A metric of a model's files, or one that all models have in common. */
struct td_model_metric {
	char *name;
	char *pmu;       /* as above, or TD_EACH_CORE, TD_NO_CORE */
	char *groups;    /* "TopdownL1;tma_L1_group"; NULL: none */
	int level;       /* in the tree; 0: outside of it */
	char *parent;    /* the metric one level up; NULL: none */
	char *desc;      /* NULL: none */
	char *unit;      /* ScaleUnit: "100%"; NULL: none */
	char *formula;   /* metrics/formula/expr.h */
	char *threshold; /* NULL: none */
	/* the events to sample to find the places: "A.B;C.D"; NULL: none */
	char *sample;
	char *errata; /* of the events of its formula; NULL: none is known */
	enum td_split split;
};

/* A file with only events, not parsed yet because none of them was needed. */
struct td_events_file {
	char *path, *text;
};

/*
 * One model's files: <root>/<model>/<topic>.json.  They are large, so those of
 * uncore units and of what perf's build makes are read only on request, and those with only events are parsed
 * one by one until an event is found.
 */
struct td_pmu_events {
	char *descriptions; /* of files that are packed, mapped; NULL: not yet */
	size_t descriptions_size;
	char *dir; /* "<root>/alderlake"; NULL: the model has no files */
	/*
	 * "v1.39", or "v1.39 of Linux 7.2.13, TMA 5.1"; perfmon's: "TMA 5.1".
	 * NULL: unknown
	 */
	char *version;
	struct td_events_file *unread;
	size_t nr_unread;
	struct td_model_event *events; /* sorted by name, then pmu */
	size_t nr_events;
	struct td_model_metric *metrics; /* sorted by name, then pmu */
	size_t nr_metrics;
	bool has_uncore;
	bool packed;  /* the files are (metrics/files/parts.h) */
	bool perfmon; /* the files are intel/perfmon's, not the kernel tree's */
	bool uncore_read;
	size_t nr_skipped; /* metrics of perfmon that cannot be computed here */
	char *skipped;     /* the first of them and the reason; NULL: none */
};

/*
 * Reads the files for this processor's cores.  The content of root tells its
 * kind: a mapfile.csv with four columns is the kernel's
 * tools/perf/pmu-events/arch/x86, one with seven columns a checkout of
 * intel/perfmon, and a folder without mapfile.csv is one model's folder of the
 * kernel, which is used for any processor.  All metrics are read, also those
 * that all models have in common; events are read by the functions
 * below.
 *
 * Returns -ENOENT if there is no such folder or no line of the map matches; then
 * only what models have in common is read, and out->dir is NULL.  Returns
 * -EINVAL if a file cannot be parsed; the message has file and position.  Free
 * with td_pmu_events_free() even after an error.
 */
int td_pmu_events_read(struct td_pmu_events *out, const char *root,
		       const struct td_cpuid *cpuid, struct td_err *err);
/*
 * find.c: finds a processor whose files are in this folder of root, in any
 * case.  Returns 1 if there is none; near is offered all folders.  Only the
 * kernel's mapfile.csv names folders.
 */
int td_pmu_events_find_model(const char *root, const char *folder,
			     struct td_suggest *near, struct td_cpuid *out,
			     struct td_err *err);
/*
 * Reads the files of the uncore units, too, unless that was done.  Pointers to
 * events and metrics become invalid, but the texts of both stay where they are:
 * a tree that is being built borrows those of the metrics.
 */
int td_pmu_events_read_uncore(struct td_pmu_events *events,
			      const struct td_cpuid *cpuid, struct td_err *err);
/* Parses all files that were read, so that all their events are there. */
int td_pmu_events_parse_all(struct td_pmu_events *events, struct td_err *err);
/* Says which files they are: "the files are DIR, v1.39 of Linux 7.2.13,
 * TMA 5.1". */
void td_pmu_events_note(const struct td_pmu_events *events,
			struct td_notes *notes);
/*
 * level.c: for counts without the events (INT_MISC.*) by which Intel's
 * formulas of level 1 correct the fields of PERF_METRICS.
 */
void td_pmu_events_leave_uncorrected(struct td_pmu_events *events);
void td_pmu_events_free(struct td_pmu_events *events);

/*
 * Finds an event of a PMU by name, in any case; "uncore_cha_0" has the events
 * of "uncore_cha".  *out is NULL if there is none, else valid until the next
 * search; its strings live as long as events.  Returns -EINVAL if a file cannot
 * be parsed.
 */
int td_pmu_events_find(struct td_pmu_events *events, const char *pmu,
		       const char *name, const struct td_model_event **out,
		       struct td_err *err);

/* text.c: does the description, which may be NULL, call the metric an estimate? */
bool td_is_estimate(const char *desc);

/* --- level.c -------------------------------------------------------------- */

#define TD_GROUP_NAME 128 /* longer group names are ignored */

/*
 * Reads the next name of "a;b;c", and moves *list behind it.  Returns false at
 * the end.
 */
bool td_next_group(const char **list, char name[TD_GROUP_NAME]);

/*
 * The level of a metric of the kernel tree's files, which only its groups tell;
 * 0: outside of the tree.
 */
int td_groups_level(const char *metric, const char *groups);
/*
 * Sets the parent of each metric below level 1, from the metric with the index
 * first on: the metric one level up that is set already, or else whose group
 * contains this one; NULL if there is none.  Trees borrow the parents of the
 * metrics before first.  Returns 0 or -ENOMEM.
 */
int td_pmu_events_find_parents(struct td_pmu_events *events, size_t first);

#endif
