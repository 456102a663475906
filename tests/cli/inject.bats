#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Errors of system calls, injected by strace: each call that matters fails with
# each errno of its manual page, at the first call, in the middle or at the last one.
# A message must name what failed, a command runs to its end with its own status (else
# the status is 1), no number is shown that was not measured, and no command or zombie
# remains.  inject.py runs and checks all of it.
# (perf_event_open at the first call: errors.bats.)

# shellcheck disable=SC2154 # helper.bash
load helper

begin() {
	needs_strace
	needs_software_events "$@"
}

inject() {
	python3 "$here/inject.py" "$@"
}

# The program "work", which counts its own CPU time.
build_work() {
	gcc -O1 -o work "$here/inject.c"
}

@test "perf_event_open of one event" {
	begin
	inject fail perf_event_open . 'E2BIG EBADF EBUSY EFAULT EINTR EMFILE ENFILE ENODEV
		ENOENT ENOSPC ENXIO EOVERFLOW EPERM ESRCH' 'cpu/topdown-' COMMAND \
		::: perf_event_open . 'ENOSYS ENOMEM' 'perf events|memory' COMMAND
}

# These errors may affect the whole group, or only its kernel part: then less is counted,
# with a message.
@test "perf_event_open that EACCES, EINVAL or EOPNOTSUPP refuses once: less is counted, with a note" {
	begin
	inject once perf_event_open 1 EACCES 3 '^tdstat: counting user space only: ' COMMAND \
		::: perf_event_open 1 EINVAL 3 '^tdstat: cpu: the kernel cannot count the group of cpu/topdown-retiring/ at once: its events are multiplexed$' COMMAND \
		::: perf_event_open 1 EOPNOTSUPP 3 '^tdstat: not counting guests: ' COMMAND
}

@test "read of a counter: which, and whose" {
	begin -a
	inject fail read perf_event 'EAGAIN EBADF EFAULT EINVAL EIO EISDIR' \
		'cannot read the counters of the group of cpu/topdown-retiring/ in thread [1-9]' COMMAND \
		::: read perf_event EIO \
		'cannot read the counters of the group of cpu/topdown-retiring/ on CPU [0-9]' -a -x, --timeout 20
}

@test "read of a file of the kernel's" {
	begin
	inject fail read cpu/online 'EAGAIN EBADF EFAULT EINVAL EIO EISDIR' '/cpu/online: ' COMMAND \
		::: read cpu/type 'EAGAIN EBADF EFAULT EINVAL EIO EISDIR' '/cpu/type: ' COMMAND
}

@test "open of a file of the kernel's" {
	local jobs=() file

	begin
	for file in cpu/online event_source/devices cpu/type; do
		jobs+=(openat "$file\"" 'EACCES EIO EMFILE ENFILE ENOMEM' "/$file: " COMMAND :::)
	done
	inject fail "${jobs[@]}"
}

# A user who reads that the PMU lacks the event looks in the wrong place; without a message,
# the user trusts an incomplete tree.
@test "open, read and list of the files that describe events" {
	local jobs=() what

	begin
	for what in format events; do
		jobs+=(openat "cpu/$what" 'EACCES EIO EMFILE ENFILE' "cpu/$what.*: " COMMAND :::
			read "cpu/$what" 'EIO EINVAL' "cpu/$what.*: " COMMAND :::
			getdents64 "cpu/$what" EIO "cpu/$what.*: " COMMAND :::)
	done
	inject fail "${jobs[@]}" getdents64 'event_source/devices>' EIO 'event_source/devices: ' COMMAND
}

@test "ioctl that starts the counters" {
	begin -a
	inject fail ioctl PERF_EVENT_IOC_ENABLE 'EBADF EFAULT EINVAL ENOTTY EIO' counters -a --timeout 20
}

@test "write of rows, to a file and to a recording" {
	begin
	inject fail write '/out>' 'EAGAIN EBADF EDESTADDRREQ EDQUOT EFAULT EFBIG EINVAL EIO ENOSPC EPERM' \
		'cannot write out: ' -o out COMMAND \
		::: write '/rec.jsonl>' 'EIO ENOSPC' 'cannot write rec.jsonl: ' record -o rec.jsonl COMMAND
}

# One write a row: else the command's own lines, and errors, break it in two.
@test "write of rows to standard error: a row is whole or missing, and the status tells" {
	begin
	inject rows "$behind"
}

@test "write that lets the command go" {
	begin
	inject fail write '<pipe:' 'EAGAIN EBADF EFAULT EINVAL EIO EPIPE' 'cannot start sh: ' COMMAND
}

@test "fork" {
	begin
	inject fail clone . 'EAGAIN EINVAL ENOMEM ENOSPC ENOSYS EPERM EUSERS' 'fork: ' COMMAND
	# without what prepares it, the command does not run
	inject once clone 1 EAGAIN 1 '--pre true: fork: ' -o out --pre true COMMAND \
		::: clone 2 EAGAIN 3 'fork: ' -o out --pre true COMMAND
}

@test "execve: 127 if there is no such command, else 126; no result" {
	begin
	inject execve "$(command -v touch)"
}

@test "mmap of the ring that tells of threads" {
	begin
	inject fail mmap perf_event 'EACCES EAGAIN EBADF EINVAL ENFILE ENODEV ENOMEM EOVERFLOW EPERM' 'thread|task|memory' \
		--per-thread -p $$ --timeout 20
}

@test "mmap and brk: no more memory, from any call on" {
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer needs memory of its own"
	begin
	inject memory
}

@test "timerfd_create, timerfd_settime, pipe2, poll, rt_sigprocmask" {
	begin
	# since 2.41, glibc's fork() blocks all signals (~[]), without looking at the result
	inject fail timerfd_create . 'EINVAL EMFILE ENFILE ENODEV ENOMEM EPERM' timerfd COMMAND \
		::: pipe2 . 'EFAULT EINVAL EMFILE ENFILE' 'pipe|signals' COMMAND \
		::: rt_sigprocmask 'SIG_UNBLOCK, \[' EINVAL signals COMMAND \
		::: timerfd_settime . 'EINVAL ECANCELED' timerfd COMMAND \
		::: poll . 'EFAULT EINVAL ENOMEM' poll COMMAND
}

@test "pidfd_open of the command and of a process" {
	begin
	errnos='EINVAL EMFILE ENFILE ENODEV ENOMEM ESRCH ENOSYS'
	inject fail pidfd_open . "$errnos" 'pidfd_open: ' COMMAND \
		::: pidfd_open . "$errnos" "process $$" -p $$ --timeout 20
}

@test "wait4 that knows of no child" {
	begin
	try within strace -o log -e trace=wait4 -e inject=wait4:error=ECHILD:when=1 \
		"$TDSTAT" -o out -x, -- true
	assert_failure 1
	assert_complains wait4
	# its status is unknown, but its counts are shown
	has_text out $'\n[0-9.]*,all,cpu,[0-9]'
}

@test "a signal that interrupts is not an error: poll, wait4, reads of files" {
	begin
	inject interrupt poll . ::: wait4 . ::: read machine/sys
}

# --- while a command runs -----------------------------------------------------------

@test "ECHILD of twenty reads in the middle: a note, and no count is lost" {
	begin
	build_work
	inject gap "$PWD/work"
}

@test "EIO, EBADF and ECHILD of every read from some time on: the counts until then are shown" {
	begin
	build_work
	inject end "$PWD/work"
}
