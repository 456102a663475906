// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/compare/sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/compare/alike.h"
#include "lib/base/util.h"

/*
 * What a recording is to be like: the first of its side.  Only the first of B is
 * told from A, as what is said of it is true of the others.
 */
static const struct td_recorded *like_of(const struct td_sides *sides,
					 size_t index)
{
	return &sides->v[index > sides->nr_a ? sides->nr_a : 0].recorded;
}

static int read_next(struct td_sides *sides, const struct td_opts *opts,
		     struct td_notes *notes, struct td_err *err)
{
	const struct td_recorded *like = like_of(sides, sides->nr);
	struct td_whole *whole = &sides->v[sides->nr];
	const char *path = opts->patterns[sides->nr++];
	int rc = td_whole_read(whole, path, opts, notes, err);

	return rc ? rc : td_check_alike(like, &whole->recorded, notes, err);
}

int td_sides_read(struct td_sides *sides, const struct td_opts *opts,
		  struct td_notes *notes, struct td_err *err)
{
	size_t nr = opts->nr_patterns;
	int rc = 0;

	*sides = (struct td_sides){
		.v = calloc(nr, sizeof(*sides->v)),
		.inputs = calloc(nr, sizeof(*sides->inputs)),
		.nr_a = opts->diff.nr_before ? opts->diff.nr_before : 1,
	};
	if (!sides->v || !sides->inputs)
		return td_err_nomem(err);
	while (!rc && sides->nr < nr)
		rc = read_next(sides, opts, notes, err);
	return rc;
}

/*
 * Two commands do the same work, however many instructions they need for it.  Who
 * recorded may have stopped anywhere.  Counts of events are always those of a run.
 */
static enum td_per choose_per(const struct td_sides *sides)
{
	if (sides->names[0] || sides->v[0].recorded.rec.info.of_events)
		return TD_PER_RUN;
	for (size_t i = 0; i < sides->nr; i++) {
		if (isnan(sides->v[i].instructions))
			return TD_PER_SLOTS;
	}
	return TD_PER_INSTRUCTIONS;
}

static struct td_diff_side side_of(const struct td_sides *sides, size_t first,
				   size_t nr)
{
	return (struct td_diff_side){
		.v = sides->inputs + first,
		.nr = nr,
		.name = sides->v[first].recorded.rec.path,
		.is_command = sides->names[0],
	};
}

int td_sides_compare(struct td_sides *sides, enum td_per per,
		     struct td_diff *diff, struct td_err *err)
{
	const struct td_diff_side a = side_of(sides, 0, sides->nr_a);
	const struct td_diff_side b =
		side_of(sides, sides->nr_a, sides->nr - sides->nr_a);
	int rc = 0;

	if (per == TD_PER_DEFAULT)
		per = choose_per(sides);
	for (size_t i = 0; !rc && i < sides->nr; i++)
		rc = td_whole_eval(&sides->v[i], per, &sides->inputs[i], err);
	return rc ? rc : td_diff_make(diff, &a, &b, per, err);
}

bool td_sides_is_written(const struct td_sides *sides, int fd)
{
	for (size_t i = 0; i < sides->nr; i++) {
		if (td_recording_is_written(&sides->v[i].recorded.rec, fd))
			return true;
	}
	return false;
}

void td_sides_warn(const struct td_sides *sides)
{
	for (size_t i = 0; i < sides->nr; i++)
		td_recorded_warn(&sides->v[i].recorded.rec);
}

void td_sides_free(struct td_sides *sides)
{
	for (size_t i = 0; i < sides->nr; i++)
		td_whole_free(&sides->v[i]);
	free(sides->v);
	free(sides->inputs);
	for (size_t s = 0; s < TD_DIFF_SIDES; s++)
		free(sides->names[s]);
	*sides = (struct td_sides){ 0 };
}
