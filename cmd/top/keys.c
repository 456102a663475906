// SPDX-License-Identifier: GPL-2.0-only
/* The meaning of keys. */

#include "cmd/top/parts.h"

/* --- lines ----------------------------------------------------------------- */

static void move_to(struct td_top_state *state, size_t at)
{
	state->at = at < state->nr ? at : state->nr ? state->nr - 1 : 0;
	/* follow the selected row to its place; at the top, follow none */
	state->follows = false;
	state->picks = state->at > 0;
}

static bool handle_move(struct td_top_state *state, int key)
{
	size_t at = state->at, page = state->page > 1 ? state->page - 1 : 1;

	switch (key) {
	case TD_KEY_UP:
	case 'k':
		move_to(state, at ? at - 1 : 0);
		return true;
	case TD_KEY_DOWN:
	case 'j':
		move_to(state, at + 1);
		return true;
	case TD_KEY_PAGE_UP:
		move_to(state, at > page ? at - page : 0);
		return true;
	case TD_KEY_PAGE_DOWN:
		move_to(state, at + page);
		return true;
	case TD_KEY_HOME:
	case 'g':
		move_to(state, 0);
		return true;
	case TD_KEY_END:
	case 'G':
		move_to(state, state->nr);
		return true;
	}
	return false;
}

/* --- panes ----------------------------------------------------------------- */

static void go_to(struct td_top_state *state, enum td_top_pane pane)
{
	state->pane = pane;
	state->at = state->first = 0;
}

static void go_back(struct td_top_state *state)
{
	if (state->pane == TD_TOP_TABLE)
		*state->filter = '\0';
	if (state->pane != TD_TOP_MEANING)
		*state->node = '\0';
	*state->opened = '\0';
	state->follows = *state->id != '\0';
	go_to(state, TD_TOP_TABLE);
}

static void open_row(struct td_top_state *state)
{
	if (state->pane != TD_TOP_TABLE) {
		go_back(state);
		return;
	}
	if (!*state->id)
		return;
	memcpy(state->opened, state->id, sizeof(state->opened));
	go_to(state, TD_TOP_TREE);
}

/* Open a pane, or close it if it is open. */
static void toggle(struct td_top_state *state, enum td_top_pane pane)
{
	if (state->pane == pane)
		go_back(state);
	else
		go_to(state, pane);
}

static bool handle_pane(struct td_top_state *state, int key)
{
	switch (key) {
	case TD_KEY_ENTER:
		open_row(state);
		return true;
	case TD_KEY_ESCAPE:
	case TD_KEY_BACKSPACE:
		go_back(state);
		return true;
	case TD_KEY_F + 5:
	case 't':
		*state->opened = '\0';
		toggle(state, TD_TOP_TREE);
		return true;
	case 'e':
		if (state->pane != TD_TOP_TREE && state->pane != TD_TOP_MEANING)
			*state->node = '\0';
		toggle(state, TD_TOP_MEANING);
		return true;
	case TD_KEY_F + 1:
	case 'h':
	case '?':
		toggle(state, TD_TOP_HELP);
		return true;
	case 'q':
		/* in the help, q only closes it, as in htop and less */
		if (state->pane != TD_TOP_HELP)
			return false;
		go_back(state);
		return true;
	}
	return false;
}

/* --- order ----------------------------------------------------------------- */

static void sort_by(struct td_top_state *state, enum td_top_sort sort)
{
	state->sort = sort;
	state->reversed = false;
	if (state->pane == TD_TOP_TABLE && !state->follows)
		state->at = state->first = 0;
}

static void sort_next(struct td_top_state *state, int step)
{
	int sort = (int)state->sort;

	/* skip columns that no row has */
	do
		sort = (sort + step + TD_TOP_NR_SORTS) % TD_TOP_NR_SORTS;
	while (!(state->sorts & 1U << sort) && sort != (int)state->sort);
	sort_by(state, (enum td_top_sort)sort);
}

