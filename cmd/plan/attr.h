/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_ATTR_H
#define TD_CMD_PLAN_ATTR_H

#include <linux/perf_event.h>
#include <stdio.h>

/*
 * Print a perf_event_attr in the layout of perf stat -vv: a line for each field that is not
 * 0, between two rules.  pmu: the name of the PMU of attr->type, or NULL.
 */
void td_attr_put(FILE *fp, const struct perf_event_attr *attr, const char *pmu);

/*
 * Call put for each flag that is set, in the order of the kernel's struct.  Only precise_ip
 * has values other than 1.
 */
void td_attr_each_flag(const struct perf_event_attr *attr,
		       void (*put)(void *ctx, const char *name, unsigned int value), void *ctx);

/* Print a call of perf_event_open(2) and its result, a fd or negative errno. */
void td_attr_put_open(FILE *fp, int pid, int cpu, int group_fd, unsigned long flags, int fd);

#endif
