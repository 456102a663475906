/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_JUDGE_H
#define TD_CMD_DOCTOR_JUDGE_H

#include "cmd/doctor/levels.h"
#include "cmd/doctor/report.h"
#include "cmd/doctor/surroundings.h"

/* What was gathered.  Borrowed. */
struct td_patient {
	const struct td_machine *machine;
	const struct td_surroundings *around;
	const struct td_levels *levels;
};

/*
 * Make findings of what was gathered.  Pure.
 *
 * judge_system.c: the user's rights, what is mounted, files and limits.
 */
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

#endif
