// SPDX-License-Identifier: GPL-2.0-only
/* Reads a model's files. */
#include <ctype.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <strings.h>

#include "lib/base/regex.h"
#include "lib/base/util.h"
#include "lib/event/symbols.h"
#include "lib/machine/pmu.h"
#include "lib/machine/sysfs.h"
#include "lib/machine/uarch.h"
#include "metrics/files/parts.h"
#include "metrics/files/pmu_events.h"
#include "metrics/formula/expr.h"

/* --- mapfile.csv ---------------------------------------------------------- */

/* Reads the map at path.  Returns -ENOENT if there is none. */
static int map_read(const char *path, char **text, struct td_err *err)
{
	int rc = td_pmu_events_text(path, text, err);

	/*
	 * the map of intel/perfmon contains names of files, and the kernel's map names of
	 * directories
	 */
	return !rc && strstr(*text, ".json,") ? td_intel_form(path, err) : rc;
}

static const char *column(char **line)
{
	const char *text = strsep(line, ",");

	return text ? text : "";
}

/* Reads the next line of a model, rather than a comment or the optional header. */
static bool next_row(char **rest, size_t *line, struct td_map_row *row)
{
	static const char header[] = "Family-model,";
	char *text;

	while ((text = strsep(rest, "\n"))) {
		++*line;
		text[strcspn(text, "\r")] = '\0';
		if (!*text || *text == '#' || strncmp(text, header, strlen(header)) == 0)
			continue;
		row->expression = column(&text);
		row->version = column(&text);
		row->folder = column(&text);
		return true;
	}
	return false;
}

/*
 * Does the expression match the processor?  Most expressions are plain text and compared as such,
 * which is cheaper.  Most omit the stepping, which distinguishes Skylake-X and Cascade Lake.
 */
static int map_matches(const char *expression, const struct td_cpuid *cpuid, char *why, size_t size)
{
	td_autofree char *anchored = NULL;
	char whole[48], model[48];
	regex_t regex;
	int rc;

	td_cpuid_format(cpuid, whole);
	memcpy(model, whole, sizeof(model));
	*strrchr(model, '-') = '\0';
	if (!expression[strcspn(expression, "[](){}.*+?|^$\\")])
		return strcmp(expression, whole) == 0 || strcmp(expression, model) == 0;
	anchored = td_aprintf("^(%s)$", expression);
	rc = td_regex_compile(&regex, anchored, why, size);
	if (rc)
		return rc;
	rc = regexec(&regex, whole, 0, NULL, 0) == 0 || regexec(&regex, model, 0, NULL, 0) == 0;
	regfree(&regex);
	return rc;
}

int td_map_find(const char *path, char *text, const struct td_cpuid *cpuid, struct td_map_row *row,
		struct td_err *err)
{
	char why[128] = "not expression,version,folder,type";
	size_t line = 0;
	int rc = 0;

	while (!rc && next_row(&text, &line, row))
		rc = *row->folder ? map_matches(row->expression, cpuid, why, sizeof(why)) : -EINVAL;
	return rc < 0 ? td_err_set(err, rc, "%s:%zu: %s", path, line, why) : rc;
}

static int event_order(const void *a, const void *b)
{
	const struct td_model_event *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ?: strcmp(x->pmu, y->pmu);
}

static int metric_order(const void *a, const void *b)
{
	const struct td_model_metric *x = a, *y = b;
	int rc = strcmp(x->name, y->name);

	return rc ?: strcmp(x->pmu, y->pmu);
}

static void sort_events(struct td_pmu_events *events)
{
	if (events->nr_events)
		qsort(events->events, events->nr_events, sizeof(*events->events), event_order);
}

void td_pmu_events_sort(struct td_pmu_events *events)
{
	sort_events(events);
	if (events->nr_metrics)
		qsort(events->metrics, events->nr_metrics, sizeof(*events->metrics), metric_order);
}

struct key {
	const char *name, *pmu;
	size_t len; /* how many characters of pmu are compared */
};

static int key_order(const void *a, const void *b)
{
	const struct key *key = a;
	const struct td_model_event *event = b;
	int rc = strcasecmp(key->name, event->name);

	rc = rc ?: strncmp(key->pmu, event->pmu, key->len);
	if (!rc && event->pmu[key->len])
		rc = -1;
	return rc;
}

