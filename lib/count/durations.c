// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/durations.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/* --- steps ------------------------------------------------------------------ */

/* 16 steps of an octave, 8 before the first one: td_region_step() */
static double start_of(size_t step)
{
	int octave;

	if (step < TD_REGION_BUCKET_STEPS)
		return TD_REGION_BUCKET_NS / 8. * (double)step;
	octave = (int)(step - 8) / 16;
	return ldexp(TD_REGION_BUCKET_NS / 16. * (double)(16 + (step - 8) % 16),
		     octave);
}

void td_durations_add(struct td_durations *durations, uint64_t ns)
{
	durations->counts[td_region_step(ns)]++;
	durations->nr++;
	if (ns > durations->max_ns)
		durations->max_ns = ns;
}

/* The calls of a step are taken as evenly spread over it. */
static double within(const struct td_durations *durations, size_t step,
		     double rank)
{
	double start = start_of(step), end = start_of(step + 1);
	double share = rank / (double)durations->counts[step];

	return fmin(start + share * (end - start), (double)durations->max_ns);
}

double td_durations_quantile(const struct td_durations *durations, double share)
{
	double rank = share * (double)durations->nr;

	/* shares such as 0.999 are not exact in binary */
	if ((double)durations->nr - rank < 1 - 1e-6)
		return NAN;
	for (size_t i = 0; i < TD_REGION_STEPS; i++) {
		double count = (double)durations->counts[i];

		if (count > 0 && rank <= count)
			return within(durations, i, rank);
		rank -= count;
	}
	return (double)durations->max_ns;
}

/* --- names ------------------------------------------------------------------ */

static const struct unit {
	double ns;
	const char *name;
} units[] = { { 1, "ns" }, { 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" } };

static const struct unit *unit_of(double ns)
{
	size_t i = TD_ARRAY_SIZE(units) - 1;

	/* 999.6 us would be written as 1e+03 */
	while (i && ns < 0.9995 * units[i].ns)
		i--;
	return &units[i];
}

static void put_number(char text[TD_DURATION_NAME], double value)
{
	if (value < 999.5)
		snprintf(text, TD_DURATION_NAME / 3, "%.3g", value);
	else
		snprintf(text, TD_DURATION_NAME / 3, "%.0f", value);
}

void td_duration_text(char text[TD_DURATION_NAME], double ns)
{
	const struct unit *unit = unit_of(ns);
	char number[TD_DURATION_NAME];

	if (isnan(ns)) {
		snprintf(text, TD_DURATION_NAME, "-");
		return;
	}
	put_number(number, ns / unit->ns);
	snprintf(text, TD_DURATION_NAME, "%.16s %s", number, unit->name);
}

#define MOST_NS 3600e9

/* Whole numbers of ns are exact in a double up to far longer times. */
int td_duration_parse(const char *text, uint64_t *ns)
{
	const char *name = text + strspn(text, "0123456789.");
	char *end;
	double number = strtod(text, &end);

	if (end == text || end != name)
		return -EINVAL;
	for (size_t i = 0; i < TD_ARRAY_SIZE(units); i++) {
		double value = number * units[i].ns;

		if (strcmp(units[i].name, name) != 0)
			continue;
		if (!(value <= MOST_NS))
			return -EINVAL;
		*ns = (uint64_t)llround(value);
		return 0;
	}
	return -EINVAL;
}

void td_duration_bucket_name(char name[TD_DURATION_NAME], unsigned int bucket)
{
	double from_ns = (double)td_region_bucket_ns(bucket);
	double to_ns = (double)td_region_bucket_ns(bucket + 1);
	const struct unit *unit = unit_of(from_ns);
	char from[TD_DURATION_NAME], to[TD_DURATION_NAME];

	td_duration_text(from, from_ns);
	td_duration_text(to, to_ns);
	if (!bucket) {
		snprintf(name, TD_DURATION_NAME, "under %.20s", to);
		return;
	}
	if (bucket >= TD_REGION_BUCKETS - 1) {
		snprintf(name, TD_DURATION_NAME, "%.20s and more", from);
		return;
	}
	/* the unit stands once, where it is the same */
	if (unit == unit_of(to_ns))
		put_number(from, from_ns / unit->ns);
	snprintf(name, TD_DURATION_NAME, "%.20s - %.20s", from, to);
}
