// SPDX-License-Identifier: GPL-2.0-only
/* Tests of the command line, with perf stat's precedence of options. */
#include "cmd/opts/opts.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/commands.h"
#include "lib/base/util.h"
#include "tests/unit/test.h"

#define MAX_WORDS 32

/* clang-format off */
/* Words separated by blanks; want is all that differs from the defaults. */
static const struct {
	const char *words, *want;
} rows[] = {
	{ "", "wide" },
	{ "true -i -a", "command:true,-i,-a" },
	{ "-a true", "wide all-cpus command:true" },
	{ "-- report", "command:report" },
	{ "true report", "command:true,report" },
	{ "-I 10 -- report", "interval:10 command:report" },
	{ "-C 0 report f -- -x", "?report -C" },
	{ "stat -a", "wide all-cpus" },
	{ "stat file -a", "command:stat,file,-a" },
	{ "-- stat -a", "command:stat,-a" },

	/* targets */
	{ "-C 0-3,8", "wide cpus:0-3,8" },
	{ "-C 1 -C 0", "wide cpus:0" },
	{ "-C 65535", "wide cpus:65535" },
	{ "-p 7,3,7", "attaches pids:3,7" },
	{ "-t 7 -t 2147483646", "attaches tids:2147483646" },
	{ "-p 7 -a", "attaches pids:7 overridden:-a" },
	{ "-a -t 7", "attaches tids:7 overridden:-a" },
	{ "-p 7 -C 0", "attaches pids:7 overridden:-C" },
	{ "-a -C 0 -p 7", "attaches pids:7 overridden:-C" },
	{ "-p 7 --per-thread", "attaches pids:7 by:thread" },
	{ "-p 7 -a --per-thread", "attaches pids:7 overridden:-a by:thread" },
	{ "--per-thread", "by:thread" },
	{ "-a --per-thread", "all-cpus by:thread" },
	{ "--per-thread true", "by:thread command:true" },
	{ "-i true", "no-inherit command:true" },
	{ "--no-inherit -p 7", "attaches no-inherit pids:7" },

	/* cgroups */
	{ "-a -e a -G x", "wide all-cpus events:a cgroups:x" },
	{ "-a -e a -G x -e b -G y", "wide all-cpus events:a,b cgroups:x,y" },
	{ "-a -e a,b -G x, -e c --cgroup=y",
	  "wide all-cpus events:a,b,c cgroups:x,,y" },
	{ "-a -G x,y", "wide all-cpus cgroups:x,y cgroups-first" },
	{ "-C 0 --for-each-cgroup a,^b", "wide cpus:0 each-cgroup:a,^b" },
	{ "-G x", "wide cgroups:x cgroups-first" },

	/* aggregation */
	{ "-A", "wide by:cpu" },
	{ "--no-merge", "wide by:cpu" },
	{ "--per-core -C 0", "wide cpus:0 by:core" },
	{ "--per-cache", "wide by:cache" },
	{ "--per-cache=L2", "wide by:cache cache:2" },
	{ "--per-cache=l4", "wide by:cache cache:4" },
	{ "--per-cache=L1 --per-core", "wide by:core cache:1" },
	{ "--per-cache true", "?--per-cache -a" },
	{ "-a --per-cache true", "wide all-cpus by:cache command:true" },

	/* when */
	{ "-I 100", "wide interval:100" },
	{ "-I 100ms", "wide interval:100" },
	{ "-I 1s", "wide interval:1000" },
	{ "--interval-print=2m", "wide interval:120000" },
	{ "-D 100 true", "delay:100 command:true" },
	{ "-D 0.5s true", "delay:500 command:true" },
	{ "--timeout 1.25s", "wide timeout:1250" },
	{ "-D 0 true", "command:true" },
	{ "-D -1 --control fd:3 true", "delay:-1 control:fd:3 command:true" },
	{ "--delay=-1 --control=fifo:a,b true",
	  "delay:-1 control:fifo:a,b command:true" },
	{ "-r 3 true", "repeat:3 command:true" },
	{ "-r 0 true", "repeat:0 command:true" },
	{ "-r 1 true", "repeat:1 command:true" },
	{ "-r 2 --table true", "repeat:2 table command:true" },
	{ "--timeout 10", "wide timeout:10" },
	{ "-I 10 --summary --no-csv-summary --interval-clear",
	  "wide interval:10 summary no-csv-summary interval-clear" },
	{ "--pre a --post b -S true", "pre:a post:b sync command:true" },

	/* output */
	{ "-x ,", "wide csv:," },
	{ "-x \\t", "wide csv:\t" },
	{ "-j", "wide json" },
	{ "-B", "wide big-num" },
	{ "-B --no-big-num", "wide no-big-num" },
	{ "--no-big-num -B", "wide big-num" },
	{ "-o f --append", "wide output:f append" },
	{ "--log-fd 2 --append", "wide log-fd:2 append" },
	{ "--quiet --hybrid-merge", "wide quiet hybrid-merge" },

	/* record and report */
	{ "record -a", "record wide all-cpus" },
	{ "record -o f -a", "record wide all-cpus output:f" },
	{ "record -o f -i true", "record no-inherit output:f command:true" },
	{ "-o f record true", "record output:f command:true" },
	{ "report", "report wide" },
	{ "report -i f", "report wide input:f" },
	{ "report -if", "report wide input:f" },
	{ "report -Ai f", "report wide by:cpu input:f" },
	{ "report --input=f", "report wide input:f" },
	{ "report f", "report wide input:f" },
	{ "-i report f", "report wide input:f" },
	{ "-o record report f", "report wide output:record input:f" },
	{ "record -o f report", "record output:f command:report" },
	{ "record -o f -- list", "record output:f command:list" },
	{ "list --metrics-d x -vj a", "list wide json" },
	{ "report - -j", "report wide json input:-" },
	{ "-j report -i f", "report wide json input:f" },
	{ "-x , report -i f", "report wide csv:, input:f" },
	{ "report --total -i f", "report wide by:all input:f" },
	{ "report --per-socket -i f -x ;", "report wide csv:; by:socket input:f" },
	{ "report --per-thread -i f", "report by:thread input:f" },

	/* refused: "?", then words that the message must contain */
	{ "-p 7 -t 7", "?-p -t" },
	{ "--all-user --all-kernel", "?--all-user --all-kernel" },
	{ "-a -e a -G x --for-each-cgroup y", "?-G --for-each-cgroup" },
	{ "-G x -e a -a", "?-G -e" },
	{ "-e a -G x true", "?-G -a" },
	{ "--for-each-cgroup x true", "?--for-each-cgroup -a" },
	{ "-a --by-events -G x", "?--by-events --for-each-cgroup" },
	{ "-p 7 -e a -G x", "?-G -p exclude" },
	{ "-a --per-thread --for-each-cgroup x", "?--per-thread cgroup" },
	{ "--per-thread -C 0", "?--per-thread -C" },
	{ "--per-core true", "?--per-core -a" },
	{ "-A -p 7", "?-A -a" },
	{ "--per-node -t 7 -a", "?--per-node -a" },
	{ "--per-cache=L5", "?--per-cache=L5 L1" },
	{ "--per-cache=2", "?--per-cache=2 L1" },
	{ "--per-cache=L", "?--per-cache=L L1" },
	{ "--per-cache=", "?--per-cache= L1" },
	{ "-D -1 true", "?-D --control" },
	{ "-D -2 true", "?-D -2" },
	{ "-D 1x true", "?-D 1x 'x' ms, s or m" },
	{ "-D -1s true", "?-D -1s" },
	{ "-r -1 true", "?-r -1" },
	{ "-r 2 --metric-only true", "?-r --metric-only" },
	{ "-r 2 --per-thread true", "?-r --per-thread" },
	{ "--table true", "?--table -r" },
	{ "-r 1 --table true", "?--table -r" },
	{ "-p 7 --metric-only --per-thread", "?--metric-only --per-thread" },
	{ "--timeout 9 true", "?--timeout 9 10" },
	{ "--timeout 10 -I 10", "?--timeout -I" },
	{ "-I 0", "?-I 0" },
	{ "--interval-clear", "?--interval-clear -I" },
	{ "--interval-count 2", "?--interval-count -I" },
	{ "-x , -j", "?-x -j" },
	{ "-B -x ,", "?-B -x" },
	{ "-o f --log-fd 3", "?-o --log-fd" },
	{ "--append", "?--append -o --log-fd" },
	{ "--log-fd 0", "?--log-fd 0" },
	{ "-C 0-", "?-C 0- list" },
	{ "-C 65536", "?-C 65536 largest 65535" },
	{ "-C 9999999999", "?-C 9999999999 largest 65535" },
	{ "-C 1-0", "?-C 1-0 backwards" },
	{ "-p 99999999999999", "?-p 99999999999999 largest 2147483646" },
	{ "-p x", "?-p x list" },
	{ "-I 99999999999", "?-I 99999999999 1 2147483647" },
	{ "-D 99999999999 true", "?-D 99999999999 2147483647" },
	{ "--metrics-dir= -a", "?--metrics-dir empty" },
	{ "report --input=", "?-i empty" },
	{ "-t -1", "?-t -1" },
	{ "-o -", "?-o - without -o" },
	{ "record -o -", "?-o - recording file" },
	{ "record -o f -r 2 true", "?record -r" },
	{ "record -o f --append true", "?record --append" },
	{ "report -a -i f", "?report -a tdstat and tdstat record" },
	{ "-a report -i f", "?report -a tdstat and tdstat record" },
	{ "report -jvS -i f", "?report -S tdstat and tdstat record" },
	{ "report -r 2 -i f", "?report -r tdstat" },
	{ "report --no-inherit f", "?report --no-inherit tdstat and tdstat record" },
	{ "--total", "?tdstat --total report" },
	{ "--print cycles", "?tdstat --print list" },
	{ "-o f record --print", "?record --print list" },
	{ "record -o f --table true", "?record --table tdstat" },
	{ "--input=f", "?--input report" },
	{ "list -A", "?list -A tdstat, tdstat record and tdstat report" },
	{ "list --metrics a", "?list --metrics report" },
	{ "list --dry b", "?list --dry tdstat and tdstat record" },
	{ "list -x , a", "?list -x report" },
	{ "help list -j", "?help -j" },
	{ "help list report", "?help report" },
};

