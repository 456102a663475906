#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Stacks of callers: the files of tdstat locate and report --locate for other tools, by
# the kernel's own clocks.

# shellcheck disable=SC2016,SC2086,SC2153,SC2154 # sh -c; lists of options; helper.bash
load helper
load sampling

# locate OPTION...: by cpu-clock
locate() {
	try "$TDSTAT" locate -e cpu-clock "$@"
}

# In leaf, which two functions call, of which one does so three times as often.
build_deep() {
	build deep -mno-omit-leaf-frame-pointer <<-'C'
		WORK(leaf)
		__attribute__((noinline)) void often(void) { leaf(30000); for_ms(0); }
		__attribute__((noinline)) void rarely(void) { leaf(10000); for_ms(0); }
		__attribute__((noinline)) void both(void) { often(); rarely(); for_ms(0); }
		int main(void)
		{
			while (for_ms(500))
				both();
			return 0;
		}
	C
}

# sums FILE: for each function that samples were in, what they stand for, in per cent
sums() {
	awk '{
		weight = $NF
		sub(/ [0-9]+$/, "")
		sub(/.*;/, "")
		sum[$0] += weight
		all += weight
	} END { for (name in sum) printf "%.1f %s\n", 100 * sum[name] / all, name }' "$1" | LC_ALL=C sort
}

# assert_sums FOLDED TABLE: the stacks of each function add up to its share
assert_sums() {
	[ "$(sums "$1" | wc -l)" -gt 0 ]
	jq -rs 'group_by(.function)[] | "\(map(.share) | add) \(.[0].function)"' "$2" |
		while read -r share name; do printf '%.1f %s\n' "$share" "$name"; done | LC_ALL=C sort >wanted
	# the last digit may be rounded another way
	join -j 2 -o 1.1,2.1,0 <(sums "$1" | LC_ALL=C sort -k2) <(LC_ALL=C sort -k2 wanted) |
		awk '{ off = $1 - $2; if (off > 0.11 || off < -0.11) exit 1 }'
	[ "$(sums "$1" | wc -l)" -eq "$(wc -l <wanted)" ]
}

@test "--folded: the outermost function first, and the sums of the table" {
	real
	build_deep
	locate --folded stacks -j -o table -- ./deep
	assert_no_stderr
	grep -qE '(^|;)main;both;often;leaf [0-9]+$' stacks
	grep -qE '(^|;)main;both;rarely;leaf [0-9]+$' stacks
	LC_ALL=C sort -c stacks
	assert_same '' "$(grep -vE '^[^;]+(;[^;]+)* [1-9][0-9]*$' stacks)"
	# a clock's events are ns
	awk '/;both;often;leaf /{ often += $NF } /;both;rarely;leaf /{ rarely += $NF }
		END { exit !(often > 2 * rarely && often < 4.5 * rarely && often > 1e8) }' stacks
	assert_sums stacks table
}

@test "--samples keeps the stacks: report --locate writes the same" {
	real
	build_deep
	locate --folded stacks --samples samples -o table -- ./deep
	try "$TDSTAT" report --locate --folded again -o again.table samples
	assert_success
	assert_same "$(cat stacks)" "$(cat again)"
	assert_same "$(grep -v '^#' table)" "$(grep -v '^#' again.table)"
	# callers are in the file, too
	try "$TDSTAT" report --locate --callers samples
	assert_output --partial 'called from often'
	# alone on standard output
	try "$TDSTAT" report --locate --folded - samples
	assert_same "$(cat stacks)" "$output"
	# a recording is not written over
	try "$TDSTAT" report --locate --folded samples samples
	[ "$status" -eq 64 ]
	locate --folded samples -- ./deep
	assert_complains 'samples is a recording'
	try "$TDSTAT" report --locate --folded again samples
	assert_same "$(cat stacks)" "$(cat again)"
}

@test "--folded - of a process: stacks alone on standard output" {
	real
	build_forever
	./forever &
	await running
	locate --folded - -p $! --timeout 500ms
	touch end
	grep -qE '(^|;)main;forever [0-9]+$' <<<"$output"
	[[ $output != *functions* && $output != *%* ]]
}

@test "--folded of two events: each has its own root" {
	real
	build_deep
	locate -e task-clock --folded stacks -o table -- ./deep
	grep -qE '^cpu-clock;.*;leaf [0-9]+$' stacks
	grep -qE '^task-clock;.*;leaf [0-9]+$' stacks
	run ! grep -vE '^(cpu|task)-clock;' stacks
}

@test "--folded: names with semicolons, and control characters" {
	real
	build odd <<-'C'
		WORK(odd)
		int main(void)
		{
			while (for_ms(300))
				odd(30000);
			return 0;
		}
	C
	objcopy --redefine-sym $'odd=a;b\x1bc' odd
	locate --folded stacks -o table -- ./odd
	grep -qE '(^|;)main;a:b\\x1bc [0-9]+$' stacks
}

@test "--folded: a recursion that is deeper than chains are" {
	real
	build deeper -mno-omit-leaf-frame-pointer <<-'C'
		WORK(leaf)
		__attribute__((noinline)) void down(int n)
		{
			if (n)
				down(n - 1);
			else
				leaf(3000000);
			for_ms(0);
		}
		int main(void)
		{
			while (for_ms(300))
				down(300);
			return 0;
		}
	C
	locate --folded stacks -o table -- ./deeper
	line=$(grep '^\[unknown\];down.*;leaf [0-9]*$' stacks)
	# 127 frames, and the one that stands for what is missing
	[ "$(tr ';' '\n' <<<"$line" | wc -l)" -eq 128 ]
}

@test "files of stacks: wrong usage, and what cannot be written" {
	real
	build_deep
	locate --folded none/stacks -- ./deep
	assert_complains 'none/stacks'
	try "$TDSTAT" report --folded stacks samples
	[ "$status" -eq 64 ]
	assert_complains --locate
	locate --folded /dev/full -- ./deep
	[ "$status" -ne 0 ]
	[[ $stderr == *'tdstat: cannot write /dev/full: '* ]]
}
