// SPDX-License-Identifier: GPL-2.0-only
/*
 * Converts events of perfmon into the kernel tree's form.  In perfmon every key
 * is present, with "0" or "na" for no value; some values are codes that the
 * kernel calls by another name, and some are prose.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/base/util.h"
#include "metrics/files/parts.h"
#include "metrics/files/text.h"

#define POWER_STATE "UNC_P_POWER_STATE_OCCUPANCY."

/* Replaces the value of key. */
static int set_text(const struct td_entry *entry, const char *key,
		    const char *value, struct td_err *err)
{
	struct json_object *text = json_object_new_string(value);

	if (!text || json_object_object_add(entry->object, key, text)) {
		json_object_put(text);
		return td_err_nomem(err);
	}
	return 0;
}

static bool is_filler(const char *text)
{
	static const char *const fillers[] = { "", "na", "none", "null",
					       "tbd" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(fillers); i++) {
		if (strcasecmp(fillers[i], text) == 0)
			return true;
	}
	return false;
}

/*
 * Removes placeholder values of the keys that are read here or in
 * td_entry_add().  No erratum is called "0".
 */
static int drop_fillers(const struct td_entry *entry, struct td_err *err)
{
	static const char *const keys[] = {
		"AnyThread",    "BriefDescription", "CounterMask",
		"Deprecated",   "EdgeDetect",       "Equal",
		"Errata",       "EventCode",        "EventName",
		"ExtSel",       "FCMask",           "Filter",
		"FILTER_VALUE", "Invert",           "MSRIndex",
		"MSRValue",     "PortMask",         "UMask",
		"UMask2",       "UMaskExt",         "Unit",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(keys); i++) {
		const char *text;

		if (td_entry_text(entry, keys[i], &text, err))
			return err->code;
		if (text &&
		    (is_filler(text) || (strcmp(keys[i], "Errata") == 0 &&
					 strcmp(text, "0") == 0)))
			json_object_object_del(entry->object, keys[i]);
	}
	return 0;
}

/*
 * Renames "OFFCORE_RESPONSE:request=X:response=Y" and "OFFCORE_RESPONSE_0.X.Y"
 * to OFFCORE_RESPONSE.X.Y, as perf calls both.
 */
static int set_name(const struct td_entry *entry, struct td_err *err)
{
	static const char offcore[] = "OFFCORE_RESPONSE";
	static const char request[] = ":request=", response[] = ":response=";
	size_t len = strlen(offcore);
	td_autofree char *text = NULL;
	const char *name, *second;
	int rc = td_entry_text(entry, "EventName", &name, err);

	if (rc || !name || strncmp(name, offcore, len) != 0)
		return rc;
	name += len;
	second = strstr(name, response);
	if (strncmp(name, "_0", 2) == 0)
		text = td_aprintf("%s%s", offcore, name + 2);
	else if (strncmp(name, request, strlen(request)) == 0 && second)
		text = td_aprintf("%s.%.*s.%s", offcore,
				  (int)(second - name) - (int)strlen(request),
				  name + strlen(request),
				  second + strlen(response));
	else
		return 0;
	return text ? set_text(entry, "EventName", text, err)
		    : td_err_nomem(err);
}

/*
 * Takes UMask2 for UMaskExt.  If there is a port or flow-control mask, UMaskExt
 * only repeats it and is removed.
 */
static int set_umask(const struct td_entry *entry, struct td_err *err)
{
	struct td_number ports, flows;
	const char *newer;

	if (td_entry_text(entry, "UMask2", &newer, err))
		return err->code;
	if (newer && set_text(entry, "UMaskExt", newer, err))
		return err->code;
	if (td_entry_number(entry, "PortMask", &ports, err) ||
	    td_entry_number(entry, "FCMask", &flows, err))
		return err->code;
	if (ports.value || flows.value)
		json_object_object_del(entry->object, "UMaskExt");
	return 0;
}

/*
 * Turns Filter1 with its value into the upper half of config1
 * (skx_cha_hw_config() in arch/x86/events/intel/uncore_snbep.c).  Other filters
 * are only hints and are removed.
 */
static int set_filter(const struct td_entry *entry, struct td_err *err)
{
	struct td_number value;
	const char *filter;
	char text[32];

	if (td_entry_text(entry, "Filter", &filter, err) ||
	    td_entry_number(entry, "FILTER_VALUE", &value, err))
		return err->code;
	if (!filter)
		return 0;
	if (strcmp(filter, "Filter1") != 0 || !value.value ||
	    value.value > UINT32_MAX) {
		json_object_object_del(entry->object, "Filter");
		return 0;
	}
	snprintf(text, sizeof(text), "config1=0x%" PRIx64, value.value << 32);
	return set_text(entry, "Filter", text, err);
}

/*
 * Free-running counters have a PMU of their own.  Its umask is the kind of the
 * counter plus its number (arch/x86/events/intel/uncore_snb.c, uncore_snbep.c).
 */
