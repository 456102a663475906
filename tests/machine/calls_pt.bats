#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: calls
# tdstat calls --engine=pt, of programs that know how many calls they make, and of each
# how long it took by the time stamp counter (stamped.c).
# machine: adl --pt --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth

# shellcheck disable=SC2030,SC2031,SC2154 # output and stderr, of run
load helper
load nobody

ROOT=$BATS_TEST_DIRNAME/../..
CALLS=$ROOT/build/tests/machine/calls
STAMPED=$ROOT/build/tests/machine/stamped

setup() {
	[ -d /sys/bus/event_source/devices/intel_pt ] || skip "no Processor Trace here"
	cd "$BATS_TEST_TMPDIR" || return
	cp "$PARANOID" paranoid
	chmod 777 "$BATS_TEST_TMPDIR"
	chmod 755 "$BATS_RUN_TMPDIR"
}

calls() {
	timeout -s KILL "$TD_HANGS" "$TDSTAT" calls --engine=pt "$@"
}

# of FILTER: filter the line of durations in the file "out"
of() {
	jq -r "select(.durations).durations | $1" out
}

# print how long all calls took, in ns: a row of either core type has the sum of both
sum() {
	jq -s 'map(select(.metric == "tma_retiring" and .slow == false)) | unique_by(.id) | map(.seconds) | add * 1e9' out
}

# by_stamps HOW: 2000 calls, each in a row.  A call begins between the time stamps that
# its caller and itself take first, and ends between the last ones: so each is, within
# 20 ns, as long as its own stamps say, or longer, up to those of the caller.
by_stamps() {
	local own around
	run -0 --separate-stderr calls stamped -j -o out -- "$STAMPED" 2000 "$1"
	echo "$output"
	of '[.slowest[].seconds * 1e9 | round]' | tr -d '\n'
	{ read -r made own slowest && read -r _ around slowest_around; } <<<"$output"
	[ "$(of .calls)" -eq "$made" ]
	[ "$(of .engine)" = pt ]
	[[ $stderr != *tdstat:* ]]
	[ "$(jq -s 'map(select(.metric == "tma_retiring" and .slow == false)) | map(.calls) | add' out)" -eq "$made" ]
	paste <(tr ' ' '\n' <<<"$slowest") <(of '.slowest[].seconds * 1e9') <(tr ' ' '\n' <<<"$slowest_around") |
		awk '{ bad += $2 < $1 - 20 || $2 > $3 + 20; print $2 - $1, $3 - $2 } END { exit bad || NR != 10 }'
	sum | awk -v own="$own" -v around="$around" -v nr="$made" '{
		print ($1 - own) / nr, (around - $1) / nr
		exit !($1 > own - 20 * nr && $1 < around + 20 * nr)
	}'
}

@test "each call's time is that of the program's time stamps" {
	by_stamps alone
}

@test "threads and children that alternate on the CPUs" {
	by_stamps threads
	by_stamps fork
}

@test "calls that move between CPUs and core types" {
	by_stamps move
	jq -es 'map(select(.slow == false and .migrations > 0)) | length > 0' out
}

# Each 16th of 2000 calls waits for 100 us.
# Of the 125 sleeps some are over before the thread has left its CPU, where the host stops
# that: with thirty threads beside it, 40.  Each of the others waits, and for no less than
# it sleeps, but for the way there.
@test "calls that wait in the kernel, with their waits" {
	by_stamps kernel
	jq -s 'map(select(.metric == "tma_retiring" and .slow == false)) | group_by(.id) | map(.[0] + {calls: (map(.calls) | add)}) |
		[(map(.waited * .calls) | add * 1e9), (map(.switches * .calls) | add | round)] | @tsv' -r out |
		awk '{ print; exit !($1 > $2 * 80000 && $2 >= 60) }'
}

@test "programs that follow each other in a process" {
	by_stamps exec
}

