// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/symbols.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/sample/finder.h"
#include "lib/sample/finds.h"

/* Of a machine that has a hundred things to do besides. */
#define OBJECT_NS (30 * TD_NS_A_SECOND)
#define ALL_NS    (60 * TD_NS_A_SECOND)

#define BUFFER (8 * (size_t)TD_FINDS_MAX)

struct td_symbols {
	const struct td_symbols_setup *setup;
	uint64_t spent_ns; /* by all searches */
	bool *hopeless;    /* by object: it is not looked at again */
	size_t nr;
	bool ended; /* nothing is looked at any more */
};

struct td_symbols *td_symbols_new(const struct td_symbols_setup *setup)
{
	struct td_symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols)
		symbols->setup = setup;
	return symbols;
}

void td_symbols_free(struct td_symbols *symbols)
{
	if (symbols)
		free(symbols->hopeless);
	free(symbols);
}

/* --- what is missing -------------------------------------------------------- */

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
	{ -EFAULT, "what reads its symbols crashed" },
	{ -ETIME, "its symbols took too long to read" },
};

static const char *reason_of(const struct td_object *object, int rc)
{
	if (object->kind == TD_OBJECT_KERNEL && rc == -EACCES)
		return "/proc/kallsyms shows no addresses (sysctl kernel.kptr_restrict)";
	for (size_t i = 0; i < TD_ARRAY_SIZE(reasons); i++) {
		if (reasons[i].rc == rc)
			return reasons[i].reason;
	}
	return strerror(-rc);
}

static const char *missing(int rc)
{
	return rc == -E2BIG || rc == -EILSEQ
		       ? "addresses without names among them"
	       : rc == -EOVERFLOW ? "no lines"
				  : "addresses without names";
}

static void say_why(const struct td_symbols *symbols,
		    const struct td_object *object, int rc)
{
	struct td_notes *notes = symbols->setup->notes;

	if (object->kind != TD_OBJECT_MEMORY)
		td_notes_add(notes, "%s: %s: %s", object->path,
			     reason_of(object, rc), missing(rc));
	else if (object->pid > 0)
		td_notes_add(
			notes,
			"process %d: memory without a file, and /tmp/perf-%d.map: %s: %s",
			object->pid, object->pid,
			rc == -EPERM ? "belongs to another user"
				     : reason_of(object, rc),
			missing(rc));
}

/* Nothing more is looked for from an object on. */
static void end_search(struct td_symbols *symbols,
		       const struct td_unknown *unknown, int from,
		       const char *why)
{
	size_t nr = 0;

	symbols->ended = true;
	for (int i = from; (i = td_unknown_find(unknown, i)) >= 0; i++)
		nr++;
	if (nr)
		td_notes_add(
			symbols->setup->notes,
			"symbols of %zu file%s were not looked for: %s: addresses without names",
			nr, nr == 1 ? "" : "s", why);
}

/* --- one process ------------------------------------------------------------ */

/* What the process that looks for symbols has written. */
struct hearing {
	struct td_symbols *symbols;
	struct td_spots *spots;
	struct td_finder finder;
	struct td_finds finds;
	char *bytes;
	size_t nr;
	uint64_t object_ns; /* when it began with the object */
};

/* Takes whole records out of what is there. */
static int take_records(struct hearing *h)
{
	size_t at = 0, length;
	int kind;

	while ((kind = td_finds_take(&h->finds, h->bytes + at, h->nr - at,
				     &length)) > TD_FINDS_MORE) {
		at += length;
		if (kind == TD_FINDS_OBJECT)
			h->object_ns = td_now_ns();
		if (kind == TD_FINDS_END && h->finds.rc)
			say_why(h->symbols, &h->spots->objects[h->finds.after],
				h->finds.rc);
	}
	h->nr -= at;
	memmove(h->bytes, h->bytes + at, h->nr);
	return kind;
}

/* Until it must have written something; 0: it is late. */
static int time_left_ms(const struct hearing *h, uint64_t start_ns)
{
	uint64_t now = td_now_ns(), end = h->object_ns + OBJECT_NS;
	uint64_t all = start_ns + ALL_NS - h->symbols->spent_ns;

	if (all < end)
		end = all;
	return now < end ? (int)((end - now) / TD_NS_A_MS) + 1 : 0;
}

static bool is_stopped(const struct td_symbols_setup *setup,
		       const struct pollfd *stop)
{
	return stop->revents && setup->wanted(setup->ctx);
}

