// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/plan/dry_run.h"

#include <stdlib.h>

#include "lib/base/util.h"
#include "tests/unit/test.h"

/* clang-format off */
#define RULE  "------------------------------------------------------------\n"
#define BEGIN RULE "perf_event_attr:\n"
#define TIMES PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING
#define GROUP TIMES | PERF_FORMAT_ID | PERF_FORMAT_GROUP

/*
 * "perf 6.12": what perf stat -vv printed on an Alder Lake for -e cycles and
 * so on; "fprintf": order and names are those of its perf_event_attr_fprintf.c.
 */
static const struct {
	const char *name, *pmu;
	struct perf_event_attr attr;
	const char *want;
} rows[] = {
	{ "perf 6.12: a probe, without a size", NULL,
	  { .type = PERF_TYPE_HARDWARE, .config = 0xa00000000, .disabled = 1 },
BEGIN
"  type                             0 (PERF_TYPE_HARDWARE)\n"
"  config                           0xa00000000\n"
"  disabled                         1\n"
RULE },
	{ "perf 6.12: instructions:u", NULL,
	  { .type = PERF_TYPE_HARDWARE, .size = 136, .config = 0x400000001,
	    .sample_type = PERF_SAMPLE_IDENTIFIER, .read_format = TIMES,
	    .disabled = 1, .inherit = 1, .exclude_kernel = 1, .exclude_hv = 1,
	    .exclude_guest = 1 },
BEGIN
"  type                             0 (PERF_TYPE_HARDWARE)\n"
"  size                             136\n"
"  config                           0x400000001\n"
"  sample_type                      IDENTIFIER\n"
"  read_format                      TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING\n"
"  disabled                         1\n"
"  inherit                          1\n"
"  exclude_kernel                   1\n"
"  exclude_hv                       1\n"
"  exclude_guest                    1\n"
RULE },
	{ "perf 6.12: L1-dcache-loads", NULL,
	  { .type = PERF_TYPE_HW_CACHE, .size = 136, .config = 0x400000000,
	    .sample_type = PERF_SAMPLE_IDENTIFIER, .read_format = TIMES,
	    .disabled = 1, .inherit = 1, .exclude_guest = 1 },
BEGIN
"  type                             3 (PERF_TYPE_HW_CACHE)\n"
"  size                             136\n"
"  config                           0x400000000 (PERF_COUNT_HW_CACHE_RESULT_ACCESS | "
"PERF_COUNT_HW_CACHE_OP_READ | PERF_COUNT_HW_CACHE_L1D)\n"
"  sample_type                      IDENTIFIER\n"
"  read_format                      TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING\n"
"  disabled                         1\n"
"  inherit                          1\n"
"  exclude_guest                    1\n"
RULE },
	{ "perf 6.12: task-clock", "software",
	  { .type = PERF_TYPE_SOFTWARE, .size = 136, .config = 1,
	    .sample_type = PERF_SAMPLE_IDENTIFIER, .read_format = TIMES,
	    .disabled = 1, .inherit = 1, .exclude_guest = 1 },
BEGIN
"  type                             1 (software)\n"
"  size                             136\n"
"  config                           0x1 (PERF_COUNT_SW_TASK_CLOCK)\n"
"  sample_type                      IDENTIFIER\n"
"  read_format                      TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING\n"
"  disabled                         1\n"
"  inherit                          1\n"
"  exclude_guest                    1\n"
RULE },
	/* without perf's "(topdown-retiring)", which needs the PMU's aliases */
	{ "perf 6.12: a member of a group", "cpu_core",
	  { .type = 4, .size = 136, .config = 0x8000,
	    .sample_type = PERF_SAMPLE_IDENTIFIER, .read_format = GROUP,
	    .inherit = 1, .exclude_guest = 1 },
BEGIN
"  type                             4 (cpu_core)\n"
"  size                             136\n"
"  config                           0x8000\n"
"  sample_type                      IDENTIFIER\n"
"  read_format                      TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING|ID|GROUP\n"
"  inherit                          1\n"
"  exclude_guest                    1\n"
RULE },
	{ "perf 6.12: mem:0x1000:rw", "breakpoint",
	  { .type = PERF_TYPE_BREAKPOINT, .size = 136,
	    .sample_type = PERF_SAMPLE_IDENTIFIER, .read_format = TIMES,
	    .disabled = 1, .inherit = 1, .exclude_guest = 1,
	    .bp_type = 3, .bp_addr = 0x1000, .bp_len = 4 },
BEGIN
"  type                             5 (breakpoint)\n"
"  size                             136\n"
"  config                           0\n"
"  sample_type                      IDENTIFIER\n"
"  read_format                      TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING\n"
"  disabled                         1\n"
"  inherit                          1\n"
"  exclude_guest                    1\n"
"  bp_type                          3\n"
"  { bp_addr, config1 }             0x1000\n"
"  { bp_len, config2 }              0x4\n"
RULE },

	{ "fprintf: a hardware event without a PMU's type", NULL,
	  { .type = PERF_TYPE_HARDWARE, .config = 9 },
BEGIN
"  type                             0 (PERF_TYPE_HARDWARE)\n"
"  config                           0x9 (PERF_COUNT_HW_REF_CPU_CYCLES)\n"
RULE },
	{ "fprintf: behind the last names", NULL,
	  { .type = PERF_TYPE_HARDWARE, .config = 10 },
BEGIN
"  type                             0 (PERF_TYPE_HARDWARE)\n"
"  config                           0xa\n"
RULE },
	{ "fprintf: a software event that is none", NULL,
	  { .type = PERF_TYPE_SOFTWARE, .config = 12 },
BEGIN
"  type                             1 (PERF_TYPE_SOFTWARE)\n"
"  config                           0xc\n"
RULE },
	{ "fprintf: a cache event whose three parts differ", NULL,
	  { .type = PERF_TYPE_HW_CACHE, .config = 0x10203 },
BEGIN
"  type                             3 (PERF_TYPE_HW_CACHE)\n"
"  config                           0x10203 (PERF_COUNT_HW_CACHE_RESULT_MISS | "
"PERF_COUNT_HW_CACHE_OP_PREFETCH | PERF_COUNT_HW_CACHE_DTLB)\n"
RULE },
	{ "fprintf: a cache event that is none", NULL,
	  { .type = PERF_TYPE_HW_CACHE, .config = 0x20000 },
BEGIN
"  type                             3 (PERF_TYPE_HW_CACHE)\n"
"  config                           0x20000\n"
RULE },
	{ "fprintf: a type that nobody knows", NULL, { .type = 77 },
BEGIN
"  type                             77\n"
"  config                           0\n"
RULE },
	{ "fprintf: all flags", NULL,
	  { .type = PERF_TYPE_RAW, .config = 0x1a, .disabled = 1, .inherit = 1,
	    .pinned = 1, .exclusive = 1, .exclude_user = 1, .exclude_kernel = 1,
	    .exclude_hv = 1, .exclude_idle = 1, .mmap = 1, .comm = 1, .freq = 1,
	    .inherit_stat = 1, .enable_on_exec = 1, .task = 1, .watermark = 1,
	    .precise_ip = 3, .mmap_data = 1, .sample_id_all = 1,
	    .exclude_host = 1, .exclude_guest = 1,
	    .exclude_callchain_kernel = 1, .exclude_callchain_user = 1,
	    .mmap2 = 1, .comm_exec = 1, .use_clockid = 1, .context_switch = 1,
	    .write_backward = 1, .namespaces = 1, .ksymbol = 1, .bpf_event = 1,
	    .aux_output = 1, .cgroup = 1, .text_poke = 1, .build_id = 1,
	    .inherit_thread = 1, .remove_on_exec = 1, .sigtrap = 1 },
BEGIN
"  type                             4 (PERF_TYPE_RAW)\n"
"  config                           0x1a\n"
"  disabled                         1\n"
"  inherit                          1\n"
"  pinned                           1\n"
"  exclusive                        1\n"
"  exclude_user                     1\n"
"  exclude_kernel                   1\n"
"  exclude_hv                       1\n"
"  exclude_idle                     1\n"
"  mmap                             1\n"
"  comm                             1\n"
"  freq                             1\n"
"  inherit_stat                     1\n"
"  enable_on_exec                   1\n"
"  task                             1\n"
"  watermark                        1\n"
"  precise_ip                       3\n"
"  mmap_data                        1\n"
"  sample_id_all                    1\n"
"  exclude_host                     1\n"
"  exclude_guest                    1\n"
"  exclude_callchain_kernel         1\n"
"  exclude_callchain_user           1\n"
"  mmap2                            1\n"
"  comm_exec                        1\n"
"  use_clockid                      1\n"
"  context_switch                   1\n"
"  write_backward                   1\n"
"  namespaces                       1\n"
"  ksymbol                          1\n"
"  bpf_event                        1\n"
"  aux_output                       1\n"
"  cgroup                           1\n"
"  text_poke                        1\n"
"  build_id                         1\n"
"  inherit_thread                   1\n"
"  remove_on_exec                   1\n"
"  sigtrap                          1\n"
RULE },
	{ "fprintf: all numbers", NULL,
	  { .type = PERF_TYPE_TRACEPOINT, .size = 136, .config = 312,
	    .sample_period = 2000003, .wakeup_events = 10, .bp_type = 1,
	    .config1 = ~0ULL, .config2 = 16, .branch_sample_type = 0,
	    .sample_regs_user = 0xff, .sample_stack_user = 8192, .clockid = -2,
	    .sample_regs_intr = 0x10, .aux_watermark = 11,
	    .sample_max_stack = 127, .aux_sample_size = 4096, .sig_data = 12,
	    .config3 = 0x1f },
BEGIN
"  type                             2 (PERF_TYPE_TRACEPOINT)\n"
"  size                             136\n"
"  config                           0x138\n"
"  { sample_period, sample_freq }   2000003\n"
"  { wakeup_events, wakeup_watermark } 10\n"
"  bp_type                          1\n"
"  { bp_addr, config1 }             0xffffffffffffffff\n"
"  { bp_len, config2 }              0x10\n"
"  sample_regs_user                 0xff\n"
"  sample_stack_user                8192\n"
"  clockid                          -2\n"
"  sample_regs_intr                 0x10\n"
"  aux_watermark                    11\n"
"  sample_max_stack                 127\n"
"  aux_sample_size                  4096\n"
"  sig_data                         12\n"
"  config3                          0x1f\n"
RULE },
	{ "fprintf: names of a sample, of a read", NULL,
	  { .type = PERF_TYPE_HARDWARE,
	    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_DATA_SRC |
			   PERF_SAMPLE_WEIGHT | PERF_SAMPLE_IDENTIFIER |
			   PERF_SAMPLE_WEIGHT_STRUCT,
	    .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_LOST },
BEGIN
"  type                             0 (PERF_TYPE_HARDWARE)\n"
"  config                           0 (PERF_COUNT_HW_CPU_CYCLES)\n"
"  sample_type                      IP|IDENTIFIER|DATA_SRC|WEIGHT|WEIGHT_STRUCT\n"
"  read_format                      GROUP|LOST\n"
RULE },
	{ "what has no name stays a number", NULL,
	  { .type = PERF_TYPE_HARDWARE, .sample_type = 1ULL << 40,
	    .read_format = PERF_FORMAT_ID | 1ULL << 6 },
BEGIN
"  type                             0 (PERF_TYPE_HARDWARE)\n"
"  config                           0 (PERF_COUNT_HW_CPU_CYCLES)\n"
"  sample_type                      0x10000000000\n"
"  read_format                      ID|0x40\n"
RULE },
};

