// SPDX-License-Identifier: GPL-2.0-only
/* Pages, SVG, Perfetto, flame graphs and other files of stacks. */

#include "cmd/wing.h"
#include "cmd/opts/option.h"
#include "cmd/output/format.h"
#include "cmd/pictures/page.h"
#include "lib/base/compress.h"

/* --- options --------------------------------------------------------------- */

/* clang-format off */
#define STACK_FILE(member) \
	TD_OPTION_FILE, .offset = offsetof(struct td_opts, request.sampling.files.member)

static const struct td_option stacks[] = {
	{ "folded", 0, "FILE",
	  "also write stacks of callers for flamegraph.pl or speedscope",
	  STACK_FILE(folded) },
	{ "pprof", 0, "FILE", "also write stacks of callers for pprof, Parca or Pyroscope",
	  STACK_FILE(pprof) },
	{ "flame", 0, "FILE", "also write a flame graph: a page, or FILE.svg",
	  STACK_FILE(flame) },
	{ NULL },
};

static const struct td_option pages[] = {
	{ "html", 0, "FILE", "an HTML page with charts, which needs no network",
	  TD_OPTION_FORMAT, .min = TD_FORMAT_HTML },
	{ "svg", 0, "FILE", "the tree as a chart",
	  TD_OPTION_FORMAT, .min = TD_FORMAT_SVG },
	{ NULL },
};

static const struct td_option perfetto[] = {
	{ "perfetto", 0, "FILE",
	  "with -I: a trace for Perfetto, with tracks of counters",
	  TD_OPTION_FORMAT, .min = TD_FORMAT_PERFETTO },
	{ NULL },
};

static const struct td_option page_of_diff[] = {
	{ "html", 0, "FILE",
	  "an HTML page with charts, alone or with another format",
	  TD_OPTION_FILE, .offset = offsetof(struct td_opts, diff.page) },
	{ NULL },
};
/* clang-format on */

static const struct td_option_group group_stacks = { TD_SECTION_HOW, stacks };
static const struct td_option_group group_pages = { TD_SECTION_HOW, pages };
static const struct td_option_group group_perfetto = { TD_SECTION_HOW, perfetto };
static const struct td_option_group group_diff = { TD_SECTION_HOW, page_of_diff };

static const struct td_addition additions[] = {
	{ "stat", &group_perfetto }, { "report", &group_stacks },
	{ "report", &group_pages },  { "report", &group_perfetto },
	{ "locate", &group_stacks }, { "profile", &group_stacks },
	{ "diff", &group_diff },     { NULL },
};

/* --- outputs --------------------------------------------------------------- */

static const struct td_out *const outs[TD_NR_NAMED_FORMATS] = {
	[TD_FORMAT_HTML] = &td_out_html,
	[TD_FORMAT_SVG] = &td_out_svg,
	[TD_FORMAT_PERFETTO] = &td_out_perfetto,
};

/* Refuse names of other formats. */
static int check_flame(const char *name, struct td_err *err)
{
	const char *slash = strrchr(name, '/');
	const char *dot = strrchr(slash ? slash : name, '.');

	if (!dot || strcmp(dot, ".svg") == 0 || strcmp(dot, ".html") == 0 ||
	    strcmp(dot, ".htm") == 0)
		return 0;
	return td_err_usage(err, "--flame %s: a flame graph is a page, .html, or a chart, .svg",
			    name);
}

static const struct td_stack_kind stack_kinds[TD_NR_STACK_FILES] = {
	[TD_STACKS_FOLDED] = { "--folded", .write = td_folded_write },
	[TD_STACKS_PPROF] = { "--pprof", .load = td_gzip_load, .write = td_pprof_write },
	[TD_STACKS_FLAME] = { "--flame", .check = check_flame, .write = td_flame_write },
};

const struct td_wing td_wing_pictures = {
	.name = "pictures",
	.additions = additions,
	.outs = outs,
	.stack_kinds = stack_kinds,
};
