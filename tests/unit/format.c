// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>

#include "lib/base/util.h"
#include "lib/machine/pmu.h"
#include "tests/unit/test.h"

#define BITS(first, last) ((UINT64_MAX >> (63 - (last))) & (UINT64_MAX << (first)))

/* clang-format off */
static const struct {
	const char *text;
	int word;
	uint64_t mask; /* 0: refused */
} formats[] = {
	{ "config:0-7", 0, 0xff },
	{ "config:21", 0, BITS(21, 21) },
	{ "config:0-63", 0, UINT64_MAX },
	{ "config:63", 0, BITS(63, 63) },
	{ "config1:0-15", 1, 0xffff },
	{ "config2:0-63", 2, UINT64_MAX },
	{ "config:8-15,40-47", 0, BITS(8, 15) | BITS(40, 47) },
	{ "config1:0-15,40-47", 1, BITS(0, 15) | BITS(40, 47) },
	{ "config:0,2,4,32-35", 0, 0x15 | BITS(32, 35) },

	{ "", 0, 0 },
	{ "config", 0, 0 },
	{ "config:", 0, 0 },
	{ "config: ", 0, 0 },
	{ "config:64", 0, 0 },
	{ "config:0-64", 0, 0 },
	{ "config:7-0", 0, 0 },
	{ "config:0-", 0, 0 },
	{ "config:x", 0, 0 },
	{ "config:0-7x", 0, 0 },
	{ "config4:0", 0, 0 },
	{ "config4:0", 0, 0 },
	{ "config11:0", 0, 0 },
	{ "config-1:0", 0, 0 },
	{ "config 1:0", 0, 0 },
	{ "config1", 0, 0 },
	{ "Config:0", 0, 0 },
	{ " config:0", 0, 0 },
	{ "config,0", 0, 0 },
	{ "event:0-7", 0, 0 },
	{ "0-7", 0, 0 },
};

#define W 0xa5a5a5a5a5a5a5a5 /* the bits before */

static const struct {
	const char *format;
	uint64_t value, before, want;
	bool too_large;
} packs[] = {
	{ "config:0-7", 0x3c, 0, 0x3c },
	{ "config:8-15", 0x80, 0, 0x8000 },
	{ "config:24-31", 1, 0, 0x1000000 },
	{ "config:18", 1, 0x3c, 0x4003c },
	{ "config:18", 0, 0x4003c, 0x3c },
	{ "config:18", 2, .too_large = true },
	{ "config:0-7", 0xff, 0, 0xff },
	{ "config:0-7", 0x100, .too_large = true },
	{ "config:0-7", UINT64_MAX, .too_large = true },
	/* umask of Lion Cove: 0x8003 is umask 0x03, extension 0x80 */
	{ "config:8-15,40-47", 0x8003, 0, BITS(47, 47) | 0x300 },
	{ "config:8-15,40-47", 0xffff, 0, BITS(8, 15) | BITS(40, 47) },
	{ "config:8-15,40-47", 0x10000, .too_large = true },
	/* AMD's event: 0x1c2 is 0xc2 and bit 32 */
	{ "config:0-7,32-35", 0x1c2, 0, BITS(32, 32) | 0xc2 },
	{ "config:0,2,4", 7, 0, 0x15 },
	{ "config:0,2,4", 5, 0, 0x11 },
	{ "config:0,2,4", 8, .too_large = true },
	{ "config:0-63", UINT64_MAX, 0, UINT64_MAX },
	{ "config:0-63", 0, UINT64_MAX, 0 },
	{ "config:1-63", UINT64_MAX, .too_large = true },
	{ "config:63", 1, 0, BITS(63, 63) },
	/* replaces its own bits, leaves the others */
	{ "config:0-7", 0x3c, W, (W & ~UINT64_C(0xff)) | 0x3c },
	{ "config:8-15,40-47", 0x1234, W,
	  (W & ~(BITS(8, 15) | BITS(40, 47))) | 0x3400 | UINT64_C(0x12) << 40 },
	{ "config1:0-15", 0x3f6, W, (W & ~UINT64_C(0xffff)) | 0x3f6 },
	{ "config2:0-63", 1, W, 1 },
	{ "config2:0-3", 9, 0, 9 },
};
/* clang-format on */

static void test_parse(const char *text, int word, uint64_t mask)
{
	struct td_format format = { 0 };
	int rc = td_format_parse(text, &format);

	if (!mask) {
		ok(rc == -EINVAL, "no format '%s'", text);
		return;
	}
	ok(rc == 0 && format.word == word && format.mask == mask,
	   "format '%s' is word %d, mask %#" PRIx64, text, word, mask);
}

static void test_pack(size_t i)
{
	uint64_t config[TD_NR_CONFIGS];
	struct td_format format = { 0 };
	uint64_t before = packs[i].before;
	bool others = true;
	int rc;

	for (int word = 0; word < TD_NR_CONFIGS; word++)
		config[word] = before;
	td_format_parse(packs[i].format, &format);
	rc = td_format_pack(&format, packs[i].value, config);
	ok(rc == (packs[i].too_large ? -ERANGE : 0) &&
		   config[format.word] == (packs[i].too_large ? before : packs[i].want),
	   "%#" PRIx64 " in %s", packs[i].value, packs[i].format);
	for (int word = 0; word < TD_NR_CONFIGS; word++)
		others &= word == format.word || config[word] == before;
	ok(others, "%#" PRIx64 " in %s: the other words stay", packs[i].value, packs[i].format);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(formats); i++)
		test_parse(formats[i].text, formats[i].word, formats[i].mask);
	for (size_t i = 0; i < TD_ARRAY_SIZE(packs); i++)
		test_pack(i);
	return done_testing();
}
