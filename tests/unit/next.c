// SPDX-License-Identifier: GPL-2.0-only
/* The commands to type after a verdict, and its words. */
#include "cmd/view/next.h"

#include <stdlib.h>

#include "cmd/commands.h"
#include "cmd/output/advice.h"
#include "cmd/output/format.h"
#include "cmd/output/out.h"
#include "lib/base/util.h"
#include "tests/unit/levels.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

#define COLUMN(name_)            \
	{                        \
		name_, "%", true \
	}
#define FOUND(i, name_, v, e, s)                                                               \
	{                                                                                      \
		.node = &nodes[i], .name = name_, .value = (v), .error = (e), .slots_pct = (s) \
	}

enum {
	BACKEND,
	MEMORY,
	L3,
	CORE,
	NR
};

static const struct td_column columns[NR] = {
	COLUMN("tma_backend_bound"),
	COLUMN("tma_memory_bound"),
	COLUMN("tma_l3_bound"),
	COLUMN("tma_core_bound"),
};

static const struct td_node nodes[NR] = {
	{ .column = BACKEND, .level = 1 },
	{ .column = MEMORY, .level = 2, .parent = "tma_backend_bound" },
	{ .column = L3, .level = 3, .parent = "tma_memory_bound" },
	{ .column = CORE, .level = 2, .parent = "tma_backend_bound" },
};

#define BACKEND_60 FOUND(BACKEND, "tma_backend_bound", 60, 1, 60)
#define MEMORY_45  FOUND(MEMORY, "tma_memory_bound", 45, 0.5, 45)
#define L3_35      FOUND(L3, "tma_l3_bound", 35, 1.25, 39.4)
#define NEW_35     FOUND(L3, "tma_new_bound", 35, 1.25, 39.4)
#define CORE_15    FOUND(CORE, "tma_core_bound", 15, 2, 15)

static struct td_row rows_of[2] = { { .id = "all", .pmu = "cpu_core" },
				    { .id = "all", .pmu = "cpu_atom" } };

/* Facts of files with six levels, or of none. */
static void find_facts(void *ctx, const char *pmu, const char *metric,
		       struct td_metric_facts *facts)
{
	*facts = (struct td_metric_facts){ 0 };
	if (!ctx)
		return;
	ok(strcmp(pmu, "cpu_core") == 0, "asks of the row's PMU");
	facts->levels = 6;
	facts->has_group = strcmp(metric, "tma_l3_bound") != 0;
	if (strcmp(metric, "tma_memory_bound") == 0)
		return;
	strcpy(facts->events[0], "A.B");
	facts->nr_events = 1;
	if (strcmp(metric, "tma_l3_bound") == 0) {
		strcpy(facts->events[1], "C.D");
		facts->nr_events = 2;
	}
}

#define MAX_WORDS 16

