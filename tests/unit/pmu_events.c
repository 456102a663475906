// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads maps and event files made here; pmu_events_models.c reads the kernel
 * tree's.
 */
#include <limits.h>

#include "lib/base/util.h"
#include "metrics/files/pmu_events.h"
#include "tests/unit/described.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

#define HEAD  "Family-model,Version,Filename,EventType\n"
#define ADL   "GenuineIntel-6-97-2"
#define PTL_R "GenuineIntel-6-E5-0"
#define MAP   "mapfile.csv"
#define CACHE "m/cache.json"

/* clang-format off */
/* The directory that a map has for a processor; NULL: an error that contains about. */
static const struct {
	const char *name, *cpuid, *map, *want, *about;
	int code;
} maps[] = {
	{ "a model's number", ADL, HEAD "GenuineIntel-6-97,v1,m,core\n", "m" },
	{ "one of some", ADL, HEAD "GenuineIntel-6-(9A|97|BF),v1,m,core\n", "m" },
	{ "a set", ADL, HEAD "GenuineIntel-6-9[67],v1,m,core\n", "m" },
	{ "a class, as AMD's", "AuthenticAMD-25-61-2",
	  HEAD "AuthenticAMD-25-[[:xdigit:]]+,v1,m,core\n", "m" },
	{ "with the stepping", ADL, HEAD "GenuineIntel-6-97-2,v1,m,core\n", "m" },
	{ "a stepping of a set", "GenuineIntel-6-55-7",
	  HEAD "GenuineIntel-6-55-[01234],v1,n,core\n"
	  "GenuineIntel-6-55-[56789ABCDEF],v1,m,core\n", "m" },
	{ "the first of two", ADL,
	  HEAD "GenuineIntel-6-97,v1,m,core\nGenuineIntel-6-97-2,v1,n,core\n", "m" },
	{ "line ends, notes, no line end", ADL,
	  HEAD "\r\n# GenuineIntel-6-97,v1,n,core\nGenuineIntel-6-97,v1,m", "m" },
	{ "another stepping", ADL, HEAD "GenuineIntel-6-97-[013],v1,m,core\n",
	  NULL, "no events of " ADL, -ENOENT },
	{ "the end alone", ADL, HEAD "6-97,v1,m,core\n", NULL, "no events", -ENOENT },
	{ "the beginning alone", ADL, HEAD "GenuineIntel-6-9,v1,m,core\n",
	  NULL, "no events", -ENOENT },
	{ "either half of a choice", ADL, HEAD "GenuineIntel|6-97-2,v1,m,core\n",
	  NULL, "no events", -ENOENT },
	{ "no names of columns", ADL, "GenuineIntel-6-97,v1,m,core\n", "m" },
	{ "the map of intel/perfmon", ADL,
	  "Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name\n"
	  "GenuineIntel-6-97,V1,/ADL/events/core.json,hybridcore,0x40,0x1,Core\n",
	  NULL, "/" MAP ": this is intel/perfmon's form", -EINVAL },
	{ "a model with the files of another", PTL_R,
	  HEAD "GenuineIntel-6-97,v1,n,core\nGenuineIntel-6-(CC|D5),v1,m,core\n", "m" },
	{ "its own files, in a later line", PTL_R,
	  HEAD "GenuineIntel-6-CC,v1,n,core\nGenuineIntel-6-E5,v1,m,core\n", "m" },
	{ "neither its own nor those of the other", PTL_R, HEAD "GenuineIntel-6-97,v1,n,core\n",
	  NULL, "no events of " PTL_R, -ENOENT },
	{ "an empty map", ADL, "", NULL, "no events", -ENOENT },
	{ "no expression", ADL, HEAD "GenuineIntel-6-(97,v1,m,core\n",
	  NULL, MAP ":2: ", -EINVAL },
	{ "too few columns", ADL, HEAD "x,v1,n,core\nGenuineIntel-6-97,v1\n",
	  NULL, MAP ":3: ", -EINVAL },
	{ "no folder's name", ADL, HEAD "GenuineIntel-6-97,v1,,core\n",
	  NULL, MAP ":2: ", -EINVAL },
	{ "a folder that is not there", ADL, HEAD "GenuineIntel-6-97,v1,gone,core\n",
	  NULL, "/gone: No such file", -ENOENT },
};

