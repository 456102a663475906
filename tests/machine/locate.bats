#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat locate, of programs whose functions play known scenarios (act.c): which
# function an event is sampled in, and its share, are known by the truth file.
# machine: adl --smp 4,sockets=1,cores=4,threads=1 --cores 2 --sysctl kernel.perf_cpu_time_max_percent=0 --sysctl kernel.kptr_restrict=0 --truth tests/emulator/scenarios/alderlake.truth

# shellcheck disable=SC2154 # stderr, of run
load helper
load nobody

ROOT=$BATS_TEST_DIRNAME/../..
ACT=$ROOT/build/emulator/act
TRUTH=$ROOT/tests/emulator/scenarios/alderlake.truth

locate() {
	timeout -s KILL "$TD_HANGS" "$TDSTAT" locate "$@"
}

profile() {
	timeout -s KILL "$TD_HANGS" "$TDSTAT" profile "$@"
}

# share FILE PMU FUNCTION: the share in % of the event with the most samples, and
# their number in all
share() {
	jq -rs --arg pmu "$2" --arg f "$3" 'map(select(.pmu == $pmu)) | group_by(.event) |
		map({ samples: (map(.samples) | add), share: (map(select(.function == $f) | .share) | add // 0),
			error: (map(select(.function == $f) | .error) | add // 0) }) |
		max_by(.samples) // { samples: 0, share: 0, error: 0 } | "\(.share) \(.samples) \(.error)"' "$1"
}

# mostly FILE PMU FUNCTION: the function has nearly all samples.  On a busy host these are
# few: a CPU that is stopped has one sample for all its events of that time.
mostly() {
	local found
	found=$(share "$@")
	awk '{ exit !($1 >= 85 && $1 + $3 >= 95 && $2 >= 30) }' <<<"$found" || {
		echo "$*: $found"
		jq -r '[.pmu, .event, .share, .error, .samples, .function] | @tsv' "$1" | head -n 20
		return 1
	}
}

# rate SCENARIO KIND EVENT: a cycle, by the truth file
rate() {
	awk -v s="$1" -v k="$2" -v name="$3" '
		$1 == "scenario" { here = $2 == s }
		$1 == "kind" { kind = $2 }
		here && kind == k && $1 == "event" && $5 == name { print $4 }' "$TRUTH"
}

# --- shares ---------------------------------------------------------------------

@test "on both core types at once: the function that plays it has 95 % of an event" {
	locate tma_icache_misses --all-user -j -o out -- "$ACT" -n 4 1s:dram_latency,icache 3s:icache
	mostly out cpu_core scenario_icache
	mostly out cpu_atom scenario_icache
	jq -es 'all(.node == "tma_icache_misses")' out
	locate tma_branch_mispredicts --all-user -j -o out -- "$ACT" -n 4 1s:dram_latency,mispredict 3s:mispredict
	mostly out cpu_core scenario_mispredict
	mostly out cpu_atom scenario_mispredict
}

@test "a node without an event on one core type: a note, and the other core type is sampled" {
	run -0 --separate-stderr locate tma_reorder_buffer --all-user -j -o out -- "$ACT" -n 4 1s:icache,dram_latency 3s:dram_latency
	[[ $stderr =~ ^tdstat:\ cpu_core:.*tma_reorder_buffer ]]
	mostly out cpu_atom scenario_dram_latency
	[ "$(share out cpu_core scenario_dram_latency)" = "0 0 0" ]
}

@test "a node of P-cores that E-cores have by another name: both are sampled" {
	run -0 --separate-stderr locate tma_dram_bound --all-user -j -o out -- "$ACT" -n 4 1s:icache,dram_latency 3s:dram_latency
	# interrupts are late where the host is busy
	run ! grep -vE '^$|samples represent' <<<"$stderr"
	mostly out cpu_core scenario_dram_latency
	mostly out cpu_atom scenario_dram_latency
}

# expected FILE PMU KIND EVENT: in as much time of each
expected() {
	local found
	found=$(share "$1" "$2" scenario_icache)
	awk -v icache="$(rate icache "$3" "$4")" -v other="$(rate dram_latency "$3" "$4")" '{
		want = 100 * icache / (icache + other)
		off = $1 - want
		print $0 ", wanted " want
		# times are those of the clock on the wall, and a busy host stops one of them;
		# three times the error is six standard deviations
		exit !($2 >= 50 && off <= 2 + 3 * $3 && -off <= 2 + 3 * $3) }' <<<"$found"
}

@test "each function has the share that it has by the truth" {
	# in turns, so that what the host does concerns both
	turns=(250ms:dram_latency 250ms:icache)
	turns+=("${turns[@]}" "${turns[@]}" "${turns[@]}")
	for kind in core:0 atom:2; do
		event=BR_MISP_RETIRED.ALL_BRANCHES
		locate -e "cpu_${kind%:*}/$event/u" -j -o out -- taskset -c "${kind#*:}" "$ACT" "${turns[@]}"
		expected out "cpu_${kind%:*}" "${kind%:*}" "$event"
	done
}

@test "a group with :S: the fields of slots that were counted from sample to sample, in each function" {
	turns=(250ms:dram_latency 250ms:icache)
	turns+=("${turns[@]}" "${turns[@]}")
	locate -e '{cpu_core/slots/u,cpu_core/cycles/u,cpu_core/topdown-retiring/u,cpu_core/topdown-be-bound/u}:S' \
		-j -o out -- taskset -c 0 "$ACT" "${turns[@]}"
	# the fields of the truth file: retiring, and back-end bound is the fourth
	metrics() {
		awk -v s="$1" '$1 == "scenario" { here = $2 == s } $1 == "kind" { kind = $2 }
			here && kind == "core" && $1 == "metrics" { print $2, $5; exit }' "$TRUTH"
	}
	jq -rs '.[] | select(.function) | [.function, .event, .share, .samples] | @tsv' out >rows
	awk -v icache="$(metrics icache)" -v other="$(metrics dram_latency)" '
		{ sub("scenario_", "", $1); share[$1, $2] = $3; nr[$1] = $4 }
		function check(event, a, b, want, is) {
			want = a * share["icache", "cpu_core/slots/u"]
			want = 100 * want / (want + b * share["dram_latency", "cpu_core/slots/u"])
			is = share["icache", event]
			is = 100 * is / (is + share["dram_latency", event])
			print event, is, "wanted", want
			# events that were counted when a turn ended are in one sample
			bad = bad || is < want - 5 || is > want + 5
		}
		END {
			split(icache, i, " "); split(other, d, " ")
			check("cpu_core/topdown-retiring/u", i[1], d[1])
			check("cpu_core/topdown-be-bound/u", i[2], d[2])
			few = nr["icache"] < 50 || nr["dram_latency"] < 50
			exit bad && !few ? 1 : few ? 77 : 0
		}' rows || [ $? = 77 ] || return 1
	[ -s rows ]
}

@test "the kernel only, user space only, and both" {
	locate -e cycles --all-kernel -j -o kernel -- taskset -c 0 "$ACT" 1s:icache
	# the machine counts a quarter for the kernel whatever runs, so it is not known where
	jq -es 'any(.object == "[kernel]" and .function != null)' kernel
	locate -e cycles --all-user -j -o user -- taskset -c 0 "$ACT" 1s:icache
	# the machine's interrupts wait for user mode, but not for ever
	jq -es 'map(select(.object == "[kernel]") | .share) | (add // 0) < 25' user
	mostly user cpu_core scenario_icache
	locate -e cycles -j -o both -- taskset -c 0 "$ACT" 1s:icache
	jq -es 'any(.function == "scenario_icache" and .share > 50)' both
}

# --- events ---------------------------------------------------------------

@test "the biggest loss is found, and then its functions" {
	run -0 --separate-stderr locate --all-user -j -o out -- taskset -c 0 "$ACT" 2s:dram_latency
	[[ $stderr =~ biggest\ loss\ on\ [a-z_]+:\ tma_[a-z_]+ ]]
	mostly out cpu_core scenario_dram_latency
	jq -es '.[0].node | test("^tma_")' out
	"$ACT" 600s:icache &
	run -0 --separate-stderr locate auto --all-user -p $! --timeout 4s -j -o out
	kill $!
	jq -es '.[0].function == "scenario_icache"' out
}

# The scheduler may do the same.
@test "a second run on the other core type: a note with the remedy" {
	local first second
	for first in 0-1 2-3; do
		[ $first = 0-1 ] && second=2-3 || second=0-1
		rm -f again
		# shellcheck disable=SC2016 # of the shell within
		run -0 --separate-stderr locate --all-user -o out -- \
			sh -c 'if [ -e again ]; then cpus=$3; else cpus=$2; fi; touch again; exec taskset -c "$cpus" "$1" 2s:dram_latency' sh "$ACT" "$first" "$second"
		[[ $stderr =~ "the node was measured on cpu_"(core|atom)", where this run spent "[0-9]+" % of its time; taskset -c $first before the command" ]]
	done
	# from its first instruction
	run -0 --separate-stderr taskset -c 2 "$TDSTAT" locate --all-user -o out -- "$ACT" 2s:dram_latency
	[[ $stderr != *"where this run spent"* ]]
}

@test "few samples: their number, and ways to take more" {
	run -0 --separate-stderr locate tma_branch_mispredicts --all-user -o out -- taskset -c 0 "$ACT" 5ms:dram_latency
	[[ $stderr =~ (no sample was taken|"too few samples to tell functions apart, "[0-9]+)": a longer run "(may take some|takes more)", and "(-F takes more|so does -F) ]]
	run -0 --separate-stderr locate tma_branch_mispredicts --all-user -o out -- taskset -c 0 "$ACT" 3s:mispredict
	[[ $stderr != *"a longer run"* ]]
}

@test "a process that runs, its threads, CPUs, and the whole machine" {
	"$ACT" -n 4 600s:icache &
	act=$!
	locate tma_icache_misses --all-user -p $act --timeout 2s -j -o process
	locate tma_icache_misses --all-user -t "$act" --timeout 1s -j -o thread
	locate tma_icache_misses --all-user -a --timeout 2s -j -o machine
	locate tma_icache_misses --all-user -C 3 --timeout 1s -j -o one
	# kill it first, because it would take the processors from the following commands
	kill $act
	for which in process machine; do
		mostly $which cpu_core scenario_icache
		mostly $which cpu_atom scenario_icache
	done
	jq -es '.[0].function == "scenario_icache"' thread
	mostly one cpu_atom scenario_icache
	jq -es 'all(.pmu == "cpu_atom")' one
}

@test "a command that ends by itself, is killed, or is not there" {
	run -7 locate tma_icache_misses -o out -- sh -c "$ACT 200ms:icache; exit 7"
	run -137 locate tma_icache_misses -o out -- sh -c "$ACT 200ms:icache; kill -9 \$\$"
	run -127 locate tma_icache_misses -o out -- ./is-not-there
	run -0 locate tma_icache_misses -j -o out -- "$ACT" 1s:icache -- sh -c 'exec true'
	jq -es '.[0].function == "scenario_icache"' out
}

# --- beside perf ----------------------------------------------------------------

newest() {
	TD_PERF_SERIES=newest timeout -s KILL "$TD_HANGS" "$PERF" "$@"
}

# perf_functions FILE EVENT: lines of share and function
perf_functions() {
	newest report -i "$1" --stdio -F overhead,sym --percent-limit 0.01 2>/dev/null |
		sed -nE 's/^ *([0-9.]+)% +\[[.k]\] +([^ ]+).*/\1 \2/p'
}

@test "the same functions and shares as the newest perf" {
	newest_or_skip
	turns=(250ms:dram_latency 250ms:icache 250ms:mispredict)
	turns+=("${turns[@]}" "${turns[@]}" "${turns[@]}")
	for kind in core:0 atom:2; do
		event=cpu_${kind%:*}/event=0xc5/u # BR_MISP_RETIRED.ALL_BRANCHES
		newest record -q -F 1000 -e "$event" -o data taskset -c "${kind#*:}" "$ACT" "${turns[@]}"
		perf_functions data >perf
		locate -e "$event" -j -o out -- taskset -c "${kind#*:}" "$ACT" "${turns[@]}"
		# both have such an error, and three times that is four standard deviations of
		# the difference; 4 points, as a busy host stops another turn each time
		jq -r '[.share, .function, .error] | @tsv' out | awk '
			NR == FNR { perf[$2] = $1; next }
			{ ours[$2] = $1; error[$2] = $3; worst = $3 > worst ? $3 : worst }
			END {
				for (f in ours) all[f]
				for (f in perf) all[f]
				for (f in all) {
					off = ours[f] - perf[f]
					room = 4 + 3 * (f in error ? error[f] : worst)
					print f, ours[f], perf[f], room
					if (off > room || off < -room) bad = 1
					both += ours[f] > 1 && perf[f] > 1
				}
				exit bad || both < 2 }' perf -
	done
}

# --- rights ---------------------------------------------------------------------

@test "a user who may not sample the kernel: only user space, with a note" {
	run -0 --separate-stderr as_nobody 2 timeout -s KILL "$TD_HANGS" "$TDSTAT" locate tma_icache_misses -j -- taskset -c 0 "$ACT" 1s:icache
	[ "$(grep -c '^tdstat: sampling user space only: .*perf_event_paranoid' <<<"$stderr")" -eq 1 ]
	[[ $stderr == *scenario_icache* ]]
}

@test "a user that may not sample at all: two lines, and the command runs" {
	run -125 --separate-stderr as_nobody 3 timeout -s KILL "$TD_HANGS" "$TDSTAT" locate --require tma_icache_misses -- echo ran
	assert_two_lines
	[[ $stderr == *perf_event_paranoid* ]]
	[ -z "$output" ]
	run -4 --separate-stderr as_nobody 3 timeout -s KILL "$TD_HANGS" "$TDSTAT" locate -x, tma_icache_misses -- sh -c 'echo ran; exit 4'
	[[ $stderr == *perf_event_paranoid*"running sh without counting" ]]
	[ "$output" = ran ]
	run -1 --separate-stderr as_nobody 2 timeout -s KILL "$TD_HANGS" "$TDSTAT" locate tma_icache_misses -a --timeout 100
	assert_two_lines
	[[ $stderr == *perf_event_paranoid* ]]
}

@test "a user with little memory for rings: smaller rings, or the setting that allows them" {
	before=$(</proc/sys/kernel/perf_event_mlock_kb)
	echo 64 >/proc/sys/kernel/perf_event_mlock_kb
	# shellcheck disable=SC2016 # of the shell within
	run --separate-stderr as_nobody 1 bash -c 'ulimit -l 0; exec timeout -s KILL "$TD_HANGS" "$@"' bash \
		"$TDSTAT" locate tma_icache_misses -j -- taskset -c 0 "$ACT" 500ms:icache
	echo 4 >/proc/sys/kernel/perf_event_mlock_kb
	small=$stderr
	# shellcheck disable=SC2016
	run --separate-stderr as_nobody 1 bash -c 'ulimit -l 0; exec timeout -s KILL "$TD_HANGS" "$@"' bash \
		"$TDSTAT" locate tma_icache_misses -j --require -- echo ran
	echo "$before" >/proc/sys/kernel/perf_event_mlock_kb
	[[ $small == *perf_event_mlock_kb* ]]
	[ "$status" -eq 125 ]
	[[ $stderr == *perf_event_mlock_kb* ]]
	[ -z "$output" ]
}

@test "a rate above the kernel's limit is lowered, with a note" {
	before=$(</proc/sys/kernel/perf_event_max_sample_rate)
	# without a limit on the time, there is no limit on the rate
	echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
	echo 500 >/proc/sys/kernel/perf_event_max_sample_rate
	run -0 --separate-stderr locate tma_icache_misses -F 4000 -j -o out -- taskset -c 0 "$ACT" 1s:icache
	echo "$before" >/proc/sys/kernel/perf_event_max_sample_rate
	echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
	[[ $stderr == *"500 samples a second, not 4000"*perf_event_max_sample_rate* ]]
	jq -es '.[0].function == "scenario_icache"' out
}

@test "a program of another user whose debug file has no end: root's locate -a ends, with a note" {
	command -v objcopy >/dev/null || skip "no objcopy"
	cp "$ACT" act
	cp "${ACT%/*}/loops.so" .
	objcopy --strip-all --remove-section=.note.gnu.build-id act
	cp act act.debug
	objcopy --add-gnu-debuglink=act.debug act
	for end in sparse kcore; do
		case $end in
		sparse) truncate -s 1T act.debug ;;
		kcore) ln -sf /proc/kcore act.debug ;;
		esac
		"${NOBODY[@]}" ./act 600s:icache &
		run -0 --separate-stderr locate tma_icache_misses --all-user -a -j -o out -- sleep 2
		kill $!
		jq -es --arg path "$PWD/act" 'map(select(.object == $path)) | length > 0 and all(.function == null)' out
		case $end in
		sparse) [[ $stderr == *"/act: its debug file is too large to be read: "* ]] ;;
		kcore) [[ $stderr == *"/act: has no symbols: "* ]] ;;
		esac
	done
}

