// SPDX-License-Identifier: GPL-2.0-only
/* The list as text: a heading for each section, and a row for each name. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <strings.h>

#include "cmd/list/parts.h"
#include "lib/base/printable.h"
#include "lib/event/event.h"

bool td_encoding_is_numeric(const struct td_event *event)
{
	return event->type < PERF_TYPE_RAW;
}

/* Is name one of the terms of "event=0xcd,umask=0x1,ldlat"? */
static bool is_among(const char *terms, const char *name)
{
	size_t len = strlen(name);

	while (terms && *terms) {
		if (strncmp(terms, name, len) == 0 &&
		    strchr(",=", terms[len])) /* also matches the NUL */
			return true;
		terms += strcspn(terms, ",");
		terms += *terms == ',';
	}
	return false;
}

/* Do other formats use the same bits, as ldlat, frontend and offcore_rsp use config1? */
static bool is_ambiguous(const struct td_pmu *pmu, const struct td_format *format)
{
	td_for_each(const struct td_format, other, pmu->formats, pmu->nr_formats) {
		if (other != format && other->word == format->word && other->mask & format->mask)
			return true;
	}
	return false;
}

/* The reverse of td_format_pack(). */
static uint64_t unpack(const struct td_format *format, uint64_t config)
{
	uint64_t value = 0;
	int to = 0;

	for (int bit = 0; bit < 64; bit++) {
		if (format->mask >> bit & 1)
			value |= (config >> bit & 1) << to++;
	}
	return value;
}

/* An event that is partly written. */
struct rest {
	FILE *fp;
	uint64_t config[TD_NR_CONFIGS]; /* the bits that are not written yet */
	const char *separator;
};

static void put_term(struct rest *rest, const char *name, uint64_t value)
{
	fprintf(rest->fp, "%s%s=0x%" PRIx64, rest->separator, name, value);
	rest->separator = ",";
}

static void put_format(struct rest *rest, const struct td_event *event,
		       const struct td_format *format)
{
	if (!(rest->config[format->word] & format->mask))
		return;
	put_term(rest, format->name, unpack(format, event->config[format->word]));
	rest->config[format->word] &= ~format->mask;
}

/* Write the event code first, as sysfs does, even if it is 0. */
static void put_code(struct rest *rest, const struct td_pmu *pmu, const struct td_event *event)
{
	const struct td_format *code = td_pmu_format(pmu, "event");
	const struct td_format *umask = td_pmu_format(pmu, "umask");

	if (code) {
		put_term(rest, code->name, unpack(code, event->config[code->word]));
		rest->config[code->word] &= ~code->mask;
	}
	if (umask)
		put_format(rest, event, umask);
}

static void put_unnamed(struct rest *rest)
{
	static const char *const words[TD_NR_CONFIGS] = { "config", "config1", "config2",
							  "config3" };

	for (int i = 0; i < TD_NR_CONFIGS; i++) {
		if (rest->config[i])
			put_term(rest, words[i], rest->config[i]);
	}
	if (!*rest->separator)
		put_term(rest, words[0], 0);
}

/* Write "0:0x400000000", with further terms between slashes: "0:0x1/percore/". */
static void put_numeric(FILE *fp, const struct td_event *event)
{
	const char *separator = "/";

	fprintf(fp, "%u:0x%" PRIx64, event->type, event->config[0]);
	for (int i = 1; i < TD_NR_CONFIGS; i++) {
		if (!event->config[i])
			continue;
		fprintf(fp, "%sconfig%d=0x%" PRIx64, separator, i, event->config[i]);
		separator = ",";
	}
	if (event->percore) {
		fprintf(fp, "%spercore", separator);
		separator = ",";
	}
	if (*separator == ',')
		fputc('/', fp);
}

void td_encoding_put(FILE *fp, const struct td_pmu *pmu, const char *pmu_name,
		     const struct td_event *event, const char *terms)
{
	struct rest rest = { .fp = fp, .separator = "" };

	if (td_encoding_is_numeric(event)) {
		put_numeric(fp, event);
		return;
	}
	memcpy(rest.config, event->config, sizeof(rest.config));
	fprintf(fp, "%s/", pmu_name);
	put_code(&rest, pmu, event);
	for (size_t i = 0; i < pmu->nr_formats; i++) {
		if (is_among(terms, pmu->formats[i].name) || !is_ambiguous(pmu, &pmu->formats[i]))
			put_format(&rest, event, &pmu->formats[i]);
	}
	put_unnamed(&rest);
	fputs(event->percore ? ",percore/" : "/", fp);
}

/* --- texts of an item ------------------------------------------------------ */

/* Turn "a;b" into "a, b". */
static char *spaced(const char *list)
{
	char *out = td_malloc(2 * strlen(list) + 1), *to = out;

	for (; *list; list++) {
		*to++ = *list == ';' ? ',' : *list;
		if (*list == ';')
			*to++ = ' ';
	}
	*to = '\0';
	return out;
}

