#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Stacks of callers: the files of tdstat locate and report --locate for other tools, by
# the kernel's own clocks.

# shellcheck disable=SC2016,SC2086,SC2153,SC2154 # sh -c; lists of options; helper.bash
load helper
load pages
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
	jq -e '.start > 1e9' <(head -n 1 samples)
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
	wait_for_file running
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

# unpack FILE: a profile of pprof, as its published profile.proto has it, as JSON: samples
# as names from the outermost on, lines, values; mappings; types
unpack() {
	python3 - "$1" <<-'PYTHON'
		import gzip, json, sys
		def varint(data, at):
		    number = shift = 0
		    while True:
		        number |= (data[at] & 127) << shift
		        at, shift = at + 1, shift + 7
		        if data[at - 1] < 128:
		            return number, at
		def fields(data):
		    at = 0
		    while at < len(data):
		        key, at = varint(data, at)
		        value, at = varint(data, at)
		        assert key & 7 in (0, 2), key
		        if key & 7 == 2:
		            value, at = data[at:at + value], at + value
		            assert at <= len(data)
		        yield key >> 3, value
		def numbers(data):
		    at = 0
		    while at < len(data):
		        number, at = varint(data, at)
		        yield number
		all = list(fields(gzip.decompress(open(sys.argv[1], "rb").read())))
		def every(field):
		    return [dict(fields(value)) for key, value in all if key == field]
		texts = [value.decode() for key, value in all if key == 6]
		assert texts[0] == ""
		functions = {f[1]: texts[f[2]] for f in every(5)}
		lines = {l[1]: dict(fields(l[4])) for l in every(4)}
		mappings = {m[1]: m for m in every(3)}
		assert all and {l.get(2, 0) for l in every(4)} <= {0, *mappings}
		print(json.dumps({
		    "samples": [{"stack": [functions[lines[l][1]] for l in numbers(s[1])][::-1],
		                 "lines": [lines[l].get(2) for l in numbers(s[1])][::-1],
		                 "values": list(numbers(s[2]))} for s in every(2)],
		    "types": [[texts[t[1]], texts[t[2]]] for t in every(1)],
		    "mappings": [[texts[m[5]], texts[m.get(6, 0)]] for m in mappings.values()],
		    "period": dict(all).get(12), "comments": [texts[v] for k, v in all if k == 13]}))
	PYTHON
}

@test "--pprof: the same stacks, with lines and build ids" {
	real
	build_deep
	locate --folded stacks --pprof profile --samples samples -o table -- ./deep
	unpack profile >profile.json
	assert_same "$(cat stacks)" "$(jq -r '[.samples[] | {stack: .stack | join(";"), value: .values[0]}] |
		group_by(.stack)[] | "\(.[0].stack) \(map(.value) | add)"' profile.json | LC_ALL=C sort)"
	jq -es '.[0] | .types == [["cpu-clock", "events"]] and .period == 1000000 and .comments[0] == "cpu-clock"' profile.json
	line=$(grep -n '^WORK(leaf)' deep.c "$BATS_FILE_TMPDIR/deep.c" 2>/dev/null | head -n 1 | cut -d: -f2)
	jq -es --argjson line "$line" '.[0].samples | any(.stack[-1] == "leaf" and .lines[-1] == $line)' profile.json
	id=$(readelf -n deep | sed -n 's/.*Build ID: //p')
	# the program comes first, wherever its first sample was
	jq -es --arg path "$PWD/deep" --arg id "$id" '.[0].mappings[0] == [$path, $id]' profile.json
	# from the recording, the same but for the time, which only that has
	try "$TDSTAT" report --locate --pprof again samples
	assert_success
	assert_same "$(cat profile.json)" "$(unpack again)"
}

@test "--pprof of two events: a value for each" {
	real
	build_deep
	locate -e task-clock --pprof profile -j -o table -- ./deep
	unpack profile >profile.json
	jq -es '.[0] | .types == [["cpu-clock", "events"], ["task-clock", "events"]]' profile.json
	for i in 0 1; do
		[ "$(jq "[.samples[].values[$i]] | add" profile.json)" -gt 300000000 ]
	done
	jq -es '.[0].samples | all(.values | length == 2 and (.[0] == 0 or .[1] == 0))' profile.json
}

