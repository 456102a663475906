// SPDX-License-Identifier: GPL-2.0-only
/* Capabilities of this process and its limit of open files. */
#include "lib/machine/privileges.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/number.h"
#include "lib/machine/sysfs.h"

#define NR _LINUX_CAPABILITY_U32S_3

/* Calls capget(2) or capset(2), for which the C library has no functions. */
static int call(long number, struct __user_cap_data_struct data[NR])
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	return syscall(number, &head, data) ? -errno : 0;
}

uint64_t td_capabilities(void)
{
	struct __user_cap_data_struct data[NR];

	return call(SYS_capget, data) ? 0 : data[0].effective | (uint64_t)data[1].effective << 32;
}

int td_capabilities_keep(uint64_t kept)
{
	struct __user_cap_data_struct data[NR];
	int rc = call(SYS_capget, data);

	for (unsigned int i = 0; !rc && i < NR; i++) {
		data[i].permitted &= (uint32_t)(kept >> 32 * i);
		data[i].effective &= (uint32_t)(kept >> 32 * i);
		data[i].inheritable = 0;
	}
	return rc ?: call(SYS_capset, data);
}

/* --- open files ----------------------------------------------------------- */

/* A hard limit that is sufficient: systemd's. */
#define ENOUGH 524288

static bool set_limits(rlim_t soft, rlim_t hard)
{
	const struct rlimit limits = { soft, hard };

	return setrlimit(RLIMIT_NOFILE, &limits) == 0;
}

/* Returns the maximum that setrlimit(2) accepts; 0 if unknown. */
static rlim_t limit_of_kernel(void)
{
	char text[32];
	uint64_t nr;

	if (td_sysfs_read_at(AT_FDCWD, "/proc/sys/fs/nr_open", text, sizeof(text)) < 0 ||
	    td_parse_u64(text, UINT64_MAX, &nr))
		return 0;
	return nr;
}

bool td_open_files_raise(struct rlimit *before)
{
	rlim_t max;

	if (getrlimit(RLIMIT_NOFILE, before))
		return false;
	max = before->rlim_max < ENOUGH ? limit_of_kernel() : 0;
	if (max > before->rlim_max && set_limits(max, max))
		return true;
	return before->rlim_cur < before->rlim_max &&
	       set_limits(before->rlim_max, before->rlim_max);
}
