#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Long runs: files that logrotate renames and SIGHUP, those of record --rotate, and
# compressed ones, over software events of this very machine.

# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # sh -c; pid; helper.bash
load helper

# background COMMAND...: its pid in $pid
background() {
	"$@" 3>&- &
	pid=$!
}

# until_more FILE NR: it has more than so many lines
until_more() {
	for ((i = 0; i < 500; i++)); do
		[ ! -s "$1" ] || [ "$(wc -l <"$1")" -le "$2" ] || return 0
		sleep 0.02
	done
	fail "no more than $2 lines in $1"
}

ended() {
	status=0
	wait "$pid" || status=$?
}

teardown() {
	[ -z "${pid-}" ] || kill "$pid" 2>/dev/null || true
}

needs_zstd() {
	python3 -c 'import ctypes; ctypes.CDLL("libzstd.so.1")' 2>/dev/null || skip "no libzstd here"
	command -v zstd >/dev/null || skip "no zstd here"
}

counting=(-a -e task-clock -I 20)

# whole FILE: a recording with its first and last line, read without a remark
whole() {
	head -n 1 "$1" | jq -e '.tdstat == 1 and .start' >/dev/null || fail "$1: no first line"
	tail -n 1 "$1" | jq -e .end >/dev/null || fail "$1: no last line"
	try "$TDSTAT" report "$1" -x,
	assert_equal "$status:$stderr" 0:
}

# renamed NR OPTION...: rows to out, which has another name after NR lines, and again so many
renamed() {
	rm -f out out.1
	background "$TDSTAT" "${@:2}" -o out
	until_more out "$1"
	mv out out.1
	kill -HUP $pid
	until_more out "$1"
	kill -TERM $pid
	ended
}

# --- SIGHUP ----------------------------------------------------------------------

@test "rows of -o: what was renamed stays whole, and the new file has a header of its own" {
	needs_software_events -a
	renamed 3 -a -I 20 -x,
	assert_equal "$status" 0
	for file in out.1 out; do
		head -n 1 $file | grep -q '^time,id,pmu'
		assert_equal "$(grep -c '^time' $file)" 1
		awk -F, '{ nr[NF]++ } END { for (n in nr) kinds++; exit kinds != 1 }' $file
	done
	# no row is lost, none is twice
	cat out.1 out | awk -F, '/^[0-9]/ { if ($1 <= last) exit 1; if (last && $1 - last > 1) exit 1; last = $1 }'
}

@test "rows for people: a date and a header in each file; JSON: objects" {
	needs_software_events -a
	for form in '' -j; do
		# shellcheck disable=SC2086
		renamed 4 "${counting[@]}" $form
		for file in out.1 out; do
			if [ "$form" ]; then
				jq -es 'length > 0' $file >/dev/null
			else
				head -n 1 $file | grep -q '^# started on '
				assert_equal "$(grep -c '^# *time ' $file)" 1
			fi
		done
	done
}

@test "a renamed file of JSON: the new one begins with a head, too, and can be appended to" {
	needs_software_events -a
	renamed 4 "${counting[@]}" -j --head --label n=1
	for file in out.1 out; do
		# what helper.bash has in jq's place leaves heads out
		assert_equal "$(head -n 1 $file | command jq -r '"\(.tdstat_rows) \(.labels.n)"')" '1 1'
		assert_equal "$(grep -c tdstat_rows $file)" 1
	done
	try "$TDSTAT" "${counting[@]}" --interval-count 1 -j --head --append -o out
	assert_success
}

@test "SIGHUP ends a diff" {
	needs_software_events
	background "$TDSTAT" diff -r 3 -e task-clock -- sh -c 'echo >began; sleep 2' : sleep 2
	until_more began 0
	kill -HUP $pid
	ended
	[ "$status" -ne 0 ]
}

@test "a file that was not renamed stays, and what the new one has is kept" {
	needs_software_events -a
	background "$TDSTAT" "${counting[@]}" -x, -o out
	until_more out 3
	kill -HUP $pid
	kill -HUP $pid
	until_more out 10
	mv out out.1
	echo before >out
	kill -HUP $pid
	until_more out 3
	kill -TERM $pid
	ended
	assert_equal "$status:$(head -n 1 out)" 0:before
	awk -F, '/^[0-9]/ { if ($1 <= last) exit 1; last = $1 }' out.1
}