@test "--pprof: go tool pprof reads it" {
	go tool pprof -h 2>&1 | grep -q -e -top || skip "no go tool pprof"
	real
	build_deep
	locate --pprof profile --folded stacks -o table -- ./deep
	go tool pprof -top profile >top
	grep -q '^Type: cpu-clock$' top
	sum=$(awk '{ sum += $NF } END { printf "%.0f\n", sum }' stacks)
	grep -q " of ${sum}events total" top
	leaf=$(awk '/;leaf [0-9]*$/ { sum += $NF } END { printf "%.0f\n", sum }' stacks)
	grep -qE "^ *${leaf}events .* leaf\$" top
	go tool pprof -traces profile | grep -A 3 ' leaf$' | grep -q often
	go tool pprof -list '^leaf$' profile | grep -qE "^ROUTINE =+ leaf in .*deep.c"
}

# bars FILE: of each function of a flame graph, the parts of all bars that it has
bars() {
	python3 - "$1" <<-'PYTHON'
		import collections, re, sys
		sums = collections.Counter()
		bars = re.findall(r'<svg class="bar" data-from="([0-9.]+)" data-part="([0-9.]+)" data-depth="(\d+)".*?<title>(.*?): .*?</title>.*?</svg>', open(sys.argv[1]).read(), re.S)
		ends = {}
		for start, part, depth, name in bars:
		    sums[name, int(depth)] += float(part)
		    ends.setdefault(int(depth), []).append((float(start), float(part)))
		# bars of a row do not overlap
		for row in ends.values():
		    row.sort()
		    assert all(a + p <= b + 2e-6 for (a, p), (b, _) in zip(row, row[1:])), row
		for (name, depth), part in sorted(sums.items()):
		    print(name, depth, f"{part:.3f}")
	PYTHON
}

@test "--flame FILE.svg: bars as wide as the stacks, each above its caller" {
	real
	build_deep
	locate --flame flame.svg --folded stacks --samples samples -o table -- ./deep
	python3 -c "import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])" flame.svg
	bars flame.svg >of_svg
	depth=$(sed -n 's/;often;leaf [0-9]*$//p' stacks | head -n 1 | tr ';' '\n' | wc -l)
	want=$(awk '/;leaf [0-9]*$/ { leaf += $NF } /;leaf[; ]/ { all += $NF } { sum += $NF } END { printf "%.3f", all / sum }' stacks)
	assert_same "leaf $((depth + 1)) $want" "$(grep "^leaf $((depth + 1)) " of_svg)"
	grep -q "^often $depth " of_svg
	grep -q '<title>leaf: [0-9.]* %, [0-9,]* events; [0-9.]* % in itself</title>' flame.svg
	# a page has the same bars, and so has --html
	try "$TDSTAT" report --locate --flame flame.html -o table samples
	page check flame.html
	assert_same "$(cat of_svg)" "$(bars flame.html)"
	try "$TDSTAT" report --locate --html page.html samples
	assert_same "$(cat of_svg)" "$(bars page.html)"
}

@test "--flame FILE.html in a browser: a function is found by its name, a click zooms" {
	needs_browser
	real
	build_deep
	locate --flame flame.html --folded stacks -o table -- ./deep
	part=$(awk '/;often[; ]/ { part += $NF } { sum += $NF } END { printf "%.1f", 100 * part / sum }' stacks)
	bar='[...document.querySelectorAll("svg.bar")].find(bar => bar.querySelector("text").textContent === "often")'
	run -0 browser flame.html \
		'const input = document.querySelector("figure.flame input"); input.value = "ofte"; input.oninput(); document.querySelector("figure.flame .says").textContent' \
		"$bar.classList.contains('found')" 'document.querySelectorAll("svg.found").length < document.querySelectorAll("svg.bar").length' \
		"$bar.dispatchEvent(new MouseEvent('click')); $bar.getAttribute('width')" \
		'[...document.querySelectorAll("svg.bar")].find(bar => bar.querySelector("text").textContent === "rarely").style.display' \
		'document.querySelector("figure.flame button").click()' "$bar.getAttribute('width') !== '100%'" 'scrollX'
	assert_line --index 0 "\"1 function, $part % of the events\""
	assert_line --index 1 true
	assert_line --index 2 true
	assert_line --index 3 '"100%"'
	assert_line --index 4 '"none"'
	assert_line --index 6 true
}

