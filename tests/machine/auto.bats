#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# -l auto finds what the machine waits for, and counts it for longer than -l 6 does.
# It is the default of the tree that people get to see at the end.
# machine: adl --no-halt --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth

load helper

ACT=$BATS_TEST_DIRNAME/../../build/emulator/act

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
	rm -f end go
	"$ACT" -u balanced
}

# act SCENARIOS...: the command to count, on a P-core
act() {
	echo taskset -c 0 "$ACT" "$@"
}

# of FILE NODE MEMBER: print a member of a node of the first PMU in JSON
of() {
	awk -v node="$2" -v member="$3" '
		/"pmu":"cpu(_core)?"/ && index($0, "\"metric\":\"" node "\"") && match($0, "\"" member "\":[^,}]*") {
			print substr($0, RSTART + length(member) + 3, RLENGTH - length(member) - 3)
		}' "$1"
}

# node FILE NODE: value and share of time of a line of a tree, of the first PMU
node() {
	without_errors "$1" | awk -v node="$2" '
		$2 == "%" && $3 == node && !seen++ {
			share = match($0, /\([0-9.]+ %\)$/) ? substr($0, RSTART + 1) + 0 : 100
			print $1, share }'
}

# found FILE LEAST LOWEST: DRAM is named, or below it the leaf of dram_latency, where
# their errors are known (a busy host is read too rarely for that), and DRAM, which is 48 % of the cycles of that scenario, was counted
# for this share of the time, at least
found() {
	local value share

	cat "$1"
	grep -E '^ Biggest loss: tma_(dram_bound|mem_latency) \(backend > memory > dram( > mem_latency)?\), ' "$1" ||
		grep -F ' Too short to go deeper; measure more runs or longer' "$1"
	for name in tma_dram_bound tma_mem_latency; do
		grep -E "%  $name +(! +)?<--" "$1"
		read -r value share < <(node "$1" $name)
		echo "# $TD_MACHINE: $name: $value, $share % of the time" >&3
		awk "BEGIN { exit !($share >= $2) }"
	done
	read -r value share < <(node "$1" tma_dram_bound)
	awk "BEGIN { exit !($value >= $3 && $value <= 50) }"
}

# --- as it is typed ---------------------------------------------------------------

@test "a command: its biggest loss is named, and nodes without a loss are not counted" {
	# shellcheck disable=SC2046 # words
	"$TDSTAT" -o out -- $(act 4s:dram_latency)
	found out 10 45
	grep -F ' Biggest loss: tma_mem_latency (backend > memory > dram > mem_latency), ' out
	grep -E 'others were not measured; --all shows them$' out
	run ! grep -E '%  tma_(divider|icache_misses)' out
	# shellcheck disable=SC2046
	"$TDSTAT" --all -o all -- $(act 2s:icache)
	cat all
	grep -E '%  tma_icache_misses +<--' all
	grep -E '<not counted>.* tma_mem_latency' all
}

# Each of them lives for a twentieth of the time: if those alone were counted that
# there were when the groups were opened, their share would be two of a hundred.
@test "a command whose short children do the work, one after the other" {
	"$TDSTAT" -o out -- sh -c \
		"i=0; while [ \$i -lt 20 ]; do i=\$((i + 1)); $(act 200ms:dram_latency); done"
	found out 8 30
}

@test "a command whose children work at the same time" {
	"$TDSTAT" -o out -- sh -c \
		"for cpu in 0 1 0 1; do taskset -c \$cpu $ACT 4s:dram_latency & done; wait"
	found out 10 40
}

# Were one of six counted, its share would be a sixth of a third.
@test "a process with six threads, as a command and as it runs already" {
	"$TDSTAT" -o out -- taskset -c 0,1 "$ACT" -n 6 4s:dram_latency
	found out 10 45
	taskset -c 0,1 "$ACT" -n 6 600s:dram_latency 3>&- &
	pid=$!
	sleep 1
	"$TDSTAT" -p $pid --timeout 4s -o out
	kill $pid
	found out 10 45
}

