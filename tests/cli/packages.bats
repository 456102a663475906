#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# The files in .ci that packages are made of: Debian's, an rpm's, Arch's and Nix's. The
# packages themselves are built in deb.bats and distributions.bats.

# shellcheck disable=SC2154 # helper.bash
load helper

root=$(realpath "$here/../..")
ci=$root/.ci

# installed: in $dest, with the environment of a program that finds it there
installed() {
	not_under_sanitizers "programs without them cannot be linked with the library"
	dest=$BATS_FILE_TMPDIR/dest
	[ -d "$dest" ] || make -C "$root" --no-print-directory -o all install DESTDIR="$dest" prefix=/usr >log 2>&1
	# a name without a blank
	ln -s "$dest" dest
	dest=$PWD/dest
	export PATH=$dest/usr/bin:$PATH LD_LIBRARY_PATH=$dest/usr/lib TDSTAT_METRICS=$dest/usr/share/tdstat/pmu-events
	export PKG_CONFIG_PATH=$dest/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$dest
}

@test "all packages have one version, URL and kernel" {
	version=$(sed -n 's/^VERSION := //p' "$root/Makefile")
	url=$(sed -n 's/^HOMEPAGE ?= //p' "$root/Makefile")
	[[ $version == [0-9]*.*[0-9] && $url == https://* ]]
	grep -qx "Version:  *$version" "$ci/rpm/tdstat.spec"
	grep -q " - $version-1\$" "$ci/rpm/tdstat.spec"
	grep -qx "URL:  *$url" "$ci/rpm/tdstat.spec"
	grep -qx "pkgver=$version" "$ci/arch/PKGBUILD"
	grep -qx "url=$url" "$ci/arch/PKGBUILD"
	grep -q "version = \"$version\";" "$ci/nix/default.nix"
	grep -q "homepage = \"$url\";" "$ci/nix/default.nix"
	grep -qx "Homepage: $url" "$ci/debian/control"
	grep -q "^$url/ " "$ci/debian/watch"
	head -n 1 "$ci/debian/changelog" | grep -q "^tdstat ($version-"
	kernel=$(sed -n 's/.*global kernel \([0-9.]*\)}$/\1/p' "$ci/rpm/tdstat.spec")
	grep -qx "_kernel=${kernel:?}" "$ci/arch/PKGBUILD"
	for file in rpm/tdstat.spec arch/PKGBUILD; do
		grep -q "/v${kernel%%.*}.x/linux-" "$ci/$file"
	done
}

@test "the libraries that are loaded when they are needed are in each package" {
	mapfile -t libraries < <(grep -rhoE --include='*.c' 'td_library_load\("[^"]*' "$root"/{cmd,lib,metrics} | cut -d '"' -f 2 | sort -u)
	[ "${#libraries[@]}" -ge 7 ]
	for library in "${libraries[@]}"; do
		name=${library%%.so*}
		grep -qxF "Recommends:     $library()(64bit)" "$ci/rpm/tdstat.spec" || fail "rpm: $library"
		# as the distributions name them
		case $name in
		libdw) debian=-ldw arch=libelf nix=elfutils ;;
		libz) debian='' arch=zlib nix=zlib ;; # part of each Debian
		libzstd) debian=-lzstd arch=zstd nix=zstd ;;
		libncursesw) debian=-lncursesw arch=ncurses nix=ncurses ;;
		*) debian=-l${name#lib} arch=$name nix=$name ;;
		esac
		grep -q -- "-no-as-needed.*$debian" "$ci/debian/rules" || fail "Debian: $library"
		grep -q "^	'$arch: " "$ci/arch/PKGBUILD" || fail "Arch: $library"
		grep -q "^  loaded = .* $nix " "$ci/nix/default.nix" || fail "Nix: $library"
	done
}

@test "the spec file can be read, and rpmlint finds no problems" {
	command -v rpmspec >/dev/null || skip "no rpm here"
	assert_equal "$(rpmspec -q --qf '%{name}\n' "$ci/rpm/tdstat.spec" | grep -v debug)" \
		$'tdstat\ntdstat-metrics\nlibtdstat\nlibtdstat-devel'
	command -v rpmlint >/dev/null || return 0
	try rpmlint -r "$ci/rpm/tdstat.rpmlintrc" "$ci/rpm/tdstat.spec"
	# filters for the packages have nothing to do here
	assert_equal "$(grep ' [EW]: ' <<<"$output" | grep -v 'unused-rpmlintrc-filter')" ""
}

