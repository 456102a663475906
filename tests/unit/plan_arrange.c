// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler of typed events.  The rule (lib/plan/plan.h; metrics.md, 1.3): SLOTS leads,
 * followed directly by all fields of its PMU, and then by the events typed in braces with SLOTS.
 * Everything else stays as typed.  A group has one PMU.
 */
#include "lib/plan/plan.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "tests/unit/test.h"
#include "tests/unit/typed.h"

/* Events have letters here, in texts and in groups. */
static const struct {
	char letter;
	const char *name;
} letters[] = {
	{ 'S', "slots" },
	{ 'T', "topdown-retiring" },
	{ 'B', "topdown-bad-spec" },
	{ 'F', "topdown-fe-bound" },
	{ 'i', "instructions" },
	{ 'c', "cycles" },
	{ 'b', "branches" },
	{ 'x', "context-switches" },
	{ 'p', "faults" },
	{ 't', "sched:sched_switch" },
	{ 'm', "mem:0x1000" },
	{ 'd', "duration_time" },
	{ 'u', "uncore_imc_0/data_read/" },
	{ 's', "r400" },
	{ 'r', "r8000" },
	{ 'C', "cpu_core/cycles/" },
	{ 'A', "cpu_atom/cycles/" },
	{ 'K', "cpu_atom/topdown-retiring/" },
};

static const char *name_of(char letter)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(letters); i++) {
		if (letters[i].letter == letter)
			return letters[i].name;
	}
	return NULL;
}

/* "{c,i}:u" -> "{cycles,instructions}:u"; to be freed. */
static char *spell_out(const char *text)
{
	char *out;
	size_t size;
	FILE *fp = open_memstream(&out, &size);

	if (!fp)
		abort();
	while (*text) {
		const char *name = name_of(*text);
		size_t mods;

		fputs(name ? name : "", fp);
		if (!name)
			fputc(*text, fp);
		text++;
		mods = *text == ':' ? strcspn(text, ",}") : 0;
		fwrite(text, 1, mods, fp);
		text += mods;
	}
	fclose(fp);
	return out;
}

static char letter_of(const struct typed *t, int event)
{
	const struct td_event *e = &t->plan.events.v[event];
	const struct td_span *span;

	if (e->spec < 0)
		return 'S';
	span = &t->text.specs[e->spec].span;
	for (size_t i = 0; i < TD_ARRAY_SIZE(letters); i++) {
		if (strncmp(span->text + span->at, letters[i].name, strlen(letters[i].name)) == 0)
			return letters[i].letter;
	}
	return '?';
}

/*
 * "core: S T | atom: T | x": groups name the core PMU of a hybrid; + is an event that was not
 * requested.
 */
static char *describe(const struct typed *t)
{
	const struct td_plan *plan = &t->plan;
	char *out;
	size_t size;
	FILE *fp = open_memstream(&out, &size);

	if (!fp)
		abort();
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];
		const char *pmu = t->machine.pmus[group->pmu].name;

		fprintf(fp, "%s", g ? " | " : "");
		if (strncmp(pmu, "cpu_", 4) == 0)
			fprintf(fp, "%s: ", pmu + 4);
		for (size_t i = 0; i < group->nr; i++)
			fprintf(fp, "%s%s%c", i ? " " : "",
				plan->events.v[group->members[i]].hidden ? "+" : "",
				letter_of(t, group->members[i]));
	}
	fclose(fp);
	return out;
}

/* Free with typed_free(). */
static int arrange(struct typed *t, const char *model, const char *text)
{
	int rc;

	typed_machine(t, model);
	t->words = spell_out(text);
	rc = typed_resolve(t, t->words);
	if (!rc)
		rc = td_plan_arrange(&t->plan, &t->machine, &t->notes, &t->err);
	if (rc)
		printf("# %s: %s\n", t->words, t->err.msg);
	return rc;
}

/* clang-format off */
/*
 * perf's own test (tests/shell/stat.sh, test_topdown_groups) with two more
 * columns: f and g are instructions and cycles, or two software events.  Those
 * are one event each; on a hybrid they are not counted in a group of cpu_core,
 * whose CPUs are not all; notes: how many.
 */
