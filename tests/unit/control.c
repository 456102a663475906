// SPDX-License-Identifier: GPL-2.0-only
#include <poll.h>
#include <signal.h>

#include "cmd/run/parts.h"
#include "lib/base/util.h"
#include "tests/unit/fds.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

#define MAX_PIECES 4

struct piece {
	const char *text;
	size_t size; /* 0: the length of the text */
};

/* clang-format off */
static const struct {
	const char *name;
	struct piece pieces[MAX_PIECES]; /* then the writer closes */
	/*
	 * for each line, the number of its word and the argument, or the
	 * unknown line in quotes; "|" ends a piece
	 */
	const char *want;
} rows[] = {
	{ "every word", { { "enable\ndisable\nevlist\nping\nstop\nsnapshot\n" } },
	  "0 1 2 3 4 5 |" },
	{ "a NUL ends a line", { { "ping\0stop\0", 10 } }, "3 4 |" },
	{ "a newline and its string's NUL", { { "enable\n\0stop\n\0", 14 } },
	  "0 4 |" },
	{ "empty lines", { { "\n\n\0\nping\n\n", 10 } }, "3 |" },
	{ "a line in pieces", { { "ena" }, { "bl" }, { "e" }, { "\n" } },
	  "|||0 |" },
	{ "a line and a half, and the rest", { { "ping\nst" }, { "op\nping\n" } },
	  "3 |4 3 |" },
	{ "a piece that is itself a word", { { "enable" }, { "d\nping\n" } },
	  "|'enabled' 3 |" },
	{ "no line end before the end of file", { { "ping\nstop" } }, "3 |4 " },
	{ "an argument in pieces, no line end", { { "enable cy" }, { "cles" } },
	  "||0(cycles) " },
	{ "nothing before the end of file", { { "\n" } }, "|" },

	{ "events", { { "enable cycles\ndisable cpu_core/event=0x3c,name=a b/\n" } },
	  "0(cycles) 1(cpu_core/event=0x3c,name=a b/) |" },
	{ "details", { { "evlist -v\nevlist -g\nevlist -F\n" } },
	  "2(-v) 2(-g) 2(-F) |" },
	{ "details that there are not", { { "evlist -x\nevlist -vg\nevlist -\n" } },
	  "'evlist -x' 'evlist -vg' 'evlist -' |" },
	{ "arguments of who takes none", { { "ping -v\nstop now\nsnapshot 1\n" } },
	  "'ping -v' 'stop now' 'snapshot 1' |" },
	{ "empty arguments", { { "enable \ndisable \nevlist \nping \n" } },
	  "'enable ' 'disable ' 'evlist ' 'ping ' |" },
	{ "whole words only",
	  { { "enablefoo\nenabl\nEnable\nstopping\nstop,ping\nenable\tcycles\n" } },
	  "'enablefoo' 'enabl' 'Enable' 'stopping' 'stop,ping' 'enable\tcycles' |" },
	{ "blanks before, other line ends", { { " enable\nenable\r\n \n" } },
	  "' enable' 'enable\r' ' ' |" },
	{ "our own answer", { { "ack\n\0", 5 } }, "'ack' |" },
	{ "not text", { { "\xff\x1b[2J\n" } }, "'\xff\x1b[2J' |" },
};

