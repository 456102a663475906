// SPDX-License-Identifier: GPL-2.0-only
#include "metrics/explain/explain.h"

#include <ctype.h>
#include <fnmatch.h>
#include <strings.h>

#include "lib/base/util.h"

/* clang-format off */
#define TEXT(cores_, name_, parent_, level_, means_, causes_, advice_) \
	{ .name = (name_), .parent = (parent_), .level = (level_), .cores = (cores_), \
	  .means = (means_), .causes = (causes_), .advice = (advice_) }
#define ALL(...)  TEXT(TD_EXPLAINED_ALL, __VA_ARGS__)
#define CORE(...) TEXT(TD_EXPLAINED_CORE, __VA_ARGS__)
#define ATOM(...) TEXT(TD_EXPLAINED_ATOM, __VA_ARGS__)

/* All texts; for each core type, parents come before their children. */
static const struct td_explanation texts[] = {
	/* --- levels 1 to 3 of P-cores and older cores, some of them for E-cores as well --- */
	ALL("tma_retiring", NULL, 1,
		"Slots whose uops did work that counts: their results were kept.",
		"Normal. A high share says that the core is kept busy, not that the work is "
		"needed.",
		"Do less work: a better algorithm, wider vectors, fewer calls and checks in the "
		"inner loop."),
	CORE("tma_light_operations", "tma_retiring", 2,
		"Retired uops of instructions that are one uop each, or less by fusing.",
		"Normal for compiled code.",
		"Vectorize, unroll, let the compiler inline; -O3 and profile-guided builds often "
		"help."),
	CORE("tma_fp_arith", "tma_light_operations", 3,
		"Uops that compute with floating-point numbers, of all that retired.",
		"Numeric code. Not a loss by itself.",
		"See whether they are scalar or vectors; wider vectors and fused multiply-add need "
		"fewer."),
	CORE("tma_int_operations", "tma_light_operations", 3,
		"Vector uops on integers, of all uops that retired.",
		"Image, text and network code, and inference with small integers.",
		"Use the widest vectors that pay off, and VNNI instructions for dot products."),
	CORE("tma_memory_operations", "tma_light_operations", 3,
		"Uops that load or store, of all that retired.",
		"Copies of data, values that do not stay in registers, pointers that may alias.",
		"Keep values in registers (restrict, local copies), merge loops over the same "
		"data."),
	CORE("tma_fused_instructions", "tma_light_operations", 3,
		"Pairs of instructions that the core runs as one, mostly a comparison and its "
		"branch.",
		"Branches in loops. Fusing itself is a gain.",
		"If there are very many, unroll loops, or replace branches by conditional moves."),
	CORE("tma_non_fused_branches", "tma_light_operations", 3,
		"Branches that could not be fused with the instruction before them.",
		"Jumps without a condition, calls, returns, branches on flags set further back.",
		"Inline small functions; let the comparison stand directly before its branch."),
	CORE("tma_branch_instructions", "tma_light_operations", 3,
		"Branches, of all uops that retired.",
		"Short loops, many small functions, interpreters.",
		"Unroll and inline; replace branches by conditional moves or tables."),
	CORE("tma_other_light_ops", "tma_light_operations", 3,
		"Light uops that no other node at this level counts, such as integer arithmetic.",
		"Address arithmetic, conversions, moves between registers.",
		"Look at the assembly of the hottest loop for work that can be hoisted out of it."),
	CORE("tma_heavy_operations", "tma_retiring", 2,
		"Retired uops of instructions that need several, or microcode.",
		"Divisions, gathers, string instructions, denormal numbers, system instructions.",
		"Find these instructions and replace them; flush denormals to zero (FTZ, DAZ)."),
	CORE("tma_few_uops_instructions", "tma_heavy_operations", 3,
		"Uops of instructions that decode into a few of them.",
		"Instructions that read memory twice or write it, some shuffles and conversions.",
		"Choose simpler instructions or intrinsics; build for the CPU at hand "
		"(-march=native)."),
	CORE("tma_microcode_sequencer", "tma_heavy_operations", 3,
		"Uops that came from the microcode ROM and not from the decoders.",
		"Assists (denormals, page table bits), CPUID, string moves, gathers, some "
		"divisions.",
		"Avoid such instructions in loops; flush denormals to zero; batch system "
		"instructions."),

	ALL("tma_backend_bound", NULL, 1,
		"Slots that stayed empty because the core had no room for further uops.",
		"Waiting for memory, long chains of dependent uops, too few execution units.",
		"Look one level deeper: memory and core have opposite remedies."),
	CORE("tma_memory_bound", "tma_backend_bound", 2,
		"Slots lost while loads or stores held everything up.",
		"Data that does not fit a cache, scattered access, pointer chasing, sharing "
		"between cores.",
		"Make data smaller and denser, work in blocks, access in order, prefetch, use "
		"large pages."),
	CORE("tma_l1_bound", "tma_memory_bound", 3,
		"The core waited on loads although the data was in the L1 cache, or nearly.",
		"Load after store to the same place, DTLB misses, locks, loads across cache lines.",
		"Look deeper; use large pages, align data, avoid reading what was just stored in "
		"parts."),
	CORE("tma_l2_bound", "tma_memory_bound", 3,
		"The core waited for data that was in the L2 cache.",
		"The working set of the inner loop is larger than the L1 data cache.",
		"Smaller blocks, smaller types, arrays of what is used together."),
	CORE("tma_l3_bound", "tma_memory_bound", 3,
		"The core waited for data of the L3 cache, or of another core's cache.",
		"A working set beyond the L2 cache; lines that several cores write (false "
		"sharing).",
		"Block for the L2, pad data that different threads write; perf c2c finds shared "
		"lines."),
	CORE("tma_dram_bound", "tma_memory_bound", 3,
		"The core waited for data of the main memory.",
		"Scattered access over much data (latency), or streams that fill the bandwidth.",
		"Touch less data, access in order, prefetch early, place threads near their memory "
		"(NUMA)."),
	CORE("tma_pmm_bound", "tma_memory_bound", 3,
		"The core waited for persistent memory, which is slower than DRAM.",
		"Hot data lies on the persistent modules.",
		"Move what is read often to DRAM; write in whole blocks of 256 bytes."),
	CORE("tma_cxl_mem_bound", "tma_memory_bound", 3,
		"The core waited for memory behind CXL, or for persistent modules: both are slower "
		"than DRAM.",
		"Hot data lies there: the node was chosen by hand, DRAM was full, or the kernel "
		"has not moved it yet.",
		"See where it lies (numastat -p); bind hot data to DRAM, or let the kernel move it "
		"(kernel.numa_balancing=2)."),
	CORE("tma_store_bound", "tma_memory_bound", 3,
		"The core waited because stores could not leave their buffer.",
		"Stores that miss the caches, lines shared with other cores, stores across lines.",
		"Write in order and whole lines, use streaming stores for large output, avoid "
		"false sharing."),
	CORE("tma_core_bound", "tma_backend_bound", 2,
		"Slots lost to the execution units, not to memory.",
		"Chains of dependent uops, divisions, many uops for the same port.",
		"Break dependency chains (several sums in a loop), vectorize, avoid divisions."),
	CORE("tma_divider", "tma_core_bound", 3,
		"Cycles in which the divider was busy; it serves one division at a time.",
		"Division, modulo and square root in loops.",
		"Multiply by the reciprocal, shift instead, hoist the division, use vectors or "
		"estimates."),
	CORE("tma_serializing_operation", "tma_core_bound", 3,
		"Cycles in which an instruction waited until all before it were done.",
		"CPUID, fences, RDTSCP, writes to control registers, PAUSE in spin loops.",
		"Use fewer of them; wait with futexes and not by spinning."),
	CORE("tma_amx_busy", "tma_core_bound", 3,
		"Cycles in which the matrix unit (AMX) was at work.",
		"Matrix products in tiles: for such code a high share is the aim.",
		"If it waits, load tiles earlier; if it is full, the code is at the unit's limit."),
	CORE("tma_ports_utilization", "tma_core_bound", 3,
		"Cycles limited by how many uops could start, not by divisions.",
		"Dependent uops (few ports in use), or one kind of uop (a port overloaded).",
		"See the children: 0 to 2 ports means dependencies; 3 and more calls for vectors."),

	ALL("tma_frontend_bound", NULL, 1,
		"Slots that stayed empty because instructions did not arrive in time.",
		"Large or scattered code, many calls and jumps, cold code after a change of task.",
		"Make code smaller and denser: profile-guided layout, -O2 for cold code, large "
		"pages for code."),
	CORE("tma_fetch_latency", "tma_frontend_bound", 2,
		"Cycles without any new uop: the front end waited.",
		"Misses of the instruction cache or ITLB, restarts after branches.",
		"Lay hot code out together (PGO, BOLT), use large pages for code, avoid indirect "
		"calls."),
	CORE("tma_icache_misses", "tma_fetch_latency", 3,
		"Cycles lost because code was not in the L1 instruction cache.",
		"Much code in use: large frameworks, templates, heavy inlining and unrolling.",
		"Profile-guided layout, less inlining, split hot from cold code, batch work by "
		"kind."),
	CORE("tma_itlb_misses", "tma_fetch_latency", 3,
		"Cycles lost because the page of the code was not in the instruction TLB.",
		"Code spread over many pages: large binaries, many libraries, generated code.",
		"Large pages for code, function order by profile, static linking."),
	CORE("tma_branch_resteers", "tma_fetch_latency", 3,
		"Cycles in which fetching began again after a branch went another way than "
		"expected.",
		"Mispredicted branches, machine clears, branches that were not seen before.",
		"The same as for mispredictions; make code smaller, so that branches stay known."),
	CORE("tma_ms_switches", "tma_fetch_latency", 3,
		"Cycles lost by switching to microcode.",
		"Instructions in microcode that are scattered over the code: string moves, CPUID, "
		"assists.",
		"Replace these instructions; flush denormals to zero."),
	CORE("tma_lcp", "tma_fetch_latency", 3,
		"Cycles lost by decoding prefixes that change the length of an instruction.",
		"Instructions with 16-bit constants, from old compilers or by hand.",
		"Use 32-bit constants or types; a new compiler avoids them."),
	CORE("tma_dsb_switches", "tma_fetch_latency", 3,
		"Cycles lost by going from the uop cache to the decoders.",
		"Hot code that does not fit that cache, or is laid out badly for it.",
		"Smaller loops, less unrolling, align hot loops at 32 or 64 bytes."),
	CORE("tma_fetch_bandwidth", "tma_frontend_bound", 2,
		"Slots lost because uops arrived, but fewer than the core could take.",
		"Decoders at their limit, many taken branches, hot code outside of the decoded "
		"cache.",
		"Smaller hot loops, fewer taken branches, profile-guided layout."),
	CORE("tma_mite", "tma_fetch_bandwidth", 3,
		"Cycles in which the decoders delivered less than the core could take.",
		"Code runs from the decoders because it does not fit the uop cache.",
		"Make the hot code smaller; avoid long constants and prefixes."),
	CORE("tma_dsb", "tma_fetch_bandwidth", 3,
		"Cycles in which the uop cache delivered less than the core could take.",
		"Many taken branches in short distance, blocks that use its lines badly.",
		"Unroll short loops a little, align loops, replace branches."),
	CORE("tma_lsd", "tma_fetch_bandwidth", 3,
		"Cycles in which the buffer that repeats small loops delivered less than the core "
		"could take.",
		"Loops whose number of uops is no multiple of the width.",
		"Unroll the loop by two or four."),
	CORE("tma_ms", "tma_fetch_bandwidth", 3,
		"Cycles in which uops came from microcode, and fewer than the core could take.",
		"Long flows of microcode: string moves, system instructions, assists.",
		"Replace these instructions in hot loops; flush denormals to zero; see "
		"tma_microcode_sequencer."),

	ALL("tma_bad_speculation", NULL, 1,
		"Slots spent on work that was thrown away, and on recovering from it.",
		"Mispredicted branches; rarely machine clears.",
		"Make branches predictable, or remove them: sort, use tables, conditional moves, "
		"masks."),
	ALL("tma_branch_mispredicts", "tma_bad_speculation", 2,
		"Slots lost to branches that went another way than predicted.",
		"Decisions on data without a pattern, indirect calls with many targets, "
		"interpreters.",
		"Sort or group the data, compute both ways and select, avoid virtual calls in hot "
		"loops."),
	CORE("tma_cond_nt_mispredicts", "tma_branch_mispredicts", 3,
		"Cycles lost to conditional branches that were expected to be taken, and were not.",
		"The ends of loops whose number of rounds changes; decisions on data without a "
		"pattern.",
		"Give short loops a fixed number of rounds (padding, masks), sort the data, "
		"conditional moves."),
	CORE("tma_cond_tk_mispredicts", "tma_branch_mispredicts", 3,
		"Cycles lost to conditional branches that were not expected to be taken, and were.",
		"Decisions on data without a pattern: searches, filters, parsers.",
		"Sort or group the data, compute both ways and select, test several conditions at "
		"once."),
	CORE("tma_cond_tk_bwd_mispredicts", "tma_branch_mispredicts", 3,
		"Cycles lost to branches back to the start of a loop that were taken against "
		"expectation.",
		"Short loops whose number of rounds changes: strings, lists, rows of sparse "
		"matrices.",
		"Group work of the same length, or go through it in vectors with masks, so that "
		"all loops are alike."),
	CORE("tma_cond_tk_fwd_mispredicts", "tma_branch_mispredicts", 3,
		"Cycles lost to conditional branches forward, over code, that were taken against "
		"expectation.",
		"Decisions on data without a pattern, exits out of loops, checks that fail now and "
		"then.",
		"Sort or group the data, conditional moves or masks, tests joined by & in place of "
		"&&."),
	CORE("tma_ind_call_mispredicts", "tma_branch_mispredicts", 3,
		"Cycles lost to calls through a pointer that went to another function than "
		"expected.",
		"Virtual functions of mixed objects, callbacks, comparison functions, tables of "
		"functions.",
		"Group objects by type, test for the usual function and call it directly "
		"(-fprofile-use does), templates."),
	CORE("tma_ind_jump_mispredicts", "tma_branch_mispredicts", 3,
		"Cycles lost to jumps through a register or a table that went elsewhere than "
		"expected.",
		"Interpreters with one place that dispatches, switches with many cases, tail calls "
		"by pointer.",
		"Dispatch at the end of each handler (computed goto), test frequent cases first, "
		"-fno-jump-tables."),
	CORE("tma_ret_mispredicts", "tma_branch_mispredicts", 3,
		"Cycles lost to returns that went elsewhere than expected.",
		"Calls deeper than the core remembers (recursion), coroutines and other changes of "
		"the stack, longjmp.",
		"Loops in place of deep recursion, inline what is called most, change stacks less "
		"often."),
	CORE("tma_other_mispredicts", "tma_branch_mispredicts", 3,
		"Slots lost to mispredictions of something else than a retired branch.",
		"Branches on a wrong path, x87 and some microcoded flows.",
		"Treat the ordinary mispredictions first: these often go with them."),
	ALL("tma_machine_clears", "tma_bad_speculation", 2,
		"Slots lost when the core threw everything away and began again.",
		"Another core writes what was just read, code changes itself, denormals, page "
		"faults.",
		"Separate data that threads share, keep generated code apart from data, flush "
		"denormals."),
	CORE("tma_other_nukes", "tma_machine_clears", 3,
		"Slots lost to clears that do not come from the order of memory accesses.",
		"Code that changes itself, floating-point assists, page faults, interrupts.",
		"Keep generated code and data on different pages; flush denormals to zero."),

	/* --- levels 4 to 6, which only P-cores and older cores have --- */
	/* nodes below tma_memory_bound */
	CORE("tma_dtlb_load", "tma_l1_bound", 4,
		"Cycles lost because the page of a load was not in the first data TLB.",
		"Data spread over many pages: hash tables, graphs, columns of large matrices.",
		"Large pages (madvise, hugetlbfs), denser data, work in blocks within few pages."),
	CORE("tma_load_stlb_hit", "tma_dtlb_load", 5,
		"Cycles lost because the page of a load was only in the second TLB: some cycles "
		"each.",
		"A working set of more pages than the first TLB has entries.",
		"Denser data, smaller blocks, large pages."),
	CORE("tma_load_stlb_miss", "tma_dtlb_load", 5,
		"Cycles lost because the page of a load missed both TLBs and needed a page walk.",
		"Scattered access to gigabytes; virtual machines, whose page tables are twofold.",
		"Large pages help most, also those of the host; sort accesses by address."),
	CORE("tma_load_stlb_miss_4k", "tma_load_stlb_miss", 6,
		"Cycles in which page tables were read for loads from pages of 4 KiB.",
		"Scattered access to much memory without large pages: they are off, or memory is "
		"in pieces.",
		"Large pages: madvise(MADV_HUGEPAGE), hugetlbfs; check AnonHugePages in smaps."),
	CORE("tma_load_stlb_miss_2m", "tma_load_stlb_miss", 6,
		"Cycles in which page tables were read for loads from pages of 2 or 4 MiB.",
		"Large pages are in use, but random access is to more of them than the TLB holds: "
		"gigabytes.",
		"Split the data so that one part at a time is in use; sort accesses; pages of 1 "
		"GiB (hugetlbfs)."),
	CORE("tma_load_stlb_miss_1g", "tma_load_stlb_miss", 6,
		"Cycles in which page tables were read for loads from pages of 1 GiB.",
		"Random access all over a very large memory; there are few entries for such pages "
		"in TLBs.",
		"Compare with pages of 2 MiB; split the data so that one part at a time is in use."),
	CORE("tma_store_fwd_blk", "tma_l1_bound", 4,
		"Cycles lost by loads that needed a store just before, but could not take its "
		"data.",
		"Reading more than was written, or other bytes: fields written alone, then read as "
		"a whole.",
		"Read what was written, in the same size and place; keep values in registers."),
	CORE("tma_store_early_blk", "tma_l1_bound", 4,
		"Cycles lost by loads that waited for a store before them whose address or data "
		"was not known yet.",
		"Stores to computed places that are soon read again: a[b[i]] += x, histograms, "
		"linked structures.",
		"Compute addresses of stores early; several histograms in turn; keep sums in "
		"registers."),
	CORE("tma_l1_hit_latency", "tma_l1_bound", 4,
		"Cycles of waiting for the L1 cache itself: each load takes four or five.",
		"Chains of loads in which each needs the one before: lists, trees, tables of "
		"tables.",
		"Use indices and arrays in place of pointers; work on several chains at once."),
	CORE("tma_l1_latency_dependency", "tma_l1_bound", 4,
		"Cycles in which uops waited for loads that hit the L1 cache: each takes four or "
		"five.",
		"Chains of loads in which each needs the one before: lists, trees, tables of "
		"tables.",
		"Indices and arrays in place of pointers; work on several chains at once."),
	CORE("tma_l1_latency_capacity", "tma_l1_bound", 4,
		"Cycles of loads that missed the first part of the L1 cache (L0) and hit the "
		"second: nine each.",
		"The inner loop's data is larger than the L0 (48 KiB on Lion Cove).",
		"Smaller blocks or types in the innermost loop; work on several chains at once."),
	CORE("tma_lock_latency", "tma_l1_bound", 4,
		"Cycles lost by atomic instructions that waited for their cache line.",
		"Locks, reference counts and counters that several threads share.",
		"Count in each thread and add up later, lock less often, pad locks to lines of "
		"their own."),
	CORE("tma_split_loads", "tma_l1_bound", 4,
		"Cycles lost by loads that reach over the end of a cache line.",
		"Packed structures, vectors at addresses that are not multiples of their size.",
		"Align data to 64 bytes (aligned_alloc, alignas), pad structures."),
	CORE("tma_4k_aliasing", "tma_l1_bound", 4,
		"Cycles lost by loads that were taken for a store of which the last 12 bits agree.",
		"Arrays that lie a multiple of 4 KiB apart, one read and the other written.",
		"Shift one of the arrays by some cache lines; avoid sizes that are powers of two."),
	CORE("tma_fb_full", "tma_l1_bound", 4,
		"Cycles in which no fill buffer was free for another miss of the L1 cache.",
		"Streams that use all the bandwidth that there is behind the L1; too much "
		"prefetching.",
		"See the other memory nodes for where it is narrow; reuse data while it is in the "
		"cache."),

	CORE("tma_l2_hit_latency", "tma_l2_bound", 4,
		"Cycles of loads on their way to the L2 cache and back, as long as it takes "
		"without a queue.",
		"Data that fits the L2 and not the L1, in an unpredictable order.",
		"Work in blocks that fit the L1, denser data, prefetch, several chains at once."),

	CORE("tma_contested_accesses", "tma_l3_bound", 4,
		"Cycles of waiting for lines that another core had changed.",
		"Locks, queues and counters that are written in turn; false sharing.",
		"Find the lines with perf c2c; give each thread its own, write less often to what "
		"is shared."),
	CORE("tma_data_sharing", "tma_l3_bound", 4,
		"Cycles of waiting for lines that other cores have, too, and only read.",
		"Threads that read the same data; lines that are written once and then read by "
		"many.",
		"Copy what is read often for each thread or socket; keep what is written away from "
		"it."),
	CORE("tma_l3_hit_latency", "tma_l3_bound", 4,
		"Cycles of waiting for the way to the L3 cache and back.",
		"A working set larger than the L2, with unpredictable access.",
		"Work in blocks that fit the L2, prefetch, denser data."),
	CORE("tma_sq_full", "tma_l3_bound", 4,
		"Cycles in which the queue from the L2 to the L3 cache was full.",
		"Many misses of the L2 at a time: streams, from both threads of the core.",
		"Touch less data, reuse it in the L2; try without the second thread of the core."),
	CORE("tma_mem_bandwidth", "tma_dram_bound", 4,
		"Cycles with so many outstanding reads that memory was at its limit, or near.",
		"Streams over large arrays on many cores at once.",
		"Merge loops, work in blocks, smaller types, streaming stores; spread data over "
		"all sockets."),
	CORE("tma_mba_stalls", "tma_mem_bandwidth", 5,
		"Cycles in which the core was held back from memory on purpose.",
		"Memory bandwidth allocation (resctrl) limits the group that the program is in.",
		"Look at the schemata in /sys/fs/resctrl; raise the limit, or move the program."),
	CORE("tma_mem_latency", "tma_dram_bound", 4,
		"Cycles of waiting for single reads from memory, whose bandwidth was not at its "
		"limit.",
		"Scattered access, chains of pointers, hash tables.",
		"Prefetch, keep several reads outstanding, store data densely, use large pages."),
	CORE("tma_local_mem", "tma_mem_latency", 5,
		"Cycles of waiting for the memory of the same socket.",
		"The usual case on a machine with several sockets.",
		"Placement is right; see what helps against waiting for memory."),
	CORE("tma_remote_mem", "tma_mem_latency", 5,
		"Cycles of waiting for the memory of another socket.",
		"Data touched first by a thread elsewhere, threads that moved, a node whose memory "
		"is full.",
		"Bind threads and memory together (numactl), and let each thread set up its own "
		"data."),
	CORE("tma_remote_cache", "tma_mem_latency", 5,
		"Cycles of waiting for the caches of another socket.",
		"Data that threads on different sockets share and write.",
		"Keep threads that share on one socket; perf c2c finds the lines."),
	CORE("tma_store_latency", "tma_store_bound", 4,
		"Cycles of waiting until stores had their line in the L1 cache.",
		"Scattered writes to much data, or to lines that other cores have.",
		"Write in order, read or prefetch the line before (PREFETCHW), streaming stores "
		"for large output."),
	CORE("tma_false_sharing", "tma_store_bound", 4,
		"Cycles of waiting for stores to lines that another core had changed.",
		"Variables of different threads in one line: counters in an array, fields side by "
		"side.",
		"Align what each thread writes to 64 bytes, or 128; perf c2c finds the lines."),
	CORE("tma_split_stores", "tma_store_bound", 4,
		"Stores that reach over the end of a cache line, for each cycle.",
		"Packed structures, vectors at addresses that are not multiples of their size.",
		"Align data to 64 bytes (aligned_alloc, alignas), pad structures."),
	CORE("tma_streaming_stores", "tma_store_bound", 4,
		"Cycles of waiting for stores that go past the caches to memory.",
		"Non-temporal stores, for output that is small or soon read again; large memcpy "
		"and memset.",
		"Use them for large output only, write whole lines, or use plain stores."),
	CORE("tma_dtlb_store", "tma_store_bound", 4,
		"Cycles lost because the page of a store was not in the first data TLB.",
		"Writes spread over many pages: sorting into many buckets, columns of large "
		"matrices.",
		"Large pages, fewer places to write to at a time, buffers that are written in "
		"blocks."),
	CORE("tma_store_stlb_hit", "tma_dtlb_store", 5,
		"Cycles lost because the page of a store was only in the second TLB: some cycles "
		"each.",
		"Writes to more pages than the first TLB has entries.",
		"Fewer places to write to at a time, denser data, large pages."),
	CORE("tma_store_stlb_miss", "tma_dtlb_store", 5,
		"Cycles lost because the page of a store missed both TLBs and needed a page walk.",
		"Scattered writes to gigabytes; memory that was never written before.",
		"Large pages help most, also those of the host; sort writes by address."),
	CORE("tma_store_stlb_miss_4k", "tma_store_stlb_miss", 6,
		"Cycles in which page tables were read for stores to pages of 4 KiB.",
		"Scattered writes without large pages; new memory, of which each page is touched "
		"for the first time.",
		"Large pages for what is written (madvise, hugetlbfs); reuse buffers instead of "
		"new ones."),
	CORE("tma_store_stlb_miss_2m", "tma_store_stlb_miss", 6,
		"Cycles in which page tables were read for stores to pages of 2 or 4 MiB.",
		"Large pages are in use, but writes go to more of them than the TLB holds: sorting "
		"into many buckets.",
		"Fewer buckets for each pass, gather writes in small buffers first; pages of 1 GiB "
		"(hugetlbfs)."),
	CORE("tma_store_stlb_miss_1g", "tma_store_stlb_miss", 6,
		"Cycles in which page tables were read for stores to pages of 1 GiB.",
		"Random writes all over a very large memory; there are few entries for such pages "
		"in TLBs.",
		"Compare with pages of 2 MiB; sort writes by address, or gather them in small "
		"buffers first."),
	/* the other nodes */
	CORE("tma_x87_use", "tma_fp_arith", 4,
		"Uops of the old x87 unit, with its stack of 80-bit registers.",
		"The type long double, 32-bit programs built without SSE, old libraries.",
		"Use double or float with SSE or AVX; for more precision, two doubles."),
	CORE("tma_fp_scalar", "tma_fp_arith", 4,
		"Uops that compute one floating-point number each.",
		"Loops that the compiler could not vectorize: calls, branches, aliases, strict "
		"rounding.",
		"Ask the compiler why (-fopt-info-vec-missed); restrict, -O3 -march=native, "
		"-ffast-math if rounding may differ."),
	CORE("tma_fp_vector", "tma_fp_arith", 4,
		"Uops that compute several floating-point numbers at once.",
		"Vectorized numeric code: for such code a high share is the aim.",
		"See the children for the width; wider vectors and fused multiply-add need fewer "
		"uops."),
	CORE("tma_fp_vector_128b", "tma_fp_vector", 5,
		"Uops on 128-bit vectors: two doubles or four floats.",
		"Built for plain x86-64, which has SSE2 only; short loops.",
		"Build for AVX2 or more (-march=x86-64-v3 or native), or functions for each CPU "
		"(target_clones)."),
	CORE("tma_fp_vector_256b", "tma_fp_vector", 5,
		"Uops on 256-bit vectors: four doubles or eight floats.",
		"Built for AVX or AVX2. Most compilers prefer this width even where AVX-512 "
		"exists.",
		"Where the CPU has AVX-512, compare with -mprefer-vector-width=512; use fused "
		"multiply-add."),
	CORE("tma_fp_vector_512b", "tma_fp_vector", 5,
		"Uops on 512-bit vectors: eight doubles or sixteen floats.",
		"Built for AVX-512, or a library that chose it at run time.",
		"There is nothing wider: use fewer uops, and see whether the clock rate drops."),
	CORE("tma_int_vector_128b", "tma_int_operations", 4,
		"Uops that add, subtract or make dot products of integers in 128-bit vectors.",
		"Built for plain x86-64; media and inference kernels with a fixed width.",
		"Build for AVX2 or more, so that half as many uops do the same."),
	CORE("tma_int_vector_256b", "tma_int_operations", 4,
		"Uops that add, multiply or make dot products of integers in 256-bit vectors.",
		"Image, text and inference code that is built for AVX2.",
		"Use the smallest type that is large enough, and VNNI for dot products."),
	CORE("tma_nop_instructions", "tma_other_light_ops", 4,
		"Slots that went to instructions that do nothing.",
		"Padding before loops that are aligned; room left for tracing or patching in each "
		"function.",
		"Align hot loops only; build without -pg and other tracing."),
	CORE("tma_shuffles_256b", "tma_other_light_ops", 4,
		"Slots that went to moving elements about within 256-bit vectors.",
		"Data that lies in memory in another order than the vectors need it.",
		"Store each field in an array of its own; transpose once and not in the inner "
		"loop."),
	CORE("tma_assists", "tma_microcode_sequencer", 4,
		"Slots that went to microcode for cases that the units cannot handle themselves.",
		"Denormal numbers, page faults, SSE code mixed with AVX code.",
		"Look at the children; denormals can be flushed to zero (FTZ, DAZ)."),
	CORE("tma_page_faults", "tma_assists", 5,
		"Slots that went to microcode that begins page faults; the kernel's work comes on "
		"top.",
		"Memory that is touched for the first time, files that are mapped, memory given "
		"back too early.",
		"Reuse memory, touch it before (MAP_POPULATE), large pages, a higher "
		"M_TRIM_THRESHOLD."),
	CORE("tma_fp_assists", "tma_assists", 5,
		"Slots that went to microcode for floating-point numbers that need special care.",
		"Denormal numbers: filters and iterations whose values fade towards zero.",
		"Set FTZ and DAZ (-ffast-math at the link does), or cut small values off."),
	CORE("tma_avx_assists", "tma_assists", 5,
		"Slots that went to microcode for changing between SSE and AVX.",
		"SSE instructions while the upper halves of AVX registers are in use.",
		"VZEROUPPER at the end of AVX code; build all of the program with -mavx or more."),
	CORE("tma_cisc", "tma_microcode_sequencer", 4,
		"Slots that went to instructions that are microcode by nature.",
		"String moves, CPUID, RDTSC, LOCK CMPXCHG16B, gathers and system instructions.",
		"Replace these instructions in hot loops; short copies by plain moves."),

	CORE("tma_fp_divider", "tma_divider", 4,
		"Cycles in which the divider for floating-point numbers was busy.",
		"Divisions and square roots of floats and doubles, also in vectors.",
		"Multiply by the reciprocal, estimates with one more step (-mrecip), float in "
		"place of double."),
	CORE("tma_int_divider", "tma_divider", 4,
		"Cycles in which the divider for integers was busy.",
		"Division and modulo by what the compiler does not know: hash tables, ring "
		"buffers, dates.",
		"Sizes that are powers of two, with masks; multiply by a prepared inverse; smaller "
		"types."),
	CORE("tma_slow_pause", "tma_serializing_operation", 4,
		"Cycles in which PAUSE let the core wait: more than a hundred each from Skylake "
		"on.",
		"Threads that spin for a lock or for work.",
		"Hold locks for less time, spin less before sleeping (futex), use fewer threads."),
	CORE("tma_c01_wait", "tma_serializing_operation", 4,
		"Cycles in a light sleep from which the core wakes fast (C0.1).",
		"TPAUSE or UMWAIT in loops that wait, as in packet drivers and new lock libraries.",
		"The waiting is intentional: see what is waited for, or give the core other work."),
	CORE("tma_c02_wait", "tma_serializing_operation", 4,
		"Cycles in a light sleep that saves more power and takes longer to wake from "
		"(C0.2).",
		"TPAUSE or UMWAIT in loops that wait.",
		"The waiting is intentional; if answers come too late, choose C0.1."),
	CORE("tma_memory_fence", "tma_serializing_operation", 4,
		"Cycles in which LFENCE held back everything behind it.",
		"Time stamps (LFENCE; RDTSC), protection against speculation.",
		"Take fewer time stamps; fence only where a secret could leak."),
	CORE("tma_ports_utilized_0", "tma_ports_utilization", 4,
		"Cycles in which no uop started, although some waited.",
		"All of them wait for one that takes long: a division, a chain of multiplications.",
		"Break the chain: several accumulators, independent iterations, cheaper uops."),
	CORE("tma_mixing_vectors", "tma_ports_utilized_0", 5,
		"What mixing SSE with AVX costs: cycles, on older cores uops that the core adds.",
		"SSE instructions while the upper halves of AVX registers are in use.",
		"VZEROUPPER at the end of AVX code; build all of the program with -mavx or more."),
	CORE("tma_ports_utilized_1", "tma_ports_utilization", 4,
		"Cycles in which a single uop started.",
		"A chain in which each uop needs the one before.",
		"Several accumulators, independent iterations; tables or bits in place of long "
		"decisions."),
	CORE("tma_ports_utilized_2", "tma_ports_utilization", 4,
		"Cycles in which two uops started.",
		"Short chains, or uops for which only one or two ports exist.",
		"Unroll with several accumulators, vectorize, mix uops of different kinds."),
	CORE("tma_ports_utilized_3m", "tma_ports_utilization", 4,
		"Cycles in which three or more uops started: the units were well in use.",
		"Code without long waits: the number of its uops is the limit.",
		"Fewer uops: wider vectors, less work; see the children for ports that are full."),
	CORE("tma_alu_op_utilization", "tma_ports_utilized_3m", 5,
		"How much the ports for arithmetic were used, of what they can take.",
		"Code that computes in registers.",
		"Vectorize; replace arithmetic by tables, or do it once outside of the loop."),
	CORE("tma_port_0", "tma_alu_op_utilization", 6,
		"Cycles in which port 0 was used: arithmetic, vectors, divisions, some branches.",
		"Vector multiplications and additions, shifts, conversions.",
		"Use uops that other ports take, too; fused multiply-add in place of two."),
	CORE("tma_port_1", "tma_alu_op_utilization", 6,
		"Cycles in which port 1 was used: arithmetic, integer multiplications, vectors.",
		"Integer multiplications, bit counts, LEA with three parts; vectors.",
		"Shift and add instead of multiplying; move what does not change out of the loop."),
	CORE("tma_port_5", "tma_alu_op_utilization", 6,
		"Cycles in which port 5 was used: arithmetic, and most shuffles of vectors.",
		"Shuffles, broadcasts from registers, moves between integer and vector registers.",
		"Lay data out as the vectors need it; broadcast from memory, which needs no port "
		"5."),
	CORE("tma_port_6", "tma_alu_op_utilization", 6,
		"Cycles in which port 6 was used: branches, and simple arithmetic.",
		"Many taken branches: short loops, calls, interpreters. Shifts.",
		"Unroll and inline; conditional moves in place of branches."),
	CORE("tma_load_op_utilization", "tma_ports_utilized_3m", 5,
		"How much the ports for loads were used, of what they can take.",
		"Loops that read much for each computation; values that do not stay in registers.",
		"Keep values in registers, wider loads, use what was loaded more than once."),
	CORE("tma_port_2", "tma_load_op_utilization", 6,
		"Cycles in which port 2 was used: loads, and addresses of stores.",
		"Many loads and stores.",
		"Keep values in registers; wider loads and stores."),
	CORE("tma_port_3", "tma_load_op_utilization", 6,
		"Cycles in which port 3 was used, which takes the same as port 2.",
		"Many loads and stores.",
		"Keep values in registers; wider loads and stores."),
	CORE("tma_store_op_utilization", "tma_ports_utilized_3m", 5,
		"How much the ports for stores were used, of what they can take.",
		"Copies, filled arrays, registers that are saved and restored around calls.",
		"Wider stores, results in registers until the end of the loop, inlined calls."),
	CORE("tma_port_4", "tma_store_op_utilization", 6,
		"Cycles in which port 4 was used, which takes the data of stores.",
		"One store for each cycle is all that it takes.",
		"Wider stores, results in registers until the end of the loop."),
	CORE("tma_port_7", "tma_store_op_utilization", 6,
		"Cycles in which port 7 was used, which takes simple addresses of stores.",
		"Stores whose address is one register and a constant.",
		"Not a loss by itself: such stores leave ports 2 and 3 to the loads."),

	CORE("tma_code_l2_hit", "tma_icache_misses", 4,
		"Cycles lost because code was in the L2 cache, but not in the L1 instruction "
		"cache.",
		"Hot code that is larger than the L1: many functions in turn, heavy inlining and "
		"unrolling.",
		"Lay hot functions out together (PGO, BOLT), -O2 or -Os for the others, loops "
		"unrolled less."),
	CORE("tma_code_l2_miss", "tma_icache_misses", 4,
		"Cycles lost because code was not even in the L2 cache: it came from the L3, or "
		"from memory.",
		"Megabytes of code in turn, programs that just started, streams of data that push "
		"code out.",
		"Batch work by kind, so that each part runs for longer; split hot from cold code; "
		"stream past the caches."),
	CORE("tma_code_stlb_hit", "tma_itlb_misses", 4,
		"Cycles lost because the page of the code was only in the second TLB: some cycles "
		"each.",
		"Hot code on more pages than the instruction TLB has entries.",
		"Order functions by profile, so that hot ones share pages; large pages for code."),
	CORE("tma_code_stlb_miss", "tma_itlb_misses", 4,
		"Cycles lost because the page of the code missed both TLBs and needed a page walk.",
		"Large programs with many libraries, generated code; much data, which shares the "
		"second TLB.",
		"Large pages for code, and for data, too; static linking; function order by "
		"profile."),
	CORE("tma_code_stlb_miss_4k", "tma_code_stlb_miss", 5,
		"Cycles in which page tables were read for code on pages of 4 KiB.",
		"Programs and libraries as they usually are.",
		"Align code at 2 MiB (-Wl,-z,max-page-size=2097152) for large pages; madvise for "
		"generated code."),
	CORE("tma_code_stlb_miss_2m", "tma_code_stlb_miss", 5,
		"Cycles in which page tables were read for code on pages of 2 or 4 MiB.",
		"Code has large pages already; other data or code pushes them out of the TLB.",
		"Put hot functions into fewer of these pages; let data touch fewer pages at a "
		"time."),
	CORE("tma_mispredicts_resteers", "tma_branch_resteers", 4,
		"Cycles in which fetching began again after a mispredicted branch.",
		"Decisions on data without a pattern, indirect calls with many targets.",
		"Sort the data, compute both ways and select; see tma_branch_mispredicts."),
	CORE("tma_clears_resteers", "tma_branch_resteers", 4,
		"Cycles in which fetching began again after a machine clear.",
		"Data that other cores write, code that changes itself, denormal numbers.",
		"See tma_machine_clears: separate what threads share, flush denormals."),
	CORE("tma_unknown_branches", "tma_branch_resteers", 4,
		"Cycles in which fetching began again at a branch that the predictor did not know.",
		"More branches in use than it can remember; code that has not run for long.",
		"Less and denser code: profile-guided layout, inlining of what is hot only."),
	CORE("tma_decoder0_alone", "tma_mite", 4,
		"Cycles in which only the first decoder had work, the one for complex "
		"instructions.",
		"Instructions of several uops in a row, in code that the decoders must deliver.",
		"Simpler instructions; make the hot code fit the uop cache."),
	CORE("tma_mite_4wide", "tma_mite", 4,
		"Cycles in which the decoders delivered four uops, and the core takes five.",
		"Code that does not fit the uop cache, otherwise decoded well.",
		"Make the hot code smaller, so that it need not be decoded each time."),

	/* --- nodes that only E-cores have, or that mean something else there --- */
	ATOM("tma_core_bound", "tma_backend_bound", 2,
		"Slots lost because uops could not be placed for a reason other than a full "
		"buffer.",
		"Combinations of uops that the allocation stage cannot take in one cycle.",
		"Rarely a problem; try another compiler version or -mtune for this core."),
	ATOM("tma_allocation_restriction", "tma_core_bound", 3,
		"Slots lost to rules on which uops can be allocated together.",
		"Certain mixes of instructions in a tight loop.",
		"Try -mtune for this core, or another order of instructions in the hottest loop."),
	ATOM("tma_resource_bound", "tma_backend_bound", 2,
		"Slots lost because a buffer of the core was full.",
		"Mostly loads that miss the caches and hold up all behind them; also long "
		"dependencies.",
		"See which buffer it is; make data smaller, access in order, prefetch, break "
		"dependency chains."),
	ATOM("tma_mem_scheduler", "tma_resource_bound", 3,
		"Slots lost because the queue of waiting loads and stores was full.",
		"Many memory accesses that wait for their address or for a cache.",
		"Fewer and wider accesses, data in order, addresses that do not depend on loads."),
	ATOM("tma_non_mem_scheduler", "tma_resource_bound", 3,
		"Slots lost because the queues of arithmetic uops were full.",
		"Chains of dependent integer, floating-point or vector uops; divisions.",
		"Break dependency chains, use several accumulators, avoid divisions."),
	ATOM("tma_register", "tma_resource_bound", 3,
		"Slots lost because no physical register was free.",
		"Many uops in flight behind one that takes long, often a load.",
		"Shorten what they wait for: cache misses and divisions."),
	ATOM("tma_reorder_buffer", "tma_resource_bound", 3,
		"Slots lost because the reorder buffer was full: the oldest uop was not done.",
		"Loads from the L3 cache or from memory.",
		"Make data smaller and denser, access in order, prefetch."),
	ATOM("tma_serialization", "tma_resource_bound", 3,
		"Slots lost while an instruction waited until all before it were done.",
		"Fences, CPUID, PAUSE, microcode, changes of floating-point control words.",
		"Use fewer of them; wait with futexes and not by spinning."),
	ATOM("tma_ifetch_latency", "tma_frontend_bound", 2,
		"Slots lost while the front end waited for code.",
		"Misses of the instruction cache or ITLB, branches that were found late.",
		"Lay hot code out together (PGO, BOLT), use large pages for code."),
	ATOM("tma_icache_misses", "tma_ifetch_latency", 3,
		"Slots lost because code was not in the instruction cache.",
		"Much code in use: large frameworks, templates, heavy inlining.",
		"Profile-guided layout, less inlining, split hot from cold code."),
	ATOM("tma_itlb_misses", "tma_ifetch_latency", 3,
		"Slots lost because the page of the code was not in the instruction TLB.",
		"Code spread over many pages: large binaries, many libraries.",
		"Large pages for code, function order by profile, static linking."),
	ATOM("tma_branch_detect", "tma_ifetch_latency", 3,
		"Slots lost because a branch was found only when it was decoded.",
		"More branches in use than the branch target buffer holds; new code.",
		"Fewer and better placed branches: profile-guided layout, less code."),
	ATOM("tma_branch_resteer", "tma_ifetch_latency", 3,
		"Slots lost because a taken branch sent the fetch to another place.",
		"Many taken branches in short distance.",
		"Let the common way fall through: profile-guided layout, loops unrolled a little."),
	ATOM("tma_ifetch_bandwidth", "tma_frontend_bound", 2,
		"Slots lost because code arrived, but was decoded too slowly.",
		"Complex instructions, microcode, boundaries of instructions that were guessed "
		"wrong.",
		"Simpler instructions; build for this core (-march, -mtune)."),
	ATOM("tma_cisc", "tma_ifetch_bandwidth", 3,
		"Slots lost while uops came from microcode.",
		"String instructions, gathers, some divisions, CPUID.",
		"Replace these instructions in hot loops."),
	ATOM("tma_decode", "tma_ifetch_bandwidth", 3,
		"Slots lost because the decoders were held up.",
		"Instructions that only some decoders take, long instructions.",
		"Build for this core (-mtune); shorter and simpler instructions in hot loops."),
	ATOM("tma_predecode", "tma_ifetch_bandwidth", 3,
		"Slots lost because the boundaries of instructions had to be found again.",
		"Code that is run for the first time, data in between code, jumps into "
		"instructions.",
		"Keep data out of code; lay hot code out together."),
	ATOM("tma_other_fb", "tma_ifetch_bandwidth", 3,
		"Slots lost in the front end for reasons that the core does not tell apart.",
		"Unknown by definition.",
		"Sample TOPDOWN_FE_BOUND.OTHER to see where; treat other losses first."),
	ATOM("tma_nuke", "tma_machine_clears", 3,
		"Slots lost to machine clears that need microcode.",
		"Code that changes itself, floating-point assists, page faults.",
		"Keep generated code and data on different pages; flush denormals to zero."),
	ATOM("tma_fast_nuke", "tma_machine_clears", 3,
		"Slots lost to machine clears without microcode.",
		"Loads that ran before a store to the same address; data that other cores write.",
		"Separate data that threads share; avoid reading right after writing the same "
		"place."),
};
/* clang-format on */

