// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/top/path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/top/bars.h"
#include "cmd/top/parts.h"
#include "lib/base/util.h"

/* --- the largest, where errors are not known ------------------------------- */

static bool is_below(const struct td_report *report, const struct td_node *node,
		     const struct td_node *above)
{
	if (!above)
		return node->level == 1 &&
		       td_top_part_of(report, node) != TD_TOP_RETIRING;
	return node->parent &&
	       strcmp(node->parent, report->columns[above->column].name) == 0;
}

static const struct td_node *largest_below(const struct td_report *report,
					   const struct td_row *row,
					   const struct td_node *above)
{
	const struct td_node *largest = NULL;

	for (size_t i = 0; i < row->nr_nodes; i++) {
		const struct td_node *node = &row->nodes[i];

		if (!is_below(report, node, above) ||
		    !td_top_is_over(row, node))
			continue;
		if (!largest ||
		    td_top_value(row, node) > td_top_value(row, largest))
			largest = node;
	}
	return largest;
}

/* Of the whole, the row with the most slots. */
static const struct td_row *busiest(const struct td_report *report)
{
	const struct td_row *most = NULL;

	for (size_t i = 0; i < report->nr_rows; i++) {
		const struct td_row *row = &report->rows[i];

		if (row->package || row->idle)
			continue;
		if (!most || row->slots > most->slots)
			most = row;
	}
	return most;
}

/* --- the verdict's path, or that one --------------------------------------- */

struct path {
	const struct td_row *row;
	struct {
		const char *name;
		double value;
	} v[TD_VERDICT_DEPTH];
	size_t nr;
	bool sure; /* the verdict says so */
};

static void take_verdict(struct path *path, const struct td_verdict *verdict)
{
	path->row = verdict->row;
	path->sure = true;
	for (size_t i = 0; i < verdict->nr_path; i++) {
		path->v[path->nr].name = verdict->path[i].name;
		path->v[path->nr++].value = verdict->path[i].value;
	}
}

static void take_largest(struct path *path, const struct td_report *report)
{
	const struct td_node *node = NULL;

	path->row = busiest(report);
	while (path->row && path->nr < TD_ARRAY_SIZE(path->v)) {
		node = largest_below(report, path->row, node);
		if (!node)
			return;
		path->v[path->nr].name = report->columns[node->column].name;
		path->v[path->nr++].value = td_top_value(path->row, node);
	}
}

/* May the largest node be named, though it may not be the largest for sure? */
static bool is_open(enum td_situation situation)
{
	return situation == TD_SITUATION_SHORT ||
	       situation == TD_SITUATION_UNKNOWN;
}

static void find_path(struct path *path, const struct td_top_snapshot *snapshot)
{
	const struct td_verdict *verdict = &snapshot->verdict;

	*path = (struct path){ 0 };
	if (!snapshot->has_whole)
		return;
	if (verdict->nr_path)
		take_verdict(path, verdict);
	else if (is_open(verdict->situation))
		take_largest(path, &snapshot->whole.report);
}

const char *td_top_path_end(const struct td_top_snapshot *snapshot)
{
	struct path path;

	find_path(&path, snapshot);
	return path.nr ? path.v[path.nr - 1].name : NULL;
}

/* --- in words -------------------------------------------------------------- */

static const char *words_of(const struct td_verdict *verdict)
{
	switch (verdict->situation) {
	case TD_SITUATION_NONE:
		return "not known: this tree has no thresholds";
	case TD_SITUATION_NOT_COUNTED:
		break;
	case TD_SITUATION_IDLE:
		return "mostly idle";
	case TD_SITUATION_SHORT:
		return "nothing is over its threshold (errors are unknown)";
	case TD_SITUATION_UNKNOWN:
		return "cannot be said: errors or siblings are unknown";
	case TD_SITUATION_UNLIKE:
		return "cannot be said: these nodes cannot be compared";
	case TD_SITUATION_NOTHING:
		return "nothing is over its threshold";
	case TD_SITUATION_NEAR:
		return "over its threshold, but by less than its error:";
	case TD_SITUATION_CHANGED:
		return "it changed in this interval:";
	case TD_SITUATION_TIE:
		return "no single cause:";
	case TD_SITUATION_RETIRING:
	case TD_SITUATION_CLEAR:
		break;
	}
	return "not counted";
}

static void put_found(FILE *fp, const struct td_found *found,
		      const char *before)
{
	char number[TD_TOP_NUMBER_SIZE];

	if (found->node)
		fprintf(fp, "%s%s %s", before, td_node_short_name(found->name),
			td_top_number(number, found->value));
}

static void put_situation(FILE *fp, const struct td_verdict *verdict)
{
	fputs(words_of(verdict), fp);
	if (verdict->situation == TD_SITUATION_TIE) {
		put_found(fp, &verdict->tied[0], " ");
		put_found(fp, &verdict->tied[1], "; ");
	} else {
		put_found(fp, &verdict->runner_up, " ");
	}
}

static void write_path(FILE *fp, const struct path *path)
{
	char number[TD_TOP_NUMBER_SIZE];

	fprintf(fp, "%s: ", path->row->pmu);
	for (size_t i = 0; i < path->nr; i++)
		fprintf(fp, "%s%s %s", i ? " > " : "",
			td_node_short_name(path->v[i].name),
			td_top_number(number, path->v[i].value));
	if (!path->sure)
		fputs(" (the largest; its error is unknown)", fp);
}

void td_top_put_path(struct td_canvas *canvas, int y,
		     const struct td_top_snapshot *snapshot)
{
	const struct td_verdict *verdict = &snapshot->verdict;
	bool work = verdict->situation == TD_SITUATION_RETIRING;
	td_autofree char *text = NULL;
	struct path path;
	size_t size;
	FILE *fp;

	if (!snapshot->has_whole)
		return;
	fp = open_memstream(&text, &size);
	if (!fp) {
		canvas->no_memory = true;
		return;
	}
	find_path(&path, snapshot);
	if (path.nr)
		write_path(fp, &path);
	else if (!snapshot->whole.report.nr_rows)
		fputs("nothing ran", fp);
	else
		put_situation(fp, verdict);
	if (fclose(fp))
		return;
	td_canvas_put(canvas, y, 0, 12, TD_TOP_BOLD, "%s",
		      work ? "Most work:" : "Bottleneck:");
	td_canvas_put(canvas, y, 12, canvas->width - 12, TD_TOP_PLAIN, "%s",
		      text);
}

const struct td_explanation *td_top_explanation(const char *node,
						const char *pmu)
{
	enum td_explained_cores other =
		strstr(pmu, "atom") || strstr(pmu, "lowpower")
			? TD_EXPLAINED_CORE
			: TD_EXPLAINED_ATOM;
	const struct td_explanation *text, *found = NULL;

	for (size_t i = 0; (text = td_explanation_at(i)); i++) {
		if (!td_explanation_is_meant(text->name, node))
			continue;
		if (!found || text->cores != other)
			found = text;
	}
	return found;
}
