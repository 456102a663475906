// SPDX-License-Identifier: GPL-2.0-only
/* Finds the start and the exits of a function, for probes. */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/calls/uprobes.h"
#include "lib/base/suggest.h"
#include "lib/base/util.h"
#include "lib/sample/insn.h"
#include "lib/sample/parts.h"
#include "lib/sample/symbols.h"

/* --- exits ------------------------------------------------------------------- */

/* A limit, because each exit is a line that the kernel reads. */
#define EXITS_MAX 1000

enum {
	STARTS = 1,  /* an instruction starts at this byte */
	REACHED = 2, /* a jump leads to this byte */
};

/* The state of a linear sweep over the instructions. */
struct sweep {
	const struct td_code *parts;
	size_t nr;
	bool wide;
	uint8_t **starts; /* STARTS and REACHED, for each byte of each part */
	uint64_t *exits;
	size_t nr_exits;
	const char *reason; /* why the exits are unknown, or NULL */
};

static const struct td_code *part_of(const struct sweep *f, uint64_t address, size_t *at)
{
	for (size_t i = 0; i < f->nr; i++) {
		if (address - f->parts[i].address < f->parts[i].size) {
			*at = i;
			return &f->parts[i];
		}
	}
	return NULL;
}

static void refuse(struct sweep *f, const char *reason)
{
	if (!f->reason)
		f->reason = reason;
}

static void add_exit(struct sweep *f, uint64_t address)
{
	if (address == f->parts[0].address)
		refuse(f, "it returns with its first instruction");
	if (f->nr_exits == EXITS_MAX)
		refuse(f, "it has too many returns");
	else
		td_array_push(&f->exits, &f->nr_exits, &address, sizeof(address));
}

/* Returns true if an operand refers to data in the function.  Its entry is not data. */
static bool is_of_own_bytes(const struct sweep *f, uint64_t end, const struct td_insn *insn)
{
	uint64_t place = (uint64_t)insn->place;
	size_t part;

	if (insn->place_kind == TD_PLACE_NONE)
		return false;
	if (insn->place_kind == TD_PLACE_RELATIVE)
		place += end;
	else if (!f->wide)
		place = (uint32_t)place;
	return place != f->parts[0].address && part_of(f, place, &part);
}

static uint64_t target_of(const struct sweep *f, uint64_t end, const struct td_insn *insn)
{
	uint64_t target = end + (uint64_t)insn->target;

	return f->wide ? target : (uint32_t)target;
}

/* Refuses a function with data in its code, or a conditional jump to another function. */
static void check(struct sweep *f, uint64_t end, const struct td_insn *insn)
{
	size_t part;

	if (is_of_own_bytes(f, end, insn))
		refuse(f, "it may have data among its instructions");
	if (insn->kind == TD_INSN_BRANCH && !part_of(f, target_of(f, end, insn), &part))
		refuse(f, "it jumps to another function on a condition");
}

static bool is_exit(const struct sweep *f, uint64_t end, const struct td_insn *insn,
		    const struct td_insn *before)
{
	size_t part;

	switch (insn->kind) {
	case TD_INSN_RETURN:
		return true;
	case TD_INSN_JUMP:
		return !part_of(f, target_of(f, end, insn), &part);
	case TD_INSN_COMPUTED:
		/* a jump through a table of offsets */
		return insn->reg < 0 || before->added != insn->reg;
	default:
		return false;
	}
}

static void mark_target(struct sweep *f, uint64_t end, const struct td_insn *insn)
{
	uint64_t target = target_of(f, end, insn);
	size_t part;

	if ((insn->kind == TD_INSN_JUMP || insn->kind == TD_INSN_BRANCH) &&
	    part_of(f, target, &part))
		f->starts[part][target - f->parts[part].address] |= REACHED;
}

/* Marks the starts of instructions, and the targets of jumps. */
static void mark(struct sweep *f, size_t part)
{
	const struct td_code *code = &f->parts[part];
	struct td_insn insn;

	for (size_t at = 0; at < code->size; at += insn.size) {
		const uint8_t *bytes = code->bytes + at;

		/* two bytes of 0 are an instruction, but one that compilers do not use */
		if (!td_insn_decode(&insn, bytes, code->size - at, f->wide) ||
		    (bytes[0] == 0 && bytes[1] == 0)) {
			refuse(f, "its instructions are not all known");
			return;
		}
		f->starts[part][at] |= STARTS;
		mark_target(f, code->address + at + insn.size, &insn);
	}
}

