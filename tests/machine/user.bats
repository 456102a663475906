#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2016,SC2034,SC2154 # awk programs; what bats reads, and what it sets
# A user with nothing, at each setting of kernel.perf_event_paranoid; one with
# a capability, and what of it the command gets; a command with more rights.
# machine: adl

load helper
load nobody

# refused LEVEL OPTION...: two lines, with the setting that is in the way;
# nothing is run, nothing printed.
refused() {
	local want=1

	[[ " $* " != *' -- '* ]] || want=125
	run "-$want" --separate-stderr as_nobody "$1" "$TDSTAT" --require "${@:2}"
	assert_two_lines
	[[ ${stderr_lines[0]} == *"may not count"* ]]
	# above 2, Debian's kernel does not look at CAP_PERFMON, which is the other way
	[[ ${stderr_lines[1]} == "tdstat: sudo sysctl kernel.perf_event_paranoid="[012]" allows it (it is $1)" && $1 -gt 2 ||
		${stderr_lines[1]} == "tdstat: sudo sysctl kernel.perf_event_paranoid="[012]" allows it (it is $1); tdstat doctor"* ||
		# no value of the setting allows processes of other users
		"$1 ${stderr_lines[1]}" == "2 tdstat: run as root, or give tdstat CAP_PERFMON (tdstat doctor prints the command)"* ]]
	[ ! -e ran ]
}

# said NUMBER: succeed if tdstat printed NUMBER lines
said() {
	[ "$(grep -c '^tdstat: ' <<<"$stderr")" -eq "$1" ]
}

# capable CAPABILITY: tdstat with it, by file capability; it would say that it ignores
# the variable
capable() {
	unset TDSTAT_METRICS
	cp "$TDSTAT" capable
	chmod 755 capable
	setcap "$1=ep" capable
}

# Make shells with more privileges than nobody, or that may be run but not read.
closed_shells() {
	cp /bin/dash setuid
	chmod 4755 setuid
	cp /bin/dash rights
	setcap cap_net_raw=ep rights
	cp /bin/dash unread
	chmod 711 unread
	echo "$WORK" >work
}

# --- no rights at all ---------------------------------------------------------------

@test "2, 3 and 4: the machine, a CPU: refused, with the setting and its value" {
	for level in 2 3 4; do
		refused $level -a -- touch ran
		refused $level -C 0 -e cycles -- touch ran
		refused $level -a -I 100 -e cycles:u
	done
}

@test "2, 3 and 4: another user's process: refused, as it was asked or for user space" {
	for level in 2 3 4; do
		refused $level -p 1
		# user space was asked for: that is not to be tried again, nor said
		refused $level -p 1 -e cycles:u
		refused $level -p 1 -e cycles --all-user
	done
}

@test "2: a user's own command, in user space, with a note unless it was requested" {
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -x, -- sh -c "$WORK"
	said 1
	[[ $stderr == "tdstat: counting user space only: "*perf_event_paranoid* ]]
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -e cycles -- sh -c "$WORK"
	said 1
	[[ $stderr == *"cpu_core/cycles/u"* ]]
	# CPU 0 is one of cpu_core
	run -0 --separate-stderr as_nobody 2 taskset -c 0 "$TDSTAT" -e cycles -- sh -c "$WORK"
	[[ $stderr == *"<not counted>"*cpu_atom/cycles/u*"cpu_atom, <not counted>: no task ran there"* ]]
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -e cycles:u -- sh -c "$WORK"
	said 0
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -e cycles:u,cycles:k -- sh -c "$WORK"
	[[ $stderr == *"does not let this user count the kernel, and so not "*"cycles/k"* ]]
	[[ $stderr == *"<not supported>"*cycles/k* ]]
	# one line even for several events
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -e context-switches,cpu-migrations,page-faults -- true
	said 1
	[[ $stderr == *" count the kernel, and so not context-switches, cpu-migrations"$'\n'* ]]
	# the msr PMU cannot exclude the kernel: nodes that were not requested lack it
	# silently
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -o out -- sh -c "$WORK"
	said 1
	[[ $stderr != *msr* ]]
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -e msr/tsc/,cycles -- sh -c "$WORK"
	said 1
	[[ $stderr == *"does not let this user count the kernel, and so not msr/tsc/"* ]]
	# not even in place of events that cannot be counted at all
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -a -- true
	[ "$(grep -c '^tdstat: .*context-switches' <<<"$stderr")" -eq 1 ]
	run -125 --separate-stderr as_nobody 2 "$TDSTAT" -e cycles:k --require -- touch ran
	[[ $stderr == *"tdstat: sudo sysctl kernel.perf_event_paranoid=1 allows it (it is 2)"* ]]
	[ ! -e ran ]
}

