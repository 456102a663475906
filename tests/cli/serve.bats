#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # sh -c; what try sets
# tdstat serve and --openmetrics, over software events of this very machine; with
# the real promtool and node_exporter where they could be fetched (tests/tools).

load helper

bin=$here/../../build/tools/usr/bin
files=$here/../../cmd/serve
manual=$here/../../man/tdstat-openmetrics.7

needs_tool() {
	[ -x "$bin/$1" ] || skip "no $1 here (tests/tools/fetch)"
}

needs_library() {
	python3 -c 'import ctypes; ctypes.CDLL("libmicrohttpd.so.12")' 2>/dev/null || skip "no libmicrohttpd here"
}

# http METHOD URL [HEADER]: status, headers and body of an answer; unix:PATH /URL
http() {
	python3 "$here/serve.py" http "$@"
}

# start [OPTION]...: serve on a port or socket of our own, until it is ready
start() {
	needs_software_events -a
	needs_library
	port=$(python3 "$here/serve.py" port)
	where=127.0.0.1:$port
	[[ " $* " != *" --listen "* ]] || where=
	rm -f notify.sock
	python3 "$here/serve.py" notified notify.sock >states 3>&- &
	notified=$!
	for ((i = 0; i < 100; i++)); do
		[ ! -S notify.sock ] || break
		sleep 0.05
	done
	NOTIFY_SOCKET=$PWD/notify.sock "$TDSTAT" serve -l 1 -I 200 ${where:+--listen "$where"} "$@" >out 2>err 3>&- &
	serve=$!
	for ((i = 0; i < 200; i++)); do
		! grep -q READY=1 states || return 0
		kill -0 "$serve" 2>/dev/null || break
		sleep 0.05
	done
	fail "not ready: $(cat err)"
}

# has_counted: a page with a whole interval
has_counted() {
	for ((i = 0; i < 100; i++)); do
		http GET "http://$where/metrics" >page
		! grep -q '^tdstat_slots_total' page || return 0
		sleep 0.1
	done
	fail "nothing was counted: $(cat page)"
}

teardown() {
	if [ -n "${group-}" ]; then
		[ -z "${worker-}" ] || kill -9 "$worker" 2>/dev/null || true
		sleep 0.1
		./inside find "cg/$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
	fi
	for pid in ${serve-} ${notified-} ${exporter-} ${workers-}; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[ -n "$BATS_TEST_COMPLETED" ] || cat err 2>/dev/null || true
}

# --- HTTP -------------------------------------------------------------------------

@test "GET /metrics: text, and OpenMetrics for whoever asks for it" {
	start
	has_counted
	grep -q '^status 200' page
	grep -qi '^content-type: text/plain; version=0.0.4; charset=utf-8' page
	grep -q '^# TYPE tdstat_slots_total counter' page
	run ! grep -q '# EOF' page
	http GET "http://$where/metrics" 'Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5' >page
	grep -qi '^content-type: application/openmetrics-text; version=1.0.0; charset=utf-8' page
	grep -q '^# TYPE tdstat_slots counter' page
	grep -q '^tdstat_slots_total{pmu="cpu"} [0-9]*$' page
	assert_equal "$(tail -n 1 page)" '# EOF'
	# all of them, and each of the two halves that count something
	awk '/^tdstat_slots_total/ { all = $2 } /^tdstat_topdown_slots_total/ { sum += $2; nr++ }
		END { exit !(nr == 4 && sum > 0.99 * all && sum < 1.01 * all) }' page
	kill "$serve"
	wait "$serve"
	wait "$notified" || true
	grep -q '^WATCHDOG=1$' states
	assert_equal "$(tail -n 1 states)" STOPPING=1
}

@test "HEAD, other pages and methods, and a kept connection" {
	start
	http HEAD "http://$where/metrics" >page
	grep -q '^status 200' page
	assert_equal "$(sed '1,/^$/d' page)" ''
	http GET "http://$where/" >page
	grep -q '^status 200' page
	grep -q /metrics page
	http GET "http://$where/metrics/x" >page
	grep -q '^status 404' page
	for method in POST PUT DELETE OPTIONS; do
		http $method "http://$where/metrics" >page
		grep -q '^status 405' page
		grep -qi '^allow: GET, HEAD' page
	done
	python3 "$here/serve.py" kept "$port"
}

