/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_MACHINE_FORMAT_H
#define TD_LIB_MACHINE_FORMAT_H

#include <stdint.h>

#define TD_NR_CONFIGS 4 /* config, config1, config2, config3 */

/* A format file: the config word of a term and its bits there. */
struct td_format {
	char *name;
	int word;
	uint64_t mask;
};

/* Returns 0 to 3 for "config" to "config3", else -1. */
int td_config_word(const char *name);
/* Parses "config1:0-15,40-47"; -EINVAL for anything else. */
int td_format_parse(const char *text, struct td_format *out);
/*
 * Puts value into the bits of the format, low bits first, across split ranges.
 * -ERANGE if the value has too many bits.
 */
int td_format_pack(const struct td_format *format, uint64_t value,
		   uint64_t config[TD_NR_CONFIGS]);

#endif
