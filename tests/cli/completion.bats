#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# What shells complete after "tdstat".

# shellcheck disable=SC2154 # helper.bash
load helper

completion=$here/../../cmd/completion

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir bin
	ln -s "$TDSTAT" bin/tdstat
	PATH=$PWD/bin:$PATH
	saved alderlake
}

# help_options [SUBCOMMAND]: the long options of --help, the only list of them that
# is not written by hand
help_options() {
	"$TDSTAT" "$@" --help=all | grep -oE '^ {2,6}(-., )?--[a-z-]+' | grep -oE -e '--[a-z-]+' | sort -u
}

# --- bash -----------------------------------------------------------------------

# offered WORD...: what is offered for the last one, a line each.  The words are
# split as readline splits them, in a shell that has nothing but the script; with
# $loaded, that is sourced before.
offered() {
	cat >ask.bash <<-'SCRIPT'
		[ -z "$LOADED" ] || . "$LOADED"
		. "$COMPLETION"
		COMP_LINE=$* COMP_WORDS=()
		COMP_POINT=${#COMP_LINE}
		for rest; do
			[ -n "$rest" ] || COMP_WORDS+=("")
			while [ -n "$rest" ]; do
				case $rest in
				[:=]*) part=${rest%%[!:=]*} ;;
				*) part=${rest%%[:=]*} ;;
				esac
				COMP_WORDS+=("$part")
				rest=${rest#"$part"}
			done
		done
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		function=$(complete -p tdstat | sed 's/.* -F \([^ ]*\) .*/\1/')
		$function tdstat
		printf '%s\n' "${COMPREPLY[@]}"
	SCRIPT
	COMPLETION=$completion/tdstat.bash LOADED=${loaded-} bash --norc ask.bash tdstat "$@" 2>/dev/null | sort -u
}

# offers WHAT -- WORD...: exactly these, in order
offers() {
	local what=()

	while [ "$1" != -- ]; do
		what+=("$1")
		shift
	done
	assert_same "$(printf '%s\n' "${what[@]}" | sort -u)" "$(offered "${@:2}")"
}

@test "bash: the long options of --help, and nothing else" {
	assert_same "$(help_options)" "$(offered -- | sed 's/=$//' | sort -u)"
	[ "$(help_options | wc -l)" -gt 60 ]
	# also behind others, and those of subcommands
	assert_same "$(help_options record)" "$(offered -a -C 0 -I1000 record -o file -- | sed 's/=$//' | sort -u)"
	for word in $(subcommands); do
		assert_same "$(help_options ${word:+"$word"})" "$(offered "$word" -- | sed 's/=$//' | sort -u)"
	done
	offers --per-cache --per-cluster --per-core -- --per-c
	offers --tid= --time-format= --timeout= -- --ti
	offers '' -- --nosuch
}

@test "bash: short options, as --help has them" {
	assert_same "$("$TDSTAT" --help=all | grep -oE '^ {2}-[^- ]' | tr -d ' ' | sort -u)" \
		"$(offered - | grep '^-[^-]')"
}

@test "bash: events and metrics of the machine, also in lists and groups" {
	offers sched_swap_numa sched_switch -- -e sched:sched_sw
	offers sched_swap_numa sched_switch -- -a --event=cycles,sched:sched_sw
	offers L1-dcache-load-misses L1-dcache-loads -- -e L1-dcache-load
	offers cycles,L1-dcache-load-misses cycles,L1-dcache-loads -- -e cycles,L1-dcache-load
	offers '{cycles,LLC-loads' '{cycles,LLC-load-misses' -- -e "'{cycles,LLC-load"
	offers DTLB_LOAD_MISSES.WALK_COMPLETED DTLB_LOAD_MISSES.WALK_COMPLETED_4K \
		DTLB_LOAD_MISSES.WALK_COMPLETED_2M_4M DTLB_LOAD_MISSES.WALK_COMPLETED_1G -- -e DTLB_LOAD_MISSES.WALK_C
	offers TopdownL1 TopdownL2 TopdownL3 TopdownL4 TopdownL5 TopdownL6 -- -M TopdownL
	offers tma_l3_bound,tma_l1_bound tma_l3_bound,tma_l1_bound_group -- --metrics tma_l3_bound,tma_l1_b
	offers atom -- --cputype at
	offers cpu_atom cpu_core -- --cputype=cpu
}

