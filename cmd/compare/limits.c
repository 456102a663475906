// SPDX-License-Identifier: GPL-2.0-only
/* --fail-above: nodes that must not grow. */
#include "cmd/compare/limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/suggest.h"
#include "lib/base/util.h"

#define OPTION "--fail-above"

static int wrong(struct td_err *err, const char *item, size_t len)
{
	td_err_usage(err, OPTION " %.*s: not NODE:POINTS", (int)len, item);
	return td_err_hint(err, "as in " OPTION " tma_memory_bound:2");
}

/* No sign, exponent or "inf" is meant. */
static bool read_points(const char *text, size_t len, double *points)
{
	char *end;

	if (!len || strspn(text, "0123456789.") < len)
		return false;
	*points = strtod(text, &end);
	return end == text + len;
}

/* "tma_memory_bound:2", of len letters */
static int add(struct td_limits *limits, const char *item, size_t len,
	       struct td_err *err)
{
	const char *colon = memrchr(item, ':', len);
	size_t name = colon ? (size_t)(colon - item) : 0;
	struct td_limit *limit;
	double points;

	if (!name || !read_points(colon + 1, len - name - 1, &points))
		return wrong(err, item, len);
	limit = td_array_add(&limits->v, limits->nr, sizeof(*limit));
	if (!limit)
		return td_err_nomem(err);
	limit->name = strndup(item, name);
	limit->points = points;
	limits->nr++;
	return limit->name ? 0 : td_err_nomem(err);
}

int td_limits_parse(struct td_limits *limits, const char *text,
		    struct td_err *err)
{
	int rc = 0;

	*limits = (struct td_limits){ 0 };
	while (text && !rc) {
		size_t len = strcspn(text, ",");

		rc = add(limits, text, len, err);
		text = text[len] ? text + len + 1 : NULL;
	}
	return rc;
}

static bool is_of(const struct td_limit *limit, const struct td_diff_row *row)
{
	return row->kind == TD_DIFF_METRIC && row->level &&
	       row->unit[0] == '%' && strcmp(row->name, limit->name) == 0;
}

static bool has_node(const struct td_diff *diff, const struct td_limit *limit)
{
	for (size_t i = 0; i < diff->nr; i++) {
		if (is_of(limit, &diff->rows[i]))
			return true;
	}
	return false;
}

static int no_node(const struct td_diff *diff, const char *name,
		   struct td_err *err)
{
	struct td_suggest suggest = { .wanted = name };
	bool nodes = false;
	char text[256];

	for (size_t i = 0; i < diff->nr; i++) {
		nodes |= diff->rows[i].level > 0;
		if (diff->rows[i].level)
			td_suggest_offer(&suggest, diff->rows[i].name, NULL);
	}
	if (!nodes)
		return td_err_usage(err, OPTION " is for nodes of the tree, "
						"and events were compared");
	td_err_usage(err, OPTION " %s: no node that was compared", name);
	td_suggest_format(&suggest, text, sizeof(text));
	if (text[0])
		td_err_hint(err, "did you mean %s?", text);
	return err->code;
}

int td_limits_check(const struct td_limits *limits, const struct td_diff *diff,
		    struct td_err *err)
{
	for (size_t i = 0; i < limits->nr; i++) {
		if (!has_node(diff, &limits->v[i]))
			return no_node(diff, limits->v[i].name, err);
	}
	return 0;
}

static bool exceeds(const struct td_limit *limit, const struct td_diff_row *row,
		    struct td_notes *notes)
{
	const struct td_diff_value *v = &row->value;

	if (!is_of(limit, row) || !(v->diff > limit->points))
		return false;
	if (v->clear)
		td_notes_add(notes,
			     OPTION ": %s of %s grew by %.2f points, by more "
				    "than %g",
			     row->name, row->pmu, v->diff, limit->points);
	else if (isnan(v->chance))
		td_notes_add(notes,
			     OPTION ": %s of %s grew by %.2f points, but it is "
				    "not known by how much it varies: not "
				    "counted as a failure",
			     row->name, row->pmu, v->diff);
	return v->clear;
}

bool td_limits_exceeded(const struct td_limits *limits,
			const struct td_diff *diff, struct td_notes *notes)
{
	bool exceeded = false;

	for (size_t i = 0; i < limits->nr; i++) {
		for (size_t r = 0; r < diff->nr; r++)
			exceeded |=
				exceeds(&limits->v[i], &diff->rows[r], notes);
	}
	return exceeded;
}

void td_limits_free(struct td_limits *limits)
{
	for (size_t i = 0; i < limits->nr; i++)
		free(limits->v[i].name);
	free(limits->v);
	*limits = (struct td_limits){ 0 };
}
