#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: regions
# The regions of a program whose scenarios are known (regions.c).
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth

# shellcheck disable=SC2154 # stderr, of run
load helper
load nobody

PROGRAM=${TDSTAT%/*}/tests/machine/regions

export PYTHONDONTWRITEBYTECODE=1

own() {
	TD_NEAR=${TD_NEAR:-1} python3 "$BATS_TEST_DIRNAME/own.py" "$@"
}

# field FILE ID PMU COLUMN: of the line with this id and PMU in a CSV file
field() {
	awk -F, -v id="$2" -v pmu="$3" -v column="$4" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["id"] == id && $at["pmu"] == pmu { print $at[column] }' "$1"
}

# both FILE PMU: dram and icache are each what they are, within a point, or within the
# error that is shown where a busy host stopped a CPU at the wrong moment
both() {
	TD_ERRORS=1 own is "$1" "$2" dram_latency dram
	TD_ERRORS=1 own is "$1" "$2" icache icache
}

@test "two regions within another, on each core type" {
	taskset -c 0 "$TDSTAT" regions -l 2 -j -o core -- "$PROGRAM" calls 320 500
	taskset -c 3 "$TDSTAT" regions -j -o atom -- "$PROGRAM" calls 320 500
	both core cpu_core
	both atom cpu_atom
}

@test "10,000 short calls are each within a point of the truth" {
	taskset -c 0 "$TDSTAT" regions -l 2 -j -o core -- "$PROGRAM" apart 10000
	taskset -c 3 "$TDSTAT" regions -j -o atom -- "$PROGRAM" apart 10000
	both core cpu_core
	both atom cpu_atom
}

@test "the same by read(), and without restartable sequences" {
	taskset -c 0 "$TDSTAT" regions -l 2 --read -j -o core -- "$PROGRAM" apart 500 500
	taskset -c 3 "$TDSTAT" regions --read -j -o atom -- "$PROGRAM" apart 500 500
	both core cpu_core
	both atom cpu_atom
	export GLIBC_TUNABLES=glibc.pthread.rseq=0
	taskset -c 0 "$TDSTAT" regions -l 2 -j -o core -- "$PROGRAM" apart 500 500
	taskset -c 3 "$TDSTAT" regions -j -o atom -- "$PROGRAM" apart 500 500
	both core cpu_core
	both atom cpu_atom
}

@test "events of user space, of the kernel, and of both" {
	taskset -c 0 "$TDSTAT" regions -e cycles:u,cycles:k,cycles -x, -o out -- "$PROGRAM" calls 100 500
	awk -F, '$1 == "dram" && $4 ~ /cpu_core/ { n[$4] = $2 }
		END {
			u = n["cpu_core/cycles/u"]; k = n["cpu_core/cycles/k"]; all = n["cpu_core/cycles/"]
			print u, k, all
			exit !(u > 0 && k > 0 && (u + k) / all > 0.98 && (u + k) / all < 1.02)
		}' out
}

@test "many threads under the usual limit of descriptors" {
	# shellcheck disable=SC2016 # of the shell within
	run -0 --separate-stderr bash -c 'ulimit -Sn 64; exec "$@"' bash \
		"$TDSTAT" regions -x, -o out -- "$PROGRAM" threads 160 500 20
	run ! grep -F 'thread(s)' <<<"$stderr"
	[ $(($(field out outer cpu_core calls) + $(field out outer cpu_atom calls) + $(field out outer cpu_core lost))) -eq 20 ]
}

@test "calls, inclusive and exclusive slots" {
	taskset -c 0 "$TDSTAT" regions -x, -o out -- "$PROGRAM" calls 500
	[ "$(field out outer cpu_core calls)" -eq 1 ]
	[ "$(field out dram cpu_core calls)" -eq 500 ]
	[ "$(field out icache cpu_core calls)" -eq 500 ]
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ own += $at["exclusive"]; whole[$at["id"]] = $at["inclusive"] }
		$at["id"] != "outer" { within += $at["exclusive"] }
		END {
			print own, within, whole["outer"]
			exit !(own > 99.9 && own < 100.1 && whole["outer"] > 90 &&
				whole["dram"] > 25 && whole["icache"] > 25)
		}' out
}

@test "eight threads that move between core types: each region on each type" {
	"$TDSTAT" regions -j -o out --record rec -- "$PROGRAM" moving 128 500 8
	both out cpu_core
	# a busy host stops a CPU between two of its counters, where fields are one
	TD_NEAR=4 both out cpu_atom
	# all calls are there
	"$TDSTAT" report --per-region rec -x, >csv
	nr=$(($(field csv dram cpu_core calls) + $(field csv dram cpu_atom calls)))
	[ $((nr + $(field csv dram cpu_core lost))) -eq 1024 ]
	[ "$(field csv dram cpu_core lost)" -lt 80 ]
}

@test "a recording: by region, by thread, and all" {
	taskset -c 0 "$TDSTAT" regions -x, -o out --record rec -- "$PROGRAM" threads 200 50 2
	"$TDSTAT" report --per-region rec -x, | diff - out
	"$TDSTAT" report rec -x, | diff - out
	taskset -c 0 "$TDSTAT" regions -o text --record again -- "$PROGRAM" threads 200 50 2
	"$TDSTAT" report again >reported
	diff <(grep "^ Biggest loser" reported) <(grep '^ Biggest loser' text)
	[ "$("$TDSTAT" report --per-thread rec -x, | grep -c cpu_core)" -eq 3 ]
	[ "$("$TDSTAT" report --total rec -x, | grep -c cpu_core)" -eq 1 ]
}

@test "fork, exec, exit and a kill: complete calls are kept, and the status" {
	mkdir tmp
	export TMPDIR=$PWD/tmp
	# a call that moves to the other core type may be lost there
	taskset -c 0 "$TDSTAT" regions -x, -o out -- "$PROGRAM" fork 50
	[ "$(field out parent cpu_core calls)" -eq 1 ]
	[ "$(field out outer cpu_core calls)" -eq 1 ]
	taskset -c 0 "$TDSTAT" regions -x, -o out -- "$PROGRAM" exec 50
	[ "$(field out dram cpu_core calls)" -eq 100 ]
	run -7 taskset -c 0 "$TDSTAT" regions -x, -o out -- "$PROGRAM" exit 50
	[ "$(field out dram cpu_core calls)" -eq 50 ]
	[ -z "$(field out never cpu_core calls)" ]
	run -137 taskset -c 0 "$TDSTAT" regions -x, -o out -- "$PROGRAM" kill 50
	[ "$(field out icache cpu_core calls)" -eq 50 ]
	# exit() within a region ends it
	run -3 taskset -c 0 "$TDSTAT" regions -x, -o out -- "$PROGRAM" return 50
	[ "$(field out main cpu_core calls)" -eq 1 ]
	rmdir tmp
}

@test "a region within itself" {
	taskset -c 0 "$TDSTAT" regions -x, -o out -- "$PROGRAM" recursion 100
	[ "$(field out recur cpu_core calls)" -eq 400 ]
	awk -v x="$(field out recur cpu_core inclusive)" 'BEGIN { exit !(x > 80 && x <= 100) }'
}

@test "wrong marks: a note for each kind of error" {
	run -0 --separate-stderr taskset -c 0 "$TDSTAT" regions -x, -o out -- "$PROGRAM" faults
	[ "$(grep -c '^tdstat: ' <<<"$stderr")" -eq 3 ]
	grep -E '^tdstat: 1 .*td_end' <<<"$stderr"
	grep -E '^tdstat: [0-9]+ .*had no td_end' <<<"$stderr"
}

@test "one of ten calls" {
	taskset -c 0 "$TDSTAT" regions --every 10 -x, -o out -- "$PROGRAM" calls 200
	calls=$(field out dram cpu_core calls)
	[ "$calls" -ge 11 ]
	[ "$calls" -lt 60 ]
	[ "$(field out dram cpu_core skipped)" -eq $((200 - calls)) ]
}

@test "without the right to count the kernel: user space" {
	run -0 --separate-stderr as_nobody 2 taskset -c 0 "$TDSTAT" regions -x, -o out -- "$PROGRAM" calls 100
	[ "$(grep -c '^tdstat: ' <<<"$stderr")" -eq 1 ]
	[[ $stderr == "tdstat: counting user space only: "* ]]
	[ "$(field out dram cpu_core calls)" -eq 100 ]
}

@test "without tdstat, marks do not count" {
	"$PROGRAM" calls 10
	[ "$("$PROGRAM" empty 1000000 | cut -d. -f1)" -lt 1000 ]
}

CHILDREN=${TDSTAT%/*}/tests/machine/children
SANDBOX=${TDSTAT%/*}/tests/machine/sandbox

# all_calls FILE ID: print the number of calls on both core types
all_calls() {
	awk -F, -v id="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["id"] == id { n += $at["calls"] }
		END { print n + 0 }' "$1"
}

@test "children of all kinds live, and their regions are counted" {
	echo 2 >"$PARANOID"
	for how in '' --read; do
		for kind in fork _Fork clone two setuid chroot; do
			# shellcheck disable=SC2086
			run -0 --separate-stderr "$TDSTAT" regions $how -x, -o out -- "$CHILDREN" $kind
			echo "$kind $how: $(all_calls out parent) $(all_calls out child) of 3 and 60"
			[ $((60 - $(all_calls out child))) -le 6 ]
			[ "$kind" = setuid ] || [ -z "$stderr" ] || [[ $stderr == *"ran without counters"* ]]
		done
		for kind in holes malloc vfork errno; do
			# shellcheck disable=SC2086
			run -0 --separate-stderr "$TDSTAT" regions $how -x, -o out -- "$CHILDREN" $kind
		done
	done
}

@test "a child that shares its parent's memory lives, on whatever core type" {
	for _ in 1 2 3 4 5; do
		run -0 --separate-stderr "$TDSTAT" regions -x, -o out -- "$CHILDREN" beside
	done
	[ "$(all_calls out after)" -ge 15 ]
}

@test "in a sandbox marks need only read(); without it, they are lost with a note" {
	for how in '' --read; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr "$TDSTAT" regions $how -x, -o out -- "$SANDBOX" kill
		[ $((40 - $(all_calls out known))) -le 4 ]
		[ "$(all_calls out new0)" -eq 1 ] || [[ $stderr == *"ran without counters"* ]]
	done
	run -0 --separate-stderr "$TDSTAT" regions --read -x, -o out -- "$SANDBOX" errno
	[[ $stderr == *"1 thread(s) were not counted"* ]]
	[[ $stderr == *"30 of 50 calls are not counted"* ]]
}

@test "a program that is another user's is counted" {
	echo 2 >"$PARANOID"
	run -0 --separate-stderr "$TDSTAT" regions -x, -o out -- "${NOBODY[@]}" taskset -c 0 "$PROGRAM" calls 50
	[[ $stderr == "tdstat: counting user space only: "* ]]
	[ "$(field out dram cpu_core calls)" -eq 50 ]
}

# Else none of them could start: perf_create_mediated_pmu() in kernel/events/core.c.
@test "KVM gives its guests the counters: regions are not counted" {
	emulated
	command -v strace >/dev/null || skip "no strace"
	mkdir -p module/kvm_intel/parameters
	echo Y >module/kvm_intel/parameters/enable_mediated_pmu
	for words in "-- true" "regions -- $PROGRAM apart 10" "profile -- $PROGRAM apart 300" "doctor"; do
		# shellcheck disable=SC2016,SC2086
		timeout -s KILL "$TD_HANGS" unshare -m sh -c 'mount --bind module /sys/module && exec "$@"' sh \
			strace -f -v -o log -e trace=perf_event_open "$TDSTAT" $words >out 2>&1 || true
		grep '{type=' log | grep -v PERF_TYPE_SOFTWARE >calls
		[ "$(grep -c exclude_guest=1 calls)" -gt 1 ]
		run ! grep -v exclude_guest=1 calls
	done
}
