# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For tests of what a user without rights may count.

PARANOID=/proc/sys/kernel/perf_event_paranoid
NOBODY=(setpriv --reuid nobody --regid nogroup --clear-groups)

# A folder that nobody may write to, too; what a try before has left goes.
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

# as_nobody LEVEL COMMAND...: below this setting of kernel.perf_event_paranoid
as_nobody() {
	echo "$1" >"$PARANOID"
	"${NOBODY[@]}" "${@:2}"
}
