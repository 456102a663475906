#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2016,SC2154 # the shell of a command; what "run --separate-stderr" sets
# CPUs and cgroups that disappear and come back while a service counts them.  A service
# gives up all privileges except CAP_PERFMON, which Debian's kernel ignores if
# perf_event_paranoid is 3.
# machine: adl --full --no-halt --sysctl kernel.perf_event_paranoid=2

load helper

CPUS=/sys/devices/system/cpu
CGROUPS=/sys/fs/cgroup
port=9878

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
	ip link set lo up 2>/dev/null || true
	sysctl -qw kernel.perf_event_paranoid=2
}

teardown() {
	[ "$TD_MACHINE" != here ] || return 0
	tidy_up
	wait
	for cpu in 2 3 4 5 6 7; do
		read -r online <$CPUS/cpu$cpu/online
		[ "$online" = 1 ] || echo 1 >"$CPUS/cpu$cpu/online"
	done
	! [ -d $CGROUPS/web ] || rmdir $CGROUPS/web $CGROUPS/db
	[ -n "$BATS_TEST_COMPLETED" ] || cat serve.err page
}

get_page() {
	get "$port" /metrics >page
}

# serve OPTION...
serve() {
	"$TDSTAT" serve --listen "127.0.0.1:$port" "$@" 2>serve.err 3>&- &
	serve=$!
}

# on_page REGEX: on the page as it is now
on_page() {
	get_page && grep -qE "$1" page
}

# await_line REGEX: on the page, which changes once a second
await_line() {
	wait_for on_page "$1"
}

# number NAME: the value of a series
number() {
	awk -v name="$1" '$1 == name { print $2 }' page
}

# await_said TEXT: wait until serve prints this, before its end
await_said() {
	wait_for grep -q "$1" serve.err
}

switch() {
	for cpu in "${@:2}"; do
		echo "$1" >"$CPUS/cpu$cpu/online"
	done
}

@test "serve: the CPUs that it counts, and counters that go on and never fall" {
	serve
	await_line '^tdstat_cpus_counted\{pmu="cpu_core"\} 4$'
	grep -q '^tdstat_cpus_counted{pmu="cpu_atom"} 4$' page
	switch 0 3
	await_line '^tdstat_cpus_counted\{pmu="cpu_core"\} 3$'
	await_said '^tdstat: CPU(s) 3 went offline: not counted until they are back$'
	before=$(number 'tdstat_slots_total{pmu="cpu_core"}')
	switch 1 3
	await_line '^tdstat_cpus_counted\{pmu="cpu_core"\} 4$'
	await_said '^tdstat: CPU(s) 3 were offline and are back: not counted from '
	[ "$(number 'tdstat_slots_total{pmu="cpu_core"}')" -ge "$before" ]
	# all CPUs of a kind
	switch 0 4 5 6 7
	await_line '^tdstat_cpus_counted\{pmu="cpu_atom"\} 0$'
	before=$(number 'tdstat_slots_total{pmu="cpu_atom"}')
	switch 1 4 5 6 7
	await_line '^tdstat_cpus_counted\{pmu="cpu_atom"\} 4$'
	# shellcheck disable=SC2317 # of wait_for
	grown() { get_page && [ "$(number 'tdstat_slots_total{pmu="cpu_atom"}')" -gt "$before" ]; }
	wait_for grown
	awk '/^tdstat_slots_total.*atom/ { all = $2 } /^tdstat_topdown_slots_total.*atom/ { sum += $2; nr++ }
		END { exit !(nr == 4 && sum > 0.99 * all && sum < 1.01 * all) }' page
	kill "$serve"
	wait "$serve"
}

# rows_of NR FILE: succeed if there are rows of at least NR intervals
rows_of() {
	awk -F, -v nr="$1" 'NR > 1 && $1 ~ /[.]/ && $1 != time { time = $1; seen++ } END { exit seen < nr }' "$2"
}

# more NR FILE: wait for rows of NR further intervals
more() {
	local now

	now=$(awk -F, 'NR > 1 && $1 != time { time = $1; seen++ } END { print seen + 0 }' "$2")
	wait_for rows_of $((now + $1)) "$2"
}

# comes CPU OPTION...: the last rows of a run that the CPU comes to are those of one
# that had it from the start on, live and in the recording
comes() {
	switch 0 "$1"
	"$TDSTAT" record -o came -a "${@:2}" -I 200 -x, 2>serve.err >live 3>&- &
	counting=$!
	wait_for rows_of 1 live
	switch 1 "$1"
	await_said "CPU(s) $1 came online"
	# the one in which it came, and one before the last
	more 3 live
	kill "$counting"
	wait "$counting"
	"$TDSTAT" -a "${@:2}" -x, -- true 2>want
	cut -d, -f2-3 want | sort -u >want.ids
	last_ids live | diff want.ids -
	"$TDSTAT" report -x, came | last_ids - | diff want.ids -
}

