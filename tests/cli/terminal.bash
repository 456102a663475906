# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2119,SC2120 # rows; look
# A terminal: a window of its own tmux.  On a busy machine the screen may be half drawn:
# wait for the expected text instead of looking once.

# open WIDTH HEIGHT: a window with a shell, in place of the one before
open() {
	close
	nr_windows=$((${nr_windows-0} + 1))
	# a path of the test's own could be too long for a socket
	socket=tmux-$nr_windows
	mux -f /dev/null new-session -d -x "$1" -y "$2" env PS1='$ ' sh \; \
		set-option -g window-size manual 3>&- 4>&-
}

# with all that runs in it
close() {
	[ -z "${socket-}" ] || mux kill-server 2>/dev/null || true
	socket=
}

# mux COMMAND [ARG...]: of tmux
mux() {
	tmux -S "$socket" "$@"
}

# press KEY...: keys as tmux names them, or text
press() {
	mux send-keys "$@"
}

# look [OPTION]: what the window shows, in rows
look() {
	mux capture-pane -p "$@" >screen && mapfile -t rows <screen
}

# on_screen REGEX: is it in a line?
on_screen() {
	local row

	look || return 1
	for row in "${rows[@]}"; do
		[[ ! $row =~ $1 ]] || return 0
	done
	return 1
}

off_screen() {
	! on_screen "$1"
}

# until_ COMMAND [ARG...]: as wait_for; each look is a process, so it does not look
# before there can be anything new
until_() {
	local begin=$SECONDS

	pause 0.1
	until "$@"; do
		[ $((SECONDS - begin)) -lt "$TD_HANGS" ] || fail "never: $*"
		pause 0.2
	done
}

shows() {
	until_ on_screen "$1"
}

hides() {
	until_ off_screen "$1"
}

# If a test failed: print the last screen.
close_terminal() {
	if [ -z "$BATS_TEST_COMPLETED" ] && [ -n "${socket-}" ]; then
		look || true
		printf '%s\n' "${rows[@]}"
	fi
	close
}
