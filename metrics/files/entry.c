// SPDX-License-Identifier: GPL-2.0-only
/* Parses JSON files, reads the members of their entries, writes events' terms. */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json.h"
#include "lib/base/number.h"
#include "lib/base/util.h"
#include "metrics/files/parts.h"

#define MAX_DEPTH 8 /* metrics of perfmon nest six levels deep */
#define BLANKS    " \t\r\n\v\f"

static size_t line_of(const char *text, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

int td_json_parse(const char *path, const char *text, struct json_object **out,
		  struct td_err *err)
{
	struct td_json_fault fault;
	int rc = td_json_text(text, MAX_DEPTH,
			      JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8,
			      out, &fault);

	if (rc == -ENOMEM)
		return td_err_set(err, rc, "%s: out of memory", path);
	return rc ? td_err_set(err, rc, "%s:%zu: not JSON: %s", path,
			       line_of(text, fault.at), fault.why)
		  : 0;
}

/* Returns EventName or MetricName, or NULL if an entry has neither. */
static const char *name_of(const struct td_entry *entry)
{
	struct json_object *name =
		json_object_object_get(entry->object, "EventName");

	if (!name)
		name = json_object_object_get(entry->object, "MetricName");
	if (!json_object_is_type(name, json_type_string))
		return NULL;
	return json_object_get_string(name);
}

int td_entry_bad(const struct td_entry *entry, struct td_err *err,
		 const char *key, const char *what)
{
	const char *name = name_of(entry);

	if (name)
		return td_err_set(err, -EINVAL, "%s: %s: %s: %s", entry->path,
				  name, key, what);
	return td_err_set(err, -EINVAL, "%s: entry %zu: %s: %s", entry->path,
			  entry->nr, key, what);
}

int td_entry_text(const struct td_entry *entry, const char *key,
		  const char **out, struct td_err *err)
{
	struct json_object *value;
	enum json_type type;

	*out = NULL;
	if (!json_object_object_get_ex(entry->object, key, &value))
		return 0;
	type = json_object_get_type(value);
	if (type != json_type_string && type != json_type_int &&
	    type != json_type_double)
		return td_entry_bad(entry, err, key,
				    "neither text nor a number");
	*out = json_object_get_string(value);
	if (!*out)
		return td_err_nomem(err);
	if (type == json_type_string &&
	    strlen(*out) != (size_t)json_object_get_string_len(value))
		return td_entry_bad(entry, err, key, "a NUL in it");
	return 0;
}

int td_entry_number(const struct td_entry *entry, const char *key,
		    struct td_number *out, struct td_err *err)
{
	const char *text;
	char first[32];
	size_t len;
	int rc = td_entry_text(entry, key, &text, err);

	*out = (struct td_number){ 0 };
	if (rc || !text)
		return rc;
	len = strcspn(text, ", ");
	if (len >= sizeof(first))
		return td_entry_bad(entry, err, key, "not a number");
	memcpy(first, text, len);
	first[len] = '\0';
	if (td_parse_u64(first, UINT64_MAX, &out->value))
		return td_entry_bad(entry, err, key, "not a number");
	out->hex = first[1] == 'x' || first[1] == 'X';
	return 0;
}

int td_entry_double(const struct td_entry *entry, const char *key, double *out,
		    struct td_err *err)
{
	const char *text;
	char *end;
	int rc = td_entry_text(entry, key, &text, err);

	*out = (double)NAN;
	if (rc || !text)
		return rc;
	errno = 0;
	*out = strtod(text, &end);
	if (end == text || *end || errno || !isfinite(*out))
		return td_entry_bad(entry, err, key, "not a number");
	return 0;
}

/* Copies a text with each run of blanks and line ends turned into one blank. */
static char *one_line(const char *text)
{
	char *line = malloc(strlen(text) + 1), *end = line;

	while (line && *text) {
		size_t len = strcspn(text, BLANKS);

		memcpy(end, text, len);
		end += len;
		text += len;
		text += strspn(text, BLANKS);
		if (*text)
			*end++ = ' ';
	}
	if (line)
		*end = '\0';
	return line;
}

int td_entry_line(const struct td_entry *entry, const char *key, char **out,
		  struct td_err *err)
{
	const char *text;
	int rc = td_entry_text(entry, key, &text, err);

	*out = NULL;
	if (rc || !text)
		return rc;
	text += strspn(text, BLANKS);
	if (!*text)
		return 0;
	*out = one_line(text);
	return *out ? 0 : td_err_nomem(err);
}

/* --- the terms of an event ------------------------------------------------ */

/*
 * They are written as tools/perf/pmu-events/jevents.py of the kernel tree does, so
 * that a name means the same event here and in perf.
 */

/*
 * Terms being written.  len grows beyond the buffer, which make_terms() checks
 * at the end.
 */
struct terms {
	char text[512];
	size_t len;
};

/* Keys in the files and the terms of a PMU that they set. */
static const struct {
	const char *key, *term;
} fields[] = {
	{ "AnyThread", "any" },           { "CounterMask", "cmask" },
	{ "EdgeDetect", "edge" },         { "EnAllCores", "enallcores" },
	{ "EnAllSlices", "enallslices" }, { "Equal", "eq" },
	{ "FCMask", "fc_mask" },          { "Invert", "inv" },
	{ "NodeType", "type" },           { "PortMask", "ch_mask" },
	{ "RdWrMask", "rdwrmask" },       { "SliceId", "sliceid" },
	{ "ThreadMask", "threadmask" },
};

/* The terms that set an MSR. */
static const struct {
	uint64_t msr;
	const char *term;
} msrs[] = {
	{ 0x1a6, "offcore_rsp" },
	{ 0x1a7, "offcore_rsp" },
	{ 0x3f6, "ldlat" },
	{ 0x3f7, "frontend" },
};

/*
 * Terms that replace those in the files, which for some of these events have
 * pseudo codes of fixed counters that the kernel does not know on every core.
 */
static const struct {
	const char *name, *terms;
} fixed[] = {
	{ "cpu_clk_unhalted.core", "event=0x3c" },
	{ "cpu_clk_unhalted.ref", "event=0x0,umask=0x3" },
	{ "cpu_clk_unhalted.thread", "event=0x3c" },
	{ "cpu_clk_unhalted.thread_any", "event=0x3c,any=1" },
	{ "inst_retired.any", "event=0xc0" },
	{ "inst_retired.any_p", "event=0xc0" },
};

static void add_text(struct terms *terms, const char *text)
{
	size_t room = sizeof(terms->text);

	if (terms->len < room)
		snprintf(terms->text + terms->len, room - terms->len, "%s",
			 text);
	terms->len += strlen(text);
}

/* Adds a term, in hexadecimal if the file has it so; zero needs no term. */
static void add_term(struct terms *terms, const char *name,
		     struct td_number number)
{
	char value[32];

	if (!number.value)
		return;
	snprintf(value, sizeof(value), number.hex ? "=0x%" PRIx64 : "=%" PRIu64,
		 number.value);
	add_text(terms, ",");
	add_text(terms, name);
	add_text(terms, value);
}

static bool has(const struct td_entry *entry, const char *key)
{
	return json_object_object_get_ex(entry->object, key, NULL);
}

/* Adds the event's code, which every event has; the default is 0. */
static int add_code(const struct td_entry *entry, struct terms *terms,
		    struct td_err *err)
{
	const char *key = "EventCode", *term = "event";
	struct td_number code, more;
	char text[40];

	if (has(entry, "ConfigCode")) {
		key = "ConfigCode";
		term = "config";
	} else if (has(entry, "EventidCode")) {
		key = "EventidCode";
		term = "eventid";
	}
	if (td_entry_number(entry, key, &code, err) ||
	    td_entry_number(entry, "ExtSel", &more, err))
		return err->code;
	snprintf(text, sizeof(text), "%s=0x%" PRIx64, term,
		 code.value | more.value << 8);
	add_text(terms, text);
	return 0;
}

/* Adds the unit mask; UMaskExt has its bits above the low eight. */
static int add_umask(const struct td_entry *entry, struct terms *terms,
		     struct td_err *err)
{
	struct td_number umask, more;

	if (td_entry_number(entry, "UMask", &umask, err) ||
	    td_entry_number(entry, "UMaskExt", &more, err))
		return err->code;
	umask.value |= more.value << 8;
	umask.hex = true;
	add_term(terms, "umask", umask);
	return 0;
}

/*
 * Adds the term that sets an MSR.  For an MSR without one, it is a name that no
 * PMU has: such an event can be listed but not counted.
 */
static int add_msr(const struct td_entry *entry, struct terms *terms,
		   struct td_err *err)
{
	struct td_number index, value;
	char name[32];

	if (td_entry_number(entry, "MSRIndex", &index, err) ||
	    td_entry_number(entry, "MSRValue", &value, err))
		return err->code;
	if (!index.value)
		return 0;
	snprintf(name, sizeof(name), "msr_0x%" PRIx64, index.value);
	for (size_t i = 0; i < TD_ARRAY_SIZE(msrs); i++) {
		if (msrs[i].msr == index.value)
			snprintf(name, sizeof(name), "%s", msrs[i].term);
	}
	add_term(terms, name, value);
	return 0;
}

static int add_fields(const struct td_entry *entry, struct terms *terms,
		      struct td_err *err)
{
	struct td_number value;

	for (size_t i = 0; i < TD_ARRAY_SIZE(fields); i++) {
		if (td_entry_number(entry, fields[i].key, &value, err))
			return err->code;
		add_term(terms, fields[i].term, value);
	}
	return 0;
}

static int make_terms(const struct td_entry *entry, struct terms *terms,
		      struct td_err *err)
{
	const char *filter;

	if (add_code(entry, terms, err) || add_umask(entry, terms, err) ||
	    add_fields(entry, terms, err) ||
	    td_entry_text(entry, "Filter", &filter, err))
		return err->code;
	if (filter && *filter) {
		add_text(terms, ",");
		add_text(terms, filter);
	}
	if (add_msr(entry, terms, err))
		return err->code;
	if (terms->len >= sizeof(terms->text))
		return td_entry_bad(entry, err, "Filter", "too long");
	return 0;
}

/*
 * Pseudo codes of the Atom cores' fixed counters for top-down, which only newer
 * kernels know (intel_skt_event_constraints of Linux 7.2, not yet of 6.12), and
 * the codes that all of them know.
 */
static const struct {
	const char *pseudo, *terms;
} topdown[] = {
	{ "event=0x0,umask=0x5", "event=0x73" },
	{ "event=0x0,umask=0x6", "event=0x9c,umask=0x1" },
	{ "event=0x0,umask=0x7", "event=0xc2,umask=0x2" },
};

static const char *known_to_all(const char *name, const char *terms)
{
	for (size_t i = 0;
	     strncmp(name, "topdown_", 8) == 0 && i < TD_ARRAY_SIZE(topdown);
	     i++) {
		if (strcmp(topdown[i].pseudo, terms) == 0)
			return topdown[i].terms;
	}
	return terms;
}

static const char *fixed_terms(const char *name)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(fixed); i++) {
		if (strcmp(fixed[i].name, name) == 0)
			return fixed[i].terms;
	}
	return NULL;
}

int td_entry_terms(const struct td_entry *entry, const char *name, char **out,
		   struct td_err *err)
{
	struct terms terms = { .len = 0 };
	const char *known = fixed_terms(name);
	int rc = make_terms(entry, &terms, err);

	*out = NULL;
	if (rc)
		return rc;
	*out = strdup(known ? known : known_to_all(name, terms.text));
	return *out ? 0 : td_err_nomem(err);
}
