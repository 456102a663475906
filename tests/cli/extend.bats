#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# An aggregation or a writer takes one new file and at most two lines in others, a
# column of rows a line for all formats: made-up ones are added to a copy of the
# source, which is built and run.

# shellcheck disable=SC2154 # helper.bash
load helper

# Objects come along, as new as their sources: only what the patches change is
# compiled.  The build of sanitizers stays one, as MAKEFLAGS says SAN=1 here too.
setup_file() {
	local root build patch header

	[ -z "${TD_VALGRIND-}" ] || skip "what is built here would run without valgrind"
	root=$(realpath "$BATS_TEST_DIRNAME/../..")
	build=$(realpath -s --relative-to="$root" "${TDSTAT%/*}")
	cd "$BATS_FILE_TMPDIR" || return
	mkdir -p source/build "source/$build/obj"
	cp -pR "$root"/{Makefile,cmd,lib,metrics} source
	ln -s "$root"/build/{linux,libperf,metrics,.gitignore} source/build
	[ "$build" = build ] || ln -s "$root"/build/pmu-events source/build
	ln -s "$root/$build/pmu-events" "source/$build"
	cp -pR "$root"/build/uapi source/build
	cp -pR "$root/$build"/obj/{cmd,lib,metrics} "source/$build/obj"
	cd source || return
	for patch in "$BATS_TEST_DIRNAME"/../data/extend/*.patch; do
		patch -s -p1 <"$patch"
		# objects that do not use what it declares are still up to date
		for header in $(declared_in "$patch"); do
			touch -r "$root/$header" "$header"
		done
	done
	make -s "B=$build" "$build/tdstat" >make.log 2>&1 || {
		cat make.log
		return 1
	}
	echo "$PWD/$build/tdstat" >../program
	write_recording >../recording
}

# declared_in PATCH: headers in which it changes nothing but adds declarations
declared_in() {
	local file='' line only=()

	while IFS= read -r line; do
		case $line in
		'+++ b/'*.h)
			file=${line#+++ b/}
			only+=("$file")
			;;
		'+++ '* | '--- '*) file='' ;;
		'+extern '*) ;;
		[+-]*) [ -z "$file" ] || only=("${only[@]:0:${#only[@]}-1}") file='' ;;
		esac
	done <"$1"
	[ ${#only[@]} = 0 ] || printf '%s\n' "${only[@]}"
}

# Five CPUs; the count of CPU n is 10^n, so a sum shows which CPUs it contains.
write_recording() {
	local topology=() counts=() cpu cores

	for cpu in 0 1 2 3 5; do
		topology+=("{\"cpu\":$cpu,\"core\":$cpu,\"cluster\":0,\"die\":0,\"socket\":0,\"node\":0}")
		counts+=("[0,$cpu,-1,$((10 ** cpu)),5,5]")
	done
	cores=$(IFS=,; echo "${topology[*]}")
	cat <<-END
		{"tdstat":1,"cpuid":"GenuineIntel-6-8F-8","smt":false,"interval_ms":0,"target":"system wide",$1"pmus":[{"name":"software","type":1,"cpus":"0-3,5","core":false}],"topology":[$cores],"table":"events","events":[{"name":"page-faults","pmu":"software","group":-1,"type":1,"config":2,"spec":0}]}
		{"time":1.0,"counts":[$(IFS=,; echo "${counts[*]}")]}
		{"end":{"elapsed":1.0}}
	END
}

made() {
	try "$(<"$BATS_FILE_TMPDIR/program")" "$@"
}

# costs PATCH: how many files it adds, and how many lines of others it changes
costs() {
	local line new='' added=0 taken=0

	files=0
	while IFS= read -r line; do
		case $line in
		'--- /dev/null'*) new=yes files=$((files + 1)) ;;
		'--- '*) new='' ;;
		'+++ '*) ;;
		'+'*) [ -n "$new" ] || added=$((added + 1)) ;;
		'-'*) [ -n "$new" ] || taken=$((taken + 1)) ;;
		esac
	done <"$1"
	changed=$((added > taken ? added : taken))
}

@test "an aggregation or a writer: one new file, two changed lines" {
	for patch in "$data"/extend/{aggregation,writer}.patch; do
		costs "$patch"
		assert_equal "$files" 1
		((changed <= 2)) || fail "$patch changes $changed lines"
	done
}

@test "a column before the metrics: one line" {
	costs "$data/extend/column.patch"
	assert_equal "$files" 0
	assert_equal "$changed" 1
}

# A core's slots are the sum of what its CPUs counted in the whole interval.
@test "a made-up column: in CSV, JSON, the table and the page" {
	needs_wing pictures
	local recording=$data/alderlake.jsonl time slots

	read -r time slots < <(jq -nr 'first(inputs | select(.counts)) |
		[.time, ([.counts[] | select(.[0] == 0) | .[2 + 1]] | add)] | @tsv' "$recording")
	((slots > 1000000)) || fail "no slots in $recording"
	made report -x, "$recording"
	assert_regex "${lines[0]}" '^time,id,pmu,busy,share,running,ipc,issued,tma_'
	assert_regex "${lines[1]}" "^$time,all,cpu_core,[0-9.]*,[0-9.]*,[0-9.]*,[0-9.]*,$slots,"
	made report -j "$recording"
	[[ ${lines[1]} =~ \"issued\":\ ?"$slots"[,\}] ]] || fail "not $slots slots: ${lines[1]}"
	made report "$recording"
	assert_regex "${lines[0]}" ' pmu +issued +% '
	assert_regex "${lines[1]}" " cpu_core +$slots +[0-9.]+"
	made report --html - "$recording"
	# a blank that no line breaks at: two bytes
	assert_regex "$output" '[0-9.]+[^0-9<]{1,2}slots'
}

@test "a made-up aggregation: its option, ids, header and numbers of counters" {
	made report --per-pair "$BATS_FILE_TMPDIR/recording"
	assert_equal "$status" 0
	rows=()
	for line in "${lines[@]}"; do
		read -r -a words <<<"$line"
		[[ $line != *page-faults* ]] || rows+=("${words[*]:0:3}")
	done
	assert_equal "${rows[*]}" 'P0 2 11 P1 2 1,100 P2 1 100,000'
	made report --per-pair -x, "$BATS_FILE_TMPDIR/recording"
	assert_equal "${lines[2]}" P2,1,100000,,page-faults,5,100.00,,
	made report --per-pair -j "$BATS_FILE_TMPDIR/recording"
	assert_equal "$(jq -c '[.pair, ."aggregate-number"]' <<<"${lines[1]}")" '["P1",2]'
}

@test "a made-up aggregation: in --help, excluded options, and recordings" {
	made --help=all
	assert_regex "$output" '--per-pair +a row for each pair of CPUs'
	made --per-pair -- true
	assert_equal "$status" 64
	assert_regex "$stderr" '^tdstat: --per-pair counts whole CPUs'
	write_recording '"aggregation":"pair",' >by-pair
	made report -x, by-pair
	assert_equal "${lines[1]}" P1,2,1100,,page-faults,10,100.00,,
}

@test "a made-up writer: its option, its rows and the options that it excludes" {
	made --help=all
	assert_regex "$output" '--tabs +a value a line, with tabs in between'
	made report --tabs --per-pair "$BATS_FILE_TMPDIR/recording"
	assert_equal "$output" $'P0\tpage-faults\t11\nP1\tpage-faults\t1100\nP2\tpage-faults\t100000'
	made report --tabs -i "$data/zen4.jsonl"
	assert_equal "$status" 0
	assert_regex "${lines[0]}" $'^all\t[a-z_]+\t[a-z_]+\t[0-9.]+$'
	made -j --tabs -- true
	assert_equal "$status" 64
	assert_regex "$stderr" '^tdstat: -j and --tabs exclude each other'
}
