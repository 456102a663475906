// SPDX-License-Identifier: GPL-2.0-only
#include <dwarf.h>
#include <endian.h>
#include <gelf.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "lib/base/library.h"
#include "lib/base/util.h"
#include "lib/sample/parts.h"

#define VDSO_MAX     (1 << 20) /* the vDSO has two pages */
#define SEGMENTS_MAX 65535
#define NOTES_MAX    (1 << 20) /* all notes of a file */
#define SMALL_MAX    (1 << 20)
#define NAMES_MAX    ((uint64_t)64 << 20)

/* --- the libraries ---------------------------------------------------------- */

/* libdw loads libelf, which loads zlib with crc32(), the checksum of debug links. */
/* clang-format off */
#define FUNCTIONS(f) \
	f(crc32) f(dwarf_attr) f(dwarf_begin_elf) f(dwarf_cfi_addrframe) \
	f(dwarf_dieoffset) f(dwarf_end) f(dwarf_formstring) \
	f(dwarf_frame_cfa) f(dwarf_frame_info) f(dwarf_frame_register) \
	f(dwarf_get_units) f(dwarf_getcfi) f(dwarf_getcfi_elf) \
	f(dwarf_getsrc_die) f(dwarf_lineno) f(dwarf_linesrc) \
	f(dwarf_new_oom_handler) f(dwarf_offdie) f(dwarf_ranges) \
	f(dwarf_setalt) f(elf_begin) f(elf_end) f(elf_getdata) \
	f(elf_getdata_rawchunk) f(elf_getphdrnum) f(elf_getscn) \
	f(elf_getshdrstrndx) f(elf_kind) f(elf_memory) f(elf_ndxscn) \
	f(elf_nextscn) f(elf_version) f(gelf_fsize) f(gelf_getchdr) \
	f(gelf_getnote) f(gelf_getphdr) f(gelf_getshdr) f(gelf_getsymshndx) \
	f(gelf_getversym)
/* clang-format on */

FUNCTIONS(TD_LIBRARY_FUNCTION)

static const struct td_library_function functions[] = { FUNCTIONS(TD_LIBRARY_ROW) };

int td_elf_load(struct td_err *err)
{
	return td_library_load("libdw.so.1", functions, TD_ARRAY_SIZE(functions), err);
}

/* --- a file ----------------------------------------------------------------- */

static const struct td_elf closed = { .fd = -1 };

static bool note_id(Elf_Data *data, struct td_build_id *id)
{
	size_t at = 0, name, desc;
	const char *bytes = data->d_buf;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp(bytes + name, "GNU", 4) != 0 || !note.n_descsz)
			continue;
		id->size = note.n_descsz < TD_BUILD_ID_SIZE ? (uint8_t)note.n_descsz
							    : TD_BUILD_ID_SIZE;
		memcpy(id->v, bytes + desc, id->size);
		return true;
	}
	return false;
}

/* libelf keeps the notes in memory until the file is closed. */
static void read_notes(struct td_elf *file, const GElf_Phdr *phdr, uint64_t *left)
{
	Elf_Data *data;

	if (file->build_id.size || !td_search_spend(left, phdr->p_filesz))
		return;
	data = elf_getdata_rawchunk(file->elf, (int64_t)phdr->p_offset, phdr->p_filesz,
				    phdr->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	if (data)
		note_id(data, &file->build_id);
}

static void read_segments(struct td_elf *file)
{
	uint64_t notes = NOTES_MAX;
	size_t nr = 0;
	GElf_Phdr phdr;

	if (elf_getphdrnum(file->elf, &nr))
		return;
	for (size_t i = 0; i < nr && i < SEGMENTS_MAX; i++) {
		if (!gelf_getphdr(file->elf, (int)i, &phdr))
			break;
		if (phdr.p_type == PT_NOTE)
			read_notes(file, &phdr, &notes);
		if (phdr.p_type == PT_LOAD)
			td_array_push(&file->segments, &file->nr,
				      &(struct td_elf_segment){ phdr.p_offset, phdr.p_filesz,
								phdr.p_vaddr },
				      sizeof(*file->segments));
	}
}

/* Closes the file if it is not an ELF file. */
static int read_headers(struct td_elf *file)
{
	Elf_Data *data;
	size_t names;

	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF) {
		td_elf_close(file);
		return -ENOEXEC;
	}
	read_segments(file);
	if (elf_getshdrstrndx(file->elf, &names) == 0)
		file->names = td_elf_strings(file->elf, names, NAMES_MAX);
	/* the segments of debug files may have no content */
	data = file->build_id.size ? NULL : td_elf_small(file, ".note.gnu.build-id");
	if (data)
		note_id(data, &file->build_id);
	return 0;
}

