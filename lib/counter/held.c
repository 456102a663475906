// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the counters that other programs, the NMI watchdog or a hypervisor hold.  The
 * kernel does not list them, so groups are opened to see whether they run.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/counter/parts.h"
#include "lib/counter/probe.h"
#include "lib/plan/clocks.h"
#include "lib/plan/fit.h"

/* --- does a group run? -------------------------------------------------------- */

/* Groups in the same task are multiplexed every 4 ms. */
#define TURNS_NS 12000000

/* On whole CPUs, groups are also multiplexed with groups of other programs. */
#define WIDE_TURNS_NS 40000000

/* Maximum waiting time on a busy CPU. */
#define MAX_WAIT_NS 1000000000

/* After this number of CPUs that are not idle, no further one is looked at. */
#define MAX_TRIED_CPUS 16

/* Closes descriptors, with one call if they were opened one after the other. */
static void close_all(const int *fds, size_t nr)
{
	size_t i = 1;

	while (i < nr && fds[i] == fds[0] + (int)i)
		i++;
	if (nr && i == nr && syscall(SYS_close_range, fds[0], fds[nr - 1], 0) == 0)
		return;
	while (nr)
		close(fds[--nr]);
}

/* Opens an event in the calling thread, or on a CPU. */
static int open_event(struct perf_event_attr attr, int cpu, int leader)
{
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.inherit = attr.enable_on_exec = false;
	attr.exclude_kernel |= cpu < 0;
	return (int)syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, leader,
			    PERF_FLAG_FD_CLOEXEC);
}

/*
 * Returns 1 if the group ran, 0 if it did not although there was time for it, -1 if
 * unknown, for example for a pinned group that the kernel stopped.  In the calling thread,
 * this loop itself is counted.
 */
static int wait_for_turn(int fd, int cpu)
{
	struct {
		uint64_t count, enabled_ns, running_ns;
	} values = { 0 };
	uint64_t turns_ns = cpu < 0 ? TURNS_NS : WIDE_TURNS_NS;
	uint64_t end = td_now_ns() + MAX_WAIT_NS;

	while (values.enabled_ns < turns_ns && td_now_ns() < end) {
		if (read(fd, &values, sizeof(values)) != sizeof(values))
			return -1;
		if (values.running_ns)
			return 1;
		if (cpu >= 0)
			usleep(1000);
	}
	return values.enabled_ns < turns_ns ? -1 : 0;
}

/*
 * Opens the events as a group and returns wait_for_turn(); 0 if the kernel refuses the group
 * because the processor has too few counters.
 */
static int try_events(const struct perf_event_attr *attrs, size_t nr, int cpu)
{
	td_autofree int *fds = td_calloc(nr + 1, sizeof(*fds));
	int turn = -1;
	size_t opened = 0;

	while (opened < nr) {
		struct perf_event_attr attr = attrs[opened];

		attr.disabled = !opened;
		fds[opened] = open_event(attr, cpu, opened ? fds[0] : -1);
		if (fds[opened] < 0) {
			turn = opened && errno == EINVAL ? 0 : -1;
			break;
		}
		opened++;
	}
	if (opened == nr && ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0) == 0)
		turn = wait_for_turn(fds[0], cpu);
	close_all(fds, opened);
	return turn;
}

/* Tries a group of the plan. */
static int try_group(const struct td_plan *plan, const struct td_group *group,
		     const struct td_target *target, int cpu)
{
	td_autofree struct perf_event_attr *attrs = td_calloc(group->nr, sizeof(*attrs));

	for (size_t i = 0; i < group->nr; i++)
		attrs[i] = td_plan_attr(plan, group, i, target);
	return try_events(attrs, group->nr, cpu);
}

/* --- groups of tasks that get no counters -------------------------------------- */

/*
 * Pins a group if this makes it run.  Pinning does not help if other groups are pinned as well, but
 * it may help to count fewer clocks.
 */
