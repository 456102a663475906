/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the truth file; ../README.md says what is in one. */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"
#include "qemu/error-report.h"

static const char *const kind_names[TDEMU_KINDS] = { "core", "atom", "lowpower" };

struct reader {
	const char *path;
	int line;
	GPtrArray *scenarios;
	struct tdemu_scenario *scenario;
	struct tdemu_truth *truth;
};

static G_NORETURN void refuse(const struct reader *r, const char *why)
{
	error_report("%s:%d: %s", r->path, r->line, why);
	exit(1);
}

/* The next word of the line, NULL at its end. */
static char *word(char **rest)
{
	char *w;

	do
		w = strsep(rest, " \t");
	while (w && !*w);
	return w;
}

static double number(const struct reader *r, char **rest)
{
	char *w = word(rest), *end;
	double value;

	if (!w)
		refuse(r, "a number is missing");
	value = g_ascii_strtod(w, &end);
	if (*end || !(value >= 0))
		refuse(r, "not a number of 0 or more");
	return value;
}

static uint64_t hex(const struct reader *r, const char *w)
{
	char *end;
	uint64_t value;

	if (!w)
		refuse(r, "a hexadecimal number is missing");
	value = strtoull(w, &end, 16);
	if (end == w || *end)
		refuse(r, "not a hexadecimal number");
	return value;
}

static void read_scenario(struct reader *r, char **rest)
{
	char *name = word(rest);

	if (!name || strlen(name) >= sizeof(r->scenario->name))
		refuse(r, "a scenario needs a name of up to 31 letters");
	r->scenario = g_new0(struct tdemu_scenario, 1);
	r->truth = NULL;
	strcpy(r->scenario->name, name);
	g_ptr_array_add(r->scenarios, r->scenario);
}

static GArray *new_events(void)
{
	return g_array_new(false, false, sizeof(struct tdemu_event));
}

static void read_kind(struct reader *r, char **rest)
{
	char *name = word(rest);

	if (!r->scenario)
		refuse(r, "a kind of core before the first scenario");
	for (int i = 0; i < TDEMU_KINDS; i++) {
		if (!name || strcmp(name, kind_names[i]))
			continue;
		r->truth = &r->scenario->kinds[i];
		if (r->truth->named)
			refuse(r, "this kind of core was there before");
		r->truth->named = true;
		r->truth->ghz = 1;
		r->truth->events = new_events();
		r->truth->latencies = new_events();
		for (int f = 0; f < TDEMU_FIXED; f++)
			r->truth->fixed[f] = -1;
		return;
	}
	refuse(r, "a kind is core, atom or lowpower");
}

/* A line of an event: its rate a cycle, or its retire latency. */
static void read_event(struct reader *r, GArray *events, char **rest)
{
	struct tdemu_event event = { .config = hex(r, word(rest)) };
	char *extra = word(rest);

	event.extra = extra && !strcmp(extra, "-") ? TDEMU_NO_EXTRA : hex(r, extra);
	event.rate = number(r, rest);
	g_array_append_val(events, event);
}

static void read_fixed(struct reader *r, char **rest)
{
	unsigned int nr = (unsigned int)number(r, rest);

	if (nr >= TDEMU_FIXED)
		refuse(r, "there is no such fixed counter");
	r->truth->fixed[nr] = number(r, rest);
}

/* A line of the rates of one kind of core. */
static void read_rate(struct reader *r, const char *first, char **rest)
{
	if (!r->truth)
		refuse(r, "a rate before the first kind of core");
	if (!strcmp(first, "event")) {
		read_event(r, r->truth->events, rest);
	} else if (!strcmp(first, "latency")) {
		read_event(r, r->truth->latencies, rest);
	} else if (!strcmp(first, "fixed")) {
		read_fixed(r, rest);
	} else if (!strcmp(first, "ghz")) {
		r->truth->ghz = number(r, rest);
	} else if (!strcmp(first, "metrics")) {
		for (int i = 0; i < TDEMU_FIELDS; i++)
			r->truth->fields[i] = number(r, rest) / 100;
	} else {
		refuse(r, "unknown first word");
	}
}

static void read_line(struct reader *r, char *line)
{
	char *first;

	line[strcspn(line, "#\n")] = '\0';
	first = word(&line);
	if (!first || !strcmp(first, "tdstat-truth") || !strcmp(first, "model"))
		return;
	if (!strcmp(first, "scenario"))
		read_scenario(r, &line);
	else if (!strcmp(first, "kind"))
		read_kind(r, &line);
	else
		read_rate(r, first, &line);
}

static int compare(const void *a, const void *b)
{
	const struct tdemu_event *x = a, *y = b;

	if (x->config != y->config)
		return x->config < y->config ? -1 : 1;
	return x->extra < y->extra ? -1 : x->extra > y->extra;
}

static void sort_events(struct tdemu_scenario *scenario)
{
	for (int i = 0; i < TDEMU_KINDS; i++)
		if (scenario->kinds[i].named) {
			g_array_sort(scenario->kinds[i].events, compare);
			g_array_sort(scenario->kinds[i].latencies, compare);
		}
}

void tdemu_truth_load(const char *path, GPtrArray *scenarios)
{
	struct reader r = { .path = path, .scenarios = scenarios };
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		error_report("%s: %s", path, strerror(errno));
		exit(1);
	}
	while (getline(&line, &size, file) >= 0) {
		r.line++;
		read_line(&r, line);
	}
	free(line);
	fclose(file);
	if (!scenarios->len)
		refuse(&r, "no scenario");
	for (guint i = 0; i < scenarios->len; i++)
		sort_events(g_ptr_array_index(scenarios, i));
}

static const struct tdemu_event *find(const GArray *events, uint64_t config, uint64_t extra)
{
	struct tdemu_event key = { .config = config, .extra = extra };

	if (!events)
		return NULL;
	return bsearch(&key, events->data, events->len, sizeof(key), compare);
}

double tdemu_truth_rate(const struct tdemu_truth *truth, uint64_t config, uint64_t extra)
{
	const struct tdemu_event *found = find(truth->events, config, extra);

	if (found)
		return found->rate;
	/* not every processor tells the event apart by that register */
	return extra == TDEMU_NO_EXTRA ? 0 : tdemu_truth_rate(truth, config, TDEMU_NO_EXTRA);
}

unsigned int tdemu_truth_latency(const struct tdemu_truth *truth, uint64_t config, uint64_t extra)
{
	const struct tdemu_event *found = find(truth->latencies, config, extra);

	return found ? (unsigned int)found->rate : TDEMU_LATENCY;
}
