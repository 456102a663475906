// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/spaces.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/util.h"

/* So many recent changes cost as much to carry as to merge now and then. */
#define RECENT_MAX 512

struct piece {
	uint64_t start, end;
	uint64_t shift; /* what to add to an address to get that of its spot */
	int object;
};

/* Sorted, without overlaps.  Never changed, so that processes can share it. */
struct pieces {
	size_t refs, nr;
	struct piece v[];
};

/* NULL is a list without pieces. */
struct space {
	struct pieces *old, *recent; /* recent ones hide old ones */
};

struct td_spaces {
	struct space *v;
	size_t nr;
	struct td_index by_pid;
};

static void unref(struct pieces *pieces)
{
	if (pieces && --pieces->refs == 0)
		free(pieces);
}

static struct pieces *ref(struct pieces *pieces)
{
	if (pieces)
		pieces->refs++;
	return pieces;
}

static struct pieces *new_pieces(size_t room)
{
	struct pieces *pieces =
		malloc(sizeof(*pieces) + room * sizeof(pieces->v[0]));

	if (pieces)
		*pieces = (struct pieces){ .refs = 1 };
	return pieces;
}

/* Pieces that are not yet hidden, the first of them perhaps in part. */
struct rest {
	struct piece first;
	const struct piece *next, *end;
	bool any;
};

static void advance(struct rest *rest)
{
	rest->any = rest->next < rest->end;
	if (rest->any)
		rest->first = *rest->next++;
}

/* Adds what is below top and before it, and takes away what top hides. */
static void merge_one(struct pieces *out, struct rest *rest,
		      const struct piece *top)
{
	for (; rest->any && rest->first.end <= top->start; advance(rest))
		out->v[out->nr++] = rest->first;
	if (rest->any && rest->first.start < top->start) {
		out->v[out->nr] = rest->first;
		out->v[out->nr++].end = top->start;
	}
	while (rest->any && rest->first.end <= top->end)
		advance(rest);
	if (rest->any && rest->first.start < top->end)
		rest->first.start = top->end;
	out->v[out->nr++] = *top;
}

/* A new list of both, in which the pieces of top hide the others. */
static struct pieces *merge(const struct pieces *below,
			    const struct pieces *top)
{
	size_t nr_below = below ? below->nr : 0;
	/* each piece of top can split one below */
	struct pieces *out = new_pieces(nr_below + 2 * top->nr);
	struct rest rest = { .any = false };

	if (!out)
		return NULL;
	if (nr_below) {
		rest.next = below->v;
		rest.end = below->v + nr_below;
	}
	advance(&rest);
	for (size_t i = 0; i < top->nr; i++)
		merge_one(out, &rest, &top->v[i]);
	for (; rest.any; advance(&rest))
		out->v[out->nr++] = rest.first;
	return out;
}

static int add_piece(struct space *space, const struct piece *piece)
{
	td_autofree struct pieces *one = new_pieces(1);
	struct pieces *recent, *old;

	if (!one)
		return -ENOMEM;
	one->v[one->nr++] = *piece;
	recent = merge(space->recent, one);
	if (!recent)
		return -ENOMEM;
	unref(space->recent);
	space->recent = recent;
	if (recent->nr <= RECENT_MAX)
		return 0;
	old = merge(space->old, recent);
	if (!old)
		return -ENOMEM;
	unref(space->old);
	unref(recent);
	*space = (struct space){ .old = old };
	return 0;
}

static const struct piece *find_piece(const struct pieces *pieces,
				      uint64_t address)
{
	size_t low = 0, high = pieces ? pieces->nr : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct piece *piece = &pieces->v[middle];

		if (address < piece->start)
			high = middle;
		else if (address >= piece->end)
			low = middle + 1;
		else
			return piece;
	}
	return NULL;
}

struct td_spaces *td_spaces_new(void)
{
	return calloc(1, sizeof(struct td_spaces));
}

static void clear(struct space *space)
{
	unref(space->old);
	unref(space->recent);
	*space = (struct space){ 0 };
}

void td_spaces_free(struct td_spaces *spaces)
{
	if (!spaces)
		return;
	for (size_t i = 0; i < spaces->nr; i++)
		clear(&spaces->v[i]);
	free(spaces->v);
	td_index_free(&spaces->by_pid);
	free(spaces);
}

static struct space *find_space(const struct td_spaces *spaces, int pid)
{
	size_t at = td_index_find(&spaces->by_pid, td_hash((uint32_t)pid));

	return at == TD_NOT_FOUND ? NULL : &spaces->v[at];
}

static struct space *get_space(struct td_spaces *spaces, int pid)
{
	struct space *space = find_space(spaces, pid);

	if (space)
		return space;
	space = td_array_add(&spaces->v, spaces->nr, sizeof(*space));
	if (!space ||
	    td_index_add(&spaces->by_pid, td_hash((uint32_t)pid), spaces->nr))
		return NULL;
	spaces->nr++;
	return space;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* What has no path of its own in a file system is memory. */
static enum td_object_kind kind_of(const char *path)
{
	static const char *const memory[] = {
		"//",    "/memfd:",        "/dev/zero",
		"/SYSV", "/anon_hugepage", "/[aio]"
	};