static void pin_if_it_helps(struct td_plan *plan, const struct td_machine *machine,
			    struct td_group *group, const struct td_target *target)
{
	int turn = try_group(plan, group, target, -1);

	group->ran = turn > 0;
	if (turn)
		return;
	group->pinned = true;
	group->ran = try_group(plan, group, target, -1) == 1;
	group->pinned = group->may_unpin = group->ran;
	if (!group->pinned && td_clocks_drop(plan, machine, group->pmu))
		pin_if_it_helps(plan, machine, group, target);
}

/*
 * Stays on the current CPU if it is one of cpus; otherwise moves to the first of them that is
 * allowed.
 */
static bool go_to_one_of(const struct td_ints *cpus, const cpu_set_t *allowed)
{
	int now = sched_getcpu();

	for (size_t i = 0; i <= cpus->nr; i++) {
		int cpu = i ? cpus->v[i - 1] : now;

		if (cpu >= 0 && cpu < CPU_SETSIZE && td_ints_has(cpus, cpu) &&
		    CPU_ISSET((size_t)cpu, allowed)) {
			return td_go_to_cpu(cpu);
		}
	}
	return false;
}

void td_pin_starved(struct td_plan *plan, const struct td_machine *machine,
		    const struct td_target *target)
{
	struct td_affinity before = td_affinity_now();

	if (machine->nr_core > 1 && !before.is_known)
		return;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		struct td_group *group = &plan->groups[g];
		const struct td_pmu *pmu = &machine->pmus[group->pmu];

		if (pmu->kind != TD_PMU_CORE || pmu->type == PERF_TYPE_SOFTWARE || group->pinned ||
		    !td_plan_is_alone(plan, group))
			continue;
		if (machine->nr_core > 1 && !go_to_one_of(&pmu->cpus, &before.cpus))
			continue;
		pin_if_it_helps(plan, machine, group, target);
	}
	td_affinity_restore(&before);
}

bool td_is_starved(const struct td_plan *plan, const struct td_group *group,
		   const struct td_machine *machine, const struct td_target *target,
		   const struct td_ints *cpus)
{
	struct td_affinity before = td_affinity_now();
	bool starved = false;

	if (!before.is_known)
		return false;
	for (size_t i = 0, tried = 0; !starved && i < cpus->nr && tried < MAX_TRIED_CPUS; i++) {
		if (!td_ints_has(&machine->pmus[group->pmu].cpus, cpus->v[i]))
			continue;
		tried++;
		starved = td_go_to_cpu(cpus->v[i]) && try_group(plan, group, target, -1) == 0;
	}
	td_affinity_restore(&before);
	return starved;
}

/* --- how many counters are free? ------------------------------------------------ */

/* Branches, which any general counter but no fixed counter counts. */
#define BRANCHES     0xc4
#define CYCLES       0x3c
#define INSTRUCTIONS 0xc0
#define REF_CYCLES   0x300
#define REF_TSC_P    0x13c /* reference cycles; some cores also have general counters for them */

/* The indices of counters in a page of perf_event_open(2). */
#define FIRST_GENERAL 1
#define FIRST_FIXED   ((UINT32_C(1) << 30) + 1)

/* Events with a fixed counter on all or some cores (td_uarch_place()). */
static const struct {
	uint64_t config;
	const char *name;
} fixed_events[] = {
	{ INSTRUCTIONS, "instructions" }, { CYCLES, "cycles" },
	{ REF_CYCLES, "ref-cycles" },     { 0x73, "topdown-bad-spec" },
	{ 0x19c, "topdown-fe-bound" },    { 0x2c2, "topdown-retiring" },
};

static struct perf_event_attr attr_of(const struct td_pmu *pmu, uint64_t config)
{
	return (struct perf_event_attr){
		.type = pmu->type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.exclude_guest = true,
	};
}

