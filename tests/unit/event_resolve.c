// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of resolving typed events to events of PMUs.  Expected values are those
 * of perf: its parser (tools/perf/util/parse-events.c), perf_event.h for
 * config[63:32], and what perf 6.12 opened on such machines.
 */
#include "lib/event/resolve.h"

#include <inttypes.h>

#include "lib/event/parts.h"
#include "tests/unit/test.h"
#include "tests/unit/typed.h"

/*
 * An event as text: "name type:config[:config1...]" with configs in hexadecimal, then special
 * properties: " *scale [unit]" and so on.  The name ~ matches any.
 */
/* clang-format off */
static const struct {
	const char *model, *text, *want;
} rows[] = {
	/* the kernel's own names: an event for each core PMU, cpu_core first */
	{ "adl", "cycles",
	  "cpu_core/cycles/ 0:400000000; cpu_atom/cycles/ 0:a00000000" },
	{ "lnl", "instructions:u",
	  "cpu_core/instructions/u 0:400000001; cpu_atom/instructions/u 0:a00000001" },
	{ "arl-h", "branch-misses",
	  "cpu_core/branch-misses/ 0:400000005; cpu_atom/branch-misses/ 0:a00000005; "
	  "cpu_lowpower/branch-misses/ 0:b00000005" },
	{ "adl", "cpu-cycles,idle-cycles-backend:k",
	  "cpu_core/cpu-cycles/ 0:400000000; cpu_atom/cpu-cycles/ 0:a00000000; "
	  "cpu_core/idle-cycles-backend/k 0:400000008; cpu_atom/idle-cycles-backend/k "
	  "0:a00000008" },
	{ "adl", "L1-dcache-loads",
	  "cpu_core/L1-dcache-loads/ 3:400000000; cpu_atom/L1-dcache-loads/ 3:a00000000" },
	{ "adl", "l1d-read-miss:pp",
	  "cpu_core/l1d-read-miss/pp 3:400010000; cpu_atom/l1d-read-miss/pp 3:a00010000" },
	{ "adl", "node-loads", /* this PMU has its own */
	  "cpu_core/node-loads/ 3:400000006; cpu_atom/node-loads/ 10:2b7" },
	{ "spr", "cycles", "cycles 0:0" },
	{ "spr", "cycles:u", "cycles:u 0:0" },
	{ "spr", "LLC-load-misses", "LLC-load-misses 3:10002" },
	{ "skx", "instructions:ppp,node-stores", "instructions:ppp 0:1; node-stores 3:106" },

	/* software events */
	{ "adl", "context-switches,cs:u,faults",
	  "context-switches 1:3; cs:u 1:3; faults 1:2" },
	{ "adl", "task-clock", "task-clock 1:1 *1e-06 [msec]" },
	{ "spr", "duration_time,user_time,system_time",
	  "duration_time 0:0 [ns] tool 1; user_time 0:0 [ns] tool 2; system_time 0:0 [ns] tool 3" },
	{ "spr", "msr/tsc/", "msr/tsc/ 7:0" },

	/* raw and numeric */
	{ "adl", "r1a8", "cpu_core/r1a8/ 4:1a8; cpu_atom/r1a8/ 10:1a8" },
	{ "arl-h", "r3c:u",
	  "cpu_core/r3c/u 4:3c; cpu_atom/r3c/u 10:3c; cpu_lowpower/r3c/u 11:3c" },
	{ "spr", "r1a8:u", "r1a8:u 4:1a8" },
	{ "adl", "0:0",
	  "cpu_core/cycles/ 0:400000000; cpu_atom/cycles/ 0:a00000000" },
	{ "adl", "0:1:u",
	  "cpu_core/instructions/u 0:400000001; cpu_atom/instructions/u 0:a00000001" },
	{ "adl", "3:0x10002", "~ 3:400010002; ~ 3:a00010002" },
	{ "spr", "0:0:u,3:0x10002", "0:0:u 0:0; 3:0x10002 3:10002" },
	{ "adl", "0:0x400000000", "~ 0:400000000" }, /* names the PMU itself */
	{ "adl", "0:0xa00000001,3:0xa00010002", "~ 0:a00000001; ~ 3:a00010002" },
	{ "adl", "4:0x3c:u", /* PERF_TYPE_RAW is r3c */
	  "cpu_core/r3c/u 4:3c; cpu_atom/r3c/u 10:3c" },
	{ "spr", "4:0x3c", "4:0x3c 4:3c" },
	{ "adl", "10:0x3c:u", "~ 10:3c" }, /* a PMU by its type */
	{ "adl", "20:0x1", "20:0x1 20:1" },
	{ "adl", "1:3,1:1:u", "1:3 1:3; 1:1:u 1:1 *1e-06 [msec]" },

	/* names of sysfs: of every PMU that has them */
	{ "adl", "slots", "cpu_core/slots/ 4:400" },
	{ "adl", "topdown-retiring",
	  "cpu_core/topdown-retiring/ 4:8000; cpu_atom/topdown-retiring/ 10:c2" },
	{ "lnl", "topdown-be-bound:u",
	  "cpu_core/topdown-be-bound/u 4:8300; cpu_atom/topdown-be-bound/u 10:2a4" },
	{ "icx", "slots:k", "slots:k 4:400" },
	{ "skx-smt", "topdown-total-slots", "topdown-total-slots 4:20003c *2" },
	{ "skx", "cpu/topdown-recovery-bubbles/",
	  "cpu/topdown-recovery-bubbles/ 4:100010d *4" },

	/* with a PMU, names of sysfs come before the kernel's */
	{ "adl", "cpu_core/cycles/", "cpu_core/cycles/ 0:400000000" },
	{ "adl", "cpu_core/instructions/u", "cpu_core/instructions/u 4:c0" },
	{ "adl", "cpu_atom/cpu-cycles/,cpu_atom/ref-cycles/:k",
	  "cpu_atom/cpu-cycles/ 10:3c; cpu_atom/ref-cycles/:k 10:13c" },
	{ "adl", "cpu_core/branches/", "cpu_core/branches/ 0:400000004" },
	{ "adl", "cpu_core/L1-dcache-loads/,cpu_atom/LLC-load-misses/u",
	  "cpu_core/L1-dcache-loads/ 3:400000000; cpu_atom/LLC-load-misses/u 3:a00010002" },
	{ "spr", "cpu/cycles/,cpu/instructions/,cpu/branch-misses/",
	  "cpu/cycles/ 0:0; cpu/instructions/ 4:c0; cpu/branch-misses/ 0:5" },
	{ "adl", "cpu_core/cycles,cmask=1/", /* as cpu-cycles */
	  "cpu_core/cycles,cmask=1/ 4:100003c" },
	{ "spr", "cpu/inv,branches,cmask=2/u",
	  "cpu/inv,branches,cmask=2/u 4:28000c4" },
	{ "adl", "cpu_core/cycles,config1=5/",
	  "cpu_core/cycles,config1=5/ 0:400000000:5" },
	{ "adl", "cycles/config=1/", /* another event of the same PMUs */
	  "cpu_core/cycles,config=1/ 0:400000001; cpu_atom/cycles,config=1/ 0:a00000001" },
	{ "adl", "cpu_core/instructions,cmask=1/",
	  "cpu_core/instructions,cmask=1/ 4:10000c0" },

	/* globs */
	{ "adl", "cpu_*/cycles/",
	  "cpu_core/cycles/ 0:400000000; cpu_atom/cycles/ 0:a00000000" },
	{ "adl", "cpu*/instructions/u",
	  "cpu_core/instructions/u 4:c0; cpu_atom/instructions/u 10:c0" },
	{ "adl", "cpu_[ac]*/event=0x3c/:k",
	  "cpu_core/event=0x3c/k 4:3c; cpu_atom/event=0x3c/k 10:3c" },
	{ "adl", "?pu_atom/r1a8/", "cpu_atom/r1a8/ 10:1a8" },
	{ "adl", "cpu_*/slots/", "cpu_core/slots/ 4:400" }, /* that has it */
	{ "adl", "cpu_*/baclears.any/", "cpu_atom/baclears.any/ 10:1e6" },
	{ "spr", "cpu*/cycles/", "cpu/cycles/ 0:0" },

	/* terms */
	{ "adl", "cpu_core/event=0xc3,umask=0x1,edge,cmask=1/",
	  "cpu_core/event=0xc3,umask=0x1,edge,cmask=1/ 4:10401c3" },
	{ "adl", "cpu_core/event=0xd0,umask2=0x8003/", /* 8-15,40-47 */
	  "cpu_core/event=0xd0,umask2=0x8003/ 4:8000000003d0" },
	{ "spr", "cpu/event=60,inv=1/", "cpu/event=60,inv=1/ 4:80003c" },
	{ "spr", "cpu/config=0x1a8/", "cpu/config=0x1a8/ 4:1a8" },
	{ "spr", "cpu/config=0x13c,config1=5,config2=0x10,config3=7/",
	  "cpu/config=0x13c,config1=5,config2=0x10,config3=7/ 4:13c:5:10:7" },
	{ "spr", "cpu/umask=1,config=0xc0/", "cpu/umask=1,config=0xc0/ 4:1c0" },
	{ "spr", "cpu/r1a8/", "cpu/r1a8/ 4:1a8" },
	{ "spr", "cpu/r1a8,cmask=1/", "cpu/r1a8,cmask=1/ 4:10001a8" },
	{ "spr", "cpu/cmask=1,r1a8/", "cpu/cmask=1,r1a8/ 4:10001a8" },
	{ "spr", "cpu/r0x1a8/", "cpu/r0x1a8/ 4:1a8" },
	{ "spr", "cpu//", "cpu// 4:0" },
	{ "spr", "cpu/event=0xcd,umask=1,ldlat=30/pp",
	  "cpu/event=0xcd,umask=1,ldlat=30/pp 4:1cd:1e" },
	{ "spr", "cpu/event=0x2a,umask=1,offcore_rsp=0x3fbfc00001/",
	  "cpu/event=0x2a,umask=1,offcore_rsp=0x3fbfc00001/ 4:12a:3fbfc00001" },
	{ "spr", "cpu/event=0xc6,umask=1,frontend=0x11/",
	  "cpu/event=0xc6,umask=1,frontend=0x11/ 4:1c6:11" },
	/* a term replaces that of the event's name, before or after it */
	{ "adl", "cpu_core/mem-loads/", "cpu_core/mem-loads/ 4:1cd:3" },
	{ "adl", "cpu_core/mem-loads,ldlat=30/",
	  "cpu_core/mem-loads,ldlat=30/ 4:1cd:1e" },
	{ "adl", "cpu_core/ldlat=30,mem-loads/",
	  "cpu_core/ldlat=30,mem-loads/ 4:1cd:1e" },
	{ "adl", "mem-loads/ldlat=50/", "cpu_core/mem-loads,ldlat=50/ 4:1cd:32" },

	/* names of the model's files, in upper or lower case */
	{ "adl", "INST_RETIRED.ANY",
	  "cpu_core/INST_RETIRED.ANY/ 4:c0; cpu_atom/INST_RETIRED.ANY/ 10:c0" },
	{ "adl", "dtlb_load_misses.walk_completed:u",
	  "cpu_core/dtlb_load_misses.walk_completed/u 4:e12; "
	  "cpu_atom/dtlb_load_misses.walk_completed/u 10:e08" },
	{ "adl", "ocr.demand_data_rd.L3_MISS",
	  "cpu_core/ocr.demand_data_rd.L3_MISS/ 4:12a:3fbfc00001; "
	  "cpu_atom/ocr.demand_data_rd.L3_MISS/ 10:1b7:3f84400001" },
	{ "adl", "BACLEARS.any", "cpu_atom/BACLEARS.any/ 10:1e6" },
	{ "adl", "frontend_retired.dsb_miss",
	  "cpu_core/frontend_retired.dsb_miss/ 4:1c6:11" },
	{ "adl", "mem_trans_retired.load_latency_gt_128/ldlat=0x10/",
	  "cpu_core/mem_trans_retired.load_latency_gt_128,ldlat=0x10/ 4:1cd:10" },
	{ "adl", "cpu_core/inst_retired.any,cmask=1/",
	  "cpu_core/inst_retired.any,cmask=1/ 4:10000c0" },
	{ "adl", "cpu_core/cmask=1,inst_retired.any/",
	  "cpu_core/cmask=1,inst_retired.any/ 4:10000c0" },
	{ "spr", "inst_retired.any/cmask=1,inv/u",
	  "inst_retired.any/cmask=1,inv/u 4:18000c0" },
	{ "adl", "dtlb_load_misses.walk_completed/umask=0x4/",
	  "cpu_core/dtlb_load_misses.walk_completed,umask=0x4/ 4:412; "
	  "cpu_atom/dtlb_load_misses.walk_completed,umask=0x4/ 10:408" },

	/* name= */
	{ "adl", "cycles/name=ticks/",
	  "cpu_core/ticks/ 0:400000000; cpu_atom/ticks/ 0:a00000000" },
	{ "adl", "cpu_core/cycles,name=ticks/", "ticks 0:400000000" },
	{ "adl", "cpu_atom/event=0xc0,name='a,b'/u", "a,b 10:c0" },
	{ "adl", "faults/name=pf/", "pf 1:2" },
	{ "spr", "cycles/name=ticks/,r1a8/name=raw/,0:1/name=three/",
	  "ticks 0:0; raw 4:1a8; three 0:1" },
	{ "spr", "L1-dcache-loads/name=x/", "x 3:0" },

	/* terms that any event takes */
	{ "adl", "cpu_core/cycles,percore/",
	  "cpu_core/cycles,percore/ 0:400000000 percore" },
	{ "spr", "cycles/percore/,instructions/percore=0/,faults/percore=1/",
	  "cycles/percore/ 0:0 percore; instructions/percore=0/ 0:1; faults/percore=1/ 1:2 "
	  "percore" },
	{ "spr", "cpu/event=0xc0,metric-id=x/", "cpu/event=0xc0,metric-id=x/ 4:c0" },
	{ "spr", "cycles//u", "cycles//u 0:0" },

	/* tracepoints */
	{ "adl", "sched:sched_switch",
	  "sched:sched_switch 2:136 sched:sched_switch" },
	{ "adl", "sched:sched_process_*:u",
	  "sched:sched_process_exit:u 2:12a sched:sched_process_exit; sched:sched_process_fork:u "
	  "2:129 sched:sched_process_fork" },
	{ "spr", "*:*entry", "irq:irq_handler_entry 2:14 irq:irq_handler_entry" },
	{ "spr", "sched:sched_switch/name=x/", "x 2:136 sched:sched_switch" },

	/* breakpoints: perf's add_breakpoint(): four bytes, read and written */
	{ "adl", "mem:0x1000", "mem:0x1000 5:0:1000:4 bp 3" },
	{ "spr", "mem:0x1000:w:u", "mem:0x1000:w:u 5:0:1000:4 bp 2" },
	{ "spr", "mem:0x1000/8:r", "mem:0x1000/8:r 5:0:1000:8 bp 1" },
	{ "spr", "mem:0x1000:x", "mem:0x1000:x 5:0:1000:8 bp 4" },
	{ "spr", "mem:0x1000/2", "mem:0x1000/2 5:0:1000:2 bp 3" },
	{ "spr", "mem:4096/1:wr/name=x/", "x 5:0:1000:1 bp 3" },

	/* units of the uncore: one name, and the sum of the counts */
	{ "spr", "uncore_imc/event=1/",
	  "uncore_imc/event=1/ 20:1 merge; uncore_imc/event=1/ 21:1 merge" },
	{ "adl", "imc/event=1,umask=2/",
	  "imc/event=1,umask=2/ 20:201 merge; imc/event=1,umask=2/ 21:201 merge" },
	{ "spr", "uncore_imc_1/event=1/", "uncore_imc_1/event=1/ 21:1" },
	{ "spr", "uncore_imc/data_read/",
	  "uncore_imc/data_read/ 20:1 *6.10352e-05 [MiB] merge; uncore_imc/data_read/ 21:1 "
	  "*6.10352e-05 [MiB] merge" },
	{ "spr", "data_write",
	  "data_write 20:2 [MiB] merge; data_write 21:2 [MiB] merge" },
	{ "spr", "uncore_imc_[01]/event=1/",
	  "uncore_imc_[01]/event=1/ 20:1 merge; uncore_imc_[01]/event=1/ 21:1 merge" },
	{ "adl", "uncore_*/event=1/",
	  "uncore_*/event=1/ 20:1 merge; uncore_*/event=1/ 21:1 merge; uncore_*/event=1/ 22:1 "
	  "merge; uncore_*/event=1/ 23:1 merge" },
	{ "spr", "uncore_imc/event=1,name=x/", "x 20:1 merge; x 21:1 merge" },
	{ "spr", "uncore_imc_0/event=1,name=x/", "x 20:1" },

	/* without SLOTS, r400 and r8000 are ordinary events */
	{ "zen", "r400,r8000", "r400 4:400; r8000 4:8000" },
	{ "adl", "cpu_atom/r8000/:u,cpu_atom/event=0,umask=0x4,edge/",
	  "cpu_atom/r8000/:u 10:8000; cpu_atom/event=0,umask=0x4,edge/ 10:40400" },
	/* and where there is: listed, unfiltered, all with the same letters */
	{ "spr", "r8700,slots,cpu/event=0,umask=0x81/",
	  "r8700 4:8700; slots 4:400; cpu/event=0,umask=0x81/ 4:8100" },
	{ "spr", "slots:u,topdown-retiring:u",
	  "slots:u 4:400; topdown-retiring:u 4:8000" },
	{ "spr", "{slots,topdown-retiring}:u",
	  "slots 4:400; topdown-retiring 4:8000" },
	{ "icx", "4:0x8300", "4:0x8300 4:8300" },
};

