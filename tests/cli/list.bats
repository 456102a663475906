#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat list on saved machines, compared with what jq and the shell read from
# the model's JSON files and sysfs.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # jq; output; lists of words; helper.bash
load helper


needs_event_files() {
	[ -d "$TD_PMU_EVENTS" ] || skip "no event files"
}

# list [ARG...]: succeeds, and says nothing else
list() {
	try "$TDSTAT" list "$@"
	assert_success
	assert_no_stderr
}

# nothing PATTERN...: status 64, one line why and one what to do
nothing() {
	try "$TDSTAT" list "$@"
	assert_failure 64
	assert_output ''
}

# none SECTION...: status 1, as it was not typed wrongly
none() {
	try "$TDSTAT" list "$@"
	assert_failure 1
	assert_output ''
}

# names KIND [ARG...]: of "list -j", in its order, each once
names() {
	"$TDSTAT" list -j "${@:2}" |
		jq -r --arg kind "$1" 'select(.kind == $kind).name' | uniq
}

# headings [ARG...]
headings() {
	"$TDSTAT" list "$@" | grep -v '^ ' | grep .
}

# in_files MODEL JQ: run over each object of the model's event files, as $topic
in_files() {
	jq -r '(input_filename | split("/")[-1] | rtrimstr(".json")) as $topic |
		select($topic | IN("metricgroups", "counter") | not) | .[] | '"$2" \
		"$TD_PMU_EVENTS/$1"/*.json
}

