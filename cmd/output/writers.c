// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of writers.  To add a writer, write a file with its row, name it in format.h, and add
 * a line here, or in the outs of a wing.
 */
#include "cmd/output/format.h"
#include "cmd/wing.h"
#include "lib/base/util.h"

static const struct td_out *const writers[] = {
	[TD_FORMAT_TEXT] = &td_out_text,  [TD_FORMAT_CSV] = &td_out_csv,
	[TD_FORMAT_JSON] = &td_out_json,  [TD_FORMAT_MARKDOWN] = &td_out_markdown,
	[TD_NR_NAMED_FORMATS - 1] = NULL,
};

size_t td_nr_formats(void)
{
	return TD_ARRAY_SIZE(writers);
}

const struct td_out *td_out_find(enum td_format_kind format)
{
	if (writers[format] || format >= TD_NR_NAMED_FORMATS)
		return writers[format];
	return td_wing_out(format);
}

const char *td_out_option(enum td_format_kind format)
{
	const struct td_out *out = td_out_find(format);

	if (!out)
		return NULL;
	return out->letter ? out->letter : out->option;
}
