// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/regions/calls_next.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opts/again.h"
#include "lib/base/printable.h"
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
