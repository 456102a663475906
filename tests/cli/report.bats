#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat report of the recordings of tests/data: numbers are compared with those
# that metrics.jq computes from the same raw counts; and the printed tables.

# shellcheck disable=SC2016,SC2086,SC2154 # sh -c, awk; lists of options; helper.bash
load helper

report() {
	"$TDSTAT" report -i "$data/$1.jsonl" "${@:2}"
}

# long_form: of tdstat's CSV, "ROW ID PMU METRIC VALUE" for each value there is
long_form() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
		{ row += $1 != time; time = $1 }
		{ for (i = 8; name[i] != "ghz"; i++) if ($i != "") print row, $2, $3, name[i], $i }'
}

# agrees LEVEL MODE RECORDING [OPTION...]: to the two decimals of the CSV, and
# no value too many or too few
agrees() {
	jq -rs --argjson level "$1" --arg mode "$2" -f "$here/metrics.jq" "$data/$3.jsonl" >want
	report "$3" -l "$1" -x, "${@:4}" >got
	awk '
		function add(id, value) {
			if (id in got) { print "twice: " id; failed = 1 }
			got[id] = value
		}
		FILENAME == "want" { want[$1 " " $2 " " $3 " " $4] = $5; n++; next }
		FNR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
		{ row += $1 != time; time = $1 }
		{ for (i = 8; name[i] != "ghz"; i++) if ($i != "") add(row " " $2 " " $3 " " name[i], $i) }
		END {
			for (id in got) if (!(id in want)) { print "not wanted: " id, got[id]; failed = 1 }
			for (id in want) if (!(id in got) || want[id] - got[id] > 0.0050001 || got[id] - want[id] > 0.0050001) {
				print "want, got: " id, want[id], got[id]
				failed = 1
			}
			exit failed || !n
		}' FS=' ' want FS=, got
}

# --- the numbers ------------------------------------------------------------------

@test "Alder Lake: each PMU's four, from raw counts" { agrees 1 all alderlake; }
@test "Alder Lake, level 2" { agrees 2 all alderlake-2; }
@test "Alder Lake, a command that ran on both core types" { agrees 1 all alderlake-command; }
@test "Sapphire Rapids, level 2" { agrees 2 all sapphirerapids-2; }
@test "Ice Lake, level 2, its corrections" { agrees 2 all icelakex-2; }
@test "Skylake, level 2, multiplexed groups" { agrees 2 all skylakex-2; }

@test "level 1 of a recording of level 2" {
	for model in alderlake sapphirerapids icelakex skylakex; do
		agrees 1 all $model-2
	done
}

@test "-A: each CPU separately" {
	agrees 1 cpu alderlake -A
	agrees 2 cpu sapphirerapids-2 -A
	agrees 2 cpu icelakex-2 --no-aggr
}

@test "--hybrid-merge: each PMU weighs as much as its slots" {
	agrees 1 merge alderlake --hybrid-merge
	agrees 2 merge alderlake-2 --hybrid-merge
}

@test "--hybrid-merge: children are merged together or not at all, with a note" {
	try report alderlake-2 -l 2 --hybrid-merge -j
	assert_success
	jq -es 'map(.metric) | unique == (["tma_retiring", "tma_backend_bound", "tma_frontend_bound",
		"tma_bad_speculation", "tma_branch_mispredicts", "tma_machine_clears"] | sort)' <<<"$output"
	# of level 2's eleven names on the two core types
	assert_equal "$stderr" "tdstat: --hybrid-merge: 9 metrics are left out that not all core \
types have, or that without these do not add up to their parent"
	# level 1 is complete; a single core type cannot be merged
	try report alderlake --hybrid-merge
	assert_no_stderr
	try report alderlake-2 -l 2 --cputype core --hybrid-merge
	assert_no_stderr
	assert_output --partial tma_core_bound
}

@test "--hybrid-merge: metrics that are named individually are merged" {
	saved alderlake
	"$TDSTAT" --dry-run -a -M tma_core_bound | python3 "$here/metrics.py" record - >recording.jsonl
	"$TDSTAT" report recording.jsonl -M tma_core_bound --hybrid-merge -j |
		jq -es 'map(.metric) == ["tma_core_bound"] and .[0].value != null'
	# its group: two of each, and one in common
	"$TDSTAT" --dry-run -a -M tma_backend_bound_group | python3 "$here/metrics.py" record - >recording.jsonl
	try "$TDSTAT" report recording.jsonl -M tma_backend_bound_group --hybrid-merge
	assert_failure 64
	assert_complains 'none of these metrics is a share that all core types have'
}

@test "--hybrid-merge of a command: by the slots that were counted, not extrapolated" {
	agrees 1 merge alderlake-command --hybrid-merge
}

@test "the recordings tell their CPUs apart" {
	# else the tests above would not see a wrong one
	try report alderlake -A -x,
	assert_equal "$(long_form <<<"$output" | awk '$1 == 2 && $4 == "tma_retiring" { print $5 }' |
		sort -u | wc -l)" 8
}

