// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/inherited.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>

#include "cmd/run/signals.h"
#include "lib/machine/open_files.h"

/*
 * The right to count is ours alone.  As a capability of our file, exec() of the
 * command takes it away; as an ambient one, exec() would hand it on.
 */
static void keep_right_to_ourselves(void)
{
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, CAP_PERFMON, 0, 0);
}

void td_inherited_change(struct td_inherited *inherited)
{
	keep_right_to_ourselves();
	/* if it is ignored, wait4() cannot return the command's status */
	inherited->sigchld_ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
	inherited->nofile_raised = td_open_files_raise(&inherited->nofile);
}

void td_inherited_restore(const struct td_inherited *inherited)
{
	if (inherited->nofile_raised)
		setrlimit(RLIMIT_NOFILE, &inherited->nofile);
	if (inherited->sigchld_ignored)
		signal(SIGCHLD, SIG_IGN);
	td_signals_restore();
}

void td_inherited_hint(struct td_err *err)
{
	struct rlimit limit;

	if (err->code != -EMFILE || err->hint[0] ||
	    getrlimit(RLIMIT_NOFILE, &limit))
		return;
	td_err_hint(err,
		    "no more than %" PRIu64 " may be open at a time: "
		    "raise the limit (ulimit -n)",
		    (uint64_t)limit.rlim_cur);
}