@test "a process that runs already, and whose children do the work" {
	sh -c "while [ ! -e end ]; do $(act 200ms:dram_latency); done" 3>&- &
	pid=$!
	sleep 1
	"$TDSTAT" -p $pid --timeout 5s -o out
	touch end
	wait $pid
	found out 8 30
}

@test "a process that runs already, and a child that was not there at first" {
	sh -c "while [ ! -e go ]; do sleep 0.1; done; $(act 8s:dram_latency); true" 3>&- &
	pid=$!
	sleep 0.5
	"$TDSTAT" -p $pid --timeout 6s -o out 3>&- &
	sleep 2
	touch go
	wait $!
	found out 5 40
}

@test "the machine, a CPU" {
	"$ACT" -u dram_latency
	"$TDSTAT" -a -o out -- sleep 4
	found out 10 45
	"$TDSTAT" -C 0 --timeout 4s -o out
	found out 10 45
}

# Eight groups of three events on two CPUs leave enough of 128 descriptors.
@test "few descriptors: optional groups are no reason to fail" {
	for how in "-l 2" ""; do
		# shellcheck disable=SC2086 # words
		(ulimit -n 128 && setpriv --bounding-set=-sys_resource "$TDSTAT" $how -a -o out -- sleep 1)
		level_1 out | grep -E '^ +[0-9.]+( ±[0-9.?]+)? %  tma_retiring'
	done
}

# Levels 1 and 2 fit into fewer descriptors than the deeper groups of all CPUs.
@test "few descriptors: where deeper groups do not fit, a note has the limit and levels 1 and 2 remain" {
	for nr in $(seq 64 8 120); do
		(ulimit -n "$nr" && setpriv --bounding-set=-sys_resource "$TDSTAT" -a -o out -- "$ACT" 4s:dram_latency) 2>err
		cat err
		! grep "below level 2 are counted, because at most $nr files may be open; raise the limit (ulimit -n)$" err || break
	done
	run -0 grep -c 'ulimit -n' err
	[ "$output" -eq 1 ]
	level_1 out | grep -E '^ +[0-9.]+( ±[0-9.?]+)? %  tma_retiring'
	grep -E ' [0-9.]+( ±[0-9.?]+)? %  tma_memory_bound' out
}

# As perf does; the command has the limit that tdstat was given.
@test "few descriptors: root has more of them" {
	# shellcheck disable=SC2016,SC2154 # sh -c; what run sets
	for how in "-l 6" "-e $(printf 'cycles,%.0s' {1..60})cycles"; do
		# shellcheck disable=SC2086 # words
		run -125 --separate-stderr sh -c 'ulimit -n 100; exec setpriv --bounding-set=-sys_resource "$TDSTAT" --require "$@"' - \
			-a $how -- touch ran
		[[ $stderr == *"Too many open files"* ]]
		[ ! -e ran ]
		# shellcheck disable=SC2086 # words
		run -0 --separate-stderr sh -c 'ulimit -n 100; exec "$TDSTAT" "$@"' - \
			-a $how -o out -- sh -c 'ulimit -Sn; ulimit -Hn'
		[ "$output" = $'100\n100' ]
		[[ $stderr != *"ulimit -n"* ]]
	done
}

@test "rows, columns and recordings are of level 1" {
	for how in "-x," -j "-I 500" "-I 500 -x," --per-thread "-a -A" "record -o rec"; do
		# shellcheck disable=SC2046,SC2086 # words
		"$TDSTAT" $how -- $(act 1s:dram_latency) 2>out
		grep -q tma_backend_bound out
		run ! grep -E 'tma_(memory_bound|dram_bound)' out
	done
	"$TDSTAT" report rec >out
	grep -q tma_backend_bound out
	run ! grep tma_memory_bound out
}

@test "several runs show the nodes that one shows" {
	# shellcheck disable=SC2046 # words
	"$TDSTAT" -r 2 -o runs -- $(act 2s:dram_latency)
	grep -q "(2 runs)" runs
	grep -qE 'tma_dram_bound +<--' runs
	grep -qE '^ Biggest loss: .*tma_mem_latency' runs
}

