#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat -a --for-each-cgroup by switches: cgroups of programs whose values are known
# (tests/emulator/scenarios), which share CPUs.
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth

load helper

SCENARIOS=$BATS_TEST_DIRNAME/../emulator/scenarios
CGROUPS=/sys/fs/cgroup

# in_cgroup NAME CPU SCENARIO: act in that cgroup
in_cgroup() {
	mkdir -p "$CGROUPS/$1"
	taskset -c "$2" "$ACT" -w end "600s:$3" 3>&- &
	echo $! >"$CGROUPS/$1/cgroup.procs"
}

# The kernel has no perf_event controller below a cgroup until its parent was asked for any.
make_cgroups() {
	emulated
	mountpoint -q $CGROUPS || mount -t cgroup2 none $CGROUPS
	echo +cpu >$CGROUPS/cgroup.subtree_control
	mkdir -p $CGROUPS/outer
	# a switch takes the emulator 40 us, hardware 1: rarer ones
	mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
	echo 40000000 >/sys/kernel/debug/sched/base_slice_ns
	echo +cpu >$CGROUPS/outer/cgroup.subtree_control
}

# has FILE ID PMU SCENARIO: the cgroup's row in the file has the scenario's values, within the points
# that a busy host can move between cgroups while it stops the machine
has() {
	python3 "$BATS_TEST_DIRNAME/../emulator/truth" --values --kind "${3#cpu_}" alderlake \
		"$SCENARIOS/alderlake.truth" "$4" >values
	jq -r --arg id "$2" --arg pmu "$3" \
		'select(.id == $id and .pmu == $pmu and .level) | "\(.metric) \(.value)"' "$1" >rows
	awk 'NR == FNR { want[$1] = $2; next }
		{ print; bad += $2 < want[$1] - 0.6 || $2 > want[$1] + 0.6; nr++ }
		END { exit bad > 0 || nr < 4 }' values rows
}

# COUNT_OPEN prints the number of the events of its parent, which is tdstat.
# shellcheck disable=SC2016 # of the shell that runs it
COUNT_OPEN='find /proc/$PPID/fd -lname "*perf_event*" | wc -l'

@test "cgroups of known values, which share a CPU: by switches and by events" {
	make_cgroups
	in_cgroup ports 0 ports
	in_cgroup outer/in 0 mispredict
	in_cgroup dram 3 dram_latency
	mkdir -p $CGROUPS/empty
	for how in "" --by-events; do
		"$TDSTAT" -a -l 2 $how --for-each-cgroup ports,outer,outer/in,dram,empty -j -o out -- sleep 3
		has out ports cpu_core ports
		has out outer cpu_core mispredict
		has out outer/in cpu_core mispredict
		has out dram cpu_atom dram_latency
		jq -r 'select(.level) | "\(.id) \(.pmu) \(.metric) \(.value == null) \(.why)"' out >"table$how"
	done
	# the same rows, and the same reasons where nothing ran
	diff table table--by-events
	grep '^empty .* true no task ran in this time$' table
	in_cgroup other 3 icache
	"$TDSTAT" -a -l 1 --for-each-cgroup dram,other -j -o out -- sleep 3
	has out dram cpu_atom dram_latency
	has out other cpu_atom icache
	# the root contains all
	"$TDSTAT" -a -l 1 --for-each-cgroup /,ports,outer -I 2s --interval-count 1 -j -o out
	jq -es 'map(select(.metric == "tma_retiring" and .pmu == "cpu_core")) |
		map({(.id): .slots}) | add | .["/"] > .ports + .outer' out
}

@test "a cgroup that begins and ends while its parent is counted" {
	make_cgroups
	mkdir -p $CGROUPS/ports
	# shellcheck disable=SC2016 # of the shell that runs it
	"$TDSTAT" -a -l 1 -I 1s --summary --for-each-cgroup ports,outer -j -o out -- sh -c '
		taskset -c 1 "$ACT" 4s:ports &
		mkdir "$1/outer/short"
		echo $! >"$1/outer/short/cgroup.procs"
		wait
		rmdir "$1/outer/short"' - $CGROUPS
	jq -c 'select(.kind == "summary")' out >summary
	has summary outer cpu_core ports
}

