// SPDX-License-Identifier: GPL-2.0-only
#include "lib/count/timeline.h"

#include <stdint.h>
#include <stdlib.h>

#include "tests/unit/test.h"

#define MS UINT64_C(1000000)

static struct td_reading readings[3];
static struct td_readings sum = { .v = readings };
static struct td_timeline timeline;

/* Counts n more on each reading. */
static void count(uint64_t n)
{
	for (size_t i = 0; i < sum.nr; i++) {
		readings[i].event = (int)i;
		readings[i].value += n * (i + 1);
		readings[i].enabled_ns += 10 * n;
		readings[i].running_ns += 5 * n;
	}
}

static void begin(void)
{
	memset(readings, 0, sizeof(readings));
	sum.nr = 2;
	td_timeline_clear(&timeline);
}

/* Return the counts of a batch: the sum minus the rest without it. */
static uint64_t batch(size_t nr, size_t reading)
{
	struct td_readings rest = { 0 }, part = { 0 };
	uint64_t value;

	td_timeline_leave_out(&timeline, nr, NULL, &sum, &rest);
	td_timeline_cut_out(&timeline, nr, &sum, &part);
	value = sum.v[reading].value - rest.v[reading].value;
	ok(part.nr == sum.nr && part.v[reading].event == (int)reading &&
		   part.v[reading].value == value &&
		   part.v[reading].running_ns ==
			   sum.v[reading].running_ns - rest.v[reading].running_ns,
	   "batch %zu: it is what is left out", nr);
	free(part.v);
	ok(rest.nr == sum.nr && rest.v[reading].event == (int)reading &&
		   sum.v[reading].enabled_ns - rest.v[reading].enabled_ns ==
			   10 * value / (reading + 1),
	   "batch %zu: times go with counts", nr);
	free(rest.v);
	return value;
}

/* Without a batch of multiplexed events, the time in which they might have run remains. */
static void check_turns(void)
{
	static const bool turns[] = { false, true };
	struct td_readings rest = { 0 };

	begin();
	for (int i = 1; i <= 3; i++) {
		for (size_t r = 0; r < sum.nr; r++) {
			sum.v[r].event = (int)r;
			sum.v[r].value += 10;
			sum.v[r].running_ns += 5;
			sum.v[r].enabled_ns += 9;
		}
		td_timeline_add(&timeline, &sum, (uint64_t)i);
	}
	td_timeline_leave_out(&timeline, 1, turns, &sum, &rest);
	ok(rest.v[0].value == 30 && rest.v[0].running_ns == 15 && rest.v[0].enabled_ns == 27,
	   "turns: an event that took none is left as it is");
	ok(rest.v[1].value == 20 && rest.v[1].running_ns == 10 && rest.v[1].enabled_ns == 27,
	   "turns: what it counted in a batch is left out");
	free(rest.v);
}

static void check_batches(void)
{
	begin();
	count(3);
	td_timeline_add(&timeline, &sum, 100 * MS);
	count(4);
	td_timeline_add(&timeline, &sum, 200 * MS);
	ok(timeline.nr == 2, "two batches");
	ok(batch(0, 0) == 3 && batch(1, 0) == 4 && batch(1, 1) == 8,
	   "each has what was counted in it");
	sum.nr = 3;
	count(5);
	td_timeline_add(&timeline, &sum, 300 * MS);
	ok(batch(2, 2) == 15 && batch(1, 2) == 0, "a reading that came later was 0 before");
	ok(td_timeline_batch_ns(&timeline, 0, 20 * MS) == 80 * MS &&
		   td_timeline_batch_ns(&timeline, 2, 0) == 100 * MS,
	   "lengths");
}

/* Read nr times, every 100 ms; each read counts one more than the last. */
static void read_often(unsigned int reads)
{
	begin();
	for (unsigned int i = 1; i <= reads; i++) {
		count(i);
		td_timeline_add(&timeline, &sum, (uint64_t)i * 100 * MS);
	}
	td_timeline_end(&timeline, &sum, (uint64_t)reads * 100 * MS);
}

static void check_reads(void)
{
	read_often(300);
	ok(timeline.nr_reads == 300, "those that added no batch are counted, too");
	begin();
	ok(timeline.nr_reads == 0, "a new row begins at none");
}

