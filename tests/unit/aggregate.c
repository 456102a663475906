// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of ids: which CPUs each one has, its name and the order, as in perf
 * stat (aggr_printout() and aggr_cpu_id__cmp() of Linux 6.12's tools/perf).
 */
#include "lib/count/aggregator.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"
#include "tests/unit/two_events.h"

/* clang-format off */
#define NO_CACHES { -1, -1, -1, -1 }
#define NOTHING(cpu) { cpu, -1, -1, -1, -1, -1, NO_CACHES }

/* two sockets whose core and cluster numbers repeat, two threads a core */
static const struct td_place sockets[] = {
	{ 0, 0, 0, 0, 0, 0, { 0, 0, 0, -1 } },
	{ 1, 1, 8, 0, 0, 0, { 1, 1, 0, -1 } },
	{ 2, 0, 0, 0, 1, 1, { 2, 2, 2, -1 } },
	{ 3, 1, 8, 0, 1, 1, { 3, 3, 2, -1 } },
	{ 4, 0, 0, 0, 0, 0, { 0, 0, 0, -1 } },
	{ 5, 1, 8, 0, 0, 0, { 1, 1, 0, -1 } },
	{ 6, 0, 0, 0, 1, 1, { 2, 2, 2, -1 } },
	{ 7, 1, 8, 0, 1, 1, { 3, 3, 2, -1 } },
};

/* two P-cores with two threads, four E-cores that share an L2 cache */
static const struct td_place hybrid[] = {
	{ 0, 0, 0, 0, 0, 0, { 0, 0, 0, -1 } },
	{ 1, 0, 0, 0, 0, 0, { 0, 0, 0, -1 } },
	{ 2, 4, 8, 0, 0, 0, { 2, 2, 0, -1 } },
	{ 3, 4, 8, 0, 0, 0, { 2, 2, 0, -1 } },
	{ 4, 16, 16, 0, 0, 0, { 4, 4, 0, -1 } },
	{ 5, 17, 16, 0, 0, 0, { 5, 4, 0, -1 } },
	{ 6, 18, 16, 0, 0, 0, { 6, 4, 0, -1 } },
	{ 7, 19, 16, 0, 0, 0, { 7, 4, 0, -1 } },
};

/* two dies, each a node, whose core numbers repeat; not sorted */
static const struct td_place dies[] = {
	{ 0, 0, -1, 1, 0, 2, NO_CACHES },
	{ 1, 0, -1, 0, 0, 10, NO_CACHES },
	{ 2, 1, -1, 1, 0, 2, NO_CACHES },
	{ 3, 1, -1, 0, 0, 10, NO_CACHES },
};

/* core numbers with gaps, and CPU numbers too large for a cpu_set_t */
static const struct td_place large[] = {
	{ 1, 128, -1, 0, 0, 0, { 1, 1, 1, 0 } },
	{ 1023, 2, -1, 0, 0, 0, { 1023, 1, 1, 0 } },
	{ 1024, 128, -1, 0, 1, 0, { 1024, 1024, 1024, 0 } },
	{ 4095, 10, -1, 0, 1, 0, { 4095, 1024, 1024, 0 } },
};

/* core numbers that are not in the order of the clusters */
static const struct td_place mixed[] = {
	{ 0, 9, 0, 0, 0, 0, NO_CACHES }, { 1, 1, 8, 0, 0, 0, NO_CACHES },
	{ 2, 3, 0, 0, 0, 0, NO_CACHES },
};

static const struct td_place unknown[] = { NOTHING(0), NOTHING(1) };

/* everything is known of one CPU and nothing of the other */
static const struct td_place half[] = {
	NOTHING(0), { 1, 3, 1, 0, 0, 0, { 1, 1, -1, -1 } },
};

/* the kernel lists only the first and the last cache */
static const struct td_place gap[] = {
	{ 0, 0, 0, 0, 0, 0, { 0, -1, 0, -1 } },
	{ 1, 1, 0, 0, 0, 0, { 1, -1, 0, -1 } },
};

#define PLACES(v) v, TD_ARRAY_SIZE(v)

static const struct {
	const char *name;
	enum td_aggregation how;
	int cache_level;
	const struct td_place *places;
	size_t nr;
	const char *cpus; /* the CPUs that have counts */
	const char *want; /* ids in order, with their CPUs */
} builds[] = {
	{ "all", TD_AGGREGATE_ALL, 0, PLACES(sockets), "0-7",
	  "all:0,1,2,3,4,5,6,7" },
	{ "all, and nobody knows where CPUs are", TD_AGGREGATE_ALL, 0, NULL, 0,
	  "0-1", "all:0,1" },
	{ "CPUs", TD_AGGREGATE_CPU, 0, PLACES(sockets), "0-2,7",
	  "CPU0:0 CPU1:1 CPU2:2 CPU7:7" },
	{ "CPUs, and nobody knows where they are", TD_AGGREGATE_CPU, 0, NULL,
	  0, "3,1000-1001,65535", "CPU3:3 CPU1000:1000 CPU1001:1001 CPU65535:65535" },
	{ "cores with two threads on two sockets", TD_AGGREGATE_CORE, 0,
	  PLACES(sockets), "0-7", "S0-D0-C0:0,4 S0-D0-C1:1,5 S1-D0-C0:2,6 S1-D0-C1:3,7" },
	{ "cores, of which some are not counted", TD_AGGREGATE_CORE, 0,
	  PLACES(sockets), "2,4", "S0-D0-C0:4 S1-D0-C0:2" },
	{ "cores of two kinds", TD_AGGREGATE_CORE, 0, PLACES(hybrid), "0-7",
	  "S0-D0-C0:0,1 S0-D0-C4:2,3 S0-D0-C16:4 S0-D0-C17:5 S0-D0-C18:6 S0-D0-C19:7" },
	{ "cores on two dies", TD_AGGREGATE_CORE, 0, PLACES(dies), "0-3",
	  "S0-D0-C0:1 S0-D0-C1:3 S0-D1-C0:0 S0-D1-C1:2" },
	{ "cores in the order of numbers, not of text", TD_AGGREGATE_CORE, 0,
	  PLACES(large), "1,1023-1024,4095", "S0-D0-C2:1023 S0-D0-C128:1 S1-D0-C10:4095 "
	  "S1-D0-C128:1024" },
	{ "cores, cluster by cluster", TD_AGGREGATE_CORE, 0, PLACES(mixed),
	  "0-2", "S0-D0-C3:2 S0-D0-C9:0 S0-D0-C1:1" },
	{ "a CPU of which nothing is known", TD_AGGREGATE_CORE, 0,
	  PLACES(half), "0-1", "S-1-D-1-C-1:0 S0-D0-C3:1" },
	{ "a CPU that came later", TD_AGGREGATE_CORE, 0, PLACES(dies), "0,9",
	  "S0-D1-C0:0 S-1-D-1-C-1:9" },
	{ "a CPU in a gap", TD_AGGREGATE_CORE, 0, PLACES(large), "1,700,1023",
	  "S0-D0-C2:1023 S0-D0-C128:1 S-1-D-1-C-1:700" },
	{ "clusters that repeat another socket's", TD_AGGREGATE_CLUSTER, 0,
	  PLACES(sockets), "0-7", "S0-D0-CLS0:0,4 S0-D0-CLS8:1,5 S1-D0-CLS0:2,6 S1-D0-CLS8:3,7" },
	{ "clusters of two kinds of core", TD_AGGREGATE_CLUSTER, 0,
	  PLACES(hybrid), "0-7", "S0-D0-CLS0:0,1 S0-D0-CLS8:2,3 S0-D0-CLS16:4,5,6,7" },
	{ "caches of the last level", TD_AGGREGATE_CACHE, 0, PLACES(sockets),
	  "0-7", "S0-D0-L3-ID0:0,1,4,5 S1-D0-L3-ID2:2,3,6,7" },
	{ "caches of level 1", TD_AGGREGATE_CACHE, 1, PLACES(hybrid), "0-7",
	  "S0-D0-L1-ID0:0,1 S0-D0-L1-ID2:2,3 S0-D0-L1-ID4:4 S0-D0-L1-ID5:5 S0-D0-L1-ID6:6 "
	  "S0-D0-L1-ID7:7" },
	{ "caches of level 2", TD_AGGREGATE_CACHE, 2, PLACES(hybrid), "0-7",
	  "S0-D0-L2-ID0:0,1 S0-D0-L2-ID2:2,3 S0-D0-L2-ID4:4,5,6,7" },
	{ "caches of level 3", TD_AGGREGATE_CACHE, 3, PLACES(hybrid), "0-7",
	  "S0-D0-L3-ID0:0,1,2,3,4,5,6,7" },
	{ "a last level that is the fourth", TD_AGGREGATE_CACHE, 0,
	  PLACES(large), "1,1023-1024,4095", "S0-D0-L4-ID0:1,1023 S1-D0-L4-ID0:1024,4095" },
	{ "caches that not all CPUs have", TD_AGGREGATE_CACHE, 2, PLACES(half),
	  "0-1", "S-1-D-1-L2-ID-1:0 S0-D0-L2-ID1:1" },
	{ "no cache is known", TD_AGGREGATE_CACHE, 0, PLACES(dies), "0-3",
	  "S0-D0-L-1-ID-1:1,3 S0-D1-L-1-ID-1:0,2" },
	{ "no cache is known: nor that of a level", TD_AGGREGATE_CACHE, 2,
	  PLACES(dies), "0-3", "S0-D0-L-1-ID-1:1,3 S0-D1-L-1-ID-1:0,2" },
	{ "no cluster is known", TD_AGGREGATE_CLUSTER, 0, PLACES(dies), "0-3",
	  "S0-D0-CLS-1:1,3 S0-D1-CLS-1:0,2" },
	{ "dies", TD_AGGREGATE_DIE, 0, PLACES(dies), "0-3",
	  "S0-D0:1,3 S0-D1:0,2" },
	{ "dies of two sockets", TD_AGGREGATE_DIE, 0, PLACES(sockets), "0-7",
	  "S0-D0:0,1,4,5 S1-D0:2,3,6,7" },
	{ "sockets", TD_AGGREGATE_SOCKET, 0, PLACES(sockets), "0-7",
	  "S0:0,1,4,5 S1:2,3,6,7" },
	{ "one socket of two dies", TD_AGGREGATE_SOCKET, 0, PLACES(dies),
	  "0-3", "S0:0,1,2,3" },
	{ "nodes in the order of numbers", TD_AGGREGATE_NODE, 0, PLACES(dies),
	  "0-3", "N2:0,2 N10:1,3" },
	{ "a node of two sockets", TD_AGGREGATE_NODE, 0, PLACES(large),
	  "1,1024", "N0:1,1024" },
};

static const struct {
	const char *name;
	enum td_aggregation how;
	int cache_level;
	const struct td_place *places;
	size_t nr;
	const char *about; /* a part of the message */
} refusals[] = {
	{ "cores", TD_AGGREGATE_CORE, 0, PLACES(unknown), "--per-core" },
	{ "dies", TD_AGGREGATE_DIE, 0, PLACES(unknown), "--per-die" },
	{ "sockets", TD_AGGREGATE_SOCKET, 0, PLACES(unknown), "--per-socket" },
	{ "nodes", TD_AGGREGATE_NODE, 0, PLACES(unknown), "--per-node" },
	{ "no CPUs at all", TD_AGGREGATE_SOCKET, 0, NULL, 0, "--per-socket" },
	{ "caches of no CPUs", TD_AGGREGATE_CACHE, 2, NULL, 0, "--per-cache" },
	{ "a level beyond the last", TD_AGGREGATE_CACHE, 4, PLACES(sockets),
	  "--per-cache=L4" },
	{ "a level that is not told of", TD_AGGREGATE_CACHE, 2, PLACES(gap),
	  "--per-cache=L2" },
};

#define MAX_IDS   6

struct want {
	const char *name, *cgroup, *label;
	double value[NR_EVENTS];
	unsigned int nr[NR_EVENTS];
};

static char *const cgroups[] = { (char[]){ "a/b" }, (char[]){ "user.slice" } };

static struct td_region regions_v[] = {
	{ .name = (char[]){ "outer" } },
	{ .name = (char[]){ "outer" }, .own = true },
	{ .name = (char[]){ "inner" } },
	{ .name = (char[]){ "(outside)" }, .own = true, .outside = true },
};
static const struct td_regions regions = { .v = regions_v, .nr = 4 };

/* clang-format off */
/* Thread 70 was in outer, within it in inner, and outside; 71 in outer. */
#define OF_REGIONS \
	{ 0, -1, 71, 5, 8, 8, 0, 0, 1 }, { 0, -1, 71, 5, 8, 8, 0, 0, 2 }, \
	{ 0, -1, 70, 10, 8, 8, 0, 0, 1 }, { 0, -1, 70, 4, 8, 8, 0, 0, 2 }, \
	{ 0, -1, 70, 6, 8, 8, 0, 0, 3 }, { 0, -1, 70, 1, 8, 8, 0, 0, 4 }

static const struct {
	const char *name;
	enum td_aggregation how;
	bool raw, skip_idle, named;
	struct td_reading v[8];
	size_t nr;
	struct want want[MAX_IDS];
	size_t nr_ids;
} sums[] = {
	{ "nothing was read", TD_AGGREGATE_CORE },
	{ "cores: each CPU scaled by its own time", TD_AGGREGATE_CORE,
	  .v = { { 0, 0, -1, 10, 8, 8 }, { 0, 4, -1, 10, 8, 4 },
		 { 0, 3, -1, 7, 8, 8 }, { 1, 3, -1, 0, 8, 0 } }, .nr = 4,
	  .want = { { "S0-D0-C0", NULL, "S0-D0-C0", { 30, NAN }, { 2, 0 } },
		    { "S1-D0-C1", NULL, "S1-D0-C1", { 7, NAN }, { 1, 1 } } },
	  .nr_ids = 2 },
	{ "raw: as they were counted", TD_AGGREGATE_CORE, .raw = true,
	  .v = { { 0, 0, -1, 10, 8, 8 }, { 0, 4, -1, 10, 8, 4 },
		 { 1, 0, -1, 3, 8, 0 } }, .nr = 3,
	  .want = { { "S0-D0-C0", NULL, "S0-D0-C0", { 20, NAN }, { 2, 1 } } },
	  .nr_ids = 1 },
	{ "cgroups, of all CPUs", TD_AGGREGATE_ALL,
	  .v = { { 0, 0, -1, 1, 8, 8, 2 }, { 0, 0, -1, 2, 8, 8, 1 },
		 { 0, 1, -1, 4, 8, 8, 2 }, { 0, 1, -1, 8, 8, 8, 1 } },
	  .nr = 4,
	  .want = { { "all", "a/b", "a/b", { 10, NAN }, { 2, 0 } },
		    { "all", "user.slice", "user.slice", { 5, NAN },
		      { 2, 0 } } }, .nr_ids = 2 },
	{ "one event in a cgroup, the other one wherever", TD_AGGREGATE_ALL,
	  .v = { { 0, 0, -1, 1, 8, 8, 2 }, { 1, 0, -1, 2, 8, 8, 0 } },
	  .nr = 2,
	  .want = { { "all", NULL, "all", { NAN, 2 }, { 0, 1 } },
		    { "all", "user.slice", "user.slice", { 1, NAN },
		      { 1, 0 } } }, .nr_ids = 2 },
	{ "first by cgroup, then by CPU", TD_AGGREGATE_CPU,
	  .v = { { 0, 2, -1, 1, 8, 8, 2 }, { 0, 10, -1, 2, 8, 8, 1 },
		 { 0, 10, -1, 4, 8, 8, 2 }, { 0, 2, -1, 8, 8, 8, 1 } },
	  .nr = 4,
	  .want = { { "CPU2", "a/b", "CPU2 a/b", { 8, NAN }, { 1, 0 } },
		    { "CPU10", "a/b", "CPU10 a/b", { 2, NAN }, { 1, 0 } },
		    { "CPU2", "user.slice", "CPU2 user.slice", { 1, NAN },
		      { 1, 0 } },
		    { "CPU10", "user.slice", "CPU10 user.slice", { 4, NAN },
		      { 1, 0 } } }, .nr_ids = 4 },
	{ "first by cgroup, then by core", TD_AGGREGATE_CORE,
	  .v = { { 0, 3, -1, 1, 8, 8, 2 }, { 0, 0, -1, 2, 8, 8, 2 },
		 { 0, 4, -1, 4, 8, 8, 2 }, { 0, 3, -1, 8, 8, 8, 1 } },
	  .nr = 4,
	  .want = { { "S1-D0-C1", "a/b", "S1-D0-C1 a/b", { 8, NAN },
		      { 1, 0 } },
		    { "S0-D0-C0", "user.slice", "S0-D0-C0 user.slice",
		      { 6, NAN }, { 2, 0 } },
		    { "S1-D0-C1", "user.slice", "S1-D0-C1 user.slice",
		      { 1, NAN }, { 1, 0 } } }, .nr_ids = 3 },
	{ "threads, in the order of their numbers", TD_AGGREGATE_THREAD,
	  .named = true,
	  .v = { { 0, -1, 2000, 1, 8, 8 }, { 1, -1, 2000, 2, 8, 8 },
		 { 0, -1, 70, 4, 8, 8 }, { 1, -1, 70, 8, 8, 8 } }, .nr = 4,
	  .want = { { "make-70", NULL, "make-70", { 4, 8 }, { 1, 1 } },
		    { "cc1 -x-2000", NULL, "cc1 -x-2000", { 1, 2 },
		      { 1, 1 } } }, .nr_ids = 2 },
	{ "threads whose readings do not stand side by side",
	  TD_AGGREGATE_THREAD, .named = true,
	  .v = { { 0, -1, 2000, 1, 8, 8 }, { 0, -1, 70, 4, 8, 8 },
		 { 1, -1, 2000, 2, 8, 8 }, { 1, -1, 70, 8, 8, 8 } }, .nr = 4,
	  .want = { { "make-70", NULL, "make-70", { 4, 8 }, { 1, 1 } },
		    { "cc1 -x-2000", NULL, "cc1 -x-2000", { 1, 2 },
		      { 1, 1 } } }, .nr_ids = 2 },
	{ "two threads that had the same number", TD_AGGREGATE_THREAD,
	  .named = true,
	  .v = { { 0, -1, 70, 4, 8, 8 }, { 0, -1, 70, 1, 8, 8, .life = 2 },
		 { 1, -1, 70, 2, 8, 8, .life = 2 }, { 1, -1, 70, 8, 8, 8 } },
	  .nr = 4,
	  .want = { { "make-70", NULL, "make-70", { 4, 8 }, { 1, 1 } },
		    { "sh-70#3", NULL, "sh-70#3", { 1, 2 }, { 1, 1 } } },
	  .nr_ids = 2 },
	{ "a thread whose name is not known", TD_AGGREGATE_THREAD,
	  .named = true, .v = { { 0, -1, 71, 4, 8, 8 } }, .nr = 1,
	  .want = { { "?-71", NULL, "?-71", { 4, NAN }, { 1, 0 } } },
	  .nr_ids = 1 },
	{ "no names at all", TD_AGGREGATE_THREAD,
	  .v = { { 0, -1, 70, 4, 8, 8 } }, .nr = 1,
	  .want = { { "?-70", NULL, "?-70", { 4, NAN }, { 1, 0 } } },
	  .nr_ids = 1 },
	{ "threads that did not run are there", TD_AGGREGATE_THREAD,
	  .named = true,
	  .v = { { 0, -1, 70, 0, 8, 0 }, { 0, -1, 71, 4, 8, 8 } }, .nr = 2,
	  .want = { { "make-70", NULL, "make-70", { NAN, NAN }, { 1, 0 } },
		    { "?-71", NULL, "?-71", { 4, NAN }, { 1, 0 } } },
	  .nr_ids = 2 },
	{ "threads that did not run are left out", TD_AGGREGATE_THREAD,
	  .skip_idle = true, .named = true,
	  .v = { { 0, -1, 70, 0, 8, 0 }, { 1, -1, 70, 0, 8, 0 },
		 { 0, -1, 71, 0, 8, 0 }, { 1, -1, 71, 4, 8, 8 } }, .nr = 4,
	  .want = { { "?-71", NULL, "?-71", { NAN, 4 }, { 1, 1 } } },
	  .nr_ids = 1 },
	{ "no thread ran", TD_AGGREGATE_THREAD, .skip_idle = true,
	  .v = { { 0, -1, 70, 0, 8, 0 }, { 0, -1, 71, 0, 8, 0 } }, .nr = 2,
	  .nr_ids = 0 },
	/* multiplexed groups: 6 of 8 ns on the PMU */
	{ "threads: each to its own time on the PMU", TD_AGGREGATE_THREAD,
	  .v = { { 0, -1, 70, 10, 8, 4 }, { 1, -1, 70, 10, 8, 2 },
		 { 0, -1, 71, 10, 8, 2 }, { 1, -1, 71, 10, 8, 2 } }, .nr = 4,
	  .want = { { "?-70", NULL, "?-70", { 15, 30 }, { 1, 1 } },
		    { "?-71", NULL, "?-71", { 20, 20 }, { 1, 1 } } },
	  .nr_ids = 2 },
	{ "threads: raw", TD_AGGREGATE_THREAD, .raw = true,
	  .v = { { 0, -1, 70, 10, 8, 4 }, { 1, -1, 70, 11, 8, 2 } }, .nr = 2,
	  .want = { { "?-70", NULL, "?-70", { 10, 11 }, { 1, 1 } } },
	  .nr_ids = 1 },
	{ "users, and CPUs without one, by their names alone", TD_AGGREGATE_USER,
	  .named = true,
	  .v = { { 0, -1, 2000, 1, 8, 8 }, { 0, -1, TD_TASK_IDLE, 2, 8, 8 },
		 { 0, -1, 70, 4, 8, 8 }, { 1, -1, 2000, 8, 8, 8 } }, .nr = 4,
	  .want = { { "?", NULL, "?", { 2, NAN }, { 1, 0 } },
		    { "make", NULL, "make", { 4, NAN }, { 1, 0 } },
		    { "cc1 -x", NULL, "cc1 -x", { 1, 8 }, { 1, 1 } } },
	  .nr_ids = 3 },
	{ "threads together", TD_AGGREGATE_ALL,
	  .v = { { 0, -1, 70, 10, 8, 8 }, { 0, -1, 71, 5, 8, 8 } }, .nr = 2,
	  .want = { { "all", NULL, "all", { 15, NAN }, { 2, 0 } } },
	  .nr_ids = 1 },
	{ "threads of a machine together, without idle CPUs", TD_AGGREGATE_ALL, .skip_idle = true,
	  .v = { { 0, -1, TD_TASK_IDLE, 10, 8, 8 }, { 0, -1, 71, 5, 8, 8 } }, .nr = 2,
	  .want = { { "all", NULL, "all", { 5, NAN }, { 1, 0 } } },
	  .nr_ids = 1 },
	{ "regions: each with those within it, of all threads",
	  TD_AGGREGATE_REGION, .v = { OF_REGIONS }, .nr = 6,
	  .want = { { "outer", NULL, "outer", { 15, NAN }, { 2, 0 } },
		    { "inner", NULL, "inner", { 6, NAN }, { 1, 0 } },
		    { "(outside)", NULL, "(outside)", { 1, NAN }, { 1, 0 } } },
	  .nr_ids = 3 },
	{ "threads: each region without those within it", TD_AGGREGATE_THREAD,
	  .v = { OF_REGIONS }, .nr = 6,
	  .want = { { "?-70", NULL, "?-70", { 5, NAN }, { 2, 0 } },
		    { "?-71", NULL, "?-71", { 5, NAN }, { 1, 0 } } },
	  .nr_ids = 2 },
	{ "regions together: each without those within it", TD_AGGREGATE_ALL,
	  .v = { OF_REGIONS }, .nr = 6,
	  .want = { { "all", NULL, "all", { 10, NAN }, { 3, 0 } } },
	  .nr_ids = 1 },
	{ "modes: of all threads", TD_AGGREGATE_MODE,
	  .v = { { 0, -1, 70, 2, 8, 8, 0, 0, TD_MODE_USER }, { 0, -1, 70, 8, 8, 8, 0, 0, TD_MODE_GUEST },
		 { 0, -1, 71, 4, 8, 8, 0, 0, TD_MODE_GUEST } }, .nr = 3,
	  .want = { { "guest", NULL, "guest", { 12, NAN }, { 2, 0 } },
		    { "monitor", NULL, "monitor", { 2, NAN }, { 1, 0 } } },
	  .nr_ids = 2 },
	{ "of no CPU and of no task: a sum already", TD_AGGREGATE_ALL,
	  .v = { { 0, -1, -1, 10, 8, 4 }, { 1, -1, -1, 5, 8, 8 } }, .nr = 2,
	  .want = { { "all", NULL, "all", { 20, 5 }, { 1, 1 } } },
	  .nr_ids = 1 },
};
/* clang-format on */

/* Each CPU's count is a different power of two, so a sum shows which CPUs it contains. */
static struct td_readings read_cpus(const struct td_ints *cpus)
{
	struct td_readings delta = { calloc(cpus->nr, sizeof(*delta.v)), cpus->nr };

	for (size_t i = 0; i < cpus->nr; i++)
		delta.v[i] = (struct td_reading){ 0, cpus->v[i], -1, UINT64_C(1) << i, 9, 9 };
	return delta;
}

/* "S0:0,1 S1:2,3" */
static char *describe(const struct td_totals *totals, const struct td_ints *cpus)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);

	if (!fp)
		return NULL;
	for (size_t id = 0; id < totals->nr_ids; id++) {
		const struct td_total *total = &totals->v[id * NR_EVENTS];
		uint64_t value = (uint64_t)total->value;
		const char *mark = ":";

		fprintf(fp, "%s%s", id ? " " : "", totals->ids[id].name);
		for (size_t i = 0; i < cpus->nr; i++) {
			if (!(value & UINT64_C(1) << i))
				continue;
			fprintf(fp, "%s%d", mark, cpus->v[i]);
			mark = ",";
		}
	}
	fclose(fp);
	return text;
}

