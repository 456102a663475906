// SPDX-License-Identifier: GPL-2.0-only
/* What a file that is appended to begins with. */
#include "cmd/view/append.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/util.h"

/* No header is longer; of a longer line, so much is compared. */
#define MOST_READ (1 << 20)

/* The file is open for writing alone; NULL: it is none, or must not be read. */
static FILE *open_again(FILE *written)
{
	char name[40];
	struct stat st;

	if (fstat(fileno(written), &st) || !S_ISREG(st.st_mode))
		return NULL;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fileno(written));
	return fopen(name, "re");
}

/* Behind the lines of a head of CSV, and what perf stat begins a file with. */
static const char *skip_comments(const char *text)
{
	while (*text == '#' || *text == '\n') {
		const char *end = strchr(text, '\n');

		text = end ? end + 1 : text + strlen(text);
	}
	return text;
}

/*
 * Gets what a file begins with, "" if there is nothing yet; NULL: it is not
 * known.  To be freed.  Returns 0 or -ENOMEM.
 */
static int read_beginning(FILE *written, char **beginning)
{
	FILE *fp = open_again(written);
	size_t size;

	*beginning = NULL;
	if (!fp)
		return 0;
	*beginning = malloc(MOST_READ + 1);
	size = *beginning ? fread(*beginning, 1, MOST_READ, fp) : 0;
	fclose(fp);
	if (!*beginning)
		return -ENOMEM;
	(*beginning)[size] = '\0';
	return 0;
}

/* The header of the rows to come; "" if they have none; NULL: no memory. */
static char *make_header(const struct td_sink *sink,
			 const struct td_report *columns,
			 const struct td_sheet *sheet)
{
	struct td_writer writer = sink->writer;
	char *text = NULL;
	size_t size;

	writer.header_done = false;
	writer.fp = open_memstream(&text, &size);
	if (!writer.fp)
		return NULL;
	if (sheet && writer.out->sheet)
		writer.out->sheet(&writer, sheet);
	else if (columns && writer.out->header)
		writer.out->header(&writer, columns);
	td_text_close(writer.fp, &text);
	return text;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

#define JSON_HEAD "{\"tdstat_rows\":"

/* Each run that tells has a head of its own, and the last one counts. */
static bool is_json_alike(const struct td_sink *sink, const char *text)
{
	char head[40];

	snprintf(head, sizeof(head), JSON_HEAD "%d,", TD_ROWS_VERSION);
	if (sink->with_head)
		return begins(text, head);
	return *text == '{' &&
	       !(sink->frame.perf_rows && begins(text, JSON_HEAD));
}

/* perf stat's rows have no header, but must not follow rows of ours. */
static bool is_csv_alike(const struct td_sink *sink, const char *text,
			 const char *header)
{
	const char *sep = sink->writer.separator;
	char ours[64];

	if (*header)
		return begins(text, header);
	snprintf(ours, sizeof(ours), "time%sid%spmu", sep, sep);
	return *text != '{' && !begins(text, ours);
}

/* Whatever people read may follow, but not what programs do. */
static bool is_text_alike(const char *text)
{
	return *text != '{' &&
	       !(begins(text, "time") && text[4] && begins(text + 5, "id"));
}

static int compare(const struct td_sink *sink, const char *text,
		   const char *header, struct td_err *err)
{
	bool alike = sink->writer.separator ? is_csv_alike(sink, text, header)
		     : sink->writer.out->for_people ? is_text_alike(text)
						    : is_json_alike(sink, text);

	if (!*text || alike)
		return 0;
	td_err_set(err, -EINVAL,
		   "--append: %s begins otherwise than these rows do",
		   sink->name);
	return td_err_hint(err,
			   "its readers go by the first line: give another "
			   "file, or the options of the rows that are "
			   "there");
}

int td_append_check(struct td_sink *sink, const struct td_report *columns,
		    const struct td_sheet *sheet, struct td_err *err)
{
	td_autofree char *beginning = NULL, *header = NULL;
	const char *text;

	if (!sink->appends ||
	    (!sink->writer.out->head && !sink->writer.out->for_people))
		return 0;
	if (read_beginning(sink->writer.fp, &beginning))
		return td_err_nomem(err);
	if (!beginning)
		return 0;
	header = make_header(sink, columns, sheet);
	if (!header)
		return td_err_nomem(err);
	text = skip_comments(beginning);
	/* of a run that ended before its first row, there are comments alone */
	sink->writer.header_done &= *text != '\0';
	return compare(sink, text, header, err);
}
