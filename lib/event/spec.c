// SPDX-License-Identifier: GPL-2.0-only
#include "lib/event/spec.h"

#include <ctype.h>
#include <linux/hw_breakpoint.h>
#include <stdarg.h>

#include "lib/base/number.h"
#include "lib/base/util.h"
#include "lib/event/event.h"

/* --- a place in the text -------------------------------------------------- */

/* The position of a parser in a text. */
struct cursor {
	const char *text;
	size_t at;
	struct td_err *err;
};

int td_span_error(struct td_err *err, const struct td_span *span, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	td_err_vusage(err, fmt, ap);
	va_end(ap);
	return td_err_point(err, span->text, span->at, span->len);
}

/* Set a usage error that points at len characters of the text. */
static int fail_at(struct cursor *c, size_t at, size_t len, const char *what)
{
	struct td_span span = { c->text, at, len };

	return td_span_error(c->err, &span, "%s", what);
}

/* Returns the next character; '\0' at the end. */
static char peek(const struct cursor *c)
{
	return c->text[c->at];
}

static void skip_blanks(struct cursor *c)
{
	while (isspace((unsigned char)peek(c)))
		c->at++;
}

/* Skip blanks, then the character want.  Returns false if another one follows. */
static bool accept(struct cursor *c, char want)
{
	skip_blanks(c);
	if (peek(c) != want)
		return false;
	c->at++;
	return true;
}

/* Skip a word up to a character of stop, a blank or the end.  Returns its length. */
static size_t skip_word(struct cursor *c, const char *stop)
{
	size_t from = c->at;

	while (peek(c) && !strchr(stop, peek(c)) && !isspace((unsigned char)peek(c)))
		c->at++;
	return c->at - from;
}

/* Copy a text without blanks, except inside quotes. */
static char *without_blanks(const char *text, size_t len)
{
	char *out = td_malloc(len + 1), *to = out;
	bool quoted = false;

	for (size_t i = 0; i < len; i++) {
		quoted ^= text[i] == '\'';
		if (quoted || !isspace((unsigned char)text[i]))
			*to++ = text[i];
	}
	*to = '\0';
	return out;
}

/* --- an event as typed ---------------------------------------------------- */

/* Parse a word that is a number, "0x1a" or "26".  Returns false if it is not. */
static bool parse_number(const char *word, size_t len, uint64_t max, uint64_t *out)
{
	char text[32];

	if (len == 0 || len >= sizeof(text))
		return false;
	memcpy(text, word, len);
	text[len] = '\0';
	return td_parse_u64(text, max, out) == 0;
}

/* Parse "r1a", or "r0x1a" as in perf's terms.  Returns false for other words. */
static bool parse_raw(const char *word, size_t len, uint64_t *config)
{
	char text[32] = "0x";
	size_t skip = len > 3 && strncmp(word, "r0x", 3) == 0 ? 3 : 1;

	if (word[0] != 'r' || len <= skip || len - skip > 16)
		return false;
	memcpy(text + 2, word + skip, len - skip);
	text[2 + len - skip] = '\0';
	return td_parse_u64(text, UINT64_MAX, config) == 0;
}

/* Parse the word after "0:", "sched:" or "cycles:": a config, a tracepoint or modifiers. */
static int parse_after_colon(struct cursor *c, struct td_spec *spec, size_t at, size_t len)
{
	size_t colon = c->at++, second = c->at;
	size_t second_len = skip_word(c, ",{}/:");
	const char *word = c->text + second;
	uint64_t type;

	if (parse_number(c->text + at, len, UINT64_MAX, &type)) {
		if (type > UINT32_MAX)
			return fail_at(c, at, len, "a type cannot be this large");
		if (!parse_number(word, second_len, UINT64_MAX, &spec->config))
			return fail_at(c, second, second_len,
				       "not a number: the config of an event");
		spec->kind = TD_SPEC_NUMERIC;
		spec->type = (uint32_t)type;
		spec->name = td_strndup(c->text + at, c->at - at);
		return 0;
	}
	if (second_len == 0 || td_are_modifiers(word, second_len)) {
		c->at = colon;
		spec->name = td_strndup(c->text + at, len);
		return 0;
	}
	spec->kind = TD_SPEC_TRACEPOINT;
	spec->system = td_strndup(c->text + at, len);
	spec->tracepoint = td_strndup(c->text + second, second_len);
	spec->name = td_strndup(c->text + at, c->at - at);
	return 0;
}

static int parse_word(struct cursor *c, struct td_spec *spec)
{
	size_t at = c->at, len = skip_word(c, ",{}/:");

	if (!len)
		return fail_at(c, at, 1, "an event is missing");
	if (peek(c) == ':')
		return parse_after_colon(c, spec, at, len);
	spec->name = td_strndup(c->text + at, len);
	return 0;
}

