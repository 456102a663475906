// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/trace_pmu.h"

#include <errno.h>
#include <stdio.h>

#define PMU    "intel_pt"
#define FOLDER "bus/event_source/devices/" PMU "/"

/* -1: there is no such file. */
static int read_number(const struct td_sysfs *fs, const char *name)
{
	struct td_err unused = { 0 };
	char path[80];
	int number;

	snprintf(path, sizeof(path), FOLDER "%s", name);
	return td_sysfs_read_int(fs, path, &number, &unused) ? -1 : number;
}

static void read_ratio(const struct td_sysfs *fs, unsigned int ratio[2])
{
	struct td_err unused = { 0 };
	char text[64];

	if (td_sysfs_read(fs, FOLDER "tsc_art_ratio", text, sizeof(text),
			  &unused) < 0 ||
	    sscanf(text, "%u:%u", &ratio[0], &ratio[1]) != 2)
		ratio[0] = ratio[1] = 0;
}

/* The longest: packets of it are between calls, too; 0 has all processors. */
static unsigned int choose_mtc(const struct td_sysfs *fs)
{
	struct td_err unused = { 0 };
	unsigned int bits, period = 0;
	char text[64];

	if (td_sysfs_read(fs, FOLDER "caps/mtc_periods", text, sizeof(text),
			  &unused) < 0 ||
	    sscanf(text, "%x", &bits) != 1)
		return 0;
	for (unsigned int i = 0; i < 16; i++)
		period = bits >> i & 1 ? i : period;
	return period;
}

static int set_term(const struct td_pmu *pmu, const char *name, uint64_t value,
		    uint64_t config[TD_NR_CONFIGS], struct td_err *err)
{
	const struct td_format *format = td_pmu_format(pmu, name);

	if (!format || td_format_pack(format, value, config))
		return td_err_set(err, -ENODEV,
				  "Processor Trace of this machine has no %s",
				  name);
	return 0;
}

/* Without cycles there is no time between packets of the crystal, and of the TSC. */
int td_trace_pmu_read(const struct td_sysfs *fs, const struct td_ints *online,
		      struct td_pmu *pmu, struct td_err *err)
{
	struct td_err unused = { 0 };

	if (td_pmu_read(fs, PMU, online, pmu, &unused))
		return td_err_set(err, -ENODEV,
				  "this machine has no Processor Trace");
	if (read_number(fs, "caps/psb_cyc") <= 0)
		return td_err_set(err, -ENODEV,
				  "Processor Trace of this machine does not "
				  "count cycles");
	if (read_number(fs, "max_nonturbo_ratio") <= 0)
		return td_err_set(err, -ENODEV,
				  "Processor Trace of this machine does not "
				  "tell the ratio of its time stamp counter");
	if (read_number(fs, "nr_addr_filters") <= 0)
		return td_err_set(err, -ENODEV,
				  "Processor Trace of this machine has no "
				  "filters of addresses");
	return 0;
}

int td_trace_pmu_config(const struct td_sysfs *fs, const struct td_pmu *pmu,
			uint64_t *config, struct td_trace *trace,
			struct td_err *err)
{
	int ratio = read_number(fs, "max_nonturbo_ratio");
	uint64_t words[TD_NR_CONFIGS] = { 0 };
	int rc = set_term(pmu, "cyc", 1, words, err);

	trace->tsc_ratio = ratio > 0 ? (unsigned int)ratio : 0;
	trace->mtc_period = choose_mtc(fs);
	read_ratio(fs, trace->art_ratio);
	if (!rc)
		rc = set_term(pmu, "tsc", 1, words, err);
	if (!rc && read_number(fs, "caps/mtc") > 0)
		rc = set_term(pmu, "mtc", 1, words, err);
	if (!rc && trace->mtc_period)
		rc = set_term(pmu, "mtc_period", trace->mtc_period, words, err);
	*config = words[0];
	return rc;
}
