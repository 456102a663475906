// SPDX-License-Identifier: GPL-2.0-only
/* Finds callers from registers, stacks and call frame information (DWARF 5, 6.4). */
#include "lib/sample/unwind.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"

const uint8_t td_regs_saved[TD_NR_SAVED] = {
	TD_REG_RBX, TD_REG_RBP, TD_REG_R12, TD_REG_R13, TD_REG_R14, TD_REG_R15, TD_REG_RIP,
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

/* The kernel has its own order of registers (asm/perf_regs.h). */
void td_registers_take(struct td_registers *regs, const struct td_record *record)
{
	static const uint8_t order[TD_RECORD_REGS] = { 0, 3, 2,  1,  4,  5,  6,  7, TD_REG_RIP,
						       8, 9, 10, 11, 12, 13, 14, 15 };

	*regs = (struct td_registers){ .known = 0 };
	for (size_t i = 0; record->registers && i < TD_RECORD_REGS; i++)
		set(regs, order[i], record->registers[i]);
}

/* If the copy has the maximum size, the stack may be longer. */
static int read_stack(const struct td_record *record, uint64_t address, uint64_t *word)
{
	uint64_t at = address - record->stack;

	if (address < record->stack)
		return -ENODATA;
	if (record->nr_copied < sizeof(*word) || at > record->nr_copied - sizeof(*word))
		return record->copy_is_full ? -E2BIG : -ENODATA;
	memcpy(word, record->copy + at, sizeof(*word));
	return 0;
}

static int find(const struct td_cfi_value *place, const struct td_registers *regs,
		const struct td_record *record, uint64_t *value)
{
	if (place->kind == TD_CFI_UNKNOWN || !is_known(regs, place->base))
		return -ENODATA;
	*value = regs->v[place->base] + (uint64_t)(int64_t)place->offset;
	return place->kind == TD_CFI_MEMORY ? read_stack(record, *value, value) : 0;
}

/* Sets TD_REG_FRAME. */
static int find_frame(struct td_registers *regs, const struct td_caller_rule *rule,
		      const struct td_record *record)
{
	uint64_t frame;
	int rc = find(&rule->frame, regs, record, &frame);

	if (rc)
		return rc;
	if (rule->plt && (regs->v[TD_REG_RIP] & 15) >= rule->plt)
		frame += sizeof(uint64_t);
	/* the return address is on the stack; otherwise unwinding might not end */
	if (frame <= regs->v[TD_REG_RSP])
		return -ENODATA;
	set(regs, TD_REG_FRAME, frame);
	return 0;
}

int td_unwind(struct td_registers *regs, const struct td_caller_rule *rule,
	      const struct td_record *record)
{
	struct td_registers caller = { .known = 0 };
	int rc;

	if (rule->rc)
		return -ENODATA;
	if (rule->outermost)
		return 0;
	rc = find_frame(regs, rule, record);
	if (rc)
		return rc;
	for (size_t i = 0; i < TD_NR_SAVED; i++) {
		uint64_t value;

		rc = find(&rule->saved[i], regs, record, &value);
		if (!rc)
			set(&caller, td_regs_saved[i], value);
	}
	/* the last one is the return address; others may be unknown */
	if (rc)
		return rc;
	set(&caller, TD_REG_RSP, regs->v[TD_REG_FRAME]);
	*regs = caller;
	return regs->v[TD_REG_RIP] != 0;
}

/* --- expressions ------------------------------------------------------------ */

static const struct td_cfi_value unknown = { .kind = TD_CFI_UNKNOWN };

static struct td_cfi_value value_of(uint64_t reg, uint64_t offset)
{
	int64_t number = (int64_t)offset;

	if (reg >= TD_NR_REGS || number < INT32_MIN || number > INT32_MAX)
		return unknown;
	return (struct td_cfi_value){ TD_CFI_VALUE, (uint8_t)reg, (int32_t)number };
}

static struct td_cfi_value add(struct td_cfi_value place, uint64_t number)
{
	if (place.kind != TD_CFI_VALUE)
		return unknown;
	return value_of(place.base, (uint64_t)place.offset + number);
}

static struct td_cfi_value memory_at(struct td_cfi_value place)
{
	if (place.kind != TD_CFI_VALUE)
		return unknown;
	place.kind = TD_CFI_MEMORY;
	return place;
}

/* Returns the top of the stack after an operation.  Elements below the top are not supported. */
static struct td_cfi_value step(struct td_cfi_value top, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return value_of(op->atom - DW_OP_breg0, op->number);
	switch (op->atom) {
	case DW_OP_bregx:
		return value_of(op->number, op->number2);
	case DW_OP_call_frame_cfa:
		return value_of(TD_REG_FRAME, 0);
	case DW_OP_plus_uconst:
		return add(top, op->number);
	case DW_OP_deref:
		return memory_at(top);
	default:
		return unknown;
	}
}

static struct td_cfi_value evaluate(const Dwarf_Op *ops, size_t nr)
{
	struct td_cfi_value top = unknown;

	for (size_t i = 0; i < nr; i++)
		top = step(top, &ops[i]);
	return top;
}

/* Returns true for the expression of a PLT, "rsp + 8 + ((rip & 15) >= N) * 8". */
static bool is_plt(const Dwarf_Op *ops, size_t nr)
{
	static const uint8_t atoms[] = { DW_OP_breg7, DW_OP_breg16, DW_OP_lit15,
					 DW_OP_and,   DW_OP_lit0,   DW_OP_ge,
					 DW_OP_lit3,  DW_OP_shl,    DW_OP_plus };

	if (nr != TD_ARRAY_SIZE(atoms) || ops[1].number || ops[4].atom <= DW_OP_lit0 ||
	    ops[4].atom > DW_OP_lit15)
		return false;
	for (size_t i = 0; i < nr; i++) {
		if (i != 4 && ops[i].atom != atoms[i])
			return false;
	}
	return true;
}

/* --- rules ------------------------------------------------------------------ */

static void read_frame(struct td_caller_rule *rule, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(frame, &ops, &nr) || !nr)
		return;
	if (is_plt(ops, nr)) {
		rule->frame = value_of(TD_REG_RSP, ops[0].number);
		rule->plt = (uint8_t)(ops[4].atom - DW_OP_lit0);
	} else {
		rule->frame = evaluate(ops, nr);
	}
}