/* Opens a path as td_regular_open() does.  Returns -errno: -ENOEXEC if it is not an ELF file. */
static int elf_open(struct td_elf *file, const struct td_sysfs *fs, const char *path)
{
	struct td_err unused;
	int rc = td_elf_load(&unused);

	*file = closed;
	if (rc)
		return rc;
	file->path = td_strdup(path);
	file->fd = td_regular_open(fs, path);
	if (file->fd < 0) {
		rc = file->fd;
		td_elf_close(file);
		return rc;
	}
	elf_version(EV_CURRENT);
	/* not mapped: if the file became shorter, accesses would raise SIGBUS */
	file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	return read_headers(file);
}

int td_elf_open_vdso(struct td_elf *file)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	struct td_err unused;
	int rc = td_elf_load(&unused);
	size_t size;

	*file = closed;
	if (rc)
		return rc;
	if (!ehdr || memcmp(ehdr->e_ident, ELFMAG, SELFMAG) != 0 ||
	    ehdr->e_ident[EI_CLASS] != ELFCLASS64)
		return -ENOENT;
	/* the vDSO ends with the table of sections */
	size = ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;
	if (size < sizeof(*ehdr) || size > VDSO_MAX)
		return -ENOEXEC;
	file->image = td_malloc(size);
	memcpy(file->image, ehdr, size);
	elf_version(EV_CURRENT);
	file->elf = elf_memory(file->image, size);
	return read_headers(file);
}

bool td_elf_address(const struct td_elf *file, uint64_t offset, uint64_t *address)
{
	td_for_each(const struct td_elf_segment, segment, file->segments, file->nr) {
		if (offset >= segment->offset && offset - segment->offset < segment->size) {
			*address = offset - segment->offset + segment->address;
			return true;
		}
	}
	return false;
}

Elf_Data *td_elf_strings(Elf *elf, size_t section, uint64_t max)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	Elf_Data *data;
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_STRTAB || shdr.sh_size > max)
		return NULL;
	data = elf_getdata(scn, NULL);
	if (!data || !data->d_buf || !data->d_size || ((const char *)data->d_buf)[data->d_size - 1])
		return NULL;
	return data;
}

/* Returns the string at an offset of a table, or NULL.  The table may be NULL. */
static const char *elf_text(const Elf_Data *strings, size_t at)
{
	if (!strings || at >= strings->d_size)
		return NULL;
	return (const char *)strings->d_buf + at;
}

/* Returns the name of a section, or NULL. */
static const char *section_name(const struct td_elf *file, Elf_Scn *section)
{
	GElf_Shdr shdr;

	return gelf_getshdr(section, &shdr) ? elf_text(file->names, shdr.sh_name) : NULL;
}

/* Returns the section of this name that is not empty in the file, or NULL. */
static Elf_Scn *find_section(const struct td_elf *file, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(file->elf, section))) {
		const char *own = section_name(file, section);

		if (own && strcmp(own, name) == 0 && gelf_getshdr(section, shdr) &&
		    shdr->sh_type != SHT_NOBITS && shdr->sh_size)
			return section;
	}
	return NULL;
}

bool td_elf_has(const struct td_elf *file, const char *name)
{
	GElf_Shdr shdr;

	return find_section(file, name, &shdr);
}

/*
 * Does a string table contain the name?  Whole tables are searched, because the name may be the end
 * of another one.
 */
bool td_elf_names(const struct td_elf *file, const char *symbol)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(file->elf, section))) {
		const Elf_Data *data = td_elf_strings(file->elf, elf_ndxscn(section), NAMES_MAX);

		if (data && memmem(data->d_buf, data->d_size, symbol, strlen(symbol) + 1))
			return true;
	}
	return false;
}