/*
 * Adds the exits.  Code after an instruction that always continues elsewhere may be reached by a
 * switch table or an exception.  If such code begins with an exit, it may be data, and the function
 * is refused.
 */
static void add_exits(struct sweep *f, size_t part)
{
	const struct td_code *code = &f->parts[part];
	struct td_insn insn = { .added = -1 };
	bool reached = part == 0;

	for (size_t at = 0; at < code->size; at += insn.size) {
		struct td_insn before = insn;
		uint8_t marks = f->starts[part][at];
		uint64_t end;
		bool leaves;

		td_insn_decode(&insn, code->bytes + at, code->size - at, f->wide);
		end = code->address + at + insn.size;
		check(f, end, &insn);
		leaves = is_exit(f, end, &insn, &before);
		reached |= marks & REACHED;
		if (leaves && !reached)
			refuse(f, "it may have data among its instructions");
		if (leaves)
			add_exit(f, code->address + at);
		/* padding between instructions is int3 or NOPs */
		if (insn.kind != TD_INSN_OTHER && insn.kind != TD_INSN_BRANCH)
			reached = false;
		else if (code->bytes[at] != 0xcc && !td_insn_is_nop(code->bytes + at, insn.size))
			reached = true;
	}
}

const char *td_exits_find(const struct td_code *parts, size_t nr, bool wide, uint64_t **exits,
			  size_t *nr_exits)
{
	struct sweep f = { parts, nr, wide, td_calloc(nr, sizeof(*f.starts)) };

	for (size_t i = 0; i < nr; i++)
		f.starts[i] = td_calloc(parts[i].size + 1, 1);
	for (size_t i = 0; i < nr; i++)
		mark(&f, i);
	for (size_t i = 0; i < nr; i++) {
		for (size_t at = 0; at < f.parts[i].size; at++) {
			if (f.starts[i][at] == REACHED)
				refuse(&f, "its instructions overlap");
		}
	}
	for (size_t i = 0; !f.reason && i < nr; i++)
		add_exits(&f, i);
	if (!f.nr_exits)
		refuse(&f, "it never returns");
	for (size_t i = 0; i < nr; i++)
		free(f.starts[i]);
	free(f.starts);
	*exits = f.exits;
	*nr_exits = f.nr_exits;
	return f.reason;
}

/* --- the process that reads the file ------------------------------------------ */

/* Kinds of lines in the answer of the process that reads the file. */
enum {
	FOUND = 'f', /* the function: offset and name */
	CLONE = 'c', /* a copy for some callers, "f.constprop.0": offset and name */
	/* a part that is placed elsewhere, such as "f.cold": its offset and name */
	PART = 'p',
	CLOSEST = 's',    /* the most similar name */
	STACKS = 'g',     /* the program's stacks move */
	MARKS = 'm',      /* the program uses libtdstat */
	SIZE = 'z',       /* size of the function in bytes */
	CLONE_SIZE = 'y', /* size of the copy */
	EXIT = 'x',       /* offset where the function is left */
	REASON = 'r',     /* why no probes can be placed there */
	END = 'e',        /* the result of td_file_symbols_open() */
};

#define MAX_LINES     10 /* maximum of one kind */
#define ANSWER_BYTES  ((size_t)1 << 17)
#define MAX_ANSWER_MS 30000

/* --- the confined process --------------------------------------------------- */

struct looking {
	const char *name;
	struct td_file_symbols symbols;
	struct td_closest closest;
	char demangled[TD_SYMBOL_NAME_MAX + 1];
	unsigned int nr[256];         /* lines of each kind */
	uint64_t last;                /* address of the last function */
	const struct td_named *found; /* the first function, or NULL */
	const struct td_named *clone; /* the first copy, or NULL */
	FILE *fp;
};