	if (strcmp(path, "[vdso]") == 0)
		return TD_OBJECT_VDSO;
	for (size_t i = 0; i < TD_ARRAY_SIZE(memory); i++) {
		if (begins(path, memory[i]))
			return TD_OBJECT_MEMORY;
	}
	return *path == '/' ? TD_OBJECT_FILE : TD_OBJECT_MEMORY;
}

static int object_of(struct td_spots *spots, int pid,
		     const struct td_mapping *mapping, enum td_object_kind kind)
{
	/* it is copied */
	td_autofree char *path =
		strdup(*mapping->path ? mapping->path : "//anon");
	struct td_object object = { .kind = kind, .path = path, .pid = pid };

	if (!path)
		return -ENOMEM;
	if (kind != TD_OBJECT_MEMORY)
		object.build_id = mapping->build_id;
	return td_spots_add_object(spots, &object);
}

int td_spaces_map(struct td_spaces *spaces, struct td_spots *spots, int pid,
		  const struct td_mapping *mapping)
{
	enum td_object_kind kind = kind_of(mapping->path);
	int object = object_of(spots, pid, mapping, kind);
	struct space *space = get_space(spaces, pid);
	struct piece piece = { mapping->start, mapping->start + mapping->length,
			       0, object };

	if (object < 0 || !space)
		return -ENOMEM;
	if (piece.end < piece.start)
		piece.end = UINT64_MAX;
	if (piece.end == piece.start)
		return 0;
	if (kind == TD_OBJECT_FILE)
		piece.shift = mapping->offset - mapping->start;
	else if (kind == TD_OBJECT_VDSO)
		piece.shift = -mapping->start;
	return add_piece(space, &piece);
}

int td_spaces_fork(struct td_spaces *spaces, int parent, int child)
{
	struct space *to = get_space(spaces, child);
	const struct space *from = find_space(spaces, parent);

	if (!to)
		return -ENOMEM;
	if (to == from)
		return 0;
	clear(to);
	if (from)
		*to = (struct space){ ref(from->old), ref(from->recent) };
	return 0;
}

void td_spaces_exec(struct td_spaces *spaces, int pid)
{
	struct space *space = find_space(spaces, pid);

	if (space)
		clear(space);
}

static const struct piece *find(const struct td_spaces *spaces, int pid,
				uint64_t address)
{
	const struct space *space = find_space(spaces, pid);
	const struct piece *piece = NULL;

	if (space)
		piece = find_piece(space->recent, address);
	if (space && !piece)
		piece = find_piece(space->old, address);
	return piece;
}

bool td_spaces_has(const struct td_spaces *spaces, int pid, uint64_t address)
{
	return find(spaces, pid, address);
}

int td_spaces_find(const struct td_spaces *spaces, struct td_spots *spots,
		   int pid, uint64_t address, bool kernel)
{
	const struct piece *piece = kernel ? NULL : find(spaces, pid, address);
	char kernel_name[] = "[kernel]", unknown_name[] = "[unknown]";
	/* of all processes, as there is nothing to tell of them */
	struct td_object object = { .kind = TD_OBJECT_MEMORY,
				    .path = unknown_name };
	int at;

	if (piece)
		return td_spots_add(spots, piece->object,
				    address + piece->shift);
	if (kernel)
		object = (struct td_object){ .kind = TD_OBJECT_KERNEL,
					     .path = kernel_name };
	at = td_spots_add_object(spots, &object);
	return at < 0 ? at : td_spots_add(spots, at, address);
}

/* --- /proc/PID/maps --------------------------------------------------------- */

/* The kernel escapes only newlines, and no backslash (show_map_vma()). */
static void unescape(char *path)
{
	char *to = path;

	for (const char *from = path; *from; to++) {
		if (strncmp(from, "\\012", 4) == 0) {
			*to = '\n';
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

/* False if it is not of executable memory, or no line of this file. */
static bool parse_line(char *line, struct td_mapping *mapping)
{
	uint64_t end;
	char mode[5];
	int path = 0;

	line[strcspn(line, "\n")] = '\0';
	*mapping = (struct td_mapping){ 0 };
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s%n",
		   &mapping->start, &end, mode, &mapping->offset, &path) != 4 ||
	    !path || end <= mapping->start || !strchr(mode, 'x'))
		return false;
	mapping->length = end - mapping->start;
	line += path;
	line += strspn(line, " ");
	unescape(line);
	mapping->path = line;
	return true;
}

static FILE *open_maps(const struct td_sysfs *fs, int pid)
{
	char path[32];
	FILE *fp;
	int fd;

	if (fs->proc < 0)
		return NULL;
	snprintf(path, sizeof(path), "%d/maps", pid);
	fd = openat(fs->proc, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	fp = fdopen(fd, "re");
	if (!fp)
		close(fd);
	return fp;
}

int td_spaces_read(struct td_spaces *spaces, struct td_spots *spots,
		   const struct td_sysfs *fs, int pid)
{
	FILE *fp = open_maps(fs, pid);
	td_autofree char *line = NULL;
	struct td_mapping mapping;
	size_t size = 0;
	int rc = 0;

	if (!fp)
		return 0;
	while (!rc && getline(&line, &size, fp) > 0) {
		if (parse_line(line, &mapping))
			rc = td_spaces_map(spaces, spots, pid, &mapping);
	}
	fclose(fp);
	return rc;
}
