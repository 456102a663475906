// SPDX-License-Identifier: GPL-2.0-only
#include "lib/recording/follow.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/recording/read.h"

/* Starts were whole milliseconds, cut off. */
#define START_ERROR_NS TD_NS_A_MS

/* --- what has to be the same ------------------------------------------------- */

static bool is_same_machine(const struct td_machine *a,
			    const struct td_machine *b)
{
	char of_a[48], of_b[48];

	td_cpuid_format(&a->cpuid, of_a);
	td_cpuid_format(&b->cpuid, of_b);
	if (strcmp(of_a, of_b) != 0 || a->smt != b->smt ||
	    a->nr_pmus != b->nr_pmus)
		return false;
	for (size_t i = 0; i < a->nr_pmus; i++) {
		if (strcmp(a->pmus[i].name, b->pmus[i].name) != 0 ||
		    a->pmus[i].type != b->pmus[i].type)
			return false;
	}
	return true;
}

static bool has_same_group(const struct td_group *a, const struct td_group *b)
{
	return a->nr == b->nr && a->clone == b->clone &&
	       memcmp(a->members, b->members, a->nr * sizeof(*a->members)) == 0;
}

static bool has_same_events(const struct td_plan *a, const struct td_plan *b)
{
	if (a->events.nr != b->events.nr || a->nr_groups != b->nr_groups)
		return false;
	for (size_t i = 0; i < a->events.nr; i++) {
		if (strcmp(a->events.v[i].name, b->events.v[i].name) != 0 ||
		    a->events.v[i].pmu != b->events.v[i].pmu)
			return false;
	}
	for (size_t i = 0; i < a->nr_groups; i++) {
		if (!has_same_group(&a->groups[i], &b->groups[i]))
			return false;
	}
	return true;
}

static bool has_same_cgroups(const struct td_recording_info *a,
			     const struct td_recording_info *b)
{
	if (a->nr_cgroups != b->nr_cgroups)
		return false;
	for (size_t i = 0; i < a->nr_cgroups; i++) {
		if (strcmp(a->cgroups[i], b->cgroups[i]) != 0)
			return false;
	}
	return true;
}

static bool has_same_options(const struct td_recording_info *a,
			     const struct td_recording_info *b)
{
	return a->target.kind == b->target.kind &&
	       strcmp(a->target.text, b->target.text) == 0 &&
	       a->tasks == b->tasks && a->of_events == b->of_events &&
	       a->how == b->how && a->sums == b->sums &&
	       a->cache_level == b->cache_level && has_same_cgroups(a, b);
}

/* --- places ------------------------------------------------------------------ */

static size_t nr_places(const struct td_recording *rec)
{
	return rec->places ? rec->machine.online.nr : 0;
}

static bool has_place(const struct td_recording *rec,
		      const struct td_place *place)
{
	for (size_t i = 0; i < nr_places(rec); i++) {
		if (memcmp(&rec->places[i], place, sizeof(*place)) == 0)
			return true;
	}
	return false;
}

bool td_recording_has_other_host(const struct td_recording_info *a,
				 const struct td_recording_info *b)
{
	const char *of_a = a->identity.host, *of_b = b->identity.host;

	return of_a && of_b && strcmp(of_a, of_b) != 0;
}

/* CPUs may have come or gone between two files, but they stay where they are. */
static bool has_places_of(const struct td_recording *rec,
			  const struct td_recording *part)
{
	for (size_t i = 0; i < nr_places(part); i++) {
		if (!has_place(rec, &part->places[i]))
			return false;
	}
	return !rec->places == !part->places;
}

/* --- the answer -------------------------------------------------------------- */

static int differ(const struct td_recording *rec,
		  const struct td_recording *next, const char *what,
		  struct td_err *err)
{
	td_err_set(err, -EINVAL, "%s does not go on from %s: %s", next->path,
		   rec->path, what);
	return td_err_hint(err, "for each file: tdstat report FILE; to compare "
				"two: tdstat diff");
}

int td_recording_goes_on(const struct td_recording *rec,
			 const struct td_recording *next, uint64_t since_ns,
			 struct td_err *err)
{
	const struct td_recording_info *a = &rec->info, *b = &next->info;

	if (rec->perf || next->perf)
		return differ(rec, next, "what perf stat wrote has no start",
			      err);
	if (!a->interval_ms || !b->interval_ms)
		return differ(rec, next, "recorded without -I", err);
	if (!is_same_machine(&rec->machine, &next->machine) ||
	    (!has_places_of(rec, next) && !has_places_of(next, rec)))
		return differ(rec, next, "another machine", err);
	if (!has_same_events(&rec->plan, &next->plan))
		return differ(rec, next, "other events", err);
	if (!has_same_options(a, b))
		return differ(rec, next, "recorded with other options", err);
	if (b->start_ns &&
	    (b->start_ns < a->start_ns || b->start_ns < since_ns))
		return differ(rec, next,
			      "it began before: files are given in the order "
			      "of their times",
			      err);
	return 0;
}

/* --- to go on ---------------------------------------------------------------- */

/* When next began, from the start of the first file; without a time, at once. */
static int find_base(const struct td_recording *rec,
		     const struct td_recording *next, uint64_t *base_ns,
		     struct td_err *err)
{
	uint64_t start_ns = rec->info.start_ns;

	*base_ns = rec->time_ns;
	if (!start_ns || !next->info.start_ns)
		return 0;
	*base_ns = td_since(next->info.start_ns, start_ns);
	if (*base_ns + START_ERROR_NS < rec->time_ns)
		return differ(rec, next, "it began before the other one ended",
			      err);
	if (*base_ns < rec->time_ns + START_ERROR_NS)
		*base_ns = rec->time_ns;
	return 0;
}

/* What is of the file moves, and goes with next; what readers point to stays. */
static void move_file(struct td_recording *to, const struct td_recording *from)
{
	to->fp = from->fp;
	to->zstd = from->zstd;
	to->path = from->path;
	to->text = from->text;
	to->size = from->size;
	to->is_stdin = from->is_stdin;
	to->is_file = from->is_file;
	to->dev = from->dev;
	to->ino = from->ino;
	to->line = from->line;
}

static void move_places(struct td_recording *to,
			const struct td_recording *from)
{
	to->places = from->places;
	to->machine.online = from->machine.online;
}

static void move(struct td_recording *rec, struct td_recording *next)
{
	const struct td_recording before = *rec;

	move_file(rec, next);
	move_file(next, &before);
	rec->ended = rec->cut_off = false;
	rec->usage = (struct td_usage){ 0 };
	td_latencies_free(&rec->latencies);
	if (nr_places(next) <= nr_places(&before))
		return;
	move_places(rec, next);
	move_places(next, &before);
}

int td_recording_follow(struct td_recording *rec, const char *path,
			struct td_err *err)
{
	struct td_recording next;
	uint64_t base_ns = 0;
	int rc = td_recording_open(&next, path, err);

	if (!rc)
		rc = td_recording_goes_on(rec, &next, 0, err);
	if (!rc)
		rc = find_base(rec, &next, &base_ns, err);
	if (!rc) {
		move(rec, &next);
		rec->base_ns = rec->time_ns = base_ns;
	}
	td_recording_close(&next);
	return rc;
}
