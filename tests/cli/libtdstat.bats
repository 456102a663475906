#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# libtdstat as programs in several languages use it, with events that every machine has.

# shellcheck disable=SC2030,SC2031,SC2154 # helper.bash
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset LD_LIBRARY_PATH PYTHONPATH TDSTAT_REGIONS TDSTAT_EVERY
}

install_library() {
	local dest=$BATS_FILE_TMPDIR/dest

	not_under_sanitizers "a program without them cannot be linked with it"
	[ -d "$dest" ] ||
		make -C "$here/../.." --no-print-directory -o all install DESTDIR="$dest" prefix=/usr >installed 2>&1
	ln -s "$dest" dest
	export PKG_CONFIG_PATH=$PWD/dest/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD/dest
	export LD_LIBRARY_PATH=$PWD/dest/usr/lib
	examples=$PWD/dest/usr/share/doc/tdstat/regions
	# no directory has a blank in its name, except those that the flags lack: dest is a
	# link
	read -ra cflags < <(pkg-config --cflags tdstat)
	read -ra libs < <(pkg-config --libs tdstat)
}

# marks COMMAND...: of each region that it marks: threads, calls, regions directly within it
marks() {
	printf '%s\n' 'tdstat regions 1' 'group software 0-8191' 'event c 1 1 0 0 - task-clock' >spec
	rm -f spec.*
	TDSTAT_REGIONS=$PWD/spec "$@" >/dev/null
	python3 "$here/regions.py" spec.*
}

@test "installed, it is linked with pkg-config, and does not count unless it is on" {
	install_library
	cat >a.c <<-E
		#include <tdstat.h>
		int main(void) { td_begin("a"); td_end("a"); return td_thread_init() == -1 ? 0 : 1; }
	E
	cc -Wall -Wextra -Werror a.c "${cflags[@]}" "${libs[@]}" -o a
	./a
	cc -Wall -Wextra -Werror -DTDSTAT_OFF -Wno-implicit-function-declaration \
		-x c - -c -o off.o "${cflags[@]}" <<-E
		#include <tdstat.h>
		int main(void) { td_begin("a"); td_end("a"); td_flush(); return td_thread_init(); }
	E
	cc -Wall -Wextra -Werror -DTDSTAT_OFF -x c - -o off "${cflags[@]}" <<-E
		#include <tdstat.h>
		int main(void) { struct td_interval i = { 0 }; return td_read(&i) < 0 && i.slots != i.slots ? 0 : 1; }
	E
	./off
	[[ $(nm off.o) != *' U td_'* ]]
	# and it needs no other library than the C library's
	mapfile -t needed < <(readelf -d dest/usr/lib/libtdstat.so.0)
	for line in "${needed[@]}"; do
		[[ $line != *NEEDED* || $line == *libc.so* ]] || fail "$line"
	done
}

@test "it exports exactly the documented symbols of tdstat-regions(3), with the version TDSTAT_1" {
	install_library
	page=$here/../../man/tdstat-regions.3
	{
		sed -n '/^\.Sh NAME/,/^\.Nd/ s/^\.Nm \(td_[a-z_]*\).*/T \1@@TDSTAT_1/p' "$page"
		sed -n 's/^\.Va \(td_[a-z_]*\).*/B \1@@TDSTAT_1/p' "$page"
		echo 'A TDSTAT_1'
	} | LC_ALL=C sort -u >documented
	nm -D --defined-only --with-symbol-versions dest/usr/lib/libtdstat.so.0 | cut -d ' ' -f 2- | LC_ALL=C sort >exported
	diff documented exported
	[ "$(grep -c '^T' exported)" -ge 5 ]
	# each has a page
	while read -r page; do
		[ -e "dest/usr/share/man/man3/$page.3" ]
	done < <(sed -n 's/^T \(.*\)@@.*/\1/p' exported)
}