@test "PKGBUILD: makepkg reads it" {
	bash -n "$ci/arch/PKGBUILD"
	cp "$ci/arch/PKGBUILD" .
	makepkg_or_skip
	try "${as[@]}" env HOME="$PWD" makepkg --printsrcinfo
	[ "$status" -eq 0 ] || fail "$stderr"
	[[ $'\n'$output == *$'\npkgname = tdstat'* ]]
	[[ $output == *$'\tpkgver = '[0-9]* ]]
	[ -z "$stderr" ]
}

@test "default.nix: read, and evaluated with stand-ins for nixpkgs" {
	command -v nix-instantiate >/dev/null || skip "no Nix here"
	nix-instantiate --parse "$ci/nix/default.nix" >/dev/null
	cp "$ci/nix/default.nix" .
	cat >all.nix <<-'E'
		let
		  names = [ "elfutils" "libipt" "libmicrohttpd" "libtracefs" "ncurses" "zlib" "zstd" "bison"
		    "flex" "pkg-config" "python3" "json_c" "libiberty" "libtraceevent" ];
		  pkgs = builtins.listToAttrs (map (name: { inherit name; value = "/" + name; }) names) // {
		    stdenv.mkDerivation = given: given;
		    linux_latest.src = "/linux.tar.xz";
		    lib.makeLibraryPath = builtins.concatStringsSep ":";
		    lib.licenses = { gpl2Only = "GPL-2.0-only"; mit = "MIT"; };
		  };
		in
		removeAttrs (import ./default.nix { inherit pkgs; }) [ "src" ]
	E
	NIX_STATE_DIR=$PWD/state NIX_STORE_DIR=$PWD/store try nix-instantiate --store dummy:// --eval --strict --json all.nix
	[ "$status" -eq 0 ] || fail "$stderr"
	jq -e '.pname == "tdstat" and (.postPatch | contains("-xf /linux.tar.xz")) and (.buildInputs | length) == 10 and
		.meta.license == ["GPL-2.0-only", "MIT"] and (.postFixup | contains("/elfutils:/libipt:"))' <<<"$output"
}

@test "watch finds new releases" {
	command -v uscan >/dev/null || skip "no uscan here"
	mkdir page
	for version in 0.2 0.3.0 0.10.1; do
		echo "<a href=\"tdstat-$version.tar.xz\">$version</a>"
	done >page/index.html
	python3 -u -m http.server --bind 127.0.0.1 --directory page 0 >port 2>/dev/null &
	server=$!
	wait_for has_text port 'port [0-9]'
	port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' port)
	sed "s|^https://[^ ]*|http://127.0.0.1:$port/|" "$ci/debian/watch" >watch
	try uscan --dehs --report --watchfile watch --package tdstat --upstream-version 0.3.0
	kill "$server"
	[[ $output == *'<upstream-version>0.10.1</upstream-version>'*/tdstat-0.10.1.tar.xz'</upstream-url>'* ]] || fail "$output$stderr"
}

@test "a package that is built in a test can run tests of its own" {
	# bats takes lines that begin with @test for tests of this file
	printf '@%s\n' 'test "passes" { :; }' >some.bats
	printf 'all:\n\tVARIABLE= bats --tap some.bats\n' >Makefile
	try env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make
	[[ $status:$output == 0:*$'\n'"ok 1 passes"* ]] || fail "$output$stderr"
}

# autopkgtest runs these with the installed packages.
@test "Debian's tests: all of them, on the files that make install installs" {
	installed
	mapfile -t tests < <(sed -n 's/^Tests: //p' "$ci/debian/tests/control" | tr ' ' '\n')
	[ "${#tests[@]}" -ge 4 ]
	# the directory has nothing else
	assert_equal "$(printf '%s\n' control "${tests[@]}" | sort)" "$(ls "$ci/debian/tests")"
	cd "$root"
	for name in "${tests[@]}"; do
		mkdir "$BATS_TEST_TMPDIR/$name"
		AUTOPKGTEST_TMP=$BATS_TEST_TMPDIR/$name try ".ci/debian/tests/$name"
		[ "$status" -eq 0 ] || fail "$name: $status: $output$stderr"
		# standard error is a failure there
		[ -z "$stderr" ] || fail "$name: $stderr"
	done
}

@test "Debian's tests fail where something is missing" {
	installed
	cd "$root"
	fails() {
		mkdir "$BATS_TEST_TMPDIR/$1"
		AUTOPKGTEST_TMP=$BATS_TEST_TMPDIR/$1 try env "${@:2}" ".ci/debian/tests/$1"
		[ "$status" -ne 0 ] || fail "$1 $2"
	}
	fails dry-run TDSTAT_METRICS=/none
	fails library PKG_CONFIG_PATH=/none

}
