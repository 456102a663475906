// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/import/perf.h"
#include "lib/count/aggregation.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/import/parts.h"
#include "lib/base/util.h"
#include "tests/unit/rewrite.h"
#include "tests/unit/test.h"

#define STARTED "# started on Sat Nov 21 19:19:21 2026\n\n"
#define MAX_HAS 6

/* clang-format off */
/* Output of perf, and the expected contents of the recording. */
static const struct {
	const char *name, *text;
	const char *has[MAX_HAS], *not;
} good[] = {
	{ "a count", "12,,cycles,1000,100.00,,\n",
	  { "[[0,-1,-1,12,1000,1000]]",
	    "\"name\":\"cycles\",\"pmu\":\"cpu\"", "\"type\":0,\"config\":0",
	    "\"interval_ms\":0", "{\"end\":{\"elapsed\":0.000000000}}" },
	  "scale" },
	{ "a clock: ns, with a scale", "204.52,msec,task-clock,204516814,100.00,2.000,CPUs "
	"utilized\n",
	  { "[[0,-1,-1,204520000,204516814,204516814]]", "\"unit\":\"msec\"",
	    "\"scale\":", "\"type\":1,\"config\":1",
	    /* 204.52 ms on two CPUs */
	    "\"elapsed\":0.102260000" } },
	{ "duration_time is the "
	"time", STARTED "5,,cycles,9000,100.00,,\n7000,ns,duration_time,7000,100.00,,\n",
	  { "\"elapsed\":0.000007000", "\"tool\":1", "\"counts\":[[0,-1,-1,5,9000,9000]]",
	    "\"pmu\":\"tool\"" } },
	{ "user_time", "7,ns,user_time,7,100.00,,\n9,ns,system_time,9,100.00,,\n",
	  { "\"user\":0.000000007,\"sys\":0.000000009", "\"counts\":[]" } },
	{ "a value of a scaled event", "12.34,Joules,power/energy-pkg/,1000,100.00,,\n",
	  { "[0,-1,-1,12340000,1000,1000]", "\"unit\":\"Joules\"", "\"pmu\":\"power\"",
	    "\"core\":false" } },
	{ "not counted", "<not counted>,,cycles,0,100.00,,\n", { "[0,-1,-1,0,0,0]" }, "refused" },
	{ "not counted, though enabled", "<not "
	"counted>,,cycles,0,0.00,,\n", { "[0,-1,-1,0,1,0]" } },
	{ "not supported", "<not supported>,,cycles,0,100.00,,\n1,,faults,9,100.00,,\n",
	  { "\"refused\":\"cycles: ", "\"counts\":[[1,-1,-1,1,9,9]]", "\"group\":-1" } },
	/* half of the time: 500 of 1000 were counted */
	{ "scaled up", "1000,,cycles,400,50.00,,\n", { "[0,-1,-1,500,800,400]" } },

	{ "6.1's blanks", "     0.050107086;1;;cs;9;100.00;;\n     0.100569810;2;;cs;8;100.00;;\n",
	  { "{\"time\":0.050107086,\"counts\":[[0,-1,-1,1,9,9]]}\n"
	    "{\"time\":0.100569810,\"counts\":[[0,-1,-1,2,8,8]]}\n"
	    "{\"end\":{\"elapsed\":0.100569810}}", "\"interval_ms\":50" } },
	{ "a tab", "0.100000000\t1\t\tcs\t9\t100.00\t\t\n", { "[0,-1,-1,1,9,9]" } },
	{ "a bar", "1||cs|9|100.00||\n", { "[0,-1,-1,1,9,9]" } },
	{ "an at", "1@@cs@9@100.00@@\n", { "[0,-1,-1,1,9,9]" } },
	{ "blanks", "     0.100000000 1  cs 9 100.00  \n     0.100000000 <not counted>  faults 0 "
	"100.00  \n"
	  "         summary 1  cs 9 100.00  \n",
	  { "[[0,-1,-1,1,9,9],[1,-1,-1,0,0,0]]" } },
	{ "two characters", "0.100000000::1::::cs::9::100.00::::\n",
	  { "{\"time\":0.100000000,\"counts\":[[0,-1,-1,1,9,9]]}" } },
	{ "a comma and a blank", "a b-7, 20.41, msec, cpu-clock, 9, 100.00, 2.0, CPUs utilized\n"
	  "a b-7, 1, , cpu/event=0x1,umask=2/, 9, 100.00, , \n",
	  { "[0,-1,7,20410000,9,9]", "[1,-1,7,1,9,9]", "\"7\":\"a b\"",
	    "\"name\":\"cpu/event=0x1,umask=2/\"" } },
	{ "letters", "CPU0abc1abcabccpu-clock [software]abc9abc100.00abcabc\n",
	  { "[0,0,-1,1000000,9,9]", "\"name\":\"cpu-clock [software]\"" } },
	{ "a quote", "1\"\"cs\"9\"100.00\"\"\n", { "[0,-1,-1,1,9,9]" } },
	{ "blanks, and a PMU", "CPU0 1.50 msec cpu-clock [software] 9 100.00  \n",
	  { "\"name\":\"cpu-clock [software]\"" }, "cgroups" },
	{ "colons", "1::cycles:u:9:100.00::\n2::sched:sched_switch:9:100.00::\n3::cpu/cycles/:k:9:100.00::\n",
	  { "\"name\":\"cycles:u\"", "\"name\":\"sched:sched_switch\"",
	    "\"name\":\"cpu/cycles/:k\"" }, "cgroups" },
	{ "colons and cgroups", "1::cycles:u:a.slice:9:100.00::\n2::cycles:u:/:9:100.00::\n3::L1-dcache-loads:a.slice:9:100.00::\n",
	  { "\"cgroups\":[\"a.slice\",\"/\"]", "[[0,-1,-1,1,9,9,0],[0,-1,-1,2,9,9,1],[1,-1,-1,3,9,9,0]]" } },
	{ "underscores", "1__duration_time_9_100.00__\n2__cs_9_100.00__\n",
	  { "\"elapsed\":0.000000001", "[1,-1,-1,2,9,9]" }, "cgroups" },
	{ "-v of 7.2", "Using CPUID AuthenticAMD-25-11-1\ncs -> software/cs/\n"
	  "Control descriptor is not initialized\n[ perf stat: executing run #1 ... ]\n"
	  "cs: 1 9 9\n1,,cs,9,100.00,,\n",
	  { "\"counts\":[[0,-1,-1,1,9,9]]" } },
	{ "-D", "Events disabled\nEvents enabled\n1,,cs,9,100.00,,\n", { "\"counts\":[[0,-1,-1,1,9,9]]" } },
	{ "-v and JSON", "cs: 1 9 9\n{\"counter-value\" : \"1.000000\", \"unit\" : \"\", \"event\" : "
	"\"cs\", \"event-runtime\" : 9, \"pcnt-running\" : 100.00}\n",
	  { "\"counts\":[[0,-1,-1,1,9,9]]" } },
	{ "perf stat report --per-core of a command", "warning: processing task data, aggregation mode not set\n"
	  "S-1-D-1-C-1,1,5,,cs,18,100.00,,\nS-1-D-1-C-1,1,6,,faults,18,100.00,,\n",
	  { "[[0,-1,-1,5,18,18],[1,-1,-1,6,18,18]]" }, "aggregation" },
	{ "a warning", "WARNING: events were regrouped to match PMUs\n1,,cs,9,100.00,,\n",
	  { "\"counts\":[[0,-1,-1,1,9,9]]" } },
	{ "clocks of older perf", "12.500000,,task-clock,12500000,100.00,0.5,CPUs utilized\n",
	  { "[0,-1,-1,12500000,12500000,12500000]", "\"unit\":\"msec\"", "\"elapsed\":0.025000000" } },
	{ "cores before 5.3", "S0-C1,2,5,,cs,18,100.00,,\nS1-C0,2,6,,cs,18,100.00,,\n",
	  { "[[0,0,-1,5,18,18],[0,1,-1,6,18,18]]", "\"aggregation\":\"core\"",
	    "{\"cpu\":0,\"core\":1,\"cluster\":-1,\"die\":0,\"socket\":0,\"node\":-1}" } },
	{ "decimal commas of JSON", "{\"interval\" : 0,100000000, \"counter-value\" : \"1,500000\", \"unit\" : "
	"\"msec\", \"event\" : \"task-clock\", \"event-runtime\" : 9, \"pcnt-running\" : 50,00, "
	"\"metric-value\" : 0,25, \"metric-unit\" : \"a,1\"}\n",
	  { "{\"time\":0.100000000,\"counts\":[[0,-1,-1,750000,18,9]]}" } },
	{ "a decimal comma", "0,84;msec;task-clock;840000;100,00;0,5;CPUs utilized\n",
	  { "[0,-1,-1,840000,840000,840000]" } },
	{ "lines of DOS", "1,,cs,9,100.00,,\r\n", { "[0,-1,-1,1,9,9]" } },
	{ "the separator in an event", "CPU0,1,,cpu/event=0xc0,umask=1/,9,100.00,,\n",
	  { "\"name\":\"cpu/event=0xc0,umask=1/\"", "[0,0,-1,1,9,9]" } },
	{ "two runs' mean", "5,,cs,66.67%,9,100.00,1.5,K/sec\n", { "[0,-1,-1,5,9,9]" }, "cgroups" },
	{ "metrics between", "5,,cs,9,100.00,,\n,,,,25.0,%  tma_retiring\n,,,,,25.0,%  "
	"tma_retiring\n"
	  ",423882761,100.00,,,,TopdownL1 (cpu_core)\n,9,100.00,,,20.0,%  "
	  "tma_frontend_bound\n6,,faults,9,100.00,,\n",
	  { "\"counts\":[[0,-1,-1,5,9,9],[1,-1,-1,6,9,9]]" } },
	{ "a summary", "0.100000000,5,,cs,9,100.00,,\nsummary,5,,cs,9,100.00,,\n",
	  { "\"counts\":[[0,-1,-1,5,9,9]]}\n{\"end\"" } },
	{ "a summary without the word", "0.100000000,5,,cs,9,100.00,,\n5,,cs,9,100.00,,\n",
	  { "\"counts\":[[0,-1,-1,5,9,9]]}\n{\"end\"" } },
	{ "twice the same event, -I", "0.100000000,5,,cs,9,100.00,,\n0.100000000,6,,cs,9,100.00,,\n"
	  "0.200000000,7,,cs,9,100.00,,\n0.200000000,8,,cs,9,100.00,,\n",
	  { "[[0,-1,-1,5,9,9],[1,-1,-1,6,9,9]]", "[[0,-1,-1,7,9,9],[1,-1,-1,8,9,9]]" } },
	{ "twice the same event, "
	"-A", "CPU0,5,,cs,9,100.00,,\nCPU1,6,,cs,9,100.00,,\nCPU0,7,,cs,9,100.00,,\nCPU1,8,,cs,9,100.00,,\n",
	  { "[[0,0,-1,5,9,9],[0,1,-1,6,9,9],[1,0,-1,7,9,9],[1,1,-1,8,9,9]]" } },
	{ "twice the same event, --per-core",
	  "S0-D0-C0,1,5,,cs,9,100.00,,\nS0-D0-C0,1,6,,cs,9,100.00,,\nS0-D0-C1,1,7,,cs,9,100.00,,\nS0-D0-C1,1,8,,cs,9,100.00,,\n",
	  { "[[0,0,-1,5,9,9],[1,0,-1,6,9,9],[0,1,-1,7,9,9],[1,1,-1,8,9,9]]" } },
	{ "cut off", "5,,cs,9,100.00,,\n6,,faults,9,1", { "[[0,-1,-1,5,9,9]]" }, "end" },

	{ "-A", "CPU5,5,,cs,9,100.00,,\nCPU2,6,,cs,9,100.00,,\n",
	  { "[[0,5,-1,5,9,9],[0,2,-1,6,9,9]]", "\"aggregation\":\"cpu\"",
	    "\"topology\":[{\"cpu\":2,\"core\":-1,\"cluster\":-1,\"die\":-1,\"socket\":-1,\"node\":-1},{\"cpu\":5," } },
	{ "--per-core", "S1-D2-C3,2,5,,cs,18,100.00,,\n",
	  { "[0,0,-1,5,18,18]", "\"aggregation\":\"core\"",
	    "{\"cpu\":0,\"core\":3,\"cluster\":-1,\"die\":2,\"socket\":1,\"node\":-1}",
	    /* the elapsed time is unknown */
	    "\"elapsed\":0.000000000" } },
	{ "percore", "S1-D2-C3,5,,cs,18,100.00,,\n", { "[0,0,-1,5,18,18]", "\"aggregation\":\"core\"" } },
	{ "metrics of a core", "S0-D0-C0,1,5,,cs,9,100.00,,\nS0-D0-C0,1,,,,,,25.0,%  tma_retiring\n"
	  "S0-D0-C0,1,,423882761,100.00,,,,TopdownL1\n", { "\"counts\":[[0,0,-1,5,9,9]]" } },
	{ "a core without the PMU", "S0-D0-C0,0,<not "
	"counted>,,cpu_atom/cycles/,0,100.00,,\nS0-D0-C1,1,5,,cpu_atom/cycles/,9,100.00,,\n",
	  { "\"counts\":[[0,1,-1,5,9,9]]", "\"pmus\":[{\"name\":\"cpu_atom\"" } },
	{ "--per-cluster", "S0-D0-CLS4,2,5,,cs,9,100.00,,\n",
	  { "\"cluster\":4,\"die\":0,\"socket\":0,", "\"aggregation\":\"cluster\"" } },
	{ "--per-cache", "S0-D1-L3-ID8,2,5,,cs,9,100.00,,\n",
	  { "\"die\":1,\"socket\":0,\"node\":-1,\"caches\":[-1,-1,8]", "\"aggregation\":\"cache\",\"cache_level\":3" } },
	{ "no cache in sysfs", "S0-D1-L-1-ID-1,2,5,,cs,9,100.00,,\n",
	  { "\"core\":-1,\"cluster\":-1,\"die\":1,\"socket\":0,\"node\":-1}", "\"aggregation\":\"cache\"" } },
	{ "--per-die", "S0-D1,2,5,,cs,9,100.00,,\n", { "\"die\":1,\"socket\":0", "\"aggregation\":\"die\"" } },
	{ "--per-socket", "S1,2,5,,cs,9,100.00,,\n", { "\"socket\":1", "\"aggregation\":\"socket\"" } },
	{ "--per-node", "N1,2,5,,cs,9,100.00,,\n", { "\"node\":1", "\"aggregation\":\"node\"" } },
	{ "--per-thread", "Web Content-17,5,,cs,9,100.00,,\na-b-18,6,,cs,9,100.00,,\n",
	  { "{\"threads\":{\"17\":\"Web Content\",\"18\":\"a-b\"}}\n{\"time\"",
	    "[[0,-1,17,5,9,9],[0,-1,18,6,9,9]]", "\"tasks\":true", "\"aggregation\":\"thread\"" } },
	{ "a thread with a "
	"separator", "a,b-17,5,,cs,9,100.00,,\n", { "{\"threads\":{\"17\":\"a,b\"}}" } },
	{ "cgroups", "5,,cs,/,9,100.00,,\n6,,cs,/user.slice,9,100.00,,\n",
	  { "\"cgroups\":[\"/\",\"/user.slice\"]", "[[0,-1,-1,5,9,9,0],[0,-1,-1,6,9,9,1]]" } },
	{ "cgroups, repeated", "5@@cs@/@0.27%@9@100.00@@\n", { "\"cgroups\":[\"/\"]" } },
	{ "cgroups of "
	"cores", "S0-D0-C0,1,5,,cs,a,9,100.00,,\nS0-D0-C0,1,6,,cs,b,9,100.00,,\nS0-D0-C1,1,7,,cs,a,9,100.00,,\n",
	  { "[[0,0,-1,5,9,9,0],[0,0,-1,6,9,9,1],[0,1,-1,7,9,9,0]]" } },

	{ "JSON", "{\"counter-value\" : \"110311636.000000\", \"unit\" : \"\", \"event\" : "
	"\"cpu_atom/cycles/\", \"event-runtime\" : 609594633, \"pcnt-running\" : 100.00, "
	"\"metric-value\" : \"0.09\", \"metric-unit\" : \"GHz\"}\n",
	  { "[[0,-1,-1,110311636,609594633,609594633]]", "\"name\":\"cpu_atom/cycles/\",\"pmu\":\"cpu_atom\"" } },
	{ "JSON of 6.1", STARTED "{\"interval\" : 0.050099515, \"core\" : \"S0-D0-C1\", "
	"\"aggregate-number\" : 1, \"counter-value\" : \"0.710000\", \"unit\" : \"msec\", "
	"\"event\" : \"task-clock\", \"event-runtime\" : 710001, \"pcnt-running\" : 100.00, "
	"\"metric-value\" : nan, \"metric-unit\" : \"(null)\"}\n",
	  { "{\"time\":0.050099515,\"counts\":[[0,0,-1,710000,710001,710001]]}", "\"core\":1" } },
	{ "JSON of 7.2", "{\"interval\" : 0.05, \"die\" : \"S0-D1\", \"counters\" : 0, "
	"\"counter-value\" : \"<not counted>\", \"unit\" : \"\", \"event\" : \"cpu_atom/cycles/\", "
	"\"event-runtime\" : 0, \"pcnt-running\" : 100.00}\n",
	  { "{\"time\":0.050000000,\"counts\":[]}" } },
	{ "JSON of a CPU", "{\"cpu\" : \"3\", \"counter-value\" : \"1.000000\", \"event\" : \"cs "
	"[software]\", \"event-runtime\" : 9, \"pcnt-running\" : 100.00}\n",
	  { "[0,3,-1,1,9,9]", "\"pmu\":\"software\"", "\"name\":\"cs "
	  "[software]\"", "\"type\":1,\"config\":3" } },
	{ "JSON of a thread in a cgroup", "{\"thread\" : \"sh-9\", \"counter-value\" : "
	"\"1.000000\", \"event\" : \"cs\", \"cgroup\" : \"a\", \"event-runtime\" : 9, "
	"\"pcnt-running\" : 100.00}\n",
	  { "[0,-1,9,1,9,9,0]", "{\"threads\":{\"9\":\"sh\"}}", "\"cgroups\":[\"a\"]" } },
	{ "JSON, metrics between", "{\"counter-value\" : \"1.000000\", \"event\" : \"cs\", "
	"\"event-runtime\" : 9, \"pcnt-running\" : 100.00}\n"
	  "{\"event-runtime\" : 9, \"pcnt-running\" : 100.00, \"metricgroup\" : \"TopdownL1\"}\n"
	  "{\"metric-value\" : \"8.5\", \"metric-unit\" : \"%  tma_bad_speculation\", "
	  "\"metric-threshold\" : \"good\"}\n",
	  { "\"counts\":[[0,-1,-1,1,9,9]]" } },
};

