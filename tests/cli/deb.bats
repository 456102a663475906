#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Debian's packages: built, looked at by lintian, installed in a fresh Debian, used
# there and removed.

# shellcheck disable=SC2154 # helper.bash
load helper

root=$(realpath "$here/../..")

# built: the packages, once, in $debs
built() {
	debs=$root/build/deb
	[ "$TDSTAT" -ef "$root/build/tdstat" ] || skip "the packages are built of the plain tree"
	command -v dh >/dev/null || skip "no debhelper here"
	[ ! -e "$BATS_FILE_TMPDIR/failed" ] || fail "they could not be built"
	[ ! -e "$BATS_FILE_TMPDIR/built" ] || return 0
	touch "$BATS_FILE_TMPDIR/failed"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$root" deb-here
	mv "$BATS_FILE_TMPDIR"/{failed,built}
}

@test "make deb: four packages and the source, of one version" {
	built
	version=$(dpkg-parsechangelog -l "$root/.ci/debian/changelog" -S Version)
	assert_equal "$("$root/.ci/describe" "${version%-*}")" "$("$TDSTAT" --version | sed 's/.* //')"
	cd "$debs"
	assert_same "$(printf "%s_$version\n" libtdstat0 libtdstat-dev tdstat tdstat-metrics | sort)" \
		"$(printf '%s\n' *.deb | grep -v dbgsym | sed 's/_[a-z0-9]*\.deb$//' | sort)"
	ls tdstat_"$version".dsc tdstat_"$version"_amd64.changes
	for package in *.deb; do
		refute [ -n "$(dpkg-deb -c "$package" | awk '$2 != "root/root"')" ]
	done
	# their libraries are Debian's; those that are loaded only when needed can be left out
	dpkg-deb -f tdstat_*.deb Depends | grep -q 'libjson-c5 ('
	for library in libdw1 libipt2 libmicrohttpd12 libncursesw6 libtracefs1 libzstd1; do
		dpkg-deb -f tdstat_*.deb Recommends | grep -qE "$library(t64)? \\("
	done
	refute grep -qE 'libdw1|libncursesw6|libtracefs1|libzstd1' <(dpkg-deb -f tdstat_*.deb Depends)
	# the kernel's files are those of this build
	dpkg-deb --fsys-tarfile tdstat-metrics_*.deb | tar -xO ./usr/share/tdstat/pmu-events/version |
		cmp - "$TD_PMU_EVENTS/version"
}

@test "lintian finds no problems" {
	built
	command -v lintian >/dev/null || skip "no lintian here"
	try lintian -EIL +pedantic --fail-on error,warning,info,pedantic,experimental "$debs"/*.changes
	assert_equal "$status:$output" 0:
}

@test "packages built from the source package in another directory are the same, byte for byte" {
	[ -n "${TD_EVERYTHING-}" ] || skip "takes minutes: TD_EVERYTHING=1"
	built
	dpkg-source -x "$debs"/tdstat_*.dsc elsewhere
	cd elsewhere
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u TDSTAT TZ=Asia/Tokyo KERNEL_SRC="$root/build/linux" \
		METRICS_SRC="$root/build/metrics" dpkg-buildpackage -J -b -us -uc -Ppkg.tdstat.kernel-src
	for package in "$debs"/*.deb; do
		cmp "$package" "../${package##*/}"
	done
}

# --- in a fresh Debian ----------------------------------------------------------

