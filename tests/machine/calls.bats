#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: calls
# tdstat calls, of a program that knows how many calls it makes, how long they take by
# its own clock, and why some of them are slow (calls.c).
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --sysctl kernel.perf_cpu_time_max_percent=0 --truth tests/emulator/scenarios/alderlake.truth
# release: spr --sysctl kernel.perf_cpu_time_max_percent=0 --truth tests/emulator/scenarios/sapphirerapids.truth

# shellcheck disable=SC2154 # stderr, of run
load helper
load nobody

ROOT=$BATS_TEST_DIRNAME/../..
PROGRAM=$ROOT/build/tests/machine/calls
MARKED=$ROOT/build/tests/machine/regions

# The cost of probes is counted in the program's own scenario, as on silicon.  On the
# emulated machine it is so large that few calls would be counted without --overhead.
calls() {
	timeout -s KILL "$TD_HANGS" "$ROOT/build/emulator/act" 1ms:ports -- "$TDSTAT" calls --overhead=100 "$@"
}

# of FUNCTION FILTER: filter the function's line of durations in the file "out"
of() {
	jq -r --arg name "$1" "select(.durations.function == \$name).durations | $2" out
}

# Where causes matter, 20 or more calls take 30 ms, which is longer than a busy host stops
# an emulated CPU: those that it makes slow are few among the slow ones.

# share CAUSE [NODE]: of the longer time of slow calls, as a whole number
share() {
	of job "[.slow.causes[] | select(.cause == \"$1\" and .clear${2:+ and .node == \"$2\"}).share] | add // 0 | round"
}

# mostly NODE: the node explains most of the extra time that the host, for example its
# interrupts, did not cause
mostly() {
	local of

	of=$(share node "$1")
	[ "$of" -ge 20 ] && [ $((2 * of)) -gt "$(share node)" ]
}

# The slow calls are the program's.
slow_are() {
	[ "$(of job '.slow.calls | round')" -ge "$1" ]
	jq -es 'map(select(.durations).durations.slow.causes | map(.share) | add) | all(. > 99.99 and . < 100.01)' out
}

# --- calls ------------------------------------------------------------------------

@test "all calls are counted, of one thread, of several, and of children" {
	for how in short threads fork; do
		name=job
		[ $how != short ] || name=nothing
		calls $name -j -o out -- "$PROGRAM" 4000 $how
		[ "$(of $name .calls)" -eq 4000 ]
		# each is in one row
		[ "$(jq -s 'map(select(.metric == "tma_retiring" and .slow == false)) | map(.calls) | add' out)" -eq 4000 ]
	done
}

@test "recursion, and calls that do not return" {
	run -0 --separate-stderr calls recursive -j -o out -- "$PROGRAM" 300 recursive
	[ "$(of recursive .calls)" -eq 300 ]
	[[ $stderr == *"recursive: 900 calls were made within another call"* ]]
	run -0 --separate-stderr calls leaves -j -o out -- "$PROGRAM" 400 longjmp
	[ "$(of leaves .calls)" -eq 300 ]
	[[ $stderr == *"leaves: 100 calls had no return"* ]]
}

@test "several functions, one of which calls the other" {
	calls job,spin -j -o out -- taskset -c 0 "$PROGRAM" 1000 short
	run -0 calls job,spin@"$PROGRAM" -j -o out -- taskset -c 0 "$PROGRAM" 1000 dram 10
	[ "$(of job .calls)" -eq 1000 ]
	[ "$(of spin .calls)" -eq 1100 ]
}

# The program's own clock runs within the call, so it lacks what the probes cost there,
# and what a busy host stops in a probe: that is in single calls, and so not in the median.
@test "times of long calls are those of the program's clock" {
	run -0 --separate-stderr calls job@"$PROGRAM" -j -o out -- taskset -c 0 "$PROGRAM" 100 sleep 1
	echo "$output"
	read -r made sum median longest <<<"$output"
	[ "$(of job .calls)" -eq "$made" ]
	of job '"\(.p50 * 1e9) \(.max * 1e9)"' | awk -v median="$median" -v longest="$longest" '
		{ print; exit !($1 > 0.97 * median && $1 < 1.05 * median + 500000 && $2 > 0.97 * longest) }'
	jq -s 'map(select(.metric == "tma_retiring" and .slow == false)) | map(.seconds) | add * 1e9' out |
		awk -v want="$sum" '{ print $1, want; exit !($1 > 0.97 * want && $1 < 1.1 * want) }'
}

