// SPDX-License-Identifier: GPL-2.0-only
/* The programs of the evidence, counted with other tools. */
#include "cmd/evidence/parts.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "metrics/files/text.h"

/* --- running them --------------------------------------------------------------- */

#define LOG_FD 3 /* file descriptor of the results */

_Noreturn static void become(char *const *command, int results)
{
	int nothing = memfd_create("tdstat", MFD_CLOEXEC);
	sigset_t none;

	/* perf stat waits for SIGCHLD, which a session leaves blocked */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* a locale would change the format of numbers */
	setenv("LC_ALL", "C", 1);
	dup2(nothing, STDERR_FILENO);
	dup2(results, STDOUT_FILENO);
	if (results == LOG_FD || dup2(results, LOG_FD) < 0)
		_exit(126);
	execvp(command[0], command);
	_exit(errno == ENOENT ? 127 : 126);
}

/* Return the output, which the caller frees, or NULL. */
static char *run(char *const *command, struct td_err *err)
{
	int results = memfd_create("tdstat", MFD_CLOEXEC), status = -1;
	char *text = NULL;
	pid_t pid;
	off_t size;

	/* the command needs this descriptor */
	if (results == LOG_FD) {
		results = dup(results);
		close(LOG_FD);
	}
	pid = results < 0 ? -1 : fork();
	if (pid == 0)
		become(command, results);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	size = pid > 0 ? lseek(results, 0, SEEK_END) : -1;
	if (status == 0 && size >= 0)
		text = td_calloc(1, (size_t)size + 1);
	if (text && pread(results, text, (size_t)size, 0) != size)
		text[0] = '\0';
	td_close_fd(&results);
	if (!text && WIFEXITED(status) && WEXITSTATUS(status) == 127)
		td_err_set(err, -ENOENT, "there is no %s", command[0]);
	else if (!text)
		td_err_set(err, -ECHILD, "%s could not count it", command[0]);
	return text;
}

void td_peer_perf_version(char version[TD_PEER_VERSION])
{
	char perf[] = "perf", option[] = "--version";
	char *command[] = { perf, option, NULL };
	struct td_err unused = { 0 };
	td_autofree char *text = run(command, &unused);

	version[0] = '\0';
	if (text)
		sscanf(text, "perf version %31[0-9.]", version);
}

/* --- perf's results --------------------------------------------------------------- */

/* Return the name in "%  tma_retiring". */
static const char *name_of(struct json_object *object)
{
	struct json_object *unit;
	const char *text;

	if (!json_object_object_get_ex(object, "metric-unit", &unit))
		return NULL;
	text = json_object_get_string(unit);
	return text && text[0] == '%' ? text + 1 + strspn(text + 1, " ") : NULL;
}

static void take_object(struct td_values *values, struct json_object *object)
{
	const char *name = name_of(object);
	struct json_object *value;
	const char *text;
	char *end;
	double number;

	if (!name || !json_object_object_get_ex(object, "metric-value", &value))
		return;
	text = json_object_get_string(value);
	number = text ? strtod(text, &end) : NAN;
	if (isfinite(number) && end != text)
		td_values_add(values, name, number, NAN);
}

static void take_lines(struct td_values *values, char *text)
{
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct json_object *object = json_tokener_parse(line);

		if (json_object_is_type(object, json_type_object))
			take_object(values, object);
		json_object_put(object);
	}
}

