// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/exits.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/util.h"
#include "lib/sample/insn.h"

/* More than functions have: each is a line that the kernel reads. */
#define EXITS_MAX 1000

struct sweep {
	const struct td_code *parts;
	size_t nr;
	bool wide;
	uint8_t **starts; /* of each part: 1 where an instruction starts */
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

static int look_at(struct sweep *f, uint64_t address,
		   const struct td_insn *insn, const struct td_insn *before)
{
	uint64_t target = address + insn->size + (uint64_t)insn->target;
	size_t part;

	if (!f->wide)
		target = (uint32_t)target;
	switch (insn->kind) {
	case TD_INSN_RETURN:
		return add_exit(f, address);
	case TD_INSN_JUMP:
		return part_of(f, target, &part) ? 0 : add_exit(f, address);
	case TD_INSN_BRANCH:
		if (!part_of(f, target, &part))
			refuse(f, "it jumps to another function on a "
				  "condition");
		return 0;
	case TD_INSN_COMPUTED:
		/* by a table of offsets */
		if (insn->reg >= 0 && before->added == insn->reg)
			return 0;
		return add_exit(f, address);
	default:
		return 0;
	}
}

/* Calls look_at() for each instruction; or once to mark, once to check where they start. */
static int sweep(struct sweep *f, size_t part, bool check)
{
	const struct td_code *code = &f->parts[part];
	struct td_insn insn = { .added = -1 };
	int rc = 0;

	for (size_t at = 0; !rc && at < code->size; at += insn.size) {
		struct td_insn before = insn;
		uint64_t target;
		size_t in;

		if (!td_insn_decode(&insn, code->bytes + at, code->size - at,
				    f->wide)) {
			refuse(f, "its instructions are not all known");
			return 0;
		}
		f->starts[part][at] = 1;
		if (!check) {
			rc = look_at(f, code->address + at, &insn, &before);
			continue;
		}
		target = code->address + at + insn.size + (uint64_t)insn.target;
		if ((insn.kind == TD_INSN_JUMP ||
		     insn.kind == TD_INSN_BRANCH) &&
		    part_of(f, target, &in) &&
		    !f->starts[in][target - f->parts[in].address])
			refuse(f, "its instructions overlap");
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
	for (size_t i = 0; !rc && i < f->nr; i++)
		rc = sweep(f, i, false);
	for (size_t i = 0; !rc && !f->exits->reason && i < f->nr; i++)
		rc = sweep(f, i, true);
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
