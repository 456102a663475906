// SPDX-License-Identifier: GPL-2.0-only
#include "lib/event/tracepoint.h"

#include <errno.h>
#include <event-parse.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

#include "lib/base/library.h"
#include "lib/base/number.h"
#include "lib/base/suggest.h"
#include "lib/base/util.h"
#include "lib/event/parts.h"
#include "lib/machine/sysfs.h"

/* libtracefs depends on libtraceevent. */
#define FUNCTIONS(f)                                                          \
	f(tep_alloc) f(tep_find_event_by_name) f(tep_free) f(tep_parse_event) \
		f(tracefs_set_loglevel) f(tracefs_tracing_dir)

FUNCTIONS(TD_LIBRARY_FUNCTION)

static const struct td_library_function functions[] = { FUNCTIONS(
	TD_LIBRARY_ROW) };

/* The events folder of tracefs, and the name to look for. */
struct tracepoint_search {
	const char *system, *name;
	bool all;         /* every tracepoint, so errors name none */
	const char *root; /* owned by libtracefs */
	int events;       /* the open folder (O_PATH), or -1 */
	struct td_err *err;
};

/* Puts what was looked for before the message. */
static int name_wanted(const struct tracepoint_search *s)
{
	return s->all ? s->err->code
		      : td_err_wrap(s->err, "%s:%s", s->system, s->name);
}

/*
 * The folder belongs to root alone (0700), and so do its files (0440).
 * Changing the mode of the mount, as perf recommends, does not make ids
 * readable.
 */
static int may_not_read(const struct tracepoint_search *s)
{
	td_err_set(s->err, -EACCES, "this user may not read %s", s->root);
	name_wanted(s);
	return td_err_hint(s->err,
			   "run tdstat as root, or first: sudo mount -o "
			   "remount,mode=750,gid=%u %s",
			   (unsigned int)getegid(), s->root);
}

static int no_tracefs(const struct tracepoint_search *s)
{
	td_err_set(s->err, -ENODEV, "tracefs is not mounted");
	name_wanted(s);
	return td_err_hint(s->err, "if the kernel has tracepoints, mount it: "
				   "sudo mount -t tracefs tracefs "
				   "/sys/kernel/tracing");
}

static int cannot_read(const struct tracepoint_search *s, int rc)
{
	if (rc == -EACCES || rc == -EPERM)
		return may_not_read(s);
	if (rc == -ENOMEM)
		return td_err_nomem(s->err);
	td_err_set(s->err, rc, "%s/events: %s", s->root, strerror(-rc));
	return name_wanted(s);
}

static int load_library(const struct tracepoint_search *s)
{
	if (!td_library_load("libtracefs.so.1", functions,
			     TD_ARRAY_SIZE(functions), s->err))
		return 0;
	name_wanted(s);
	return td_err_hint(s->err, "it is in the package libtracefs1 (Debian), "
				   "libtracefs (Fedora)");
}

/* If tracefs is not mounted, libtracefs mounts it for root, as perf does. */
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
	if (asprintf(&path, "%s/events", s->root) < 0) {
		path = NULL;
		return td_err_nomem(s->err);
	}
	s->events = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->events >= 0)
		return 0;
	if (errno == ENOENT || errno == ENOTDIR)
		return no_tracefs(s);
	return cannot_read(s, -errno);
}

/* Lists a folder; a file among the folders counts as an empty one. */
static int list_names(const struct tracepoint_search *s, const char *path,
		      struct td_names *names)
{
	int rc = td_sysfs_list(s->events, path, names);

	if (rc == -ENOENT || rc == -ENOTDIR)
		return 0;
	return rc ? cannot_read(s, rc) : 0;
}

static int add(struct td_tracepoints *out, const char *system, const char *name,
	       uint64_t id)
{
	struct td_tracepoint *new =
		td_array_add(&out->v, out->nr, sizeof(*new));

	if (!new)
		return -ENOMEM;
	new->system = strdup(system);
	new->name = strdup(name);
	new->id = id;
	out->nr++;
	return new->system &&new->name ? 0 : -ENOMEM;
}

/*
 * A folder without an id file is not a tracepoint, such as events/ftrace/print.
 */
