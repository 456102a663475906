// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/list/parts.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "lib/event/event.h"

bool td_encoding_is_numeric(const struct td_event *event)
{
	return event->type < PERF_TYPE_RAW;
}

/* Is name one of the terms of "event=0xcd,umask=0x1,ldlat"? */
static bool is_among(const char *terms, const char *name)
{
	size_t len = strlen(name);

	while (terms && *terms) {
		if (strncmp(terms, name, len) == 0 &&
		    strchr(",=", terms[len])) /* also matches the NUL */
			return true;
		terms += strcspn(terms, ",");
		terms += *terms == ',';
	}
	return false;
}

/* Do other formats use the same bits, as ldlat, frontend and offcore_rsp use config1? */
static bool is_ambiguous(const struct td_pmu *pmu, const struct td_format *format)
{
	for (size_t i = 0; i < pmu->nr_formats; i++) {
		const struct td_format *other = &pmu->formats[i];

		if (other != format && other->word == format->word && other->mask & format->mask)
			return true;
	}
	return false;
}

/* The reverse of td_format_pack(). */
static uint64_t unpack(const struct td_format *format, uint64_t config)
{
	uint64_t value = 0;
	int to = 0;

	for (int bit = 0; bit < 64; bit++) {
		if (format->mask >> bit & 1)
			value |= (config >> bit & 1) << to++;
	}
	return value;
}

/* An event that is partly written. */
struct rest {
	FILE *fp;
	uint64_t config[TD_NR_CONFIGS]; /* the bits that are not written yet */
	const char *separator;
};

static void put_term(struct rest *rest, const char *name, uint64_t value)
{
	fprintf(rest->fp, "%s%s=0x%" PRIx64, rest->separator, name, value);
	rest->separator = ",";
}

static void put_format(struct rest *rest, const struct td_event *event,
		       const struct td_format *format)
{
	if (!(rest->config[format->word] & format->mask))
		return;
	put_term(rest, format->name, unpack(format, event->config[format->word]));
	rest->config[format->word] &= ~format->mask;
}

/* Write the event code first, as sysfs does, even if it is 0. */
static void put_code(struct rest *rest, const struct td_pmu *pmu, const struct td_event *event)
{
	const struct td_format *code = td_pmu_format(pmu, "event");
	const struct td_format *umask = td_pmu_format(pmu, "umask");

	if (code) {
		put_term(rest, code->name, unpack(code, event->config[code->word]));
		rest->config[code->word] &= ~code->mask;
	}
	if (umask)
		put_format(rest, event, umask);
}

static void put_unnamed(struct rest *rest)
{
	static const char *const words[TD_NR_CONFIGS] = { "config", "config1", "config2",
							  "config3" };

	for (int i = 0; i < TD_NR_CONFIGS; i++) {
		if (rest->config[i])
			put_term(rest, words[i], rest->config[i]);
	}
	if (!*rest->separator)
		put_term(rest, words[0], 0);
}

/* Write "0:0x400000000", and terms that are valid for all events between slashes. */
static void put_numeric(FILE *fp, const struct td_event *event)
{
	const char *separator = "/";

	fprintf(fp, "%u:0x%" PRIx64, event->type, event->config[0]);
	for (int i = 1; i < TD_NR_CONFIGS; i++) {
		if (!event->config[i])
			continue;
		fprintf(fp, "%sconfig%d=0x%" PRIx64, separator, i, event->config[i]);
		separator = ",";
	}
	if (event->percore) {
		fprintf(fp, "%spercore", separator);
		separator = ",";
	}
	if (*separator == ',')
		fputc('/', fp);
}

void td_encoding_put(FILE *fp, const struct td_pmu *pmu, const char *pmu_name,
		     const struct td_event *event, const char *terms)
{
	struct rest rest = { .fp = fp, .separator = "" };

	if (td_encoding_is_numeric(event)) {
		put_numeric(fp, event);
		return;
	}
	memcpy(rest.config, event->config, sizeof(rest.config));
	fprintf(fp, "%s/", pmu_name);
	put_code(&rest, pmu, event);
	for (size_t i = 0; i < pmu->nr_formats; i++) {
		if (is_among(terms, pmu->formats[i].name) || !is_ambiguous(pmu, &pmu->formats[i]))
			put_format(&rest, event, &pmu->formats[i]);
	}
	put_unnamed(&rest);
	fputs(event->percore ? ",percore/" : "/", fp);
}

void td_encoding_put_modifiers(FILE *fp, const char *separator, const struct td_modifiers *mods)
{
	char letters[TD_MODIFIERS_SIZE];

	td_modifiers_format(mods, "ukhIGHpPSDeR", letters);
	if (*letters)
		fprintf(fp, "%s%s", separator, letters);
}
