// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the kernel tree's event files (TD_PMU_EVENTS): each model's must be
 * valid, no event may be lost, and some have the terms that their entries have
 * by eye.
 */
#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <limits.h>

#include "lib/base/json.h"
#include "lib/event/event.h"
#include "metrics/files/pmu_events.h"
#include "tests/unit/machine.h"
#include "tests/unit/test.h"

/* clang-format off */
/* A processor of each model. */
static const struct {
	const char *dir, *cpuid;
} models[] = {
	{ "alderlake", "GenuineIntel-6-97-2" },
	{ "alderlake", "GenuineIntel-6-BA-3" },
	{ "alderlaken", "GenuineIntel-6-BE-0" },
	{ "amdzen1", "AuthenticAMD-23-1-2" },
	{ "amdzen1", "AuthenticAMD-23-18-1" },
	{ "amdzen2", "AuthenticAMD-23-71-0" },
	{ "amdzen3", "AuthenticAMD-25-1-1" },
	{ "amdzen3", "AuthenticAMD-25-50-0" },
	{ "amdzen4", "AuthenticAMD-25-61-2" },
	{ "amdzen5", "AuthenticAMD-26-44-0" },
	{ "arrowlake", "GenuineIntel-6-C6-2" },
	{ "bonnell", "GenuineIntel-6-1C-A" },
	{ "broadwell", "GenuineIntel-6-3D-4" },
	{ "broadwellde", "GenuineIntel-6-56-2" },
	{ "broadwellx", "GenuineIntel-6-4F-1" },
	{ "cascadelakex", "GenuineIntel-6-55-7" },
	{ "cascadelakex", "GenuineIntel-6-55-B" },
	{ "clearwaterforest", "GenuineIntel-6-DD-0" },
	{ "elkhartlake", "GenuineIntel-6-96-1" },
	{ "emeraldrapids", "GenuineIntel-6-CF-2" },
	{ "goldmont", "GenuineIntel-6-5C-9" },
	{ "goldmontplus", "GenuineIntel-6-7A-1" },
	{ "grandridge", "GenuineIntel-6-B6-0" },
	{ "graniterapids", "GenuineIntel-6-AD-1" },
	{ "haswell", "GenuineIntel-6-3C-3" },
	{ "haswellx", "GenuineIntel-6-3F-2" },
	{ "icelake", "GenuineIntel-6-7E-5" },
	{ "icelakex", "GenuineIntel-6-6A-6" },
	{ "ivybridge", "GenuineIntel-6-3A-9" },
	{ "ivytown", "GenuineIntel-6-3E-4" },
	{ "jaketown", "GenuineIntel-6-2D-7" },
	{ "knightslanding", "GenuineIntel-6-57-1" },
	{ "lunarlake", "GenuineIntel-6-BD-1" },
	{ "meteorlake", "GenuineIntel-6-AA-4" },
	{ "nehalemep", "GenuineIntel-6-1A-5" },
	{ "nehalemex", "GenuineIntel-6-2E-6" },
	{ "pantherlake", "GenuineIntel-6-CC-1" },
	{ "pantherlake", "GenuineIntel-6-E5-0" },
	{ "rocketlake", "GenuineIntel-6-A7-1" },
	{ "sandybridge", "GenuineIntel-6-2A-7" },
	{ "sapphirerapids", "GenuineIntel-6-8F-8" },
	{ "sierraforest", "GenuineIntel-6-AF-3" },
	{ "silvermont", "GenuineIntel-6-37-8" },
	{ "skylake", "GenuineIntel-6-9E-A" },
	{ "skylakex", "GenuineIntel-6-55-4" },
	{ "snowridgex", "GenuineIntel-6-86-4" },
	{ "tigerlake", "GenuineIntel-6-8C-1" },
	{ "westmereep-dp", "GenuineIntel-6-2C-2" },
	{ "westmereep-sp", "GenuineIntel-6-25-5" },
	{ "westmereex", "GenuineIntel-6-2F-2" },
};

