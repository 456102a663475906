#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Every example of the manual counts, as it may be pasted.
# machine: adl

load helper
load ../cli/examples

CGROUPS=/sys/fs/cgroup

# In place of tdstat: 4711 is a process that works on, and its counting is
# interrupted after a while, as is that of a machine for days.  Each call leaves a
# line: status and words.
a_tdstat() {
	cat <<-'SCRIPT'
		#!/usr/bin/env bash
		rm -f f.xz
		. "$WAIT"
		status=0
		if [[ " $* " != *' -p 4711 '* && " $* " != *' --rotate '* ]]; then
			within "$TDSTAT" "${@/#4711/$WORKER}" || status=$?
		else
			env --default-signal=INT "$TDSTAT" "${@/#4711/$WORKER}" &
			counting=$!
			wait_for has_events $counting
			sleep 2
			kill -INT $counting
			wait $counting || status=$?
		fi
		echo "$status tdstat $*" >>"$FOLDER/calls"
		exit "$status"
	SCRIPT
}

# Make the files that the examples name.
prepare_examples() {
	[ "$TD_MACHINE" != here ] || skip "caches are dropped, and cgroups made"
	mkdir -p bin adl linux/tools/perf/pmu-events/arch
	tar -C adl -xzf "$BATS_TEST_DIRNAME/../data/alderlake.tar.gz"
	ln -s "$BATS_TEST_DIRNAME/../../build/metrics" linux/tools/perf/pmu-events/arch/x86
	head -c 50000 /bin/bash >f
	echo 'all: ; @sleep 0.2' >Makefile
	a_tdstat >bin/tdstat
	ln -s "$PERF" bin/perf
	printf '#!/bin/sh\nexec /bin/sleep 0.5\n' >bin/sleep
	chmod +x bin/tdstat bin/sleep
	sh -c "$WORK_ON" &
	export WORKER=$! FOLDER=$PWD WAIT=$BATS_TEST_DIRNAME/../cli/wait.bash PATH=$PWD/bin:$PATH
	wait_for_file running
	mountpoint -q $CGROUPS || mount -t cgroup2 none $CGROUPS
	mkdir -p $CGROUPS/system.slice/ssh.service
	# until any controller was asked for, the kernel leaves perf's out, too
	echo +cpu >$CGROUPS/cgroup.subtree_control
}

# page PAGE: all its examples that count
page() {
	local command shown status wanted

	prepare_examples
	while IFS= read -rd '' command && IFS= read -rd '' shown; do
		: >calls
		status=0 wanted=0
		[[ $shown != 'tdstat: '* ]] || wanted=64
		within bash -o pipefail -c "$command" </dev/null >out 2>&1 || status=$?
		if [ "$status" -ne "$wanted" ] || grep -v "^$wanted " calls; then
			echo "$command: status $status"
			cat out
			return 1
		fi
	done < <(examples "$1")
}

@test "tdstat(1)" { page tdstat.1; }
@test "tdstat-record(1)" { page tdstat-record.1; }
@test "tdstat-report(1)" {
	perf_or_skip
	page tdstat-report.1
}
@test "tdstat-list(1)" { page tdstat-list.1; }
@test "tdstat-explain(1)" { page tdstat-explain.1; }
# Options that aggregate.bats, output.bats and other pages count with, in each format.
@test "tdstat-output(5)" {
	[ -n "${TD_EVERYTHING-}" ] || skip "before a release"
	page tdstat-output.5
}
@test "tdstat-recording(5)" { page tdstat-recording.5; }
@test "tdstat-events(7)" { page tdstat-events.7; }
@test "tdstat-metrics(7)" { page tdstat-metrics.7; }
