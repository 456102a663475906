// SPDX-License-Identifier: GPL-2.0-only
#include "lib/event/text.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/parse.h"
#include "lib/base/util.h"
#include "lib/event/modifiers.h"

/* The place of the parser in the text. */
struct cursor {
	const char *text;
	size_t at;
	struct td_event_text *events;
	struct td_err *err;
};

int td_span_error(struct td_err *err, const struct td_span *span,
		  const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	td_err_vusage(err, fmt, ap);
	va_end(ap);
	return td_err_point(err, span->text, span->at, span->len);
}

static int error_at(struct cursor *c, size_t at, size_t len, const char *what)
{
	struct td_span span = { c->text, at, len };

	return td_span_error(c->err, &span, "%s", what);
}

static char peek(const struct cursor *c)
{
	return c->text[c->at];
}

static void skip_blanks(struct cursor *c)
{
	while (isspace((unsigned char)peek(c)))
		c->at++;
}

/* Skips blanks, and want if it comes next.  Returns true if it did. */
static bool take(struct cursor *c, char want)
{
	skip_blanks(c);
	if (peek(c) != want)
		return false;
	c->at++;
	return true;
}

/*
 * Skips a word up to a character of stop, a blank or the end.  Returns its
 * length.
 */
static size_t take_word(struct cursor *c, const char *stop)
{
	size_t from = c->at;

	while (peek(c) && !strchr(stop, peek(c)) &&
	       !isspace((unsigned char)peek(c)))
		c->at++;
	return c->at - from;
}

static int copy(struct cursor *c, char **out, size_t at, size_t len)
{
	*out = strndup(c->text + at, len);
	return *out ? 0 : td_err_nomem(c->err);
}

/* Copies without blanks, except inside quotes.  The caller frees it. */
static char *compact(const char *text, size_t len)
{
	char *out = malloc(len + 1), *to = out;
	bool quoted = false;

	for (size_t i = 0; out && i < len; i++) {
		quoted ^= text[i] == '\'';
		if (quoted || !isspace((unsigned char)text[i]))
			*to++ = text[i];
	}
	if (out)
		*to = '\0';
	return out;
}

/* --- modifiers ------------------------------------------------------------ */

/* Parses letters, of which there may be none. */
static int parse_modifiers(struct cursor *c, struct td_modifiers *mods)
{
	size_t at = c->at, len = take_word(c, ",{}/:");

	for (size_t i = 0; i < len; i++) {
		const char *why = td_modifiers_add(mods, c->text[at + i]);

		if (why)
			return error_at(c, at + i, 1, why);
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
			return error_at(c, at, 1, "this quote is not closed");
		len = (size_t)(end - c->text) - at - 1;
		c->at += len + 2;
		if (!len)
			return error_at(c, at, 2, "an empty value");
		return copy(c, &term->value, at + 1, len);
	}
	len = take_word(c, ",/{}");
	if (!len)
		return error_at(c, at, 1, "a value is missing");
	if (copy(c, &term->value, at, len))
		return c->err->code;
	term->is_number =
		td_parse_u64(term->value, UINT64_MAX, &term->number) == 0;
	return 0;
}

static int parse_term(struct cursor *c, struct td_spec *spec)
{
	struct td_term *term =
		td_array_add(&spec->terms, spec->nr_terms, sizeof(*term));
	size_t at, len;
	int rc;

	if (!term)
		return td_err_nomem(c->err);
	spec->nr_terms++;
	skip_blanks(c);
	at = c->at;
	len = take_word(c, ",=/{}");
	if (!len)
		return error_at(c, at, 1, "a term is missing");
	rc = copy(c, &term->name, at, len);
	term->number = 1;
	if (!rc && take(c, '=')) {
		skip_blanks(c);
		rc = parse_value(c, term);
	}
	term->span = (struct td_span){ c->text, at, c->at - at };
	return rc;
}

/* Parses from behind the first slash to the second one. */
static int parse_terms(struct cursor *c, struct td_spec *spec)
{
	size_t slash = c->at - 1, at = c->at;
	int rc = 0;

	spec->slashes = true;
	if (take(c, '/'))
		return 0;
	do {
		rc = parse_term(c, spec);
	} while (!rc && take(c, ','));
	if (rc)
		return rc;
	skip_blanks(c);
	if (peek(c) && peek(c) != '/' && !strchr(",{}", peek(c)))
		return error_at(c, c->at, 1, "a comma is missing before this");
	if (peek(c) != '/')
		return error_at(c, slash, 1, "no slash closes these terms");
	spec->terms_text = compact(c->text + at, c->at - at);
	c->at++;
	return spec->terms_text ? 0 : td_err_nomem(c->err);
}

