# SPDX-License-Identifier: GPL-2.0-only
"""perf's metric expressions: read them, and give their values

The grammar is that of tools/perf/util/expr.y.  An expression becomes a tree of
tuples whose first member is the operation; evaluate() walks it with the
operations of a Numbers object, so that the same walk serves single numbers and
arrays of them.
"""

import math
import re

TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.:@?\\]))
    | (?P<literal>\#[\w-]+)
    | (?P<id>(?:[\w.:?]|\\.|@[^@]*@)+)
    | (?P<op>[-+*/%()<>|&^,])
    )""",
    re.VERBOSE,
)
# From loosest to tightest.
LEVELS = [("|",), ("^",), ("&",), ("<", ">"), ("+", "-"), ("*", "/", "%")]
FUNCTIONS = {"min": 2, "max": 2, "d_ratio": 2}
OF_A_NAME = {"has_event", "source_count", "strcmp_cpuid_str"}
NAN = float("nan")


class BadFormula(ValueError):
    """What no expression of perf's looks like."""


def tokens_of(text):
    tokens, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise BadFormula(f"{text[at:at + 20]!r} in {text!r}")
        tokens.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return tokens


class Parser:
    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else (None, None)

    def take(self, wanted=None):
        kind, word = self.peek()
        if kind is None or (wanted and word != wanted):
            raise BadFormula(f"{wanted or 'more'} expected in {self.text!r}")
        self.at += 1
        return kind, word

    def whole(self):
        tree = self.conditional()
        if self.peek() != (None, None):
            raise BadFormula(f"{self.peek()[1]!r} is too much in {self.text!r}")
        return tree

    def conditional(self):
        value = self.binary(0)
        if self.peek() != ("id", "if"):
            return value
        self.take()
        condition = self.binary(0)
        self.take("else")
        return ("if", condition, value, self.conditional())

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek()[0] == "op" and self.peek()[1] in LEVELS[level]:
            operation = self.take()[1]
            left = (operation, left, self.binary(level + 1))
        return left

    def unary(self):
        kind, word = self.take()
        if kind == "number":
            return ("number", float(word))
        if kind == "literal":
            return ("literal", word.lower())
        if word == "-":
            return ("-", ("number", 0.0), self.unary())
        if word == "(":
            value = self.conditional()
            self.take(")")
            return value
        if kind != "id":
            raise BadFormula(f"{word!r} in {self.text!r}")
        return self.name(word)

    def name(self, word):
        if self.peek() != ("op", "("):
            return ("number", NAN) if word == "NaN" else ("id", word)
        self.take("(")
        if word in OF_A_NAME:
            arguments = [self.take()[1]]
        else:
            arguments = [self.conditional()]
        while self.peek() == ("op", ","):
            self.take(",")
            arguments.append(self.conditional())
        self.take(")")
        if word not in OF_A_NAME and FUNCTIONS.get(word) != len(arguments):
            raise BadFormula(f"{word}() in {self.text!r}")
        return (word, *arguments)


def parse(text):
    return Parser(text).whole()


def ids_of(tree):
    """The names in an expression, in their order."""
    if tree[0] == "id":
        return [tree[1]]
    found = []
    for part in tree[1:]:
        if isinstance(part, tuple):
            found += [name for name in ids_of(part) if name not in found]
    return found


class Numbers:
    """Operations on single numbers; any NaN makes the result one."""

    def divide(self, a, b):
        return a / b if b else NAN

    def ratio(self, a, b):
        return a / b if b else 0.0

    def modulo(self, a, b):
        return math.fmod(a, b) if b else NAN

    def minimum(self, a, b):
        return NAN if a != a or b != b else min(a, b)

    def maximum(self, a, b):
        return NAN if a != a or b != b else max(a, b)

    def truth(self, flag, *operands):
        return NAN if any(x != x for x in operands) else float(flag)

    def both(self, a, b):
        return self.truth(bool(a) and bool(b), a, b)

    def either(self, a, b):
        return self.truth(bool(a) or bool(b), a, b)

    def choose(self, condition, a, b):
        return a() if condition else b()


def evaluate(tree, numbers, value_of):
    """value_of(tree) gives what is behind an id, a literal or a named function."""
    kind = tree[0]
    if kind == "number":
        return tree[1]
    if kind in ("id", "literal") or kind in OF_A_NAME:
        return value_of(tree)
    if kind == "if":
        condition, a, b = tree[1:]
        return numbers.choose(
            evaluate(condition, numbers, value_of),
            lambda: evaluate(a, numbers, value_of),
            lambda: evaluate(b, numbers, value_of),
        )
    if kind not in OPERATIONS:
        raise BadFormula(f"no operation {kind!r}")
    a = evaluate(tree[1], numbers, value_of)
    b = evaluate(tree[2], numbers, value_of)
    return OPERATIONS[kind](numbers, a, b)


OPERATIONS = {
    "+": lambda numbers, a, b: a + b,
    "-": lambda numbers, a, b: a - b,
    "*": lambda numbers, a, b: a * b,
    "/": lambda numbers, a, b: numbers.divide(a, b),
    "%": lambda numbers, a, b: numbers.modulo(a, b),
    "<": lambda numbers, a, b: numbers.truth(a < b, a, b),
    ">": lambda numbers, a, b: numbers.truth(a > b, a, b),
    "&": lambda numbers, a, b: numbers.both(a, b),
    "|": lambda numbers, a, b: numbers.either(a, b),
    "min": lambda numbers, a, b: numbers.minimum(a, b),
    "max": lambda numbers, a, b: numbers.maximum(a, b),
    "d_ratio": lambda numbers, a, b: numbers.ratio(a, b),
}
