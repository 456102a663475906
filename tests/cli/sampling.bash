# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # helper.bash, and what suites use
# Functions of the tests of locate and profile: programs whose functions take known shares
# of their time, sampled with the kernel's own clocks, which need no PMU.

# Functions that execute a number of rounds: a chain of multiplications in registers, which
# takes as long in one function as in another, at any address.  CPU time counts in steps of
# at most 2 ms: if a hypervisor takes the processor away for longer, the kernel's clocks do
# not tick, and there are no samples.
work='#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#ifdef __cplusplus
#define register
#endif
#define WORK(name) __attribute__((noinline)) void name(long n) \
	{ register uint64_t x = 1; for (register long i = 3 * n; i > 0; i--) x = x * x + 1; \
	  static volatile uint64_t sum; sum = x; }
static inline int for_ms(long ms)
{
	static clock_t used, last;
	const clock_t most = CLOCKS_PER_SEC / 500, now = clock();
	used += now - last < most ? now - last : most;
	last = now;
	return used < ms * (CLOCKS_PER_SEC / 1000);
}
/* from half to one and a half times as much, at random, but the same in each run: what
   takes as long in each turn may keep step with the ticks of a clock */
static inline long about(long n)
{
	static uint64_t x;
	x = x * 6364136223846793005u + 1442695040888963407u;
	return n / 2 + (long)((x >> 33) % (uint64_t)n);
}'

# build NAME [OPTION...]: build a program from these functions and standard input, once per
# file
build() {
	local dir=$BATS_FILE_TMPDIR source

	[ -e "$dir/$1" ] || {
		IFS= read -rd '' source || true
		printf '%s\n' "$work" "$source" >"$dir/$1.c"
		gcc -O0 -g -fno-omit-frame-pointer "${@:2}" -o "$dir/$1" "$dir/$1.c"
	}
	cp "$dir/$1" .
}

# line_of NAME TEXT: of the source of such a program, into $nr
line_of() {
	local lines

	mapfile -t lines <"$BATS_FILE_TMPDIR/$1.c"
	for ((nr = 1; nr <= ${#lines[@]}; nr++)); do
		[[ ${lines[nr - 1]} != "$2"* ]] || return 0
	done
	fail "$1.c has no $2"
}

# Three quarters of its CPU time (or of as many ms) in large, one in small; its status is 7.
build_share() {
	build share "$@" <<-'C'
		WORK(large)
		WORK(small)
		__attribute__((noinline)) void caller(void)
		{
			long n = about(10000);
			large(3 * n);
			small(n);
		}
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
			while (access("end", F_OK) && for_ms(600000))
				forever(100000);
			return 0;
		}
	C
}

# PID TICKS: it has used TICKS hundredths of a second of CPU time
has_used() {
	local stat

	{ IFS= read -r stat <"/proc/$1/stat"; } 2>/dev/null || return
	# after the name
	read -ra stat <<<"${stat##*) }"
	[ $((stat[11] + stat[12])) -ge "$2" ]
}

# works_on PID TICKS: waits until it has used so much more
works_on() {
	local stat

	IFS= read -r stat <"/proc/$1/stat"
	read -ra stat <<<"${stat##*) }"
	wait_for has_used "$1" $((stat[11] + stat[12] + $2))
}

# for_longer CONDITION COMMAND...: with --timeout of a second, or as much longer as a
# machine needs that has more to do
for_longer() {
	local seconds

	for seconds in 1 10 100; do
		"${@:2}" --timeout ${seconds}s
		! "$1" || break
	done
}

# Notes of tdstat if the machine is busy or slow, or allows few samples.
NOTES='samples represent|no sample was taken|too few samples|the kernel stopped sampling|records were lost'
NOTES+='|samples a second, not|rings of [0-9]+ pages|\[kernel\]: /proc/kallsyms'

# assert_only_notes: nothing else is said, and nothing but tdstat speaks
assert_only_notes() {
	local line

	for line in "${stderr_lines[@]}"; do
		[[ $line == "tdstat: "* && $line =~ $NOTES ]] || fail "$line"
	done
}

# functions FILE: of a JSON file, lines of share, error, samples, function
functions() {
	jq -r '[.share, .error, .samples, .function] | @tsv' "$1"
}

# assert_share [-e EVENT] [-a FILTER] FILE FUNCTION PERCENT...: of what the working
# functions have together (what the kernel and clock() take is little, and not known), of
# at least 200 samples, within 4 times the error that is stated: 8 standard deviations, or
# still 5.6 if each sample comes twice, as after a pause of the processor.  All rows fit
# the filter, too, which gets them as an array.
assert_share() {
	local event='' also=true

	while [[ $1 == -* ]]; do
		[[ $1 != -e ]] || event=$2
		[[ $1 != -a ]] || also=$2
		shift 2
	done
	jq -es --arg event "$event" --arg path "$PWD" '
		map(select($event == "" or .event == $event)) |
		(map(select(.share >= 5 and .object != "[kernel]") | .share) | add) as $all | . as $rows |
		(map(.samples) | add) >= 200 and $all > 60 and
		([range(0; $ARGS.positional | length; 2) | . as $i |
			$rows | map(select(.function == $ARGS.positional[$i])) | length == 1 and
			(.[0] | .error > 0 and
			((100 * .share / $all - ($ARGS.positional[$i + 1] | tonumber)) | fabs) <= 1 + 4 * .error)] | all) and
		('"$also"')' "$1" --args "${@:2}" >/dev/null || {
		functions "$1"
		fail "not so: ${*:2} $also"
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
