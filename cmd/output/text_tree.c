// SPDX-License-Identifier: GPL-2.0-only
/* Text: the metrics of a row as the tree of its PMU. */
#include <math.h>

#include "cmd/output/out.h"
#include "lib/base/printable.h"

/*
 * Write how many unmarked nodes are hidden.  Without a number, write whether other nodes were not
 * measured.
 */
static void put_hidden_line(const struct td_writer *writer, const struct td_row *row,
			    size_t unmarked, size_t rest)
{
	FILE *fp = writer->fp;

	if (!unmarked && !rest)
		return;
	if (unmarked)
		fprintf(fp, "  %zu unmarked node%s hidden%s", unmarked,
			unmarked == 1 ? " is" : "s are", rest ? ", and" : "");
	if (rest)
		fprintf(fp, "%s others were not measured", unmarked ? "" : " ");
	fputs("; --all shows them", fp);
	td_out_text_end_line(writer, row);
}

/* --- the tree -------------------------------------------------------------- */

#define INDENT      4
#define VALUE_WIDTH 10
#define UNIT_WIDTH  20 /* maximum: "cycles / transaction" */
#define MARK_COLUMN 41 /* column of "<--", unless names are longer */
#define DESC_COLUMN 40 /* maximum column of descriptions */

#define PLUS_MINUS "\u00b1" /* one column */

/* Widths of columns, for the tree or for metrics outside of it, whose units may be long. */
struct widths {
	int value, unit;
	int whole, part; /* width before the point; width of the point and the decimals */
	int error;       /* "±0.4 "; 0: no value has an error */
};

struct tree {
	const struct td_writer *writer;
	const struct td_report *report;
	const struct td_row *row;
	struct widths inside, outside;
	int mark;
	size_t nr_unmarked, nr_not_counted; /* number of hidden nodes */
	bool brief;                         /* only level 1 is shown */
	size_t nr_deeper;                   /* number of nodes that brief hides */
	struct td_marks marks;
};

#define ERRATA_MARK "  !"

/* Return the mark after the node's name, or "". */
static const char *errata_mark(const struct td_node *node)
{
	return node->errata ? ERRATA_MARK : "";
}

static const struct td_column *column_of(const struct tree *tree, const struct td_node *node)
{
	return &tree->report->columns[node->column];
}

static const struct td_cell *cell_of(const struct tree *tree, const struct td_node *node)
{
	return &tree->row->cells[node->column];
}

static bool is_shown(const struct tree *tree, const struct td_node *node)
{
	return (cell_of(tree, node)->status != TD_STATUS_NONE) &&
	       !(tree->brief && node->level > 1) &&
	       (cell_of(tree, node)->matters || tree->writer->frame->all);
}

/* Return the value of a node, or the text that replaces it. */
static const char *figure_of(char buf[TD_VALUE_SIZE], const struct tree *tree,
			     const struct td_node *node)
{
	const struct td_cell *cell = cell_of(tree, node);
	const char *missing = td_out_missing(cell->status);

	return missing ? missing
		       : td_out_value(buf, column_of(tree, node), cell->value, TD_READER_HUMAN);
}

/* Return the error of a node's value, or "". */
static const char *error_of(char buf[TD_VALUE_SIZE], const struct tree *tree,
			    const struct td_node *node)
{
	const struct td_cell *cell = cell_of(tree, node);

	buf[0] = '\0';
	if (cell->status != TD_STATUS_OK || isnan(cell->error))
		return buf;
	return td_out_error(buf, column_of(tree, node), cell->value, cell->error);
}

static struct widths *widths_of(struct tree *tree, const struct td_node *node)
{
	return node->level ? &tree->inside : &tree->outside;
}

/* Return the width of a value with its error and unit. */
static int figure_width(const struct widths *widths)
{
	return widths->value + widths->error + (widths->unit ? 1 + widths->unit : 0);
}

static int name_column(struct tree *tree, const struct td_node *node)
{
	return INDENT * node->depth + figure_width(widths_of(tree, node)) + 2;
}

static void widen(int *width, int wanted)
{
	if (*width < wanted)
		*width = wanted;
}

