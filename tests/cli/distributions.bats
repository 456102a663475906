#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Packages of distributions other than Debian, built here where their tools are installed:
# they have the same files as Debian's.

# shellcheck disable=SC2154 # helper.bash
load helper

root=$(realpath "$here/../..")
version=$(sed -n 's/^VERSION := //p' "$root/Makefile")

# sources: those of a package, in the current directory: this tree, and parts of a kernel
# in place of the kernel that the package names
sources() {
	debs=$root/build/deb
	[ "$TDSTAT" -ef "$root/build/tdstat" ] || skip "packages are built of the plain tree"
	command -v dh >/dev/null || skip "no debhelper here"
	[ -e "$BATS_FILE_TMPDIR/sources" ] || {
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$root" deb-here
		mkdir "$BATS_FILE_TMPDIR/sources"
		"$root/.ci/tarball" "$version" "$BATS_FILE_TMPDIR/sources/tdstat-$version.tar.xz"
		tar -C "$root/build" -cf - --transform "s|^linux|linux-$1|S" linux |
			xz -T0 -0 >"$BATS_FILE_TMPDIR/sources/linux-$1.tar.xz"
	}
	cp "$BATS_FILE_TMPDIR/sources"/* .
}

# kernel: the one that the packages name
kernel() {
	sed -n 's/^_kernel=//p' "$root/.ci/arch/PKGBUILD"
}

# normal: names of files without what differs between distributions: where libraries,
# completions of zsh and units are, documentation, and metrics, which are of another kernel
normal() {
	sed -E 's|^\.?/||; \,/$,d; /^$/d; \,usr/(share/(doc|licenses|lintian)|lib/\.build-id|lib/debug|src/debug),d
		s|^usr/lib(64\|/[a-z0-9_]+-linux-gnu)?/(libtdstat\|pkgconfig)|LIB/\2|
		s|^usr/share/zsh/(vendor-completions\|site-functions)|ZSH|; s|^(usr/)?lib/systemd/system|UNIT|
		s|^(usr/share/man/.*)\.gz$|\1|; s|^(usr/share/tdstat/pmu-events)/.*|\1/...|' | sort -u
}

# of_debian PACKAGE...
of_debian() {
	for package; do
		dpkg-deb --fsys-tarfile "$debs/${package}_"*.deb | tar -t
	done | normal
}

@test "the packages of tdstat.spec" {
	command -v rpmbuild >/dev/null || skip "no rpmbuild here"
	sources "$(kernel)"
	# macros of systemd-rpm-macros, which is part of Fedora
	macros=(--define "_topdir $PWD/top" --define "_sourcedir $PWD" --define '_unitdir /usr/lib/systemd/system'
		--define 'systemd_post() %{nil}' --define 'systemd_preun() %{nil}' --define 'systemd_postun() %{nil}'
		--define 'debug_package %{nil}')
	try env -u TDSTAT rpmbuild -ba --nodeps "${macros[@]}" "$root/.ci/rpm/tdstat.spec"
	[ "$status" -eq 0 ] || fail "$(tail -n 40 <<<"$output$stderr")"
	refute_regex "$output$stderr" 'not packaged|listed twice'
	cd top/RPMS
	for names in tdstat tdstat-metrics libtdstat:libtdstat0 libtdstat-devel:libtdstat-dev; do
		package=(*/"${names%:*}-$version"-*.rpm)
		assert_same "$(of_debian "${names#*:}")" \
			"$(rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "${package[0]}" | sed '/^d/d; s/^[^ ]* //' | normal)"
	done
	rpm -qp --provides x86_64/libtdstat-0*.rpm | grep -q '^libtdstat\.so\.0(TDSTAT_1)'
	# libraries that are loaded when needed are recommended, not required
	rpm -qp --requires x86_64/tdstat-0*.rpm | grep -q '^libjson-c\.so'
	refute_regex "$(rpm -qp --requires x86_64/tdstat-0*.rpm)" 'libdw|ncurses'
	command -v rpmlint >/dev/null || return 0
	try rpmlint -r "$root/.ci/rpm/tdstat.rpmlintrc" ../SRPMS/*.rpm ./*/*.rpm
	# the packages of debugging information are not made here
	errors=$(grep -v 'static-library-without-debuginfo' <<<"$output" | grep ' E: ') || true
	assert_equal "$errors" ""
	# installed, used and removed
	[ "$(id -u)" = 0 ] || return 0
	mkdir -p ../root/dev
	ln -s /proc/self/fd ../root/dev/fd
	rpm --root "$PWD/../root" -i --nodeps --noscripts ./*/*.rpm
	assert_same "$("$TDSTAT" report "$data/alderlake.jsonl")" "$(../root/usr/bin/tdstat report "$data/alderlake.jsonl")"
	rpm --root "$PWD/../root" -e --nodeps --noscripts tdstat tdstat-metrics libtdstat libtdstat-devel
	assert_equal "$(find ../root -name '*tdstat*')" ""
}

@test "the package of PKGBUILD" {
	makepkg_or_skip
	sources "$(kernel)"
	cp "$root/.ci/arch/PKGBUILD" .
	try "${as[@]}" env -u TDSTAT -u MAKEFLAGS HOME="$PWD" PKGEXT=.pkg.tar makepkg --nodeps --noconfirm
	[ "$status" -eq 0 ] || fail "$(tail -n 40 <<<"$output$stderr")"
	refute_regex "$output$stderr" 'Package contains reference'
	assert_same "$(of_debian tdstat tdstat-metrics libtdstat0 libtdstat-dev)" \
		"$(tar -tf "tdstat-$version-1-x86_64.pkg.tar" | grep -v '^\.' | normal)"
}