/* Tries a group of nr events of general counters, with another event (0: none). */
static int try_counters(const struct td_pmu *pmu, int nr, uint64_t with, int cpu)
{
	struct perf_event_attr attrs[TD_NR_COUNTERS] = { 0 };
	size_t all = (size_t)nr + (with != 0);

	for (size_t i = 0; i < all; i++)
		attrs[i] = attr_of(pmu, i < (size_t)nr ? BRANCHES : with);
	return all ? try_events(attrs, all, cpu) : 1;
}

/* Finds the number of free general counters by bisection; unknown ones count as free. */
static int count_free(const struct td_pmu *pmu, int general, int cpu)
{
	int min = 0, max = general;

	while (min < max) {
		int nr = (min + max + 1) / 2;

		if (try_counters(pmu, nr, 0, cpu))
			min = nr;
		else
			max = nr - 1;
	}
	return min;
}

/*
 * Adds a CPU's held counters to those of the PMU, except for the one that td_claim_of() leaves to
 * the NMI watchdog.  Returns true if the PMU had fewer.
 */
static bool find_held(struct td_pmu *pmu, bool nmi_watchdog, int cpu)
{
	bool has_fixed = !td_uarch_has(pmu->uarch, TD_CORE_NO_FIXED);
	int general = td_uarch_general(pmu->uarch) - (nmi_watchdog && !has_fixed);
	int left = general - pmu->held_general, nr = count_free(pmu, left, cpu);
	uint32_t before = pmu->held_fixed;

	pmu->held_general = general - nr;
	for (size_t i = 0; i < TD_ARRAY_SIZE(fixed_events); i++) {
		uint64_t config = fixed_events[i].config;
		int fixed = td_uarch_place(pmu->uarch, config, 0).fixed;

		if (fixed >= 0 && !(before & TD_FIXED(fixed)) &&
		    !(nmi_watchdog && config == CYCLES) && try_counters(pmu, nr, config, cpu) == 0)
			pmu->held_fixed |= TD_FIXED(fixed);
	}
	return nr < left || pmu->held_fixed != before;
}

/*
 * Sets the PMU's held counters after also trying the counter of the NMI watchdog.  Returns false if
 * this counter is free, because the watchdog uses none or another one.
 */
static bool find_watched(struct td_pmu *pmu, int cpu)
{
	int cycles = td_uarch_place(pmu->uarch, CYCLES, 0).fixed, nr;
	bool held;

	find_held(pmu, false, cpu);
	nr = td_uarch_general(pmu->uarch) - pmu->held_general;
	if (cycles >= 0) {
		held = pmu->held_fixed & TD_FIXED(cycles);
		pmu->held_fixed &= ~TD_FIXED(cycles);
	} else {
		held = pmu->held_general > 0;
		pmu->held_general -= held;
	}
	/* if events cannot be opened, it is unknown whether it is free */
	return held || try_counters(pmu, nr, cycles >= 0 ? CYCLES : 0, cpu) != 1;
}

/* --- which counter does an event get? ------------------------------------------- */

#define MAX_LOOKS (1 + TD_ARRAY_SIZE(fixed_events))

/* Removes the mappings, with one call if they are adjacent. */
static void unmap_all(char *const *pages, size_t nr, size_t size)
{
	char *low = nr ? pages[0] : NULL, *high = low;

	for (size_t i = 1; i < nr; i++) {
		low = pages[i] < low ? pages[i] : low;
		high = pages[i] > high ? pages[i] : high;
	}
	if (nr && (size_t)(high - low) == (nr - 1) * size)
		munmap(low, nr * size);
	else
		for (size_t i = 0; i < nr; i++)
			munmap(pages[i], size);
}

/*
 * Opens the events and returns true if the page of each has its expected index.  Returns false if
 * the kernel does not report the counters, for example if RDPMC is not allowed.
 */
