#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Long runs: files that logrotate renames and SIGHUP, those of record --rotate, and
# compressed ones, over software events of this very machine.

# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # sh -c; pid; helper.bash
load helper

# background COMMAND...: its pid in $pid; its standard input never ends
background() {
	pause 0
	"$@" <&"$never" 3>&- &
	pid=$!
}

# wait_for_more FILE NR: wait for NR more lines
wait_for_more() {
	local text

	mapfile text <"$1"
	wait_for has_lines "$1" $((${#text[@]} + $2))
}

ended() {
	status=0
	wait "$pid" || status=$?
}

teardown() {
	[ -z "${pid-}" ] || kill "$pid" 2>/dev/null || true
	[ -n "$BATS_TEST_COMPLETED" ] || [ -z "${stderr-}" ] || printf 'stderr: %s\n' "$stderr"
}

needs_zstd() {
	python3 -c 'import ctypes; ctypes.CDLL("libzstd.so.1")' 2>/dev/null || skip "no libzstd here"
	command -v zstd >/dev/null || skip "no zstd here"
}

counting=(-a -e task-clock -I 20)

# whole FILE: a recording with its first and last line, read without a note
whole() {
	local text

	mapfile -t text <"$1"
	[[ ${text[0]} =~ ^'{"tdstat":1,'.*'"start":'[1-9] ]] || fail "$1: no first line"
	[[ ${text[-1]} =~ ^'{"end":{'.*'}}'$ ]] || fail "$1: no last line"
	try "$TDSTAT" report "$1" -x,
	assert_equal "$status:$stderr" 0:
}

# assert_file FILE TEXT
assert_file() {
	local text

	IFS= read -rd '' text <"$1" || true
	assert_equal "${text%$'\n'}" "$2"
}

# assert_reported FILE RECORDING...: of these together report shows what FILE has
assert_reported() {
	try "$TDSTAT" report "${@:2}" -x,
	assert_equal "$status:$stderr" 0:
	assert_file "$1" "$output"
}

# renamed NR OPTION...: write rows to out, rename it after NR lines, and wait for NR more
renamed() {
	rm -f out out.1
	background "$TDSTAT" "${@:2}" -o out
	wait_for has_lines out $(($1 + 1))
	mv out out.1
	kill -HUP $pid
	wait_for has_lines out $(($1 + 1))
	kill -TERM $pid
	ended
}

# --- SIGHUP ----------------------------------------------------------------------

@test "rows of -o: a renamed file stays whole, and the new file has its own header" {
	needs_software_events -a
	renamed 3 -a -I 20 -x,
	assert_equal "$status" 0
	# each row begins where the one before it ended: none is lost, and none is twice
	awk -F, '
		FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "seconds") seconds = i; columns = NF; heads++; next }
		NF != columns || !(seconds) || $1 == "time" { print FILENAME ": " $0; failed = 1 }
		{ error = $1 - $seconds - last; last = $1; rows++ }
		error > 1e-6 || error < -1e-6 { print FILENAME ": " error ": " $0; failed = 1 }
		END { exit failed || heads != 2 || rows < 6 }' out.1 out
	for file in out.1 out; do
		read -r line <$file
		[[ $line == time,id,pmu* ]]
	done
}

@test "rows for people: a date and a header in each file; JSON: objects" {
	needs_software_events -a
	for form in '' -j; do
		# shellcheck disable=SC2086
		renamed 4 "${counting[@]}" $form
		if [ "$form" ]; then
			jq -en 'reduce inputs as $row ({}; .[input_filename] += 1) | length == 2' out.1 out
			continue
		fi
		for file in out.1 out; do
			mapfile -t lines <$file
			[[ ${lines[0]} == '# started on '* ]]
			heads=0
			for line in "${lines[@]}"; do
				[[ ! $line =~ ^'#'' '*'time ' ]] || heads=$((heads + 1))
			done
			assert_equal $heads 1
		done
	done
}

@test "a renamed file of JSON: the new one also begins with a header, and can be appended to" {
	needs_software_events -a
	renamed 4 "${counting[@]}" -j --head --label n=1
	# "jq" would leave heads out
	command jq -en '[inputs | select(has("tdstat_rows")) | [input_filename, input_line_number, .tdstat_rows, .labels.n]]
		== [["out.1", 1, 1, "1"], ["out", 1, 1, "1"]]' out.1 out
	try "$TDSTAT" "${counting[@]}" --interval-count 1 -j --head --append -o out
	assert_success
}

@test "SIGHUP ends a diff" {
	needs_software_events
	background "$TDSTAT" diff -r 3 -e task-clock -- sh -c 'echo >began; exec sleep 600' : sleep 600
	wait_for has_lines began 1
	kill -HUP $pid
	ended
	[ "$status" -ne 0 ]
}

@test "a file that was not renamed stays, and an existing file of that name keeps its content" {
	needs_software_events -a
	background "$TDSTAT" "${counting[@]}" -x, -o out
	wait_for has_lines out 4
	kill -HUP $pid
	kill -HUP $pid
	wait_for_more out 4
	mv out out.1
	echo before >out
	kill -HUP $pid
	wait_for has_lines out 4
	kill -TERM $pid
	ended
	read -r line <out
	assert_equal "$status:$line" 0:before
	awk -F, '/^[0-9]/ { if ($1 <= last) exit 1; last = $1 }' out.1
}

@test "a recording: the old file gets its end, the new one its beginning; report has both in a row" {
	needs_software_events -a
	background "$TDSTAT" record "${counting[@]}" -o td.jsonl -x, >direct
	wait_for has_lines td.jsonl 5
	mv td.jsonl td.1.jsonl
	kill -HUP $pid
	wait_for has_lines td.jsonl 5
	kill -TERM $pid
	ended
	assert_equal "$status" 0
	whole td.1.jsonl
	whole td.jsonl
	# with the times that were shown
	assert_reported direct td.1.jsonl td.jsonl
}

@test "a file that cannot be opened: a note, and the old file is continued" {
	needs_software_events -a
	mkdir folder
	background "$TDSTAT" "${counting[@]}" -x, -o folder/out 2>err
	wait_for has_lines folder/out 4
	mv folder gone
	kill -HUP $pid
	wait_for has_text err instead
	wait_for_more gone/out 3
	kill -TERM $pid
	ended
	assert_equal "$status" 0
	has_text err '(^|'$'\n'')tdstat: folder/out: [^'$'\n'']*: writing to the previous file instead'$'\n'
	! has_text err 'instead.*instead' || fail "$(<err)"
}

@test "a command does not get the SIGHUP, and is counted on" {
	needs_software_events
	mkfifo end
	background "$TDSTAT" record -o td.jsonl -I 20 -e task-clock --quiet -- sh -c 'read x <end; exit 6'
	wait_for has_lines td.jsonl 4
	for ((n = 1; n < 4; n++)); do
		mv td.jsonl td.$n.jsonl
		kill -HUP $pid
		wait_for has_lines td.jsonl 4
	done
	echo >end
	ended
	assert_equal "$status" 6
	files=(td*.jsonl)
	assert_equal "${#files[@]}" 4
	for file in "${files[@]}"; do
		whole "$file"
	done
}

@test "no end by SIGHUP, however many come, also after the end of counting" {
	needs_software_events
	mkfifo end
	background "$TDSTAT" -o out -I 20 -e task-clock -- sh -c 'echo >command; read x <end; exit 7'
	wait_for has_lines command 1
	for ((n = 0; n < 40; n++)); do
		kill -HUP $pid
		pause 0.005
	done
	echo >end
	until has_ended $pid; do
		kill -HUP $pid 2>/dev/null || true
	done
	ended
	assert_equal "$status" 7
}

@test "without a file to rotate SIGHUP ends it: no -o, the default name, a pipe, a page" {
	needs_wing pictures
	needs_software_events -a
	mkfifo fifo
	cat fifo >from-fifo 3>&- &
	for words in '' 'record --quiet' '-o fifo' '-o /dev/null' '--perfetto=trace'; do
		# shellcheck disable=SC2086
		background "$TDSTAT" ${words/record*/record} -a -I 20 ${words/#record/} >out
		wait_for has_events $pid
		# until outputs are open, it ends by it, too
		case $words in
		'') wait_for has_lines out 2 ;;
		record*) wait_for has_lines tdstat.jsonl 2 ;;
		*fifo) wait_for has_lines from-fifo 2 ;;
		*) wait_for sleeps $pid ;;
		esac
		kill -HUP $pid
		ended
		[ "$status" = 0 ] || fail "$words: $status"
	done
	whole tdstat.jsonl
}

