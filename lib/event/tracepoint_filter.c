// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the kernel's filter language (Documentation/trace/events.rst, 5.1;
 * kernel/trace/trace_events_filter.c). tep_filter_add_filter_str() is no help:
 * it takes unknown fields for false, refuses commas in strings, and crashes on
 * "pid ==" and "pid == 0 &&" (libtraceevent 1.7.1).
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/suggest.h"
#include "lib/base/util.h"
#include "lib/event/parts.h"

/* kernel/trace/trace_events.c: trace_define_generic_fields() */
static const struct td_field generic_fields[] = {
	{ "CPU", TD_FIELD_NUMBER },        { "cpu", TD_FIELD_NUMBER },
	{ "common_cpu", TD_FIELD_NUMBER }, { "COMM", TD_FIELD_TEXT },
	{ "comm", TD_FIELD_TEXT },         { "stacktrace", TD_FIELD_OTHER },
	{ "STACKTRACE", TD_FIELD_OTHER },
};

/* Longer operators first, as one may begin like another. */
static const struct comparison {
	const char *text;
	bool texts, numbers; /* the kinds of fields that it compares */
} comparisons[] = {
	{ "==", true, true },  { "!=", true, true }, { "<=", false, true },
	{ ">=", false, true }, { "<", false, true }, { ">", false, true },
	{ "&", false, true },  { "~", true, false },
};

struct filter {
	const char *text;
	size_t at;
	int depth; /* open parentheses */
	const struct td_field *fields;
	size_t nr_fields;
	struct td_err *err;
};

static const char *here(const struct filter *f)
{
	return f->text + f->at;
}

static int wrong(const struct filter *f, size_t len, const char *message)
{
	td_err_usage(f->err, "%s", message);
	return td_err_point(f->err, f->text, f->at, len);
}

static void skip_blanks(struct filter *f)
{
	while (isspace((unsigned char)*here(f)))
		f->at++;
}

static size_t word_length(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || text[len] == '_')
		len++;
	return len;
}

static bool is_word(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && strncmp(name, text, len) == 0;
}

static const struct td_field *find_field(const struct filter *f, size_t len)
{
	for (size_t i = 0; i < f->nr_fields; i++) {
		if (is_word(f->fields[i].name, here(f), len))
			return &f->fields[i];
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(generic_fields); i++) {
		if (is_word(generic_fields[i].name, here(f), len))
			return &generic_fields[i];
	}
	return NULL;
}

/* Formats "prev_comm, prev_pid", as many names as fit. */
static void list_fields(const struct filter *f, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < f->nr_fields; i++) {
		const char *name = f->fields[i].name;
		size_t len = strlen(name) + 2;

		if (used + len + sizeof(", ...") > size) {
			snprintf(buf + used, size - used, ", ...");
			return;
		}
		snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
			 name);
		used = strlen(buf);
	}
}

static int no_such_field(struct filter *f, size_t len)
{
	td_autofree char *name = strndup(here(f), len);
	struct td_closest closest = { .wanted = name };
	char all[400];

	if (!name)
		return td_err_nomem(f->err);
	list_fields(f, all, sizeof(all));
	td_err_usage(f->err, "it has no field '%.60s'; its fields are %s", name,
		     all);
	for (size_t i = 0; i < f->nr_fields; i++)
		td_closest_offer(&closest, f->fields[i].name);
	if (closest.best[0])
		td_err_hint(f->err, "did you mean '%s'?", closest.best);
	return td_err_point(f->err, f->text, f->at, len);
}

static const struct comparison *find_comparison(const char *text)
{
	if (strncmp(text, "&&", 2) == 0)
		return NULL;
	for (size_t i = 0; i < TD_ARRAY_SIZE(comparisons); i++) {
		if (strncmp(comparisons[i].text, text,
			    strlen(comparisons[i].text)) == 0)
			return &comparisons[i];
	}
	return NULL;
}

/* Takes the numbers of kstrtoll() and kstrtoull(): 12, -1, 0x1f, 017. */
static int take_number(struct filter *f)
{
	const char *digits = here(f) + (*here(f) == '-');
	size_t len = word_length(digits);
	char *end;

	errno = 0;
	(void)strtoull(digits, &end, 0);
	if (!isdigit((unsigned char)*digits) || errno || end != digits + len)
		return wrong(f, len, "expected a number");
	f->at = (size_t)(end - f->text);
	return 0;
}

