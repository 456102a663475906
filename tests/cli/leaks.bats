#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# No memory and no descriptors are leaked, whether a run succeeds or fails.

# shellcheck disable=SC2086,SC2154 # lists of options; helper.bash
load helper

# Called by each test: skip has no effect in setup_file.
needs_valgrind() {
	not_under_valgrind "all is looked at"
	command -v valgrind >/dev/null || skip "no valgrind"
	# shellcheck disable=SC2153
	! ldd "$TDSTAT" | grep -q libasan || skip "the sanitizer's own look"
}

# clean ARG...: tdstat under valgrind; 99 is valgrind's own status
clean() {
	status=0
	valgrind --leak-check=full --show-leak-kinds=all --errors-for-leak-kinds=all \
		--error-exitcode=99 --track-fds=yes --log-file=log \
		"$TDSTAT" "$@" >/dev/null 2>err || status=$?
	[ "$status" != 99 ] || fail "$(cat log)"
	grep -q 'ERROR SUMMARY: 0 errors' log
	# valgrind prints where a descriptor was opened, or that it was inherited, as for
	# its own log
	assert_equal "$(grep -c 'Open file descriptor' log)" "$(grep -c '<inherited from parent>' log)"
}

@test "--dry-run" {
	needs_valgrind
	saved skylakex
	clean --dry-run -C 0 -l 2
}

@test "report" {
	needs_valgrind
	clean report -i "$data/alderlake-2.jsonl" -l 2 -x, -A
	clean report -i "$data/alderlake-command.jsonl" -j --hybrid-merge
}

@test "errors" {
	needs_valgrind
	head -c 5000 "$data/alderlake.jsonl" >cut.jsonl
	clean report -i cut.jsonl
	copied alderlake
	rm -r "$devices"/cpu_*
	clean -a
}
