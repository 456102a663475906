#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: serve
# shellcheck disable=SC2154 # what "run --separate-stderr" sets
# The counters of tdstat serve as a real Prometheus reads them.  Two scenarios alternate
# every two seconds, so that a mean differs from the value at any moment.  Not with --phase,
# because there PERF_METRICS is not an average, so the turns of two users get wrong shares.
# CPUs that come back are reopened without the privileges that serve gave up.
# machine: adl --no-halt --sysctl kernel.perf_event_paranoid=2 --smp 4,sockets=1,cores=4,threads=1 --cores 2 --truth tests/emulator/scenarios/alderlake.truth

load helper

bin=$BATS_TEST_DIRNAME/../../build/tools/usr/bin
act=$BATS_TEST_DIRNAME/../../build/emulator/act
rules=$BATS_TEST_DIRNAME/../../cmd/serve/rules.yml
manual=$BATS_TEST_DIRNAME/../../man/tdstat-openmetrics.7
port=9878

# await_page PORT PATH
await_page() {
	answers() { get "$@" >page; }
	wait_for answers "$@"
}

# await_page_line PATTERN
await_page_line() {
	there() { get "$port" /metrics >page && grep -E "$1" page; }
	wait_for there "$1"
}

start_serve() {
	"$TDSTAT" serve --listen "127.0.0.1:$port" 2>serve.err 3>&- &
	serve=$!
	await_page "$port" /metrics
}

start_prometheus() {
	# rules over a minute, and daily rules over two minutes
	sed 's/\[5m\]/[1m]/g; s/\[1d:5m\]/[2m:1s]/; s/for: 1h/for: 2s/' "$rules" >rules.yml
	cat >prometheus.yml <<-TEXT
		global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
		rule_files: [ rules.yml ]
		scrape_configs:
		- job_name: tdstat
		  static_configs: [ { targets: [ "127.0.0.1:$port" ] } ]
	TEXT
	"$bin/prometheus" --config.file=prometheus.yml --storage.tsdb.path=tsdb \
		--web.listen-address=127.0.0.1:9090 --log.level=warn 2>prometheus.err 3>&- &
	await_page 9090 /-/ready
}

take_turns() {
	while "$act" -u mispredict && sleep 2 && "$act" -u icache; do
		sleep 2
	done
}

# promql NAME: the manual's query of this name, over the last minute
promql() {
	sed -n "/^\.\\\\\" query $1\$/,/^\.Ed/p" "$manual" | sed '/^\./d' |
		tr '\n' ' ' | sed 's/\\e/\\/g; s/\\-/-/g; s/\[5m\]/[1m]/g'
}

# query EXPRESSION: the API's answer
query() {
	get 9090 "/api/v1/query?query=$(jq -rn --arg q "$1" '$q | @uri')"
}

@test "PromQL of the manual: the same percentages as a recording of that time" {
	emulated
	[ -x "$bin/prometheus" ] || skip "no Prometheus here (tests/tools/fetch)"
	ip link set lo up 2>/dev/null || true
	take_turns 3>&- &
	start_serve
	start_prometheus
	"$TDSTAT" record -a -l 2 --timeout 61s -o td.jsonl --quiet
	query "$(promql level1)" >level1.json
	query "$(promql level2)" >level2.json
	query "$(promql ipc)" >ipc.json
	"$TDSTAT" report td.jsonl -l 2 -j >recorded.json
	python3 "$BATS_TEST_DIRNAME/serve.py" recorded.json level1.json level2.json
	python3 "$BATS_TEST_DIRNAME/serve.py" ipc ipc.json

	# a restart: counters that begin at 0 are not a loss of slots
	kill "$serve"
	wait "$serve"
	start_serve
	sleep 5
	query "$(promql level1)" >level1.json
	python3 "$BATS_TEST_DIRNAME/serve.py" - level1.json
	query 'min(rate(tdstat_slots_total[1m]))' >least.json
	jq -e '.data.result[0].value[1] | tonumber > 0' least.json

	# a CPU goes: said, and the shares of those that are left are whole
	query 'ALERTS{alertname="TdstatCpusNotCounted"}' | jq -e '.data.result == []'
	echo 0 >/sys/devices/system/cpu/cpu3/online
	fires() { query 'ALERTS{alertname="TdstatCpusNotCounted",alertstate="firing"}' | jq -e '.data.result | length == 1'; }
	wait_for fires
	query 'sum by (pmu) (instance_pmu_category:tdstat_topdown_slots:ratio_rate5m)' >sums.json
	jq -e '.data.result | length == 2 and all(.[]; .value[1] | tonumber | . > 0.98 and . < 1.02)' sums.json
	# it is counted again, and does not only leave the window of the rule
	echo 1 >/sys/devices/system/cpu/cpu3/online
	await_page_line '^tdstat_cpus_counted\{pmu="cpu_atom"\} 2$'
	is_over() { query 'ALERTS{alertname="TdstatCpusNotCounted"}' | jq -e '.data.result == []'; }
	wait_for is_over
}
