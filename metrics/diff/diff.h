/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metrics/diff: how two sides of recordings differ.
 *
 * In: the finished reports of the recordings of each side, A and B.
 * Out: rows with the difference B minus A of each value, and its 95 % interval.
 */
#ifndef TD_METRICS_DIFF_DIFF_H
#define TD_METRICS_DIFF_DIFF_H

#include "lib/base/err.h"
#include "metrics/diff/result.h"

/*
 * interval.h says what is known of chance.  Names are borrowed from the
 * reports. Returns -ENOMEM; free with td_diff_free() even then.
 */
int td_diff_make(struct td_diff *diff, const struct td_diff_side *a,
		 const struct td_diff_side *b, enum td_per per,
		 struct td_err *err);
void td_diff_free(struct td_diff *diff);

/*
 * "instruction", "second", "run", "slot"; of TD_PER_DEFAULT, NULL.  For options,
 * td_per_option() has "instructions", "second", "run", "slots".
 */
const char *td_per_word(enum td_per per);
const char *td_per_option(enum td_per per);

#endif
