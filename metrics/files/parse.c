// SPDX-License-Identifier: GPL-2.0-only
/* Parses the JSON files of a model. */
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <strings.h>

#include "lib/base/json.h"
#include "lib/base/number.h"
#include "metrics/files/parts.h"
#include "metrics/files/pmu_events.h"

/* --- entries, and their members ---------------------------------------------- */

/* One object of a file's array.  Members are missing or 0 after an error, which is kept. */
struct entry {
	struct json_object *object;
	const char *path, *topic;
	size_t nr; /* position in the file, from 1 */
	int rc;    /* code of the first error; 0: none */
	struct td_err *err;
};

/* A number, and whether it is hexadecimal in the file. */
struct number {
	uint64_t value;
	bool hex;
};

#define MAX_DEPTH 8
#define BLANKS    " \t\r\n\v\f"

static size_t line_of(const char *text, size_t offset)
{
	size_t line = 1;

	for (size_t i = 0; i < offset; i++)
		line += text[i] == '\n';
	return line;
}

/* Parse a file's text.  Release *out with json_object_put() even after an error. */
static int json_parse(const char *path, const char *text, struct json_object **out,
		      struct td_err *err)
{
	struct td_json_fault fault;
	int rc = td_json_text(text, MAX_DEPTH, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8,
			      out, &fault);

	return rc ? td_err_set(err, rc, "%s:%zu: not JSON: %s", path, line_of(text, fault.at),
			       fault.why)
		  : 0;
}

/* Return EventName or MetricName, or NULL. */
static const char *name_of(const struct entry *entry)
{
	struct json_object *name = json_object_object_get(entry->object, "EventName");

	if (!name)
		name = json_object_object_get(entry->object, "MetricName");
	return !json_object_is_type(name, json_type_string) ? NULL : json_object_get_string(name);
}

/* Set the error "FILE: NAME: KEY: WHAT" with code -EINVAL. */
static void entry_bad(struct entry *entry, const char *key, const char *what)
{
	const char *name = name_of(entry);

	if (entry->rc)
		return;
	if (name)
		entry->rc = td_err_set(entry->err, -EINVAL, "%s: %s: %s: %s", entry->path, name,
				       key, what);
	else
		entry->rc = td_err_set(entry->err, -EINVAL, "%s: entry %zu: %s: %s", entry->path,
				       entry->nr, key, what);
}

/* Return a text, or a number as text, borrowed from the entry; NULL: none. */
static const char *entry_text(struct entry *entry, const char *key)
{
	struct json_object *value;
	enum json_type type;
	const char *text;

	if (!json_object_object_get_ex(entry->object, key, &value))
		return NULL;
	type = json_object_get_type(value);
	if (type != json_type_string && type != json_type_int && type != json_type_double) {
		entry_bad(entry, key, "neither text nor a number");
		return NULL;
	}
	text = json_object_get_string(value);
	if (!text)
		td_memory_fail();
	if (type == json_type_string && strlen(text) != (size_t)json_object_get_string_len(value))
		entry_bad(entry, key, "a NUL in it");
	return entry->rc ? NULL : text;
}

/* Return a number, or the first number of a list such as "0xB7, 0xBB"; 0: none. */
static struct number entry_number(struct entry *entry, const char *key)
{
	const char *text = entry_text(entry, key);
	struct number number = { 0 };
	char first[32];
	size_t len;

	if (!text)
		return number;
	len = strcspn(text, ", ");
	snprintf(first, sizeof(first), "%.*s", (int)len, text);
	if (len >= sizeof(first) || td_parse_u64(first, UINT64_MAX, &number.value)) {
		entry_bad(entry, key, "not a number");
		return (struct number){ 0 };
	}
	number.hex = first[1] == 'x' || first[1] == 'X';
	return number;
}

/* Return a floating-point number; NaN: none. */
static double entry_double(struct entry *entry, const char *key)
{
	const char *text = entry_text(entry, key);
	char *end;
	double number;

	if (!text)
		return (double)NAN;
	errno = 0;
	number = strtod(text, &end);
	if (end == text || *end || errno || !isfinite(number))
		entry_bad(entry, key, "not a number");
	return number;
}

