/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/machine/sysfs.h"

/*
 * The control groups whose tasks are counted.  A name is the path below the
 * mount point in its shortest spelling: "/web//api/" is "web/api", and the root
 * is "/".  Names may contain any byte but a comma, so writers must quote them.
 */
struct td_cgroups {
	char **names;
	int *fds;          /* open directory of each name */
	char **containers; /* container of each name, or NULL */
	size_t nr;
	struct td_index index; /* finds names */
	int root;              /* descriptor of the mount; 0 if there is none */
	bool *gone;            /* for each cgroup: it was removed or replaced, and is not counted */
	size_t nr_gone;
};

/*
 * Checks whether a cgroup was removed.  Returns 0 if it exists or has no name, -ENOENT if it was
 * removed, and 1 if another cgroup with the same name has replaced it, which the descriptor then
 * refers to.  Other errors change nothing.
 */
int td_cgroup_look(const struct td_cgroups *cgroups, size_t index);
/* Marks the cgroup as gone or as counted.  Returns true if this is a change. */
bool td_cgroup_set_gone(struct td_cgroups *cgroups, size_t index, bool gone);
/* Returns the index of the first cgroup with this name, or nr. */
size_t td_cgroups_find(const struct td_cgroups *cgroups, const char *name);
void td_cgroups_free(struct td_cgroups *cgroups);

/*
 * Finds the cgroup mount that the kernel's perf events use, in /proc/self/mounts: the first one of
 * version 1 with perf_event, else the last one of version 2.  The caller frees *root.
 */
int td_cgroup_root(const struct td_sysfs *fs, char **root, struct td_err *err);

/*
 * Finds the cgroups of a list of names.  If the list has one of {}[]()|*+?^$, its elements are
 * POSIX extended regular expressions that match anywhere in a name.  An empty element is the root.
 * Each cgroup is added once: names in the order of the list, matches in the order of the tree,
 * sorted in each directory.  A cgroup that cannot be opened is left out with a note, and so is an
 * expression without a match; -ENOENT if nothing is left.  An error leaves *out empty.
 */
int td_cgroups_match(struct td_cgroups *out, const char *root, const char *list,
		     struct td_notes *notes, struct td_err *err);

/*
 * Finds the cgroups of a list of names, one entry for each element; an empty
 * element has the name NULL and the descriptor -1.  An error leaves *out empty.
 */
int td_cgroups_name(struct td_cgroups *out, const char *root, const char *list, struct td_err *err);

/*
 * Cgroups that appear after the start.  They reuse the indices of removed ones, so that
 * counting for months needs no more indices than there were cgroups simultaneously.
 */
struct td_new_cgroups {
	struct td_cgroups found; /* results of the last search, and replaced names */
	size_t next;             /* index of the next result to return */
};

/* Finds the cgroups that the list matches now.  Returns 0 or a negative errno. */
int td_new_cgroups_find(struct td_new_cgroups *new, const struct td_sysfs *fs, const char *list);
/*
 * Adds the next result that is not in cgroups, marked as gone until it is counted, and sets *index.
 * If the index is reused from a removed cgroup, so is the number of its descriptor.  Returns 1 if
 * there are no more results.  Replaced names stay until the next search.
 */
int td_new_cgroups_next(struct td_new_cgroups *new, struct td_cgroups *cgroups, size_t *index);
/* Removes the last cgroup. */
void td_cgroups_drop_last(struct td_cgroups *cgroups);
void td_new_cgroups_free(struct td_new_cgroups *new);

/*
 * The cgroups of the kernel, by their ids: the paths below the mount point.  Includes removed ones,
 * until they are read again.  A zeroed struct is empty.
 */
struct td_cgroup_paths {
	uint64_t *ids;
	char **names; /* as in struct td_cgroups */
	size_t nr;
	size_t nr_read; /* number of cgroups that existed when they were read */
	struct td_index by_id;
};

/* Reads the ids of all cgroups; root is the mount point. */
void td_cgroup_paths_read(struct td_cgroup_paths *paths, const char *root);
/* Adds a cgroup, with a path of the kernel that begins with "/", unless its id is known. */
void td_cgroup_paths_add(struct td_cgroup_paths *paths, uint64_t id, const char *path);
/* Returns the name, or NULL. */
const char *td_cgroup_paths_find(const struct td_cgroup_paths *paths, uint64_t id);
void td_cgroup_paths_free(struct td_cgroup_paths *paths);
/* Returns the id of this process's cgroup, or 0 if it is not below the mount point. */
uint64_t td_cgroup_own(const struct td_sysfs *fs, const char *root);

/* --- containers ------------------------------------------------------------- */

/*
 * Returns the name of a cgroup's container from the files of Docker, Podman and containerd, or the
 * first 12 digits of its id, as in docker ps.  A cgroup within a container also gets its path:
 * "web/init".  Returns NULL if no container is known.  The caller frees it.
 */
char *td_container_name(const struct td_sysfs *fs, const char *cgroup);
/* Sets the container of one of the cgroups. */
void td_container_look(const struct td_cgroups *cgroups, size_t index, const struct td_sysfs *fs);
/* Returns true if one of the cgroups has a known container. */
bool td_cgroups_have_containers(const struct td_cgroups *cgroups);
