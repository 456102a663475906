#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# -M: what would be counted on saved machines, and what is shown of recordings.
# Expected encodings and formulas were read from the kernel tree's metric files,
# by eye or by metrics.py.

# shellcheck disable=SC2016,SC2086,SC2154 # sh -c, awk; lists of options; helper.bash
load helper


# planned OPTION...: without what only tells how busy the CPUs are
planned() {
	"$TDSTAT" --dry-run -a "$@" 2>/dev/null | grep -vE '^  cpu[a-z_]*/(ref|cpu)-cycles/'
}

# configs OPTION...: of each event that would be opened, once
configs() {
	# 0xc0: instructions are counted with each tree
	planned "$@" | awk '$2 == "type" && $5 != "0xc0" { print $5 }' | sort -u | xargs
}

# how_many OPTION...: events and groups
how_many() {
	planned "$@" | awk '$2 == "type" && $5 != "0xc0" { events++ } /^group/ { groups++ } END { print events + 0, groups + 0 }'
}

# recorded EVENT OPTION...: a recording of what would be counted; all but the
# first group of a PMU ran a quarter of the time, EVENT (- is none) never
recorded() {
	"$TDSTAT" --dry-run -a "${@:2}" 2>/dev/null | python3 "$here/metrics.py" record "$1" >recording.jsonl
	[ "$(jq -s length recording.jsonl)" -eq 3 ]
}

# tsc MODEL: a copy with the time-stamp counter, as Linux has it everywhere
tsc() {
	copied "$1"
	mkdir -p "$devices"/msr/{events,format}
	echo 7 >"$devices/msr/type"
	echo config:0-63 >"$devices/msr/format/event"
	echo event=0x00 >"$devices/msr/events/tsc"
}

# json OPTION...: "METRIC VALUE LEVEL PARENT" of the recording
json() {
	"$TDSTAT" report -i recording.jsonl -j "$@" | jq -r '"\(.metric) \(.value) \(.level) \(.parent)"'
}

# shown_as_text OPTION...: the names
shown_as_text() {
	"$TDSTAT" report -i recording.jsonl "$@" | without_errors | awk '$2 == "%" && $3 != "of" { print $3 }'
}

# of JSON: what two evaluators agree on
rounded='"\(.time) \(.pmu) \(.metric) \((.value // 0) * 1e6 | round) \(.over_threshold)"'

# includes "A B C" "A C": all of the second are in the first
includes() {
	assert_equal "$(tr ' ' '\n' <<<"$1 $2" | sort -u | xargs)" "$(tr ' ' '\n' <<<"$1" | sort -u | xargs)"
}

# --- names, groups, globs, modifiers ----------------------------------------------

@test "-M with a group of the tree: what its metrics and their thresholds take, no more" {
	saved sapphirerapids
	# memory and core bound: slots, level 1 and the fields of memory bound
	assert_equal "$(configs -M tma_backend_bound_group)" "0x400 0x8000 0x8100 0x8200 0x8300 0x8700"
	assert_equal "$(how_many -M tma_backend_bound_group)" "6 1"
}

@test "-M: names in any case, lists, several -M, globs" {
	saved sapphirerapids
	both=$(configs -M tma_fetch_latency,tma_memory_bound)
	# both want level 1; slots, retiring, bad speculation, ...
	includes "$both" "0x400 0x8000 0x8100 0x8200 0x8300 0x8600 0x8700 0x10ad"
	assert_equal "$(configs -M TMA_fetch_LATENCY -M 'tma_memory_bound')" "$both"
	assert_equal "$(configs -M ' tma_memory_bound , tma_fetch_latency ')" "$both"
	assert_equal "$(configs -M 'tma_fetch_l*y,TMA_m[a-e]mory_b?und')" "$both"
	assert_equal "$(configs -M 'fetch_latency,Memory_bound')" "$both"
	assert_equal "$(configs -M TopdownL1)" "0x10ad 0x400 0x8000 0x8100 0x8200 0x8300 0x8400"
	assert_equal "$(configs -M topdownl2)" "$(configs -M 'Topdown?2')"
	includes "$(configs -M all)" "$(configs -l 6)"
}

@test "-M: names that the shell would take apart" {
	saved alderlake
	jq -r '.[] | select(.Unit == "cpu_atom") | .MetricName // empty' "$TD_PMU_EVENTS/alderlake/adl-metrics.json" |
		grep '[ %]' >names
	[ -s names ]
	while IFS= read -r name; do
		try "$TDSTAT" --dry-run -a -M "tma_frontend_bound,$name" --cputype atom
		assert_success
		recorded - -M "$name" --cputype atom
		assert_equal "$("$TDSTAT" report -i recording.jsonl -M "$name" -j | jq -r .metric)" "$name"
	done <names
}

