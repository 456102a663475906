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
    chosen = _chosen(plan(options, **env))
    assert chosen, f"{options}: no events"
    return " ".join(sorted({event.config for event in chosen}))


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


# --- tdstat list ----------------------------------------------------------------


def listed(options="", **env):
    """Objects of "list -j", however that ends."""
    return [json.loads(line) for line in run(["list", "-j", *words(options)], **env).lines]


def names(kind, options=""):
    """Of one kind in their order, each once."""
    found = [row["name"] for row in listed(options) if row["kind"] == kind]
    return [name for i, name in enumerate(found) if i == 0 or found[i - 1] != name]


def headings(options=""):
    return [line for line in run(["list", *words(options)]).lines if line and line[0] != " "]


def of_cores(item):
    return (item.get("Unit") or "cpu").startswith("cpu")


def metric_groups(item):
    return [group for group in (item.get("MetricGroup") or "").split(";") if group]


def core_events(model):
    """(NAME, PMU, TOPIC, ENCODING) of the files, sorted.  The order of terms is event,
    umask, and the others by the alphabet.  The fixed counters' events are opened by the
    codes of the programmable ones (perf has this table, too: pmu-events/jevents.py,
    fixname and the ones above it)."""
    msrs = {"0x1a6": "offcore_rsp", "0x3f6": "ldlat", "0x3f7": "frontend"}
    codes = {
        "inst_retired.any": "event=0xc0",
        "inst_retired.any_p": "event=0xc0",
        "cpu_clk_unhalted.ref": "event=0x0,umask=0x3",
        "cpu_clk_unhalted.core": "event=0x3c",
        "cpu_clk_unhalted.thread": "event=0x3c",
        "cpu_clk_unhalted.thread_any": "event=0x3c,any=0x1",
    }
    # fixed counters that Linux 6.12 knows by these codes alone (intel_skt_event_constraints)
    topdown = {
        ("topdown_bad_speculation.all", "0x5"): "event=0x73",
        ("topdown_fe_bound.all", "0x6"): "event=0x9c,umask=0x1",
        ("topdown_retiring.all", "0x7"): "event=0xc2,umask=0x2",
    }

    def number(text):
        text = text.split(",")[0].lower()
        return int(text, 16 if text.startswith("0x") else 10)

    found = []
    for topic, item in model_files(model):
        if not item.get("EventName") or not of_cores(item):
            continue
        name, pmu = item["EventName"].lower(), item.get("Unit") or "cpu"
        msr = msrs.get((item.get("MSRIndex") or "none").lower().split(",")[0])
        terms = [("UMask", "umask"), ("AnyThread", "any"), ("CounterMask", "cmask")]
        terms += [("EdgeDetect", "edge")] + [("MSRValue", msr)] * (msr == "frontend")
        terms += [("Invert", "inv")] + [("MSRValue", msr)] * (msr in ("ldlat", "offcore_rsp"))
        values = [(term, number(item.get(key) or "0")) for key, term in terms]
        text = f"event={number(item.get('EventCode') or '0'):#x}"
        text += "".join(f",{term}={value:#x}" for term, value in values if value)
        text = codes.get(name) or topdown.get((name, item.get("UMask") or "")) or text
        found.append((name, pmu, topic, f"{pmu}/{text}/"))
    return sorted(found)


def sysfs_events():
    """(NAME, ENCODING) of each event in the PMUs' folders, sorted."""
    found = []
    for path in Path(os.environ["SYSFS_PATH"], "bus/event_source/devices").glob("*/events/*"):
        if path.suffix in (".scale", ".unit", ".snapshot", ".per-pkg"):
            continue
        pmu = path.parent.parent.name
        # up to a NUL, which not every file has
        text = path.read_bytes().split(b"\0")[0].decode()
        terms = dict(term.split("=") for term in text.replace(",", " ").split())
        values = {term: int(value, 0) for term, value in terms.items()}
        first = f"event={values.pop('event', 0):#x}"
        umask = values.pop("umask", 0)
        rest = sorted(f",{term}={value:#x}" for term, value in values.items())
        encoding = first + (f",umask={umask:#x}" if umask else "") + "".join(rest)
        found.append((f"{pmu}/{path.name}/", f"{pmu}/{encoding}/"))
    return sorted(found)


def not_built_in(rows):
    """What a set has that is neither built in nor common to all models; cpi may be of
    the files."""
    return [
        row
        for row in rows
        if "L2Requests" not in row["groups"]
        and not (row["groups"] and all(g.startswith("Default") for g in row["groups"]))
        and row["name"] != "ipc"
        and not (row["name"] == "cpi" and row["formula"].startswith("cpu"))
    ]


# --- expected plans -------------------------------------------------------------


def events(options, **env):
    """"NAME TYPE CONFIG" of each event, sorted; one that leads several groups once."""
    text = run(["--dry-run", *words(options)], **env).out
    return sorted({f"{event.name} {event.type} {event.config}" for event in events_of(text)})


def expected_events(level, model):
    """Those of tests/expected/MODEL.events up to level, and for level alone ("1=")."""
    found = set()
    text = (DATA.parent / "expected" / f"{model}.events").read_text(encoding="utf-8")
    for cells in map(str.split, text.splitlines()):
        if cells and re.match("[0-9]", cells[0]):
            if cells[0] == f"{level}=" or ("=" not in cells[0] and int(cells[0]) <= level):
                found.add(" ".join(cells[1:4]))
    return sorted(found)


def cpus_of(options=""):
    """"PMU CPUS" of each group, once a PMU."""
    text = run(["--dry-run", *words(options)]).out
    found = re.findall(r"^group [0-9]*: ([^,]*), [0-9]* events?, CPUs ([^ ]*) ", text, re.M)
    found = [" ".join(pair) for pair in found]
    return [pair for i, pair in enumerate(found) if i == 0 or found[i - 1] != pair]
