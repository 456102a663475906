/* SPDX-License-Identifier: GPL-2.0-only */
/* What searches files for the names of addresses. */
#ifndef TD_LIB_SAMPLE_PARTS_H
#define TD_LIB_SAMPLE_PARTS_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "lib/machine/sysfs.h"
#include "lib/sample/spots.h"

/* --- search.c ------------------------------------------------------------- */

/*
 * A search for symbols, and what it may still read and keep: files are made by
 * whoever could run a program, and each byte of theirs can cost us a thousand.
 */
struct td_search {
	const struct td_sysfs *fs; /* kallsyms, /proc/PID/root */
	bool lines;                /* of the source, too */
	uint64_t bytes;            /* of all files together, unpacked */
	uint64_t symbols;          /* of all files together */
	bool aliases;              /* keep all names of an address */
};

/* What the largest programs have is a tenth of it. */
#define TD_SEARCH_BYTES   ((uint64_t)16 << 30)
#define TD_SEARCH_SYMBOLS ((uint64_t)32 << 20)

/* The exit status of a process whose search found no memory. */
#define TD_NO_MEMORY 3

/* Takes it from what is left, if there is as much.  False: leave it out. */
static inline bool td_search_take(uint64_t *left, uint64_t nr)
{
	if (*left < nr)
		return false;
	*left -= nr;
	return true;
}

/*
 * Opens a file to read, if it is a regular one on a disk: nothing else is opened,
 * because a device may do something then, a fifo waits, and what the kernel tells
 * in files may have no end (/proc/kcore) or is gone once it was read
 * (/proc/kmsg, trace_pipe).  The path is below fs->proc if it is relative.
 * Returns the descriptor, or a negative errno; -EINVAL if it is something else.
 */
int td_regular_open(const struct td_sysfs *fs, const char *path);

/*
 * A path as a process sees it: below "PID/root", or as it is if pid is 0.  Free
 * it; NULL if memory ran out.
 */
char *td_regular_path(int pid, const char *path);

/*
 * Takes from this process, which was forked to read files that anybody could have
 * made, what it does not need for that: all descriptors but these two (-1: none)
 * and standard error, memory without end, capabilities, and all system calls but
 * those that open files to read them, read, and write to what is open.
 *
 * It keeps the rights to read files and what kallsyms hides, and to enter the root
 * folder of a process: which debug files there are to open is known only when the
 * first file was read, so nobody could open them before.
 */
void td_confine(int keep, int keep_too);

/* --- search_process.c ----------------------------------------------------- */

/*
 * Writes a name of C++ or Rust as its source has it, or returns false.  What
 * is longer than the buffer is cut.
 */
bool td_demangle(const char *name, char *buf, size_t size);

/*
 * Looks for the functions and lines of spots, given by their indices and sorted by
 * object, and writes what it finds (found.c).  Nothing of an object is kept.
 */
void td_search_objects(struct td_search *search, const struct td_spots *spots,
		       const int *unknown, size_t nr, FILE *fp);

/*
 * fork(), of a process that ends with this one, and that no signal of a terminal
 * reaches.
 */
pid_t td_search_fork(void);

/* A process that does so, confined, and writes to a pipe.  It ends with us. */
struct td_search_process {
	pid_t pid;
	int fd; /* to read from */
};

/* 0 or a negative errno. */
int td_search_start(struct td_search_process *process, struct td_search *search,
		    const struct td_spots *spots, const int *unknown,
		    size_t nr);
/*
 * Ends it.  0 if it had ended by itself; else how, -ENOMEM for lack of memory or
 * -EFAULT.
 */
int td_search_end(struct td_search_process *process);

/* --- found.c -------------------------------------------------------------- */

/*
 * What a search for symbols found, as bytes that one process writes and another
 * reads: for each object, in their order, that it is looked at, the functions of
 * its spots that are known, that these are all, their lines, and that it is done.  The reader trusts nothing of it.
 */

/* A spot in words. */
struct td_found_spot {
	int spot;
	const char *name; /* of its function; NULL: there is no symbol */
	uint64_t begin;   /* of the function, in the object */
	const char *file; /* of the source; NULL: its line is not known */
	int line;
};

void td_found_write_object(FILE *fp, int object);
void td_found_write(FILE *fp, const struct td_found_spot *found);
/* What follows of the object is lines. */
void td_found_write_named(FILE *fp, int object);
/* rc: 0, or the negative errno that says what is missing. */
void td_found_write_end(FILE *fp, int object, int rc);

