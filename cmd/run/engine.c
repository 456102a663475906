// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/engine.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/util.h"

/* The state that end() needs when memory has run out. */
static struct {
	char **command;           /* the command to run in any case; NULL: none */
	int refused;              /* the status if the command must not run uncounted; 0: it may */
	struct td_engine *engine; /* the engine of a forked command; NULL: none */
	bool ended;               /* a command ended, with this status */
	int status;
	bool failed; /* memory ran out before */
} fallback;

static void note_end(int status)
{
	fallback.engine = NULL;
	fallback.ended = true;
	fallback.status = status;
}

/* --- the command ---------------------------------------------------------- */

static uint64_t cpu_time_ns(void)
{
	struct timespec used;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used))
		return 0;
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

/* Message of the child: the CPU time before exec(), and the errno if that failed. */
struct message {
	uint64_t before_ns;
	int error;
};

/* Runs the command, in the child; exec() closes both pipes. */
static void run_child(char **argv, int go, int failed, const struct td_inherited *inherited)
{
	struct message message = { 0 };
	const char *rest = (const char *)&message + sizeof(message.before_ns);
	char byte;

	/* the parent closed the pipe without a byte: do not run */
	if (read(go, &byte, 1) != 1)
		_exit(1);
	td_inherited_restore(inherited);
	message.before_ns = cpu_time_ns();
	if (write(failed, &message, sizeof(message.before_ns)) < 0)
		errno = 0; /* not a reason to give up the run */
	execvp(argv[0], argv);
	message.error = errno;
	if (write(failed, rest, sizeof(message) - sizeof(message.before_ns)) < 0)
		_exit(126);
	_exit(message.error == ENOENT ? 127 : 126);
}

static int make_pipes(int go[2], int failed[2], struct td_err *err)
{
	if (pipe2(go, O_CLOEXEC))
		return td_err_set(err, -errno, "pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		td_err_set(err, -errno, "pipe: %s", strerror(errno));
		close(go[0]);
		close(go[1]);
		return err->code;
	}
	return 0;
}

static int hold_command(struct td_child *child, char **argv, const struct td_inherited *inherited,
			struct td_err *err)
{
	int go[2], failed[2], rc = make_pipes(go, failed, err);

	if (rc)
		return rc;
	*child = (struct td_child){ .go = go[1], .failed = failed[0] };
	child->pidfd = -1;
	child->pid = fork();
	if (child->pid == 0) {
		td_signals_hold();
		/* this copy would keep the child's read() waiting after the parent's end */
		close(go[1]);
		run_child(argv, go[0], failed[1], inherited);
	}
	close(go[0]);
	close(failed[1]);
	if (child->pid < 0) {
		td_err_set(err, -errno, "fork: %s", strerror(errno));
		child->pid = 0;
		td_close_fd(&child->go);
		td_close_fd(&child->failed);
		return err->code;
	}
	child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	if (child->pidfd < 0) {
		td_err_set(err, -errno, "pidfd_open: %s", strerror(errno));
		td_child_end(child);
		return err->code;
	}
	return 0;
}

/* Read until exec() closes the pipe.  Returns the number of bytes. */
static size_t read_message(int fd, struct message *message)
{
	char *to = (char *)message;
	size_t size = sizeof(*message), got = 0;
	ssize_t len;

	do {
		len = read(fd, to + got, size - got);
		got += len > 0 ? (size_t)len : 0;
	} while (got < size && (len > 0 || (len < 0 && errno == EINTR)));
	return got;
}

int td_child_release(struct td_child *child, const char *name, struct td_err *err)
{
	struct message message = { 0 };
	int error = write(child->go, "", 1) == 1 ? 0 : errno;

	/* even after an error, so that the child does not wait */
	td_close_fd(&child->go);
	if (error)
		return td_err_set(err, -error, "cannot start %s: %s", name, strerror(error));
	child->runs = read_message(child->failed, &message) < sizeof(message);
	td_close_fd(&child->failed);
	child->before_ns = message.before_ns;
	if (child->runs)
		return 0;
	error = message.error;
	child->status = error == ENOENT ? 127 : 126;
	note_end(child->status);
	return td_err_set(err, -error, "%s: %s", *name ? name : "''", strerror(error));
}

