// SPDX-License-Identifier: GPL-2.0-only
/* The writer of each format. */
#include "cmd/out/out.h"

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
