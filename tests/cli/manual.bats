#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The pages of the manual.  Each example is run in a shell, as it may be pasted;
# "tdstat" in it is the script below, which shows recordings of the same command,
# counts what this machine can count, and plans the rest.  tests/machine counts
# all of them.

# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # scripts; helper.bash and examples.bash
load helper
load examples

# --- the examples ---------------------------------------------------------------

# Make the files that the examples name, and a machine to plan them for.
prepare_examples() {
	saved alderlake
	mkdir -p bin proc/self proc/4711/task/4711 cgroup/system.slice/ssh.service linux/tools/perf/pmu-events/arch
	cp -R "$PROCFS_PATH/." proc
	echo "none $PWD/cgroup cgroup2 rw 0 0" >proc/self/mounts
	ln -s "${SYSFS_PATH%/sys}" adl
	ln -s "$TD_PMU_EVENTS" linux/tools/perf/pmu-events/arch/x86
	export PROCFS_PATH=$PWD/proc FOLDER=$PWD DATA=$data PATH=$PWD/bin:$PATH
	counted=$BATS_RUN_TMPDIR/counts
	[ -e "$counted" ] || (needs_software_events >/dev/null && touch "$counted") || true
	if [ -e "$counted" ]; then export COUNTS=yes; else export COUNTS=; fi
	a_tdstat >bin/tdstat
	a_perf >bin/perf
	chmod +x bin/*
}

# A replacement of tdstat for examples.  list, report and diff are the real ones.  Examples
# with a recording (tests/data/README) show it with the options of report, and "record"
# copies it.  Examples with only software events are counted.  All others are planned for
# the saved machine.  Each call leaves a line: status and words.
a_tdstat() {
	cat <<-'SCRIPT'
		#!/usr/bin/env bash
		done_with() {
			echo "$1 tdstat ${*:2}" >>"$FOLDER/calls"
			exit "$1"
		}
		# runs tdstat, and keeps a copy of its messages; it ends when all are written
		keep_said() {
			{
				"$TDSTAT" "$@" 2>&1 >&3 3>&- | tee -a "$FOLDER/said" >&2
				return "${PIPESTATUS[0]}"
			} 3>&1
		}
		# the purpose of the words after the options and before the command
		recording_of() {
			case " $* " in
			*' -e cycles,instructions,L1-'*' -- xz '*) echo manual/xz-events.jsonl ;;
			*' --per-thread '*' -- sh '*) echo manual/threads.jsonl ;;
			*' -l 2 '*'-- xz -T3 '* | *' -p '*' -l 2 '*) echo manual/xz-2.jsonl ;;
			*' -l 3 '*'-- xz '* | *' -M tma_memory'*'-- xz '* | *' -l 6 '*) echo manual/xz-3.jsonl ;;
			*' -C 0,4 -l 3 '*) echo manual/cpus-3.jsonl ;;
			*' -C 0,4 '*) echo manual/cpus.jsonl ;;
			*' -a -l 2 '*) echo alderlake-2.jsonl ;;
			*' -a -I 1s --interval-count 5 '* | *' -a --hybrid-merge -I '*) echo alderlake.jsonl ;;
			esac
		}
		what= output=tdstat.jsonl options=() shown_by=() rest=("$@")
		while [ ${#rest[@]} -gt 0 ]; do
			case ${rest[0]} in
			report | diff | list | explain) what=read; break ;;
			record) what=record ;;
			-o) output=${rest[1]}; rest=("${rest[@]:1}") ;;
			--rotate) output=${output%%.*}.1.${output#*.}; rest=("${rest[@]:2}"); continue ;;
			--) options+=("${rest[@]}"); break ;;
			*) options+=("${rest[0]}") ;;
			esac
			case ${rest[0]} in
			-A | -j | -x* | --hybrid-merge) shown_by+=("${rest[0]}") ;;
			esac
			rest=("${rest[@]:1}")
		done
		if [ "$what" = read ]; then
			keep_said "$@"
			done_with $? "$@"
		fi
		plan=$(keep_said --dry-run "${options[@]}") || done_with $? "$@"
		recording=$(recording_of "$@")
		if [ "$what" = record ] && [ -n "$recording" ]; then
			cp "$DATA/$recording" "$output"
			done_with $? "$@"
		elif [ -n "$recording" ]; then
			"$TDSTAT" report "$DATA/$recording" "${shown_by[@]}" 2>>"$FOLDER/said"
			done_with $? "$@"
		elif grep -q '^  [^ ]* *type \([^1]\|1[0-9]\)' <<<"$plan" || [ -z "$COUNTS" ]; then
			done_with 0 "$@"
		fi
		unset SYSFS_PATH PROCFS_PATH
		"$TDSTAT" "$@" 2>>"$FOLDER/said"
		done_with $? "$@"
	SCRIPT
}

# In place of perf, which need not be there: -o FILE becomes what it wrote.
a_perf() {
	cat <<-'SCRIPT'
		#!/bin/sh
		while [ "$1" != -o ]; do shift; done
		cp "$DATA/perf-6.12-core.csv" "$2"
	SCRIPT
}

# Is what came of it right?  A call was made, and each went well; an example that
# shows an error is refused.
went_well() {
	local command=$1 shown=$2 status=$3

	if [[ $shown == 'tdstat: '* ]]; then
		[ "$status" -eq 64 ] || return
	else
		[ "$status" -eq 0 ] && [[ ! $(<calls) =~ (^|$'\n')[^0] ]] || return
	fi
	[[ $command != *tdstat\ * ]] || [ -s calls ] || return
	[ -z "$shown" ] || same_output "$shown" out
}

try_example() {
	local status=0

	: >calls
	: >said
	within bash -o pipefail -c "$1" </dev/null >out 2>&1 || status=$?
	went_well "$1" "$2" "$status" || {
		echo "$1: status $status: $(cat calls said out)"
		return 1
	}
}

# page PAGE NR: all its examples, at least NR, so that a page without any fails
page() {
	local command shown nr=0

	prepare_examples
	while IFS= read -rd '' command && IFS= read -rd '' shown; do
		try_example "$command" "$shown"
		nr=$((nr + 1))
	done < <(examples "$1")
	[ "$nr" -ge "$2" ] || fail "only $nr examples"
}

@test "tdstat(1): its examples work, and print the output of the page" { page tdstat.1 8; }
@test "tdstat-record(1): its examples work" { page tdstat-record.1 7; }
@test "tdstat-report(1): its examples work" { page tdstat-report.1 5; }
@test "tdstat-diff(1): its examples work" { page tdstat-diff.1 7; }
@test "tdstat-list(1): its examples work" { page tdstat-list.1 6; }
@test "tdstat-explain(1): its examples work" { page tdstat-explain.1 3; }
@test "tdstat-output(5): its examples work" { page tdstat-output.5 18; }
@test "tdstat-recording(5): its examples work" { page tdstat-recording.5 3; }
@test "tdstat-events(7): its examples work" { page tdstat-events.7 7; }
@test "tdstat-metrics(7): its examples work" { page tdstat-metrics.7 6; }

@test "no page has an example that is not tried here" {
	tried=$(<"$BATS_TEST_FILENAME")
	for page in $(cd "$man" && grep -l '^\$ ' -- *.[1357]); do
		# tutorial.bats
		[ "$page" = tdstat-tutorial.7 ] || [[ $tried =~ "{ page $page "[0-9]+"; }" ]] || fail "$page"
	done
}

@test "errors in examples are detected" {
	prepare_examples
	for command in 'tdstat -a --nosuch' 'tdstat -e nosuch -- true' 'tdstat -M nosuch -a' \
		'tdstat report nosuch.jsonl' 'tdstat list metrics nosuch' 'tdstat -a -G nosuch' \
		'tdstat record -o file --nosuch' 'tdstat -e task-clock -- false'; do
		[ -n "$COUNTS" ] || [[ $command != *false ]] || continue
		run try_example "$command" ''
		[ "$status" -ne 0 ] || fail "$command"
	done
	# and so would be an output that is not that of the command
	try_example 'tdstat -C 0,4 -A --timeout 1s' $'...\n CPU4 cpu_atom, 29.3 % of all slots were lost here\n      18.0 ±0.0 %  tma_retiring\n...'
	run try_example 'tdstat -C 0,4 -A --timeout 1s' $'...\n CPU4 cpu_atom\n      18.1 ±0.0 %  tma_retiring\n...'
	[ "$status" -ne 0 ] || fail "18.1"
	run try_example 'tdstat -C 0,4 -A --timeout 1s' ' CPU4 cpu_atom, 29.3 % of all slots were lost here'
	[ "$status" -ne 0 ] || fail "a part alone"
}

# The programs of the script: the worker prints its CPU time when it is killed, and the
# second one runs until it has used a tenth of a second.
noting_programs() {
	mkdir bin
	ln -s "$TDSTAT" bin/tdstat
	cat >bin/gzip <<-PYTHON
		#!${BURN[0]} -S
		import os, signal, time
		def end(*_):
		    print(time.process_time(), file=open("total.new", "w"))
		    os.rename("total.new", "total")
		    os._exit(0)
		signal.signal(signal.SIGTERM, end)
		with open("worker", "w") as file:
		    print(os.getpid(), file=file)
		while True:
		    pass
	PYTHON
	cat >bin/sleep <<-PYTHON
		#!${BURN[0]} -S
		import os, time
		pid = ""
		while not pid.endswith("\n"):
		    if os.path.exists("worker"):
		        pid = open("worker").read()
		pid = pid.strip()
		def used():
		    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
		    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
		begin = used()
		while used() < begin + 0.1:
		    time.sleep(0.01)
		print(used() - begin, file=open("second", "w"))
	PYTHON
	chmod +x bin/gzip bin/sleep
}

@test "tdstat-control(7): the script works unchanged, and counts the stated second" {
	needs_software_events
	unset SYSFS_PATH PERF_CPUID
	noting_programs
	displays tdstat-control.7 EXAMPLES | sed 1d >script
	[ -s script ]
	for shell in sh bash; do
		try env PATH="$PWD/bin:$PATH" TMPDIR="$PWD" timeout "$TD_HANGS" $shell script 3>&-
		assert_success
		assert_output --regexp 'process id .[0-9]+.:'
		assert_output --partial 'context-switches'
		# at least its CPU time in that second, which the kernel gives in ticks of
		# 10 ms, and at most its total
		wait_for_file total
		read -r during <second
		read -r ever <total
		rm total second worker
		awk -v second="$during" -v total="$ever" '$3 == "task-clock" { gsub(",", "", $1); n++
			if ($1 < 1000 * second - 30 || $1 > 1000 * total + 30) exit 1 }
			END { if (n != 1) exit 1 }' <<<"$output" || fail "$during of $ever s: $output"
	done
}

@test "tdstat-control(7): the script ends where tdstat cannot even begin" {
	mkdir bin
	printf '#!/bin/sh\nexit 1\n' >bin/tdstat
	chmod +x bin/tdstat
	displays tdstat-control.7 EXAMPLES | sed 1d >script
	for shell in sh bash; do
		try env PATH="$PWD/bin:$PATH" TMPDIR="$PWD" timeout "$TD_HANGS" $shell script 3>&-
		[ "$status" -lt 124 ] || fail "status $status"
		# its directory and the process are gone
		assert_equal "$(echo tmp.*)" 'tmp.*'
	done
}

# --- what the pages and the program say of each other -----------------------------

# listed PAGE...: the options that an entry of a list is for, "-a" or "--all-cpus"
listed() {
	local page

	for page; do
		sed 's/\\-/-/g; s/\\&//g' "$man/$page" || echo ".It Fl no-$page"
	done | awk '/^\.It Fl/ {
		for (i = 2; i <= NF; i++) {
			if ($i == "Fl")
				flag = 1
			else if ($i ~ /^(Ns|Ar|Cm|Ta|No|Op|Oo|Oc|Pq)$/)
				flag = 0
			else if (flag && $i ~ /^[-A-Za-z?][-a-z]*$/)
				print "-" $i
		}
	}' | LC_ALL=C sort -u
}

@test "the options of --help are those of the pages, and no page has another one" {
	needs_wing calls evidence pictures regions serve
	for word in '' $(subcommands); do
		# shellcheck disable=SC2086
		"$TDSTAT" $word --help=all
	done | grep -oE '^ {2,6}-[^ ]( |,)|^ {2,6}(-., )?--[a-z-]+' |
		grep -oE -e '--[a-z-]+|-[^ ,-]' | LC_ALL=C sort -u >of_help
	[ "$(wc -l <of_help)" -gt 80 ]
	# shellcheck disable=SC2046
	assert_same "$(cat of_help)" "$(listed tdstat.1 $(subcommands | grep -vx help | sed 's/.*/tdstat-&.1/') | grep -vx -e -h)"
	# options of single subcommands are on their pages
	assert_same "$(printf '%s\n' --bisect --call-graph --callers --calls --ci --count --engine --every --evidence --fail-above --flame --folded --freq --from --html --in --input --junit --kernel --listen --locate --markdown --no-tree --overhead --per --per-region --pprof --print --profile --program --read --record --rotate --samples --slower --strict --svg --to --total -F -c -k)" "$(grep -vxFf <(listed tdstat.1) of_help)"
	for page in tdstat-output.5 tdstat-recording.5 tdstat-events.7 tdstat-metrics.7 tdstat-control.7 tdstat-openmetrics.7 \
		tdstat-perf.7 tdstat-glossary.7 tdstat-ci.7; do
		run ! grep -vxFf of_help <(listed "$page")
	done
	refute_output
}

