#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# --no-multiplex: plans of each run of the command on saved machines, and software events
# that are really counted.  How long groups would be multiplexed.

# shellcheck disable=SC2013,SC2016,SC2086,SC2154 # words; sh -c; lists of options; helper.bash
load helper

# A core is assumed to have four counters, and a fixed one for event 0.  So the last two
# events, minor and major faults, are left for a second run.
printf -v SEVEN 'cpu/event=%d/,' 0 2 3 4 8 5 6
SEVEN=${SEVEN%,}

# Programs in Python begin with this, after plans.py.
joined='
def runs(options):
    """(PMU, RUN, EVENT) of all that would be counted."""
    found, pmu, numbers = [], None, []
    for line in run(["--dry-run", *words(options)]).lines:
        if match := re.match(r"group \d+: (\w+),", line):
            pmu = match[1]
            if line.endswith(": every run"):
                numbers = ["every"]
            elif which := re.search(r": runs? ([0-9, ]+) of ", line):
                numbers = [int(number) for number in which[1].split(", ")]
            else:
                numbers = [1]
        elif line.split()[1:2] == ["type"]:
            found += [(pmu, number, line.split()[0]) for number in numbers]
    return found

def runs_needed(options):
    """The number of runs that the plan needs, or None."""
    match = re.search("^--no-multiplex runs a command ([0-9]*) times", run(["--dry-run", *words(options)]).out, re.M)
    return match and int(match[1])
'

with_runs() {
	{
		printf '%s\n' "$joined"
		mapfile -t
		printf '%s\n' "${MAPFILE[@]}"
	} >.program
	checks <.program
}

@test "the runs together count the groups of one run, and instructions" {
	saved alderlake
	with_runs <<-'PYTHON'
		for options in "-l 4", "-l 6 --cputype atom", "--bottlenecks", "-l 2 --metric-no-group":
		    together = runs(f"--no-multiplex {options} -- true")
		    def counted(of):
		        return sorted({(pmu, name) for pmu, _, name in of if not name.endswith("/instructions/")})
		    same(counted(together), counted(runs(f"{options} -- true")), options)
		    needed = runs_needed(f"{options} -- true")
		    assert needed > 1
		    same({number for _, number, _ in together} - {"every"}, set(range(1, needed + 1)), options)
		    for pmu in {pmu for pmu, _, _ in together}:
		        if (pmu, "every", f"{pmu}/instructions/") not in together:
		            same(sum(p == pmu and number != "every" and
		                     name.startswith((f"{pmu}/instructions/", f"{pmu}/INST_RETIRED.ANY"))
		                     for p, number, name in together), needed, options)
	PYTHON
}

@test "a PMU with fewer sets counts them again, in every run one" {
	saved alderlake
	with_runs <<-'PYTHON'
		together = runs("--no-multiplex -l 4 -- true")
		needed = runs_needed("-l 4 -- true")
		for pmu in "cpu_core", "cpu_atom":
		    same({number for p, number, _ in together if p == pmu} - {"every"}, set(range(1, needed + 1)), pmu)
	PYTHON
}

@test "groups that fit together need only one run" {
	for model in alderlake sapphirerapids lunarlake; do
		saved $model
	done
	with_runs <<-'PYTHON'
		for model in "alderlake", "sapphirerapids", "lunarlake":
		    machine(model)
		    want = run("--dry-run -a -l 1 -- true").out
		    assert groups_in(want), model
		    same(run("--dry-run --no-multiplex -a -- true").out, want, model)
		    same(runs_needed("-a"), None)
	PYTHON
}

@test "--dry-run ends with how long each group is counted, and why" {
	copied alderlake
	checks <<-'PYTHON'
		same(run("--dry-run -a -l 1").lines[-2:], [
		    "cpu_core: 1 group, counted all of the time: not multiplexed",
		    "cpu_atom: 1 group, counted all of the time: not multiplexed"])
		# 6 general counters, of which three groups of 4 find room for one at a time
		groups = ["{" + ",".join(f"cpu_atom/event=0xd{i}{mask}/" for mask in ("", ",umask=1", ",umask=2", ",umask=4")) + "}"
		          for i in (1, 2, 3)]
		lines = run(["--dry-run", "-e", ",".join([*groups, "cycles"]), "--", "true"]).lines
		assert any(re.match("cpu_atom: 4 groups, each counted .* % of the time, because its 6 general counters do not "
		                    "hold all of them; the NMI watchdog holds one more counter", line) for line in lines), lines
		same(lines[-1], "--no-multiplex runs a command 3 times without multiplexing")
		Path("machine/proc/sys/kernel/nmi_watchdog").write_text("0\n")
		assert re.search("^cpu_core: .*general counters do not hold all of them$", run("--dry-run -l 3 -- true").out, re.M)
		assert re.fullmatch("cpu_atom: [0-9]+ groups, counted all of the time in [0-9]+ runs: not multiplexed",
		                    run("--dry-run --no-multiplex -l 3 -- true").lines[-1])
	PYTHON
}

