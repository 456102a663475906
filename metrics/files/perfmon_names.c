// SPDX-License-Identifier: GPL-2.0-only
/* Translates perfmon's names of events, constants and metrics. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/base/number.h"
#include "lib/base/util.h"
#include "metrics/files/parts.h"
#include "metrics/files/text.h"
#include "metrics/formula/parts.h"

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LEGACY  "metric_TMA_"

/* Names that are neither events of the files nor such events with modifiers. */
static const struct {
	const char *name, *text;
} events[] = {
	{ "PERF_METRICS.BACKEND_BOUND", "topdown\\-be\\-bound" },
	{ "PERF_METRICS.BAD_SPECULATION", "topdown\\-bad\\-spec" },
	{ "PERF_METRICS.BRANCH_MISPREDICTS", "topdown\\-br\\-mispredict" },
	{ "PERF_METRICS.FETCH_LATENCY", "topdown\\-fetch\\-lat" },
	{ "PERF_METRICS.FRONTEND_BOUND", "topdown\\-fe\\-bound" },
	{ "PERF_METRICS.HEAVY_OPERATIONS", "topdown\\-heavy\\-ops" },
	{ "PERF_METRICS.MEMORY_BOUND", "topdown\\-mem\\-bound" },
	{ "PERF_METRICS.RETIRING", "topdown\\-retiring" },
	{ "TOPDOWN.SLOTS:perf_metrics", "slots" },
	{ "TOPDOWN.SLOTS:percore", "slots" },
	/*
	 * perfmon's formulas expect package energy in units of 2^-14 J (61 uJ)
	 * and memory energy in 2^-16 J (15.3 uJ); the kernel counts both in
	 * 2^-32 J (arch/x86/events/rapl.c).
	 */
	{ "FREERUN_DRAM_ENERGY_STATUS", "(power@energy\\-ram@ / 65536)" },
	{ "FREERUN_PKG_ENERGY_STATUS", "(power@energy\\-pkg@ / 262144)" },
	{ "UNC_PKG_ENERGY_STATUS", "(power@energy\\-pkg@ / 262144)" },
};

/* The PMU of uncore events with modifiers, and its name for a counter mask. */
static const struct {
	const char *prefix, *pmu, *least;
} units[] = {
	{ "UNC_ARB_", "uncore_arb", "cmask" },
	{ "UNC_CHA_", "uncore_cha", "thresh" },
	{ "UNC_C_", "uncore_cbox", "thresh" },
	{ "UNC_M_", "uncore_imc", "thresh" },
};

/* Modifiers with a value, which follow a colon, and the terms that they set. */
static const struct {
	const char *modifier, *term;
} modifiers[] = {
	{ "c", "cmask" },         { "e", "edge" },
	{ "eq", "eq" },           { "filter1=", "config1" },
	{ "i", "inv" },           { "ocr_msr_val=", "offcore_rsp" },
	{ "opc=", "filter_opc" }, { "tid=", "filter_tid" },
	{ "u", "umask" },
};

static const struct {
	const char *modifier, *letter;
} letters[] = {
	{ "retire_latency", "R" },
	{ "sup", "k" },
	{ "user", "u" },
};

/* The state of reading an event's modifiers. */
struct event {
	const char *pmu, *least;
	const char *unit; /* suffix for one unit of several: "_0" */
	char terms[192];  /* "\,cmask\=1" */
	char letters[8];
};

void td_perfmon_aliases_free(struct td_perfmon_aliases *aliases)
{
	for (size_t i = 0; i < aliases->nr; i++)
		free(aliases->v[i].text);
	free(aliases->v);
	*aliases = (struct td_perfmon_aliases){ 0 };
}

/* Adds an alias and takes over text, which is NULL if memory ran out. */
static int add_alias(struct td_perfmon_aliases *aliases, const char *alias,
		     char *text, struct td_err *err)
{
	const struct td_perfmon_alias new = { alias, text };

	if (text &&
	    td_array_push(&aliases->v, &aliases->nr, &new, sizeof(new)) == 0)
		return 0;
	free(text);
	return td_err_nomem(err);
}

static int add_term(struct event *event, const char *term, const char *value)
{
	size_t len = strlen(event->terms), room = sizeof(event->terms) - len;
	uint64_t number;
	int printed;

	if (td_parse_u64(value, UINT64_MAX, &number))
		return -EINVAL;
	/* upper half, as set_filter() in perfmon_event.c */
	if (strcmp(term, "config1") == 0)
		printed = snprintf(event->terms + len, room,
				   "\\,%s\\=0x%" PRIx64, term, number << 32);
	else
		printed = snprintf(event->terms + len, room, "\\,%s\\=%s",
				   strcmp(term, "cmask") ? term : event->least,
				   value);
	return (size_t)printed < room ? 0 : -EINVAL;
}

/*
 * Adds the term of a modifier with a value; the longest name that matches
 * counts, so "eq1" is not "e".
 */
