#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# -G and --for-each-cgroup: plans and refused options, with directories that look like a
# cgroup hierarchy, and with real cgroups where possible.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # sh -c; lists of options; helper.bash
load helper

# hierarchy [NAME...]: directories below ./tree, which tdstat takes for a mounted hierarchy
hierarchy() {
	local name

	for name in tree "${@/#/tree/}"; do
		mkdir -p "$name"
	done
	copied "${model:-sapphirerapids}"
	mkdir -p "$PROCFS_PATH/self"
	# as the kernel writes spaces
	echo "cgroup2 ${PWD// /\\040}/tree cgroup2 rw,nosuid 0 0" >"$PROCFS_PATH/self/mounts"
}

# busy NAME: a cgroup of this name with a process that never sleeps, or skips
busy() {
	root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/self/mounts)
	[ -n "$root" ] || root=$(awk '$3 == "cgroup2" { print $2 }' /proc/self/mounts | tail -n 1)
	[ -n "$root" ] || skip "no cgroups here"
	cgroup=$root/$1
	mkdir "$cgroup" 2>/dev/null || skip "cgroups may not be made here"
	sh -c 'echo $$ >"$1/cgroup.procs" || exit; while :; do :; done' - "$cgroup" 3>&- &
	inside=$!
	is_inside() { has_text "$cgroup/cgroup.procs" . || has_ended "$inside"; }
	wait_for is_inside
	has_text "$cgroup/cgroup.procs" . || skip "no process may be moved"
	# a command that ends when that process has run for 50 ms
	works=(bash -c 'used() { read -ra stat <"/proc/$0/stat"; used=$((stat[13] + stat[14])); }
		used; until=$((used + 5)); while used; [ $used -lt $until ]; do :; done' "$inside")
}

# counted MS COMMAND...: count for MS, or longer until the process in the cgroup has run
counted() {
	local times

	for times in 1 10 100 1000; do
		try within "${@:2}" --timeout $(($1 * times))
		[[ $output == *'<not counted>'* || $stderr == *'nothing was counted'* ]] || return 0
	done
}

teardown() {
	if [ -n "${inside-}" ]; then
		kill -KILL "$inside" 2>/dev/null || true
		wait "$inside" 2>/dev/null || true
	fi
	if [ -n "${cgroup-}" ] && [ -d "$cgroup" ]; then
		wait_for rmdir "$cgroup" 2>/dev/null
	fi
	[ -n "$BATS_TEST_COMPLETED" ] || [ -z "${stderr-}" ] ||
		printf 'stderr: %s\n' "$stderr"
}

# columns N...: print these comma-separated columns of $output, each row followed by a blank
columns() {
	awk -F, -v columns="$*" 'BEGIN { n = split(columns, of, " ") }
		{ for (i = 1; i <= n; i++) printf "%s%s", $of[i], i < n ? "," : " " }' <<<"$output"
}

# --- refused options --------------------------------------------------------------

@test "no hierarchy is mounted: an error with the remedy" {
	hierarchy
	for mounts in '' 'proc /proc proc rw 0 0' 'cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0'; do
		echo "$mounts" >"$PROCFS_PATH/self/mounts"
		for how in '-e cycles -G a' '--for-each-cgroup a' '-e cycles --for-each-cgroup a'; do
			try "$TDSTAT" -a $how --require -- touch ran
			assert_failure 125
			assert_why_and_remedy 'cgroup' 'mount'
			[ ! -e ran ]
		done
	done
}

@test "a cgroup that is not there: its name and where it was looked for" {
	hierarchy web
	try "$TDSTAT" -a -e cycles,instructions -G web,nosuch --require -- touch ran
	assert_failure 125
	assert_complains 'nosuch: No such file'
	assert_complains "$PWD/tree"
	[ ! -e ran ]
	# as a path of the file system
	try "$TDSTAT" -a -e cycles -G "$PWD/tree/web" --require -- touch ran
	assert_failure 125
	assert_complains 'names begin below .*: web$'
	[ ! -e ran ]
	for list in nosuch '^no' 'x.*,y'; do
		try "$TDSTAT" -a -e cycles --for-each-cgroup "$list" --require -- touch ran
		assert_failure 125
		assert_complains 'no'
		[ ! -e ran ]
	done
}

