#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What tdstat would open, on every saved machine.  The encodings that are
# expected are those of the kernel's sysfs files and of Intel's event lists, in
# tests/expected/MODEL.events.

# shellcheck disable=SC2016,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# use MODEL: a saved one, or the made-up Arrow Lake-H
use() {
	if [ "$1" = arrowlake-h ]; then
		arrow_lake_h
	else
		saved "$1"
	fi
}

# fits MODEL: the rules of the kernel, over the groups of levels 1 and 2
#
# Counters for what is no field of PERF_METRICS: on the Skymont PMU three of
# the four topdown events go to fixed counters of their own, on all others only
# SLOTS does.  The fixed cycles counter is the NMI watchdog's.  Two groups that
# both began with SLOTS would share its one counter by turns.
fits() {
	groups -a -l "$1" | awk -v model="$2" '
	BEGIN {
		group = "none"
		general["alderlake cpu_core"] = general["meteorlake cpu_core"] = 8
		general["lunarlake cpu_core"] = general["arrowlake-h cpu_core"] = 10
		general["alderlake cpu_atom"] = 6
		general["meteorlake cpu_atom"] = general["arrowlake-h cpu_lowpower"] = 8
		general["lunarlake cpu_atom"] = general["arrowlake-h cpu_atom"] = 8
		general["sapphirerapids cpu"] = general["icelakex cpu"] = general["tigerlake cpu"] = 8
		general["skylakex cpu"] = 4
	}
	function bad(what) { print "group " $1 ": " $3 ": " what; failed = 1 }
	{
		first = $1 != group
		group = $1
		if (first) {
			counted = metrics = others = 0
			pmu = $2
		}
		if ($2 != pmu || index($3, $2 "/") != 1) bad("another PMU in the group")
		if ($6 != "0xf") bad("read_format " $6)
		if ($7 != "0x0") bad("config1 " $7)
		if ($8 != (first ? "disabled" : "none")) bad("flags " $8)
		if ($5 == "0x400") {
			if (!first) bad("slots do not lead")
			if (slots[pmu]++) bad("slots twice on one PMU")
			metrics = 1
		} else if ($5 ~ /^0x8[0-7]00$/) {
			if (!metrics) bad("a metric event without slots")
			if (others) bad("not directly behind slots")
		} else {
			others = 1
			# instructions have fixed counter 0, reference cycles no. 2
			spare = $5 == "0xc0" || $5 == "0x300" || ($5 == "0x73" || $5 == "0x19c" || $5 == "0x2c2") && \
				$2 == "cpu_atom" && model ~ /lunarlake|arrowlake/
			counted += !spare
			if (counted > general[model " " pmu]) bad("no counter left")
		}
	}
	END { exit failed || NR == 0 }'
}

check_plan() {
	use "$1"
	for level in 1 2; do
		assert_same "$(expected_events $level "$1")" "$(events -a -l $level)"
		fits $level "$1"
	done
}

# flags: those of the first event of a group and of the others, of "run groups"
flags() {
	awk 'BEGIN { group = "none" }
		{ print ($1 != group ? "first" : "other"), $8; group = $1 }' <<<"$output" | sort -u
}

# cpus_of [OPTION...]: PMU and CPUs of each group, once a PMU
cpus_of() {
	"$TDSTAT" --dry-run "$@" |
		sed -n 's/^group [0-9]*: \([^,]*\), [0-9]* events\{0,1\}, CPUs \([^ ]*\) .*/\1 \2/p' | uniq
}

@test "Alder Lake" { check_plan alderlake; }
@test "Meteor Lake" { check_plan meteorlake; }
@test "Lunar Lake" { check_plan lunarlake; }
@test "Arrow Lake-H, made up: three core PMUs" { check_plan arrowlake-h; }
@test "Sapphire Rapids" { check_plan sapphirerapids; }
@test "Ice Lake-SP" { check_plan icelakex; }
@test "Tiger Lake" { check_plan tigerlake; }
@test "Skylake-SP" { check_plan skylakex; }

@test "level 1 is one group a PMU wherever its events fit" {
	for model in alderlake meteorlake lunarlake sapphirerapids icelakex tigerlake arrowlake-h; do
		use $model
		try groups -a -l 1
		assert_equal "$(cut -d' ' -f1 <<<"$output" | sort -u | wc -l)" \
			"$(cut -d' ' -f2 <<<"$output" | sort -u | wc -l)"
	done
}

