// SPDX-License-Identifier: GPL-2.0-only
/* --fail-above: limits for the growth of nodes, events and times. */
#include "metrics/diff/diff.h"

#include <math.h>
#include <strings.h>

#include "lib/base/suggest.h"
#include "lib/base/util.h"

#define OPTION "--fail-above"

/* Read a number without sign, exponent or "inf". */
static bool read_points(const char *text, size_t len, double *points)
{
	char *end;

	if (!len || strspn(text, "0123456789.") < len)
		return false;
	*points = strtod(text, &end);
	return end == text + len;
}

/* Parse and add a limit of len characters, such as "tma_memory_bound:2". */
static int add(struct td_limits *limits, const char *item, size_t len, struct td_err *err)
{
	const char *colon = memrchr(item, ':', len);
	size_t name = colon ? (size_t)(colon - item) : 0;
	struct td_limit *limit;
	double points;

	if (name && colon[1] == '-' && read_points(colon + 2, len - name - 2, &points)) {
		td_err_usage(err, OPTION " %.*s: the limit is negative", (int)len, item);
		return td_err_hint(err, "as in " OPTION " %.*s:%g: it may get worse by %g",
				   (int)name, item, points, points);
	}
	if (!name || !read_points(colon + 1, len - name - 1, &points)) {
		td_err_usage(err, OPTION " %.*s: not NAME:NUMBER", (int)len, item);
		return td_err_hint(err, "as in " OPTION " tma_memory_bound:2,elapsed:5");
	}
	limit = td_array_add(&limits->v, limits->nr++, sizeof(*limit));
	limit->name = td_strndup(item, name);
	limit->most = points;
	limit->gate = TD_GATE_TROUBLE;
	limit->found = (struct td_notes){ 0 };
	return 0;
}

int td_limits_parse(struct td_limits *limits, const char *text, struct td_err *err)
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

static bool is_node(const struct td_diff_row *row)
{
	return row->kind == TD_DIFF_METRIC && row->level && row->unit[0] == '%';
}

/* Does the limit name the row?  Case is ignored, and "memory_bound" is tma_memory_bound. */
static bool is_of(const struct td_limit *limit, const struct td_diff_row *row)
{
	if (row->kind == TD_DIFF_METRIC)
		return is_node(row) && td_node_is_called(row->name, limit->name);
	return strcasecmp(row->name, limit->name) == 0;
}

static bool has_row(const struct td_diff *diff, const struct td_limit *limit)
{
	for (size_t i = 0; i < diff->nr; i++) {
		if (is_of(limit, &diff->rows[i]))
			return true;
	}
	return false;
}

static void offer(struct td_suggest *suggest, const struct td_diff *rows)
{
	for (size_t i = 0; i < rows->nr; i++) {
		if (rows->rows[i].kind != TD_DIFF_METRIC || is_node(&rows->rows[i]))
			td_suggest_offer(suggest, rows->rows[i].name, NULL);
	}
}

static int no_row(const struct td_diff *diff, const struct td_diff *nodes, const char *name,
		  struct td_err *err)
{
	struct td_suggest suggest = { .wanted = name };
	char text[256];

	offer(&suggest, diff);
	if (nodes)
		offer(&suggest, nodes);
	td_err_usage(err,
		     OPTION
		     " %s: no node, event, IPC or time (elapsed, user, sys) that is compared",
		     name);
	td_suggest_format(&suggest, text, sizeof(text));
	if (text[0])
		td_err_hint(err, "did you mean %s?", text);
	return err->code;
}

bool td_limits_has(const struct td_limits *limits, const struct td_diff_row *row)
{
	for (size_t i = 0; i < limits->nr; i++) {
		if (is_of(&limits->v[i], row))
			return true;
	}
	return false;
}

const char *td_limits_find_missing(const struct td_limits *limits, const struct td_diff *diff)
{
	for (size_t i = 0; i < limits->nr; i++) {
		if (!has_row(diff, &limits->v[i]))
			return limits->v[i].name;
	}
	return NULL;
}

int td_limits_check(const struct td_limits *limits, const struct td_diff *diff,
		    const struct td_diff *nodes, struct td_err *err)
{
	const char *name = td_limits_find_missing(limits, diff);

	return name ? no_row(diff, nodes, name, err) : 0;
}

/* Return how much worse a row became: nodes in points, others in percent. */
static double growth_of(const struct td_diff_row *row)
{
	const struct td_diff_value *v = &row->value;
	double worse = row->kind == TD_DIFF_IPC ? -1 : 1;

	if (is_node(row) || v->diff == 0)
		return v->diff;
	if (v->of[TD_DIFF_A] == 0) /* growth from 0 has no percentage */
		return worse * v->diff * INFINITY;
	return worse * row->change.pct;
}

/* Return the upper end of the growth's 95 % interval; without an interval, the growth. */
static double max_growth_of(const struct td_diff_row *row)
{
	const struct td_diff_value *v = &row->value;

	if (is_node(row))
		return fmax(v->diff, v->diff + v->error);
	return fmax(growth_of(row), row->kind == TD_DIFF_IPC ? -row->change.low : row->change.high);
}

/*
 * Convert a growth of slots to points of A's slots; NaN: unknown.  A growth of slots is needed
 * because the share of a node also grows if only the rest of the program became faster.
 */