/* Parse the ":rw" of a breakpoint; other letters are modifiers. */
static int parse_access(struct cursor *c, struct td_spec *spec)
{
	size_t from = c->at + 1;

	spec->type = 0;
	if (peek(c) != ':' || !c->text[from] || !strchr("rwx", c->text[from]))
		return 0;
	for (c->at = from; peek(c) && strchr("rwx", peek(c)); c->at++) {
		uint32_t bit = peek(c) == 'r'   ? HW_BREAKPOINT_R
			       : peek(c) == 'w' ? HW_BREAKPOINT_W
						: HW_BREAKPOINT_X;

		if (spec->type & bit)
			return fail_at(c, c->at, 1, "the same letter twice");
		spec->type |= bit;
	}
	return 0;
}

/*
 * Parse a number up to its last digit, because letters may follow: in "mem:0x1000u", u is a
 * modifier.
 */
static int parse_digits(struct cursor *c, uint64_t *out, const char *what)
{
	const char *text = c->text + c->at;
	bool hex = strncmp(text, "0x", 2) == 0;
	size_t at = c->at;
	size_t len =
		hex ? 2 + strspn(text + 2, "0123456789abcdefABCDEF") : strspn(text, "0123456789");

	if (parse_number(text, len, UINT64_MAX, out)) {
		c->at += len;
		return 0;
	}
	len = skip_word(c, ",{}/:");
	return fail_at(c, at, len ? len : 1, what);
}

static int parse_breakpoint(struct cursor *c, struct td_spec *spec)
{
	size_t at = c->at;
	int rc;

	spec->kind = TD_SPEC_BREAKPOINT;
	c->at += strlen("mem:");
	rc = parse_digits(c, &spec->config, "not an address");
	/* a digit begins the length, anything else the terms */
	if (!rc && peek(c) == '/' && isdigit((unsigned char)c->text[c->at + 1])) {
		c->at++;
		rc = parse_digits(c, &spec->length, "not a length");
	}
	rc = rc ?: parse_access(c, spec);
	if (rc)
		return rc;
	spec->name = td_strndup(c->text + at, c->at - at);
	return 0;
}

/*
 * Parse the part of an event before its terms and modifiers, "name" in the grammar below.  Sets
 * kind, name and the members of this kind.
 */
static int parse_name(struct cursor *c, struct td_spec *spec)
{
	int rc;

	if (strncmp(c->text + c->at, "mem:", 4) == 0)
		return parse_breakpoint(c, spec);
	rc = parse_word(c, spec);
	if (!rc && spec->kind == TD_SPEC_NAME &&
	    parse_raw(spec->name, strlen(spec->name), &spec->config))
		spec->kind = TD_SPEC_RAW;
	return rc;
}

/* --- modifiers ------------------------------------------------------------ */

/* Parses modifiers up to the end of the word, which may be empty. */
static int parse_modifiers(struct cursor *c, struct td_modifiers *mods)
{
	size_t at = c->at, len = skip_word(c, ",{}/:");

	for (size_t i = 0; i < len; i++) {
		const char *why = td_modifiers_add(mods, c->text[at + i]);

		if (why)
			return fail_at(c, at + i, 1, why);
	}
	return 0;
}

/* --- terms ---------------------------------------------------------------- */

/* Parses a value up to ',' or '/', or one in single quotes. */
static int parse_value(struct cursor *c, struct td_term *term)
{
	size_t at = c->at, len;
	const char *end;

	if (peek(c) == '\'') {
		end = strchr(c->text + at + 1, '\'');
		if (!end)
			return fail_at(c, at, 1, "this quote is not closed");
		len = (size_t)(end - c->text) - at - 1;
		c->at += len + 2;
		if (!len)
			return fail_at(c, at, 2, "an empty value");
		term->value = td_strndup(c->text + at + 1, len);
		return 0;
	}
	len = skip_word(c, ",/{}");
	if (!len)
		return fail_at(c, at, 1, "a value is missing");
	term->value = td_strndup(c->text + at, len);
	term->is_number = td_parse_u64(term->value, UINT64_MAX, &term->number) == 0;
	return 0;
}

static int parse_term(struct cursor *c, struct td_spec *spec)
{
	struct td_term *term = td_array_add(&spec->terms, spec->nr_terms++, sizeof(*term));
	size_t at, len;
	int rc;

	skip_blanks(c);
	at = c->at;
	len = skip_word(c, ",=/{}");
	if (!len)
		return fail_at(c, at, 1, "a term is missing");
	term->name = td_strndup(c->text + at, len);
	rc = 0;
	term->number = 1;
	if (accept(c, '=')) {
		skip_blanks(c);
		rc = parse_value(c, term);
	}
	term->span = (struct td_span){ c->text, at, c->at - at };
	return rc;
}

