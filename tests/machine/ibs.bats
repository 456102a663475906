#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# AMD's instruction-based sampling: tdstat locate by it, and perf beside it, of programs
# whose functions play known scenarios (act.c).
# machine: zen4 --sysctl kernel.perf_cpu_time_max_percent=0 --sysctl kernel.kptr_restrict=0 --truth tests/emulator/scenarios/amdzen4.truth
# machine: zen4 --no-ibs --truth tests/emulator/scenarios/amdzen4.truth
# release: zen5 --sysctl kernel.perf_cpu_time_max_percent=0 --sysctl kernel.kptr_restrict=0 --truth tests/emulator/scenarios/amdzen4.truth
# release: zen5 --kernel newest --sysctl kernel.perf_cpu_time_max_percent=0 --sysctl kernel.kptr_restrict=0 --truth tests/emulator/scenarios/amdzen4.truth

# shellcheck disable=SC2154 # stderr, of run
load helper
load nobody

ROOT=$BATS_TEST_DIRNAME/../..
ACT=$ROOT/build/emulator/act
TRUTH=$ROOT/tests/emulator/scenarios/amdzen4.truth
DEVICES=/sys/bus/event_source/devices

# In turns, so that what the host does concerns all of them.
TURNS=(250ms:dram_latency 250ms:icache 250ms:balanced)
TURNS+=("${TURNS[@]}" "${TURNS[@]}" "${TURNS[@]}")

with_ibs() {
	emulated
	[[ $TD_MACHINE_ARGS != *--no-ibs* ]] || skip "a machine without IBS"
}

locate() {
	timeout -s KILL "$TD_HANGS" "$TDSTAT" locate "$@"
}

any_row() {
	grep -q '"share":' out
}

# enough samples to distinguish functions: in the table, or in the rows in JSON
enough_samples() {
	sed -nE 's/.* ([0-9,]+) samples of about .*/\1/p; s/.*"samples":([0-9]+).*/\1/p' out | tr -d , |
		awk '{ sum += $1 } END { exit sum < 30 }'
}

# a_ns SCENARIO EVENT: how often it happens, by the truth file
a_ns() {
	awk -v s="$1" -v name="$2" '
		$1 == "scenario" { here = $2 == s }
		here && $1 == "ghz" { ghz = $2 }
		here && $1 == "event" && $5 == name { print $4 * ghz }' "$TRUTH"
}

# near GOT WANTED BY
near() {
	awk -v a="$1" -v b="$2" -v by="$3" 'BEGIN {
		print a ", wanted " b " by " by
		exit !(a != "" && a - b <= by && b - a <= by) }'
}

# part_of NAME: of lines of a name and a number, in per cent
part_of() {
	awk -v name="$1" '{ all += $2 } $1 == name { own = $2 } END { print 100 * own / all }'
}