static int add_value(struct event *event, const char *modifier)
{
	size_t best = 0;
	const char *term = NULL;

	for (size_t i = 0; i < TD_ARRAY_SIZE(modifiers); i++) {
		size_t len = strlen(modifiers[i].modifier);

		if (len > best &&
		    strncmp(modifiers[i].modifier, modifier, len) == 0) {
			best = len;
			term = modifiers[i].term;
		}
	}
	return term ? add_term(event, term, modifier + best) : -EINVAL;
}

static int add_modifier(struct event *event, const char *modifier)
{
	size_t len = strlen(event->letters);

	if (strcmp(modifier, "one_unit") == 0) {
		event->unit = "_0";
		return 0;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(letters); i++) {
		if (strcasecmp(letters[i].modifier, modifier) != 0)
			continue;
		if (len + 1 >= sizeof(event->letters))
			return -EINVAL;
		strcpy(event->letters + len, letters[i].letter);
		return 0;
	}
	return add_value(event, modifier);
}

/* Finds the PMU of an event with modifiers; -EINVAL if it is not known. */
static int find_unit(struct event *event, const char *name)
{
	if (strncmp(name, "UNC_", 4) != 0)
		return 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++) {
		size_t len = strlen(units[i].prefix);

		if (strncmp(units[i].prefix, name, len) != 0)
			continue;
		event->pmu = units[i].pmu;
		event->least = units[i].least;
		return 0;
	}
	return -EINVAL;
}

/* Writes the event for a formula; name comes without modifiers. */
static char *format_event(const struct event *event, const char *name)
{
	const char *at = event->terms[0] || event->unit[0] ? "@" : "";
	const char *colon = !*at && event->letters[0] ? ":" : "";

	return td_aprintf("%s%s%s%s%s%s%s%s", *at ? event->pmu : "",
			  event->unit, at, name, event->terms, at, colon,
			  event->letters);
}

int td_perfmon_add_event(struct td_perfmon_aliases *aliases, const char *alias,
			 const char *name, const char *pmu, struct td_err *err)
{
	struct event event = { .pmu = pmu, .least = "cmask", .unit = "" };
	td_autofree char *text = strdup(name);
	char *rest = text, *modifier;
	int rc = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(events); i++) {
		if (strcmp(events[i].name, name) == 0)
			return add_alias(aliases, alias, strdup(events[i].text),
					 err);
	}
	if (!text)
		return td_err_nomem(err);
	strsep(&rest, ":");
	if (!*text || text[strspn(text, LETTERS DIGITS "_.")])
		rc = -EINVAL;
	else if (rest)
		rc = find_unit(&event, text);
	while (!rc && (modifier = strsep(&rest, ":")))
		rc = add_modifier(&event, modifier);
	if (rc)
		return td_err_set(err, rc, "event '%s'", name);
	return add_alias(aliases, alias, format_event(&event, text), err);
}

/*
 * Constants of formulas.  For top-down metrics, SYSTEM_TSC_FREQ means the count
 * of the time stamp counter, as their BaseFormula shows.
 */
static const struct {
	const char *name, *text, *tma;
} constants[] = {
	{ "CHAS_PER_SOCKET", "source_count(UNC_CHA_CLOCKTICKS)", NULL },
	{ "CORES_PER_SOCKET", "(#num_cores / #num_packages)", NULL },
	{ "DURATIONTIMEINMILLISECONDS", "(1000 * duration_time)", NULL },
	{ "DURATIONTIMEINSECONDS", "duration_time", NULL },
	{ "HYPERTHREADING_ON", "#SMT_on", NULL },
	{ "SOCKET_COUNT", "#num_packages", NULL },
	{ "SYSTEM_TSC_FREQ", "#SYSTEM_TSC_FREQ", "TSC" },
	{ "THREADS_PER_CORE", "(1 + #SMT_on)", NULL },
	{ "system.sockets[0].cpus.count * system.socket_count",
	  "#num_cpus_online", NULL },
};

static const char *find_constant(const char *name, size_t len, bool tma)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(constants); i++) {
		if (strlen(constants[i].name) == len &&
		    strncasecmp(constants[i].name, name, len) == 0)
			return tma && constants[i].tma ? constants[i].tma
						       : constants[i].text;
	}
	return NULL;
}

int td_perfmon_add_constant(struct td_perfmon_aliases *aliases,
			    const char *alias, const char *name, bool tma,
			    struct td_err *err)
{
	const char *text = find_constant(name, strlen(name), tma);

	if (!text && *name && !name[strspn(name, DIGITS ".")])
		text = name;
	if (!text)
		return td_err_set(err, -EINVAL, "constant '%s'", name);
	return add_alias(aliases, alias, strdup(text), err);
}

int td_perfmon_name(const char *text, size_t len, char **out,
		    struct td_err *err)
{
	const char *from = text, *end = text + len;
	char *to;