/* Sets *undefined if the function does not preserve the register. */
static struct td_cfi_value read_saved(Dwarf_Frame *frame, uint8_t reg, bool *undefined)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	*undefined = false;
	if (dwarf_frame_register(frame, reg, mem, &ops, &nr))
		return unknown;
	*undefined = !nr && ops;
	if (!nr && !ops)
		return (struct td_cfi_value){ TD_CFI_SAME, reg, 0 };
	if (nr == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return value_of(ops[0].atom - DW_OP_reg0, 0);
	if (nr == 1 && ops[0].atom == DW_OP_regx)
		return value_of(ops[0].number, 0);
	if (nr && ops[nr - 1].atom == DW_OP_stack_value)
		return evaluate(ops, nr - 1);
	return memory_at(evaluate(ops, nr));
}

struct td_caller_rule td_elf_caller(Dwarf_CFI *cfi, uint64_t address)
{
	struct td_caller_rule rule = { .rc = -ENODATA };
	Dwarf_Frame *frame;

	if (dwarf_cfi_addrframe(cfi, address, &frame))
		return rule;
	read_frame(&rule, frame);
	/* without a return address, which is the last one, there is no caller */
	for (size_t i = 0; i < TD_NR_SAVED; i++)
		rule.saved[i] = read_saved(frame, td_regs_saved[i], &rule.outermost);
	if (dwarf_frame_info(frame, NULL, NULL, &rule.signal) >= 0)
		rule.rc = 0;
	free(frame);
	return rule;
}