@test "2: a process of one's own" {
	"${NOBODY[@]}" sh -c "$WORK_ON" 3>&- &
	pid=$!
	wait_for_file running
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -p "$pid" --timeout 300 -e cycles:u,task-clock:u -x,
	[ -z "$stderr" ]
	grep -E '^[1-9][0-9]*,,cpu_(core|atom)/cycles/u,' <<<"$output"
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -p "$pid" --timeout 300 -e cycles -x,
	said 1
	grep -E '^[1-9][0-9]*,,cpu_(core|atom)/cycles/u,' <<<"$output"
}

@test "3 and 4: on Debian's kernel not even one's own, and not by CAP_PERFMON" {
	"${NOBODY[@]}" sh -c "$WORK_ON" 3>&- &
	pid=$!
	wait_for_file running
	for level in 3 4; do
		refused $level -- touch ran
		refused $level -e cycles:u -- touch ran
		refused $level -p "$pid" -e cycles:u
	done
	capable cap_perfmon
	run -125 --separate-stderr as_nobody 4 ./capable -a --require -- touch ran
	assert_two_lines
	[[ ${stderr_lines[1]} == *"kernel.perf_event_paranoid="[012]" allows it (it is 4)"* ]]
	capable cap_sys_admin
	run -0 --separate-stderr as_nobody 4 ./capable -a --timeout 200 -x,
	[ -z "$stderr" ]
}

# --- a capability --------------------------------------------------------------------

@test "CAP_PERFMON of the file: the machine, the kernel, other users' processes" {
	capable cap_perfmon
	run -0 --separate-stderr as_nobody 2 ./capable -a --cputype core --timeout 300 -x,
	[ -z "$stderr" ]
	printf '%s\n' "$output" >out
	rates check out --rows 1 --pmus cpu_core
	run -0 --separate-stderr as_nobody 2 ./capable -x, -e cycles -- sh -c "$WORK"
	said 0
	grep -E '^[1-9][0-9]*,,cpu_(core|atom)/cycles/,' <<<"$stderr"
	sh -c "$WORK_ON" 3>&- &
	pid=$!
	wait_for_file running
	run -0 --separate-stderr as_nobody 2 ./capable -p "$pid" --timeout 200 -e cycles -x,
	[ -z "$stderr" ]
	grep -E '^[1-9][0-9]*,,cpu_(core|atom)/cycles/,' <<<"$output"
}

@test "CAP_PERFMON of the file: the command and the hooks do not get it" {
	capable cap_perfmon
	as_nobody 2 grep Cap /proc/self/status >without
	for target in "-a" "-e cycles"; do
		# shellcheck disable=SC2086
		as_nobody 2 ./capable $target -o result --pre 'grep Cap /proc/self/status >before' \
			--post 'grep Cap /proc/self/status >after' -- grep Cap /proc/self/status >with
		diff without with
		diff without before
		diff without after
	done
	grep -E '^Cap(Inh|Prm|Eff|Amb):.0+$' without >empty
	[ "$(wc -l <empty)" -eq 4 ]
	# nor what it could get it back from
	as_nobody 2 ls /proc/self/fd >without
	as_nobody 2 ./capable -a -o result -- ls /proc/self/fd >with
	diff without with
	run ! as_nobody 2 ./capable -a -o result -- sh -c 'exec cat /proc/$PPID/environ'
	run ! as_nobody 2 ./capable -a -o result -- sh -c "\"$TDSTAT\" -a --timeout 100"
}

# capabilities(7) has the numbers: 38, and net_raw is 13.
@test "CAP_PERFMON as an ambient capability is not passed on, and other capabilities are" {
	echo 2 >"$PARANOID"
	ambient=("${NOBODY[@]}" --inh-caps "+perfmon,+net_raw" --ambient-caps "+perfmon,+net_raw")
	"${ambient[@]}" grep CapAmb /proc/self/status | grep -i 0000004000002000
	"${ambient[@]}" "$TDSTAT" -a -o result --pre 'grep CapEff /proc/self/status >before' \
		-- grep Cap /proc/self/status >with
	grep -E '^CapAmb:.0*2000$' with
	grep -E '^CapEff:.0*2000$' with
	grep -E '^CapPrm:.0*2000$' with
	grep -E '^CapEff:.0*2000$' before
	grep -q tma_retiring result
}

