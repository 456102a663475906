// SPDX-License-Identifier: GPL-2.0-only
/* Searches in a process of their own, which is confined. */
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
#else /* some distributions have it as a part of binutils */
#include <demangle.h>
#endif

#include "lib/base/util.h"
#include "lib/sample/parts.h"

/* What it waits for may not let it end, as a dead server of files. */
#define PATIENCE_NS (2 * TD_NS_A_SECOND)

/* --- names ------------------------------------------------------------------ */

struct demangled {
	char *buf;
	size_t size, length;
	jmp_buf full;
};

/*
 * A short name can stand for a text of gigabytes, and libiberty has no other
 * way to be stopped; it keeps nothing on the heap meanwhile.
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

typedef int (*demangle_fn)(const char *name, int options,
			   demangle_callbackref callback, void *opaque);

static bool demangle_as(demangle_fn demangle, const char *name, char *buf,
			size_t size)
{
	struct demangled text = { .buf = buf, .size = size };

	/* what is full is cut */
	if (setjmp(text.full) == 0 &&
	    !demangle(name, DMGL_PARAMS | DMGL_ANSI, add_part, &text))
		return false;
	buf[text.length] = '\0';
	return true;
}

bool td_demangle(const char *name, char *buf, size_t size)
{
	/* the older names of Rust look like those of C++ */
	if (name[0] != '_')
		return false;
	return demangle_as(rust_demangle_callback, name, buf, size) ||
	       demangle_as(cplus_demangle_v3_callback, name, buf, size);
}

/* --- the search ------------------------------------------------------------- */

/* The spots of an object, and the names of its functions, demangled once each. */
struct finding {
	const struct td_spots *spots;
	const int *unknown;
	size_t nr;
	struct td_file_symbols symbols;
	const struct td_named *last;
	char name[TD_SYMBOL_NAME_MAX + 1];
	FILE *fp;
};

static const char *name_of(struct finding *finding,
			   const struct td_named *named)
{
	const struct td_symbol_table *table = &finding->symbols.table;
	const char *name = td_symbol_table_name(table, named);

	if (named != finding->last &&
	    !td_demangle(name, finding->name, sizeof(finding->name)))
		snprintf(finding->name, sizeof(finding->name), "%s", name);
	finding->last = named;
	return finding->name;
}

static void find_name(struct finding *finding, int at, uint64_t address)
{
	const struct td_spot *spot = &finding->spots->v[at];
	const struct td_named *named =
		td_symbol_table_find(&finding->symbols.table, address);
	struct td_found_spot found = { .spot = at };

	if (!named || address - named->start > spot->address)
		return;
	found.name = name_of(finding, named);
	found.begin = spot->address - (address - named->start);
	td_found_write(finding->fp, &found);
}

static void find_line(struct finding *finding, int at, uint64_t address)
{
	struct td_found_spot found = { .spot = at };
	td_autofree char *file = td_elf_lines_find(&finding->symbols.lines,
						   address, &found.line);

	found.file = file;
	if (file)
		td_found_write(finding->fp, &found);
}

static void find_all(struct finding *finding,
		     void (*find)(struct finding *finding, int at,
				  uint64_t address))
{
	for (size_t i = 0; i < finding->nr; i++) {
		int at = finding->unknown[i];
		const struct td_spot *spot = &finding->spots->v[at];
		uint64_t address = spot->address;

		if (td_file_symbols_address(
			    &finding->symbols,
			    &finding->spots->objects[spot->object], &address))
			find(finding, at, address);
	}
}

/*
 * Names come before lines, which may take longer than there is time for: a small
 * file can have a line table of gigabytes.
 */
static void search_object(struct td_search *search, struct finding *finding,
			  int object)
{
	struct td_file_symbols *symbols = &finding->symbols;
	FILE *fp = finding->fp;
	int rc, rc_lines;

	td_found_write_object(fp, object);
	/* whoever waits for us must know what we are at if we end here */
	fflush(fp);
	rc = td_file_symbols_open(symbols, &finding->spots->objects[object],
				  search);
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

void td_search_objects(struct td_search *search, const struct td_spots *spots,
		       const int *unknown, size_t nr, FILE *fp)
{
	for (size_t i = 0; i < nr;) {
		struct finding finding = { .spots = spots,
					   .unknown = unknown + i,
					   .fp = fp };
		int object = spots->v[unknown[i]].object;

		for (; i < nr && spots->v[unknown[i]].object == object; i++)
			finding.nr++;
		search_object(search, &finding, object);
	}
}

/* --- the process ------------------------------------------------------------ */

/* Signals of a terminal are for us: we end it. */
static void block_signals(sigset_t *before)
{
	static const int blocked[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < TD_ARRAY_SIZE(blocked); i++)
		sigaddset(&set, blocked[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

__attribute__((noreturn)) static void look(struct td_search *search,
					   const struct td_spots *spots,
					   const int *unknown, size_t nr,
					   int fd)
{
	FILE *fp;

	td_confine(fd, search->fs->proc);
	fp = fdopen(fd, "we");
	if (!fp)
		_exit(TD_NO_MEMORY);
	td_search_objects(search, spots, unknown, nr, fp);
	/* nothing that was inherited is written, or run */
	_exit(ferror(fp) ? 1 : 0);
}

pid_t td_search_fork(void)
{
	pid_t parent = getpid(), pid;
	sigset_t before;

	block_signals(&before);
	pid = fork();
	if (pid == 0) {
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
	int fds[2], rc = 0;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	process->pid = td_search_fork();
	if (process->pid == 0)
		look(search, spots, unknown, nr, fds[1]);
	if (process->pid < 0)
		rc = -EAGAIN;
	close(fds[1]);
	process->fd = fds[0];
	if (rc)
		td_close_fd(&process->fd);
	return rc;
}

int td_search_end(struct td_search_process *process)
{
	static const struct timespec moment = { .tv_nsec = 1000000 };
	uint64_t end = td_now_ns() + PATIENCE_NS;
	int status = 0;
	pid_t pid;

	td_close_fd(&process->fd);
	/* it has closed its end of the pipe, and may have done no more than that */
	kill(process->pid, SIGKILL);
	while ((pid = waitpid(process->pid, &status, WNOHANG)) == 0 &&
	       td_now_ns() < end)
		nanosleep(&moment, NULL);
	if (pid <= 0)
		return -EFAULT;
	if (WIFEXITED(status) && WEXITSTATUS(status) != TD_NO_MEMORY)
		return WEXITSTATUS(status) ? -EFAULT : 0;
	/* the kernel, too, ends what takes too much */
	return WIFEXITED(status) || WTERMSIG(status) == SIGKILL ? -ENOMEM
								: -EFAULT;
}
