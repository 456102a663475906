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

# taken WHERE: -a, command or -p; counts at level 3, next to three pinned events on the
# CPUs of the program from some rows on
taken() {
	/usr/bin/python3 - "$TDSTAT" "$PERF" "$TD_HANGS" "$@" <<-'PYTHON'
		import glob, json, os, signal, subprocess, sys, time

		tdstat, perf, hangs, where, cpus = *sys.argv[1:5], sys.argv[5:]
		pmus = sorted(os.path.basename(path) for path in glob.glob("/sys/bus/event_source/devices/cpu*"))
		act = ["taskset", "-c", "0"]
		# -p has no child that is there already
		act += [os.environ["ACT"], "-w", "end", "600s:inherited"] if where == "-p" else \
		    ["sh", "-c", '"$ACT" -w end 600s:inherited & wait']
		end = time.monotonic() + float(hangs)

		def rows():
		    found = {}
		    if not os.path.exists("out"):
		        return []
		    with open("out") as out:
		        for line in out:
		            row = json.loads(line) if line.endswith("\n") else {}
		            if row.get("level") and row["pmu"] == pmus[-1 if where == "-a" else 0]:
		                row["value"] is not None and found.setdefault(row["time"], {}).update({row["metric"]: row["value"]})
		                found.setdefault(row["time"], {})
		    return [found[time] for time in sorted(found)]

		def wait_for(what):
		    while not what():
		        assert time.monotonic() < end
		        time.sleep(0.1)

		options = ["-I", "1000", "-l", "3", "--all", "-j", "-o", "out"]
		process = subprocess.Popen(act) if where == "-p" else None
		options += ["-a"] if where == "-a" else ["-p", str(process.pid)] if process else ["--", *act]
		with open("err", "w") as err:
		    counting = subprocess.Popen([tdstat, *options], stderr=err)
		try:
		    wait_for(lambda: len(rows()) > 1)
		    alone = rows()[1]
		    words = [word for pmu in pmus for event in ("r1c2", "r2c2", "rc5") for word in ("-e", f"{pmu}/{event}/D")]
		    beside = subprocess.Popen([perf, "stat", "-a", *cpus, *words, "sleep", "600"], stdin=subprocess.DEVNULL,
		                              stderr=subprocess.DEVNULL)
		    try:
		        # the row that has all of them again comes after at most four seconds that were counted
		        wait_for(lambda: not open("err").read() == "")
		        seen = len(rows())
		        wait_for(lambda: any(set(alone) <= set(row) for row in rows()[seen:]))
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
		assert said.count("are split in two") == 1, said
		last = next(row for row in rows()[seen:] if set(alone) <= set(row))
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