/* The suffixes of GCC and clang begin with a dot, which names in C do not contain. */
static char kind_of(const char *suffix)
{
	if (!*suffix)
		return FOUND;
	if (strncmp(suffix, ".constprop", 10) == 0 || strncmp(suffix, ".isra", 5) == 0 ||
	    strncmp(suffix, ".llvm", 5) == 0)
		return CLONE;
	return *suffix == '.' ? PART : 0;
}

/* Returns true if the text is the name, followed by parameters. */
static bool is_without_parameters(const char *text, const char *name)
{
	size_t len = strlen(name);

	return strncmp(text, name, len) == 0 && text[len] == '(' && name[len - 1] != ')';
}

static char match(struct looking *looking, const char *symbol)
{
	size_t len = strlen(looking->name);

	if (strncmp(symbol, looking->name, len) == 0)
		return kind_of(symbol + len);
	if (!td_demangle(symbol, looking->demangled, sizeof(looking->demangled)))
		return 0;
	td_closest_offer(&looking->closest, looking->demangled);
	if (strstr(symbol, ".cold"))
		return 0;
	return strcmp(looking->demangled, looking->name) == 0 ||
			       is_without_parameters(looking->demangled, looking->name)
		       ? FOUND
		       : 0;
}

/* Returns the offset of a virtual address in the file, or 0. */
static uint64_t offset_of(const struct td_elf *file, uint64_t address)
{
	for (size_t i = 0; i < file->nr; i++) {
		uint64_t at = address - file->segments[i].address;

		if (address >= file->segments[i].address && at < file->segments[i].size)
			return file->segments[i].offset + at;
	}
	return 0;
}

static void report(struct looking *looking, const struct td_named *named, const char *name,
		   char kind)
{
	uint64_t offset = offset_of(&looking->symbols.file, named->start);

	/* aliases of one address are one function */
	if (!offset || (kind == FOUND && looking->last == named->start) ||
	    looking->nr[(unsigned char)kind]++ >= MAX_LINES)
		return;
	if (kind == FOUND)
		looking->last = named->start;
	if (kind == FOUND && !looking->found)
		looking->found = named;
	if (kind == CLONE && !looking->clone)
		looking->clone = named;
	fprintf(looking->fp, "%c %" PRIx64 " %.1000s\n", kind, offset,
		looking->demangled[0] && kind == FOUND ? looking->demangled : name);
	if (kind == FOUND || kind == CLONE)
		fprintf(looking->fp, "%c %" PRIx64 " -\n", kind == FOUND ? SIZE : CLONE_SIZE,
			named->end - named->start);
}

/*
 * Looks at all symbols.  If old is true, looks only at old versions of functions, which linkers no
 * longer use.
 */
static void look_at_all(struct looking *looking, bool old)
{
	const struct td_symbol_table *table = &looking->symbols.table;

	for (size_t i = 0; i < table->nr; i++) {
		const char *name = td_symbol_table_name(table, &table->v[i]);
		char kind;

		if (table->v[i].old != old)
			continue;
		looking->demangled[0] = '\0';
		kind = match(looking, name);
		if (kind)
			report(looking, &table->v[i], name, kind);
		else
			td_closest_offer(&looking->closest, name);
	}
}

#define CODE_MAX  ((size_t)4 << 20) /* bytes of a part */
#define PARTS_MAX 8

/* Reads the code of a symbol.  bytes is NULL on error; the caller frees it. */
static struct td_code read_code(const struct looking *looking, const struct td_named *named)
{
	uint64_t offset = offset_of(&looking->symbols.file, named->start);
	uint64_t size = named->end - named->start;
	uint8_t *bytes;

	if (!offset || !size || size > CODE_MAX)
		return (struct td_code){ 0 };
	bytes = td_malloc(size);
	if (pread(looking->symbols.file.fd, bytes, size, (off_t)offset) != (ssize_t)size) {
		free(bytes);
		bytes = NULL;
	}
	return (struct td_code){ named->start, bytes ? size : 0, bytes };
}