	*out = NULL;
	if (len > 3 && strncmp(end - 3, "(%)", 3) == 0)
		end -= 3;
	if (len >= strlen(LEGACY) && strncmp(text, LEGACY, strlen(LEGACY)) == 0)
		from += strlen(LEGACY);
	else
		end = from;
	while (from < end && *from == '.')
		from++;
	*out = to = malloc((size_t)(end - from) + sizeof("tma_"));
	if (!to)
		return td_err_nomem(err);
	to = stpcpy(to, "tma_");
	for (; from < end; from++) {
		if (!isalnum((unsigned char)*from) && !strchr("_%. ", *from))
			break;
		if (*from != ' ')
			*to++ = *from == '.' ? '_' : *from;
	}
	*to = '\0';
	td_lower(*out);
	if (from == end && strlen(*out) > strlen("tma_"))
		return 0;
	free(*out);
	*out = NULL;
	return td_err_set(err, -EINVAL, "metric '%.*s'", (int)len, text);
}

/* --- formulas with letters for names, as metrics/formula/expr.h has them --- */

#define BLANKS  " \t"
#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LEGACY  "metric_TMA_"

/* The state of translating one formula; the result goes to fp. */
struct translation {
	const struct td_perfmon_aliases *aliases; /* NULL for a threshold */
	bool fractions;
	FILE *fp;
	struct td_err *err;
};

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && strncmp(text, word, len) == 0;
}

static const char *find_word(const struct translation *t, const char *text,
			     size_t len)
{
	static const char *const own[] = { "if", "else", "min", "max" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(own); i++) {
		if (is_word(text, len, own[i]))
			return own[i];
	}
	for (size_t i = 0; t->aliases && i < t->aliases->nr; i++) {
		if (is_word(text, len, t->aliases->v[i].alias))
			return t->aliases->v[i].text;
	}
	return NULL;
}

/*
 * Writes the name of a metric such as "metric_TMA_..Fetch_Latency(%)", which
 * ends at a blank; returns its length.
 */
static size_t add_metric(const struct translation *t, const char *text)
{
	size_t len = strcspn(text, BLANKS);
	td_autofree char *name = NULL;

	if (td_perfmon_name(text, len, &name, t->err) || !name)
		return 0;
	if (t->fractions && text[len - 1] == ')')
		fprintf(t->fp, "(%s / 100)", name);
	else
		fputs(name, t->fp);
	return len;
}

static size_t add_word(const struct translation *t, const char *text)
{
	size_t len = strspn(text, LETTERS DIGITS "_.#");
	const char *word = find_word(t, text, len);

	if (!t->aliases && strncmp(text, LEGACY, strlen(LEGACY)) == 0)
		return add_metric(t, text);
	if (!word) {
		td_err_set(t->err, -EINVAL, "unknown '%.*s'", (int)len, text);
		return 0;
	}
	fputs(word, t->fp);
	return len;
}

/*
 * Writes an operator and returns its length; "> =" is read as ">=", "&&" as
 * "&".
 */
static size_t add_operator(const struct translation *t, const char *text)
{
	size_t len = 1 + strspn(text + 1, BLANKS);

	if (!strchr("+-*/%()<>,&|", *text)) {
		td_err_set(t->err, -EINVAL, "a '%c'",
			   isprint((unsigned char)*text) ? *text : '?');
		return 0;
	}
	fputc(*text, t->fp);
	if ((*text == '<' || *text == '>') && text[len] == '=') {
		fputc('=', t->fp);
		return len + 1;
	}
	return (*text == '&' || *text == '|') && text[1] == *text ? 2 : 1;
}

/* Translates one token and returns its length; 0 on error. */
static size_t add_token(const struct translation *t, const char *text)
{
	size_t len = strspn(text, BLANKS);

	if (len) {
		fputc(' ', t->fp);
		return len;
	}
	len = td_number_length(text);
	if (len) {
		fprintf(t->fp, "%.*s", (int)len, text);
		return len;
	}
	if (strchr(LETTERS "_#", *text))
		return add_word(t, text);
	return add_operator(t, text);
}

static int translate(struct translation *t, const char *text, char **out)
{
	size_t size, len = 1;

	*out = NULL;
	t->fp = open_memstream(out, &size);
	if (!t->fp)
		return td_err_nomem(t->err);
	for (text += strspn(text, BLANKS); *text && len; text += len)
		len = add_token(t, text);
	if (td_text_close(t->fp, out))
		return td_err_nomem(t->err);
	if (len)
		return 0;
	free(*out);
	*out = NULL;
	return t->err->code;
}

int td_perfmon_formula(const struct td_perfmon_aliases *aliases,
		       const char *text, char **out, struct td_err *err)
{
	struct translation t = { .aliases = aliases, .err = err };

	return translate(&t, text, out);
}

int td_perfmon_threshold(const char *text, bool fractions, char **out,
			 struct td_err *err)
{
	struct translation t = { .fractions = fractions, .err = err };

	return translate(&t, text, out);
}
