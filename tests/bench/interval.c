// SPDX-License-Identifier: GPL-2.0-only
/*
 * interval RECORDING ROUNDS: the time of aggregating, evaluating and printing
 * an interval of level 2, ROUNDS times, in us.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cmd/plan/measure.h"
#include "cmd/view/view.h"
#include "lib/recording/recording.h"

struct bench {
	struct td_request request;
	struct td_notes notes;
	struct td_recording rec;
	struct td_measure measure;
	struct td_source source;
	struct td_view view;
};

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int make_tree(struct bench *b, struct td_err *err)
{
	const struct td_measuring how = {
		.machine = &b->rec.machine,
		.request = &b->request,
		.notes = &b->notes,
		.places = b->rec.places,
		.core_wide = true,
	};

	return td_measure_build(&b->measure, &b->rec.plan.events, &how, err);
}

static int time_rows(struct bench *b, int rounds, struct td_err *err)
{
	struct td_readings delta = { 0 };
	uint64_t time_ns = 0;
	int rc = td_recording_next(&b->rec, &time_ns, &delta, err);
	const struct td_counted counted = { time_ns, &b->rec.times, &delta, &b->rec.timeline };

	for (int i = 0; !rc && i < rounds; i++) {
		double began = now_us();

		rc = td_view_put(&b->view, &counted, err);
		printf("%.1f\n", now_us() - began);
	}
	free(delta.v);
	return rc;
}

static int run(struct bench *b, const char *path, int rounds, struct td_err *err)
{
	int rc = td_recording_open(&b->rec, path, NULL, err);

	if (!rc)
		rc = make_tree(b, err);
	if (!rc)
		rc = td_view_init(&b->view, &b->source, &b->request, err);
	if (!rc)
		rc = td_view_open(&b->view, &b->request, err);
	if (!rc)
		rc = td_view_begin(&b->view, err);
	return rc ? rc : time_rows(b, rounds, err);
}

int main(int argc, char **argv)
{
	struct td_err err = { 0 };
	struct bench b = {
		.request = { .ask = { .level = 2 }, .show.output = "/dev/null" },
		.source = { .machine = &b.rec.machine,
			    .plan = &b.rec.plan,
			    .tree = &b.measure.tree,
			    .target = &b.rec.info.target,
			    .interval = true },
	};

	if (argc != 3)
		return 64;
	if (run(&b, argv[1], atoi(argv[2]), &err))
		fprintf(stderr, "interval: %s\n", err.msg);
	td_view_close(&b.view, &err);
	td_measure_free(&b.measure);
	td_recording_close(&b.rec);
	td_notes_free(&b.notes);
	return err.code ? 1 : 0;
}