# value_of OPTION: into $value, one that it takes, if it does
value_of() {
	value=
	case $1 in
	-l | --td-level | --log-fd) value=1 ;;
	-M) value=tma_retiring ;;
	-x) value=, ;;
	-o | --perfetto | --html | --svg | --folded | --pprof | --flame) value=result ;;
	--cputype) value=cpu_core ;;
	--time-format) value=seconds ;;
	--from) value=0s ;;
	--to) value=1s ;;
	--label) value=a=b ;;
	--head) value=-x, ;;
	--model) value=sapphirerapids ;;
	--metrics-dir) value="$TD_PMU_EVENTS" ;;
	esac
}

# takes WORD... -- OPTION...: no option is refused by that
takes() {
	local words=() option value

	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	for option in "${@:2}"; do
		value_of "$option"
		try "$TDSTAT" "${words[@]}" "$option" ${value:+"$value"}
		[ "$status" -ne 64 ] || fail "${words[*]} $option: $stderr"
	done
}

@test "list and report take the options of their pages" {
	needs_wing pictures
	local options

	saved alderlake
	mapfile -t options < <(listed tdstat-list.1 | grep -vx -e --print)
	takes list hw -- "${options[@]}"
	takes list cycles -- --print
	# --interval-clear wants a terminal
	mapfile -t options < <(listed tdstat-report.1 | grep -vx -e -i -e --input -e --interval-clear -e --per-thread -e --per-process -e --per-user -e --append -e --locate -e --callers -e --profile -e --folded -e --pprof -e --flame)
	[ "${#options[@]}" -gt 15 ]
	takes report "$data/alderlake-2.jsonl" -- "${options[@]}"
	takes report -o result "$data/alderlake-2.jsonl" -- --append
	takes report "$data/manual/threads.jsonl" -- --per-thread
	takes report -- -i"$data/alderlake-2.jsonl" --input="$data/alderlake-2.jsonl"
}

