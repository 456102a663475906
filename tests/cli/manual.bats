#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The examples of the manual page, as they may be pasted.  Each is run in a
# shell; "tdstat" in it is the script below, which counts what this machine can
# count, and plans what it cannot.

# shellcheck disable=SC2016,SC2154 # scripts; helper.bash
load helper

man=$here/../../man

# displays SECTION PAGE: the literal displays of it, each behind a line "== N"
displays() {
	sed 's/\\-/-/g; s/\\&//g; s/\\(aq/'\''/g; s/\\(ha/^/g; s/\\(ti/~/g; s/\\e/\\/g' "$man/$2" |
		awk -v section="$1" '
			/^\.S[hs] / { inside = substr($0, 5) == section }
			!inside { next }
			/^\.Ed/ { display = 0 }
			display { print }
			/^\.Bd -literal/ { display = 1; print "== " ++nr }'
}

# commands: those behind "$ ", each with the lines that it goes on in, and a NUL
commands() {
	local line command=

	while IFS= read -r line; do
		case $line in
		'$ '*) command=${line#??} ;;
		'== '*) command= ;;
		*) [ -z "$command" ] || command+=$'\n'$line ;;
		esac
		if [ -n "$command" ] && [[ $command != *\\ ]] && bash -n <<<"$command" 2>/dev/null; then
			printf '%s\0' "$command"
			command=
		fi
	done
}

# What the examples name, and a machine to plan them for.
prepare_examples() {
	saved alderlake
	mkdir -p bin proc/self proc/4711/task/4711 cgroup/system.slice/ssh.service linux/tools/perf/pmu-events/arch
	cp -R "$PROCFS_PATH/." proc
	echo "none $PWD/cgroup cgroup2 rw 0 0" >proc/self/mounts
	ln -s "${SYSFS_PATH%/sys}" adl
	ln -s "${TD_PMU_EVENTS:-$here/../../build/pmu-events}" linux/tools/perf/pmu-events/arch/x86
	export PROCFS_PATH=$PWD/proc FOLDER=$PWD DATA=$data PATH=$PWD/bin:$PATH
	counted=$BATS_RUN_TMPDIR/counts
	[ -e "$counted" ] || (needs_software_events >/dev/null && touch "$counted") || true
	if [ -e "$counted" ]; then export COUNTS=yes; else export COUNTS=; fi
	a_tdstat >bin/tdstat
	a_perf >bin/perf
	chmod +x bin/*
}

# In place of tdstat: list and report are what they are; a recording is one of
# the data; what is made of software events alone is counted; the rest is
# planned, for the saved machine.  Each call leaves a line: status and words.
a_tdstat() {
	cat <<-'SCRIPT'
		#!/usr/bin/env bash
		done_with() {
			echo "$1 tdstat ${*:2}" >>"$FOLDER/calls"
			exit "$1"
		}
		what= output= options=() rest=("$@")
		while [ ${#rest[@]} -gt 0 ]; do
			case ${rest[0]} in
			report | list) what=read; break ;;
			record) what=record ;;
			-o) output=${rest[1]}; rest=("${rest[@]:1}") ;;
			--) options+=("${rest[@]}"); break ;;
			*) options+=("${rest[0]}") ;;
			esac
			rest=("${rest[@]:1}")
		done
		if [ "$what" = read ]; then
			"$TDSTAT" "$@" >>"$FOLDER/said" 2>&1
			done_with $? "$@"
		fi
		plan=$("$TDSTAT" --dry-run "${options[@]}" 2>>"$FOLDER/said") || done_with $? "$@"
		[ "$what" = record ] && cp "$DATA/alderlake-2.jsonl" "$output"
		if [ "$what" = record ] || grep -q '^  [^ ]* *type \([^1]\|1[0-9]\)' <<<"$plan" || [ -z "$COUNTS" ]; then
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

@test "EXAMPLES: none is refused" {
	local command nr=0

	prepare_examples
	while IFS= read -rd '' command; do
		: >calls
		: >said
		timeout 60 bash -o pipefail -c "$command" </dev/null >out 2>>said ||
			fail "$command: $(cat said)"
		# a call was made, and each went well; of perf's there is none
		if [[ $command == *tdstat* ]] && { [ ! -s calls ] || grep -v '^0 ' calls; }; then
			fail "$command: $(cat said)"
		fi
		nr=$((nr + 1))
	done < <(displays EXAMPLES tdstat.1 | commands)
	# so that nothing is found is no success
	[ "$nr" -ge 25 ] || fail "only $nr examples"
}

@test "EXAMPLES: what is wrong in one would be noticed" {
	prepare_examples
	for command in 'tdstat -a --nosuch' 'tdstat -e nosuch -- true' 'tdstat -M nosuch -a' \
		'tdstat report nosuch.jsonl' 'tdstat list metrics nosuch' 'tdstat -a -G nosuch' \
		'tdstat record -o file --nosuch' 'tdstat -e task-clock -- false'; do
		[ -n "$COUNTS" ] || [[ $command != *false ]] || continue
		: >calls
		bash -c "$command" </dev/null >out 2>>said || true
		! grep '^0 ' calls || fail "$command"
	done
}

@test "CONTROL: the script works as it is, and counts a second of what it says" {
	local counted_ms

	needs_software_events
	unset SYSFS_PATH PERF_CPUID
	mkdir bin
	ln -s "$TDSTAT" bin/tdstat
	displays DESCRIPTION tdstat-control.7 | sed 1d >script
	[ -s script ]
	for shell in sh bash; do
		try env PATH="$PWD/bin:$PATH" timeout 30 $shell script 3>&-
		assert_success
		assert_output --regexp 'process id .[0-9]+.:'
		assert_output --partial 'context-switches'
		# it had a CPU, or a part of one, for a second, and not for the whole script
		counted_ms=$(awk '$3 == "task-clock" { gsub(",", "", $1); print int($1) }' <<<"$output")
		[ "$counted_ms" -ge 50 ] && [ "$counted_ms" -le 1500 ] || fail "$counted_ms ms"
	done
}

@test "CONTROL: the script ends where tdstat cannot even begin" {
	mkdir bin
	printf '#!/bin/sh\nexit 1\n' >bin/tdstat
	chmod +x bin/tdstat
	displays DESCRIPTION tdstat-control.7 | sed 1d >script
	for shell in sh bash; do
		try env PATH="$PWD/bin:$PATH" TMPDIR="$PWD" timeout 30 $shell script 3>&-
		[ "$status" -lt 124 ] || fail "status $status"
		# its folder is gone, and so is the process
		assert_equal "$(echo tmp.*)" 'tmp.*'
	done
}
