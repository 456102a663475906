#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Scripts of "make lint", on small trees with errors: each check must be able to fail.

# shellcheck disable=SC2154 # helper.bash
load helper

ci=$here/../../.ci

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p lib/base metrics/sets cmd tests
}

# repeat TEXT NR: print NR such lines
repeat() {
	local all

	printf -v all '%*s' "$2" ''
	printf %s "${all// /"$1"$'\n'}"
}

# lines FILE NR: make a file of NR lines without code
lines() {
	repeat '// SPDX-License-Identifier: GPL-2.0-only' "$2" >"$1"
}

# function_of NAME NR: print one of NR lines, of which two declare it
function_of() {
	printf 'static const char *%s(const char *text,\n\t\tint nr)\n{\n' "$1"
	repeat '	/* */' $(($2 - 5))
	printf 'out:\n}\n'
}

@test "sizes: a file is of 25 to 1000 lines, but for headers and tables" {
	lines lib/base/least.c 25
	lines lib/base/most.c 1000
	lines lib/base/short.h 3
	lines metrics/sets/builtin.c 700
	try "$ci/sizes"
	assert_equal "$status:$output" 0:
	lines lib/base/few.c 24
	lines cmd/none.c 0
	lines lib/base/many.c 1001
	lines metrics/sets/long.h 1001
	try "$ci/sizes"
	assert_equal "$status" 1
	assert_same 'cmd/none.c: 0 lines, fewer than 25
lib/base/few.c: 24 lines, fewer than 25
lib/base/many.c: 1001 lines, more than 1000
metrics/sets/long.h: 1001 lines, more than 1000
3 C files of fewer than 50 lines, more than 1' "$output"
}

@test "sizes: a function is of 50 lines at most, also in tables" {
	{
		function_of most 50
		printf 'struct pair pairs[] = {\n'
		repeat '	{ 1, 2 },' 60
		printf '};\n'
	} >lib/base/file.c
	try "$ci/sizes"
	assert_equal "$status:$output" 0:
	function_of more 51 >>lib/base/file.c
	function_of longest 80 >metrics/sets/builtin.c
	try "$ci/sizes"
	assert_equal "$status" 1
	assert_same 'lib/base/file.c:113: more(), 51 lines, more than 50
metrics/sets/builtin.c:1: longest(), 80 lines, more than 50' "$output"
}

@test "sizes: numbers that have fallen may not rise again" {
	mkdir -p cmd/opts
	{
		echo 'struct td_opts {'
		repeat '	int one, *two; /* three, four; */' 100
		printf '};\n'
	} >cmd/opts/opts.h
	for i in {1..100}; do
		lines "cmd/short$i.c" 48
		echo '#include "cmd/opts/opts.h"' >>"cmd/short$i.c"
		echo "struct tag$i {" >"lib/base/first$i.h"
		echo "struct tag$i {" >"lib/base/second$i.h"
		printf 'enum more%d {\n' "$i"{0..9} >"lib/base/more$i.h"
	done
	lines cmd/opts/opts.c 70
	echo '#include "cmd/opts/opts.h"' >>cmd/opts/opts.c
	echo 'union td_twice {' >lib/base/a.h
	echo 'union td_twice {' >metrics/sets/b.h
	try "$ci/sizes"
	assert_equal "$status" 1
	without_limits=''
	for line in "${lines[@]}"; do
		[[ ! $line =~ (.*\ more\ than\ )[0-9]+$ ]] || line=${BASH_REMATCH[1]}N
		without_limits+=${without_limits:+$'\n'}$line
	done
	assert_same '100 C files of fewer than 50 lines, more than N
200 members of struct td_opts, more than N
100 files that include cmd/opts/opts.h, more than N
1102 tags of structures and enumerations, more than N
101 tags that stand more than once, more than N
td_twice: a tag that stands more than once' "$without_limits"
}

# source FILE LINE...: a file with a licence line and these
source_of() {
	printf '%s\n' '// SPDX-License-Identifier: GPL-2.0-only' "${@:2}" >"$1"
}

