# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Debian's packages through an apt configuration of our own: sources, lists and
# cache are below one folder, and the system's apt is asked for the mirror only.

# The mirror that the system's apt uses, or the one that the user named.
debian_mirror()
{
	# shellcheck disable=SC2016 # apt expands it
	local mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' |
		grep -m 1 '/debian/*$')}

	[ -n "$mirror" ] || {
		echo "apt here has no Debian mirror; DEBIAN_MIRROR= can name one" >&2
		return 1
	}
	echo "$mirror"
}

# own_apt FOLDER SUITE...: sets the array apt_options, for apt-get and apt-cache;
# $apt_types are the lists to read
own_apt()
{
	local folder=$1 mirror
	shift
	mirror=$(debian_mirror) || return 1
	mkdir -p "$folder"/{sources,lists/partial,cache/archives/partial}
	cat >"$folder/sources/debian.sources" <<-TEXT
		Types: ${apt_types:-deb deb-src}
		URIs: $mirror
		Suites: $*
		Components: main
		Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
	TEXT
	apt_options=(-q -o Dir::Etc::SourceList=/dev/null
		-o "Dir::Etc::SourceParts=$folder/sources"
		-o "Dir::State::Lists=$folder/lists"
		-o "Dir::Cache=$folder/cache"
		-o APT::Sandbox::User=root
		-o Acquire::Languages=none
		-o Acquire::Retries=3)
	apt-get "${apt_options[@]}" update >"$folder/log" 2>&1 || {
		echo "cannot read Debian's lists: see $folder/log" >&2
		return 1
	}
}

# download PACKAGE...: the .deb files, into the current folder
download()
{
	apt-get "${apt_options[@]}" download "$@" >/dev/null
}
