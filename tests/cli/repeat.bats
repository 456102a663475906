#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# -r: means and their errors, of events and of metrics; --table; for ever.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# A command whose runs differ by known numbers of page faults, and write down
# how long they took of their own: run N of "1 7 2" touches 1000, 7000, 2000.
setup_file() {
	cat >"$BATS_FILE_TMPDIR/touch.py" <<-'PYTHON'
		import mmap, os
		with open("runs", "a") as runs:
		    runs.write("x")
		pages = [1000, 7000, 2000, 4000][os.path.getsize("runs") - 1]
		m = mmap.mmap(-1, pages * 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
		m.madvise(15)  # MADV_NOHUGEPAGE
		for page in range(pages):
		    m[page * 4096] = 1
	PYTHON
	PYTHON=$(python3 -c 'import sys; print(sys.executable)')
	export PYTHON
	touches="$PYTHON -S $BATS_FILE_TMPDIR/touch.py"
	export touches
}

# near WANT GOT TOLERANCE
near() {
	awk -v want="$1" -v got="$2" -v by="$3" 'BEGIN { d = want - got; exit !(d <= by && d >= -by) }' ||
		fail "$2 is not $1 +- $3"
}

# mean_error VALUE...: the mean, and the standard error of it in percent
mean_error() {
	python3 -c '
import statistics, sys
v = [float(x) for x in sys.argv[1:]]
mean = statistics.mean(v)
print(mean, 100 * statistics.stdev(v) / len(v) ** 0.5 / mean)' "$@"
}

@test "the mean of the runs, and perf's error of it" {
	real
	# what the interpreter does by itself
	"$TDSTAT" -e minor-faults -x, -o own -- $touches
	rm -f runs
	own=$(($(cut -d, -f1 own) - 1000))
	"$TDSTAT" -r 3 -e minor-faults -x, -o out -- $touches
	cat out
	read -r mean error < <(mean_error $((1000 + own)) $((7000 + own)) $((2000 + own)))
	near "$mean" "$(cut -d, -f1 out)" 400
	[[ $(cut -d, -f4 out) =~ ^[0-9]+\.[0-9]{2}%$ ]]
	near "$error" "$(cut -d, -f4 out | tr -d %)" 8
}

@test "the same numbers in the table, in CSV and in JSON, as perf has them" {
	real
	for format in '' '-x,' -j; do
		rm -f runs
		"$TDSTAT" -r 3 --no-big-num -e minor-faults $format -o out -- $touches
		case $format in
		'') grep -F " Performance counter stats for '$touches' (3 runs):" out >frame
			grep -E '^ +[0-9]+      minor-faults .*  \( \+- +[0-9]+\.[0-9]{2}% \)$' out >row
			awk '{ print $1, $(NF - 1) }' row | tr -d % ;;
		-x,) awk -F, '{ print $1, $4 }' out | tr -d % ;;
		-j) jq -r '"\(."counter-value" | tonumber) \(.variance)"' out ;;
		esac >>all
	done
	cat all
	# each is of runs of its own: the same but for a few faults
	awk 'NR == 1 { n = $1; e = $2 }
		{ if ($1 - n > 400 || n - $1 > 400 || $2 - e > 8 || e - $2 > 8 || $2 < 30) exit 1 }
		END { exit NR != 3 }' all
	jq -e '.variance | type == "number"' out
	jq -e 'keys_unsorted | index("variance") == index("event") + 1' out
}

@test "the time: mean and error, not the command's user and system time" {
	real
	# 100, 100 and 1000 milliseconds
	try "$TDSTAT" -r 3 -e task-clock -- sh -c 'echo >>runs; case $(wc -l <runs) in 3) sleep 1 ;; *) sleep 0.1 ;; esac'
	assert_success
	line=$(grep 'seconds time elapsed' <<<"$stderr")
	[[ $line =~ ^\ {1,8}0\.[0-9]{9}\ \+-\ 0\.[0-9]{9}\ seconds\ time\ elapsed\ \ \(\ \+-\ +[0-9]+\.[0-9]{2}%\ \)$ ]] || fail "$line"
	run ! grep -E 'seconds (user|sys)' <<<"$stderr"
	# mean 0.4 and error 0.3 of a command that takes no time of its own
	read -r mean _ error _ <<<"$line"
	near 0.5 "$mean" 0.11
	near 0.3 "$error" 0.08
	awk '{ percent = $(NF - 1) + 0; want = 100 * $3 / $1; exit !(percent - want < 0.02 && want - percent < 0.02) }' <<<"$line"
}

