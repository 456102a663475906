/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "lib/base/err.h"

/*
 * Shared libraries that few subcommands use are loaded on demand.  If they were linked, they
 * and their dependencies would be loaded at every start.
 *
 * TD_LIBRARY_FUNCTION(name) defines a function of a library in the program.  It jumps to the
 * address that td_library_load() found.  The header of the library declares the function,
 * and callers call it as if it were linked.  It is in assembler because only a jump passes
 * on the parameters of any function.  A call before td_library_load() jumps to address 0.
 */
#ifndef TD_STATIC
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

/* An element of struct td_library_function[] for this function. */
#define TD_LIBRARY_ROW(name) { #name, &td_at_##name },

#else /* a static program contains the library */
#define TD_LIBRARY_FUNCTION(name)
#define TD_LIBRARY_ROW(name) { #name, NULL },
#endif

struct td_library_function {
	const char *name;
	void **at;
};

/*
 * Loads a library, which stays loaded, and finds the functions in it or its dependencies.
 * May be called again.  Returns 0 or -ELIBACC with the reason.
 */
int td_library_load(const char *library, const struct td_library_function *functions, size_t nr,
		    struct td_err *err);