/* As in perf's opt_aggr_mode_to_aggr_mode(): the first of two wins. */
static const struct {
	const char *option;
	enum td_aggregation how;
} order[] = {
	{ "-A", TD_AGGREGATE_CPU },
	{ "--per-thread", TD_AGGREGATE_THREAD },
	{ "--per-core", TD_AGGREGATE_CORE },
	{ "--per-cache", TD_AGGREGATE_CACHE },
	{ "--per-cluster", TD_AGGREGATE_CLUSTER },
	{ "--per-die", TD_AGGREGATE_DIE },
	{ "--per-socket", TD_AGGREGATE_SOCKET },
	{ "--per-node", TD_AGGREGATE_NODE },
};
/* clang-format on */

/* Parses the words of text, which must live as long as the options. */
static int parse(struct td_opts *opts, char *text, char **argv, struct td_err *err)
{
	char *word, *rest = text;
	int argc = 0;

	argv[argc++] = (char[]){ "tdstat" };
	while ((word = strsep(&rest, " ")) && *word && argc < MAX_WORDS)
		argv[argc++] = word;
	argv[argc] = NULL;
	return td_opts_parse(opts, td_commands(), argc, argv, err);
}

static void put_ints(FILE *fp, const char *name, const struct td_ints *ints)
{
	td_autofree char *text = td_ints_format(ints);

	if (ints->nr)
		fprintf(fp, "%s:%s ", name, text);
}

