/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_RECORDING_READ_H
#define TD_LIB_RECORDING_READ_H

#include "lib/recording/recording.h"

/*
 * Opens rec->path, "-" for standard input, and unpacks what zstd compressed, which
 * it knows by the first bytes.  What others compressed is an error, with the
 * command that unpacks it.
 */
int td_recording_open_stream(struct td_recording *rec, struct td_err *err);
/* Closes all but standard input. */
void td_recording_close_stream(struct td_recording *rec);

#endif
