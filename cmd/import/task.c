// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts of a command on a hybrid processor.  Its events are enabled all the time but run only on
 * their own core type, and perf scales each count up to the whole time as if the events had been
 * multiplexed.  The actual count of a core type only covers the time that the command spent there.
 */
#include <math.h>

#include "cmd/import/parts.h"
#include "cmd/import/perf.h"

#define PERCENT 100.0

/* The rounding error of a percentage with two decimals. */
#define ROUNDING 0.0051

#define EPSILON 1e-9 /* relative rounding error of doubles */

#define ALL 0.99 /* shares of the time above this one count as 1 */

static int pmu_of(const struct td_recording *rec, size_t reading)
{
	return rec->plan.events.v[rec->perf->readings[reading].event].pmu;
}

static int by_time(const void *a, const void *b, void *context)
{
	const struct td_recording *rec = context;
	const size_t *x = a, *y = b;
	const struct td_perf_reading *r = &rec->perf->readings[*x],
				     *other = &rec->perf->readings[*y];
	int pmu = pmu_of(rec, *x), other_pmu = pmu_of(rec, *y);

	if (r->place != other->place)
		return r->place < other->place ? -1 : 1;
	if (pmu != other_pmu)
		return pmu < other_pmu ? -1 : 1;
	return (r->running_ns > other->running_ns) - (r->running_ns < other->running_ns);
}

/*
 * Fill v with the indices of the interval's readings of core PMUs that ran, sorted by
 * place, PMU and run time.  Returns their number.
 */
static size_t fill(struct td_recording *rec, size_t interval, size_t *v)
{
	const struct td_perf_file *file = rec->perf;
	size_t nr = 0, end = interval + 1 < file->nr_intervals ? file->intervals[interval + 1].first
							       : file->nr_readings;

	for (size_t i = file->intervals[interval].first; i < end; i++) {
		if (file->readings[i].running_ns && pmu_of(rec, i) < (int)rec->machine.nr_core)
			v[nr++] = i;
	}
	qsort_r(v, nr, sizeof(*v), by_time, rec);
	return nr;
}

/*
 * Narrow the bounds of the time enabled with one percentage.  Some versions of perf round it down
 * to an integer.
 */
static void narrow(double *least_ns, double *most_ns, const struct td_perf_file *file,
		   const struct td_perf_reading *r)
{
	double ns = PERCENT * (double)r->running_ns;
	double above = file->has_fractions ? ROUNDING : 1;
	double below = file->has_fractions ? ROUNDING : 0;

	if (r->pct >= PERCENT)
		above = below = 0;
	*least_ns = fmax(*least_ns, ns / (r->pct + above));
	if (r->pct > below)
		*most_ns = fmin(*most_ns, ns / (r->pct - below));
}

/*
 * Add to own_ns of each PMU how long its groups ran in one place.  Events of a group run for
 * exactly the same time, those of other groups hardly ever.  Returns the time enabled, which is the
 * sum of all core types if each was counted; NaN if it differs between core types.
 */
static double add_place(const struct td_recording *rec, const size_t *v, size_t nr, double *own_ns)
{
	const struct td_perf_reading *all = rec->perf->readings;
	double least_ns = 0, most_ns = INFINITY, ran_ns = 0;

	for (size_t i = 0; i < nr; i++) {
		double ns = (double)all[v[i]].running_ns;

		narrow(&least_ns, &most_ns, rec->perf, &all[v[i]]);
		if (i && pmu_of(rec, v[i]) == pmu_of(rec, v[i - 1]) &&
		    all[v[i]].running_ns == all[v[i - 1]].running_ns)
			continue;
		ran_ns += ns;
		own_ns[pmu_of(rec, v[i])] += ns;
	}
	return least_ns > most_ns * (1 + EPSILON) ? NAN : fmax(least_ns, fmin(most_ns, ran_ns));
}

/*
 * Add the times of all places, like add_place().  If set is true, store the time enabled in the
 * readings.  Returns the sum of the times enabled, or NaN.
 */
static double add_places(struct td_recording *rec, const size_t *v, size_t nr, bool set,
			 double *own_ns)
{
	struct td_perf_reading *all = rec->perf->readings;
	double sum_ns = 0;

	for (size_t from = 0, end; from < nr; from = end) {
		double ns;

		for (end = from; end < nr; end++) {
			if (all[v[end]].place != all[v[from]].place)
				break;
		}
		ns = add_place(rec, v + from, end - from, own_ns);
		sum_ns += ns;
		for (size_t i = from; set && i < end; i++)
			all[v[i]].enabled_ns = (uint64_t)ns;
	}
	return sum_ns;
}

/* Set how many groups of each PMU ran simultaneously on average. */
static void set_at_once(struct td_recording *rec, const double *own_ns)
{
	const struct td_perf_file *file = rec->perf;
	struct td_plan *plan = &rec->plan;
	td_autofree int *groups = td_calloc(plan->events.nr + 1, sizeof(*groups));
	td_autofree double *sum_ns = td_calloc(rec->machine.nr_pmus + 1, sizeof(*sum_ns));

	td_plan_fill_groups(plan, groups);
	td_for_each(const struct td_perf_reading, r, file->readings, file->nr_readings) {
		int group = groups[r->event];

		if (group >= 0 && plan->groups[group].members[0] == (int)r->event)
			sum_ns[plan->groups[group].pmu] += (double)r->running_ns;
	}
	for (size_t g = 0; g < plan->nr_groups; g++) {
		int pmu = plan->groups[g].pmu;

		if (pmu < (int)rec->machine.nr_core && own_ns[pmu] > 0)
			plan->groups[g].at_once = sum_ns[pmu] / own_ns[pmu];
	}
}

/*
 * Were several core types enabled for the same time, and did one run for a part of it?  If whole
 * CPUs were counted, the groups of a core type together ran for the whole time of its CPUs.
 */
static bool is_of_command(struct td_recording *rec, size_t *v, double *own_ns)
{
	const struct td_perf_file *file = rec->perf;
	const struct td_perf_place *place = &file->places[0];
	double all_ns = 0;
	size_t nr_ran = 0;
	bool part = false;

	if ((place->id && place->unit.tid < 0) || file->nr_cgroups)
		return false;
	for (size_t i = 0; i < file->nr_intervals; i++)
		all_ns += add_places(rec, v, fill(rec, i, v), false, own_ns);
	for (size_t i = 0; i < rec->machine.nr_core; i++) {
		nr_ran += own_ns[i] > 0;
		part |= own_ns[i] > 0 && own_ns[i] < ALL * all_ns;
	}
	return nr_ran > 1 && part;
}

void td_perf_find_command(struct td_recording *rec)
{
	struct td_perf_file *file = rec->perf;
	td_autofree size_t *v = td_calloc(file->nr_readings + 1, sizeof(*v));
	td_autofree double *own_ns = td_calloc(rec->machine.nr_pmus + 1, sizeof(*own_ns));

	file->of_command = is_of_command(rec, v, own_ns);
	if (!file->of_command)
		return;
	set_at_once(rec, own_ns);
	for (size_t i = 0; i < file->nr_intervals; i++)
		add_places(rec, v, fill(rec, i, v), true, own_ns);
	rec->info.tasks = true;
}
