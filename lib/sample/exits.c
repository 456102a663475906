// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/exits.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/sample/insn.h"

/* More than functions have: each is a line that the kernel reads. */
#define EXITS_MAX 1000

enum {
	STARTS = 1,  /* an instruction */
	REACHED = 2, /* by a jump */
};

struct sweep {
	const struct td_code *parts;
	size_t nr;
	bool wide;
	uint8_t **starts; /* of each part, for each byte: STARTS, REACHED */
	struct td_exits *exits;
};

static const struct td_code *part_of(const struct sweep *f, uint64_t address,
				     size_t *at)
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

static int add_exit(struct sweep *f, uint64_t address)
{
	struct td_exits *exits = f->exits;
	uint64_t *new;

	if (address == f->parts[0].address)
		refuse(f, "it returns with its first instruction");
	if (exits->nr == EXITS_MAX) {
		refuse(f, "it has too many returns");
		return 0;
	}
	new = td_array_add(&exits->v, exits->nr, sizeof(*new));
	if (!new)
		return -ENOMEM;
	*new = address;
	exits->nr++;
	return 0;
}

/* An address of the function itself, but its entry's, is that of data in it. */
static bool is_of_own_bytes(const struct sweep *f, uint64_t end,
			    const struct td_insn *insn)
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

/* Of a jump by an offset. */
static uint64_t target_of(const struct sweep *f, uint64_t end,
			  const struct td_insn *insn)
{
	uint64_t target = end + (uint64_t)insn->target;

	return f->wide ? target : (uint32_t)target;
}

/* Refuses a function with an instruction that probes cannot be set beside. */
static void check(struct sweep *f, uint64_t end, const struct td_insn *insn)
{
	size_t part;

	if (is_of_own_bytes(f, end, insn))
		refuse(f, "it may have data among its instructions");
	if (insn->kind == TD_INSN_BRANCH &&
	    !part_of(f, target_of(f, end, insn), &part))
		refuse(f, "it jumps to another function on a condition");
}

static bool is_exit(const struct sweep *f, uint64_t end,
		    const struct td_insn *insn, const struct td_insn *before)
{
	size_t part;

	switch (insn->kind) {
	case TD_INSN_RETURN:
		return true;
	case TD_INSN_JUMP:
		return !part_of(f, target_of(f, end, insn), &part);
	case TD_INSN_COMPUTED:
		/* by a table of offsets */
		return insn->reg < 0 || before->added != insn->reg;
	default:
		return false;
	}
}

/* Marks where it jumps to. */
static void mark_target(struct sweep *f, uint64_t end,
			const struct td_insn *insn)
{
	uint64_t target = target_of(f, end, insn);
	size_t part;

	if ((insn->kind == TD_INSN_JUMP || insn->kind == TD_INSN_BRANCH) &&
	    part_of(f, target, &part))
		f->starts[part][target - f->parts[part].address] |= REACHED;
}

/* Marks where instructions start, and what jumps reach. */
static void mark(struct sweep *f, size_t part)
{
	const struct td_code *code = &f->parts[part];
	struct td_insn insn;

	for (size_t at = 0; at < code->size; at += insn.size) {
		const uint8_t *bytes = code->bytes + at;

		/* two bytes of 0 are an instruction that no compiler makes */
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

/* What fills the space between instructions. */
static bool is_padding(const uint8_t *bytes, size_t size)
{
	return bytes[0] == 0xcc || td_insn_is_nop(bytes, size);
}

/*
 * Adds the exits.  What only a table of a switch or an exception reaches begins behind an
 * instruction that goes on elsewhere; if that begins with an exit, it may be data.
 */
static int add_exits(struct sweep *f, size_t part)
{
	const struct td_code *code = &f->parts[part];
	struct td_insn insn = { .added = -1 };
	bool reached = part == 0;
	int rc = 0;

	for (size_t at = 0; !rc && at < code->size; at += insn.size) {
		struct td_insn before = insn;
		uint8_t marks = f->starts[part][at];
		uint64_t end;
		bool leaves;

		td_insn_decode(&insn, code->bytes + at, code->size - at,
			       f->wide);
		end = code->address + at + insn.size;
		check(f, end, &insn);
		leaves = is_exit(f, end, &insn, &before);
		reached |= marks & REACHED;
		if (leaves && !reached)
			refuse(f, "it may have data among its instructions");
		if (leaves)
			rc = add_exit(f, code->address + at);
		if (insn.kind != TD_INSN_OTHER && insn.kind != TD_INSN_BRANCH)
			reached = false;
		else if (!is_padding(code->bytes + at, insn.size))
			reached = true;
	}
	return rc;
}

static int sweep_all(struct sweep *f)
{
	int rc = 0;

	f->starts = calloc(f->nr, sizeof(*f->starts));
	if (!f->starts)
		return -ENOMEM;
	for (size_t i = 0; i < f->nr; i++) {
		f->starts[i] = calloc(f->parts[i].size + 1, 1);
		if (!f->starts[i])
			return -ENOMEM;
	}
	for (size_t i = 0; i < f->nr; i++)
		mark(f, i);
	for (size_t i = 0; i < f->nr; i++)
		check_marks(f, i);
	for (size_t i = 0; !rc && !f->exits->reason && i < f->nr; i++)
		rc = add_exits(f, i);
	return rc;
}

int td_exits_find(struct td_exits *exits, const struct td_code *parts,
		  size_t nr, bool wide)
{
	struct sweep f = { parts, nr, wide, NULL, exits };
	int rc;

	*exits = (struct td_exits){ 0 };
	rc = sweep_all(&f);
	if (!rc && !exits->nr)
		refuse(&f, "it never returns");
	for (size_t i = 0; f.starts && i < nr; i++)
		free(f.starts[i]);
	free(f.starts);
	if (rc || exits->reason) {
		free(exits->v);
		exits->v = NULL;
		exits->nr = 0;
	}
	return rc;
}

void td_exits_free(struct td_exits *exits)
{
	free(exits->v);
	*exits = (struct td_exits){ 0 };
}
