#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat profile, where the tree's events are the kernel's own clocks; those of
# processors are in tests/machine/profile.bats.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper
load pages
load sampling

# An Atom with 5 slots, simulated with clocks: in each cycle one slot retires (20 %), the
# front end has no uop for one (20 %), and the rest is bad speculation.  Its cycles, whose
# number tdstat knows, become cpu-clock on their way to the kernel.
clock_machine() {
	needs_software_events
	export PERF_CPUID=GenuineIntel-6-BE-0 PROCFS_PATH=/proc
	# SAN=1
	export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0
	[ -e "$BATS_FILE_TMPDIR/shim.so" ] || gcc -O1 -shared -fPIC -x c -o "$BATS_FILE_TMPDIR/shim.so" - <<-'C'
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
	# there, as no name of LD_PRELOAD may have a space
	cp "$BATS_FILE_TMPDIR/shim.so" .
	shim=./shim.so
	# a group's values of threads that are inherited came with Linux 6.12
	[ -e "$BATS_FILE_TMPDIR/tried" ] || {
		profile -- true
		printf '%s\n' "$stderr" >"$BATS_FILE_TMPDIR/tried"
	}
	! has_text "$BATS_FILE_TMPDIR/tried" 'came with Linux|Invalid argument' || skip "this kernel has no samples of groups"
}

profile() {
	try env LD_PRELOAD="$shim" "$TDSTAT" profile "$@"
}

# assert_rows FILE CONDITION: of CSV, a condition in awk with the value v(ID, COLUMN),
# near(VALUE, WANTED, POINTS), clocks(ID): the metrics are as the clocks count, and sum
# and least of the column "exclusive"
assert_rows() {
	awk -F, '
		function v(id, column) { return cell[id, at[column]] }
		function near(value, wanted, points) { return value != "" && value - wanted <= points && wanted - value <= points }
		function clocks(id) {
			return near(v(id, "tma_retiring"), 20, 1) && near(v(id, "tma_frontend_bound"), 20, 1) &&
				near(v(id, "tma_bad_speculation"), 60, 2) && near(v(id, "tma_backend_bound"), 0, 1)
		}
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{
			for (i = 1; i <= NF; i++)
				cell[$at["id"], i] = $i
			sum += $at["exclusive"]
		}
		END { exit !('"$2"') }' "$1" || {
		printf '%s\n' "$(<"$1")"
		fail "not so: $2"
	}
}

# assert_objects FILE FILTER: all rows of JSON, as an array, fit it
assert_objects() {
	jq -es "$2" "$1" >/dev/null || {
		printf '%s\n' "$(<"$1")"
		fail "not so: $2"
	}
}

# Functions that run for many periods, and one that does not.  With -F 4000 there are many
# periods in a thread's time slice even on a busy machine.
build_long() {
	build long <<-'C'
		WORK(large)
		WORK(small)
		WORK(rare)
		int main(int argc, char **argv)
		{
			long ms = argc > 1 ? atol(argv[1]) : 400, few = argc > 2 ? atol(argv[2]) : 20, at = 0;
			while (at < ms) {
				for (at += 75; for_ms(at); )
					large(200000);
				for (at += 25; for_ms(at); )
					small(200000);
			}
			for (at += few; for_ms(at); )
				rare(10000);
			return 7;
		}
	C
}

# --- shares ---------------------------------------------------------------------

@test "functions that run for many periods have their true shares" {
	clock_machine
	build_long
	profile -F 4000 -x, -o out -- ./long 800
	[ "$status" -eq 7 ]
	assert_only_notes
	assert_rows out 'clocks("large") && clocks("small")'
	# Where the processor is taken away, one window is as long as many are.
	assert_rows out 'near(100 * v("large", "calls") / (v("large", "calls") + v("small", "calls")), 75, 12) &&
		near(100 * v("large", "exclusive") / (v("large", "exclusive") + v("small", "exclusive")), 75, 25)'
	# all slots are somewhere
	assert_rows out 'near(sum, 100, 0.1) && v("large", "calls") > 100'
}

