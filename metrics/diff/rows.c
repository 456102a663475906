// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/diff/diff.h"

#include <math.h>

#include "lib/base/util.h"
#include "metrics/diff/interval.h"
#include "metrics/verdict/verdict.h"

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

/* --- rows by their names ---------------------------------------------------- */

/* Return the hash of a row in a list of rows; the name of all PMUs is NULL. */
static uint64_t hash_names(const void *list, const char *id, const char *name)
{
	uint64_t hash = td_hash_more(td_hash((uintptr_t)list), td_hash_text(id));

	return td_hash_more(hash, td_hash_text(name ? name : ""));
}

/* Return the next row with the hash, of the first nr rows of a list. */
static size_t next(const struct td_diff *diff, uint64_t hash, size_t nr, size_t *step)
{
	size_t at;

	do {
		at = td_index_next(&diff->index, hash, step);
	} while (at != TD_NOT_FOUND && at >= nr);
	return at;
}

/* Add a row, unless it is there already because a side is compared with itself. */
static void add_place(struct td_diff *diff, uint64_t hash, size_t at)
{
	size_t step = 0, other;

	do {
		other = td_index_next(&diff->index, hash, &step);
	} while (other != TD_NOT_FOUND && other != at);
	if (other != at)
		td_index_add(&diff->index, hash, at);
}

static void add_places(struct td_diff *diff, const struct td_diff_input *input)
{
	const struct td_report *report = input->report;
	const struct td_event_report *events = input->events;

	for (size_t i = 0; report && i < report->nr_rows; i++)
		add_place(diff, hash_names(report->rows, report->rows[i].id, report->rows[i].pmu),
			  i);
	for (size_t i = 0; events && i < events->nr_rows; i++)
		add_place(diff, hash_names(events->rows, events->rows[i].id, events->rows[i].event),
			  i);
	for (size_t i = 0; i < input->nr_ipc; i++)
		add_place(diff, hash_names(input->ipc, input->ipc[i].id, input->ipc[i].pmu), i);
}

/* --- a value of both sides --------------------------------------------------- */

/*
 * Returns a value of a row in one recording, or NaN; which selects the value.  *counting is 0, or
 * is set for a count (see td_diff_sample_add()).
 */
typedef double (*getter)(const struct td_diff *diff, const struct td_diff_input *input,
			 const struct td_diff_row *row, size_t which, double *counting);

static struct td_diff_value compare(const struct td_diff *diff, getter get,
				    const struct td_diff_row *row, size_t which)
{
	struct td_diff_sample samples[TD_DIFF_SIDES] = { 0 };

	for (size_t s = 0; s < TD_DIFF_SIDES; s++) {
		const struct td_diff_side *side = &diff->sides[s];

		for (size_t i = 0; i < side->nr; i++) {
			double counting = 0;
			double value = get(diff, &side->v[i], row, which, &counting);

			td_diff_sample_add(&samples[s], value, counting);
		}
	}
	return td_diff_compare(&samples[TD_DIFF_A], &samples[TD_DIFF_B]);
}

/* --- the values of rows ----------------------------------------------------- */

/* The names of times, in the order of get_time(). */
static const char *const times[] = { "elapsed", "user", "sys" };

static double get_time(const struct td_diff *diff, const struct td_diff_input *input,
		       const struct td_diff_row *row, size_t which, double *counting)
{
	const double seconds[] = { input->elapsed_s, input->user_s, input->sys_s };

	(void)diff;
	(void)row;
	(void)counting;
	return seconds[which];
}

static double get_ipc(const struct td_diff *diff, const struct td_diff_input *input,
		      const struct td_diff_row *row, size_t which, double *counting)
{
	uint64_t hash = hash_names(input->ipc, row->id, row->pmu);
	size_t step = 0, i;

	(void)which;
	(void)counting;
	while ((i = next(diff, hash, input->nr_ipc, &step)) != TD_NOT_FOUND) {
		const struct td_diff_ipc *ipc = &input->ipc[i];

		if (!strcmp(ipc->pmu, row->pmu) && !strcmp(ipc->id, row->id))
			return ipc->value;
	}
	return NAN;
}

