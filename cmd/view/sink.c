// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/view/sink.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/say.h"
#include "lib/base/printable.h"

int td_sink_check(struct td_sink *sink, struct td_err *err)
{
	return td_out_check(sink->writer.fp, sink->name, err);
}

static int open_file(struct td_sink *sink, const char *name, bool append, struct td_err *err)
{
	sink->name = name;
	sink->to_file = true;
	sink->is_new = !append;
	sink->writer.fp = td_out_open(name, append, err);
	return sink->writer.fp ? 0 : err->code;
}

static int open_fd(struct td_sink *sink, const struct td_request *request, struct td_err *err)
{
	/* closing a copy leaves the original open, which may be standard error */
	int fd = fcntl(request->show.log_fd, F_DUPFD_CLOEXEC, 3);

	sink->name = "the descriptor of --log-fd";
	sink->to_file = true;
	if (fd >= 0)
		sink->writer.fp = fdopen(fd, request->show.append ? "a" : "w");
	if (sink->writer.fp)
		return 0;
	td_close_fd(&fd);
	return td_err_set(err, -errno, "--log-fd %d: %s", request->show.log_fd, strerror(errno));
}

static int open_stream(struct td_sink *sink, const struct td_request *request, struct td_err *err)
{
	static char buffer[BUFSIZ];
	/* standard output belongs to the command */
	bool aside = request->target.command || request->show.perf;

	if (request->show.quiet || sink->unseen)
		return open_file(sink, "/dev/null", false, err);
	sink->named = request->show.output && !request->does.records && !request->show.own_file;
	if (request->show.output && !request->does.records)
		return open_file(sink, request->show.output, request->show.append, err);
	if (request->show.log_fd)
		return open_fd(sink, request, err);
	sink->name = aside ? "standard error" : "standard output";
	sink->writer.fp = aside ? stderr : stdout;
	if (aside) /* buffer rows until td_sink_check() flushes them */
		setvbuf(stderr, buffer, _IOFBF, sizeof(buffer));
	return 0;
}

void td_sink_measure(struct td_sink *sink)
{
	struct winsize size;

	if (!sink->terminal || ioctl(fileno(sink->writer.fp), TIOCGWINSZ, &size))
		return;
	sink->frame.screen_lines = size.ws_row;
	sink->frame.screen_columns = size.ws_col;
}

static bool is_dated(const struct td_sink *sink, const struct td_request *request)
{
	return sink->writer.out->for_people ||
	       (request->show.perf && request->show.format == TD_FORMAT_CSV);
}

static int check_clear(const struct td_sink *sink, const struct td_request *request,
		       struct td_err *err)
{
	if (!request->show.interval_clear || isatty(fileno(sink->writer.fp)))
		return 0;
	return td_err_usage(err, "--interval-clear: %s is not a terminal", sink->name);
}

/* Return true if nothing is shown before the end, for which the user may have to type ^C. */
static bool waits(const struct td_request *request)
{
	return !request->does.samples && !request->does.replays && !request->target.command &&
	       !request->when.interval_ms && !request->when.timeout_ms && !request->when.control &&
	       !request->show.quiet && isatty(STDERR_FILENO);
}

/* Return true if the output has a header.  Programs that read rows of perf stat expect none. */
static bool wants_head(const struct td_sink *sink, const struct td_request *request)
{
	const struct td_head_ask *ask = &request->show.head;
	const struct td_out *out = sink->writer.out;

	return out->head && !ask->unwanted &&
	       (ask->wanted || (out->begins_with_head && !sink->frame.perf_rows));
}

int td_sink_open(struct td_sink *sink, const struct td_request *request,
		 const struct td_frame *frame, struct td_err *err)
{
	int rc = open_stream(sink, request, err);
	const char *term;

	rc = rc ?: check_clear(sink, request, err);
	if (rc)
		return rc;
	sink->frame = *frame;
	term = getenv("TERM");
	sink->terminal = isatty(fileno(sink->writer.fp));
	sink->frame.colour =
		sink->terminal && term && strcmp(term, "dumb") != 0 && !getenv("NO_COLOR");
	td_sink_measure(sink);
	sink->writer.out = td_out_find(request->show.format);
	sink->writer.frame = &sink->frame;
	sink->writer.separator = request->show.separator;
	/* a file that is appended to has its header already */
	sink->writer.header_done = request->show.append && sink->writer.out->one_header &&
				   td_out_has_content(sink->writer.fp);
	sink->appends = request->show.append;
	sink->with_head = wants_head(sink, request);
	sink->waits = !sink->unseen && waits(request);
	sink->attached = td_target_attaches(&request->target);
	/* a recording may contain its start; to show it, no command is started */
	sink->with_date = sink->to_file && request->show.output && is_dated(sink, request) &&
			  (!request->does.replays || frame->start_ns);
	return 0;
}

static void put_beginning(struct td_sink *sink)
{
	FILE *fp = sink->writer.fp;
	uint64_t start_ns = sink->frame.start_ns ? sink->frame.start_ns : td_wall_ns();
	time_t start = (time_t)(start_ns / TD_NS_A_SECOND);
	char date[32];

	/* like the first line of perf stat's files */
	if (sink->with_date && ctime_r(&start, date))
		fprintf(fp, "# started on %s\n", date);
	if (sink->frame.host && sink->writer.out->for_people) {
		fputs("# host ", fp);
		td_put_printable(fp, sink->frame.host);
		fputc('\n', fp);
	}
	if (sink->with_head)
		sink->writer.out->head(&sink->writer);
}

