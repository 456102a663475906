// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/symbol_lists.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/sample/regular_file.h"

/* No function of the kernel is longer; behind its last one is something else. */
#define KERNEL_REACH (1 << 20)
/* A list that is longer is read up to here. */
#define LIST_MAX ((uint64_t)256 << 20)

typedef int (*add_line_fn)(struct td_symbol_table *table, char *line,
			   uint32_t number);

/* Returns the text behind a hexadecimal number and a blank, or NULL. */
static char *take_hex(char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 16);
	return errno || end == text || *end != ' ' ? NULL : end + 1;
}

/* "ffffffffc0001000 t name<tab>[module]" */
static int add_kernel(struct td_symbol_table *table, char *line,
		      uint32_t number)
{
	struct td_named symbol = { 0 };
	char *text = take_hex(line, &symbol.start);
	char *module;

	(void)number;
	if (!text || !symbol.start || !strchr("tTwW", text[0]) ||
	    text[1] != ' ')
		return 0;
	symbol.rank = *text == 'T' ? 2 : *text == 't' ? 0 : 1;
	symbol.end = symbol.start;
	symbol.limit = symbol.start + KERNEL_REACH;
	if (symbol.limit < symbol.start)
		symbol.limit = UINT64_MAX;
	module = strchr(text, '\t');
	if (module)
		*module = ' ';
	return td_symbol_table_add(table, &symbol, text + 2);
}

/* "7f0123 40 name with blanks"; what comes later has replaced the earlier. */
static int add_memory(struct td_symbol_table *table, char *line,
		      uint32_t number)
{
	struct td_named symbol = { .rank = number };
	uint64_t size = 0;
	char *text = take_hex(line, &symbol.start);

	if (text)
		text = take_hex(text, &size);
	if (!text || !*text || !size)
		return 0;
	symbol.end = symbol.start + size;
	return td_symbol_table_add(table, &symbol, text);
}

/* A line that is longer than the buffer counts with what is in it. */
static int read_lines(struct td_symbol_table *table, FILE *fp,
		      add_line_fn add_line, struct td_search *search)
{
	char line[2 * TD_SYMBOL_NAME_MAX];
	uint32_t number = 0;
	uint64_t left = LIST_MAX;
	bool whole = true;
	int rc = 0;

	while (!rc && fgets(line, sizeof(line), fp)) {
		size_t length = strlen(line);
		bool begins = whole;

		/* a NUL: no list has one, and a hole of a file has nothing else */
		if (length + 1 < sizeof(line) && !feof(fp) &&
		    (!length || line[length - 1] != '\n'))
			return -EILSEQ;
		if (!td_search_take(&left, length + 1) ||
		    !td_search_take(&search->bytes, length + 1))
			return -E2BIG;
		whole = length && line[length - 1] == '\n';
		if (whole)
			line[length - 1] = '\0';
		if (begins)
			rc = add_line(table, line, ++number);
	}
	return rc;
}

/* Takes over fd. */
static int read_list(struct td_symbol_table *table, int fd,
		     add_line_fn add_line, struct td_search *search)
{
	FILE *fp = fdopen(fd, "re");
	int rc;

	if (!fp) {
		close(fd);
		return -ENOMEM;
	}
	table->left = &search->symbols;
	rc = read_lines(table, fp, add_line, search);
	fclose(fp);
	return rc;
}

int td_symbols_read_kernel(struct td_symbol_table *table,
			   struct td_search *search)
{
	int proc = search->fs->proc;
	int fd = proc < 0 ? -1
			  : openat(proc, "kallsyms",
				   O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int rc = fd < 0 ? -errno : read_list(table, fd, add_kernel, search);

	return rc ? rc : table->nr ? 0 : -EACCES;
}

/* The number that a process in a container calls itself, or pid. */
static int inner_pid(const struct td_sysfs *fs, int pid)
{
	char path[32], text[8192];
	const char *line, *last;

	snprintf(path, sizeof(path), "%d/status", pid);
	if (td_sysfs_read_at(fs->proc, path, text, sizeof(text)) < 0)
		return pid;
	line = strstr(text, "\nNSpid:");
	if (!line)
		return pid;
	text[(size_t)(line - text) + 1 + strcspn(line + 1, "\n")] = '\0';
	last = strrchr(line, '\t');
	return last && atoi(last) > 0 ? atoi(last) : pid;
}

static bool is_owned(const struct td_sysfs *fs, int pid, int fd)
{
	struct stat map, task;
	char path[32];

	if (fstat(fd, &map))
		return false;
	if (map.st_uid == 0 || map.st_uid == geteuid())
		return true;
	snprintf(path, sizeof(path), "%d", pid);
	return fs->proc >= 0 && fstatat(fs->proc, path, &task, 0) == 0 &&
	       task.st_uid == map.st_uid;
}

static int open_map(const struct td_sysfs *fs, int pid, int root_of)
{
	char name[48];
	td_autofree char *path = NULL;
	int fd;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map",
		 root_of ? inner_pid(fs, pid) : pid);
	path = td_regular_path(root_of, name);
	if (!path)
		return -ENOMEM;
	fd = td_regular_open(fs, path);
	if (fd >= 0 && !is_owned(fs, pid, fd)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int td_symbols_read_memory(struct td_symbol_table *table,
			   struct td_search *search, int pid)
{
	const struct td_sysfs *fs = search->fs;
	int fd = open_map(fs, pid, pid);

	if (fd < 0)
		fd = open_map(fs, pid, 0);
	return fd < 0 ? fd : read_list(table, fd, add_memory, search);
}