static const struct td_model_event *find(const struct td_pmu_events *events, const struct key *key)
{
	if (!events->nr_events)
		return NULL;
	return bsearch(key, events->events, events->nr_events, sizeof(*events->events), key_order);
}

static const struct td_model_event *find_parsed(const struct td_pmu_events *events, const char *pmu,
						const char *name)
{
	struct key key = { name, pmu, strlen(pmu) };
	const struct td_model_event *event = find(events, &key);

	if (event)
		return event;
	key.len = td_pmu_stem_length(pmu);
	return find(events, &key);
}

/* Parses the unread file at index and removes it from the list of unread files. */
static int pmu_events_parse_file(struct td_pmu_events *events, size_t index, struct td_err *err)
{
	struct td_events_file *file = &events->unread[index];
	size_t nr_events = events->nr_events, nr_metrics = events->nr_metrics;
	int rc = td_pmu_events_parse(events, file->path, file->text, err);

	if (rc) {
		/* drop the file's entries: the last one may be incomplete */
		td_pmu_events_keep(events, nr_events, nr_metrics, events->nr_unread);
		return rc;
	}
	td_events_file_clear(file);
	events->nr_unread--;
	memmove(file, file + 1, (events->nr_unread - index) * sizeof(*file));
	return 0;
}

/* Parses the unread files in which search(), which is strstr() or strcasestr(), finds a text. */
static int parse_containing(struct td_pmu_events *events,
			    char *(*search)(const char *, const char *), const char *text,
			    struct td_err *err)
{
	size_t i = 0;
	int rc = 0;

	while (!rc && i < events->nr_unread) {
		if (search(events->unread[i].text, text))
			rc = pmu_events_parse_file(events, i, err);
		else
			i++;
	}
	return rc;
}

int td_pmu_events_parse_with(struct td_pmu_events *events, const char *name, struct td_err *err)
{
	size_t before = events->nr_unread;
	int rc = parse_containing(events, strcasestr, name, err);

	if (events->nr_unread < before)
		sort_events(events); /* unread files contain no metrics to sort */
	return rc;
}

int td_pmu_events_find(struct td_pmu_events *events, const char *pmu, const char *name,
		       const struct td_model_event **out, struct td_err *err)
{
	int rc;

	*out = find_parsed(events, pmu, name);
	if (*out || !events->nr_unread)
		return 0;
	rc = td_pmu_events_parse_with(events, name, err);
	if (!rc)
		*out = find_parsed(events, pmu, name);
	return rc;
}

int td_pmu_events_parse_all(struct td_pmu_events *events, struct td_err *err)
{
	int rc = parse_containing(events, strstr, "", err);

	td_pmu_events_sort(events);
	return rc;
}

/* --- the names of models, which are the directories in mapfile.csv ---------- */

#define MODELS    0x100
#define STEPPINGS 0x10

/* State of the search for a model. */
struct wanted {
	struct td_cpuid *out;
	const char **claimed; /* expressions in earlier lines, which take precedence */
	size_t nr_claimed;
};

/* Does the expression match?  Invalid expressions do not. */
static bool is_matched(const char *expression, const struct td_cpuid *cpuid)
{
	char why[128];

	return map_matches(expression, cpuid, why, sizeof(why)) > 0;
}

static bool is_claimed(const struct wanted *wanted, const struct td_cpuid *cpuid)
{
	for (size_t i = 0; i < wanted->nr_claimed; i++) {
		if (is_matched(wanted->claimed[i], cpuid))
			return true;
	}
	return false;
}

/*
 * Find a processor that an expression such as GenuineIntel-6-(97|9A) matches.  Vendor and family
 * are plain text, so trying all models is quick.
 */
static bool find_match(const struct wanted *wanted, const char *expression)
{
	const char *dash = strchr(expression, '-');
	size_t len = dash ? (size_t)(dash - expression) : 0;
	struct td_cpuid cpuid = { 0 };
	char *end;

	if (!len || len >= sizeof(cpuid.vendor))
		return false;
	memcpy(cpuid.vendor, expression, len);
	cpuid.family = (unsigned int)strtoul(dash + 1, &end, 10);
	if (end == dash + 1 || *end != '-')
		return false;
	for (unsigned int i = 0; i < MODELS * STEPPINGS; i++) {
		cpuid.model = i % MODELS;
		cpuid.stepping = i / MODELS;
		if (is_matched(expression, &cpuid) && !is_claimed(wanted, &cpuid)) {
			*wanted->out = cpuid;
			return true;
		}
	}
	return false;
}

