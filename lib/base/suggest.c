// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/suggest.h"

#include <ctype.h>
#include <strings.h>

#include "lib/base/util.h"

#define SEPARATORS "_-. /"
#define MIN_PART   3 /* too many names contain shorter words */

/* Skips a prefix that users often leave out or add. */
static const char *without_prefix(const char *name)
{
	static const char *const prefixes[] = { "tma_info_", "tma_", "info_" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(prefixes); i++) {
		size_t len = strlen(prefixes[i]);

		if (strncasecmp(name, prefixes[i], len) == 0 && name[len])
			return name + len;
	}
	return name;
}

/* Copies the next word of *text, or "" at the end, and moves *text after it. */
static void next_word(const char **text, char word[TD_CLOSEST_SIZE])
{
	size_t len;

	*text += strspn(*text, SEPARATORS);
	len = strcspn(*text, SEPARATORS);
	snprintf(word, TD_CLOSEST_SIZE, "%.*s", (int)len, *text);
	*text += len;
}

static bool ends_with(const char *name, const char *end)
{
	size_t len = strlen(name), n = strlen(end);

	return n && len > n && strchr(SEPARATORS, name[len - n - 1]) &&
	       strcasecmp(name + len - n, end) == 0;
}

/*
 * Does the name contain the word or, if nearly is set, one with a few different letters?  Sets
 * *distance to the number of letters that differ.
 */
static bool has_word(const char *name, const char *word, bool nearly, size_t *distance)
{
	struct td_closest closest = { .wanted = word };
	char other[TD_CLOSEST_SIZE];

	for (next_word(&name, other); other[0]; next_word(&name, other))
		td_closest_offer(&closest, other);
	*distance = closest.distance;
	return closest.best[0] && (nearly || closest.distance == 0);
}

static bool has_words(const char *name, const char *wanted)
{
	char word[TD_CLOSEST_SIZE];
	size_t unused;
	bool any = false;

	for (next_word(&wanted, word); word[0]; next_word(&wanted, word)) {
		if (!has_word(name, word, false, &unused))
			return false;
		any = true;
	}
	return any;
}

/* Does a word of the text begin with word, ignoring case? */
static bool describes(const char *text, const char *word)
{
	size_t len = strlen(word);
	bool inside = false;

	for (; *text; text++) {
		if (!inside && strncasecmp(text, word, len) == 0)
			return true;
		inside = isalnum((unsigned char)*text);
	}
	return false;
}

static bool is_described(const char *desc, const char *wanted)
{
	char word[TD_CLOSEST_SIZE];
	bool any = false;

	if (!desc)
		return false;
	for (next_word(&wanted, word); word[0]; next_word(&wanted, word)) {
		if (strlen(word) < MIN_PART || !describes(desc, word))
			return false;
		any = true;
	}
	return any;
}

/*
 * Is name close to wanted, with or without the prefixes?  Sets *distance to the smaller one.  A
 * correct prefix does not allow more errors in the remainder of the name.
 */
static bool is_mistyped(const char *name, const char *wanted, size_t *distance)
{
	struct td_closest whole = { .wanted = wanted };
	struct td_closest rest = { .wanted = without_prefix(wanted) };

	if (rest.wanted == wanted)
		td_closest_offer(&whole, name);
	td_closest_offer(&rest, without_prefix(name));
	*distance = rest.distance;
	if (!rest.best[0] || (whole.best[0] && whole.distance < rest.distance))
		*distance = whole.distance;
	return whole.best[0] || rest.best[0];
}

static enum td_nearness measure(const char *name, const char *desc, const char *wanted,
				size_t *distance)
{
	const char *bare = without_prefix(wanted);

	*distance = 0;
	if (strcasecmp(without_prefix(name), bare) == 0)
		return TD_NEAR_SAME;
	if (ends_with(name, bare))
		return TD_NEAR_END;
	if (has_words(name, bare))
		return TD_NEAR_WORDS;
	if (strlen(bare) >= MIN_PART && strcasestr(name, bare))
		return TD_NEAR_PART;
	if (is_mistyped(name, wanted, distance))
		return TD_NEAR_TYPED;
	*distance = 0;
	if (strlen(bare) > MIN_PART && has_word(name, bare, true, distance) &&
	    *distance * 3 <= strlen(bare))
		return TD_NEAR_WORD;
	*distance = 0;
	return is_described(desc, bare) ? TD_NEAR_DESC : TD_NEAR_NOT;
}