@test "as many as perf probe and perf record count" {
	perf_or_skip
	"$PERF" probe -q -x "$PROGRAM" spin || skip "no perf probe"
	"$PERF" record -q -e probe_calls:spin -o data "$PROGRAM" 1000 dram 10 >/dev/null
	"$PERF" probe -q -d 'probe_calls:*'
	calls spin@"$PROGRAM" -j -o out -- "$PROGRAM" 1000 dram 10
	[ "$("$PERF" script -i data -F comm 2>/dev/null | wc -l)" -eq "$(of spin .calls)" ]
}

# --- causes -----------------------------------------------------------------------

@test "slow by memory" {
	calls job@"$PROGRAM" -j -o out -- taskset -c 0 "$PROGRAM" 1000 dram 50 30
	slow_are 3
	mostly tma_backend_bound
	[ "$(share waited)" -le 5 ]
	calls job@"$PROGRAM" -l 2 -j -o out -- taskset -c 0 "$PROGRAM" 1000 dram 50 30
	# where too few calls are around the median, its parts are not known
	[ $(($(share node tma_memory_bound) + $(share node tma_backend_bound))) -ge 20 ]
}

@test "slow by sleeping" {
	calls job@"$PROGRAM" -j -o out -- taskset -c 0 "$PROGRAM" 1000 sleep 50 30
	slow_are 3
	[ "$(share waited)" -ge 40 ]
	[ "$(share waited)" -gt "$(share node tma_backend_bound)" ]
	# each of them loses its CPU; the host makes others slow
	jq -es 'map(select(.slow)) | length > 0 and all(.switches > 0.3 and .on_cpu < 90)' out
	jq -es 'map(select(.metric and .slow == false and .calls > 200)) | all(.switches < 0.1)' out
}

@test "slow by interrupts" {
	run -0 --separate-stderr calls job@"$PROGRAM" --record rec -j -o out -- taskset -c 0 "$PROGRAM" 1000 interrupts 20
	slow_are 3
	[ "$(share interrupts)" -ge 50 ]
	[ "$(share interrupts)" -gt "$(share node tma_backend_bound)" ]
	# as long as the program's clock stood still; a few came before its loop
	read -r _ _ _ _ stood <<<"$output"
	jq -s 'map(select(.metric == "tma_retiring" and .slow == false)) |
		(map(.interrupted * .calls) | add * 1e9), (map(.seconds) | add * 1e9)' out | xargs |
		awk -v stood="$stood" '{ print $0, stood; exit !($1 > 0.8 * stood && $1 < $2) }'
	"$TDSTAT" report rec | tr -s ' \n' '  ' | grep -Eq 'Of that: [0-9]+ % interrupts'
	# where there are few, they are not the cause
	calls job@"$PROGRAM" -j -o out -- taskset -c 0 "$PROGRAM" 1000 sleep 50 30
	slow_are 3
	[ "$(share interrupts)" -le 20 ]
	of job '.slow.causes[0].cause' | grep -qvx interrupts
}

@test "interrupts that cannot be measured" {
	# the twelve tracepoints on four CPUs are too many, all else is not; root may open more
	if [ -d /sys/bus/event_source/devices/cpu_atom ]; then
		run -0 --separate-stderr setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource bash -c \
			"ulimit -n 100; '$TDSTAT' calls nothing --overhead=100 -j -o out -- '$PROGRAM' 100 short"
		[[ $stderr == *"interrupts are not counted: too many open files: ulimit -Hn allows more"* ]]
		[ "$(of nothing .calls)" -eq 100 ]
	fi
	mount -t tmpfs none /sys/kernel/tracing/events/irq_vectors || skip "nothing is mounted over tracefs"
	run -0 --separate-stderr calls job@"$PROGRAM" --record rec -j -o out -- taskset -c 0 "$PROGRAM" 1000 sleep 50 30
	umount /sys/kernel/tracing/events/irq_vectors
	slow_are 3
	[[ $stderr == *"tdstat: interrupts are not counted: no tracepoint is called 'irq_vectors:local_timer_entry'"* ]]
	jq -es 'map(select(.metric and .function)) | length > 0 and all(.interrupted == null)' out
	[ "$("$TDSTAT" report rec | tr -s ' \n' '  ' | grep -c 'Interrupts were not counted\.')" -eq 1 ]
}