/* NULL: no such command */
static const struct {
	const char *name;
	const char *words[MAX_WORDS];
	bool files;
	struct td_verdict verdict;
	const char *count, *where, *explain;
	unsigned int nr_sets; /* number of runs of --no-multiplex */
	long long runs;
	bool above;
	const char *when;
} rows[] = {
	{ "phases: when they were",
	  { "-l1", "-r3", "--all-user", "--", "./triad", "100 M" },
	  .verdict = { .path = { BACKEND_60 }, .nr_path = 1, .changed = true },
	  .when = "tdstat -I 100ms --all-user -- ./triad '100 M'",
	  .explain = "tdstat explain tma_backend_bound" },
	{ "phases: of the one run of all groups, no rows",
	  { "--no-multiplex", "true" },
	  .verdict = { .path = { BACKEND_60 }, .nr_path = 1, .changed = true },
	  .explain = "tdstat explain tma_backend_bound" },
	{ "level 2 is built in",
	  { "-l1", "--", "./triad", "100 M" },
	  .verdict = { .path = { BACKEND_60 },
		       .nr_path = 1,
		       .deeper = TD_DEEPER_LEVEL,
		       .level = 2 },
	  .count = "tdstat -l auto -- ./triad '100 M'",
	  .explain = "tdstat explain tma_backend_bound" },
	{ "level 3 is not",
	  { "-l2", "true" },
	  .verdict = { .path = { BACKEND_60 },
		       .nr_path = 1,
		       .deeper = TD_DEEPER_LEVEL,
		       .level = 3 },
	  .explain = "tdstat explain tma_backend_bound" },
	{ "files have level 3",
	  { "-l2", "true" },
	  .files = true,
	  .verdict = { .path = { BACKEND_60 },
		       .nr_path = 1,
		       .deeper = TD_DEEPER_LEVEL,
		       .level = 3 },
	  .count = "tdstat -l auto -- true",
	  .where = "tdstat locate tma_backend_bound -- true",
	  .explain = "tdstat explain tma_backend_bound" },
	{ "a group; its events are those of the node above",
	  { "-l2", "-a" },
	  .files = true,
	  .verdict = { .path = { BACKEND_60, MEMORY_45 },
		       .nr_path = 2,
		       .deeper = TD_DEEPER_GROUP,
		       .level = 3 },
	  .count = "tdstat -a -l 2 -M tma_memory_bound_group",
	  .where = "tdstat locate tma_backend_bound -a --timeout 10s",
	  .explain = "tdstat explain tma_memory_bound" },
	{ "the groups along the path: none of its nodes, nor what they are larger than, is lost",
	  { "-l3", "true" },
	  .files = true,
	  .verdict = { .path = { BACKEND_60, MEMORY_45, NEW_35 },
		       .nr_path = 3,
		       .deeper = TD_DEEPER_GROUP,
		       .level = 4 },
	  .count = "tdstat -l 2 -M tma_memory_bound_group,tma_new_bound_group -- true",
	  .where = "tdstat locate tma_new_bound -- true",
	  .explain = "tdstat explain tma_memory_bound",
	  .above = true },
	{ "no node can be named: why",
	  { "-l2", "true" },
	  .verdict = { .situation = TD_SITUATION_UNKNOWN },
	  .count = "tdstat -v -l 2 -- true" },
	{ "unless that was said",
	  { "-v", "true" },
	  .verdict = { .situation = TD_SITUATION_UNKNOWN } },
	{ "without files, a group is unknown",
	  { "-l2", "-a" },
	  .verdict = { .path = { BACKEND_60, MEMORY_45 },
		       .nr_path = 2,
		       .deeper = TD_DEEPER_GROUP,
		       .level = 3 },
	  .explain = "tdstat explain tma_memory_bound" },
	{ "a node without children; two events",
	  { "-l3", "-p", "17" },
	  .files = true,
	  .verdict = { .path = { BACKEND_60, MEMORY_45, L3_35 },
		       .nr_path = 3,
		       .deeper = TD_DEEPER_GROUP,
		       .level = 4 },
	  .where = "tdstat locate tma_l3_bound -p 17 --timeout 10s",
	  .explain = "tdstat explain tma_l3_bound" },
	{ "below it one is over its threshold, and the others are unlike",
	  { "-l2", "true" },
	  .files = true,
	  .verdict = { .path = { BACKEND_60 },
		       .nr_path = 1,
		       .over = { MEMORY_45 },
		       .deeper = TD_DEEPER_GROUP,
		       .level = 3 },
	  .count = "tdstat -l 2 -M tma_memory_bound_group -- true",
	  .where = "tdstat locate tma_backend_bound -- true",
	  .explain = "tdstat explain tma_memory_bound" },
	{ "nodes without a text, of newer files",
	  { "-l3", "-p", "17" },
	  .verdict = { .path = { BACKEND_60, MEMORY_45, NEW_35, NEW_35 }, .nr_path = 4 },
	  .explain = "tdstat explain tma_memory_bound",
	  .above = true },
	{ "and none above them",
	  { "-M", "tma_new_bound" },
	  .verdict = { .path = { NEW_35 }, .nr_path = 1 } },
	{ "a tie",
	  { "-l2", "true" },
	  .files = true,
	  .verdict = { .situation = TD_SITUATION_TIE,
		       .tied = { MEMORY_45, CORE_15 },
		       .deeper = TD_DEEPER_LEVEL,
		       .level = 3 },
	  .count = "tdstat -l auto -- true" },
	{ "-l auto has gone as deep as it can",
	  { "true" },
	  .files = true,
	  .verdict = { .situation = TD_SITUATION_TIE,
		       .tied = { MEMORY_45, CORE_15 },
		       .deeper = TD_DEEPER_LEVEL,
		       .level = 3 } },
	{ "several runs: as many again",
	  { "-r3", "-l1", "true" },
	  .verdict = { .path = { BACKEND_60 },
		       .nr_path = 1,
		       .deeper = TD_DEEPER_LEVEL,
		       .level = 2 },
	  .count = "tdstat -r 3 -l auto -- true",
	  .explain = "tdstat explain tma_backend_bound" },
	{ "several runs go down by themselves, as one does",
	  { "-r3", "true" },
	  .verdict = { .path = { BACKEND_60 },
		       .nr_path = 1,
		       .deeper = TD_DEEPER_LEVEL,
		       .level = 2 },
	  .explain = "tdstat explain tma_backend_bound" },
	{ "a group, of several runs",
	  { "-r3", "-l2", "true" },
	  .files = true,
	  .verdict = { .path = { BACKEND_60, MEMORY_45 },
		       .nr_path = 2,
		       .deeper = TD_DEEPER_GROUP,
		       .level = 3 },
	  .count = "tdstat -r 3 -l 2 -M tma_memory_bound_group -- true",
	  .where = "tdstat locate tma_backend_bound -- true",
	  .explain = "tdstat explain tma_memory_bound" },
	{ "without turns there is no -l auto",
	  { "--no-multiplex", "-r2", "true" },
	  .files = true,
	  .verdict = { .situation = TD_SITUATION_TIE,
		       .tied = { MEMORY_45, CORE_15 },
		       .deeper = TD_DEEPER_LEVEL,
		       .level = 3 },
	  .count = "tdstat -r 2 --no-multiplex -l 3 -- true" },
	{ "who is counted, where and when; but not how it was shown",
	  { "-C0-3", "--cputype", "core", "--all-kernel", "-D9", "-S", "-jl1", "--verdict",
	    "--hybrid-merge", "--log-fd=7", "-v", "--all", "true" },
	  .verdict = { .situation = TD_SITUATION_TIE,
		       .tied = { MEMORY_45, CORE_15 },
		       .deeper = TD_DEEPER_LEVEL,
		       .level = 2 },
	  .count = "tdstat -C 0-3 --cputype=core --all-kernel -D 9 -S -l auto -- true" },
	{ "tasks, and what they do in user space",
	  { "-p", "17", "-i", "--all-user", "-I100", "--summary", "-x,", "-ofile", "-D9",
	    "--metrics-dir", "d" },
	  .verdict = { .situation = TD_SITUATION_TIE,
		       .tied = { MEMORY_45, CORE_15 },
		       .deeper = TD_DEEPER_LEVEL,
		       .level = 2 },
	  .count = "tdstat -p 17 -i --all-user -D 9 --metrics-dir=d -l auto" },
	{ "too short: ten times as many runs, of the same nodes",
	  { "-l3", "--all-user", "--", "./triad", "100 M" },
	  .files = true,
	  .verdict = { .situation = TD_SITUATION_SHORT },
	  .count = "tdstat --all-user -r 10 -l 3 -- ./triad '100 M'" },
	{ "too short below: of the nodes there; of how many runs there were",
	  { "-r3", "true" },
	  .files = true,
	  .verdict = { .path = { BACKEND_60, MEMORY_45 },
		       .nr_path = 2,
		       .short_below = true,
		       .deeper = TD_DEEPER_GROUP,
		       .level = 3 },
	  .count = "tdstat -r 30 -- true",
	  .where = "tdstat locate tma_backend_bound -- true",
	  .explain = "tdstat explain tma_memory_bound" },
	{ "too short, and no command: for longer",
	  { "-a", "--timeout", "100ms" },
	  .verdict = { .situation = TD_SITUATION_SHORT },
	  .count = "tdstat -a --timeout 10s" },
	{ "ten times as long as it was",
	  { "-p", "17", "--timeout=3s", "-l2" },
	  .verdict = { .situation = TD_SITUATION_SHORT },
	  .count = "tdstat -p 17 --timeout 30s -l 2" },
	{ "no longer if it waits, or if others have the counters",
	  { "sleep", "1" },
	  .verdict = { .situation = TD_SITUATION_SHORT, .waits = true } },
	{ "nor where, as it is not the slots that took the time",
	  { "sleep", "1" },
	  .files = true,
	  .verdict = { .path = { BACKEND_60 },
		       .nr_path = 1,
		       .waits = true,
		       .short_below = true,
		       .deeper = TD_DEEPER_LEVEL,
		       .level = 2 },
	  .explain = "tdstat explain tma_backend_bound" },
	{ "more runs, each of as many as it takes without turns",
	  { "--no-multiplex", "-l3", "true" },
	  .verdict = { .situation = TD_SITUATION_SHORT },
	  .count = "tdstat -r 10 --no-multiplex -l 3 -- true",
	  .nr_sets = 7,
	  .runs = 70 },
	{ "of which it is not known how many are needed deeper down",
	  { "--no-multiplex", "-l1", "true" },
	  .files = true,
	  .verdict = { .path = { BACKEND_60 },
		       .nr_path = 1,
		       .deeper = TD_DEEPER_LEVEL,
		       .level = 2 },
	  .count = "tdstat --no-multiplex -l 2 -- true",
	  .nr_sets = 2,
	  .where = "tdstat locate tma_backend_bound -- true",
	  .explain = "tdstat explain tma_backend_bound" },
	{ "held", { "true" }, .verdict = { .situation = TD_SITUATION_SHORT, .held = true } },
	{ "nothing", { "true" }, .files = true, .verdict = { .situation = TD_SITUATION_NOTHING } },
	{ "cgroups cannot be sampled",
	  { "-a", "--for-each-cgroup", "x" },
	  .files = true,
	  .verdict = { .path = { BACKEND_60 },
		       .nr_path = 1,
		       .deeper = TD_DEEPER_LEVEL,
		       .level = 2 },
	  .count = "tdstat -a --for-each-cgroup=x -l auto",
	  .explain = "tdstat explain tma_backend_bound" },
};

