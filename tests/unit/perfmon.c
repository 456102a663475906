// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads small checkouts in perfmon's form, made here; perfmon_models.c reads
 * Intel's.
 */
#include <limits.h>

#include "lib/base/util.h"
#include "metrics/files/pmu_events.h"
#include "metrics/files/text.h"
#include "tests/unit/described.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

#define HEAD                                                                 \
	"Family-model,Version,Filename,EventType,Core Type,Native Model ID," \
	"Core Role Name\n"
#define MAP                                                           \
	HEAD "GenuineIntel-6-8F,V1,/SPR/events/s_core.json,core,,,\n" \
	     "GenuineIntel-6-8F,V1,/SPR/metrics/s.json,metrics,,,\n"
#define SPR     "GenuineIntel-6-8F-8"
#define EVENTS  "SPR/events/s_core.json"
#define METRICS "SPR/metrics/s.json"

/* clang-format off */
/* Entries of Events, and the result of test_describe(). */
static const struct {
	const char *name, *text, *want;
} events[] = {
	{ "as they are written, with something in every place",
	  "{\"EventCode\":\"0xB7, 0xBB\",\"UMask\":\"0x01,0x02\",\"EventName\":\"OCR.X\",\"BriefDescription\":\"Two\\nlines\","
	  "\"Counter\":\"0,1,2,3\",\"SampleAfterValue\":\"100003\",\"MSRIndex\":\"0x1a6,0x1a7\",\"MSRValue\":\"0x10001 \","
	  "\"CounterMask\":\"0\",\"Invert\":\"0\",\"AnyThread\":\"0\",\"EdgeDetect\":\"0\",\"PEBS\":\"0\",\"Data_LA\":\"0\","
	  "\"Errata\":\"null\",\"Offcore\":\"1\",\"Deprecated\":\"0\",\"Equal\":\"0\",\"PDISTCounter\":\"NA\"}",
	  "cpu/ocr.x/event=0xb7,umask=0x1,offcore_rsp=0x10001 Two lines;" },
	{ "words for nothing",
	  "{\"EventCode\":\"null\",\"UMask\":\"na\",\"EventName\":\"A\",\"BriefDescription\":\"tbd\",\"MSRIndex\":\"None\","
	  "\"MSRValue\":\"NA\",\"CounterMask\":\"null\",\"Deprecated\":\"\",\"Unit\":\"null\",\"Filter\":\"na\"}",
	  "cpu/a/event=0x0;" },
	{ "zeros for nothing",
	  "{\"EventCode\":\"0x3C\",\"UMask\":\"0x00\",\"EventName\":\"A\",\"MSRIndex\":\"0x00\",\"MSRValue\":\"0x00\","
	  "\"CounterMask\":\"0x0\",\"Invert\":\"0\"}", "cpu/a/event=0x3c;" },
	{ "errata, and what stands for none",
	  "{\"EventName\":\"A\",\"Errata\":\"X1, X2\"},{\"EventName\":\"B\",\"Errata\":\"0\"},"
	  "{\"EventName\":\"C\",\"Errata\":\"null\"}",
	  "cpu/a/event=0x0 E=X1, X2;cpu/b/event=0x0;cpu/c/event=0x0;" },
	{ "bits of a core",
	  "{\"EventCode\":\"0xAD\",\"UMask\":\"0x01\",\"EventName\":\"A\",\"CounterMask\":\"1\",\"EdgeDetect\":\"1\","
	  "\"Invert\":\"1\",\"Equal\":\"1\",\"Deprecated\":\"1\"}",
	  "cpu/a/event=0xad,umask=0x1,cmask=1,edge=1,eq=1,inv=1 (deprecated);" },
	{ "names that stand for other codes", "{\"EventCode\":\"0x00\",\"UMask\":\"0x01\",\"EventName\":\"INST_RETIRED.ANY\"}",
	  "cpu/inst_retired.any/event=0xc0;" },
	{ "masks in two parts, of two names",
	  "{\"EventCode\":\"0x2E\",\"UMask\":\"0x41\",\"UMaskExt\":\"0x01\",\"EventName\":\"A\"},"
	  "{\"EventCode\":\"0x2E\",\"UMask\":\"0x41\",\"UMask2\":\"0x02\",\"EventName\":\"B\"},"
	  "{\"EventCode\":\"0x35\",\"UMask\":\"0xFE\",\"UMaskExt\":\"0x00C816\",\"EventName\":\"C\",\"Unit\":\"CHA\"},"
	  "{\"EventCode\":\"0x34\",\"UMask\":\"0x00\",\"UMaskExt\":\"0x20\",\"EventName\":\"D\",\"Unit\":\"CHA\"}",
	  "cpu/a/event=0x2e,umask=0x141;cpu/b/event=0x2e,umask=0x241;"
	  "uncore_cha/c/event=0x35,umask=0xc816fe;uncore_cha/d/event=0x34,umask=0x2000;" },
	{ "a second part that the port has said",
	  "{\"EventCode\":\"0x83\",\"UMask\":\"0x04\",\"PortMask\":\"0x01\",\"FCMask\":\"0x07\",\"UMaskExt\":\"0x00070010\","
	  "\"EventName\":\"A\",\"Unit\":\"IIO\"}",
	  "uncore_iio/a/event=0x83,umask=0x4,fc_mask=0x7,ch_mask=0x1;" },
	{ "offcore names",
	  "{\"EventName\":\"OFFCORE_RESPONSE:request=DEMAND_RFO:response=L3_MISS.ANY\"},"
	  "{\"EventName\":\"OFFCORE_RESPONSE_0.ANY.X\"},{\"EventName\":\"OFFCORE_RESPONSE.B.C\"}",
	  "cpu/offcore_response.any.x/event=0x0;cpu/offcore_response.b.c/event=0x0;"
	  "cpu/offcore_response.demand_rfo.l3_miss.any/event=0x0;" },
	{ "filters",
	  "{\"EventName\":\"A\",\"Unit\":\"CHA\",\"Filter\":\"Filter1\",\"FILTER_VALUE\":\"0x40433\"},"
	  "{\"EventName\":\"B\",\"Unit\":\"CHA\",\"Filter\":\"CHAFilter1[31:0]\",\"FILTER_VALUE\":\"0\"},"
	  "{\"EventName\":\"C\",\"Unit\":\"IIO\",\"Filter\":\"fc, chnl\"}",
	  "uncore_cha/a/event=0x0,config1=0x4043300000000;uncore_cha/b/event=0x0;uncore_iio/c/event=0x0;" },
	{ "counters that run all the time",
	  "{\"EventCode\":\"0x20\",\"UMask\":\"0x04\",\"EventName\":\"UNC_IIO_BANDWIDTH_OUT.PART3_FREERUN\",\"Unit\":\"IIO\",\"CounterType\":\"FREERUN\"},"
	  "{\"EventName\":\"UNC_MC1_RDCAS_COUNT_FREERUN\",\"Unit\":\"iMC\",\"CounterType\":\"FREERUN\"},"
	  "{\"EventName\":\"UNC_M_CLOCKTICKS_FREERUN\",\"Unit\":\"iMC\",\"CounterType\":\"FREERUN\"}",
	  "uncore_iio_free_running/unc_iio_bandwidth_out.part3_freerun/event=0xff,umask=0x33;"
	  "uncore_imc_free_running/unc_m_clockticks_freerun/event=0xff,umask=0x10;"
	  "uncore_imc_free_running_1/unc_mc1_rdcas_count_freerun/event=0xff,umask=0x20;" },
	{ "fixed counters of other units",
	  "{\"EventCode\":\"0x00\",\"UMask\":\"0x01\",\"EventName\":\"UNC_CLOCK.SOCKET\",\"Unit\":\"NCU\",\"Counter\":\"FIXED\"}",
	  "uncore_clock/unc_clock.socket/event=0xff;" },
	{ "a core's are not", "{\"EventCode\":\"0x00\",\"UMask\":\"0x03\",\"EventName\":\"A\",\"Counter\":\"Fixed counter 2\"}",
	  "cpu/a/event=0x0,umask=0x3;" },
};

