/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VERSION_H
#define TD_CMD_VERSION_H

/* The Makefile says; tools that read the source alone do not. */
#ifndef TDSTAT_VERSION
#define TDSTAT_VERSION "unknown"
#endif

#endif
