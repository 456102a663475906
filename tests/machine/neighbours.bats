#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Other programs that count on the same machine: tdstat takes no counts from them.
# machine: spr --no-halt --smp 4,sockets=1,cores=2,threads=2 --sysctl kernel.watchdog_thresh=2

# shellcheck disable=SC2154 # helper.bash
load helper

# Four of the eight general counters, beside the fixed ones.
group='{cycles,instructions,branches,branch-misses,cache-references,cache-misses}'

setup() {
	emulated
	perf_or_skip
	cd "$BATS_TEST_TMPDIR" || return
	"$TDSTAT" serve --listen unix:sock 2>err 3>&- &
	serve=$!
	wait_for_file sock
	sleep 2
}

teardown() {
	[ -z "${serve-}" ] || kill "$serve" 2>/dev/null || true
}

# per_second FILE: of perf's CSV, each event's count a second that it ran
per_second() {
	awk -F, '/^[0-9]/ { print $3, $1 / $4 * 1e9, $5 }' "$1"
}

@test "perf's groups count the same with tdstat serve as without it" {
	"$PERF" stat -a -x, -o beside -e "$group" sleep 2
	kill "$serve"
	wait "$serve" || true
	"$PERF" stat -a -x, -o alone -e "$group" sleep 2
	per_second alone >a
	per_second beside >b
	[ "$(wc -l <a)" -eq 6 ]
	join a b | awk '{
		off = $4 / $2 - 1
		print
		if (off < -0.01 || off > 0.01 || $3 < 99.9 || $5 < 99.9)
			wrong = 1
	}
	END { exit wrong || NR != 6 }'
}

# nmis: of all CPUs
nmis() {
	awk '$1 == "NMI:" { for (i = 2; i <= 5; i++) sum += $i; print sum }' /proc/interrupts
}

@test "the NMI watchdog keeps its counter" {
	[ "$(cat /proc/sys/kernel/nmi_watchdog)" = 1 ]
	before=$(nmis)
	sleep 7
	[ "$(nmis)" -gt "$before" ]
	run ! grep -E 'NMI watchdog: .*(disabled|failed)' <(dmesg)
}

@test "a second tdstat beside the first has the tree" {
	"$TDSTAT" -a -l 2 -j -o out -- sleep 1
	jq -es 'map(select(.metric and .level <= 2)) | length == 12 and all(.value != null)' out
}
