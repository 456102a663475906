// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/sample/spaces.h"

/* The kernel escapes only newlines, and no backslash (show_map_vma()). */
static void unescape(char *path)
{
	char *to = path;

	for (const char *from = path; *from; to++) {
		if (strncmp(from, "\\012", 4) == 0) {
			*to = '\n';
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* False if it is not of executable memory, or no line of this file. */
static bool parse_line(char *line, struct td_mapping *mapping)
{
	uint64_t end;
	char mode[5];
	int path = 0;

	line[strcspn(line, "\n")] = '\0';
	*mapping = (struct td_mapping){ 0 };
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s%n",
		   &mapping->start, &end, mode, &mapping->offset, &path) != 4 ||
	    !path || end <= mapping->start || !strchr(mode, 'x'))
		return false;
	mapping->length = end - mapping->start;
	line += path;
	line += strspn(line, " ");
	unescape(line);
	mapping->path = line;
	return true;
}

static FILE *open_maps(const struct td_sysfs *fs, int pid)
{
	char path[32];
	FILE *fp;
	int fd;

	if (fs->proc < 0)
		return NULL;
	snprintf(path, sizeof(path), "%d/maps", pid);
	fd = openat(fs->proc, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	fp = fdopen(fd, "re");
	if (!fp)
		close(fd);
	return fp;
}

int td_spaces_read(struct td_spaces *spaces, struct td_spots *spots,
		   const struct td_sysfs *fs, int pid)
{
	FILE *fp = open_maps(fs, pid);
	td_autofree char *line = NULL;
	struct td_mapping mapping;
	size_t size = 0;
	int rc = 0;

	if (!fp)
		return 0;
	while (!rc && getline(&line, &size, fp) > 0) {
		if (parse_line(line, &mapping))
			rc = td_spaces_map(spaces, spots, pid, &mapping);
	}
	fclose(fp);
	return rc;
}
