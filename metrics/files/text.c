// SPDX-License-Identifier: GPL-2.0-only
/* Reads files, and finds units and events to sample in descriptions. */
#include "metrics/files/parts.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "lib/base/util.h"

/* Read all of fp.  Returns -EILSEQ at a NUL byte. */
static int read_stream(FILE *fp, char **text)
{
	size_t size = 0;
	ssize_t len;

	errno = 0;
	len = getdelim(text, &size, '\0', fp);
	if (len < 0 && !feof(fp)) {
		td_memory_check();
		return errno ? -errno : -EIO;
	}
	if (len < 0) {
		free(*text);
		*text = td_strdup("");
		return 0;
	}
	return (*text)[len - 1] ? 0 : -EILSEQ;
}

/* Name the kind of a special file; NULL for others, including directories, which fail when read. */
static const char *kind_of(mode_t mode)
{
	if (S_ISFIFO(mode))
		return "a FIFO";
	if (S_ISSOCK(mode))
		return "a socket";
	return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : NULL;
}

/* Open a regular file.  Opening a special file might block or have effects. */
static FILE *open_file(const char *path, struct td_err *err)
{
	struct stat st;
	const char *kind = stat(path, &st) == 0 ? kind_of(st.st_mode) : NULL;
	int fd = kind ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *fp = fd < 0 ? NULL : fdopen(fd, "r");

	if (fp)
		return fp;
	if (kind) {
		td_err_set(err, -EINVAL, "%s: %s, not a file", path, kind);
	} else {
		td_memory_check();
		td_err_set(err, -errno, "%s: %s", path, strerror(errno));
	}
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

/* Suffix of precise events in older files. */
#define PRECISE "_PS"

#define NAME_LETTERS                                                       \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_." \
	";"

/* Return the length of a name without trailing dots and PRECISE. */
static size_t bare_length(const char *name, size_t len)
{
	size_t mark = strlen(PRECISE);

	while (len && name[len - 1] == '.')
		len--;
	if (len > mark && strncmp(name + len - mark, PRECISE, mark) == 0)
		len -= mark;
	return len;
}

/* Return the events of "A.B_PS;C.D" as "A.B;C.D"; NULL for "#NA" and the like. */
static char *sample_names(const char *text)
{
	size_t left = strspn(text, NAME_LETTERS), len, bare;
	char *names, *end;

	if (!left || (text[left] && !strchr(" ,", text[left])))
		return NULL;
	names = end = td_malloc(left + 1);
	for (; left; text += len, left -= len) {
		len = strcspn(text, ";");
		len = len < left ? len : left;
		bare = bare_length(text, len);
		if (bare && end > names)
			*end++ = ';';
		memcpy(end, text, bare);
		end += bare;
		len += len < left;
	}
	*end = '\0';
	return names;
}

char *td_sample_from_words(const char *desc)
{
	const char *from = desc ? strstr(desc, INTRODUCTION) : NULL;

	if (!from)
		return NULL;
	from += strlen(INTRODUCTION);
	return sample_names(from + strspn(from, " "));
}

/*
 * Return true if a description contains a word such as "Estimated", "estimation" or "approximates".
 */
bool td_is_estimate(const char *desc)
{
	return desc && (strstr(desc, "stimat") || strstr(desc, "pproximat"));
}

/* --- units ------------------------------------------------------------------ */

/* The metric whose formula is duration_time, in files of Linux 6.13 and later. */
#define TIME "tma_info_system_time"

/* Parts of a formula that confirm the unit found in the description or name of its metric. */
enum proof {
	PER_SECOND, /* division by duration_time; the formula of UPI's "MB / sec" lacks it */
	NANOSECONDS,
	HUNDREDFOLD,
	OF_HUNDRED, /* also confirms a remainder, "100 - (" */
	THOUSANDFOLD,
	NONE_NEEDED,
};

static const char *const proofs[] = {
	[PER_SECOND] = "duration_time", [NANOSECONDS] = "1e9 *",  [HUNDREDFOLD] = "100 *",
	[OF_HUNDRED] = "100 ",          [THOUSANDFOLD] = "1e3 *", [NONE_NEEDED] = "",
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
	/* Intel's own tables give these metrics the unit "Scaled_Slots", a share of the slots */
	{ "bottleneck_", "1%", OF_HUNDRED },
	{ "_pki", "1per_kinstr", THOUSANDFOLD },
};

static bool is_proven(const char *formula, enum proof proof)
{
	/* a formula may be just the name of another metric, whose formula contains the factor */
	return !formula[strcspn(formula, " +-*/()")] || strstr(formula, proofs[proof]) ||
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

void td_unit_from_words(struct td_model_metric *metric)
{
	const char *unit = metric->unit ? NULL : find_unit(metric);

	if (unit)
		metric->unit = td_strdup(unit);
}