# core_events MODEL: NAME PMU TOPIC ENCODING of the files, tab-separated, sorted.
# The order of terms is event, umask, and the others by the alphabet.  The
# fixed counters' events are opened by the codes of the programmable ones (perf
# has this table, too: pmu-events/jevents.py, fixname and the ones above it).
core_events() {
	in_files $1 '
		def digits: if . == 0 then "" else ((. / 16 | floor) | digits) +
			("0123456789abcdef"[. % 16:. % 16 + 1]) end;
		def hex: tostring | split(",")[0] | ascii_downcase |
			if startswith("0x") then .[2:] | ltrimstr("0") | ltrimstr("0")
			else tonumber | digits end;
		def term($key; $name): (.[$key] // "0" | hex) as $value |
			if $value == "" then empty else "\($name)=0x\($value)" end;
		def msr: {"0x1a6": "offcore_rsp", "0x3f6": "ldlat", "0x3f7": "frontend"}
			[.MSRIndex // "none" | ascii_downcase | split(",")[0]];
		def code: {
			"inst_retired.any": "event=0xc0",
			"inst_retired.any_p": "event=0xc0",
			"cpu_clk_unhalted.ref": "event=0x0,umask=0x3",
			"cpu_clk_unhalted.core": "event=0x3c",
			"cpu_clk_unhalted.thread": "event=0x3c",
			"cpu_clk_unhalted.thread_any": "event=0x3c,any=0x1"
		};
		# fixed counters that Linux 6.12 knows by these codes alone (intel_skt_event_constraints)
		def topdown: {
			"topdown_bad_speculation.all 0x5": "event=0x73",
			"topdown_fe_bound.all 0x6": "event=0x9c,umask=0x1",
			"topdown_retiring.all 0x7": "event=0xc2,umask=0x2"
		}["\(.EventName | ascii_downcase) \(.UMask // "")"] // null;
		select(.EventName) | select((.Unit // "cpu") | startswith("cpu")) |
		(.Unit // "cpu") as $pmu | (.EventName | ascii_downcase) as $name |
		msr as $msr | topdown as $topdown |
		[(.EventCode // "0" | hex | if . == "" then "event=0x0" else "event=0x" + . end),
		 term("UMask"; "umask"), term("AnyThread"; "any"), term("CounterMask"; "cmask"),
		 term("EdgeDetect"; "edge"),
		 (select($msr == "frontend") | term("MSRValue"; "frontend")),
		 term("Invert"; "inv"),
		 (select($msr == "ldlat" or $msr == "offcore_rsp") | term("MSRValue"; $msr))] |
		[$name, $pmu, $topic, "\($pmu)/\(code[$name] // $topdown // join(","))/"] | @tsv' | LC_ALL=C sort
}

# sysfs_events: NAME ENCODING of each event in the PMUs' folders
sysfs_events() {
	local file pmu text term value first second rest

	for file in "$SYSFS_PATH"/bus/event_source/devices/*/events/*; do
		case $file in *.scale | *.unit | *.snapshot | *.per-pkg | *'*') continue ;; esac
		pmu=${file%/events/*}
		pmu=${pmu##*/}
		# up to a NUL, which not every file has
		read -r -d '' text <"$file" || true
		first=event=0x0 second='' rest=()
		for term in ${text//,/ }; do
			printf -v value '%s=0x%x' "${term%=*}" "${term#*=}"
			case $value in
			event=*) first=$value ;;
			umask=0x0) ;;
			umask=*) second=,$value ;;
			*) rest+=("$value") ;;
			esac
		done
		echo "$pmu/${file##*/}/ $pmu/$first$second$(
			[ ${#rest[@]} -eq 0 ] || printf '%s\n' "${rest[@]}" | LC_ALL=C sort | sed 's/^/,/' | tr -d '\n'
		)/"
	done | LC_ALL=C sort
}

# --- what is listed ---------------------------------------------------------------

@test "the sections of a hybrid machine, in their order" {
	bare
	needs_event_files
	saved alderlake
	assert_same "Hardware events:
Cache events:
Events of PMU cpu_core (sysfs):
Events of PMU cpu_atom (sysfs):
Events of alderlake's files, cache:
Events of alderlake's files, floating-point:
Events of alderlake's files, frontend:
Events of alderlake's files, memory:
Events of alderlake's files, other:
Events of alderlake's files, pipeline:
Events of alderlake's files, virtual-memory:
Software events:
Tool events:
Metrics:
Metric groups:" "$(headings 2>/dev/null | grep -v ^Tracepoints)"
}

@test "the sections of a machine with one kind of core: no PMU behind the names" {
	needs_event_files
	saved skylakex
	headings 2>/dev/null | grep -v ^Tracepoints >got
	[ "$(sed -n 1,3p got)" = "Hardware events:
Cache events:
Events of PMU cpu (sysfs):" ]
	[ "$(tail -n 4 got)" = "Software events:
Tool events:
Metrics:
Metric groups:" ]
	grep -qx "Events of skylakex's files, pipeline:" got
	list hw
	refute_output --partial '['
}

@test "hardware: the generic events that sysfs says the PMU has" {
	saved alderlake
	assert_same "$(printf '%s\n' cycles instructions cache-references cache-misses \
		branches branch-misses bus-cycles ref-cycles)" "$(names hardware hw)"
	list -j cycles hw
	# linux/perf_event.h: CPU_CYCLES 0, BRANCH_MISSES 5; cpu_atom is of type 10
	assert_equal "$(jq -c 'select(.name == "cycles") | [.pmu, .alias, .encoding]' <<<"$output")" \
		'["cpu_core","cpu-cycles","0:0x400000000"]
["cpu_atom","cpu-cycles","0:0xa00000000"]'
	assert_equal "$(jq -r 'select(.name == "branch-misses").encoding' <<<"$output")" \
		"0:0x400000005
0:0xa00000005"
	list hw
	assert_line --regexp '^  cycles OR cpu-cycles +\[cpu_core, cpu_atom\]'
	# a kernel that names no events at all
	copied skylakex
	rm -r "$devices/cpu/events"
	list hw
	assert_output --partial stalled-cycles-frontend
}

@test "caches: all that perf_event_open(2) has a number for" {
	saved skylakex
	list -j cache
	assert_equal "${#lines[@]}" 32
	# L1D 0 to NODE 6; read 0, write 1, prefetch 2; access 0, miss 1
	for row in 'L1-dcache-loads 3:0x0' 'L1-dcache-load-misses 3:0x10000' 'LLC-stores 3:0x102' \
		'L1-icache-prefetch-misses 3:0x10201' 'dTLB-store-misses 3:0x10103' \
		'iTLB-load-misses 3:0x10004' 'branch-loads 3:0x5' 'node-prefetches 3:0x206'; do
		jq -r '"\(.name) \(.encoding)"' <<<"$output" | grep -qxF "$row" || fail "no $row"
	done
}

@test "sysfs: every event of every PMU, by its terms" {
	bare
	for model in alderlake skylakex lunarlake sapphirerapids; do
		saved $model
		assert_same "$(sysfs_events)" "$("$TDSTAT" list -j sysfs |
			jq -r '"\(.name) \(.encoding)"' | LC_ALL=C sort)"
	done
}

@test "sysfs: several units of one thing are one, by the name that -e takes" {
	bare
	needs_event_files
	copied skylakex
	for unit in 0 1 5; do
		mkdir -p "$devices/uncore_imc_$unit"/{events,format}
		echo $((20 + unit)) >"$devices/uncore_imc_$unit/type"
		echo 0 >"$devices/uncore_imc_$unit/cpumask"
		echo config:0-7 >"$devices/uncore_imc_$unit/format/event"
		echo config:8-15 >"$devices/uncore_imc_$unit/format/umask"
		echo event=0x04,umask=0x03 >"$devices/uncore_imc_$unit/events/cas_count_read"
		echo MiB >"$devices/uncore_imc_$unit/events/cas_count_read.unit"
		echo 6.103515625e-5 >"$devices/uncore_imc_$unit/events/cas_count_read.scale"
	done
	list -j cas_count_read
	assert_equal "$(jq -c '[.name, .pmu, .unit, .encoding]' <<<"$output")" \
		'["uncore_imc/cas_count_read/","uncore_imc","MiB","uncore_imc/event=0x4,umask=0x3/"]'
	list --print uncore_imc/cas_count_read/
	assert_output "uncore_imc_0/event=0x4,umask=0x3/
uncore_imc_1/event=0x4,umask=0x3/
uncore_imc_5/event=0x4,umask=0x3/"
	# so are the files' events of it: skylakex has UNC_M_ ones of the unit iMC
	assert_same "$(in_files skylakex 'select(.Unit == "iMC" and .EventName) | .EventName' |
		tr '[:upper:]' '[:lower:]' | LC_ALL=C sort -u)" \
		"$(names model uncore_imc | LC_ALL=C sort -u)"
	list unc_m_cas_count.rd
	assert_line --regexp '^  unc_m_cas_count.rd +\[uncore_imc\]'
}

@test "the model's files: every event of the cores, with topic and encoding" {
	bare
	needs_event_files
	for model in alderlake skylakex lunarlake sapphirerapids; do
		saved $model
		core_events $model >want
		[ "$(wc -l <want)" -gt 50 ]
		assert_same "$(cat want)" "$("$TDSTAT" list -j model |
			jq -r '[.name, .pmu, .topic, .encoding] | @tsv' | LC_ALL=C sort)"
	done
}

@test "the model's files: descriptions" {
	bare
	needs_event_files
	saved alderlake
	assert_same "$(in_files alderlake 'select(.EventName and ((.Unit // "") | startswith("cpu"))) |
		(.EventName | ascii_downcase) + " " + .Unit + " " + ([.BriefDescription,
		 (if .Deprecated == "1" then "(deprecated)" else empty end)] | join(" ")) |
		gsub("\\s+"; " ")' | LC_ALL=C sort)" "$("$TDSTAT" list -j model |
		jq -r '"\(.name) \(.pmu) \(.desc)"' | LC_ALL=C sort)"
}

@test "the model's files: what both kinds of core have is one row" {
	needs_event_files
	saved alderlake
	list dtlb_load_misses.walk_completed
	assert_line --regexp '^  dtlb_load_misses.walk_completed +\[cpu_core, cpu_atom\]'
	list baclears.any
	assert_equal "$(grep -c baclears <<<"$output")" 1
	list topdown_bad_speculation.all
	assert_line --regexp '^  topdown_bad_speculation.all +\[cpu_atom\]'
}

# What a set has that is neither built in nor common to all models; cpi may be of the files.
not_built_in='select(.groups | (index("L2Requests") or (length > 0 and all(startswith("Default")))) | not) |
	select(.name != "ipc" and (.name != "cpi" or (.formula | startswith("cpu") | not)))'

@test "metrics: all of the cores, with groups and unit" {
	bare
	needs_event_files
	for model in alderlake skylakex sapphirerapids; do
		saved $model
		in_files $model 'select(.MetricName and (.ScaleUnit | not)) | .MetricName' >without
		assert_same "$(in_files $model 'select(.MetricName) |
			select((.Unit // "cpu") | startswith("cpu")) |
			[.MetricName, .Unit // (if "'$model'" == "alderlake" then "none" else "cpu" end),
			 .ScaleUnit // "none", (.MetricGroup // "" | gsub("[; ]+$"; ""))] | @tsv' | LC_ALL=C sort)" \
			"$("$TDSTAT" list -j metric |
				jq -r --rawfile without without '($without | split("\n")) as $words | '"$not_built_in"' |
				[.name, .pmu // "none",
				if .name | IN($words[]) then "none" else .unit // "none" end,
				(.groups | join(";"))] | @tsv' | LC_ALL=C sort)"
	done
}

# The names that TMA_Metrics-full.csv of intel/perfmon had first in its releases 5.1 and
# 5.2; in 4.8 the first was tma_info_bottleneck_...
@test "list -v: TMA's version, where names of the kernel's files tell it" {
	saved sapphirerapids
	mkdir -p own/spr
	printf '%s\n' Family-model,Version,Filename,EventType GenuineIntel-6-8F,v9,spr,core >own/mapfile.csv
	with() { # NAME...
		printf '%s\n' "$@" | jq -nR '[inputs | {MetricName: ., MetricExpr: "1", BriefDescription: "one"}]' >own/spr/metrics.json
		"$TDSTAT" list -v --metrics-dir own metrics "$1" | head -n 1
	}
	assert_equal "$(with tma_info_bottleneck_cache_memory_bandwidth)" "Metrics, v9:"
	assert_equal "$(with tma_bottleneck_data_cache_memory_bandwidth)" "Metrics, v9, TMA 5.1:"
	assert_equal "$(with tma_bottleneck_data_cache_memory_bandwidth tma_l3_miss_bound)" "Metrics, v9, TMA 5.2:"
	echo 'Linux 7.2' >own/version
	assert_equal "$(with tma_l3_miss_bound)" "Metrics, v9 of Linux 7.2, TMA 5.2:"
	run "$TDSTAT" doctor --metrics-dir own
	assert_output --partial "own/spr: v9 of Linux 7.2, TMA 5.2, 1 metrics"
	run "$TDSTAT" --dry-run -v -a --metrics-dir own
	assert_output --partial "own/spr, v9 of Linux 7.2, TMA 5.2"
	"$TDSTAT" report -j -i "$data/sapphirerapids-2.jsonl" --metrics-dir own \
		-M tma_l3_miss_bound | head -n 1 >out
	assert_equal "$(command jq -r .files out)" "v9 of Linux 7.2, TMA 5.2"
}

# Intel's table of the tree, TMA_Metrics-full.csv 5.2, where it has a formula of Panther
# Lake's own; all others are Lunar Lake's.
@test "metrics of Panther Lake: what Intel's table says of it, and Lunar Lake's" {
	needs_event_files
	[ -e "$TD_PMU_EVENTS/pantherlake" ] || skip "files that do not know it"
	"$TDSTAT" list -j --model pantherlake metrics 'tma_*' >ptl
	"$TDSTAT" list -j --model lunarlake metrics 'tma_*' >lnl
	formula() { # NODE
		jq -r --arg name "$1" 'select(.name == $name) | .formula | gsub("cpu_core@|@"; "")' ptl
	}
	assert_equal "$(formula tma_ind_jump_mispredicts)" \
		'BR_MISP_RETIRED.INDIRECT_JMP / BR_MISP_RETIRED.ALL_BRANCHES * tma_branch_mispredicts'
	assert_equal "$(formula tma_decoder0_alone)" \
		'INST_DECODED.DECODERS\,cmask\=1\,eq\=1 / tma_info_thread_clks'
	assert_equal "$(formula tma_lsd)" ""
	assert_equal "$(grep -c 'tma_lsd\>' ptl)" 0
	# of what waits for memory: DRAM, L3, L2, and hits of L1
	formula tma_bottleneck_data_cache_memory_latency | grep -o 'tma_memory_bound \*' >terms
	assert_equal "$(wc -l <terms)" 4
	# the same tree but for these nodes
	for model in lnl ptl; do
		jq -r 'select(.pmu == "cpu_core" and .level) | .name' $model | sort >$model.names
	done
	assert_same "$(comm -3 lnl.names ptl.names | tr -d '\t')" "$(printf '%s\n' tma_decoder0_alone tma_lsd)"
	run -0 "$TDSTAT" --dry-run --model pantherlake -a -l 6
	refute_output --partial "not supported"
}

# No ScaleUnit says these: the words behind the metrics do, and their formulas
# bear them out.
@test "metrics: units that descriptions and names say" {
	needs_event_files
	saved alderlake
	"$TDSTAT" list -j metric >all
	while read -r name unit; do
		jq -es --arg name "$name" --arg unit "$unit" 'map(select(.name == $name) | .unit) |
			length > 0 and all(. == (if $unit == "none" then null else $unit end))' all ||
			fail "$name has not the unit $unit"
	done <<-'EOF'
		tma_info_memory_l1d_cache_fill_bw 1GB/s
		tma_info_memory_core_l1d_cache_fill_bw_2t 1GB/s
		tma_info_system_dram_bw_use 1GB/s
		tma_info_system_core_frequency 1GHz
		tma_info_memory_l2mpki 1per_kinstr
		tma_info_machine_clear_bound_machine_clears_smc_pki 1per_kinstr
		tma_info_memory_load_miss_real_latency 1cycles
		tma_info_mem_mix_load_locks_ratio 1%
		tma_bottleneck_data_cache_memory_latency 1%
		tma_retiring 100%
		tma_info_thread_ipc none
		tma_bottleneck_instruction_fetch_bw 1%
	EOF
	# "(percentage)" of what is 0 to 1, and cycles that are called nanoseconds
	jq -es 'all(.name != "tma_info_system_cpu_utilization" or .unit == null)' all
	jq -es 'all(.name != "tma_info_system_mem_read_latency" or .unit == null)' all
	both=tma_info_memory_l1d_cache_fill_bw,tma_info_memory_l2mpki
	"$TDSTAT" --dry-run -a -M $both --cputype core |
		python3 "$here/metrics.py" record - >recording.jsonl
	"$TDSTAT" report -i recording.jsonl -M $both | without_errors >tree
	grep -qE '^ +[0-9.]+ +GB/s +tma_info_memory_l1d_cache_fill_bw' tree
	grep -qE '^ +[0-9.]+ +per_kinstr +tma_info_memory_l2mpki' tree
	"$TDSTAT" report -i recording.jsonl -M $both -j | jq -es 'map(.unit) | sort == ["GB/s", "per_kinstr"]'
}

@test "metrics: formula and threshold are the files'" {
	bare
	needs_event_files
	for model in alderlake skylakex sapphirerapids; do
		saved $model
		in_files $model 'select(.MetricName) | select((.Unit // "cpu") | startswith("cpu")) |
			[.MetricName, .MetricExpr, .MetricThreshold // "none"] |
			map(gsub("\\s+"; " ")) | @tsv' | LC_ALL=C sort >want
		[ "$(wc -l <want)" -gt 200 ]
		assert_same "$(cat want)" "$("$TDSTAT" list -j metrics | jq -r "$not_built_in"' |
			[.name, .formula, .threshold // "none"] | @tsv' | LC_ALL=C sort)"
	done
}

# The level is in the name of a group: TopdownL3; and a node is in the group of
# the node above it, tma_memory_bound_group.  What begins with tma_info_ are
# figures about the tree, not nodes.
@test "metrics: levels and parents are those of the tree" {
	needs_event_files
	for model in alderlake skylakex sapphirerapids; do
		saved $model
		in_files $model 'select(.MetricName) | select((.Unit // "cpu") | startswith("cpu")) |
			select(.MetricName | startswith("tma_info_") | not) |
			(.MetricGroup // "" | capture("TopdownL(?<level>[1-6])").level) as $level |
			[.MetricName, .Unit // "cpu", $level] | @tsv' | LC_ALL=C sort >want
		[ "$(wc -l <want)" -gt 80 ]
		"$TDSTAT" list -j metrics >json
		assert_same "$(cat want)" "$(jq -r 'select(.level) | [.name, .pmu, .level] | @tsv' json |
			LC_ALL=C sort)"
		# each has one parent, one level up on the same PMU, and is in its group
		assert_same '' "$(jq -sr 'map({key: "\(.pmu) \(.name)", value: .}) | from_entries as $all |
			$all[] | select(if .level == null or .level == 1 then .parent
				else . as $node | $all["\(.pmu) \(.parent)"] |
				. == null or .level != $node.level - 1 or
				($node.groups | index("\($node.parent)_group") | not) end) |
			"\(.pmu) \(.name)"' json)"
	done
	saved alderlake
	list -j metrics tma_dram_bound tma_store_fwd_blk tma_cisc tma_retiring tma_info_thread_ipc
	assert_same "tma_cisc cpu_core 4 tma_microcode_sequencer
tma_cisc cpu_atom 3 tma_ifetch_bandwidth
tma_dram_bound cpu_core 3 tma_memory_bound
tma_info_thread_ipc cpu_core null null
tma_retiring cpu_core 1 null
tma_retiring cpu_atom 1 null
tma_store_fwd_blk cpu_core 4 tma_l1_bound" \
		"$(jq -r '"\(.name) \(.pmu) \(.level) \(.parent)"' <<<"$output")"
}

@test "metrics: a model without metric files has levels 1 and 2, as -M has them" {
	needs_event_files
	saved lunarlake
	export TDSTAT_METRICS=$TD_PMU_EVENTS_OLD
	try "$TDSTAT" list -j metrics
	assert_success
	assert_complains 'cpu_core .*no metric files.*built-in'
	assert_complains 'cpu_atom .*no metric files.*built-in'
	assert_equal "${#stderr_lines[@]}" 2
	# the table in the manual page, METRICS
	assert_same "tma_backend_bound 1 null cpu_core,cpu_atom
tma_bad_speculation 1 null cpu_core,cpu_atom
tma_branch_mispredicts 2 tma_bad_speculation cpu_core,cpu_atom
tma_core_bound 2 tma_backend_bound cpu_core,cpu_atom
tma_fetch_bandwidth 2 tma_frontend_bound cpu_core
tma_fetch_latency 2 tma_frontend_bound cpu_core
tma_frontend_bound 1 null cpu_core,cpu_atom
tma_heavy_operations 2 tma_retiring cpu_core
tma_ifetch_bandwidth 2 tma_frontend_bound cpu_atom
tma_ifetch_latency 2 tma_frontend_bound cpu_atom
tma_light_operations 2 tma_retiring cpu_core
tma_machine_clears 2 tma_bad_speculation cpu_core,cpu_atom
tma_memory_bound 2 tma_backend_bound cpu_core
tma_resource_bound 2 tma_backend_bound cpu_atom
tma_retiring 1 null cpu_core,cpu_atom" "$(jq -sr 'map(select(.level)) | group_by(.name)[] |
		"\(.[0].name) \(.[0].level) \(.[0].parent) \(map(.pmu) | join(","))"' <<<"$output")"
	assert_equal "$(jq -r 'select(.level) | .unit' <<<"$output" | sort -u)" 100%
	assert_equal "$(jq -c 'select(.name == "tma_core_bound" and .pmu == "cpu_core").groups' <<<"$output")" \
		'["TopdownL2","tma_L2_group","tma_backend_bound_group"]'
	# nobody meant them
	list hw
	# they say why a name of the tree is not there
	nothing tma_dram_bound
	assert_complains 'no metric files'
	assert_complains "'tma_dram_bound'"
}

# Issue 4: who asked (demand reads 1, RFO 2, code 4, prefetches 8 and 0x10) and
# what came of it: hits with modified lines, 0xc0, of these M 0x80, E and S
# 0x40; misses 0x20.
@test "metrics: the requests to the L2 cache, all origins by all results" {
	needs_event_files
	for origin in 1 2 4 8 16; do
		for result in 192 128 64 32; do
			printf '0x%x\n' $((origin | result))
		done
	done | sort >want
	for model in alderlake lunarlake skylakex sapphirerapids; do
		saved $model
		"$TDSTAT" list -j metrics L2Requests >json 2>/dev/null
		assert_same "$(cat want)" "$(jq -r .formula json |
			sed -n 's/^cpu@event\\=0x24\\,umask\\=\(0x[0-9a-f]*\)@$/\1/p' | sort)"
		assert_equal "$(jq -r .pmu json | sort -u)" "$(jq -r .pmu json | head -n 1)"
		assert_equal "$(jq -r 'select(.desc == null).name' json)" ''
	done
}

@test "metrics of other units are in the list where the machine has these" {
	bare
	needs_event_files
	copied skylakex
	list -j metrics
	assert_equal "$(jq -r 'select(.pmu != "cpu").name' <<<"$output")" ''
	add_memory_controllers
	list -j metrics
	assert_same "$(in_files skylakex 'select(.MetricName and .Unit == "iMC") |
		"\(.MetricName) uncore_imc"' | LC_ALL=C sort)" \
		"$(jq -r 'select(.pmu != "cpu") | "\(.name) \(.pmu)"' <<<"$output")"
	names metric uncore_imc >units
	[ "$(wc -l <units)" -eq 2 ]
	try "$TDSTAT" --dry-run -a -M "$(paste -sd, units)"
	assert_success
}

# all_of KIND: the names, separated by commas
all_of() {
	"$TDSTAT" list -j "$1" 2>/dev/null | jq -r .name | LC_ALL=C sort -u | paste -sd,
}

@test "every metric and every group that is listed is one that -M takes" {
	needs_event_files
	for model in alderlake skylakex lunarlake sapphirerapids; do
		saved $model
		for kind in metrics metricgroups; do
			names=$(all_of $kind)
			[ "$(tr -dc , <<<"$names" | wc -c)" -gt 6 ]
			try "$TDSTAT" --dry-run -a -M "$names"
			assert_success
		done
		# one that is in no list is one that -M refuses
		try "$TDSTAT" --dry-run -a -M "$names,tma_nosuch"
		assert_failure 64
		assert_complains tma_nosuch
	done
}

@test "--cputype: the list and -M have the same metrics" {
	needs_event_files
	saved alderlake
	for type in core atom; do
		names=$("$TDSTAT" list -j --cputype $type metrics | jq -r .name | LC_ALL=C sort -u | paste -sd,)
		[[ $names == *C6_Pkg_Residency* ]]
		try "$TDSTAT" --dry-run -a --cputype $type -M "$names"
		assert_success
	done
	# only P-cores have it
	nothing --cputype atom tma_dram_bound
	try "$TDSTAT" --dry-run -a --cputype atom -M tma_dram_bound
	assert_failure 64
}

@test "metrics of another folder" {
	needs_event_files
	saved skylakex
	mkdir mine
	echo '[{ "MetricName": "mine", "MetricExpr": "INST_RETIRED.ANY / 2", "ScaleUnit": "1half",
		"MetricGroup": "MyGroup;TopdownL1", "MetricThreshold": "mine > 1", "BriefDescription": "half of them" },
		{ "EventName": "INST_RETIRED.ANY", "EventCode": "0xc0" }]' >mine/pipeline.json
	list --metrics-dir mine -v metrics mine
	assert_output "Metrics:
  mine  half, level 1
          half of them
          MyGroup, TopdownL1
          formula: INST_RETIRED.ANY / 2
          threshold: mine > 1"
	TDSTAT_METRICS=mine list metricgroup MyGroup
	assert_output "Metric groups:
  MyGroup  1 metric: mine"
	nothing MyGroup
}

@test "metric groups: with their metrics, and how many these are" {
	needs_event_files
	saved skylakex
	in_files skylakex 'select(.MetricName and .MetricGroup) | .MetricName as $name |
		.MetricGroup | split(";")[] | select(. != "") | "\(.) \($name)"' | LC_ALL=C sort -u | grep -v '^Default' >want
	"$TDSTAT" list -j metricgroup >json
	# those of L2Requests are in no file, and Default has others that are not the model's
	assert_same "$(cat want)" "$(jq -sr '(.[] | select(.name == "L2Requests").metrics) as $l2 |
		.[] | .name as $name | select($name | startswith("Default") | not) | .metrics[] | select(IN($l2[]) | not) | "\($name) \(.)"' json |
		LC_ALL=C sort)"
	list metricgroups
	assert_same "$(jq -r '.metrics | length | if . == 1 then "1 metric:" else "\(.) metrics:" end' json)" \
		"$(grep -oE '[0-9]+ metrics?:' <<<"$output")"
	list TopdownL1
	assert_line '  TopdownL1'
	assert_output --partial "4 metrics: tma_backend_bound, tma_bad_speculation"
	# and the metrics that are in it
	assert_line --regexp '^  tma_retiring'
	# one that is of both kinds of core counts once
	saved alderlake
	list metricgroup TopdownL1
	assert_output --partial "4 metrics: tma_backend_bound, tma_bad_speculation"
}

@test "software and tool events" {
	list -j sw tool
	for row in 'software cpu-clock 1:0x0' 'software page-faults 1:0x2' 'software context-switches 1:0x3' \
		'software major-faults 1:0x6' 'software cgroup-switches 1:0xb' \
		'tool duration_time null' 'tool user_time null' 'tool system_time null'; do
		jq -r '"\(.kind) \(.name) \(.encoding)"' <<<"$output" | grep -qxF "$row" || fail "no $row"
	done
	assert_equal "$(jq -r 'select(.name == "page-faults").alias' <<<"$output")" faults
}

@test "tracepoints: those of this kernel" {
	events=/sys/kernel/tracing/events
	[ -r $events/sched/sched_switch/id ] || skip "this user may not read tracefs"
	list 'sched:*'
	assert_same "Tracepoints:
$(for id in "$events"/sched/*/id; do
		echo "  sched:$(basename "$(dirname "$id")")"
	done | LC_ALL=C sort)" "$output"
	list -j sched:sched_switch
	assert_equal "$(jq -r .encoding <<<"$output")" \
		"$(printf '2:0x%x' "$(cat $events/sched/sched_switch/id)")"
	list tracepoint
	assert_equal "$(grep -c : <<<"$output")" "$(($(cat $events/*/*/id | wc -l) + 1))"
}

@test "tracepoints that may not be read: a remark, an error to who meant them alone" {
	needs_strace
	events=/sys/kernel/tracing/events
	[ -e $events ] || skip "no tracefs"
	saved skylakex
	forbidden() {
		try strace -qqo /dev/null -P $events -e inject=openat:error=EACCES "$TDSTAT" list "$@"
	}
	forbidden
	assert_success
	assert_equal "${#stderr_lines[@]}" 1
	assert_complains 'tracepoints.*may not read'
	assert_line 'Tool events:'
	refute_line Tracepoints:
	# nobody spoke of tracepoints
	forbidden page-faults
	assert_success
	assert_no_stderr
	for pattern in tracepoint 'sched:*'; do
		forbidden "$pattern"
		assert_failure 1
		assert_why_and_remedy '^tdstat: this user may not read' root
	done
	# it may be one of those
	forbidden sched_switch
	assert_failure 64
	assert_complains 'may not read'
}

@test "a model without files: a remark, and the rest" {
	saved skylakex
	export PERF_CPUID=GenuineIntel-6-FF-0
	try "$TDSTAT" list
	assert_success
	assert_complains 'GenuineIntel-6-FF'
	assert_line 'Events of PMU cpu (sysfs):'
	list cache-misses
	none model
	assert_complains 'GenuineIntel-6-FF'
	assert_complains 'model: this machine has none'
	# what sysfs' events make, which needs no files
	try "$TDSTAT" list -j metrics
	assert_success
	assert_complains 'GenuineIntel-6-FF'
	assert_complains 'no metric files.*built-in'
	assert_same "tma_backend_bound
tma_bad_speculation
tma_frontend_bound
tma_retiring" "$(jq -r "$not_built_in | .name" <<<"$output" | LC_ALL=C sort)"
}

@test "hw reads no files of the model" {
	needs_strace
	saved alderlake
	strace -o opened -e trace=openat,open "$TDSTAT" list hw >/dev/null
	grep -q cpu_core opened
	run ! grep -e pmu-events -e tracing opened
	strace -o opened -e trace=openat,open "$TDSTAT" list l2_rqsts >/dev/null
	grep -q pmu-events opened
}

@test "--cputype: names of one kind of core" {
	bare
	needs_event_files
	saved alderlake
	list -j --cputype atom hw cache pmu metric
	assert_equal "$(jq -r .pmu <<<"$output" | sort -u)" "cpu_atom
null"
	assert_equal "$(jq -r 'select(.pmu == null).kind' <<<"$output" | sort -u)" metric
	list --print --cputype core DTLB_LOAD_MISSES.WALK_COMPLETED
	assert_output "cpu_core/event=0x12,umask=0xe/ cpu_core/re12/"
}

# --- patterns ---------------------------------------------------------------------

@test "a word is a part of a name, in any case" {
	needs_event_files
	saved alderlake
	want=$(in_files alderlake 'select((.Unit // "") | startswith("cpu")) | .EventName // empty' |
		grep -i walk_comp | tr '[:upper:]' '[:lower:]' | LC_ALL=C sort -u)
	assert_same "$want" "$(names model WALK_Comp | LC_ALL=C sort)"
	assert_same "cpu_core/mem-loads/
cpu_core/mem-loads-aux/
cpu_atom/mem-loads/" "$(names sysfs mem-loads)"
	list cpu-cycles
	assert_line --regexp '^  cycles OR cpu-cycles'
}

@test "a glob is a whole name, with or without the PMU" {
	needs_event_files
	saved alderlake
	assert_same "$(in_files alderlake 'select((.Unit // "") | startswith("cpu")) | .EventName // empty' |
		grep -iE '^br_inst_retired\.n.*' | tr '[:upper:]' '[:lower:]' | LC_ALL=C sort -u)" \
		"$(names model 'BR_INST_RETIRED.N*' | LC_ALL=C sort)"
	assert_same "cpu_core/mem-loads/
cpu_atom/mem-loads/" "$(names sysfs 'mem-load[s]')"
	assert_same "cpu_atom/mem-loads/
cpu_atom/mem-stores/" "$(names sysfs 'cpu_atom/mem-*')"
	nothing 'walk_compl?'
}

@test "several patterns are or; a section's word is the section" {
	bare
	saved alderlake
	assert_same "Cache events:
Software events:
Tool events:" "$(headings cache sw tool)"
	assert_same "$(headings cache sw tool)" "$(headings HWCACHE software Tool)"
	assert_same "Hardware events:
Software events:" "$(headings hw page-faul | grep -v files)"
	assert_same "Events of PMU cpu_core (sysfs):
Events of PMU cpu_atom (sysfs):" "$(headings sysfs)"
	assert_same "$(headings pmu)" "$(headings sysfs model)"
	assert_same "Metrics:" "$(headings metrics)"
	assert_same "Metric groups:" "$(headings metricgroup)"
}

@test "names beside metrics or metricgroups are of these alone" {
	needs_event_files
	saved alderlake
	# what "-M tma_mem*" counts: the members of tma_memory_bound_group, too
	want=$(in_files alderlake 'select(.MetricName) | select([.MetricName, (.MetricGroup // "" |
		split(";")[])] | any(startswith("tma_mem"))).MetricName' | LC_ALL=C sort -u)
	[[ $want == *tma_dram_bound*tma_mem_latency* ]]
	for word in metric metrics; do
		assert_same "$want" "$(names metric $word 'tma_mem*')"
		assert_same "Metrics:" "$(headings $word 'tma_mem*')"
		# a part of a name; events have it, too
		assert_same "Metrics:" "$(headings $word l2)"
	done
	assert_same "Metrics:" "$(headings metrics TopdownL2)"
	assert_same "Metric groups:" "$(headings metricgroups TopdownL2)"
	assert_same "TopdownL1