/* The content of a file, and the result of test_describe(). */
static const struct {
	const char *name, *text, *want;
} files[] = {
	{ "no events", "[]", "" },
	{ "as the tree writes it",
	  "[\n    {\n        \"BriefDescription\": \"Loads.\",\n"
	  "        \"EventCode\": \"0xd1\",\n        \"EventName\": \"MEM_LOAD.L1_HIT\",\n"
	  "        \"SampleAfterValue\": \"1000003\",\n        \"UMask\": \"0x1\"\n    }\n]\n",
	  "cpu/mem_load.l1_hit/event=0xd1,umask=0x1,period=1000003 Loads.;" },
	{ "numbers as numbers",
	  "[{\"EventName\":\"A\",\"EventCode\":208,\"UMask\":129,\"CounterMask\":16,\"RetirementLatencyMean\":2.5,\"Deprecated\":0}]",
	  "cpu/a/event=0xd0,umask=0x81,cmask=16 R=2.5;" },
	{ "no code, zeros",
	  "[{\"EventName\":\"A\",\"UMask\":\"0x00\",\"CounterMask\":\"0\",\"PortMask\":\"0x0000\",\"MSRIndex\":\"0\",\"MSRValue\":\"0x00\"}]",
	  "cpu/a/event=0x0;" },
	{ "every bit of a core",
	  "[{\"EventName\":\"A\",\"EventCode\":\"0X0D\",\"Invert\":\"1\",\"EdgeDetect\":\"1\",\"AnyThread\":\"1\",\"CounterMask\":\"2\",\"UMask\":\"0x3\"}]",
	  "cpu/a/event=0xd,umask=0x3,any=1,cmask=2,edge=1,inv=1;" },
	{ "every mask of other units",
	  "[{\"EventName\":\"A\",\"EventCode\":\"0x83\",\"Unit\":\"IIO\",\"PortMask\":\"0x0F\",\"FCMask\":\"0x07\",\"Filter\":\"ch_mask=0x1f\"},{\"EventName\":\"B\",\"Unit\":\"L3PMC\",\"EnAllCores\":\"0x1\",\"EnAllSlices\":\"0x1\",\"SliceId\":\"0x3\",\"ThreadMask\":\"0x3\"},{\"EventName\":\"C\",\"Unit\":\"UMCPMC\",\"RdWrMask\":\"0x2\",\"NodeType\":\"5\"}]",
	  "uncore_iio/a/event=0x83,fc_mask=0x7,ch_mask=0xf,ch_mask=0x1f;amd_l3/b/event=0x0,enallcores=0x1,enallslices=0x1,sliceid=0x3,threadmask=0x3;amd_umc/c/event=0x0,type=5,rdwrmask=0x2;" },
	{ "MSRs, the first of a list",
	  "[{\"EventName\":\"A\",\"EventCode\":\"0xB7, "
	  "0xBB\",\"MSRIndex\":\"0x1a6,0x1a7\",\"MSRValue\":\"0x3FBFC00001\"},{\"EventName\":\"B\",\"MSRIndex\":\"0x1A7\",\"MSRValue\":\"0x1\"},{\"EventName\":\"C\",\"MSRIndex\":\"0x3F6\",\"MSRValue\":\"128\"},{\"EventName\":\"D\",\"MSRIndex\":\"0x3F7\",\"MSRValue\":\"0x12\"},{\"EventName\":\"E\",\"MSRIndex\":\"0x3F6\"},{\"EventName\":\"F\",\"MSRIndex\":\"0x3E0\",\"MSRValue\":\"0x7\"}]",
	  "cpu/a/event=0xb7,offcore_rsp=0x3fbfc00001;cpu/b/event=0x0,offcore_rsp=0x1;cpu/c/event=0x0,ldlat=128;cpu/d/event=0x0,frontend=0x12;cpu/e/event=0x0;cpu/f/event=0x0,msr_0x3e0=0x7;" },
	{ "codes and masks in two parts, other codes",
	  "[{\"EventName\":\"A\",\"EventCode\":\"0x2\",\"ExtSel\":\"1\"},{\"EventName\":\"B\",\"UMask\":\"0x01\",\"UMaskExt\":\"0xC817FE\"},{\"EventName\":\"C\",\"UMask\":\"0xC817FE01\",\"UMaskExt\":\"0xC817FE\"},{\"EventName\":\"D\",\"ConfigCode\":\"0x4\"},{\"EventName\":\"E\",\"EventidCode\":\"5\"}]",
	  "cpu/a/event=0x102;cpu/b/event=0x0,umask=0xc817fe01;cpu/c/event=0x0,umask=0xc817fe01;cpu/d/config=0x4;cpu/e/eventid=0x5;" },
	{ "names that stand for other codes",
	  "[{\"EventName\":\"Cpu_Clk_Unhalted.Thread\",\"UMask\":\"0x2\",\"Unit\":\"cpu_atom\"},{\"EventName\":\"CPU_CLK_UNHALTED.CORE\",\"UMask\":\"0x2\"},{\"EventName\":\"CPU_CLK_UNHALTED.REF\",\"EventCode\":\"0x7\"},{\"EventName\":\"CPU_CLK_UNHALTED.THREAD_ANY\",\"AnyThread\":\"1\",\"UMask\":\"0x2\"},{\"EventName\":\"INST_RETIRED.ANY\",\"UMask\":\"0x1\"},{\"EventName\":\"INST_RETIRED.ANY_P\",\"UMask\":\"0x1\"}]",
	  "cpu/cpu_clk_unhalted.core/event=0x3c;cpu/cpu_clk_unhalted.ref/event=0x0,umask=0x3;cpu_atom/cpu_clk_unhalted.thread/event=0x3c;cpu/cpu_clk_unhalted.thread_any/event=0x3c,any=1;cpu/inst_retired.any/event=0xc0;cpu/inst_retired.any_p/event=0xc0;" },
	{ "units",
	  "[{\"EventName\":\"A\",\"Unit\":\"CBO\"},{\"EventName\":\"B\",\"Unit\":\"QPI "
	  "LL\"},{\"EventName\":\"C\",\"Unit\":\"SBO\"},{\"EventName\":\"D\",\"Unit\":\"iMPH-U\"},{\"EventName\":\"E\",\"Unit\":\"UPI LL\"},{\"EventName\":\"F\",\"Unit\":\"DFPMC\"},{\"EventName\":\"G\",\"Unit\":\"iMC\"},{\"EventName\":\"H\",\"Unit\":\"imc_free_running_0\"},{\"EventName\":\"I\",\"Unit\":\"CPU_LowPower\"},{\"EventName\":\"J\",\"Unit\":\"\"}]",
	  "uncore_cbox/a/event=0x0;uncore_qpi/b/event=0x0;uncore_sbox/c/event=0x0;uncore_arb/d/event=0x0;uncore_upi/e/event=0x0;amd_df/f/event=0x0;uncore_imc/g/event=0x0;uncore_imc_free_running_0/h/event=0x0;cpu_lowpower/i/event=0x0;cpu/j/event=0x0;" },
	{ "descriptions",
	  "[{\"EventName\":\"A\",\"BriefDescription\":\" two\\n  lines\\tand a bit "
	  "\"},{\"EventName\":\"B\",\"Deprecated\":\"1\",\"BriefDescription\":\"Old.\"},{\"EventName\":\"C\",\"Deprecated\":\"1\"},{\"EventName\":\"D\",\"BriefDescription\":\" \"}]",
	  "cpu/a/event=0x0 two lines and a bit;cpu/b/event=0x0 Old. (deprecated);cpu/c/event=0x0 "
	  "(deprecated);cpu/d/event=0x0;" },
	{ "in order: name, then PMU",
	  "[{\"EventName\":\"b\",\"Unit\":\"cpu_core\"},{\"EventName\":\"A\",\"Unit\":\"cpu_core\"},{\"EventName\":\"B\",\"Unit\":\"cpu_atom\"}]",
	  "cpu_core/a/event=0x0;cpu_atom/b/event=0x0;cpu_core/b/event=0x0;" },
	{ "metrics, one that is an event too, counters",
	  "[{\"MetricName\":\"tma_x\",\"MetricExpr\":\"a / (b + "
	  "c)\",\"Unit\":\"cpu_atom\",\"MetricGroup\":\"TopdownL1;tma_L1_group\",\"ScaleUnit\":\"100%\",\"BriefDescription\":\"X\"},{\"EventName\":\"E\",\"MetricName\":\"M\",\"MetricExpr\":\"E\",\"Unit\":\"iMC\",\"PublicDescription\":\"It is. Sample with: A.B_PS\"},{\"Unit\":\"core\",\"CountersNumGeneric\":\"8\"}]",
	  "uncore_imc/e/event=0x0;uncore_imc:M:::E::never "
	  "S=A.B;cpu_atom:tma_x:TopdownL1;tma_L1_group:100%:a / (b + c)::never X;" },
	{ "formulas: escapes, line ends; thresholds",
	  "[{\"MetricName\":\"m\",\"MetricExpr\":\"cpu@A\\\\,cmask\\\\=1@ /\\n "
	  "(topdown\\\\-retiring\\t+ 1)\",\"MetricThreshold\":\"m > 0.1 & (p > 0.2 | \\n q > "
	  "1)\"},{\"MetricName\":\"n\",\"MetricExpr\":3,\"MetricThreshold\":\" \"}]",
	  "cpu:m:::cpu@A\\,cmask\\=1@ / (topdown\\-retiring + 1):m > 0.1 & (p > 0.2 | q > "
	  "1):never;cpu:n:::3::never;" },
	{ "what need not be in one group",
	  "[{\"MetricName\":\"a\",\"MetricExpr\":\"1\",\"MetricConstraint\":\"NO_GROUP_EVENTS\"},{\"MetricName\":\"b\",\"MetricExpr\":\"1\",\"MetricConstraint\":\"NO_GROUP_EVENTS_NMI\"},{\"MetricName\":\"c\",\"MetricExpr\":\"1\",\"MetricConstraint\":\"NO_GROUP_EVENTS_SMT\"},{\"MetricName\":\"d\",\"MetricExpr\":\"1\",\"MetricConstraint\":\"NO_NMI_WATCHDOG\"},{\"MetricName\":\"e\",\"MetricExpr\":\"1\",\"MetricConstraint\":\"NO_THRESHOLD_AND_NMI\"},{\"MetricName\":\"f\",\"MetricExpr\":\"1\"}]",
	  "cpu:a:::1::always;cpu:b:::1::nmi;cpu:c:::1::smt;cpu:d:::1::nmi;cpu:e:::1::nmi;cpu:f:::1::never;" },
	{ "retirement latencies: numbers, texts, none",
	  "[{\"EventName\":\"A\",\"RetirementLatencyMean\":6.11,\"RetirementLatencyMax\":888},{\"EventName\":\"B\",\"RetirementLatencyMean\":\"0.25\"},{\"EventName\":\"C\",\"RetirementLatencyMean\":2},{\"EventName\":\"D\",\"RetirementLatencyMax\":2}]",
	  "cpu/a/event=0x0 R=6.11;cpu/b/event=0x0 R=0.25;cpu/c/event=0x0 R=2;cpu/d/event=0x0;" },
	{ "errata: of the events of a formula, each once, of its own PMU",
	  "[{\"EventName\":\"A.B\",\"Errata\":\"X9, "
	  "X1\"},{\"EventName\":\"A.B_C\",\"Errata\":\"X5\"},{\"EventName\":\"D\",\"Errata\":\"X1, "
	  "W2,X12\"},{\"EventName\":\"E\",\"Errata\":\"\"},{\"EventName\":\"D\",\"Unit\":\"cpu_atom\",\"Errata\":\"V1\"},{\"MetricName\":\"m\",\"MetricExpr\":\"a.b / cpu@D\\\\,cmask\\\\=1@\"},{\"MetricName\":\"n\",\"MetricExpr\":\"A.B_C / E + A.B_CD + dd + D.D\"},{\"MetricName\":\"o\",\"MetricExpr\":\"E\"}]",
	  "cpu/a.b/event=0x0 E=X9, X1;cpu/a.b_c/event=0x0 E=X5;cpu/d/event=0x0 E=X1, "
	  "W2,X12;cpu_atom/d/event=0x0 E=V1;cpu/e/event=0x0;cpu:m:::a.b / "
	  "cpu@D\\,cmask\\=1@::never E=W2, X1, X12, X9;cpu:n:::A.B_C / E + A.B_CD + dd + "
	  "D.D::never E=X5;cpu:o:::E::never;" },
	{ "a mask that is compared for "
	"equality", "[{\"EventName\":\"A\",\"CounterMask\":\"8\",\"Equal\":\"1\"}]",
	  "cpu/a/event=0x0,cmask=8,eq=1;" },
};

