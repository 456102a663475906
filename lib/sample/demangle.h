/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_DEMANGLE_H
#define TD_LIB_SAMPLE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes a name of C++ or Rust as its source has it, or returns false.  What
 * is longer than the buffer is cut.
 */
bool td_demangle(const char *name, char *buf, size_t size);

#endif
