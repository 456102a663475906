#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --no-multiplex: what each run of the command would count on saved machines, and
# software events that are really counted.  How long groups would take turns.

# shellcheck disable=SC2013,SC2016,SC2086,SC2154 # words; sh -c; lists of options; helper.bash
load helper

# Of a core whose counters are taken to be four; event 0 has a fixed one.  So the
# last two, minor and major faults, are left for a second run.
SEVEN=$(printf 'cpu/event=%d/,' 0 2 3 4 8 5 6)
SEVEN=${SEVEN%,}

# runs OPTION...: PMU, RUN and EVENT of all that would be counted
runs() {
	"$TDSTAT" --dry-run "$@" 2>/dev/null | awk '
		/^group/ {
			pmu = $3
			sub(/,/, "", pmu)
			line = $0
			nr = 0
			if (line ~ /: every run$/)
				list[++nr] = "every"
			else if (sub(/.*: runs? /, "", line)) {
				sub(/ of .*/, "", line)
				nr = split(line, list, ", ")
			} else
				list[++nr] = 1
		}
		$2 == "type" { for (i = 1; i <= nr; i++) print pmu, list[i], $1 }'
}

# how_many: the number of runs that the plan of OPTION... needs
how_many() {
	"$TDSTAT" --dry-run "$@" 2>/dev/null | sed -n 's/^--no-multiplex runs a command \([0-9]*\) times.*/\1/p'
}

@test "the runs together count what one run would, and instructions" {
	saved alderlake
	for options in '-l 4' '-l 6 --cputype atom' --bottlenecks '-l 2 --metric-no-group'; do
		runs --no-multiplex $options -- true >joined
		assert_same "$(runs $options -- true | cut -d ' ' -f 1,3 | grep -v '/instructions/$' | sort -u)" \
			"$(cut -d ' ' -f 1,3 joined | grep -v '/instructions/$' | sort -u)"
		nr=$(how_many $options -- true)
		[ "$nr" -gt 1 ]
		assert_equal "$(cut -d ' ' -f 2 joined | grep -v every | sort -nu | xargs)" "$(seq "$nr" | xargs)"
		for pmu in $(cut -d ' ' -f 1 joined | sort -u); do
			grep -qE "^$pmu every $pmu/instructions/" joined ||
				assert_equal "$(grep -cE "^$pmu [0-9]+ $pmu/(instructions/|INST_RETIRED.ANY)" joined)" "$nr"
		done
	done
}

@test "a PMU with fewer sets counts them again, in every run one" {
	saved alderlake
	runs --no-multiplex -l 4 -- true >joined
	nr=$(how_many -l 4 -- true)
	for pmu in cpu_core cpu_atom; do
		assert_equal "$(awk -v pmu=$pmu '$1 == pmu && $2 != "every" { print $2 }' joined | sort -nu | xargs)" "$(seq "$nr" | xargs)"
	done
}

@test "what fits at once is one run, and nothing is added" {
	for model in alderlake sapphirerapids lunarlake; do
		saved $model
		assert_same "$("$TDSTAT" --dry-run -a -l 1 -- true)" "$("$TDSTAT" --dry-run --no-multiplex -a -- true)"
		assert_equal "$(how_many -a)" ""
	done
}

@test "--dry-run ends with how long each group is counted, and why" {
	saved alderlake
	"$TDSTAT" --dry-run -a -l 1 >out
	assert_equal "$(tail -n 2 out)" "cpu_core: 1 group, counted all of the time: nothing takes turns
cpu_atom: 1 group, counted all of the time: nothing takes turns"
	# 6 general counters, of which three groups of 4 find room for one at a time
	"$TDSTAT" --dry-run -e "$(printf '{cpu_atom/event=0xd%d/,cpu_atom/event=0xd%d,umask=1/,cpu_atom/event=0xd%d,umask=2/,cpu_atom/event=0xd%d,umask=4/},' 1 1 1 1 2 2 2 2 3 3 3 3)cycles" -- true >out
	grep -q '^cpu_atom: 4 groups, each counted .* % of the time, because its 6 general counters do not hold all of them; the NMI watchdog holds one more counter' out
	assert_equal "$(tail -n 1 out)" "--no-multiplex runs a command 3 times, and nothing takes turns"
	copied alderlake
	echo 0 >"$PROCFS_PATH/sys/kernel/nmi_watchdog"
	"$TDSTAT" --dry-run -l 3 -- true >out
	grep -q '^cpu_core: .*general counters do not hold all of them$' out
	"$TDSTAT" --dry-run --no-multiplex -l 3 -- true >out
	tail -n 1 out | grep -qE '^cpu_atom: [0-9]+ groups, counted all of the time in [0-9]+ runs: nothing takes turns$'
}

