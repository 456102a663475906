// SPDX-License-Identifier: GPL-2.0-only
/* Finds the operand that a name in a formula means. */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/regex.h"
#include "lib/base/util.h"
#include "lib/event/symbols.h"
#include "lib/machine/uarch.h"
#include "metrics/tree/scope.h"

static const struct td_event_def *find_event(const struct td_metric_set *set,
					     const char *id)
{
	for (size_t i = 0; i < set->nr_events; i++) {
		if (strcmp(set->events[i].id, id) == 0)
			return &set->events[i];
	}
	return NULL;
}

static int constant(struct td_scope *scope, const char *name, double value)
{
	struct td_operand like =
		td_tree_new_operand(scope, TD_OPERAND_CONSTANT);

	like.state = TD_OPERAND_READY;
	return td_tree_intern(scope, &like, name, value);
}

/* Is the name a call of function, such as "has_event(x)"?  arg is its "x". */
static bool is_call(const char *name, const char *function, char *arg,
		    size_t size)
{
	size_t len = strlen(function), end = strlen(name);

	if (strncmp(name, function, len) != 0 || name[len] != '(')
		return false;
	snprintf(arg, size, "%.*s", (int)(end - len - 2), name + len + 1);
	return true;
}

/* Does a regular expression match the processor's identity? */
static double is_this_processor(const struct td_machine *machine,
				const char *expression)
{
	char cpuid[48], why[128];
	regex_t regex;
	bool match;

	td_cpuid_format(&machine->cpuid, cpuid);
	if (td_regex_compile(&regex, expression, why, sizeof(why)))
		return NAN;
	match = regexec(&regex, cpuid, 0, NULL, 0) == 0;
	regfree(&regex);
	return match;
}

/* perf's names of times that it measures itself. */
static enum td_tool find_time(const char *name)
{
	static const struct {
		const char *name;
		enum td_tool tool;
	} times[] = {
		{ "duration_time", TD_TOOL_DURATION_TIME },
		{ "user_time", TD_TOOL_USER_TIME },
		{ "system_time", TD_TOOL_SYSTEM_TIME },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(times); i++) {
		if (strcasecmp(times[i].name, name) == 0)
			return times[i].tool;
	}
	return TD_TOOL_NONE;
}

/*
 * Does the name mean a clock?  All places count the same of it, so that it is
 * not added up.  The files write those of an uncore as an event of the first
 * unit.
 */
static bool is_clock(const char *name)
{
	static const char *const uncore[] = {
		"UNC_CLOCK.SOCKET",        "cbox_0/event=0x0/",
		"cha_0/event=0x0/",        "imc_0/event=0x0/",
		"uncore_cha_0/event=0x1/",
	};

	if (td_tree_is_tsc(name))
		return true;
	for (size_t i = 0; i < TD_ARRAY_SIZE(uncore); i++) {
		if (strcasecmp(uncore[i], name) == 0)
			return true;
	}
	return false;
}

bool td_tree_is_tsc(const char *name)
{
	static const char slashed[] = "msr/tsc";
	size_t len = strlen(slashed);

	return strcasecmp(name, "tsc") == 0 ||
	       (strncmp(name, slashed, len) == 0 &&
		(name[len] == '/' || name[len] == ','));
}

/*
 * The kernel lists those generic events of a core that it can count, and refuses
 * to open all others.
 */
static bool is_unlisted(const struct td_scope *scope,
			const struct td_symbol *symbol)
{
	const struct td_pmu *pmu = &scope->setup->machine->pmus[scope->pmu];

	return symbol && !scope->setup->fixed &&
	       td_pmu_has_event(pmu, "cpu-cycles") &&
	       !td_pmu_has_event(pmu, symbol->name) &&
	       !(symbol->alias && td_pmu_has_event(pmu, symbol->alias));
}

static const struct td_symbol *find_generic(const char *name)
{
	const struct td_symbol *symbol = td_symbol_find(name);

	return symbol && !symbol->tool && symbol->type == PERF_TYPE_HARDWARE
		       ? symbol
		       : NULL;
}

