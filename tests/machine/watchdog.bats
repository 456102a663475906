#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The NMI watchdog counts another event than cycles: what doctor says, and that the
# levels have their values.
# machine: skx --kernel newest --append nmi_watchdog=r00c4 --no-halt
# release: icx --kernel newest --append nmi_watchdog=r00c4 --no-halt

load helper

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
	[ "$(cat /proc/sys/kernel/nmi_watchdog)" = 1 ]
}

# text NAME: of the findings with this name
text() {
	jq -r --arg n "$1" '.findings[] | select(.name == $n).text' found
}

@test "doctor names a general counter, and the levels are planned without it" {
	"$TDSTAT" doctor -j >found || true
	[[ "$(text watchdog)" == "the NMI watchdog may hold a general counter of each CPU, "* ]]
	[[ "$(text counters)" == "already in use: cpu: 1 of "*" general counters; "* ]]
	[[ "$(jq '.findings[].text' found)" == *" general counters, of which 1 are already in use, do not hold all of them"* ]]
	[[ "$(jq '.findings[].text' found)" != *"the NMI watchdog holds one more"* ]]
	sysctl -q -w kernel.nmi_watchdog=0
	"$TDSTAT" doctor -j >found || true
	[ "$(text watchdog)" = "the NMI watchdog is off" ]
	[ -z "$(text counters)" ]
	sysctl -q -w kernel.nmi_watchdog=1
}

@test "each node of levels 1 to 3 has its value" {
	"$TDSTAT" -a -l 3 --all -j -o beside -- "$ACT" 2s:inherited
	sysctl -q -w kernel.nmi_watchdog=0
	"$TDSTAT" -a -l 3 --all -j -o alone -- "$ACT" 2s:inherited
	sysctl -q -w kernel.nmi_watchdog=1
	for file in alone beside; do
		jq -r 'select(.level and .value != null) | .metric' "$file" | sort >"$file.nodes"
	done
	[ -s alone.nodes ]
	diff alone.nodes beside.nodes
}

# CONFIG_HARDLOCKUP_DETECTOR_BUDDY, as far as tdstat sees it
@test "a watchdog without a counter: doctor reports it" {
	sysctl -q -w kernel.nmi_watchdog=0
	echo 1 >on
	mount --bind on /proc/sys/kernel/nmi_watchdog
	"$TDSTAT" doctor -j >found || true
	umount /proc/sys/kernel/nmi_watchdog
	sysctl -q -w kernel.nmi_watchdog=1
	[ "$(text watchdog)" = "the NMI watchdog is on, and holds no counter" ]
	[ -z "$(text counters)" ]
	[[ "$(jq '.findings[].text' found)" != *"the NMI watchdog holds one more"* ]]
}

# plans: the number of events of each group, at levels 1 to 3
plans() {
	for level in 1 2 3; do
		"$TDSTAT" -a -l $level -v -o /dev/null -- "$ACT" 200ms:inherited >heading 2>&1
		sed -nE 's/^(group [0-9]+: .* events), .*/\1/p' heading
	done
}

@test "a watchdog without a counter: the plan is that without a watchdog" {
	sysctl -q -w kernel.nmi_watchdog=0
	plans >without
	echo 1 >on
	mount --bind on /proc/sys/kernel/nmi_watchdog
	plans >buddy
	grep -F ', NMI watchdog on (counter of cycles free)' heading
	run ! grep -F 'already in use' heading
	umount /proc/sys/kernel/nmi_watchdog
	sysctl -q -w kernel.nmi_watchdog=1
	plans >with
	grep -F ', NMI watchdog on (counter of cycles free); already in use: cpu: 1 of ' heading
	[ -s without ]
	diff without buddy
	run ! diff without with
}
