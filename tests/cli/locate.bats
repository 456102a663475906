#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat locate, of programs whose functions take known shares of the CPU time, by
# the kernel's own clocks.  Events of processors are in tests/machine/locate.bats.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2094,SC2153,SC2154 # sh -c; lists of options; helper.bash
load helper
load sampling

HEADER=pmu,event,node,of,share,error,samples,function,object,address,file,line,caller,in,slower,sampled

# locate OPTION...: by cpu-clock
locate() {
	try "$TDSTAT" locate -e cpu-clock "$@"
}

# assert_rows FILE FILTER: all rows, as an array, fit it
assert_rows() {
	jq -es --arg path "$PWD" "$2" "$1" >/dev/null || {
		functions "$1"
		fail "not so: $2"
	}
}

# --- shares ---------------------------------------------------------------------

@test "the shares of two functions, within the error that is stated" {
	real
	build_share
	locate -j -o out -- ./share 1000
	[ "$status" -eq 7 ]
	assert_only_notes
	# the largest is first, and together they are all
	assert_share -a '.[0].function == "large" and
		(map(.share) | add | . > 99.9 and . < 100.1) and
		all(.pmu == "software" and .event == "cpu-clock" and .node == null) and
		.[0].object == $path + "/share" and (.[0].address | test("^0x[0-9a-f]+$"))' out large 75 small 25
	in_schema out
}

# The error of a share of n samples is sqrt(p (1 - p) / n), where p is not certain; of 100
# samples, 97 are in large in one case of 10^9.
@test "a higher rate: more samples, and a smaller error" {
	real
	build_share
	locate -F 100 -j -o few -- ./share 1000
	locate -F 4000 -j -o many -- ./share 1000
	command jq -ne --slurpfile few few --slurpfile many many '
		def rows: map(select(has("samples")));
		def samples: rows | map(.samples) | add;
		def error: rows | map(select(.function == "large"))[0].error;
		($many | samples) / ($few | samples) | . > 2 and ($few | error) / ($many | error) > 0.4 * sqrt' || {
		functions few
		functions many
		false
	}
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
	[[ $stderr == *$'\n %: of the event; ±: the error (95 %)'* ]]
	[[ $stderr != *share.c:* && $stderr != *"called from"* ]]
	locate -v --callers -- ./share
	[[ $stderr =~ share\.c:[0-9]+ ]]
	[[ $stderr =~ called\ from\ caller ]]
}

@test "of several events, the one whose samples represent the most comes first" {
	needs_wing pictures
	real
	build_share
	try "$TDSTAT" locate -e page-faults,cpu-clock --samples samples -- ./share 300
	[ "$status" -eq 7 ]
	[[ $stderr == *cpu-clock,*page-faults* && $stderr != *page-faults*cpu-clock,* ]]
	"$TDSTAT" report --locate --html page.html samples
	python3 - <<-'PYTHON'
		import re
		page = open("page.html").read()
		about = [int(nr.replace(",", "")) for nr in re.findall(r"samples? of about ([0-9,]+) events", page)]
		# more nanoseconds were counted than pages
		assert about == sorted(about, reverse=True), about
		assert re.findall("<h2>([a-z-]+)", page)[0] == "cpu-clock", page
	PYTHON
}

@test "JSON: source lines and callers" {
	real
	build_share
	locate -v --callers -j -o out -- ./share
	line_of share 'WORK(large)'
	assert_rows out '.[0] |
		(.lines[0] | (.file | endswith("/share.c")) and .line == '"$nr"') and
		(.callers[0] | .function == "caller" and .share > 50) and
		(.lines | map(.samples) | add) == .samples and (.callers | map(.samples) | add) == .samples'
}

@test "CSV: the header, and as many fields in each line" {
	real
	build_share
	locate -x, -o out -- ./share
	locate -v --callers -x, -o both -- ./share
	locate -x '\t' -o tabs -- ./share 50
	python3 - "$HEADER" <<-'PYTHON'
		import csv, sys
		def rows(name, **how):
		    with open(name, newline="") as file:
		        rows = list(csv.reader(file, strict=True, **how))
		    assert ",".join(rows[0]) == sys.argv[1], rows[0]
		    assert len(rows) > 1 and all(len(row) == 16 for row in rows), rows
		    return [dict(zip(rows[0], row)) for row in rows[1:]]
		first = rows("out")[0]
		assert [first[key] for key in ("pmu", "event", "node", "of", "function")] == \
		    ["software", "cpu-clock", "", "function", "large"], first
		both = rows("both")
		assert any(row["file"].endswith("/share.c") and row["line"].isdigit() and not row["caller"] for row in both), both
		assert any(row["caller"] == "caller" and not row["file"] + row["line"] for row in both), both
		# lines and callers add up to their functions
		of = {kind: sum(int(row["samples"]) for row in both if row["of"] == kind) for kind in ("function", "line", "caller")}
		assert of["line"] == of["function"] == of["caller"], of
		rows("tabs", delimiter="\t")
	PYTHON
}

