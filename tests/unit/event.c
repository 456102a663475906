// SPDX-License-Identifier: GPL-2.0-only
#include "lib/event/event.h"

#include <errno.h>

#include "tests/unit/machine.h"
#include "tests/unit/test.h"

/* clang-format off */
static const struct {
	const char *name;
	const char *id, *terms; /* terms NULL: an event that sysfs names */
	const char *event;      /* its name */
	uint64_t config, config1;
	double scale;      /* 0: 1 */
	uint64_t period;
	const char *error; /* the whole message */
	int code;
} rows[] = {
	/* sysfs */
	{ "slots", "slots", NULL, "cpu/slots/", 0x400 },
	{ "a metric event", "topdown-mem-bound", NULL,
	  "cpu/topdown-mem-bound/", 0x8700 },
	{ "with a scale", "scaled", NULL, "cpu/scaled/", 0x3c, .scale = 2.5 },
	{ "with any", "any", NULL, "cpu/any/", 0x20003c },
	{ "not there", "topdown-nothing", NULL, "cpu/topdown-nothing/",
	  .error = "cpu/topdown-nothing/: cpu has no such event",
	  .code = -ENOENT },
	{ "part of a name", "slot", NULL, "cpu/slot/",
	  .error = "cpu/slot/: cpu has no such event", .code = -ENOENT },
	{ "an event of other bits", "strange", NULL, "cpu/strange/",
	  .error = "cpu/strange/: cpu has no term 'colour'",
	  .code = -ENOENT },

	/* terms */
	{ "event and umask", "X", "event=0xad,umask=0x10", "cpu/X/", 0x10ad },
	{ "decimal", "X", "event=173,umask=16", "cpu/X/", 0x10ad },
	{ "any order", "X", "umask=0x10,event=0xad", "cpu/X/", 0x10ad },
	{ "cmask and edge", "X", "event=0xc3,umask=0x1,cmask=1,edge=1",
	  "cpu/X/", 0x10401c3 },
	{ "a bare name is 1", "X", "event=0xc3,edge,inv,cmask=2", "cpu/X/",
	  0x28400c3 },
	{ "zero", "X", "event=0x3c,umask=0", "cpu/X/", 0x3c },
	{ "the last one counts", "X", "event=0x3c,event=0xc0", "cpu/X/",
	  0xc0 },
	{ "bits of two terms, that differ", "X", "event=0xcd,ldlat=3,frontend=1",
	  "cpu/X/", .error = "cpu/X/: frontend: another term sets the same bits",
	  .code = -EINVAL },
	{ "bits of two terms, that are the same", "X", "frontend=3,ldlat=3",
	  "cpu/X/", .error = "cpu/X/: ldlat: another term sets the same bits",
	  .code = -EINVAL },
	{ "two terms that share bits, and set others", "X",
	  "event=0xcd,ldlat=3,frontend=0x10", "cpu/X/", 0xcd, 0x13 },
	{ "the same the other way round", "X",
	  "event=0xcd,frontend=0x10,ldlat=3", "cpu/X/", 0xcd, 0x13 },
	{ "config", "X", "config=0x10ad", "cpu/X/", 0x10ad },
	{ "config, and a term in it", "X", "config=0x10ad,edge", "cpu/X/",
	  0x410ad },
	{ "config1", "X", "event=0xc6,config1=0x1234", "cpu/X/", 0xc6,
	  0x1234 },
	{ "64 bits", "X", "config=0xffffffffffffffff", "cpu/X/", UINT64_MAX },
	{ "offcore_rsp", "X", "event=0x2a,umask=0x1,offcore_rsp=0x3fc0000001",
	  "cpu/X/", 0x12a, UINT64_C(0x3fc0000001) },
	{ "ldlat", "X", "event=0xcd,umask=0x1,ldlat=3", "cpu/X/", 0x1cd, 3 },
	{ "frontend", "X", "event=0xc2,umask=0x4,frontend=0x8", "cpu/X/",
	  0x4c2, 8 },
	{ "split bits", "X", "event=0xd0,umask2=0x8003", "cpu/X/",
	  UINT64_C(0x8000000003d0) },
	{ "period sets no bits", "X", "event=0x3c,period=2000003,umask=0x1",
	  "cpu/X/", 0x13c, .period = 2000003 },
	{ "a period of any size", "X", "period=0xffffffffffffffff,event=1",
	  "cpu/X/", 1, .period = UINT64_MAX },
	{ "a name with a comma", "UOPS_DECODED.DEC0,cmask=1",
	  "event=0x56,umask=0x1,cmask=1", "cpu/UOPS_DECODED.DEC0,cmask=1/",
	  0x1000156 },
	{ "terms go before sysfs", "slots", "event=0x1", "cpu/slots/", 1 },

	{ "a term that it has not", "X", "event=0x3c,colour=1", "cpu/X/",
	  .error = "cpu/X/: cpu has no term 'colour'", .code = -ENOENT },
	{ "config4", "X", "config4=1", "cpu/X/",
	  .error = "cpu/X/: cpu has no term 'config4'", .code = -ENOENT },
	{ "an empty term", "X", "event=0x3c,,umask=1", "cpu/X/",
	  .error = "cpu/X/: cpu has no term ''", .code = -ENOENT },
	{ "too large for 8 bits", "X", "event=0x100", "cpu/X/",
	  .error = "cpu/X/: event=0x100: too large for its bits",
	  .code = -ERANGE },
	{ "too large for one bit", "X", "event=0x3c,edge=2", "cpu/X/",
	  .error = "cpu/X/: edge=0x2: too large for its bits",
	  .code = -ERANGE },
	{ "too large for split bits", "X", "umask2=0x10000", "cpu/X/",
	  .error = "cpu/X/: umask2=0x10000: too large for its bits",
	  .code = -ERANGE },
	{ "more than 64 bits", "X", "config=0x10000000000000000", "cpu/X/",
	  .error = "cpu/X/: config=0x10000000000000000: not a number",
	  .code = -EINVAL },
	{ "not a number", "X", "event=?", "cpu/X/",
	  .error = "cpu/X/: event=?: not a number", .code = -EINVAL },
	{ "no number", "X", "event=", "cpu/X/",
	  .error = "cpu/X/: event=: not a number", .code = -EINVAL },
	{ "negative", "X", "event=-1", "cpu/X/",
	  .error = "cpu/X/: event=-1: not a number", .code = -EINVAL },
	{ "a second equals sign", "X", "event=1=2", "cpu/X/",
	  .error = "cpu/X/: event=1=2: not a number", .code = -EINVAL },
};

