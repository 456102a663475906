// SPDX-License-Identifier: GPL-2.0-only
/* Searches for symbols in a confined process. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
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
	/* old names of Rust look like those of C++, so Rust comes first */
	if (name[0] != '_')
		return false;
	return demangle_as(rust_demangle_callback, name, buf, size) ||
	       demangle_as(cplus_demangle_v3_callback, name, buf, size);
}

/* --- the search ------------------------------------------------------------- */

/* State of the search for the spots of one object. */
struct finding {
	const struct td_spots *spots;
	const int *unknown;
	size_t nr;
	struct td_file_symbols symbols;
	const struct td_named *last;       /* symbol of the last spot */
	char name[TD_SYMBOL_NAME_MAX + 1]; /* demangled name of that symbol */
	FILE *fp;
};

static void find_name(struct finding *finding, int at, uint64_t address)
{
	const struct td_symbol_table *table = &finding->symbols.table;
	const struct td_spot *spot = &finding->spots->v[at];
	const struct td_named *named = td_symbol_table_find(table, address);
	const char *name;

	if (!named || address - named->start > spot->address)
		return;
	name = td_symbol_table_name(table, named);
	if (named != finding->last && !td_demangle(name, finding->name, sizeof(finding->name)))
		snprintf(finding->name, sizeof(finding->name), "%s", name);
	finding->last = named;
	td_found_write(finding->fp, &(struct td_found_spot){
					    .spot = at,
					    .name = finding->name,
					    .begin = spot->address - (address - named->start),
				    });
}

static void find_line(struct finding *finding, int at, uint64_t address)
{
	struct td_found_spot found = { .spot = at };
	td_autofree char *file = td_elf_lines_find(&finding->symbols.lines, address, &found.line);

	found.file = file;
	if (file)
		td_found_write(finding->fp, &found);
}

static void find_all(struct finding *finding,
		     void (*find)(struct finding *finding, int at, uint64_t address))
{
	for (size_t i = 0; i < finding->nr; i++) {
		int at = finding->unknown[i];
		const struct td_spot *spot = &finding->spots->v[at];
		uint64_t address = spot->address;

		if (td_file_symbols_address(&finding->symbols,
					    &finding->spots->objects[spot->object], &address))
			find(finding, at, address);
	}
}

/*
 * Finds names before lines, which may exceed the time limit: a small file can contain a line
 * table of gigabytes.
 */
static void search_object(struct td_search *search, struct finding *finding, int object)
{
	struct td_file_symbols *symbols = &finding->symbols;
	FILE *fp = finding->fp;
	int rc, rc_lines;

	td_found_write_object(fp, object);
	/* the parent must know the object if it ends this process */
	fflush(fp);
	rc = td_file_symbols_open(symbols, &finding->spots->objects[object], search);
	find_all(finding, find_name);
	td_found_write_named(fp, object);
	fflush(fp);
	rc_lines = td_file_symbols_open_lines(symbols, search);
	if (symbols->lines.nr)
		find_all(finding, find_line);
	td_file_symbols_close(symbols);
	td_found_write_end(fp, object, rc_lines ? rc_lines : rc);
	fflush(fp);
}

void td_search_objects(struct td_search *search, const struct td_spots *spots, const int *unknown,
		       size_t nr, FILE *fp)
{
	for (size_t i = 0; i < nr;) {
		struct finding finding = { .spots = spots, .unknown = unknown + i, .fp = fp };
		int object = spots->v[unknown[i]].object;

		for (; i < nr && spots->v[unknown[i]].object == object; i++)
			finding.nr++;
		search_object(search, &finding, object);
	}
}

/* --- the process ------------------------------------------------------------ */

__attribute__((noreturn)) static void search_all(struct td_search *search,
						 const struct td_spots *spots, const int *unknown,
						 size_t nr, int fd)
{
	FILE *fp;

	td_confine(fd, search->fs->proc);
	fp = td_need(fdopen(fd, "we"));
	td_search_objects(search, spots, unknown, nr, fp);
	/* skip inherited exit handlers and buffers */
	_exit(ferror(fp) ? 1 : 0);
}

static void end_without_memory(void)
{
	_exit(NO_MEMORY);
}

/* Forks a process that blocks signals from the terminal: its parent takes them, and ends it. */
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
		    const struct td_spots *spots, const int *unknown, size_t nr)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	process->pid = td_search_fork();
	if (process->pid == 0)
		search_all(search, spots, unknown, nr, fds[1]);
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