/* Line 0 is the file as a whole.  Result 1: not written by perf. */
static const struct {
	const char *name, *text;
	int result, line;
	const char *about;
} bad[] = {
	{ "nothing", "", 1, 0, NULL },
	{ "other text", "hello\n", -EINVAL, 1, "neither" },
	{ "other numbers", "1,2,3\n", -EINVAL, 1, "neither" },
	{ "a program's text before text", "hello\n\n Performance counter stats for 'x':\n", -EINVAL, 0, "text output" },
	{ "a program's text before CSV", "hello\n1,,cs,9,100.00,,\n", -EINVAL, 1, "later lines" },
	{ "a program's text before JSON", "hello\nyou\n{\"counter-value\" : \"1\", \"event\" : \"cs\", \"event-runtime\" : "
	"9, \"pcnt-running\" : 100.00}\n", -EINVAL, 1, "later lines" },
	{ "other JSON", "{\"a\":1}\n", 1, 0, NULL },
	{ "a list", "[1]\n", -EINVAL, 1, "neither" },
	{ "no line was counted", STARTED, -EINVAL, 0, "no counts" },
	{ "metrics, 6.12", STARTED "%  tma_retiring,\n25.0,\n", -EINVAL, 0, "only metrics" },
	{ "metrics, 6.1", STARTED " time,\n     0.050099515,\n", -EINVAL, 0, "only metrics" },
	{ "metrics of -A", "CPU0,49.8,25.1,%  x,\n", -EINVAL, 0, "only metrics" },
	{ "metrics, JSON", "{\"interval\" : 0.1, \"%  tma_retiring\" : \"25.1\", \"%  "
	"tma_retiring\" : \"25.1\"}\n", -EINVAL, 0, "only metrics" },
	{ "metrics, JSON, none", "{\"metric-value\" : \"none\"}\n", -EINVAL, 0, "only metrics" },
	{ "metrics, 6.1's JSON", STARTED "{\"interval\" : 0.1}{\"metric-value\" : "
	"\"25.0\"}\n", -EINVAL, 0, "only metrics" },
	{ "metrics, 6.1's JSON of CPUs", STARTED "{\"unit\" : \"/sec\", \"unit\" : \"/sec\"}\n"
	"{\"cpu\" : \"0\", \n", -EINVAL, 0, "only metrics" },
	{ "a separator of names", STARTED "1--page-faults-9-100.00--\n", -EINVAL, 3, "expected" },
	{ "a separator of numbers", STARTED "1..cs.9.100.00..\n", -EINVAL, 3, "expected" },
	{ "-vv", "Using CPUID x\n------\nperf_event_attr:\n", -EINVAL, 2, "expected" },
	{ "something else", STARTED "hello\n", -EINVAL, 3, "expected" },
	{ "a program's words", "1,,cs,9,100.00,,\nhello\n", -EINVAL, 2, "expected" },
	{ "JSON that stops", "{\"counter-value\" : \"1\", \"event\" : \"cs\", \"event-runtime\" : "
	"9, \"pcnt-running\" : 100.00}\n{\n", -EINVAL, 2, "not JSON" },
	{ "JSON without an event", STARTED "{\"counter-value\" : "
	"\"1\"}\n", -EINVAL, 3, "expected" },
	{ "a negative count", STARTED "-1,,cs,9,100.00,,\n", -EINVAL, 3, "expected" },
	{ "no number", "1,,cs,9,100.00,,\nnan,,faults,9,100.00,,\n", -EINVAL, 2, "expected" },
	{ "no number in JSON", STARTED "{\"counter-value\" : \"nan\", \"event\" : \"cs\", "
	"\"event-runtime\" : 9, \"pcnt-running\" : 100.00}\n", -EINVAL, 3, "expected" },
	{ "too large a "
	"count", STARTED "9223372036854775807,,cs,9,100.00,,\n", -EINVAL, 3, "expected" },
	{ "too large for its "
	"scale", "1,,cs,9,100.00,,\n9223372036854.5,,cs,9,100.00,,\n", -EINVAL, 2, "too large" },
	{ "too large a "
	"clock", STARTED "9223372036854,msec,task-clock,9,100.00,,\n", -EINVAL, 3, "too large" },
	{ "too long a run", STARTED "1,,cs,1000000000000000000,100.00,,\n", -EINVAL, 3, "31 "
	"years" },
	{ "too long a run, in JSON", STARTED "{\"counter-value\" : \"1\", \"event\" : \"cs\", "
	"\"event-runtime\" : 1000000000000000000, \"pcnt-running\" : "
	"100.00}\n", -EINVAL, 3, "31 years" },
	{ "too late a time", "1000000000.000000000,1,,cs,9,100.00,,\n", -EINVAL, 1, "31 years" },
	{ "too long a tool's "
	"time", "1,,cs,9,100.00,,\n1000000000000000000,ns,duration_time,9,100.00,,\n", -EINVAL, 2, "31 years" },
	{ "too long CPU "
	"times", "1,,cs,9,100.00,,\n600000000000000000,ns,user_time,9,100.00,,\n600000000000000000,ns,system_time,9,100.00,,\n", -EINVAL, 3, "31 years" },
	{ "too small a percentage", "1,,cs,900000000000000000,5.00,,\n", -EINVAL, 1, "percentage" },
	{ "a run time below 0", STARTED "1,,cs,-9,100.00,,\n", -EINVAL, 3, "expected" },
	{ "a count without run time", "1,,cs,0,100.00,,\n", -EINVAL, 1, "never ran" },
	{ "time that goes "
	"back", "0.200000000,1,,cs,9,100.00,,\n0.100000000,1,,cs,9,100.00,,\n", -EINVAL, 2, "time" },
	{ "time all of a "
	"sudden", "1,,cs,9,100.00,,\n0.100000000,1,,cs,9,100.00,,\n", -EINVAL, 2, "time" },
	{ "a second "
	"run", STARTED "1,,cs,9,100.00,,\n" STARTED "1,,cs,9,100.00,,\n", -EINVAL, 4, "second "
	"run" },
	{ "ids of two "
	"kinds", "CPU0,1,,cs,9,100.00,,\nS0-D0-C0,1,,faults,9,100.00,,\n", -EINVAL, 2, "another "
	"kind" },
	{ "an id, and "
	"none", "CPU0,1,,cs,9,100.00,,\n1,,faults,9,100.00,,\n", -EINVAL, 2, "another kind" },
	{ "a core below -1, which nobody "
	"has", "S0-D0-C0,1,5,,cs,9,100.00,,\nS0-D0-C-12,1,5,,cs,9,100.00,,\n", -EINVAL, 2, "another kind" },
	{ "a cache of no CPU", STARTED "S0-D0-L3-ID65536,1,5,,cs,9,100.00,,\n", -EINVAL, 3, "" },
	{ "a cache's level without a "
	"cache", STARTED "S0-D0-L3,1,5,,cs,9,100.00,,\n", -EINVAL, 3, "" },
	{ "a CPU too high", STARTED "CPU65536,1,,cs,9,100.00,,\n", -EINVAL, 3, "" },
	{ "an id in JSON that is none", "{\"core\" : \"x\", \"counter-value\" : \"1\", \"event\" : "
	"\"cs\", \"event-runtime\" : 9, \"pcnt-running\" : 100.00}\n", -EINVAL, 1, "id" },
	{ "a name that is no text", "1,,c\033s,9,100.00,,\n", -EINVAL, 1, "printable" },
	{ "a thread's that is none", "\377-1,1,,cs,9,100.00,,\n", -EINVAL, 1, "printable" },
};

