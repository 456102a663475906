# SPDX-License-Identifier: GPL-2.0-only
"""Asks tdstat for plans of a saved machine whose files are wrong.

  sysfs.py TEST    in a folder with the machine

Each run ends within the limits of memory and time below, whatever the file is, with a
plan or with an error of a few lines.  All that is wrong is collected.
"""
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

MACHINE = Path("machine")
SYS = MACHINE / "sys"
DEVICES = SYS / "bus/event_source/devices"
CORE = DEVICES / "cpu_core"
TDSTAT = os.environ["TDSTAT"]
HANGS = int(os.environ["TD_HANGS"])

wrong = []


def limit():
    """100 MB, but for sanitizers, which take all addresses that there are, and valgrind."""
    if "TD_VALGRIND" not in os.environ and "/san/" not in TDSTAT:
        resource.setrlimit(resource.RLIMIT_AS, (100000 << 10, 100000 << 10))


def run(*args, limited=True):
    """Returns the status, and what is printed as bytes."""
    try:
        done = subprocess.run([TDSTAT, *args], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=HANGS, preexec_fn=limit if limited else None)
    except subprocess.TimeoutExpired:
        return 124, b"", b"it hangs"
    return done.returncode, done.stdout, done.stderr


def asks(what, name, *args):
    """A plan, or an error; with a name, an error that has it.  Returns status and plan."""
    level = [] if "-e" in args else ["-l", "1"]  # whose events are those of the kernel's files
    status, out, err = run("--dry-run", *level, *args)

    def say(fault):
        wrong.append(f"{what}: {fault}")

    said = err.decode(errors="replace")
    if status not in (0, 1):
        say(f"status {status}: {said[:200]}")
    if name and status != 1:
        say("taken")
    if status and (not said.startswith("tdstat: ") or name not in said):
        say(f"does not name {name}: {said[:200]}")
    if len(said.splitlines()) > 8:
        say("too much said")
    if re.search(rb"[^ -~\n]", out + err):
        say(f"no text: {said[:200]!r}")
    return status, out.decode(errors="replace")


