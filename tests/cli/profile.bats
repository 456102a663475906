#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat profile, where the tree's events are the kernel's own clocks; those of
# processors are in tests/machine/profile.bats.

# shellcheck disable=SC2016,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper
load pages
load sampling

# What an Atom of 5 slots counts, told by the clocks: in each cycle one slot retires
# (20 %), for one the frontend has nothing (20 %), and the rest is bad speculation.
# Its cycles, whose number tdstat knows, are made cpu-clock on their way to the kernel.
clock_machine() {
	needs_software_events
	export PERF_CPUID=GenuineIntel-6-BE-0 PROCFS_PATH=/proc
	cat >shim.c <<-'C'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <linux/perf_event.h>
		#include <stdarg.h>
		#include <string.h>
		#include <sys/syscall.h>
		long syscall(long nr, ...)
		{
			long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"), a[6];
			/* of any size that the kernel may know */
			union { struct perf_event_attr attr; char room[4096]; } copy = { 0 };
			va_list args;
			va_start(args, nr);
			for (int i = 0; i < 6; i++)
				a[i] = va_arg(args, long);
			va_end(args);
			if (nr == SYS_perf_event_open)
				memcpy(&copy, (void *)a[0], ((struct perf_event_attr *)a[0])->size);
			if (copy.attr.type == PERF_TYPE_SOFTWARE && copy.attr.config == 0x3c) {
				copy.attr.config = PERF_COUNT_SW_CPU_CLOCK;
				a[0] = (long)&copy;
			}
			return real(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
		}
	C
	[ -e "$BATS_FILE_TMPDIR/shim.so" ] || gcc -O1 -shared -fPIC shim.c -o "$BATS_FILE_TMPDIR/shim.so"
	shim=$BATS_FILE_TMPDIR/shim.so
	# of SAN=1
	export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
	# a group's values of threads that are inherited came with Linux 6.12
	try clocks profile -- true
	[[ $stderr != *"came with Linux"* && $stderr != *"Invalid argument"* ]] || skip "this kernel has no samples of groups"
}

clocks() {
	env LD_PRELOAD="$shim" "$TDSTAT" "$@"
}

profile() {
	try clocks profile "$@"
}

# field FILE ID COLUMN: of a CSV file
field() {
	awk -F, -v id="$2" -v column="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["id"] == id { print $at[column] }' "$1"
}

# near VALUE WANTED POINTS
near() {
	awk -v v="$1" -v wanted="$2" -v points="$3" 'BEGIN {
		off = v - wanted
		exit !(v != "" && off <= points && -off <= points) }' || fail "$1 is not $2 +- $3"
}

# assert_clocks FILE ID: as the clocks count
assert_clocks() {
	near "$(field "$1" "$2" tma_retiring)" 20 1
	near "$(field "$1" "$2" tma_frontend_bound)" 20 1
	near "$(field "$1" "$2" tma_bad_speculation)" 60 2
	near "$(field "$1" "$2" tma_backend_bound)" 0 1
}

# Functions that go on for many periods, and one that does not.
build_long() {
	build long <<-'C'
		WORK(large)
		WORK(small)
		WORK(rare)
		int main(int argc, char **argv)
		{
			long ms = argc > 1 ? atol(argv[1]) : 400, at = 0;
			while (at < ms) {
				for (at += 75; for_ms(at - 1); )
					large(2000000);
				for (at += 25; for_ms(at - 1); )
					small(2000000);
			}
			for (at += 5; for_ms(at - 1); )
				rare(100000);
			return 7;
		}
	C
}

# --- shares ---------------------------------------------------------------------