/* After a failed exec(), the child has a status and was not waited for. */
bool td_child_is_over(const struct td_child *child)
{
	return child->runs || (child->status && !child->reaped);
}

static uint64_t to_ns(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * 1000000000 + (uint64_t)tv.tv_usec * 1000;
}

/*
 * Pass on a signal that only tdstat received.  A ^C of a terminal has reached the command as well,
 * which handles it.  The second signal kills the command, because its sender does not want to wait.
 */
static void pass_on(struct td_child *child, const struct td_signal *signal)
{
	bool again = child->signal_ns && signal->time_ns - child->signal_ns > TD_TWICE_NS;

	if (!signal->from_process && signal->number != SIGHUP)
		return;
	if (!child->signal_ns)
		child->signal_ns = signal->time_ns;
	kill(child->pid, again ? SIGKILL : signal->number);
}

int td_child_wait(struct td_child *child, struct td_usage *usage, struct td_err *err)
{
	struct rusage ru;
	int status;
	pid_t pid;

	do {
		pid = wait4(child->pid, &status, 0, &ru);
	} while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return td_err_set(err, -errno, "wait4: %s", strerror(errno));
	child->reaped = true;
	child->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	note_end(child->status);
	usage->has_times = true;
	usage->user_ns = to_ns(ru.ru_utime);
	usage->sys_ns = to_ns(ru.ru_stime);
	child->switches = (uint64_t)ru.ru_nvcsw;
	return 0;
}

void td_child_end(struct td_child *child)
{
	struct td_usage usage;
	struct td_err err;

	if (child->pid <= 0)
		return;
	fallback.engine = NULL;
	td_close_fd(&child->go); /* a child that still waits exits now */
	td_close_fd(&child->failed);
	if (!child->reaped)
		td_child_wait(child, &usage, &err);
	td_close_fd(&child->pidfd);
	child->pid = 0;
}

int td_run_plainly(char **argv, const struct td_inherited *inherited, int *status)
{
	pid_t pid = fork();
	int wait = 0;

	if (pid == 0) {
		td_signals_hold();
		td_inherited_restore(inherited);
		execvp(argv[0], argv);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0)
		return -errno;
	while (waitpid(pid, &wait, 0) < 0 && errno == EINTR)
		;
	*status = WIFSIGNALED(wait) ? 128 + WTERMSIG(wait) : WEXITSTATUS(wait);
	return 0;
}

/* --- the loop ------------------------------------------------------------- */

/* The time between SIGTERM and SIGKILL of --timeout. */
#define GRACE_NS (1000 * TD_NS_A_MS)

int td_engine_start(struct td_engine *engine, char **command, const struct td_inherited *inherited,
		    struct td_err *err)
{
	if (!command)
		return 0;
	if (hold_command(&engine->child, command, inherited, err))
		return err->code;
	engine->waiter.child = engine->child.pidfd;
	fallback.engine = engine;
	return 0;
}

static bool is_alive(const struct td_engine *engine)
{
	return engine->child.pid > 0 && !engine->waiter.child_ended;
}

static void take_signal(struct td_engine *engine, const struct td_signal *signal)
{
	engine->signal_ns = signal->time_ns;
	if (is_alive(engine))
		pass_on(&engine->child, signal);
	if (!is_alive(engine) || engine->child.signal_ns)
		engine->signals++;
}

/* Send SIGTERM to the command; in a second call, a second later, SIGKILL. */
static int end_command(struct td_engine *engine, struct td_err *err)
{
	bool again = engine->timed_out;

	engine->timed_out = true;
	if (!is_alive(engine))
		return 0;
	kill(engine->child.pid, again ? SIGKILL : SIGTERM);
	return again ? 0 : td_waiter_rearm(&engine->waiter, GRACE_NS, err);
}

