// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/dry_run.h"

#include <inttypes.h>
#include <math.h>
#include <strings.h>

#include "cmd/opts/rerun.h"
#include "cmd/output/out.h"
#include "lib/base/printable.h"
#include "lib/counter/probe.h"
#include "lib/plan/fit.h"

/* clang-format off */
#define NAME(id) [id] = #id

static const char *const types[] = {
	NAME(PERF_TYPE_HARDWARE), NAME(PERF_TYPE_SOFTWARE),
	NAME(PERF_TYPE_TRACEPOINT), NAME(PERF_TYPE_HW_CACHE),
	NAME(PERF_TYPE_RAW), NAME(PERF_TYPE_BREAKPOINT),
};

static const char *const hardware[] = {
	NAME(PERF_COUNT_HW_CPU_CYCLES), NAME(PERF_COUNT_HW_INSTRUCTIONS),
	NAME(PERF_COUNT_HW_CACHE_REFERENCES), NAME(PERF_COUNT_HW_CACHE_MISSES),
	NAME(PERF_COUNT_HW_BRANCH_INSTRUCTIONS),
	NAME(PERF_COUNT_HW_BRANCH_MISSES), NAME(PERF_COUNT_HW_BUS_CYCLES),
	NAME(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND),
	NAME(PERF_COUNT_HW_STALLED_CYCLES_BACKEND),
	NAME(PERF_COUNT_HW_REF_CPU_CYCLES),
};

static const char *const software[] = {
	NAME(PERF_COUNT_SW_CPU_CLOCK), NAME(PERF_COUNT_SW_TASK_CLOCK),
	NAME(PERF_COUNT_SW_PAGE_FAULTS), NAME(PERF_COUNT_SW_CONTEXT_SWITCHES),
	NAME(PERF_COUNT_SW_CPU_MIGRATIONS), NAME(PERF_COUNT_SW_PAGE_FAULTS_MIN),
	NAME(PERF_COUNT_SW_PAGE_FAULTS_MAJ),
	NAME(PERF_COUNT_SW_ALIGNMENT_FAULTS),
	NAME(PERF_COUNT_SW_EMULATION_FAULTS), NAME(PERF_COUNT_SW_DUMMY),
	NAME(PERF_COUNT_SW_BPF_OUTPUT), NAME(PERF_COUNT_SW_CGROUP_SWITCHES),
};

static const char *const caches[] = {
	NAME(PERF_COUNT_HW_CACHE_L1D), NAME(PERF_COUNT_HW_CACHE_L1I),
	NAME(PERF_COUNT_HW_CACHE_LL), NAME(PERF_COUNT_HW_CACHE_DTLB),
	NAME(PERF_COUNT_HW_CACHE_ITLB), NAME(PERF_COUNT_HW_CACHE_BPU),
	NAME(PERF_COUNT_HW_CACHE_NODE),
};

static const char *const cache_ops[] = {
	NAME(PERF_COUNT_HW_CACHE_OP_READ), NAME(PERF_COUNT_HW_CACHE_OP_WRITE),
	NAME(PERF_COUNT_HW_CACHE_OP_PREFETCH),
};

static const char *const cache_results[] = {
	NAME(PERF_COUNT_HW_CACHE_RESULT_ACCESS),
	NAME(PERF_COUNT_HW_CACHE_RESULT_MISS),
};

struct bit {
	uint64_t value;
	const char *name;
};

/* Names of bits, in the order in which perf prints them. */
#define BIT(id) { PERF_SAMPLE_##id, #id }
static const struct bit sample_bits[] = {
	BIT(IP), BIT(TID), BIT(TIME), BIT(ADDR), BIT(READ), BIT(CALLCHAIN),
	BIT(ID), BIT(CPU), BIT(PERIOD), BIT(STREAM_ID), BIT(RAW),
	BIT(BRANCH_STACK), BIT(REGS_USER), BIT(STACK_USER), BIT(IDENTIFIER),
	BIT(REGS_INTR), BIT(DATA_SRC), BIT(WEIGHT), BIT(PHYS_ADDR), BIT(AUX),
	BIT(CGROUP), BIT(DATA_PAGE_SIZE), BIT(CODE_PAGE_SIZE),
	BIT(WEIGHT_STRUCT), { 0, NULL },
};
#undef BIT

