#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The command line: what is refused (status 64, one line that names the option,
# nothing on standard output), and which words belong to the command.

# shellcheck disable=SC2016,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# Every usage error is to be found before a machine is looked at.
setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID
	export SYSFS_PATH=/nonexistent PROCFS_PATH=/nonexistent
}

# refused WHAT [ARG...]: a usage error with WHAT (a pattern) in its line
refused() {
	try "$TDSTAT" "${@:2}"
	assert_failure 64
	assert_output ''
	[[ ${stderr_lines[0]} == *tdstat:\ * ]] || fail "no line of tdstat's"
	[[ $stderr =~ $1 ]] || fail "no $1"
}

@test "options that are not there" {
	refused nosuch --nosuch
	refused "'-Z'" -Z
	refused nosuch -a --nosuch=1
	refused ambiguous --interval
}

@test "options without their argument" {
	for option in -I -C -p -t -l -x -o -D -r -G --timeout --interval-count --cputype --cpu --input \
		--log-fd --control --pre --post --for-each-cgroup; do
		refused "${option#-}" $option
	done
}

@test "-I: whole milliseconds from 1 on" {
	for ms in 0 abc -1 1.5 0.5ms 1e3 '' ' 1' '1 s' 99999999999 0x 0s 1.0001s 36000m; do
		refused '-I|interval' -a -I "$ms"
	done
	refused '-I|interval' -a --interval-print=0
}

@test "a time's unit is ms, s or m; a wrong one is named, and what there is" {
	for option in -I -D --timeout; do
		for unit in x us sec min S Ms h mss 's '; do
			refused "^tdstat: $option 20$unit: '$unit' is not a unit of time: use ms, s or m" \
				$option "20$unit" -- true
		done
	done
	refused "did you mean -I 1.5s\?" -a -I 1.5
	run ! grep 'did you mean' <<<"$("$TDSTAT" -a -I 1.5ms 2>&1)"
}

@test "--interval-count: from 1 on, and with -I" {
	for count in 0 x -1 '' 99999999999; do
		refused interval-count -a -I 100 --interval-count "$count"
	done
	refused '-I' -a --interval-count 3
	refused '-I' --interval-count 3 -- true
}

@test "an empty name of a file is said, not looked for" {
	refused '-o: an empty name' -a -o ''
	refused '-o: an empty name' record -a -o ''
	refused '--metrics-dir: an empty name' -a --metrics-dir ''
	refused '-i: an empty name' report -i ''
	refused 'an empty name' report ''
}

@test "--timeout: from 10 on, and without -I" {
	for ms in 0 9 x ''; do
		refused timeout -a --timeout "$ms"
	done
	refused timeout -a -I 100 --timeout 500
}

@test "-C: a list of CPUs" {
	for cpus in '' 3-1 99999999999 a '1,' ,1 1--2 1-2-3 -1 0x1 '1 2' 1-; do
		refused '-C' -C "$cpus"
	done
}

@test "-p: a list of processes" {
	for pids in '' x '1,' -5 99999999999 1.5; do
		refused '-p' -p "$pids"
	done
}

@test "-l: a level that is known" {
	for level in 7 99 -1 x '' 1.5; do
		refused '-l|level' -a -l "$level"
		refused '-l|level' -a --td-level="$level"
	done
}

@test "-x: nothing that a reader could not tell from a field" {
	for sep in '' . 1 - '"' $'\n' ',"'; do
		refused '-x' -a -x "$sep"
	done
}

@test "what excludes each other" {
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
	refused '--time-format iso: not one of seconds, wall' -I 10 --time-format iso
	refused '-D.*--control' -a -D -1
	refused '-r' record -o file -r 2 -- true
	for option in --per-core --per-cluster --per-cache --per-die --per-socket --per-node -A; do
		refused "$option" $option -- true
		refused "$option" $option -p 1
	done
	refused '-o' -a --append
	refused 'report' -a --input=file
}

