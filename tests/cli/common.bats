#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The metrics that all models share: from a directory made here, counted with software
# events of this machine, or planned for saved ones.

# shellcheck disable=SC2016,SC2154 # jq, sh -c; helper.bash
load helper

clock='(software@cpu\\-clock\\,name\\=cpu\\-clock@ if #target_cpu else software@task\\-clock\\,name\\=task\\-clock@)'

# metric NAME GROUP UNIT FORMULA [THRESHOLD]: adds it to $metrics
metric() {
	printf -v metrics '%s{"MetricName":"%s","MetricGroup":"%s","ScaleUnit":"%s","MetricExpr":"%s","MetricConstraint":"NO_GROUP_EVENTS"%s}' \
		"$metrics${metrics:+,$'\n'}" "$1" "$2" "$3" "$4" "${5:+,\"MetricThreshold\":\"$5\"}"
}

# shared [DIRECTORY]: make a tree of metric files with models without common metrics, and
# the common metrics
shared() {
	local folder=files/${1-common} metrics=''

	mkdir -p files/empty "$folder"
	printf '%s\n' Family-model,Version,Filename,EventType \
		'GenuineIntel-6-(8F|97|FF),v1,empty,core' >files/mapfile.csv
	echo '[]' >files/empty/metrics.json
	metric used Machine 1CPUs "$clock / (duration_time * 1e9)"
	metric faults Machine 1faults/sec "(software@page\\\\-faults\\\\,name\\\\=page\\\\-faults@ * 1e9) / $clock"
	metric ipc Cores 1instructions 'instructions / cpu\\-cycles' 'ipc < 1'
	metric speed Cores 1GHz "cpu\\\\-cycles / $clock"
	metric missed Cores 100% 'branch\\-misses / branches' 'missed > 0.05'
	metric stalled Stalls '' '(stalled\\-cycles\\-frontend / cpu\\-cycles) if has_event(stalled\\-cycles\\-frontend) else 0'
	metric l1d Caches 100% 'L1\\-dcache\\-load\\-misses / L1\\-dcache\\-loads'
	echo "[$metrics]" >"$folder/metrics.json"
	export TDSTAT_METRICS=$PWD/files
}

# here [-a]: software events of this machine, whose cores have no other ones
here() {
	local online

	may_count_software "${1-}"
	mkdir -p machine/sys/bus/event_source/devices machine/sys/devices/system/cpu
	IFS= read -r online </sys/devices/system/cpu/online
	echo "$online" >machine/sys/devices/system/cpu/online
	export SYSFS_PATH=$PWD/machine/sys PERF_CPUID=GenuineIntel-6-FF-0
	shared
}

# --- counted here -----------------------------------------------------------------

