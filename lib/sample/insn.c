// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/insn.h"

#include <string.h>

#define MAX_SIZE 15

/* Operands that follow an opcode, as letters in a table of opcodes. */
enum {
	NONE = '.',    /* nothing */
	INVALID = '-', /* no instruction */
	MODRM = 'm',   /* ModRM, SIB, displacement */
	MODRM_8 = 'b', /* like MODRM, followed by an immediate of 8 bits */
	MODRM_Z = 'z', /* like MODRM, followed by an immediate of 16 or 32 bits */
	IMM_8 = '1',
	IMM_16 = '2',
	IMM_24 = '3',    /* 16 and 8 bits (enter) */
	IMM_Z = '4',     /* 16 or 32 bits */
	IMM_V = '8',     /* 16, 32 or 64 bits */
	ADDRESS = 'a',   /* an address, 32 or 64 bits unless prefixed */
	FAR = 'f',       /* 16 bits, and 16 or 32 bits; only in 32-bit mode */
	TEST_8 = 't',    /* ModRM; two operations also have an immediate of 8 bits */
	TEST_Z = 'T',    /* like TEST_8, but with an immediate of 16 or 32 bits */
	RELATIVE = 'r',  /* 8-bit offset of a jump or call */
	RELATIVE_Z = 'R' /* 32-bit offset of a jump or call */
};

/* The entries of prefixes, and of bytes that begin a longer opcode, are not used. */
static const char one_byte[] = "mmmm14..mmmm14.-" /* 00 */
			       "mmmm14..mmmm14.." /* 10 */
			       "mmmm14-.mmmm14-." /* 20 */
			       "mmmm14-.mmmm14-." /* 30 */
			       "................" /* 40: of 32 bits */
			       "................" /* 50 */
			       "..mm----4z1b...." /* 60 */
			       "rrrrrrrrrrrrrrrr" /* 70 */
			       "bzbbmmmmmmmmmmmm" /* 80 */
			       "..........f....." /* 90 */
			       "aaaa....14......" /* a0 */
			       "1111111188888888" /* b0 */
			       "bb2.mmbz3.2..1.." /* c0 */
			       "mmmm11-.mmmmmmmm" /* d0 */
			       "rrrr1111RRfr...." /* e0 */
			       "-.--..tT......mm" /* f0 */;

static const char two_bytes[] = "mmmm-.....-.-m.b" /* 00 */
				"mmmmmmmmmmmmmmmm" /* 10 */
				"mmmm----mmmmmmmm" /* 20 */
				"........--------" /* 30: 38 and 3a begin longer ones */
				"mmmmmmmmmmmmmmmm" /* 40 */
				"mmmmmmmmmmmmmmmm" /* 50 */
				"mmmmmmmmmmmmmmmm" /* 60 */
				"bbbbmmm.mm--mmmm" /* 70 */
				"RRRRRRRRRRRRRRRR" /* 80 */
				"mmmmmmmmmmmmmmmm" /* 90 */
				"...mbm--...mbmmm" /* a0 */
				"mmmmmmmmmmbmmmmm" /* b0 */
				"mmbmbbbm........" /* c0 */
				"mmmmmmmmmmmmmmmm" /* d0 */
				"mmmmmmmmmmmmmmmm" /* e0 */
				"mmmmmmmmmmmmmmmm" /* f0 */;

/* Returns true for opcodes that are invalid in 64-bit mode. */
static bool is_old(uint8_t op)
{
	return (op < 0x40 && (op & 7) >= 6 && op != 0x26 && op != 0x2e && op != 0x36 &&
		op != 0x3e) ||
	       (op && strchr("\x60\x61\x62\x82\x9a\xc4\xc5\xce\xd4\xd5\xd6\xea", op));
}

struct decoding {
	const uint8_t *code;
	size_t size, at;
	bool wide;
	/* prefixes */
	bool operand_16, address_small, notrack;
	bool of_thread; /* segment FS or GS */
	uint8_t repeat; /* 0xf2, 0xf3, or 0 */
	uint8_t rex;    /* 0: there is none */
	/* fields of the ModRM byte */
	uint8_t mod, reg, rm;
	size_t place_at; /* offset of a fixed address in the code; 0: none */
};

static bool skip(struct decoding *d, size_t nr)
{
	if (d->size - d->at < nr)
		return false;
	d->at += nr;
	return true;
}

static bool next_byte(struct decoding *d, uint8_t *byte)
{
	if (!skip(d, 1))
		return false;
	*byte = d->code[d->at - 1];
	return true;
}

/* --- prefixes --------------------------------------------------------------- */

