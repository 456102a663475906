// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of -M: names, groups, modifiers, and formulas that refer to others,
 * with small metric files made here.
 */
#include <errno.h>

#include "tests/unit/model_machine.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

#define EVENT_OF(unit, name, code) \
	"{\"EventName\":\"" name "\",\"EventCode\":\"" code "\"" unit "},"
#define METRIC_OF(unit, name, formula, more) \
	"{\"MetricName\":\"" name "\",\"MetricExpr\":\"" formula "\"" more unit "},"
#define METRIC(name, formula, more) METRIC_OF("", name, formula, more)
#define LAST                        "{\"EventName\":\"Z\",\"EventCode\":\"0xff\"}]"

#define CORE ",\"Unit\":\"cpu_core\""
#define ATOM ",\"Unit\":\"cpu_atom\""

/* clang-format off */
static const char one_kind[] = "["
	EVENT_OF("", "A", "0x3c") EVENT_OF("", "B", "0xc0")
	EVENT_OF("", "C", "0xc4") EVENT_OF("", "D", "0xc5")
	EVENT_OF("", "E", "0xc6")
	/*
	 * a circle; a metric of itself; one that means its event, which does
	 * not exist
	 */
	METRIC("one", "two + A", "") METRIC("two", "three * 2", "")
	METRIC("three", "min(one, B)", "") METRIC("nobody", "nobody + A", "")
	METRIC("e", "E / A", "") METRIC("more", "E * 2", "")
	METRIC("tma_above", "A / B", ",\"MetricThreshold\":\"tma_above > 0.2 & C > "
	"5\",\"MetricGroup\":\"TopdownL1;tma_L1_group\"")
	METRIC("tma_below", "C / B", ",\"MetricThreshold\":\"tma_below > 0.1 & tma_above > "
	"0.2\",\"MetricGroup\":\"TopdownL2;tma_L2_group;tma_above_group;Mine\"")
	METRIC("fields", "topdown\\\\-retiring / slots + D", "")
	METRIC("slow", "D / duration_time", "") METRIC("tma_slow", "D", "")
	LAST;

static const char two_kinds[] = "["
	EVENT_OF(CORE, "A", "0x3c") EVENT_OF(ATOM, "A", "0x3d")
	METRIC_OF(CORE, "x", "A * 2", "") METRIC_OF(ATOM, "x", "A * 3", "")
	METRIC_OF(CORE, "y", "x + 1", "") METRIC_OF(ATOM, "y", "x + 1", "")
	METRIC_OF(ATOM, "atoms", "x", "")
	LAST;

#define MAP(cpuid) "Family-model,Version,Filename,EventType\n" cpuid ",v1,own,core\n"
/* clang-format on */

struct asked {
	char root[32];
	struct td_pmu_events files;
	struct td_machine machine;
	struct model_built built;
	bool lacks;  /* result of td_sets_lack_name() */
	bool lacked; /* and whether a set has no metric of one of them */
};

static bool is_in_sets(const struct td_sets *sets, const char *name)
{
	for (size_t pmu = 0; pmu < sets->nr; pmu++) {
		const struct td_metric_set *set = sets->v[pmu];

		for (size_t i = 0; set && i < set->nr_metrics; i++) {
			if (td_ask_matches(name, &set->metrics[i]))
				return true;
		}
	}
	return false;
}