@test "-M NAME:u: all of its events in user mode, :k all in the kernel's" {
	saved alderlake
	for name in tma_l2_bound tma_heavy_operations TopdownL1 'tma_b*'; do
		# the TSC, which msr reads, is in no mode
		"$TDSTAT" --dry-run -a -M "$name:u" | grep ' type ' | grep -v ' msr/' >user
		"$TDSTAT" --dry-run -a -M "$name:k" | grep ' type ' | grep -v ' msr/' >kernel
		[ -s user ] && [ -s kernel ]
		! grep -v 'exclude_kernel' user || fail "$name:u"
		! grep -v 'exclude_user' kernel || fail "$name:k"
		! grep 'exclude_user' user || fail "$name:u"
	done
	try "$TDSTAT" --dry-run -a -M tma_l2_bound:z
	assert_failure 64
	assert_complains 'tma_l2_bound:z'
}

@test "-M on a hybrid: on each core PMU that has it" {
	saved alderlake
	try "$TDSTAT" --dry-run -a -M tma_fetch_latency
	[[ $output == *"cpu_core/"* && $output != *"cpu_atom/"* ]]
	try "$TDSTAT" --dry-run -a -M tma_ifetch_latency
	[[ $output == *"cpu_atom/"* && $output != *"cpu_core/"* ]]
	try "$TDSTAT" --dry-run -a -M tma_core_bound
	[[ $output == *"cpu_core/topdown-mem-bound/"* && $output == *"cpu_atom/"* ]]
	try "$TDSTAT" --dry-run -a -M tma_core_bound --cputype atom
	[[ $output == *"cpu_atom/"* && $output != *"cpu_core/"* ]]
}

@test "-M with an unknown name: the close one, and nothing is run without it" {
	saved sapphirerapids
	for names in tma_bckend_bound tma_retiring,tma_bckend_bound tma_bckend_bound:u; do
		for how in '--dry-run -a' '-a -- touch ran' 'record -o rec.jsonl -a -- touch ran'; do
			try "$TDSTAT" $how -M $names
			[ "$how" = '--dry-run -a' ] || try "$TDSTAT" ${how%% -- *} -M $names -- touch ran
			assert_failure 64
			assert_output ''
			assert_why_and_remedy tma_bckend_bound tma_backend_bound
		done
	done
	[ ! -e ran ]
	try "$TDSTAT" --dry-run -a -M TopdwonL1
	assert_failure 64
	assert_why_and_remedy TopdwonL1 TopdownL1
	try "$TDSTAT" --dry-run -a -M zzyzx_42_qqq
	assert_failure 64
	assert_complains zzyzx_42_qqq
	for names in '' ',' ' '; do
		try "$TDSTAT" --dry-run -a -M "$names"
		assert_failure 64
	done
}

@test "-M beside -e, and levels that are not there: wrong usage" {
	saved sapphirerapids
	for options in '-M tma_retiring -e cycles' '-l 7' '-l -1' '-l x' '--td-level 7' '--td-level 1.5'; do
		try "$TDSTAT" --dry-run -a $options
		assert_failure 64
		assert_output ''
		assert_complains '-(M|l|-td-level|-level)'
	done
}

# --- what it costs ------------------------------------------------------------------

@test "--metric-no-threshold: no event but the formula's own" {
	saved sapphirerapids
	# MEMORY_ACTIVITY.STALLS_L3_MISS and CPU_CLK_UNHALTED.THREAD
	assert_equal "$(configs --metric-no-threshold -M tma_dram_bound)" "0x3c 0x9000947"
	# its threshold is one of level 1 and of memory bound
	includes "$(configs -M tma_dram_bound)" "0x3c 0x9000947 0x400 0x8000 0x8100 0x8200 0x8300 0x8700"
}

@test "identical events are counted once; --metric-no-merge: for each metric" {
	saved sapphirerapids
	two='--metric-no-threshold -M tma_dram_bound,tma_l3_bound'
	# L2 and L3 misses and cycles; then L3 misses and cycles twice
	assert_equal "$(how_many $two)" "3 1"
	assert_equal "$(how_many $two --metric-no-merge)" "5 1"
	try "$TDSTAT" --dry-run -a --metric-no-merge -M TopdownL1,TopdownL2
	assert_success
	assert_equal "$(grep -c 'config 0x400 ' <<<"$output")" 1
}

@test "--metric-no-group: each event a group of its own, but for SLOTS' own" {
	saved sapphirerapids
	assert_equal "$(how_many --metric-no-threshold -M tma_dram_bound,tma_l3_bound --metric-no-group)" "3 3"
	groups -a -l 3 --metric-no-group >got
	awk '{ nr[$1]++; slots[$1] += $5 == "0x400"; field[$1] += $5 ~ /^0x8[0-7]00$/ }
		END { for (g in nr) {
			if (!slots[g] && (nr[g] > 1 || field[g])) exit 1
			if (slots[g] && nr[g] != 1 + field[g]) exit 1
		} }' got || fail "$(<got)"
	# the same events for all that
	includes "$(configs -l 3)" "$(configs -l 3 --metric-no-group)"
	assert_equal "$(configs -l 2 --metric-no-group)" "$(configs -l 2)"
}