@test "tdstat-record(1): options that it excludes are refused" {
	saved alderlake
	for words in '-o file --append' '-o file -r 2'; do
		# shellcheck disable=SC2086
		try "$TDSTAT" record $words -- true
		assert_equal "$status" 64
	done
	[ ! -e file ]
}

# option_words OPTION: into $words, with a value where it takes one, and what it cannot do without
option_words() {
	case $1 in
	-e) words="-e cycles" ;;
	-l | --td-level) words="$1 1" ;;
	-M) words="-M tma_retiring" ;;
	-p | -t) words="$1 4711" ;;
	-I | --timeout) words="$1 1000" ;;
	-x) words="-x," ;;
	-o) words="-o file" ;;
	--log-fd) words="--log-fd 1" ;;
	-G | --for-each-cgroup) words="-a $1 web" ;;
	-C) words="-C 0" ;;
	-r) words="-r 2" ;;
	--metric-only) words="--metric-only -d" ;;
	*) words=$1 ;;
	esac
}

@test "tdstat(1): options that it lists as exclusive are exclusive" {
	local line left right nr=0

	saved alderlake
	sed -n '/^\.Ss What excludes what/,/^\.El/s/^\.It //p' "$man/tdstat.1" |
		sed 's/ Pq .*//; s/ Cm .*Fl/ Fl/' >table
	while read -r line; do
		echo ".It ${line% Ta *}" >left
		echo ".It ${line#* Ta }" >right
		mapfile -t lefts < <(man=. listed left)
		mapfile -t rights < <(man=. listed right)
		for left in "${lefts[@]}"; do
			option_words "$left"
			left_words=$words
			for right in "${rights[@]}"; do
				option_words "$right"
				# shellcheck disable=SC2086 # words
				try "$TDSTAT" --dry-run $left_words $words -- true
				[ "$status" -eq 64 ] || fail "$left $right: status $status"
				nr=$((nr + 1))
			done
		done
	done <table
	[ "$nr" -ge 25 ] || fail "only $nr pairs"
}