@test "slow by page faults" {
	run -0 --separate-stderr calls job@"$PROGRAM" -o out -- taskset -c 0 "$PROGRAM" 2000 faults 20
	cat out
	# 48 pages each, but for calls that the host made slow
	grep -Eq 'Slow vs typical call: [2-5][0-9]\.[0-9] vs 0\.0 page faults' <(tr -s ' \n' '  ' <out)
}

@test "slow by another core type" {
	[ "$(ls -d /sys/bus/event_source/devices/cpu_atom 2>/dev/null)" ] || skip "there is one kind of core"
	# on a P-core from the start: otherwise typical calls on E-cores are fast ones
	calls job@"$PROGRAM" -j -o out -- taskset -c 0 "$PROGRAM" 1000 atom 50 30
	slow_are 3
	# interrupts and what else the host adds aside
	[ "$(share 'other core')" -gt 20 ]
	[ "$(share 'other core')" -gt "$(share node)" ]
}

# Half of the calls are on each core type, and so are half of the slow ones, of which at
# least 30 can be distinguished on each.
# shellcheck disable=SC2016 # sh -c
both=(sh -c 'taskset -c 3 "$0" 4000 dram 100 30 & taskset -c 0 "$0" 4000 dram 100 30; wait' "$PROGRAM")

@test "slow by memory, on both core types: no type is a cause" {
	[ "$(ls -d /sys/bus/event_source/devices/cpu_atom 2>/dev/null)" ] || skip "there is one kind of core"
	calls job@"$PROGRAM" -j -o out -- "${both[@]}"
	slow_are 1
	[ "$(jq -s 'map(select(.slow and .metric == "tma_retiring" and .calls > 20)) | length' out)" -eq 2 ]
	mostly tma_backend_bound
	[ "$(share 'other core')" -lt $(($(share node tma_backend_bound) / 2)) ]
}

@test "calls that are alike have no slow ones" {
	run -0 calls spin@"$PROGRAM" -j -o out -- "$PROGRAM" 20 short
	jq -es 'map(select(.durations)) | all(.durations.slow == null)' out
}

# --- --overhead -------------------------------------------------------------------

@test "calls that are too frequent are counted in a part of the time, with a note" {
	"$TDSTAT" calls job --overhead=10 --record rec -j -o out -- "$PROGRAM" 12000 dram 100
	"$TDSTAT" report rec >text
	of job 'del(.slowest, .slow)'
	[ "$(of job .all)" -eq 12000 ]
	counted=$(of job .calls)
	[ "$counted" -ge 50 ] && [ "$counted" -le 8000 ]
	# rows have the calls that were counted, as they are
	[ "$(jq -s 'map(select(.metric == "tma_retiring" and .slow == false)) | map(.calls) | add' out)" -eq "$counted" ]
	grep -Eq '^ job: [0-9,]+ of 12,000 calls by uprobes  p50 ' text
	# long ones are not left out: of 100 calls one takes 6 ms, a quarter of a stretch
	slow=$(jq -s 'map(select(.metric == "tma_retiring" and .slow == false and .took_from > 0.0045)) | map(.calls) | add // 0' out)
	echo "$slow slow of $counted"
	awk -v slow="$slow" -v of="$counted" 'BEGIN { want = of / 100; exit !(slow > want - 4 * sqrt(want) - 2 && slow < 4 * want + 10) }'
	# without a ring that was full, no record is lost
	run -0 --separate-stderr "$TDSTAT" calls job --overhead=20 -j -o out -- "$PROGRAM" 8000 fork
	[[ $stderr == *'the ring buffers were full'* || $stderr != *'because some of their records were lost'* ]]
	# no rare call is left out
	"$TDSTAT" calls by_sleep --overhead=30 -j -o out -- "$PROGRAM" 400 sleep 10
	[ "$(of by_sleep '"\(.calls) \(.all)"')" = "40 40" ]
}

# --- the kernel -------------------------------------------------------------------

