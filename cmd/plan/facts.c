// SPDX-License-Identifier: GPL-2.0-only
/* What the model's files say about a metric. */
#include "cmd/plan/facts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cmd/plan/catalog.h"
#include "metrics/files/pmu_events.h"
#include "metrics/verdict/node_events.h"

static bool is_in_group(const struct td_model_metric *metric, const char *group)
{
	const char *list = metric->groups ? metric->groups : "";
	char name[TD_GROUP_NAME];

	while (td_next_group(&list, name)) {
		if (strcmp(name, group) == 0)
			return true;
	}
	return false;
}

/*
 * Returns 1 if the PMU has it, or the machine the PMU of "ibs_op/cnt_ctl=1/" (that of a
 * recording is not here), 0, or -ENOMEM.
 */
static int has_event(struct td_catalog *catalog, const char *pmu,
		     const char *name)
{
	const struct td_model_event *event;
	struct td_err unused;
	int rc;

	if (strchr(name, '/'))
		return td_pmu_exists(catalog->fs, name);
	rc = td_pmu_events_find(&catalog->events, pmu, name, &event, &unused);
	return rc == -ENOMEM ? rc : !rc && event;
}

/*
 * Writes the first event of "A.B|A.C" that the PMU has.  Returns 1, 0 if it has
 * none, or -ENOMEM.
 */
static int choose_event(struct td_catalog *catalog, const char *pmu,
			const char *names, size_t len,
			char name[TD_SAMPLED_SIZE])
{
	const char *end = names + len;
	int rc = 0;

	for (; !rc && names < end; names += len + 1) {
		len = strcspn(names, "|;");
		if (len >= TD_SAMPLED_SIZE)
			continue;
		snprintf(name, TD_SAMPLED_SIZE, "%.*s", (int)len, names);
		rc = has_event(catalog, pmu, name);
	}
	return rc;
}

/* Takes the events of "A.B;C.D" that the PMU has. */
static int take_events(struct td_catalog *catalog, const char *pmu,
		       const char *names, struct td_metric_facts *facts)
{
	int rc = 0;

	while (rc >= 0 && facts->nr_events < TD_MAX_SAMPLED && *names) {
		size_t len = strcspn(names, ";");

		rc = choose_event(catalog, pmu, names, len,
				  facts->events[facts->nr_events]);
		if (rc > 0)
			facts->nr_events++;
		names += len + (names[len] == ';');
	}
	return rc < 0 ? rc : 0;
}

int td_facts_find(void *ctx, const char *pmu, const char *metric,
		  struct td_metric_facts *facts)
{
	struct td_catalog *catalog = ctx;
	struct td_pmu_events *files = &catalog->events;
	const char *sample = NULL;
	char group[TD_GROUP_NAME];
	struct td_err unused;
	int rc;

	*facts = (struct td_metric_facts){ 0 };
	rc = td_catalog_read(catalog, &unused);
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	snprintf(group, sizeof(group), "%s_group", metric);
	for (size_t i = 0; i < files->nr_metrics; i++) {
		const struct td_model_metric *m = &files->metrics[i];

		if (strcmp(pmu, m->pmu) != 0)
			continue;
		if (m->level > facts->levels)
			facts->levels = m->level;
		facts->has_group |= is_in_group(m, group);
		if (strcasecmp(m->name, metric) == 0 && m->sample)
			sample = m->sample;
	}
	if (!sample)
		sample = td_node_events_find(metric);
	return sample ? take_events(catalog, pmu, sample, facts) : 0;
}
