#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Without sysfs or proc, as in a container or another mount namespace: what needs
# neither is counted; for the rest, an error names the missing file.

# shellcheck disable=SC2016,SC2154 # sh -c; helper.bash
load helper
load runs

# Empty directories, missing directories, and one of each.
roots='
ROOTS = ({"SYSFS_PATH": "empty"}, {"PROCFS_PATH": "empty"}, {"SYSFS_PATH": "nowhere"}, {"PROCFS_PATH": "nowhere"},
         {"SYSFS_PATH": "empty", "PROCFS_PATH": "nowhere"})
EVENTS = "task-clock,context-switches"

def missing(root):
    """The file that is missing, in sysfs if both are not there."""
    return ("devices/system/cpu/online" if "SYSFS_PATH" in root else "cpuinfo") + ": No such file"
'

# with_roots: a program of standard input, with these
with_roots() {
	{
		printf '%s\n' "$roots"
		cat
	} | python
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	needs_software_events "${1-}"
	unset SYSFS_PATH PROCFS_PATH PERF_CPUID
	mkdir empty
}

# without ROOT OPTION...: tdstat below that root
without() {
	try env "$1" "$TDSTAT" "${@:2}"
}

@test "software events of a command" {
	with_roots <<-'PYTHON'
		for root in ROOTS:
		    run = Run("-e", EVENTS, "-x,", "--", "true", env=root)
		    run.has_status(0, what=root)
		    run.expect(re.fullmatch(r"[0-9.]+,msec,task-clock,.*\n[0-9]+,,context-switches,.*\n", run.err), root)
		    run = Run("--per-thread", "-e", EVENTS, "-x,", "--", "true", env=root)
		    run.has_status(0, what=root)
	PYTHON
}

@test "software events of the machine, on all of its CPUs" {
	needs_software_events -a
	unset SYSFS_PATH PERF_CPUID
	with_roots <<-'PYTHON'
		online, may = os.sysconf("SC_NPROCESSORS_ONLN"), os.sched_getaffinity(0)
		cpu = max(may)
		for root in ROOTS:
		    # on any CPU that this program may use
		    os.sched_setaffinity(0, {cpu})
		    run = Run("-a", "-A", "-e", EVENTS, "--timeout", "100", "-x,", env=root)
		    run.has_status(0, what=root)
		    run.expect(run.out.count("task-clock") == online, f"{root}: not {online} CPUs")
		    if "SYSFS_PATH" in root:
		        run.expect(len(run.err.splitlines()) == 1, f"{root}: not one line")
		        # the first CPU is there, unless it is offline
		        run.complains(missing(root) + ".*counting on CPUs? [0-9]", what=root)
		    else:
		        run.expect(not run.err, f"{root}: standard error is not empty")
		    # it stays on the CPU to which it was bound
		    run = Run("-a", "-e", "cs", "-o", "out", "--", sys.executable, "-S", "-c",
		              "import os; print(*os.sched_getaffinity(0))", env=root)
		    run.expect(run.out == f"{cpu}\n", f"{root}: not on CPU {cpu}")
		    os.sched_setaffinity(0, may)
	PYTHON
}

@test "without sysfs, an error names the required file and its place" {
	with_roots <<-'PYTHON'
		for root in ROOTS:
		    run = Run("-x,", "--", "touch", "made", env=root)
		    run.runs_all_the_same(missing(root), "mounted on (empty|nowhere)", what=root)
		    take("made")
		    for how in "-a", "-a -I 100", "-a -M IPC", "list":
		        run = Run(*how.split(), env=root)
		        run.has_status(1, what=root)
		        run.why_and_remedy(missing(root), "mounted on (empty|nowhere)", what=root)
	PYTHON
}

@test "a virtual machine whose sysfs has no caches: rows of the die, as in perf stat, and why" {
	needs_software_events -a
	unset SYSFS_PATH PERF_CPUID
	cpu=devices/system/cpu
	mkdir -p fs/$cpu
	cp /sys/$cpu/online fs/$cpu
	for topology in /sys/"$cpu"/cpu[0-9]*/topology; do
		mkdir -p "fs${topology#/sys}"
		cp "$topology"/{core_id,physical_package_id} "fs${topology#/sys}"
		echo 0 >"fs${topology#/sys}/die_id"
	done
	# without nodes and clusters
	while read -r option id shares; do
		without SYSFS_PATH=fs -a "$option" -e task-clock -I 20 --interval-count 2
		assert_success
		[[ ${lines[1]} =~ ^\ *[0-9.]+\ $id\ .*\ msec\ task-clock ]] || fail "$option: $output"
		assert_equal "$stderr" "tdstat: ${option%=*}: it is not known which CPUs share a $shares; its number is -1"
		without SYSFS_PATH=fs -a "$option" -e task-clock -j --timeout 20
		[[ $output =~ :\"$id\",\"aggregate-number\": && ! $stderr ]] || fail "$option: $output"
	done <<-'EOS'
		--per-cache S[0-9]+-D0-L-1-ID-1 cache
		--per-cache=L2 S[0-9]+-D0-L-1-ID-1 cache
		--per-cluster S[0-9]+-D0-CLS-1 cluster
		--per-node N-1 node
	EOS
	SYSFS_PATH=fs "$TDSTAT" record -a --per-cache -e task-clock --timeout 20 2>/dev/null
	try "$TDSTAT" report
	assert_success
	assert_complains "which CPUs share a cache"
	# and its rows are read as those of perf stat
	"$TDSTAT" report -x, >csv
	if has_wing import; then
		try "$TDSTAT" report csv
		assert_success
		assert_output --partial "S0-D0-L-1-ID-1 "
	fi
	# a recording of CPUs, of which these rows are made later
	SYSFS_PATH=fs "$TDSTAT" record -a -A -e task-clock --timeout 20 2>/dev/null
	try "$TDSTAT" report --per-cache
	assert_success
	assert_output --partial "D0-L-1-ID-1 "
	assert_complains "which CPUs share a cache"
}

@test "software events are counted, and the others have a reason" {
	without SYSFS_PATH=empty -e cycles,task-clock -x, -- true
	assert_success
	assert_complains "cycles: empty/devices/system/cpu/online: No such file"
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
		"$TDSTAT" -e task-clock,context-switches -x, -- true
	assert_success
	[[ $stderr =~ [0-9.]+,msec,task-clock, ]]
	try unshare -m sh -c 'umount -l /sys && umount -l /proc && exec "$@"' - "$TDSTAT" -- true
	assert_runs_all_the_same '/sys/devices/system/cpu/online: No such file' 'sysfs mounted on /sys'
}
