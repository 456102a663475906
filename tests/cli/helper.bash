# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC1091,SC2034,SC2154 # sourced; what run and try set
# Functions of all tests of the program.  Each test runs in its own directory.
bats_require_minimum_version 1.5.0

# Does the same as bats_load_library, in one process instead of fifteen for each test.
load_library() {
	local folder file

	for folder in ${BATS_LIB_PATH//:/ } /usr/lib/bats; do
		[ -e "$folder/$1/load.bash" ] || continue
		for file in "$folder/$1"/src/*.bash; do
			# shellcheck disable=SC1090 # one of them
			. "$file"
		done
		return
	done
	bats_load_library "$1"
}

load_library bats-support
load_library bats-assert
. "$BATS_TEST_DIRNAME/../cli/json.bash"
. "$BATS_TEST_DIRNAME/../cli/wait.bash"

here=$BATS_TEST_DIRNAME
data=$here/../data
expected=$here/../expected
: "${TDSTAT:=$here/../../build/tdstat}"
export TDSTAT
# The files that come with tdstat, as the kernel has them, and Linux 6.12's.
: "${TD_PMU_EVENTS:=$here/../../build/metrics}"
: "${TD_PMU_EVENTS_OLD:=$here/../../build/linux/tools/perf/pmu-events/arch/x86}"
export TD_PMU_EVENTS TD_PMU_EVENTS_OLD

# Is this wing in the build (Makefile: WINGS)?
has_wing() {
	[[ " ${TD_WINGS-$1} " == *" $1 "* ]]
}

# Skips a test of what a wing does that is not.
needs_wing() {
	local wing

	for wing; do
		has_wing "$wing" || skip "built without '$wing'"
	done
}

# The lines of a tree as awk reads them: the value without its error, its unit, its name.
without_errors() {
	sed -E 's/ ±[0-9.?]+//; s/^( *-?[0-9.]+) +/\1 /'
}

# The names of all subcommands.
subcommands() {
	"$TDSTAT" help | sed -nE '/^Subcommands;/,/^$/s/^  ([a-z]+) .*/\1/p'
}

# Statements about all files are tested with these.
known_files() {
	grep -q '^Linux 7\.2\.' "$TD_PMU_EVENTS/version" || skip "files of another kernel than 7.2"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	# a build that a test starts may run bats, not the part of it that runs this test
	PATH=${PATH//"$BATS_LIBEXEC:"/}
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH NO_COLOR LANG LANGUAGE "${!LC_@}"
}

# Standard error is not a part of $output.
teardown() {
	[ -n "$BATS_TEST_COMPLETED" ] || [ -z "${stderr-}" ] ||
		printf 'stderr: %s\n' "$stderr"
}

# try COMMAND...: as "run --separate-stderr", in a fraction of its time: one process
# for a program, and a subshell for a function
try() {
	local out=$BATS_TEST_TMPDIR/.stdout err=$BATS_TEST_TMPDIR/.stderr text

	status=0 lines=() stderr_lines=()
	[ "$1" != within ] || set -- timeout "$TD_HANGS" "${@:2}"
	if declare -F -- "$1" >/dev/null; then
		("$@") >"$out" 2>"$err" || status=$?
	else
		"$@" >"$out" 2>"$err" || status=$?
	fi
	# as $(<FILE), without a process
	mapfile -d '' text <"$out"
	output=${text[0]-}
	while [[ $output == *$'\n' ]]; do output=${output%$'\n'}; done
	mapfile -d '' text <"$err"
	stderr=${text[0]-}
	while [[ $stderr == *$'\n' ]]; do stderr=${stderr%$'\n'}; done
	[ -z "$output" ] || mapfile -t lines <<<"$output"
	[ -z "$stderr" ] || mapfile -t stderr_lines <<<"$stderr"
}

# --- saved machines -------------------------------------------------------------

use_machine() {
	export SYSFS_PATH=$1/sys PROCFS_PATH=$1/proc
}

# saved MODEL: tests/data/MODEL.tar.gz, unpacked once; not to be written to.  With
# TD_FULL=1 it has the PMUs beside its cores that a real one has, but after "bare".
saved() {
	local dir=$BATS_RUN_TMPDIR/machines${TD_FULL:+-full}/$1 shape=laptop

	if [ ! -d "$dir" ]; then
		mkdir -p "$dir"
		tar -C "$dir" -xzf "$data/$1.tar.gz"
		[[ $1 != *[xs] ]] || shape=server # icelakex, sapphirerapids
		[ -z "${TD_FULL-}" ] || "$here/../add-pmus" $shape \
			"$dir/sys/bus/event_source/devices" "$dir/sys/devices/system/cpu"
	fi
	use_machine "$dir"
}

# Later saved machines have no PMU other than those of their cores.
bare() {
	unset TD_FULL
}

# copied MODEL: the same, to be changed: the PMUs are in $devices
copied() {
	saved "$1"
	cp -R "$BATS_RUN_TMPDIR/machines${TD_FULL:+-full}/$1" machine
	use_machine "$PWD/machine"
	devices=$PWD/machine/sys/bus/event_source/devices
}

# Add two memory controllers to the copy, PMUs outside of the cores.
add_memory_controllers() {
	local unit

	for unit in 0 1; do
		mkdir -p "$devices/uncore_imc_$unit/format"
		echo $((20 + unit)) >"$devices/uncore_imc_$unit/type"
		echo 0 >"$devices/uncore_imc_$unit/cpumask"
		echo config:0-7 >"$devices/uncore_imc_$unit/format/event"
		echo config:8-15 >"$devices/uncore_imc_$unit/format/umask"
	done
}

# identity FAMILY MODEL STEPPING: decimal, into the copy's cpuinfo
identity() {
	sed -i "s/^\(cpu family\t: \).*/\1$1/; s/^\(model\t\t: \).*/\1$2/
		s/^\(stepping\t: \).*/\1$3/" "$PROCFS_PATH/cpuinfo"
}

# Make up an Arrow Lake-H with three core PMUs, because no available machine or emulator has
# it (arch/x86/events/intel/core.c of Linux 7.2).  Its P- and E-cores are Lunar Lake's, Lion
# Cove and Skymont, and cpu_lowpower is a Crestmont with the event list of Alder Lake's
# E-cores.
arrow_lake_h() {
	local cpu topology

	copied lunarlake
	saved alderlake
	cp -R "$SYSFS_PATH/bus/event_source/devices/cpu_atom" "$devices/cpu_lowpower"
	use_machine "$PWD/machine"
	echo 11 >"$devices/cpu_lowpower/type"
	echo 8-9 >"$devices/cpu_lowpower/cpus"
	echo 0-9 >"$SYSFS_PATH/devices/system/cpu/online"
	for cpu in 8 9; do
		topology=$SYSFS_PATH/devices/system/cpu/cpu$cpu/topology
		cp -R "$SYSFS_PATH/devices/system/cpu/cpu7" "${topology%/*}"
		echo $cpu >"$topology/core_id"
		echo $cpu >"$topology/core_cpus_list"
		echo 8 >"$topology/cluster_id"
	done
	identity 6 $((0xc5)) 2
}

# A PMU of this very machine's kernel that is always there, its software
# events, under the names of top-down ones: what tdstat opens, it counts.  Half
# of the "slots" are retiring (task-clock), half frontend bound (cpu-clock).
# The processor is of no known model: shares are over the sum of the four.
software_machine() {
	local online

	devices=$PWD/machine/sys/bus/event_source/devices
	mkdir -p "$devices"/cpu/{format,events} machine/sys/devices/system/cpu
	echo 1 >"$devices/cpu/type"
	echo config:0-7 >"$devices/cpu/format/event"
	echo event=1 >"$devices/cpu/events/topdown-retiring"
	echo event=0 >"$devices/cpu/events/topdown-fe-bound"
	echo event=9 >"$devices/cpu/events/topdown-bad-spec"
	echo event=9 >"$devices/cpu/events/topdown-be-bound"
	IFS= read -r online </sys/devices/system/cpu/online
	echo "$online" >machine/sys/devices/system/cpu/online
	export SYSFS_PATH=$PWD/machine/sys PERF_CPUID=GenuineIntel-6-FF-0
}

# The columns of CSV after the metrics.
# shellcheck disable=SC2034 # for the suites
behind=ghz,lost_share,slots,cycles,instructions,kind,interval,seconds,cpu,core,cgroup,comm,tid,container,host,flags

# Skips where seccomp or perf_event_paranoid forbids even those: opens a dummy event
# without tdstat, for this process, or with "-a" on the last CPU that /sys lists.
may_count_software() {
	local allowed=$BATS_RUN_TMPDIR/allowed${1-}

	[ -e "$allowed" ] || python3 - "${1-}" <<-'PYTHON' >"$allowed" || true
		import ctypes, platform, re, struct, sys
		attr = struct.pack("=IIQ112x", 1, 128, 9)
		last = int(re.findall("[0-9]+", open("/sys/devices/system/cpu/online").read())[-1])
		pid, cpu = (-1, last) if sys.argv[1] == "-a" else (0, -1)
		if platform.machine() == "x86_64" and \
		   ctypes.CDLL(None).syscall(298, attr, pid, cpu, -1, 0) >= 0:
		    print("yes")
	PYTHON
	[ -s "$allowed" ] || skip "this machine may not count software events"
}

needs_software_events() {
	may_count_software "${1-}"
	software_machine
}

# real [-a]: this machine's own sysfs, where it lets us count
real() {
	may_count_software "${1-}"
	unset SYSFS_PATH PERF_CPUID
}

# The test sees valgrind in tdstat's place (make VALGRIND=1): its descriptors,
# memory, system calls, or how long it takes to start.
not_under_valgrind() {
	[ -z "${TD_VALGRIND-}" ] || skip "under valgrind, $1"
}

# no_raise COMMAND...: a hard limit is one for it: without root's right to raise it
no_raise() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --bounding-set=-sys_resource "$@"
	else
		"$@"
	fi
}

# SAN=1: it has its own limits, or a leak checker that needs proc.
not_under_sanitizers() {
	[[ $TDSTAT != */san/* ]] || skip "under sanitizers, $1"
}

# makepkg_or_skip: set "as", the words before makepkg, which refuses to run as root, and
# fails without pacman even if it does not need it
makepkg_or_skip() {
	command -v makepkg >/dev/null || skip "no makepkg here"
	as=()
	[ "$(id -u)" != 0 ] || as=(unshare --user --map-user=1000 --map-group=1000)
	"${as[@]}" true || skip "no user namespaces here"
	mkdir -p bin
	command -v pacman >/dev/null || ln -sf "$(type -P true)" bin/pacman
	as+=(env "PATH=$PWD/bin:$PATH")
}

needs_strace() {
	local allowed=$BATS_RUN_TMPDIR/strace

	not_under_valgrind "the calls are valgrind's"
	[ -e "$allowed" ] || { strace -o /dev/null true 2>/dev/null && echo yes; } >"$allowed" || true
	[ -s "$allowed" ] || skip "no strace, or ptrace is refused"
	# the leak checker of SAN=1 is a tracer itself: there is one at a time
	export ASAN_OPTIONS=detect_leaks=0
}

# --- the locale -----------------------------------------------------------------

# german: a locale with a decimal comma, made here, or skips
german() {
	command -v localedef >/dev/null || skip "no localedef"
	[ -e /usr/share/i18n/locales/de_DE ] || skip "no locale de_DE to make"
	if [ ! -d "$BATS_FILE_TMPDIR/de_DE.UTF-8" ]; then
		localedef -i de_DE -f UTF-8 "$BATS_FILE_TMPDIR/de_DE.UTF-8" || skip "cannot make one"
	fi
	export LOCPATH=$BATS_FILE_TMPDIR LC_ALL=de_DE.UTF-8
	# SAN=1: json-c 0.16 does not free the names of locales
	export ASAN_OPTIONS=detect_leaks=0
	[ "$(env printf %.1f 1,5)" = 1,5 ] || skip "the locale has no effect"
}

# --- what --dry-run prints ------------------------------------------------------

# events [OPTION...]: EVENT TYPE CONFIG of each event, sorted; one that leads
# several groups once
events() {
	"$TDSTAT" --dry-run "$@" | awk '$2 == "type" { print $1, $3, $5 }' | LC_ALL=C sort -u
}

# groups [OPTION...]: GROUP PMU EVENT TYPE CONFIG READ_FORMAT CONFIG1 FLAGS
groups() {
	"$TDSTAT" --dry-run "$@" | awk '
		/^group/ { sub(/:/, "", $2); sub(/,/, "", $3); group = $2; pmu = $3 }
		$2 == "type" { print group, pmu, $1, $3, $5, $9, $7, $11 }'
}

# expected_events LEVEL MODEL: what tests/expected/MODEL.events lists up to LEVEL,
# and for LEVEL alone ("1=")
expected_events() {
	awk -v level="$1" '/^[0-9]/ && ($1 ~ /=/ ? $1 == level "=" : $1 <= level) { print $2, $3, $4 }' \
		"$expected/$2.events" | LC_ALL=C sort -u
}

assert_same() {
	[ "$1" != "$2" ] || return 0
	diff -u --label expected <(printf '%s\n' "$1") --label got <(printf '%s\n' "$2")
}

# --- errors ---------------------------------------------------------------------

# After "try": one line why (matching $1) and one what to do
# (matching $2), and nothing else.
assert_why_and_remedy() {
	[ "${#stderr_lines[@]}" -eq 2 ] || fail "not two lines"
	[[ ${stderr_lines[0]} == "tdstat: "* && ${stderr_lines[1]} == "tdstat: "* ]] || fail "not tdstat's"
	[[ ${stderr_lines[0]} =~ $1 ]] || fail "the first line has no $1"
	[[ ${stderr_lines[1]} =~ ${2-.} ]] || fail "the second line has no ${2-}"
}

# assert_runs_all_the_same WHY REMEDY: the same two lines, and that the command, which
# has the status $3 (0), runs without; nothing else is tdstat's.
assert_runs_all_the_same() {
	local line nr=0

	[ "$status" = "${3-0}" ] || fail "status $status"
	[[ ${stderr_lines[0]-} == "tdstat: "* && ${stderr_lines[0]} =~ $1 ]] || fail "the first line has no $1"
	[[ ${stderr_lines[1]-} == "tdstat: "* && ${stderr_lines[1]} =~ $2 ]] || fail "the second line has no $2"
	[[ ${stderr_lines[2]-} =~ ^'tdstat: running '[^\ ]+' without counting'(' or recording')?$ ]] ||
		fail "it is not said that it runs"
	for line in "${stderr_lines[@]}"; do
		[[ $line != "tdstat: "* ]] || nr=$((nr + 1))
	done
	[ $nr = 3 ] || fail "more is said"
}

# Lines of tdstat's, with all of the arguments in them.
assert_complains() {
	local wanted

	[[ ${stderr_lines[0]-} == "tdstat: "* ]] || fail "no line of tdstat's"
	for wanted; do
		[[ $stderr =~ $wanted ]] || fail "no line with $wanted"
	done
}

assert_no_stderr() {
	[ -z "$stderr" ] || fail "standard error is not empty"
}

# --- many command lines ---------------------------------------------------------

# checks <PROGRAM: in Python, which starts with plans.py, in one process
checks() {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BATS_TEST_DIRNAME/../cli python3 -c 'import sys
from plans import *
exec(compile(sys.stdin.read(), "checks", "exec"))'
}
