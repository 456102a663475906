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
 * The roots of sysfs and proc, of this machine or saved ones.  Paths below them
 * are relative ("devices/system/cpu/online").
 */
struct td_sysfs {
	int sys, proc;                    /* open folders; -1 if missing */
	const char *sys_path, *proc_path; /* for messages; borrowed */
};

int td_sysfs_open(struct td_sysfs *fs, const char *sys_path,
		  const char *proc_path, struct td_err *err);
void td_sysfs_close(struct td_sysfs *fs);

/*
 * Reads the first size - 1 bytes of a file as text, up to a NUL, without blanks
 * at the end: event files of hybrid PMUs have NULs behind the text
 * (events_hybrid_sysfs_show() in arch/x86/events/intel/core.c).  Does not block
 * on a fifo.  Returns the length or a negative errno.
 */
ssize_t td_sysfs_read_at(int dir, const char *path, char *buf, size_t size);
ssize_t td_sysfs_read(const struct td_sysfs *fs, const char *path, char *buf,
		      size_t size, struct td_err *err);
ssize_t td_proc_read(const struct td_sysfs *fs, const char *path, char *buf,
		     size_t size, struct td_err *err);
/*
 * Reads what proc(5) has of a task in TID/stat into buf.  Returns the fields
 * from the third on, which stand behind "(name)"; NULL if there are none.
 */
const char *td_proc_stat(const struct td_sysfs *fs, int tid, char *buf,
			 size_t size);

/*
 * Reads a list of CPUs or nodes, with numbers up to max and at most a page of
 * text.  -EINVAL if it is not a list or has not even a newline.  Free with
 * td_ints_free().
 */
int td_sysfs_read_list(const struct td_sysfs *fs, const char *path, int max,
		       struct td_ints *out, struct td_err *err);
/*
 * Reads a decimal number.  *out is -1 if there is no such file, or if the
 * kernel wrote -1 (unknown).
 */
int td_sysfs_read_int(const struct td_sysfs *fs, const char *path, int *out,
		      struct td_err *err);

/* True if rc says that the file does not exist; other errors are real. */
static inline bool td_sysfs_is_none(ssize_t rc)
{
	return rc == -ENOENT || rc == -ENODEV || rc == -ENOTDIR;
}

struct td_names {
	char **v;
	size_t nr;
};

/* Lists the names in a folder, sorted, without hidden files. */
int td_sysfs_list(int dir, const char *path, struct td_names *names);
void td_names_free(struct td_names *names);

#endif
