/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_VERSION_H
#define TD_CMD_VERSION_H

/* Version of tdstat, in a file that the Makefile writes (.ci/describe): "0.3.0". */
extern const char td_version[];

#endif
