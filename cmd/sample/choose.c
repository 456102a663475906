// SPDX-License-Identifier: GPL-2.0-only
/* Chooses the events whose samples show where a node loses slots. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/plan/catalog.h"
#include "cmd/plan/select.h"
#include "cmd/sample/parts.h"
#include "lib/base/suggest.h"
#include "lib/base/util.h"
#include "lib/count/report.h"
#include "metrics/explain/explain.h"
#include "metrics/sets/sets.h"
#include "metrics/verdict/node_events.h"

/* Two lists with commas: the events of kinds of core, and those without. */
struct lists {
	FILE *events, *without;
};

static void put_item(FILE *fp, const char *pmu, const char *event)
{
	fputs(ftell(fp) > 0 ? "," : "", fp);
	if (event && strchr(event, '/'))
		fputs(event, fp);
	else if (event)
		fprintf(fp, "%s/%s/P", pmu, event);
	else
		fputs(pmu, fp);
}

static bool has_node(const struct td_pmu_events *files, const char *pmu,
		     const char *node)
{
	for (size_t i = 0; i < files->nr_metrics; i++) {
		const struct td_model_metric *metric = &files->metrics[i];

		if (strcmp(metric->pmu, pmu) == 0 &&
		    strcasecmp(metric->name, node) == 0)
			return true;
	}
	return false;
}

/* *lacks: a kind of core has the node, but no event for it. */
static int fill_lists(const struct lists *lists,
		      const struct td_machine *machine,
		      struct td_catalog *catalog, const char *node, bool *lacks)
{
	*lacks = false;
	for (size_t i = 0; i < machine->nr_core; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];
		struct td_metric_facts facts;

		if (pmu->skip)
			continue;
		if (td_facts_find(catalog, pmu->name, node, &facts))
			return -ENOMEM;
		for (size_t j = 0; j < facts.nr_events; j++)
			put_item(lists->events, pmu->name, facts.events[j]);
		if (!facts.nr_events)
			put_item(lists->without, pmu->name, NULL);
		*lacks |= !facts.nr_events &&
			  has_node(&catalog->events, pmu->name, node);
	}
	return 0;
}

static int list_events(struct td_choice *choice,
		       const struct td_machine *machine,
		       struct td_catalog *catalog, const char *node,
		       bool *lacks)
{
	size_t size;
	struct lists lists = {
		.events = open_memstream(&choice->events, &size),
		.without = open_memstream(&choice->without, &size),
	};
	int rc = lists.events && lists.without ? 0 : -ENOMEM;

	snprintf(choice->node, sizeof(choice->node), "%s", node);
	if (!rc)
		rc = fill_lists(&lists, machine, catalog, node, lacks);
	if (lists.events && td_text_close(lists.events, &choice->events))
		rc = -ENOMEM;
	if (lists.without && td_text_close(lists.without, &choice->without))
		rc = -ENOMEM;
	return rc;
}

/* --- nodes ------------------------------------------------------------------ */

/* The node that the name is short for; NULL if it is so for several, or none. */
static const struct td_model_metric *
find_short(const struct td_pmu_events *files, const char *name)
{
	const struct td_model_metric *found = NULL;

	for (size_t i = 0; i < files->nr_metrics; i++) {
		const struct td_model_metric *metric = &files->metrics[i];

		if (!td_node_is_short_for(name, strlen(name), metric->name))
			continue;
		if (found && strcmp(found->name, metric->name) != 0)
			return NULL;
		found = metric;
	}
	return found;
}

/* With or without "tma_", or short; NULL: there is none. */
static const struct td_model_metric *
find_node(const struct td_pmu_events *files, const char *name)
{
	for (size_t i = 0; i < files->nr_metrics; i++) {
		const char *of = files->metrics[i].name;

		if (strcasecmp(of, name) == 0 ||
		    (strncasecmp(of, "tma_", 4) == 0 &&
		     strcasecmp(of + 4, name) == 0))
			return &files->metrics[i];
	}
	return find_short(files, name);
}

/* With or without "tma_": do other processors have it? */
static bool is_explained(const char *node)
{
	char name[64];

	snprintf(name, sizeof(name), "tma_%s", node);
	return td_explanation_exists(node) || td_explanation_exists(name);
}

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

/* Does the shell find a command of that name? */
static bool is_found(const char *name)
{
	const char *path = getenv("PATH");
	bool found = strchr(name, '/');

	while (!found && path && *path) {
		int length = (int)strcspn(path, ":");
		td_autofree char *file = NULL;

		if (asprintf(&file, "%.*s/%s", length, path, name) < 0)
			return false;
		found = length > 0 && is_program(file);
		path += length + (path[length] == ':');
	}
	return found;
}

