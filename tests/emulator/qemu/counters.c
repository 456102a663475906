/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of a CPU, and the clock that they count by. */
#include "qemu/osdep.h"

#include <math.h>

#include "cpu.h"
#include "pmu.h"
#include "qemu/thread.h"
#include "qemu/timer.h"

enum {
	ONE_PATH_NS = 1000000, /* between two steps: at most this */
	IGNORED_NS = 50000,
	SMI_NS = 100000000, /* between management interrupts, which take no time */
	READS = 256
};

static struct tdemu_pmu pmus[TDEMU_CPUS];

struct tdemu_pmu *tdemu_pmu(CPUX86State *env)
{
	int cpu = env_cpu(env)->cpu_index;
	struct tdemu_pmu *pmu = &pmus[cpu];

	if (cpu >= TDEMU_CPUS || !tdemu_settings()->on)
		return NULL;
	if (!pmu->env) {
		pmu->cpu = cpu;
		pmu->core = tdemu_core(cpu);
		pmu->usual = tdemu_scenario_default();
		pmu->scenario = pmu->usual;
		pmu->env = env;
	}
	return pmu;
}

static int64_t virtual_ns(void)
{
	return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

int64_t tdemu_clock(const struct tdemu_pmu *pmu)
{
	int64_t now = pmu->halted_at ? pmu->halted_at : virtual_ns();

	return now - pmu->halted_for - pmu->behind;
}

/* What was held back is counted from here on. */
static void catch_up(struct tdemu_pmu *pmu)
{
	if (!pmu->behind)
		return;
	pmu->behind = 0;
	tdemu_arm_again(pmu);
}

static void leave_path(struct tdemu_pmu *pmu)
{
	pmu->in_kernel = false;
	catch_up(pmu);
}

void tdemu_halt(CPUX86State *env)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);

	if (!pmu)
		return;
	leave_path(pmu);
	if (tdemu_settings()->no_halt)
		return;
	tdemu_pt_clock_changes(pmu);
	pmu->halted_at = virtual_ns();
	tdemu_idle(env, true);
}

void tdemu_unhalt(CPUX86State *env)
{
	struct tdemu_pmu *pmu = tdemu_pmu(env);

	if (!pmu || !pmu->halted_at)
		return;
	pmu->halted_for += virtual_ns() - pmu->halted_at;
	pmu->halted_at = 0;
	tdemu_idle(env, false);
	tdemu_pt_unhalt(pmu);
	tdemu_arm_again(pmu);
}

/* What the thread of the virtual CPU, which calls, has used of the host. */
static int64_t used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return used.tv_sec * 1000000000LL + used.tv_nsec;
}

/* Adds ns of a rate in 2^-32 a ns; true when the counter overflowed. */
static bool count(struct tdemu_counter *counter, uint64_t rate, int64_t ns)
{
	unsigned __int128 sum = (unsigned __int128)rate * (uint64_t)ns;
	uint64_t whole;

	sum += counter->fraction;
	counter->fraction = (uint32_t)sum;
	whole = counter->value + (uint64_t)(sum >> 32);
	counter->value = whole & TDEMU_COUNTER_MASK;
	return whole != counter->value;
}

/* PERF_METRICS is an average over slots. */
static void add_slots(struct tdemu_pmu *pmu, uint64_t rate, int64_t ns)
{
	double slots = (double)rate * (double)ns / 4294967296.;
	double fields[TDEMU_FIELDS];

	tdemu_fields(pmu, fields);
	tdemu_noise_fields(pmu, pmu->at, fields);
	pmu->slots += slots;
	for (int i = 0; i < TDEMU_FIELDS; i++)
		pmu->sum[i] += slots * fields[i];
}

/* Those that count, as bits of GLOBAL_CTRL. */
static uint64_t get_on(const struct tdemu_pmu *pmu)
{
	uint64_t on = 0;

	for (int i = 0; i < TDEMU_GENERAL; i++)
		on |= (uint64_t)pmu->general[i].on << i;
	for (int i = 0; i < TDEMU_FIXED; i++)
		on |= (uint64_t)pmu->fixed[i].on << (32 + i);
	return on;
}

