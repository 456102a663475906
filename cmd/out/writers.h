/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OUT_WRITERS_H
#define TD_CMD_OUT_WRITERS_H

#include <stddef.h>

#include "cmd/out/format.h"

size_t td_nr_formats(void);
const struct td_out *td_out_find(enum td_format_kind format);
/* "-j" or "--json-output", as messages name it. */
const char *td_out_option(enum td_format_kind format);

#endif
