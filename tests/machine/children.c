// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: children WHAT
 *
 * Regions in children of all kinds, by the table at the end, for regions.bats and
 * region_program.c.  A child ends 20 calls of "child" within one of "parent", which
 * the parent is in.  The status is 0 if all did what they do without tdstat; 77:
 * this user may not.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/machine/mark.h"

#define SKIPPED  77
#define CHILDREN 3
#define CALLS    20
#define PAGE     4096
#define SECONDS  60 /* after which a child that waits for a lock is killed */

extern pid_t _Fork(void);

static void mark(const char *name, unsigned int calls)
{
	mark_work(name, calls, 10000);
}

/* A process that calls _exit(): its complete calls are kept. */
static void be_child(void)
{
	alarm(SECONDS);
	mark("child", CALLS);
	td_end("parent");
	_exit(7);
}

static bool ended_well(pid_t pid)
{
	int status = 0;

	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       WEXITSTATUS(status) == 7;
}

/* --- kinds of fork ---------------------------------------------------------- */

static pid_t raw_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static int fork_by(pid_t (*function)(void))
{
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid;

		td_begin("parent");
		pid = function();
		if (pid == 0)
			be_child();
		if (!ended_well(pid))
			return 1;
		td_end("parent");
	}
	return 0;
}

static int by_fork(void)
{
	return fork_by(fork);
}

static int by_underscore_fork(void)
{
	return fork_by(_Fork);
}

static int by_clone(void)
{
	return fork_by(raw_clone);
}

/* Two generations, the first of which has no marks. */
static pid_t fork_twice(void)
{
	pid_t pid = raw_clone();
	int status;

	if (pid)
		return pid;
	pid = raw_clone();
	if (pid == 0)
		return 0;
	_exit(waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static int by_two(void)
{
	return fork_by(fork_twice);
}

/* A child of a program with threads may not wait for malloc's locks. */
static volatile bool stop;

static void *use_malloc(void *arg)
{
	while (!stop)
		free(malloc(100000));
	return arg;
}

static int beside_malloc(void)
{
	pthread_t thread;
	int rc = 0;

	if (pthread_create(&thread, NULL, use_malloc, NULL))
		return 1;
	for (int i = 0; !rc && i < 20; i++)
		rc = by_underscore_fork();
	stop = true;
	pthread_join(thread, NULL);
	return rc;
}

/* --- memory ----------------------------------------------------------------- */

/* A page that the child has not is where it may have others. */
static int in_holes(void)
{
	enum {
		NR = 4096
	};
	pid_t pid;
	char *pages[NR];

	td_begin("parent");
	pid = fork();
	if (pid)
		return ended_well(pid) ? 0 : 1;
	for (int i = 0; i < NR; i++) {
		pages[i] = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0);
		memset(pages[i], 1, PAGE);
	}
	mark("child", CALLS);
	for (int i = 0; i < NR; i++) {
		if (pages[i][0] != 1)
			_exit(1);
	}
	_exit(7);
}

/* Shares the memory, and as it has the same stack, the parent waits. */
static pid_t vfork_once(void)
{
	pid_t pid = vfork();

	if (pid)
		return pid;
	mark("child", CALLS);
	_exit(7);
}

static int by_vfork(void)
{
	for (int i = 0; i < CHILDREN; i++) {
		if (!ended_well(vfork_once()))
			return 1;
	}
	mark("after", CALLS);
	return 0;
}

static int mark_beside(void *arg)
{
	(void)arg;
	mark("child", 100 * CALLS);
	return 7;
}

/* Shares the memory and the thread's block while the parent continues. */
static int beside(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));

	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = clone(mark_beside, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);

		mark("parent", 100 * CALLS);
		if (!ended_well(pid))
			return 1;
	}
	mark("after", CALLS);
	return 0;
}

/* --- rights ----------------------------------------------------------------- */

static int without_rights(void)
{
	/* that user itself would lose none */
	if (geteuid() || setgid(65534) || setuid(65534))
		return SKIPPED;
	return by_fork();
}

/* The name of the file leads nowhere there. */
static int in_another_root(void)
{
	if (chroot("/etc") || chdir("/"))
		return SKIPPED;
	return by_fork();
}

/* --- marks ------------------------------------------------------------------ */

/* Check that marks preserve errno. */
static int keeping_errno(void)
{
	for (unsigned int i = 0; i < CALLS; i++) {
		errno = EXDEV;
		td_begin("parent");
		td_end("parent");
		if (errno != EXDEV)
			return 1;
	}
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} table[] = {
	{ "fork", by_fork },          { "_Fork", by_underscore_fork },
	{ "clone", by_clone },        { "two", by_two },
	{ "malloc", beside_malloc },  { "holes", in_holes },
	{ "vfork", by_vfork },        { "beside", beside },
	{ "setuid", without_rights }, { "chroot", in_another_root },
	{ "errno", keeping_errno },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(argv[1], table[i].name) == 0)
			return table[i].run();
	}
	fputs("usage: children WHAT\n", stderr);
	return 2;
}