static const struct {
	const char *dir, *pmu, *name, *terms;
} rows[] = {
	{ "alderlake", "cpu_core", "INST_RETIRED.ANY", "event=0xc0" },
	{ "alderlake", "cpu_atom", "Inst_Retired.Any", "event=0xc0" },
	{ "alderlake", "cpu_atom", "cpu_clk_unhalted.thread", "event=0x3c" },
	{ "alderlake", "cpu_core", "cpu_clk_unhalted.ref_tsc", "event=0x0,umask=0x3" },
	{ "alderlake", "cpu_core", "int_misc.UOP_dropping", "event=0xad,umask=0x10" },
	{ "alderlake", "cpu_core", "dtlb_load_misses.walk_completed", "event=0x12,umask=0xe" },
	{ "alderlake", "cpu_atom", "DTLB_load_misses.walk_completed", "event=0x8,umask=0xe" },
	{ "alderlake", "cpu_core", "OCR.demand_data_rd.L3_MISS",
	  "event=0x2a,umask=0x1,offcore_rsp=0x3fbfc00001" },
	{ "alderlake", "cpu_atom", "ocr.Demand_Data_RD.l3_miss",
	  "event=0xb7,umask=0x1,offcore_rsp=0x3f84400001" },
	{ "alderlake", "cpu_core", "UOPS_RETIRED.ms", "event=0xc2,umask=0x4,frontend=0x8" },
	{ "alderlake", "cpu_atom", "UOPS_RETIRED.ms", "event=0xc2,umask=0x1" },
	{ "alderlake", "cpu_core", "mem_trans_retired.LOAD_latency_gt_128",
	  "event=0xcd,umask=0x1,ldlat=0x80" },
	{ "alderlake", "cpu_core", "Machine_Clears.Count", "event=0xc3,umask=0x1,cmask=1,edge=1" },
	{ "alderlake", "cpu_atom", "topdown_retiring.all", "event=0xc2" },
	{ "alderlake", "cpu_core", "topdown_retiring.all", NULL },
	{ "alderlake", "cpu", "inst_retired.any", NULL },
	{ "alderlake", "uncore_imc_1", "unc_m_act_count_rd", "event=0x24" },
	{ "alderlake", "uncore_arb", "unc_arb_trk_requests.all", "event=0x81,umask=0x1" },
	{ "alderlake", "uncore_imc_free_running_0", "unc_mc0_RDCAS_count_freerun",
	  "event=0xff,umask=0x20" },
	{ "alderlake", "uncore_clock", "UNC_CLOCK.socket", "event=0xff" },

	{ "lunarlake", "cpu_atom", "LONGEST_LAT_cache.MISS", "event=0x2e,umask=0x41" },
	{ "lunarlake", "cpu_core", "inst_retired.any", "event=0xc0" },
	{ "lunarlake", "cpu_atom", "cpu_clk_unhalted.CORE", "event=0x3c" },
	{ "lunarlake", "cpu_atom", "topdown_bad_speculation.ALL", "event=0x73" },
	/* Linux 6.12 has no constraint for the pseudo code 0x0600 */
	{ "lunarlake", "cpu_atom", "TopDown_FE_bound.all",
	  "event=0x9c,umask=0x1" },
	{ "lunarlake", "cpu_core", "mem_trans_retired.load_latency_GT_4",
	  "event=0xcd,umask=0x1,ldlat=0x4" },
	{ "lunarlake", "cpu_core", "ocr.demand_data_rd.any_response",
	  "event=0x2a,umask=0x1,offcore_rsp=0x10001" },
	{ "lunarlake", "cpu_atom", "ocr.demand_data_rd.any_response",
	  "event=0xb7,umask=0x1,offcore_rsp=0x10001" },

	{ "sapphirerapids", "cpu", "INT_misc.clears_count", "event=0xad,umask=0x1,cmask=1,edge=1" },
	{ "sapphirerapids", "cpu", "int_misc.unknown_branch_cycles",
	  "event=0xad,umask=0x40,frontend=0x7" },
	{ "sapphirerapids", "cpu", "Frontend_Retired.DSB_miss",
	  "event=0xc6,umask=0x1,frontend=0x11" },
	{ "sapphirerapids", "cpu", "exe_activity.bound_on_LOADS", "event=0xa6,umask=0x21,cmask=5" },
	{ "sapphirerapids", "cpu", "xq.full_cycles", "event=0x2d,umask=0x1,cmask=1" },
	{ "sapphirerapids", "cpu", "ocr.demand_rfo.l3_miss",
	  "event=0x2a,umask=0x1,offcore_rsp=0x3f3fc00002" },
	{ "sapphirerapids", "uncore_cha_31", "unc_cha_TOR_inserts.ia_miss_DRD",
	  "event=0x35,umask=0xc817fe01" },
	{ "sapphirerapids", "uncore_upi_0", "unc_upi_txl_flits.all_data", "event=0x2,umask=0xf" },
	{ "sapphirerapids", "uncore_iio_3", "unc_iio_data_req_of_cpu.mem_read.part0",
	  "event=0x83,umask=0x4,fc_mask=0x7,ch_mask=0x1" },
	{ "sapphirerapids", "uncore_iio_0", "UNC_IIO_CLOCKTICKS", "event=0x1" },
	{ "sapphirerapids", "uncore_iio_free_running_2", "unc_iio_bandwidth_in.part0_freerun",
	  "event=0xff,umask=0x20" },

	{ "skylakex", "cpu", "cpu_clk_unhalted.thread_ANY", "event=0x3c,any=1" },
	{ "skylakex", "cpu", "int_misc.recovery_cycles_any", "event=0xd,umask=0x1,any=1" },
	{ "skylakex", "cpu", "uops_retired.STALL_cycles", "event=0xc2,umask=0x2,cmask=1,inv=1" },
	{ "skylakex", "cpu", "cpu_clk_unhalted.one_thread_active", "event=0x3c,umask=0x2" },
	{ "skylakex", "cpu", "OFFCORE_response.demand_data_rd.l3_miss.any_snoop",
	  "event=0xb7,umask=0x1,offcore_rsp=0x3fbc000001" },
	{ "skylakex", "uncore_iio_0", "llc_misses.pcie_read",
	  "event=0x83,umask=0x4,fc_mask=0x7,ch_mask=0x1,ch_mask=0x1f" },
	{ "skylakex", "uncore_imc_5", "unc_m_cas_count.RD", "event=0x4,umask=0x3" },
	{ "skylakex", "uncore_pcu", "unc_p_power_state_occupancy.cores_c0", "event=0x80,umask=0x40" },

	{ "icelakex", "cpu", "idq_uops_not_delivered.cycles_0_uops_deliv.core",
	  "event=0x9c,umask=0x1,cmask=5" },
	{ "icelakex", "cpu", "cycle_activity.stalls_mem_ANY", "event=0xa3,umask=0x14,cmask=20" },
	{ "icelakex", "cpu", "RS_Events.Empty_End", "event=0x5e,umask=0x1,cmask=1,edge=1,inv=1" },
	{ "icelakex", "cpu", "assists.any", "event=0xc1,umask=0x7" },
	{ "icelakex", "uncore_cha", "unc_cha_tor_inserts.ia_miss_drd_LOCAL",
	  "event=0x35,umask=0xc816fe01" },
	{ "icelakex", "uncore_imc", "UNC_M_CAS_COUNT.RD", "event=0x4,umask=0xf" },

	{ "meteorlake", "cpu_core", "BAclears.any", "event=0x60,umask=0x1" },
	{ "meteorlake", "cpu_atom", "BAclears.any", "event=0xe6,umask=0x1" },
	{ "meteorlake", "cpu_core", "arith.DIV_active", "event=0xb0,umask=0x9,cmask=1" },
	{ "meteorlake", "cpu_atom", "arith.DIV_active", "event=0xcd,umask=0x3,cmask=1" },
	{ "meteorlake", "cpu_atom", "inst_retired.any_P", "event=0xc0" },
	{ "meteorlake", "cpu_atom", "topdown_retiring.ALL", "event=0x72" },
	{ "meteorlake", "cpu_atom", "ocr.demand_data_rd.l3_miss",
	  "event=0xb7,umask=0x1,offcore_rsp=0x3fbfc00001" },
	{ "meteorlake", "uncore_hac_cbo", "unc_hac_cbo_tor_allocation.all", "event=0x35,umask=0x8" },
};

