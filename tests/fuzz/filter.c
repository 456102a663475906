// SPDX-License-Identifier: GPL-2.0-only
/* --filter of a tracepoint with some fields. */
#include "tests/fuzz/replay.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/event/parts.h"

static void check(const char *filter)
{
	static const struct td_field fields[] = {
		{ "pid", TD_FIELD_NUMBER },
		{ "prev_comm", TD_FIELD_TEXT },
		{ "mask", TD_FIELD_OTHER },
	};
	struct td_err err = { 0 };
	int rc = td_filter_check(filter, fields, TD_ARRAY_SIZE(fields), &err);

	if (rc != err.code || (rc && !err.msg[0]))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	if (text)
		check(text);
	free(text);
	return 0;
}