static bool is_prefix(struct decoding *d, uint8_t byte)
{
	switch (byte) {
	case 0x66:
		d->operand_16 = true;
		return true;
	case 0x67:
		d->address_small = true;
		return true;
	case 0x3e:
		d->notrack = true;
		return true;
	case 0xf2:
	case 0xf3:
		d->repeat = byte;
		return true;
	case 0x64:
	case 0x65:
		d->of_thread = true;
		return true;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0xf0:
		return true;
	default:
		return false;
	}
}

/* Takes the prefixes and the first byte of the opcode. */
static bool decode_prefixes(struct decoding *d, uint8_t *op)
{
	do {
		if (!next_byte(d, op))
			return false;
	} while (is_prefix(d, *op));
	if (d->wide && (*op & 0xf0) == 0x40) {
		d->rex = *op;
		return next_byte(d, op) && (*op & 0xf0) != 0x40;
	}
	return true;
}

/* --- operands --------------------------------------------------------------- */

static bool decode_modrm(struct decoding *d)
{
	uint8_t byte, sib = 0;

	if (!next_byte(d, &byte))
		return false;
	d->mod = byte >> 6;
	d->reg = byte >> 3 & 7;
	d->rm = byte & 7;
	if (d->mod == 3)
		return true;
	if (d->address_small && !d->wide) {
		if (d->mod == 0)
			return d->rm != 6 || skip(d, 2);
		return skip(d, d->mod);
	}
	if (d->rm == 4 && !next_byte(d, &sib))
		return false;
	if (d->mod == 0 && (d->rm == 5 || (d->rm == 4 && (sib & 7) == 5))) {
		d->place_at = d->at;
		return skip(d, 4);
	}
	return d->mod == 0 || skip(d, d->mod == 1 ? 1 : 4);
}

static size_t size_z(const struct decoding *d)
{
	return d->operand_16 && !(d->rex & 8) ? 2 : 4;
}

static size_t size_of_address(const struct decoding *d)
{
	if (d->wide)
		return d->address_small ? 4 : 8;
	return d->address_small ? 2 : 4;
}

static bool decode_modrm_and(struct decoding *d, size_t immediate)
{
	return decode_modrm(d) && skip(d, immediate);
}

static bool decode_test(struct decoding *d, size_t immediate)
{
	return decode_modrm(d) && (d->reg > 1 || skip(d, immediate));
}

static bool decode_operands(struct decoding *d, char what)
{
	switch (what) {
	case NONE:
		return true;
	case MODRM:
		return decode_modrm(d);
	case MODRM_8:
		return decode_modrm_and(d, 1);
	case MODRM_Z:
		return decode_modrm_and(d, size_z(d));
	case IMM_8:
	case RELATIVE:
		return skip(d, 1);
	case IMM_16:
		return skip(d, 2);
	case IMM_24:
		return skip(d, 3);
	case IMM_Z:
		return skip(d, size_z(d));
	case IMM_V:
		return skip(d, d->rex & 8 ? 8 : size_z(d));
	case ADDRESS:
		return skip(d, size_of_address(d));
	case FAR:
		return skip(d, 2 + size_z(d));
	case TEST_8:
		return decode_test(d, 1);
	case TEST_Z:
		return decode_test(d, size_z(d));
	case RELATIVE_Z:
		/* processors differ in how they decode a 16-bit offset */
		return size_z(d) == 4 && skip(d, 4);
	default:
		return false;
	}
}

/* --- longer opcodes --------------------------------------------------------- */

/* Takes the operands of a vector instruction; in map 3, all have an immediate. */
static bool decode_vector_operands(struct decoding *d, int map, uint8_t op)
{
	bool immediate = map == 3 || (map == 1 && two_bytes[op] == MODRM_8);

	return decode_modrm_and(d, immediate);
}

static bool decode_vex(struct decoding *d, uint8_t first)
{
	uint8_t payload, op;
	int map = 1;

	if (!next_byte(d, &payload))
		return false;
	if (first == 0xc4) {
		map = payload & 0x1f;
		if (!skip(d, 1))
			return false;
	}
	if (map < 1 || map > 3 || !next_byte(d, &op))
		return false;
	/* vzeroupper and vzeroall have no operands */
	return (map == 1 && op == 0x77) || decode_vector_operands(d, map, op);
}

/* Maps 5 and 6 are for 16-bit numbers; 4 is for APX. */
static bool decode_evex(struct decoding *d)
{
	uint8_t payload, op;
	int map;

	if (!next_byte(d, &payload) || !skip(d, 2) || !next_byte(d, &op))
		return false;
	map = payload & 7;
	return map != 0 && map != 4 && map != 7 && decode_vector_operands(d, map, op);
}

/*
 * Returns true for a VEX or EVEX prefix.  In 32-bit mode, these bytes are other instructions unless
 * the ModRM byte of those instructions would name two registers.
 */
