// SPDX-License-Identifier: GPL-2.0-only
/* Turns what perf counted into readings, interval by interval. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/recording/fill.h"
#include "lib/recording/perf/parts.h"
#include "lib/recording/perf/perf.h"

#define MILLION 1000000

static uint64_t part(uint64_t value, uint64_t enabled, uint64_t running)
{
	return (uint64_t)llround((double)value * (double)running /
				 (double)enabled);
}

static bool gives_back(uint64_t value, uint64_t count,
		       const struct td_perf_reading *r)
{
	double scaled =
		(double)count * (double)r->enabled_ns / (double)r->running_ns;

	return fabs(scaled - (double)value) < 0.5;
}

/*
 * perf wrote the scaled value, and of the time enabled only a rounded
 * percentage.  Finds a raw count, and a time enabled close to that percentage,
 * which give exactly value when scaled up.
 */
static uint64_t unscaled(uint64_t value, struct td_perf_reading *r)
{
	uint64_t said = r->enabled_ns, fits, count;

	if (!r->running_ns || r->running_ns >= said)
		return value;
	count = part(value, said, r->running_ns);
	fits = count ? part(value, count, r->running_ns) : said;
	if (fits < said + said / 200 && fits + said / 200 > said)
		r->enabled_ns = fits;
	for (int i = 0; i < 64; i++) {
		count = part(value, r->enabled_ns, r->running_ns);
		if (gives_back(value, count, r))
			return count;
		r->enabled_ns += 1 + said / MILLION;
	}
	r->enabled_ns = said;
	return part(value, said, r->running_ns);
}

static uint64_t count_of(const struct td_perf_event *event,
			 struct td_perf_reading *r)
{
	uint64_t value = r->value.whole;

	if (td_perf_in_millionths(event))
		value = value * MILLION + r->value.micro;
	return unscaled(value, r);
}

static struct td_reading reading_of(const struct td_perf_file *file,
				    struct td_perf_reading r)
{
	const struct td_perf_place *place = &file->places[r.place];
	uint64_t count = count_of(&file->events[r.event], &r);

	return (struct td_reading){
		.event = (int)r.event,
		.cpu = place->unit.place.cpu,
		.tid = file->of_command && place->unit.tid < 0
			       ? 0
			       : place->unit.tid,
		.value = count,
		.enabled_ns = r.enabled_ns,
		.running_ns = r.running_ns,
		.cgroup = place->cgroup_index + 1,
		.nr = r.nr,
	};
}

static int fill_readings(const struct td_perf_file *file, size_t from,
			 size_t end, struct td_readings *readings)
{
	if (td_recording_resize(readings, end - from))
		return -ENOMEM;
	for (size_t i = from; i < end; i++)
		readings->v[i - from] = reading_of(file, file->readings[i]);
	return 0;
}

/* Returns 1: there are no more intervals. */
static int end(struct td_recording *rec)
{
	rec->ended = !rec->perf->cut_off;
	if (rec->ended)
		rec->usage.elapsed_ns = td_perf_file_elapsed_ns(rec->perf);
	return 1;
}

int td_perf_output_next(struct td_recording *rec, uint64_t *time_ns,
			struct td_readings *readings, struct td_err *err)
{
	struct td_perf_file *file = rec->perf;
	size_t next = file->next_interval + 1;
	const struct td_perf_interval *interval = &file->intervals[next - 1];

	if (next > file->nr_intervals)
		return end(rec);
	*time_ns =
		file->timed ? interval->time_ns : td_perf_file_elapsed_ns(file);
	if (td_recording_set_time(rec, *time_ns))
		return td_err_set(err, -EINVAL, "%s: the time goes backwards",
				  file->path);
	rec->times.has_cpu_times = file->has_cpu_times;
	rec->times.user_ns = interval->user_ns;
	rec->times.system_ns = interval->system_ns;
	file->next_interval = next;
	return fill_readings(file, interval->first,
			     next < file->nr_intervals ? interval[1].first
						       : file->nr_readings,
			     readings)
		       ? td_err_nomem(err)
		       : 0;
}

/* --- output --------------------------------------------------------------- */

#define MAX_LINE (1 << 20) /* metric-only lines are the longest */

struct reader {
	struct td_perf_file *file;
	FILE *in;
	char *text;
	char separator; /* '{': JSON; '\0': not known yet */
	bool started;   /* perf's first line was read */
};

