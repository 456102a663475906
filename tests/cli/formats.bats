#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# CSV and JSON as scripts read them: RFC 4180, one object a line, and the same
# in every locale.

# shellcheck disable=SC2016,SC2030,SC2031,SC2086,SC2154 # awk, jq; lists of options; helper.bash
load helper

report() {
	"$TDSTAT" report -i "$data/$1.jsonl" "${@:2}"
}

level_1=tma_retiring,tma_backend_bound,tma_frontend_bound,tma_bad_speculation

# --- CSV ------------------------------------------------------------------------

@test "CSV: the header, once, the same on every machine and in every mode" {
	for how in alderlake 'alderlake -A' 'alderlake --hybrid-merge' 'alderlake --cputype atom' \
		alderlake-command sapphirerapids-2 skylakex-2 'icelakex-2 -A'; do
		try report $how -x,
		assert_line --index 0 "time,id,pmu,busy,share,running,ipc,$level_1,$behind"
		assert_equal "$(grep -c time <<<"$output")" 1
	done
	try report alderlake-2 -l 2 -x,
	header=${lines[0]}
	for how in 'alderlake-2 -A' 'alderlake-2 --hybrid-merge' sapphirerapids-2 'skylakex-2' icelakex-2; do
		try report $how -l 2 -x,
		assert_line --index 0 "$header"
	done
}

@test "CSV: a row an interval, a PMU and an id, in that order" {
	try report alderlake -x,
	assert_equal "$(cut -d, -f2,3 <<<"$output" | sed 1d | sort | uniq -c | xargs)" \
		"5 all,cpu_atom 5 all,cpu_core"
	assert_equal "$(cut -d, -f3 <<<"$output" | sed -n 2,5p | xargs)" \
		"cpu_core cpu_atom cpu_core cpu_atom"
	try report alderlake -A -x,
	assert_equal "$(cut -d, -f2,3 <<<"$output" | sed -n 2,9p | xargs)" \
		"CPU0,cpu_core CPU1,cpu_core CPU2,cpu_core CPU3,cpu_core CPU4,cpu_atom CPU5,cpu_atom CPU6,cpu_atom CPU7,cpu_atom"
	assert_equal "${#lines[@]}" 41
	try report alderlake --hybrid-merge -x,
	assert_equal "$(cut -d, -f2,3 <<<"$output" | sed 1d | sort | uniq -c | xargs)" "5 all,all"
}

@test "CSV: the recording's times, nine decimals; percentages, two" {
	try report alderlake -x, --hybrid-merge
	assert_equal "$(cut -d, -f1 <<<"$output" | sed 1d | xargs)" \
		"$(sed -n 's/^{"time":\([0-9]*\.[0-9]\{9\}\),.*/\1/p' "$data/alderlake.jsonl" | xargs)"
	report skylakex-2 -l 2 -x, | awk -F, 'NR > 1 {
		if ($1 !~ /^[0-9]+\.[0-9]+$/ || length($1) - index($1, ".") != 9) exit 1
		for (i = 8; i <= 19; i++) if ($i != "" && $i !~ /^-?[0-9]+\.[0-9][0-9]$/) exit 1
	}'
}

@test "CSV without -I: the time is the whole, as the recording's last line has it" {
	try report alderlake-command -x,
	assert_equal "$(cut -d, -f1 <<<"${lines[1]}")" \
		"$(sed -n 's/.*"elapsed":\([0-9.]*\).*/\1/p' "$data/alderlake-command.jsonl")"
	assert_equal "${#lines[@]}" 3
}

@test "CSV: missing values are empty, and every line has all fields" {
	try report alderlake-2 -l 2 -x,
	assert_equal "$(awk -F, '{ print NF }' <<<"$output" | sort -u)" \
		"$(awk -F, '{ print NF; exit }' <<<"$output")"
	# Gracemont has no fetch latency, Golden Cove no resource bound
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$3 == "cpu_atom" && $at["tma_fetch_latency"] != "" { exit 1 }
		$3 == "cpu_core" && $at["tma_resource_bound"] != "" { exit 1 }
		$3 == "cpu_core" && $at["tma_fetch_latency"] == "" { exit 1 }' <<<"$output"
}

@test "separators: any, and \\t is a tab" {
	report alderlake -x, >comma
	for sep in ';' '|' ' ' '::' ' , '; do
		try report alderlake -x "$sep"
		assert_output "$(SEP=$sep awk '{ gsub(/,/, ENVIRON["SEP"]); print }' comma)"
	done
	for tab in '\t' $'\t'; do
		try report alderlake -x "$tab"
		assert_output "$(tr , '\t' <comma)"
	done
	try report alderlake --field-separator=,
	assert_output "$(cat comma)"
}