@test "bash: values of other options" {
	touch file.csv
	mkdir files
	offers 1 2 3 4 5 6 auto -- -l ''
	offers L1 L2 L3 L4 -- -a --per-cache=
	offers file.csv files -- -o 'fi'
	offers files -- --metrics-dir 'fi'
	offers fifo: -- --control 'fi'
	offers ctl,file.csv ctl,files -- --control fifo:ctl,fi
	# others may begin with the same digits
	offered -p "$$" | grep -qx "$$"
	run ! grep -qv "^$$" <(offered -p "$$")
	offered -C '' | grep -qx "$(sed 's/[-,].*//' /sys/devices/system/cpu/online)"
	offers '' -- -I 1
}

@test "bash: subcommands and commands; what stands behind them" {
	touch file.csv
	offered rec | grep -qx record
	offered -a -I 100 rec | grep -qx record
	offered -I1000 tds | grep -qx tdstat
	# a command's own words are no options of tdstat's
	refute [ -n "$(offered ls --per-c)" ]
	refute [ -n "$(offered -- ls --per-c)" ]
	offers file.csv -- -a -- ls 'fi'
	offers file.csv -- report 'fi'
	offers file.csv -- report -i 'fi'
	offers file.csv -- report file.csv -x, -o 'fi'
	offers --per-cache --per-cluster --per-core -- report file.csv --per-c
	offers metricgroups metrics -- list metric
	offers tma_l3_bound tma_l3_hit_latency -- explain tma_l3
	offers record regions report -- help re
	# a node, and then a command
	offers tma_l3_bound tma_l3_hit_latency -- locate -v tma_l3
	offers auto -- locate aut
	offers --call-graph= --callers --cpu= --cputype= -- locate tma_l3_bound --c
	offered locate tma_l3_bound tds | grep -qx tdstat
	offered locate -e cycles tds | grep -qx tdstat
	offers file.csv -- locate tma_l3_bound ls 'fi'
	offers file.csv -- locate -- ls 'fi'
	offered profile tds | grep -qx tdstat
	offers file.csv -- profile --record 'fi'
	offers file.csv -- locate --samples=fi
	offers file.csv -- report -j 'fi'
	# behind --, list is a command
	refute [ -n "$(offered -- list metric)" ]
}

@test "each subcommand is offered, and its options are those of its page" {
	for subcommand in $(subcommands); do
		page=$here/../../man/tdstat-$subcommand.1
		offered "${subcommand%??}" | grep -qx "$subcommand" || fail "bash: $subcommand"
		grep -q "'$subcommand:" "$completion/_tdstat" || fail "zsh: $subcommand"
		[ "$subcommand" != help ] || continue
		# the long ones of its list, but for those that it says are refused
		sed -n '/^\.It/{N;/\nRefused/d;};s/\\-/-/g;s/^\.It Fl \([^\n]*\).*/ \1/p' "$page" | grep -oE ' -[a-z][a-z-]+' |
			sed 's/ /-/' | sort -u >of_page
		[ -s of_page ]
		assert_equal "$(comm -23 of_page <(offered "$subcommand" -- | sed 's/=$//' | sort -u))" ""
	done
}

@test "bash: the same with the package bash-completion" {
	loaded=/usr/share/bash-completion/bash_completion
	[ -e "$loaded" ] || skip "no bash-completion"
	assert_same "$(help_options)" "$(offered -- | sed 's/=$//' | sort -u)"
	offers sched_swap_numa sched_switch -- -a --event=cycles,sched:sched_sw
	offers tma_l3_bound,tma_l2_bound -- -M tma_l3_bound,tma_l2_b
	offers cpu_atom cpu_core -- --cputype=cpu
	touch file.csv
	offers file.csv -- -a -- ls 'fi'
	offers file.csv -- report -i 'fi'
}

@test "bash: a machine without a PMU, and a tdstat that is not there" {
	mkdir -p none/devices/system/cpu
	echo 0 >none/devices/system/cpu/online
	export SYSFS_PATH=$PWD/none PROCFS_PATH=/proc
	offers task-clock -- -e task-c
	offers '' -- -M tma_
	rm bin/tdstat
	PATH=/usr/bin:/bin offers '' -- --per-c
}

# --- fish -----------------------------------------------------------------------

# in_fish LINE: what is offered for its last word, with what is said of it
in_fish() {
	# shellcheck disable=SC2016 # fish's
	HOME=$PWD fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$completion/tdstat.fish" "tdstat $1" 2>&1
}

# fish_offers LINE WHAT...: exactly these
fish_offers() {
	assert_same "$(printf '%s\n' "${@:2}" | sort -u)" "$(in_fish "$1" | sed 's/\t.*//' | sort -u)"
}

needs_fish() {
	command -v fish >/dev/null || skip "no fish"
}