/* Invalid files; the message starts with the file and contains about. */
static const struct {
	const char *name, *text, *about;
	size_t size; /* 0: the length of the text */
} bad[] = {
	{ "nothing at all", "", ":1: not JSON: " },
	{ "no JSON", "[\n{},\n{\"EventName\" \"A\"}]", ":3: not JSON: " },
	{ "cut off", "[\n{\"EventName\":\"A\"", ":2: not JSON: " },
	{ "more behind it", "[]\n]", ":2: not JSON: " },
	{ "too deep", "[[[[[[[[[[]]]]]]]]]]", ":1: not JSON: " },
	{ "no UTF-8", "[{\"EventName\":\"\xff\"}]", ":1: not JSON: " },
	{ "a NUL", "[]\0\n", ": a NUL byte", 4 },
	{ "a NUL in a text", "[{\"EventName\":\"A\\u0000B\"}]", "EventName: a NUL" },
	{ "an object", "{\"A\":[]}", ": not a JSON array" },
	{ "a file of intel/perfmon", "{\"Header\":{\"Info\":\"x\"},\"Events\":[]}",
	  ": this is intel/perfmon's form" },
	{ "a number", "3", ": not a JSON array" },
	{ "texts", "[{},\"A\"]", ": entry 2: not an object" },
	{ "null", "[null]", ": entry 1: not an object" },
	{ "a name that is none", "[{},{\"EventName\":[]}]", ": entry 2: EventName: neither" },
	{ "null for a name", "[{},{\"EventName\":null}]", ": entry 2: EventName: neither" },
	{ "a code in words", "[{\"EventName\":\"A\",\"EventCode\":\"0xG\"}]",
	  ": A: EventCode: not a number" },
	{ "a code of more than 64 bits",
	  "[{\"EventName\":\"A\",\"EventCode\":\"0x10000000000000000\"}]",
	  ": A: EventCode: not a number" },
	{ "an endless code",
	  "[{\"EventName\":\"A\",\"EventCode\":\"0x0000000000000000000000000000000000001\"}]",
	  ": A: EventCode: not a number" },
	{ "less than nothing", "[{\"EventName\":\"A\",\"UMask\":-1}]",
	  ": A: UMask: not a number" },
	{ "a half", "[{\"EventName\":\"A\",\"CounterMask\":0.5}]",
	  ": A: CounterMask: not a number" },
	{ "an empty mask", "[{\"EventName\":\"A\",\"UMask\":\"\"}]", ": A: UMask: not a number" },
	{ "yes for a flag", "[{\"EventName\":\"A\",\"EdgeDetect\":true}]",
	  ": A: EdgeDetect: neither text nor a number" },
	{ "an MSR by name", "[{\"EventName\":\"A\",\"MSRIndex\":\"ldlat\"}]",
	  ": A: MSRIndex: not a number" },
	{ "not deprecated, but what?", "[{\"EventName\":\"A\",\"Deprecated\":\"no\"}]",
	  ": A: Deprecated: not a number" },
	{ "a metric without a formula", "[{\"MetricName\":\"M\"}]", ": M: no MetricExpr" },
	{ "one with an empty one", "[{\"MetricName\":\"M\",\"MetricExpr\":\" \"}]", ": M: no "
	"MetricExpr" },
	{ "a list for a formula", "[{\"MetricName\":\"M\",\"MetricExpr\":[]}]", ": M: MetricExpr: "
	"neither" },
	{ "an unknown constraint",
	  "[{\"MetricName\":\"M\",\"MetricExpr\":\"1\",\"MetricConstraint\":\"NO_GROUP\"}]",
	  ": M: MetricConstraint: not a known one" },
	{ "a latency in words", "[{\"EventName\":\"A\",\"RetirementLatencyMean\":\"6 cycles\"}]",
	  ": A: RetirementLatencyMean: not a number" },
	{ "an empty latency", "[{\"EventName\":\"A\",\"RetirementLatencyMean\":\"\"}]",
	  ": A: RetirementLatencyMean: not a number" },
	{ "an endless latency", "[{\"EventName\":\"A\",\"RetirementLatencyMean\":\"inf\"}]",
	  ": A: RetirementLatencyMean: not a number" },
	{ "a list for a unit", "[{\"MetricName\":\"M\",\"Unit\":[]}]",
	  ": M: Unit: neither text nor a number" },
};

