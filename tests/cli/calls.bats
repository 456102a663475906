#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: calls
# tdstat calls where nothing can be counted: how it finds functions, what it plans and
# says.  Counts are in tests/machine/calls.bats, pairs in tests/unit/pairing.c.

# shellcheck disable=SC2086,SC2154 # lists of words; helper.bash
load helper
load json

# A program with C functions, two of which have the same name, and C++ functions as the
# linker names them; the output of nm for it; and its first executable segment.
setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	cat >one.c <<-'C'
		__attribute__((noinline)) static int twice(int a) { return a + 1; }
		__attribute__((noinline)) int parse_request(int a) { return twice(a) + 2; }
		extern int other(int a), mangled(int a) __asm__("_ZN2ns4scanEii");
		int mangled(int a) { return a; }
		int main(int argc, char **argv) { (void)argv; return parse_request(argc) + other(argc) > 1000; }
	C
	cat >two.c <<-'C'
		__attribute__((noinline)) static int twice(int a) { return a + 3; }
		int other(int a);
		int other(int a) { return twice(a); }
		extern int alias(int a) __attribute__((alias("other")));
	C
	gcc -O1 -o program one.c two.c
	nm -S program >names
	readelf -lW program | awk '$1 == "LOAD" && / E / { print $2, $3; exit }' >segment
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LC_ALL
	cp "$BATS_FILE_TMPDIR/program" .
}

# at NAME: where nm has it, as the offset in the file, into $at, and its $size
at() {
	local address bytes name offset section

	read -r offset section <"$BATS_FILE_TMPDIR/segment"
	while read -r address bytes _ name; do
		[ "$name" != "$1" ] || break
	done <"$BATS_FILE_TMPDIR/names"
	printf -v at '0x%x' $((0x$address - section + offset))
	printf -v size '0x%x' $((0x$bytes))
}

# assert_probes LINE FUNCTION [NAME] [PROGRAM]: a line of the plan, of the function that nm calls
# NAME
assert_probes() {
	at "${3-$2}"
	assert_equal "${lines[$1]}" "probes at $2: $at in $PWD/${4-program}"
}

# assert_groups NR: the plan has NR groups
assert_groups() {
	local line nr=0

	for line in "${lines[@]}"; do
		[[ $line != group* ]] || nr=$((nr + 1))
	done
	assert_equal "$nr" "$1"
}

calls() {
	try "$TDSTAT" calls "$@"
}

# --- the plan -------------------------------------------------------------------

@test "one group for each core type, and the places of the probes" {
	saved alderlake
	calls parse_request --dry-run -- ./program
	[ "$status" -eq 0 ]
	assert_groups 2
	assert_probes -1 parse_request
	saved sapphirerapids
	calls parse_request,other -l 2 --dry-run ./program
	[ "$status" -eq 0 ]
	assert_groups 1
	assert_probes -2 parse_request
	assert_probes -1 other
}

@test "functions of the kernel: the kernel looks for them" {
	saved sapphirerapids
	calls -k do_sys_openat2,vfs_read --dry-run -- ./program
	[ "$status" -eq 0 ]
	[ "${lines[-2]}" = "probes at do_sys_openat2 in the kernel" ]
	[ "${lines[-1]}" = "probes at vfs_read in the kernel" ]
}

@test "locate within calls of a function" {
	saved sapphirerapids
	try "$TDSTAT" locate -e cycles --in parse_request --slower 1.5ms --dry-run -- ./program
	[ "$status" -eq 0 ]
	try "$TDSTAT" locate -e cycles --in parse_reqest --dry-run -- ./program
	[ "$status" -eq 64 ]
	assert_complains 'no function parse_reqest' 'did you mean parse_request\?'
	for words in '--in f -a' '--slower 1ms -- ./program' '--in parse_request,other -- ./program' \
		'--in parse_request --samples s -- ./program' '--in parse_request --slower 5 -- ./program' \
		'--in parse_request --slower 2x -- ./program' '--in parse_request --slower .ms -- ./program' \
		'--in parse_request --slower 9999s -- ./program'; do
		try "$TDSTAT" locate -e cycles $words
		[ "$status" -eq 64 ] || {
			echo "$words: $status: $stderr"
			false
		}
	done
}

@test "metrics that do not fit into the counters are left out, with a note" {
	saved alderlake
	calls parse_request -l 2 --dry-run -- ./program
	[ "$status" -eq 0 ]
	[[ $stderr =~ ^"tdstat: cpu_atom: not counted, because there are too few counters for all events at once, and none is multiplexed: tma_" ]]
}

# --- names ----------------------------------------------------------------------

@test "names of C++, with parameters or not, and another name of a function" {
	saved sapphirerapids
	for name in ns::scan 'ns::scan(int, int)' _ZN2ns4scanEii; do
		calls "$name" --dry-run -- ./program
		assert_probes -1 "$name" _ZN2ns4scanEii
	done
	calls alias --dry-run -- ./program
	assert_probes -1 alias other
	# two names are one function
	calls alias,other --dry-run -- ./program
	[ "$status" -eq 64 ]
	[[ $stderr == *twice* ]]
}