@test "fish: the options of --help, with their values and what they do, and nothing else" {
	needs_fish
	for word in '' $(subcommands); do
		assert_same "$(help_options ${word:+"$word"})" "$(in_fish "$word --" | sed 's/\t.*//; s/=$//' | sort -u)"
	done
	assert_same "$("$TDSTAT" --help=all | grep -oE '^ {2}-[^- ]' | tr -d ' ' | sort -u)" \
		"$(in_fish - | sed 's/\t.*//' | grep '^-[^-]' | sort -u)"
	# a value is taken where --help has one that is no option's own
	assert_same "$("$TDSTAT" --help=all | grep -oE '^ {2,6}(-., )?--[a-z-]+=' | grep -oE -e '--[a-z-]+=' | sort -u)" \
		"$(in_fish -- | sed 's/\t.*//' | grep -e '^--.*=$' | sort -u)"
	assert_equal "$(in_fish '-a -C 0 -I1000 record --hybrid-m')" \
		"--hybrid-merge	one row for all kinds of core; metrics are weighted by slots"
	fish_offers --per-c --per-cache --per-cluster --per-core
	# fish also takes what has the letters in their order
	fish_offers --xyz ''
}

@test "fish: events and metrics of the machine, also in lists and groups" {
	needs_fish
	fish_offers '-e sched:sched_sw' sched:sched_swap_numa sched:sched_switch
	fish_offers '-a --event=cycles,sched:sched_sw' --event=cycles,sched:sched_s{wap_numa,witch}
	fish_offers '-e cycles,L1-dcache-load' cycles,L1-dcache-load{s,-misses}
	fish_offers "-e '{cycles,LLC-load" '{cycles,LLC-load'{s,-misses}
	fish_offers '-e DTLB_LOAD_MISSES.WALK_C' dtlb_load_misses.walk_completed{,_4k,_2m_4m,_1g}
	fish_offers '--metrics tma_l3_bound,tma_l1_b' tma_l3_bound,tma_l1_bound{,_group}
	fish_offers '--cputype at' atom
	fish_offers --cputype=cpu --cputype=cpu_{atom,core}
}

@test "fish: values of other options" {
	needs_fish
	touch file.csv
	mkdir files
	fish_offers '-l ' 1 2 3 4 5 6 auto
	fish_offers '-a --per-cache=' --per-cache=L{1,2,3,4}
	fish_offers '-o fi' file.csv files/
	fish_offers '--output=fi' --output=file.csv --output=files/
	fish_offers '--metrics-dir fi' files/
	fish_offers '--control fi' fifo:
	fish_offers '--control fifo:ctl,fi' fifo:ctl,fi{le.csv,les/}
	in_fish '-p 1,' | grep -q "^1,$PPID	"
	in_fish '-t ' | grep -qx "$$"
	in_fish '-C ' | grep -qx "$(sed 's/[-,].*//' /sys/devices/system/cpu/online)"
	fish_offers '-I 1' ''
}

@test "fish: subcommands and commands; what stands behind them" {
	needs_fish
	touch file.csv
	# a command with completion of its own
	printf '#!/bin/sh\n' >bin/other
	chmod +x bin/other
	for name in $(subcommands); do
		in_fish "-a -I 100 ${name%??}" | grep -q "^$name	." || fail "fish: $name"
	done
	in_fish '-I1000 tds' | grep -q '^tdstat'
	fish_offers 'other --per-c' ''
	fish_offers '-- other --per-c' ''
	fish_offers 'locate tma_l3_bound tdstat report --per-reg' --per-region
	fish_offers '-a -- other fi' file.csv
	fish_offers 'report -i fi' file.csv
	fish_offers 'report file.csv --per-c' --per-cache --per-cluster --per-core
	fish_offers 'list metric' metricgroups metrics
	fish_offers 'explain tma_l3' tma_l3_bound tma_l3_hit_latency
	fish_offers 'help re' record regions report
	fish_offers 'locate -v tma_l3' tma_l3_bound tma_l3_hit_latency
	fish_offers 'locate tma_l3_bound --c' --call-graph= --callers --cpu= --cputype=
	in_fish 'locate tma_l3_bound tds' | grep -q '^tdstat'
	in_fish 'locate -e cycles tds' | grep -q '^tdstat'
	in_fish 'profile tds' | grep -q '^tdstat'
	# behind --, list is a command
	fish_offers '-- list metric' ''
}