/* Searches by PMU and name, and the events that they find. */
static const struct {
	const char *pmu, *name, *want; /* "pmu/name"; NULL: nothing */
} finds[] = {
	{ "cpu_core", "both", "cpu_core/both" },
	{ "cpu_atom", "BOTH", "cpu_atom/both" },
	{ "cpu_atom", "core", NULL },
	{ "cpu", "core", NULL },
	{ "cpu_cor", "core", NULL },
	{ "cpu_core_", "core", NULL },
	{ "cpu_core", "cor", NULL },
	{ "cpu_core", "", NULL },
	{ "", "core", NULL },
	{ "uncore_imc", "Reads", "uncore_imc/reads" },
	{ "uncore_imc_0", "rEADS", "uncore_imc/reads" },
	{ "uncore_imc_15", "reads", "uncore_imc/reads" },
	{ "uncore_imc_", "reads", NULL },
	{ "uncore_imc0", "reads", NULL },
	{ "uncore_imc_free_running_0", "reads", "uncore_imc_free_running_0/reads" },
	{ "uncore_imc_free_running_1", "reads", NULL },
	{ "7", "reads", NULL },
};

#define FIND_FILE                                                         \
	"[{\"EventName\":\"BOTH\",\"Unit\":\"cpu_core\"},"                \
	"{\"EventName\":\"BOTH\",\"Unit\":\"cpu_atom\"},"                 \
	"{\"EventName\":\"CORE\",\"Unit\":\"cpu_core\"},"                 \
	"{\"EventName\":\"READS\",\"Unit\":\"iMC\"},"                     \
	"{\"EventName\":\"READS\",\"Unit\":\"imc_free_running_0\"}]"
