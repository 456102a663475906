/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What QEMU calls of the emulated PMU (../hooks.patch).  Each function does
 * nothing, or says that it knows nothing, where the machine has no PMU.
 */
#ifndef TDEMU_HOOKS_H
#define TDEMU_HOOKS_H

/* Amends QEMU's own answer to CPUID: *r is EAX, EBX, ECX, EDX. */
void tdemu_cpuid(CPUX86State *env, uint32_t leaf, uint32_t subleaf, uint32_t r[4]);
/* A guest program's choice of a scenario; false: CPUID of another leaf. */
bool tdemu_choose(CPUX86State *env);

/* False: not a register of the PMU. */
bool tdemu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value);
bool tdemu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value);
bool tdemu_rdpmc(CPUX86State *env, uint32_t index, uint64_t *value);

/* Behind RDTSC. */
void tdemu_rdtsc(CPUX86State *env);

/* The clock of a CPU stops while it is halted. */
void tdemu_halt(CPUX86State *env);
void tdemu_unhalt(CPUX86State *env);

/* A virtual machine of AMD's begins to run on this CPU, or leaves it. */
void tdemu_guest(CPUX86State *env, bool runs);

/* WRFSBASE, which the kernel executes when it switches to another thread. */
void tdemu_switch(CPUX86State *env);
/* Whether calls and returns are to be told: known when code is translated. */
bool tdemu_has_lbr(void);
void tdemu_call(CPUX86State *env, uint64_t from, uint64_t to);
void tdemu_return(CPUX86State *env);

/* How a block ends, for Processor Trace.  From JUMP_TO on, a trace tells where to. */
enum {
	TDEMU_LINEAR,
	TDEMU_JUMP,
	TDEMU_CALL,
	TDEMU_CONDITIONAL,
	TDEMU_JUMP_TO,
	TDEMU_CALL_TO,
	TDEMU_RETURN,
	TDEMU_FAR,
};

/* Of a CPU that traces: a block begins; false: execute one instruction of it. */
bool tdemu_block(CPUX86State *env, uint64_t ip, uint32_t size, uint32_t nr);
/* Behind an instruction that may have changed the mode. */
void tdemu_far(CPUX86State *env);
/* Before an interrupt or exception, behind which is tdemu_far(). */
void tdemu_interrupt(CPUX86State *env);
/* Whether a write to this register is a #GP. */
bool tdemu_pt_refuses(CPUX86State *env, uint32_t msr, uint64_t value);
/* SYSCALL, by which a thread may make another one. */
void tdemu_syscall(CPUX86State *env, uint64_t next_ip);

#endif
