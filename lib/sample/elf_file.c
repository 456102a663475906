// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/elf_file.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/sample/elfutils.h"
#include "lib/sample/regular_file.h"

/* The kernel's own is two pages. */
#define VDSO_MAX     (1 << 20)
#define SEGMENTS_MAX 65535
#define NOTES_MAX    (1 << 20)

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
		id->size = note.n_descsz < TD_BUILD_ID_SIZE
				   ? (uint8_t)note.n_descsz
				   : TD_BUILD_ID_SIZE;
		memcpy(id->v, bytes + desc, id->size);
		return true;
	}
	return false;
}

static void read_notes(struct td_elf *file, const GElf_Phdr *phdr)
{
	Elf_Data *data;

	if (file->build_id.size || phdr->p_filesz > NOTES_MAX)
		return;
	data = elf_getdata_rawchunk(
		file->elf, (int64_t)phdr->p_offset, phdr->p_filesz,
		phdr->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	if (data)
		note_id(data, &file->build_id);
}

static int add_segment(struct td_elf *file, const GElf_Phdr *phdr)
{
	struct td_elf_segment *segment =
		td_array_add(&file->segments, file->nr, sizeof(*segment));

	if (!segment)
		return -ENOMEM;
	*segment = (struct td_elf_segment){ phdr->p_offset, phdr->p_filesz,
					    phdr->p_vaddr };
	file->nr++;
	return 0;
}

static int read_segments(struct td_elf *file)
{
	size_t nr = 0;
	GElf_Phdr phdr;
	int rc = 0;

	if (elf_getphdrnum(file->elf, &nr))
		return 0;
	for (size_t i = 0; !rc && i < nr && i < SEGMENTS_MAX; i++) {
		if (!gelf_getphdr(file->elf, (int)i, &phdr))
			break;
		if (phdr.p_type == PT_NOTE)
			read_notes(file, &phdr);
		else if (phdr.p_type == PT_LOAD)
			rc = add_segment(file, &phdr);
	}
	return rc;
}

static int check(struct td_elf *file)
{
	int rc = -ENOEXEC;
	Elf_Data *data;

	if (file->elf && elf_kind(file->elf) == ELF_K_ELF)
		rc = read_segments(file);
	if (rc)
		td_elf_close(file);
	else if (!file->build_id.size &&
		 /* the segments of debug files may have no content */
		 td_elf_section(file, ".note.gnu.build-id", &data))
		note_id(data, &file->build_id);
	return rc;
}

int td_elf_open(struct td_elf *file, const struct td_sysfs *fs,
		const char *path)
{
	int rc = td_elfutils_load();

	*file = closed;
	if (rc)
		return rc;
	file->path = strdup(path);
	file->fd = file->path ? td_regular_open(fs, path) : -ENOMEM;
	if (file->fd < 0) {
		rc = file->fd;
		td_elf_close(file);
		return rc;
	}
	elf_version(EV_CURRENT);
	/* not mapped: a file that gets shorter would end us */
	file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	return check(file);
}

int td_elf_open_vdso(struct td_elf *file)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	size_t size;
	int rc = td_elfutils_load();

	*file = closed;
	if (rc)
		return rc;
	if (!ehdr || memcmp(ehdr->e_ident, ELFMAG, SELFMAG) != 0 ||
	    ehdr->e_ident[EI_CLASS] != ELFCLASS64)
		return -ENOENT;
	/* its sections are the last that is in it */
	size = ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;
	if (size < sizeof(*ehdr) || size > VDSO_MAX)
		return -ENOEXEC;
	file->image = malloc(size);
	if (!file->image)
		return -ENOMEM;
	memcpy(file->image, ehdr, size);
	elf_version(EV_CURRENT);
	file->elf = elf_memory(file->image, size);
	return check(file);
}

bool td_elf_address(const struct td_elf *file, uint64_t offset,
		    uint64_t *address)
{
	for (size_t i = 0; i < file->nr; i++) {
		const struct td_elf_segment *segment = &file->segments[i];

		if (offset >= segment->offset &&
		    offset - segment->offset < segment->size) {
			*address = offset - segment->offset + segment->address;
			return true;
		}
	}
	return false;
}

Elf_Scn *td_elf_section(const struct td_elf *file, const char *name,
			Elf_Data **data)
{
	size_t names;
	Elf_Scn *section = NULL;

	if (elf_getshdrstrndx(file->elf, &names))
		return NULL;
	while ((section = elf_nextscn(file->elf, section))) {
		GElf_Shdr shdr;
		const char *own;

		if (!gelf_getshdr(section, &shdr) || shdr.sh_type == SHT_NOBITS)
			continue;
		own = elf_strptr(file->elf, names, shdr.sh_name);
		if (!own || strcmp(own, name) != 0)
			continue;
		*data = elf_getdata(section, NULL);
		if (*data && (*data)->d_buf && (*data)->d_size)
			return section;
	}
	return NULL;
}

void td_elf_done(struct td_elf *file)
{
	if (file->elf)
		elf_end(file->elf);
	file->elf = NULL;
	td_close_fd(&file->fd);
	free(file->image);
	file->image = NULL;
}

void td_elf_close(struct td_elf *file)
{
	td_elf_done(file);
	free(file->path);
	free(file->segments);
	*file = closed;
}
