// SPDX-License-Identifier: GPL-2.0-only
#include "lib/recording/recording.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/compress.h"
#include "lib/base/printable.h"
#include "lib/recording/parts.h"

/* --- streams of files, which may be compressed ---------------------------- */

static const struct {
	const char *name, *command;
	size_t size;
	const char magic[TD_MAGIC_SIZE];
} others[] = {
	{ "gzip", "zcat", 2, "\x1f\x8b" },
	{ "xz", "xzcat", 6, "\xfd\x37zXZ" },
	{ "bzip2", "bzcat", 3, "BZh" },
};

static int refuse_others(const char *path, const unsigned char *magic, size_t nr,
			 struct td_err *err)
{
	td_autofree char *word = td_shell_word(strcmp(path, "-") == 0 ? "FILE" : path);

	for (size_t i = 0; i < TD_ARRAY_SIZE(others); i++) {
		if (nr < others[i].size || memcmp(magic, others[i].magic, others[i].size) != 0)
			continue;
		td_err_set(err, -EINVAL, "%s is compressed by %s", path, others[i].name);
		return td_err_hint(err, "to read it: %s %s | tdstat report -", others[i].command,
				   word);
	}
	return 0;
}

/* Read the first bytes of a file or a pipe, up to max.  Returns their number. */
static size_t read_bytes(int fd, unsigned char *bytes, size_t max)
{
	size_t size = 0;
	ssize_t nr;

	do {
		nr = read(fd, bytes + size, max - size);
		size += nr > 0 ? (size_t)nr : 0;
	} while (size < max && (nr > 0 || (nr < 0 && errno == EINTR)));
	return size;
}

/*
 * Offsets in perf.data: perf_file_header of tools/perf/util/header.h, and perf_pipe_file_header,
 * which a record with the attributes of the first event follows.
 */
static const char perf_magic[] = "PERFILE2";
#define PERF_HEADER_SIZE 8
#define PERF_PIPE_HEADER 16
#define PERF_RECORD_TYPE PERF_PIPE_HEADER
#define PERF_SAMPLE_TYPE (PERF_RECORD_TYPE + 8 + 24)
#define PERF_FEATURES    72
#define RECORD_ATTR      64
#define FEATURE_STAT     19

/* Does the header belong to counts of perf stat record, rather than samples? */
static bool has_counts(const unsigned char *head)
{
	static const unsigned char no_sample_type[8];

	if (head[PERF_HEADER_SIZE] == PERF_PIPE_HEADER)
		return head[PERF_RECORD_TYPE] == RECORD_ATTR &&
		       memcmp(head + PERF_SAMPLE_TYPE, no_sample_type, 8) == 0;
	return head[PERF_FEATURES + FEATURE_STAT / 8] & 1 << FEATURE_STAT % 8;
}

/* Return an error if magic is that of perf.data.  fd contains the rest of the file. */
static int refuse_perf(const char *path, int fd, const unsigned char *magic, struct td_err *err)
{
	td_autofree char *word = td_shell_word(path);
	unsigned char head[PERF_FEATURES + 8] = { 0 };

	if (memcmp(magic, perf_magic, TD_MAGIC_SIZE) != 0)
		return 0;
	read_bytes(fd, head + TD_MAGIC_SIZE, sizeof(head) - TD_MAGIC_SIZE);
	if (has_counts(head)) {
		td_err_set(err, -EINVAL,
			   "%s is a file of perf stat record, which tdstat does not read", path);
		return td_err_hint(
			err, "to read it: perf stat -j report -i %s 2>FILE, then give FILE instead",
			word);
	}
	td_err_set(err, -EINVAL, "%s is a file of perf record, which has no counts", path);
	return td_err_hint(err, "report shows files of tdstat record and of perf stat -x or -j");
}

/* Seek back; for a pipe, push the bytes back into the stream. */
static void give_back(FILE *fp, const unsigned char *magic, size_t nr)
{
	if (lseek(fileno(fp), -(off_t)nr, SEEK_CUR) >= 0)
		return;
	while (nr)
		ungetc(magic[--nr], fp);
}

