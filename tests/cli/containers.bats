#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Containers and services that lack or forbid perf_event_open(2), /dev, /proc and writable
# directories.

# shellcheck disable=SC2086,SC2154 # lists of options; helper.bash
load helper
load sampling

# filtered ERRNO COMMAND...: with a seccomp filter that answers perf_event_open so,
# as that of docker does (EPERM), or of other containers (ENOSYS)
filtered() {
	[ -e filter.py ] || cat >filter.py <<-'PYTHON'
		import ctypes, errno, os, platform, struct, sys
		if platform.machine() != "x86_64":
		    sys.exit(99)
		answer = getattr(errno, sys.argv[1])
		code = b"".join(struct.pack("=HBBI", *line) for line in (
		    (0x20, 0, 0, 0),             # the number of the call
		    (0x15, 0, 1, 298),           # is it perf_event_open?
		    (0x06, 0, 0, 0x50000 | answer),
		    (0x06, 0, 0, 0x7fff0000)))   # allow
		code = ctypes.create_string_buffer(code)
		program = struct.pack("=HxxxxxxQ", 4, ctypes.addressof(code))
		libc = ctypes.CDLL(None)
		if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
		    sys.exit(99)
		os.execvp(sys.argv[2], sys.argv[2:])
	PYTHON
	try python3 filter.py "$@"
	[ "$status" != 99 ] || skip "no seccomp filters"
}

@test "a seccomp filter: the message names it and the remedy, but no sysctl" {
	not_under_valgrind "its own calls are filtered"
	software_machine
	for errno in EPERM ENOSYS; do
		for words in '-e cs -- touch made' '-x, -- touch made' 'record -o rec -- touch made' 'locate -e cpu-clock -- touch made'; do
			filtered $errno "$TDSTAT" $words
			assert_runs_all_the_same 'perf_event_open.* is forbidden here' 'seccomp.*--cap-add PERFMON'
			rm made
			[ ! -e rec ]
		done
		for words in '-a -e cs --timeout 10' '-a -I 100 --interval-count 1' \
			'locate -e cpu-clock -a --timeout 10' '--per-thread -e cs -p 1 --timeout 10'; do
			filtered $errno "$TDSTAT" $words
			assert_failure 1
			assert_why_and_remedy 'perf_event_open.* is forbidden here' 'seccomp.*--cap-add PERFMON'
			assert_output ''
			[[ $stderr != *paranoid* ]]
		done
		filtered $errno "$TDSTAT" locate --require -e cpu-clock -- touch ran
		assert_failure 125
		filtered $errno "$TDSTAT" doctor
		assert_line --regexp '^failed +rights .*perf_event_open'
	done
	[ ! -e ran ]
}

# without DIRECTORY COMMAND...: hide it under an empty one
without() {
	unshare -m true 2>/dev/null || skip "no mount namespaces"
	# shellcheck disable=SC2016 # for that shell
	try unshare -m sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$@"
}

@test "tdstat needs no /dev" {
	real -a
	for words in '-a -e cs --timeout 10' '-e cs -- echo' 'record -o rec -e cs -- true' \
		'diff -r 1 -e cs -- true : true' 'locate -e cpu-clock -- true'; do
		without /dev "$TDSTAT" $words
		assert_success
		assert_no_stderr_of_ours
	done
}

# Messages must come from tdstat.  Results are not errors, nor are notes about short
# commands or slow machines.
assert_no_stderr_of_ours() {
	local line

	for line in "${stderr_lines[@]}"; do
		[[ $line != *tdstat:* || $line =~ $NOTES ]] || fail "an error"
	done
}

