/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include "cmd/opts/option.h"

/*
 * Returns all subcommands, with the options that wings add.  The list ends with NULL.  The first
 * one runs if none is named.
 */
const struct td_command *const *td_commands(void);
