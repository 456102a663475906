/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_SPACES_H
#define TD_LIB_SAMPLE_SPACES_H

#include "lib/base/err.h"
#include "lib/machine/sysfs.h"
#include "lib/sample/spots.h"

/* Executable memory of a process. */
struct td_mapping {
	uint64_t start, length;
	uint64_t offset;  /* of start, in the file */
	const char *path; /* as the kernel tells it */
	struct td_build_id build_id;
};

/* The address spaces of processes, at the time of the last change. */
struct td_spaces;

struct td_spaces *td_spaces_new(void); /* NULL: memory ran out */
void td_spaces_free(struct td_spaces *spaces);

/* What a process maps hides what was mapped there.  0 or -ENOMEM. */
int td_spaces_map(struct td_spaces *spaces, struct td_spots *spots, int pid,
		  const struct td_mapping *mapping);
/* The child has what its parent has; what an earlier process had is gone. */
int td_spaces_fork(struct td_spaces *spaces, int parent, int child);
void td_spaces_exec(struct td_spaces *spaces, int pid);
/* Reads /proc/PID/maps.  0 also if the process has ended, or -ENOMEM. */
int td_spaces_read(struct td_spaces *spaces, struct td_spots *spots,
		   const struct td_sysfs *fs, int pid);
/* True if the address is known to be mapped. */
bool td_spaces_has(const struct td_spaces *spaces, int pid, uint64_t address);
/*
 * The spot of an address, -ENOMEM if memory ran out.  What is not known to be
 * mapped is an object of its own, called "[unknown]".
 */
int td_spaces_find(const struct td_spaces *spaces, struct td_spots *spots,
		   int pid, uint64_t address, bool kernel);

#endif
