# SPDX-License-Identifier: GPL-2.0-only
"""What scripts rely on: options, keys of JSON and columns of CSV.

  interface.py print       a line for each, as in tests/data/released
  interface.py news FILE   each difference from FILE is named in tdstat-news(7)

A line: "option diff --fail-above=", "key metric.value", "column report time".
"""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("TD_SOURCE", pathlib.Path(__file__).parents[2]))
DATA = ROOT / "tests"
OPTION = re.compile(r"^ {2,6}(?:(-[^-\s])(?:, )?)?(--[a-z-]+)?(\[?=)?", re.M)
# Recordings whose rows have all the columns.
REPORTS = {
    "report": ["data/alderlake.jsonl"],
    "error": ["--error", "data/alderlake.jsonl"],
    "profile": ["data/functions.jsonl"],
    "locate": ["--locate", "fuzz/corpus/samples/locate"],
}


def run(*args):
    """The standard output of tdstat."""
    done = subprocess.run([os.environ["TDSTAT"], *map(str, args)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{args}: status {done.returncode}, {done.stderr}")
    return done.stdout


def options():
    """Names of options, with "=" if they take a value."""
    rows = re.search(r"^Subcommands;.*?\n(.*?)^$", run("help"), re.M | re.S)[1]
    for word in ["", *re.findall(r"^  ([a-z]+) ", rows, re.M)]:
        for short, name, value in OPTION.findall(run(*word.split(), "--help=all")):
            if short:
                yield f"option {word or 'tdstat'} {short}"
            if name:
                yield f"option {word or 'tdstat'} {name}{'=' if value else ''}"


def keys():
    """Keys of the objects in the schema, after the name of the object."""
    schema = next(ROOT.glob("cmd/*/rows.schema.json"))
    for name, definition in json.loads(schema.read_text())["$defs"].items():
        for key in definition.get("properties", {}):
            yield f"key {name}.{key}"


def columns():
    """Columns of CSV except the names of metrics."""
    sides = [DATA / "data/alderlake.jsonl", DATA / "data/alderlake-2.jsonl"]
    texts = {"diff": run("diff", "-x,", *sides)}
    for name, args in REPORTS.items():
        texts[name] = run("report", "-x,", *(arg if arg[0] == "-" else DATA / arg for arg in args))
    for name, text in texts.items():
        for column in text.split("\n", 1)[0].split(","):
            yield f"column {name} " + re.sub(r"^tma_[a-z_]+?(?=(_error|_low|_high)?$)", "METRIC", column)


def interface():
    """All lines."""
    return {line for part in (options, keys, columns) for line in part()}


def marked_up(page):
    """The words of a page that are marked up as typed or printed: "--x" for ".Fl -x"."""
    text = page.read_text().replace(r"\-", "-")
    for line in re.findall(r"^\.(?:It )?((?:Fl|Ql) .*)", text, re.M):
        yield from re.sub(r"\bFl ", "-", line).split()


def news(released):
    """Prints the differences that the page does not name."""
    old = {line for line in pathlib.Path(released).read_text().splitlines() if line[0] != "#"}
    named = set(marked_up(ROOT / "man/tdstat-news.7"))
    for line in sorted(old ^ interface()):
        name = line.split()[-1].split(".")[-1].rstrip("=")
        if name not in named:
            yield f"{'gone' if line in old else 'new'}: {line}"


if __name__ == "__main__":
    if sys.argv[1] == "print":
        print("\n".join(sorted(interface())))
    else:
        sys.exit("\n".join(news(sys.argv[2])) or 0)