@test "-l N: all levels above are in it" {
	for model in sapphirerapids alderlake meteorlake icelakex skylakex tigerlake; do
		saved $model
		for level in 3 4 5 6; do
			includes "$(configs -l $level)" "$(configs -l $((level - 1)) -M TopdownL1)"
		done
	done
}

# --- files -----------------------------------------------------------------------------

@test "-l 3 where there are no metric files: says so, and shows levels 1 and 2" {
	saved lunarlake
	export TDSTAT_METRICS=$TD_PMU_EVENTS_OLD
	try "$TDSTAT" --dry-run -a -l 3
	assert_success
	assert_complains 'cpu_core.*no metric files'
	assert_complains 'cpu_atom.*no metric files'
	assert_equal "$(configs -l 3)" "$(configs -l 2)"
	try "$TDSTAT" --dry-run -a -l 2
	assert_success
	assert_no_stderr
}

@test "--metrics-dir: the kernel's tree, and one model's folder of it" {
	saved sapphirerapids
	# without the events by which groups that take turns are scaled
	configs -l 3 --metric-no-group >want
	[ "$(wc -w <want)" -gt 30 ]
	assert_equal "$(configs -l 3 --metric-no-group --metrics-dir "$TD_PMU_EVENTS")" "$(<want)"
	assert_equal "$(configs -l 3 --metric-no-group --metrics-dir "$TD_PMU_EVENTS/sapphirerapids")" "$(<want)"
	assert_equal "$(configs -l 3 --metric-no-group --metrics-dir "$TD_PMU_EVENTS/sapphirerapids/")" "$(<want)"
	assert_equal "$(TDSTAT_METRICS=$TD_PMU_EVENTS/sapphirerapids configs -l 3 --metric-no-group)" "$(<want)"
	assert_equal "$(TDSTAT_METRICS='' configs -l 3 --metric-no-group)" "$(<want)"
	# a model's folder is taken whatever the processor is
	copied sapphirerapids
	identity 6 $((0xfe)) 0
	assert_equal "$(configs -l 3 --metric-no-group --metrics-dir "$TD_PMU_EVENTS/sapphirerapids")" "$(<want)"
}

# own_tree: one with a metric of its own, for Sapphire Rapids
own_tree() {
	mkdir -p own/mine
	printf '%s\n' Family-model,Version,Filename,EventType GenuineIntel-6-8F,v1,mine,core >own/mapfile.csv
	cat >own/mine/a.json <<-'JSON'
		[
		{"EventName": "MY.EVENT", "EventCode": "0x24", "UMask": "0x3f"},
		{"MetricName": "my_metric", "MetricExpr": "MY.EVENT / CPU_CLK_UNHALTED.THREAD",
		 "MetricGroup": "Mine", "ScaleUnit": "100%"},
		{"EventName": "CPU_CLK_UNHALTED.THREAD", "UMask": "0x2"}
		]
	JSON
}

@test "--metrics-dir and TDSTAT_METRICS: another tree, instead of the program's" {
	saved sapphirerapids
	own_tree
	assert_equal "$(configs -M my_metric --metrics-dir own)" "0x3c 0x3f24"
	assert_equal "$(configs -M mine --metrics-dir own/)" "0x3c 0x3f24"
	assert_equal "$(TDSTAT_METRICS=own configs -M my_metric)" "0x3c 0x3f24"
	# the option wins
	assert_equal "$(TDSTAT_METRICS=/nonexistent configs -M my_metric --metrics-dir own)" "0x3c 0x3f24"
	try "$TDSTAT" --dry-run -a -M my_metric
	assert_failure 64
	try "$TDSTAT" --dry-run -a -M tma_dram_bound --metrics-dir own
	assert_failure 64
}

@test "--metrics-dir and TDSTAT_METRICS that make no sense: which, and why" {
	saved sapphirerapids
	mkdir empty
	echo hello >file
	for dir in nonexistent empty file /dev/null; do
		try "$TDSTAT" --dry-run -a -l 3 --metrics-dir $dir
		assert_failure
		assert_output ''
		assert_complains "$dir"
		TDSTAT_METRICS=$dir try "$TDSTAT" --dry-run -a -l 3
		assert_failure
		assert_complains "$dir"
	done
	own_tree
	sed -i 's/"MetricExpr": "/&(/' own/mine/a.json
	try "$TDSTAT" --dry-run -a -M my_metric --metrics-dir own
	assert_failure
	assert_complains my_metric
	echo '[{"EventName": "X"' >own/mine/b.json
	try "$TDSTAT" --dry-run -a -M my_metric --metrics-dir own
	assert_failure
	assert_complains 'own/mine/b\.json'
	sed -i s/8F/8E/ own/mapfile.csv
	try "$TDSTAT" --dry-run -a -M my_metric --metrics-dir own
	assert_failure
	assert_complains 'GenuineIntel-6-8F'
}

