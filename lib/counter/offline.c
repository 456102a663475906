// SPDX-License-Identifier: GPL-2.0-only
#include "lib/counter/offline.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In the kernel, perf_event_open() returns ENODEV for an offline CPU. */
static bool is_offline(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = true,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno == ENODEV;
	close(fd);
	return false;
}

int td_find_offline(const struct td_ints *cpus, struct td_ints *out)
{
	int rc = 0;

	*out = (struct td_ints){ 0 };
	for (size_t i = 0; !rc && i < cpus->nr; i++) {
		if (is_offline(cpus->v[i]))
			rc = td_ints_add(out, cpus->v[i]);
	}
	if (rc)
		td_ints_free(out);
	return rc;
}