# descriptors OPTION...: print the number of open events when the command begins; each of
# its forks copies them
descriptors() {
	# shellcheck disable=SC2016 # the command's shell
	"$TDSTAT" "$@" -o out -- sh -c 'ls -l /proc/$PPID/fd' >fds
	grep -c 'anon_inode:.*perf_event' fds
}

@test "children of a command do not inherit groups that are disabled at first" {
	"$TDSTAT" --dry-run -- true | awk '
		/^group / { rests = / disabled at first$/; next }
		/^  / { n[rests]++ }
		END { print n[0], n[1] }' >planned
	read -r always rest <planned
	[ "$rest" -gt 100 ]
	[ "$(descriptors)" -eq "$always" ]
	[ "$always" -le $(($(descriptors -l 2) * 3 / 2)) ]
	# where it is not so
	[ "$(descriptors -l 6)" -gt 100 ]
}

# A group is opened once in the existing tasks, and later ones inherit it.
@test "a loop of forks: no events are opened in each child" {
	"$TDSTAT" -vv -o out -- sh -c \
		"i=0; while [ \$i -lt 20 ]; do i=\$((i + 1)); $(act 200ms:dram_latency); done" 2>said
	sed -n 's/^sys_perf_event_open: pid \([0-9]*\) .*/\1/p' said | sort | uniq -c >opened
	cat opened
	# the shell, and the child of a few moments at which it went down
	[ "$(wc -l <opened)" -ge 2 ]
	[ "$(wc -l <opened)" -le 8 ]
	[ "$(grep -c '^sys_perf_event_open: .* = -' said)" -eq 0 ]
}

# Another program pins groups: the kernel disables the groups of a child that starts at that
# time.
@test "a program that began while another program held the counters is counted once they are free" {
	perf_or_skip
	# the general counters, without which none of the groups counts
	for ((i = 1; i <= 8; i++)); do
		list+=${list:+,}$(printf 'cpu_core/config=0x%xa2/D' $i)
	done
	"$PERF" stat -a -e "$list" sh -c 'until [ -e free ]; do sleep 0.1; done' 2>held 3>&- &
	wait_for has_events $!
	# a shell that began on an E-core would have no group that stops
	"$TDSTAT" -l auto -I 1000 -j -o out -- taskset -c 0 sh -c "$ACT -w end 600s:dram_latency; true" 2>said 3>&- &
	counts_for 2 $!
	of out tma_dram_bound value >before
	run ! grep '[0-9]' before
	touch free
	wait_for goes_deep
	touch end
	wait
	cat held said
	grep -E 'somebody else|another program' said
}

# Is there a row in which the node of level 2 is above its threshold, and its child counted?
goes_deep() {
	paste <(of out tma_memory_bound over_threshold) <(of out tma_dram_bound value) | grep -q '^true[[:blank:]][0-9]'
}

# Levels 1 and 2 are not pinned where they are all that is counted.
@test "another program takes the counters later: a note, and no advice to run longer" {
	"$TDSTAT" -a -l 2 --timeout 4000 -o out &
	sleep 0.5
	"$TDSTAT" -a -l auto -I 500 -o rows -- sleep 4.5 2>held
	wait
	cat out
	grep -q '^ Cannot rank these nodes: other programs used the counters most of the time$' out
	run ! grep 'for longer' out
}

# Without the watchdog, multiplexed groups are scaled by cycles; with it, cycles are an
# event of deeper levels, which are paused here.
@test "GHz and IPC are of all of the run, with the NMI watchdog and without" {
	for on in 1 0; do
		sysctl -q -w kernel.nmi_watchdog=$on
		# shellcheck disable=SC2046 # words
		"$TDSTAT" -l auto -o tree$on -- $(act 1s:balanced)
		grep ' cpu_core, .* GHz' tree$on
		grep ' cpu_core, .* GHz' tree$on | sed 's/.* \([0-9.]*\) GHz, \([0-9.]*\) IPC.*/\1 \2/' >>facts
	done
	awk '{ fail = fail || $1 < 2.8 || $1 > 3.2; ipc[NR] = $2 }
		END { exit fail || NR != 2 || ipc[1] > 1.05 * ipc[2] || ipc[1] < 0.95 * ipc[2] }' facts
}

