#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat locate, of programs whose functions take known shares of the CPU time, by
# the kernel's own clocks.  Events of processors are in tests/machine/locate.bats.

# shellcheck disable=SC2016,SC2086,SC2153,SC2154 # sh -c; lists of options; helper.bash
load helper
load sampling

HEADER=pmu,event,node,of,share,error,samples,function,object,address,file,line,caller,in,slower

# locate OPTION...: by cpu-clock
locate() {
	try "$TDSTAT" locate -e cpu-clock "$@"
}

# --- shares ---------------------------------------------------------------------

@test "the shares of two functions, within the error that is stated" {
	real
	build_share
	locate -j -o out -- ./share
	[ "$status" -eq 7 ]
	assert_no_stderr
	assert_share out large 75
	assert_share out small 25
	# the largest is first, and together they are all
	[ "$(jq -rs '.[0].function' out)" = large ]
	in_schema out
	jq -es '(map(.share) | add) as $all | $all > 99.9 and $all < 100.1' out
	jq -es 'all(.pmu == "software" and .event == "cpu-clock" and .node == null)' out
	jq -es --arg path "$PWD/share" '.[0].object == $path and (.[0].address | test("^0x[0-9a-f]+$"))' out
}

@test "a higher rate: more samples, and a smaller error" {
	real
	build_share
	locate -F 200 -j -o few -- ./share 1000
	locate -F 4000 -j -o many -- ./share 1000
	[ "$(jq .samples few | awk '{ n += $1 } END { print n }')" -gt 100 ]
	[ "$(jq .samples many | awk '{ n += $1 } END { print n }')" -gt 1500 ]
	jq -es 'map(select(.function == "large")) | .[0].error > 2 * .[1].error' few many
	assert_share many large 75
}

@test "text: the shares with their errors, and lines and callers below" {
	real
	build_share
	locate -- ./share
	[ "$status" -eq 7 ]
	[ -z "$output" ]
	[[ $stderr =~ cpu-clock,\ [0-9]+\ samples ]]
	[[ $stderr =~ [0-9.]+\ %\ +±\ *[0-9.]+\ +large ]]
	[[ $stderr != *share.c:* && $stderr != *"called from"* ]]
	locate -v --callers -- ./share
	[[ $stderr =~ share\.c:[0-9]+ ]]
	[[ $stderr =~ called\ from\ caller ]]
}

@test "JSON: source lines and callers" {
	real
	build_share
	locate -v --callers -j -o out -- ./share
	nr=$(grep -n '^WORK(large)' "$BATS_FILE_TMPDIR/share.c" | cut -d: -f1)
	jq -es --argjson nr "$nr" '.[0].lines[0] | (.file | endswith("/share.c")) and .line == $nr' out
	jq -es '.[0].callers[0] | .function == "caller" and .share > 50' out
	jq -es '.[0] | (.lines | map(.samples) | add) == .samples and (.callers | map(.samples) | add) == .samples' out
}

@test "CSV: the header, and as many fields in each line" {
	real
	build_share
	locate -x, -o out -- ./share
	[ "$(head -n 1 out)" = "$HEADER" ]
	assert_csv out 15
	[ "$(sed -n 2p out | cut -d, -f1-4,8)" = software,cpu-clock,,function,large ]
	locate -v --callers -x, -o both -- ./share
	assert_csv both 15
	grep -q ',[^,]*/share.c,[0-9]*,,,$' both
	grep -q ',,,caller,,$' both
	# lines and callers add up to their functions
	awk -F, 'NR > 1 { sum[$4] += $7 } END { exit !(sum["line"] == sum["function"] && sum["caller"] == sum["function"]) }' both
	locate -x '\t' -o tabs -- ./share
	[ "$(head -n 1 tabs)" = "${HEADER//,/$'\t'}" ]
}

@test "two events are shown apart" {
	real
	build_share
	locate -e task-clock -j -o out -- ./share
	[ "$status" -eq 7 ]
	for event in cpu-clock task-clock; do
		jq -c "select(.event == \"$event\")" out >"$event"
		assert_share "$event" large 75
	done
}

