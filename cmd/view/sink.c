// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/view/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/say.h"
#include "lib/base/printable.h"
#include "lib/base/util.h"

int td_sink_check(struct td_sink *sink, struct td_err *err)
{
	int rc = td_out_check(sink->writer.fp, sink->name, err);

	return !rc && sink->writer.no_memory ? td_err_nomem(err) : rc;
}

static int open_file(struct td_sink *sink, const char *name, bool append,
		     struct td_err *err)
{
	sink->name = name;
	sink->to_file = true;
	sink->is_new = !append;
	sink->writer.fp = td_out_open(name, append, err);
	return sink->writer.fp ? 0 : err->code;
}

static int open_fd(struct td_sink *sink, const struct td_opts *opts,
		   struct td_err *err)
{
	/* closing our copy leaves theirs open: it may be standard error */
	int fd = fcntl(opts->show.log_fd, F_DUPFD_CLOEXEC, 3);

	sink->name = "the descriptor of --log-fd";
	sink->to_file = true;
	if (fd >= 0)
		sink->writer.fp = fdopen(fd, opts->show.append ? "a" : "w");
	if (sink->writer.fp)
		return 0;
	td_close_fd(&fd);
	return td_err_set(err, -errno, "--log-fd %d: %s", opts->show.log_fd,
			  strerror(errno));
}

/* Buffers rows until td_sink_check() flushes them. */
static void buffer_stderr(void)
{
	static char buffer[BUFSIZ];

	setvbuf(stderr, buffer, _IOFBF, sizeof(buffer));
}

static int open_stream(struct td_sink *sink, const struct td_opts *opts,
		       struct td_err *err)
{
	/* standard output is the command's */
	bool aside = opts->target.command || opts->show.perf;

	if (opts->show.quiet || sink->unseen)
		return open_file(sink, "/dev/null", false, err);
	sink->named = opts->show.output && !opts->does.records &&
		      !opts->show.own_file;
	if (opts->show.output && !opts->does.records)
		return open_file(sink, opts->show.output, opts->show.append,
				 err);
	if (opts->show.log_fd)
		return open_fd(sink, opts, err);
	sink->name = aside ? "standard error" : "standard output";
	sink->writer.fp = aside ? stderr : stdout;
	if (aside)
		buffer_stderr();
	return 0;
}

void td_sink_measure(struct td_sink *sink)
{
	struct winsize size;

	if (!sink->terminal ||
	    ioctl(fileno(sink->writer.fp), TIOCGWINSZ, &size))
		return;
	sink->frame.screen_lines = size.ws_row;
	sink->frame.screen_columns = size.ws_col;
}

static void look_at_terminal(struct td_sink *sink)
{
	const char *term = getenv("TERM");

	sink->terminal = isatty(fileno(sink->writer.fp));
	sink->frame.colour = sink->terminal && term &&
			     strcmp(term, "dumb") != 0 && !getenv("NO_COLOR");
	td_sink_measure(sink);
}

/* perf stat's first line of a file, which only people read as we have it. */
static void put_started(FILE *fp)
{
	time_t now = time(NULL);
	char text[32];

	if (ctime_r(&now, text))
		fprintf(fp, "# started on %s\n", text);
}

static bool is_dated(const struct td_sink *sink, const struct td_opts *opts)
{
	return sink->writer.out->for_people ||
	       (opts->show.perf && opts->show.format == TD_FORMAT_CSV);
}

static int check_clear(const struct td_sink *sink, const struct td_opts *opts,
		       struct td_err *err)
{
	if (!opts->show.interval_clear || isatty(fileno(sink->writer.fp)))
		return 0;
	return td_err_usage(err, "--interval-clear: %s is not a terminal",
			    sink->name);
}

/* True if nothing is shown before the end, which may take a ^C. */
static bool waits(const struct td_opts *opts)
{
	return !opts->does.samples && !opts->does.replays &&
	       !opts->target.command && !opts->when.interval_ms &&
	       !opts->when.timeout_ms && !opts->when.control &&
	       !opts->show.quiet && isatty(STDERR_FILENO);
}

/* Readers of perf stat's rows know of no head. */
static bool wants_head(const struct td_sink *sink, const struct td_opts *opts)
{
	const struct td_head_ask *ask = &opts->show.head;
	const struct td_out *out = sink->writer.out;

	return out->head && !ask->unwanted &&
	       (ask->wanted || (out->tells && !sink->frame.perf_rows));
}

int td_sink_open(struct td_sink *sink, const struct td_opts *opts,
		 const struct td_frame *frame, struct td_err *err)
{
	int rc = open_stream(sink, opts, err);

	if (!rc)
		rc = check_clear(sink, opts, err);
	if (rc)
		return rc;
	sink->frame = *frame;
	look_at_terminal(sink);
	sink->writer.out = td_out_find(opts->show.format);
	sink->writer.frame = &sink->frame;
	sink->writer.separator = opts->show.separator;
	/* a file that is appended to has its header already */
	sink->writer.header_done = opts->show.append &&
				   sink->writer.out->one_header &&
				   td_out_has_content(sink->writer.fp);
	sink->appends = opts->show.append;
	sink->with_head = wants_head(sink, opts);
	sink->waits = !sink->unseen && waits(opts);
	sink->attached = td_target_attaches(&opts->target);
	sink->with_date =
		sink->to_file && opts->show.output && is_dated(sink, opts);
	return 0;
}

static void put_host(FILE *fp, const char *host)
{
	fputs("# host ", fp);
	td_put_printable(fp, host);
	fputc('\n', fp);
}

static void put_beginning(struct td_sink *sink)
{
	if (sink->with_date)
		put_started(sink->writer.fp);
	if (sink->frame.host && sink->writer.out->for_people)
		put_host(sink->writer.fp, sink->frame.host);
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
		td_say("tdstat: counting until %s^C: -I 1s shows a row every "
		       "second\n",
		       sink->attached ? "it ends or " : "");
	return td_sink_check(sink, err);
}

static bool is_same_file(FILE *a, FILE *b)
{
	struct stat of_a, of_b;

	return fstat(fileno(a), &of_a) == 0 && fstat(fileno(b), &of_b) == 0 &&
	       of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* A new file begins as the first did; what is in an old one stays. */
static int begin_again(struct td_sink *sink, FILE *fp, struct td_err *err)
{
	struct td_writer *writer = &sink->writer;
	bool fresh = !td_out_has_content(fp);

	writer->fp = fp;
	writer->header_done = !fresh && writer->out->one_header;
	if (fresh)
		put_beginning(sink);
	return td_sink_check(sink, err);
}

int td_sink_reopen(struct td_sink *sink, struct td_err *err)
{
	struct td_writer *writer = &sink->writer;
	FILE *fp = sink->named ? td_out_open(sink->name, true, err) : NULL;
	const struct td_writer before = *writer;

	if (!fp)
		return sink->named ? err->code : 0;
	if (is_same_file(fp, writer->fp)) {
		fclose(fp);
		return 0;
	}
	if (begin_again(sink, fp, err)) {
		fclose(fp);
		*writer = before;
		return err->code;
	}
	/* all of it was flushed, and that was checked, with each row */
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
		rc = td_err_set(err, -errno, "cannot write %s: %s", sink->name,
				strerror(errno));
	if (!rc && sink->writer.no_memory)
		rc = td_err_nomem(err);
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