#define BIT(id) { PERF_FORMAT_##id, #id }
static const struct bit format_bits[] = {
	BIT(TOTAL_TIME_ENABLED), BIT(TOTAL_TIME_RUNNING), BIT(ID), BIT(GROUP),
	BIT(LOST), { 0, NULL },
};
#undef BIT
/* clang-format on */

#define FIND(names, value) ((value) < TD_ARRAY_SIZE(names) ? (names)[value] : NULL)

static void put_attr_name(FILE *fp, const char *name)
{
	fprintf(fp, "  %-32s ", name);
}

static void put_unsigned(FILE *fp, const char *name, uint64_t value)
{
	if (!value)
		return;
	put_attr_name(fp, name);
	fprintf(fp, "%" PRIu64 "\n", value);
}

static void put_hex(FILE *fp, const char *name, uint64_t value)
{
	if (!value)
		return;
	put_attr_name(fp, name);
	fprintf(fp, "%#" PRIx64 "\n", value);
}

/* Print "ID|GROUP"; bits without a name are printed as a number. */
static void put_bits(FILE *fp, const char *name, uint64_t value, const struct bit *bits)
{
	const char *between = "";

	if (!value)
		return;
	put_attr_name(fp, name);
	for (; bits->name; bits++) {
		if (!(value & bits->value))
			continue;
		fprintf(fp, "%s%s", between, bits->name);
		value &= ~bits->value;
		between = "|";
	}
	if (value)
		fprintf(fp, "%s%#" PRIx64, between, value);
	fputc('\n', fp);
}

static void put_cache(FILE *fp, uint64_t config)
{
	const char *result = FIND(cache_results, config >> 16 & 0xff);
	const char *op = FIND(cache_ops, config >> 8 & 0xff);
	const char *cache = FIND(caches, config & 0xff);

	if (result && op && cache)
		fprintf(fp, " (%s | %s | %s)", result, op, cache);
}

/*
 * Print the config with its name.  With the type of a PMU in the upper half, only cache
 * events are named, as in perf.
 */
static void put_attr_config(FILE *fp, const struct perf_event_attr *attr)
{
	const char *name = NULL;

	put_attr_name(fp, "config");
	fprintf(fp, "%#" PRIx64, (uint64_t)attr->config);
	if (attr->type == PERF_TYPE_HARDWARE)
		name = FIND(hardware, attr->config);
	else if (attr->type == PERF_TYPE_SOFTWARE)
		name = FIND(software, attr->config);
	else if (attr->type == PERF_TYPE_HW_CACHE)
		put_cache(fp, attr->config);
	if (name)
		fprintf(fp, " (%s)", name);
	fputc('\n', fp);
}

static void put_event(FILE *fp, const struct perf_event_attr *attr, const char *pmu)
{
	const char *type = pmu ? pmu : FIND(types, attr->type);

	put_attr_name(fp, "type");
	fprintf(fp, "%u", attr->type);
	if (type) {
		fputs(" (", fp);
		td_put_printable(fp, type);
		fputc(')', fp);
	}
	fputc('\n', fp);
	put_unsigned(fp, "size", attr->size);
	put_attr_config(fp, attr);
	put_unsigned(fp, "{ sample_period, sample_freq }", attr->sample_period);
	put_bits(fp, "sample_type", attr->sample_type, sample_bits);
	put_bits(fp, "read_format", attr->read_format, format_bits);
}

static void put_set_flag(void (*put)(void *ctx, const char *name, unsigned int value), void *ctx,
			 const char *name, unsigned int value)
{
	if (value)
		put(ctx, name, value);
}

