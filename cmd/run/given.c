// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/given.h"

#include <errno.h>
#include <inttypes.h>

void td_given_take(struct td_given *given)
{
	struct rlimit most;

	/* if it is ignored, wait4() cannot return the command's status */
	given->sigchld_ignored = signal(SIGCHLD, SIG_DFL) == SIG_IGN;
	getrlimit(RLIMIT_NOFILE, &given->nofile);
	most = given->nofile;
	most.rlim_cur = most.rlim_max;
	if (given->nofile.rlim_cur < most.rlim_max)
		setrlimit(RLIMIT_NOFILE, &most);
}

void td_given_back(const struct td_given *given)
{
	if (given->nofile.rlim_cur < given->nofile.rlim_max)
		setrlimit(RLIMIT_NOFILE, &given->nofile);
	if (given->sigchld_ignored)
		signal(SIGCHLD, SIG_IGN);
	sigprocmask(SIG_SETMASK, &given->mask, NULL);
}

void td_given_hint(struct td_err *err)
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
