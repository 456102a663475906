/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SAMPLE_REPLAY_H
#define TD_CMD_SAMPLE_REPLAY_H

#include "cmd/opts/opts.h"
#include "cmd/view/view.h"
#include "lib/recording/recording.h"

/* report --locate: shows the samples of a recording whose head was read. */
int td_replay_locate(struct td_recording *rec, const struct td_opts *opts,
		     struct td_err *err);
/*
 * report --profile: makes regions of the recording of the functions of its
 * samples, and shows them.  Sets *time_ns to the time that they took.
 */
int td_replay_profile(struct td_recording *rec, struct td_view *view,
		      uint64_t *time_ns, const struct td_sample_files *asked,
		      struct td_err *err);

#endif
