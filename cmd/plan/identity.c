// SPDX-License-Identifier: GPL-2.0-only
/* What is told of who counted, here or in a recording. */
#include "cmd/plan/identity.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/version.h"

static int add_labels(struct td_identity *identity,
		      const struct td_head_ask *ask)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < ask->nr_labels; i++)
		rc = td_identity_label(identity, ask->labels[i]);
	return rc;
}

int td_identity_make(struct td_identity *identity,
		     const struct td_head_ask *ask, char *const *command,
		     struct td_err *err)
{
	int rc = td_identity_of_machine(identity, !ask->no_host);

	identity->version = strdup(TDSTAT_VERSION);
	if (!rc && command)
		rc = td_identity_set_command(identity, command);
	if (!rc)
		rc = add_labels(identity, ask);
	return rc || !identity->version ? td_err_nomem(err) : 0;
}

/* Older recordings have the words of their command, but not as a shell has them. */
static int set_command(struct td_identity *identity,
		       const struct td_target_name *target)
{
	if (identity->command || target->kind != TD_TARGET_COMMAND)
		return 0;
	identity->command = strdup(target->text);
	return identity->command ? 0 : -1;
}

int td_identity_ask(struct td_identity *identity, const struct td_head_ask *ask,
		    const struct td_target_name *target, struct td_err *err)
{
	identity->unnamed = ask->no_host;
	return set_command(identity, target) || add_labels(identity, ask)
		       ? td_err_nomem(err)
		       : 0;
}