@test "functions of the kernel: as many calls as the program makes, and why they take long" {
	run -0 --separate-stderr calls -k hrtimer_nanosleep,do_sys_openat2 -j -o out -- "$PROGRAM" 1000 sleep 20
	[ "$(of hrtimer_nanosleep '"\(.engine) \(.calls)"')" = "kprobes 50" ]
	# each sleeps 6 ms
	of hrtimer_nanosleep '.p50 > 0.0059 and .p50 < 0.012' | grep -qx true
	jq -es 'map(select(.function == "hrtimer_nanosleep" and .metric == "tma_retiring" and .slow == false)) |
		(map(.waited * .calls) | add) / (map(.calls) | add) > 0.005' out
	[ "$(of do_sys_openat2 .calls)" -ge 1 ]
	# only from this program, whatever other programs do
	[ ! -s /sys/kernel/tracing/kprobe_events ]
	run -0 --separate-stderr calls -k no_such_function -o out -- true
	[[ $stderr == *"no_such_function in the kernel: the kernel refuses a probe"*available_filter_functions*" without counting"* ]]
}

@test "a function of the kernel that calls another one: both are counted" {
	calls -k ksys_read,vfs_read -j -o out -- head -c 5000 /dev/zero >/dev/null
	inner=$(of vfs_read .calls)
	[ "$(of ksys_read .calls)" -ge 2 ] && [ "$inner" -ge "$(of ksys_read .calls)" ]
}

# --- locate -----------------------------------------------------------------------

# within SLOW OF-CALLS WITHIN OF-SAMPLES: the numbers of calls and samples in locate's note
within() {
	sed -nE 's/^tdstat: job: ([0-9]+) of ([0-9]+) calls took .* longer; samples in them: ([0-9]+) of ([0-9]+)$/\1 \2 \3 \4/p' <<<"$stderr"
}

# Calls of 20 us, one of a hundred 6 ms more, in which memory is waited for.
@test "locate samples only slow calls" {
	local dram=(taskset -c 0 "$PROGRAM" 3000 dram 100) event=tma_dram_bound
	run -0 --separate-stderr "$TDSTAT" locate $event --in job@"$PROGRAM" --slower 5ms -o out -- "${dram[@]}"
	read -r slow calls within samples < <(within)
	echo "$slow $calls $within $samples"
	[ "$calls" -eq 3000 ]
	# the host makes others slow, too
	[ "$slow" -ge 30 ] && [ "$slow" -le 300 ]
	# such a call has many times the samples of another one, to which a slow host adds some
	[ "$within" -ge 50 ] && [ $((within * (calls - slow))) -ge $((5 * (samples - within) * slow)) ]
	grep -q '^ only in calls of job@.* that took 5 ms or longer$' out
	grep -Eq "[^0-9]$within samples of about" out
	# formats for programs say of what, too
	"$TDSTAT" locate $event --in job@"$PROGRAM" --slower 5ms -j -o out -- "${dram[@]}" >/dev/null
	command jq -es --arg in "job@$PROGRAM" '(.[0] | has("tdstat_rows") and .in == $in and .slower == 0.005) and
		(.[1:] | length > 0 and all(.in == $in and .slower == 0.005))' out >/dev/null
	"$TDSTAT" locate $event --in job@"$PROGRAM" --head -x, -o out -- "${dram[@]}" >/dev/null
	grep -qx "# in: job@$PROGRAM" out
	grep -q ",caller,in,slower,sampled$" out
	grep -q ",job@$PROGRAM,,$" out
	# cycles are of the others, too
	run -0 --separate-stderr "$TDSTAT" locate -e cycles --in job@"$PROGRAM" --slower 5ms -o out -- "${dram[@]}"
	read -r slow calls within samples < <(within)
	echo "$slow $calls $within $samples"
	[ $((within * 10)) -le $((samples * 9)) ]
	run -0 --separate-stderr "$TDSTAT" locate -e cycles --in job@"$PROGRAM" --slower 100s -o out -- "${dram[@]}"
	[ "$(within | cut -d' ' -f1-3)" = "0 3000 0" ]
	# calls that do nothing are mostly probes, which are within them
	run -0 --separate-stderr "$TDSTAT" locate -e cycles --in nothing@"$PROGRAM" -o out -- "$PROGRAM" 4000 short
	[[ $stderr =~ 'the probes took about '[0-9]+' % of the CPU time: '[0-9.]+' us for each of 4000 calls' ]]
	[ ! -s /sys/kernel/tracing/uprobe_events ]
}

