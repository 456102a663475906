// SPDX-License-Identifier: GPL-2.0-only
/* The node to locate: named, or the one that matters most. */
#include "cmd/sample/node.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "cmd/run/progress.h"
#include "cmd/say.h"
#include "cmd/session.h"

/* How long the whole machine, or a process, is counted before it is sampled. */
#define COUNT_MS 2000

/* --- the node --------------------------------------------------------------- */

static int no_node(const struct td_focus *focus, struct td_err *err)
{
	const char *why = "no node matters most for sure";

	if (!focus->known || focus->situation == TD_SITUATION_NOT_COUNTED)
		why = "nothing was counted";
	else if (focus->situation == TD_SITUATION_NOTHING)
		why = "no node is over its threshold";
	else if (focus->situation == TD_SITUATION_SHORT)
		why = "it ended too soon";
	else if (focus->situation == TD_SITUATION_IDLE)
		why = "the CPUs had next to nothing to do";
	td_err_set(err, -ENODATA, "what to locate is not known: %s", why);
	return td_err_hint(err, "tdstat shows the tree; tdstat locate NODE "
				"takes any node of it");
}

static void say_climbed(const char *from, const char *to)
{
	td_say("tdstat: %s: no event is known to sample for it: %s, which it is "
	       "a part of, is sampled\n",
	       from, to);
}

static const char *next_step(const struct td_opts *opts)
{
	return opts->target.command
		       ? "the command runs once more, to be sampled"
		       : "now it is sampled";
}

static void say_found(const struct td_focus *focus, const char *node,
		      const struct td_opts *opts)
{
	const char *first = focus->nodes[0];
	char share[32] = "";

	if (opts->quiet)
		return;
	if (!isnan(focus->slots_pct))
		snprintf(share, sizeof(share), ", %.0f %% of its slots",
			 focus->slots_pct);
	if (focus->unsure)
		td_say("tdstat: %s: no node matters most for sure: %s is a "
		       "guess%s; %s\n",
		       focus->pmu, first, share, next_step(opts));
	else
		td_say("tdstat: %s loses most to %s%s; %s\n", focus->pmu, first,
		       share, next_step(opts));
	if (strcmp(first, node) != 0)
		say_climbed(first, node);
}

/* --- finding ---------------------------------------------------------------- */

/* Of what has no end of its own. */
static int counting_ms(const struct td_opts *opts)
{
	if (opts->target.command)
		return opts->when.timeout_ms;
	return opts->when.timeout_ms && opts->when.timeout_ms < 2 * COUNT_MS
		       ? opts->when.timeout_ms / 2
		       : COUNT_MS;
}

static int choose_found(struct td_choice *choice, const struct td_focus *focus,
			const struct td_opts *opts, struct td_err *err)
{
	const char *nodes[TD_VERDICT_DEPTH + 1];
	int rc;

	if (focus->interrupted)
		return td_err_set(err, -EINTR,
				  "interrupted while it was counted: nothing "
				  "was sampled");
	if (!focus->nr)
		return no_node(focus, err);
	for (size_t i = 0; i < focus->nr; i++)
		nodes[i] = focus->nodes[i];
	rc = td_choose_events(choice, opts, nodes, focus->nr, err);
	if (!rc)
		say_found(focus, choice->node, opts);
	return rc;
}

/* The counters do not hold the whole tree and what to sample for it at once. */
static int count_first(struct td_choice *choice, const struct td_opts *opts,
		       const struct td_inherited *inherited, int *status,
		       struct td_err *err)
{
	struct td_progress progress = td_progress_make(opts, 1);
	struct td_opts counting = *opts;
	struct td_focus focus;
	int rc;

	counting.when.timeout_ms = counting_ms(opts);
	td_progress_stage(&progress, "finding the node");
	rc = td_session_find(&counting, inherited, &focus, status, err);
	td_progress_clear(&progress);
	return rc ? rc : choose_found(choice, &focus, opts, err);
}

static int take_named(struct td_choice *choice, const struct td_opts *opts,
		      struct td_err *err)
{
	const char *name = opts->node, *node = choice->node;
	size_t prefix = strncasecmp(name, "tma_", 4) == 0 ? 0 : 4;
	int rc = td_choose_events(choice, opts, &opts->node, 1, err);

	if (!rc && !opts->quiet && strcasecmp(name, node + prefix) != 0 &&
	    strcasecmp(name, node) != 0)
		say_climbed(name, node);
	return rc;
}

bool td_node_is_named(const struct td_opts *opts)
{
	return opts->node && strcmp(opts->node, "auto") != 0;
}

int td_node_find(struct td_choice *choice, const struct td_opts *opts,
		 const struct td_inherited *inherited, int *status,
		 struct td_err *err)
{
	*choice = (struct td_choice){ 0 };
	return td_node_is_named(opts)
		       ? take_named(choice, opts, err)
		       : count_first(choice, opts, inherited, status, err);
}
