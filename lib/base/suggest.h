/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_SUGGEST_H
#define TD_LIB_BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/closest.h"

#define TD_MAX_SUGGESTED 4

/* How near a name is to what was typed: the first that holds. */
enum td_nearness {
	TD_NEAR_SAME,  /* but for "tma_", "tma_info_" */
	TD_NEAR_END,   /* "ipc": tma_info_thread_ipc */
	TD_NEAR_WORDS, /* all words are words of the name */
	TD_NEAR_PART,  /* a part of the name */
	TD_NEAR_TYPED, /* some letters differ */
	TD_NEAR_WORD,  /* but for some letters a word of the name */
	TD_NEAR_DESC,  /* all words begin words of the description */
	TD_NEAR_NOT,
};

/* Of many names those that were probably meant; zero but for wanted. */
struct td_suggest {
	const char *wanted; /* as typed, up to a ':'; borrowed */
	enum td_nearness nearness;
	struct {
		char name[TD_CLOSEST_SIZE];
		size_t distance; /* letters that differ */
	} best[TD_MAX_SUGGESTED];
	size_t nr;
	bool more; /* there is no room for all that are as near */
};

/* desc may be NULL. */
void td_suggest_offer(struct td_suggest *suggest, const char *name,
		      const char *desc);
/* "'a', 'b' or 'c'"; "": nothing is near. */
void td_suggest_format(const struct td_suggest *suggest, char *buf,
		       size_t size);

#endif