@test "garbage, slow clients and 1,000 connections do no harm" {
	start
	has_counted
	before=$(awk '/^VmRSS/ { print $2 }' "/proc/$serve/status")
	python3 "$here/serve.py" garbage "$port"
	python3 "$here/serve.py" crowd "$port" 1000
	python3 "$here/serve.py" slow "$port" 64
	after=$(awk '/^VmRSS/ { print $2 }' "/proc/$serve/status")
	[ -n "${SANITIZED-}" ] || [ "$after" -lt $((before + 16384)) ] || fail "$before KiB became $after"
	kill "$serve"
	wait "$serve"
}

# Each waits 90 seconds for an answer that should take three.
@test "neither kept connections nor a long interval starve a scrape" {
	start
	python3 "$here/serve.py" polite "$port" 80
	kill "$serve"
	wait "$serve"
	start -I 300s
	python3 "$here/serve.py" slow "$port" 64
}

@test "an answer of more labels: -A has cpu, as node_exporter has it" {
	start -A
	has_counted
	for cpu in $(seq 0 $(($(nproc --all) - 1))); do
		[ ! -e "/sys/devices/system/cpu/cpu$cpu/online" ] || [ "$(cat "/sys/devices/system/cpu/cpu$cpu/online")" = 1 ] || continue
		grep -q "^tdstat_slots_total{pmu=\"cpu\",cpu=\"$cpu\"} " page || fail "no cpu $cpu"
	done
}

@test "--max-series leaves out whole rows, and says so once" {
	start --max-series 3
	sleep 1
	http GET "http://$where/metrics" >page
	grep -q '^status 200' page
	grep -qE '^tdstat_series 0$' page
	grep -qE '^tdstat_series_left_out [1-9]' page
	refute grep -q '^tdstat_slots_total' page
	assert_equal "$(grep -c 'series are left out: there may be 3$' err)" 1
	grep -q -e '--max-series' err
	kill "$serve"
	wait "$serve"
}

@test "one line at the start: address, PMUs, series and version" {
	start -I 100
	has_counted
	version=$("$TDSTAT" --version)
	nr=$(awk '/^tdstat_series / { print $2 }' page)
	[ "$nr" -gt 5 ]
	assert_equal "$(grep -v ' intervals\? passed ' err)" "tdstat: version ${version#tdstat } answers on http://$where/metrics: cpu, $nr series"
}

@test "the age of the last read, and SIGHUP, which ends nothing" {
	start
	has_counted
	awk -v now="$(date +%s)" '/^tdstat_last_read_timestamp_seconds/ { age = now - $2; found = 1 }
		END { exit !(found && age > -3 && age < 10) }' page
	before=$(awk '/^tdstat_last_read/ { print $2 }' page)
	kill -HUP "$serve"
	kill -HUP "$serve"
	sleep 1
	http GET "http://$where/metrics" >page
	awk -v before="$before" '/^tdstat_last_read/ { exit !($2 > before) }' page
	kill "$serve"
	wait "$serve"
	grep -q '^ExecReload=/bin/kill -HUP \$MAINPID$' "$files/tdstat.service.in"
}

# --- where it listens ---------------------------------------------------------------

@test "a unix socket: its rights, a stale one, one in use, and none at the end" {
	start --listen "unix:$PWD/sock"
	assert_equal "$(stat -c %a sock)" 660
	http GET "unix:$PWD/sock" /metrics >page
	grep -q '^status 200' page
	try timeout 20 "$TDSTAT" serve --listen "unix:$PWD/sock"
	assert_equal "$status" 1
	[[ $stderr == *"cannot listen on $PWD/sock: Address already in use"* ]]
	kill -KILL "$serve"
	wait "$serve" || true
	[ -S sock ]
	kill "$notified" || true
	start --listen "unix:$PWD/sock"
	http GET "unix:$PWD/sock" /metrics >page
	grep -q '^status 200' page
	kill "$serve"
	wait "$serve"
	[ ! -e sock ]
	# what is no socket is left alone
	echo precious >sock
	try timeout 20 "$TDSTAT" serve --listen "unix:$PWD/sock"
	assert_equal "$status" 1
	assert_equal "$(cat sock)" precious
}