@test "--cputype: only that PMU's rows, with the same values" {
	# one that is alone has all slots that are shown
	report alderlake -x, | cut -d, -f1-4,6-12,14- >all
	for type in core cpu_core atom cpu_atom; do
		report alderlake -x, --cputype $type >got
		assert_same "$(grep -e ^time -e "cpu_${type#cpu_}," all)" "$(cut -d, -f1-4,6-12,14- got)"
		assert_equal "$(cut -d, -f5 got | sort -u | xargs)" '100.00 share'
	done
	try report alderlake --cputype lowpower
	assert_failure 1
	assert_complains lowpower
}

@test "--cputype with --hybrid-merge: the one PMU's values" {
	try report alderlake -x, --cputype atom --hybrid-merge
	assert_output "$(report alderlake -x, --cputype atom | sed 's/cpu_atom/all/')"
}

@test "Darkmont, recorded when its width was not known: over the sum of the four" {
	cat >rec.jsonl <<-'END'
	{"tdstat":1,"cpuid":"GenuineIntel-6-DD-1","smt":false,"interval_ms":1000,"target":"system wide","pmus":[{"name":"cpu","type":4,"cpus":"0"}],"topology":[{"cpu":0,"core":0,"cluster":0,"die":0,"socket":0,"node":0}],"events":[{"name":"cpu/topdown-retiring/","pmu":"cpu","group":0},{"name":"cpu/topdown-bad-spec/","pmu":"cpu","group":0},{"name":"cpu/topdown-fe-bound/","pmu":"cpu","group":0},{"name":"cpu/topdown-be-bound/","pmu":"cpu","group":0},{"name":"cpu/cpu-cycles/","pmu":"cpu","group":0}]}
	{"time":1.0,"counts":[[0,0,-1,20,8,8],[1,0,-1,20,8,8],[2,0,-1,60,8,8],[3,0,-1,100,8,8],[4,0,-1,50,8,8]]}
	END
	for level in 1 2; do
		"$TDSTAT" report rec.jsonl -j -l $level 2>notes >out
		assert_equal "$(jq -c 'select(.metric) | [.metric, .value + 0]' out | sort | xargs)" \
			"[tma_backend_bound,50] [tma_bad_speculation,10] [tma_frontend_bound,30] [tma_retiring,10]"
	done
	# with cycles, it is 8 slots a cycle, as every other core's: 400 slots
	sed -i 's|cpu/cpu-cycles/|cpu/cycles/|' rec.jsonl
	"$TDSTAT" report rec.jsonl -j 2>notes >out
	assert_equal "$(jq -r 'select(.metric == "tma_backend_bound") | .value + 0' out)" 25
}

@test "level 2 of a recording of level 1: as far as its events reach, or a reason" {
	try report alderlake -l 2 -x,
	if [ "$status" = 0 ]; then
		# cpu_core's are all there: the group is the same at both levels
		long_form <<<"$output" | grep 'cpu_core tma_memory_bound'
		long_form <<<"$output" | grep 'cpu_atom tma_retiring'
		assert_complains 'cpu_atom.*level'
	else
		assert_failure 1
		assert_complains 'level'
	fi
	[[ $stderr != *formula* ]]
}

@test "a level that is not there is refused" {
	for level in 7 -l7 99 -1 x ''; do
		try report alderlake -l "${level#-l}"
		assert_failure 64
		assert_complains '-l'
		assert_output ''
	done
}

# --- the text table ---------------------------------------------------------------

# table_of: each number with the header that it ends under; marks follow it
table_of() {
	tr '*?~' '   ' | awk '
	/^#/ {
		delete at
		line = $0
		sub(/^#/, " ", line)
		gsub(/%  /, "%__", line)
		for (i = 1; i <= length(line); i++)
			if (substr(line, i, 1) != " " && substr(line, i + 1, 1) ~ /^ ?$/) {
				name = substr(line, 1, i)
				sub(/.* /, "", name)
				sub(/^%__/, "", name)
				at[i] = name
			}
		next
	}
	{
		row += $1 != time
		time = $1
		for (i = 1; i <= length($0); i++) {
			if (substr($0, i, 1) == " " || substr($0, i + 1, 1) !~ /^ ?$/)
				continue
			value = substr($0, 1, i)
			sub(/.* /, "", value)
			if (value == time || value ~ /^-?[0-9]+\.[0-9]$/)
				print row, (i in at ? at[i] : "no header ends at " i), value
		}
	}'
}

# each_under_its_header OPTION...: the table's values are the CSV's to one decimal; rows of
# several PMUs and CPUs have the same order in both
each_under_its_header() {
	report "$@" | table_of >text
	report "$@" -x, | long_form >csv
	[ -s csv ]
	awk '
		BEGIN { n = m = 0 }
		FILENAME == "text" { if ($2 != "time" && $2 != "%lost") { row[n] = $1; name[n] = $2; value[n] = $3; line[n++] = $0 } next }
		{ to[m++] = $5; csv[$1, $4, ++at[$1, $4]] = $5 }
		END {
			if (n != m) { print n " values, not " m; exit 1 }
			for (i = 0; i < n; i++) {
				nth = ++seen[row[i], name[i]]
				off = value[i] - csv[row[i], name[i], nth]
				if (!((row[i], name[i], nth) in csv) || off > 0.0551 || off < -0.0551) {
					print "text, CSV: " line[i] ", " csv[row[i], name[i], nth]
					failed = 1
				}
				off = value[i] - to[i]
				if (off > 0.0551 || off < -0.0551) { print "order: " line[i] ", " to[i]; failed = 1 }
			}
			exit failed
		}' text csv
}

@test "the table: every value ends under the end of its header" {
	each_under_its_header alderlake
	each_under_its_header alderlake -A
	each_under_its_header alderlake --hybrid-merge
	each_under_its_header alderlake-2 -l 2
	each_under_its_header sapphirerapids-2 -l 2 -A
	each_under_its_header skylakex-2 -l 2
}

@test "the table: perf's interval column, and a pmu column only on hybrids" {
	try report alderlake
	assert_line --index 0 --regexp '^#           time pmu +%  tma_retiring %  tma_backend_bound %  tma_frontend_bound %  tma_bad_speculation$'
	assert_line --index 1 --regexp '^ {5}[0-9]\.[0-9]{9} cpu_core '
	assert_line --index 2 --regexp '^ {5}[0-9]\.[0-9]{9} cpu_atom '
	assert_equal "${#lines[@]}" 12
	assert_line --index 11 '# * is above its threshold: look there'
	try report alderlake --hybrid-merge
	assert_line --index 1 --regexp '^ {5}[0-9]\.[0-9]{9} all '
	assert_equal "${#lines[@]}" 7
	try report sapphirerapids-2
	assert_line --index 0 --regexp '^#           time +%  tma_retiring %  tma_backend_bound %  tma_frontend_bound %  tma_bad_speculation$'
	refute_output --partial pmu
	try report sapphirerapids-2 -A
	assert_line --index 0 --regexp '^#           time id +%lost +%  tma_retiring '
	assert_line --index 8 --regexp ' CPU7 '
}

@test "the table: children follow their parent at level 2" {
	try report sapphirerapids-2 -l 2
	assert_equal "$(tr -s ' ' '\n' <<<"${lines[0]}" | grep tma_ | xargs)" \
		"tma_retiring tma_light_operations tma_heavy_operations tma_backend_bound tma_memory_bound tma_core_bound tma_frontend_bound tma_fetch_latency tma_fetch_bandwidth tma_bad_speculation tma_branch_mispredicts tma_machine_clears"
}

@test "the table: one header in a file, no escape sequence" {
	try report alderlake -A
	assert_equal "$(grep -c '^#  ' <<<"$output")" 1
	refute_output --partial $'\033'
}

# --- the tree ---------------------------------------------------------------------

@test "the tree: perf stat's frame, a tree per PMU" {
	try report alderlake-command --no-verdict
	assert_success
	assert_line --partial " Performance counter stats for 'sh -c taskset"
	assert_line --regexp '^ cpu_core, [0-9.]+ % of the slots'
	assert_line --regexp '^ cpu_atom, [0-9.]+ % of the slots'
	assert_equal "$(grep -c tma_ <<<"$output")" 8
	local end
	end=$(tail -n 1 "$data/alderlake-command.jsonl")
	for what in elapsed user sys; do
		[[ $end =~ \"$what\":([0-9.]+) ]]
		assert_line --regexp "^ +${BASH_REMATCH[1]} seconds ${what/elapsed/time elapsed}\$"
	done
}

# on_one_pmu RUNNING: the command that ran on both, as if it had been on the P-core
# for this share of its time, and on no E-core
on_one_pmu() {
	jq -c --argjson share "$1" '
		if .events then [.events[].pmu == "cpu_core"] as $core | .core = $core else . end' \
		"$data/alderlake-command.jsonl" |
		jq -cs --argjson share "$1" '.[0].core as $core | .[0] |= del(.core) | .[] |
			if .counts then .counts |= map(if $core[.[0]]
				then .[5] = (.[4] * $share | floor)
				else .[3] = 0 | .[5] = 0 end) else . end' >one.jsonl
}

# Three rows of a second; in the last one the command waits.
@test "-I: a core type on which the command never ran has no rows, with one note" {
	on_one_pmu 1
	jq -cs '.[0].interval_ms = 1000 | .[0], (.[1] as $row | (1, 2, 3) as $n | $row | .time = $n |
			if $n == 3 then .counts |= map(.[3] = 0 | .[4] = 0 | .[5] = 0) else . end)' one.jsonl >rows.jsonl
	for window in 0 150 60; do
		script -qec "stty cols $window; '$TDSTAT' report -l 2 rows.jsonl" /dev/null </dev/null |
			tr -d '\r' | sed 's/\x1b\[[0-9]*m//g' >screen
		assert_equal "$(grep -cE '^ *[12][.]0' screen)" 2
		assert_equal "$(grep -c '^# cpu_atom has no row for intervals in which no task ran there$' screen)" 1
		# a command that only waits has run on no core type, so both rows show it
		assert_equal "$(grep -cE '^ *3[.]0' screen)" 2
	done
	# programs get each row
	try "$TDSTAT" report -x , rows.jsonl
	assert_equal "$(grep -c ',cpu_atom,' <<<"$output")" 3
}

@test "the tree, -v: a PMU on which the command never ran lacks no counter" {
	on_one_pmu 1
	try "$TDSTAT" report one.jsonl -v
	assert_success
	assert_line ' cpu_atom, <not counted>: no task ran there'
	assert_equal "$(grep -c '<not counted>  tma_.*  (nothing ran on cpu_atom)$' <<<"$output")" 4
	refute_output --partial 'did not get a counter'
	"$TDSTAT" report one.jsonl -j | jq -es 'map(select(.pmu == "cpu_atom")) | length == 4 and
		all(.value == null and .why == "nothing ran on cpu_atom")'
	# the rest of its time is unknown
	on_one_pmu 0.5
	try "$TDSTAT" report one.jsonl -v
	assert_equal "$(grep -c '(nothing ran on cpu_atom, or another program had its counters)$' <<<"$output")" 4
	# one event of a PMU that ran: that one has no counter
	jq -c 'if .counts then .counts |= map(if .[0] == 1 then .[3] = 0 | .[5] = 0 else . end) else . end' \
		"$data/alderlake-command.jsonl" >one.jsonl
	try "$TDSTAT" report one.jsonl -v
	assert_output --partial '(cpu_core/topdown-retiring/ did not get a counter)'
}

@test "the tree: the share of the slots, only beside another PMU" {
	for kind in core atom; do
		try report alderlake-command --cputype $kind --no-verdict
		assert_line --regexp "^ cpu_$kind, [0-9.]+ % of one CPU, measured [0-9.]+ % of the time\$"
		refute_output --partial 'of the slots'
	done
	on_one_pmu 1
	try "$TDSTAT" report one.jsonl
	assert_line --partial ' cpu_core, 100.0 % of the slots'
}

@test "the tree: the figures, the shares of the slots" {
	report alderlake-command | without_errors | awk '
		/ cpu_/ { pmu = $1; sub(/,/, "", pmu) }
		$2 == "%" && $3 ~ /^tma_/ { print pmu, $3, $1 }' | LC_ALL=C sort >got
	report alderlake-command -x, | long_form | awk '{ print $3, $4, $5 }' | LC_ALL=C sort >csv
	assert_equal "$(wc -l <got)" 8
	paste -d' ' got csv | awk '$1 != $4 || $2 != $5 || $3 - $6 > 0.0551 || $6 - $3 > 0.0551 {
		print; failed = 1 } END { exit failed }'
	# the slots: SLOTS as counted, and 5 a cycle of Gracemont
	core=$(jq -rs '.[0].events as $e | [.[1].counts[] | { ($e[.[0]].name): .[3] }] | add
		| ."cpu_core/slots/" as $c | (5 * ."cpu_atom/cycles/") as $a | 100 * $c / ($c + $a)' \
		"$data/alderlake-command.jsonl")
	try report alderlake-command
	assert_line --partial "$(LC_ALL=C printf ' cpu_core, %.1f %% of the slots' "$core")"
	assert_line --partial "$(LC_ALL=C printf ' cpu_atom, %.1f %% of the slots' \
		"$(jq -n "100 - $core")")"
}

@test "the tree: exactly the nodes above their thresholds are marked" {
	# a recording without intervals, out of one with them
	for recording in sapphirerapids-2 icelakex-2 skylakex-2 alderlake-2; do
		{
			head -n 1 "$data/$recording.jsonl" | sed 's/"interval_ms":[0-9]*/"interval_ms":0/'
			sed -n '2p;$p' "$data/$recording.jsonl"
		} >tree.jsonl
		# an impossible value has another mark
		"$TDSTAT" report -i tree.jsonl -l 2 | without_errors |
			awk '/^ cpu/ { pmu = $1; sub(/,.*/, "", pmu) }
				$2 == "%" && $3 ~ /^tma_/ { print pmu, $3, /<--/ ? "true" : $4 == "?" ? "?" : "false" }' |
			LC_ALL=C sort >got
		jq -rs --argjson level 2 --arg mode all -f "$here/metrics.jq" tree.jsonl |
			awk 'NR == FNR { if ($3 == "?") other[$1, $2] = 1; next }
				{ print $3, $4, ($3, $4) in other ? "?" : $6 }' got - | LC_ALL=C sort >want
		assert_same "$(cat want)" "$(cat got)"
		grep -q true got
		grep -q false got
	done
}

@test "the tree: children stand below their parents, four columns in" {
	{
		head -n 1 "$data/sapphirerapids-2.jsonl" | sed 's/"interval_ms":[0-9]*/"interval_ms":0/'
		sed -n '2p;$p' "$data/sapphirerapids-2.jsonl"
	} >tree.jsonl
	"$TDSTAT" report -i tree.jsonl -l 2 | without_errors | awk '
		/%  tma_/ {
			column = index($0, "%")
			if (!top) top = column
			print (column - top) / 4, $3
		}' >got
	assert_same "0 tma_retiring
1 tma_light_operations
1 tma_heavy_operations
0 tma_backend_bound
1 tma_memory_bound
1 tma_core_bound
0 tma_frontend_bound
1 tma_fetch_latency
1 tma_fetch_bandwidth
0 tma_bad_speculation
1 tma_branch_mispredicts
1 tma_machine_clears" "$(cat got)"
}

# --- missing and odd values -------------------------------------------------------

# changed FILTER: alderlake.jsonl with its counts changed by a jq filter over
# [event, cpu, tid, value, enabled, running]; event 0 is SLOTS
changed() {
	jq -c "if .counts then .counts |= map($1) else . end" "$data/alderlake.jsonl" >changed.jsonl
}

@test "a PMU that never ran: not counted, empty, null; the other PMU stands" {
	changed 'if .[1] < 4 then .[3] = 0 | .[5] = 0 else . end'
	try "$TDSTAT" report -i changed.jsonl -x,
	assert_success
	assert_line --regexp '^[0-9.]+,all,cpu_core,,,0\.00,,,,,,,,,,,interval,'
	assert_line --regexp '^[0-9.]+,all,cpu_atom,,,100\.00,(,[0-9.]+){4},,[0-9.]+,[0-9]+,[0-9]+,,interval,'
	try "$TDSTAT" report -i changed.jsonl
	assert_line --regexp ' cpu_core +(<not counted> *){4}$'
	assert_equal "$(grep -c 'not counted' <<<"$output")" 5
	"$TDSTAT" report -i changed.jsonl -j | jq -es '
		all(.[] | select(.pmu == "cpu_core"); .value == null and .over_threshold != true)
		and all(.[] | select(.pmu == "cpu_atom"); .value | type == "number")
		and length == 40'
	try "$TDSTAT" report -i changed.jsonl -x, --hybrid-merge
	refute_output --partial nan
}

@test "<not counted> ends under its header too" {
	changed 'if .[1] < 4 then .[3] = 0 | .[5] = 0 else . end'
	"$TDSTAT" report -i changed.jsonl | awk '
		NR == 1 { width = length($0) }
		/^# / && !/^#  / { next }
		length($0) != width { print; failed = 1 }
		END { exit failed }'
}

@test "an event that never ran: metrics that need it are missing, not zero" {
	# 7 is UOP_DROPPING in the recording, or wherever it stands
	local event
	event=$(jq -s '.[0].events | map(.name == "cpu_core/INT_MISC.UOP_DROPPING/") | index(true)' \
		"$data/alderlake.jsonl")
	changed "if .[0] == $event then .[3] = 0 | .[5] = 0 else . end"
	try "$TDSTAT" report -i changed.jsonl -x,
	assert_success
	assert_line --index 1 --regexp '^[0-9.]+,all,cpu_core,,[0-9.]+,100\.00,,[0-9.]+,[0-9.]+,,,,[0-9.]+,[0-9]+,,,interval,'
}

@test "no slots at all: no value, no nan, no division by zero" {
	changed '.[3] = 0'
	for format in '' '-x,' -j; do
		try "$TDSTAT" report -i changed.jsonl $format
		assert_success
		refute_output --regexp '[Nn][Aa][Nn]|[Ii]nf'
		# the column names are the only letters between the separators
		[ "$format" != -x, ] || assert_line --index 1 --regexp ',all,cpu_core,,,100\.00,,,,,,,,0,,,interval,'
	done
}

@test "slots beyond 2^53 and negative values" {
	changed '.[3] *= 1000000'
	try "$TDSTAT" report -i changed.jsonl -x,
	assert_equal "$(cut -d, -f1-11 <<<"$output")" "$(report alderlake -x, | cut -d, -f1-11)"
	# their sum does not fit into 64 bits
	changed '.[3] *= 400000000'
	try "$TDSTAT" report -i changed.jsonl -j
	assert_success
	jq -es 'all(.[]; .slots > 1e19)' <<<"$output"
	# more uops dropped than the front end lost: a number, not an empty field
	changed 'if .[0] == 7 then .[3] *= 20 else . end'
	local name
	name=$(jq -rs '.[0].events[7].name' "$data/alderlake.jsonl")
	assert_equal "$name" cpu_core/INT_MISC.UOP_DROPPING/
	try "$TDSTAT" report -i changed.jsonl -x,
	assert_line --index 1 --regexp '^[0-9.]+,all,cpu_core,,[0-9.]+,100\.00,,[0-9.]+,[0-9.]+,-[0-9.]+,[0-9.]+,,'
	try "$TDSTAT" report -i changed.jsonl
	assert_line --index 1 --regexp ' -[0-9]+\.[0-9]~ '
}

@test "multiplexed counts are scaled by enabled / running, and the share is shown" {
	changed 'if .[1] < 4 then .[3] = (.[3] / 2 | floor) | .[5] = (.[4] / 2 | floor) else . end'
	"$TDSTAT" report -i changed.jsonl -x, >got
	assert_same "$(report alderlake -x, | cut -d, -f1-5,7-11)" "$(cut -d, -f1-5,7-11 got)"
	assert_equal "$(cut -d, -f3,6 got | sort -u | xargs)" 'cpu_atom,100.00 cpu_core,50.00 pmu,running'
	"$TDSTAT" report -i changed.jsonl -j | jq -es '
		all(.[]; (.running - (if .pmu == "cpu_core" then 50 else 100 end) | fabs) < 0.01)'
}

# --- where it comes from and goes to ----------------------------------------------

@test "-i - reads standard input, also from a pipe" {
	try "$TDSTAT" report -i - <"$data/alderlake.jsonl"
	assert_success
	assert_output "$(report alderlake)"
	try sh -c 'cat "$1" | "$TDSTAT" report -i - -x,' - "$data/alderlake.jsonl"
	assert_success
	assert_output "$(report alderlake -x,)"
}

@test "-o FILE: the same output, only in the file" {
	for format in '-x,' -j; do
		try report alderlake $format -o out
		assert_success
		assert_output ''
		assert_no_stderr
		assert_same "$(report alderlake $format)" "$(cat out)"
	done
	try report alderlake -o out
	assert_output ''
	assert_same "$(report alderlake)" "$(<out)"
	# the start of the recording, if it is known; 1970 plus a day
	sed '1s/"interval_ms"/"start":86400.5,&/' "$data/alderlake.jsonl" >dated.jsonl
	TZ=UTC "$TDSTAT" report dated.jsonl -o out
	assert_equal "$(head -n 1 out)" '# started on Fri Jan  2 00:00:00 1970'
}

@test "-o replaces the file; --append writes after its content" {
	report alderlake -x, -o out
	report sapphirerapids-2 -x, -o out
	assert_same "$(report sapphirerapids-2 -x,)" "$(cat out)"
	report alderlake -x, -o out --append
	assert_same "$(report sapphirerapids-2 -x, && report alderlake -x, | tail -n +2)" "$(cat out)"
	report alderlake -j -o new --append
	assert_same "$(report alderlake -j)" "$(cat new)"
}

# stays INPUT OPTION...: refused; what compares it afterwards sees any change
stays() {
	try "$TDSTAT" report "$@" <rec
	assert_failure 64
	assert_complains 'the recording that is being read'
}

@test "a file that is being read is not overwritten, even by another name" {
	needs_wing import
	for original in alderlake.jsonl perf-6.12-default.csv; do
		cp "$data/$original" rec
		ln -s rec symbolic
		ln rec hard
		# each name to read with each to write
		for input in - /dev/stdin /proc/self/fd/0 rec ./rec symbolic hard; do
			for to in rec hard symbolic /dev/stdin; do
				stays $input -o $to
			done
			stays -i $input --append -o hard -x,
		done
		for to in rec symbolic /dev/stdin; do
			stays -i - --append -o $to -x,
		done
		cmp "$data/$original" rec
		stays rec --log-fd 3 3>>hard
		stays - -j --log-fd 3 3<>rec
		# redirected by "try"
		"$TDSTAT" report - <rec >>symbolic 2>said && fail "written behind what is read"
		grep -q 'standard output is the recording' said
		cmp "$data/$original" rec
		rm rec hard symbolic
	done
}

@test "-o: a file that cannot be made" {
	for file in none/out . ''; do
		try report alderlake -o "$file"
		assert_failure
		assert_complains "${file:-.}"
	done
}

@test "a full disk is an error in every format" {
	for format in '' '-x,' -j; do
		for recording in alderlake alderlake-command; do
			try sh -c \
				'"$TDSTAT" report -i "$1" $2 >/dev/full' - "$data/$recording.jsonl" "$format"
			assert_failure 1
			assert_complains 'No space left'
			try report $recording $format -o /dev/full
			assert_failure 1
			assert_complains '/dev/full.*No space left'
		done
	done
}

@test "a closed pipe is an error in every format" {
	for format in '' '-x,' -j; do
		# a FIFO that is no longer read: a shell would close its end of a pipe at
		# some time
		rm -f pipe
		mkfifo pipe
		try sh -c 'exec 3<>pipe 4>pipe 3<&-; exec "$TDSTAT" report -i "$1" $2 >&4' - \
			"$data/alderlake.jsonl" "$format"
		assert_failure
	done
}

@test "a closed standard output is an error" {
	not_under_valgrind "the descriptors are valgrind's, too"
	try sh -c '"$TDSTAT" report -i "$1" >&-' - "$data/alderlake.jsonl"
	assert_failure 1
	assert_complains .
}

# --- recordings that are not whole ------------------------------------------------

@test "cut off in a line: shown up to its last complete line, with a warning" {
	[ "$(wc -l <"$data/alderlake.jsonl")" -eq 7 ]
	head -n 3 "$data/alderlake.jsonl" >cut.jsonl
	sed -n 4p "$data/alderlake.jsonl" | head -c 200 >>cut.jsonl
	try "$TDSTAT" report -i cut.jsonl -x,
	assert_success
	assert_complains 'cut\.jsonl'
	assert_output "$(report alderlake -x, | head -n 5)"
}

@test "cut off between two lines: the same" {
	head -n 3 "$data/alderlake.jsonl" >cut.jsonl
	for format in '' '-x,' -j; do
		try "$TDSTAT" report -i cut.jsonl $format
		assert_success
		assert_complains 'cut\.jsonl'
		head -n 3 "$data/alderlake.jsonl" >whole.jsonl
		echo '{"end":{"elapsed":2.5}}' >>whole.jsonl
		assert_output "$("$TDSTAT" report -i whole.jsonl $format)"
	done
}

@test "cut off anywhere: never a crash, never a wrong number" {
	python3 - "$data/alderlake.jsonl" <<-'PYTHON'
		import os, subprocess, sys
		def report(name):
		    done = subprocess.run([os.environ["TDSTAT"], "report", "-i", name, "-x,"], capture_output=True, text=True)
		    return done.returncode, done.stdout, done.stderr
		_, whole, _ = report(sys.argv[1])
		recording = open(sys.argv[1], "rb").read()
		for at in range(0, len(recording), 541):
		    with open("cut.jsonl", "wb") as file:
		        file.write(recording[:at])
		    status, shown, said = report("cut.jsonl")
		    assert status in (0, 1), (at, status)
		    assert said.startswith("tdstat: ") and "cut.jsonl" in said, (at, said)
		    assert whole.startswith(shown.rstrip("\n")), (at, shown)
	PYTHON
}

# is_refused LINE: by the file's name and line
is_refused() {
	try "$TDSTAT" report -i bad.jsonl
	assert_failure 1
	assert_complains "bad\.jsonl:$1:"
}

# refused_lines: of standard input, "LINE FROM TO": where the regular expression has been
# replaced in this line, report names the file and the line
refused_lines() {
	cat >changes
	python3 - "$data/alderlake.jsonl" <<-'PYTHON'
		import os, re, subprocess, sys
		original = open(sys.argv[1]).read().split("\n")
		nr = 0
		for change in open("changes"):
		    line, old, new = change.rstrip("\n").split("\t")
		    lines = list(original)
		    lines[int(line) - 1] = re.sub(old, lambda _: new, lines[int(line) - 1], count=1)
		    assert lines != original, change
		    with open("bad.jsonl", "w") as file:
		        file.write("\n".join(lines))
		    done = subprocess.run([os.environ["TDSTAT"], "report", "-i", "bad.jsonl"], capture_output=True, text=True)
		    assert done.returncode == 1 and re.match(rf"tdstat: .*bad\.jsonl:{line}:", done.stderr), (change, done)
		    nr += 1
		assert nr > 5
	PYTHON
}

@test "a line that makes no sense: its file and number" {
	refused_lines <<-'EOS'
		3	.*	{"time":2.0,"counts":[[0,0,-1,1,1/
		3	.*	[]
		4	"counts"	"count"
		2	$	 trailing
		2	.*	
		5	"time":[0-9.]*	"time":"soon"
		5	"time":[0-9.]*	"time":-1
	EOS
}

@test "text after the end line, and a time that goes backwards: file and line" {
	{
		cat "$data/alderlake.jsonl"
		printf '\n \n'
	} >blanks.jsonl
	try "$TDSTAT" report -i blanks.jsonl -x,
	assert_success
	assert_no_stderr
	assert_output "$(report alderlake -x,)"
	cat "$data/alderlake.jsonl" "$data/alderlake.jsonl" >bad.jsonl
	is_refused 8
	assert_complains 'follows the end line'
	{
		cat blanks.jsonl
		printf garbage
	} >bad.jsonl
	is_refused 10
	# pipes end as well
	try "$TDSTAT" report -i - <bad.jsonl
	assert_failure 1
	assert_complains 'follows the end line'
	sed '5s/"time":[0-9.]*/"time":0.5/' "$data/alderlake.jsonl" >bad.jsonl
	is_refused 5
	assert_complains 'goes backwards'
}

@test "a recording with -D and --control has one end, and its times continue" {
	needs_software_events -a
	unset SYSFS_PATH PERF_CPUID
	mkfifo ctl ack
	exec 8<>ctl 9<>ack
	"$TDSTAT" record -o rec.jsonl -a -I 30 -D 50 --control fifo:ctl,ack -e cpu-clock -- \
		sh -c 'until [ -e end ]; do sleep 0.02; done' 2>err 3>&- 8<&- 9<&- &
	rows=2
	for word in disable enable 'disable cpu-clock' 'enable cpu-clock' disable; do
		# counting, it has written some intervals
		[[ $word != disable* ]] || wait_for has_lines rec.jsonl $((rows += 2))
		echo "$word" >&8
		read -rt "$TD_HANGS" _ <&9
	done
	: >end
	wait $!
	exec 8<&- 9<&-
	try "$TDSTAT" report -i rec.jsonl -x,
	assert_success
	assert_no_stderr
	"$TDSTAT" record -o rec.jsonl -D 5000 -e cpu-clock -- true
	try "$TDSTAT" report -i rec.jsonl -x,
	assert_success
	assert_no_stderr
}

@test "counts that make no sense: the same" {
	# no such event; a count below 0; six numbers are needed; no fraction; no
	# null; running longer than enabled
	for counts in 99,0,-1,1,1,1 -1,0,-1,1,1,1 0,0,-1,-5,1,1 0,0,-1,1,1 0,0,-1,1,1,1,1 \
		0,0,-1,1.5,1,1 0,0,-1,null,1,1 0,0,-1,1,1,2 0,0,-1,1,-1,-1; do
		printf '3\t.*\t{"time":2.0,"counts":[[%s]]}\n' "$counts"
	done | refused_lines
}

@test "a head that makes no sense: line 1" {
	refused_lines <<-'EOS'
		1	"tdstat":1	"tdstat":2
		1	"tdstat":1,	
		1	"cpuid":"[^"]*"	"cpuid":"x"
		1	"pmus":	"pumps":
		1	"events":	"elephants":
		1	"group":0	"group":-2
		1	"group":0	"group":"first"
		1	"pmu":"cpu_core"	"pmu":"cpu_score"
		1	"cpus":"0-3"	"cpus":"3-0"
		1	"type":4	"type":"four"
	EOS
	echo 'hello' >bad.jsonl
	is_refused 1
	head -c 3000 /dev/zero >bad.jsonl
	try "$TDSTAT" report -i bad.jsonl
	assert_failure 1
	assert_complains 'bad\.jsonl'
}

@test "no recording, an empty one, a directory: the name and the reason" {
	try "$TDSTAT" report -i nosuch.jsonl
	assert_failure 1
	assert_complains 'nosuch\.jsonl: No such file'
	: >empty.jsonl
	try "$TDSTAT" report -i empty.jsonl
	assert_failure 1
	assert_complains 'empty\.jsonl'
	mkdir folder.jsonl
	try "$TDSTAT" report -i folder.jsonl
	assert_failure 1
	assert_complains 'folder\.jsonl'
	try "$TDSTAT" report -i - <"$PWD/empty.jsonl"
	assert_failure 1
}

@test "a recording of metrics that there are not: its fault, and its name" {
	jq -c 'if .tdstat then .metrics = ["tma_nothing"] else . end' "$data/alderlake.jsonl" >bad.jsonl
	try "$TDSTAT" report -i bad.jsonl
	assert_failure 1
	assert_complains '^tdstat: bad\.jsonl: .*tma_nothing'
	assert_output ''
	# asked for again, they are the user's
	try "$TDSTAT" report -i bad.jsonl -M tma_nothing
	assert_failure 64
	assert_complains '^tdstat: -M tma_nothing'
	try "$TDSTAT" report -i bad.jsonl --level 1
	assert_success
}

@test "a recording without events that top-down needs" {
	{
		jq -c '.events = [.events[0]] | .pmus = [.pmus[0]]' <(head -n 1 "$data/alderlake.jsonl")
		echo '{"time":1.0,"counts":[[0,0,-1,1,1,1]]}'
	} >bad.jsonl
	try "$TDSTAT" report -i bad.jsonl
	assert_failure 1
	assert_complains .
	assert_output ''
}

# Another program has pinned the counters that all groups except that of SLOTS need. typed
# bare|full PMU MODEL TABLE: a recording of level 1, with names of this form, as a table or
# a tree
typed() {
	command jq -nc --arg form "$1" --arg pmu "$2" --arg model "$3" --argjson table "$4" '
		["slots", "topdown-retiring", "topdown-be-bound", "topdown-fe-bound", "topdown-bad-spec"] as $names |
		[1024, 32768, 33536, 33280, 33024] as $configs |
		{ tdstat: 1, cpuid: $model, smt: false, interval_ms: 0, target: "system wide",
			pmus: [{ name: $pmu, type: 4, cpus: "0" }],
			topology: [{ cpu: 0, core: 0, cluster: 0, die: 0, socket: 0, node: 0 }] } +
		(if $table then { table: "events" } else {} end) +
		{ events: [range(5) | { name: (if $form == "bare" then $names[.] else "\($pmu)/\($names[.])/" end),
			pmu: $pmu, group: 0 } + (if $table then { type: 4, config: $configs[.], spec: . } else {} end)] },
		{ time: 1, counts: ([1000, 250, 500, 150, 100] | to_entries | map([.key, 0, -1, .value, 1000, 1000])) },
		{ end: { elapsed: 1, user: 0, sys: 0, exit: 0 } }' >"$2-$1.jsonl"
}

@test "events that were typed: a table on a hybrid as on others, whatever form their names have" {
	local pmu
	for pmu in "cpu GenuineIntel-6-8F-8" "cpu_core GenuineIntel-6-97-2"; do
		for form in bare full; do
			typed $form $pmu true
			try "$TDSTAT" report -x, -i "${pmu% *}-$form.jsonl"
			assert_equal "$status:${#lines[@]}" 0:5
			[[ ${lines[1]} == 250,,*topdown-retiring*,1000,100.00,, ]]
			try "$TDSTAT" report -l 2 -i "${pmu% *}-$form.jsonl"
			assert_equal "$status" 64
			assert_complains 'has events and no tree'
			# those of a tree have their PMUs
			typed $form $pmu false
			try "$TDSTAT" report -i "${pmu% *}-$form.jsonl"
			if [ $form = full ]; then
				assert_equal "$status" 0
				[[ $output == *'50.0 '*tma_backend_bound* ]]
			else
				assert_equal "$status" 1
				assert_complains 'do not make a top-down tree'
			fi
		done
	done
}

@test "nodes that were not counted are not taken for nodes that are not marked" {
	file=$data/manual/xz-3.jsonl
	slots=$(head -n 1 "$file" | jq -c '[.events | to_entries[] | select(.value.group == 0) | .key]')
	jq -c --argjson slots "$slots" 'if .counts then .counts |= map(if .[0] as $e | $slots | index($e)
		then . else .[3] = 0 | .[5] = 0 end) else . end' "$file" >held.jsonl
	"$TDSTAT" report held.jsonl -l 3 >held
	grep -E '^  others were not measured; --all shows them$' held
	run ! grep 'unmarked' held
	"$TDSTAT" report "$file" -l 3 >free
	grep 'hidden; --all shows them$' free
	run ! grep 'were not counted' free
}

# --- tdstat.jsonl -----------------------------------------------------------------

# --- part of a recording ----------------------------------------------------------

@test "--from and --to: the sum of a part is the sum of its intervals" {
	# which end at 1.000350823, 2.000329975, 3.000667536, 4.028690400 and 5.008530880 seconds
	report alderlake -j --no-head >all
	report alderlake -j --no-head --summary --from 1s --to 4s >part
	jq -es --slurpfile all all '
		def off($by): fabs <= $by;
		def slots: map(select(.metric == "tma_retiring")) | group_by(.pmu)[] |
			{ pmu: .[0].pmu, slots: map(.slots) | add, seconds: map(.seconds) | add };
		($all | map(select(.interval == (2, 3, 4)))) as $in |
		(map(select(.kind == "interval")) == $in) and
		(map(select(.kind == "summary")) as $sum |
			([$sum | slots] as $got | [$in | slots] as $want | $got | length == 2 and
				([., $want] | transpose | all(.[0].pmu == .[1].pmu and .[0].slots == .[1].slots and
					(.[0].seconds - .[1].seconds | off(1e-9))))) and
			($sum | length == 8 and all(. as $row | $row.time == 4.0286904 and
				([$in[] | select(.pmu == $row.pmu and .metric == $row.metric)] |
					(map(.value * .slots) | add) / (map(.slots) | add) - $row.value | off(0.001)))))' part
	try report alderlake --summary --from 1s --to 4s
	assert_line --regexp '^ Biggest loss: tma_backend_bound, 49\.4 ±[0-9.]+ % of the slots of cpu_core$'
	assert_line '       3.028339577 seconds time elapsed'
}

@test "--from and --to: parts that adjoin have all intervals, each once" {
	report alderlake -x, >all
	for at in 501ms 1s 1.6s 1.000350823s 3s 3.6s 0.05m; do
		{
			report alderlake -x, --to $at
			report alderlake -x, --from $at | tail -n +2
		} >parts
		cmp all parts
	done
	report alderlake -x, --from 0s >part
	cmp all part
	# an end after that of the recording
	report alderlake -x, --from 1ms --to 2m >part
	cmp all part
}

@test "--from and --to: events, files that continue each other, and the clock" {
	try "$TDSTAT" report "$data/perf-6.1-interval.jsonl" --from 60ms --summary
	if has_wing import; then
		assert_line --regexp '^ +322 +context-switches'
		assert_line --regexp '^ +6 +page-faults'
		assert_line '       0.071671504 seconds time elapsed'
	fi
	jq -c 'if .tdstat then .start = 1700000000 else . end' "$data/alderlake.jsonl" >1.jsonl
	jq -c 'if .tdstat then .start = 1700003600 else . end' "$data/alderlake.jsonl" >2.jsonl
	"$TDSTAT" report 1.jsonl 2.jsonl -j --no-head --summary --from 4s --to 3601s --time-format epoch >part
	jq -es 'map(select(.metric == "tma_retiring" and .pmu == "cpu_atom") | [.kind, .interval, .time]) == [
		["interval", 5, 1700000005.00853088], ["interval", 6, 1700003601.000350823],
		["summary", null, 1700003601.000350823]]' part
}

@test "--from and --to: charts over time begin with the part" {
	needs_wing pictures
	report alderlake --from 1s --to 3s --perfetto trace.json
	jq -e '[.[] | select(.ph == "C") | .ts] | min == 1000350.823 and max == 3000667.536' trace.json
	head -n -1 "$data/alderlake.jsonl" >cut.jsonl
	"$TDSTAT" report cut.jsonl --from 1s --to 3s --html page.html 2>err
	assert_equal "$(grep -cE '^\[[0-9.]+,\[' page.html)" 3
	grep -qx '\[1.000350823,\[\]\],' page.html
	# the missing part comes after this one
	run ! grep -q 'recording was interrupted' page.html
	"$TDSTAT" report cut.jsonl --from 1s --html page.html 2>err
	grep -q 'recording was interrupted' page.html
}

@test "--from and --to: invalid times, invalid parts, and parts without intervals" {
	local none='has no interval whose middle is in this part: it was recorded with -I 1000, and ends at 5.00853088 s'

	echo old >out
	for part in '--from 10s' '--from 5.1s' '--from 2.2s --to 2.4s' '--to 500ms'; do
		try report alderlake $part -x, -o out
		assert_equal "$status:$output:$stderr" "1::tdstat: $data/alderlake.jsonl $none"
		# the old content stays
		assert_equal "$(cat out)" old
	done
	for part in '--from 2' '--from 1x' '--to 1.5' '--from -1s' '--to 0s' '--from s' '--to 0.0000000001s' \
		'--from 99999999999999s'; do
		try report alderlake $part
		assert_failure 64
		assert_complains "^tdstat: $part: "
	done
	for part in '--from 2s --to 1s' '--to 2s --from 2s'; do
		try report alderlake $part
		assert_failure 64
		assert_complains '--to [12] s is not after --from 2 s'
	done
	try report alderlake-command --from 1s
	assert_failure 1
	assert_complains '--from and --to choose intervals: .*alderlake-command.jsonl was recorded without -I'
	for how in --locate --profile; do
		try report functions $how --to 1s
		assert_failure 64
		assert_complains '--from and --to choose intervals: samples have none'
	done
	try "$TDSTAT" diff --from 1s "$data/alderlake.jsonl" "$data/alderlake.jsonl"
	assert_failure 64
}

@test "record without -o and report without a name: tdstat.jsonl" {
	try "$TDSTAT" report
	assert_failure 1
	assert_regex "${stderr_lines[0]}" '^tdstat: tdstat\.jsonl: No such file or directory$'
	assert_regex "${stderr_lines[1]}" 'tdstat record makes it'
	cp "$data/alderlake.jsonl" there
	for words in 'report gone' 'report -i gone' 'diff gone there'; do
		# shellcheck disable=SC2086 # several words
		try "$TDSTAT" $words
		assert_same 'tdstat: gone: No such file or directory
tdstat: tdstat record -o gone makes it' "$stderr"
	done
	try "$TDSTAT" diff "$data/alderlake.jsonl" -- "$data/alderlake-2.jsonl" --per=second
	assert_regex "${stderr_lines[1]}" '^tdstat: after -- there are only files: options go before it$'
	try "$TDSTAT" record -n -- true
	assert_success
	assert_same 1 "$(grep -c 'tdstat\.jsonl' <<<"$stderr")"
	assert_regex "${stderr_lines[-1]}" '^tdstat: wrote tdstat\.jsonl; view it with: tdstat report$'
	"$TDSTAT" report -j >by_default
	"$TDSTAT" report tdstat.jsonl -j >named
	cmp by_default named
}

@test "record without -o: quiet, and the old file stays until the new one begins" {
	try "$TDSTAT" record --quiet -n -- true
	assert_success
	assert_same '' "$stderr"
	cp tdstat.jsonl old
	try "$TDSTAT" record -n -- ./nosuch
	assert_failure 127
	cmp old tdstat.jsonl
	[[ $stderr != *'; view '* ]]
	try "$TDSTAT" record --dry-run -n -- true
	assert_success
	cmp old tdstat.jsonl
	[[ $stderr != *'; view '* ]]
	try "$TDSTAT" record -o other -n -- true
	assert_success
	cmp old tdstat.jsonl
	[[ $stderr != *'; view '* ]]
}

# At a terminal, the user sees the next command to type; a script does not need it.
@test "record -o at a terminal: which file, and how it is shown" {
	at_terminal() {
		script -qec "$1" /dev/null </dev/null | tr -d '\r'
	}
	at_terminal "'$TDSTAT' record -o 'a b' -n -- true" | grep -qx "tdstat: wrote a b; view it with: tdstat report 'a b'"
	at_terminal "'$TDSTAT' record -n -- true" | grep -qx 'tdstat: wrote tdstat.jsonl; view it with: tdstat report'
	mkdir d
	at_terminal "'$TDSTAT' record -o d/td.jsonl.zst --rotate 1h -I 100 -e task-clock -- sleep 0.2" |
		grep -qx 'tdstat: wrote several files; view them with: tdstat report d/td.*.jsonl.zst'
	for out in "-o /dev/null" "--quiet -o other" "--dry-run -o other"; do
		at_terminal "'$TDSTAT' record $out -n -- true" >named
		run ! grep '; view ' named
	done
}