static void is_line(const char *got, const char *want, const char *row, const char *what)
{
	is_str(got ? got : "", want ? want : "", "%s: %s", row, what);
}

static void test_row(const struct td_source *like, size_t r)
{
	struct td_source source = *like;
	char *owned[MAX_WORDS], *argv[MAX_WORDS + 2] = { (char[]){ "tdstat" } };
	struct td_verdict verdict = rows[r].verdict;
	struct td_opts opts = { 0 };
	struct td_err err = { 0 };
	struct td_advice next = { .verdict = &verdict };
	struct td_plan plan = { 0 };
	int argc = 1;

	for (; rows[r].words[argc - 1]; argc++)
		argv[argc] = owned[argc - 1] = strdup(rows[r].words[argc - 1]);
	ok(td_opts_parse(&opts, td_commands(), argc, argv, &err) == 0, "%s: it can be typed: %s",
	   rows[r].name, err.msg);
	verdict.row = &rows_of[0];
	plan.nr_sets = rows[r].nr_sets;
	source.plan = &plan;
	source.facts_ctx = rows[r].files ? &source : NULL;
	td_next_make(&next, &source, &opts.request);
	is_line(next.next, rows[r].count, rows[r].name, "what next");
	ok(next.next_runs == rows[r].runs, "%s: %lld runs", rows[r].name, next.next_runs);
	is_line(next.when, rows[r].when, rows[r].name, "when");
	is_line(next.where, rows[r].where, rows[r].name, "where");
	is_line(next.explain, rows[r].explain, rows[r].name, "explain");
	ok(next.above == rows[r].above, "%s: of a node above", rows[r].name);
	td_next_free(&next);
	td_opts_free(&opts);
	for (int i = 0; i < argc - 1; i++)
		free(owned[i]);
}