@test "record: makes a new file" {
	refused '-o -: a recording needs the name of a file' record -o - -- true
	assert_regex "$stderr" 'for standard output, give /dev/stdout$'
	try "$TDSTAT" record --quiet -n -o /dev/stdout -- true
	assert_success
	assert_regex "${lines[0]}" '^\{"tdstat":1,'
	refused 'append' record -a -o file --append
	refused 'input' record -o file --input=file
	[ ! -e file ]
}

@test "report: measures nothing" {
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
	[ ! -e made ]
}

@test "nothing is run and no file is made by a command line that is refused" {
	refused '-I' -I 0 -o made -- touch made
	refused '-I' record -o made -I 0 -- touch made
	[ ! -e made ]
}

@test "--help: one screen, the 25 options that people use; --help=all has more" {
	try "$TDSTAT" --help
	assert_success
	assert_no_stderr
	[ "${#lines[@]}" -le 61 ] || fail "${#lines[@]} lines"
	assert_equal "$(options_of | grep -cvxE -e '--(help|usage|version)')" 25
	assert_line --regexp '^tdstat --help=all shows all options \([0-9]+ more\)'
	run ! grep -E '.{81}' <<<"$output"
	# the rest is hidden, not refused
	run ! grep -x -e --no-inherit <(options_of)
	try "$TDSTAT" --no-inherit --help
	assert_success
	# what has few options has one help; others show all that they alone have
	for word in $(subcommands); do
		all=$("$TDSTAT" $word --help=all)
		(($(grep -cE '^ {2,6}(-., )?--' <<<"$all") > 36)) ||
			assert_same "$all" "$("$TDSTAT" $word --help)"
	done
	assert_same "" "$(comm -13 <(options_of report) <(comm -13 <(all_options_of) <(all_options_of report)))"
	refused '--help and --help=all' --help=nosuch
}

