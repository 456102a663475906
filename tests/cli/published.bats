#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: import
# tdstat report of what perf stat wrote, as a tree: counts of real processors were
# published with the metrics that perf printed for them (tests/data/README), which
# the tree of the counts must equal to the last printed digit.

# shellcheck disable=SC2030,SC2031,SC2154 # of each test; helper.bash
load helper

# agrees KIND FILE[/NAME...]...: what each file has published of this kind; not of
# another group's counts (@), nor the names, which others have a reason for.  Of the
# processor that was published, but for the kind "legacy".
agrees() {
	CASES="$*" checks <<-'PYTHON'
		kind, *cases = os.environ["CASES"].split()
		for case in cases:
		    name, *without = case.split("/")
		    path = DATA / "published" / f"{name}.csv"
		    lines = path.read_text().splitlines()
		    want = [line[len("# published: "):].split(",") for line in lines if line.startswith("# published: ")]
		    want = [row for row in want if row[0] == kind and "@" not in row[1] and row[2] not in without]
		    assert want, case
		    [cpuid] = [line[len("# cpuid: "):] for line in lines if line.startswith("# cpuid: ")] or [None]
		    model = ["--model", cpuid] if kind == "metrics" else []
		    options = [*model, "-M", ",".join(sorted({row[2] for row in want}))]
		    got = {(row["pmu"], row["metric"]): row["value"] for row in report(options, path) if row["value"] is not None}
		    for _, pmu, metric, percent, *_ in want:
		        # the printed value has one decimal; JSON has more
		        most = 0.00051 if re.search(r"\.[0-9]{2}", percent) else 0.0501
		        value = got.get((pmu, metric))
		        assert value is not None and abs(value - float(percent)) <= most, (case, pmu, metric, value, percent)
	PYTHON
}

@test "deeper levels of counts that lack the corrections of level 1: as complete as without -l" {
	checks <<-'PYTHON'
		def shown(options=""):
		    rows = report(f"{options} --model alderlake", DATA / "published/adl-core-L5.csv")
		    return sorted((row["metric"], round(row["value"] * 100)) for row in rows
		                  if row["level"] == 1 and row["value"] is not None)
		same(len(shown()), 4)
		same(shown("-l 5 --all"), shown())
		same(shown("-M TopdownL1"), shown())
	PYTHON
}

@test "a file without its time: no time, not 0" {
	file=$data/published/spr-L1-true.csv
	"$TDSTAT" report "$file" -j >json
	jq -es 'length == 4 and all(.time == null and .value != null)' json
	try "$TDSTAT" report "$file" -x,
	[[ ${lines[1]} == ,all,* ]]
}

# --- level 1 and 2 of each processor ----------------------------------------------

@test "Alder Lake, both core types" {
	agrees metrics adl-hybrid-L1-a adl-hybrid-L1-b adl-hybrid-L1-perf6.16
}

@test "Alder Lake, two groups with slots: those of the first" {
	agrees metrics adl-hybrid-L1-two-groups
}

@test "Alder Lake's P-cores" {
	agrees metrics adl-core-L1-command adl-core-L2-json
}

@test "fields over their sum, as perf computed them once: no model is needed" {
	agrees legacy adl-core-L2-legacy adl-core-L2-2022 adl-core-L2-one-read \
		spr-L2-2021 spr-L2-24-cpus spr-L2-order gnr-99 tgl-multiplexed-sum
}

@test "Sapphire Rapids, names without PMU, :u" {
	agrees metrics spr-L1-true spr-host spr-guest spr-sched-host
}

@test "Ice Lake and Tiger Lake" {
	# the last excerpt lacks the events of these nodes
	agrees metrics tgl-L1-a-csv icl-L1-memcpy \
		tgl-json/tma_backend_bound/tma_frontend_bound/tma_bad_speculation
}

@test "Arrow Lake: no metric files, and both core types" {
	agrees metrics arl-hybrid-L1
}

@test "the metrics of one program, and its mispredicted branches" {
	agrees metrics adl-hybrid-lab-mispredict adl-hybrid-lab-lookup
}

# --- deeper levels, from the files ---------------------------------------------------