/* Reads the code of the function and of its parts, such as "f.cold".  Returns their number. */
static size_t read_parts(const struct looking *looking, const struct td_named *function,
			 struct td_code parts[PARTS_MAX])
{
	const struct td_symbol_table *table = &looking->symbols.table;
	const char *name = td_symbol_table_name(table, function);
	size_t len = strlen(name), nr = 0;

	parts[nr++] = read_code(looking, function);
	for (size_t i = 0; i < table->nr && nr < PARTS_MAX; i++) {
		const char *other = td_symbol_table_name(table, &table->v[i]);

		if (strncmp(other, name, len) == 0 && strncmp(other + len, ".cold", 5) == 0)
			parts[nr++] = read_code(looking, &table->v[i]);
	}
	return nr;
}

static bool is_wide(const struct td_elf *file)
{
	uint8_t class;

	return pread(file->fd, &class, 1, EI_CLASS) == 1 && class == ELFCLASS64;
}

static void report_exits(const struct looking *looking)
{
	const struct td_named *function = looking->found ? looking->found : looking->clone;
	const char *reason = "its code cannot be read";
	struct td_code parts[PARTS_MAX];
	uint64_t *exits = NULL;
	size_t nr, nr_exits = 0;

	if (!function)
		return;
	nr = read_parts(looking, function, parts);
	if (parts[0].bytes)
		reason = td_exits_find(parts, nr, is_wide(&looking->symbols.file), &exits,
				       &nr_exits);
	for (size_t i = 0; !reason && i < nr_exits; i++)
		fprintf(looking->fp, "%c %" PRIx64 " -\n", EXIT,
			offset_of(&looking->symbols.file, exits[i]));
	if (reason)
		fprintf(looking->fp, "%c 0 %s\n", REASON, reason);
	free(exits);
}

/*
 * Returns true for a program in Go, which moves stacks when they grow.  Go's tables have these
 * names, also in position-independent programs (-buildmode=pie).
 */
static bool has_moving_stacks(const struct td_elf *file)
{
	static const char *const sections[] = { ".gopclntab", ".data.rel.ro.gopclntab",
						".go.buildinfo", ".note.go.buildid" };
	bool has = false;

	for (size_t i = 0; !has && i < TD_ARRAY_SIZE(sections); i++)
		has = td_elf_has(file, sections[i]);
	return has;
}

__attribute__((noreturn)) static void look(const struct td_sysfs *fs,
					   const struct td_object *object, const char *name, int fd)
{
	struct td_search search = { fs, false, TD_SEARCH_BYTES, TD_SEARCH_SYMBOLS, true };
	struct looking *looking = td_calloc(1, sizeof(*looking));
	int rc;

	td_confine(fd, fs->proc);
	looking->fp = td_need(fdopen(fd, "we"));
	looking->name = looking->closest.wanted = name;
	rc = td_file_symbols_open(&looking->symbols, object, &search);
	/* before the functions, so that it is written even if the process ends early */
	if (looking->symbols.file.elf && has_moving_stacks(&looking->symbols.file))
		fprintf(looking->fp, "%c 0 -\n", STACKS);
	look_at_all(looking, false);
	if (!looking->found)
		look_at_all(looking, true);
	report_exits(looking);
	if (looking->closest.best[0])
		fprintf(looking->fp, "%c 0 %s\n", CLOSEST, looking->closest.best);
	if (looking->symbols.file.elf && td_elf_names(&looking->symbols.file, "td_begin"))
		fprintf(looking->fp, "%c 0 -\n", MARKS);
	fprintf(looking->fp, "%c %x -\n", END, (unsigned int)-rc);
	fflush(looking->fp);
	_exit(0);
}

/* --- its answer ------------------------------------------------------------- */

static void read_answer(int fd, char *answer)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	uint64_t end_ns = td_now_ns() + MAX_ANSWER_MS * TD_NS_A_MS;
	size_t nr = 0;

	while (nr < ANSWER_BYTES - 1 && td_now_ns() < end_ns) {
		ssize_t got;

		if (poll(&poll_fd, 1, MAX_ANSWER_MS) <= 0 && errno != EINTR)
			break;
		got = read(fd, answer + nr, ANSWER_BYTES - 1 - nr);
		if (got == 0)
			break;
		nr += got > 0 ? (size_t)got : 0;
	}
	answer[nr] = '\0';
}