/* Widen the columns for a node.  "<not counted>" replaces value, unit and indentation. */
static void widen_for(struct tree *tree, const struct td_node *node)
{
	struct widths *widths = widths_of(tree, node);
	int unit = td_printable_width(column_of(tree, node)->unit);
	char buf[TD_VALUE_SIZE];
	const char *figure = figure_of(buf, tree, node);
	int part = td_out_part(figure), len = (int)strlen(figure);

	unit = unit < UNIT_WIDTH ? unit : UNIT_WIDTH;
	widen(&widths->unit, unit);
	if (cell_of(tree, node)->status != TD_STATUS_OK) {
		widen(&widths->value, len + 1 - INDENT * node->depth - (unit ? 1 + unit : 0));
		return;
	}
	widen(&widths->part, part);
	widen(&widths->whole, len - part);
	error_of(buf, tree, node);
	if (buf[0])
		widen(&widths->error, 2 + (int)strlen(buf));
}

static void widen_all(struct tree *tree)
{
	const struct td_row *row = tree->row;

	for (size_t i = 0; i < row->nr_nodes; i++) {
		if (is_shown(tree, &row->nodes[i])) {
			widen_for(tree, &row->nodes[i]);
		} else {
			const struct td_cell *cell = cell_of(tree, &row->nodes[i]);

			tree->nr_deeper += tree->brief && row->nodes[i].level > 1;
			tree->nr_not_counted += cell->status == TD_STATUS_NOT_COUNTED;
			tree->nr_unmarked += cell->status != TD_STATUS_NOT_COUNTED &&
					     cell->status != TD_STATUS_NONE;
		}
	}
	widen(&tree->inside.value, tree->inside.whole + tree->inside.part);
	widen(&tree->outside.value, tree->outside.whole + tree->outside.part);
}

/* Return the mark after a node's name, such as "  ?"; "": none. */
static const char *misfit_mark(enum td_misfit misfit)
{
	if (misfit == TD_FITS)
		return "";
	return misfit == TD_MISFIT_CORRECTION ? "  ~" : "  ?";
}

static void lay_out(struct tree *tree)
{
	const struct td_row *row = tree->row;

	widen_all(tree);
	td_for_each(const struct td_node, node, row->nodes, row->nr_nodes) {
		int name = td_printable_width(column_of(tree, node)->name) +
			   (int)strlen(misfit_mark(cell_of(tree, node)->misfit)) +
			   (int)strlen(errata_mark(node));

		if (is_shown(tree, node) && td_out_is_marked(tree->row, cell_of(tree, node)))
			widen(&tree->mark, name_column(tree, node) + name + 1);
	}
}

/* Begin a line, with the time of its interval, so that grep(1) can follow a metric. */
static int start_line(const struct tree *tree)
{
	if (!tree->writer->frame->interval)
		return 0;
	return td_out_text_start(tree->writer, tree->report->time_ns, tree->row);
}

#define MIN_RANGE 10 /* points: smaller ranges are not shown */

/* Write "  (14 to 69 %)" for a share that varied over time. */
static void put_range(const struct tree *tree, const struct td_column *column,
		      const struct td_cell *cell)
{
	FILE *fp = tree->writer->fp;

	if (tree->writer->frame->interval || strcmp(column->unit, "%") != 0 ||
	    !(cell->high - cell->low >= MIN_RANGE))
		return;
	fputs("  (", fp);
	td_out_number(fp, 0, 0, cell->low);
	fputs(" to ", fp);
	td_out_number(fp, 0, 0, cell->high);
	fputs(" %)", fp);
}

/* Write " ±0.6", padded to width.  Returns the columns. */
static int put_error(struct tree *tree, const struct td_node *node, int width)
{
	FILE *fp = tree->writer->fp;
	char buf[TD_VALUE_SIZE];
	int len;

	tree->marks.any |= *error_of(buf, tree, node) == '?';
	tree->marks.errors |= *buf != '\0';
	tree->marks.no_error |= *buf == '\0';
	tree->marks.in_step |= tree->report->in_step;
	if (!*buf)
		return fprintf(fp, "%*s", width, "");
	fputs(" " PLUS_MINUS, fp);
	len = 2 + fprintf(fp, "%s", buf);
	return len + fprintf(fp, "%*s", width - len, "");
}

