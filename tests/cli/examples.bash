# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034 # who loads it reads what is set
# The examples of the manual: commands after "$ " in a literal display, and their output
# below them.

man=$BATS_TEST_DIRNAME/../../man

# pages: the name of each page
pages() {
	local page

	for page in "$man"/*.[1357]; do
		echo "${page##*/}"
	done
}

# displays PAGE [SECTION]: print its literal displays, each after a line "== N", except
# those after a comment "needs_wing NAME" of a wing that is not in the build
displays() {
	sed 's/\\-/-/g; s/\\&//g; s/\\(aq/'\''/g; s/\\(ha/^/g; s/\\(ti/~/g; s/\\e/\\/g' "$man/$1" |
		awk -v section="${2-}" -v all="${TD_WINGS-all}" -v built=" ${TD_WINGS-} " '
			/^\.S[hs] / { inside = section == "" || substr($0, 5) == section }
			!inside { next }
			/^\.\\" needs_wing / { lacks = all != "all" && !index(built, " " $3 " ") }
			/^\.Ed/ { display = 0 }
			display { print }
			/^\.Bd -literal/ && !lacks { display = 1; print "== " ++nr }
			/^\.Bd/ { lacks = 0 }'
}

# Does the shell wait for another line? Lines without quotes, brackets and words of loops or
# conditions are complete; the shell decides about the others.
is_open() {
	[[ $1 != *\\ ]] || return 0
	[[ $1 =~ [\'\"\`\(\{\<\|\&]|(^|[\;\ ])(if|for|while|until|case|select)\  ]] || return 1
	! bash -n <<<"$1" 2>/dev/null
}

# examples PAGE [SECTION]: of each, the command, a NUL, what it prints, and a NUL
examples() {
	local line command='' shown='' complete=''

	while IFS= read -r line; do
		case $line in
		'$ '* | '== '*)
			[ -z "$command" ] || printf '%s\0%s\0' "$command" "$shown"
			command='' shown='' complete=''
			[[ $line == '== '* ]] || command=${line#??}
			;;
		*)
			if [ -z "$command" ]; then
				continue
			elif [ -z "$complete" ] && is_open "$command"; then
				command+=$'\n'$line
			else
				complete=yes
				shown+=$line$'\n'
			fi
			;;
		esac
	done < <(displays "$@" && echo '== end')
}

# same_output SHOWN FILE: compare them. "..." represents omitted text.  Runs of blanks are
# equal to one, and lines of JSON may be broken to fit the page.
same_output() {
	SHOWN=$1 python3 - "$2" <<-'PYTHON'
		import os, re, sys
		shown, printed = os.environ["SHOWN"], open(sys.argv[1]).read()
		blanks = r"\s+" if "\n{" in "\n" + shown else r"[ \t]+"
		def plain(text):
		    text = re.sub(blanks, "" if "s" in blanks else " ", text)
		    return "\n".join(line.strip() for line in text.strip().split("\n"))
		parts = [re.escape(plain(part)) for part in shown.split("...")]
		if not re.fullmatch(r"[\s\S]*".join(parts), plain(printed)):
		    sys.exit("the page shows:\n%s\nand not:\n%s" % (shown, printed))
	PYTHON
}

# readme_commands: print each line of README.md that calls tdstat, without its comment
readme_commands() {
	sed -nE 's/^    (\$ )?(tdstat [^#>]*[^#> ]) *([#>].*)?$/\2/p' "$man/../README.md"
}

# tutorial_programs: slow.c of tdstat-tutorial(7), and fast.c, which is slow.c with
# the page's changes
tutorial_programs() {
	DISPLAYS=$(displays tdstat-tutorial.7) python3 - <<-'PYTHON'
		import os, re, sys
		program, *others = re.split(r"^== \d+\n", os.environ["DISPLAYS"] + "\n", flags=re.M)[1:]
		open("slow.c", "w").write(program)
		changes = 0
		for display in others:
		    old, new = ("".join(re.findall(rf"^{sign}(  .*\n)", display, re.M)) for sign in ("-", r"\+"))
		    if not old:
		        continue
		    if program.count(old) != 1:
		        sys.exit("not once in the program:\n" + old)
		    program = program.replace(old, new)
		    changes += 1
		if changes != 2:
		    sys.exit("%d changes" % changes)
		open("fast.c", "w").write(program)
	PYTHON
}

# A program with a function parse().
parser() {
	"${CC:-cc}" -O1 -x c -o "$1" - <<-'C'
		__attribute__((noinline)) static int parse(volatile int n) { return n; }
		int main(void) { int sum = 0; for (int i = 0; i < 100; i++) sum += parse(i); return sum != 4950; }
	C
}