/* Asks a confined process for a name in the file.  The answer is empty if that fails. */
static int ask(const struct td_sysfs *fs, const struct td_object *object, const char *name,
	       char *answer)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	pid = td_search_fork();
	if (pid == 0)
		look(fs, object, name, fds[1]);
	close(fds[1]);
	if (pid > 0) {
		read_answer(fds[0], answer);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(fds[0]);
	return pid < 0 ? -EAGAIN : 0;
}

#define NR_KINDS 256 /* a kind is a letter */

/* The lines of one kind in an answer. */
struct found {
	unsigned int nr;
	uint64_t number; /* the first line's number */
	char name[256];  /* the first line's name */
	char all[400];   /* names in all lines */
};

static void add_line(struct found *found, uint64_t number, const char *name)
{
	size_t used = strlen(found->all);

	if (!found->nr++) {
		found->number = number;
		snprintf(found->name, sizeof(found->name), "%s", name);
	}
	snprintf(found->all + used, sizeof(found->all) - used, "%s%s at 0x%" PRIx64,
		 used ? ", " : "", name, number);
}

/* Sorts the lines by their kinds, and adds the exits. */
static void parse(struct td_entry_point *entry, const char *answer, struct found found[NR_KINDS])
{
	for (const char *line = answer; line && *line;) {
		const char *end = strchr(line, '\n');
		uint64_t number;
		char name[256], kind;

		if (sscanf(line, "%c %" SCNx64 " %255[^\n]", &kind, &number, name) == 3) {
			add_line(&found[(unsigned char)kind], number, name);
			if (kind == EXIT)
				td_array_push(&entry->exits, &entry->nr_exits, &number,
					      sizeof(number));
		}
		line = end ? end + 1 : NULL;
	}
}

static const char *reason_of(int rc)
{
	switch (rc) {
	case ENODATA:
		return "it has no symbols";
	case ENOEXEC:
		return "it is not an ELF file";
	case EINVAL:
		return "it is not a regular file";
	default:
		return strerror(rc);
	}
}

static int no_function(const char *path, const char *name, const struct found found[NR_KINDS],
		       struct td_err *err)
{
	if (!found[END].nr)
		return td_err_set(err, -EIO, "%s: the process that reads its symbols has ended",
				  path);
	if (found[END].number) {
		td_err_set(err, -ENOENT, "%s: %s", path, reason_of((int)found[END].number));
		return td_err_hint(err,
				   "FUNCTION@FILE names the file that contains it: a program, or a "
				   "library");
	}
	td_err_usage(err,
		     "%s has no function %s: it is in another file, or inlined into its callers",
		     path, name);
	if (found[CLOSEST].nr)
		return td_err_hint(err, "did you mean %s?", found[CLOSEST].name);
	return td_err_hint(
		err,
		"FUNCTION@FILE names another file; __attribute__((noinline)) keeps a function");
}

/*
 * Returns false for instructions that the kernel emulates: push, jumps, calls, nop
 * (arch/x86/kernel/uprobes.c).
 */
static bool is_stepped(const uint8_t *code)
{
	uint8_t op = code[0];

	if (op >= 0x40 && op <= 0x4f)
		op = code[1]; /* opcode after a REX prefix */
	if (op >= 0x50 && op <= 0x57)
		return false;
	return !strchr("\x90\xe8\xe9\xeb", op) && !(op >= 0x70 && op <= 0x7f);
}

/* Like insn_is_nop() in arch/x86/lib/insn-eval.c, for the NOPs that start functions. */
static bool is_nop_of_5(const uint8_t code[5])
{
	static const uint8_t jump[] = { 0xe9, 0, 0, 0, 0 };
	struct td_insn insn;

	return td_insn_decode(&insn, code, 5, true) && insn.size == 5 &&
	       (td_insn_is_nop(code, 5) || !memcmp(code, jump, sizeof(jump)));
}

#define CODE_SIZE 16 /* the longest instruction, and a NUL */

