// SPDX-License-Identifier: GPL-2.0-only
/* Items that match the patterns, and close names for patterns without a match. */
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/list/parts.h"
#include "lib/base/util.h"

/* Names of sections: those that perf list accepts, and the kinds in tdstat list -j. */
static const struct {
	const char *word;
	unsigned int kinds;
} sections[] = {
	{ "hw", TD_LIST_BIT(TD_LIST_HARDWARE) },
	{ "hardware", TD_LIST_BIT(TD_LIST_HARDWARE) },
	{ "cache", TD_LIST_BIT(TD_LIST_CACHE) },
	{ "hwcache", TD_LIST_BIT(TD_LIST_CACHE) },
	{ "pmu", TD_LIST_BIT(TD_LIST_SYSFS) | TD_LIST_BIT(TD_LIST_MODEL) },
	{ "sysfs", TD_LIST_BIT(TD_LIST_SYSFS) },
	{ "model", TD_LIST_BIT(TD_LIST_MODEL) },
	{ "sw", TD_LIST_BIT(TD_LIST_SOFTWARE) },
	{ "software", TD_LIST_BIT(TD_LIST_SOFTWARE) },
	{ "tool", TD_LIST_BIT(TD_LIST_TOOL) },
	{ "tracepoint", TD_LIST_BIT(TD_LIST_TRACEPOINT) },
	{ "metric", TD_LIST_BIT(TD_LIST_METRIC) },
	{ "metrics", TD_LIST_BIT(TD_LIST_METRIC) },
	{ "metricgroup", TD_LIST_BIT(TD_LIST_METRICGROUP) },
	{ "metricgroups", TD_LIST_BIT(TD_LIST_METRICGROUP) },
};

static void read_pattern(struct td_list_pattern *pattern, const char *text)
{
	pattern->text = text;
	pattern->is_glob = strpbrk(text, "*?[") != NULL;
	pattern->closest.wanted = text;
	for (size_t i = 0; i < TD_ARRAY_SIZE(sections); i++) {
		if (strcasecmp(sections[i].word, text) == 0)
			pattern->section = sections[i].kinds;
		else
			td_closest_offer(&pattern->closest, sections[i].word);
	}
}

/* Return the sections to search; only names of tracepoints contain a colon. */
static unsigned int kinds_of(const struct td_list_pattern *pattern)
{
	if (pattern->section)
		return pattern->section;
	return strchr(pattern->text, ':') ? TD_LIST_BIT(TD_LIST_TRACEPOINT) : TD_LIST_ALL;
}

/*
 * If metrics are requested as a section with names, as in "metrics tma_mem*", only list metrics
 * with these names.  Other sections are shorter, and their names have less in common.
 */
static void narrow(struct td_list *list)
{
	const unsigned int metrics = TD_LIST_BIT(TD_LIST_METRIC) | TD_LIST_BIT(TD_LIST_METRICGROUP);
	unsigned int named = 0;
	bool has_names = false;

	for (size_t i = 0; i < list->nr_patterns; i++) {
		unsigned int kinds = kinds_of(&list->patterns[i]);

		has_names = has_names || kinds == TD_LIST_ALL;
		named |= kinds == TD_LIST_ALL ? 0 : kinds;
	}
	list->narrow = has_names && named && !(named & ~metrics);
	if (list->narrow)
		list->kinds = list->certain = named;
}

void td_list_read_patterns(struct td_list *list)
{
	const struct td_opts *opts = list->opts;

	if (!opts->nr_patterns) {
		list->kinds = list->certain = TD_LIST_ALL;
		return;
	}
	list->patterns = td_calloc(opts->nr_patterns, sizeof(*list->patterns));
	list->nr_patterns = opts->nr_patterns;
	for (size_t i = 0; i < opts->nr_patterns; i++) {
		unsigned int kinds;

		read_pattern(&list->patterns[i], opts->patterns[i]);
		kinds = kinds_of(&list->patterns[i]);
		list->kinds |= kinds;
		list->certain |= kinds == TD_LIST_ALL ? 0 : kinds;
	}
	narrow(list);
}

/* Does the pattern match?  A glob matches the whole name, other text any part of it. */
static bool is_in(const struct td_list_pattern *pattern, const char *name)
{
	if (!name)
		return false;
	if (pattern->is_glob)
		return fnmatch(pattern->text, name, FNM_NOESCAPE | FNM_CASEFOLD) == 0;
	return strcasestr(name, pattern->text) != NULL;
}

static bool is_whole(const struct td_list_pattern *pattern, const char *name)
{
	return name &&
	       (pattern->is_glob ? is_in(pattern, name) : strcasecmp(pattern->text, name) == 0);
}

