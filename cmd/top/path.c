// SPDX-License-Identifier: GPL-2.0-only
/* The line with the path to the bottleneck. */
#include <math.h>

#include "cmd/output/advice.h"
#include "cmd/top/parts.h"

/* --- the largest nodes, if errors are unknown ------------------------------ */

static bool is_below(const struct td_report *report, const struct td_node *node,
		     const struct td_node *above)
{
	if (!above)
		return node->level == 1 && td_top_part_of(report, node) != TD_PART_RETIRING;
	return node->parent && strcmp(node->parent, report->columns[above->column].name) == 0;
}

static const struct td_node *largest_below(const struct td_report *report, const struct td_row *row,
					   const struct td_node *above)
{
	const struct td_node *largest = NULL;

	td_for_each(const struct td_node, node, row->nodes, row->nr_nodes) {
		if (!is_below(report, node, above) || !td_top_is_over(row, node))
			continue;
		if (!largest || td_top_value(row, node) > td_top_value(row, largest))
			largest = node;
	}
	return largest;
}

/* Return the row of an id ("": any) with the most slots. */
static const struct td_row *busiest(const struct td_report *report, const char *id)
{
	const struct td_row *most = NULL;

	td_for_each(const struct td_row, row, report->rows, report->nr_rows) {
		if (row->package || row->idle)
			continue;
		if (*id && strcmp(row->id, id) != 0)
			continue;
		if (!most || row->slots > most->slots)
			most = row;
	}
	return most;
}

/* --- the path -------------------------------------------------------------- */

struct path {
	const struct td_row *row;
	struct {
		const char *name;
		double value;
	} v[TD_VERDICT_DEPTH];
	size_t nr;
	/* why the path is uncertain; "": it is the verdict's */
	const char *doubt, *short_doubt;
};

static void use_verdict(struct path *path, const struct td_verdict *verdict)
{
	path->row = verdict->row;
	for (size_t i = 0; i < verdict->nr_path; i++) {
		path->v[path->nr].name = verdict->path[i].name;
		path->v[path->nr++].value = verdict->path[i].value;
	}
}

static void use_largest(struct path *path, const struct td_report *report, const char *id)
{
	const struct td_node *node = NULL;

	path->row = busiest(report, id);
	while (path->row && path->nr < TD_ARRAY_SIZE(path->v)) {
		node = largest_below(report, path->row, node);
		if (!node)
			return;
		path->v[path->nr].name = report->columns[node->column].name;
		path->v[path->nr++].value = td_top_value(path->row, node);
	}
}

/* If errors are unknown, take the largest nodes, and write that they are only the largest. */
static void use_uncertain(struct path *path, const struct td_top_snapshot *snapshot)
{
	path->short_doubt = " (error unknown)";
	switch (snapshot->verdict.situation) {
	case TD_SITUATION_SHORT:
		path->doubt = " (the largest; too few readings for its error)";
		break;
	case TD_SITUATION_UNKNOWN:
		path->doubt = " (the largest; its error is unknown)";
		break;
	default:
		return;
	}
	use_largest(path, &snapshot->whole, "");
}

/* Find the path.  Only the total has a verdict. */
static void find_path(struct path *path, const struct td_top_snapshot *snapshot, const char *opened)
{
	const struct td_verdict *verdict = &snapshot->verdict;

	*path = (struct path){ .doubt = "", .short_doubt = "" };
	if (!snapshot->has_whole)
		return;
	if (*opened) {
		path->doubt = path->short_doubt = " (the largest)";
		use_largest(path, &snapshot->rows, opened);
	} else if (verdict->nr_path) {
		use_verdict(path, verdict);
	} else {
		use_uncertain(path, snapshot);
	}
}

const char *td_top_path_end(const struct td_top_snapshot *snapshot, const char *opened,
			    const char **pmu)
{
	struct path path;

	find_path(&path, snapshot, opened);
	*pmu = path.nr ? path.row->pmu : "";
	return path.nr ? path.v[path.nr - 1].name : NULL;
}