# --- stacks ---------------------------------------------------------------------

# sums FILE EVENT FUNCTION: print the share that the function's stacks represent, in % of
# the event
sums() {
	awk -v event="$2;" -v f="$3" 'index($0, event) == 1 {
		all += $NF
		if ($0 ~ ";" f " [0-9]+$")
			sum += $NF
	} END { printf "%.1f\n", 100 * sum / all }' "$1"
}

@test "stacks of a node: an event per core type, whose sums are the table's" {
	locate tma_icache_misses --all-user --folded stacks --pprof profile --flame flame.svg --samples samples -j -o out -- \
		"$ACT" -n 4 1s:dram_latency,icache 2s:icache
	mapfile -t events < <(jq -r .event out | sort -u)
	[ "${#events[@]}" -ge 2 ]
	for event in "${events[@]}"; do
		grep -q "^$event;.*;scenario_icache [0-9]*$" stacks
		want=$(jq -s --arg event "$event" 'map(select(.event == $event and .function == "scenario_icache") | .share) | add' out)
		awk -v a="$(sums stacks "$event" scenario_icache)" -v b="$want" 'BEGIN { off = a - b; exit !(b > 50 && off < 0.06 && off > -0.06) }'
		grep -qF "$event, about " flame.svg
		zcat profile | grep -qaF "$event"
	done
	grep -q 'events of tma_icache_misses, a part of tma_frontend_bound' flame.svg
	"$TDSTAT" report --locate --folded again samples >table
	cmp stacks again
}

