/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_TARGET_CGROUP_H
#define TD_LIB_TARGET_CGROUP_H

#include "lib/base/err.h"
#include "lib/base/notes.h"
#include "lib/machine/sysfs.h"
#include "lib/target/cgroup_set.h"

/*
 * Finds the cgroup mount that the kernel's perf events use, in
 * /proc/self/mounts: the first one of version 1 with perf_event, else the last
 * one of version 2.  The caller frees *root.
 */
int td_cgroup_root(const struct td_sysfs *fs, char **root, struct td_err *err);

/*
 * Finds the cgroups of a list of names.  If the list has one of {}[]()|*+?^$,
 * its elements are POSIX basic regular expressions that match anywhere in a
 * name.  An empty element is the root.  Each cgroup is added once: names in the
 * order of the list, matches in the order of the tree, sorted in each folder.
 * A cgroup that cannot be opened is left out with a note, and so is an
 * expression without a match; -ENOENT if nothing is left.  An error leaves *out
 * empty.
 */
int td_cgroups_match(struct td_cgroups *out, const char *root, const char *list,
		     struct td_notes *notes, struct td_err *err);

/*
 * Finds the cgroups of a list of names, one entry for each element; an empty
 * element has the name NULL and the descriptor -1.  An error leaves *out empty.
 */
int td_cgroups_name(struct td_cgroups *out, const char *root, const char *list,
		    struct td_err *err);

#endif