/* Terms that core PMUs of the kernel have, of all vendors. */
static const struct {
	const char *name, *text;
} formats[] = {
	{ "event", "config:0-7,32-35" }, { "umask", "config:8-15,40-47" },
	{ "edge", "config:18" }, { "any", "config:21" }, { "inv", "config:23" },
	{ "cmask", "config:24-31" }, { "offcore_rsp", "config1:0-63" },
	{ "ldlat", "config1:0-15" }, { "frontend", "config1:0-23" },
};
/* clang-format on */

static char *read_file(const char *path)
{
	FILE *fp = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!fp)
		return NULL;
	if (getdelim(&text, &size, '\0', fp) < 0) {
		free(text);
		text = NULL;
	}
	fclose(fp);
	return text;
}

static size_t count_in(const char *text, const char *word)
{
	size_t nr = 0;

	for (; text && (text = strstr(text, word)); text++)
		nr++;
	return nr;
}

/* Count a word in the files of a directory. */
static size_t count_word(const char *path, const char *word)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	size_t nr = 0;

	while (dir && (entry = readdir(dir))) {
		char name[PATH_MAX + 256];

		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (strstr(name, ".json")) {
			td_autofree char *text = read_file(name);

			nr += count_in(text, word);
		}
	}
	if (dir)
		closedir(dir);
	return nr;
}