@test "a socket of systemd" {
	needs_software_events -a
	needs_library
	python3 "$here/serve.py" activated "$TDSTAT" >page
	grep -q '^status 200' page
}

@test "--listen: what cannot be meant" {
	for where in nowhere 9878 :9878 127.0.0.1: 127.0.0.1:0 127.0.0.1:65536 ::1:9878 '[::1]' '[]:1' 127.0.0.1:12x; do
		try timeout 20 "$TDSTAT" serve --listen "$where"
		assert_equal "$status" 64
		assert_equal "${stderr_lines[0]}" "tdstat: --listen $where: not ADDR:PORT or unix:PATH"
	done
	try timeout 20 "$TDSTAT" serve --listen unix:
	assert_equal "$status" 64
	try timeout 20 "$TDSTAT" serve --listen "unix:/$(printf '%0200d' 0)"
	assert_equal "$status" 64
}

@test "an address in use" {
	start
	try timeout 20 "$TDSTAT" serve --listen "$where"
	assert_equal "$status" 1
	assert_equal "${stderr_lines[0]}" "tdstat: cannot listen on $where: Address already in use"
	assert_equal "${#stderr_lines[@]}" 2
}

@test "rights: none but CAP_PERFMON are left, in no thread" {
	start
	[ "$(id -u)" = 0 ] || skip "not root"
	for task in /proc/"$serve"/task/*/status; do
		run ! grep -E '^Cap(Inh|Amb):.*[1-9a-f]' "$task"
		run ! grep -E '^Cap(Prm|Eff|Bnd):' <(grep -vE '^Cap...:[[:blank:]]*0*(4000000000)?$' "$task")
		grep -q '^NoNewPrivs:[[:blank:]]*1$' "$task"
	done
}

@test "without libmicrohttpd: which package has it" {
	needs_software_events -a
	mkdir lib
	: >lib/libmicrohttpd.so.12
	LD_LIBRARY_PATH=$PWD/lib try timeout 20 "$TDSTAT" serve
	assert_equal "$status" 1
	[[ ${stderr_lines[0]} == 'tdstat: tdstat serve needs libmicrohttpd: '* ]]
	[[ ${stderr_lines[1]} == *libmicrohttpd12* ]]
}

@test "only serve loads libmicrohttpd" {
	run ! grep -E 'microhttpd|gnutls' <(ldd "$TDSTAT")
}

# --- the file -----------------------------------------------------------------------

@test "--openmetrics -o FILE.prom: node_exporter reads it" {
	needs_software_events -a
	mkdir textfile
	"$TDSTAT" -a -l 1 --openmetrics -o textfile/tdstat.prom -I 200 --interval-count 3
	assert_equal "$(ls textfile)" tdstat.prom
	run ! grep -q EOF textfile/tdstat.prom
	needs_tool prometheus-node-exporter
	port=$(python3 "$here/serve.py" port)
	"$bin/prometheus-node-exporter" --collector.disable-defaults --collector.textfile \
		--collector.textfile.directory="$PWD/textfile" --web.listen-address="127.0.0.1:$port" >exporter.log 2>&1 3>&- &
	exporter=$!
	for ((i = 0; i < 100; i++)); do
		! http GET "http://127.0.0.1:$port/metrics" >page 2>/dev/null || break
		sleep 0.1
	done
	grep -q '^node_textfile_scrape_error 0$' page
	grep -q '^node_textfile_mtime_seconds{.*tdstat.prom' page
	# the same series with the same values, written another way
	python3 "$here/serve.py" same textfile/tdstat.prom page
}

@test "promtool finds no fault with the page and the file" {
	needs_tool promtool
	start
	has_counted
	sed '1,/^$/d' page | "$bin/promtool" check metrics
	"$TDSTAT" -a -l 1 --openmetrics -o file.prom -I 200 --interval-count 2
	"$bin/promtool" check metrics <file.prom
}

@test "another name: OpenMetrics; each interval replaces the whole file" {
	needs_software_events -a
	echo old >file.txt
	ln -s file.txt link
	"$TDSTAT" -a -l 1 --openmetrics -o link -I 100 --interval-count 2
	[ -L link ]
	assert_equal "$(tail -n 1 file.txt)" '# EOF'
	assert_equal "$(grep -c '^tdstat_info' file.txt)" 1
	[ ! -e file.txt.tmp ]
}

@test "no word of level 2 where it is only the default" {
	needs_software_events -a
	try "$TDSTAT" -a -l 2 --openmetrics -o file -I 100 --interval-count 1
	[[ $stderr == *"there is only level 1"* ]]
	try "$TDSTAT" -a --openmetrics -o file -I 100 --interval-count 1
	assert_equal "$status" 0
	assert_equal "$stderr" ''
	grep -q '^tdstat_slots_total' file
}

@test "a command: its status, and the slots up to its end" {
	needs_software_events
	try "$TDSTAT" -l 1 --openmetrics -o file -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 3'
	assert_equal "$status" 3
	awk '/^tdstat_slots_total/ { found = $2 > 0 } END { exit !found }' file
}

@test "a folder that is gone: said once, and the counters go on" {
	needs_software_events -a
	mkdir folder
	"$TDSTAT" -a -l 1 --openmetrics -o folder/file -I 100 2>err 3>&- &
	serve=$!
	for ((i = 0; i < 100; i++)); do
		[ ! -e folder/file ] || break
		sleep 0.1
	done
	mv folder gone
	for ((i = 0; i < 100; i++)); do
		! grep -q 'cannot write' err || break
		sleep 0.1
	done
	sleep 0.5
	assert_equal "$(grep -c 'cannot write' err)" 1
	assert_equal "$(tail -n 1 gone/file)" '# EOF'
	cp gone/file before
	mv gone folder
	for ((i = 0; i < 100; i++)); do
		cmp -s folder/file before || break
		sleep 0.1
	done
	run ! cmp folder/file before
	kill "$serve"
	wait "$serve"
}

@test "no room: said once, the old file stays whole, and the status tells" {
	needs_software_events -a
	# what is there before anything was counted is smaller than 1 KiB
	status=0
	(
		ulimit -f 1
		"$TDSTAT" -a -l 1 --openmetrics -o file -I 100 --interval-count 4 2>err
	) || status=$?
	assert_equal "$status" 1
	assert_equal "$(grep -c "cannot write .*/file: File too large\|cannot write file: File too large" err)" 1
	assert_equal "$(tail -n 1 file)" '# EOF'
	[ ! -e file.tmp ]
}