static const struct {
	const char *text, *spr, *adl, *adl_software;
	size_t notes;
} cases[] = {
	{ "f,T,S",
	  "f | S T",
	  "core: f | atom: f | core: S T | atom: T",
	  "f | core: S T | atom: T", 0 },
	{ "S,f,T",
	  "S T | f",
	  "core: S T | core: f | atom: f | atom: T",
	  "core: S T | f | atom: T", 0 },
	{ "{f,T,S}",
	  "S T f",
	  "core: S T f | atom: f T",
	  "f | core: S T | atom: T", 1 },
	{ "{f,S},T",
	  "S T f",
	  "core: S T f | atom: f | atom: T",
	  "f | core: S T | atom: T", 1 },
	{ "T,{f,S}",
	  "S T f",
	  "core: S T f | atom: T | atom: f",
	  "core: S T | atom: T | f", 1 },
	{ "{f,S},{T}",
	  "S T f",
	  "core: S T f | atom: f | atom: T",
	  "f | core: S T | atom: T", 1 },
	{ "{T},{f,S}",
	  "S T f",
	  "core: S T f | atom: T | atom: f",
	  "core: S T | atom: T | f", 1 },
	{ "{f,S},g,T",
	  "S T f | g",
	  "core: S T f | atom: f | core: g | atom: g | atom: T",
	  "f | core: S T | g | atom: T", 1 },
	{ "g,T,{f,S}",
	  "g | S T f",
	  "core: g | atom: g | core: S T f | atom: T | atom: f",
	  "g | core: S T | atom: T | f", 1 },
	{ "{f,S},{g,T}",
	  "S T f | g",
	  "core: S T f | atom: f | core: g | atom: g T",
	  "f | core: S T | g | atom: T", 2 },
	{ "{f,T},{g,S}",
	  "f | S T g",
	  "core: f | atom: f T | core: S T g | atom: g",
	  "f | core: S T | atom: T | g", 2 },
};

static const struct {
	const char *model, *text, *want;
	size_t notes;
} rows[] = {
	/* the other two of perf's test */
	{ "spr", "{S,T}", "S T" },
	{ "adl", "{S,T}", "core: S T | atom: T" },
	{ "spr", "{i,s,r}", "s r i" },
	{ "adl", "{i,s,r}", "core: s r i | atom: i s r" },

	/* SLOTS, then the fields as typed, then the rest as typed */
	{ "spr", "{c,B,S,i,T}", "S B T c i" },
	{ "adl", "{c,B,S,i,T}", "core: S B T c i | atom: c B i T" },
	{ "spr", "T,c,B,S,i,F", "S T B F | c | i" },
	{ "spr", "{S,T},{S,B}", "S T | S B" }, /* each has its own */
	{ "spr", "{S,T},{c,S,B},F", "S T F | S B c" },
	{ "icx", "S,c", "S | c" },

	/* added without a request */
	{ "spr", "T", "+S T" },
	{ "icx", "i,T,B", "i | +S T B" },
	{ "spr", "{i,T}", "+S T i" },
	{ "spr", "{i,T},{c,B}", "+S T B i | c" },
	{ "spr", "T:k,B:k", "+S T B" },
	{ "adl", "T", "core: +S T | atom: T" },
	{ "adl", "{T,i}", "core: +S T i | atom: T i" },
	{ "arl-h", "{c,T}", "core: +S T c | atom: c T | lowpower: c T" },
	{ "adl", "K", "atom: K" }, /* cpu_atom's is an event like others */
	{ "adl", "{A,K}", "atom: A K" },
	{ "ehl", "{T,c}", "T c" },
	{ "srf", "T,B", "T | B" },

	/* where it was typed */
	{ "spr", "S,T:X", "S | T" },
	{ "spr", "S,T:X,B", "S B | T" },
	{ "spr", "{i,T:X},S", "i T | S" },
	{ "spr", "T:X", "T" },
	{ "spr", "{T:X,i}", "T i" },
	{ "spr", "{c,T}:X", "c T" },
	{ "spr", "{S,i,T:X}", "S i T" },
	{ "spr", "{S,i,T:X},B", "S B i T" },
	{ "adl", "{c,T}:X", "core: c T | atom: c T" },

	/* one PMU a group; a note where a group names two */
	{ "spr", "{c,i},b", "c i | b" },
	{ "spr", "{c},{i}", "c | i" },
	{ "spr", "c,c", "c | c" },
	{ "adl", "{c,i}", "core: c i | atom: c i" },
	{ "adl", "c,i", "core: c | atom: c | core: i | atom: i" },
	{ "arl-h", "{c,i}", "core: c i | atom: c i | lowpower: c i" },
	{ "adl", "{C,A}", "core: C | atom: A", 1 },
	{ "adl", "{C,A},{A,C}", "core: C | atom: A | atom: A | core: C", 1 },
	{ "adl", "{C,i}", "core: C i | atom: i" },
	{ "adl", "{i,C,b,A}", "core: i C b | atom: i b A", 1 },
	{ "spr", "{c,u}", "c | u", 1 },

	/* the kernel's own events go with any, where the CPUs are the same */
	{ "spr", "{c,x,i}", "c x i" },
	{ "spr", "{x,c}", "x c" },
	{ "adl", "{c,x,i}", "core: c i | atom: c i | x", 1 },
	{ "lnl", "{t,c}", "t | core: c | atom: c", 1 },
	{ "adl", "{m,C}", "m | core: C", 1 },
	{ "spr", "{u,x}", "u | x", 1 },
	{ "adl", "{x,p}", "x p" },
	{ "spr", "{x,t}", "x t" },
	{ "spr", "{t,x,m}", "t x m" },
	{ "adl", "{x,t}", "x t" },
	{ "spr", "{x,t,c}", "x t c" },

	/* the tools' are not the kernel's */
	{ "spr", "d", "" },
	{ "spr", "{d,c}", "c" },
	{ "adl", "x,{c,d,i}", "x | core: c i | atom: c i" },
};
/* clang-format on */

