// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/diff/interval.h"
#include "metrics/diff/order.h"
#include "metrics/diff/summary.h"
#include "metrics/verdict/siblings.h"

#define PERCENT 100

static const struct {
	const char *word, *option;
} pers[TD_NR_PERS] = {
	[TD_PER_INSTRUCTIONS] = { "instruction", "instructions" },
	[TD_PER_SECOND] = { "second", "second" },
	[TD_PER_RUN] = { "run", "run" },
	[TD_PER_SLOTS] = { "slot", "slots" },
};

const char *td_per_word(enum td_per per)
{
	return pers[per].word;
}

const char *td_per_option(enum td_per per)
{
	return pers[per].option;
}

/* A value that may be in each recording, as td_diff_sample_add() takes it. */
struct quantity {
	double value, counting;
};

static const struct quantity unknown = { NAN, 0 };

/* Finds the quantity of a row in one recording; which tells what of it. */
typedef struct quantity (*getter)(const struct td_diff_input *input,
				  const struct td_diff_row *row, size_t which);

static struct td_diff_value compare(const struct td_diff *diff, getter get,
				    const struct td_diff_row *row, size_t which)
{
	struct td_diff_sample samples[TD_DIFF_SIDES] = { 0 };

	for (size_t s = 0; s < TD_DIFF_SIDES; s++) {
		const struct td_diff_side *side = &diff->sides[s];

		for (size_t i = 0; i < side->nr; i++) {
			struct quantity q = get(&side->v[i], row, which);

			td_diff_sample_add(&samples[s], q.value, q.counting);
		}
	}
	return td_diff_compare(&samples[TD_DIFF_A], &samples[TD_DIFF_B]);
}

/* --- what is compared ------------------------------------------------------- */

static struct quantity get_time(const struct td_diff_input *input,
				const struct td_diff_row *row, size_t which)
{
	(void)row;
	(void)which;
	return (struct quantity){ input->elapsed_s, 0 };
}

static struct quantity get_ipc(const struct td_diff_input *input,
			       const struct td_diff_row *row, size_t which)
{
	(void)which;
	for (size_t i = 0; i < input->nr_ipc; i++) {
		if (!strcmp(input->ipc[i].pmu, row->pmu) &&
		    !strcmp(input->ipc[i].id, row->id))
			return (struct quantity){ input->ipc[i].value, 0 };
	}
	return unknown;
}

static const struct td_cell *find_cell(const struct td_report *report,
				       const struct td_diff_row *row, size_t *r)
{
	for (*r = 0; report && *r < report->nr_rows; ++*r) {
		if (strcmp(report->rows[*r].pmu, row->pmu) != 0 ||
		    strcmp(report->rows[*r].id, row->id) != 0)
			continue;
		for (size_t c = 0; c < report->nr_columns; c++) {
			if (!strcmp(report->columns[c].name, row->name))
				return &report->rows[*r].cells[c];
		}
	}
	return NULL;
}

/* which: 0 is the value, 1 the slots per unit of work. */
static struct quantity get_cell(const struct td_diff_input *input,
				const struct td_diff_row *row, size_t which)
{
	size_t r;
	const struct td_cell *cell = find_cell(input->report, row, &r);

	if (!cell || cell->status != TD_STATUS_OK)
		return unknown;
	return (struct quantity){ cell->value * (which ? input->scales[r] : 1),
				  0 };
}

static bool is_event(const struct td_event_row *event,
		     const struct td_diff_row *row)
{
	return !strcmp(event->event, row->name) && !strcmp(event->id, row->id);
}

/*
 * What has a unit is no count.  Of a count that was scaled up, the part that
 * was seen has Poisson's variance.
 */
static struct quantity quantity_of(const struct td_event_row *event,
				   double scale)
{
	double value = event->value * scale;

	if (*event->unit)
		return (struct quantity){ value, 0 };
	return (struct quantity){ value, value * scale * PERCENT /
						 event->running_pct };
}

/* The same event may have been typed more than once: which one of them. */
static struct quantity get_event(const struct td_diff_input *input,
				 const struct td_diff_row *row, size_t which)
{
	const struct td_event_report *events = input->events;

	for (size_t i = 0; events && i < events->nr_rows; i++) {
		const struct td_event_row *event = &events->rows[i];

		if (!is_event(event, row) || which--)
			continue;
		if (event->status != TD_STATUS_OK)
			return unknown;
		return quantity_of(event, input->scales[i]);
	}
	return unknown;
}

/*
 * The slots of a unit of work, on all PMUs.  Of cgroups or threads there is no
 * sum, as one may be in another.
 */
static struct quantity get_all_slots(const struct td_diff_input *input,
				     const struct td_diff_row *row,
				     size_t which)
{
	const struct td_report *report = input->report;
	double sum = 0;

	(void)which;
	for (size_t r = 0; report && r < report->nr_rows; r++) {
		if (strcmp(report->rows[r].id, row->id) != 0)
			return unknown;
		if (!isnan(input->scales[r]))
			sum += PERCENT * input->scales[r];
	}
	return sum > 0 ? (struct quantity){ sum, 0 } : unknown;
}

/* --- the rows --------------------------------------------------------------- */

static const struct td_diff_value none = { { NAN, NAN }, NAN,   NAN,
					   NAN,          false, NAN };

static bool has_a_value(const struct td_diff_value *value)
{
	return !isnan(value->of[TD_DIFF_A]) || !isnan(value->of[TD_DIFF_B]);
}