static bool is_there(const struct td_suggest *suggest, const char *name)
{
	for (size_t i = 0; i < suggest->nr; i++) {
		if (strcmp(suggest->best[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Inserts a name into the list, which is sorted by distance, then by length. */
static void insert(struct td_suggest *suggest, const char *name, size_t distance)
{
	size_t at = suggest->nr;

	while (at && (suggest->best[at - 1].distance > distance ||
		      (suggest->best[at - 1].distance == distance &&
		       strlen(suggest->best[at - 1].name) > strlen(name))))
		at--;
	suggest->more = suggest->more || suggest->nr == TD_MAX_SUGGESTED;
	if (at == TD_MAX_SUGGESTED)
		return;
	if (suggest->nr < TD_MAX_SUGGESTED)
		suggest->nr++;
	for (size_t i = suggest->nr - 1; i > at; i--)
		suggest->best[i] = suggest->best[i - 1];
	suggest->best[at].distance = distance;
	snprintf(suggest->best[at].name, sizeof(suggest->best[at].name), "%s", name);
}

void td_suggest_offer(struct td_suggest *suggest, const char *name, const char *desc)
{
	char wanted[TD_CLOSEST_SIZE];
	size_t len = strcspn(suggest->wanted, ":"), distance;
	enum td_nearness nearness;

	if (len >= sizeof(wanted) || strlen(name) >= TD_CLOSEST_SIZE)
		return;
	snprintf(wanted, sizeof(wanted), "%.*s", (int)len, suggest->wanted);
	nearness = measure(name, desc, wanted, &distance);
	if (nearness == TD_NEAR_NOT || (suggest->nr && nearness > suggest->nearness))
		return;
	if (suggest->nr && nearness < suggest->nearness) {
		suggest->nr = 0;
		suggest->more = false;
	}
	suggest->nearness = nearness;
	if (!is_there(suggest, name))
		insert(suggest, name, distance);
}

void td_suggest_format(const struct td_suggest *suggest, char *buf, size_t size)
{
	size_t len = 0, nr = suggest->nr;

	buf[0] = '\0';
	/* keep only the names with the fewest wrong letters */
	while (nr > 1 && suggest->best[nr - 1].distance > suggest->best[0].distance)
		nr--;
	for (size_t i = 0; i < nr && len < size; i++) {
		const char *before = !i ? "" : i + 1 == nr ? " or " : ", ";

		len += (size_t)snprintf(buf + len, size - len, "%s'%s%s'", before,
					suggest->prefix ? suggest->prefix : "",
					suggest->best[i].name);
	}
}

/* --- the closest one ------------------------------------------------------ */

#define LONGEST (TD_CLOSEST_SIZE - 1)

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b)
{
	return lower(a) == lower(b);
}

/* Returns the optimal string alignment distance, using three rows of its matrix. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][LONGEST + 1] = { 0 };

	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3];
		const size_t *before = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t change = !same(a[i - 1], b[j - 1]);

			row[j] = min(above[j] + 1, row[j - 1] + 1);
			row[j] = min(row[j], above[j - 1] + change);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
				row[j] = min(row[j], before[j - 2] + 1);
		}
	}
	return rows[na % 3][nb];
}

void td_closest_offer(struct td_closest *closest, const char *name)
{
	size_t na = strlen(closest->wanted), nb = strlen(name);
	size_t difference = na > nb ? na - nb : nb - na, limit = 1 + na / 4, d;

	closest->within |= strcasestr(name, closest->wanted) != NULL;
	if (na > LONGEST || nb > LONGEST || difference > limit || na < 2)
		return;
	d = distance(closest->wanted, na, name, nb);
	if (d > limit || (closest->best[0] && d >= closest->distance))
		return;
	closest->distance = d;
	snprintf(closest->best, sizeof(closest->best), "%s", name);
}