TopdownL2
TopdownL3
TopdownL4
TopdownL5
TopdownL6" "$(names metricgroup metricgroup 'TopdownL?')"
	assert_same "Metrics:
Metric groups:" "$(headings metrics metricgroups L2Requests)"
	nothing metrics page-faults
	assert_complains "'page-faults'"
	nothing metrics tma_dram_bond
	assert_why_and_remedy "'tma_dram_bond'" "'tma_dram_bound'"
	# with other sections, each is a whole one
	assert_same "$(names metric metrics)" "$(names metric sw metrics tma_retiring)"
}

@test "a topic, a PMU and a metric's group are patterns as a whole" {
	needs_event_files
	saved alderlake
	names model virtual-memory >got
	assert_same "$(in_files alderlake 'select($topic == "virtual-memory").EventName' |
		tr '[:upper:]' '[:lower:]' | LC_ALL=C sort -u)" "$(cat got)"
	assert_equal "$("$TDSTAT" list -j cpu_atom | jq -r .pmu | sort -u)" cpu_atom
	assert_same "$(in_files alderlake 'select((.MetricGroup // "") | split(";") | index("TopdownL2")) |
		.MetricName' | LC_ALL=C sort -u)" "$(names metric TopdownL2 | LC_ALL=C sort)"
	nothing virtual-memor
}

