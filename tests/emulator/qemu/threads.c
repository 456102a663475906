/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which scenario a thread of the guest runs.
 *
 * A thread is known by its kernel stack, which it keeps from fork to exit.
 * Linux executes WRFSBASE on the stack of the thread that it switches to
 * (x86_fsgsbase_load() in __switch_to()), so RSP tells there who runs next.  A
 * thread that was just made stands as near to the top of its stack as none does
 * later, and the user registers above are a copy of those of its parent at the
 * system call: that is how it is known whose scenario it inherits.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "exec/cpu_ldst.h"
#include "pmu.h"
#include "qemu/main-loop.h"
#include "qemu/thread.h"
#include "system/cpus.h"

enum {
	LEAF = 0x54444d43,
	STACK_SIZE = 16384,
	PT_REGS = 21, /* words of struct pt_regs */
	USER_SS = 0x2b,
	FORKS = 256,
	COMPARED = 13,
	LEAST_WORK_NS = 1200000, /* which a wait of a millisecond fits in */
};

enum {
	FORGET,
	BYTES,
	BY_INDEX,
	BY_HASH,
	USUAL_BY_HASH,
	TELL_SUMS,
	TELL_IDLE,
	WORK_FOR
}; /* ECX of LEAF */

/* A system call that makes a thread, which has not run yet. */
struct fork {
	uint64_t regs[COMPARED];
	const struct tdemu_scenario *scenario;
};

static GHashTable *threads; /* kernel stack -> struct tdemu_scenario */
static struct fork forks[FORKS];
static unsigned int nr_forks;
static bool any; /* some thread has chosen */
static QemuMutex lock;

static void __attribute__((constructor)) init(void)
{
	qemu_mutex_init(&lock);
	threads = g_hash_table_new(g_direct_hash, g_direct_equal);
}

/* From now on the CPU runs this scenario; NULL: that of who has not chosen. */
static void run(struct tdemu_pmu *pmu, const struct tdemu_scenario *scenario)
{
	if (!scenario)
		scenario = pmu->usual;
	if (scenario == pmu->scenario)
		return;
	tdemu_advance(pmu);
	tdemu_pt_clock_changes(pmu);
	pmu->scenario = scenario;
	tdemu_changed(pmu);
}

static const struct tdemu_scenario *wanted(CPUX86State *env)
{
	uint64_t value = env->regs[R_EBX];

	switch ((uint32_t)env->regs[R_ECX]) {
	case BYTES:
		return tdemu_scenario_of_bytes(value);
	case BY_INDEX:
		return tdemu_scenario_at((uint32_t)value);
	case BY_HASH:
	case USUAL_BY_HASH:
		return tdemu_scenario_hashed(value);
	}
	return NULL;
}

/* NULL: whatever is usual. */
static void choose(uint64_t stack, const struct tdemu_scenario *scenario)
{
	qemu_mutex_lock(&lock);
	if (scenario)
		g_hash_table_insert(threads, (void *)stack, (void *)scenario);
	else
		g_hash_table_remove(threads, (void *)stack);
	qatomic_set(&any, true);
	qemu_mutex_unlock(&lock);
}

/*
 * The CPU works for so long, by all that the guest can see, and its thread on the host
 * waits: until something interrupts it, and for a millisecond at most.
 */
static void work_for(CPUX86State *env, uint64_t ns)
{
	CPUState *cs = env_cpu(env);

	if (ns < LEAST_WORK_NS)
		return;
	bql_lock();
	/* what is to be done before the next block */
	if (!qatomic_read(&cs->neg.icount_decr.u16.high))
		qemu_cond_timedwait_bql(cs->halt_cond, 1);
	bql_unlock();
}

/* EAX comes back as 0 where there is no such scenario. */
bool tdemu_choose(CPUX86State *env)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);
	const struct tdemu_scenario *scenario;

	if (!pmu || (uint32_t)env->regs[R_EAX] != LEAF)
		return false;
	if ((uint32_t)env->regs[R_ECX] == TELL_SUMS) {
		if (!tdemu_tell_sums())
			env->regs[R_EAX] = 0;
		return true;
	}
	if ((uint32_t)env->regs[R_ECX] == TELL_IDLE) {
		if (!tdemu_tell_idle(env))
			env->regs[R_EAX] = 0;
		return true;
	}
	if ((uint32_t)env->regs[R_ECX] == WORK_FOR) {
		work_for(env, env->regs[R_EBX]);
		return true;
	}
	scenario = wanted(env);
	if (!scenario && (uint32_t)env->regs[R_ECX] != FORGET) {
		env->regs[R_EAX] = 0;
		return true;
	}
	if ((uint32_t)env->regs[R_ECX] == USUAL_BY_HASH) {
		pmu->usual = scenario;
		scenario = NULL;
	}
	choose(pmu->stack, scenario);
	run(pmu, scenario);
	return true;
}

