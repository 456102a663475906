#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# -r: means and their errors, of events and of metrics; --table; for ever.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# Commands that write down what the kernel and the clock say of them, a line a run, into
# the file that they are given; and "about", which compares numbers.
setup_file() {
	# run N touches 1000, 7000, 2000 pages
	cat >"$BATS_FILE_TMPDIR/touch.py" <<-'PYTHON'
		import mmap, resource, sys
		with open(sys.argv[1], "a+") as own:
		    own.seek(0)
		    pages = [1000, 7000, 2000][len(own.readlines())]
		    m = mmap.mmap(-1, pages * 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
		    m.madvise(15)  # MADV_NOHUGEPAGE
		    for page in range(pages):
		        m[page * 4096] = 1
		    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt, file=own)
	PYTHON
	# run N sleeps 0, 30, 60, 90 ms; with a number of lines, until the file "out" has
	# that many more
	cat >"$BATS_FILE_TMPDIR/note.py" <<-'PYTHON'
		import sys, time
		begin = time.monotonic()
		def lines():
		    try:
		        return open("out").read().count("\n")
		    except FileNotFoundError:
		        return 0
		with open(sys.argv[1], "a+") as own:
		    own.seek(0)
		    time.sleep(0.03 * len(own.readlines()))
		    before = lines()
		    while len(sys.argv) > 2 and lines() < before + int(sys.argv[2]):
		        time.sleep(0.005)
		    print(begin, time.monotonic(), file=own)
	PYTHON
	cat >"$BATS_FILE_TMPDIR/about.py" <<-'PYTHON'
		import statistics
		def about(got, want, by, what):
		    assert abs(got - want) <= by, f"{what}: {got} is not {want} +- {by}"
		def mean_error(values):
		    mean = statistics.mean(values)
		    return mean, statistics.stdev(values) / len(values) ** 0.5
	PYTHON
	export PYTHONPATH=$BATS_FILE_TMPDIR PYTHONDONTWRITEBYTECODE=1
}

# python NAME ARG...: one of these, as a command of tdstat; -S: so that it starts soon
python() {
	command=(/usr/bin/python3 -S "$BATS_FILE_TMPDIR/$1.py" "${@:2}")
}

# The mean is that of the kernel's own counts, but for the beginning and the end of a
# process, which are the same in each run and not in its count.
@test "the mean of the runs and perf's error of it: in the table, in CSV and in JSON" {
	real
	for format in '' '-x,' -j; do
		python touch "own$format"
		"$TDSTAT" -r 3 --no-big-num -e minor-faults $format -o "out$format" -- "${command[@]}"
	done
	/usr/bin/python3 - "${command[*]}" <<-'PYTHON'
		import json, re, sys
		from about import about, mean_error
		text, csv, rows = (open("out" + name).read() for name in ("", "-x,", "-j"))
		frame = f" Performance counter stats for '{sys.argv[1].replace('own-j', 'own')}' (3 runs):\n"
		assert frame in text, text
		row = re.search(r"^ +(\d+)      minor-faults .*  \( \+- +(\d+\.\d{2})% \)$", text, re.M)
		fields = csv.split(",")
		assert re.fullmatch(r"\d+\.\d{2}%", fields[3]), csv
		row_j, = (row for row in map(json.loads, rows.splitlines()) if "event" in row)
		keys = list(row_j)
		assert type(row_j["variance"]) in (int, float) and keys.index("variance") == keys.index("event") + 1, rows
		for name, mean, percent in ("", *row.groups()), ("-x,", fields[0], fields[3].rstrip("%")), \
		                           ("-j", row_j["counter-value"], row_j["variance"]):
		    own = [int(line) for line in open("own" + name)]
		    want, error = mean_error(own)
		    about(float(mean), want, 400, name + " mean")
		    about(float(percent) / 100 * float(mean), error, 60, name + " error")
	PYTHON
}