static void check_thinning(void)
{
	for (unsigned int reads = 1; reads < 1600; reads += 37) {
		uint64_t all = 0;

		read_often(reads);
		for (size_t i = 0; i < timeline.nr; i++) {
			struct td_readings rest = { 0 };

			td_timeline_leave_out(&timeline, i, NULL, &sum, &rest);
			all += sum.v[0].value - rest.v[0].value;
			free(rest.v);
		}
		ok(timeline.nr <= TD_TIMELINE_POINTS &&
			   (reads <= TD_TIMELINE_POINTS ? timeline.nr == reads
							: timeline.nr >= TD_TIMELINE_POINTS / 2) &&
			   all == sum.v[0].value,
		   "%u reads: %zu batches have all that was counted", reads, timeline.nr);
	}
}

/* A read of which the timeline makes no batch. */
static void read_soon(uint64_t n, uint64_t time_ns)
{
	count(n);
	td_timeline_add(&timeline, &sum, time_ns);
	ok(timeline.behind, "a read in the middle of a batch");
	td_timeline_end(&timeline, &sum, time_ns);
}

static void check_end(void)
{
	read_often(513); /* 256 batches of two reads, and one of one */
	ok(timeline.nr == 257 && batch(256, 0) == 513, "513 reads: 257 batches");
	read_soon(1, 51350 * MS);
	ok(timeline.nr == 257 && batch(256, 0) == 513 + 1,
	   "a little more belongs to the last batch");
	read_soon(7, 51470 * MS);
	ok(timeline.nr == 258 && batch(257, 0) == 7, "more than half of one is one");
	td_timeline_end(&timeline, &sum, 90000 * MS);
	ok(timeline.nr == 258, "without a read nothing is added");
	td_timeline_clear(&timeline);
	td_timeline_end(&timeline, &sum, 90000 * MS);
	ok(timeline.nr == 0, "nothing was read: no batch");
}

/* The same timeline in few batches, each of as many but the last. */
static void check_joined(void)
{
	static const unsigned int reads[] = { 0, 1, 31, 32, 33, 64, 300, 512 };

	for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++) {
		struct td_timeline few;
		uint64_t all = 0;

		read_often(reads[i]);
		td_timeline_join(&few, &timeline);
		for (size_t b = 0; b < few.nr; b++)
			all += td_timeline_batch_ns(&few, b, 0);
		ok(few.nr <= TD_TIMELINE_FEW && few.nr >= (reads[i] < 16 ? reads[i] : 16) &&
			   few.nr_reads == reads[i] && all == reads[i] * 100 * MS,
		   "%u reads: joined to %zu batches", reads[i], few.nr);
		ok(!few.nr || few.points[few.nr - 1].v[0].value == sum.v[0].value,
		   "%u reads: they have all that was counted", reads[i]);
	}
}

/* Many readings have fewer points, so that all of their sums are not too many. */
static void check_many(size_t nr, size_t most)
{
	struct td_readings many = { calloc(nr, sizeof(*many.v)), nr };
	size_t seen = 0;

	if (!many.v)
		exit(1);
	td_timeline_clear(&timeline);
	for (uint64_t i = 1; i <= 600; i++) {
		td_timeline_add(&timeline, &many, i * 100 * MS);
		seen = timeline.nr > seen ? timeline.nr : seen;
	}
	ok(seen == most, "%zu readings: %zu points at most", nr, seen);
	free(many.v);
}

/* Threads may begin until there are too many. */
static void check_limit(void)
{
	struct td_readings many = { calloc(65537, sizeof(*many.v)), 65536 };

	if (!many.v)
		exit(1);
	td_timeline_clear(&timeline);
	td_timeline_add(&timeline, &many, 100 * MS);
	ok(timeline.nr == 1, "65,536 readings have a timeline");
	many.nr++;
	td_timeline_add(&timeline, &many, 200 * MS);
	td_timeline_end(&timeline, &many, 300 * MS);
	ok(timeline.nr == 0, "more have none, not that of the beginning");
	free(many.v);
}

int main(void)
{
	check_turns();
	check_batches();
	check_reads();
	check_thinning();
	check_end();
	check_joined();
	check_many(400, 512);
	check_many(1000, 260);
	check_many(20000, 32);
	check_limit();
	td_timeline_free(&timeline);
	return done_testing();
}