# last_ids FILE: of the row before the last, which is a whole one
last_ids() {
	awk -F, 'NR > 1 && $1 != time { time = $1; before = rows; rows = "" }
		NR > 1 { rows = rows $2 "," $3 "\n" } END { printf "id,pmu\n%s", before }' "$1" | sort -u
}

# The kernel gives counters first to the events of a CPU, then to those of tasks.
@test "a command beside serve is counted all the time, on each core type" {
	serve
	await_line '^tdstat_cpus_counted\{pmu="cpu_core"\} 4$'
	for cpu in 0 4; do
		run -0 --separate-stderr "$TDSTAT" -l 1 -x, -o out -- taskset -c $cpu sh -c "$WORK"
		[ -z "$stderr" ]
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
			{ print; ran += $column["running"]; values += $column["tma_retiring"] != "" }
			END { exit ran < 98 || ran > 102 || !values }' out
		"$TDSTAT" record -l 1 -o rec -- taskset -c $cpu sh -c "$WORK"
		"$TDSTAT" report rec | grep -E '[0-9.]+ ±[0-9.]+ %  tma_retiring'
		"$TDSTAT" profile -j -o out -- taskset -c $cpu sh -c "$WORK" 2>/dev/null
		jq -es 'map(select(.metric == "tma_retiring" and .value != null)) | length > 0' out
	done
	# multiplexed groups are not pinned, but share the counters that serve leaves; a
	# command that binds itself may begin on a P-core
	run -0 --separate-stderr taskset -c 4 "$TDSTAT" -l 2 -- sh -c "$WORK"
	[[ $stderr =~ [0-9.]+" %  tma_retiring" ]]
	[[ $stderr != *"another program held the counters"* ]]
	run -0 --separate-stderr taskset -c 4 "$TDSTAT" -l auto -- sh -c "$WORK"
	[[ $stderr =~ [0-9.]+( ±[0-9.]+)?" "+"%  tma_retiring" ]]
	kill "$serve"
	wait "$serve" || true
}

@test "a CPU that was offline when counting began has its place" {
	# those between are made the same way
	hows=(-A --per-core --per-cache=L2 --per-socket)
	[ -z "${TD_EVERYTHING-}" ] || hows=(-A --per-core --per-cluster --per-cache=L2 --per-die --per-socket --per-node)
	for how in "${hows[@]}"; do
		comes 3 "$how"
	done
}

@test "-r: a CPU that comes in the first run is counted once in the next" {
	switch 0 3
	rm -f running
	"$TDSTAT" -a -r 2 -e cycles -- sh -c 'echo run >>running; until [ -e come ]; do sleep 0.1; done' 2>serve.err 3>&- &
	counting=$!
	wait_for_file running
	switch 1 3
	await_said 'CPU(s) 3 came online'
	touch come
	wait $counting
	[ "$(wc -l <running)" -eq 2 ]
	[ "$(grep -c 'CPU(s) 3 came online' serve.err)" -eq 1 ]
}

# times_of CPU: print the times of its samples; jq would take seconds for so many
times_of() {
	sed -nE "s/^\{\"s\":\[([0-9]+),$1,.*/\1/p" samples
}

# samples_of CPU: how many there are
samples_of() {
	times_of "$1" | wc -l
}

# samples_before_gap CPU: those until the first gap of a second, in which it was away
samples_before_gap() {
	times_of "$1" | awk 'NR > 1 && $1 - before > 1e9 { exit } { before = $1; nr = NR } END { print nr + 0 }'
}

# sampled CPU: succeed if there are samples of it
sampled() {
	grep -qE "^\{\"s\":\[[0-9]+,$1," samples
}

# sampled_again CPU: and not only before it went
sampled_again() {
	[ "$(samples_of "$1")" -gt "$(samples_before_gap "$1")" ]
}

# The kernel gives only CPUs that are online as those that are allowed.
@test "-r: a CPU that comes in the first run is allowed to the commands of later ones" {
	echo 0 >$CPUS/cpu3/online
	run -0 --separate-stderr "$TDSTAT" -a -l 6 -r 3 -o out -- \
		sh -c "echo 1 >$CPUS/cpu3/online; grep Cpus_allowed_list /proc/self/status"
	[ "$(sort -u <<<"$output")" = $'Cpus_allowed_list:\t0-7' ]
	run -0 --separate-stderr taskset -c 1-2 "$TDSTAT" -a -l 6 -r 3 -o out -- \
		grep Cpus_allowed_list /proc/self/status
	[ "$(sort -u <<<"$output")" = $'Cpus_allowed_list:\t1-2' ]
}