/* Wrong words: the place of the error, and a part of the hint. */
static const struct {
	const char *model, *text, *marks, *hint;
} errors[] = {
	/* names */
	{ "adl", "cyclse",
		 "^~~~~~", "'cycles'" },
	{ "spr", "faults,Instruction:u",
		 "       ^~~~~~~~~~~", "'instructions'" },
	{ "adl", "inst_retired.ayn",
		 "^~~~~~~~~~~~~~~~", "'INST_RETIRED.ANY'" },
	{ "spr", "L1-dcache-laod-misses",
		 "^~~~~~~~~~~~~~~~~~~~~", "'L1-dcache-load-misses'" },
	{ "adl", "topdown-retirin",
		 "^~~~~~~~~~~~~~~", "'topdown-retiring'" },
	{ "spr", "data_raed",
		 "^~~~~~~~~", "'data_read'" },
	{ "adl", "cpu_cor/cycles/",
		 "^~~~~~~", "'cpu_core'" },
	{ "spr", "uncore_ibc_0/event=1/",
		 "^~~~~~~~~~~~", "'uncore_imc_0'" },
	{ "spr", "something-very-different",
		 "^~~~~~~~~~~~~~~~~~~~~~~~", "tdstat list" },
	{ "adl", "cpu/cycles/",
		 "^~~", "cpu_*" },
	{ "spr", "cpu_core/cycles/",
		 "^~~~~~~~", "" },
	{ "adl", "cpu_z*/cycles/",
		 "^~~~~~", "" },
	{ "spr", "topdown-total-slots",
		 "^~~~~~~~~~~~~~~~~~~", "" },
	{ "icx", "topdown-mem-bound", /* only the four fields */
		 "^~~~~~~~~~~~~~~~~", "" },
	{ "adl", "LLC-",
		 "^~~~", "" },
	{ "adl", "L1-icache-stores",
		 "^~~~~~~~~~~~~~~~", "" },
	{ "adl", "cpu_core/L1-icache-stores/",
		 "         ^~~~~~~~~~~~~~~~", "" },
	{ "spr", "cycles:z",
		 "       ^", "" },
	{ "spr", "faults,nothing:nothing",
		 "       ^~~~~~~~~~~~~~~", "" },

	/* numbers */
	{ "adl", "99:1",
		 "^~~~", "" },
	{ "adl", "0:0x6300000000",
		 "^~~~~~~~~~~~~~", "" },
	/* config[63:32] is a core PMU or 0: perf_init_event() */
	{ "adl", "0:0x500000000",
		 "^~~~~~~~~~~~~", "" },
	{ "adl", "4294967295:0", /* the kernel does not have tdstat's own PMU */
		 "^~~~~~~~~~~~", "" },

	/* terms */
	{ "adl", "cpu_core/cyclse/",
		 "         ^~~~~~", "umask" },
	{ "adl", "cpu_core/event=0x3c,umaks=1/u",
		 "                    ^~~~~~~", "umask" },
	{ "adl", "cpu_core/slots=5/",
		 "         ^~~~~~~", "umask" },
	{ "adl", "cpu_*/nothing/",
		 "      ^~~~~~~", "umask" },
	{ "spr", "cycles/umask=1/",
		 "       ^~~~~~~", "config1" },
	{ "spr", "cpu/call-graph=1/",
		 "    ^~~~~~~~~~~~", "umask" },
	{ "spr", "cpu/event=0x100/",
		 "    ^~~~~~~~~~~", "" },
	{ "spr", "cpu/event=0x3c,edge=2/",
		 "               ^~~~~~", "" },
	{ "spr", "cpu/umask2=0x10000/",
		 "    ^~~~~~~~~~~~~~", "" },
	{ "spr", "cpu/event=abc/",
		 "    ^~~~~~~~~", "" },
	{ "spr", "cpu/event='1'/",
		 "    ^~~~~~~~~", "" },
	{ "spr", "cpu/config=abc/",
		 "    ^~~~~~~~~~", "" },
	{ "spr", "cpu/config2/",
		 "    ^~~~~~~", "" },
	{ "spr", "cpu/config4=1/",
		 "    ^~~~~~~~~", "" },
	{ "spr", "cpu/config10=1/",
		 "    ^~~~~~~~~~", "" },
	{ "adl", "cpu_core/faults/",
		 "         ^~~~~~", "umask" },
	{ "adl", "cpu_core/duration_time/",
		 "         ^~~~~~~~~~~~~", "umask" },
	{ "spr", "cycles/configs=1/",
		 "       ^~~~~~~~~", "" },
	{ "spr", "cpu/event=1,name/",
		 "            ^~~~", "" },
	{ "spr", "cycles/name=''/",
		 "            ^~", "" },
	{ "spr", "cycles/percore=2/",
		 "       ^~~~~~~~~", "" },
	{ "spr", "cycles/percore=x/",
		 "       ^~~~~~~~~", "" },
	{ "spr", "sched:sched_switch/umask=1/",
		 "                   ^~~~~~~", "" },
	{ "spr", "cpu/r1x/",
		 "    ^~~", "" },
	{ "spr", "cpu/r1=1/",
		 "    ^~~~", "" },
	{ "spr", "msr/cycles/",
		 "    ^~~~~~", "" },
	/* one event, without terms that only another encoding has */
	{ "adl", "cpu_core/slots,topdown-retiring/",
		 "               ^~~~~~~~~~~~~~~~", "" },
	{ "adl", "cpu_core/cycles,branches/",
		 "                ^~~~~~~~", "" },
/* the generic event has no encoding in sysfs that umask could change */
	{ "adl", "cpu_core/branch-misses,umask=1/",
		 "         ^~~~~~~~~~~~~", "" },
	{ "adl", "cpu_core/cmask=1,LLC-loads/",
		 "                 ^~~~~~~~~", "" },
	{ "spr", "cpu/event=0xc0,umask/",
		 "               ^~~~~", "" },

	/* SLOTS and its fields: intel_pmu_hw_config() says EINVAL */
	{ "spr", "slots,cpu/topdown-retiring,cmask=1/",
		 "      ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~", "" },
	{ "spr", "cpu/slots,edge/",
		 "^~~~~~~~~~~~~~~", "" },
	{ "spr", "cpu/slots,inv/",
		 "^~~~~~~~~~~~~~", "" },
	{ "spr", "cpu/topdown-fe-bound,any/",
		 "^~~~~~~~~~~~~~~~~~~~~~~~~", "" },
	{ "spr", "cpu/topdown-fe-bound,config1=1/",
		 "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~", "" },
	{ "spr", "cpu/slots,config2=1/",
		 "^~~~~~~~~~~~~~~~~~~~", "" },
	{ "spr", "cpu/slots,config3=1/",
		 "^~~~~~~~~~~~~~~~~~~~", "" },
	{ "spr", "r1000400",
		 "^~~~~~~~", "" },
	{ "spr", "slots:p",
		 "^~~~~~~", "" },
	{ "adl", "slots,topdown-retiring:ppp",
		 "      ^~~~~~~~~~~~~~~~~~~~", "" },
	{ "spr", "cpu/slots/P",
		 "^~~~~~~~~~~", "" },
	{ "spr", "slots,topdown-retiring,topdown-retiring",
		 "                       ^~~~~~~~~~~~~~~~", "" },
	{ "spr", "{slots,topdown-retiring},{slots,topdown-retiring}",
		 "                                ^~~~~~~~~~~~~~~~", "" },
	{ "adl", "topdown-retiring,cpu_core/r8000/",
		 "                 ^~~~~~~~~~~~~~~", "" },
	{ "spr", "slots,topdown-retiring:u",
		 "      ^~~~~~~~~~~~~~~~~~", "" },
	{ "adl", "{slots:k,topdown-retiring:u}",
		 "         ^~~~~~~~~~~~~~~~~~", "" },
	{ "spr", "slots:G,topdown-retiring,topdown-fe-bound:G",
		 "        ^~~~~~~~~~~~~~~~", "" },
	{ "spr", "slots:uk,topdown-retiring:u",
		 "         ^~~~~~~~~~~~~~~~~~", "" },
	{ "spr", "slots,topdown-retiring:H",
		 "      ^~~~~~~~~~~~~~~~~~", "" },
	{ "spr", "slots:kh,topdown-retiring:k",
		 "         ^~~~~~~~~~~~~~~~~~", "" },
	/* the kernel would count event 0 for a field that sysfs lacks */
	{ "icx", "slots,r8400",
		 "      ^~~~~", "events" },
	{ "icx", "cpu/event=0,umask=0x87/",
		 "^~~~~~~~~~~~~~~~~~~~~~~", "events" },
	{ "icx", "4:0x8700",
		 "^~~~~~~~", "events" },
};
/* clang-format on */

