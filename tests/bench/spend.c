// SPDX-License-Identifier: GPL-2.0-only
/*
 * spend COMMAND...: CPU time in us, elapsed time in us and peak memory in KB of
 * a command and the children that it waited for.  Its output is discarded.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static double to_us(struct timeval t)
{
	return (double)t.tv_sec * 1e6 + (double)t.tv_usec;
}

/* posix_spawn(3) does not copy us, so the peak is that of the command. */
static int start(char **argv, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	int rc = posix_spawn_file_actions_init(&files);

	for (int fd = 0; !rc && fd < 3; fd++)
		rc = posix_spawn_file_actions_addopen(&files, fd, "/dev/null",
						      fd ? O_WRONLY : O_RDONLY, 0);
	if (!rc)
		rc = posix_spawnp(pid, argv[0], &files, NULL, argv, environ);
	if (rc)
		fprintf(stderr, "spend: %s: %s\n", argv[0], strerror(rc));
	return rc;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	double began = now_us();
	int status;
	pid_t pid;

	if (argc < 2)
		return 64;
	if (start(argv + 1, &pid) || wait4(pid, &status, 0, &usage) != pid)
		return 1;
	printf("%.0f %.0f %ld\n", to_us(usage.ru_utime) + to_us(usage.ru_stime), now_us() - began,
	       usage.ru_maxrss);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "spend: %s failed\n", argv[1]);
		return 1;
	}
	return 0;
}