@test "two events are shown apart" {
	real
	build_share
	locate -e task-clock -j -o out -- ./share
	[ "$status" -eq 7 ]
	assert_share -e cpu-clock out large 75
	assert_share -e task-clock out large 75
}

@test "a node: its event is sampled, and named" {
	clock_machine
	build_share
	try "$TDSTAT" locate tma_dram_bound "${files[@]}" -j -o out -- ./share
	[ "$status" -eq 7 ]
	assert_share -a '.[0] | .node == "tma_dram_bound" and .pmu == "cpu" and (.event | test("MEM_LOAD_RETIRED.L3_MISS"))' out large 75
	try "$TDSTAT" locate tma_dram_bound "${files[@]}" -- ./share 50
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
	: >cannot-run
	locate -- ./cannot-run
	[ "$status" -eq 126 ]
	assert_complains cannot-run
}

# An event that never happens has no samples, however slow the machine is.
@test "a program without a sample: no number is made up" {
	real
	for how in '' -j '-x,'; do
		try "$TDSTAT" locate -e emulation-faults $how -- true
		[ "$status" -eq 0 ]
		[[ $stderr == *'tdstat: no sample was taken: '* ]]
		[[ ! $output$stderr =~ 100\.0|[0-9]\ %|nan|NaN|inf ]] || fail "$how: $output"
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
				before(about(40000));
			execl("./share", "share", "300", NULL);
			return 1;
		}
	C
	locate -j -o out -- ./before
	[ "$status" -eq 7 ]
	# as much in each
	assert_share -a 'all(.[]; select(.function == "before") | .object == $path + "/before") and
		all(.[]; select(.function == "large") | .object == $path + "/share")' out before 50 large 37.5
	locate -j -o out -- sh -c './share 200; ./share 200; true'
	[ "$status" -eq 0 ]
	assert_share out large 75
}

@test "a hundred short programs" {
	real
	build_share
	locate -F 4000 -j -o out -- sh -c 'i=0; while [ $i -lt 100 ]; do i=$((i + 1)); ./share 5; done; exit 5'
	[ "$status" -eq 5 ]
	assert_share out large 75
}

# Every thread ends before the first sample of its own, and together they have 87 % of
# the CPU time; main has the rest, in one piece, for 15 samples.  It would take a machine
# that loses half of its time, in pieces of more than 6 ms, to have as many of threads.
@test "threads that end before their first sample: a note gives the share that samples cover" {
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
		static void *run(void *nothing) { work_us(4000); return nothing; }
		int main(void)
		{
			pthread_t thread;
			for (int i = 0; i < 250; i++)
				if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
					return 1;
			work_us(150000);
			return 0;
		}
	C
	locate -F 100 -o out -- ./short
	assert_equal "$status" 0
	[[ $stderr =~ 'tdstat: samples represent '([0-9]+)' % of the counted events: interrupts came late, or threads or periods were short' ]] ||
		fail "$stderr"
	[ "${BASH_REMATCH[1]}" -lt 50 ]
	# nearly all samples of a program that continues, if there are enough
	build_share
	locate --samples samples -o out -- ./share
	[[ $stderr != *'samples represent'* ]] ||
		jq -ens '[inputs[]] | (map(select(.s)) | length) * 0.001 < 0.6 * (.[-1].end | .user + .sys)' samples
}

# Threads of different lengths, because a clock that starts with them would sample one
# location.  They are at most a few periods long, and may end within the last one: large has
# 69 to 75 %, with more than 1000 samples and a standard deviation of 1.5.
@test "a thousand threads" {
	real
	build threads -pthread <<-'C'
		#include <pthread.h>
		WORK(large)
		WORK(small)
		static void *run(void *n) { large(3 * (long)n); small((long)n); return NULL; }
		int main(void)
		{
			pthread_t threads[20];
			for (long i = 0; i < 50; i++) {
				for (int j = 0; j < 20; j++)
					if (pthread_create(&threads[j], NULL, run, (void *)(40000 + (20 * i + j) * 7919 % 60000)))
						return 1;
				for (int j = 0; j < 20; j++)
					pthread_join(threads[j], NULL);
			}
			return 0;
		}
	C
	locate -F 10000 -j -o out -- ./threads
	[ "$status" -eq 0 ]
	assert_rows out 'map(select(.function == "large" or .function == "small")) | (map(.samples) | add) > 200 and
		length == 2 and ((.[0].share / (.[0].share + .[1].share) - 0.75) | fabs) < 0.15'
}

