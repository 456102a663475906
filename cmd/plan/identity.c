// SPDX-License-Identifier: GPL-2.0-only
/* The identity of this run, or of a recording. */
#include "cmd/plan/identity.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/version.h"
#include "lib/base/memory.h"

static void add_labels(struct td_identity *identity, const struct td_head_ask *ask)
{
	for (size_t i = 0; i < ask->nr_labels; i++)
		td_identity_label(identity, ask->labels[i]);
}

void td_identity_make(struct td_identity *identity, const struct td_head_ask *ask,
		      char *const *command)
{
	td_identity_of_machine(identity, !ask->no_host);
	identity->version = td_strdup(td_version);
	if (command)
		td_identity_set_command(identity, command);
	add_labels(identity, ask);
}

void td_identity_ask(struct td_identity *identity, const struct td_head_ask *ask,
		     const struct td_target_name *target)
{
	identity->unnamed = ask->no_host;
	/* older recordings contain the command only in the name of the target, unquoted */
	if (!identity->command && target->kind == TD_TARGET_COMMAND)
		identity->command = td_strdup(target->text);
	add_labels(identity, ask);
}
