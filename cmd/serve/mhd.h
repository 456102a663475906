/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_SERVE_MHD_H
#define TD_CMD_SERVE_MHD_H

#include "lib/base/err.h"

/*
 * Loads libmicrohttpd, which brings a library for TLS along, to be called before
 * any function of its.  -ELIBACC, with the reason and a hint.
 */
int td_mhd_load(struct td_err *err);

#endif