@test "static, stripped, position-independent or not, and without a build id" {
	real
	build_share
	mv share kept
	for options in -static -static-pie -no-pie -Wl,--build-id=none '-Wl,-z,noseparate-code'; do
		gcc -O0 -g -fno-omit-frame-pointer $options -o share "$BATS_FILE_TMPDIR/share.c"
		locate -j -o out -- ./share
		[ "$status" -eq 7 ]
		assert_share out large 75 || fail "$options"
	done
	mv kept share
	strip share
	locate -j -o out -- ./share
	[ "$status" -eq 7 ]
	# an address of the program is not of another function
	assert_rows out '(.[0] | .object == $path + "/share" and .function == null and (.address | test("^0x"))) and
		all(.function != "large" and .function != "small")'
	locate -x, -o csv -- ./share 50
	assert_csv csv 16
}

@test "a separate debug file, by its link" {
	real
	build_share
	objcopy --only-keep-debug share share.debug
	strip share
	objcopy --add-gnu-debuglink=share.debug share
	locate -v -j -o out -- ./share
	assert_share -a '.[0].lines[0].file | endswith("/share.c")' out large 75
}

@test "a shared library" {
	real
	printf '%s\nWORK(large)\nWORK(small)\n' "$work" >lib.c
	gcc -O0 -g -shared -fPIC lib.c -o libwork.so
	build linked -L"$PWD" -Wl,--no-as-needed,-rpath,'$ORIGIN' -lwork <<-'C'
		void large(long), small(long);
		int main(void)
		{
			while (for_ms(400)) {
				long n = about(10000);
				large(3 * n);
				small(n);
			}
			return 7;
		}
	C
	locate -j -o out -- ./linked
	[ "$status" -eq 7 ]
	assert_share -a '.[0].object == $path + "/libwork.so"' out large 75
	# also without symbols that are not needed at run time
	strip libwork.so
	locate -j -o out -- ./linked
	assert_share out large 75
}

@test "C++ names are those of the source" {
	real
	command -v g++ >/dev/null || skip "no g++"
	printf '%s\nnamespace space { template <class T> struct S { WORK(member) }; }
		int main() { space::S<int> s; while (for_ms(300)) s.member(about(40000)); }\n' "$work" >cxx.cc
	g++ -O0 -g cxx.cc -o cxx
	locate -j -o out -- ./cxx
	[ "$status" -eq 0 ]
	assert_share out 'space::S<int>::member(long)' 100
}

# --- hostile files ------------------------------------------------------------------

@test "symbol names with control characters" {
	real
	build_share
	nasty=$'la,r"ge\x1b[31m\nline\ttwo\x7f'
	objcopy --redefine-sym "large=$nasty" share
	for how in '' -j '-x,'; do
		locate $how --callers -o out$how -- ./share 200
		[ "$status" -eq 7 ]
		assert_printable out$how
		has_text out$how 'ge[\]'
	done
	assert_csv out-x, 16
	jq -es --arg name "$nasty" '.[0].function == $name' out-j
}

@test "very long names, and very many symbols" {
	real
	build_share
	printf -v long '%0100000d' 0
	objcopy --redefine-sym "large=${long//0/x}" share
	locate -x, -o out -- ./share
	[ "$status" -eq 7 ]
	assert_csv out 16
	mapfile -t lines <out
	[[ ${lines[1]} == software,cpu-clock,,function,*,xxxxx* ]]
	# 100 MB of them
	python3 -c 'print(".text\n" + "".join("%s%d: nop\n" % (170 * "x", i) for i in range(500000)))' >many.s
	gcc -c many.s -o many.o
	rm many.s
	gcc -O0 -g "$BATS_FILE_TMPDIR/share.c" many.o -o share
	[ "$(stat -c %s share)" -gt 90000000 ]
	locate -j -o out -- ./share
	[ "$status" -eq 7 ]
	assert_share out large 75
}

# Build a program that maps two pages of a file, and runs the code in the second one.
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
				run(1000000);
			return 7;
		}
	C
}

# The code in the second page of those files: mov %rdi,%rcx; 1: dec %rcx; jnz 1b; ret
with_loop='
def with_loop(path, first):
    with open(path, "wb") as file:
        file.write(first.ljust(4096, b"\0")[:4096] +
                   b"\x48\x89\xf9\x48\xff\xc9\x75\xfb\xc3".ljust(4096, b"\0"))
'

# Most samples are there, if there is one: of 400 ms that are not lost, 200 or more.
@test "truncated and senseless libraries: an address with its object" {
	real
	[ "$(uname -m)" = x86_64 ] || skip "the code is x86-64's"
	build_share
	build_mapper
	python3 - <<-PYTHON
		$with_loop
		with open("share", "rb") as file:
		    share = file.read(4096)
		with_loop("cut.so", share)
		with_loop("senseless.so", share[:64] + 4032 * b"\xff")
		with_loop("none.so", b"")
	PYTHON
	for file in cut senseless none; do
		for how in -j '-x,' ''; do
			locate -v --callers $how -o "$file$how" -- ./mapper $file.so
			[ "$status" -eq 7 ] || fail "$file: $status"
		done
		assert_rows $file-j 'map(select(.object == $path + "/'$file'.so")) |
			(map(.share) | add) > 50 and all(.function == null)'
		assert_csv $file-x, 16
	done
}

