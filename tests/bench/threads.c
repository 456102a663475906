// SPDX-License-Identifier: GPL-2.0-only
/* threads NR: starts NR short threads, one after the other. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *unused)
{
	for (volatile int i = 0; i < 100000; i++)
		continue;
	return unused;
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 0; i < nr; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
			return 1;
	}
	return 0;
}
