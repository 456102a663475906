// SPDX-License-Identifier: GPL-2.0-only
/* Flame graphs, in a page or as separate files. */
#include "cmd/pictures/page.h"

#include "cmd/output/where.h"
#include "cmd/pictures/picture.h"
#include "lib/sample/hits.h"
#include "metrics/explain/explain.h"

#define WIDTH      1200
#define ROW_HEIGHT 18
#define HEADING    30    /* height of an event's heading */
#define MAX_ROWS   256   /* tdstat's own chains are half as deep */
#define PARTS      10000 /* a bar narrower than one part of the width is invisible */
#define LABEL      0.03  /* minimum share of the width for a text */
#define SHADES     4
#define PERCENT    100

/* --- colours ---------------------------------------------------------------- */

/* Return the node's ancestor of level 1. */
static const char *top_of(const char *node)
{
	const struct td_explanation *text = td_explanation_find(node);

	while (text && text->parent) {
		node = text->parent;
		text = td_explanation_find(node);
	}
	return node;
}

/* Return the hue of a part; TD_NR_PARTS: unknown. */
static int hue_of(int part)
{
	return part == TD_NR_PARTS ? TD_PART_OTHER : part;
}

static int largest(const double sums[TD_NR_PARTS])
{
	int most = TD_PART_OTHER;

	for (int i = 0; i < TD_NR_PARTS; i++)
		most = sums[i] > sums[most] ? i : most;
	return most;
}

/*
 * Return the hue of each stack.  Functions have a node of level 1 each, and a caller
 * has the node with the largest weight below it.
 */
static int *make_hues(const struct td_stacks *stacks, const struct td_where *where)
{
	int *hues = td_calloc(stacks->nr + 1, sizeof(*hues));
	td_autofree double(*sums)[TD_NR_PARTS] = td_calloc(stacks->nr + 1, sizeof(*sums));

	for (size_t i = stacks->nr; i-- > 0;) {
		const struct td_stack *s = &stacks->v[i];

		hues[i] =
			where->node ? hue_of((int)td_part_of(top_of(where->node))) : TD_PART_OTHER;
		if (!where->hues)
			continue;
		sums[i][s->function < 0 ? TD_PART_OTHER : hue_of(where->hues[s->function])] +=
			s->own;
		for (int part = 0; s->caller >= 0 && part < TD_NR_PARTS; part++)
			sums[s->caller][part] += sums[i][part];
		hues[i] = largest(sums[i]);
	}
	return hues;
}

/* --- bars ------------------------------------------------------------------- */

static void put_share(FILE *fp, double part, double all)
{
	char buf[64];

	fprintf(fp, "%s %%", td_out_format(buf, 1, PERCENT * part / all));
}

static void put_title(FILE *fp, const struct td_stacks *stacks, const struct td_stack *s,
		      const char *name, const char *unit)
{
	char buf[64];

	td_page_put(fp, "<title>", name, ": ");
	put_share(fp, s->all, stacks->all);
	fputs(", ", fp);
	td_out_grouped(fp, 0, td_out_format(buf, 0, s->all));
	fprintf(fp, " %s; ", unit);
	put_share(fp, s->own, stacks->all);
	fputs(" in itself</title>", fp);
}

static int nr_rows(const struct td_stacks *stacks)
{
	return stacks->depth < MAX_ROWS ? stacks->depth : MAX_ROWS;
}

/* An <svg> per bar clips its text; widths are relative to the chart. */
static void put_bar(FILE *fp, const struct td_stacks *stacks, const struct td_stack *s, int hue,
		    const char *unit)
{
	double from = s->from / stacks->all, part = s->all / stacks->all;
	char buf[TD_STACK_NAME], colour[8];
	const char *name = td_stack_name(buf, stacks->locations, s->function);
	int shade = (int)(td_hash_text(name) % SHADES);

	fprintf(fp,
		"<svg class=\"bar\" data-from=\"%.6f\" data-part=\"%.6f\" data-depth=\"%d\" "
		"x=\"%.4f%%\" y=\"%d\" width=\"%.4f%%\" height=\"%d\">",
		from, part, s->depth, PERCENT * from, (nr_rows(stacks) - 1 - s->depth) * ROW_HEIGHT,
		PERCENT * part, ROW_HEIGHT);
	put_title(fp, stacks, s, name, unit);
	fprintf(fp,
		"<rect width=\"100%%\" height=\"100%%\" fill=\"%s\" stroke=\"#fff\"/><text x=\"3\" "
		"y=\"13\"%s>",
		td_icicle_colour(colour, hue, shade), part < LABEL ? " display=\"none\"" : "");
	td_page_put(fp, "", name, "</text></svg>\n");
}