@test "what is no file is not replaced, and what cannot be written is told first" {
	needs_software_events -a
	try timeout 20 "$TDSTAT" -a --openmetrics -o /dev/null
	assert_equal "$status" 1
	[[ $stderr == *'-o /dev/null: it would be replaced, and is not a file'* ]]
	[ -c /dev/null ]
	try timeout 20 "$TDSTAT" -a -l 1 --openmetrics -o nowhere/file
	assert_equal "$status" 1
	[[ $stderr == *'cannot write nowhere/file: No such file or directory'* ]]
	# a command runs nevertheless, unless it is to be counted
	try "$TDSTAT" --openmetrics --require -o nowhere/file -- touch ran
	assert_equal "$status" 125
	assert_equal "$stderr" 'tdstat: cannot write nowhere/file: No such file or directory'
	[ ! -e ran ]
	try "$TDSTAT" --openmetrics -o nowhere/file -- touch ran
	assert_equal "$status" 0
	assert_equal "${stderr_lines[0]}" 'tdstat: cannot write nowhere/file: No such file or directory'
	[ -e ran ]
}

@test "what --openmetrics and serve exclude" {
	for words in '' '-o f -x,' '-o f -j' '-o f -e cycles' '-o f --append' '-o f --per-thread -p 1' \
		'-o f -r 2 -- true' '-o f -I 1s --summary' '-o f -A --for-each-cgroup x'; do
		# shellcheck disable=SC2086
		try timeout 20 "$TDSTAT" --openmetrics $words
		assert_equal "$words: $status" "$words: 64"
	done
	try timeout 20 "$TDSTAT" -a --max-series 5
	assert_equal "$status" 64
	for words in true '-A --for-each-cgroup x' '--per-thread' '-I 99' '--max-series 0' '-x,'; do
		# shellcheck disable=SC2086
		try timeout 20 "$TDSTAT" serve $words
		assert_equal "$words: $status" "$words: 64"
	done
}

