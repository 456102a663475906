#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat calls where nothing can be counted: how it finds functions, what it plans and
# says.  Counts are in tests/machine/calls.bats, pairs in tests/unit/pairing.c.

# shellcheck disable=SC2086,SC2154 # lists of words; helper.bash
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LC_ALL
	program
}

# A program with functions of C, of which two have one name, and as the linker knows
# those of C++.
program() {
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
}

# at NAME: where nm has it, as the offset in the file
at() {
	local address section
	address=$(nm program | awk -v name="$1" '$3 == name { print $1 }')
	# the first segment that is executed
	read -r offset section < <(readelf -lW program | awk '$1 == "LOAD" && / E / { print $2, $3 }')
	printf '0x%x' $((0x$address - section + offset))
}

calls() {
	try "$TDSTAT" calls "$@"
}

# --- the plan -------------------------------------------------------------------

@test "one group for each kind of core, and the places of the probes" {
	saved alderlake
	calls parse_request --dry-run -- ./program
	[ "$status" -eq 0 ]
	[ "$(grep -c '^group' <<<"$output")" -eq 2 ]
	[ "${lines[-1]}" = "probes at parse_request: $(at parse_request) in $PWD/program" ]
	saved sapphirerapids
	calls parse_request,other -l 2 --dry-run ./program
	[ "$status" -eq 0 ]
	[ "$(grep -c '^group' <<<"$output")" -eq 1 ]
	[ "${lines[-2]}" = "probes at parse_request: $(at parse_request) in $PWD/program" ]
	[ "${lines[-1]}" = "probes at other: $(at other) in $PWD/program" ]
}

@test "what the counters do not hold is left out, and said" {
	saved alderlake
	calls parse_request -l 2 --dry-run -- ./program
	[ "$status" -eq 0 ]
	[[ $stderr =~ ^tdstat:\ cpu_atom:\ [0-9]+\ events\ are\ not\ counted ]]
}

# --- names ----------------------------------------------------------------------

@test "names of C++, with parameters or not, and another name of a function" {
	saved sapphirerapids
	for name in ns::scan 'ns::scan(int, int)' _ZN2ns4scanEii; do
		calls "$name" --dry-run -- ./program
		[ "${lines[-1]}" = "probes at $name: $(at _ZN2ns4scanEii) in $PWD/program" ]
	done
	calls alias --dry-run -- ./program
	[ "${lines[-1]}" = "probes at alias: $(at other) in $PWD/program" ]
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
	for offset in $(nm program | awk '$3 == "twice" { print $1 }'); do
		[[ $stderr == *"0x$(printf %x $((0x$offset)))"* ]]
	done
}

@test "a file or a library behind the @" {
	saved sapphirerapids
	calls parse_request@./program --dry-run -- sh -c ./program
	[ "${lines[-1]}" = "probes at parse_request: $(at parse_request) in $PWD/program" ]
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
	[ "${lines[-1]}" = "probes at parse_request: $(at parse_request) in $PWD/a folder/a program" ]
}

@test "a copy that the compiler made, and a part elsewhere" {
	saved sapphirerapids
	objcopy --redefine-sym parse_request=parse_request.constprop.0 program copy
	calls parse_request --dry-run -- ./copy
	[ "$status" -eq 0 ]
	[[ $stderr == *"those of parse_request.constprop.0, a copy"* ]]
	objcopy --redefine-sym other=parse_request.cold program part
	calls parse_request --dry-run -- ./part
	[[ $stderr == *"parse_request.cold is a part of it"* ]]
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
	objcopy --add-section .note.go.buildid=empty program go
	calls parse_request -- ./go
	[ "$status" -eq 0 ]
	assert_complains 'a program of Go'
	calls parse_request -- ./is_not_there
	[ "$status" -eq 127 ]
}

# --- options and rights ---------------------------------------------------------

@test "what makes no sense" {
	saved sapphirerapids
	for words in '' '-- ./program' 'f' 'f -a' 'f -C 0' 'f -l 3 -- ./program' 'f -l auto -- ./program' \
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
	[[ $stderr == *"runs anyway"* ]]
	try "${as[@]}" "$TDSTAT" calls parse_request --require -- "$open/program"
	rm -r "$open"
	[ "$status" -eq 125 ]
}
