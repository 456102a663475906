#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The metrics that all models have in common: from a folder made here, counted
# with software events of this very machine, or planned for saved ones.

# shellcheck disable=SC2016,SC2154 # jq, sh -c; helper.bash
load helper

clock='(software@cpu\\-clock\\,name\\=cpu\\-clock@ if #target_cpu else software@task\\-clock\\,name\\=task\\-clock@)'

# metric NAME GROUP UNIT FORMULA [THRESHOLD]
metric() {
	printf '{"MetricName":"%s","MetricGroup":"%s","ScaleUnit":"%s","MetricExpr":"%s","MetricConstraint":"NO_GROUP_EVENTS"%s}' \
		"$1" "$2" "$3" "$4" "${5:+,\"MetricThreshold\":\"$5\"}"
}

# shared [FOLDER]: a tree of metric files with models that have none, and what
# they share
shared() {
	local folder=files/${1-common}

	mkdir -p files/empty "$folder"
	cat >files/mapfile.csv <<-'TEXT'
		Family-model,Version,Filename,EventType
		GenuineIntel-6-(8F|97|FF),v1,empty,core
	TEXT
	echo '[]' >files/empty/metrics.json
	cat >"$folder/metrics.json" <<-TEXT
		[$(metric used Machine 1CPUs "$clock / (duration_time * 1e9)"),
		$(metric faults Machine 1faults/sec "(software@page\\\\-faults\\\\,name\\\\=page\\\\-faults@ * 1e9) / $clock"),
		$(metric ipc Cores 1instructions 'instructions / cpu\\-cycles' 'ipc < 1'),
		$(metric speed Cores 1GHz "cpu\\\\-cycles / $clock"),
		$(metric missed Cores 100% 'branch\\-misses / branches' 'missed > 0.05'),
		$(metric stalled Stalls '' '(stalled\\-cycles\\-frontend / cpu\\-cycles) if has_event(stalled\\-cycles\\-frontend) else 0'),
		$(metric l1d Caches 100% 'L1\\-dcache\\-load\\-misses / L1\\-dcache\\-loads')]
	TEXT
	export TDSTAT_METRICS=$PWD/files
}

# here: software events of this machine, whose cores have no other ones
here() {
	needs_software_events "${1-}"
	rm -r "$devices/cpu"
	shared
}

# value METRIC: of the only row that has it
value() {
	jq -es --arg m "$1" '[.[] | select(.metric == $m)] | if length == 1 then .[0].value else error("\(length) rows") end' out
}

# near A B PERCENT
near() {
	awk -v a="$1" -v b="$2" -v p="$3" 'BEGIN { exit !(a - b <= b * p / 100 && b - a <= b * p / 100) }' ||
		fail "$1 is not within $3 % of $2"
}

busy='i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'

# --- counted here -----------------------------------------------------------------

@test "a command: its CPU time by the elapsed time, as wait4(2) and the clock have them" {
	here
	"$TDSTAT" record -o r.jsonl -M used -- sh -c "$busy" 2>/dev/null
	"$TDSTAT" report -i r.jsonl -j -M used >out
	want=$(jq -s '.[-1].end | (.user + .sys) / .elapsed' r.jsonl)
	# what the kernel does on its way to the command is in one of them alone
	near "$(value used)" "$want" 20
	assert_equal "$(jq -r .unit out)" CPUs
}

@test "a command: rates are counts by its CPU time, and the counts are those of -e" {
	# a hundred forks: how many faults one has depends on where things are in memory
	forks='i=0; while [ $i -lt 100 ]; do (:); i=$((i+1)); done'
	here
	"$TDSTAT" record -o r.jsonl -M faults -- sh -c "$forks" 2>/dev/null
	"$TDSTAT" report -i r.jsonl -j -M faults >out
	# what the recording has, without a formula of tdstat
	jq -es '(.[0].events | map(.name)) as $names | .[1:] | map(.counts // [] | .[]) |
		group_by(.[0]) | map({key: $names[.[0][0]], value: map(.[3]) | add}) | from_entries' r.jsonl >counts
	near "$(value faults)" "$(jq '."page-faults" * 1e9 / ."task-clock"' counts)" 0.001
	"$TDSTAT" -x, -e page-faults -o events -- sh -c "$forks"
	near "$(jq '."page-faults"' counts)" "$(grep -m1 page-faults events | cut -d, -f1)" 30
}

