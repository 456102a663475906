# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Functions of the tests of the emulated Processor Trace: build/tests/machine/traced is
# traced, and perf decodes the trace.

setup() {
	emulated
	perf_or_skip
	cd "$BATS_TEST_TMPDIR" || return
	traced=$BATS_TEST_DIRNAME/../../build/tests/machine/traced
}

# record [OPTION]... -- PROGRAM [ARGUMENT]...: an event of Processor Trace
record() {
	timeout -s KILL "$TD_HANGS" "$PERF" record -o data "$@" >record.out 2>&1
}

# decode ITRACE [OPTION]...: what perf makes of the trace
decode() {
	local what=$1

	shift
	timeout -s KILL "$TD_HANGS" "$PERF" script -i data --ns --itrace="$what" "$@" 2>script.err
}

# decodes [OPTION...]: check that the decoder follows each branch in the program's code;
# with options, "branches" contains perf's output for each branch
decodes() {
	local what=e

	[ $# -eq 0 ] || what=be
	decode $what "$@" >branches
	cat script.err
	run ! grep 'instruction trace error' branches
	run ! grep 'trace errors' script.err
	[ $# -gt 0 ] || [ ! -s branches ]
}

# packets NAME: how many of them there are
packets() {
	decode e -D | grep -cE " $1( |\$)"
}

# calls: count the entries at the start of work() in "decode b -F ip,addr". Their last three
# digits are known.  Entries after an interrupt there do not count.
calls() {
	awk -v start="$(nm "$traced" | awk '$3 == "work" { print substr($1, 14) }')$" '
		$1 == 0 && $3 ~ start { calls++ }
		$1 ~ start && $3 == 0 { calls-- }
		END { print calls }'
}

# within NS [--lossy]: the times of "branches" are those of the program's stamps
within() {
	"$PERF" script -i data -D 2>/dev/null | awk '/^  Time (Shift|Mul|Zero)/ { print $NF }' >conversion
	"$BATS_TEST_DIRNAME/pt.py" branches conversion stamps "$(nm -S "$traced" | awk '$4 == "work" { print $2 }')" "$@"
}
