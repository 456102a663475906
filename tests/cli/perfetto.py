# SPDX-License-Identifier: GPL-2.0-only
"""Runs a test of perfetto.bats, as inline.py says: traces, and the rows that they are of."""
import json
import math
import os
import sys
import time

sys.dont_write_bytecode = True
from inline import done, main, read, recorded, rows, same, skip, tdstat  # noqa: E402,F401 the tests use them


def trace_of(*args):
    done("report", *args, "--perfetto", "t.json")
    return json.loads(read("t.json"))


def counters(trace):
    """Process, track, unit, timestamp and value of each, in the order of time."""
    names = {event["pid"]: event["args"]["name"] for event in trace if event["name"] == "process_name"}
    found = sorted((event for event in trace if event["ph"] == "C"), key=lambda event: event["ts"])
    for event in found:
        (unit, value), = event["args"].items()
        yield names[event["pid"]], event["name"], unit, event["ts"], float(value)


def begun(lines, **more):
    """A recording of these lines, as if it were made then."""
    head = json.loads(lines[0]) | more
    with open("rec.jsonl", "w", encoding="utf-8") as file:
        file.write("\n".join([json.dumps(head), *lines[1:]]) + "\n")


def mark(trace):
    """What the beginning says."""
    return next(event["args"] for event in trace if event["name"] == "counting begins")


main(globals())
