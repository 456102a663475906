// SPDX-License-Identifier: GPL-2.0-only
/* tdstat explain: says what nodes of the tree mean. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cmd/opts/command.h"
#include "cmd/opts/groups.h"
#include "cmd/opts/value.h"
#include "cmd/out/out.h"
#include "cmd/plan/catalog.h"
#include "cmd/plan/select.h"
#include "lib/base/printable.h"
#include "lib/base/suggest.h"
#include "metrics/explain/explain.h"

#define LINE_WIDTH  80
#define TEXT_COLUMN 11
#define BLANKS      " \t\r\n"

/* The model's files, for metrics that have no text of ours. */
struct files {
	struct td_sysfs fs;
	struct td_machine machine;
	struct td_catalog catalog;
	bool tried;
};

/* Writes "  means:   text", wrapped. */
static void put_text(const char *label, const char *text)
{
	int at = TEXT_COLUMN;
	size_t len;

	printf("  %-*s", TEXT_COLUMN - 2, label);
	for (; *(text += strspn(text, BLANKS)); text += len) {
		int width;

		len = strcspn(text, BLANKS);
		width = td_printable_width_n(text, len);
		if (at > TEXT_COLUMN && at + 1 + width > LINE_WIDTH)
			at = printf("\n%*s", TEXT_COLUMN, "") - 1;
		else if (at > TEXT_COLUMN)
			at += printf(" ");
		at += td_put_printable_n(stdout, text, len);
	}
	putchar('\n');
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

/* Is there a text for the other kind of core? */
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

static void put_explanation(const struct td_explanation *text)
{
	put_place(text->name, text->level, text->parent);
	printf("%s\n", cores_of(text));
	put_text("means:", text->means);
	put_text("causes:", text->causes);
	put_text("try:", text->advice);
}

/* --- the list of all ------------------------------------------------------ */

static void put_tree(const char *parent, enum td_explained_cores cores)
{
	const struct td_explanation *text;
	size_t at = 0;

	while ((text = td_explanation_next(parent, cores, &at))) {
		printf("%*s%s\n", 4 * text->level - 2, "", text->name);
		put_tree(text->name, cores);
	}
}

static void put_list(void)
{
	printf("P-cores, and cores before there were two kinds:\n");
	put_tree(NULL, TD_EXPLAINED_CORE);
	printf("\nE-cores:\n");
	put_tree(NULL, TD_EXPLAINED_ATOM);
}

/* --- one node ------------------------------------------------------------- */

static bool put_ours(const char *name)
{
	const struct td_explanation *text;
	bool any = false;

	for (size_t i = 0; (text = td_explanation_at(i)); i++) {
		if (!td_explanation_matches(text, name))
			continue;
		if (any)
			putchar('\n');
		put_explanation(text);
		any = true;
	}
	return any;
}

/*
 * Without a machine that can be counted on, or without files, only our own
 * texts are known: that is no error.
 */
static void read_files(struct files *files, const struct td_opts *opts)
{
	struct td_err unused = { 0 };

	files->tried = true;
	if (td_select_machine(&files->fs, &files->machine, opts, &unused))
		return;
	td_catalog_init(&files->catalog, &files->fs, &files->machine,
			opts->metrics_dir);
	td_catalog_read(&files->catalog, &unused);
}

/* Our own texts are found without the prefix, too. */
static const char *skip_prefix(const char *name)
{
	return strncasecmp(name, "tma_", 4) == 0 ? name + 4 : name;
}

/* Writes the descriptions of the model's files. */
static bool put_theirs(struct files *files, const struct td_opts *opts,
		       const char *name)
{
	const struct td_pmu_events *events = &files->catalog.events;
	bool any = false;

	if (!files->tried)
		read_files(files, opts);
	for (size_t i = 0; i < events->nr_metrics; i++) {
		const struct td_model_metric *metric = &events->metrics[i];

		if (!metric->desc || strcasecmp(skip_prefix(metric->name),
						skip_prefix(name)) != 0)
			continue;
		if (any)
			putchar('\n');
		put_place(metric->name, metric->level, metric->parent);
		printf(", of ");
		td_put_printable(stdout, metric->pmu);
		putchar('\n');
		put_text("files:", metric->desc);
		any = true;
	}
	return any;
}

static int no_such(const struct files *files, const char *name,
		   struct td_err *err)
{
	const struct td_pmu_events *events = &files->catalog.events;
	struct td_suggest suggest = { .wanted = name };
	const struct td_explanation *text;
	char names[sizeof(err->hint) / 2];

	td_err_set(err, -ENOENT, "no node of the tree is called '%s'", name);
	for (size_t i = 0; (text = td_explanation_at(i)); i++)
		td_suggest_offer(&suggest, text->name, NULL);
	for (size_t i = 0; i < events->nr_metrics; i++)
		td_suggest_offer(&suggest, events->metrics[i].name, NULL);
	td_suggest_format(&suggest, names, sizeof(names));
	if (!names[0])
		return td_err_hint(err, "tdstat explain lists them");
	return td_err_hint(err, "did you mean %s?", names);
}

static void close_files(struct files *files)
{
	td_catalog_free(&files->catalog);
	td_machine_free(&files->machine);
	td_sysfs_close(&files->fs);
}

static int explain(const struct td_opts *opts, int *status, struct td_err *err)
{
	struct files files = { .fs = { .sys = -1, .proc = -1 } };
	int rc = 0;

	(void)status;
	if (!opts->nr_patterns)
		put_list();
	for (size_t i = 0; !rc && i < opts->nr_patterns; i++) {
		const char *name = opts->patterns[i];

		if (i)
			putchar('\n');
		if (!put_ours(name) && !put_theirs(&files, opts, name))
			rc = no_such(&files, name, err);
	}
	close_files(&files);
	return rc ? rc : td_out_check(stdout, "standard output", err);
}

static const struct td_option_group *const groups[] = { &td_group_files, NULL };

const struct td_command td_command_explain = {
	.name = "explain",
	.line = "say what nodes of the tree mean and what to try",
	.args = "[NODE...]",
	.doc = "Says what nodes of the tree mean, what usually causes them and "
	       "what to try.  Without a node, lists those that have a text.  "
	       "For other metrics of this processor, shows the description of "
	       "its files.",
	.what = "What to explain:",
	.examples = "  tdstat explain tma_l3_bound\n"
		    "  tdstat explain frontend_bound",
	.status = "Exit status: 0; 1 if there is no such node; 64 for a wrong "
		  "option.",
	.groups = groups,
	.word = td_value_pattern,
	.run = explain,
};