/* True if each CPU was counted exactly once. */
static bool is_all(const struct td_totals *totals, size_t nr_cpus)
{
	unsigned int nr = 0;
	double sum = 0;

	for (size_t id = 0; id < totals->nr_ids; id++) {
		const struct td_total *total = &totals->v[id * NR_EVENTS];

		nr += total->nr;
		sum += total->value;
		if (strcmp(totals->ids[id].name, totals->ids[id].label) != 0)
			return false;
	}
	return nr == nr_cpus && test_near(sum, ldexp(1, (int)nr_cpus) - 1, 0);
}

static void test_build(size_t i)
{
	struct td_aggregator agg;
	struct td_err err = { 0 };
	struct td_readings delta;
	struct td_totals totals = { 0 };
	struct td_ints cpus;
	td_autofree char *got = NULL;

	td_ints_parse(builds[i].cpus, TD_MAX_CPU, &cpus);
	delta = read_cpus(&cpus);
	ok(td_aggregator_build(&agg, builds[i].how, builds[i].cache_level, builds[i].places,
			       builds[i].nr, &err) == 0,
	   "build: %s%s", builds[i].name, err.msg);
	td_aggregate(&agg, &delta, &plan, &totals);
	got = describe(&totals, &cpus);
	is_str(got, builds[i].want, "build: %s: ids", builds[i].name);
	ok(is_all(&totals, cpus.nr), "build: %s: all of it", builds[i].name);
	td_totals_free(&totals);
	td_aggregator_free(&agg);
	free(delta.v);
	td_ints_free(&cpus);
}

