#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tests/save-machine, which made the machines of the other tests.

# shellcheck disable=SC2154 # helper.bash
load helper

save=$BATS_TEST_DIRNAME/../save-machine

@test "a saved machine saved once more is the same, byte for byte" {
	bare
	for model in alderlake skylakex; do
		saved $model
		"$save" again/$model
		diff -r "$SYSFS_PATH" again/$model/sys
		diff -r "$PROCFS_PATH" again/$model/proc
	done
	# the kernel pads some texts of hybrid machines with NUL bytes
	saved alderlake
	padded=$SYSFS_PATH/bus/event_source/devices/cpu_atom/events/topdown-retiring
	text=$(tr -d '\0' <"$padded" && echo .)
	[ $((${#text} - 1)) -lt "$(wc -c <"$padded")" ]
}

@test "this machine: tdstat gives the same for the copy as for the machine" {
	"$save" here
	"$TDSTAT" --dry-run -a >machine 2>&1 || true
	use_machine "$PWD/here"
	"$TDSTAT" --dry-run -a >copy 2>&1 || true
	diff -u machine copy
	cmp /sys/devices/system/cpu/online here/sys/devices/system/cpu/online
}

@test "a machine is not saved over another" {
	mkdir -p dir/sys
	try "$save" dir
	assert_failure 1
	assert_equal "$(echo dir/*)" dir/sys
	[[ $stderr == *dir* ]]
}

@test "usage" {
	try "$save" --help
	assert_success
	assert_output --partial 'usage: '
	for wrong in '' '-x' 'a b'; do
		# shellcheck disable=SC2086
		try "$save" $wrong
		assert_failure 64
		assert_output ''
		[[ $stderr == usage:* ]]
	done
	[ ! -e a ]
	[ ! -e b ]
}