/* Over a time in which no rate changes. */
static void advance_to(struct tdemu_pmu *pmu, int64_t to)
{
	int64_t ns = to - pmu->at;

	if (get_on(pmu))
		tdemu_sum(pmu, ns);
	for (int i = 0; i < TDEMU_GENERAL; i++)
		if (pmu->general[i].on &&
		    count(&pmu->general[i], tdemu_general_rate(pmu, i, pmu->at), ns))
			tdemu_overflow(pmu, i);
	for (int i = 0; i < TDEMU_IBS_UNITS; i++)
		if (pmu->ibs[i].counter.on &&
		    count(&pmu->ibs[i].counter, tdemu_ibs_rate(pmu, i), ns))
			tdemu_ibs_overflow(pmu, i);
	for (int i = 0; i < TDEMU_FIXED; i++) {
		uint64_t rate;

		if (!pmu->fixed[i].on)
			continue;
		rate = tdemu_fixed_rate(pmu, i, pmu->at);
		if (count(&pmu->fixed[i], rate, ns))
			tdemu_overflow(pmu, 32 + i);
		if (i == 3)
			add_slots(pmu, rate, ns);
	}
	pmu->actual += (double)ns * tdemu_ghz(pmu);
	pmu->at = to;
}

void tdemu_advance(struct tdemu_pmu *pmu)
{
	int64_t now = tdemu_clock(pmu);

	while (pmu->at < now)
		advance_to(pmu, MIN(now, tdemu_noise_until(pmu->at)));
}

static void set_on(struct tdemu_pmu *pmu, uint64_t on)
{
	for (int i = 0; i < TDEMU_GENERAL; i++)
		pmu->general[i].on = on >> i & 1;
	for (int i = 0; i < TDEMU_FIXED; i++)
		pmu->fixed[i].on = on >> (32 + i) & 1;
}

void tdemu_changed(struct tdemu_pmu *pmu)
{
	bool frozen = pmu->status & TDEMU_STATUS_FROZEN;
	uint64_t enabled = frozen ? 0 : pmu->global_ctrl;
	uint64_t on, before = get_on(pmu);

	for (int i = 0; i < TDEMU_GENERAL; i++)
		pmu->general[i].on = enabled >> i & 1 && pmu->select[i] >> 22 & 1 &&
				     (!pmu->core->amd || tdemu_amd_counts(pmu, pmu->select[i]));
	for (int i = 0; i < TDEMU_FIXED; i++)
		pmu->fixed[i].on = enabled >> (32 + i) & 1 && pmu->fixed_ctrl >> 4 * i & 3;
	on = get_on(pmu);
	if (on || before)
		pmu->stopped = on ? 0 : before;
	tdemu_arm(pmu);
}

/*
 * A step of the kernel with interrupts off.  How long the host stopped the virtual CPU
 * since the step before it, if both are of one path.
 */
static int64_t stolen_ns(struct tdemu_pmu *pmu)
{
	int64_t now = virtual_ns(), used = used_ns(), stolen = 0;
	int64_t own = used - pmu->used_at_step;

	if (pmu->in_kernel && own < ONE_PATH_NS) {
		stolen = MIN(now - pmu->step_at - own, tdemu_clock(pmu) - pmu->at);
	} else {
		catch_up(pmu);
		pmu->stopped = 0;
	}
	pmu->in_kernel = true;
	pmu->step_at = now;
	pmu->used_at_step = used;
	return stolen > IGNORED_NS ? stolen : 0;
}

/*
 * The kernel looks at the time, and then reads the counters of a group one after the
 * other, or starts them.  On silicon that is one moment.  Here the host may stop the
 * virtual CPU meanwhile, for longer than all else takes: then the counters stay behind
 * until the kernel looks at the time again.  What is counted already stays so: the
 * clock never goes back.
 */
void tdemu_hold_back(struct tdemu_pmu *pmu)
{
	/* RDPMC in user space; to ask the host would take longer than the rest */
	if (pmu->env->eflags & IF_MASK)
		leave_path(pmu);
	else
		pmu->behind += stolen_ns(pmu);
}

/* What the counters that were stopped would have counted until now. */
static void count_stopped(struct tdemu_pmu *pmu, int64_t ns)
{
	int64_t until = pmu->at + ns;
	uint64_t which = pmu->stopped;

	set_on(pmu, which);
	while (pmu->at < until)
		advance_to(pmu, MIN(until, tdemu_noise_until(pmu->at)));
	set_on(pmu, 0);
}

/*
 * It stops all counters before it looks until when they counted.  What the host took
 * between that is in this time, so it has to be in the counts.  QEMU itself reads the
 * number of management interrupts, which the kernel never does but by a clock.
 */
