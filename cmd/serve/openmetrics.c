// SPDX-License-Identifier: GPL-2.0-only
/*
 * OpenMetrics 1.0, and the older text format of Prometheus, in which names of families
 * end in "_total", and there are no units and no type "info".
 */
#include "cmd/serve/parts.h"

#include <string.h>

#include "cmd/output/out.h"
#include "lib/base/printable.h"

static const char *const types[TD_NR_EXPOSITIONS] = {
	[TD_EXPOSE_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	[TD_EXPOSE_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
};

const char *td_out_openmetrics_type(enum td_exposition how)
{
	return types[how];
}

/* U+FFFD, which is unlikely in a name. */
#define MARK "\357\277\275"

static void put_byte(FILE *fp, char c)
{
	fprintf(fp, MARK "%02x", (unsigned char)c);
}

static void put_printable(FILE *fp, const char *text, size_t len)
{
	const size_t mark = strlen(MARK);

	for (size_t i = 0; i < len; i++) {
		if (text[i] == '\\' || text[i] == '"') {
			fprintf(fp, "\\%c", text[i]);
		} else if (strncmp(text + i, MARK, mark) == 0) {
			for (size_t byte = 0; byte < mark; byte++)
				put_byte(fp, text[i + byte]);
			i += mark - 1;
		} else {
			fputc(text[i], fp);
		}
	}
}

/*
 * Prometheus refuses a whole page for one byte that is not UTF-8.  Bytes that are not
 * printable become U+FFFD and two hex digits.  U+FFFD itself is escaped as well, so
 * that different names stay different.
 */
static void put_value(FILE *fp, const char *text)
{
	while (*text) {
		size_t len = td_printable_span(text);

		put_printable(fp, text, len);
		text += len;
		if (*text)
			put_byte(fp, *text++);
	}
}

/* Write NAME="VALUE".  Returns the separator before the next label. */
static const char *put_label(FILE *fp, const char *before, const char *name, const char *value)
{
	if (!name || !value)
		return before;
	fprintf(fp, "%s%s=\"", before, name);
	put_value(fp, value);
	fputc('"', fp);
	return ",";
}

static const char *container_of(const struct td_cgroups *cgroups, const char *id)
{
	size_t at = cgroups && id ? td_cgroups_find(cgroups, id) : 0;

	return cgroups && id && at < cgroups->nr ? cgroups->containers[at] : NULL;
}

static void put_labels(FILE *fp, const struct td_counters *counters,
		       const struct td_family_row *row, const struct td_series *series)
{
	const char *before = put_label(fp, "{", "pmu", series->pmu);

	before = put_label(fp, before, counters->label, series->id);
	before = put_label(fp, before, "container", container_of(counters->cgroups, series->id));
	before = put_label(fp, before, "parent", series->parent);
	before = put_label(fp, before, row->label, series->name);
	before = put_label(fp, before, "unit", series->unit);
	if (*before == ',')
		fputc('}', fp);
}

static void put_head(FILE *fp, enum td_exposition how, const struct td_family_row *row)
{
	bool text = how == TD_EXPOSE_TEXT;
	const char *suffix = text && row->counter ? "_total" : "";

	fprintf(fp, "# HELP %s%s %s\n", row->name, suffix, row->help);
	fprintf(fp, "# TYPE %s%s %s\n", row->name, suffix, row->counter ? "counter" : "gauge");
	if (!text && row->unit)
		fprintf(fp, "# UNIT %s %s\n", row->name, row->unit);
}

static void put_series(FILE *fp, const struct td_counters *counters,
		       const struct td_family_row *row, const struct td_series *series)
{
	char number[64];

	fprintf(fp, "%s%s", row->name, row->counter ? "_total" : "");
	put_labels(fp, counters, row, series);
	if (row->decimals < 0)
		fprintf(fp, " %.10g\n", series->value);
	else
		fprintf(fp, " %s\n", td_out_format(number, row->decimals, series->value));
}

static void put_family(FILE *fp, enum td_exposition how, const struct td_counters *counters,
		       enum td_family_kind kind)
{
	const struct td_family *family = &counters->families[kind];
	const struct td_family_row *row = td_family_row(kind);
	bool begun = false;

	for (size_t i = 0; i < family->nr; i++) {
		if (!td_counters_has_value(counters, kind, &family->v[i]))
			continue;
		if (!begun)
			put_head(fp, how, row);
		begun = true;
		put_series(fp, counters, row, &family->v[i]);
	}
}

static void put_info(FILE *fp, enum td_exposition how, const struct td_counters *counters)
{
	bool text = how == TD_EXPOSE_TEXT;
	const char *name = text ? "tdstat_info" : "tdstat", *before;

	fprintf(fp, "# HELP %s Version of tdstat and processor model.\n", name);
	fprintf(fp, "# TYPE %s %s\n", name, text ? "gauge" : "info");
	fputs("tdstat_info", fp);
	before = put_label(fp, "{", "version", counters->version);
	before = put_label(fp, before, "cpuid", counters->cpuid);
	put_label(fp, before, "model", counters->model);
	put_label(fp, before, "files", counters->files);
	fputs("} 1\n", fp);
}

void td_out_openmetrics(FILE *fp, enum td_exposition how, const struct td_counters *counters)
{
	put_info(fp, how, counters);
	for (int kind = 0; kind < TD_NR_FAMILIES; kind++)
		put_family(fp, how, counters, (enum td_family_kind)kind);
	if (how == TD_EXPOSE_OPENMETRICS)
		fputs("# EOF\n", fp);
}
