#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What the kernel can refuse, put into its mouth by strace: each call that
# matters fails with each errno of its manual page, the first time, in the
# middle and the last time.  A message names the thing, the status is 1, no
# number is shown that was not measured, no command and no zombie stays.
# (perf_event_open from the first call on: errors.bats.)

# shellcheck disable=SC2013,SC2034,SC2054,SC2086,SC2128,SC2154,SC2178,SC2206 # lists of options; helper.bash
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

# The command wrote its number, if it got so far.
assert_command_gone() {
	[ ! -s pid ] || ! kill -0 "$(cat pid)" 2>/dev/null || fail "the command is still there"
}

# An error is the only thing that is said, but for rows of intervals before it.
assert_only_error() {
	grep -v '^time,\|^[0-9.]*,all,cpu,' <<<"$stderr" >said || true
	grep -q '^tdstat: ' said || fail "no error"
	! grep -v '^tdstat: ' said || fail "more than an error"
	[[ $(<said) =~ $1 ]] || fail "the error has no $1"
}

# fails SYSCALL NR ERRNO MESSAGE OPTION...
fails() {
	local attempt

	# on a busy machine a run may have fewer intervals, and not get that far
	for attempt in 1 2 3 4 5; do
		rm -f pid rec.jsonl
		try timeout 10 strace -o log -e trace="$1",clone,clone3,vfork,wait4 \
			-e inject="$1":error="$3":when="$2" "$TDSTAT" "${@:5}"
		! grep -q INJECTED log || break
	done
	[ "$status" = 1 ] || fail "$1 $2: $3: status $status"
	grep -q INJECTED log || fail "$1 $2: $3: never happened"
	assert_only_error "$4"
	assert_output ''
	assert_no_zombie
	assert_command_gone
}