# About 20 of them in rare, and never none: they are shorter than what a thread runs at once
# on a busy machine, and its 5 ms of CPU time are counted up to 2 at once.
@test "functions of fewer than 30 windows are there, without percentages" {
	clock_machine
	build_long
	profile -F 4000 --samples samples -x, -o out -- ./long 600 5
	assert_rows out 'v("rare", "calls") > 0 && v("rare", "calls") < 30'
	for node in retiring backend_bound frontend_bound bad_speculation; do
		assert_rows out 'v("rare", "tma_'$node'") == "" && v("large", "tma_'$node'") != ""'
	done
	"$TDSTAT" report --profile -j samples >out
	assert_objects out '(map(select(.id == "rare")) | length == 4 and all(.value == null and .error == null and (.why | test("30 windows")))) and
		(map(select(.id == "large")) | length == 4 and all(.value != null and .error != null))'
	try "$TDSTAT" report --profile samples
	[[ $'\n'$output != *$'\n rare'* ]]
	[[ $output =~ $'\n ('[0-9]+' with few windows) '\ *[0-9]+\ +[0-9.]+$'\n' ]]
	try "$TDSTAT" report --profile --all samples
	[[ $output =~ $'\n rare '\ *[0-9]+\ +([0-9.]+|-)\ +[0-9.]+(\ +-)+\ *$'\n' ]]
	[[ $output =~ $'\n large '\ *[0-9,]+\ +[0-9.]+\ +[0-9.]+\ +(19|20|21)\.[0-9]\ ± ]]
}

# Consecutive samples are rarely in the same function: one of four by chance.
@test "functions that are shorter than a period are between functions" {
	clock_machine
	build turns <<-'C'
		WORK(one)
		WORK(two)
		WORK(three)
		WORK(four)
		int main(void)
		{
			while (for_ms(600)) { one(about(20000)); two(about(20000)); three(about(20000)); four(about(20000)); }
			return 0;
		}
	C
	profile -F 500 --all -x, -o out -- ./turns
	[ "$status" -eq 0 ]
	assert_rows out 'clocks("(between functions)") && v("(between functions)", "whole") == "" &&
		v("(between functions)", "calls") > v("one", "calls") + v("two", "calls") + v("three", "calls") + v("four", "calls")'
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
			while (argc == 1 && for_ms(150))
				long_one(200000);
			while (for_ms(700)) { one(about(20000)); two(about(20000)); }
			while (for_ms(704)) rare(10000);
			return 0;
		}
	C
	# windows that are shorter than what a thread runs at once on a busy machine
	profile -F 4000 -j --samples samples -o out -- ./mixed
	profile -F 4000 -o text -- ./mixed
	sentence=$'\n Biggest losers?: long_one \(([0-9.]+) % of all slots\).*; not attributed to a function: ([0-9.]+) %\n'
	has_text text "$sentence"
	try "$TDSTAT" report --profile samples
	[[ $output =~ $sentence ]]
	# 80 % of all slots did no work: shares of the slots, without those that did
	assert_objects out 'def lost(id): map(select(.id == id))[0].exclusive * 0.8;
		(lost("long_one") - '"${BASH_REMATCH[1]}"' | fabs <= 1) and
		(lost("(between functions)") - '"${BASH_REMATCH[2]}"' | fabs <= 1) and
		lost("(between functions)") > lost("long_one")'
	# one with few windows has no share that is known
	profile -F 4000 --all -j --samples more -o out -- ./mixed more
	assert_objects out 'map(select(.calls < 30)) | length > 0 and all(.lost_share == null)'
	try "$TDSTAT" report --profile more
	[[ $output != *'Biggest loser'* ]]
}

