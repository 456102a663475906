// SPDX-License-Identifier: GPL-2.0-only
/* From a function's registers and stack to its caller's (DWARF 5, 6.4). */
#include "lib/sample/unwind.h"

#include <errno.h>
#include <string.h>

#include "lib/base/util.h"

const uint8_t td_regs_kept[TD_NR_KEPT] = {
	TD_REG_RBX, TD_REG_RBP, TD_REG_R12, TD_REG_R13,
	TD_REG_R14, TD_REG_R15, TD_REG_RIP,
};

static void set(struct td_registers *regs, unsigned int reg, uint64_t value)
{
	regs->v[reg] = value;
	regs->known |= 1U << reg;
}

static bool is_known(const struct td_registers *regs, unsigned int reg)
{
	return reg < TD_NR_REGS && regs->known >> reg & 1;
}

/* The kernel writes them in its own order (asm/perf_regs.h). */
void td_registers_take(struct td_registers *regs,
		       const struct td_record *record)
{
	static const uint8_t order[TD_RECORD_REGS] = {
		0, 3, 2, 1, 4, 5, 6, 7, TD_REG_RIP, 8, 9, 10, 11, 12, 13, 14, 15
	};

	*regs = (struct td_registers){ .known = 0 };
	for (size_t i = 0; record->registers && i < TD_RECORD_REGS; i++)
		set(regs, order[i], record->registers[i]);
}

/* A full copy ends where the kernel was told to end it. */
static int read_stack(const struct td_record *record, uint64_t address,
		      uint64_t *word)
{
	uint64_t at = address - record->stack;

	if (address < record->stack)
		return -ENODATA;
	if (record->nr_copied < sizeof(*word) ||
	    at > record->nr_copied - sizeof(*word))
		return record->copy_is_full ? -E2BIG : -ENODATA;
	memcpy(word, record->copy + at, sizeof(*word));
	return 0;
}

static int find(const struct td_cfi_value *place,
		const struct td_registers *regs, const struct td_record *record,
		uint64_t *value)
{
	if (place->kind == TD_CFI_UNKNOWN || !is_known(regs, place->base))
		return -ENODATA;
	*value = regs->v[place->base] + (uint64_t)(int64_t)place->offset;
	return place->kind == TD_CFI_MEMORY ? read_stack(record, *value, value)
					    : 0;
}

/* The frame's address, among the registers. */
static int find_frame(struct td_registers *regs,
		      const struct td_caller_rule *rule,
		      const struct td_record *record)
{
	uint64_t frame;
	int rc = find(&rule->frame, regs, record, &frame);

	if (rc)
		return rc;
	if (rule->plt && (regs->v[TD_REG_RIP] & 15) >= rule->plt)
		frame += sizeof(uint64_t);
	/* the return address was pushed: else it would go on for ever */
	if (frame <= regs->v[TD_REG_RSP])
		return -ENODATA;
	set(regs, TD_REG_FRAME, frame);
	return 0;
}

int td_unwind(struct td_registers *regs, const struct td_caller_rule *rule,
	      const struct td_record *record)
{
	struct td_registers caller = { .known = 0 };
	int rc = rule->rc ? -ENODATA : 0;

	if (!rc && rule->outermost)
		return 0;
	if (!rc)
		rc = find_frame(regs, rule, record);
	for (size_t i = 0; !rc && i < TD_NR_KEPT; i++) {
		uint64_t value;

		/* the last one is the address, without which there is none */
		rc = find(&rule->kept[i], regs, record, &value);
		if (!rc)
			set(&caller, td_regs_kept[i], value);
		else if (td_regs_kept[i] != TD_REG_RIP)
			rc = 0;
	}
	if (rc)
		return rc;
	set(&caller, TD_REG_RSP, regs->v[TD_REG_FRAME]);
	*regs = caller;
	return regs->v[TD_REG_RIP] != 0;
}