static void put_event(FILE *fp, const struct td_event *event)
{
	int last = TD_NR_CONFIGS - 1;

	fprintf(fp, "%s %u", event->name, event->type);
	while (last > 0 && !event->config[last])
		last--;
	for (int i = 0; i <= last; i++)
		fprintf(fp, ":%" PRIx64, event->config[i]);
	if (event->scale < 1 || event->scale > 1)
		fprintf(fp, " *%g", event->scale);
	if (event->unit)
		fprintf(fp, " [%s]", event->unit);
	if (event->tool)
		fprintf(fp, " tool %d", (int)event->tool);
	if (event->bp_type)
		fprintf(fp, " bp %u", event->bp_type);
	if (event->tracepoint)
		fprintf(fp, " %s", event->tracepoint);
	fprintf(fp, "%s%s", event->percore ? " percore" : "", event->merge ? " merge" : "");
}

/* Compares events; ~ in want matches any name. */
static bool matches(const char *got, const char *want)
{
	for (; *got && *want; got++, want++) {
		if (*want == '~')
			got += strcspn(got, " "), want++;
		if (*got != *want)
			return false;
	}
	return *got == *want;
}

/* True if the kernel would open the event on its PMU. */
static bool has_its_pmu(const struct td_machine *machine, const struct td_event *event)
{
	const struct td_pmu *pmu;

	if (event->pmu < 0 || (size_t)event->pmu >= machine->nr_pmus)
		return false;
	pmu = &machine->pmus[event->pmu];
	if (event->tool)
		return pmu->kind == TD_PMU_TOOL;
	if (event->type != PERF_TYPE_HARDWARE && event->type != PERF_TYPE_HW_CACHE)
		return pmu->type == event->type;
	if (machine->nr_core == 1)
		return event->pmu == 0 && event->config[0] >> 32 == 0;
	return pmu->kind == TD_PMU_CORE && pmu->type == event->config[0] >> 32;
}

