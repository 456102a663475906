// SPDX-License-Identifier: GPL-2.0-only
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

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

	if (file->build_id.size || !td_search_take(left, phdr->p_filesz))
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

int td_elf_open(struct td_elf *file, const struct td_sysfs *fs, const char *path)
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
	for (size_t i = 0; i < file->nr; i++) {
		const struct td_elf_segment *segment = &file->segments[i];

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

const char *td_elf_text(const Elf_Data *strings, size_t at)
{
	if (!strings || at >= strings->d_size)
		return NULL;
	return (const char *)strings->d_buf + at;
}

const char *td_elf_name(const struct td_elf *file, Elf_Scn *section)
{
	GElf_Shdr shdr;

	return gelf_getshdr(section, &shdr) ? td_elf_text(file->names, shdr.sh_name) : NULL;
}

/* Returns the section of this name that is not empty in the file, or NULL. */
static Elf_Scn *find_section(const struct td_elf *file, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(file->elf, section))) {
		const char *own = td_elf_name(file, section);

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

/* Searches whole tables, because the name may be the end of another one. */
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