# perf_stacks FILE: how many samples each stack of perf's has
perf_stacks() {
	newest script -i "$1" -F ip,sym 2>/dev/null |
		awk '$1 == "" { if (stack) nr[stack]++; stack = ""; next }
			{ stack = stack ? $2 ";" stack : $2 }
			END { if (stack) nr[stack]++; for (stack in nr) print nr[stack], stack }'
}

@test "the same stacks as the newest perf" {
	newest_or_skip
	event=cpu_core/event=0xc5/u # BR_MISP_RETIRED.ALL_BRANCHES
	newest record -q -g -F 1000 -e "$event" -o data taskset -c 0 "$ACT" 2s:mispredict
	perf_stacks data | sort -rn | head -n 1 >perf
	locate -e "$event" --folded stacks -o out -- taskset -c 0 "$ACT" 2s:mispredict
	sed -E 's/(.*) ([0-9]+)$/\2 \1/' stacks | sort -rn | head -n 1 >ours
	diff <(cut -d ' ' -f 2 perf) <(cut -d ' ' -f 2 ours)
}

# --- callers --------------------------------------------------------------------

# Without frame pointers: often() takes three times as long as rarely().
build_bare() {
	cat >bare.c <<-'C'
		#include <time.h>
		static volatile long sum;
		__attribute__((noinline)) void leaf(long n) { for (long i = 0; i < n; i++) sum += i; }
		__attribute__((noinline)) void often(void) { leaf(30000); sum = 0; }
		__attribute__((noinline)) void rarely(void) { leaf(10000); sum = 0; }
		int main(void)
		{
			/* a busy host leaves an emulator little of a second */
			for (int i = 0; i < 2000 || clock() < CLOCKS_PER_SEC; i++) {
				often();
				rarely();
			}
			return 7;
		}
	C
	gcc -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -o bare bare.c
}