static bool have_indices(const struct td_pmu *pmu, const uint64_t *configs,
			 const uint32_t *expected, size_t nr, int cpu)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE), opened = 0, mapped = 0;
	char *pages[MAX_LOOKS];
	int fds[MAX_LOOKS];
	bool same;

	while (mapped == opened && opened < nr) {
		fds[opened] = open_event(attr_of(pmu, configs[opened]), cpu, -1);
		if (fds[opened] < 0)
			break;
		pages[opened] = mmap(NULL, size, PROT_READ, MAP_SHARED, fds[opened], 0);
		mapped += pages[opened++] != MAP_FAILED;
	}
	same = mapped == nr;
	for (size_t i = 0; same && i < nr; i++)
		same = ((const struct perf_event_mmap_page *)(const void *)pages[i])->index ==
		       expected[i];
	unmap_all(pages, mapped, size);
	close_all(fds, opened);
	return same;
}

/*
 * Returns true if nothing else uses general counters, or the fixed ones of these claims: a branch
 * event gets the first general counter, and the others their fixed ones.  Other programs' cycles
 * and instructions that need general counters get theirs after branches, but before the same
 * events of this thread, which are always opened.  Other programs' reference cycles would make
 * room for REF_CYCLES by taking a general counter, but do not for REF_TSC_P.  Cycles that the NMI
 * watchdog displaces get the second general counter.
 */
static bool are_free(const struct td_pmu *pmu, uint32_t claims, bool nmi_watchdog, int cpu)
{
	uint64_t configs[MAX_LOOKS] = { BRANCHES };
	uint32_t expected[MAX_LOOKS] = { FIRST_GENERAL };
	size_t nr = 1;

	for (size_t i = 0; i < TD_ARRAY_SIZE(fixed_events); i++) {
		uint64_t config = fixed_events[i].config;
		int fixed = td_uarch_place(pmu->uarch, config, 0).fixed;
		bool always = config == CYCLES || config == INSTRUCTIONS || config == REF_CYCLES;

		if (fixed < 0 || !(always || (claims & TD_FIXED(fixed))))
			continue;
		if (config == REF_CYCLES && td_uarch_place(pmu->uarch, REF_TSC_P, 0).fixed >= 0)
			config = REF_TSC_P;
		configs[nr] = config;
		expected[nr++] = nmi_watchdog && config == CYCLES ? FIRST_GENERAL + 1
								  : FIRST_FIXED + (uint32_t)fixed;
	}
	return have_indices(pmu, configs, expected, nr, cpu);
}

bool td_watchdog_is_idle(const struct td_machine *machine)
{
	int cpu = sched_getcpu();

	for (size_t i = 0; i < machine->nr_core; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];
		const uint64_t cycles = CYCLES;
		int fixed = td_uarch_place(pmu->uarch, cycles, 0).fixed;
		uint32_t expected = FIRST_FIXED + (uint32_t)fixed;

		if (!td_ints_has(&pmu->cpus, cpu) || pmu->uarch == TD_UARCH_UNKNOWN)
			continue;
		if (fixed >= 0)
			return have_indices(pmu, &cycles, &expected, 1, -1);
		return try_counters(pmu, td_uarch_general(pmu->uarch), 0, -1) == 1;
	}
	return false;
}

/* --- the look before planning ---------------------------------------------------- */

/* Returns the number of the group's events that can only use these counters. */
static size_t count_needed(const struct td_plan *plan, const struct td_machine *machine,
			   const struct td_group *group, uint32_t these)
{
	size_t nr = 0;

	for (size_t i = 0; i < group->nr; i++) {
		const struct td_event *event = &plan->events.v[group->members[i]];
		uint32_t mask = td_claim_of(machine, event).mask;

		nr += mask && !(mask & ~these);
	}
	return nr;
}

