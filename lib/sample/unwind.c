// SPDX-License-Identifier: GPL-2.0-only
/* Finds callers from registers, stacks and call frame information (DWARF 5, 6.4). */
#include "lib/sample/unwind.h"

#include <dwarf.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/sample/parts.h"
#include "lib/sample/symbols.h"

static const uint8_t regs_saved[TD_NR_SAVED] = {
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

/* Reads the registers, which the kernel has in its own order (asm/perf_regs.h). */
void td_registers_read(struct td_registers *regs, const struct td_record *record)
{
	static const uint8_t order[TD_RECORD_REGS] = { 0, 3, 2,  1,  4,  5,  6,  7, TD_REG_RIP,
						       8, 9, 10, 11, 12, 13, 14, 15 };

	*regs = (struct td_registers){ .known = 0 };
	for (size_t i = 0; record->registers && i < TD_RECORD_REGS; i++)
		set(regs, order[i], record->registers[i]);
}

/* Reads the copy of the stack.  If it has the maximum size, the stack may be longer. */
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

/* Finds the value of TD_REG_FRAME. */
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
			set(&caller, regs_saved[i], value);
	}
	/* the last one is the return address; other registers may be unknown */
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

/*
 * Returns the rule at a virtual address, from libdw's CFI of a file's .eh_frame or .debug_frame.
 * Expressions that struct td_cfi_value cannot represent are unknown; compilers do not use them.
 */
static struct td_caller_rule find_rule(Dwarf_CFI *cfi, uint64_t address)
{
	struct td_caller_rule rule = { .rc = -ENODATA };
	Dwarf_Frame *frame;

	if (dwarf_cfi_addrframe(cfi, address, &frame))
		return rule;
	read_frame(&rule, frame);
	/* without a return address, which is the last register, there is no caller */
	for (size_t i = 0; i < TD_NR_SAVED; i++)
		rule.saved[i] = read_saved(frame, regs_saved[i], &rule.outermost);
	if (dwarf_frame_info(frame, NULL, NULL, &rule.signal) >= 0)
		rule.rc = 0;
	free(frame);
	return rule;
}

/* Reads the rules of locations in a confined process. */

/* Time limit for an answer, during which records wait in their rings. */
#define MAX_ANSWER_MS 2000

/* Unpacked debugging information of a file that libdw reads in about a second. */
#define MAX_DEBUG ((uint64_t)256 << 20)

/*
 * Maximum CPU time for slow answers of one file, and of all files.  Answers usually take
 * microseconds.
 */
#define FILE_NS  (2 * TD_NS_A_SECOND)
#define ALL_NS   (10 * FILE_NS)
#define QUICK_NS TD_NS_A_MS

/* Number of processes that may fail before the unwinder stops. */
#define MAX_FAILURES 4

/* A request: a location, its object, and the object's path. */
#define REQUEST (sizeof(struct td_location) + sizeof(struct td_object))

struct td_unwinder {
	const struct td_sysfs *fs;
	struct td_notes *notes;
	struct td_caller_rule *rules;
	size_t nr;
	struct td_index by_location;
	struct td_ints refused; /* objects without rules */
	uint64_t *used_ns;      /* CPU time for slow answers of each object */
	size_t nr_used;
	uint64_t all_ns;                  /* CPU time for slow answers of all objects */
	struct td_search_process process; /* pid 0: not running */
	int failures;
	/* in the confined process: the objects' files */
	struct {
		struct td_elf file;
		Dwarf_CFI *cfi[2]; /* contents of .eh_frame and .debug_frame, or NULL */
		bool tried;
		int rc;
	} * files;
	size_t nr_files;
};

/* --- the confined process --------------------------------------------------- */

/* Most compilers write .eh_frame for exceptions; Go's only writes .debug_frame. */
static int open_rules(struct td_elf *file, Dwarf_CFI *cfi[2])
{
	struct td_search search = { .bytes = MAX_DEBUG };
	Dwarf *dwarf = NULL;
	int rc = 0;

	/* libdw would look for the ends of invalid names for ever */
	if (!file->names)
		return -ENOMSG;
	cfi[0] = dwarf_getcfi_elf(file->elf);
	if (td_elf_has(file, ".debug_frame") || td_elf_has(file, ".zdebug_frame"))
		rc = td_elf_begin_dwarf(&dwarf, file, &search);
	if (dwarf)
		cfi[1] = dwarf_getcfi(dwarf);
	if (cfi[0] || cfi[1])
		return 0;
	return rc ?: -ENOMSG;
}

