// SPDX-License-Identifier: GPL-2.0-only
/*
 * Converts metrics of perfmon: names, groups, units and formulas as perf has
 * them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/base/json.h"
#include "lib/base/util.h"
#include "metrics/files/parts.h"
#include "metrics/files/text.h"
#include "metrics/formula/expr.h"

#define MAX_LEVEL 9

/* perfmon's units as a ScaleUnit of perf; the factor is always 1. */
static const struct {
	const char *unit, *scale;
} units[] = {
	{ "MB/sec", "1MB/s" },
	{ "per instruction", "1per_instr" },
	{ "percent", "1%" },
};

/* Members of a metric that are read more than once; borrowed from the entry. */
struct source {
	const struct td_entry *entry;
	const char *pmu;
	const char *name, *legacy, *formula;
	const char *limit; /* the threshold; NULL: none */
	bool fractions;    /* the threshold compares fractions, not percent */
	bool tma;          /* a metric of the top-down method */
};

static int need_text(const struct td_entry *entry, const char *key,
		     const char **out, struct td_err *err)
{
	int rc = td_entry_text(entry, key, out, err);

	if (!rc && (!*out || !**out))
		rc = td_entry_bad(entry, err, key, "none");
	return rc;
}

/*
 * Reads the threshold.  Newer files have BaseFormula, which names metrics and
 * compares percents (Formula then has letters for the names).  Older files name
 * metrics in Formula, and compare fractions.
 */
static int read_limit(struct source *source, struct td_err *err)
{
	struct json_object *threshold = td_json_member(
		source->entry->object, "Threshold", json_type_object);
	const char *base = td_json_string(threshold, "BaseFormula");
	const char *formula = td_json_string(threshold, "Formula");

	source->fractions = !base;
	source->limit = base ? base : formula;
	if (source->limit && !*source->limit)
		source->limit = NULL;
	if (base && formula && *formula && !*base)
		return td_entry_bad(source->entry, err, "Threshold",
				    "a Formula without its BaseFormula");
	return 0;
}

static int read_source(struct source *source,
		       const struct td_perfmon_file *file,
		       const struct td_entry *entry, struct td_err *err)
{
	const char *category;

	*source = (struct source){ .entry = entry, .pmu = file->pmu };
	if (need_text(entry, "MetricName", &source->name, err) ||
	    need_text(entry, "LegacyName", &source->legacy, err) ||
	    need_text(entry, "Formula", &source->formula, err) ||
	    td_entry_text(entry, "Category", &category, err))
		return err->code;
	source->tma = category && strcmp(category, "TMA") == 0;
	return read_limit(source, err);
}

/*
 * Is the metric a node of the tree?  "Info_..." and "Bottleneck_..." are not.
 */
static bool is_node(const struct source *source)
{
	return source->tma && strncasecmp(source->name, "Info_", 5) != 0 &&
	       strncasecmp(source->name, "Bottleneck_", 11) != 0;
}

/* Adds the letters that the formula uses for Events or Constants. */
static int add_aliases(const struct source *source, const char *key,
		       struct td_perfmon_aliases *aliases, struct td_err *err)
{
	struct json_object *array =
		td_json_member(source->entry->object, key, json_type_array);
	size_t nr = array ? json_object_array_length(array) : 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < nr; i++) {
		struct json_object *object =
			json_object_array_get_idx(array, i);
		const char *alias = td_json_string(object, "Alias");
		const char *name = td_json_string(object, "Name");

		if (!alias || !name)
			return td_entry_bad(source->entry, err, key,
					    "one without Alias or Name");
		if (strcmp(key, "Events") == 0)
			rc = td_perfmon_add_event(aliases, alias, name,
						  source->pmu, err);
		else
			rc = td_perfmon_add_constant(aliases, alias, name,
						     source->tma, err);
	}
	return rc;
}

static int any_name(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return 0;
}

static int check(const char *formula, struct td_err *err)
{
	struct td_expr *expr = NULL;
	int rc = td_expr_parse(&expr, formula, any_name, NULL, err);

	td_expr_free(expr);
	return rc;
}

static int translate_with(const struct source *source,
			  struct td_perfmon_aliases *aliases, char **out,
			  struct td_err *err)
{
	static const char seconds[] = "DURATIONTIMEINSECONDS";

	if (add_aliases(source, "Events", aliases, err) ||
	    add_aliases(source, "Constants", aliases, err) ||
	    td_perfmon_add_constant(aliases, seconds, seconds, false, err) ||
	    td_perfmon_formula(aliases, source->formula, out, err) ||
	    check(*out, err))
		return err->code;
	return 0;
}

static int translate(const struct source *source,
		     struct td_model_metric *metric, struct td_err *err)
{
	struct td_perfmon_aliases aliases = { NULL, 0 };
	int rc = translate_with(source, &aliases, &metric->formula, err);

	td_perfmon_aliases_free(&aliases);
	if (rc || !source->limit)
		return rc;
	rc = td_perfmon_threshold(source->limit, source->fractions,
				  &metric->threshold, err);
	return rc ? rc : check(metric->threshold, err);
}

static int make_name(const char *text, bool tma, char **out, struct td_err *err)
{
	if (tma)
		return td_perfmon_name(text, strlen(text), out, err);
	*out = strdup(text);
	return *out ? 0 : td_err_nomem(err);
}

/*
 * Finds the parent's name, or NULL.  Without ParentCategory it is the second
 * name in the threshold, which starts with the metric itself and continues with
 * those above it.
 */
static int find_parent(const struct source *source, char **out,
		       struct td_err *err)
{
	static const char legacy[] = "metric_TMA_";
	td_autofree char *text = NULL;
	const char *parent;

