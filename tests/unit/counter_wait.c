// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of groups that cannot be read while a child of their task begins or
 * exits.  A made-up kernel refuses some reads and counts ten events a read.
 */
#include "lib/counter/read.h"

#include <errno.h>
#include <string.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

#define NR_GROUPS 2
#define MS        UINT64_C(1000000)
#define FOR_EVER  1000000

/* Behaviour of the made-up kernel for a group. */
static struct group {
	int error;
	int refusals; /* number of reads that fail before one succeeds */
	int from;     /* number of reads that succeed before that */
	int reads;    /* number of reads so far */
	uint64_t value;
} groups[NR_GROUPS];

/* read(2): one event, perf_event_open(2) */
static ssize_t read_made_up(int fd, void *buf, size_t size)
{
	struct group *group = &groups[fd];
	uint64_t out[5] = { 1, 0, 0, 0, 0 };

	group->reads++;
	group->value += 10;
	if (group->reads > group->from && group->refusals > 0) {
		group->refusals--;
		errno = group->error;
		return -1;
	}
	out[1] = out[2] = out[3] = group->value;
	memcpy(buf, out, size < sizeof(out) ? size : sizeof(out));
	return sizeof(out);
}

static void add_groups(struct td_group_reader *reader)
{
	static const int events[NR_GROUPS] = { 0, 1 };

	for (int g = 0; g < NR_GROUPS; g++)
		*td_group_reader_add(reader) = (struct td_read_step){
			.fd = g,
			.group = g,
			.cpu = -1,
			.tid = 1777,
			.members = &events[g],
			.nr = 1,
			.name = "event",
		};
	td_group_reader_begin(reader);
}

/* clang-format off */
static const struct {
	const char *name;
	struct group first; /* the second is never refused */
	uint64_t retry_ns;
	int want; /* result of the second read */
	bool behind;
	uint64_t value, next; /* values of the second and the third read */
} rows[] = {
	{ "no trouble", { 0, 0, 1 }, 0, 0, false, 10, 10 },
	{ "three refusals, and no time", { ECHILD, 3, 1 }, 0, 0, true, 0, 0 },
	{ "one refusal, and no time: the next look has both",
	  { ECHILD, 1, 1 }, 0, 0, true, 0, 20 },
	{ "three refusals, and time", { ECHILD, 3, 1 }, 1000 * MS, 0, false, 40, 10 },
	{ "a signal is no error", { EINTR, 3, 1 }, 1000 * MS, 0, false, 40, 10 },
	{ "for ever", { ECHILD, FOR_EVER, 1 }, 30 * MS, 0, true, 0, 0 },
	{ "what does not go by", { EIO, FOR_EVER, 1 }, 1000 * MS, -EIO, false, 0, 0 },
	{ "the same, no descriptor", { EBADF, FOR_EVER, 1 }, 1000 * MS, -EBADF, false, 0, 0 },
};
/* clang-format on */

static int look(struct td_group_reader *reader, uint64_t retry_ns, struct td_readings *got)
{
	struct td_err err = { 0 };

	return td_group_reader_read(reader, retry_ns, got, &err);
}

static void test_row(size_t r)
{
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes, .read = read_made_up };
	struct td_readings got;
	uint64_t began;

	memset(groups, 0, sizeof(groups));
	groups[0] = rows[r].first;
	add_groups(&reader);
	ok(look(&reader, 0, &got) == 0 && !got.behind, "%s: begins", rows[r].name);
	began = td_now_ns();
	ok(look(&reader, rows[r].retry_ns, &got) == rows[r].want, "%s: what it is told",
	   rows[r].name);
	if (!rows[r].want) {
		ok(got.behind == rows[r].behind && got.v[0].value == rows[r].value &&
			   got.v[0].enabled_ns == rows[r].value,
		   "%s: %llu", rows[r].name, (unsigned long long)got.v[0].value);
		ok(got.v[1].value == 10 && groups[1].reads == 2, "%s: the other is read once",
		   rows[r].name);
		ok(!rows[r].behind || td_now_ns() - began >= rows[r].retry_ns,
		   "%s: as long as it may take", rows[r].name);
		ok(look(&reader, 0, &got) == 0 && got.v[0].value == rows[r].next,
		   "%s: the next look", rows[r].name);
	}
	ok(notes.nr == 0, "%s: nothing is noted", rows[r].name);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

/* Without sleeping, we would occupy the CPU that the child waits for. */
static void test_sleeps(void)
{
	struct td_notes notes = { 0 };
	struct td_group_reader reader = { .notes = &notes, .read = read_made_up };
	struct td_readings got;

	memset(groups, 0, sizeof(groups));
	groups[0] = (struct group){ ECHILD, FOR_EVER, 1 };
	add_groups(&reader);
	look(&reader, 0, &got);
	look(&reader, 100 * MS, &got);
	/* 20 us, doubled up to 5 ms: 9 pauses, then one every 5 ms */
	ok(groups[0].reads <= 40, "a tenth of a second: %d tries", groups[0].reads);
	td_group_reader_free(&reader);
	td_notes_free(&notes);
}

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(i);
	test_sleeps();
	return done_testing();
}