static void look_at_file(struct td_recording *rec)
{
	struct stat st;

	rec->is_file = fstat(fileno(rec->fp), &st) == 0 && S_ISREG(st.st_mode);
	if (!rec->is_file)
		return;
	rec->dev = st.st_dev;
	rec->ino = st.st_ino;
}

/* Close the stream, unless it is standard input. */
static void close_stream(struct td_recording *rec)
{
	if (rec->fp && !rec->is_stdin)
		fclose(rec->fp);
	rec->fp = NULL;
}

/* Replace the stream with a stream of the decompressed content. */
static int unpack(struct td_recording *rec, const unsigned char *magic, size_t nr,
		  struct td_err *err)
{
	bool owned = !rec->is_stdin;
	int fd = owned ? fcntl(fileno(rec->fp), F_DUPFD_CLOEXEC, 0) : STDIN_FILENO;
	FILE *fp = fd < 0 ? NULL : td_zstd_reader(fd, owned, magic, nr, &rec->zstd, err);

	if (fd < 0)
		td_err_set(err, -errno, "%s: %s", rec->path, strerror(errno));
	else if (!fp && owned)
		td_close_fd(&fd);
	if (!fp)
		return err->code;
	close_stream(rec);
	rec->fp = fp;
	rec->is_stdin = false;
	return 0;
}

static int cannot_open(const struct td_recording *rec, int error, struct td_err *err)
{
	td_autofree char *word = td_shell_word(rec->path);
	int rc = td_err_set(err, -error, "%s: %s", rec->path, strerror(error));

	if (error != ENOENT)
		return rc;
	return *rec->path == '-'
		       ? td_err_hint(err, "after -- there are only files: options go before it")
		       : td_err_hint(err, "tdstat record -o %s makes it", word);
}

/*
 * Open rec->path, "-" for standard input, and decompress it if its first bytes are those of
 * zstd.  A file of another compressor or of perf record is an error, with a hint.
 */
static int open_stream(struct td_recording *rec, struct td_err *err)
{
	unsigned char magic[TD_MAGIC_SIZE] = { 0 };
	size_t nr;
	int rc;

	rec->is_stdin = strcmp(rec->path, "-") == 0;
	rec->fp = rec->is_stdin ? stdin : fopen(rec->path, "re");
	if (!rec->fp)
		return cannot_open(rec, errno, err);
	look_at_file(rec);
	nr = read_bytes(fileno(rec->fp), magic, TD_MAGIC_SIZE);
	if (td_zstd_is_magic(magic, nr))
		return unpack(rec, magic, nr, err);
	rc = refuse_others(rec->path, magic, nr, err);
	rc = rc ?: refuse_perf(rec->path, fileno(rec->fp), magic, err);
	if (!rc && nr)
		give_back(rec->fp, magic, nr);
	return rc;
}

/* --- recordings ------------------------------------------------------------- */

bool td_recording_is_written(const struct td_recording *rec, int fd)
{
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	return rec->is_file && flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
	       fstat(fd, &st) == 0 && st.st_dev == rec->dev && st.st_ino == rec->ino;
}

int td_recording_open(struct td_recording *rec, const char *path, const struct td_foreign *foreign,
		      struct td_err *err)
{
	int rc;

	*rec = (struct td_recording){ .path = path, .foreign = foreign };
	rc = open_stream(rec, err);
	if (rc)
		return rc;
	rc = foreign ? foreign->open(rec, err) : 1;
	return rc > 0 ? td_recording_read_head(rec, err) : rc;
}

int td_recording_next(struct td_recording *rec, uint64_t *time_ns, struct td_readings *readings,
		      struct td_err *err)
{
	return rec->perf ? rec->foreign->next(rec, time_ns, readings, err)
			 : td_recording_read_interval(rec, time_ns, readings, err);
}

static void free_names(char **names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		free(names[i]);
	free(names);
}

void td_recording_close(struct td_recording *rec)
{
	close_stream(rec);
	free(rec->text);
	if (rec->perf)
		rec->foreign->free(rec->perf);
	free(rec->info.target.text);
	td_identity_free(&rec->info.identity);
	free(rec->places);
	free_names(rec->info.ask.names, rec->info.ask.nr_names);
	free_names(rec->info.cgroups, rec->info.nr_cgroups);
	free_names(rec->info.containers, rec->info.nr_containers);
	td_task_names_free(&rec->names);
	td_regions_free(&rec->regions);
	td_timeline_free(&rec->timeline);
	td_latencies_free(&rec->latencies);
	td_plan_free(&rec->plan);
	td_machine_free(&rec->machine);
	*rec = (struct td_recording){ 0 };
}