@test "every event that sysfs does not name is in the kernel's event files as such" {
	[ -d "$TD_PMU_EVENTS" ] || skip "no event files"
	declare -A folder=(
		[alderlake]=alderlake [meteorlake]=meteorlake [sapphirerapids]=sapphirerapids
		[icelakex]=icelakex [tigerlake]=tigerlake [skylakex]=skylakex
	)
	: >wrong
	for model in "${!folder[@]}"; do
		jq -r '.[] | select(.EventName) | select((.Unit // "cpu") | startswith("cpu"))
			| def n: (. // "0") | split(",")[0] | ascii_downcase
			  | if startswith("0x") then .[2:] | explode
			    | reduce .[] as $c (0; . * 16 + ($c | if . > 96 then . - 87 else . - 48 end))
			    else tonumber end;
			(.EventName | ascii_upcase) + " " +
			((.EventCode | n) + 256 * (.UMask | n) + 16777216 * (.CounterMask | n)
			 + 262144 * (.EdgeDetect | n) | tostring)' \
			"$TD_PMU_EVENTS/${folder[$model]}"/*.json >names
		# perf has instructions retired as 0xc0: fixed counters follow by themselves
		echo "INST_RETIRED.ANY $((0xc0))" >>names
		use $model
		events -a -l 2 | sed -n 's,^[a-z_]*/\([A-Z][^/]*\)/ [0-9]* \(.*\),\1 \2,p' |
			while read -r name config; do
				case $name in
				*,cmask=1)
					name=${name%,cmask=1}
					config=$((config - 0x1000000))
					;;
				esac
				grep -qxF "$name $((config))" names || echo "$model: $name is not $config"
			done >>wrong
	done
	assert_same "" "$(cat wrong)"
}

@test "a command: the leader is enabled by its exec, all are inherited" {
	for model in alderlake skylakex; do
		use $model
		[ $model != skylakex ] || {
			copied $model
			echo 0 >"$SYSFS_PATH/devices/system/cpu/smt/active"
		}
		try groups -l 2 -- ls -l
		assert_success
		assert_equal "$(flags)" "first disabled,inherit,enable_on_exec
other inherit"
	done
	use alderlake
	assert_same "$(expected_events 2 alderlake)" "$(events -l 2 -- ls -l)"
}

@test "a process: inherited, and no exec to wait for" {
	copied alderlake
	mkdir -p machine/proc/42/task/{42,43}
	try groups -p 42 -l 1
	assert_success
	assert_equal "$(flags)" "first disabled,inherit
other inherit"
}

@test "whole CPUs, also beside a command: nothing inherited" {
	use alderlake
	for how in -a '-C 0-7' '-a ls' '-C 1,5 ls'; do
		try groups $how
		assert_success
		refute_output --partial inherit
		refute_output --partial enable_on_exec
	done
}

@test "nothing said: the whole machine" {
	use alderlake
	assert_same "$("$TDSTAT" --dry-run -a)" "$("$TDSTAT" --dry-run)"
}

@test "-C: each PMU gets those of the CPUs that are its own" {
	use alderlake
	assert_equal "$(cpus_of -a)" "cpu_core 0-3
cpu_atom 4-7"
	assert_equal "$(cpus_of -C 3,5)" "cpu_core 3
cpu_atom 5"
	assert_equal "$(cpus_of -C 0-1)" "cpu_core 0-1"
	assert_equal "$(cpus_of -C 6)" "cpu_atom 6"
	assert_equal "$(cpus_of -C 2-5)" "cpu_core 2-3
cpu_atom 4-5"
	assert_equal "$(cpus_of -C 1,1,0)" "cpu_core 0-1"
}

@test "--cputype: by kind and by the PMU's name" {
	for model in alderlake arrowlake-h; do
		use $model
		for type in core cpu_core; do
			assert_same "$(expected_events 1 $model | grep ^cpu_core/)" "$(events -a -l 1 --cputype $type)"
		done
		for type in atom cpu_atom; do
			assert_same "$(expected_events 1 $model | grep ^cpu_atom/)" "$(events -a -l 1 --cputype=$type)"
		done
	done
	assert_same "$(expected_events 2 arrowlake-h | grep ^cpu_lowpower/)" \
		"$(events -a --cputype lowpower -l 2)"
}

@test "--cputype: cores that this machine has not" {
	use alderlake
	try "$TDSTAT" --dry-run -a --cputype lowpower
	assert_failure 1
	assert_why_and_remedy lowpower 'cpu_core.*cpu_atom'
	use sapphirerapids
	try "$TDSTAT" --dry-run -a --cputype atom
	assert_failure 1
	assert_why_and_remedy atom
}

@test "--cputype: cores that no machine has are wrong usage, and nothing is run" {
	use alderlake
	for type in 123 cores cpu_big ''; do
		try "$TDSTAT" -a --cputype "$type" -- touch ran
		assert_failure 64
		assert_why_and_remedy "--cputype $type: no machine has such cores" 'core, atom and lowpower'
		[ ! -e ran ]
	done
}

