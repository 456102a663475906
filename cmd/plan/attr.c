// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/attr.h"

#include <inttypes.h>
#include <stdint.h>

#include "lib/base/printable.h"
#include "lib/base/util.h"

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

static void put_name(FILE *fp, const char *name)
{
	fprintf(fp, "  %-32s ", name);
}

static void put_unsigned(FILE *fp, const char *name, uint64_t value)
{
	if (!value)
		return;
	put_name(fp, name);
	fprintf(fp, "%" PRIu64 "\n", value);
}

static void put_hex(FILE *fp, const char *name, uint64_t value)
{
	if (!value)
		return;
	put_name(fp, name);
	fprintf(fp, "%#" PRIx64 "\n", value);
}

/* Print "ID|GROUP"; bits without a name are printed as a number. */
static void put_bits(FILE *fp, const char *name, uint64_t value, const struct bit *bits)
{
	const char *between = "";

	if (!value)
		return;
	put_name(fp, name);
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
static void put_config(FILE *fp, const struct perf_event_attr *attr)
{
	const char *name = NULL;

	put_name(fp, "config");
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

	put_name(fp, "type");
	fprintf(fp, "%u", attr->type);
	if (type) {
		fputs(" (", fp);
		td_put_printable(fp, type);
		fputc(')', fp);
	}
	fputc('\n', fp);
	put_unsigned(fp, "size", attr->size);
	put_config(fp, attr);
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

void td_attr_each_flag(const struct perf_event_attr *attr,
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

static void put_flag(void *fp, const char *name, unsigned int value)
{
	put_unsigned(fp, name, value);
}

#define PUT(field) put_unsigned(fp, #field, attr->field)

static void put_rest(FILE *fp, const struct perf_event_attr *attr)
{
	put_unsigned(fp, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	PUT(bp_type);
	put_hex(fp, "{ bp_addr, config1 }", attr->bp_addr);
	put_hex(fp, "{ bp_len, config2 }", attr->bp_len);
	put_hex(fp, "branch_sample_type", attr->branch_sample_type);
	put_hex(fp, "sample_regs_user", attr->sample_regs_user);
	PUT(sample_stack_user);
	if (attr->clockid) {
		put_name(fp, "clockid");
		fprintf(fp, "%d\n", attr->clockid);
	}
	put_hex(fp, "sample_regs_intr", attr->sample_regs_intr);
	PUT(aux_watermark);
	PUT(sample_max_stack);
	PUT(aux_sample_size);
	PUT(sig_data);
	put_hex(fp, "config3", attr->config3); /* perf 6.12 does not print it */
}

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
	td_attr_each_flag(attr, put_flag, fp);
	put_rest(fp, attr);
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