@test "a node: its event is sampled, and named" {
	clock_machine
	build_share
	try "$TDSTAT" locate tma_dram_bound "${files[@]}" -j -o out -- ./share
	[ "$status" -eq 7 ]
	assert_share out large 75
	jq -es '.[0] | .node == "tma_dram_bound" and .pmu == "cpu" and (.event | test("MEM_LOAD_RETIRED.L3_MISS"))' out
	try "$TDSTAT" locate tma_dram_bound "${files[@]}" -- ./share
	[[ $stderr == *tma_dram_bound* ]]
}

# --- programs -------------------------------------------------------------------

@test "the command's status is handed on" {
	real
	locate -o out -- sh -c 'echo told; exit 9'
	[ "$status" -eq 9 ]
	[ "$output" = told ]
	locate -- sh -c 'kill -9 $$'
	[ "$status" -eq 137 ]
	locate -- sh -c 'kill $$'
	[ "$status" -eq 143 ]
	locate -- ./is-not-there
	[ "$status" -eq 127 ]
	assert_complains is-not-there
	touch cannot-run
	locate -- ./cannot-run
	[ "$status" -eq 126 ]
	assert_complains cannot-run
}

@test "a program without a sample: no number is made up" {
	real
	for how in '' -j '-x,'; do
		locate $how -F 1 -- true
		[ "$status" -eq 0 ]
		run ! grep -E '100\.0|[0-9] %|nan|NaN|inf' <<<"$output$stderr"
	done
}

@test "a program that becomes another, and one that starts others" {
	real
	build_share
	build before <<-'C'
		WORK(before)
		int main(void)
		{
			while (for_ms(300))
				before(100000);
			execl("./share", "share", "600", NULL);
			return 1;
		}
	C
	locate -j -o out -- ./before
	[ "$status" -eq 7 ]
	# the CPU time goes on: as much in share
	assert_share out before 50
	assert_share out large 37.5
	jq -es --arg path "$PWD" 'all(.[]; select(.function == "before") | .object == $path + "/before") and
		all(.[]; select(.function == "large") | .object == $path + "/share")' out
	locate -j -o out -- sh -c './share 200; ./share 200; true'
	[ "$status" -eq 0 ]
	assert_share out large 75
}

@test "hundreds of short programs" {
	real
	locate -F 4000 -j -o out -- sh -c 'i=0; while [ $i -lt 300 ]; do i=$((i + 1)); /bin/true; done; exit 5'
	[ "$status" -eq 5 ]
	jq -es '(map(.samples) | add) > 100' out
}

# Every thread ends before the first sample of its own, and together they have three
# quarters of the CPU time; main has the rest, in one piece, for 40 samples.
@test "threads that end before their first sample: it is said how much the samples are of" {
	real
	build short -pthread <<-'C'
		#include <pthread.h>
		static void work_us(long us)
		{
			struct timespec t;
			do
				clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
			while (t.tv_sec * 1000000 + t.tv_nsec / 1000 < us);
		}
		static void *run(void *nothing) { work_us(1500); return nothing; }
		int main(void)
		{
			pthread_t thread;
			for (int i = 0; i < 400; i++)
				if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
					return 1;
			work_us(200000);
			return 0;
		}
	C
	locate -F 200 -o out -- ./short
	assert_equal "$status" 0
	[[ $stderr =~ 'tdstat: samples stand for '([0-9]+)' % of the events that were counted: interrupts came late, or threads were short' ]]
	[ "${BASH_REMATCH[1]}" -lt 50 ]
	# of one that works on, nearly all
	build_share
	locate -o out -- ./share
	[[ $stderr != *'samples stand for'* ]]
}

@test "two thousand threads" {
	real
	build threads -pthread <<-'C'
		#include <pthread.h>
		WORK(large)
		WORK(small)
		/* of different lengths, or a clock that begins with them finds one place */
		static void *run(void *n) { large(3 * (long)n); small((long)n); return NULL; }
		int main(void)
		{
			pthread_t threads[20];
			for (long i = 0; i < 100; i++) {
				for (int j = 0; j < 20; j++)
					if (pthread_create(&threads[j], NULL, run, (void *)(20000 + (20 * i + j) * 7919 % 60000)))
						return 1;
				for (int j = 0; j < 20; j++)
					pthread_join(threads[j], NULL);
			}
			return 0;
		}
	C
	locate -F 20000 -j -o out -- ./threads
	[ "$status" -eq 0 ]
	jq -es 'map(select(.function == "large" or .function == "small")) | (map(.samples) | add) > 200 and
		length == 2 and ((.[0].share / (.[0].share + .[1].share) - 0.75) | fabs) < 0.15' out || {
		functions out | head
		false
	}
}

