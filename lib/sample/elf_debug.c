// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/elf_debug.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/base/util.h"
#include "lib/sample/regular_file.h"

#define DEBUG_FOLDER "/usr/lib/debug"
/* A larger file is not read only to know whether it is a debug file. */
#define CRC_MAX ((uint64_t)4 << 30)

/* What a debug file must be. */
struct wanted {
	struct td_search *search;
	int pid;
	struct td_build_id build_id; /* else crc */
	uint32_t crc;
};

/* No more than the file had at first: who writes it can write on. */
static int check_crc(int fd, const struct wanted *wanted)
{
	unsigned char buf[1 << 16];
	uLong crc = crc32(0, NULL, 0);
	struct stat st;
	off_t at = 0;
	ssize_t nr;

	if (fstat(fd, &st))
		return -ENOENT;
	if ((uint64_t)st.st_size > CRC_MAX ||
	    !td_search_take(&wanted->search->bytes, (uint64_t)st.st_size))
		return -EFBIG;
	while (at < st.st_size && (nr = pread(fd, buf, sizeof(buf), at)) > 0) {
		crc = crc32(crc, buf, (uInt)nr);
		at += nr;
	}
	return at == st.st_size && crc == wanted->crc ? 0 : -ENOENT;
}

static int check(const struct td_elf *debug, const struct wanted *wanted)
{
	if (!wanted->build_id.size)
		return check_crc(debug->fd, wanted);
	return td_build_id_same(&debug->build_id, &wanted->build_id) ? 0
								     : -ENOENT;
}

/* Opens a path in the root of the process, or in ours. */
static int open_in(struct td_elf *debug, const struct wanted *wanted, int pid,
		   const char *path)
{
	td_autofree char *full = td_regular_path(pid, path);
	int rc = full ? td_elf_open(debug, wanted->search->fs, full) : -ENOMEM;

	if (rc)
		return rc == -ENOMEM ? rc : -ENOENT;
	rc = check(debug, wanted);
	if (rc)
		td_elf_close(debug);
	return rc;
}

static int open_either(struct td_elf *debug, const struct wanted *wanted,
		       const char *path)
{
	int rc = -ENOENT;

	if (wanted->pid)
		rc = open_in(debug, wanted, wanted->pid, path);
	return rc == -ENOENT ? open_in(debug, wanted, 0, path) : rc;
}

static int open_by_id(struct td_elf *debug, const struct wanted *wanted)
{
	const struct td_build_id *id = &wanted->build_id;
	char hex[TD_BUILD_ID_TEXT], path[128];

	if (id->size < 2)
		return -ENOENT;
	td_build_id_text(hex, id);
	snprintf(path, sizeof(path), DEBUG_FOLDER "/.build-id/%.2s/%s.debug",
		 hex, hex + 2);
	return open_either(debug, wanted, path);
}

/* The path of a file as its process sees it. */
static const char *inner_path(const struct td_elf *file)
{
	const char *root =
		*file->path == '/' ? NULL : strstr(file->path, "/root/");

	return root ? root + strlen("/root") : file->path;
}

/* "FOLDER/NAME", "FOLDER/.debug/NAME", "/usr/lib/debug/FOLDER/NAME" */
static int open_by_name(struct td_elf *debug, const struct wanted *wanted,
			const struct td_elf *file, const char *name)
{
	const char *path = inner_path(file), *slash = strrchr(path, '/');
	int length = slash ? (int)(slash - path) : 0, rc = -ENOENT;
	static const char *const before[] = { "", "", DEBUG_FOLDER };
	static const char *const after[] = { "", "/.debug", "" };

	for (size_t i = 0; rc == -ENOENT && i < TD_ARRAY_SIZE(before); i++) {
		td_autofree char *at = NULL;

		if (asprintf(&at, "%s%.*s%s/%s", before[i], length, path,
			     after[i], name) < 0) {
			at = NULL;
			return -ENOMEM;
		}
		rc = open_either(debug, wanted, at);
	}
	return rc;
}

/* The name in the section, which is data up to a NUL, or NULL. */
static const char *link_name(const struct td_elf *file, const char *section,
			     Elf_Data **data)
{
	*data = td_elf_small(file, section);
	if (!*data || !memchr((*data)->d_buf, '\0', (*data)->d_size))
		return NULL;
	return (*data)->d_buf;
}

int td_elf_open_debug(struct td_elf *debug, const struct td_elf *file,
		      struct td_search *search, int pid)
{
	struct wanted wanted = { search, pid, file->build_id, 0 };
	int rc = open_by_id(debug, &wanted);
	const char *name;
	Elf_Data *data;
	size_t at;

	if (rc != -ENOENT || !file->path)
		return rc;
	name = link_name(file, ".gnu_debuglink", &data);
	if (!name || !*name || strchr(name, '/'))
		return -ENOENT;
	at = (strlen(name) + 4) & ~(size_t)3;
	if (data->d_size < at + sizeof(wanted.crc))
		return -ENOENT;
	memcpy(&wanted.crc, name + at, sizeof(wanted.crc));
	return open_by_name(debug, &wanted, file, name);
}

int td_elf_open_shared(struct td_elf *shared, const struct td_elf *debug,
		       struct td_search *search, int pid)
{
	struct wanted wanted = { .search = search, .pid = pid };
	Elf_Data *data;
	const char *name = link_name(debug, ".gnu_debugaltlink", &data);
	size_t at = name ? strlen(name) + 1 : 0;
	int rc;

	if (!name || data->d_size - at < 2 ||
	    data->d_size - at > TD_BUILD_ID_SIZE)
		return -ENOENT;
	wanted.build_id.size = (uint8_t)(data->d_size - at);
	memcpy(wanted.build_id.v, name + at, wanted.build_id.size);
	rc = open_by_id(shared, &wanted);
	return rc == -ENOENT && *name == '/'
		       ? open_either(shared, &wanted, name)
		       : rc;
}