/* Builds the tree for names, separated by commas.  Free with asked_free(). */
static void ask_of(struct asked *a, const char *text, struct td_ask ask, const char *names)
{
	bool hybrid = text == two_kinds;
	const char *cpuid = hybrid ? "GenuineIntel-6-97-2" : "GenuineIntel-6-8F-8";
	const char *map = hybrid ? MAP("GenuineIntel-6-97") : MAP("GenuineIntel-6-8F");
	td_autofree char *copy = strdup(names);
	char *list[8];
	struct td_cpuid id;
	char *rest = copy;

	*a = (struct asked){ .root = "/tmp/tdstat-test-XXXXXX" };
	if (!mkdtemp(a->root))
		perror(a->root);
	test_file(a->root, "mapfile.csv", map, strlen(map));
	test_file(a->root, "own/own.json", text, strlen(text));
	td_cpuid_parse(cpuid, &id, &a->built.err);
	if (td_pmu_events_read(&a->files, a->root, &id, &a->built.err))
		printf("# %s\n", a->built.err.msg);
	model_machine(&a->machine, &id, METRICS_8, hybrid ? GRACEMONT : NULL, &a->files);
	while ((list[ask.nr_names] = strsep(&rest, ",")))
		ask.nr_names++;
	ask.names = list;
	a->built.files = &a->files;
	a->built.machine = &a->machine;
	model_build(&a->built, &ask, true);
	a->lacks = td_sets_lack_name(&ask, &a->machine, &a->files);
	for (size_t i = 0; i < ask.nr_names; i++)
		a->lacked |= !is_in_sets(&a->built.sets, list[i]);
}

static void ask_for(struct asked *a, const char *names)
{
	ask_of(a, one_kind, (struct td_ask){ 0 }, names);
}

static void asked_free(struct asked *a)
{
	model_built_free(&a->built);
	td_machine_free(&a->machine);
	td_pmu_events_free(&a->files);
	test_tree_remove(a->root);
}

/* The metrics that are shown, sorted: "tma_above tma_below". */
static const char *shown(const struct asked *a, char buf[256])
{
	const struct td_tree *tree = &a->built.tree;
	const char *names[16] = { NULL };
	size_t nr = 0;

	for (size_t i = 0; i < tree->nr_metrics && nr < 16; i++) {
		if (tree->metrics[i].shown)
			names[nr++] = tree->metrics[i].name;
	}
	for (size_t i = 0; i < nr; i++) {
		for (size_t j = i + 1; j < nr; j++) {
			const char *name = names[i];

			if (strcmp(names[j], name) < 0) {
				names[i] = names[j];
				names[j] = name;
			}
		}
	}
	buf[0] = '\0';
	for (size_t i = 0; i < nr; i++)
		snprintf(buf + strlen(buf), 256 - strlen(buf), "%s%s", i ? " " : "", names[i]);
	return buf;
}

static const struct td_metric *metric(const struct asked *a, const char *name)
{
	const struct td_tree *tree = &a->built.tree;

	for (size_t i = 0; i < tree->nr_metrics; i++) {
		if (strcmp(tree->metrics[i].name, name) == 0)
			return &tree->metrics[i];
	}
	return NULL;
}

/* --- names ---------------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *names, *shown;
} meant[] = {
	{ "tma_above", "tma_above" },
	{ "TMA_Above", "tma_above" },
	{ "tma_above,tma_below", "tma_above tma_below" },
	{ "tma_below,tma_below", "tma_below" },
	{ "tma_*", "tma_above tma_below tma_slow" },
	{ "TopdownL1", "tma_above" },
	{ "topdownl2", "tma_below" },
	{ "tma_above_group", "tma_below" },
	{ "tma_L?_group", "tma_above tma_below" },
	{ "Mine", "tma_below" },
	{ "mine,slow", "slow tma_below" },
	{ "tma_above:u", "tma_above:u" },
	{ "TopdownL1:u,tma_below:k", "tma_above:u tma_below:k" },
	{ "tma_above,tma_above:u", "tma_above tma_above:u" },
};

/* The same without "tma_", where nothing is called so. */
static const struct {
	const char *names, *shown;
} shortened[] = {
	{ "above", "tma_above" },
	{ "Below", "tma_below" },
	{ "above,tma_above", "tma_above" },
	{ "below:u", "tma_below:u" },
	{ "above_group", "tma_below" },
	{ "L?_group", "tma_above tma_below" },
};

/* Bad names, the message, and its hint. */
static const struct {
	const char *names, *why, *hint;
} senseless[] = {
	{ "tma_abve", "tma_abve", "tma_above" },
	{ "abve", "abve", "tma_above" },
	{ "tma_above,tma_blow", "tma_blow", "tma_below" },
	{ "TopdownL7", "TopdownL7", "TopdownL" },
	{ "tma_abov_group", "tma_abov_group", "tma_above_group" },
	{ "zzzzqqqqxxxx", "zzzzqqqqxxxx", "" },
	{ "tma_abve:u", "tma_abve", "tma_above" },
	{ "none_*", "none_", "" },
	{ "tma_above:y", "tma_above:y", "" },
	{ "A", "A", "" },
};
/* clang-format on */

