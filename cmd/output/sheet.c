// SPDX-License-Identifier: GPL-2.0-only
/* Sheets as CSV and as JSON Lines. */
#include <json-c/json.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "cmd/output/out.h"
#include "lib/base/json.h"
#include "lib/base/printable.h"

static const void *member(const struct td_sheet_column *column, const void *row)
{
	return (const char *)row + column->offset;
}

static bool is_number(const struct td_sheet_column *column)
{
	return column->kind >= TD_CELL_COUNT;
}

/* Return the text of a cell that is not a number; NULL: none. */
static const char *text_of(const struct td_sheet_column *column, const void *at)
{
	if (column->kind == TD_CELL_WORD)
		return column->words[*(const int *)at];
	return *(const char *const *)at;
}

/* --- CSV -------------------------------------------------------------------- */

/* Must the text be quoted?  Its end and the separator may together contain an earlier separator. */
static bool needs_quotes(const char *separator, const char *text)
{
	size_t len = strlen(text);

	return strstr(text, separator) || strchr(text, '"') || !td_is_text(text) ||
	       (len && strchr(separator, text[len - 1]));
}

/* Escape unprintable characters, because a record is one line. */
void td_out_csv_field(const struct td_writer *writer, const char *text)
{
	FILE *fp = writer->fp;
	size_t len;

	if (!needs_quotes(writer->separator, text)) {
		fputs(text, fp);
		return;
	}
	fputc('"', fp);
	for (; *text; text += len) {
		len = *text == '"' ? 1 : strcspn(text, "\"");
		if (*text == '"')
			fputc('"', fp);
		td_put_printable_n(fp, text, len);
	}
	fputc('"', fp);
}

static const char *csv_number(const struct td_sheet_column *column, double value,
			      char buf[TD_VALUE_SIZE])
{
	static const struct td_column any = { .unit = "" };

	if (isnan(value))
		return NULL;
	if (column->kind == TD_CELL_COUNT)
		return td_out_format(buf, 0, value);
	if (column->kind == TD_CELL_PERCENT)
		return td_out_format(buf, 2, value);
	if (column->kind == TD_CELL_SECONDS)
		return td_out_format(buf, 9, value);
	if (column->decimals)
		return td_out_format(buf, column->decimals, value);
	return td_out_value(buf, &any, value, TD_READER_SCRIPT);
}

static void put_csv_cell(const struct td_writer *writer, const struct td_sheet_column *column,
			 const void *row)
{
	const void *at = member(column, row);
	char buf[TD_VALUE_SIZE];
	const char *text;

	if (column->kind == TD_CELL_FLAG)
		text = *(const bool *)at ? "1" : "0";
	else if (is_number(column))
		text = csv_number(column, *(const double *)at, buf);
	else if (column->kind != TD_CELL_LEVEL)
		text = text_of(column, at);
	else if (*(const int *)at)
		text = td_out_format(buf, 0, *(const int *)at);
	else
		text = NULL;
	if (text)
		td_out_csv_field(writer, text);
}

void td_out_csv_names(const struct td_writer *writer, const struct td_sheet_column *columns,
		      size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!columns[i].key)
			continue;
		fputs(writer->separator, writer->fp);
		td_out_csv_field(writer, columns[i].key);
	}
}

void td_out_csv_cells(const struct td_writer *writer, const struct td_sheet_column *columns,
		      size_t nr, const void *row)
{
	for (size_t i = 0; i < nr; i++) {
		if (!columns[i].key)
			continue;
		fputs(writer->separator, writer->fp);
		put_csv_cell(writer, &columns[i], row);
	}
}

void td_out_csv_sheet(struct td_writer *writer, const struct td_sheet *sheet)
{
	const struct td_sheet_column *columns = sheet->columns;
	const char *row = sheet->rows;

	if (!writer->header_done) {
		td_out_csv_field(writer, columns[0].key);
		td_out_csv_names(writer, columns + 1, sheet->nr_columns - 1);
		fputc('\n', writer->fp);
		writer->header_done = true;
	}
	for (size_t i = 0; i < sheet->nr_rows; i++, row += sheet->row_size) {
		put_csv_cell(writer, &columns[0], row);
		td_out_csv_cells(writer, columns + 1, sheet->nr_columns - 1, row);
		fputc('\n', writer->fp);
	}
}

/* --- JSON ------------------------------------------------------------------- */

void td_out_json_line(struct td_writer *writer, struct json_object *line)
{
	td_json_put_line(writer->fp, line);
}

/*
 * Write a number without the last of 17 digits, which is noise.  Always write a point or an
 * exponent, because some readers use the type of the first value for all values.
 */
struct json_object *td_out_json_number(double value)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "%.12g", value == 0 ? 0 : value);
	if (!strpbrk(buf, ".e"))
		strcat(buf, ".0");
	return json_object_new_double_s(value, buf);
}

/* Write a percentage with two decimals instead of json-c's 17 digits. */
struct json_object *td_out_json_percent(double value)
{
	char buf[64];

	return json_object_new_double_s(value, td_out_format(buf, 2, value));
}

static struct json_object *json_number(const struct td_sheet_column *column, double value)
{
	char buf[64];

	if (!isfinite(value))
		return NULL;
	if (column->kind == TD_CELL_COUNT && fabs(value) < (double)INT64_MAX)
		return json_object_new_int64((int64_t)value);
	if (column->kind == TD_CELL_PERCENT)
		return td_out_json_percent(value);
	if (column->kind == TD_CELL_SECONDS)
		return json_object_new_double_s(value, td_out_format(buf, 9, value));
	return td_out_json_number(value);
}

/* Return a cell's value; NULL means null. */
static struct json_object *json_cell(const struct td_sheet_column *column, const void *at)
{
	const char *text;

	if (is_number(column))
		return json_number(column, *(const double *)at);
	if (column->kind == TD_CELL_FLAG)
		return column->optional && !*(const bool *)at
			       ? NULL
			       : json_object_new_boolean(*(const bool *)at);
	if (column->kind == TD_CELL_LEVEL)
		return *(const int *)at ? json_object_new_int(*(const int *)at) : NULL;
	text = text_of(column, at);
	return text ? json_object_new_string(text) : NULL;
}

void td_out_json_cells(struct json_object *to, const struct td_sheet_column *columns, size_t nr,
		       const void *row)
{
	for (size_t i = 0; i < nr; i++) {
		const struct td_sheet_column *column = &columns[i];
		struct json_object *cell;

		if (!column->key || column->csv_only)
			continue;
		cell = json_cell(column, member(column, row));
		if (cell || !column->optional)
			td_json_add(to, column->key, cell);
	}
}

void td_out_json_sheet(struct td_writer *writer, const struct td_sheet *sheet)
{
	const char *row = sheet->rows;

	for (size_t i = 0; i < sheet->nr_rows; i++, row += sheet->row_size) {
		struct json_object *o = td_json_line();

		td_out_json_cells(o, sheet->columns, sheet->nr_columns, row);
		td_out_json_line(writer, o);
	}
}
