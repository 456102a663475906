#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# wing: serve
# shellcheck disable=SC2154 # what try sets
# tdstat serve and --openmetrics, with software events of this machine; with the real
# promtool and node_exporter if they could be fetched (tests/tools).  The servers and
# clients are in Python (serve.py), which needs one process for a whole test.

load helper

bin=$here/../../build/tools/usr/bin
files=$here/../../cmd/serve
manual=$here/../../man/tdstat-openmetrics.7

needs_tool() {
	[ -x "$bin/$1" ] || skip "no $1 here (tests/tools/fetch)"
}

# runs standard input with what serve.py defines
python() {
	local text status=0

	# all of its words; a process less than through a pipe
	text=$(python3 "$here/serve.py") || status=$?
	[ $status != 77 ] || skip "$text"
	[ $status = 0 ] || fail "$text"
}

# the same, where tdstat can serve
serving() {
	local missing=$BATS_RUN_TMPDIR/no_libmicrohttpd

	needs_software_events -a
	[ -e "$missing" ] || python3 -S - <<-'PYTHON' >"$missing"
		import ctypes
		try:
		    ctypes.CDLL("libmicrohttpd.so.12")
		except OSError as error:
		    print(error)
	PYTHON
	[ ! -s "$missing" ] || skip "no libmicrohttpd here"
	python
}

# --- HTTP -------------------------------------------------------------------------