@test "-a: all CPUs, busy or not; -A and -C: one each" {
	here -a
	cpus=$(getconf _NPROCESSORS_ONLN)
	"$TDSTAT" -a -j -o out -M used sleep 0.3
	# their clocks begin and end one after the other
	near "$(value used)" "$cpus" 15
	"$TDSTAT" -a -A -j -o out -M used sleep 0.3
	[ "$(jq -s length out)" -eq "$cpus" ]
	jq -es 'all(.value > 0.85 and .value < 1.15)' out
	"$TDSTAT" -C 0 -j -o out -M used sleep 0.3
	near "$(value used)" 1 15
}

@test "intervals: each has its own time; CSV has a column for each metric" {
	here
	"$TDSTAT" -I 100 -x, -o out -M used,faults -- sh -c "$busy; sleep 0.3"
	assert_equal "$(head -1 out)" time,id,pmu,busy,share,running,ipc,used,faults,"$behind"
	# the last whole one is of the sleep
	awk -F, 'NR > 1 && $8 > 1.2 { exit 1 } { before = last; last = $8 } END { exit !(NR > 3 && before < 0.1) }' out
}

@test "no PMU of the cores: their metrics are not supported, and alone an error" {
	here
	try "$TDSTAT" -j -o out -M used,ipc -- true
	assert_success
	jq -es '([.[] | select(.metric == "ipc")] | length == 1 and .[0].value == null) and any(.metric == "used" and .value > 0)' out
	# the fact of this name makes room for the metric
	"$TDSTAT" -x, -o out -M ipc,used -- true
	assert_equal "$(head -1 out)" time,id,pmu,busy,share,running,ipc,used,"$behind"
	assert_equal "$(awk -F, '{ print NF }' out | sort -u)" 24
	try "$TDSTAT" --require -M ipc -- true
	assert_failure 125
	assert_complains 'no PMU for its cores'
	try "$TDSTAT" --require -l 3 -- true
	assert_failure 125
	assert_complains 'no top-down events'
}

@test "modifiers: of the kernel's own events, too" {
	here
	try "$TDSTAT" --dry-run -M faults:u -- true
	assert_line -e '^  page-faults:u .*exclude_kernel'
	assert_line -e '^  task-clock:u .*exclude_kernel'
}

# --- planned and recorded ---------------------------------------------------------

@test "#target_cpu: the clock of CPUs, or of tasks" {
	saved sapphirerapids
	shared
	for how in -a '-C 1'; do
		# shellcheck disable=SC2086 # options
		try "$TDSTAT" --dry-run $how -M used,faults
		assert_line -e '^  cpu-clock  '
		refute_line -e task-clock
	done
	try "$TDSTAT" --dry-run -M used,faults -- true
	assert_line -e '^  task-clock  '
	refute_line -e cpu-clock
}

@test "beside the folder, as in the kernel's tree; a model's own name comes first" {
	saved sapphirerapids
	shared ../common/common
	try "$TDSTAT" --dry-run -M ipc -- true
	assert_line -e '^  cpu/instructions/ '
	echo "[$(metric IPC Own 1 'branches / instructions')]" >files/empty/metrics.json
	try "$TDSTAT" --dry-run -M ipc -- true
	assert_line -e '^  branches '
	refute_line -e 'cpu-cycles/ .*type 4  config 0x3c .*disabled'
	try "$TDSTAT" list metrics
	assert_line -e '^  IPC$'
	refute_line -e '^  ipc '
	rm -r common
	try "$TDSTAT" --dry-run -M used -- true
	assert_failure 64
	assert_complains 'no metric or group'
}

