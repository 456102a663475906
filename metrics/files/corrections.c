// SPDX-License-Identifier: GPL-2.0-only
/* Formulas and descriptions of the files that mix places or units, and what they mean. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "metrics/files/parts.h"

#define CBOX_CLOCK "UNC_C_CLOCKTICKS / "
#define CHA_CLOCK  "UNC_CHA_CLOCKTICKS / "
#define PCU_CLOCK  ", UNC_P_CLOCKTICKS"
#define CORES      "(#num_cores / #num_packages * #num_packages)"

/* The kernel counts energy in 2^-32 J on all machines (arch/x86/events/rapl.c).
 */
#define PKG   "power@energy\\-pkg@"
#define RAM   "power@energy\\-ram@"
#define JOULE " * 2.3283064365386963e-10 / "

/* Of metrics (a glob; NULL: of any), the first such part of its formula, and the right
 * one. */
static const struct {
	const char *metric, *part, *right;
} corrections[] = {
	/* a number of CPUs, shown as per cent */
	{ "cpu_utilization", "tma_info_system_cpus_utilized",
	  "tma_info_system_cpu_utilization" },
	/* a CHA for each core: there are more or fewer */
	{ NULL, CHA_CLOCK CORES,
	  CHA_CLOCK "(source_count(UNC_CHA_CLOCKTICKS) * #num_packages)" },
	{ NULL, CBOX_CLOCK CORES,
	  CBOX_CLOCK "(source_count(UNC_C_CLOCKTICKS) * #num_packages)" },
	/* a clock is that of one die */
	{ "UNCORE_FREQ", "tma_info_system_socket_clks / #num_dies",
	  "tma_info_system_socket_clks" },
	/* steps of the MSR, 61 or 15.6 uJ, which are not the kernel's */
	{ "tma_info_system_power",
	  "(" PKG " * 61 + 15.6 * " RAM ") / (duration_time * 1e6)",
	  "(" PKG " + " RAM ")" JOULE "duration_time" },
	{ "tma_info_system_power", PKG " * 61 / (tma_info_system_time * 1e6)",
	  PKG JOULE "tma_info_system_time" },
	{ "tma_info_system_power",
	  "(" PKG " + " RAM ") * 15.6 / (duration_time * 1e6)",
	  "(" PKG " + " RAM ")" JOULE "duration_time" },
	{ "tma_info_system_power", PKG " * 15.6 / (tma_info_system_time * 1e6)",
	  PKG JOULE "tma_info_system_time" },
	/* clock ticks in place of their rate */
	{ "tma_info_system_mem_*_read_latency", " / imc_0@event\\=0x0@",
	  " / (imc_0@event\\=0x0@ / duration_time)" },
	{ "tma_info_system_mem_*_read_latency", " / cha_0@event\\=0x0@",
	  " / (cha_0@event\\=0x0@ / duration_time)" },
	{ "tma_info_system_mem_*_read_latency", " / uncore_cha_0@event\\=0x1@",
	  " / (uncore_cha_0@event\\=0x1@ / duration_time)" },
	/* the clocks of all packages, for the cores of all */
	{ "lpm_cstate_c?", PCU_CLOCK ")",
	  PCU_CLOCK " / aggr_nr(UNC_P_CLOCKTICKS))" },
	{ "Average_Frequency", "msr@tsc@ / 1000000000",
	  "msr@tsc@ / 1000000000 / duration_time" },
};

/* What descriptions of bandwidths begin with that are sums. */
static const char *const averages[] = { "Average per-thread data",
					"Average per-core data" };

/* Replaces a part of the text, which is freed.  Returns 0 or -ENOMEM. */
static int replace(char **text, const char *at, size_t len, const char *right)
{
	char *whole;

	if (asprintf(&whole, "%.*s%s%s", (int)(at - *text), *text, right,
		     at + len) < 0)
		return -ENOMEM;
	free(*text);
	*text = whole;
	return 0;
}

static int correct_description(struct td_model_metric *metric)
{
	for (size_t i = 0; metric->desc && i < TD_ARRAY_SIZE(averages); i++) {
		size_t len = strlen(averages[i]);

		if (strncmp(metric->desc, averages[i], len) == 0)
			return replace(&metric->desc, metric->desc, len,
				       "Total data");
	}
	return 0;
}

static int correct(struct td_model_metric *metric)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(corrections); i++) {
		const char *part = corrections[i].part, *at;

		if (corrections[i].metric &&
		    fnmatch(corrections[i].metric, metric->name,
			    FNM_CASEFOLD) != 0)
			continue;
		at = strstr(metric->formula, part);
		/* a formula that is right already may have the part as well */
		if (at && !(strstr(corrections[i].right, part) &&
			    strstr(metric->formula, corrections[i].right)))
			return replace(&metric->formula, at, strlen(part),
				       corrections[i].right);
	}
	return 0;
}

int td_pmu_events_correct(struct td_pmu_events *events, size_t first)
{
	int rc = 0;

	for (size_t i = first; !rc && i < events->nr_metrics; i++) {
		rc = correct(&events->metrics[i]);
		if (!rc)
			rc = correct_description(&events->metrics[i]);
	}
	return rc;
}
