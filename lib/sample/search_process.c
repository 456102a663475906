// SPDX-License-Identifier: GPL-2.0-only
/* Searches for symbols in a confined process. */
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else /* the path where some distributions install it, with binutils */
#include <demangle.h>
#endif

#include "lib/base/util.h"
#include "lib/sample/parts.h"

/* --- the wire format of results --------------------------------------------- */

/* Maximum length of all names together: ten times what the longest reports need. */
#define TEXT_MAX ((uint64_t)256 << 20)

/* The start of a record.  Its texts follow without NULs. */
struct header {
	uint32_t kind;
	int32_t at;          /* the object, or the location */
	int32_t number;      /* the line, or the errno of an object's end */
	uint16_t name, file; /* lengths of the texts; 0: none */
	uint64_t begin;
};

_Static_assert(sizeof(struct header) + TD_SYMBOL_NAME_MAX + PATH_MAX <= TD_FOUND_MAX,
	       "a record has room");

/* A resolved location. */
struct found_location {
	int location;
	const char *name; /* name of the function of the location; NULL: there is no symbol */
	uint64_t begin;   /* address of the function in the object */
	const char *file; /* source file; NULL: unknown */
	int line;
};

/* --- writing ---------------------------------------------------------------- */

/* Writes a mark.  rc: at the end of an object, 0 or a negative errno as in td_symbols_reason(). */
static void write_mark(FILE *fp, enum td_found_kind kind, int object, int rc)
{
	const struct header header = { .kind = kind, .at = object, .number = rc };

	fwrite(&header, sizeof(header), 1, fp);
}

/* Returns 0 for texts that are longer than the reader allows. */
static uint16_t length_of(const char *text, size_t max)
{
	size_t length = text ? strnlen(text, max + 1) : 0;

	return length > max ? 0 : (uint16_t)length;
}

/* Writes a resolved location. */
static void write_found(FILE *fp, const struct found_location *found)
{
	struct header header = {
		.kind = TD_FOUND_LOCATION,
		.at = found->location,
		.name = length_of(found->name, TD_SYMBOL_NAME_MAX),
		.file = length_of(found->file, PATH_MAX),
	};

	if (header.name)
		header.begin = found->begin;
	if (header.file)
		header.number = found->line;
	fwrite(&header, sizeof(header), 1, fp);
	if (header.name)
		fwrite(found->name, header.name, 1, fp);
	if (header.file)
		fwrite(found->file, header.file, 1, fp);
}

/* --- reading ---------------------------------------------------------------- */

static int read_object(struct td_found_reader *reader, const struct header *header)
{
	if (reader->object >= 0 || header->at <= reader->after || header->at < 0 ||
	    (size_t)header->at >= reader->locations->nr_objects)
		return -EPROTO;
	reader->object = reader->after = header->at;
	reader->named = false;
	return TD_FOUND_OBJECT;
}

static int read_named(struct td_found_reader *reader, const struct header *header)
{
	if (reader->object < 0 || header->at != reader->object || reader->named)
		return -EPROTO;
	reader->named = true;
	return TD_FOUND_NAMED;
}

static int read_end(struct td_found_reader *reader, const struct header *header)
{
	if (reader->object < 0 || header->at != reader->object || header->number > 0 ||
	    header->number < -INT16_MAX)
		return -EPROTO;
	reader->object = -1;
	reader->rc = header->number;
	return TD_FOUND_END;
}

/* Copies a text.  Returns false if it contains a NUL. */
static bool copy(char *to, const char *text, size_t length)
{
	memcpy(to, text, length);
	to[length] = '\0';
	return strlen(to) == length;
}

static bool add_function(struct td_found_reader *reader, struct td_location *location,
			 const struct header *header, const char *text)
{
	char name[TD_SYMBOL_NAME_MAX + 1];
	const struct td_function function = { name, location->object, header->begin };

	if (location->function >= 0 || header->begin > location->address ||
	    !copy(name, text, header->name))
		return false;
	location->function = td_locations_add_function(reader->locations, &function);
	return true;
}

static bool add_line(struct td_found_reader *reader, struct td_location *location,
		     const struct header *header, const char *text)
{
	char path[PATH_MAX + 1];

	if (location->file >= 0 || header->number <= 0 || !copy(path, text, header->file))
		return false;
	location->file = td_locations_add_file(reader->locations, path);
	location->line = header->number;
	return true;
}