@test "layers: includes of higher floors, libraries outside of their directory, vendors, missing licences" {
	mkdir -p lib/counter lib/event metrics/tree cmd/run cmd/top cmd/calls
	source_of cmd/run/run.c '#include "lib/base/err.h"'
	source_of cmd/top/top.c '#include "cmd/run/run.h"' '#include "cmd/top/parts.h"'
	source_of lib/counter/perf.c '#include <perf/evlist.h>'
	source_of lib/event/tracepoint.c '#include <traceevent/event-parse.h>'
	try "$ci/layers"
	assert_equal "$status:$output" 0:
	source_of lib/base/err.c '#include "lib/event/event.h"'
	source_of metrics/tree/tree.c '#include "cmd/run/run.h"' '#include <perf/evsel.h>'
	source_of metrics/stranger.c '#include "lib/base/err.h"'
	source_of lib/event/event.c '#include <event-parse.h>'
	source_of lib/event/elf.c '#include <libelf.h>'
	source_of cmd/run/wait.c '#include "cmd/top/parts.h"'
	source_of cmd/calls/calls.c '#include "cmd/top/parts.h"'
	source_of lib/event/vendor.c 'x = strcmp(cpuid->vendor, name);'
	echo 'int no_licence;' >cmd/bare.c
	try "$ci/layers"
	assert_equal "$status" 1
	assert_same "a floor includes lower floors only: cmd/run/wait.c:2:#include \"cmd/top/parts.h\"
a floor includes lower floors only: lib/base/err.c:2:#include \"lib/event/event.h\"
a floor includes lower floors only: metrics/tree/tree.c:2:#include \"cmd/run/run.h\"
elfutils and libiberty are for lib/sample and cmd/calls only: lib/event/elf.c:2:#include <libelf.h>
libperf is for lib/counter and the sampler only: metrics/tree/tree.c:3:#include <perf/evsel.h>
libtraceevent is for lib/event/tracepoint.c only: lib/event/event.c:2:#include <event-parse.h>
no SPDX line: cmd/bare.c
no wing includes another: cmd/calls/calls.c:2:#include \"cmd/top/parts.h\"
on no floor: metrics/stranger.c:2:#include \"lib/base/err.h\"
only lib/machine and metrics/sets ask for the vendor: lib/event/vendor.c:2:x = strcmp(cpuid->vendor, name);" "$(LC_ALL=C sort <<<"$output")"
}

# sentences NR TEXT: NR paragraphs, literals and comments with this text
sentences() {
	repeat "$2"$'\n'.Pp "$1" >man/tdstat.1
	repeat "x = \"$2\";" "$1" >lib/base/text.c
	repeat "/* $2 */" "$1" >lib/base/text.h
}

@test "english: a pattern may not occur more often than the list allows, and its matches are named" {
	mkdir -p man
	printf '%s\n' '# pages strings comments' '2 3 1  behind' '0 0 0  <of (a|the)' '0 0 0  alone>' >list
	sentences 1 'It is behind it.'
	try "$ci/english" list
	assert_equal "$status:$output" '0:2 numbers of list can be lowered: .ci/english --lower'
	sentences 2 'It is behind it.'
	try "$ci/english" list
	assert_equal "$status" 1
	assert_same '"behind" 2 times in comments, more than 1; see "Words" in lib/README.md:
  lib/base/text.h:1: it is behind it .
  lib/base/text.h:2: it is behind it .' "$output"
}

@test "english: a sentence may continue on the next line, and examples and code are not read" {
	mkdir -p man
	printf '0 0 0  <of (a|the)\n0 0 0  kinds? of core\n' >list
	printf '%s\n' '.\" Of a page.' '.Pp' 'One' '.Em kind' 'of core.' '.Bd -literal' 'A kind of core.' '.Ed' >man/tdstat.1
	printf '%s\n' 'A kind' 'of core' '' '    a kind of core' >README.md
	printf '%s\n' '#include "a kind of core"' 'kind = of / core; // Of a line' 'x = "Of"' '" the literal";' \
		'/*' ' * Two kinds of' ' * core.  Of the comment.' ' */' "x = '\"'; /* a \" */" 'of the x;' >cmd/text.c
	try "$ci/english" list
	assert_equal "$status" 1
	assert_same '"<of (a|the)" 1 times in strings, more than 0; see "Words" in lib/README.md:
  cmd/text.c:3: of the literal
"<of (a|the)" 2 times in comments, more than 0; see "Words" in lib/README.md:
  cmd/text.c:2: of a line
  cmd/text.c:5: two kinds of core . of the comment .
"kinds? of core" 2 times in pages, more than 0; see "Words" in lib/README.md:
  man/tdstat.1:3: one kind of core .
  README.md:1: a kind of core
"kinds? of core" 1 times in comments, more than 0; see "Words" in lib/README.md:
  cmd/text.c:5: two kinds of core . of the comment .' "$output"
}