# unquote FILE SEP: RFC 4180 read by Python's csv module, written with tabs
unquote() {
	python3 -c '
import csv, sys
for row in csv.reader(open(sys.argv[1], newline=""), delimiter=sys.argv[2]):
    print("\t".join(row))' "$1" "$2"
}

@test "a field that holds the separator, or a quotation mark, is quoted" {
	report alderlake -A -x '\t' >plain
	# letters of the names
	for sep in c e _ A; do
		report alderlake -A -x "$sep" >quoted
		unquote quoted "$sep" >got
		assert_same "$(cat plain)" "$(cat got)"
	done
	# a PMU with an odd name, as only a recording can have it
	sed '1s/cpu_core/a \\"b\\", c/g' "$data/alderlake.jsonl" >odd.jsonl
	"$TDSTAT" report -i odd.jsonl -x, >odd
	try grep -c '"a ""b"", c"' odd
	assert_output 5
	"$TDSTAT" report -i odd.jsonl -x '\t' >odd.tab
	assert_same "$(unquote odd ,)" "$(unquote odd.tab $'\t')"
	"$TDSTAT" report -i odd.jsonl -j | jq -es '[.[].pmu] | unique == ["a \"b\", c", "cpu_atom"]'
}

# --- JSON -----------------------------------------------------------------------

@test "JSON: an object a line, these keys in this order" {
	try report alderlake -j
	# the head is before them
	assert_equal "${#lines[@]}" 41
	for line in "${lines[1]}" "${lines[40]}"; do
		assert_equal "$(jq -r 'keys_unsorted | join(" ")' <<<"$line")" \
			"time id pmu busy share ipc metric value unit level parent over_threshold running error too_short ghz lost_share slots cycles instructions kind interval seconds"
	done
	report alderlake-2 -l 2 -j | jq -es 'all(.[];
		(.time | type == "number") and (.id == "all") and (.unit == "%")
		and (.value | type == "number") and (.over_threshold | type == "boolean")
		and (.running | . >= 0 and . <= 100)
		and (if .level == 1 then .parent == null else .level == 2 and (.parent | startswith("tma_")) end))'
}

@test "JSON: one name a row, on hybrid machines too" {
	for how in alderlake 'alderlake -A' 'alderlake --hybrid-merge' 'alderlake-2 -l 2' alderlake-command; do
		report $how -j | jq -es 'length == (map([.time, .id, .pmu, .metric]) | unique | length)'
	done
}

@test "JSON and CSV contain the same values" {
	for how in 'alderlake -A' 'alderlake-2 -l 2' 'skylakex-2 -l 2' 'alderlake --hybrid-merge'; do
		report $how -x, | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) name[i] = $i; next }
			{ for (i = 8; name[i] != "ghz"; i++) if ($i != "") printf "%s %s %s %s %.2f\n", $1, $2, $3, name[i], $i }' >csv
		report $how -j | sed -n 's/^{"time":\([0-9.]*\),.*/\1/p' >"times"
		report $how -j | jq -r '"\(.id) \(.pmu) \(.metric) \(.value)"' |
			paste -d' ' times - | LC_ALL=C awk '{ printf "%s %s %s %s %.2f\n", $1, $2, $3, $4, $5 }' >json
		assert_same "$(cat csv)" "$(cat json)"
	done
}

@test "JSON: the parents are those of the tree" {
	report sapphirerapids-2 -l 2 -j | jq -es '[.[] | { (.metric): .parent }] | add == {
		tma_retiring: null, tma_light_operations: "tma_retiring",
		tma_heavy_operations: "tma_retiring", tma_backend_bound: null,
		tma_memory_bound: "tma_backend_bound", tma_core_bound: "tma_backend_bound",
		tma_frontend_bound: null, tma_fetch_latency: "tma_frontend_bound",
		tma_fetch_bandwidth: "tma_frontend_bound", tma_bad_speculation: null,
		tma_branch_mispredicts: "tma_bad_speculation",
		tma_machine_clears: "tma_bad_speculation" }'
	report alderlake-2 -l 2 -j --cputype atom | jq -es '[.[] | { (.metric): .parent }] | add
		| .tma_resource_bound == "tma_backend_bound" and .tma_ifetch_latency == "tma_frontend_bound"'
}

@test "JSON: over_threshold as Intel's thresholds have it" {
	for recording in alderlake-2 sapphirerapids-2 icelakex-2 skylakex-2; do
		jq -rs --argjson level 2 --arg mode all -f "$here/metrics.jq" "$data/$recording.jsonl" |
			awk '{ print $3, $4, $6 }' | LC_ALL=C sort >want
		report $recording -l 2 -j | jq -r '"\(.pmu) \(.metric) \(.over_threshold)"' | LC_ALL=C sort >got
		assert_same "$(cat want)" "$(cat got)"
		grep -q true got
		grep -q false got
	done
}

# --- the time ------------------------------------------------------------------

