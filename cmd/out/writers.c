// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of writers.  To add one, write a file with its row, name it in
 * format.h, and add a line here.
 */
#include "cmd/out/format.h"

#include "lib/base/util.h"

/* clang-format off */
static const struct td_out *const writers[] = {
	[TD_FORMAT_TEXT] = &td_out_text,
	[TD_FORMAT_CSV] = &td_out_csv,
	[TD_FORMAT_JSON] = &td_out_json,
	[TD_FORMAT_HTML] = &td_out_html,
	[TD_FORMAT_SVG] = &td_out_svg,
	[TD_FORMAT_MARKDOWN] = &td_out_markdown,
	[TD_FORMAT_PERFETTO] = &td_out_perfetto,
};
/* clang-format on */

size_t td_nr_formats(void)
{
	return TD_ARRAY_SIZE(writers);
}

const struct td_out *td_out_find(enum td_format_kind format)
{
	return writers[format];
}

const char *td_out_option(enum td_format_kind format)
{
	const struct td_out *out = writers[format];

	return out->letter ? out->letter : out->option;
}
