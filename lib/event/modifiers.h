/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_MODIFIERS_H
#define TD_LIB_EVENT_MODIFIERS_H

#include "lib/event/event.h"

/* All letters that could be meant as modifiers? */
bool td_are_modifiers(const char *word, size_t len);

/* One letter more; NULL, or why not. */
const char *td_modifiers_add(struct td_modifiers *mods, char letter);
/* A group's to those of one of its events; NULL, or why not. */
const char *td_modifiers_join(struct td_modifiers *mods,
			      const struct td_modifiers *group);

/* Do both count in the same rings, and for the same guests? */
bool td_modifiers_same_rings(const struct td_modifiers *a,
			     const struct td_modifiers *b);

#endif
