// SPDX-License-Identifier: GPL-2.0-only
/* Numbers of which JSON has the digits that text has. */
#include <json-c/json.h>

#include "cmd/out/out.h"
#include "lib/base/util.h"

/* A number as text gives it: a double's own form has 17 digits. */
struct json_object *td_out_json_percent(double value)
{
	char buf[64];

	return json_object_new_double_s(value, td_out_format(buf, 2, value));
}

struct json_object *td_out_json_seconds(uint64_t ns)
{
	char buf[40];

	return json_object_new_double_s((double)ns / 1e9,
					td_format_seconds(buf, ns));
}
