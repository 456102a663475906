// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/files/parts.h"

#include <stdlib.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

/* want NULL: none */
static const struct {
	const char *desc, *want;
} rows[] = {
	{ "L3 hits. Sample with: MEM_LOAD_RETIRED.L3_HIT_PS", "MEM_LOAD_RETIRED.L3_HIT" },
	{ "Clears. Sample with: MACHINE_CLEARS.COUNT. Related metrics: tma_x",
	  "MACHINE_CLEARS.COUNT" },
	{ "Sample with:  A.B_PS;C.D_PS. Related metrics: tma_x", "A.B;C.D" },
	{ "Sample with: A.B;C.D_PS", "A.B;C.D" },
	{ "Sample with: A.B_PS;;C.D", "A.B;C.D" },
	{ "Sample with: ", NULL },
	{ "Sample with: #NA", NULL },
	{ "Sample with: A|B", NULL },
	{ "no such words", NULL },
	{ NULL, NULL },
};

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++) {
		const char *name = rows[r].desc ? rows[r].desc : "none";
		char *got;

		got = td_sample_from_words(rows[r].desc);
		if (rows[r].want)
			is_str(got, rows[r].want, "%s", name);
		else
			ok(!got, "%s", name);
		free(got);
	}
	return done_testing();
}