# --- cgroups ------------------------------------------------------------------------

# In a mount namespace of its own, where cgroups are at $PWD/cg.  Not those of
# version 1: a mount of them would take perf_event away from version 2.
private_cgroups() {
	[ "$(id -u)" = 0 ] || skip "only root can mount cgroups"
	! grep -qE '^[^ ]+ [^ ]+ cgroup [^ ]*perf_event' /proc/self/mounts || skip "cgroups are of version 1 here"
	mkdir cg
	unshare -m sh -c 'mount -t cgroup2 none cg && echo >mounted && exec sleep 300' 2>/dev/null 3>&- &
	workers=$!
	for ((i = 0; i < 50; i++)); do
		[ ! -e mounted ] || break
		sleep 0.05
	done
	[ -e mounted ] || skip "cgroups cannot be mounted here"
	cat >inside <<-SCRIPT
		#!/bin/sh
		exec nsenter -t $workers -m sh -c 'cd "\$0" && exec "\$@"' "$PWD" "\$@"
	SCRIPT
	printf '#!/bin/sh\nexec "%s/inside" "%s" "$@"\n' "$PWD" "$TDSTAT" >tdstat
	chmod +x inside tdstat
	TDSTAT=$PWD/tdstat
	group=td$$
	# any write lets the kernel count in them
	./inside sh -c 'echo >cg/cgroup.subtree_control' || true
}

# work_in NAME: a cgroup with a task that never sleeps, whose pid is in $worker
work_in() {
	./inside mkdir -p "cg/$group/$1"
	./inside sh -c 'echo $$ >"$1/cgroup.procs"; while :; do :; done' - "cg/$group/$1" 3>&- &
	worker=$!
	workers="$workers $worker"
}

# leave NAME: its last task ends, and it is removed
leave() {
	kill -9 "$worker"
	wait "$worker" || true
	until ./inside rmdir "cg/$group/$1" 2>/dev/null; do sleep 0.1; done
}

# await PATTERN: a line of the page
await() {
	for ((i = 0; i < 150; i++)); do
		http GET "http://$where/metrics" >page
		! grep -qE "$1" page || return 0
		sleep 0.1
	done
	fail "no $1: $(cat page err)"
}

@test "--for-each-cgroup: those that come are counted, series of those that go end, nested ones are marked" {
	needs_software_events -a
	needs_library
	not_under_valgrind "it is another program that serves"
	private_cgroups
	./inside mkdir -p "cg/$group/web/api"
	start --for-each-cgroup "^$group/[a-z]"
	await '^tdstat_cgroups_counted 2$'
	await "^tdstat_cgroup_nested\{cgroup=\"$group/web/api\"\} 1$"
	refute grep -q "^tdstat_cgroup_nested{cgroup=\"$group/web\"}" page
	# one of a container, whose name no file has
	id=$(printf '%064x' $$)
	work_in "docker-$id.scope"
	await "^tdstat_slots_total\{pmu=\"cpu\",cgroup=\"$group/docker-$id.scope\",container=\"${id:0:12}\"\} [1-9]"
	refute grep -q 'db",container' page
	leave "docker-$id.scope"
	await '^tdstat_cgroups_counted 2$'
	# one comes, and is counted
	work_in db
	await "^tdstat_slots_total\{pmu=\"cpu\",cgroup=\"$group/db\"\} [1-9]"
	grep -q '^tdstat_cgroups_counted 3$' page
	grep -q "^tdstat: cgroup $group/db is new: counted from now on$" err
	# it goes
	leave db
	await '^tdstat_cgroups_counted 2$'
	refute grep -q "$group/db\"" page
	# others come, of which one takes its place: descriptors do not grow with names
	for name in one two three; do
		work_in $name
		await "^tdstat_slots_total\{pmu=\"cpu\",cgroup=\"$group/$name\"\} [1-9]"
		refute grep -q "$group/db\"" page
		leave $name
		await '^tdstat_cgroups_counted 2$'
		fds+=("$(find "/proc/$serve/fd" -type l | wc -l)")
	done
	[ "${fds[2]}" -le $((fds[0] + 2)) ] || fail "descriptors: ${fds[*]}"
	# and one of a name that was there begins again
	work_in db
	await "^tdstat_slots_total\{pmu=\"cpu\",cgroup=\"$group/db\"\} [1-9]"
	kill "$serve"
	wait "$serve"
	leave db
	./inside rmdir "cg/$group/web/api" "cg/$group/web" "cg/$group"
}