/* Does text begin like the first line of a recording, with any blanks? */
static bool is_head(const char *text)
{
	static const char *const tokens[] = { "{", "\"tdstat\"", ":" };

	for (size_t i = 0; i < TD_ARRAY_SIZE(tokens); i++) {
		text += strspn(text, " \t\r\n");
		if (strncmp(text, tokens[i], strlen(tokens[i])) != 0)
			return false;
		text += strlen(tokens[i]);
	}
	return true;
}

bool td_recording_is_at(const char *path)
{
	struct td_recording rec = { .path = path };
	struct td_err unused = { 0 };
	char text[128];
	struct stat st;
	size_t size = 0;
	int rc;

	/* opening a FIFO or a device may block or have an effect */
	if (strcmp(path, "-") == 0 || stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	rc = open_stream(&rec, &unused);
	if (!rc)
		size = fread(text, 1, sizeof(text) - 1, rec.fp);
	close_stream(&rec);
	text[size] = '\0';
	/* without libzstd, assume that a compressed file is a recording */
	return rc == -ELIBACC || is_head(text);
}

/* --- consecutive files: members that have to be equal ------------------------ */

static bool is_same_machine(const struct td_machine *a, const struct td_machine *b)
{
	if (!td_cpuid_is_same(&a->cpuid, &b->cpuid) || a->smt != b->smt || a->nr_pmus != b->nr_pmus)
		return false;
	for (size_t i = 0; i < a->nr_pmus; i++) {
		if (strcmp(a->pmus[i].name, b->pmus[i].name) != 0 ||
		    a->pmus[i].type != b->pmus[i].type)
			return false;
	}
	return true;
}

static bool has_same_group(const struct td_group *a, const struct td_group *b)
{
	return a->nr == b->nr && a->clone == b->clone &&
	       memcmp(a->members, b->members, a->nr * sizeof(*a->members)) == 0;
}

static bool has_same_events(const struct td_plan *a, const struct td_plan *b)
{
	if (a->events.nr != b->events.nr || a->nr_groups != b->nr_groups)
		return false;
	for (size_t i = 0; i < a->events.nr; i++) {
		if (strcmp(a->events.v[i].name, b->events.v[i].name) != 0 ||
		    a->events.v[i].pmu != b->events.v[i].pmu)
			return false;
	}
	for (size_t i = 0; i < a->nr_groups; i++) {
		if (!has_same_group(&a->groups[i], &b->groups[i]))
			return false;
	}
	return true;
}

static bool has_same_cgroups(const struct td_recording_info *a, const struct td_recording_info *b)
{
	if (a->nr_cgroups != b->nr_cgroups)
		return false;
	for (size_t i = 0; i < a->nr_cgroups; i++) {
		if (strcmp(a->cgroups[i], b->cgroups[i]) != 0)
			return false;
	}
	return true;
}

static bool has_same_options(const struct td_recording_info *a, const struct td_recording_info *b)
{
	return a->target.kind == b->target.kind && strcmp(a->target.text, b->target.text) == 0 &&
	       a->tasks == b->tasks && a->of_events == b->of_events && a->how == b->how &&
	       a->sums == b->sums && a->cache_level == b->cache_level && has_same_cgroups(a, b);
}

/* --- places ------------------------------------------------------------------ */

static size_t nr_places(const struct td_recording *rec)
{
	return rec->places ? rec->machine.online.nr : 0;
}

static bool has_place(const struct td_recording *rec, const struct td_place *place)
{
	for (size_t i = 0; i < nr_places(rec); i++) {
		if (memcmp(&rec->places[i], place, sizeof(*place)) == 0)
			return true;
	}
	return false;
}

bool td_recording_has_other_host(const struct td_recording_info *a,
				 const struct td_recording_info *b)
{
	const char *of_a = a->identity.host, *of_b = b->identity.host;

	return of_a && of_b && strcmp(of_a, of_b) != 0;
}

/* Does rec have all places of part?  Between files, CPUs may come and go, but do not move. */
static bool has_places_of(const struct td_recording *rec, const struct td_recording *part)
{
	for (size_t i = 0; i < nr_places(part); i++) {
		if (!has_place(rec, &part->places[i]))
			return false;
	}
	return !rec->places == !part->places;
}

/* --- the answer -------------------------------------------------------------- */

static int differ(const struct td_recording *rec, const struct td_recording *next, const char *what,
		  struct td_err *err)
{
	td_err_set(err, -EINVAL, "%s does not continue %s: %s", next->path, rec->path, what);
	return td_err_hint(err, "for each file: tdstat report FILE; to compare two: tdstat diff");
}

int td_recording_continues(const struct td_recording *rec, const struct td_recording *next,
			   uint64_t since_ns, struct td_err *err)
{
	const struct td_recording_info *a = &rec->info, *b = &next->info;

	if (rec->perf || next->perf)
		return differ(rec, next, "files of perf stat have no start time", err);
	if (!a->interval_ms || !b->interval_ms)
		return differ(rec, next, "recorded without -I", err);
	if (!is_same_machine(&rec->machine, &next->machine) ||
	    (!has_places_of(rec, next) && !has_places_of(next, rec)))
		return differ(rec, next, "another machine", err);
	if (!has_same_events(&rec->plan, &next->plan))
		return differ(rec, next, "other events", err);
	if (!has_same_options(a, b))
		return differ(rec, next, "recorded with other options", err);
	if (b->start_ns && (b->start_ns < a->start_ns || b->start_ns < since_ns))
		return differ(rec, next,
			      "it began before: files are given in the order of their times", err);
	return 0;
}

/* --- the next file ------------------------------------------------------------ */

/* Starts are rounded down to milliseconds. */
#define START_ERROR_NS TD_NS_A_MS

/*
 * Find the start of next, relative to the start of the first file.  If it is unknown, use the end
 * of rec.
 */
static int find_base(const struct td_recording *rec, const struct td_recording *next,
		     uint64_t *base_ns, struct td_err *err)
{
	uint64_t start_ns = rec->info.start_ns;

	*base_ns = rec->time_ns;
	if (!start_ns || !next->info.start_ns)
		return 0;
	*base_ns = td_since(next->info.start_ns, start_ns);
	if (*base_ns + START_ERROR_NS < rec->time_ns)
		return differ(rec, next, "it began before the other one ended", err);
	if (*base_ns < rec->time_ns + START_ERROR_NS)
		*base_ns = rec->time_ns;
	return 0;
}

/* Copy the members that belong to the file.  Keep the others, to which callers have pointers. */
static void move_file(struct td_recording *to, const struct td_recording *from)
{
	to->fp = from->fp;
	to->zstd = from->zstd;
	to->path = from->path;
	to->text = from->text;
	to->size = from->size;
	to->is_stdin = from->is_stdin;
	to->is_file = from->is_file;
	to->dev = from->dev;
	to->ino = from->ino;
	to->line = from->line;
}

static void move_places(struct td_recording *to, const struct td_recording *from)
{
	to->places = from->places;
	to->machine.online = from->machine.online;
}

static void move(struct td_recording *rec, struct td_recording *next)
{
	const struct td_recording before = *rec;

	move_file(rec, next);
	move_file(next, &before);
	rec->ended = rec->cut_off = false;
	rec->usage = (struct td_usage){ 0 };
	td_latencies_free(&rec->latencies);
	if (nr_places(next) <= nr_places(&before))
		return;
	move_places(rec, next);
	move_places(next, &before);
}

int td_recording_follow(struct td_recording *rec, const char *path, struct td_err *err)
{
	struct td_recording next;
	uint64_t base_ns = 0;
	int rc = td_recording_open(&next, path, rec->foreign, err);

	rc = rc ?: td_recording_continues(rec, &next, 0, err);
	rc = rc ?: find_base(rec, &next, &base_ns, err);
	if (!rc) {
		move(rec, &next);
		rec->base_ns = rec->time_ns = base_ns;
	}
	td_recording_close(&next);
	return rc;
}
