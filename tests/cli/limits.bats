#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Limits of descriptors, memory and disk space: errors are reported, and no row
# is lost silently.

# shellcheck disable=SC2016,SC2086,SC2154,SC2258 # sh -c; lists of options; -x,; helper.bash
load helper

# An error of ours, and no crash (128 and more) or table beside it.
assert_refused() {
	[ "$status" = "${2-1}" ] || fail "$1: status $status"
	[[ $stderr == *"tdstat: "* ]] || fail "$1: no error"
	[[ $output$stderr != *tma_* ]] || fail "$1: a table"
}

@test "no descriptor, or one: nothing is run, and it is said what is missing" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_software_events -a
	# linked as it is, it cannot even be loaded with less than its loader needs
	loads=$(sh -c 'for n in 3 4 5 6 7 8; do
		(ulimit -n $n; "$TDSTAT" --version >/dev/null 2>&1) && break; done; echo $n')
	for limit in 0 1 "$loads" $((loads + 1)) $((loads + 2)) 7 8 9; do
		try no_raise sh -c 'ulimit -n '"$limit"' && exec "$TDSTAT" --require -x, -- touch made'
		[ "$status" != 0 ] || fail "$limit: a success"
		[ "$status" -lt 128 ] || fail "$limit: a crash"
		[ -n "$stderr" ] || fail "$limit: not said"
		[ "$limit" -lt "$loads" ] || assert_refused "$limit" 125
		[ "$limit" -lt "$loads" ] || assert_complains 'Too many open files'
		[ "$limit" -lt "$loads" ] || assert_complains "$limit may be open at a time.*ulimit -n"
		[ ! -e made ]
	done
}

@test "each limit up to enough: either all of it, or an error that says so" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_software_events -a
	for limit in $(seq 10 2 30); do
		for how in '-x, -a --timeout 10' '-x, --require -- true' "-x, -p $$ --timeout 10" \
			'record -x, --require -o rec -- true'; do
			try no_raise sh -c 'ulimit -n "$1"; shift; exec "$TDSTAT" "$@"' - "$limit" $how
			case $status in
			0) [[ $output$stderr == *",all,cpu,"* ]] || fail "$limit: nothing" ;;
			*)
				want=1
				[[ $how != *require* ]] || want=125
				assert_refused "$limit: $how" $want
				assert_complains 'Too many open files'
				assert_complains 'ulimit -n'
				;;
			esac
		done
	done
	[ "$status" = 0 ]
}

@test "descriptors that run out in the middle: what was to be opened, the limit, and the command runs" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_strace
	needs_software_events -a
	for call in pipe2:1 pipe2:2 pipe2:3 pidfd_open:1 timerfd_create:1 timerfd_create:2 \
		perf_event_open:1 perf_event_open:2; do
		try strace -o /dev/null -e inject="${call%:*}":error=EMFILE:when="${call#*:}" \
			"$TDSTAT" --timeout 5000 -x, -- touch made
		assert_runs_all_the_same 'Too many open files' '[0-9]+ may be open at a time|ulimit -n'
		rm made
	done
	for file in -o record; do
		[ $file != -o ] || file=
		try strace -P "$PWD/out" -o /dev/null -e inject=openat:error=EMFILE \
			"$TDSTAT" $file -o "$PWD/out" -- touch made
		assert_runs_all_the_same 'out: Too many open files' 'ulimit -n'
		rm made
	done
}

@test "64 and 4,096: the command, --pre and --post have the limit that we were given" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_software_events
	look='ulimit -Sn; ulimit -Hn'
	# more than 20 events need, and they need it all
	many=$(printf 'task-clock,%.0s' $(seq 30))page-faults
	for limit in 20 64 4096; do
		rm -f pre post
		want="$limit"$'\n'$(sh -c 'ulimit -Hn')
		try sh -c 'ulimit -Sn '$limit'; exec "$TDSTAT" "$@"' - -r 2 -e $many -o out \
			--pre "($look) >>pre" --post "($look) >>post" -- sh -c "$look"
		assert_success
		assert_same "$want"$'\n'"$want" "$output"
		assert_same "$output" "$(cat pre)"
		assert_same "$output" "$(cat post)"
		want=$limit$'\n'$limit
		try sh -c 'ulimit -n '$limit'; exec "$TDSTAT" -o out -- sh -c "$1"' - "$look"
		assert_same "$want" "$output"
	done
	# nothing of ours is open in them
	ls /proc/self/fd >without
	"$TDSTAT" -o out --pre "ls /proc/self/fd >pre" --post "ls /proc/self/fd >post" -- ls /proc/self/fd >with
	assert_same "$(cat without)" "$(cat with)"
	assert_same "$(cat without)" "$(cat pre)"
	assert_same "$(cat without)" "$(cat post)"
}

