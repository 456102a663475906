// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/util.h"

/* Longer times are not shown. */
#define MAX_LEFT_NS (UINT64_C(360000) * TD_NS_A_SECOND)

/* --- the text --------------------------------------------------------------- */

uint64_t td_progress_left(size_t done, size_t all, uint64_t spent_ns)
{
	double left_ns;

	if (!done || all < done)
		return UINT64_MAX;
	left_ns = (double)spent_ns / (double)done * (double)(all - done);
	return left_ns < (double)MAX_LEFT_NS ? (uint64_t)left_ns : UINT64_MAX;
}

/* Format a time: "40 s", "3:20", "1:02:03". */
static const char *format_time(char buf[32], uint64_t ns)
{
	unsigned int s = (unsigned int)((ns + TD_NS_A_SECOND / 2) / TD_NS_A_SECOND);

	if (s < 60)
		snprintf(buf, 32, "%u s", s ? s : 1);
	else if (s < 3600)
		snprintf(buf, 32, "%u:%02u", s / 60, s % 60);
	else
		snprintf(buf, 32, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
	return buf;
}

const char *td_progress_text(char buf[TD_PROGRESS_SIZE], const char *label, size_t nr, size_t of,
			     uint64_t left_ns, unsigned int columns)
{
	char end[32] = "", time[32];

	if (of)
		snprintf(end, sizeof(end), " of %zu", of);
	if (left_ns < MAX_LEFT_NS) {
		snprintf(buf, TD_PROGRESS_SIZE, "%s %zu%s, about %s left", label, nr, end,
			 format_time(time, left_ns));
		if (strlen(buf) <= columns)
			return buf;
	}
	snprintf(buf, TD_PROGRESS_SIZE, "%s %zu%s", label, nr, end);
	if (strlen(buf) > columns)
		buf[0] = '\0';
	return buf;
}

/* --- the terminal ----------------------------------------------------------- */

/* Return true if standard error is a terminal, and tdstat runs in its foreground. */
static bool owns_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0 &&
	       tcgetpgrp(STDERR_FILENO) == getpgrp();
}

struct td_progress td_progress_make(const struct td_request *request, size_t all)
{
	return (struct td_progress){
		/* -v prints a line for each run, -I rows */
		.on = !request->show.quiet && !request->verbose && !request->when.interval_ms &&
		      !request->dry_run && owns_terminal(),
		.all = all,
	};
}

/* Return the width of the window; 0: unknown. */
static unsigned int window_columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) ? 0 : size.ws_col;
}

/*
 * Show text, or clear the line if text is "".  The text is written with one write(2), because other
 * programs may write to the terminal as well.  The spaces move the cursor to the beginning of a
 * line: on an empty line they fill it, and after an unfinished line of the command they wrap to the
 * next one, as in the prompts of shells.
 */
static void put(struct td_progress *progress, const char *text, unsigned int columns)
{
	td_autofree char *line = NULL;
	size_t size;
	FILE *to = td_open_memstream(&line, &size);

	fprintf(to, "%*s\r\033[K", (int)columns - 1, "");
	progress->shown = *text;
	if (*text)
		fprintf(to, "\033[%dC%s\r", (int)columns - 1 - (int)strlen(text), text);
	td_text_close(to, &line);
	fflush(stderr); /* earlier messages */
	if (write(STDERR_FILENO, line, size) < 0)
		progress->on = false;
}

/* Show text if it fits, with a space on each side. */
static void show(struct td_progress *progress, const char *text, unsigned int columns)
{
	if (*text && strlen(text) + 2 <= columns)
		put(progress, text, columns);
	else
		td_progress_clear(progress);
}

void td_progress_run(struct td_progress *progress, const char *label, size_t nr, size_t of)
{
	unsigned int columns = progress->on ? window_columns() : 0;
	char buf[TD_PROGRESS_SIZE];
	uint64_t left_ns;

	if (!progress->begun++)
		progress->start_ns = td_now_ns();
	if (columns < 2)
		return;
	left_ns = td_progress_left(progress->begun - 1, progress->all,
				   td_now_ns() - progress->start_ns);
	show(progress, td_progress_text(buf, label, nr, of, left_ns, columns - 2), columns);
}

void td_progress_stage(struct td_progress *progress, const char *text)
{
	unsigned int columns = progress->on ? window_columns() : 0;

	if (columns >= 2)
		show(progress, text, columns);
}

void td_progress_clear(struct td_progress *progress)
{
	unsigned int columns = progress->shown ? window_columns() : 0;

	if (columns >= 2)
		put(progress, "", columns);
	progress->shown = false;
}