@test "rules: a cgroup in another one is not added twice" {
	needs_tool promtool
	cp "$files/rules.yml" .
	cat >test.yml <<-'YAML'
		rule_files: [rules.yml]
		evaluation_interval: 1m
		tests:
		  - interval: 1m
		    input_series:
		      - {series: 'tdstat_slots_total{job="a",instance="b",pmu="cpu",cgroup="web"}', values: '0+600x20'}
		      - {series: 'tdstat_slots_total{job="a",instance="b",pmu="cpu",cgroup="web/api"}', values: '0+600x20'}
		      - {series: 'tdstat_slots_total{job="a",instance="b",pmu="cpu",cgroup="db"}', values: '0+600x20'}
		      - {series: 'tdstat_topdown_slots_total{job="a",instance="b",pmu="cpu",category="retiring",cgroup="web"}', values: '0+300x20'}
		      - {series: 'tdstat_topdown_slots_total{job="a",instance="b",pmu="cpu",category="retiring",cgroup="web/api"}', values: '0+300x20'}
		      - {series: 'tdstat_topdown_slots_total{job="a",instance="b",pmu="cpu",category="retiring",cgroup="db"}', values: '0+600x20'}
		      - {series: 'tdstat_cgroup_nested{job="a",instance="b",cgroup="web/api"}', values: '1x20'}
		      - {series: 'tdstat_series_left_out{job="a",instance="b"}', values: '0x5 7x30'}
		    promql_expr_test:
		      - expr: instance_pmu_category:tdstat_topdown_slots:ratio_rate5m
		        eval_time: 15m
		        exp_samples:
		          - {labels: 'instance_pmu_category:tdstat_topdown_slots:ratio_rate5m{job="a",instance="b",pmu="cpu",category="retiring"}', value: 0.75}
		      - expr: instance_cgroup_pmu_category:tdstat_topdown_slots:ratio_rate5m{cgroup="web/api"}
		        eval_time: 15m
		        exp_samples:
		          - {labels: 'instance_cgroup_pmu_category:tdstat_topdown_slots:ratio_rate5m{job="a",instance="b",pmu="cpu",category="retiring",cgroup="web/api"}', value: 0.5}
		    alert_rule_test:
		      - {alertname: TdstatSeriesLeftOut, eval_time: 4m, exp_alerts: []}
		      - alertname: TdstatSeriesLeftOut
		        eval_time: 30m
		        exp_alerts:
		          - exp_labels: {job: a, instance: b, severity: warning}
		            exp_annotations: {summary: '7 series of tdstat on b are left out: --max-series allows more'}
	YAML
	"$bin/promtool" test rules test.yml
	# without the mark it would be wrong
	sed '/cgroup_nested{job/d' test.yml >wrong.yml
	run ! "$bin/promtool" test rules wrong.yml
}