/*
 * Recordings have the names of events, so a name must resolve to the same
 * event. With a PMU, a kernel's name may have another encoding in sysfs.
 */
static bool is_its_name(const char *model, const struct td_event *event)
{
	struct typed again;
	bool same = false;
	int rc;

	typed_machine(&again, model);
	rc = typed_resolve(&again, event->name);
	for (size_t i = 0; !rc && i < again.plan.events.nr; i++) {
		const struct td_event *e = &again.plan.events.v[i];

		same |= e->pmu == event->pmu && (again.plan.events.nr == 1 || event->merge) &&
			(event->type == PERF_TYPE_HARDWARE ||
			 (e->type == event->type &&
			  memcmp(e->config, event->config, sizeof(e->config)) == 0));
	}
	typed_free(&again);
	return same;
}

static void check_events(const struct typed *t, size_t row)
{
	const char *text = rows[row].text;
	bool renamed = strstr(text, "name=");
	bool pmus = true, names = true, order = true;

	for (size_t i = 0; i < t->plan.events.nr; i++) {
		const struct td_event *event = &t->plan.events.v[i];

		pmus &= has_its_pmu(&t->machine, event);
		order &= event->spec >= 0 && (size_t)event->spec < t->text.nr_specs &&
			 (i == 0 || t->plan.events.v[i - 1].spec <= event->spec);
		if (renamed || is_its_name(rows[row].model, event) || t->plan.events.v[i].tool)
			continue;
		names = false;
		printf("# '%s' is not its name\n", event->name);
	}
	ok(pmus, "%s, %s: each on its PMU", rows[row].model, text);
	ok(names, "%s, %s: names that mean what they say", rows[row].model, text);
	ok(order, "%s, %s: in the text's order", rows[row].model, text);
}