@test "a function that is not there is wrong usage, with the one that was meant" {
	saved sapphirerapids
	calls parse_reqest -- ./program
	[ "$status" -eq 64 ]
	assert_complains 'no function parse_reqest' 'did you mean parse_request\?'
	calls no_such_function_at_all -- ./program
	[ "$status" -eq 64 ]
	assert_complains 'inlined' 'FUNCTION@FILE'
}

@test "several functions of one name are listed" {
	saved sapphirerapids
	calls twice -- ./program
	[ "$status" -eq 64 ]
	found=0
	while read -r address _ _ name; do
		[ "$name" = twice ] || continue
		found=$((found + 1))
		printf -v address '0x%x' $((0x$address))
		[[ $stderr == *"$address"* ]]
	done <"$BATS_FILE_TMPDIR/names"
	assert_equal "$found" 2
}

@test "a path of the program with characters that a terminal would act on" {
	local odd=$'odd\e[1m\u202e' shown='odd\x1b[1m\xe2\x80\xae'

	cp program "$odd"
	saved sapphirerapids
	calls parse_request --dry-run -- "./$odd"
	assert_probes -1 parse_request parse_request "$shown"
	copied alderlake
	add_trace
	calls parse_request --engine=pt --dry-run -- "./$odd"
	[[ $output == "intel_pt: config "*"@$PWD/$shown" ]]
}

@test "a file or a library after the @" {
	saved sapphirerapids
	calls parse_request@./program --dry-run -- sh -c ./program
	assert_probes -1 parse_request
	calls malloc@libc.so.6 --dry-run -- ./program
	[ "$status" -eq 0 ]
	[[ ${lines[-1]} == "probes at malloc: 0x"*/libc.so.6 ]]
	calls malloc@libnot.so.1 -- ./program
	assert_complains 'no library libnot.so.1' /PATH/OF/LIBRARY
	calls parse_request@./not_there -- ./program
	assert_complains './not_there: No such file'
	mkdir 'a folder'
	cp program 'a folder/a program'
	calls parse_request --dry-run -- './a folder/a program'
	assert_probes -1 parse_request parse_request 'a folder/a program'
}

# The linker names those of a library "parse@@V2" and "parse@V1" in the table that a debug
# file has, and in its own it has the versions beside the names.
@test "a function with versions: the one that programs are linked to now" {
	local address name offset section
	local -A offsets

	saved sapphirerapids
	cat >versions.c <<-'C'
		int first(int a), second(int a), third(int a);
		int first(int a) { return a + 1; }
		int second(int a) { return a + 2; }
		int third(int a) { return a + 3; }
		__asm__(".symver first,parse@V1\n.symver second,parse@@V2\n.symver third,gone@V1");
	C
	echo 'V1 { global: parse; gone; local: *; }; V2 { global: parse; } V1;' >map
	gcc -O1 -shared -fPIC -Wl,--version-script=map -o libversions.so versions.c
	readelf -lW libversions.so | awk '$1 == "LOAD" && / E / { print $2, $3; exit }' >segment
	read -r offset section <segment
	nm --defined-only libversions.so >of_library
	while read -r address _ name; do
		printf -v "offsets[$name]" 0x%x $((0x$address - section + offset))
	done <of_library
	[ "${offsets[parse@@V2]}" != "${offsets[parse@V1]}" ]
	mkdir apart bare
	objcopy --only-keep-debug libversions.so apart/lib.debug
	strip -o bare/libversions.so libversions.so
	(cd apart && objcopy --add-gnu-debuglink=lib.debug ../bare/libversions.so libversions.so)
	for library in . apart bare; do
		calls "parse@./$library/libversions.so" --dry-run -- ./program
		[[ ${lines[-1]} == "probes at parse: ${offsets[parse@@V2]} in "* ]]
		calls "gone@./$library/libversions.so" --dry-run -- ./program
		[[ ${lines[-1]} == "probes at gone: ${offsets[gone@V1]} in "* ]]
	done
}

@test "a copy that the compiler made, and a part elsewhere" {
	saved sapphirerapids
	objcopy --redefine-sym parse_request=parse_request.constprop.0 program copy
	calls parse_request --dry-run -- ./copy
	[ "$status" -eq 0 ]
	[[ $stderr == *"the calls of parse_request.constprop.0, a copy"* ]]
	objcopy --redefine-sym other=parse_request.cold program part
	calls parse_request --dry-run -- ./part
	[[ $stderr == *"its separate part parse_request.cold is counted with it"* ]]
}