# fresh: one with nothing but apt, once, in $fresh; the packages are in its /debs
fresh() {
	local mirror release

	built
	fresh=$BATS_FILE_TMPDIR/fresh
	[ ! -e "$BATS_FILE_TMPDIR/none" ] || skip "$(cat "$BATS_FILE_TMPDIR/none")"
	[ ! -e "$fresh" ] || return 0
	none() {
		echo "$1" >"$BATS_FILE_TMPDIR/none"
		skip "$1"
	}
	command -v mmdebstrap >/dev/null || none "no mmdebstrap here"
	{ [ "$(id -u)" = 0 ] && unshare -m true; } || none "only root may make a fresh Debian here"
	# shellcheck source=/dev/null
	release=$(. /etc/os-release && [ "$ID" = debian ] && echo "$VERSION_CODENAME") || none "this is no Debian"
	# shellcheck source=.ci/apt.sh
	mirror=$(. "$root/.ci/apt.sh" && debian_mirror) || none "no mirror of Debian"
	mmdebstrap --mode=root --variant=minbase "$release" "$fresh.new" "deb $mirror $release main" 2>log ||
		none "no fresh Debian can be made: $(tail -n 1 log)"
	cp -L /etc/resolv.conf "$fresh.new/etc"
	mkdir "$fresh.new/debs"
	cp "$debs"/*.deb "$fresh.new/debs"
	rm "$fresh.new/debs"/*-dbgsym_*
	cp "$data/alderlake.jsonl" "$fresh.new/debs"
	mv "$fresh.new" "$fresh"
	inside apt-get -q update
	inside sh -c 'apt-get -qy -o Acquire::Retries=3 install /debs/*.deb'
}

# inside COMMAND...: in the fresh Debian; the mounts end with the command
inside() {
	# shellcheck disable=SC2016 # the inner shell's
	env -i PATH="$PATH" http_proxy="${http_proxy-}" LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive unshare -m sh -c '
		mount -t proc proc "$0/proc" && mount --rbind /sys "$0/sys" && exec chroot "$0" "$@"' \
		"$fresh" "$@"
}

capabilities() {
	inside getcap /usr/bin/tdstat
}

# answer true|false: to the question whether tdstat gets the capability
answer() {
	echo "tdstat tdstat/capability boolean $1" | inside debconf-set-selections
	inside dpkg-reconfigure tdstat
}

@test "installed: tdstat reads recordings and metrics as the one that was built here" {
	fresh
	assert_equal "$(inside tdstat --version)" "$("$TDSTAT" --version)"
	for options in '' '-l 2 -A' -j; do
		# shellcheck disable=SC2086 # several words
		assert_same "$("$TDSTAT" report $options "$data/alderlake.jsonl")" \
			"$(inside tdstat report $options /debs/alderlake.jsonl)"
	done
	inside tdstat list -j --model alderlake metrics 'tma_l3*' | grep -q '"name":"tma_l3_hit_latency"'
	inside tdstat explain tma_dram_bound | grep -q .
	refute [ -n "$(inside ldd /usr/bin/tdstat | grep 'not found')" ]
}

@test "installed: manual and completion are where the shells and man look for them" {
	fresh
	for page in 1/tdstat 1/tdstat-locate 3/tdstat-regions 3/td_begin 5/tdstat-output 7/tdstat-events; do
		zcat "$fresh/usr/share/man/man${page%/*}/${page#*/}.${page%/*}.gz" | grep -q '^\.Sh NAME'
	done
	ls "$fresh"/usr/share/{bash-completion/completions/tdstat,fish/vendor_completions.d/tdstat.fish}
	ls "$fresh/usr/share/zsh/vendor-completions/_tdstat"
	inside bash -c '. /usr/share/bash-completion/completions/tdstat; complete -p tdstat'
}

@test "installed: the service is there, and neither enabled nor started" {
	fresh
	grep -q '^ExecStart=/usr/bin/tdstat serve' "$fresh/lib/systemd/system/tdstat.service"
	# the link that deb-systemd-helper makes when it enables a unit
	assert_equal "$(find "$fresh/etc" -name tdstat.service)" ""
	refute grep -qE 'deb-systemd-invoke|systemctl .*start' "$fresh/var/lib/dpkg/info/tdstat.postinst"
}

@test "installed: a program is linked with the library, shared or not" {
	fresh
	triplet=$(dpkg-architecture -q DEB_HOST_MULTIARCH)
	lib=$fresh/usr/lib/$triplet
	command -v g++ >/dev/null || skip "no g++ here"
	PKG_CONFIG_LIBDIR=$lib/pkgconfig pkg-config --modversion tdstat | grep -qx "$(dpkg-parsechangelog -l "$root/.ci/debian/changelog" -S Version | sed 's/-.*//')"
	example=$fresh/usr/share/doc/libtdstat-dev/examples/example.cpp
	g++ -o "$fresh/debs/shared" -I"$fresh/usr/include" "$example" -L"$lib" -ltdstat -pthread
	g++ -o "$fresh/debs/archive" -I"$fresh/usr/include" "$example" "$lib/libtdstat.a" -pthread
	readelf -d "$fresh/debs/shared" | grep -q 'NEEDED.*libtdstat\.so\.0'
	inside /debs/shared
	inside /debs/archive
}