Elf_Data *td_elf_small(const struct td_elf *file, const char *name)
{
	GElf_Shdr shdr;
	Elf_Scn *section = find_section(file, name, &shdr);
	Elf_Data *data;

	if (!section || shdr.sh_size > SMALL_MAX)
		return NULL;
	data = elf_getdata(section, NULL);
	return data && data->d_buf && data->d_size ? data : NULL;
}

void td_elf_close(struct td_elf *file)
{
	if (file->elf)
		elf_end(file->elf);
	td_close_fd(&file->fd);
	free(file->image);
	free(file->path);
	free(file->segments);
	*file = closed;
}

/* Separate debug files, and their source lines. */

#define DEBUG_DIRECTORY "/usr/lib/debug"
/* Checksums of larger files are not verified. */
#define CRC_MAX ((uint64_t)4 << 30)

/* Identity of a debug file to find. */
struct wanted {
	struct td_search *search;
	int pid;
	struct td_build_id build_id; /* size 0: crc identifies the file */
	uint32_t crc;
};

/* Reads no more than the file's size at the start: it may be growing. */
static int check_crc(int fd, const struct wanted *wanted)
{
	unsigned char buf[1 << 16];
	uLong crc = crc32(0, NULL, 0);
	struct stat st;
	off_t at = 0;
	ssize_t nr;

	if (fstat(fd, &st))
		return -ENOENT;
	if ((uint64_t)st.st_size > CRC_MAX ||
	    !td_search_spend(&wanted->search->bytes, (uint64_t)st.st_size))
		return -EFBIG;
	while (at < st.st_size && (nr = pread(fd, buf, sizeof(buf), at)) > 0) {
		crc = crc32(crc, buf, (uInt)nr);
		at += nr;
	}
	return at == st.st_size && crc == wanted->crc ? 0 : -ENOENT;
}

static int check(const struct td_elf *debug, const struct wanted *wanted)
{
	if (!wanted->build_id.size)
		return check_crc(debug->fd, wanted);
	return td_build_id_same(&debug->build_id, &wanted->build_id) ? 0 : -ENOENT;
}

/* Opens a path in the root directory of a process, or in tdstat's if pid is 0. */
static int open_in(struct td_elf *debug, const struct wanted *wanted, int pid, const char *path)
{
	td_autofree char *full = td_regular_path(pid, path);
	int rc;

	if (elf_open(debug, wanted->search->fs, full))
		return -ENOENT;
	rc = check(debug, wanted);
	if (rc)
		td_elf_close(debug);
	return rc;
}

static int open_either(struct td_elf *debug, const struct wanted *wanted, const char *path)
{
	int rc = -ENOENT;

	if (wanted->pid)
		rc = open_in(debug, wanted, wanted->pid, path);
	return rc == -ENOENT ? open_in(debug, wanted, 0, path) : rc;
}

static int open_by_id(struct td_elf *debug, const struct wanted *wanted)
{
	const struct td_build_id *id = &wanted->build_id;
	char hex[TD_BUILD_ID_TEXT], path[128];

	if (id->size < 2)
		return -ENOENT;
	td_build_id_text(hex, id);
	snprintf(path, sizeof(path), DEBUG_DIRECTORY "/.build-id/%.2s/%s.debug", hex, hex + 2);
	return open_either(debug, wanted, path);
}

/* Returns the path of a file in its process's root directory. */
static const char *inner_path(const struct td_elf *file)
{
	const char *root = *file->path == '/' ? NULL : strstr(file->path, "/root/");

	return root ? root + strlen("/root") : file->path;
}

/* Tries "DIR/NAME", "DIR/.debug/NAME" and "/usr/lib/debug/DIR/NAME". */
static int open_by_name(struct td_elf *debug, const struct wanted *wanted,
			const struct td_elf *file, const char *name)
{
	const char *path = inner_path(file), *slash = strrchr(path, '/');
	int length = slash ? (int)(slash - path) : 0, rc = -ENOENT;
	static const char *const before[] = { "", "", DEBUG_DIRECTORY };
	static const char *const after[] = { "", "/.debug", "" };

	for (size_t i = 0; rc == -ENOENT && i < TD_ARRAY_SIZE(before); i++) {
		td_autofree char *candidate =
			td_aprintf("%s%.*s%s/%s", before[i], length, path, after[i], name);

		rc = open_either(debug, wanted, candidate);
	}
	return rc;
}