static void test_names(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(meant); i++) {
		struct asked a;
		char buf[256];

		ask_for(&a, meant[i].names);
		ok(a.built.rc == 0, "-M %s %s", meant[i].names, a.built.err.msg);
		ok(!a.lacks && !a.lacked, "-M %s: is in the files", meant[i].names);
		is_str(shown(&a, buf), meant[i].shown, "-M %s: is %s", meant[i].names,
		       meant[i].shown);
		asked_free(&a);
	}
}

static void test_shortened(void)
{
	char buf[256];
	struct asked a;

	for (size_t i = 0; i < TD_ARRAY_SIZE(shortened); i++) {
		ask_for(&a, shortened[i].names);
		ok(a.built.rc == 0, "-M %s %s", shortened[i].names, a.built.err.msg);
		is_str(shown(&a, buf), shortened[i].shown, "-M %s: is %s", shortened[i].names,
		       shortened[i].shown);
		asked_free(&a);
	}
	ask_for(&a, "slow");
	is_str(shown(&a, buf), "slow", "a metric of that name comes first");
	asked_free(&a);
}

static void test_senseless(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(senseless); i++) {
		struct asked a;

		ask_for(&a, senseless[i].names);
		ok(a.built.rc == -EINVAL && a.built.err.usage, "-M %s: wrong usage",
		   senseless[i].names);
		ok(a.lacks == a.lacked, "-M %s: whether it is in the files", senseless[i].names);
		ok(strstr(a.built.err.msg, senseless[i].why) &&
			   strstr(a.built.err.hint, senseless[i].hint),
		   "-M %s: '%s', '%s'", senseless[i].names, a.built.err.msg, a.built.err.hint);
		asked_free(&a);
	}
}

/* --- formulas that refer to metrics --------------------------------------- */

static void test_circle(void)
{
	static const char *const names[] = { "one", "two", "three", "nobody" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		const struct td_metric *m;
		const char *why = NULL;
		struct asked a;

		ask_for(&a, names[i]);
		m = metric(&a, names[i]);
		if (a.built.rc)
			why = a.built.err.msg;
		else if (m)
			why = td_metric_refusal(&a.built.tree, m);
		ok(why && *why, "%s has no value: %s", names[i], why ? why : "");
		ok(why && (i == 3 || strstr(why, "itself")), "%s: and why", names[i]);
		asked_free(&a);
	}
}

/* a0 refers to a1, a1 to a2 and so on, and the last one to a0. */
static void test_chain(void)
{
	static char text[200 * 64] = "[";
	const size_t nr = 200;
	struct asked a;

	for (size_t i = 0; i < nr; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 METRIC("a%zu", "a%zu + 1", ""), i, (i + 1) % nr);
	strcpy(text + strlen(text) - 1, "]");
	ask_of(&a, text, (struct td_ask){ 0 }, "all");
	ok(a.built.rc < 0 || td_metric_refusal(&a.built.tree, &a.built.tree.metrics[0]),
	   "200 metrics in a circle: %s", a.built.err.msg);
	asked_free(&a);
}

/*
 * In the formula of a metric that is called like an event, in any case, that
 * name means the event; in other formulas it means the metric.
 */
static void test_own_name(void)
{
	static const char *const names[] = { "e", "more" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		const struct td_metric *m;
		struct asked a;

		ask_for(&a, names[i]);
		m = metric(&a, names[i]);
		ok(m && m->value && m->events.nr == 2 && a.built.plan.events.nr == 2,
		   "%s is of the events E and A", names[i]);
		asked_free(&a);
	}
}