@test "the suggested commands name the slow calls" {
	run -0 --separate-stderr calls job@"$PROGRAM" -l 2 -j -o out -- taskset -c 0 "$PROGRAM" 3000 dram 50
	node=$(of job '.slow.causes[0].node')
	[[ $node != *retiring && $node != *operations ]] || skip "the host was busy"
	# three digits, as the table has them
	from=$(of job '.slow.from * 1e3')
	[[ $stderr =~ "what next: tdstat locate $node --in job@$PROGRAM --slower "([0-9.]+)ms" -- taskset" ]]
	awk -v from="$from" -v shown="${BASH_REMATCH[1]}" 'BEGIN { exit !(shown / from > 0.995 && shown / from < 1.005) }'
}

# --- marks ------------------------------------------------------------------------

# The results agree with "tdstat regions --calls" of the same program (durations.bats
# compares that with its clock).
@test "regions that the program marks, instead of functions" {
	run -0 --separate-stderr taskset -c 0 "$TDSTAT" calls one --record rec -j -o out -- "$MARKED" mixed 160 7500
	[[ $stderr == *"counting with the program's marks: "*"no function one"* ]]
	[ "$(of one '"\(.engine) \(.calls)"')" = "marks 160" ]
	[ "$(jq -s 'map(select(.metric == "tma_retiring" and .slow == false)) | map(.calls) | add' out)" -eq 160 ]
	# one of four waits for memory, for 60 ms
	of one '.p90 > 0.055' | grep -qx true
	# the first cause, but on a busy host
	node=$(of one '.slow.causes[0] | select(.clear and .node != null).node')
	[[ -z $node || $stderr == *"tdstat: what next: tdstat calls -l 2 one -- $MARKED mixed 160 7500"* ]]
	run -0 --separate-stderr taskset -c 0 "$TDSTAT" calls one -l 2 --engine=marks -j -o again -- "$MARKED" mixed 160 7500
	node=$(jq -r 'select(.durations).durations.slow.causes[0] | select(.clear and .node != null).node' again)
	[[ -z $node || $node == *operations || $stderr == *"tdstat: what next: tdstat locate $node -- $MARKED mixed 160 7500"* ]]
	[ "$(jq -s 'map(select(.metric and .function != "one")) | length' out)" -eq 0 ]
	"$TDSTAT" report rec | grep -q ' one: 160 calls by marks  p50 '
	run ! grep -q 'inf\|nan' <("$TDSTAT" report rec -x,)
}

@test "marks without rights; regions that there are not" {
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" calls main -o /dev/null -- "$MARKED" mixed 160 500
	[[ $stderr == *"counting with the program's marks: "*CAP_SYS_ADMIN* ]]
	[[ $stderr == *"main: no such region; the marked regions are one"* ]]
	run -0 --separate-stderr calls two --engine=marks -j -o out -- "$MARKED" mixed 16 500
	[[ $stderr == *"two: no such region; the marked regions are one"* ]]
	run -0 calls job,spin@"$PROGRAM" -o out -- "$PROGRAM" 100 threads
	grep -q ' job: 100 calls by uprobes ' out
}

# --- proof ------------------------------------------------------------------------

# cause WAY: what the report names for the slow calls: "right", "wrong" (what another way
# would be), or "none" (nothing that is most of it for sure, as the next cause is as
# much, but for their errors)
cause() {
	local first faults
	first=$(of job '[.slow.causes[]? | select(.clear)] |
		select(length > 0 and .[0].share >= 40) |
		select(length < 2 or .[0].share - .[1].share > (.[0].error * .[0].error + .[1].error * .[1].error | sqrt)) |
		"\(.[0].cause) \(.[0].node // "")"')
	faults=$(jq -rs 'map(select(.slow == true and .metric == "tma_retiring")) | map(.faults) | max // 0 | . > 10' out)
	case $1,$first,$faults in
	dram,"node tma_backend_bound",false | both,"node tma_backend_bound",false | sleep,"waited "*,false | atom,"other core "*,false | \
		interrupts,"interrupts "*,false) echo right ;;
	faults,"waited "* | faults,"other core "* | faults,"interrupts "*) echo wrong ;;
	faults,*,true) echo right ;;
	dram,"waited "* | dram,"other core "* | both,"waited "* | both,"other core "* | sleep,"other core "* | sleep,"node tma_backend"* | \
		atom,"waited "* | atom,"node tma_backend"* | interrupts,"waited "* | interrupts,"other core "* | \
		interrupts,"node tma_backend"* | *,"interrupts "*,* | *,true) echo wrong ;;
	*) echo none ;;
	esac
}

