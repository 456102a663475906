// SPDX-License-Identifier: GPL-2.0-only
/* tdstat explain: explains nodes of the tree. */
#include <linux/perf_event.h>
#include <strings.h>

#include "cmd/opts/groups.h"
#include "cmd/opts/option.h"
#include "cmd/output/out.h"
#include "cmd/plan/catalog.h"
#include "cmd/plan/select.h"
#include "cmd/say.h"
#include "lib/base/json.h"
#include "lib/base/printable.h"
#include "lib/base/suggest.h"
#include "lib/event/symbols.h"
#include "metrics/explain/explain.h"
#include "metrics/sets/sets.h"

#define TEXT_COLUMN 11

/* Write "  means:   text", wrapped. */
static void put_text(const char *label, const char *text)
{
	printf("  %-*s", TEXT_COLUMN - 2, label);
	td_put_wrapped(stdout, TEXT_COLUMN, TD_LINE_WIDTH, text);
}

static void put_place(const char *name, int level, const char *parent)
{
	td_put_printable(stdout, name);
	if (level)
		printf(": level %d", level);
	if (parent) {
		printf(", below ");
		td_put_printable(stdout, parent);
	}
}

/* Return true if there is also a text for the other core type. */
static bool has_twin(const struct td_explanation *text)
{
	const struct td_explanation *other;

	for (size_t i = 0; (other = td_explanation_at(i)); i++) {
		if (other != text && strcmp(other->name, text->name) == 0)
			return true;
	}
	return false;
}

static const char *cores_of(const struct td_explanation *text)
{
	if (text->cores == TD_EXPLAINED_ATOM)
		return ", of E-cores";
	return has_twin(text) ? ", of P-cores" : "";
}

/* --- the list of all nodes ------------------------------------------------ */

static void put_tree(const char *parent, enum td_explained_cores cores)
{
	const struct td_explanation *text;

	for (size_t i = 0; (text = td_explanation_at(i)); i++) {
		if (!td_same_text(text->parent, parent) ||
		    (text->cores != cores && text->cores != TD_EXPLAINED_ALL))
			continue;
		printf("%*s%s\n", 4 * text->level - 2, "", text->name);
		put_tree(text->name, cores);
	}
}

/* --- nodes and other metrics ---------------------------------------------- */

/* State of the answer so far. */
struct answer {
	const struct td_opts *opts;
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_catalog catalog; /* for metrics without a built-in text */
	bool tried_files;
	bool any;             /* something was written */
	const char **unknown; /* names that were typed and are unknown */
	size_t nr_unknown;
};

static void begin_block(struct answer *answer)
{
	if (answer->any)
		putchar('\n');
	answer->any = true;
}

/* Read the metric files.  If that fails, only the built-in texts are known. */
static int read_files(struct answer *answer, struct td_err *err)
{
	int rc = td_select_machine(&answer->fs, &answer->machine, &answer->opts->request, err);

	answer->tried_files = true;
	if (rc)
		return rc;
	td_catalog_init(&answer->catalog, &answer->fs, &answer->machine,
			answer->opts->request.metrics_dir);
	return td_catalog_read(&answer->catalog, err);
}

static const struct td_pmu_events *files_of(struct answer *answer)
{
	struct td_err unused = { 0 };

	if (!answer->tried_files)
		read_files(answer, &unused);
	return &answer->catalog.events;
}

/* Print why, according to the files, the metric's value may be wrong on this processor. */
static void put_doubts(const struct td_model_metric *metric)
{
	char text[256];

	if (td_is_estimate(metric->desc))
		put_text("value:", "an estimate, according to its description in the files");
	if (!metric->errata)
		return;
	snprintf(text, sizeof(text), "%s: its events may count wrongly on %s", metric->errata,
		 metric->pmu);
	put_text("errata:", text);
}

/* Return the node's next metric in the files, one for each PMU.  *at is 0 before the first. */
static const struct td_model_metric *next_metric(struct answer *answer,
						 const struct td_explanation *text, size_t *at)
{
	const struct td_pmu_events *events = files_of(answer);

	while (*at < events->nr_metrics) {
		const struct td_model_metric *metric = &events->metrics[(*at)++];

		if (strcmp(metric->name, text->name) == 0 && metric->level == text->level)
			return metric;
	}
	return NULL;
}

/* --- JSON Lines: an object for each explanation ------------------------------ */

static bool is_json(const struct answer *answer)
{
	return answer->opts->request.show.format == TD_FORMAT_JSON;
}