@test "-v: descriptions, too, each PMU by itself, and the encodings" {
	needs_event_files
	saved alderlake
	nothing 'any page size'
	list -v 'ANY page size'
	# the words of the E-cores' event; the P-cores' has others
	assert_line --regexp '^  dtlb_load_misses.walk_completed +\[cpu_atom\]'
	refute_output --partial cpu_core
	assert_line '          cpu_atom/event=0x8,umask=0xe/'
	list -v tma_retiring
	assert_equal "$(grep -c '^  tma_retiring ' <<<"$output")" 2
	assert_line '          Default, TopdownL1, tma_L1_group'
}

@test "text: a metric's unit, level and parent behind its name, the rest below" {
	needs_event_files
	saved skylakex
	list metrics tma_info_thread_ipc tma_dram_bound
	assert_output "Metrics:
  tma_dram_bound       %, level 3, below tma_memory_bound
          This metric estimates how often the CPU was stalled on accesses to
          external memory (DRAM) by loads
          MemoryBound, TmaL3mem, TopdownL3, tma_L3_group,
          tma_memory_bound_group
  tma_info_thread_ipc  Instructions Per Cycle (per Logical Processor)
          Ret, Summary"
	list -v metrics tma_info_thread_ipc
	# behind the heading is the version of the files
	assert_same "$(sed '1s/, v[0-9.]* *.*:$/:/' <<<"$output")" "Metrics:
  tma_info_thread_ipc  Instructions Per Cycle (per Logical Processor)
          Ret, Summary
          formula: INST_RETIRED.ANY / tma_info_thread_clks"
	list -v metrics tma_retiring
	assert_line '  tma_retiring  %, level 1'
	assert_line '          threshold: tma_retiring > 0.7 | tma_heavy_operations > 0.1'
	# a row for each place in the tree
	saved alderlake
	list tma_cisc
	assert_line '  tma_cisc  [cpu_core]  %, level 4, below tma_microcode_sequencer'
	assert_line '  tma_cisc  [cpu_atom]  %, level 3, below tma_ifetch_bandwidth'
	list metrics tma_core_bound
	assert_line '  tma_core_bound  [cpu_core, cpu_atom]  %, level 2, below tma_backend_bound'
}

