// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists the events that the kernel names, and those that tdstat measures
 * itself.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/list/parts.h"
#include "lib/base/util.h"
#include "lib/event/symbols.h"

/* --- hardware, caches ----------------------------------------------------- */

static struct td_event kernel_event(const struct td_pmu *pmu, uint32_t type,
				    uint64_t config)
{
	return (struct td_event){
		.type = type,
		.config = { td_pmu_config(pmu, config) },
	};
}

/*
 * Does the PMU have this event?  The kernel lists hardware events in the PMU's
 * folder (filter_events() in arch/x86/events/core.c), but no cache events.
 */
static bool has_symbol(const struct td_pmu *pmu, const struct td_symbol *symbol)
{
	if (!td_pmu_alias(pmu, "cpu-cycles"))
		return true;
	return td_pmu_alias(pmu, symbol->name) ||
	       (symbol->alias && td_pmu_alias(pmu, symbol->alias));
}

static int add_hardware(struct td_list *list, const struct td_symbol *symbol,
			const struct td_pmu *pmu, struct td_err *err)
{
	struct td_event event = kernel_event(pmu, symbol->type, symbol->config);
	struct td_list_item item = {
		.kind = TD_LIST_HARDWARE,
		.name = symbol->name,
		.alias = symbol->alias,
		.pmu = pmu->name,
		.desc = symbol->desc,
		.encoding = td_list_encode(list, &event, pmu, pmu->name, NULL),
	};

	return td_list_add(list, &item, err);
}

static int collect_hardware(struct td_list *list, struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < td_nr_symbols; i++) {
		const struct td_symbol *symbol = &td_symbols[i];

		if (symbol->tool || symbol->type != PERF_TYPE_HARDWARE)
			continue;
		for (size_t j = 0; !rc && j < list->machine.nr_core; j++) {
			const struct td_pmu *pmu = &list->machine.pmus[j];

			if (!pmu->skip && has_symbol(pmu, symbol))
				rc = add_hardware(list, symbol, pmu, err);
		}
	}
	return rc;
}

static int add_cache(struct td_list *list, const char *name, uint64_t config,
		     struct td_err *err)
{
	const char *kept = td_list_keep(list, "%s", name);
	int rc = 0;

	for (size_t i = 0; !rc && i < list->machine.nr_core; i++) {
		const struct td_pmu *pmu = &list->machine.pmus[i];
		struct td_event event =
			kernel_event(pmu, PERF_TYPE_HW_CACHE, config);
		struct td_list_item item = {
			.kind = TD_LIST_CACHE,
			.name = kept,
			.pmu = pmu->name,
			.encoding = td_list_encode(list, &event, pmu, pmu->name,
						   NULL),
		};

		if (!pmu->skip)
			rc = td_list_add(list, &item, err);
	}
	return rc;
}

static int collect_caches(struct td_list *list, struct td_err *err)
{
	unsigned int at = 0;
	uint64_t config;
	char name[64];
	int rc = 0;

	while (!rc && td_cache_next(&at, &config, name))
		rc = add_cache(list, name, config, err);
	return rc;
}

/* --- sysfs ---------------------------------------------------------------- */

/*
 * The length of the name that all units share: that of "uncore_imc" for
 * uncore_imc_0.
 */
static size_t family_length(const struct td_pmu *pmu)
{
	return pmu->kind == TD_PMU_OTHER ? td_pmu_stem_length(pmu->name)
					 : strlen(pmu->name);
}

static bool is_of_family(const struct td_pmu *a, const struct td_pmu *b)
{
	size_t len = family_length(a);

	return family_length(b) == len && strncmp(a->name, b->name, len) == 0;
}

/*
 * Does a PMU of the same family, before the one at index, have the alias, too?
 */
static bool is_listed(const struct td_machine *machine, size_t index,
		      const char *alias)
{
	for (size_t i = 0; i < index; i++) {
		if (is_of_family(&machine->pmus[i], &machine->pmus[index]) &&
		    td_pmu_alias(&machine->pmus[i], alias))
			return true;
	}
	return false;
}

/* The name for -e: for one of several units, the name that they share. */
static const char *family_name(struct td_list *list, const struct td_pmu *pmu)
{
	for (size_t i = 0; i < list->machine.nr_pmus; i++) {
		const struct td_pmu *other = &list->machine.pmus[i];

		if (other != pmu && is_of_family(other, pmu))
			return td_list_keep(list, "%.*s",
					    (int)family_length(pmu), pmu->name);
	}
	return pmu->name;
}

static int add_alias(struct td_list *list, const struct td_pmu *pmu,
		     const char *pmu_name, const struct td_alias *alias,
		     struct td_err *err)
{
	struct td_err why = { 0 };
	struct td_event event;
	struct td_list_item item = {
		.kind = TD_LIST_SYSFS,
		.name = td_list_keep(list, "%s/%s/", pmu_name, alias->name),
		.bare = alias->name,
		.pmu = pmu_name,
		.unit = alias->unit,
	};

