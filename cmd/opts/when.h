/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_OPTS_WHEN_H
#define TD_CMD_OPTS_WHEN_H

#include <stdbool.h>
#include <stdint.h>

/* When a run counts, how often, and what is done around it. */
struct td_when {
	int interval_ms;    /* 0: none */
	int interval_count; /* 0: no limit */
	int timeout_ms;     /* 0: none */
	int delay_ms;       /* 0: none; -1: until enabled through --control */
	const char *control;
	bool has_repeat;
	int repeat; /* 0: for ever */
	const char *pre, *post;
	bool pre_done; /* before the first run, by a session that failed */
	bool sync;
	bool require; /* no run of what cannot be counted */
	/* record: what a file has when the next one begins; 0: whatever it has */
	uint64_t rotate_ns, rotate_bytes;
};

static inline bool td_when_rotates(const struct td_when *when)
{
	return when->rotate_ns || when->rotate_bytes;
}

#endif