@test "a script, a file without symbols, a program of Go: the command runs" {
	saved sapphirerapids
	printf '#!/bin/sh\nexit 3\n' >script
	chmod +x script
	calls parse_request -- ./script
	[ "$status" -eq 3 ]
	assert_complains 'not an ELF file' 'FUNCTION@FILE'
	strip -o stripped program
	calls parse_request -- ./stripped
	[ "$status" -eq 0 ]
	[[ $stderr == *stripped:* ]]
	echo >empty
	# as Go's linker names its tables, with -buildmode=pie and with an empty -buildid, too
	for section in .note.go.buildid .gopclntab .data.rel.ro.gopclntab .go.buildinfo; do
		objcopy --add-section $section=empty program go
		for how in parse_request 'parse_request --dry-run'; do
			calls $how -- ./go
			[[ $stderr == *'Go programs'*'--engine=pt'* ]]
		done
		try "$TDSTAT" locate -e cycles --in parse_request -- ./go
		[[ $stderr == *'Go programs'* && $stderr != *'--engine=pt'* ]]
		[ "$status" -eq 0 ]
		[[ $stderr == *" without counting"* ]]
	done
	calls parse_request -- ./is_not_there
	[ "$status" -eq 127 ]
}

# --- Processor Trace ------------------------------------------------------------

# A saved machine that has it: bits as SDM 3C, 33.2.8.2, and perf's tools call them.
add_trace() {
	local pt=$devices/intel_pt cap

	mkdir -p "$pt/caps" "$pt/format"
	echo 9 >"$pt/type"
	echo 25 >"$pt/max_nonturbo_ratio"
	echo 166:2 >"$pt/tsc_art_ratio"
	echo 2 >"$pt/nr_addr_filters"
	for cap in psb_cyc mtc ip_filtering; do
		echo 1 >"$pt/caps/$cap"
	done
	echo 249 >"$pt/caps/mtc_periods"
	echo config:1 >"$pt/format/cyc"
	echo config:10 >"$pt/format/tsc"
	echo config:9 >"$pt/format/mtc"
	echo config:14-17 >"$pt/format/mtc_period"
}

# The size is nm's.  Of the crystal's periods, 2^0, 2^3, 2^6 and 2^9 ticks, the longest.
@test "Processor Trace: which parts of the function are traced" {
	copied alderlake
	add_trace
	calls parse_request --engine=pt --dry-run -- ./program
	[ "$status" -eq 0 ]
	printf -v config %x $((1 << 1 | 1 << 10 | 1 << 9 | 9 << 14))
	at parse_request
	assert_equal "$output" "intel_pt: config 0x$config, filter $at/$size@$PWD/program"
}

@test "Processor Trace: several functions take turns" {
	copied alderlake
	add_trace
	calls parse_request,other,main --engine=pt --dry-run -- ./program
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 3 ]
	for of in 0:parse_request 1:other 2:main; do
		at "${of#*:}"
		[[ ${lines[${of%:*}]} == "intel_pt: config "*", filter $at/0x"*"@$PWD/program" ]]
	done
	[[ $stderr == *"functions are traced in turns of about 200 ms"* ]]
	calls parse_request --engine=pt --dry-run -- ./program
	[[ $stderr != *turns* ]]
}

@test "Processor Trace: a program of Go can be traced, which does not tell all" {
	copied alderlake
	add_trace
	echo >empty
	objcopy --add-section .gopclntab=empty program go
	calls parse_request --engine=pt --dry-run -- ./go
	[ "$status" -eq 0 ]
	[[ $output == "intel_pt: config "* && $stderr == *" is a Go program: a call that waits for another goroutine"* ]]
}

