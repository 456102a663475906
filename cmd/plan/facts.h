/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_PLAN_FACTS_H
#define TD_CMD_PLAN_FACTS_H

#include "cmd/view/facts.h"

/*
 * The function of a struct td_source, whose facts_ctx is a struct td_catalog.
 * Reads the files if that was not done; without them there are no facts.
 * Returns 0 or -ENOMEM.
 */
int td_facts_find(void *ctx, const char *pmu, const char *metric,
		  struct td_metric_facts *facts);

#endif
