// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/sample/calls_turns.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <x86intrin.h>

#include "cmd/sample/calls_pace.h"
#include "lib/base/util.h"

int td_calls_turn_filter(struct td_calling *c, struct td_err *err)
{
	const struct td_entry_point *entry = &c->functions.v[c->traced.turn];

	free(c->gathering.trace.filter);
	/* the kernel ends a path at a blank, and its root may be another one */
	if (asprintf(&c->gathering.trace.filter,
		     "filter 0x%" PRIx64 "/0x%" PRIx64 "@/proc/%d/fd/%d",
		     entry->offset, entry->size, (int)getpid(), entry->fd) >= 0)
		return 0;
	c->gathering.trace.filter = NULL;
	return td_err_nomem(err);
}

struct td_traced_calls *td_calls_of_turn(struct td_calling *c)
{
	return &c->traced.calls[c->traced.turn];
}

static void begin_turn(struct td_calling *c, uint64_t now_ns)
{
	c->traced.turn_ns = now_ns;
	c->traced.next_ns =
		now_ns + td_calls_about((double)TD_TURN_MS * TD_NS_A_MS);
}

static uint64_t trace_ns(const struct td_calling *c)
{
	return td_sampler_trace_ns(c->gathering.sampler, __rdtsc());
}

/* What it traced is in the rings, and is read before the next turn. */
static void end_turn(struct td_calling *c, uint64_t now_ns)
{
	td_calls_of_turn(c)->until_ns = trace_ns(c);
	td_sampler_rest_trace(c->gathering.sampler);
	c->traced.rests = true;
	c->traced.reads = 0;
	c->regions.timed[c->traced.turn].traced_ns +=
		td_since(now_ns, c->traced.turn_ns);
	c->traced.next_ns = td_now_ns() + TD_CALLS_LOOK_NS;
}

/* It is that of all CPUs, which are switched on one by one. */
static int next_turn(struct td_calling *c, struct td_err *err)
{
	int rc;

	td_traced_calls_turn(td_calls_of_turn(c), 0);
	c->traced.turn = (c->traced.turn + 1) % c->functions.nr;
	c->traced.pid = 0;
	rc = td_calls_turn_filter(c, err);
	if (!rc)
		rc = td_sampler_go_on_trace(c->gathering.sampler,
					    c->gathering.trace.filter, err);
	begin_turn(c, td_now_ns());
	td_traced_calls_turn(td_calls_of_turn(c), trace_ns(c));
	c->traced.rests = false;
	return rc;
}

static int step(struct td_calling *c, uint64_t now_ns, struct td_err *err)
{
	if (!c->traced.rests)
		end_turn(c, now_ns);
	else if (c->traced.reads >= TD_CALLS_READS)
		return next_turn(c, err);
	else
		c->traced.next_ns = now_ns + TD_CALLS_LOOK_NS;
	return 0;
}

int td_calls_turn(void *ctx, struct td_err *err)
{
	struct td_calling *c = ctx;
	uint64_t now_ns = td_now_ns();
	int rc = 0;

	if (!c->traced.begun_ns) {
		c->traced.begun_ns = now_ns;
		c->counts.wall_ns = td_wall_ns() - trace_ns(c);
		begin_turn(c, now_ns);
	}
	if (c->functions.nr == 1)
		return 0;
	c->traced.reads++;
	if (now_ns >= c->traced.next_ns)
		rc = step(c, now_ns, err);
	return rc ? rc
		  : td_waiter_delay(
			    &c->gathering.engine.waiter,
			    td_since(c->traced.next_ns, td_now_ns()) + 1, err);
}

void td_calls_end_turns(struct td_calling *c)
{
	uint64_t end_ns = c->gathering.start_ns + c->gathering.usage.elapsed_ns;
	struct td_timed *timed = c->regions.timed;

	if (c->functions.nr == 1)
		return;
	if (!c->traced.rests)
		timed[c->traced.turn].traced_ns +=
			td_since(end_ns, c->traced.turn_ns);
	for (size_t i = 0; i < c->functions.nr; i++) {
		timed[i].counting_ns = td_since(end_ns, c->traced.begun_ns);
		if (timed[i].traced_ns > timed[i].counting_ns)
			timed[i].traced_ns = timed[i].counting_ns;
	}
}