static bool handle_order(struct td_top_state *state, int key)
{
	static const char letters[] = "RSFBT";
	const char *letter = key > 0 && key < 128 ? strchr(letters, key) : NULL;

	if (letter && *letter) {
		sort_by(state, (enum td_top_sort)(TD_TOP_BY_PART + (letter - letters)));
		return true;
	}
	switch (key) {
	case 'L':
		sort_by(state, TD_TOP_BY_LOST);
		return true;
	case 'P':
		sort_by(state, TD_TOP_BY_BUSY);
		return true;
	case 'N':
		sort_by(state, TD_TOP_BY_NAME);
		return true;
	case 'I':
		state->reversed = !state->reversed;
		return true;
	case '<':
	case ',':
	case TD_KEY_LEFT:
		sort_next(state, -1);
		return true;
	case '>':
	case '.':
	case TD_KEY_RIGHT:
	case TD_KEY_F + 6:
		sort_next(state, 1);
		return true;
	}
	return false;
}

/* --- the filter ------------------------------------------------------------ */

static void remove_last(char *text)
{
	size_t len = strlen(text);

	while (len && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
		len--;
	text[len ? len - 1 : 0] = '\0';
}

static void add_letter(char *text, size_t size, int letter)
{
	unsigned int c = (unsigned int)letter;
	size_t len = strlen(text);
	char utf8[5] = { 0 };

	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c >= TD_KEY_UP)
		return;
	if (c < 0x80) {
		utf8[0] = (char)c;
	} else if (c < 0x800) {
		utf8[0] = (char)(0xc0 | c >> 6);
		utf8[1] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		utf8[0] = (char)(0xe0 | c >> 12);
		utf8[1] = (char)(0x80 | (c >> 6 & 0x3f));
		utf8[2] = (char)(0x80 | (c & 0x3f));
	} else {
		utf8[0] = (char)(0xf0 | c >> 18);
		utf8[1] = (char)(0x80 | (c >> 12 & 0x3f));
		utf8[2] = (char)(0x80 | (c >> 6 & 0x3f));
		utf8[3] = (char)(0x80 | (c & 0x3f));
	}
	if (len + strlen(utf8) < size)
		strcat(text, utf8);
}

static void type(struct td_top_state *state, int key)
{
	switch (key) {
	case TD_KEY_ESCAPE:
		*state->filter = '\0';
		state->typing = false;
		break;
	case TD_KEY_ENTER:
		state->typing = false;
		break;
	case TD_KEY_BACKSPACE:
		remove_last(state->filter);
		break;
	default:
		add_letter(state->filter, sizeof(state->filter), key);
	}
	state->at = state->first = 0;
	state->follows = false;
}

static bool handle_filter(struct td_top_state *state, int key)
{
	if (key != '\\' && key != '/' && key != TD_KEY_F + 4)
		return false;
	if (state->pane != TD_TOP_TABLE)
		go_back(state);
	state->typing = true;
	return true;
}

/* --- requests for a new session -------------------------------------------- */

static enum td_top_wish find_wish(struct td_top_state *state, int key)
{
	if (key == 'a' || (key >= '1' && key <= '6')) {
		state->wish_level = key == 'a' ? 0 : key - '0';
		return TD_TOP_LEVEL;
	}
	switch (key) {
	case 'q':
	case TD_KEY_F + 10:
		return TD_TOP_QUIT;
	case '+':
		return TD_TOP_SLOWER;
	case '-':
		return TD_TOP_FASTER;
	case 'H':
		return TD_TOP_THREADS;
	case 'u':
		return TD_TOP_USERS;
	case 'C':
		return TD_TOP_CGROUPS;
	case 'c':
		return TD_TOP_CORES;
	case 'b':
		return TD_TOP_BACK;
	case 'f':
		return TD_TOP_FORWARD;
	}
	return TD_TOP_NO_WISH;
}

enum td_top_wish td_top_handle_key(struct td_top_state *state, int key)
{
	*state->note = '\0';
	if (state->typing) {
		type(state, key);
		return TD_TOP_NO_WISH;
	}
	if (key == ' ') {
		state->paused = !state->paused;
		return TD_TOP_NO_WISH;
	}
	if (handle_move(state, key) || handle_pane(state, key) || handle_order(state, key) ||
	    handle_filter(state, key))
		return TD_TOP_NO_WISH;
	return find_wish(state, key);
}
