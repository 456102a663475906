/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_TARGET_CGROUP_H
#define TD_LIB_TARGET_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/base/index.h"
#include "lib/machine/sysfs.h"

/*
 * The control groups whose tasks are counted.  A name is the path below the
 * mount point in its shortest spelling: "/web//api/" is "web/api", and the root
 * is "/".  Names may hold any byte but a comma, so writers must quote them.
 */
struct td_cgroups {
	char **names;
	int *fds;          /* open folders, one for each name */
	char **containers; /* one for each name; NULL: it is of none */
	size_t nr;
	struct td_index index; /* finds names */
	int root;              /* the mount, opened; 0: nothing is */
	/* that are to be opened anew: they were removed, or made anew */
	bool *gone;
	size_t nr_gone;
};

/*
 * Looks whether a folder is still the one that is open.  Returns 0
 * if it is, and also if it has no name; -ENOENT if it was removed and there is no
 * other of its name; 1 if there is: then the descriptor, which keeps its number, is
 * of that one now.  Other errors leave everything as it was.
 */
int td_cgroup_look(const struct td_cgroups *cgroups, size_t index);
/* Notes that it is gone, or that it is counted (again).  True if this is new. */
bool td_cgroup_set_gone(struct td_cgroups *cgroups, size_t index, bool gone);
/*
 * Adds one that is counted and of no container; takes its name, or NULL, and the
 * descriptor.  -ENOMEM: both are still the caller's.
 */
int td_cgroups_add(struct td_cgroups *cgroups, char *name, int fd);
/* Returns the index of the first cgroup with this name, or nr. */
size_t td_cgroups_find(const struct td_cgroups *cgroups, const char *name);
void td_cgroups_free(struct td_cgroups *cgroups);

/*
 * Finds the cgroup mount that the kernel's perf events use, in
 * /proc/self/mounts: the first one of version 1 with perf_event, else the last
 * one of version 2.  The caller frees *root.
 */
int td_cgroup_root(const struct td_sysfs *fs, char **root, struct td_err *err);

/*
 * Finds the cgroups of a list of names.  If the list has one of {}[]()|*+?^$,
 * its elements are POSIX extended regular expressions that match anywhere in a
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

/* --- cgroup_new.c --------------------------------------------------------- */

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

/* --- container.c ---------------------------------------------------------- */

/*
 * The name of the container whose cgroup this is, "web", or of a cgroup within,
 * "web/init": as the files of Docker, Podman and containerd have it, or the first
 * 12 digits of its id, as docker ps shows it.  NULL: it is of none that is known,
 * or memory ran out.  To be freed.
 */
char *td_container_name(const struct td_sysfs *fs, const char *cgroup);
/* Sets the container of one of the cgroups. */
void td_container_look(const struct td_cgroups *cgroups, size_t index,
		       const struct td_sysfs *fs);
/* Is one of them known to be of a container? */
bool td_cgroups_have_containers(const struct td_cgroups *cgroups);

#endif