static const struct {
	const char *name, *pmu;
	bool typed;
	uint32_t type;
	uint64_t config;
	enum td_tool tool;
	bool user, kernel;
} names[] = {
	{ "cycles", "cpu", true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cycles:u", "cpu", true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, true },
	{ "instructions:uk", "cpu", true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0, true, true },
	{ "cpu_core/cycles/", "cpu_core", true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu_core/cycles/u", "cpu_core", true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, true },
	{ "cpu_atom/cycles:u/", "cpu_atom", true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, true },
	{ "cpu_core/cycles,percore/", "cpu_core", true, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu_atom/L1-dcache-loads/", "cpu_atom", true, PERF_TYPE_HW_CACHE, 0 },
	{ "LLC-load-misses", "cpu", true, PERF_TYPE_HW_CACHE, 0x10002 },
	{ "cpu_core/r1a/", "cpu_core", false, 0, 0x1a },
	{ "r3c", "cpu", false, 0, 0x3c },
	{ "topdown-retiring", "cpu", false, 0, 0x8000 },
	{ "cpu_core/TOPDOWN.SLOTS/", "cpu_core", false, 0, 0x400 },
	{ "cpu_atom/topdown-retiring/", "cpu_atom", false, 0, 0 },
	{ "INT_MISC.UOP_DROPPING", "cpu", false, 0, 0 },
	{ "task-clock", "software", true, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "task-clock [software]", "software", true, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "context-switches:u", "software", true, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 0, true },
	{ "duration_time", "tool", true, 0, 0, TD_TOOL_DURATION_TIME },
	{ "tool/user_time/", "tool", true, 0, 0, TD_TOOL_USER_TIME },
	{ "sched:sched_switch", "tracepoint", false, 0, 0 },
	{ "sched:sched_switch:u", "tracepoint", false, 0, 0, 0, true },
	{ "mem:0x1000/8:rw", "breakpoint", false, 0, 0 },
	{ "msr/tsc/", "msr", false, 0, 0 },
	{ "power/energy-pkg/", "power", false, 0, 0 },
	{ "uncore_imc_0/cas_count_read/", "uncore_imc_0", false, 0, 0 },
	{ "UNC_M_CAS_COUNT.RD", "uncore", false, 0, 0 },
	{ "/", "cpu", false, 0, 0 },
	{ "a/", "a", false, 0, 0 },
	{ " []", "cpu", false, 0, 0 },
};

/* Files of tests/data that perf wrote, and their numbers of counts. */
static const struct {
	const char *file, *aggregation;
	size_t events, intervals, readings;
} files[] = {
	{ "perf-6.1-interval.csv", "all", 3, 3, 9 },
	{ "perf-6.1-interval.jsonl", "all", 3, 3, 9 },
	{ "perf-6.1-core.csv", "core", 3, 3, 18 },
	{ "perf-6.1-repeat.csv", "all", 4, 1, 3 }, /* no duration_time */
	{ "perf-6.12-hybrid.csv", "all", 17, 1, 17 },
	{ "perf-6.12-default.csv", "all", 12, 1, 12 },
	{ "perf-6.12-default.jsonl", "all", 12, 1, 12 },
	{ "perf-6.12-cpu.csv", "cpu", 2, 1, 16 },
	{ "perf-6.12-core.csv", "core", 3, 1, 12 },
	{ "perf-6.12-percore.csv", "core", 1, 1, 4 },
	{ "perf-6.12-cluster.csv", "cluster", 3, 1, 12 },
	{ "perf-6.12-cache.csv", "cache", 3, 1, 6 },
	{ "perf-6.12-socket.csv", "socket", 5, 1, 5 },
	{ "perf-6.12-socket.jsonl", "socket", 5, 3, 15 },
	{ "perf-6.12-cgroup.csv", "all", 3, 1, 3 },
	{ "perf-6.12-thread.csv", "thread", 2, 1, 2 },
	{ "perf-6.12-thread.jsonl", "thread", 2, 3, 6 },
	{ "perf-6.12-total.jsonl", "all", 5, 1, 5 },
};
/* clang-format on */

/* Converts a file to a recording; free *text.  1 if it is not perf's. */
static int convert(FILE *in, char **text, struct td_err *err)
{
	struct td_recording rec = { .path = "FILE", .fp = in, .foreign = &td_perf_output };
	int rc = td_perf_output.open(&rec, err);
	size_t size;
	FILE *out;

	if (!rc && (out = open_memstream(text, &size))) {
		rc = test_rewrite(&rec, out, err) == 1 ? 0 : -EINVAL;
		fclose(out);
	}
	td_recording_close(&rec);
	return rc;
}

static int convert_text(const char *text, char **out, struct td_err *err)
{
	size_t size = strlen(text);
	FILE *in = fmemopen(NULL, size + 1, "w+");

	if (!in)
		return -ENOMEM;
	fwrite(text, 1, size, in);
	rewind(in);
	return convert(in, out, err);
}

static void test_good(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(good); i++) {
		td_autofree char *out = NULL;
		struct td_err err = { 0 };
		int rc = convert_text(good[i].text, &out, &err);

		ok(rc == 0, "%s: is read: %s", good[i].name, err.msg);
		for (size_t j = 0; !rc && j < MAX_HAS && good[i].has[j]; j++) {
			bool has = strstr(out, good[i].has[j]);

			/* by number, as TAP cannot show several lines */
			ok(has, "%s: part %zu", good[i].name, j);
			if (!has)
				fprintf(stderr, "want: %s\ngot: %s\n", good[i].has[j], out);
		}
		if (!rc && good[i].not )
			ok(!strstr(out, good[i].not ), "%s: no %s", good[i].name, good[i].not );
	}
}

static void test_bad(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(bad); i++) {
		td_autofree char *out = NULL;
		struct td_err err = { 0 };
		int rc = convert_text(bad[i].text, &out, &err);
		char place[32] = "FILE:";

		if (bad[i].line)
			snprintf(place, sizeof(place), "FILE:%d: ", bad[i].line);
		ok(rc == bad[i].result, "%s: %d", bad[i].name, rc);
		if (bad[i].result == 1)
			continue;
		ok(strncmp(err.msg, place, strlen(place)) == 0 && strstr(err.msg, bad[i].about),
		   "%s: says where and what: %s", bad[i].name, err.msg);
	}
}

static void test_names(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		struct td_event event;
		td_autofree char *pmu = NULL;
		bool typed;

		td_perf_name_parse(names[i].name, &event, &pmu, &typed);
		is_str(pmu, names[i].pmu, "%s: its PMU", names[i].name);
		ok(typed == names[i].typed && event.type == names[i].type &&
			   event.tool == names[i].tool,
		   "%s: its type %u", names[i].name, event.type);
		ok(event.config[0] == names[i].config, "%s: its config %#jx", names[i].name,
		   (uintmax_t)event.config[0]);
		ok(event.mods.user == names[i].user && event.mods.kernel == names[i].kernel,
		   "%s: its modifiers", names[i].name);
	}
}