/* Set spots, and object and after to -1; object, too, for each new process. */
struct td_found_reader {
	struct td_spots *spots;
	int object;    /* that is looked at, or -1 */
	int after;     /* the last that was; only those behind it follow */
	bool named;    /* the functions of its spots are all there */
	int rc;        /* of the object that is done */
	uint64_t text; /* bytes of names that were taken, of all */
};

enum td_found_kind {
	TD_FOUND_MORE, /* the bytes are not a whole record */
	TD_FOUND_OBJECT,
	TD_FOUND_SPOT,
	TD_FOUND_END,
	TD_FOUND_NAMED,
};

/* The longest record. */
#define TD_FOUND_MAX (1 << 14)

/*
 * Takes the record that size bytes begin with.  A spot's function and line are
 * added to the spots.  Returns its kind and sets *length, or -ENOMEM, or -EPROTO
 * if it is not as it should be.
 */
int td_found_take(struct td_found_reader *reader, const char *bytes,
		  size_t size, size_t *length);

/* --- symbol_table.c ------------------------------------------------------- */

#define TD_SYMBOLS_MAX     (4 << 20)
#define TD_SYMBOL_NAME_MAX 4096

struct td_named {
	uint64_t start;
	uint64_t end;
	uint64_t limit; /* where it ends at the latest, if its size is 0 */
	size_t name;    /* in text */
	size_t around;  /* 1 + the place of the next symbol around it, or 0 */
	uint32_t rank;  /* of several at one address the highest has it */
	bool old;       /* a version that programs are no longer linked to */
};

/* The symbols of an object.  Zeroed, it is empty. */
struct td_symbol_table {
	struct td_named *v;
	size_t nr, room;
	char *text; /* the names, each with a NUL */
	size_t length, size;
	uint64_t *left; /* that all tables may have, or NULL */
	bool aliases;   /* all symbols of an address stay */
};

/*
 * Adds a symbol.  One whose size is 0 reaches to the next, up to limit.  Long names
 * are cut.  0; -ENOMEM; -E2BIG if there are more than TD_SYMBOLS_MAX, or than all
 * tables may have.
 */
int td_symbol_table_add(struct td_symbol_table *table,
			const struct td_named *symbol, const char *name,
			size_t length);
/* After the last was added; before the first is looked for. */
void td_symbol_table_finish(struct td_symbol_table *table);
/* The symbol that begins last of those around an address, or NULL. */
const struct td_named *td_symbol_table_find(const struct td_symbol_table *table,
					    uint64_t address);
const char *td_symbol_table_name(const struct td_symbol_table *table,
				 const struct td_named *symbol);
void td_symbol_table_free(struct td_symbol_table *table);

/* Lists of symbols in text.  The caller finishes the table. */

/* /proc/kallsyms.  Also -EACCES if the kernel shows no addresses, -errno. */
int td_symbols_read_kernel(struct td_symbol_table *table,
			   struct td_search *search);
/*
 * What a JIT compiler tells of its memory in /tmp/perf-PID.map, which belongs to
 * root, to us or to the process's user.  Also -EPERM if not; -E2BIG if only a
 * part of it was read; -errno.
 */
int td_symbols_read_memory(struct td_symbol_table *table,
			   struct td_search *search, int pid);

/* --- elf_file.c ----------------------------------------------------------- */

/*
 * An open ELF file.  None of what it says about itself can be trusted, which is why
 * libdwfl does not open it: that maps the file, unpacks .gnu_debugdata and whole
 * files of gzip of any size without asking, and finds no line of a unit without
 * .debug_aranges, which clang leaves out (elfutils 0.188).
 */
struct td_elf {
	int fd;     /* -1: it is in memory */
	char *path; /* or NULL */
	void *image;
	Elf *elf;
	Elf_Data *names; /* of the sections; NULL: they have none */
	struct td_build_id build_id;
	/* What is loaded into memory. */
	struct td_elf_segment {
		uint64_t offset, size, address;
	} * segments;
	size_t nr;
};

/* Loads libdw, as what follows does by itself.  -ELIBACC, with the reason. */
int td_elf_load(struct td_err *err);
/* Opens a path as td_regular_open() does.  -errno; -ENOEXEC if it is no ELF. */
int td_elf_open(struct td_elf *file, const struct td_sysfs *fs,
		const char *path);
/* The vDSO, which all processes of 64 bits share with this one. */
int td_elf_open_vdso(struct td_elf *file);
/* The virtual address of an offset in the file.  False if it is not loaded. */
bool td_elf_address(const struct td_elf *file, uint64_t offset,
		    uint64_t *address);
