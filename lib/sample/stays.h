/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_STAYS_H
#define TD_LIB_SAMPLE_STAYS_H

/*
 * Did a program stay in a function from one sample to the next?  Of functions that are
 * short and called in turns, both samples are in the same one by chance, too: where a
 * function has the share p of the samples, p^2 of all windows begin and end in it, and
 * what they count is what all functions around it do.
 */

/* So many windows that follow each other tell what is chance there and then. */
#define TD_STRETCH 32

/* The functions in which windows of one thread, or one CPU, began and ended. */
struct td_stretch {
	unsigned int nr;
	int from[TD_STRETCH], to[TD_STRETCH];
};

/* Of pairs of samples, how often a function is at both. */
struct td_stays_pairs {
	double ends; /* samples in it, half of each pair's two */
	double both; /* pairs with both in it */
	/* how many of these there would be if all were by chance */
	double chance;
};

/* What stretches say of a function; zeroed: nothing. */
struct td_stays {
	struct td_stays_pairs windows;
	struct td_stays_pairs twice; /* windows with the next one */
	double foreign; /* windows' chance in which another function would be */
};

void td_stays_add(struct td_stays *stays, const struct td_stretch *stretch,
		  int function);
/*
 * At least which part of the time of its windows the program was in the function: 0
 * to 1.
 */
double td_stays_whole(const struct td_stays *stays);

#endif
