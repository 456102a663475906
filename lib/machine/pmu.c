// SPDX-License-Identifier: GPL-2.0-only
#include "lib/machine/pmu.h"

#include <ctype.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>

#include "lib/base/number.h"
#include "lib/base/util.h"
#include "lib/machine/cpu.h"

#define DEVICES "bus/event_source/devices"

int td_pmu_pack(const struct td_pmu *pmu, const struct td_format *format, uint64_t value,
		uint64_t config[TD_NR_CONFIGS], uint64_t *bits)
{
	uint64_t packed[TD_NR_CONFIGS] = { 0 }, others = 0;
	int word = format->word;

	if (td_format_pack(format, value, packed))
		return -ERANGE;
	for (size_t i = 0; i < pmu->nr_formats; i++) {
		if (&pmu->formats[i] != format && pmu->formats[i].word == word)
			others |= bits[i];
	}
	if (others & packed[word])
		return -EEXIST;
	bits[format - pmu->formats] = packed[word];
	config[word] &= ~format->mask | others;
	config[word] |= packed[word];
	return 0;
}

/* Reads a file of a PMU.  Returns its length, or 0 if there is no such file. */
static ssize_t read_text(const struct td_sysfs *fs, const char *path, char *buf, size_t size,
			 struct td_err *err)
{
	ssize_t len = td_sysfs_read_at(fs->sys, path, buf, size);

	if (td_sysfs_is_none(len) || len == -EISDIR)
		return 0;
	if (len == (ssize_t)size - 1)
		len = -EFBIG;
	if (len < 0)
		td_err_set(err, (int)len, "%s/%s: %s", fs->sys_path, path, strerror((int)-len));
	return len;
}

static int read_format(const struct td_sysfs *fs, struct td_pmu *pmu, const char *name,
		       struct td_err *err)
{
	char path[PATH_MAX], text[256];
	struct td_format *format;
	ssize_t len;

	snprintf(path, sizeof(path), DEVICES "/%s/format/%s", pmu->name, name);
	len = read_text(fs, path, text, sizeof(text), err);
	if (len <= 0)
		return (int)len;
	format = td_array_add(&pmu->formats, pmu->nr_formats, sizeof(*format));
	if (td_format_parse(text, format))
		return 0; /* ignore formats of newer kernels */
	format->name = td_strdup(name);
	pmu->nr_formats++;
	return 0;
}

static bool is_attribute_file(const char *name)
{
	return td_ends_with(name, ".scale") || td_ends_with(name, ".unit") ||
	       td_ends_with(name, ".per-pkg") || td_ends_with(name, ".snapshot");
}

/* Is the file name + suffix in the directory's list?  This saves opening missing files. */
static bool listed(const struct td_names *names, const char *name, const char *suffix)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < names->nr; i++) {
		if (strncmp(names->v[i], name, len) == 0 && strcmp(names->v[i] + len, suffix) == 0)
			return true;
	}
	return false;
}

/* Parses a .scale file: a number above 0, such as "2" or "6.103515625e-5". */
static int parse_scale(const char *text, double *scale)
{
	char *end;

	*scale = strtod(text, &end);
	return *end || !(*scale > 0) || !isfinite(*scale) ? -EINVAL : 0;
}

static int read_scale(const struct td_sysfs *fs, const struct td_pmu *pmu, struct td_alias *alias,
		      struct td_err *err)
{
	char path[PATH_MAX], text[64];
	ssize_t len;

	snprintf(path, sizeof(path), DEVICES "/%s/events/%s.scale", pmu->name, alias->name);
	len = read_text(fs, path, text, sizeof(text), err);
	if (len <= 0)
		return (int)len;
	if (parse_scale(text, &alias->scale))
		return td_err_set(err, -EINVAL, "%s/%s: not a scale: %s", fs->sys_path, path, text);
	return 0;
}

static int read_unit(const struct td_sysfs *fs, const struct td_pmu *pmu, struct td_alias *alias,
		     struct td_err *err)
{
	char path[PATH_MAX], text[64];
	ssize_t len;

	snprintf(path, sizeof(path), DEVICES "/%s/events/%s.unit", pmu->name, alias->name);
	len = read_text(fs, path, text, sizeof(text), err);
	if (len <= 0)
		return (int)len;
	alias->unit = td_strdup(text);
	return 0;
}

static int read_alias(const struct td_sysfs *fs, struct td_pmu *pmu, const struct td_names *names,
		      const char *name, struct td_err *err)
{
	char path[PATH_MAX], text[1024];
	struct td_alias *alias;
	ssize_t len;
	int rc = 0;

	if (is_attribute_file(name))
		return 0;
	snprintf(path, sizeof(path), DEVICES "/%s/events/%s", pmu->name, name);
	len = read_text(fs, path, text, sizeof(text), err);
	if (len <= 0)
		return (int)len;
	alias = td_array_add(&pmu->aliases, pmu->nr_aliases++, sizeof(*alias));
	alias->name = td_strdup(name);
	alias->terms = td_strdup(text);
	alias->scale = 1;
	if (listed(names, alias->name, ".scale"))
		rc = read_scale(fs, pmu, alias, err);
	if (!rc && listed(names, alias->name, ".unit"))
		rc = read_unit(fs, pmu, alias, err);
	return rc;
}