bool td_choose_is_command(const char *word)
{
	return strcmp(word, "auto") != 0 && !is_explained(word) &&
	       is_found(word);
}

static int no_node(const struct td_pmu_events *files, const char *node,
		   struct td_err *err)
{
	struct td_closest closest = { .wanted = node };

	td_err_usage(err, "%s: this processor has no such node", node);
	err->elsewhere = is_explained(node);
	for (size_t i = 0; i < files->nr_metrics; i++)
		td_closest_offer(&closest, files->metrics[i].name);
	return closest.best[0]
		       ? td_err_hint(err, "did you mean %s?", closest.best)
		       : td_err_hint(err, "tdstat list metrics has them all, "
					  "and tdstat explain WORD those about "
					  "a word");
}

/* There is an event, of a PMU that is not here. */
static bool lacks_pmu(const struct td_catalog *catalog, const char *name)
{
	const struct td_model_metric *node = find_node(&catalog->events, name);
	const char *events = node ? td_node_events_find(node->name) : NULL;

	return events && strchr(events, '/');
}

static int no_events(const struct td_catalog *catalog, const char *node,
		     struct td_err *err)
{
	if (catalog->missing.code) {
		*err = catalog->missing;
		return td_err_wrap(err, "the events to sample for %s", node);
	}
	if (!find_node(&catalog->events, node))
		return no_node(&catalog->events, node, err);
	td_err_set(err, -ENOENT,
		   "%s: no event is known to sample for it, nor for what it is "
		   "a part of",
		   node);
	return lacks_pmu(catalog, node)
		       ? td_err_hint(err, "instruction-based sampling (IBS) "
					  "would tell, but this machine has "
					  "none: a host may hide it from "
					  "virtual machines")
		       : td_err_hint(err, "tdstat locate -e cycles shows where "
					  "the time goes, and -e EVENT where "
					  "any event happens");
}

/*
 * Tries nodes until one has events.  Strictly, on each kind of core that has the
 * node: what is above it has them more often.
 */
struct search {
	struct td_choice *choice;
	const struct td_machine *machine;
	struct td_catalog *catalog;
	bool strict, found;
	struct td_err *err;
};

static int try_node(struct search *search, const char *node)
{
	struct td_choice *choice = search->choice;
	bool lacks = false;

	td_choice_free(choice);
	if (list_events(choice, search->machine, search->catalog, node, &lacks))
		return td_err_nomem(search->err);
	search->found = *choice->events && !(search->strict && lacks);
	return 0;
}

/* The files' trees are less deep than this. */
#define MOST_STEPS 10

static int climb(struct search *search, const char *name)
{
	const struct td_pmu_events *files = &search->catalog->events;
	const struct td_model_metric *node = find_node(files, name);
	int rc = 0;

	for (int i = 0; !rc && !search->found && node && i < MOST_STEPS; i++) {
		rc = try_node(search, node->name);
		node = node->parent ? find_node(files, node->parent) : NULL;
	}
	return rc;
}

static int try_all(struct search *search, const char *const *nodes, size_t nr)
{
	int rc = 0;

	for (size_t i = 0; !rc && !search->found && i < nr; i++)
		rc = try_node(search, nodes[i]);
	return rc || search->found ? rc : climb(search, nodes[0]);
}

static int choose(struct search *search, const char *const *nodes, size_t nr)
{
	int rc = td_catalog_read(search->catalog, search->err);

	if (!rc)
		rc = try_all(search, nodes, nr);
	search->strict = false;
	if (!rc && !search->found)
		rc = try_all(search, nodes, nr);
	return rc || search->found
		       ? rc
		       : no_events(search->catalog, nodes[0], search->err);
}

int td_choose_events(struct td_choice *choice, const struct td_request *request,
		     const char *const *nodes, size_t nr, struct td_err *err)
{
	struct td_sysfs fs = { -1, -1 };
	struct td_machine machine = { 0 };
	struct td_catalog catalog;
	struct search search = { choice, &machine, &catalog, true, false, err };
	int rc = td_select_machine(&fs, &machine, request, err);

	*choice = (struct td_choice){ 0 };
	td_catalog_init(&catalog, &fs, &machine, request->metrics_dir);
	if (!rc)
		rc = td_machine_check_known(&machine, err);
	if (!rc && !machine.nr_core)
		rc = td_why_no_tree(&machine, err);
	if (!rc)
		rc = choose(&search, nodes, nr);
	td_catalog_free(&catalog);
	td_machine_free(&machine);
	td_sysfs_close(&fs);
	return rc;
}

void td_choice_free(struct td_choice *choice)
{
	free(choice->events);
	free(choice->without);
	*choice = (struct td_choice){ 0 };
}
