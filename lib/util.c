// SPDX-License-Identifier: GPL-2.0-only
#include "lib/util.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *td_format_seconds(char buf[40], uint64_t ns)
{
	snprintf(buf, 40, "%" PRIu64 ".%09" PRIu64, ns / 1000000000,
		 ns % 1000000000);
	return buf;
}

void td_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void *td_array_add(void *array, size_t nr, size_t size)
{
	char *base;

	memcpy(&base, array, sizeof(base));
	/* grown at every power of two, so the capacity need not be kept */
	if ((nr & (nr - 1)) == 0) {
		/* cppcheck-suppress memleakOnRealloc; *array has it */
		base = reallocarray(base, nr ? nr * 2 : 1, size);
		if (!base)
			return NULL;
		memcpy(array, &base, sizeof(base));
	}
	memset(base + nr * size, 0, size);
	return base + nr * size;
}

int td_utf8_length(const unsigned char *s)
{
	int len = s[0] < 0x80                   ? 1
		  : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
		  : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
		  : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
						: 0;

	for (int i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	return len;
}

bool td_is_text(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		int len = *s < 0x20 || *s == 0x7f ? 0 : td_utf8_length(s);

		if (!len)
			return false;
		s += len;
	}
	return true;
}

uint64_t td_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* C1 controls, U+0080 to U+009F, are two bytes of UTF-8. */
static bool is_control(const unsigned char *s)
{
	return *s < 0x20 || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0);
}

void td_put_printable(FILE *fp, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (*s) {
		int len = is_control(s) ? 0 : td_utf8_length(s);

		if (len)
			fwrite(s, 1, (size_t)len, fp);
		else
			fprintf(fp, "\\x%02x", *s);
		s += len ? len : 1;
	}
}