static bool is_vector(const struct decoding *d, uint8_t op)
{
	if (op != 0xc4 && op != 0xc5 && op != 0x62)
		return false;
	return d->wide || (d->at < d->size && (d->code[d->at] & 0xc0) == 0xc0);
}

static bool decode_long(struct decoding *d, uint8_t *op)
{
	if (!next_byte(d, op))
		return false;
	if (*op == 0x38)
		return skip(d, 1) && decode_modrm(d);
	if (*op == 0x3a)
		return skip(d, 1) && decode_modrm_and(d, 1);
	/* two immediates: extrq and insertq of SSE4a */
	if (*op == 0x78 && (d->operand_16 || d->repeat == 0xf2))
		return decode_modrm_and(d, 2);
	return decode_operands(d, two_bytes[*op]);
}

/* --- effects ---------------------------------------------------------------- */

static int64_t read_signed(const uint8_t *from, size_t size)
{
	int32_t value;

	if (size == 1)
		return (int8_t)*from;
	memcpy(&value, from, sizeof(value));
	return value;
}

static void set_jump(struct td_insn *insn, const struct decoding *d, enum td_insn_kind kind,
		     size_t size)
{
	insn->kind = kind;
	insn->target = read_signed(d->code + d->at - size, size);
}

static int number_of_rm(const struct decoding *d)
{
	return d->rm + (d->rex & 1) * 8;
}

/* Sets a fixed address, unless it is in a thread's own segment (FS, GS). */
static void set_place(struct td_insn *insn, const struct decoding *d)
{
	if (d->of_thread)
		return;
	insn->place_kind = d->wide && d->rm == 5 ? TD_PLACE_RELATIVE : TD_PLACE_ABSOLUTE;
	insn->place = read_signed(d->code + d->place_at, 4);
}

/* A jump with a table of addresses uses an index; one with a table of offsets, notrack. */
static void set_computed(struct td_insn *insn, const struct decoding *d, size_t modrm_at)
{
	bool indexed = d->mod != 3 && d->rm == 4 && (d->code[modrm_at + 1] & 0x38) != 0x20;

	insn->kind = d->notrack || indexed ? TD_INSN_TABLE : TD_INSN_COMPUTED;
	insn->reg = d->mod == 3 ? number_of_rm(d) : -1;
}

static void classify(struct td_insn *insn, const struct decoding *d, uint8_t op, size_t modrm_at)
{
	if (op == 0xc3 || op == 0xc2 || op == 0xcb || op == 0xca || op == 0xcf)
		insn->kind = TD_INSN_RETURN;
	else if (op == 0xeb)
		set_jump(insn, d, TD_INSN_JUMP, 1);
	else if (op == 0xe9)
		set_jump(insn, d, TD_INSN_JUMP, 4);
	else if ((op & 0xf0) == 0x70 || (op & 0xfc) == 0xe0)
		set_jump(insn, d, TD_INSN_BRANCH, 1);
	else if (op == 0xff && (d->reg == 4 || d->reg == 5))
		set_computed(insn, d, modrm_at);
	else if (op == 0x01 && d->mod == 3)
		insn->added = number_of_rm(d);
	else if (op == 0x03)
		insn->added = d->reg + (d->rex >> 2 & 1) * 8;
}

bool td_insn_decode(struct td_insn *insn, const uint8_t *code, size_t size, bool wide)
{
	struct decoding d = { .code = code,
			      .size = size < MAX_SIZE ? size : MAX_SIZE,
			      .wide = wide };
	size_t operands_at;
	bool ok;
	uint8_t op;

	*insn = (struct td_insn){ .reg = -1, .added = -1 };
	if (!decode_prefixes(&d, &op))
		return false;
	operands_at = d.at;
	if (op == 0x0f) {
		ok = decode_long(&d, &op);
		if (ok && (op & 0xf0) == 0x80)
			set_jump(insn, &d, TD_INSN_BRANCH, 4);
	} else if (is_vector(&d, op)) {
		ok = !d.rex && (op == 0x62 ? decode_evex(&d) : decode_vex(&d, op));
	} else {
		ok = !(wide && is_old(op)) && decode_operands(&d, one_byte[op]);
		/* XOP prefix of AMD */
		ok = ok && (op != 0x8f || d.reg == 0);
		if (ok)
			classify(insn, &d, op, operands_at);
	}
	insn->size = d.at;
	if (ok && d.place_at)
		set_place(insn, &d);
	return ok;
}

bool td_insn_is_nop(const uint8_t *code, size_t size)
{
	size_t at = 0;

	while (at + 1 < size && (code[at] == 0x66 || code[at] == 0x2e || code[at] == 0x3e))
		at++;
	return at < size &&
	       (code[at] == 0x90 || (code[at] == 0x0f && at + 1 < size && code[at + 1] == 0x1f));
}
