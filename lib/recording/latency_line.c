// SPDX-License-Identifier: GPL-2.0-only
/* Reads what samples told of retire latencies. */
#include "lib/recording/latency_line.h"

#include "lib/base/json_member.h"

#define MAX_SUM   (INT64_MAX - 1)
#define MOST_EACH 65535 /* cycles: the field of a record has 16 bits */

static bool parse_pair(struct json_object *pair, int64_t *sum, int64_t *nr)
{
	return json_object_is_type(pair, json_type_array) &&
	       json_object_array_length(pair) == 2 &&
	       td_json_whole(json_object_array_get_idx(pair, 0), 0, MAX_SUM,
			     sum) &&
	       td_json_whole(json_object_array_get_idx(pair, 1), 0, MAX_SUM,
			     nr) &&
	       *sum / MOST_EACH + (*sum % MOST_EACH > 0) <= *nr;
}

int td_recording_read_latencies(struct td_recording *rec,
				struct json_object *object, struct td_err *err)
{
	td_latencies_free(&rec->latencies);
	json_object_object_foreach(object, event, pair)
	{
		int64_t sum, nr;

		if (!parse_pair(pair, &sum, &nr))
			return td_recording_bad(rec, err,
						"\"latencies\" are not of the "
						"form [sum, number]");
		if (td_latencies_add(&rec->latencies, event, (uint64_t)sum,
				     (uint64_t)nr))
			return td_err_nomem(err);
	}
	return 0;
}
