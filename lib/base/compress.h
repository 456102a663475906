/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdio.h>

#include "lib/base/err.h"

/* Loads zlib.  Call before td_gzip_write(); may be called again. */
int td_gzip_load(struct td_err *err);
/* Writes the bytes as a gzip file without a name or time. */
void td_gzip_write(FILE *fp, const void *bytes, size_t size);

/*
 * Files compressed with zstd, as streams of their content.  libzstd is loaded when the first one is
 * opened.
 */

#define TD_ZSTD_SUFFIX ".zst"

/* Number of bytes at the start of a file that identify its format. */
#define TD_MAGIC_SIZE 8

/* State of a stream; its fclose() completes the file and frees this. */
struct td_zstd;

/* Loads the library.  Returns 0 or -ELIBACC, with a hint. */
int td_zstd_load(struct td_err *err);
bool td_zstd_is_magic(const unsigned char *magic, size_t nr);
/*
 * Opens a stream that reads the file at fd, from which the nr bytes at magic have already
 * been read.  The file may consist of several frames, with a window of at most 8 MiB.  A file
 * that is cut off is readable up to its last flush.  owned: close fd with the stream.  Returns
 * NULL after an error; fd stays open.
 */
FILE *td_zstd_reader(int fd, bool owned, const unsigned char *magic, size_t nr,
		     struct td_zstd **zstd, struct td_err *err);
/* Returns the reason why reading failed; NULL: see errno. */
const char *td_zstd_why(const struct td_zstd *zstd);
/*
 * Opens a stream that writes to fd and owns it.  All that was written before
 * td_zstd_flush() is readable.  Returns NULL after an error; fd stays open.
 */
FILE *td_zstd_writer(int fd, struct td_zstd **zstd, struct td_err *err);
/* Call after fflush() of the stream.  Returns 0 or a negative errno. */
int td_zstd_flush(struct td_zstd *zstd);
/* Returns the size of the file so far. */
uint64_t td_zstd_size(const struct td_zstd *zstd);
