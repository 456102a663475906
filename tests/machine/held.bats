#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Beside programs that hold counters all of the time, or come before tasks, each node has
# the value that it has without them.
# machine: adl --no-halt --truth tests/emulator/scenarios/alderlake.truth:dram_latency
# machine: skx --no-halt --truth tests/emulator/scenarios/skylakex.truth:dram_latency
# machine: adln --no-halt
# release: icx --no-halt --truth tests/emulator/scenarios/icelakex.truth:dram_latency
# release: bdx --no-halt
# release: spr --no-halt --truth tests/emulator/scenarios/sapphirerapids.truth:dram_latency
# release: srf --no-halt
# release: lnl --no-halt
# release: zen4 --no-halt

# shellcheck disable=SC2154 # helper.bash
load helper

setup() {
	emulated
	perf_or_skip
	cd "$BATS_TEST_TMPDIR" || return
}

# compare NEIGHBOUR...: runs tdstat alone and beside each, which is pinned events (r1c2,...),
# PERF_METRICS pinned (slots), events of all CPUs (cycles,...), perf record or tdstat serve
compare() {
	/usr/bin/python3 - "$TDSTAT" "$PERF" "$TD_MACHINE" "$@" <<-'PYTHON'
		import glob, json, os, re, subprocess, sys, time

		tdstat, perf, model, neighbours = *sys.argv[1:4], sys.argv[4:]
		devices = "/sys/bus/event_source/devices"
		pmus = sorted(os.path.basename(path) for path in glob.glob(devices + "/cpu*"))
		with_slots = [pmu for pmu in pmus if os.path.exists(f"{devices}/{pmu}/events/slots")]
		def first_cpu(pmu):
		    try:
		        with open(f"{devices}/{pmu}/cpus") as cpus:
		            return cpus.read().split("-")[0].split(",")[0].strip()
		    except FileNotFoundError:
		        return "0"

		def rows(where, level, seconds):
		    work = [os.environ["ACT"], f"{seconds}s:inherited"]
		    runs = [[]] if where == "-a" else [["taskset", "-c", first_cpu(pmu)] for pmu in pmus]
		    found = []
		    for pinned in runs:
		        process = subprocess.Popen([*pinned, os.environ["ACT"], "600s:inherited"]) if where == "-p" else None
		        options = ["-p", str(process.pid), "--timeout", f"{seconds}s"] if process else \
		            ["-a", "--", *work] if where == "-a" else ["--", *work]
		        with open("err", "w") as err:
		            subprocess.run([*pinned, tdstat, "-l", level, "--all", "-j", "-o", "out", *options],
		                           stderr=err, check=True)
		        if process:
		            process.kill()
		            process.wait()
		        with open("err") as err:
		            said = err.read()
		            assert said.count("split in two") <= 1, said
		        with open("out") as out:
		            found += map(json.loads, out)
		    return found

		# rates of offcore events are of the code, which the kernel chooses with the register;
		# nodes of these are far above 100 %
		def values(found):
		    return {(row["pmu"], row["metric"]): (row["value"], row["error"]) for row in found
		            if row.get("level") and row["value"] is not None and abs(row["value"]) < 200}

		def held(found):
		    return [row.get("held", "") for row in found if "tdstat_rows" in row]

		# numbers of counters in the first line, and whether PERF_METRICS is used
		def check_rows(neighbour, level, found):
		    general = {row.get("general_counters", False) for row in found
		               if row.get("level") == 1 and row["pmu"] in with_slots}
		    # PERF_METRICS and that of tdstat serve are multiplexed
		    assert general <= {neighbour == "slots"} or neighbour == "serve", (neighbour, level, general)
		    # r2c2 has a fixed counter of Lunar Lake's E-cores
		    if neighbour.startswith("r") and neighbour != "record" and model != "lnl":
		        numbers = {nr for text in held(found) for nr in re.findall(r"(\d+) of \d+ general counters", text)}
		        assert numbers <= {str(1 + neighbour.count(","))} and (numbers or level != "6"), held(found)
		    elif neighbour == "slots":
		        assert not any(held(found)), held(found)

		# a host that stops the virtual CPUs leaves groups without a turn in a short run
		def differences(what, neighbour):
		    for seconds in (3 if what[1] == "auto" else 1, 10, 100):
		        found = rows(*what, seconds)
		        check_rows(neighbour, what[1], found)
		        got = values(found)
		        wrong, short = [], False
		        for name, (value, error) in alone[what].items():
		            # all groups of tdstat serve have a counter that deeper nodes of tasks need
		            if neighbour == "serve" and name not in got and name not in alone["-a", "2"]:
		                continue
		            here, here_error = got.get(name, (None, None))
		            if here is None or \
		                    abs(here - value) > 1 + 0.03 * abs(value) + (error or 0) + (here_error or 0):
		                wrong.append((neighbour, *what, *name, value, here, here_error))
		                short |= here_error is None
		        if not short:
		            break
		    return wrong

		until = ["sh", "-c", ": >counting; exec sleep 600"]
		def command(neighbour):
		    if neighbour == "serve":
		        return [tdstat, "serve", "--listen", "unix:counting"]
		    if neighbour == "record":
		        return [perf, "record", "-a", "-B", "-N", "-F", "99", "-e", "cycles", "-o", "beside", *until]
		    words = [neighbour] if neighbour.startswith("cycles") else \
		        [f"{{{pmu}/slots/,{pmu}/topdown-retiring/}}:D" for pmu in with_slots] if neighbour == "slots" else \
		        [f"{pmu}/{event}/D" for pmu in pmus for event in neighbour.split(",")]
		    return [perf, "stat", "-a", "-o", "beside", *(word for event in words for word in ("-e", event)), *until]

		# threads that share a core's slots are not counted in tasks at these levels
		shared = model in ("skx", "bdx")
		levels = {"-a": ["1", "2", "auto", "6"], "command": ["2", "auto", "6"], "-p": ["6"]}
		if os.environ.get("TD_EVERYTHING"):
		    levels = dict.fromkeys(levels, levels["-a"])
		asked = [(where, level) for where in levels for level in levels[where]
		         if not (shared and where != "-a" and level < "3")]
		alone = {what: values(found) for what in asked
		         for found in [rows(*what, 3 if what[1] == "auto" else 1)] if not any(held(found))}
		assert len(alone) == len(asked) and all(alone.values()), {what: len(found) for what, found in alone.items()}
		wrong = []
		for neighbour in neighbours:
		    # without a truth file, the two ways to count level 1 differ
		    if neighbour == "slots" and (not with_slots or model == "lnl"):
		        continue
		    beside = subprocess.Popen(command(neighbour), stdin=subprocess.DEVNULL, stderr=open("said", "w"))
		    while not os.path.exists("counting"):
		        assert beside.poll() is None, open("said").read()
		        time.sleep(0.05)
		    wrong += [line for what in asked for line in differences(what, neighbour)]
		    beside.terminate()
		    beside.wait()
		    # tdstat serve has removed its own
		    if neighbour != "serve":
		        os.unlink("counting")
		for line in wrong[:40]:
		    print(*line)
		assert not wrong, f"{len(wrong)} values"
	PYTHON
}

