// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linked into tdstat with --wrap=syscall to run under valgrind, as valgrind
 * 3.19 refuses pidfd_open(2) with ENOSYS.  A program outside of valgrind
 * (tests/valgrind/pidfd) calls it and sends the descriptor.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, ...);

static void run_helper(int to, long pid, long flags)
{
	char fd_text[24], pid_text[24], flags_text[24];

	snprintf(fd_text, sizeof(fd_text), "%d", dup(to)); /* no FD_CLOEXEC */
	snprintf(pid_text, sizeof(pid_text), "%ld", pid);
	snprintf(flags_text, sizeof(flags_text), "%ld", flags);
	execl(TD_PIDFD_HELPER, "pidfd", fd_text, pid_text, flags_text, NULL);
	_exit(127);
}

/* The answer is an errno, or 0 and a descriptor. */
static int receive(int from)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	int code = ENOSYS, fd = -1;
	struct iovec text = { &code, sizeof(code) };
	struct msghdr msg = { .msg_iov = &text,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };

	memset(&control, 0, sizeof(control));
	if (recvmsg(from, &msg, MSG_CMSG_CLOEXEC) == sizeof(code) && !code && CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	errno = code;
	return fd;
}

static int open_pidfd(long pid, long flags)
{
	int ends[2], fd, code;
	pid_t helper;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	helper = fork();
	if (helper == 0)
		run_helper(ends[1], pid, flags);
	close(ends[1]);
	fd = receive(ends[0]);
	code = errno;
	close(ends[0]);
	waitpid(helper, NULL, 0);
	errno = code;
	return fd;
}

long __wrap_syscall(long nr, ...)
{
	long arg[6];
	va_list args;

	va_start(args, nr);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	if (nr == SYS_pidfd_open)
		return open_pidfd((int)arg[0], (int)arg[1]);
	return __real_syscall(nr, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
