#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The head of rows, what recordings tell of who counted, and what --append refuses.

# shellcheck disable=SC2154 # helper.bash
load helper

report() {
	local name=$1
	shift
	"$TDSTAT" report -i "$data/$name.jsonl" "$@"
}

# head_of FILE: its first line, which is one
head_of() {
	head -n 1 "$1" | command jq -e 'has("tdstat_rows") or error("no head")' >/dev/null
	head -n 1 "$1"
}

# recorded [OPTION...]: a recording of this machine in "rec"
recorded() {
	needs_software_events
	"$TDSTAT" record -o rec --quiet "$@" -- sh -c 'exit 0'
}

@test "the first line of JSON, and no other, is the head, with these keys" {
	report alderlake -j >out
	[ "$(grep -c tdstat_rows out)" -eq 1 ]
	assert_equal "$(head_of out | command jq -r 'keys_unsorted | join(" ")')" \
		"tdstat_rows version files host cpuid kernel start command target labels"
	# what an old recording does not know is null, and not of this machine
	assert_equal "$(head_of out | command jq -c '[.tdstat_rows, .version, .host, .cpuid, .kernel, .start, .command, .target, .labels]')" \
		'[1,null,null,"GenuineIntel-6-97-2",null,null,null,"system wide",{}]'
	report alderlake -j --no-head >without
	assert_same "$(tail -n +2 out)" "$(cat without)"
	report alderlake-command -j >out
	[[ $(head_of out | command jq -r .command) == "sh -c "* ]]
}

@test "of a live run: this machine, this tdstat, this command, now" {
	needs_software_events
	"$TDSTAT" -j -o out --label build=7 --label 'who=a b=c' --label build=8 -- sh -c "exit 0 # it's"
	head_of out >told
	assert_equal "$(command jq -r '.host + " " + .kernel' told)" "$(uname -n) $(uname -r)"
	assert_equal "$(command jq -r .version told)" "$("$TDSTAT" --version | sed -n '1s/^tdstat //p')"
	assert_equal "$(command jq -r .cpuid told)" "$PERF_CPUID"
	assert_equal "$(command jq -r .command told)" "sh -c 'exit 0 # it'\\''s'"
	assert_equal "$(command jq -r .target told)" "sh -c exit 0 # it's"
	assert_equal "$(command jq -c .labels told)" '{"build":"8","who":"a b=c"}'
	command jq -e --argjson now "$(date +%s)" '.start <= $now + 1 and .start > $now - 60' told
	"$TDSTAT" -j -o out --no-host -- true
	assert_equal "$(head_of out | command jq -c '[.host, .labels]')" '[null,{}]'
	# with -r and in intervals there is one, too
	"$TDSTAT" -j -o out -r 2 -- true
	[ "$(grep -c tdstat_rows out)" -eq 1 ]
	"$TDSTAT" -j -o out -I 10 -- sleep 0.1
	head_of out >told
	[ "$(grep -c tdstat_rows out)" -eq 1 ]
}

@test "the head comes when counting begins, not with the first row" {
	needs_software_events
	"$TDSTAT" -j -I 60s -o out -- sleep 60 3>&- &
	wait_for has_lines out 1
	kill $!
	wait $! || true
	head_of out >told
}

@test "events of -e: only with --head; CSV too, a line for each key" {
	needs_software_events
	"$TDSTAT" -e page-faults -j -o out -- true
	[ "$(wc -l <out)" -eq 1 ]
	command jq -e '.event == "page-faults"' out
	"$TDSTAT" -e page-faults -j --head -o out -- true
	[ "$(wc -l <out)" -eq 2 ]
	head_of out >told
	# --metric-only makes rows of metrics of them
	"$TDSTAT" -e task-clock --metric-only -j -o out -- true
	head_of out >told
	"$TDSTAT" -e page-faults -x, -o out -- true
	[ "$(wc -l <out)" -eq 1 ]
	for rows in '' '-e page-faults'; do
		# shellcheck disable=SC2086
		"$TDSTAT" $rows -x, -o plain -- true
		# shellcheck disable=SC2086
		"$TDSTAT" $rows -x, --head --label a=b --label $'c=d\ne' -o out -- true
		assert_equal "$(grep -vc '^# ' out)" "$(wc -l <plain)"
		assert_equal "$(sed -n 's/^# \([a-z_]*\): .*/\1/p' out | xargs)" \
			"tdstat_rows version host cpuid kernel start command target label label"
		grep -qx '# label: c=d\\x0ae' out
		grep -qx "# host: $(uname -n)" out
	done
	grep -q '^# ' plain && fail "CSV has a head that nobody asked for"
	true
}