static void make_pmu(struct td_pmu *pmu)
{
	*pmu = (struct td_pmu){ .name = strdup("cpu"), .type = 4 };
	for (size_t i = 0; i < TD_ARRAY_SIZE(formats); i++) {
		struct td_format *format =
			td_array_add(&pmu->formats, pmu->nr_formats, sizeof(*format));

		td_format_parse(formats[i].text, format);
		format->name = strdup(formats[i].name);
		pmu->nr_formats++;
	}
}

/* Events of cores can be counted: the PMU has their terms. */
static bool has_terms(const struct td_pmu *pmu, const struct td_model_event *event)
{
	struct td_event counted;
	struct td_err err = { 0 };
	int rc;

	if (strncmp(event->pmu, "cpu", 3) != 0)
		return true;
	rc = td_event_init(&counted, pmu, 0, event->name, event->terms, &err);
	td_event_free(&counted);
	if (rc)
		printf("# %s\n", err.msg);
	return rc == 0;
}

/* Finds a metric by its name as the files write it. */
static bool is_sound(struct td_pmu_events *events, const struct td_model_event *event,
		     const struct td_pmu *pmu)
{
	td_autofree char *name = strdup(event->name);
	const struct td_model_event *found;
	struct td_err err = { 0 };

	for (char *c = name; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	if (td_pmu_events_find(events, event->pmu, name, &found, &err) == 0 && found == event &&
	    strncmp(event->terms, "event=0x", 8) == 0 &&
	    !strpbrk(event->desc ? event->desc : "", "\r\n\t") && has_terms(pmu, event))
		return true;
	printf("# %s/%s/ %s\n", event->pmu, event->name, event->terms);
	return false;
}

/* Uncore units have no metrics of the same name. */
static const struct td_model_metric *find_metric(const struct td_pmu_events *events,
						 struct json_object *object)
{
	const char *name = td_json_string(object, "MetricName");
	const char *unit = td_json_string(object, "Unit");
	const char *pmu = unit ? unit : "cpu";

	for (size_t i = 0; i < events->nr_metrics; i++) {
		const struct td_model_metric *metric = &events->metrics[i];

		if (strcmp(metric->name, name) == 0 &&
		    (strncmp(pmu, "cpu", 3) != 0 || strcmp(metric->pmu, pmu) == 0))
			return metric;
	}
	return NULL;
}

/* Equal, except for blanks at the end. */
static bool is_member(struct json_object *object, const char *key, const char *got)
{
	const char *want = td_json_string(object, key);
	size_t len;

	if (!want || !got)
		return want == got;
	len = strlen(got);
	return strncmp(want, got, len) == 0 && !want[len + strspn(want + len, " ")];
}

/*
 * Is the constraint read correctly? In trees of Linux 6.3 and later, its last word contains the
 * answer.
 */
static bool is_split(struct json_object *object, enum td_split got)
{
	static const char *const ends[] = {
		[TD_SPLIT_NEVER] = "",
		[TD_SPLIT_ALWAYS] = "_EVENTS",
		[TD_SPLIT_NMI] = "_NMI",
		[TD_SPLIT_SMT] = "_SMT",
	};
	const char *want = td_json_string(object, "MetricConstraint");
	size_t len = strlen(ends[got]);

	if (!want || got == TD_SPLIT_NEVER)
		return !want && got == TD_SPLIT_NEVER;
	return strlen(want) > len && strcmp(want + strlen(want) - len, ends[got]) == 0;
}

/*
 * The file's own unit; without one, the unit from its words changes no value.
 */
static bool has_unit(struct json_object *object, const char *unit)
{
	if (is_member(object, "ScaleUnit", unit))
		return true;
	return !td_json_string(object, "ScaleUnit") && unit[0] == '1' &&
	       (unit[1] < '0' || unit[1] > '9') && unit[1] != '.';
}

/* Metrics whose formulas are corrected; tests/cli/places.bats has their values. */
static bool may_differ(const char *name)
{
	static const char *const patterns[] = {
		"cpu_utilization",
		"uncore_freq*",
		"llc_data_read_*_latency*",
		"tma_info_system_power",
		"tma_info_system_mem_dram_read_latency",
		"tma_info_system_mem_pmm_read_latency",
		"Average_Frequency",
		"lpm_cstate_c[036]",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(patterns); i++) {
		if (fnmatch(patterns[i], name, FNM_CASEFOLD) == 0)
			return true;
	}
	return false;
}

static bool is_same(const struct td_pmu_events *events, struct json_object *object)
{
	const struct td_model_metric *metric = find_metric(events, object);

	if (metric &&
	    (may_differ(metric->name) || is_member(object, "MetricExpr", metric->formula)) &&
	    is_member(object, "MetricThreshold", metric->threshold) &&
	    has_unit(object, metric->unit) && is_split(object, metric->split))
		return true;
	printf("# %s\n", td_json_string(object, "MetricName"));
	return false;
}

/* Counts the metrics of a file that were read as the file has them. */
static size_t count_same(const struct td_pmu_events *events, const char *path)
{
	struct json_object *array = json_object_from_file(path);
	size_t nr = 0, same = 0;

	if (json_object_is_type(array, json_type_array))
		nr = json_object_array_length(array);
	for (size_t i = 0; i < nr; i++) {
		struct json_object *object = json_object_array_get_idx(array, i);

		if (td_json_string(object, "MetricName"))
			same += is_same(events, object);
	}
	json_object_put(array);
	return same;
}

/* How many are the model's own, not common to all? */
static size_t count_own(const struct td_pmu_events *events)
{
	size_t own = 0;

	for (size_t i = 0; i < events->nr_metrics; i++) {
		const char *pmu = events->metrics[i].pmu;

		own += strcmp(pmu, TD_EACH_CORE) != 0 && strcmp(pmu, TD_NO_CORE) != 0;
	}
	return own;
}

static void check_metrics(const char *dir, const struct td_pmu_events *events)
{
	DIR *folder = opendir(events->dir);
	struct dirent *entry;
	size_t same = 0;

	while (folder && (entry = readdir(folder))) {
		char path[PATH_MAX + 256];

		snprintf(path, sizeof(path), "%s/%s", events->dir, entry->d_name);
		if (strstr(entry->d_name, ".json"))
			same += count_same(events, path);
	}
	if (folder)
		closedir(folder);
	ok(same == count_own(events), "%s: %zu metrics are what is written", dir, same);
}

static void check_events(const char *dir, struct td_pmu_events *events)
{
	struct td_pmu pmu;
	size_t sound = 0, latencies = 0;

	make_pmu(&pmu);
	for (size_t i = 0; i < events->nr_events; i++) {
		sound += is_sound(events, &events->events[i], &pmu);
		if (!isnan(events->events[i].retire_latency))
			latencies++;
	}
	td_pmu_free(&pmu);
	ok(sound == events->nr_events, "%s: %zu events are sound", dir, sound);
	ok(events->nr_events == count_word(events->dir, "\"EventName\":"), "%s: %zu events", dir,
	   events->nr_events);
	ok(count_own(events) == count_word(events->dir, "\"MetricName\":"), "%s: %zu metrics", dir,
	   events->nr_metrics);
	ok(latencies == count_word(events->dir, "\"RetirementLatencyMean\":"), "%s: %zu latencies",
	   dir, latencies);
}

/* Contents before uncore events are requested. */
static void check_core(const char *dir, const struct td_pmu_events *events)
{
	size_t nr = 0;

	for (size_t i = 0; i < events->nr_events; i++)
		nr += strncmp(events->events[i].topic, "uncore", 6) == 0;
	ok(nr == 0, "%s: no files of other units are read at first", dir);
}

/* The terms before the sampling period, which is last. */
static const char *encoding_of(const struct td_model_event *event)
{
	char *period = event ? strstr(event->terms, ",period=") : NULL;

	if (period)
		*period = '\0';
	return event ? event->terms : "(none)";
}

static void check_rows(const char *dir, struct td_pmu_events *events)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		const struct td_model_event *event;
		struct td_err err = { 0 };

		if (strcmp(rows[i].dir, dir) != 0)
			continue;
		td_pmu_events_find(events, rows[i].pmu, rows[i].name, &event, &err);
		is_str(encoding_of(event), rows[i].terms ? rows[i].terms : "(none)", "%s: %s/%s/",
		       dir, rows[i].pmu, rows[i].name);
	}
}