/* Copy a text with each run of blanks and line ends replaced by one blank. */
static char *one_line(const char *text)
{
	char *line = td_malloc(strlen(text) + 1), *end = line;

	while (*text) {
		size_t len = strcspn(text, BLANKS);

		memcpy(end, text, len);
		end += len;
		text += len;
		text += strspn(text, BLANKS);
		if (*text)
			*end++ = ' ';
	}
	*end = '\0';
	return line;
}

/* Return a text as one line, which the caller frees; NULL: none, or it is empty. */
static char *entry_line(struct entry *entry, const char *key)
{
	const char *text = entry_text(entry, key);

	text = text ? text + strspn(text, BLANKS) : "";
	return *text ? one_line(text) : NULL;
}

/* --- the terms of an event ------------------------------------------------ */

/*
 * Terms are those of the kernel tree's tools/perf/pmu-events/jevents.py, so that a name
 * means the same event here and in perf.
 */

/* Terms being written.  len may exceed the buffer; entry_terms() checks that at the end. */
struct terms {
	char text[512];
	size_t len;
};

/* Keys in the files, and the PMU's terms that they set. */
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

/* MSRs, and the PMU's terms that set them. */
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
 * Terms that replace those in the files.  For some of these events, the files contain
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
		snprintf(terms->text + terms->len, room - terms->len, "%s", text);
	terms->len += strlen(text);
}

/* Adds a term, in hexadecimal if it is so in the file; zero needs no term. */
static void add_term(struct terms *terms, const char *name, struct number number)
{
	char value[32];

	if (!number.value)
		return;
	snprintf(value, sizeof(value), number.hex ? "=0x%" PRIx64 : "=%" PRIu64, number.value);
	add_text(terms, ",");
	add_text(terms, name);
	add_text(terms, value);
}

static bool has(const struct entry *entry, const char *key)
{
	return json_object_object_get_ex(entry->object, key, NULL);
}

/* Adds the event's code, which every event has; the default is 0. */
static void add_code(struct entry *entry, struct terms *terms)
{
	const char *key = "EventCode", *term = "event";
	uint64_t code;
	char text[40];

	if (has(entry, "ConfigCode")) {
		key = "ConfigCode";
		term = "config";
	} else if (has(entry, "EventidCode")) {
		key = "EventidCode";
		term = "eventid";
	}
	code = entry_number(entry, key).value;
	code |= entry_number(entry, "ExtSel").value << 8;
	snprintf(text, sizeof(text), "%s=0x%" PRIx64, term, code);
	add_text(terms, text);
}

/* Adds the unit mask; UMaskExt contains its bits 8 and above. */
static void add_umask(struct entry *entry, struct terms *terms)
{
	struct number umask = { entry_number(entry, "UMask").value, true };

	umask.value |= entry_number(entry, "UMaskExt").value << 8;
	add_term(terms, "umask", umask);
}

/*
 * Adds the term that sets an MSR.  An MSR without a term gets a term that does not exist on any
 * PMU, so that its event can be listed but not counted.
 */
static void add_msr(struct entry *entry, struct terms *terms)
{
	uint64_t msr = entry_number(entry, "MSRIndex").value;
	struct number value = entry_number(entry, "MSRValue");
	char name[32];

	if (!msr)
		return;
	snprintf(name, sizeof(name), "msr_0x%" PRIx64, msr);
	for (size_t i = 0; i < TD_ARRAY_SIZE(msrs); i++) {
		if (msrs[i].msr == msr)
			snprintf(name, sizeof(name), "%s", msrs[i].term);
	}
	add_term(terms, name, value);
}

/*
 * Pseudo codes of the Atom cores' fixed counters for top-down, which only newer
 * kernels know (intel_skt_event_constraints of Linux 7.2, but not of 6.12), and
 * equivalent codes that all kernels know.
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
	for (size_t i = 0; strncmp(name, "topdown_", 8) == 0 && i < TD_ARRAY_SIZE(topdown); i++) {
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

/*
 * Returns the terms of an event, the last one is the sampling period; name is in lower case.  The
 * caller frees them.
 */
