#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Beside programs that hold counters all of the time, or come before tasks, each node has
# the value that it has without them.
# machine: adl --no-halt
# machine: skx --no-halt
# machine: adln --no-halt
# release: icx --no-halt
# release: bdx --no-halt
# release: spr --no-halt
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

# compare NEIGHBOUR...: runs tdstat alone and beside each, which is words of perf stat
compare() {
	/usr/bin/python3 - "$TDSTAT" "$PERF" "$TD_MACHINE" "$@" <<-'PYTHON'
		import glob, json, os, subprocess, sys, time

		tdstat, perf, model, neighbours = *sys.argv[1:4], sys.argv[4:]
		pmus = sorted(os.path.basename(path) for path in glob.glob("/sys/bus/event_source/devices/cpu*"))
		def first_cpu(pmu):
		    try:
		        with open(f"/sys/bus/event_source/devices/{pmu}/cpus") as cpus:
		            return cpus.read().split("-")[0].split(",")[0].strip()
		    except FileNotFoundError:
		        return "0"
		work = [os.environ["ACT"], "1s:inherited"]

		def values(where, level):
		    runs = [[]] if where == "-a" else [["taskset", "-c", first_cpu(pmu)] for pmu in pmus]
		    found = {}
		    for pinned in runs:
		        process = subprocess.Popen([*pinned, os.environ["ACT"], "600s:inherited"]) if where == "-p" else None
		        options = ["-p", str(process.pid), "--timeout", "1000"] if process else \
		            ["-a", "--", *work] if where == "-a" else ["--", *work]
		        with open("err", "w") as err:
		            subprocess.run([*pinned, tdstat, "-l", level, "--all", "-j", "-o", "out", *options],
		                           stderr=err, check=True)
		        if process:
		            process.kill()
		            process.wait()
		        with open("out") as out:
		            for row in map(json.loads, out):
		                # rates of offcore events are of the code, which the kernel chooses with
		                # the register; nodes of these are far above 100 %
		                if row.get("level") and row["value"] is not None and abs(row["value"]) < 200:
		                    found[row["pmu"], row["metric"]] = row["value"], row["error"]
		    return found

		# threads that share a core's slots are not counted in tasks at these levels
		shared = model in ("skx", "bdx")
		asked = [(where, level) for where in ("-a", "command", "-p") for level in ("1", "2", "6")
		         if not (shared and where != "-a" and level < "3")]
		alone = {what: values(*what) for what in asked}
		assert all(alone.values()), {what: len(found) for what, found in alone.items()}
		wrong = []
		for neighbour in neighbours:
		    words = ["-e", neighbour] if neighbour == "cycles,instructions" else \
		        [word for pmu in pmus for event in neighbour.split(",") for word in ("-e", f"{pmu}/{event}/D")]
		    beside = subprocess.Popen([perf, "stat", "-a", "-I", "200", "-x,", "-o", "beside", *words, "sleep", "600"],
		                              stdin=subprocess.DEVNULL)
		    while not (os.path.exists("beside") and os.path.getsize("beside")):
		        time.sleep(0.05)
		    for what in asked:
		        found = values(*what)
		        for name, (value, error) in alone[what].items():
		            if name not in found:
		                wrong.append((neighbour, *what, *name, "missing"))
		                continue
		            got, got_error = found[name]
		            margin = 1 + 0.03 * abs(value) + (error or 0) + (got_error or 0)
		            if abs(got - value) > margin:
		                wrong.append((neighbour, *what, *name, value, got, got_error))
		    beside.terminate()
		    beside.wait()
		    os.unlink("beside")
		for line in wrong[:40]:
		    print(*line)
		assert not wrong, f"{len(wrong)} values"
	PYTHON
}

@test "beside one and three pinned events of general counters" {
	compare r1c2 r1c2,r2c2,rc5
}

@test "beside cycles and instructions of all CPUs, which come before those of tasks" {
	compare cycles,instructions
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

@test "beside pinned reference cycles: only nodes that need them have no value" {
	[[ $TD_MACHINE != zen* ]] || skip "there is no such event"
	sysctl -q -w kernel.nmi_watchdog=0
	# shellcheck disable=SC2046 # words
	beside -a $(pmus | sed 's|.*|-e &/ref-cycles/D|')
	for level in 1 3 auto 6; do
		for where in -a --; do
			case $TD_MACHINE$level$where in skx1-- | bdx1--) continue ;; esac
			taskset -c 0 "$TDSTAT" ${where/--/} -l $level --all -v -o out -- "$ACT" 2s:inherited 2>err
			run ! grep 'split in two' err
			grep -c '%  tma_retiring' out
			grep 'did not get a counter' out >lacks || true
			run ! grep -v 'REF' lacks
		done
	done
	# shellcheck disable=SC2154
	kill "$neighbour"
}

@test "beside pinned events of a single CPU: each core has all nodes, and -v and doctor name it" {
	sysctl -q -w kernel.nmi_watchdog=0
	for pmu in $(pmus); do
		last=$(cat "/sys/bus/event_source/devices/$pmu/cpus" /sys/devices/system/cpu/online 2>/dev/null | head -n 1)
		last=${last##*[,-]}
		beside -C "$last" -e "$pmu/r1c2/D" -e "$pmu/r2c2/D" -e "$pmu/rc5/D"
		for per in "" --per-core; do
			# shellcheck disable=SC2086 # no word
			"$TDSTAT" -a $per -l 3 --all -j -v -o out -- "$ACT" 2s:inherited 2>err
			head -n 1 err
			run ! grep 'split in two' err
			# Lunar Lake: P-cores have enough counters left, E-cores a fixed one for r2c2
			[[ $TD_MACHINE$pmu = lnlcpu_core ]] || grep -E "already in use: $pmu: [23] of [0-9]+ general counters.* \(found on CPU $last\)" err
			jq -r 'select(.level and .value == null) | "\(.id) \(.metric)"' out >null
			run ! grep . null
			jq -es 'any(.level == 2)' out
		done
		"$TDSTAT" doctor -j >found || :
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

has_all_nodes() {
	[ -s nodes ] && jq -es 'all(.value != null)' nodes
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
