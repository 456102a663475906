# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # helper.bash
# What tests of pages share: whether they are well formed, and a browser.

page() {
	python3 "$here/page.py" "$@"
}

needs_browser() {
	command -v chromium >/dev/null || skip "no chromium here"
}

# browser FILE STEP...: one after the other, because a page takes a whole CPU to draw
browser() {
	needs_browser
	timeout 100 python3 "$here/browser.py" "$@"
}