@test "Skylake with hyper-threading on: the slots of one cgroup are refused, or estimated" {
	model=skylakex hierarchy web
	for level in 1 2; do
		try "$TDSTAT" --dry-run -a -l $level --for-each-cgroup web
		assert_failure 1
		assert_complains '^tdstat: .*: those of one cgroup cannot be counted
tdstat: -M TopdownL1.* estimates them, .*without --for-each-cgroup, or switch hyper-threading off$'
	done
	# as for programs, using the time that each thread had its core to itself
	for what in '-M TopdownL1' '-l 3'; do
		try "$TDSTAT" --dry-run -a $what --for-each-cgroup web
		assert_success
		[[ $output == *ONE_THREAD_ACTIVE* ]]
	done
	# on the whole machine, whole cores are counted
	try "$TDSTAT" --dry-run -a -M TopdownL1
	[[ $output != *ONE_THREAD_ACTIVE* ]]
}

@test "-G and --for-each-cgroup count on CPUs: without -a or -C they are refused" {
	hierarchy web
	for how in '-e cycles -G web' '-e cycles --for-each-cgroup web' '--for-each-cgroup web'; do
		for target in '' '-p 1' '-t 1'; do
			try "$TDSTAT" $how $target -- touch ran
			[ "$status" = 64 ] || fail "$how $target: status $status"
			assert_complains "(-G|--for-each-cgroup).*${target:+-p and -t tasks: they exclude}"
			[ -n "$target" ] || assert_complains 'they need -a or -C'
			[ ! -e ran ]
		done
		try "$TDSTAT" --dry-run $how -C 0 -- true
		[ "$status" = 0 ] || fail "$how -C 0: $stderr"
	done
	try "$TDSTAT" -a -e cycles -G web --for-each-cgroup web -- touch ran
	assert_failure 64
	assert_complains '-G.*--for-each-cgroup'
}

@test "-G: one for each event before it, a single one for all; else it is refused" {
	hierarchy web db
	try "$TDSTAT" --dry-run -a -e cycles,instructions,branches -G web
	assert_success
	try "$TDSTAT" --dry-run -a -e cycles,instructions -G web,db
	assert_success
	try "$TDSTAT" --dry-run -a -e cycles -G web -e instructions -G db
	assert_success
	# more cgroups than events
	try "$TDSTAT" -a -e cycles -G web,db -- touch ran
	assert_failure 64
	assert_complains '^tdstat: -G: 2 cgroups, but only 1 event'
	try "$TDSTAT" -a -G web -e cycles -- touch ran
	assert_failure 64
	assert_complains '-G.*-e'
	[ ! -e ran ]
	# a group is of one cgroup
	try "$TDSTAT" -a -e '{cycles,instructions}' -G web,db -- touch ran
	assert_failure 64
	assert_complains '^tdstat: -G: .*the same cgroup'
	[ ! -e ran ]
	# metrics are of one cgroup
	try "$TDSTAT" -a -l 1 -G web,db -- touch ran
	assert_failure 64
	assert_complains '^tdstat: -G: .*--for-each-cgroup'
	[ ! -e ran ]
}

# --- counts -----------------------------------------------------------------------

@test "a cgroup's time is its own, to the CPU" {
	real -a
	busy tdstat-$$-a
	counted 200 "$TDSTAT" -a -e cpu-clock --for-each-cgroup "${cgroup##*/}" -x,
	assert_success
	# one process: of one CPU at the most
	awk -F, -v name="${cgroup##*/}" '{ exit !($3 == "cpu-clock" && $4 == name && $1 > 0 &&
		$7 < 1.1 && $8 == "CPUs utilized" && NF == 8) }' <<<"$output" || fail "$output"
}

