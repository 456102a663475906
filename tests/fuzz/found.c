// SPDX-License-Identifier: GPL-2.0-only
/* Output of a process that searches for symbols, in case it was taken over. */
#include "lib/sample/parts.h"

#include "lib/base/util.h"
#include "tests/fuzz/locations.h"
#include "tests/fuzz/replay.h"
#include <errno.h>

static char paths[][8] = { "/a", "/b", "//anon" };

static void add_locations(struct td_locations *locations)
{
	for (int i = 0; i < (int)TD_ARRAY_SIZE(paths); i++) {
		const struct td_object object = { .path = paths[i] };
		int at = td_locations_add_object(locations, &object);

		for (uint64_t j = 0; j < 4; j++)
			td_locations_add(locations, at, j << 12);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct td_locations locations = { 0 };
	struct td_found_reader reader = { &locations, -1, -1 };
	size_t at = 0, length = 0;
	int kind;

	add_locations(&locations);
	while ((kind = td_found_read(&reader, (const char *)data + at, size - at, &length)) >
	       TD_FOUND_MORE) {
		if (!length || length > TD_FOUND_MAX || length > size - at ||
		    (kind == TD_FOUND_END && reader.rc > 0))
			abort();
		at += length;
	}
	if (kind < 0 && kind != -EPROTO)
		abort();
	check_locations(&locations);
	td_locations_free(&locations);
	return 0;
}