#define FLAG(field) put_set_flag(put, ctx, #field, attr->field)

/*
 * Call put for each flag that is set, in the order of the kernel's struct.  Only precise_ip
 * has values other than 1.
 */
static void attr_each_flag(const struct perf_event_attr *attr,
			   void (*put)(void *ctx, const char *name, unsigned int value), void *ctx)
{
	FLAG(disabled);
	FLAG(inherit);
	FLAG(pinned);
	FLAG(exclusive);
	FLAG(exclude_user);
	FLAG(exclude_kernel);
	FLAG(exclude_hv);
	FLAG(exclude_idle);
	FLAG(mmap);
	FLAG(comm);
	FLAG(freq);
	FLAG(inherit_stat);
	FLAG(enable_on_exec);
	FLAG(task);
	FLAG(watermark);
	FLAG(precise_ip);
	FLAG(mmap_data);
	FLAG(sample_id_all);
	FLAG(exclude_host);
	FLAG(exclude_guest);
	FLAG(exclude_callchain_kernel);
	FLAG(exclude_callchain_user);
	FLAG(mmap2);
	FLAG(comm_exec);
	FLAG(use_clockid);
	FLAG(context_switch);
	FLAG(write_backward);
	FLAG(namespaces);
	FLAG(ksymbol);
	FLAG(bpf_event);
	FLAG(aux_output);
	FLAG(cgroup);
	FLAG(text_poke);
	FLAG(build_id);
	FLAG(inherit_thread);
	FLAG(remove_on_exec);
	FLAG(sigtrap);
}

static void put_attr_flag(void *fp, const char *name, unsigned int value)
{
	put_unsigned(fp, name, value);
}

#define PUT(field) put_unsigned(fp, #field, attr->field)

static void put_rule(FILE *fp)
{
	for (int i = 0; i < 60; i++)
		fputc('-', fp);
	fputc('\n', fp);
}

void td_attr_put(FILE *fp, const struct perf_event_attr *attr, const char *pmu)
{
	put_rule(fp);
	fputs("perf_event_attr:\n", fp);
	put_event(fp, attr, pmu);
	attr_each_flag(attr, put_attr_flag, fp);
	put_unsigned(fp, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	PUT(bp_type);
	put_hex(fp, "{ bp_addr, config1 }", attr->bp_addr);
	put_hex(fp, "{ bp_len, config2 }", attr->bp_len);
	put_hex(fp, "branch_sample_type", attr->branch_sample_type);
	put_hex(fp, "sample_regs_user", attr->sample_regs_user);
	PUT(sample_stack_user);
	if (attr->clockid) {
		put_attr_name(fp, "clockid");
		fprintf(fp, "%d\n", attr->clockid);
	}
	put_hex(fp, "sample_regs_intr", attr->sample_regs_intr);
	PUT(aux_watermark);
	PUT(sample_max_stack);
	PUT(aux_sample_size);
	PUT(sig_data);
	put_hex(fp, "config3", attr->config3); /* perf 6.12 does not print it */
	put_rule(fp);
}

void td_attr_put_open(FILE *fp, int pid, int cpu, int group_fd, unsigned long flags, int fd)
{
	fprintf(fp, "sys_perf_event_open: pid %d  cpu %d  group_fd %d  flags %#lx", pid, cpu,
		group_fd, flags);
	if (fd < 0)
		fprintf(fp, "\nsys_perf_event_open failed, error %d\n", fd);
	else
		fprintf(fp, " = %d\n", fd);
}

/* The multiplexed groups of a PMU. */
struct turns {
	size_t nr, nr_always;
	double min, max; /* shares of the time */
};

static struct turns find_turns(const struct td_plan *plan, int pmu, const double *shares)
{
	struct turns turns = { .min = 1 };

	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (plan->groups[g].pmu != pmu)
			continue;
		if (shares[g] >= 1) {
			turns.nr_always++;
			continue;
		}
		turns.nr++;
		turns.min = shares[g] < turns.min ? shares[g] : turns.min;
		turns.max = shares[g] > turns.max ? shares[g] : turns.max;
	}
	return turns;
}