@test "hybrids: a row of each kind of core, and one of what belongs to none" {
	saved alderlake
	shared
	"$TDSTAT" --dry-run -a -M used,ipc,speed,missed >plan
	python3 "$here/metrics.py" record - <plan |
		jq -c 'if .pmus then (.pmus[] | select(.name == "software")).core = false else . end' >r.jsonl
	"$TDSTAT" report -i r.jsonl -j -M used,ipc,speed,missed >out
	assert_equal "$(jq -r '"\(.metric) \(.pmu)"' out | sort | xargs)" \
		"ipc cpu_atom ipc cpu_core missed cpu_atom missed cpu_core speed cpu_atom speed cpu_core used all"
	# formulas by hand; the clock is that of all CPUs
	jq -es --slurpfile r r.jsonl '
		($r[0].events | map(.name)) as $names |
		([$r[1].counts[] | {n: $names[.[0]], v: .[3]}] | group_by(.n) |
		 map({key: .[0].n, value: (map(.v) | add)}) | from_entries) as $c |
		def near($want): . > $want * 0.999999 and . < $want * 1.000001;
		all(.value != null) and
		([.[] | select(.metric == "used")][0].value | near($c."cpu-clock" / 1e9)) and
		all(.[] | select(.metric == "ipc"); .value as $v | .pmu as $p |
			$v | near($c["\($p)/instructions/"] / $c["\($p)/cpu-cycles/"])) and
		all(.[] | select(.metric == "speed"); .value as $v | .pmu as $p |
			$v | near($c["\($p)/cpu-cycles/"] / $c."cpu-clock")) and
		all(.[] | select(.metric == "ipc"); .over_threshold == (.value < 1)) and
		all(.[] | select(.metric == "missed"); .over_threshold == (.value > 5))' out
}

@test "hybrids: a task that was on no P-core has its rates all the same" {
	needs_software_events
	saved alderlake
	shared
	"$TDSTAT" -j -o out -M used,faults -- true
	assert_equal "$(jq -r '"\(.metric) \(.pmu)"' out | xargs)" "used all faults all"
	jq -es 'all(.value > 0)' out
}

@test "has_event: what the kernel does not list is not counted, nor taken for 0" {
	copied sapphirerapids
	shared
	try "$TDSTAT" --dry-run -M stalled -- true
	assert_failure 1
	assert_complains 'stalled.*cpu has no stalled-cycles-frontend'
	try "$TDSTAT" --dry-run -M ipc,stalled -- true
	assert_success
	refute_line -e stalled-cycles
	echo event=0x0e,umask=0x01,inv,cmask=0x01 >"$devices/cpu/events/stalled-cycles-frontend"
	try "$TDSTAT" --dry-run -M stalled -- true
	assert_success
	assert_line -e '^  cpu/stalled-cycles-frontend/'
}

@test "events of caches: their configs" {
	saved sapphirerapids
	shared
	# perf_event_open(2): cache, operation << 8, result << 16
	try "$TDSTAT" --dry-run -M l1d -- true
	assert_line -e '^  L1-dcache-loads +type 3  config 0x0 '
	assert_line -e '^  L1-dcache-load-misses +type 3  config 0x10000 '
}

@test "list and explain: which belong to each kind of core" {
	saved alderlake
	shared
	try "$TDSTAT" list metrics
	assert_line -e '^  ipc +\[cpu_core, cpu_atom\] +instructions'
	assert_line -e '^  used +CPUs'
	sed -i 's/"MetricName":"used"/&,"BriefDescription":"How many"/' files/common/metrics.json
	try "$TDSTAT" explain used
	assert_line 'used, of the machine'
	assert_line -e 'How many'
}