static const struct {
	const char *unit, *word;
	unsigned int umask;
} free_running[] = {
	{ "iio", "CLOCKTICKS", 0x10 },    { "iio", "BANDWIDTH_IN", 0x20 },
	{ "iio", "BANDWIDTH_OUT", 0x30 }, { "imc", "CLOCKTICKS", 0x10 },
	{ "imc", "TOTAL", 0x10 },         { "imc", "RDCAS", 0x20 },
	{ "imc", "WRCAS", 0x30 },
};

/* The digit behind word in name, or -1. */
static int digit_behind(const char *name, const char *word)
{
	const char *at = strstr(name, word);

	at = at ? at + strlen(word) : "";
	return *at >= '0' && *at <= '9' ? *at - '0' : -1;
}

/*
 * Sets the PMU and codes of a free-running counter; the MC1 in
 * "UNC_MC1_RDCAS_COUNT_FREERUN" is the second memory controller.
 */
static int set_free_running(const struct td_entry *entry, const char *name,
			    const char *unit, struct td_err *err)
{
	int part = digit_behind(name, "PART"), mc = digit_behind(name, "_MC");
	unsigned int umask = 0;
	char pmu[64], text[16], number[16] = "";

	for (size_t i = 0; i < TD_ARRAY_SIZE(free_running) && !umask; i++) {
		if (strcasecmp(free_running[i].unit, unit) == 0 &&
		    strstr(name, free_running[i].word))
			umask = free_running[i].umask;
	}
	if (!umask)
		return td_entry_bad(entry, err, "CounterType", "not known");
	if (mc >= 0)
		snprintf(number, sizeof(number), "_%d", mc);
	snprintf(pmu, sizeof(pmu), "%s_free_running%s", unit, number);
	snprintf(text, sizeof(text), "0x%x",
		 umask + (part > 0 ? (unsigned int)part : 0));
	if (set_text(entry, "Unit", pmu, err) ||
	    set_text(entry, "EventCode", "0xff", err) ||
	    set_text(entry, "UMask", text, err))
		return err->code;
	return 0;
}

/*
 * The power control unit of older servers selects the power state to count with
 * the field occ_sel, but perfmon has it in the umask.
 */
static int set_state(const struct td_perfmon_file *file,
		     const struct td_entry *entry, struct td_err *err)
{
	static const char *const folders[] = {
		"BDW-DE", "BDX", "HSX", "IVT", "JKT",
	};
	struct td_number umask;
	char text[32];
	bool older = false;

	for (size_t i = 0; i < TD_ARRAY_SIZE(folders); i++)
		older = older || strcmp(folders[i], file->folder) == 0;
	if (!older)
		return 0;
	if (td_entry_number(entry, "UMask", &umask, err))
		return err->code;
	snprintf(text, sizeof(text), "occ_sel=%u",
		 (unsigned int)(umask.value >> 6 & 3));
	json_object_object_del(entry->object, "UMask");
	return set_text(entry, "Filter", text, err);
}

/* The unit of the uncore clock on client models; the default is "CLOCK". */
static const struct {
	const char *folder, *unit;
} clocks[] = {
	{ "ARL", "CNCU" }, { "BDW", "CBOX_0" }, { "HSW", "CBOX_0" },
	{ "MTL", "CNCU" }, { "SKL", "CBOX_0" },
};

static const char *clock_unit(const char *folder)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(clocks); i++) {
		if (strcmp(clocks[i].folder, folder) == 0)
			return clocks[i].unit;
	}
	return "CLOCK";
}

/* Converts an event of an uncore unit. */
static int set_unit(const struct td_perfmon_file *file,
		    const struct td_entry *entry, const char *unit,
		    struct td_err *err)
{
	const char *name, *type, *counter;

	if (td_entry_text(entry, "EventName", &name, err) ||
	    td_entry_text(entry, "CounterType", &type, err) ||
	    td_entry_text(entry, "Counter", &counter, err))
		return err->code;
	if (name && type && strcmp(type, "FREERUN") == 0)
		return set_free_running(entry, name, unit, err);
	if (name && strncmp(name, POWER_STATE, strlen(POWER_STATE)) == 0)
		return set_state(file, entry, err);
	if (strcmp(unit, "NCU") == 0 &&
	    set_text(entry, "Unit", clock_unit(file->folder), err))
		return err->code;
	if (counter && strcasecmp(counter, "fixed") == 0) {
		json_object_object_del(entry->object, "UMask");
		return set_text(entry, "EventCode", "0xff", err);
	}
	return 0;
}

int td_perfmon_event(const struct td_perfmon_file *file,
		     const struct td_entry *entry, struct td_err *err)
{
	const char *unit;

	if (drop_fillers(entry, err) || set_name(entry, err) ||
	    set_umask(entry, err) || set_filter(entry, err) ||
	    td_entry_text(entry, "Unit", &unit, err))
		return err->code;
	if (unit)
		return set_unit(file, entry, unit, err);
	return strcmp(file->pmu, "cpu") == 0
		       ? 0
		       : set_text(entry, "Unit", file->pmu, err);
}