@test "a label without a name, --head with --no-head or for text" {
	for words in '--label x' '--label =x' '--head' '--head --no-head -j'; do
		# shellcheck disable=SC2086
		try "$TDSTAT" report $words "$data/alderlake.jsonl"
		assert_failure 64
		[[ ${stderr_lines[0]} == "tdstat: ${words%% *}"* ]] || fail "$words: $stderr"
	done
}

@test "a recording tells who counted, and report tells it on" {
	recorded --label run=1
	assert_equal "$(head -n 1 rec | command jq -r '[.host, .kernel, .version, .command, .labels.run] | join("|")')" \
		"$(uname -n)|$(uname -r)|$("$TDSTAT" --version | sed -n '1s/^tdstat //p')|sh -c 'exit 0'|1"
	# of another machine
	sed -i '1s/"host":"[^"]*"/"host":"far"/; 1s/"kernel":"[^"]*"/"kernel":"5.4"/; 1s/"version":"[^"]*"/"version":"0.0"/' rec
	"$TDSTAT" report rec -j --label run=2 --label more=x >out
	assert_equal "$(head_of out | command jq -c '[.host, .kernel, .version, .command, .labels]')" \
		'["far","5.4","0.0","sh -c '"'exit 0'"'",{"run":"2","more":"x"}]'
	assert_equal "$(head_of out | command jq .start)" "$(head -n 1 rec | command jq .start)"
	"$TDSTAT" report rec -j --no-host >out
	assert_equal "$(head_of out | command jq -c '[.host, .kernel]')" '[null,"5.4"]'
	recorded --no-host
	head -n 1 rec | command jq -e '(has("host") or has("labels") | not) and has("kernel")'
}

@test "a recording that tells it wrongly: the line" {
	recorded --label run=1
	for change in 's/"host":"[^"]*"/"host":1/' 's/"command":"[^"]*"/"command":["x"]/' 's/{"run":"1"}/["run"]/' \
		's/{"run":"1"}/{"run":1}/' 's/{"run":"1"}/{"":"1"}/' 's/{"run":"1"}/{"a=b":"1"}/'; do
		sed "1$change" rec >wrong
		try "$TDSTAT" report wrong
		assert_failure 1
		[[ $stderr == "tdstat: wrong:1: "* ]] || fail "$change: $stderr"
	done
}

@test "diff and samples have a head, too" {
	"$TDSTAT" diff "$data/alderlake.jsonl" "$data/alderlake-2.jsonl" -j --label pr=12 >out
	# of several machines, so of none
	assert_equal "$(head_of out | command jq -c '[.host, .kernel, .labels]')" '[null,null,{"pr":"12"}]'
	needs_software_events
	"$TDSTAT" locate -e cpu-clock -j -o out --samples samples -- sh -c 'exit 0'
	assert_equal "$(head_of out | command jq -r '.host + " " + .command')" "$(uname -n) sh -c 'exit 0'"
	"$TDSTAT" report --locate -j samples --no-host >out
	assert_equal "$(head_of out | command jq -c '[.host, .kernel == null]')" '[null,false]'
}

# --- --append ---------------------------------------------------------------------

# refused OPTION...: report of alderlake does not append to "out", which stays
refused() {
	cp out before
	try report alderlake "$@" -o out --append
	assert_failure 1
	assert_why_and_remedy '^tdstat: --append: out begins otherwise than these rows do$' 'another file'
	cmp out before
}