static void test_model(const char *root, const char *dir, const char *cpuid)
{
	struct td_pmu_events events;
	struct td_cpuid id;
	struct td_err err = { 0 };
	char path[PATH_MAX];
	int rc = td_cpuid_parse(cpuid, &id, &err);

	if (!rc)
		rc = td_pmu_events_read(&events, root, &id, &err);
	if (!rc)
		rc = td_pmu_events_parse_all(&events, &err);
	ok(rc == 0, "%s: %s %s", dir, cpuid, err.msg);
	snprintf(path, sizeof(path), "%s/%s", root, dir);
	if (!rc) {
		is_str(events.dir, path, "%s: is %s", dir, cpuid);
		check_core(dir, &events);
		rc = td_pmu_events_read_uncore(&events, &err);
		if (!rc)
			rc = td_pmu_events_parse_all(&events, &err);
		ok(rc == 0, "%s: and the others' %s", dir, err.msg);
		check_events(dir, &events);
		check_metrics(dir, &events);
		check_rows(dir, &events);
	}
	td_pmu_events_free(&events);
}

/* These numbers hold for one version of the tree only. */
static void test_dir(const char *root, const char *dir)
{
	bool known = false;

	for (size_t i = 0; i < TD_ARRAY_SIZE(models); i++) {
		if (strcmp(models[i].dir, dir) != 0)
			continue;
		known = true;
		test_model(root, dir, models[i].cpuid);
	}
	if (!known)
		ok(true, "%s # SKIP no processor of it is known here", dir);
}

/* The third column of each line. */
static void test_map(const char *root, char *map)
{
	size_t nr = 0;
	char *line;

	strsep(&map, "\n");
	while ((line = strsep(&map, "\n"))) {
		const char *expression = strsep(&line, ",");

		if (!line || expression[0] == '#')
			continue;
		strsep(&line, ",");
		test_dir(root, strsep(&line, ","));
		nr++;
	}
	ok(nr > 0, "%zu lines of the map", nr);
}

int main(void)
{
	const char *root = getenv("TD_PMU_EVENTS");
	td_autofree char *map = NULL;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/mapfile.csv", root ? root : "");
	map = read_file(path);
	if (map)
		test_map(root, map);
	else
		ok(true, "the kernel's event files # SKIP no TD_PMU_EVENTS");
	return done_testing();
}