static const struct test_pmu pmu = {
	"cpu", 4, "0-3",
	METRICS_8 "scaled event=0x3c 2.5;any event=0x3c,any=1;strange event=1,colour=2;",
};

/* SLOTS and the fields of PERF_METRICS */
static const struct {
	uint32_t type;
	uint64_t config;
	bool slots, metric;
} kinds[] = {
	{ 4, 0x0400, .slots = true },
	{ 10, 0x0400 }, /* event of cpu_atom */
	{ 0, 0x0400 },
	{ 4, 0x01a4 }, /* TOPDOWN.SLOTS_P: a general counter */
	{ 4, 0x1000400 },
	{ 4, 0x8000, .metric = true },
	{ 4, 0x8300, .metric = true },
	{ 4, 0x8700, .metric = true },
	{ 10, 0x8000 },
	{ 4, 0x7f00 },
	{ 4, 0x80c2 },
	{ 4, 0x3c },
};
/* clang-format on */

static void test_row(const struct td_machine *machine, size_t i)
{
	double scale = rows[i].scale > 0 ? rows[i].scale : 1;
	struct td_err err = { 0 };
	struct td_event event;
	int rc = td_event_init(&event, &machine->pmus[0], 3, rows[i].id, rows[i].terms, &err);

	ok(rc == rows[i].code && err.code == rows[i].code, "%s", rows[i].name);
	if (rows[i].error) {
		is_str(err.msg, rows[i].error, "%s: message", rows[i].name);
		td_event_free(&event);
		return;
	}
	is_str(event.name, rows[i].event, "%s: name", rows[i].name);
	ok(event.type == 4 && event.pmu == 3, "%s: PMU", rows[i].name);
	ok(event.config[0] == rows[i].config && event.config[1] == rows[i].config1 &&
		   event.config[2] == 0,
	   "%s: config %#llx %#llx", rows[i].name, (unsigned long long)event.config[0],
	   (unsigned long long)event.config[1]);
	ok(event.usual_period == rows[i].period && !event.period, "%s: period", rows[i].name);
	ok(test_near(event.scale, scale, 0), "%s: scale", rows[i].name);
	td_event_free(&event);
	ok(!event.name, "%s: freed", rows[i].name);
}

int main(void)
{
	struct td_machine machine = { 0 };

	test_add_pmu(&machine, &pmu);
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(&machine, i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(kinds); i++) {
		struct td_event event = { .type = kinds[i].type, .config = { kinds[i].config } };

		ok(td_event_is_slots(&event) == kinds[i].slots &&
			   td_event_is_metric(&event) == kinds[i].metric,
		   "type %u, config %#llx", kinds[i].type, (unsigned long long)kinds[i].config);
	}
	td_machine_free(&machine);
	return done_testing();
}