/* Returns the name at the start of the section, or NULL. */
static const char *link_name(const struct td_elf *file, const char *section, Elf_Data **data)
{
	*data = td_elf_small(file, section);
	if (!*data || !memchr((*data)->d_buf, '\0', (*data)->d_size))
		return NULL;
	return (*data)->d_buf;
}

/*
 * Opens the separate debug file of a file, which its build id or .gnu_debuglink names, in the
 * root directory of the file's process (0: tdstat's) or in tdstat's own.  Returns 0, -ENOENT,
 * or -EFBIG if it is too large to verify its checksum.
 */
static int elf_open_debug(struct td_elf *debug, const struct td_elf *file, struct td_search *search,
			  int pid)
{
	struct wanted wanted = { search, pid, file->build_id, 0 };
	int rc = open_by_id(debug, &wanted);
	const char *name;
	Elf_Data *data;
	size_t at;

	if (rc != -ENOENT || !file->path)
		return rc;
	name = link_name(file, ".gnu_debuglink", &data);
	if (!name || !*name || strchr(name, '/'))
		return -ENOENT;
	at = (strlen(name) + 4) & ~(size_t)3;
	if (data->d_size < at + sizeof(wanted.crc))
		return -ENOENT;
	memcpy(&wanted.crc, name + at, sizeof(wanted.crc));
	return open_by_name(debug, &wanted, file, name);
}

/* Opens the file that several debug files share, which .gnu_debugaltlink names. */
static int elf_open_shared(struct td_elf *shared, const struct td_elf *debug,
			   struct td_search *search, int pid)
{
	struct wanted wanted = { .search = search, .pid = pid };
	Elf_Data *data;
	const char *name = link_name(debug, ".gnu_debugaltlink", &data);
	size_t at = name ? strlen(name) + 1 : 0;
	int rc;

	if (!name || data->d_size - at < 2 || data->d_size - at > TD_BUILD_ID_SIZE)
		return -ENOENT;
	wanted.build_id.size = (uint8_t)(data->d_size - at);
	memcpy(wanted.build_id.v, name + at, wanted.build_id.size);
	rc = open_by_id(shared, &wanted);
	return rc == -ENOENT && *name == '/' ? open_either(shared, &wanted, name) : rc;
}

/* --- lines of the source -------------------------------------------------- */

/* Maximum number of ranges of all units: ten times what the largest programs need. */
#define UNITS_MAX ((uint64_t)4 << 20)
/* Maximum sizes of the debugging information of a file: in the file, and unpacked. */
#define PLAIN_MAX    ((uint64_t)4 << 30)
#define UNPACKED_MAX ((uint64_t)1 << 30)

/*
 * Adds the units and their ranges.  Empty ranges count as well, because many units can share a list
 * of them.
 */
static int add_units(struct td_elf_lines *lines, Dwarf_Die *unit, uint64_t *left)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t step = 0;

	while ((step = dwarf_ranges(unit, step, &base, &start, &end)) > 0) {
		const struct td_elf_unit new = { start, end, dwarf_dieoffset(unit) };

		if (!td_search_spend(left, 1))
			return -EOVERFLOW;
		if (start >= end)
			continue;
		td_array_push(&lines->units, &lines->nr, &new, sizeof(new));
	}
	return 0;
}

static int by_start(const void *x, const void *y)
{
	const struct td_elf_unit *a = x, *b = y;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* Returns true if libdw would read beyond the end of the section. */
static bool has_open_text(Elf_Scn *section, const char *name)
{
	Elf_Data *data;

	if (!name || (!strstr(name, "debug_str") && !strstr(name, "debug_line_str")))
		return false;
	data = elf_getdata(section, NULL);
	return data && data->d_buf && data->d_size && ((const char *)data->d_buf)[data->d_size - 1];
}

/* Returns the unpacked size of a ".zdebug_" section, which starts with "ZLIB" and 8 bytes. */
static uint64_t old_size(Elf *elf, const GElf_Shdr *shdr)
{
	const Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)shdr->sh_offset,
						    4 + sizeof(uint64_t), ELF_T_BYTE);
	uint64_t size = 0;

	if (data)
		memcpy(&size, (const char *)data->d_buf + 4, sizeof(size));
	return be64toh(size);
}

