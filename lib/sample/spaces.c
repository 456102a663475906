// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/spaces.h"

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "lib/base/util.h"

/* Maximum number of recent pieces.  Each change copies them, so more cost more than a merge. */
#define RECENT_MAX 512

struct piece {
	uint64_t start, end;
	uint64_t shift; /* difference between a location's address and that in memory */
	int object;
};

/* A sorted list without overlaps.  It never changes, so that processes can share it. */
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
	struct pieces *pieces = td_malloc(sizeof(*pieces) + room * sizeof(pieces->v[0]));

	*pieces = (struct pieces){ .refs = 1 };
	return pieces;
}

/* The pieces of a list that remain to be merged. */
struct remainder {
	struct piece first; /* perhaps without its beginning */
	const struct piece *next, *end;
	bool any;
};

static void advance(struct remainder *left)
{
	left->any = left->next < left->end;
	if (left->any)
		left->first = *left->next++;
}

/* Adds top.  Before it, adds the pieces with lower addresses, and drops those that top hides. */
static void merge_one(struct pieces *out, struct remainder *left, const struct piece *top)
{
	for (; left->any && left->first.end <= top->start; advance(left))
		out->v[out->nr++] = left->first;
	if (left->any && left->first.start < top->start) {
		out->v[out->nr] = left->first;
		out->v[out->nr++].end = top->start;
	}
	while (left->any && left->first.end <= top->end)
		advance(left);
	if (left->any && left->first.start < top->end)
		left->first.start = top->end;
	out->v[out->nr++] = *top;
}

/* Makes a list of the pieces of top, and of the pieces below that are not hidden by them. */
static struct pieces *merge(const struct pieces *below, const struct pieces *top)
{
	size_t nr_below = below ? below->nr : 0;
	/* each piece of top can split one below */
	struct pieces *out = new_pieces(nr_below + 2 * top->nr);
	struct remainder left = { .any = false };

	if (nr_below) {
		left.next = below->v;
		left.end = below->v + nr_below;
	}
	advance(&left);
	for (size_t i = 0; i < top->nr; i++)
		merge_one(out, &left, &top->v[i]);
	for (; left.any; advance(&left))
		out->v[out->nr++] = left.first;
	return out;
}

static void add_piece(struct space *space, const struct piece *piece)
{
	td_autofree struct pieces *one = new_pieces(1);
	struct pieces *recent, *old;

	one->v[one->nr++] = *piece;
	recent = merge(space->recent, one);
	unref(space->recent);
	space->recent = recent;
	if (recent->nr <= RECENT_MAX)
		return;
	old = merge(space->old, recent);
	unref(space->old);
	unref(recent);
	*space = (struct space){ .old = old };
}

static const struct piece *find_piece(const struct pieces *pieces, uint64_t address)
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
	return td_calloc(1, sizeof(struct td_spaces));
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
	td_index_add(&spaces->by_pid, td_hash((uint32_t)pid), spaces->nr);
	spaces->nr++;
	return space;
}

/* Mappings without a path in a file system are memory. */
static enum td_object_kind kind_of(const char *path)
{
	static const char *const memory[] = { "//",    "/memfd:",        "/dev/zero",
					      "/SYSV", "/anon_hugepage", "/[aio]" };

	if (strcmp(path, "[vdso]") == 0)
		return TD_OBJECT_VDSO;
	for (size_t i = 0; i < TD_ARRAY_SIZE(memory); i++) {
		if (strncmp(path, memory[i], strlen(memory[i])) == 0)
			return TD_OBJECT_MEMORY;
	}
	return *path == '/' ? TD_OBJECT_FILE : TD_OBJECT_MEMORY;
}

void td_spaces_map(struct td_spaces *spaces, struct td_locations *locations, int pid,
		   const struct td_mapping *mapping)
{
	td_autofree char *path = td_strdup(*mapping->path ? mapping->path : "//anon");
	struct td_object object = { .kind = kind_of(mapping->path), .path = path, .pid = pid };
	struct piece piece = { mapping->start, mapping->start + mapping->length, 0, -1 };
	struct space *space = get_space(spaces, pid);

	if (object.kind != TD_OBJECT_MEMORY)
		object.build_id = mapping->build_id;
	piece.object = td_locations_add_object(locations, &object);
	if (piece.end < piece.start)
		piece.end = UINT64_MAX;
	if (piece.end == piece.start)
		return;
	if (object.kind == TD_OBJECT_FILE)
		piece.shift = mapping->offset - mapping->start;
	else if (object.kind == TD_OBJECT_VDSO)
		piece.shift = -mapping->start;
	add_piece(space, &piece);
}

void td_spaces_fork(struct td_spaces *spaces, int parent, int child)
{
	struct space *to = get_space(spaces, child);
	const struct space *from = find_space(spaces, parent);

	if (to == from)
		return;
	clear(to);
	if (from)
		*to = (struct space){ ref(from->old), ref(from->recent) };
}

void td_spaces_exec(struct td_spaces *spaces, int pid)
{
	struct space *space = find_space(spaces, pid);

	if (space)
		clear(space);
}

static const struct piece *find(const struct td_spaces *spaces, int pid, uint64_t address)
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

int td_spaces_find(const struct td_spaces *spaces, struct td_locations *locations, int pid,
		   uint64_t address, bool kernel)
{
	const struct piece *piece = kernel ? NULL : find(spaces, pid, address);
	char kernel_name[] = "[kernel]", unknown_name[] = "[unknown]";
	/* one object for all processes */
	struct td_object object = { .kind = TD_OBJECT_MEMORY, .path = unknown_name };

	if (piece)
		return td_locations_add(locations, piece->object, address + piece->shift);
	if (kernel)
		object = (struct td_object){ .kind = TD_OBJECT_KERNEL, .path = kernel_name };
	return td_locations_add(locations, td_locations_add_object(locations, &object), address);
}

/* --- /proc/PID/maps --------------------------------------------------------- */

/* The kernel escapes newlines, but not backslashes (show_map_vma()). */
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

/* Parses a line of executable memory.  Returns false if it is another line. */
static bool parse_line(char *line, struct td_mapping *mapping)
{
	uint64_t end;
	char mode[5];
	int path = 0;

	line[strcspn(line, "\n")] = '\0';
	*mapping = (struct td_mapping){ 0 };
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s%n", &mapping->start, &end,
		   mode, &mapping->offset, &path) != 4 ||
	    !path || end <= mapping->start || !strchr(mode, 'x'))
		return false;
	mapping->length = end - mapping->start;
	line += path;
	line += strspn(line, " ");
	unescape(line);
	mapping->path = line;
	return true;
}

void td_spaces_read(struct td_spaces *spaces, struct td_locations *locations,
		    const struct td_sysfs *fs, int pid)
{
	td_autofree char *line = NULL;
	struct td_mapping mapping;
	size_t size = 0;
	char path[32];
	FILE *fp;
	int fd;

	snprintf(path, sizeof(path), "%d/maps", pid);
	fd = fs->proc < 0 ? -1 : openat(fs->proc, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	fp = fd < 0 ? NULL : td_need(fdopen(fd, "re"));
	while (fp && getline(&line, &size, fp) > 0) {
		if (parse_line(line, &mapping))
			td_spaces_map(spaces, locations, pid, &mapping);
	}
	if (fp)
		fclose(fp);
}
