// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/sample/calls_next.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/opts/again.h"
#include "lib/base/shell.h"
#include "lib/base/util.h"

/* The node that is the largest cause, for sure, or NULL. */
static const char *largest_node(const struct td_report *report)
{
	for (size_t i = 0; i < report->nr_timed; i++) {
		const struct td_slow *slow = &report->slow[i];

		if (slow->nr && slow->causes[0].kind == TD_SLOW_NODE &&
		    td_slow_is_clear(&slow->causes[0]))
			return slow->causes[0].node;
	}
	return NULL;
}

static void put_next(FILE *fp, const struct td_opts *opts, const char *node)
{
	if (opts->ask.level < 2) {
		fputs("tdstat calls -l 2 ", fp);
		td_put_shell_word(fp, opts->patterns[0]);
	} else {
		fprintf(fp, "tdstat locate %s", node);
	}
	td_again_put_target(fp, opts);
}

/* Slots that retire are no loss: there is nothing to locate. */
void td_calls_say_next(const struct td_job *job, const struct td_report *report)
{
	const struct td_opts *opts = job->opts;
	const char *node = largest_node(report);
	char *text = NULL;
	size_t size;
	FILE *fp;

	if (!node || (opts->ask.level >= 2 &&
		      (strstr(node, "retiring") || strstr(node, "operations"))))
		return;
	fp = open_memstream(&text, &size);
	if (!fp)
		return;
	put_next(fp, opts, node);
	if (!td_text_close(fp, &text))
		td_job_say(job, "tdstat: what next: %s\n", text);
	free(text);
}