# each_fails SYSCALL MATCH "ERRNO..." MESSAGE OPTION...: the middle call with
# each errno, the first and the last with one
each_fails() {
	local nr error errors nrs

	nrs=$(which "$1" "$2" "${@:5}") || fail "no $1 of $2 to fail"
	nrs=($nrs)
	for nr in "${!nrs[@]}"; do
		errors=($3)
		[ "$nr" = $((${#nrs[@]} / 2)) ] || errors=("${errors[0]}")
		for error in "${errors[@]}"; do
			fails "$1" "${nrs[nr]}" "$error" "${@:4}"
		done
	done
}

# A command that outlives what fails, and rows of it.
# shellcheck disable=SC2016 # the command's shell
command=(-I 20 -x, -- sh -c 'echo $$ >pid; exec sleep 0.09')

begin() {
	needs_strace
	needs_software_events "$@"
}

@test "perf_event_open of one event in the middle" {
	begin
	each_fails perf_event_open . 'EPERM EBUSY EMFILE ENFILE ENOENT ENODEV ESRCH E2BIG EFAULT
		EBADF EINTR ENXIO ENOSPC EOVERFLOW' 'cpu/topdown-' "${command[@]}"
	[ ! -e pid ]
	each_fails perf_event_open . 'ENOSYS ENOMEM' 'perf events|memory' "${command[@]}"
	[ ! -e pid ]
}

@test "read of a counter" {
	begin
	each_fails read perf_event 'EIO EBADF EFAULT EINVAL EISDIR' 'counter' "${command[@]}"
}

@test "read of a file of the kernel's" {
	begin
	for file in cpu/online cpu/type; do
		each_fails read "$file" 'EIO EFAULT EISDIR' "/$file: " "${command[@]}"
	done
	[ ! -e pid ]
}

@test "open of a file of the kernel's" {
	begin
	for file in cpu/online event_source/devices cpu/type; do
		each_fails openat "$file\"" 'EACCES EIO EMFILE ENFILE ENOMEM' \
			"/$file: " "${command[@]}"
	done
	[ ! -e pid ]
}

# Who is told that the PMU has no such event looks in the wrong place; who is
# told nothing believes a tree that lacks something.
@test "ioctl that starts the counters" {
	begin -a
	each_fails ioctl PERF_EVENT_IOC_ENABLE 'EBADF EFAULT EINVAL ENOTTY EIO' 'counters' \
		-a --timeout 20
}

# One write a row: else the command's own lines, and errors, break it in two.
@test "write of rows to standard error: a row is whole or not there, and the status tells" {
	local nrs

	begin
	strace -y -o well -e trace=write "$TDSTAT" "${command[@]}" 2>err || true
	mapfile -t nrs < <(grep '^write(' well | grep -n '^write(2<' | cut -d: -f1)
	for nr in "${nrs[0]}" "${nrs[${#nrs[@]} / 2]}" "${nrs[-1]}"; do
		try timeout 10 strace -o log -e trace=write -e inject=write:error=EIO:when="$nr" \
			"$TDSTAT" "${command[@]}"
		assert_failure 1
		! grep -v '^tdstat: \|^time,id,pmu\(,tma_[a-z_]*\)\{4\}$\|^[0-9.]*,all,cpu\(,[0-9.]*\)\{4\}$' <<<"$stderr" || fail 'half a row'
		grep -q '^tdstat: cannot write standard error' <<<"$stderr"
		assert_command_gone
	done
}

@test "write that lets the command go" {
	begin
	each_fails write '<pipe:' 'EIO EPIPE EBADF' 'cannot start sh: ' "${command[@]}"
	[ ! -e pid ]
}

@test "fork" {
	begin
	each_fails clone . 'EAGAIN ENOMEM ENOSYS EPERM' 'fork: ' "${command[@]}"
	[ ! -e pid ]
	spawn=clone3
	strace -o well -e trace=clone3 "$TDSTAT" -o out --pre true -- true
	grep -q '^clone3' well || spawn=vfork,clone
	each_fails $spawn . 'EAGAIN ENOMEM' '--pre' -o out --pre true "${command[@]}"
	[ ! -e pid ]
}

@test "execve: 127 if there is no such command, else 126; nothing is shown" {
	begin
	touch=$(command -v touch)
	for error in EACCES E2BIG EFAULT EINVAL EIO EISDIR ELIBBAD ELOOP EMFILE ENAMETOOLONG ENFILE \
		ENOMEM ENOTDIR EPERM ETXTBSY ENOENT; do
		# without a path, tdstat's own would fail
		try timeout 10 strace -f -o log -P "$touch" -e trace=execve \
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
	sleep 20 &
	each_fails mmap perf_event 'EACCES EAGAIN EINVAL ENOMEM EPERM ENODEV' 'thread|task|memory' \
		--per-thread -p $! --timeout 20
	kill $!
}

@test "timerfd_create, timerfd_settime, signalfd4, pipe2, poll, rt_sigprocmask" {
	begin
	each_fails timerfd_create . 'EINVAL EMFILE ENFILE ENODEV ENOMEM EPERM' 'timerfd' "${command[@]}"
	each_fails signalfd4 . 'EINVAL EMFILE ENFILE ENODEV ENOMEM' 'signalfd' "${command[@]}"
	each_fails pipe2 . 'EFAULT EINVAL EMFILE ENFILE' 'pipe' "${command[@]}"
	each_fails rt_sigprocmask SIG_BLOCK 'EINVAL' 'sig' "${command[@]}"
	[ ! -e pid ]
	each_fails timerfd_settime . 'EINVAL ECANCELED' 'timerfd' "${command[@]}"
	each_fails poll . 'EFAULT EINVAL ENOMEM' 'poll' "${command[@]}"
}

@test "pidfd_open of the command and of a process" {
	begin
	errnos='EINVAL EMFILE ENFILE ENODEV ENOMEM ESRCH ENOSYS'
	each_fails pidfd_open . "$errnos" 'pidfd_open: ' "${command[@]}"
	[ ! -e pid ]
	sleep 20 &
	each_fails pidfd_open . "$errnos" "process $!" -p $! --timeout 20
	kill $!
}

@test "wait4 that knows of no child" {
	begin
	try timeout 10 strace -o log -e trace=wait4 -e inject=wait4:error=ECHILD:when=1 \
		"$TDSTAT" -o out -x, -- true
	assert_failure 1
	assert_complains wait4
	[ ! -s out ]
}

@test "a signal that interrupts is no error: poll, wait4, reads of files" {
	begin
	for call in poll:. wait4:. read:machine/sys; do
		nrs=$(which ${call%:*} "${call#*:}" "${command[@]}") || fail "no $call"
		for nr in $nrs; do
			try timeout 10 strace -o log -e trace="${call%:*}" \
				-e inject="${call%:*}":error=EINTR:when="$nr" "$TDSTAT" "${command[@]}"
			[ "$status" = 0 ] || fail "$call $nr: status $status"
			grep -q INJECTED log
			grep -q '^[0-9.]*,all,cpu,[0-9]' <<<"$stderr"
		done
	done
}
