/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * usage: followed FILE PROGRAM ADDRESS
 *
 * Follows each instruction of a Processor Trace through the traced code, using libipt's decoder,
 * which is not perf's.  FILE is from perf record, of programs that each ran on one CPU.  Prints the
 * number of instructions, the number of those at ADDRESS of PROGRAM (hexadecimal, as nm prints
 * it), and how often the decoder could not continue, each time with the reason on standard error.
 */
#include <fcntl.h>
#include <intel-pt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of linux/perf_event.h and tools/lib/perf/include/perf/event.h. */
enum {
	MMAP2 = 10,
	AUXTRACE = 71,
	EXECUTABLE = 4,
	VDSO_SIZE = 8192,
	MAX_CPUS = 64,
};

struct header {
	uint32_t type;
	uint16_t misc, size;
};

struct mmap2 {
	struct header header;
	uint32_t pid, tid;
	uint64_t start, len, pgoff, inode[3];
	uint32_t prot, flags;
	char name[];
};

struct auxtrace {
	struct header header;
	uint64_t size, offset, reference;
	uint32_t idx, tid, cpu, reserved;
};

/* The bytes of one CPU, in the order in which they were written. */
static struct bytes {
	uint8_t *v;
	size_t nr;
} cpus[MAX_CPUS];

static struct pt_image *image;
static const char *program;
static uint64_t address, start; /* in the file, in memory */
static uint64_t vdso, instructions, starts, errors;

static void stop(const char *what)
{
	fprintf(stderr, "followed: %s\n", what);
	exit(2);
}

/* It is in no file, and the same in all programs of one kernel. */
static int read_vdso(uint8_t *to, size_t size, const struct pt_asid *asid, uint64_t at,
		     void *unused)
{
	const uint8_t *own = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);

	(void)asid;
	(void)unused;
	if (!vdso || !own || at < vdso || at - vdso > VDSO_SIZE)
		return -pte_nomap;
	if (size > VDSO_SIZE - (at - vdso))
		size = VDSO_SIZE - (at - vdso);
	memcpy(to, own + (at - vdso), size);
	return (int)size;
}

static void take_map(const struct mmap2 *map)
{
	if (!(map->prot & EXECUTABLE))
		return;
	if (!strcmp(map->name, program))
		start = map->start - map->pgoff + address;
	if (!strcmp(map->name, "[vdso]"))
		vdso = map->start;
	else if (*map->name == '/')
		pt_image_add_file(image, map->name, map->pgoff, map->len, NULL, map->start);
}

static void take_trace(const struct auxtrace *trace)
{
	struct bytes *of = &cpus[trace->cpu % MAX_CPUS];

	of->v = realloc(of->v, of->nr + trace->size);
	if (!of->v)
		stop("no memory");
	memcpy(of->v + of->nr, trace + 1, trace->size);
	of->nr += trace->size;
}

static void take_records(const uint8_t *at, const uint8_t *end)
{
	while (at < end) {
		const struct header *header = (const void *)at;

		if (header->size < sizeof(*header))
			stop("a record without a size");
		if (header->type == MMAP2)
			take_map((const void *)at);
		if (header->type == AUXTRACE) {
			take_trace((const void *)at);
			at += ((const struct auxtrace *)header)->size;
		}
		at += header->size;
	}
}

static void take_file(const char *name)
{
	int fd = open(name, O_RDONLY);
	struct stat st;
	const uint64_t *head;

	if (fd < 0 || fstat(fd, &st) || st.st_size < 128)
		stop("no such file");
	head = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (head == MAP_FAILED || memcmp(head, "PERFILE2", 8) != 0)
		stop("not a file of perf record");
	/* magic, sizes of header and attr, sections of attrs and data */
	take_records((const uint8_t *)head + head[5], (const uint8_t *)head + head[5] + head[6]);
}

static void report(struct pt_insn_decoder *decoder, int status, uint64_t ip)
{
	uint64_t at = 0;

	pt_insn_get_offset(decoder, &at);
	fprintf(stderr, "%s at %" PRIx64 ", byte %" PRIx64 "\n", pt_errstr(pt_errcode(status)), ip,
		at);
	errors++;
}

/* From one packet of synchronization on, to the end or an error. */
static int follow_from(struct pt_insn_decoder *decoder, int status)
{
	struct pt_insn insn = { 0 };
	struct pt_event event;

	for (;;) {
		while (status >= 0 && status & pts_event_pending)
			status = pt_insn_event(decoder, &event, sizeof(event));
		if (status >= 0 && status & pts_eos)
			return -pte_eos;
		if (status >= 0)
			status = pt_insn_next(decoder, &insn, sizeof(insn));
		if (status < 0)
			break;
		instructions++;
		starts += insn.ip == start;
	}
	if (status != -pte_eos)
		report(decoder, status, insn.ip);
	return status;
}

static void follow(const struct bytes *bytes)
{
	struct pt_insn_decoder *decoder;
	struct pt_config config;
	int status;

	pt_config_init(&config);
	config.begin = bytes->v;
	config.end = bytes->v + bytes->nr;
	decoder = pt_insn_alloc_decoder(&config);
	if (!decoder || pt_insn_set_image(decoder, image))
		stop("no decoder");
	while ((status = pt_insn_sync_forward(decoder)) >= 0 &&
	       follow_from(decoder, status) != -pte_eos)
		;
	if (status < 0 && status != -pte_eos)
		report(decoder, status, 0);
	pt_insn_free_decoder(decoder);
}

int main(int argc, char **argv)
{
	image = pt_image_alloc(NULL);
	if (argc != 4 || !image)
		stop("usage: followed FILE PROGRAM ADDRESS");
	program = argv[2];
	address = strtoull(argv[3], NULL, 16);
	pt_image_set_callback(image, read_vdso, NULL);
	take_file(argv[1]);
	for (int i = 0; i < MAX_CPUS; i++)
		if (cpus[i].nr)
			follow(&cpus[i]);
	printf("%" PRIu64 " instructions, %" PRIu64 " there, %" PRIu64 " errors\n", instructions,
	       starts, errors);
	return errors != 0;
}