@test "GET /metrics: text, and OpenMetrics for whoever asks for it" {
	serving <<-'PYTHON'
		with Server() as server:
		    page = server.counted()
		    same(page.status, 200)
		    same(page.headers["content-type"].lower(), "text/plain; version=0.0.4; charset=utf-8")
		    assert "\n# TYPE tdstat_slots_total counter\n" in page.body
		    assert "# EOF" not in page.body
		    page = server.http(accept="application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
		    same(page.headers["content-type"].lower(), "application/openmetrics-text; version=1.0.0; charset=utf-8")
		    assert "\n# TYPE tdstat_slots counter\n" in page.body
		    assert re.search(r'^tdstat_slots_total{pmu="cpu"} [0-9]+$', page.body, re.M)
		    assert page.body.endswith("\n# EOF\n")
		    # all of them, and each of the two halves that count something
		    values = series(page.body)
		    slots = values['tdstat_slots_total{pmu="cpu"}']
		    parts = [value for name, value in values.items() if name.startswith("tdstat_topdown_slots_total")]
		    assert len(parts) == 4 and 0.99 * slots < sum(parts) < 1.01 * slots, page
		    server.stop()
		    assert "WATCHDOG=1" in server.states
		    same(server.states[-1], "STOPPING=1")
	PYTHON
}

@test "HEAD, other pages and methods, and a kept connection" {
	serving <<-'PYTHON'
		with Server() as server:
		    page = server.http(method="HEAD")
		    same((page.status, page.body), (200, ""))
		    page = server.http("/")
		    same(page.status, 200)
		    assert "/metrics" in page.body
		    same(server.http("/metrics/x").status, 404)
		    for method in "POST", "PUT", "DELETE", "OPTIONS":
		        page = server.http(method=method)
		        same((method, page.status, page.headers["allow"]), (method, 405, "GET, HEAD"))
		    # ten answers on one connection; all are asked for at once, as a silent one is ended
		    with open_socket(server.where) as sock:
		        sock.sendall((REQUEST + b"\r\n") * 9 + REQUEST + b"Connection: close\r\n\r\n")
		        same(receive(sock).count(b"HTTP/1.1 200 "), 10)
	PYTHON
}

@test "a request with a body is answered, and the connection goes on after it" {
	serving <<-'PYTHON'
		def asks(length, body):
		    """A request with this body, and one for a page that is not there, which ends the connection."""
		    return REQUEST + length + b"\r\n\r\n" + body + b"GET /none HTTP/1.1\r\nHost: x\r\n\r\n"

		ten, large = b"0123456789", b"GET / HTTP/1.1\r\n\r\n" * 50000
		chunks = b"a\r\n" + ten + b"\r\n5\r\n01234\r\n0\r\n\r\n"
		requests = {"none": asks(b"X: y", b""), "empty": asks(b"Content-Length: 0", b""),
		            "short": asks(b"Content-Length: 10", ten),
		            "long": asks(b"Content-Length: %d" % len(large), large),
		            "chunks": asks(b"Transfer-Encoding: chunked", chunks),
		            "no chunk": asks(b"Transfer-Encoding: chunked", b"0\r\n\r\n"),
		            "many chunks": asks(b"Transfer-Encoding: chunked", (b"4000\r\n" + b"G" * 0x4000 + b"\r\n") * 64
		                                + b"0\r\n\r\n")}
		with Server() as server:
		    for name, request in requests.items():
		        statuses = re.findall(rb"HTTP/1\.1 (\d+) ", exchange(server.where, request))
		        same((name, statuses), (name, [b"200", b"404"]))
	PYTHON
}

@test "garbage, slow clients and 1,000 connections do no harm" {
	serving <<-'PYTHON'
		with Server() as server:
		    server.counted()
		    before = server.memory()
		    garbage(server)
		    crowd(server, 1000)
		    slow(server, 64)
		    after = server.memory()
		    assert "SANITIZED" in os.environ or after < before + 16384, f"{before} KiB became {after}"
		    server.stop()
	PYTHON
}

# An answer that does not come is waited for until TD_HANGS, and no interval ends by then.
@test "neither kept connections nor a long interval starve a scrape" {
	serving <<-'PYTHON'
		with Server() as server:
		    polite(server, 80)
		    server.stop()
		with Server("-I", f"{2 * HANGS:.0f}s") as server:
		    slow(server, 64)
	PYTHON
}

@test "an answer of more labels: -A has cpu, as node_exporter has it" {
	serving <<-'PYTHON'
		with Server("-A") as server:
		    page = server.counted().body
		    for part in read("/sys/devices/system/cpu/online").strip().split(","):
		        first, _, last = part.partition("-")
		        for cpu in range(int(first), int(last or first) + 1):
		            assert f'\ntdstat_slots_total{{pmu="cpu",cpu="{cpu}"}} ' in page, f"no cpu {cpu}: {page}"
	PYTHON
}

@test "--max-series leaves out whole rows, with one note" {
	serving <<-'PYTHON'
		with Server("--max-series", "3") as server:
		    page = server.await_("^tdstat_series_left_out [1-9]")
		    assert "\ntdstat_series 0\n" in page and "\ntdstat_slots_total" not in page, page
		    server.wait_intervals(3)
		    server.stop()
		err = read("err").splitlines()
		same(sum(line.startswith("tdstat: left out ") and line.endswith(" series beyond the limit of 3") for line in err), 1)
		assert any("--max-series" in line for line in err)
	PYTHON
}

@test "one line at the start: address, PMUs, series and version" {
	serving <<-'PYTHON'
		with Server("-I", "100") as server:
		    nr = series(server.counted().body)["tdstat_series"]
		    assert nr > 5
		    server.wait_intervals(3)
		    server.stop()
		version = tdstat("--version").out[0].removeprefix("tdstat ")
		# a busy machine misses intervals
		same([line for line in read("err").splitlines() if not re.search(" missed [0-9]+ intervals? ", line)],
		     [f"tdstat: version {version} answers on http://{server.where}/metrics: cpu, {nr:.0f} series"])
	PYTHON
}

@test "the age of the last reading; SIGHUP does not end serve" {
	serving <<-'PYTHON'
		KEY = "tdstat_last_read_timestamp_seconds"
		# it has milliseconds
		begin = time.time() - 0.001
		with Server() as server:
		    last = series(server.counted().body)[KEY]
		    assert begin <= last <= time.time(), (begin, last)
		    server.process.send_signal(signal.SIGHUP)
		    server.process.send_signal(signal.SIGHUP)
		    wait_until(lambda: series(server.http().body)[KEY] > last, 0.1)
		    server.stop()
	PYTHON
	has_text "$files/tdstat.service.in" $'\nExecReload=/bin/kill -HUP [$]MAINPID\n'
}

# --- where it listens ---------------------------------------------------------------

@test "a unix socket: permissions, a stale one, one in use, and its removal" {
	serving <<-'PYTHON'
		with Server(where="unix:sock") as server:
		    same(os.stat("sock").st_mode & 0o777, 0o660)
		    same(server.http().status, 200)
		    other = tdstat("serve", "--listen", "unix:sock")
		    same(other.returncode, 1)
		    assert "cannot listen on sock: Address already in use" in other.stderr, other
		    server.process.kill()
		    server.process.wait()
		assert os.path.exists("sock")
		with Server(where="unix:sock") as server:
		    same(server.http().status, 200)
		    server.stop()
		assert not os.path.exists("sock")
		# a file that is not a socket stays
		with open("sock", "w") as file:
		    file.write("precious")
		same(tdstat("serve", "--listen", "unix:sock").returncode, 1)
		same(read("sock"), "precious")
	PYTHON
}

@test "a socket of systemd" {
	serving <<-'PYTHON'
		with socket.create_server(("127.0.0.1", 0)) as listener:
		    where = "127.0.0.1:%d" % listener.getsockname()[1]
		    process = subprocess.Popen(
		        ["sh", "-c", 'exec 3<&%d; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"' % listener.fileno(),
		         "sh", TDSTAT, "serve", "-l", "1"], pass_fds=[listener.fileno()], stderr=subprocess.DEVNULL)
		    try:
		        same(http(where).status, 200)
		        process.terminate()
		        same(process.wait(HANGS), 0)
		    finally:
		        process.kill()
	PYTHON
}

@test "--listen: invalid addresses" {
	python <<-'PYTHON'
		for where in ("nowhere", "9878", ":9878", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "::1:9878", "[::1]",
		              "[]:1", "127.0.0.1:12x"):
		    refused = tdstat("serve", "--listen", where)
		    same((refused.returncode, refused.err[0]), (64, f"tdstat: --listen {where}: not ADDR:PORT or unix:PATH"))
		for where in "unix:", "unix:/" + "0" * 200:
		    same((where, tdstat("serve", "--listen", where).returncode), (where, 64))
	PYTHON
}

@test "an address in use" {
	serving <<-'PYTHON'
		with Server() as server:
		    other = tdstat("serve", "--listen", server.where)
		    same((other.returncode, len(other.err)), (1, 2))
		    same(other.err[0], f"tdstat: cannot listen on {server.where}: Address already in use")
	PYTHON
}

@test "privileges: all threads keep only CAP_PERFMON" {
	serving <<-'PYTHON'
		if os.geteuid() != 0:
		    skip("not root")
		with Server() as server:
		    tasks = os.listdir(f"/proc/{server.pid}/task")
		    for task in tasks:
		        status = dict(line.split(":\t", 1) for line in read(f"/proc/{server.pid}/task/{task}/status").splitlines())
		        for key in "CapInh", "CapAmb":
		            same((key, int(status[key], 16)), (key, 0))
		        for key in "CapPrm", "CapEff", "CapBnd":
		            assert int(status[key], 16) in (0, 1 << 38), (key, status[key])
		        same(status["NoNewPrivs"], "1")
	PYTHON
}

@test "without libmicrohttpd: which package has it" {
	needs_software_events -a
	mkdir lib
	: >lib/libmicrohttpd.so.12
	LD_LIBRARY_PATH=$PWD/lib try within "$TDSTAT" serve
	assert_equal "$status" 1
	[[ ${stderr_lines[0]} == 'tdstat: tdstat serve needs libmicrohttpd: '* ]]
	[[ ${stderr_lines[1]} == *libmicrohttpd12* ]]
}

@test "only serve loads libmicrohttpd" {
	# as ldd does
	LD_TRACE_LOADED_OBJECTS=1 try "$TDSTAT"
	[[ $output == *libc.so* && $output != *microhttpd* && $output != *gnutls* ]]
}

# --- the file -----------------------------------------------------------------------

@test "--openmetrics -o FILE.prom: node_exporter reads it" {
	needs_software_events -a
	mkdir textfile
	"$TDSTAT" -a -l 1 --openmetrics -o textfile/tdstat.prom -I 200 --interval-count 3
	made=(textfile/*)
	assert_equal "${made[*]}" textfile/tdstat.prom
	! has_text textfile/tdstat.prom EOF || fail "an end"
	needs_tool prometheus-node-exporter
	EXPORTER=$bin/prometheus-node-exporter python <<-'PYTHON'
		where = free_address()
		log = open("exporter.log", "w")
		exporter = subprocess.Popen(
		    [os.environ["EXPORTER"], "--collector.disable-defaults", "--collector.textfile",
		     "--collector.textfile.directory=" + os.path.abspath("textfile"), "--web.listen-address=" + where],
		    stdin=subprocess.DEVNULL, stdout=log, stderr=log)
		def answer():
		    assert exporter.poll() is None, read("exporter.log")
		    try:
		        return http(where)
		    except ConnectionRefusedError:
		        return None
		try:
		    page = wait_until(answer, 0.1).body
		finally:
		    exporter.kill()
		    exporter.wait()
		assert "\nnode_textfile_scrape_error 0\n" in page, page
		assert re.search(r"\nnode_textfile_mtime_seconds{.*tdstat.prom", page), page
		# the same series with the same values, written another way
		wanted = unordered(read("textfile/tdstat.prom"))
		assert wanted
		same(unordered(page), wanted)
	PYTHON
}

@test "promtool finds no fault with the page and the file" {
	needs_tool promtool
	PROMTOOL=$bin/promtool serving <<-'PYTHON'
		with Server() as server:
		    checked = run(os.environ["PROMTOOL"], "check", "metrics", input=server.counted().body)
		    same((checked.returncode, checked.stdout), (0, ""))
	PYTHON
	"$TDSTAT" -a -l 1 --openmetrics -o file.prom -I 200 --interval-count 2
	"$bin/promtool" check metrics <file.prom
}

@test "another name: OpenMetrics; each interval replaces the whole file" {
	needs_software_events -a
	echo old >file.txt
	ln -s file.txt link
	"$TDSTAT" -a -l 1 --openmetrics -o link -I 100 --interval-count 2
	[ -L link ]
	mapfile -t page <file.txt
	assert_equal "${page[-1]}" '# EOF'
	same=0
	for line in "${page[@]}"; do
		[[ $line != tdstat_info* ]] || same=$((same + 1))
	done
	assert_equal $same 1
	[ ! -e file.txt.tmp ]
}

@test "no word of level 2 where it is only the default" {
	needs_software_events -a
	try "$TDSTAT" -a -l 2 --openmetrics -o file -I 100 --interval-count 1
	[[ $stderr == *"there is only level 1"* ]]
	try "$TDSTAT" -a --openmetrics -o file -I 100 --interval-count 1
	assert_equal "$status" 0
	[[ $stderr != *level* ]] || fail "level 2"
	has_text file $'\ntdstat_slots_total'
}

@test "a command: its status, and the slots up to its end" {
	needs_software_events
	try "$TDSTAT" -l 1 --openmetrics -o file -- sh -c 'exit 3'
	assert_equal "$status" 3
	has_text file $'\ntdstat_slots_total[^\n]* 0*[1-9]'
}

@test "a directory that was removed: one note, and counting continues" {
	needs_software_events -a
	python <<-'PYTHON'
		os.mkdir("folder")
		with open("err", "w") as err:
		    process = subprocess.Popen([TDSTAT, "-a", "-l", "1", "--openmetrics", "-o", "folder/file", "-I", "100"],
		                               stdin=subprocess.DEVNULL, stderr=err)
		def complaints():
		    return read("err").count("cannot write")
		def sleeps():
		    return int(re.search(r"\nvoluntary_ctxt_switches:\s*(\d+)", read(f"/proc/{process.pid}/status"))[1])
		try:
		    wait_until(lambda: os.path.exists("folder/file"))
		    os.rename("folder", "gone")
		    wait_until(complaints)
		    # several more intervals
		    before = sleeps()
		    wait_until(lambda: sleeps() >= before + 10)
		    text = read("gone/file")
		    assert text.endswith("\n# EOF\n")
		    os.rename("gone", "folder")
		    wait_until(lambda: read("folder/file") != text)
		    same(complaints(), 1)
		    process.terminate()
		    same(process.wait(HANGS), 0)
		finally:
		    process.kill()
	PYTHON
}

@test "a full disk: one note, the old file stays whole, and the status is 1" {
	needs_software_events -a
	python <<-'PYTHON'
		# the file before the first count is smaller than 1 KiB
		full = tdstat("-a", "-l", "1", "--openmetrics", "-o", "file", "-I", "100", "--interval-count", "4",
		              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)))
		same(full.returncode, 1)
		same(len(re.findall("cannot write (?:.*/)?file: File too large", full.stderr)), 1)
		assert read("file").endswith("\n# EOF\n")
		assert not os.path.exists("file.tmp")
	PYTHON
}

@test "a device is not replaced, and a file that cannot be written is an error before counting" {
	needs_software_events -a
	try within "$TDSTAT" -a --openmetrics -o /dev/null
	assert_equal "$status" 1
	[[ $stderr == *'-o /dev/null: it would be replaced, and is not a file'* ]]
	[ -c /dev/null ]
	try within "$TDSTAT" -a -l 1 --openmetrics -o nowhere/file
	assert_equal "$status" 1
	[[ $stderr == *'cannot write nowhere/file: No such file or directory'* ]]
	# a command runs nevertheless, unless counting is required
	try "$TDSTAT" --openmetrics --require -o nowhere/file -- touch ran
	assert_equal "$status" 125
	assert_equal "$stderr" 'tdstat: cannot write nowhere/file: No such file or directory'
	[ ! -e ran ]
	try "$TDSTAT" --openmetrics -o nowhere/file -- touch ran
	assert_equal "$status" 0
	assert_equal "${stderr_lines[0]}" 'tdstat: cannot write nowhere/file: No such file or directory'
	[ -e ran ]
}

@test "options that --openmetrics and serve exclude" {
	python <<-'PYTHON'
		for words in ("", "-o f -x,", "-o f -j", "-o f -e cycles", "-o f --append", "-o f --per-thread -p 1",
		              "-o f -r 2 -- true", "-o f -I 1s --summary", "-o f -A --for-each-cgroup x"):
		    same((words, tdstat("--openmetrics", *words.split()).returncode), (words, 64))
		same(tdstat("-a", "--max-series", "5").returncode, 64)
		for words in "true", "-A --for-each-cgroup x", "--per-thread", "-I 99", "--max-series 0", "-x,":
		    same((words, tdstat("serve", *words.split()).returncode), (words, 64))
	PYTHON
}

# --- cgroups ------------------------------------------------------------------------

@test "--for-each-cgroup: those that come are counted, series of those that go end, nested ones are marked" {
	serving <<-'PYTHON'
		with Cgroups() as cgroups:
		    group = cgroups.name
		    def counts(name, labels=""):
		        return rf'^tdstat_slots_total{{pmu="cpu",cgroup="{re.escape(f"{group}/{name}")}"{labels}}} [1-9]'
		    cgroups.make("web/api")
		    with Server("--for-each-cgroup", f"^{group}/[a-z]") as server:
		        server.await_("^tdstat_cgroups_counted 2$")
		        page = server.await_(f'^tdstat_cgroup_nested{{cgroup="{group}/web/api"}} 1$')
		        assert f'\ntdstat_cgroup_nested{{cgroup="{group}/web"}}' not in page
		        # one of a container, whose name no file has
		        id = f"{os.getpid():064x}"
		        container = f"docker-{id}.scope"
		        cgroups.work_in(container)
		        page = server.await_(counts(container, f',container="{id[:12]}"'))
		        assert 'db",container' not in page
		        cgroups.leave(container)
		        server.await_("^tdstat_cgroups_counted 2$")
		        # one comes, and is counted
		        cgroups.work_in("db")
		        page = server.await_(counts("db"))
		        assert "\ntdstat_cgroups_counted 3\n" in page
		        assert f"tdstat: cgroup {group}/db is new; it is now counted\n" in read("err")
		        # it goes
		        cgroups.leave("db")
		        page = server.await_("^tdstat_cgroups_counted 2$")
		        assert f'{group}/db"' not in page
		        # others come, of which one takes its place: descriptors do not grow with names
		        numbers = []
		        for name in "one", "two", "three":
		            cgroups.work_in(name)
		            assert f'{group}/db"' not in server.await_(counts(name))
		            cgroups.leave(name)
		            server.await_("^tdstat_cgroups_counted 2$")
		            numbers.append(server.descriptors())
		        assert numbers[2] <= numbers[0], numbers
		        # and one of a name that was there begins again
		        cgroups.work_in("db")
		        server.await_(counts("db"))
		        server.stop()
	PYTHON
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
		            exp_annotations: {summary: '7 series of tdstat on b are left out; raise --max-series'}
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
		  # a restart at 10 minutes: counters begin at 0, and shares stay
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
		            exp_annotations: {summary: 'tdstat on b misses intervals because the machine is too busy'}
		  - interval: 1m
		    input_series:
		      # one of 8 CPUs disappears at minute 30; a new one is not an alert
		      - {series: 'tdstat_cpus_counted{job="a",instance="b",pmu="cpu_core"}', values: '4x120'}
		      - {series: 'tdstat_cpus_counted{job="a",instance="b",pmu="cpu_atom"}', values: '4x30 3x90'}
		      - {series: 'tdstat_cpus_counted{job="a",instance="c",pmu="cpu"}', values: '4x30 5x90'}
		      # another program has the counters for three quarters of the time,
		      # from minute 30 on
		      - {series: 'tdstat_enabled_seconds_total{job="a",instance="b",pmu="cpu",group="level1"}', values: '0+60x120'}
		      - {series: 'tdstat_counted_seconds_total{job="a",instance="b",pmu="cpu",group="level1"}', values: '0+60x30 1815+15x89'}
		      - {series: 'tdstat_enabled_seconds_total{job="a",instance="c",pmu="cpu",group="level1"}', values: '0+60x120'}
		      - {series: 'tdstat_counted_seconds_total{job="a",instance="c",pmu="cpu",group="level1"}', values: '0+60x120'}
		      # an Atom core's own levels are multiplexed from the start
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
		            exp_annotations: {summary: 'level 1 of cpu on b is measured 25% of the time, less than within the last day'}
	YAML
	"$bin/promtool" test rules test.yml
}

# --- files for others ---------------------------------------------------------------

@test "rules and dashboard use exported names, and Prometheus accepts the rules" {
	FILES=$files MANUAL=$manual COUNTERS=$here/../../build/tests/unit/counters python <<-'PYTHON'
		import json
		files = os.environ["FILES"]
		try:
		    printed = set(run(os.environ["COUNTERS"], "--names").out)
		except OSError:
		    skip("no unit tests here")
		assert printed
		other = {"tdstat_" + name for name in ("topdown_slots", "topdown_l2_slots", "cycles", "instructions_per_cycle",
		                                       "counted_seconds")}
		for file in files + "/rules.yml", files + "/grafana.json", os.environ["MANUAL"]:
		    lines = (line for line in read(file).replace("\\-", "-").splitlines()
		             if not line.startswith((".Nm", ".Xr", ".Dt")))
		    used = set(re.findall(r"\btdstat_[a-z0-9_]+", "\n".join(lines)))
		    assert used
		    same((file, used - other - printed), (file, set()))
		# and the manual has each
		same(printed - used, set())
		assert len(json.loads(read(files + "/grafana.json"))["panels"]) > 4
	PYTHON
	needs_tool promtool
	"$bin/promtool" check rules "$files/rules.yml"
}

@test "Prometheus understands each query of the manual and of the dashboard" {
	needs_tool promtool
	FILES=$files MANUAL=$manual PROMTOOL=$bin/promtool python <<-'PYTHON'
		import json
		panels = json.loads(read(os.environ["FILES"] + "/grafana.json"))["panels"]
		queries = [re.sub(r"\$[a-z]*", ".*", target["expr"].replace("$__rate_interval", "5m"))
		           for panel in panels for target in panel["targets"]]
		for text in re.findall(r'^\.\\" query.*\n((?s:.*?))^\.Ed', read(os.environ["MANUAL"]), re.M):
		    queries.append(" ".join(line for line in text.splitlines() if not line.startswith(".")))
		assert len(queries) > 10, queries
		def check(queries):
		    rules = [{"record": f"a:b{nr}", "expr": query} for nr, query in enumerate(queries)]
		    with open("rules.json", "w") as file:
		        json.dump({"groups": [{"name": "queries", "rules": rules}]}, file)
		    return run(os.environ["PROMTOOL"], "check", "rules", "rules.json")
		good = check(queries)
		assert good.returncode == 0, good
		# and one that is wrong would be noticed
		assert check([query.replace("group_left", "group_lefty") for query in queries]).returncode
	PYTHON
}

@test "the unit's filter of system calls lets through all that serve calls" {
	command -v systemd-analyze >/dev/null || skip "no systemd-analyze"
	needs_strace
	FILES=$files serving <<-'PYTHON'
		# the calls of systemd's sets
		sets, calls = {}, set()
		for line in run("systemd-analyze", "syscall-filter").out:
		    word = line.strip()
		    if line.startswith("@"):
		        sets[word] = calls = set()
		    elif word and not word.startswith("#"):
		        calls.add(word)
		def filtered(name):
		    return set().union(*map(filtered, sets[name])) if name.startswith("@") else {name}
		words = re.search("^SystemCallFilter=(.*)", read(os.environ["FILES"] + "/tdstat.service.in"), re.M)[1].split()
		allowed = set().union(*map(filtered, words))
		# our child is tdstat, not strace
		with Server(before=["strace", "-D", "-f", "-o", "trace"]) as server:
		    server.counted()
		    server.stop()
		    wait_until(lambda: "\n%d +++ exited" % server.pid in re.sub(" +", " ", read("trace")))
		used = set(re.findall(r"^\d+ +([a-z_0-9]+)\(", read("trace"), re.M))
		assert len(used) > 30, used
		same(used - allowed, set())
	PYTHON
}

@test "systemd finds no fault with the unit" {
	command -v systemd-analyze >/dev/null || skip "no systemd-analyze"
	unit=$(<"$files/tdstat.service.in")
	# a program that there is; the manual may not be installed
	unit=${unit//@BINDIR@\/tdstat//bin/true}
	printf '%s\n' "${unit/$'\n'Documentation=*([^$'\n'])/}" >tdstat.service
	try systemd-analyze verify ./tdstat.service
	# other units of this machine may have faults
	[[ $output$stderr != *tdstat* ]] || fail "$output$stderr"
}