/* Does hyper-threading halve the counters that an event of the PMU can use? */
static bool is_halved(const struct td_plan *plan, const struct td_machine *machine, int pmu)
{
	td_for_each(const struct td_event, event, plan->events.v, plan->events.nr) {
		int max = td_claim_of(machine, event).most;

		if (event->pmu == pmu && !event->refusal && machine->smt && max &&
		    max < td_uarch_general(machine->pmus[pmu].uarch) -
				    machine->pmus[pmu].held_general)
			return true;
	}
	return false;
}

/* Print ", because its 8 general counters do not hold all of them", and why there are so few. */
static void put_reason(FILE *fp, const struct td_plan *plan, const struct td_machine *machine,
		       int pmu)
{
	int nr = td_uarch_general(machine->pmus[pmu].uarch);

	fprintf(fp, ", because its %d general counters", nr);
	if (machine->pmus[pmu].held_general)
		fprintf(fp, ", of which %d are already in use,", machine->pmus[pmu].held_general);
	fputs(" do not hold all of them", fp);
	if (machine->nmi_watchdog)
		fputs("; the NMI watchdog holds one more counter (kernel.nmi_watchdog=0 frees it)",
		      fp);
	if (is_halved(plan, machine, pmu))
		fprintf(fp, "; with hyper-threading on, a group with some events has only %d",
			nr / 2);
}

/* Print "5 groups, each counted 20 % of the time". */
static void put_groups(FILE *fp, const struct td_plan *plan, const struct turns *turns)
{
	size_t nr = turns->nr + turns->nr_always;

	fprintf(fp, "%zu group%s, ", nr, nr == 1 ? "" : "s");
	if (!turns->nr) {
		fputs("counted all of the time: not multiplexed", fp);
		return;
	}
	if (plan->nr_sets > 1) {
		fprintf(fp, "counted all of the time in %u runs: not multiplexed", plan->nr_sets);
		return;
	}
	if (turns->nr_always)
		fprintf(fp, "%zu counted all of the time, the others ", turns->nr_always);
	else
		fputs("each counted ", fp);
	if (turns->max - turns->min < 0.005)
		fprintf(fp, "%.3g %%", 100 * turns->min);
	else
		fprintf(fp, "%.3g to %.3g %%", 100 * turns->min, 100 * turns->max);
	fputs(" of the time", fp);
}

/* Print "cpu_core: 5 groups, each counted 20 % of the time, because its ...". */
static void put_pmu(const struct td_plan *plan, const struct td_machine *machine, int pmu,
		    const double *shares)
{
	struct turns turns = find_turns(plan, pmu, shares);

	if (!turns.nr && !turns.nr_always)
		return;
	td_put_printable(stdout, machine->pmus[pmu].name);
	fputs(": ", stdout);
	put_groups(stdout, plan, &turns);
	if (turns.nr && plan->nr_sets < 2)
		put_reason(stdout, plan, machine, pmu);
	fputc('\n', stdout);
}

bool td_put_turns_of(FILE *fp, const struct td_machine *machine, const struct td_plan *plan,
		     int pmu, bool why)
{
	td_autofree double *shares = td_calloc(plan->nr_groups + 1, sizeof(*shares));
	struct turns turns;

	td_plan_shares(plan, machine, shares);
	turns = find_turns(plan, pmu, shares);
	put_groups(fp, plan, &turns);
	if (turns.nr && why)
		put_reason(fp, plan, machine, pmu);
	return turns.nr;
}

static void put_plan_turns(const struct td_machine *machine, const struct td_plan *plan,
			   double *shares)
{
	td_plan_shares(plan, machine, shares);
	for (int pmu = 0; pmu < (int)machine->nr_core; pmu++)
		put_pmu(plan, machine, pmu, shares);
}

