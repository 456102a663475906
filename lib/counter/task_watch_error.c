// SPDX-License-Identifier: GPL-2.0-only
#include "lib/counter/task_watch_error.h"

#include <errno.h>
#include <string.h>

#include "lib/counter/probe.h"

#define WATCHING "cannot watch for new threads and processes"
#define CANNOT   WATCHING ": "

int td_task_watch_open_error(struct td_err *err, int rc)
{
	if (td_filter_error(err, rc, WATCHING))
		return rc;
	switch (-rc) {
	case ENOMEM:
		return td_err_nomem(err);
	case ESRCH:
	case ENODEV: /* a task that is exiting */
		return td_err_set(err, -ESRCH, CANNOT "a task has ended");
	case EACCES:
	case EPERM:
		td_err_set(err, rc, CANNOT "this user may not: %s",
			   strerror(-rc));
		return td_err_hint(err, "your own processes need sysctl "
					"kernel.perf_event_paranoid at 2 or "
					"below; those of other users need "
					"root or CAP_PERFMON (setcap "
					"cap_perfmon+ep)");
	case EMFILE:
	case ENFILE:
		td_err_set(err, rc, CANNOT "%s", strerror(-rc));
		return td_err_hint(err, "it needs a descriptor for each thread "
					"on each CPU: raise the limit "
					"(ulimit -n), or watch fewer threads");
	default:
		return td_err_set(err, rc, CANNOT "%s", strerror(-rc));
	}
}

int td_task_watch_map_error(struct td_err *err, int rc)
{
	if (rc == -ENOMEM)
		return td_err_nomem(err);
	td_err_set(err, rc, CANNOT "no buffers for the kernel's records: %s",
		   strerror(-rc));
	if (rc == -EPERM)
		return td_err_hint(err, "this user has locked as much memory "
					"as allowed: end another profiler, or "
					"raise sysctl "
					"kernel.perf_event_mlock_kb");
	return rc;
}