/* Every event that can be counted is in one group, and once. */
static bool each_once(const struct typed *t)
{
	const struct td_plan *plan = &t->plan;

	for (size_t e = 0; e < plan->events.nr; e++) {
		int pmu = plan->events.v[e].pmu, times = 0;

		for (size_t g = 0; g < plan->nr_groups; g++) {
			for (size_t i = 0; i < plan->groups[g].nr; i++)
				times += plan->groups[g].members[i] == (int)e;
		}
		if (times !=
		    (t->machine.pmus[pmu].kind != TD_PMU_TOOL && !plan->events.v[e].refusal))
			return false;
	}
	return true;
}

/*
 * Return true if the group has one PMU, apart from software events, and is marked if SLOTS leads
 * it.
 */
static bool is_sound(const struct typed *t, const struct td_group *group)
{
	const struct td_event *events = t->plan.events.v;

	if (!group->nr || group->reference != -1 || group->clone != -1 ||
	    group->slots != td_event_is_slots(&events[group->members[0]]))
		return false;
	for (size_t i = 0; i < group->nr; i++) {
		const struct td_event *e = &events[group->members[i]];

		if (e->pmu != group->pmu && t->machine.pmus[e->pmu].kind != TD_PMU_SOFTWARE)
			return false;
		if (td_event_is_metric(e) && !e->mods.dont_regroup && !group->slots)
			return false;
	}
	return true;
}

static void test_row(const char *model, const char *text, const char *want, size_t notes)
{
	td_autofree char *got = NULL;
	bool sound = true;
	struct typed t;

	ok(arrange(&t, model, text) == 0, "%s, %s", model, text);
	got = describe(&t);
	is_str(got, want, "%s, %s: groups", model, text);
	for (size_t g = 0; g < t.plan.nr_groups; g++)
		sound &= is_sound(&t, &t.plan.groups[g]);
	ok(sound && each_once(&t), "%s, %s: sound", model, text);
	ok(t.notes.nr == notes, "%s, %s: %zu notes", model, text, notes);
	for (size_t i = 0; t.notes.nr != notes && i < t.notes.nr; i++)
		printf("# %s\n", t.notes.v[i]);
	typed_free(&t);
}

/* f and g become events. */
static const char *fill_in(const char *text, const char *events, char *buf)
{
	size_t i = 0;

	for (; text[i]; i++)
		buf[i] = text[i] == 'f' ? events[0] : text[i] == 'g' ? events[1] : text[i];
	buf[i] = '\0';
	return buf;
}

