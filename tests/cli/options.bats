#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The command line: refused options (status 64, one line that names the option, empty
# standard output), and the words that belong to the command.

# shellcheck disable=SC2016,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# Every usage error is to be found before a machine is looked at.
setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID
	export SYSFS_PATH=/nonexistent PROCFS_PATH=/nonexistent
}

# refused WHAT [ARG...]: a usage error with WHAT (a pattern) in its lines.  Such command
# lines are collected, and run by one process: refused.py.
refused() {
	printf '%s\0' $(($# + 1)) refused "$@" >>cases
}

# Runs those that were collected.
check() {
	python3 "$here/refused.py" <cases
	rm cases
}

# refused_now REASON [ARG...]: the same immediately; $stderr is the message
refused_now() {
	try "$TDSTAT" "${@:2}"
	assert_failure 64
	assert_output ''
	[[ ${stderr_lines[0]} == *tdstat:\ * ]] || fail "no line of tdstat's"
	[[ $stderr =~ $1 ]] || fail "no $1"
}

teardown() {
	[ -n "$BATS_TEST_COMPLETED" ] || printf 'stderr: %s\n' "${stderr-}"
	[ -z "$BATS_TEST_COMPLETED" ] || [ ! -e cases ] || fail "some were not run"
}

@test "options that are not there" {
	refused nosuch --nosuch
	refused "'-Z'" -Z
	refused nosuch -a --nosuch=1
	refused ambiguous --interval
	check
}

@test "options without their argument" {
	for option in -I -C -p -t -l -x -o -D -r -G --timeout --interval-count --cputype --cpu --input \
		--log-fd --control --pre --post --for-each-cgroup; do
		refused "${option#-}" $option
	done
	check
}

@test "-I: whole milliseconds from 1 on" {
	for ms in 0 abc -1 1.5 0.5ms 1e3 '' ' 1' '1 s' 99999999999 0x 0s 1.0001s 36000m; do
		refused '-I|interval' -a -I "$ms"
	done
	refused '-I|interval' -a --interval-print=0
	check
}

@test "a time's unit is ms, s or m; an error names a wrong one and lists these" {
	for option in -I -D --timeout; do
		for unit in x us sec min S Ms h mss 's '; do
			refused "^tdstat: $option 20$unit: '$unit' is not a unit of time: use ms, s or m" \
				$option "20$unit" -- true
		done
	done
	refused "did you mean -I 1.5s\?" -a -I 1.5
	refused_now '' -a -I 1.5ms
	[[ $stderr != *'did you mean'* ]]
	check
}

@test "--interval-count: from 1 on, and with -I" {
	for count in 0 x -1 '' 99999999999; do
		refused interval-count -a -I 100 --interval-count "$count"
	done
	refused '-I' -a --interval-count 3
	refused '-I' --interval-count 3 -- true
	check
}

@test "an empty file name is an error and not looked up" {
	refused '-o: an empty name' -a -o ''
	refused '-o: an empty name' record -a -o ''
	refused '--metrics-dir: an empty name' -a --metrics-dir ''
	refused '-i: an empty name' report -i ''
	refused 'an empty name' report ''
	check
}

@test "--timeout: from 10 on, and without -I" {
	for ms in 0 9 x ''; do
		refused timeout -a --timeout "$ms"
	done
	refused timeout -a -I 100 --timeout 500
	check
}

@test "-C: a list of CPUs" {
	for cpus in '' 3-1 99999999999 a '1,' ,1 1--2 1-2-3 -1 0x1 '1 2' 1-; do
		refused '-C' -C "$cpus"
	done
	check
}

@test "-p: a list of processes" {
	for pids in '' x '1,' -5 99999999999 1.5; do
		refused '-p' -p "$pids"
	done
	check
}

@test "-l: a level that is known" {
	for level in 7 99 -1 x '' 1.5; do
		refused '-l|level' -a -l "$level"
		refused '-l|level' -a --td-level="$level"
	done
	check
}

@test "-x: separators that could be part of a field are refused" {
	for sep in '' . 1 - '"' $'\n' ',"'; do
		refused '-x' -a -x "$sep"
	done
	check
}

@test "options that exclude each other" {
	refused '-x.*-j' -a -x, -j
	refused '-x.*-j' -a -j -x,
	refused '-p.*-t' -p 1 -t 1
	refused '-o.*--log-fd' -a -o file --log-fd 1
	refused '-B.*-x' -a -B -x,
	refused '--all-user.*--all-kernel' -a --all-user --all-kernel
	refused '-G.*--for-each-cgroup' -a -G a --for-each-cgroup b
	refused '-G.*-a' -G / -- true
	refused '--for-each-cgroup.*-a' --for-each-cgroup / -- true
	for option in '-G /' '--for-each-cgroup /'; do
		for whom in '-p 1' '-t 1'; do
			refused "^tdstat: ${option% *}.*-p and -t.*exclude each other" $option $whom
			refused "^tdstat: ${option% *}.*-p and -t.*exclude each other" -a $option $whom
		done
	done
	refused '-G.*-e' -a -G / -e cycles
	refused '--per-thread.*-C' --per-thread -C 0
	refused '--metric-only.*--per-thread' --metric-only --per-thread -p 1
	refused '--metric-only.*-r' --metric-only -r 2 -- true
	refused '--table.*-r' --table -- true
	refused '--table.*-r' --table -r 1 -- true
	for whom in -a '-C 0' '-p 1' '-I 10' '-e cycles'; do
		refused '-r needs.*command.*--timeout' -r 3 $whom
		refused '-r needs.*command.*--timeout' -r 0 $whom
	done
	refused '-r.*--per-thread' -r 2 --per-thread -- true
	refused '--interval-clear.*-I' -a --interval-clear
	refused '--model needs --dry-run' -a --model alderlake
	refused '--model needs --dry-run' record --model alderlake -- true
	refused '--model: an empty name' list --model ''
	refused '--time-format wall.*-I' -a --time-format wall
	refused '--time-format iso: expected seconds, wall' -I 10 --time-format iso
	refused '-D.*--control' -a -D -1
	refused '-r' record -o file -r 2 -- true
	for option in --per-core --per-cluster --per-cache --per-die --per-socket --per-node -A; do
		refused "$option" $option -- true
		refused "$option" $option -p 1
	done
	refused '-o' -a --append
	refused 'report' -a --input=file
	check
}

@test "record: makes a new file" {
	refused_now '-o -: a recording needs the name of a file' record -o - -- true
	assert_regex "$stderr" 'for standard output, give /dev/stdout$'
	try "$TDSTAT" record --quiet -n -o /dev/stdout -- true
	assert_success
	assert_regex "${lines[0]}" '^\{"tdstat":1,'
	refused 'append' record -a -o file --append
	refused 'input' record -o file --input=file
	check
	[ ! -e file ]
}

@test "report opens no counters" {
	needs_wing pictures
	for option in -a '-C 0' '-p 1' '-I 100' '--timeout 100'; do
		refused report report -i file $option
	done
	refused '-x.*-j' report -i file -x, -j
	refused '-o' report -i file --append
	refused '-x.*html' report -i file -x, --html made
	refused 'html.*-o' report -i file -o made --html made
	refused 'html.*--log-fd' report -i file --log-fd 3 --html made
	refused 'html.*svg' report -i file --svg made --html made
	refused '--append' report -i file --append --html made
	refused 'svg.*locate' report -i file --locate --svg made
	refused 'html: an empty name' report -i file --html ''
	check
	[ ! -e made ]
}

@test "a refused command line runs no command and makes no file" {
	refused '-I' -I 0 -o made -- touch made
	refused '-I' record -o made -I 0 -- touch made
	check
	[ ! -e made ]
}

@test "--help: one screen, the 16 options that people use; --help=all has more" {
	python3 "$here/help.py" screen
	refused_now '--help or --help=all' --help=nosuch
}

@test "--help=all: every option with its description, and the statuses; exit 0" {
	try "$TDSTAT" --help=all
	assert_success
	assert_no_stderr
	for option in -a --all-cpus -A --no-aggr -C --cpu= --cputype= -I --interval-print= \
		--interval-count= --timeout= -l --level= --td-level= --topdown -p --pid= \
		-x --field-separator= -j --json-output -o --output= --append -i --no-inherit \
		--hybrid-merge --dry-run -v --verbose; do
		[[ $output =~ (^|[[:space:],])$option ]] || fail "no $option"
	done
	for word in $(subcommands) 127 126 64; do
		assert_output --partial "$word"
	done
	try "$TDSTAT" -?
	assert_success
}

@test "a subcommand's --help: only its own options, and two examples" {
	python3 "$here/help.py" own
}

@test "tdstat help [SUBCOMMAND] is the --help of that, and of tdstat" {
	python3 "$here/help.py" same "$here/../../cmd/commands.c"
	refused "no subcommand 'nosuch'" help nosuch
	refused 'one subcommand' help list report
	check
	[ -e /dev/full ] || return 0
	try sh -c '"$TDSTAT" help list >/dev/full'
	assert_equal "$status" 1
	assert_equal "$stderr" 'tdstat: cannot write standard output: No space left on device'
}

@test "--help has no blank lines, as argp prints after a text that just fits" {
	python3 "$here/help.py" blank
}

@test "tdstat help legend: the marks that tdstat-glossary(7) has" {
	try "$TDSTAT" help legend
	assert_success
	[ "${#lines[@]}" -le 24 ]
	LEGEND=$output python3 - "$here/../../man/tdstat-glossary.7" <<-'PYTHON'
		import os, re, sys
		page = open(sys.argv[1]).read()
		text = re.search(r"^\.Ss Marks.*?^\.Ss Terms", page, re.M | re.S)[0]
		text = text.replace("\\-", "-").replace("\\(+-", "±").replace("\\&", "")
		marks = [mark for row in re.findall(r"^\.It (?:Ql|Pq) (.*)$", text, re.M) for mark in row.split(" , Ql ")]
		marks += ["±?" if "?" in row else "±" for row in re.findall(r"^\.It (±(?:.*\?| Ar n))$", text, re.M)]
		assert len(marks) >= 10, marks
		assert all(mark in os.environ["LEGEND"] for mark in marks), marks
	PYTHON
}

@test "an option of another subcommand is refused, with where it belongs" {
	needs_wing calls pictures regions serve top
	refused 'tdstat takes no --total: it is an option of tdstat report' --total
	refused_now 'tdstat takes no --html: it is an option of tdstat report and tdstat diff' --html out.html true
	assert_equal "${stderr_lines[1]}" \
		'tdstat: tdstat record -o FILE saves the counts; tdstat report --html then shows them'
	refused 'tdstat takes no --print: it is an option of tdstat list' --print cycles
	refused_now 'tdstat record takes no -r: it is an option of tdstat and tdstat diff' record -r 2 -o file true
	[[ ${stderr_lines[1]} == 'tdstat: a recording contains one run: make several and compare them with tdstat diff;'* ]]
	refused 'tdstat report takes no -a: it is an option of tdstat, tdstat record, tdstat locate, tdstat profile, tdstat serve and tdstat top' report file -a
	refused 'tdstat report takes no -S: ' -jS report file
	refused 'tdstat list takes no -x: .* tdstat, tdstat record, tdstat report, tdstat diff, tdstat locate, tdstat profile, tdstat calls and tdstat regions' list -x, hw
	refused_now 'tdstat list takes no --metrics: ' list --metrics tma_retiring
	assert_equal "${stderr_lines[1]}" 'tdstat: tdstat list --help=all lists its options'
	check
}

@test "tdstat stat: a habit of perf before options, and a program before words" {
	saved alderlake
	assert_same "$("$TDSTAT" --dry-run -a -l 2)" "$("$TDSTAT" stat --dry-run -a -l 2)"
	assert_same "$("$TDSTAT" --dry-run -- ls -l)" "$("$TDSTAT" --dry-run stat -- ls -l)"
	try "$TDSTAT" --dry-run -l 1 stat file
	assert_output --partial "the command"
	try "$TDSTAT" --dry-run -- stat -c %s file
	assert_output --partial "the command"
	refused "'--nosuch'" stat --nosuch
	check
}

@test "--version, -V: a line; exit 0" {
	for option in --version -V; do
		try "$TDSTAT" $option
		assert_success
		assert_output --regexp '^tdstat [0-9]+\.[0-9]+'
		assert_no_stderr
		assert_equal "${#lines[@]}" 1
	done
}

@test "--help, --usage and --version that cannot be written: a message, exit 1" {
	[ -e /dev/full ] || skip "no /dev/full"
	for option in --help -h --usage --version -V; do
		try sh -c '"$TDSTAT" "$1" >/dev/full' - "$option"
		[ "$status" = 1 ] || fail "$option: status $status"
		assert_equal "$stderr" 'tdstat: cannot write standard output: No space left on device'
	done
}

@test "options after the command belong to the command" {
	saved alderlake
	try "$TDSTAT" --dry-run ls -l --json --nosuch -I 0
	assert_success
	assert_output --partial 'the command'
	try "$TDSTAT" --dry-run -l 2 -- ls -l --json
	assert_success
	# -a before the command is tdstat's, and -a after it is not
	try "$TDSTAT" --dry-run -a ls
	assert_output --partial 'CPUs 0-3'
	try "$TDSTAT" --dry-run ls -a
	refute_output --partial 'CPUs 0-3'
}

@test "subcommands are words for tdstat only where they stand first" {
	saved alderlake
	python3 "$here/help.py" words
	for word in report '-j report'; do
		try "$TDSTAT" $word
		assert_failure 1
		assert_regex "$stderr" 'tdstat\.jsonl: No such file or directory'
	done
}