@test "Processor Trace: only events that can be counted individually are sampled beside it" {
	copied alderlake
	add_trace
	calls parse_request --engine=pt -l 1 --dry-run -- ./program
	[ "$status" -eq 0 ]
	[[ $output == "intel_pt: config "* ]]
	assert_groups 2
	[[ $output == *TOPDOWN.SLOTS_P* && $output == *UOPS_RETIRED.SLOTS* && $output == *TOPDOWN.BACKEND_BOUND_SLOTS* ]]
	[[ $output == *cpu_atom/topdown-retiring/* && $output != *cpu_core/topdown-* && $output != *"probes at"* ]]
}

@test "Processor Trace: a machine that lacks it or libipt; the command runs" {
	bare
	saved alderlake

	calls parse_request@./program --engine=pt -- sh -c 'exit 7'
	assert_equal "$status" 7
	[[ $stderr == *"--engine=pt: this machine has no Processor Trace"*"--engine=uprobes"*" without counting"* ]]
	copied alderlake
	add_trace
	for file in caps/psb_cyc nr_addr_filters format/cyc; do
		mv "$devices/intel_pt/$file" kept
		calls parse_request --engine=pt -- ./program
		[ "$status" -eq 0 ]
		[[ $stderr == *"Processor Trace of this machine "*" without counting"* ]]
		mv kept "$devices/intel_pt/$file"
	done
	mkdir lib
	: >lib/libipt.so.2
	LD_LIBRARY_PATH=$PWD/lib calls parse_request --engine=pt -- ./program
	[ "$status" -eq 0 ]
	[[ $stderr == *"--engine=pt: Processor Trace needs libipt: "*"Debian's package libipt2"*" without counting"* ]]
	[[ $(ldd "$TDSTAT") != *ipt* ]]
}

# --- options and rights ---------------------------------------------------------

@test "wrong usage" {
	saved sapphirerapids
	for words in '' '-- ./program' 'f' 'f -a' 'f -C 0' 'f -l 3 -- ./program' 'f -l auto -- ./program' \
		'f --engine=marks -p 1' '-k f --engine=marks -- ./program' '-k f@x -- ./program' '-k f --overhead 3 -- ./program' '-k f,f -- ./program' \
		'f --engine=x -- ./program' 'f --engine=pt --overhead 3 -- ./program' '-k f --engine=pt -- ./program' 'f --engine=marks --overhead 1 -- ./program' 'f --overhead 101 -- ./program' 'f --engine=marks --timeout 1s -- ./program' \
		'@x -- ./program' 'f@ -- ./program' ',f -- ./program' 'other,other -- ./program'; do
		calls $words
		[ "$status" -eq 64 ] || {
			echo "$words: $status: $stderr"
			false
		}
		[[ $stderr == "tdstat: "* ]]
	done
}

@test "without the rights the command runs, and marks are named" {
	local as=()
	[ "$(id -u)" -ne 0 ] || as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${as[@]}" test -x "$TDSTAT" || skip "tdstat is closed to others"
	copied sapphirerapids
	# where others may go
	open=$(mktemp -d)
	cp -R program machine "$open"
	chmod -R a+rX "$open"
	use_machine "$open/machine"
	try "${as[@]}" "$TDSTAT" calls parse_request -- "$open/program"
	[ "$status" -eq 0 ] || rm -r "$open"
	assert_complains CAP_SYS_ADMIN 'tdstat regions'
	[[ $stderr == *" without counting"* ]]
	try "${as[@]}" "$TDSTAT" calls parse_request --require -- "$open/program"
	rm -r "$open"
	[ "$status" -eq 125 ]
}

@test "a program with marks: its regions, where no function has the name" {
	saved sapphirerapids
	# td_begin() of a library, which is not called, as nothing is counted
	printf 'void td_begin(const char *);\nvoid td_begin(const char *n) { (void)n; }\n' >marks.c
	gcc -shared -fPIC -o libmarks.so marks.c
	printf 'void td_begin(const char *);\nint main(void) { td_begin("region"); return 5; }\n' >main.c
	gcc -O1 -o marked main.c libmarks.so -Wl,-rpath,"$PWD"
	strip marked
	calls region --dry-run -- ./marked
	[ "$status" -eq 0 ]
	[[ $stderr == *"counting with the program's marks: "*marked:*"no symbols"* ]]
	assert_groups 1
	[[ $output != *"probes at"* ]]
	# a program without them is a wrong name
	calls region --dry-run -- ./program
	[ "$status" -eq 64 ]
	# a probe that was asked for is not replaced
	calls region --engine=uprobes --dry-run -- ./marked
	[ "$status" -eq 1 ]
	calls parse_request --engine=marks --dry-run -- ./program
	[ "$status" -eq 0 ]
	[[ $output != *"probes at"* ]]
}

# in_a_line TEXT: into $words
in_a_line() {
	read -rd '' -a words <<<"$1" || true
	words="${words[*]}"
}

# --- recordings -----------------------------------------------------------------

# timed [FILTER]: a recording of functions (of tdstat profile) as one of timed calls:
# those of scenario_icache are around the median, those of scenario_dram_latency slow.
# The calls of the first take 1 ms on a P-core and 1.5 ms on an E-core, of the second
# 6 ms, 1 ms of it without a CPU, and 9 ms; on an E-core most calls are slow.
timed() {
	command jq -c '
		def ns($core; $atom): (.on.cpu_core // 0) as $c | (.on.cpu_atom // 0) as $a |
			{ cpu_core: ($c * $core), cpu_atom: ($a * $atom) };
		if .regions then
			.functions = false |
			.timed = [
				{ name: "f", middle: 20, slow: 30, max_ns: 9500000, steps: [300, 687, 340, 968],
				  slowest: [{ ns: 9500000, start_ns: 1700000000123456789, tid: 7, cpu: 3 }] },
				{ name: "rest", middle: 10, slow: 0, max_ns: 100, steps: [100, 772], slowest: [] }] |
			.regions |= [.[] | del(.whole) | . + { timed: 2, bucket: 10, took_ns: {}, on_ns: {} } |
				if .name == "scenario_icache" then
					. + { timed: 1, bucket: 20, took_ns: ns(1e6; 1500000), on_ns: ns(1e6; 1500000) }
				elif .name == "scenario_dram_latency" and (.own | not) then
					. + { timed: 1, bucket: 30, slow: true, took_ns: ns(6e6; 9e6), on_ns: ns(5e6; 9e6),
					      waited_ns: (.on.cpu_core * 1e6), preempted_ns: 0, faults: 96800, switches: 549, migrations: 0 }
				else . end |
				if .slow then ., (del(.slow) | .name = "part") else . end |
				if .name == "scenario_icache" then
					. + { waited_ns: 0, preempted_ns: 0, faults: 0, switches: 0, migrations: 0 }
				else . end]
		else . end | '"${1:-.}" "$data/functions.jsonl" >recording
}

@test "a recording: the causes of slow calls are computed from its counts" {
	timed
	"$TDSTAT" report recording -l 1 -j >out
	# the metrics of the same counts, as functions
	"$TDSTAT" report "$data/functions.jsonl" -l 1 -j >functions
	[ "$(in_schema out | wc -l)" -ge 2 ]
	python3 - <<-'PYTHON'
		import json
		rows = [json.loads(line) for line in open("functions")]
		def of(name, metric):
		    row, = [r for r in rows if r.get("id") == name and r["pmu"] == "cpu_core" and r["metric"] == metric]
		    return row["value"] * row["slots"] / 100 / row["calls"], row["slots"] / row["calls"]
		found = [json.loads(line)["durations"] for line in open("out") if '"durations"' in line]
		slow = found[0]["slow"]
		longer = (549 * 6e6 + 419 * 9e6) / 968 - (417 * 1e6 + 270 * 1.5e6) / 687
		assert abs(slow["longer"] * 1e9 - longer) < 1, (slow["longer"], longer)
		want = {("waited", None): 549 * 1e6 / 968}
		want["other core", None] = (419 * 9e6 - 419 * 1e6) / 968 - (270 * 1.5e6 - 270 * 1e6) / 687
		part = 549 / 968
		for metric in "retiring", "bad_speculation", "frontend_bound", "backend_bound":
		    a, slots = of("scenario_dram_latency", "tma_" + metric)
		    b, before = of("scenario_icache", "tma_" + metric)
		    want["node", "tma_" + metric] = part * (a - b) * 5e6 / slots
		want["clock", None] = part * (before * 5e6 / slots - 1e6)
		assert abs(sum(want.values()) / longer - 1) < 0.01, want
		got = {(c["cause"], c["node"]): c["share"] for c in slow["causes"]}
		for key, ns in want.items():
		    assert abs(got[key] - 100 * ns / longer) < 0.1, (key, got[key], 100 * ns / longer)
		assert abs(sum(got.values()) - 100) < 0.01, got
		assert found[0]["calls"] == 687 + 968 and found[0]["max"] == 0.0095
		assert found[1]["slow"] is None and found[0]["slowest"][0]["tid"] == 7
	PYTHON
}

# As many as a hundred calls on an E-core are slow, of 370: that core has what a usual
# call takes longer there, its nodes and clock have what these take longer than that.
@test "a recording: slow calls of each core type are compared with the usual ones there" {
	timed 'if .regions then .regions |= map(if .bucket == 30 then
		.on.cpu_atom = 100 | .calls = 649 | .took_ns.cpu_atom = 900000000 | .on_ns.cpu_atom = 900000000 else . end) else . end'
	"$TDSTAT" report recording -l 1 -j >out
	"$TDSTAT" report "$data/functions.jsonl" -l 1 -j >functions
	python3 - <<-'PYTHON'
		import collections, json
		rows = [json.loads(line) for line in open("functions")]
		def of(name, metric, pmu, calls):
		    row, = [r for r in rows if r.get("id") == name and r["pmu"] == pmu and r["metric"] == metric]
		    return row["value"] * row["slots"] / 100 / calls, row["slots"] / calls
		slow = [json.loads(line)["durations"]["slow"] for line in open("out") if '"durations"' in line][0]
		longer = (549 * 6e6 + 100 * 9e6) / 649 - (417 * 1e6 + 270 * 1.5e6) / 687
		want = collections.Counter({("waited", None): 549 * 1e6 / 649})
		want["other core", None] = 100 * (1.5e6 - 1e6) / 649 - 270 * (1.5e6 - 1e6) / 687
		for pmu, calls, fast, runs, usual in ("cpu_core", 549, 417, 5e6, 1e6), ("cpu_atom", 100, 270, 9e6, 1.5e6):
		    for metric in "retiring", "bad_speculation", "frontend_bound", "backend_bound":
		        a, slots = of("scenario_dram_latency", "tma_" + metric, pmu, calls)
		        b, before = of("scenario_icache", "tma_" + metric, pmu, fast)
		        want["node", "tma_" + metric] += calls / 649 * (a - b) * runs / slots
		    want["clock", None] += calls / 649 * (before * runs / slots - usual)
		assert abs(sum(want.values()) / longer - 1) < 0.01, want
		got = {(c["cause"], c["node"]): c["share"] for c in slow["causes"]}
		for key, ns in want.items():
		    assert abs(got[key] - 100 * ns / longer) < 0.1, (key, got[key], 100 * ns / longer)
		assert abs(sum(got.values()) - 100) < 0.01, got
	PYTHON
}

@test "a recording: as text, a table for each function, and sentences" {
	needs_wing pictures
	timed
	TZ=UTC try "$TDSTAT" report recording -l 1
	[ "$status" -eq 0 ]
	[[ $output == *" f: 1,655 calls  p50 "*" max 9.5 ms"* ]]
	[[ $output == *" rest: 772 calls "* ]]
	# bucket 20 is from 100 ns * 2^9 * 1.5 on, and 30 from 32 times as much on
	[[ $output == *" 76.8 - 102 us "* && $output == *" from 2.46 ms "* ]]
	in_a_line "$output"
	[[ $words == *"Slow vs typical call: 100.0 vs 0.0 page faults, 0.6 vs 0.0 context switches."* ]]
	[[ $words == *"% on another core type"*"% waiting"* ]]
	[[ $output == *"9.5 ms at 2023-11-14 22:13:20.123456, thread 7, CPU 3"* ]]
	[[ $output != *"Biggest loser"* ]]
	"$TDSTAT" report recording -l 1 -x, >csv
	awk -F, 'NR == 1 { nr = NF } NF != nr { exit 1 }' csv
	has_text csv '^[^
]*,whole,function,took_from,took_to,slow,time_share,on_cpu,waited,preempted,faults,switches,migrations,interrupted,tma_'
	# values that are not numbers are empty
	run ! has_text csv '[Nn][Aa][Nn]|[Ii][Nn][Ff][^o]'
	"$TDSTAT" report recording -l 1 --html page
	has_text page scenario_dram_latency
}

# 2 ms and 4 ms of the 6 ms and 9 ms of slow calls are in interrupts, which the counts
# exclude, and a tenth of the 1 ms of the others.
@test "a recording: interrupts are a cause, and no node has their time" {
	needs_wing pictures
	# shellcheck disable=SC2016 # variables of jq
	timed 'if .regions then .regions |= map(.on.cpu_core as $c | (.on.cpu_atom // 0) as $a |
		if .bucket == 30 then . + { interrupted_ns: { cpu_core: ($c * 2e6), cpu_atom: ($a * 4e6) } }
		elif .name == "scenario_icache" then . + { interrupted_ns: { cpu_core: ($c * 1e5) } } else . end) else . end'
	"$TDSTAT" report recording -l 1 -j >out
	in_schema out >/dev/null
	"$TDSTAT" report "$data/functions.jsonl" -l 1 -j >functions
	python3 - <<-'PYTHON'
		import json
		rows = [json.loads(line) for line in open("functions")]
		def of(name, metric):
		    row, = [r for r in rows if r.get("id") == name and r["pmu"] == "cpu_core" and r["metric"] == metric]
		    return row["value"] * row["slots"] / 100 / row["calls"], row["slots"] / row["calls"]
		found = [json.loads(line) for line in open("out")]
		slow = [d["durations"] for d in found if "durations" in d][0]["slow"]
		longer = (549 * 6e6 + 419 * 9e6) / 968 - (417 * 1e6 + 270 * 1.5e6) / 687
		want = {("waited", None): 549 * 1e6 / 968}
		want["interrupts", None] = (549 * 2e6 + 419 * 4e6) / 968 - 417 * 1e5 / 687
		# a call at home takes 0.9 ms without them
		want["other core", None] = 419 * (9e6 - 4e6 - 0.9e6) / 968 - 270 * (1.5e6 - 0.9e6) / 687
		part = 549 / 968
		for metric in "retiring", "bad_speculation", "frontend_bound", "backend_bound":
		    a, slots = of("scenario_dram_latency", "tma_" + metric)
		    b, before = of("scenario_icache", "tma_" + metric)
		    want["node", "tma_" + metric] = part * (a - b) * 3e6 / slots
		want["clock", None] = part * (before * 3e6 / slots - 0.9e6)
		assert abs(sum(want.values()) / longer - 1) < 0.01, want
		got = {(c["cause"], c["node"]): c["share"] for c in slow["causes"]}
		for key, ns in want.items():
		    assert abs(got[key] - 100 * ns / longer) < 0.1, (key, got[key], 100 * ns / longer)
		assert abs(sum(got.values()) - 100) < 0.01, got
		cells = {(r["pmu"], r["took_from"] > 0.001): r["interrupted"] for r in found if r.get("function") == "f"}
		assert cells == {("cpu_core", True): 0.002, ("cpu_atom", True): 0.004,
		                 ("cpu_core", False): 0.0001, ("cpu_atom", False): 0}, cells
	PYTHON
	try "$TDSTAT" report recording -l 1
	in_a_line "$output"
	[[ $words =~ [0-9]' % interrupts' && $words != *'were not counted.'* ]]
	"$TDSTAT" report recording -l 1 --html page
	in_a_line "$(<page)"
	[[ $words =~ [0-9]' % interrupts' ]]
	# unknown is not none
	timed
	"$TDSTAT" report recording -l 1 -j | command jq -es 'map(select(.function == "f")) | length > 0 and all(has("interrupted") and .interrupted == null)'
	try "$TDSTAT" report recording -l 1
	in_a_line "$output"
	rest=${words/Interrupts were not counted./}
	[[ $rest != "$words" && $rest != *'Interrupts were not counted.'* ]]
}

# values FUNCTION SLOW: of the metrics of its rows in the file "out"
values() {
	command jq -c --arg of "$1" --argjson slow "$2" 'select(.function == $of and .slow == $slow and .metric) |
		[.pmu, .metric, .value, .error, .slots_per_call]' out
}

@test "a recording: few samples, or calls as short as their delay, have no metrics" {
	timed
	"$TDSTAT" report recording -l 1 -j >out
	values f true >counted
	command jq -es 'length == 8 and all(.[2] != null)' counted
	values rest false | command jq -es 'length > 0 and any(.[2] != null)'
	# each slot is a sample, so there are enough
	timed 'if .timed then .timed |= map(.period = 1) else . end'
	"$TDSTAT" report recording -l 1 -j >out
	in_schema out >/dev/null
	values f true | diff counted -
	values rest false | command jq -es 'length > 0 and all(.[2] == null and .[4] == null)'
	command jq -es 'map(select(.function == "rest" and .metric)) | all(.why == "samples come too late for such short calls")' out
	# there is none
	timed 'if .timed then .timed |= map(.period = 1000000000000000) else . end'
	"$TDSTAT" report recording -l 1 -j >out
	values f true | command jq -es 'length == 8 and all(.[2] == null and .[4] == null)'
	command jq -es 'map(select(.function == "f" and .metric)) | all(.why == "fewer than 30 samples")' out
	# all calls are in the output
	command jq -s 'map(select(.durations and .durations.function == "f").durations | .calls) == [1655]' out | grep -qx true
}

# few FAST SLOW: make a recording with these numbers of calls, and the counts of all
few() {
	timed "if .regions then .timed[0].steps = [300, $1, 340, $2] |
		.regions |= map(if .timed == 1 then (if .bucket == 20 then $1 else $2 end) as \$nr |
			.calls = \$nr | .on = { cpu_core: \$nr } | .took_ns = { cpu_core: (\$nr * (if .bucket == 20 then 1e6 else 6e6 end)) } |
			.on_ns = .took_ns | if .waited_ns then .waited_ns = 0 else . end else . end) else . end"
}

# Metrics of three calls with billions of slots are known, but not which of them are slow.
@test "a recording: few long calls have metrics and slots, but no causes" {
	few 2 1
	try "$TDSTAT" report recording -l 1
	[ "$status" -eq 0 ]
	in_a_line "$output"
	[[ $words == *'slots a call'*'Fewer than 10 calls: too few to compare the slow ones with the others. The calls:'* ]]
	[[ $words != *'slowest'*rest:* && ${words%%rest:*} != *'not clear'* ]]
	"$TDSTAT" report recording -l 1 -j >out
	in_schema out >/dev/null
	"$TDSTAT" report "$data/functions.jsonl" -l 1 -j >functions
	command jq -es --slurpfile whole functions '
		($whole | map(select(.pmu == "cpu_core" and .metric)) |
			map({ "\(.id) \(.metric)": [.value, .slots] }) | add) as $of |
		map(select(.function == "f" and .pmu == "cpu_core" and .metric)) | length == 12 and all(
			$of["\(if .took_from < 0.001 then "scenario_icache" else "scenario_dram_latency" end) \(.metric)"] as [$value, $slots] |
			.value == $value and .slots_per_call == $slots / .calls)' out
	command jq -es 'map(.durations | select(.) | .slow) == [null, null]' out
	# ten are enough, and a slow one has its cause, although not how far others differ
	few 9 1
	"$TDSTAT" report recording -l 1 -j |
		command jq -es 'map(.durations | select(.) | .slow.causes) | .[0][0] | .cause == "node" and .node == "tma_backend_bound" and .clear'
	try "$TDSTAT" report recording -l 1
	in_a_line "$output"
	[[ $words == *'Of that: '[0-9]*' % backend_bound'* ]]
}

# On P-cores the probes added as many retiring slots as remain: the measured value was the
# mean of the shown one and 100 %, and other nodes had half of their value.
@test "a recording: errors include the correction for the cost of probes" {
	timed
	python3 - <<-'PYTHON'
		import json, os, subprocess
		def write(path, lines):
		    with open(path, "w") as file:
		        file.writelines(json.dumps(line) + "\n" for line in lines)
		def usual(path):
		    done = subprocess.run([os.environ["TDSTAT"], "report", path, "-l", "1", "-j"], capture_output=True, check=True)
		    return [row for row in map(json.loads, done.stdout.splitlines())
		            if row.get("function") == "f" and row.get("metric") and row["took_from"] < 0.001]
		head, regions, counts, end = [json.loads(line) for line in open("recording")]
		timeline = [{"so_far": counts["time"] * part / 16, "sums": [[int(n * part / 16) for n in c[3:6]] for c in counts["counts"]]}
		          for part in range(1, 17)]
		write("free", [head, regions, *timeline, counts, end])
		free = usual("free")
		slots, = {row["slots_per_call"] for row in free if row["pmu"] == "cpu_core"}
		added = {"cpu_core/slots/": round(slots), "cpu_core/topdown-retiring/": round(slots)}
		regions["timed"][0]["cost"] = [added.get(event["name"], 0) for event in head["events"]]
		write("costly", [head, regions, *timeline, counts, end])
		costly = usual("costly")
		assert len(free) == len(costly) == 8
		for row, other in zip(free, costly):
		    value, changed = row["value"], 0
		    if row["pmu"] == "cpu_core":
		        changed = value - (value + 100 * (row["metric"] == "tma_retiring")) / 2
		    assert other["value"] == value and row["error"] < 1, (row, other)
		    assert abs(other["error"] - (row["error"] ** 2 + changed ** 2) ** 0.5) < 0.01 + 0.01 * abs(changed), (row, other)
	PYTHON
}

# Probes that took a tenth of the time may be a tenth of the slots of few calls.
@test "a recording: few short calls have no metrics" {
	for nr in 29 30; do
		few $nr 1
		command jq -c 'if .regions then .regions |= map(if .timed == 1 then .cost = .time / 8 else . end) else . end' recording >costly
		"$TDSTAT" report costly -l 1 -j >out
		# there is only one slow call
		values f false | command jq -es --argjson nr $nr 'length > 0 and any(.[2] != null) == ($nr == 30)' ||
			{ echo "$nr"; values f false; false; }
	done
}

@test "a page: bars of the calls by how long they took, in the colours of level 1" {
	needs_wing pictures
	timed
	"$TDSTAT" report recording -l 1 -j >out
	TZ=UTC "$TDSTAT" report recording -l 1 --html page
	python3 "$here/page.py" check page
	python3 - <<-'PYTHON'
		import json, re
		page = open("page").read()
		first = re.search(r'<section class="durations">\n<h2>f</h2>(.*?)</section>', page, re.S).group(1)
		assert "9.5 ms at 2023-11-14 22:13:20.123456, thread 7, CPU 3" in first
		rows = [json.loads(line) for line in open("out")]
		rows = [r for r in rows if r.get("function") == "f" and not r["slow"]]
		bars = {}
		for y, width, title in re.findall(r'<rect x="[0-9.]+" y="(\d+)" width="([0-9.]+)"[^>]*><title>([^<]*)', first):
		    if y == "0":
		        continue  # the names of the colours
		    name, value = title.split(": ")
		    bars.setdefault(y, {})[name] = float(width), float(value.rstrip(" %"))
		whole = {y: float(w) for y, w in re.findall(r'y="(\d+)" width="([0-9.]+)" height="16" fill="none"', first)}
		lines = sorted({(r["took_from"], r["pmu"] != "cpu_core", r["pmu"]) for r in rows})
		assert len(bars) == 4 == len(lines) == len(whole), bars
		for y, (took, _, pmu) in zip(sorted(bars, key=int), lines):
		    of = {r["metric"]: r for r in rows if r["pmu"] == pmu and r["took_from"] == took}
		    for name in "tma_retiring", "tma_bad_speculation", "tma_frontend_bound", "tma_backend_bound":
		        width, value = bars[y][name]
		        assert abs(value - of[name]["value"]) < 0.051, (name, value, of[name])
		        assert abs(width - whole[y] * of[name]["on_cpu"] / 100 * of[name]["value"] / 100) < 0.5, (y, name)
		    # the longest bar is that of the row with most of the time
		    most = max(r["time_share"] for r in rows)
		    assert abs(whole[y] / max(whole.values()) - of["tma_retiring"]["time_share"] / most) < 0.01
	PYTHON
	run ! has_text page '[Nn][Aa][Nn]"|[Ii][Nn][Ff]"'
}

@test "a recording that is not as it was written is refused" {
	for change in \
		'(.timed[0].middle | select(.)) = 64' \
		'.timed[0].period = "x"' \
		'.timed[0].period = -1' \
		'.timed[0].cost = 1' \
		'.timed[0].cost = [-1]' \
		'(.timed[0].steps | select(.)) += [1]' \
		'(.timed[0].steps | select(.)) = [976, 1]' \
		'(.timed[0].steps | select(.)) = [1, -1]' \
		'(.timed[0].slowest | select(.)) = [range(11)]' \
		'(.timed[0].slowest[0].cpu | select(.)) = "x"' \
		'(.timed | select(.)) = {}' \
		'(.timed[0].name | select(.)) = 3' \
		'(.regions[0].timed | select(.)) = 3' \
		'(.regions[0].timed | select(.)) = 0' \
		'(.regions[0].bucket | select(.)) = 64' \
		'(.regions[0].took_ns | select(.)) = 1' \
		'(.regions[6].waited_ns | select(.)) = -1' \
		'.regions[6].interrupted_ns = { cpu_core: -1 }' \
		'.regions[6].interrupted_ns = 1' \
		'del(.regions[0]?.timed)'; do
		timed "if .regions then $change else . end"
		try "$TDSTAT" report recording
		[ "$status" -eq 1 ] || {
			echo "$change: $status $output $stderr"
			false
		}
		assert_complains 'recording:2: '
	done
}