# started AT FILE: a recording of tests/data as if it were made then
started() {
	sed "1s/\"tdstat\":1,/&\"start\":$1,/" "$data/$2.jsonl"
}

@test "--time-format wall: start and time together, in the zone, in each format" {
	# 4.028690400 s after the start
	started 1795425011.123 alderlake >wall.jsonl
	for zone in UTC:09:10:15.151+00:00 Asia/Kolkata:14:40:15.151+05:30 America/St_Johns:05:40:15.151-03:30; do
		export TZ=${zone%%:*}
		want=2026-11-23T${zone#*:}
		"$TDSTAT" report wall.jsonl --time-format wall -x, | sed -n 8p >got
		assert_same "$want,all,cpu_core" "$(cut -d, -f1-3 got)"
		"$TDSTAT" report wall.jsonl --time-format wall -j >got
		jq -es --arg want "$want" 'any(.time == $want) and all(.time | type == "string")' got
		"$TDSTAT" report wall.jsonl --time-format wall >got
		assert_same 2 "$(grep -c "^$want cpu_" got)"
	done
	assert_regex "$(head -n 1 got)" '^#                        time pmu '
	"$TDSTAT" report wall.jsonl --time-format wall --time-format seconds >got
	"$TDSTAT" report wall.jsonl | cmp - got
}

@test "--time-format wall: the table keeps its columns, whatever the locale" {
	export TZ=UTC
	started 1795425011.123 alderlake >wall.jsonl
	for as in '-x,' -j ''; do
		"$TDSTAT" report wall.jsonl --time-format wall $as >c
		(
			german
			"$TDSTAT" report wall.jsonl --time-format wall $as
		) >de
		cmp c de
	done
	assert_same 1 "$(awk '{ print length($1) == 29 || /^#/ }' c | sort -u)"
	script -qec "stty cols 100; '$TDSTAT' report wall.jsonl --time-format wall" /dev/null >narrow
	assert_same 11 "$(grep -cE '^(# %                      time|2026-11-23T09:10:1[2-6]\.[0-9]{3}\+00:00) ' narrow)"
	run ! grep -E '.{110}' <(sed 's/\x1b\[[0-9]*m//g' narrow)
}

@test "--time-format wall: a recording that does not tell, or makes no sense" {
	for start in 0 -5 '"now"' null 1e300; do
		started "$start" alderlake >bad.jsonl
		"$TDSTAT" report bad.jsonl >/dev/null
		try "$TDSTAT" report bad.jsonl --time-format wall
		assert_failure 1
		assert_output ''
		assert_regex "${stderr_lines[0]}" 'bad\.jsonl does not contain its start time$'
	done
	try "$TDSTAT" report "$data/alderlake.jsonl" --time-format wall
	assert_failure 1
	try "$TDSTAT" report "$data/alderlake-command.jsonl" --time-format wall
	assert_failure 1
	assert_complains 'alderlake-command.jsonl was recorded without -I$'
}

@test "--time-format wall: a live run, its recording, and the clock agree" {
	needs_software_events
	export TZ=UTC
	before=$EPOCHREALTIME
	"$TDSTAT" record --log-fd 3 -x, -I 100 --time-format wall -e cpu-clock -- \
		sh -c 'until [ "$(wc -l <live)" -ge 2 ]; do sleep 0.02; done' 3>live
	after=$EPOCHREALTIME
	"$TDSTAT" report -x, --time-format wall | cmp - live
	mapfile -t ends <live
	[ ${#ends[@]} -ge 2 ]
	for i in "${!ends[@]}"; do
		ends[i]=${ends[i]%%+*}
		[ "$i" = 0 ] || [[ ! ${ends[i]} < ${ends[i - 1]} ]]
	done
	# in milliseconds, which are cut off
	printf -v before '%(%FT%T)T.%s' "${before%.*}" "${before#*.}"
	printf -v after '%(%FT%T)T.%s' "${after%.*}" "${after#*.}"
	[[ ! ${ends[0]} < ${before:0:23} && ! ${ends[-1]} > ${after:0:23} ]]
}

# --- the locale -----------------------------------------------------------------

@test "a locale with a decimal comma has no effect" {
	report alderlake -x, -A >c.csv
	report alderlake -j >c.json
	report alderlake >c.text
	report alderlake-command >c.tree
	german
	report alderlake -x, -A >de.csv
	report alderlake -j >de.json
	report alderlake >de.text
	report alderlake-command >de.tree
	for format in csv json text tree; do
		cmp c.$format de.$format
	done
	jq -es 'all(.[]; .value | type == "number")' de.json
}

@test "a locale with a decimal comma: --dry-run reads sysfs's scales as they are" {
	copied skylakex
	echo 2.5 >"$devices/cpu/events/topdown-total-slots.scale"
	"$TDSTAT" --dry-run -a -l 2 >c
	german
	"$TDSTAT" --dry-run -a -l 2 >de
	cmp c de
}