/* Returns 0 if the section is not packed. */
static uint64_t unpacked_size(Elf *elf, Elf_Scn *section, const char *name, const GElf_Shdr *shdr)
{
	GElf_Chdr chdr;

	if (shdr->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &chdr) ? chdr.ch_size : 0;
	return strncmp(name, ".z", 2) == 0 ? old_size(elf, shdr) : 0;
}

/* Deducts a section from the budgets: at the start, libdw unpacks all that it knows. */
static bool check_section(const struct td_elf *file, Elf_Scn *section, uint64_t *plain,
			  uint64_t *unpacked)
{
	const char *name = section_name(file, section);
	GElf_Shdr shdr;

	if (!name || !strstr(name, "debug_") || !gelf_getshdr(section, &shdr) ||
	    shdr.sh_type == SHT_NOBITS)
		return true;
	return td_search_spend(plain, shdr.sh_size) &&
	       td_search_spend(unpacked, unpacked_size(file->elf, section, name, &shdr));
}

static bool is_too_large(const struct td_elf *file, struct td_search *search)
{
	uint64_t plain = PLAIN_MAX, unpacked = UNPACKED_MAX;
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(file->elf, section))) {
		if (!check_section(file, section, &plain, &unpacked))
			return true;
	}
	return !td_search_spend(&search->bytes, PLAIN_MAX - plain + UNPACKED_MAX - unpacked);
}

/* Sections are only unpacked, and can be checked, after libdw has opened them. */
int td_elf_begin_dwarf(Dwarf **dwarf, const struct td_elf *file, struct td_search *search)
{
	Elf_Scn *section = NULL;

	*dwarf = NULL;
	/* libdw would look for the ends of invalid names for ever */
	if (!file->names)
		return 0;
	if (is_too_large(file, search))
		return -EOVERFLOW;
	*dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (*dwarf)
		dwarf_new_oom_handler(*dwarf, td_memory_fail);
	while (*dwarf && (section = elf_nextscn(file->elf, section))) {
		if (has_open_text(section, section_name(file, section))) {
			dwarf_end(*dwarf);
			*dwarf = NULL;
		}
	}
	return 0;
}

/* The shared file is always set: libdw would look for it anywhere. */
static int read_units(struct td_elf_lines *lines, const struct td_elf *shared,
		      struct td_search *search)
{
	uint64_t left = UNITS_MAX;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	int rc = 0;

	if (shared) {
		rc = td_elf_begin_dwarf(&lines->shared, shared, search);
		if (!lines->shared)
			return rc;
		dwarf_setalt(lines->dwarf, lines->shared);
	}
	while (!rc && dwarf_get_units(lines->dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0)
		rc = add_units(lines, &unit, &left);
	return rc;
}

static void elf_lines_close(struct td_elf_lines *lines)
{
	if (lines->dwarf)
		dwarf_end(lines->dwarf);
	if (lines->shared)
		dwarf_end(lines->shared);
	free(lines->units);
	*lines = (struct td_elf_lines){ 0 };
}

/*
 * Both files must stay open as long as the lines; shared may be NULL.  Returns 0, also if there
 * are no lines, or -EOVERFLOW if they are too large.
 */
static int elf_lines_open(struct td_elf_lines *lines, const struct td_elf *file,
			  const struct td_elf *shared, struct td_search *search)
{
	int rc;

	*lines = (struct td_elf_lines){ 0 };
	rc = td_elf_begin_dwarf(&lines->dwarf, file, search);
	if (lines->dwarf)
		rc = read_units(lines, shared, search);
	if (rc)
		elf_lines_close(lines);
	else if (lines->nr)
		qsort(lines->units, lines->nr, sizeof(*lines->units), by_start);
	return rc;
}

static const struct td_elf_unit *find_unit(const struct td_elf_lines *lines, uint64_t address)
{
	size_t low = 0, high = lines->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->units[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < lines->units[low - 1].end ? &lines->units[low - 1] : NULL;
}

char *td_elf_lines_find(const struct td_elf_lines *lines, uint64_t address, int *line)
{
	const struct td_elf_unit *at = find_unit(lines, address);
	const char *path, *directory = NULL;
	Dwarf_Attribute attribute;
	Dwarf_Line *found;
	Dwarf_Die unit;

	if (!at || !dwarf_offdie(lines->dwarf, at->offset, &unit))
		return NULL;
	found = dwarf_getsrc_die(&unit, address);
	if (!found || dwarf_lineno(found, line) || *line <= 0)
		return NULL;
	path = dwarf_linesrc(found, NULL, NULL);
	if (!path)
		return NULL;
	/* the path may be relative to the directory in which the compiler ran */
	if (*path != '/')
		directory = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &attribute));
	return td_aprintf("%s%s%s", directory ? directory : "", directory ? "/" : "", path);
}