/* --- events --------------------------------------------------------------- */

/* True if the whole word is a number, "0x1a" or "26". */
static bool parse_number(const char *word, size_t len, uint64_t max,
			 uint64_t *out)
{
	char text[32];

	if (len == 0 || len >= sizeof(text))
		return false;
	memcpy(text, word, len);
	text[len] = '\0';
	return td_parse_u64(text, max, out) == 0;
}

/* True for "r1a", and "r0x1a" as in perf's terms. */
static bool is_raw(const char *word, size_t len, uint64_t *config)
{
	char text[32] = "0x";
	size_t skip = len > 3 && strncmp(word, "r0x", 3) == 0 ? 3 : 1;

	if (word[0] != 'r' || len <= skip || len - skip > 16)
		return false;
	memcpy(text + 2, word + skip, len - skip);
	text[2 + len - skip] = '\0';
	return td_parse_u64(text, UINT64_MAX, config) == 0;
}

/*
 * Tells what "0:", "sched:" or "cycles:" begins: a number, a tracepoint, or an
 * event with modifiers.
 */
static int parse_after_colon(struct cursor *c, struct td_spec *spec, size_t at,
			     size_t len)
{
	size_t colon = c->at++, second = c->at;
	size_t second_len = take_word(c, ",{}/:");
	const char *word = c->text + second;
	uint64_t type;

	if (parse_number(c->text + at, len, UINT64_MAX, &type)) {
		if (type > UINT32_MAX)
			return error_at(c, at, len,
					"a type cannot be this "
					"large");
		if (!parse_number(word, second_len, UINT64_MAX, &spec->config))
			return error_at(c, second, second_len,
					"not a number: the config of an event");
		spec->kind = TD_SPEC_NUMERIC;
		spec->type = (uint32_t)type;
		return copy(c, &spec->name, at, c->at - at);
	}
	if (second_len == 0 || td_are_modifiers(word, second_len)) {
		c->at = colon;
		return copy(c, &spec->name, at, len);
	}
	spec->kind = TD_SPEC_TRACEPOINT;
	if (copy(c, &spec->system, at, len) ||
	    copy(c, &spec->tracepoint, second, second_len))
		return c->err->code;
	return copy(c, &spec->name, at, c->at - at);
}

static int parse_name(struct cursor *c, struct td_spec *spec)
{
	size_t at = c->at, len = take_word(c, ",{}/:");

	if (!len)
		return error_at(c, at, 1, "an event is missing");
	if (peek(c) == ':')
		return parse_after_colon(c, spec, at, len);
	return copy(c, &spec->name, at, len);
}

/* Parses the ":rw" of a breakpoint; other letters are left for modifiers. */
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
			return error_at(c, c->at, 1, "the same letter twice");
		spec->type |= bit;
	}
	return 0;
}

/* Stops behind the last digit: in "mem:0x1000u", u is a modifier. */
static int take_number(struct cursor *c, uint64_t *out, const char *what)
{
	const char *text = c->text + c->at;
	bool hex = strncmp(text, "0x", 2) == 0;
	size_t at = c->at;
	size_t len = hex ? 2 + strspn(text + 2, "0123456789abcdefABCDEF")
			 : strspn(text, "0123456789");

	if (parse_number(text, len, UINT64_MAX, out)) {
		c->at += len;
		return 0;
	}
	len = take_word(c, ",{}/:");
	return error_at(c, at, len ? len : 1, what);
}

static int parse_breakpoint(struct cursor *c, struct td_spec *spec)
{
	size_t at = c->at;
	int rc;

	spec->kind = TD_SPEC_BREAKPOINT;
	c->at += strlen("mem:");
	rc = take_number(c, &spec->config, "not an address");
	/* a digit begins the length, anything else the terms */
	if (!rc && peek(c) == '/' &&
	    isdigit((unsigned char)c->text[c->at + 1])) {
		c->at++;
		rc = take_number(c, &spec->length, "not a length");
	}
	if (!rc)
		rc = parse_access(c, spec);
	return rc ? rc : copy(c, &spec->name, at, c->at - at);
}