/* Lists a directory; a missing one counts as empty. */
static int list_directory(const struct td_sysfs *fs, const struct td_pmu *pmu, const char *name,
			  struct td_names *names, struct td_err *err)
{
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), DEVICES "/%s/%s", pmu->name, name);
	rc = td_sysfs_list(fs->sys, path, names);
	if (!rc || td_sysfs_is_none(rc))
		return 0;
	return td_err_set(err, rc, "%s/%s: %s", fs->sys_path, path, strerror(-rc));
}

static int read_directories(const struct td_sysfs *fs, struct td_pmu *pmu, struct td_err *err)
{
	struct td_names names;
	int rc = list_directory(fs, pmu, "format", &names, err);

	for (size_t i = 0; !rc && i < names.nr; i++)
		rc = read_format(fs, pmu, names.v[i], err);
	td_names_free(&names);
	if (rc)
		return rc;
	rc = list_directory(fs, pmu, "events", &names, err);
	for (size_t i = 0; !rc && i < names.nr; i++)
		rc = read_alias(fs, pmu, &names, names.v[i], err);
	td_names_free(&names);
	return rc;
}

int td_pmu_read_cpus(const struct td_sysfs *fs, struct td_pmu *pmu, const struct td_ints *online,
		     struct td_err *err)
{
	char path[PATH_MAX];
	struct td_ints all;
	int rc;

	snprintf(path, sizeof(path), DEVICES "/%s/cpus", pmu->name);
	rc = td_sysfs_read_list(fs, path, TD_MAX_CPU, &all, err);
	if (rc == -ENOENT && pmu->kind == TD_PMU_OTHER) {
		snprintf(path, sizeof(path), DEVICES "/%s/cpumask", pmu->name);
		rc = td_sysfs_read_list(fs, path, TD_MAX_CPU, &all, err);
	}
	if (rc && rc != -ENOENT)
		return rc;
	*err = (struct td_err){ 0 };
	if (rc)
		td_ints_copy(&pmu->cpus, online);
	else
		td_ints_and(&pmu->cpus, &all, online);
	td_ints_free(&all);
	pmu->of_dies = pmu->kind == TD_PMU_OTHER && td_cpus_are_of_dies(fs, &pmu->cpus);
	return 0;
}

bool td_pmu_exists(const struct td_sysfs *fs, const char *name)
{
	struct td_err unused;
	char path[PATH_MAX];
	int type;

	snprintf(path, sizeof(path), DEVICES "/%.*s/type", (int)strcspn(name, "/"), name);
	return fs && td_sysfs_read_int(fs, path, &type, &unused) == 0 && type >= 0;
}

enum td_pmu_kind td_pmu_kind(const char *name)
{
	/* PMUs whose events belong to perf_sw_context in the kernel */
	static const char *const software[] = { "software", "tracepoint", "breakpoint",
						"msr",      "kprobe",     "uprobe" };

	if (strcmp(name, "cpu") == 0 || strncmp(name, "cpu_", 4) == 0)
		return TD_PMU_CORE;
	if (strcmp(name, "tool") == 0)
		return TD_PMU_TOOL;
	if (strncmp(name, "ibs_", 4) == 0)
		return TD_PMU_IBS;
	for (size_t i = 0; i < TD_ARRAY_SIZE(software); i++) {
		if (strcmp(name, software[i]) == 0)
			return TD_PMU_SOFTWARE;
	}
	return TD_PMU_OTHER;
}

/*
 * Returns the length of a PMU's name without its suffix: as in perf (pmu_name_len_no_suffix() in
 * tools/perf/util/pmus.c), '_' and a decimal number, or a hexadecimal address of at least three
 * digits, because two digits may be the end of a name (cpum_cf).
 */
size_t td_pmu_stem_length(const char *name)
{
	size_t len = strlen(name), at = len;
	bool hex = false;

	for (; at && isxdigit((unsigned char)name[at - 1]); at--)
		hex |= !isdigit((unsigned char)name[at - 1]);
	return !at || at == len || name[at - 1] != '_' || (hex && len - at < 3) ? len : at - 1;
}

static const char *without_uncore(const char *name)
{
	return strncmp(name, "uncore_", 7) == 0 ? name + 7 : name;
}

bool td_pmu_matches(const char *pmu, const char *pattern)
{
	const char *bare = without_uncore(pmu), *base = without_uncore(pattern);
	size_t len = strlen(base);

	if (strpbrk(pattern, "*?["))
		return fnmatch(pattern, pmu, 0) == 0 || fnmatch(pattern, bare, 0) == 0;
	return strncmp(bare, base, len) == 0 && (!bare[len] || td_pmu_stem_length(bare) == len);
}

