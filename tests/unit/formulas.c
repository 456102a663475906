// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiles every formula and threshold of the kernel tree's files
 * (TD_PMU_EVENTS): each must be valid, and each event that it names must exist
 * on a machine of its model, except for the exceptions below.
 */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <limits.h>

#include "tests/unit/model_machine.h"
#include "tests/unit/test.h"

/* clang-format off */

/*
 * A processor for each directory, and Linux's names of events of its core PMU; for hybrids, of
 * cpu_core and cpu_atom.
 */
static const struct model {
	const char *dir, *cpuid, *core, *atom;
} models[] = {
	{ "alderlake", "GenuineIntel-6-97-2", METRICS_8, GRACEMONT },
	{ "alderlaken", "GenuineIntel-6-BE-0", TREMONT },
	{ "amdzen1", "AuthenticAMD-23-1-2", "" },
	{ "amdzen2", "AuthenticAMD-23-71-0", "" },
	{ "amdzen3", "AuthenticAMD-25-1-1", "" },
	{ "amdzen4", "AuthenticAMD-25-61-2", "" },
	{ "amdzen5", "AuthenticAMD-26-44-0", "" },
	{ "amdzen6", "AuthenticAMD-26-50-0", "" },
	{ "arrowlake", "GenuineIntel-6-C6-2", METRICS_8, SKYMONT },
	{ "bonnell", "GenuineIntel-6-1C-A", "" },
	{ "broadwell", "GenuineIntel-6-3D-4", BROADWELL TSX },
	{ "broadwellde", "GenuineIntel-6-56-2", BROADWELL TSX },
	{ "broadwellx", "GenuineIntel-6-4F-1", BROADWELL TSX },
	{ "cascadelakex", "GenuineIntel-6-55-7", SKYLAKE TSX },
	{ "clearwaterforest", "GenuineIntel-6-DD-0", SKYMONT },
	{ "elkhartlake", "GenuineIntel-6-96-1", TREMONT },
	{ "emeraldrapids", "GenuineIntel-6-CF-2", METRICS_8 TSX },
	{ "goldmont", "GenuineIntel-6-5C-9", "" },
	{ "goldmontplus", "GenuineIntel-6-7A-1", "" },
	{ "grandridge", "GenuineIntel-6-B6-0", CRESTMONT_ALONE },
	{ "graniterapids", "GenuineIntel-6-AD-1", METRICS_8 TSX },
	{ "haswell", "GenuineIntel-6-3C-3", BROADWELL TSX },
	{ "haswellx", "GenuineIntel-6-3F-2", BROADWELL TSX },
	{ "icelake", "GenuineIntel-6-7E-5", METRICS_4 TSX },
	{ "icelakex", "GenuineIntel-6-6A-6", METRICS_4 TSX },
	{ "ivybridge", "GenuineIntel-6-3A-9", BROADWELL },
	{ "ivytown", "GenuineIntel-6-3E-4", BROADWELL },
	{ "jaketown", "GenuineIntel-6-2D-7", BROADWELL },
	{ "knightslanding", "GenuineIntel-6-57-1", "" },
	{ "lunarlake", "GenuineIntel-6-BD-1", METRICS_8, SKYMONT },
	{ "meteorlake", "GenuineIntel-6-AA-4", METRICS_8, GRACEMONT },
	{ "nehalemep", "GenuineIntel-6-1A-5", "" },
	{ "nehalemex", "GenuineIntel-6-2E-6", "" },
	{ "pantherlake", "GenuineIntel-6-CC-1", METRICS_8, SKYMONT },
	{ "rocketlake", "GenuineIntel-6-A7-1", METRICS_4 TSX },
	{ "sandybridge", "GenuineIntel-6-2A-7", BROADWELL },
	{ "sapphirerapids", "GenuineIntel-6-8F-8", METRICS_8 TSX },
	{ "sierraforest", "GenuineIntel-6-AF-3", CRESTMONT_ALONE },
	{ "silvermont", "GenuineIntel-6-37-8", "" },
	{ "skylake", "GenuineIntel-6-9E-A", SKYLAKE TSX },
	{ "skylakex", "GenuineIntel-6-55-4", SKYLAKE TSX },
	{ "snowridgex", "GenuineIntel-6-86-4", TREMONT },
	{ "tigerlake", "GenuineIntel-6-8C-1", METRICS_4 TSX },
	{ "westmereep-dp", "GenuineIntel-6-2C-2", "" },
	{ "westmereep-sp", "GenuineIntel-6-25-5", "" },
	{ "westmereex", "GenuineIntel-6-2F-2", "" },
};

