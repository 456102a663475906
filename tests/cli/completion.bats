#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Completions of shells after "tdstat".  One shell of each kind answers all questions of a
# test.

# shellcheck disable=SC2016,SC2094,SC2154 # other shells' words; helper.bash
load helper

completion=$here/../../cmd/completion

# The options of --help, the only list of them that is not written by hand: of each
# subcommand, and of none ("main"), the long ones; of main, the short ones, those with a
# value, and those with one that may be left out.
setup_file() {
	local name names=()

	mkdir "$BATS_FILE_TMPDIR/help" "$BATS_FILE_TMPDIR/said"
	cd "$BATS_FILE_TMPDIR/help" || return
	"$TDSTAT" --help=all >main
	mapfile -t names < <(subcommands)
	for name in "${names[@]}"; do
		"$TDSTAT" "$name" --help=all >"./$name"
	done
	awk '
		{ line = $0; sub(/^ */, "", line); indent = length($0) - length(line) }
		FILENAME == "main" && indent == 2 && line ~ /^-[^- ]/ { print substr(line, 1, 2) >"short" }
		indent < 2 || indent > 6 { next }
		{ sub(/^-., /, "", line) }
		match(line, /^--[a-z-]+/) {
			name = substr(line, 1, RLENGTH)
			rest = substr(line, RLENGTH + 1)
			print name >(FILENAME ".long")
			if (FILENAME == "main" && rest ~ /^=/) print name "=" >"values"
			if (FILENAME == "main" && rest ~ /^\[?=/) print name >"may"
		}' main "${names[@]}"
	printf '%s\n' "${names[@]}" >names
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir bin
	ln -s "$TDSTAT" bin/tdstat
	PATH=$PWD/bin:$PATH
	saved alderlake
	help=$BATS_FILE_TMPDIR/help
	mapfile -t names <"$help/names"
}

# same_set WHAT WANTED GOT: texts with the same lines, in any order
same_set() {
	local -A left=()
	local line lines

	mapfile -t lines <<<"$2"
	for line in "${lines[@]}"; do
		[ -z "$line" ] || left[$line]=missing
	done
	mapfile -t lines <<<"$3"
	for line in "${lines[@]}"; do
		if [ -z "$line" ]; then
			:
		elif [ -n "${left[$line]+there}" ]; then
			left[$line]=''
		else
			left[$line]=excess
		fi
	done
	for line in "${!left[@]}"; do
		[ -z "${left[$line]}" ] || {
			echo "$1: $line: ${left[$line]}"
			return 1
		}
	done
}

# a_tracepoint: set $tracepoint to one of this machine, and $alike to all with the same
# beginning, without the text before the colon
a_tracepoint() {
	mapfile -t alike < <("$TDSTAT" list -j tracepoint 2>/dev/null | awk -F '"name":"' '
		{ sub(/".*/, "", $2) }
		first == "" && $2 ~ /:/ { print first = $2 }
		first != "" && index($2, first) == 1 { sub(/^[^:]*:/, "", $2); print $2 }')
	tracepoint=${alike[0]-}
	alike=("${alike[@]:1}")
}

# read_answers COUNT: read from the file answers the texts between lines of "==" into
# replies, and without descriptions into offered
read_answers() {
	local nr=0 line

	replies=('') offered=('')
	while IFS= read -r line; do
		if [ "$line" = == ]; then
			nr=$((nr + 1))
			replies[nr]='' offered[nr]=''
		else
			replies[nr]+=$line$'\n'
			offered[nr]+=${line%%$'\t'*}$'\n'
		fi
	done <answers
	[ $nr = "$1" ] || fail "$nr answers to $1 questions"
}

# offers_each SHELL: of each line of standard input, "LINE|WHAT...": exactly these
offers_each() {
	local lines line nr words

	mapfile -t lines
	"in_$1" "${lines[@]%%|*}"
	for nr in "${!lines[@]}"; do
		line=${lines[nr]}
		read -ra words <<<"${line#*|}"
		printf -v words '%s\n' "${words[@]}"
		# shellcheck disable=SC2128 # the first
		same_set "$1: ${line%%|*}" "$words" "${offered[nr]}"
	done
}

# offers_help SHELL VALUES: the options of --help, and of VALUES with "="
offers_help() {
	local i want word short='' values=''

	"in_$1" -- - "${names[@]/%/ --}"
	IFS= read -rd '' want <"$help/main.long" || true
	same_set -- "$want" "${offered[0]//=$'\n'/$'\n'}"
	for i in "${!names[@]}"; do
		IFS= read -rd '' want <"$help/${names[i]}.long" || true
		same_set "${names[i]}" "$want" "${offered[i + 2]//=$'\n'/$'\n'}"
	done
	for word in ${offered[1]}; do
		[[ $word == --* ]] || short+=$word$'\n'
	done
	IFS= read -rd '' want <"$help/short" || true
	same_set - "$want" "$short"
	for word in ${offered[0]}; do
		[[ $word != *= ]] || values+=${word%=}$'\n'
	done
	IFS= read -rd '' want <"$help/$2" || true
	same_set "=" "${want//=$'\n'/$'\n'}" "$values"
}

# --- bash -----------------------------------------------------------------------

# in_bash [ARG]...: runs standard input in a shell that has nothing but the script; with
# $loaded, that is sourced before.
in_bash() {
	local text

	IFS= read -rd '' text || true
	cat >ask.bash <<-'SCRIPT'
		[ -z "$LOADED" ] || . "$LOADED"
		. "$COMPLETION"
		function=$(complete -p tdstat)
		function=${function#* -F } function=${function%% *}

		# the same words have the same help
		if [ -n "$SAID" ]; then
			tdstat() {
				local key=$*
				local file=$SAID/${key// /_} text

				if [[ $key != *--help=all ]]; then
					command tdstat "$@"
					return
				fi
				[ -e "$file" ] || command tdstat "$@" >"$file"
				IFS= read -rd '' text <"$file"
				printf %s "$text"
			}
		fi

		# offered WORD...: set the completions of the last one.  The words are split
		# as readline splits them.
		offered() {
			local rest part

			set -- tdstat "$@"
			COMP_LINE=$* COMP_WORDS=() COMPREPLY=()
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
			$function tdstat 2>/dev/null
			printf -v reply '%s\n' "${COMPREPLY[@]}"
		}

		# offers WHAT -- WORD...: exactly these
		offers() {
			local what=''

			while [ "$1" != -- ]; do
				what+=$1$'\n'
				shift
			done
			offered "${@:2}"
			same_set "$*" "$what" "$reply" || exit
		}

		# offers_options OF WORD...: those of --help
		offers_options() {
			local want

			IFS= read -rd '' want <"$HELP/$1.long"
			offered "${@:2}"
			# without the sign of a value
			same_set "${*:2}" "$want" "${reply//=$'\n'/$'\n'}" || exit
		}

		# has WHAT -- WORD..., or hasnt: among others
		has() {
			offered "${@:3}"
			[[ $'\n'$reply == *$'\n'"$1"$'\n'* ]] || { echo "${*:3}: no $1: $reply"; exit 1; }
		}
		offers_nothing() {
			offered "$@"
			[ -z "${reply//$'\n'/}" ] || { echo "$*: $reply"; exit 1; }
		}

		eval "$TEXT"
	SCRIPT
	export -f same_set
	TEXT=$text COMPLETION=$completion/tdstat.bash LOADED=${loaded-} SAID=${said-$BATS_FILE_TMPDIR/said} HELP=$help \
		within bash --norc ask.bash "$@"
}

@test "bash: exactly the long options of --help" {
	mapfile -t options <"$help/main.long"
	[ ${#options[@]} -gt 60 ]
	in_bash "${names[@]}" <<-'BASH'
		offers_options main --
		# also after other options, and those of subcommands
		offers_options record -a -C 0 -I1000 record -o file --
		for word; do
			offers_options "$word" "$word" --
		done
		offers --per-cache --per-cluster --per-core -- --per-c
		offers --tid= --time-format= --timeout= -- --ti
		offers_nothing --nosuch
	BASH
}

@test "bash: short options, as --help has them" {
	in_bash <<-'BASH'
		offered -
		IFS= read -rd '' want <"$HELP/short"
		short=
		for word in $reply; do
			# -? may be a file's name to the shell
			[[ $word == --* ]] || short+=${word/\\}$'\n'
		done
		same_set - "$want" "$short"
	BASH
}

@test "bash: events and metrics of the machine, also in lists and groups" {
	a_tracepoint
	in_bash "$tracepoint" "${alike[@]}" <<-'BASH'
		[ -z "$1" ] || {
			offers "${@:2}" -- -e "$1"
			offers "${@:2}" -- -a "--event=cycles,$1"
		}
		offers L1-dcache-load-misses L1-dcache-loads -- -e L1-dcache-load
		offers cycles,L1-dcache-load-misses cycles,L1-dcache-loads -- -e cycles,L1-dcache-load
		offers '{cycles,LLC-loads' '{cycles,LLC-load-misses' -- -e "'{cycles,LLC-load"
		offers DTLB_LOAD_MISSES.WALK_COMPLETED DTLB_LOAD_MISSES.WALK_COMPLETED_4K \
			DTLB_LOAD_MISSES.WALK_COMPLETED_2M_4M DTLB_LOAD_MISSES.WALK_COMPLETED_1G -- -e DTLB_LOAD_MISSES.WALK_C
		offers TopdownL1 TopdownL2 TopdownL3 TopdownL4 TopdownL5 TopdownL6 -- -M TopdownL
		offers tma_l3_bound,tma_l1_bound tma_l3_bound,tma_l1_bound_group -- --metrics tma_l3_bound,tma_l1_b
		offers atom -- --cputype at
		offers cpu_atom cpu_core -- --cputype=cpu
	BASH
}

@test "bash: values of other options" {
	: >file.csv
	mkdir files
	in_bash <<-'BASH'
		offers 1 2 3 4 5 6 auto -- -l ''
		offers L1 L2 L3 L4 -- -a --per-cache=
		offers file.csv files -- -o 'fi'
		offers files -- --metrics-dir 'fi'
		offers fifo: -- --control 'fi'
		offers ctl,file.csv ctl,files -- --control fifo:ctl,fi
		# others may begin with the same digits
		has $$ -- -p $$
		for word in $reply; do
			[[ $word == $$* ]] || exit
		done
		read -r online </sys/devices/system/cpu/online
		has "${online%%[-,]*}" -- -C ''
		offers_nothing -I 1
	BASH
}

@test "bash: subcommands and commands, and the words after them" {
	: >file.csv
	in_bash <<-'BASH'
		has record -- rec
		has record -- -a -I 100 rec
		has tdstat -- -I1000 tds
		# the words of a command are not options of tdstat
		offers_nothing ls --per-c
		offers_nothing -- ls --per-c
		offers file.csv -- -a -- ls 'fi'
		offers file.csv -- report 'fi'
		offers file.csv -- report -i 'fi'
		offers file.csv -- report file.csv -x, -o 'fi'
		offers --per-cache --per-cluster --per-core -- report file.csv --per-c
		offers metricgroups metrics -- list metric
		offers tma_l3_bound tma_l3_hit_latency -- explain tma_l3
		offers record -- help rec
		# a node, and then a command
		offers tma_l3_bound tma_l3_hit_latency -- locate -v tma_l3
		offers auto -- locate aut
		offers --call-graph= --callers --count= --cpu= --cputype= -- locate tma_l3_bound --c
		has tdstat -- locate tma_l3_bound tds
		has tdstat -- locate -e cycles tds
		offers file.csv -- locate tma_l3_bound ls 'fi'
		offers file.csv -- locate -- ls 'fi'
		has tdstat -- profile tds
		offers file.csv -- profile --record 'fi'
		offers file.csv -- locate --samples=fi
		offers file.csv -- report -j 'fi'
		# after --, list is a command
		offers_nothing -- list metric
	BASH
}

# An earlier test shows that all options of --help are offered after a subcommand.
@test "each subcommand is offered" {
	in_bash "${names[@]}" <<-'BASH'
		has "$1" -- "${1%??}"
		has "$1" -- ''
		for word; do
			[[ $'\n'$reply == *$'\n'"$word"$'\n'* ]] || { echo "bash: $word"; exit 1; }
		done
	BASH
}

@test "the options of a subcommand are those of its page" {
	needs_wing calls evidence pictures
	# the long ones of its list, but for those that it says are rejected
	python3 -S - "$help" "$here/../../man" "${names[@]}" <<-'PYTHON'
		import re, sys
		help, man, *names = sys.argv[1:]
		for name in names:
		    if name == "help":
		        continue
		    page = open(f"{man}/tdstat-{name}.1").read().replace("\\-", "-")
		    found = set()
		    for item, text in re.findall(r"^\.It Fl (.*)\n(.*)", page, re.M):
		        if not text.startswith("Rejected"):
		            found.update("-" + word for word in re.findall(" (-[a-z][a-z-]+)", " " + item))
		    assert found, name
		    missing = found - set(open(f"{help}/{name}.long").read().split())
		    assert not missing, (name, missing)
	PYTHON
}

@test "bash: the same with the package bash-completion" {
	loaded=/usr/share/bash-completion/bash_completion
	[ -e "$loaded" ] || skip "no bash-completion"
	: >file.csv
	a_tracepoint
	in_bash "$tracepoint" "${alike[@]}" <<-'BASH'
		offers_options main --
		[ -z "$1" ] || offers "${@:2}" -- -a "--event=cycles,$1"
		offers tma_l3_bound,tma_l2_bound tma_l3_bound,tma_l2_bound_group -- -M tma_l3_bound,tma_l2_b
		offers cpu_atom cpu_core -- --cputype=cpu
		offers file.csv -- -a -- ls 'fi'
		offers file.csv -- report -i 'fi'
	BASH
}

@test "bash: a machine without a PMU, and a tdstat that is not there" {
	mkdir -p none/devices/system/cpu
	echo 0 >none/devices/system/cpu/online
	export SYSFS_PATH=$PWD/none PROCFS_PATH=/proc
	said=
	in_bash <<-'BASH'
		offers task-clock -- -e task-c
		offers_nothing -M tma_
		rm bin/tdstat
		PATH=/usr/bin:/bin
		offers_nothing --per-c
	BASH
}

# --- fish -----------------------------------------------------------------------

needs_fish() {
	command -v fish >/dev/null || skip "no fish"
}

# in_fish LINE...: the completions of the last word of each, as in read_answers
in_fish() {
	HOME=$PWD within fish --no-config -c 'source $argv[1]
		for line in $argv[2..]
			complete -C "tdstat $line"
			echo ==
		end' "$completion/tdstat.fish" "$@" >answers 2>&1
	read_answers $#
}

@test "fish: exactly the options of --help, with values and descriptions" {
	needs_fish
	# each value in --help that is not an option is accepted
	offers_help fish values
	in_fish '-a -C 0 -I1000 record --hybrid-m'
	assert_equal "${replies[0]}" "--hybrid-merge	one row for all core types; metrics are weighted by slots"$'\n'
	# fish also matches words that contain the letters in this order
	offers_each fish <<-'LINES'
		--per-c|--per-cache --per-cluster --per-core
		--xyz|
	LINES
}

@test "fish: events and metrics of the machine, also in lists and groups" {
	needs_fish
	a_tracepoint
	group=${tracepoint%%:*}
	offers_each fish <<-LINES
		-e $tracepoint|${alike[*]/#/$group:}
		-a --event=cycles,$tracepoint|${alike[*]/#/--event=cycles,$group:}
		-e cycles,L1-dcache-load|cycles,L1-dcache-loads cycles,L1-dcache-load-misses
		-e '{cycles,LLC-load|{cycles,LLC-loads {cycles,LLC-load-misses
		-e DTLB_LOAD_MISSES.WALK_C|dtlb_load_misses.walk_completed dtlb_load_misses.walk_completed_4k dtlb_load_misses.walk_completed_2m_4m dtlb_load_misses.walk_completed_1g
		--metrics tma_l3_bound,tma_l1_b|tma_l3_bound,tma_l1_bound tma_l3_bound,tma_l1_bound_group
		--cputype at|atom
		--cputype=cpu|--cputype=cpu_atom --cputype=cpu_core
	LINES
}

@test "fish: values of other options" {
	needs_fish
	: >file.csv
	mkdir files
	offers_each fish <<-'LINES'
		-l |1 2 3 4 5 6 auto
		-a --per-cache=|--per-cache=L1 --per-cache=L2 --per-cache=L3 --per-cache=L4
		-o fi|file.csv files/
		--output=fi|--output=file.csv --output=files/
		--metrics-dir fi|files/
		--control fi|fifo:
		--control fifo:ctl,fi|fifo:ctl,file.csv fifo:ctl,files/
		-I 1|
	LINES
	in_fish '-p 1,' '-t ' '-C '
	[[ $'\n'${replies[0]} == *$'\n'"1,$PPID"$'\t'* ]]
	[[ $'\n'${replies[1]} == *$'\n'$$$'\n'* ]]
	read -r online </sys/devices/system/cpu/online
	[[ $'\n'${replies[2]} == *$'\n'"${online%%[-,]*}"$'\n'* ]]
}

@test "fish: subcommands and commands, and the words after them" {
	needs_fish
	: >file.csv
	# a command with completion of its own
	printf '#!/bin/sh\n' >bin/other
	chmod +x bin/other
	offers_each fish <<-'LINES'
		other --per-c|
		-- other --per-c|
		locate tma_l3_bound tdstat report --per-reg|--per-region
		-a -- other fi|file.csv
		report -i fi|file.csv
		report file.csv --per-c|--per-cache --per-cluster --per-core
		list metric|metricgroups metrics
		explain tma_l3|tma_l3_bound tma_l3_hit_latency
		help rec|record
		locate -v tma_l3|tma_l3_bound tma_l3_hit_latency
		locate tma_l3_bound --c|--call-graph= --callers --count= --cpu= --cputype=
		-- list metric|
	LINES
	in_fish '-a -I 100 ' '-I1000 tds' 'locate tma_l3_bound tds' 'locate -e cycles tds' 'profile tds' '-a -I 100 rec'
	for name in "${names[@]}"; do
		[[ $'\n'${replies[0]} =~ $'\n'$name$'\t'[^$'\n'] ]] || fail "fish: $name"
	done
	for i in 1 2 3 4; do
		[[ $'\n'${replies[i]} == *$'\n'tdstat* ]] || fail "$i: ${replies[i]}"
	done
	[[ $'\n'${replies[5]} == *$'\n'record$'\t'* ]]
}

@test "fish: a machine without a PMU, and a tdstat that is not there" {
	needs_fish
	mkdir -p none/devices/system/cpu
	echo 0 >none/devices/system/cpu/online
	SYSFS_PATH=$PWD/none PROCFS_PATH=/proc offers_each fish <<-'LINES'
		-e task-c|task-clock
		-M tma_|
	LINES
	rm bin/tdstat
	PATH=/usr/bin:/bin offers_each fish <<<'--per-c|'
}

# --- zsh ------------------------------------------------------------------------

needs_zsh() {
	command -v zsh >/dev/null || skip "no zsh"
}

# in_zsh LINE...: the completions of the last word of each, as in read_answers; "=" follows
# a word that takes a value.  The shell has its own terminal.
in_zsh() {
	zsh -fc 'zmodload zsh/zpty' 2>/dev/null || skip "no zsh/zpty"
	printf '%s\n' "$@" >lines
	: >answers
	cat >setup.zsh <<-'SCRIPT'
		fpath=($COMPLETION $fpath)
		autoload -Uz compinit
		compinit -D -u
		LISTMAX=9999
		setopt noautomenu
		compadd() {
			local -a found

			if [[ ${@[1,(i)(-|--)]} != *-[OAD]\ * ]]; then
				builtin compadd -O found "$@"
				[[ " $*" != *\ -[a-zA-Z]#S(\ |)=* ]] || found=(${^found}=)
				(( ! $#found )) || print -rl -- $found >>answers
			fi
			builtin compadd "$@"
		}
		ask() {
			local line

			while IFS= read -r line; do
				BUFFER="tdstat $line" CURSOR=9999
				zle complete-word
				print '==' >>answers
			done <lines
			BUFFER=exit
			zle accept-line
		}
		zle -N ask
		bindkey '^T' ask
		echo ready
	SCRIPT
	cat >ask.zsh <<-'SCRIPT'
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell ". ./setup.zsh"
		zpty -r shell text $'*ready\r\n*'
		zpty -w -n shell $'\C-t'
		while zpty -r shell text; do
			print -rn -- $text
		done
	SCRIPT
	COMPLETION=$completion TERM=dumb within zsh -f ask.zsh >screen
	# nor is anything said
	[[ $(<screen) != *_tdstat* ]]
	read_answers $#
}

@test "zsh: exactly the options of --help, with their values" {
	needs_zsh
	zsh -n "$completion/_tdstat"
	offers_help zsh may
	offers_each zsh <<-'LINES'
		-a -C 0 -I1000 record --hybrid-m|--hybrid-merge
		--per-c|--per-cache= --per-cluster --per-core
		--xyz|
		-a --all-c|
		-e cycles --even|--event=
	LINES
}

@test "zsh: values, subcommands and commands, and the words after them" {
	needs_zsh
	: >file.csv
	mkdir files
	offers_each zsh <<-'LINES'
		-e cycles,L1-dcache-load|L1-dcache-loads L1-dcache-load-misses
		--metrics tma_l3_bound,tma_l1_b|tma_l1_bound tma_l1_bound_group
		--cputype at|atom
		--cputype=cpu|cpu_atom cpu_core
		-l |1 2 3 4 5 6 auto
		-a --per-cache=|L1 L2 L3 L4
		locate --call-graph=|dwarf fp lbr
		-o fi|file.csv files
		--metrics-dir fi|files
		--control fi|fifo:
		--control fifo:ctl,fi|file.csv files
		-I 1|
		report file.csv fi|file.csv files
		list metric|metricgroups metrics
		explain tma_l3|tma_l3_bound tma_l3_hit_latency
		help rec|record
		locate -p 1 tma_l3|tma_l3_bound tma_l3_hit_latency
		-- list metric|
		-- tdstat report --per-reg|--per-region
		record tdstat report --per-reg|--per-region
		locate -a -- tdstat report --per-reg|--per-region
	LINES
	in_zsh '-a -I 100 ' '-t ' '-C '
	for name in "${names[@]}"; do
		[[ $'\n'${replies[0]} == *$'\n'$name$'\n'* ]] || fail "zsh: $name"
	done
	[[ $'\n'${replies[1]} == *$'\n'$$$'\n'* ]]
	read -r online </sys/devices/system/cpu/online
	[[ $'\n'${replies[2]} == *$'\n'"${online%%[-,]*}"$'\n'* ]]
}

@test "zsh: the words after top and calls" {
	needs_zsh
	needs_wing top calls
	: >file.csv
	offers_each zsh <<-'LINES'
		top fi|file.csv
		top file.csv fi|
		calls main -- tdstat report --per-reg|--per-region
	LINES
}

@test "zsh: a machine without a PMU, and a tdstat that is not there" {
	needs_zsh
	mkdir -p none/devices/system/cpu
	echo 0 >none/devices/system/cpu/online
	SYSFS_PATH=$PWD/none PROCFS_PATH=/proc offers_each zsh <<-'LINES'
		-e task-c|task-clock
		-M tma_|
	LINES
	rm bin/tdstat
	PATH=/usr/bin:/bin offers_each zsh <<<'--per-c|'
}

@test "zsh: a line is completed" {
	needs_zsh
	zsh -fc 'zmodload zsh/zpty' 2>/dev/null || skip "no zsh/zpty"
	# a shell with its own terminal; for each line of the file, "LINE|RESULT": type the
	# line and a tab, and compare the result
	cat >ask.zsh <<-'SCRIPT'
		zmodload zsh/zpty
		zpty shell zsh -f -i
		zpty -w shell "PS1='> '; fpath=(${(q)COMPLETION} \$fpath)
			autoload -Uz compinit; compinit -D -u; echo rea''dy0"
		zpty -r shell text $'*ready0\r\n*'
		nr=0
		while IFS= read -r line; do
			nr=$((nr + 1))
			zpty -w -n shell "${line%%|*}"$'\t'
			zpty -r shell text "*${line#*|}*"
			print -r -- $line
			# on an empty line, and no earlier
			zpty -w shell $'\C-u'" echo rea''dy$nr"
			zpty -r shell text $'*ready'$nr$'\r\n*'
		done <lines
		zpty -d shell
	SCRIPT
	: >a_file
	cat >lines <<-'LINES'
		tdstat --per-clu|ster
		tdstat --per-c|-- a row for each cluster
		tdstat -a -e cycles,DTLB_LOAD_MISSES.WALK_COMPLETED_4|cycles,dtlb_load_misses.walk_completed_4k
		tdstat locate -v tma_l3_hit_l|atency
		tdstat locate tma_l3_bound --call|ers
		tdstat locate tma_l3_bound tdstat report --per-reg|ion
		tdstat report --to|tal
		tdstat -a -- ls a_f|ile
		tdstat locate -- ls a_f|ile
		tdstat locate tma_l3_bound -- ls a_f|ile
		tdstat locate -e cycles -- ls a_f|ile
		tdstat profile -- ls a_f|ile
	LINES
	COMPLETION=$completion TERM=dumb try within zsh -f ask.zsh
	assert_equal "$output" "$(<lines)"
}

# --- names of others --------------------------------------------------------------

# names_of_others: cgroups, files and an event with names that a shell would act on; a
# tdstat and awk on PATH that say what they are run with, and where the cgroups are
names_of_others() {
	local name

	copied alderlake
	mkdir -p cgroups cgroups/user@1000.service "cgroups/y"$'\e]0;t\ay' cgroups/yes
	for name in 'x$(touch PWNED)' 'b\`touch PWNED`$USER' "it's;!touch PWNED"; do
		mkdir "cgroups/$name"
		: >"$name"
	done
	: >$'y\e]0;t\ay'
	: >yes
	echo event=0 >"$devices/cpu_core/events/odd\$(touch PWNED)"
	rm bin/tdstat
	cat >bin/tdstat <<-'SCRIPT'
		#!/bin/sh
		case $* in
		*--help=all* | 'list -j'*) exec "$TDSTAT" "$@" ;;
		esac
		printf '<%s>' "$@" >>args
		echo >>args
	SCRIPT
	cat >bin/awk <<-'SCRIPT'
		#!/bin/sh
		for last; do :; done
		[ "$last" = /proc/self/mounts ] || exec "$AWK" "$@"
		echo "$PWD/cgroups"
	SCRIPT
	chmod +x bin/tdstat bin/awk
	AWK=$(PATH=${PATH#*:} command -v awk)
	export AWK
}

# presses SHELL [ARG]...: of each line "WORDS|SHOWN|WANTED" of standard input, what tdstat
# is run with
presses() {
	local line

	mapfile -t lines
	HOME=$PWD python3 -S "$here/press.py" "$@" < <(printf '%s\n' "${lines[@]%|*}")
	printf '%s\n' "${lines[@]##*|}" >wanted
	diff wanted args
	[ ! -e PWNED ]
}

@test "bash: Tab quotes untrusted names" {
	names_of_others
	printf '. "%s"\nPS1="READY> "\n' "$completion/tdstat.bash" >setup
	INPUTRC=/dev/null presses bash --noprofile --rcfile setup -i <<-'LINES'
		tdstat -G x|x\$\(touch\ PWNED\)|<-G><x$(touch PWNED)>
		tdstat -G 'x|'x$(touch PWNED)'|<-G><x$(touch PWNED)>
		tdstat -G "x|"x\$(touch PWNED)"|<-G><x$(touch PWNED)>
		tdstat --cgroup=x|x\$\(touch\ PWNED\)|<--cgroup=x$(touch PWNED)>
		tdstat --for-each-cgroup="x|"x\$(touch PWNED)"|<--for-each-cgroup=x$(touch PWNED)>
		tdstat -G a,x\$\(t|,x\$\(touch\ PWNED\)|<-G><a,x$(touch PWNED)>
		tdstat -G x\|x\$\(touch\ PWNED\)|<-G><x$(touch PWNED)>
		tdstat -G "b|"b\\\`touch PWNED\`\$USER"|<-G><b\`touch PWNED`$USER>
		tdstat -G b|b\\\`touch\ PWNED\`\$USER|<-G><b\`touch PWNED`$USER>
		tdstat -G i|it\'s\;\!touch\ PWNED|<-G><it's;!touch PWNED>
		tdstat -G 'ab' -G a,'x|'x$(touch PWNED)'|<-G><ab><-G><a,x$(touch PWNED)>
		tdstat -G user@1|user@1000.service|<-G><user@1000.service>
		tdstat -G y|yes|<-G><yes>
		tdstat --control fifo:x|fifo:x\$\(touch\ PWNED\)|<--control><fifo:x$(touch PWNED)>
		tdstat --control "fifo:c,x|c,x\$(touch PWNED)"|<--control><fifo:c,x$(touch PWNED)>
		tdstat -o x|x\$\(touch\ PWNED\)|<-o><x$(touch PWNED)>
		tdstat --output="x|"x\$(touch PWNED)"|<--output=x$(touch PWNED)>
		tdstat report i|it\'s\;\!touch\ PWNED|<report><it's;!touch PWNED>
		tdstat -- cat x|x\$\(touch\ PWNED\)|<--><cat><x$(touch PWNED)>
		tdstat -o y|yes|<-o><yes>
		tdstat list cpu_core/o|odd\$\(touch\ PWNED\)/|<list><cpu_core/odd$(touch PWNED)/>
	LINES
}

@test "zsh: the same" {
	needs_zsh
	names_of_others
	cat >.zshrc <<-'RC'
		PS1='READY> '
		fpath=($COMPLETION $fpath)
		autoload -Uz compinit
		compinit -D -u
	RC
	COMPLETION=$completion ZDOTDIR=$PWD presses zsh -d -i <<-'LINES'
		tdstat -G x|x\$\(touch\ PWNED\)/|<-G><x$(touch PWNED)>
		tdstat --for-each-cgroup=x|x\$\(touch\ PWNED\)/|<--for-each-cgroup=x$(touch PWNED)>
		tdstat --control fifo:x|fifo:x\$\(touch\ PWNED\)|<--control><fifo:x$(touch PWNED)>
		tdstat -o x|x\$\(touch\ PWNED\)|<-o><x$(touch PWNED)>
		tdstat list cpu_core/o|odd\$\(touch\ PWNED\)/|<list><cpu_core/odd$(touch PWNED)/>
	LINES
}

@test "fish: the same" {
	needs_fish
	names_of_others
	cat >setup <<-RC
		function fish_prompt; echo -n 'READY> '; end
		source "$completion/tdstat.fish"
	RC
	presses fish --no-config --init-command 'source setup' -i <<-'LINES'
		tdstat -G x|x\$\(touch\ PWNED\)|<-G><x$(touch PWNED)>
		tdstat --for-each-cgroup=x|x\$\(touch\ PWNED\)|<--for-each-cgroup=x$(touch PWNED)>
		tdstat --control fifo:x|fifo:x\$\(touch\ PWNED\)|<--control><fifo:x$(touch PWNED)>
		tdstat -o x|x\$\(touch\ PWNED\)|<-o><x$(touch PWNED)>
		tdstat list cpu_core/o|odd\$\(touch\ PWNED\)/|<list><cpu_core/odd$(touch PWNED)/>
	LINES
}