@test "no /proc: a diff of commands names it as missing" {
	real
	! grep -q __asan_init "$TDSTAT" || skip "the sanitizers need it themselves"
	without /proc "$TDSTAT" diff --require -r 1 -e cs -- touch ran : true
	assert_failure 125
	assert_why_and_remedy /proc/self/fd 'proc mounted on /proc'
	[ ! -e ran ]
	without /proc "$TDSTAT" diff -r 1 -e cs -- sh -c 'echo a >>ran' : sh -c 'echo b >>ran'
	assert_failure 2
	assert_complains 'proc mounted on /proc'
	mapfile -t ran <ran
	assert_equal "${ran[*]}" 'a b'
}

@test "no /sys: events without a PMU are counted, others name the missing file" {
	real -a
	without /sys "$TDSTAT" -e cs -- true
	assert_success
	assert_no_stderr_of_ours
	without /sys "$TDSTAT" -a -e cs --timeout 10
	assert_success
	assert_complains '/sys/devices/system/cpu/online: No such file.*counting on CPUs'
	without /sys "$TDSTAT" -- touch made
	assert_runs_all_the_same '/sys/devices/.*: No such file' 'sysfs mounted on /sys'
	[ -e made ]
	for words in '-a -I 100 --interval-count 1' list; do
		without /sys "$TDSTAT" $words
		assert_failure 1
		assert_why_and_remedy '/sys/devices/.*: No such file' 'sysfs mounted on /sys'
	done
}

@test "no /proc/kallsyms: functions of the kernel are addresses, with a note" {
	real
	unshare -m sh -c 'mount --bind /dev/null /proc/kallsyms' 2>/dev/null || skip "no mount namespaces"
	# shellcheck disable=SC2016 # for that shell
	try unshare -m sh -c 'mount --bind /dev/null /proc/kallsyms && exec "$@"' - \
		"$TDSTAT" locate -e cpu-clock -x, -o out -- dd if=/dev/zero of=/dev/null bs=1 count=300000 status=none
	assert_success
	[[ $stderr == *'tdstat: [kernel]: /proc/kallsyms '*'addresses without names'* ]]
	has_text out ',,\[kernel],0xf'
}

# read_only COMMAND...: run it with a read-only root and a read-only current directory
read_only() {
	unshare -m true 2>/dev/null || skip "no mount namespaces"
	# shellcheck disable=SC2016 # for that shell
	try unshare -m sh -c 'mount --bind "$PWD" "$PWD" && mount -o remount,bind,ro "$PWD" &&
		mount -o remount,bind,ro / && cd "$PWD" && exec "$@"' - "$@"
}

@test "a read-only root: tdstat writes only requested files, and names them if it cannot" {
	real -a
	read_only touch made
	assert_failure
	[[ $stderr == *'Read-only'* ]] || skip "it cannot be made read-only: $stderr"
	for words in '-e cs -- true' '-a -e cs --timeout 10' 'locate -e cpu-clock -- true'; do
		read_only "$TDSTAT" $words
		assert_success
		assert_no_stderr_of_ours
	done
	for words in 'record -e cs' '-o out -e cs'; do
		read_only "$TDSTAT" $words --require -- true
		assert_failure 125
		assert_why_and_remedy 'Read-only file system' 'in a writable directory'
	done
}

@test "an environment without a variable: no HOME, TERM, PATH" {
	needs_wing top
	real
	for words in '-e cs -- /bin/true' 'locate -e cpu-clock -- /bin/true' "report $data/alderlake.jsonl" \
		'record -o rec -e cs -- /bin/true'; do
		try env -i "$TDSTAT" $words
		assert_success
		assert_no_stderr_of_ours
	done
	try within env -i "$TDSTAT" top -i "$data/alderlake.jsonl"
	assert_failure 1
	assert_complains 'top: .*(terminal|TERM)'
}

@test "no directory for regions: TMPDIR names another" {
	needs_wing regions
	needs_software_events
	TMPDIR=/missing-$BASHPID try "$TDSTAT" regions --require -- touch ran
	assert_failure 125
	assert_why_and_remedy '^tdstat: /missing-[0-9]*/.*: No such file' TMPDIR
	[ ! -e ran ]
}