# As the issue has it: in a hundred runs the right cause in 95, and never a wrong one.
@test "the right cause is named in 95 of 100 runs, and a wrong one never" {
	[ -n "${TD_EVERYTHING-}" ] || skip "takes minutes: TD_EVERYTHING=1"
	local ways=(dram sleep faults interrupts) runs=${TD_RUNS:-100} made
	[ ! -d /sys/bus/event_source/devices/cpu_atom ] || ways+=(atom both)
	for ((i = 0; i < runs; i++)); do
		way=${ways[i % ${#ways[@]}]}
		made=(taskset -c 0 "$PROGRAM" 1000 "$way" 50 30)
		[ "$way" != both ] || made=("${both[@]}")
		calls job@"$PROGRAM" -j -o out -- "${made[@]}" >/dev/null 2>&1
		# counted calls are made calls
		[ $(($(of job .calls) % 1000)) -eq 0 ]
		echo "$way $(cause "$way") $(of job '[.slow.causes[]? | select(.clear) | "\(.cause)/\(.node // "") \(.share | round)"] | join(", ")')" | tee -a named
	done
	cut -d' ' -f1,2 named | sort | uniq -c
	run ! grep -q '^[a-z]* wrong' named
	[ $(($(grep -c '^[a-z]* right' named) * 100)) -ge $((runs * 95)) ]
}

# --- around it --------------------------------------------------------------------

@test "a process that runs already" {
	"$PROGRAM" 100000000 threads &
	program=$!
	run -0 --separate-stderr calls job -p $program --timeout 1s -j -o out
	kill $program
	[ "$(of job .calls)" -gt 100 ]
	[ "$(of job '.slowest | length')" -eq 10 ]
}

@test "a recording gives the same, in all formats" {
	calls job@"$PROGRAM" --record rec -j -o out -- taskset -c 0 "$PROGRAM" 2000 dram 20
	"$TDSTAT" report rec -j | jq -c 'del(.time)' >again
	jq -c 'del(.time)' out | diff - again
	"$TDSTAT" report rec -x, >csv
	# all calls are in rows, and all of their time
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["slow"] == 0 { calls += $at["calls"]; share += $at["time_share"] }
		END { print calls, share; exit !(calls == 2000 && share > 99.5 && share < 100.5) }' csv
	"$TDSTAT" report rec --html page
	grep -q 'job from' page
}

@test "probes are gone afterwards, those of one that was killed with the next run" {
	calls nothing -o out -- "$PROGRAM" 10 short
	[ ! -s /sys/kernel/tracing/uprobe_events ]
	# the command continues
	"$TDSTAT" calls job -o out -- "$PROGRAM" 10000000 sleep 1 &
	killed=$!
	until grep -q tdstat_$killed /sys/kernel/tracing/uprobe_events; do sleep 0.1; done
	# before that, tdstat measures the cost of probes with probes of its own
	until program=$(pgrep -P $killed -x "$(basename "$PROGRAM" | cut -c1-15)"); do sleep 0.1; done
	kill -KILL $killed
	wait $killed || true
	kill -0 "$program"
	calls nothing -o out -- "$PROGRAM" 10 short
	kill "$program"
	[ ! -s /sys/kernel/tracing/uprobe_events ]
}

@test "the command's status is handed on; without rights it runs" {
	run -7 calls job@"$PROGRAM" -o out -- sh -c "$PROGRAM 10 threads; exit 7"
	run -0 --separate-stderr as_nobody 2 "$TDSTAT" calls nothing -o /dev/null -- "$PROGRAM" 10 short
	[[ $stderr == *CAP_SYS_ADMIN* && $stderr == *" without counting"* ]]
}
