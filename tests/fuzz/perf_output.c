// SPDX-License-Identifier: GPL-2.0-only
/* What perf stat -x or -j may have written; what it becomes can be read. */
#include "tests/fuzz/replay.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/recording/perf/output.h"
#include "lib/recording/recording.h"

static void read_all(const char *path, const char *text)
{
	struct td_readings readings = { 0 };
	struct td_recording rec;
	struct td_err err = { 0 };
	uint64_t time_ns;
	int rc = td_recording_open(&rec, path, &err);

	while (!rc)
		rc = td_recording_next(&rec, &time_ns, &readings, &err);
	if (rc < 0) {
		fprintf(stderr, "%s\n%s\n", err.msg, text);
		abort();
	}
	td_recording_close(&rec);
	free(readings.v);
}

static void read_back(const char *text, size_t size)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	char path[32];

	if (fd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, text, size) == (ssize_t)size)
		read_all(path, text);
	close(fd);
}

/* 1: nothing of perf's.  An error says in which file it is. */
static int convert(FILE *in, FILE *out)
{
	struct td_err err = { 0 };
	int rc = td_perf_output_convert(in, "perf.out", out, &err);

	if (rc < 0 && (rc != err.code || !strstr(err.msg, "perf.out")))
		abort();
	return rc;
}

static void try_file(FILE *in)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int rc;

	if (!out)
		return;
	rc = convert(in, out);
	fclose(out);
	if (rc == 1 && len)
		abort();
	if (!rc)
		read_back(text, len);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

	if (!in)
		return 0;
	try_file(in);
	fclose(in);
	return 0;
}
