// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with regions (tests/machine/regions.c) whose threads count software
 * events, which any machine has: threads, processes and ends of all kinds.
 */
#include <errno.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/regions/region_sums.h"
#include "tests/unit/test.h"

enum {
	TASK_CLOCK,
	PAGE_FAULTS,
	NR
};

static const struct td_region_value values[NR] = { { 0, 0, 0, false }, { 1, 0, 0, false } };
static char folder[] = "/tmp/tdstat-unit-XXXXXX";
static char prefix[64];
static char programs[PATH_MAX];
static struct td_region_files files;

/* Find the programs, which are in the directory of build/tests/unit/region_program. */
static void find_programs(const char *self)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", self);
	snprintf(programs, sizeof(programs), "%s/../machine", dirname(copy));
}

/* Calls by how long they took, too. */
static bool buckets;

static void write_spec(void)
{
	FILE *fp = fopen(prefix, "w");

	if (!fp)
		exit(1);
	fprintf(fp, "tdstat regions 1\n%s", buckets ? "calls\n" : "");
	fputs("group software 0-8191\n"
	      "event c 1 1 0 0 - task-clock\n"
	      "event c 1 2 0 0 - page-faults\n",
	      fp);
	fclose(fp);
}

/* Limits on the program's descriptors; 0: unchanged. */
static rlim_t soft_limit, hard_limit;

static void limit_descriptors(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	if (soft_limit)
		limit.rlim_cur = soft_limit;
	if (hard_limit)
		limit.rlim_max = hard_limit;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Returns the status as the shell has it. */
static int run_program(const char *name, const char *what, const char *calls, const char *threads)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		limit_descriptors();
		if (chdir(programs) == 0)
			execl(name, name, what, calls, "50", threads, NULL);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void remove_files(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -f %s.*", prefix);
	if (system(command))
		exit(1);
}

static uint64_t calls_in_buckets(int timed)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < files.regions.nr; i++)
		sum += files.regions.v[i].timed == timed && !files.regions.v[i].slow
			       ? files.regions.v[i].calls.counted
			       : 0;
	return sum;
}

/* Each call that is not within another one of the same region is in one of them. */
static bool are_in_buckets(void)
{
	for (size_t i = 0; i < files.regions.nr_timed; i++) {
		const struct td_timed *timed = &files.regions.timed[i];
		const struct td_region *region =
			td_regions_find(&files.regions, timed->name, false);
		uint64_t whole = region->calls.counted - region->calls.recursive;

		if (calls_in_buckets(1 + (int)i) != whole || timed->durations.nr != whole ||
		    timed->nr_slowest > (whole < TD_SLOWEST ? whole : TD_SLOWEST))
			return false;
	}
	return buckets == (files.regions.nr_timed > 0) || !files.regions.nr;
}

static void read_files(const char *what)
{
	struct td_err err = { 0 };

	files = (struct td_region_files){ .values = values, .nr_values = NR };
	ok(td_region_files_read(&files, prefix, &err) == 0, "%s: read: %s", what, err.msg);
	ok(are_in_buckets(), "%s: calls %s", what,
	   buckets ? "are in buckets" : "are in no buckets");
}

static void run(const char *what, const char *calls, const char *threads, int status)
{
	int got;

	td_region_files_free(&files);
	remove_files();
	got = run_program("regions", what, calls, threads);
	ok(got == status, "%s: status %d", what, got);
	read_files(what);
}

/* False: this user may not, or the kernel cannot. */
static bool run_other(const char *name, const char *what)
{
	int got;

	td_region_files_free(&files);
	remove_files();
	got = run_program(name, what, NULL, NULL);
	if (got == 77) {
		printf("# skip %s\n", what);
		return false;
	}
	ok(got == 0, "%s: status %d", what, got);
	read_files(what);
	return true;
}

/* Return -1 if there is no such region. */
static long long calls_of(const char *name)
{
	const struct td_region *region = td_regions_find(&files.regions, name, false);

	return region ? (long long)region->calls.counted : -1;
}

#define has_calls(name, want)                                       \
	do {                                                        \
		long long got_ = calls_of(name);                    \
		ok(got_ == (want), "%lld calls of %s", got_, name); \
	} while (0)

static uint64_t clock_of(const char *name, bool own)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < files.counts.readings.nr; i++) {
		const struct td_reading *r = &files.counts.readings.v[i];
		const struct td_region *region = &files.regions.v[r->region - 1];

		if (r->event == TASK_CLOCK && region->own == own && strcmp(region->name, name) == 0)
			sum += r->value;
	}
	return sum;
}