#define TEXTS(name) "\"MetricName\":\"" name "\",\"LegacyName\":\"metric_TMA_" name "\",\"Category\":\"TMA\""
#define TMA(name, level) TEXTS(name) ",\"Level\":" level
#define PLAIN(name) "\"MetricName\":\"" name "\",\"LegacyName\":\"metric_" name "\",\"Category\":\"\",\"Level\":1"
#define A(name) "\"Events\":[{\"Name\":\"" name "\",\"Alias\":\"a\"}]"
#define C(name) "\"Constants\":[{\"Name\":\"" name "\",\"Alias\":\"c\"}]"
#define F(formula) "\"Formula\":\"" formula "\""

/*
 * Entries of Metrics, and the result; NULL: the metric is skipped, and the
 * reason contains about.
 */
static const struct {
	const char *name, *text, *want, *about;
} metrics[] = {
	{ "level 1",
	  "{\"MetricName\":\"Frontend_Bound\",\"LegacyName\":\"metric_TMA_Frontend_Bound(%)\",\"Level\":1,\"Category\":\"TMA\","
	  "\"BriefDescription\":\"Where  it\\nstalls.\",\"UnitOfMeasure\":\"percent\",\"Constants\":[],"
	  "\"Events\":[{\"Name\":\"PERF_METRICS.FRONTEND_BOUND\",\"Alias\":\"a\"},{\"Name\":\"TOPDOWN.SLOTS:perf_metrics\",\"Alias\":\"b\"},"
	  "{\"Name\":\"INT_MISC.UOP_DROPPING\",\"Alias\":\"d\"}],\"Formula\":\"100 * ( a / ( b ) - d / b )\","
	  "\"Threshold\":{\"ThresholdMetrics\":[{\"Alias\":\"a\",\"Value\":\"metric_TMA_Frontend_Bound(%)\"}],"
	  "\"Formula\":\"a > 15\",\"BaseFormula\":\"metric_TMA_Frontend_Bound(%) > 15\",\"ThresholdIssues\":\"\"},"
	  "\"MetricGroup\":\"BvFB;TmaL1\",\"LocateWith\":\"A.B_PS;C.D\"}",
	  "cpu:tma_frontend_bound:TopdownL1;tma_L1_group;BvFB;TmaL1:1%:"
	  "100 * ( topdown\\-fe\\-bound / ( slots ) - INT_MISC.UOP_DROPPING / slots ):tma_frontend_bound > 15:never Where it stalls. S=A.B;C.D;" },
	{ "below: parents, issues, thresholds of those above",
	  "{\"MetricName\":\"ICache_Misses\",\"LegacyName\":\"metric_TMA_....ICache_Misses(%)\",\"ParentCategory\":\"Fetch_Latency\","
	  "\"Level\":3,\"Category\":\"TMA\",\"UnitOfMeasure\":\"percent\"," A("X.Y") "," F("a") ",\"MetricGroup\":\"\","
	  "\"Threshold\":{\"Formula\":\"( a > 5 ) & b < 10\",\"BaseFormula\":\"( metric_TMA_....ICache_Misses(%) > 5 ) & metric_TMA_..Fetch_Latency(%) < 10\","
	  "\"ThresholdIssues\":\"$issueL1, $issueMC\"}}",
	  "cpu:tma_icache_misses:TopdownL3;tma_L3_group;tma_fetch_latency_group;tma_issueL1;tma_issueMC:1%:X.Y:"
	  "( tma_icache_misses > 5 ) & tma_fetch_latency < 10:never;" },
	{ "no parent: that of the threshold",
	  "{\"MetricName\":\"M\",\"LegacyName\":\"metric_TMA_......M(%)\",\"Level\":4,\"Category\":\"TMA\"," A("X") "," F("a") ","
	  "\"Threshold\":{\"BaseFormula\":\"metric_TMA_......M(%) > 20 & metric_TMA_....P(%) > 10 & metric_TMA_..Q(%) > 1\"}}",
	  "cpu:tma_m:TopdownL4;tma_L4_group;tma_p_group::X:tma_m > 20 & tma_p > 10 & tma_q > 1:never;" },
	{ "thresholds of old: names and fractions, && and ||",
	  "{\"MetricName\":\"M\",\"LegacyName\":\"metric_TMA_..M(%)\",\"ParentCategory\":\"P\",\"Level\":2,\"Category\":\"TMA\"," A("X") ","
	  F("a") ",\"Threshold\":{\"Formula\":\"metric_TMA_..M(%) >0.15 && metric_TMA_P(%) >0.20 || metric_TMA_Info_X < 3\"}}",
	  "cpu:tma_m:TopdownL2;tma_L2_group;tma_p_group::X:"
	  "(tma_m / 100) >0.15 & (tma_p / 100) >0.20 | tma_info_x < 3:never;" },
	{ "beside the tree",
	  "{" TMA("Info_Thread_IPC", "1") "," A("I") "," F("a") ",\"MetricGroup\":\"Ret;Summary\",\"Threshold\":{\"Formula\":\"\",\"BaseFormula\":\"\"}},"
	  "{" TMA("Bottleneck_Big_Code", "1") "," A("I") "," F("a") "},"
	  "{\"MetricName\":\"Info_B_X\",\"LegacyName\":\"metric_TMA_Info_B _%_X\",\"Level\":1,\"Category\":\"TMA\",\"UnitOfMeasure\":\"percent\"," A("I") "," F("a") "}",
	  "cpu:tma_bottleneck_big_code::1%:I::never;cpu:tma_info_b_%_x::1%:I::never;cpu:tma_info_thread_ipc:Ret;Summary::I::never;", NULL },
	{ "units",
	  "{" PLAIN("a") ",\"UnitOfMeasure\":\"GHz\"," F("1") "},{" PLAIN("b") ",\"UnitOfMeasure\":\"MB/sec\"," F("1") "},"
	  "{" PLAIN("c") ",\"UnitOfMeasure\":\"per instruction\"," F("1") "},{" PLAIN("d") ",\"UnitOfMeasure\":\"\"," F("1") "},"
	  "{" PLAIN("E f") ",\"UnitOfMeasure\":\"ns\"," F("1") "}",
	  "cpu:E f::1ns:1::never;cpu:a::1GHz:1::never;cpu:b::1MB/s:1::never;cpu:c::1per_instr:1::never;cpu:d:::1::never;" },
	{ "the topdown events",
	  "{" PLAIN("m") ",\"Events\":[{\"Name\":\"PERF_METRICS.RETIRING\",\"Alias\":\"a\"},{\"Name\":\"PERF_METRICS.BAD_SPECULATION\",\"Alias\":\"b\"},"
	  "{\"Name\":\"PERF_METRICS.BACKEND_BOUND\",\"Alias\":\"c\"},{\"Name\":\"PERF_METRICS.HEAVY_OPERATIONS\",\"Alias\":\"d\"},"
	  "{\"Name\":\"PERF_METRICS.BRANCH_MISPREDICTS\",\"Alias\":\"e\"},{\"Name\":\"PERF_METRICS.FETCH_LATENCY\",\"Alias\":\"f\"},"
	  "{\"Name\":\"PERF_METRICS.MEMORY_BOUND\",\"Alias\":\"g\"},{\"Name\":\"TOPDOWN.SLOTS:percore\",\"Alias\":\"h\"},"
	  "{\"Name\":\"TOPDOWN.SLOTS\",\"Alias\":\"i\"}],\"Formula\":\"a+b+c+d+e+f+g+h+i\"}",
	  "cpu:m:::topdown\\-retiring+topdown\\-bad\\-spec+topdown\\-be\\-bound+topdown\\-heavy\\-ops+topdown\\-br\\-mispredict+"
	  "topdown\\-fetch\\-lat+topdown\\-mem\\-bound+slots+TOPDOWN.SLOTS::never;" },
	{ "modifiers",
	  "{" PLAIN("m") ",\"Events\":[{\"Name\":\"A.B:c1:e1\",\"Alias\":\"a\"},{\"Name\":\"A.B:c8:i1:eq1\",\"Alias\":\"b\"},"
	  "{\"Name\":\"A.B:u0x80\",\"Alias\":\"c\"},{\"Name\":\"A.B:SUP\",\"Alias\":\"d\"},{\"Name\":\"A.B:c2:USER\",\"Alias\":\"e\"},"
	  "{\"Name\":\"A.B:retire_latency\",\"Alias\":\"f\"},{\"Name\":\"A.B:ocr_msr_val=0x103b\",\"Alias\":\"g\"},{\"Name\":\"A.B:sup\",\"Alias\":\"a_a\"}],"
	  "\"Formula\":\"a + b + c + d + e + f + g + a_a\"}",
	  "cpu:m:::cpu@A.B\\,cmask\\=1\\,edge\\=1@ + cpu@A.B\\,cmask\\=8\\,inv\\=1\\,eq\\=1@ + cpu@A.B\\,umask\\=0x80@ + A.B:k + "
	  "cpu@A.B\\,cmask\\=2@u + A.B:R + cpu@A.B\\,offcore_rsp\\=0x103b@ + A.B:k::never;" },
	{ "modifiers of other units",
	  "{" PLAIN("m") ",\"Events\":[{\"Name\":\"UNC_CHA_X.Y:c1\",\"Alias\":\"a\"},{\"Name\":\"UNC_CHA_X:one_unit\",\"Alias\":\"b\"},"
	  "{\"Name\":\"UNC_ARB_X:c1\",\"Alias\":\"c\"},{\"Name\":\"UNC_C_X:opc=0x182:c1:tid=0x3e\",\"Alias\":\"d\"},"
	  "{\"Name\":\"UNC_CHA_X:filter1=0x40433\",\"Alias\":\"e\"},{\"Name\":\"UNC_M_X:one_unit\",\"Alias\":\"f\"},{\"Name\":\"UNC_Q_X\",\"Alias\":\"g\"}],"
	  "\"Formula\":\"a + b + c + d + e + f + g\"}",
	  "cpu:m:::uncore_cha@UNC_CHA_X.Y\\,thresh\\=1@ + uncore_cha_0@UNC_CHA_X@ + uncore_arb@UNC_ARB_X\\,cmask\\=1@ + "
	  "uncore_cbox@UNC_C_X\\,filter_opc\\=0x182\\,thresh\\=1\\,filter_tid\\=0x3e@ + uncore_cha@UNC_CHA_X\\,config1\\=0x4043300000000@ + "
	  "uncore_imc_0@UNC_M_X@ + UNC_Q_X::never;" },
	{ "energy and time",
	  "{" PLAIN("m") ",\"Events\":[{\"Name\":\"UNC_PKG_ENERGY_STATUS\",\"Alias\":\"a\"},{\"Name\":\"FREERUN_PKG_ENERGY_STATUS\",\"Alias\":\"b\"},"
	  "{\"Name\":\"FREERUN_DRAM_ENERGY_STATUS\",\"Alias\":\"d\"},{\"Name\":\"TSC\",\"Alias\":\"e\"}],"
	  "\"Constants\":[{\"Name\":\"DURATIONTIMEINMILLISECONDS\",\"Alias\":\"durationtimeinmilliseconds\"}],"
	  "\"Formula\":\"( a + b + d + e ) / ( durationtimeinmilliseconds / 1000 ) / DURATIONTIMEINSECONDS\"}",
	  "cpu:m:::( (power@energy\\-pkg@ / 262144) + (power@energy\\-pkg@ / 262144) + (power@energy\\-ram@ / 65536) + TSC ) / "
	  "( (1000 * duration_time) / 1000 ) / duration_time::never;" },
	{ "constants",
	  "{" PLAIN("a") "," C("HYPERTHREADING_ON") "," F("c") "},{" PLAIN("b") "," C("THREADS_PER_CORE") "," F("c") "},"
	  "{" PLAIN("d") "," C("20") "," F("c") "},{" PLAIN("e") "," C("SOCKET_COUNT") "," F("c") "},"
	  "{" PLAIN("f") "," C("CORES_PER_SOCKET") "," F("c") "},{" PLAIN("g") "," C("CHAS_PER_SOCKET") "," F("c") "},"
	  "{" PLAIN("h") "," C("system.sockets[0].cpus.count * system.socket_count") "," F("c") "},{" PLAIN("i") "," C("SYSTEM_TSC_FREQ") "," F("c") "}",
	  "cpu:a:::#SMT_on::never;cpu:b:::(1 + #SMT_on)::never;cpu:d:::20::never;cpu:e:::#num_packages::never;"
	  "cpu:f:::(#num_cores / #num_packages)::never;cpu:g:::source_count(UNC_CHA_CLOCKTICKS)::never;"
	  "cpu:h:::#num_cpus_online::never;cpu:i:::#SYSTEM_TSC_FREQ::never;" },
	{ "ticks, not their frequency, in the tree's", "{" TMA("Info_X", "1") "," C("SYSTEM_TSC_FREQ") "," F("c") "}",
	  "cpu:tma_info_x:::TSC::never;" },
	{ "operators in pieces, choices, exponents",
	  "{" PLAIN("m") "," A("A") "," F("min( a , 1e9 ) if a > = 0 else max(2.5e-3,a) if ( a < = 1 ) else a % 2") "}",
	  "cpu:m:::min( A , 1e9 ) if A >= 0 else max(2.5e-3,A) if ( A <= 1 ) else A % 2::never;" },
	{ "an unknown letter", "{" PLAIN("m") "," A("A") "," F("a + b") "}", NULL, ": m: unknown 'b'" },
	{ "one of many", "{" PLAIN("m") "," A("A") "," F("a[0]") "}", NULL, ": m: a '['" },
	{ "nothing", "{" PLAIN("m") "," A("A") "," F("#NA if a else 1") "}", NULL, ": m: unknown '#NA'" },
	{ "no formula that makes sense", "{" PLAIN("m") "," A("A") "," F("a + ") "}", NULL, ": m: formula 'A + '" },
	{ "an unknown modifier", "{" PLAIN("m") "," A("A:percore") "," F("a") "}", NULL, ": m: event 'A:percore'" },
	{ "a modifier without its number", "{" PLAIN("m") "," A("A:c") "," F("a") "}", NULL, ": m: event 'A:c'" },
	{ "a modifier of an unknown unit", "{" PLAIN("m") "," A("UNC_Q_X:c1") "," F("a") "}", NULL, ": m: event 'UNC_Q_X:c1'" },
	{ "no event's name", "{" PLAIN("m") "," A("A B") "," F("a") "}", NULL, ": m: event 'A B'" },
	{ "an unknown constant", "{" PLAIN("m") "," C("PHASE_OF_MOON") "," F("c") "}", NULL, ": m: constant 'PHASE_OF_MOON'" },
	{ "a letter for nothing", "{" PLAIN("m") ",\"Events\":[{\"Alias\":\"a\"}]," F("a") "}", NULL, ": m: Events: one without" },
	{ "a threshold of unknown metrics", "{" TMA("M", "1") "," A("A") "," F("a") ",\"Threshold\":{\"BaseFormula\":\"IPC > 3\"}}",
	  NULL, ": M: unknown 'IPC'" },
	{ "a threshold that is none", "{" TMA("M", "1") "," A("A") "," F("a") ",\"Threshold\":{\"BaseFormula\":\"metric_TMA_M >\"}}",
	  NULL, ": M: formula 'tma_m >'" },
};

