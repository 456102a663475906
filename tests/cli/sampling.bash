# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # helper.bash
# What the tests of locate and profile share: programs whose functions take known
# shares of their time, sampled by the kernel's own clocks, which need no PMU.

# A function that works off so many rounds.
work='#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#define WORK(name) __attribute__((noinline)) void name(long n) \
	{ static volatile uint64_t sum; for (long i = 0; i < n; i++) sum += (uint64_t)i; }
static int for_ms(long ms) { return clock() < ms * (CLOCKS_PER_SEC / 1000); }'

# build NAME [OPTION...]: a program of standard input behind that, once for a file
build() {
	local dir=$BATS_FILE_TMPDIR

	[ -e "$dir/$1" ] || {
		{
			printf '%s\n' "$work"
			cat
		} >"$dir/$1.c"
		gcc -O0 -g -fno-omit-frame-pointer "${@:2}" -o "$dir/$1" "$dir/$1.c"
	}
	cp "$dir/$1" .
}

# In short turns, which a clock's ticks do not keep step with.  Three quarters of its CPU time (or what is named, in ms) in large, one in small;
# its status is 7.
build_share() {
	build share "$@" <<-'C'
		WORK(large)
		WORK(small)
		__attribute__((noinline)) void caller(void) { large(30000); small(10000); }
		int main(int argc, char **argv)
		{
			long ms = argc > 1 ? atol(argv[1]) : 400;
			while (for_ms(ms))
				caller();
			return 7;
		}
	C
}

# Works until there is a file "end", but not for ever.
build_forever() {
	build forever <<-'C'
		WORK(forever)
		int main(void)
		{
			fclose(fopen("running", "w"));
			while (access("end", F_OK) && for_ms(60000))
				forever(100000);
			return 0;
		}
	C
}

# functions FILE: of a JSON file, lines of share, error, samples, function
functions() {
	jq -r '[.share, .error, .samples, .function] | @tsv' "$1"
}

# assert_share FILE FUNCTION PERCENT: of what the working functions have together (what
# the kernel and clock() take is little, and not known), within three times the error
# that is stated, of at least 200 samples
assert_share() {
	jq -es --arg f "$2" --argjson want "$3" '
		(map(select(.share >= 5 and .object != "[kernel]") | .share) | add) as $all |
		(map(.samples) | add) >= 200 and $all > 60 and
		(map(select(.function == $f)) | length == 1 and
			(.[0] | .error > 0 and ((100 * .share / $all - $want) | fabs) <= 1 + 3 * .error))' "$1" >/dev/null || {
		functions "$1" | head -n 10
		fail "$2 is not $3 %"
	}
}

# assert_csv FILE FIELDS: RFC 4180, as many fields in each line
assert_csv() {
	python3 - "$@" <<-'PYTHON'
		import csv, sys
		rows = list(csv.reader(open(sys.argv[1], newline=""), strict=True))
		assert len(rows) > 1, "no rows"
		assert all(len(row) == int(sys.argv[2]) for row in rows), rows
	PYTHON
}

# No control character but the line's end.
assert_printable() {
	! LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$1" ||
		fail "$1: $(LC_ALL=C grep -m 1 -P '[\x00-\x09\x0b-\x1f\x7f]' "$1" | cat -v)"
}

# A Skylake whose PMU is this kernel's clocks: the event of tma_dram_bound is cpu-clock.
clock_machine() {
	needs_software_events
	copied skylakex
	echo 1 >"$devices/cpu/type"
	cp /sys/devices/system/cpu/online "$SYSFS_PATH/devices/system/cpu/online"
	export PERF_CPUID=GenuineIntel-6-55-4 PROCFS_PATH=/proc
	mkdir files
	cp -RL "$TD_PMU_EVENTS/"{mapfile.csv,skylakex} files
	jq 'map(if .EventName == "MEM_LOAD_RETIRED.L3_MISS" then .EventCode = "0x00" | .UMask = "0x00" else . end)' \
		"$TD_PMU_EVENTS/skylakex/cache.json" >files/skylakex/cache.json
	files=(--metrics-dir "$PWD/files")
}