@test "static, stripped, position-independent or not, and without a build id" {
	real
	for options in -static -static-pie -no-pie -Wl,--build-id=none '-Wl,-z,noseparate-code'; do
		rm -f "$BATS_FILE_TMPDIR/share"
		build_share $options
		locate -j -o out -- ./share
		[ "$status" -eq 7 ]
		assert_share out large 75 || fail "$options"
	done
	rm -f "$BATS_FILE_TMPDIR/share"
	build_share
	strip share
	locate -j -o out -- ./share
	[ "$status" -eq 7 ]
	# an address of the program is not of another function
	jq -es --arg path "$PWD/share" '.[0] | .object == $path and .function == null and (.address | test("^0x"))' out
	jq -es 'all(.function != "large" and .function != "small")' out
	locate -x, -o csv -- ./share
	assert_csv csv 15
}

@test "a separate debug file, by its link" {
	real
	build_share
	objcopy --only-keep-debug share share.debug
	strip share
	objcopy --add-gnu-debuglink=share.debug share
	locate -v -j -o out -- ./share
	assert_share out large 75
	jq -es '.[0].lines[0].file | endswith("/share.c")' out
}

@test "a shared library" {
	real
	printf '%s\nWORK(large)\nWORK(small)\n' "$work" >lib.c
	gcc -O0 -g -shared -fPIC lib.c -o libwork.so
	build linked -L. -lwork -Wl,-rpath,'$ORIGIN' -x none -L"$PWD" 2>/dev/null <<-'C' ||
		void large(long), small(long);
		int main(void)
		{
			while (for_ms(400)) { large(300000); small(100000); }
			return 7;
		}
	C
		gcc -O0 -g "$BATS_FILE_TMPDIR/linked.c" -L. -lwork -Wl,-rpath,'$ORIGIN' -o linked
	locate -j -o out -- ./linked
	[ "$status" -eq 7 ]
	assert_share out large 75
	jq -es --arg path "$PWD/libwork.so" '.[0].object == $path' out
	# also without what is not needed to run it
	strip libwork.so
	locate -j -o out -- ./linked
	assert_share out large 75
}

@test "C++ names are those of the source" {
	real
	command -v g++ >/dev/null || skip "no g++"
	printf '%s\nnamespace space { template <class T> struct S { WORK(member) }; }
		int main() { space::S<int> s; while (for_ms(300)) s.member(100000); }\n' "$work" >cxx.cc
	g++ -O0 -g cxx.cc -o cxx
	locate -j -o out -- ./cxx
	[ "$status" -eq 0 ]
	assert_share out 'space::S<int>::member(long)' 100
}

# --- what is hostile ------------------------------------------------------------

@test "symbol names with control characters" {
	real
	build_share
	nasty=$'la,r"ge\x1b[31m\nline\ttwo\x7f'
	objcopy --redefine-sym "large=$nasty" share
	for how in '' -j '-x,'; do
		locate $how --callers -o out -- ./share
		[ "$status" -eq 7 ]
		assert_printable out
		grep -qF "ge\\" out
	done
	assert_csv out 15
	locate -j -o out -- ./share
	jq -es --arg name "$nasty" '.[0].function == $name' out
}

@test "very long names, and very many symbols" {
	real
	build_share
	objcopy --redefine-sym "large=$(printf 'x%.0s' $(seq 100000))" share
	locate -x, -o out -- ./share
	[ "$status" -eq 7 ]
	assert_csv out 15
	[ "$(cut -d, -f8 out | sed -n 2p | cut -c1-5)" = xxxxx ]
	# 100 MB of them
	awk -v long="$(printf 'x%.0s' $(seq 170))" 'BEGIN {
		print ".text"
		for (i = 0; i < 500000; i++)
			print long i ": nop"
	}' >many.s
	gcc -c many.s -o many.o
	rm many.s
	gcc -O0 -g "$BATS_FILE_TMPDIR/share.c" many.o -o share
	[ "$(stat -c %s share)" -gt 90000000 ]
	locate -j -o out -- ./share
	[ "$status" -eq 7 ]
	assert_share out large 75
}

