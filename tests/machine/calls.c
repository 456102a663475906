// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: calls CALLS HOW [EVERY [MS]]
 *
 * Calls job() so often: each EVERY-th call (1000) is slow, in one of these ways:
 * "dram" (the scenario dram_latency for MS, 6), "sleep" (MS), "faults" (of pages),
 * "interrupts" (a timer ends for which many wait) or "atom" (it moves to CPU 3 for MS).  Or the calls are
 * special: "recursive", "longjmp", "threads", "fork", "short".  Prints how many calls were
 * made, and how long they took by the program's own clock: all, the median, the slowest;
 * and of those that are slow by interrupts, how long the clock seemed to stand still,
 * which is when the interrupt was.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/machine/scenario.h"

#define FAST_NS 20000
#define PAGES   48
#define SOON_NS 1000000 /* the probe of the call takes its time, too */
#define WAITERS 40
#define COPIES  800

typedef void slow_fn(void);

static long slow_ns = 6000000;

static uint64_t *took;
static size_t nr_took;
static int timer;
static uint64_t timer_ends_ns, stood_ns;
static jmp_buf out;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void spin(uint64_t ns)
{
	uint64_t end = now_ns() + ns;

	while (now_ns() < end)
		;
}

static void by_dram(void)
{
	choose("dram_latency");
	spin((uint64_t)slow_ns);
	choose("ports");
}

static void by_sleep(void)
{
	struct timespec t = { .tv_nsec = slow_ns };

	nanosleep(&t, NULL);
}

static void by_faults(void)
{
	size_t size = PAGES * 4096;
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; pages != MAP_FAILED && i < PAGES; i++)
		pages[i << 12] = 1;
	munmap(pages, size);
}

/* A thread that waits for the timer is sampled in its interrupt, and no thread is woken. */
static int make_timer(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	int made = timerfd_create(CLOCK_MONOTONIC, 0), copies[COPIES];

	for (int i = 0; i < COPIES; i++)
		copies[i] = dup(made);
	for (int i = 0; i < WAITERS; i++) {
		int waiter = epoll_create1(0);

		for (int j = 0; j < COPIES; j++) {
			if (epoll_ctl(waiter, EPOLL_CTL_ADD, copies[j], &event))
				perror("epoll_ctl");
		}
	}
	return made;
}

static void set_timer(void)
{
	struct itimerspec t = { 0 };

	timer_ends_ns = now_ns() + SOON_NS;
	t.it_value.tv_sec = (time_t)(timer_ends_ns / 1000000000);
	t.it_value.tv_nsec = (long)(timer_ends_ns % 1000000000);
	timerfd_settime(timer, TFD_TIMER_ABSTIME, &t, NULL);
}

static void by_interrupts(void)
{
	uint64_t last = now_ns(), longest = 0;

	while (last < timer_ends_ns + 10000) {
		uint64_t now = now_ns();

		if (now - last > longest)
			longest = now - last;
		last = now;
	}
	stood_ns += longest;
}

static void move(size_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void by_atom(void)
{
	spin((uint64_t)slow_ns);
}

__attribute__((noinline)) void job(slow_fn *slow);
__attribute__((noinline)) void job(slow_fn *slow)
{
	uint64_t begin = now_ns();

	spin(FAST_NS);
	if (slow)
		slow();
	if (took)
		took[nr_took++] = now_ns() - begin;
}

__attribute__((noinline)) int recursive(int depth);
__attribute__((noinline)) int recursive(int depth)
{
	static volatile int last;

	if (depth)
		last = recursive(depth - 1) + 1;
	spin(1000);
	return last;
}

__attribute__((noinline)) void leaves(bool jump);
__attribute__((noinline)) void leaves(bool jump)
{
	spin(1000);
	if (jump)
		longjmp(out, 1);
}

__attribute__((noinline)) void nothing(void);
__attribute__((noinline)) void nothing(void)
{
	__asm__ volatile("nop");
}

/* --- kinds ------------------------------------------------------------------ */

static void call_slowly(size_t calls, size_t every, slow_fn *slow)
{
	took = calloc(calls + 1, sizeof(*took));
	if (slow == by_interrupts)
		timer = make_timer();
	for (size_t i = 1; i <= calls; i++) {
		bool now = i % every == 0;

		if (now && slow == by_atom)
			move(3);
		if (now && slow == by_interrupts)
			set_timer();
		job(now ? slow : NULL);
		if (now && slow == by_atom)
			move(0);
	}
}

static void *call_in_thread(void *calls)
{
	for (size_t i = 0; i < (uintptr_t)calls; i++)
		job(NULL);
	return NULL;
}

static void call_in_threads(size_t calls)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, call_in_thread, (void *)(calls / 4));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void call_in_children(size_t calls)
{
	for (int i = 0; i < 4; i++) {
		if (fork() == 0) {
			call_in_thread((void *)(calls / 4));
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

static void call_specially(size_t calls, const char *how)
{
	for (volatile size_t i = 0; i < calls; i++) {
		if (strcmp(how, "recursive") == 0)
			recursive(3);
		else if (strcmp(how, "short") == 0)
			nothing();
		else if (setjmp(out) == 0)
			leaves(i % 4 == 0);
	}
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void print(size_t calls)
{
	uint64_t sum = 0;

	printf("%zu", calls);
	for (size_t i = 0; i < nr_took; i++)
		sum += took[i];
	if (nr_took) {
		qsort(took, nr_took, sizeof(*took), by_size);
		printf(" %lu %lu %lu", sum, took[nr_took / 2], took[nr_took - 1]);
	}
	if (stood_ns)
		printf(" %lu", stood_ns);
	printf("\n");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		slow_fn *slow;
	} ways[] = {
		{ "dram", by_dram },     { "sleep", by_sleep },
		{ "faults", by_faults }, { "interrupts", by_interrupts },
		{ "atom", by_atom },
	};
	size_t calls = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	size_t every = argc > 3 ? strtoul(argv[3], NULL, 10) : 1000;
	slow_fn *slow = NULL;

	if (!calls)
		return 64;
	if (argc > 4)
		slow_ns = atol(argv[4]) * 1000000;
	choose("ports");
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(ways[i].name, argv[2]) == 0)
			slow = ways[i].slow;
	}
	if (slow)
		call_slowly(calls, every, slow);
	else if (strcmp(argv[2], "threads") == 0)
		call_in_threads(calls);
	else if (strcmp(argv[2], "fork") == 0)
		call_in_children(calls);
	else
		call_specially(calls, argv[2]);
	print(calls);
	return 0;
}