static void test_file(const char *path, const char *aggregation, size_t events, size_t intervals,
		      size_t readings)
{
	struct td_readings delta = { 0 };
	struct td_recording rec;
	struct td_err err = { 0 };
	size_t nr_intervals = 0, nr_readings = 0;
	uint64_t time_ns;

	ok(td_recording_open(&rec, path, &td_perf_output, &err) == 0, "%s: is read: %s", path,
	   err.msg);
	ok(rec.perf && rec.info.sums, "%s: is perf's", path);
	while (!td_recording_next(&rec, &time_ns, &delta, &err)) {
		nr_intervals++;
		nr_readings += delta.nr;
	}
	is_str(td_aggregation_row(rec.info.how)->name, aggregation, "%s: aggregation", path);
	ok(rec.plan.events.nr == events, "%s: %zu events", path, events);
	ok(nr_intervals == intervals, "%s: %zu intervals", path, intervals);
	ok(nr_readings == readings, "%s: %zu counts", path, readings);
	td_recording_close(&rec);
	free(delta.v);
}

static void test_files(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++) {
		char path[64];

		snprintf(path, sizeof(path), "tests/data/%s", files[i].file);
		test_file(path, files[i].aggregation, files[i].events, files[i].intervals,
			  files[i].readings);
	}
}

