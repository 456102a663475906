// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/sample/parts.h"

/* Maximum length of all names of an object: twice what the largest programs need. */
#define TEXT_MAX ((size_t)512 << 20)
/* Symbols that enclose each other; only invalid files have more. */
#define DEPTH_MAX 64

/* Copies a name.  Returns its offset in the text. */
static size_t add_name(struct td_symbol_table *table, const char *name, size_t length)
{
	size_t at = table->length, needed = at + length + 1;

	if (needed > table->size) {
		table->size = 2 * needed;
		table->text = td_realloc(table->text, table->size);
	}
	memcpy(table->text + at, name, length);
	table->text[at + length] = '\0';
	table->length = needed;
	return at;
}

int td_symbol_table_add(struct td_symbol_table *table, const struct td_named *symbol,
			const char *name, size_t length)
{
	struct td_named new = *symbol;

	if (length > TD_SYMBOL_NAME_MAX)
		length = TD_SYMBOL_NAME_MAX;
	if (table->nr >= TD_SYMBOLS_MAX || TEXT_MAX - table->length < length + 1 ||
	    (table->left && !td_search_spend(table->left, 1)))
		return -E2BIG;
	if (new.end < new.start)
		new.end = UINT64_MAX;
	new.name = add_name(table, name, length);
	td_array_push(&table->v, &table->nr, &new, sizeof(new));
	return 0;
}

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* Sorts the best of several symbols at one address first. */
static int by_start(const void *x, const void *y, void *text)
{
	const struct td_named *a = x, *b = y;
	const char *name_a = (const char *)text + a->name;
	const char *name_b = (const char *)text + b->name;
	int order = compare(a->start, b->start);

	if (!order)
		order = compare(b->rank, a->rank);
	if (!order)
		order = compare(b->end, a->end);
	if (!order)
		order = compare(strspn(name_a, "_"), strspn(name_b, "_"));
	return order ? order : strcmp(name_a, name_b);
}

static bool is_open(const struct td_named *symbol)
{
	return symbol->end == symbol->start;
}

/* Returns from, or the next one of the symbols that enclose it, that contains the address; or 0. */
static size_t find_enclosing(const struct td_symbol_table *table, size_t from, uint64_t address)
{
	for (int depth = 0; from && depth < DEPTH_MAX; depth++) {
		if (table->v[from - 1].end > address)
			return from;
		from = table->v[from - 1].enclosing;
	}
	return 0;
}

static void close_last(struct td_symbol_table *table, uint64_t next)
{
	struct td_named *last = table->nr ? &table->v[table->nr - 1] : NULL;

	if (!last || !is_open(last))
		return;
	last->end = last->limit < next ? last->limit : next;
	if (last->end < last->start)
		last->end = last->start;
}

/* Keeps one symbol of each address, or all.  Symbols without size in a function are labels. */
void td_symbol_table_finish(struct td_symbol_table *table)
{
	size_t nr = table->nr;

	if (nr)
		qsort_r(table->v, nr, sizeof(*table->v), by_start, table->text);
	table->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		struct td_named symbol = table->v[i];
		bool first = !table->nr || table->v[table->nr - 1].start != symbol.start;

		if (!first && !table->aliases)
			continue;
		close_last(table, symbol.start);
		symbol.enclosing = find_enclosing(table, table->nr, symbol.start);
		if (symbol.enclosing && is_open(&symbol))
			continue;
		table->v[table->nr++] = symbol;
	}
	close_last(table, UINT64_MAX);
}

const struct td_named *td_symbol_table_find(const struct td_symbol_table *table, uint64_t address)
{
	size_t low = 0, high = table->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->v[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	low = find_enclosing(table, low, address);
	return low ? &table->v[low - 1] : NULL;
}

const char *td_symbol_table_name(const struct td_symbol_table *table, const struct td_named *symbol)
{
	return table->text + symbol->name;
}

void td_symbol_table_free(struct td_symbol_table *table)
{
	free(table->v);
	free(table->text);
	*table = (struct td_symbol_table){ 0 };
}

/* --- lists of symbols in text --------------------------------------------- */

/* Maximum size of a kernel function, because the symbol after the last one is unknown. */
#define KERNEL_SIZE_MAX (1 << 20)
/* Longer lists are read up to here. */
#define LIST_MAX ((uint64_t)256 << 20)

typedef int (*add_line_fn)(struct td_symbol_table *table, char *line, uint32_t number);

/* Returns the text after a hexadecimal number and a blank, or NULL. */
static char *parse_hex(char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 16);
	return errno || end == text || *end != ' ' ? NULL : end + 1;
}

