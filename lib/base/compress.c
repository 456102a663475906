// SPDX-License-Identifier: GPL-2.0-only
#define ZLIB_CONST
#include "lib/base/compress.h"

#include <limits.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "lib/base/library.h"
#include "lib/base/util.h"

/* --- gzip ----------------------------------------------------------------- */

#define MEMORY     8         /* memory level 1 to 9; this is zlib's default */
#define GZIP       (15 + 16) /* the largest window, with gzip's header */
#define BLOCK_SIZE (16 << 10)

#define ZLIB_FUNCTIONS(f) f(deflate) f(deflateEnd) f(deflateInit2_)

ZLIB_FUNCTIONS(TD_LIBRARY_FUNCTION)

static const struct td_library_function zlib_functions[] = { ZLIB_FUNCTIONS(TD_LIBRARY_ROW) };

int td_gzip_load(struct td_err *err)
{
	if (!td_library_load("libz.so.1", zlib_functions, TD_ARRAY_SIZE(zlib_functions), err))
		return 0;
	return td_err_wrap(err, "files of gzip need zlib");
}

/* Gives zlib the next of *left bytes, in pieces that fit its counter. */
static void feed(z_stream *stream, size_t *left)
{
	size_t nr = *left < INT_MAX ? *left : INT_MAX;

	if (stream->avail_in)
		return;
	stream->avail_in = (unsigned int)nr;
	*left -= nr;
}

void td_gzip_write(FILE *fp, const void *bytes, size_t size)
{
	unsigned char block[BLOCK_SIZE] = { 0 };
	z_stream stream = { .next_in = bytes };
	int rc;

	if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		td_memory_fail();
	do {
		feed(&stream, &size);
		stream.next_out = block;
		stream.avail_out = sizeof(block);
		rc = deflate(&stream, size ? Z_NO_FLUSH : Z_FINISH);
		fwrite(block, 1, sizeof(block) - stream.avail_out, fp);
	} while (rc == Z_OK);
	deflateEnd(&stream);
	if (rc != Z_STREAM_END)
		td_memory_fail();
}

/* --- zstd ----------------------------------------------------------------- */

#define BUFFER     (64 << 10)
#define WINDOW_LOG 23 /* 8 MiB, which every reader of this format supports */

struct td_zstd {
	int fd;
	bool owned;           /* fd is closed with the stream */
	ZSTD_DCtx *in;        /* context of a reader */
	ZSTD_CCtx *out;       /* context of a writer */
	ZSTD_inBuffer packed; /* reader: bytes that are not unpacked yet */
	const char *why;      /* reader: the reason why it cannot continue */
	uint64_t size;        /* writer: number of bytes in the file */
	unsigned char buffer[BUFFER];
};

/* --- the library ------------------------------------------------------------ */

/* clang-format off */
#define ZSTD_FUNCTIONS(f) \
	f(ZSTD_CCtx_setParameter) f(ZSTD_compressStream2) f(ZSTD_createCCtx) \
	f(ZSTD_createDCtx) f(ZSTD_DCtx_setParameter) f(ZSTD_decompressStream) \
	f(ZSTD_freeCCtx) f(ZSTD_freeDCtx) f(ZSTD_getErrorCode) \
	f(ZSTD_getErrorName) f(ZSTD_isError)
/* clang-format on */

ZSTD_FUNCTIONS(TD_LIBRARY_FUNCTION)

static const struct td_library_function zstd_functions[] = { ZSTD_FUNCTIONS(TD_LIBRARY_ROW) };

int td_zstd_load(struct td_err *err)
{
	if (!td_library_load("libzstd.so.1", zstd_functions, TD_ARRAY_SIZE(zstd_functions), err))
		return 0;
	td_err_wrap(err, "files of zstd need libzstd");
	return td_err_hint(
		err,
		"it is in Debian's package libzstd1; without it: zstd -dc FILE | tdstat report -");
}

bool td_zstd_is_magic(const unsigned char *magic, size_t nr)
{
	static const unsigned char zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };

	return nr >= sizeof(zstd) && !memcmp(magic, zstd, sizeof(zstd));
}

static struct td_zstd *make(int fd, bool owned, struct td_err *err)
{
	struct td_zstd *zstd;

	if (td_zstd_load(err))
		return NULL;
	zstd = td_calloc(1, sizeof(*zstd));
	zstd->fd = fd;
	zstd->owned = owned;
	zstd->packed.src = zstd->buffer;
	return zstd;
}