# The last four cost time; the others are in all runs.
@test "beside pinned events, PERF_METRICS of another program, and events of all CPUs, which come before those of tasks" {
	# shellcheck disable=SC2086 # words
	compare r1c2 r1c2,r2c2,rc5 slots cycles,instructions ${TD_EVERYTHING:+r1c2,r2c2 cycles record serve}
}

# beside PERF_OPTION...: pinned events, until "neighbour" is killed
beside() {
	"$PERF" stat "$@" -x, -o beside -I 200 sleep 600 </dev/null 3>&- &
	neighbour=$!
	wait_for test -s beside
}

# pmus: of all core types
pmus() {
	basename -a /sys/bus/event_source/devices/cpu*
}

# tree WHERE LEVEL SECONDS
tree() {
	# shellcheck disable=SC2086 # no word
	taskset -c 0 "$TDSTAT" $1 -l "$2" --all -v -o out -- "$ACT" "$3s:inherited" 2>err
}

lacks_only_ref() {
	grep 'did not get a counter' out >lacks || true
	! grep -v 'REF' lacks
}

@test "beside pinned reference cycles: only nodes that need them have no value" {
	[[ $TD_MACHINE != zen* ]] || skip "there is no such event"
	sysctl -q -w kernel.nmi_watchdog=0
	# shellcheck disable=SC2046 # words
	beside -a $(pmus | sed 's|.*|-e &/ref-cycles/D|')
	for level in 1 3 auto 6; do
		for where in -a --; do
			case $TD_MACHINE$level$where in skx1-- | bdx1--) continue ;; esac
			for_longer lacks_only_ref tree "${where/--/}" $level SECONDS
			run ! grep 'split in two' err
			grep -c '%  tma_retiring' out
			lacks_only_ref
		done
	done
	# shellcheck disable=SC2154
	kill "$neighbour"
}