/* Finds ES, CS, SS, DS and LOCK, like is_prefix_bad() in arch/x86/kernel/uprobes.c. */
static bool has_bad_prefix(const char code[CODE_SIZE])
{
	static const char bad[] = "\x26\x2e\x36\x3e\xf0";
	static const char others[] = "\x64\x65\x66\x67\xf2\xf3";
	char first = code[strspn(code, others)];

	return first && strchr(bad, first);
}

static bool read_bytes(const struct td_entry_point *entry, uint64_t offset, char code[CODE_SIZE])
{
	memset(code, 0, CODE_SIZE);
	return pread(entry->fd, code, CODE_SIZE - 1, (off_t)offset) >= 0;
}

static void look_at_code(struct td_entry_point *entry)
{
	char code[CODE_SIZE];

	entry->stepped = true; /* if the code cannot be read, assume the usual case */
	if (read_bytes(entry, entry->offset, code)) {
		entry->stepped = is_stepped((const uint8_t *)code);
		entry->nop_of_5 = is_nop_of_5((const uint8_t *)code);
		entry->prefixed_entry = has_bad_prefix(code);
	}
	for (size_t i = 0; i < entry->nr_exits; i++)
		entry->prefixed_exit |=
			read_bytes(entry, entry->exits[i], code) && has_bad_prefix(code);
}

static int choose(struct td_entry_point *entry, const struct found found[NR_KINDS],
		  struct td_notes *notes, struct td_err *err)
{
	const struct found *clone = &found[CLONE];
	bool whole = found[FOUND].nr; /* the function itself, not a copy */
	const struct found *chosen = whole ? &found[FOUND] : clone;

	entry->moves = found[STACKS].nr > 0;
	if (chosen->nr > 1) {
		td_err_usage(err, "%s: several functions are named %s", entry->path, entry->name);
		return td_err_hint(err, "it may be %s", chosen->all);
	}
	entry->marked = found[MARKS].nr > 0;
	if (!chosen->nr)
		return no_function(entry->path, entry->name, found, err);
	entry->offset = chosen->number;
	entry->size = found[whole ? SIZE : CLONE_SIZE].number;
	if (!whole)
		td_notes_add(notes, "%s: counting the calls of %s, a copy that the compiler made",
			     entry->name, clone->name);
	else if (clone->nr)
		td_notes_add(notes, "%s: calls of its copy %s are not counted", entry->name,
			     clone->name);
	if (found[PART].nr)
		td_notes_add(notes, "%s: its separate part %s is counted with it", entry->name,
			     found[PART].name);
	if (found[REASON].nr)
		entry->no_probes = td_strdup(found[REASON].name);
	return 0;
}

static int open_entry(struct td_entry_point *entry, const struct td_sysfs *fs,
		      const struct td_object *object, const char *name, struct td_err *err)
{
	char *below = td_regular_path(object->pid, object->path);

	*entry = (struct td_entry_point){ .fd = -1 };
	entry->name = td_strdup(name);
	entry->path = td_strdup(object->path);
	entry->fd = td_regular_open(fs, below);
	free(below);
	return entry->fd < 0
		       ? td_err_set(err, entry->fd, "%s: %s", object->path, reason_of(-entry->fd))
		       : 0;
}

int td_entry_find(struct td_entry_point *entry, const struct td_symbols *symbols,
		  const struct td_object *object, const char *name, struct td_err *err)
{
	int rc = open_entry(entry, symbols->fs, object, name, err);
	td_autofree struct found *found = NULL;
	td_autofree char *answer = NULL;

	if (rc)
		return rc;
	answer = td_calloc(1, ANSWER_BYTES);
	rc = ask(symbols->fs, object, name, answer);
	if (rc)
		return td_err_set(err, rc, "%s: %s", object->path, strerror(-rc));
	found = td_calloc(NR_KINDS, sizeof(*found));
	parse(entry, answer, found);
	rc = choose(entry, found, symbols->notes, err);
	if (!rc)
		look_at_code(entry);
	return rc;
}

void td_entry_free(struct td_entry_point *entry)
{
	free(entry->name);
	free(entry->path);
	free(entry->exits);
	free(entry->no_probes);
	if (entry->fd > 0)
		td_close_fd(&entry->fd);
	*entry = (struct td_entry_point){ .fd = -1 };
}
