// SPDX-License-Identifier: GPL-2.0-only
/* Prints a heading for each section, and a row for each name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/list/parts.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

/* --- what is said of an item beside its name ------------------------------- */

/* Turns "a;b" into "a, b"; NULL if memory ran out. */
static char *list_spaced(const char *list)
{
	char *out = malloc(2 * strlen(list) + 1), *to = out;

	for (; out && *list; list++) {
		*to++ = *list == ';' ? ',' : *list;
		if (*list == ';')
			*to++ = ' ';
	}
	if (out)
		*to = '\0';
	return out;
}

/* The description, unless it only repeats the name, as many in the files do. */
static const char *list_describe(const struct td_list_item *item)
{
	if (item->desc && strcasecmp(item->desc, item->name) == 0)
		return NULL;
	return item->desc;
}

/*
 * Describes a node: "%, level 2, below tma_backend_bound"; NULL if memory ran
 * out.
 */
static char *format_node(const struct td_metric_def *metric)
{
	const char *unit = metric->unit, *parent = metric->parent;
	char level[32] = "", *text;

	if (metric->level)
		snprintf(level, sizeof(level), "%slevel %d", *unit ? ", " : "",
			 metric->level);
	if (asprintf(&text, "%s%s%s%s", unit, level, parent ? ", below " : "",
		     parent ? parent : "") < 0)
		return NULL;
	return text;
}

/* Describes a group: "2 metrics: a, b"; NULL if memory ran out. */
static char *format_members(const char *members)
{
	td_autofree char *names = list_spaced(members);
	size_t nr = 1;
	char *text;

	for (const char *at = members; *at; at++)
		nr += *at == ';';
	if (!names || asprintf(&text, "%zu metric%s: %s", nr,
			       nr == 1 ? "" : "s", names) < 0)
		return NULL;
	return text;
}

/*
 * The text after the name and its PMUs; *out, to be freed, is NULL if there is
 * none.  Returns 0 or -ENOMEM.
 */
static int list_first(const struct td_list_item *item, char **out)
{
	const char *desc = list_describe(item);

	if (item->metric && (*item->metric->unit || item->metric->level))
		*out = format_node(item->metric);
	else if (item->kind == TD_LIST_METRICGROUP)
		*out = format_members(item->related);
	else if (desc)
		*out = strdup(desc);
	else
		return 0;
	return *out ? 0 : -ENOMEM;
}

/* --- sections -------------------------------------------------------------- */

#define WIDTH        79
#define INDENT       10
#define LONGEST_NAME 40 /* a longer name shifts the rest of its row */

struct columns {
	int name, pmus; /* widths of the columns */
};

/* The items of one row: one PMU, or all PMUs that have the name. */
struct row {
	const struct td_list_item *items;
	size_t nr;
};

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* What the items of a section have in common, besides the kind. */
static const char *section_key(const struct td_list_item *item)
{
	if (item->kind == TD_LIST_SYSFS)
		return item->pmu;
	return item->kind == TD_LIST_MODEL ? item->topic : NULL;
}

static bool is_same_section(const struct td_list_item *a,
			    const struct td_list_item *b)
{
	return a->kind == b->kind && is_same(section_key(a), section_key(b));
}

/* With -v: the version of the files behind a comma, that of TMA only of metrics. */
static void put_version(FILE *fp, const struct td_list *list, bool of_metrics)
{
	const char *version = list->catalog.events.version;
	const char *tma = version ? strstr(version, ", TMA") : NULL;
	td_autofree char *text = NULL;

	if (!list->opts->request.verbose || !version ||
	    (!of_metrics && strncmp(version, "TMA ", 4) == 0))
		return;
	text = strndup(version, tma && !of_metrics ? (size_t)(tma - version)
						   : strlen(version));
	fputs(", ", fp);
	td_put_printable(fp, text ? text : version);
}