@test "a library that was deleted, or replaced in the meantime" {
	real
	[ "$(uname -m)" = x86_64 ] || skip "the code is x86-64's"
	build_share
	build_mapper
	python3 -c "$with_loop"'with_loop("code.so", b"")'
	locate -j -o out -- sh -c './mapper code.so; rm code.so; exit 3'
	[ "$status" -eq 3 ]
	assert_rows out '.[0] | (.object | test("/code.so")) and .function == null'
	# the file is not the one that ran, so its symbols would be wrong
	cp share other
	locate -j -o out -- sh -c './other; rm other; cp mapper other'
	assert_rows out 'all(.function != "main" or (.object | endswith("/other") | not)) and
		(.[0] | (.object | test("/other")) and (.function == null or .function == "large"))'
}

@test "code of a JIT compiler: names from the compiler's map" {
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
				long n = about(100000);
				first(3 * n);
				second(n);
			}
			return 7;
		}
	C
	locate -j -o out -- ./jit
	IFS= read -rd '' map <map || true
	rm -f "$map"
	[ "$status" -eq 7 ]
	assert_share out 'LazyCompile:~first of/it' 75 second 25
}

# Build files that take a minute, or all memory, in any program that reads them without
# limits.
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
			while (for_ms(200))
				run(1000000);
			return 7;
		}
	C
}