/* Fills in what is told of the values, and adds the row if there are any. */
static int add(struct td_diff *diff, struct td_diff_row *row)
{
	const struct td_diff_value *v = &row->value;
	double a = fabs(v->of[TD_DIFF_A]);
	bool relative = row->unit[0] != '%' && a > 0;
	struct td_diff_row *slot;

	if (!has_a_value(v))
		return 0;
	row->change_pct = relative ? PERCENT * v->diff / a : NAN;
	row->change_error = relative ? PERCENT * v->error / a : NAN;
	diff->has_ids |= strcmp(row->id, "all") != 0;
	slot = td_array_add(&diff->rows, diff->nr, sizeof(*slot));
	if (!slot)
		return -1;
	*slot = *row;
	slot->per = td_per_word(diff->per);
	diff->nr++;
	return 0;
}

static bool is_known(const struct td_diff *diff, const struct td_diff_row *row)
{
	for (size_t i = 0; i < diff->nr; i++) {
		const struct td_diff_row *other = &diff->rows[i];

		if (other->kind == row->kind && !strcmp(other->pmu, row->pmu) &&
		    !strcmp(other->id, row->id) &&
		    !strcmp(other->name, row->name))
			return true;
	}
	return false;
}

static int add_ipc(struct td_diff *diff, const struct td_diff_input *input)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < input->nr_ipc; i++) {
		struct td_diff_row row = {
			.kind = TD_DIFF_IPC,
			.id = input->ipc[i].id,
			.pmu = input->ipc[i].pmu,
			.name = "IPC",
			.unit = "",
			.slots = none,
		};

		if (is_known(diff, &row))
			continue;
		row.value = compare(diff, get_ipc, &row, 0);
		rc = add(diff, &row);
	}
	return rc;
}

static bool is_in_slots(const struct td_report *report,
			const struct td_node *node)
{
	return node->level && report->columns[node->column].unit[0] == '%' &&
	       td_node_is_in_slots(node);
}

static int add_nodes(struct td_diff *diff, const struct td_report *report,
		     const struct td_row *of)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < of->nr_nodes; i++) {
		const struct td_node *node = &of->nodes[i];
		struct td_diff_row row = {
			.kind = TD_DIFF_METRIC,
			.id = of->id,
			.pmu = of->pmu,
			.name = report->columns[node->column].name,
			.unit = report->columns[node->column].unit,
			.level = node->level,
			.slots = none,
		};

		if (is_known(diff, &row))
			continue;
		row.value = compare(diff, get_cell, &row, 0);
		if (is_in_slots(report, node))
			row.slots = compare(diff, get_cell, &row, 1);
		rc = add(diff, &row);
	}
	return rc;
}

static int add_tree(struct td_diff *diff, const struct td_report *report)
{
	int rc = 0;

	for (size_t i = 0; report && !rc && i < report->nr_rows; i++)
		rc = add_nodes(diff, report, &report->rows[i]);
	return rc;
}

static size_t count(const struct td_event_row *rows, size_t nr,
		    const struct td_diff_row *row)
{
	size_t found = 0;

	for (size_t i = 0; i < nr; i++)
		found += is_event(&rows[i], row);
	return found;
}

/* Is it of an earlier recording? */
static bool was_added(const struct td_diff *diff, const struct td_diff_row *row,
		      size_t which)
{
	size_t found = 0;

	for (size_t i = 0; i < diff->nr; i++)
		found += diff->rows[i].kind == TD_DIFF_EVENT &&
			 !strcmp(diff->rows[i].id, row->id) &&
			 !strcmp(diff->rows[i].name, row->name);
	return found > which;
}

static int add_events(struct td_diff *diff,
		      const struct td_event_report *events)
{
	int rc = 0;

	for (size_t i = 0; events && !rc && i < events->nr_rows; i++) {
		struct td_diff_row row = {
			.kind = TD_DIFF_EVENT,
			.id = events->rows[i].id,
			.name = events->rows[i].event,
			.unit = events->rows[i].unit,
			.slots = none,
		};
		size_t which = count(events->rows, i, &row);

		if (was_added(diff, &row, which))
			continue;
		row.value = compare(diff, get_event, &row, which);
		rc = add(diff, &row);
	}
	return rc;
}

static int add_all(struct td_diff *diff, const struct td_diff_input *input)
{
	int rc = add_ipc(diff, input);

	if (!rc)
		rc = add_tree(diff, input->report);
	return rc ? rc : add_events(diff, input->events);
}

int td_diff_make(struct td_diff *diff, const struct td_diff_side *a,
		 const struct td_diff_side *b, enum td_per per,
		 struct td_err *err)
{
	struct td_diff_row time = {
		.kind = TD_DIFF_TIME,
		.id = "all",
		.name = "elapsed",
		.unit = "s",
		.slots = none,
	};
	int rc;

	*diff = (struct td_diff){ .per = per, .sides = { *a, *b } };
	time.value = compare(diff, get_time, &time, 0);
	diff->slots = per == TD_PER_SLOTS
			      ? none
			      : compare(diff, get_all_slots, &time, 0);
	rc = add(diff, &time);
	for (size_t s = 0; s < TD_DIFF_SIDES; s++) {
		for (size_t i = 0; !rc && i < diff->sides[s].nr; i++)
			rc = add_all(diff, &diff->sides[s].v[i]);
	}
	if (rc || td_diff_mark(diff) || td_diff_sort(diff))
		return td_err_nomem(err);
	diff->enough = td_diff_enough(diff);
	return 0;
}

void td_diff_free(struct td_diff *diff)
{
	free(diff->rows);
	*diff = (struct td_diff){ 0 };
}
