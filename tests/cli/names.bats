#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Names with commas, quotes, line feeds, escape sequences, marks that turn text
# around and 4 KiB, chosen by others.  CSV and JSON must stay valid, and no control
# character may reach a terminal.

# shellcheck disable=SC2016,SC2154,SC2258 # jq; helper.bash; -x,
load helper

nasty=$'a,b"c\'d\\e;f\nline two\t\033[31mred\033[0m\a\b\x7f \342\200\256end\342\201\251'
long=$(printf 'x%.0s' $(seq 4096))

# No control character but the line's end, none of UTF-8's second set, and none of
# those that Unicode's PropList.txt has as Bidi_Control.
control='[\x01-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2(\x80[\x8e\x8f\xaa-\xae]|\x81[\xa6-\xa9])'
assert_printable() {
	! LC_ALL=C grep -qP "$control" "$1" || fail "$1: $(LC_ALL=C grep -m 1 -P "$control" "$1" | cat -v)"
}

# assert_csv FILE [SEPARATOR]: UTF-8, a row a line, and as many fields in each
# row as in the first
assert_csv() {
	python3 - "$1" "${2-,}" <<-'PYTHON'
		import csv, sys
		text = open(sys.argv[1], newline="", encoding="utf-8").read()
		rows = list(csv.reader(text.splitlines(keepends=True), strict=True, delimiter=sys.argv[2]))
		assert rows and text.count("\n") == len(rows), text
		assert len({len(r) for r in rows}) == 1, rows
	PYTHON
	tr -d '\t' <"$1" >no_tabs
	assert_printable no_tabs
}

# assert_json FILE: each line an object, of UTF-8.  (jq takes what is not.)
assert_json() {
	python3 - "$1" <<-'PYTHON'
		import json, sys
		lines = open(sys.argv[1], newline="\n", encoding="utf-8").read().split("\n")
		assert len(lines) > 1 and not lines.pop()
		for line in lines:
		    assert isinstance(json.loads(line, strict=True), dict)
	PYTHON
	assert_printable "$1"
}

# field FILE SEPARATOR NUMBER, key FILE NAME: the first line's, into a file
field() {
	python3 - "$@" <<-'PYTHON' >value
		import csv, sys
		lines = open(sys.argv[1], newline="", encoding="utf-8")
		row = next(csv.reader(lines, strict=True, delimiter=sys.argv[2]))
		sys.stdout.buffer.write(row[int(sys.argv[3]) - 1].encode())
	PYTHON
}
key() {
	python3 - "$@" <<-'PYTHON' >value
		import json, sys
		line = open(sys.argv[1], encoding="utf-8").readline()
		sys.stdout.buffer.write(json.loads(line)[sys.argv[2]].encode())
	PYTHON
}
assert_value() {
	[ "$(cat value && echo .)" = "$1." ] || fail "$(cat -v value) is not $(cat -v <<<"$1")"
}

# forms OPTION...: of what tdstat counts or reports, in every form; the results
# are on standard output
forms() {
	"$TDSTAT" "$@" >out.txt 2>&1
	assert_printable out.txt
	"$TDSTAT" "$@" -j >out.json 2>err
	assert_json out.json
	assert_printable err
	for separator in , ';' $'\t'; do
		"$TDSTAT" "$@" -x "$separator" >out.csv 2>err
		assert_csv out.csv "$separator"
	done
	"$TDSTAT" "$@" -x, >out.csv 2>err
}

# reason PATTERN OPTION...: behind what is quoted
reason() {
	try timeout 30 "$TDSTAT" "${@:2}"
	[ "$status" = 1 ] || [ "$status" = 64 ] || fail "$2 $3: $status"
	[[ ${stderr_lines[0]} =~ ^tdstat:\ .*$1$ ]] || fail "$2 $3: not $1"
}

