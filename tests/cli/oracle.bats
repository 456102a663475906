#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Recordings made of the counts in the file TD_ORACLE, and the values that the
# kernel tree's metric files give for those counts by another evaluator.

# shellcheck disable=SC2154 # helper.bash
load helper

# agrees DIR PMU: compare each case of that set, to 1e-9, and print their number
agrees() {
	not_under_valgrind "too many runs; tests/unit/oracle.c is one"
	[ -e "${TD_ORACLE-}" ] || skip "no TD_ORACLE"
	command -v python3 >/dev/null || skip "no python3"
	try python3 "$here/oracle.py" "$1" "$2"
	echo "$output"
	echo "# ${lines[-1]}" >&3
	assert_success
	assert_no_stderr
}

@test "Alder Lake's P-cores" { agrees alderlake cpu_core; }
@test "Alder Lake's E-cores" { agrees alderlake cpu_atom; }
@test "Sapphire Rapids" { agrees sapphirerapids cpu; }
@test "Ice Lake" { agrees icelakex cpu; }
@test "Skylake, of a core's threads and of a task" { agrees skylakex cpu; }
@test "Meteor Lake's P-cores" { agrees meteorlake cpu_core; }
@test "Meteor Lake's E-cores" { agrees meteorlake cpu_atom; }
@test "Lunar Lake's P-cores" { agrees lunarlake cpu_core; }
@test "Lunar Lake's E-cores" { agrees lunarlake cpu_atom; }
@test "Arrow Lake's P-cores" { agrees arrowlake cpu_core; }
@test "Arrow Lake's E-cores" { agrees arrowlake cpu_atom; }
@test "Granite Rapids" { agrees graniterapids cpu; }

@test "no set is left out" {
	[ -e "${TD_ORACLE-}" ] || skip "no TD_ORACLE"
	try jq -r '.sets[] | "agrees \(.dir) \(.pmu);"' "$TD_ORACLE"
	assert_success
	mapfile -d '' suite <"$here/oracle.bats"
	for set in "${lines[@]}"; do
		[[ ${suite[0]} =~ $'\n@test '[^$'\n']*" { $set }" ]] || fail "$set"
	done
}