@test "functions that stay for many periods are what they are" {
	clock_machine
	build_long
	profile -x, -o out -- ./long 800
	[ "$status" -eq 7 ]
	assert_no_stderr
	assert_clocks out large
	assert_clocks out small
	# a busy host takes the CPU away, and their windows with it
	near "$(jq -n "100 * $(field out large exclusive) / ($(field out large exclusive) + $(field out small exclusive))")" 75 12
	# all slots are somewhere
	near "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "exclusive") at = i; next } { sum += $at } END { print sum }' out)" 100 0.1
	[ "$(field out large calls)" -gt 100 ]
}

@test "functions of fewer than 30 windows are there, without percentages" {
	clock_machine
	build_long
	profile -F 5000 -x, -o out -- ./long
	[ "$(field out rare calls)" -lt 30 ]
	for node in retiring backend_bound frontend_bound bad_speculation; do
		[ -z "$(field out rare tma_$node)" ]
		[ -n "$(field out large tma_$node)" ]
	done
	profile -F 5000 -j -o out -- ./long
	jq -es 'map(select(.id == "rare")) | length == 4 and all(.value == null and .error == null and (.why | test("30 windows")))' out
	jq -es 'map(select(.id == "large")) | length == 4 and all(.value != null and .error != null)' out
	profile -F 5000 -o out -- ./long
	run ! grep -q '^ rare' out
	grep -qE '^ \([0-9]+ with few windows\) +[0-9]+ +[0-9.]+$' out
	profile -F 5000 --all -o out -- ./long
	grep -qE '^ rare +[0-9]+ +([0-9.]+|-) +[0-9.]+( +-)+ *$' out
	grep -qE '^ large +[0-9,]+ +[0-9.]+ +[0-9.]+ +(20|19)\.[0-9] ±' out
}

# Samples are never of one and the same function.
@test "functions that are shorter than a period are between functions" {
	clock_machine
	build turns <<-'C'
		WORK(one)
		WORK(two)
		WORK(three)
		WORK(four)
		int main(void)
		{
			while (for_ms(400)) { one(20000); two(20000); three(20000); four(20000); }
			return 0;
		}
	C
	profile -F 500 -x, -o out -- ./turns
	[ "$status" -eq 0 ]
	near "$(field out '(between functions)' exclusive)" 80 20
	assert_clocks out '(between functions)'
	[ -z "$(field out '(between functions)' whole)" ]
}

@test "which function lost most is one that has a name, and how much is between functions" {
	clock_machine
	build mixed <<-'C'
		WORK(long_one)
		WORK(one)
		WORK(two)
		WORK(rare)
		int main(int argc, char **argv)
		{
			while (argc == 1 && for_ms(250))
				long_one(2000000);
			while (for_ms(700)) { one(20000); two(20000); }
			rare(4000000);
			return 0;
		}
	C
	profile -j --samples samples -o out -- ./mixed
	# 80 % of all slots did no work: shares of the slots, without those that did
	function=$(jq -s 'map(select(.id == "long_one"))[0].exclusive * 0.8' out)
	between=$(jq -s 'map(select(.id == "(between functions)"))[0].exclusive * 0.8' out)
	profile -o text --samples again -- ./mixed
	sentence='^ Lost most slots: long_one, ([0-9.]+) % of all slots; between functions, ([0-9.]+) %$'
	grep -qE "$sentence" text
	try "$TDSTAT" report --profile samples
	[[ $(grep '^ Lost' <<<"$output") =~ $sentence ]]
	near "${BASH_REMATCH[1]}" "$function" 1
	near "${BASH_REMATCH[2]}" "$between" 1
	[ "${between%.*}" -gt "${function%.*}" ]
	# one with few windows has no share that is known
	profile --all -j -o out -- ./mixed more
	jq -es 'map(select(.calls < 30)) | all(.lost_share == null)' out
	profile -o text -- ./mixed more
	run ! grep -q 'Lost most slots' text
}

