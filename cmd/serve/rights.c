// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/serve/rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38 /* since Linux 5.8 */
#endif

#define WORD(cap) ((cap) / 32)
#define BIT(cap)  (UINT32_C(1) << (cap) % 32)

/*
 * What a program may get by execve(2), which we never call.  Without CAP_SETPCAP
 * the bounding set stays what it is, and no_new_privs has the same effect.
 */
static void drop_later(void)
{
	for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0;
	     cap++) {
		if (cap != CAP_PERFMON)
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	}
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

int td_rights_drop(struct td_err *err)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	drop_later();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_capget, &head, data))
		return td_err_set(err, -errno, "cannot give up rights: %s",
				  strerror(errno));
	for (unsigned int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		uint32_t kept = i == WORD(CAP_PERFMON) ? BIT(CAP_PERFMON) : 0;

		data[i].permitted &= kept;
		data[i].effective &= kept;
		data[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &head, data))
		return td_err_set(err, -errno, "cannot give up rights: %s",
				  strerror(errno));
	return 0;
}
