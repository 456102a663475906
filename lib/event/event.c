// SPDX-License-Identifier: GPL-2.0-only
#include "lib/event/event.h"

#include <inttypes.h>
#include <linux/perf_event.h>

#include "lib/base/number.h"
#include "lib/base/util.h"

/*
 * Add a term, name or name=value; a bare name means 1.  period= is only kept for sampling, because
 * the kernel refuses to count slots with it.  bits is as in td_pmu_pack().
 */
static int add_term(struct td_event *event, const struct td_pmu *pmu, char *term, uint64_t *bits,
		    struct td_err *err)
{
	char *text = strchr(term, '=');
	const struct td_format *format;
	uint64_t value = 1;
	int word, rc;

	if (text)
		*text++ = '\0';
	if (text && td_parse_u64(text, UINT64_MAX, &value))
		return td_err_set(err, -EINVAL, "%s: %s=%s: not a number", event->name, term, text);
	if (strcmp(term, "period") == 0) {
		event->usual_period = value;
		return 0;
	}
	word = td_config_word(term);
	if (word >= 0) {
		event->config[word] = value;
		return 0;
	}
	format = td_pmu_format(pmu, term);
	if (!format)
		return td_err_set(err, -ENOENT, "%s: %s has no term '%s'", event->name, pmu->name,
				  term);
	rc = td_pmu_pack(pmu, format, value, event->config, bits);
	if (rc == -EEXIST)
		return td_err_set(err, -EINVAL, "%s: %s: another term sets the same bits",
				  event->name, term);
	return rc ? td_err_set(err, rc, "%s: %s=%#" PRIx64 ": too large for its bits", event->name,
			       term, value)
		  : 0;
}

int td_event_add_terms(struct td_event *event, const struct td_pmu *pmu, const char *terms,
		       struct td_err *err)
{
	td_autofree char *copy = td_strdup(terms);
	td_autofree uint64_t *bits = td_calloc(pmu->nr_formats + 1, sizeof(*bits));
	char *rest = copy, *term;

	while ((term = strsep(&rest, ","))) {
		int rc = add_term(event, pmu, term, bits, err);

		if (rc)
			return rc;
	}
	return 0;
}

int td_event_init(struct td_event *event, const struct td_pmu *pmu, int index, const char *id,
		  const char *terms, struct td_err *err)
{
	const struct td_alias *alias;

	*event = (struct td_event){
		.pmu = index,
		.cpu_pmu = index,
		.type = pmu->type,
		.scale = 1,
		.spec = -1,
		.group = -1,
	};
	event->name = td_aprintf("%s/%s/", pmu->name, id);
	if (terms)
		return td_event_add_terms(event, pmu, terms, err);
	alias = td_pmu_alias(pmu, id);
	if (!alias)
		return td_err_set(err, -ENOENT, "%s: %s has no such event", event->name, pmu->name);
	event->scale = alias->scale;
	return td_event_add_terms(event, pmu, alias->terms, err);
}

static void set_text(char **text, const char *value)
{
	free(*text);
	*text = td_strdup(value);
}

void td_event_set_unit(struct td_event *event, const char *unit)
{
	set_text(&event->unit, unit);
}

void td_event_set_filter(struct td_event *event, const char *filter)
{
	set_text(&event->filter, filter);
}

void td_event_set_refusal(struct td_event *event, const char *why)
{
	set_text(&event->refusal, why);
}

void td_event_refuse(struct td_event *event, const char *why, struct td_notes *notes)
{
	td_autofree char *text = td_aprintf("%s: %s", event->name, why);

	td_notes_add(notes, "%s", text);
	td_event_set_refusal(event, text);
}

void td_event_free(struct td_event *event)
{
	free(event->name);
	free(event->unit);
	free(event->tracepoint);
	free(event->filter);
	free(event->refusal);
	*event = (struct td_event){ 0 };
}

bool td_event_is_clock(const struct td_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE && (event->config[0] == PERF_COUNT_SW_CPU_CLOCK ||
						     event->config[0] == PERF_COUNT_SW_TASK_CLOCK);
}

/* arch/x86/include/asm/perf_event.h: INTEL_TD_SLOTS, INTEL_TD_METRIC_* */
bool td_event_is_slots(const struct td_event *event)
{
	return event->type == PERF_TYPE_RAW && event->config[0] == 0x0400;
}

bool td_event_is_metric(const struct td_event *event)
{
	return event->type == PERF_TYPE_RAW && (event->config[0] & ~UINT64_C(0x7f00)) == 0x8000;
}

bool td_event_is_named(const struct td_event *event, const char *id)
{
	const char *slash = strchr(event->name, '/');
	const char *name = slash ? slash + 1 : event->name;
	size_t len = strcspn(name, "/:");

	return strlen(id) == len && strncmp(name, id, len) == 0;
}