/* Find this program; for perf and toplev, /proc/self/exe would be their own. */
static void find_self(char self[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", self, PATH_MAX - 1);

	if (length > 0)
		self[length] = '\0';
	else
		snprintf(self, PATH_MAX, "tdstat");
}

void td_peer_perf(struct td_measured *measured, const struct td_known *program, int ms,
		  const struct td_site *spot, const char *group)
{
	char perf[] = "perf", stat[] = "stat", json[] = "-j", log[] = "--log-fd", fd[] = "3",
	     metrics[] = "-M", levels[16], dashes[] = "--", name[] = "doctor", quiet[] = "--quiet",
	     option[] = "--program", word[40], cpus[24], self[PATH_MAX];
	char *command[] = { perf,   stat, json, log,   fd,     metrics, levels, cpus,
			    dashes, self, name, quiet, option, word,    NULL };
	td_autofree char *text = NULL;

	*measured = (struct td_measured){ 0 };
	find_self(self);
	snprintf(word, sizeof(word), "%s:%d", program->name, ms);
	snprintf(levels, sizeof(levels), "%s", group);
	/* without a CPU, repeat -j to fill the place */
	if (spot->whole_core)
		snprintf(cpus, sizeof(cpus), "-C%d", spot->cpu);
	else
		snprintf(cpus, sizeof(cpus), "-j");
	text = run(command, &measured->err);
	if (text)
		take_lines(&measured->values, text);
	if (text && !measured->values.nr)
		td_err_set(&measured->err, -ENODATA, "perf has no values");
}

/* --- toplev ------------------------------------------------------------------------- */

const char *td_peer_toplev_find(void)
{
	static const char *const names[] = { "toplev", "toplev.py" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(names); i++) {
		char name[16], option[] = "--help";
		char *command[] = { name, option, NULL };
		struct td_err unused = { 0 };
		td_autofree char *text = NULL;

		snprintf(name, sizeof(name), "%s", names[i]);
		text = run(command, &unused);
		if (text)
			return names[i];
	}
	return NULL;
}

/*
 * Add "Backend_Bound.Memory_Bound" as memory_bound: names of toplev only differ in case and in
 * the ancestors.
 */
static void add_node(struct td_values *values, const char *path, double value)
{
	const char *dot = strrchr(path, '.');
	char name[TD_FOCUS_NAME];

	snprintf(name, sizeof(name), "%s", dot ? dot + 1 : path);
	td_values_add(values, td_lower(name), value, NAN);
}

/*
 * Parse a line of CSV: a CPU if there are several, a node, its value, its unit, and more.
 * Metrics outside of the tree have other units than slots.
 */
static void take_fields(struct td_values *values, char *line)
{
	const char *fields[4] = { NULL };
	size_t nr = 0;

	while (nr < TD_ARRAY_SIZE(fields) && line)
		fields[nr++] = strsep(&line, ",");
	for (size_t i = 0; i + 2 < nr; i++) {
		char *end;
		double value = strtod(fields[i + 1], &end);

		if (end != fields[i + 1] && !*end && isfinite(value) &&
		    strncmp(fields[i + 2], "% Slots", 7) == 0) {
			add_node(values, fields[i], value);
			return;
		}
	}
}

void td_peer_toplev(struct td_measured *measured, const char *toplev,
		    const struct td_known *program, int ms)
{
	char first[16], levels[] = "-l2", all[] = "-v", brief[] = "--no-desc", csv[] = "-x,",
			single[] = "--single-thread", output[] = "-o", file[] = "/dev/fd/3",
			dashes[] = "--", name[] = "doctor", quiet[] = "--quiet",
			option[] = "--program", word[40], self[PATH_MAX];
	char *command[] = { first,  levels, all,  brief, csv,    single, output, file,
			    dashes, self,   name, quiet, option, word,   NULL };
	td_autofree char *text = NULL;
	char *rest;

	*measured = (struct td_measured){ 0 };
	find_self(self);
	snprintf(first, sizeof(first), "%s", toplev);
	snprintf(word, sizeof(word), "%s:%d", program->name, ms);
	text = rest = run(command, &measured->err);
	while (rest)
		take_fields(&measured->values, strsep(&rest, "\n"));
	if (text && !measured->values.nr)
		td_err_set(&measured->err, -ENODATA, "%s has no values", toplev);
}

/* --- comparing ---------------------------------------------------------------------- */

#define MAX_POINTS 6

struct td_difference td_values_compare(const struct td_values *a, const struct td_values *b,
				       const char *than)
{
	struct td_difference worst = { .than = than };

	for (size_t i = 0; i < a->nr; i++) {
		const struct td_value *of_a = &a->v[i], *of_b;

		of_b = td_values_find(b, td_node_short_name(of_a->name));
		if (!of_b ||
		    (worst.name[0] && fabs(of_a->value - of_b->value) <= fabs(worst.points)))
			continue;
		snprintf(worst.name, sizeof(worst.name), "%s", of_a->name);
		worst.points = of_a->value - of_b->value;
	}
	return worst;
}

bool td_difference_is_far(const struct td_difference *difference)
{
	return difference->name[0] && fabs(difference->points) > MAX_POINTS;
}
