/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_TASK_WATCH_H
#define TD_TEST_TASK_WATCH_H

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/counter/tasks.h"

#define PATIENCE 600000 /* until an event is considered lost, in ms */

/* All online CPUs. */
static struct td_ints cpus;

/* The events that a watch has reported. */
static struct {
	struct td_task_event v[4000];
	size_t nr;
} seen;

/* Returns a descriptor or a negative errno. */
static inline int open_dummy(uint64_t read_format)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.read_format = read_format,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static inline bool find_cpus(void)
{
	char text[4096] = "";
	FILE *file = fopen("/sys/devices/system/cpu/online", "re");

	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return !td_ints_parse(text, 1 << 16, &cpus) && cpus.nr;
}

/* Returns false if the test is skipped; else free cpus. */
static inline bool may_watch(void)
{
	int fd = open_dummy(0);

	if (fd == -EACCES || fd == -EPERM || fd == -ENOSYS || !find_cpus()) {
		printf("1..0 # SKIP no perf events for this user here\n");
		td_close_fd(&fd);
		return false;
	}
	td_close_fd(&fd);
	return true;
}

static inline bool is_readable(const struct td_task_watch *watch, int timeout)
{
	struct pollfd fd = { td_task_watch_fd(watch), POLLIN, 0 };

	return poll(&fd, 1, timeout) == 1 && fd.revents == POLLIN;
}

static inline void take(struct td_task_watch *watch)
{
	td_task_watch_read(watch);
	while (seen.nr < TD_ARRAY_SIZE(seen.v) && td_task_watch_next(watch, &seen.v[seen.nr]))
		seen.nr++;
}

/* Takes events until nr were seen, then for a moment, in case of more. */
static inline void take_all(struct td_task_watch *watch, size_t nr)
{
	while (is_readable(watch, seen.nr < nr ? PATIENCE : 20))
		take(watch);
}

static inline int try_watch(struct td_task_watch **watch, int tid, struct td_err *err)
{
	*err = (struct td_err){ 0 };
	seen.nr = 0;
	return td_task_watch_open(watch, &(struct td_ints){ &tid, 1 }, &cpus, err);
}

/* Starts to watch this thread. */
static inline struct td_task_watch *begin(void)
{
	struct td_task_watch *watch = NULL;
	struct td_err err;

	if (try_watch(&watch, gettid(), &err)) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	return watch;
}

#endif