static void check_threads(void)
{
	const struct td_region *dram;

	run("threads", "64", "8", 0);
	has_calls("outer", 8);
	has_calls("dram", 512);
	has_calls("icache", 512);
	dram = td_regions_find(&files.regions, "dram", false);
	ok(dram && dram->calls.threads == 8, "of eight threads");
	/* a call works for 50 us, unless another program takes its CPU */
	ok(clock_of("dram", false) > 512 * 1000 &&
		   clock_of("dram", false) <= clock_of("outer", false),
	   "%llu ns of dram, %llu of outer", (unsigned long long)clock_of("dram", false),
	   (unsigned long long)clock_of("outer", false));
	ok(clock_of("outer", true) < clock_of("outer", false), "and less of outer alone");
}

/* Return the stated cost of counting a call, in ns. */
static double cost_of_a_call(void)
{
	struct td_region_head head = { .nr_values = 0 };
	char pattern[80];
	glob_t found;
	FILE *fp = NULL;

	snprintf(pattern, sizeof(pattern), "%s.*", prefix);
	if (!glob(pattern, 0, NULL, &found)) {
		fp = fopen(found.gl_pathv[0], "re");
		globfree(&found);
	}
	ok(fp && fread(&head, sizeof(head), 1, fp) == 1, "the file's head");
	if (fp)
		fclose(fp);
	return (double)head.cost_ns[0][0];
}

/* A call works for 50 us by the same clock, and what counting takes is subtracted. */
static void check_durations(void)
{
	const struct td_timed *dram;
	bool long_enough = true;
	double least;

	run("calls", "200", "1", 0);
	least = 49999 - cost_of_a_call();
	dram = td_regions_find_timed(&files.regions, "dram");
	for (size_t i = 0; dram && i < files.regions.nr; i++) {
		const struct td_region *of = &files.regions.v[i];

		if (of->timed == 1 + (int)(dram - files.regions.timed))
			long_enough &= (double)td_region_bucket_ns(of->bucket + 1) > least;
	}
	ok(dram && long_enough &&
		   td_durations_quantile(&dram->durations, 0.5) > least * (1 - 1. / 16),
	   "the calls of dram took 50 us, in the middle %.0f ns",
	   dram ? td_durations_quantile(&dram->durations, 0.5) : NAN);
	ok(dram && dram->nr_slowest == TD_SLOWEST &&
		   dram->slowest[0].time_ns >= dram->slowest[9].time_ns &&
		   (double)dram->slowest[9].time_ns > least && dram->slowest[0].tid > 0,
	   "and the slowest ones");
}

static void check_ends(void)
{
	run("calls", "32", "1", 0);
	has_calls("outer", 1);
	has_calls("dram", 32);
	run("exit", "32", "1", 7);
	has_calls("dram", 32);
	has_calls("never", 0);
	ok(td_regions_find(&files.regions, "never", false)->calls.open == 1, "one had not ended");
	run("kill", "32", "1", 137);
	has_calls("icache", 32);
	has_calls("outer", 1);
	run("close", "32", "1", 0);
	has_calls("dram", 32);
	ok(td_regions_find(&files.regions, "dram", false)->calls.lost == 32,
	   "without their descriptors, calls are lost");
	ok(files.losses[TD_REGION_CLOSED] > 50 && !files.losses[TD_REGION_NO_ROOM],
	   "and new regions have no room: %llu",
	   (unsigned long long)files.losses[TD_REGION_CLOSED]);
	run("return", "32", "1", 3);
	has_calls("main", 1);
	ok(files.losses[TD_REGION_UNENDED] == 1, "main had no end");
}

static void check_processes(void)
{
	run("fork", "32", "1", 0);
	has_calls("parent", 1);
	has_calls("dram", 32);
	ok(files.nr_processes == 2, "two processes");
	ok(!files.losses[TD_REGION_UNMATCHED], "the child may end what its parent began");
	run("exec", "32", "1", 0);
	has_calls("dram", 64);
	ok(files.nr_processes == 2, "two programs of one process");
}

static void check_children(void)
{
	static const struct {
		const char *what;
		int parents, children, after;
		unsigned int processes;
	} rows[] = {
		{ "fork", 3, 60, -1, 4 },   { "_Fork", 3, 60, -1, 4 },
		{ "clone", 3, 60, -1, 4 },  { "two", 3, 60, -1, 4 },
		{ "holes", 1, 20, -1, 2 },  { "malloc", 60, 1200, -1, 61 },
		{ "vfork", -1, 60, 20, 1 }, { "setuid", 3, 60, -1, 1 },
		{ "chroot", 3, 60, -1, 1 }, { "errno", 20, -1, -1, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!run_other("children", rows[i].what))
			continue;
		has_calls("parent", rows[i].parents);
		has_calls("child", rows[i].children);
		has_calls("after", rows[i].after);
		ok(files.nr_processes == rows[i].processes, "%u files", files.nr_processes);
		ok(!files.losses[TD_REGION_UNMATCHED], "a child may end what its parent began");
	}
	/* one of both may be within the other's mark */
	if (run_other("children", "beside"))
		has_calls("after", 20);
}

