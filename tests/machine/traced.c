/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program to be traced (pt.bats).  usage: traced HOW CALLS
 *
 * calls    calls work() so often
 * threads  in five threads, which take turns, and in two processes
 * stamps   and leaves four stamps of each call in the file "stamps": before it, as
 *          its first, as its last, behind it
 * bursts   five times, with a break before each
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

static long nr;
static volatile long sum;
static unsigned long long first, last;

void work(long n);
__attribute__((noinline)) void work(long n)
{
	first = __rdtsc();
	for (long i = 0; i < n; i++)
		sum += i;
	last = __rdtsc();
}

__attribute__((noinline)) static void calls(void)
{
	for (long i = 0; i < nr; i++) {
		work(10 + i % 7);
		sum = 0;
	}
}

static void *take_turns(void *unused)
{
	for (long i = 0; i < nr; i++) {
		work(10);
		if (i % 16 == 0)
			sched_yield();
	}
	return unused;
}

static void threads(void)
{
	pthread_t ids[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&ids[i], NULL, take_turns, NULL);
	take_turns(NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(ids[i], NULL);
	for (int i = 0; i < 2; i++) {
		if (!fork()) {
			take_turns(NULL);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
}

static void stamps(void)
{
	FILE *fp = fopen("stamps", "w");
	unsigned long long(*all)[4] = calloc((size_t)nr, sizeof(*all));

	if (!fp || !all)
		exit(1);
	for (long i = 0; i < nr; i++) {
		unsigned long long before = __rdtsc();

		work(100 * (i % 5));
		all[i][3] = __rdtsc();
		all[i][0] = before;
		all[i][1] = first;
		all[i][2] = last;
	}
	for (long i = 0; i < nr; i++)
		fprintf(fp, "%llu %llu %llu %llu\n", all[i][0], all[i][1], all[i][2], all[i][3]);
	fclose(fp);
	free(all);
}

static void bursts(void)
{
	for (int i = 0; i < 5; i++) {
		usleep(300000);
		calls();
	}
}

int main(int argc, char **argv)
{
	nr = argc == 3 ? atol(argv[2]) : 0;
	if (!strcmp(argv[1], "calls"))
		calls();
	else if (!strcmp(argv[1], "threads"))
		threads();
	else if (!strcmp(argv[1], "stamps"))
		stamps();
	else
		bursts();
	return 0;
}