/* clang-format on */

static void parse_cpuid(const char *text, struct td_cpuid *cpuid)
{
	struct td_err err = { 0 };

	if (td_cpuid_parse(text, cpuid, &err))
		ok(false, "%s", err.msg);
}

static int read_all(struct td_pmu_events *events, const char *root, const struct td_cpuid *id,
		    struct td_err *err)
{
	int rc = td_pmu_events_read(events, root, id, err);

	return rc ? rc : td_pmu_events_parse_all(events, err);
}

static const struct td_model_event *find(struct td_pmu_events *events, const char *pmu,
					 const char *name)
{
	const struct td_model_event *event;
	struct td_err err = { 0 };

	ok(td_pmu_events_find(events, pmu, name, &event, &err) == 0, "find '%s' of '%s' %s", name,
	   pmu, err.msg);
	return event;
}

/* Read a directory with this map and this file in its directory m. */
static int read_made_up(const char *root, const char *cpuid, const char *map,
			struct td_pmu_events *events, struct td_err *err)
{
	struct td_cpuid id;

	parse_cpuid(cpuid, &id);
	test_file(root, MAP, map, strlen(map));
	test_file(root, "m/metricgroups.json", "{\"A\":\"B\"}", 9);
	test_file(root, "m/readme.txt", "-", 1);
	return read_all(events, root, &id, err);
}

