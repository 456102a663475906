#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Levels 1 and 2 of every model, with fields of its own, CPUs that differ, and
# idle CPUs that count, against the rates and against perf.
# machine: adl --no-halt --skew 6 --td 90,20,65,80,30,8,40,50
# machine: mtl --no-halt --td 30,20,100,105,10,10,60,70
# machine: lnl --no-halt --skew 4 --td 70,35,60,90,25,20,35,60
# machine: spr --no-halt --skew 3 --smp 16,sockets=2,cores=4,threads=2 --td 100,25,50,80,40,15,20,30
# machine: icx --no-halt --skew 5 --td 60,100,65,30,0,0,0,0
# machine: tgl --no-halt
# machine: skx --no-halt

load helper

# The four CPUs that every model has, of which CPU 3 differs from CPU 0.
FIRST=0-3

@test "four rows of half a second: a table" {
	"$TDSTAT" -a -I 500 --interval-count 4 >out
	rates check out --rows 4 --every 500
}

@test "a row a CPU" {
	"$TDSTAT" -a -A -I 300 --interval-count 2 >out
	rates check out --rows 2 --every 300 --per-cpu
}

@test "CPU 0 alone, and CPU 3 alone" {
	"$TDSTAT" -C 0 -I 300 --interval-count 2 -x, >out.0
	rates check out.0 --rows 2 --every 300 --cpus 0
	"$TDSTAT" -C 3 -I 300 --interval-count 2 -x, >out.3
	rates check out.3 --rows 2 --every 300 --cpus 3
	if [[ $TD_MACHINE_ARGS == *--skew* ]]; then
		run ! diff <(cut -d, -f4 out.0) <(cut -d, -f4 out.3)
	fi
}

@test "a list of CPUs: their sum, and a row each" {
	"$TDSTAT" -C "$FIRST" -I 300 --interval-count 1 -x, >out
	rates check out --rows 1 --cpus "$FIRST"
	"$TDSTAT" -A -C "$FIRST" -I 300 --interval-count 1 -x, >out
	rates check out --rows 1 --cpus "$FIRST" --per-cpu
}

@test "level 2: a table, CSV and JSON" {
	"$TDSTAT" -a -l 2 -I 500 --interval-count 2 >out
	rates check out --level 2 --rows 2 --every 500
	"$TDSTAT" -a -l 2 -I 500 --interval-count 2 -x, >out
	rates check out --level 2 --rows 2 --every 500
	"$TDSTAT" -a --td-level 2 -I 500 --interval-count 2 -j >out
	rates check out --level 2 --rows 2 --every 500
}

@test "level 2: a row a CPU" {
	"$TDSTAT" -a -A -l 2 -I 1000 --interval-count 1 -x, >out
	rates check out --level 2 --rows 1 --per-cpu
}

@test "the final result: a tree" {
	"$TDSTAT" -a -l 2 --timeout 1000 >out
	rates check out --level 2 --rows 1
}

@test "level 1 is perf's" {
	perf_or_skip
	"$TDSTAT" -a --timeout 1000 -x, >out
	perf_group TopdownL1 perf.json
	rates perf out perf.json
}

@test "level 2 is perf's" {
	perf_or_skip
	"$TDSTAT" -a -l 2 --timeout 1000 -x, >out
	perf_group TopdownL2 perf.json
	rates perf out perf.json --tolerance 0.3
}