@test "nothing matches: status 64, the pattern and a close name" {
	saved alderlake
	nothing cyclez
	assert_why_and_remedy "'cyclez'" "'cycles'"
	nothing metrci
	assert_why_and_remedy "'metrci'" "'metric'"
	nothing nothinglikethis
	assert_why_and_remedy "'nothinglikethis'" 'tdstat list'
	nothing 'X-*-Y'
	assert_why_and_remedy "'X-\*-Y'" 'tdstat list'
	nothing -j cyclez
	# one of several: the others are shown
	try "$TDSTAT" list hw cyclez
	assert_success
	assert_line 'Hardware events:'
	assert_equal "${#stderr_lines[@]}" 1
	assert_complains "'cyclez'.*'cycles'"
}

@test "a close name of the model's files" {
	needs_event_files
	saved skylakex
	nothing INST_RETIRED.ANZ
	assert_why_and_remedy INST_RETIRED.ANZ "'inst_retired.any'"
}

@test "no PMU: what is left" {
	mkdir -p sys/devices/system/cpu proc
	echo 0-1 >sys/devices/system/cpu/online
	use_machine "$PWD"
	PERF_CPUID=GenuineIntel-6-97-2 try "$TDSTAT" list
	assert_success
	assert_same "Software events:
Tool events:" "$(grep -v '^ ' <<<"$output" | grep -v ^Tracepoints | grep .)"
	PERF_CPUID=GenuineIntel-6-97-2 none metrics
	assert_complains 'metrics: this machine has none'
	PERF_CPUID=GenuineIntel-6-97-2 none hw
	assert_complains 'hw: this machine has none'
	PERF_CPUID=GenuineIntel-6-97-2 none --print cycles
	assert_equal "$stderr" "tdstat: cycles: this machine has no PMU for its cores"
}

