// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes of a trace in any state, and the resulting calls.  The first byte is the period of the
 * crystal's packets, the second where the bytes are split in two parts, the third the thread of
 * the second part, the fourth is unused.
 */
#include "tests/fuzz/replay.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/calls/decode.h"
#include "cmd/calls/traced_calls.h"

#define HEAD  4
#define START UINT64_C(0x401000)

static struct td_group group;
static const struct td_plan plan = { .groups = &group, .nr_groups = 1 };

struct fuzz {
	struct td_trace trace;
	struct td_traced_calls calls;
	struct td_record record;
	uint64_t begun, taken;
	uint64_t last;
};

/* A call ends after its beginning, and no later than the last record. */
static void take_call(void *ctx, const struct td_paired_call *call)
{
	struct fuzz *f = ctx;

	if (!call->start_ns || call->start_ns + call->time_ns > f->last)
		abort();
	f->taken++;
}

/* Times do not go back. */
static void take(void *ctx, int what, uint64_t address, uint64_t tsc)
{
	struct fuzz *f = ctx;

	if (tsc && tsc < f->last)
		abort();
	if (tsc)
		f->last = tsc;
	f->record.address = address;
	f->record.time_ns = tsc;
	f->begun += what == TD_TRACE_ENTER && address == START;
	td_traced_calls_boundary(&f->calls, &f->record, what, address == START);
}

static void decode(struct fuzz *f, const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);

	if (!copy)
		return;
	memcpy(copy, data, size);
	td_trace_decode(&f->trace, copy, size);
	free(copy);
}

static uint64_t dropped(const struct td_unpaired *of)
{
	return of->left + of->lost + of->open;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz f = { .trace = { .boundary = take, .tsc_ratio = 20, .art_ratio = { 80, 1 } },
			  .calls = { .plan = &plan, .call_ended = take_call } };
	struct td_err err = { 0 };
	size_t first;

	if (size < HEAD || td_trace_load(&err))
		return 0;
	f.trace.ctx = f.calls.ctx = &f;
	f.trace.mtc_period = data[0] % 16;
	first = (size - HEAD) * data[1] / 256;
	decode(&f, data + HEAD, first);
	f.record.tid = data[2];
	decode(&f, data + HEAD + first, size - HEAD - first);
	td_traced_calls_end(&f.calls);
	/* an interrupt at the beginning is reported twice */
	if (f.taken + dropped(&f.calls.unpaired) > f.begun)
		abort();
	td_traced_calls_free(&f.calls);
	return 0;
}
