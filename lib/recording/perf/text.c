// SPDX-License-Identifier: GPL-2.0-only
/* Reads what stands in perf's columns: numbers and ids. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/parse.h"
#include "lib/base/util.h"
#include "lib/recording/perf/parts.h"

/* --- numbers -------------------------------------------------------------- */

/*
 * "12", "12.5": whole, and of the fraction as many digits as asked for, as one
 * number.  perf writes the decimal comma of the locale, too.
 */
static bool take_decimal(const char *text, int digits, uint64_t *whole,
			 uint64_t *fraction)
{
	size_t len = strspn(text, "0123456789");
	char number[24];

	if (!len || len >= sizeof(number))
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	if (td_parse_u64(number, INT64_MAX - 1, whole))
		return false;
	text += len;
	*fraction = 0;
	if (*text == '.' || *text == ',') {
		text++;
		if (!isdigit((unsigned char)*text))
			return false;
	} else if (*text) {
		return false;
	}
	for (; digits > 0; digits--)
		*fraction =
			*fraction * 10 + (isdigit((unsigned char)*text)
						  ? (uint64_t)(*text++ - '0')
						  : 0);
	return text[strspn(text, "0123456789")] == '\0';
}

bool td_perf_value_parse(const char *text, struct td_perf_line *line)
{
	uint64_t micro;

	line->value = (struct td_perf_value){ 0 };
	line->status = TD_PERF_COUNTED;
	if (strcmp(text, "<not counted>") == 0)
		line->status = TD_PERF_NOT_COUNTED;
	else if (strcmp(text, "<not supported>") == 0)
		line->status = TD_PERF_NOT_SUPPORTED;
	else if (take_decimal(text, 6, &line->value.whole, &micro))
		line->value.micro = (uint32_t)micro;
	else
		return false;
	return true;
}

bool td_perf_number_parse(const char *text, double *out)
{
	uint64_t whole, micro;

	if (!take_decimal(text, 6, &whole, &micro))
		return false;
	*out = (double)whole + (double)micro / 1e6;
	return true;
}

bool td_perf_time_parse(const char *text, uint64_t *ns)
{
	uint64_t whole, nano;

	if (!take_decimal(text, 9, &whole, &nano) ||
	    whole > INT64_MAX / 1000000000 - 1)
		return false;
	*ns = whole * 1000000000 + nano;
	return true;
}

/* --- ids ------------------------------------------------------------------ */

/* A prefix and a number behind it, which -1 may be; *text: what follows. */
static bool take(const char **text, const char *prefix, int *out)
{
	size_t len = strlen(prefix);
	const char *at = *text + len;
	char *end;
	long value;

	if (strncmp(*text, prefix, len) != 0 ||
	    (!isdigit((unsigned char)*at) && strncmp(at, "-1", 2) != 0))
		return false;
	errno = 0;
	value = strtol(at, &end, 10);
	if (errno || value < -1 || value > INT_MAX)
		return false;
	*out = (int)value;
	*text = end;
	return true;
}

/* "-L3-ID8" */
static int parse_cache(const char *text, struct td_perf_unit *unit)
{
	int id;

	if (!take(&text, "-L", &unit->cache_level) ||
	    !take(&text, "-ID", &id) || *text || unit->cache_level < 1 ||
	    unit->cache_level > TD_MAX_CACHE || id > TD_MAX_CPU)
		return -EINVAL;
	unit->how = TD_AGGREGATE_CACHE;
	unit->place.cache[unit->cache_level - 1] = id;
	return 0;
}

/* What follows a die. */
static int parse_in_die(const char *text, struct td_perf_unit *unit)
{
	if (strncmp(text, "-L", 2) == 0)
		return parse_cache(text, unit);
	if (take(&text, "-CLS", &unit->place.cluster))
		unit->how = TD_AGGREGATE_CLUSTER;
	else if (take(&text, "-C", &unit->place.core))
		unit->how = TD_AGGREGATE_CORE;
	else
		unit->how = TD_AGGREGATE_DIE;
	return *text ? -EINVAL : 0;
}

static int parse_place(const char *id, struct td_perf_unit *unit)
{
	if (take(&id, "CPU", &unit->place.cpu) && !*id) {
		unit->how = TD_AGGREGATE_CPU;
		return unit->place.cpu < 0 || unit->place.cpu > TD_MAX_CPU
			       ? -EINVAL
			       : 0;
	}
	if (take(&id, "N", &unit->place.node) && !*id) {
		unit->how = TD_AGGREGATE_NODE;
		return 0;
	}
	if (!take(&id, "S", &unit->place.socket))
		return -EINVAL;
	unit->how = TD_AGGREGATE_SOCKET;
	if (!*id)
		return 0;
	return take(&id, "-D", &unit->place.die) ? parse_in_die(id, unit)
						 : -EINVAL;
}

/* "Web Content-1234" */
static int parse_thread(const char *id, struct td_perf_unit *unit)
{
	const char *dash = strrchr(id, '-');

	unit->how = TD_AGGREGATE_THREAD;
	if (!dash || td_parse_int(dash + 1, 0, INT_MAX, &unit->tid))
		return -EINVAL;
	unit->comm = (size_t)(dash - id);
	return 0;
}

static const struct td_perf_unit nothing = {
	.how = TD_AGGREGATE_ALL,
	.tid = -1,
	.place = { -1, -1, -1, -1, -1, -1, .cache = { -1, -1, -1, -1 } },
	.cache_level = -1,
};

int td_perf_unit_parse(const char *id, struct td_perf_unit *unit)
{
	*unit = nothing;
	if (!id || parse_place(id, unit) == 0)
		return 0;
	*unit = nothing;
	return parse_thread(id, unit);
}
