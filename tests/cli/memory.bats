#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Out of memory at one allocation after another: the whole result with exit status 0, or an
# error.  Some places are tried, evenly spread; with TD_EVERYTHING=1 all.

# shellcheck disable=SC2154 # helper.bash
load helper

setup_file() {
	gcc -D_GNU_SOURCE -O2 -shared -fPIC "$BATS_TEST_DIRNAME/memory.c" -o "$BATS_FILE_TMPDIR/memory.so"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LC_ALL
	not_under_valgrind "memory is valgrind's"
	! ldd "$TDSTAT" | grep -q libasan || skip "memory is the sanitizer's"
}

# runs_out [--measured] [RESULT]... -- ARGUMENT...
runs_out() {
	local tries=32

	[ -z "${TD_EVERYTHING-}" ] || tries=0
	TRIED=$BATS_FILE_TMPDIR/tried python3 "$here/memory.py" "$TDSTAT" "$BATS_FILE_TMPDIR/memory.so" $tries "$@"
}

@test "report: text, CSV, JSON" {
	runs_out -- report "$data/alderlake-2.jsonl"
	runs_out -- report -x, --error "$data/alderlake-timeline.jsonl"
	runs_out -- report -j -l 6 --all "$data/alderlake-command.jsonl"
}

@test "report: a page, a picture, a trace" {
	needs_wing pictures
	runs_out page -- report --html=page "$data/alderlake-timeline.jsonl"
	runs_out picture -- report --svg=picture "$data/alderlake-2.jsonl"
	runs_out trace -- report --perfetto=trace "$data/alderlake-2.jsonl"
}

@test "report: files of perf stat, threads, bottlenecks" {
	needs_wing import
	runs_out -- report "$data/perf-6.12-socket.csv"
	runs_out -- report -j "$data/perf-6.12-thread.jsonl"
	runs_out -- report --per-thread "$data/manual/threads.jsonl"
	runs_out -- report -j --bottlenecks "$data/manual/xz-3.jsonl"
}

@test "diff: text, JSON, a page" {
	needs_wing pictures
	runs_out -- diff "$data/manual/xz-2.jsonl" "$data/manual/xz-3.jsonl"
	runs_out -- diff -j "$data/alderlake-2.jsonl" "$data/alderlake-2.jsonl"
	runs_out page -- diff --html=page "$data/alderlake-2.jsonl" "$data/alderlake-2.jsonl"
}

@test "list, explain, --dry-run" {
	runs_out -- list --model=alderlake metrics
	runs_out -- explain tma_l3_bound
	saved alderlake
	runs_out -- --dry-run -e '{slots,topdown-retiring},INST_RETIRED.ANY,cycles:u' -- true
	runs_out -- --dry-run -M tma_l3_bound -- true
}

@test "report: regions, samples, a trace of CPUs" {
	needs_wing pictures
	"$TDSTAT" record -o cpus -A -a -I 10 --interval-count 4 -e cpu-clock 2>said || skip "$(<said)"
	runs_out trace -- report --perfetto=trace cpus
	# enough CPU time for a sample at any rate
	"$TDSTAT" locate -e cpu-clock --samples samples -- "${BURN[@]}" 200 2>said || skip "$(<said)"
	runs_out -- report --locate samples
	runs_out -- report --locate --folded stacks --flame flame.svg samples
}

@test "diff, report, --dry-run: other forms, all levels" {
	needs_wing pictures
	runs_out -- report -x, --per-thread "$data/manual/threads.jsonl"
	runs_out -- diff -x, "$data/manual/xz-2.jsonl" "$data/manual/xz-3.jsonl"
	runs_out page -- report --bottlenecks --html=page "$data/manual/xz-3.jsonl"
	saved alderlake
	runs_out -- --dry-run -a -l 6
	runs_out -- --dry-run -l auto -- true
}

@test "list: JSON" {
	runs_out -- list -j --model=alderlake cycles
	runs_out -- list -j --model=alderlake sysfs
	saved alderlake
	runs_out -- list -j sysfs
}

# The counts of a command vary, but not the members of its recording.  An event that never
# happens has no sample, while a sample of the clock is sometimes there.
@test "record, locate --samples: all of a recording, or an error; the command runs" {
	local command=(sh -c 'echo ran >>ran; exit 3')

	"$TDSTAT" record -o recording -e cpu-clock -- true 2>said || skip "$(<said)"
	runs_out --measured recording -- record -o recording -e cpu-clock,page-faults -- "${command[@]}"
	runs_out --measured recording -- record --require -o recording -e cpu-clock,page-faults -- "${command[@]}"
	runs_out --measured recording -- record --require -o recording --per-thread -e task-clock -- "${command[@]}"
	runs_out --measured recording -- locate --require -e alignment-faults --samples=recording -- "${command[@]}"
}

# The rows of a short run are not as many twice.
@test "out of memory for rows of a command: it runs to its end, and its status is passed on" {
	"$TDSTAT" -e cpu-clock -- true 2>said || skip "$(<said)"
	runs_out --measured -- -o rows -I 10 -e cpu-clock -- sh -c 'echo ran >>ran; exit 3'
	runs_out --measured -- -o rows -r 1 -- sh -c 'echo ran >>ran; exit 3'
}
