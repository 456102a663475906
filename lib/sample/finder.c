// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/finder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/sample/confine.h"
#include "lib/sample/find.h"

/* What it waits for may not let it end, as a dead server of files. */
#define PATIENCE_NS (2 * TD_NS_A_SECOND)

/* Signals of a terminal are for us: we end it. */
static void block_signals(sigset_t *before)
{
	static const int blocked[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < TD_ARRAY_SIZE(blocked); i++)
		sigaddset(&set, blocked[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

__attribute__((noreturn)) static void look(const struct td_search *search,
					   const struct td_spots *spots,
					   const struct td_unknown *unknown,
					   int from, int fd)
{
	struct td_search own = *search;
	FILE *fp;

	td_confine(fd, search->fs->proc);
	fp = fdopen(fd, "we");
	if (!fp)
		_exit(TD_NO_MEMORY);
	for (int i = from; (i = td_unknown_find(unknown, i)) >= 0; i++)
		td_find_object(&own, spots, unknown, i, fp);
	/* nothing that was inherited is written, or run */
	_exit(ferror(fp) ? 1 : 0);
}

int td_finder_start(struct td_finder *finder, const struct td_search *search,
		    const struct td_spots *spots,
		    const struct td_unknown *unknown, int from)
{
	pid_t parent = getpid();
	sigset_t before;
	int fds[2], rc = 0;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	block_signals(&before);
	finder->pid = fork();
	if (finder->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		look(search, spots, unknown, from, fds[1]);
	}
	if (finder->pid < 0)
		rc = -errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(fds[1]);
	finder->fd = fds[0];
	if (rc)
		td_close_fd(&finder->fd);
	return rc;
}

int td_finder_end(struct td_finder *finder)
{
	static const struct timespec moment = { .tv_nsec = 1000000 };
	uint64_t end = td_now_ns() + PATIENCE_NS;
	int status = 0;
	pid_t pid;

	td_close_fd(&finder->fd);
	/* it has closed its end of the pipe, and may have done no more than that */
	kill(finder->pid, SIGKILL);
	while ((pid = waitpid(finder->pid, &status, WNOHANG)) == 0 &&
	       td_now_ns() < end)
		nanosleep(&moment, NULL);
	if (pid <= 0)
		return -EFAULT;
	if (WIFEXITED(status) && WEXITSTATUS(status) != TD_NO_MEMORY)
		return WEXITSTATUS(status) ? -EFAULT : 0;
	/* the kernel, too, ends what takes too much */
	return WIFEXITED(status) || WTERMSIG(status) == SIGKILL ? -ENOMEM
								: -EFAULT;
}
