// SPDX-License-Identifier: GPL-2.0-only
/* What a process that looks for symbols writes, should it have been taken over. */
#include "lib/sample/finds.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "tests/fuzz/replay.h"

static char paths[][8] = { "/a", "/b", "//anon" };

static void add_spots(struct td_spots *spots)
{
	for (int i = 0; i < (int)TD_ARRAY_SIZE(paths); i++) {
		const struct td_object object = { .path = paths[i] };
		int at = td_spots_add_object(spots, &object);

		for (uint64_t j = 0; j < 4; j++)
			td_spots_add(spots, at, j << 12);
	}
}

static void check(const struct td_spots *spots)
{
	for (size_t i = 0; i < spots->nr; i++) {
		const struct td_spot *spot = &spots->v[i];
		const struct td_function *function;

		if (spot->function >= (int)spots->nr_functions ||
		    spot->file >= (int)spots->nr_files ||
		    (spot->file < 0) != (spot->line <= 0))
			abort();
		if (spot->function < 0)
			continue;
		function = &spots->functions[spot->function];
		if (!function->name || !*function->name ||
		    function->object != spot->object ||
		    function->address > spot->address)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct td_spots spots = { 0 };
	struct td_finds finds = { .spots = &spots, .object = -1, .after = -1 };
	size_t at = 0, length = 0;
	int kind;

	add_spots(&spots);
	while ((kind = td_finds_take(&finds, (const char *)data + at, size - at,
				     &length)) > TD_FINDS_MORE) {
		if (!length || length > TD_FINDS_MAX || length > size - at ||
		    (kind == TD_FINDS_END && finds.rc > 0))
			abort();
		at += length;
	}
	if (kind < 0 && kind != -EPROTO && kind != -ENOMEM)
		abort();
	check(&spots);
	td_spots_free(&spots);
	return 0;
}