static void test_refusal(size_t i)
{
	struct td_aggregator agg;
	struct td_err err = { 0 };
	int rc = td_aggregator_build(&agg, refusals[i].how, refusals[i].cache_level,
				     refusals[i].places, refusals[i].nr, &err);

	ok(rc == -ENODATA && err.code == -ENODATA && !err.usage, "refused: %s: %d",
	   refusals[i].name, rc);
	ok(strstr(err.msg, refusals[i].about), "refused: %s: '%s'", refusals[i].name, err.msg);
	td_aggregator_free(&agg);
}

static bool same_text(const char *got, const char *want)
{
	return got && want ? strcmp(got, want) == 0 : got == want;
}

static bool id_is(const struct td_totals *totals, size_t id, const struct want *want)
{
	const struct td_total_id *got = &totals->ids[id];
	const struct td_total *row = totals->v + id * NR_EVENTS;
	bool same = same_text(got->name, want->name) && same_text(got->cgroup, want->cgroup) &&
		    same_text(got->label, want->label);

	for (size_t e = 0; e < NR_EVENTS; e++)
		same = same && row[e].nr == want->nr[e] &&
		       test_near(row[e].value, want->value[e], 0);
	if (!same)
		printf("# got: %s (%s): %g of %u, %g of %u\n", got->label,
		       got->cgroup ? got->cgroup : "no cgroup", row[0].value, row[0].nr,
		       row[1].value, row[1].nr);
	return same;
}