int td_pmu_events_find_model(const char *root, const char *folder, struct td_suggest *near,
			     struct td_cpuid *out, struct td_err *err)
{
	td_autofree char *path = td_aprintf("%s/mapfile.csv", root), *text = NULL;
	struct wanted wanted = { .out = out };
	bool found = false;
	struct td_map_row row;
	size_t line = 0;
	char *rest;

	if (map_read(path, &text, err))
		return err->code;
	rest = text;
	while (!found && next_row(&rest, &line, &row)) {
		if (!*row.folder)
			continue;
		td_suggest_offer(near, row.folder, NULL);
		found = strcasecmp(row.folder, folder) == 0 && find_match(&wanted, row.expression);
		td_array_push(&wanted.claimed, &wanted.nr_claimed, &row.expression,
			      sizeof(row.expression));
	}
	free(wanted.claimed);
	return found ? 0 : 1;
}

/* --- errata of metrics: those of the events in their formulas ------------------- */

#define BETWEEN ", "
#define NAME_LETTERS                             \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_." \
	"abcdefghijklmnopqrstuvwxyz"

/* Add each erratum of "A, B". */
static void add_all(struct td_names *words, const char *errata)
{
	errata += strspn(errata, BETWEEN);
	while (*errata) {
		size_t len = strcspn(errata, BETWEEN);
		char *word = td_strndup(errata, len);

		td_array_push(&words->v, &words->nr, &word, sizeof(word));
		errata += len;
		errata += strspn(errata, BETWEEN);
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Return the words in their order, each once; NULL: there are none. */
static char *join(const struct td_names *words)
{
	char *text = NULL;
	size_t size;
	FILE *fp;

	if (!words->nr)
		return NULL;
	qsort(words->v, words->nr, sizeof(*words->v), by_text);
	fp = td_open_memstream(&text, &size);
	for (size_t i = 0; i < words->nr; i++) {
		if (!i || strcmp(words->v[i], words->v[i - 1]) != 0)
			fprintf(fp, "%s%s", i ? BETWEEN : "", words->v[i]);
	}
	td_text_close(fp, &text);
	return text;
}

static void add_of(struct td_names *errata, const char *pmu, const struct td_pmu_events *events,
		   const struct td_index *names, const char *name)
{
	uint64_t hash = td_hash_any_case(name);
	size_t step = 0, i;

	while ((i = td_index_next(names, hash, &step)) != TD_NOT_FOUND) {
		const struct td_model_event *event = &events->events[i];

		if (strcasecmp(event->name, name) == 0 && strcmp(event->pmu, pmu) == 0)
			add_all(errata, event->errata);
	}
}

/* Add the errata of each name in the formula. */
static void add_of_formula(struct td_model_metric *metric, const struct td_pmu_events *events,
			   const struct td_index *names)
{
	struct td_names errata = { 0 };
	char name[128];
	size_t len;

	for (const char *at = metric->formula; *at; at += len) {
		len = strspn(at, NAME_LETTERS);
		if (len && len < sizeof(name)) {
			snprintf(name, sizeof(name), "%.*s", (int)len, at);
			add_of(&errata, metric->pmu, events, names, name);
		}
		len += !len;
	}
	metric->errata = join(&errata);
	td_names_free(&errata);
}

/*
 * Add to the metrics, starting at first, the errata of the events in their formulas.  Parses the
 * files with errata.
 */
static int find_errata(struct td_pmu_events *events, size_t first, struct td_err *err)
{
	struct td_index names = { 0 };
	int rc = parse_containing(events, strstr, "\"Errata\"", err);

	if (rc)
		return rc;
	for (size_t i = 0; i < events->nr_events; i++) {
		if (events->events[i].errata)
			td_index_add(&names, td_hash_any_case(events->events[i].name), i);
	}
	for (size_t i = first; i < events->nr_metrics; i++)
		add_of_formula(&events->metrics[i], events, &names);
	td_index_free(&names);
	return 0;
}

/* --- corrections of wrong formulas and descriptions ------------------------------ */

#define CBOX_CLOCK "UNC_C_CLOCKTICKS / "
#define CHA_CLOCK  "UNC_CHA_CLOCKTICKS / "
#define PCU_CLOCK  ", UNC_P_CLOCKTICKS"
#define CORES      "(#num_cores / #num_packages * #num_packages)"

/* The kernel counts energy in 2^-32 J on all machines (arch/x86/events/rapl.c). */
#define PKG   "power@energy\\-pkg@"
#define RAM   "power@energy\\-ram@"
#define JOULE " * 2.3283064365386963e-10 / "

/* Metrics (a glob; NULL: any), a wrong part of their formulas, and the right one. */
static const struct {
	const char *metric, *part, *right;
} corrections[] = {
	/* the number of CPUs was shown as a percentage */
	{ "cpu_utilization", "tma_info_system_cpus_utilized", "tma_info_system_cpu_utilization" },
	/* assumes one CHA or CBOX per core, but there may be more or fewer */
	{ NULL, CHA_CLOCK CORES, CHA_CLOCK "(source_count(UNC_CHA_CLOCKTICKS) * #num_packages)" },
	{ NULL, CBOX_CLOCK CORES, CBOX_CLOCK "(source_count(UNC_C_CLOCKTICKS) * #num_packages)" },
	/* this clock is already for one die */
	{ "UNCORE_FREQ", "tma_info_system_socket_clks / #num_dies", "tma_info_system_socket_clks" },
	/* assumes the MSR's unit, 61 or 15.6 uJ, instead of the kernel's */
	{ "tma_info_system_power", "(" PKG " * 61 + 15.6 * " RAM ") / (duration_time * 1e6)",
	  "(" PKG " + " RAM ")" JOULE "duration_time" },
	{ "tma_info_system_power", PKG " * 61 / (tma_info_system_time * 1e6)",
	  PKG JOULE "tma_info_system_time" },
	{ "tma_info_system_power", "(" PKG " + " RAM ") * 15.6 / (duration_time * 1e6)",
	  "(" PKG " + " RAM ")" JOULE "duration_time" },
	{ "tma_info_system_power", PKG " * 15.6 / (tma_info_system_time * 1e6)",
	  PKG JOULE "tma_info_system_time" },
	/* divides by clock ticks instead of their rate */
	{ "tma_info_system_mem_*_read_latency", " / imc_0@event\\=0x0@",
	  " / (imc_0@event\\=0x0@ / duration_time)" },
	{ "tma_info_system_mem_*_read_latency", " / cha_0@event\\=0x0@",
	  " / (cha_0@event\\=0x0@ / duration_time)" },
	{ "tma_info_system_mem_*_read_latency", " / uncore_cha_0@event\\=0x1@",
	  " / (uncore_cha_0@event\\=0x1@ / duration_time)" },
	/* uses the sum of the clocks of all packages instead of their mean */
	{ "lpm_cstate_c?", PCU_CLOCK ")", PCU_CLOCK " / aggr_nr(UNC_P_CLOCKTICKS))" },
	{ "Average_Frequency", "msr@tsc@ / 1000000000", "msr@tsc@ / 1000000000 / duration_time" },
};

/* Starts of descriptions that call a bandwidth an average, although it is a sum. */
static const char *const averages[] = { "Average per-thread data", "Average per-core data" };

/* Replace a part of the text, which is freed. */
static void replace(char **text, const char *at, size_t len, const char *right)
{
	char *whole = td_aprintf("%.*s%s%s", (int)(at - *text), *text, right, at + len);

	free(*text);
	*text = whole;
}

static void correct_description(struct td_model_metric *metric)
{
	for (size_t i = 0; metric->desc && i < TD_ARRAY_SIZE(averages); i++) {
		size_t len = strlen(averages[i]);

		if (strncmp(metric->desc, averages[i], len) == 0) {
			replace(&metric->desc, metric->desc, len, "Total data");
			return;
		}
	}
}

static void correct(struct td_model_metric *metric)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(corrections); i++) {
		const char *part = corrections[i].part, *at;

		if (corrections[i].metric &&
		    fnmatch(corrections[i].metric, metric->name, FNM_CASEFOLD) != 0)
			continue;
		at = strstr(metric->formula, part);
		/* a correct formula may contain the wrong part as well */
		if (at && !(strstr(corrections[i].right, part) &&
			    strstr(metric->formula, corrections[i].right))) {
			replace(&metric->formula, at, strlen(part), corrections[i].right);
			return;
		}
	}
}