# Half of the windows have both ends in the same function by chance.
@test "two short functions that alternate are not shown" {
	clock_machine
	build pairs <<-'C'
		WORK(one)
		WORK(two)
		int main(void)
		{
			while (for_ms(600)) { one(about(20000)); two(about(20000)); }
			return 0;
		}
	C
	profile -F 1000 -x, -o out -- ./pairs
	[ "$status" -eq 0 ]
	assert_rows out 'near(v("(between functions)", "exclusive"), 95, 5) &&
		v("one", "tma_retiring") == "" && v("two", "tma_retiring") == ""'
}

@test "stacks: as wide as the cycles, in the colour of where most slots go" {
	needs_wing pictures
	clock_machine
	build_long
	profile -F 4000 --folded stacks --flame flame.svg --pprof profile --samples samples -x, -o table -- ./long 800
	# the samples are those of cycles
	try "$TDSTAT" report --locate --folded located -o located.table samples
	assert_success
	try "$TDSTAT" report --profile --folded again --flame again.svg --pprof again.pprof -x, -o again.table samples
	assert_success
	python3 - <<-'PYTHON'
		import collections, gzip, re
		def text(name):
		    with open(name) as file:
		        return file.read()
		stacks = text("stacks")
		assert re.search(r"(^|;)main;large \d+$", stacks, re.M), stacks
		ns = collections.Counter()
		for line in stacks.splitlines():
		    ns[re.split("[; ]", line)[-2]] += int(line.split()[-1])
		assert ns["large"] > 2 * ns["small"] > 0, stacks
		# bad speculation has 60 %, of functions and so of what calls them
		flame = text("flame.svg")
		assert "■</tspan> bad speculation" in flame
		bars = re.findall(r'fill="(#[0-9a-f]{6})" stroke.*<text[^>]*>(?:large|main)<', flame)
		assert len(bars) == 2 and set(bars) <= {"#e07530", "#e58c53", "#eba476", "#f0bb9a"}, bars
		for name in "profile", "again.pprof":
		    with gzip.open(name) as file:
		        data = file.read()
		    assert b"cycles" in data and b"/long.c" in data
		assert text("located") == stacks == text("again")
		assert text("again.svg") == flame
		def rows(name):
		    return [line for line in text(name).splitlines() if not line.startswith("#")]
		assert rows("table") == rows("again.table")
	PYTHON
	# none of them is the input file, and the table goes to standard output
	try "$TDSTAT" report --profile --flame samples -o again.table samples
	assert_equal "$status" 64
	assert_complains 'samples is the recording that is being read'
	try "$TDSTAT" report --profile --folded - samples
	assert_equal "$status" 64
	profile --folded - -p $$
	[ "$status" -eq 64 ]
}