	if (td_event_init(&event, pmu, 0, alias->name, NULL, &why) == 0)
		item.encoding = td_list_encode(list, &event, pmu, pmu_name,
					       alias->terms);
	td_event_free(&event);
	if (why.code == -ENOMEM)
		return td_err_nomem(err);
	return td_list_add(list, &item, err);
}

static int collect_sysfs(struct td_list *list, struct td_err *err)
{
	int rc = 0;

	if (list->opts->request.model)
		td_list_miss(list, TD_LIST_BIT(TD_LIST_SYSFS),
			     "not all events of sysfs are known",
			     "--model has no sysfs");
	for (size_t i = 0; !rc && i < list->machine.nr_pmus; i++) {
		const struct td_pmu *pmu = &list->machine.pmus[i];
		const char *name = family_name(list, pmu);

		for (size_t j = 0; !rc && !pmu->skip && j < pmu->nr_aliases;
		     j++) {
			const struct td_alias *alias = &pmu->aliases[j];

			if (!is_listed(&list->machine, i, alias->name))
				rc = add_alias(list, pmu, name, alias, err);
		}
	}
	return rc;
}

/* --- what needs no PMU ---------------------------------------------------- */

static int collect_symbols(struct td_list *list, enum td_list_kind kind,
			   struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < td_nr_symbols; i++) {
		const struct td_symbol *symbol = &td_symbols[i];
		struct td_event event = { .type = symbol->type,
					  .config = { symbol->config } };
		struct td_list_item item = {
			.kind = symbol->tool ? TD_LIST_TOOL : TD_LIST_SOFTWARE,
			.name = symbol->name,
			.alias = symbol->alias,
			.desc = symbol->desc,
			.unit = symbol->unit,
		};

		if (item.kind != kind ||
		    (!symbol->tool && symbol->type != PERF_TYPE_SOFTWARE))
			continue;
		if (!symbol->tool)
			item.encoding =
				td_list_encode(list, &event, NULL, NULL, NULL);
		rc = td_list_add(list, &item, err);
	}
	return rc;
}

static int collect_software(struct td_list *list, struct td_err *err)
{
	return collect_symbols(list, TD_LIST_SOFTWARE, err);
}

static int collect_tools(struct td_list *list, struct td_err *err)
{
	return collect_symbols(list, TD_LIST_TOOL, err);
}

static int add_tracepoint(struct td_list *list,
			  const struct td_tracepoint *tracepoint,
			  struct td_err *err)
{
	struct td_event event = { .type = PERF_TYPE_TRACEPOINT,
				  .config = { tracepoint->id } };
	struct td_list_item item = {
		.kind = TD_LIST_TRACEPOINT,
		.name = td_list_keep(list, "%s:%s", tracepoint->system,
				     tracepoint->name),
		.topic = tracepoint->system,
		.encoding = td_list_encode(list, &event, NULL, NULL, NULL),
	};

	return td_list_add(list, &item, err);
}

/*
 * Handles unreadable tracepoints: most users may not read them, so the rest is
 * listed.
 */
static int no_tracepoints(struct td_list *list, struct td_err *err)
{
	const unsigned int kinds = TD_LIST_BIT(TD_LIST_TRACEPOINT);

	if (err->code != -ENOENT && err->code != -EACCES &&
	    err->code != -ENODEV)
		return err->code;
	if (err->code != -ENOENT && list->kinds == kinds)
		return err->code;
	if (err->code != -ENOENT)
		td_list_miss(list, kinds, "no tracepoints", err->msg);
	*err = (struct td_err){ 0 };
	return 0;
}

static int collect_tracepoints(struct td_list *list, struct td_err *err)
{
	int rc;

	if (list->opts->request.model) {
		td_list_miss(list, TD_LIST_BIT(TD_LIST_TRACEPOINT),
			     "no tracepoints",
			     "they are a kernel's, and --model has none");
		return 0;
	}
	rc = td_tracepoints_find_all(&list->tracepoints, err);
	if (rc)
		return no_tracepoints(list, err);
	for (size_t i = 0; !rc && i < list->tracepoints.nr; i++)
		rc = add_tracepoint(list, &list->tracepoints.v[i], err);
	return rc;
}

/* --- all ------------------------------------------------------------------ */

/* The source of each section, in the order of the sections. */
static const struct {
	enum td_list_kind kind;
	int (*collect)(struct td_list *list, struct td_err *err);
} sources[] = {
	{ TD_LIST_HARDWARE, collect_hardware },
	{ TD_LIST_CACHE, collect_caches },
	{ TD_LIST_SYSFS, collect_sysfs },
	{ TD_LIST_MODEL, td_list_collect_model },
	{ TD_LIST_SOFTWARE, collect_software },
	{ TD_LIST_TOOL, collect_tools },
	{ TD_LIST_TRACEPOINT, collect_tracepoints },
	{ TD_LIST_METRIC, td_list_collect_metrics },
	{ TD_LIST_METRICGROUP, td_list_collect_groups },
};

int td_list_collect(struct td_list *list, struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < TD_ARRAY_SIZE(sources); i++) {
		if (list->kinds & TD_LIST_BIT(sources[i].kind))
			rc = sources[i].collect(list, err);
	}
	return rc;
}