@test "intervals, and the same from a recording" {
	make_cgroups
	in_cgroup ports 1 ports
	"$TDSTAT" record -a --for-each-cgroup ports,outer -l 2 -I 300 --interval-count 4 -j -o rec >live
	"$TDSTAT" report -j rec >again
	for file in live again; do
		grep '^{' $file | jq -c 'select(.level) | {time, id, pmu, metric, value, busy}' >$file.values
	done
	[ "$(grep -c '"id":"ports".*_core.*tma_retiring.*value":4' live.values)" -eq 4 ]
	cmp live.values again.values
}

@test "tdstat in a counted cgroup" {
	make_cgroups
	mkdir -p $CGROUPS/own
	# shellcheck disable=SC2016 # of the shell that runs it
	sh -c 'echo $$ >"$1/own/cgroup.procs"
		exec "$TDSTAT" -a -l 1 -I 300 --for-each-cgroup own,outer -j -o out -- \
			taskset -c 1 "$ACT" 2s:ports' - $CGROUPS
	jq -es 'map(select(.id == "own" and .metric == "tma_retiring" and .slots)) | length > 3' out
	jq -es 'map(select(.id == "outer" and .level)) | all(.value == null)' out
}

@test "the number of events depends on CPUs, not on cgroups" {
	make_cgroups
	mkdir -p $CGROUPS/many{1..100}
	few=$("$TDSTAT" -a -l 1 -o out --for-each-cgroup many1,many2 -- sh -c "$COUNT_OPEN")
	many=$("$TDSTAT" -a -l 1 -o out --for-each-cgroup 'many[0-9]' -- sh -c "$COUNT_OPEN")
	events=$("$TDSTAT" -a -l 1 -o out --by-events --for-each-cgroup 'many[0-9]' -- sh -c "$COUNT_OPEN")
	echo "$few $many $events"
	[ "$few" -gt 0 ] && [ "$many" -eq "$few" ] && [ "$events" -gt $((20 * few)) ]
	# metrics and events, and names of a namespace, are counted by events
	for words in "-M tma_retiring" "-e cycles"; do
		# shellcheck disable=SC2086
		[ "$("$TDSTAT" -a $words -o out --for-each-cgroup 'many[0-9]' -- sh -c "$COUNT_OPEN")" -ge 400 ]
	done
	# shellcheck disable=SC2016 # of the shell that runs it
	[ "$(unshare -C sh -c 'echo $$ >"$1/outer/cgroup.procs"; exec "$TDSTAT" -a -l 1 -o out \
		--for-each-cgroup "many[0-9]" -- sh -c "$2"' - $CGROUPS "$COUNT_OPEN")" -gt 0 ]
	rmdir $CGROUPS/many*
}

@test "serve: new cgroups need no events, and series end with their cgroups" {
	make_cgroups
	mkdir -p $CGROUPS/web1
	ip link set lo up 2>/dev/null || true
	"$TDSTAT" serve --listen 127.0.0.1:9879 --for-each-cgroup '^web' -I 200ms 2>err 3>&- &
	serve=$!
	on_page() { get 9879 /metrics >page && grep -q "$1" page; }
	wait_for on_page '^tdstat_cgroups_counted 1$'
	# all threads, including those that started before tdstat dropped its privileges,
	# have only CAP_PERFMON
	rights=$(grep -hE '^(NoNewPrivs|Cap(Prm|Eff|Bnd)):' /proc/$serve/task/*/status | sort -u | tr -s '[:space:]' ' ')
	[ "$rights" = "CapBnd: 0000004000000000 CapEff: 0000004000000000 CapPrm: 0000004000000000 NoNewPrivs: 1 " ]
	events() { find /proc/$serve/fd -lname '*perf_event*' | wc -l; }
	before=$(events)
	in_cgroup web2 1 ports
	wait_for grep -q 'cgroup web2 is new; it is now counted' err
	[ "$(events)" -eq "$before" ]
	wait_for on_page '^tdstat_slots_total{pmu="cpu_core",cgroup="web2"} [1-9]'
	touch end
	wait_for rmdir $CGROUPS/web2
	wait_for on_page '^tdstat_cgroups_counted 1$'
	run ! grep web2 page
	kill $serve
}

# The last test: perf_event stays in this hierarchy.
@test "cgroup version 1, by switches" {
	emulated
	mkdir v1
	mount -t cgroup -o perf_event none v1 || skip "not in this kernel"
	CGROUPS=$PWD/v1
	in_cgroup ports 1 ports
	in_cgroup outer/in 0 mispredict
	events=$("$TDSTAT" -a -l 1 --for-each-cgroup ports,outer -j -o out -- sh -c "$COUNT_OPEN; sleep 1")
	has out ports cpu_core ports
	has out outer cpu_core mispredict
	touch end
	umount -l v1
	# events of all cgroups together
	[ "$events" -lt 60 ]
}
