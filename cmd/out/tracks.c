// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/out/tracks.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

/* PID_MAX_LIMIT of the kernel is 4194304. */
_Static_assert(TD_TRACKS_PID > 4194304, "no pid of the kernel");

struct td_tracks *td_tracks_new(void)
{
	return calloc(1, sizeof(struct td_tracks));
}

static struct td_track_process *add_process(struct td_tracks *tracks,
					    const char *name, uint64_t hash)
{
	struct td_track_process *process =
		td_array_add(&tracks->v, tracks->nr, sizeof(*process));

	if (!process)
		return NULL;
	process->name = strdup(name);
	if (!process->name || td_index_add(&tracks->index, hash, tracks->nr)) {
		free(process->name);
		return NULL;
	}
	process->pid = TD_TRACKS_PID + 1 + (int)tracks->nr++;
	return process;
}

struct td_track_process *td_tracks_process(struct td_tracks *tracks,
					   const char *name, bool *is_new)
{
	uint64_t hash = td_hash_text(name);
	size_t step = 0, at;

	*is_new = false;
	while ((at = td_index_next(&tracks->index, hash, &step)) !=
	       TD_NOT_FOUND) {
		if (strcmp(tracks->v[at].name, name) == 0)
			return &tracks->v[at];
	}
	*is_new = true;
	return add_process(tracks, name, hash);
}

static struct td_track *add_track(struct td_track_process *process,
				  const char *name, const char *unit)
{
	struct td_track *track =
		td_array_add(&process->v, process->nr, sizeof(*track));

	if (!track)
		return NULL;
	*track = (struct td_track){ strdup(name), strdup(unit), false };
	if (!track->name || !track->unit) {
		free(track->name);
		free(track->unit);
		return NULL;
	}
	process->nr++;
	return track;
}

struct td_track *td_tracks_track(struct td_track_process *process,
				 const char *name, const char *unit)
{
	for (size_t i = 0; i < process->nr; i++) {
		size_t at = (process->next + i) % process->nr;

		if (strcmp(process->v[at].name, name) != 0)
			continue;
		process->next = at + 1;
		return &process->v[at];
	}
	return add_track(process, name, unit);
}

static void free_process(struct td_track_process *process)
{
	for (size_t i = 0; i < process->nr; i++) {
		free(process->v[i].name);
		free(process->v[i].unit);
	}
	free(process->v);
	free(process->name);
}

void td_tracks_free(struct td_tracks *tracks)
{
	if (!tracks)
		return;
	for (size_t i = 0; i < tracks->nr; i++)
		free_process(&tracks->v[i]);
	free(tracks->v);
	td_index_free(&tracks->index);
	free(tracks);
}
