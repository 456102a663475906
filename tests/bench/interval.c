// SPDX-License-Identifier: GPL-2.0-only
/*
 * interval RECORDING ROUNDS: the time of aggregating, evaluating and printing
 * an interval of level 2, ROUNDS times, in us.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cmd/out/sink.h"
#include "cmd/plan/measure.h"
#include "cmd/plan/select.h"
#include "lib/counter/counter.h"
#include "lib/recording/recording.h"

struct bench {
	struct td_opts opts;
	struct td_notes notes;
	struct td_recording rec;
	struct td_measure measure;
	struct td_aggregator aggregator;
	struct td_sink sink;
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
		.opts = &b->opts,
		.notes = &b->notes,
		.places = b->rec.places,
		.core_wide = true,
	};
	int rc = td_measure_build(&b->measure, &b->rec.plan, &how, err);

	if (!rc)
		rc = td_check_rows_of_cpus(&b->measure.tree, &b->rec.machine,
					   &b->opts, err);
	return rc ? rc
		  : td_aggregator_build(&b->aggregator, TD_AGGREGATE_ALL, 0,
					b->rec.places, b->rec.machine.online.nr,
					err);
}

static int time_rows(struct bench *b, int rounds, struct td_err *err)
{
	struct td_counter *counter = NULL;
	struct td_readings delta;
	uint64_t time_ns = 0;
	int rc = td_counter_replay_open(&counter, &b->rec, err);

	if (!rc)
		rc = counter->ops->read(counter, 0, &time_ns, &delta, err);
	for (int i = 0; !rc && i < rounds; i++) {
		double began = now_us();

		rc = td_sink_counts(&b->sink, time_ns, &b->rec.times, &delta,
				    err);
		printf("%.1f\n", now_us() - began);
	}
	td_counter_close(counter);
	return rc;
}

static int run(struct bench *b, const char *path, int rounds,
	       struct td_err *err)
{
	int rc = td_recording_open(&b->rec, path, err);

	if (!rc)
		rc = make_tree(b, err);
	if (!rc)
		rc = td_sink_open(&b->sink, &b->opts, b->rec.info.target, true,
				  err);
	if (!rc)
		rc = td_sink_begin(&b->sink, err);
	return rc ? rc : time_rows(b, rounds, err);
}

int main(int argc, char **argv)
{
	struct td_err err = { 0 };
	struct bench b = {
		.opts = { .level = 2, .output = "/dev/null" },
		.sink = { .tree = &b.measure.tree,
			  .plan = &b.rec.plan,
			  .machine = &b.rec.machine,
			  .aggregator = &b.aggregator },
	};

	if (argc != 3)
		return 64;
	if (run(&b, argv[1], atoi(argv[2]), &err))
		fprintf(stderr, "interval: %s\n", err.msg);
	td_sink_close(&b.sink, &err);
	td_aggregator_free(&b.aggregator);
	td_measure_free(&b.measure);
	td_recording_close(&b.rec);
	td_notes_free(&b.notes);
	return err.code ? 1 : 0;
}
