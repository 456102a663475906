/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_GZIP_H
#define TD_LIB_BASE_GZIP_H

#include <stddef.h>
#include <stdio.h>

#include "lib/base/err.h"

/* Loads zlib.  To be called before td_gzip_write(), again, too. */
int td_gzip_load(struct td_err *err);
/* Writes the bytes as a file of gzip, without a name or time.  0 or -ENOMEM. */
int td_gzip_write(FILE *fp, const void *bytes, size_t size);

#endif
