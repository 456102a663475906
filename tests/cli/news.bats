#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Parts of a release: its version, the list of changes, the tarball.

# shellcheck disable=SC2154 # helper.bash
load helper

root=$(realpath "$here/../..")
interface=(python3 "$here/interface.py")
# The interface of the last release
released=$(printf '%s\n' "$data"/released/* | sort -V | tail -n 1)

@test "tdstat-news(7) names each option, key and column that the last release did not have, or that is gone" {
	needs_wing calls evidence import pictures regions serve top
	try "${interface[@]}" news "$released"
	assert_equal "$status:$output$stderr" 0:
}

@test "a difference that tdstat-news(7) does not name is found" {
	needs_wing calls evidence import pictures regions serve top
	{
		grep -vE '^(option diff --per=|key metric\.value|column report time)$' "$released"
		printf '%s\n' 'option list --nosuch=' 'key head.nosuch_key' 'column diff nosuch_column'
	} >changed
	try "${interface[@]}" news changed
	assert_equal "$status" 1
	assert_same 'gone: column diff nosuch_column
new: column report time
gone: key head.nosuch_key
new: key metric.value
new: option diff --per=
gone: option list --nosuch=' "$stderr"
}

# --- the version ----------------------------------------------------------------

@test "tdstat --version: the release with the suffix of git describe, or that of the tarball" {
	command -v git >/dev/null || skip "no git here"
	mkdir -p 'a tree/.ci' && cd 'a tree'
	cp "$root/.ci/describe" .ci
	git() { command git -c user.name=a -c user.email=a -c init.defaultBranch=main "$@"; }
	assert_equal "$(.ci/describe 0.3.0)" 0.3.0
	git init -q && git add . && git commit -qm one
	[[ $(.ci/describe 0.3.0) =~ ^0\.3\.0-g[0-9a-f]{8}$ ]] || fail "no tag: $(.ci/describe 0.3.0)"
	git tag v0.2
	[[ $(.ci/describe 0.3.0) =~ ^0\.3\.0-g[0-9a-f]{8}$ ]] || fail "an older tag: $(.ci/describe 0.3.0)"
	git tag -am release v0.3.0
	assert_equal "$(.ci/describe 0.3.0)" 0.3.0
	echo >>.ci/describe
	assert_equal "$(.ci/describe 0.3.0)" 0.3.0-dirty
	git commit -qam two
	[[ $(.ci/describe 0.3.0) =~ ^0\.3\.0-1-g[0-9a-f]{8}$ ]] || fail "after it: $(.ci/describe 0.3.0)"
	# a tarball within a repository that is not its own
	mkdir -p tarball/.ci && cp .ci/describe tarball/.ci
	assert_equal "$(tarball/.ci/describe 0.3.0)" 0.3.0
	echo 0.3.0-1-g1a2b3c4d >tarball/.ci/version
	assert_equal "$(tarball/.ci/describe 0.3.0)" 0.3.0-1-g1a2b3c4d
}

# --- the tarball ----------------------------------------------------------------

# tree_state: of this tree, the version and the names of its files
tree_state() {
	"$root/.ci/describe" 0.3.0
	[ ! -e "$root/.git" ] || git -C "$root" -c safe.directory='*' ls-files
}

@test "make dist: the same bytes from this tree and from the tarball, with all files and the version" {
	unset SOURCE_DATE_EPOCH
	# again if there was a commit in between
	while
		state=$(tree_state)
		status=0
		"$root/.ci/tarball" 0.3.0 one.xz || status=$?
		[ "$state" != "$(tree_state)" ]
	do :; done
	assert_equal "$status" 0
	mkdir 'another folder' && tar -C 'another folder' --no-same-permissions -xf one.xz
	tree=$PWD/another\ folder/tdstat-0.3.0
	(umask 077 && TZ=Asia/Tokyo LC_ALL=de_DE.UTF-8 XZ_OPT=-0 "$tree/.ci/tarball" 0.3.0 two.xz)
	cmp one.xz two.xz
	assert_equal "$(<"$tree/.ci/version")" "${state%%$'\n'*}"
	if [ -e "$root/.git" ]; then
		assert_same "$(sed '1s|.*|.ci/version|' <<<"$state" | LC_ALL=C sort)" "$(cd "$tree" && find . ! -type d -printf '%P\n' | LC_ALL=C sort)"
	fi
	[ -x "$tree/.ci/debian/rules" ]
	# another time, and omitted files
	SOURCE_DATE_EPOCH=86400 "$root/.ci/tarball" 0.3.0 three.xz tests cmd/run
	tar --utc -tvf three.xz >list
	awk '$4 != "1970-01-02" || $2 != "0/0" || $6 ~ "/tests/|/cmd/run/" { print; exit 1 } END { exit !NR }' list
}
