/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_MODEL_H
#define TD_CMD_PLAN_MODEL_H

#include "cmd/opts/opts.h"
#include "lib/machine/machine.h"

/*
 * --model: makes up a machine of the model that is called so.  The name is a
 * folder of the files ("alderlake"), one of the table ("Alder Lake"), or an
 * identity ("GenuineIntel-6-97", also with a stepping).  An unknown name is a
 * usage error that has those that are close.  Nothing of this machine is read:
 * fs finds no file.
 */
int td_select_model(struct td_sysfs *fs, struct td_machine *machine,
		    const struct td_opts *opts, struct td_err *err);

#endif