static const struct {
	const char *text;
	int code;
	bool usage;
	const char *message;
} errors[] = {
#define FORM(text)                                                            \
	{ text, -EINVAL, true,                                                \
	  "--control " text ": neither fd:CTL[,ACK] nor fifo:CTL[,ACK]" }
	FORM(""), FORM("3"), FORM("fd"), FORM("fifo"), FORM("FD:3"),
	FORM("file:a"), FORM("fd:"), FORM("fifo:"), FORM("fd:,0"),
	FORM("fifo:,fifo"), FORM("fd:0,"), FORM("fifo:fifo,"), FORM(" fd:3"),
#define NUMBER(text, nr)                                                      \
	{ text, -EINVAL, true,                                                \
	  "--control: '" nr "' is not the number of a descriptor" }
	NUMBER("fd:-1", "-1"), NUMBER("fd:0x", "0x"), NUMBER("fd: 0", " 0"),
	NUMBER("fd:0 ", "0 "), NUMBER("fd:0,1,2", "1,2"),
	NUMBER("fd:2147483648", "2147483648"), NUMBER("fd:a,b", "a"),
	NUMBER("fd:0,b", "b"),
	{ "fd:987654", -EBADF, false,
	  "--control: descriptor 987654: Bad file descriptor" },
	{ "fd:0,987654", -EBADF, false,
	  "--control: descriptor 987654: Bad file descriptor" },
	{ "fifo:none", -ENOENT, false,
	  "--control: none: No such file or directory" },
	{ "fifo:fifo,none", -ENOENT, false,
	  "--control: none: No such file or directory" },
	{ "fifo:plain/x", -ENOTDIR, false,
	  "--control: plain/x: Not a directory" },
	{ "fifo:plain", -EINVAL, false, "--control: plain: not a fifo" },
	{ "fifo:fifo,plain", -EINVAL, false, "--control: plain: not a fifo" },
	{ "fifo:fifo,fifo,fifo", -ENOENT, false,
	  "--control: fifo,fifo: No such file or directory" },
	{ "fifo:.", -EINVAL, false, "--control: .: not a fifo" },
	{ "fifo:/dev/null", -EINVAL, false, "--control: /dev/null: not a fifo" },
};
/* clang-format on */

static void put(int fd, const char *text, size_t size)
{
	if (write(fd, text, size) != (ssize_t)size)
		perror("write");
}

static bool is_readable(int fd)
{
	struct pollfd in = { fd, POLLIN };

	return poll(&in, 1, 0) > 0;
}

/* A stream that writes into text, which is complete after fclose(). */
static FILE *open_text(char *text, size_t size)
{
	FILE *fp = fmemopen(text, size, "w");

	if (!fp) {
		perror("fmemopen");
		exit(1);
	}
	return fp;
}

static void describe_all(FILE *fp, struct td_control *control)
{
	struct td_control_request request;

	while (td_control_next(control, &request)) {
		if (request.word == TD_CONTROL_UNKNOWN)
			fprintf(fp, "'%s'", request.line);
		else
			fprintf(fp, "%d", (int)request.word);
		if (request.argument)
			fprintf(fp, "(%s)", request.argument);
		fputc(' ', fp);
	}
}

/* Opens a control of a pipe; *writer is the pipe's other end. */
static bool open_pipe(struct td_control *control, int *writer)
{
	struct td_err err = { 0 };
	char text[32];
	int fds[2];

	if (pipe(fds))
		return false;
	*writer = fds[1];
	snprintf(text, sizeof(text), "fd:%d", fds[0]);
	return td_control_open(control, text, &err) == 0;
}

static void close_pipe(struct td_control *control, int fd)
{
	td_control_close(control);
	close(fd);
}

static void test_row(size_t r)
{
	struct td_control control;
	struct td_err err = { 0 };
	char got[512] = "";
	FILE *fp = open_text(got, sizeof(got));
	int fd, writer;

	ok(open_pipe(&control, &writer), "%s: opened", rows[r].name);
	fd = control.fd;
	for (size_t i = 0; i < MAX_PIECES && rows[r].pieces[i].text; i++) {
		const struct piece *piece = &rows[r].pieces[i];

		put(writer, piece->text, piece->size ? piece->size : strlen(piece->text));
		td_control_read(&control, &err);
		describe_all(fp, &control);
		fputc('|', fp);
	}
	close(writer);
	ok(td_control_read(&control, &err) == 0 && control.fd == -1, "%s: end of file",
	   rows[r].name);
	describe_all(fp, &control);
	fclose(fp);
	is_str(got, rows[r].want, "%s: requests", rows[r].name);
	/* an inherited descriptor is not ours to close */
	ok(fcntl(fd, F_GETFD) >= 0, "%s: still open", rows[r].name);
	close_pipe(&control, fd);
}

