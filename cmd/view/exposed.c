// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/view/exposed.h"

#include <stdio.h>

#include "cmd/say.h"
#include "cmd/version.h"
#include "lib/base/util.h"
#include "lib/count/aggregation.h"
#include "lib/machine/uarch.h"

#define MAX_SERIES 2000 /* unless --max-series says */

/* The label that tells rows apart; CPUs have node_exporter's: cpu="5". */
static void name_ids(struct td_counters *counters,
		     const struct td_source *source)
{
	const struct td_aggregation_row *row = td_aggregation_row(source->how);

	if (source->nr_cgroups) {
		counters->label = "cgroup";
	} else if (source->how != TD_AGGREGATE_ALL) {
		counters->label = row->name;
		counters->prefix = row->prefix;
	}
}

void td_exposed_begin(struct td_exposed *exposed,
		      const struct td_request *request,
		      const struct td_source *source)
{
	const struct td_machine *machine = source->machine;

	*exposed = (struct td_exposed){
		.counters.max_series = request->max_series
					       ? (size_t)request->max_series
					       : MAX_SERIES,
		.counters.interval_ns =
			(uint64_t)request->when.interval_ms * TD_NS_A_MS,
		.counters.always_enabled =
			!source->nr_cgroups && td_request_is_wide(request),
		.counters.cgroups = source->live_cgroups,
		.counters.version = TDSTAT_VERSION,
		.counters.files = source->files_version,
		.counters.model = machine->model ? machine->model->name : "",
	};
	name_ids(&exposed->counters, source);
	td_cpuid_format(&machine->cpuid, exposed->cpuid);
	exposed->counters.cpuid = exposed->cpuid;
}

static void say_left_out(struct td_exposed *exposed)
{
	const struct td_counters *counters = &exposed->counters;

	if (!counters->nr_left_out || exposed->said_left_out)
		return;
	exposed->said_left_out = true;
	td_say("tdstat: %zu series are left out: there may be %zu\n",
	       counters->nr_left_out, counters->max_series);
	td_say("tdstat: --max-series N allows more; fewer CPUs, cgroups or "
	       "metrics make fewer\n");
}

int td_exposed_add(struct td_exposed *exposed, const struct td_report *report,
		   struct td_err *err)
{
	int rc;

	exposed->counters.read_s = (double)td_wall_ns() / TD_NS_A_SECOND;
	rc = td_counters_add(&exposed->counters, report, err);
	say_left_out(exposed);
	return rc;
}

char *td_exposed_text(const struct td_exposed *exposed, enum td_exposition how,
		      size_t *size)
{
	char *text = NULL;
	FILE *fp = open_memstream(&text, size);

	if (!fp)
		return NULL;
	td_out_openmetrics(fp, how, &exposed->counters);
	td_text_close(fp, &text);
	return text;
}

void td_exposed_free(struct td_exposed *exposed)
{
	td_counters_free(&exposed->counters);
}
