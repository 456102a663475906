/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* Version of tdstat, in a file that the Makefile writes (.ci/describe): "0.3.0". */
extern const char td_version[];
