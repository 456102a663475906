// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/out.h"

#include <errno.h>
#include <string.h>

const struct td_out *td_out_find(enum td_format_kind format)
{
	switch (format) {
	case TD_FORMAT_TEXT:
		return &td_out_text;
	case TD_FORMAT_CSV:
		return &td_out_csv;
	case TD_FORMAT_JSON:
		return &td_out_json;
	}
	return &td_out_text;
}

int td_out_check(FILE *fp, const char *name, struct td_err *err)
{
	errno = 0;
	if (fflush(fp) == 0 && !ferror(fp))
		return 0;
	return td_err_set(err, errno ? -errno : -EIO, "cannot write %s: %s",
			  name, strerror(errno ? errno : EIO));
}

const char *td_out_format(char buf[64], int decimals, double value)
{
	snprintf(buf, 64, "%.*f", decimals, value);
	if (buf[0] == '-' && !buf[1 + strspn(buf + 1, "0.")])
		return buf + 1;
	return buf;
}

void td_out_number(FILE *fp, int width, int decimals, double value)
{
	char buf[64];

	fprintf(fp, "%*s", width, td_out_format(buf, decimals, value));
}