static bool is_group_of(const struct td_list_pattern *pattern, const char *groups)
{
	td_autofree char *copy = groups ? td_strdup(groups) : NULL;
	char *rest = copy, *group;

	while ((group = strsep(&rest, ";"))) {
		/* globs match groups with case, as with -M */
		if (pattern->is_glob ? fnmatch(pattern->text, group, FNM_NOESCAPE) == 0
				     : is_whole(pattern, group))
			return true;
	}
	return false;
}

static bool is_match(const struct td_list_pattern *pattern, const struct td_list_item *item,
		     bool in_text)
{
	if (pattern->section)
		return pattern->section & TD_LIST_BIT(item->kind);
	if (is_in(pattern, item->name) || is_in(pattern, item->alias) ||
	    is_in(pattern, item->bare) || is_whole(pattern, item->topic) ||
	    is_whole(pattern, item->pmu))
		return true;
	if (item->kind == TD_LIST_METRIC && is_group_of(pattern, item->related))
		return true;
	return in_text && !pattern->is_glob && is_in(pattern, item->desc);
}

static void offer(struct td_closest *closest, const char *name)
{
	if (name)
		td_closest_offer(closest, name);
}

/*
 * Match the item against all patterns.  Each pattern stores whether it matches, or the closest
 * name.
 */
static bool is_wanted(struct td_list *list, const struct td_list_item *item)
{
	bool wanted = list->nr_patterns == 0;

	for (size_t i = 0; i < list->nr_patterns; i++) {
		struct td_list_pattern *pattern = &list->patterns[i];

		if (is_match(pattern, item, list->opts->request.verbose)) {
			pattern->has_match = true;
			wanted = wanted || !list->narrow || !pattern->section;
		} else if (!pattern->has_match) {
			offer(&pattern->closest, item->name);
			offer(&pattern->closest, item->alias);
			offer(&pattern->closest, item->bare);
		}
	}
	return wanted;
}

static int no_match(const struct td_list *list, const struct td_list_pattern *pattern,
		    struct td_err *err)
{
	if (pattern->section)
		return td_err_set(err, -ENOENT, "%s: this machine has none", pattern->text);
	td_err_set(err, -ENOENT, "nothing %s '%s'", pattern->is_glob ? "matches" : "is called",
		   pattern->text);
	err->usage = true;
	if (pattern->closest.best[0] && !pattern->is_glob)
		return td_err_hint(err, "did you mean '%s'?", pattern->closest.best);
	if (!list->machine.nr_core)
		return td_err_hint(
			err,
			"this machine shows no PMU of its cores: tdstat list --model NAME lists "
			"the events of a processor, such as alderlake");
	return td_err_hint(err, "tdstat list without a pattern shows everything");
}

int td_list_check(struct td_list *list, struct td_err *err)
{
	for (size_t i = 0; i < list->nr_patterns; i++) {
		struct td_err why = { 0 };

		if (list->patterns[i].has_match)
			continue;
		if (!list->nr_items)
			return no_match(list, &list->patterns[i], err);
		no_match(list, &list->patterns[i], &why);
		td_notes_add(&list->notes, "%s%s%s", why.msg, why.hint[0] ? ": " : "", why.hint);
	}
	return 0;
}

/* --- items, and their strings ------------------------------------------------ */

void td_list_add(struct td_list *list, const struct td_list_item *item)
{
	if (is_wanted(list, item))
		td_array_push(&list->items, &list->nr_items, item, sizeof(*item));
}

/* Let the list own the string. */
static const char *own(struct td_list *list, char *text)
{
	td_array_push(&list->strings.v, &list->strings.nr, &text, sizeof(text));
	return text;
}

const char *td_list_format(struct td_list *list, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	td_vasprintf(&text, fmt, ap);
	va_end(ap);
	return own(list, text);
}

const char *td_list_encode(struct td_list *list, const struct td_event *event,
			   const struct td_pmu *pmu, const char *pmu_name, const char *terms)
{
	char *text = NULL;
	size_t size;
	FILE *fp;

	if (list->opts->request.show.format != TD_FORMAT_JSON && !list->opts->request.verbose)
		return NULL;
	fp = td_open_memstream(&text, &size);
	td_encoding_put(fp, pmu, pmu_name, event, terms);
	td_text_close(fp, &text);
	return own(list, text);
}

void td_list_miss(struct td_list *list, unsigned int kinds, const char *what, const char *why)
{
	td_notes_add(list->certain & kinds ? &list->notes : &list->missing, "%s: %s", what, why);
}