static void test_case(size_t i)
{
	static const char *const kinds[] = { "ic", "xp" };
	char text[80], want[120];

	for (int k = 0; k < 2; k++) {
		fill_in(cases[i].text, kinds[k], text);
		/* "atom: f", but not the f of a name */
		test_row("spr", text, fill_in(cases[i].spr, kinds[k], want), 0);
		test_row("adl", text,
			 fill_in(k ? cases[i].adl_software : cases[i].adl, kinds[k], want),
			 k ? cases[i].notes : 0);
	}
}

/* SLOTS without a request: like its field, and hidden. */
static void test_added(void)
{
	const struct td_event *slots;
	struct typed t;

	arrange(&t, "adl", "c,{i,T:uS}");
	slots = &t.plan.events.v[t.plan.events.nr - 1];
	is_str(slots->name, "cpu_core/slots/", "added: its name");
	ok(slots->hidden && slots->type == 4 && slots->config[0] == 0x400 && slots->pmu == 0 &&
		   slots->spec == -1,
	   "added: SLOTS of cpu_core, hidden");
	ok(slots->mods.user && !slots->mods.kernel && !slots->mods.guest,
	   "added: with its field's rings");
	typed_free(&t);
	arrange(&t, "spr", "S,T");
	ok(t.plan.events.nr == 2 && !t.plan.events.v[0].hidden, "asked for: not added, not hidden");
	typed_free(&t);
}

/* Events that are known to be impossible are in no group. */
static void test_refused_before(void)
{
	td_autofree char *got = NULL;
	struct typed t;

	typed_machine(&t, "spr");
	t.words = spell_out("{c,i},T");
	typed_resolve(&t, t.words);
	t.plan.events.v[0].refusal = strdup("it cannot be");
	t.plan.events.v[2].refusal = strdup("nor can this");
	ok(td_plan_arrange(&t.plan, &t.machine, &t.notes, &t.err) == 0, "two that are refused");
	got = describe(&t);
	is_str(got, "i", "the rest is left, and no SLOTS is added");
	typed_free(&t);
}

/* clang-format off */
/*
 * Where software events that were typed alone are gathered: those that only
 * software counts (a tracepoint, a breakpoint may be refused), in the place of
 * the first one, and not those that have a say of their own.
 */
static const struct {
	const char *model, *text, *want;
} gathered[] = {
	{ "spr", "x,p", "x p" },
	{ "spr", "x,c,p,S,T", "x p | c | S T" },
	{ "adl", "x,c,p", "x p | core: c | atom: c" },
	{ "spr", "x,{p,x},p", "x p | p x" },
	{ "spr", "{c,x},x,p", "c x | x p" },
	{ "spr", "x,t,m,p", "x p | t | m" },
	{ "spr", "x:u,p:k", "x p" },
	{ "spr", "x,p:D,x", "x x | p" },
	{ "spr", "x,p:e,x", "x x | p" },
	{ "spr", "x,d,p", "x p" },
};
/* clang-format on */

static void test_gathered(size_t i)
{
	td_autofree char *got = NULL;
	struct typed t;

	typed_machine(&t, gathered[i].model);
	t.words = spell_out(gathered[i].text);
	typed_resolve(&t, t.words);
	t.plan.gathers = true;
	ok(td_plan_arrange(&t.plan, &t.machine, &t.notes, &t.err) == 0 && t.notes.nr == 0,
	   "gathered: %s", gathered[i].text);
	got = describe(&t);
	is_str(got, gathered[i].want, "gathered: %s", gathered[i].text);
	typed_free(&t);
}

/* More than the counters hold: Golden Cove has eight general ones. */
static void test_weak_too_large(const char *text, size_t groups, size_t notes)
{
	struct typed t;

	typed_machine(&t, "spr");
	ok(typed_resolve(&t, text) == 0 &&
		   td_plan_arrange(&t.plan, &t.machine, &t.notes, &t.err) == 0,
	   "%s", text);
	ok(t.plan.nr_groups == groups, "%s: %zu groups", text, groups);
	ok(t.notes.nr == notes && each_once(&t), "%s: %zu notes", text, notes);
	typed_free(&t);
}