static struct json_object *begin_object(const char *kind, const char *name, int level,
					const char *parent)
{
	struct json_object *o = td_json_line();

	td_json_put_string(o, "kind", kind);
	td_json_put_string(o, "name", name);
	td_json_add(o, "level", level ? json_object_new_int(level) : NULL);
	td_json_put_string(o, "parent", parent);
	return o;
}

static void add_doubts(struct json_object *o, const struct td_model_metric *metric)
{
	if (td_is_estimate(metric->desc))
		td_json_put_string(o, "estimate", TD_ESTIMATE_BY_WORDS);
	if (metric->errata)
		td_json_add(o, "errata", td_json_words(metric->errata, ", "));
}

static struct json_object *make_doubts(struct answer *answer, const struct td_explanation *text)
{
	struct json_object *doubts = json_object_new_array();
	const struct td_model_metric *metric;
	size_t at = 0;

	while ((metric = next_metric(answer, text, &at))) {
		struct json_object *o;

		if (!metric->errata && !td_is_estimate(metric->desc))
			continue;
		o = json_object_new_object();
		td_json_put_string(o, "pmu", metric->pmu);
		add_doubts(o, metric);
		td_json_append(doubts, o);
	}
	return doubts;
}

/* Write a node.  word: the word that it was found by, or NULL. */
static void put_node_object(struct answer *answer, const struct td_explanation *text,
			    const char *word)
{
	static const char *const cores[] = {
		[TD_EXPLAINED_ALL] = NULL,
		[TD_EXPLAINED_CORE] = "P-cores",
		[TD_EXPLAINED_ATOM] = "E-cores",
	};
	struct json_object *doubts = make_doubts(answer, text);
	struct json_object *o = begin_object("node", text->name, text->level, text->parent);

	td_json_put_string(o, "cores", cores[text->cores]);
	td_json_put_string(o, "meaning", text->means);
	td_json_put_string(o, "causes", text->causes);
	td_json_put_string(o, "remedies", text->advice);
	td_json_add(o, "doubts", doubts);
	if (word)
		td_json_put_string(o, "word", word);
	td_json_put_line(stdout, o);
}

static void put_metric_object(const struct td_model_metric *metric, const char *above)
{
	struct json_object *o = begin_object("metric", metric->name, metric->level, metric->parent);

	td_json_put_string(o, "pmu", metric->pmu);
	td_json_put_string(o, "desc", metric->desc);
	add_doubts(o, metric);
	td_json_put_string(o, "above", above);
	td_json_put_line(stdout, o);
}

/* --- nodes and metrics, in both formats -------------------------------------- */

static void put_node(struct answer *answer, const struct td_explanation *text)
{
	const struct td_model_metric *metric;
	size_t at = 0;

	if (is_json(answer)) {
		put_node_object(answer, text, NULL);
		return;
	}
	begin_block(answer);
	put_place(text->name, text->level, text->parent);
	printf("%s\n", cores_of(text));
	put_text("means:", text->means);
	put_text("causes:", text->causes);
	put_text("try:", text->advice);
	while ((metric = next_metric(answer, text, &at)))
		put_doubts(metric);
}

/* Without a name: list the nodes as two trees, or write all as JSON. */
static void put_list(struct answer *answer)
{
	const struct td_explanation *text;

	for (size_t i = 0; is_json(answer) && (text = td_explanation_at(i)); i++)
		put_node_object(answer, text, NULL);
	if (is_json(answer))
		return;
	printf("P-cores, and all cores that are not hybrid:\n");
	put_tree(NULL, TD_EXPLAINED_CORE);
	printf("\nE-cores:\n");
	put_tree(NULL, TD_EXPLAINED_ATOM);
}

static bool put_ours(struct answer *answer, const char *typed)
{
	const struct td_explanation *text;
	bool any = false;

	for (size_t i = 0; (text = td_explanation_at(i)); i++) {
		if (!td_explanation_is_meant(text->name, typed))
			continue;
		put_node(answer, text);
		any = true;
	}
	return any;
}

static const struct td_model_metric *find_metric(const struct td_pmu_events *events,
						 const char *name, const char *pmu)
{
	td_for_each(const struct td_model_metric, metric, events->metrics, events->nr_metrics) {
		if (strcmp(metric->name, name) == 0 && strcmp(metric->pmu, pmu) == 0)
			return metric;
	}
	return NULL;
}

