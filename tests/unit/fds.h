/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_FDS_H
#define TD_TEST_FDS_H

#include <dirent.h>

/* The number of open descriptors, with those that counting takes. */
static inline int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

#endif