# Half of the windows have both ends in the same one, by chance.
@test "of two short functions that take turns nothing is shown" {
	clock_machine
	build pairs <<-'C'
		WORK(one)
		WORK(two)
		int main(void)
		{
			while (for_ms(400)) { one(20000); two(20000); }
			return 0;
		}
	C
	profile -F 1000 -x, -o out -- ./pairs
	[ "$status" -eq 0 ]
	near "$(field out '(between functions)' exclusive)" 95 5
	[ -z "$(field out one tma_retiring)" ]
	[ -z "$(field out two tma_retiring)" ]
}

@test "stacks: as wide as the cycles, in the colour of where most slots go" {
	clock_machine
	build_long
	profile --folded stacks --flame flame.svg --pprof profile --samples samples -x, -o table -- ./long 800
	grep -qE '(^|;)main;large [0-9]+$' stacks
	awk '/;large [0-9]*$/ { large += $NF } /;small [0-9]*$/ { small += $NF } END { exit !(large > 2 * small && small > 0) }' stacks
	# bad speculation has 60 %, of functions and so of what calls them
	grep -q '■</tspan> bad speculation' flame.svg
	grep -oE 'fill="#[0-9a-f]{6}" stroke.*<text[^>]*>(large|main)<' flame.svg >bars
	[ "$(wc -l <bars)" -eq 2 ]
	run ! grep -vE 'fill="#(e07530|e58c53|eba476|f0bb9a)"' bars
	zcat profile | grep -qa cycles
	zcat profile | grep -qa '/long\.c'
	# the samples are those of cycles
	try "$TDSTAT" report --locate --folded again -o again.table samples
	assert_same "$(cat stacks)" "$(cat again)"
	try "$TDSTAT" report --profile --folded again --flame again.svg --pprof again.pprof -x, -o again.table samples
	assert_success
	assert_same "$(cat stacks)" "$(cat again)"
	cmp flame.svg again.svg
	zcat again.pprof | grep -qa cycles
	assert_same "$(grep -v '^#' table)" "$(grep -v '^#' again.table)"
	# none of them is what is read, and the table has standard output
	try "$TDSTAT" report --profile --flame samples -o again.table samples
	assert_equal "$status" 64
	assert_complains 'samples is the recording that is being read'
	try "$TDSTAT" report --profile --folded - samples
	assert_equal "$status" 64
	profile --folded - -p $$
	[ "$status" -eq 64 ]
}

@test "a page of the samples has their flame graph, in which a function is found by its name" {
	clock_machine
	build_long
	profile --samples samples -o table -- ./long 800
	try "$TDSTAT" report --profile --html page.html samples
	assert_success
	page check page.html
	needs_browser
	bar='[...document.querySelectorAll("figure.flame svg.bar")].find(bar => bar.querySelector("text").textContent === "large")'
	run -0 browser page.html \
		'document.querySelectorAll("figure.flame").length' \
		'const input = document.querySelector("figure.flame input"); input.value = "larg"; input.oninput(); document.querySelector("figure.flame .says").textContent' \
		"$bar.classList.contains('found')" \
		"['#e07530', '#e58c53', '#eba476', '#f0bb9a'].includes($bar.querySelector('rect').getAttribute('fill'))"
	assert_line --index 0 1
	assert_line --index 1 --regexp '^"1 function, [0-9.]+ % of the events"$'
	assert_line --index 2 true
	assert_line --index 3 true
	# the policy of the page allows no style of an element, so the key's colours are none
	grep -q '<rect width="10" height="10" fill="#e07530"/></svg> bad speculation' page.html
	# samples of a version that kept no chains have none
	grep -v '^{"call"' samples | sed -E 's/^(\{"s":\[([0-9]+,){7})-?[0-9]+/\1-1/' >bare
	try "$TDSTAT" report --profile --html bare.html bare
	assert_success
	run ! grep -q 'class="flame"' bare.html
}