/* Typed events are counted as typed, or not at all. */
static void test_as_typed(const char *text, bool pinned)
{
	const struct td_group *group;
	struct typed t;

	ok(arrange(&t, "spr", text) == 0 && t.plan.nr_groups == 1, "%s", text);
	group = &t.plan.groups[0];
	ok(group->pinned == pinned && !group->may_unpin && !td_plan_can_split(group) &&
		   td_plan_split(&t.plan, 0, &t.err) == -EINVAL,
	   "%s: neither split nor unpinned", text);
	typed_free(&t);
}

/* clang-format off */
/* A group that the kernel does not take. */
static const struct {
	const char *model, *text;
	size_t group;
	const char *want; /* NULL: there is nothing to take apart */
} breaks[] = {
	{ "spr", "{c,i,b}:W", 0, "c | i | b" },
	{ "spr", "{c,i,b}", 0, NULL },
	{ "spr", "{c}:W", 0, NULL },
	{ "spr", "{c,i},{b,x}:W", 0, NULL },
	{ "spr", "{c,i},{b,x}:W", 1, "c i | b | x" },
	{ "adl", "{c,i}:W", 0, "core: c | atom: c i | core: i" },
	{ "adl", "{c,i}:W", 1, "core: c i | atom: c | atom: i" },
	{ "spr", "{S,T,B}:W", 0, NULL },
	{ "spr", "{T,B}:W", 0, NULL },
	{ "spr", "{S,T,i,B,c}:W", 0, "S T B | i | c" },
	{ "spr", "{i,T}:W", 0, "+S T | i" },
	{ "spr", "{S,i}:W,T", 0, "S T | i" },
	{ "spr", "{S,i}:W", 0, "S | i" },
	/* the field leaves its weak group for one that is not */
	{ "spr", "{S,i},{c,T}:W", 0, NULL },
};
/* clang-format on */

static void test_break(size_t row)
{
	const char *model = breaks[row].model, *text = breaks[row].text;
	td_autofree char *got = NULL;
	bool sound = true;
	struct typed t;

	arrange(&t, model, text);
	ok(td_plan_is_breakable(&t.plan, breaks[row].group) == (breaks[row].want != NULL),
	   "break %s, %s: %s", model, text, breaks[row].want ? "yes" : "no");
	if (breaks[row].want) {
		td_plan_break(&t.plan, breaks[row].group);
		got = describe(&t);
		is_str(got, breaks[row].want, "break %s, %s: groups", model, text);
		for (size_t g = 0; g < t.plan.nr_groups; g++)
			sound &= is_sound(&t, &t.plan.groups[g]);
		ok(sound && each_once(&t) && !td_plan_is_breakable(&t.plan, breaks[row].group),
		   "break %s, %s: sound", model, text);
	}
	typed_free(&t);
}

/* clang-format off */
/* A member that the kernel does not count. */
static const struct {
	const char *text;
	size_t group, member;
	const char *want, *refused;
} refusals[] = {
	{ "{c,i,b}", 0, 1, "c b", "i" },
	{ "{c,i,b}", 0, 0, "i b", "c" },
	{ "{c,i,b}", 0, 2, "c i", "b" },
	{ "{S,T,B,i}", 0, 0, "i", "STB" },
	{ "{S,T,B,i}", 0, 1, "S B i", "T" },
	{ "{S,T,B,i}", 0, 3, "S T B", "i" },
	{ "{S,T,B}", 0, 0, "", "STB" },
	{ "{T,B}", 0, 0, "", "STB" },
	{ "c,i", 0, 0, "i", "c" },
	{ "{c},{i,b},x", 1, 1, "c | i | x", "b" },
	{ "c,{S,T},b", 1, 0, "c | b", "ST" },
};
/* clang-format on */

