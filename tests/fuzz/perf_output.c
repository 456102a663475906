// SPDX-License-Identifier: GPL-2.0-only
/* A file of perf stat -x or -j; its recording must give the same counts. */
#include "tests/fuzz/replay.h"
#include "tests/unit/rewrite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/import/perf.h"

/* Returns 1 if it is not perf's.  An error must name the file. */
static int open_perf(struct td_recording *rec, const uint8_t *data, size_t size)
{
	struct td_err err = { 0 };
	int rc;

	*rec = (struct td_recording){ .path = "perf.out", .foreign = &td_perf_output };
	rec->fp = fmemopen((void *)(uintptr_t)data, size, "r");
	rc = rec->fp ? td_perf_output.open(rec, &err) : 1;
	if (rc < 0 && (rc != err.code || !strstr(err.msg, "perf.out")))
		abort();
	if ((rc == 0) != (rec->perf != NULL))
		abort();
	return rc;
}

static void compare(struct td_recording *perf, struct td_recording *again)
{
	struct td_readings want = { 0 }, got = { 0 };
	struct td_err err = { 0 };
	uint64_t time_ns;
	int rc = 0;

	while (!rc) {
		rc = td_recording_next(perf, &time_ns, &want, &err);
		if (rc < 0 || td_recording_next(again, &time_ns, &got, &err) != rc ||
		    (!rc && !test_same_readings(&want, &got))) {
			fprintf(stderr, "%s\n", err.msg);
			abort();
		}
	}
	if (perf->ended != again->ended || again->cut_off || perf->info.how != again->info.how ||
	    perf->plan.events.nr != again->plan.events.nr)
		abort();
	free(want.v);
	free(got.v);
}

static void read_back(struct td_recording *perf, const char *text, size_t size)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct td_recording again;
	struct td_err err = { 0 };
	char path[32];

	if (fd < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, text, size) == (ssize_t)size) {
		if (td_recording_open(&again, path, &td_perf_output, &err)) {
			fprintf(stderr, "%s\n%s\n", err.msg, text);
			abort();
		}
		compare(perf, &again);
		td_recording_close(&again);
	}
	close(fd);
}

static char *rewrite(struct td_recording *rec, size_t *size)
{
	struct td_err err = { 0 };
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	if (out && test_rewrite(rec, out, &err) != 1)
		abort();
	if (out)
		fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct td_recording rec;
	char *text = NULL;
	size_t len = 0;
	int rc = size ? open_perf(&rec, data, size) : 1;

	if (!size)
		return 0;
	if (!rc)
		text = rewrite(&rec, &len);
	td_recording_close(&rec);
	if (text && open_perf(&rec, data, size) == 0) {
		read_back(&rec, text, len);
		td_recording_close(&rec);
	}
	free(text);
	return 0;
}