@test "only a metric of level 3 or 4" {
	agrees metrics rpl-clears-resteers
}

@test "level 5: events that were counted on both threads of the cores" {
	# perf opened WALK_ACTIVE twice, and used the other one
	agrees metrics adl-core-L5/tma_store_stlb_hit/tma_load_stlb_hit
}

@test "AMD's pipeline" {
	# perf took the cycles of another group
	agrees metrics zen4-L2-lab/bad_speculation_mispredicts zen4-L2-o3 zen4-L2-clang
}

# --- the default output --------------------------------------------------------------

# level_1 FILE PMU [OPTION...]: retiring,backend,frontend,bad into shares
level_1() {
	local line

	shares=''
	try "$TDSTAT" report -x, "${@:3}" "$data/published/$1.csv"
	for line in "${lines[@]}"; do
		IFS=, read -ra line <<<"$line"
		[ "${line[2]}" != "$2" ] || printf -v shares '%s,%s,%s,%s' "${line[@]:7:4}"
	done
}

@test "without options: level 1, or 2 if its fields were counted" {
	level_1 adl-hybrid-L1-a cpu_core --model alderlake
	assert_equal "$shares" 34.13,35.71,19.75,10.41
	# the fields over their sum: which events correct the shares depends on the core
	level_1 adl-hybrid-L1-a cpu_core
	assert_equal "$shares" 34.13,35.71,19.89,10.28
	[[ $stderr == *'cpu_core is not corrected; name its processor with --model NAME'* ]]
	# perf printed 12.2 38.4 34.2 15.1; of E-cores the width must be known
	level_1 adl-hybrid-L1-a cpu_atom
	assert_equal "$shares" ""
	[[ $stderr == *'cpu_atom is not shown; name its processor'* ]]
	level_1 adl-hybrid-L1-a cpu_atom --model alderlake
	assert_equal "$shares" 12.22,38.43,34.22,15.13
	try "$TDSTAT" report "$data/published/gnr-99.csv"
	assert_success
	[[ $stderr == *'cpu is not corrected; name its processor'* ]]
	assert_line --regexp '^ +71\.9 ±0\.[0-9] %  tma_retiring '
	assert_line --regexp '^ +69\.9 ±0\.[0-9] %  tma_light_operations'
	assert_line --regexp '^ +8\.2 ±0\.[0-9] %  tma_memory_bound'
}

@test "shares of the time are kept, and an impossible sum is marked" {
	try "$TDSTAT" report "$data/published/tgl-multiplexed-sum.csv"
	assert_line --regexp '^ cpu, measured 81\.9 % of the time$'
	assert_line '  ? impossible value: level 1 does not add up to all slots'
}

@test "--no-tree: the events" {
	try "$TDSTAT" report --no-tree "$data/published/gnr-99.csv"
	assert_success
	assert_no_stderr
	assert_line --regexp '^ +329,813,157,222 +slots '
	refute_output --partial tma_
}

fields='topdown-retiring topdown-bad-spec topdown-fe-bound topdown-be-bound'

# rows [OPTION...]: of file, pmu and level 1, into rows
rows() {
	local line

	rows=''
	try "$TDSTAT" report -x, "$@" file
	for line in "${lines[@]:1}"; do
		IFS=, read -ra line <<<"$line"
		printf -v rows '%s%s,%s,%s,%s,%s' "$rows${rows:+ }" "${line[2]}" "${line[@]:7:4}"
	done
}

# write NAME...: slots is 400, the others 100 each
write() {
	for name; do
		case $name in
		*slots*) printf '400,,%s,1000,100.00,,\n' "$name" ;;
		*) printf '100,,%s,1000,100.00,,\n' "$name" ;;
		esac
	done >file
}