/* For a recording, only nodes that can be counted again are named. */
static void test_report(const struct td_source *like)
{
	const struct {
		struct td_target_name target;
		const char *count;
	} reports[] = {
		{ { TD_TARGET_COMMAND, (char[]){ "./triad 100M" } },
		  "tdstat -l auto -- ./triad 100M" },
		{ { TD_TARGET_COMMAND, (char[]){ "sh -c a;b" } }, NULL },
		{ { TD_TARGET_SYSTEM, NULL }, "tdstat -l auto -a" },
		{ { TD_TARGET_CPUS, (char[]){ "0-3" } }, "tdstat -l auto -C 0-3" },
		{ { TD_TARGET_PROCESSES, (char[]){ "17" } }, NULL },
		{ { TD_TARGET_FILE, (char[]){ "x.csv" } }, NULL },
	};
	const struct td_verdict verdict = {
		.row = &rows_of[0],
		.path = { BACKEND_60 },
		.nr_path = 1,
		.deeper = TD_DEEPER_LEVEL,
		.level = 2,
	};
	struct td_request request = { .does.replays = true };
	struct td_source source = *like;

	for (size_t i = 0; i < TD_ARRAY_SIZE(reports); i++) {
		struct td_advice next = { .verdict = &verdict };

		source.target = &reports[i].target;
		td_next_make(&next, &source, &request);
		is_line(next.next, reports[i].count, "report",
			reports[i].target.text ? reports[i].target.text : "all");
		td_next_free(&next);
	}
}