/* Return the description, or NULL if it only repeats the name, as many in the files do. */
static const char *describe(const struct td_list_item *item)
{
	return item->desc && strcasecmp(item->desc, item->name) == 0 ? NULL : item->desc;
}

/* Describe a node: "%, level 2, below tma_backend_bound". */
static char *format_node(const struct td_metric_def *metric)
{
	const char *unit = metric->unit, *parent = metric->parent;
	char level[32] = "";

	if (metric->level)
		snprintf(level, sizeof(level), "%slevel %d", *unit ? ", " : "", metric->level);
	return td_aprintf("%s%s%s%s", unit, level, parent ? ", below " : "", parent ? parent : "");
}

/* Describe a group: "2 metrics: a, b". */
static char *format_members(const char *members)
{
	td_autofree char *names = spaced(members);
	size_t nr = 1;

	for (const char *at = members; *at; at++)
		nr += *at == ';';
	return td_aprintf("%zu metric%s: %s", nr, nr == 1 ? "" : "s", names);
}

/* Return the text after the name and its PMUs, or NULL; the caller frees it. */
static char *first_text(const struct td_list_item *item)
{
	const char *desc = describe(item);

	if (item->metric && (*item->metric->unit || item->metric->level))
		return format_node(item->metric);
	if (item->kind == TD_LIST_METRICGROUP)
		return format_members(item->related);
	return desc ? td_strdup(desc) : NULL;
}

/* --- sections -------------------------------------------------------------- */

#define WIDTH    79
#define INDENT   10
#define MAX_NAME 40 /* a longer name shifts the rest of its row */

struct columns {
	int name, pmus; /* widths of the columns */
};

/* The items of one row: one PMU, or all PMUs that have the name. */
struct row {
	const struct td_list_item *items;
	size_t nr;
};

/* Return the text, besides the kind, that all items of a section share. */
static const char *section_key(const struct td_list_item *item)
{
	if (item->kind == TD_LIST_SYSFS)
		return item->pmu;
	return item->kind == TD_LIST_MODEL ? item->topic : NULL;
}

/* -v: print a comma and the version of the files; for metrics, also the version of TMA. */
static void put_version(FILE *fp, const struct td_list *list, bool of_metrics)
{
	const char *version = list->catalog.events.version;
	const char *tma = version ? strstr(version, ", TMA") : NULL;
	td_autofree char *text = NULL;

	if (!list->opts->request.verbose || !version ||
	    (!of_metrics && strncmp(version, "TMA ", 4) == 0))
		return;
	text = td_strndup(version, tma && !of_metrics ? (size_t)(tma - version) : strlen(version));
	fputs(", ", fp);
	td_put_printable(fp, text);
}

static void put_heading(FILE *fp, const struct td_list *list, const struct td_list_item *item)
{
	static const char *const headings[] = {
		[TD_LIST_HARDWARE] = "Hardware events",  [TD_LIST_CACHE] = "Cache events",
		[TD_LIST_SYSFS] = "Events of PMU ",      [TD_LIST_MODEL] = "Events of ",
		[TD_LIST_SOFTWARE] = "Software events",  [TD_LIST_TOOL] = "Tool events",
		[TD_LIST_TRACEPOINT] = "Tracepoints",    [TD_LIST_METRIC] = "Metrics",
		[TD_LIST_METRICGROUP] = "Metric groups",
	};
	const char *dir = list->catalog.events.dir;
	const char *model = dir ? strrchr(dir, '/') : NULL;

	fputs(headings[item->kind], fp);
	if (item->kind == TD_LIST_SYSFS) {
		td_put_printable(fp, item->pmu);
		fputs(" (sysfs)", fp);
	} else if (item->kind == TD_LIST_MODEL) {
		td_put_printable(fp, model ? model + 1 : "the model");
		fputs("'s files", fp);
		put_version(fp, list, false);
		fputs(", ", fp);
		td_put_printable(fp, item->topic);
	} else if (item->kind == TD_LIST_METRIC) {
		put_version(fp, list, true);
	}
	fputs(":\n", fp);
}

/* --- words ---------------------------------------------------------------- */

static void put_below(FILE *fp, const char *text)
{
	fprintf(fp, "%*s", INDENT, "");
	td_put_wrapped(fp, INDENT, WIDTH, text);
}

static void put_labelled(FILE *fp, const char *label, const char *text)
{
	td_autofree char *line = NULL;

	if (!text)
		return;
	line = td_aprintf("%s: %s", label, text);
	put_below(fp, line);
}

/* --- rows ----------------------------------------------------------------- */

/* Is the PMU shown?  A machine's only core PMU is not. */
static bool shows_pmu(const struct td_list *list, const struct td_list_item *item)
{
	if (!item->pmu || item->kind == TD_LIST_SYSFS)
		return false;
	return list->machine.nr_core != 1 || strcmp(list->machine.pmus[0].name, item->pmu) != 0;
}