/* Invalid files; the message starts with the file and contains about. */
static const struct {
	const char *name, *file, *text, *about;
} bad[] = {
	{ "no JSON", EVENTS, "{\n", ":2: not JSON: " },
	{ "an array", EVENTS, "[]", ": has no array Events or Metrics, and no Data" },
	{ "texts", EVENTS, "{\"Events\":[{},\"A\"]}", ": entry 2: not an object" },
	{ "a code in words", EVENTS, "{\"Events\":[{\"EventName\":\"A\",\"EventCode\":\"?\"}]}", ": A: EventCode: not a number" },
	{ "an unknown counter of that kind", EVENTS,
	  "{\"Events\":[{\"EventName\":\"A\",\"Unit\":\"PCU\",\"CounterType\":\"FREERUN\"}]}", ": A: CounterType: not known" },
	{ "a metric without a name", METRICS, "{\"Metrics\":[{" F("1") "}]}", ": entry 1: MetricName: none" },
	{ "a metric without a formula", METRICS, "{\"Metrics\":[{" PLAIN("m") "}]}", ": m: Formula: none" },
	{ "a metric without its old name", METRICS, "{\"Metrics\":[{\"MetricName\":\"m\"," F("1") "}]}", ": m: LegacyName: none" },
};
/* clang-format on */