# --- how it is shown --------------------------------------------------------------

@test "text: no escapes, and 79 columns but for names that are too long" {
	for model in alderlake skylakex; do
		saved $model
		"$TDSTAT" list >plain 2>/dev/null
		"$TDSTAT" list -v >detailed 2>/dev/null
		run ! grep -P '[^\n -~]' plain detailed
		run ! grep -P ' $|\t' plain detailed
		# a name, and its PMU, are not taken apart; nor is an encoding
		awk 'length > 79 && !/^  [^ ]+( +\[[a-z_, ]+\])?$/ && !/^ +[^ ]+$/' plain detailed >long
		assert_same "" "$(cat long)"
	done
}

@test "text: a description is behind the name if it fits there, else below" {
	needs_event_files
	saved skylakex
	list sw
	assert_line "  page-faults OR faults         page faults"
	list dtlb_load_misses.walk_completed_4k dtlb_load_misses.stlb_hit
	assert_output "Events of skylakex's files, virtual-memory:
  dtlb_load_misses.stlb_hit
          Loads that miss the DTLB and hit the STLB.
  dtlb_load_misses.walk_completed_4k
          Page walk completed due to a demand data load to a 4K page"
}

@test "-j: an object a line, the same six keys, and the names of the text" {
	for model in alderlake skylakex; do
		saved $model
		"$TDSTAT" list -j >json 2>/dev/null
		[ "$(wc -l <json)" -gt 300 ]
		run ! grep -v '^{.*}$' json
		assert_equal "$(jq -cR 'fromjson | select((.kind | IN("hardware", "cache", "sysfs",
			"model", "software", "tool", "tracepoint", "metric", "metricgroup") | not) or
			(.name | type) != "string" or ([has("pmu", "topic", "desc", "encoding")] | all | not))' json)" ""
		assert_equal "$(jq -cR 'fromjson | select(.kind == "metric") | select((.formula | type) != "string" or
			([has("unit", "groups", "level", "parent", "threshold")] | all | not))' json)" ""
		# (the kernel tree has a metric with a blank in its name)
		assert_same "$(jq -r '.name | split(" ")[0]' json | uniq)" \
			"$("$TDSTAT" list 2>/dev/null | sed -n 's/^  \([^ ]*\).*/\1/p' | grep . | uniq)"
	done
}

