// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/parts.h"

#include <stdlib.h>
#include <time.h>

#include "lib/base/util.h"
#include "tests/unit/pace.h"
#include "tests/unit/test.h"

static struct td_symbol_table table;

static void add(uint64_t start, uint64_t size, uint32_t rank, const char *name)
{
	struct td_named symbol = {
		.start = start, .end = start + size, .limit = 0x9000, .rank = rank
	};

	td_symbol_table_add(&table, &symbol, name, strlen(name));
}

static const char *at(uint64_t address)
{
	const struct td_named *named = td_symbol_table_find(&table, address);

	return named ? td_symbol_table_name(&table, named) : "none";
}

static void test_find(void)
{
	td_symbol_table_finish(&table);
	is_str(at(0), "none", "an empty table");
	add(0x2000, 0x100, 0, "b");
	add(0x1000, 0x100, 0, "a");
	add(0x3000, 0, 0, "open");
	add(0x3800, 0x10, 0, "c");
	add(0x8000, 0, 0, "last");
	td_symbol_table_finish(&table);
	is_str(at(0xfff), "none", "before the first");
	is_str(at(0x1000), "a", "the first byte");
	is_str(at(0x10ff), "a", "the last byte");
	is_str(at(0x1100), "none", "a gap");
	is_str(at(0x37ff), "open", "no size: up to the next");
	is_str(at(0x3810), "none", "behind the next");
	is_str(at(0x8fff), "last", "no size: up to the limit");
	is_str(at(0x9000), "none", "behind the limit");
	td_symbol_table_free(&table);
}

static void test_around(void)
{
	add(0x1000, 0x1000, 0, "outer");
	add(0x1100, 0x100, 0, "inner");
	add(0x1180, 0x10, 0, "innermost");
	add(0x1300, 0, 0, "label");
	add(0x1f00, 0x200, 0, "over the end");
	add(0x7000, UINT64_MAX, 0, "over all");
	td_symbol_table_finish(&table);
	is_str(at(0x1050), "outer", "an outer one, before the inner");
	is_str(at(0x1185), "innermost", "the innermost");
	is_str(at(0x1190), "inner", "behind the innermost");
	is_str(at(0x1200), "outer", "behind the inner");
	is_str(at(0x1310), "outer", "a label within a function is none");
	is_str(at(0x2050), "over the end", "one that overlaps");
	is_str(at(0x2100), "none", "behind all");
	is_str(at(UINT64_MAX - 1), "over all", "a size that overflows");
	td_symbol_table_free(&table);
}

static void test_best(void)
{
	add(0x1000, 0x10, 1, "a_local");
	add(0x1000, 0x10, 5, "z_global");
	add(0x1000, 0x80, 3, "weak");
	add(0x2000, 0x10, 1, "short");
	add(0x2000, 0x20, 1, "long");
	add(0x3000, 0x10, 1, "__memcpy");
	add(0x3000, 0x10, 1, "_memcpy");
	add(0x4000, 0x10, 1, "b");
	add(0x4000, 0x10, 1, "a");
	td_symbol_table_finish(&table);
	is_str(at(0x1000), "z_global", "the highest rank");
	is_str(at(0x2000), "long", "the longest");
	is_str(at(0x3000), "_memcpy", "the fewest underscores");
	is_str(at(0x4000), "a", "the first by name");
	ok(table.nr == 4, "one of each address");
	td_symbol_table_free(&table);
}

static void test_bounds(void)
{
	clock_t began = clock();
	char name[2 * TD_SYMBOL_NAME_MAX];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	add(0x10, 1, 0, name);
	td_symbol_table_finish(&table);
	ok(strlen(at(0x10)) == TD_SYMBOL_NAME_MAX, "a long name is cut");
	td_symbol_table_free(&table);
	for (uint64_t i = 0; i < TD_SYMBOLS_MAX + 10; i++)
		add(i, TD_SYMBOLS_MAX * 2 - 2 * i, 0, "n");
	td_symbol_table_finish(&table);
	for (uint64_t i = 0; i < 10000; i++)
		at(TD_SYMBOLS_MAX + i);
	ok(table.nr == TD_SYMBOLS_MAX, "too many symbols");
	td_symbol_table_free(&table);
	began = clock() - began;
	ok(began < 2000 * test_time_sort(TD_SYMBOLS_MAX / 16), "%ld us", (long)began);
}

static const char *demangled(const char *name)
{
	static char text[64];

	return td_demangle(name, text, sizeof(text)) ? text : "none";
}

/* A text that doubles with each of its letters. */
static void test_demangle(void)
{
	static const char name[] =
		"_Z1f1AIiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_ES_IS7_S7_ES_IS8_S8_ES_IS9_S9_ES_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_ES_ISE_SE_ES_ISF_SF_ES_ISG_SG_ES_ISH_SH_ES_ISI_SI_ES_ISJ_SJ_ES_ISK_SK_ES_ISL_SL_ES_ISM_SM_ES_ISN_SN_ES_ISO_SO_ES_ISP_SP_ES_ISQ_SQ_E";

	is_str(demangled("_ZN3foo3barEi"), "foo::bar(int)", "C++");
	is_str(demangled("_Z3fooi.part.0"), "foo(int) [clone .part.0]", "a part of a function");
	is_str(demangled("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE"),
	       "core::fmt::Write::write_fmt", "Rust");
	is_str(demangled("_RNvC6_123foo3bar"), "123foo::bar", "Rust, newer");
	is_str(demangled("main"), "none", "C");
	is_str(demangled("_start"), "none", "C with an underscore");
	is_str(demangled(""), "none", "nothing");
	is_str(demangled("_ZN"), "none", "half a name");
	ok(strlen(demangled(name)) == 63, "a long text is cut");
}

int main(void)
{
	test_find();
	test_around();
	test_best();
	test_bounds();
	test_demangle();
	return done_testing();
}
