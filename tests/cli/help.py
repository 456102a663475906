# SPDX-License-Identifier: GPL-2.0-only
"""Checks what --help says.

  help.py screen      --help: one screen, the options that people use
  help.py own         a subcommand's --help: its own options alone, and two examples
  help.py same FILE   tdstat help SUBCOMMAND is its --help; FILE has the subcommands
  help.py blank       no line of blanks alone
  help.py words       subcommands are words for tdstat only where they stand first
"""
import os
import pathlib
import re
import subprocess
import sys
from functools import cache

COMMON = {"--help", "--usage", "--version"}
# Options that only report has, and options that only counting has and record lacks.
REPORT_ALONE = {"--callers", "--from", "--input", "--locate", "--no-tree", "--per-region", "--profile", "--to",
                "--total"}
NOT_RECORD = {"--append", "--force", "--no-multiplex", "--print-perf", "--repeat", "--table"}
WINGS = os.environ.get("TD_WINGS", "pictures serve").split()
if "pictures" in WINGS:
    REPORT_ALONE |= {"--flame", "--folded", "--html", "--pprof", "--svg"}
    NOT_RECORD |= {"--perfetto"}
if "serve" in WINGS:
    NOT_RECORD |= {"--max-series", "--openmetrics"}
OWN = {
    "list": COMMON | {"--cputype", "--json-output", "--metrics-dir", "--model", "--print", "--verbose"},
    "explain": COMMON | {"--json-output", "--metrics-dir", "--model"},
    "help": COMMON,
}
OPTION = re.compile(r"^ {2,6}(?:-., )?(--[a-z-]+)", re.M)


def check(holds, what):
    """Ends with what does not hold."""
    if not holds:
        sys.exit(what)


@cache
def said(*args):
    """What a command prints, which has to succeed and to say nothing else."""
    done = subprocess.run([os.environ["TDSTAT"], *args], capture_output=True, text=True, check=False)
    check(done.returncode == 0 and not done.stderr, f"{args}: status {done.returncode}, {done.stderr}")
    return done.stdout


def subcommands():
    """The words of tdstat help."""
    rows = re.search(r"^Subcommands;.*?\n(.*?)^$", said("help"), re.M | re.S)[1]
    return re.findall(r"^  ([a-z]+) ", rows, re.M)


def options(word="", how="--help=all"):
    """The long options of a help text."""
    return set(OPTION.findall(said(*word.split(), how)))


def screen():
    """One screen, and a larger one."""
    lines = said("--help").rstrip("\n").split("\n")
    check(len(lines) <= 50, f"{len(lines)} lines")
    check(all(len(line) <= 80 for line in lines), "a line of more than 80 characters")
    check(len(OPTION.findall(said("--help"))) - len(COMMON & options(how="--help")) == 16, "not 16 options")
    check(any(re.match(r"tdstat --help=all shows all options \([0-9]+ more\)", line) for line in lines),
          "--help=all is not named")
    # the rest is hidden, not refused
    check("--no-inherit" not in options(how="--help"), "--no-inherit is shown")
    said("--no-inherit", "--help")
    # subcommands with few options have one help; others show all their own options
    for word in subcommands():
        whole = said(word, "--help=all")
        nr = len(re.findall(r"^ {2,6}(?:-., )?--", whole, re.M))
        check(nr > 36 or whole == said(word, "--help"), f"{word} --help has less than --help=all")
    alone = options("report") - options()
    check(alone <= options("report", "--help"), f"not in report --help: {alone}")


def own():
    """The options of each subcommand."""
    for word in subcommands():
        whole = said(word, "--help=all")
        check(f"Usage: tdstat {word} " in whole.split("\n")[0], f"{word}: no usage")
        check("Exit status: " in whole, f"{word}: no statuses")
        check(f"Usage: tdstat {word} " in said(word, "--usage").split("\n")[0], f"{word} --usage")
        examples = re.search(r"^Examples:.*\n(.*\n)(.*\n?)", whole, re.M)
        check(examples and all(line.startswith(f"  tdstat {word}") for line in examples.groups()), f"{word}: examples")
    for word, want in OWN.items():
        check(options(word) == want, f"{word}: {options(word) ^ want}")
    check(options("report") - options() == REPORT_ALONE, f"report: {(options('report') - options()) ^ REPORT_ALONE}")
    check(options() - options("record") == NOT_RECORD, f"record: {(options() - options('record')) ^ NOT_RECORD}")
    shared = {"--pid", "--interval-print", "--event", "--dry-run", "--repeat", "--control"} & options("report")
    check(not shared, f"report: {shared}")


def same(source):
    """Two ways to ask for the same."""
    check(said("help") == said("--help") == said("help", "stat"), "help is not --help")
    for word in subcommands():
        check(said("help", word) == said(word, "--help"), f"help {word} is not {word} --help")
    with open(source, encoding="utf-8") as file:
        first, last = [re.findall(r"^\trow\((.*?)\)", part, re.M) for part in file.read().split("#define LAST")]
    folder = pathlib.Path(source).parent
    words = {file.parent.name: file.read_text().split() for file in folder.glob("*/words")}
    built = os.environ.get("TD_WINGS", " ".join(words)).split()
    wings = sorted(wing for wing in built if wing in words[wing])
    check(first[1:] + wings + last == subcommands(), f"{first}, {wings}, {last}: {subcommands()}")


def blank():
    """argp may put one behind a text that just fits, which depends on all in front of it."""
    for word in ["", *subcommands()]:
        text = said(*word.split(), "--help=all")
        check(not re.search(r"^ +$", text, re.M), f"{word} --help=all")
        for line, rest in re.findall(r"^(  .{27}.*)\n {29}(\S+)$", text, re.M):
            check(len(line) + 1 + len(rest) != 79, f"{word} --help=all: {rest}")


def words():
    """Behind --, behind options and behind another word they are programs."""
    for word in subcommands():
        for args in (["--", word], ["-a", "--", word, "-i", "file"], ["env", word]):
            plan = said("--dry-run", *args)
            check("-a" in args or "the command" in plan, f"{args}: {plan}")


{"words": words, "screen": screen, "own": own, "same": same, "blank": blank}[sys.argv[1]](*sys.argv[2:])
