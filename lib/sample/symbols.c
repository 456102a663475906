// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/symbols.h"

#include <poll.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/sample/parts.h"

/* Limits that suffice on a machine that is a hundred times overloaded. */
#define OBJECT_NS (30 * TD_NS_A_SECOND)
#define ALL_NS    (60 * TD_NS_A_SECOND)

#define BUFFER (8 * (size_t)TD_FOUND_MAX)

/* --- reasons for missing symbols -------------------------------------------- */

static const struct {
	int rc;
	const char *reason;
} reasons[] = {
	{ -ENODATA, "has no symbols" },
	{ -ESTALE, "is a different file than what ran" },
	{ -EINVAL, "is not a regular file" },
	{ -ENOEXEC, "is not an ELF file" },
	{ -EIDRM, "is deleted" },
	{ -ELIBACC, "cannot be read without libdw.so.1 of elfutils" },
	{ -E2BIG, "has more symbols than are read" },
	{ -EILSEQ, "is not a list of symbols" },
	{ -EFBIG, "its debug file is too large to be read" },
	{ -EOVERFLOW, "its debugging information is too large to be read" },
	{ -ENOMEM, "its symbols need too much memory" },
	{ -EFAULT, "its symbols crashed the process that reads them" },
	{ -ETIME, "its symbols took too long to read" },
};

const char *td_symbols_reason(const struct td_object *object, int rc)
{
	if (object->kind == TD_OBJECT_KERNEL && rc == -EACCES)
		return "/proc/kallsyms shows no addresses (sysctl kernel.kptr_restrict)";
	for (size_t i = 0; i < TD_ARRAY_SIZE(reasons); i++) {
		if (reasons[i].rc == rc)
			return reasons[i].reason;
	}
	return strerror(-rc);
}

/* Adds a note; named: all names were found, and only lines are missing. */
static void note_reason(const struct td_symbols *symbols, const struct td_object *object, int rc,
			bool named)
{
	const char *missing = "addresses without names", *reason = td_symbols_reason(object, rc);

	if (named || rc == -EOVERFLOW)
		missing = "no lines";
	else if (rc == -E2BIG || rc == -EILSEQ)
		missing = "addresses without names among them";
	if (object->kind != TD_OBJECT_MEMORY)
		td_notes_add(symbols->notes, "%s: %s: %s", object->path, reason, missing);
	else if (object->pid > 0)
		td_notes_add(symbols->notes,
			     "process %d: memory without a file, and /tmp/perf-%d.map: %s: %s",
			     object->pid, object->pid,
			     rc == -EPERM ? "belongs to another user" : reason, missing);
}

/* --- one process ------------------------------------------------------------ */

/* A search for unknown locations.  If a process fails, the next one continues. */
struct search {
	struct td_symbols *symbols;
	struct td_locations *locations;
	const int *unknown; /* td_locations_unknown() */
	size_t nr_unknown;
	struct td_search_process process;
	struct td_found_reader reader;
	char *bytes; /* bytes that were received and not yet read */
	size_t nr;
	uint64_t object_ns; /* start of the current object */
};

/* Returns the index of the first location whose object has not been searched. */
static size_t find_next(const struct search *s)
{
	size_t i = 0;

	while (i < s->nr_unknown && s->locations->v[s->unknown[i]].object <= s->reader.after)
		i++;
	return i;
}

/* Reads all complete records. */
static int read_records(struct search *s)
{
	size_t at = 0, length;
	int kind;

	while ((kind = td_found_read(&s->reader, s->bytes + at, s->nr - at, &length)) >
	       TD_FOUND_MORE) {
		at += length;
		if (kind == TD_FOUND_OBJECT)
			s->object_ns = td_now_ns();
		if (kind == TD_FOUND_END && s->reader.rc)
			note_reason(s->symbols, &s->locations->objects[s->reader.after],
				    s->reader.rc, false);
	}
	s->nr -= at;
	memmove(s->bytes, s->bytes + at, s->nr);
	return kind;
}

/* Returns the time until the next record is due; 0: it is late. */
static int time_left_ms(const struct search *s, uint64_t start_ns)
{
	uint64_t now = td_now_ns(), end = s->object_ns + OBJECT_NS;
	uint64_t all = start_ns + ALL_NS - s->symbols->spent_ns;

	if (all < end)
		end = all;
	return now < end ? (int)((end - now) / TD_NS_A_MS) + 1 : 0;
}