static int add_by_id(const struct tracepoint_search *s, const char *system,
		     const char *name, struct td_tracepoints *out)
{
	td_autofree char *path = NULL;
	char text[32];
	uint64_t id;
	ssize_t len;

	if (asprintf(&path, "%s/%s/id", system, name) < 0) {
		path = NULL;
		return td_err_nomem(s->err);
	}
	len = td_sysfs_read_at(s->events, path, text, sizeof(text));
	if (len == -ENOENT || len == -ENOTDIR)
		return 0;
	if (len < 0)
		return cannot_read(s, (int)len);
	if (td_parse_u64(text, UINT64_MAX, &id))
		return td_err_set(s->err, -EIO,
				  "%s/events/%s: '%s' is not "
				  "an id",
				  s->root, path, text);
	return add(out, system, name, id) ? td_err_nomem(s->err) : 0;
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

/* Sets the hint: a similar name of any system, or how to list names. */
static int hint(const struct tracepoint_search *s,
		const struct td_names *systems)
{
	td_autofree char *wanted = NULL;
	struct td_closest closest = { 0 };
	bool has_system = false;

	if (asprintf(&wanted, "%s:%s", s->system, s->name) < 0) {
		wanted = NULL;
		return td_err_nomem(s->err);
	}
	closest.wanted = wanted;
	for (size_t i = 0; i < systems->nr; i++) {
		offer_system(s, systems->v[i], &closest);
		has_system |= strcmp(systems->v[i], s->system) == 0;
	}
	if (closest.best[0])
		return td_err_hint(s->err, "did you mean '%s'?", closest.best);
	return td_err_hint(s->err, "tdstat list '%s:*' shows %s",
			   has_system ? s->system : "*",
			   has_system ? "all of them" : "all others");
}

static int no_such(const struct tracepoint_search *s,
		   const struct td_names *systems)
{
	td_err_set(s->err, -ENOENT, "no tracepoint is called '%s:%s'",
		   s->system, s->name);
	return hint(s, systems);
}

static int find(const struct tracepoint_search *s, struct td_tracepoints *out)
{
	struct td_names systems;
	int rc = list_names(s, ".", &systems);

	for (size_t i = 0; !rc && i < systems.nr; i++) {
		if (fnmatch(s->system, systems.v[i], 0) == 0)
			rc = find_in_system(s, systems.v[i], out);
	}
	if (!rc && out->nr == 0)
		rc = no_such(s, &systems);
	td_names_free(&systems);
	return rc;
}

static int search(struct tracepoint_search *s, struct td_tracepoints *out)
{
	int rc;

	*out = (struct td_tracepoints){ 0 };
	rc = open_events(s);
	if (!rc)
		rc = find(s, out);
	td_close_fd(&s->events);
	return rc;
}

int td_tracepoints_find(struct td_tracepoints *out, const char *system,
			const char *name, struct td_err *err)
{
	struct tracepoint_search s = { .system = system,
				       .name = name,
				       .err = err };

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

#define LONGEST_FORMAT 65536 /* the longest in Linux 6.12 has 8193 bytes */

/* Returns the format file, which the caller frees; NULL with s->err set. */
static char *read_format(const struct tracepoint_search *s)
{
	char *text = malloc(LONGEST_FORMAT);
	td_autofree char *path = NULL;
	ssize_t len = -ENOMEM;

	if (asprintf(&path, "%s/%s/format", s->system, s->name) < 0)
		path = NULL;
	if (text && path)
		len = td_sysfs_read_at(s->events, path, text, LONGEST_FORMAT);
	if (len >= 0)
		return text;
	free(text);
	cannot_read(s, (int)len);
	return NULL;
}

/*
 * The same distinction as filter_assign_type() of
 * kernel/trace/trace_events_filter.c.
 */
static enum td_field_kind field_kind(const struct tep_format_field *field)
{
	bool chars = strstr(field->type, "char");

	if (strstr(field->type, "cpumask"))
		return TD_FIELD_OTHER;
	if (field->flags &
	    (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC | TEP_FIELD_IS_RELATIVE))
		return chars ? TD_FIELD_TEXT : TD_FIELD_OTHER;
	if (field->flags & TEP_FIELD_IS_POINTER)
		return chars ? TD_FIELD_OTHER : TD_FIELD_NUMBER;
	return TD_FIELD_NUMBER;
}

static int add_fields(struct td_field **fields, size_t *nr,
		      const struct tep_format_field *field)
{
	for (; field; field = field->next) {
		const struct td_field new = { field->name, field_kind(field) };

		if (td_array_push(fields, nr, &new, sizeof(new)))
			return -ENOMEM;
	}
	return 0;
}

/*
 * If libtraceevent cannot parse the format, the kernel checks the filter later.
 */
static int check(const struct tracepoint_search *s, struct tep_handle *tep,
		 const char *format, const char *filter)
{
	const struct tep_event *event;
	struct td_field *fields = NULL;
	size_t nr = 0;
	int rc = 0;

	tep_parse_event(tep, format, strlen(format), s->system);
	event = tep_find_event_by_name(tep, s->system, s->name);
	if (!event)
		return 0;
	if (add_fields(&fields, &nr, event->format.fields) ||
	    add_fields(&fields, &nr, event->format.common_fields))
		rc = td_err_nomem(s->err);
	else if (td_filter_check(filter, fields, nr, s->err))
		rc = td_err_wrap(s->err, "the filter of %s:%s", s->system,
				 s->name);
	free(fields);
	return rc;
}

int td_tracepoint_check_filter(const char *system, const char *name,
			       const char *filter, struct td_err *err)
{
	struct tracepoint_search s = { .system = system,
				       .name = name,
				       .err = err };
	td_autofree char *format = NULL;
	struct tep_handle *tep;
	int rc = open_events(&s);

	if (rc)
		return rc;
	format = read_format(&s);
	td_close_fd(&s.events);
	if (!format)
		return err->code;
	tep = tep_alloc();
	if (!tep)
		return td_err_nomem(err);
	rc = check(&s, tep, format, filter);
	tep_free(tep);
	return rc;
}
