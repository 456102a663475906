// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/top/said.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/util.h"

/* What is written at the end of all that was kept. */
#define MOST_BYTES 65536

void td_top_said_begin(struct td_top_said *said)
{
	*said = TD_TOP_SAID_NONE;
	if (!isatty(STDERR_FILENO))
		return;
	fflush(stderr);
	said->kept = memfd_create("tdstat-stderr", MFD_CLOEXEC);
	said->real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (said->kept >= 0 && said->real >= 0 &&
	    dup2(said->kept, STDERR_FILENO) >= 0)
		return;
	td_close_fd(&said->kept);
	td_close_fd(&said->real);
}

static ssize_t read_at(const struct td_top_said *said, char *buf, size_t size,
		       off_t at)
{
	return said->kept < 0 ? 0 : pread(said->kept, buf, size, at);
}

size_t td_top_said_lines(const struct td_top_said *said)
{
	char buf[4096];
	size_t nr = 0;
	off_t at = 0;
	ssize_t len;

	while (at < MOST_BYTES &&
	       (len = read_at(said, buf, sizeof(buf), at)) > 0) {
		for (ssize_t i = 0; i < len; i++)
			nr += buf[i] == '\n';
		at += len;
	}
	return nr;
}

void td_top_said_end(struct td_top_said *said)
{
	char buf[4096];
	off_t at = 0;
	ssize_t len;

	if (said->real < 0)
		return;
	fflush(stderr);
	dup2(said->real, STDERR_FILENO);
	while (at < MOST_BYTES &&
	       (len = read_at(said, buf, sizeof(buf), at)) > 0) {
		if (write(STDERR_FILENO, buf, (size_t)len) < 0)
			break;
		at += len;
	}
	td_close_fd(&said->kept);
	td_close_fd(&said->real);
}