/* Write "[cpu_core, cpu_atom]" or "" to buf.  Returns its width. */
static int format_pmus(const struct td_list *list, const struct row *row, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < row->nr && len < size; i++) {
		if (shows_pmu(list, &row->items[i]))
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "[",
						row->items[i].pmu);
	}
	if (len && len < size)
		len += (size_t)snprintf(buf + len, size - len, "]");
	return td_printable_width(buf);
}

static int name_width(const struct td_list_item *item)
{
	int width = td_printable_width(item->name);

	return item->alias ? width + 4 + td_printable_width(item->alias) : width;
}

/* Can two items share a row?  A metric must be the same node on both PMUs. */
static bool is_same_row(const struct td_list_item *a, const struct td_list_item *b)
{
	const struct td_metric_def *x = a->metric, *y = b->metric;

	return strcmp(a->name, b->name) == 0 &&
	       (!x || (x->level == y->level && td_same_text(x->parent, y->parent) &&
		       strcmp(x->unit, y->unit) == 0));
}

static struct row next_row(const struct td_list_item *items, size_t nr, bool verbose)
{
	struct row row = { items, 1 };

	while (!verbose && row.nr < nr && is_same_row(&items[row.nr], items))
		row.nr++;
	return row;
}

static struct columns measure(const struct td_list *list, const struct td_list_item *items,
			      size_t nr)
{
	struct columns columns = { 0 };
	struct row row;

	for (size_t i = 0; i < nr; i += row.nr) {
		char pmus[160];
		int len = name_width(&items[i]);

		row = next_row(items + i, nr - i, list->opts->request.verbose);
		if (len > columns.name && len <= MAX_NAME)
			columns.name = len;
		len = format_pmus(list, &row, pmus, sizeof(pmus));
		if (len > columns.pmus)
			columns.pmus = len;
	}
	return columns;
}

/* Print blanks up to a column, at least two.  Returns the position. */
static int put_blanks(FILE *fp, int at, int column)
{
	int blanks = column > at + 2 ? column - at : 2;

	fprintf(fp, "%*s", blanks, "");
	return at + blanks;
}

/* Print a description at the end of the row if it fits there, else below. */
static void put_desc(FILE *fp, const char *desc, int at, int column)
{
	int start = column > at + 2 ? column : at + 2;

	if (start + td_printable_width(desc) <= WIDTH) {
		put_blanks(fp, at, column);
		td_put_printable(fp, desc);
		fputc('\n', fp);
		return;
	}
	fputc('\n', fp);
	put_below(fp, desc);
}

static void put_metric(FILE *fp, const struct td_list *list, const struct td_list_item *item)
{
	const struct td_metric_def *metric = item->metric;
	td_autofree char *groups = spaced(item->related);

	if ((*metric->unit || metric->level) && describe(item))
		put_below(fp, describe(item));
	if (*groups)
		put_below(fp, groups);
	if (!list->opts->request.verbose)
		return;
	if (td_is_estimate(metric->desc))
		put_below(fp, "an estimate, according to its description");
	put_labelled(fp, "formula", metric->formula);
	put_labelled(fp, "threshold", metric->threshold);
}

/* Print the name and its alias.  Returns their width. */
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

static void put_row(FILE *fp, const struct td_list *list, const struct row *row,
		    const struct columns *columns)
{
	const struct td_list_item *item = row->items;
	td_autofree char *first = first_text(item);
	int column = 2 + columns->name + 2;
	char pmus[160];
	int at = put_name(fp, item);

	if (format_pmus(list, row, pmus, sizeof(pmus))) {
		at = put_blanks(fp, at, column);
		at += td_put_printable(fp, pmus);
	}
	if (columns->pmus)
		column += columns->pmus + 2;
	if (first)
		put_desc(fp, first, at, column);
	else
		fputc('\n', fp);
	if (item->metric)
		put_metric(fp, list, item);
	if (item->encoding)
		put_below(fp, item->encoding);
	if (list->opts->request.verbose)
		put_labelled(fp, "errata", item->errata);
}

static void put_section(FILE *fp, const struct td_list *list, const struct td_list_item *items,
			size_t nr)
{
	struct columns columns = measure(list, items, nr);
	struct row row;

	put_heading(fp, list, items);
	if (items->kind == TD_LIST_CACHE)
		put_below(fp, "The kernel maps these names to different events on each core; see "
			      "tdstat explain L1-dcache-load-misses");
	for (size_t i = 0; i < nr; i += row.nr) {
		row = next_row(items + i, nr - i, list->opts->request.verbose);
		put_row(fp, list, &row, &columns);
	}
}

void td_list_put_text(FILE *fp, const struct td_list *list)
{
	size_t end;

	for (size_t i = 0; i < list->nr_items; i = end) {
		end = i + 1;
		while (end < list->nr_items && list->items[i].kind == list->items[end].kind &&
		       td_same_text(section_key(&list->items[i]), section_key(&list->items[end])))
			end++;
		if (i)
			fputc('\n', fp);
		put_section(fp, list, &list->items[i], end - i);
	}
}