@test "hyper-threading that halves the counters of some events is named" {
	saved skylakex
	three=cpu/event=0xd1,umask=1/,cpu/event=0xd1,umask=2/,cpu/event=0xd1,umask=4/
	PERF_CPUID=GenuineIntel-6-3F-2 "$TDSTAT" --dry-run -a -e "$three" >out
	grep -q '; with hyper-threading on, a group with some events has only 2' out
	"$TDSTAT" --dry-run -a -e "$three" >out
	run ! grep 'a group with some events' out
}

@test "the command is started once for each set, and each event has its count" {
	needs_software_events
	"$TDSTAT" --no-multiplex --no-big-num -e "$SEVEN" -o out -- sh -c 'echo run >>started'
	assert_equal "$(wc -l <started)" 2
	grep -q "(2 runs)" out
	awk '/cpu.event=/ { print $2, ($1 > 0) }' out | sort >seen
	# cpu-clock, faults, minor ones: of the first run and of the second
	for event in 0 2 5; do
		grep -q "event=$event/ 1" seen
	done
	assert_equal "$(wc -l <seen)" 7
	run ! grep -E 'instructions|not (counted|supported)' out
}

@test "-r N is that many results, of as many runs each" {
	needs_software_events
	"$TDSTAT" --no-multiplex -r 3 -e "$SEVEN" -j -o out -- sh -c 'echo run >>started'
	assert_equal "$(wc -l <started)" 6
	jq -es 'length == 7 and all(has("variance"))' out
}

@test "the count of an event is that of the run that counted it" {
	needs_software_events
	cat >touch.py <<-'PYTHON'
		import mmap, os
		with open("runs", "a") as runs:
		    runs.write("x")
		m = mmap.mmap(-1, 40960000, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
		m.madvise(15)  # MADV_NOHUGEPAGE
		# faults in the second run alone
		for page in range(10000 if os.path.getsize("runs") == 2 else 0):
		    m[page * 4096] = 1
	PYTHON
	# event 2, all faults, is in the first set, 5, minor ones, in the second
	"$TDSTAT" --no-multiplex -e "$SEVEN" -x, -o out -- python3 -S touch.py
	[ "$(grep event=2/ out | cut -d, -f1)" -lt 9000 ]
	[ "$(grep event=5/ out | cut -d, -f1)" -ge 10000 ]
}

# metrics_of_faults: two runs' worth, of software events over the time of the CPU
metrics_of_faults() {
	mkdir -p own/mine
	printf '%s\n' Family-model,Version,Filename,EventType GenuineIntel-6-FF,v1,mine,core >own/mapfile.csv
	jq -n '[(1, 2, 3, 4, 5, 6, 8) | { EventName: "SW.E\(.)", EventCode: "0x\(.)" }] +
		[(2, 3, 4, 5, 6, 8) | { MetricName: "per_\(.)", MetricExpr: "SW.E\(.) / SW.E1",
			MetricGroup: "Mine", ScaleUnit: "100%" }]' >own/mine/a.json
	mine="--metrics-dir own -M Mine"
}

# used FILE: the CPU time of its heading, as a part of one CPU
used() {
	sed -nE 's/^ cpu, ([0-9.]+) CPUs.*/\1/p; s/^ cpu, ([0-9.]+) % of one CPU.*/\1 \/ 100/p' "$1" | sed 1q
}

@test "how busy a command was, and its times, are those of a mean run" {
	needs_software_events
	metrics_of_faults
	# the first of two runs is three times as long, and all of it is work
	work='n=900000; [ ! -e started ] || n=300000; : >started; while [ $n -gt 0 ]; do n=$((n - 1)); done'
	"$TDSTAT" --no-multiplex $mine -o out -- sh -c "$work"
	cat out
	elapsed=$(awk '/seconds time elapsed/ { print $1 }' out)
	spent=$(awk '/ seconds (user|sys)$/ { sum += $1; nr++ } END { if (nr == 2) print sum }' out)
	awk -v used="$(used out)" -v elapsed="$elapsed" -v spent="$spent" 'BEGIN {
		split(used, part, " / ")
		busy = part[1] / (part[2] ? part[2] : 1)
		exit !(busy > 0 && busy < 1.01 && busy - spent / elapsed < 0.1 && spent / elapsed - busy < 0.1)
	}' || fail "$(used out), $spent s of $elapsed s"
	# the mean of several results has perf stat -r's times, and no others
	"$TDSTAT" --no-multiplex -r 2 $mine -o out -- true
	run ! grep -E 'seconds (user|sys)$' out
}

