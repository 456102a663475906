#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# tdstat diff of two builds, which differ by one point of one node (diff.truth), on a
# machine whose rates walk by 3 %: how often it finds the node, and how often it finds
# something where nothing changed.
# machine: spr --no-halt --noise 3,7 --smp 2,sockets=1,cores=2,threads=1 --truth tests/machine/diff.truth:old

# shellcheck disable=SC2154 # what run sets
load helper

act=$BATS_TEST_DIRNAME/../../build/emulator/act

setup() {
	emulated
	cd "$BATS_TEST_TMPDIR" || return
}

# runs NR: of each build in turn, each for 150 ms, as old.N and new.N
runs() {
	for ((i = 0; i < $1; i++)); do
		for build in old new; do
			"$TDSTAT" record -l 2 --quiet -o $build.$i -- "$act" 150ms:$build
		done
	done
}

# draws FROM TO SEED: 100 lines of ten recordings of each, no recording twice in a line
draws() {
	python3 - "$@" <<-'EOS'
		import random, sys
		a, b, seed = sys.argv[1:]
		r = random.Random(int(seed))
		for _ in range(100):
		    numbers = r.sample(range(40), 20)
		    others = numbers[10:] if a == b else r.sample(range(40), 10)
		    print(*(f"{a}.{n}" for n in numbers[:10]), "--", *(f"{b}.{n}" for n in others))
	EOS
}

# marked FROM TO SEED: of 100 diffs of shares (runs of a time have more slots or fewer), how many mark memory bound, more than 0; how many
# mark nothing
marked() {
	draws "$@" | while read -r line; do
		# shellcheck disable=SC2086 # words
		"$TDSTAT" diff -x, --per slots $line 2>/dev/null
		echo end
	done | awk -F, '
		/^end/ { diffs++; nodes += node; nothing += !any; node = any = 0; next }
		/^kind/ { rows = 0; next }
		{ rows++; any += $NF; if ($4 == "tma_memory_bound" && $NF == 1 && $9 > 0) node++ }
		END { print diffs, nodes, nothing; exit !rows }'
}

# 40 runs of each are drawn from again and again, as 2,000 of them would take too long:
# the diffs of a hundred draws have runs in common, but those of one diff never.
@test "one point in one node is found, and nothing where nothing changed" {
	runs 40
	read -r diffs nodes _ < <(marked old new 1)
	echo "# one point of tma_memory_bound, ten runs of each: found in $nodes of $diffs diffs" >&3
	[ "$diffs" -eq 100 ]
	[ "$nodes" -ge 95 ]
	read -r diffs _ nothing < <(marked old old 2)
	echo "# a build with itself: nothing is marked in $nothing of $diffs diffs" >&3
	[ "$diffs" -eq 100 ]
	# 95 of them at least, and three standard deviations
	[ "$nothing" -ge 88 ]
}

@test "-r 10 runs both builds in turn, and finds it" {
	# the slots of a run are those of its time, which is another one each time
	"$TDSTAT" diff -r 10 -l 2 -x, --per slots -o out -- "$act" 100ms:old : "$act" 100ms:new
	awk -F, '
		$4 == "tma_memory_bound" && $NF == 1 && $9 > 0.5 && $9 < 1.5 { found++ }
		$4 == "tma_core_bound" && $NF == 1 && $9 < -0.5 { found++ }
		END { exit found != 2 }' out
	run --separate-stderr "$TDSTAT" diff -- "$act" 50ms:old : "$act" 50ms:new
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[[ $stderr == *"act 50ms:new, 5 runs"* ]]
	[[ $stderr == *"slots per run"* ]]
	[[ $stderr == *'B takes '*' time'* ]]
	[[ $stderr == *"cpu tma_retiring "* ]]
	[[ $stderr != *tma_memory_bound* ]]
}

@test "--fail-above of commands that are run" {
	limit=tma_memory_bound:0.3
	run -0 --separate-stderr "$TDSTAT" diff -r 5 -l 2 --fail-above $limit -- "$act" 100ms:new : "$act" 100ms:old
	run -1 --separate-stderr "$TDSTAT" diff -r 10 -l 2 --fail-above $limit -- "$act" 100ms:old : "$act" 100ms:new
	[[ $stderr == *"tma_memory_bound of cpu grew by"* ]]
}