static void test_sum(size_t i, const struct td_task_names *names)
{
	struct td_reading v[TD_ARRAY_SIZE(sums[i].v)];
	const struct td_readings delta = { v, sums[i].nr };
	struct td_aggregator agg;
	struct td_totals totals = { 0 };
	struct td_err err = { 0 };

	memcpy(v, sums[i].v, sizeof(v));
	td_aggregator_build(&agg, sums[i].how, 0, PLACES(sockets), &err);
	agg.raw = sums[i].raw;
	agg.skip_idle = sums[i].skip_idle;
	agg.names = sums[i].named ? names : NULL;
	agg.regions = &regions;
	agg.own = sums[i].how != TD_AGGREGATE_REGION;
	agg.cgroups = cgroups;
	agg.nr_cgroups = TD_ARRAY_SIZE(cgroups);
	td_aggregate(&agg, &delta, &plan, &totals);
	ok(totals.nr_ids == sums[i].nr_ids, "sum: %s: %zu ids", sums[i].name, totals.nr_ids);
	if (sums[i].nr_ids)
		ok(totals.all == (strcmp(sums[i].want[0].name, "all") == 0),
		   "sum: %s: ids are told apart or not", sums[i].name);
	ok(memcmp(v, sums[i].v, sizeof(v)) == 0, "sum: %s: readings as before", sums[i].name);
	for (size_t id = 0; id < totals.nr_ids && id < sums[i].nr_ids; id++)
		ok(id_is(&totals, id, &sums[i].want[id]), "sum: %s: %s", sums[i].name,
		   sums[i].want[id].label);
	td_totals_free(&totals);
	td_aggregator_free(&agg);
}

