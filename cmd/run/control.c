// SPDX-License-Identifier: GPL-2.0-only
/* Commands of --control, and the answers. */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/run/parts.h"
#include "lib/base/number.h"

/* --- opening ---------------------------------------------------------------- */

static int parse_fd(const char *text, int *nr, struct td_err *err)
{
	if (td_parse_int(text, 0, INT_MAX, nr) == 0)
		return 0;
	return td_err_usage(err, "--control: '%s' is not the number of a descriptor", text);
}

/*
 * Use an inherited descriptor.  unfit is the access mode that it must not have.
 * O_NONBLOCK stays as it is, because other processes may share it.
 */
static int take_fd(int nr, int unfit, int *fd, struct td_err *err)
{
	int flags = fcntl(nr, F_GETFL);

	if (flags < 0)
		return td_err_set(err, -errno, "--control: descriptor %d: %s", nr, strerror(errno));
	if ((flags & O_ACCMODE) == unfit)
		return td_err_set(err, -EBADF, "--control: descriptor %d: not open for %s", nr,
				  unfit == O_WRONLY ? "reading" : "writing");
	*fd = nr;
	return 0;
}

static int open_error(const char *path, struct td_err *err)
{
	int code = errno;

	td_err_set(err, -code, "--control: %s: %s", path, strerror(code));
	if (code == ENOENT)
		td_err_hint(err, "mkfifo makes one");
	return -code;
}

static int open_fifo(const char *path, int *fd, struct td_err *err)
{
	struct stat st;

	/* check first: opening a device may have an effect */
	if (stat(path, &st))
		return open_error(path, err);
	if (!S_ISFIFO(st.st_mode))
		return td_err_set(err, -EINVAL, "--control: %s: not a fifo", path);
	/* for reading and writing, so that there is no end of file when writers leave */
	*fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return *fd < 0 ? open_error(path, err) : 0;
}

/* Open both; ack may be NULL. */
static int open_both(struct td_control *control, const char *ctl, const char *ack,
		     struct td_err *err)
{
	int rc, in, out = -1;

	if (control->owned) {
		rc = open_fifo(ctl, &control->fd, err);
		return rc || !ack ? rc : open_fifo(ack, &control->ack, err);
	}
	rc = parse_fd(ctl, &in, err);
	if (!rc && ack)
		rc = parse_fd(ack, &out, err);
	rc = rc ?: take_fd(in, O_WRONLY, &control->fd, err);
	return rc || !ack ? rc : take_fd(out, O_RDONLY, &control->ack, err);
}

static bool is_fifo_form(const char *text)
{
	return strncmp(text, "fifo:", 5) == 0;
}

/*
 * Return true if the text is "fd:" or "fifo:" and a name, followed by a second name if it contains
 * a comma.
 */
static bool is_well_formed(const char *text)
{
	size_t at = is_fifo_form(text) ? 5 : strncmp(text, "fd:", 3) ? 0 : 3;
	const char *comma = strchr(text, ',');

	return at && text[at] && text[at] != ',' && !(comma && !comma[1]);
}

int td_control_open(struct td_control *control, const char *text, struct td_err *err)
{
	td_autofree char *ctl = NULL;
	char *ack;
	int rc;

	*control = TD_CONTROL_NONE;
	if (!is_well_formed(text))
		return td_err_usage(err, "--control %s: neither fd:CTL[,ACK] nor fifo:CTL[,ACK]",
				    text);
	ctl = td_strdup(strchr(text, ':') + 1);
	ack = strchr(ctl, ',');
	if (ack)
		*ack++ = '\0';
	control->owned = is_fifo_form(text);
	rc = open_both(control, ctl, ack, err);
	if (rc)
		td_control_close(control);
	return rc;
}

static void close_fd(struct td_control *control)
{
	if (control->owned)
		td_close_fd(&control->fd);
	control->fd = -1;
}

void td_control_close(struct td_control *control)
{
	close_fd(control);
	if (control->owned)
		td_close_fd(&control->ack);
	*control = TD_CONTROL_NONE;
}

/* --- reading ---------------------------------------------------------------- */