static int read_location(struct td_found_reader *reader, const struct header *header,
			 const char *text)
{
	struct td_location *location;

	if (header->at < 0 || (size_t)header->at >= reader->locations->nr)
		return -EPROTO;
	location = &reader->locations->v[header->at];
	reader->text += (uint64_t)header->name + header->file;
	if (reader->object < 0 || location->object != reader->object || reader->text > TEXT_MAX ||
	    (header->file && !add_line(reader, location, header, text + header->name)) ||
	    (header->name && !add_function(reader, location, header, text)))
		return -EPROTO;
	return TD_FOUND_LOCATION;
}

int td_found_read(struct td_found_reader *reader, const char *bytes, size_t size, size_t *length)
{
	struct header header;

	if (size < sizeof(header))
		return TD_FOUND_MORE;
	memcpy(&header, bytes, sizeof(header));
	*length = sizeof(header);
	switch (header.kind) {
	case TD_FOUND_OBJECT:
		return read_object(reader, &header);
	case TD_FOUND_NAMED:
		return read_named(reader, &header);
	case TD_FOUND_END:
		return read_end(reader, &header);
	case TD_FOUND_LOCATION:
		if (header.name > TD_SYMBOL_NAME_MAX || header.file > PATH_MAX)
			return -EPROTO;
		*length += (size_t)header.name + header.file;
		return size < *length ? TD_FOUND_MORE
				      : read_location(reader, &header, bytes + sizeof(header));
	default:
		return -EPROTO;
	}
}

/* Maximum wait for the end of a process: one that waits for a dead file server never ends. */
#define MAX_END_NS (2 * TD_NS_A_SECOND)

/* Exit status of a process that ran out of memory. */
#define NO_MEMORY 3

/* --- names ------------------------------------------------------------------ */

struct demangled {
	char *buf;
	size_t size, length;
	jmp_buf full;
};

/*
 * Stops libiberty when the buffer is full, because a short name can expand to gigabytes.  The only
 * way is longjmp(), which leaks nothing: libiberty does not use the heap here.
 */
static void add_part(const char *part, size_t length, void *opaque)
{
	struct demangled *text = opaque;
	size_t room = text->size - 1 - text->length;

	memcpy(text->buf + text->length, part, length < room ? length : room);
	text->length += length < room ? length : room;
	if (length > room)
		longjmp(text->full, 1);
}

typedef int (*demangle_fn)(const char *name, int options, demangle_callbackref callback,
			   void *opaque);

static bool demangle_as(demangle_fn demangle, const char *name, char *buf, size_t size)
{
	struct demangled text = { .buf = buf, .size = size };

	/* a name that fills the buffer is cut */
	if (setjmp(text.full) == 0 && !demangle(name, DMGL_PARAMS | DMGL_ANSI, add_part, &text))
		return false;
	buf[text.length] = '\0';
	return true;
}

bool td_demangle(const char *name, char *buf, size_t size)
{
	/* Rust is tried first, because old names of Rust look like those of C++ */
	if (name[0] != '_')
		return false;
	return demangle_as(rust_demangle_callback, name, buf, size) ||
	       demangle_as(cplus_demangle_v3_callback, name, buf, size);
}

/* --- the search ------------------------------------------------------------- */

/* State of the search for the locations of one object. */
struct finding {
	const struct td_locations *locations;
	const int *unknown;
	size_t nr;
	struct td_file_symbols symbols;
	const struct td_named *last;       /* symbol of the last location */
	char name[TD_SYMBOL_NAME_MAX + 1]; /* demangled name of that symbol */
	FILE *fp;
};

static void find_name(struct finding *finding, int at, uint64_t address)
{
	const struct td_symbol_table *table = &finding->symbols.table;
	const struct td_location *location = &finding->locations->v[at];
	const struct td_named *named = td_symbol_table_find(table, address);
	const char *name;

	if (!named || address - named->start > location->address)
		return;
	name = td_symbol_table_name(table, named);
	if (named != finding->last && !td_demangle(name, finding->name, sizeof(finding->name)))
		snprintf(finding->name, sizeof(finding->name), "%s", name);
	finding->last = named;
	write_found(finding->fp, &(struct found_location){
					 .location = at,
					 .name = finding->name,
					 .begin = location->address - (address - named->start),
				 });
}

static void find_line(struct finding *finding, int at, uint64_t address)
{
	struct found_location found = { .location = at };
	td_autofree char *file = td_elf_lines_find(&finding->symbols.lines, address, &found.line);

	found.file = file;
	if (file)
		write_found(finding->fp, &found);
}