@test "the interface of compiled programs does not change" {
	install_library
	cat >abi.c <<-E
		#include <stddef.h>
		#include <tdstat.h>
		_Static_assert(sizeof(struct td_interval) == 12 * 8 + 48 * 8, "size");
		_Static_assert(offsetof(struct td_interval, time_ns) == 0, "time_ns");
		_Static_assert(offsetof(struct td_interval, slots) == 8, "slots");
		_Static_assert(offsetof(struct td_interval, backend_bound) == 40, "backend_bound");
		_Static_assert(offsetof(struct td_interval, rounding) == 48, "rounding");
		_Static_assert(offsetof(struct td_interval, cycles) == 56, "cycles");
		_Static_assert(offsetof(struct td_interval, instructions) == 64, "instructions");
		_Static_assert(offsetof(struct td_interval, slots_of) == 72, "slots_of");
		_Static_assert(TD_CORE == 0 && TD_CORE_ATOM == 1 && TD_CORE_LOWPOWER == 2, "types of cores");
		int main(void)
		{
			struct td_interval i = { 0 };
			void (*flush)(void) = td_flush;
			int (*init)(void) = td_thread_init, (*reads)(struct td_interval *) = td_read;
			td_begin("a");
			td_end("a");
			return !flush || !init || !reads || i.slots;
		}
	E
	cc -Wall -Wextra -Werror abi.c "${cflags[@]}" "${libs[@]}" -o new
	assert_same $'a 1 1 0\nunmatched 0' "$(marks ./new)"
	# 0.2's library had no symbol versions
	mkdir old
	sed 's/^.*$/int &;/' >old/functions.c <<-E
		td_regions_on
		td_begin(const char *n) { return !n; }
		td_end(const char *n) { return !n; }
		td_flush(void) { return 0; }
		td_thread_init(void) { return 0; }
		td_read(void *i) { return !i; }
	E
	cc -shared -fPIC -Wl,-soname,libtdstat.so.0 -o old/libtdstat.so old/functions.c
	cc abi.c "${cflags[@]}" -Lold -ltdstat -o old/program
	try marks ./old/program
	assert_same $'a 1 1 0\nunmatched 0' "$output"
	[ -z "$stderr" ]
}

@test "tdstat.pc: version, licence and URL" {
	install_library
	assert_equal "$(pkg-config --modversion tdstat)" "$(sed -n 's/^VERSION := //p' "$here/../../Makefile")"
	grep -qx 'License: MIT' dest/usr/lib/pkgconfig/tdstat.pc
	homepage=$(sed -n 's/^Homepage: //p' "$here/../../.ci/debian/control")
	grep -qx "URL: ${homepage:?}" dest/usr/lib/pkgconfig/tdstat.pc
	refute grep @ dest/usr/lib/pkgconfig/tdstat.pc
}

# With software events of these names: nanoseconds with a CPU, and page faults.
counting_faults() {
	printf '%s\n' 'tdstat regions 1' 'group software 0-8191' 'event c 1 1 0 0 - cpu-cycles' \
		'event c 1 2 0 0 - instructions' >spec
	TDSTAT_REGIONS=$PWD/spec "$@"
}