# wide PER SECONDS: the whole machine, nodes in a file
wide() {
	# shellcheck disable=SC2086 # no word
	"$TDSTAT" -a $1 -l 3 --all -j -v -o out -- "$ACT" "$2s:inherited" 2>err
	jq -c 'select(.level)' out >nodes
}

has_all_nodes() {
	[ -s nodes ] && jq -es 'all(.value != null)' nodes
}

@test "beside pinned events of a single CPU: each core has all nodes, and -v and doctor name it" {
	sysctl -q -w kernel.nmi_watchdog=0
	for pmu in $(pmus); do
		last=$(cat "/sys/bus/event_source/devices/$pmu/cpus" /sys/devices/system/cpu/online 2>/dev/null | head -n 1)
		last=${last##*[,-]}
		beside -C "$last" -e "$pmu/r1c2/D" -e "$pmu/r2c2/D" -e "$pmu/rc5/D"
		for per in "" --per-core; do
			for_longer has_all_nodes wide "$per" SECONDS
			head -n 1 err
			run ! grep 'split in two' err
			# Lunar Lake: P-cores have enough counters left, E-cores a fixed one for r2c2
			[[ $TD_MACHINE$pmu = lnlcpu_core ]] || grep -E "already in use: $pmu: [23] of [0-9]+ general counters.* \(found on CPU $last\)" err
			jq -c 'select(.value == null)' nodes >null
			run ! grep . null
			jq -es 'any(.level == 2)' nodes
		done
		# on that CPU itself, it does not see that the others are free
		taskset -c 0 "$TDSTAT" doctor -j >found || :
		jq -e --arg cpu "(found on CPU $last)" \
			'any(.findings[]; .name == "counters" and (.text | contains($cpu)))' found
		kill "$neighbour"
		wait "$neighbour" || true
		rm beside
	done
}

# counted CPU PMU TIME: a command on a CPU, while tdstat starts on another one
counted() {
	taskset -c 0 "$TDSTAT" -l 3 --all -j -o out -- taskset -c "$1" "$ACT" "$3:inherited" 2>err
	cat err
	jq -c --arg pmu "$2" 'select(.level and .pmu == $pmu)' out >nodes
}

@test "beside pinned events of the command's CPU, on which tdstat did not start: groups are split in less than a second" {
	[ "$TD_MACHINE" != lnl ] || skip "its groups fit the counters that are left"
	sysctl -q -w kernel.nmi_watchdog=0
	cpu=$(cat /sys/devices/system/cpu/online)
	cpu=${cpu##*[,-]}
	pmu=$(pmus | head -n 1)
	beside -C "$cpu" -e "$pmu/r1c2/D" -e "$pmu/r2c2/D" -e "$pmu/rc5/D"
	# in less than the second after which groups of whole CPUs are split; a busy host may be late
	for _ in {1..20}; do
		counted "$cpu" "$pmu" 800ms
		! grep 'split in two' err || break
	done
	grep 'split in two' err
	for_longer has_all_nodes counted "$cpu" "$pmu" SECONDSs
	has_all_nodes
}

@test "no counters are held: the test takes at most ten system calls, and opens no group of level 1 twice" {
	command -v strace >/dev/null || skip "no strace"
	sysctl -q -w kernel.nmi_watchdog=0
	strace -f -X raw -o log "$TDSTAT" -l 1 -o out -- true
	# with both times: events that are only tried
	sed -nE 's/.*perf_event_open\(\{type=([^,]*),.* config=([^,]*),.* read_format=0x3,.*/\1 \2/p' log | sort >tried
	[ -z "$(uniq -d tried)" ]
	for level in 3 auto; do
		strace -f -X raw -o log "$TDSTAT" -l $level -o out -- true
		sed -n '/ config=0xc4, .*read_format=0x3,/,$p' log | sed '/pipe2(/,$d' >look
		calls=$(awk '/ close_range\(/ { calls = NR } END { print calls + 0 }' look)
		[ "$calls" -le 10 ]
	done
}

@test "profile -l 2 beside pinned events: functions have the nodes that fit the counters that are left" {
	case $TD_MACHINE in skx | bdx | adl) skip "the kind of core, or its other thread, is not known" ;; esac
	sysctl -q -w kernel.nmi_watchdog=0
	beside -a -e cpu/r1c2/D -e cpu/r2c2/D
	"$TDSTAT" profile -l 2 -j -o out -- "$ACT" 1s:inherited 2>err || cat err
	kill "$neighbour"
	jq -es 'any(.metric == "tma_retiring" and .value != null)' out
}