@test "--help=all: every option, what they do, and the statuses; exit 0" {
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

# options_of [SUBCOMMAND]: the long ones of its --help
options_of() {
	"$TDSTAT" ${1-} --help${2-} | grep -oE '^ {2,6}(-., )?--[a-z-]+' | grep -oE -e '--[a-z-]+' | LC_ALL=C sort
}

# all_options_of [SUBCOMMAND]: those of --help=all
all_options_of() {
	options_of "${1-}" =all
}

@test "a subcommand's --help: its own options alone, and two examples of it" {
	for word in $(subcommands); do
		try "$TDSTAT" $word --help=all
		assert_success
		assert_no_stderr
		assert_line --index 0 --partial "Usage: tdstat $word "
		grep -A 2 '^Examples:' <<<"$output" | grep -c "^  tdstat $word" | grep -qx 2 || fail "$word"
		assert_output --partial 'Exit status: '
		try "$TDSTAT" $word --usage
		assert_success
		assert_line --index 0 --partial "Usage: tdstat $word "
	done
	assert_same "$(printf -- '--%s\n' cputype help json-output metrics-dir model print usage verbose version)" \
		"$(all_options_of list)"
	assert_same "$(printf -- '--%s\n' help metrics-dir model usage version)" "$(all_options_of explain)"
	assert_same "$(printf -- '--%s\n' help usage version)" "$(all_options_of help)"
	# what is for counting is none of report's, and the reverse
	assert_same "$(printf -- '--%s\n' callers flame folded html input locate no-tree per-region pprof profile svg total)" "$(comm -13 <(all_options_of) <(all_options_of report))"
	assert_same "$(printf -- '--%s\n' append force max-series no-multiplex openmetrics perfetto repeat table)" "$(comm -23 <(all_options_of) <(all_options_of record))"
	for option in pid interval-print event dry-run repeat control; do
		run ! grep -x -e "--$option" <(all_options_of report)
	done
}

@test "tdstat help [SUBCOMMAND] is the --help of that, and of tdstat" {
	assert_same "$("$TDSTAT" --help)" "$("$TDSTAT" help)"
	assert_same "$("$TDSTAT" --help)" "$("$TDSTAT" help stat)"
	for word in $(subcommands); do
		assert_same "$("$TDSTAT" $word --help)" "$("$TDSTAT" help $word)"
	done
	assert_same "$(sed -nE 's/^\trow\((.*)\).*/\1/p' "$here/../../cmd/commands.c" | grep -vx stat)" "$(subcommands)"
	refused "no subcommand 'nosuch'" help nosuch
	refused 'one subcommand' help list report
	[ -e /dev/full ] || return 0
	try sh -c '"$TDSTAT" help list >/dev/full'
	assert_equal "$status" 1
	assert_equal "$stderr" 'tdstat: cannot write standard output: No space left on device'
}

@test "help has no line of blanks alone, as argp puts behind a text that just fits" {
	for command in '' $(subcommands); do
		"$TDSTAT" $command --help=all >help
		run ! grep -nE '^ +$' help
	done
}

@test "tdstat help legend: the marks that tdstat-glossary(7) has" {
	try "$TDSTAT" help legend
	assert_success
	[ "$(wc -l <<<"$output")" -le 24 ]
	sed -n '/^\.Ss Marks/,/^\.Ss Words/p' "$here/../../man/tdstat-glossary.7" |
		sed -nE 's/\\-/-/g; s/\\\(\+-/±/g; s/\\&//g; s/^\.It (Ql|Pq) //p; s/^\.It ±.*\?$/±?/p; s/^\.It ± Ar n/±/p' |
		sed 's/ , Ql /\n/' >marks
	[ "$(wc -l <marks)" -ge 10 ]
	while read -r mark; do
		[[ $output == *"$mark"* ]] || fail "$mark"
	done <marks
}

@test "an option of another subcommand is refused, with where it belongs" {
	refused 'tdstat takes no --total: it is an option of tdstat report' --total
	refused 'tdstat takes no --html: it is an option of tdstat report and tdstat diff' --html out.html true
	assert_equal "${stderr_lines[1]}" \
		'tdstat: tdstat record -o FILE saves the counts, which tdstat report --html shows then'
	refused 'tdstat takes no --print: it is an option of tdstat list' --print cycles
	refused 'tdstat record takes no -r: it is an option of tdstat and tdstat diff' record -r 2 -o file true
	refused 'tdstat report takes no -a: it is an option of tdstat, tdstat record, tdstat top, tdstat locate, tdstat profile and tdstat serve' report file -a
	refused 'tdstat report takes no -S: ' -jS report file
	refused 'tdstat list takes no -x: .* tdstat, tdstat record, tdstat report, tdstat diff, tdstat regions, tdstat locate, tdstat profile and tdstat calls' list -x, hw
	refused 'tdstat list takes no --metrics: ' list --metrics tma_retiring
	assert_equal "${stderr_lines[1]}" 'tdstat: tdstat list --help=all lists its options'
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

@test "options behind the command are the command's" {
	saved alderlake
	try "$TDSTAT" --dry-run ls -l --json --nosuch -I 0
	assert_success
	assert_output --partial 'the command'
	try "$TDSTAT" --dry-run -l 2 -- ls -l --json
	assert_success
	# -a in front is tdstat's, -a behind is not
	try "$TDSTAT" --dry-run -a ls
	assert_output --partial 'CPUs 0-3'
	try "$TDSTAT" --dry-run ls -a
	refute_output --partial 'CPUs 0-3'
}

@test "subcommands are words for tdstat only where they stand first" {
	saved alderlake
	for word in $(subcommands); do
		try "$TDSTAT" --dry-run -- $word
		assert_success
		assert_output --partial 'the command'
		try "$TDSTAT" --dry-run -a -- $word -i file
		assert_success
		try "$TDSTAT" --dry-run env $word
		assert_success
	done
	for word in report '-j report'; do
		try "$TDSTAT" $word
		assert_failure 1
		assert_regex "$stderr" 'tdstat\.jsonl: No such file or directory'
	done
}