/* Return the metric's nearest ancestor with a built-in text, or NULL. */
static const char *find_above(const struct td_pmu_events *events,
			      const struct td_model_metric *metric)
{
	const char *name = metric->parent, *pmu = metric->pmu;

	while (name && !td_explanation_find(name)) {
		metric = find_metric(events, name, pmu);
		name = metric ? metric->parent : NULL;
	}
	return name;
}

static void put_metric_text(struct answer *answer, const struct td_model_metric *metric,
			    const char *above)
{
	begin_block(answer);
	put_place(metric->name, metric->level, metric->parent);
	printf(", of ");
	td_put_printable(stdout, metric->pmu);
	putchar('\n');
	put_text("files:", metric->desc);
	put_doubts(metric);
	if (above)
		put_text("above:",
			 "This node has no text. This is the text of the nearest node above it "
			 "that has one.");
}

/* Describe metrics without a built-in text, from the files.  Returns false if none match. */
static bool put_theirs(struct answer *answer, const char *typed)
{
	const struct td_pmu_events *events = files_of(answer);
	bool any = false;

	td_for_each(const struct td_model_metric, metric, events->metrics, events->nr_metrics) {
		const char *above;

		if (!metric->desc || td_explanation_find(metric->name) ||
		    !td_explanation_is_meant(metric->name, typed))
			continue;
		above = find_above(events, metric);
		if (is_json(answer))
			put_metric_object(metric, above);
		else
			put_metric_text(answer, metric, above);
		if (above)
			put_ours(answer, above);
		any = true;
	}
	return any;
}

/* --- L2Requests -------------------------------------------------------------- */

/* Return how the requests of a metric are related to lost slots. */
static const char *cost_of(const char *request)
{
	if (strncmp(request, "l2_demand_read", strlen("l2_demand_read")) == 0)
		return "These are requests, not slots: many overlap with other work. The slots "
		       "that they cost are in tma_l2_bound, tma_l3_bound and tma_dram_bound.";
	if (strncmp(request, "l2_rfo", strlen("l2_rfo")) == 0)
		return "These are requests, not slots: stores wait in a buffer. The slots that "
		       "they cost are in tma_store_bound.";
	if (strncmp(request, "l2_code", strlen("l2_code")) == 0)
		return "These are requests, not slots: the front end fetches ahead. The slots that "
		       "they cost are in tma_icache_misses.";
	return "These are requests, not slots. A prefetch saves the wait of a later load, unless "
	       "it comes too late, its data is not used, or the memory has no bandwidth left "
	       "(tma_mem_bandwidth).";
}

static void put_request(struct answer *answer, const struct td_metric_def *def, const char *cores)
{
	struct json_object *o;

	if (is_json(answer)) {
		o = begin_object("metric", def->name, 0, NULL);
		td_json_put_string(o, "pmu", NULL);
		td_json_put_string(o, "desc", def->desc);
		td_json_put_string(o, "above", NULL);
		td_json_put_string(o, "cores", cores);
		td_json_put_string(o, "note", cost_of(def->name));
		td_json_put_line(stdout, o);
		return;
	}
	begin_block(answer);
	printf("%s, of " TD_L2_REQUESTS "\n", def->name);
	put_text("means:", def->desc);
	put_text("cores:", cores);
	put_text("note:", cost_of(def->name));
}

/* Explain the metrics of L2Requests, on any machine.  Returns false if none match. */
static bool put_requests(struct answer *answer, const char *typed)
{
	bool group = strcasecmp(typed, TD_L2_REQUESTS) == 0, any = false;
	const struct td_metric_def *def;
	const char *cores;

	for (size_t i = 0; (def = td_l2_request_at(i, &cores)); i++) {
		if (!group && !td_explanation_is_meant(def->name, typed))
			continue;
		put_request(answer, def, cores);
		any = true;
	}
	return any;
}

/* --- cache events ------------------------------------------------------------ */

/*
 * Meanings of cache events, by operation and result (access, miss).  The facts are those of Linux
 * 6.12 for Skylake, Tremont, Zen and later: hw_cache_event_ids and hw_cache_extra_regs in
 * arch/x86/events/intel/core.c and amd/core.c.  NULL: they do not have it.
 */