# share FUNCTION: of the table in JSON, in % of the three functions
share() {
	jq -rs --arg f "$1" 'map(select(.function // "" | startswith("scenario_"))) |
		100 * (map(select(.function == $f) | .share) | add // 0) / (map(.share) | add)' out
}

error_of() {
	jq -rs --arg f "$1" 'map(select(.function == $f) | .error)[0] // 100' out
}

# perf_shares: of the functions in perf's report, as lines of share and function
perf_shares() {
	timeout -s KILL "$TD_HANGS" "$PERF" report -i data --stdio -F overhead,sym 2>/dev/null |
		sed -nE 's/^ *([0-9.]+)% +\[[.]\] +(scenario_[a-z_]+).*/\1 \2/p'
}

# --- tdstat profile, which needs none of it ----------------------------------------

# is FUNCTION SCENARIO: what the functions' level 1 was wanted to be, and the truth made of
is() {
	local node wanted
	for node in retiring bad_speculation frontend_bound backend_bound; do
		# the column of the scenario
		wanted=$(awk -v s="$2" -v n="$node" '
			$1 == "node" { for (i = 1; i <= NF; i++) if ($i == s) at = i }
			$1 == n { print $at }' "$ROOT/tests/emulator/scenarios/wanted.zen")
		near "$(jq -rs --arg f "$1" --arg n "$node" 'map(select(.id == $f and .metric == $n))[0].value // ""' out)" "$wanted" 1
	done
}

@test "profile: level 1 of each function" {
	[[ $TD_MACHINE_ARGS == *perf_cpu_time_max_percent=0* ]] || skip "the kernel stops sampling"
	# the watchdog has one of six counters
	echo 1 >/proc/sys/kernel/nmi_watchdog
	run -0 --separate-stderr timeout -s KILL "$TD_HANGS" "$TDSTAT" profile -j -o out -- taskset -c 0 "$ACT" "${TURNS[@]}"
	[[ $stderr == *"not counted, because there are too few counters for all events at once, and none is multiplexed: smt_contention"* ]]
	for name in dram_latency icache balanced; do is scenario_$name $name; done
	jq -es 'map(select(.metric == "smt_contention")) | length > 0 and all(.value == null)' out
	echo 0 >/proc/sys/kernel/nmi_watchdog
	run -0 --separate-stderr timeout -s KILL "$TD_HANGS" "$TDSTAT" profile -j -o out -- taskset -c 0 "$ACT" "${TURNS[@]}"
	[[ $stderr != *smt_contention* ]]
	for name in dram_latency icache balanced; do is scenario_$name $name; done
	near "$(jq -rs 'map(select(.id == "scenario_icache" and .metric == "smt_contention"))[0].value' out)" 3 1
	echo 1 >/proc/sys/kernel/nmi_watchdog
}

# --- the emulated units, under perf's eyes ----------------------------------------

# by_rate EVENT PERIOD NAME: each function has the samples that its rate gives it
by_rate() {
	timeout -s KILL "$TD_HANGS" "$PERF" record -q -e "$1" -c "$2" -o data taskset -c 1 "$ACT" "${TURNS[@]}"
	perf_shares >shares
	cat shares
	local all name other
	all=$(awk '{ sum += $1 } END { print sum }' shares)
	for name in dram_latency icache balanced; do
		near "$(awk -v f="scenario_$name" -v all="$all" '$2 == f { print 100 * $1 / all }' shares)" \
			"$(for other in dram_latency icache balanced; do echo "$other $(a_ns $other "$3")"; done | part_of $name)" 8
	done
}

@test "perf record: operations, cycles and fetches by their rates" {
	with_ibs
	perf_or_skip
	by_rate ibs_op/cnt_ctl=1/ 16000000 DE_SRC_OP_DISP.ALL
	by_rate ibs_op// 8000000 LS_NOT_HALTED_CYC
	by_rate ibs_fetch// 4000000 OP_CACHE_HIT_MISS.ALL_OP_CACHE_ACCESSES
}

@test "perf mem: loads from DRAM are those of the function that waits for it" {
	with_ibs
	perf_or_skip
	timeout -s KILL "$TD_HANGS" "$PERF" mem record -q -a -o data -- "$ACT" "${TURNS[@]}"
	timeout -s KILL "$TD_HANGS" "$PERF" mem report -i data --stdio --sort mem,sym 2>/dev/null >levels
	# the largest part of the weight, without idle CPUs, whose loads a busy host makes long
	run -0 awk '/%/ && !/N\/A/ { print; exit }' levels
	[[ $output == *RAM\ hit* && $output == *scenario_dram_latency* ]]
	timeout -s KILL "$TD_HANGS" "$PERF" script -i data -F ip,sym,data_src >sources
	grep -q 'L1 hit.*scenario_balanced' sources
	grep -q 'L2 hit.*scenario_balanced' sources
}

@test "perf: only misses of L3" {
	with_ibs
	perf_or_skip
	timeout -s KILL "$TD_HANGS" "$PERF" record -q -d -W -e ibs_op/cnt_ctl=1,l3missonly=1/ -c 100000 -o data "$ACT" 2s:dram_latency
	timeout -s KILL "$TD_HANGS" "$PERF" script -i data -F data_src >sources
	[ "$(wc -l <sources)" -ge 10 ]
	run ! grep -v 'RAM hit' sources
}

# --- locate -----------------------------------------------------------------------

# waits SCENARIO: for data, and for addresses (qemu/ibs.c has the cycles of these)
waits() {
	local loads stores both all walks
	loads=$(a_ns "$1" LS_DISPATCH.LD_DISPATCH)
	both=$(a_ns "$1" LS_DISPATCH.LD_ST_DISPATCH)
	stores=$(a_ns "$1" LS_DISPATCH.STORE_DISPATCH)
	all=$(a_ns "$1" LS_L1_D_TLB_MISS.ALL)
	walks=$(a_ns "$1" LS_L1_D_TLB_MISS.ALL_L2_MISS)
	awk -v data="$(a_ns "$1" LS_ALLOC_MAB_COUNT)" -v l="$loads" -v b="$both" -v s="$stores" -v all="$all" -v walks="$walks" \
		'BEGIN { print data + (l + b) / (l + b + s) * (7 * (all - walks) + 40 * walks) }'
}

@test "memory: each function has the part of the waiting that it has by the truth" {
	with_ibs
	turns=(SECONDS00ms:dram_latency SECONDS00ms:l2_bound SECONDS00ms:page_walks)
	for_longer enough_samples run -0 --separate-stderr locate backend_bound_memory --all-user -F 4000 -j -o out -- \
		taskset -c 1 "$ACT" "${turns[@]}" "${turns[@]}" "${turns[@]}" "${turns[@]}"
	run ! grep -vE '^$|samples represent|kernel stopped sampling|samples a second, not' <<<"$stderr"
	jq -es 'map(select(.function)) | all(.node == "backend_bound_memory" and .event == "ibs_op/cnt_ctl=1/")' out
	for name in dram_latency l2_bound page_walks; do
		near "$(share scenario_$name)" \
			"$(for other in dram_latency l2_bound page_walks; do echo "$other $(waits $other)"; done | part_of $name)" \
			"$(awk -v e="$(error_of scenario_$name)" 'BEGIN { print 3 + 1.5 * e }')"
	done
}

@test "the front end: the function that misses the instruction cache" {
	with_ibs
	for node in frontend_bound frontend_bound_latency; do
		for_longer enough_samples locate $node --all-user -j -o out -- taskset -c 1 "$ACT" "${TURNS[@]/250ms/SECONDS00ms}"
		jq -es 'map(select(.function)) | all(.node | startswith("frontend_bound"))' out
		jq -s 'map(select(.function // "" | startswith("scenario_")) | {function, share, error, samples})' out
		jq -es 'map(select(.function == "scenario_icache")) | .[0].share + .[0].error >= 90' out
	done
}

@test "without a node: the biggest loss is found, then sampled, in cycles instead of events" {
	with_ibs
	[ "$TD_MACHINE" = zen4 ] || skip "the rates are of Zen 4, which is 6 wide"
	for_longer enough_samples run -0 --separate-stderr locate -o out -- "$ACT" SECONDSs:dram_latency
	[[ $stderr == *"biggest loss on "*": backend_bound_memory"* ]]
	grep -qE '^ ibs_op/cnt_ctl=1/, [0-9,]+ samples of about [0-9,]+ cycles$' out
	# interrupts have a share, which grows where the host is slow
	awk '/%/ { exit !/scenario_dram_latency/ }' out
	for_longer enough_samples run -0 --separate-stderr locate -o out -- "$ACT" SECONDSs:icache
	[[ $stderr == *"biggest loss on "*": frontend_bound"* ]]
	grep -qE '^ ibs_fetch//, [0-9,]+ samples of about [0-9,]+ cycles$' out
	# and the tree names the command
	run -0 --separate-stderr "$TDSTAT" -l 2 -- "$ACT" 1s:dram_latency
	[[ $stderr == *"Where: "*"tdstat locate backend_bound_memory"* ]]
}

@test "-c default: it has no period, so the command runs once, and is not counted first" {
	with_ibs
	run -3 --separate-stderr locate -c default -x, -- sh -c 'echo ran; exit 3'
	[ "$output" = ran ]
	[[ $stderr == *"-c default: a node of AMD has no recommended period"*"running sh without counting" ]]
	run -64 --separate-stderr locate -c default -e ibs_op// -- echo ran
	[ -z "$output" ]
}

@test "a running process, CPUs and the whole machine; only the kernel" {
	with_ibs
	"$ACT" -n 2 1000s:icache &
	act=$!
	for target in "-p $act" -a "-C 0-3"; do
		# shellcheck disable=SC2086 # two words
		for_longer enough_samples locate frontend_bound --all-user $target --timeout SECONDSs -j -o out
		jq -es '.[0].function == "scenario_icache" or .[1].function == "scenario_icache"' out
		jq -es 'map(select(.share)) | all(.object != "[kernel]")' out
	done
	for_longer any_row locate frontend_bound --all-kernel -p $act --timeout SECONDSs -j -o out
	kill $act
	jq -es 'map(select(.share)) | length > 0 and all(.object == "[kernel]" or (.object | startswith("[")))' out
}

@test "typed events: uops, not only waiting ones" {
	with_ibs
	for_longer enough_samples locate -e ibs_op/cnt_ctl=1/ --all-user -o out -- taskset -c 1 "$ACT" SECONDSs:dram_latency SECONDSs:balanced
	grep -qE '^ ibs_op/cnt_ctl=1/, [0-9,]+ samples of about [0-9,]+ events$' out
	awk '/%/ { exit !/scenario_balanced/ }' out
}

@test "samples that are kept, and stacks, are of the same cycles" {
	with_ibs
	for_longer enough_samples locate backend_bound_memory --all-user --samples samples --force --folded stacks \
		--pprof profile --flame flame.svg -o out -- taskset -c 1 "$ACT" SECONDSs:dram_latency 500ms:balanced
	"$TDSTAT" report --locate --folded again -o table samples
	# but for the date of each
	diff <(tail -n +2 out) <(tail -n +2 table)
	cmp stacks again
	grep -q 'cycles of backend_bound_memory' flame.svg
	zcat profile | grep -qa backend_bound_memory
	[ "$(awk '{ sum += $NF } END { printf "%.0f", sum }' stacks)" = "$(sed -nE 's/.* of about ([0-9,]+) cycles$/\1/p' out | tr -d ,)" ]
}

@test "a user who may not sample the kernel: an error with the remedy, and the command runs" {
	with_ibs
	[ ! -e $DEVICES/ibs_op/format/swfilt ] || skip "this kernel's IBS leaves out the kernel"
	run -4 --separate-stderr as_nobody 2 timeout -s KILL "$TD_HANGS" "$TDSTAT" locate frontend_bound -- sh -c 'echo ran; exit 4'
	[[ ${stderr_lines[0]} == "tdstat: ibs_fetch//: ibs_fetch cannot leave out the kernel, which this user may not sample: "* ]]
	[[ ${stderr_lines[1]} == *"sysctl kernel.perf_event_paranoid=1 allows it (it is 2); tdstat profile works without it" ]]
	[ "$output" = ran ]
	run -0 --separate-stderr as_nobody 2 timeout -s KILL "$TD_HANGS" "$TDSTAT" profile -j -- taskset -c 0 "$ACT" 1s:icache
	[[ $stderr == *'"scenario_icache"'* ]]
	says_icache() { [[ $stderr == *scenario_icache* ]]; }
	for_longer says_icache run -0 --separate-stderr as_nobody 1 timeout -s KILL "$TD_HANGS" "$TDSTAT" locate frontend_bound -j -- "$ACT" SECONDSs:icache
	[[ $stderr == *scenario_icache* ]]
}

@test "a newer kernel leaves out itself: so this user samples user space" {
	with_ibs
	[ -e $DEVICES/ibs_op/format/swfilt ] || skip "this kernel's IBS cannot"
	for node in frontend_bound:icache backend_bound_memory:dram_latency; do
		run -0 --separate-stderr as_nobody 2 timeout -s KILL "$TD_HANGS" "$TDSTAT" locate "${node%:*}" -j -- "$ACT" "2s:${node#*:}"
		[ "$(grep -c '^tdstat: sampling user space only' <<<"$stderr")" -eq 1 ]
		grep '^{' <<<"$stderr" >out
		jq -es --arg f "scenario_${node#*:}" 'map(select(.share)) | .[0].function == $f and all(.object != "[kernel]")' out
	done
	as_nobody 2 "$TDSTAT" doctor -j >found || :
	jq -e 'any(.findings[]; .name == "IBS" and .state == "ok")' found
	for_longer any_row locate backend_bound_memory --all-kernel -j -o out -- "$ACT" SECONDSs:dram_latency
	jq -es 'map(select(.share)) | length > 0 and all(.object | startswith("["))' out
}

@test "doctor reports IBS" {
	with_ibs
	"$TDSTAT" doctor -j >found || :
	jq -e 'any(.findings[]; .name == "IBS" and .state == "ok")' found
}

# --- without IBS ------------------------------------------------------------------

@test "a machine without IBS: an error, and doctor's note" {
	emulated
	[[ $TD_MACHINE_ARGS == *--no-ibs* ]] || skip "this machine has IBS"
	[ ! -e $DEVICES/ibs_op ]
	run -4 --separate-stderr locate backend_bound_memory -- sh -c 'echo ran; exit 4'
	[ "$output" = ran ]
	[[ ${stderr_lines[0]} == "tdstat: backend_bound_memory: no event is known"* ]]
	[[ ${stderr_lines[1]} == *"(IBS)"*"this machine lacks"* ]]
	"$TDSTAT" doctor -j >found || :
	jq -e 'any(.findings[]; .name == "IBS" and .state == "note")' found
	run -0 --separate-stderr "$TDSTAT" -l 2 -- "$ACT" 500ms:dram_latency
	[[ $stderr != *"tdstat locate"* ]]
}