int td_pmu_read(const struct td_sysfs *fs, const char *name, const struct td_ints *online,
		struct td_pmu *pmu, struct td_err *err)
{
	char path[PATH_MAX], text[32];
	uint64_t type;
	int rc;

	*pmu = (struct td_pmu){
		.name = td_strdup(name),
		.kind = td_pmu_kind(name),
	};
	snprintf(path, sizeof(path), DEVICES "/%s/type", name);
	if (td_sysfs_read(fs, path, text, sizeof(text), err) < 0)
		return err->code;
	if (td_parse_u64(text, UINT32_MAX, &type))
		return td_err_set(err, -EINVAL, "%s/%s: not a number: %s", fs->sys_path, path,
				  text);
	pmu->type = (uint32_t)type;
	rc = td_pmu_read_cpus(fs, pmu, online, err);
	return rc ?: read_directories(fs, pmu, err);
}

static void free_alias(struct td_alias *alias)
{
	free(alias->name);
	free(alias->terms);
	free(alias->unit);
}

void td_pmu_free(struct td_pmu *pmu)
{
	for (size_t i = 0; i < pmu->nr_formats; i++)
		free(pmu->formats[i].name);
	for (size_t i = 0; i < pmu->nr_aliases; i++)
		free_alias(&pmu->aliases[i]);
	for (size_t i = 0; i < pmu->nr_recorded; i++)
		free(pmu->recorded[i]);
	free(pmu->formats);
	free(pmu->aliases);
	free(pmu->recorded);
	free(pmu->name);
	td_ints_free(&pmu->cpus);
	*pmu = (struct td_pmu){ 0 };
}

const struct td_alias *td_pmu_alias(const struct td_pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->nr_aliases; i++) {
		if (strcmp(pmu->aliases[i].name, name) == 0)
			return &pmu->aliases[i];
	}
	return NULL;
}

const struct td_format *td_pmu_format(const struct td_pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->nr_formats; i++) {
		if (strcmp(pmu->formats[i].name, name) == 0)
			return &pmu->formats[i];
	}
	return NULL;
}

bool td_pmu_has_event(const struct td_pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->nr_recorded; i++) {
		if (strcmp(pmu->recorded[i], name) == 0)
			return true;
	}
	return td_pmu_alias(pmu, name) != NULL;
}

bool td_pmu_has_slots(const struct td_pmu *pmu)
{
	return td_pmu_has_event(pmu, "slots");
}

void td_pmu_forget_slots(struct td_pmu *pmu)
{
	size_t nr = 0;

	td_for_each(struct td_alias, alias, pmu->aliases, pmu->nr_aliases) {
		if (strcmp(alias->name, "slots") == 0 ||
		    strncmp(alias->name, "topdown-", strlen("topdown-")) == 0)
			free_alias(alias);
		else
			pmu->aliases[nr++] = *alias;
	}
	pmu->nr_aliases = nr;
}

uint64_t td_pmu_config(const struct td_pmu *pmu, uint64_t config)
{
	/* the kernel expects 0 for the only core PMU */
	return strcmp(pmu->name, "cpu") == 0 ? config : config | (uint64_t)pmu->type << 32;
}

/* --- the fields of an encoding: the files of a PMU's format/ -------------- */

int td_config_word(const char *name)
{
	if (strncmp(name, "config", 6) != 0)
		return -1;
	name += 6;
	if (*name == '\0')
		return 0;
	if (*name >= '1' && *name < '0' + TD_NR_CONFIGS && !name[1])
		return *name - '0';
	return -1;
}

int td_format_parse(const char *text, struct td_format *out)
{
	struct td_ints bits;
	int word = 0;

	if (strncmp(text, "config", 6) != 0)
		return -EINVAL;
	text += 6;
	if (*text >= '1' && *text < '0' + TD_NR_CONFIGS)
		word = *text++ - '0';
	if (*text++ != ':')
		return -EINVAL;
	if (td_ints_parse(text, 63, &bits))
		return -EINVAL;
	out->word = word;
	out->mask = 0;
	for (size_t i = 0; i < bits.nr; i++)
		out->mask |= UINT64_C(1) << bits.v[i];
	td_ints_free(&bits);
	return out->mask ? 0 : -EINVAL;
}

int td_format_pack(const struct td_format *format, uint64_t value, uint64_t config[TD_NR_CONFIGS])
{
	uint64_t packed = 0;

	for (int bit = 0; bit < 64; bit++) {
		if (!(format->mask >> bit & 1))
			continue;
		packed |= (value & 1) << bit;
		value >>= 1;
	}
	if (value)
		return -ERANGE;
	config[format->word] &= ~format->mask;
	config[format->word] |= packed;
	return 0;
}
