/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/doctor: checks what this machine can measure, and how to fix the rest.
 *
 * In: the machine (lib/machine), what the kernel allows (environment.c), the plans of all
 * levels (levels.c) and a self-test (self_test.c).
 * Out: struct td_doctor, a list of findings, written as text or JSON.  The machine is not
 * changed.
 */
#pragma once

#include <limits.h>
#include <sched.h>
#include <stdarg.h>

#include "lib/machine/machine.h"

struct td_opts;
struct td_request;

/* --- report.c -------------------------------------------------------------- */

enum td_finding_state {
	TD_FINDING_OK,
	TD_FINDING_NOTE,    /* information without a remedy */
	TD_FINDING_WARNING, /* something works less well than it could */
	TD_FINDING_FAILED,  /* level 1 does not work for this reason */
};

enum td_loop {
	TD_LOOP_RETIRING,
	TD_LOOP_MISPREDICT,
	TD_LOOP_CHASE,
	TD_NR_LOOPS
};

struct td_doctor {
	/* Lines of the output.  Escape their texts: names of files, PMUs and cgroups. */
	struct td_finding {
		const char *name; /* "watchdog"; successive findings may share it */
		enum td_finding_state state;
		char *text;
		char *remedy;  /* a sentence, or NULL */
		char *command; /* a remedy to paste into a shell, or NULL */
		char *other;   /* an alternative command, or NULL */
	} * findings;
	size_t nr_findings;
	/* one for each tested core type */
	struct td_self_test {
		const char *pmu;   /* borrowed from the machine */
		int cpu;           /* CPU that ran the loops; -1: they did not run */
		bool whole_core;   /* both threads were counted because they share their slots */
		struct td_err err; /* why there are no shares; code 0: there are shares */
		/* Level 1 while a loop ran, in % of the slots; NaN: not counted. */
		struct td_loop_shares {
			double retiring, backend_bound, frontend_bound, bad_speculation;
			double sum;         /* sum of all nodes of level 1 */
			double running_pct; /* share of the time in which level 1 was counted */
		} shares[TD_NR_LOOPS];
		bool passed[TD_NR_LOOPS];
	} * tests;
	size_t nr_tests;
	bool level_1; /* the self-test has shown that level 1 works */
	bool made_up; /* counters count the same whatever runs */
};

