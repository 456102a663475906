// SPDX-License-Identifier: GPL-2.0-only
/* The texts of files, and what the words of a description tell. */
#include "metrics/files/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/util.h"

/* Reads all of fp.  Returns -EILSEQ at a NUL byte. */
static int read_stream(FILE *fp, char **text)
{
	size_t size = 0;
	ssize_t len;

	errno = 0;
	len = getdelim(text, &size, '\0', fp);
	if (len < 0 && !feof(fp))
		return errno ? -errno : -EIO;
	if (len < 0) {
		free(*text);
		*text = strdup("");
		return *text ? 0 : -ENOMEM;
	}
	return (*text)[len - 1] ? 0 : -EILSEQ;
}

/*
 * What kind of special file it is; NULL for files, and for folders, for which
 * reading fails with a good message.
 */
static const char *kind_of(mode_t mode)
{
	if (S_ISFIFO(mode))
		return "a FIFO";
	if (S_ISSOCK(mode))
		return "a socket";
	return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : NULL;
}

/*
 * Opens a regular file.  Special files are refused first, as opening one may
 * block or have effects.
 */
static FILE *open_file(const char *path, struct td_err *err)
{
	struct stat st;
	const char *kind = stat(path, &st) == 0 ? kind_of(st.st_mode) : NULL;
	int fd = kind ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *fp = fd < 0 ? NULL : fdopen(fd, "r");

	if (fp)
		return fp;
	if (kind)
		td_err_set(err, -EINVAL, "%s: %s, not a file", path, kind);
	else
		td_err_set(err, -errno, "%s: %s", path, strerror(errno));
	td_close_fd(&fd);
	return NULL;
}

int td_pmu_events_text(const char *path, char **text, struct td_err *err)
{
	FILE *fp = open_file(path, err);
	int rc;

	if (!fp)
		return err->code;
	rc = read_stream(fp, text);
	fclose(fp);
	if (rc == -EILSEQ)
		return td_err_set(err, -EINVAL, "%s: a NUL byte", path);
	if (rc)
		return td_err_set(err, rc, "%s: %s", path, strerror(-rc));
	return 0;
}

char *td_aprintf(const char *fmt, ...)
{
	char *text;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	return len < 0 ? NULL : text;
}

char *td_lower(char *text)
{
	for (char *c = text; c && *c; c++) {
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c | 0x20);
	}
	return text;
}

/* --- events that a metric's description names for sampling ---------------- */

#define INTRODUCTION "Sample with:"

/* An old mark of names for precise events. */
#define PRECISE "_PS"

#define NAME_LETTERS                                                       \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_." \
	";"

/* The length of a name without dots behind it and without its mark. */
static size_t bare_length(const char *name, size_t len)
{
	size_t mark = strlen(PRECISE);

	while (len && name[len - 1] == '.')
		len--;
	if (len > mark && strncmp(name + len - mark, PRECISE, mark) == 0)
		len -= mark;
	return len;
}

int td_sample_names(const char *text, char **out)
{
	size_t left = strspn(text, NAME_LETTERS), len, bare;
	char *end;

	*out = NULL;
	/* "#NA" and the like */
	if (!left || (text[left] && !strchr(" ,", text[left])))
		return 0;
	*out = end = malloc(left + 1);
	if (!end)
		return -ENOMEM;
	for (; left; text += len, left -= len) {
		len = strcspn(text, ";");
		len = len < left ? len : left;
		bare = bare_length(text, len);
		if (bare && end > *out)
			*end++ = ';';
		memcpy(end, text, bare);
		end += bare;
		len += len < left;
	}
	*end = '\0';
	return 0;
}

int td_sample_from_words(const char *desc, char **out)
{
	const char *from = desc ? strstr(desc, INTRODUCTION) : NULL;

	*out = NULL;
	if (!from)
		return 0;
	from += strlen(INTRODUCTION);
	return td_sample_names(from + strspn(from, " "), out);
}

/* "Estimated", "*rough estimation*", "approximates": in any case of the first letter. */
bool td_is_estimate(const char *desc)
{
	return desc && (strstr(desc, "stimat") || strstr(desc, "pproximat"));
}

/* --- units that words tell ------------------------------------------------ */

/* The metric that is duration_time, in the kernel tree since Linux 6.13. */
#define TIME "tma_info_system_time"

/* What a formula must contain before words are believed to name its unit. */
enum proof {
	PER_SECOND, /* division by the time; UPI's "MB / sec" lacks it */
	NANOSECONDS,
	HUNDREDFOLD,
	OF_HUNDRED, /* also what others leave of it: "100 - (" */
	THOUSANDFOLD,
	NONE_NEEDED,
};

static const char *const proofs[] = {
	[PER_SECOND] = "duration_time", [NANOSECONDS] = "1e9 *",
	[HUNDREDFOLD] = "100 *",        [OF_HUNDRED] = "100 ",
	[THOUSANDFOLD] = "1e3 *",       [NONE_NEEDED] = "",
};

static const struct {
	const char *words; /* part of the description */
	const char *unit;
	enum proof proof;
} described[] = {
	{ "[GB / sec]", "1GB/s", PER_SECOND },
	{ "[MB / sec]", "1MB/s", PER_SECOND },
	{ "[GHz]", "1GHz", PER_SECOND },
	{ "[GHZ]", "1GHz", PER_SECOND },
	{ "in nanoseconds", "1ns", NANOSECONDS },
	{ "(in core cycles)", "1cycles", NONE_NEEDED },
	{ "Percentage of", "1%", HUNDREDFOLD },
	{ "per kilo instruction", "1per_kinstr", THOUSANDFOLD },
	{ "per Kilo instruction", "1per_kinstr", THOUSANDFOLD },
};

static const struct {
	const char *part; /* part of the name */
	const char *unit;
	enum proof proof;
} named[] = {
	{ "_bw", "1GB/s", PER_SECOND },
	{ "_%_", "1%", HUNDREDFOLD },
	/* a share of the slots: "Scaled_Slots" in Intel's own tables */
	{ "bottleneck_", "1%", OF_HUNDRED },
	{ "_pki", "1per_kinstr", THOUSANDFOLD },
};

/*
 * Is the formula just another metric's name?  Then the factor is in that
 * metric's formula.
 */
static bool is_alias(const char *formula)
{
	return !formula[strcspn(formula, " +-*/()")];
}

static bool is_proven(const char *formula, enum proof proof)
{
	return is_alias(formula) || strstr(formula, proofs[proof]) ||
	       (proof == PER_SECOND && strstr(formula, TIME));
}

static const char *find_unit(const struct td_model_metric *metric)
{
	for (size_t i = 0; metric->desc && i < TD_ARRAY_SIZE(described); i++) {
		if (strstr(metric->desc, described[i].words) &&
		    is_proven(metric->formula, described[i].proof))
			return described[i].unit;
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(named); i++) {
		if (strstr(metric->name, named[i].part) &&
		    is_proven(metric->formula, named[i].proof))
			return named[i].unit;
	}
	return NULL;
}

int td_unit_from_words(struct td_model_metric *metric, struct td_err *err)
{
	const char *unit = metric->unit ? NULL : find_unit(metric);

	if (!unit)
		return 0;
	metric->unit = strdup(unit);
	return metric->unit ? 0 : td_err_nomem(err);
}