@test "--append: rows of other columns are refused, and the file stays" {
	report alderlake-2 -x, -l 2 -o out
	refused -x, -l 1
	refused -x, --error
	refused -x ';' -l 2
	refused -j
	report alderlake -x, -l 2 -o out --append
	assert_equal "$(grep -c ^time, out)" 1
	report alderlake -j -o out
	refused -x,
	"$TDSTAT" diff "$data/alderlake.jsonl" "$data/alderlake-2.jsonl" -x, -o out
	refused -x,
	"$TDSTAT" diff "$data/alderlake.jsonl" "$data/alderlake-2.jsonl" -x, -o out --append
	assert_equal "$(grep -c ^kind, out)" 1
	report alderlake -x, -o out
	try "$TDSTAT" diff "$data/alderlake.jsonl" "$data/alderlake-2.jsonl" -x, -o out --append
	assert_failure 2
	# the same of a descriptor
	report alderlake -x, -o out
	try report alderlake -x, -l 2 --append --log-fd 7 7>>out
	assert_failure 1
	# text is no row for programs, but follows any text
	refused
	refused --summary
	report alderlake -j -o out
	refused
	report alderlake -o out
	report alderlake --summary -o out --append
	echo notes >out
	report alderlake -o out --append
	# tables, too
	try "$TDSTAT" diff "$data/alderlake.jsonl" "$data/alderlake-2.jsonl" -o out --append
	assert_equal "$status:$(head -n 1 out)" 0:notes
}

@test "--append: each run has its head, and CSV its one header" {
	report alderlake -j -o out --append
	report alderlake-2 -j -o out --append
	assert_equal "$(grep -n tdstat_rows out | cut -d: -f1 | xargs)" \
		"1 $(($(report alderlake -j | wc -l) + 1))"
	sed -i '1s/"tdstat_rows":1/"tdstat_rows":2/' out
	refused -j
	report alderlake -j --no-head -o out
	refused -j
	report alderlake -j --no-head -o out --append
	report alderlake -x, --head -o out
	report alderlake -x, --head -o out --append
	assert_equal "$(grep -c ^time, out) $(grep -c '^# tdstat_rows' out)" "1 2"
	# a run that ended before its first row
	printf '# tdstat_rows: 1\n' >out
	report alderlake -x, -o out --append
	assert_equal "$(sed -n '2s/,.*//p' out)" time
}

@test "--append: a command runs all the same, and perf's rows do not follow ours" {
	needs_software_events
	report alderlake -x, -o metrics.csv
	report alderlake -j -o metrics.json
	"$TDSTAT" -e page-faults -x, -o events.csv -- true
	"$TDSTAT" -e page-faults -j -o events.json -- true
	cp metrics.csv before
	for case in 'metrics.csv -e page-faults -x,' 'metrics.json -e page-faults -j' 'events.csv -x,' 'events.json -j' \
		'metrics.csv -l 2 -x,' 'events.csv -e page-faults -j'; do
		# shellcheck disable=SC2086
		try "$TDSTAT" ${case#* } -o ${case%% *} --append -- sh -c ': >ran; exit 3'
		assert_failure 3
		[[ $stderr == *"begins otherwise"*"sh runs anyway" ]] || fail "$case: $stderr"
		rm ran
		# shellcheck disable=SC2086
		try "$TDSTAT" --require ${case#* } -o ${case%% *} --append -- sh -c ': >ran'
		assert_failure 125
		[ ! -e ran ]
	done
	cmp metrics.csv before
	for case in 'events.csv -e task-clock -x,' 'events.json -e task-clock -j' 'metrics.csv -x,' 'metrics.json -j'; do
		[[ $case != metrics.csv* ]] || "$TDSTAT" -x, -o metrics.csv -- true
		# shellcheck disable=SC2086
		try "$TDSTAT" ${case#* } -o ${case%% *} --append -- true
		assert_success
		assert_no_stderr
	done
}