/* clang-format off */
static const struct {
	const char *means[3][2];
	const char *doubt; /* doubt about all events of the cache */
	const char *glob;  /* finds events of the model to use instead */
} cache_texts[] = {
	[PERF_COUNT_HW_CACHE_L1D] = {
		{ { "On Intel, retired loads (uops on E-cores), wherever their data was. On Zen, "
		    "loads and stores that accessed the L1 data cache.",
		    "On Skylake to Rocket Lake, lines that were replaced in the L1 data cache, "
		    "including those by stores and prefetches (L1D.REPLACEMENT). On Golden Cove "
		    "and later, demand data reads of the L2 cache (L2_RQSTS.ALL_DEMAND_DATA_RD). "
		    "On Zen, accesses of the L2 cache after misses, including prefetches. "
		    "E-cores have none." },
		  { "On Intel, retired stores (uops on E-cores). Zen has none.", NULL },
		  { "On Zen, fills of the L1 data cache by the hardware prefetcher. Intel has none.",
		    NULL } },
		"Loads and misses are counted at different places and in different units, so their "
		"ratio is not a miss rate.", "*l1*" },
	[PERF_COUNT_HW_CACHE_L1I] = {
		{ { "On E-cores, accesses of the instruction cache (ICACHE.ACCESSES). On Zen, fetch "
		    "windows of 32 bytes. Intel's P-cores have none.",
		    "On Skylake to Rocket Lake, lookups that missed (ICACHE_64B.IFTAG_MISS). On "
		    "Golden Cove and later, code reads of the L2 cache (L2_RQSTS.ALL_CODE_RD). On "
		    "E-cores, misses (ICACHE.MISSES). On Zen, fetch windows of 32 bytes that "
		    "missed." } },
		"Fetches on wrong paths are included; code from the uop cache is not.",
		"*icache*" },
	[PERF_COUNT_HW_CACHE_LL] = {
		{ { "On Intel, demand data reads that missed the L2 cache, wherever they were "
		    "answered (an offcore response event). Zen has none.",
		    "On Intel, demand data reads that missed the L3 cache (an offcore response "
		    "event). Zen has none." },
		  { "On Intel, reads for ownership (RFO), the reads of stores, that missed the L2 "
		    "cache, wherever they were answered (an offcore response event). Zen has none.",
		    "On Intel, reads for ownership (RFO), the reads of stores, that missed the L3 "
		    "cache (an offcore response event). Zen has none." } },
		"Hardware prefetches are not included, although they may be most of the traffic. "
		"Not more than two different offcore response events count at the same time.",
		"*l3*" },
	[PERF_COUNT_HW_CACHE_DTLB] = {
		{ { "On Intel, retired loads: the event of L1-dcache-loads. On Zen, loads and stores "
		    "that missed the first level of the TLB.",
		    "On Intel, completed page walks of loads (DTLB_LOAD_MISSES.WALK_COMPLETED). On "
		    "Zen, loads and stores that missed both levels of the TLB." },
		  { "On Intel, retired stores: the event of L1-dcache-stores. Zen has none.",
		    "On Intel, completed page walks of stores (DTLB_STORE_MISSES.WALK_COMPLETED). "
		    "Zen has none." } },
		"A miss of the first level that hits the second one costs time, but is not a miss "
		"here.", "*tlb*" },
	[PERF_COUNT_HW_CACHE_ITLB] = {
		{ { "On Skylake and Zen, fetches that missed the first level of the TLB and hit the "
		    "second one (ITLB_MISSES.STLB_HIT). Ice Lake and later, and E-cores, have none.",
		    "On Intel's P-cores, completed page walks for code (ITLB_MISSES.WALK_COMPLETED). "
		    "On E-cores, fills of the first level of the TLB. On Zen, fetches that missed "
		    "both levels." } },
		"The loads are not all accesses, so the ratio is not a miss rate.", "*tlb*" },
	[PERF_COUNT_HW_CACHE_BPU] = {
		{ { "Retired branches, like branches.",
		    "Retired branches that were mispredicted, like branch-misses." } },
		"On Golden Cove and later, its umask 0x04 is not in Intel's files.", "*br*" },
	[PERF_COUNT_HW_CACHE_NODE] = {
		{ { "On Intel's P-cores, demand data reads that DRAM of the own socket answered (an "
		    "offcore response event). E-cores and Zen have none.",
		    "On Intel's P-cores, demand data reads that another socket answered (an offcore "
		    "response event): from DRAM and, on Golden Cove and later, also from its "
		    "caches. E-cores and Zen have none." },
		  { "On Skylake to Rocket Lake, reads for ownership (RFO), the reads of stores, that "
		    "DRAM of the own socket answered (an offcore response event). Other cores have "
		    "none.",
		    "On Skylake to Rocket Lake, reads for ownership (RFO), the reads of stores, that "
		    "DRAM of another socket answered (an offcore response event). Other cores have "
		    "none." } },
		"The misses are not a part of the loads. Hardware prefetches are not included.",
		"*dram*" },
};
/* clang-format on */

