// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/util.h"
#include "metrics/files/parts.h"
#include "metrics/files/pmu_events.h"
#include "metrics/files/text.h"

/* Units whose PMU is not called "uncore_" and the unit's name. */
static const struct {
	const char *unit, *pmu;
} units[] = {
	{ "CBO", "uncore_cbox" },   { "DFPMC", "amd_df" },
	{ "L3PMC", "amd_l3" },      { "QPI LL", "uncore_qpi" },
	{ "SBO", "uncore_sbox" },   { "UMCPMC", "amd_umc" },
	{ "UPI LL", "uncore_upi" }, { "iMPH-U", "uncore_arb" },
};

/*
 * The PMU of a unit.  "cpu_core" and "cpu_atom" of hybrid models are PMU names
 * already; no unit means the only core PMU.
 */
static char *pmu_of(const char *unit)
{
	char *name;

	if (!unit || !*unit)
		return strdup("cpu");
	if (strncasecmp(unit, "cpu", 3) == 0)
		return td_lower(strdup(unit));
	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].unit, unit) == 0)
			return strdup(units[i].pmu);
	}
	return asprintf(&name, "uncore_%s", unit) < 0 ? NULL : td_lower(name);
}

static int describe(const struct td_entry *entry, char **out,
		    struct td_err *err)
{
	td_autofree char *desc = NULL;
	struct td_number deprecated;

	if (td_entry_line(entry, "BriefDescription", &desc, err) ||
	    td_entry_number(entry, "Deprecated", &deprecated, err))
		return err->code;
	if (!deprecated.value) {
		*out = desc;
		desc = NULL;
		return 0;
	}
	if (asprintf(out, "%s%s(deprecated)", desc ? desc : "",
		     desc ? " " : "") >= 0)
		return 0;
	*out = NULL;
	return td_err_nomem(err);
}

static int add_event(struct td_pmu_events *out, const struct td_entry *entry,
		     const char *name, struct td_err *err)
{
	struct td_model_event *event;
	const char *unit;

	if (td_entry_text(entry, "Unit", &unit, err))
		return err->code;
	event = td_array_add(&out->events, out->nr_events, sizeof(*event));
	if (!event)
		return td_err_nomem(err);
	out->nr_events++;
	event->name = td_lower(strdup(name));
	event->pmu = pmu_of(unit);
	event->topic = strdup(entry->topic);
	if (!event->name || !event->pmu || !event->topic)
		return td_err_nomem(err);
	if (td_entry_terms(entry, event->name, &event->terms, err) ||
	    td_entry_double(entry, "RetirementLatencyMean",
			    &event->retire_latency, err) ||
	    td_entry_line(entry, "Errata", &event->errata, err))
		return err->code;
	return describe(entry, &event->desc, err);
}

/*
 * Values of MetricConstraint.  Linux 6.1 uses NO_NMI_WATCHDOG for
 * NO_GROUP_EVENTS_NMI.
 */
static const struct {
	const char *word;
	enum td_split split;
} constraints[] = {
	{ "NO_GROUP_EVENTS", TD_SPLIT_ALWAYS },
	{ "NO_GROUP_EVENTS_NMI", TD_SPLIT_NMI },
	{ "NO_GROUP_EVENTS_SMT", TD_SPLIT_SMT },
	{ "NO_NMI_WATCHDOG", TD_SPLIT_NMI },
	{ "NO_THRESHOLD_AND_NMI", TD_SPLIT_NMI },
};

static int read_constraint(const struct td_entry *entry, enum td_split *out,
			   struct td_err *err)
{
	const char *word;
	int rc = td_entry_text(entry, "MetricConstraint", &word, err);

	if (rc || !word)
		return rc;
	for (size_t i = 0; i < TD_ARRAY_SIZE(constraints); i++) {
		if (strcmp(constraints[i].word, word) == 0) {
			*out = constraints[i].split;
			return 0;
		}
	}
	return td_entry_bad(entry, err, "MetricConstraint", "not a known one");
}

/* Not all models' files have both descriptions. */
static int read_sample(const struct td_entry *entry, char **out,
		       struct td_err *err)
{
	const char *desc;
	int rc = td_entry_text(entry, "PublicDescription", &desc, err);

	if (rc)
		return rc;
	return td_sample_from_words(desc, out) ? td_err_nomem(err) : 0;
}

static int fill_metric(struct td_model_metric *metric,
		       const struct td_entry *entry, struct td_err *err)
{
	if (td_entry_line(entry, "MetricGroup", &metric->groups, err) ||
	    td_entry_line(entry, "BriefDescription", &metric->desc, err) ||
	    td_entry_line(entry, "ScaleUnit", &metric->unit, err) ||
	    td_entry_line(entry, "MetricExpr", &metric->formula, err) ||
	    td_entry_line(entry, "MetricThreshold", &metric->threshold, err) ||
	    read_sample(entry, &metric->sample, err) ||
	    read_constraint(entry, &metric->split, err))
		return err->code;
	if (!metric->formula)
		return td_err_set(err, -EINVAL, "%s: %s: no MetricExpr",
				  entry->path, metric->name);
	metric->level = td_groups_level(metric->name, metric->groups);
	return td_unit_from_words(metric, err);
}