@test "a parent includes its child's time; an empty cgroup is not counted" {
	real -a
	busy tdstat-$$-b
	name=${cgroup##*/}
	mkdir "$root/$name-empty"
	try "$TDSTAT" -a -e cpu-clock --for-each-cgroup "$name,$name-empty,/" -x, --timeout 200
	rmdir "$root/$name-empty"
	assert_success
	assert_equal "$(columns 4)" "$name $name-empty / "
	awk -F, 'NR == 1 { own = $1 } NR == 2 && $1 != "<not counted>" { exit 1 }
		NR == 3 && $1 < own * 0.9 { exit 1 }' <<<"$output"
}

@test "-G: each event has its cgroup; the table has a column of them" {
	real -a
	busy tdstat-$$-c
	name=${cgroup##*/}
	counted 100 "$TDSTAT" -a -e cpu-clock,page-faults,task-clock -G "$name,/,$name"
	assert_success
	[[ $'\n'$output =~ $'\n'\ +[0-9.]+\ msec\ cpu-clock\ +$name\ +#\ +[0-9.]+\ CPUs\ utilized ]] || fail "$output"
	[[ $output =~ \ page-faults\ +/\  && $output =~ \ task-clock\ +$name\  ]] || fail "$output"
	# one alone, for both
	try "$TDSTAT" -a -e cpu-clock,page-faults -G "$name" -x, --timeout 50
	assert_equal "$(columns 3 4)" "cpu-clock,$name page-faults,$name "
}

@test "JSON: the key cgroup follows the event; -A has a row per CPU and cgroup" {
	real -a
	busy tdstat-$$-d
	name=${cgroup##*/}
	try "$TDSTAT" -a -e cpu-clock --for-each-cgroup "$name" -j --timeout 50
	jq -e --arg name "$name" '.cgroup == $name and
		(keys_unsorted | index("cgroup") == index("event") + 1)' <<<"$output"
	try "$TDSTAT" -a -A -e cpu-clock --for-each-cgroup "$name" -x, --timeout 50
	assert_equal "${#lines[@]}" "$(getconf _NPROCESSORS_ONLN)"
	[[ ${lines[0]} == CPU0,*,cpu-clock,$name,* ]]
}

@test "-I, -r, record and report of a cgroup" {
	real -a
	busy tdstat-$$-e
	name=${cgroup##*/}
	try "$TDSTAT" record -o file -a -e cpu-clock --for-each-cgroup "$name" -I 50 --interval-count 3 -x,
	assert_success
	assert_equal "$(columns 5)" "$name $name $name "
	assert_same "$output" "$("$TDSTAT" report file -x,)"
	try "$TDSTAT" -a -r 2 -e cpu-clock --for-each-cgroup "$name" -x, -- "${works[@]}"
	[[ $stderr =~ ^[0-9.]+,msec,cpu-clock,$name,[0-9.]+%, ]]
}

@test "metrics of a cgroup: its name replaces the id, and follows it with -A" {
	needs_software_events -a
	busy tdstat-$$-f
	name=${cgroup##*/}
	counted 100 "$TDSTAT" -a --for-each-cgroup "$name" -x,
	assert_success
	assert_equal "${#lines[@]}" 2
	awk -F, -v name="$name" 'NR == 2 { exit !($2 == name && $8 > 40 && $8 < 60 && $10 > 40 && $10 < 60) }' <<<"$output" || fail "$output"
	try "$TDSTAT" -a -A --for-each-cgroup "$name" -x, --timeout 50
	assert_line --index 1 --partial ",CPU0 $name,"
}

@test "names and expressions: each cgroup once, matched anywhere in its path" {
	real -a
	busy tdstat-$$-g
	name=${cgroup##*/}
	mkdir "$cgroup"/{web,web/api,db}
	while read -r list want; do
		list=${list//NAME/$name}
		try "$TDSTAT" -a -e cpu-clock --for-each-cgroup "$list" -x, --timeout 20
		[ "$status" = 0 ] || fail "$list: $stderr"
		got=$(columns 4)
		assert_equal "$list: ${got//"$name"/NAME}" "$list: $want "
	done <<-'EOS'
		NAME NAME
		NAME/db,NAME NAME/db NAME
		NAME,/NAME/,NAME NAME
		^NAME$ NAME
		NAME.* NAME NAME/db NAME/web NAME/web/api
		NAME.*[wd]b$ NAME/db
		NAME/web$ NAME/web
		^NAME$,tdstat-nobody.* NAME
	EOS
	rmdir "$cgroup"/{web/api,web,db}
}

# --- containers -------------------------------------------------------------------

@test "text shows a container's name, and programs get its cgroup as well" {
	real -a
	id=$(printf '%064x' $$)
	busy "docker-$id.scope"
	name=${cgroup##*/}
	# a proc whose first process sees files of Docker
	mkdir proc
	ln -s -t proc /proc/[!0-9]*
	mkdir -p "proc/1/root/var/lib/docker/containers/$id"
	echo '{"Name":"/web"}' >"proc/1/root/var/lib/docker/containers/$id/config.v2.json"
	export PROCFS_PATH=$PWD/proc
	counted 100 "$TDSTAT" record -o file -a -e cpu-clock --for-each-cgroup "$name"
	assert_success
	[[ $output =~ \ cpu-clock\ +web\ +# ]]
	[[ $output != *"$id"* ]]
	unset PROCFS_PATH
	# a recording knows it elsewhere
	"$TDSTAT" report file | grep -E ' cpu-clock +web +#'
	"$TDSTAT" report file -j | jq -e --arg name "$name" '.cgroup == $name and .container == "web"'
	"$TDSTAT" report file -x, | grep ",cpu-clock,$name,"
	# as perf stat has it
	"$TDSTAT" report file -j --perf | jq -e 'has("container") | not'
	# no files: as docker ps shows it
	counted 100 "$TDSTAT" -a -e cpu-clock --for-each-cgroup "$name"
	[[ $output =~ \ cpu-clock\ +${id:0:12}\  ]]
}

@test "rows of containers: text, narrow tables, trees and the verdict have names, CSV and JSON both" {
	web=system.slice/docker-$(printf '%064d' 7).scope
	jq -c --arg web "$web" 'if .tdstat then .cgroups = [$web, "system.slice/db"] | .containers = ["web", ""]
		elif .counts then .counts |= map(. + [.[1] % 2]) else . end' "$data/alderlake.jsonl" >file
	"$TDSTAT" report file | grep -E '^ +[0-9.]+ +web +cpu_core '
	"$TDSTAT" report file | grep -E '^ +[0-9.]+ +system.slice/db +cpu_core '
	"$TDSTAT" report file -A | grep -E '^ +[0-9.]+ +CPU0 web +cpu_core '
	"$TDSTAT" report file --summary | grep -E '^ web cpu_core,'
	"$TDSTAT" report file --summary | grep -E '^ Biggest losers: (web|system.slice/db) .*, (web|system.slice/db) \('
	script -qec "stty cols 60; '$TDSTAT' report file" /dev/null </dev/null | grep -E '^ +[0-9.]+ web +cpu_core '
	"$TDSTAT" report file -x, | awk -F, -v web="$web" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["id"] != $at["cgroup"] || ($at["container"] == "web") != ($at["id"] == web) { exit 1 }'
	"$TDSTAT" report file -j | jq -es --arg web "$web" 'map(select(.metric)) |
		any(.id == $web) and all((.id == $web) == (.container == "web"))'
	# a recording of another program, with more or fewer names than cgroups
	jq -c 'if .tdstat then .containers = ["web"] else . end' file >other
	[[ $("$TDSTAT" report other) != *" web "* ]]
}