static void put_bars(FILE *fp, const struct td_stacks *stacks, const struct td_where *where,
		     const struct td_where_event *event)
{
	const char *unit = td_where_unit(where, event);
	td_autofree int *hues = make_hues(stacks, where);

	fputs("<g font-family=\"sans-serif\" font-size=\"12\" fill=\"#000\">\n", fp);
	for (size_t i = 0; i < stacks->nr; i++) {
		const struct td_stack *s = &stacks->v[i];

		if (s->all > stacks->all / PARTS && s->depth < MAX_ROWS)
			put_bar(fp, stacks, s, hues[i], unit);
	}
	fputs("</g>\n", fp);
}

/*
 * Markup of a square of the legend, before and after its colour.  A page's security policy
 * forbids styles of elements, so its squares are images.
 */
static const char *const of_chart[] = { "<tspan fill=\"", "\">\u25a0</tspan>" };
static const char *const of_page[] = {
	"<svg width=\"10\" height=\"10\"><rect width=\"10\" height=\"10\" fill=\"", "\"/></svg>"
};

static void put_legend(FILE *fp, const char *const square[2])
{
	char colour[8];

	fputs("; most slots:", fp);
	for (int i = 0; i < TD_NR_PARTS; i++)
		fprintf(fp, " %s%s%s %s", square[0], td_icicle_colour(colour, i, 0), square[1],
			i == TD_PART_OTHER ? "unknown" : td_part_name((enum td_part)i));
}

/* Write "cpu-clock, about 1,234 events". */
static void put_caption(FILE *fp, const struct td_where *where, const struct td_where_event *event,
			const char *const square[2])
{
	char buf[64];

	td_page_put(fp, "", event->name, ", about ");
	td_out_grouped(fp, 0, td_out_format(buf, 0, event->functions.weight));
	fprintf(fp, " %s", td_where_unit(where, event));
	if (where->hues)
		put_legend(fp, square);
	if (!where->node)
		return;
	td_page_put(fp, " of ", where->node, "");
	if (strcmp(top_of(where->node), where->node) == 0)
		return;
	td_page_put(fp, ", a part of ", top_of(where->node), "");
}

/* --- a figure of a page ----------------------------------------------------- */

void td_flame_put_figure(struct td_writer *writer, const struct td_where *where,
			 const struct td_where_event *event)
{
	FILE *fp = writer->fp;
	struct td_stacks stacks;

	td_stacks_make(&stacks, where->hits, where->locations, event->index);
	if (stacks.depth) {
		fputs("<figure class=\"flame\"><figcaption>Callers: ", fp);
		put_caption(fp, where, event, of_page);
		fprintf(fp,
			"</figcaption>\n<svg width=\"100%%\" height=\"%d\" role=\"img\" "
			"aria-label=\"Flame graph; the table has its functions\">\n",
			nr_rows(&stacks) * ROW_HEIGHT);
		put_bars(fp, &stacks, where, event);
		fputs("</svg></figure>\n", fp);
	}
	td_stacks_free(&stacks);
}

/* --- a chart of its own ----------------------------------------------------- */

/* Add the event at *y. */
static void put_event(FILE *fp, const struct td_where *where, const struct td_where_event *event,
		      int *y)
{
	struct td_stacks stacks;

	td_stacks_make(&stacks, where->hits, where->locations, event->index);
	fprintf(fp, "<text x=\"3\" y=\"%d\" font-family=\"sans-serif\" font-size=\"14\">",
		*y + HEADING - 10);
	put_caption(fp, where, event, of_chart);
	fprintf(fp, "</text>\n<svg y=\"%d\" width=\"%d\" height=\"%d\">\n", *y + HEADING, WIDTH,
		nr_rows(&stacks) * ROW_HEIGHT);
	put_bars(fp, &stacks, where, event);
	fputs("</svg>\n", fp);
	*y += HEADING + nr_rows(&stacks) * ROW_HEIGHT;
	td_stacks_free(&stacks);
}

void td_flame_write_svg(FILE *fp, const struct td_where *where)
{
	td_autofree char *drawn = NULL;
	size_t size;
	FILE *drawing = td_open_memstream(&drawn, &size);
	int height = 0;

	for (size_t i = 0; i < where->nr; i++)
		put_event(drawing, where, &where->events[i], &height);
	td_text_close(drawing, &drawn);
	fprintf(fp,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 "
		"0 %d %d\" role=\"img\">\n"
		"<desc>Flame graph by tdstat: each function is above its caller, and as wide as "
		"its part of the samples.</desc>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		WIDTH, height, WIDTH, height);
	fwrite(drawn, 1, size, fp);
	fputs("</svg>\n", fp);
}