/* Scaling gives back perf's own value, but for the fraction of a count. */
static void test_scaled(void)
{
	static const uint64_t values[] = { 1613376,    9861481, 8920617,   885120552,
					   1770241107, 13,      1000000007 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(values); i++) {
		size_t wrong = 0;

		for (int pct = 1; pct < 100; pct++) {
			uintmax_t value, enabled, running;
			td_autofree char *out = NULL;
			struct td_err err = { 0 };
			char line[128];
			double scale;

			snprintf(line, sizeof(line), "%ju,,cycles,122607863,%d.00,,\n",
				 (uintmax_t)values[i], pct);
			if (convert_text(line, &out, &err) ||
			    sscanf(strstr(out, "[[0,-1,-1,") + 10, "%ju,%ju,%ju", &value, &enabled,
				   &running) != 3) {
				wrong++;
				continue;
			}
			scale = (double)enabled / (double)running;
			wrong += fabs((double)value * scale - (double)values[i]) >
				 0.5 * scale + 1e-6;
			wrong += lround(100.0 * (double)running / (double)enabled) != pct;
		}
		ok(wrong == 0, "%ju: %zu of 198 are wrong", (uintmax_t)values[i], wrong);
	}
}

/* Opens files as tdstat report does, also from a pipe. */
static void test_open(void)
{
	static const struct {
		const char *name, *text;
		int rc;
	} rows[] = {
		{ "perf's", "1,,cs,9,100.00,,\n", 0 },
		{ "neither", "hello\n", -EINVAL },
		{ "neither, JSON", "{\"tea\":1}\n", -EINVAL },
		{ "perf's, of a thread",
		  "{\"thread\" : \"sh-9\", \"counter-value\" : \"1.000000\", \"event\" : \"cs\", "
		  "\"event-runtime\" : 9, \"pcnt-running\" : 100.00}\n",
		  0 },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		struct td_recording rec = { .path = "PIPE", .foreign = &td_perf_output };
		struct td_err err = { 0 };
		int fds[2], rc;

		if (pipe(fds) || write(fds[1], rows[i].text, strlen(rows[i].text)) < 0)
			return;
		close(fds[1]);
		rec.fp = fdopen(fds[0], "r");
		rc = td_perf_output.open(&rec, &err);
		ok(rc == rows[i].rc, "%s, from a pipe: %s", rows[i].name, err.msg);
		ok(!rc == (rec.perf != NULL), "%s: perf's or not", rows[i].name);
		td_recording_close(&rec);
	}
}

static void test_own(void)
{
	static const char own[] = "{\"tdstat\":1}\n";
	struct td_recording rec = { .path = "PIPE", .foreign = &td_perf_output };
	struct td_err err = { 0 };
	char back[sizeof(own)] = "";
	int fds[2];

	if (pipe(fds) || write(fds[1], own, sizeof(own) - 1) < 0)
		return;
	close(fds[1]);
	rec.fp = fdopen(fds[0], "r");
	ok(td_perf_output.open(&rec, &err) == 1, "a recording: left");
	is_str(fgets(back, sizeof(back), rec.fp), own, "and nothing of it is lost");
	td_recording_close(&rec);
}

int main(void)
{
	test_good();
	test_bad();
	test_names();
	test_files();
	test_scaled();
	test_open();
	test_own();
	return done_testing();
}
