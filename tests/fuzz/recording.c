// SPDX-License-Identifier: GPL-2.0-only
/* Reads a recording and makes a report of it. */
#include "tests/fuzz/replay.h"
#include "tests/unit/levels.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/recording/recording.h"
#include "metrics/eval/eval.h"

static void evaluate(struct td_recording *rec, struct td_evaluation *e,
		     const struct td_readings *readings)
{
	struct td_totals totals = { 0 };
	struct td_report report = { 0 };
	const struct td_aggregator agg = { TD_AGGREGATE_CPU };

	td_aggregate(&agg, readings, &rec->plan, &totals);
	td_eval(e, &totals, NULL, true, &report);
	td_report_free(&report);
	td_totals_free(&totals);
}

static void read_all(struct td_recording *rec, struct td_err *err)
{
	struct td_readings readings = { 0 };
	struct td_evaluation evaluation = { 0 };
	struct td_tree tree;
	uint64_t time_ns;
	int rc = test_build_levels(&tree, &rec->plan, &rec->machine, 2, true, err);

	if (!rc)
		td_evaluation_make(&evaluation, &tree, &rec->plan);
	while (!rc) {
		rc = td_recording_next(rec, &time_ns, &readings, err);
		if (!rc)
			evaluate(rec, &evaluation, &readings);
	}
	if (rc < 0 && (rc != err->code || !err->msg[0]))
		abort();
	td_evaluation_free(&evaluation);
	td_tree_free(&tree);
	free(readings.v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);
	struct td_recording rec;
	struct td_err err = { 0 };
	char path[32];
	int rc;

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size) {
		rc = td_recording_open(&rec, path, NULL, &err);
		if (rc != err.code)
			abort();
		if (rc == 0)
			read_all(&rec, &err);
		td_recording_close(&rec);
	}
	close(fd);
	return 0;
}
