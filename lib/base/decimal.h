/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_DECIMAL_H
#define TD_LIB_BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Numbers as printf(3) has them in the C locale, to the bit, in a tenth of its
 * time: they are most of what a row consists of.
 */

/* Like "%.*f", but never "-0.0".  Returns buf. */
const char *td_format_fixed(char *buf, size_t size, int decimals, double value);
/* Seconds with nine decimals, "1.000104518".  Returns buf. */
const char *td_format_seconds(char buf[40], uint64_t ns);

#endif