/* --- in words -------------------------------------------------------------- */

static void put_found(FILE *fp, const struct td_found *found, const char *before)
{
	char number[TD_TOP_NUMBER_SIZE];

	if (found->node)
		fprintf(fp, "%s%s %s", before, td_node_short_name(found->name),
			td_top_number(number, found->value));
}

static void put_situation(FILE *fp, const struct td_verdict *verdict)
{
	fputs(td_situation_words(verdict->situation), fp);
	if (verdict->situation == TD_SITUATION_TIE) {
		put_found(fp, &verdict->tied[0], " ");
		put_found(fp, &verdict->tied[1], "; ");
	} else {
		put_found(fp, &verdict->runner_up, " ");
	}
}

/* Return the nodes after the first ones as text, which the caller frees. */
static char *format_path(const struct path *path, size_t from, bool pmu, const char *doubt)
{
	char number[TD_TOP_NUMBER_SIZE];
	char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	fprintf(fp, "%s%s%s", pmu ? path->row->pmu : "", pmu ? ": " : "",
		from && pmu ? "... > " : "");
	for (size_t i = from; i < path->nr; i++)
		fprintf(fp, "%s%s %s", i > from ? " > " : "", td_node_short_name(path->v[i].name),
			td_top_number(number, path->v[i].value));
	fputs(doubt, fp);
	td_text_close(fp, &text);
	return text;
}

/* Fit the path into the room.  Leaves out the first nodes if necessary. */
static char *fit_path(const struct path *path, size_t room)
{
	char *text = format_path(path, 0, true, path->doubt);

	for (size_t from = 0; from < path->nr; from++) {
		if (strlen(text) <= room)
			return text;
		free(text);
		text = format_path(path, from, true, path->short_doubt);
	}
	if (strlen(text) <= room)
		return text;
	free(text);
	return format_path(path, path->nr - 1, false, *path->doubt ? "?" : "");
}

/* An opened row has no verdict. */
static const char *words_of_row(const struct td_top_snapshot *snapshot, const struct td_row *row)
{
	struct td_top_parts parts;

	if (snapshot->verdict.situation == TD_SITUATION_NONE)
		return td_situation_words(TD_SITUATION_NONE);
	if (!row)
		return "it was mostly idle";
	td_top_parts_find(&parts, &snapshot->rows, row);
	return td_situation_words(parts.worst == TD_NR_PARTS ? TD_SITUATION_NOT_COUNTED
							     : TD_SITUATION_NOTHING);
}

static char *format_situation(const struct td_top_snapshot *snapshot, const struct td_row *row,
			      const char *opened)
{
	char *text = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&text, &size);

	if (!snapshot->whole.nr_rows)
		fputs("nothing ran", fp);
	else if (*opened)
		fputs(words_of_row(snapshot, row), fp);
	else
		put_situation(fp, &snapshot->verdict);
	td_text_close(fp, &text);
	return text;
}

void td_top_put_path(struct td_canvas *canvas, int y, const struct td_top_snapshot *snapshot,
		     const char *opened)
{
	bool work = snapshot->verdict.situation == TD_SITUATION_RETIRING;
	int room = canvas->width - TD_TOP_PATH_AT;
	td_autofree char *text = NULL;
	struct path path;

	if (!snapshot->has_whole)
		return;
	find_path(&path, snapshot, opened);
	text = path.nr ? fit_path(&path, room > 0 ? (size_t)room : 0)
		       : format_situation(snapshot, path.row, opened);
	td_canvas_put(canvas, y, 0, TD_TOP_PATH_AT, TD_TOP_BOLD, "%s",
		      work && !*opened ? "Most work:" : "Bottleneck:");
	td_canvas_put(canvas, y, TD_TOP_PATH_AT, room, TD_TOP_PLAIN, "%s", text);
}

const struct td_explanation *td_top_explanation(const char *node, const char *pmu)
{
	enum td_explained_cores other = strstr(pmu, "atom") || strstr(pmu, "lowpower")
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