static void put_heading(FILE *fp, const struct td_list *list,
			const struct td_list_item *item)
{
	const char *dir = list->catalog.events.dir;
	const char *model = dir ? strrchr(dir, '/') : NULL;

	switch (item->kind) {
	case TD_LIST_HARDWARE:
		fputs("Hardware events:\n", fp);
		return;
	case TD_LIST_CACHE:
		fputs("Cache events:\n", fp);
		return;
	case TD_LIST_SYSFS:
		fputs("Events of PMU ", fp);
		td_put_printable(fp, item->pmu);
		fputs(" (sysfs):\n", fp);
		return;
	case TD_LIST_MODEL:
		fputs("Events of ", fp);
		td_put_printable(fp, model ? model + 1 : "the model");
		fputs("'s files", fp);
		put_version(fp, list, false);
		fputs(", ", fp);
		td_put_printable(fp, item->topic);
		fputs(":\n", fp);
		return;
	case TD_LIST_SOFTWARE:
		fputs("Software events:\n", fp);
		return;
	case TD_LIST_TOOL:
		fputs("Tool events:\n", fp);
		return;
	case TD_LIST_TRACEPOINT:
		fputs("Tracepoints:\n", fp);
		return;
	case TD_LIST_METRIC:
		fputs("Metrics", fp);
		put_version(fp, list, true);
		fputs(":\n", fp);
		return;
	case TD_LIST_METRICGROUP:
		fputs("Metric groups:\n", fp);
		return;
	}
}

/* --- words ---------------------------------------------------------------- */

static void put_below(FILE *fp, const char *text)
{
	fprintf(fp, "%*s", INDENT, "");
	td_put_wrapped(fp, INDENT, WIDTH, text);
}

/* Returns -ENOMEM if memory ran out, like those below. */
static int put_labelled(FILE *fp, const char *label, const char *text)
{
	td_autofree char *line = NULL;

	if (!text)
		return 0;
	if (asprintf(&line, "%s: %s", label, text) < 0) {
		line = NULL;
		return -ENOMEM;
	}
	put_below(fp, line);
	return 0;
}

/* --- rows ----------------------------------------------------------------- */

/* Is the PMU shown?  Not if it is the only one of the cores. */
static bool shows_pmu(const struct td_list *list,
		      const struct td_list_item *item)
{
	if (!item->pmu || item->kind == TD_LIST_SYSFS)
		return false;
	return list->machine.nr_core != 1 ||
	       strcmp(list->machine.pmus[0].name, item->pmu) != 0;
}

/* Writes "[cpu_core, cpu_atom]" or nothing, and returns its width. */
static int format_pmus(const struct td_list *list, const struct row *row,
		       char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < row->nr && len < size; i++) {
		if (shows_pmu(list, &row->items[i]))
			len += (size_t)snprintf(buf + len, size - len, "%s%s",
						len ? ", " : "[",
						row->items[i].pmu);
	}
	if (len && len < size)
		len += (size_t)snprintf(buf + len, size - len, "]");
	return td_printable_width(buf);
}

static int name_width(const struct td_list_item *item)
{
	int width = td_printable_width(item->name);

	return item->alias ? width + 4 + td_printable_width(item->alias)
			   : width;
}

static bool is_same_node(const struct td_metric_def *a,
			 const struct td_metric_def *b)
{
	return a->level == b->level && is_same(a->parent, b->parent) &&
	       strcmp(a->unit, b->unit) == 0;
}

/* Do two items share a row?  A metric must be the same node on both PMUs. */
static bool is_same_row(const struct td_list_item *a,
			const struct td_list_item *b)
{
	return strcmp(a->name, b->name) == 0 &&
	       (!a->metric || is_same_node(a->metric, b->metric));
}

static struct row take_row(const struct td_list_item *items, size_t nr,
			   bool verbose)
{
	struct row row = { items, 1 };

	while (!verbose && row.nr < nr && is_same_row(&items[row.nr], items))
		row.nr++;
	return row;
}