# The clocks: a run takes longer than what its command sees of it, and all of them are
# within the time of tdstat.
@test "the time: mean and error, not the command's user and system time; --table: each run's" {
	local took

	real
	for words in '-e task-clock' '--table -e task-clock' '--table --null'; do
		python note "own$words"
		took=${EPOCHREALTIME/./}
		try "$TDSTAT" -r 4 $words -- "${command[@]}"
		took=$((${EPOCHREALTIME/./} - took))
		assert_success
		/usr/bin/python3 - "$words" "$took" <<-'PYTHON'
			import re, sys
			from about import about, mean_error
			words, took = sys.argv[1], int(sys.argv[2]) / 1e6
			text = open(".stderr").read()
			own = [float(end) - float(begin) for begin, end in map(str.split, open("own" + words))]
			assert len(own) == 4
			assert not re.search("seconds (user|sys)", text), text
			line = re.search(r"^( {0,8}\d+\.\d{9} \+- \d+\.\d{9}) seconds time elapsed  \( \+- +(\d+\.\d{2})% \)$", text, re.M)
			assert line, text
			mean, error = map(float, line[1].split(" +- "))
			about(float(line[2]), 100 * error / mean, 0.02, "percent")
			# the wall clock may be set by a small step during a run
			assert sum(own) / 4 <= mean <= 1.01 * took / 4 + 0.01, (own, mean, took)
			runs = re.findall(r"^ +(\d+\.\d{9}) \(([+-]\d+\.\d{9})\) #+", text, re.M)
			assert len(runs) == 4 * ("--table" in words), text
			if runs:
			    values = [float(value) for value, _ in runs]
			    want, by = mean_error(values)
			    about(mean, want, 2e-9, "mean")
			    about(error, by, 2e-9, "error")
			    for (value, off), least in zip(runs, own):
			        about(float(off), float(value) - want, 2e-9, "off")
			        assert float(value) >= least, (value, least)
		PYTHON
	done
	for how in '' '-r 1'; do
		try "$TDSTAT" $how --table -e task-clock -- touch ran
		assert_failure 64
		assert_complains 'table.*-r'
		[ ! -e ran ]
	done
}

@test "-D that outlasts every run: no time, which is not 0" {
	real
	for option in '' --table; do
		try "$TDSTAT" -D 2000000000 -r 3 $option -e task-clock -- true
		assert_success
		[[ $stderr == *'(3 runs)'* && $stderr == *'<not counted>'* ]]
		[[ $stderr != *elapsed* && $stderr != *0.000000000* ]]
	done
}

@test "an event that is 0 in each run, one that no kernel has" {
	real
	for format in '' -j '-x,'; do
		try "$TDSTAT" -r 2 -e dummy,1:77,task-clock $format -- true
		assert_success
		[[ ${stderr,,} != *nan%* && ${stderr,,} != *' nan '* && $stderr != *inf* ]] || fail "$stderr"
	done
	[[ $'\n'$stderr == *$'\n<not supported>,,1:77,'* && $'\n'$stderr == *$'\n0,,dummy,'* ]]
}

@test "-r 1 is a run; numbers that make no sense" {
	real
	try "$TDSTAT" -r 1 -e task-clock -- echo it
	assert_output it
	[[ $stderr != *'runs)'* && $stderr != *+-* && $stderr == *'seconds user'* ]]
	for nr in -1 x '' 1.5; do
		try "$TDSTAT" -r "$nr" -e task-clock -- touch ran
		[ "$status" = 64 ] || fail "'$nr': status $status"
		assert_complains '-r|repeat'
		[ ! -e ran ]
	done
}

@test "the status is the last run's; each one runs to its end" {
	real
	try "$TDSTAT" -r 3 -e task-clock -o out -- sh -c 'echo x >>all; n=0; while read -r _; do n=$((n + 1)); done <all; exit $n'
	mapfile -t all <all
	assert_equal "${#all[@]}" 3
	assert_failure 3
	try "$TDSTAT" -r 3 -e task-clock -- ./not-there
	assert_failure 127
	rest=${stderr/not-there/}
	[[ $stderr == *not-there* && $rest != *not-there* ]]
}