static int add_metric(struct td_pmu_events *out, const struct td_entry *entry,
		      const char *name, struct td_err *err)
{
	struct td_model_metric *metric;
	const char *unit;

	if (td_entry_text(entry, "Unit", &unit, err))
		return err->code;
	metric = td_array_add(&out->metrics, out->nr_metrics, sizeof(*metric));
	if (!metric)
		return td_err_nomem(err);
	out->nr_metrics++;
	metric->name = strdup(name);
	metric->pmu = pmu_of(unit);
	if (!metric->name || !metric->pmu)
		return td_err_nomem(err);
	return fill_metric(metric, entry, err);
}

/* Some entries are an event and a metric; those of counter.json are neither. */
int td_entry_add(struct td_pmu_events *out, const struct td_entry *entry,
		 struct td_err *err)
{
	const char *event, *metric;
	int rc;

	if (!json_object_is_type(entry->object, json_type_object))
		return td_err_set(err, -EINVAL, "%s: entry %zu: not an object",
				  entry->path, entry->nr);
	if (td_entry_text(entry, "EventName", &event, err) ||
	    td_entry_text(entry, "MetricName", &metric, err))
		return err->code;
	rc = event && *event ? add_event(out, entry, event, err) : 0;
	if (!rc && metric && *metric)
		rc = add_metric(out, entry, metric, err);
	return rc;
}

/* The topic is the file's base name: "cache" for "x86/alderlake/cache.json". */
static char *topic_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return strndup(name, strcspn(name, "."));
}

static int add_array(struct td_pmu_events *out, const char *path,
		     struct json_object *array, struct td_err *err)
{
	td_autofree char *topic = topic_of(path);
	struct td_entry entry = { .path = path, .topic = topic };
	size_t nr = json_object_array_length(array);
	int rc = topic ? 0 : td_err_nomem(err);

	while (!rc && entry.nr < nr) {
		entry.object = json_object_array_get_idx(array, entry.nr++);
		rc = td_entry_add(out, &entry, err);
	}
	return rc;
}

static int add_packed(struct td_pmu_events *out, const char *path,
		      struct json_object *file, struct td_err *err)
{
	td_autofree char *topic = topic_of(path);

	return topic ? td_packed_add(out, path, topic, file, err)
		     : td_err_nomem(err);
}

int td_pmu_events_parse(struct td_pmu_events *out, const char *path,
			const char *text, struct td_err *err)
{
	struct json_object *array;
	int rc = td_json_parse(path, text, &array, err);

	if (!rc && td_is_packed(text))
		rc = add_packed(out, path, array, err);
	else if (!rc && !json_object_is_type(array, json_type_array))
		rc = td_err_set(err, -EINVAL, "%s: not a JSON array", path);
	else if (!rc)
		rc = add_array(out, path, array, err);
	json_object_put(array);
	return rc;
}

/* --- frees events, metrics and unread files ------------------------------- */

/* Keeps the first ones and frees the others. */
static void free_events(struct td_pmu_events *events, size_t first)
{
	for (size_t i = first; i < events->nr_events; i++) {
		struct td_model_event *event = &events->events[i];

		free(event->name);
		free(event->pmu);
		free(event->terms);
		free(event->desc);
		free(event->topic);
		free(event->errata);
	}
	events->nr_events = first;
}

void td_model_metric_clear(struct td_model_metric *metric)
{
	free(metric->name);
	free(metric->pmu);
	free(metric->groups);
	free(metric->parent);
	free(metric->desc);
	free(metric->unit);
	free(metric->formula);
	free(metric->threshold);
	free(metric->sample);
	free(metric->errata);
	*metric = (struct td_model_metric){ 0 };
}

static void free_metrics(struct td_pmu_events *events, size_t first)
{
	for (size_t i = first; i < events->nr_metrics; i++)
		td_model_metric_clear(&events->metrics[i]);
	events->nr_metrics = first;
}

void td_events_file_clear(struct td_events_file *file)
{
	free(file->path);
	free(file->text);
	*file = (struct td_events_file){ 0 };
}

static void free_unread(struct td_pmu_events *events, size_t first)
{
	for (size_t i = first; i < events->nr_unread; i++)
		td_events_file_clear(&events->unread[i]);
	events->nr_unread = first;
}

void td_pmu_events_keep(struct td_pmu_events *events, size_t nr_events,
			size_t nr_metrics, size_t nr_unread)
{
	free_events(events, nr_events);
	free_metrics(events, nr_metrics);
	free_unread(events, nr_unread);
}

void td_pmu_events_note(const struct td_pmu_events *events,
			struct td_notes *notes)
{
	if (events->dir)
		td_notes_add(notes, "the files are %s%s%s", events->dir,
			     events->version ? ", " : "",
			     events->version ? events->version : "");
}

void td_pmu_events_free(struct td_pmu_events *events)
{
	td_pmu_events_keep(events, 0, 0, 0);
	free(events->events);
	free(events->metrics);
	free(events->unread);
	free(events->dir);
	td_descriptions_close(events);
	free(events->version);
	free(events->skipped);
	*events = (struct td_pmu_events){ 0 };
}
