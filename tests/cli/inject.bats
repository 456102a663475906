#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Errors of system calls, injected by strace: each call that matters fails with
# each errno of its manual page, the first time, in the middle and the last
# time.  A message must name what failed, a command runs to its end with its own
# status, else it is 1, no number may be shown that was not measured, and no
# command or zombie may remain.
# (perf_event_open at the first call: errors.bats.)

# shellcheck disable=SC2013,SC2016,SC2034,SC2054,SC2086,SC2128,SC2154,SC2178,SC2206 # lists of options; helper.bash
load helper

# which SYSCALL MATCH OPTION...: of the calls of a run that goes well, the
# numbers of the first, the middle and the last with MATCH in them
which() {
	local nrs

	strace -y -o well -e trace="$1" "$TDSTAT" "${@:3}" >/dev/null 2>&1 || true
	mapfile -t nrs < <(grep "^$1(" well | grep -nE "$2" | cut -d: -f1)
	[ "${#nrs[@]}" -gt 0 ] || return
	printf '%s\n' "${nrs[0]}" "${nrs[${#nrs[@]} / 2]}" "${nrs[-1]}" | sort -nu
}

# Whoever was forked was waited for.
assert_no_zombie() {
	local pid

	for pid in $(sed -nE 's/^(clone|clone3|vfork)\(.* = ([0-9]+)$/\2/p' log); do
		grep -q "^wait4($pid, .* = $pid$" log || fail "$pid was not waited for"
	done
}

# The command wrote its number, if it got so far, and once more at its end.
assert_command_ended() {
	[ ! -s pid ] || cmp -s pid end || fail "the command did not run to its end"
}

# An error is the only thing that is said, but for rows of what was counted.
assert_only_error() {
	! grep -v '^time,\|^[0-9.]*,all,cpu,' stdout || fail "more than rows"
	grep -v '^time,\|^[0-9.]*,all,cpu,' stderr >said || true
	grep -q '^tdstat: ' said || fail "no error"
	! grep -v '^tdstat: ' said || fail "more than an error"
	[[ $(<said) =~ $1 ]] || fail "the error has no $1: $(<said)"
}

# injected SYSCALL NR ERRNO OPTION...: a run, and what became of it, here
injected() {
	local status=0

	# on a busy machine a run may have fewer intervals, and not get that far
	for _ in 1 2 3 4 5; do
		rm -f pid end rec.jsonl
		status=0
		timeout 30 strace -o log -e trace="$1",clone,clone3,vfork,wait4 \
			-e inject="$1":error="$3":when="$2" "$TDSTAT" "${@:4}" >stdout 2>stderr || status=$?
		! grep -q INJECTED log || break
	done
	echo $status >status
}

# After "injected" in a folder: what has to hold.  A command ran to its end, unless $3
# is 1, the status that there has to be.
has_failed() (
	cd "$1" || return
	[ "$(cat status)" = "$3" ] || fail "$1: status $(cat status): $(cat stderr)"
	grep -q INJECTED log || fail "$1: never happened"
	assert_only_error "$2" || fail "$1"
	assert_no_zombie
	assert_command_ended
	[ "$3" = 1 ] || [ -s pid ] || fail "$1: the command did not run"
)

