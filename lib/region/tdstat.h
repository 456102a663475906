/* SPDX-License-Identifier: MIT */
/*
 * Regions: top-down of a piece of a program, counted from inside.
 *
 *   td_begin("parse");
 *   ...
 *   td_end("parse");
 *
 * Nothing is counted unless the environment has TDSTAT_REGIONS, as under
 * "tdstat regions -- ./program"; else each mark is one predicted branch.  See
 * tdstat-regions(3).
 */
#ifndef TDSTAT_H
#define TDSTAT_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef TDSTAT_OFF

#define td_begin(name) ((void)(name))
#define td_end(name)   ((void)(name))
#define td_flush()     ((void)0)

static inline int td_thread_init(void)
{
	return -1;
}

#else

#pragma GCC visibility push(default)

/* Not 0 while regions are counted.  Of the library; only to be read. */
extern int td_regions_on;

/*
 * Begins a region of the calling thread, within those that it is in already.
 * Of a name of more than 111 bytes the rest is dropped; NULL is no region.
 */
void td_begin(const char *name);
/* Ends it, and what was begun within it and is not ended. */
void td_end(const char *name);
/*
 * Opens the counters of the calling thread, which its first td_begin() does
 * otherwise.  To be called before a filter of system calls: then marks need read()
 * only.  Returns 0, or -1 if nothing is or can be counted.
 */
int td_thread_init(void);
/* Adds what the thread did outside of regions so far, as at its end. */
void td_flush(void);

#pragma GCC visibility pop

/* The functions are for languages that cannot look at td_regions_on. */
#define td_begin(name) \
	(__builtin_expect(td_regions_on, 0) ? td_begin(name) : (void)0)
#define td_end(name) \
	(__builtin_expect(td_regions_on, 0) ? td_end(name) : (void)0)

#endif

#ifdef __cplusplus
}
#endif

#endif