@test "--flame: the colour is that of the node's part of level 1" {
	clock_machine
	build_deep
	try "$TDSTAT" locate tma_dram_bound "${files[@]}" --flame flame.svg -- ./deep
	grep -q 'events of tma_dram_bound, a part of tma_backend_bound</text>' flame.svg
	grep -q 'fill="#e69f00"\|fill="#e[a-f0-9]*af2b"' flame.svg
	run ! grep -q 'fill="#cc79a7"' flame.svg
}

@test "--call-graph: by branches, a PMU without them is named" {
	real
	build_deep
	locate --call-graph fp --folded stacks -o table -- ./deep
	assert_no_stderr
	grep -q ';both;often;leaf ' stacks
	locate --call-graph lbr --folded stacks -- sh -c 'echo ran; exit 3'
	assert_runs_all_the_same 'cpu-clock: software does not note calls in last branch records' '--call-graph fp' 3
	assert_same ran "$output"
	for way in dwar dwarfs "dwarf," dwarf,7 dwarf,65529 dwarf,x dwarf,8192,1; do
		locate --call-graph $way -- sh -c 'echo ran'
		assert_equal "$status:$output" 64:
		assert_complains 'not one of fp, lbr, dwarf|a number of bytes from 8 to 65528'
	done
}

# Without frame pointers.  Nothing behind a call is left to do in a function of
# the source, so that frames are as large as their arrays.
build_bare() {
	build "${1-bare}" -O2 -fomit-frame-pointer -fno-optimize-sibling-calls "${@:2}" <<-'C'
		WORK(leaf)
		__attribute__((noinline)) void often(void) { leaf(30000); for_ms(0); }
		__attribute__((noinline)) void rarely(void) { leaf(10000); for_ms(0); }
		__attribute__((noinline)) void deeper(int depth)
		{
			char bytes[512];
			bytes[0] = (char)depth;
			if (depth)
				deeper(depth - 1);
			else
				often();
			__asm__ volatile("" : : "r"(bytes) : "memory");
		}
		int main(int argc, char **argv)
		{
			while (for_ms(400))
				if (argc > 1) {
					deeper(atoi(argv[1]));
				} else {
					often();
					rarely();
				}
			return 7;
		}
	C
}

# part FILE PATTERN: the share of the stacks that fit, in per cent
part() {
	# mawk has no intervals
	{ grep -E "$2" "$1" || :; echo all; cat "$1"; } |
		awk '$1 == "all" { part = sum; sum = 0; next } { sum += $NF } END { printf "%d\n", 100 * part / sum }'
}

@test "--call-graph dwarf: code without frame pointers has its callers" {
	real
	build_bare
	locate --call-graph fp --folded by.frames -o table -- ./bare
	run ! grep -qE ';(often|rarely);leaf' by.frames
	[[ $stderr =~ ^'tdstat: '([0-9]+)' of '([0-9]+)' samples of programs have no caller that is known, as of code without frame pointers: --call-graph dwarf finds callers there'$ ]]
	[ $((BASH_REMATCH[1] * 10)) -ge $((BASH_REMATCH[2] * 8)) ]
	for way in dwarf dwarf,2048; do
		locate --call-graph $way --folded stacks --samples "$way" -j -o table -- ./bare
		assert_equal "$status:$stderr" 7:
		[ "$(part stacks ';main;often;leaf[; ]')" -ge 60 ]
		[ "$(part stacks ';main;rarely;leaf[; ]')" -ge 15 ]
		[ "$(part stacks ';main;')" -ge 95 ]
		assert_sums stacks table
	done
	# chains are kept, and nothing else of a stack
	try "$TDSTAT" report --locate --folded again -o table "$way"
	assert_same "$(cat stacks)" "$(cat again)"
	assert_same '' "$(jq -c 'select(.s != null and (.s | length) != 8)' "$way")"
}

