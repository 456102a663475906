# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # bats reads and sets some
# Functions of the tests on the emulated machine; each test runs in its own directory.
bats_require_minimum_version 1.5.0
load ../cli/json
load ../cli/wait

PERF=$BATS_TEST_DIRNAME/../emulator/perf
[ "$TD_MACHINE" != here ] || PERF=perf
PERF=${TD_PERF:-$PERF}

# WORK takes half a second, WORK_TO_END until there is a file "end".  On the emulated
# machine it is that of act, by which the host has nothing to do.
export ACT=$BATS_TEST_DIRNAME/../../build/emulator/act
# shellcheck disable=SC2016
WORK='i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
# shellcheck disable=SC2016
WORK_TO_END='while [ ! -e end ]; do :; done'
if [ "$TD_MACHINE" != here ] && [ -x "$ACT" ]; then
	# shellcheck disable=SC2016,SC2089 # of the shell that runs it
	WORK='"$ACT" 500ms:inherited' WORK_TO_END='exec "$ACT" -w end 600s:inherited'
fi
# shellcheck disable=SC2090
export WORK WORK_TO_END

# WORK_TO_END, which makes the file "running" when it begins
export WORK_ON="touch running; $WORK_TO_END"

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	tidy_up
}

# End the remaining processes; after a failure, print the output of the last "run".
tidy_up() {
	touch end
	# shellcheck disable=SC2046
	kill $(jobs -p) 2>/dev/null || true
	[ -z "$BATS_TEST_COMPLETED$BATS_TEST_SKIPPED" ] || return 0
	echo "status: ${status-}"
	echo "output: ${output-}"
	echo "stderr: ${stderr-}"
}

# counts_for SECONDS PID: until tdstat, of this process id, has counted for so long
counts_for() {
	wait_for has_events "$2"
	pause "$1"
}

# for_longer CONDITION COMMAND [ARG]...: with 2 for SECONDS, or more until it holds: a host
# that stops the virtual CPUs leaves few samples, and groups without a turn
for_longer() {
	local seconds words=("${@:2}")

	for seconds in 2 20 200; do
		"${words[@]//SECONDS/$seconds}"
		! "$1" || break
	done
}

all_counted() {
	! grep -q '<not counted>' out
}

# For what needs the machine's known rates and layout.
emulated() {
	[ "$TD_MACHINE" != here ] || skip "the rates of this machine are not known"
}

perf_or_skip() {
	"$PERF" --version >/dev/null 2>&1 || skip "no perf to compare with"
}

# The newest perf, of the series that the tests know: from one day to the next Debian
# may have another, with other metrics and another output.
newest_or_skip() {
	[[ $(TD_PERF_SERIES=newest "$PERF" --version 2>/dev/null) == "perf version 7.2."* ]] ||
		skip "no perf 7.2 to compare with"
}

# Python takes a third of a second for what Debian adds to it, which no test needs, and
# longer than that for each import that it has to compile.
export PYTHONPYCACHEPREFIX=$BATS_RUN_TMPDIR/python
python3() {
	command python3 -S "$@"
}

# rates SUBCOMMAND...: see rates.py
rates() {
	emulated
	python3 "$BATS_TEST_DIRNAME/rates.py" "$@"
}

# syscalls SUBCOMMAND...: see syscalls.py
syscalls() {
	python3 "$BATS_TEST_DIRNAME/syscalls.py" "$@"
}

# perf_group GROUP FILE: a second of perf stat -M, the whole machine, as JSON
perf_group() {
	"$PERF" stat -M "$1" -a -j -o "$2" sleep 1
}

# without_errors FILE: a tree, without the half of each value's interval
without_errors() {
	sed 's/ ±[0-9.?]*//' "$1"
}

# level_1 FILE: a tree, without the nodes of deeper levels
level_1() {
	awk '!/ %  tma_/ || / %  tma_(retiring|backend_bound|frontend_bound|bad_speculation)( |$)/' "$1"
}

# get PORT PATH: the page there.  Python takes a second to ask for it, and tests ask
# until something is there.
get() (
	exec 9<>"/dev/tcp/127.0.0.1/$1" || exit
	printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&9
	read -t "$TD_HANGS" -r _ status _ <&9 && [ "$status" = 200 ] || exit
	within sed '1,/^\r*$/d' <&9
) 2>/dev/null

# After "run --separate-stderr": one line why, one line what to do.
assert_two_lines() {
	[ "${#stderr_lines[@]}" -eq 2 ]
	[[ ${stderr_lines[0]} == "tdstat: "* ]]
	[[ ${stderr_lines[1]} == "tdstat: "* ]]
	[ -z "$output" ]
}