/* --- its words ------------------------------------------------------------ */

#define COMMANDS                                                                   \
	.next = (char[]){ "tdstat -l 9" }, .where = (char[]){ "tdstat locate x" }, \
	.explain = (char[])                                                        \
	{                                                                          \
		"tdstat explain x"                                                 \
	}

static const struct {
	const char *name;
	struct td_verdict verdict;
	size_t nr_rows;
	const char *next; /* NULL: no commands */
	const char *want;
	bool above;
} texts[] = {
	{ "a path, in slots and cycles",
	  { .situation = TD_SITUATION_CLEAR,
	    .row = &rows_of[0],
	    .path = { BACKEND_60, MEMORY_45, L3_35 },
	    .nr_path = 3,
	    .runner_up = CORE_15 },
	  2,
	  "tdstat -l 9",
	  " Biggest loss: tma_l3_bound (backend > memory > l3), 35.0 \u00b11.3 % of the cycles, "
	  "about 39 % of the slots of cpu_core\n"
	  " Runner-up to tma_memory_bound, 45.0 \u00b10.5 %: tma_core_bound, 15.0 \u00b12.0 %\n"
	  " What next:  tdstat -l 9\n"
	  " Where:      tdstat locate x\n"
	  " Explain:    tdstat explain x\n\n" },
	{ "what is above it",
	  { .situation = TD_SITUATION_CLEAR,
	    .row = &rows_of[0],
	    .path = { BACKEND_60 },
	    .nr_path = 1 },
	  1,
	  "tdstat -l 9",
	  " Biggest loss: tma_backend_bound, 60.0 \u00b11.0 % of the slots\n"
	  " What next:  tdstat -l 9\n"
	  " Where:      tdstat locate x\n"
	  " Explain (parent): tdstat explain x\n\n",
	  .above = true },
	{ "no single cause below; one PMU",
	  { .situation = TD_SITUATION_CLEAR,
	    .row = &rows_of[0],
	    .path = { BACKEND_60 },
	    .nr_path = 1,
	    .runner_up = CORE_15,
	    .tied = { MEMORY_45, CORE_15 } },
	  1,
	  NULL,
	  " Biggest loss: tma_backend_bound, 60.0 \u00b11.0 % of the slots\n"
	  " Below it, several causes: tma_memory_bound, 45.0 \u00b10.5 %; tma_core_bound, 15.0 "
	  "\u00b12.0 %\n\n" },
	{ "retiring",
	  { .situation = TD_SITUATION_RETIRING,
	    .row = &rows_of[0],
	    .path = { BACKEND_60 },
	    .nr_path = 1,
	    .runner_up = CORE_15 },
	  1,
	  NULL,
	  " Most slots did work: tma_backend_bound, 60.0 \u00b11.0 % of the slots\n"
	  " Biggest loss: tma_core_bound, 15.0 \u00b12.0 %\n\n" },
	{ "retiring, and no loss",
	  { .situation = TD_SITUATION_RETIRING,
	    .row = &rows_of[0],
	    .path = { BACKEND_60 },
	    .nr_path = 1,
	    .no_loss = true },
	  1,
	  NULL,
	  " Most slots did work: tma_backend_bound, 60.0 \u00b11.0 % of the slots\n"
	  " Biggest loss: no node is above its threshold\n\n" },
	{ "retiring, and two losses",
	  { .situation = TD_SITUATION_RETIRING,
	    .row = &rows_of[0],
	    .path = { BACKEND_60 },
	    .nr_path = 1,
	    .tied = { MEMORY_45, CORE_15 } },
	  1,
	  NULL,
	  " Most slots did work: tma_backend_bound, 60.0 \u00b11.0 % of the slots\n"
	  " Biggest losses: tma_memory_bound, 45.0 \u00b10.5 %; tma_core_bound, 15.0 \u00b12.0 "
	  "%\n\n" },
	{ "a tie",
	  { .situation = TD_SITUATION_TIE, .row = &rows_of[0], .tied = { MEMORY_45, CORE_15 } },
	  1,
	  NULL,
	  " Several causes: tma_memory_bound, 45.0 \u00b10.5 %; tma_core_bound, 15.0 \u00b12.0 "
	  "%\n\n" },
	{ "near its threshold",
	  { .situation = TD_SITUATION_NEAR, .row = &rows_of[0], .runner_up = CORE_15 },
	  1,
	  NULL,
	  " Above its threshold, but by less than its error: tma_core_bound, 15.0 \u00b12.0 %\n\n" },
	{ "too short below",
	  { .situation = TD_SITUATION_CLEAR,
	    .row = &rows_of[0],
	    .path = { BACKEND_60 },
	    .nr_path = 1,
	    .runner_up = CORE_15,
	    .short_below = true },
	  1,
	  NULL,
	  " Biggest loss: tma_backend_bound, 60.0 \u00b11.0 % of the slots\n"
	  " Too short to go deeper; measure more runs or longer\n\n" },
	{ "too short",
	  { .situation = TD_SITUATION_SHORT, .row = &rows_of[0] },
	  1,
	  NULL,
	  " Too short to rank these nodes; measure more runs or longer\n\n" },
	{ "what is missing",
	  { .situation = TD_SITUATION_UNKNOWN, .row = &rows_of[0] },
	  1,
	  NULL,
	  " Cannot rank these nodes: not all of them (or their errors) were measured\n\n" },
	{ "idle",
	  { .situation = TD_SITUATION_IDLE, .row = &rows_of[0], .busy_pct = 1.04 },
	  1,
	  NULL,
	  " Mostly idle: cpu_core was busy 1.0 % of the time\n\n" },
	{ "nothing",
	  { .situation = TD_SITUATION_NOTHING, .row = &rows_of[0] },
	  1,
	  NULL,
	  " No node is above its threshold\n\n" },
	{ "not counted", { .situation = TD_SITUATION_NOT_COUNTED }, 1, NULL, "" },
};