/*
 * Formulas may need retire latencies (":R"), for which most files have no
 * means: in their own formula, or in that of a metric that they use.  Only they
 * have no value, for this reason.
 */
#define LATENCY "*retire latency*"

/* Two formulas of Granite Rapids name it in 7.2, and others use them. */
#define NO_EVENT "*no event is called 'PEBS'"

/* The files give it a threshold, but of useful work no amount is too much. */
static const char *const no_loss[] = { "tma_info_bottleneck_useful_work",
				       "tma_bottleneck_useful_work" };

/* The machine properties that formulas test, varied to reach all branches. */
static const struct variant {
	bool smt, core_wide, pmem;
} variants[] = {
	{ true, true, true }, { true, false, false }, { false, true, false },
};
/* clang-format on */

/* --- the files, as text --------------------------------------------------- */

/* The number of "MetricExpr" and "MetricThreshold" in the files. */
struct words {
	size_t formulas, thresholds;
};

static size_t count_in(const char *text, const char *word)
{
	size_t nr = 0;

	for (; (text = strstr(text, word)); text++)
		nr++;
	return nr;
}

static void count_file(struct words *words, const char *path)
{
	FILE *fp = fopen(path, "re");
	td_autofree char *text = NULL;
	size_t size = 0;

	if (fp && getdelim(&text, &size, '\0', fp) > 0) {
		words->formulas += count_in(text, "\"MetricExpr\":");
		words->thresholds += count_in(text, "\"MetricThreshold\":");
	}
	if (fp)
		fclose(fp);
}

static struct words count_words(const char *path)
{
	struct words words = { 0 };
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char name[PATH_MAX + 256];

		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (fnmatch("*.json", name, 0) == 0)
			count_file(&words, name);
	}
	if (dir)
		closedir(dir);
	return words;
}

/* --- one metric ----------------------------------------------------------- */

/* Results for one directory, in one variant. */
struct sums {
	/* metrics: the sum of values, exceptions and wrong ones */
	size_t metrics, values, exceptions;
	size_t thresholds, blind;
	size_t wrong;
};

static void complain(struct sums *sums, const char *dir, const char *metric, const char *what)
{
	sums->wrong++;
	printf("# %s: %s: %s\n", dir, metric, what);
}

#define MAX_DEPTH 8 /* metrics that use metrics */

/* Is it a word of the text, not a part of one? */
static bool has_word(const char *text, const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
	size_t len = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
		if ((at == text || !strchr(letters, at[-1])) &&
		    (!at[len] || !strchr(letters, at[len])))
			return true;
	}
	return false;
}

static bool is_latency(const char *text)
{
	return strstr(text, "@R") || strstr(text, ":R");
}

static bool is_no_event(const char *text)
{
	return strstr(text, "* PEBS");
}

/* Is it true of the text, or of the formula of a metric that it uses? */
static bool needs(const struct td_pmu_events *files, const char *text, bool (*is)(const char *text),
		  int depth)
{
	if (is(text))
		return true;
	for (size_t i = 0; depth && i < files->nr_metrics; i++) {
		const struct td_model_metric *metric = &files->metrics[i];

		if (has_word(text, metric->name) && needs(files, metric->formula, is, depth - 1))
			return true;
	}
	return false;
}

/*
 * Return true if each metric is refused or computed as expected.  A refused metric needs a
 * latency, or a name that is not an event, and the reason contains it.
 */
static bool is_as_expected(const struct td_pmu_events *files, const char *text, const char *why)
{
	return !why ||
	       (fnmatch(LATENCY, why, 0) == 0 && needs(files, text, is_latency, MAX_DEPTH)) ||
	       (fnmatch(NO_EVENT, why, 0) == 0 && needs(files, text, is_no_event, MAX_DEPTH));
}

/* Checks the operands of a formula, on its PMU. */
struct use {
	const struct td_tree *tree;
	const struct td_events *events;
	int pmu;
	const char *wrong;
};

static bool is_known(void *ctx, int slot)
{
	const struct use *use = ctx;

	return use->tree->operands[slot].kind == TD_OPERAND_CONSTANT;
}