@test "-D that outlasts every run: no time, which is not 0" {
	real
	for option in '' --table; do
		try timeout 30 "$TDSTAT" -D 5000 -r 3 $option -e task-clock -- true
		assert_success
		grep -qF '(3 runs)' <<<"$stderr"
		grep -q '<not counted>' <<<"$stderr"
		run ! grep -qE 'elapsed|0\.000000000' <<<"$stderr"
	done
}

@test "--table: each run's time, how far it is from the mean, and the mean of them" {
	real
	for events in '-e task-clock' --null; do
		rm -f runs
		try "$TDSTAT" -r 4 --table $events -- sh -c 'echo >>runs; sleep 0.0$(wc -l <runs)'
		assert_success
		grep -E '^ +[0-9]+\.[0-9]{9} \([+-][0-9]+\.[0-9]{9}\) #+' <<<"$stderr" >runs.txt
		assert_equal "$(wc -l <runs.txt)" 4
		line=$(grep 'seconds time elapsed' <<<"$stderr")
		tr -d '()' <runs.txt | awk -v line="$line" '
			{ sum += $1; v[NR] = $1; off[NR] = $2; if ($1 < 0.01 * NR) exit 1 }
			END {
				split(line, word, " ")
				mean = sum / NR
				if (mean - word[1] > 2e-9 || word[1] - mean > 2e-9) exit 1
				for (i = 1; i <= NR; i++) {
					d = v[i] - mean - off[i]
					if (d > 2e-9 || d < -2e-9) exit 1
					squares += (v[i] - mean) ^ 2
				}
				error = sqrt(squares / (NR - 1) / NR) - word[3]
				if (error > 2e-9 || error < -2e-9) exit 1
			}' || fail "$(cat runs.txt) $line"
	done
	for how in '' '-r 1'; do
		try "$TDSTAT" $how --table -e task-clock -- touch ran
		assert_failure 64
		assert_complains 'table.*-r'
		[ ! -e ran ]
	done
}

@test "an event that is 0 in each run, one that no kernel has" {
	real
	for format in '' '-x,' -j; do
		try "$TDSTAT" -r 2 -e dummy,1:77,task-clock $format -- true
		assert_success
		[[ ${stderr,,} != *nan%* && ${stderr,,} != *' nan '* && $stderr != *inf* ]] || fail "$stderr"
	done
	"$TDSTAT" -r 2 -e dummy,1:77 -x, -o out -- true 2>/dev/null || true
	grep -qE '^<not supported>,,1:77,' out
	grep -qE '^0,,dummy,' out
}

@test "-r 1 is a run; numbers that make no sense" {
	real
	try "$TDSTAT" -r 1 -e task-clock -- echo it
	assert_output it
	refute grep -E 'runs\)|\+-' <<<"$stderr"
	grep -q 'seconds user' <<<"$stderr"
	for nr in -1 x '' 1.5; do
		try "$TDSTAT" -r "$nr" -e task-clock -- touch ran
		[ "$status" = 64 ] || fail "'$nr': status $status"
		assert_complains '-r|repeat'
		[ ! -e ran ]
	done
}

@test "the status is the last run's; each one runs to its end" {
	real
	try "$TDSTAT" -r 3 -e task-clock -o out -- sh -c 'echo x >>all; exit $(wc -l <all)'
	assert_equal "$(wc -l <all)" 3
	assert_failure 3
	try "$TDSTAT" -r 3 -e task-clock -- ./not-there
	assert_failure 127
	assert_equal "$(grep -c 'not-there' <<<"$stderr")" 1
}

@test "SIGINT ends the runs: the means of those there were" {
	real
	env --default-signal=INT "$TDSTAT" -r 100 -e task-clock -o out -- sh -c 'echo x >>all; sleep 0.1' &
	pid=$!
	wait_for has_lines all 4
	kill -INT $pid
	wait $pid || true
	runs=$(wc -l <all)
	[ "$runs" -lt 50 ]
	grep -E "\([0-9]+ runs\):" out
	grep -q 'msec task-clock' out
}

