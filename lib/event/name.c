// SPDX-License-Identifier: GPL-2.0-only
/* Names of events in the output. */
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/event/building.h"

const char *td_spec_given_name(const struct td_spec *spec)
{
	for (size_t i = 0; i < spec->nr_terms; i++) {
		if (strcmp(spec->terms[i].name, "name") == 0)
			return spec->terms[i].value;
	}
	return NULL;
}

/*
 * The name of spec; the kernel's name for a number, such as "cycles", or NULL.
 */
static const char *id_of(const struct td_building *b, char buf[64])
{
	uint64_t config = b->config & UINT32_MAX;
	const struct td_symbol *symbol;

	if (b->spec->kind != TD_SPEC_NUMERIC)
		return b->spec->name;
	if (b->type == PERF_TYPE_HW_CACHE && td_cache_name(config, buf))
		return buf;
	if (b->spec->type == PERF_TYPE_RAW) {
		snprintf(buf, 64, "r%" PRIx64, b->config);
		return buf;
	}
	symbol = td_symbol_of(b->type, config);
	return symbol ? symbol->name : NULL;
}

/* Formats "cpu_core/cycles/u" or "cpu_core/inst_retired.any,cmask=1/". */
static int name_with_pmu(const struct td_building *b, const char *pmu,
			 bool of_pmu, char **out)
{
	const char *terms = b->spec->terms_text ? b->spec->terms_text : "";
	const char *id = "";
	char buf[64];

	if (!of_pmu)
		id = id_of(b, buf);
	if (!id) /* config[63:32] says which PMU */
		return asprintf(out, "%u:%#" PRIx64 "%s%s%s%s%s", b->type,
				b->config, *terms ? "/" : "", terms,
				*terms ? "/" : "", *b->spec->suffix ? ":" : "",
				b->spec->suffix);
	return asprintf(out, "%s/%s%s%s/%s", pmu, id,
			!of_pmu && *terms ? "," : "", terms, b->spec->suffix);
}

/* True if the name must say its PMU, because others count it, too. */
static bool says_pmu(const struct td_building *b, const struct td_pmu *pmu)
{
	return !b->exact && pmu->kind == TD_PMU_CORE && b->machine->nr_core > 1;
}

int td_build_name(const struct td_building *b, int index, char **out)
{
	const struct td_pmu *pmu = &b->machine->pmus[index];
	const struct td_spec *spec = b->spec;
	const char *given = td_spec_given_name(spec);
	bool of_pmu = spec->kind == TD_SPEC_NAME && spec->slashes &&
		      td_pmu_matches(pmu->name, spec->name);

	if (given && says_pmu(b, pmu))
		return asprintf(out, "%s/%s/", pmu->name, given);
	if (given)
		return asprintf(out, "%s", given);
	if (b->tracepoint)
		return asprintf(out, "%s:%s%s%s", b->tracepoint->system,
				b->tracepoint->name, *spec->suffix ? ":" : "",
				spec->suffix);
	if (says_pmu(b, pmu) ||
	    (of_pmu && !b->exact && pmu->kind == TD_PMU_CORE))
		return name_with_pmu(b, pmu->name, of_pmu, out);
	return asprintf(out, "%s", spec->text);
}
