// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/opts/table.h"

/* clang-format off */
const struct argp_option td_options[] = {
	{ NULL, 0, NULL, 0, "What to count:", 1 },
	{ "all-cpus", 'a', NULL, 0,
	  "the whole machine (implied when nothing else is named)", 0 },
	{ "cpu", 'C', "LIST", 0, "whole CPUs: 0-3,8", 0 },
	{ "pid", 'p', "LIST", 0,
	  "running processes, with their threads and children", 0 },
	{ "tid", 't', "LIST", 0, "running threads, and what they start", 0 },
	{ "no-inherit", 'i', NULL, 0,
	  "not what they start; of report: see --input", 0 },
	{ "cgroup", 'G', "LIST", 0,
	  "cgroups, one for each event before it; one alone: for all", 0 },
	{ "for-each-cgroup", OPT_FOR_EACH_CGROUP, "LIST", 0,
	  "everything for each cgroup: names, or regular expressions", 0 },
	{ "cputype", OPT_CPUTYPE, "TYPE", 0,
	  "one kind of core: core, atom, lowpower, or a PMU's name", 0 },
	{ "all-user", OPT_ALL_USER, NULL, 0, "user space alone", 0 },
	{ "all-kernel", OPT_ALL_KERNEL, NULL, 0, "the kernel alone", 0 },
	{ "level", 'l', "N", 0, "the tree down to level N (default 1)", 0 },
	{ "td-level", OPT_TD_LEVEL, "N", 0, "level N of the tree alone", 0 },
	{ "topdown", OPT_TOPDOWN, NULL, 0, "accepted: it is the default", 0 },

	{ "metrics", 'M', "LIST", 0,
	  "metrics and groups of them: names, tma_*, NAME:u", 0 },
	{ "metrics-dir", OPT_METRICS_DIR, "DIR", 0,
	  "other event and metric files than the program's", 0 },
	{ "metric-no-group", OPT_METRIC_NO_GROUP, NULL, 0,
	  "count each event by itself", 0 },
	{ "metric-no-merge", OPT_METRIC_NO_MERGE, NULL, 0,
	  "count each metric's events for it alone", 0 },
	{ "metric-no-threshold", OPT_METRIC_NO_THRESHOLD, NULL, 0,
	  "no thresholds, and no events for them", 0 },
	{ "metric-only", OPT_METRIC_ONLY, NULL, 0,
	  "of -e: not the counts, but what they come to", 0 },
	{ "event", 'e', "LIST", 0,
	  "events instead of the tree, as perf stat -e takes them", 0 },
	{ "filter", OPT_FILTER, "FILTER", 0,
	  "for the tracepoints of the -e before it", 0 },
	{ "detailed", 'd', NULL, 0,
	  "perf stat's default events; -dd, -ddd: caches too", 0 },
	{ "null", 'n', NULL, 0, "count nothing: the time alone", 0 },
	{ "scale", OPT_SCALE, NULL, 0, "accepted: it is the default", 0 },
	{ "no-scale", OPT_NO_SCALE, NULL, 0,
	  "events as counted, not scaled up to the whole time", 0 },

	{ NULL, 0, NULL, 0, "When:", 2 },
	{ "interval-print", 'I', "TIME", 0,
	  "a row each TIME: 500 or 500ms, 1.5s, 2m", 0 },
	{ "interval-count", OPT_INTERVAL_COUNT, "N", 0,
	  "stop printing after N rows", 0 },
	{ "timeout", OPT_TIMEOUT, "TIME", 0,
	  "stop after TIME, and end the command", 0 },
	{ "delay", 'D', "TIME", 0,
	  "begin to count TIME after the command; -1: when --control says "
	  "so", 0 },
	{ "control", OPT_CONTROL, "fd:CTL[,ACK]|fifo:CTL[,ACK]", 0,
	  "take commands: enable, disable, evlist, ping, stop", 0 },
	{ "repeat", 'r', "N", 0,
	  "run the command N times, and show means; 0: for ever", 0 },
	{ "pre", OPT_PRE, "COMMAND", 0, "a shell's, before each run", 0 },
	{ "post", OPT_POST, "COMMAND", 0, "a shell's, after each run", 0 },
	{ "sync", 'S', NULL, 0, "sync() before each run", 0 },

	{ NULL, 0, NULL, 0, "How to show it:", 3 },
	{ "all", OPT_ALL, NULL, 0,
	  "from level 3 on also what is below its threshold", 0 },
	{ "no-merge", OPT_NO_MERGE, NULL, 0,
	  "the same as -A; accepted for tasks, too", 0 },
	{ "hybrid-merge", OPT_HYBRID_MERGE, NULL, 0,
	  "one row for all kinds of core; metrics are weighted by slots", 0 },
	{ "summary", OPT_SUMMARY, NULL, 0, "behind the rows of -I, all", 0 },
	{ "no-csv-summary", OPT_NO_CSV_SUMMARY, NULL, 0,
	  "without the word \"summary\" in its CSV lines of events", 0 },
	{ "table", OPT_TABLE, NULL, 0, "the time of each run of -r", 0 },
	{ "interval-clear", OPT_INTERVAL_CLEAR, NULL, 0,
	  "clear the terminal before each row", 0 },
	{ "big-num", 'B', NULL, 0, "accepted: thousands are set apart", 0 },
	{ "no-big-num", OPT_NO_BIG_NUM, NULL, 0,
	  "do not set thousands apart", 0 },
	{ "output", 'o', "FILE", 0,
	  "write to FILE; of record, the recording", 0 },
	{ "append", OPT_APPEND, NULL, 0, "append to the file of -o", 0 },
	{ "log-fd", OPT_LOG_FD, "FD", 0, "write to an open descriptor", 0 },
	{ "quiet", OPT_QUIET, NULL, 0,
	  "show nothing: neither results nor notes", 0 },
	{ "input", OPT_INPUT, "FILE", 0,
	  "report: the recording to show, also -i FILE", 0 },
	{ "print", OPT_PRINT, NULL, 0,
	  "list: how the events are encoded, for any perf", 0 },
	{ "verbose", 'v', NULL, 0,
	  "say more: machine, groups; -vv: what is opened", 0 },
	{ NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0 },
	{ "dry-run", OPT_DRY_RUN, NULL, 0,
	  "show what would be opened, and open nothing", 0 },
	{ 0 },
};
/* clang-format on */

const struct argp_option td_option_input = { NULL,          'i',  "FILE",
					     OPTION_HIDDEN, NULL, 0 };

size_t td_options_size(void)
{
	return sizeof(td_options);
}

const char td_options_args[] = "[--] [COMMAND [ARG...]]\n"
			       "record -o FILE [OPTION...] [COMMAND [ARG...]]\n"
			       "report -i FILE [OPTION...]\n"
			       "list [-j] [PATTERN...]\n"
			       "list --print EVENT...";

const char td_options_doc[] =
	"Says where the pipeline slots of the processor go: top-down analysis "
	"of a command, of processes, or of the machine.\v"
	"Exit status: the command's own, 128+N if signal N ended it, 127 if "
	"it was not found, 126 if it could not be run; 64 for a wrong "
	"option, 1 for any other failure.";