# --- -l auto ----------------------------------------------------------------------

@test "the marked path is counted for three times as long as with -l 6" {
	for level in auto 6; do
		# shellcheck disable=SC2046 # words
		"$TDSTAT" -l $level -j -o "$level" -- $(act 6s:dram_latency)
	done
	for node in tma_dram_bound tma_mem_latency; do
		echo "# $TD_MACHINE: $node: $(of auto $node running) and $(of 6 $node running) %" >&3
		awk "BEGIN { exit !($(of auto $node running) >= 3 * $(of 6 $node running)) }"
		[ "$(of auto $node over_threshold)" = true ]
	done
	# their values are the same
	awk "BEGIN { d = $(of auto tma_mem_latency value) - $(of 6 tma_mem_latency value); exit d * d > 9 }"
	# nodes outside of it are not counted
	[ "$(of auto tma_divider value)" = null ]
	[ "$(of auto tma_icache_misses value)" = null ]
}

@test "a change of phase: both families are seen" {
	# shellcheck disable=SC2046 # words
	"$TDSTAT" record -l auto -o rec -- $(act 4s:dram_latency 4s:icache)
	"$TDSTAT" report -i rec -j -o out
	[ "$(of out tma_mem_latency value)" != null ]
	[ "$(of out tma_icache_misses value)" != null ]
	[ "$(of out tma_divider value)" = null ]
	# the shares of the time in which each was counted: at most its phase and two seconds
	awk "BEGIN { exit !($(of out tma_mem_latency running) > 4 && $(of out tma_mem_latency running) < 76) }"
	awk "BEGIN { exit !($(of out tma_icache_misses running) > 4 && $(of out tma_icache_misses running) < 76) }"
	"$TDSTAT" report -i rec >text
	grep -q 'others were not measured; --all shows them' text
	run ! grep -q tma_divider text
	"$TDSTAT" report -i rec --all -v 2>&1 | grep 'tma_divider .*its parent was not above its threshold'
}

@test "in intervals, and with the command's children" {
	"$ACT" -u dram_latency
	"$TDSTAT" -a -l auto -I 500 --interval-count 6 -j -o out
	[ "$(of out tma_mem_latency value | head -n 1)" = null ]
	[ "$(of out tma_mem_latency value | tail -n 1)" != null ]
	# shellcheck disable=SC2046 # words
	"$TDSTAT" -l auto -j -o child -- sh -c "$(act 3s:dram_latency); true"
	[ "$(of child tma_mem_latency over_threshold)" = true ]
}

@test "each thread, and each run of -r" {
	# the second thread begins while groups rest
	"$TDSTAT" -l auto --per-thread -j -o out -- taskset -c 0,1 "$ACT" -n 2 3s:dram_latency
	mapfile -t values < <(of out tma_dram_bound value)
	[ "${#values[@]}" -eq 2 ]
	for value in "${values[@]}"; do
		awk "BEGIN { exit !($value > 40 && $value < 60) }"
	done
	# shellcheck disable=SC2046 # words
	"$TDSTAT" -l auto -r 2 -j -o runs -- $(act 2s:dram_latency)
	[ "$(of runs tma_mem_latency over_threshold)" = true ]
	# the share of a node that was paused in a part of each run is of the whole run
	# shellcheck disable=SC2046 # words
	"$TDSTAT" -l auto -r 2 -j -o phases -- $(act 2s:mispredict 4s:dram_latency)
	of runs tma_dram_bound value | cat - <(of phases tma_dram_bound value) | paste -sd ' ' |
		awk '{ print; exit !($2 > 0.55 * $1 && $2 < 0.75 * $1) }'
}

@test "a short command has levels 1 and 2" {
	"$TDSTAT" -l auto -j -o out -- taskset -c 0 true
	[ "$(of out tma_memory_bound value)" != null ]
	[ "$(of out tma_dram_bound value)" = null ]
}
