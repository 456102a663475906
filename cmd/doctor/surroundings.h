/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_SURROUNDINGS_H
#define TD_CMD_DOCTOR_SURROUNDINGS_H

#include <limits.h>
#include <stdint.h>

#include "lib/machine/machine.h"

#define TD_UNKNOWN INT_MIN

/* What the kernel lets this user do.  TD_UNKNOWN: proc or sysfs has no such file. */
struct td_surroundings {
	bool saved;             /* PROCFS_PATH: proc is not this machine's */
	bool admin;             /* CAP_SYS_ADMIN: root */
	bool perfmon;           /* CAP_PERFMON */
	struct td_err filtered; /* code 0: perf_event_open(2) can be called */
	int paranoid;           /* kernel.perf_event_paranoid */
	int sample_rate;        /* kernel.perf_event_max_sample_rate */
	int cpu_time_pct;       /* kernel.perf_cpu_time_max_percent */
	int mlock_kb;           /* kernel.perf_event_mlock_kb */
	int *rdpmc;     /* of each core PMU: 0 off, 1 where mapped, 2 always */
	uint64_t files; /* that tdstat may have open at most */
	char *cgroup_root; /* NULL: see no_cgroups */
	bool cgroup_v2;
	struct td_err no_cgroups;
	bool mounts_known; /* proc has a list of mounts */
	bool has_tracefs;  /* tracefs or debugfs is mounted */
	struct td_err
		no_tracepoints; /* why none can be used; code 0: they can */
	/* why calls cannot be counted by Processor Trace; code 0: they can */
	struct td_err no_trace;
	bool has_ibs;     /* both PMUs of TD_CORE_IBS are there */
	bool ibs_filters; /* and the kernel can leave itself out */
	char *program;    /* the path of this program; NULL: unknown */
};

/* Reads what there is.  Returns -ENOMEM.  Free it even then. */
int td_surroundings_read(struct td_surroundings *out, const struct td_sysfs *fs,
			 const struct td_machine *machine, struct td_err *err);
void td_surroundings_free(struct td_surroundings *surroundings);

#endif
