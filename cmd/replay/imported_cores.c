// SPDX-License-Identifier: GPL-2.0-only
/* Which core a PMU of a file of perf stat is, and what it lacks. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "cmd/replay/parts.h"
#include "lib/base/util.h"
#include "lib/recording/fill.h"

static const char *const fields[] = {
	"slots",
	"topdown-retiring",
	"topdown-bad-spec",
	"topdown-fe-bound",
	"topdown-be-bound",
	"topdown-heavy-ops",
	"topdown-mem-bound",
	"topdown-fetch-lat",
	"topdown-br-mispredict",
};

#define NR_LEVEL_1 5

/* What the fields of PERF_METRICS are corrected by, on the cores that need it. */
static const char dropped[] = "INT_MISC.UOP_DROPPING",
		  clears[] = "INT_MISC.CLEARS_COUNT";

bool td_imported_is_topdown(const char *id)
{
	return strcmp(id, "slots") == 0 || strncasecmp(id, "topdown", 7) == 0;
}

static bool has(const struct td_pmu *pmu, const char *event)
{
	return td_pmu_has_event(pmu, event);
}

/* What the core needs for its correction, and perf did not count; or NULL. */
const char *td_imported_lacks(const struct td_pmu *pmu, enum td_uarch uarch)
{
	if (!td_pmu_has_slots(pmu))
		return NULL;
	if (td_uarch_has(uarch, TD_CORE_DROPS) && !has(pmu, dropped))
		return dropped;
	if (td_uarch_has(uarch, TD_CORE_CLEARS) && !has(pmu, clears))
		return clears;
	return NULL;
}

/* Without a model: whose formulas use these events. */
static enum td_uarch guess(const struct td_pmu *pmu)
{
	if (!td_pmu_has_slots(pmu) || !has(pmu, dropped))
		return TD_UARCH_UNKNOWN;
	return has(pmu, clears) ? TD_SUNNY_COVE : TD_GOLDEN_COVE;
}

/* The core exports its other fields as well, which says what its formulas are. */
static int note_fields(struct td_pmu *pmu)
{
	size_t nr = td_uarch_has(pmu->uarch, TD_CORE_FIELDS_4)
			    ? NR_LEVEL_1
			    : TD_ARRAY_SIZE(fields);

	if (pmu->uarch == TD_UARCH_UNKNOWN || !td_pmu_has_slots(pmu))
		return 0;
	for (size_t i = 0; i < nr; i++) {
		if (td_recording_note_event(pmu, fields[i]))
			return -ENOMEM;
	}
	return 0;
}

int td_imported_find_core(const struct td_machine *machine, struct td_pmu *pmu)
{
	if (!machine->model)
		pmu->uarch = guess(pmu);
	if (td_imported_lacks(pmu, pmu->uarch))
		pmu->uarch = TD_UARCH_UNKNOWN;
	return note_fields(pmu);
}

/* The first event of level 1 that a PMU with SLOTS or one of them lacks. */
const char *td_imported_missing(const struct td_pmu *pmu)
{
	const char *first = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < NR_LEVEL_1; i++) {
		bool counted = has(pmu, fields[i]);

		nr += counted;
		if (!counted && !first)
			first = fields[i];
	}
	return nr ? first : NULL;
}