/* Recordings and JSON use the words of the options. */
static void test_names(void)
{
	static const char *const want[] = {
		"all",   "cpu",     "thread", "process", "user", "core",
		"cache", "cluster", "die",    "socket",  "node", "region",
	}; /* and modes, which no recording has */
	enum td_aggregation how = TD_AGGREGATE_DIE;

	ok(td_nr_aggregations() == TD_ARRAY_SIZE(want) + 1, "their number");
	for (size_t i = 0; i < TD_ARRAY_SIZE(want); i++) {
		const char *name = td_aggregation_row((enum td_aggregation)i)->name;

		is_str(name, want[i], "name of %s", want[i]);
		ok(td_aggregation_find(name, &how) && how == i, "%s is found", want[i]);
		ok(td_aggregation_wants_places((enum td_aggregation)i) ==
			   (strcmp(name, "all") != 0 && strcmp(name, "cpu") != 0 &&
			    strcmp(name, "thread") != 0 && strcmp(name, "process") != 0 &&
			    strcmp(name, "user") != 0 && strcmp(name, "region") != 0),
		   "%s: wants to know where CPUs are", want[i]);
	}
	ok(!td_aggregation_find("Core", &how) && !td_aggregation_find("mode", &how) &&
		   !td_aggregation_find("", &how) && how == TD_AGGREGATE_REGION,
	   "no such aggregation");
}