# --- logrotate -------------------------------------------------------------------

# Before a release for each hour of a day.
@test "logrotate renames and signals: all rows are there, in files with headers" {
	local hours=3

	[ -z "${TD_EVERYTHING-}" ] || hours=24
	needs_software_events -a
	PATH=$PATH:/usr/sbin
	command -v logrotate >/dev/null || skip "no logrotate here"
	background "$TDSTAT" record "${counting[@]}" -o td.jsonl -x, >direct
	record=$pid
	background "$TDSTAT" -a -I 20 -x, -o rows
	chmod go-w .
	cat >rotate.conf <<-CONF
		"$PWD/td.jsonl" "$PWD/rows" {
		    su $(id -un) $(id -gn)
		    rotate 30
		    compress
		    sharedscripts
		    postrotate
		        kill -HUP $record $pid
		        # with rows in the new files, the old ones have their end
		        while ! { [ -e td.jsonl ] && [ -e rows ] && [ "\$(wc -l <td.jsonl)" -ge 2 ] && [ "\$(wc -l <rows)" -ge 2 ]; }; do
		            sleep 0.05
		        done
		    endscript
		}
	CONF
	for ((n = 0; n <= hours; n++)); do
		wait_for has_lines td.jsonl 4
		wait_for has_lines rows 4
		[ $n = $hours ] || logrotate --force --state "$PWD/state" rotate.conf
	done
	kill -TERM $pid $record
	ended
	wait "$record"
	packed=(td.jsonl.*.gz rows.*.gz)
	assert_equal "${#packed[@]}" $((2 * hours))
	gunzip "${packed[@]}"
	files=()
	for ((n = hours; n; n--)); do
		files+=("td.jsonl.$n")
	done
	for file in "${files[@]}" td.jsonl; do
		whole "$file"
	done
	assert_reported direct "${files[@]}" td.jsonl
	for file in rows*; do
		read -r line <"$file"
		[[ $line == time,id,pmu* ]]
	done
}

