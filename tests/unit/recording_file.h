/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_TEST_RECORDING_FILE_H
#define TD_TEST_RECORDING_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/recording/recording.h"

/* Creates a file that only this process can see.  Returns its descriptor. */
static inline int make_file(const char *text, size_t size, char path[32])
{
	int fd = memfd_create("recording", MFD_CLOEXEC);

	snprintf(path, 32, "/proc/self/fd/%d", fd);
	if (write(fd, text, size) != (ssize_t)size)
		perror("memfd");
	return fd;
}

/* Reads a recording to its end.  Returns 1 there, or an error. */
static inline int read_all(const char *path, struct td_err *err)
{
	struct td_readings readings = { 0 };
	struct td_recording rec;
	uint64_t time_ns;
	int rc = td_recording_open(&rec, path, NULL, err);

	while (!rc)
		rc = td_recording_next(&rec, &time_ns, &readings, err);
	td_recording_close(&rec);
	free(readings.v);
	return rc;
}

#endif