/* As perf printed them; refused ones on a machine without PMU. */
static const struct {
	const char *name;
	int pid, cpu, group_fd;
	unsigned long flags;
	int fd;
	const char *want;
} opens[] = {
	{ "a leader on a CPU", -1, 0, -1, 8, 9,
	  "sys_perf_event_open: pid -1  cpu 0  group_fd -1  flags 0x8 = 9\n" },
	{ "its member", -1, 0, 9, 8, 10,
	  "sys_perf_event_open: pid -1  cpu 0  group_fd 9  flags 0x8 = 10\n" },
	{ "of a process", 29773, -1, 3, 8, 4,
	  "sys_perf_event_open: pid 29773  cpu -1  group_fd 3  flags 0x8 = 4\n" },
	{ "refused", 29773, -1, -1, 8, -2,
	  "sys_perf_event_open: pid 29773  cpu -1  group_fd -1  flags 0x8\n"
	  "sys_perf_event_open failed, error -2\n" },
	{ "no flags, descriptor 0", 1, 2, -1, 0, 0,
	  "sys_perf_event_open: pid 1  cpu 2  group_fd -1  flags 0 = 0\n" },
};
/* clang-format on */

int main(void)
{
	for (size_t r = 0; r < TD_ARRAY_SIZE(rows); r++) {
		td_autofree char *text = NULL;
		size_t size;
		FILE *fp = open_memstream(&text, &size);

		td_attr_put(fp, &rows[r].attr, rows[r].pmu);
		fclose(fp);
		is_str(text, rows[r].want, "%s", rows[r].name);
	}
	for (size_t r = 0; r < TD_ARRAY_SIZE(opens); r++) {
		td_autofree char *text = NULL;
		size_t size;
		FILE *fp = open_memstream(&text, &size);

		td_attr_put_open(fp, opens[r].pid, opens[r].cpu, opens[r].group_fd, opens[r].flags,
				 opens[r].fd);
		fclose(fp);
		is_str(text, opens[r].want, "%s", opens[r].name);
	}
	return done_testing();
}
