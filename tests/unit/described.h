/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_DESCRIBED_H
#define TD_TEST_DESCRIBED_H

#include <math.h>
#include <stdio.h>

#include "metrics/files/pmu_events.h"

/* Describes the content of event and metric files in one text. */

static const char *const test_splits[] = {
	[TD_SPLIT_NEVER] = "never",
	[TD_SPLIT_ALWAYS] = "always",
	[TD_SPLIT_NMI] = "nmi",
	[TD_SPLIT_SMT] = "smt",
};

static inline const char *test_or_empty(const char *text)
{
	return text ? text : "";
}

static inline void test_describe_event(FILE *fp, const struct td_model_event *event)
{
	fprintf(fp, "%s/%s/%s", event->pmu, event->name, event->terms);
	if (!isnan(event->retire_latency))
		fprintf(fp, " R=%g", event->retire_latency);
	if (event->errata)
		fprintf(fp, " E=%s", event->errata);
	fprintf(fp, "%s%s;", event->desc ? " " : "", test_or_empty(event->desc));
}

static inline void test_describe_metric(FILE *fp, const struct td_model_metric *metric)
{
	fprintf(fp, "%s:%s:%s:%s:%s:%s:%s%s%s", metric->pmu, metric->name,
		test_or_empty(metric->groups), test_or_empty(metric->unit), metric->formula,
		test_or_empty(metric->threshold), test_splits[metric->split],
		metric->desc ? " " : "", test_or_empty(metric->desc));
	if (metric->sample)
		fprintf(fp, " S=%s", metric->sample);
	if (metric->errata)
		fprintf(fp, " E=%s", metric->errata);
	fputc(';', fp);
}

/*
 * "pmu/name/terms R=latency E=errata desc;" of each event, then of each metric
 * "pmu:name:groups:unit:formula:threshold:split desc S=sample E=errata;".  To be
 * freed.
 */
static inline char *test_describe(const struct td_pmu_events *events)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	for (size_t i = 0; i < events->nr_events; i++)
		test_describe_event(fp, &events->events[i]);
	for (size_t i = 0; i < events->nr_metrics; i++)
		test_describe_metric(fp, &events->metrics[i]);
	fclose(fp);
	return text;
}

#endif