@test "hyper-threading that halves the counters of some events is named" {
	saved skylakex
	three=cpu/event=0xd1,umask=1/,cpu/event=0xd1,umask=2/,cpu/event=0xd1,umask=4/
	PERF_CPUID=GenuineIntel-6-3F-2 try "$TDSTAT" --dry-run -a -e "$three"
	[[ $output == *'; with hyper-threading on, a group with some events has only 2'* ]]
	try "$TDSTAT" --dry-run -a -e "$three"
	[[ $output != *'a group with some events'* ]]
}

# started_times N: the command was started N times
started_times() {
	local lines

	mapfile -t lines <started
	assert_equal ${#lines[@]} "$1"
}

@test "the command is started once for each set, and each event has its count" {
	needs_software_events
	"$TDSTAT" --no-multiplex --no-big-num -e "$SEVEN" -o out -- sh -c 'echo run >>started'
	started_times 2
	# cpu-clock, faults, minor ones: of the first run and of the second
	awk '/\(2 runs\)/ { two = 1 } /instructions|not (counted|supported)/ { bad = 1 }
		/cpu.event=/ { nr++; seen[$2] = $1 > 0 }
		END { exit !(two && !bad && nr == 7 && seen["cpu/event=0/"] && seen["cpu/event=2/"] &&
			seen["cpu/event=5/"]) }' out || fail "$(<out)"
}

@test "-r N is that many results, of as many runs each" {
	needs_software_events
	"$TDSTAT" --no-multiplex -r 3 -e "$SEVEN" -j -o out -- sh -c 'echo run >>started'
	started_times 6
	jq -es 'length == 7 and all(has("variance"))' out
}

@test "the count of an event is from the run that counted it" {
	needs_software_events
	cat >touch.py <<-'PYTHON'
		import mmap, os
		with open("runs", "a") as runs:
		    runs.write("x")
		m = mmap.mmap(-1, 10000 * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
		try:
		    m.madvise(15)  # MADV_NOHUGEPAGE
		except OSError:
		    pass  # this kernel has none
		# faults only in the second run
		for page in range(10000 if os.path.getsize("runs") == 2 else 0):
		    m[page * mmap.PAGESIZE] = 1
	PYTHON
	# event 2, all faults, is in the first set, 5, minor ones, in the second
	"$TDSTAT" --no-multiplex -e "$SEVEN" -x, -o out -- python3 -S touch.py
	awk -F, '/event=2\// { first = $1 } /event=5\// { second = $1 }
		END { exit !(first != "" && first < 9000 && second >= 10000) }' out || fail "$(<out)"
}

# metrics_of_faults: two runs' worth, of software events over the time of the CPU
metrics_of_faults() {
	mkdir -p own/mine
	printf '%s\n' Family-model,Version,Filename,EventType GenuineIntel-6-FF,v1,mine,core >own/mapfile.csv
	{
		echo '[{ "EventName": "SW.E1", "EventCode": "0x1" }'
		printf ',{ "EventName": "SW.E%d", "EventCode": "0x%d" }\n' 2 2 3 3 4 4 5 5 6 6 8 8
		printf ',{ "MetricName": "per_%d", "MetricExpr": "SW.E%d / SW.E1", "MetricGroup": "Mine", "ScaleUnit": "100%%" }\n' \
			2 2 3 3 4 4 5 5 6 6 8 8
		echo ']'
	} >own/mine/a.json
	mine="--metrics-dir own -M Mine"
}

@test "how busy a command was, and its times, are those of a mean run" {
	needs_software_events
	metrics_of_faults
	# the first of two runs is three times as long, and all of it is work; what it has used
	"$TDSTAT" --no-multiplex $mine -o out -- /usr/bin/python3 -S -c 'import os, time
begin = time.monotonic()
seconds = 0.2 if os.path.exists("used") else 0.6
while time.process_time() < seconds: pass
print(time.process_time(), time.monotonic() - begin, file=open("used", "a"))'
	cat used out
	# Its clock continues while a hypervisor takes the CPU away, which no other time
	# includes; it works little before its clock begins, and after it ends.
	awk 'FILENAME == "used" { own += $1 / 2; wall += $2 / 2; next }
		/seconds time elapsed/ { elapsed = $1 }
		/ seconds (user|sys)$/ { spent += $1; nr++ }
		/^ cpu, [0-9.]+ CPUs/ && !busy { busy = $2 }
		/^ cpu, [0-9.]+ % of one CPU/ && !busy { busy = $2 / 100 }
		END { exit !(nr == 2 && elapsed >= wall && spent >= own * 0.99 && spent < own + 0.1 &&
			busy * elapsed >= own * 0.9 && busy < 1.01) }' used out
	# the mean of several results has perf stat -r's times, and no others
	"$TDSTAT" --no-multiplex -r 2 $mine -o out -- true
	! grep -qE 'seconds (user|sys)$' out || fail "there are times of one run"
}

@test "a note: the tree ends at level 1, where -l auto is the usual default" {
	saved alderlake
	for options in '' '--no-verdict' '--all' '-r 2'; do
		try "$TDSTAT" --dry-run --no-multiplex $options -- true
		assert_complains '^tdstat: --no-multiplex counts level 1 unless -l names a deeper one'
	done
	for options in '-l 1' '-l 3' '-M tma_retiring' '-e cycles' '--bottlenecks' '-x,' '-r 2 -x,'; do
		try "$TDSTAT" --dry-run --no-multiplex $options -- true
		[[ $stderr != *'counts level 1'* ]] || fail "$options: $stderr"
	done
}

# Faults at first, and then works until tdstat, which started it, has read the counters
# often: each time it wakes up.
FAULTS=(/usr/bin/python3 -S -c 'import os, re, sys
def wakeups():
    with open(f"/proc/{os.getppid()}/status") as status:
        return int(re.search(r"\nvoluntary_ctxt_switches:\s*(\d+)", status.read())[1])
print("run", file=open("started", "a"))
begin = wakeups()
if os.path.getsize("started") > 4 * int(sys.argv[1]):
    sys.exit()
while wakeups() < begin + 24: pass')

@test "metrics have errors, of the batches of each run" {
	needs_software_events
	metrics_of_faults
	"$TDSTAT" --no-multiplex $mine -j -o out -- "${FAULTS[@]}" 2
	cat out
	started_times 2
	# total and minor faults: one in each run
	jq -es 'map(select(.metric == "per_2" or .metric == "per_5")) |
		length == 2 and all(.error > 0 and (has("too_short") | not))' out
}

@test "fewer than eight readings in one of its runs: no error" {
	needs_software_events
	metrics_of_faults
	"$TDSTAT" --no-multiplex $mine -j -o out -- "${FAULTS[@]}" 1
	# all of one is in the first run, the other's time too, but not its faults
	jq -es 'map({ key: .metric, value: . }) | from_entries |
		.per_2.error > 0 and .per_5.error == null and .per_5.too_short' out
}

@test "a mean of several results has the error of a mean" {
	needs_software_events
	metrics_of_faults
	"$TDSTAT" --no-multiplex -r 2 $mine -j -o out -- true
	jq -es 'map(select(.metric == "per_5"))[0] | .runs_error >= 0 and .error >= .runs_error and (has("too_short") | not)' out
}

@test "the exit status is that of the last run" {
	needs_software_events
	try "$TDSTAT" --no-multiplex -e "$SEVEN" -o out -- sh -c '[ -e started ] && exit 2; : >started; exit 1'
	assert_equal "$status" 2
}

@test "^C in the first run: its counts are shown, and there is no second run" {
	needs_software_events
	mkfifo never
	exec {held}<>never
	# background jobs ignore SIGINT
	within env --default-signal=INT "$TDSTAT" --no-multiplex -e "$SEVEN" -o out -- \
		sh -c 'echo run >>started; kill -INT $PPID; read -r x <never' {held}>&- &
	wait $! || true
	exec {held}>&-
	started_times 1
	awk '/^ +[0-9,]+ +cpu\/event=2\// { counted = 1 } /^ +<not counted> +cpu\/event=5\// { not_counted = 1 }
		END { exit !(counted && not_counted) }' out || fail "$(<out)"
}

@test "--no-multiplex runs a command, and excludes options without one result of several runs" {
	saved alderlake
	for options in -a '-C 0' '-p 1' '-t 1' '-p 1 -- true' '-I 100 -- true' '--per-thread -- true' \
		'--control fd:0 -- true'; do
		try "$TDSTAT" --no-multiplex --dry-run $options
		assert_equal "$status" 64
		assert_complains '--no-multiplex'
	done
	try "$TDSTAT" record --no-multiplex -o file -- true
	assert_equal "$status" 64
	assert_complains '--no-multiplex.*option of tdstat'
}