static void write_text(const char *root, const char *name, const char *text)
{
	test_file(root, name, text, strlen(text));
}

static int read_root(const char *root, const char *cpuid,
		     struct td_pmu_events *out, struct td_err *err)
{
	struct td_cpuid id;

	if (td_cpuid_parse(cpuid, &id, err))
		ok(false, "%s", err->msg);
	return td_pmu_events_read(out, root, &id, err);
}

static void is_all(const struct td_pmu_events *got, const char *want,
		   const char *what)
{
	td_autofree char *text = test_describe(got);

	is_str(text, want, "%s", what);
}

static void write_entries(const char *root, const char *file, const char *array,
			  const char *entries)
{
	td_autofree char *text = NULL;

	if (asprintf(&text, "{\"Header\":{\"Version\":\"1\"},\"%s\":[%s]}",
		     array, entries) < 0)
		text = NULL;
	write_text(root, file, text ? text : "");
}

static void test_events(const char *root)
{
	write_text(root, METRICS, "{\"Metrics\":[]}");
	for (size_t i = 0; i < TD_ARRAY_SIZE(events); i++) {
		struct td_pmu_events got;
		struct td_err err = { 0 };

		write_entries(root, EVENTS, "Events", events[i].text);
		ok(read_root(root, SPR, &got, &err) == 0, "events: %s %s",
		   events[i].name, err.msg);
		is_all(&got, events[i].want, events[i].name);
		td_pmu_events_free(&got);
	}
}

