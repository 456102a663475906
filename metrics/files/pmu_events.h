/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/files: reads the event and metric files of a processor model.
 *
 * In: the kernel tree's pmu-events.
 * Out: struct td_pmu_events.
 */
#pragma once

#include "lib/base/suggest.h"
#include "lib/machine/cpu.h"

/* An event of a model's files. */
struct td_model_event {
	char *name;            /* lower case: "inst_retired.any" */
	char *pmu;             /* "cpu_core", "uncore_imc"; "cpu": the only core PMU */
	char *terms;           /* "event=0xd1,umask=0x1,period=1000003" */
	char *desc;            /* one line; NULL: none */
	char *topic;           /* base name of its file: "cache" */
	double retire_latency; /* mean, in cycles; NaN: not known */
	/* errata that may make it miscount, such as "HSD29, HSM30"; NULL: none */
	char *errata;
};

/* Conditions for splitting the events of a metric over groups (MetricConstraint). */
enum td_split {
	TD_SPLIT_NEVER,
	TD_SPLIT_ALWAYS,
	TD_SPLIT_NMI, /* split while the NMI watchdog uses a counter */
	TD_SPLIT_SMT, /* split with hyper-threading */
};

/*
 * Values of td_model_metric.pmu that are not PMUs: a metric of each core type, and one that
 * uses no event of a core.
 */
#define TD_EACH_CORE "each core"
#define TD_NO_CORE   "the machine"

/* Is the name in a formula an event that cores count? */
bool td_is_core_event(const char *name);

/* A metric of a model's files, or one that all models have in common. */
struct td_model_metric {
	char *name;
	char *pmu;       /* as in td_model_event, or TD_EACH_CORE, TD_NO_CORE */
	char *groups;    /* "TopdownL1;tma_L1_group"; NULL: none */
	int level;       /* level in the tree; 0: outside of the tree */
	char *parent;    /* parent one level up; NULL: none */
	char *desc;      /* NULL: none */
	char *unit;      /* ScaleUnit: "100%"; NULL: none */
	char *formula;   /* metrics/formula/expr.h */
	char *threshold; /* NULL: none */
	/* events to sample to find the code behind the metric: "A.B;C.D"; NULL: none */
	char *sample;
	char *errata; /* errata of the events in its formula; NULL: none */
	enum td_split split;
};

/*
 * One model's files: <root>/<model>/<topic>.json.  They are large.  Files of uncore units and
 * of metrics that perf's build generates are read only on request.  Files with only events are
 * parsed one by one until an event is found.
 */
struct td_pmu_events {
	char *dir; /* "<root>/alderlake"; NULL: the model has no files */
	/* "v1.39", or "v1.39 of Linux 7.2.13, TMA 5.1"; NULL: unknown */
	char *version;
	/* A file that contains only events.  It is not parsed until one of them is needed. */
	struct td_events_file {
		char *path, *text;
	} * unread;
	size_t nr_unread;
	struct td_model_event *events; /* sorted by name, then pmu */
	size_t nr_events;
	struct td_model_metric *metrics; /* sorted by name, then pmu */
	size_t nr_metrics;
	bool has_uncore, uncore_read;
};

/*
 * Reads the files for this processor's cores.  If root contains a mapfile.csv, it is the kernel's
 * tools/perf/pmu-events/arch/x86; otherwise it is the directory of one model, which is used for any
 * processor.  All metrics are read, including those that all models have in common; the functions
 * below read events.
 *
 * Returns -ENOENT if there is no such directory or no line of the map matches; then only the common
 * metrics are read, and out->dir is NULL.  Returns -EINVAL if a file cannot be parsed; the message
 * contains file and position.  Call td_pmu_events_free() even after an error.
 */
int td_pmu_events_read(struct td_pmu_events *out, const char *root, const struct td_cpuid *cpuid,
		       struct td_err *err);
/*
 * Finds a processor whose files are in this directory of root, ignoring case.  Returns 1 if
 * there is none.  Offers all directories to near.  root must contain the kernel's mapfile.csv.
 */
int td_pmu_events_find_model(const char *root, const char *folder, struct td_suggest *near,
			     struct td_cpuid *out, struct td_err *err);
/*
 * Reads the files of the uncore units as well, unless this was done before.  Pointers to events and
 * metrics become invalid, but pointers to their texts do not, because a tree that is being built
 * borrows the texts of metrics.
 */
int td_pmu_events_read_uncore(struct td_pmu_events *events, struct td_err *err);
/* Parses the files that were read and contain this name of an event. */
int td_pmu_events_parse_with(struct td_pmu_events *events, const char *name, struct td_err *err);
/* Parses all files that were read, so that events is complete. */
int td_pmu_events_parse_all(struct td_pmu_events *events, struct td_err *err);
/* Adds the note "the files are DIR, v1.39 of Linux 7.2.13, TMA 5.1". */
void td_pmu_events_note(const struct td_pmu_events *events, struct td_notes *notes);
/*
 * Removes the corrections from Intel's formulas of level 1.  For counts without
 * the events (INT_MISC.*) that correct the fields of PERF_METRICS.
 */
void td_pmu_events_leave_uncorrected(struct td_pmu_events *events);
void td_pmu_events_free(struct td_pmu_events *events);

/*
 * Finds an event of a PMU by name, in upper or lower case; "uncore_cha_0" has the events of
 * "uncore_cha".  Sets *out to NULL if there is none.  *out is valid until the next search, its
 * strings as long as events.  Returns -EINVAL if a file cannot be parsed.
 */
int td_pmu_events_find(struct td_pmu_events *events, const char *pmu, const char *name,
		       const struct td_model_event **out, struct td_err *err);

/* text.c: does the description say that the metric is an estimate?  NULL: no. */
bool td_is_estimate(const char *desc);

#define TD_GROUP_NAME 128 /* longer group names are ignored */

/* Copies the next name of a list "a;b;c", and moves *list after it.  Returns false at the end. */
bool td_next_group(const char **list, char name[TD_GROUP_NAME]);

/*
 * Returns the level of a metric of the kernel tree's files, which only its groups
 * contain; 0: outside of the tree.
 */
int td_groups_level(const char *metric, const char *groups);
/*
 * Sets the parents of the metrics below level 1, starting at index first.  The parent is
 * the metric one level up whose group contains this one, or NULL.  Earlier metrics are
 * left unchanged, because trees borrow their parents.
 */
void td_pmu_events_find_parents(struct td_pmu_events *events, size_t first);
