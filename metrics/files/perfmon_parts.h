/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_PERFMON_PARTS_H
#define TD_METRICS_FILES_PERFMON_PARTS_H

#include "metrics/files/parts.h"

/* What perfmon.c is made of. */

struct td_perfmon_file {
	const char *path;   /* "<root>/ADL/events/x.json" */
	const char *folder; /* "ADL" */
	const char *pmu;    /* "cpu_core"; "cpu": of a machine with one */
	const char *topic;  /* "core" */
};

/* Adds the events, the metrics or the retirement latencies that a file has. */
int td_perfmon_parse(struct td_pmu_events *out,
		     const struct td_perfmon_file *file, const char *text,
		     struct td_err *err);

/* An entry of Events is made one of the kernel tree's. */
int td_perfmon_event(const struct td_perfmon_file *file,
		     const struct td_entry *entry, struct td_err *err);
/* Adds an entry of Metrics, or counts it as skipped. */
int td_perfmon_metric(struct td_pmu_events *out,
		      const struct td_perfmon_file *file,
		      const struct td_entry *entry, struct td_err *err);

/* A name in a formula, and what stands for it here. */
struct td_perfmon_alias {
	const char *alias; /* borrowed */
	char *text;
};

struct td_perfmon_aliases {
	struct td_perfmon_alias *v;
	size_t nr;
};

/*
 * Adds what an event or a constant of a metric is here: "UOPS_RETIRED.MS:c1:e1"
 * is "cpu_core@UOPS_RETIRED.MS\,cmask\=1\,edge\=1@".  tma: of a metric of the
 * top-down method.  -EINVAL: there is nothing like it.
 */
int td_perfmon_add_event(struct td_perfmon_aliases *aliases, const char *alias,
			 const char *name, const char *pmu, struct td_err *err);
int td_perfmon_add_constant(struct td_perfmon_aliases *aliases,
			    const char *alias, const char *name, bool tma,
			    struct td_err *err);
void td_perfmon_aliases_free(struct td_perfmon_aliases *aliases);

/* *out to be freed; -EINVAL: not a formula. */
int td_perfmon_formula(const struct td_perfmon_aliases *aliases,
		       const char *text, char **out, struct td_err *err);
/*
 * A threshold names metrics: "metric_TMA_..Fetch_Latency(%) > 10".  fractions:
 * it compares what is in per cent with fractions of one.
 */
int td_perfmon_threshold(const char *text, bool fractions, char **out,
			 struct td_err *err);
/*
 * "tma_fetch_latency" of what text begins with, len bytes of it; *out to be
 * freed.  -EINVAL: not a metric of the top-down method.
 */
int td_perfmon_name(const char *text, size_t len, char **out,
		    struct td_err *err);

#endif