@test "a recording: the old file gets its end, the new one its beginning; report has both in a row" {
	needs_software_events -a
	background "$TDSTAT" record "${counting[@]}" -o td.jsonl -x,
	until_more td.jsonl 4
	mv td.jsonl td.1.jsonl
	kill -HUP $pid
	until_more td.jsonl 4
	kill -TERM $pid
	ended >direct
	assert_equal "$status" 0
	whole td.1.jsonl
	whole td.jsonl
	try "$TDSTAT" report td.1.jsonl td.jsonl -x,
	assert_equal "$status:$stderr" 0:
	assert_equal "$(wc -l <<<"$output")" "$(cat td.1.jsonl td.jsonl | grep -c '"time"')"
	# the time goes on as the clock did
	awk -F, '{ if ($1 <= last || $1 - last > 1) exit 1; last = $1 }' <<<"$output"
}

@test "what cannot be opened is a remark, and the old file goes on" {
	needs_software_events -a
	mkdir folder
	background "$TDSTAT" "${counting[@]}" -x, -o folder/out 2>err
	until_more folder/out 3
	mv folder gone
	kill -HUP $pid
	until_more gone/out $(($(wc -l <gone/out) + 3))
	kill -TERM $pid
	ended
	assert_equal "$status" 0
	grep -q '^tdstat: folder/out: .*: the file before is written to instead$' err
	assert_equal "$(grep -c instead err)" 1
}

@test "a command does not get the SIGHUP, and is counted on" {
	needs_software_events
	background "$TDSTAT" record -o td.jsonl -I 20 -e task-clock --quiet -- sh -c '
		echo $$ >command; while [ ! -e end ]; do command sleep 0.02; done; exit 6'
	until_more td.jsonl 3
	for ((n = 1; n < 4; n++)); do
		mv td.jsonl td.$n.jsonl
		kill -HUP $pid
		until_more td.jsonl 3
	done
	: >end
	ended
	assert_equal "$status" 6
	for file in td*.jsonl; do
		whole "$file"
	done
}

@test "no end by SIGHUP, however many come, also after the end of counting" {
	needs_software_events
	background "$TDSTAT" -o out -I 20 -e task-clock -- sh -c 'echo >command; sleep 1; exit 7'
	until_more command 0
	for ((n = 0; n < 40; n++)); do
		kill -HUP $pid 2>/dev/null || break
		sleep 0.02
	done
	[ "$n" -gt 5 ]
	ended
	assert_equal "$status" 7
}

@test "without a file to rotate SIGHUP ends it: no -o, the default name, a pipe, a page" {
	needs_software_events -a
	mkfifo fifo
	cat fifo >/dev/null 3>&- &
	for words in '' 'record --quiet' '-o fifo' '-o /dev/null' '--perfetto=trace'; do
		# shellcheck disable=SC2086
		background "$TDSTAT" ${words/record*/record} -a -I 20 ${words/#record/} >out
		wait_for has_events $pid
		sleep 0.1
		kill -HUP $pid
		for ((i = 0; i < 100; i++)); do
			kill -0 $pid 2>/dev/null || break
			sleep 0.05
		done
		refute kill -0 $pid
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
	background "$TDSTAT" record "${counting[@]}" -o td.jsonl --quiet
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
		        sleep 0.3
		    endscript
		}
	CONF
	for ((n = 0; n < hours; n++)); do
		until_more td.jsonl 3
		until_more rows 3
		logrotate --force --state "$PWD/state" rotate.conf
	done
	until_more td.jsonl 3
	until_more rows 3
	kill -TERM $pid $record
	ended
	wait "$record"
	packed=(td.jsonl.*.gz rows.*.gz)
	assert_equal "${#packed[@]}" $((2 * hours))
	gunzip "${packed[@]}"
	for file in td.jsonl*; do
		whole "$file"
	done
	# shellcheck disable=SC2046 # names
	try "$TDSTAT" report $(seq -f td.jsonl.%g $hours -1 1) td.jsonl -x,
	assert_equal "$status:$stderr" 0:
	assert_equal "$(wc -l <<<"$output")" "$(cat td.jsonl* | grep -c '"time"')"
	for file in rows*; do
		head -n 1 "$file" | grep -q '^time,id,pmu'
	done
}