static void test_row(size_t row)
{
	const char *model = rows[row].model, *text = rows[row].text;
	td_autofree char *got = NULL;
	struct typed t;
	size_t size;
	FILE *fp = open_memstream(&got, &size);
	int rc;

	if (!fp)
		return;
	typed_machine(&t, model);
	rc = typed_resolve(&t, text);
	for (size_t i = 0; !rc && i < t.plan.events.nr; i++) {
		fprintf(fp, "%s", i ? "; " : "");
		put_event(fp, &t.plan.events.v[i]);
	}
	fclose(fp);
	ok(rc == 0 && matches(got, rows[row].want), "%s, %s", model, text);
	if (rc || !matches(got, rows[row].want))
		printf("# got:  %s%s\n# want: %s\n", got, t.err.msg, rows[row].want);
	if (!rc)
		check_events(&t, row);
	typed_free(&t);
}

static void test_error(size_t row)
{
	const char *model = errors[row].model, *text = errors[row].text;
	td_autofree char *want = NULL;
	struct typed t;
	int rc;

	typed_machine(&t, model);
	rc = typed_resolve(&t, text);
	ok(rc == -EINVAL || rc == -ENOENT, "%s, %s is refused", model, text);
	ok(t.err.code == rc && t.err.usage && t.err.msg[0], "%s, %s: as what was typed", model,
	   text);
	if (asprintf(&want, "%s\n%s", text, errors[row].marks) < 0)
		want = NULL;
	is_str(t.err.place, want, "%s, %s: where", model, text);
	ok(strstr(t.err.hint, errors[row].hint), "%s, %s: the hint", model, text);
	if (!strstr(t.err.hint, errors[row].hint))
		printf("# %s\n# hint: %s\n", t.err.msg, t.err.hint);
	typed_free(&t);
}

