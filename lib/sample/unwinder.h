/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_UNWINDER_H
#define TD_LIB_SAMPLE_UNWINDER_H

#include "lib/base/err.h"
#include "lib/machine/sysfs.h"
#include "lib/sample/spots.h"
#include "lib/sample/unwind.h"

/*
 * Knows the rule of each spot (unwind.h).  Another process, confined, reads the
 * files (symbols.h), one rule at a time, and sees no stacks; each rule is kept.
 */
struct td_unwinder;

/*
 * -ELIBACC if libdw is not there.  Notes tell, once each, which files have no
 * rules.  fs and notes must outlive it.
 */
int td_unwinder_new(struct td_unwinder **out, const struct td_sysfs *fs,
		    struct td_notes *notes, struct td_err *err);
void td_unwinder_free(struct td_unwinder *unwinder); /* NULL is fine */
/* NULL: memory ran out.  Valid until the next call. */
const struct td_caller_rule *td_unwinder_find(struct td_unwinder *unwinder,
					      const struct td_spots *spots,
					      int spot);

#endif
