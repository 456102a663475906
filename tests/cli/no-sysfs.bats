#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Without sysfs or proc, as in a container or another mount namespace: what needs
# neither is counted; for the rest, an error names the missing file.

# shellcheck disable=SC2016,SC2154 # sh -c; helper.bash
load helper

EVENTS=task-clock,context-switches

# Empty folders, folders that are not there, and one of each.
ROOTS=("SYSFS_PATH=empty" "PROCFS_PATH=empty" "SYSFS_PATH=nowhere" "PROCFS_PATH=nowhere"
	"SYSFS_PATH=empty PROCFS_PATH=nowhere")

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	needs_software_events "${1-}"
	unset SYSFS_PATH PROCFS_PATH PERF_CPUID
	mkdir empty
}

# without ROOT OPTION...: tdstat below that root
without() {
	# shellcheck disable=SC2086 # settings
	try env $1 "$TDSTAT" "${@:2}"
}

# The file that is missing, of sysfs if both are not there.
missing() {
	case $1 in
	SYSFS_PATH=*) echo 'devices/system/cpu/online: No such file' ;;
	PROCFS_PATH=*) echo 'cpuinfo: No such file' ;;
	esac
}

@test "software events of a command" {
	for root in "${ROOTS[@]}"; do
		without "$root" -e $EVENTS -x, -- true
		assert_success
		assert_equal "${#stderr_lines[@]}" 2
		[[ ${stderr_lines[0]} =~ ^[0-9.]+,msec,task-clock, ]]
		[[ ${stderr_lines[1]} =~ ^[0-9]+,,context-switches, ]]
		without "$root" --per-thread -e $EVENTS -x, -- true
		assert_success
	done
}

@test "software events of the machine, on all of its CPUs" {
	needs_software_events -a
	online=$(getconf _NPROCESSORS_ONLN)
	for root in "${ROOTS[@]}"; do
		unset SYSFS_PATH PERF_CPUID
		# whatever CPU this program was told to stay on
		# shellcheck disable=SC2086 # settings
		try env $root taskset -c 0 "$TDSTAT" -a -A -e $EVENTS --timeout 100 -x,
		assert_success
		assert_equal "$(grep -c task-clock <<<"$output")" "$online"
		if [[ $root == SYSFS_PATH* ]]; then
			assert_equal "${#stderr_lines[@]}" 1
			assert_complains "$(missing "$root").*counting on CPUs 0"
		else
			assert_no_stderr
		fi
		# where it was told to stay is where it stays
		# shellcheck disable=SC2086 # settings
		env $root taskset -c 0 "$TDSTAT" -a -e cs -o out -- sh -c 'taskset -cp $$' >affinity
		grep -q ': 0$' affinity
	done
}

@test "what does need them: the file, and where it is looked for" {
	for root in "${ROOTS[@]}"; do
		without "$root" -x, -- touch made
		assert_runs_all_the_same "$(missing "$root")" 'mounted on (empty|nowhere)'
		rm made
		for how in -a "-a -I 100" "-a -M IPC" list; do
			# shellcheck disable=SC2086 # options
			without "$root" $how
			assert_failure 1
			assert_why_and_remedy "$(missing "$root")" 'mounted on (empty|nowhere)'
		done
	done
}

@test "beside what counts: what does not, and why" {
	without SYSFS_PATH=empty -e cycles,task-clock -x, -- true
	assert_success
	assert_complains "cycles: empty/$(missing SYSFS_PATH=empty)"
	[[ $stderr == *"<not supported>,,cycles,"* && $stderr == *msec,task-clock,* ]]
	# on a machine that has a PMU, whatever this one has
	saved skylakex
	unset PERF_CPUID
	without PROCFS_PATH=empty -e inst_retired.any,task-clock -- true
	assert_failure 64
	[[ $stderr == *"empty/cpuinfo: No such file"* ]]
}

@test "processes: proc is missing, not they" {
	for target in -p -t; do
		without PROCFS_PATH=empty $target $$ -e task-clock
		assert_failure 1
		assert_why_and_remedy "empty/$$: No such file" 'proc mounted on empty'
	done
}

@test "times of the machine that proc has: not counted, beside the rest" {
	needs_software_events -a
	unset SYSFS_PATH PERF_CPUID
	without PROCFS_PATH=empty -a -e user_time,task-clock -x, --timeout 100
	assert_success
	assert_equal "${#stderr_lines[@]}" 1
	assert_complains 'empty/stat: No such file'
	[[ $output == *"<not counted>,ns,user_time,"* ]]
	[[ $output =~ [0-9.]+,msec,task-clock, ]]
}

@test "a mount namespace that has neither" {
	not_under_valgrind "it needs proc"
	not_under_sanitizers "which need proc"
	unshare -m true 2>/dev/null || skip "no mount namespace"
	try unshare -m sh -c 'umount -l /sys && umount -l /proc && exec "$@"' - \
		"$TDSTAT" -e $EVENTS -x, -- true
	assert_success
	[[ $stderr =~ [0-9.]+,msec,task-clock, ]]
	try unshare -m sh -c 'umount -l /sys && umount -l /proc && exec "$@"' - "$TDSTAT" -- true
	assert_runs_all_the_same "/sys/$(missing SYSFS_PATH=/sys)" 'sysfs mounted on /sys'
}
