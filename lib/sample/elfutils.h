/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_ELFUTILS_H
#define TD_LIB_SAMPLE_ELFUTILS_H

/*
 * Loads libdw, libelf and zlib, to be called before any function of theirs.  May
 * be called again.  -ELIBACC if they are not here.
 */
int td_elfutils_load(void);

#endif