@test "every name that is listed is one that -e takes, with the encoding that is said" {
	bare
	needs_event_files
	for model in alderlake skylakex lunarlake; do
		saved $model
		"$TDSTAT" list -j hw cache sysfs model sw >json
		jq -r .name json | uniq >names
		[ "$(wc -l <names)" -gt 100 ]
		assert_same "$(jq -r .encoding json)" \
			"$(xargs "$TDSTAT" list --print <names | cut -d' ' -f1)"
	done
}

@test "a full disk is an error" {
	[ -e /dev/full ] || skip "no /dev/full"
	saved alderlake
	for args in '' -j '--print cycles'; do
		try sh -c '"$TDSTAT" list "$@" >/dev/full' - $args
		assert_failure 1
		assert_complains 'No space left'
	done
}

# --- --print ----------------------------------------------------------------------

# prints EVENT LINE...: --print's lines of an event
prints() {
	list --print "$1"
	assert_same "$(printf '%s\n' "${@:2}")" "$output"
}

# By hand from the JSON files (EventCode, UMask, CounterMask, Invert, EdgeDetect,
# MSRIndex 0x3f6 ldlat, 0x3f7 frontend, 0x1a6 offcore_rsp) and sysfs' events and
# format; the PMUs' types are 4 and 10.
@test "--print on Alder Lake" {
	needs_event_files
	saved alderlake
	prints DTLB_LOAD_MISSES.WALK_COMPLETED "cpu_core/event=0x12,umask=0xe/ cpu_core/re12/" \
		"cpu_atom/event=0x8,umask=0xe/ cpu_atom/re08/"
	prints cycles '0:0x400000000 cpu_core/cycles/' '0:0xa00000000 cpu_atom/cycles/'
	prints LLC-load-misses:u '3:0x400010002:u cpu_core/LLC-load-misses/u' \
		'3:0xa00010002:u cpu_atom/LLC-load-misses/u'
	prints cpu_atom/mem-loads/pp "cpu_atom/event=0xd0,umask=0x5,ldlat=0x3/pp"
	prints FRONTEND_RETIRED.LATENCY_GE_8 "cpu_core/event=0xc6,umask=0x1,frontend=0x600806/"
	prints MEM_TRANS_RETIRED.LOAD_LATENCY_GT_128:P "cpu_core/event=0xcd,umask=0x1,ldlat=0x80/P"
	prints OCR.DEMAND_DATA_RD.L3_MISS "cpu_core/event=0x2a,umask=0x1,offcore_rsp=0x3fbfc00001/" \
		"cpu_atom/event=0xb7,umask=0x1,offcore_rsp=0x3f84400001/"
	prints INT_MISC.CLEARS_COUNT "cpu_core/event=0xad,umask=0x1,cmask=0x1,edge=0x1/ cpu_core/r10401ad/"
	prints UOPS_RETIRED.STALL_CYCLES "cpu_core/event=0xc2,umask=0x2,cmask=0x1,inv=0x1/ cpu_core/r18002c2/"
	prints topdown_bad_speculation.all/edge/u "cpu_atom/event=0x73,edge=0x1/u cpu_atom/r40073/u"
	prints slots "cpu_core/event=0x0,umask=0x4/ cpu_core/r400/"
	prints r1a8 "cpu_core/event=0xa8,umask=0x1/ cpu_core/r1a8/" "cpu_atom/event=0xa8,umask=0x1/ cpu_atom/r1a8/"
}

@test "--print on Sapphire Rapids" {
	needs_event_files
	saved sapphirerapids
	prints dtlb_load_misses.walk_completed "cpu/event=0x12,umask=0xe/ re12"
	prints INST_RETIRED.ANY "cpu/event=0xc0/ rc0"
	prints CPU_CLK_UNHALTED.THREAD:k "cpu/event=0x3c/k r3c:k"
	prints OCR.READS_TO_CORE.L3_MISS "cpu/event=0x2a,umask=0x1,offcore_rsp=0x3f3fc04477/"
	prints EXE_ACTIVITY.BOUND_ON_STORES "cpu/event=0xa6,umask=0x40,cmask=0x2/ r20040a6"
	prints CYCLE_ACTIVITY.STALLS_L3_MISS "cpu/event=0xa3,umask=0x6,cmask=0x6/ r60006a3"
	prints cpu/topdown-mem-bound/ "cpu/event=0x0,umask=0x87/ r8700"
	prints branches 0:0x4
}

@test "--print on Skylake-SP" {
	needs_event_files
	saved skylakex
	prints DTLB_LOAD_MISSES.WALK_COMPLETED "cpu/event=0x8,umask=0xe/ re08"
	prints INT_MISC.RECOVERY_CYCLES_ANY "cpu/event=0xd,umask=0x1,any=0x1/ r20010d"
	prints OFFCORE_RESPONSE.DEMAND_DATA_RD.ANY_RESPONSE "cpu/event=0xb7,umask=0x1,offcore_rsp=0x10001/"
	prints UOPS_ISSUED.STALL_CYCLES:u "cpu/event=0xe,umask=0x1,cmask=0x1,inv=0x1/u r180010e:u"
	prints FRONTEND_RETIRED.DSB_MISS "cpu/event=0xc6,umask=0x1,frontend=0x11/"
	prints topdown-recovery-bubbles "cpu/event=0xd,umask=0x1,any=0x1,cmask=0x1/ r120010d"
	prints L1-dcache-load-misses 3:0x10000
}

# l3_miss PMU: the files' MSRValue
l3_miss() {
	jq -r --arg pmu "$1" '.[] | select(.EventName == "OCR.DEMAND_DATA_RD.L3_MISS" and .Unit == $pmu) |
		.MSRValue | ascii_downcase' "$TD_PMU_EVENTS"/lunarlake/*.json 2>/dev/null
}

@test "--print on Lunar Lake" {
	needs_event_files
	saved lunarlake
	prints DTLB_LOAD_MISSES.WALK_COMPLETED "cpu_core/event=0x12,umask=0xe/ cpu_core/re12/" \
		"cpu_atom/event=0x8,umask=0xe/ cpu_atom/re08/"
	prints OCR.DEMAND_DATA_RD.L3_MISS "cpu_core/event=0x2a,umask=0x1,offcore_rsp=$(l3_miss cpu_core)/" \
		"cpu_atom/event=0xb7,umask=0x1,offcore_rsp=$(l3_miss cpu_atom)/"
	prints mem-loads "cpu_core/event=0xcd,umask=0x1,ldlat=0x3/" "cpu_atom/event=0xd0,umask=0x5,ldlat=0x3/"
	prints instructions:p '0:0x400000001:p cpu_core/instructions/p' \
		'0:0xa00000001:p cpu_atom/instructions/p'
	prints TOPDOWN.SLOTS_P "cpu_core/event=0xa4,umask=0x1/ cpu_core/r1a4/"
	# an Atom term, typed: not one of the other names of the same bits
	prints cpu_atom/event=0xb7,snoop_rsp=0x10/ "cpu_atom/event=0xb7,snoop_rsp=0x10/"
}

