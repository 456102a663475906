/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_READ_H
#define TD_LIB_RECORDING_READ_H

#include "lib/recording/recording.h"

/*
 * Several recordings of one machine in a row, as record --rotate writes them, read
 * as one: times are from the start of the first one, and go on.
 */

/* Recordings of older versions, and of --no-host, do not say: they are of any. */
bool td_recording_has_other_host(const struct td_recording_info *a,
				 const struct td_recording_info *b);
/*
 * Returns 0 if what is in next, of the same host, goes on what is in rec: the same
 * machine, events and options, and a start that is not before since_ns (0:
 * unknown) or rec's.  Else an error that says what differs.
 */
int td_recording_goes_on(const struct td_recording *rec,
			 const struct td_recording *next, uint64_t since_ns,
			 struct td_err *err);
/*
 * At the end of a recording: goes on with the file at path, which must outlive rec.
 * What lies between the two belongs to no interval.
 */
int td_recording_follow(struct td_recording *rec, const char *path,
			struct td_err *err);

#endif
