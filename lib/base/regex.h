/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <regex.h>
#include <stddef.h>

/*
 * Compiles an extended regular expression without subexpressions.  Text without
 * operators may be of any length; an expression that would need too much memory is
 * refused.  Returns 0, or -EINVAL with the reason in why.
 */
int td_regex_compile(regex_t *regex, const char *text, char *why, size_t size);
