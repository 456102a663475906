// SPDX-License-Identifier: GPL-2.0-only
/* The same bytes as an ELF file, a perf map, /proc/kallsyms and /proc/7/maps. */
#include "lib/sample/parts.h"
#include "lib/sample/spaces.h"
#include "tests/fuzz/folder.h"
#include "tests/fuzz/locations.h"
#include "tests/fuzz/replay.h"

static const char *const files[] = { "7/root/bin/x", "7/root/tmp/perf-7.map", "kallsyms",
				     "7/maps" };
static char file_path[] = "/bin/x", anon_path[] = "//anon", kernel_path[] = "[kernel]";

static void write_files(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++) {
		int fd =
			openat(folder_fd, files[i], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		if (fd < 0 || write(fd, data, size) != (ssize_t)size)
			abort();
		close(fd);
	}
}

/* Places that are frequent in such files, and some that the data selects. */
static void add_locations(struct td_locations *locations, const struct td_object *object,
			  const uint8_t *data, size_t size)
{
	static const uint64_t places[] = {
		0, 0x40, 0x1000, 0x1001, 0x1010, 0x401000, 0x7f0000001008
	};
	int at = td_locations_add_object(locations, object);
	uint64_t words[4] = { 0 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(places); i++)
		td_locations_add(locations, at, places[i]);
	td_locations_add(locations, at, size / 2);
	td_locations_add(locations, at, UINT64_MAX);
	memcpy(words, data, size < sizeof(words) ? size : sizeof(words));
	for (size_t i = 0; i < TD_ARRAY_SIZE(words); i++)
		td_locations_add(locations, at, words[i]);
}

/* As the process that looks for symbols does, but in this one. */
static void resolve(const struct td_sysfs *fs, struct td_locations *locations)
{
	struct td_search search = { fs, true, TD_SEARCH_BYTES, TD_SEARCH_SYMBOLS };
	struct td_found_reader reader = { locations, -1, -1 };
	char *bytes = NULL;
	size_t nr, size = 0, length = 0, at = 0;
	int *unknown = td_locations_unknown(locations, &nr);
	FILE *fp = open_memstream(&bytes, &size);
	int kind;

	if (!fp)
		abort();
	td_search_objects(&search, locations, unknown, nr, fp);
	fclose(fp);
	while ((kind = td_found_read(&reader, bytes + at, size - at, &length)) > TD_FOUND_MORE)
		at += length;
	/* the reader accepts our own output */
	if (kind || at != size || reader.object >= 0)
		abort();
	free(unknown);
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct td_object objects[] = {
		{ .kind = TD_OBJECT_FILE, .path = file_path, .pid = 7 },
		{ .kind = TD_OBJECT_MEMORY, .path = anon_path, .pid = 7 },
		{ .kind = TD_OBJECT_KERNEL, .path = kernel_path },
	};
	struct td_sysfs fs = { .sys = -1 };
	struct td_spaces *spaces = td_spaces_new();
	struct td_locations locations = { 0 };

	if (folder_fd < 0)
		make_folder(files, TD_ARRAY_SIZE(files));
	fs.proc = folder_fd;
	write_files(data, size);
	td_spaces_read(spaces, &locations, &fs, 7);
	if (td_spaces_find(spaces, &locations, 7, 0x401000, false) < 0)
		abort();
	for (size_t i = 0; i < TD_ARRAY_SIZE(objects); i++)
		add_locations(&locations, &objects[i], data, size);
	resolve(&fs, &locations);
	check_locations(&locations);
	td_spaces_free(spaces);
	td_locations_free(&locations);
	return 0;
}