/* -l auto: print the groups that are enabled at first, and the number of all others. */
static void put_enabled(const struct td_machine *machine, const struct td_plan *plan,
			double *shares)
{
	td_autofree struct td_group *groups = td_calloc(plan->nr_groups + 1, sizeof(*groups));
	struct td_plan enabled = *plan;

	enabled.groups = groups;
	enabled.nr_groups = 0;
	for (size_t g = 0; g < plan->nr_groups; g++) {
		if (!plan->groups[g].family)
			groups[enabled.nr_groups++] = plan->groups[g];
	}
	put_plan_turns(machine, &enabled, shares);
	if (enabled.nr_groups < plan->nr_groups)
		printf("%zu more groups are disabled until their parent is above its threshold\n",
		       plan->nr_groups - enabled.nr_groups);
}

/*
 * --dry-run, at the end: print a line for each core PMU with the share of time that its groups
 * are counted, why they are multiplexed, and how to avoid it.
 */
static void put_turns(const struct td_job *job)
{
	const struct td_machine *machine = &job->machine;
	const struct td_plan *plan = &job->plan;
	td_autofree double *shares = td_calloc(plan->nr_groups + 1, sizeof(*shares));
	unsigned int nr;

	if (td_plan_has_families(plan)) {
		put_enabled(machine, plan, shares);
		return;
	}
	put_plan_turns(machine, plan, shares);
	nr = td_plan_count_sets(plan, machine);
	if (nr > 1 && plan->nr_sets < 2 && !job->target.by_switches)
		printf("--no-multiplex runs a command %u times without multiplexing\n", nr);
}

static void put_line(FILE *fp, const char *label, const char *name)
{
	fputs(label, fp);
	td_put_printable(fp, name);
	fputc('\n', fp);
}

/* Print the cores without evidence from real hardware. */
static void put_unchecked(FILE *fp, const struct td_machine *machine)
{
	bool any = false;

	td_for_each(const struct td_pmu, pmu, machine->pmus, machine->nr_core) {
		if (td_uarch_has(pmu->uarch, TD_CORE_CHECKED))
			continue;
		fprintf(fp, "%s%s", any ? ", " : "; not yet validated on real hardware: ",
			td_uarch_name(pmu->uarch));
		any = true;
	}
}

static void put_machine(FILE *fp, const struct td_machine *machine)
{
	td_autofree char *held = NULL;
	char cpuid[48];

	td_held_text(machine, &held);
	td_cpuid_format(&machine->cpuid, cpuid);
	fputs("machine ", fp);
	td_put_printable(fp, cpuid);
	fprintf(fp, ": %s, hyper-threading %s, NMI watchdog %s",
		machine->model ? machine->model->name : "not in the table",
		machine->smt ? "on" : "off",
		machine->nmi_watchdog    ? "on"
		: machine->idle_watchdog ? "on (counter of cycles free)"
					 : "off");
	if (held)
		fprintf(fp, "; already in use: %s", held);
	put_unchecked(fp, machine);
	fputc('\n', fp);
}

/* Print where a group counts: "CPUs 0-3", "threads 123" or "the command"; or why not. */
static void put_where(FILE *fp, const struct td_pmu *pmu, const struct td_target *target)
{
	td_autofree char *text = NULL, *why = NULL;
	struct td_ints cpus;

	if (!target->system_wide && !target->tids.nr) {
		fputs("the command", fp);
		return;
	}
	why = td_plan_lacks_cpus(pmu, target);
	if (why) {
		fprintf(fp, "not counted: %s", why);
		return;
	}
	if (!target->system_wide) {
		text = td_ints_format(&target->tids);
	} else {
		td_plan_cpus(pmu, target, &cpus);
		text = td_ints_format(&cpus);
		td_ints_free(&cpus);
	}
	fprintf(fp, "%s %s", target->system_wide ? "CPUs" : "threads", text);
}