@test "--cputype and -C that have no CPU in common" {
	use alderlake
	try "$TDSTAT" --dry-run -C 0-3 --cputype atom
	assert_failure 1
	assert_why_and_remedy '-C 0-3'
}

@test "level 0 is perf's default, --td-level one level alone" {
	use alderlake
	assert_same "$(events -a -l 1)" "$(events -a --td-level 0)"
	assert_same "$(events -a -l 1)" "$(events -a --td-level=1 --topdown)"
	# cpu_atom's level 2 has events of its own; what level 1 alone takes is out
	run ! diff <(events -a -l 2) <(events -a --td-level 2)
	assert_equal "$(comm -13 <(events -a -l 2 | sort) <(events -a --td-level 2 | sort))" ""
}

@test "Skylake with hyper-threading on: whole cores" {
	use skylakex
	assert_equal "$(cpus_of -C 0 | grep '^cpu ')" \
		"cpu $(cat "$SYSFS_PATH/devices/system/cpu/cpu0/topology/core_cpus_list")"
}

@test "Skylake with hyper-threading on: not one program alone" {
	use skylakex
	for how in '-- true' "-p $$"; do
		try "$TDSTAT" --dry-run -l 1 $how
		assert_failure 1
		assert_why_and_remedy 'thread' '^tdstat: -M TopdownL1 \(or -l 3\) estimates them, .*-a'
	done
	try "$TDSTAT" --dry-run -l 2 -- true
	assert_why_and_remedy 'thread' '^tdstat: -M TopdownL1,TopdownL2 \(or -l 3\) estimates them, .*-a'
	try "$TDSTAT" --dry-run --td-level 2 -- true
	assert_why_and_remedy 'thread' '^tdstat: -M TopdownL2 estimates them, .*-a'
	try "$TDSTAT" --dry-run -a -A
	assert_why_and_remedy 'thread' '^tdstat: use --per-core'
	# what is named can be planned
	for how in '' '-M TopdownL1' '-l 3' '-M TopdownL1,TopdownL2' '-M TopdownL2' -a; do
		"$TDSTAT" --dry-run $how -- true
	done
	"$TDSTAT" --dry-run -a --per-core
	# the formulas are the files': without these there is no estimate
	TDSTAT_METRICS=/nonexistent try "$TDSTAT" --dry-run -- true
	assert_why_and_remedy 'thread' '^tdstat: count the machine while it runs \(tdstat -a -- COMMAND\)'
}

@test "Skylake with hyper-threading off: one program is fine, 4 slots a cycle" {
	copied skylakex
	echo 0 >"$SYSFS_PATH/devices/system/cpu/smt/active"
	echo event=0x3c,umask=0x0 >"$devices/cpu/events/topdown-total-slots"
	echo 4 >"$devices/cpu/events/topdown-total-slots.scale"
	try events -l 1 -- true
	assert_success
	assert_line "cpu/topdown-total-slots/ 4 0x3c"
}

@test "PERF_CPUID: another model over a saved tree" {
	use alderlake
	# Lunar Lake's P-cores have no formula with UOP_DROPPING
	PERF_CPUID=GenuineIntel-6-BD-1 try events -a -l 1
	assert_success
	assert_line "cpu_core/topdown-mem-bound/ 4 0x8700"
	refute_output --partial UOP_DROPPING
	# Meteor Lake's E-cores retire by 0x72
	PERF_CPUID=GenuineIntel-6-AA-4 try events -a -l 1
	assert_line "cpu_atom/topdown-retiring/ 10 0x72"
	assert_line "cpu_core/INT_MISC.UOP_DROPPING/ 4 0x10ad"
	# the stepping does not matter, nor do the letters' case and their number
	for id in 6-AA-9 6-aa-0; do
		PERF_CPUID=GenuineIntel-$id try events -a -l 1
		assert_line "cpu_atom/topdown-retiring/ 10 0x72"
	done
}