static int read_text(const char *root, const char *text, size_t size, struct td_pmu_events *events,
		     struct td_err *err)
{
	test_file(root, CACHE, text, size ? size : strlen(text));
	return read_made_up(root, ADL, HEAD "GenuineIntel-6-97,v1,m,core\n", events, err);
}

static void test_map(const char *root, size_t i)
{
	struct td_pmu_events events;
	struct td_err err = { 0 };
	int rc = read_made_up(root, maps[i].cpuid, maps[i].map, &events, &err);

	if (maps[i].want)
		ok(rc == 0 && strcmp(strrchr(events.dir, '/') + 1, maps[i].want) == 0, "map: %s %s",
		   maps[i].name, err.msg);
	else
		ok(rc == maps[i].code && err.code == rc &&
			   strncmp(err.msg, root, strlen(root)) == 0 &&
			   strstr(err.msg, maps[i].about),
		   "map: %s: %s", maps[i].name, err.msg + strlen(root));
	td_pmu_events_free(&events);
}

static void test_text(const char *root, size_t i)
{
	struct td_pmu_events events;
	struct td_err err = { 0 };
	int rc = read_text(root, files[i].text, 0, &events, &err);
	td_autofree char *got = test_describe(&events);

	ok(rc == 0, "file: %s %s", files[i].name, err.msg);
	is_str(got, files[i].want, "file: %s", files[i].name);
	if (events.nr_events)
		is_str(events.events[0].topic, "cache", "file: topic");
	td_pmu_events_free(&events);
}

static void test_bad(const char *root, size_t i)
{
	struct td_pmu_events events;
	struct td_err err = { 0 };
	char path[PATH_MAX];
	int rc = read_text(root, bad[i].text, bad[i].size, &events, &err);

	snprintf(path, sizeof(path), "%s/" CACHE ":", root);
	ok(rc == -EINVAL && err.code == rc && strncmp(err.msg, path, strlen(path)) == 0 &&
		   strstr(err.msg, bad[i].about),
	   "bad: %s: %s", bad[i].name, err.msg + strlen(root));
	td_pmu_events_free(&events);
}

/* A file cut off anywhere is an error with file and line. */
static void test_cut(const char *root)
{
	char place[PATH_MAX];
	bool fine = true;

	snprintf(place, sizeof(place), "%s/" CACHE ":1: ", root);
	for (size_t cut = 0; fine && cut < strlen(FIND_FILE); cut++) {
		struct td_pmu_events got;
		struct td_err err = { 0 };

		test_file(root, CACHE, FIND_FILE, cut);
		fine = read_made_up(root, ADL, HEAD "GenuineIntel-6-97,v1,m,core\n", &got, &err) ==
			       -EINVAL &&
		       strncmp(err.msg, place, strlen(place)) == 0;
		ok(fine, "cut at %zu: %s", cut, fine ? "refused" : err.msg);
		td_pmu_events_free(&got);
	}
}

