// SPDX-License-Identifier: GPL-2.0-only
/* Options made from the tables of aggregations and writers. */
#include "cmd/opts/rows.h"

#include <stddef.h>

#include "cmd/opts/value.h"
#include "cmd/out/writers.h"
#include "lib/count/aggregation.h"

#define MAX_ROWS 32 /* bits in td_opts.aggregations and .formats */

static struct td_option aggregations[MAX_ROWS + 1], formats[MAX_ROWS + 1];
static struct td_option places[MAX_ROWS + 1];
static struct td_option json[2], perfetto[2], pages[MAX_ROWS + 1], html[2];
static struct td_option markdown[2];

/* Makes the option of row i, which sets bit i at offset. */
static struct td_option make_option(const char *option, const char *letter,
				    const char *arg, const char *help,
				    size_t offset, size_t i)
{
	return (struct td_option){
		.name = option + 2,
		.letter = letter ? letter[1] : 0,
		.arg = arg,
		.help = help,
		.kind = TD_OPTION_BIT,
		.offset = offset,
		.min = (int)i,
	};
}

/* Without those that are options of single subcommands only. */
static void fill_aggregations(void)
{
	struct td_option *o = aggregations, *place = places;

	for (size_t i = TD_AGGREGATE_ALL + 1; i < td_nr_aggregations(); i++) {
		const struct td_aggregation_row *row =
			td_aggregation_row((enum td_aggregation)i);

		if (i == TD_AGGREGATE_REGION || !row->option)
			continue;
		*o = make_option(row->option, row->letter, row->arg, row->help,
				 offsetof(struct td_opts, show.aggregations),
				 i);
		if (row->arg) {
			o->kind = TD_OPTION_FUNCTION;
			o->set = td_value_cache;
			o->optional = true;
		}
		if (i != TD_AGGREGATE_THREAD)
			*place++ = *o;
		o++;
	}
}

/* Those that name a file of their own are options of some subcommands only. */
static void fill_file(struct td_option *o, enum td_format_kind format)
{
	const struct td_out *out = td_out_find(format);

	*o = make_option(out->option, out->letter, out->arg, out->help, 0,
			 format);
	o->kind = TD_OPTION_FORMAT;
}

static void fill_files(void)
{
	fill_file(&html[0], TD_FORMAT_HTML);
	fill_file(&pages[0], TD_FORMAT_HTML);
	fill_file(&pages[1], TD_FORMAT_SVG);
	fill_file(&perfetto[0], TD_FORMAT_PERFETTO);
}

static void fill_markdown(void)
{
	const struct td_out *out = td_out_find(TD_FORMAT_MARKDOWN);

	markdown[0] = make_option(out->option, out->letter, out->arg, out->help,
				  offsetof(struct td_opts, show.formats),
				  TD_FORMAT_MARKDOWN);
}

/* Those that show reports; without text, the default. */
static void fill_formats(void)
{
	struct td_option *o = formats;

	for (size_t i = TD_FORMAT_TEXT + 1; i < td_nr_formats(); i++) {
		const struct td_out *out = td_out_find((enum td_format_kind)i);

		if (out->own_file || !out->report)
			continue;
		*o = make_option(out->option, out->letter, out->arg, out->help,
				 offsetof(struct td_opts, show.formats), i);
		if (out->arg) {
			o->kind = TD_OPTION_FUNCTION;
			o->set = td_value_separator;
		}
		if (i == TD_FORMAT_JSON)
			json[0] = *o;
		o++;
	}
}

void td_opts_fill_rows(void)
{
	fill_aggregations();
	fill_formats();
	fill_files();
	fill_markdown();
}

const struct td_option_group td_group_aggregations = { TD_SECTION_HOW,
						       aggregations };
const struct td_option_group td_group_places = { TD_SECTION_HOW, places };
const struct td_option_group td_group_formats = { TD_SECTION_HOW, formats };
const struct td_option_group td_group_pages = { TD_SECTION_HOW, pages };
const struct td_option_group td_group_html = { TD_SECTION_HOW, html };
const struct td_option_group td_group_perfetto = { TD_SECTION_HOW, perfetto };
const struct td_option_group td_group_markdown = { TD_SECTION_HOW, markdown };
const struct td_option_group td_group_json = { TD_SECTION_HOW, json };