/* Writes text in pieces of odd sizes.  Returns the number of lines read. */
static size_t feed(struct td_control *control, int writer, const char *text,
		   struct td_control_request *request)
{
	size_t left = strlen(text), size, lines = 0;
	struct td_err err = { 0 };

	for (; left; left -= size, text += size) {
		size = left < 1000 ? left : 1000;
		put(writer, text, size);
		while (is_readable(control->fd) && td_control_read(control, &err) == 0) {
			while (td_control_next(control, request))
				lines++;
		}
	}
	return lines;
}

/* Checks what "enable xxx" of len bytes is read as. */
static void test_length(size_t len, enum td_control_word want)
{
	bool too_long = want == TD_CONTROL_UNKNOWN;
	char line[20001] = "";
	struct td_control_request request = { 0 };
	struct td_control control;
	size_t shown, lines;
	int fd, writer;

	open_pipe(&control, &writer);
	fd = control.fd;
	memset(line, 'x', len);
	memcpy(line, "enable ", 7);
	lines = feed(&control, writer, line, &request);
	ok(lines == too_long, "%zu bytes: before the line's end", len);
	lines += feed(&control, writer, "\n", &request);
	ok(lines == 1 && request.word == want, "%zu bytes: a line", len);
	shown = request.line ? strlen(request.line) : 0;
	ok(too_long ? shown > 4096 && shown <= len : shown == len, "%zu bytes: they are shown",
	   len);
	lines = feed(&control, writer, line, &request);
	lines += feed(&control, writer, "\nstop\n", &request);
	ok(lines == 2 && request.word == TD_CONTROL_STOP, "%zu bytes: what comes next", len);
	close_pipe(&control, fd);
	close(writer);
}

/* Lines that do not fit into the buffer stay in the pipe. */
static void test_many(void)
{
	struct td_control_request request;
	struct td_control control;
	struct td_err err = { 0 };
	char lines[7 * 1500];
	size_t nr = 0;
	int fd, writer;

	open_pipe(&control, &writer);
	fd = control.fd;
	for (size_t i = 0; i < sizeof(lines); i += 7)
		memcpy(lines + i, "enable\n", 7);
	put(writer, lines, sizeof(lines));
	while (is_readable(fd) && td_control_read(&control, &err) == 0) {
		while (td_control_next(&control, &request))
			nr += request.word == TD_CONTROL_ENABLE;
	}
	ok(nr == 1500 && control.from == control.to, "1500 lines");
	close_pipe(&control, fd);
	close(writer);
}

/* A full buffer neither closes the control nor loses lines. */
static void test_full(void)
{
	struct td_control_request request;
	struct td_control control;
	struct td_err err = { 0 };
	char nuls[3 * 4096] = { 0 };
	int fd, writer;

	open_pipe(&control, &writer);
	fd = control.fd;
	put(writer, nuls, sizeof(nuls));
	put(writer, "stop\n", 5);
	for (int i = 0; i < 4; i++)
		td_control_read(&control, &err);
	ok(control.fd == fd && is_readable(fd), "a full buffer is no end");
	while (!td_control_next(&control, &request) && is_readable(fd))
		td_control_read(&control, &err);
	ok(request.word == TD_CONTROL_STOP, "and nothing is lost");
	close_pipe(&control, fd);
	close(writer);
}

static void test_read_error(void)
{
	struct td_control control;
	struct td_err err = { 0 };
	int writer, fd, dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	open_pipe(&control, &writer);
	fd = control.fd;
	dup2(dir, fd);
	close(dir);
	ok(td_control_read(&control, &err) == -EISDIR && control.fd == -1, "what cannot be read");
	is_str(err.msg, "--control: cannot read: Is a directory", "what cannot be read: message");
	close_pipe(&control, fd);
	close(writer);
}