static void test_finds(const char *root)
{
	struct td_pmu_events events;
	struct td_err err = { 0 };

	ok(read_text(root, FIND_FILE, 0, &events, &err) == 0, "to find in %s", err.msg);
	for (size_t i = 0; i < TD_ARRAY_SIZE(finds); i++) {
		const struct td_model_event *event = find(&events, finds[i].pmu, finds[i].name);
		char got[64] = "(nothing)";

		if (event)
			snprintf(got, sizeof(got), "%s/%s", event->pmu, event->name);
		is_str(got, finds[i].want ? finds[i].want : "(nothing)", "find '%s' of '%s'",
		       finds[i].name, finds[i].pmu);
	}
	td_pmu_events_free(&events);
	ok(!find(&events, "cpu", "a"), "find: no events");
}

#define CORE_FILE   "[{\"EventName\":\"B\"},{\"MetricName\":\"m\",\"MetricExpr\":\"B\"}]"
#define UNCORE_FILE "[{\"EventName\":\"A\",\"Unit\":\"iMC\"}]"
#define CORE_ONLY   "cpu/b/event=0x0;cpu:m:::B::never;"
#define WITH_UNCORE "uncore_imc/a/event=0x0;" CORE_ONLY

static void write_text(const char *root, const char *name, const char *text)
{
	test_file(root, name, text, strlen(text));
}

static void is_all(const struct td_pmu_events *events, const char *want, const char *what)
{
	td_autofree char *got = test_describe(events);

	is_str(got, want, "%s", what);
}

/* A directory with core and uncore files; reading uncore twice adds them once. */
static void test_uncore(const char *root, const char *what)
{
	struct td_pmu_events events;
	struct td_cpuid id;
	struct td_err err = { 0 };

	parse_cpuid(ADL, &id);
	ok(td_pmu_events_read(&events, root, &id, &err) == 0, "%s: read %s", what, err.msg);
	is_all(&events, CORE_ONLY, "the cores' alone");
	ok(events.has_uncore, "%s: there are others", what);
	ok(!find(&events, "uncore_imc_0", "a"), "not found yet");
	for (int i = 0; i < 2; i++) {
		ok(td_pmu_events_read_uncore(&events, &err) == 0 &&
			   td_pmu_events_parse_all(&events, &err) == 0,
		   "%s: read the others' %s", what, err.msg);
		is_all(&events, WITH_UNCORE, "all");
	}
	ok(find(&events, "uncore_imc_0", "a") != NULL, "found");
	ok(find(&events, "uncore_imc_1f003800", "a") != NULL,
	   "found for a unit that is named after its address");
	ok(!find(&events, "uncore_imc_a0", "a"), "a0 is no unit");
	td_pmu_events_free(&events);
}

/* After an error, earlier contents can still be found. */
static void test_bad_uncore(const char *root)
{
	struct td_pmu_events events;
	struct td_cpuid id;
	struct td_err err = { 0 };

	parse_cpuid(ADL, &id);
	write_text(
		root, "uncore-z.json",
		"[{\"MetricName\":\"a\",\"MetricExpr\":\"1\"},{\"EventName\":7},{\"EventName\":\"A\",\"UMask\":\"?\"}]");
	ok(td_pmu_events_read(&events, root, &id, &err) == 0, "bad files of others are not read %s",
	   err.msg);
	ok(td_pmu_events_read_uncore(&events, &err) == -EINVAL &&
		   strstr(err.msg, "/uncore-z.json: A: UMask: "),
	   "before they are asked for: %s", err.msg + strlen(root));
	is_all(&events, CORE_ONLY, "and change nothing");
	ok(find(&events, "cpu", "b") != NULL, "to be found");
	td_pmu_events_free(&events);
}

/* Directories of each kind. */
static void test_shapes(const char *root)
{
	char model[PATH_MAX];

	snprintf(model, sizeof(model), "%s/shape/adl", root);
	write_text(root, "shape/adl/core.json", CORE_FILE);
	write_text(root, "shape/adl/uncore-memory.json", UNCORE_FILE);
	write_text(root, "shape/adl/metricgroups.json", "{}");
	test_uncore(model, "a model's folder");
	snprintf(model, sizeof(model), "%s/shape", root);
	write_text(root, "shape/" MAP, HEAD "GenuineIntel-6-97,v1,adl,core\n");
	test_uncore(model, "a tree");
	snprintf(model, sizeof(model), "%s/shape/adl", root);
	test_bad_uncore(model);
}