static char *format_cache_meaning(uint64_t config)
{
	const char *means = cache_texts[config & 0xff].means[config >> 8 & 0xff][config >> 16];

	if (!means)
		return td_strdup("No core since Skylake, Tremont and Zen has this event in Linux "
				 "6.12: it is <not supported>.");
	return td_aprintf("%s %s These are the events of Linux 6.12; do not compare counts of "
			  "different kernels, models or core types.",
			  means, cache_texts[config & 0xff].doubt);
}

/* Explain a cache event of the kernel.  Returns false if it is not one. */
static bool put_cache_event(struct answer *answer, const char *typed)
{
	td_autofree char *means = NULL, *advice = NULL;
	struct json_object *o;
	uint64_t config;
	char name[64];

	/* "branch-misses" is a hardware event */
	if (td_symbol_find(typed) || td_cache_parse(typed, &config) || !td_cache_name(config, name))
		return false;
	means = format_cache_meaning(config);
	advice = td_aprintf("Use the events of the model, which its files describe: tdstat list "
			    "'%s'",
			    cache_texts[config & 0xff].glob);
	if (is_json(answer)) {
		o = begin_object("cache", name, 0, NULL);
		td_json_put_string(o, "meaning", means);
		td_json_put_string(o, "remedies", advice);
		td_json_put_line(stdout, o);
		return true;
	}
	begin_block(answer);
	printf("%s: a cache event of the kernel\n", name);
	put_text("means:", means);
	put_text("try:", advice);
	return true;
}

/* --- words that are not names ---------------------------------------------- */

#define FOUND_COLUMN 34

static void put_found(struct answer *answer, const char *word, const struct td_explanation *text,
		      bool first)
{
	if (is_json(answer)) {
		put_node_object(answer, text, word);
		return;
	}
	if (first) {
		begin_block(answer);
		printf("Nodes related to '%s':\n", word);
	}
	printf("  %-*s", FOUND_COLUMN - 2, text->name);
	td_put_wrapped(stdout, FOUND_COLUMN, TD_LINE_WIDTH, text->means);
}

/* List the nodes that a word is related to.  Returns their number. */
static size_t put_about(struct answer *answer, const char *word, bool advice)
{
	const struct td_explanation *text;
	size_t nr = 0;

	for (size_t i = 0; (text = td_explanation_at(i)); i++) {
		/* P-cores and E-cores share names */
		if (td_explanation_find(text->name) == text &&
		    td_explanation_is_about(text, word, advice))
			put_found(answer, word, text, !nr++);
	}
	return nr;
}

/* Search names and meanings first, then advice.  Returns true if a node was found. */
static bool search(struct answer *answer, const char *word)
{
	return td_explanation_is_word(word) &&
	       (put_about(answer, word, false) || put_about(answer, word, true));
}

static int no_such(const struct answer *answer, const char *typed, struct td_err *err)
{
	const struct td_pmu_events *events = &answer->catalog.events;
	struct td_suggest suggest = { .wanted = typed };
	const struct td_explanation *text;
	const struct td_metric_def *request;
	const char *cores;
	char names[sizeof(err->hint) / 2];
	bool pattern = td_explanation_is_pattern(typed);

	td_err_set(err, -ENOENT, "no node of the tree %s '%s'", pattern ? "matches" : "is called",
		   typed);
	err->usage = true;
	for (size_t i = 0; !pattern && (text = td_explanation_at(i)); i++)
		td_suggest_offer(&suggest, text->name, NULL);
	for (size_t i = 0; !pattern && i < events->nr_metrics; i++)
		td_suggest_offer(&suggest, events->metrics[i].name, NULL);
	for (size_t i = 0; !pattern && (request = td_l2_request_at(i, &cores)); i++)
		td_suggest_offer(&suggest, request->name, NULL);
	td_suggest_format(&suggest, names, sizeof(names));
	if (!names[0])
		return td_err_hint(err, "tdstat explain lists them");
	return td_err_hint(err, "did you mean %s?", names);
}