/* --no-multiplex: print ": run 2 of 5"; for a PMU with two sets, "runs 1, 3, 5 of 5". */
static void put_set(FILE *fp, const struct td_plan *plan, const struct td_group *group)
{
	unsigned int nr = 0;

	if (plan->nr_sets < 2)
		return;
	if (!group->set) {
		fputs(": every run", fp);
		return;
	}
	for (unsigned int run = 0; run < plan->nr_sets; run++)
		nr += td_plan_run_counts(plan, group, run);
	fputs(nr == 1 ? ": run" : ": runs", fp);
	for (unsigned int run = 0, put = 0; run < plan->nr_sets; run++) {
		if (td_plan_run_counts(plan, group, run))
			fprintf(fp, "%s %u", put++ ? "," : "", run + 1);
	}
	fprintf(fp, " of %u", plan->nr_sets);
}

static void put_group(FILE *fp, size_t index, const struct td_machine *machine,
		      const struct td_tree *tree, const struct td_plan *plan,
		      const struct td_target *target)
{
	const struct td_group *group = &plan->groups[index];
	const struct td_pmu *pmu = &machine->pmus[group->pmu];
	const struct td_metric_set *set =
		tree && pmu->kind == TD_PMU_CORE ? tree->sets[group->pmu] : NULL;

	fprintf(fp, "group %zu: ", index);
	td_put_printable(fp, pmu->name);
	fprintf(fp, ", %zu event%s, ", group->nr, group->nr == 1 ? "" : "s");
	put_where(fp, pmu, target);
	if (pmu->kind == TD_PMU_CORE)
		fprintf(fp, " (%s%s%s)", td_uarch_name(pmu->uarch), tree ? ": " : "",
			!tree ? ""
			: set ? set->name
			      : "no tree");
	if (group->family)
		fputs(": disabled at first", fp);
	put_set(fp, plan, group);
	fputc('\n', fp);
}

struct flags {
	FILE *fp;
	bool any;
};

static void put_flag(void *ctx, const char *name, unsigned int value)
{
	struct flags *flags = ctx;

	(void)value;
	/* put_attr() prints it after the flags */
	if (strcmp(name, "precise_ip") == 0)
		return;
	fprintf(flags->fp, "%s%s", flags->any ? "," : "", name);
	flags->any = true;
}

/* Print the config words, of those after the first nr only the ones that are not 0. */
static void put_config(FILE *fp, const char *before, const char *between,
		       const uint64_t config[TD_NR_CONFIGS], int nr)
{
	static const char *const words[TD_NR_CONFIGS] = { "config", "config1", "config2",
							  "config3" };

	for (int i = 0; i < TD_NR_CONFIGS; i++) {
		if (i < nr || config[i])
			fprintf(fp, "%s%s%s0x%" PRIx64, before, words[i], between, config[i]);
	}
}

static void put_attr(FILE *fp, const char *name, const struct perf_event_attr *attr)
{
	const uint64_t config[TD_NR_CONFIGS] = { attr->config, attr->config1, attr->config2,
						 attr->config3 };
	struct flags flags = { fp, false };

	fputs("  ", fp);
	td_put_padded(fp, -40, name);
	fprintf(fp, " type %u", attr->type);
	put_config(fp, "  ", " ", config, 2);
	fprintf(fp, "  read_format 0x%" PRIx64, (uint64_t)attr->read_format);
	fputs("  flags ", fp);
	attr_each_flag(attr, put_flag, &flags);
	fputs(flags.any ? "" : "none", fp);
	if (attr->precise_ip)
		fprintf(fp, "  precise_ip %u", attr->precise_ip);
	if (attr->bp_type)
		fprintf(fp, "  bp_type %u", attr->bp_type);
	fputc('\n', fp);
}

static void put_name(FILE *fp, const char *name, const struct perf_event_attr *attr)
{
	(void)attr;
	put_line(fp, "  ", name);
}

