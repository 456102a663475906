// SPDX-License-Identifier: GPL-2.0-only
/* Where the fields of an event's encoding are: the files of a PMU's format/. */
#include "lib/machine/format.h"

#include <errno.h>
#include <string.h>

#include "lib/base/ints.h"

int td_config_word(const char *name)
{
	if (strncmp(name, "config", 6) != 0)
		return -1;
	name += 6;
	if (*name == '\0')
		return 0;
	if (*name >= '1' && *name < '0' + TD_NR_CONFIGS && !name[1])
		return *name - '0';
	return -1;
}

int td_format_parse(const char *text, struct td_format *out)
{
	struct td_ints bits;
	int word = 0, rc;

	if (strncmp(text, "config", 6) != 0)
		return -EINVAL;
	text += 6;
	if (*text >= '1' && *text < '0' + TD_NR_CONFIGS)
		word = *text++ - '0';
	if (*text++ != ':')
		return -EINVAL;
	rc = td_ints_parse(text, 63, &bits);
	if (rc)
		return rc == -ENOMEM ? rc : -EINVAL;
	out->word = word;
	out->mask = 0;
	for (size_t i = 0; i < bits.nr; i++)
		out->mask |= UINT64_C(1) << bits.v[i];
	td_ints_free(&bits);
	return out->mask ? 0 : -EINVAL;
}

int td_format_pack(const struct td_format *format, uint64_t value,
		   uint64_t config[TD_NR_CONFIGS])
{
	uint64_t packed = 0;

	for (int bit = 0; bit < 64; bit++) {
		if (!(format->mask >> bit & 1))
			continue;
		packed |= (value & 1) << bit;
		value >>= 1;
	}
	if (value)
		return -ERANGE;
	config[format->word] &= ~format->mask;
	config[format->word] |= packed;
	return 0;
}