static void test_metric(const char *root, size_t i)
{
	struct td_pmu_events got;
	struct td_err err = { 0 };
	const char *want = metrics[i].want;

	write_entries(root, METRICS, "Metrics", metrics[i].text);
	ok(read_root(root, SPR, &got, &err) == 0, "metrics: %s %s",
	   metrics[i].name, err.msg);
	is_all(&got, want ? want : "", metrics[i].name);
	if (want)
		ok(got.nr_skipped == 0 && !got.skipped, "nothing skipped %s",
		   got.skipped);
	else
		ok(got.nr_skipped == 1 && got.skipped &&
			   strstr(got.skipped, METRICS ": ") &&
			   strstr(got.skipped, metrics[i].about),
		   "skipped: %s", got.skipped);
	td_pmu_events_free(&got);
}

/* The version of TMA, if the head of the metrics tells one. */
static void test_tma(const char *root)
{
	static const struct {
		const char *head, *want;
	} heads[] = {
		{ "\"Header\":{\"TmaVersion\":\"5.2\"},", "TMA 5.2" },
		{ "\"Header\":{\"TmaVersion\":\"\"},", "none" },
		{ "\"Header\":{\"TmaVersion\":5.2},", "none" },
		{ "\"Header\":[],", "none" },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(heads); i++) {
		td_autofree char *text =
			td_aprintf("{%s\"Metrics\":[]}", heads[i].head);
		struct td_pmu_events got;
		struct td_err err = { 0 };

		write_text(root, METRICS, text ? text : "");
		ok(read_root(root, SPR, &got, &err) == 0, "%s %s",
		   heads[i].head, err.msg);
		is_str(got.version ? got.version : "none", heads[i].want,
		       "version: %s", heads[i].head);
		td_pmu_events_free(&got);
	}
}