#define PREFIX "tma_"

/* Minimum length of a word, as in "l2"; most texts contain each single letter. */
#define SHORTEST_WORD 2

const struct td_explanation *td_explanation_at(size_t i)
{
	return i < TD_ARRAY_SIZE(texts) ? &texts[i] : NULL;
}

const struct td_explanation *td_explanation_find(const char *name)
{
	const struct td_explanation *text;
	size_t i = 0;

	while ((text = td_explanation_at(i++)) && strcasecmp(text->name, name) != 0)
		;
	return text;
}

bool td_explanation_is_pattern(const char *typed)
{
	return strpbrk(typed, "*?[") != NULL;
}

bool td_explanation_is_word(const char *typed)
{
	size_t len = strlen(typed);

	for (size_t i = 0; i < len; i++) {
		if (!isalnum((unsigned char)typed[i]) && typed[i] != ' ' && typed[i] != '-')
			return false;
	}
	return len >= SHORTEST_WORD;
}

static bool has_word(const char *text, const char *word)
{
	const char *at = text;

	while ((at = strcasestr(at, word))) {
		if (at == text || !isalnum((unsigned char)at[-1]))
			return true;
		at++;
	}
	return false;
}

bool td_explanation_is_about(const struct td_explanation *text, const char *word, bool advice)
{
	return strcasestr(text->name, word) || has_word(text->means, word) ||
	       has_word(text->causes, word) || (advice && has_word(text->advice, word));
}

static const char *skip_prefix(const char *name)
{
	size_t len = strlen(PREFIX);

	return strncasecmp(name, PREFIX, len) == 0 ? name + len : name;
}

bool td_explanation_is_meant(const char *name, const char *typed)
{
	const char *rest = skip_prefix(name);

	/* a pattern keeps its prefix: "tma_*" does not match all names */
	if (!td_explanation_is_pattern(typed))
		return strcasecmp(rest, skip_prefix(typed)) == 0;
	return fnmatch(typed, name, FNM_CASEFOLD) == 0 || fnmatch(typed, rest, FNM_CASEFOLD) == 0;
}