int td_sink_begin(struct td_sink *sink, struct td_err *err)
{
	if (sink->begun)
		return td_sink_check(sink, err);
	sink->begun = true;
	if (sink->is_new)
		td_out_empty(sink->writer.fp);
	put_beginning(sink);
	if (sink->waits)
		td_say("tdstat: counting until %s^C: -I 1s shows a row every second\n",
		       sink->attached ? "it ends or " : "");
	return td_sink_check(sink, err);
}

static bool is_same_file(FILE *a, FILE *b)
{
	struct stat of_a, of_b;

	return fstat(fileno(a), &of_a) == 0 && fstat(fileno(b), &of_b) == 0 &&
	       of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

int td_sink_reopen(struct td_sink *sink, struct td_err *err)
{
	struct td_writer *writer = &sink->writer;
	FILE *fp = sink->named ? td_out_open(sink->name, true, err) : NULL;
	const struct td_writer before = *writer;
	bool fresh;

	if (!fp)
		return sink->named ? err->code : 0;
	if (is_same_file(fp, writer->fp)) {
		fclose(fp);
		return 0;
	}
	/* a new file begins like the first; the content of an old one stays */
	fresh = !td_out_has_content(fp);
	writer->fp = fp;
	writer->header_done = !fresh && writer->out->one_header;
	if (fresh)
		put_beginning(sink);
	if (td_sink_check(sink, err)) {
		fclose(fp);
		*writer = before;
		return err->code;
	}
	/* each row was flushed and checked */
	fclose(before.fp);
	return 0;
}

int td_sink_close(struct td_sink *sink, struct td_err *err)
{
	FILE *fp = sink->writer.fp;
	int rc = 0;

	if (fp && sink->writer.out && sink->writer.out->close)
		sink->writer.out->close(&sink->writer);
	sink->writer.fp = NULL;
	if (fp && sink->to_file && fclose(fp))
		rc = td_err_set(err, -errno, "cannot write %s: %s", sink->name, strerror(errno));
	return rc;
}

int td_sink_end(struct td_sink *sink, int rc, struct td_err *err)
{
	struct td_err late = { 0 };

	if (!rc && sink->writer.fp)
		rc = td_sink_check(sink, err);
	if (td_sink_close(sink, rc ? &late : err) && !rc)
		rc = err->code;
	return rc;
}

/* --- the file that --append continues -------------------------------------- */

/* Number of bytes to compare; no header is longer. */
#define MAX_READ (1 << 20)

/*
 * Return the beginning of a file that is open for writing, to be freed; NULL if it is not a
 * regular file, or cannot be read.
 */
static char *read_beginning(FILE *written)
{
	char name[40], *text;
	struct stat st;
	size_t size;
	FILE *fp;

	if (fstat(fileno(written), &st) || !S_ISREG(st.st_mode))
		return NULL;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fileno(written));
	fp = fopen(name, "re");
	if (!fp)
		return NULL;
	text = td_malloc(MAX_READ + 1);
	size = fread(text, 1, MAX_READ, fp);
	fclose(fp);
	text[size] = '\0';
	return text;
}

/* Return the header of the next rows, "" if they have none. */
static char *make_header(const struct td_sink *sink, const struct td_report *columns,
			 const struct td_sheet *sheet)
{
	struct td_writer writer = sink->writer;
	char *text = NULL;
	size_t size;

	writer.header_done = false;
	writer.fp = td_open_memstream(&text, &size);
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

/* Return true if JSON can follow the content.  Of several header objects, the last one wins. */
static bool is_json_alike(const struct td_sink *sink, const char *text)
{
	char head[40];

	snprintf(head, sizeof(head), JSON_HEAD "%d,", TD_ROWS_VERSION);
	if (sink->with_head)
		return begins(text, head);
	return *text == '{' && !(sink->frame.perf_rows && begins(text, JSON_HEAD));
}

/*
 * Return true if CSV can be appended to the content: its rows have the same header, or neither has
 * one.
 */
static bool is_csv_alike(const struct td_sink *sink, const char *text, const char *header)
{
	const char *sep = sink->writer.separator;
	char ours[64];

	if (*header)
		return begins(text, header);
	snprintf(ours, sizeof(ours), "time%sid%spmu", sep, sep);
	return *text != '{' && !begins(text, ours);
}

/* Return true if text can follow the content, which must not be output for programs. */
static bool is_text_alike(const char *text)
{
	return *text != '{' && !(begins(text, "time") && text[4] && begins(text + 5, "id"));
}

static int compare(const struct td_sink *sink, const char *text, const char *header,
		   struct td_err *err)
{
	bool alike = sink->writer.separator         ? is_csv_alike(sink, text, header)
		     : sink->writer.out->for_people ? is_text_alike(text)
						    : is_json_alike(sink, text);

	if (!*text || alike)
		return 0;
	td_err_set(err, -EINVAL, "--append: %s has other first lines than these rows", sink->name);
	return td_err_hint(err, "give another file, or the options of the rows that are there");
}

int td_append_check(struct td_sink *sink, const struct td_report *columns,
		    const struct td_sheet *sheet, struct td_err *err)
{
	td_autofree char *beginning = NULL, *header = NULL;
	const char *text;

	if (!sink->appends || (!sink->writer.out->head && !sink->writer.out->for_people))
		return 0;
	beginning = read_beginning(sink->writer.fp);
	if (!beginning)
		return 0;
	header = make_header(sink, columns, sheet);
	/* after the header lines of CSV, and the first line of perf stat's files */
	text = beginning;
	while (*text == '#' || *text == '\n') {
		const char *end = strchr(text, '\n');

		text = end ? end + 1 : text + strlen(text);
	}
	/* a run that ended before its first row has written only comments */
	sink->writer.header_done &= *text != '\0';
	return compare(sink, text, header, err);
}
