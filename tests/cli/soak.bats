#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# A run of 100,000 intervals must not need more memory or descriptors in the end
# than at the beginning.  It takes 100 s, as 1 ms is the shortest interval, so
# all long runs are done at the same time.

# shellcheck disable=SC2154,SC2258 # helper.bash; -x,
load helper

# soak FIFO COMMAND...: a line of JSON with what the command held when its
# 1,000th row came through FIFO and when its 100,000th did.  A row is a line
# that begins with a new time.  The last line is read while it runs on.  It hangs if a
# thousand rows take too long; all of them may take any time.
soak() {
	mkfifo "$1"
	python3 - "$@" 3>&- <<-'PYTHON'
		import collections, json, os, re, signal, subprocess, sys

		fifo, command = sys.argv[1], sys.argv[2:]
		process = subprocess.Popen(["nice", "-n", "5", *command], stdin=subprocess.DEVNULL,
		                           stdout=subprocess.DEVNULL)
		head = re.compile(rb'(?:{"time":|{"interval":)?([0-9]+\.[0-9]+)[,}]')

		def held():
		    # page by page, because statm's sum may lag by some dozens; without
		    # pages of files, whose number depends on what the kernel maps ahead or
		    # takes away
		    with open(f"/proc/{process.pid}/smaps_rollup") as rollup:
		        own = re.search(r"^Anonymous: +(\d+) kB", rollup.read(), re.M)
		    return {"kb": int(own[1]), "fds": len(os.listdir(f"/proc/{process.pid}/fd"))}

		def give_up(*unused):
		    process.kill()
		    sys.exit(f"no {rows + 1} rows")

		signal.signal(signal.SIGALRM, give_up)

		rows, last, at = 0, None, {}
		with open(fifo, "rb") as lines:
		    for line in lines:
		        found = head.match(line)
		        if not found or found[1] == last:
		            continue
		        last = found[1]
		        if rows % 1000 == 0:
		            signal.alarm(int(os.environ["TD_HANGS"]))
		        rows += 1
		        if rows in (1000, 100000):
		            at[rows] = held()
		        if rows == 100000:
		            process.send_signal(signal.SIGINT)
		            break
		    collections.deque(lines, maxlen=0)
		print(json.dumps({"status": process.wait(), "rows": rows, "seconds": float(last or 0),
		                  "early": at.get(1000), "late": at.get(100000)}))
	PYTHON
}

# 64 KiB are 16 pages, for memory that is first needed later.  The smallest block of
# malloc() is 32 bytes: a leak of one per interval would be 3 MB, and one per 48 intervals
# more than is allowed.
assert_constant() {
	[ -s "$1" ] || fail "it did not end"
	jq -r 'if .rows != 100000 then "it ended early"
		elif .early.fds != .late.fds then "descriptors"
		elif .late.kb - .early.kb > 64 then "memory"
		# late rows are left out and not caught up: no row is shorter than 1 ms
		elif $seconds and (.status != 0 or .seconds <= 99.9) then "status or time"
		else empty end' --argjson seconds "${2-false}" "$1" >said
	[ ! -s said ] || fail "$(<said): $(<"$1")"
}

@test "100,000 intervals, printed and recorded: constant memory and descriptors" {
	not_under_valgrind "memory is valgrind's"
	not_under_sanitizers "what is freed is kept"
	needs_software_events -a
	soak tree "$TDSTAT" -o tree -a -I 1 -x, >tree.held &
	soak events "$TDSTAT" -o events -a -A -I 1 -j -e cpu-clock,page-faults,context-switches >events.held &
	soak record "$TDSTAT" record -o record -a -I 1 -e cpu-clock,page-faults >record.held &
	wait
	for kind in tree events record; do
		assert_constant $kind.held true
	done
}

# intervals NR: make a recording of NR intervals
intervals() {
	awk -v nr="$1" 'NR == 1
		NR == 2 {
			sub(/"time":[0-9.]+/, "\"time\":%d")
			for (i = 1; i <= nr; i++)
				printf $0 "\n", i
			printf "{\"end\":{\"elapsed\":%d}}\n", nr
		}' "$data/alderlake-command.jsonl"
}

@test "a report of 100,000 intervals: constant memory and descriptors" {
	not_under_valgrind "memory is valgrind's"
	not_under_sanitizers "what is freed is kept"
	# more than it can be ahead of who reads what it prints
	mkfifo recording
	intervals 110000 >recording 2>/dev/null 3>&- &
	soak rows "$TDSTAT" report -i recording -x, -o rows >held
	assert_constant held
}