/* Events keep the modifiers, the group and the place of their text. */
static void test_what_is_kept(void)
{
	const struct td_event *e;
	struct typed t;

	typed_machine(&t, "adl");
	ok(typed_resolve(&t, "faults,{cycles:u,r1}:k") == 0, "a group");
	e = t.plan.events.v;
	ok(t.plan.events.nr == 5 && e[0].group == -1 && e[0].spec == 0 && !e[0].mods.user &&
		   !e[0].mods.kernel,
	   "what is in no group");
	for (int i = 1; i < 5; i++)
		ok(e[i].group == 0 && e[i].spec == (i + 1) / 2 && e[i].mods.user == (i < 3) &&
			   e[i].mods.kernel && !e[i].hidden && !e[i].refusal,
		   "its event %d", i);
	typed_free(&t);
}

static void test_notes(void)
{
	struct typed t;

	typed_machine(&t, "adl");
	ok(typed_resolve(&t, "cpu_core/event=0xc0,period=1000/,cycles") == 0 &&
		   t.plan.events.nr == 3 && t.plan.events.v[0].config[0] == 0xc0,
	   "period= sets no bits");
	ok(t.plan.events.v[0].period == 1000 && !t.plan.events.v[0].usual_period &&
		   !t.plan.events.v[1].period,
	   "but is kept");
	typed_free(&t);
	typed_machine(&t, "adl");
	ok(typed_resolve(&t, "INST_RETIRED.ANY") == 0 && !t.plan.events.v[0].period &&
		   t.plan.events.v[0].usual_period == 2000003,
	   "the period of the model's files");
	typed_free(&t);
	typed_machine(&t, "adl");
	ok(typed_resolve(&t, "cpu_core/INST_RETIRED.ANY,period=7/") == 0 &&
		   t.plan.events.v[0].period == 7 && t.plan.events.v[0].usual_period == 2000003,
	   "both");
	typed_free(&t);
}

