/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_MODIFIERS_H
#define TD_LIB_EVENT_MODIFIERS_H

#include "lib/event/event.h"

/* True if all letters of a word are modifiers. */
bool td_are_modifiers(const char *word, size_t len);

/* Adds a letter.  Returns NULL, or why it cannot be added. */
const char *td_modifiers_add(struct td_modifiers *mods, char letter);
/*
 * Merges a group's modifiers into one event's. Returns NULL, or why this is
 * impossible.
 */
const char *td_modifiers_join(struct td_modifiers *mods,
			      const struct td_modifiers *group);

/* True if both count in the same privilege levels, guests and idle state. */
bool td_modifiers_same_rings(const struct td_modifiers *a,
			     const struct td_modifiers *b);

#endif