/* Correct the metrics, starting at first. */
static void correct_metrics(struct td_pmu_events *events, size_t first)
{
	for (size_t i = first; i < events->nr_metrics; i++) {
		correct(&events->metrics[i]);
		correct_description(&events->metrics[i]);
	}
}

/* --- the metrics that all models have in common ---------------------------- */

/* Candidates for their directory, relative to the root; the first that exists is used. */
static const char *const folders[] = { "common", "../common/common" };

/* Adds the metrics of a file, but not its events. */
static int read_file(struct td_pmu_events *out, const char *dir, const char *name,
		     struct td_err *err)
{
	td_autofree char *path = td_aprintf("%s/%s", dir, name);
	td_autofree char *text = NULL;
	size_t nr_events = out->nr_events;
	int rc = td_pmu_events_text(path, &text, err);

	rc = rc ?: td_pmu_events_parse(out, path, text, err);
	td_pmu_events_keep(out, nr_events, out->nr_metrics, out->nr_unread);
	return rc;
}

static int read_common_folder(struct td_pmu_events *out, const char *dir, struct td_err *err)
{
	struct td_names names;
	int rc = td_sysfs_list(AT_FDCWD, dir, &names);

	if (rc)
		return rc == -ENOENT ? rc : td_err_set(err, rc, "%s: %s", dir, strerror(-rc));
	for (size_t i = 0; !rc && i < names.nr; i++) {
		if (strncmp(names.v[i], "metrics", strlen("metrics")) == 0 &&
		    td_ends_with(names.v[i], ".json"))
			rc = read_file(out, dir, names.v[i], err);
	}
	td_names_free(&names);
	return rc;
}

