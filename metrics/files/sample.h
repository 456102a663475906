/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_METRICS_FILES_SAMPLE_H
#define TD_METRICS_FILES_SAMPLE_H

/*
 * The events of "... Sample with: A.B_PS;C.D. Related metrics: ..." as "A.B;C.D",
 * to be freed; NULL if the description names none.  Returns 0 or -ENOMEM.
 */
int td_sample_from_words(const char *desc, char **out);
/* The same of "A.B_PS;C.D" alone. */
int td_sample_names(const char *text, char **out);

#endif