/* Adds a function from a line such as "ffffffffc0001000 t name<tab>[module]". */
static int add_kernel(struct td_symbol_table *table, char *line, uint32_t number)
{
	struct td_named symbol = { 0 };
	char *text = parse_hex(line, &symbol.start);
	char *module;

	(void)number;
	if (!text || !symbol.start || !strchr("tTwW", text[0]) || text[1] != ' ')
		return 0;
	symbol.rank = *text == 'T' ? 2 : *text == 't' ? 0 : 1;
	symbol.end = symbol.start;
	symbol.limit = symbol.start + KERNEL_SIZE_MAX;
	if (symbol.limit < symbol.start)
		symbol.limit = UINT64_MAX;
	module = strchr(text, '\t');
	if (module)
		*module = ' ';
	return td_symbol_table_add(table, &symbol, text + 2, strlen(text + 2));
}

/* Adds a function from a line such as "7f0123 40 name with blanks".  Later lines win. */
static int add_memory(struct td_symbol_table *table, char *line, uint32_t number)
{
	struct td_named symbol = { .rank = number };
	uint64_t size = 0;
	char *text = parse_hex(line, &symbol.start);

	if (text)
		text = parse_hex(text, &size);
	if (!text || !*text || !size)
		return 0;
	symbol.end = symbol.start + size;
	return td_symbol_table_add(table, &symbol, text, strlen(text));
}

/* Lines that are longer than the buffer are cut. */
static int read_lines(struct td_symbol_table *table, FILE *fp, add_line_fn add_line,
		      struct td_search *search)
{
	char line[2 * TD_SYMBOL_NAME_MAX];
	uint32_t number = 0;
	uint64_t left = LIST_MAX;
	bool whole = true;
	int rc = 0;

	while (!rc && fgets(line, sizeof(line), fp)) {
		size_t length = strlen(line);
		bool begins = whole;

		/*
		 * the line contains a NUL, for example in a hole of a file, which would take long
		 * to read
		 */
		if (length + 1 < sizeof(line) && !feof(fp) && (!length || line[length - 1] != '\n'))
			return -EILSEQ;
		if (!td_search_spend(&left, length + 1) ||
		    !td_search_spend(&search->bytes, length + 1))
			return -E2BIG;
		whole = length && line[length - 1] == '\n';
		if (whole)
			line[length - 1] = '\0';
		if (begins)
			rc = add_line(table, line, ++number);
	}
	return rc;
}

/* Reads and closes fd. */
static int read_list(struct td_symbol_table *table, int fd, add_line_fn add_line,
		     struct td_search *search)
{
	FILE *fp = td_need(fdopen(fd, "re"));
	int rc;

	table->left = &search->symbols;
	rc = read_lines(table, fp, add_line, search);
	fclose(fp);
	return rc;
}

int td_symbols_read_kernel(struct td_symbol_table *table, struct td_search *search)
{
	int proc = search->fs->proc;
	int fd = proc < 0 ? -1 : openat(proc, "kallsyms", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int rc = fd < 0 ? -errno : read_list(table, fd, add_kernel, search);

	return rc ? rc : table->nr ? 0 : -EACCES;
}

/* Returns the pid of a process in its container, or pid. */
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
	return fs->proc >= 0 && fstatat(fs->proc, path, &task, 0) == 0 && task.st_uid == map.st_uid;
}

static int open_map(const struct td_sysfs *fs, int pid, int root_of)
{
	char name[48];
	td_autofree char *path = NULL;
	int fd;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", root_of ? inner_pid(fs, pid) : pid);
	path = td_regular_path(root_of, name);
	fd = td_regular_open(fs, path);
	if (fd >= 0 && !is_owned(fs, pid, fd)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int td_symbols_read_memory(struct td_symbol_table *table, struct td_search *search, int pid)
{
	const struct td_sysfs *fs = search->fs;
	int fd = open_map(fs, pid, pid);

	if (fd < 0)
		fd = open_map(fs, pid, 0);
	return fd < 0 ? fd : read_list(table, fd, add_memory, search);
}
