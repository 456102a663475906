/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_LIBRARY_H
#define TD_LIB_BASE_LIBRARY_H

#include <stddef.h>

#include "lib/base/err.h"

/*
 * Shared libraries that few subcommands need are loaded when they are needed:
 * linked, they and all that they depend on would be loaded at every start.
 *
 * TD_LIBRARY_FUNCTION(name) is the body of a library's function in the program:
 * it jumps to where td_library_load() found that function.  So the header of
 * the library declares it, and callers call it, as if it were linked.  It is in
 * assembler because only a jump hands on the parameters of any function.  A call
 * before td_library_load() ends in a jump to address 0.
 */
#define TD_LIBRARY_FUNCTION(name)                                        \
	extern void *td_at_##name __attribute__((visibility("hidden"))); \
	__attribute__((used)) void *td_at_##name;                        \
	__asm__(".pushsection .text\n"                                   \
		".globl " #name "\n"                                     \
		".hidden " #name "\n"                                    \
		".type " #name ", @function\n" #name ":\n"               \
		"\tendbr64\n"                                            \
		"\tjmp *td_at_" #name "(%rip)\n"                         \
		".size " #name ", . - " #name "\n"                       \
		".popsection\n");

/* The same function as an element of struct td_library_function[]. */
#define TD_LIBRARY_ROW(name) { #name, &td_at_##name },

struct td_library_function {
	const char *name;
	void **at;
};

/*
 * Loads the library, which stays loaded to the end, and finds the functions in
 * it or in what it depends on.  May be called again.  -ELIBACC, with the reason.
 */
int td_library_load(const char *library,
		    const struct td_library_function *functions, size_t nr,
		    struct td_err *err);

#endif