static const struct td_cell *find_cell(const struct td_diff *diff,
				       const struct td_diff_input *input,
				       const struct td_diff_row *row, size_t *r)
{
	const struct td_report *report = input->report;
	size_t step = 0;
	uint64_t hash;

	if (!report)
		return NULL;
	hash = hash_names(report->rows, row->id, row->pmu);
	while ((*r = next(diff, hash, report->nr_rows, &step)) != TD_NOT_FOUND) {
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

/* Return the value of a cell (which: 0), or its slots per unit of work (which: 1). */
static double get_cell(const struct td_diff *diff, const struct td_diff_input *input,
		       const struct td_diff_row *row, size_t which, double *counting)
{
	size_t r;
	const struct td_cell *cell = find_cell(diff, input, row, &r);

	(void)counting;
	if (!cell)
		return NAN;
	/* a run on another core type used no slots of this one */
	if (which && input->report->rows[r].absent)
		return diff->per == TD_PER_SLOTS ? NAN : 0;
	if (cell->status != TD_STATUS_OK)
		return NAN;
	return cell->value * (which ? input->scales[r] : 1);
}

static bool is_event(const struct td_event_row *event, const struct td_diff_row *row)
{
	return !strcmp(event->event, row->name) && !strcmp(event->id, row->id);
}

/*
 * Return the value of an event.  Values without a unit are counts; if a count was scaled up, only
 * the counted part has Poisson's variance.
 */
static double value_of(const struct td_event_row *event, double scale, double *counting)
{
	double value = event->value * scale;

	if (!*event->unit)
		*counting = value * scale * PERCENT / event->running_pct;
	return value;
}

/* Return the count of an event.  which: index among equal events that were typed several times. */
static double get_event(const struct td_diff *diff, const struct td_diff_input *input,
			const struct td_diff_row *row, size_t which, double *counting)
{
	const struct td_event_report *events = input->events;
	size_t step = 0, i;
	uint64_t hash;

	if (!events)
		return NAN;
	hash = hash_names(events->rows, row->id, row->name);
	while ((i = next(diff, hash, events->nr_rows, &step)) != TD_NOT_FOUND) {
		const struct td_event_row *event = &events->rows[i];

		if (!is_event(event, row) || which--)
			continue;
		if (event->status != TD_STATUS_OK)
			return NAN;
		return value_of(event, input->scales[i], counting);
	}
	return NAN;
}

enum {
	PER_UNIT,
	PER_RUN,
	PER_INSTRUCTION,
};

/* Return all slots of a row of a tree, per run, instruction or unit of work. */
static double slots_of(const struct td_diff_input *input, size_t r, size_t which)
{
	if (which == PER_UNIT)
		return PERCENT * input->scales[r];
	return input->report->rows[r].slots / (which == PER_RUN ? 1 : input->instructions);
}

/* Return the slots on all PMUs; NaN for cgroups or threads, which may include each other. */
static double get_all_slots(const struct td_diff *diff, const struct td_diff_input *input,
			    const struct td_diff_row *row, size_t which, double *counting)
{
	const struct td_report *report = input->report;
	double sum = 0;

	(void)diff;
	(void)counting;
	for (size_t r = 0; report && r < report->nr_rows; r++) {
		if (strcmp(report->rows[r].id, row->id) != 0)
			return NAN;
		if (!isnan(slots_of(input, r, which)))
			sum += slots_of(input, r, which);
	}
	return sum > 0 ? sum : NAN;
}

/* --- the rows --------------------------------------------------------------- */

static const struct td_diff_value none = { { NAN, NAN }, NAN, NAN, NAN, false, NAN };

/* Return the hash of the members that identify a row. */
static uint64_t hash_row(const struct td_diff_row *row)
{
	return td_hash_more(
		td_hash_more(hash_names(NULL, row->id, row->pmu), td_hash_text(row->name)),
		row->kind);
}

/* Complete a row and add it if it has a value. */
static void add(struct td_diff *diff, struct td_diff_row *row)
{
	const struct td_diff_value *v = &row->value;
	bool relative = row->unit[0] != '%';

	if (isnan(v->of[TD_DIFF_A]) && isnan(v->of[TD_DIFF_B]))
		return;
	row->change = td_diff_change_of(relative ? v : &none);
	row->per = td_per_word(diff->per);
	diff->has_ids |= strcmp(row->id, "all") != 0;
	td_index_add(&diff->index, hash_row(row), diff->nr);
	td_array_push(&diff->rows, &diff->nr, row, sizeof(*row));
}

static bool is_same(const struct td_diff_row *a, const struct td_diff_row *b)
{
	return a->kind == b->kind && td_same_text(a->pmu, b->pmu) && !strcmp(a->id, b->id) &&
	       !strcmp(a->name, b->name);
}

/* Are there more rows with the same identity than this number? */
static bool has_more(const struct td_diff *diff, const struct td_diff_row *row, size_t than)
{
	uint64_t hash = hash_row(row);
	size_t step = 0, found = 0, i;

	while (found <= than && (i = next(diff, hash, diff->nr, &step)) != TD_NOT_FOUND)
		found += is_same(&diff->rows[i], row);
	return found > than;
}

static void add_ipc(struct td_diff *diff, const struct td_diff_input *input)
{
	for (size_t i = 0; i < input->nr_ipc; i++) {
		struct td_diff_row row = {
			.kind = TD_DIFF_IPC,
			.id = input->ipc[i].id,
			.pmu = input->ipc[i].pmu,
			.name = "IPC",
			.unit = "",
			.slots = none,
		};

		if (has_more(diff, &row, 0))
			continue;
		row.value = compare(diff, get_ipc, &row, 0);
		add(diff, &row);
	}
}

static bool is_in_slots(const struct td_report *report, const struct td_node *node)
{
	return node->level && report->columns[node->column].unit[0] == '%' &&
	       td_node_is_in_slots(node);
}

/* Count the rows with the same event before row i of the recording. */
static size_t count_before(const struct td_diff *diff, const struct td_event_row *rows,
			   const struct td_diff_row *row, size_t i)
{
	uint64_t hash = hash_names(rows, row->id, row->name);
	size_t step = 0, found = 0, other;

	while ((other = next(diff, hash, i, &step)) != TD_NOT_FOUND)
		found += is_event(&rows[other], row);
	return found;
}

static void add_events(struct td_diff *diff, const struct td_event_report *events)
{
	for (size_t i = 0; events && i < events->nr_rows; i++) {
		struct td_diff_row row = {
			.kind = TD_DIFF_EVENT,
			.id = events->rows[i].id,
			.name = events->rows[i].event,
			.unit = events->rows[i].unit,
			.slots = none,
		};
		size_t which = count_before(diff, events->rows, &row, i);

		if (has_more(diff, &row, which))
			continue; /* an earlier recording has this row */
		row.value = compare(diff, get_event, &row, which);
		add(diff, &row);
	}
}

static void add_input(struct td_diff *diff, const struct td_diff_input *input)
{
	const struct td_report *report = input->report;

	add_ipc(diff, input);
	for (size_t i = 0; report && i < report->nr_rows; i++) {
		const struct td_row *of = &report->rows[i];

		td_for_each(const struct td_node, node, of->nodes, of->nr_nodes) {
			struct td_diff_row row = {
				.kind = TD_DIFF_METRIC,
				.id = of->id,
				.pmu = of->pmu,
				.name = report->columns[node->column].name,
				.unit = report->columns[node->column].unit,
				.level = node->level,
				.slots = none,
			};

			if (has_more(diff, &row, 0))
				continue;
			row.value = compare(diff, get_cell, &row, 0);
			if (is_in_slots(report, node))
				row.slots = compare(diff, get_cell, &row, 1);
			add(diff, &row);
		}
	}
	add_events(diff, input->events);
}

/* Add a row for the elapsed time, and rows for CPU times if they are known. */
static void add_times(struct td_diff *diff)
{
	struct td_diff_row time = { .kind = TD_DIFF_TIME, .id = "all", .unit = "s", .slots = none };

	diff->slots =
		diff->per == TD_PER_SLOTS ? none : compare(diff, get_all_slots, &time, PER_UNIT);
	diff->slots_per_run = compare(diff, get_all_slots, &time, PER_RUN);
	diff->slots_per_instruction = compare(diff, get_all_slots, &time, PER_INSTRUCTION);
	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++) {
		time.name = times[i];
		time.value = compare(diff, get_time, &time, i);
		if (!i || !isnan(time.value.of[TD_DIFF_A]) || !isnan(time.value.of[TD_DIFF_B]))
			add(diff, &time);
	}
}

/* Call take for each recording of both sides. */
static void for_each(struct td_diff *diff,
		     void (*take)(struct td_diff *diff, const struct td_diff_input *input))
{
	td_for_each(const struct td_diff_side, side, diff->sides, TD_DIFF_SIDES) {
		for (size_t i = 0; i < side->nr; i++)
			take(diff, &side->v[i]);
	}
}

void td_diff_make(struct td_diff *diff, const struct td_diff_side *a, const struct td_diff_side *b,
		  enum td_per per)
{
	*diff = (struct td_diff){ .per = per, .sides = { *a, *b }, .limits = diff->limits };
	for_each(diff, add_places);
	add_times(diff);
	for_each(diff, add_input);
	td_index_free(&diff->index);
	td_diff_mark(diff);
	td_diff_sort(diff);
	diff->enough = td_diff_enough(diff);
}

void td_diff_free(struct td_diff *diff)
{
	free(diff->rows);
	*diff = (struct td_diff){ 0 };
}
