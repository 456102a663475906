// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/suggest.h"

#include "lib/base/util.h"
#include "tests/unit/test.h"

/* Some metrics of Alder Lake, with their descriptions. */
static const char *const names[][2] = {
	{ "HPC" },
	{ "TopdownL1" },
	{ "TopdownL2" },
	{ "BrMispredicts" },
	{ "tma_lcp", "stalls by length changing prefixes" },
	{ "tma_lock_latency", "cache misses due to locks" },
	{ "tma_retiring", "fraction of slots utilized by useful work" },
	{ "tma_l3_bound", "how often the CPU was stalled due to loads" },
	{ "tma_l3_bound_group" },
	{ "tma_dram_bound", "accesses to external memory (DRAM) by loads" },
	{ "tma_mem_bandwidth", "approaching bandwidth limits" },
	{ "tma_fetch_bandwidth" },
	{ "tma_branch_mispredicts" },
	{ "tma_info_core_ipc", "Instructions Per Cycle" },
	{ "tma_info_thread_ipc", "Instructions Per Cycle (per Processor)" },
	{ "tma_info_memory_mlp", "Memory-Level-Parallelism" },
	{ "tma_info_system_dram_bw_use", "Average external Memory Bandwidth" },
};

static const struct {
	const char *wanted, *text;
} rows[] = {
	/* with and without a prefix */
	{ "l3_bound", "'tma_l3_bound'" },
	{ "L3_Bound", "'tma_l3_bound'" },
	{ "tma_info_l3_bound", "'tma_l3_bound'" },
	{ "dram_bound", "'tma_dram_bound'" },
	{ "core_ipc", "'tma_info_core_ipc'" },
	/* the end of a name is preferred to a wrong letter (HPC) */
	{ "ipc", "'tma_info_core_ipc' or 'tma_info_thread_ipc'" },
	{ "tma_ipc", "'tma_info_core_ipc' or 'tma_info_thread_ipc'" },
	{ "ipc:u", "'tma_info_core_ipc' or 'tma_info_thread_ipc'" },
	{ "bandwidth", "'tma_mem_bandwidth' or 'tma_fetch_bandwidth'" },
	/* words in any order; parts of words */
	{ "dram_bw", "'tma_info_system_dram_bw_use'" },
	{ "use dram", "'tma_info_system_dram_bw_use'" },
	{ "mispredict", "'BrMispredicts' or 'tma_branch_mispredicts'" },
	/* wrong letters: the most similar name */
	{ "tma_retirng", "'tma_retiring'" },
	{ "retirng", "'tma_retiring'" },
	{ "HPCC", "'HPC'" },
	/* the prefix, which is right, does not count: of five letters, three are many */
	{ "tma_lockk", "'tma_lock_latency'" },
	{ "lockk", "'tma_lock_latency'" },
	{ "tam_retiring", "'tma_retiring'" },
	{ "TopdwonL2", "'TopdownL2'" },
	{ "bandwith", "'tma_mem_bandwidth' or 'tma_fetch_bandwidth'" },
	/* words of the description */
	{ "parallelism", "'tma_info_memory_mlp'" },
	{ "useful work", "'tma_retiring'" },
	{ "cycle", "'tma_info_core_ipc' or 'tma_info_thread_ipc'" },
	/* the beginning of a word, not its middle */
	{ "ycle", "" },
	{ "work useless", "" },
	{ "zzz", "" },
	{ "", "" },
	{ "_", "" },
	{ ":u", "" },
};

static void test_row(const char *wanted, const char *text)
{
	struct td_suggest suggest = { .wanted = wanted };
	char got[256];

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++)
		td_suggest_offer(&suggest, names[i][0], names[i][1]);
	td_suggest_format(&suggest, got, sizeof(got));
	is_str(got, text, "what is meant by '%s'", wanted);
	ok(!suggest.more, "'%s': no more", wanted);
}

/* If too many names match, the shortest ones are suggested, each once. */
static void test_many(void)
{
	struct td_suggest suggest = { .wanted = "x" };
	static const char *const many[] = { "ccccc_x", "bbbb_x", "aaa_x", "aaa_x", "dd_x", "e_x" };
	char got[256], little[12];

	for (size_t i = 0; i < TD_ARRAY_SIZE(many); i++)
		td_suggest_offer(&suggest, many[i], NULL);
	td_suggest_format(&suggest, got, sizeof(got));
	is_str(got, "'e_x', 'dd_x', 'aaa_x' or 'bbbb_x'", "the shortest");
	ok(suggest.more, "there are more");
	td_suggest_format(&suggest, little, sizeof(little));
	is_str(little, "'e_x', 'dd_", "cut off where the room ends");
	td_suggest_offer(&suggest, "x", NULL);
	td_suggest_format(&suggest, got, sizeof(got));
	is_str(got, "'x'", "what is nearer comes alone");
	ok(!suggest.more, "and nothing more");
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(rows[i].wanted, rows[i].text);
	test_many();
	return done_testing();
}