# --- record --rotate --------------------------------------------------------------

@test "--rotate by time: so many files, each whole, and together what was shown" {
	needs_software_events -a
	"$TDSTAT" record "${counting[@]}" -o dir.d.jsonl --rotate 1s -x, --interval-count 130 >direct
	files=(dir.d.*.jsonl)
	assert_equal "${#files[@]}" 3
	for file in "${files[@]}"; do
		[[ $file =~ ^dir\.d\.[0-9]{8}T[0-9]{6}\.[0-9]{3}Z\.jsonl$ ]] || fail "$file"
		whole "$file"
		# its times are its own
		first=$(jq -s 'map(select(.time)) | .[0].time < 0.2 and .[-1].time < 1.2' "$file")
		assert_equal "$first" true
	done
	"$TDSTAT" report "${files[@]}" -x, | cmp - direct
	"$TDSTAT" report "${files[@]}" -x, --summary | tail -n 1 >sum
	awk -F, 'NR == FNR { sum += $2; next } { exit !($1 == "summary" && $2 > sum - 1 && $2 < sum + 1) }' direct sum
}

@test "--rotate by size: larger by an interval at most; and what does not fit --rotate" {
	needs_software_events -a
	"$TDSTAT" record "${counting[@]}" -o td.jsonl --rotate 3K --quiet --interval-count 100
	files=(td.*.jsonl)
	[ "${#files[@]}" -ge 2 ]
	for file in "${files[@]:0:${#files[@]}-1}"; do
		size=$(stat -c %s "$file")
		longest=$(awk 'NR > 1 && length > n { n = length } END { print n + 1 }' "$file")
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
	"$TDSTAT" record --per-thread -e task-clock -I 50 --rotate 1s -o td.jsonl --quiet -- \
		sh -c 'i=0; end=$(($(date +%s%N) + 2500000000)); while [ $(($(date +%s%N))) -lt $end ]; do i=$((i + 1)); done'
	files=(td.*.jsonl)
	[ "${#files[@]}" -ge 2 ]
	for file in "${files[@]}"; do
		try "$TDSTAT" report "$file" -x,
		assert_equal "$status:$stderr" 0:
		[[ $output == *,sh-* ]] || fail "$file: $output"
		[[ $output != *'?-'* ]] || fail "$file: no names"
	done
	try "$TDSTAT" report "${files[@]}" -x, --total
	assert_equal "$status:$stderr" 0:
}

@test "--rotate, where no file can be made any more: the one before, and one remark" {
	needs_software_events -a
	mkdir folder
	background "$TDSTAT" record "${counting[@]}" -o folder/td.jsonl --rotate 1s -x, 2>err >rows
	until_more rows 3
	mv folder gone
	until_more rows 150
	kill -TERM $pid
	ended
	assert_equal "$status" 0
	assert_equal "$(grep -c '^tdstat: folder/td\..*Z\.jsonl: .*: the file before is written to instead$' err)" 1
	whole gone/td.*.jsonl
	"$TDSTAT" report gone/td.*.jsonl -x, | cmp - rows
}

# --- compressed -------------------------------------------------------------------

@test ".zst: written packed and flushed: what was killed can be read up to there" {
	needs_software_events -a
	needs_zstd
	background "$TDSTAT" record "${counting[@]}" -o td.jsonl.zst -x, >direct
	until_more direct 20
	# the writer is stopped between two rows, mostly
	kill -KILL $pid
	ended
	zstd -dcq td.jsonl.zst 2>/dev/null | head -n 1 | jq -e '.tdstat == 1' >/dev/null
	try "$TDSTAT" report td.jsonl.zst -x,
	assert_equal "$status" 0
	[[ $stderr == *"td.jsonl.zst: no end line: the recording was interrupted"* ]]
	nr=$(wc -l <<<"$output")
	shown=$(wc -l <direct)
	[ "$nr" -ge "$shown" ] && [ "$nr" -le $((shown + 1)) ] || fail "$nr of $shown"
	head -n "$shown" <<<"$output" | cmp - direct
}

