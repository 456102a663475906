// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: stamped CALLS HOW
 *
 * Calls stamped() CALLS times, for 1 to 64 us, and records the time
 * stamp counter at the beginning and end of the function, and before and after the call.  HOW is
 * "alone"; "threads" or "fork": eight, on all CPUs; "move": from CPU to CPU, even within calls;
 * "kernel": with a system call in each 16th; or "exec": a new program after each 100 calls.
 * Prints the number of calls and their times in ns: all, then the ten slowest; then the same as
 * their caller measured it.
 */
#include <cpuid.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define WORKERS 8
#define SLOWEST 10
#define OF_EXEC 100

/* Times of all calls, in ticks: inside them, and from the caller. */
static uint64_t *took, *outside;
static int nr_cpus;
static bool moves, sleeps;

/* Ticks of the TSC are those of the crystal by a ratio (SDM 2A, CPUID leaf 15H). */
static double tick_ns(void)
{
	unsigned int of, by, hz, unused;

	__cpuid(0x15, of, by, hz, unused);
	(void)unused;
	return hz && of && by ? 1e9 / ((double)hz * by / of) : 0;
}

static void move(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)(cpu % nr_cpus), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Out of the function's range, as what a compiler does not put into its callers. */
__attribute__((noinline)) static void spin(uint64_t until)
{
	while (__rdtsc() < until)
		;
}

static void enter_kernel(size_t i)
{
	const struct timespec t = { .tv_nsec = 100000 };

	if (moves)
		move((int)i);
	else
		nanosleep(&t, NULL);
}

__attribute__((noinline)) void stamped(size_t i);
__attribute__((noinline)) void stamped(size_t i)
{
	uint64_t begin = __rdtsc();

	spin(begin + 2000 + i * 7919 % 126000);
	if ((sleeps || moves) && i % 16 == 0)
		enter_kernel(i / 16);
	took[i] = __rdtsc() - begin;
}

static void call(size_t from, size_t until)
{
	for (size_t i = from; i < until; i++) {
		uint64_t begin = __rdtsc();

		stamped(i);
		outside[i] = __rdtsc() - begin;
	}
}

static void *work(void *arg)
{
	const size_t *range = arg;

	call(range[0], range[1]);
	return NULL;
}

static void call_in(size_t calls, bool fork_them)
{
	pthread_t threads[WORKERS];
	size_t ranges[WORKERS][2];

	for (size_t i = 0; i < WORKERS; i++) {
		ranges[i][0] = calls * i / WORKERS;
		ranges[i][1] = calls * (i + 1) / WORKERS;
		if (!fork_them)
			pthread_create(&threads[i], NULL, work, ranges[i]);
		else if (fork() == 0)
			_exit(work(ranges[i]) != NULL);
	}
	for (size_t i = 0; !fork_them && i < WORKERS; i++)
		pthread_join(threads[i], NULL);
	while (fork_them && wait(NULL) > 0)
		;
}

/* The notes are in a file that the next program has open. */
static void go_on(char **argv, size_t done, size_t calls)
{
	char text[32];

	call(done, done + OF_EXEC < calls ? done + OF_EXEC : calls);
	if (done + OF_EXEC >= calls)
		return;
	snprintf(text, sizeof(text), "%zu", done + OF_EXEC);
	setenv("DONE", text, 1);
	execv("/proc/self/exe", argv);
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

static void print(uint64_t *ticks, size_t calls)
{
	double ns = tick_ns(), sum = 0;

	for (size_t i = 0; i < calls; i++)
		sum += (double)ticks[i] * ns;
	qsort(ticks, calls, sizeof(*ticks), by_size);
	printf("%zu %.0f", calls, sum);
	for (size_t i = 0; i < SLOWEST && i < calls; i++)
		printf(" %.0f", (double)ticks[i] * ns);
	printf("\n");
}

/* Shared with children, and with the programs that this becomes. */
static void map_notes(size_t calls)
{
	const char *given = getenv("NOTES");
	int fd = given ? atoi(given) : memfd_create("notes", 0);
	char text[32];

	snprintf(text, sizeof(text), "%d", fd);
	setenv("NOTES", text, 1);
	if (fd < 0 || (!given && ftruncate(fd, (off_t)(2 * calls * sizeof(*took)))))
		exit(1);
	took = mmap(NULL, 2 * calls * sizeof(*took), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, fd, 0);
	if (took == MAP_FAILED)
		exit(1);
	outside = took + calls;
}

int main(int argc, char **argv)
{
	size_t calls = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	const char *how = calls ? argv[2] : "", *done = getenv("DONE");

	if (!calls)
		return 64;
	map_notes(calls);
	nr_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	moves = strcmp(how, "move") == 0;
	sleeps = strcmp(how, "kernel") == 0;
	if (strcmp(how, "exec") == 0)
		go_on(argv, done ? strtoul(done, NULL, 10) : 0, calls);
	else if (strcmp(how, "threads") == 0 || strcmp(how, "fork") == 0)
		call_in(calls, how[0] == 'f');
	else
		call(0, calls);
	print(took, calls);
	print(outside, calls);
	return 0;
}