int td_control_read(struct td_control *control, struct td_err *err)
{
	ssize_t got;
	int rc = 0;

	control->to -= control->from;
	memmove(control->buf, control->buf + control->from, control->to);
	control->from = 0;
	/* one more byte than a line, for its end */
	if (control->fd < 0 || control->to > TD_CONTROL_MAX)
		return 0;
	got = read(control->fd, control->buf + control->to, TD_CONTROL_MAX + 1 - control->to);
	if (got > 0) {
		control->to += (size_t)got;
		return 0;
	}
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got < 0)
		rc = td_err_set(err, -errno, "--control: cannot read: %s", strerror(errno));
	close_fd(control);
	return rc;
}

/* Return the length of the line, or of its start, without the end of the line. */
static size_t line_length(const struct td_control *control)
{
	size_t at = control->from;

	while (at < control->to && control->buf[at] != '\n' && control->buf[at] != '\0')
		at++;
	return at - control->from;
}

/* Skip the remainder of a long line.  Returns true at its end. */
static bool skip_rest(struct td_control *control)
{
	control->from += line_length(control);
	if (control->from == control->to)
		return false;
	control->from++;
	control->skipping = false;
	return true;
}

/* Return a line, or the start of a long one, and then set skipping; else NULL. */
static char *take_line(struct td_control *control)
{
	char *line;
	size_t len;

	if (control->skipping && !skip_rest(control))
		return NULL;
	line = control->buf + control->from;
	len = line_length(control);
	if (control->from + len < control->to) {
		control->from += len + 1;
	} else {
		control->skipping = len > TD_CONTROL_MAX;
		/* text before the end of file is also a line */
		if (!len || (!control->skipping && control->fd >= 0))
			return NULL;
		control->from += len;
	}
	line[len] = '\0';
	return line;
}

/* --- the commands ----------------------------------------------------------- */

static bool is_name(const char *argument)
{
	return *argument;
}

static bool is_detail(const char *argument)
{
	return strcmp(argument, "-v") == 0 || strcmp(argument, "-g") == 0 ||
	       strcmp(argument, "-F") == 0;
}

static const struct {
	const char *name;
	/* check of the argument; NULL: the command has no argument */
	bool (*takes)(const char *argument);
} words[] = {
	[TD_CONTROL_ENABLE] = { "enable", is_name },
	[TD_CONTROL_DISABLE] = { "disable", is_name },
	[TD_CONTROL_EVLIST] = { "evlist", is_detail },
	[TD_CONTROL_PING] = { "ping" },
	[TD_CONTROL_STOP] = { "stop" },
	[TD_CONTROL_SNAPSHOT] = { "snapshot" },
};

static struct td_control_request unknown(const char *line)
{
	return (struct td_control_request){ TD_CONTROL_UNKNOWN, .line = line };
}

static struct td_control_request parse_line(const char *line)
{
	size_t len = strcspn(line, " "), i = 0;
	const char *argument = line[len] ? line + len + 1 : NULL;

	while (i < TD_ARRAY_SIZE(words) &&
	       (strncmp(line, words[i].name, len) != 0 || words[i].name[len]))
		i++;
	if (i == TD_ARRAY_SIZE(words))
		return unknown(line);
	if (argument && (!words[i].takes || !words[i].takes(argument)))
		return unknown(line);
	return (struct td_control_request){ (enum td_control_word)i, argument, line };
}

bool td_control_next(struct td_control *control, struct td_control_request *request)
{
	const char *line;

	do {
		line = take_line(control);
		if (!line)
			return false;
	} while (!*line);
	*request = control->skipping ? unknown(line) : parse_line(line);
	return true;
}

/* --- the answers ------------------------------------------------------------ */

bool td_control_is_acked(enum td_control_word word)
{
	return word != TD_CONTROL_SNAPSHOT && word != TD_CONTROL_UNKNOWN;
}

int td_control_ack(struct td_control *control)
{
	static const char answer[] = "ack\n"; /* like perf, including the NUL */
	struct pollfd poll_ack = { control->ack, POLLOUT };
	ssize_t put;

	if (control->ack < 0)
		return 0;
	if (poll(&poll_ack, 1, 0) < 0)
		return -errno;
	if (poll_ack.revents & (POLLERR | POLLHUP))
		return -EPIPE;
	if (!poll_ack.revents)
		return -EAGAIN;
	put = write(control->ack, answer, sizeof(answer));
	if (put < 0)
		return -errno;
	return put == sizeof(answer) ? 0 : -EIO;
}
