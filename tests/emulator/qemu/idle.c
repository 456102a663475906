/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The residency counters of cores and packages (arch/x86/events/intel/cstate.c), in
 * ticks of the time-stamp counter.  A core sleeps while all of its threads are halted,
 * a package (or a die of one) while all of its cores sleep.  That time is shared out
 * among the states: the kernel halts by HLT here, which names none.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "pmu.h"
#include "qemu/thread.h"
#include "qemu/timer.h"

/* Eighths of the time that something sleeps. */
static const struct state {
	uint32_t msr;
	int eighths;
	bool is_package;
} states[] = {
	{ 0x660, 2, false }, /* C1 */
	{ 0x3fd, 4, false }, /* C6 */
	{ 0x3fe, 2, false }, /* C7 */
	{ 0x60d, 2, true },  /* C2 */
	{ 0x3f8, 1, true },  /* C3 */
	{ 0x3f9, 2, true },  /* C6 */
	{ 0x630, 1, true },  /* C8 */
	{ 0x632, 1, true },  /* C10 */
};

static struct place {
	int cpus, idle;
	int64_t since, slept; /* virtual ns */
} threads[TDEMU_CPUS], cores[TDEMU_CPUS], dies[TDEMU_CPUS];

static QemuMutex lock;

static void __attribute__((constructor)) init(void)
{
	qemu_mutex_init(&lock);
}

int tdemu_die(CPUX86State *env)
{
	const X86CPU *cpu = env_archcpu(env);

	return cpu->socket_id * (int)env->topo_info.dies_per_pkg + cpu->die_id;
}

static bool is_same_core(const X86CPU *a, const X86CPU *b)
{
	return a->socket_id == b->socket_id && a->die_id == b->die_id &&
	       a->module_id == b->module_id && a->core_id == b->core_id;
}

/* A core has the number of its first CPU. */
static int core_of(const X86CPU *cpu)
{
	CPUState *other;

	CPU_FOREACH(other)
	{
		if (is_same_core(X86_CPU(other), cpu))
			return other->cpu_index;
	}
	return 0;
}

/* How many CPUs there are in each; once, when all are there. */
static void count_cpus(void)
{
	static bool is_done;
	CPUState *cpu;

	if (is_done)
		return;
	is_done = true;
	CPU_FOREACH(cpu)
	{
		threads[cpu->cpu_index].cpus++;
		cores[core_of(X86_CPU(cpu))].cpus++;
		dies[tdemu_die(&X86_CPU(cpu)->env)].cpus++;
	}
}

/* How long it has slept until now. */
static int64_t slept(const struct place *place)
{
	int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
	bool sleeps = place->cpus && place->idle == place->cpus;

	return place->slept + (sleeps ? now - place->since : 0);
}

static void change(struct place *place, bool is_idle)
{
	place->slept = slept(place);
	place->idle += is_idle ? 1 : -1;
	place->since = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

void tdemu_idle(CPUX86State *env, bool is_idle)
{
	if (!tdemu_settings()->power)
		return;
	qemu_mutex_lock(&lock);
	count_cpus();
	change(&threads[env_cpu(env)->cpu_index], is_idle);
	change(&cores[core_of(env_archcpu(env))], is_idle);
	change(&dies[tdemu_die(env)], is_idle);
	qemu_mutex_unlock(&lock);
}

static const struct state *state_of(uint32_t msr)
{
	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (states[i].msr == msr)
			return &states[i];
	return NULL;
}

bool tdemu_idle_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value)
{
	const struct state *state = state_of(msr);
	const struct place *place;

	if (!tdemu_settings()->power || !state)
		return false;
	place = state->is_package ? &dies[tdemu_die(env)] : &cores[core_of(env_archcpu(env))];
	qemu_mutex_lock(&lock);
	*value = 2 * (uint64_t)slept(place) * (uint64_t)state->eighths / 8;
	qemu_mutex_unlock(&lock);
	return true;
}

bool tdemu_tell_idle(CPUX86State *env)
{
	CPUState *cpu = qemu_get_cpu((int)env->regs[R_EBX]);
	CPUX86State *other = cpu ? &X86_CPU(cpu)->env : NULL;

	if (!tdemu_settings()->power || !other)
		return false;
	qemu_mutex_lock(&lock);
	env->regs[R_EBX] = slept(&threads[cpu->cpu_index]);
	env->regs[R_ECX] = slept(&cores[core_of(X86_CPU(cpu))]);
	env->regs[R_EDX] = slept(&dies[tdemu_die(other)]);
	qemu_mutex_unlock(&lock);
	return true;
}
