#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# CAP_PERFMON on the file of tdstat, as the Debian package gives it on request: what
# a user without rights gets by it, and what not.

# shellcheck disable=SC2154 # helper.bash
load helper

setup_file() {
	local why="only root can give capabilities"

	export lent
	lent=$(mktemp -d)
	chmod 755 "$lent"
	if [ "$(id -u)" -eq 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
		cp "$TDSTAT" "$lent/tdstat"
		why=$(setcap cap_perfmon=ep "$lent/tdstat" 2>&1) ||
			why="setcap: $why"
	fi
	export why
	# the leak checker of SAN=1 may not trace it
	export ASAN_OPTIONS=detect_leaks=0
}

teardown_file() {
	rm -r "$lent"
}

setup() {
	not_under_valgrind "the program is valgrind"
	[ -z "$why" ] || skip "$why"
	cd "$lent" || return
	unset PERF_CPUID SYSFS_PATH PROCFS_PATH TDSTAT_METRICS
}

# as_nobody COMMAND...: run it as nobody
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# counts: the capability is in force
counts() {
	as_nobody ./tdstat -a -e cpu-clock --timeout 10 >out 2>&1 || skip "$(tail -n 1 out)"
}

@test "the process that reads untrusted files has no capability" {
	not_under_sanitizers "which read files first"
	needs_strace
	cp "$data/alderlake.jsonl" rec
	for words in 'report rec' 'diff rec rec' 'list sw' 'explain tma_retiring' help 'top rec' '-a --dry-run -e cs'; do
		[[ $words != top* ]] || has_wing top || continue
		# shellcheck disable=SC2086
		as_nobody strace -qq -e trace=capset,open,openat ./tdstat $words 2>calls >out </dev/null || true
		# after the loader's own calls
		grep -v '"/etc/ld\.so\|/lib[^ ]*\.so' calls | head -n 1 >first
		grep -q '^capset(.*effective=0, permitted=0' first || fail "$words: $(cat calls)"
	done
}

@test "counting keeps the capability, even if options precede the command" {
	needs_strace
	for words in '-e cs' regions 'locate tma_retiring' 'calls main' 'calls main,exit'; do
		# shellcheck disable=SC2086
		as_nobody strace -qq -e trace=capset ./tdstat $words -- true 2>calls >out </dev/null || true
		[ -s calls ]
		refute grep -q '^capset(.*permitted=0' calls || fail "$words: $(cat calls)"
	done
}

@test "variables that name files are ignored, with a note" {
	counts
	mkdir -p sys proc
	SYSFS_PATH=$PWD/sys PROCFS_PATH=$PWD/proc PERF_CPUID=GenuineIntel-6-97-2 TDSTAT_METRICS=$PWD \
		try as_nobody ./tdstat -a -e cpu-clock --timeout 10 -x,
	assert_success
	for name in SYSFS_PATH PROCFS_PATH PERF_CPUID TDSTAT_METRICS; do
		[ "$(grep -c "^tdstat: $name is ignored, " <<<"$stderr")" -eq 1 ] || fail "$name"
	done
	# without the capability they hold
	TDSTAT_METRICS=$PWD SYSFS_PATH=$PWD/sys try "$TDSTAT" --dry-run -a -e cs
	[[ $stderr != *ignored* ]]
}

@test "it sets no probe" {
	counts
	devices=/sys/bus/event_source/devices
	for pmu in kprobe uprobe; do
		[ -e $devices/$pmu ] || continue
		try as_nobody ./tdstat -a -e "$pmu/config2=0xffffffff81000000/" --timeout 10
		assert_failure 1
		[[ $stderr == *"$pmu/"*"tdstat sets no probes with it"* ]] || fail "$pmu: $stderr"
		tried=yes
	done
	[ -n "${tried-}" ] || skip "this kernel has no such PMUs"
}

@test "addresses of the kernel: shown and kept as far as /proc/kallsyms shows them" {
	counts
	# keeps the kernel busy, independent of other programs
	work='for i in 1 2 3 4 5 6 7 8; do dd if=/dev/zero of=/dev/null bs=1M count=400 2>/dev/null; done'
	high='0xffff[0-9a-f]\{12\}'
	as_nobody grep -q '^0*[1-9a-f]' /proc/kallsyms && skip "everybody may see them here"
	chmod 777 .
	as_nobody ./tdstat locate -e cpu-clock --callers --samples samples -vv -o mine -a -- sh -c "$work" 2>said
	grep -q '"kind":"kernel"' samples || skip "no sample of the kernel"
	grep -q '^tdstat: the kernel is shown as one place' said
	run ! grep -q "$high" samples mine
	# the kernel shows them to root, who gets them as names or numbers
	"$TDSTAT" locate -e cpu-clock --samples all -o roots -a -- sh -c "$work" 2>said
	grep -q "$high" all || skip "the kernel shows them to nobody"
}