# another NAME KIND: what stands in the place of a file is named, not waited for
another() {
	try timeout 30 "$TDSTAT" --dry-run -a -M my_metric --metrics-dir own
	assert_failure 1
	assert_complains "$1: $2, not a file"
	assert_equal "${#stderr_lines[@]}" 1
	TDSTAT_METRICS=own try timeout 30 "$TDSTAT" list metrics
	assert_complains "$1: $2, not a file"
	rm "own/$1"
}

@test "--metrics-dir: a FIFO, a socket, a device in it are named, and not waited for" {
	saved sapphirerapids
	own_tree
	mkfifo own/mine/b.json
	another mine/b.json "a FIFO"
	python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("own/mine/b.json")'
	another mine/b.json "a socket"
	ln -s /dev/zero own/mine/b.json
	another mine/b.json "a device"
	mv own/mapfile.csv map
	mkfifo own/mapfile.csv
	another mapfile.csv "a FIFO"
	mv map own/mapfile.csv
	assert_equal "$(configs -M my_metric --metrics-dir own)" "0x3c 0x3f24"
}

# --- the L2 cache -----------------------------------------------------------------------

# l2_umasks: those of event 0x24 that L2Requests would count
l2_umasks() {
	"$TDSTAT" --dry-run -a -M L2Requests |
		awk '$2 == "type" { print $5 }' | sed -n 's/^0x\(..\)24$/\1/p' | sort | xargs
}

