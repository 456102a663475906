// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/cgroups.h"

#include <errno.h>
#include <string.h>

#include "cmd/run/offline.h"

/* A service that is started again has a new cgroup of the same name. */
static void open_anew(struct td_job *job, struct td_counter *counter,
		      size_t index)
{
	struct td_cgroups *cgroups = &job->target.cgroups;
	int rc = td_counter_open_cgroup(counter, index);

	if (rc) {
		/* the next read tries again; ENOENT is not yet */
		td_cgroup_set_gone(cgroups, index, true);
		if (rc == -ENOENT)
			return;
		td_notes_add(&job->notes,
			     "cgroup %s is there again, but the counters "
			     "cannot be opened anew: %s",
			     cgroups->names[index], strerror(-rc));
		td_offline_note_rights(job, rc);
		return;
	}
	td_cgroup_set_gone(cgroups, index, false);
	td_job_say(job, "tdstat: cgroup %s was made anew: counted again\n",
		   cgroups->names[index]);
}

void td_cgroups_follow(struct td_job *job, struct td_counter *counter)
{
	struct td_cgroups *cgroups = &job->target.cgroups;

	for (size_t i = 0; i < cgroups->nr; i++) {
		int rc = td_cgroup_look(cgroups, i);

		if (rc == -ENOENT && td_cgroup_set_gone(cgroups, i, true))
			td_job_say(job,
				   "tdstat: cgroup %s was removed: not counted "
				   "until there is one again\n",
				   cgroups->names[i]);
		else if (rc == 1 || (rc == 0 && cgroups->gone[i]))
			open_anew(job, counter, i);
	}
}