/* Each row has what its option, its ids and its column need. */
static void test_rows(void)
{
	for (size_t i = 0; i < td_nr_aggregations(); i++) {
		enum td_aggregation how = (enum td_aggregation)i;
		const struct td_aggregation_row *row = td_aggregation_row(how);

		if (how == TD_AGGREGATE_MODE) {
			ok(!row->option && !row->help && row->width,
			   "mode: a column without an option");
			continue;
		}
		ok(strncmp(row->option, "--", 2) == 0 && row->help, "%s: an option, and help",
		   row->name);
		is_str(td_aggregation_option(how), how == TD_AGGREGATE_CPU ? "-A" : row->option,
		       "%s: as messages name it", row->name);
		ok((row->width > 0) == (how != TD_AGGREGATE_ALL), "%s: a column unless it is all",
		   row->name);
		ok(!row->key || (*row->letters[0] && row->counted),
		   "%s: letters, and the number of counters", row->name);
	}
}

int main(void)
{
	struct td_task_names names = { 0 };

	td_task_names_set(&names, 2000, "cc1 -x");
	td_task_names_set(&names, 70, "make");
	td_task_names_begin(&names, 70, 2);
	td_task_names_set(&names, 70, "sh");
	for (size_t i = 0; i < TD_ARRAY_SIZE(builds); i++)
		test_build(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(refusals); i++)
		test_refusal(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(sums); i++)
		test_sum(i, &names);
	test_names();
	test_rows();
	td_task_names_free(&names);
	return done_testing();
}
