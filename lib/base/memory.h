/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Allocations that cannot fail: if memory runs out, these functions do not return, so
 * callers do not check them.  free(3) frees the result.
 */
#define TD_GIVES __attribute__((returns_nonnull, warn_unused_result))

void *td_malloc(size_t size) TD_GIVES __attribute__((malloc, alloc_size(1)));
void *td_calloc(size_t nr, size_t size) TD_GIVES __attribute__((malloc, alloc_size(1, 2)));
/* The result is not NULL even if the size is 0. */
void *td_realloc(void *old, size_t size) TD_GIVES __attribute__((alloc_size(2)));
void *td_reallocarray(void *old, size_t nr, size_t size) TD_GIVES __attribute__((alloc_size(2, 3)));
char *td_strdup(const char *text) TD_GIVES __attribute__((malloc));
char *td_strndup(const char *text, size_t len) TD_GIVES __attribute__((malloc));
char *td_aprintf(const char *fmt, ...) TD_GIVES __attribute__((malloc, format(printf, 1, 2)));
void td_vasprintf(char **text, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* Opens a stream that writes to memory.  Close it with td_text_close(), which sets *text. */
FILE *td_open_memstream(char **text, size_t *size) TD_GIVES;
void td_text_close(FILE *fp, char **text);

/* Returns p.  Calls td_memory_fail() if it is NULL, for functions that return NULL only then. */
void *td_need(void *p) TD_GIVES;

/* Ends the program if errno is ENOMEM.  Call after a function of a library has failed. */
void td_memory_check(void);

/*
 * Sets the function that ends the process if memory runs out.  It must not return or
 * allocate memory, and stdio may be locked.  The default writes a line to standard
 * error and exits with status 1.
 */
void td_memory_on_failure(void (*end)(void));
/* Calls the function that td_memory_on_failure() has set. */
__attribute__((noreturn)) void td_memory_fail(void);
