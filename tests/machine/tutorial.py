#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""usage: tutorial.py SHOWN PRINTED

Is what a command printed what tdstat-tutorial(7) shows of it?  "..." stands for
whatever was left out, all blanks are alike, and so are numbers but those that the
scenarios fix: a few points are the room that a busy host gets.
"""
import re
import sys

NUMBER = r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?!\w)"


def plain(text):
    """Without errors; a program may have had a little more than one CPU."""
    text = re.sub(r"([\d.]+) CPUs", lambda m: "%.1f %% of one CPU" % (100 * float(m[1])), text)
    return re.sub(r" *± *[\d.,]*\??", "", text)


def rooms(line, phases):
    """Of the numbers of a line of the page, how far each may be off; None: any is right."""
    nr = len(re.findall(NUMBER, line))
    if re.search(r"% +tma_", line):  # a tree, whose phases are as long as the host lets them be
        first = 15 if phases else 2
        return [first] + [None] * (nr - 1)
    if re.match(r" +\d+\.\d{3} ", line):  # an interval
        return [None] * (nr - 4) + [6] * 4
    if re.match(r" (walk|split) ", line):  # profile
        return [1] * nr
    if re.match(r" +[\d.]+ % +(walk|split|main) ", line):  # locate
        return [12] + [None] * (nr - 1)
    if re.search(r"cpu tma_", line):  # diff
        return [2] * 3 + [None] * (nr - 3)
    if line.startswith(" B takes"):
        return [15, 10] + [None] * (nr - 2)
    return [None] * nr


def pattern(shown):
    """A regular expression of what is shown, and a list of (number, room)."""
    numbers, parts = [], []
    phases = " to " in shown
    for part in shown.split("..."):
        words = []
        for line in part.split("\n"):
            for word in re.split(f"({NUMBER})|\\s+", line):
                if word and re.fullmatch(NUMBER, word):
                    words.append(f"({NUMBER})")
                elif word and word.strip():
                    words.append(re.escape(word))
            numbers += zip(re.findall(NUMBER, line), rooms(line, phases))
        parts.append(r"\s*".join(words))
    return parts, numbers


def value(text):
    return float(text.replace(",", ""))


def compare(shown, printed):
    """What is wrong, or None."""
    shown, printed = plain(shown), plain(printed)
    parts, numbers = pattern(shown)
    found = re.fullmatch(r"\s*" + r"\s*[\s\S]*?\s*".join(parts) + r"\s*", printed)
    if not found:
        return "the page shows:\n%s\nand not:\n%s" % (shown, printed)
    for (number, room), other in zip(numbers, found.groups(), strict=True):
        if room is not None and abs(value(number) - value(other)) > room:
            return "the page shows %s, and not %s, in:\n%s\nprinted was:\n%s" % (number, other, shown, printed)
    return None


if __name__ == "__main__":
    sys.exit(compare(sys.argv[1], sys.argv[2]))
