#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2086,SC2154 # a list of words; what "run --separate-stderr" sets
# RAPL, residencies and the uncore of a client and of a server, with known power and
# rates: the first package takes 65 W, its cores 40 W, its DRAM 6 W; the second one twice
# as much.  Then the metrics that combine these with counts of cores: places.py.
# machine: adl --full --watts 65,40,6,2,90 --uncore --smp 8,sockets=1,cores=8,threads=1 --cores 2
# machine: spr --full --watts 65,0,6 --uncore

load helper

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
	sockets=1
	[ "$TD_MACHINE" != spr ] || sockets=2
}

# near VALUE WANT PERCENT: values that depend on the clock are within 10 or 20 %, because a
# busy host may stop a processor between reading the clock and the counters
near() {
	awk -v v="$1" -v want="$2" -v pct="$3" 'BEGIN { print v, want
		exit !(v != "" && v >= want * (1 - pct / 100) && v <= want * (1 + pct / 100)) }'
}

# watts FILE EVENT: joules of each row in the time in which it was counted; perf's JSON
watts() {
	jq -r --arg event "$2" 'select(.event == $event) | (."counter-value" | tonumber) * 1e9 / ."event-runtime"' "$1"
}

# value FILE METRIC [ID]: of tdstat's JSON, the last one
value() {
	jq -r --arg m "$2" --arg id "${3-all}" 'select(.metric == $m and .id == $id) | .value' "$1" | tail -n 1
}

# rate EVENT UMASK: what a unit of the first package counts in a nanosecond
rate() {
	jq -n --argjson event $(($1)) --argjson umask $(($2)) '(16 + ($event * 131 + $umask * 17) % 1024) / 1024'
}

# 64 bytes an event: 0x81 and 0x84 with umask 1, of two units; of a server event 5 with
# two umasks, in the second package twice
known_bandwidth() {
	if [ "$TD_MACHINE" = spr ]; then
		jq -n "3 * 64 * ($(rate 5 0xcf) + $(rate 5 0xf0))"
	else
		jq -n "2 * 64 * ($(rate 0x81 1) + $(rate 0x84 1))"
	fi
}

