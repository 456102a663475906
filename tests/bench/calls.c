// SPDX-License-Identifier: GPL-2.0-only
/*
 * calls ... N: makes only the system calls of N intervals of tdstat -a -I 10 with two software
 * events: the text is formatted before.
 */
#include <linux/perf_event.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define EVERY_NS 10000000
#define MAX_CPUS 1024
#define ROWS     224 /* bytes */

static int open_event(uint64_t config, int cpu, int leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

static int open_group(int cpu)
{
	int leader = open_event(PERF_COUNT_SW_CONTEXT_SWITCHES, cpu, -1);

	return leader < 0 || open_event(PERF_COUNT_SW_PAGE_FAULTS, cpu, leader) < 0 ? -1 : leader;
}

static void set_timer(int timer, struct timespec *next)
{
	struct itimerspec at = { .it_value = *next };

	next->tv_nsec += EVERY_NS;
	if (next->tv_nsec >= 1000000000) {
		next->tv_nsec -= 1000000000;
		next->tv_sec++;
	}
	at.it_value = *next;
	timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

static int interval(int timer, struct timespec *next, const int *groups, int nr)
{
	char rows[ROWS];
	struct pollfd fds[8] = { { timer, POLLIN, 0 } };
	uint64_t counts[7];

	for (int i = 1; i < 8; i++)
		fds[i].fd = -1;
	if (poll(fds, 8, -1) != 1)
		return 1;
	set_timer(timer, next);
	for (int i = 0; i < nr; i++) {
		if (read(groups[i], counts, sizeof(counts)) != sizeof(counts))
			return 1;
	}
	memset(rows, ' ', sizeof(rows));
	return write(STDOUT_FILENO, rows, sizeof(rows)) != sizeof(rows);
}

int main(int argc, char **argv)
{
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	int nr = (int)sysconf(_SC_NPROCESSORS_ONLN), groups[MAX_CPUS];
	struct timespec next;

	if (argc < 2 || nr > MAX_CPUS)
		return 64;
	for (int i = 0; i < nr; i++) {
		groups[i] = open_group(i);
		if (groups[i] < 0)
			return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &next);
	set_timer(timer, &next);
	for (int left = atoi(argv[argc - 1]); left > 0; left--) {
		if (interval(timer, &next, groups, nr))
			return 1;
	}
	return 0;
}