# Maps two pages of a file, and runs what is in the second.
build_mapper() {
	build mapper <<-'C'
		#include <fcntl.h>
		#include <sys/mman.h>
		int main(int argc, char **argv)
		{
			int fd = open(argv[argc - 1], O_RDONLY);
			char *at = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
			void (*run)(long) = (void (*)(long))(at + 4096);
			if (at == MAP_FAILED)
				return 1;
			while (for_ms(400))
				run(100000);
			return 7;
		}
	C
}

# mov %rdi,%rcx; 1: dec %rcx; jnz 1b; ret
LOOP='\x48\x89\xf9\x48\xff\xc9\x75\xfb\xc3'

@test "truncated and senseless libraries: an address with its object" {
	real
	[ "$(uname -m)" = x86_64 ] || skip "the code is x86-64's"
	build_share
	build_mapper
	head -c 4096 share >cut.so
	{
		head -c 64 share
		head -c 4032 /dev/zero | tr '\0' '\377'
	} >senseless.so
	head -c 4096 /dev/zero >none.so
	for file in cut senseless none; do
		{
			head -c 4096 $file.so
			printf %b "$LOOP"
			head -c 4087 /dev/zero
		} >made
		mv made $file.so
		for how in -j '-x,' ''; do
			locate -v --callers $how -o out.$how -- ./mapper $file.so
			[ "$status" -eq 7 ] || fail "$file: $status"
		done
		jq -es --arg path "$PWD/$file.so" '.[0] | .object == $path and .function == null and .share > 90' out.-j || fail "$file"
		assert_csv out.-x, 15
	done
}

@test "a library that is gone, or another one meanwhile" {
	real
	[ "$(uname -m)" = x86_64 ] || skip "the code is x86-64's"
	build_share
	build_mapper
	{
		head -c 4096 /dev/zero
		printf %b "$LOOP"
		head -c 4087 /dev/zero
	} >code.so
	locate -j -o out -- sh -c './mapper code.so; rm code.so; exit 3'
	[ "$status" -eq 3 ]
	jq -es '.[0] | (.object | test("/code.so")) and .function == null' out
	# what ran is not what is there: its symbols would be lies
	cp share other
	locate -j -o out -- sh -c './other; rm other; cp mapper other'
	jq -es 'all(.function != "main" or (.object | endswith("/other") | not))' out
	jq -es '.[0] | (.object | test("/other")) and (.function == null or .function == "large")' out
}

@test "what a JIT compiler tells of its code" {
	real
	[ "$(uname -m)" = x86_64 ] || skip "the code is x86-64's"
	build jit <<-'C'
		#include <string.h>
		#include <sys/mman.h>
		int main(void)
		{
			static const unsigned char code[] = { 0x48, 0x89, 0xf9, 0x48, 0xff, 0xc9, 0x75, 0xfb, 0xc3 };
			char *at = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			void (*first)(long) = (void (*)(long))at, (*second)(long) = (void (*)(long))(at + 4096);
			char path[64];
			FILE *fp;
			memcpy(at, code, sizeof(code));
			memcpy(at + 4096, code, sizeof(code));
			snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
			fp = fopen(path, "w");
			fprintf(fp, "%lx 20 LazyCompile:~first of/it\n", (unsigned long)at);
			fprintf(fp, "nonsense\n%lx 20 second\n", (unsigned long)at + 4096);
			fclose(fp);
			fp = fopen("map", "w");
			fputs(path, fp);
			fclose(fp);
			while (for_ms(400)) {
				first(300000);
				second(100000);
			}
			return 7;
		}
	C
	locate -j -o out -- ./jit
	rm -f "$(<map)"
	[ "$status" -eq 7 ]
	assert_share out 'LazyCompile:~first of/it' 75
	assert_share out second 25
}