@test "a command's words: text, CSV, JSON, a recording and its report" {
	needs_software_events
	for word in "$nasty" "$long" $'\xff\xfe' $'\303\244\342\202\254' $'\302\205'; do
		"$TDSTAT" -- true "$word" 2>out
		assert_printable out
		grep -q "^ Performance counter stats for 'true .*':\$" out
		for form in -x, -j; do
			"$TDSTAT" $form -o out -- true "$word"
			[ $form = -j ] || assert_csv out
			[ $form = -x, ] || assert_json out
		done
		"$TDSTAT" record -o rec.jsonl -- true "$word" 2>out
		assert_printable out
		assert_json rec.jsonl
		"$TDSTAT" report -i rec.jsonl >out
		assert_printable out
		"$TDSTAT" -o out --append -- true "$word"
		assert_printable out
	done
}

@test "recordings of other Debians: odd names are read as they were" {
	for file in "$data"/names/*.jsonl; do
		"$TDSTAT" report -j "$file" >out
		assert_json out
		"$TDSTAT" report -x, "$file" >out.csv
		python3 - "$data/names" <<-'PYTHON'
			import json, sys
			sys.path.insert(0, sys.argv[1])
			sys.dont_write_bytecode = True
			from record import NAMES
			# a byte that is no UTF-8 is the text \xff
			want = sorted(name.decode("utf-8", "backslashreplace") for name in NAMES)
			ids = [json.loads(line)["thread"] for line in open("out", encoding="utf-8")]
			assert sorted(id.rsplit("-", 1)[0] for id in ids if not id.startswith("python3-")) == want, ids
		PYTHON
		[ "$(tr -d '\n' <out.csv | grep -o task-clock | wc -l)" -eq 10 ]
		"$TDSTAT" report "$file" >out.txt
		assert_printable out.txt
	done
}

@test "a command that is not there: its name in the error" {
	needs_software_events
	try "$TDSTAT" -- "$nasty"
	assert_failure 127
	printf '%s\n' "$stderr" >err
	assert_printable err
	for name in "$long" "./$long" "$(printf '\303\244%.0s' $(seq 2048))"; do
		try "$TDSTAT" -- "$name"
		assert_failure 126
		assert_complains '[Nn]ame too long$'
		[ "${#stderr}" -lt 1200 ] || fail "all of the name"
		[[ $stderr != *\\x* ]] || fail "a character is cut in two"
	done
}

@test "4 KiB on the command line: the reason is said all the same" {
	needs_software_events -a
	reason 'name too long' report -i "$long"
	reason 'name too long' -a -o "$long" --timeout 10
	reason 'name too long' record -a -o "$long" --timeout 10
	reason 'name too long' -a --control "fifo:$long" --timeout 10
	reason 'before this' -a -e "{cs}$long" --timeout 10
	reason "is called '.*'" -a -e "$long" --timeout 10
	reason "is called '.*'" -a -e "$long/x/" --timeout 10
	reason "no term or event '.*'" -a -e "cpu/$long/" --timeout 10
	reason 'no metric or group of this processor' -a -M "$long" --timeout 10
	reason 'not a list .*' -p "$long"
	reason 'not a list .*' -C "$long"
	reason 'not a time .*' -I "$long"
	reason 'no machine has such cores' -a --cputype "$long" --timeout 10
}

@test "options that there are not" {
	for option in $'--no\033[1m' $'-\033' $'--m=\033' $'-\302\205' $'--\n\r'; do
		try "$TDSTAT" "$option"
		assert_failure 64
		printf '%s\n' "$stderr" >err
		assert_printable err
		assert_complains "${option:1:3}|\\\\x"
	done
}

@test "what is named on the command line, in errors" {
	needs_software_events -a
	for option in --cputype -e -M --control -C -p -G --for-each-cgroup -I -o --metrics-dir; do
		try timeout 30 "$TDSTAT" -a "$option" "$nasty/" --timeout 10
		[ "$status" = 1 ] || [ "$status" = 64 ] || fail "$option: $status"
		printf '%s\n' "$stderr" >err
		assert_printable err
	done
	try "$TDSTAT" report -i "$nasty"
	assert_failure 1
	printf '%s\n' "$stderr" >err
	assert_printable err
	for option in --pre --post; do
		try "$TDSTAT" -a --timeout 30 $option "false $nasty"
		assert_failure 1
		printf '%s\n' "$stderr" | grep '^tdstat: --p' >err
		assert_printable err
	done
}

@test "threads that were named by prctl" {
	needs_software_events
	cat >named.py <<-'PYTHON'
		import ctypes, os, sys, time
		ctypes.CDLL(None).prctl(15, os.fsencode(sys.argv[1]) + b"\0")
		open("ready", "w").write("x")
		end = time.time() + 120
		while time.time() < end: pass
	PYTHON
	# as text and CSV have it, and as JSON has it
	named $'a,b"c\n\033[1m' 'a,b"c\x0a\x1b[1m' $'a,b"c\n\033[1m'
	named $'\xff;\xfe\t|' '\xff;\xfe\x09|' '\xff;\xfe'$'\t|'
	named ',,,,' ',,,,' ',,,,'
	named '' '' ''
	named $'\302\205x\177' '\xc2\x85x\x7f' $'\302\205x\177'
	# cut by the kernel, in the middle of a character
	named $'abcdefghijklmn\303\244' 'abcdefghijklmn\xc3' 'abcdefghijklmn\xc3'
	named $'\303\244\342\202\254' $'\303\244\342\202\254' $'\303\244\342\202\254'
}

# named NAME SHOWN JSON
named() {
	local pid i

	rm -f ready
	python3 named.py "$1" &
	pid=$!
	for ((i = 0; i < 500; i++)); do
		[ ! -s ready ] || break
		sleep 0.02
	done
	"$TDSTAT" --per-thread -p $pid --timeout 20 -e cpu-clock >out 2>&1
	assert_printable out
	# on a busy machine it may not have run meanwhile
	for ((i = 0; i < 50; i++)); do
		"$TDSTAT" record -o rec.jsonl --per-thread -p $pid --timeout 100 -e cpu-clock >out 2>&1
		"$TDSTAT" report -i rec.jsonl -j >out.json
		[ ! -s out.json ] || break
	done
	kill $pid
	wait $pid || true
	assert_json rec.jsonl
	forms report -i rec.jsonl
	grep -qF -- "$2-$pid " out.txt
	field out.csv , 1
	assert_value "$2-$pid"
	key out.json thread
	assert_value "$3-$pid"
}

# recorded FILTER: a recording whose names jq changed
recorded() {
	jq -c --arg nasty "$nasty" --arg long "$long" "$1" "$data/alderlake-command.jsonl" >rec.jsonl
}

@test "a recording's own names: refused, or made harmless" {
	for name in '$nasty' '$long' '"\u0000x"' '"\u009b31m"'; do
		for where in .target .pmus[0].name .cpuid '.metrics = ["x"] | .metrics[0]'; do
			recorded "if .tdstat then $where = $name else . end"
			try "$TDSTAT" report -i rec.jsonl
			[ "$status" -le 1 ] || [ "$status" = 64 ] || fail "$where: $status"
			printf '%s\n' "$output" "$stderr" >out
			assert_printable out
			for form in -x, -j; do
				"$TDSTAT" report -i rec.jsonl $form >out 2>err || true
				assert_printable err
				[ ! -s out ] || { [ $form = -j ] && assert_json out; } || assert_csv out
			done
		done
		# an event's, a cgroup's, a thread's
		recorded "if .tdstat then .events[0].name = $name else . end"
		try "$TDSTAT" report -i rec.jsonl
		printf '%s\n' "$output" "$stderr" >out
		assert_printable out
		recorded "if .tdstat then .cgroups = [$name] | .aggregation = \"cpu\" else . end"
		try "$TDSTAT" report -i rec.jsonl -A
		printf '%s\n' "$output" "$stderr" >out
		assert_printable out
		recorded "if .counts then .tasks = [[1, $name]] | .names = {\"1\": $name} else . end"
		try "$TDSTAT" report -i rec.jsonl
		printf '%s\n' "$output" "$stderr" >out
		assert_printable out
	done
}

@test "cgroups of a recording, with counts" {
	needs_software_events -a
	"$TDSTAT" record -o rec -a -e cpu-clock,cs -I 10 --interval-count 2
	for name in "$nasty" "$long" $'\302\233x'; do
		jq -c --arg name "$name" 'if .tdstat then .cgroups = [$name] else . end |
			if .counts then .counts[] += [0] else . end' rec >rec.jsonl
		for how in '' -A --summary; do
			# shellcheck disable=SC2086
			forms report -i rec.jsonl $how
		done
		"$TDSTAT" report -i rec.jsonl -j >out
		key out cgroup
		assert_value "$name"
	done
}

@test "an event's name= term" {
	needs_software_events -a
	for name in 'a b' "'a,b'" $'a\tb' $'\033[1m' '"' 'a"b' "$long"; do
		try "$TDSTAT" -a -e "cpu/event=0,name=$name/" --timeout 10
		printf '%s\n' "$output" "$stderr" >out
		assert_printable out
		[ "$status" != 0 ] || {
			forms -a -A -e "cpu/event=0,name=$name/" --timeout 10
		}
	done
}

@test "a PMU's name, an event's file and its unit: counted, listed, described" {
	needs_software_events -a
	pmu=$devices/$'p,"\n\033[1mq'
	mkdir -p "$pmu"/{events,format}
	echo 1 >"$pmu/type"
	echo config:0-7 >"$pmu/format/event"
	echo event=0 >"$pmu/events/clock"
	odd=$'odd,"\n\033[1m'
	echo event=0 >"$devices/cpu/events/$odd"
	echo event=0 >"$devices/cpu/events/clock"
	printf '1.0' >"$devices/cpu/events/clock.scale"
	printf 'J,"\033[1m' >"$devices/cpu/events/clock.unit"
	forms -a -e cpu/clock/ --timeout 10
	name=$'p,"\n\033[1mq'
	shown='p,"\x0a\x1b[1mq'
	for what in list 'list -v' 'list events' 'list pmu'; do
		# shellcheck disable=SC2086
		"$TDSTAT" $what >out 2>&1
		assert_printable out
	done
	for what in --dry-run '-v --timeout 10' '-vv --timeout 10'; do
		# shellcheck disable=SC2086
		"$TDSTAT" -a $what -e cpu/clock/ -e "cpu/$odd/" >out 2>&1 || true
		assert_printable out
	done
	for event in "$name/clock/" cpu/clock/ "cpu/$odd/"; do
		"$TDSTAT" list --print "$event" >out 2>&1 || true
		assert_printable out
		[ -s out ] || fail "nothing about it"
	done
	"$TDSTAT" list -v >out
	grep -qF "Events of PMU $shown (sysfs):" out
	grep -qF "  $shown/clock/" out
	"$TDSTAT" list --json >out
	assert_json out
}

@test "what PERF_CPUID says" {
	needs_software_events -a
	PERF_CPUID=$'Gen\033[1m-6-FF-0' try "$TDSTAT" -a --dry-run -e cs
	printf '%s\n' "$output" "$stderr" >out
	assert_printable out
}

@test "evlist of --control" {
	needs_software_events -a
	mkfifo ctl
	for word in evlist 'evlist -g' 'evlist -v' $'enable \033[1m' $'\302\233' 'stop'; do
		printf '%s\n' "$word"
	done >words
	(cat words >ctl) &
	try timeout 20 "$TDSTAT" -a --control fifo:ctl -e "{cpu/event=0,name='a b'/,cs}" --timeout 10000
	printf '%s\n' "$output" "$stderr" >out
	assert_printable out
	grep -qF 'no event \x1b[1m' out
}

# The slowest of these took over a minute when each character looked at all that
# follow it; now each takes some hundredths of a second.
@test "names of 300,000 bytes: in time that is proportional to them" {
	for character in '\u0001' '\uffff' '\ufffd' '\u202e' '\"' 'a '; do
		yes "$character" | head -c 400000 | tr -d '\n' | sed 's/.*/"&/; s/\\[^\\]*$//; s/$/"/' >long
		jq -c --slurpfile long long 'if .tdstat then .target = $long[0] | .cgroups = [$long[0]] else . end |
			if .counts then .counts[] += [0] else . end' "$data/alderlake.jsonl" >rec.jsonl
		for how in '' -x, -j '--html -' '--svg -' '--perfetto -'; do
			# shellcheck disable=SC2086
			timeout 60 "$TDSTAT" report rec.jsonl $how >out
			assert_printable out
		done
	done
}