static void find_all(struct finding *finding,
		     void (*find)(struct finding *finding, int at, uint64_t address))
{
	for (size_t i = 0; i < finding->nr; i++) {
		int at = finding->unknown[i];
		const struct td_location *location = &finding->locations->v[at];
		uint64_t address = location->address;

		if (td_file_symbols_address(&finding->symbols,
					    &finding->locations->objects[location->object],
					    &address))
			find(finding, at, address);
	}
}

/*
 * Finds names before lines, because lines may exceed the time limit: a small file can contain a
 * line table of gigabytes.
 */
static void search_object(struct td_search *search, struct finding *finding, int object)
{
	struct td_file_symbols *symbols = &finding->symbols;
	FILE *fp = finding->fp;
	int rc, rc_lines;

	write_mark(fp, TD_FOUND_OBJECT, object, 0);
	/* the parent must know the object if it ends this process */
	fflush(fp);
	rc = td_file_symbols_open(symbols, &finding->locations->objects[object], search);
	find_all(finding, find_name);
	write_mark(fp, TD_FOUND_NAMED, object, 0);
	fflush(fp);
	rc_lines = td_file_symbols_open_lines(symbols, search);
	if (symbols->lines.nr)
		find_all(finding, find_line);
	td_file_symbols_close(symbols);
	write_mark(fp, TD_FOUND_END, object, rc_lines ? rc_lines : rc);
	fflush(fp);
}

void td_search_objects(struct td_search *search, const struct td_locations *locations,
		       const int *unknown, size_t nr, FILE *fp)
{
	for (size_t i = 0; i < nr;) {
		struct finding finding = { .locations = locations,
					   .unknown = unknown + i,
					   .fp = fp };
		int object = locations->v[unknown[i]].object;

		for (; i < nr && locations->v[unknown[i]].object == object; i++)
			finding.nr++;
		search_object(search, &finding, object);
	}
}

/* --- the process ------------------------------------------------------------ */

__attribute__((noreturn)) static void search_all(struct td_search *search,
						 const struct td_locations *locations,
						 const int *unknown, size_t nr, int fd)
{
	FILE *fp;

	td_confine(fd, search->fs->proc);
	fp = td_need(fdopen(fd, "we"));
	td_search_objects(search, locations, unknown, nr, fp);
	/* skip inherited exit handlers and buffers */
	_exit(ferror(fp) ? 1 : 0);
}

static void end_without_memory(void)
{
	_exit(NO_MEMORY);
}

/* Forks a process that blocks signals from the terminal.  Its parent handles them, and ends it. */
pid_t td_search_fork(void)
{
	static const int blocked[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	pid_t parent = getpid(), pid;
	sigset_t set, before;

	sigemptyset(&set);
	for (size_t i = 0; i < TD_ARRAY_SIZE(blocked); i++)
		sigaddset(&set, blocked[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	pid = fork();
	if (pid == 0) {
		td_memory_on_failure(end_without_memory);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
	} else {
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
	return pid;
}

int td_search_start(struct td_search_process *process, struct td_search *search,
		    const struct td_locations *locations, const int *unknown, size_t nr)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	process->pid = td_search_fork();
	if (process->pid == 0)
		search_all(search, locations, unknown, nr, fds[1]);
	close(fds[1]);
	process->fd = fds[0];
	if (process->pid > 0)
		return 0;
	td_close_fd(&process->fd);
	return -EAGAIN;
}

int td_search_end(struct td_search_process *process)
{
	static const struct timespec moment = { .tv_nsec = 1000000 };
	uint64_t end = td_now_ns() + MAX_END_NS;
	int status = 0;
	pid_t pid;

	td_close_fd(&process->fd);
	/* it may have closed the pipe without ending */
	kill(process->pid, SIGKILL);
	while ((pid = waitpid(process->pid, &status, WNOHANG)) == 0 && td_now_ns() < end)
		nanosleep(&moment, NULL);
	if (pid <= 0)
		return -EFAULT;
	if (WIFEXITED(status) && WEXITSTATUS(status) != NO_MEMORY)
		return WEXITSTATUS(status) ? -EFAULT : 0;
	/* SIGKILL may come from the kernel's OOM killer */
	return WIFEXITED(status) || WTERMSIG(status) == SIGKILL ? -ENOMEM : -EFAULT;
}