static char *entry_terms(struct entry *entry, const char *name)
{
	struct terms terms = { .len = 0 }, period = { .len = 0 };
	const char *known = fixed_terms(name);
	struct td_err ignored;
	struct entry lenient;
	const char *filter;

	add_code(entry, &terms);
	add_umask(entry, &terms);
	for (size_t i = 0; i < TD_ARRAY_SIZE(fields); i++)
		add_term(&terms, fields[i].term, entry_number(entry, fields[i].key));
	filter = entry_text(entry, "Filter");
	if (filter && *filter) {
		add_text(&terms, ",");
		add_text(&terms, filter);
	}
	add_msr(entry, &terms);
	if (terms.len >= sizeof(terms.text))
		entry_bad(entry, "Filter", "too long");
	/* only used by locate -c default */
	lenient = *entry;
	lenient.err = &ignored;
	add_term(&period, "period", entry_number(&lenient, "SampleAfterValue"));
	return td_aprintf("%s%s", known ? known : known_to_all(name, terms.text), period.text);
}

/* --- parse ------------------------------------------------------------- */

/* Units whose PMU is not called "uncore_" and the unit's name. */
static const struct {
	const char *unit, *pmu;
} units[] = {
	{ "CBO", "uncore_cbox" },   { "DFPMC", "amd_df" },      { "L3PMC", "amd_l3" },
	{ "QPI LL", "uncore_qpi" }, { "SBO", "uncore_sbox" },   { "UMCPMC", "amd_umc" },
	{ "UPI LL", "uncore_upi" }, { "iMPH-U", "uncore_arb" },
};

/*
 * Return the PMU of a unit; a unit may be the name of a PMU.  Without a unit, return "cpu", the
 * only core PMU.
 */
static char *pmu_of(const char *unit)
{
	if (!unit || !*unit)
		return td_strdup("cpu");
	if (strncasecmp(unit, "cpu", 3) == 0)
		return td_lower(td_strdup(unit));
	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].unit, unit) == 0)
			return td_strdup(units[i].pmu);
	}
	return td_lower(td_aprintf("uncore_%s", unit));
}

static char *describe(struct entry *entry)
{
	char *desc = entry_line(entry, "BriefDescription"), *whole;

	if (!entry_number(entry, "Deprecated").value)
		return desc;
	whole = td_aprintf("%s%s(deprecated)", desc ? desc : "", desc ? " " : "");
	free(desc);
	return whole;
}

static void add_event(struct td_pmu_events *out, struct entry *entry, const char *name)
{
	struct td_model_event *event = td_array_add(&out->events, out->nr_events++, sizeof(*event));

	event->name = td_lower(td_strdup(name));
	event->pmu = pmu_of(entry_text(entry, "Unit"));
	event->topic = td_strdup(entry->topic);
	event->terms = entry_terms(entry, event->name);
	event->retire_latency = entry_double(entry, "RetirementLatencyMean");
	event->errata = entry_line(entry, "Errata");
	event->desc = describe(entry);
}

/* Values of MetricConstraint; NO_NMI_WATCHDOG is Linux 6.1's NO_GROUP_EVENTS_NMI. */
static const struct {
	const char *word;
	enum td_split split;
} constraints[] = {
	{ "NO_GROUP_EVENTS", TD_SPLIT_ALWAYS },   { "NO_GROUP_EVENTS_NMI", TD_SPLIT_NMI },
	{ "NO_GROUP_EVENTS_SMT", TD_SPLIT_SMT },  { "NO_NMI_WATCHDOG", TD_SPLIT_NMI },
	{ "NO_THRESHOLD_AND_NMI", TD_SPLIT_NMI },
};

static enum td_split read_constraint(struct entry *entry)
{
	const char *word = entry_text(entry, "MetricConstraint");

	for (size_t i = 0; word && i < TD_ARRAY_SIZE(constraints); i++) {
		if (strcmp(constraints[i].word, word) == 0)
			return constraints[i].split;
	}
	if (word)
		entry_bad(entry, "MetricConstraint", "not a known one");
	return TD_SPLIT_NEVER;
}