@test "installed: Debian's tests of the packages" {
	fresh
	tar -C "$debs/tdstat-$(dpkg-parsechangelog -l "$root/.ci/debian/changelog" -S Version | sed 's/-.*//')" -c debian/tests tests/data |
		inside sh -c 'mkdir -p /debs/source /debs/results && tar -C /debs/source -x'
	names=(report dry-run doctor)
	# a compiler takes a while to install
	[ -z "${TD_EVERYTHING-}" ] || {
		inside apt-get -qy -o Acquire::Retries=3 install --no-install-recommends g++ pkgconf
		names+=(library)
	}
	for name in "${names[@]}"; do
		# shellcheck disable=SC2016 # the inner shell's
		try inside sh -c 'cd /debs/source && mkdir "/debs/results/$1" &&
			AUTOPKGTEST_TMP=/debs/results/$1 exec "debian/tests/$1"' - "$name"
		[ "$status" -eq 0 ] || fail "$name: $output$stderr"
		[ -z "$stderr" ] || fail "$name: $stderr"
	done
}

@test "the capability: only on request, kept by upgrades, or only for a group" {
	fresh
	[ $((0x$(sed -n 's/^CapBnd:\t//p' /proc/self/status) >> 38 & 1)) = 1 ] || skip "no CAP_PERFMON to be had here"
	assert_equal "$(capabilities)" ""
	answer true
	assert_equal "$(capabilities)" "/usr/bin/tdstat cap_perfmon=ep"
	# any user has it then, but not what tdstat runs
	# setpriv itself keeps root's until it has started a program
	nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups env)
	inside "${nobody[@]}" tdstat doctor >said || true
	case $(cat /proc/sys/kernel/perf_event_paranoid) in
	1 | 2) grep -q 'may be counted (with CAP_PERFMON' said ;;
	esac
	assert_equal "$(inside "${nobody[@]}" tdstat -n -- grep CapEff: /proc/self/status)" "CapEff:	0000000000000000"
	inside sh -c 'apt-get -qy install --reinstall /debs/tdstat_*.deb'
	assert_equal "$(capabilities)" "/usr/bin/tdstat cap_perfmon=ep"
	# as README.Debian has it
	inside sh -c 'groupadd --system perf && dpkg-statoverride --update --add root perf 0750 /usr/bin/tdstat'
	inside dpkg-reconfigure tdstat
	assert_equal "$(capabilities)" "/usr/bin/tdstat cap_perfmon=ep"
	try inside "${nobody[@]}" tdstat --version
	assert_equal "$status" 126
	inside setpriv --reuid=65534 --regid=65534 --groups=perf env tdstat --version
	answer false
	assert_equal "$(capabilities)" ""
	inside dpkg-statoverride --remove /usr/bin/tdstat
}

@test "without tdstat-metrics: levels 1 and 2; purged, no file is left" {
	fresh
	inside apt-get -qy purge tdstat-metrics
	assert_same "$("$TDSTAT" report -l 2 "$data/alderlake.jsonl")" "$(inside tdstat report -l 2 /debs/alderlake.jsonl)"
	inside apt-get -qy purge tdstat libtdstat0 libtdstat-dev
	assert_equal "$(inside find / -xdev -path /debs -prune -o -name '*tdstat*' -print)" ""
	assert_equal "$(inside debconf-show tdstat)" ""
	refute grep -q tdstat "$fresh/var/lib/dpkg/status"
}