# --- record --rotate --------------------------------------------------------------

@test "--rotate by time: the expected number of files, each whole, and the same rows together" {
	needs_software_events -a
	"$TDSTAT" record "${counting[@]}" -o dir.d.jsonl --rotate 1s -x, --interval-count 130 >direct
	files=(dir.d.*.jsonl)
	# an interval that ends less than half of one before a second is the last of its file;
	# on a slow machine there are more of them
	assert_equal "${#files[@]}" "$(awk -F, '
		due && NR > 1 { files++; due = 0 }
		{ while ($1 + 0.01 >= next_second + 1) { next_second++; due = 1 } }
		END { print files + 1 }' direct)"
	[ ${#files[@]} -ge 3 ]
	for file in "${files[@]}"; do
		[[ $file =~ ^dir\.d\.[0-9]{8}T[0-9]{6}\.[0-9]{3}Z\.jsonl$ ]] || fail "$file"
		whole "$file"
	done
	# the times of each are its own
	awk -F'[:,]' 'NR == FNR { shown = $1; next }
		FNR == 1 { sum += last; last = 0 }
		/^\{"time"/ { last = $2 }
		END { sum += last; print sum, shown; exit sum - shown > 1e-6 || shown - sum > 1e-6 }' direct "${files[@]}"
	assert_reported direct "${files[@]}"
	"$TDSTAT" report "${files[@]}" -x, --summary >sum
	awk -F, 'NR == FNR { sum += $2; next } $1 == "summary" { found = $2 > sum - 1 && $2 < sum + 1 }
		END { exit !found }' direct sum
}

@test "--rotate by size: larger by at most an interval; invalid arguments of --rotate" {
	needs_software_events -a
	"$TDSTAT" record "${counting[@]}" -o td.jsonl --rotate 3K --quiet --interval-count 100
	files=(td.*.jsonl)
	[ "${#files[@]}" -ge 2 ]
	LC_ALL=C
	for file in "${files[@]:0:${#files[@]}-1}"; do
		mapfile lines <"$file"
		size=${#lines[0]} longest=0
		for line in "${lines[@]:1}"; do
			size=$((size + ${#line}))
			[ ${#line} -le "$longest" ] || longest=${#line}
		done
		# and the last line
		[ "$size" -ge 3072 ] && [ "$size" -lt $((3072 + longest + 60)) ] || fail "$file: $size"
	done
	for words in '--rotate 3' '--rotate 0s' '--rotate 3x' '--rotate M' '--rotate 999999999s' '--rotate 1.5h'; do
		# shellcheck disable=SC2086
		try "$TDSTAT" record "${counting[@]}" $words
		assert_equal "$status" 64
		[[ $stderr == *"neither a time such as"* ]] || fail "$stderr"
	done
	try "$TDSTAT" record -a --rotate 1h
	assert_equal "$status:$stderr" '64:tdstat: --rotate needs -I: a file has whole intervals'
	try "$TDSTAT" record "${counting[@]}" --rotate 1h -o /dev/null
	assert_equal "$status:$stderr" '1:tdstat: --rotate: /dev/null is not a file'
}

@test "--rotate: threads keep their names in each file, trees their levels" {
	needs_software_events
	background "$TDSTAT" record --per-thread -e task-clock -I 50 --rotate 1s -o td.jsonl --quiet -- \
		sh -c 'until [ -e end ]; do :; done'
	has_second() {
		files=(td.*.jsonl)
		[ "${#files[@]}" -ge 2 ] && has_lines "${files[1]}" 3
	}
	wait_for has_second
	: >end
	ended
	assert_equal "$status" 0
	files=(td.*.jsonl)
	for file in "${files[@]}"; do
		try "$TDSTAT" report "$file" -x,
		assert_equal "$status:$stderr" 0:
		[[ $output == *,sh-* ]] || fail "$file: $output"
		[[ $output != *'?-'* ]] || fail "$file: no names"
	done
	try "$TDSTAT" report "${files[@]}" -x, --total
	assert_equal "$status:$stderr" 0:
}

@test "--rotate, where no file can be made any more: the one before, and one note" {
	needs_software_events -a
	mkdir folder
	background "$TDSTAT" record "${counting[@]}" -o folder/td.jsonl --rotate 1s -x, 2>err >rows
	wait_for has_lines rows 4
	mv folder gone
	wait_for has_text err instead
	# each interval tries again
	wait_for_more rows 10
	kill -TERM $pid
	ended
	assert_equal "$status" 0
	has_text err '(^|'$'\n'')tdstat: folder/td\.[^'$'\n'']*Z\.jsonl: [^'$'\n'']*: writing to the previous file instead'$'\n'
	! has_text err 'instead.*instead' || fail "$(<err)"
	whole gone/td.*.jsonl
	assert_reported rows gone/td.*.jsonl
}

# --- compressed -------------------------------------------------------------------

@test ".zst: written compressed and flushed: the file of a killed tdstat can be read" {
	needs_software_events -a
	needs_zstd
	background "$TDSTAT" record "${counting[@]}" -o td.jsonl.zst -x, >direct
	wait_for has_lines direct 21
	# the writer is stopped between two rows, mostly
	kill -KILL $pid
	ended
	zstd -dcq td.jsonl.zst 2>/dev/null | head -n 1 | jq -e '.tdstat == 1' >/dev/null
	try "$TDSTAT" report td.jsonl.zst -x,
	assert_equal "$status" 0
	[[ $stderr == *"td.jsonl.zst: no end line: the recording was interrupted"* ]]
	# but not half a row that was being shown
	mapfile -t direct <direct
	[ "${#lines[@]}" -ge $((${#direct[@]} - 1)) ] && [ "${#lines[@]}" -le $((${#direct[@]} + 1)) ] ||
		fail "${#lines[@]} of ${#direct[@]}"
	for ((i = 0; i < ${#direct[@]} - 1; i++)); do
		assert_equal "${direct[i]}" "${lines[i]}"
	done
}

@test "read by its first bytes: any name, standard input, several frames; other tools' are named" {
	needs_wing import
	needs_zstd
	"$TDSTAT" report "$data/alderlake.jsonl" -x, -A >right
	zstd -q "$data/alderlake.jsonl" -o plain.jsonl
	"$TDSTAT" report plain.jsonl -x, -A | cmp - right
	"$TDSTAT" report - -x, -A <plain.jsonl | cmp - right
	while IFS= read -r line; do
		zstd -qc <<<"$line"
	done <"$data/alderlake.jsonl" >frames
	"$TDSTAT" report frames -x, -A | cmp - right
	# byte by byte through a pipe
	python3 -c 'import os
for byte in open("plain.jsonl", "rb").read():
    os.write(1, bytes([byte]))' | "$TDSTAT" report - -x, -A | cmp - right
	for tool in gzip:zcat xz:xzcat bzip2:bzcat; do
		command -v "${tool%:*}" >/dev/null || continue
		"${tool%:*}" -c "$data/alderlake.jsonl" >packed
		try "$TDSTAT" report packed
		assert_equal "$status" 1
		assert_why_and_remedy "packed is compressed by ${tool%:*}" "${tool#*:} packed \\| tdstat report -"
		"${tool#*:}" <packed | "$TDSTAT" report - -x, -A | cmp - right
	done
	zstd -q "$data/perf-6.12-core.csv" -o perf
	"$TDSTAT" report perf --per-core -x, | cmp - <("$TDSTAT" report "$data/perf-6.12-core.csv" --per-core -x,)
	"$TDSTAT" diff plain.jsonl "$data/alderlake.jsonl" >/dev/null
}

@test "a recording that is compressed is not written over, nor read while it is written" {
	needs_zstd
	zstd -q "$data/alderlake.jsonl" -o td.zst
	sum=$(cksum <td.zst)
	try "$TDSTAT" report td.zst -o td.zst --force
	assert_equal "$status" 64
	[[ $stderr == *'is the recording that is being read'* ]]
	try "$TDSTAT" report "$data/alderlake.jsonl" -o td.zst
	assert_failure
	[[ $stderr == *'no result is written over it'* ]]
	assert_equal "$(cksum <td.zst)" "$sum"
}

@test "damaged, truncated and huge files: an error or their content, with little memory" {
	needs_zstd
	not_under_valgrind "the memory is valgrind's"
	zstd -q "$data/alderlake-2.jsonl" -o good
	try within python3 - <<-'PYTHON'
		import os, subprocess

		good = open("good", "rb").read()

		def report(name, data):
		    with open(name, "wb") as file:
		        file.write(data)
		    run = subprocess.run([os.environ["TDSTAT"], "report", name, "-x,"], capture_output=True)
		    assert run.returncode in (0, 1), (name, at, run)

		for at in range(0, len(good), 97):
		    report("cut", good[:at])
		    report("bad", good[:at] + bytes([good[at] ^ 0x55]) + good[at + 1:])
	PYTHON
	assert_success
	[ -z "${SANITIZED-}" ] || skip "the memory is the sanitizer's"
	# longer than the longest permitted line, in a few kilobytes: bytes that are not
	# text, and blanks; a window of 128 MiB
	line=$(head -n 1 "$data/alderlake.jsonl")
	{ echo "$line"; head -c 70000000 /dev/zero; } | zstd -q >bomb
	{ echo "$line"; head -c 70000000 /dev/zero | tr '\0' ' '; } | zstd -q >line
	head -c 1000000 /dev/zero | zstd -q --long=27 >window
	for file in bomb line window; do
		(ulimit -v 400000 && try "$TDSTAT" report $file && echo "$status:$stderr" >said)
		read -r said <"said"
		case $file in
		window) [[ $said == "1:tdstat: window: "*'its window is larger than 8 MiB'* ]] ;;
		*) assert_equal "$said" "1:tdstat: $file:1: a line of more than 64 MiB" ;;
		esac
	done
	# a day of intervals is streamed
	python3 - "$data/alderlake.jsonl" <<-'PYTHON' | zstd -q >day
		import sys
		lines = open(sys.argv[1]).read().splitlines()
		print(lines[0])
		counts = lines[1].split('"counts"')[1]
		for i in range(1, 20001):
		    print('{"time":%d.0,"counts"%s' % (i, counts))
		print('{"end":{"elapsed":20000.0}}')
	PYTHON
	(ulimit -v 200000 && "$TDSTAT" report day -x, >rows)
	mapfile -t lines <rows
	assert_equal "${#lines[@]}" 40001
}

# --- several files ----------------------------------------------------------------

# edited PROGRAM: a.jsonl, with its first line changed by jq
edited() {
	jq -c "if .tdstat then $1 else . end" a.jsonl >b.jsonl
}

@test "several files: one that does not continue the previous one is refused before any output" {
	needs_wing import
	jq -c 'if .tdstat then . + {start: 1000} else . end' "$data/alderlake.jsonl" >a.jsonl
	edited '.start += 3600'
	try "$TDSTAT" report a.jsonl b.jsonl -x,
	assert_equal "$status:$stderr" 0:
	# an hour later, and the first interval is as long as it was
	"$TDSTAT" report a.jsonl -x, >one
	awk -F, 'NR == FNR { if (FNR > 1) { at[nr++] = $1; busy[nr - 1] = $4 } next }
		FNR > 1 { want = at[i % nr] + (i >= nr ? 3600 : 0)
			if ($1 - want > 1e-6 || want - $1 > 1e-6 || $4 != busy[i % nr]) exit 1; i++ }
		END { exit i != 2 * nr }' one <(printf '%s\n' "$output")
	while IFS='#' read -r program why; do
		edited "$program"
		echo old >out
		try "$TDSTAT" report a.jsonl b.jsonl -x, -o out
		[ "$status" = 1 ] || fail "$program: $status"
		[[ $stderr == "tdstat: b.jsonl does not continue a.jsonl: $why"* ]] || fail "$program: $stderr"
		assert_equal "$(cat out)" old
	done <<-'END'
		.start -= 1#it began before
		.start += 3600 | .cpuid = "GenuineIntel-6-154-3"#another machine
		.start += 3600 | .smt = (.smt | not)#another machine
		.start += 3600 | .topology[0].socket += 1#another machine
		.start += 3600 | .events[0].name = .events[1].name#other events
		.start += 3600 | .events = .events[:-1]#other events
		.start += 3600 | .target = "'make'"#recorded with other options
		.start += 3600 | .interval_ms = 0#recorded without -I
	END
	edited '.start += 1'
	try "$TDSTAT" report a.jsonl b.jsonl -x,
	assert_equal "$status" 1
	[[ $stderr == *'it began before the other one ended'* ]]
	try "$TDSTAT" report "$data/perf-6.12-core.csv" a.jsonl
	[[ $stderr == *'files of perf stat have no start time'* ]]
	try "$TDSTAT" report a.jsonl - <b.jsonl
	assert_equal "$status" 64
	try "$TDSTAT" report --locate a.jsonl b.jsonl
	assert_equal "$status" 64
	try "$TDSTAT" report a.jsonl nothing.jsonl
	assert_equal "$status:${stderr_lines[0]}" '1:tdstat: nothing.jsonl: No such file or directory'
	edited '.start += 3600'
	try "$TDSTAT" report a.jsonl b.jsonl -o b.jsonl --force
	assert_equal "$status" 64
	[[ $stderr == *'b.jsonl is the recording that is being read'* ]]
}

@test "several: files that do not say their host go on from those that do" {
	jq -c 'if .tdstat then . + {start: 1000, host: "north"} else . end' "$data/alderlake.jsonl" >a.jsonl
	for program in '.' 'del(.host)'; do
		edited ".start += 3600 | $program"
		for files in 'a.jsonl b.jsonl' 'b.jsonl c.jsonl'; do
			jq -c 'if .tdstat then .start += 7200 else . end' a.jsonl >c.jsonl
			# shellcheck disable=SC2086
			try "$TDSTAT" report $files -x,
			assert_equal "$status:$stderr" 0: || fail "$program: $files"
			run ! grep -E 'north' <<<"$output"
		done
	done
}

@test "several files: one that was cut off gives a note, and the next one is read" {
	jq -c 'if .tdstat then . + {start: 1000} else . end' "$data/alderlake.jsonl" >a.jsonl
	edited '.start += 3600'
	head -c -200 a.jsonl >cut.jsonl
	try "$TDSTAT" report cut.jsonl b.jsonl -x,
	assert_equal "$status" 0
	[[ $stderr == *'cut.jsonl: truncated in line'* ]]
	grep -q '^360[0-9]\.' <<<"$output"
}

@test "CPUs that come online between two files are shown from there on" {
	jq -c 'if .tdstat then . + {start: 1000} else . end' "$data/alderlake.jsonl" >b0.jsonl
	jq -c 'if .tdstat then .topology |= map(select(.cpu != 3)) else
		if .counts then .counts |= map(select(.[1] != 3)) else . end end' b0.jsonl >a.jsonl
	jq -c 'if .tdstat then .start += 3600 else . end' b0.jsonl >b.jsonl
	try "$TDSTAT" report a.jsonl b.jsonl -A -x,
	assert_equal "$status:$stderr" 0:
	refute grep -q '^[0-9]\..*,CPU3,' <<<"$output"
	grep -q '^360[0-9]\..*,CPU3,' <<<"$output"
	try "$TDSTAT" report b0.jsonl <(true) -A
	assert_equal "$status" 1
}

# --- sizes ------------------------------------------------------------------------

@test "tdstat-record(1): the size of an interval is as stated" {
	for file in alderlake alderlake-2 sapphirerapids-2 icelakex-2; do
		jq -s --arg file $file '(.[0].topology | length) as $cpus | map(select(.time))
			| (map(tostring | length) | add) / length / $cpus | round | "\($file) \(.)"' -r "$data/$file.jsonl"
	done >sizes
	awk '$1 == "icelakex-2" { if ($2 > 820 || $2 < 700) exit 1; next }
		$2 < 270 || $2 > 400 { exit 1 }' sizes || fail "$(cat sizes)"
	grep -q 'takes 300 to 400 bytes for each CPU' "$here/../../man/tdstat-record.1"
	grep -q 'up to 820' "$here/../../man/tdstat-record.1"
}
