/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_EVENT_NAMES_H
#define TD_LIB_EVENT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/event/event.h"

/* The names that perf_event_open(2) itself gives, in perf's spelling. */
struct td_symbol {
	const char *name;
	const char *alias; /* NULL: none */
	uint32_t type;     /* PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE */
	uint64_t config;
	const char *unit;  /* NULL: none */
	double scale;      /* 0: 1 */
	enum td_tool tool; /* then type and config mean nothing */
	const char *desc;
};

extern const struct td_symbol td_symbols[];
extern const size_t td_nr_symbols;

/* NULL: not one of them. */
const struct td_symbol *td_symbol_find(const char *name);
const struct td_symbol *td_symbol_of(uint32_t type, uint64_t config);

/*
 * "L1-dcache-load-misses" -> PERF_TYPE_HW_CACHE's config: a cache, and behind
 * it what is done and how that ends, in either order and both optional.
 * -ENOENT: no such name; -EINVAL: a cache on which that is never done.
 */
int td_cache_parse(const char *name, uint64_t *config);
/* perf's name of a config; false: there is none. */
bool td_cache_name(uint64_t config, char buf[64]);
/* The name of each config that there is; calls put with it. */
void td_cache_each(void (*put)(void *ctx, const char *name, uint64_t config),
		   void *ctx);

#endif
