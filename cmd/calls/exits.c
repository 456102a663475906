// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/calls/exits.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/sample/insn.h"

/* A limit, because each exit is a line that the kernel reads. */
#define EXITS_MAX 1000

enum {
	STARTS = 1,  /* an instruction starts at this byte */
	REACHED = 2, /* a jump leads to this byte */
};

/* The state of a linear sweep over the instructions. */
struct sweep {
	const struct td_code *parts;
	size_t nr;
	bool wide;
	uint8_t **starts; /* STARTS and REACHED, for each byte of each part */
	struct td_exits *exits;
};

static const struct td_code *part_of(const struct sweep *f, uint64_t address, size_t *at)
{
	for (size_t i = 0; i < f->nr; i++) {
		if (address - f->parts[i].address < f->parts[i].size) {
			*at = i;
			return &f->parts[i];
		}
	}
	return NULL;
}

static void refuse(struct sweep *f, const char *reason)
{
	if (!f->exits->reason)
		f->exits->reason = reason;
}

static void add_exit(struct sweep *f, uint64_t address)
{
	if (address == f->parts[0].address)
		refuse(f, "it returns with its first instruction");
	if (f->exits->nr == EXITS_MAX)
		refuse(f, "it has too many returns");
	else
		td_array_push(&f->exits->v, &f->exits->nr, &address, sizeof(address));
}

/* Returns true if an operand refers to data in the function.  Its entry is not data. */
static bool is_of_own_bytes(const struct sweep *f, uint64_t end, const struct td_insn *insn)
{
	uint64_t place = (uint64_t)insn->place;
	size_t part;

	if (insn->place_kind == TD_PLACE_NONE)
		return false;
	if (insn->place_kind == TD_PLACE_RELATIVE)
		place += end;
	else if (!f->wide)
		place = (uint32_t)place;
	return place != f->parts[0].address && part_of(f, place, &part);
}

static uint64_t target_of(const struct sweep *f, uint64_t end, const struct td_insn *insn)
{
	uint64_t target = end + (uint64_t)insn->target;

	return f->wide ? target : (uint32_t)target;
}

/* Refuses a function with data in its code, or a conditional jump to another function. */
static void check(struct sweep *f, uint64_t end, const struct td_insn *insn)
{
	size_t part;

	if (is_of_own_bytes(f, end, insn))
		refuse(f, "it may have data among its instructions");
	if (insn->kind == TD_INSN_BRANCH && !part_of(f, target_of(f, end, insn), &part))
		refuse(f, "it jumps to another function on a condition");
}

static bool is_exit(const struct sweep *f, uint64_t end, const struct td_insn *insn,
		    const struct td_insn *before)
{
	size_t part;

	switch (insn->kind) {
	case TD_INSN_RETURN:
		return true;
	case TD_INSN_JUMP:
		return !part_of(f, target_of(f, end, insn), &part);
	case TD_INSN_COMPUTED:
		/* a jump through a table of offsets */
		return insn->reg < 0 || before->added != insn->reg;
	default:
		return false;
	}
}

static void mark_target(struct sweep *f, uint64_t end, const struct td_insn *insn)
{
	uint64_t target = target_of(f, end, insn);
	size_t part;

	if ((insn->kind == TD_INSN_JUMP || insn->kind == TD_INSN_BRANCH) &&
	    part_of(f, target, &part))
		f->starts[part][target - f->parts[part].address] |= REACHED;
}

/* Marks the starts of instructions, and the targets of jumps. */
static void mark(struct sweep *f, size_t part)
{
	const struct td_code *code = &f->parts[part];
	struct td_insn insn;

	for (size_t at = 0; at < code->size; at += insn.size) {
		const uint8_t *bytes = code->bytes + at;

		/* two bytes of 0 are an instruction, but one that compilers do not use */
		if (!td_insn_decode(&insn, bytes, code->size - at, f->wide) ||
		    (bytes[0] == 0 && bytes[1] == 0)) {
			refuse(f, "its instructions are not all known");
			return;
		}
		f->starts[part][at] |= STARTS;
		mark_target(f, code->address + at + insn.size, &insn);
	}
}

static void check_marks(struct sweep *f, size_t part)
{
	for (size_t at = 0; at < f->parts[part].size; at++) {
		if (f->starts[part][at] == REACHED)
			refuse(f, "its instructions overlap");
	}
}

/*
 * Adds the exits.  Code after an instruction that continues elsewhere may be reached by a switch
 * table or an exception.  If it begins with an exit, it may be data, and the function is refused.
 */
static void add_exits(struct sweep *f, size_t part)
{
	const struct td_code *code = &f->parts[part];
	struct td_insn insn = { .added = -1 };
	bool reached = part == 0;

	for (size_t at = 0; at < code->size; at += insn.size) {
		struct td_insn before = insn;
		uint8_t marks = f->starts[part][at];
		uint64_t end;
		bool leaves;

		td_insn_decode(&insn, code->bytes + at, code->size - at, f->wide);
		end = code->address + at + insn.size;
		check(f, end, &insn);
		leaves = is_exit(f, end, &insn, &before);
		reached |= marks & REACHED;
		if (leaves && !reached)
			refuse(f, "it may have data among its instructions");
		if (leaves)
			add_exit(f, code->address + at);
		/* padding between instructions is int3 or NOPs */
		if (insn.kind != TD_INSN_OTHER && insn.kind != TD_INSN_BRANCH)
			reached = false;
		else if (code->bytes[at] != 0xcc && !td_insn_is_nop(code->bytes + at, insn.size))
			reached = true;
	}
}

void td_exits_find(struct td_exits *exits, const struct td_code *parts, size_t nr, bool wide)
{
	struct sweep f = { parts, nr, wide, td_calloc(nr, sizeof(*f.starts)), exits };

	*exits = (struct td_exits){ 0 };
	for (size_t i = 0; i < nr; i++)
		f.starts[i] = td_calloc(parts[i].size + 1, 1);
	for (size_t i = 0; i < nr; i++)
		mark(&f, i);
	for (size_t i = 0; i < nr; i++)
		check_marks(&f, i);
	for (size_t i = 0; !exits->reason && i < nr; i++)
		add_exits(&f, i);
	if (!exits->nr)
		refuse(&f, "it never returns");
	for (size_t i = 0; i < nr; i++)
		free(f.starts[i]);
	free(f.starts);
	if (exits->reason) {
		free(exits->v);
		exits->v = NULL;
		exits->nr = 0;
	}
}

void td_exits_free(struct td_exits *exits)
{
	free(exits->v);
	*exits = (struct td_exits){ 0 };
}