static int close_stream(void *cookie)
{
	struct td_zstd *zstd = cookie;
	int rc = zstd->owned ? close(zstd->fd) : 0;

	ZSTD_freeDCtx(zstd->in);
	ZSTD_freeCCtx(zstd->out);
	free(zstd);
	return rc;
}

/* --- reading --------------------------------------------------------------- */

/* Reads the available bytes.  Does not wait for more: the reader of a pipe waits for a line. */
static ssize_t fill(struct td_zstd *zstd)
{
	ssize_t nr;

	do {
		nr = read(zstd->fd, zstd->buffer, BUFFER);
	} while (nr < 0 && errno == EINTR);
	zstd->packed.pos = 0;
	zstd->packed.size = nr > 0 ? (size_t)nr : 0;
	return nr;
}

/*
 * Calls the library before reading the file, because it may have kept output that did not fit.
 * The end of the file ends the stream, even within a frame.
 */
static ssize_t unpack(void *cookie, char *to, size_t size)
{
	struct td_zstd *zstd = cookie;
	ZSTD_outBuffer out = { to, size, 0 };

	while (!zstd->why) {
		size_t rc = ZSTD_decompressStream(zstd->in, &out, &zstd->packed);
		ssize_t nr;

		if (ZSTD_isError(rc))
			zstd->why =
				ZSTD_getErrorCode(rc) == ZSTD_error_frameParameter_windowTooLarge
					? "its window is larger than 8 MiB, which zstd -dc --long=31 reads"
					: ZSTD_getErrorName(rc);
		if (out.pos)
			return (ssize_t)out.pos;
		if (zstd->packed.pos < zstd->packed.size)
			continue;
		nr = zstd->why ? 1 : fill(zstd);
		if (nr <= 0)
			return nr;
	}
	errno = EBADMSG;
	return -1;
}

FILE *td_zstd_reader(int fd, bool owned, const unsigned char *magic, size_t nr,
		     struct td_zstd **zstd, struct td_err *err)
{
	const cookie_io_functions_t calls = { .read = unpack, .close = close_stream };
	struct td_zstd *made = make(fd, owned, err);

	if (!made)
		return NULL;
	memcpy(made->buffer, magic, nr);
	made->packed.size = nr;
	made->in = td_need(ZSTD_createDCtx());
	ZSTD_DCtx_setParameter(made->in, ZSTD_d_windowLogMax, WINDOW_LOG);
	*zstd = made;
	return td_need(fopencookie(made, "r", calls));
}

const char *td_zstd_why(const struct td_zstd *zstd)
{
	return zstd->why;
}

/* --- writing --------------------------------------------------------------- */

/* Compresses text, and writes compressed bytes; how determines whether it also flushes or ends. */
static int pack(struct td_zstd *zstd, const void *text, size_t size, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { text, size, 0 };
	size_t left;
	int rc;

	do {
		ZSTD_outBuffer out = { zstd->buffer, BUFFER, 0 };

		left = ZSTD_compressStream2(zstd->out, &out, &in, how);
		if (ZSTD_isError(left))
			td_memory_fail(); /* the only error with valid parameters */
		rc = td_write_all(zstd->fd, zstd->buffer, out.pos);
		zstd->size += out.pos;
	} while (!rc && (how == ZSTD_e_continue ? in.pos < in.size : left > 0));
	return rc;
}

static ssize_t write_text(void *cookie, const char *text, size_t size)
{
	int rc = pack(cookie, text, size, ZSTD_e_continue);

	errno = -rc;
	return rc ? 0 : (ssize_t)size;
}

static int end_stream(void *cookie)
{
	int rc = pack(cookie, NULL, 0, ZSTD_e_end), closed = close_stream(cookie);

	if (!rc)
		return closed;
	errno = -rc;
	return -1;
}

FILE *td_zstd_writer(int fd, struct td_zstd **zstd, struct td_err *err)
{
	const cookie_io_functions_t calls = { .write = write_text, .close = end_stream };
	struct td_zstd *made = make(fd, true, err);

	if (!made)
		return NULL;
	made->out = td_need(ZSTD_createCCtx());
	ZSTD_CCtx_setParameter(made->out, ZSTD_c_checksumFlag, 1);
	*zstd = made;
	return td_need(fopencookie(made, "w", calls));
}

int td_zstd_flush(struct td_zstd *zstd)
{
	return pack(zstd, NULL, 0, ZSTD_e_flush);
}

uint64_t td_zstd_size(const struct td_zstd *zstd)
{
	return zstd->size;
}