/* Print the machine and the groups, and with put each event. */
static void put_plan(FILE *fp, const struct td_machine *machine, const struct td_tree *tree,
		     const struct td_plan *plan, const struct td_target *target,
		     void (*put)(FILE *fp, const char *name, const struct perf_event_attr *attr))
{
	put_machine(fp, machine);
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];

		put_group(fp, g, machine, tree, plan, target);
		for (size_t i = 0; i < group->nr; i++) {
			struct perf_event_attr attr = td_plan_attr(plan, group, i, target);

			put(fp, plan->events.v[group->members[i]].name, &attr);
		}
	}
	/* events without a group: refused ones, and those that tdstat measures itself */
	td_for_each(const struct td_event, event, plan->events.v, plan->events.nr) {
		if (event->refusal && !tree)
			put_line(fp, "not counted: ", event->refusal);
		else if (event->tool)
			put_line(fp, "without the kernel: ", event->name);
	}
}

int td_dry_run(struct td_job *job, struct td_err *err)
{
	td_job_say_notes(job);
	put_plan(stdout, &job->machine, job->tree, &job->plan, &job->target, put_attr);
	td_for_each(const struct td_group, group, job->sampled.groups, job->sampled.nr_groups) {
		for (size_t m = 0; m < group->nr; m++)
			put_line(stdout, "sampled for its latency: ",
				 job->sampled.events.v[group->members[m]].name);
	}
	put_turns(job);
	return td_out_check(stdout, "standard output", err);
}

/* Is it an event of a unit, such as UNC_M_CAS_COUNT.RD, whose name does not contain the PMU? */
static bool is_of_unit(const struct td_machine *machine, const struct td_event *event)
{
	return machine->pmus[event->pmu].kind == TD_PMU_OTHER && !strchr(event->name, '/');
}

/* Does a group of another unit of this kind precede, with which perf counts those of all units? */
static bool is_repeated(const struct td_machine *machine, const struct td_plan *plan, size_t group)
{
	const struct td_event *event = &plan->events.v[plan->groups[group].members[0]];
	const char *unit = machine->pmus[event->pmu].name;
	size_t len = td_pmu_stem_length(unit);

	for (size_t g = 0; g < group && is_of_unit(machine, event); g++) {
		const struct td_event *other = &plan->events.v[plan->groups[g].members[0]];
		const char *other_unit = machine->pmus[other->pmu].name;

		if (strcmp(other->name, event->name) == 0 &&
		    td_pmu_stem_length(other_unit) == len && strncmp(other_unit, unit, len) == 0)
			return true;
	}
	return false;
}

/*
 * Print an event for perf, which knows the fields of PERF_METRICS and events in sysfs by name.
 * Others are encoded, because it may not know the processor.  Events of cores are named
 * "ID:MODIFIERS[PMU:GROUP]", which perf prints and tdstat report reads.
 */
static void put_perf_event(FILE *fp, const struct td_machine *machine, const struct td_event *event,
			   size_t group)
{
	const struct td_pmu *pmu = &machine->pmus[event->pmu];
	const char *begin = strchr(event->name, '/'), *end = strrchr(event->name, '/');
	char mods[TD_MODIFIERS_SIZE];

	td_modifiers_format(&event->mods, TD_RING_LETTERS, mods);
	if (is_of_unit(machine, event)) {
		fprintf(fp, "%.*s/name='%s'", (int)td_pmu_stem_length(pmu->name), pmu->name,
			event->name);
	} else if (pmu->kind == TD_PMU_CORE && begin != end && !td_event_is_metric(event)) {
		fprintf(fp, "%s/name='%.*s%s%s[%s:%zu]'", pmu->name, (int)(end - begin - 1),
			begin + 1, *mods ? ":" : "", mods, pmu->name, group);
	} else {
		fputs(event->name, fp);
		return;
	}
	put_config(fp, ",", "=", event->config, 1);
	fprintf(fp, "/%s", mods);
}