static uint64_t lost_of(const char *name)
{
	const struct td_region *region = td_regions_find(&files.regions, name, false);

	return region ? region->calls.lost : 0;
}

/* Here all is counted by read(), as software events are not by RDPMC. */
static void check_sandbox(void)
{
	if (run_other("sandbox", "kill")) {
		has_calls("known", 40);
		has_calls("new0", 1);
		has_calls("new9", 1);
	}
	if (!run_other("sandbox", "errno"))
		return;
	has_calls("known", 20);
	ok(lost_of("known") == 20 && lost_of("new9") == 1, "what could not be read is lost");
	ok(files.losses[TD_REGION_NO_COUNTERS] == 1, "a thread could not begin");
}

static void check_marks(void)
{
	run("recursion", "10", "1", 0);
	has_calls("recur", 40);
	ok(td_regions_find(&files.regions, "recur", false)->calls.recursive == 30,
	   "30 within another");
	run("faults", "1", "1", 0);
	ok(files.losses[TD_REGION_UNMATCHED] == 1, "an end without a begin");
	is_str(files.unmatched, "nothing", "and its name");
	/* 63 in "forgotten", then 7 too many; "inner", and at last "forgotten" */
	ok(files.losses[TD_REGION_TOO_DEEP] == 7, "too deep: %llu",
	   (unsigned long long)files.losses[TD_REGION_TOO_DEEP]);
	ok(files.losses[TD_REGION_UNENDED] == 2, "without an end: %llu",
	   (unsigned long long)files.losses[TD_REGION_UNENDED]);
	has_calls("deep", 63);
	has_calls("forgotten", 1);
}

static void limit_to(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit limit;

	getrlimit(resource, &limit);
	limit.rlim_cur = value;
	setrlimit(resource, &limit);
}

/*
 * The program keeps its descriptors, or half of them if there are no others, and gets no signal
 * for a large file.
 */
static void check_limits(void)
{
	struct rlimit size_before;

	getrlimit(RLIMIT_FSIZE, &size_before);
	soft_limit = 16;
	run("threads", "640", "8", 0);
	has_calls("outer", 8);
	hard_limit = 16;
	run("threads", "640", "8", 0);
	/* beside the first; more, if some have ended before others begin */
	ok(calls_of("outer") >= 3, "three threads in half of 16 descriptors");
	ok(files.losses[TD_REGION_NO_COUNTERS] &&
		   calls_of("outer") + (long long)files.losses[TD_REGION_NO_COUNTERS] == 8 &&
		   files.open_errno == EMFILE,
	   "the rest is not counted");
	soft_limit = hard_limit = 0;
	limit_to(RLIMIT_FSIZE, 20000);
	run("calls", "16", "1", 0);
	has_calls("outer", 1);
	limit_to(RLIMIT_FSIZE, 10);
	run("calls", "16", "1", 0);
	ok(files.nr_processes == 0, "no room for a file");
	limit_to(RLIMIT_FSIZE, size_before.rlim_cur);
}

static void check_every(void)
{
	setenv("TDSTAT_EVERY", "10", 1);
	run("calls", "100", "1", 0);
	/* the first one, and then one in 1 to 19 */
	ok(calls_of("dram") >= 1 + 99 / 19 && calls_of("dram") < 40,
	   "some ten of a hundred calls: %lld", calls_of("dram"));
	ok(td_regions_find(&files.regions, "dram", false)->calls.skipped ==
		   100 - (uint64_t)calls_of("dram"),
	   "the others were skipped");
	unsetenv("TDSTAT_EVERY");
}

static void check_all(void)
{
	check_threads();
	check_ends();
	check_processes();
	check_children();
	check_sandbox();
	check_marks();
	check_every();
}

int main(int argc, char **argv)
{
	struct td_err err = { 0 };

	(void)argc;
	find_programs(argv[0]);
	if (!mkdtemp(folder))
		return 1;
	snprintf(prefix, sizeof(prefix), "%s/regions", folder);
	write_spec();
	setenv("TDSTAT_REGIONS", prefix, 1);
	run_program("regions", "calls", "1", "1");
	files = (struct td_region_files){ .values = values, .nr_values = NR };
	if (td_region_files_read(&files, prefix, &err) || files.losses[TD_REGION_NO_COUNTERS]) {
		printf("1..0 # skip no software events: %s\n", strerror(files.open_errno));
		return 0;
	}
	check_all();
	check_limits();
	buckets = true;
	write_spec();
	check_all();
	check_durations();
	td_region_files_free(&files);
	remove_files();
	unlink(prefix);
	rmdir(folder);
	return done_testing();
}