static void test_refuse(size_t row)
{
	const char *text = refusals[row].text;
	td_autofree char *got = NULL;
	struct typed t;
	char refused[16];
	size_t nr = 0;

	arrange(&t, "spr", text);
	/* SLOTS that was added is the last of the events: it is named first */
	td_plan_refuse(&t.plan, refusals[row].group, refusals[row].member, "no such luck");
	got = describe(&t);
	is_str(got, refusals[row].want, "refuse %s, %zu: the groups", text, refusals[row].member);
	for (int hidden = 1; hidden >= 0; hidden--) {
		for (size_t e = 0; e < t.plan.events.nr; e++) {
			const struct td_event *event = &t.plan.events.v[e];

			if (event->hidden == hidden && event->refusal &&
			    strcmp(event->refusal, "no such luck") == 0)
				refused[nr++] = letter_of(&t, (int)e);
		}
	}
	refused[nr] = '\0';
	is_str(refused, refusals[row].refused, "refuse %s, %zu: these", text, refusals[row].member);
	for (size_t g = 0; g < t.plan.nr_groups; g++)
		ok(is_sound(&t, &t.plan.groups[g]) && each_once(&t), "refuse %s, %zu: sound", text,
		   refusals[row].member);
	typed_free(&t);
}

/* clang-format off */
/*
 * Modifiers as bits of perf_event_attr: letters for what is excluded (user, kernel, hypervisor,
 * Idle, Host, Guest), p and a number, D pinned, e exclusive. perf 7.2 sets the same
 * (parse_events__modifier_list()).  In the order of the groups and their members.
 */
static const struct {
	const char *model, *text, *want;
} attrs[] = {
	{ "spr", "c", "-" },
	{ "spr", "c:u", "kh" },
	{ "spr", "c:k", "uh" },
	{ "spr", "c:h", "uk" },
	{ "spr", "c:uk", "h" },
	{ "spr", "c:kh", "u" },
	{ "spr", "c:uh", "k" },
	{ "spr", "c:ukh", "-" },
	{ "spr", "c:G", "H" },
	{ "spr", "c:H", "G" },
	{ "spr", "c:GH", "-" },
	{ "spr", "c:uG", "khH" },
	{ "spr", "c:kH", "uhG" },
	{ "spr", "c:I", "I" },
	{ "spr", "c:uI", "khI" },
	{ "spr", "c:p", "Gp1" }, /* use of precise requires exclude_guest */
	{ "spr", "c:pp", "Gp2" },
	{ "spr", "c:ppp", "Gp3" },
	{ "spr", "c:ppu", "khGp2" },
	{ "spr", "c:pH", "Gp1" },
	{ "spr", "c:P", "-" }, /* stat does not sample */
	{ "spr", "c:S", "-" },
	{ "spr", "c:R", "-" },
	{ "spr", "c:X", "-" },
	{ "spr", "c:D", "D" },
	{ "spr", "c:e", "e" },
	{ "spr", "c:De", "De" },
	{ "adl", "c:u", "kh | kh" },
	{ "spr", "x:k,t:u,m:G", "uh | kh | H" },
	/* members; D and e are the leader's */
	{ "spr", "{c:u,i}", "kh -" },
	{ "spr", "{c,i}:u", "kh kh" },
	{ "spr", "{c:u,i}:k", "h uh" },
	{ "spr", "{S,i},{c,T}:D", "- - - | D" },
	{ "spr", "{c:p,i}:p", "Gp2 Gp1" },
	{ "spr", "{c:D,i}", "D -" },
	{ "spr", "{c,i}:De", "De -" },
	{ "adl", "{c,i}:D", "D - | D -" },
	{ "spr", "{c,i}:W", "- -" },
	/* whichever event leads in the end */
	{ "spr", "{i,S}:D", "D -" },
	{ "spr", "{i:e,T,S}", "e - -" },
	{ "spr", "{T,i}:De", "De - -" },
	{ "spr", "{i,T}:D", "D - -" },
	{ "adl", "{C,A}:D", "D | D" },
	{ "adl", "{x,C,c}:e", "e | e - | e" },
	{ "spr", "{S,T}:k", "uh uh" },
	{ "spr", "{i,T:u}", "kh kh -" },
};
/* clang-format on */