/* Those that fork() leaves as they are, in the order of struct pt_regs. */
void tdemu_syscall(CPUX86State *env, uint64_t next_ip)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);
	uint64_t nr = env->regs[R_EAX];
	const struct tdemu_scenario *scenario;

	/* clone, fork, vfork, clone3 */
	if (!pmu || !qatomic_read(&any) || !((nr >= 56 && nr <= 58) || nr == 435))
		return;
	qemu_mutex_lock(&lock);
	scenario = g_hash_table_lookup(threads, (void *)pmu->stack);
	if (scenario) {
		uint64_t *regs = env->regs;

		forks[nr_forks++ % FORKS] = (struct fork){
			.regs = { regs[15], regs[14], regs[13], regs[12], regs[R_EBP], regs[R_EBX],
				  regs[10], regs[9], regs[8], regs[R_EDX], regs[R_ESI], regs[R_EDI],
				  next_ip },
			.scenario = scenario,
		};
	}
	qemu_mutex_unlock(&lock);
}

/* The same of a new thread, from the top of its stack; false: a kernel thread. */
static bool read_regs(CPUX86State *env, uint64_t stack, uint64_t regs[COMPARED])
{
	/* r15 to bx, r10 to r8, dx to di, ip: see struct pt_regs */
	static const uint8_t at[COMPARED] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 14, 16 };
	uint64_t top = stack + STACK_SIZE;

	if (cpu_ldq_data(env, top - 8) != USER_SS)
		top -= 16; /* CONFIG_X86_FRED leaves some room */
	if (cpu_ldq_data(env, top - 8) != USER_SS)
		return false;
	for (int i = 0; i < COMPARED; i++)
		regs[i] = cpu_ldq_data(env, top - 8 * (PT_REGS - at[i]));
	return true;
}

static const struct tdemu_scenario *inherited(const uint64_t regs[COMPARED])
{
	for (unsigned int i = 1; i <= MIN(nr_forks, FORKS); i++) {
		struct fork *fork = &forks[(nr_forks - i) % FORKS];
		const struct tdemu_scenario *scenario = fork->scenario;

		if (scenario && !memcmp(fork->regs, regs, sizeof(fork->regs))) {
			fork->scenario = NULL;
			return scenario;
		}
	}
	return NULL;
}

static void adopt(uint64_t stack, const uint64_t *regs)
{
	const struct tdemu_scenario *scenario = regs ? inherited(regs) : NULL;

	if (scenario)
		g_hash_table_insert(threads, (void *)stack, (void *)scenario);
	else
		g_hash_table_remove(threads, (void *)stack);
}

/* What __switch_to() has of a new thread's stack, which is the least it can. */
static bool is_new(uint64_t depth)
{
	static uint64_t least = STACK_SIZE;

	if (depth < qatomic_read(&least))
		qatomic_set(&least, depth);
	return depth == qatomic_read(&least);
}

static const struct tdemu_scenario *scenario_of(CPUX86State *env, uint64_t stack, bool is_first)
{
	uint64_t regs[COMPARED];
	bool is_user = is_first && read_regs(env, stack, regs);
	const struct tdemu_scenario *scenario;

	qemu_mutex_lock(&lock);
	if (is_first)
		adopt(stack, is_user ? regs : NULL);
	scenario = g_hash_table_lookup(threads, (void *)stack);
	qemu_mutex_unlock(&lock);
	return scenario;
}

void tdemu_switch(CPUX86State *env)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);
	uint64_t rsp = env->regs[R_ESP];
	uint64_t stack = rsp & ~(uint64_t)(STACK_SIZE - 1);
	bool is_first;

	/* arch_prctl() sets the running thread's own FS */
	if (!pmu || (env->hflags & HF_CPL_MASK) == 3 || stack == pmu->stack)
		return;
	/* of a cgroup, the kernel has begun to count already */
	tdemu_hold_back(pmu);
	pmu->stack = stack;
	is_first = is_new(stack + STACK_SIZE - rsp);
	if (qatomic_read(&any))
		run(pmu, scenario_of(env, stack, is_first));
}
