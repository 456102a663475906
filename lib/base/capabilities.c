// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/capabilities.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NR _LINUX_CAPABILITY_U32S_3

/* The C library has no functions for these calls. */
static int call(long number, struct __user_cap_data_struct data[NR])
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};

	return syscall(number, &head, data) ? -errno : 0;
}

uint64_t td_capabilities(void)
{
	struct __user_cap_data_struct data[NR];

	return call(SYS_capget, data)
		       ? 0
		       : data[0].effective | (uint64_t)data[1].effective << 32;
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
	return rc ? rc : call(SYS_capset, data);
}
