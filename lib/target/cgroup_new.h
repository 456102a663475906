/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_TARGET_CGROUP_NEW_H
#define TD_LIB_TARGET_CGROUP_NEW_H

#include "lib/target/cgroup.h"

/*
 * Cgroups that come after the start.  They take the places of others that are gone,
 * so that who counts for months has no more places than there were cgroups at once.
 */
struct td_cgroup_news {
	struct td_cgroups
		found; /* by the last look, and names that were replaced */
	size_t next;   /* of found, that was not looked at yet */
};

/* Finds what the list matches now.  Returns 0 or a negative errno. */
int td_cgroup_news_look(struct td_cgroup_news *news, const struct td_sysfs *fs,
			const char *list);
/*
 * Takes the next one that was found and is not among cgroups, and sets *index to its
 * place, where it is gone until it is counted.  A place that is not behind the others
 * keeps its descriptor, which is of the new folder then.  Returns 1 if there is none.
 * Replaced names stay until the next look.
 */
int td_cgroup_news_take(struct td_cgroup_news *news, struct td_cgroups *cgroups,
			size_t *index);
/* Takes the last one out again. */
void td_cgroups_drop_last(struct td_cgroups *cgroups);
void td_cgroup_news_free(struct td_cgroup_news *news);

#endif
