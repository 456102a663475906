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
    """Without errors, and what a busy host has missed; a program may have had a little more
    than one CPU."""
    text = re.sub(r"^tdstat: missed \d+ intervals? .*\n?", "", text, flags=re.M)
    text = re.sub(r"([\d.]+) CPUs", lambda m: "%.1f %% of one CPU" % (100 * float(m[1])), text)
    return re.sub(r" *± *[\d.,]*\??", "", text)


def without_timelines(text):
    """A program that is steady has one all the same, if the host stops its first moments."""
    return re.sub(r" *\(\d+ to \d+ %\)", "", text)


def without_marks(text):
    """How long a phase is, and so whether its nodes are over their thresholds, is the host's affair."""
    return re.sub(r" *<--", "", text)


def rooms(line, phases, known=True):
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
    if line.startswith(" B takes"):  # how long is the host's affair
        return ([20, None, None, 15] if known else [None] * 4) + [None] * (nr - 4)
    return [None] * nr


def time_is_known(printed):
    """Whether the host let the runs of a diff take nearly the same time."""
    found = re.search(r"B takes [\d.]+ % (?:less|more) time \(([\d.]+) to ([\d.]+) %\)", printed)
    return bool(found) and float(found[2]) - float(found[1]) <= 40


def untold(shown, printed):
    """Of a diff whose times the host made too unlike: what is wrong besides."""
    node = re.search(r"saved slots were\s+(\w+)", shown)[1]
    elapsed = re.search(r"elapsed, s +\S+ +\S+ +([-+]?[\d.,]+)", printed)
    slots = {m[1]: value(m[2]) for m in re.finditer(r"cpu (tma_\w+) .* (-?[\d,]+)$", printed, re.M)}
    if not elapsed or value(elapsed[1]) >= 0 or min(slots, key=slots.get) != node:
        return "not %s, or not less time:\n%s" % (node, printed)
    return None


def patterns(shown, known):
    """A regular expression of each part that is shown, and a list of (number, room)."""
    numbers, parts = [], []
    phases = "Phases:" in shown
    for part in shown.split("..."):
        words = []
        for line in part.split("\n"):
            for word in re.split(f"({NUMBER})|\\s+", line):
                if word and re.fullmatch(NUMBER, word):
                    words.append(f"({NUMBER})")
                elif word and word.strip():
                    words.append(re.escape(word))
            numbers += zip(re.findall(NUMBER, line), rooms(line, phases, known))
        parts.append(r"\s*".join(words))
    return parts, numbers


def found_in(printed, parts):
    """The numbers of the parts, one behind the other, from the beginning to the end; or None."""
    numbers, at = [], 0
    for i, part in enumerate(parts):
        begin = r"\A\s*" if i == 0 else ""
        end = r"\s*\Z" if i == len(parts) - 1 else ""
        found = re.compile(begin + part + end).search(printed, at)
        if not found:
            return None
        numbers += found.groups()
        at = found.end()
    return numbers


def value(text):
    return float(text.replace(",", ""))


def compare(shown, printed):
    """What is wrong, or None."""
    known = time_is_known(printed)
    shown, printed = plain(shown), plain(printed)
    if "B takes" in shown and ("show no difference in" in printed or
                               not known and "saved slots were" not in " ".join(printed.split())):
        return untold(shown, printed)
    if "Phases:" in shown:
        shown, printed = without_marks(shown), without_marks(printed)
    else:
        shown, printed = without_timelines(shown), without_timelines(printed)
    parts, numbers = patterns(shown, known)
    found = found_in(printed, parts)
    if found is None:
        return "the page shows:\n%s\nand not:\n%s" % (shown, printed)
    for (number, room), other in zip(numbers, found, strict=True):
        if room is not None and abs(value(number) - value(other)) > room:
            return "the page shows %s, and not %s, in:\n%s\nprinted was:\n%s" % (number, other, shown, printed)
    return None


if __name__ == "__main__":
    sys.exit(compare(sys.argv[1], sys.argv[2]))