/* Reads the next whole line, without its line feed.  Returns 1 at the end. */
static int next_line(struct reader *r, struct td_err *err)
{
	size_t len;

	if (!fgets(r->text, MAX_LINE, r->in)) {
		if (ferror(r->in))
			return td_err_set(err, -EIO, "%s: %s", r->file->path,
					  strerror(errno));
		return 1;
	}
	r->file->line++;
	len = strlen(r->text);
	if (len && r->text[len - 1] == '\n') {
		r->text[len - 1] = '\0';
		return 0;
	}
	if (!feof(r->in))
		return td_perf_file_bad(
			r->file, err,
			r->file->line > 1
				? "a NUL byte, or more than 1 MiB"
				: "this is neither a recording nor what "
				  "perf stat wrote");
	r->file->cut_off = true;
	return 1;
}

/* The first line has names, others have values; both end in a separator. */
static bool is_metric_only(const struct reader *r)
{
	size_t len = strlen(r->text);
	const char *text = r->text + strspn(r->text, " ");

	/* counts without a metric end in two separators */
	return len > 1 && strchr(",;|@\t: ", r->text[len - 1]) &&
	       r->text[len - 1] != r->text[len - 2] &&
	       (r->started || isdigit((unsigned char)*text) ||
		strncmp(text, "time,", 5) == 0 || strstr(text, "%  "));
}

/* How many fields there are, each with a text, and behind each the last character. */
static size_t count_named(const char *text)
{
	size_t len = strlen(text), nr = 0, width = 0;

	for (size_t i = 0; i < len; i++) {
		if (text[i] != text[len - 1]) {
			width++;
			continue;
		}
		if (!width)
			return 0;
		width = 0;
		nr++;
	}
	return nr;
}

/*
 * Are this line and the next one names and values of metrics, as --metric-only writes
 * them?  Reads the next line if this may be one of names.
 */
static bool has_names_and_values(struct reader *r)
{
	size_t len = strcspn(r->text, "\r"), nr;
	char separator = len ? r->text[len - 1] : '\0';
	const char *last;

	r->text[len] = '\0';
	nr = strchr(",;|@\t:", separator) ? count_named(r->text) : 0;
	if (!separator || !nr || !fgets(r->text, MAX_LINE, r->in))
		return false;
	len = strcspn(r->text, "\r\n");
	r->text[len] = '\0';
	if (!len || r->text[len - 1] != separator || count_named(r->text) != nr)
		return false;
	r->text[len - 1] = '\0';
	last = strrchr(r->text, separator);
	last = last ? last + 1 : r->text;
	return *last && last[strspn(last, "0123456789.-naif")] == '\0';
}

static int only_metrics(const struct reader *r, struct td_err *err)
{
	td_err_set(err, -EINVAL, "%s: only metrics, no counts: nothing to show",
		   r->file->path);
	return td_err_hint(err, "perf stat without --metric-only and --topdown "
				"writes the counts");
}

static int text_output(const struct reader *r, struct td_err *err)
{
	td_err_set(err, -EINVAL, "%s: the text output of perf stat",
		   r->file->path);
	return td_err_hint(err, "only the output of perf stat -x, or perf stat "
				"-j can be read");
}

/* Finds out from the first line with text whether it is -x or -j. */
static int find_form(struct reader *r, struct td_err *err)
{
	if (*r->text == '{')
		r->separator = '{';
	else if (td_perf_csv_separator(r->text, &r->separator))
		return td_err_nomem(err);
	if (r->separator)
		return 0;
	if (strstr(r->text, "Performance counter stats for"))
		return text_output(r, err);
	if (td_perf_csv_has_decimal_commas(r->text)) {
		td_err_set(err, -EINVAL,
			   "%s:%zu: decimal commas between columns that are "
			   "separated by commas",
			   r->file->path, r->file->line);
		return td_err_hint(err, "LC_ALL=C perf stat -x, writes decimal "
					"points; -x\\; separates the columns "
					"by semicolons");
	}
	if (is_metric_only(r) || has_names_and_values(r))
		return only_metrics(r, err);
	if (!r->started)
		return 1;
	return td_perf_file_bad(r->file, err,
				"no count of perf stat -x: expected value, "
				"unit, event, run time and percentage between "
				"separators such as , or ;");
}

static int bad_csv(const struct reader *r, struct td_err *err)
{
	return td_err_set(err, -EINVAL,
			  "%s:%zu: no count of perf stat -x '%c': expected "
			  "value, unit, event, run time and percentage",
			  r->file->path, r->file->line, r->separator);
}

static int bad_json(struct reader *r, int rc, struct td_err *err)
{
	if (!r->file->nr_events && strstr(r->text, "}{") &&
	    !strstr(r->text, "\"counter-value\""))
		return only_metrics(r, err); /* as 6.1 writes them */
	if (rc == -EILSEQ)
		return td_perf_file_bad(r->file, err, "not JSON");
	if (!r->started && !r->file->nr_events && !r->file->metrics)
		return 1;
	return td_perf_file_bad(r->file, err,
				"no count of perf stat -j: expected "
				"counter-value, event, event-runtime and "
				"pcnt-running");
}