@test "read by its first bytes: any name, standard input, several frames; other tools' are named" {
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

@test "damaged, cut and huge: an error or what there is, and little memory" {
	needs_zstd
	not_under_valgrind "the memory is valgrind's"
	zstd -q "$data/alderlake-2.jsonl" -o good
	size=$(stat -c %s good)
	for ((at = 0; at < size; at += 97)); do
		head -c "$at" good >"cut"
		try "$TDSTAT" report cut -x,
		[ "$status" -le 1 ] || fail "cut at $at: $status"
		python3 - "$at" <<-'PYTHON'
			import sys
			data = bytearray(open("good", "rb").read())
			data[int(sys.argv[1])] ^= 0x55
			open("bad", "wb").write(data)
		PYTHON
		try "$TDSTAT" report bad -x,
		[ "$status" -le 1 ] || fail "changed at $at: $status, $stderr"
	done
	[ -z "${SANITIZED-}" ] || skip "the memory is the sanitizer's"
	# a gigabyte in some kilobytes, a line that never ends, a window of 128 MiB
	{ head -n 1 "$data/alderlake.jsonl"; head -c 1000000000 /dev/zero; } | zstd -q >bomb
	{ head -n 1 "$data/alderlake.jsonl"; head -c 1000000000 /dev/zero | tr '\0' ' '; } | zstd -q >line
	head -c 200000000 /dev/zero | zstd -q --long=27 >window
	for file in bomb line window; do
		[ "$(stat -c %s $file)" -lt 200000 ]
		(ulimit -v 400000 && try "$TDSTAT" report $file && echo "$status:$stderr" >said)
		grep -q "^1:tdstat: $file" said || fail "$file: $(cat said)"
	done
	grep -q 'its window is larger than 8 MiB' said
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
	(ulimit -v 200000 && "$TDSTAT" report day -x, | wc -l >lines)
	assert_equal "$(cat lines)" 40001
}

# --- several files ----------------------------------------------------------------

# edited PROGRAM: a.jsonl, with its first line changed by jq
edited() {
	jq -c "if .tdstat then $1 else . end" a.jsonl >b.jsonl
}

@test "several: what does not go on is refused before anything is written, and named" {
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
		[[ $stderr == "tdstat: b.jsonl does not go on from a.jsonl: $why"* ]] || fail "$program: $stderr"
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
	[[ $stderr == *'what perf stat wrote has no start'* ]]
	try "$TDSTAT" report a.jsonl - <b.jsonl
	assert_equal "$status" 64
	try "$TDSTAT" report --locate a.jsonl b.jsonl
	assert_equal "$status" 64
	try "$TDSTAT" report a.jsonl nothing.jsonl
	assert_equal "$status:$stderr" '1:tdstat: nothing.jsonl: No such file or directory'
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

@test "several: a file that was cut off in the middle is a remark, and the next one goes on" {
	jq -c 'if .tdstat then . + {start: 1000} else . end' "$data/alderlake.jsonl" >a.jsonl
	edited '.start += 3600'
	head -c -200 a.jsonl >cut.jsonl
	try "$TDSTAT" report cut.jsonl b.jsonl -x,
	assert_equal "$status" 0
	[[ $stderr == *'cut.jsonl: cut off in line'* ]]
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

@test "tdstat-record(1): an interval has as many bytes as the page says" {
	for file in alderlake alderlake-2 sapphirerapids-2 icelakex-2; do
		jq -s --arg file $file '(.[0].topology | length) as $cpus | map(select(.time))
			| (map(tostring | length) | add) / length / $cpus | round | "\($file) \(.)"' -r "$data/$file.jsonl"
	done >sizes
	awk '$1 == "icelakex-2" { if ($2 > 820 || $2 < 700) exit 1; next }
		$2 < 270 || $2 > 400 { exit 1 }' sizes || fail "$(cat sizes)"
	grep -q 'has 300 to 400 bytes for each CPU' "$here/../../man/tdstat-record.1"
	grep -q 'up to 820' "$here/../../man/tdstat-record.1"
}