/* Write "      12.3 ±0.6 %  tma_retiring". */
static int put_figure(struct tree *tree, const struct td_node *node)
{
	const struct widths *widths = widths_of(tree, node);
	const struct td_column *column = column_of(tree, node);
	int indent = INDENT * node->depth;
	FILE *fp = tree->writer->fp;
	char buf[TD_VALUE_SIZE];
	const char *figure = figure_of(buf, tree, node);
	int behind = widths->part - td_out_part(figure), columns;

	if (cell_of(tree, node)->status != TD_STATUS_OK) {
		columns = fprintf(fp, "%*s", indent + figure_width(widths), figure);
	} else {
		columns =
			fprintf(fp, "%*s%*s", indent + widths->value - behind, figure, behind, "");
		columns += put_error(tree, node, widths->error);
		columns += fprintf(fp, "%*s", widths->unit ? 1 : 0, "");
		columns += td_put_padded(fp, -widths->unit, column->unit);
	}
	fputs("  ", fp);
	return columns + 2 + td_put_printable(fp, column->name);
}

static void put_node(struct tree *tree, const struct td_node *node)
{
	bool colour = tree->writer->frame->colour;
	const struct td_cell *cell = cell_of(tree, node);
	FILE *fp = tree->writer->fp;
	int len = put_figure(tree, node);

	if (cell->status != TD_STATUS_OK) {
		if (tree->writer->frame->describe && cell->why) {
			fputs("  (", fp);
			td_put_printable(fp, cell->why);
			fputc(')', fp);
		}
		td_out_text_end_line(tree->writer, tree->row);
		return;
	}
	len += fprintf(fp, "%s%s", misfit_mark(cell->misfit), errata_mark(node));
	td_out_marks_add_node(&tree->marks, cell);
	tree->marks.errata |= node->errata != NULL;
	if (td_out_is_marked(tree->row, cell))
		fprintf(fp, "%*s%s<--%s", len < tree->mark ? tree->mark - len : 1, "",
			colour ? "\033[31m" : "", colour ? "\033[m" : "");
	put_range(tree, column_of(tree, node), cell);
	if (cell->running_pct + 100 - TD_ALL_PCT < tree->row->running_pct ||
	    (cell->other_slices && cell->running_pct < TD_ALL_PCT)) {
		if (cell->running_pct < 0.05)
			fputs("  (<0.1 %)", fp);
		else
			fprintf(fp, "  (%.1f %%)", cell->running_pct);
	}
	td_out_text_end_line(tree->writer, tree->row);
}

static void describe(const struct td_writer *writer, const char *desc, int column)
{
	if (!desc[strspn(desc, " \t\r\n")])
		return;
	fprintf(writer->fp, "%*s", column, "");
	if (writer->frame->colour)
		td_put_wrapped_dim(writer->fp, column, TD_LINE_WIDTH, desc);
	else
		td_put_wrapped(writer->fp, column, TD_LINE_WIDTH, desc);
}

/* Write below a node, with -v: "DESCRIPTION [an estimate]", "errata: HSD29". */
static void describe_node(const struct td_writer *writer, const struct td_node *node, int column)
{
	const char *estimate = "";
	char text[2048];

	if (node->estimate)
		estimate = strcmp(node->estimate, TD_ESTIMATE_OF_HALF) == 0
				   ? " [an estimate: shared core]"
				   : " [an estimate]";
	snprintf(text, sizeof(text), "%s%s", node->desc ? node->desc : "", estimate);
	describe(writer, text, column);
	if (!node->errata)
		return;
	snprintf(text, sizeof(text), "errata: %s", node->errata);
	describe(writer, text, column);
}

