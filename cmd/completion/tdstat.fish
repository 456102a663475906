# SPDX-License-Identifier: GPL-2.0-only
# Completion of tdstat for fish.
# What subcommands and options there are, which take a value and what they do, says
# --help; all names come from "tdstat list" and the kernel.

# __tdstat_help TDSTAT [SUBCOMMAND]
function __tdstat_help
    $argv[1] (string match -v '' -- $argv[2]) --help=all 2>/dev/null
end

# Of the help on standard input, a line for each name of an option, with what it does
# behind a tab: "-C=" and "--cpu=" take a value, "-a" and "--all-cpus" do not, and
# "--per-cache[=" may.
function __tdstat_options
    awk '
        function flush(  i) {
            for (i = 1; i <= nr; i++)
                print name[i] (suffix == "[=" && length(name[i]) == 2 ? "" : suffix) "\t" text
            nr = 0
            text = suffix = ""
        }
        match($0, /[^ ]/) && RSTART <= 7 {
            flush()
            rest = substr($0, RSTART)
            while (rest ~ /^-/) {
                word = rest
                sub(/ .*/, "", word)
                rest = substr(rest, length(word) + 1)
                sub(/^ */, "", rest)
                more = sub(/,$/, "", word)
                if (match(word, /\[?=/)) {
                    suffix = substr(word, RSTART, RLENGTH)
                    word = substr(word, 1, RSTART - 1)
                }
                name[++nr] = word
                if (!more) break
            }
            text = rest
            next
        }
        nr && /[^ ]/ {
            sub(/^ */, "")
            text = text (text == "" ? "" : " ") $0
        }
        END { flush() }'
end

# Of the help on standard input: the subcommands, and what they do.
function __tdstat_subcommands
    sed -n '/^Subcommands/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

# Does the help on standard input say that a command may follow?
function __tdstat_runs
    sed '/^$/q' | string match -q '*COMMAND [ARG*'
end

# Without what stands behind the tabs.
function __tdstat_names_alone
    sed 's/\t.*//'
end

# __tdstat_value_of WORD NAME...: which option the next word is the value of, if any.
function __tdstat_value_of
    set -l word $argv[1]
    set -l names $argv[2..]
    set -l letters (string split '' -- (string sub -s 2 -- $word))

    if string match -q -- '--*' $word
        contains -- "$word=" $names; and echo -- $word
        return
    end
    for i in (seq (count $letters))
        if contains -- "-$letters[$i]=" $names
            test $i -eq (count $letters); and echo -- "-$letters[$i]"
            return
        end
    end
end

# __tdstat_read WORD...: of the words before the cursor four lines, which are empty
# where there is none: the subcommand, the option whose value comes next, the node,
# and the place of the command's name.
function __tdstat_read
    set -l help (__tdstat_help $argv[1])
    set -l names (printf '%s\n' $help | __tdstat_options | __tdstat_names_alone)
    set -l subcommands (printf '%s\n' $help | __tdstat_subcommands | __tdstat_names_alone)
    set -l subcommand
    set -l option
    set -l node
    set -l command

    for i in (seq 2 (count $argv))
        set -l word $argv[$i]
        if test -n "$option"
            set option
        else if test "$word" = --
            set command (math $i + 1)
            break
        else if string match -q -- '-?*' $word
            set option (__tdstat_value_of $word $names)
            # events are sampled in place of a node
            if test "$subcommand" = locate; and string match -qr -- '^(-e|--event)' $word
                set node none
            end
        else if test -z "$subcommand"; and contains -- $word $subcommands
            set subcommand $word
            set help (__tdstat_help $argv[1] $subcommand)
            set names (printf '%s\n' $help | __tdstat_options | __tdstat_names_alone)
        else if contains -- "$subcommand" locate calls; and test -z "$node"
            set node $word
        else if printf '%s\n' $help | __tdstat_runs
            set command $i
            break
        end
    end
    printf '%s\n' "$subcommand" "$option" "$node" "$command"
end

# __tdstat_list TDSTAT SECTION...: what "tdstat list" has in these sections.
function __tdstat_list
    $argv[1] list -j $argv[2..] 2>/dev/null |
        sed -n 's/^{"kind":"[a-z]*","name":"\([^"\\]*\)".*/\1/p' | sort -u
end

function __tdstat_pmus
    $argv[1] list -j pmu 2>/dev/null | sed -n 's/.*"pmu":"\(cpu[^"\\]*\)".*/\1/p' | sort -u
end

function __tdstat_nodes
    $argv[1] explain 2>/dev/null | sed -n 's/^ *\(tma_[a-z0-9_]*\)$/\1/p' | sort -u
    __tdstat_list $argv[1] metrics
end

# The folders of the installed files.
function __tdstat_models
    set -l folder (dirname (readlink -f (command -v $argv[1])))

    find $folder/pmu-events/ $folder/../share/tdstat/pmu-events/ -mindepth 1 -maxdepth 1 \
        -type d ! -name common -printf '%f\n' 2>/dev/null
end

function __tdstat_cgroups
    set -l root (awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; found = 1; exit }
        $3 == "cgroup2" { second = $2 }
        END { if (!found && second) print second }' /proc/self/mounts)

    test -n "$root"; and find $root -mindepth 1 -maxdepth 4 -type d -printf '%P\n' 2>/dev/null
end

# What fish has for a word of a command that nothing is known of.
function __tdstat_files
    complete -C "__tdstat_none $argv[1]"
end

# What fish has for a command and its arguments.
function __tdstat_command
    complete -C (string join ' ' -- (string escape -- $argv[1..-2]) "$argv[-1]")
end

# __tdstat_value TDSTAT OPTION VALUE: what the value may be; of a list, what its last
# entry may be.
function __tdstat_value
    set -l before (string replace -r '[^,]*$' '' -- $argv[3])

    switch $argv[2]
        case -e --event
            set before (string replace -r '[^,{]*$' '' -- $argv[3])
            printf '%s\n' $before(__tdstat_list $argv[1] hw cache pmu sw tool tracepoint)
        case -M --metrics
            printf '%s\n' $before(__tdstat_list $argv[1] metrics metricgroups)
        case --cputype
            printf '%s\n' core atom lowpower (__tdstat_pmus $argv[1])
        case -p --pid
            printf '%s\n' $before(__fish_complete_pids)
        case -t --tid
            printf '%s\n' $before(string replace -rf '^/proc/\d+/task/' '' /proc/*/task/*)
        case -C --cpu
            printf '%s\n' $before(string replace -rf '.*/cpu(\d+)$' '$1' /sys/devices/system/cpu/cpu*)
        case -G --cgroup --for-each-cgroup
            printf '%s\n' $before(__tdstat_cgroups)
        case -l --level
            printf '%s\n' auto 1 2 3 4 5 6
        case --td-level
            printf '%s\n' 1 2 3 4 5 6
        case --per-cache
            printf '%s\n' L1 L2 L3 L4
        case --time-format
            printf '%s\n' seconds wall epoch
        case --model
            __tdstat_models $argv[1]
        case --metrics-dir
            __tdstat_files $argv[3] | string match -r '.*/$'
        case -i --input -o --output --perfetto --record --samples --html --svg --folded --pprof --flame --junit
            __tdstat_files $argv[3]
        case --pre --post
            __tdstat_command $argv[3]
        case --control
            if string match -q 'fifo:*' -- $argv[3]
                set before (string replace -r '[^:,]*$' '' -- $argv[3])
                printf '%s\n' $before(__tdstat_files (string replace -r '.*[:,]' '' -- $argv[3]))
            else
                printf '%s\n' fd: fifo:
            end
    end
end

# __tdstat_word TDSTAT SUBCOMMAND NODE WORD: what stands there that is neither an
# option nor its value.
function __tdstat_word
    switch "$argv[2]"
        case list
            printf '%s\n' hw cache pmu sysfs model sw tool tracepoint metrics metricgroups
            __tdstat_list $argv[1]
        case explain
            __tdstat_nodes $argv[1]
        case report diff
            __tdstat_files $argv[4]
        case help
            __tdstat_help $argv[1] | __tdstat_subcommands
        case ''
            __tdstat_help $argv[1] | __tdstat_subcommands
            __tdstat_command $argv[4]
        case locate
            if test -z "$argv[3]"
                echo auto
                __tdstat_nodes $argv[1]
            else
                __tdstat_command $argv[4]
            end
        case calls
            test -n "$argv[3]"
            and __tdstat_command $argv[4]
        case '*'
            __tdstat_help $argv[1..2] | __tdstat_runs
            and __tdstat_command $argv[4]
    end
end

# All that may stand at the cursor.
function __tdstat_complete
    set -l words (commandline -opc)
    set -l cur (commandline -ct)

    command -q $words[1]; or return
    set -l state (__tdstat_read $words)
    if test -n "$state[4]"
        __tdstat_command $words[$state[4]..] "$cur"
        return
    end
    set cur (string replace -r '^[\'"]' '' -- "$cur")
    if test -n "$state[2]"
        __tdstat_value $words[1] $state[2] "$cur"
    else if string match -q -- '--*=*' $cur
        set -l option (string split -m 1 = -- $cur)
        printf '%s\n' $option[1]=(__tdstat_value $words[1] $option[1] "$option[2]")
    else if string match -q -- '-*' $cur
        __tdstat_help $words[1] $state[1] | __tdstat_options |
            string replace -r '^(--[a-z-]+)\[=\t|^(-.)=\t' '$1$2\t'
    else
        __tdstat_word $words[1] "$state[1]" "$state[3]" "$cur"
    end
end

complete -c tdstat -f -a '(__tdstat_complete)'