@test "a command: its CPU time by the elapsed time" {
	here
	"$TDSTAT" record -o r.jsonl -M used -- /usr/bin/python3 -S -c 'import time
begin = time.process_time()
while time.process_time() < begin + 0.2: pass' 2>/dev/null
	"$TDSTAT" report -i r.jsonl -j -M used >out
	# Its clock continues while a hypervisor takes the CPU away, which the command's
	# time excludes.
	jq -es --slurpfile r r.jsonl '
		($r[0].events | map(.name) | index("task-clock")) as $clock |
		($r | map(.counts // [] | .[] | select(.[0] == $clock) | .[3]) | add / 1e9) as $used |
		$r[-1].end.elapsed as $elapsed | length == 1 and (.[0] |
			.unit == "CPUs" and (.value / ($used / $elapsed) - 1 | fabs) < 1e-3
			and .value * $elapsed >= 0.199 and .value < 1.01)' out
}

@test "a command: rates are counts by its CPU time, and the counts are the kernel's" {
	here
	"$TDSTAT" record -o r.jsonl -M faults -- /usr/bin/python3 -c 'import mmap, os, resource, sys
m = mmap.mmap(-1, 4096 * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
try: m.madvise(15)  # MADV_NOHUGEPAGE
except OSError: pass  # this kernel has none
for page in range(4096): m[page * mmap.PAGESIZE] = 1
usage = resource.getrusage(resource.RUSAGE_SELF)
os.write(os.open("own", os.O_WRONLY | os.O_CREAT), b"%d" % (usage.ru_minflt + usage.ru_majflt))
os._exit(0)' >/dev/null 2>&1
	"$TDSTAT" report -i r.jsonl -j -M faults >out
	# computed from the recording without tdstat's formulas
	jq -es --slurpfile r r.jsonl --slurpfile own own '
		($r[0].events | map(.name)) as $names | ($r[1:] | map(.counts // [] | .[]) |
		group_by(.[0]) | map({key: $names[.[0][0]], value: map(.[3]) | add}) | from_entries) as $c |
		length == 1 and (.[0].value / ($c."page-faults" * 1e9 / $c."task-clock") - 1 | fabs) < 1e-5
		and $c."page-faults" >= 4096 and $c."page-faults" < $own[0] + 100' out
}

@test "-a: all CPUs, busy or not; -A and -C: one each" {
	here -a
	cpus=$(getconf _NPROCESSORS_ONLN)
	read -r before _ </proc/uptime
	"$TDSTAT" -a -j -o all -M used sleep 0.3
	"$TDSTAT" -a -A -j -o each -M used sleep 0.3
	"$TDSTAT" -C 0 -j -o one -M used sleep 0.3
	read -r after _ </proc/uptime
	# each CPU's clock runs for as long as the command at least, and as tdstat at most
	jq -en --argjson cpus "$cpus" --argjson took "$((10#${after/./} - 10#${before/./}))" \
		--slurpfile all all --slurpfile each each --slurpfile one one '
		def near($n): .value * .seconds | . > 0.299 * $n and . < ($took / 100 + 0.02) * $n;
		def metrics: map(select(.metric));
		($all | metrics | length == 1 and (.[0] | near($cpus))) and
		($each | metrics | length == $cpus and all(near(1))) and
		($one | metrics | length == 1 and (.[0] | near(1)))'
}

@test "intervals: each has its own time; CSV has a column for each metric" {
	here
	within "$TDSTAT" -I 100 -x, -o out -M used,faults -- /usr/bin/python3 -S -c 'import os, time
begin = time.process_time()
while time.process_time() < begin + 0.2: pass
while not os.path.exists("end"): time.sleep(0.2)' &
	# an interval in which it mostly slept
	wait_for has_text out $'\n([^,\n]*,){7}0\\.0[0-9]*,[^\n]*\n'
	: >end
	wait
	# the head, and CPU time as it used it
	awk -F, -v head="time,id,pmu,busy,share,running,ipc,used,faults,$behind" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; good = $0 == head; next }
		{ used += $8 * $column["seconds"] } $8 > 1.01 { exit bad = 1 }
		END { print used; exit bad || !good || used < 0.199 || NR < 3 }' out
}

@test "no core PMU: its metrics are not supported; without other metrics, this is an error" {
	here
	try "$TDSTAT" -j -o out -M used,ipc -- true
	assert_success
	jq -es '([.[] | select(.metric == "ipc")] | length == 1 and .[0].value == null) and any(.metric == "used" and .value > 0)' out
	# the fact of this name makes room for the metric
	"$TDSTAT" -x, -o out -M ipc,used -- true
	mapfile -t lines <out
	assert_equal "${lines[0]}" time,id,pmu,busy,share,running,ipc,used,"$behind"
	for line in "${lines[@]}"; do
		commas=${line//[!,]/}
		[ ${#commas} = 23 ] || fail "$line"
	done
	try "$TDSTAT" --require -M ipc -- true
	assert_failure 125
	assert_complains 'no PMU for its cores'
	try "$TDSTAT" --require -l 3 -- true
	assert_failure 125
	assert_complains 'no top-down events'
}

@test "modifiers also apply to the kernel's own events" {
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

@test "beside the directory, as in the kernel's tree; a model's own name comes first" {
	saved sapphirerapids
	shared ../common/common
	try "$TDSTAT" --dry-run -M ipc -- true
	assert_line -e '^  cpu/instructions/ '
	metrics=''
	metric IPC Own 1 'branches / instructions'
	echo "[$metrics]" >files/empty/metrics.json
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

@test "hybrids: a row per core type, and one for metrics without a core type" {
	saved alderlake
	shared
	"$TDSTAT" --dry-run -a -M used,ipc,speed,missed >plan
	python3 "$here/metrics.py" record - <plan >all.jsonl
	jq -c 'if .pmus then (.pmus[] | select(.name == "software")).core = false else . end' all.jsonl >r.jsonl
	"$TDSTAT" report -i r.jsonl -j -M used,ipc,speed,missed >out
	# formulas computed by hand; a clock next to cycles is of their core type
	jq -es --slurpfile r r.jsonl '
		($r[0].events | map(.name)) as $names |
		([$r[1].counts[] | {n: $names[.[0]], v: .[3]}] | group_by(.n) |
		 map({key: .[0].n, value: (map(.v) | add)}) | from_entries) as $c |
		def near($want): . > $want * 0.999999 and . < $want * 1.000001;
		(map("\(.metric) \(.pmu)") | sort == ["ipc cpu_atom", "ipc cpu_core", "missed cpu_atom",
			"missed cpu_core", "speed cpu_atom", "speed cpu_core", "used all"]) and
		all(.value != null) and
		([.[] | select(.metric == "used")][0].value | near($c."cpu-clock" / 1e9)) and
		all(.[] | select(.metric == "ipc"); .value as $v | .pmu as $p |
			$v | near($c["\($p)/instructions/"] / $c["\($p)/cpu-cycles/"])) and
		all(.[] | select(.metric == "speed"); .value as $v | .pmu as $p |
			$v | near($c["\($p)/cpu-cycles/"] / $c["cpu-clock/cpu=\($p)/"])) and
		all(.[] | select(.metric == "ipc"); .over_threshold == (.value < 1)) and
		all(.[] | select(.metric == "missed"); .over_threshold == (.value > 5))' out
}

@test "hybrids: a task that was on no P-core has its rates all the same" {
	may_count_software
	saved alderlake
	shared
	"$TDSTAT" -j -o out -M used,faults -- true
	jq -es 'map("\(.metric) \(.pmu)") == ["used all", "faults all"] and all(.value > 0)' out
}

@test "has_event: an event that the kernel does not list is not counted, and not taken for 0" {
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

@test "list and explain: which belong to each core type" {
	saved alderlake
	shared
	try "$TDSTAT" list metrics
	assert_line -e '^  ipc +\[cpu_core, cpu_atom\] +instructions'
	assert_line -e '^  used +CPUs'
	mapfile -d '' text <files/common/metrics.json
	printf %s "${text[0]/\"MetricName\":\"used\"/\"MetricName\":\"used\",\"BriefDescription\":\"How many\"}" \
		>files/common/metrics.json
	try "$TDSTAT" explain used
	assert_line 'used, of the machine'
	assert_line -e 'How many'
}
