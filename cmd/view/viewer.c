// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/view/viewer.h"

#include "cmd/output/advice.h"
#include "lib/base/util.h"

static void add(struct td_focus *focus, const struct td_found *found)
{
	snprintf(focus->nodes[focus->nr++], TD_FOCUS_NAME, "%s", found->name);
}

/* Return a node that may be the biggest loss although none is clear; NULL: none. */
static const struct td_found *guess(const struct td_verdict *verdict)
{
	const struct td_found *const guesses[] = {
		&verdict->tied[0],
		&verdict->over[0],
		&verdict->runner_up,
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(guesses); i++) {
		if (guesses[i]->node)
			return guesses[i];
	}
	return NULL;
}

void td_focus_copy(struct td_focus *focus, const struct td_verdict *verdict)
{
	const struct td_found *first = td_verdict_focus(verdict);
	size_t i = verdict->nr_path;

	*focus = (struct td_focus){
		.known = true,
		.situation = verdict->situation,
		.held = verdict->held,
	};
	if (verdict->row)
		snprintf(focus->pmu, sizeof(focus->pmu), "%s", verdict->row->pmu);
	focus->unsure = !first || !first->node;
	if (focus->unsure)
		first = guess(verdict);
	if (!first)
		return;
	add(focus, first);
	focus->slots_pct = first->slots_pct;
	if (first == td_verdict_last(verdict))
		i--;
	while (i-- > 0)
		add(focus, &verdict->path[i]);
}

const char *td_focus_why(const struct td_focus *focus)
{
	if (!focus->known || focus->situation == TD_SITUATION_NOT_COUNTED)
		return "nothing was counted";
	if (focus->situation == TD_SITUATION_NOTHING)
		return "no node is above its threshold";
	if (focus->situation == TD_SITUATION_SHORT)
		return focus->held ? TD_HELD_WORDS : "it ended too soon";
	if (focus->situation == TD_SITUATION_IDLE)
		return "the CPUs were almost idle";
	return "no clear biggest loss";
}