/* The lines of two other core types, below that of the first. */
static void test_others(void)
{
	const struct td_report report = {
		.columns = columns,
		.nr_columns = NR,
		.rows = rows_of,
		.nr_rows = 2,
	};
	const struct td_verdict first = {
		.situation = TD_SITUATION_NOTHING,
		.row = &rows_of[0],
	};
	const struct td_verdict others[] = {
		{ .situation = TD_SITUATION_CLEAR,
		  .row = &rows_of[1],
		  .path = { BACKEND_60, MEMORY_45 },
		  .nr_path = 2 },
		{ .situation = TD_SITUATION_IDLE, .row = &rows_of[1], .busy_pct = 1.04 },
	};
	const struct td_advice advice = { .verdict = &first, .others = others, .nr_others = 2 };
	const struct td_frame frame = { 0 };
	td_autofree char *text = NULL;
	size_t size;
	struct td_writer writer = {
		.out = td_out_find(TD_FORMAT_TEXT),
		.fp = open_memstream(&text, &size),
		.frame = &frame,
	};

	writer.out->verdict(&writer, &report, &advice);
	fclose(writer.fp);
	is_str(text,
	       " No node is above its threshold\n"
	       " On cpu_atom: biggest loss: tma_memory_bound (backend > memory), 45.0 \u00b10.5 "
	       "% of the slots\n"
	       " On cpu_atom: mostly idle: busy 1.0 % of the time\n\n",
	       "other kinds of core");
}