@test "CSV: as many fields in each line; --error, and a recording that says the same" {
	clock_machine
	build_long
	profile -x, -o out --record rec -- ./long
	[ "$status" -eq 7 ]
	nr=$(head -n 1 out | tr , '\n' | wc -l)
	assert_csv out "$nr"
	"$TDSTAT" report rec -x, | diff - out
	"$TDSTAT" report rec >text
	grep -qE '^ large ' text
	profile -x, --error -o errors -- ./long
	assert_csv errors $((nr + 4))
}

@test "levels that samples or a recording lack: which command has them" {
	clock_machine
	build_long
	profile --samples samples --record sums -o table -- ./long
	try "$TDSTAT" report --profile -l 2 samples
	advised=$(sed -n 's/.* were not recorded: tdstat \(.*\) records all$/\1/p' <<<"$stderr")
	for level in 3 auto; do
		try "$TDSTAT" report --profile -l $level samples
		[[ $stderr == *'not recorded: functions, calls and regions have levels 1 and 2' ]]
	done
	try "$TDSTAT" report -l 2 sums
	[[ $stderr == *'not recorded: the command that recorded the others takes -l 2' ]]
	# it can be typed, where the processor has them
	saved sapphirerapids
	try "$TDSTAT" $advised --dry-run -- ./long
	assert_success
	assert_output --partial topdown-mem-bound
}

@test "JSON: an object for each function and node" {
	clock_machine
	build_long
	profile -j -o out -- ./long
	[ "$status" -eq 7 ]
	in_schema out
	jq -es 'all(.id != null and .pmu == "cpu" and .unit == "%" and .level == 1)' out
	jq -es 'all(has("whole")) and (map(select(.id == "large")) | all(.whole > 90 and .whole <= 100))' out
	jq -es 'map(select(.id == "large" and .metric == "tma_retiring")) | length == 1 and
		.[0].value > 19 and .[0].value < 21 and .[0].error < 2 and .[0].calls > 100' out
}

@test "nobody knows where it was: nothing is made up" {
	clock_machine
	profile -F 1 -x, -o out -- true
	[ "$status" -eq 0 ]
	run ! grep -E 'nan|inf' out
	for how in '' -j; do
		profile -F 1 $how -o out -- true
		[ "$status" -eq 0 ]
		run ! grep -iE 'nan|inf[^o]' out
	done
}

# --- programs -------------------------------------------------------------------

@test "many threads, each with a window of its own" {
	clock_machine
	build threads -pthread <<-'C'
		#include <pthread.h>
		WORK(large)
		static void *run(void *unused) { large(20000000); return unused; }
		int main(void)
		{
			pthread_t threads[10];
			for (int i = 0; i < 10; i++)
				if (pthread_create(&threads[i], NULL, run, NULL))
					return 1;
			for (int i = 0; i < 10; i++)
				pthread_join(threads[i], NULL);
			return 3;
		}
	C
	profile -F 4000 -x, -o out -- ./threads
	[ "$status" -eq 3 ]
	assert_clocks out large
}

@test "a thousand short threads, and programs: nothing is lost, and it ends" {
	clock_machine
	build short -pthread <<-'C'
		#include <pthread.h>
		WORK(large)
		static void *run(void *unused) { large(50000); return unused; }
		int main(void)
		{
			pthread_t thread;
			for (int i = 0; i < 1000; i++)
				if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
					return 1;
			return 3;
		}
	C
	profile -x, -o out -- ./short
	[ "$status" -eq 3 ]
	profile -x, -o out -- sh -c 'i=0; while [ $i -lt 200 ]; do i=$((i + 1)); /bin/true; done; exit 4'
	[ "$status" -eq 4 ]
	near "$(field out '(between functions)' exclusive)" 90 10
}

@test "exec, status, and signals" {
	clock_machine
	build_long
	profile -x, -o out -- sh -c 'exec ./long'
	[ "$status" -eq 7 ]
	assert_clocks out large
	profile -o out -- sh -c 'kill -9 $$'
	[ "$status" -eq 137 ]
	profile -o out -- ./is-not-there
	[ "$status" -eq 127 ]
	touch cannot-run
	profile -o out -- ./cannot-run
	[ "$status" -eq 126 ]
}

