/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_SAMPLE_ELF_DEBUG_H
#define TD_LIB_SAMPLE_ELF_DEBUG_H

#include "lib/sample/elf_file.h"
#include "lib/sample/search.h"

/*
 * Opens the separate debug file of a file, by its build id or .gnu_debuglink,
 * in the root folder of the process that file was opened in (0: ours), then in
 * ours.  Nothing is downloaded.  0, -ENOENT or -ENOMEM; -EFBIG if it is too large
 * to tell by its checksum whether it is the one.
 */
int td_elf_open_debug(struct td_elf *debug, const struct td_elf *file,
		      struct td_search *search, int pid);
/* The same for what several debug files share, by .gnu_debugaltlink. */
int td_elf_open_shared(struct td_elf *shared, const struct td_elf *debug,
		       struct td_search *search, int pid);

#endif