static double slots_in_points(const struct td_diff_row *row, double slots)
{
	return slots / row->slots.of[TD_DIFF_A] * row->value.of[TD_DIFF_A];
}

/* Write "tma_memory_bound of cpu_core". */
static void name_row(const struct td_diff_row *row, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s", row->name, row->pmu ? " of " : "", row->pmu ? row->pmu : "");
}

/* Write "tma_memory_bound of cpu_core grew by 3.25 points". */
static void describe(const struct td_diff_row *row, double growth, char *text, size_t size)
{
	char name[160];

	name_row(row, name, sizeof(name));
	if (isinf(growth))
		snprintf(text, size, "%s grew from 0", name);
	else
		snprintf(text, size, "%s %s by %.2f %s", name,
			 row->kind == TD_DIFF_IPC ? "fell" : "grew", growth,
			 is_node(row) ? "points" : "%");
}

/* Return TD_GATE_UNDECIDED if a row that does not exceed its limit might do so within its error. */
static enum td_gate may_exceed(struct td_limit *limit, const struct td_diff_row *row, double most)
{
	const struct td_diff_value *slots = &row->slots;
	double growth = max_growth_of(row);
	char text[256];

	if (isnan(row->value.chance)) {
		name_row(row, text, sizeof(text));
		td_notes_add(&limit->found, "the noise of %s is unknown: undecided", text);
		return TD_GATE_UNDECIDED;
	}
	if (growth <= most ||
	    slots_in_points(row, fmax(slots->diff, slots->diff + slots->error)) <= most)
		return TD_GATE_PASSED;
	describe(row, growth, text, sizeof(text));
	td_notes_add(&limit->found, "%s%s, and the limit is %g: undecided", text,
		     growth > growth_of(row) ? " at most" : "", limit->most);
	return TD_GATE_UNDECIDED;
}

static enum td_gate exceeds(const struct td_limits *limits, struct td_limit *limit,
			    const struct td_diff_row *row)
{
	const struct td_diff_value *v = &row->value;
	double most = fmax(limit->most, TD_DIFF_MIN);
	bool above = growth_of(row) > most && !(slots_in_points(row, row->slots.diff) <= most);
	char text[256];

	if (limits->bisect && !(above && row->marked))
		return may_exceed(limit, row, most);
	if (!above)
		return TD_GATE_PASSED;
	describe(row, growth_of(row), text, sizeof(text));
	if (row->marked)
		td_notes_add(&limit->found, "%s, by more than %g", text, limit->most);
	else if (isnan(v->chance))
		td_notes_add(&limit->found, "%s, but its noise is unknown: %scounted as a failure",
			     text, limits->strict ? "" : "not ");
	return row->marked || (isnan(v->chance) && limits->strict) ? TD_GATE_EXCEEDED
								   : TD_GATE_PASSED;
}

static void note_lacking(struct td_limit *limit, const char *name)
{
	td_notes_add(&limit->found, "%s has no value on one side: not compared", name);
}

/*
 * Compare the rows of a limit: one for each PMU or thread.  Rows with a value on only one side are
 * not compared, which is an error if there are no others, or with --strict.
 */
static enum td_gate check_limit(const struct td_limits *limits, struct td_limit *limit,
				const struct td_diff *diff)
{
	const struct td_diff_row *lacking = NULL;
	enum td_gate gate = TD_GATE_PASSED, found;
	bool compared = false;
	char name[160];

	td_for_each(const struct td_diff_row, row, diff->rows, diff->nr) {
		if (!is_of(limit, row))
			continue;
		if (!lacking && isnan(row->value.of[TD_DIFF_A]) != isnan(row->value.of[TD_DIFF_B]))
			lacking = row;
		if (isnan(growth_of(row)))
			continue;
		compared = true;
		found = exceeds(limits, limit, row);
		gate = found > gate ? found : gate;
	}
	if (!compared) {
		note_lacking(limit, limit->name);
		return TD_GATE_TROUBLE;
	}
	if (!lacking)
		return gate;
	name_row(lacking, name, sizeof(name));
	note_lacking(limit, name);
	if (limits->bisect && gate == TD_GATE_PASSED)
		return TD_GATE_UNDECIDED;
	return limits->strict ? TD_GATE_TROUBLE : gate;
}

enum td_gate td_limits_exceeded(struct td_limits *limits, const struct td_diff *diff)
{
	enum td_gate worst = TD_GATE_PASSED;

	td_for_each(struct td_limit, limit, limits->v, limits->nr) {
		limit->gate = check_limit(limits, limit, diff);
		worst = limit->gate > worst ? limit->gate : worst;
	}
	return worst;
}

void td_limits_note(const struct td_limits *limits, struct td_notes *notes)
{
	for (size_t i = 0; i < limits->nr; i++) {
		const struct td_notes *found = &limits->v[i].found;

		for (size_t n = 0; n < found->nr; n++)
			td_notes_add(notes, OPTION ": %s", found->v[n]);
	}
}

void td_limits_free(struct td_limits *limits)
{
	for (size_t i = 0; i < limits->nr; i++) {
		free(limits->v[i].name);
		td_notes_free(&limits->v[i].found);
	}
	free(limits->v);
	*limits = (struct td_limits){ 0 };
}