@test "english: --lower lowers numbers, and never raises one" {
	mkdir -p man
	printf '%s\n' '# a comment' '9 9 1  behind' '0 0 0  alone>' >list
	sentences 2 'It is behind it.'
	try "$ci/english" --lower list
	assert_equal "$status" 1
	assert_same '# a comment
    2       2        1  behind
    0       0        0  alone>' "$(<list)"
	try "$ci/english" none
	assert_equal "$status:$output" '1:no list: none'
}

@test "english: the files that were changed last come first, 20 sentences at most" {
	printf '0 0 0  behind\n' >list
	sentences() { repeat "/* It is behind it. */" "$1" >"$2"; }
	sentences 15 lib/base/a.h
	sentences 15 lib/base/b.h
	sentences 1 cmd/last.h
	touch -d '2 days ago' lib/base/b.h
	touch -d '1 day ago' lib/base/a.h
	try "$ci/english" list
	assert_equal "$status" 1
	assert_equal "${#lines[@]}" 21
	[[ ${lines[1]} == '  cmd/last.h:1:'* && ${lines[2]} == '  lib/base/a.h:1:'* && ${lines[20]} == '  lib/base/b.h:4:'* ]]
}

@test "circles: files that include each other, or call each other" {
	command -v python3 >/dev/null || skip "no python3"
	command -v cc >/dev/null || skip "no compiler"
	source_of lib/base/one.h 'void one(void);'
	source_of lib/base/two.h 'void two(void);'
	source_of lib/base/one.c '#include "lib/base/one.h"' 'void two(void);' 'void one(void) { two(); }'
	source_of lib/base/two.c '#include "lib/base/two.h"' 'void two(void) {}'
	built() {
		mkdir -p objects/lib/base
		for name in one two; do
			cc -I. -c -o "objects/lib/base/$name.o" "lib/base/$name.c"
		done
	}
	built
	try "$ci/circles" objects
	assert_equal "$status:$output" 0:
	source_of lib/base/two.c '#include "lib/base/one.h"' 'void two(void);' 'void two(void) { one(); }'
	built
	try "$ci/circles" objects
	assert_equal "$status" 1
	assert_same 'a circle of 2 files:
  lib/base/one -> lib/base/two (two)
  lib/base/two -> lib/base/one (include, one)' "$output"
}

@test "every C file is compiled by make objects, and so by both compilers of make lint" {
	cd "$here/../.." || return
	# the emulator's sources want QEMU's headers; make emulator compiles them
	# of all wings, also where some are not in the build
	env -u MAKEFLAGS -u WINGS make -n B="$BATS_TEST_TMPDIR/build" V=1 objects >"$BATS_TEST_TMPDIR/commands"
	assert_same "$(find cmd lib metrics tests -path tests/emulator -prune -o -name '*.c' -print | LC_ALL=C sort)" \
		"$(sed -n 's/.* -c -o .* \([^ ]*\.c\)$/\1/p' "$BATS_TEST_TMPDIR/commands" | LC_ALL=C sort)"
}

@test "several makes of one tree write version.c and wings.c at once" {
	local build=$BATS_TEST_TMPDIR/build i failed=0 makes=()

	for i in {1..8}; do
		env -u MAKEFLAGS -u WINGS make -C "$here/../.." -s B="$build" "$build/version.c" "$build/wings.c" \
			>>"$BATS_TEST_TMPDIR/log" 2>&1 &
		makes+=($!)
	done
	for i in "${makes[@]}"; do
		wait "$i" || failed=$((failed + 1))
	done
	assert_same "0 failed: " "$failed failed: $(<"$BATS_TEST_TMPDIR/log")"
	assert_same "version.c wings.c" "$(cd "$build" && echo *)"
}