/* The events must be found, and on no other core PMU. */
static void check_operand(void *ctx, int slot)
{
	struct use *use = ctx;
	const struct td_tree *tree = use->tree;
	const struct td_operand *operand = &tree->operands[slot];
	bool counted = operand->kind == TD_OPERAND_EVENT || operand->kind == TD_OPERAND_SOURCES;

	if (operand->refusal)
		use->wrong = operand->refusal;
	else if (counted && !operand->events.nr)
		use->wrong = operand->name;
	else if (operand->pmu != use->pmu)
		use->wrong = "of another PMU";
	for (size_t i = 0; i < operand->events.nr; i++) {
		int pmu = use->events->v[operand->events.v[i]].pmu;

		if (pmu < (int)tree->nr_pmus && pmu != use->pmu)
			use->wrong = "an event of another core PMU";
	}
}

static const char *check_operands(const struct model_built *b, int pmu, const struct td_expr *expr)
{
	const struct td_tree *tree = &b->tree;
	struct use use = { tree, &b->plan.events, pmu, NULL };

	td_expr_each_needed(expr, tree->constants, is_known, check_operand, &use);
	return use.wrong;
}

static bool is_useful_work(const char *name)
{
	return strcmp(name, no_loss[0]) == 0 || strcmp(name, no_loss[1]) == 0;
}

static void check_threshold(struct sums *sums, const char *dir, const struct model_built *b,
			    const struct td_metric *metric, const struct td_model_metric *model)
{
	const char *why = metric->threshold ? check_operands(b, metric->pmu, metric->threshold)
					    : "no threshold";

	if (is_useful_work(metric->def->name))
		why = metric->threshold ? "a threshold of useful work" : NULL;
	if (!is_as_expected(b->files, model->threshold, why))
		complain(sums, dir, metric->name, why);
	else if (why)
		sums->blind++;
	else
		sums->thresholds++;
}

static const struct td_metric *find_metric(const struct td_tree *tree,
					   const struct td_model_metric *model)
{
	for (size_t i = 0; i < tree->nr_metrics; i++) {
		const struct td_metric *metric = &tree->metrics[i];

		if (metric->shown && metric->def->formula == model->formula)
			return metric;
	}
	return NULL;
}

static void check_metric(struct sums *sums, const char *dir, const struct model_built *b,
			 const struct td_model_metric *model)
{
	const struct td_metric *metric = find_metric(&b->tree, model);
	const char *why = "it is not there";

	sums->metrics++;
	if (metric)
		why = metric->value ? check_operands(b, metric->pmu, metric->value)
				    : td_metric_refusal(&b->tree, metric);
	if (!is_as_expected(b->files, model->formula, why))
		complain(sums, dir, model->name, why);
	else if (why)
		sums->exceptions++;
	else
		sums->values++;
	if (!why && model->threshold)
		check_threshold(sums, dir, b, metric, model);
}

/* --- one directory ---------------------------------------------------------- */

static int any_name(void *ctx, const char *name)
{
	(void)ctx;
	return *name ? 0 : -ENOENT;
}

/* Parses all branches of a formula; text may be NULL. */
static bool is_parsed(const char *dir, const char *name, const char *text)
{
	struct td_expr *expr = NULL;
	struct td_err err = { 0 };
	int rc = text ? td_expr_parse(&expr, text, any_name, NULL, &err) : -ENOENT;

	if (rc && text)
		printf("# %s: %s: %s\n", dir, name, err.msg);
	td_expr_free(expr);
	return rc == 0;
}

static void check_texts(const struct td_pmu_events *files, const char *dir, struct words *total)
{
	struct words words = count_words(files->dir), parsed = { 0 };

	for (size_t i = 0; i < files->nr_metrics; i++) {
		const struct td_model_metric *metric = &files->metrics[i];
		bool common = strcmp(metric->pmu, TD_EACH_CORE) == 0 ||
			      strcmp(metric->pmu, TD_NO_CORE) == 0;

		/* the formulas in another directory */
		words.formulas += common;
		words.thresholds += common && metric->threshold;
		parsed.formulas += is_parsed(dir, metric->name, metric->formula);
		parsed.thresholds += is_parsed(dir, metric->name, metric->threshold);
	}
	ok(parsed.formulas == words.formulas && parsed.thresholds == words.thresholds,
	   "%s: %zu formulas and %zu thresholds are understood", dir, words.formulas,
	   words.thresholds);
	total->formulas += words.formulas;
	total->thresholds += words.thresholds;
}

/* The low-power cores of Arrow Lake are in one machine of several. */
static bool is_of_core_here(const struct td_machine *machine, const struct td_model_metric *metric)
{
	return strncmp(metric->pmu, "cpu_", strlen("cpu_")) != 0 ||
	       td_machine_find_pmu(machine, metric->pmu) >= 0;
}

