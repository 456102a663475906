// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/formula/literals.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <strings.h>

#include "lib/base/util.h"

static bool same_core(const struct td_place *a, const struct td_place *b)
{
	return a->socket == b->socket && a->die == b->die && a->core == b->core;
}

static bool same_die(const struct td_place *a, const struct td_place *b)
{
	return a->socket == b->socket && a->die == b->die;
}

static bool same_socket(const struct td_place *a, const struct td_place *b)
{
	return a->socket == b->socket;
}

/*
 * Counts the places that differ from each other; NaN if the places are not
 * known.
 */
static double count_different(const struct td_place *places, size_t nr,
			      bool (*same)(const struct td_place *a,
					   const struct td_place *b))
{
	double different = 0;

	if (!places || !nr)
		return NAN;
	for (size_t i = 0; i < nr; i++) {
		bool seen = false;

		for (size_t j = 0; j < i && !seen; j++)
			seen = same(&places[i], &places[j]);
		different += !seen;
	}
	return different;
}

void td_literals_fill(struct td_literals *out, const struct td_machine *machine,
		      const struct td_place *places, uint64_t tsc_hz,
		      bool core_wide)
{
	size_t nr = machine->online.nr;

	*out = (struct td_literals){
		.smt_on = machine->smt,
		.core_wide = core_wide,
		.num_cpus = nr ? (double)machine->online.v[nr - 1] + 1 : NAN,
		.num_cpus_online = nr ? (double)nr : NAN,
		.num_cores = count_different(places, nr, same_core),
		.num_dies = count_different(places, nr, same_die),
		.num_packages = count_different(places, nr, same_socket),
		.system_tsc_freq = tsc_hz ? (double)tsc_hz : NAN,
		.has_pmem = machine->has_pmem,
	};
}

int td_literals_find(const struct td_literals *literals, const char *name,
		     double *out)
{
	/* the names of expr__get_literal() in tools/perf/util/expr.c */
	const struct {
		const char *name;
		double value;
	} known[] = {
		{ "#smt_on", literals->smt_on },
		{ "#core_wide", literals->core_wide },
		/* is it CPUs, not tasks, that are counted?  Then all threads are */
		{ "#target_cpu", literals->core_wide },
		{ "#num_cpus", literals->num_cpus },
		{ "#num_cpus_online", literals->num_cpus_online },
		{ "#num_cores", literals->num_cores },
		{ "#num_dies", literals->num_dies },
		{ "#num_packages", literals->num_packages },
		{ "#system_tsc_freq", literals->system_tsc_freq },
		{ "#has_pmem", literals->has_pmem },
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(known); i++) {
		if (strcasecmp(known[i].name, name) != 0)
			continue;
		*out = known[i].value;
		return 0;
	}
	return -ENOENT;
}
