#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only
# Tables of intervals in windows of several widths.

# shellcheck disable=SC2016,SC2154 # sh -c; helper.bash
load helper

export TERM=dumb

# window COLUMNS COMMAND...: what it writes to a terminal of such a window.  It is not
# its controlling terminal: the end of a session's leader drops what nobody has read.
window() {
	timeout 60 python3 - "$@" <<-'PYTHON'
		import fcntl, os, pty, struct, subprocess, sys, termios
		ours, theirs = pty.openpty()
		fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[1]), 0, 0))
		command = subprocess.Popen(sys.argv[2:], stdin=theirs, stdout=theirs, stderr=theirs)
		os.close(theirs)
		text = b""
		try:
		    while part := os.read(ours, 65536):
		        text += part
		except OSError:
		    pass  # Linux tells the end of a terminal so
		sys.stdout.write(text.decode().replace("\r\n", "\n"))
		sys.exit(command.wait())
	PYTHON
}

# longest FILE: the characters of its longest line
longest() {
	awk '{ if (length($0) > most) most = length($0) } END { print most + 0 }' "$1"
}

# values: the table's values, one a line; times have more decimals
values() {
	grep -v '^#' | grep -oE ' -?[0-9]+\.[0-9]([*?~]|[[:blank:]]|$)' | tr -d ' *?~'
}

@test "a narrow window: short names that begin as the whole ones do, and one percent sign" {
	window 80 "$TDSTAT" report "$data/icelakex-2.jsonl" >out
	assert_equal "$(head -n 1 out)" '# %   time retiring backend_bound frontend_bound bad_speculation'
	window 45 "$TDSTAT" report "$data/icelakex-2.jsonl" >out
	assert_equal "$(head -n 1 out | tr -s ' ')" '# % time ret bac_bou fro_bou bad_spe'
}

@test "a wide window, a pipe and a file have the same table" {
	"$TDSTAT" report "$data/alderlake.jsonl" >pipe
	"$TDSTAT" report "$data/alderlake.jsonl" -o file
	window 200 "$TDSTAT" report "$data/alderlake.jsonl" >terminal
	assert_same "$(<pipe)" "$(<terminal)"
	assert_same "$(<pipe)" "$(sed 1,2d file)"
	grep '%  tma_retiring ' pipe
	# whose size is not known
	window 0 "$TDSTAT" report "$data/alderlake.jsonl" >terminal
	assert_same "$(<pipe)" "$(<terminal)"
	# standard input and standard error do not matter
	window 60 sh -c '"$0" report "$1" >file' "$TDSTAT" "$data/alderlake.jsonl"
	assert_same "$(<pipe)" "$(<file)"
}

# A value of each metric, and in each row %lost.
@test "no line is longer than the window, and no value is missing" {
	for model in alderlake-2 sapphirerapids-2 icelakex-2; do
		"$TDSTAT" report "$data/$model.jsonl" -l 2 -A -j |
			jq -es 'map(select(.value != null)) | length + (map([.time, .id, .pmu]) | unique | length)' >all
		for columns in 50 64 80 100 132 200; do
			echo "$model, $columns columns:"
			window $columns "$TDSTAT" report "$data/$model.jsonl" -l 2 -A >out || {
				cat out
				return 1
			}
			cat out
			[ "$(longest out)" -le $columns ]
			assert_equal "$(values <out | wc -l)" "$(<all)"
		done
	done
}

@test "two kinds of core at level 2: a header and a line for each" {
	window 120 "$TDSTAT" report "$data/alderlake-2.jsonl" -l 2 >out
	assert_equal "$(grep -c '^# %   time cpu_core ' out)" 1
	assert_equal "$(grep -c '^# %   time cpu_atom ' out)" 1
	assert_equal "$(sed '1,2d' out | awk '{ print $1, $2 }' | xargs)" \
		'0.301 cpu_core 0.301 cpu_atom 0.604 cpu_core 0.604 cpu_atom'
	# each has its own columns, and no cell is empty
	awk '/^#/ { nr[$4] = NF } !/^#/ && NF + 2 != nr[$2] { print; exit 1 }' out
	# as many columns would be trees in a file
	"$TDSTAT" report "$data/alderlake-2.jsonl" -l 2 | grep '%  tma_core_bound'
}

@test "too many columns for a table are trees in every window" {
	window 120 "$TDSTAT" report "$data/icelakex-2.jsonl" -l 3 >out
	grep -E '[0-9] %  tma_core_bound' out
}