void tdemu_rdtsc(CPUX86State *env)
{
	struct tdemu_pmu *pmu;
	int64_t stolen;

	if (tdemu_settings()->power)
		env->msr_smi_count = (uint64_t)virtual_ns() / SMI_NS;
	if (env->eflags & IF_MASK || !(pmu = tdemu_pmu(env)) || pmu->halted_at)
		return;
	stolen = stolen_ns(pmu) + pmu->behind;
	if (stolen && pmu->stopped)
		count_stopped(pmu, stolen);
	catch_up(pmu);
}

void tdemu_metrics_reset(struct tdemu_pmu *pmu)
{
	pmu->slots = 0;
	memset(pmu->sum, 0, sizeof(pmu->sum));
}

/*
 * What was read of PERF_METRICS, and what it was rounded from.  The kernel saves it
 * when it switches to another task and writes it back later; without this, the
 * rounding would add up in each of many switches, always in the same direction.
 */
static struct metrics_read {
	uint64_t slots_read, value;
	double slots, sum[TDEMU_FIELDS];
} reads[READS];

static unsigned int nr_reads;
static QemuMutex reads_lock;

static void __attribute__((constructor)) init(void)
{
	qemu_mutex_init(&reads_lock);
}

static void remember(const struct tdemu_pmu *pmu, uint64_t value)
{
	struct metrics_read *read;

	qemu_mutex_lock(&reads_lock);
	read = &reads[nr_reads++ % READS];
	*read = (struct metrics_read){ pmu->fixed[3].value, value, pmu->slots };
	memcpy(read->sum, pmu->sum, sizeof(read->sum));
	qemu_mutex_unlock(&reads_lock);
}

/* False if it is too long ago, or was never read. */
static bool recall(struct tdemu_pmu *pmu, uint64_t value)
{
	bool found = false;

	qemu_mutex_lock(&reads_lock);
	for (unsigned int i = 0; i < READS && !found; i++) {
		const struct metrics_read *read = &reads[i];

		found = value && read->value == value && read->slots_read == pmu->fixed[3].value;
		if (!found)
			continue;
		pmu->slots = read->slots;
		memcpy(pmu->sum, read->sum, sizeof(pmu->sum));
	}
	qemu_mutex_unlock(&reads_lock);
	return found;
}

/* The kernel writes back what it saved, after the slots that it is a part of. */
void tdemu_metrics_write(struct tdemu_pmu *pmu, uint64_t value)
{
	if (recall(pmu, value))
		return;
	pmu->slots = (double)pmu->fixed[3].value;
	for (int i = 0; i < TDEMU_FIELDS; i++)
		pmu->sum[i] = pmu->slots * (value >> 8 * i & 0xff) / 255;
}

/* With --phase a read tells the phase, so that no row is of both. */
static bool is_average(const struct tdemu_pmu *pmu)
{
	return pmu->slots > 0 && !(pmu->scenario->phased && tdemu_settings()->phase_ms);
}

/* What an average has so far, in 1/255 of the slots. */
static void average(const struct tdemu_pmu *pmu, double parts[TDEMU_FIELDS])
{
	tdemu_fields(pmu, parts);
	for (int i = 0; i < TDEMU_FIELDS; i++) {
		if (is_average(pmu))
			parts[i] = pmu->sum[i] / pmu->slots;
		parts[i] *= 255 + tdemu_noise_excess(pmu);
	}
}

/*
 * Rounds so that the first four keep their sum, and that no field gets more than
 * its part on average, wherever dither lies between 0 and 1.
 */
static void round_fields(const struct tdemu_pmu *pmu, int bytes[TDEMU_FIELDS])
{
	double parts[TDEMU_FIELDS], dither = tdemu_noise_dither(pmu), sum = 0;

	average(pmu, parts);
	for (int i = 0; i < TDEMU_FIELDS; i++) {
		double before = i < 4 ? sum : 0;

		sum = before + parts[i];
		bytes[i] = (int)(floor(sum + dither) - floor(before + dither));
	}
}

uint64_t tdemu_metrics(struct tdemu_pmu *pmu)
{
	int bytes[TDEMU_FIELDS];
	uint64_t value = 0;

	if (!pmu->fixed[3].value)
		return 0;
	round_fields(pmu, bytes);
	for (int i = 0; i < TDEMU_FIELDS; i++)
		value |= (uint64_t)MIN(bytes[i], 255) << 8 * i;
	remember(pmu, value);
	return value;
}