@test "-r 0: for ever, each run by itself, until SIGINT" {
	not_under_valgrind "it takes its time"
	real
	env --default-signal=INT "$TDSTAT" -r 0 -e task-clock -o out -- sh -c 'echo x >>all; sleep 0.05' &
	pid=$!
	wait_for has_lines all 5
	kill -INT $pid
	for ((i = 0; i < 200; i++)); do
		kill -0 $pid 2>/dev/null || break
		sleep 0.05
	done
	run ! kill -0 $pid
	tables=$(grep -c 'msec task-clock' out)
	[ "$tables" -ge 3 ]
	runs=$(wc -l <all)
	[ "$tables" -eq "$runs" ] || [ "$tables" -eq $((runs - 1)) ]
	run ! grep -E 'runs\)|\+-' out
	for format in '-x,' -j; do
		rm -f out
		env --default-signal=INT "$TDSTAT" -r 0 -e task-clock $format -o out -- true &
		pid=$!
		wait_for has_lines out 2
		kill -INT $pid
		wait $pid || true
		[ "$(wc -l <out)" -ge 2 ]
	done
}

@test "with -I: the intervals of each run, and no means" {
	real
	"$TDSTAT" -r 2 -I 60 -e task-clock -x, -o out -- sleep 0.1
	run ! grep '%,' out
	# the time begins anew
	assert_equal "$(awk -F, '$1 + 0 <= last { n++ } { last = $1 + 0 } END { print n + 1 }' out)" 2
	[ "$(wc -l <out)" -ge 4 ]
}

@test "-a: the machine, during each run of the command; nothing to repeat without one" {
	real -a
	try "$TDSTAT" -a -r 3 -e cpu-clock -x, -- sleep 0.03
	assert_success
	awk -F, -v cpus="$(getconf _NPROCESSORS_ONLN)" '{ exit !($1 / cpus >= 30 && $1 / cpus < 900) }' <<<"$stderr"
	"$TDSTAT" -a -A -r 2 -e cpu-clock -x, -o out -- true
	assert_equal "$(grep -cE '^CPU[0-9]+,[0-9.]+,msec,cpu-clock,[0-9.]+%,' out)" "$(getconf _NPROCESSORS_ONLN)"
	assert_equal "$(awk -F, '{ print NF - 1 }' out | sort -u)" 8
}

# --- metrics --------------------------------------------------------------------

@test "metrics: means of the counts, and half of the interval of the mean" {
	needs_software_events
	work='i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
	try "$TDSTAT" -r 3 -- sh -c "$work"
	assert_success
	grep -E '^ +[0-9.]+ ±[0-9.?]+ +%  tma_retiring' <<<"$stderr"
	grep -E '^ cpu, .*, ± of the runs$' <<<"$stderr"
	grep -F '(3 runs):' <<<"$stderr"
	"$TDSTAT" -r 3 -x, -o out -- sh -c "$work"
	assert_equal "$(sed 1d out | cut -d, -f2,17 | xargs)" 'all,mean all,spread'
	# half retiring, half frontend; the errors are of equal size, and small
	awk -F, 'NR == 2 && !($8 > 40 && $8 < 60 && $8 + $10 > 99.9) { exit 1 }
		NR == 3 && !($8 >= 0 && $8 < 20 && $8 - $10 < 0.02 && $10 - $8 < 0.02) { exit 1 }' out || fail "$(cat out)"
	"$TDSTAT" -r 3 -j -o out -- sh -c "$work"
	# Student's quantile for three runs
	jq -es 'length == 4 and all(.[]; .runs_error >= 0 and (.error - 4.302652729911 * .runs_error | fabs) < 1e-6)' out
	"$TDSTAT" -j -o out -- true
	jq -es 'all(.[]; has("runs_error") | not)' out
	try "$TDSTAT" -- sh -c "$work"
	run ! grep 'of the runs' <<<"$stderr"
}

@test "metrics with -A: a row of errors behind each CPU's" {
	needs_software_events -a
	"$TDSTAT" -a -A -r 2 -x, -o out -- sleep 0.02
	cpus=$(getconf _NPROCESSORS_ONLN)
	assert_equal "$(grep -c '^[^,]*,CPU[0-9]*,.*,mean,' out)" "$cpus"
	assert_equal "$(grep -c '^[^,]*,CPU[0-9]*,.*,spread,' out)" "$cpus"
}

@test "what -r excludes, with both names" {
	real
	try "$TDSTAT" -r 2 --metric-only -- touch ran
	assert_failure 64
	assert_complains 'metric-only.*-r|-r.*metric-only'
	try "$TDSTAT" record -o file -r 2 -e task-clock -- touch ran
	assert_failure 64
	assert_complains 'record.*-r'
	[ ! -e ran ]
}
