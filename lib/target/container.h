/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_TARGET_CONTAINER_H
#define TD_LIB_TARGET_CONTAINER_H

#include "lib/target/cgroup.h"

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