/* Reads until the process closes the pipe.  Returns 0, or an error if it stopped earlier. */
static int read_all(struct search *s, uint64_t start_ns)
{
	const struct td_symbols *symbols = s->symbols;
	struct pollfd polls[] = { { .fd = s->process.fd, .events = POLLIN },
				  { .fd = symbols->is_unwanted ? symbols->stop : -1,
				    .events = POLLIN } };
	ssize_t nr;
	int rc = 0, ms;

	while (rc >= 0) {
		ms = time_left_ms(s, start_ns);
		if (!ms)
			return -ETIME;
		if (poll(polls, TD_ARRAY_SIZE(polls), ms) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (polls[1].revents && symbols->is_unwanted(symbols->ctx))
			return -EINTR;
		nr = polls[0].revents ? read(s->process.fd, s->bytes + s->nr, BUFFER - s->nr) : -1;
		if (nr == 0)
			return 0;
		s->nr += nr > 0 ? (size_t)nr : 0;
		rc = read_records(s);
	}
	return -EFAULT;
}

/* Searches for a location and all that follow.  Returns an error if an object was not searched. */
static int search_from(struct search *s, size_t from)
{
	struct td_symbols *symbols = s->symbols;
	struct td_search search = { symbols->fs, symbols->lines, TD_SEARCH_BYTES,
				    TD_SEARCH_SYMBOLS };
	uint64_t start_ns = td_now_ns();
	int rc, rc_end;

	s->nr = 0;
	s->object_ns = start_ns;
	s->reader.object = -1;
	rc = td_search_start(&s->process, &search, s->locations, s->unknown + from,
			     s->nr_unknown - from);
	if (rc)
		return rc;
	rc = read_all(s, start_ns);
	rc_end = td_search_end(&s->process);
	symbols->spent_ns += td_now_ns() - start_ns;
	if (!rc && (s->reader.object >= 0 || find_next(s) < s->nr_unknown))
		rc = rc_end ? rc_end : -EFAULT;
	return rc;
}

/* --- all of them ------------------------------------------------------------ */

/* Skips this object and all that follow. */
static void end_search(const struct search *s, int from, const char *why)
{
	size_t nr = 0;
	int last = from - 1;

	s->symbols->ended = true;
	for (size_t i = 0; i < s->nr_unknown; i++) {
		int object = s->locations->v[s->unknown[i]].object;

		if (object > last) {
			last = object;
			nr++;
		}
	}
	if (nr)
		td_notes_add(
			s->symbols->notes,
			"symbols of %zu file%s were not looked for: %s: addresses without names",
			nr, nr == 1 ? "" : "s", why);
}

/* Stops searching the object that ended a process; if no object did, stops searching all. */
static void give_up(const struct search *s, int rc)
{
	int at = s->reader.object, next = s->reader.after + 1;

	if (rc == -EINTR) {
		end_search(s, at < 0 ? next : at, "a signal ended the search");
	} else if (at < 0) {
		end_search(s, next,
			   rc == -EFAULT || rc == -ENOMEM ? "the process that does it has ended"
							  : strerror(-rc));
	} else {
		s->locations->objects[at].given_up = true;
		note_reason(s->symbols, &s->locations->objects[at], rc, s->reader.named);
		if (s->symbols->spent_ns >= ALL_NS)
			end_search(s, next, "it took too long in all");
	}
}

void td_symbols_resolve(struct td_symbols *symbols, struct td_locations *locations)
{
	size_t nr;
	td_autofree int *unknown = td_locations_unknown(locations, &nr);
	td_autofree char *bytes = td_malloc(BUFFER);
	struct search s = { .symbols = symbols,
			    .locations = locations,
			    .unknown = unknown,
			    .nr_unknown = nr,
			    .reader = { locations, -1, -1 },
			    .bytes = bytes };
	size_t from;

	while (!symbols->ended && (from = find_next(&s)) < nr) {
		int rc = search_from(&s, from);

		if (rc)
			give_up(&s, rc);
	}
	td_locations_add_nameless(locations);
}