/*
 * Files with only events are parsed for an event whose name they contain.  So an
 * error in another file does not matter.
 */
static void test_one_by_one(const char *root)
{
	const struct td_model_event *event;
	struct td_pmu_events events;
	struct td_cpuid id;
	struct td_err err = { 0 };
	char model[PATH_MAX];

	parse_cpuid(ADL, &id);
	snprintf(model, sizeof(model), "%s/lazy", root);
	write_text(root, "lazy/a.json", "[{\"EventName\":\"A\"} 1]");
	write_text(root, "lazy/b.json", "[{\"EventName\":\"B\"}]");
	write_text(root, "lazy/c.json",
		   "[{\"EventName\":\"C\"},{\"\\u004detricName\":\"m\",\"MetricExpr\":\"C\"}]");
	write_text(root, "lazy/d.json", "[{\"EventName\":\"C.D\"}]");
	ok(td_pmu_events_read(&events, model, &id, &err) == 0, "read %s", err.msg);
	is_all(&events, "cpu/c/event=0x0;cpu:m:::C::never;", "the metrics");
	ok(find(&events, "cpu", "B") != NULL, "an event of the second file");
	ok(find(&events, "cpu", "c.d") != NULL, "one in another case");
	ok(events.nr_unread == 1, "the first one is not read");
	ok(td_pmu_events_find(&events, "cpu", "z", &event, &err) == 0 && !event,
	   "nor for one that no file has: %s", err.msg);
	ok(td_pmu_events_find(&events, "cpu", "a", &event, &err) == -EINVAL &&
		   strstr(err.msg, "/lazy/a.json:1: "),
	   "but for one of its own: %s", err.msg + strlen(root));
	err = (struct td_err){ 0 };
	ok(td_pmu_events_parse_all(&events, &err) == -EINVAL && strstr(err.msg, "/lazy/a.json:1: "),
	   "or where all are wanted: %s", err.msg + strlen(root));
	ok(find(&events, "cpu", "b") != NULL, "what was found stays");
	td_pmu_events_free(&events);
	err = (struct td_err){ 0 };
	write_text(root, "lazy/e.json", "[{\"EventName\":\"E\"},");
	ok(td_pmu_events_read(&events, model, &id, &err) == -EINVAL &&
		   strstr(err.msg, "/lazy/e.json:1: "),
	   "a file that ends early is refused at once: %s", err.msg + strlen(root));
	td_pmu_events_free(&events);
}

/* Directories without any known file. */
static const struct {
	const char *name, *path, *file, *about;
} nothings[] = {
	{ "no folder", "gone", NULL, "/gone: No such file" },
	{ "an empty folder", "empty", "empty/", "/empty: neither a mapfile.csv nor event files" },
	{ "other files", "other", "other/readme.md", "/other: neither a mapfile.csv" },
	{ "a folder above", "above", "above/events/x.json", "/above: neither a mapfile.csv" },
};

static void test_nothing(const char *root, size_t i)
{
	struct td_pmu_events events;
	struct td_cpuid id;
	struct td_err err = { 0 };
	char path[PATH_MAX];

	parse_cpuid(ADL, &id);
	snprintf(path, sizeof(path), "%s/%s", root, nothings[i].path);
	if (nothings[i].file)
		write_text(root, nothings[i].file, "[]");
	ok(td_pmu_events_read(&events, path, &id, &err) == -ENOENT &&
		   strstr(err.msg, nothings[i].about),
	   "%s: %s", nothings[i].name, err.msg + strlen(root));
	td_pmu_events_free(&events);
}

static void test_folder(const char *root)
{
	struct td_pmu_events events;
	struct td_err err = { 0 };

	test_file(root, "m/dir.json/", "", 0);
	ok(read_text(root, "[]", 0, &events, &err) == -EISDIR, "a folder: %s",
	   err.msg + strlen(root));
	td_pmu_events_free(&events);
}

static void test_made_up(const char *root)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(nothings); i++)
		test_nothing(root, i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(maps); i++)
		test_map(root, i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++)
		test_text(root, i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(bad); i++)
		test_bad(root, i);
	test_cut(root);
	test_finds(root);
	test_shapes(root);
	test_one_by_one(root);
	test_folder(root);
}

int main(void)
{
	char root[] = "/tmp/tdstat-events-XXXXXX";

	if (!mkdtemp(root)) {
		ok(false, "no temporary folder");
		return done_testing();
	}
	test_made_up(root);
	test_tree_remove(root);
	return done_testing();
}