/* 0: it is at its end; else why it is not listened to any more. */
static int listen(struct hearing *h, uint64_t start_ns)
{
	const struct td_symbols_setup *setup = h->symbols->setup;
	struct pollfd polls[] = { { .fd = h->finder.fd, .events = POLLIN },
				  { .fd = setup->wanted ? setup->stop : -1,
				    .events = POLLIN } };
	ssize_t nr;
	int rc = 0, ms;

	while (rc >= 0) {
		ms = time_left_ms(h, start_ns);
		if (!ms)
			return -ETIME;
		if (poll(polls, TD_ARRAY_SIZE(polls), ms) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (is_stopped(setup, &polls[1]))
			return -EINTR;
		nr = polls[0].revents ? read(h->finder.fd, h->bytes + h->nr,
					     BUFFER - h->nr)
				      : -1;
		if (nr == 0)
			return 0;
		h->nr += nr > 0 ? (size_t)nr : 0;
		rc = take_records(h);
	}
	return rc == -EPROTO ? -EFAULT : rc;
}

/*
 * Searches from an object on.  0, or why it ended before the last; *fatal if that
 * is our own lack of memory.
 */
static int search(struct hearing *h, const struct td_unknown *unknown, int from,
		  bool *fatal)
{
	const struct td_symbols_setup *setup = h->symbols->setup;
	const struct td_search search = { setup->fs, setup->lines,
					  TD_SEARCH_BYTES, TD_SEARCH_SYMBOLS };
	uint64_t start_ns = td_now_ns();
	int rc, rc_end;

	h->nr = 0;
	h->object_ns = start_ns;
	h->finds.object = -1;
	h->finds.after = from - 1;
	rc = td_finder_start(&h->finder, &search, h->spots, unknown, from);
	if (rc)
		return rc;
	rc = listen(h, start_ns);
	*fatal = rc == -ENOMEM;
	rc_end = td_finder_end(&h->finder);
	h->symbols->spent_ns += td_now_ns() - start_ns;
	if (!rc && td_unknown_find(unknown, h->finds.after + 1) >= 0)
		rc = rc_end ? rc_end : -EFAULT;
	return rc || h->finds.object < 0 ? rc : rc_end ? rc_end : -EFAULT;
}

/* --- all of them ------------------------------------------------------------ */

/* An object that ended the search: the object behind it, from where it goes on. */
static int go_on(struct td_symbols *symbols, const struct hearing *h,
		 const struct td_unknown *unknown, int rc)
{
	int at = h->finds.object;

	if (rc == -EINTR) {
		end_search(symbols, unknown, at < 0 ? h->finds.after + 1 : at,
			   "a signal ended the search");
	} else if (at < 0) {
		end_search(symbols, unknown, h->finds.after + 1,
			   rc == -EFAULT || rc == -ENOMEM
				   ? "the process that does it has ended"
				   : strerror(-rc));
	} else {
		symbols->hopeless[at] = true;
		say_why(symbols, &h->spots->objects[at], rc);
		if (symbols->spent_ns >= ALL_NS)
			end_search(symbols, unknown, at + 1,
				   "it took too long in all");
	}
	return at + 1;
}

static int search_all(struct td_symbols *symbols, struct td_spots *spots,
		      const struct td_unknown *unknown)
{
	struct hearing h = { .symbols = symbols, .spots = spots };
	td_autofree char *bytes = malloc(BUFFER);
	bool fatal = !bytes;
	int from = 0, rc;

	h.bytes = bytes;
	h.finds.spots = spots;
	while (!fatal && !symbols->ended &&
	       (from = td_unknown_find(unknown, from)) >= 0) {
		rc = search(&h, unknown, from, &fatal);
		if (!rc)
			break;
		if (!fatal)
			from = go_on(symbols, &h, unknown, rc);
	}
	return fatal ? -ENOMEM : 0;
}

static int make_room(struct td_symbols *symbols, size_t nr)
{
	while (symbols->nr < nr) {
		if (!td_array_add(&symbols->hopeless, symbols->nr,
				  sizeof(*symbols->hopeless)))
			return -ENOMEM;
		symbols->nr++;
	}
	return 0;
}

static int add_nameless(struct td_spots *spots)
{
	for (size_t i = 0; i < spots->nr; i++) {
		struct td_spot *spot = &spots->v[i];
		const struct td_function nameless = { NULL, spot->object,
						      spot->address };

		if (spot->function >= 0)
			continue;
		spot->function = td_spots_add_function(spots, &nameless);
		if (spot->function < 0)
			return -ENOMEM;
	}
	return 0;
}

int td_symbols_resolve(struct td_symbols *symbols, struct td_spots *spots,
		       struct td_err *err)
{
	struct td_unknown unknown;
	int rc = td_unknown_make(&unknown, spots);

	if (!rc)
		rc = make_room(symbols, spots->nr_objects);
	for (size_t i = 0; !rc && i < symbols->nr; i++) {
		if (symbols->hopeless[i])
			unknown.first[i] = -1;
	}
	if (!rc)
		rc = search_all(symbols, spots, &unknown);
	if (!rc)
		rc = add_nameless(spots);
	td_unknown_free(&unknown);
	return rc ? td_err_nomem(err) : 0;
}
