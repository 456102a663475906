/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_SUGGEST_H
#define TD_LIB_BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#define TD_CLOSEST_SIZE 128 /* longer names are not compared */

/* Finds the name closest to a mistyped one.  Set wanted, zero the rest. */
struct td_closest {
	const char *wanted;         /* as typed; borrowed */
	char best[TD_CLOSEST_SIZE]; /* "" if no name is close */
	size_t distance;
	bool within; /* it is a part of a name, whatever their case */
};

/*
 * Takes name if it is closer than the best so far.  The distance is the number
 * of letters added, left out, changed or swapped; case does not matter.
 */
void td_closest_offer(struct td_closest *closest, const char *name);

#define TD_MAX_SUGGESTED 4

/* How a name resembles what was typed, best first; the first match counts. */
enum td_nearness {
	TD_NEAR_SAME,  /* equal, apart from the prefixes "tma_", "tma_info_" */
	TD_NEAR_END,   /* ends so: "ipc" for tma_info_thread_ipc */
	TD_NEAR_WORDS, /* has all of the words */
	TD_NEAR_PART,  /* contains it */
	TD_NEAR_TYPED, /* some letters differ */
	TD_NEAR_WORD,  /* has a word that differs in some letters */
	TD_NEAR_DESC,  /* each word begins one of the description */
	TD_NEAR_NOT,
};

/*
 * Collects the names that the user probably meant.  Set wanted, zero the rest.
 */
struct td_suggest {
	const char *wanted; /* as typed, used up to a ':'; borrowed */
	enum td_nearness nearness;
	struct {
		char name[TD_CLOSEST_SIZE];
		size_t distance; /* letters that differ */
	} best[TD_MAX_SUGGESTED];
	size_t nr;
	bool more; /* more names are as near than fit */
};

/* Offers a name with its description, which may be NULL. */
void td_suggest_offer(struct td_suggest *suggest, const char *name,
		      const char *desc);
/* Formats as "'a', 'b' or 'c'"; "" if nothing is near. */
void td_suggest_format(const struct td_suggest *suggest, char *buf,
		       size_t size);

#endif