# As perf does.
@test "root: a hard limit is raised for tdstat, and not for what it runs" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_software_events
	sh -c 'ulimit -n 64 && ulimit -n 65' 2>/dev/null || skip "no right to raise it"
	many=$(printf 'task-clock,%.0s' $(seq 100))page-faults
	try no_raise sh -c 'ulimit -n 64; exec "$TDSTAT" "$@"' - -e $many --require -- touch made
	assert_refused "without the right" 125
	assert_complains 'ulimit -n'
	[ ! -e made ]
	look='ulimit -Sn; ulimit -Hn'
	try sh -c 'ulimit -n 64; ulimit -Sn 32; exec "$TDSTAT" "$@"' - -r 2 -e $many -o out -x, \
		--pre "($look) >>pre" --post "($look) >>post" -- sh -c "$look"
	assert_success
	assert_same $'32\n64\n32\n64' "$output"
	assert_same "$output" "$(cat pre)"
	assert_same "$output" "$(cat post)"
	[ "$(grep -c task-clock out)" = 100 ]
	try sh -c 'ulimit -n 64; exec "$TDSTAT" record "$@"' - -e $many -o rec -- sh -c "$look"
	assert_same $'64\n64' "$output"
}

@test "memory: whatever there is of it, an answer or an error, and no crash" {
	not_under_valgrind "memory is valgrind's"
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer takes it all"
	least=$(sh -c 'n=3000; until (ulimit -v $n; "$TDSTAT" --version >/dev/null 2>&1); do
		n=$((n + 250)); done; echo $n')
	saved sapphirerapids
	for more in 0 60 130 200 300 450 700 1000 1500 2500 4000 6000 10000; do
		for how in '--dry-run -l 2' "report -l 2 -A -x, $data/sapphirerapids-2.jsonl" \
			"list --json metrics" "--dry-run -M tma_retiring"; do
			try sh -c 'ulimit -v "$1"; shift; exec "$TDSTAT" "$@"' - $((least + more)) $how
			case $status in
			0) [ -n "$output" ] || fail "$more: $how: nothing" ;;
			1) assert_complains 'memory' ;;
			*) fail "$((least + more)) KiB: $how: status $status" ;;
			esac
		done
	done
}

@test "/dev/full: every form, every target, with and without intervals" {
	needs_software_events -a
	for form in '' -x, -j; do
		for how in '-a -l 1 --timeout 20' '-a -I 20 --interval-count 2' '-a -A --timeout 20' \
			'-a -e cpu-clock --timeout 20' '-a -r 2 --timeout 20' '-a -I 20 --interval-count 2 --summary'; do
			try "$TDSTAT" $form $how -o /dev/full
			[ "$status" = 1 ] || fail "$form $how: $status"
			assert_complains '/dev/full: No space left'
			try sh -c '"$TDSTAT" "$@" >/dev/full' - ${form:+$form} $how
			[ "$status" = 1 ] || fail "$form $how: $status"
			assert_complains 'standard output: No space left'
		done
		# standard error is where nothing can be said
		for how in '' '-I 20' '-e cpu-clock'; do
			status=0
			"$TDSTAT" $form $how -- true 2>/dev/full || status=$?
			assert_equal "$form $how: $status" "$form $how: 1"
		done
		try sh -c '"$TDSTAT" report "$@" >/dev/full' - ${form:+$form} -i "$data/alderlake.jsonl"
		assert_failure 1
		assert_complains 'No space left'
	done
	saved alderlake
	for list in 'list' 'list --json' 'list -v' '--dry-run' '--dry-run -v'; do
		try sh -c '"$TDSTAT" "$@" >/dev/full' - $list
		[ "$status" = 1 ] || fail "$list: $status"
		assert_complains 'No space left'
	done
}

@test "a pipe that is closed early: the end, at once, quietly, as SIGPIPE would end it" {
	needs_software_events -a
	for how in '-a -I 10 -x,' '-a -I 10 -j' '-a -I 10' '-a -I 10 -A -x,' '-a -I 10 -e cpu-clock'; do
		try timeout 30 bash -c '{ "$TDSTAT" '"$how"'; echo $? >status; } | head -n 1'
		assert_equal "$how: $(cat status)" "$how: 141"
		assert_no_stderr
	done
	for how in '-a -l 1 --timeout 20' \
		"report -x, -i $data/alderlake.jsonl" 'list' 'list -v' 'list --json' '--help=all' '--dry-run -a'; do
		[[ $how == *--timeout* ]] || { saved alderlake; unset PERF_CPUID; }
		try timeout 30 bash -c 'mkfifo p; exec 8<>p 9>p 8<&-; rm p; "$TDSTAT" "$@" >&9' - $how
		assert_equal "$how: $status" "$how: 141"
		assert_no_stderr
	done
}

