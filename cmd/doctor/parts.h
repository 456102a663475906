/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/doctor: says what this machine can count, and what stands in the way.
 *
 * In: the machine (lib/machine), what the kernel allows (surroundings.c), the
 * plans of all levels (levels.c) and a self-test (self_test.c).
 * Out: struct td_doctor, a list of findings, written as text or JSON.
 * Nothing is changed.
 */
#ifndef TD_CMD_DOCTOR_PARTS_H
#define TD_CMD_DOCTOR_PARTS_H

#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/machine/machine.h"

struct td_opts;
struct td_request;

/* --- report.c -------------------------------------------------------------- */

enum td_finding_state {
	TD_FINDING_OK,
	TD_FINDING_NOTE,    /* good to know, nothing to do */
	TD_FINDING_WARNING, /* something works less well than it could */
	TD_FINDING_FAILED,  /* level 1 does not work because of it */
};

/* A line of the page.  Texts may have names of the system: escape them. */
struct td_finding {
	const char *name; /* "watchdog"; several in a row may share one */
	enum td_finding_state state;
	char *text;
	char *remedy;  /* in words; NULL: none */
	char *command; /* to be pasted; NULL: none */
	char *other;   /* another one that helps as well; NULL: none */
};

/* The four shares of level 1 while a loop ran, in % of the slots; NaN: none. */
struct td_loop_shares {
	double retiring, backend_bound, frontend_bound, bad_speculation;
	double sum;         /* of all nodes of level 1 */
	double running_pct; /* of the time */
};

enum td_loop {
	TD_LOOP_RETIRING,
	TD_LOOP_MISPREDICT,
	TD_LOOP_CHASE,
	TD_NR_LOOPS
};

/* What the loops gave on one kind of core. */
struct td_self_test {
	const char *pmu; /* borrowed of the machine */
	int cpu;         /* where they ran; -1: nowhere */
	bool whole_core; /* its threads share their slots, so both were counted */
	struct td_err err; /* why there are no shares; code 0: there are */
	struct td_loop_shares shares[TD_NR_LOOPS];
	bool passed[TD_NR_LOOPS];
};

struct td_doctor {
	struct td_finding *findings;
	size_t nr_findings;
	struct td_self_test
		*tests; /* one for each kind of core that was tried */
	size_t nr_tests;
	bool level_1;       /* works: shown by the self-test */
	bool made_up;       /* counters count the same whatever runs */
	bool out_of_memory; /* findings are missing */
};

/*
 * Adds a finding and returns it, valid until the next is added.  NULL without
 * memory, which out_of_memory tells; the functions below take it.
 */
struct td_finding *td_doctor_add(struct td_doctor *doctor, const char *name,
				 enum td_finding_state state, const char *fmt,
				 ...) __attribute__((format(printf, 4, 5)));
/* The same of an error: its message, and its hint as the remedy. */
struct td_finding *td_doctor_add_error(struct td_doctor *doctor,
				       const char *name,
				       enum td_finding_state state,
				       const struct td_err *err);
