/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_EVIDENCE_FILE_H
#define TD_CMD_DOCTOR_EVIDENCE_FILE_H

#include <stdio.h>

#include "cmd/doctor/measured.h"
#include "cmd/doctor/surroundings.h"

/*
 * The file of tdstat doctor --evidence: JSON Lines; tdstat-doctor(1) has what is
 * in it.  The functions return 0 or -ENOMEM, and leave it to the caller to check
 * fp for errors.
 */

/*
 * The first line: the machine, and nothing that tells whose it is; the version of
 * perf, or "".
 */
int td_evidence_put_machine(FILE *fp, const struct td_sysfs *fs,
			    const struct td_machine *machine,
			    const struct td_surroundings *around,
			    const char *perf);
/* What one way of counting gave, with its recording. */
int td_evidence_put_counts(FILE *fp, const struct td_known *program,
			   const struct td_site *spot, const char *way,
			   const struct td_measured *measured);

#define TD_NR_DIFFERENCES 4

/* What became of a program on a kind of core. */
struct td_shown_program {
	const struct td_known *program;
	struct td_program_took took;
	struct td_err err;     /* why there is no verdict; code 0: there is */
	const char *expected;  /* a short name */
	struct td_focus focus; /* the verdict */
	bool agrees;
	/* of rdpmc from read, of tdstat from perf and from toplev; or no name */
	struct td_difference differences[TD_NR_DIFFERENCES];
	bool far; /* one of them is more than noise */
};

int td_evidence_put_program(FILE *fp, const struct td_site *spot,
			    const struct td_shown_program *found);

#endif