/* Set *found if typed is short for name.  Returns false if it is also short for another name. */
static bool offer_short(const char *typed, const char *name, const char **found)
{
	if (!td_node_is_short_for(typed, strlen(typed), name))
		return true;
	if (*found && strcasecmp(td_node_short_name(*found), td_node_short_name(name)) != 0)
		return false;
	*found = name;
	return true;
}

/* Return the only node that the name is short for, as in narrow tables; or NULL. */
static const char *find_short(const struct answer *answer, const char *typed)
{
	const struct td_pmu_events *events = &answer->catalog.events;
	const struct td_explanation *text;
	const char *found = NULL;
	bool one = true;

	for (size_t i = 0; one && (text = td_explanation_at(i)); i++)
		one = offer_short(typed, text->name, &found);
	for (size_t i = 0; one && i < events->nr_metrics; i++)
		one = offer_short(typed, events->metrics[i].name, &found);
	return one ? found : NULL;
}

/* Explain the nodes with this name.  Returns false if there are none. */
static bool put_name(struct answer *answer, const char *typed)
{
	bool found = put_ours(answer, typed);

	/* a pattern may also match metrics without a built-in text */
	if (!found || td_explanation_is_pattern(typed)) {
		found |= put_theirs(answer, typed);
		found |= put_requests(answer, typed);
	}
	return found;
}

/* Return the name in "name:u" or "cpu_core/name/u", as -e and -M take it; NULL: typed is a name. */
static char *bare_name(const char *typed)
{
	const char *slash = strchr(typed, '/'), *name = slash ? slash + 1 : typed;
	size_t length = strcspn(name, slash ? "/," : ":");

	return name[length] ? td_strndup(name, length) : NULL;
}

/* Explain the name or word.  Returns false if it is unknown. */
static bool put_typed(struct answer *answer, const char *typed)
{
	const char *whole;

	if (put_name(answer, typed))
		return true;
	whole = find_short(answer, typed);
	return (whole && put_name(answer, whole)) || search(answer, typed) ||
	       put_cache_event(answer, typed);
}

static void put_all(struct answer *answer)
{
	for (size_t i = 0; i < answer->opts->nr_patterns; i++) {
		const char *typed = answer->opts->patterns[i];
		td_autofree char *name = bare_name(typed);

		if (put_typed(answer, typed) || (name && put_typed(answer, name)))
			continue;
		/* unknown names are reported at the end, where they are seen */
		td_array_push(&answer->unknown, &answer->nr_unknown, &typed, sizeof(typed));
	}
}

/* Print an error for each unknown name but the last, whose error is returned. */
static int complain(const struct answer *answer, struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < answer->nr_unknown; i++) {
		if (rc)
			td_say_error(err);
		rc = no_such(answer, answer->unknown[i], err);
	}
	return rc;
}

static int explain(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct answer answer = { .opts = opts, .fs = { .sys = -1, .proc = -1 } };
	int rc = 0;

	(void)status;
	/* an unknown --model is an error */
	if (opts->request.model)
		rc = read_files(&answer, err);
	if (!rc && !opts->nr_patterns)
		put_list(&answer);
	if (!rc)
		put_all(&answer);
	rc = rc ?: td_out_check(stdout, "standard output", err);
	rc = rc ?: complain(&answer, err);
	free(answer.unknown);
	td_catalog_free(&answer.catalog);
	td_machine_free(&answer.machine);
	td_sysfs_close(&answer.fs);
	return rc;
}

static const struct td_option_group *const groups[] = {
	&td_group_files,
	&td_group_model,
	&td_group_json,
	NULL,
};

const struct td_command td_command_explain = {
	.name = "explain",
	.line = "explain nodes: meaning, usual causes, remedies",
	.args = "[NODE...]",
	.doc = "Explains nodes of the tree: meaning, usual causes, remedies. Without a node, "
	       "lists those that have a text. For other metrics of this processor, shows the "
	       "description of its files. Cache events such as L1-dcache-load-misses are "
	       "explained as well.",
	.what = "What to explain:",
	.examples = "  tdstat explain tma_l3_bound\n"
		    "  tdstat explain cache\n"
		    "  tdstat explain --model alderlake tma_info_thread_ipc\n"
		    "  tdstat explain frontend_bound 'tma_l3*'",
	.status = "Exit status: 0; 64 if no node has the name or the word, or for a wrong option.",
	.groups = groups,
	.word = td_value_pattern,
	.run = explain,
};
