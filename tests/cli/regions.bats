#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: regions
# tdstat regions where nothing can be counted: what it plans, says and leaves alone.
# Counts are in tests/machine/regions.bats and tests/unit/region_program.c.

# shellcheck disable=SC2030,SC2031,SC2154 # helper.bash
load helper

PROGRAM=${TDSTAT%/*}/tests/machine/regions

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LC_ALL TDSTAT_REGIONS TDSTAT_EVERY
	export TMPDIR=$PWD
}

# assert_groups NR: the plan has NR groups
assert_groups() {
	local line nr=0

	for line in "${lines[@]}"; do
		[[ $line != group* ]] || nr=$((nr + 1))
	done
	assert_equal "$nr" "$1"
}

@test "one group for each core type, without the clocks" {
	saved alderlake
	try "$TDSTAT" regions --dry-run -- true
	[ "$status" -eq 0 ]
	assert_groups 2
	[[ $output != *ref-cycles* ]]
	saved sapphirerapids
	try "$TDSTAT" regions -l 2 --dry-run -- true
	assert_groups 1
	[ -z "$stderr" ]
}

@test "metrics that do not fit into the counters are left out, with a note per core type" {
	saved alderlake
	try "$TDSTAT" regions -l 2 --dry-run -- true
	[ "$status" -eq 0 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr =~ ^"tdstat: cpu_atom: not counted, because there are too few counters for all events at once, and none is multiplexed: tma_" ]]
	# the fields of level 1 stay
	fields=${output//topdown-/}
	[ $(((${#output} - ${#fields}) / 8)) -ge 11 ]
	printf -v events 'cpu_core/event=0x%x/,' {100..120}
	try "$TDSTAT" regions -e "${events}cycles" --dry-run -- true
	assert_groups 2
	[[ $stderr == *"cpu_core: not counted, "*": cpu_core/event=0x"* ]]
}

@test "events in braces or not are counted at once" {
	saved sapphirerapids
	try "$TDSTAT" regions -e 'cycles,instructions,{slots,topdown-retiring}' --dry-run -- true
	[ "$status" -eq 0 ]
	assert_groups 1
	# SLOTS has to lead
	[[ ${lines[2]} == "  slots "* ]]
}

@test "only events of the cores" {
	saved alderlake
	try "$TDSTAT" regions -e page-faults -- true
	[ "$status" -eq 64 ]
	[[ $stderr == "tdstat: "*page-faults* ]]
}

@test "wrong usage" {
	saved alderlake
	for words in '' '-l auto -- true' '-l 3 -- true' '-e cycles -l 2 -- true' '--every 0 -- true' '-a -- true' '-I 1s -- true'; do
		# shellcheck disable=SC2086
		try "$TDSTAT" regions $words
		[ "$status" -eq 64 ] || fail "$words"
		[[ $stderr == "tdstat: "* ]] || fail "$words"
	done
}

assert_nothing_left() {
	local left=(tdstat-regions-*)

	[ ! -e "${left[0]}" ] || fail "left: ${left[*]}"
}

@test "the command runs to its end, its status is passed on, and no file is left" {
	saved alderlake
	try "$TDSTAT" regions -- sh -c 'echo out; exit 7'
	[ "$status" -eq 7 ]
	[ "$output" = out ]
	[[ $stderr == *"no process had regions"* ]]
	try "$TDSTAT" regions -- sh -c 'kill -9 $$'
	[ "$status" -eq 137 ]
	try "$TDSTAT" regions -- ./is-not-there
	[ "$status" -eq 127 ]
	assert_nothing_left
}

# shellcheck disable=SC2016 # sh -c
@test "the directory of a killed tdstat is removed by the next one, but not that of a running one" {
	saved alderlake
	env "$TDSTAT" regions -- sh -c 'echo >>"$TDSTAT_REGIONS.1"; kill -9 $PPID; echo >killed' 2>/dev/null 3>&- || true
	wait_for_file killed
	local left=(tdstat-regions-*)
	[ -d "${left[0]}" ] || fail "nothing is left"
	# directories of other users, and those that are not tdstat's, stay
	mkdir tdstat-regions-others
	"$TDSTAT" regions -- sh -c 'echo >runs; while [ ! -e go ]; do :; done; ls -d tdstat-regions-* >seen' 2>/dev/null 3>&- &
	wait_for_file runs
	[ ! -e "${left[0]}" ] || fail "still there: ${left[0]}"
	try "$TDSTAT" regions -- true
	assert_success
	touch go
	wait $!
	# its own, and the one without a lock
	assert_equal "$(wc -l <seen)" 2
	rmdir tdstat-regions-others
	assert_nothing_left
}

# A daemon makes files until it cannot, as fast as no program with marks would.
# shellcheck disable=SC2016 # sh -c
@test "a program that becomes a daemon: no file is left, and a note names the daemon" {
	saved alderlake
	# its processes are this machine's
	unset PROCFS_PATH
	export PERF_CPUID=GenuineIntel-6-97-2
	cat >daemon.sh <<-'E'
		echo $$ >daemon
		nr=0
		while true >"$TDSTAT_REGIONS.$nr"; do nr=$((nr + 1)); [ $nr -lt 1000 ] || echo >many; done
		exec sleep 600
	E
	# setsid forks, and its parent, and that of the shell, have ended
	try within "$TDSTAT" regions -- sh -c '(setsid sh daemon.sh >/dev/null 2>&1 &)
		until [ -e many ]; do :; done; exit 7'
	read -r pid <daemon
	wait_for sleeps "$pid"
	kill "$pid"
	[ "$status" -eq 7 ]
	[[ $stderr == *"tdstat: sh-$pid: still running when sh ended; their marks since then are not counted"* ]]
	assert_nothing_left
	# more than the note names; ended processes are not included
	try "$TDSTAT" regions -- sh -c 'true & for nr in 1 2 3 4 5; do sleep 600 >/dev/null 2>&1 & echo $! >>pids; done
		while read -r pid; do until read -r name </proc/$pid/comm && [ $name = sleep ]; do :; done; done <pids
		wait %1'
	mapfile -t pids <pids
	kill "${pids[@]}"
	one='(sleep|sh)-[0-9]+'
	[[ $stderr =~ "tdstat: "$one,\ $one,\ $one" and 2 more: still running" ]]
}

@test "no counters: one message, and the program runs" {
	saved alderlake
	try "$TDSTAT" regions -o out -- "$PROGRAM" exit 10
	[ "$status" -eq 7 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "tdstat: "*"not counted"* ]]
	# no values that were not measured
	[[ $(<out) != *%* ]]
	assert_nothing_left
}

# shellcheck disable=SC2016 # sh -c
@test "a directory or a file that cannot be made: the program runs without" {
	saved alderlake
	for option in -o --record; do
		try "$TDSTAT" regions $option none/file -- sh -c 'echo "${TDSTAT_REGIONS-off}"; exit 3'
		[ "$status" -eq 3 ] || fail "$option: $status"
		assert_output off
		[[ $stderr == "tdstat: none/file: "*$'\ntdstat: running sh without counting'* ]]
		try "$TDSTAT" regions --require $option none/file -- touch ran
		[ "$status" -eq 125 ] || fail "$option: $status"
		[ ! -e ran ]
	done
	TMPDIR=$PWD/none try "$TDSTAT" regions -- sh -c 'echo "${TDSTAT_REGIONS-off}"; exit 3'
	assert_output off
	assert_runs_all_the_same none TMPDIR 3
}

@test "a recording without regions" {
	try "$TDSTAT" report --per-region "$data/alderlake.jsonl"
	[ "$status" -eq 1 ]
	[[ $stderr == "tdstat: --per-region: "*"has no regions" ]]
}

@test "a program that is another user's" {
	local place as=(setpriv --reuid 65534 --regid 65534 --clear-groups)

	[ "$(id -u)" -eq 0 ] || skip "only root can"
	saved alderlake
	place=$(mktemp -d /tmp/tdstat-test-XXXXXX)
	chmod 755 "$place"
	cp "$PROGRAM" "$place"
	umask 077
	TMPDIR=$place try "$TDSTAT" regions -o out -- "${as[@]}" "$place/regions" exit 10
	[ "$status" -eq 7 ]
	[[ $stderr == *"1 thread(s) were not counted"* ]]
	mkdir -m 700 "$place/closed"
	TMPDIR=$place/closed try "$TDSTAT" regions -o out -- "${as[@]}" "$place/regions" exit 10
	[ "$status" -eq 7 ]
	[[ $stderr == *"can it write to $place/closed/"* ]]
	[[ $stderr == *": $place/closed: Permission denied"* ]]
	# no file is left, even in a directory that another user made
	# shellcheck disable=SC2016 # of the shell within
	TMPDIR=$place try "$TDSTAT" regions -- "${as[@]}" sh -c 'mkdir "${TDSTAT_REGIONS%/*}/a"'
	[ "$status" -eq 0 ]
	rm "$place/regions"
	rmdir "$place/closed" "$place"
}

@test "files that a program makes beside those of its regions" {
	saved alderlake
	# shellcheck disable=SC2016 # of the shell within
	try within "$TDSTAT" regions -- sh -c 'mkfifo "$TDSTAT_REGIONS.1"'
	[ "$status" -eq 1 ]
	[[ $stderr == *".1: is not a file of regions" ]]
	assert_nothing_left
}

# shellcheck disable=SC2016 # of the shell within
@test "calls by how long they took: the library is asked, and an older one does not answer" {
	needs_wing calls
	saved alderlake
	try "$TDSTAT" regions -- sh -c 'cat "$TDSTAT_REGIONS"'
	[[ $'\n'$output$'\n' != *$'\ncalls\n'* ]]
	try "$TDSTAT" regions --calls -- sh -c 'cat "$TDSTAT_REGIONS"'
	[[ $'\n'$output$'\n' == *$'\ncalls\n'* ]]
	try "$TDSTAT" regions --calls -o out -- "$PROGRAM" exit 10
	[ "$status" -eq 7 ]
	[[ $stderr != *libtdstat* ]]
	# which knows nothing of this line
	try "$TDSTAT" regions --calls -o out -- sh -c 'sed -i /^calls$/d "$TDSTAT_REGIONS"; exec "$0" exit 10' "$PROGRAM"
	[ "$status" -eq 7 ]
	[[ $stderr == *"tdstat: 1 process(es) have an older libtdstat"* ]]
}

# By hand: 1,000,000 slots, of which 900,000 in "outer" and 400,000 of these in
# 100 calls of "inner", half of whose slots retire; 100,000 outside.
recording() {
	local event pmu

	printf '{"tdstat":1,"cpuid":"GenuineIntel-6-8F-8","smt":true,"tasks":true,"interval_ms":0,"level":1,'
	printf '"aggregation":"region","target":"./a b","pmus":[{"name":"cpu","type":4,"cpus":"0-3"}],'
	printf '"topology":[{"cpu":0,"core":0,"cluster":0,"die":0,"socket":0,"node":0}],"events":['
	for event in slots topdown-retiring topdown-bad-spec topdown-fe-bound topdown-be-bound; do
		printf '{"name":"cpu/%s/","pmu":"cpu","group":0},' "$event"
	done
	printf '{"name":"cpu/INT_MISC.UOP_DROPPING/","pmu":"cpu","group":0}]}\n'
	printf '{"regions":['
	for event in '"outer"' '"outer","own":true' '"inner"' '"inner","own":true' '"(outside)","own":true,"outside":true'; do
		[[ $event == *inner* ]] && pmu=100 || pmu=1
		printf '{"name":%s,"calls":%d,"recursive":0,"lost":3,"skipped":0,"moved":0,"migrated":2,"switched":1,"threads":1,"time":0.001,"cost":0.00025,"on":{"cpu":%d}}' "$event" "$pmu" "$pmu"
		[[ $event == *outside* ]] || printf ,
	done
	printf '],"least_slots":10000}\n{"time":0.5,"counts":['
	row 0 900000 300000 100000 200000 300000
	row 1 500000 100000 100000 100000 200000
	row 2 400000 200000 0 100000 100000
	row 3 400000 200000 0 100000 100000
	row 4 100000 20000 20000 20000 40000 last
	printf ']}\n{"end":{"elapsed":0.5}}\n'
}

# row REGION SLOTS RETIRING BAD_SPEC FE_BOUND BE_BOUND [last]
row() {
	local region=$1 last=${7-} event=0 value

	for value in "${@:2:5}" 0; do
		printf '[%d,-1,70,%d,1000,1000,-1,1,%d]' "$event" "$value" "$region"
		event=$((event + 1))
		[ "$event" -eq 6 ] && [ -n "$last" ] || printf ,
	done
}

@test "lost shares exclude the inner regions" {
	recording >rec
	# of 1,000,000 slots, without the retiring ones
	try "$TDSTAT" report -x, rec
	assert_equal "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ printf "%s %s ", $at["id"], $at["lost_share"] }' <<<"$output")" 'outer 40.00 inner 20.00 (outside) 8.00 '
	try "$TDSTAT" report rec
	assert_line ' Biggest losers: outer (40.0 % of all slots), inner (20.0 %)'
	# skipped calls are in the slots of the enclosing region
	rec=$(<rec)
	echo "${rec//'"skipped":0'/'"skipped":9'}" >skipped
	try "$TDSTAT" report -j skipped
	jq -es 'map(select(.metric)) | length > 0 and all(.lost_share == null)' <<<"$output"
	try "$TDSTAT" report skipped
	[[ $output != *'Lost most'* ]]
}

# assert_rows WORDS: the first columns of the tables
assert_rows() {
	local line rows=

	for line in "${lines[@]}"; do
		[[ ! $line =~ ^\ (outer|inner|'(outside)'|region|took)\  ]] || rows+=" ${BASH_REMATCH[1]}"
	done
	assert_equal "${rows# }" "$1"
}

@test "a recording: the table, the trees, CSV and JSON" {
	recording >rec
	try "$TDSTAT" report rec
	[ "$status" -eq 0 ]
	# largest first, the outside last
	assert_rows "region outer inner (outside)"
	assert_line --regexp '^ outer +1 +90\.0 +50\.0 +900,000 +33\.3 '
	assert_line --regexp '^ inner +100 +40\.0 +40\.0 +4,000 +50\.0 .* short, 20 % cost, 3 lost$'
	assert_line --regexp '^ \(outside\) +10\.0 +10\.0 +20\.0 '
	assert_output --partial 'calls of fewer than 10,000 slots'
	try "$TDSTAT" report -v --no-big-num rec
	assert_line --regexp '^ outer +1 +90\.0 +50\.0 +900000 '
	[[ $output$'\n' == *tma_retiring$'\n'*tma_retiring$'\n'*tma_retiring$'\n'* ]]
	try "$TDSTAT" report -x, rec
	[[ ${lines[0]} == time,id,pmu,busy,share,running,ipc,calls,seconds,inclusive,exclusive,slots_per_call,switched,migrated,moved,lost,skipped,cost,short,whole,tma_* ]]
	# each name occurs once
	IFS=, read -ra names <<<"${lines[0]}"
	local -A seen=()
	for name in "${names[@]}"; do
		[ -z "${seen[$name]-}" ] || fail "$name is there twice"
		seen[$name]=1
	done
	[[ ${lines[2]} == 0.500000000,inner,cpu,*,100,0.001000000,40.00,40.00,4000.0,1,2,0,3,0,20.00,1,,50.00,* ]]
	[[ ${lines[3]} == "0.500000000,(outside),cpu,"*,,0.001000000,10.00,10.00,,* ]]
	"$TDSTAT" report -j rec >json
	in_schema json
	jq -ers 'map(select(.metric == "tma_retiring"))[1] | [.id, .calls, .seconds, .inclusive, .exclusive, .slots_per_call, .short] |
		map((numbers | . + 0) // .) == ["inner", 100, 0.001, 40, 40, 4000, true]' json
	# all of it, and by thread: what adds up
	try "$TDSTAT" report --total -x, rec
	[[ ${lines[1]} == *,32.00,* ]]
	try "$TDSTAT" report --per-thread -x, rec
	[[ ${lines[1]} == 0.500000000,'?-70',cpu,* ]]
	[ "${#lines[@]}" -eq 2 ]
}

# By hand: all calls of "inner" took 6.4 to 9.6 us, and a fifth of that without a CPU.
@test "a recording with calls by how long they took: beside their regions" {
	needs_wing pictures
	recording | jq -c '
		if .regions then
			.timed = [{ name: "inner", middle: 13, slow: 0, max_ns: 9000, steps: [104, 100], slowest: [] }] |
			.regions += [.regions[2] + { name: "inner 6.4 - 9.6 us", timed: 1, bucket: 13,
				took_ns: { cpu: 1000000 }, on_ns: { cpu: 800000 }, waited_ns: 200000 }]
		elif .counts then
			.counts += [.counts[] | select(.[8] == 2) | .[8] = 5]
		else . end' >rec
	try "$TDSTAT" report rec
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	# the table of regions is as it was, and has no bucket
	assert_rows "region outer inner (outside) took"
	assert_line --regexp '^ inner +100 +40\.0 +40\.0 +4,000 +50\.0 '
	assert_line --regexp '^ inner: 100 calls  p50 [67]\.[0-9]* us '
	assert_line --regexp '^ 6\.4 - 9\.6 us +100 +100\.0 +80\.0 +50\.0 '
	"$TDSTAT" report -x, rec >csv
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["id"] == "inner 6.4 - 9.6 us" {
			good += $at["function"] == "inner" && $at["took_from"] == 0.0000064 && $at["on_cpu"] == 80 &&
				$at["waited"] == 0.000002 && $at["preempted"] == "" && $at["exclusive"] == ""
		}
		$at["id"] == "inner" { good += $at["function"] == "" && $at["took_from"] == "" && $at["on_cpu"] == "" }
		END { exit good != 2 }' csv
	"$TDSTAT" report -j rec >json
	in_schema json
	# sums are the same with and without buckets
	recording >plain
	diff <("$TDSTAT" report --total -x, plain) <("$TDSTAT" report --total -x, rec)
	"$TDSTAT" report --html page rec
	has_text page '6.4 - 9.6 us'
}

@test "a recording whose regions are wrong: the line" {
	recording >rec
	rec=$(<rec)
	mapfile -t rows <rec
	# from, to
	while read -r from to; do
		case $from in
		all) wrong=${rec//,-1,1,[0-4]]/]} ;;
		2p) printf -v wrong '%s\n' "${rows[0]}" "${rows[1]}" "${rows[1]}" "${rows[@]:2}" ;;
		*) wrong=${rec/"$from"/"$to"} ;;
		esac
		[[ $wrong != "$rec" ]] || fail "no $from"
		echo "$wrong" >wrong
		try "$TDSTAT" report wrong
		[ "$status" -eq 1 ] || fail "$from"
		[[ $stderr =~ ^tdstat:\ wrong:[23] ]] || fail "$from: $stderr"
	done <<-'EOS'
		"calls":100 "calls":-1
		"name":"inner",
		"recursive":0 "recursive":9
		,-1,1,4] ,-1,1,5]
		,-1,1,4] ]
		all
		"on":{"cpu":1} "on":{"cpu_x":1}
		2p
		"own":true "own":1
		"outside":true "outside":"yes"
		"least_slots":10000 "least_slots":true
		"least_slots":10000 "least_slots":NaN
		"least_slots":10000 "least_slots":-1
	EOS
}