@test "two functions of one name" {
	clock_machine
	printf '%s\nWORK(work)\n' "$work" >lib.c
	gcc -O0 -shared -fPIC -Wl,-Bsymbolic lib.c -o libwork.so
	build same <<-'C'
		#include <dlfcn.h>
		static WORK(work)
		int main(void)
		{
			void (*other)(long) = (void (*)(long))dlsym(dlopen("./libwork.so", RTLD_NOW), "work");
			while (for_ms(200))
				work(2000000);
			while (for_ms(600))
				other(2000000);
			return 0;
		}
	C
	profile -x, -o out -- ./same
	[ "$status" -eq 0 ]
	[ -n "$(field out work calls)" ]
	[ "$(cut -d, -f2 out | grep -cE '^work( |$)')" -eq 2 ]
	cut -d, -f2 out | grep -E '^work \((libwork.so|same)\)$'
}

@test "symbol names with control characters" {
	clock_machine
	build_long
	nasty=$'la,r"ge\x1b[31m\nline\ttwo\x7f'
	objcopy --redefine-sym "large=$nasty" long
	for how in '' -j '-x,'; do
		profile $how -o out --record rec --force -- ./long
		[ "$status" -eq 7 ]
		assert_printable out
		assert_printable rec
		grep -qF "ge\\" out
	done
	assert_csv out "$(head -n 1 out | tr , '\n' | wc -l)"
	profile -j -o out -- ./long
	jq -es --arg name "$nasty" 'any(.id == $name)' out
}

@test "a process that runs already, and one that ends" {
	clock_machine
	build_forever
	./forever 3>&- &
	wait_for_file running
	profile -p $! --timeout 1s -x, -o out
	touch end
	[ "$status" -eq 0 ]
	assert_clocks out forever
	build_long
	./long 1500 3>&- &
	profile -p $! --timeout 60s -x, -o out
	[ "$status" -eq 0 ]
	assert_clocks out large
}

@test "samples without a window between them: nothing is shown" {
	cat >samples <<-'SAMPLES'
		{"tdstat":1,"metrics":["*"],"cpuid":"GenuineIntel-6-97-2","smt":true,"interval_ms":1,"target":"x","pmus":[{"name":"cpu_core","type":4,"cpus":"0-3"}],"events":[{"name":"cpu_core/slots/","pmu":"cpu_core","group":0},{"name":"cpu_core/cycles/","pmu":"cpu_core","group":0}]}
		{"samples":{"node":"tma_dram_bound"}}
		{"object":{"kind":"file","path":"/bin/x","pid":1,"build_id":"ab01"}}
		{"spot":{"object":0,"address":"0x10"}}
		{"spot":{"object":0,"address":"0x18"}}
		{"s":[1,0,1,1,0,9,0,-1]}
		{"s":[2,1,1,2,0,9,1,0]}
		{"end":{"elapsed":2.5}}
	SAMPLES
	try "$TDSTAT" report --profile --html=page samples
	assert_equal "$status" 0
	assert_equal "$stderr" ''
}

# --- what makes no sense --------------------------------------------------------

@test "wrong usage: nothing is run" {
	saved alderlake
	for words in '-l 3 -- touch ran' '-l auto -- touch ran' '-F 0 -- touch ran' '-F -1 -- touch ran' \
		'-e cycles -- touch ran' '-I 1s -- touch ran' '-r 2 -- touch ran' '--per-socket -- touch ran'; do
		try "$TDSTAT" profile $words
		[ "$status" -eq 64 ] || fail "$words: $status"
		[[ $stderr == "tdstat: "* ]] || fail "$words"
		[ -z "$output" ]
		[ ! -e ran ]
	done
}

