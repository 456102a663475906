// SPDX-License-Identifier: GPL-2.0-only
/* JSON Lines: an object for each value that was compared. */
#include <json-c/json.h>
#include <math.h>

#include "cmd/out/out.h"
#include "lib/base/json_put.h"

static void put_text(struct json_object *o, const char *key, const char *text)
{
	td_json_add(o, key, text ? json_object_new_string(text) : NULL);
}

static void put_number(struct json_object *o, const char *key, double value)
{
	td_json_add(o, key, isnan(value) ? NULL : td_out_json_number(value));
}

static void put_slots(struct json_object *o, const struct td_diff_value *slots)
{
	put_number(o, "slots_a", slots->of[TD_DIFF_A]);
	put_number(o, "slots_b", slots->of[TD_DIFF_B]);
	put_number(o, "slots_difference", slots->diff);
	put_number(o, "slots_error", slots->error);
	put_number(o, "slots_degrees", slots->degrees);
}

static void put_row(struct td_writer *writer, const struct td_diff *diff,
		    const struct td_diff_row *row)
{
	const struct td_diff_value *value = &row->value;
	struct json_object *o = td_json_line();

	put_text(o, "kind", td_out_diff_kind(row->kind));
	put_text(o, "id", row->id);
	put_text(o, "pmu", row->pmu);
	put_text(o, "name", row->name);
	put_text(o, "unit", row->unit);
	td_json_add(o, "level",
		    row->level ? json_object_new_int(row->level) : NULL);
	put_number(o, "a", value->of[TD_DIFF_A]);
	put_number(o, "b", value->of[TD_DIFF_B]);
	put_number(o, "difference", value->diff);
	put_number(o, "error", value->error);
	put_number(o, "degrees", value->degrees);
	put_number(o, "percent", row->change_pct);
	put_number(o, "percent_error", row->change_error);
	put_text(o, "per", td_per_word(diff->per));
	put_slots(o, &row->slots);
	td_json_add(o, "marked", json_object_new_boolean(row->marked));
	td_out_json_line(writer, o);
}

void td_out_json_diff(struct td_writer *writer, const struct td_diff *diff)
{
	for (size_t i = 0; i < diff->nr; i++)
		put_row(writer, diff, &diff->rows[i]);
}
