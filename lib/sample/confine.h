/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_CONFINE_H
#define TD_LIB_SAMPLE_CONFINE_H

/* The most memory that a confined process may take; what it had comes on top. */
#define TD_CONFINED_GB 4

/*
 * Takes from this process, which was forked to read files that anybody could have
 * made, what it does not need for that: all descriptors but these two (-1: none)
 * and standard error, memory without end, capabilities, and all system calls but
 * those that open files to read them, read, and write to what is open.
 *
 * It keeps the rights to read files and what kallsyms hides, and to enter the root
 * folder of a process: which debug files there are to open is known only when the
 * first file was read, so nobody could open them before.
 */
void td_confine(int keep, int keep_too);

#endif
