#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# README's example of a tree is what is printed today.
# machine: spr --truth tests/emulator/scenarios/sapphirerapids.truth:dram_latency

load helper

# nodes FILE: "name mark value" of each line of a tree
nodes() {
	without_errors "$1" |
		awk '$2 == "%" && $3 ~ /^tma_/ { print $3, $4 == "<--" ? "over" : "-", $1 }'
}

# The words of the verdict, and what to type next, without values.
verdict_of() {
	grep -E '^ *(Most|What|Where)' "$1" | sed 's/, [0-9].*//; s/^ *//; s/ >.*bash$//'
}

@test "the tree: its nodes, their values within two points, their marks" {
	emulated
	sed -n '/^    \$ tdstat -- /,/seconds time elapsed/p' "$BATS_TEST_DIRNAME/../../README.md" >shown
	command=$(sed -n 's/^    \$ tdstat //p' shown)
	eval "'$TDSTAT' -o out $command"
	nodes shown >want
	nodes out >got
	[ "$(wc -l <want)" -gt 15 ]
	diff <(cut -d ' ' -f 1,2 want) <(cut -d ' ' -f 1,2 got)
	paste -d ' ' want got | awk '$3 - $6 > 2 || $6 - $3 > 2 { print; wrong = 1 } END { exit wrong }'
	diff <(verdict_of shown) <(verdict_of out)
	diff <(grep -o '[0-9]* more are not marked.*' shown) <(grep -o '[0-9]* more are not marked.*' out)
}
