/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TD_CLOSEST_SIZE 128 /* longer names are not compared */

/* State of the search for the name closest to a mistyped one.  Set wanted, zero the others. */
struct td_closest {
	const char *wanted;         /* as typed; borrowed */
	char best[TD_CLOSEST_SIZE]; /* "" if no name is close */
	size_t distance;
	bool within; /* an offered name contains wanted, ignoring case */
};

/*
 * Copies name to best if it is closer than previous names.  The distance is the number of
 * letters that are added, left out, changed or swapped, ignoring case.
 */
void td_closest_offer(struct td_closest *closest, const char *name);

#define TD_MAX_SUGGESTED 4

/* Similarity of a name to the typed text, best first; the first match counts. */
enum td_nearness {
	TD_NEAR_SAME,  /* the name is equal, except for the prefixes "tma_", "tma_info_" */
	TD_NEAR_END,   /* the name ends with the text: "ipc" for tma_info_thread_ipc */
	TD_NEAR_WORDS, /* the name contains all words of the text */
	TD_NEAR_PART,  /* the name contains the text */
	TD_NEAR_TYPED, /* a few letters of the name differ */
	TD_NEAR_WORD,  /* the name contains a word with a few different letters */
	TD_NEAR_DESC,  /* each word of the text begins a word of the description */
	TD_NEAR_NOT,
};

/* The names that the user probably meant.  Set wanted, zero the others. */
struct td_suggest {
	const char *wanted; /* as typed; text after a ':' is ignored; borrowed */
	const char *prefix; /* text to show before each name, or NULL */
	enum td_nearness nearness;
	struct {
		char name[TD_CLOSEST_SIZE];
		size_t distance; /* number of letters that differ */
	} best[TD_MAX_SUGGESTED];
	size_t nr;
	bool more; /* there were more names of this nearness than fit */
};

/* Offers a name with its description, which may be NULL. */
void td_suggest_offer(struct td_suggest *suggest, const char *name, const char *desc);
/* Formats as "'a', 'b' or 'c'"; "" if nothing is near. */
void td_suggest_format(const struct td_suggest *suggest, char *buf, size_t size);