@test "tdstat-messages(7): each is one of the program's" {
	needs_wing calls import regions serve top
	# shellcheck disable=SC2046 # names without blanks
	python3 - "$man/tdstat-messages.7" $(find "$here"/../../{cmd,lib,metrics} -name "*.c") <<-'PYTHON'
		import os, re, sys
		page, *files = sys.argv[1:]
		source = " ".join(open(name).read() for name in files)
		source = re.sub(r'"\s*"', "", source)
		# the plural of a word; messages of the C library are unchanged
		source = re.sub(r"([a-z])%s", r"\1s", source) + os.strerror(2) + os.strerror(24)
		page = open(page).read().replace(r"\-", "-").replace(r"\&", "").split(".Sh DIAGNOSTICS")[1]
		messages = re.findall(r"^\.It (.*)", page, re.M)
		if len(messages) < 50:
		    sys.exit("only %d messages" % len(messages))
		for message in messages:
		    # its words between the inserted parts; two or more words can be
		    # recognized
		    for part in re.split(r"%[a-z]*| level| \(|\)|, |: ", message):
		        if " " in part.strip() and part.strip() not in source:
		            sys.exit("%s: %s" % (message, part))
	PYTHON
}

# perf 6.1 to 6.12 have aggregate-number, which perf 7.2 calls counters.
@test "the JSON keys of events are those of the perf that tdstat-perf(7) and tdstat-output(5) name" {
	needs_wing import
	"$TDSTAT" report "$data/perf-6.12-core.csv" --per-core -j >got
	jq -es 'length > 0 and all(has("aggregate-number") and (has("counters") | not))' got
	grep -q "the JSON keys of Linux 6\.12's" <<<"$(tr '\n' ' ' <"$man/tdstat-perf.7")"
	grep -q 'with the keys of \.Xr perf-stat 1 of Linux 6\.12' <<<"$(tr '\n' ' ' <"$man/tdstat-output.5")"
}