# takes_turns HOW: the first has calls, and the one that does not begin in its turn has none.
# None is longer than the longest of the program, as one across two turns would be.
takes_turns() {
	run -0 --separate-stderr calls stamped,spin,main -j --record rec --force -o out -- "$STAMPED" 80000 "$1"
	echo "$output"
	jq -c '.durations // empty | [.function, .calls, .all, .traced, .max]' out
	[[ $stderr == *"functions are traced in turns of about 200 ms"* ]]
	[[ $stderr == *"main: no call was counted"* ]]
	{ read -r made _ && read -r _ _ longest _; } <<<"$output"
	jq -es --argjson made "$made" --argjson longest "$longest" 'map(.durations // empty) |
		(map(.traced) | add > 3 and add <= 100) and all(.all == null) and .[0].calls > 0 and
		(.[:2] | all(.calls < $made and (.max // 0) * 1e9 <= $longest + 20))' out
}

# The calls of one thread follow each other, so they took no more time than was traced.
# Each spins once, and both come evenly, but on a busy host.
@test "several functions take turns: which share of the time each was traced" {
	takes_turns alone
	elapsed=$(jq -s '.[-1].end.elapsed' rec)
	for function in stamped spin; do
		jq -es --arg name $function --argjson elapsed "$elapsed" --argjson made "$made" '
			(map(.durations // empty | select(.function == $name))[0]) as $of |
			(map(select(.metric == "tma_retiring" and .slow == false and .function == $name)) |
				unique_by(.id) | map(.seconds) | add) <= $of.traced / 100 * $elapsed + 0.001 and
			$of.calls > $made * $of.traced / 500 and $of.calls < $made * $of.traced / 25' out
	done
	"$TDSTAT" report rec -j | jq -c 'del(.time)' >again
	jq -c 'del(.time)' out | diff - again
	"$TDSTAT" report rec | grep -Eq ' stamped: [0-9,]+ calls by pt in [0-9]+ % of the time  p50 '
	takes_turns threads
	takes_turns fork
}

# As tdstat-calls(1) has it, whatever part of the calls probes may count.
@test "another run by probes has as many calls" {
	calls nothing -j -o out -- "$CALLS" 20000 short
	traced=$(of .calls)
	"$TDSTAT" calls nothing --engine=uprobes -j -o out -- "$CALLS" 20000 short
	[ "$(of .calls)" -lt 20000 ] || echo "probes cost nothing here"
	[ "$(of .all)" -eq "$traced" ] && [ "$traced" -eq 20000 ]
}

@test "a million calls" {
	calls nothing -j -o out -- "$CALLS" 1000000 short
	[ "$(of .calls)" -eq 1000000 ]
	# an empty function
	of '.p50 < 1e-6' | grep -qx true
}

@test "without privileges; calls that a small ring loses are not counted" {
	emulated
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" calls --engine=pt job -o /dev/null -- "$CALLS" 1000 threads
	[[ $stderr != *" without counting"* ]]
	sysctl -qw kernel.perf_event_mlock_kb=160
	as_nobody 2 bash -c "ulimit -l 0; '$TDSTAT' calls --engine=pt nothing -j -o out -- '$CALLS' 1000000 short" 2>err
	cat err
	grep -q 'the trace has [0-9]* gaps' err
	grep -q 'calls are not counted, because some of their records were lost' err
	nr=$(of .calls)
	[ "$nr" -gt 100 ] && [ "$nr" -lt 1000000 ]
	# a call across a gap would be longer than all but those that the host stopped
	of '.p99_9 < 1e-4' | grep -qx true
}

@test "chosen without the right to probe; advised where calls are short" {
	emulated
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" calls job -j -o out -- "$CALLS" 1000 threads
	[[ $stderr == *"counting with Processor Trace: probes at functions need root"* ]]
	[ "$(of '"\(.engine) \(.calls)"')" = "pt 1000" ]
	run -0 --separate-stderr "$TDSTAT" calls nothing --overhead 100 -j -o out -- "$CALLS" 200 short
	[[ $stderr == *"nothing: --engine=pt measures the times"* ]]
	run -0 --separate-stderr "$TDSTAT" calls job,nothing --overhead 100 -j -o out -- "$CALLS" 200 short
	[[ $stderr != *--engine=pt* ]]
}

@test "page faults, and calls that never return" {
	calls job -j -o out -- "$CALLS" 2000 faults 20
	# 48 pages each of a hundred calls; without a host that stops the machine, more rows
	jq -s 'map(select(.metric == "tma_retiring" and .slow == false)) | group_by(.id) | map(.[0].faults * (map(.calls) | add)) | add' out |
		awk '{ print; exit !($1 >= 4800 && $1 < 6000) }'
	calls recursive -j -o out -- "$CALLS" 300 recursive
	[ "$(of .calls)" -eq 300 ]
	calls leaves -j -o out -- "$CALLS" 400 longjmp
	[ "$(of .calls)" -eq 400 ]
}

# In slow calls the counters count as if memory was waited for: 68 % of the slots are the
# backend's and 20 % are used, of the other calls 44 % each.
@test "metrics by samples, if they are asked for" {
	emulated
	# calls while the kernel stops sampling are not counted
	sysctl -qw kernel.perf_cpu_time_max_percent=25
	sysctl -qw kernel.perf_event_max_sample_rate=100000
	sysctl -qw kernel.perf_cpu_time_max_percent=0
	run -0 --separate-stderr calls job@"$CALLS" -l 1 --record rec -j -o out -- taskset -c 0 "$CALLS" 3000 dram 20
	[[ $stderr == *"metrics are sampled"* && $stderr != *"had a counter"* ]]
	[ "$(of .calls)" -eq 3000 ]
	jq -rs 'map(select(.slow == true and .pmu == "cpu_core")) | map([.metric, .value, .error] | @tsv) | .[]' out | tee slow
	awk '{ value[$1] = $2; sum += $2; bad += !($3 > 0) }
		END { exit !(NR == 4 && !bad && sum > 95 && sum < 105 && value["tma_backend_bound"] > 58 && value["tma_backend_bound"] < 78 &&
			value["tma_retiring"] > 12 && value["tma_retiring"] < 32) }' slow
	# it is the cause, but where the host was
	of '[.slow.causes[] | select(.clear)][0] | "\(.cause) \(.node)"' | grep -qx 'node tma_backend_bound'
	of '.slow.causes | map(.share) | add | . > 99.99 and . < 100.01' | grep -qx true
	# rows of too few samples have no number, and say why
	jq -es 'map(select(.metric and .value == null)) | length > 0 and all(.why | test("^fewer than 30 |such short calls$|no call ended there"))' out
	jq -es 'map(select(.metric and .value == null and .calls > 1000)) | length > 0 and all(.slots_per_call == null)' out
	"$TDSTAT" report rec -j | jq -c 'del(.time)' >again
	jq -c 'del(.time)' out | diff - again
	# short ones have none, however many samples there are
	run -0 --separate-stderr calls nothing -l 1 -j -o out -- "$CALLS" 300000 short
	jq -es 'map(select(.metric and .took_from < 1e-6)) | length > 0 and all(.value == null)' out
}

# Events of the second function before its turn are in no call: no call has more slots than
# its time on the CPU allows at less than 4 GHz.
@test "metrics by samples, in turns" {
	emulated
	run -0 --separate-stderr calls main,job@"$CALLS" -l 1 -j -o out -- taskset -c 0 "$CALLS" 9000 dram 20
	[[ $stderr == *"functions are traced in turns"* ]]
	jq -rs 'map(select(.slow == true and .function == "job" and .pmu == "cpu_core")) | map([.metric, .value, .error] | @tsv) | .[]' out | tee slow
	awk '{ value[$1] = $2; sum += $2 }
		END { exit !(NR == 4 && sum > 95 && sum < 105 && value["tma_backend_bound"] > 58 && value["tma_backend_bound"] < 78 &&
			value["tma_retiring"] > 12 && value["tma_retiring"] < 32) }' slow
	jq -c 'select(.slow == true and .function == "job" and .slots_per_call) | [.calls, .seconds, .slots_per_call]' out
	jq -es 'map(select(.slow == true and .function == "job" and .slots_per_call)) | length > 0 and
		all(.slots_per_call * .calls < .seconds * 6 * 4e9)' out
}

# Each is of 20 million slots, and a cycle of this core has 5.
@test "samples of an Atom core's cycles represent as many slots as others" {
	command -v strace >/dev/null || skip "no strace"
	type=$(printf 'type=0x%x,' "$(cat /sys/bus/event_source/devices/cpu_atom/type)")
	strace -f -qq -X raw -e trace=perf_event_open -o opens "$TDSTAT" calls --engine=pt job -l 1 -o out -- "$CALLS" 100 dram
	# the look at the start for counters that tasks do not get has no period
	grep -F "$type" opens | sed -E 's/.* config=(0x[0-9a-f]+), sample_period=([0-9]+).*/\1 \2/' | grep -v ' 0$' | sort -u >periods
	cat periods
	[ "$(grep -c ' 20000003$' periods)" -eq 3 ]
	[ "$(grep -v ' 20000003$' periods)" = "0x3c $((20000003 / 5))" ]
}

# Three of eight counters are left for five events.
@test "another program holds most counters: samples are multiplexed" {
	emulated
	events=cpu_core/event=0xc4/D,cpu_core/event=0xc5/D,cpu_core/event=0x2e,umask=0x41/D
	events+=,cpu_core/event=0xd1,umask=1/D,cpu_core/event=0xd1,umask=2/D
	env --default-signal=INT "$TDSTAT" -a -e $events -o other &
	other=$!
	wait_for has_events $other
	run -0 --separate-stderr calls job@"$CALLS" -l 1 -j -o out -- taskset -c 0 "$CALLS" 30000 dram 200
	kill -INT $other
	cat other || true
	[[ $stderr =~ an\ event\ of\ the\ metrics\ had\ a\ counter\ for\ only\ ([0-9]+)\ % ]]
	[ "${BASH_REMATCH[1]}" -ge 20 ] && [ "${BASH_REMATCH[1]}" -le 90 ]
}

@test "a process that runs already, and a recording of it" {
	"$CALLS" 100000000 threads &
	program=$!
	run -0 --separate-stderr calls job -p $program --timeout 1s --record rec -j -o out
	kill $program
	[ "$(of .calls)" -gt 100 ]
	[[ $stderr != *"no call was counted"* ]]
	"$TDSTAT" report rec -j | jq -c 'del(.time)' >again
	jq -c 'del(.time)' out | diff - again
	"$TDSTAT" report rec | grep -q ' job: [0-9,]* calls by pt  p50 '
	# values that were not counted are null
	jq -es 'map(select(.metric)) | all(.value == null and .why == "Processor Trace counts no events")' out
}