/* Parses the terms after the first slash, up to and including the second one. */
static int parse_terms(struct cursor *c, struct td_spec *spec)
{
	size_t slash = c->at - 1, at = c->at;
	int rc;

	spec->slashes = true;
	if (accept(c, '/'))
		return 0;
	do {
		rc = parse_term(c, spec);
	} while (!rc && accept(c, ','));
	if (rc)
		return rc;
	skip_blanks(c);
	if (peek(c) && peek(c) != '/' && !strchr(",{}", peek(c)))
		return fail_at(c, c->at, 1, "a comma is missing before this");
	if (peek(c) != '/')
		return fail_at(c, slash, 1, "no slash closes these terms");
	spec->terms_text = without_blanks(c->text + at, c->at - at);
	c->at++;
	return 0;
}

/* --- events --------------------------------------------------------------- */

static int parse_suffix(struct cursor *c, struct td_spec *spec)
{
	size_t at;
	int rc;

	if (accept(c, ':'))
		skip_blanks(c);
	else if (!spec->slashes && isspace((unsigned char)c->text[c->at - 1]) && peek(c) &&
		 !strchr(",{}", peek(c)))
		return fail_at(c, c->at, 1, "a comma is missing before this");
	at = c->at;
	rc = parse_modifiers(c, &spec->mods);
	if (!rc && spec->mods.weak)
		rc = fail_at(c, at, c->at - at, "modifier W is for groups: {...}:W");
	if (rc)
		return rc;
	spec->suffix = td_strndup(c->text + at, c->at - at);
	return 0;
}

static int parse_event(struct cursor *c, struct td_event_text *events, int group)
{
	struct td_spec *spec = td_array_add(&events->specs, events->nr_specs++, sizeof(*spec));
	size_t at;
	int rc;
	size_t end;

	spec->group = group;
	skip_blanks(c);
	at = c->at;
	rc = parse_name(c, spec);
	if (!rc && accept(c, '/'))
		rc = parse_terms(c, spec);
	rc = rc ?: parse_suffix(c, spec);
	if (rc)
		return rc;
	end = c->at;
	while (end > at && isspace((unsigned char)c->text[end - 1]))
		end--;
	spec->span = (struct td_span){ c->text, at, end - at };
	spec->text = without_blanks(c->text + at, end - at);
	return 0;
}

/* --- groups --------------------------------------------------------------- */

/* Merge the modifiers of a group into those of its events. */
static int join_group(struct td_event_text *events, size_t first, const struct td_modifiers *mods,
		      struct td_err *err)
{
	for (size_t i = first; i < events->nr_specs; i++) {
		struct td_spec *spec = &events->specs[i];
		const char *why =
			i > first && (spec->mods.pinned || spec->mods.exclusive)
				? "modifiers D and e: in a group, only the first event can have "
				  "them"
				: td_modifiers_join(&spec->mods, mods);

		if (why)
			return td_span_error(err, &spec->span, "%s", why);
	}
	return 0;
}

/* Parses a group after its opening brace. */
static int parse_group(struct cursor *c, struct td_event_text *events)
{
	struct td_modifiers mods = { 0 };
	size_t brace = c->at - 1, first = events->nr_specs;
	int group = events->nr_groups++;
	int rc;

	do {
		skip_blanks(c);
		if (peek(c) == '{')
			return fail_at(c, c->at, 1, "a group inside a group");
		rc = parse_event(c, events, group);
	} while (!rc && accept(c, ','));
	if (!rc && peek(c) == '{')
		rc = fail_at(c, c->at, 1, "a group inside a group");
	if (!rc && !accept(c, '}'))
		rc = fail_at(c, brace, 1, "no } closes this group");
	if (!rc && accept(c, ':')) {
		skip_blanks(c);
		rc = parse_modifiers(c, &mods);
	}
	return rc ?: join_group(events, first, &mods, c->err);
}

/* Skips "{" or "NAME{".  Names of groups are perf's syntax; tdstat ignores them. */
static bool accept_group(struct cursor *c)
{
	size_t at;

	skip_blanks(c);
	at = c->at;
	skip_word(c, ",{}/:");
	if (accept(c, '{'))
		return true;
	c->at = at;
	return false;
}

int td_event_text_parse(struct td_event_text *events, const char *text, struct td_err *err)
{
	struct cursor c = { text, 0, err };
	int rc;

	do {
		rc = accept_group(&c) ? parse_group(&c, events) : parse_event(&c, events, -1);
	} while (!rc && accept(&c, ','));
	if (rc)
		return rc;
	skip_blanks(&c);
	return peek(&c) ? fail_at(&c, c.at, 1, "a comma is missing before this") : 0;
}

static void free_spec(struct td_spec *spec)
{
	for (size_t i = 0; i < spec->nr_terms; i++) {
		free(spec->terms[i].name);
		free(spec->terms[i].value);
	}
	free(spec->terms);
	free(spec->name);
	free(spec->system);
	free(spec->tracepoint);
	free(spec->suffix);
	free(spec->text);
	free(spec->terms_text);
}

void td_event_text_free(struct td_event_text *events)
{
	for (size_t i = 0; i < events->nr_specs; i++)
		free_spec(&events->specs[i]);
	free(events->specs);
	*events = (struct td_event_text){ 0 };
}
