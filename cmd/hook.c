// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/hook.h"

#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Signals as they were before we changed them: as our own command has them. */
static int spawn(pid_t *pid, char *const argv[], const sigset_t *mask)
{
	posix_spawnattr_t attr;
	sigset_t defaults;
	int rc = posix_spawnattr_init(&attr);

	if (rc)
		return -rc;
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	rc = posix_spawnattr_setsigmask(&attr, mask);
	if (!rc)
		rc = posix_spawnattr_setsigdefault(&attr, &defaults);
	if (!rc)
		rc = posix_spawnattr_setflags(
			&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (!rc)
		rc = posix_spawn(pid, "/bin/sh", NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	return -rc;
}

int td_hook_run(const char *option, const char *command, const sigset_t *mask,
		struct td_err *err)
{
	char sh[] = "sh", c[] = "-c";
	char *const argv[] = { sh, c, (char *)(uintptr_t)command, NULL };
	pid_t pid, ended;
	int status, rc = spawn(&pid, argv, mask);

	if (rc)
		return td_err_set(err, rc, "%s %s: %s", option, command,
				  strerror(-rc));
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
