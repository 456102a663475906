// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/gzip.h"

#include <errno.h>
#include <limits.h>
#define ZLIB_CONST
#include <zlib.h>

#include "lib/base/library.h"
#include "lib/base/util.h"

#define MEMORY     8         /* of 9: zlib's default */
#define GZIP       (15 + 16) /* the largest window, with gzip's header */
#define BLOCK_SIZE (16 << 10)

#define FUNCTIONS(f) f(deflate) f(deflateEnd) f(deflateInit2_)

FUNCTIONS(TD_LIBRARY_FUNCTION)

static const struct td_library_function functions[] = { FUNCTIONS(
	TD_LIBRARY_ROW) };

int td_gzip_load(struct td_err *err)
{
	if (!td_library_load("libz.so.1", functions, TD_ARRAY_SIZE(functions),
			     err))
		return 0;
	return td_err_wrap(err, "files of gzip need zlib");
}

/* What is left of the bytes, in pieces that zlib can count. */
static void feed(z_stream *stream, size_t *left)
{
	size_t nr = *left < INT_MAX ? *left : INT_MAX;

	if (stream->avail_in)
		return;
	stream->avail_in = (unsigned int)nr;
	*left -= nr;
}

int td_gzip_write(FILE *fp, const void *bytes, size_t size)
{
	unsigned char block[BLOCK_SIZE] = { 0 };
	z_stream stream = { .next_in = bytes };
	int rc;

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP,
			 MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	do {
		feed(&stream, &size);
		stream.next_out = block;
		stream.avail_out = sizeof(block);
		rc = deflate(&stream, size ? Z_NO_FLUSH : Z_FINISH);
		fwrite(block, 1, sizeof(block) - stream.avail_out, fp);
	} while (rc == Z_OK);
	deflateEnd(&stream);
	return rc == Z_STREAM_END ? 0 : -ENOMEM;
}
