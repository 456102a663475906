// SPDX-License-Identifier: GPL-2.0-only
#include "lib/counter/filtered.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/machine/sysfs.h"

/* Of SECCOMP_MODE_FILTER, in proc_pid_status(5). */
static bool has_seccomp_filter(void)
{
	char text[8192];
	const char *line;
	int mode = 0;

	if (td_sysfs_read_at(AT_FDCWD, "/proc/self/status", text,
			     sizeof(text)) < 0)
		return false;
	line = strstr(text, "\nSeccomp:");
	return line && sscanf(line, "\nSeccomp: %d", &mode) == 1 && mode == 2;
}

/*
 * The kernel looks at the attributes (EFAULT) or refuses for lack of rights
 * (EACCES) before it has a reason for another error.
 */
static bool is_call_refused(int rc)
{
	return syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0UL) < 0 &&
	       errno == -rc;
}

/* Without a filter, ENOSYS is of a kernel without perf events. */
bool td_filter_error(struct td_err *err, int rc, const char *what)
{
	bool seccomp;

	if ((rc != -EPERM && rc != -ENOSYS) || !is_call_refused(rc))
		return false;
	seccomp = has_seccomp_filter();
	if (rc == -ENOSYS && !seccomp)
		return false;
	td_err_set(err, rc, "%s: perf_event_open(2) is forbidden here: %s",
		   what, strerror(-rc));
	if (seccomp)
		td_err_hint(err,
			    "a seccomp filter forbids it: docker and podman "
			    "allow it with --cap-add PERFMON, or with "
			    "--security-opt seccomp=FILE and a filter that "
			    "has perf_event_open; systemd with "
			    "SystemCallFilter=perf_event_open");
	else
		td_err_hint(err, "no seccomp filter forbids it, so it is a "
				 "security module of the kernel: dmesg may say "
				 "which");
	return true;
}
