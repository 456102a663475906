# SPDX-License-Identifier: GPL-2.0-only
# The metrics of a recording, computed once more and by other means, to compare
# tdstat's with: jq -rs --argjson level 2 --arg mode all -f metrics.jq FILE
# prints "ROW ID PMU METRIC PER-CENT OVER" for each metric, OVER being its
# threshold's verdict.  mode: all, cpu, or merge.
#
# The formulas are Intel's (tools/perf/pmu-events/arch/x86/*/*-metrics.json),
# written over slots: an event's count over that of the slots which its own
# group has counted.

def pos: if . < 0 then 0 else . end;

# The sum over CPUs or tasks of an event's readings, each scaled to its whole
# time; null: none ran.
def sum_of($counts; $event):
	[$counts[] | select(.[0] == $event and .[5] > 0) | .[3] * .[4] / .[5]]
	| if length > 0 then add else null end;

# The same, as it was counted.
def raw_sum_of($counts; $event):
	[$counts[] | select(.[0] == $event) | .[3]] | add;

def running_of($counts; $event):
	[$counts[] | select(.[0] == $event) | .[5]] | add;

# $e: [{name, group, value, raw, running, task}] of one PMU
def event($e; $name): first($e[] | select(.name == $name));
def value($e; $name): event($e; $name).value;
def has($e; $name): any($e[]; .name == $name);

# Slots a cycle of the Atom cores
def width($cpuid; $pmu):
	($cpuid | split("-")[2]) as $model
	| if $pmu == "cpu_lowpower" then 6
	  elif ["97", "9A", "B7", "BA", "BF", "BE"] | index($model) then 5
	  elif ["AA", "AC", "B5", "AF", "B6"] | index($model) then 6
	  elif ["BD", "C6", "C5"] | index($model) then 8
	  else 4 end;

def slots($e; $group; $width):
	if has($e; "slots") then value($e; "slots")
	else first($e[] | select(.group == $group
		and (.name == "cycles" or .name == "topdown-total-slots")))
		| if .name == "cycles" then .value * $width else .value end
	end;

def per_slot($e; $name; $width):
	event($e; $name) as $x | $x.value / slots($e; $x.group; $width);

# --- the sets of formulas ---------------------------------------------------

def shares($e):
	[value($e; "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound")]
	| add as $sum
	| { ret: (.[0] / $sum), bs: (.[1] / $sum), fe: (.[2] / $sum), be: (.[3] / $sum), $sum };

def rest: (1 - .tma_frontend_bound - .tma_backend_bound - .tma_retiring) | pos;

