// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/out.h"

#include <inttypes.h>
#include <string.h>

const struct td_out *td_out_find(enum td_format_kind format)
{
	switch (format) {
	case TD_FORMAT_TEXT:
		return &td_out_text;
	case TD_FORMAT_CSV:
		return &td_out_csv;
	case TD_FORMAT_JSON:
		return &td_out_json;
	}
	return &td_out_text;
}

void td_out_number(FILE *fp, int width, int decimals, double value)
{
	char text[64];
	const char *number = text;

	snprintf(text, sizeof(text), "%.*f", decimals, value);
	if (text[0] == '-' && !text[1 + strspn(text + 1, "0.")])
		number++;
	fprintf(fp, "%*s", width, number);
}

void td_out_seconds(FILE *fp, uint64_t ns)
{
	fprintf(fp, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}
