/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/event/event.h"

/* An event that every kernel knows by name (perf_event_open(2)), spelled as in perf. */
struct td_symbol {
	const char *name;
	const char *alias; /* or NULL */
	uint32_t type;     /* PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE */
	uint64_t config;
	const char *unit;  /* or NULL */
	double scale;      /* 0 means 1 */
	enum td_tool tool; /* measured by tdstat; then type and config have no meaning */
	const char *desc;
};

extern const struct td_symbol td_symbols[];
extern const size_t td_nr_symbols;

/* Return the event with this name, or NULL. */
const struct td_symbol *td_symbol_find(const char *name);
const struct td_symbol *td_symbol_of(uint32_t type, uint64_t config);

/*
 * Parse a name such as "L1-dcache-load-misses" into the config of PERF_TYPE_HW_CACHE.  After
 * the cache, an operation and a result may follow in any order.  Returns -ENOENT if the name is
 * unknown, -EINVAL if the cache does not have this operation.
 */
int td_cache_parse(const char *name, uint64_t *config);
/* Format the name of a config as in perf.  Returns false if there is none. */
bool td_cache_name(uint64_t config, char buf[64]);
/* Get the next cache event.  *at must be 0 before the first call.  Returns false at the end. */
bool td_cache_next(unsigned int *at, uint64_t *config, char name[64]);
