/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_MACHINE_SYSFS_H
#define TD_LIB_MACHINE_SYSFS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/ints.h"

/*
 * The roots of sysfs and proc: this machine's, or saved ones.  Paths below
 * them are relative ("devices/system/cpu/online").
 */
struct td_sysfs {
	int sys, proc; /* directory descriptors; -1: not there, so no file is */
	const char *sys_path, *proc_path; /* for messages; borrowed */
};

int td_sysfs_open(struct td_sysfs *fs, const char *sys_path,
		  const char *proc_path, struct td_err *err);
void td_sysfs_close(struct td_sysfs *fs);

/*
 * The first size - 1 bytes of a file as text, up to a NUL and without blanks
 * at the end: hybrid PMUs' event files carry NULs behind the text (snprintf's
 * would-be length, events_hybrid_sysfs_show() in arch/x86/events/intel/core.c).
 * What is no file of the kernel's, a fifo, is not waited for.
 * Length, or negative errno.
 */
ssize_t td_sysfs_read_at(int dir, const char *path, char *buf, size_t size);
ssize_t td_sysfs_read(const struct td_sysfs *fs, const char *path, char *buf,
		      size_t size, struct td_err *err);
ssize_t td_proc_read(const struct td_sysfs *fs, const char *path, char *buf,
		     size_t size, struct td_err *err);

/*
 * A list of CPUs or nodes as the kernel writes it, up to max: at least a line
 * end, and not more than a page.  -EINVAL: it is none.  Free with td_ints_free().
 */
int td_sysfs_read_list(const struct td_sysfs *fs, const char *path, int max,
		       struct td_ints *out, struct td_err *err);
/*
 * A whole decimal number in a file below sysfs.  *out is -1 where there is no
 * such file, and where the kernel says that it does not know.
 */
int td_sysfs_read_int(const struct td_sysfs *fs, const char *path, int *out,
		      struct td_err *err);

/* Is rc what one gets where there is no such thing?  Others are troubles. */
static inline bool td_sysfs_is_none(ssize_t rc)
{
	return rc == -ENOENT || rc == -ENODEV || rc == -ENOTDIR;
}

struct td_names {
	char **v;
	size_t nr;
};

/* The names in a folder, sorted, without those that begin with a dot. */
int td_sysfs_list(int dir, const char *path, struct td_names *names);
void td_names_free(struct td_names *names);

#endif