@test "what the counters do not hold at once is named by its nodes" {
	saved alderlake
	try "$TDSTAT" profile -l 2 --dry-run -- true
	assert_success
	grep -qE '^tdstat: cpu_atom: not counted, as its counters do not hold all events at once, and none takes turns: tma_[a-z_]+(, tma_[a-z_]+)*$' <<<"$stderr"
	# those of the plan need no event that is refused
	[[ $stderr == *"tma_machine_clears"* && $stderr != *"tma_backend_bound"* && $stderr != *cpu_core* ]]
	try "$TDSTAT" profile -l 1 --dry-run -- true
	[ -z "$stderr" ]
}

@test "--dry-run: one group with cycles for each kind of core, or what else to do" {
	for model in alderlake lunarlake meteorlake sapphirerapids icelakex tigerlake; do
		for level in 1 2; do
			saved $model
			try "$TDSTAT" profile -l $level --dry-run -- touch ran
			[ "$status" -eq 0 ] || [ $level = 1 ] || {
				assert_why_and_remedy cycles .
				continue
			}
			[ "$status" -eq 0 ] || fail "$model $level: $stderr"
			kinds=$(find "$SYSFS_PATH/bus/event_source/devices/" -maxdepth 1 \( -name cpu -o -name cpu_core -o -name cpu_atom \) | wc -l)
			[ "$(grep -c '^group' <<<"$output")" -eq "$kinds" ] || fail "$model: $output"
			# level 2 of some kinds does not fit: that is said
			[ "$(grep -c ' config 0x3c ' <<<"$output")" -eq "$kinds" ] || fail "$model: $output"
			[ ! -e ran ]
		done
	done
}

@test "no PMU, a hypervisor, hyper-threads that share slots: two lines, and the command runs" {
	no_tree() {
		try "$TDSTAT" profile --require -- touch ran
		[ "$status" -eq 125 ]
		assert_why_and_remedy . .
		[ ! -e ran ]
		try "$TDSTAT" profile -- sh -c 'echo said; exit 3'
		assert_output said
		assert_runs_all_the_same . . 3
	}
	real
	[ -e /sys/bus/event_source/devices/cpu ] || no_tree
	saved skylakex
	no_tree
}

@test "what the kernel refuses: the remedy is named, and the command runs once" {
	needs_strace
	clock_machine
	for errno in EACCES EMFILE EINVAL ENOSPC; do
		try timeout 60 strace -E LD_PRELOAD="$shim" -f -o log -e trace=perf_event_open \
			-e inject=perf_event_open:error=$errno "$TDSTAT" profile -- sh -c 'echo ran >>ran; exit 3'
		[ "$status" -eq 3 ] || fail "$errno: $status"
		[[ ${stderr_lines[0]} == "tdstat: "* ]]
		[ "$errno" != EACCES ] || assert_complains 'tdstat doctor'
		[ "$errno" != EMFILE ] || assert_complains 'ulimit -n'
		assert_complains 'sh runs anyway'
		[ "$(<ran)" = ran ] || fail "$errno: not once"
		rm ran
	done
}

@test "what cannot be written is said, and the command runs to its end" {
	clock_machine
	for own in 0 5; do
		profile -o /dev/full -- sh -c "touch ran; exit $own"
		[ "$status" -eq $((own ? own : 1)) ]
		assert_complains 'No space left'
		[ -e ran ]
		rm ran
	done
	for option in -o --record --samples; do
		profile $option none/out -- sh -c 'touch ran; exit 5'
		[ "$status" -eq 5 ] || fail "$option: $status"
		assert_complains "none/out: No such file"
		rm ran
		profile --require $option none/out -- touch ran
		[ "$status" -eq 125 ] || fail "$option: $status"
		[ ! -e ran ]
	done
	profile --quiet -- sh -c 'exit 6'
	[ "$status" -eq 6 ]
	[ -z "$output$stderr" ]
}
