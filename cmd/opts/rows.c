// SPDX-License-Identifier: GPL-2.0-only
/* Options that are rows of other tables. */
#include "cmd/opts/rows.h"

#include <stddef.h>

#include "cmd/opts/value.h"
#include "cmd/out/writers.h"
#include "lib/count/aggregations.h"

#define MAX_ROWS 32 /* the bits that struct td_opts has for them */

static struct td_option aggregations[MAX_ROWS + 1], formats[MAX_ROWS + 1];
static struct td_option json[2];

/* What a table says of how it is typed; sets the bit of its index. */
static struct td_option make_option(const char *option, const char *letter,
				    const char *arg, const char *help,
				    size_t place, size_t i)
{
	return (struct td_option){
		.name = option + 2,
		.letter = letter ? letter[1] : 0,
		.arg = arg,
		.help = help,
		.kind = TD_OPTION_BIT,
		.place = place,
		.min = (int)i,
	};
}

/* All together is what report alone has to ask for. */
static void fill_aggregations(void)
{
	struct td_option *o = aggregations;

	for (size_t i = TD_AGGREGATE_ALL + 1; i < td_nr_aggregations(); i++) {
		const struct td_aggregation_row *row =
			td_aggregation_row((enum td_aggregation)i);

		*o = make_option(row->option, row->letter, row->arg, row->help,
				 offsetof(struct td_opts, aggregations), i);
		if (row->arg) {
			o->kind = TD_OPTION_FUNCTION;
			o->set = td_value_cache;
			o->optional = true;
		}
		o++;
	}
}

/* Text is what comes without an option. */
static void fill_formats(void)
{
	struct td_option *o = formats;

	for (size_t i = TD_FORMAT_TEXT + 1; i < td_nr_formats(); i++) {
		const struct td_out *out = td_out_find((enum td_format_kind)i);

		*o = make_option(out->option, out->letter, out->arg, out->help,
				 offsetof(struct td_opts, formats), i);
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
}

const struct td_option_group td_group_aggregations = { TD_SECTION_HOW,
						       aggregations };
const struct td_option_group td_group_formats = { TD_SECTION_HOW, formats };
const struct td_option_group td_group_json = { TD_SECTION_HOW, json };