/* --- symbols of a file of ELF ------------------------------------------------------ */

/* Maximum size of a section, which is above the tables of all known programs. */
#define SECTION_MAX ((uint64_t)1 << 30)

/* A symbol table that is being read. */
struct reading {
	Elf *elf;
	Elf_Data *symbols, *names;
	Elf_Data *indices;  /* SHT_SYMTAB_SHNDX, with more than 65000 sections; or NULL */
	Elf_Data *versions; /* SHT_GNU_versym, or NULL */
	size_t nr;
};

/* Returns true if the symbol is in an executable section. */
static bool is_code(const struct reading *reading, const GElf_Sym *sym, Elf32_Word index,
		    GElf_Shdr *shdr)
{
	Elf_Scn *section;

	if (sym->st_shndx != SHN_XINDEX) {
		if (sym->st_shndx >= SHN_LORESERVE)
			return false;
		index = sym->st_shndx;
	}
	section = index == SHN_UNDEF ? NULL : elf_getscn(reading->elf, index);
	return section && gelf_getshdr(section, shdr) && (shdr->sh_flags & SHF_EXECINSTR);
}

/* Prefers global to weak and local symbols, then functions. */
static uint32_t rank_of(const GElf_Sym *sym)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);
	uint32_t rank = bind == STB_LOCAL ? 0 : bind == STB_WEAK ? 1 : 2;

	return 2 * rank + (GELF_ST_TYPE(sym->st_info) == STT_FUNC);
}

#define VERSION_HIDDEN 0x8000

/*
 * Returns the length of "f" in "f@@V2" (the version to which f is linked now) or "f@V1" (for
 * programs that were linked earlier).  In dynamic tables, versions are in a section of their own.
 */
static size_t name_length(const struct reading *reading, const GElf_Sym *sym, int at,
			  const char *name, bool *old)
{
	size_t length = strcspn(name, "@");
	GElf_Versym version;

	*old = reading->versions && gelf_getversym(reading->versions, at, &version) &&
	       version & VERSION_HIDDEN;
	if (!length || GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		return strlen(name);
	*old = *old || (name[length] && name[length + 1] != '@');
	return length;
}

static int add_symbol(const struct reading *reading, int at, const GElf_Sym *sym, Elf32_Word index,
		      struct td_symbol_table *table)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);
	struct td_named symbol = { .start = sym->st_value,
				   .end = sym->st_value + sym->st_size,
				   .rank = rank_of(sym) };
	GElf_Shdr shdr;
	const char *name;

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return 0;
	if (!is_code(reading, sym, index, &shdr))
		return 0;
	name = elf_text(reading->names, sym->st_name);
	if (!name || !*name)
		return 0;
	symbol.limit = shdr.sh_addr + shdr.sh_size;
	return td_symbol_table_add(table, &symbol, name,
				   name_length(reading, sym, at, name, &symbol.old));
}

static int add_symbols(const struct reading *reading, struct td_symbol_table *table)
{
	int rc = 0;

	for (size_t i = 1; !rc && i < reading->nr; i++) {
		Elf32_Word index = SHN_UNDEF;
		GElf_Sym sym;

		if (!gelf_getsymshndx(reading->symbols, reading->indices, (int)i, &sym, &index))
			break;
		rc = add_symbol(reading, (int)i, &sym, index, table);
	}
	return rc;
}

