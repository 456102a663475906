#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# make static: one file, which needs nothing of the machine that it runs on: it runs in a
# directory that has no libraries, no /proc and no /sys.

# shellcheck disable=SC2154 # helper.bash
load helper

root=$(realpath "$here/../..")

# chroot_made: the directory, once, in $empty
chroot_made() {
	empty=$BATS_FILE_TMPDIR/empty
	[ ! -e "$BATS_FILE_TMPDIR/none" ] || skip "$(cat "$BATS_FILE_TMPDIR/none")"
	[ ! -e "$empty" ] || return 0
	none() {
		echo "$1" >"$BATS_FILE_TMPDIR/none"
		skip "$1"
	}
	[ "$TDSTAT" -ef "$root/build/tdstat" ] || none "it is built of the plain tree"
	unshare -r chroot / true || none "no user namespaces here"
	for archive in libdw.a libtracefs.a libncursesw.a libbz2.a liblzma.a libzstd.a libjson-c.a; do
		[ "$(cc -print-file-name="$archive")" != "$archive" ] || none "no $archive here"
	done
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$root" -j2 static-here >made 2>&1 || {
		cat made
		false
	}
	# the linker warns of functions that need shared libraries at run time
	refute_regex "$(<made)" '(warning|error):'
	mkdir "$empty.new"
	cp "$root/build/static/tdstat" "$data/alderlake.jsonl" "$empty.new"
	cc -O1 -static -x c -o "$empty.new/program" - <<-E
		#include <unistd.h>
		int main(void)
		{
			for (volatile long i = 0; i < 10000000; i++) {
			}
			return write(1, "ran\n", 4) == 4 ? 7 : 1;
		}
	E
	mv "$empty.new" "$empty"
}

# inside COMMAND...: in the directory
inside() {
	unshare -r chroot "$empty" "$@"
}

@test "it needs no library and no dynamic linker" {
	chroot_made
	readelf -ldW "$empty/tdstat" >headers
	refute_regex "$(<headers)" 'NEEDED|INTERP'
	assert_equal "$(inside /tdstat --version | sed 's/-.*//')" "$("$TDSTAT" --version | sed 's/-.*//')"
}

@test "report: as the other tdstat, in each format" {
	chroot_made
	for options in '' '-l 2 -A' '-x ,' -j; do
		# shellcheck disable=SC2086 # several words
		assert_same "$("$TDSTAT" report $options "$data/alderlake.jsonl")" "$(inside /tdstat report $options /alderlake.jsonl)"
	done
}

@test "stat of a program: its own output and status" {
	chroot_made
	try inside /tdstat -o /counts -- /program
	assert_equal "$status:$output" 7:ran
	try inside /tdstat -e task-clock,page-faults -o /counts -- /program
	assert_equal "$status:$output" 7:ran
	grep -qE '^ +[0-9.,]+ msec task-clock' "$empty/counts"
	grep -qE '^ +[0-9,]+ +page-faults' "$empty/counts"
}

@test "--dry-run and doctor: where there is neither /sys nor /proc, and on a saved machine" {
	chroot_made
	try inside /tdstat doctor
	assert_equal "$status" 1
	grep -q '^failed  *PMU ' <<<"$output"
	try inside /tdstat --dry-run -a
	[ "$status" -eq 1 ]
	[[ $stderr == tdstat:* ]]
	saved alderlake
	mkdir "$empty/machine"
	cp -R "$SYSFS_PATH" "$PROCFS_PATH" "$empty/machine"
	export SYSFS_PATH=/machine/sys PROCFS_PATH=/machine/proc
	try inside /tdstat doctor
	[[ $status -le 1 && $output =~ ^ok\ +processor\ +Alder\ Lake ]]
	plan=$(inside /tdstat --dry-run -a -l 1)
	rm -r "$empty/machine"
	saved alderlake
	assert_same "$("$TDSTAT" --dry-run -a -l 1)" "$plan"
}

@test "features that the static program lacks" {
	chroot_made
	needs_wing serve
	try inside /tdstat serve
	assert_equal "$status:$stderr" "64:tdstat: serve: this tdstat was built without 'serve'"
}