@test "names with and without PMU and modifiers" {
	quarter=25.00,25.00,25.00,25.00
	# shellcheck disable=SC2086 # words
	{
		write slots $fields
		rows
		assert_equal "$rows" cpu,$quarter
		write slots:u ${fields// /:u }:u
		rows
		assert_equal "$rows" cpu,$quarter
		write cpu/slots/ cpu/${fields// //\ cpu/}/
		rows
		assert_equal "$rows" cpu,$quarter
		write cpu_core/slots/k cpu_core/${fields// //k\ cpu_core/}/k
		rows
		assert_equal "$rows" cpu_core,$quarter
		write 'slots [cpu_core]' cpu_core/${fields// //\ cpu_core/}/
		rows
		assert_equal "$rows" cpu_core,$quarter
	}
}

@test "the four without slots: shares of their sum" {
	# shellcheck disable=SC2086 # words
	write $fields
	rows
	assert_equal "$rows" cpu,25.00,25.00,25.00,25.00
}

@test "-j, -I and -A: the rows of perf" {
	for n in 1 2; do
		for cpu in 0 1; do
			for name in slots $fields; do
				printf '{"interval" : %d.000000000, "cpu" : "%d", "counter-value" : "%d.000000", "unit" : "", "event" : "%s", "event-runtime" : 5000, "pcnt-running" : 50.00}\n' \
					"$n" "$cpu" $((100 * n)) "$name"
			done
		done
	done >file
	try "$TDSTAT" report -x, file
	got=''
	for line in "${lines[@]}"; do
		IFS=, read -ra line <<<"$line"
		printf -v got '%s%s,%s,%s,%s,%s\n' "$got" "${line[@]:0:3}" "${line[5]}" "${line[7]}"
	done
	assert_same "time,id,pmu,running,tma_retiring
1.000000000,CPU0,cpu,50.00,25.00
1.000000000,CPU1,cpu,50.00,25.00
2.000000000,CPU0,cpu,50.00,25.00
2.000000000,CPU1,cpu,50.00,25.00
" "$got"
	try "$TDSTAT" report -x, --total file
	[[ $output == *,all,cpu,*,all,cpu,* && $output != *,all,cpu,*,all,cpu,*,all,cpu,* ]]
}

@test "--model gives names a PMU that only one core type has" {
	write slots topdown-retiring topdown-bad-spec
	printf '100,,%s,1000,100.00,,\n' TOPDOWN_RETIRING.ALL TOPDOWN_FE_BOUND.ALL \
		TOPDOWN_BE_BOUND.ALL CPU_CLK_UNHALTED.CORE >file
	# 100 of 5 slots in each of 100 cycles, thrice; the rest is bad speculation
	rows --model alderlake
	assert_equal "$rows" cpu_atom,20.00,20.00,20.00,40.00
}

# --- too few counts ------------------------------------------------------------------

# lacking WHY [OPTION...]: of file: the events, and one sentence
lacking() {
	try "$TDSTAT" report "${@:2}" file
	assert_success
	assert_output --partial "$first"
	refute_output --partial tma_
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"$1"* ]]
}

@test "too few events for a tree: the events are shown, with the reason" {
	first=slots
	write slots topdown-retiring topdown-bad-spec topdown-be-bound
	lacking 'file: no tree because cpu has no topdown-fe-bound; its events are shown'
	first=topdown-retiring
	write topdown-retiring topdown-bad-spec
	lacking 'no tree because cpu has no slots'
	first=cpu_atom/TOPDOWN_RETIRING.ALL/
	write cpu_atom/TOPDOWN_RETIRING.ALL/ cpu_atom/TOPDOWN_BE_BOUND.ALL/
	lacking 'no tree because the core of cpu_atom is unknown'
	first=topdown-retiring
	# both core types have these
	# shellcheck disable=SC2086
	write slots $fields
	lacking 'no tree because both core types have topdown-retiring' --model alderlake
	# perf could not count it
	write slots topdown-retiring topdown-bad-spec topdown-be-bound
	echo '<not supported>,,topdown-fe-bound,0,100.00,,' >>file
	lacking 'no topdown-fe-bound'
}

@test "-l and -M with too few counts, and an unknown --model: errors" {
	write slots topdown-retiring
	try "$TDSTAT" report -M tma_retiring file
	[ "$status" -ne 0 ]
	write slots
	try "$TDSTAT" report --model alderlakk file
	assert_failure 64
	assert_why_and_remedy 'no such processor' alderlake
}
