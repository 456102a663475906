#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: calls
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

# same WAY: output and status are those of the program without tdstat
same() {
	[ "$status" = 7 ] || fail "$1: status $status: $stderr"
	[ "$output" = "$(<"$BATS_FILE_TMPDIR/$1")" ] || fail "$1: $output"
}

# assert_calls NR: "locate --in" counted NR calls
assert_calls() {
	[[ $stderr == *" of $1 calls took "* ]] || fail "not $1 calls: $stderr"
}

@test "calls: the program ends as without it, and calls that returned are counted" {
	probes
	for how in "${ways[@]}"; do
		function_of "$how"
		# all calls, even on a busy machine
		try within "$TDSTAT" calls --overhead=100 "$function" -- "$BATS_FILE_TMPDIR/unwinds" "$how"
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

# PID of tdstat: a probe of the function has been hit, or it has ended
has_hits_or_ended() {
	local name hits

	! has_ended "$1" || return 0
	while read -r _ name hits _; do
		[[ $name != "p0_$1" || $hits = 0 ]] || return 0
	done </sys/kernel/tracing/uprobe_profile
	return 1
}

# attached WAY WORDS...: tdstat WORDS -p, while the program runs
attached() {
	local how=$1 program counting

	shift
	"$BATS_FILE_TMPDIR/unwinds" "$how" go >out 3>&- &
	program=$!
	wait_for_file go
	"$TDSTAT" "$@" -p $program 2>err 3>&- &
	counting=$!
	wait_for has_hits_or_ended $counting
	rm go
	status=0
	wait $program || status=$?
	output=$(<out) stderr=$(<err)
	same "$how"
	# threads that end every other moment may keep tdstat from counting
	wait $counting || [ "$how" = cancel ] || fail "$how: tdstat: $(<err)"
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
		same return
		assert_complains '_start in .*: no probes where it returns: it never returns' 'unwinds without counting'
	done
}

# Ways of counting a command
ways_to_count=('' '-e task-clock' '-I 100 -e task-clock' 'record -e task-clock' 'calls f' profile
	'locate -e cpu-clock' regions '-r 1 -e task-clock' '-j')

@test "a system call that fails, each time: the command runs once, with its own status" {
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer needs these calls itself"
	needs_strace
	for call in pidfd_open timerfd_create timerfd_settime signalfd4 rt_sigprocmask rt_sigaction pipe2 \
		eventfd2 epoll_create1 poll ppoll fcntl prlimit64 getrusage perf_event_open write; do
		for words in "${ways_to_count[@]}"; do
			# shellcheck disable=SC2086 # options
			try within strace -o /dev/null -e trace=$call -e "inject=$call:error=EPERM" \
				"$TDSTAT" $words -- sh -c 'echo ran; exit 3'
			[ "$status" = 3 ] && [ "$output" = ran ] || fail "$call, $words: $status: $output $stderr"
		done
	done
}

@test "few open files: the command runs once, with its own status" {
	not_under_valgrind "its files are among them"
	for ((nr = 5; nr <= 20; nr++)); do
		for words in "${ways_to_count[@]}"; do
			# shellcheck disable=SC2086 # options
			output=$(exec 2>/dev/null 3>&- && ulimit -n $nr && exec "$TDSTAT" $words -- sh -c 'echo ran; exit 3') && status=0 || status=$?
			[ "$status" = 3 ] && [[ $output == *ran* ]] || fail "$nr, $words: $status: $output"
		done
	done
}

# tdstat(1), "What tdstat changes while it measures": what changes files, processes or the
# kernel is called for tdstat's own helpers, results and probes, and for nothing else.
@test "system calls that change something change only the items that tdstat(1) lists" {
	needs_wing pictures serve
	needs_strace
	needs_software_events
	python3 -S - "$TDSTAT" "$BATS_FILE_TMPDIR/unwinds" <<-'PYTHON'
		import os, re, subprocess, sys

		tdstat, program = sys.argv[1:]
		calls = """openat open openat2 creat mkdir mkdirat unlink unlinkat rmdir rename renameat renameat2 link linkat
		    symlink symlinkat mknod mknodat truncate chmod fchmodat chown lchown fchownat mount umount2 ptrace kill
		    tkill tgkill pidfd_send_signal rt_sigqueueinfo sched_setaffinity setpriority sched_setscheduler
		    sched_setparam sched_setattr ioprio_set prlimit64 setrlimit process_vm_writev process_madvise init_module
		    finit_module settimeofday clock_settime adjtimex bpf swapon sethostname acct quotactl"""
		reads = re.compile(r"open(at2?)?\(.*O_RDONLY")
		own = re.compile(r"""prlimit64\(0,|setrlimit\(|sched_setaffinity\(0,|openat\(AT_FDCWD,\ "(
		    /proc/self/oom_score_adj|/dev/null|/dev/tty|/sys/kernel/(debug/)?tracing/[uk]probe_events)",|
		    mount\("tracefs|mkdir\("/sys/kernel/(debug/)?tracing""", re.X)
		running = subprocess.Popen(["sleep", "600"])
		pid = str(running.pid)
		try:
		    for words, files in [
		        (["-e", "cpu-clock", "--", "true"], []),
		        (["-e", "cpu-clock", "-I", "10", "-o", "out", "--", "sleep", "0.05"], ["out"]),
		        (["-r", "2", "-e", "cpu-clock", "--", "true"], []),
		        (["-a", "-A", "-e", "cpu-clock", "--timeout", "20ms"], []),
		        (["--per-thread", "-e", "cpu-clock", "-p", pid, "--timeout", "20ms"], []),
		        (["record", "-o", "rec", "-e", "cpu-clock", "-p", pid, "--timeout", "20ms"], ["rec"]),
		        (["-a", "--openmetrics", "-o", "prom", "-I", "10", "--interval-count", "2"], ["prom", "prom.tmp"]),
		        (["locate", "-e", "cpu-clock", "--folded", "stacks", "--", "true"], ["stacks"]),
		        (["locate", "-a", "-e", "cpu-clock", "--timeout", "20ms"], []),
		        (["calls", "leave", "--", program, "return"], []),
		        (["locate", "-e", "cpu-clock", "--in", "leave", "--slower", "1ns", "--", program, "return"], []),
		        (["report", "rec"], []),
		        (["list"], []),
		        (["doctor"], []),
		    ]:
		        subprocess.run(["strace", "-f", "-q", "-o", "log", "-s", "300", "-e", "trace=" + ",".join("?" + call for call in calls.split()),
		                        tdstat, *words], stdin=subprocess.DEVNULL, capture_output=True)
		        children, lines = set(), open("log").read().splitlines()
		        children.update(line.split()[0] for line in lines)
		        assert any("O_RDONLY" in line for line in lines), words
		        for line in lines:
		            call = re.sub(r"^\d+ +", "", line)
		            if call.startswith(("---", "+++", "<...")) or reads.match(call) or own.match(call):
		                continue
		            sent = re.match(r"(?:t?g?kill|tkill)\((\d+), (SIG\w+|0)\)", call)
		            if sent and (sent[1] in children or sent[2] == "0"):
		                continue
		            name = re.match(r'(?:openat|unlink|rename)\((?:AT_FDCWD, )?"([^"/]*)"', call)
		            assert name and name[1] in files, (words, line)
		finally:
		    running.kill()
	PYTHON
}