# As of Go: a file has them among its debugging information, which may be compressed.
@test "--call-graph dwarf: code whose rules are in .debug_frame alone" {
	real
	for pack in none zlib; do
		build_bare $pack -fno-asynchronous-unwind-tables -fno-unwind-tables -gz=$pack
		readelf -SW $pack | grep -qE ' [.]debug_frame .* 0 +C? +0 '
		locate --call-graph dwarf --folded stacks -o table -- ./$pack
		assert_equal "$status:$stderr" 7:
		[ "$(part stacks ';main;often;leaf[; ]')" -ge 60 ]
		[ "$(part stacks ';main;rarely;leaf[; ]')" -ge 15 ]
		# that of what the C library brings is in .eh_frame
		[ "$(part stacks '^_start;')" -ge 90 ]
	done
	strip --strip-debug none
	locate --call-graph dwarf --folded stacks -o table -- ./none
	[ "$(part stacks '^.unknown.;leaf[; ]')" -ge 60 ]
}

@test "--call-graph dwarf: a stack that is larger than its copy ends, and it is said" {
	real
	build_bare
	locate --call-graph dwarf --folded stacks -o table -- ./bare 40
	assert_equal "$status" 7
	[[ $stderr =~ ^'tdstat: the callers of '[0-9]+' samples end with ?: their stacks are longer than the 8192 bytes that were copied: --call-graph dwarf,SIZE copies more'$ ]]
	# a frame has 512 bytes of its own, and less than 64 more
	[ "$(part stacks '^.unknown.(;deeper){14,16};often;leaf[; ]')" -ge 70 ]
	locate --call-graph dwarf,32768 --folded stacks -o table -- ./bare 40
	assert_equal "$status:$stderr" 7:
	[ "$(part stacks ';main(;deeper){41};often;leaf[; ]')" -ge 70 ]
	# more is not possible
	locate --call-graph dwarf,65528 --folded stacks -o table -- ./bare 125
	[[ $stderr == *'than the 65528 bytes that were copied' ]]
}

@test "--call-graph dwarf: code of a JIT compiler, libraries that are loaded late or gone" {
	real
	mkdir -p lib
	printf '%s\nWORK(loaded)\nvoid outer(long n) { loaded(n); for_ms(0); }\n' "$work" >late.c
	gcc -O2 -fomit-frame-pointer -shared -fPIC -o lib/late.so late.c
	build late -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -ldl <<-'C'
		#include <dlfcn.h>
		#include <string.h>
		#include <sys/mman.h>
		WORK(leaf)
		static void called(void) { leaf(20000); for_ms(0); }
		/* sub $8,%rsp; call *%rdi; add $8,%rsp; ret */
		static const unsigned char code[] = { 0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3 };
		int main(int argc, char **argv)
		{
			void *lib = dlopen("./lib/late.so", RTLD_NOW);
			void (*outer)(long) = (void (*)(long))dlsym(lib, "outer");
			void *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			memcpy(made, code, sizeof(code));
			mprotect(made, 4096, PROT_READ | PROT_EXEC);
			if (argc > 1)
				unlink("lib/late.so");
			while (for_ms(400)) {
				outer(20000);
				((void (*)(void (*)(void)))made)(called);
			}
			return 0;
		}
	C
	locate --call-graph dwarf --folded stacks -o table -- ./late
	[ "$(part stacks ';main;outer;loaded[; ]')" -ge 20 ]
	[ "$(part stacks '^.unknown.;[^;]*;called;leaf[; ]')" -ge 20 ]
	locate --call-graph dwarf --folded stacks -o table -- ./late gone
	[ "$(part stacks ';main;outer;loaded[; ]')" -eq 0 ]
	[ "$(part stacks '^.unknown.;.late.so.[; ]')" -ge 20 ]
	[[ $stderr == *'/lib/late.so: No such file or directory: no callers behind it'* ]]
}

