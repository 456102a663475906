// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of a PMU: the first line is a format, the rest are the terms of an
 * event with that format and some real ones.
 */
#include "tests/fuzz/replay.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/event/event.h"

static const struct {
	const char *name, *text;
} formats[] = {
	{ "event", "config:0-7" }, { "umask", "config:8-15,40-47" },  { "cmask", "config:24-31" },
	{ "edge", "config:18" },   { "offcore_rsp", "config1:0-63" },
};

static void add_format(struct td_pmu *pmu, const char *name, const char *text)
{
	struct td_format *format = td_array_add(&pmu->formats, pmu->nr_formats, sizeof(*format));

	if (td_format_parse(text, format))
		return;
	/* a valid format has bits in an existing word */
	if (!format->mask || format->word < 0 || format->word >= TD_NR_CONFIGS)
		abort();
	format->name = strdup(name);
	pmu->nr_formats++;
}

/* A value that fits changes only the bits of the format. */
static void check_pack(const struct td_format *format, uint64_t value)
{
	uint64_t config[TD_NR_CONFIGS] = { 0 };
	uint64_t limit = (uint64_t)__builtin_popcountll(format->mask);
	bool fits = limit == 64 || value >> limit == 0;

	if ((td_format_pack(format, value, config) == 0) != fits)
		abort();
	if (config[format->word] & ~format->mask)
		abort();
	if (fits && __builtin_popcountll(config[format->word]) != __builtin_popcountll(value))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	td_autofree char *text = strndup((const char *)data, size);
	char name[] = "cpu", *terms = text;
	struct td_pmu pmu = { .name = name, .type = 4 };
	struct td_err err = { 0 };
	struct td_event event;
	int rc;

	if (!text)
		return 0;
	for (size_t i = 0; i < TD_ARRAY_SIZE(formats); i++)
		add_format(&pmu, formats[i].name, formats[i].text);
	add_format(&pmu, "x", strsep(&terms, "\n"));
	for (size_t i = 0; i < pmu.nr_formats; i++) {
		check_pack(&pmu.formats[i], size);
		check_pack(&pmu.formats[i], UINT64_MAX >> size % 64);
	}
	rc = td_event_init(&event, &pmu, 0, "event", terms ? terms : "", &err);
	if (rc != err.code || !event.name)
		abort();
	td_event_free(&event);
	pmu.name = NULL; /* not on the heap */
	td_pmu_free(&pmu);
	return 0;
}
