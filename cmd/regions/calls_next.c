// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/regions/calls_next.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opts/again.h"
#include "cmd/sample/calls_trace.h"
#include "lib/base/shell.h"
#include "lib/base/util.h"
#include "lib/count/regions.h"

/* The function whose largest cause is a node, for sure; -1: there is none. */
static int find_slow(const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_timed; i++) {
		const struct td_slow *slow = &report->slow[i];

		if (slow->nr && slow->causes[0].kind == TD_SLOW_NODE &&
		    td_slow_is_clear(&slow->causes[0]))
			return (int)i;
	}
	return -1;
}

/* The kernel's, and regions that are marked, have no place to probe for locate. */
static void put_in(FILE *fp, const struct td_opts *opts,
		   const struct td_slow *slow, const struct td_timed *timed)
{
	const char *file = strrchr(opts->patterns[0], '@');
	td_autofree char *in = NULL;

	if (timed->engine != TD_BY_UPROBES ||
	    asprintf(&in, "%s%s", timed->name, file ? file : "") < 0)
		return;
	fputs(" --in ", fp);
	td_put_shell_word(fp, in);
	fprintf(fp, " --slower %" PRIu64 "ns",
		td_region_bucket_ns(slow->slow->bucket));
}

static void put_next(FILE *fp, const struct td_opts *opts,
		     const struct td_slow *slow, const struct td_timed *timed)
{
	if (opts->ask.level < 2) {
		fputs("tdstat calls -l 2 ", fp);
		if (opts->calls.engine == TD_BY_KPROBES)
			fputs("-k ", fp);
		if (opts->calls.engine == TD_BY_MARKS)
			fputs("--engine=marks ", fp);
		td_put_shell_word(fp, opts->patterns[0]);
	} else {
		fprintf(fp, "tdstat locate %s", slow->causes[0].node);
		put_in(fp, opts, slow, timed);
	}
	td_again_put_target(fp, opts);
}

/* Slots that retire are no loss: there is nothing to locate. */
static bool is_work(const char *node)
{
	return strstr(node, "retiring") || strstr(node, "operations");
}

void td_calls_say_next(const struct td_job *job, const struct td_report *report)
{
	const struct td_opts *opts = job->opts;
	int found = find_slow(report);
	const struct td_slow *slow = found < 0 ? NULL : &report->slow[found];
	char *text = NULL;
	size_t size;
	FILE *fp;

	if (!slow || (opts->ask.level >= 2 && is_work(slow->causes[0].node)))
		return;
	fp = open_memstream(&text, &size);
	if (!fp)
		return;
	put_next(fp, opts, slow, &report->timed[found]);
	if (!td_text_close(fp, &text))
		td_job_say(job, "tdstat: what next: %s\n", text);
	free(text);
}

/* --- what is not counted ---------------------------------------------------- */

static const struct td_unpaired *unpaired_of(const struct td_calling *c,
					     size_t function)
{
	if (c->job.opts->calls.engine == TD_BY_PT)
		return &c->traced.calls.unpaired;
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
	static const struct {
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
		  "calls are not counted, as records of them were lost" },
		{ offsetof(struct td_unpaired, open),
		  "calls had not ended when their thread did, or the counting, "
		  "and are not counted" },
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