@test "PERF_CPUID: a model that is not known goes by sysfs alone" {
	use alderlake
	PERF_CPUID=GenuineIntel-6-EE-0 try events -a -l 1
	assert_success
	# and by what every core has: three fixed counters, of which the watchdog has one,
	# and four others, of which one is left on cpu_core
	assert_output "$(LC_ALL=C sort <<-'EVENTS'
		cpu_atom/ref-cycles/ 10 0x300
		cpu_atom/instructions/ 10 0xc0
		cpu_core/instructions/ 4 0xc0
		cpu_core/cpu-cycles/ 4 0x3c
		cpu_core/ref-cycles/ 4 0x300
		cpu_atom/topdown-bad-spec/ 10 0x73
		cpu_atom/topdown-be-bound/ 10 0x74
		cpu_atom/topdown-fe-bound/ 10 0x71
		cpu_atom/topdown-retiring/ 10 0xc2
		cpu_core/slots/ 4 0x400
		cpu_core/topdown-bad-spec/ 4 0x8100
		cpu_core/topdown-be-bound/ 4 0x8300
		cpu_core/topdown-br-mispredict/ 4 0x8500
		cpu_core/topdown-fe-bound/ 4 0x8200
		cpu_core/topdown-fetch-lat/ 4 0x8600
		cpu_core/topdown-heavy-ops/ 4 0x8400
		cpu_core/topdown-mem-bound/ 4 0x8700
		cpu_core/topdown-retiring/ 4 0x8000
	EVENTS
	)"
	use icelakex
	PERF_CPUID=GenuineIntel-6-EE-0 try events -a -l 1
	assert_success
	refute_output --partial INT_MISC
	assert_equal "${#lines[@]}" 8
}

@test "PERF_CPUID: of another form" {
	use alderlake
	for id in nonsense GenuineIntel-6-97 GenuineIntel-6-97-2x GenuineIntel-six-97-2; do
		PERF_CPUID=$id try "$TDSTAT" --dry-run -a
		assert_failure
		assert_complains "$id.*GenuineIntel-6-97-2"
	done
}

@test "E-cores alone, behind the PMU cpu" {
	copied alderlake
	rm -r "$devices/cpu_core"
	mv "$devices/cpu_atom" "$devices/cpu"
	rm "$devices/cpu/cpus"
	echo 4 >"$devices/cpu/type"
	# Gracemont: bad-spec's umask 0x6 in sysfs leaves nukes out; it is not used
	echo event=0x73,umask=0x6 >"$devices/cpu/events/topdown-bad-spec"
	identity 6 $((0xbe)) 0
	try events -a -l 2
	assert_success
	refute_output --partial 0x673
	assert_line "cpu/topdown-retiring/ 4 0xc2"
	assert_line "cpu/TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS/ 4 0x373"
	# Sierra Forest
	identity 6 $((0xaf)) 3
	try events -a -l 1
	assert_line "cpu/topdown-retiring/ 4 0x72"
	# Tremont: its machine clears have umask 0x2
	identity 6 $((0x96)) 1
	try events -a -l 2
	refute_output --partial 0x673
	assert_line "cpu/TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS/ 4 0x273"
	assert_equal "$(cpus_of -a)" "cpu 0-7"
}

@test "nothing is opened and nothing is run" {
	needs_strace
	use alderlake
	for how in -a '-- touch made' '-C 0'; do
		try strace -f -o log -e trace=perf_event_open,execve "$TDSTAT" --dry-run $how
		assert_success
		try cat log
		refute_output --partial perf_event_open
		assert_equal "$(grep -c execve log)" 1
	done
	[ ! -e made ]
}

@test "> /dev/full fails" {
	use alderlake
	try sh -c '"$TDSTAT" --dry-run -a >/dev/full'
	assert_failure 1
	assert_complains 'No space left'
}

# Else no virtual machine could be started while tdstat counts: Linux 7.x's
# perf_create_mediated_pmu() in kernel/events/core.c.
@test "KVM gives its guests the counters: they are excluded, and that is said" {
	for vendor in intel amd; do
		rm -rf machine
		copied alderlake
		mkdir -p machine/sys/module/kvm_$vendor/parameters
		for word in N Y; do
			echo $word >machine/sys/module/kvm_$vendor/parameters/enable_mediated_pmu
			for words in '-a -l 2' '-a -e cycles,{slots,topdown-retiring}' '-C 4 -l 1' '-l 2 -- true'; do
				try "$TDSTAT" --dry-run $words
				assert_equal "$status" 0
				said=$(grep -c '^tdstat: not counting guests: KVM gives' <<<"$stderr") || true
				if [ $vendor$word = intelY ]; then
					grep -q exclude_guest <<<"$output"
					run ! grep -E '^  .* type (4|10) ' <(grep -v exclude_guest <<<"$output")
					[[ $words == *true ]] && assert_equal "$said" 0 || assert_equal "$said" 1
				else
					run ! grep exclude_guest <<<"$output"
					assert_equal "$said" 0
				fi
			done
		done
	done
	# whoever asks for guests gets them
	mkdir -p machine/sys/module/kvm_intel/parameters
	echo Y >machine/sys/module/kvm_intel/parameters/enable_mediated_pmu
	try "$TDSTAT" --dry-run -a -e cpu_core/cycles/G,cpu_core/cycles/
	assert_equal "$(grep -c exclude_guest <<<"$output")" 1
	assert_equal "$(grep -c exclude_host <<<"$output")" 1
}
