/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_SETS_NO_TREE_H
#define TD_METRICS_SETS_NO_TREE_H

#include "lib/machine/machine.h"

/*
 * Sets err to the reason why no PMU of the machine has a top-down tree, with a
 * hint; returns -ENODEV.
 */
int td_why_no_tree(const struct td_machine *machine, struct td_err *err);
/*
 * The first Linux that knows the processor, if the machine's is older; NULL: it
 * is not, or the processor is not in the table.
 */
const char *td_kernel_too_old(const struct td_machine *machine);

#endif