def remove(path):
    """Whatever it is."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def made(how, path):
    """The file becomes such a one."""
    contents = {"empty": b"", "blank": b"\n \n", "binary": Path(sys.executable).read_bytes()[:300], "nul": b"\0\0\0",
                "sevens": b"7" * 5000000}
    remove(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if how in contents:
        path.write_bytes(contents[how])
    elif how == "endless":
        path.symlink_to("/dev/zero")
    elif how == "folder":
        path.mkdir()
    elif how == "loop":
        path.symlink_to(path.absolute())
    elif how == "fifo":
        os.mkfifo(path)


class Kept:
    """A file, which may be made another one; afterwards it is what it was."""

    def __init__(self, path):
        self.path, self.kept = path, Path("kept")

    def __enter__(self):
        if self.path.exists():
            self.path.rename(self.kept)

    def __exit__(self, *_):
        remove(self.path)
        if self.kept.exists():
            self.kept.rename(self.path)


def tree():
    """Each file that a tree needs."""
    for name in ("type", "cpus", "format/event", "events/slots", "events/topdown-retiring", "format", "events"):
        for how in ("empty", "binary", "nul", "endless", "folder", "missing"):
            what = f"{how} cpu_core/{name}"
            with Kept(CORE / name):
                made(how, CORE / name)
                status, plan = asks(what, "", "-a")
            # the old content is gone: its PMU's own tree cannot be complete
            if status == 0 and name != "cpus" and re.search("cpu_core/topdown-retiring/ +type 4 +config 0x8000", plan):
                wrong.append(f"{what}: taken")


def machine():
    """Each file of the machine: named, or not needed."""
    for how in ("empty", "blank", "binary", "nul", "endless", "sevens", "folder", "loop", "missing"):
        online = SYS / "devices/system/cpu/online"
        with Kept(online):
            made(how, online)
            asks(f"{how} cpu/online", "cpu/online", "-a")
        for name in ("proc/cpuinfo", "sys/devices/system/cpu/cpu0/topology/core_id",
                     "sys/devices/system/cpu/cpu0/topology/physical_package_id", "proc/sys/kernel/osrelease",
                     "sys/devices/system/cpu/smt/active", "proc/sys/kernel/nmi_watchdog"):
            with Kept(MACHINE / name):
                made(how, MACHINE / name)
                asks(f"{how} {name}", "", "-a", "--per-core")


def fifo():
    """A fifo that nobody writes to."""
    for path in [CORE / name for name in ("type", "cpus", "format/event", "events/slots")] + \
            [SYS / "devices/system/cpu/online", MACHINE / "proc/cpuinfo"]:
        with Kept(path):
            made("fifo", path)
            asks(f"fifo {path}", path.name if path.name in ("type", "cpus", "online") else "", "-a")


def lists(file, name, texts):
    """Lists that are refused."""
    with Kept(file):
        for text in texts:
            file.write_text(text + "\n", encoding="ascii")
            asks(f"{name}: {text!r}", name, "-a")


def cpus():
    """CPUs that do not exist, too many, backwards, overlapping."""
    lists(CORE / "cpus", "cpu_core/cpus", (
        "0-99999999", "4294967296", "2147483648", "99999999999999999999", "3-1", "0-3-5", ",", "0,", ",0", "-1", "0x1",
        "0 1", "1-"))
    with Kept(CORE / "cpus"):
        for text in ("0,0,0", "0-3,1-2", "0-3,900", "900"):
            (CORE / "cpus").write_text(text + "\n", encoding="ascii")
            status, plan = asks(f"cpus {text}", "", "-a")
            # each CPU once, and 900 does not exist
            if status == 0 and re.search("^group .*cpu_core.*CPUs .*(900|0,0|3,)", plan, re.M):
                wrong.append(f"cpus {text}: counted where there is no such CPU")
    lists(SYS / "devices/system/cpu/online", "cpu/online", ("0-99999999", "0-4294967296", "1-0", "x"))


def types():
    """No number, negative, too large, of another PMU."""
    lists(CORE / "type", "cpu_core/type", ("-1", "4294967296", "99999999999999999999", "4 5", "x", "1e3", ""))


def formats():
    """Overlapping bits, too many, words that there are not."""
    lists(CORE / "format/event", "event", (
        "config", "config:", "config:64", "config:7-0", "config:0-63-1", "config9:0-7", "xonfig:0-7", "config:0-7 x",
        "config:-1", "config:0-99999999"))
    # two terms of one event set the same bits: neither is the other's
    for name, text in (("format/event", "config:0-7"), ("format/umask", "config:4-11"),
                       ("events/topdown-retiring", "event=0xff,umask=0x01")):
        (CORE / name).write_text(text + "\n", encoding="ascii")
    same = "umask: another term sets the same bits"
    asks("overlapping", same, "-a")
    status, _, err = run("--dry-run", "-a", "-e", "cpu_core/event=0xff,umask=0x01/")
    if status != 64 or not err.startswith(b"tdstat: ") or same.encode() not in err:
        wrong.append(f"overlapping -e: status {status}, {err}")
    # formats overlap on purpose, where events take one or the other, or where
    # one is a part of the other: both set what they set
    for terms in ("event=0x1f,umask=0xe2", "umask=0xe2,event=0x1f"):
        status, plan = asks(f"two that overlap: {terms}", "", "-a", "-e", f"cpu_core/{terms}/")
        if status or "config 0xe3f " not in plan:
            wrong.append(f"two that overlap: {terms}: not taken")


def texts():
    """An event's text: too large for its bits, no term."""
    lists(CORE / "events/topdown-retiring", "topdown-retiring", (
        "event=0x100", "event=-1", "event=0x1ffffffffffffffff", "event=,", "=0", "event==0", ",,,",
        "event=0x00 umask=1", "event=0,umask=0x100"))


def scales():
    """A scale that is none, of an event of this machine's clock."""
    for scale in ("0", "-1", "nan", "inf", "1e999", "x", "", "1 2", "0x1p3"):
        (DEVICES / "cpu/events/clock.scale").write_text(scale + "\n", encoding="ascii")
        status, out, err = run("-a", "-e", "cpu/clock/", "-x,", "--timeout", "10", limited=False)
        if status not in (0, 1) or status == 0 and re.search(rb"(^|,)(nan|inf|-|0,)", out, re.I | re.M):
            wrong.append(f"scale {scale}: status {status}, {out}, {err}")
        if status and b"clock" not in err:
            wrong.append(f"scale {scale}: {err}")


{"tree": tree, "machine": machine, "fifo": fifo, "cpus": cpus, "types": types, "formats": formats, "texts": texts,
 "scales": scales}[sys.argv[1]]()
sys.exit("\n".join(wrong) or 0)