@test "td_read(): exactly the counts between two calls" {
	install_library
	# the kernel's accounting between two calls, and around them; its clocks may differ
	# by 1 %
	cat >a.c <<-E
		#define _GNU_SOURCE
		#include <errno.h>
		#include <pthread.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/mman.h>
		#include <sys/resource.h>
		#include <tdstat.h>
		#include <time.h>
		static struct td_interval i;
		static long faults(void) { struct rusage r; getrusage(RUSAGE_THREAD, &r); return r.ru_minflt + r.ru_majflt; }
		static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
		static void touch(int pages)
		{
			char *p = mmap(NULL, pages * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			madvise(p, pages * 4096L, MADV_NOHUGEPAGE);
			for (int n = 0; n < pages; n++) ((volatile char *)p)[n * 4096L] = 1;
		}
		static void count(int pages)
		{
			double began = now(), begins, ends, ended;
			long around = faults(), within;
			td_read(&i);
			begins = now();
			within = faults();
			touch(pages);
			within = faults() - within;
			ends = now();
			td_read(&i);
			around = faults() - around;
			ended = (now() - began) * 1.01;
			printf("%d %d %d %d %d\n", pages, within >= pages, within <= i.instructions && i.instructions <= around,
				i.cycles > 0 && i.cycles <= ended && i.time_ns >= (ends - begins) * 0.99 && i.time_ns <= ended,
				i.slots != i.slots);
			if (within > i.instructions || i.instructions > around)
				fprintf(stderr, "%ld <= %.0f <= %ld?\n", within, i.instructions, around);
		}
		static void *other(void *arg)
		{
			int rc = td_read(&i);
			(void)arg;
			printf("other %d %d\n", rc, i.instructions != i.instructions);
			return NULL;
		}
		int main(void)
		{
			pthread_t t;
			int rc;
			errno = 42;
			rc = td_read(&i);
			printf("begin %s %d %d\n", rc ? strerror(-rc) : "ok", errno, i.instructions != i.instructions && i.time_ns != i.time_ns);
			if (rc) return 0;
			count(300);
			count(0);
			pthread_create(&t, NULL, other, NULL);
			pthread_join(t, NULL);
			rc = td_read(&i);
			printf("back %d %d\n", rc, i.instructions != i.instructions);
			count(50);
		}
	E
	cc -Wall -Wextra -Werror a.c "${cflags[@]}" "${libs[@]}" -pthread -o a
	try counting_faults ./a
	[ "$status" -eq 0 ]
	assert_same 'begin ok 42 1
300 1 1 1 1
0 1 1 1 1
other 0 1
back 0 1
50 1 1 1 1' "$output"
	# without tdstat around it, where the kernel has no PMU
	ls -d /sys/bus/event_source/devices/cpu* >/dev/null 2>&1 || {
		try ./a
		[ "$output" = "begin No such device 42 1" ]
	}
}

@test "google-benchmark: counters are shown if there are any" {
	[ -e /usr/include/benchmark/benchmark.h ] || skip "no google-benchmark"
	install_library
	g++ -O1 -Wall -Wextra -Werror -I"$examples" -I"$here/../.." "$here/../machine/benchmark.cpp" \
		"${cflags[@]}" "${libs[@]}" -lbenchmark -pthread -o bench
	try counting_faults ./bench --benchmark_min_time=0.01
	[ "$status" -eq 0 ]
	[[ $output =~ run/dram\ .*IPC= ]]
	[[ $output != *retiring* ]]
	ls -d /sys/bus/event_source/devices/cpu* >/dev/null 2>&1 || {
		try ./bench --benchmark_min_time=0.01
		[ "$status" -eq 0 ]
		[[ $output == *$'\nrun/'*' ns '*' ns '*$'\nrun/'*' ns '*' ns '*$'\nrun/'*' ns '*' ns '* ]]
		[[ $output != *=* && $output != *nan* ]]
	}
}

@test "Catch2: a line is shown if there is something" {
	[ -e /usr/include/catch2/catch.hpp ] || skip "no Catch2"
	install_library
	g++ -Wall -Wextra -Werror -I"$examples" -I"$here/../.." "$here/../machine/catch.cpp" \
		"${cflags[@]}" "${libs[@]}" -pthread -o catch
	try counting_faults ./catch --benchmark-samples 3 --benchmark-no-analysis
	[ "$status" -eq 0 ]
	[ "${#stderr_lines[@]}" -eq 2 ]
	[[ ${stderr_lines[0]} =~ ^dram:\ +[0-9.]+\ IPC$ ]]
	[[ ${stderr_lines[1]} =~ ^icache:\ +[0-9.]+\ IPC$ ]]
	ls -d /sys/bus/event_source/devices/cpu* >/dev/null 2>&1 || {
		try ./catch --benchmark-samples 3 --benchmark-no-analysis
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
	}
}

@test "C++: nested regions, exceptions and threads" {
	install_library
	g++ -O1 -Wall -Wextra -Werror "$examples/example.cpp" "${cflags[@]}" "${libs[@]}" -o example
	assert_same $'divide 1 100 100\ntotal 1 100 0\nunmatched 0' "$(marks ./example)"
	cat >throws.cpp <<-E
		#include <tdstat.hpp>
		#include <thread>
		#include <type_traits>
		static_assert(!std::is_copy_constructible<td::region>::value, "a region ends once");
		static void inner(int depth)
		{
			td::region r("inner");
			if (!depth) throw 1;
			inner(depth - 1);
		}
		static void outer()
		{
			TD_REGION("outer");
			TD_REGION("second");
			for (int i = 0; i < 3; i++)
				try { inner(i); } catch (int) { TD_REGION("catcher"); }
		}
		int main()
		{
			std::thread other(outer);
			outer();
			other.join();
		}
	E
	g++ -std=c++11 -pedantic -Wall -Wextra -Werror throws.cpp "${cflags[@]}" "${libs[@]}" -pthread -o throws
	assert_same 'catcher 2 6 0
inner 2 12 6
outer 2 2 2
second 2 2 12
unmatched 0' "$(marks ./throws)"
	# a region that ends immediately is a mistake
	echo '#include <tdstat.hpp>
		void f() { td::region("a"); }' >mistake.cpp
	g++ -std=c++11 -Wall -Wextra -Werror -c mistake.cpp "${cflags[@]}"
	try g++ -std=c++17 -Wall -Wextra -Werror -c mistake.cpp "${cflags[@]}"
	[[ $status -ne 0 && $stderr == *nodiscard* ]]
}

@test "Fortran" {
	install_library
	cat >solve.f90 <<-E
		program solve
		  use tdstat
		  call td_begin("solve ")
		  call td_begin("inner")
		  call td_end("inner")
		  call td_end("solve")
		  call td_flush()
		end program
	E
	gfortran -Wall -Werror "$examples/tdstat.f90" solve.f90 "${libs[@]}" -o solve
	assert_same $'inner 1 1 0\nsolve 1 1 1\nunmatched 0' "$(marks ./solve)"
	./solve
}

@test "Python: nested regions, exceptions, decorators and threads" {
	install_library
	cat >program.py <<-E
		import threading
		import tdstat
		outer = tdstat.region("outer")
		@tdstat.region("solve")
		def solve(depth):
		    with tdstat.region("inner"):
		        return solve(depth - 1) if depth else 3
		def fail():
		    with outer, tdstat.region("failing"):
		        raise KeyError("passes")
		def main():
		    assert solve(2) == 3
		    try:
		        fail()
		    except KeyError as error:
		        assert error.args == ("passes",)
		    with outer:
		        with outer: # the same again
		            pass
		    with tdstat.region("\udcff\u00e9"):
		        pass
		thread = threading.Thread(target=main)
		thread.start()
		main()
		thread.join()
		print("ran")
	E
	export PYTHONPATH=$examples PYTHONDONTWRITEBYTECODE=1 PYTHONIOENCODING=utf-8
	assert_same '\udcffé 2 2 0
failing 2 2 0
inner 2 6 4
outer 2 6 4
solve 2 6 6
unmatched 0' "$(marks python3 program.py)"
	# off, and where the library is not installed
	assert_equal "$(python3 -W error program.py)" ran
	LD_LIBRARY_PATH='' assert_equal "$(python3 -W error program.py)" ran
	LD_LIBRARY_PATH='' TDSTAT_REGIONS=$PWD/spec try python3 program.py
	assert_equal "$status:$output" 0:ran
	[[ ${stderr_lines[0]} == *"program.py:2: RuntimeWarning: tdstat: regions are not counted: libtdstat.so.0: "* ]]
}

@test "Rust: nested regions, panics and threads" {
	command -v rustc >/dev/null || skip "no rustc"
	IFS='. ' read -r _ major minor _ < <(rustc --version)
	[ $((major * 1000 + minor)) -ge 1077 ] || skip "needs Rust 1.77"
	install_library
	cat >program.rs <<-'E'
		mod tdstat;
		use std::panic;

		fn inner(depth: u32) {
		    let _region = tdstat::Region::new(c"inner");
		    if depth == 0 { panic!("ends the regions"); }
		    inner(depth - 1)
		}
		fn outer() {
		    let region = tdstat::Region::new(c"outer");
		    for depth in 0..3 { assert!(panic::catch_unwind(|| inner(depth)).is_err()); }
		    drop(region);
		    let _after = tdstat::Region::new(c"after");
		    tdstat::flush();
		}
		fn main() {
		    panic::set_hook(Box::new(|_| {}));
		    let other = std::thread::spawn(|| { tdstat::thread_init(); outer() });
		    outer();
		    other.join().unwrap();
		}
	E
	cp "$examples/tdstat.rs" .
	rustc -O -D warnings --edition 2021 -L dest/usr/lib -o program program.rs
	./program
	assert_same 'after 2 2 0
inner 2 12 6
outer 2 2 6
unmatched 0' "$(marks ./program)"
	# a region stays in its thread, and one that ends immediately is a mistake
	sed 's/^ *let other = .*/let r = tdstat::Region::new(c"a"); let other = std::thread::spawn(move || drop(r));/' program.rs >moved.rs
	try rustc --edition 2021 -L dest/usr/lib -o moved moved.rs
	[[ $stderr == *'cannot be sent between threads safely'* ]]
	sed 's/let _after = //' program.rs >dropped.rs
	try rustc -D warnings --edition 2021 -L dest/usr/lib -o dropped dropped.rs
	[[ $stderr == *'a region that is not kept in a variable ends immediately'* ]]
}
