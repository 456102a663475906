#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Programs that leave a probed function by other ways than a return run as they do
# without tdstat: exceptions, cancellation, longjmp(3), stacks of their own.

# shellcheck disable=SC2016,SC2154 # sh -c; helper.bash
load helper

ways=(return throw longjmp exit cancel backtrace signal switch choose)

setup_file() {
	g++ -O2 -g -o "$BATS_FILE_TMPDIR/unwinds" "$BATS_TEST_DIRNAME/../machine/unwinds.cpp" -pthread
	for how in "${ways[@]}"; do
		"$BATS_FILE_TMPDIR/unwinds" "$how" >"$BATS_FILE_TMPDIR/$how" || [ $? = 7 ]
	done
}

# As root, with the kernel's probes and its software events
probes() {
	[ -w /sys/kernel/tracing/uprobe_events ] || skip "no probes for this user, or this kernel"
	not_under_valgrind "it cannot read the file in its place"
	needs_software_events
}

# function_of WAY: the one that is left so
function_of() {
	function=leave
	[ "$1" != choose ] || function=choose
}

# same WAY: output and status are those of the program alone
same() {
	[ "$status" = 7 ] || fail "$1: status $status: $stderr"
	[ "$output" = "$(<"$BATS_FILE_TMPDIR/$1")" ] || fail "$1: $output"
}

# assert_calls NR: so many calls by "locate --in"
assert_calls() {
	[[ $stderr == *" of $1 calls took "* ]] || fail "not $1 calls: $stderr"
}

@test "calls: the program ends as without it, and calls that returned are counted" {
	probes
	for how in "${ways[@]}"; do
		function_of "$how"
		try within "$TDSTAT" calls "$function" -- "$BATS_FILE_TMPDIR/unwinds" "$how"
		same "$how"
		case $how in
		return | backtrace | choose) [[ $stderr == *": 50 calls by uprobes"* ]] || fail "$how: $stderr" ;;
		throw | longjmp) [[ $stderr == *": 45 calls by uprobes"* ]] || fail "$how: $stderr" ;;
		exit | cancel) [[ $stderr == *"no call was counted"* ]] || fail "$how: $stderr" ;;
		esac
	done
}

@test "locate --in: the same" {
	probes
	for how in "${ways[@]}"; do
		function_of "$how"
		try within "$TDSTAT" locate -e cpu-clock --in "$function" --slower 1ns -- "$BATS_FILE_TMPDIR/unwinds" "$how"
		same "$how"
		case $how in
		return | backtrace | choose) assert_calls 50 ;;
		throw | longjmp) assert_calls 45 ;;
		esac
	done
}

# TDSTAT: a probe of the function has been hit
has_hits() {
	local name hits

	while read -r _ name hits _; do
		[[ $name != "p0_$1" || $hits = 0 ]] || return 0
	done </sys/kernel/tracing/uprobe_profile
	return 1
}

# attached WAY WORDS...: tdstat WORDS -p, while the program runs
attached() {
	local how=$1 program tdstat

	shift
	"$BATS_FILE_TMPDIR/unwinds" "$how" go >out 3>&- &
	program=$!
	wait_for_file go
	"$TDSTAT" "$@" -p $program 2>err 3>&- &
	tdstat=$!
	wait_for has_hits $tdstat
	rm go
	status=0
	wait $program || status=$?
	output=$(<out) stderr=$(<err)
	same "$how"
	# threads that are cancelled may end while they are opened, which ends tdstat
	wait $tdstat || [ "$how" = cancel ] || fail "$how: tdstat: $(<err)"
}

@test "-p: a program that runs already is not harmed either" {
	probes
	for how in throw cancel backtrace choose; do
		function_of "$how"
		attached "$how" calls "$function"
		attached "$how" locate -e cpu-clock --in "$function" --slower 1ns
	done
}

@test "a Rust program that panics" {
	command -v rustc >/dev/null || skip "no rustc"
	probes
	cat >panics.rs <<-'RUST'
		#[no_mangle]
		#[inline(never)]
		pub fn leave(round: u32) -> u32 {
		    if round % 10 == 3 { panic!("bad input") }
		    round
		}
		fn main() {
		    std::panic::set_hook(Box::new(|_| {}));
		    let caught = (0..50).filter(|&i| std::panic::catch_unwind(|| leave(i)).is_err()).count();
		    println!("{} caught", caught);
		    std::process::exit(7)
		}
	RUST
	rustc -g -o panics panics.rs
	for words in 'calls leave' 'locate -e cpu-clock --in leave --slower 1ns'; do
		# shellcheck disable=SC2086 # options
		try within "$TDSTAT" $words -- ./panics
		assert_failure 7
		assert_output '5 caught'
	done
}

@test "a function that never returns has no probes: the command runs, and is not counted" {
	probes
	for words in 'calls _start' 'locate -e cpu-clock --in _start --slower 1ns'; do
		# shellcheck disable=SC2086 # options
		try within "$TDSTAT" $words -- "$BATS_FILE_TMPDIR/unwinds" return
		assert_failure 64
		assert_complains '_start in .*: no probes where it returns: it never returns'
	done
}
