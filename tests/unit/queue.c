// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/record.h"

#include <stdlib.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

#define MANY 20000

static struct td_queue queue;

static void put(uint64_t time_ns, uint64_t mark)
{
	uint64_t data[2] = { mark, ~mark };

	td_queue_put(&queue, time_ns, data, sizeof(data));
}

/* The mark of the first record before until, or 0. */
static uint64_t take(uint64_t until_ns)
{
	uint16_t size = 0;
	td_autofree uint64_t *data = td_queue_pop(&queue, until_ns, &size);

	if (!data)
		return 0;
	return size == 16 && data[1] == ~data[0] ? data[0] : UINT64_MAX;
}

static void test_empty(void)
{
	uint16_t size;

	ok(!td_queue_pop(&queue, UINT64_MAX, &size), "nothing is in it");
	td_queue_free(&queue);
	ok(!take(UINT64_MAX), "nor later");
}

static void test_order(void)
{
	put(30, 3);
	put(10, 1);
	put(20, 2);
	ok(take(100) == 1 && take(100) == 2 && take(100) == 3 && !take(100),
	   "the oldest comes first");
}

static void test_until(void)
{
	put(10, 1);
	put(20, 2);
	ok(!take(10), "what is not older than that waits");
	ok(take(11) == 1 && !take(20), "what is older does not");
	put(5, 3);
	ok(take(20) == 3, "what comes late is still first");
	ok(take(21) == 2 && !take(UINT64_MAX), "then the rest");
}

/* While some are taken and others are put. */
static void test_equal(void)
{
	bool in_order = true;

	for (uint64_t i = 1; i <= 100; i++)
		put(7, i);
	for (uint64_t i = 1; i <= 50; i++)
		in_order &= take(8) == i;
	for (uint64_t i = 101; i <= 150; i++)
		put(7, i);
	for (uint64_t i = 51; i <= 150; i++)
		in_order &= take(8) == i;
	ok(in_order && !take(8), "equal times: in the order they were put");
}

static void test_sizes(void)
{
	static uint64_t large[65528 / 8];
	td_autofree uint64_t *data = NULL;
	td_autofree uint64_t *rest = NULL;
	uint16_t size = 0;

	for (size_t i = 0; i < TD_ARRAY_SIZE(large); i++)
		large[i] = i;
	td_queue_put(&queue, 1, large, 65528);
	td_queue_put(&queue, 2, large, 8);
	data = td_queue_pop(&queue, 9, &size);
	ok(data && size == 65528 && memcmp(data, large, size) == 0, "the largest is all there");
	rest = td_queue_pop(&queue, 9, &size);
	ok(rest && size == 8 && rest[0] == 0, "the smallest, too");
}

/* Rings that are read in turns, each in its own order of time. */
static void test_many(void)
{
	uint64_t last_ns = 0, x = 12345;
	size_t taken = 0;
	bool in_order = true, before = true;

	for (uint64_t i = 1; i <= MANY; i++) {
		x = x * 6364136223846793005 + 1442695040888963407;
		put((i / 100) * 1000 + (x >> 33) % 3000, i);
		if (i % 1000)
			continue;
		while (queue.nr && queue.v[0].time_ns < (i / 100) * 1000) {
			uint64_t time_ns = queue.v[0].time_ns;

			before &= take((i / 100) * 1000) != 0;
			in_order &= time_ns >= last_ns;
			last_ns = time_ns;
			taken++;
		}
		before &= !take((i / 100) * 1000);
	}
	while (take(UINT64_MAX))
		taken++;
	ok(in_order && before, "in the order of time");
	ok(taken == MANY && !queue.nr, "each once");
}

static void test_free(void)
{
	for (uint64_t i = 1; i < 20; i++)
		put(i, i);
	td_queue_free(&queue);
	ok(!queue.nr && !take(UINT64_MAX), "what is left is freed");
}

int main(void)
{
	test_empty();
	test_order();
	test_until();
	test_equal();
	test_sizes();
	test_many();
	test_free();
	return done_testing();
}
