# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # helper.bash
# Functions of tests of pages: a parser, and a browser.

page() {
	python3 "$here/page.py" "$@"
}

needs_browser() {
	command -v chromium >/dev/null || skip "no chromium here"
}

# keeps_browser: in setup: one for all tests of the file, from the first that needs it on
keeps_browser() {
	kept_browser=tdstat-${BATS_RUN_TMPDIR##*/}
}

# browser FILE STEP...: one after the other, because a page takes a whole CPU to draw
browser() {
	needs_browser
	if [ -n "${kept_browser-}" ]; then
		if [ ! -e "$BATS_FILE_TMPDIR/browser" ]; then
			(cd / && exec python3 "$here/browser.py" --serve "$kept_browser" "$BATS_FILE_TMPDIR" \
				>"$BATS_FILE_TMPDIR/browser" 2>&1 3>&- 4>&-) &
		fi
		within python3 "$here/browser.py" --at "$kept_browser" "$@"
	else
		within python3 "$here/browser.py" "$@"
	fi
}