@test "a page of the samples has their flame graph, with a search for functions" {
	needs_wing pictures
	clock_machine
	build_long
	profile -F 4000 --samples samples -o table -- ./long
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

@test "CSV: the same number of fields in each line; --error, and a recording gives the same" {
	clock_machine
	build_long
	profile -F 4000 -x, -o out --record rec -- ./long
	[ "$status" -eq 7 ]
	"$TDSTAT" report rec -x, >again
	cmp out again
	try "$TDSTAT" report rec
	[[ $output == *$'\n large '* ]]
	profile -F 4000 -x, --error -o errors -- ./long
	IFS=, read -ra columns <out
	assert_csv out ${#columns[@]}
	assert_csv errors $((${#columns[@]} + 4))
}

@test "levels that samples or a recording lack: which command has them" {
	clock_machine
	build_long
	profile --samples samples --record sums -o table -- ./long 100
	try "$TDSTAT" report --profile -l 2 samples
	[[ $stderr =~ ' were not recorded: tdstat '(.*)' records all' ]]
	advised=${BASH_REMATCH[1]}
	for level in 3 auto; do
		try "$TDSTAT" report --profile -l $level samples
		[[ $stderr == *'not recorded: functions, calls and regions support only levels 1 and 2' ]]
	done
	try "$TDSTAT" report -l 2 sums
	[[ $stderr == *'not recorded: add -l 2 to the command that recorded the others' ]]
	# it can be typed, where the processor has them
	saved sapphirerapids
	try "$TDSTAT" $advised --dry-run -- ./long
	assert_success
	assert_output --partial topdown-mem-bound
}

@test "JSON: an object for each function and node" {
	clock_machine
	build_long
	for ms in 400 4000 40000; do
		profile -j -o out -- ./long $ms
		[ "$status" -eq 7 ]
		# a busy machine takes longer to give a thread so many windows
		! jq -es 'any(.id == "large" and .calls > 100)' out >/dev/null || break
	done
	in_schema out
	assert_objects out 'all(.id != null and .pmu == "cpu" and .unit == "%" and .level == 1 and has("whole")) and
		(map(select(.id == "large")) | all(.whole > 90 and .whole <= 100)) and
		(map(select(.id == "large" and .metric == "tma_retiring")) | length == 1 and
			(.[0] | .value > 19 and .value < 21 and .error < 2 and .calls > 100))'
}

@test "a command too short for samples: no NaN and no infinity" {
	clock_machine
	for how in '-x,' '' -j; do
		profile -F 1 $how -o out -- true
		[ "$status" -eq 0 ]
		! has_text out '[nN][aA][nN]|[iI][nN][fF]([^o]|$)' || fail "$how: $(<out)"
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
	assert_rows out 'clocks("large")'
}

@test "hundreds of short threads and programs: no sample is lost, and profile ends" {
	clock_machine
	build short -pthread <<-'C'
		#include <pthread.h>
		WORK(large)
		static void *run(void *unused) { large(50000); return unused; }
		int main(void)
		{
			pthread_t thread;
			for (int i = 0; i < 500; i++)
				if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
					return 1;
			return 3;
		}
	C
	profile -x, -o out -- ./short
	[ "$status" -eq 3 ]
	assert_rows out 'near(sum, 100, 0.1)'
	profile -x, -o out -- sh -c 'i=0; while [ $i -lt 100 ]; do i=$((i + 1)); /bin/true; done; exit 4'
	[ "$status" -eq 4 ]
	assert_rows out 'near(sum, 100, 0.1) && v("(between functions)", "exclusive") > 0'
}

@test "exec, status, and signals" {
	clock_machine
	build_long
	profile -F 4000 -x, -o out -- sh -c 'exec ./long'
	[ "$status" -eq 7 ]
	assert_rows out 'clocks("large")'
	profile -o out -- sh -c 'kill -9 $$'
	[ "$status" -eq 137 ]
	profile -o out -- ./is-not-there
	[ "$status" -eq 127 ]
	: >cannot-run
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
				work(200000);
			while (for_ms(600))
				other(200000);
			return 0;
		}
	C
	profile -F 4000 -x, -o out -- ./same
	[ "$status" -eq 0 ]
	# one of them with its file
	assert_rows out 'v("work", "calls") != "" && (v("work (libwork.so)", "calls") != "") + (v("work (same)", "calls") != "") == 1'
}

@test "symbol names with control characters" {
	clock_machine
	build_long
	nasty=$'la,r"ge\x1b[31m\nline\ttwo\x7f'
	objcopy --redefine-sym "large=$nasty" long
	for how in '' -j '-x,'; do
		profile -F 4000 --all $how -o out$how --record rec --force -- ./long
		[ "$status" -eq 7 ]
		assert_printable out$how
		assert_printable rec
		has_text out$how 'ge[\]'
	done
	IFS=, read -ra columns <out-x,
	assert_csv out-x, ${#columns[@]}
	jq -es --arg name "$nasty" 'any(.id == $name)' out-j
}

# enough_windows: enough for percentages
enough_windows() {
	assert_rows out 'v("forever", "calls") >= 30' >/dev/null 2>&1
}

@test "a process that runs already, and one that ends" {
	clock_machine
	build_forever
	./forever 3>&- &
	pid=$!
	wait_for_file running
	for_longer enough_windows profile -x, -o out -p $pid
	[ "$status" -eq 0 ]
	assert_rows out 'clocks("forever")'
	env LD_PRELOAD="$shim" "$TDSTAT" profile -p $pid -x, -o out 3>&- &
	wait_for has_events $!
	wait_for sleeps $!
	works_on $pid 60
	: >end
	wait $!
	assert_rows out 'clocks("forever")'
}

@test "samples without a pair: no function is shown" {
	needs_wing pictures
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

@test "wrong usage: no command runs" {
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

@test "nodes that do not fit into the counters together are named" {
	saved alderlake
	try "$TDSTAT" profile -l 2 --dry-run -- true
	assert_success
	line='tdstat: cpu_atom: not counted, because there are too few counters for all events at once, and none is multiplexed: tma_[a-z_]+(, tma_[a-z_]+)*'
	[[ $'\n'$stderr$'\n' =~ $'\n'$line$'\n' ]]
	# those of the plan need no event that is refused
	[[ $stderr == *"tma_machine_clears"* && $stderr != *"tma_backend_bound"* && $stderr != *cpu_core* ]]
	try "$TDSTAT" profile -l 1 --dry-run -- true
	[ -z "$stderr" ]
}

@test "--dry-run: one group with cycles per core type, or the remedy" {
	for model in alderlake lunarlake meteorlake sapphirerapids icelakex tigerlake; do
		for level in 1 2; do
			saved $model
			try "$TDSTAT" profile -l $level --dry-run -- touch ran
			[ "$status" -eq 0 ] || [ $level = 1 ] || {
				assert_why_and_remedy cycles .
				continue
			}
			[ "$status" -eq 0 ] || fail "$model $level: $stderr"
			kinds=0
			for kind in "$SYSFS_PATH"/bus/event_source/devices/{cpu,cpu_core,cpu_atom}; do
				[ ! -e "$kind" ] || kinds=$((kinds + 1))
			done
			# level 2 of some kinds does not fit: that is said
			groups=0 cycles=0
			for line in "${lines[@]}"; do
				[[ $line != group* ]] || groups=$((groups + 1))
				[[ $line != *' config 0x3c '* ]] || cycles=$((cycles + 1))
			done
			[ "$groups" -eq "$kinds" ] && [ "$cycles" -eq "$kinds" ] || fail "$model: $output"
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

@test "events that the kernel refuses: the error has the remedy, and the command runs once" {
	needs_strace
	clock_machine
	for errno in EACCES EMFILE EINVAL ENOSPC; do
		try within strace -E LD_PRELOAD="$shim" -f -o log -e trace=perf_event_open \
			-e inject=perf_event_open:error=$errno "$TDSTAT" profile -- sh -c 'echo ran >>ran; exit 3'
		[ "$status" -eq 3 ] || fail "$errno: $status"
		[[ ${stderr_lines[0]} == "tdstat: "* ]]
		[ "$errno" != EACCES ] || assert_complains 'tdstat doctor'
		[ "$errno" != EMFILE ] || assert_complains 'ulimit -n'
		assert_complains 'running sh without counting'
		mapfile -t ran <ran
		[ "${ran[*]}" = ran ] || fail "$errno: not once"
		: >ran
	done
}

@test "a result that cannot be written is an error, and the command runs to its end" {
	clock_machine
	for own in 0 5; do
		profile -o /dev/full -- sh -c ": >ran; exit $own"
		[ "$status" -eq $((own ? own : 1)) ]
		assert_complains 'No space left'
		[ -e ran ]
		rm ran
	done
	for option in -o --record --samples; do
		profile $option none/out -- sh -c ': >ran; exit 5'
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