static int read_folders(struct td_pmu_events *out, const char *root, struct td_err *err)
{
	int rc = -ENOENT;

	for (size_t i = 0; rc == -ENOENT && i < TD_ARRAY_SIZE(folders); i++) {
		td_autofree char *dir = td_aprintf("%s/%s", root, folders[i]);

		rc = read_common_folder(out, dir, err);
	}
	return rc == -ENOENT ? 0 : rc;
}

bool td_is_core_event(const char *name)
{
	const struct td_symbol *symbol = td_symbol_find(name);
	char pmu[64];

	if (*name == '#' || strchr(name, '('))
		return false;
	if (symbol)
		return !symbol->tool && symbol->type == PERF_TYPE_HARDWARE;
	if (!strchr(name, '/'))
		return strcasecmp(name, "tsc") != 0 &&
		       strncasecmp(name, "UNC_", strlen("UNC_")) != 0;
	snprintf(pmu, sizeof(pmu), "%.*s", (int)strcspn(name, "/"), name);
	return td_pmu_kind(pmu) == TD_PMU_CORE;
}

/* Set *ctx if the name in the formula is an event of the cores. */
static int look_at_name(void *ctx, const char *name)
{
	bool *counts_cores = ctx;

	*counts_cores |= td_is_core_event(name);
	return 0;
}

/*
 * Set the PMU: a metric with an event of the cores belongs to each core type, and other metrics to
 * the machine.  An invalid formula is reported when the metric is requested.
 */
static void find_pmu(struct td_model_metric *metric)
{
	struct td_expr *formula = NULL;
	struct td_err unused = { 0 };
	bool counts_cores = false;
	int rc = td_expr_parse(&formula, metric->formula, look_at_name, &counts_cores, &unused);

	td_expr_free(formula);
	free(metric->pmu);
	metric->pmu = td_strdup(rc || counts_cores ? TD_EACH_CORE : TD_NO_CORE);
}