static void test_error(size_t i)
{
	struct td_control control;
	struct td_err err = { 0 };
	int before = count_fds();
	int rc = td_control_open(&control, errors[i].text, &err);

	ok(rc == errors[i].code && err.code == rc && err.usage == errors[i].usage, "error: '%s'",
	   errors[i].text);
	is_str(err.msg, errors[i].message, "error: '%s': message", errors[i].text);
	ok(control.fd == -1 && control.ack == -1 && count_fds() == before,
	   "error: '%s': nothing stays open", errors[i].text);
	td_control_close(&control);
}

static void test_wrong_ends(void)
{
	struct td_control control;
	struct td_err err = { 0 };
	char text[32], want[64];
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		perror("pipe");
	snprintf(text, sizeof(text), "fd:%d", fds[1]);
	snprintf(want, sizeof(want), "--control: descriptor %d: not open for reading", fds[1]);
	ok(td_control_open(&control, text, &err) == -EBADF, "a pipe's writer");
	is_str(err.msg, want, "a pipe's writer: message");
	snprintf(text, sizeof(text), "fd:%d,%d", fds[0], fds[0]);
	snprintf(want, sizeof(want), "--control: descriptor %d: not open for writing", fds[0]);
	ok(td_control_open(&control, text, &err) == -EBADF, "no writer to ack");
	is_str(err.msg, want, "no writer to ack: message");
	close(fds[0]);
	close(fds[1]);
}

static bool is_cloexec(int fd)
{
	return fcntl(fd, F_GETFD) & FD_CLOEXEC;
}

/* Opens a control on two pipes that block and are inherited. */
static void open_acked(struct td_control *control, int in[2], int out[2])
{
	struct td_err err = { 0 };
	char text[32];

	if (pipe(in) || pipe(out))
		perror("pipe");
	snprintf(text, sizeof(text), "fd:%d,0x%x", in[0], (unsigned int)out[1]);
	ok(td_control_open(control, text, &err) == 0, "both: %s%s", text, err.msg);
}

static void test_fd(void)
{
	struct td_control control, zeroed = { 0 };
	int in[2], out[2];
	char got[16] = "";

	open_acked(&control, in, out);
	ok(control.fd == in[0] && control.ack == out[1], "both: as named");
	ok(!is_cloexec(in[0]) && !is_cloexec(out[1]),
	   "the command has them, too: it may be who commands");
	ok(!(fcntl(in[0], F_GETFL) & O_NONBLOCK) && !(fcntl(out[1], F_GETFL) & O_NONBLOCK),
	   "shared flags stay as they are");
	ok(td_control_ack(&control) == 0 && td_control_ack(&control) == 0, "two answers");
	ok(read(out[0], got, sizeof(got)) == 10 && memcmp(got, "ack\n\0ack\n\0", 10) == 0,
	   "5 bytes each, as perf's");
	td_control_close(&control);
	ok(control.fd == -1 && control.ack == -1, "closed");
	td_control_close(&control);
	td_control_close(&zeroed);
	ok(fcntl(in[0], F_GETFD) >= 0 && fcntl(out[1], F_GETFD) >= 0 && fcntl(0, F_GETFD) >= 0,
	   "inherited ones stay open");
	for (int i = 0; i < 2; i++) {
		close(in[i]);
		close(out[i]);
	}
}

/* An ack must neither block nor raise SIGPIPE. */
static void test_ack(void)
{
	struct td_control none = TD_CONTROL_NONE, control;
	char page[4096] = { 0 };
	int in[2], out[2], nr = 0;

	ok(td_control_ack(&none) == 0, "nobody to answer to");
	open_acked(&control, in, out);
	fcntl(out[1], F_SETFL, O_NONBLOCK);
	while (write(out[1], page, sizeof(page)) > 0)
		nr++;
	fcntl(out[1], F_SETFL, 0);
	ok(nr && td_control_ack(&control) == -EAGAIN, "a full pipe");
	close(out[0]);
	ok(td_control_ack(&control) == -EPIPE, "the reader is gone");
	close(out[1]);
	ok(td_control_ack(&control) == -EBADF, "the writer is, too");
	td_control_close(&control);
	close(in[0]);
	close(in[1]);
}