# all_but_the_last RUNS COMMANDS: the last run may have been under way, and its command not
# have come to write down that it ran
all_but_the_last() {
	local more=$(($1 - $2))

	[ ${more#-} -le 1 ] || fail "$1 runs of $2 commands"
}

@test "SIGINT ends the runs: the means of those there were" {
	real
	within env --default-signal=INT "$TDSTAT" -r 10000000 -e task-clock -o out -- sh -c 'echo $PPID >>all' 3>&- &
	outer=$!
	wait_for has_lines all 3
	read -r pid <all
	kill -INT "$pid"
	wait $outer || true
	mapfile -t all <all
	[[ $(<out) =~ \(([0-9]+)' runs):' ]]
	runs=${BASH_REMATCH[1]}
	all_but_the_last "$runs" ${#all[@]}
	has_text out 'msec task-clock'
}

@test "-r 0: for ever, each run separately, until SIGINT" {
	real
	for format in '' '-x,' -j; do
		within env --default-signal=INT "$TDSTAT" -r 0 -e task-clock $format -o "out$format" -- sh -c 'echo $PPID >>"$0"' "all$format" 3>&- &
		outer=$!
		wait_for has_lines "all$format" 3
		wait_for has_lines "out$format" 2
		read -r pid <"all$format"
		kill -INT "$pid"
		wait $outer || true
		mapfile -t all <"all$format"
		mapfile -t rows < <(grep task-clock "out$format")
		[ ${#rows[@]} -ge 2 ]
		all_but_the_last ${#rows[@]} ${#all[@]}
		[[ $(<"out$format") != *'runs)'* && $(<"out$format") != *+-* ]]
	done
}

# Each run ends after three more rows.  The time of a row counts from the start of its own
# run.
@test "with -I: the intervals of each run, and no means" {
	real
	python note own 3
	"$TDSTAT" -r 2 -I 10 -e task-clock -x, -o out -- "${command[@]}"
	/usr/bin/python3 - <<-'PYTHON'
		import time
		end = time.monotonic()
		text = open("out").read()
		assert "%," not in text, text
		times = [float(line.split(",")[0]) for line in text.splitlines()]
		assert len(times) >= 6, text
		first = float(open("own").readline().split()[1])
		assert times[-1] <= end - first + 0.001, text
		assert sum(b <= a for a, b in zip(times, times[1:])) <= 1, text
	PYTHON
}

@test "-a: the machine, during each run of the command; without a command -r is refused" {
	local cpus took

	real -a
	cpus=$(getconf _NPROCESSORS_ONLN)
	took=${EPOCHREALTIME/./}
	try "$TDSTAT" -a -r 3 -e cpu-clock -x, -- sleep 0.03
	took=$((${EPOCHREALTIME/./} - took))
	assert_success
	# each CPU's clock runs all the time: in ms, as long as the command at least, and no
	# longer than all of it, but that the clock of day may be set
	awk -F, -v cpus="$cpus" -v took="$took" '{ exit !($1 / cpus >= 30 && $1 / cpus <= 1.01 * took / 3000 + 10) }' <<<"$stderr" ||
		fail "$stderr of $took us"
	"$TDSTAT" -a -A -r 2 -e cpu-clock -x, -o out -- true
	awk -F, -v cpus="$cpus" 'NF != 9 || !/^CPU[0-9]+,[0-9.]+,msec,cpu-clock,[0-9.]+%,/ { exit 1 }
		END { if (NR != cpus) exit 1 }' out || fail "$(<out)"
}

# --- metrics --------------------------------------------------------------------

@test "metrics: means of the counts, and half of the interval of the mean" {
	needs_software_events
	try "$TDSTAT" -r 3 -- "${BURN[@]}" 20
	assert_success
	[[ $stderr == *'(3 runs):'* ]]
	[[ $stderr =~ $'\n '[^$'\n']*', ± of the runs'$'\n' && $stderr =~ $'\n '\ *[0-9.]+\ ±[0-9.?]+\ +%\ \ tma_retiring ]]
	"$TDSTAT" -r 3 -x, -o out -- "${BURN[@]}" 20
	# half retiring, half frontend; the errors are of equal size, and small
	awk -F, 'NR == 2 && !($2 == "all" && $17 == "mean" && $8 > 40 && $8 < 60 && $8 + $10 > 99.9) { exit 1 }
		NR == 3 && !($2 == "all" && $17 == "spread" && $8 >= 0 && $8 < 20 && $8 - $10 < 0.02 && $10 - $8 < 0.02) { exit 1 }
		END { if (NR != 3) exit 1 }' out || fail "$(<out)"
	"$TDSTAT" -r 3 -j -o out.3 -- "${BURN[@]}" 20
	"$TDSTAT" -j -o out.1 -- true
	# Student's quantile for three runs
	jq -en --slurpfile three out.3 --slurpfile one out.1 'def rows: map(select(has("tdstat_rows") | not));
		($three | rows | length == 4 and all(.runs_error >= 0 and (.error - 4.302652729911 * .runs_error | fabs) < 1e-6)) and
		($one | rows | length > 0 and all(has("runs_error") | not))'
	try "$TDSTAT" -- "${BURN[@]}" 20
	[[ $stderr != *'of the runs'* ]]
}

@test "metrics with -A: a row of errors after each CPU's row" {
	needs_software_events -a
	"$TDSTAT" -a -A -r 2 -x, -o out -- sleep 0.02
	awk -F, -v cpus="$(getconf _NPROCESSORS_ONLN)" '/^[^,]*,CPU[0-9]*,.*,mean,/ { mean++ } /^[^,]*,CPU[0-9]*,.*,spread,/ { spread++ }
		END { exit mean != cpus || spread != cpus }' out || fail "$(<out)"
}

@test "options that -r excludes, with both names" {
	real
	try "$TDSTAT" -r 2 --metric-only -- touch ran
	assert_failure 64
	assert_complains 'metric-only.*-r|-r.*metric-only'
	try "$TDSTAT" record -o file -r 2 -e task-clock -- touch ran
	assert_failure 64
	assert_complains 'record.*-r'
	[ ! -e ran ]
}
