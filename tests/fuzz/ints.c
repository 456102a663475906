// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/replay.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/ints.h"
#include "lib/base/number.h"
#include "lib/machine/cpu.h"

/* A valid list is sorted, and is read back the same when written. */
static void check_list(const struct td_ints *list)
{
	char *text = td_ints_format(list);
	struct td_ints again;

	for (size_t i = 0; i < list->nr; i++) {
		if (list->v[i] < 0 || list->v[i] > TD_MAX_CPU ||
		    (i && list->v[i - 1] >= list->v[i]) || !td_ints_has(list, list->v[i]))
			abort();
	}
	if (td_ints_parse(text, TD_MAX_CPU, &again))
		abort();
	if (again.nr != list->nr ||
	    (list->nr && memcmp(again.v, list->v, list->nr * sizeof(int)) != 0))
		abort();
	td_ints_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	uint64_t value = 7;
	struct td_ints list;
	int number = 7;

	if (!text)
		return 0;
	if (td_ints_parse(text, TD_MAX_CPU, &list) == 0)
		check_list(&list);
	else if (list.v || list.nr)
		abort();
	td_ints_free(&list);
	if (td_parse_u64(text, UINT32_MAX, &value) ? value != 7 : value > UINT32_MAX)
		abort();
	if (td_parse_int(text, 3, 1000, &number) ? number != 7 : number < 3 || number > 1000)
		abort();
	free(text);
	return 0;
}
