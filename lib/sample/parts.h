/* SPDX-License-Identifier: GPL-2.0-only */
/* Searches files for the names of addresses. */
#pragma once

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdio.h>
#include <sys/types.h>

#include "lib/machine/sysfs.h"
#include "lib/sample/locations.h"

/* --- search.c ------------------------------------------------------------- */

/*
 * A search for symbols and its remaining budget.  The files are untrusted: one byte of input
 * can cost a thousand bytes of work.
 */
struct td_search {
	const struct td_sysfs *fs; /* kallsyms, /proc/PID/root */
	bool lines;                /* also find source lines */
	uint64_t bytes;            /* budget: unpacked bytes of all files */
	uint64_t symbols;          /* budget: symbols of all files */
	bool aliases;              /* keep all names of an address */
};

/* Limits: ten times what the largest known programs need. */
#define TD_SEARCH_BYTES   ((uint64_t)16 << 30)
#define TD_SEARCH_SYMBOLS ((uint64_t)32 << 20)

/* Deducts nr from a budget.  Returns false if it is exhausted. */
static inline bool td_search_spend(uint64_t *left, uint64_t nr)
{
	if (*left < nr)
		return false;
	*left -= nr;
	return true;
}

/*
 * Opens a regular file on a disk to read it.  Opening a device may have effects, a fifo waits,
 * and the kernel's virtual files may be endless (/proc/kcore) or empty after the first reading
 * (/proc/kmsg, trace_pipe).  A relative path starts at fs->proc.
 * Returns the descriptor, or a negative errno: -EINVAL for other files.
 */
int td_regular_open(const struct td_sysfs *fs, const char *path);

/* Returns the path below "PID/root", or as it is if pid is 0.  The caller frees it. */
char *td_regular_path(int pid, const char *path);

/*
 * Confines this process, which was forked to read untrusted files.  It keeps two descriptors (-1:
 * none), standard error, a limited amount of memory, and the system calls that open and read files
 * and write to open descriptors.  It also keeps the capabilities to read all files, kallsyms, and
 * the root directory of a process, because the debug files to open are only known after reading the
 * first file.
 */
void td_confine(int keep, int keep_too);

/* --- search_process.c ----------------------------------------------------- */

/* Demangles a name of C++ or Rust, or returns false.  A long name is cut. */
bool td_demangle(const char *name, char *buf, size_t size);

/*
 * Looks for the functions and lines of locations, which are given by their indices and sorted by
 * object, and writes what it finds.
 */
void td_search_objects(struct td_search *search, const struct td_locations *locations,
		       const int *unknown, size_t nr, FILE *fp);

/* Forks a process that ends with this one and ignores signals from a terminal. */
pid_t td_search_fork(void);

/* A confined process that runs td_search_objects(). */
struct td_search_process {
	pid_t pid;
	int fd; /* descriptor for the results */
};

/* Returns 0 or a negative errno. */
int td_search_start(struct td_search_process *process, struct td_search *search,
		    const struct td_locations *locations, const int *unknown, size_t nr);
/*
 * Ends the process.  Returns 0 if it had ended without an error, -ENOMEM if it had run out of
 * memory, or -EFAULT.
 */
int td_search_end(struct td_search_process *process);

/*
 * The wire format between a search process and its parent.  For each object, in ascending
 * order: OBJECT, functions of its locations, NAMED, their lines, END.  The reader validates
 * everything.
 */

/* The caller sets locations, sets object and after to -1, and resets object for each process. */
struct td_found_reader {
	struct td_locations *locations;
	int object;    /* the current object, or -1 */
	int after;     /* the last complete object; objects arrive in ascending order */
	bool named;    /* the current object's functions are complete */
	int rc;        /* result of the last complete object */
	uint64_t text; /* total length of all names */
};

enum td_found_kind {
	TD_FOUND_MORE, /* the record is incomplete */
	TD_FOUND_OBJECT,
	TD_FOUND_LOCATION,
	TD_FOUND_END,
	TD_FOUND_NAMED,
};

/* Size of the longest record. */
#define TD_FOUND_MAX (1 << 14)

/*
 * Reads a record from the start of the bytes, and sets a location's function or line.  Returns
 * its kind and sets *length, or returns -EPROTO if it is invalid.
 */
int td_found_read(struct td_found_reader *reader, const char *bytes, size_t size, size_t *length);

/* --- symbol_table.c ------------------------------------------------------- */

#define TD_SYMBOLS_MAX     (4 << 20)
#define TD_SYMBOL_NAME_MAX 4096

/* The symbols of an object.  A zeroed struct is empty. */
struct td_symbol_table {
	struct td_named {
		uint64_t start, end;
		uint64_t limit;   /* maximum of the end, if the size is 0 */
		size_t name;      /* offset in text */
		size_t enclosing; /* 1 + the index of the innermost symbol around it, or 0 */
		uint32_t rank;    /* the highest one at an address is used */
		bool old;         /* a version that programs are no longer linked to */
	} * v;
	size_t nr;
	char *text; /* the names, each with a NUL */
	size_t length, size;
	uint64_t *left; /* budget for all tables, or NULL */
	bool aliases;   /* keep all symbols of an address */
};

/*
 * Adds a symbol.  One whose size is 0 ends at the next one, or at limit.  Long names are cut.
 * Returns 0, or -E2BIG if there are TD_SYMBOLS_MAX or the budget is exhausted.
 */