@test "--print: bits without a name, or with too many, stay in their word" {
	saved alderlake
	# bits 0-15, 18, 19, 23 and 24-31 have names; all of config1 has three
	prints cpu_core/config=0x100012000c5/ \
		"cpu_core/event=0xc5,cmask=0x1,config=0x10000200000/ cpu_core/r100012000c5/"
	prints cpu_core/config=0x3c,config1=0x7/ "cpu_core/event=0x3c,config1=0x7/"
	prints cpu_core/event=0x3c,config2=0x7/ "cpu_core/event=0x3c,config2=0x7/"
}

@test "--print: groups, lists and several arguments, one line an event" {
	saved skylakex
	list --print '{cycles,r1a8}:u' branches,faults 1:3 0:0x1:k duration_time mem:0x1000/4:rw
	assert_output "0:0x0:u
cpu/event=0xa8,umask=0x1/u r1a8:u
0:0x4
1:0x2
1:0x3
0:0x1:k
duration_time
mem:0x1000/4:rw"
	list --print cpu/event=0x3c,name=mine,percore/
	assert_output "cpu/event=0x3c,percore/"
}

@test "--print: a tracepoint is its id" {
	id=/sys/kernel/tracing/events/sched/sched_switch/id
	[ -r $id ] || skip "this user may not read tracefs"
	list --print sched:sched_switch
	assert_output "$(printf '2:0x%x' "$(cat $id)")"
}

@test "--print: errors as -e has them" {
	saved alderlake
	for event in nosuch cycles:q cpu_core/nosuch=1/ 'cycles,' cpu_core/umask=0x1000/; do
		try "$TDSTAT" list --print "$event"
		assert_failure 64
		printed=$stderr
		assert_complains '\^'
		try "$TDSTAT" --dry-run -a -e "$event"
		assert_equal "$printed" "$stderr"
	done
}

@test "what --print says of an event is opened as the event is" {
	needs_event_files
	for model in alderlake skylakex; do
		saved $model
		for event in DTLB_LOAD_MISSES.WALK_COMPLETED cycles:u LLC-loads INST_RETIRED.ANY:k \
			MEM_TRANS_RETIRED.LOAD_LATENCY_GT_128 FRONTEND_RETIRED.DSB_MISS branch-misses; do
			attrs() {
				"$TDSTAT" --dry-run -a -e "$1" | sed -n 's/^  .* \(type [0-9]\)/\1/p'
			}
			want=$(attrs "$event")
			[ -n "$want" ]
			list --print "$event"
			assert_same "$want" "$(attrs "$(cut -d' ' -f1 <<<"$output" | paste -sd,)")"
			# between slashes sysfs' own branch-misses wins
			[[ $output != *' '* || $event == branch-misses ]] ||
				assert_same "$want" "$(attrs "$(cut -d' ' -f2 <<<"$output" | paste -sd,)")"
		done
	done
}

# --- --model ----------------------------------------------------------------------

# of_cores [ARG...]: of "list -j", what is known of a model without its sysfs
of_cores() {
	"$TDSTAT" list -j hw cache sysfs model metrics metricgroups "$@" 2>/dev/null |
		jq -c 'select((.pmu // "cpu" | startswith("cpu")) and (.name | test("/mem-") | not))' | sort
}

@test "--model: what the saved machine of that model has" {
	needs_event_files
	for model in alderlake meteorlake lunarlake sapphirerapids icelakex tigerlake; do
		(
			saved $model
			of_cores >want
		)
		[ "$(wc -l <want)" -gt 200 ]
		SYSFS_PATH=/nonexistent PROCFS_PATH=/nonexistent of_cores --model $model >got
		# what its units have stands in groups, too
		diff <(jq -c 'select(.kind != "metricgroup")' want) <(jq -c 'select(.kind != "metricgroup")' got)
	done
}

@test "--model: a folder, a name and an identity mean the same" {
	needs_event_files
	"$TDSTAT" list -j --model alderlake model metrics >want
	for name in AlderLake 'Alder Lake' 'alder lake' GenuineIntel-6-97 GenuineIntel-6-97-2 GenuineIntel-6-9A-0; do
		"$TDSTAT" list -j --model "$name" model metrics | cmp - want
	done
	# these differ in the stepping alone
	for name in skylakex cascadelakex; do
		"$TDSTAT" list -j --model $name metrics | jq -r .name | sort -u >got
		jq -r '.[].MetricName // empty' "$TD_PMU_EVENTS/$name"/*-metrics.json | sort -u | comm -23 - got >missing
		assert_same '' "$(<missing)"
	done
	grep -qx tma_info_system_mem_pmm_read_latency got
}

@test "--model: each folder of the files has events" {
	needs_event_files
	for folder in "$TD_PMU_EVENTS"/[!c]*/ "$TD_PMU_EVENTS"/c[!o]*/; do # but common
		try "$TDSTAT" list -j --model "$(basename "$folder")" model
		assert_success
		[ "${#lines[@]}" -gt 20 ] || fail "$folder"
	done
}

@test "--model: units outside of the cores have no encodings" {
	needs_event_files
	try "$TDSTAT" list -j --model sapphirerapids model
	assert_success
	[ "$(jq -r 'select(.pmu == "uncore_cha") | .encoding' <<<"$output" | sort -u)" = null ]
	run ! jq -es 'any(.[]; .pmu == "cpu" and .encoding == null)' <<<"$output"
}

@test "--model: an unknown name, and what is close" {
	try "$TDSTAT" list --model adlerlake
	assert_failure 64
	assert_output ''
	assert_regex "${stderr_lines[0]}" '^tdstat: --model adlerlake: no such processor$'
	assert_regex "${stderr_lines[1]}" "'(alderlake|Alder Lake)'"
	try "$TDSTAT" list --model qqq
	assert_failure 64
	assert_regex "${stderr_lines[1]}" "alderlake, 'Alder Lake' and GenuineIntel-6-97"
}

@test "--model: what is not known is said" {
	needs_event_files
	try "$TDSTAT" list --model alderlake tracepoint
	assert_failure 1
	assert_regex "$stderr" "no tracepoints: they are a kernel's"
	try "$TDSTAT" list --model alderlake sysfs
	assert_success
	assert_regex "$stderr" 'not all events of sysfs are known'
	list --model alderlake metrics tma_retiring
}

@test "--model with --dry-run: the plan of the saved machine" {
	needs_event_files
	# its watchdog and hyper-threading are on; these leave no trace in it
	for words in '-l 1' '-e cycles,slots' '-d'; do
		for model in alderlake sapphirerapids; do
			(
				saved $model
				"$TDSTAT" --dry-run $words -- true
			) | sed 1d >want
			"$TDSTAT" --dry-run --model $model $words -- true | sed 1d >got
			[ -s want ]
			diff want got
		done
	done
	try "$TDSTAT" --dry-run -a --per-core --model 'Alder Lake' -l 1
	assert_success
	assert_output --partial 'group 1: cpu_atom, 6 events, CPUs 1'
}
