// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "metrics/pmu_events_parts.h"

/* The longest in the kernel tree has 47 characters. */
#define MAX_EXPRESSION 256

struct names {
	char whole[48];
	char model[48]; /* without the stepping */
};

static void name_processor(const struct td_cpuid *cpuid, struct names *names)
{
	td_cpuid_format(cpuid, names->whole);
	memcpy(names->model, names->whole, sizeof(names->model));
	*strrchr(names->model, '-') = '\0';
}

/*
 * Most expressions have no stepping, but Skylake-X and Cascade Lake differ in
 * nothing else.  1: it is this processor's; -EINVAL: not an expression, and
 * why is said.
 */
static int matches(const char *expression, const struct names *names, char *why,
		   size_t size)
{
	char whole[MAX_EXPRESSION + sizeof("^()$")];
	regex_t regex;
	int rc;

	if (strlen(expression) > MAX_EXPRESSION) {
		snprintf(why, size, "longer than %d characters",
			 MAX_EXPRESSION);
		return -EINVAL;
	}
	snprintf(whole, sizeof(whole), "^(%s)$", expression);
	rc = regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, &regex, why, size);
		return -EINVAL;
	}
	rc = regexec(&regex, names->whole, 0, NULL, 0) == 0 ||
	     regexec(&regex, names->model, 0, NULL, 0) == 0;
	regfree(&regex);
	return rc;
}

/* "GenuineIntel-6-8[CD],v1.16,tigerlake,core" */
static int read_line(char *line, const struct names *names, const char **folder,
		     char *why, size_t size)
{
	const char *expression = strsep(&line, ",");
	const char *version = strsep(&line, ",");
	const char *name = strsep(&line, ",");

	if (!version || !name || !*name) {
		snprintf(why, size, "not expression,version,folder,type");
		return -EINVAL;
	}
	*folder = name;
	return matches(expression, names, why, size);
}

int td_pmu_map_find(char *text, const char *path, const struct td_cpuid *cpuid,
		    const char **folder, struct td_err *err)
{
	struct names names;
	char why[128];
	char *line;
	int rc = 0;

	name_processor(cpuid, &names);
	for (size_t nr = 1; (line = strsep(&text, "\n")); nr++) {
		line[strcspn(line, "\r")] = '\0';
		/* the first one names the columns */
		if (nr == 1 || line[0] == '\0' || line[0] == '#')
			continue;
		rc = read_line(line, &names, folder, why, sizeof(why));
		if (rc < 0)
			return td_err_set(err, rc, "%s:%zu: %s", path, nr, why);
		if (rc)
			return 0;
	}
	return td_err_set(err, -ENOENT, "%s: has no events of %s", path,
			  names.whole);
}
