# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completion of tdstat for bash, with the package bash-completion or without.
# What subcommands and options there are, and which take a value, says --help;
# all names come from "tdstat list" and the kernel.

# The words of the line, split at blanks alone: readline also splits at = and :.
# Sets words and cword, and offset_of, where each of them is in COMP_WORDS.
_tdstat_words() {
	local line=$COMP_LINE word i

	words=() offset_of=() cword=0
	for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
		word=${COMP_WORDS[i]}
		if [ "$i" -gt 0 ] && [[ $line != [[:blank:]]* ]]; then
			words[${#words[@]} - 1]+=$word
		else
			words+=("$word")
			offset_of+=("$i")
		fi
		line=${line#"${line%%[![:blank:]]*}"}
		line=${line#"$word"}
		if [ "$i" -eq "$COMP_CWORD" ]; then cword=$((${#words[@]} - 1)); fi
	done
}

# Sets help to that of the subcommand, and options to a line for each name of an
# option: "-C=" and "--cpu=" take a value, "-a" and "--all-cpus" do not, and
# "--per-cache[=" may.
_tdstat_read_help() {
	# shellcheck disable=SC2086 # of none, there is no word
	help=$("${words[0]}" $subcommand --help=all 2>/dev/null)
	options=$(sed -n '
		s/^ \{2,6\}\(-[^-]\), \(--[a-z-]*\)\(\[\{0,1\}=\{0,1\}\).*/\1\3 \2\3/p
		s/^ \{2,6\}\(--[a-z-]*\)\(\[\{0,1\}=\{0,1\}\).*/\1\2/p
		s/^ \{2,6\}\(-[^-,]\) .*/\1/p' <<<"$help" | tr ' ' '\n')
}

# Does the option take a value that may be a word of its own?
_tdstat_takes_value() {
	[[ $'\n'$options$'\n' == *$'\n'"$1="$'\n'* ]]
}

# Which option the next word is the value of, if any: sets option.
_tdstat_read_option() {
	local letters=${1#-}

	option=
	case $1 in
	--*) _tdstat_takes_value "$1" && option=$1 ;;
	*)
		while [ -n "$letters" ]; do
			if _tdstat_takes_value "-${letters:0:1}"; then
				[ ${#letters} -gt 1 ] || option=-$letters
				return
			fi
			letters=${letters:1}
		done
		;;
	esac
	return 0
}

# Reads the words before the cursor: sets subcommand, option, node, which may be the
# function of calls, and command, the place of the command's name.
_tdstat_read_words() {
	local i word

	subcommand='' option='' node='' command=
	for ((i = 1; i < cword; i++)); do
		word=${words[i]}
		if [ -n "$option" ]; then
			option=
		elif [ "$word" = -- ]; then
			command=$((i + 1))
			return
		elif [[ $word == -?* ]]; then
			_tdstat_read_option "$word"
			# events are sampled in place of a node
			[[ $subcommand != locate || $word != @(-e*|--event*) ]] || node=none
		elif [ -z "$subcommand" ] && [[ $'\n'$subcommands$'\n' == *$'\n'"$word"$'\n'* ]]; then
			subcommand=$word
			_tdstat_read_help
		elif [[ $subcommand == @(locate|calls) ]] && [ -z "$node" ]; then
			node=$word
		elif [[ ${help%%$'\n\n'*} == *COMMAND\ \[ARG* ]]; then
			command=$i
			return
		fi
	done
}

# Reads a word as the shell does.  Sets
#   raw     the word as it is typed
#   cur     its text without quotes
#   open    the quote that is not closed yet
#   typed   the part that readline will replace: what follows the open quote or the last
#           of COMP_WORDBREAKS
#   before  the text of cur in front of that part
_tdstat_read_word() {
	local i from=0 of_quote=0 of_before=''

	raw=$1 cur='' open='' before='' expands=
	for ((i = 0; i < ${#raw}; i++)); do
		case $open-${raw:i:2} in
		"'-'"* | '"-"'*)
			open='' from=$of_quote before=$of_before
			continue
			;;
		"-'"* | '-"'*)
			of_quote=$from of_before=$before
			open=${raw:i:1} from=$((i + 1)) before=$cur
			continue
			;;
		-\\* | \"-\\[\"\\\$\`] | \"-\\)
			i=$((i + 1))
			cur+=${raw:i:1}
			continue
			;;
		['"']-[\$\`]* | -[\$\`]*) expands=yes ;;
		esac
		if [[ -n $open || $COMP_WORDBREAKS != *"${raw:i:1}"* ]]; then
			cur+=${raw:i:1}
		elif [ "${raw:i:1}" = @ ]; then
			# readline replaces it with what is behind it
			from=$i before=$cur cur+=@
		else
			cur+=${raw:i:1}
			from=$((i + 1)) before=$cur
		fi
	done
	typed=${raw:from}
	# a backslash at the end has no letter yet
	[ "$i" -eq ${#raw} ] || typed=${typed%?}
	[ -z "$open" ] || raw=${raw:0:from-1}${raw:from}
}

# Offers a name that goes on from cur.  readline puts it into the line as it is, and who
# gave the name may be somebody else, so the shell must not act on any letter of it.
_tdstat_reply() {
	local rest=${1#"$cur"}

	[[ -z $expands && $1 == "$cur"* && $1 != *[[:cntrl:]]* ]] || return 0
	case $open-$rest in
	"'-"*\'* | '"-'*[\"!]*) return ;; # cannot stand within the quotes
	"'-"*) ;;
	'"-'*)
		rest=${rest//\\/\\\\}
		rest=${rest//\$/\\\$}
		rest=${rest//\`/\\\`}
		;;
	*[![:alnum:]_./:=,@%+-]*) printf -v rest %q "$rest" ;;
	esac
	COMPREPLY+=("$typed$rest")
}

# Of the lines on standard input, those that go on from cur.
_tdstat_offer() {
	local line

	while IFS= read -r line; do
		_tdstat_reply "$line"
	done
}

# The same of a list with commas, whose last entry is to be completed.
_tdstat_offer_list() {
	local first=${cur%"${cur##*["$1"]}"} line

	while IFS= read -r line; do
		_tdstat_reply "$first$line"
	done
}

# What "tdstat list" has in these sections.  A name with a backslash in JSON is odd.
_tdstat_names() {
	"${words[0]}" list -j "$@" 2>/dev/null |
		sed -n 's/^{"kind":"[a-z]*","name":"\([^"\\]*\)".*/\1/p' | sort -u
}

# Those of the processor are in small letters there, but may be typed in others.
_tdstat_events() {
	_tdstat_names hw cache pmu sw tool tracepoint
	if [[ ${cur##*[,\{]} == [A-Z]* ]]; then
		_tdstat_names pmu | tr '[:lower:]' '[:upper:]'
	fi
}

_tdstat_pmus() {
	"${words[0]}" list -j pmu 2>/dev/null | sed -n 's/.*"pmu":"\(cpu[^"\\]*\)".*/\1/p' | sort -u
}

_tdstat_cgroups() {
	local root

	root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; found = 1; exit }
		$3 == "cgroup2" { second = $2 }
		END { if (!found && second) print second }' /proc/self/mounts)
	[ -n "$root" ] && find "$root" -mindepth 1 -maxdepth 4 -type d ! -path $'*\n*' -printf '%P\n' 2>/dev/null
}

_tdstat_numbers() {
	local path

	for path in $1; do
		path=${path##*/}
		printf '%s\n' "${path#cpu}"
	done
}

# readline quotes these, and looks at the names that it replaces.
_tdstat_files() {
	local line

	compopt -o filenames 2>/dev/null
	while IFS= read -r line; do
		line=$option_of$line
		[[ $line == *[[:cntrl:]]* ]] || COMPREPLY+=("${line#"$before"}")
	done < <(compgen "$1" -- "${raw#"$option_of"}")
}

# The folders of the installed files.
_tdstat_models() {
	local folder

	folder=$(dirname "$(readlink -f "$(command -v "${words[0]}")")")
	find "$folder/pmu-events/" "$folder/../share/tdstat/pmu-events/" -mindepth 1 -maxdepth 1 -type d ! -name common -printf '%f\n' 2>/dev/null
}

# The value of an option.
_tdstat_value() {
	case $1 in
	-e | --event) _tdstat_offer_list ',{' < <(_tdstat_events) ;;
	-M | --metrics) _tdstat_offer_list , < <(_tdstat_names metrics metricgroups) ;;
	--cputype) _tdstat_offer < <(
		printf '%s\n' core atom lowpower
		_tdstat_pmus
	) ;;
	-p | --pid) _tdstat_offer_list , < <(_tdstat_numbers '/proc/[0-9]*') ;;
	-t | --tid) _tdstat_offer_list , < <(_tdstat_numbers '/proc/[0-9]*/task/[0-9]*') ;;
	-C | --cpu) _tdstat_offer_list , < <(_tdstat_numbers '/sys/devices/system/cpu/cpu[0-9]*') ;;
	-G | --cgroup | --for-each-cgroup) _tdstat_offer_list , < <(_tdstat_cgroups) ;;
	-l | --level) _tdstat_offer < <(printf '%s\n' auto 1 2 3 4 5 6) ;;
	--td-level) _tdstat_offer < <(printf '%s\n' 1 2 3 4 5 6) ;;
	--per-cache) _tdstat_offer < <(printf '%s\n' L1 L2 L3 L4) ;;
	--time-format) _tdstat_offer < <(printf '%s\n' seconds wall epoch) ;;
	--metrics-dir) _tdstat_files -d ;;
	--model) _tdstat_offer < <(_tdstat_models) ;;
	-i | --input | -o | --output | --perfetto | --record | --samples | --html | --svg | --folded | --pprof | --flame | --junit) _tdstat_files -f ;;
	--pre | --post) _tdstat_offer < <(compgen -c -- "$cur") ;;
	--control) _tdstat_control ;;
	esac
}

# fd:CTL[,ACK] or fifo:CTL[,ACK]
_tdstat_control() {
	local first path

	case $cur in
	fifo:*)
		first=${cur%"${cur##*[:,]}"}
		_tdstat_offer < <(
			shopt -u failglob
			for path in "${cur#"$first"}"*; do
				[[ ! -e $path || $path == *$'\n'* ]] || printf '%s\n' "$first$path"
			done
		)
		;;
	*)
		_tdstat_offer < <(printf '%s\n' fd: fifo:)
		compopt -o nospace 2>/dev/null
		;;
	esac
}

# "--cpu=" without a blank behind it
_tdstat_offer_options() {
	_tdstat_offer < <(printf '%s\n' "$options" | sed 's/\[=$//; s/^\(-[^-]\)=$/\1/')
	[[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
}

_tdstat_nodes() {
	"${words[0]}" explain 2>/dev/null | sed -n 's/^ *\(tma_[a-z0-9_]*\)$/\1/p' | sort -u
	_tdstat_names metrics
}

# A word that is neither an option nor its value.
_tdstat_word() {
	case $subcommand in
	list) _tdstat_offer < <(
		[[ " ${words[*]} " == *' --print '* ]] ||
			printf '%s\n' hw cache pmu sysfs model sw tool tracepoint metrics metricgroups
		_tdstat_names
	) ;;
	explain) _tdstat_offer < <(_tdstat_nodes) ;;
	report | diff | top) _tdstat_files -f ;;
	help) _tdstat_offer <<<"$subcommands" ;;
	'')
		_tdstat_offer <<<"$subcommands"
		_tdstat_offer < <(compgen -c -- "$cur" | sort -u)
		;;
	locate)
		if [ -z "$node" ]; then
			_tdstat_offer < <(
				echo auto
				_tdstat_nodes
			)
		else
			_tdstat_offer < <(compgen -c -- "$cur" | sort -u)
		fi
		;;
	calls) [ -z "$node" ] || _tdstat_offer < <(compgen -c -- "$cur" | sort -u) ;;
	record | regions | profile) _tdstat_offer < <(compgen -c -- "$cur" | sort -u) ;;
	esac
}

# The command's own completion, if there is somebody who knows of it.
_tdstat_command() {
	if declare -F _command_offset >/dev/null; then
		_command_offset "${offset_of[command]}"
	elif [ "$cword" -eq "$command" ]; then
		_tdstat_offer < <(compgen -c -- "$cur" | sort -u)
	else
		_tdstat_files -f
	fi
}

_tdstat() {
	# shellcheck disable=SC2034 # _init_completion sets them
	local cur prev words cword split
	local offset_of help options subcommands subcommand='' option node command
	local raw open typed before expands option_of=''

	COMPREPLY=()
	if declare -F _init_completion >/dev/null; then
		_init_completion -n =: || return
	fi
	_tdstat_words
	_tdstat_read_word "${words[cword]}"
	_tdstat_read_help
	subcommands=$(sed -n '/^Subcommands/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$help")
	_tdstat_read_words
	if [ -n "$command" ]; then
		_tdstat_command
		return
	fi
	if [ -n "$option" ]; then
		_tdstat_value "$option"
	elif [[ $cur == --*=* ]]; then
		option=${cur%%=*} cur=${cur#*=} option_of=$option=
		_tdstat_value "$option"
	elif [[ $cur == -* ]]; then
		_tdstat_offer_options
	else
		_tdstat_word
	fi
}

complete -F _tdstat tdstat