@test "pages refer to each other, and only to existing ones" {
	needs_wing calls regions serve top
	python3 - "$man" <<-'PYTHON'
		import glob, os, re, sys
		man = sys.argv[1]
		pages = sorted(os.path.basename(name) for name in glob.glob(man + "/*.[1357]"))
		def named(text):
		    return {".".join(page) for page in re.findall(r"^\.Xr (tdstat[a-z-]*) ([0-9])", text, re.M)}
		for page in pages:
		    text = open(f"{man}/{page}").read()
		    for name in named(text):
		        assert name in pages, f"{page}: {name}"
		    assert page == "tdstat.1" or "tdstat.1" in named(text), f"{page} does not name tdstat(1)"
		    # SEE ALSO contains the pages that the text names
		    see_also = "".join(re.findall(r"^\.Sh SEE ALSO\n(?:(?!\.Sh ).*\n?)*", text, re.M))
		    assert named(text) <= named(see_also), f"{page}: {named(text) - named(see_also)}"
		    if page == "tdstat.1":
		        assert named(text) == set(pages) - {page}, named(text) ^ set(pages)
	PYTHON
}

@test "tdstat(1) has a limited size, and begins with common commands" {
	awk '/^\.Bd/ && !first { first = NR } /^\.Sh OPTIONS/ { options = NR }
		END { exit NR > 870 || !first || first > options }' "$man/tdstat.1"
}

@test "make install puts each page into its section" {
	# with all wings, and with none
	for wings in '' WINGS=; do
		env -u MAKEFLAGS -u WINGS make -C "$here/../.." --no-print-directory -n -o all install DESTDIR=/dest prefix=/usr $wings >installed 2>&1
		installed=$(<installed)
		for page in $(pages); do
			read -rd '' text <"$man/$page" || true
			wanted=yes found=''
			[[ -z $wings || $text != *$'\n.\\" wing: '* ]] || wanted=''
			[[ $installed != *"man/$page '/dest/usr/share/man/man${page##*.}/$page'"* ]] || found=yes
			assert_equal "$page:$found" "$page:$wanted"
		done
	done
}

@test "make install: DESTDIR may contain a blank; invalid characters of the prefix are refused first" {
	mkdir 'a folder'
	make -C "$here/../.." --no-print-directory -o all install DESTDIR="$PWD/a folder" prefix=/usr >installed 2>&1
	for file in bin/tdstat lib/pkgconfig/tdstat.pc lib/libtdstat.so share/man/man1/tdstat.1 share/man/man3/td_begin.3 \
		share/bash-completion/completions/tdstat share/tdstat/rows.schema.json share/tdstat/pmu-events/mapfile.csv; do
		[ -e "a folder/usr/$file" ] || fail "no $file: $(<installed)"
	done
	try make -C "$here/../.." --no-print-directory -o all install DESTDIR="$PWD/another" prefix='/opt/my tools'
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *"prefix, '/opt/my tools', cannot have a blank"* ]]
	[ ! -e another ]
}

@test "mandoc finds no fault with a page" {
	command -v mandoc >/dev/null || skip "no mandoc"
	try mandoc -T lint "$man"/*.[1357]
	# pages of others may not be installed here
	refute_regex "$output$stderr" '(ERROR|WARNING|STYLE): [^r]'
}