/* Standard input stays blocking, as the command needs it. */
static void test_standard(void)
{
	struct td_control control;
	struct td_err err = { 0 };

	ok(td_control_open(&control, "fd:0", &err) == 0 && control.fd == 0, "standard input");
	ok(!is_cloexec(0), "it is the command's, too");
	td_control_close(&control);
}

static void say(const char *path, const char *line)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	put(fd, line, strlen(line));
	close(fd);
}

static void check_lines(struct td_control *control, const char *line, const char *want)
{
	struct td_err err = { 0 };
	char got[64] = "";
	FILE *fp = open_text(got, sizeof(got));

	say("fifo", line);
	ok(is_readable(control->fd) && !td_control_read(control, &err), "fifo: there is '%.*s'",
	   (int)strcspn(line, "\n"), line);
	describe_all(fp, control);
	fclose(fp);
	is_str(got, want, "fifo: requests");
	ok(!is_readable(control->fd) && !td_control_read(control, &err) && control->fd >= 0,
	   "fifo: writers come and go");
}

static void test_fifo(void)
{
	int before = count_fds(), reader;
	struct td_control control;
	struct td_err err = { 0 };
	char got[16];

	ok(td_control_open(&control, "fifo:fifo,ack", &err) == 0, "fifo: %s", err.msg);
	ok(is_cloexec(control.fd) && is_cloexec(control.ack) &&
		   (fcntl(control.fd, F_GETFL) & O_NONBLOCK) &&
		   (fcntl(control.ack, F_GETFL) & O_NONBLOCK),
	   "fifo: flags");
	check_lines(&control, "enable\nst", "0 ");
	check_lines(&control, "op\n", "4 ");
	ok(td_control_ack(&control) == 0, "fifo: an answer before a reader");
	reader = open("ack", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ok(read(reader, got, sizeof(got)) == 5 && memcmp(got, "ack\n", 5) == 0, "fifo: is read");
	close(reader);
	td_control_close(&control);
	ok(count_fds() == before, "fifo: closed");
	ok(td_control_open(&control, "fifo:fifo", &err) == 0 && control.fd >= 0 &&
		   control.ack == -1,
	   "fifo: no answers");
	td_control_close(&control);
}

static void test_is_acked(void)
{
	static const bool want[] = { true, true, true, true, true, false, false };

	for (size_t i = 0; i < TD_ARRAY_SIZE(want); i++)
		ok(td_control_is_acked((enum td_control_word)i) == want[i],
		   "word %zu: answered as by perf", i);
}

/* An alarm ends the test if something blocks. */
static bool set_up(char *root, int fds[2])
{
	alarm(600);
	if (!mkdtemp(root) || chdir(root) || mkfifo("fifo", 0600) || mkfifo("ack", 0600) ||
	    pipe2(fds, O_CLOEXEC))
		return false;
	test_file(root, "plain", "enable\n", 7);
	signal(SIGPIPE, SIG_DFL);
	/* the pipe may be standard input already, if there was none */
	return dup2(fds[0], 0) == 0 && fcntl(0, F_SETFD, 0) == 0;
}

int main(void)
{
	char root[] = "/tmp/tdstat-control-XXXXXX";
	int fds[2];

	if (!set_up(root, fds)) {
		perror(root);
		return 1;
	}
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(r);
	test_length(4095, TD_CONTROL_ENABLE);
	test_length(4096, TD_CONTROL_ENABLE);
	test_length(4097, TD_CONTROL_UNKNOWN);
	test_length(4098, TD_CONTROL_UNKNOWN);
	test_length(20000, TD_CONTROL_UNKNOWN);
	test_many();
	test_full();
	test_read_error();
	for (size_t i = 0; i < TD_ARRAY_SIZE(errors); i++)
		test_error(i);
	test_wrong_ends();
	test_fd();
	test_ack();
	test_standard();
	test_fifo();
	test_is_acked();
	close(fds[0]);
	close(fds[1]);
	test_tree_remove(root);
	return done_testing();
}
