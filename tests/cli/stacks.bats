#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: pictures
# Stacks of callers: the files of tdstat locate and report --locate for other tools, by
# the kernel's own clocks.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2094,SC2153,SC2154 # sh -c; lists of options; helper.bash
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
		/* something is left to do behind a call, or it is none */
		static volatile long done;
		__attribute__((noinline)) void often(long n) { leaf(3 * n); done++; }
		__attribute__((noinline)) void rarely(long n) { leaf(n); done++; }
		__attribute__((noinline)) void both(long n) { often(n); rarely(n); done++; }
		int main(void)
		{
			while (for_ms(500))
				both(about(10000));
			return 0;
		}
	C
}

# same FILE OTHER: of the same bytes
same() {
	cmp "$1" "$2" || diff "$1" "$2"
}

# rows FILE: a table without its heading, which has the time, into $rows
rows() {
	local line lines

	mapfile -t lines <"$1"
	rows=
	for line in "${lines[@]}"; do
		[[ $line == '#'* ]] || rows+=$line$'\n'
	done
}

# assert_sums FOLDED TABLE: the stacks of each function add up to its share
assert_sums() {
	python3 - "$@" <<-'PYTHON'
		import collections, json, sys
		sums, wanted = collections.Counter(), collections.Counter()
		with open(sys.argv[1]) as file:
		    for line in file:
		        stack, weight = line.rsplit(" ", 1)
		        sums[stack.rsplit(";", 1)[-1]] += int(weight)
		with open(sys.argv[2]) as file:
		    for row in map(json.loads, file):
		        if "share" in row:
		            wanted[row["function"]] += row["share"]
		# functions without a name are [of their object]; the last digit may be
		# rounded differently
		named = {name for name in sums if name[0] != "["}
		all = sum(sums.values())
		assert named and named == set(wanted) - {None}, (sums, wanted)
		for name in named:
		    assert abs(100 * sums[name] / all - wanted[name]) <= 0.11, (name, 100 * sums[name] / all, wanted)
	PYTHON
}

@test "--folded: the outermost function first, and the sums of the table" {
	real
	build_deep
	locate --folded stacks -j -o table -- ./deep
	assert_only_notes
	# a clock's events are ns; a quarter is 6 standard deviations off 40 %
	awk '!/^[^;]+(;[^;]+)* [1-9][0-9]*$/ || $0 < last { exit bad = 1 }
		{ last = $0 }
		/(^|;)main;both;often;leaf [0-9]+$/ { often += $NF }
		/(^|;)main;both;rarely;leaf [0-9]+$/ { rarely += $NF }
		END { exit bad || !(often > 1.5 * rarely && often < 6 * rarely && rarely > 0 && often + rarely > 1e8) }' stacks || {
		cat stacks
		false
	}
	LC_ALL=C sort -c stacks
	assert_sums stacks table
}

@test "--samples keeps the stacks: report --locate writes the same" {
	real
	build_deep
	locate --folded stacks --samples samples -o table -- ./deep
	try "$TDSTAT" report --locate --folded again -o again.table samples
	assert_success
	same stacks again
	rows table
	live=$rows
	rows again.table
	assert_equal "$rows" "$live"
	IFS= read -r line <samples
	jq -e '.start > 1e9' <<<"$line"
	# callers are in the file, too
	try "$TDSTAT" report --locate --callers samples
	assert_output --partial 'called from often'
	# alone on standard output
	"$TDSTAT" report --locate --folded - samples >output
	same stacks output
	# a recording is not written over
	try "$TDSTAT" report --locate --folded samples samples
	[ "$status" -eq 64 ]
	locate --folded samples -- ./deep
	assert_complains 'samples is a recording'
	try "$TDSTAT" report --locate --folded again samples
	same stacks again
}

# any_stack: there is one of main that works
any_stack() {
	[[ $output =~ (^|$'\n'|;)main\;forever\ [0-9]+ ]]
}

@test "--folded - of a process: only stacks on standard output" {
	real
	build_forever
	./forever 3>&- &
	wait_for_file running
	for_longer any_stack locate --folded - -p $!
	: >end
	any_stack
	[[ $output != *functions* && $output != *%* ]]
}

@test "--folded of two events: each has its own root" {
	real
	build_deep
	locate -e task-clock --folded stacks -o table -- ./deep
	awk '!/^(cpu|task)-clock;/ { exit bad = 1 }
		/^cpu-clock;.*;leaf [0-9]+$/ { cpu = 1 }
		/^task-clock;.*;leaf [0-9]+$/ { task = 1 }
		END { exit bad || !cpu || !task }' stacks
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
	has_text stacks $'(^|\n|;)main;a:b[\\]x1bc [0-9]+\n'
}