/* Each PMU of a hybrid has its own x, computed from its own A. */
static void test_own_pmu(void)
{
	char buf[256];
	struct asked a;

	ask_of(&a, two_kinds, (struct td_ask){ 0 }, "y,atoms");
	is_str(shown(&a, buf), "atoms y y", "on two PMUs");
	for (size_t i = 0; i < a.built.tree.nr_metrics; i++) {
		const struct td_metric *m = &a.built.tree.metrics[i];

		ok(m->value && m->events.nr == 1 &&
			   a.built.plan.events.v[m->events.v[0]].pmu == m->pmu,
		   "%s of %s: counted there", m->name, a.machine.pmus[m->pmu].name);
	}
	ok(a.built.plan.events.nr == 2, "A on each");
	asked_free(&a);
}

/* --- modifiers, thresholds, sharing --------------------------------------- */

static bool has_only(const struct td_modifiers *mods, bool user)
{
	return mods->user == user && mods->kernel == !user && !mods->hypervisor && !mods->guest &&
	       !mods->host;
}

static void test_modifiers(void)
{
	static const char *const names[] = { "tma_below:u", "fields:u", "slow:u",
					     "tma_below:k", "fields:k", "Topdown*:u" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		bool user = strchr(names[i], ':')[1] == 'u', all = true;
		struct asked a;

		ask_for(&a, names[i]);
		for (size_t e = 0; e < a.built.plan.events.nr; e++) {
			const struct td_event *event = &a.built.plan.events.v[e];

			if (!has_only(&event->mods, user))
				printf("# %s\n", event->name);
			all = all && has_only(&event->mods, user);
		}
		ok(a.built.rc == 0 && a.built.plan.events.nr && all, "-M %s: all %zu events",
		   names[i], a.built.plan.events.nr);
		asked_free(&a);
	}
}

static void test_two_rings(void)
{
	struct asked a;

	ask_for(&a, "tma_below,tma_below:u");
	/* B, C, and A for the threshold, each with both modifiers */
	ok(a.built.rc == 0 && a.built.plan.events.nr == 6,
	   "with and without a modifier: events of their own, %zu", a.built.plan.events.nr);
	asked_free(&a);
}

/* clang-format off */
static const struct {
	const char *names;
	struct td_ask how;
	size_t events;
	const char *what;
} costs[] = {
	{ "tma_below", { .no_threshold = false }, 3, "its parent's A for the threshold" },
	{ "tma_below", { .no_threshold = true }, 2, "none for the threshold" },
	{ "tma_above", { .no_threshold = false }, 3, "a threshold with an event" },
	{ "tma_above", { .no_threshold = true }, 2, "none for the threshold" },
	{ "tma_above,tma_below", { .no_threshold = true }, 3, "B is counted once" },
	{ "tma_above,tma_below", { .no_threshold = true, .no_merge = true }, 4, "B twice" },
	{ "tma_above,tma_below", { .no_threshold = false }, 3, "all is there" },
	/* topdown-retiring, slots, D; no second SLOTS */
	{ "fields", { .no_threshold = false }, 3, "one SLOTS" },
	{ "slow", { .no_threshold = false }, 1, "time is not counted" },
};
/* clang-format on */

static void test_costs(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(costs); i++) {
		bool any = false;
		struct asked a;

		ask_of(&a, one_kind, costs[i].how, costs[i].names);
		for (size_t m = 0; m < a.built.tree.nr_metrics; m++)
			any |= a.built.tree.metrics[m].threshold != NULL;
		ok(a.built.rc == 0 && a.built.plan.events.nr == costs[i].events,
		   "-M %s: %zu events: %s", costs[i].names, costs[i].events, costs[i].what);
		if (a.built.plan.events.nr != costs[i].events) {
			printf("# got: %zu\n", a.built.plan.events.nr);
			for (size_t e = 0; e < a.built.plan.events.nr; e++)
				printf("# %s\n", a.built.plan.events.v[e].name);
		}
		ok(!costs[i].how.no_threshold || !any, "-M %s: no thresholds", costs[i].names);
		asked_free(&a);
	}
}

int main(void)
{
	test_names();
	test_shortened();
	test_senseless();
	test_circle();
	test_chain();
	test_own_name();
	test_own_pmu();
	test_modifiers();
	test_two_rings();
	test_costs();
	return done_testing();
}
