// SPDX-License-Identifier: GPL-2.0-only
#include "lib/machine/open_files.h"

#include <fcntl.h>
#include <stdint.h>

#include "lib/base/number.h"
#include "lib/machine/sysfs.h"

/* A hard limit from which on no more is asked for: systemd's is this one. */
#define ENOUGH 524288

static bool set_limits(rlim_t soft, rlim_t hard)
{
	const struct rlimit limits = { soft, hard };

	return setrlimit(RLIMIT_NOFILE, &limits) == 0;
}

/* setrlimit(2) accepts no more than this file says.  0: unknown. */
static rlim_t limit_of_kernel(void)
{
	char text[32];
	uint64_t nr;

	if (td_sysfs_read_at(AT_FDCWD, "/proc/sys/fs/nr_open", text,
			     sizeof(text)) < 0 ||
	    td_parse_u64(text, UINT64_MAX, &nr))
		return 0;
	return nr;
}

bool td_open_files_raise(struct rlimit *before)
{
	rlim_t most;

	if (getrlimit(RLIMIT_NOFILE, before))
		return false;
	most = before->rlim_max < ENOUGH ? limit_of_kernel() : 0;
	if (most > before->rlim_max && set_limits(most, most))
		return true;
	return before->rlim_cur < before->rlim_max &&
	       set_limits(before->rlim_max, before->rlim_max);
}