@test "--folded: a recursion that is deeper than chains are" {
	real
	build deeper -mno-omit-leaf-frame-pointer <<-'C'
		WORK(leaf)
		static volatile long done;
		__attribute__((noinline)) void down(int n)
		{
			if (n)
				down(n - 1);
			else
				leaf(100000);
			done++;
		}
		int main(void)
		{
			while (for_ms(300))
				down(300);
			return 0;
		}
	C
	locate --folded stacks -o table -- ./deeper
	# 127 frames, and the one that represents the missing ones
	awk -F ';' '/^\[unknown\];down.*;leaf [0-9]*$/ { n++; nr = NF } END { exit !(n == 1 && nr == 128) }' stacks
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
	id=$(readelf -n deep)
	[[ $id =~ 'Build ID: '([0-9a-f]+) ]]
	line_of deep 'WORK(leaf)'
	# the program comes first, wherever its first sample was
	jq -e --rawfile stacks stacks --argjson line "$nr" --arg path "$PWD/deep" --arg id "${BASH_REMATCH[1]}" '
		([.samples[] | {stack: .stack | join(";"), value: .values[0]}] |
			group_by(.stack) | map("\(.[0].stack) \(map(.value) | add)") | sort) == ($stacks | rtrimstr("\n") | split("\n") | sort) and
		.types == [["cpu-clock", "events"]] and .period == 1000000 and .comments[0] == "cpu-clock" and
		(.samples | any(.stack[-1] == "leaf" and .lines[-1] == $line)) and
		.mappings[0] == [$path, $id]' profile.json
	# from the recording, the same but for the time, which only that has
	try "$TDSTAT" report --locate --pprof again samples
	assert_success
	unpack again >again.json
	same profile.json again.json
}

@test "--pprof of two events: a value for each" {
	real
	build_deep
	locate -e task-clock --pprof profile -j -o table -- ./deep
	unpack profile >profile.json
	jq -e '.types == [["cpu-clock", "events"], ["task-clock", "events"]] and
		([.samples[].values[0]] | add > 1e8) and ([.samples[].values[1]] | add > 1e8) and
		(.samples | all(.values | length == 2 and (.[0] == 0 or .[1] == 0)))' profile.json
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
	python3 - <<-'PYTHON'
		import re
		def lines(name):
		    with open(name) as file:
		        return file.read().splitlines()
		stacks = [re.fullmatch(r"(.*) (\d+)", line).groups() for line in lines("stacks")]
		of_leaf = [int(ns) for stack, ns in stacks if "leaf" in stack.split(";")]
		depth = next(len(stack.split(";")) for stack, ns in stacks if stack.endswith(";often;leaf")) - 2
		want = "%.3f" % (sum(of_leaf) / sum(int(ns) for stack, ns in stacks))
		bars = lines("of_svg")
		assert [bar for bar in bars if bar.startswith(f"leaf {depth + 1} ")] == [f"leaf {depth + 1} {want}"], (bars, want)
		assert any(bar.startswith(f"often {depth} ") for bar in bars), bars
		assert any(re.search("<title>leaf: [0-9.]* %, [0-9,]* events; [0-9.]* % in itself</title>", line) for line in lines("flame.svg"))
	PYTHON
	# a page has the same bars, and so has --html
	try "$TDSTAT" report --locate --flame flame.html -o table samples
	page check flame.html
	bars flame.html >of_page
	same of_svg of_page
	try "$TDSTAT" report --locate --html page.html samples
	bars page.html >of_page
	same of_svg of_page
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
	has_text flame.svg 'events of tma_dram_bound, a part of tma_backend_bound</text>'
	has_text flame.svg 'fill="#e69f00"|fill="#e[a-f0-9]*af2b"'
	! has_text flame.svg 'fill="#cc79a7"' || fail "another colour"
}

@test "--call-graph: by branches, a PMU without them is named" {
	real
	build_deep
	locate --call-graph fp --folded stacks -o table -- ./deep
	assert_only_notes
	has_text stacks ';both;often;leaf '
	locate --call-graph lbr --folded stacks -- sh -c 'echo ran; exit 3'
	assert_runs_all_the_same 'cpu-clock: software does not record calls in last branch records' '--call-graph fp' 3
	assert_same ran "$output"
	for way in dwar dwarfs "dwarf," dwarf,7 dwarf,65529 dwarf,x dwarf,8192,1; do
		locate --call-graph $way -- sh -c 'echo ran'
		assert_equal "$status:$output" 64:
		assert_complains 'expected fp, lbr or dwarf|a number of bytes from 8 to 65528'
	done
}

