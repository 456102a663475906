/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_WHY_H
#define TD_WHY_H

#include "lib/machine.h"

/* Why no PMU of the machine has a tree, and what to do: -ENODEV. */
int td_why_no_tree(const struct td_machine *machine, struct td_err *err);

#endif
