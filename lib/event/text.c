// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/number.h"
#include "lib/base/util.h"
#include "lib/event/event.h"
#include "lib/event/spec.h"

/* --- modifiers ------------------------------------------------------------ */

/* Parses modifiers up to the end of the word, which may be empty. */
static int parse_modifiers(struct td_cursor *c, struct td_modifiers *mods)
{
	size_t at = c->at, len = td_cursor_take_word(c, ",{}/:");

	for (size_t i = 0; i < len; i++) {
		const char *why = td_modifiers_add(mods, c->text[at + i]);

		if (why)
			return td_cursor_error(c, at + i, 1, why);
	}
	return 0;
}

/* --- terms ---------------------------------------------------------------- */

/* Parses a value up to ',' or '/', or one in single quotes. */
static int parse_value(struct td_cursor *c, struct td_term *term)
{
	size_t at = c->at, len;
	const char *end;

	if (td_cursor_peek(c) == '\'') {
		end = strchr(c->text + at + 1, '\'');
		if (!end)
			return td_cursor_error(c, at, 1, "this quote is not closed");
		len = (size_t)(end - c->text) - at - 1;
		c->at += len + 2;
		if (!len)
			return td_cursor_error(c, at, 2, "an empty value");
		td_cursor_copy(c, &term->value, at + 1, len);
		return 0;
	}
	len = td_cursor_take_word(c, ",/{}");
	if (!len)
		return td_cursor_error(c, at, 1, "a value is missing");
	td_cursor_copy(c, &term->value, at, len);
	term->is_number = td_parse_u64(term->value, UINT64_MAX, &term->number) == 0;
	return 0;
}

static int parse_term(struct td_cursor *c, struct td_spec *spec)
{
	struct td_term *term = td_array_add(&spec->terms, spec->nr_terms, sizeof(*term));
	size_t at, len;
	int rc;

	spec->nr_terms++;
	td_cursor_skip_blanks(c);
	at = c->at;
	len = td_cursor_take_word(c, ",=/{}");
	if (!len)
		return td_cursor_error(c, at, 1, "a term is missing");
	td_cursor_copy(c, &term->name, at, len);
	rc = 0;
	term->number = 1;
	if (td_cursor_take(c, '=')) {
		td_cursor_skip_blanks(c);
		rc = parse_value(c, term);
	}
	term->span = (struct td_span){ c->text, at, c->at - at };
	return rc;
}

/* Parses the terms after the first slash, up to and including the second one. */
static int parse_terms(struct td_cursor *c, struct td_spec *spec)
{
	size_t slash = c->at - 1, at = c->at;
	int rc;

	spec->slashes = true;
	if (td_cursor_take(c, '/'))
		return 0;
	do {
		rc = parse_term(c, spec);
	} while (!rc && td_cursor_take(c, ','));
	if (rc)
		return rc;
	td_cursor_skip_blanks(c);
	if (td_cursor_peek(c) && td_cursor_peek(c) != '/' && !strchr(",{}", td_cursor_peek(c)))
		return td_cursor_error(c, c->at, 1, "a comma is missing before this");
	if (td_cursor_peek(c) != '/')
		return td_cursor_error(c, slash, 1, "no slash closes these terms");
	spec->terms_text = td_without_blanks(c->text + at, c->at - at);
	c->at++;
	return 0;
}

/* --- events --------------------------------------------------------------- */

static int parse_suffix(struct td_cursor *c, struct td_spec *spec)
{
	size_t at;
	int rc;

	if (td_cursor_take(c, ':'))
		td_cursor_skip_blanks(c);
	else if (!spec->slashes && isspace((unsigned char)c->text[c->at - 1]) &&
		 td_cursor_peek(c) && !strchr(",{}", td_cursor_peek(c)))
		return td_cursor_error(c, c->at, 1, "a comma is missing before this");
	at = c->at;
	rc = parse_modifiers(c, &spec->mods);
	if (!rc && spec->mods.weak)
		rc = td_cursor_error(c, at, c->at - at, "modifier W is for groups: {...}:W");
	if (rc)
		return rc;
	td_cursor_copy(c, &spec->suffix, at, c->at - at);
	return 0;
}

/* Sets the span and text of an event, without blanks at its end. */
static void set_span(struct td_cursor *c, struct td_spec *spec, size_t at)
{
	size_t end = c->at;

	while (end > at && isspace((unsigned char)c->text[end - 1]))
		end--;
	spec->span = (struct td_span){ c->text, at, end - at };
	spec->text = td_without_blanks(c->text + at, end - at);
}

static int parse_event(struct td_cursor *c, struct td_event_text *events, int group)
{
	struct td_spec *spec = td_array_add(&events->specs, events->nr_specs, sizeof(*spec));
	size_t at;
	int rc;

	events->nr_specs++;
	spec->group = group;
	td_cursor_skip_blanks(c);
	at = c->at;
	rc = td_spec_parse_name(c, spec);
	if (!rc && td_cursor_take(c, '/'))
		rc = parse_terms(c, spec);
	if (!rc)
		rc = parse_suffix(c, spec);
	if (rc)
		return rc;
	set_span(c, spec, at);
	return 0;
}

/* --- groups --------------------------------------------------------------- */

/* Merges a group's modifiers into those of its events. */
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
static int parse_group(struct td_cursor *c, struct td_event_text *events)
{
	struct td_modifiers mods = { 0 };
	size_t brace = c->at - 1, first = events->nr_specs;
	int group = events->nr_groups++;
	int rc;

	do {
		td_cursor_skip_blanks(c);
		if (td_cursor_peek(c) == '{')
			return td_cursor_error(c, c->at, 1, "a group inside a group");
		rc = parse_event(c, events, group);
	} while (!rc && td_cursor_take(c, ','));
	if (!rc && td_cursor_peek(c) == '{')
		rc = td_cursor_error(c, c->at, 1, "a group inside a group");
	if (!rc && !td_cursor_take(c, '}'))
		rc = td_cursor_error(c, brace, 1, "no } closes this group");
	if (!rc && td_cursor_take(c, ':')) {
		td_cursor_skip_blanks(c);
		rc = parse_modifiers(c, &mods);
	}
	return rc ? rc : join_group(events, first, &mods, c->err);
}

/* Skips "{" or "NAME{".  Names of groups are perf's syntax; tdstat ignores them. */
static bool take_group_start(struct td_cursor *c)
{
	size_t at;

	td_cursor_skip_blanks(c);
	at = c->at;
	td_cursor_take_word(c, ",{}/:");
	if (td_cursor_take(c, '{'))
		return true;
	c->at = at;
	return false;
}

int td_event_text_parse(struct td_event_text *events, const char *text, struct td_err *err)
{
	struct td_cursor c = { text, 0, err };
	int rc;

	do {
		rc = take_group_start(&c) ? parse_group(&c, events) : parse_event(&c, events, -1);
	} while (!rc && td_cursor_take(&c, ','));
	if (rc)
		return rc;
	td_cursor_skip_blanks(&c);
	if (td_cursor_peek(&c))
		return td_cursor_error(&c, c.at, 1, "a comma is missing before this");
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