@test "-e power/energy-pkg/: the known watts of each package, as perf counts them" {
	perf_or_skip
	"$PERF" stat -a -j --per-socket -o perf -e power/energy-pkg/,power/energy-ram/ sleep 1
	"$TDSTAT" -a -j --per-socket -o tdstat -e power/energy-pkg/,power/energy-ram/ -- sleep 1
	for file in perf tdstat; do
		cat $file
		mapfile -t pkg < <(watts $file power/energy-pkg/)
		mapfile -t ram < <(watts $file power/energy-ram/)
		[ ${#pkg[@]} -eq "$sockets" ]
		for ((i = 0; i < sockets; i++)); do
			near "${pkg[i]}" $((65 * (i + 1))) 10
			near "${ram[i]}" $((6 * (i + 1))) 10
		done
	done
	jq -es 'all(.unit == "Joules")' tdstat
}

@test "-A, -r, -I, CSV, a recording: the event counts on one CPU of each package" {
	"$TDSTAT" -a -A -x, -o all -e power/energy-pkg/ -- sleep 0.2
	[ "$(grep -c . all)" -eq "$sockets" ]
	grep -E '^CPU0,[0-9.]+,Joules,power/energy-pkg/,' all
	"$TDSTAT" -a -r 3 -x, -o runs -e power/energy-pkg/ -- sleep 0.3
	grep -E '^[0-9.]+,Joules,power/energy-pkg/,' runs
	"$TDSTAT" record -o rec.jsonl -a -I 500 --interval-count 2 -x, -e power/energy-pkg/ >live
	"$TDSTAT" report -x, rec.jsonl >replayed
	[ "$(grep -c . live)" -eq 2 ]
	diff live replayed
}

@test "--energy: joules and watts of the packages beside the tree" {
	"$TDSTAT" -a --energy -l 1 -j -o out -- sleep 1
	jq -c 'select(.pmu == "package")' out
	total=$((sockets == 1 ? 1 : 3))
	near "$(value out power_pkg)" $((65 * total)) 20
	near "$(value out power_ram)" $((6 * total)) 20
	near "$(jq -n "$(value out energy_pkg) / $(value out power_pkg)")" "$(jq -rs '.[0].time' out)" 0.1
	if [ "$TD_MACHINE" = adl ]; then
		near "$(value out power_cores)" 40 20
	else
		[ -z "$(value out power_cores)" ]
	fi
	near "$(value out memory_bandwidth)" "$(known_bandwidth)" 20
	# rows of cores have no such values
	jq -es 'all((.pmu == "package") == (.unit != "%"))' out
}

@test "--energy --per-socket: each package has its own; a tree has them below the cores" {
	"$TDSTAT" -a --energy --per-socket -l 1 -j -o out -- sleep 1
	for ((i = 0; i < sockets; i++)); do
		near "$(value out power_pkg S$i)" $((65 * (i + 1))) 20
	done
	"$TDSTAT" -a --energy -l 1 -o tree -- sleep 1
	cat tree
	[ "$(grep -n '^ package$' tree | cut -d: -f1)" -gt "$(grep -n 'tma_bad_speculation' tree | tail -n 1 | cut -d: -f1)" ]
	grep -E '^ +[0-9.]+ +J +energy_pkg$' tree
	grep -E '^ +[0-9.]+ +W +power_pkg$' tree
}

@test "--energy -I: a row each time; the recording gives the same" {
	"$TDSTAT" record -o rec.jsonl -a --energy -l 1 -I 500 --interval-count 3 -x, >live
	cat live
	"$TDSTAT" report -x, rec.jsonl >replayed
	diff live replayed
	[ "$(grep -c ',package,' live)" -eq 3 ]
	# the first interval may be longer for the counters than for the clock
	awk -F, '$3 == "package" && ++n > 1 { print $13 }' live | while read -r power; do
		near "$power" $((sockets == 1 ? 65 : 195)) 20
	done
	"$TDSTAT" -a --energy -l 1 -I 500 --interval-count 1 >table
	cat table
	grep -E '^#.* pmu .* J  energy_pkg +W  power_pkg ' table
}

@test "--energy -r: the mean of the runs" {
	"$TDSTAT" -a --energy -l 1 -r 3 -o out -- sleep 0.4
	cat out
	power=$(awk '$NF == "power_pkg" { print $1 }' out)
	near "$power" $((sockets == 1 ? 65 : 195)) 20
	grep -E '^ package, ± of the runs$' out
}

@test "-M with events of the uncore: perf's value, the known rate" {
	"$TDSTAT" record -o rec.jsonl -a -M tma_info_system_dram_bw_use -j -- sleep 1 2>out
	near "$(value out tma_info_system_dram_bw_use)" "$(known_bandwidth)" 20
	jq -es '.[0].unit == "GB/s"' out
	near "$("$TDSTAT" report -j rec.jsonl | jq .value)" "$(value out tma_info_system_dram_bw_use)" 0.01
	perf_or_skip
	"$PERF" stat -a -j -o perf -M tma_info_system_dram_bw_use sleep 1
	near "$(jq -rs 'map(."metric-value" | tonumber? | select(. > 0))[0]' perf)" \
		"$(value out tma_info_system_dram_bw_use)" 20
}

@test "units of a server: the known rates of each socket, as perf counts them" {
	[ "$TD_MACHINE" = spr ] || skip "of a server"
	perf_or_skip
	events=uncore_cha_0/event=1/,uncore_cha_1/event=0x35,umask=0xc817fe01/,uncore_imc/event=5,umask=0xcf/,uncore_pcu/event=0x35/
	"$PERF" stat -a -j --per-socket -o perf -e $events sleep 1
	"$TDSTAT" -a -j --per-socket -o tdstat -e $events -- sleep 1
	cat >want <<-EOS
		S0 uncore_cha_0 1.5
		S0 uncore_cha_1 $(rate 0x35 0xc817fe01)
		S0 uncore_imc $(rate 5 0xcf)
		S0 uncore_pcu $(rate 0x35 0)
		S1 uncore_cha_0 2
		S1 uncore_cha_1 $(jq -n "2 * $(rate 0x35 0xc817fe01)")
		S1 uncore_imc $(jq -n "2 * $(rate 5 0xcf)")
		S1 uncore_pcu $(jq -n "2 * $(rate 0x35 0)")
	EOS
	for file in perf tdstat; do
		jq -r '[.socket, (.event | split("/")[0]), (."counter-value" | tonumber) / ."event-runtime"] | join(" ")' $file >rates
		paste -d ' ' rates want
		paste -d ' ' rates want | awk '{ r = $3 / $6; bad += $1 != $4 || $2 != $5 || r < 0.9 || r > 1.1 } END { exit bad || NR != 8 }'
	done
}

@test "-A: a unit counts on the first CPU of its socket, a residency on that of its core" {
	[ "$TD_MACHINE" = spr ] || skip "of a server"
	"$TDSTAT" -a -A -x, -o out -e uncore_cha_0/event=1/,cstate_core/c6-residency/,cstate_pkg/c6-residency/,msr/tsc/ -- sleep 0.2
	cat out
	awk -F, '{ sub(/CPU/, "", $1); on[$4] = on[$4] " " $1 }
		END { exit !(on["uncore_cha_0/event=1/"] == " 0 4" && on["cstate_core/c6-residency/"] == " 0 2 4 6" &&
			on["cstate_pkg/c6-residency/"] == " 0 4" && on["msr/tsc/"] == " 0 1 2 3 4 5 6 7") }' out
}

@test "-M: each row has values of its own places: CPUs, cores, sockets" {
	if [ "$TD_MACHINE" = spr ]; then
		python3 "$BATS_TEST_DIRNAME/places.py" server
	else
		python3 "$BATS_TEST_DIRNAME/places.py" hybrid
	fi
}

@test "-M of processes and of a cgroup, on each core type: speeds, and how busy they are" {
	mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
	echo +cpu >/sys/fs/cgroup/cgroup.subtree_control
	if [ "$TD_MACHINE" = spr ]; then
		python3 "$BATS_TEST_DIRNAME/places.py" server tasks
	else
		python3 "$BATS_TEST_DIRNAME/places.py" hybrid tasks
	fi
}

@test "-C without the CPU on which the kernel counts a package: the reason, for events and metrics" {
	cpus=0
	[ "$TD_MACHINE" != spr ] || cpus=0,4
	why="cstate_pkg/c6-residency/: cstate_pkg counts only on CPU(s) $cpus, and -C contains none of them"
	run -0 --separate-stderr "$TDSTAT" -C 1 -M C6_Pkg_Residency -- true
	[[ $stderr == *"$why"* ]]
	run -0 --separate-stderr "$TDSTAT" -C 1 -e cycles,cstate_pkg/c6-residency/ -- true
	[[ $stderr == *"$why"* ]]
}

@test "only a command: --energy is refused; the event counts the whole package, with a note" {
	run -64 --separate-stderr "$TDSTAT" --energy -- touch ran
	[[ $stderr == *"--energy counts whole packages"*"-a"* ]]
	[ ! -e ran ]
	run -0 --separate-stderr "$TDSTAT" -e power/energy-pkg/ -- sleep 0.2
	[[ $stderr == *"counted on the whole machine"* ]]
}
