// SPDX-License-Identifier: GPL-2.0-only
/* Says which calls were not counted, and why. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>

#include "cmd/sample/calling.h"
#include "lib/base/util.h"

/* --- what is not counted ---------------------------------------------------- */

static const struct td_unpaired *unpaired_of(const struct td_calling *c,
					     size_t function)
{
	if (c->job.request->calls.engine == TD_BY_PT)
		return &c->traced.calls[function].unpaired;
	return c->pairing.unpaired ? &c->pairing.unpaired[function] : NULL;
}

static void say_missed(const struct td_calling *c, size_t function)
{
	uint64_t nr = td_probes_missed(&c->probes, function);

	if (nr)
		td_job_say(&c->job,
			   "tdstat: %s: the kernel missed %" PRIu64
			   " returns, of whatever program: these calls are not "
			   "counted\n",
			   c->functions.v[function].name, nr);
}

void td_calls_say_unpaired(const struct td_calling *c, size_t function)
{
	const struct {
		size_t offset;
		const char *text;
	} kinds[] = {
		{ offsetof(struct td_unpaired, recursive),
		  "calls were within another one, and are a part of it" },
		{ offsetof(struct td_unpaired, left),
		  "calls had no return (longjmp, an exception, a jump to "
		  "another function, or 64 probed calls around them), and are "
		  "not counted" },
		{ offsetof(struct td_unpaired, before),
		  "calls had begun before the counting, or before their "
		  "process was forked, and are not counted" },
		{ offsetof(struct td_unpaired, lost),
		  c->pairing.nr_losses ||
				  c->job.request->calls.engine == TD_BY_PT
			  ? "calls are not counted, as records of them were "
			    "lost"
			  : "calls are not counted, as a thread got the number "
			    "of theirs, whose end was not told" },
		{ offsetof(struct td_unpaired, open),
		  c->job.request->calls.engine == TD_BY_PT &&
				  c->functions.nr > 1
			  ? "calls had not ended when their thread did, or the "
			    "turn of their function, and are not counted"
			  : "calls had not ended when their thread did, or the "
			    "counting, and are not counted" },
	};
	const struct td_unpaired *of = unpaired_of(c, function);

	for (size_t i = 0; of && i < TD_ARRAY_SIZE(kinds); i++) {
		uint64_t nr =
			*(const uint64_t *)(const void *)((const char *)of +
							  kinds[i].offset);

		if (nr)
			td_job_say(&c->job, "tdstat: %s: %" PRIu64 " %s\n",
				   c->functions.v[function].name, nr,
				   kinds[i].text);
	}
	say_missed(c, function);
}

/* --- another engine --------------------------------------------------------- */

/* Probes take some microseconds, which differ from call to call. */
#define SHORT_NS 20000
#define SPREADS  10

void td_calls_say_trace(const struct td_calling *c)
{
	const struct td_timed *timed = c->regions.timed;
	double median_ns = td_durations_quantile(&timed->durations, 0.5);
	double spread_ns = c->cost_of ? (double)c->cost_of[0]->spread_ns : 0;

	if (timed->engine != TD_BY_UPROBES || c->functions.nr != 1 ||
	    !(median_ns < fmax(SHORT_NS, SPREADS * spread_ns)) ||
	    !td_calls_trace_is_here(c))
		return;
	td_job_say(&c->job,
		   "tdstat: %s: --engine=pt tells exactly how long such short "
		   "calls take\n",
		   timed->name);
}
