/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_MODIFIERS_H
#define TD_LIB_EVENT_MODIFIERS_H

#include "lib/event/event.h"

#define TD_MODIFIERS_SIZE 24 /* bytes for all modifiers as text */

/* True if all letters of a word are modifiers. */
bool td_are_modifiers(const char *word, size_t len);

/* Adds a letter.  Returns NULL, or why it cannot be added. */
const char *td_modifiers_add(struct td_modifiers *mods, char letter);
/*
 * Merges a group's modifiers into one event's.  Returns NULL, or why this is
 * impossible.
 */
const char *td_modifiers_join(struct td_modifiers *mods,
			      const struct td_modifiers *group);

/* True if both count in the same privilege levels, guests and idle state. */
bool td_modifiers_same_rings(const struct td_modifiers *a,
			     const struct td_modifiers *b);
/* The letters of the modifiers that td_modifiers_same_rings() compares. */
#define TD_RING_LETTERS "ukhGHI"
/* Copies these modifiers and leaves the others as they are. */
void td_modifiers_copy_rings(struct td_modifiers *to,
			     const struct td_modifiers *from);
/*
 * Formats those of letters that are set, in the order of letters; p comes as
 * often as it was given.  Returns buf.
 */
const char *td_modifiers_format(const struct td_modifiers *mods,
				const char *letters,
				char buf[TD_MODIFIERS_SIZE]);

#endif