# Without frame pointers.  Each function of the source still has work after its call, so
# that frames are as large as their arrays.
build_bare() {
	build "${1-bare}" -O2 -fomit-frame-pointer -fno-optimize-sibling-calls "${@:2}" <<-'C'
		WORK(leaf)
		static volatile long done;
		__attribute__((noinline)) void often(long n) { leaf(3 * n); done++; }
		__attribute__((noinline)) void rarely(long n) { leaf(n); done++; }
		__attribute__((noinline)) void deeper(int depth)
		{
			char bytes[512];
			bytes[0] = (char)depth;
			if (depth)
				deeper(depth - 1);
			else
				often(10000);
			__asm__ volatile("" : : "r"(bytes) : "memory");
		}
		int main(int argc, char **argv)
		{
			while (for_ms(400))
				if (argc > 1) {
					deeper(atoi(argv[1]));
				} else {
					long n = about(10000);
					often(n);
					rarely(n);
				}
			return 7;
		}
	C
}

# assert_parts FILE (PATTERN PERCENT)...: PERCENT of the stacks that end where the program
# works match, within 6.5 standard deviations of as many samples of a million ns each
assert_parts() {
	python3 - "$@" <<-'PYTHON'
		import math, re, sys
		with open(sys.argv[1]) as file:
		    stacks = [line.rsplit(" ", 1) for line in file]
		stacks = [(stack, int(ns)) for stack, ns in stacks if re.search(r"(^|;)(leaf|loaded|.late\.so.)$", stack)]
		all = sum(ns for stack, ns in stacks)
		assert all
		for pattern, want in zip(sys.argv[2::2], sys.argv[3::2]):
		    part = sum(ns for stack, ns in stacks if re.search(pattern, stack)) / all
		    want = int(want) / 100
		    error = 0.03 + 6.5 * math.sqrt(want * (1 - want) / (all / 1e6))
		    assert abs(part - want) <= error and (want or not part), (pattern, part, want, error, stacks)
	PYTHON
}

@test "--call-graph dwarf: code without frame pointers has its callers" {
	real
	build_bare
	locate --call-graph fp --folded by.frames -o table -- ./bare
	! has_text by.frames ';(often|rarely);leaf' || fail "callers by frame pointers"
	[[ $'\n'$stderr$'\n' =~ $'\ntdstat: '([0-9]+)' of '([0-9]+)' samples in user space have no known caller, for example in code without frame pointers: --call-graph dwarf finds callers there'$'\n' ]]
	[ $((BASH_REMATCH[1] * 10)) -ge $((BASH_REMATCH[2] * 8)) ]
	for way in dwarf dwarf,2048; do
		locate --call-graph $way --folded stacks --samples "$way" -j -o table -- ./bare
		[ "$status" -eq 7 ]
		assert_only_notes
		assert_parts stacks ';main;often;leaf$' 75 ';main;rarely;leaf$' 25
		assert_sums stacks table
	done
	# chains are kept, and nothing else of a stack
	try "$TDSTAT" report --locate --folded again -o table "$way"
	same stacks again
	jq -es 'all(.s == null or (.s | length) == 8)' "$way" >/dev/null
}

# As of Go: a file has them among its debugging information, which may be compressed.
@test "--call-graph dwarf: code with rules only in .debug_frame" {
	real
	for pack in none zlib; do
		build_bare $pack -fno-asynchronous-unwind-tables -fno-unwind-tables -gz=$pack
		try readelf -SW $pack
		[[ $output =~ \ \.debug_frame\ [^$'\n']*\ 0\ +C?\ +0\  ]]
		locate --call-graph dwarf --folded stacks -o table -- ./$pack
		[ "$status" -eq 7 ]
		assert_only_notes
		# that of what the C library brings is in .eh_frame
		assert_parts stacks ';main;often;leaf$' 75 ';main;rarely;leaf$' 25 '^_start;' 100
	done
	strip --strip-debug none
	locate --call-graph dwarf --folded stacks -o table -- ./none
	assert_parts stacks '^.unknown.;leaf$' 100
}