@test "what is over its threshold has a mark without colours, in all forms" {
	"$TDSTAT" report "$data/alderlake.jsonl" -j |
		jq -r 'select(.over_threshold) | .value' | wc -l >all
	[ "$(<all)" -gt 0 ]
	"$TDSTAT" report "$data/alderlake.jsonl" >wide
	window 80 "$TDSTAT" report "$data/alderlake.jsonl" >narrow
	for form in wide narrow; do
		assert_equal "$(grep -o '\*' $form | wc -l)" "$(<all)"
		run ! grep $'\033' $form
	done
	TERM=xterm window 80 "$TDSTAT" report "$data/alderlake.jsonl" >red
	assert_equal "$(grep -o $'\033\[31m *[0-9.]*\*\033\[m' red | wc -l)" "$(<all)"
	assert_same "$(sed $'s/\033\\[[0-9]*m//g' red)" "$(<narrow)"
}

# resized RECORDING: a report, whose window becomes wider after the first interval
resized() {
	timeout 20 python3 - "$@" <<-'PYTHON'
		import fcntl, os, pty, struct, subprocess, sys, termios
		ours, theirs = pty.openpty()
		def resize(columns):
		    size = struct.pack("HHHH", 50, columns, 0, 0)
		    fcntl.ioctl(ours, termios.TIOCSWINSZ, size)
		resize(60)
		child = subprocess.Popen([os.environ["TDSTAT"], "report", "-"],
		    stdin=subprocess.PIPE, stdout=theirs)
		os.close(theirs)
		lines = open(sys.argv[1], "rb").readlines()
		child.stdin.write(b"".join(lines[:3]))
		child.stdin.flush()
		text = b""
		while b"1.000 cpu_atom" not in text:
		    text += os.read(ours, 65536)
		resize(200)
		child.stdin.write(b"".join(lines[3:]))
		child.stdin.close()
		try:
		    while part := os.read(ours, 65536):
		        text += part
		except OSError:
		    pass
		sys.stdout.write(text.decode().replace("\r\n", "\n"))
		sys.exit(child.wait())
	PYTHON
}

@test "a window that is made wider has the wide table at once" {
	resized "$data/alderlake.jsonl" >out
	[[ $(head -n 1 out) == '# %   time '* ]]
	"$TDSTAT" report "$data/alderlake.jsonl" >wide
	assert_equal "$(grep -c '^#' out)" 2
	assert_same "$(head -n 1 wide; tail -n 6 wide)" "$(sed -n '/^#  *time/,$p' out | sed -n '1p; /^ *[345]\./p')"
}

@test "functions with level 2 in 80 columns: two tables for each kind of core, of short names" {
	local width file=$data/functions.jsonl

	for width in 60 80 100; do
		window $width "$TDSTAT" report "$file" >out
		sed 1,3d out | grep -v '^ Lost' >table
		[ "$(longest table)" -le $width ] || fail "$width: $(<table)"
	done
	window 80 "$TDSTAT" report "$file" >out
	assert_equal "$(grep -c '^ function ' out)" 4
	assert_equal "$(grep '^ function ' out | head -n 2 | tr -s ' ')" ' function windows slots % ret lig_ope hea_ope bac_bou mem_bou 
 function cor_bou fro_bou fet_lat fet_ban bad_spe bra_mis mac_cle '
	# of each kind of core its own rows, and the nodes that it has
	assert_equal "$(awk '/^ cpu_/ { of = $1 } $1 == "scenario_icache" { print of, $2, $4 }' out)" 'cpu_core: 417 36.1
cpu_core: 6.7 37.9*
cpu_atom: 270 36.0
cpu_atom: 38.0* 6.0'
	sed -n '/cpu_core:/,/cpu_atom:/p' out >core
	run ! grep -q 'res_bou\|with few windows' core
	# -M and explain take the names
	try "$TDSTAT" explain lig_ope
	[[ $output == *tma_light_operations* ]]
}

@test "functions: two tables with errors are enough; a pipe has one" {
	"$TDSTAT" report "$data/functions.jsonl" -l 1 >pipe
	assert_equal "$(grep -c '^ function ' pipe)" 1
	window 80 "$TDSTAT" report "$data/functions.jsonl" -l 1 >out
	assert_equal "$(grep -c '^ function ' out)" 2
	grep 'scenario_icache *cpu_core *417 .* 36\.1 ±0\.3' out
}

@test "why functions have a dash in place of a value: one reason, or where they are" {
	"$TDSTAT" report "$data/functions.jsonl" >out
	grep -qx ' - means no value: no counter is left' out
	"$TDSTAT" report "$data/functions.jsonl" -l 1 >out
	run ! grep 'means no value' out
	"$TDSTAT" report "$data/functions.jsonl" -l 1 --all >out
	grep -qx ' - means no value: fewer than 30 windows' out
	"$TDSTAT" report "$data/functions.jsonl" --all >out
	grep -qx ' - means no value: -v tells why of each' out
	"$TDSTAT" report "$data/functions.jsonl" --all -v >out
	grep -q '(no counter is left)$' out
	grep -q '(fewer than 30 windows)$' out
}
