// SPDX-License-Identifier: GPL-2.0-only
/* Chooses the events whose samples show where a node loses slots. */
#include "cmd/sample/choose.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cmd/plan/catalog.h"
#include "cmd/plan/facts.h"
#include "cmd/plan/select.h"
#include "lib/base/closest.h"

/* Two lists with commas: the events of kinds of core, and those without. */
struct lists {
	FILE *events, *without;
};

static void put_item(FILE *fp, const char *pmu, const char *event)
{
	fputs(ftell(fp) > 0 ? "," : "", fp);
	if (event)
		fprintf(fp, "%s/%s/P", pmu, event);
	else
		fputs(pmu, fp);
}

static void fill_lists(const struct lists *lists,
		       const struct td_machine *machine,
		       struct td_catalog *catalog, const char *node)
{
	for (size_t i = 0; i < machine->nr_core; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];
		struct td_metric_facts facts;

		if (pmu->skip)
			continue;
		td_facts_find(catalog, pmu->name, node, &facts);
		for (size_t j = 0; j < facts.nr_events; j++)
			put_item(lists->events, pmu->name, facts.events[j]);
		if (!facts.nr_events)
			put_item(lists->without, pmu->name, NULL);
	}
}

static int list_events(struct td_choice *choice,
		       const struct td_machine *machine,
		       struct td_catalog *catalog, const char *node)
{
	size_t size;
	struct lists lists = {
		.events = open_memstream(&choice->events, &size),
		.without = open_memstream(&choice->without, &size),
	};
	int rc = lists.events && lists.without ? 0 : -ENOMEM;

	snprintf(choice->node, sizeof(choice->node), "%s", node);
	if (!rc)
		fill_lists(&lists, machine, catalog, node);
	if (lists.events && fclose(lists.events))
		rc = -ENOMEM;
	if (lists.without && fclose(lists.without))
		rc = -ENOMEM;
	return rc;
}

/* --- nodes ------------------------------------------------------------------ */

/* With or without "tma_"; NULL: there is none. */
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
	return NULL;
}

static int no_node(const struct td_pmu_events *files, const char *node,
		   struct td_err *err)
{
	struct td_closest closest = { .wanted = node };

	td_err_usage(err, "%s: this processor has no such node", node);
	if (strchr(node, '/') || access(node, X_OK) == 0)
		return td_err_hint(err,
				   "a command stands behind --: tdstat "
				   "locate -- %s",
				   node);
	for (size_t i = 0; i < files->nr_metrics; i++)
		td_closest_offer(&closest, files->metrics[i].name);
	return closest.best[0]
		       ? td_err_hint(err, "did you mean %s?", closest.best)
		       : td_err_hint(err, "tdstat list tma has them all");
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
	return td_err_hint(err, "tdstat locate -e EVENT samples any event");
}

/* Sets *found if the node has events. */
static int try_node(struct td_choice *choice, const struct td_machine *machine,
		    struct td_catalog *catalog, const char *node, bool *found,
		    struct td_err *err)
{
	td_choice_free(choice);
	if (list_events(choice, machine, catalog, node))
		return td_err_nomem(err);
	*found = *choice->events;
	return 0;
}

/* The files' trees are less deep than this. */
#define MOST_STEPS 10

static int climb(struct td_choice *choice, const struct td_machine *machine,
		 struct td_catalog *catalog, const char *name, bool *found,
		 struct td_err *err)
{
	const struct td_model_metric *node = find_node(&catalog->events, name);
	int rc = 0;

	for (int i = 0; !rc && !*found && node && i < MOST_STEPS; i++) {
		rc = try_node(choice, machine, catalog, node->name, found, err);
		node = node->parent ? find_node(&catalog->events, node->parent)
				    : NULL;
	}
	return rc;
}

static int choose(struct td_choice *choice, const struct td_machine *machine,
		  struct td_catalog *catalog, const char *const *nodes,
		  size_t nr, struct td_err *err)
{
	bool found = false;
	int rc = td_catalog_read(catalog, err);

	for (size_t i = 0; !rc && !found && i < nr; i++)
		rc = try_node(choice, machine, catalog, nodes[i], &found, err);
	if (!rc && !found)
		rc = climb(choice, machine, catalog, nodes[0], &found, err);
	return rc || found ? rc : no_events(catalog, nodes[0], err);
}

int td_choose_events(struct td_choice *choice, const struct td_opts *opts,
		     const char *const *nodes, size_t nr, struct td_err *err)
{
	struct td_sysfs fs = { -1, -1 };
	struct td_machine machine = { 0 };
	struct td_catalog catalog;
	int rc = td_select_machine(&fs, &machine, opts, err);

	*choice = (struct td_choice){ 0 };
	td_catalog_init(&catalog, &fs, &machine, opts->metrics_dir);
	if (!rc)
		rc = td_machine_check_known(&machine, err);
	if (!rc)
		rc = choose(choice, &machine, &catalog, nodes, nr, err);
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