@test "CAP_PERFMON of the file: files are opened with the user's own rights" {
	capable cap_perfmon
	mkdir -m 700 secret
	cp "$BATS_TEST_DIRNAME/../data/alderlake.jsonl" secret/file
	for words in "-o secret/file -a -e cycles" "-o secret/file --append -a -e cycles" \
		"record -o secret/file -a" "report -i secret/file" "-a --control fifo:secret/file" \
		"-a --metrics-dir secret -M IPC"; do
		# shellcheck disable=SC2086
		run --separate-stderr as_nobody 2 ./capable $words --timeout 100
		[ "$status" -eq 1 ] || [ "$status" -eq 64 ]
		[ -z "$output" ]
	done
	for name in TDSTAT_METRICS SYSFS_PATH PROCFS_PATH; do
		run -0 --separate-stderr as_nobody 2 env $name=secret ./capable -a --timeout 100 -x,
		[ "$stderr" = "tdstat: $name is ignored, because tdstat has privileges that its user lacks" ]
	done
	cmp "$BATS_TEST_DIRNAME/../data/alderlake.jsonl" secret/file
}

# --- set-uid --------------------------------------------------------------------------

# The kernel takes the counters from it at its exec(), whatever the setting is.
@test "a command that gains privileges: its counts until then, with a note" {
	closed_shells
	for level in 2 1; do
		run -0 --separate-stderr as_nobody $level taskset -c 2 "$TDSTAT" -x, -e cycles:u,task-clock:u \
			-- sh -c "$WORK; exec ./setuid -p -c '. ./work; . ./work; . ./work'"
		said 1
		[[ $stderr == *"tdstat: much of the command was not counted: "*set-uid* ]]
		# at the rate of the counted part
		awk -F, '$3 == "cpu_core/cycles/u" { rate = $1 / $4; n++
			if (rate < 2.1 || rate > 2.4) exit 1 } END { exit n != 1 }' <<<"$stderr"
	done
	# in a child, and by all that has this effect
	for command in "./setuid -p work; true" "./rights work" "./unread work"; do
		run -0 --separate-stderr as_nobody 1 "$TDSTAT" -e task-clock:u -- sh -c "$command"
		said 1
		[[ $stderr == *set-uid* ]]
	done
	# once
	run -0 --separate-stderr as_nobody 1 "$TDSTAT" -r 2 -e task-clock:u -- ./setuid -p work
	said 1
}

@test "a set-uid program and similar ones as root, and work that was excluded by request" {
	closed_shells
	for shell in setuid rights unread; do
		run -0 --separate-stderr "$TDSTAT" -e task-clock -- ./$shell work
		said 0
	done
	run -0 --separate-stderr "$TDSTAT" -a -e task-clock -- "${NOBODY[@]}" ./setuid -p work
	said 0
	for how in --no-inherit "-D 300"; do
		# shellcheck disable=SC2086
		run -0 --separate-stderr as_nobody 2 "$TDSTAT" $how -e task-clock:u -- sh -c "sh work; true"
		said 0
	done
	# much in the kernel, and many that live for a moment
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -e task-clock:u -- \
		sh -c 'i=0; while [ $i -lt 100 ]; do i=$((i + 1)); /bin/true; done'
	said 0
}

@test "a busy machine: programs that start, end and fork are not taken for privileged ones" {
	for n in 1 2 3 4; do
		sh -c 'while [ ! -e end ]; do :; done' 3>&- &
	done
	for n in 1 2 3 4 5 6 7 8 9 10; do
		run -0 --separate-stderr "$TDSTAT" -- true
		[[ $stderr != *"was not counted"* ]]
	done
	for command in 'for i in $(seq 200); do (:); done' \
		'for i in $(seq 60); do /bin/true & done; wait'; do
		run -0 --separate-stderr "$TDSTAT" -e task-clock -- sh -c "$command"
		[[ $stderr != *"was not counted"* ]]
		run -0 --separate-stderr as_nobody 2 "$TDSTAT" -e task-clock:u -- sh -c "$command"
		[[ $stderr != *"was not counted"* ]]
	done
	# so long that no fork on this machine could have taken it
	closed_shells
	echo "${WORK/500ms/5s}" >work
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -e task-clock:u -- ./setuid -p work
	said 1
	[[ $stderr == *set-uid* ]]
}

@test "-I of a command that gains privileges: uncounted rows until its end" {
	closed_shells
	echo "$WORK; $WORK" >work
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" -I 200 -x, -e cycles:u,task-clock:u \
		-- sh -c "$WORK; exec ./setuid -p work"
	grep -E '^[0-9.]+,[1-9][0-9]*,,cpu_(core|atom)/cycles/u,' <<<"$stderr"
	grep ',task-clock:u,' <<<"$stderr" | tail -n 2 >last
	[ "$(grep -c '<not counted>' last)" -eq 2 ]
	said 1
}
