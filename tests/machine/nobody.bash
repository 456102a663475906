# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests of what a user without rights may count.

PARANOID=/proc/sys/kernel/perf_event_paranoid
NOBODY=(setpriv --reuid nobody --regid nogroup --clear-groups)

# Make a directory that any user may write to, and remove the remains of an earlier try.
setup() {
	emulated
	cp "$PARANOID" "$BATS_TEST_TMPDIR/paranoid"
	chmod 755 "$BATS_RUN_TMPDIR"
	chmod 777 "$BATS_TEST_TMPDIR"
	cd "$BATS_TEST_TMPDIR" || return
	rm -f end running ran
}

teardown() {
	[ "$TD_MACHINE" != here ] || return 0
	cp paranoid "$PARANOID"
	tidy_up
}

# as_nobody LEVEL COMMAND...: run it as nobody with this value of kernel.perf_event_paranoid
as_nobody() {
	echo "$1" >"$PARANOID"
	"${NOBODY[@]}" "${@:2}"
}