static bool is_defined(const struct td_pmu_events *events, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++) {
		if (strcasecmp(events->metrics[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Remove the metrics, starting at first, that are defined before first. */
static void remove_defined(struct td_pmu_events *out, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < out->nr_metrics; i++) {
		struct td_model_metric *metric = &out->metrics[i];

		if (is_defined(out, first, metric->name)) {
			td_model_metric_clear(metric);
			continue;
		}
		if (kept != i) {
			out->metrics[kept] = *metric;
			*metric = (struct td_model_metric){ 0 };
		}
		kept++;
	}
	td_pmu_events_keep(out, out->nr_events, kept, out->nr_unread);
}

/*
 * Add the metrics that all models have in common, from <root>/common/metrics*.json or, in the
 * kernel's tree, <root>/../common/common.  The directory may be missing.  Metrics that the model's
 * own files define are left out.
 */
static int common_read(struct td_pmu_events *out, const char *root, struct td_err *err)
{
	size_t first = out->nr_metrics;
	int rc = read_folders(out, root, err);

	for (size_t i = first; !rc && i < out->nr_metrics; i++)
		find_pmu(&out->metrics[i]);
	if (!rc)
		remove_defined(out, first);
	return rc;
}

/* --- the files of a model ------------------------------------------------- */

static int add_file(struct td_pmu_events *out, const char *name, struct td_err *err)
{
	struct td_events_file *file = td_array_add(&out->unread, out->nr_unread++, sizeof(*file));

	file->path = td_aprintf("%s/%s", out->dir, name);
	return td_pmu_events_text(file->path, &file->text, err);
}

/* Is the text not truncated? */
static bool is_whole(const char *text)
{
	size_t len = strlen(text);

	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	return len && text[len - 1] == ']';
}

/* Can the file wait because it does not define metrics?  An escape (\u) could hide a key. */
static bool has_only_events(const char *text)
{
	return is_whole(text) && strstr(text, "\"EventName\"") && !strstr(text, "\"MetricName\"") &&
	       !strstr(text, "\\u");
}

/* Parse the unread files from index first, except files with only events. */
static int parse_metrics(struct td_pmu_events *out, size_t first, struct td_err *err)
{
	size_t i = first;
	int rc = 0;

	while (!rc && i < out->nr_unread) {
		if (has_only_events(out->unread[i].text))
			i++;
		else
			rc = pmu_events_parse_file(out, i, err);
	}
	return rc;
}

/* Is it a file of uncore units, or of metrics that perf's build generates (metrics/files/fetch)? */
static bool is_on_request(const char *name)
{
	return strncmp(name, "uncore", strlen("uncore")) == 0 ||
	       strcmp(name, "extra-metrics.json") == 0;
}

/* Read the files of the cores or of the uncore units.  Sets *nr to their number. */
static int read_folder(struct td_pmu_events *out, bool uncore, size_t *nr, struct td_err *err)
{
	size_t first = out->nr_unread;
	struct td_names names;
	int rc = td_sysfs_list(AT_FDCWD, out->dir, &names);

	*nr = 0;
	if (rc)
		return td_err_set(err, rc, "%s: %s", out->dir, strerror(-rc));
	for (size_t i = 0; !rc && i < names.nr; i++) {
		/* metricgroups.json only describes groups */
		if (!td_ends_with(names.v[i], ".json") ||
		    strcmp(names.v[i], "metricgroups.json") == 0)
			continue;
		++*nr;
		if (is_on_request(names.v[i]))
			out->has_uncore = true;
		if (is_on_request(names.v[i]) == uncore)
			rc = add_file(out, names.v[i], err);
	}
	td_names_free(&names);
	return rc ?: parse_metrics(out, first, err);
}

/* Read a directory without a map as one model's.  It must contain files of events. */
static int read_model(struct td_pmu_events *out, const char *root, struct td_err *err)
{
	size_t nr;
	int rc;

	out->dir = td_strdup(root);
	rc = read_folder(out, false, &nr, err);
	if (rc || nr)
		return rc;
	td_err_set(err, -ENOENT, "%s: neither a mapfile.csv nor event files, *.json", root);
	return td_err_hint(
		err, "give the kernel's tools/perf/pmu-events/arch/x86, or a model's directory in "
		     "it");
}

/* Return the version, and the version of the kernel if a file in root contains it. */
static char *version_of(const char *root, const char *of_model)
{
	td_autofree char *path = td_aprintf("%s/version", root);
	char *text = NULL, *version;
	struct td_err unused;
	int rc = td_pmu_events_text(path, &text, &unused);

	if (rc) {
		version = td_strdup(of_model);
	} else {
		text[strcspn(text, "\r\n")] = '\0';
		version = td_aprintf("%s of %s", of_model, text);
	}
	free(text);
	return version;
}

/*
 * Names that reveal the version of TMA: a release of TMA_Metrics-full.csv (intel/perfmon)
 * introduced each, and the kernel's metrics of all models are made from one release.
 */
static const struct {
	const char *metric, *tma;
} brought[] = {
	{ "tma_l3_miss_bound", "5.2" }, /* former name: tma_dram_bound */
	/* former name: tma_bottleneck_cache_memory_bandwidth */
	{ "tma_bottleneck_data_cache_memory_bandwidth", "5.1" },
};

static bool has_metric(const struct td_pmu_events *events, const char *name)
{
	for (size_t i = 0; i < events->nr_metrics; i++) {
		if (strcmp(events->metrics[i].name, name) == 0)
			return true;
	}
	return false;
}

static void add_tma(struct td_pmu_events *out)
{
	char *version;
	size_t i = 0;

	while (i < TD_ARRAY_SIZE(brought) && !has_metric(out, brought[i].metric))
		i++;
	if (i == TD_ARRAY_SIZE(brought))
		return;
	version = td_aprintf("%s, TMA %s", out->version, brought[i].tma);
	free(out->version);
	out->version = version;
}

/*
 * Find the line of the processor or, if there is none, of the model whose files apply, and read its
 * files.
 */
static int read_mapped(struct td_pmu_events *out, const char *root, const char *path, char *text,
		       const struct td_cpuid *cpuid, struct td_err *err)
{
	td_autofree char *copy = td_strdup(text);
	const struct td_model *model = td_model_find(cpuid);
	struct td_cpuid other = *cpuid;
	struct td_map_row row;
	char identity[48];
	size_t nr;
	int rc = td_map_find(path, copy, cpuid, &row, err);

	if (!rc && model && model->files) {
		other.model = model->files;
		rc = td_map_find(path, text, &other, &row, err);
	}
	td_cpuid_format(cpuid, identity);
	if (rc <= 0)
		return rc ? rc
			  : td_err_set(err, -ENOENT, "%s: has no events of %s", path, identity);
	out->dir = td_aprintf("%s/%s", root, row.folder);
	out->version = version_of(root, row.version);
	rc = read_folder(out, false, &nr, err);
	if (!rc)
		add_tma(out);
	return rc;
}

static int read_root(struct td_pmu_events *out, const char *root, const struct td_cpuid *cpuid,
		     struct td_err *err)
{
	td_autofree char *path = td_aprintf("%s/mapfile.csv", root), *text = NULL;
	int rc = map_read(path, &text, err);

	if (!rc)
		return read_mapped(out, root, path, text, cpuid, err);
	if (rc != -ENOENT)
		return rc;
	*err = (struct td_err){ 0 };
	return read_model(out, root, err);
}

int td_pmu_events_read_uncore(struct td_pmu_events *events, struct td_err *err)
{
	size_t nr_events = events->nr_events, nr_metrics = events->nr_metrics;
	size_t nr_unread = events->nr_unread, nr;
	int rc;

	if (!events->has_uncore || events->uncore_read)
		return 0;
	rc = read_folder(events, true, &nr, err);
	if (rc) {
		td_pmu_events_keep(events, nr_events, nr_metrics, nr_unread);
		return rc;
	}
	events->uncore_read = true;
	rc = find_errata(events, nr_metrics, err);
	if (!rc)
		correct_metrics(events, nr_metrics);
	if (!rc)
		td_pmu_events_find_parents(events, nr_metrics);
	td_pmu_events_sort(events);
	return rc;
}

int td_pmu_events_read(struct td_pmu_events *out, const char *root, const struct td_cpuid *cpuid,
		       struct td_err *err)
{
	struct td_err why = { 0 };
	int rc;

	*out = (struct td_pmu_events){ 0 };
	rc = read_root(out, root, cpuid, err);
	if (rc == -ENOENT)
		td_pmu_events_free(out); /* out->dir may name an empty directory */
	/* keep the error of reading the model, unless reading common metrics fails */
	if ((!rc || rc == -ENOENT) && common_read(out, root, &why)) {
		*err = why;
		rc = why.code;
	}
	rc = rc ?: find_errata(out, 0, err);
	if (!rc)
		correct_metrics(out, 0);
	if (!rc)
		td_pmu_events_find_parents(out, 0);
	if (rc && rc != -ENOENT)
		td_pmu_events_free(out);
	else
		td_pmu_events_sort(out);
	return rc;
}