# each_fails SYSCALL MATCH "ERRNO..." MESSAGE OPTION...: the first, the middle
# and the last call, with each errno; some at a time
each_fails() {
	local nr error nrs dir pids=() want=1

	[[ " ${*:5} " != *' -- '* ]] || want=3
	nrs=$(which "$1" "$2" "${@:5}") || fail "no $1 of $2 to fail"
	rm -rf runs
	for nr in $nrs; do
		for error in $3; do
			dir=runs/$1-$nr-$error
			mkdir -p "$dir"
			(cd "$dir" && injected "$1" "$nr" "$error" "${@:5}") 3>&- &
			pids+=($!)
			[ $((${#pids[@]} % 8)) != 0 ] || wait "${pids[@]}"
		done
	done
	wait "${pids[@]}"
	for dir in runs/*; do
		has_failed "$dir" "$4" $want || return
	done
}

# A command that outlives what fails, and three rows of it, also where it is late.
# shellcheck disable=SC2016 # the command's shell
command=(-I 100 -x, -- sh -c 'echo $$ >pid; sleep 0.25; echo $$ >end; exit 3')

begin() {
	needs_strace
	needs_software_events "$@"
}

@test "perf_event_open of one event" {
	begin
	each_fails perf_event_open . 'E2BIG EBADF EBUSY EFAULT EINTR EMFILE ENFILE ENODEV
		ENOENT ENOSPC ENXIO EOVERFLOW EPERM ESRCH' 'cpu/topdown-' "${command[@]}"
	each_fails perf_event_open . 'ENOSYS ENOMEM' 'perf events|memory' "${command[@]}"
}

# What they say may be so of the whole group, or of the kernel's part of it:
# then something less is counted, and that is said.
@test "perf_event_open that EACCES, EINVAL or EOPNOTSUPP refuses once: less is counted, and it is said" {
	begin
	injected perf_event_open 1 EACCES "${command[@]}"
	assert_equal "$(cat status)" 3
	grep -q '^tdstat: counting user space only: ' stderr
	injected perf_event_open 1 EINVAL "${command[@]}"
	assert_equal "$(cat status)" 3
	grep -q '^tdstat: cpu: the kernel cannot count the group of cpu/topdown-retiring/ at once: its events take turns$' stderr
	injected perf_event_open 1 EOPNOTSUPP "${command[@]}"
	assert_equal "$(cat status)" 3
	grep -q '^tdstat: not counting guests: ' stderr
}

@test "read of a counter: which, and whose" {
	begin -a
	each_fails read perf_event 'EAGAIN EBADF EFAULT EINVAL EIO EISDIR' \
		'cannot read the counters of the group of cpu/topdown-retiring/ in thread [1-9]' "${command[@]}"
	each_fails read perf_event 'EIO' \
		'cannot read the counters of the group of cpu/topdown-retiring/ on CPU [0-9]' -a -x, --timeout 20
}

@test "read of a file of the kernel's" {
	begin
	for file in cpu/online cpu/type; do
		each_fails read "$file" 'EAGAIN EBADF EFAULT EINVAL EIO EISDIR' "/$file: " "${command[@]}"
	done
}

@test "open of a file of the kernel's" {
	begin
	for file in cpu/online event_source/devices cpu/type; do
		each_fails openat "$file\"" 'EACCES EIO EMFILE ENFILE ENOMEM' \
			"/$file: " "${command[@]}"
	done
}

# Who is told that the PMU has no such event looks in the wrong place; who is
# told nothing believes a tree that lacks something.
@test "open, read and list of what the events are" {
	begin
	for what in format events; do
		each_fails openat "cpu/$what" 'EACCES EIO EMFILE ENFILE' "cpu/$what.*: " "${command[@]}"
		each_fails read "cpu/$what" 'EIO EINVAL' "cpu/$what.*: " "${command[@]}"
		each_fails getdents64 "cpu/$what" 'EIO' "cpu/$what.*: " "${command[@]}"
	done
	each_fails getdents64 'event_source/devices>' 'EIO' 'event_source/devices: ' "${command[@]}"
}

@test "ioctl that starts the counters" {
	begin -a
	each_fails ioctl PERF_EVENT_IOC_ENABLE 'EBADF EFAULT EINVAL ENOTTY EIO' 'counters' \
		-a --timeout 20
}

@test "write of rows, to a file and to a recording" {
	begin
	errnos='EAGAIN EBADF EDESTADDRREQ EDQUOT EFAULT EFBIG EINVAL EIO ENOSPC EPERM'
	each_fails write '/out>' "$errnos" 'cannot write out: ' -o out "${command[@]}"
	each_fails write '/rec.jsonl>' 'EIO ENOSPC' 'cannot write rec.jsonl: ' \
		record -o rec.jsonl "${command[@]}"
}

# One write a row: else the command's own lines, and errors, break it in two.
@test "write of rows to standard error: a row is whole or not there, and the status tells" {
	local nrs

	begin
	strace -y -o well -e trace=write "$TDSTAT" "${command[@]}" 2>err || true
	mapfile -t nrs < <(grep '^write(' well | grep -n '^write(2<' | cut -d: -f1)
	for nr in "${nrs[0]}" "${nrs[${#nrs[@]} / 2]}" "${nrs[-1]}"; do
		injected write "$nr" EIO "${command[@]}"
		[ "$(cat status)" = 3 ] || fail "$nr: status $(cat status)"
		! grep -v '^tdstat: \|^time,id,pmu,busy,share,running,ipc\(,tma_[a-z_]*\)\{4\},'"$behind"'$\|^[0-9.]*,all,cpu\(,[0-9a-z.]*\)\{24\}$' stderr || fail 'half a row'
		grep -q '^tdstat: cannot write standard error' stderr
		assert_command_ended
	done
}

@test "write that lets the command go" {
	begin
	each_fails write '<pipe:' 'EAGAIN EBADF EFAULT EINVAL EIO EPIPE' 'cannot start sh: ' "${command[@]}"
}

@test "fork" {
	begin
	each_fails clone . 'EAGAIN EINVAL ENOMEM ENOSPC ENOSYS EPERM EUSERS' 'fork: ' "${command[@]}"
	# without what prepares it, it does not run
	injected clone 1 EAGAIN -o out --pre true "${command[@]}"
	has_failed . '--pre true: fork: ' 1
	[ ! -e pid ]
	injected clone 2 EAGAIN -o out --pre true "${command[@]}"
	has_failed . 'fork: ' 3
}

@test "execve: 127 if there is no such command, else 126; nothing is shown" {
	begin
	touch=$(command -v touch)
	for error in EACCES E2BIG EFAULT EINVAL EIO EISDIR ELIBBAD ELOOP EMFILE ENAMETOOLONG ENFILE \
		ENOMEM ENOTDIR EPERM ETXTBSY ENOENT; do
		# without a path, tdstat's own would fail
		try timeout 30 strace -f -o log -P "$touch" -e trace=execve \
			-e inject=execve:error=$error "$TDSTAT" -- "$touch" made
		want=126
		[ $error != ENOENT ] || want=127
		[ "$status" = $want ] || fail "$error: status $status"
		assert_equal "${#stderr_lines[@]}" 1
		assert_complains "$touch: "
		[ ! -e made ]
	done
}

@test "mmap of the ring that tells of threads" {
	begin
	sleep 60 &
	sleeper=$!
	each_fails mmap perf_event 'EACCES EAGAIN EBADF EINVAL ENFILE ENODEV ENOMEM EOVERFLOW EPERM' 'thread|task|memory' \
		--per-thread -p $sleeper --timeout 20
	kill $sleeper
}

@test "mmap and brk: no more memory, from any call on" {
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer needs memory of its own"
	begin
	strace -o well -e trace=brk,mmap "$TDSTAT" "${command[@]}" 2>err || true
	nrs=$(seq 1 2 "$(grep -c '^mmap' well)")
	for nr in $nrs; do
		rm -f pid end
		try timeout 30 strace -o log -e trace=brk,mmap,clone,clone3,vfork,wait4 \
			-e inject=brk,mmap:error=ENOMEM:when="$nr"+ "$TDSTAT" "${command[@]}"
		case $status in
		3) [[ $stderr == *,all,cpu,[0-9]* || ${stderr,,} == *"tdstat: "*memory* ]] || fail "$nr: $stderr" ;;
		1) [[ ${stderr,,} == "tdstat: "*memory* && ! -s pid ]] || fail "$nr: $stderr" ;;
		*) [[ $stderr == *"loading shared libraries"* || -z $stderr ]] && grep -q INJECTED log || fail "$nr: $status: $stderr" ;;
		esac
		assert_no_zombie
		assert_command_ended
	done
	grep -q INJECTED log
}

@test "timerfd_create, timerfd_settime, pipe2, poll, rt_sigprocmask" {
	begin
	each_fails timerfd_create . 'EINVAL EMFILE ENFILE ENODEV ENOMEM EPERM' 'timerfd' "${command[@]}"
	each_fails pipe2 . 'EFAULT EINVAL EMFILE ENFILE' 'pipe|signals' "${command[@]}"
	# glibc's fork() blocks all signals (~[]) since 2.41, and asks nobody
	each_fails rt_sigprocmask 'SIG_UNBLOCK, \[' 'EINVAL' 'signals' "${command[@]}"
	each_fails timerfd_settime . 'EINVAL ECANCELED' 'timerfd' "${command[@]}"
	each_fails poll . 'EFAULT EINVAL ENOMEM' 'poll' "${command[@]}"
}

@test "pidfd_open of the command and of a process" {
	begin
	errnos='EINVAL EMFILE ENFILE ENODEV ENOMEM ESRCH ENOSYS'
	each_fails pidfd_open . "$errnos" 'pidfd_open: ' "${command[@]}"
	sleep 60 &
	sleeper=$!
	each_fails pidfd_open . "$errnos" "process $sleeper" -p $sleeper --timeout 20
	kill $sleeper
}

@test "wait4 that knows of no child" {
	begin
	try timeout 30 strace -o log -e trace=wait4 -e inject=wait4:error=ECHILD:when=1 \
		"$TDSTAT" -o out -x, -- true
	assert_failure 1
	assert_complains wait4
	# how it ended is not known, what was counted is
	grep -q '^[0-9.]*,all,cpu,[0-9]' out
}

@test "a signal that interrupts is no error: poll, wait4, reads of files" {
	begin
	for call in poll:. wait4:. read:machine/sys; do
		nrs=$(which ${call%:*} "${call#*:}" "${command[@]}") || fail "no $call"
		for nr in $nrs; do
			injected ${call%:*} "$nr" EINTR "${command[@]}"
			[ "$(cat status)" = 3 ] || fail "$call $nr: status $(cat status)"
			grep -q INJECTED log
			grep -q '^[0-9.]*,all,cpu,[0-9]' stderr
		done
	done
}

# --- while a command runs -----------------------------------------------------------

# A command that works until it is told to end, and says how long it worked;
# $pid is tdstat's.
begin_work() {
	rm -f out err running end times
	: >out
	"$TDSTAT" "$@" -- sh -c 'echo >running; until [ -e end ]; do :; done; times >times; exit 5' 2>err 3>&- &
	pid=$!
	wait_for has_lines out 3
}

end_work() {
	touch end
	status=0
	wait $pid || status=$?
	assert_equal "$status" 5
	[ -s times ] || fail "the last line did not run"
}

# Milliseconds of user and system time that the shell says it has used, and
# those that the rows of task-clock come to.
used_ms() {
	awk 'NR == 1 { split($1, u, /[ms]/); split($2, s, /[ms]/); print ((u[1] + s[1]) * 60 + u[2] + s[2]) * 1000 }' times
}
counted_ms() {
	awk -F, '$4 == "task-clock" && $2 != "<not counted>" { sum += $2 } END { print sum }' out
}

@test "ECHILD for two seconds in the middle: a remark, and nothing is lost" {
	begin
	begin_work -I 100 -x, -o out -e '{task-clock,cpu-clock}'
	timeout 2 strace -o log -p $pid -e trace=read -e inject=read:error=ECHILD 2>/dev/null || true
	grep -q INJECTED log
	wait_for has_lines out $(($(wc -l <out) + 6))
	end_work
	assert_equal "$(grep -c '^tdstat: not all counters could be read at once' err)" 1
	! grep '^tdstat: ' err | grep -v 'not all counters could be read\|passed while this program' || fail "more is said"
	grep -q '<not counted>' out
	awk -v used="$(used_ms)" -v counted="$(counted_ms)" 'BEGIN {
		print used, counted
		# the shell tells its times in hundredths, and not those of its end
		exit !(used > 300 && counted > 0.98 * used - 10 && counted < 1.02 * used + 50) }'
}

@test "EIO, EBADF and ECHILD of every read from a moment on: what was counted until then is shown" {
	begin
	for error in EIO EBADF ECHILD; do
		begin_work -I 100 -x, -o out -e '{task-clock,cpu-clock}'
		rows=$(grep -c task-clock out)
		strace -o log -p $pid -e trace=read -e inject=read:error=$error 2>/dev/null 3>&- &
		tracer=$!
		for ((i = 0; i < 500; i++)); do
			! grep -q '^tdstat: ' err || break
			command sleep 0.02
		done
		end_work
		wait $tracer || true
		[ "$(grep -c 'task-clock' out)" -ge "$rows" ]
		case $error in
		ECHILD) assert_equal "$(grep -c '^tdstat: not all counters could be read at ' err)" 2 ;;
		*)
			grep -q '^tdstat: cannot read the counters of the group of task-clock ' err
			grep -q '^tdstat: nothing more is counted: sh goes on$' err
			;;
		esac
		# on a machine that is too busy, intervals pass, which is said, too
		assert_equal "$(grep '^tdstat: ' err | grep -vc ' passed while this program, ')" 2
	done
}
