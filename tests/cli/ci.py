#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a browser would make of a comment, and what a page has to copy.

  ci.py comment <HTML    the kinds of elements, then the cells of its tables, a row a line
  ci.py workflows PAGE   checks the YAML of its examples, and writes their commands
  ci.py bisect PAGE      writes its script and the commands that use it
"""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path


class Comment(HTMLParser):
    def __init__(self):
        super().__init__()
        self.elements, self.rows, self.cell = set(), [], None

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.cell = []

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append("".join(self.cell))
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell.append(data)


def comment():
    parser = Comment()
    parser.feed(sys.stdin.read())
    print(*sorted(parser.elements))
    for row in parser.rows:
        print("\t".join(row))


def examples(page):
    """The literal blocks of a page, as it is shown."""
    for block in re.findall(r"\.Bd -literal\n(.*?)\.Ed", Path(page).read_text(), re.S):
        yield block.replace("\\e", "\\").replace("\\-", "-")


def workflows(page):
    import yaml  # not everywhere

    github, gitlab, regions, *_ = examples(page)
    steps = yaml.safe_load(github)["jobs"]["slots"]["steps"]
    Path("github").write_text(next(s["run"] for s in steps if s.get("name") == "compare"))
    job = yaml.safe_load(gitlab)["slots"]
    assert job["artifacts"]["reports"]["junit"] == "slots.xml"
    Path("gitlab").write_text("\n".join(s for s in job["script"] if "tdstat" in s))
    Path("regions").write_text(regions)


def bisect(page):
    *_, script, commands = examples(page)
    Path("slower").write_text(script)
    Path("commands").write_text(commands)


if __name__ == "__main__":
    if sys.argv[1] == "comment":
        comment()
    elif sys.argv[1] == "bisect":
        bisect(sys.argv[2])
    else:
        workflows(sys.argv[2])