/* Takes a quoted string; it has no escapes. */
static int take_string(struct filter *f)
{
	const char *end = strchr(here(f) + 1, *here(f));

	if (!end)
		return wrong(f, 1, "the quotes are not closed");
	f->at = (size_t)(end + 1 - f->text);
	return 0;
}

/* Takes "CPUS{0-3,8}", for numbers and cpumasks since Linux 6.6. */
static int take_cpus(struct filter *f)
{
	size_t len = strcspn(here(f), "}");

	if (here(f)[len] != '}')
		return wrong(f, 5, "CPUS{ is not closed");
	f->at += len + 1;
	return 0;
}

static int take_value(struct filter *f, enum td_field_kind kind)
{
	bool quoted = *here(f) == '"' || *here(f) == '\'';

	if (strncmp(here(f), "CPUS{", 5) == 0)
		return take_cpus(f);
	if (quoted && kind == TD_FIELD_NUMBER)
		return wrong(f, 1, "the field is a number, but this is a text");
	if (!quoted && kind == TD_FIELD_TEXT)
		return wrong(f, 1, "expected a text in quotes");
	return quoted ? take_string(f) : take_number(f);
}

static int take_comparison(struct filter *f, enum td_field_kind kind)
{
	const struct comparison *op = find_comparison(here(f));
	size_t len;

	if (!op)
		return wrong(f, 1, "expected an operator: == != < <= > >= & ~");
	len = strlen(op->text);
	if (kind == TD_FIELD_TEXT && !op->texts)
		return wrong(f, len,
			     "a text can only be compared with ==, "
			     "!= or ~");
	if (kind == TD_FIELD_NUMBER && !op->numbers)
		return wrong(f, len,
			     "~ is for texts, but the field is a "
			     "number");
	f->at += len;
	return 0;
}

/* Takes the value of "call_site.function == schedule", a symbol or address. */
static int take_function(struct filter *f)
{
	size_t len = word_length(here(f));

	if (len == 0)
		return wrong(f, 1, "expected a function");
	f->at += len;
	return 0;
}

static bool take(struct filter *f, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(here(f), text, len) != 0)
		return false;
	f->at += len;
	return true;
}

/* Takes a predicate such as "prev_pid == 0". */
static int take_predicate(struct filter *f)
{
	size_t len = word_length(here(f));
	const struct td_field *field = find_field(f, len);
	enum td_field_kind kind;
	bool function;
	int rc;

	if (len == 0)
		return wrong(f, 1, "expected a field");
	if (!field)
		return no_such_field(f, len);
	f->at += len;
	function = take(f, ".function");
	/* a pointer to user memory, where the kernel reads the text */
	kind = take(f, ".ustring") ? TD_FIELD_TEXT : field->kind;
	skip_blanks(f);
	rc = take_comparison(f, kind);
	if (rc)
		return rc;
	skip_blanks(f);
	return function ? take_function(f) : take_value(f, kind);
}

static void take_openings(struct filter *f)
{
	skip_blanks(f);
	while (*here(f) == '(' || *here(f) == '!') {
		f->depth += *here(f) == '(';
		f->at++;
		skip_blanks(f);
	}
}

static int take_closings(struct filter *f)
{
	skip_blanks(f);
	while (*here(f) == ')') {
		if (f->depth == 0)
			return wrong(f, 1, "no '(' opens this");
		f->depth--;
		f->at++;
		skip_blanks(f);
	}
	return 0;
}

/* Takes what follows a predicate; *more is set if another one must follow. */
static int take_joint(struct filter *f, bool *more)
{
	int rc = take_closings(f);

	if (rc)
		return rc;
	*more = take(f, "&&") || take(f, "||");
	if (*more)
		return 0;
	if (*here(f) != '\0')
		return wrong(f, 1, "expected && or ||");
	if (f->depth > 0)
		return wrong(f, 1, "expected a ')'");
	return 0;
}

int td_filter_check(const char *filter, const struct td_field *fields,
		    size_t nr, struct td_err *err)
{
	struct filter f = {
		.text = filter, .fields = fields, .nr_fields = nr, .err = err
	};
	bool more = true;
	int rc = 0;

	while (!rc && more) {
		take_openings(&f);
		rc = take_predicate(&f);
		if (!rc)
			rc = take_joint(&f, &more);
	}
	return rc;
}
