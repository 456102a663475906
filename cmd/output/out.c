// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/output/out.h"

#include <fcntl.h>
#include <json-c/json.h>
#include <math.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/json.h"
#include "lib/base/number.h"
#include "lib/base/printable.h"

FILE *td_out_open(const char *name, bool append, struct td_err *err)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : 0);
	int fd = open(name, flags, 0666);
	FILE *fp = fd < 0 ? NULL : fdopen(fd, append ? "a" : "w");

	if (!fp) {
		td_err_set(err, -errno, "%s: %s", name, strerror(errno));
		if (err->code == -EROFS)
			td_err_hint(err, "choose a file in a writable directory, such as /tmp");
		td_close_fd(&fd);
	}
	return fp;
}

bool td_out_has_content(FILE *fp)
{
	struct stat st;

	return fstat(fileno(fp), &st) == 0 && st.st_size > 0;
}

/* Does nothing for a pipe or a device. */
void td_out_empty(FILE *fp)
{
	if (td_out_has_content(fp) && ftruncate(fileno(fp), 0))
		clearerr(fp);
}

/* Has the reader gone?  Call it after an earlier write failed, whose errno is lost. */
static bool is_reader_gone(FILE *fp)
{
	struct pollfd fd = { .fd = fileno(fp) };

	return poll(&fd, 1, 0) > 0 && fd.revents & POLLERR;
}

static int cannot_write(FILE *fp, const char *name, struct td_err *err)
{
	int error = errno ? errno : is_reader_gone(fp) ? EPIPE : EIO;

	td_err_set(err, -error, "cannot write %s: %s", name, strerror(error));
	err->reader_gone = error == EPIPE;
	return err->code;
}

int td_out_check(FILE *fp, const char *name, struct td_err *err)
{
	errno = 0;
	return fflush(fp) == 0 && !ferror(fp) ? 0 : cannot_write(fp, name, err);
}

int td_out_put(FILE *fp, const char *name, const void *bytes, size_t size, struct td_err *err)
{
	errno = 0;
	return fwrite(bytes, 1, size, fp) == size && fflush(fp) == 0 ? 0
								     : cannot_write(fp, name, err);
}

const char *td_out_format(char buf[64], int decimals, double value)
{
	return td_format_fixed(buf, 64, decimals, value);
}

void td_out_number(FILE *fp, int width, int decimals, double value)
{
	char buf[64];

	td_put_right(fp, width, td_out_format(buf, decimals, value));
}

static const struct {
	int percent_decimals;
	double enough; /* two decimals are enough for this value and larger ones */
} readers[] = {
	[TD_READER_HUMAN] = { .percent_decimals = 1, .enough = 10 },
	[TD_READER_SCRIPT] = { .percent_decimals = 2, .enough = 1000 },
};

#define MIN_DECIMALS 2
#define MAX_DECIMALS 24 /* smaller values are shown as 0 */

const char *td_out_value(char buf[TD_VALUE_SIZE], const struct td_column *column, double value,
			 enum td_reader reader)
{
	double enough = readers[reader].enough;
	int decimals = MIN_DECIMALS;
	size_t len;

	if (column->unit[0] == '%') /* also "%slots" */
		return td_format_fixed(buf, TD_VALUE_SIZE, readers[reader].percent_decimals, value);
	for (; fabs(value) < enough && decimals < MAX_DECIMALS; enough /= 10)
		decimals++;
	td_format_fixed(buf, TD_VALUE_SIZE, decimals, value);
	len = strlen(buf);
	while (decimals-- > MIN_DECIMALS && buf[len - 1] == '0')
		buf[--len] = '\0';
	return buf;
}

int td_out_part(const char *value)
{
	const char *point = strchr(value, '.');

	return point ? (int)strlen(point) : 0;
}

bool td_out_has_id(const struct td_event_row *row)
{
	return strcmp(row->id, "all") != 0;
}

const char *td_out_missing(enum td_status status)
{
	switch (status) {
	case TD_STATUS_OK:
		return NULL;
	case TD_STATUS_NOT_COUNTED:
		return "<not counted>";
	case TD_STATUS_NOT_SUPPORTED:
		return "<not supported>";
	case TD_STATUS_NONE:
		return "";
	}
	return "";
}

#define ALL_PCT 100

/* Does the interval include every share from 0 to 100 %? */
static bool is_any_share(const struct td_column *column, double value, double error)
{
	return column->unit[0] == '%' && value - error <= 0 && value + error >= ALL_PCT;
}

const char *td_out_error(char buf[TD_VALUE_SIZE], const struct td_column *column, double value,
			 double error)
{
	char text[TD_VALUE_SIZE];
	int part = td_out_part(td_out_value(text, column, value, TD_READER_HUMAN));
	int decimals = part > 1 ? part - 1 : 0;
	double digit = pow(10, decimals);

	if (is_any_share(column, value, error))
		return strcpy(buf, "?");
	snprintf(buf, TD_VALUE_SIZE, "%.*f", decimals, ceil(error * digit) / digit);
	return buf;
}

void td_out_grouped(FILE *fp, int width, const char *number)
{
	int sign = *number == '-' || *number == '+';
	int nr = (int)strspn(number + sign, "0123456789");
	int commas = nr > 0 ? (nr - 1) / 3 : 0, at = sign + nr - 3 * commas;

	td_put_blanks(fp, width - (int)strlen(number) - commas);
	td_put_bytes(fp, number, (size_t)at);
	for (; commas > 0; commas--, at += 3) {
		putc_unlocked(',', fp);
		td_put_bytes(fp, number + at, 3);
	}
	fputs_unlocked(number + at, fp);
}

void td_out_count(const struct td_writer *writer, int width, int decimals, double value)
{
	char buf[64];

	if (writer->frame->big_num)
		td_out_grouped(writer->fp, width, td_out_format(buf, decimals, value));
	else
		td_out_number(writer->fp, width, decimals, value);
}