#define CUT_EVENTS                                                            \
	"{\"Header\":{\"Version\":\"1\"},\"Events\":[{\"EventName\":\"A.B\"," \
	"\"EventCode\":\"0x3c\",\"UMask\":\"0x00\"}]}"
#define CUT_METRICS "{\"Metrics\":[{" PLAIN("m") "," A("A.B") "," F("a") "}]}"

/* A file cut off anywhere is an error with file and line. */
static void test_cut(const char *root, const char *file, const char *text)
{
	char place[PATH_MAX];
	bool fine = true;

	snprintf(place, sizeof(place), "%s/%s:1: ", root, file);
	for (size_t cut = 0; fine && cut < strlen(text); cut++) {
		struct td_pmu_events got;
		struct td_err err = { 0 };

		test_file(root, file, text, cut);
		fine = read_root(root, SPR, &got, &err) == -EINVAL &&
		       strncmp(err.msg, place, strlen(place)) == 0;
		ok(fine, "cut at %zu: %s", cut, fine ? "refused" : err.msg);
		td_pmu_events_free(&got);
	}
}

static void test_bad(const char *root)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(bad); i++) {
		struct td_pmu_events got;
		struct td_err err = { 0 };
		char about[PATH_MAX];

		write_text(root, EVENTS, "{\"Events\":[]}");
		write_text(root, METRICS, "{\"Metrics\":[]}");
		write_text(root, bad[i].file, bad[i].text);
		snprintf(about, sizeof(about), "%s/%s%s", root, bad[i].file,
			 bad[i].about);
		ok(read_root(root, SPR, &got, &err) == -EINVAL &&
			   strncmp(err.msg, about, strlen(about)) == 0,
		   "bad: %s: %s", bad[i].name, err.msg + strlen(root));
		td_pmu_events_free(&got);
	}
}