@test "a pipe that is closed early: a command runs on, and its status is handed on" {
	needs_software_events
	for status_of_it in 0 7; do
		rm -f pid end
		try timeout 30 bash -c '{ "$TDSTAT" -I 10 -x, -- sh -c "echo \$\$ >pid
			while [ ! -e closed ]; do sleep 0.01; done; sleep 0.1; echo \$\$ >end; exit $1" 3>&1 >&2 2>&3
			echo $? >status; } 2>other | { head -n 1; touch closed; }' - $status_of_it
		assert_equal "$(cat status)" $status_of_it
		assert_same "$(cat pid)" "$(cat end)"
		[ ! -s other ] || fail "$(cat other)"
		rm closed
	done
}

@test "a file as large as it may be: the command runs on, with its signals" {
	needs_software_events
	try bash -c 'ulimit -f 1; exec "$TDSTAT" -o out -I 1 -x, -- sh -c "$1"' - \
		'while [ "$(stat -c %s out)" -lt 1024 ]; do :; done; sleep 0.05; grep SigIgn /proc/self/status; echo last'
	assert_equal "${lines[1]}" last
	assert_failure 1
	assert_complains 'cannot write out: File too large'
	assert_complains 'nothing more is counted: sh goes on'
	# the command has the default of SIGXFSZ, which is the 25th
	[ $((0x${lines[0]##*[[:space:]]} >> 24 & 1)) = 0 ] || fail "${lines[0]}"
	try bash -c 'ulimit -f 1; exec "$TDSTAT" -o out -- dd if=/dev/zero of=big bs=4k count=1'
	assert_equal "$status" 153 # 128 + SIGXFSZ: the command's own end
	! kill -0 "$(cat pid)" 2>/dev/null || fail "the command is still there"
}

@test "standard output and standard error that are not open" {
	not_under_valgrind "the descriptors are valgrind's, too"
	needs_software_events -a
	try sh -c '"$TDSTAT" -a --timeout 20 -x, >&-'
	assert_failure 1
	assert_complains 'standard output'
	status=0
	"$TDSTAT" -x, -- true 2>&- || status=$?
	assert_equal "$status" 1
	# what is opened instead is not written to as if it were they
	status=0
	sh -c '"$TDSTAT" record -o rec.jsonl -a --timeout 20 >&- 2>&-' || status=$?
	assert_equal "$status" 1
	[ ! -s rec.jsonl ] || jq -es . rec.jsonl >/dev/null || fail "rows in the recording"
}

@test "a folder that may not be written to, a name that is a folder, one too long" {
	needs_software_events -a
	mkdir folder
	long=$(printf 'x%.0s' $(seq 300))
	for name in folder nowhere/file "$long" /proc/nosuch ''; do
		for how in '' record; do
			try "$TDSTAT" $how -o "$name" -a --timeout 20
			[ "$status" = 1 ] || [ "$status" = 64 ] || fail "$name: $status"
			assert_complains "$name"
			assert_output ''
		done
	done
	# the command is not run for nothing, if that is asked for
	try "$TDSTAT" --require -o nowhere/file -- touch made
	assert_failure 125
	[ ! -e made ]
}

@test "a file system that may only be read" {
	needs_software_events -a
	[ "$(id -u)" = 0 ] && mkdir closed && mount -t tmpfs -o ro none closed 2>/dev/null ||
		skip "no tmpfs of our own"
	for how in '' record; do
		try "$TDSTAT" $how -o closed/out -- touch made
		assert_equal "$status" 0
		assert_complains 'closed/out: Read-only file system'
	done
	umount closed
	[ -e made ]
}

@test "a disk that becomes full: said at the row that did not fit, and those before are whole" {
	needs_software_events -a
	# the limit of a file's size is as good as a full tmpfs, and needs no mount
	for form in -x, -j ''; do
		for how in '' record; do
			rm -f out
			try timeout 30 sh -c 'ulimit -f 8; trap "" XFSZ; exec "$TDSTAT" "$@" >/dev/null' - \
				$how -o out -a -A -I 1 ${form:+$form}
			assert_failure 1
			assert_complains 'out: File too large'
			[ "$(stat -c %s out)" -le 8192 ]
		done
	done
	[ "$(id -u)" = 0 ] && mkdir tmpfs && mount -t tmpfs -o size=16k none tmpfs 2>/dev/null ||
		skip "no tmpfs of our own"
	try timeout 30 "$TDSTAT" -o tmpfs/out -a -A -I 1 -x,
	whole=$(grep -cE '^[0-9.]+,CPU[0-9]+,cpu(,[^,]*){20,}$' tmpfs/out)
	umount tmpfs
	assert_failure 1
	assert_complains 'tmpfs/out: No space left'
	[ "$whole" -gt 50 ]
}