static int open_file(struct td_unwinder *u, int at, const struct td_object *object)
{
	int root, rc;

	while (u->nr_files <= (size_t)at)
		td_array_add(&u->files, u->nr_files++, sizeof(*u->files));
	if (u->files[at].tried)
		return u->files[at].rc;
	u->files[at].tried = true;
	rc = td_file_symbols_open_elf(&u->files[at].file, object, u->fs, &root);
	rc = rc ?: open_rules(&u->files[at].file, u->files[at].cfi);
	u->files[at].rc = rc;
	return rc;
}

static struct td_caller_rule answer(struct td_unwinder *u, const struct td_location *location,
				    const struct td_object *object)
{
	struct td_caller_rule rule = { .rc = open_file(u, location->object, object) };
	uint64_t address;

	if (rule.rc)
		return rule;
	rule.rc = -ENODATA;
	if (!td_elf_address(&u->files[location->object].file, location->address, &address))
		return rule;
	for (int i = 0; rule.rc && i < 2; i++) {
		Dwarf_CFI *cfi = u->files[location->object].cfi[i];

		if (cfi)
			rule = find_rule(cfi, address);
	}
	return rule;
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * TD_NS_A_SECOND + (uint64_t)now.tv_nsec;
}

__attribute__((noreturn)) static void serve(struct td_unwinder *u, int fd)
{
	char bytes[REQUEST + PATH_MAX + 1];
	ssize_t nr;

	td_confine(fd, u->fs->proc);
	while ((nr = read(fd, bytes, sizeof(bytes) - 1)) > (ssize_t)REQUEST) {
		uint64_t begin_ns = cpu_ns();
		struct td_caller_rule rule;
		struct td_object object;
		struct td_location location;

		bytes[nr] = '\0';
		memcpy(&location, bytes, sizeof(location));
		memcpy(&object, bytes + sizeof(location), sizeof(object));
		object.path = bytes + REQUEST;
		rule = answer(u, &location, &object);
		rule.used_ns = cpu_ns() - begin_ns;
		if (write(fd, &rule, sizeof(rule)) != sizeof(rule))
			break;
	}
	_exit(0);
}

/* --- requests --------------------------------------------------------------- */

static int start(struct td_unwinder *u)
{
	int fds[2];

	if (u->process.pid > 0)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	u->process.pid = td_search_fork();
	if (u->process.pid == 0)
		serve(u, fds[1]);
	close(fds[1]);
	u->process.fd = fds[0];
	if (u->process.pid > 0)
		return 0;
	td_close_fd(&u->process.fd);
	return -EAGAIN;
}

static int send_request(const struct td_unwinder *u, const struct td_location *location,
			struct td_object *object)
{
	struct iovec parts[] = { { (void *)(uintptr_t)location, sizeof(*location) },
				 { object, sizeof(*object) },
				 { object->path, strlen(object->path) } };
	const struct msghdr message = { .msg_iov = parts, .msg_iovlen = TD_ARRAY_SIZE(parts) };

	return sendmsg(u->process.fd, &message, MSG_NOSIGNAL) < 0 ? -EFAULT : 0;
}

/* Returns 0, -ETIME, or -EFAULT if the process has ended. */
static int receive(const struct td_unwinder *u, struct td_caller_rule *rule)
{
	struct pollfd poll_of = { .fd = u->process.fd, .events = POLLIN };
	uint64_t end_ns = td_now_ns() + MAX_ANSWER_MS * TD_NS_A_MS;
	int nr;

	do {
		uint64_t left_ns = td_since(end_ns, td_now_ns());

		nr = poll(&poll_of, 1, (int)(left_ns / TD_NS_A_MS));
	} while (nr < 0 && errno == EINTR);
	if (nr <= 0)
		return -ETIME;
	return read(u->process.fd, rule, sizeof(*rule)) == sizeof(*rule) ? 0 : -EFAULT;
}