static void put_target(FILE *fp, const struct td_opts *o)
{
	fprintf(fp, "%s%s%s%s", td_target_attaches(&o->request.target) ? "attaches " : "",
		td_request_is_wide(&o->request) ? "wide " : "",
		o->request.target.all_cpus ? "all-cpus " : "",
		o->request.target.no_inherit ? "no-inherit " : "");
	put_ints(fp, "cpus", &o->request.target.cpus);
	if (o->request.target.has_cpus != (o->request.target.cpus.nr > 0))
		fputs("has-cpus? ", fp);
	put_ints(fp, "pids", &o->request.target.pids);
	put_ints(fp, "tids", &o->request.target.tids);
	if (o->request.target.overridden)
		fprintf(fp, "overridden:%s ", o->request.target.overridden);
	for (size_t i = 0; i < o->request.nr_events; i++)
		fprintf(fp, "%s%s%s", i ? "," : "events:", o->request.events[i].list,
			i + 1 == o->request.nr_events ? " " : "");
	if (o->request.target.cgroups)
		fprintf(fp, "cgroups:%s ", o->request.target.cgroups);
	if (o->cgroups_first)
		fputs("cgroups-first ", fp);
	if (o->request.target.each_cgroup)
		fprintf(fp, "each-cgroup:%s ", o->request.target.each_cgroup);
}

static void put_int(FILE *fp, const char *name, int value)
{
	if (value)
		fprintf(fp, "%s:%d ", name, value);
}

static void put_text(FILE *fp, const char *name, const char *text)
{
	if (text)
		fprintf(fp, "%s:%s ", name, text);
}

static void put_when(FILE *fp, const struct td_opts *o)
{
	put_int(fp, "interval", o->request.when.interval_ms);
	put_int(fp, "delay", o->request.when.delay_ms);
	put_text(fp, "control", o->request.when.control);
	if (o->request.when.has_repeat || o->request.when.repeat != 1)
		fprintf(fp, "repeat:%d ", o->request.when.repeat);
	put_int(fp, "timeout", o->request.when.timeout_ms);
	put_text(fp, "pre", o->request.when.pre);
	put_text(fp, "post", o->request.when.post);
	fprintf(fp, "%s%s%s%s%s", o->request.when.sync ? "sync " : "",
		o->request.show.table ? "table " : "", o->request.show.summary ? "summary " : "",
		o->request.show.no_csv_summary ? "no-csv-summary " : "",
		o->request.show.interval_clear ? "interval-clear " : "");
}