/* Returns the multiplexed group that needs most counters, or NULL. */
static const struct td_group *largest(const struct td_plan *plan, const struct td_machine *machine,
				      int pmu)
{
	const struct td_group *found = NULL;
	size_t max = 0;

	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];
		size_t nr = 0;

		if (group->pmu == pmu && !group->pinned)
			nr = count_needed(plan, machine, group, UINT32_MAX);
		if (nr > max) {
			max = nr;
			found = group;
		}
	}
	return found;
}

/* Events that have to run together, as members of one group. */
struct wanted {
	struct perf_event_attr attrs[TD_NR_COUNTERS];
	size_t nr;
	uint32_t claims; /* counters that they can use */
};

/* Adds the events that need a counter, or only those that need a fixed one that no event uses. */
static void add_events(const struct td_plan *plan, const struct td_machine *machine,
		       const struct td_group *group, const struct td_target *target, bool all,
		       struct wanted *wanted)
{
	for (size_t i = 0; i < group->nr && wanted->nr < TD_NR_COUNTERS; i++) {
		const struct td_event *event = &plan->events.v[group->members[i]];
		uint32_t mask = td_claim_of(machine, event).mask;

		if (!mask || (!all && mask & (~TD_FIXED_ALL | wanted->claims)))
			continue;
		wanted->claims |= mask;
		wanted->attrs[wanted->nr] = td_plan_attr(plan, group, i, target);
		wanted->attrs[wanted->nr].pinned = wanted->attrs[wanted->nr].exclusive = false;
		wanted->nr++;
	}
}

/*
 * Lists the events that have to run together: those of the PMU's pinned groups and of the
 * largest other one, and those of further groups that no general counter counts.  Without a plan,
 * lists none, and claims all counters.  Returns false if they have run already
 * (td_pin_starved()), or need so few general counters that a system call is not worth it: level 1
 * with PERF_METRICS.  For tasks, claims no counters, because more than are_free() always tries take
 * more than ten system calls; td_counter_split_starved() notices these.
 */
static bool list_wanted(const struct td_plan *plan, const struct td_machine *machine, int pmu,
			const struct td_target *target, struct wanted *wanted)
{
	const struct td_group *multiplexed = plan ? largest(plan, machine, pmu) : NULL;
	size_t all = (size_t)td_uarch_general(machine->pmus[pmu].uarch);
	size_t general = 0;

	wanted->claims = plan ? 0 : TD_FIXED_ALL;
	if (!plan)
		return true;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		if (group->pmu == pmu && (group->ran || group->may_unpin) &&
		    td_plan_is_alone(plan, group))
			return false;
		if (group != multiplexed && (group->pmu != pmu || !group->pinned))
			continue;
		add_events(plan, machine, group, target, true, wanted);
		general += count_needed(plan, machine, group, ~TD_FIXED_ALL);
	}
	if (4 * general <= all)
		return false;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (plan->groups[g].pmu == pmu)
			add_events(plan, machine, &plan->groups[g], target, false, wanted);
	}
	if (!target->system_wide)
		wanted->claims = 0;
	return true;
}

static void put_held(FILE *fp, const struct td_pmu *pmu)
{
	const char *gap = pmu->held_general ? ", " : "";

	fprintf(fp, "%s%s: ", ftell(fp) > 0 ? "; " : "", pmu->name);
	if (pmu->held_general)
		fprintf(fp, "%d of %d general counters", pmu->held_general,
			td_uarch_general(pmu->uarch));
	for (size_t i = 0; i < TD_ARRAY_SIZE(fixed_events); i++) {
		int fixed = td_uarch_place(pmu->uarch, fixed_events[i].config, 0).fixed;

		if (fixed < 0 || !(pmu->held_fixed & TD_FIXED(fixed)))
			continue;
		fprintf(fp, "%sthe counter of %s", gap, fixed_events[i].name);
		gap = ", ";
	}
	if (pmu->held_cpu)
		fprintf(fp, " (found on CPU %d)", pmu->held_cpu);
}