/* clang-format off */
/* --cputype: PMUs that were not asked for. */
static const struct {
	const char *skip, *text;
	const char *want; /* NULL: refused */
} skips[] = {
	{ "cpu_core", "cycles", "cpu_atom/cycles/" },
	{ "cpu_core", "r1a", "cpu_atom/r1a/" },
	{ "cpu_core", "0:0", "cpu_atom/cycles/" },
	{ "cpu_core", "LLC-loads:u", "cpu_atom/LLC-loads/u" },
	{ "cpu_core", "topdown-retiring", "cpu_atom/topdown-retiring/" },
	{ "cpu_core", "inst_retired.any", "cpu_atom/inst_retired.any/" },
	{ "cpu_core", "cpu_*/cycles/", "cpu_atom/cycles/" },
	{ "cpu_core", "faults", "faults" },
	{ "cpu_core", "slots", NULL },
	{ "cpu_atom", "cycles/name=x/", "cpu_core/x/" },
	{ "cpu_atom", "slots", "cpu_core/slots/" },
	{ "cpu_atom", "baclears.any", NULL },
};
/* clang-format on */

static void test_skip(size_t row)
{
	struct typed t;
	int rc;

	typed_machine(&t, "adl");
	t.machine.pmus[td_machine_find_pmu(&t.machine, skips[row].skip)].skip = true;
	rc = typed_resolve(&t, skips[row].text);
	if (skips[row].want) {
		ok(rc == 0 && t.plan.events.nr == 1, "without %s, %s: one", skips[row].skip,
		   skips[row].text);
		is_str(t.plan.events.nr ? t.plan.events.v[0].name : "", skips[row].want,
		       "without %s, %s: this one", skips[row].skip, skips[row].text);
	} else {
		ok(rc == -EINVAL && t.err.usage, "without %s, %s: none", skips[row].skip,
		   skips[row].text);
	}
	typed_free(&t);
}

/* clang-format off */
/* Which names need more than the core PMUs, the only ones read at first. */
static const struct {
	const char *text;
	int reads, rc;
	size_t nr; /* events */
} others[] = {
	{ "cycles", 0, 0, 2 }, { "r1", 0, 0, 2 }, { "0:0", 0, 0, 2 },
	{ "faults", 0, 0, 1 }, { "cpu_core/cycles/", 0, 0, 1 },
	{ "inst_retired.any", 0, 0, 2 }, { "sched:sched_switch", 0, 0, 1 },
	{ "mem:0x1000", 0, 0, 1 }, { "duration_time", 0, 0, 1 },
	{ "4:0x3c", 0, 0, 2 }, { "0:0xa00000000", 0, 0, 1 },
	{ "nothing", 1, -EINVAL, 0 }, { "cycles,nothing", 1, -EINVAL, 2 },
	{ "nothing/event=1/", 2, -EINVAL, 0 }, { "data_read", 1, 0, 2 },
	{ "uncore_imc/event=1/", 1, 0, 2 }, { "20:0", 1, 0, 1 },
	{ "cycles,data_read,20:0,{data_write,cycles}", 1, 0, 9 },
	{ "0:0x6300000000", 0, -EINVAL, 0 }, { "cpu_*/cycles/", 1, 0, 2 },
	{ "cpu_core/nothing/", 0, -EINVAL, 1 },
	{ "L1-icache-stores", 0, -EINVAL, 0 }, { "21:0,nothing", 1, -EINVAL, 1 },
};
/* clang-format on */

static void test_others(size_t row)
{
	struct typed t;

	typed_cores(&t, "adl");
	ok(typed_resolve(&t, others[row].text) == others[row].rc &&
		   t.plan.events.nr == others[row].nr,
	   "before all PMUs are read: %s: %zu events", others[row].text, t.plan.events.nr);
	ok(t.reads == others[row].reads, "%s: %d reads", others[row].text, t.reads);
	typed_free(&t);
	typed_cores(&t, "adl");
	t.unreadable = true;
	ok(typed_resolve(&t, others[row].text) == (others[row].reads ? -EACCES : others[row].rc),
	   "if they cannot be read: %s", others[row].text);
	typed_free(&t);
}

/* A PMU's name has only the PMUs read that it means. */
static const struct {
	const char *text;
	const char *read; /* those beside the cores' and the kernel's own */
	size_t nr;        /* events */
} named[] = {
	{ "msr/tsc/", "msr", 1 },
	{ "cycles,uncore_imc_1/event=1/", "uncore_imc_1", 3 },
	{ "imc/event=1/", "uncore_imc_0 uncore_imc_1", 2 },
	{ "uncore_imc_1/event=1/,imc/event=2/", "uncore_imc_1 uncore_imc_0", 3 },
	{ "*ha_1*/event=1/", "uncore_ha_1f003800", 1 },
};

static void test_named(size_t row)
{
	char read[256] = "";
	struct typed t;

	typed_cores(&t, "adl");
	ok(typed_resolve(&t, named[row].text) == 0 && t.plan.events.nr == named[row].nr,
	   "%s: %zu events", named[row].text, t.plan.events.nr);
	for (size_t i = 0; i < t.machine.nr_pmus; i++) {
		const char *name = t.machine.pmus[i].name;

		if (strcmp(name, "msr") == 0 || strncmp(name, "uncore", 6) == 0)
			snprintf(read + strlen(read), sizeof(read) - strlen(read), "%s%s",
				 *read ? " " : "", name);
	}
	is_str(read, named[row].read, "%s: the PMUs that are read", named[row].text);
	typed_free(&t);
}

