/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <errno.h>
#include <sys/types.h>

#include "lib/base/err.h"
#include "lib/base/ints.h"

/*
 * The roots of sysfs and proc, either of this machine or saved.  Paths are relative to
 * them ("devices/system/cpu/online").
 */
struct td_sysfs {
	int sys, proc;                    /* open directories; -1 if missing */
	const char *sys_path, *proc_path; /* for messages; borrowed */
};

int td_sysfs_open(struct td_sysfs *fs, const char *sys_path, const char *proc_path,
		  struct td_err *err);
void td_sysfs_close(struct td_sysfs *fs);

/*
 * Reads the first size - 1 bytes of a file as text.  Removes blanks at the end, and
 * everything after a NUL: event files of hybrid PMUs have NULs after the text
 * (events_hybrid_sysfs_show() in arch/x86/events/intel/core.c).  Does not block on a
 * FIFO.  Returns the length or a negative errno.
 */
ssize_t td_sysfs_read_at(int dir, const char *path, char *buf, size_t size);
ssize_t td_sysfs_read(const struct td_sysfs *fs, const char *path, char *buf, size_t size,
		      struct td_err *err);
ssize_t td_proc_read(const struct td_sysfs *fs, const char *path, char *buf, size_t size,
		     struct td_err *err);
/*
 * Reads TID/stat of a task (proc(5)) into buf.  Returns its fields after "(name)", the third
 * and later ones, or NULL if the file cannot be read.
 */
const char *td_proc_stat(const struct td_sysfs *fs, int tid, char *buf, size_t size);

/*
 * Reads a list of CPUs or nodes of at most a page of text, with numbers up to max.  Returns -EINVAL
 * if the file is not a list, or is completely empty.  Free *out with td_ints_free().
 */
int td_sysfs_read_list(const struct td_sysfs *fs, const char *path, int max, struct td_ints *out,
		       struct td_err *err);
/*
 * Reads a decimal number.  Sets *out to -1 if there is no such file, or if the file
 * contains -1 (unknown).
 */
int td_sysfs_read_int(const struct td_sysfs *fs, const char *path, int *out, struct td_err *err);

/* Does rc mean that the file does not exist, which usually is not an error? */
static inline bool td_sysfs_is_none(ssize_t rc)
{
	return rc == -ENOENT || rc == -ENODEV || rc == -ENOTDIR;
}

struct td_names {
	char **v;
	size_t nr;
};

/* Lists the names in a directory, sorted, without hidden files. */
int td_sysfs_list(int dir, const char *path, struct td_names *names);
void td_names_free(struct td_names *names);
