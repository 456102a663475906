/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TD_LIB_BASE_COMPRESS_H
#define TD_LIB_BASE_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/err.h"

/* Loads zlib.  To be called before td_gzip_write(), again, too. */
int td_gzip_load(struct td_err *err);
/* Writes the bytes as a file of gzip, without a name or time.  0 or -ENOMEM. */
int td_gzip_write(FILE *fp, const void *bytes, size_t size);

/*
 * Files that zstd compresses, as streams of what is in them.  libzstd is loaded
 * when the first one is made.
 */

/* How the names of such files end. */
#define TD_ZSTD_SUFFIX ".zst"

/* The bytes that a file begins with, by which its format is known. */
#define TD_MAGIC_SIZE 6

/*
 * What is between a stream and its file.  It lives as long as the stream, whose
 * fclose() ends the file and frees it.
 */
struct td_zstd;

/* Loads the library.  Returns 0 or -ELIBACC, with where to get it. */
int td_zstd_load(struct td_err *err);
bool td_zstd_is_magic(const unsigned char *magic, size_t nr);
/*
 * A stream to read from, of a file at fd from which the nr bytes at magic were
 * read.  The file may have several frames, and be cut off: it is readable as far as
 * it was flushed.  Takes no more memory than a window of 8 MiB, whatever the file
 * says.  fd is closed with the stream if it is owned.  NULL: an error; fd is open.
 */
FILE *td_zstd_reader(int fd, bool owned, const unsigned char *magic, size_t nr,
		     struct td_zstd **zstd, struct td_err *err);
/* Why nothing more can be read; NULL: because of what errno says. */
const char *td_zstd_why(const struct td_zstd *zstd);
/*
 * A stream to write to, which takes fd over.  Everything can be read of the file
 * that was written before td_zstd_flush().  NULL: an error; fd is open.
 */
FILE *td_zstd_writer(int fd, struct td_zstd **zstd, struct td_err *err);
/* Behind fflush() of its stream.  Returns 0 or a negative errno. */
int td_zstd_flush(struct td_zstd *zstd);
/* The bytes that the file has so far. */
uint64_t td_zstd_size(const struct td_zstd *zstd);

#endif