static void add_metric(struct td_pmu_events *out, struct entry *entry, const char *name)
{
	struct td_model_metric *metric =
		td_array_add(&out->metrics, out->nr_metrics++, sizeof(*metric));

	metric->name = td_strdup(name);
	metric->pmu = pmu_of(entry_text(entry, "Unit"));
	metric->groups = entry_line(entry, "MetricGroup");
	metric->desc = entry_line(entry, "BriefDescription");
	metric->unit = entry_line(entry, "ScaleUnit");
	metric->formula = entry_line(entry, "MetricExpr");
	metric->threshold = entry_line(entry, "MetricThreshold");
	metric->sample = td_sample_from_words(entry_text(entry, "PublicDescription"));
	metric->split = read_constraint(entry);
	if (!entry->rc && !metric->formula)
		entry->rc = td_err_set(entry->err, -EINVAL, "%s: %s: no MetricExpr", entry->path,
				       metric->name);
	if (entry->rc)
		return;
	metric->level = td_groups_level(metric->name, metric->groups);
	td_unit_from_words(metric);
}

/* Add an entry, which may be an event, a metric, both, or neither (in counter.json). */
static int add_entry(struct td_pmu_events *out, struct entry *entry)
{
	const char *event, *metric;

	if (!json_object_is_type(entry->object, json_type_object))
		return td_err_set(entry->err, -EINVAL, "%s: entry %zu: not an object", entry->path,
				  entry->nr);
	event = entry_text(entry, "EventName");
	metric = entry_text(entry, "MetricName");
	if (!entry->rc && event && *event)
		add_event(out, entry, event);
	if (!entry->rc && metric && *metric)
		add_metric(out, entry, metric);
	return entry->rc;
}

/* Return the topic of a file, its base name: "cache" for "x86/alderlake/cache.json". */
static char *topic_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	return td_strndup(name, strcspn(name, "."));
}

static int add_array(struct td_pmu_events *out, const char *path, struct json_object *array,
		     struct td_err *err)
{
	td_autofree char *topic = topic_of(path);
	struct entry entry = { .path = path, .topic = topic, .err = err };
	size_t nr = json_object_array_length(array);
	int rc = 0;

	while (!rc && entry.nr < nr) {
		entry.object = json_object_array_get_idx(array, entry.nr++);
		rc = add_entry(out, &entry);
	}
	return rc;
}

int td_intel_form(const char *path, struct td_err *err)
{
	return td_err_set(
		err, -EINVAL,
		"%s: this is intel/perfmon's form; its scripts/create_perf_json.py writes the "
		"kernel's, which tdstat reads",
		path);
}

int td_pmu_events_parse(struct td_pmu_events *out, const char *path, const char *text,
			struct td_err *err)
{
	struct json_object *array;
	int rc = json_parse(path, text, &array, err);

	if (!rc && td_json_member(array, "Header", json_type_object))
		rc = td_intel_form(path, err);
	else if (!rc && !json_object_is_type(array, json_type_array))
		rc = td_err_set(err, -EINVAL, "%s: not a JSON array", path);
	else if (!rc)
		rc = add_array(out, path, array, err);
	json_object_put(array);
	return rc;
}

/* --- frees events, metrics and unread files ------------------------------- */

void td_model_metric_clear(struct td_model_metric *metric)
{
	free(metric->name);
	free(metric->pmu);
	free(metric->groups);
	free(metric->parent);
	free(metric->desc);
	free(metric->unit);
	free(metric->formula);
	free(metric->threshold);
	free(metric->sample);
	free(metric->errata);
	*metric = (struct td_model_metric){ 0 };
}

void td_events_file_clear(struct td_events_file *file)
{
	free(file->path);
	free(file->text);
	*file = (struct td_events_file){ 0 };
}

void td_pmu_events_keep(struct td_pmu_events *events, size_t nr_events, size_t nr_metrics,
			size_t nr_unread)
{
	for (size_t i = nr_events; i < events->nr_events; i++) {
		struct td_model_event *event = &events->events[i];

		free(event->name);
		free(event->pmu);
		free(event->terms);
		free(event->desc);
		free(event->topic);
		free(event->errata);
	}
	for (size_t i = nr_metrics; i < events->nr_metrics; i++)
		td_model_metric_clear(&events->metrics[i]);
	for (size_t i = nr_unread; i < events->nr_unread; i++)
		td_events_file_clear(&events->unread[i]);
	events->nr_events = nr_events;
	events->nr_metrics = nr_metrics;
	events->nr_unread = nr_unread;
}

void td_pmu_events_note(const struct td_pmu_events *events, struct td_notes *notes)
{
	if (events->dir)
		td_notes_add(notes, "the files are %s%s%s", events->dir,
			     events->version ? ", " : "", events->version ? events->version : "");
}