static int parse_what(struct cursor *c, struct td_spec *spec)
{
	int rc;

	if (strncmp(c->text + c->at, "mem:", 4) == 0)
		return parse_breakpoint(c, spec);
	rc = parse_name(c, spec);
	if (!rc && spec->kind == TD_SPEC_NAME &&
	    is_raw(spec->name, strlen(spec->name), &spec->config))
		spec->kind = TD_SPEC_RAW;
	return rc;
}

static int parse_suffix(struct cursor *c, struct td_spec *spec)
{
	size_t at;
	int rc;

	if (take(c, ':'))
		skip_blanks(c);
	else if (!spec->slashes && isspace((unsigned char)c->text[c->at - 1]) &&
		 peek(c) && !strchr(",{}", peek(c)))
		return error_at(c, c->at, 1, "a comma is missing before this");
	at = c->at;
	rc = parse_modifiers(c, &spec->mods);
	if (!rc && spec->mods.weak)
		rc = error_at(c, at, c->at - at,
			      "modifier W is for groups: {...}:W");
	return rc ? rc : copy(c, &spec->suffix, at, c->at - at);
}

/* Sets the place and text of an event, without blanks at its end. */
static int set_span(struct cursor *c, struct td_spec *spec, size_t at)
{
	size_t end = c->at;

	while (end > at && isspace((unsigned char)c->text[end - 1]))
		end--;
	spec->span = (struct td_span){ c->text, at, end - at };
	spec->text = compact(c->text + at, end - at);
	return spec->text ? 0 : td_err_nomem(c->err);
}

static int parse_event(struct cursor *c, int group)
{
	struct td_event_text *events = c->events;
	struct td_spec *spec =
		td_array_add(&events->specs, events->nr_specs, sizeof(*spec));
	size_t at;
	int rc;

	if (!spec)
		return td_err_nomem(c->err);
	events->nr_specs++;
	spec->group = group;
	skip_blanks(c);
	at = c->at;
	rc = parse_what(c, spec);
	if (!rc && take(c, '/'))
		rc = parse_terms(c, spec);
	if (!rc)
		rc = parse_suffix(c, spec);
	return rc ? rc : set_span(c, spec, at);
}

/* --- groups --------------------------------------------------------------- */

/* Merges a group's modifiers into those of its events. */
static int join_group(struct cursor *c, size_t first,
		      const struct td_modifiers *mods)
{
	for (size_t i = first; i < c->events->nr_specs; i++) {
		struct td_spec *spec = &c->events->specs[i];
		const char *why =
			i > first && (spec->mods.pinned || spec->mods.exclusive)
				? "modifiers D and e: in a group, only the "
				  "first event can have them"
				: td_modifiers_join(&spec->mods, mods);

		if (why)
			return td_span_error(c->err, &spec->span, "%s", why);
	}
	return 0;
}

/* Parses from behind the opening brace. */
static int parse_group(struct cursor *c)
{
	struct td_modifiers mods = { 0 };
	size_t brace = c->at - 1, first = c->events->nr_specs;
	int group = c->events->nr_groups++;
	int rc;

	do {
		skip_blanks(c);
		if (peek(c) == '{')
			return error_at(c, c->at, 1, "a group inside a group");
		rc = parse_event(c, group);
	} while (!rc && take(c, ','));
	if (!rc && peek(c) == '{')
		rc = error_at(c, c->at, 1, "a group inside a group");
	if (!rc && !take(c, '}'))
		rc = error_at(c, brace, 1, "no } closes this group");
	if (!rc && take(c, ':')) {
		skip_blanks(c);
		rc = parse_modifiers(c, &mods);
	}
	return rc ? rc : join_group(c, first, &mods);
}

/* Skips "{" or "NAME{". perf has names of groups; tdstat ignores them. */
static bool take_group_start(struct cursor *c)
{
	size_t at;

	skip_blanks(c);
	at = c->at;
	take_word(c, ",{}/:");
	if (take(c, '{'))
		return true;
	c->at = at;
	return false;
}

int td_event_text_parse(struct td_event_text *events, const char *text,
			struct td_err *err)
{
	struct cursor c = { text, 0, events, err };
	int rc;

	do {
		rc = take_group_start(&c) ? parse_group(&c)
					  : parse_event(&c, -1);
	} while (!rc && take(&c, ','));
	if (rc)
		return rc;
	skip_blanks(&c);
	if (peek(&c))
		return error_at(&c, c.at, 1, "a comma is missing before this");
	return 0;
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
