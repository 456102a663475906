// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: sandbox kill|errno
 *
 * Regions under a filter of system calls, for regions.bats and tests/unit/region_program.c.
 * 20 calls of "known" precede the filter and 20 follow it, and so do 10 new regions.  kill: marks
 * may only call read(); any other call ends the program.  errno: marks may make no call, and a
 * thread starts then.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/machine/mark.h"

#define CALLS 20

/* A few milliseconds each, so that the thread also loses its CPU. */
static void mark(const char *name, unsigned int calls)
{
	mark_work(name, calls, 2000000);
}

static void mark_new(void)
{
	char name[] = "new0";

	for (; name[3] <= '9'; name[3]++)
		mark(name, 1);
}

#define ALLOW(nr)                                        \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* The clock is none where the C library asks the kernel's page for it. */
static int confine(bool allow_read, unsigned int otherwise)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_exit),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_clock_gettime),
		ALLOW(allow_read ? SYS_read : SYS_exit),
		BPF_STMT(BPF_RET | BPF_K, otherwise),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]),
		.filter = filter,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
			    &program);
}

static volatile bool begun, confined, ended;

static void *begin_late(void *arg)
{
	begun = true;
	while (!confined)
		;
	mark("late", 1);
	ended = true;
	while (confined)
		;
	return arg;
}

int main(int argc, char **argv)
{
	bool allow_read = argc > 1 && strcmp(argv[1], "kill") == 0;
	pthread_t thread;

	mark("known", CALLS);
	if (!allow_read && pthread_create(&thread, NULL, begin_late, NULL))
		return 1;
	while (!allow_read && !begun)
		;
	if (td_regions_on && td_thread_init())
		return 1;
	if (confine(allow_read, allow_read ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | 1))
		return 1;
	confined = true;
	mark("known", CALLS);
	mark_new();
	while (!allow_read && !ended)
		;
	return 0;
}