bool td_event_is_level_1(const struct td_event *event)
{
	uint64_t umask = event->config[0] >> 8 & 0xff;

	if (td_event_is_metric(event))
		return umask >= 0x80 && umask <= 0x83;
	return td_event_is_named(event, "topdown-retiring") ||
	       td_event_is_named(event, "topdown-bad-spec") ||
	       td_event_is_named(event, "topdown-fe-bound") ||
	       td_event_is_named(event, "topdown-be-bound");
}

struct td_event *td_events_add(struct td_events *events)
{
	struct td_event *event = td_array_add(&events->v, events->nr++, sizeof(*event));

	return event;
}

int td_events_add_slots(struct td_events *events, const struct td_pmu *pmu, size_t field,
			struct td_err *err)
{
	struct td_event *slots = td_events_add(events);
	int rc = td_event_init(slots, pmu, events->v[field].pmu, "slots", NULL, err);

	if (rc)
		return rc;
	slots->mods = events->v[field].mods;
	slots->group = events->v[field].group;
	slots->hidden = true;
	return 0;
}

void td_events_drop(struct td_events *events, size_t from)
{
	for (size_t i = from; i < events->nr; i++)
		td_event_free(&events->v[i]);
	events->nr = from;
}

void td_events_free(struct td_events *events)
{
	td_events_drop(events, 0);
	free(events->v);
	*events = (struct td_events){ 0 };
}

/* --- modifiers ------------------------------------------------------------ */

#define LETTERS "ukhGHIpPSDWeRX"

bool td_are_modifiers(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		/* b is a modifier of perf, for BPF programs */
		if (word[i] != 'b' && !strchr(LETTERS, word[i]))
			return false;
	}
	return len > 0;
}

static bool *flag_of(struct td_modifiers *mods, char letter)
{
	switch (letter) {
	case 'u':
		return &mods->user;
	case 'k':
		return &mods->kernel;
	case 'h':
		return &mods->hypervisor;
	case 'G':
		return &mods->guest;
	case 'H':
		return &mods->host;
	case 'I':
		return &mods->non_idle;
	case 'P':
		return &mods->precise_max;
	case 'S':
		return &mods->sample_read;
	case 'D':
		return &mods->pinned;
	case 'W':
		return &mods->weak;
	case 'e':
		return &mods->exclusive;
	case 'R':
		return &mods->retire_latency;
	case 'X':
		return &mods->dont_regroup;
	default:
		return NULL;
	}
}

const char *td_modifiers_add(struct td_modifiers *mods, char letter)
{
	bool *flag = flag_of(mods, letter);

	if (letter == 'p')
		return ++mods->precise > 3 ? "at most three p: ppp is the most precise" : NULL;
	if (letter == 'b')
		return "modifier b: tdstat does not support BPF";
	if (!flag)
		return "no such modifier; the modifiers are " LETTERS;
	if (*flag)
		return "the same modifier twice";
	*flag = true;
	return NULL;
}

const char *td_modifiers_join(struct td_modifiers *mods, const struct td_modifiers *group)
{
	struct td_modifiers from = *group;

	mods->precise += group->precise;
	if (mods->precise > 3)
		return "at most three p, including those of its group";
	for (const char *letter = LETTERS; *letter; letter++) {
		bool *to = flag_of(mods, *letter);

		if (to)
			*to |= *flag_of(&from, *letter);
	}
	return NULL;
}

bool td_modifiers_same_rings(const struct td_modifiers *a, const struct td_modifiers *b)
{
	return a->user == b->user && a->kernel == b->kernel && a->hypervisor == b->hypervisor &&
	       a->guest == b->guest && a->host == b->host && a->non_idle == b->non_idle;
}

void td_modifiers_copy_rings(struct td_modifiers *to, const struct td_modifiers *from)
{
	struct td_modifiers copy = *from;

	for (const char *letter = TD_RING_LETTERS; *letter; letter++) {
		const bool *value = flag_of(&copy, *letter);
		bool *flag = flag_of(to, *letter);

		if (flag && value)
			*flag = *value;
	}
}

const char *td_modifiers_format(const struct td_modifiers *mods, const char *letters,
				char buf[TD_MODIFIERS_SIZE])
{
	struct td_modifiers copy = *mods;
	char *end = buf;

	for (; *letters; letters++) {
		const bool *flag = flag_of(&copy, *letters);
		int nr = *letters == 'p' ? mods->precise : flag && *flag;

		while (nr-- > 0)
			*end++ = *letters;
	}
	*end = '\0';
	return buf;
}
