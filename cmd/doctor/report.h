/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd/doctor: says what this machine can count, and what stands in the way.
 *
 * In: the machine (lib/machine), what the kernel allows (surroundings.h), the
 * plans of all levels (levels.h) and a self-test (self_test.c).
 * Out: struct td_doctor, a list of findings, written as text or JSON.
 * Nothing is changed.
 */
#ifndef TD_CMD_DOCTOR_REPORT_H
#define TD_CMD_DOCTOR_REPORT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"

struct td_machine;
struct td_opts;

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
 * self_test.c: counts level 1 of this thread while it runs the loops (loops.h), on
 * a CPU of each kind of core, for half a second in all.  Where the threads of a
 * core share their slots, the core is counted.  Adds a test for each kind, and what
 * was noted as findings.  The thread may run where it could before at the end.
 * Returns -ENOMEM.
 */
int td_self_test_run(struct td_doctor *doctor, const struct td_opts *opts,
		     const struct td_machine *machine, struct td_err *err);

#endif