/* Returns the section of a type and, if it is not 0, with a link, or NULL. */
static Elf_Scn *find(Elf *elf, uint32_t type, size_t link, GElf_Shdr *shdr)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, shdr) && shdr->sh_type == type &&
		    (!link || shdr->sh_link == link))
			return section;
	}
	return NULL;
}

/* Returns the size of a section; 0: there is none. */
static uint64_t size_of(Elf *elf, size_t at)
{
	Elf_Scn *section = elf_getscn(elf, at);
	GElf_Shdr shdr;

	return section && gelf_getshdr(section, &shdr) ? shdr.sh_size : 0;
}

/* Returns NULL if it is too large. */
static Elf_Data *read_section(Elf *elf, Elf_Scn *section, struct td_search *search)
{
	uint64_t size = size_of(elf, elf_ndxscn(section));

	return size <= SECTION_MAX && td_search_spend(&search->bytes, size)
		       ? elf_getdata(section, NULL)
		       : NULL;
}

/*
 * Adds the functions of a symbol table, SHT_SYMTAB or SHT_DYNSYM, by virtual address.  The
 * caller finishes the table.  Returns 0, also if there is no table, or -E2BIG if it is too large.
 */
static int elf_read_symbols(const struct td_elf *file, uint32_t type, struct td_search *search,
			    struct td_symbol_table *table)
{
	struct reading reading = { .elf = file->elf };
	GElf_Shdr shdr, shndx;
	Elf_Scn *section = find(file->elf, type, 0, &shdr), *indices, *versions;

	if (!section)
		return 0;
	if (!td_search_spend(&search->bytes, size_of(file->elf, shdr.sh_link)))
		return -E2BIG;
	reading.names = td_elf_strings(file->elf, shdr.sh_link, SECTION_MAX);
	/* no or invalid names */
	if (!reading.names)
		return 0;
	reading.symbols = read_section(file->elf, section, search);
	if (!reading.symbols)
		return -E2BIG;
	indices = find(file->elf, SHT_SYMTAB_SHNDX, elf_ndxscn(section), &shndx);
	if (indices)
		reading.indices = read_section(file->elf, indices, search);
	versions = find(file->elf, SHT_GNU_versym, elf_ndxscn(section), &shndx);
	if (versions)
		reading.versions = read_section(file->elf, versions, search);
	reading.nr = reading.symbols->d_size / gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	table->left = &search->symbols;
	return add_symbols(&reading, table);
}

/* --- symbols of a file ------------------------------------------------------------- */

static int check_id(struct td_elf *file, const struct td_object *object)
{
	if (!object->build_id.size || !file->build_id.size ||
	    td_build_id_same(&object->build_id, &file->build_id))
		return 0;
	td_elf_close(file);
	return -ESTALE;
}

/* Opens the path in the root directory of a process, or in tdstat's if pid is 0. */
static int open_one(struct td_elf *file, const struct td_object *object, const struct td_sysfs *fs,
		    int pid)
{
	td_autofree char *path = td_regular_path(pid, object->path);
	int rc = elf_open(file, fs, path);

	return rc ?: check_id(file, object);
}

/*
 * Opens the object's file.  Sets *root to the process in whose root directory the file was found,
 * or to 0.
 */
static int open_file(struct td_elf *file, const struct td_object *object, const struct td_sysfs *fs,
		     int *root)
{
	int inner = -ENOENT, rc;

	*root = object->pid > 0 ? object->pid : 0;
	if (*root)
		inner = open_one(file, object, fs, *root);
	if (!inner)
		return 0;
	*root = 0;
	rc = open_one(file, object, fs, 0);
	return rc == -ENOENT || (rc && inner == -ESTALE) ? inner : rc;
}

static bool has_lines(const struct td_elf *file)
{
	return td_elf_has(file, ".debug_line") || td_elf_has(file, ".zdebug_line");
}