@test "--call-graph dwarf: a stack that is larger than its copy ends early, with a note" {
	real
	build_bare
	locate --call-graph dwarf --folded stacks -o table -- ./bare 40
	assert_equal "$status" 7
	[[ $'\n'$stderr$'\n' =~ $'\ntdstat: the callers of '[0-9]+' samples end with ?: their stacks are longer than the 8192 bytes that were copied: --call-graph dwarf,SIZE copies more'$'\n' ]]
	# a frame has 512 bytes of its own, and less than 64 more
	assert_parts stacks '^.unknown.(;deeper){14,16};often;leaf$' 100
	locate --call-graph dwarf,32768 --folded stacks -o table -- ./bare 40
	[ "$status" -eq 7 ]
	assert_only_notes
	assert_parts stacks ';main(;deeper){41};often;leaf$' 100
	# more is not possible
	locate --call-graph dwarf,65528 --folded stacks -o table -- ./bare 125
	[[ $stderr == *'than the 65528 bytes that were copied'* && $stderr != *'copies more'* ]]
}

@test "--call-graph dwarf: code of a JIT compiler, libraries that are loaded late or deleted" {
	real
	mkdir -p lib
	printf '%s\nWORK(loaded)\nstatic volatile long done; void outer(long n) { loaded(n); done++; }\n' "$work" >late.c
	gcc -O2 -fomit-frame-pointer -shared -fPIC -o lib/late.so late.c
	build late -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -ldl <<-'C'
		#include <dlfcn.h>
		#include <string.h>
		#include <sys/mman.h>
		WORK(leaf)
		static volatile long done;
		static void called(void) { leaf(about(20000)); done++; }
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
				outer(about(20000));
				((void (*)(void (*)(void)))made)(called);
			}
			return 0;
		}
	C
	locate --call-graph dwarf --folded stacks -o table -- ./late
	assert_parts stacks ';main;outer;loaded$' 50 '^.unknown.;[^;]*;called;leaf$' 50
	locate --call-graph dwarf --folded stacks -o table -- ./late gone
	assert_parts stacks ';main;outer;loaded$' 0 '^.unknown.;.late.so.$' 50
	[[ $stderr == *'/lib/late.so: No such file or directory: the callers of its functions are unknown'* ]]
}

@test "--call-graph dwarf: a process that already runs" {
	real
	build_forever
	./forever 3>&- &
	wait_for_file running
	for_longer any_stack locate --call-graph dwarf --folded - -p $!
	: >end
	[[ $output == *';main;forever '* ]]
}

@test "files of stacks: never from an earlier run, and never two options with one file" {
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

@test "files of stacks: invalid names" {
	real
	for name in x.png dir.svg/x.json flame.svgz; do
		locate --flame "$name" -- sh -c 'echo ran'
		assert_equal "$status:$output" 64:
		assert_complains "--flame $name: a flame graph is a page, .html, or a chart, .svg"
		[ ! -e "$name" ]
	done
	for option in --flame --folded --pprof --samples; do
		locate $option -- echo ran
		assert_equal "$status:$output" 64:
		assert_complains "$option: -- is not a name"
		[ ! -e -- ]
	done
	build_deep
	# a dot in a directory is not one in the name
	mkdir dir.d
	locate --flame dir.d/flame -o table -- ./deep
	has_text dir.d/flame '<h1>Where cpu-clock was sampled</h1>'
	locate -e task-clock --flame two.html -o table -- ./deep
	has_text two.html '<h1>Where the events were sampled</h1>'
}

@test "files of stacks: whole or not there" {
	real
	build_deep
	# the file cannot be opened, but the command runs
	for option in --folded --pprof --flame; do
		locate $option stacks --call-graph lbr -- sh -c 'exit 3'
		assert_equal "$status" 3
		[ ! -e stacks ]
		# a wrong word does not cost the old file
		echo old >stacks
		locate $option stacks --samples stacks -- true
		assert_equal "$status:$(<stacks)" 64:old
		rm stacks
		locate $option stacks --samples stacks -- true
		[ ! -e stacks ]
	done
	# no room for the whole file
	try bash -c 'ulimit -f 4; trap "" XFSZ; "$TDSTAT" locate -e cpu-clock --flame stacks -o /dev/null -- ./deep'
	[ "$status" -eq 1 ]
	[[ $stderr == *'cannot write stacks: File too large'* ]]
	[ ! -e stacks ]
}

@test "files of stacks: wrong usage, and files that cannot be written" {
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
