#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# One word for each thing, as in lib/README.md and tdstat-glossary(7): words that are not
# used any more, and the words to write instead.  The pages, README.md, the output of
# --help=all and the strings of the program are searched.

# shellcheck disable=SC2154 # helper.bash
load helper
load examples

# A regular expression in small letters => what to say instead => "text" if messages
# of the program may have it, so that it is looked for in pages and help only.
words() {
	cat <<-'END'
		uncertainty => error
		per cent => percent
		on the hardware => counted, had a counter
		next to nothing => almost nothing => text
		anew => again => text
		afresh => again => text
		all the same => nevertheless, still
		(it|this|that|what|nothing) (is|was) said => a line says
		(is|are) told (on|in|that|with) => a line says
		cannot be told (apart|from) => cannot be distinguished
		is (hardly|not) told from => is not distinguished => text
		mean while => meanwhile
		oftener => more often
		altogether => completely
		very run => run
		takes? no turns => are counted all the time
		for sure => certainly, by more than its error => text
		whom => the noun => text
		thereof => of it
		hence => so
		goes for => holds for
		what (is|was) (asked for|looked for|left out|missed|pinned|told) => the noun
		is looked for (among|in|at|when) => who looks
	END
}

# texts: each source, and below it what it says in one line: pages without examples
# and, of the page of messages, without these; README.md; and the help
texts() {
	local word

	awk '
		FNR == 1 {
			page = FILENAME
			sub(/.*\//, "", page)
			print "== " page
			display = 0
		}
		{
			gsub(/\\-/, "-")
			gsub(/\\&/, "")
			gsub(/\\\(aq/, "\047")
		}
		/^\.Bd -literal/ { display = 1 }
		/^\.Ed/ { display = 0 }
		display || /^\.\\"/ || (page == "tdstat-messages.7" && /^\.It/) { next }
		sub(/^\.[A-Z%][A-Za-z]* ?/, "") { }
		{ print }' "$man"/*.[1357]
	echo "== README.md"
	grep -v '^    ' "$man/../README.md"
	for word in '' $(subcommands); do
		echo "== tdstat $word --help=all"
		# shellcheck disable=SC2086 # none is a word less
		"$TDSTAT" $word --help=all
	done
	echo "== tdstat help legend"
	"$TDSTAT" help legend
}

# strings FILE...: the same of the literals, which may be in several parts
strings_of() {
	python3 - "$@" <<-'PYTHON'
		import re, sys
		for name in sys.argv[1:]:
		    source = re.sub(r"/\*.*?\*/", " ", open(name).read(), flags=re.S)
		    source = re.sub(r"^\s*#.*$", "", source, flags=re.M)
		    source = re.sub(r'"\s*"', "", source)
		    print("==", name)
		    for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', source):
		        print(literal.replace("\\n", " ") + " .")
	PYTHON
}

# search SCOPE <TEXTS: fails with each word that is there, where, and the other one
search() {
	words >table
	cat >texts
	python3 - "$1" <<-'PYTHON'
		import re, sys
		wrong = []
		table = [line.strip("\n").split(" => ") for line in open("table")]
		for text in re.split(r"^== ", open("texts").read(), flags=re.M)[1:]:
		    name, _, said = text.partition("\n")
		    said = " ".join(said.lower().split())
		    for word, instead, *only in table:
		        if only and sys.argv[1] not in only:
		            continue
		        for hit in re.finditer(rf"(?<![a-z])(?:{word})(?![a-z])", said):
		            around = said[max(hit.start() - 30, 0):hit.end() + 30]
		            wrong.append(f"{name}: '{hit[0]}', say: {instead}\n    ...{around}...")
		sys.exit("\n".join(wrong) or 0)
	PYTHON
}

@test "pages, README and help use none of the abandoned words" {
	texts >all
	[ "$(grep -c '^== ' all)" -ge 36 ]
	[ "$(wc -w <all)" -gt 30000 ]
	search text <all
}

@test "messages and other output use none of them" {
	mapfile -t files < <(find "$here"/../../cmd "$here"/../../lib "$here"/../../metrics -name '*.c')
	strings_of "${files[@]}" >all
	[ "$(wc -w <all)" -gt 20000 ]
	search strings <all
}

@test "each abandoned word is detected, and other words are not" {
	[ "$(words | wc -l)" -ge 15 ]
	printf '== page\nIt was measured per\ncent, with an UNCERTAINTY.\n' >all
	run search text <all
	assert_failure
	assert_output --partial "page: 'per cent', say: percent"
	assert_output --partial "page: 'uncertainty', say: error"
	printf '== page\nIt was made\nanew.\n' >all
	run search text <all
	assert_failure
	# messages that tests and other programs know may have it
	search strings <all
	words | sed 's/^.* => \(.*\) => .*/\1/; t; s/^.* => //' | sed '1i == words' | search text
}
