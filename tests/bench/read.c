// SPDX-License-Identifier: GPL-2.0-only
/* read ROOT CPUID: the time to read a model's files, in ms; best of 15. */
#include <stdio.h>
#include <time.h>

#include "metrics/files/pmu_events.h"

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int read_ms(const char *root, const struct td_cpuid *cpuid, double *ms)
{
	struct td_pmu_events events;
	struct td_err err = { 0 };
	double start = now_ms(), took;
	int rc = td_pmu_events_read(&events, root, cpuid, &err);

	if (!rc)
		rc = td_pmu_events_parse_all(&events, &err);
	took = now_ms() - start;
	*ms = took < *ms ? took : *ms;
	td_pmu_events_free(&events);
	if (rc)
		fprintf(stderr, "%s\n", err.msg);
	return rc;
}

int main(int argc, char **argv)
{
	struct td_cpuid cpuid;
	struct td_err err = { 0 };
	double best = 1e9;

	if (argc != 3 || td_cpuid_parse(argv[2], &cpuid, &err))
		return 64;
	for (int i = 0; i < 15; i++) {
		if (read_ms(argv[1], &cpuid, &best))
			return 1;
	}
	printf("%.2f\n", best);
	return 0;
}
