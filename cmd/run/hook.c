// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/run/hook.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/run/signals.h"

int td_hook_run(const char *option, const char *command,
		const struct td_inherited *inherited, struct td_err *err)
{
	pid_t pid = fork(), ended;
	int status;

	if (pid == 0) {
		td_signals_hold();
		td_inherited_restore(inherited);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0)
		return td_err_set(err, -errno, "%s %s: fork: %s", option,
				  command, strerror(errno));
	do {
		ended = waitpid(pid, &status, 0);
	} while (ended < 0 && errno == EINTR);
	if (ended < 0)
		return td_err_set(err, -errno, "%s: waitpid: %s", option,
				  strerror(errno));
	if (WIFSIGNALED(status))
		return td_err_set(err, -EINTR, "%s %s: ended by signal %d",
				  option, command, WTERMSIG(status));
	if (WEXITSTATUS(status))
		return td_err_set(err, -EIO, "%s %s: exit status %d", option,
				  command, WEXITSTATUS(status));
	return 0;
}