# promtool's own clock: a series is a value a minute.
@test "rules and alerts: restarts, CPUs that go, counters that stand or are shared" {
	needs_tool promtool
	cp "$files/rules.yml" .
	cat >test.yml <<-'YAML'
		rule_files: [rules.yml]
		evaluation_interval: 1m
		tests:
		  # a restart at 10 minutes: counters begin anew, and shares stay
		  - interval: 1m
		    input_series:
		      - {series: 'tdstat_slots_total{job="a",instance="b",pmu="cpu"}', values: '0+600x10 0+600x10'}
		      - {series: 'tdstat_topdown_slots_total{job="a",instance="b",pmu="cpu",category="retiring"}', values: '0+150x10 0+150x10'}
		    promql_expr_test:
		      - expr: instance_pmu_category:tdstat_topdown_slots:ratio_rate5m
		        eval_time: 12m
		        exp_samples:
		          - {labels: 'instance_pmu_category:tdstat_topdown_slots:ratio_rate5m{job="a",instance="b",pmu="cpu",category="retiring"}', value: 0.25}
		  - interval: 1m
		    input_series:
		      # the page is there, the last read is of minute 10
		      - {series: 'tdstat_last_read_timestamp_seconds{job="a",instance="b"}', values: '0+60x10 600x60'}
		      # ten a minute are missed from minute 20 on
		      - {series: 'tdstat_intervals_missed_total{job="a",instance="b"}', values: '0x20 0+10x60'}
		    alert_rule_test:
		      - {alertname: TdstatStands, eval_time: 14m, exp_alerts: []}
		      - alertname: TdstatStands
		        eval_time: 25m
		        exp_alerts:
		          - exp_labels: {job: a, instance: b, severity: warning}
		            exp_annotations: {summary: 'tdstat on b has not read its counters for 15m 0s'}
		      - {alertname: TdstatIntervalsMissed, eval_time: 20m, exp_alerts: []}
		      - alertname: TdstatIntervalsMissed
		        eval_time: 60m
		        exp_alerts:
		          - exp_labels: {job: a, instance: b, severity: info}
		            exp_annotations: {summary: 'tdstat on b is too late for its intervals: the machine is too busy'}
		  - interval: 1m
		    input_series:
		      # a CPU of 8 goes at minute 30; one that comes is no alert
		      - {series: 'tdstat_cpus_counted{job="a",instance="b",pmu="cpu_core"}', values: '4x120'}
		      - {series: 'tdstat_cpus_counted{job="a",instance="b",pmu="cpu_atom"}', values: '4x30 3x90'}
		      - {series: 'tdstat_cpus_counted{job="a",instance="c",pmu="cpu"}', values: '4x30 5x90'}
		      # somebody else has the counters for three quarters of the time, from minute 30 on
		      - {series: 'tdstat_enabled_seconds_total{job="a",instance="b",pmu="cpu",group="level1"}', values: '0+60x120'}
		      - {series: 'tdstat_counted_seconds_total{job="a",instance="b",pmu="cpu",group="level1"}', values: '0+60x30 1815+15x89'}
		      - {series: 'tdstat_enabled_seconds_total{job="a",instance="c",pmu="cpu",group="level1"}', values: '0+60x120'}
		      - {series: 'tdstat_counted_seconds_total{job="a",instance="c",pmu="cpu",group="level1"}', values: '0+60x120'}
		      # an Atom core's own levels take turns, from the start on
		      - {series: 'tdstat_enabled_seconds_total{job="a",instance="d",pmu="cpu_atom",group="level1"}', values: '0+60x120'}
		      - {series: 'tdstat_counted_seconds_total{job="a",instance="d",pmu="cpu_atom",group="level1"}', values: '0+28x120'}
		    alert_rule_test:
		      - {alertname: TdstatCpusNotCounted, eval_time: 80m, exp_alerts: []}
		      - alertname: TdstatCpusNotCounted
		        eval_time: 100m
		        exp_alerts:
		          - exp_labels: {job: a, instance: b, severity: info}
		            exp_annotations: {summary: 'tdstat on b counts fewer CPUs than within the last day'}
		      - {alertname: TdstatSharesCounters, eval_time: 80m, exp_alerts: []}
		      - alertname: TdstatSharesCounters
		        eval_time: 100m
		        exp_alerts:
		          - exp_labels: {job: a, instance: b, pmu: cpu, group: level1, severity: info}
		            exp_annotations: {summary: 'level 1 of cpu on b is counted 25% of the time, less than within the last day'}
	YAML
	"$bin/promtool" test rules test.yml
}