static int add_line(struct reader *r, struct td_err *err)
{
	struct td_perf_line line = { 0 };
	struct td_perf_json json = { 0 };
	bool is_json = r->separator == '{';
	int rc = is_json ? td_perf_json_parse(&json, r->text, &line)
			 : td_perf_csv_parse(r->text, r->separator, &line);

	if (rc == TD_PERF_IS_COUNT)
		rc = td_perf_file_add(r->file, &line, err);
	else if (rc == TD_PERF_IS_METRIC)
		r->file->metrics = true;
	else if (rc == -ENOMEM)
		td_err_nomem(err);
	else if (rc < 0)
		rc = is_json ? bad_json(r, rc, err) : bad_csv(r, err);
	td_perf_json_free(&json);
	return rc == TD_PERF_IS_METRIC || rc == TD_PERF_IS_SUMMARY ? 0 : rc;
}

/* perf begins with "# started on"; a second one belongs to another run. */
static int take_comment(struct reader *r, struct td_err *err)
{
	bool started = strncmp(r->text, "# started on", 12) == 0;
	const char *title = r->text + 1 + strspn(r->text + 1, " ");

	/* with -I, text begins with the titles of its columns, time being the first */
	if (title > r->text + 1 && strncmp(title, "time ", 5) == 0)
		return text_output(r, err);

	if (started && r->file->nr_events)
		return td_perf_file_bad(r->file, err,
					"a second run (perf stat --append): "
					"a file must have one run only");
	r->started |= started;
	return 0;
}

/* 1: not perf's. */
static int take_line(struct reader *r, struct td_err *err)
{
	int rc = 0;

	if (r->text[strspn(r->text, " \r")] == '\0')
		return 0;
	if (*r->text == '#')
		return take_comment(r, err);
	if (!r->separator)
		rc = find_form(r, err);
	return rc ? rc : add_line(r, err);
}

static int check_counts(const struct reader *r, struct td_err *err)
{
	if (r->file->nr_events)
		return 0;
	if (r->file->metrics)
		return only_metrics(r, err);
	if (!r->started)
		return 1;
	return td_err_set(err, -EINVAL, "%s: perf stat wrote no counts",
			  r->file->path);
}

static int read_lines(struct reader *r, struct td_err *err)
{
	int rc = 0;
	bool more = true;

	while (!rc && more) {
		rc = next_line(r, err);
		more = rc == 0;
		rc = more ? take_line(r, err) : rc < 0 ? rc : 0;
	}
	if (!rc)
		rc = check_counts(r, err);
	return rc ? rc : td_perf_file_check_counts(r->file, err);
}

/* 1: not perf's. */
static int read_file(FILE *in, struct td_perf_file *file, struct td_err *err)
{
	struct reader r = { .file = file, .in = in, .text = malloc(MAX_LINE) };
	int rc = r.text ? read_lines(&r, err) : td_err_nomem(err);

	free(r.text);
	return rc;
}

/* --- the kind of file ----------------------------------------------------- */

/* True for a recording and an empty file.  Puts back what it has read. */
static bool is_own(FILE *fp)
{
	static const char head[] = "{\"td";
	size_t nr = 0;
	int c = 0;

	while (nr < sizeof(head) - 1 && (c = getc(fp)) == head[nr])
		nr++;
	if (nr == sizeof(head) - 1 || c == EOF) {
		while (nr > 0)
			ungetc(head[--nr], fp);
		return true;
	}
	ungetc(c, fp);
	while (nr > 0)
		ungetc(head[--nr], fp);
	return false;
}

/* Rewinds, so that the reader of recordings can say what is wrong. */
static int give_back(FILE *fp, const char *path, struct td_err *err)
{
	if (fseek(fp, 0, SEEK_SET) == 0)
		return 1;
	return td_err_set(err, -EINVAL,
			  "%s: neither a recording nor output of perf stat "
			  "-x or -j",
			  path);
}

int td_perf_output_open(struct td_recording *rec, struct td_err *err)
{
	struct td_perf_file *file;
	int rc;

	if (is_own(rec->fp))
		return 1;
	file = calloc(1, sizeof(*file));
	if (!file)
		return td_err_nomem(err);
	file->path = rec->path;
	rc = read_file(rec->fp, file, err);
	if (!rc && td_perf_file_fill(file, rec))
		rc = td_err_nomem(err);
	if (!rc) {
		rec->perf = file;
		rc = td_perf_find_command(rec) ? td_err_nomem(err) : 0;
	} else {
		td_perf_output_free(file);
	}
	return rc > 0 ? give_back(rec->fp, rec->path, err) : rc;
}

void td_perf_output_free(struct td_perf_file *file)
{
	if (file)
		td_perf_file_free(file);
	free(file);
}
