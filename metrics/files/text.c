// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/files/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/util.h"

/* Reads all of fp.  Returns -EILSEQ at a NUL byte. */
static int read_stream(FILE *fp, char **text)
{
	size_t size = 0;
	ssize_t len;

	errno = 0;
	len = getdelim(text, &size, '\0', fp);
	if (len < 0 && !feof(fp))
		return errno ? -errno : -EIO;
	if (len < 0) {
		free(*text);
		*text = strdup("");
		return *text ? 0 : -ENOMEM;
	}
	return (*text)[len - 1] ? 0 : -EILSEQ;
}

/*
 * What kind of special file it is; NULL for files, and for folders, for which
 * reading fails with a good message.
 */
static const char *kind_of(mode_t mode)
{
	if (S_ISFIFO(mode))
		return "a FIFO";
	if (S_ISSOCK(mode))
		return "a socket";
	return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : NULL;
}

/*
 * Opens a regular file.  Special files are refused first, as opening one may
 * block or have effects.
 */
static FILE *open_file(const char *path, struct td_err *err)
{
	struct stat st;
	const char *kind = stat(path, &st) == 0 ? kind_of(st.st_mode) : NULL;
	int fd = kind ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *fp = fd < 0 ? NULL : fdopen(fd, "r");

	if (fp)
		return fp;
	if (kind)
		td_err_set(err, -EINVAL, "%s: %s, not a file", path, kind);
	else
		td_err_set(err, -errno, "%s: %s", path, strerror(errno));
	td_close_fd(&fd);
	return NULL;
}

int td_pmu_events_text(const char *path, char **text, struct td_err *err)
{
	FILE *fp = open_file(path, err);
	int rc;

	if (!fp)
		return err->code;
	rc = read_stream(fp, text);
	fclose(fp);
	if (rc == -EILSEQ)
		return td_err_set(err, -EINVAL, "%s: a NUL byte", path);
	if (rc)
		return td_err_set(err, rc, "%s: %s", path, strerror(-rc));
	return 0;
}

char *td_aprintf(const char *fmt, ...)
{
	char *text;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	return len < 0 ? NULL : text;
}

char *td_lower(char *text)
{
	for (char *c = text; c && *c; c++) {
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
	}
	return text;
}