# Golden and Redwood Cove have UOP_DROPPING, Lion Cove has not.
def metrics_8($e):
	(if has($e; "INT_MISC.UOP_DROPPING")
	 then per_slot($e; "INT_MISC.UOP_DROPPING"; 0) else null end) as $dropped
	| shares($e) as $t
	| { tma_retiring: $t.ret, tma_backend_bound: $t.be,
	    tma_frontend_bound: ($t.fe - ($dropped // 0)) }
	| .tma_bad_speculation = (if $dropped then rest else $t.bs end)
	| .tma_heavy_operations = value($e; "topdown-heavy-ops") / $t.sum
	| .tma_light_operations = (.tma_retiring - .tma_heavy_operations | pos)
	| .tma_memory_bound = value($e; "topdown-mem-bound") / $t.sum
	| .tma_core_bound = (.tma_backend_bound - .tma_memory_bound | pos)
	| .tma_fetch_latency = value($e; "topdown-fetch-lat") / $t.sum - ($dropped // 0)
	| .tma_fetch_bandwidth = (.tma_frontend_bound - .tma_fetch_latency | pos)
	| .tma_branch_mispredicts = value($e; "topdown-br-mispredict") / $t.sum
	| .tma_machine_clears = (.tma_bad_speculation - .tma_branch_mispredicts | pos);

def memory_share($e; $retiring):
	value($e; "EXE_ACTIVITY.BOUND_ON_STORES") as $stores
	| (value($e; "CYCLE_ACTIVITY.STALLS_MEM_ANY") + $stores)
	/ (value($e; "CYCLE_ACTIVITY.STALLS_TOTAL") + value($e; "EXE_ACTIVITY.1_PORTS_UTIL")
	   + $retiring * value($e; "EXE_ACTIVITY.2_PORTS_UTIL") + $stores);

def mispredict_share($e):
	value($e; "BR_MISP_RETIRED.ALL_BRANCHES") as $branches
	| $branches / ($branches + value($e; "MACHINE_CLEARS.COUNT"));

def sunny_cove($e):
	shares($e) as $t
	| per_slot($e; "INT_MISC.UOP_DROPPING"; 0) as $dropped
	| { tma_retiring: $t.ret, tma_frontend_bound: ($t.fe - $dropped),
	    tma_backend_bound: ($t.be + 5 * per_slot($e; "INT_MISC.CLEARS_COUNT"; 0)) }
	| .tma_bad_speculation = rest
	| if has($e; "IDQ.MS_UOPS") then
		.tma_fetch_latency = 5 * per_slot($e;
			"IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE"; 0) - $dropped
		| .tma_fetch_bandwidth = (.tma_frontend_bound - .tma_fetch_latency | pos)
		| .tma_branch_mispredicts = mispredict_share($e) * .tma_bad_speculation
		| .tma_machine_clears = (.tma_bad_speculation - .tma_branch_mispredicts | pos)
		| .tma_memory_bound = memory_share($e; $t.ret) * .tma_backend_bound
		| .tma_core_bound = (.tma_backend_bound - .tma_memory_bound | pos)
		| .tma_heavy_operations =
			value($e; "UOPS_RETIRED.SLOTS") / value($e; "UOPS_ISSUED.ANY")
			* per_slot($e; "IDQ.MS_UOPS"; 0)
			+ $t.ret * (value($e; "UOPS_DECODED.DEC0") - value($e; "UOPS_DECODED.DEC0,cmask=1"))
			/ value($e; "IDQ.MITE_UOPS")
		| .tma_light_operations = (.tma_retiring - .tma_heavy_operations | pos)
	  else . end;

# Its groups take turns, so only per_slot() may be compared between them; with
# hyper-threading on the sysfs scale 2 is in total-slots and recovery alike,
# and what is said per slot of two threads is halved.
def skylake($e; $scale):
	def per($name): per_slot($e; $name; 0) / $scale;
	per("topdown-slots-retired") as $retired
	| per("topdown-slots-issued") as $issued
	| per_slot($e; "topdown-recovery-bubbles"; 0) as $recovery
	| { tma_retiring: $retired, tma_frontend_bound: per("topdown-fetch-bubbles"),
	    tma_bad_speculation: ($issued - $retired + $recovery) }
	| .tma_backend_bound = 1 - .tma_frontend_bound - $issued - $recovery
	| if has($e; "UOPS_RETIRED.MACRO_FUSED") then
		.tma_fetch_latency = 4 * per("IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE")
		| .tma_fetch_bandwidth = .tma_frontend_bound - .tma_fetch_latency
		| .tma_branch_mispredicts = mispredict_share($e) * .tma_bad_speculation
		| .tma_machine_clears = .tma_bad_speculation - .tma_branch_mispredicts
		| (per("CYCLE_ACTIVITY.STALLS_MEM_ANY") + per("EXE_ACTIVITY.BOUND_ON_STORES")) as $stalls
		| .tma_memory_bound = $stalls / (per("CYCLE_ACTIVITY.STALLS_TOTAL")
			+ per("EXE_ACTIVITY.1_PORTS_UTIL") + $retired * per("EXE_ACTIVITY.2_PORTS_UTIL")
			+ per("EXE_ACTIVITY.BOUND_ON_STORES")) * .tma_backend_bound
		| .tma_core_bound = .tma_backend_bound - .tma_memory_bound
		| .tma_heavy_operations = $retired + per("UOPS_RETIRED.MACRO_FUSED") - per("INST_RETIRED.ANY")
		| .tma_light_operations = .tma_retiring - .tma_heavy_operations
	  else . end;

# Gracemont's bad speculation is what the others leave.
def atom($e; $width):
	def per($name): per_slot($e; $name; $width);
	{ tma_retiring: per("topdown-retiring"), tma_frontend_bound: per("topdown-fe-bound"),
	  tma_backend_bound: per("topdown-be-bound") }
	| .tma_bad_speculation = (if has($e; "topdown-bad-spec") then per("topdown-bad-spec")
		else 1 - .tma_retiring - .tma_frontend_bound - .tma_backend_bound end)
	| if has($e; "TOPDOWN_FE_BOUND.FRONTEND_LATENCY") then
		.tma_ifetch_latency = per("TOPDOWN_FE_BOUND.FRONTEND_LATENCY")
		| .tma_ifetch_bandwidth = per("TOPDOWN_FE_BOUND.FRONTEND_BANDWIDTH")
		| .tma_branch_mispredicts = per("TOPDOWN_BAD_SPECULATION.MISPREDICT")
		| .tma_machine_clears = per("TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS")
		| .tma_core_bound = per("TOPDOWN_BE_BOUND.ALLOC_RESTRICTIONS")
		| .tma_resource_bound = .tma_backend_bound - .tma_core_bound
	  else . end;

# --- thresholds -------------------------------------------------------------

def core_over:
	{ tma_frontend_bound: (.tma_frontend_bound > 0.15),
	  tma_bad_speculation: (.tma_bad_speculation > 0.15),
	  tma_backend_bound: (.tma_backend_bound > 0.2),
	  tma_retiring: (.tma_retiring > 0.7 or (.tma_heavy_operations // 0) > 0.1) }
	+ if has("tma_light_operations") then
		{ tma_fetch_latency: (.tma_fetch_latency > 0.1 and .tma_frontend_bound > 0.15),
		  tma_fetch_bandwidth: (.tma_fetch_bandwidth > 0.2),
		  tma_branch_mispredicts: (.tma_branch_mispredicts > 0.1 and .tma_bad_speculation > 0.15),
		  tma_machine_clears: (.tma_machine_clears > 0.1 and .tma_bad_speculation > 0.15),
		  tma_memory_bound: (.tma_memory_bound > 0.2 and .tma_backend_bound > 0.2),
		  tma_core_bound: (.tma_core_bound > 0.1 and .tma_backend_bound > 0.2),
		  tma_light_operations: (.tma_light_operations > 0.6),
		  tma_heavy_operations: (.tma_heavy_operations > 0.1) }
	  else {} end;

def atom_over:
	{ tma_frontend_bound: (.tma_frontend_bound > 0.2),
	  tma_bad_speculation: (.tma_bad_speculation > 0.15),
	  tma_backend_bound: (.tma_backend_bound > 0.1),
	  tma_retiring: (.tma_retiring > 0.75) }
	+ if has("tma_ifetch_latency") then
		{ tma_ifetch_latency: (.tma_ifetch_latency > 0.15 and .tma_frontend_bound > 0.2),
		  tma_ifetch_bandwidth: (.tma_ifetch_bandwidth > 0.1 and .tma_frontend_bound > 0.2),
		  tma_branch_mispredicts: (.tma_branch_mispredicts > 0.05 and .tma_bad_speculation > 0.15),
		  tma_machine_clears: (.tma_machine_clears > 0.05 and .tma_bad_speculation > 0.15),
		  tma_core_bound: (.tma_core_bound > 0.1 and .tma_backend_bound > 0.1),
		  tma_resource_bound: (.tma_resource_bound > 0.2 and .tma_backend_bound > 0.1) }
	  else {} end;

# --- rows -------------------------------------------------------------------

# Groups that take turns have each counted cycles in their own time: what the
# whole time had is their mean, each weighing as much as it ran.
def pooled($e):
	[$e[] | select(.name == "cycles" or .name == "topdown-total-slots")] as $c
	| (([$c[] | .value * .running] | add) / ([$c[] | .running] | add)) as $mean
	| [$e[] | if .name == $c[0].name then .value = $mean else . end];

# A task's PMUs are all enabled wherever it runs: scaled up to that time, the
# slots of one would hold what it spent on the others.
def weight($e; $width):
	slots(if $e[0].task then [$e[] | .value = .raw]
	      elif has($e; "slots") then $e
	      else pooled($e) end; $e[0].group; $width);

def row_of_pmu($head; $pmu; $e):
	width($head.cpuid; $pmu) as $width
	| { pmu: $pmu, weight: weight($e; $width) }
	+ if has($e; "topdown-total-slots") then
		skylake($e; if $head.smt then 2 else 4 end) | { v: ., over: core_over }
	  elif has($e; "topdown-mem-bound") then metrics_8($e) | { v: ., over: core_over }
	  elif has($e; "slots") then sunny_cove($e) | { v: ., over: core_over }
	  else atom($e; $width) | { v: ., over: atom_over } end;

# Children are merged all together or not at all.
def families: [["tma_light_operations", "tma_heavy_operations"],
	["tma_memory_bound", "tma_core_bound", "tma_resource_bound"],
	["tma_fetch_latency", "tma_fetch_bandwidth", "tma_ifetch_latency", "tma_ifetch_bandwidth"],
	["tma_branch_mispredicts", "tma_machine_clears"]];

def merged:
	(map(.weight) | add) as $sum
	| (map(.v | keys_unsorted) | add | unique) as $names
	| . as $rows
	| [$names[] | . as $n | select(any($rows[]; .v[$n] == null))] as $lacking
	| { pmu: "all", over: {}, v: ([$names[] as $n
		| select(all(families[] | select(index($n)); . - $lacking == .))
		| select($lacking | index($n) | not)
		| { ($n): ([$rows[] | .v[$n] * .weight] | add / $sum) }] | add) };

.[0] as $head
| def level1: ["tma_retiring", "tma_backend_bound", "tma_frontend_bound", "tma_bad_speculation"];
  [.[1:][] | select(.counts)] | to_entries[]
| .key as $row | .value.counts as $counts
| (if $mode == "cpu" then [$counts[][1]] | unique[] else null end) as $cpu
| [$counts[] | select($cpu == null or .[1] == $cpu)] as $mine
| [$head.pmus[].name as $pmu
   | [$head.events | to_entries[] | select(.value.pmu == $pmu)
      | { name: (.value.name[($pmu | length) + 1:-1]), group: .value.group,
	  value: sum_of($mine; .key), raw: raw_sum_of($mine; .key),
	  running: running_of($mine; .key),
	  task: ($mine[0][1] < 0) }]
   | select(length > 0 and all(.[]; .value != null))
   | row_of_pmu($head; $pmu; .)]
| (if $mode == "merge" then [merged] else . end)[]
| . as $r
| .v | to_entries[]
| select($level == 2 or (.key as $n | level1 | index($n)))
| "\($row + 1) \(if $cpu == null then "all" else "CPU\($cpu)" end) \($r.pmu) \(.key) \(.value * 100) \($r.over[.key])"
