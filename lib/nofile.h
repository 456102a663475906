/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_NOFILE_H
#define TD_NOFILE_H

#include <stdbool.h>

/* Makes the soft limit of descriptors the hard one; false: it is already. */
bool td_raise_nofile(void);

#endif