	*out = NULL;
	if (td_entry_text(source->entry, "ParentCategory", &parent, err))
		return err->code;
	if (!parent) {
		parent = source->limit ? strstr(source->limit, legacy) : NULL;
		parent = parent ? strstr(parent + 1, legacy) : NULL;
		return parent ? td_perfmon_name(parent, strcspn(parent, " "),
						out, err)
			      : 0;
	}
	text = td_aprintf("%s%s", legacy, parent);
	if (!text)
		return td_err_nomem(err);
	return td_perfmon_name(text, strlen(text), out, err);
}

/* Adds issues as groups: "$issueBM" becomes group "tma_issueBM". */
static void write_issues(FILE *fp, const char *text)
{
	while (text && (text = strchr(text, '$'))) {
		size_t len = strspn(++text, "abcdefghijklmnopqrstuvwxyz"
					    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					    "0123456789_");

		if (len)
			fprintf(fp, ";tma_%.*s", (int)len, text);
		text += len;
	}
}

/*
 * Writes the groups.  Level and parent become groups, too, as in the kernel
 * tree's files.
 */
static int write_groups(const struct source *source,
			const struct td_model_metric *metric, FILE *fp,
			struct td_err *err)
{
	struct json_object *threshold = td_json_member(
		source->entry->object, "Threshold", json_type_object);
	const char *groups;

	if (td_entry_text(source->entry, "MetricGroup", &groups, err))
		return err->code;
	if (metric->level)
		fprintf(fp, ";TopdownL%d;tma_L%d_group", metric->level,
			metric->level);
	if (groups && *groups)
		fprintf(fp, ";%s", groups);
	if (metric->parent)
		fprintf(fp, ";%s_group", metric->parent);
	write_issues(fp, td_json_string(threshold, "ThresholdIssues"));
	return 0;
}

/* Reads where the metric stands in the tree. */
static int read_level(const struct source *source,
		      struct td_model_metric *metric, struct td_err *err)
{
	struct td_number level;

	if (td_entry_number(source->entry, "Level", &level, err))
		return err->code;
	if (!is_node(source) || level.value > MAX_LEVEL)
		return 0;
	metric->level = (int)level.value;
	return metric->level > 1 ? find_parent(source, &metric->parent, err)
				 : 0;
}

static int make_groups(const struct source *source,
		       const struct td_model_metric *metric, char **out,
		       struct td_err *err)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	int rc;

	if (!fp)
		return td_err_nomem(err);
	rc = write_groups(source, metric, fp, err);
	if (td_text_close(fp, &text) && !rc)
		rc = td_err_nomem(err);
	if (!rc && size) {
		*out = strdup(text + 1);
		rc = *out ? 0 : td_err_nomem(err);
	}
	free(text);
	return rc;
}

/*
 * Makes a ScaleUnit such as "1GHz".  The factor of a percentage is in its
 * formula.
 */
static int make_unit(const struct source *source, char **out,
		     struct td_err *err)
{
	const char *unit;

	if (td_entry_text(source->entry, "UnitOfMeasure", &unit, err))
		return err->code;
	if (!unit || !*unit)
		return 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++) {
		if (strcmp(units[i].unit, unit) != 0)
			continue;
		*out = strdup(units[i].scale);
		return *out ? 0 : td_err_nomem(err);
	}
	*out = td_aprintf("1%s", unit);
	return *out ? 0 : td_err_nomem(err);
}

static int read_sample(const struct source *source, char **out,
		       struct td_err *err)
{
	const char *names;
	int rc = td_entry_text(source->entry, "LocateWith", &names, err);

	if (rc || !names)
		return rc;
	return td_sample_names(names, out) ? td_err_nomem(err) : 0;
}

static int fill(const struct source *source, struct td_model_metric *metric,
		struct td_err *err)
{
	metric->pmu = strdup(source->pmu);
	if (!metric->pmu)
		return td_err_nomem(err);
	if (make_name(source->tma ? source->legacy : source->name, source->tma,
		      &metric->name, err) ||
	    translate(source, metric, err) || read_level(source, metric, err) ||
	    make_groups(source, metric, &metric->groups, err) ||
	    make_unit(source, &metric->unit, err) ||
	    td_entry_line(source->entry, "BriefDescription", &metric->desc,
			  err))
		return err->code;
	return read_sample(source, &metric->sample, err) ||
			       td_unit_from_words(metric, err)
		       ? err->code
		       : 0;
}

static int skip(struct td_pmu_events *out, const struct source *source,
		struct td_err *err)
{
	out->nr_skipped++;
	if (!out->skipped)
		out->skipped = td_aprintf("%s: %s: %s", source->entry->path,
					  source->name, err->msg);
	if (!out->skipped)
		return td_err_nomem(err);
	*err = (struct td_err){ 0 };
	return 0;
}

/* Was the metric read from the file in perf's form already? */
static bool is_known(const struct td_pmu_events *events,
		     const struct source *source)
{
	for (size_t i = 0; !source->tma && i < events->nr_metrics; i++) {
		if (strcmp(events->metrics[i].name, source->name) == 0)
			return true;
	}
	return false;
}

int td_perfmon_metric(struct td_pmu_events *out,
		      const struct td_perfmon_file *file,
		      const struct td_entry *entry, struct td_err *err)
{
	struct td_model_metric made = { 0 };
	struct source source;
	int rc = read_source(&source, file, entry, err);

	if (rc || is_known(out, &source))
		return rc;
	rc = fill(&source, &made, err);
	if (!rc &&
	    td_array_push(&out->metrics, &out->nr_metrics, &made, sizeof(made)))
		rc = td_err_nomem(err);
	if (rc)
		td_model_metric_clear(&made);
	return rc == -EINVAL ? skip(out, &source, err) : rc;
}