# --- files for others ---------------------------------------------------------------

@test "rules and dashboard name what tdstat prints, and Prometheus takes the rules" {
	"$BATS_TEST_DIRNAME/../../build/tests/unit/counters" --names 2>/dev/null | sort >names
	[ -s names ] || skip "no unit tests here"
	for file in "$files/rules.yml" "$files/grafana.json" "$manual"; do
		sed 's/\\-/-/g' "$file" | grep -v '^\.\(Nm\|Xr\|Dt\)' |
			grep -oE '\btdstat_[a-z0-9_]+' | sort -u >used
		[ -s used ]
		sed -i '/^tdstat_\(topdown_slots\|topdown_l2_slots\|cycles\|instructions_per_cycle\|counted_seconds\)$/d' used
		assert_equal "$file: $(comm -23 used names)" "$file: "
	done
	# and the manual has each
	assert_equal "$(comm -13 used names)" ''
	jq -e '.panels | length > 4' "$files/grafana.json"
	needs_tool promtool
	"$bin/promtool" check rules "$files/rules.yml"
}

@test "Prometheus understands each query of the manual and of the dashboard" {
	needs_tool promtool
	{
		jq -r '.panels[].targets[].expr' "$files/grafana.json" |
			sed 's/\$__rate_interval/5m/g; s/\$[a-z]*/.*/g'
		awk '/^\.\\" query/ { on = 1; next } /^\.Ed/ && on { on = 0; print "" } on && !/^\./ { printf "%s ", $0 }' "$manual"
	} >queries
	[ "$(wc -l <queries)" -gt 10 ]
	jq -R '{record: "a:b", expr: .}' queries | jq -s '{groups: [{name: "queries", rules: [to_entries[] | .value + {record: "a:b\(.key)"}]}]}' >rules.json
	"$bin/promtool" check rules rules.json
	# and one that is wrong would be noticed
	sed -i 's/group_left/group_lefty/' rules.json
	run ! "$bin/promtool" check rules rules.json
}

@test "the unit's filter of system calls lets through all that serve calls" {
	command -v systemd-analyze >/dev/null || skip "no systemd-analyze"
	command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null || skip "strace does not work here"
	needs_software_events -a
	needs_library
	where=127.0.0.1:$(python3 "$here/serve.py" port)
	timeout 60 strace -f -o trace "$TDSTAT" serve -l 1 -I 200 --listen "$where" 2>err 3>&- &
	serve=$!
	for ((i = 0; i < 100; i++)); do
		! http GET "http://$where/metrics" >page 2>/dev/null || break
		sleep 0.1
	done
	has_counted
	kill "$serve"
	wait "$serve" || true
	sed -E 's/^[0-9]+ +//' trace | grep -oE '^[a-z_0-9]+\(' | tr -d '(' | sort -u >used
	[ "$(wc -l <used)" -gt 30 ]
	# shellcheck disable=SC2046 # names without blanks
	filter $(sed -n 's/^SystemCallFilter=//p' "$files/tdstat.service.in") | sort -u >allowed
	assert_equal "$(comm -23 used allowed)" ''
}

# filter NAME...: the system calls of systemd's sets
filter() {
	local name

	for name in "$@"; do
		case $name in
		@*)
			# shellcheck disable=SC2046 # names without blanks
			filter $(systemd-analyze syscall-filter "$name" | sed '1d; /^ *#/d')
			;;
		*) echo "$name" ;;
		esac
	done
}

@test "systemd finds no fault with the unit" {
	command -v systemd-analyze >/dev/null || skip "no systemd-analyze"
	mkdir bin
	printf '#!/bin/sh\n' >bin/tdstat
	chmod +x bin/tdstat
	sed "s|@BINDIR@|$PWD/bin|; /^Documentation/d" "$files/tdstat.service.in" >tdstat.service
	try systemd-analyze verify ./tdstat.service
	assert_equal "$output$stderr" ''
	assert_success
}
