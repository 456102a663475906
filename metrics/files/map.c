// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "metrics/files/parts.h"

/* The longest expression in the kernel tree has 47 characters. */
#define MAX_EXPRESSION 256

static size_t count_commas(const char *text, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < len; i++)
		nr += text[i] == ',';
	return nr;
}

void td_map_identify(struct td_map *map, const struct td_cpuid *cpuid)
{
	td_cpuid_format(cpuid, map->whole);
	memcpy(map->model, map->whole, sizeof(map->model));
	*strrchr(map->model, '-') = '\0';
}

/*
 * The first line names the columns: four in the kernel tree, seven in
 * intel/perfmon.
 */
void td_map_begin(struct td_map *map, const struct td_cpuid *cpuid)
{
	map->rest = map->text;
	td_map_identify(map, cpuid);
	map->perfmon = count_commas(map->text, strcspn(map->text, "\n")) >= 6;
}

/*
 * Most expressions are plain text and are compared as such, which is
 * cheaper.  Most have no stepping, but Skylake-X and Cascade Lake differ only
 * in that.
 */
int td_map_matches(const char *expression, const struct td_map *map, char *why,
		   size_t size)
{
	char whole[MAX_EXPRESSION + sizeof("^()$")];
	regex_t regex;
	int rc;

	if (!expression[strcspn(expression, "[](){}.*+?|^$\\")])
		return strcmp(expression, map->whole) == 0 ||
		       strcmp(expression, map->model) == 0;
	if (strlen(expression) > MAX_EXPRESSION) {
		snprintf(why, size, "longer than %d characters",
			 MAX_EXPRESSION);
		return -EINVAL;
	}
	snprintf(whole, sizeof(whole), "^(%s)$", expression);
	rc = regcomp(&regex, whole, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, &regex, why, size);
		return rc == REG_ESPACE ? -ENOMEM : -EINVAL;
	}
	rc = regexec(&regex, map->whole, 0, NULL, 0) == 0 ||
	     regexec(&regex, map->model, 0, NULL, 0) == 0;
	regfree(&regex);
	return rc;
}

static const char *column(char **line)
{
	const char *text = strsep(line, ",");

	return text ? text : "";
}

/*
 * Reads a line such as
 *
 * "GenuineIntel-6-8[CD],v1.16,tigerlake,core", or
 * "GenuineIntel-6-97,V1.40,/ADL/events/x.json,hybridcore,0x40,0x000001,Core"
 */
static int read_line(const struct td_map *map, char *line,
		     struct td_map_row *row, char *why, size_t size)
{
	const char *expression = column(&line);

	row->version = column(&line);
	row->file = column(&line);
	row->type = column(&line);
	row->core = column(&line);
	strsep(&line, ","); /* the native model */
	row->role = column(&line);
	if (!*row->file) {
		snprintf(why, size, "not expression,version,%s,type",
			 map->perfmon ? "file" : "folder");
		return -EINVAL;
	}
	return td_map_matches(expression, map, why, size);
}

int td_map_next(struct td_map *map, struct td_map_row *row, struct td_err *err)
{
	char why[128];
	char *line;
	int rc = 0;

	while (!rc && (line = strsep(&map->rest, "\n"))) {
		map->line++;
		line[strcspn(line, "\r")] = '\0';
		if (map->line == 1 || line[0] == '\0' || line[0] == '#')
			continue;
		rc = read_line(map, line, row, why, sizeof(why));
	}
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	if (rc < 0)
		return td_err_set(err, rc, "%s:%zu: %s", map->path, map->line,
				  why);
	return rc;
}

int td_map_none(const struct td_map *map, struct td_err *err)
{
	return td_err_set(err, -ENOENT, "%s: has no events of %s", map->path,
			  map->whole);
}
