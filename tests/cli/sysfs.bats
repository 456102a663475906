#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Files of the kernel that are empty, binary, endless, missing or wrong: no
# crash, bounded time and memory, a message that names the file or the event,
# and no tree of events that do not exist.

# shellcheck disable=SC2154,SC2258 # helper.bash; lists with commas
load helper

# What is wrong is collected: one look shows all of it.
wrong() {
	echo "$what: $1" >>wrong
}

none_wrong() {
	[ ! -e wrong ] || fail "$(cat wrong)"
}

# Not for the sanitizer, which takes all addresses that there are, or valgrind.
bounded() (
	[ -z "${TD_VALGRIND-}" ] || exec "$@"
	[[ $TDSTAT == */san/* ]] || ulimit -v 100000
	exec timeout 30 "$@"
)

# Within 100 MB and 3 s, whatever the file is: a plan, or an error of a few
# lines.  With $1, an error that has it.
asks() {
	local level='-l 1' # whose events are those of the kernel's files

	[[ "$*" != *-e* ]] || level=
	# shellcheck disable=SC2086 # words
	try bounded "$TDSTAT" --dry-run $level "${@:2}"
	[ "$status" -le 1 ] || wrong "status $status"
	[ -z "$1" ] || [ "$status" = 1 ] || wrong "taken"
	[ "$status" = 0 ] || [[ $stderr == "tdstat: "*$1* ]] || wrong "does not name $1: ${stderr:0:200}"
	[ "${#stderr_lines[@]}" -le 8 ] || wrong "too much said"
	! LC_ALL=C grep -q '[^[:print:]]' <<<"$stderr$output" || wrong "no text: $(cat -v <<<"${stderr:0:200}")"
}

# made HOW FILE: the file becomes such a one
made() {
	rm -rf "$2"
	case $1 in
	empty) : >"$2" ;;
	blank) printf '\n \n' >"$2" ;;
	binary) head -c 300 /bin/sh >"$2" ;;
	nul) printf '\0\0\0' >"$2" ;;
	endless) ln -s /dev/zero "$2" ;;
	sevens) yes 7 | tr -d '\n' | head -c 5000000 >"$2" ;;
	folder) mkdir "$2" ;;
	loop) ln -s "$2" "$2" ;;
	missing) ;;
	esac
}

@test "each file that a tree needs, in each bad state" {
	copied alderlake
	cp -R machine good
	for file in cpu_core/type cpu_core/cpus cpu_core/format/event cpu_core/events/slots \
		cpu_core/events/topdown-retiring cpu_core/format cpu_core/events; do
		for how in empty binary nul endless folder missing; do
			what="$how $file"
			made "$how" "$devices/$file"
			asks '' -a
			# what the file was is gone: its PMU's own tree cannot be whole
			[ "$status" = 1 ] || [ "$file" = cpu_core/cpus ] ||
				! grep -qE "cpu_core/topdown-retiring/ +type 4 +config 0x8000" <<<"$output" ||
				wrong "taken"
			rm -rf "${devices:?}/cpu_core"
			cp -R good/sys/bus/event_source/devices/cpu_core "$devices"
		done
	done
	none_wrong
}

@test "each file of the machine, in each bad state: named, or not needed" {
	copied alderlake
	cp -R machine good
	for how in empty blank binary nul endless sevens folder loop missing; do
		what="$how cpu/online"
		made "$how" "$SYSFS_PATH/devices/system/cpu/online"
		asks cpu/online -a
		rm -rf machine/sys/devices/system/cpu/online
		cp good/sys/devices/system/cpu/online machine/sys/devices/system/cpu/
		for file in proc/cpuinfo sys/devices/system/cpu/cpu0/topology/core_id \
			sys/devices/system/cpu/cpu0/topology/physical_package_id proc/sys/kernel/osrelease \
			sys/devices/system/cpu/smt/active proc/sys/kernel/nmi_watchdog; do
			mkdir -p "machine/${file%/*}"
			what="$how $file"
			made "$how" "machine/$file"
			asks '' -a --per-core
			rm -rf "machine/$file"
			cp "good/$file" "machine/$file" 2>/dev/null || true
		done
	done
	none_wrong
}

@test "a fifo that nobody writes to does not stop us" {
	copied alderlake
	for file in "$devices"/cpu_core/{type,cpus,format/event,events/slots} \
		machine/sys/devices/system/cpu/online machine/proc/cpuinfo; do
		what="fifo $file"
		mv "$file" kept
		mkfifo "$file"
		case $file in
		*/type | */cpus | */online) asks "${file##*/}" -a ;;
		*) asks '' -a ;;
		esac
		mv kept "$file"
	done
	none_wrong
}