static struct td_caller_rule ask(struct td_unwinder *u, const struct td_location *location,
				 struct td_object *object)
{
	struct td_caller_rule rule = { 0 };
	int rc = start(u), rc_end;

	rc = rc ?: send_request(u, location, object);
	rc = rc ?: receive(u, &rule);
	if (!rc)
		return rule;
	if (u->process.pid > 0) {
		rc_end = td_search_end(&u->process);
		if (rc == -EFAULT && rc_end)
			rc = rc_end;
	}
	u->process.pid = 0;
	u->failures++;
	return (struct td_caller_rule){ .rc = rc };
}

/* --- rules ------------------------------------------------------------------ */

/* JIT code has no rules in a file. */
static bool may_have(const struct td_unwinder *u, const struct td_location *location,
		     const struct td_object *object)
{
	return (object->kind == TD_OBJECT_FILE || object->kind == TD_OBJECT_VDSO) &&
	       strlen(object->path) < PATH_MAX && u->failures < MAX_FAILURES &&
	       u->all_ns < ALL_NS && !td_ints_has(&u->refused, location->object);
}

static void refuse(struct td_unwinder *u, int at, const struct td_object *object, int rc)
{
	td_ints_add(&u->refused, at);
	td_notes_add(u->notes, "%s: %s: the callers of its functions are unknown", object->path,
		     rc == -ENOMSG ? "it does not describe where its functions return"
				   : td_symbols_reason(object, rc));
	if (u->failures == MAX_FAILURES || u->all_ns >= ALL_NS)
		td_notes_add(
			u->notes,
			"no more files are read for callers: their reader crashed, or took too "
			"long, several times");
}

/* Adds the time of an answer.  Returns true if the object, or all objects, took too long. */
static bool is_used_up(struct td_unwinder *u, int object, uint64_t ns)
{
	if (ns <= QUICK_NS)
		return false;
	while (u->nr_used <= (size_t)object)
		td_array_add(&u->used_ns, u->nr_used++, sizeof(*u->used_ns));
	u->used_ns[object] += ns;
	u->all_ns += ns;
	return u->used_ns[object] >= FILE_NS || u->all_ns >= ALL_NS;
}

const struct td_caller_rule *td_unwinder_find(struct td_unwinder *unwinder,
					      const struct td_locations *locations, int location)
{
	const struct td_location *of = &locations->v[location];
	struct td_object *object = &locations->objects[of->object];
	uint64_t hash = td_hash((uint32_t)location);
	size_t at = td_index_find(&unwinder->by_location, hash);
	struct td_caller_rule rule = { .rc = -ENODATA };

	if (at != TD_NOT_FOUND)
		return &unwinder->rules[at];
	if (may_have(unwinder, of, object)) {
		rule = ask(unwinder, of, object);
		if (rule.rc && rule.rc != -ENODATA)
			refuse(unwinder, of->object, object, rule.rc);
		else if (is_used_up(unwinder, of->object, rule.used_ns))
			refuse(unwinder, of->object, object, -ETIME);
	}
	td_index_add(&unwinder->by_location, hash, unwinder->nr);
	td_array_push(&unwinder->rules, &unwinder->nr, &rule, sizeof(rule));
	return &unwinder->rules[unwinder->nr - 1];
}

int td_unwinder_new(struct td_unwinder **out, const struct td_sysfs *fs, struct td_notes *notes,
		    struct td_err *err)
{
	if (td_elf_load(err)) {
		td_err_wrap(err, "--call-graph dwarf");
		return td_err_hint(
			err, "libdw1, or elfutils-libs, has it; --call-graph fp finds callers with "
			     "frame pointers");
	}
	*out = td_calloc(1, sizeof(**out));
	(*out)->fs = fs;
	(*out)->notes = notes;
	return 0;
}

void td_unwinder_free(struct td_unwinder *unwinder)
{
	if (!unwinder)
		return;
	if (unwinder->process.pid > 0)
		td_search_end(&unwinder->process);
	td_index_free(&unwinder->by_location);
	td_ints_free(&unwinder->refused);
	free(unwinder->rules);
	free(unwinder->used_ns);
	free(unwinder);
}
