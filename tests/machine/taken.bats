#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2154 # helper.bash
# Other programs take counters while tdstat counts: what never has a turn any more is
# split, and each node has its value again.
# machine: icx --no-halt
# release: skx --no-halt
# release: adl --no-halt
# release: adln --no-halt
# release: zen4 --no-halt

load helper

setup() {
	emulated
	perf_or_skip
	cd "$BATS_TEST_TMPDIR" || return
}

# taken WHERE [WORD...]: -a, command, -p, E-core (-p of a program there) or --per-thread, and words
# of perf; counts at level 3, next to three pinned events on the CPUs of the program from some
# rows on
taken() {
	/usr/bin/python3 - "$TDSTAT" "$PERF" "$TD_HANGS" "$@" <<-'PYTHON'
		import glob, json, os, signal, subprocess, sys, time

		tdstat, perf, hangs, where, cpus = *sys.argv[1:5], sys.argv[5:]
		pmus = sorted(os.path.basename(path) for path in glob.glob("/sys/bus/event_source/devices/cpu*"))
		cpu = "0"
		if where == "E-core":
		    with open(f"/sys/bus/event_source/devices/{pmus[0]}/cpus") as file:
		        cpu = file.read().split("-")[0]
		attaches = where in ("-p", "E-core", "--per-thread")
		act = ["taskset", "-c", cpu]
		# -p has no child that is there already
		act += [os.environ["ACT"], "-w", "end", "600s:inherited"] if attaches else \
		    ["sh", "-c", '"$ACT" -w end 600s:inherited & wait']
		end = time.monotonic() + float(hangs)

		def rows():
		    found = {}
		    if not os.path.exists("out"):
		        return []
		    with open("out") as out:
		        text = out.read()
		    # the last line may still be written
		    for row in map(json.loads, text[:text.rfind("\n") + 1].splitlines()):
		        if row.get("level") and row["pmu"] == pmus[0 if where == "E-core" else -1]:
		            row["value"] is not None and found.setdefault(row["time"], {}).update({row["metric"]: row["value"]})
		            found.setdefault(row["time"], {})
		    return [found[time] for time in sorted(found)]

		def wait_for(what):
		    while not what():
		        assert time.monotonic() < end
		        time.sleep(0.1)

		options = ["-I", "1000", "-l", "3", "--all", "-j", "-o", "out"]
		process = subprocess.Popen(act) if attaches else None
		options += ["--per-thread"] if where == "--per-thread" else []
		options += ["-a"] if where == "-a" else ["-p", str(process.pid)] if process else ["--", *act]
		with open("err", "w") as err:
		    counting = subprocess.Popen([tdstat, *options], stderr=err)
		try:
		    # the third row shows that the second is complete
		    wait_for(lambda: len(rows()) > 2)
		    alone = rows()[1]
		    words = [word for pmu in pmus for event in ("r1c2", "r2c2", "rc5") for word in ("-e", f"{pmu}/{event}/D")]
		    beside = subprocess.Popen([perf, "stat", "-a", *cpus, *words, "sleep", "600"], stdin=subprocess.DEVNULL,
		                              stderr=subprocess.DEVNULL)
		    try:
		        # the row that has all of them again comes after at most four seconds that were counted;
		        # its halves may have been opened in its middle, those of the next one were not
		        wait_for(lambda: not open("err").read() == "")
		        seen = len(rows())
		        wait_for(lambda: len([row for row in rows()[seen:] if set(alone) <= set(row)]) > 1)
		    finally:
		        beside.terminate()
		        beside.wait()
		finally:
		    print(open("err").read())
		    print([len(row) for row in rows()])
		    open("end", "w").close()
		    counting.send_signal(signal.SIGINT)
		    counting.wait()
		    process and process.wait()
		said = open("err").read()
		assert said.count("are now split in two") == 1, said
		last = [row for row in rows()[seen:] if set(alone) <= set(row)][1]
		# a difference of two counts that are nearly the same is near 0; the last one has one
		# of two formulas, by which of two counts is larger
		wrong = {name: (value, last[name]) for name, value in alone.items()
		         if 10 < value < 100 and abs(last[name] - value) > 0.3 * value and name != "tma_ports_utilization"}
		assert not wrong, wrong
	PYTHON
}

@test "-a: from all CPUs" {
	taken -a
}

@test "-a: from a single CPU" {
	taken -a -C 1
}

@test "a command, whose child runs already" {
	taken command
}

@test "-p" {
	taken -p
}

@test "-p of a program on an E-core, where no group of its core type is counted any longer" {
	[ -e /sys/bus/event_source/devices/cpu_atom ] || skip "one core type"
	taken E-core
}

@test "--per-thread" {
	taken --per-thread
}

@test "--no-multiplex, during the first run" {
	# shellcheck disable=SC2016 # of the shell that runs it
	"$TDSTAT" --no-multiplex -l 3 --all -j -o out -- taskset -c 0 sh -c \
		'touch running; until [ -s beside ]; do sleep 0.05; done; exec "$ACT" 600ms:inherited' 2>err 3>&- &
	counting=$!
	wait_for_file running
	pmu=cpu
	[ ! -e /sys/bus/event_source/devices/cpu_core ] || pmu=cpu_core
	"$PERF" stat -a -e "$pmu/r1c2/D" -e "$pmu/r2c2/D" -e "$pmu/rc5/D" -x, -o beside -I 200 sleep 600 </dev/null 3>&- &
	neighbour=$!
	wait "$counting"
	kill "$neighbour"
	[ "$(grep -c 'are now split in two' err)" -eq 1 ]
	jq -es --arg pmu "$pmu" 'map(select(.level and .pmu == $pmu)) | length > 30 and all(.value != null)' out
}
