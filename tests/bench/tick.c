// SPDX-License-Identifier: GPL-2.0-only
/*
 * tick ... N: wakes up N times, every 10 ms, and does nothing: the cost of an
 * interval without its reads.
 */
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const struct itimerspec every = { { 0, 10000000 }, { 0, 10000000 } };
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	struct pollfd fd = { timer, POLLIN, 0 };
	uint64_t ticks;

	if (argc < 2 || timerfd_settime(timer, 0, &every, NULL))
		return 1;
	for (int left = atoi(argv[argc - 1]); left > 0; left--) {
		if (poll(&fd, 1, -1) != 1 || read(timer, &ticks, sizeof(ticks)) != sizeof(ticks))
			return 1;
	}
	return 0;
}