/* Add a finding.  Returns it; the pointer is valid until the next one is added. */
struct td_finding *td_doctor_add(struct td_doctor *doctor, const char *name,
				 enum td_finding_state state, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Add the message of an error, with its hint as the remedy. */
struct td_finding *td_doctor_add_error(struct td_doctor *doctor, const char *name,
				       enum td_finding_state state, const struct td_err *err);
/* Set remedy, command or other of a finding. */
void td_finding_set(char **member, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Add the notes that are not yet in seen to the findings and to seen. */
void td_doctor_add_notes(struct td_doctor *doctor, const char *name, struct td_notes *seen,
			 const struct td_notes *notes);
/* Return the first finding that has failed, or NULL. */
const struct td_finding *td_doctor_failed(const struct td_doctor *doctor);
void td_doctor_free(struct td_doctor *doctor);

/*
 * self_test.c: count level 1 of this thread while it runs the loops (loops.c), on a CPU of
 * each core type, for half a second in total.  If the threads of a core share their slots,
 * the core is counted.  Add a test for each core type, and notes as findings.  The CPUs of
 * the thread are restored.
 */
void td_self_test_run(struct td_doctor *doctor, const struct td_request *request,
		      const struct td_machine *machine);

/* --- environment.c -------------------------------------------------------- */

#define TD_UNKNOWN INT_MIN

/* This user's rights and limits.  TD_UNKNOWN: proc or sysfs has no such file. */
struct td_environment {
	bool saved;             /* PROCFS_PATH: proc is that of another machine */
	bool admin;             /* CAP_SYS_ADMIN: root */
	bool perfmon;           /* CAP_PERFMON */
	struct td_err filtered; /* why perf_event_open(2) cannot be called; code 0: it can */
	bool nmi_watchdog;      /* kernel.nmi_watchdog, even if it holds no counter */
	int paranoid;           /* kernel.perf_event_paranoid */
	int sample_rate;        /* kernel.perf_event_max_sample_rate */
	int cpu_time_pct;       /* kernel.perf_cpu_time_max_percent */
	int mlock_kb;           /* kernel.perf_event_mlock_kb */
	int *rdpmc;             /* state of each core PMU: 0 off, 1 if mapped, 2 always */
	uint64_t files;         /* maximum number of open files */
	char *cgroup_root;      /* NULL: see no_cgroups */
	bool cgroup_v2;
	struct td_err no_cgroups;
	bool mounts_known;            /* proc has a list of mounts */
	bool has_tracefs;             /* tracefs or debugfs is mounted */
	struct td_err no_tracepoints; /* why tracepoints cannot be used; code 0: they can */
	bool has_ibs;                 /* both PMUs of TD_CORE_IBS exist */
	bool ibs_filters;             /* IBS can leave the kernel out */
	char *program;                /* the path of this program; NULL: unknown */
};

void td_environment_read(struct td_environment *out, const struct td_sysfs *fs,
			 const struct td_machine *machine);
void td_environment_free(struct td_environment *environment);

/* --- levels.c -------------------------------------------------------------- */

/* The plans of all levels; no counter is opened. */
struct td_levels {
	/* a finding for each level and PMU, and notes */
	struct td_doctor found;
	int deepest;              /* the deepest level that can be planned */
	struct td_err no_level_1; /* why level 1 cannot be planned; code 0: it can */
	/* why a single program cannot be counted; code 0: it can */
	struct td_err no_task;
	char *dir, *version;    /* directory and version of the model's files, or NULL */
	size_t nr_metrics;      /* number of metrics in these files */
	struct td_err no_files; /* why there are no files; code 0: there are files */
	uint64_t nr_files;      /* descriptors that the deepest level opens */
};

/* Plan each level on the machine, which is that of the request. */
void td_levels_plan(struct td_levels *levels, const struct td_request *request,
		    struct td_machine *machine);
/*
 * Plan tdstat -l 1 -- COMMAND, without running it.  Sets *why if a single program cannot be
 * counted on this core type, or on all (cputype NULL).
 */
void td_levels_plan_task(const struct td_request *request, const char *cputype, struct td_err *why);
void td_levels_free(struct td_levels *levels);

/* --- judge.c --------------------------------------------------------------- */

/* The system under test.  Members are borrowed. */
struct td_system {
	const struct td_machine *machine;
	const struct td_environment *environment;
	const struct td_levels *levels;
	const struct td_sysfs *fs; /* for the findings of wings */
};

/* Add findings: whether the kernel knows the processor, and faults of the kernel.  Pure. */
void td_doctor_judge_kernel(struct td_doctor *doctor, const struct td_system *system);
/* Add findings: the user's rights, mounted file systems, files and limits.  Pure. */
void td_doctor_judge_rights(struct td_doctor *doctor, const struct td_system *system);
void td_doctor_judge_system(struct td_doctor *doctor, const struct td_system *system);
/* Set passed for each loop, and level_1 if the loops differ on each tested core type.  Pure. */
void td_doctor_judge_tests(struct td_doctor *doctor, const struct td_system *system);

/* --- environment.c: CPUs ----------------------------------------------------- */

/* Returns the CPUs that this thread may run on; free with CPU_FREE(3). */
cpu_set_t *td_affinity_get(void);
/* Returns 0 or a negative errno. */
int td_affinity_set(const cpu_set_t *cpus);
/* Returns the last CPU of the PMU in the set, or -1. */
int td_affinity_choose(const struct td_pmu *pmu, const cpu_set_t *cpus);
/* Get the first and the last CPU that this thread may run on. */
void td_affinity_range(int *first, int *last);
/*
 * Let this thread, the main one, run only on one CPU, or only on the PMU's CPUs that are in the
 * set.  -EBUSY: a real-time task occupies them.
 */
int td_stay_on(int cpu, struct td_err *err);
int td_stay_on_pmu(const struct td_pmu *pmu, const cpu_set_t *cpus, struct td_err *err);

/* --- loops.c --------------------------------------------------------------- */

/*
 * The loops of the self-test.  Each has one bottleneck, in user space:
 *
 * retiring: a body of 256 bytes with independent additions and as many no-ops.  The front end
 * delivers it without a miss, and no instruction waits.
 * mispredict: branches on the bits of random numbers.  No history predicts them, so half of the
 * predictions are wrong.
 * chase: loads in random order from more memory than second-level caches hold.  Each load needs the
 * result of the previous one, and no other work overlaps.
 */

/*
 * Return the memory of the chase, of which each element contains the address of another.  The
 * caller frees it.
 */
void **td_loops_ring(void);

/*
 * Run a loop for ns nanoseconds, with the thread named after it (td-chase).  Returns the
 * number of steps: bodies of instructions, branches, loads.
 */
uint64_t td_loop_run(void **ring, enum td_loop loop, uint64_t ns);

/* Make order, nr indices, one cycle through all of them: random, but always the same. */
void td_loops_shuffle(uint32_t *order, uint32_t nr);