# What takes a minute, or all memory, in any program that only reads it as it is.
build_hostile() {
	[ "$(uname -m)" = x86_64 ] || skip "the code is x86-64's"
	build hostile <<-'C'
		#include <fcntl.h>
		#include <sys/mman.h>
		int main(int argc, char **argv)
		{
			int fd = open(argv[argc - 1], O_RDONLY);
			char *at = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
			void (*run)(long) = (void (*)(long))(at + 4096);
			if (at == MAP_FAILED)
				return 1;
			/* the kernel has read it, and that took its time, too */
			for (int i = 0; i < 600; i++)
				run(1000000);
			return 7;
		}
	C
}

@test "files that are dear to read: what can be told of them, and why not more" {
	not_under_valgrind "it has limits of its own"
	real
	build_hostile
	while read -r kind number named why; do
		# there, memory that is refused may be a crash
		[[ $kind != lines || $TDSTAT != */san/* ]] || continue
		python3 "$BATS_TEST_DIRNAME/hostile.py" "$kind" "$kind.so" "$number"
		locate -v -j -o out -- ./hostile "$kind.so"
		[ "$status" -eq 7 ] || fail "$kind: $status"
		jq -es --arg path "$PWD/$kind.so" --arg named "$named" '.[0] | .object == $path and
			(.function // "none" | startswith($named)) and .share > 50' out || fail "$kind: $(head -n 1 out)"
		found=$(sed -n "s|^tdstat: $PWD/$kind.so: ||p" <<<"$stderr")
		assert_equal "$kind: $found" "$kind: $why"
		rm "$kind.so"*
	done <<-'KINDS'
		strings 16 none has no symbols: addresses without names
		symbols 4096 NNN has more symbols than are read: addresses without names among them
		sections 16 loop
		link 400 none its debug file is too large to be read: addresses without names
		unpack 1100 loop its debugging information is too large to be read: no lines
		ranges 8000 loop its debugging information is too large to be read: no lines
		lines 50 loop its symbols need too much memory: no lines
		notes 6000 loop
	KINDS
}

@test "debugging information that is dear to read: no callers by it, and why" {
	real
	build_hostile
	python3 "$BATS_TEST_DIRNAME/hostile.py" unpack large.so 300
	head -c 100 /dev/zero >zeros
	objcopy --add-section .debug_frame=zeros large.so
	locate -F 200 --call-graph dwarf --folded stacks -o out -- ./hostile large.so
	assert_equal "$status" 7
	grep -qxF "tdstat: $PWD/large.so: its debugging information is too large to be read: no callers behind it" <<<"$stderr"
	grep -q '^.unknown.;loop [0-9]' stacks
}

# assert_nameless OBJECT: most samples are in it, at addresses without a name
assert_nameless() {
	jq -es --arg path "$PWD/$1" 'map(select(.object == $path)) |
		(map(.share) | add) > 40 and all(.function == null)' out
}

# with_search CALL:WHAT OPTION...: where the process that looks for symbols makes such
# a system call, strace does that to it
with_search() {
	local tell=$1

	shift
	strace -f -qq -o log -e trace=fstatfs,close_range -e inject="$tell" sh -c 'echo $$ >self; exec "$@"' - \
		"$TDSTAT" locate -e cpu-clock -j -o out "$@"
}

@test "what reads symbols crashes: everything else is shown, and it is said" {
	needs_strace
	real
	build_share
	for where in fstatfs:1 close_range:1; do
		run --separate-stderr with_search "${where%:*}:signal=SEGV:when=${where#*:}" -- ./share
		[ "$status" -eq 7 ]
		assert_nameless share || fail "$where: $(head -n 1 out)"
		case $where in
		fstatfs*)
			[[ $stderr == *"tdstat: $PWD/share: what reads its symbols crashed: addresses without names"* ]]
			# of the kernel no such file is opened
			jq -es 'all(.object != "[kernel]" or .function != null)' out || [ "$(id -u)" != 0 ]
			;;
		*) grep -qE '^tdstat: symbols of [0-9]+ files? were not looked for: .* has ended: addresses without names$' <<<"$stderr" ;;
		esac || fail "$where: $stderr"
	done
}

@test "a signal ends the search for symbols, and what was sampled is shown" {
	needs_strace
	real
	build_share
	with_search fstatfs:delay_enter=60000000 -- ./share 2>err 3>&- &
	tracer=$!
	for ((i = 0; i < 600; i++)); do
		! grep -q 'fstatfs(' log 2>/dev/null || break
		command sleep 0.05
	done
	kill -INT "$(cat self)"
	for ((i = 0; i < 300; i++)); do
		[ ! -s out ] || break
		command sleep 0.05
	done
	# strace itself waits for the process that it delays
	kill "$tracer" 2>/dev/null || true
	assert_nameless share
	grep -q 'a signal ended the search: addresses without names' err || fail "$(cat err)"
}

# --- what is running ------------------------------------------------------------

@test "a process that runs already, for a while" {
	real
	build_forever
	./forever 3>&- &
	wait_for_file running
	locate -p $! --timeout 1s -j -o out
	touch end
	[ "$status" -eq 0 ]
	jq -es --arg path "$PWD/forever" '.[0] | .function == "forever" and .object == $path and .share > 80' out
}

@test "SIGINT ends it, and what was sampled is shown" {
	not_under_valgrind "the events are opened late"
	real
	build_forever
	./forever 3>&- &
	pid=$!
	wait_for_file running
	env --default-signal=INT "$TDSTAT" locate -e cpu-clock -p $pid -j -o out 2>err 3>&- &
	tdstat=$!
	wait_for has_events $tdstat
	# until it has had the CPU for a while
	while [ "$(awk '{ print $14 }' /proc/$pid/stat)" -lt $((${before:=$(awk '{ print $14 }' /proc/$pid/stat)} + 30)) ]; do command sleep 0.05; done
	kill -INT $tdstat
	wait $tdstat || status=$?
	touch end
	# what was measured is a result, as of tdstat -p
	[ "${status:-0}" -eq 0 ]
	[ ! -s err ]
	jq -es '.[0] | .function == "forever"' out
}

@test "a time that is over ends the command" {
	real
	build_forever
	locate --timeout 500 -j -o out -- ./forever
	[ "$status" -eq 143 ]
	jq -es '.[0] | .function == "forever"' out
	# one that does not want to end
	locate --timeout 100 -o out -- sh -c 'trap "" TERM; while :; do command sleep 0.1; done'
	[ "$status" -eq 137 ]
}

@test "a process that ends, and one that is not there" {
	real
	build_share
	./share 2000 3>&- &
	locate -p $! --timeout 60s -j -o out
	[ "$status" -eq 0 ]
	jq -es '.[0] | .function == "large"' out
	wait $! || true
	locate -p $! --timeout 1s
	[ "$status" -eq 1 ]
	assert_complains "$!"
}

# --- output ---------------------------------------------------------------------

@test "to a file, at its end, to a descriptor, and nowhere" {
	real
	build_share
	locate -x, -o out -- ./share 50
	[ -z "$output" ]
	nr=$(wc -l <out)
	locate -x, -o out --append -- ./share 50
	[ "$(wc -l <out)" -gt "$nr" ]
	locate -x, --log-fd 7 -- ./share 50 7>fd
	[ "$(head -n 1 fd)" = "$HEADER" ]
	locate --quiet -- ./share 50
	[ "$status" -eq 7 ]
	[ -z "$output" ]
	assert_no_stderr
}

@test "what cannot be written is said, and the command runs to its end" {
	real
	for own in 0 5; do
		locate -o /dev/full -- sh -c "touch ran; exit $own"
		[ "$status" -eq $((own ? own : 1)) ]
		assert_complains 'No space left'
		[ -e ran ]
		rm ran
	done
	for option in -o --samples; do
		locate $option none/out -- sh -c 'touch ran; exit 5'
		[ "$status" -eq 5 ] || fail "$option: $status"
		assert_complains "none/out: No such file"
		assert_complains 'nothing of this is counted: sh runs anyway'
		rm ran
		locate --require $option none/out -- touch ran
		[ "$status" -eq 125 ] || fail "$option: $status"
		[ ! -e ran ]
	done
}

@test "--dry-run: what would be opened, and nothing is run" {
	clock_machine
	try "$TDSTAT" locate tma_dram_bound "${files[@]}" --dry-run -- touch ran
	[ "$status" -eq 0 ]
	[ "$(grep -c '^group' <<<"$output")" -eq 1 ]
	[[ $output == *MEM_LOAD_RETIRED.L3_MISS*"type 1  config 0x0"* ]]
	[ ! -e ran ]
	saved alderlake
	unset PERF_CPUID
	try "$TDSTAT" locate tma_dram_bound --dry-run -- true
	[ "$status" -eq 0 ]
	# on each kind of core, or a note why not
	[[ $output == *cpu_core* && $output$stderr == *cpu_atom* ]]
}

# --- what makes no sense --------------------------------------------------------

@test "a command in place of a node: where it stands" {
	saved alderlake
	unset PERF_CPUID
	for word in ls /bin/ls; do
		try "$TDSTAT" locate $word
		[ "$status" -eq 64 ]
		assert_complains "tdstat: $word: this processor has no such node"
		[ "${stderr_lines[1]}" = "tdstat: a command stands behind --: tdstat locate -- $word" ]
	done
	try "$TDSTAT" locate nosuchcommand
	[ "$status" -eq 64 ]
	[[ $stderr != *"behind --"* ]]
}

@test "wrong usage: nothing is run" {
	saved alderlake
	for words in 'nonsense_node -- touch ran' '-F 0 -e cycles -- touch ran' '-F x -- touch ran' '--dry-run -- touch ran' \
		'--dry-run auto -- touch ran' '-e nonsense_event -- touch ran' '-I 1s -- touch ran' '-r 2 -- touch ran' \
		'-e cycles --timeout 1 -- touch ran' '-x; -j -e cycles -- touch ran'; do
		try "$TDSTAT" locate $words
		[ "$status" -eq 64 ] || fail "$words: $status"
		[[ $stderr == "tdstat: "* ]] || fail "$words"
		[ -z "$output" ]
		[ ! -e ran ]
	done
}

@test "a name that is close to a node's" {
	saved alderlake
	try "$TDSTAT" locate tma_dram_bond -- touch ran
	[ "$status" -eq 64 ]
	assert_why_and_remedy tma_dram_bond 'did you mean tma_dram_bound'
	# nodes in any case, as elsewhere
	try "$TDSTAT" locate TMA_DRAM_Bound --dry-run -- true
	[ "$status" -eq 0 ]
	# short, as the verdict and narrow tables have them
	for short in dram dram_bound; do
		try "$TDSTAT" locate $short --dry-run -- true
		[ "$status" -eq 0 ]
		assert_same "$output" "$("$TDSTAT" locate tma_dram_bound --dry-run -- true 2>&1)"
	done
	# without events there is nothing to sample
	saved skylakex
	try "$TDSTAT" locate --require tma_backend_bound -- touch ran
	[ "$status" -eq 125 ]
	assert_why_and_remedy tma_backend_bound .
	[ ! -e ran ]
	try "$TDSTAT" locate -x, tma_backend_bound -- sh -c 'exit 3'
	assert_runs_all_the_same tma_backend_bound . 3
}

@test "a node that another processor has: the command runs; one that none has is wrong usage" {
	saved skylakex
	for node in tma_allocation_restriction allocation_restriction; do
		try "$TDSTAT" locate -x, $node -- sh -c 'exit 3'
		assert_runs_all_the_same 'no such node' . 3
	done
	try "$TDSTAT" locate --dry-run tma_allocation_restriction -- touch ran
	[ "$status" -eq 64 ]
	try "$TDSTAT" locate tma_nonsense -- touch ran
	[ "$status" -eq 64 ]
	[ ! -e ran ]
}

@test "no PMU: the reason and a remedy, and the command runs" {
	real
	[ ! -e /sys/bus/event_source/devices/cpu ] || skip "there is one"
	for node in '' tma_dram_bound; do
		try "$TDSTAT" locate --require $node -- touch ran
		[ "$status" -eq 125 ]
		assert_why_and_remedy . .
		[ ! -e ran ]
		try "$TDSTAT" locate $node -- sh -c 'echo said; exit 3'
		assert_output said
		assert_runs_all_the_same . . 3
	[[ $stderr != *"seconds time elapsed"* ]]
	done
}

# --- what the kernel refuses ----------------------------------------------------

# inject CALL:ERRNO COMMAND...
inject() {
	needs_strace
	try timeout 60 strace -f -o log -e trace="${1%%:*}" -e inject="${1%%:*}":error="${1#*:}" "${@:2}"
}

@test "EACCES: who may, and what tells the command" {
	real
	inject perf_event_open:EACCES "$TDSTAT" locate -e cpu-clock --require -- touch ran
	[ "$status" -eq 125 ]
	assert_complains 'Permission denied'
	assert_complains 'tdstat doctor'
	[ ! -e ran ]
}

@test "each errno of perf_event_open: an error of two lines, and the command runs once" {
	real
	for errno in EMFILE ENFILE ENOMEM ENOSPC EINVAL ENODEV EOPNOTSUPP EBUSY ENOSYS EPERM; do
		for when in 1+ 2+; do
			inject perf_event_open:$errno:when=$when "$TDSTAT" locate -x, -e cpu-clock -- sh -c 'echo ran >>ran; exit 3'
			[ "$status" -eq 3 ] || fail "$errno:$when: $status"
			[[ ${stderr_lines[0]} == "tdstat: "* ]]
			grep -q '^tdstat: nothing of this is counted: sh runs anyway$' <<<"$stderr" || fail "$errno:$when: $stderr"
			[ "$(<ran)" = ran ] || fail "$errno:$when: not once"
			rm ran
		done
	done
}

@test "a rate that the kernel does not allow: less, and it says so" {
	real
	mkdir proc
	for name in /proc/*; do ln -s "$name" proc; done
	rm proc/sys
	mkdir -p proc/sys/kernel
	for name in /proc/sys/kernel/*; do ln -s "$name" proc/sys/kernel; done
	rm proc/sys/kernel/perf_event_max_sample_rate
	echo 300 >proc/sys/kernel/perf_event_max_sample_rate
	build_share
	PROCFS_PATH=$PWD/proc try "$TDSTAT" locate -e cpu-clock -F 1000 -j -o out -- ./share
	[ "$status" -eq 7 ]
	assert_complains '300 samples a second, not 1000.*perf_event_max_sample_rate'
	jq -es '(map(.samples) | add) < 200' out
}

# A ring that stays full to the end has no record of it: the command stops tdstat, which
# goes on when the command has ended.
@test "records that were lost at the end are said, though no record says so" {
	needs_software_events
	[ "$(printf '6.0\n%s\n' "$(uname -r)" | sort -V | head -n 1)" = 6.0 ] || skip "Linux counts them from 6.0 on"
	local pid
	taskset -c 0 true || skip "no CPU 0 here"
	# shellcheck disable=SC2016 # the other shell's
	taskset -c 0 "$TDSTAT" locate -e cpu-clock -F 10 -- \
		sh -c 'echo $$ >child; kill -STOP $PPID; i=0; while [ $i -lt 12000 ]; do (:); i=$((i + 1)); done' >out 2>err 3>&- &
	pid=$!
	for _ in {1..600}; do
		[[ $(cat "/proc/$(cat child)/stat" 2>/dev/null) != *') Z '* ]] || break
		sleep 0.1
	done
	kill -CONT "$pid"
	wait "$pid"
	grep -qE '^tdstat: [1-9][0-9]* records were lost, as the rings were full: ' err
}

@test "too little memory for the rings: perf_event_mlock_kb is named" {
	not_under_sanitizers "whose own memory cannot be had either"
	real
	# the first maps of descriptors are the program's libraries
	needs_strace
	strace -o well -e trace=mmap "$TDSTAT" locate -e cpu-clock -o out -- true || true
	first=$(grep -n 'MAP_SHARED, [0-9]' well | head -n 1 | cut -d: -f1)
	[ -n "$first" ] || skip "no rings to be seen"
	try timeout 60 strace -o log -e trace=mmap -e inject=mmap:error=EPERM:when="$first+" "$TDSTAT" locate -e cpu-clock --require -- touch ran
	[ "$status" -eq 125 ]
	assert_complains perf_event_mlock_kb
	[ ! -e ran ]
	# only the large ones, and of these the last: smaller rings will do, and that is said
	nr=$(grep -c 'MAP_SHARED, [0-9]' well)
	last=$((first + nr - 1))
	try timeout 60 strace -o log -e trace=mmap -e inject=mmap:error=EPERM:when="$last..$((last + 3 * nr))+$nr" \
		"$TDSTAT" locate -e cpu-clock -- touch ran
	[ "$status" -eq 0 ]
	assert_complains 'rings of 8 pages a CPU.*perf_event_mlock_kb'
	[ -e ran ]
}