/* The meaning of a name does not depend on its neighbours. */
static void test_cores_first(void)
{
	static const char *const texts[] = { "mem-loads", "mem-loads,21:0", "21:0,mem-loads" };
	struct typed t;

	for (size_t i = 0; i < TD_ARRAY_SIZE(texts); i++) {
		size_t nr = 0;

		typed_machine(&t, "adl");
		test_add_unit(&t.machine, "uncore_llc", 30, "mem-loads event=0x4;");
		ok(typed_resolve(&t, texts[i]) == 0, "%s", texts[i]);
		for (size_t e = 0; e < t.plan.events.nr; e++)
			nr += t.plan.events.v[e].type == 30;
		ok(nr == 0, "%s: the cores' event, not the unit's", texts[i]);
		typed_free(&t);
	}
}

static void test_no_cores(void)
{
	static const char *const texts[] = { "cycles", "r1", "0:0", "LLC-loads" };
	struct typed t;

	for (size_t i = 0; i < TD_ARRAY_SIZE(texts); i++) {
		typed_machine(&t, "adl");
		t.machine.pmus[0].skip = t.machine.pmus[1].skip = true;
		ok(typed_resolve(&t, texts[i]) == 0 && t.plan.events.nr == 1 &&
			   t.plan.events.v[0].refusal && t.notes.nr == 1,
		   "no core PMU: %s is not supported, and told", texts[i]);
		is_str(t.plan.events.nr ? t.plan.events.v[0].name : "", texts[i],
		       "no core PMU: %s keeps its name", texts[i]);
		typed_free(&t);
	}
	typed_machine(&t, "adl");
	t.machine.pmus[0].cpus.nr = 0; /* its CPUs are offline */
	ok(typed_resolve(&t, "cycles") == 0 && t.plan.events.nr == 1 && t.plan.events.v[0].pmu == 1,
	   "a PMU without CPUs is none");
	typed_free(&t);
}

/* Errors that are not about the typed words. */
static void test_sources(void)
{
	struct typed t;

	typed_machine(&t, "adl");
	ok(typed_resolve(&t, "secret:thing") == -EACCES && !t.err.usage,
	   "tracepoints that may not be read");
	typed_free(&t);
	typed_machine(&t, "adl");
	ok(typed_resolve(&t, "no.memory") == -ENOMEM && !t.err.usage, "the model's files fail");
	typed_free(&t);
	typed_machine(&t, "adl");
	ok(typed_resolve(&t, "cpu_core/no.memory/") == -ENOMEM, "and inside a PMU");
	typed_free(&t);
	typed_machine(&t, "adl");
	ok(typed_resolve(&t, "cpu_*/no.memory/") == -ENOMEM, "which is not what a PMU lacks");
	typed_free(&t);
	typed_machine(&t, "adl");
	ok(typed_resolve(&t, "broken.terms") == -ERANGE && t.err.msg[0],
	   "the model's files are wrong");
	typed_free(&t);
	typed_machine(&t, "adl");
	ok(typed_resolve(&t, "strange") == -ENOENT && !t.err.usage,
	   "sysfs has words that it does not explain");
	typed_free(&t);
	typed_machine(&t, "adl");
	t.missing = "no such folder";
	ok(typed_resolve(&t, "something-very-different") == -EINVAL &&
		   strstr(t.err.hint, "no such folder"),
	   "the model's files are not there");
	typed_free(&t);
}

/* clang-format off */
static const struct {
	const char *pmu, *pattern;
	bool matches;
} patterns[] = {
	{ "uncore_imc_0", "uncore_imc_0", true },
	{ "uncore_imc_0", "uncore_imc", true },
	{ "uncore_imc_0", "imc", true },
	{ "uncore_imc_0", "imc_0", true },
	{ "uncore_imc_15", "imc", true },
	{ "uncore_imc", "imc", true },
	{ "uncore_imc_0", "imc_*", true },
	{ "uncore_imc_0", "uncore_*", true },
	{ "uncore_imc_0", "uncore_i?c_[0-3]", true },
	{ "cpu_core", "cpu_*", true },
	{ "cpu_core", "*core", true },
	{ "uncore_imc_0", "uncore_imc_1", false },
	{ "uncore_imc_0", "im", false },
	{ "uncore_imc_0", "uncore_", false },
	{ "uncore_imc_x", "imc", false },
	{ "uncore_imc_", "imc", false },
	{ "uncore_imc0", "imc", false },
	{ "uncore_imc_free_running_0", "imc", false },
	{ "uncore_imc_free_running_0", "imc_free_running", true },
	/* hexadecimal only if it can be an address */
	{ "uncore_ha_1f003800", "ha", true },
	{ "uncore_ha_a0", "ha", false },
	{ "uncore_ha_a0f", "ha", true },
	{ "cpu", "cpu", true },
	{ "cpu_core", "cpu", false },
	{ "cpu_atom", "cpu", false },
	{ "cpu_core", "uncore_*", false },
	{ "software", "uncore_*", false },
};
/* clang-format on */

int main(void)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++)
		test_row(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(errors); i++)
		test_error(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(skips); i++)
		test_skip(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(others); i++)
		test_others(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(named); i++)
		test_named(i);
	for (size_t i = 0; i < TD_ARRAY_SIZE(patterns); i++)
		ok(td_pmu_matches(patterns[i].pmu, patterns[i].pattern) == patterns[i].matches,
		   "'%s' is %s%s", patterns[i].pattern, patterns[i].matches ? "" : "not ",
		   patterns[i].pmu);
	test_what_is_kept();
	test_notes();
	test_cores_first();
	test_no_cores();
	test_sources();
	return done_testing();
}