@test "--call-graph dwarf: of a process that runs" {
	real
	build_forever
	./forever &
	wait_for_file running
	locate --call-graph dwarf --folded - -p $! --timeout 500ms
	touch end
	grep -qE ';main;forever [0-9]+$' <<<"$output"
}

@test "files of stacks: none is that of an earlier run, and no two are one" {
	no_pmu=$PWD/empty
	mkdir empty
	for option in --folded --pprof --flame; do
		echo old >stacks
		SYSFS_PATH=$no_pmu try "$TDSTAT" locate $option stacks -- sh -c 'exit 3'
		assert_equal "$status" 3
		[ ! -e stacks ]
		# one that was not there, and one that a link leads to, which is not ours
		SYSFS_PATH=$no_pmu try "$TDSTAT" locate $option stacks -- true
		[ ! -e stacks ]
		echo old >elsewhere
		ln -sf elsewhere link
		SYSFS_PATH=$no_pmu try "$TDSTAT" locate $option link -- true
		[ -L link ] && [ ! -s link ]
	done
	try "$TDSTAT" locate -e cpu-clock --folded one --samples one -- true
	assert_equal "$status" 64
	[[ $stderr == *'--folded and --samples name one file, one'* ]]
	try "$TDSTAT" locate -e cpu-clock --folded one --flame one -- true
	assert_equal "$status" 64
}

@test "files of stacks: names that are none" {
	real
	for name in x.png dir.svg/x.json flame.svgz; do
		locate --flame "$name" -- sh -c 'echo ran'
		assert_equal "$status:$output" 64:
		assert_complains "--flame $name: a flame graph is a page, .html, or a picture, .svg"
		[ ! -e "$name" ]
	done
	for option in --flame --folded --pprof --samples; do
		locate $option -- echo ran
		assert_equal "$status:$output" 64:
		assert_complains "$option: -- is no name"
		[ ! -e -- ]
	done
	build_deep
	# a dot of a folder is none of the name
	mkdir dir.d
	locate --flame dir.d/flame -o table -- ./deep
	grep -q '<h1>Where cpu-clock was sampled</h1>' dir.d/flame
	locate -e task-clock --flame two.html -o table -- ./deep
	grep -q '<h1>Where the events were sampled</h1>' two.html
}

@test "files of stacks: whole or not there" {
	real
	build_deep
	# nothing can be opened for the command, which runs
	for option in --folded --pprof --flame; do
		locate $option stacks --call-graph lbr -- sh -c 'exit 3'
		assert_equal "$status" 3
		[ ! -e stacks ]
		# nothing is lost for a word that is wrong
		echo old >stacks
		locate $option stacks --samples stacks -- true
		assert_equal "$status:$(<stacks)" 64:old
		rm stacks
		locate $option stacks --samples stacks -- true
		[ ! -e stacks ]
	done
	# no room for all of it
	run -1 bash -c 'ulimit -f 4; trap "" XFSZ; "$TDSTAT" locate -e cpu-clock --flame stacks -o /dev/null -- ./deep 2>&1'
	assert_output --partial 'cannot write stacks: File too large'
	[ ! -e stacks ]
}

@test "files of stacks: wrong usage, and what cannot be written" {
	real
	build_deep
	locate --folded none/stacks -- ./deep
	assert_complains 'none/stacks'
	locate --folded - --pprof - -- ./deep
	[ "$status" -eq 64 ]
	for option in '--folded stacks' --callers '--profile --callers'; do
		try "$TDSTAT" report $option samples
		[ "$status" -eq 64 ]
		assert_complains --locate
	done
	locate --folded /dev/full -- ./deep
	[ "$status" -ne 0 ]
	[[ $stderr == *'tdstat: cannot write /dev/full: No space left on device'* ]]
	# longer than a buffer
	locate --flame /dev/full -- ./deep
	[[ $stderr == *'tdstat: cannot write /dev/full: No space left on device'* ]]
}
