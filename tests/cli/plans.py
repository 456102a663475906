# SPDX-License-Identifier: GPL-2.0-only
"""Runs tdstat for tests of many command lines, and reads what it prints.

A suite's tests are short programs on standard input of "checks" (helper.bash), which
start with all of this: one process for a test, and one for each run of tdstat.
"""

import json
import os
import re
import shlex
import subprocess
from collections import namedtuple
from pathlib import Path

import metrics

TDSTAT = os.environ["TDSTAT"]
EVENT_FILES = Path(os.environ["TD_PMU_EVENTS"])
DATA = Path(__file__).parent.parent / "data"

Result = namedtuple("Result", "status out err lines err_lines")
Event = namedtuple("Event", "group pmu name type config config1 read_format flags")


def words(options):
    """A list as it is; of a text what a shell would make of it."""
    return shlex.split(options) if isinstance(options, str) else [str(o) for o in options]


def run(options, stdin=None, **env):
    """tdstat with these options; env changes its environment, None removes."""
    environ = {k: v for k, v in {**os.environ, **env}.items() if v is not None}
    got = subprocess.run(
        [TDSTAT, *words(options)],
        input=stdin,
        stdin=None if stdin is not None else subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environ,
        timeout=float(os.environ["TD_HANGS"]),
        check=False,
    )
    return Result(
        got.returncode, got.stdout, got.stderr, got.stdout.splitlines(), got.stderr.splitlines()
    )


def machine(model):
    """One that "saved" has unpacked."""
    folder = "machines-full" if os.environ.get("TD_FULL") else "machines"
    path = Path(os.environ["BATS_RUN_TMPDIR"], folder, model)
    assert path.is_dir(), f"{model} is not unpacked"
    os.environ["SYSFS_PATH"] = str(path / "sys")
    os.environ["PROCFS_PATH"] = str(path / "proc")


# --- checks ---------------------------------------------------------------------


def same(got, want, what=""):
    if got != want:
        if isinstance(got, list) and isinstance(want, list):
            what += f" (missing {[w for w in want if w not in got]}, too many {[g for g in got if g not in want]})"
        raise AssertionError(f"{what}\nexpected {want!r}\ngot      {got!r}")


def includes(more, less):
    """Texts of words."""
    same(sorted(set(less.split()) - set(more.split())), [], f"{more} lacks some")


def succeeds(options, **env):
    result = run(options, **env)
    same(result.status, 0, f"{options}: {result.err}")
    return result


def fails(options, status, *complaints, quiet=True, **env):
    """With this status (None: any but 0), a complaint of tdstat's, no output."""
    result = run(options, **env)
    if status is None:
        assert result.status != 0, f"{options}: succeeds"
    else:
        same(result.status, status, f"{options}: the status; {result.err}")
    if quiet:
        same(result.out, "", f"{options}: output")
    complains(result, *complaints)
    return result


def complains(result, *patterns):
    assert result.err.startswith("tdstat: "), f"no line of tdstat's: {result.err!r}"
    for pattern in patterns:
        assert re.search(pattern, result.err), f"no line with {pattern}: {result.err}"


def why_and_remedy(result, why, remedy="."):
    """One line why and one what to do, and nothing else."""
    same(len(result.err_lines), 2, f"lines of {result.err}")
    for line, pattern in zip(result.err_lines, (why, remedy)):
        assert line.startswith("tdstat: "), f"not tdstat's: {line}"
        assert re.search(pattern, line), f"no {pattern}: {line}"


# --- plans ----------------------------------------------------------------------


def events_of(text):
    """Of --dry-run's output."""
    found, group, pmu = [], None, None
    for line in text.splitlines():
        if match := re.match(r"group (\d+): (\w+),", line):
            group, pmu = int(match[1]), match[2]
        elif (cells := line.split())[1:2] == ["type"]:
            value = dict(zip(cells[1::2], cells[2::2]))
            found.append(
                Event(
                    group,
                    pmu,
                    cells[0],
                    value["type"],
                    value["config"],
                    value.get("config1"),
                    value.get("read_format"),
                    value.get("flags", ""),
                )
            )
    return found


def groups_in(text):
    return sum(line.startswith("group") for line in text.splitlines())


def plan(options, **env):
    return run(["--dry-run", "-a", *words(options)], **env).out


def _chosen(text):
    """Without what only tells how busy the CPUs are; 0xc0: instructions, which are
    counted with each tree."""
    return [
        event
        for event in events_of(text)
        if not re.match(r"cpu[a-z_]*/(ref|cpu)-cycles/", event.name) and event.config != "0xc0"
    ]


def configs(options, **env):
    """Of each event that would be opened, once, in the order of the text."""
    return " ".join(sorted({event.config for event in _chosen(plan(options, **env))}))


def how_many(options, **env):
    """Events and groups."""
    text = plan(options, **env)
    return len(_chosen(text)), groups_in(text)


# --- recordings -----------------------------------------------------------------


def record(options, silent=None, path="recording.jsonl"):
    """A recording of what would be counted; all but the first group of a PMU ran a
    quarter of the time, the event "silent" never."""
    lines = metrics.recording(plan(options).splitlines(), silent)
    Path(path).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def rows_in(text):
    """Without heads."""
    rows = [json.loads(line) for line in text.splitlines()]
    return [row for row in rows if "tdstat_rows" not in row]


def report(options="", path="recording.jsonl"):
    """Rows of tdstat report -j."""
    return rows_in(succeeds(["report", "-i", path, "-j", *words(options)]).out)


def tree(options="", path="recording.jsonl"):
    """The tree as text, without errors, and with one space between a value and its unit."""
    lines = run(["report", "-i", path, *words(options)]).lines
    return [
        re.sub(r"^( *-?[0-9.]+) +", r"\1 ", re.sub(r" ±[0-9.?]+", "", line, count=1))
        for line in lines
    ]


def shown(options=""):
    """The nodes of the tree as text."""
    cells = [line.split() for line in tree(options)]
    return [c[2] for c in cells if len(c) > 2 and c[1] == "%" and c[2] != "of"]


# --- files of events ------------------------------------------------------------


def metric_file(path):
    return json.loads((EVENT_FILES / path).read_text(encoding="utf-8"))


def model_files(model):
    """(TOPIC, OBJECT) of each event and metric."""
    for path in sorted((EVENT_FILES / model).glob("*.json")):
        if path.stem not in ("metricgroups", "counter"):
            for item in json.loads(path.read_text(encoding="utf-8")):
                yield path.stem, item
