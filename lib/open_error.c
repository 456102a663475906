// SPDX-License-Identifier: GPL-2.0-only
#include "lib/open_error.h"

#include <errno.h>
#include <string.h>

static int no_rights(struct td_err *err, int rc, const char *event,
		     const struct td_target *target)
{
	td_err_set(err, rc, "%s: this user may not count %s: %s", event,
		   target->system_wide ? "a whole machine" : "this process",
		   strerror(-rc));
	if (target->system_wide)
		return td_err_hint(err, "as root: sysctl "
					"kernel.perf_event_paranoid=0; or give "
					"tdstat CAP_PERFMON: setcap "
					"cap_perfmon+ep; or count one command: "
					"tdstat -- COMMAND");
	return td_err_hint(err,
			   "one's own needs sysctl kernel.perf_event_paranoid "
			   "at 2 or below; another user's needs root or "
			   "CAP_PERFMON (setcap cap_perfmon+ep)");
}

/* perf_event_open(2), and arch/x86/events/intel/core.c for EINVAL */
int td_open_error(struct td_err *err, int rc, const char *event,
		  const char *pmu, const struct td_target *target)
{
	switch (-rc) {
	case EACCES:
	case EPERM:
		return no_rights(err, rc, event, target);
	case EBUSY:
		td_err_set(err, rc, "%s: the counters of %s are taken", event,
			   pmu);
		return td_err_hint(err, "end the other profiler, or the "
					"virtual machine, that holds them");
	case EMFILE:
	case ENFILE:
		td_err_set(err, rc, "%s: %s", event, strerror(-rc));
		return td_err_hint(err, "raise the limit (ulimit -n), or count "
					"fewer CPUs (-C) or one PMU "
					"(--cputype)");
	case EINVAL:
	case ENOENT:
	case ENXIO:
	case EOPNOTSUPP:
		td_err_set(err, rc, "%s: the kernel cannot count it: %s", event,
			   strerror(-rc));
		return td_err_hint(err, "dmesg may say why; in a virtual "
					"machine, the host decides what there "
					"is to count");
	case ENODEV:
		td_err_set(err, rc, "%s: a CPU of %s went offline", event, pmu);
		return td_err_hint(err, "try again");
	case ENOSYS:
		td_err_set(err, rc, "this kernel has no perf events");
		return td_err_hint(err, "it needs CONFIG_PERF_EVENTS; a "
					"container's seccomp filter may hide "
					"perf_event_open");
	default:
		return td_err_set(err, rc, "%s: %s", event, strerror(-rc));
	}
}