@test "locate and profile: CPUs that come back, and that come, are sampled" {
	for how in 'locate tma_backend_bound' 'profile'; do
		switch 0 3 7
		rm -f samples
		# shellcheck disable=SC2086
		"$TDSTAT" $how -F 200 -a --samples samples -- sh -c 'until [ -e end ]; do sleep 0.1; done' >out 2>serve.err 3>&- &
		sampling=$!
		wait_for_file samples
		wait_for sampled 2
		wait_for sampled 6
		switch 0 2 6
		# one look may find both
		await_said '^tdstat: CPU(s) 2.* went offline: not sampled until they are back$'
		await_said '^tdstat: CPU(s) .*6 went offline: not sampled until they are back$'
		# so long that it is a gap
		pause 1.5
		switch 1 2 3 6 7
		await_said 'CPU(s) 2.* were offline and are back: sampled again starting at [0-9.]* seconds$'
		await_said 'CPU(s) .*6 were offline and are back: sampled again starting at [0-9.]* seconds$'
		await_said 'CPU(s) 3.* came online: sampled starting at [0-9.]* seconds$'
		await_said 'CPU(s) .*7 came online: sampled starting at [0-9.]* seconds$'
		# CPUs of only one core type
		switch 0 5
		await_said '^tdstat: CPU(s) 5 went offline'
		switch 1 5
		await_said '^tdstat: CPU(s) 5 were offline and are back'
		for cpu in 3 7; do
			wait_for sampled $cpu
		done
		for cpu in 2 6; do
			wait_for sampled_again $cpu
		done
		touch end
		wait $sampling
		rm end
		run ! grep 'does not have this event\|are not sampled' serve.err
	done
}

@test "serve without the right to reopen counters: one note, with the remedy" {
	sysctl -qw kernel.perf_event_paranoid=3
	serve
	await_line '^tdstat_cpus_counted\{pmu="cpu_core"\} 4$'
	switch 0 3
	await_line '^tdstat_cpus_counted\{pmu="cpu_core"\} 3$'
	switch 1 3
	await_said 'CPU(s) 3 are back, but their counters cannot be reopened: Permission denied'
	await_said 'kernel.perf_event_paranoid of 2 or below (it is 3)'
	sysctl -qw kernel.perf_event_paranoid=2
	await_line '^tdstat_cpus_counted\{pmu="cpu_core"\} 4$'
	kill "$serve"
	wait "$serve"
	[ "$(grep -c 'cannot be reopened' serve.err)" -eq 1 ]
}

# work_in CGROUP: until it is ended
work_in() {
	sh -c "echo \$\$ >$CGROUPS/$1/cgroup.procs && exec 3>&- && $WORK_TO_END" 3>&- &
	worker=$!
}

make_cgroups() {
	echo +cpu >$CGROUPS/cgroup.subtree_control
	mkdir $CGROUPS/web $CGROUPS/db
	work_in web
}

# A cgroup can be removed when the last of its tasks is gone for good.
remove_web() {
	kill -9 "$worker"
	wait "$worker" || true
	wait_for rmdir $CGROUPS/web
}

slots_of_web() {
	awk '/^tdstat_slots_total.*web/ { sum += $2 } END { printf "%.0f", sum }' page
}

@test "serve: a cgroup that is removed and created again is counted again" {
	make_cgroups
	serve --for-each-cgroup web,db
	await_line '^tdstat_cgroups_counted 2$'
	await_line '^tdstat_slots_total\{pmu="cpu_(core|atom)",cgroup="web"\} [1-9]'
	remove_web
	await_line '^tdstat_cgroups_counted 1$'
	await_said '^tdstat: cgroup web was removed: not counted until there is one again$'
	# no task, no slots
	sleep 1.5
	get_page
	before=$(slots_of_web)
	mkdir $CGROUPS/web
	work_in web
	await_line '^tdstat_cgroups_counted 2$'
	await_said '^tdstat: cgroup web was created again; counted again$'
	grown() { get_page && [ "$(slots_of_web)" -gt "$before" ]; }
	wait_for grown
	kill "$serve"
	wait "$serve"
	remove_web
	rmdir $CGROUPS/db
}

@test "-G and --for-each-cgroup: cgroups of events and of trees that are recreated between two rows" {
	for words in '-e cycles -G web' '--for-each-cgroup web -e cycles,instructions' '--for-each-cgroup web -l 3'; do
		[ -d $CGROUPS/web ] || make_cgroups
		rm -f rows
		# shellcheck disable=SC2086
		env --default-signal=INT "$TDSTAT" -a $words -I 500 -x, -o rows 2>serve.err 3>&- &
		counting=$!
		wait_for rows_of 2 rows
		remove_web
		mkdir $CGROUPS/web
		work_in web
		await_said '^tdstat: cgroup web was created again; counted again$'
		# the one in which it came, one before the last, and the last, which was cut short
		more 3 rows
		kill -INT $counting
		wait $counting
		# something of it in the row before the last
		last=$(tail -n 1 rows)
		last=$(grep -v "^${last%%,*}," rows | tail -n 1)
		grep "^${last%%,*}," rows | grep -v '<not counted>' | grep -E ',[1-9][0-9.]*,'
		remove_web
		rmdir $CGROUPS/db
	done
}