static char *write_verdict(enum td_format_kind format, size_t i)
{
	const struct td_report report = {
		.time_ns = 1500000000,
		.columns = columns,
		.nr_columns = NR,
		.rows = rows_of,
		.nr_rows = texts[i].nr_rows,
	};
	const struct td_advice without = { .verdict = &texts[i].verdict };
	const struct td_advice with = { .verdict = &texts[i].verdict,
					.above = texts[i].above,
					COMMANDS };
	const struct td_frame frame = { 0 };
	char *text = NULL;
	size_t size;
	struct td_writer writer = {
		.out = td_out_find(format),
		.fp = open_memstream(&text, &size),
		.frame = &frame,
	};

	writer.out->verdict(&writer, &report, texts[i].next ? &with : &without);
	fclose(writer.fp);
	return text;
}

static void test_words(void)
{
	td_autofree char *json = write_verdict(TD_FORMAT_JSON, 0);

	for (size_t i = 0; i < TD_ARRAY_SIZE(texts); i++) {
		td_autofree char *text = write_verdict(TD_FORMAT_TEXT, i);

		is_str(text, texts[i].want, "%s", texts[i].name);
	}
	is_str(json,
	       "{\"verdict\":{\"time\":1.500000000,\"pmu\":\"cpu_core\",\"confidence\":\"clear\",\"node\":\"tma_l3_bound\",\"path\":[\"tma_backend_bound\",\"tma_memory_bound\",\"tma_l3_bound\"],\"value\":35.0,\"low\":33.75,\"high\":36.25,\"slots\":39.4,\"runner_up\":\"tma_core_bound\",\"tied\":[],\"over\":[],\"steady\":null,\"mostly\":null,\"mostly_time\":null,\"then\":null,\"waits\":false,\"held\":false,\"busy\":0.0,\"others\":[],\"next\":[\"tdstat -l 9\",\"tdstat locate x\",\"tdstat explain x\"]}}\n",
	       "as JSON");
	ok(!td_out_find(TD_FORMAT_CSV)->verdict, "CSV has none");
}

int main(void)
{
	struct td_machine machine;
	struct td_plan plan = { 0 };
	struct td_tree tree;
	struct td_err err = { 0 };
	struct td_source source = {
		.machine = &machine,
		.tree = &tree,
		.find_facts = find_facts,
	};

	test_machine(&machine, "lnl");
	test_build_levels(&tree, &plan, &machine, 2, false, &err);
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(&source, r);
	test_report(&source);
	test_words();
	test_others();
	td_tree_free(&tree);
	td_plan_free(&plan);
	td_machine_free(&machine);
	return done_testing();
}