/*
 * Looks up has_event(), which is a constant: whether the event exists is known
 * before counting.
 */
static int lookup_has_event(struct td_scope *scope, const char *name,
			    const char *arg)
{
	struct td_operand like = td_tree_new_operand(scope, TD_OPERAND_EVENT);
	const struct td_symbol *generic = find_generic(arg);
	int index, rc = 0;

	if (is_unlisted(scope, generic)) {
		scope->lacking = generic->name;
		return constant(scope, name, 0);
	}
	index = td_tree_intern(scope, &like, arg, NAN);
	if (index < 0)
		return index;
	if (scope->tree->operands[index].state == TD_OPERAND_NEW)
		rc = td_tree_find_events(scope, &scope->tree->operands[index]);
	if (rc)
		return rc;
	if (generic && scope->tree->operands[index].refusal)
		scope->lacking = generic->name;
	return constant(scope, name, !scope->tree->operands[index].refusal);
}

/* Looks up a call; *is: the name is one. */
static int lookup_call(struct td_scope *scope, const char *name, bool *is)
{
	enum td_operand_kind kind = TD_OPERAND_CONSTANT;
	struct td_operand like;
	char arg[256];

	*is = true;
	if (is_call(name, "strcmp_cpuid_str", arg, sizeof(arg)))
		return constant(scope, name,
				is_this_processor(scope->setup->machine, arg));
	if (is_call(name, "has_event", arg, sizeof(arg)))
		return lookup_has_event(scope, name, arg);
	if (is_call(name, "source_count", arg, sizeof(arg)))
		kind = TD_OPERAND_SOURCES;
	else if (is_call(name, "aggr_nr", arg, sizeof(arg)))
		kind = TD_OPERAND_CPUS;
	*is = kind != TD_OPERAND_CONSTANT;
	like = td_tree_new_operand(scope, kind);
	return *is ? td_tree_intern(scope, &like, arg, NAN) : 0;
}

int td_tree_lookup(void *ctx, const char *name)
{
	struct td_scope *scope = ctx;
	const struct td_metric_set *set = scope->tree->sets[scope->pmu];
	const struct td_pmu *pmu = &scope->setup->machine->pmus[scope->pmu];
	struct td_operand like = td_tree_new_operand(scope, TD_OPERAND_EVENT);
	bool is_a_call;
	double value;
	int rc;

	if (strcmp(name, "#width") == 0)
		return constant(scope, name, td_uarch_width(pmu->uarch));
	if (strcasecmp(name, "#num_cpus_online") == 0) {
		like.kind = TD_OPERAND_PLACES;
		like.state = TD_OPERAND_READY;
		return td_tree_intern(scope, &like, name, NAN);
	}
	if (*name == '#') {
		rc = td_literals_find(scope->setup->literals, name, &value);
		return rc ? rc : constant(scope, name, value);
	}
	rc = lookup_call(scope, name, &is_a_call);
	if (rc || is_a_call)
		return rc;
	like.event = find_event(set, name);
	like.tool = find_time(name);
	like.def = like.event ? NULL : td_set_find(set, name);
	/*
	 * in the formula of a metric that is called like an event, the name
	 * means the event
	 */
	if (like.def == scope->self)
		like.def = NULL;
	if (like.def)
		like.kind = TD_OPERAND_METRIC;
	else if (like.tool)
		like.kind = TD_OPERAND_TIME;
	else if (is_clock(name))
		like.kind = TD_OPERAND_CLOCK;
	/* joules, whatever the kernel counts */
	like.scaled = like.kind == TD_OPERAND_EVENT && scope->def &&
		      scope->def->package;
	like.own_cpus = like.kind == TD_OPERAND_EVENT && scope->def &&
			!scope->def->package && !scope->def->apart &&
			scope->setup->machine->nr_core > 1;
	/* one operand for each metric, in whatever case formulas write it */
	return td_tree_intern(scope, &like, like.def ? like.def->name : name,
			      NAN);
}