@test "a remark says that the tree ends at level 1 where -l auto is the default otherwise" {
	saved alderlake
	for options in '' '--no-verdict' '--all' '-r 2'; do
		try "$TDSTAT" --dry-run --no-multiplex $options -- true
		assert_complains '^tdstat: --no-multiplex counts level 1 unless -l names a deeper one'
	done
	for options in '-l 1' '-l 3' '-M tma_retiring' '-e cycles' '--bottlenecks' '-x,' '-r 2 -x,'; do
		try "$TDSTAT" --dry-run --no-multiplex $options -- true
		[[ $stderr != *'counts level 1'* ]] || fail "$options: $stderr"
	done
}

# Faults at first, and then works; more than twice as long as eight reads take.
FAULTS='timeout 2.5 sh -c "while :; do :; done" || :'

@test "metrics have errors, of the batches of each run" {
	needs_software_events
	metrics_of_faults
	"$TDSTAT" --no-multiplex $mine -j -o out -- sh -c 'echo run >>started; '"$FAULTS"
	cat out
	assert_equal "$(wc -l <started)" 2
	# total and minor faults: one in each run
	jq -es 'map(select(.metric == "per_2" or .metric == "per_5")) |
		length == 2 and all(.error > 0 and (has("too_short") | not))' out
}

@test "what was read less than eight times in one of its runs has no error" {
	needs_software_events
	metrics_of_faults
	"$TDSTAT" --no-multiplex $mine -j -o out -- sh -c '[ ! -e started ] || exit 0; : >started; '"$FAULTS"
	# all of one is in the first run, the other's time too, but not its faults
	jq -es 'map({ key: .metric, value: . }) | from_entries |
		.per_2.error > 0 and .per_5.error == null and .per_5.too_short' out
}

@test "a mean of several results has the error of a mean" {
	needs_software_events
	metrics_of_faults
	"$TDSTAT" --no-multiplex -r 2 $mine -j -o out -- true
	jq -es 'map(select(.metric == "per_5"))[0] | .runs_error >= 0 and .error >= .runs_error and (has("too_short") | not)' out
}

@test "the exit status is that of the last run" {
	needs_software_events
	try "$TDSTAT" --no-multiplex -e "$SEVEN" -o out -- sh -c 'echo run >>started; exit $(wc -l <started)'
	assert_equal "$status" 2
}

@test "^C in the first run: what it counted is shown, and there is no second" {
	needs_software_events
	try "$TDSTAT" --no-multiplex -e "$SEVEN" -o out -- sh -c 'echo run >>started; kill -INT $PPID; sleep 1'
	assert_equal "$(wc -l <started)" 1
	grep -qE '^ +[0-9,]+ +cpu/event=2/' out
	grep -qE '^ +<not counted> +cpu/event=5/' out
}

@test "it runs a command, and excludes what one result of several runs has not" {
	saved alderlake
	for options in -a '-C 0' '-p 1' '-t 1' '-p 1 -- true' '-I 100 -- true' '--per-thread -- true' \
		'--control fd:0 -- true'; do
		try "$TDSTAT" --no-multiplex --dry-run $options
		assert_equal "$status" 64
		assert_complains '--no-multiplex'
	done
	try "$TDSTAT" record --no-multiplex -o file -- true
	assert_equal "$status" 64
	assert_complains '--no-multiplex.*option of tdstat'
}