# part PATTERN: the share of the stacks that fit, in per cent
part() {
	{ grep -E "$1" stacks || :; echo all; cat stacks; } |
		awk '$1 == "all" { part = sum; sum = 0; next } { sum += $NF } END { printf "%d\n", 100 * part / sum }'
}

@test "--call-graph dwarf finds the callers that frame pointers miss, using copies of the stack" {
	build_bare
	run -7 --separate-stderr locate -e cycles:u --call-graph fp --folded stacks -o out -- taskset -c 0 ./bare
	[ "$(part ';(often|rarely);leaf ')" -eq 0 ]
	for cpu in 0 2; do
		run -7 --separate-stderr locate -e cycles:u --call-graph dwarf --folded stacks -o out -- taskset -c $cpu ./bare
		[[ $stderr != *'no callers'* && $stderr != *' were copied'* ]]
		[ "$(part ';main;often;leaf ')" -ge 50 ]
		[ "$(part ';main;rarely;leaf ')" -ge 5 ]
	done
	# precise samples, and those with the counts of a group
	run -7 locate -e cycles:pp --call-graph dwarf,1024 --folded stacks -o out -- taskset -c 0 ./bare
	[ "$(part ';main;(often|rarely);leaf ')" -ge 60 ]
	run -7 profile --all-user --call-graph dwarf --folded stacks -o out -- taskset -c 0 ./bare
	[ "$(part ';main;often;leaf ')" -ge 50 ]
	# for a user who may not sample the kernel
	chmod 755 . bare
	run -7 as_nobody 2 timeout -s KILL "$TD_HANGS" "$TDSTAT" locate -e cycles:u --call-graph dwarf --folded - -o /dev/null -- taskset -c 0 ./bare
	printf '%s\n' "$output" >stacks
	[ "$(part ';main;often;leaf ')" -ge 50 ]
}
