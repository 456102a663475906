/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_FOLDER_H
#define TD_FOLDER_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/util.h"

/* A directory, in memory if possible, which is removed at exit. */
static char folder[] = "/dev/shm/tdstat-fuzz.XXXXXX";
static int folder_fd = -1;

static void remove_folder(void)
{
	td_autofree char *command = NULL;

	td_close_fd(&folder_fd);
	if (asprintf(&command, "rm -rf %s", folder) < 0 || system(command))
		perror(folder);
}

/* Create the directories of files. */
static void make_folder(const char *const *files, size_t nr)
{
	if (access("/dev/shm", W_OK))
		strcpy(folder, "/tmp/tdstat-fuzz.XXXXXX");
	if (mkdtemp(folder))
		folder_fd = open(folder, O_PATH | O_CLOEXEC);
	if (folder_fd < 0 || atexit(remove_folder))
		abort();
	for (size_t i = 0; i < nr; i++) {
		char part[128];

		snprintf(part, sizeof(part), "%s", files[i]);
		for (char *c = part; (c = strchr(c, '/')); *c++ = '/') {
			*c = '\0';
			if (mkdirat(folder_fd, part, 0700) && errno != EEXIST)
				abort();
		}
	}
}

#endif