@test "files that are expensive to read: partial names, with the reason" {
	not_under_valgrind "it has limits of its own"
	real
	build_hostile
	while read -r kind number named why; do
		# there, memory that is refused may be a crash
		[[ $kind != lines || $TDSTAT != */san/* ]] || continue
		python3 "$BATS_TEST_DIRNAME/hostile.py" "$kind" "$kind.so" "$number"
		locate -v -j -o out -- ./hostile "$kind.so"
		[ "$status" -eq 7 ] || fail "$kind: $status"
		assert_rows out 'map(select(.object == $path + "/'"$kind"'.so")) |
			length > 0 and all(.function // "none" | startswith("'"$named"'"))' || fail "$kind"
		found=
		for line in "${stderr_lines[@]}"; do
			[[ $line != "tdstat: $PWD/$kind.so: "* ]] || found+=${line#"tdstat: $PWD/$kind.so: "}
		done
		# it takes a while until all memory is had
		[ "$kind" != lines ] || found=${found/took too long to read/need too much memory}
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
	needs_wing pictures
	real
	build_hostile
	python3 "$BATS_TEST_DIRNAME/hostile.py" unpack large.so 300
	printf '\0%.0s' {1..100} >zeros
	objcopy --add-section .debug_frame=zeros large.so
	locate -F 200 --call-graph dwarf --folded stacks -o out -- ./hostile large.so
	assert_equal "$status" 7
	[[ $'\n'$stderr$'\n' == *$'\n'"tdstat: $PWD/large.so: its debugging information is too large to be read: the callers of its functions are unknown"$'\n'* ]]
	has_text stacks $'(^|\n)[^\n]unknown[^\n];loop [0-9]'
}

# assert_nameless OBJECT: most samples are in it, at addresses without a name
assert_nameless() {
	assert_rows out 'map(select(.object == $path + "/'"$1"'")) |
		(map(.share) | add) > 40 and all(.function == null)'
}

# with_search CALL:WHAT OPTION...: where the process that looks for symbols makes such
# a system call, strace does that to it; takes the place of its shell
with_search() {
	exec strace -f -qq -o log -e trace=fstatfs,close_range -e inject="$1" sh -c 'echo $$ >self; exec "$@"' - \
		"$TDSTAT" locate -e cpu-clock -j -o out "${@:2}"
}

@test "the reader of symbols crashes: everything else is shown, with a note" {
	needs_strace
	real
	build_share
	for where in fstatfs:1 close_range:1; do
		try with_search "${where%:*}:signal=SEGV:when=${where#*:}" -- ./share
		[ "$status" -eq 7 ]
		assert_nameless share || fail "$where"
		case $where in
		fstatfs*)
			[[ $stderr == *"tdstat: $PWD/share: its symbols crashed the process that reads them: addresses without names"* ]]
			# for the kernel no such file is opened
			assert_rows out 'all(.object != "[kernel]" or .function != null)' || [ "$(id -u)" != 0 ]
			;;
		*) [[ $stderr =~ 'tdstat: symbols of '[0-9]+' file'.*' were not looked for: '.*' has ended: addresses without names' ]] ;;
		esac || fail "$where: $stderr"
	done
}

@test "a signal ends the search for symbols, and the samples are shown" {
	needs_strace
	real
	build_share
	with_search fstatfs:delay_enter=600000000 -- ./share 2>err 3>&- &
	tracer=$!
	wait_for has_text log 'fstatfs\('
	IFS= read -r self <self
	kill -INT "$self"
	wait_for has_ended "$self"
	# strace itself would wait for the process that it delays
	kill -KILL "$tracer" 2>/dev/null || true
	wait "$tracer" || true
	assert_nameless share
	has_text err 'a signal ended the search: addresses without names'
}

# --- running processes --------------------------------------------------------------

# of_forever: "out" has its samples; enough_samples: most samples are of known functions
of_forever() {
	assert_rows out '.[0] | .function == "forever" and .object == $path + "/forever" and .share > 50'
}
enough_samples() {
	jq -es '(map(.samples) | add) >= 30' out >/dev/null
}

@test "a process that runs already, for a while" {
	real
	build_forever
	./forever 3>&- &
	wait_for_file running
	for_longer enough_samples locate -j -o out -p $!
	: >end
	[ "$status" -eq 0 ]
	of_forever
}

@test "SIGINT or the end of the process ends sampling, and the samples are shown" {
	not_under_valgrind "the events are opened late"
	real
	build_forever
	for how in INT end; do
		rm -f running end
		./forever 3>&- &
		pid=$!
		wait_for_file running
		env --default-signal=INT "$TDSTAT" locate -e cpu-clock -p $pid -j -o out 2>err 3>&- &
		tdstat=$!
		wait_for has_events $tdstat
		wait_for sleeps $tdstat
		works_on $pid 50
		[ $how = end ] || kill -INT $tdstat
		[ $how = INT ] || : >end
		status=0
		wait $tdstat || status=$?
		: >end
		# the samples are a result, as with tdstat -p
		[ "$status" -eq 0 ]
		mapfile -t stderr_lines <err
		assert_only_notes
		of_forever
	done
	wait $pid
	locate -p $pid --timeout 1s
	[ "$status" -eq 1 ]
	assert_complains "$pid"
}

@test "a time that is over ends the command" {
	real
	build_forever
	for_command() { locate -j -o out "${@:2}" -- "$1"; }
	for_longer enough_samples for_command ./forever
	[ "$status" -eq 143 ]
	of_forever
	# one that does not want to end
	for ms in 100 1000 10000 100000; do
		locate --timeout $ms -o out -- sh -c 'trap "" TERM; : >deaf; exec sleep 600'
		[ ! -e deaf ] || break
	done
	[ "$status" -eq 137 ]
}

# --- output ---------------------------------------------------------------------

@test "to a file, at its end, to a descriptor, and nowhere" {
	real
	build_share
	locate -x, -o out -- ./share 50
	[ -z "$output" ]
	mapfile once <out
	locate -x, -o out --append -- ./share 50
	mapfile twice <out
	[ ${#twice[@]} -gt ${#once[@]} ]
	locate -x, --log-fd 7 -- ./share 50 7>fd
	IFS= read -r line <fd
	[ "$line" = "$HEADER" ]
	locate --quiet -- ./share 50
	[ "$status" -eq 7 ]
	[ -z "$output" ]
	assert_no_stderr
}

@test "a result that cannot be written is an error, and the command runs to its end" {
	real
	for own in 0 5; do
		locate -o /dev/full -- sh -c ": >ran; exit $own"
		[ "$status" -eq $((own ? own : 1)) ]
		assert_complains 'No space left'
		[ -e ran ]
		rm ran
	done
	for option in -o --samples; do
		locate $option none/out -- sh -c ': >ran; exit 5'
		[ "$status" -eq 5 ] || fail "$option: $status"
		assert_complains "none/out: No such file"
		assert_complains 'running sh without counting'
		rm ran
		locate --require $option none/out -- touch ran
		[ "$status" -eq 125 ] || fail "$option: $status"
		[ ! -e ran ]
	done
}

@test "--dry-run: the events that would be opened; no command runs" {
	clock_machine
	try "$TDSTAT" locate tma_dram_bound "${files[@]}" --dry-run -- touch ran
	[ "$status" -eq 0 ]
	[[ $'\n'$output == *$'\n'group* && $'\n'$output != *$'\n'group*$'\n'group* ]]
	[[ $output == *MEM_LOAD_RETIRED.L3_MISS*"type 1  config 0x0"* ]]
	[ ! -e ran ]
	saved alderlake
	unset PERF_CPUID
	try "$TDSTAT" locate tma_dram_bound --dry-run -- true
	[ "$status" -eq 0 ]
	# on each core type, or with a note
	[[ $output == *cpu_core* && $output$stderr == *cpu_atom* ]]
}

# --- -c, period= ----------------------------------------------------------------

@test "-c default: the period that the files recommend for each event" {
	saved alderlake
	try "$TDSTAT" locate tma_dram_bound -c default --dry-run -- true
	assert_equal "$status" 0
	wanted=$(jq -r '.[] | select(.EventName == "MEM_LOAD_RETIRED.L3_MISS" and .Unit == "cpu_core").SampleAfterValue' \
		"$TD_PMU_EVENTS/alderlake/cache.json")
	[[ $stderr == *"cpu_core/MEM_LOAD_RETIRED.L3_MISS/P: a sample every $wanted events"* ]]
	# the installed files contain it as well
	whole=$stderr
	try "$TDSTAT" locate tma_dram_bound -c default --dry-run --metrics-dir "$TD_INSTALLED" -- true
	assert_equal "$stderr" "$whole"
	# terms do not change it, and period= takes precedence
	try "$TDSTAT" locate -e cpu_core/INST_RETIRED.ANY,cmask=1/,cpu_core/inst_retired.any,period=77/ -c default --dry-run -- true
	[[ $stderr == *"cmask=1/: a sample every 2000003 events"*"period=77/: a sample every 77 events" ]]
	# counts have none
	try "$TDSTAT" -e inst_retired.any/period=77/ --dry-run -- true
	assert_equal "$status:$stderr" "0:tdstat: inst_retired.any/period=77/: period= is for sampling: ignored"
}

@test "-c default: an event without a recommended period is named" {
	saved alderlake
	for event in cpu_core/cycles/ cpu_core/r1a/ cpu_core/slots/ cpu-clock; do
		for option in --dry-run -v; do
			try "$TDSTAT" locate -e "cpu_core/INST_RETIRED.ANY/,$event" -c default $option -- touch ran
			assert_equal "$status" 64
			assert_why_and_remedy "^tdstat: -c default: $event has no recommended period" "-c N"
			[ ! -e ran ]
		done
	done
}

@test "-c default: nodes of a processor without recommended periods: the command runs, without the first run" {
	saved skylakex
	export PERF_CPUID=AuthenticAMD-25-11-1
	for node in auto backend_bound_memory; do
		try "$TDSTAT" locate -x, -c default $node -- sh -c 'echo ran; exit 3'
		assert_runs_all_the_same "-c default: a node of AMD has no recommended period" "-c N" 3
		assert_equal "$output" ran
		try "$TDSTAT" locate -c default $node -a
		assert_equal "$status" 64
	done
}

@test "a clock has no period below 10 us: the kernel's is used, and the sums are right" {
	real
	build_share
	for words in "cpu-clock -c 10" task-clock/period=9999/; do
		rm -f samples
		try "$TDSTAT" locate -e $words --samples samples -o out -- ./share 50
		assert_equal "$status" 7
		[[ $stderr == "tdstat: ${words%% *}: a sample every 10000 ns, the shortest period of the kernel"* ]]
		jq -es 'map(select(.s).s[5]) | length > 0 and all(. == 10000)' samples || fail "$words"
	done
}

@test "-c N and period=: as many events are between two samples" {
	real
	build_share
	for words in "cpu-clock -c 500000" cpu-clock/period=500000/ "cpu-clock/period=500000/ -c 7000" "cpu-clock/period=500000/ -F 7"; do
		rm -f samples
		try "$TDSTAT" locate -e $words --samples samples -o out -- ./share 50
		assert_equal "$status" 7
		jq -es 'map(select(.s).s[5]) | length > 0 and all(. == 500000)' samples || fail "$words"
	done
}

# --- groups with :S -------------------------------------------------------------

@test "a group with :S: the first event is sampled, and the others have its samples" {
	real
	build_share
	try "$TDSTAT" locate -e '{cpu-clock,task-clock,page-faults}:S,context-switches' -j -o out -- ./share
	assert_equal "$status" 7
	assert_share -e cpu-clock out large 75
	assert_share -e task-clock out large 75
	# a page fault would be a sample of its own; before the first sample it is not known where
	assert_rows out 'map(select(.event != "context-switches")) | group_by(.event) |
		map({ (.[0].event): (map(.samples) | add) }) | add |
		(."cpu-clock" > ."task-clock") and (."cpu-clock" > ."page-faults")'
	# the event of the samples is named
	assert_rows out 'all(.[]; .sampled == if .event == "task-clock" or .event == "page-faults" then "cpu-clock" else null end)'
	in_schema out
	try "$TDSTAT" locate -e '{cpu-clock,task-clock}:S' -x, -o out -- ./share
	awk -F, '$2 == "cpu-clock" && $NF != "" || $2 == "task-clock" && $NF != "cpu-clock" { print; bad = 1 }
		{ seen[$2] } END { exit bad || !("task-clock" in seen) }' out
	try "$TDSTAT" locate -e '{cpu-clock,page-faults}:S' --overhead 5 -o out -- ./share 50
	assert_equal "$status" 7
}

@test "a group with :S: counts before the first sample are in no function, and headings name its event" {
	not_under_valgrind "the events are opened late"
	real
	build late <<-'C'
		WORK(early)
		WORK(work)
		static char memory[64 << 12];
		__attribute__((noinline)) void first(void) { memory[0] = 1; }
		__attribute__((noinline)) void then(int i) { work(100000); memory[i << 12] = 1; }
		int main(void)
		{
			memory[63 << 12] = 1;
			fclose(fopen("early", "w"));
			/* all that the loop needs is in memory before anything is counted */
			for (int i = 0; access("end", F_OK) && for_ms(600000); i++) {
				early(100000);
				if (i == 1)
					rename("early", "running");
			}
			first();
			for (int i = 1; i < 63; i++)
				then(i);
			return 7;
		}
	C
	./late 3>&- &
	program=$!
	wait_for_file running
	"$TDSTAT" locate -p "$program" -e '{page-faults,alignment-faults,task-clock}:S' -c 1 --no-big-num -o out 2>notes 3>&- &
	wait_for has_events $!
	wait_for sleeps $!
	works_on "$program" 50
	touch end
	wait
	grep -qx ' page-faults, [0-9]* samples of about [0-9]* events' out
	grep -qx ' task-clock, [0-9]* samples of page-faults, with about [0-9]* events' out
	grep -qx ' alignment-faults, no sample' out
	[[ $(<notes) =~ "tdstat: "[a-z-]+": "[0-9]+" % of the events precede the first sample of a thread; they are in no function" ]]
	# first() has the time of early() otherwise
	awk '/^ task-clock/ { here = 1 } / (early|first) / && here && $1 > 20 { print; bad = 1 } END { exit bad }' out
}

@test "a group with slots and fields: the first other event is sampled" {
	for words in "sapphirerapids " "alderlake --cputype core"; do
		saved "${words%% *}"
		for events in slots,INST_RETIRED.ANY,topdown-retiring,UOPS_RETIRED.SLOTS topdown-retiring,INST_RETIRED.ANY; do
			try "$TDSTAT" locate ${words#* } -e "{$events}:S" -c default --dry-run -- true
			assert_equal "$status" 0
			[ "${#stderr_lines[@]}" -eq 1 ]
			[[ $stderr == *INST_RETIRED.ANY*": a sample every 2000003 events" ]]
		done
		# the others are counted
		[[ $output == *slots*topdown-retiring*INST_RETIRED.ANY* ]]
	done
}

@test "fields of slots cannot be sampled" {
	saved sapphirerapids
	for events in topdown-retiring '{slots,cycles,topdown-retiring}' '{slots,topdown-retiring}:S'; do
		try "$TDSTAT" locate -e "$events" --dry-run -- touch ran
		assert_equal "$status" 1
		assert_why_and_remedy "topdown-retiring: a field of slots is counted, and cannot be sampled" "topdown-retiring}:S"
		[ ! -e ran ]
	done
	for option in "--samples samples" "--in main"; do
		try "$TDSTAT" locate -e '{slots,cycles,topdown-retiring}:S' $option -- touch ran
		assert_equal "$status" 64
		[[ $stderr == *"cannot show the counts of a group with :S"* ]] || fail "$option"
		[ ! -e ran ]
	done
}

# --- what makes no sense --------------------------------------------------------

@test "a command in place of a node is run" {
	saved alderlake
	unset PERF_CPUID
	mkdir bin
	printf '#!/bin/sh\necho "$0 $*" >ran\n' >bin/program
	chmod +x bin/program
	ln -s program bin/dram_bound
	PATH=$PWD/bin:$PATH
	for word in program bin/program; do
		try "$TDSTAT" locate $word -l ran
		has_text ran "program -l ran"
		rm ran
	done
	try "$TDSTAT" locate tma_dram_bound program -x
	has_text ran "program -x"
	rm ran
	# a node is one, whatever programs there are
	for words in 'nosuchcommand program' 'dram_bound --dry-run -- program' 'auto --dry-run -- program'; do
		try "$TDSTAT" locate $words
		[ ! -e ran ] || fail "$words"
	done
	try "$TDSTAT" locate nosuchcommand
	[ "$status" -eq 64 ]
	assert_complains "tdstat: nosuchcommand: this processor has no such node"
}

@test "wrong usage: no command runs" {
	saved alderlake
	for words in 'nonsense_node -- touch ran' '-F 0 -e cycles -- touch ran' '-F x -- touch ran' '--dry-run -- touch ran' \
		'--dry-run auto -- touch ran' '-e nonsense_event -- touch ran' '-I 1s -- touch ran' '-r 2 -- touch ran' \
		'-e cycles --timeout 1 -- touch ran' '-x; -j -e cycles -- touch ran' '-e cycles -c 0 -- touch ran' \
		'-e cycles -c x -- touch ran' '-e cycles -c 9 -F 9 -- touch ran' '-e cycles -c 9 --overhead 1 -- touch ran' \
		'-e cycles/period=9/ --overhead 1 --require -- touch ran'; do
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
	assert_why_and_remedy tma_dram_bond "did you mean 'tma_dram_bound'"
	# nodes in any case, as elsewhere
	try "$TDSTAT" locate TMA_DRAM_Bound --dry-run -- true
	[ "$status" -eq 0 ]
	# short, as the verdict and narrow tables have them
	try "$TDSTAT" locate tma_dram_bound --dry-run -- true
	wanted=$output
	[ -z "$stderr" ]
	for short in dram dram_bound; do
		try "$TDSTAT" locate $short --dry-run -- true
		[ "$status" -eq 0 ]
		assert_equal "$output" "$wanted"
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

@test "a node of another processor: the command runs; a node of no processor is wrong usage" {
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
	try within strace -f -o log -e trace="${1%%:*}" -e inject="${1%%:*}":error="${1#*:}" "${@:2}"
}

@test "EACCES: who may sample, and the remedy" {
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
			[[ $'\n'$stderr$'\n' == *$'\ntdstat: running sh without counting\n'* ]] || fail "$errno:$when: $stderr"
			mapfile -t ran <ran
			[ "${ran[*]}" = ran ] || fail "$errno:$when: not once"
			: >ran
		done
	done
}

@test "a rate above the kernel's limit is lowered, with a note" {
	real
	mkdir -p proc/sys/kernel
	ln -s -t proc /proc/[!s]* /proc/s[!y]*
	ln -s -t proc/sys/kernel /proc/sys/kernel/[!p]* /proc/sys/kernel/p[!e]*
	echo 300 >proc/sys/kernel/perf_event_max_sample_rate
	build_share
	PROCFS_PATH=$PWD/proc try "$TDSTAT" locate -e cpu-clock -F 20000 -j -o out -- ./share
	[ "$status" -eq 7 ]
	assert_complains '300 samples a second, not 20000.*perf_event_max_sample_rate'
	# not 8000: about 120, and more where the processor is taken away
	assert_rows out '(map(.samples) | add) < 1000'
}

# A ring that stays full until the end contains no record of its losses: the command stops
# tdstat, which continues after the command's end.  Each name of the command is a record.
@test "records that were lost at the end are noted, although no record reports them" {
	may_count_software
	[ "$(printf '6.0\n%s\n' "$(uname -r)" | sort -V | head -n 1)" = 6.0 ] || skip "Linux counts them from 6.0 on"
	local pid
	build names <<-'C'
		#include <signal.h>
		#include <sys/prctl.h>
		int main(void)
		{
			FILE *file = fopen("child", "w");
			fprintf(file, "%d\n", getpid());
			fclose(file);
			kill(getppid(), SIGSTOP);
			for (int i = 0; i < 100000; i++)
				prctl(PR_SET_NAME, i % 2 ? "one" : "other");
			return 0;
		}
	C
	# one ring, on the processor of the command
	"$TDSTAT" locate -e cpu-clock -F 10 -- ./names >out 2>err 3>&- &
	pid=$!
	wait_for has_lines child 1
	IFS= read -r child <child
	wait_for has_ended "$child"
	kill -CONT "$pid"
	wait "$pid"
	has_text err $'(^|\n)tdstat: [1-9][0-9]* records were lost, because the ring buffers were full: '
}

@test "too little memory for the rings: perf_event_mlock_kb is named" {
	not_under_sanitizers "whose own memory cannot be had either"
	real
	# the first maps of descriptors are the program's libraries
	needs_strace
	strace -o well -e trace=mmap "$TDSTAT" locate -e cpu-clock -o out -- true || true
	# which of them is the first, and how many there are
	first='' nr=0 number=0
	while read -r line; do
		number=$((number + 1))
		[[ $line == *'MAP_SHARED, '[0-9]* ]] || continue
		first=${first:-$number} nr=$((nr + 1))
	done <well
	[ -n "$first" ] || skip "no rings to be seen"
	try within strace -o log -e trace=mmap -e inject=mmap:error=EPERM:when="$first+" "$TDSTAT" locate -e cpu-clock --require -- touch ran
	[ "$status" -eq 125 ]
	assert_complains perf_event_mlock_kb
	[ ! -e ran ]
	# only the large ones, and of these the last: smaller rings will do, and that is said
	last=$((first + nr - 1))
	try within strace -o log -e trace=mmap -e inject=mmap:error=EPERM:when="$last..$((last + 3 * nr))+$nr" \
		"$TDSTAT" locate -e cpu-clock -- touch ran
	[ "$status" -eq 0 ]
	assert_complains 'rings of 8 pages a CPU.*perf_event_mlock_kb'
	[ -e ran ]
}