/*
 * A table of strings of at most so many bytes, or NULL.  Its last byte is 0: with
 * another one elf_strptr() looks for the end of each string in the whole table.
 */
Elf_Data *td_elf_strings(Elf *elf, size_t section, uint64_t most);
/* The text at a place in such a table (NULL is fine), or NULL. */
const char *td_elf_text(const Elf_Data *strings, size_t at);
/* The name of a section, or NULL. */
const char *td_elf_name(const struct td_elf *file, Elf_Scn *section);
bool td_elf_has(const struct td_elf *file, const char *name);
/* Has it a symbol of that name, or uses one of another file?  Of a small file. */
bool td_elf_names(const struct td_elf *file, const char *symbol);
/*
 * What a section of a name holds, or NULL: if it is empty, or larger than the few
 * bytes that names and build ids take.
 */
Elf_Data *td_elf_small(const struct td_elf *file, const char *name);
void td_elf_close(struct td_elf *file);

/* --- elf_debug.c ---------------------------------------------------------- */

/*
 * Opens the separate debug file of a file, by its build id or .gnu_debuglink,
 * in the root folder of the process that file was opened in (0: ours), then in
 * ours.  Nothing is downloaded.  0, -ENOENT or -ENOMEM; -EFBIG if it is too large
 * to tell by its checksum whether it is the one.
 */
int td_elf_open_debug(struct td_elf *debug, const struct td_elf *file,
		      struct td_search *search, int pid);
/* The same for what several debug files share, by .gnu_debugaltlink. */
int td_elf_open_shared(struct td_elf *shared, const struct td_elf *debug,
		       struct td_search *search, int pid);

/* Lines of the source, of a file's debugging information. */
struct td_elf_lines {
	Dwarf *dwarf, *shared;
	struct td_elf_unit {
		uint64_t start, end;
		Dwarf_Off offset; /* of the unit that has these addresses */
	} * units;
	size_t nr;
};

/*
 * The debugging information of a file, which must stay open; NULL: it has none.  0, or
 * -EOVERFLOW if it is larger than what is read.
 */
int td_elf_begin_dwarf(Dwarf **dwarf, const struct td_elf *file,
		       struct td_search *search);
/*
 * Both files must stay open as long as the lines; shared may be NULL.  0, also
 * if there are no lines; -ENOMEM; -EOVERFLOW if they are larger than what is read.
 */
int td_elf_lines_open(struct td_elf_lines *lines, const struct td_elf *file,
		      const struct td_elf *shared, struct td_search *search);
/* The path of the source, to free, and the line; NULL if it is not known. */
char *td_elf_lines_find(const struct td_elf_lines *lines, uint64_t address,
			int *line);
void td_elf_lines_close(struct td_elf_lines *lines);

/* --- file_symbols.c ------------------------------------------------------- */

/* The symbols of what is mapped, by virtual address in files. */
struct td_file_symbols {
	/* Closed if there is none. */
	struct td_elf file, debug, shared;
	struct td_symbol_table table;
	struct td_elf_lines lines;
	int root;   /* the process whose root folder the file is in, or 0 */
	bool sound; /* there may be lines, too */
};

/*
 * Reads the symbols of an object: of a file, the vDSO, the kernel, or what a JIT
 * compiler tells.  -ENOMEM, -ENODATA if it has none, -ESTALE if it is not what
 * ran, -ENOEXEC if it is no ELF, -EIDRM if it is deleted; -E2BIG and -EFBIG if
 * there are more symbols or a larger debug file than are read; else -errno of
 * td_regular_open() or as in symbol_table.c.  In any case what was read can be used,
 * and must be closed.
 */
int td_file_symbols_open(struct td_file_symbols *symbols,
			 const struct td_object *object,
			 struct td_search *search);
/*
 * Only opens the file of one, or the vDSO, in the same way; *root is as in struct
 * td_file_symbols.  -ENOENT for what has no file.
 */
int td_file_symbols_open_elf(struct td_elf *file,
			     const struct td_object *object,
			     const struct td_sysfs *fs, int *root);
/* Then the lines.  Returns as td_elf_lines_open() does. */
int td_file_symbols_open_lines(struct td_file_symbols *symbols,
			       struct td_search *search);
/* Makes the symbols' address of a spot's.  False: it has none. */
bool td_file_symbols_address(const struct td_file_symbols *symbols,
			     const struct td_object *object, uint64_t *address);
void td_file_symbols_close(struct td_file_symbols *symbols);

#endif