int td_symbol_table_add(struct td_symbol_table *table, const struct td_named *symbol,
			const char *name, size_t length);
/* Sorts the table.  Call it once between the last addition and the first search. */
void td_symbol_table_finish(struct td_symbol_table *table);
/* Returns the innermost symbol around an address, or NULL. */
const struct td_named *td_symbol_table_find(const struct td_symbol_table *table, uint64_t address);
const char *td_symbol_table_name(const struct td_symbol_table *table,
				 const struct td_named *symbol);
void td_symbol_table_free(struct td_symbol_table *table);

/* Functions that read lists of symbols.  The caller finishes the table. */

/* Reads /proc/kallsyms.  Returns a negative errno: -EACCES if the kernel hides addresses. */
int td_symbols_read_kernel(struct td_symbol_table *table, struct td_search *search);
/*
 * Reads /tmp/perf-PID.map, where JIT compilers describe their code.  Returns -EPERM unless it
 * belongs to root, to tdstat's or the process's user, -E2BIG if a part was read, or -errno.
 */
int td_symbols_read_memory(struct td_symbol_table *table, struct td_search *search, int pid);

/* --- elf.c ---------------------------------------------------------------- */

/*
 * An open ELF file.  Its contents are untrusted.  Therefore it is not opened with libdwfl, which
 * maps the file, unpacks .gnu_debugdata and gzip files of any size, and does not find the lines of
 * units without .debug_aranges, which clang omits (elfutils 0.188).
 */
struct td_elf {
	int fd;     /* -1: the file is in memory */
	char *path; /* or NULL */
	void *image;
	Elf *elf;
	Elf_Data *names; /* names of the sections, or NULL */
	struct td_build_id build_id;
	/* segments that are loaded into memory */
	struct td_elf_segment {
		uint64_t offset, size, address;
	} * segments;
	size_t nr;
};

/* Loads libdw, which functions that open files also do.  Returns -ELIBACC with the reason. */
int td_elf_load(struct td_err *err);
/* Opens this process's vDSO, which all 64-bit processes share. */
int td_elf_open_vdso(struct td_elf *file);
/* Finds the virtual address of an offset in the file.  Returns false if it is not loaded. */
bool td_elf_address(const struct td_elf *file, uint64_t offset, uint64_t *address);
/*
 * Returns a string table of at most max bytes, or NULL.  Its last byte must be 0, because
 * elf_strptr() would otherwise search the whole table for the end of each string.
 */
Elf_Data *td_elf_strings(Elf *elf, size_t section, uint64_t max);
bool td_elf_has(const struct td_elf *file, const char *name);
/* Returns true if the file defines or imports this symbol.  For small files only. */
bool td_elf_names(const struct td_elf *file, const char *symbol);
/* Returns the content of a small section, such as a name or a build id, or NULL. */
Elf_Data *td_elf_small(const struct td_elf *file, const char *name);
void td_elf_close(struct td_elf *file);

/* Source lines from a file's debugging information. */
struct td_elf_lines {
	Dwarf *dwarf, *shared;
	/* address ranges of compilation units */
	struct td_elf_unit {
		uint64_t start, end;
		Dwarf_Off offset; /* offset of the unit */
	} * units;
	size_t nr;
};

/*
 * Opens the debugging information of a file, which must stay open.  *dwarf becomes NULL if
 * there is none.  Returns 0, or -EOVERFLOW if it is too large.
 */
int td_elf_begin_dwarf(Dwarf **dwarf, const struct td_elf *file, struct td_search *search);
/* Returns the path of the source, which the caller frees, or NULL, and sets *line. */
char *td_elf_lines_find(const struct td_elf_lines *lines, uint64_t address, int *line);

/* The symbols of an object: in files, by virtual address. */
struct td_file_symbols {
	struct td_elf file, debug, shared; /* not open if there is no such file */
	struct td_symbol_table table;
	struct td_elf_lines lines;
	int root;   /* the process in whose root directory the file is, or 0 */
	bool sound; /* lines can also be read */
};

/*
 * Reads the symbols of an object.  Returns -ENODATA if it has none, -ESTALE if the file is not
 * the one that ran, -ENOEXEC if it is not an ELF file, -EIDRM if it is deleted, -E2BIG for too
 * many symbols, -EFBIG for a large debug file, or what td_regular_open() and td_symbols_read_
 * functions return.  On error, too, the symbols can be used and must be closed.
 */
int td_file_symbols_open(struct td_file_symbols *symbols, const struct td_object *object,
			 struct td_search *search);
/* Opens only the ELF file or vDSO, and sets *root.  Returns -ENOENT if there is none. */
int td_file_symbols_open_elf(struct td_elf *file, const struct td_object *object,
			     const struct td_sysfs *fs, int *root);
/* Opens the lines; call it after opening the symbols.  Returns as td_elf_lines_open() does. */
int td_file_symbols_open_lines(struct td_file_symbols *symbols, struct td_search *search);
/*
 * Converts the address of a location to an address of symbols.  Returns false if it is not in a
 * segment.
 */
bool td_file_symbols_address(const struct td_file_symbols *symbols, const struct td_object *object,
			     uint64_t *address);
void td_file_symbols_close(struct td_file_symbols *symbols);
