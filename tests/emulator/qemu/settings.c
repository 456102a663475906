/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the launcher (../run) says of the PMU, in the environment of QEMU:
 *
 * TDEMU_CORES=KIND:N+KIND   kinds of core, the first N CPUs of the first kind
 *                             and so on; without it there is no PMU
 * TDEMU_LEAF_A=KIND           whose counters CPUID leaf 0xA tells, on any CPU;
 *                             that of CPU 0 by default
 * TDEMU_TD=B0,..,B7           the bytes of PERF_METRICS
 * TDEMU_TD2, TDEMU_PHASE_MS   others, which take turns with them
 * TDEMU_SKEW=N                CPU i moves i*N bytes from retiring to be-bound
 * TDEMU_NO_HALT=1             a halted CPU counts on
 * TDEMU_TRUTH=FILE            the truth file; TDEMU_SCENARIO=NAME the one of it
 *                             that runs where no thread has chosen
 * TDEMU_NOISE=PERCENT[,SEED]  rates that walk
 * TDEMU_WATTS=W,..,W          of a package, its cores, DRAM, graphics, platform
 * TDEMU_DRAM_UNIT=N           DRAM's energy counts in 2^-N J
 * TDEMU_UNCORE=tgl|adl|mtl    the counters of a client's uncore; spr: a server's
 * TDEMU_POWER=1               there are APERF and MPERF, and residencies
 * TDEMU_FILTER=HEX,..         events (umask and code) that count nothing
 * TDEMU_SUMS=FILE             where the guest's request leaves what happened
 * TDEMU_PEBS=1                there is PEBS; "timing": with retire latencies
 * TDEMU_LBR=1, TDEMU_PT=1     there are LBR, Processor Trace
 * TDEMU_IBS=1                 there is IBS
 * TDEMU_PT_LOSSY=BYTES        packets are lost after so many
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"
#include "qemu/error-report.h"

static struct tdemu_settings settings;

static void read_bytes(const char *text, double fields[TDEMU_FIELDS])
{
	for (int i = 0; text && i < TDEMU_FIELDS; i++) {
		fields[i] = (double)strtoul(text, NULL, 0) / 255;
		text = strchr(text, ',');
		if (text)
			text++;
	}
}

static int number(const char *name)
{
	const char *text = getenv(name);

	return text ? atoi(text) : 0;
}

static const struct tdemu_core *core_or_exit(const char *name, size_t len)
{
	const struct tdemu_core *core = tdemu_core_named(name, len);

	if (!core) {
		error_report("no kind of core '%.*s'", (int)len, name);
		exit(1);
	}
	return core;
}

static void read_cores(const char *text)
{
	int from = 0;

	while (*text && settings.nr_kinds < TDEMU_KINDS) {
		size_t len = strcspn(text, ":+");
		const struct tdemu_core *core = core_or_exit(text, len);

		settings.kinds[settings.nr_kinds].core = core;
		settings.kinds[settings.nr_kinds++].from = from;
		settings.leaf_23 |= core->leaf_23;
		text += len;
		if (*text == ':')
			from += (int)strtol(text + 1, (char **)&text, 10);
		text += strspn(text, "+");
	}
	settings.hybrid = settings.nr_kinds > 1;
	settings.amd = settings.kinds[0].core->amd;
}

static void read_noise(const char *text)
{
	const char *seed = strchr(text, ',');

	settings.noise_percent = atoi(text);
	settings.seed = seed ? strtoull(seed + 1, NULL, 0) : 1;
}

static void read_package(void)
{
	const char *text = getenv("TDEMU_WATTS");

	for (int i = 0; text && i < TDEMU_DOMAINS; i++) {
		settings.watts[i] = strtod(text, NULL);
		text = strchr(text, ',');
		if (text)
			text++;
	}
	settings.dram_unit = number("TDEMU_DRAM_UNIT");
	settings.uncore = getenv("TDEMU_UNCORE");
}

static void read_filter(const char *text)
{
	while (text && *text && settings.nr_filtered < TDEMU_FILTERED) {
		settings.filtered[settings.nr_filtered++] =
			(uint32_t)strtoul(text, (char **)&text, 16);
		text += *text == ',';
	}
}

static void read_environment(void)
{
	static const double usual[TDEMU_FIELDS] = {
		64 / 255., 16 / 255., 48 / 255., 127 / 255.,
		16 / 255., 12 / 255., 32 / 255., 80 / 255.,
	};
	const char *cores = getenv("TDEMU_CORES"), *leaf = getenv("TDEMU_LEAF_A");

	if (!cores)
		return;
	read_cores(cores);
	settings.leaf_a = leaf ? core_or_exit(leaf, strlen(leaf)) : settings.kinds[0].core;
	memcpy(settings.fields[0], usual, sizeof(usual));
	read_bytes(getenv("TDEMU_TD"), settings.fields[0]);
	memcpy(settings.fields[1], settings.fields[0], sizeof(usual));
	read_bytes(getenv("TDEMU_TD2"), settings.fields[1]);
	settings.phase_ms = number("TDEMU_PHASE_MS");
	settings.skew = number("TDEMU_SKEW");
	settings.no_halt = number("TDEMU_NO_HALT");
	settings.truth = getenv("TDEMU_TRUTH");
	settings.scenario = getenv("TDEMU_SCENARIO");
	settings.sums = getenv("TDEMU_SUMS");
	settings.pebs = getenv("TDEMU_PEBS") && !settings.amd;
	settings.pebs_timing = settings.pebs && !strcmp(getenv("TDEMU_PEBS"), "timing");
	settings.lbr = getenv("TDEMU_LBR") && !settings.amd;
	settings.pt = getenv("TDEMU_PT") && !settings.amd;
	settings.ibs = getenv("TDEMU_IBS") && settings.amd;
	settings.power = getenv("TDEMU_POWER") && !settings.amd;
	settings.pt_lossy = (uint64_t)number("TDEMU_PT_LOSSY");
	read_package();
	read_filter(getenv("TDEMU_FILTER"));
	if (getenv("TDEMU_NOISE"))
		read_noise(getenv("TDEMU_NOISE"));
	settings.on = true;
}

const struct tdemu_settings *tdemu_settings(void)
{
	static gsize once;

	if (g_once_init_enter(&once)) {
		read_environment();
		g_once_init_leave(&once, 1);
	}
	return &settings;
}

static int place(int cpu)
{
	int i = settings.nr_kinds;

	while (--i > 0 && cpu < settings.kinds[i].from)
		;
	return i;
}

int tdemu_kind(int cpu)
{
	int i = place(cpu);

	return i == 0 && settings.kinds[0].core->atom ? 1 : i;
}

const struct tdemu_core *tdemu_core(int cpu)
{
	return settings.kinds[place(cpu)].core;
}
