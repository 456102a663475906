/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_TREE_H
#define TD_TEST_TREE_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Creates directories and files below a temporary directory. */

static inline int test_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline void test_tree_remove(const char *root)
{
	nftw(root, test_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static inline void test_make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

/* A path that ends with a slash is a directory. */
static inline void test_file(const char *root, const char *name, const char *text, size_t size)
{
	char path[1024];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	test_make_parents(path);
	if (path[strlen(path) - 1] == '/')
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, text, size) != (ssize_t)size)
		perror(path);
	close(fd);
}

#endif
