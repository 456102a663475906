/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_TARGET_CGROUP_H
#define TD_LIB_TARGET_CGROUP_H

#include <stddef.h>

#include "lib/base/err.h"
#include "lib/base/index.h"
#include "lib/base/notes.h"
#include "lib/machine/sysfs.h"

/*
 * Control groups whose tasks are counted.  A name is the path below the mount
 * point in its shortest spelling, so "/web//api/" is "web/api"; the root is
 * "/".  Any byte but a comma may be in it: who writes names must quote.
 */
struct td_cgroups {
	char **names;
	int *fds; /* folders open for reading, one a name */
	size_t nr;
	struct td_index index; /* of the names */
};

/*
 * Where the kernel's perf events look for cgroups: the first mount of version
 * 1's perf_event hierarchy, else the last one of version 2, out of proc's
 * self/mounts.  *root is to be freed.
 */
int td_cgroup_root(const struct td_sysfs *fs, char **root, struct td_err *err);

/*
 * A list of names or, if one of {}[]()|*+?^$ is in it, of POSIX basic regular
 * expressions that match anywhere in a name.  An empty element is the root.
 * Each cgroup once: names in the list's order, matches in that of the tree,
 * each folder's sorted.  One that cannot be opened is left out with a note,
 * and so is an expression that matches nothing; -ENOENT when nothing is left.
 * An error leaves *out empty.
 */
int td_cgroups_match(struct td_cgroups *out, const char *root, const char *list,
		     struct td_notes *notes, struct td_err *err);

/*
 * A list of names alone, an entry an element: an empty one has neither name
 * (NULL) nor descriptor (-1).  An error leaves *out empty.
 */
int td_cgroups_name(struct td_cgroups *out, const char *root, const char *list,
		    struct td_err *err);
/* The first of that name; nr: there is none. */
size_t td_cgroups_find(const struct td_cgroups *cgroups, const char *name);
void td_cgroups_free(struct td_cgroups *cgroups);

#endif