static void put_attr(FILE *fp, const struct perf_event_attr *attr)
{
	const struct {
		bool set;
		char letter;
	} bits[] = {
		{ attr->exclude_user, 'u' }, { attr->exclude_kernel, 'k' },
		{ attr->exclude_hv, 'h' },   { attr->exclude_idle, 'I' },
		{ attr->exclude_host, 'H' }, { attr->exclude_guest, 'G' },
		{ attr->pinned, 'D' },       { attr->exclusive, 'e' },
	};
	bool any = attr->precise_ip;

	for (size_t i = 0; i < 6; i++) {
		any |= bits[i].set;
		if (bits[i].set)
			fputc(bits[i].letter, fp);
	}
	if (attr->precise_ip)
		fprintf(fp, "p%u", (unsigned int)attr->precise_ip);
	for (size_t i = 6; i < TD_ARRAY_SIZE(bits); i++) {
		any |= bits[i].set;
		if (bits[i].set)
			fputc(bits[i].letter, fp);
	}
	if (!any)
		fputc('-', fp);
}

static void test_attr(const char *model, const char *text, const char *want,
		      const struct td_target *target)
{
	char got[128] = "";
	FILE *fp = fmemopen(got, sizeof(got), "w");
	struct typed t;

	arrange(&t, model, text);
	for (size_t g = 0; g < t.plan.nr_groups; g++) {
		const struct td_group *group = &t.plan.groups[g];

		fputs(g ? " | " : "", fp);
		for (size_t i = 0; i < group->nr; i++) {
			struct perf_event_attr attr = td_plan_attr(&t.plan, group, i, target);

			fputs(i ? " " : "", fp);
			put_attr(fp, &attr);
		}
	}
	fclose(fp);
	is_str(got, want, "attributes of %s, %s%s%s", model, text,
	       target->exclude_kernel ? ", user space only" : "",
	       target->exclude_guest ? ", without guests" : "");
	typed_free(&t);
}

static void test_attrs(void)
{
	const struct td_target all = { .system_wide = true };
	const struct td_target user = { .exclude_kernel = true };
	const struct td_target hosts = { .exclude_guest = true };

	for (size_t i = 0; i < TD_ARRAY_SIZE(attrs); i++)
		test_attr(attrs[i].model, attrs[i].text, attrs[i].want, &all);
	test_attr("spr", "c,i:u,b:I", "kh | kh | khI", &user);
	test_attr("spr", "c,i:u,b:G,x:H", "G | khG | H | G", &hosts);
}

/* The fields that share their place with others. */
static void test_breakpoint_attr(void)
{
	const struct td_target all = { .system_wide = true };
	struct perf_event_attr attr;
	struct typed t;

	typed_machine(&t, "spr");
	typed_resolve(&t, "mem:0x1000/8:w");
	td_plan_arrange(&t.plan, &t.machine, &t.notes, &t.err);
	attr = td_plan_attr(&t.plan, &t.plan.groups[0], 0, &all);
	ok(attr.type == PERF_TYPE_BREAKPOINT && attr.config == 0 && attr.bp_addr == 0x1000 &&
		   attr.bp_len == 8 && attr.bp_type == 2 && attr.sample_period == 0,
	   "a breakpoint's attributes");
	typed_free(&t);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(cases); i++)
		test_case(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(rows[i].model, rows[i].text, rows[i].want, rows[i].notes);
	for (size_t i = 0; i < TD_ARRAY_SIZE(breaks); i++)
		test_break(i);
	test_as_typed("{c,i,b}", false);
	test_as_typed("{c,i,b}:W", false);
	test_as_typed("{c,i,b}:D", true);
	for (size_t i = 0; i < TD_ARRAY_SIZE(refusals); i++)
		test_refuse(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(gathered); i++)
		test_gathered(i);
	test_added();
	test_refused_before();
	test_weak_too_large("{r1c4,r2c4,r3c4,r4c4,r5c4,r6c4,r7c4,r8c4}:W", 1, 0);
	test_weak_too_large("{r1c4,r2c4,r3c4,r4c4,r5c4,r6c4,r7c4,r8c4,r9c4}:W", 9, 1);
	test_weak_too_large("{r1c4,r2c4,r3c4,r4c4,r5c4,r6c4,r7c4,r8c4,r9c4}", 1, 0);
	test_weak_too_large(
		"{r1c4,r2c4,r3c4,r4c4,r5c4,r6c4,r7c4,r8c4,r9c4,topdown-retiring,slots}:W", 10, 1);
	test_attrs();
	test_breakpoint_attr();
	return done_testing();
}
