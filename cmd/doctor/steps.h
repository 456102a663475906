/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_CMD_DOCTOR_STEPS_H
#define TD_CMD_DOCTOR_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

#if defined(__x86_64__) || defined(__i386__)
#define TD_HAS_STEPS 1
#else
#define TD_HAS_STEPS 0
#endif

/* What a program of the evidence (programs.h) works on. */
struct td_ground {
	char *memory;
	size_t size;    /* of it */
	size_t at;      /* a byte of it, of a walk the next */
	int page;       /* the file that all pages are of; -1: of none */
	uint32_t index; /* of a page */
	uint32_t sum;   /* so that no result is unused */
};

/*
 * Prepare the ground: memory that is written once, a piece of code, one page in
 * many places.  Return 0 or a negative errno; td_ground_free() even then.
 */
int td_ground_fill(struct td_ground *ground, struct td_err *err);
int td_ground_write_code(struct td_ground *ground, struct td_err *err);
int td_ground_map_page(struct td_ground *ground, struct td_err *err);
int td_ground_take_line(struct td_ground *ground, struct td_err *err);
void td_ground_free(struct td_ground *ground);

/*
 * Each is some tens of microseconds of one thing, between two looks at the clock.
 * Returns how often it did it.
 */
unsigned int td_step_stream(struct td_ground *ground); /* lines read */
unsigned int td_step_ports(struct td_ground *ground);  /* multiplications */
unsigned int td_step_code(struct td_ground *ground);   /* jumps */
unsigned int td_step_divide(struct td_ground *ground); /* divisions */
unsigned int td_step_pages(struct td_ground *ground);  /* loads */
unsigned int td_step_store(struct td_ground *ground);  /* lines written */
unsigned int td_step_lock(struct td_ground *ground);   /* locked additions */
unsigned int td_step_alias(struct td_ground *ground);  /* loads */
unsigned int td_step_spin(struct td_ground *ground);   /* pauses */

/* The clock in GHz, by additions that each need the one before. */
double td_step_ghz(void);

#endif