/*
 * The files of a hybrid, with some that are not read, and one of uncore units.
 */
static const char hybrid_map[] = HEAD
	"GenuineIntel-6-C6,V1,/X/events/gone.json,core,,,\n"
	"GenuineIntel-6-C5,V1,/X/events/a.json,hybridcore,0x20,0x000003,Atom\n"
	"GenuineIntel-6-C5,V1,/X/events/l.json,hybridcore,0x20,0x000002,LowPower_Atom\r\n"
	"GenuineIntel-6-C5,V1,/X/events/c.json,hybridcore,0x40,0x000003,Core\n"
	"GenuineIntel-6-C5,V1,/X/metrics/late.json,retire latency,,,\n"
	"GenuineIntel-6-C5,V1,/X/events/u.json,uncore,,,\n"
	"GenuineIntel-6-C5,V1,/X/events/v.json,uncore experimental,,,\n"
	"GenuineIntel-6-C5,V1,/X/events/gone.json,offcore,,,\n"
	"GenuineIntel-6-C5,V1,/X/events/gone.json,fp_arith_inst,,,\n"
	"GenuineIntel-6-C5,V1,/X/metrics/m.json,metrics,0x40,0x000003,Core\n";
#define EVENT(name) "{\"Events\":[{\"EventName\":\"" name "\"}]}"
#define UNIT(name, unit) \
	"{\"Events\":[{\"EventName\":\"" name "\",\"Unit\":\"" unit "\"}]}"
#define HYBRID_CORE                                              \
	"cpu_atom/a/event=0x0 R=6.5;cpu_core/a/event=0x0 R=6.5;" \
	"cpu_lowpower/b/event=0x0;"
#define HYBRID_METRIC "cpu_core:tma_info_m:::cpu_core@A\\,cmask\\=1@::never;"

static void write_hybrid(const char *root)
{
	write_text(root, "mapfile.csv", hybrid_map);
	write_text(root, "X/events/a.json", EVENT("A"));
	write_text(root, "X/events/l.json", EVENT("B"));
	write_text(root, "X/events/c.json", EVENT("A"));
	write_text(root, "X/events/u.json", UNIT("U", "ARB"));
	write_text(root, "X/events/v.json", UNIT("V", "iMC"));
	write_text(
		root, "X/metrics/late.json",
		"{\"Platform\":{},\"Data\":{\"A\":{\"MIN\":0,\"MAX\":888,\"MEAN\":6.5},"
		"\"GONE\":{\"MEAN\":1}}}");
	write_entries(root, "X/metrics/m.json", "Metrics",
		      "{" TMA("Info_M", "1") "," A("A:c1") "," F("a") "}");
}