static void put_perf_group(FILE *fp, const struct td_machine *machine, const struct td_plan *plan,
			   size_t index)
{
	const struct td_group *group = &plan->groups[index];
	/* perf would not split a group of several units */
	bool alone = machine->pmus[group->pmu].kind == TD_PMU_OTHER && group->nr == 1;

	fprintf(fp, " \\\n  -e \"%s", alone ? "" : "{");
	for (size_t i = 0; i < group->nr; i++) {
		fputs(i ? "," : "", fp);
		put_perf_event(fp, machine, &plan->events.v[group->members[i]], index);
	}
	fprintf(fp, "%s%s\"", alone ? "" : "}", group->pinned ? ":D" : "");
}

/* Say which metrics report will not show, or only with a newer perf. */
static void say_gaps(const struct td_job *job)
{
	const struct td_events *events = &job->plan.events;
	size_t placed = 0;

	if (job->sampled.nr_groups)
		td_job_say(job,
			   "tdstat: --print-perf leaves out metrics that need samples of retire "
			   "latencies\n");
	while (placed < events->nr && events->v[placed].cpu_pmu == events->v[placed].pmu)
		placed++;
	if (placed < events->nr)
		td_job_say(job, "tdstat: %s needs a perf as new as that of Linux 7.2\n",
			   events->v[placed].name);
	for (size_t i = 0; job->tree && i < job->tree->nr_operands; i++) {
		if (strcasecmp(job->tree->operands[i].name, "#system_tsc_freq") == 0)
			td_job_say(job, "tdstat: report will show no metric with #SYSTEM_TSC_FREQ, "
					"which perf does not write\n");
	}
}

int td_print_perf(struct td_job *job, struct td_err *err)
{
	char cpuid[48];

	td_job_say_notes(job);
	say_gaps(job);
	fputs("perf stat -x ';' -o perf.csv", stdout);
	td_rerun_put_perf(stdout, job->request);
	for (size_t g = 0; g < job->plan.nr_groups; g++) {
		if (!is_repeated(&job->machine, &job->plan, g))
			put_perf_group(stdout, &job->machine, &job->plan, g);
	}
	/* with -I, rows contain times; with other aggregations, the time is not for all rows */
	if (!job->request->when.interval_ms && job->request->when.repeat == 1 &&
	    td_request_aggregation(job->request) == TD_AGGREGATE_ALL)
		fputs(" \\\n  -e duration_time", stdout);
	if (job->request->target.command) {
		fputs(" \\\n ", stdout);
		td_rerun_put_command(stdout, job->request);
	}
	td_cpuid_format(&job->machine.cpuid, cpuid);
	fprintf(stdout, "\n# tdstat report --model %s", cpuid);
	td_rerun_put_report(stdout, job->request);
	fputs(" perf.csv\n", stdout);
	return td_out_check(stdout, "standard output", err);
}

void td_describe(const struct td_machine *machine, const struct td_tree *tree,
		 const struct td_plan *plan, const struct td_target *target)
{
	put_plan(stderr, machine, tree, plan, target, put_name);
}

void td_describe_shares(const struct td_machine *machine, const struct td_plan *plan,
			const struct td_readings *readings)
{
	fprintf(stderr, "%zu group%s:\n", plan->nr_groups, plan->nr_groups == 1 ? "" : "s");
	for (size_t g = 0; g < plan->nr_groups; g++) {
		const struct td_group *group = &plan->groups[g];
		bool read = readings->nr && group->nr;
		const struct td_readings leader = {
			.v = read ? readings->v + group->members[0] : NULL,
			.nr = read ? 1 : 0,
		};
		double share = td_readings_share(&leader, group);

		fprintf(stderr, "group %zu: ", g);
		td_put_printable(stderr, machine->pmus[group->pmu].name);
		if (isnan(share))
			fputs(", was never enabled\n", stderr);
		else
			fprintf(stderr, ", %.1f %% of the time\n", share);
	}
}