void td_finding_set_remedy(struct td_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void td_finding_set_command(struct td_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void td_finding_set_other(struct td_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Appends the findings of from, which has none then. */
void td_doctor_take(struct td_doctor *doctor, struct td_doctor *from);
/* Has a finding failed? */
bool td_doctor_has_failed(const struct td_doctor *doctor);
void td_doctor_free(struct td_doctor *doctor);

/* "ok", "note", "warning", "failed" */
const char *td_finding_state_name(enum td_finding_state state);

/*
 * self_test.c: counts level 1 of this thread while it runs the loops (loops.c), on
 * a CPU of each kind of core, for half a second in all.  Where the threads of a
 * core share their slots, the core is counted.  Adds a test for each kind, and what
 * was noted as findings.  The thread may run where it could before at the end.
 * Returns -ENOMEM.
 */
int td_self_test_run(struct td_doctor *doctor, const struct td_request *request,
		     const struct td_machine *machine, struct td_err *err);

/* --- surroundings.c -------------------------------------------------------- */

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

/* --- levels.c -------------------------------------------------------------- */

/* What the plans of tdstat say; nothing is opened. */
struct td_levels {
	/* a finding for each level and PMU, and what was noted */
	struct td_doctor found;
	int deepest;              /* the deepest level that can be planned */
	struct td_err no_level_1; /* code 0: it can be planned */
	/* why one program alone cannot be counted; code 0: it can */
	struct td_err no_task;
	char *dir, *version;    /* of the model's files; NULL: none, unknown */
	size_t nr_metrics;      /* in these files */
	struct td_err no_files; /* why there are none; code 0: there are */
	uint64_t nr_files;      /* descriptors that the deepest level opens */
};

/*
 * Plans each level on the machine, which is that of the request.  Returns -ENOMEM; free
 * it even then.
 */
int td_levels_plan(struct td_levels *levels, const struct td_request *request,
		   struct td_machine *machine, struct td_err *err);
/*
 * Plans tdstat -l 1 -- COMMAND; the word is not run.  why: why a program alone cannot
 * be counted on this kind of core, or on all (NULL); as it was if it can.
 */
void td_levels_plan_task(const struct td_request *request, const char *cputype,
			 struct td_err *why);
void td_levels_free(struct td_levels *levels);

/* --- judge.c --------------------------------------------------------------- */

/* What was gathered.  Borrowed. */
struct td_patient {
	const struct td_machine *machine;
	const struct td_surroundings *around;
	const struct td_levels *levels;
};

/*
 * Make findings of what was gathered.  Pure.
 *
 * judge_kernel.c: whether the kernel knows the processor, and what it does wrong.
 */
void td_doctor_judge_kernel(struct td_doctor *doctor,
			    const struct td_patient *patient);
/* judge_system.c: the user's rights, what is mounted, files and limits. */
void td_doctor_judge_rights(struct td_doctor *doctor,
			    const struct td_patient *patient);
void td_doctor_judge_system(struct td_doctor *doctor,
			    const struct td_patient *patient);
/*
 * judge_tests.c: sets passed of each loop, and level_1 if the loops could be
 * told apart on each kind of core that was tried.  The limits are there.
 */
void td_doctor_judge_tests(struct td_doctor *doctor,
			   const struct td_patient *patient);

/* --- cpus.c ---------------------------------------------------------------- */

/* Where this thread may run; freed by CPU_FREE(3).  NULL: out of memory. */
cpu_set_t *td_cpus_home(void);
/* Lets it run there. */
int td_cpus_go_home(const cpu_set_t *home);
/* The last CPU of the PMU where it may run; -1: none. */
int td_cpus_choose(const struct td_pmu *pmu, const cpu_set_t *home);
/* The first and the last CPU where it may run now. */
int td_cpus_of_thread(int *first, int *last, struct td_err *err);
/* Lets the thread run on one CPU, or on those of the PMU at home, only. */
int td_stay_on(int cpu, struct td_err *err);
int td_stay_on_kind(const struct td_pmu *pmu, const cpu_set_t *home,
		    struct td_err *err);

/* --- loops.c --------------------------------------------------------------- */

/*
 * The loops of the self-test.  Each does one thing, in user space only, so that
 * it is known where its slots go:
 *
 * retiring: additions that do not wait for each other, and as many no-ops, in a
 * body of 256 bytes: the front end delivers it without a miss and nothing waits.
 * mispredict: branches on the bits of a random number, of which no history tells
 * the next: half of them are predicted wrongly.
 * chase: each load needs the result of the one before it, in a random order over
 * more memory than the second-level caches have: nothing can be done meanwhile.
 */
struct td_loops {
	void **ring; /* of the chase: each element has the address of another */
};

/* Prepares the memory.  Returns -ENOMEM.  Free it even then. */
int td_loops_make(struct td_loops *loops, struct td_err *err);
void td_loops_free(struct td_loops *loops);

/*
 * Runs a loop for ns nanoseconds.  Meanwhile the thread has its name (td-chase),
 * by which top and perf tell the loops apart.  Returns the number of its steps:
 * bodies of instructions, branches, loads.
 */
uint64_t td_loop_run(const struct td_loops *loops, enum td_loop loop,
		     uint64_t ns);

/* Makes order, of nr indices, one cycle through all of them: random, and always the same. */
void td_loops_shuffle(uint32_t *order, uint32_t nr);

/* --- evidence.c ------------------------------------------------------------ */

/* tdstat doctor --evidence [FILE], and --program NAME[:MS]. */
int td_evidence_check(const struct td_opts *opts, struct td_err *err);
/*
 * Counts the programs on each kind of core, and writes what came of it to the file
 * and, a line for each program, to standard output.  *status is 1 if a verdict is
 * not the one that is expected, or there is none at all.
 */
int td_evidence_give(const struct td_opts *opts, int *status,
		     struct td_err *err);
/* Runs one program, and prints how long it takes; nothing with --quiet. */
int td_evidence_run(const struct td_opts *opts, struct td_err *err);

#endif
