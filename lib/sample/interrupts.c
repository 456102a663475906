// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/interrupts.h"

#include <stdio.h>

#include "lib/event/tracepoint.h"

/*
 * include/trace/events/irq.h, arch/x86/include/asm/trace/irq_vectors.h.  The softirqs
 * that a thread of the kernel runs are not among them: the interrupted thread has lost
 * its CPU then.
 */
static const struct {
	const char *system, *name;
} kinds[TD_NR_INTERRUPTS] = {
	{ "irq", "irq_handler" },
	{ "irq", "softirq" },
	{ "irq_vectors", "local_timer" },
	{ "irq_vectors", "reschedule" },
	{ "irq_vectors", "call_function" },
	{ "irq_vectors", "call_function_single" },
};

static int find(const char *system, const char *name, const char *end,
		uint64_t *id, struct td_err *err)
{
	struct td_tracepoints found = { 0 };
	char full[64];
	int rc;

	snprintf(full, sizeof(full), "%s_%s", name, end);
	rc = td_tracepoints_find(&found, system, full, err);
	if (!rc)
		*id = found.v[0].id;
	td_tracepoints_free(&found);
	return rc;
}

int td_interrupts_find(struct td_probe out[TD_NR_INTERRUPTS],
		       struct td_err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < TD_NR_INTERRUPTS; i++) {
		rc = find(kinds[i].system, kinds[i].name, "entry",
			  &out[i].entry, err);
		if (!rc)
			rc = find(kinds[i].system, kinds[i].name, "exit",
				  &out[i].exit, err);
	}
	return rc;
}
