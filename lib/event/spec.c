// SPDX-License-Identifier: GPL-2.0-only
#include "lib/event/spec.h"

#include <ctype.h>
#include <linux/hw_breakpoint.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/memory.h"
#include "lib/base/number.h"
#include "lib/event/event.h"

/* --- a place in the text -------------------------------------------------- */

int td_span_error(struct td_err *err, const struct td_span *span, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	td_err_vusage(err, fmt, ap);
	va_end(ap);
	return td_err_point(err, span->text, span->at, span->len);
}

int td_cursor_error(struct td_cursor *c, size_t at, size_t len, const char *what)
{
	struct td_span span = { c->text, at, len };

	return td_span_error(c->err, &span, "%s", what);
}

char td_cursor_peek(const struct td_cursor *c)
{
	return c->text[c->at];
}

void td_cursor_skip_blanks(struct td_cursor *c)
{
	while (isspace((unsigned char)td_cursor_peek(c)))
		c->at++;
}

bool td_cursor_take(struct td_cursor *c, char want)
{
	td_cursor_skip_blanks(c);
	if (td_cursor_peek(c) != want)
		return false;
	c->at++;
	return true;
}

size_t td_cursor_take_word(struct td_cursor *c, const char *stop)
{
	size_t from = c->at;

	while (td_cursor_peek(c) && !strchr(stop, td_cursor_peek(c)) &&
	       !isspace((unsigned char)td_cursor_peek(c)))
		c->at++;
	return c->at - from;
}

void td_cursor_copy(struct td_cursor *c, char **out, size_t at, size_t len)
{
	*out = td_strndup(c->text + at, len);
}

char *td_without_blanks(const char *text, size_t len)
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

/*
 * Parse the word after "0:", "sched:" or "cycles:": a config, a tracepoint or modifiers.
 */
static int parse_after_colon(struct td_cursor *c, struct td_spec *spec, size_t at, size_t len)
{
	size_t colon = c->at++, second = c->at;
	size_t second_len = td_cursor_take_word(c, ",{}/:");
	const char *word = c->text + second;
	uint64_t type;

	if (parse_number(c->text + at, len, UINT64_MAX, &type)) {
		if (type > UINT32_MAX)
			return td_cursor_error(c, at, len, "a type cannot be this large");
		if (!parse_number(word, second_len, UINT64_MAX, &spec->config))
			return td_cursor_error(c, second, second_len,
					       "not a number: the config of an event");
		spec->kind = TD_SPEC_NUMERIC;
		spec->type = (uint32_t)type;
		td_cursor_copy(c, &spec->name, at, c->at - at);
		return 0;
	}
	if (second_len == 0 || td_are_modifiers(word, second_len)) {
		c->at = colon;
		td_cursor_copy(c, &spec->name, at, len);
		return 0;
	}
	spec->kind = TD_SPEC_TRACEPOINT;
	td_cursor_copy(c, &spec->system, at, len);
	td_cursor_copy(c, &spec->tracepoint, second, second_len);
	td_cursor_copy(c, &spec->name, at, c->at - at);
	return 0;
}

static int parse_word(struct td_cursor *c, struct td_spec *spec)
{
	size_t at = c->at, len = td_cursor_take_word(c, ",{}/:");

	if (!len)
		return td_cursor_error(c, at, 1, "an event is missing");
	if (td_cursor_peek(c) == ':')
		return parse_after_colon(c, spec, at, len);
	td_cursor_copy(c, &spec->name, at, len);
	return 0;
}

/* Parse the ":rw" of a breakpoint; other letters are modifiers. */
static int parse_access(struct td_cursor *c, struct td_spec *spec)
{
	size_t from = c->at + 1;

	spec->type = 0;
	if (td_cursor_peek(c) != ':' || !c->text[from] || !strchr("rwx", c->text[from]))
		return 0;
	for (c->at = from; td_cursor_peek(c) && strchr("rwx", td_cursor_peek(c)); c->at++) {
		uint32_t bit = td_cursor_peek(c) == 'r'   ? HW_BREAKPOINT_R
			       : td_cursor_peek(c) == 'w' ? HW_BREAKPOINT_W
							  : HW_BREAKPOINT_X;

		if (spec->type & bit)
			return td_cursor_error(c, c->at, 1, "the same letter twice");
		spec->type |= bit;
	}
	return 0;
}

/* Parse a number up to its last digit: in "mem:0x1000u", u is a modifier. */
static int take_number(struct td_cursor *c, uint64_t *out, const char *what)
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
	len = td_cursor_take_word(c, ",{}/:");
	return td_cursor_error(c, at, len ? len : 1, what);
}

static int parse_breakpoint(struct td_cursor *c, struct td_spec *spec)
{
	size_t at = c->at;
	int rc;

	spec->kind = TD_SPEC_BREAKPOINT;
	c->at += strlen("mem:");
	rc = take_number(c, &spec->config, "not an address");
	/* a digit begins the length, anything else the terms */
	if (!rc && td_cursor_peek(c) == '/' && isdigit((unsigned char)c->text[c->at + 1])) {
		c->at++;
		rc = take_number(c, &spec->length, "not a length");
	}
	if (!rc)
		rc = parse_access(c, spec);
	if (rc)
		return rc;
	td_cursor_copy(c, &spec->name, at, c->at - at);
	return 0;
}

int td_spec_parse_name(struct td_cursor *c, struct td_spec *spec)
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