void td_held_text(const struct td_machine *machine, char **text)
{
	size_t size;
	FILE *fp = td_open_memstream(text, &size);

	for (size_t i = 0; i < machine->nr_core; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];

		if (pmu->held_general || pmu->held_fixed)
			put_held(fp, pmu);
	}
	td_text_close(fp, text);
	if (!**text) {
		free(*text);
		*text = NULL;
	}
}

/* Fewer events are opened as a group with fewer system calls than are_free() needs. */
#define FEW_EVENTS 7

/*
 * Opens an event of a processor's PMU and leaves it disabled.  The kernel prepares all CPUs for the
 * first such event of the machine, and undoes it after the last one: for each try, if nothing else
 * is counted, which takes a second on 64 CPUs.
 */
static int open_idle_event(void)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = true,
	};

	return open_event(attr, -1, -1);
}

/* Finds the held counters of the thread's CPU, or of each that is counted system wide. */
static bool find_on_cpus(struct td_pmu *pmu, const struct wanted *wanted, bool nmi_watchdog,
			 const struct td_target *target)
{
	int idle = target->system_wide && !nmi_watchdog ? open_idle_event() : -1;
	struct td_ints cpus = { 0 };
	bool held = false;

	if (target->system_wide)
		td_plan_cpus(pmu, target, &cpus);
	else
		td_ints_add(&cpus, -1);
	for (size_t i = 0, tried = 0; i < cpus.nr && tried < MAX_TRIED_CPUS; i++) {
		bool few = !i && wanted->nr && wanted->nr <= FEW_EVENTS;
		int cpu = cpus.v[i];

		if (!few && are_free(pmu, wanted->claims, nmi_watchdog, cpu))
			continue;
		tried++;
		/* they are not counted together if it is known that counters are held */
		if (!held && wanted->nr && try_events(wanted->attrs, wanted->nr, cpu) != 0)
			continue;
		if (find_held(pmu, nmi_watchdog, cpu)) {
			pmu->held_cpu = i ? cpu : 0;
			held = true;
		}
	}
	td_close_fd(&idle);
	td_ints_free(&cpus);
	return held;
}

/* Returns true if nothing else uses counters of the CPU on which the thread runs. */
static bool is_free_here(const struct td_machine *machine, int cpu)
{
	for (size_t i = 0; i < machine->nr_core; i++) {
		const struct td_pmu *pmu = &machine->pmus[i];

		if (td_ints_has(&pmu->cpus, cpu))
			return pmu->uarch != TD_UARCH_UNKNOWN &&
			       are_free(pmu, 0, machine->nmi_watchdog, -1);
	}
	return false;
}

bool td_find_held(const struct td_plan *plan, struct td_machine *machine,
		  const struct td_target *target)
{
	struct td_affinity before = td_affinity_now();
	bool moved = false, held = false, looked = false, watched = false;

	for (int i = 0; i < (int)machine->nr_core; i++) {
		struct td_pmu *pmu = &machine->pmus[i];
		struct wanted wanted = { .nr = 0 };

		if (pmu->uarch == TD_UARCH_UNKNOWN || pmu->skip ||
		    !list_wanted(plan, machine, i, target, &wanted))
			continue;
		if (!target->system_wide && machine->nr_core > 1) {
			/* most programs that count do so on the CPUs of all core types */
			if (plan && !moved && is_free_here(machine, before.returns_to - 1))
				return false;
			moved = true;
			if (!before.is_known || !go_to_one_of(&pmu->cpus, &before.cpus))
				continue;
		}
		looked = !plan && !target->system_wide && machine->nmi_watchdog;
		if (looked)
			watched |= find_watched(pmu, -1);
		else
			held |= find_on_cpus(pmu, &wanted, machine->nmi_watchdog, target);
	}
	if (looked)
		machine->nmi_watchdog = watched;
	td_affinity_restore(&before);
	return held;
}
