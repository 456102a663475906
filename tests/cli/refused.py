# SPDX-License-Identifier: GPL-2.0-only
"""Runs command lines that tdstat refuses, and checks what it says.

  refused.py <CASES

A case is the number of its words and the words, each with a NUL behind it:

  refused PATTERN ARG...     a usage error, with the pattern on standard error
  hinted HINT PATTERN ARG... a usage error of two lines: the pattern, and the hint
  missed HINT ARG...         a command that does not exist; the hint is the last line
"""
import os
import re
import subprocess
import sys


def run(args, **env):
    """Returns the status, standard output and the lines of standard error."""
    done = subprocess.run([os.environ["TDSTAT"], *args], env=dict(os.environ, **env), stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    err = done.stderr.decode(errors="replace")
    return done.returncode, done.stdout, err.rstrip("\n").split("\n")


def refused(pattern, *args):
    """A usage error."""
    status, out, err = run(args)
    if status != 64 or out:
        yield f"status {status}, standard output {out[:200]!r}"
    if "tdstat: " not in err[0]:
        yield "no line of tdstat's"
    if not re.search(pattern, "\n".join(err)):
        yield f"no {pattern}"


def hinted(hint, pattern, *args):
    """A usage error that suggests what to type."""
    status, out, err = run(args)
    if status != 64 or out:
        yield f"status {status}, standard output {out[:200]!r}"
    if len(err) != 2 or not all(line.startswith("tdstat: ") for line in err):
        yield f"not two lines of tdstat's: {err}"
    elif not re.search(pattern, err[0]):
        yield f"no {pattern}: {err[0]}"
    elif err[1] != "tdstat: " + hint:
        yield f"the second line is not {hint}: {err[1]}"


def missed(hint, *args):
    """A command that is not there."""
    status, out, err = run(args, PATH=os.getcwd() + "/nothing")
    if status != 127 or out:
        yield f"status {status}, standard output {out[:200]!r}"
    if err[-1] != "tdstat: " + hint:
        yield f"the last line is not {hint}: {err[-1]}"


def main():
    """Prints what is wrong with each case."""
    words = sys.stdin.read().split("\0")[:-1]
    nr = wrong = 0
    while words:
        end = 1 + int(words[0])
        kind, *rest = words[1:end]
        words = words[end:]
        nr += 1
        for fault in {"refused": refused, "hinted": hinted, "missed": missed}[kind](*rest):
            print(f"{kind} {rest}: {fault}")
            wrong += 1
    sys.exit(1 if wrong or not nr else 0)


main()