/*
 * The files of Zen 4 have two names twice, for different metrics: only one of
 * each can be shown.
 */
static bool is_twin(const struct td_pmu_events *files, size_t i)
{
	const struct td_model_metric *metric = &files->metrics[i];

	return i > 0 && strcmp(metric[-1].name, metric->name) == 0 &&
	       strcmp(metric[-1].pmu, metric->pmu) == 0;
}

static void check_variant(const struct model *model, struct td_machine *machine,
			  struct td_pmu_events *files, const struct variant *variant)
{
	char *all[] = { (char[]){ "all" } };
	const struct td_ask ask = { .names = all, .nr_names = 1 };
	struct model_built b = { .files = files, .machine = machine };
	struct sums sums = { 0 };
	size_t twins = 0;

	machine->smt = variant->smt;
	machine->has_pmem = variant->pmem;
	model_build(&b, &ask, variant->core_wide);
	for (size_t i = 0; !b.rc && i < files->nr_metrics; i++) {
		if (is_twin(files, i))
			twins++;
		else if (is_of_core_here(machine, &files->metrics[i]))
			check_metric(&sums, model->dir, &b, &files->metrics[i]);
	}
	ok(twins == (strcmp(model->dir, "amdzen4") == 0 ? 2 : 0), "%s: %zu names twice", model->dir,
	   twins);
	ok(b.rc == 0 && sums.wrong == 0,
	   "%s%s%s%s: %zu metrics, %zu with a value, %zu without; %zu thresholds, %zu blind %s",
	   model->dir, variant->smt ? ", SMT" : "",
	   variant->core_wide ? ", whole cores" : ", a task", variant->pmem ? ", PMEM" : "",
	   sums.metrics, sums.values, sums.exceptions, sums.thresholds, sums.blind, b.err.msg);
	model_built_free(&b);
}

static void check_files(const struct model *model, const struct td_cpuid *cpuid,
			struct td_pmu_events *files, struct words *total)
{
	struct td_machine machine;

	check_texts(files, model->dir, total);
	if (!files->nr_metrics)
		return;
	model_machine(&machine, cpuid, model->core, model->atom, files);
	for (size_t i = 0; i < TD_ARRAY_SIZE(variants); i++)
		check_variant(model, &machine, files, &variants[i]);
	td_machine_free(&machine);
}

static void test_model(const char *root, const struct model *model, struct words *total)
{
	struct td_pmu_events files = { 0 };
	struct td_cpuid cpuid;
	struct td_err err = { 0 };
	char path[PATH_MAX];
	int rc = td_cpuid_parse(model->cpuid, &cpuid, &err);

	if (!rc)
		rc = td_pmu_events_read(&files, root, &cpuid, &err);
	if (!rc)
		rc = td_pmu_events_read_uncore(&files, &err);
	if (!rc) /* uncore units of the machine are derived from their events */
		rc = td_pmu_events_parse_all(&files, &err);
	ok(rc == 0, "%s: %s %s", model->dir, model->cpuid, err.msg);
	snprintf(path, sizeof(path), "%s/%s", root, model->dir);
	if (!rc) {
		is_str(files.dir, path, "%s: is %s", model->dir, model->cpuid);
		check_files(model, &cpuid, &files, total);
	}
	td_pmu_events_free(&files);
}

/* These numbers hold for one version of the tree only. */
static size_t test_dir(const char *root, const char *dir, struct words *total)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(models); i++) {
		if (strcmp(models[i].dir, dir) == 0) {
			test_model(root, &models[i], total);
			return 1;
		}
	}
	ok(true, "%s # SKIP no processor of it is known here", dir);
	return 0;
}

/* --- all of them ---------------------------------------------------------- */

static int is_folder(const struct dirent *entry)
{
	return (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) && entry->d_name[0] != '.';
}

static void test_root(const char *root)
{
	struct words total = { 0 };
	struct dirent **dirs;
	int nr = scandir(root, &dirs, is_folder, alphasort);
	size_t seen = 0;

	for (int i = 0; i < nr; i++) {
		seen += test_dir(root, dirs[i]->d_name, &total);
		free(dirs[i]);
	}
	if (nr >= 0)
		free(dirs);
	ok(seen && total.formulas && total.thresholds,
	   "%zu folders: %zu formulas and %zu thresholds", seen, total.formulas, total.thresholds);
}

int main(void)
{
	const char *root = getenv("TD_PMU_EVENTS");

	if (root)
		test_root(root);
	else
		ok(true, "the kernel's metric files # SKIP no TD_PMU_EVENTS");
	return done_testing();
}