static void put_nodes(struct tree *tree)
{
	const struct td_row *row = tree->row;

	td_for_each(const struct td_node, node, row->nodes, row->nr_nodes) {
		int column;

		if (!is_shown(tree, node))
			continue;
		td_out_text_begin_line(tree->writer, tree->row);
		column = start_line(tree) + name_column(tree, node);
		put_node(tree, node);
		if (tree->writer->frame->describe)
			describe_node(tree->writer, node,
				      column < DESC_COLUMN ? column : DESC_COLUMN);
	}
}

#define BRIEF_NS 200000000 /* shorter runs hardly measure deep levels */

static void put_hidden(const struct tree *tree)
{
	const struct td_writer *writer = tree->writer;

	if (tree->nr_unmarked || tree->nr_not_counted) {
		td_out_text_begin_line(writer, tree->row);
		start_line(tree);
	}
	if (tree->brief && tree->nr_deeper) {
		fputs("  a short run: -l auto shows more than level 1", writer->fp);
		td_out_text_end_line(writer, tree->row);
	} else {
		put_hidden_line(writer, tree->row, tree->nr_unmarked, tree->nr_not_counted);
	}
}

/*
 * Write "      99.8 %  in all", or why there is no sum.  Nodes of the tree replace
 * metrics that this core type does not have.
 */
static void put_sum(struct tree *tree)
{
	const struct td_row *row = tree->row;
	FILE *fp = tree->writer->fp;

	start_line(tree);
	if (row->nr_valueless)
		fprintf(fp, "  %zu %s not counted, so there is no sum\n", row->nr_valueless,
			row->nr_valueless == 1 ? "was" : "were");
	else if (row->nr_nodes)
		fprintf(fp, "%*.1f%*s %%  in all\n", widths_of(tree, &row->nodes[0])->value,
			row->ranked_sum, widths_of(tree, &row->nodes[0])->error, "");
	if (row->nr_nodes && !tree->writer->frame->interval && !tree->report->in_step &&
	    !widths_of(tree, &row->nodes[0])->error)
		fputs("  too few readings to estimate the errors; -r N compares N runs\n", fp);
	if (row->nr_nodes && row->nodes[0].level) {
		start_line(tree);
		fputs("  this core type has no bottleneck metrics; these are nodes of the tree\n",
		      fp);
	}
}

/* Without -v, write one of the reasons why shown nodes have no value. */
static void put_reason(const struct tree *tree)
{
	const char *why = NULL;

	td_for_each(const struct td_node, node, tree->row->nodes, tree->row->nr_nodes) {
		const struct td_cell *cell = cell_of(tree, node);

		if (is_shown(tree, node))
			why = td_out_add_reason(why, cell);
	}
	if (!why || tree->writer->frame->describe)
		return;
	start_line(tree);
	fputs("  no value: ", tree->writer->fp);
	td_put_printable(tree->writer->fp, why);
	fputc('\n', tree->writer->fp);
}

static void put_marks(const struct tree *tree)
{
	const struct td_marks *marks = &tree->marks;

	if (!marks->misfits && !marks->any && !marks->errata && !(marks->errors && marks->no_error))
		return;
	start_line(tree);
	td_out_marks_put(tree->writer, &tree->marks, "  ");
}

void td_out_text_tree(const struct td_writer *writer, const struct td_report *report,
		      const struct td_row *row)
{
	struct tree tree = {
		.writer = writer,
		.report = report,
		.row = row,
		.inside = { .value = VALUE_WIDTH },
		.outside = { .value = VALUE_WIDTH },
		.mark = MARK_COLUMN,
		.brief = writer->frame->brief && !writer->frame->interval &&
			 report->time_ns < BRIEF_NS,
	};
	enum td_status status = td_out_row_status(row);
	bool counted = status == TD_STATUS_OK && !td_out_is_slight(writer, row);

	lay_out(&tree);
	td_out_text_heading(writer, report, row, status);
	/* if nothing was counted, -v shows the reasons */
	if (counted || writer->frame->describe) {
		put_nodes(&tree);
		put_hidden(&tree);
		put_reason(&tree);
		if (counted && row->ranked)
			put_sum(&tree);
		put_marks(&tree);
	}
	fputc('\n', writer->fp);
}
