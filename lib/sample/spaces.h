/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/machine/sysfs.h"
#include "lib/sample/locations.h"

/* Executable memory of a process. */
struct td_mapping {
	uint64_t start, length;
	uint64_t offset;  /* offset of start in the file */
	const char *path; /* as in /proc/PID/maps */
	struct td_build_id build_id;
};

/* The address spaces of processes at the time of the last change. */
struct td_spaces;

struct td_spaces *td_spaces_new(void);
void td_spaces_free(struct td_spaces *spaces);

/* Adds a mapping, which hides earlier ones at the same addresses. */
void td_spaces_map(struct td_spaces *spaces, struct td_locations *locations, int pid,
		   const struct td_mapping *mapping);
/* Copies the parent's mappings.  Those of an earlier process with the child's pid are dropped. */
void td_spaces_fork(struct td_spaces *spaces, int parent, int child);
void td_spaces_exec(struct td_spaces *spaces, int pid);
/* Adds the mappings in /proc/PID/maps; there are none if the process has ended. */
void td_spaces_read(struct td_spaces *spaces, struct td_locations *locations,
		    const struct td_sysfs *fs, int pid);
/* True if the address is known to be mapped. */
bool td_spaces_has(const struct td_spaces *spaces, int pid, uint64_t address);
/* Returns the location of an address.  Unmapped ones are in an object "[unknown]". */
int td_spaces_find(const struct td_spaces *spaces, struct td_locations *locations, int pid,
		   uint64_t address, bool kernel);
