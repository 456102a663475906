#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Errors of perf_event_open(2), injected by strace: at the first call, which
# needs no real event, and at a later one, after real software events.

# shellcheck disable=SC2086,SC2154 # lists of options; helper.bash
load helper

# inject ERRNO WHEN COMMAND...: strace, which ends only when all tracees have,
# so that a process left behind is a timeout (124)
inject() {
	try timeout 20 strace -f -o log -e trace=perf_event_open \
		-e inject=perf_event_open:error="$1":when="$2" "${@:3}"
}

# refused ERRNO WHEN WHY REMEDY OPTION...: with no command, and with one, which runs
# all the same, or with --require does not
refused() {
	inject "$1" "$2" "$TDSTAT" "${@:5}"
	assert_failure 1
	assert_why_and_remedy "$3" "$4"
	assert_output ''
	inject "$1" "$2" "$TDSTAT" "${@:5}" -- touch made
	assert_runs_all_the_same "$3" "$4"
	assert_output ''
	rm made
	inject "$1" "$2" "$TDSTAT" "${@:5}" --require -- touch made
	assert_failure 125
	assert_why_and_remedy "$3" "$4"
	[ ! -e made ]
}

# refused_for ERRNO WHY REMEDY: at the first event and at a later one, for a
# whole machine and for a command
refused_for() {
	needs_strace
	saved alderlake
	refused "$1" 1+ "$2" "$3" -a
	inject "$1" 1+ "$TDSTAT" -C 1
	assert_failure 1
	assert_why_and_remedy "$2" "$3"
	needs_software_events -a
	refused "$1" 3+ "$2" "$3" -a
	inject "$1" 3+ "$TDSTAT" -- touch made
	assert_runs_all_the_same "$2" "$3"
}

event='cpu(_core)?/(slots|TOPDOWN\.SLOTS|topdown-[a-z-]*)/'

@test "EACCES: the event, and both ways to be allowed" {
	refused_for EACCES "$event.*Permission denied" 'CAP_PERFMON.*tdstat doctor|sysctl kernel.perf_event_paranoid=[0-2] allows it.*tdstat doctor'
}

# The kernel says EACCES for lack of rights (perf_allow_kernel() and perf_allow_cpu()
# in include/linux/perf_event.h).
@test "EPERM whatever is asked: no sysctl helps, and none is named" {
	refused_for EPERM "$event.*forbidden here.*Operation not permitted" 'security module'
	[[ $stderr != *paranoid* ]]
}

@test "EBUSY: somebody else has the counters" {
	refused_for EBUSY "$event.*(taken|busy)" 'profiler|virtual machine'
}

@test "EMFILE: the limit, not the rights" {
	refused_for EMFILE "$event.*Too many open files" 'ulimit -n'
}

@test "EINVAL: the event that the kernel cannot count" {
	refused_for EINVAL "$event.*Invalid argument" .
}

@test "ENOENT: the same" {
	refused_for ENOENT "$event.*No such file" .
}

@test "EOPNOTSUPP: the same" {
	refused_for EOPNOTSUPP "$event.*not supported" .
}

@test "ENODEV: a CPU that went away" {
	refused_for ENODEV "$event.*(offline|No such device)" .
}

@test "ENOSYS: a kernel or a container without perf events" {
	refused_for ENOSYS 'perf events|not implemented' 'CONFIG_PERF_EVENTS|seccomp'
}

@test "an error of no known kind is said as it is" {
	needs_strace
	saved alderlake
	for error in ENOMEM:memory E2BIG:'too long' ESRCH:'No such process'; do
		inject "${error%:*}" 1+ "$TDSTAT" -- touch made
		assert_success
		assert_complains "(cpu_core/TOPDOWN.SLOTS/|memory).*${error#*:}|${error#*:}"
		rm made
	done
}

@test "no output file and no recording is left of a run that could not begin" {
	needs_strace
	saved alderlake
	inject EACCES 1+ "$TDSTAT" -a -o out
	assert_failure 1
	inject EACCES 1+ "$TDSTAT" record -o rec.jsonl -a
	assert_failure 1
	[ ! -s out ]
	[ ! -s rec.jsonl ]
}

@test "EACCES for the kernel's share only: the command is counted in user space, said once" {
	needs_strace
	needs_software_events
	inject EACCES 1 "$TDSTAT" -l 1 -o out -- touch made
	assert_success
	[ -e made ]
	assert_equal "${#stderr_lines[@]}" 1
	assert_complains 'user'
	# all events of a group have the same modifier
	grep -v INJECTED log | grep perf_event_open >opened
	grep -q . opened
	try grep -vc exclude_kernel=1 opened
	assert_output 0
	grep -q tma_retiring out
}

@test "EOPNOTSUPP for guests: counted without them" {
	needs_strace
	needs_software_events
	inject EOPNOTSUPP 1 "$TDSTAT" -o out -- touch made
	assert_success
	[ -e made ]
	assert_complains 'guest'
	grep -v INJECTED log | grep perf_event_open >opened
	try grep -vc exclude_guest=1 opened
	assert_output 0
}

@test "EINVAL for the group of SLOTS: an error, never taken apart" {
	needs_strace
	saved alderlake
	# whatever is tried after the first refusal, no field of PERF_METRICS is
	# opened without SLOTS, which the kernel would refuse as well
	inject EINVAL 1+ "$TDSTAT" -a --cputype core
	assert_failure 1
	try grep -c 'config=0x8[0-7]00' log
	assert_output 0
}