@test "L2Requests: who asked (1 2 4 8 10) by what became of it (miss 20, hit 40 80 c0)" {
	want=$(for who in 1 2 4 8 16; do
		for what in 32 64 128 192; do printf '%02x\n' $((who | what)); done
	done | sort | xargs)
	for model in skylakex sapphirerapids icelakex; do
		saved $model
		assert_equal "$(l2_umasks)" "$want"
	done
	# Atom cores have no such event
	saved alderlake
	assert_equal "$(l2_umasks)" "$want"
	try "$TDSTAT" --dry-run -a -M L2Requests
	[[ $output != *cpu_atom/* ]]
}

@test "cpu=: an event of another PMU on the CPUs of one kind of core" {
	tsc alderlake
	try "$TDSTAT" --dry-run -a -e 'msr/tsc,cpu=cpu_atom/,msr/tsc/'
	assert_success
	assert_equal "$(grep -o 'CPUs [0-9-]*' <<<"$output" | xargs)" 'CPUs 4-7 CPUs 0-7'
	# of a metric: in the group of an event of that kind of core, without which it
	# would count a task's time on all
	try "$TDSTAT" --dry-run -M tma_info_system_cpus_utilized -- true
	assert_success
	awk '/^group/ { own = 0 } $1 ~ "^cpu_core/" { own = 1 }
		$1 == "msr/tsc,cpu=cpu_core/" { found += own; n++ } END { exit !(n && found == n) }' <<<"$output"
	try "$TDSTAT" --dry-run -e 'msr/tsc,cpu=cpu_atom/' -- true
	assert_complains 'takes -a or -C'
	try "$TDSTAT" --dry-run -a -e 'msr/tsc,cpu=3/'
	assert_failure 64
	assert_complains 'cpu=3: no kind of core here'
	assert_complains '-C chooses CPUs by their numbers'
}

# --- recordings ---------------------------------------------------------------------------

# finds_all MODEL FOLDER FILE [PMU...]: what is counted at level 6 makes up the
# whole tree of the file, each node under its parent, and each with a value
finds_all() {
	tsc "$1"
	recorded - -l 6
	"$TDSTAT" report -i recording.jsonl -l 6 --all -j >report.jsonl
	for pmu in "${@:4}"; do
		python3 "$here/metrics.py" nodes "$TD_PMU_EVENTS/$2/$3" $pmu | sort >want
		[ "$(wc -l <want)" -gt 20 ]
		jq -r --arg pmu $pmu 'select(.pmu == $pmu) | "\(.metric) \(.level) \(.parent)"' report.jsonl |
			sort >got
		diff -u want got
		jq -e --arg pmu $pmu -s 'map(select(.pmu == $pmu)) |
			all(.[]; .value != null and .unit == "%")' report.jsonl
	done
}

@test "the whole tree from its recording: Sapphire Rapids" { finds_all sapphirerapids sapphirerapids spr-metrics.json cpu; }
@test "the whole tree from its recording: Alder Lake" { finds_all alderlake alderlake adl-metrics.json cpu_core cpu_atom; }
@test "the whole tree from its recording: Ice Lake" { finds_all icelakex icelakex icx-metrics.json cpu; }
@test "the whole tree from its recording: Tiger Lake" { finds_all tigerlake tigerlake tgl-metrics.json cpu; }
@test "the whole tree from its recording: Skylake" { finds_all skylakex skylakex skx-metrics.json cpu; }

@test "Meteor Lake: all but what needs retire latencies, and those say so" {
	tsc meteorlake
	recorded - -l 6
	try "$TDSTAT" report -i recording.jsonl -l 6 --all -v
	assert_success
	"$TDSTAT" report -i recording.jsonl -l 6 --all -j >report.jsonl
	for pmu in cpu_core cpu_atom; do
		python3 "$here/metrics.py" nodes "$TD_PMU_EVENTS/meteorlake/mtl-metrics.json" $pmu | cut -d' ' -f1 |
			sort >want
		jq -r --arg pmu $pmu 'select(.pmu == $pmu and .value != null) | .metric' report.jsonl | sort >got
		comm -23 want got >without
		assert_equal "$(comm -13 want got)" ''
		[ $pmu = cpu_core ] || [ ! -s without ]
	done
	# ":R" in the file, of its own or of its parent's
	python3 "$here/metrics.py" nodes "$TD_PMU_EVENTS/meteorlake/mtl-metrics.json" cpu_core | cut -d' ' -f1 |
		grep -xE 'tma_(contested_accesses|data_sharing|dtlb_load|dtlb_store|l3_hit_latency|lock_latency|split_(loads|stores)|(load|store)_stlb_hit)' |
		sort >want
	[ "$(wc -l <want)" -eq 10 ]
	jq -r 'select(.pmu == "cpu_core" and .value != null) | .metric' report.jsonl >got
	assert_equal "$(grep -xFf want got)" ''
	try "$TDSTAT" --dry-run -a -M tma_lock_latency --no-record-tpebs
	assert_failure
	assert_complains 'retire latency'
	try "$TDSTAT" --dry-run -a -v -l 4 --no-record-tpebs
	assert_success
	assert_complains 'tma_lock_latency.*retire latency'
	refute_line --partial 'sampled'
}

@test "Meteor Lake: what needs retire latencies samples them, and nothing else does" {
	tsc meteorlake
	for option in '' --record-tpebs; do
		# shellcheck disable=SC2086
		try "$TDSTAT" --dry-run -a -M tma_lock_latency $option
		assert_success
		assert_line 'sampled for its latency: cpu_core/MEM_INST_RETIRED.LOCK_LOADS/'
		assert_equal "$(grep -c sampled <<<"$output")" 1
	done
	"$TDSTAT" --dry-run -a -l 6 --record-tpebs >printed
	jq -r '.[] | select(.MetricGroup // "" | test("TopdownL[1-6]")) | .MetricExpr' \
		"$TD_PMU_EVENTS/meteorlake/mtl-metrics.json" | grep -oE '[A-Z0-9_.]+@R' | sort -u >want
	[ "$(wc -l <want)" -gt 8 ]
	assert_equal "$(grep -c sampled printed)" "$(wc -l <want)"
	"$TDSTAT" --dry-run -a -l 2 --record-tpebs >printed
	assert_equal "$(grep -c sampled printed)" 0
}

@test "retire latencies of a recording: thirty samples or none, and no value is 0" {
	saved meteorlake
	recorded - -l 6
	value() {
		jq -c --argjson samples "$1" 'if .tdstat then .latencies = true
			elif .counts then {latencies: {"cpu_core/MEM_INST_RETIRED.LOCK_LOADS/": $samples}}, . else . end' \
			recording.jsonl >sampled.jsonl
		"$TDSTAT" report sampled.jsonl -l 6 --all -j --cputype core | jq -s '.[] | select(.metric == "tma_lock_latency") | .value'
	}
	one=$(value '[30,30]') twenty=$(value '[800,40]')
	assert_equal "$(jq -n "$twenty / $one | . * 1000 | round")" 20000
	assert_equal "$(value '[580,29]')" null
	assert_equal "$(value '[0,100]')" null
	"$TDSTAT" report sampled.jsonl -l 6 --all -j --cputype core |
		grep '"tma_lock_latency"' | grep -q 'fewer than 30 samples'
	for wrong in '[1]' '[-1,1]' '["a",1]' '[70000,1]' 1; do
		try value "$wrong"
		assert_complains 'latencies'
	done
}

@test "typed events with R are sampled" {
	saved meteorlake
	try "$TDSTAT" --dry-run -a -e MEM_INST_RETIRED.LOCK_LOADS:Ru,cycles
	assert_success
	assert_line 'sampled for its latency: cpu_core/MEM_INST_RETIRED.LOCK_LOADS/Ru'
	refute_line --partial '  cpu_core/MEM_INST_RETIRED'
	try "$TDSTAT" --dry-run -a -e MEM_INST_RETIRED.LOCK_LOADS:R
	assert_success
	try "$TDSTAT" --dry-run -a -e MEM_INST_RETIRED.LOCK_LOADS:R --no-record-tpebs
	assert_failure
	assert_complains 'modifier R.*--no-record-tpebs'
	saved sapphirerapids
	try "$TDSTAT" --dry-run -a -e MEM_INST_RETIRED.LOCK_LOADS:R
	assert_failure
	assert_complains 'modifier R: samples of this processor do not tell'
}

@test "--record-tpebs where samples tell no latency" {
	saved sapphirerapids
	try "$TDSTAT" --dry-run -a -l 3 --record-tpebs
	assert_success
	assert_complains 'do not tell retire latencies'
	for options in '--record-tpebs --no-record-tpebs' '--record-tpebs --no-multiplex' '--record-tpebs -G x'; do
		# shellcheck disable=SC2086
		try "$TDSTAT" --dry-run $options -- true
		assert_failure 64
		assert_complains 'exclude each other'
	done
}

@test "text: children stand indented under their parents, as JSON says" {
	for model in sapphirerapids alderlake skylakex; do
		saved $model
		recorded - -l 6
		"$TDSTAT" report -i recording.jsonl -l 6 --all | without_errors | python3 "$here/metrics.py" text >printed
		json -l 6 --all | awk '{ print $1, $3, $4 }' >wanted
		[ "$(wc -l <printed)" -gt 60 ]
		diff -u wanted printed
	done
}

@test "level 3 and deeper: what is over its threshold, its siblings, and those above; --all: all" {
	bare # metrics.py gives each event the PMU of its group, and msr/tsc/ stands in those of cores
	saved sapphirerapids
	recorded - -l 6
	"$TDSTAT" report -i recording.jsonl -l 6 --all -j | jq -rs '
		(map({ (.metric): . }) | add) as $node
		| def above: recurse($node[.].parent // empty);
		  map(select(.over_threshold)) as $over
		| ($over | map(.parent)) as $parents
		| map(select(.level < 3 or (.parent as $p | $parents | index($p)))) | map(.metric)
		| map(above) | unique[]' | sort >want
	shown_as_text -l 6 | sort >got
	diff -u want got
	shown_as_text -l 6 --all | sort >all
	# some are left out
	[ "$(wc -l <got)" -lt "$(wc -l <all)" ]
	json -l 6 --all | cut -d' ' -f1 | sort | diff - all
	# all of levels 1 and 2 is always there
	assert_equal "$(shown_as_text -l 2 | sort)" "$(shown_as_text -l 2 --all | sort)"
}

@test "what was measured in another time slice than its parent has its share beside it" {
	saved sapphirerapids
	recorded - -l 6
	"$TDSTAT" report -i recording.jsonl -l 6 --all -j >report.jsonl
	jq -r 'select(.running < 99) | "\(.metric) \(.running)"' report.jsonl | sort >want
	[ "$(wc -l <want)" -gt 40 ]
	assert_equal "$(cut -d' ' -f2 want | sort -u | sed 's/\.0*$//')" 25
	"$TDSTAT" report -i recording.jsonl -l 6 --all |
		sed -n 's/^ .*%  \(tma_[a-z0-9_]*\)  *[?~]\{0,1\} *\(<-- *\)\{0,1\} *(\([0-9]*\)\.[0-9] %)$/\1 \3/p' |
		sort >got
	diff <(cut -d' ' -f1 want) <(cut -d' ' -f1 got)
	assert_equal "$(cut -d' ' -f2 got | sort -u)" 25
	# levels 1 and 2 share a group
	jq -es 'map(select(.level < 3)) | length == 12 and all(.[]; .running == 100)' report.jsonl
}

@test "a node whose events did not all run has no value, and -v says why" {
	saved sapphirerapids
	recorded ICACHE_DATA.STALLS -l 3
	try "$TDSTAT" report -i recording.jsonl -l 3 --all -j
	assert_success
	# of that event alone; and nothing else is lost
	assert_equal "$(jq -r 'select(.value == null) | .metric' <<<"$output")" tma_icache_misses
	assert_equal "$(jq -r 'select(.metric == "tma_icache_misses") | .over_threshold' <<<"$output")" null
	try "$TDSTAT" report -i recording.jsonl -l 3 --all -x,
	[[ $output != *nan* ]]
	try "$TDSTAT" report -i recording.jsonl -l 3 --all -v
	[[ $output$stderr =~ tma_icache_misses.*ICACHE_DATA.STALLS|ICACHE_DATA.STALLS.*tma_icache_misses ]] ||
		fail "no reason"
}

@test "--td-level N: that level alone; -l N: down to it" {
	saved sapphirerapids
	recorded - -l 4
	for level in 1 2 3 4; do
		assert_equal "$(json --td-level $level --all | cut -d' ' -f3 | sort -u)" $level
		assert_equal "$(json --td-level $level --all | cut -d' ' -f1,2 | sort)" \
			"$(json -l 4 --all | awk -v level=$level '$3 == level { print $1, $2 }' | sort)"
		assert_equal "$(json -l $level --all | cut -d' ' -f3 | sort -u | tail -n 1)" $level
	done
}

@test "report -M: those of its names and groups, in CSV a column each" {
	saved sapphirerapids
	recorded - -l 4
	assert_equal "$(json -M tma_backend_bound_group | cut -d' ' -f1 | sort | xargs)" \
		'tma_core_bound tma_memory_bound'
	try "$TDSTAT" report -i recording.jsonl -x, -M tma_icache_misses,tma_memory_bound_group
	assert_success
	assert_equal "$(head -n 1 <<<"$output" | tr , '\n' | sed '1,7d; /^ghz$/,$d' | sort | xargs)" \
		"$(jq -r '.[] | select(.MetricGroup // "" | contains("tma_memory_bound_group")) | .MetricName' \
			"$TD_PMU_EVENTS/sapphirerapids/spr-metrics.json" | sort - <(echo tma_icache_misses) | xargs)"
	assert_equal "$(wc -l <<<"$output")" 2
	assert_equal "$(json -M tma_lcp | cut -d' ' -f2)" "$(json -l 4 --all | awk '$1 == "tma_lcp" { print $2 }')"
}

@test "report -M: a metric that was not recorded, and one that there is not" {
	saved sapphirerapids
	recorded - -l 2
	try "$TDSTAT" report -i recording.jsonl -M tma_icache_misses
	assert_failure 1
	assert_output ''
	assert_complains 'ICACHE_DATA\.STALLS'
	try "$TDSTAT" report -i recording.jsonl -M tma_icache_mises
	assert_failure 64
	assert_output ''
	assert_why_and_remedy tma_icache_mises tma_icache_misses
}

@test "-l 3 of a recording of level 2: levels 1 and 2 as ever, a word if that is all; or why not" {
	for model in alderlake-2 sapphirerapids-2 skylakex-2 icelakex-2; do
		try "$TDSTAT" report -i "$data/$model.jsonl" -l 3 --all -j
		[[ $stderr != *'make up no'* ]] || fail "$model"
		jq -es 'any(.[]; .level == 3)' <<<"$output" || assert_complains 'level'
		[ "$status" -ne 0 ] || diff -u \
			<("$TDSTAT" report -i "$data/$model.jsonl" -l 2 -j | jq -r "$rounded" | sort) \
			<(jq -r "select(.level < 3) | $rounded" <<<"$output" | sort)
	done
}

@test "a recording of all levels gives levels 1 and 2 as one of level 2 does" {
	for model in sapphirerapids alderlake icelakex tigerlake; do
		saved $model
		recorded - -l 6
		json -l 6 --all | awk '$3 <= 2' | sort >want
		[ -s want ]
		diff -u want <(json -l 2 | sort)
		diff -u <(awk '$3 == 1' want) <(json | sort)
	done
}

@test "metrics of files on a recording of the built-in level 2" {
	try "$TDSTAT" report -i "$data/sapphirerapids-2.jsonl" -M tma_memory_bound -j
	assert_success
	assert_equal "$(jq -r .value <<<"$output")" \
		"$("$TDSTAT" report -i "$data/sapphirerapids-2.jsonl" -l 2 -j |
			jq -r 'select(.metric == "tma_memory_bound") | .value')"
}

# --- AMD -------------------------------------------------------------------------------------

# amd_agrees FILE: each value and parent at levels 1 and 2, and nothing else
amd_agrees() {
	for level in 1 2; do
		python3 "$here/metrics.py" zen "$data/$1" $level | sort >want
		"$TDSTAT" report -i "$data/$1" -l $level -j |
			jq -r '"\(.time) \(.metric) \(.value) \(.parent)"' | sort >got
		assert_equal "$(wc -l <got)" "$(wc -l <want)"
		paste -d' ' want got | awk '
			NF != 8 || $1 != $5 || $2 != $6 || $4 != $8 ||
				$3 - $7 > 0.000001 || $7 - $3 > 0.000001 {
				print "want, got: " $0
				failed = 1
			}
			END { exit failed || NR == 0 }'
	done
}

@test "AMD Zen 4, groups that took turns: pipeline levels 1 and 2" { amd_agrees zen4.jsonl; }
@test "AMD Zen 5, two intervals: pipeline levels 1 and 2" { amd_agrees zen5.jsonl; }

@test "AMD: the recordings' processors are those of the map" {
	for model in zen4 zen5; do
		cpuid=$(jq -r '.cpuid // empty' <(head -n 1 "$data/$model.jsonl"))
		folder=$(awk -F, -v cpuid="${cpuid%-*}" 'NR > 1 && !/^#/ && cpuid ~ "^(" $1 ")$" { print $3; exit }' \
			"$TD_PMU_EVENTS/mapfile.csv")
		assert_equal "$folder" amd$model
		# and every event is one of its files
		jq -r '.events[]?.name' <(head -n 1 "$data/$model.jsonl") | sed 's,^cpu/,,; s,[,/].*,,' | sort -u >names
		jq -r '.[].EventName // empty' "$TD_PMU_EVENTS/amd$model"/*.json | sort -u >known
		assert_equal "$(comm -23 names known)" ''
	done
}

@test "AMD: plain report shows the five categories" {
	for model in zen4 zen5; do
		try "$TDSTAT" report -i "$data/$model.jsonl" -j
		assert_success
		assert_equal "$(jq -r .metric <<<"$output" | sort -u | xargs)" \
			'backend_bound bad_speculation frontend_bound retiring smt_contention'
		# they are all of the slots
		jq -es 'group_by(.time) | all(.[]; map(.value) | add | . > 99.9 and . < 100.1)' <<<"$output"
	done
}

@test "AMD: the tree as text, halves below their whole" {
	"$TDSTAT" report -i "$data/zen4.jsonl" -l 2 | without_errors >tree
	python3 "$here/metrics.py" text <tree | awk '{ print $1, $3 }' | sort >got
	"$TDSTAT" report -i "$data/zen4.jsonl" -l 2 -j | jq -r '"\(.metric) \(.parent)"' | sort >want
	[ "$(wc -l <want)" -eq 13 ]
	diff -u want got
	# level 2's group ran two fifths of the time, level 1's three
	assert_equal "$(grep -c '(40\.0 %)$' tree)" 8
	grep '^ cpu.*, counted 60\.0 % of the time' tree
}

# cpu_core's are shares of cycles below tma_fetch_latency, cpu_atom's shares of
# slots below tma_ifetch_latency.
@test "--hybrid-merge: not what is another thing on the other kind of core" {
	saved alderlake
	recorded - -l 3
	"$TDSTAT" report -i recording.jsonl -l 3 --all -j |
		jq -es 'map(select(.metric == "tma_icache_misses") | .parent) | sort ==
			["tma_fetch_latency", "tma_ifetch_latency"]'
	"$TDSTAT" report -i recording.jsonl -l 3 --all --hybrid-merge -j |
		jq -es 'map(.metric) | index("tma_icache_misses") == null
			and index("tma_branch_mispredicts") != null'
}

# where the tree is the built-in one, too
@test "NAME:u counts in user space alone, also without metric files" {
	saved lunarlake
	run -0 --separate-stderr "$TDSTAT" --dry-run -a -M tma_retiring:u
	[ "$(grep -c '^  cpu_.*/u .*flags' <<<"$output")" -ge 6 ]
	run ! grep '^  cpu_' <(grep -v exclude_kernel <<<"$output")
	run -64 --separate-stderr "$TDSTAT" --dry-run -a -M tma_retiring:uu
	[[ $stderr == *twice* ]]
}

# --- PMUs that are no cores' ---------------------------------------------------

# with_units: a copy of Sapphire Rapids with two memory controllers
with_units() {
	tsc sapphirerapids
	add_memory_controllers
}

# reads COMMAND...: how often the type of the first unit is read
reads() {
	strace -f -e trace=openat -o calls "$@" >/dev/null 2>&1
	grep -c 'uncore_imc_0/type"' calls
}

@test "PMUs that are no cores' are read once, and only for a name that no core has" {
	needs_strace
	with_units
	for options in '-l 2' '-M tma_retiring' '-M tma_dram_bound' '-e cycles,inst_retired.any' '-M has_no_such_name'; do
		assert_equal "$options: $(reads "$TDSTAT" --dry-run -a $options)" "$options: 0"
	done
	for options in '-M memory_bandwidth_read,tma_dram_bound' '-M tma_retiring,memory_bandwidth_*,uncore_frequency' \
		'-e imc/event=1/,cycles,imc/event=2/' '-e cycles,no_such_name'; do
		assert_equal "$options: $(reads "$TDSTAT" --dry-run -a $options)" "$options: 1"
	done
}

@test "the cores' events are the same, whether a name beside them is of another unit" {
	bare
	with_units
	cores=$("$TDSTAT" --dry-run -a -M tma_dram_bound | grep '^  cpu/' | sort)
	[ -n "$cores" ]
	for names in tma_dram_bound,memory_bandwidth_read memory_bandwidth_read,tma_dram_bound; do
		try "$TDSTAT" --dry-run -a -M "$names"
		assert_success
		assert_equal "$(grep '^  cpu/' <<<"$output" | sort)" "$cores"
		assert_equal "$(grep -c '^group.*uncore_imc_[01]' <<<"$output")" 2
	done
}

@test "a PMU that cannot be read is an error for who needs it, not for others" {
	with_units
	echo x >"$devices/uncore_imc_1/type"
	for options in '-M memory_bandwidth_read' '-M tma_dram_bound,memory_bandwidth_read' \
		'-e cycles,imc/event=1/'; do
		try "$TDSTAT" --dry-run -a $options
		assert_equal "$status" 1
		[[ $stderr == *uncore_imc_1/type* ]]
		assert_equal "$output" ''
	done
	for options in '-M tma_dram_bound' '-e cycles'; do
		try "$TDSTAT" --dry-run -a $options
		assert_success
	done
}
