/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_PERFMON_PARTS_H
#define TD_METRICS_FILES_PERFMON_PARTS_H

/*
 * Reads a checkout of intel/perfmon into the kernel tree's form: names as perf
 * spells them, formulas as metrics/formula/expr.h reads them.
 */
#include "metrics/files/parts.h"

/*
 * Reads the files of the processor's cores; map was begun with td_map_begin().
 */
int td_perfmon_read(struct td_pmu_events *out, const char *root,
		    struct td_map *map, struct td_err *err);
/* Reads the files of the uncore units. */
int td_perfmon_read_uncore(struct td_pmu_events *out, const char *root,
			   struct td_map *map, struct td_err *err);

/* --- the parts of it ------------------------------------------------------ */

struct td_perfmon_file {
	const char *path;   /* "<root>/ADL/events/x.json" */
	const char *folder; /* "ADL" */
	const char *pmu;    /* "cpu_core"; "cpu": the only core PMU */
	const char *topic;  /* "core" */
};

/* Adds the events, the metrics or the retirement latencies of a file. */
int td_perfmon_parse(struct td_pmu_events *out,
		     const struct td_perfmon_file *file, const char *text,
		     struct td_err *err);

/* Converts an entry of Events into the kernel tree's form. */
int td_perfmon_event(const struct td_perfmon_file *file,
		     const struct td_entry *entry, struct td_err *err);
/*
 * Adds an entry of Metrics, or counts it as skipped if it cannot be translated.
 */
int td_perfmon_metric(struct td_pmu_events *out,
		      const struct td_perfmon_file *file,
		      const struct td_entry *entry, struct td_err *err);

/* A letter in a formula, and the text that replaces it. */
struct td_perfmon_alias {
	const char *alias; /* borrowed */
	char *text;
};

struct td_perfmon_aliases {
	struct td_perfmon_alias *v;
	size_t nr;
};

/*
 * Add the replacement for an event or a constant of a metric:
 * "UOPS_RETIRED.MS:c1:e1" becomes
 * "cpu_core@UOPS_RETIRED.MS\,cmask\=1\,edge\=1@".  tma: the metric is one of
 * the top-down method.  Return -EINVAL if there is no replacement.
 */
int td_perfmon_add_event(struct td_perfmon_aliases *aliases, const char *alias,
			 const char *name, const char *pmu, struct td_err *err);
int td_perfmon_add_constant(struct td_perfmon_aliases *aliases,
			    const char *alias, const char *name, bool tma,
			    struct td_err *err);
void td_perfmon_aliases_free(struct td_perfmon_aliases *aliases);

/*
 * Translates a formula into *out, to be freed.  Returns -EINVAL if it is not
 * one.
 */
int td_perfmon_formula(const struct td_perfmon_aliases *aliases,
		       const char *text, char **out, struct td_err *err);
/*
 * Translates a threshold, which names metrics: "metric_TMA_..Fetch_Latency(%) >
 * 10".  fractions: it compares percentages with fractions of one.
 */
int td_perfmon_threshold(const char *text, bool fractions, char **out,
			 struct td_err *err);
/*
 * Translates the name of a metric, len bytes of text:
 * "metric_TMA_..Fetch_Latency(%)" becomes "tma_fetch_latency".  *out is to be
 * freed.  Returns -EINVAL if it is no metric of the top-down method.
 */
int td_perfmon_name(const char *text, size_t len, char **out,
		    struct td_err *err);

#endif