/* Opens the lines.  If the file that several debug files share is missing, there are no lines. */
int td_file_symbols_open_lines(struct td_file_symbols *symbols, struct td_search *search)
{
	const struct td_elf *from = symbols->debug.elf ? &symbols->debug : &symbols->file;

	if (!search->lines || !symbols->sound)
		return 0;
	if (!td_elf_has(from, ".gnu_debugaltlink"))
		return elf_lines_open(&symbols->lines, from, NULL, search);
	if (elf_open_shared(&symbols->shared, from, search, symbols->root))
		return 0;
	return elf_lines_open(&symbols->lines, from, &symbols->shared, search);
}

/* Returns true if other symbols are still read.  Sets *left_out if rc means a partial result. */
static bool continues(int rc, int *left_out)
{
	if (rc == -E2BIG || rc == -EFBIG || rc == -EOVERFLOW)
		*left_out = rc;
	return !rc || rc == -ENOENT || *left_out == rc;
}

static int read_debug(struct td_file_symbols *symbols, struct td_search *search)
{
	int rc = elf_open_debug(&symbols->debug, &symbols->file, search, symbols->root);

	if (!rc && !symbols->table.nr)
		rc = elf_read_symbols(&symbols->debug, SHT_SYMTAB, search, &symbols->table);
	return rc;
}

/* Reads the full table of the file or its debug file, or the dynamic table. */
static int read_symbols(struct td_file_symbols *symbols, struct td_search *search)
{
	const struct td_elf *file = &symbols->file;
	int left_out = 0;
	int rc = elf_read_symbols(file, SHT_SYMTAB, search, &symbols->table);

	if (continues(rc, &left_out) && (!symbols->table.nr || (search->lines && !has_lines(file))))
		rc = read_debug(symbols, search);
	if (continues(rc, &left_out) && !symbols->table.nr)
		rc = elf_read_symbols(file, SHT_DYNSYM, search, &symbols->table);
	symbols->sound = continues(rc, &left_out);
	return symbols->sound ? left_out : rc;
}

int td_file_symbols_open_elf(struct td_elf *file, const struct td_object *object,
			     const struct td_sysfs *fs, int *root)
{
	int rc;

	*root = 0;
	switch (object->kind) {
	case TD_OBJECT_VDSO:
		rc = td_elf_open_vdso(file);
		return rc ?: check_id(file, object);
	case TD_OBJECT_FILE:
		return td_ends_with(object->path, " (deleted)") ? -EIDRM
								: open_file(file, object, fs, root);
	case TD_OBJECT_KERNEL:
	case TD_OBJECT_MEMORY:
	case TD_OBJECT_NR:
		break;
	}
	return -ENOENT;
}

static int open_object(struct td_file_symbols *symbols, const struct td_object *object,
		       struct td_search *search)
{
	int rc;

	if (object->kind == TD_OBJECT_KERNEL)
		return td_symbols_read_kernel(&symbols->table, search);
	if (object->kind == TD_OBJECT_MEMORY)
		return object->pid > 0
			       ? td_symbols_read_memory(&symbols->table, search, object->pid)
			       : -ENOENT;
	rc = td_file_symbols_open_elf(&symbols->file, object, search->fs, &symbols->root);
	return rc ?: read_symbols(symbols, search);
}

/* Symbols of files have virtual addresses, locations have offsets. */
static bool is_file(const struct td_object *object)
{
	return object->kind == TD_OBJECT_FILE || object->kind == TD_OBJECT_VDSO;
}

bool td_file_symbols_address(const struct td_file_symbols *symbols, const struct td_object *object,
			     uint64_t *address)
{
	return !is_file(object) || td_elf_address(&symbols->file, *address, address);
}

int td_file_symbols_open(struct td_file_symbols *symbols, const struct td_object *object,
			 struct td_search *search)
{
	int rc;

	*symbols = (struct td_file_symbols){
		.file.fd = -1, .debug.fd = -1, .shared.fd = -1, .table.aliases = search->aliases
	};
	rc = open_object(symbols, object, search);
	td_symbol_table_finish(&symbols->table);
	if (!rc && !symbols->table.nr && is_file(object))
		rc = -ENODATA;
	return rc;
}

void td_file_symbols_close(struct td_file_symbols *symbols)
{
	elf_lines_close(&symbols->lines);
	td_elf_close(&symbols->shared);
	td_elf_close(&symbols->debug);
	td_elf_close(&symbols->file);
	td_symbol_table_free(&symbols->table);
}
