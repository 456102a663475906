/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_ATTR_H
#define TD_CMD_PLAN_ATTR_H

#include <linux/perf_event.h>
#include <stdio.h>

/*
 * What the kernel is asked for, in the layout of perf stat -vv: a line a field
 * that is not 0, between two rules.  pmu: the name of attr->type's, NULL: not
 * known.
 */
void td_attr_put(FILE *fp, const struct perf_event_attr *attr, const char *pmu);

/*
 * Calls put for each flag that is set, in the order of the kernel's struct;
 * precise_ip, the one with two bits, comes with its value.
 */
void td_attr_each_flag(const struct perf_event_attr *attr,
		       void (*put)(void *ctx, const char *name,
				   unsigned int value),
		       void *ctx);

/* One perf_event_open(2) and what came of it: fd, or a negative errno. */
void td_attr_put_open(FILE *fp, int pid, int cpu, int group_fd,
		      unsigned long flags, int fd);

#endif