@test "CPUs that do not exist, too many, backwards, overlapping" {
	copied alderlake
	cp -R "$devices/cpu_core" good
	for cpus in 0-99999999 4294967296 2147483648 99999999999999999999 3-1 0-3-5 , 0, ,0 -1 0x1 '0 1' 1-; do
		what="cpus $cpus"
		echo "$cpus" >"$devices/cpu_core/cpus"
		asks 'cpu_core/cpus' -a
	done
	for cpus in 0,0,0 0-3,1-2 0-3,900 900; do
		what="cpus $cpus"
		echo "$cpus" >"$devices/cpu_core/cpus"
		asks '' -a
		# each once, and 900 is nobody's
		[ "$status" = 1 ] || ! grep -E '^group .*cpu_core.*CPUs .*(900|0,0|3,)' <<<"$output" ||
			wrong "counted where there is no such CPU"
	done
	echo 0-3 >"$devices/cpu_core/cpus"
	for cpus in 0-99999999 0-4294967296 1-0 x; do
		what="online $cpus"
		echo "$cpus" >"$SYSFS_PATH/devices/system/cpu/online"
		asks 'cpu/online' -a
	done
	none_wrong
}

@test "the type: no number, negative, too large, of another PMU" {
	copied alderlake
	for type in -1 4294967296 99999999999999999999 '4 5' x 1e3 ''; do
		what="type $type"
		echo "$type" >"$devices/cpu_core/type"
		asks 'cpu_core/type' -a
	done
	none_wrong
}

@test "formats: overlapping bits, too many, words that there are not" {
	copied alderlake
	cp "$devices/cpu_core/events/topdown-retiring" event
	for format in config config: config:64 config:7-0 config:0-63-1 config9:0-7 xonfig:0-7 'config:0-7 x' \
		config:-1 config:0-99999999; do
		what="format $format"
		echo "$format" >"$devices/cpu_core/format/event"
		asks 'event' -a
	done
	# two terms of one event set the same bits: neither is the other's
	echo config:0-7 >"$devices/cpu_core/format/event"
	echo config:4-11 >"$devices/cpu_core/format/umask"
	what='overlapping'
	echo 'event=0xff,umask=0x01' >"$devices/cpu_core/events/topdown-retiring"
	asks 'umask: another term sets the same bits' -a
	try "$TDSTAT" --dry-run -a -e cpu_core/event=0xff,umask=0x01/
	assert_failure 64
	assert_complains 'umask: another term sets the same bits'
	# formats overlap on purpose, where events take one or the other, or where
	# one is a part of the other: both set what they set
	what='two that overlap'
	for terms in event=0x1f,umask=0xe2 umask=0xe2,event=0x1f; do
		asks '' -a -e cpu_core/$terms/
		[ "$status" = 0 ] && grep -qE 'config 0xe3f ' <<<"$output" || wrong "$terms: not taken"
	done
	none_wrong
}

@test "an event's text: too large for its bits, no term" {
	copied alderlake
	for text in event=0x100 event=-1 event=0x1ffffffffffffffff event=, =0 event==0 ,,, \
		'event=0x00 umask=1' event=0,umask=0x100; do
		what="event $text"
		echo "$text" >"$devices/cpu_core/events/topdown-retiring"
		asks 'topdown-retiring' -a
	done
	none_wrong
}

@test "a scale and a unit that are none" {
	needs_software_events -a
	echo event=0 >"$devices/cpu/events/clock"
	for scale in 0 -1 nan inf 1e999 x '' '1 2' 0x1p3; do
		echo "$scale" >"$devices/cpu/events/clock.scale"
		try timeout 30 "$TDSTAT" -a -e cpu/clock/ -x, --timeout 10
		[ "$status" = 1 ] || ! grep -qiE '(^|,)(nan|inf|-|0,)' <<<"$output" || what=$scale wrong "$output"
		[ "$status" = 0 ] || [[ $stderr == *clock* ]] || what=$scale wrong "$stderr"
	done
	none_wrong
}
