// SPDX-License-Identifier: GPL-2.0-only
#include "lib/event/tracepoint.h"

#include <event-parse.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <tracefs.h>
#include <unistd.h>

#include "lib/base/library.h"
#include "lib/base/number.h"
#include "lib/base/suggest.h"
#include "lib/base/util.h"
#include "lib/event/parts.h"
#include "lib/machine/sysfs.h"

/* libtracefs depends on libtraceevent. */
#define FUNCTIONS(f) f(tracefs_set_loglevel) f(tracefs_tracing_dir)

FUNCTIONS(TD_LIBRARY_FUNCTION)

static const struct td_library_function functions[] = { FUNCTIONS(TD_LIBRARY_ROW) };

/* A search in the events directory of tracefs. */
struct tracepoint_search {
	const char *system, *name;
	bool all;         /* search all tracepoints; errors do not contain a name */
	const char *root; /* owned by libtracefs */
	int events;       /* the open directory (O_PATH), or -1 */
	struct td_err *err;
};

/* Prefix the message with the wanted name. */
static int name_wanted(const struct tracepoint_search *s)
{
	return s->all ? s->err->code : td_err_wrap(s->err, "%s:%s", s->system, s->name);
}

/*
 * Set the error for a user without access.  The directory (0700) and its files (0440) belong to
 * root, so changing only the mode of the mount, as perf recommends, does not make ids readable.
 */
static int may_not_read(const struct tracepoint_search *s)
{
	td_err_set(s->err, -EACCES, "this user may not read %s", s->root);
	name_wanted(s);
	return td_err_hint(s->err,
			   "run tdstat as root, or first: sudo mount -o remount,mode=750,gid=%u %s",
			   (unsigned int)getegid(), s->root);
}

static int no_tracefs(const struct tracepoint_search *s)
{
	td_err_set(s->err, -ENODEV, "tracefs is not mounted");
	name_wanted(s);
	return td_err_hint(s->err,
			   "if the kernel has tracepoints, mount it: sudo mount -t tracefs tracefs "
			   "/sys/kernel/tracing");
}

static int cannot_read(const struct tracepoint_search *s, int rc)
{
	if (rc == -EACCES || rc == -EPERM)
		return may_not_read(s);
	td_err_set(s->err, rc, "%s/events: %s", s->root, strerror(-rc));
	return name_wanted(s);
}

static int load_library(const struct tracepoint_search *s)
{
	if (!td_library_load("libtracefs.so.1", functions, TD_ARRAY_SIZE(functions), s->err))
		return 0;
	name_wanted(s);
	return td_err_hint(s->err,
			   "it is in the package libtracefs1 (Debian), libtracefs (Fedora)");
}

/* Open the events directory.  libtracefs mounts tracefs for root if needed, as in perf. */
static int open_events(struct tracepoint_search *s)
{
	td_autofree char *path = NULL;

	s->events = -1;
	if (load_library(s))
		return s->err->code;
	tracefs_set_loglevel(TEP_LOG_NONE);
	s->root = tracefs_tracing_dir();
	if (!s->root)
		return no_tracefs(s);
	path = td_aprintf("%s/events", s->root);
	s->events = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->events >= 0)
		return 0;
	if (errno == ENOENT || errno == ENOTDIR)
		return no_tracefs(s);
	return cannot_read(s, -errno);
}

/* List a directory.  A file or a missing directory counts as empty. */
static int list_names(const struct tracepoint_search *s, const char *path, struct td_names *names)
{
	int rc = td_sysfs_list(s->events, path, names);

	if (rc == -ENOENT || rc == -ENOTDIR)
		return 0;
	return rc ? cannot_read(s, rc) : 0;
}

/* Add a tracepoint.  Ignores directories without an id file, such as events/ftrace/print. */
static int add_by_id(const struct tracepoint_search *s, const char *system, const char *name,
		     struct td_tracepoints *out)
{
	td_autofree char *path = td_aprintf("%s/%s/id", system, name);
	char text[32];
	uint64_t id;
	ssize_t len = td_sysfs_read_at(s->events, path, text, sizeof(text));
	struct td_tracepoint *new;

	if (len == -ENOENT || len == -ENOTDIR)
		return 0;
	if (len < 0)
		return cannot_read(s, (int)len);
	if (td_parse_u64(text, UINT64_MAX, &id))
		return td_err_set(s->err, -EIO, "%s/events/%s: '%s' is not an id", s->root, path,
				  text);
	new = td_array_add(&out->v, out->nr, sizeof(*new));
	new->system = td_strdup(system);
	new->name = td_strdup(name);
	new->id = id;
	out->nr++;
	return 0;
}

static int find_in_system(const struct tracepoint_search *s, const char *system,
			  struct td_tracepoints *out)
{
	struct td_names names;
	int rc = list_names(s, system, &names);

	for (size_t i = 0; !rc && i < names.nr; i++) {
		if (fnmatch(s->name, names.v[i], 0) == 0)
			rc = add_by_id(s, system, names.v[i], out);
	}
	td_names_free(&names);
	return rc;
}

static void offer_system(const struct tracepoint_search *s, const char *system,
			 struct td_closest *closest)
{
	struct td_names names;
	char full[256];

	td_sysfs_list(s->events, system, &names);
	for (size_t i = 0; i < names.nr; i++) {
		snprintf(full, sizeof(full), "%s:%s", system, names.v[i]);
		td_closest_offer(closest, full);
	}
	td_names_free(&names);
}

/* Set the hint: a similar name of any system, or how to list names. */
static int hint(const struct tracepoint_search *s, const struct td_names *systems)
{
	td_autofree char *wanted = td_aprintf("%s:%s", s->system, s->name);
	struct td_closest closest = { .wanted = wanted };
	bool has_system = false;

	for (size_t i = 0; i < systems->nr; i++) {
		offer_system(s, systems->v[i], &closest);
		has_system |= strcmp(systems->v[i], s->system) == 0;
	}
	if (closest.best[0])
		return td_err_hint(s->err, "did you mean '%s'?", closest.best);
	return td_err_hint(s->err, "tdstat list '%s:*' shows %s", has_system ? s->system : "*",
			   has_system ? "all of them" : "all others");
}

static int find(const struct tracepoint_search *s, struct td_tracepoints *out)
{
	struct td_names systems;
	int rc = list_names(s, ".", &systems);

	for (size_t i = 0; !rc && i < systems.nr; i++) {
		if (fnmatch(s->system, systems.v[i], 0) == 0)
			rc = find_in_system(s, systems.v[i], out);
	}
	if (!rc && out->nr == 0) {
		td_err_set(s->err, -ENOENT, "no tracepoint is called '%s:%s'", s->system, s->name);
		rc = hint(s, &systems);
	}
	td_names_free(&systems);
	return rc;
}

static int search(struct tracepoint_search *s, struct td_tracepoints *out)
{
	int rc;

	*out = (struct td_tracepoints){ 0 };
	rc = open_events(s);
	rc = rc ?: find(s, out);
	td_close_fd(&s->events);
	return rc;
}

int td_tracepoints_find(struct td_tracepoints *out, const char *system, const char *name,
			struct td_err *err)
{
	struct tracepoint_search s = { .system = system, .name = name, .err = err };

	return search(&s, out);
}

int td_tracepoints_find_all(struct td_tracepoints *out, struct td_err *err)
{
	struct tracepoint_search s = { "*", "*", .all = true, .err = err };

	return search(&s, out);
}

void td_tracepoints_free(struct td_tracepoints *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		free(list->v[i].system);
		free(list->v[i].name);
	}
	free(list->v);
	*list = (struct td_tracepoints){ 0 };
}
