#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Metrics that combine counts of different places: cores, packages, units of an uncore,
# clocks.  places.py makes recordings of machines that are known, and computes what each
# row is to show from what they are, not from formulas.

# shellcheck disable=SC2154 # helper.bash
load helper

@test "two sockets: each row is of its own places" {
	python3 -S "$here/places.py" server
}

@test "two sockets of two dies" {
	python3 -S "$here/places.py" dies
}

@test "a hybrid of 4 and 8 CPUs: each kind of core has its own" {
	python3 -S "$here/places.py" hybrid
}

@test "a program: two threads that run half of the time" {
	python3 -S "$here/places.py" program
}

@test "two sockets, counted by perf stat --per-core" {
	python3 -S "$here/places.py" perf
}