static struct columns measure(const struct td_list *list,
			      const struct td_list_item *items, size_t nr)
{
	struct columns columns = { 0 };
	struct row row;

	for (size_t i = 0; i < nr; i += row.nr) {
		char pmus[160];
		int len = name_width(&items[i]);

		row = take_row(items + i, nr - i, list->opts->request.verbose);
		if (len > columns.name && len <= LONGEST_NAME)
			columns.name = len;
		len = format_pmus(list, &row, pmus, sizeof(pmus));
		if (len > columns.pmus)
			columns.pmus = len;
	}
	return columns;
}

/* Prints blanks up to a column, at least two, and returns the position. */
static int go_to(FILE *fp, int at, int column)
{
	int blanks = column > at + 2 ? column - at : 2;

	fprintf(fp, "%*s", blanks, "");
	return at + blanks;
}

/* Prints a description at the end of the row if it fits there, else below. */
static void put_desc(FILE *fp, const char *desc, int at, int column)
{
	int start = column > at + 2 ? column : at + 2;

	if (start + td_printable_width(desc) <= WIDTH) {
		go_to(fp, at, column);
		td_put_printable(fp, desc);
		fputc('\n', fp);
		return;
	}
	fputc('\n', fp);
	put_below(fp, desc);
}

static int put_metric(FILE *fp, const struct td_list *list,
		      const struct td_list_item *item)
{
	const struct td_metric_def *metric = item->metric;
	td_autofree char *groups = list_spaced(item->related);

	if ((*metric->unit || metric->level) && list_describe(item))
		put_below(fp, list_describe(item));
	if (!groups)
		return -ENOMEM;
	if (*groups)
		put_below(fp, groups);
	if (!list->opts->request.verbose)
		return 0;
	if (td_is_estimate(metric->desc))
		put_below(fp, "an estimate, by its description");
	if (put_labelled(fp, "formula", metric->formula))
		return -ENOMEM;
	return put_labelled(fp, "threshold", metric->threshold);
}

/* Prints the name and its alias, and returns their width. */
static int put_name(FILE *fp, const struct td_list_item *item)
{
	int at = fprintf(fp, "  ");

	at += td_put_printable(fp, item->name);
	if (item->alias) {
		at += fprintf(fp, " OR ");
		at += td_put_printable(fp, item->alias);
	}
	return at;
}

static int put_row(FILE *fp, const struct td_list *list, const struct row *row,
		   const struct columns *columns)
{
	const struct td_list_item *item = row->items;
	td_autofree char *first = NULL;
	int rc = list_first(item, &first);
	int column = 2 + columns->name + 2;
	char pmus[160];
	int at = put_name(fp, item);

	if (format_pmus(list, row, pmus, sizeof(pmus))) {
		at = go_to(fp, at, column);
		at += td_put_printable(fp, pmus);
	}
	if (columns->pmus)
		column += columns->pmus + 2;
	if (first)
		put_desc(fp, first, at, column);
	else
		fputc('\n', fp);
	if (!rc && item->metric)
		rc = put_metric(fp, list, item);
	if (item->encoding)
		put_below(fp, item->encoding);
	if (!rc && list->opts->request.verbose)
		rc = put_labelled(fp, "errata", item->errata);
	return rc;
}

static int put_section(FILE *fp, const struct td_list *list,
		       const struct td_list_item *items, size_t nr)
{
	struct columns columns = measure(list, items, nr);
	struct row row;
	int rc = 0;

	put_heading(fp, list, items);
	for (size_t i = 0; !rc && i < nr; i += row.nr) {
		row = take_row(items + i, nr - i, list->opts->request.verbose);
		rc = put_row(fp, list, &row, &columns);
	}
	return rc;
}

int td_list_put_text(FILE *fp, const struct td_list *list)
{
	size_t end;
	int rc = 0;

	for (size_t i = 0; !rc && i < list->nr_items; i = end) {
		end = i + 1;
		while (end < list->nr_items &&
		       is_same_section(&list->items[i], &list->items[end]))
			end++;
		if (i)
			fputc('\n', fp);
		rc = put_section(fp, list, &list->items[i], end - i);
	}
	return rc;
}