@test "fish: a machine without a PMU, and a tdstat that is not there" {
	needs_fish
	mkdir -p none/devices/system/cpu
	echo 0 >none/devices/system/cpu/online
	SYSFS_PATH=$PWD/none PROCFS_PATH=/proc fish_offers '-e task-c' task-clock
	SYSFS_PATH=$PWD/none PROCFS_PATH=/proc fish_offers '-M tma_' ''
	rm bin/tdstat
	PATH=/usr/bin:/bin fish_offers --per-c ''
}

# --- zsh ------------------------------------------------------------------------

@test "zsh: the options in the file are those of --help, of all subcommands together" {
	# those it offers, not those that these exclude: behind a quote, a brace or a comma
	sed "s/'([^)]*)/'/" "$completion/_tdstat" | grep -oE "[*'\"{,]--[a-z-]+" | sed 's/^.//' | sort -u >named
	assert_same "$(for word in '' $(subcommands); do help_options ${word:+"$word"}; done | sort -u)" \
		"$(cat named)"
}

needs_zsh() {
	command -v zsh >/dev/null || skip "no zsh"
}

@test "zsh: the options of --help, and nothing else" {
	needs_zsh
	zsh -n "$completion/_tdstat"
	# what the file gives to _arguments, with the braces and exclusions off
	cat >ask.zsh <<-'SCRIPT'
		_arguments() { print -rl -- "$@" }
		fpath=($COMPLETION $fpath)
		autoload -Uz _tdstat
		words=(tdstat)
		if (( $# )); then
			behind() { local -a options; _tdstat_behind }
			_tdstat >/dev/null
			words=("$@")
			behind
		else
			_tdstat
		fi
	SCRIPT
	for word in $(subcommands); do
		COMPLETION=$completion zsh -f ask.zsh "$word" | sed 's/^(.*)\*\{0,1\}\(-\)/\1/; s/^\*//' >specs
		assert_same "$(help_options ${word:+"$word"})" "$(grep -oE '^--[a-z-]+' specs | sort -u | grep -v '^--$')"
	done
	COMPLETION=$completion zsh -f ask.zsh | sed 's/^(.*)\*\{0,1\}\(-\)/\1/; s/^\*//' >specs
	assert_same "$(help_options)" "$(grep -oE '^--[a-z-]+' specs | sort -u | grep -v '^--$')"
	assert_same "$("$TDSTAT" --help=all | grep -oE '^ {2}-[^- ]' | tr -d ' ' | sort -u)" \
		"$(sed '1,/^-A$/d' specs | grep -oE '^-[^-*]' | sort -u)"
	# a value is taken where --help has one
	assert_same "$("$TDSTAT" --help=all | grep -oE '^ {2,6}(-., )?--[a-z-]+\[?=' | grep -oE -e '--[a-z-]+' | sort -u)" \
		"$(grep -E '^--[a-z-]+=' specs | sed 's/=.*//' | sort -u)"
}

@test "zsh: a line is completed" {
	needs_zsh
	zsh -fc 'zmodload zsh/zpty' 2>/dev/null || skip "no zsh/zpty"
	# a shell in a terminal of its own, a line and a tab, and what is to come of it
	cat >ask.zsh <<-'SCRIPT'
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell "PS1='> '; fpath=($COMPLETION \$fpath)
			autoload -Uz compinit; compinit -D -u; echo rea''dy"
		zpty -r shell text $'*ready\r\n*'
		zpty -w -n shell "$1"$'\t'
		zpty -r shell text "*$2*" && echo completed
		zpty -d shell
	SCRIPT
	export COMPLETION=$completion TERM=dumb
	try timeout 20 zsh -f ask.zsh 'tdstat --per-clu' ster
	assert_output completed
	try timeout 20 zsh -f ask.zsh 'tdstat -a -e cycles,DTLB_LOAD_MISSES.WALK_COMPLETED_4' \
		cycles,dtlb_load_misses.walk_completed_4k
	assert_output completed
	try timeout 20 zsh -f ask.zsh 'tdstat locate -v tma_l3_hit_l' atency
	assert_output completed
	try timeout 20 zsh -f ask.zsh 'tdstat locate tma_l3_bound --call' ers
	assert_output completed
	try timeout 20 zsh -f ask.zsh 'tdstat locate tma_l3_bound tdstat report --per-reg' ion
	assert_output completed
	try timeout 20 zsh -f ask.zsh 'tdstat report --to' tal
	assert_output completed
	touch a_file
	for words in -a 'locate' 'locate tma_l3_bound' 'locate -e cycles' profile; do
		try timeout 20 zsh -f ask.zsh "tdstat $words -- ls a_f" ile
		assert_output completed
	done
}