@test "what is opened is what --dry-run says" {
	needs_strace
	needs_software_events -a
	for how in '-C 0' '-- true' "-p $$"; do
		strace -f -o log -e trace=perf_event_open -X raw "$TDSTAT" --timeout 20 -o out $how || true
		try groups $how
		# the leader's flags, and the number of events of a group
		assert_equal "$(grep -c perf_event_open log)" "${#lines[@]}"
		for flag in disabled inherit enable_on_exec; do
			assert_equal "$(head -n 1 log | grep -c "$flag=1")" "$(grep -c "$flag" <<<"${lines[0]}")"
			assert_equal "$(sed -n 2p log | grep -c "$flag=1")" "$(grep -c "$flag" <<<"${lines[1]}")"
		done
	done
}

@test "a read of a counter that fails is an error" {
	needs_strace
	needs_software_events -a
	strace -o log -e trace=perf_event_open,read "$TDSTAT" -C 0 --timeout 20 >/dev/null
	fd=$(sed -n 's/^perf_event_open.* = \([0-9]*\)$/\1/p' log | head -n 1)
	nr=$(grep -n "^read($fd," <(grep '^read(' log) | head -n 1 | cut -d: -f1)
	try strace -o log -e trace=read -e inject=read:error=EIO:when="$nr" \
		"$TDSTAT" -C 0 --timeout 20
	assert_failure 1
	assert_complains 'Input/output error'
}

# The software machine, of two kinds of core.
two_kinds() {
	needs_strace
	needs_software_events
	[ "$(getconf _NPROCESSORS_ONLN)" -gt 1 ] || skip "one CPU"
	mv "$devices/cpu" "$devices/cpu_core"
	echo 0 >"$devices/cpu_core/cpus"
	cp -R "$devices/cpu_core" "$devices/cpu_atom"
	echo 1 >"$devices/cpu_atom/cpus"
}

# The first four opens are cpu_core's, the fifth is cpu_atom's first.
@test "what one PMU refuses does not take the others' results: one remark" {
	two_kinds
	for error in EBUSY:taken ENOENT:'No such file' ENXIO:'No such device'; do
		inject "${error%:*}" 5 "$TDSTAT" -x, -o out -- sh -c ':'
		assert_success
		assert_equal "$(grep -c INJECTED log)" 1
		assert_equal "${#stderr_lines[@]}" 1
		assert_complains "cpu_atom.*${error#*:}"
		grep -E '^[0-9.]+,all,cpu_core,[0-9.]*,[0-9.]*,[0-9.]+,[0-9.]*,[0-9.]+,' out
		grep -E '^[0-9.]+,all,cpu_atom,[0-9.]*,[0-9.]*,[0-9.]*,,,,,,.*,summary,' out
	done
	inject EBUSY 5 "$TDSTAT" record -o rec -- sh -c ':'
	assert_success
	assert_equal "$(grep -c '^tdstat: ' <<<"$stderr")" 1
	"$TDSTAT" report rec -x, >out
	grep -E '^[0-9.]+,all,cpu_core,[0-9.]*,[0-9.]*,[0-9.]+,[0-9.]*,[0-9.]+,' out
	grep -E '^[0-9.]+,all,cpu_atom,[0-9.]*,[0-9.]*,[0-9.]*,,,,,,.*,summary,' out
	# the one kind is not passed off as the machine
	inject EBUSY 5 "$TDSTAT" --hybrid-merge -x, -o out -- sh -c ':'
	grep -E '^[0-9.]+,all,all,[0-9.]*,[0-9.]*,[0-9.]*,,,,,,.*,summary,' out
	inject EBUSY 5 "$TDSTAT" -o out -- sh -c ':'
	grep -E '^ cpu_core(, .*)?$' out
	grep -F ' cpu_atom, <not counted>' out
	# of none there is nothing to show
	inject EBUSY 1..2 "$TDSTAT" --require -- touch made
	assert_failure 125
	assert_why_and_remedy 'cpu_core.*taken' profiler
	[ ! -e made ]
}

# Two metrics of one event each, in groups of their own: one is refused.
@test "what one event's refusal takes is its metrics, not the others" {
	needs_strace
	needs_software_events
	mkdir -p own/mine
	echo config:0-7 >"$devices/cpu/format/event"
	printf '%s\n' Family-model,Version,Filename,EventType GenuineIntel-6-FF,v1,mine,core >own/mapfile.csv
	cat >own/mine/a.json <<-'JSON'
		[
		{"EventName": "ONE", "EventCode": "0x1"},
		{"EventName": "OTHER", "EventCode": "0x3"},
		{"MetricName": "one", "MetricExpr": "ONE"},
		{"MetricName": "other", "MetricExpr": "OTHER"}
		]
	JSON
	inject ENOENT 1 "$TDSTAT" --metrics-dir own -M one,other -j -o out -- sh -c ':'
	assert_success
	assert_equal "$(grep -c 'No such file' <<<"$stderr")" 1
	refused=$(jq -rs 'map(select(.value == null) | .metric) | join(" ")' out)
	assert_equal "$(jq -rs 'map(select(.value != null) | .metric) | join(" ")' out)" \
		"$([ "$refused" = one ] && echo other || echo one)"
	inject ENOENT 1 "$TDSTAT" --metrics-dir own -M one --require -- touch made
	assert_failure 125
	assert_complains 'No such file'
	[ ! -e made ]
}