static const char *const aggregations[] = {
	[TD_AGGREGATE_ALL] = "all",       [TD_AGGREGATE_CPU] = "cpu",
	[TD_AGGREGATE_CORE] = "core",     [TD_AGGREGATE_CLUSTER] = "cluster",
	[TD_AGGREGATE_CACHE] = "cache",   [TD_AGGREGATE_DIE] = "die",
	[TD_AGGREGATE_SOCKET] = "socket", [TD_AGGREGATE_NODE] = "node",
	[TD_AGGREGATE_THREAD] = "thread",
};

static void put_form(FILE *fp, const struct td_opts *o)
{
	if (o->request.show.format == TD_FORMAT_CSV)
		fprintf(fp, "csv:%s ", o->request.show.separator);
	fprintf(fp, "%s%s%s", o->request.show.format == TD_FORMAT_JSON ? "json " : "",
		o->request.show.asked_big_num ? "big-num " : "",
		o->request.show.no_big_num ? "no-big-num " : "");
	if (o->request.show.aggregations)
		put_text(fp, "by", aggregations[td_request_aggregation(&o->request)]);
	put_int(fp, "cache", o->request.show.cache_level);
	put_text(fp, "output", o->request.show.output);
	put_int(fp, "log-fd", o->request.show.log_fd);
	fprintf(fp, "%s%s%s", o->request.show.append ? "append " : "",
		o->request.show.quiet ? "quiet " : "",
		o->request.show.hybrid_merge ? "hybrid-merge " : "");
	put_text(fp, "input", o->request.input);
	for (size_t i = 0; o->request.target.command && o->request.target.command[i]; i++)
		fprintf(fp, "%s%s", i ? "," : "command:", o->request.target.command[i]);
}

static char *describe(const struct td_opts *o)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	if (o->chosen != o->commands[0])
		fprintf(fp, "%s ", o->chosen->name);
	put_target(fp, o);
	put_when(fp, o);
	put_form(fp, o);
	fclose(fp);
	if (size && text[size - 1] == ' ')
		text[size - 1] = '\0';
	return text;
}

/* Checks that the message has all words of want. */
static void check_refusal(size_t r, int rc, const struct td_err *err)
{
	td_autofree char *copy = strdup(rows[r].want + 1);
	char *rest = copy, *word;

	ok(rc == -EINVAL && err->code == -EINVAL && err->usage, "'%s': refused: %d", rows[r].words,
	   rc);
	while ((word = strsep(&rest, " ")))
		ok(strstr(err->msg, word), "'%s': %s in '%s'", rows[r].words, word, err->msg);
}

static void test_row(size_t r)
{
	td_autofree char *text = strdup(rows[r].words);
	char *argv[MAX_WORDS + 1];
	struct td_opts opts;
	struct td_err err = { 0 };
	int rc = parse(&opts, text, argv, &err);

	if (*rows[r].want == '?') {
		check_refusal(r, rc, &err);
		if (!rc)
			td_opts_free(&opts);
		return;
	}
	ok(rc == 0, "'%s': %s", rows[r].words, err.msg);
	if (!rc) {
		char *got = describe(&opts);

		is_str(got, rows[r].want, "'%s'", rows[r].words);
		free(got);
		td_opts_free(&opts);
	}
}

static void test_pair(size_t a, size_t b)
{
	size_t first = a < b ? a : b;
	td_autofree char *text = NULL;
	char *argv[MAX_WORDS + 1];
	struct td_opts opts;
	struct td_err err = { 0 };

	if (asprintf(&text, "%s %s", order[a].option, order[b].option) < 0)
		return;
	ok(parse(&opts, text, argv, &err) == 0 &&
		   td_request_aggregation(&opts.request) == order[first].how,
	   "%s and %s: %s", order[a].option, order[b].option, order[first].option);
	td_opts_free(&opts);
}

/* A level that the user typed is shown, however short the run is. */
static void test_level(const char *words, bool drill, bool by_default)
{
	td_autofree char *text = strdup(words);
	char *argv[MAX_WORDS + 1];
	struct td_opts opts;
	struct td_err err = { 0 };

	ok(parse(&opts, text, argv, &err) == 0 && opts.request.ask.drill == drill &&
		   opts.request.level_or_less == by_default,
	   "'%s': the default level", words);
	td_opts_free(&opts);
}

int main(void)
{
	test_level("true", true, true);
	test_level("-l auto true", true, false);
	test_level("-l 2 true", false, false);
	test_level("-M tma_retiring true", false, false);
	test_level("-j true", false, false);
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++)
		test_row(r);
	for (size_t a = 0; a < TD_ARRAY_SIZE(order); a++) {
		for (size_t b = 0; b < TD_ARRAY_SIZE(order); b++)
			test_pair(a, b);
	}
	return done_testing();
}