static int take_wake(struct td_engine *engine, const struct td_wake *wake, struct td_err *err)
{
	if (wake->what & TD_WAKE_SIGNAL)
		take_signal(engine, &wake->signal);
	/* for example of an alarm(2) that tdstat inherited; SIGXCPU is about tdstat's own time */
	if (wake->what & TD_WAKE_RELAY && is_alive(engine) &&
	    (wake->signal.from_process || wake->signal.number != SIGXCPU))
		kill(engine->child.pid, wake->signal.number);
	/* if tdstat leads the session, a terminal that hangs up signals only tdstat */
	if (wake->what & TD_WAKE_REOPEN && is_alive(engine) && !wake->signal.from_process)
		pass_on(&engine->child, &wake->signal);
	return wake->what & TD_WAKE_TIMEOUT ? end_command(engine, err) : 0;
}

/* Is the run over?  step is the result of serve(), which is not 0 at the end. */
static bool is_over(const struct td_engine *engine, const struct td_wake *wake, int step)
{
	if (engine->child.pid > 0)
		return engine->waiter.child_ended;
	return step || engine->signals || engine->timed_out || wake->what & TD_WAKE_TARGETS;
}

int td_engine_run(struct td_engine *engine, td_engine_serve *serve, void *ctx, struct td_err *err)
{
	struct td_wake wake = { 0 };
	struct td_err late = { 0 };
	int rc = 0, step = 0;

	td_signals_over(false);
	do {
		struct td_err *to = rc ? &late : err;

		step = td_waiter_wait(&engine->waiter, &wake, to);
		if (step)
			break;
		step = take_wake(engine, &wake, to);
		if (!step && !rc && serve)
			step = serve(ctx, &wake, err);
		if (step < 0 && !rc)
			rc = step;
	} while (!is_over(engine, &wake, step));
	td_signals_over(true);
	return !rc && step < 0 ? step : rc;
}

int td_engine_reset(struct td_engine *engine, struct td_err *err)
{
	td_child_end(&engine->child);
	engine->child = (struct td_child){ 0 };
	engine->timed_out = false;
	return td_waiter_reset(&engine->waiter, err);
}

/* --- no memory -------------------------------------------------------------- */

static void say(const char *what)
{
	char line[128] = "tdstat: out of memory";

	strcat(line, what);
	strcat(line, "\n");
	if (td_write_all(STDERR_FILENO, line, strlen(line)))
		return; /* the error cannot be reported */
}

__attribute__((noreturn)) static void end_with(struct td_engine *engine)
{
	struct td_child *child = &engine->child;
	struct td_usage usage;
	struct td_err err;

	say(": the counters stop, and the command runs to its end");
	if (!child->runs && td_child_release(child, "", &err))
		_exit(child->status ? child->status : 1);
	td_waiter_stop_counting(&engine->waiter);
	if (!engine->waiter.child_ended)
		td_engine_run(engine, NULL, NULL, &err);
	if (td_child_wait(child, &usage, &err))
		_exit(1);
	_exit(child->status);
}

/* End tdstat without allocating memory. */
static void end(void)
{
	int status;

	if (fallback.failed)
		_exit(1);
	fallback.failed = true;
	td_signals_tidy_up();
	if (fallback.engine)
		end_with(fallback.engine);
	if (fallback.ended || !fallback.command || fallback.refused) {
		say("");
		_exit(fallback.ended ? fallback.status : fallback.refused ? fallback.refused : 1);
	}
	say(": the command runs without being counted");
	if (td_run_plainly(fallback.command, td_inherited_last(), &status))
		_exit(1);
	_exit(status);
}

void td_engine_handle_no_memory(char **command, int refused)
{
	fallback.command = command;
	fallback.refused = command ? refused : 0;
	td_memory_on_failure(end);
}