static void test_hybrid(const char *root)
{
	struct td_pmu_events got;
	struct td_err err = { 0 };
	struct td_cpuid id;
	char dir[PATH_MAX];

	td_cpuid_parse("GenuineIntel-6-C5-2", &id, &err);
	ok(td_pmu_events_read(&got, root, &id, &err) == 0, "a hybrid %s",
	   err.msg);
	snprintf(dir, sizeof(dir), "%s/X", root);
	is_str(got.dir, dir, "its folder");
	is_str(got.nr_events ? got.events[0].topic : "", "core", "its topic");
	ok(got.perfmon && got.has_uncore, "perfmon's, with other units");
	is_all(&got, HYBRID_CORE HYBRID_METRIC, "the cores' alone");
	for (int i = 0; i < 2; i++) {
		ok(td_pmu_events_read_uncore(&got, &id, &err) == 0,
		   "the others', too %s", err.msg);
		is_all(&got,
		       HYBRID_CORE
		       "uncore_arb/u/event=0x0;uncore_imc/v/event=0x0;" HYBRID_METRIC,
		       "all");
	}
	td_pmu_events_free(&got);
	ok(read_root(root, "GenuineIntel-6-97-2", &got, &err) == -ENOENT &&
		   strstr(err.msg, "mapfile.csv: has no events of "),
	   "another processor: %s", err.msg + strlen(root));
	td_pmu_events_free(&got);
	ok(read_root(root, "GenuineIntel-6-C6-2", &got, &err) == -ENOENT &&
		   strstr(err.msg, "/X/events/gone.json: No such file"),
	   "a file that is not there: %s", err.msg + strlen(root));
	td_pmu_events_free(&got);
}

/*
 * A metric of the file in perf's form replaces that of the same name; the
 * others stay.
 */
static void test_plain(const char *root)
{
	struct td_pmu_events got;
	struct td_err err = { 0 };

	write_text(root, "mapfile.csv", MAP);
	write_text(root, EVENTS, "{\"Events\":[]}");
	write_entries(root, METRICS, "Metrics",
		      "{" PLAIN("cpi") "," F("1") "},{" PLAIN("other") "," F(
			      "2") "},{" TMA("Info_Cpi", "1") "," F("3") "}");
	write_text(
		root, "SPR/metrics/perf/s_perf.json",
		"[{\"MetricName\":\"cpi\",\"MetricExpr\":\"A / B\",\"ScaleUnit\":\"1per_instr\"}]");
	ok(read_root(root, SPR, &got, &err) == 0, "a plain file %s", err.msg);
	is_all(&got,
	       "cpu:cpi::1per_instr:A / B::never;cpu:other:::2::never;"
	       "cpu:tma_info_cpi:::3::never;",
	       "its metric");
	td_pmu_events_free(&got);
}

/* Servers that share a model number, and power control units of older ones. */
static void test_older(const char *root)
{
	struct td_pmu_events got;
	struct td_err err = { 0 };
	const char *want;

	write_text(root, "mapfile.csv",
		   HEAD
		   "GenuineIntel-6-55-[01234],V1,/SKX/u.json,core,,,\n"
		   "GenuineIntel-6-55-[56789ABCDEF],V1,/BDX/u.json,core,,,\n");
	write_text(
		root, "SKX/u.json",
		"{\"Events\":[{\"EventName\":\"UNC_P_POWER_STATE_OCCUPANCY.CORES_C3\","
		"\"EventCode\":\"0x80\",\"UMask\":\"0x80\",\"Unit\":\"PCU\"}]}");
	write_text(
		root, "BDX/u.json",
		"{\"Events\":[{\"EventName\":\"UNC_P_POWER_STATE_OCCUPANCY.CORES_C3\","
		"\"EventCode\":\"0x80\",\"UMask\":\"0x80\",\"Unit\":\"PCU\"}]}");
	want = "uncore_pcu/unc_p_power_state_occupancy.cores_c3/event=0x80,umask=0x80;";
	ok(read_root(root, "GenuineIntel-6-55-4", &got, &err) == 0, "55-4 %s",
	   err.msg);
	is_all(&got, want, "states by masks");
	td_pmu_events_free(&got);
	want = "uncore_pcu/unc_p_power_state_occupancy.cores_c3/event=0x80,occ_sel=2;";
	ok(read_root(root, "GenuineIntel-6-55-7", &got, &err) == 0, "55-7 %s",
	   err.msg);
	is_all(&got, want, "states by bits of their own");
	td_pmu_events_free(&got);
}

int main(void)
{
	char root[] = "/tmp/tdstat-perfmon-XXXXXX";

	if (!mkdtemp(root)) {
		ok(false, "no temporary folder");
		return done_testing();
	}
	write_text(root, "mapfile.csv", MAP);
	test_events(root);
	write_text(root, EVENTS, "{\"Events\":[]}");
	for (size_t i = 0; i < TD_ARRAY_SIZE(metrics); i++)
		test_metric(root, i);
	test_tma(root);
	test_cut(root, METRICS, CUT_METRICS);
	write_text(root, METRICS, "{\"Metrics\":[]}");
	test_cut(root, EVENTS, CUT_EVENTS);
	test_bad(root);
	test_plain(root);
	write_hybrid(root);
	test_hybrid(root);
	test_older(root);
	test_tree_remove(root);
	return done_testing();
}