void td_pmu_events_free(struct td_pmu_events *events)
{
	td_pmu_events_keep(events, 0, 0, 0);
	free(events->events);
	free(events->metrics);
	free(events->unread);
	free(events->dir);
	free(events->version);
	*events = (struct td_pmu_events){ 0 };
}

/* --- levels and parents of metrics ------------------------------------------ */

bool td_next_group(const char **list, char name[TD_GROUP_NAME])
{
	const char *from;
	size_t len;

	do {
		from = *list + strspn(*list, "; ");
		len = strcspn(from, ";");
		*list = from + len;
	} while (len >= TD_GROUP_NAME);
	memcpy(name, from, len);
	name[len] = '\0';
	return len > 0;
}

/* Return the level of "TopdownL2", "tma_L2_group" or AMD's "PipelineL2"; 0 for other groups. */
static int level_of_group(const char *name)
{
	static const char *const prefixes[] = { "TopdownL", "tma_L", "PipelineL" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i]);
		const char *digit = name + len;

		if (strncmp(name, prefixes[i], len) == 0 && *digit >= '1' && *digit <= '9' &&
		    (digit[1] == '\0' || strcmp(digit + 1, "_group") == 0))
			return *digit - '0';
	}
	return 0;
}

int td_groups_level(const char *metric, const char *groups)
{
	const char *list = groups ? groups : "";
	char name[TD_GROUP_NAME];
	int level = 0;

	/* tma_info_* are in the group of a level, but are not nodes of the tree */
	if (strncmp(metric, "tma_info_", 9) == 0)
		return 0;
	while (!level && td_next_group(&list, name))
		level = level_of_group(name);
	return level;
}

static const char *find_above(const struct td_pmu_events *events, const struct td_index *names,
			      const struct td_model_metric *child, const char *name)
{
	uint64_t hash = td_hash_any_case(name);
	size_t step = 0, i;

	while ((i = td_index_next(names, hash, &step)) != TD_NOT_FOUND) {
		const struct td_model_metric *metric = &events->metrics[i];

		if (metric->level == child->level - 1 && strcasecmp(metric->name, name) == 0 &&
		    strcmp(metric->pmu, child->pmu) == 0)
			return metric->name;
	}
	return NULL;
}

/* Find the metric with a group of the child: tma_backend_bound for "tma_backend_bound_group". */
static const char *find_owner(const struct td_pmu_events *events, const struct td_index *names,
			      const struct td_model_metric *child)
{
	const char *list = child->groups ? child->groups : "", *owner = NULL;
	size_t end = strlen("_group");
	char name[TD_GROUP_NAME];

	while (!owner && td_next_group(&list, name)) {
		size_t len = strlen(name);

		if (len <= end || strcmp(name + len - end, "_group") != 0)
			continue;
		name[len - end] = '\0';
		owner = find_above(events, names, child, name);
	}
	return owner;
}

void td_pmu_events_find_parents(struct td_pmu_events *events, size_t first)
{
	struct td_index names = { 0 };

	for (size_t i = 0; first < events->nr_metrics && i < events->nr_metrics; i++)
		td_index_add(&names, td_hash_any_case(events->metrics[i].name), i);
	for (size_t i = first; i < events->nr_metrics; i++) {
		struct td_model_metric *metric = &events->metrics[i];
		const char *owner = metric->level < 2 ? NULL : find_owner(events, &names, metric);

		if (owner)
			metric->parent = td_strdup(owner);
	}
	td_index_free(&names);
}

/* --- corrections of level 1 --------------------------------------------------- */

#define CORRECTION "INT_MISC."

/*
 * Truncate the formula before its correction, which is the last summand:
 * "topdown\-fe\-bound / (...) - INT_MISC.UOP_DROPPING / tma_info_thread_slots".
 */
static void cut(char *formula)
{
	char *at = strstr(formula, CORRECTION);

	while (at && at > formula) {
		at--;
		if (strncmp(at, " - ", 3) == 0 || strncmp(at, " + ", 3) == 0) {
			*at = '\0';
			return;
		}
	}
}

void td_pmu_events_leave_uncorrected(struct td_pmu_events *events)
{
	for (size_t i = 0; i < events->nr_metrics; i++) {
		if (events->metrics[i].level == 1)
			cut(events->metrics[i].formula);
	}
}
