// SPDX-License-Identifier: GPL-2.0-only
/* Files of stacks, for pprof and for tools that read folded stacks. */

#include "cmd/output/where.h"
#include "cmd/pictures/page.h"
#include "cmd/version.h"
#include "lib/base/compress.h"
#include "lib/base/printable.h"
#include "lib/sample/hits.h"

/* --- pprof ------------------------------------------------------------------- */

/*
 * Stacks for pprof, Parca and others: the protocol buffer of pprof's profile.proto, compressed with
 * gzip.  Texts are indices in a table, which contains all functions, then all source files, paths
 * and so on.
 */

/* Field numbers of messages, as in profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_TEXT,
	PROFILE_TIME_NS = 9,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD,
	PROFILE_COMMENT,
	TYPE_NAME = 1,
	TYPE_UNIT,
	SAMPLE_LOCATIONS = 1,
	SAMPLE_VALUES,
	MAPPING_ID = 1,
	MAPPING_END = 3,
	MAPPING_PATH = 5,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	LOCATION_ID = 1,
	LOCATION_MAPPING,
	LOCATION_ADDRESS,
	LOCATION_LINE,
	LINE_FUNCTION = 1,
	LINE_NUMBER,
	FUNCTION_ID = 1,
	FUNCTION_NAME,
	FUNCTION_SYMBOL,
	FUNCTION_FILE,
};

/* --- the encoding ----------------------------------------------------------- */

#define NUMBER_SIZE  10  /* bytes of the largest number */
#define MESSAGE_SIZE 128 /* maximum of messages without a list */
#define LIST         2   /* wire type of fields with a length; 0 for numbers */

static unsigned char *put_varint(unsigned char *at, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*at++ = (unsigned char)(number | 0x80);
	*at++ = (unsigned char)number;
	return at;
}

/* Put a number.  A 0 may be left out. */
static unsigned char *put_number(unsigned char *at, int field, uint64_t number)
{
	if (!number)
		return at;
	at = put_varint(at, (uint64_t)field << 3);
	return put_varint(at, number);
}

static unsigned char *put_bytes(unsigned char *at, int field, const void *bytes, size_t size)
{
	at = put_varint(at, (uint64_t)field << 3 | LIST);
	at = put_varint(at, size);
	memcpy(at, bytes, size);
	return at + size;
}

static void write_number(FILE *fp, int field, uint64_t number)
{
	unsigned char buf[2 * NUMBER_SIZE] = { 0 };

	fwrite(buf, 1, (size_t)(put_number(buf, field, number) - buf), fp);
}

/* Write a message or a text. */
static void write_bytes(FILE *fp, int field, const void *bytes, size_t size)
{
	unsigned char buf[2 * NUMBER_SIZE];
	unsigned char *at = put_varint(buf, (uint64_t)field << 3 | LIST);

	at = put_varint(at, size);
	fwrite(buf, 1, (size_t)(at - buf), fp);
	fwrite(bytes, 1, size, fp);
}

static void write_message(FILE *fp, int field, const unsigned char *message,
			  const unsigned char *end)
{
	write_bytes(fp, field, message, (size_t)(end - message));
}

/* --- texts ------------------------------------------------------------------ */

enum {
	TEXT_NONE, /* the first must be empty */
	TEXT_FUNCTION,
	TEXT_UNKNOWN,
	TEXT_FILE,
	TEXT_PATH,
	TEXT_BUILD_ID,
	TEXT_TYPE,
	TEXT_EVENT,
	TEXT_UNIT,
	TEXT_PROGRAM,
	NR_TEXTS
};

static size_t nr_of(const struct td_where *where, unsigned int kind)
{
	const struct td_locations *locations = where->locations;
	const size_t nr[NR_TEXTS] = {
		[TEXT_NONE] = 1,
		[TEXT_FUNCTION] = locations->nr_functions,
		[TEXT_UNKNOWN] = 1,
		[TEXT_FILE] = locations->nr_files,
		[TEXT_PATH] = locations->nr_objects,
		[TEXT_BUILD_ID] = locations->nr_objects,
		[TEXT_TYPE] = where->nr,
		[TEXT_EVENT] = where->nr,
		[TEXT_UNIT] = 1,
		[TEXT_PROGRAM] = 1,
	};

	return nr[kind];
}

static uint64_t text_id(const struct td_where *where, unsigned int kind, size_t i)
{
	for (unsigned int before = 0; before < kind; before++)
		i += nr_of(where, before);
	return i;
}

static void write_text(FILE *fp, const char *text)
{
	write_bytes(fp, PROFILE_TEXT, text, strlen(text));
}

static void write_texts(FILE *fp, const struct td_where *where)
{
	const struct td_locations *locations = where->locations;
	char buf[TD_STACK_NAME];

	write_text(fp, "");
	for (int i = 0; i < (int)locations->nr_functions; i++)
		write_text(fp, td_stack_name(buf, locations, i));
	write_text(fp, td_stack_name(buf, locations, -1));
	for (size_t i = 0; i < locations->nr_files; i++)
		write_text(fp, locations->files[i]);
	for (size_t i = 0; i < locations->nr_objects; i++)
		write_text(fp, locations->objects[i].path);
	for (size_t i = 0; i < locations->nr_objects; i++) {
		char hex[TD_BUILD_ID_TEXT];

		td_build_id_text(hex, &locations->objects[i].build_id);
		write_text(fp, hex);
	}
	for (size_t i = 0; i < where->nr; i++)
		write_text(fp, where->node && where->nr == 1 ? where->node : where->events[i].name);
	for (size_t i = 0; i < where->nr; i++)
		write_text(fp, where->events[i].name);
	write_text(fp, where->nr == 1 ? td_where_unit(where, &where->events[0]) : "events");
	snprintf(buf, sizeof(buf), "tdstat %s", td_version);
	write_text(fp, buf);
}

/* --- mappings, locations, functions ------------------------------------------ */

/* Ids are indices of the arrays plus 1. */
static void write_mapping(FILE *fp, const struct td_where *where, size_t i)
{
	const struct td_object *object = &where->locations->objects[i];
	unsigned char buf[MESSAGE_SIZE], *at = buf;

	/* addresses are file offsets, so each mapping begins at 0 */
	at = put_number(at, MAPPING_ID, i + 1);
	at = put_number(at, MAPPING_END, UINT64_MAX);
	at = put_number(at, MAPPING_PATH, text_id(where, TEXT_PATH, i));
	if (object->build_id.size)
		at = put_number(at, MAPPING_BUILD_ID, text_id(where, TEXT_BUILD_ID, i));
	/* without this, readers look for functions themselves */
	at = put_number(at, MAPPING_HAS_FUNCTIONS, 1);
	write_message(fp, PROFILE_MAPPING, buf, at);
}

/* Return the sum of the weights of each object. */
static double *weights_of_objects(const struct td_where *where)
{
	const struct td_locations *locations = where->locations;
	double *sums = td_calloc(locations->nr_objects + 1, sizeof(*sums));

	td_for_each(const struct td_hit, hit, where->hits->v, where->hits->nr) {
		if (hit->location >= 0)
			sums[locations->v[hit->location].object] += hit->weight;
	}
	return sums;
}

/* Return the file with the most samples that is not named like a library, else 0. */
static size_t find_program(const struct td_where *where)
{
	const struct td_locations *locations = where->locations;
	td_autofree double *weights = weights_of_objects(where);
	size_t found = 0;
	double most = 0;

	for (size_t i = 0; i < locations->nr_objects; i++) {
		const char *path = locations->objects[i].path;

		if (locations->objects[i].kind != TD_OBJECT_FILE || strstr(path, ".so.") ||
		    td_ends_with(path, ".so") || weights[i] <= most)
			continue;
		most = weights[i];
		found = i;
	}
	return found;
}

/* Readers regard the first mapping as the program. */
static void write_mappings(FILE *fp, const struct td_where *where)
{
	size_t nr = where->locations->nr_objects, program = find_program(where);

	if (nr)
		write_mapping(fp, where, program);
	for (size_t i = 0; i < nr; i++) {
		if (i != program)
			write_mapping(fp, where, i);
	}
}

/* Return the id of a location.  The unknown location, -1, has the last one. */
static uint64_t location_id(const struct td_locations *locations, int location)
{
	return location < 0 ? locations->nr + 1 : (uint64_t)location + 1;
}

static void write_location(FILE *fp, const struct td_locations *locations, int location)
{
	const struct td_location unknown = { .object = -1,
					     .function = (int)locations->nr_functions };
	const struct td_location *s = location < 0 ? &unknown : &locations->v[location];
	unsigned char buf[MESSAGE_SIZE], line[MESSAGE_SIZE], *at;
	size_t size;

	at = put_number(line, LINE_FUNCTION, (uint64_t)s->function + 1);
	at = put_number(at, LINE_NUMBER, (uint64_t)s->line);
	size = (size_t)(at - line);
	at = put_number(buf, LOCATION_ID, location_id(locations, location));
	at = put_number(at, LOCATION_MAPPING, (uint64_t)s->object + 1);
	at = put_number(at, LOCATION_ADDRESS, s->address);
	at = put_bytes(at, LOCATION_LINE, line, size);
	write_message(fp, PROFILE_LOCATION, buf, at);
}

/*
 * Write a function.  i: its index, or nr_functions for the unknown function; file: index of its
 * source, or -1.
 */
static void write_function(FILE *fp, const struct td_where *where, size_t i, int file)
{
	unsigned char buf[MESSAGE_SIZE], *at = buf;
	uint64_t name = text_id(where, TEXT_FUNCTION, i);

	at = put_number(at, FUNCTION_ID, i + 1);
	at = put_number(at, FUNCTION_NAME, name);
	at = put_number(at, FUNCTION_SYMBOL, name);
	if (file >= 0)
		at = put_number(at, FUNCTION_FILE, text_id(where, TEXT_FILE, (size_t)file));
	write_message(fp, PROFILE_FUNCTION, buf, at);
}

static void write_functions(FILE *fp, const struct td_where *where)
{
	const struct td_locations *locations = where->locations;
	td_autofree int *files = td_calloc(locations->nr_functions + 1, sizeof(*files));

	for (size_t i = 0; i < locations->nr; i++) {
		if (locations->v[i].file >= 0)
			files[locations->v[i].function] = locations->v[i].file + 1;
	}
	for (size_t i = 0; i <= locations->nr_functions; i++)
		write_function(fp, where, i, files[i] - 1);
}

/* --- samples ---------------------------------------------------------------- */

static size_t depth_of(const struct td_locations *locations, int call)
{
	size_t depth = 1;

	for (; call >= 0; call = locations->calls[call].caller)
		depth++;
	return depth;
}

/* Values are signed 64-bit integers. */
static uint64_t whole(double value)
{
	return value < (double)INT64_MAX ? (uint64_t)value : INT64_MAX;
}

/* Locations begin with the innermost. */
static void write_sample(FILE *fp, const struct td_where *where, const struct td_hit *hit)
{
	const struct td_locations *locations = where->locations;
	size_t most = NUMBER_SIZE * (depth_of(locations, hit->caller) + where->nr + 2);
	td_autofree unsigned char *list = td_malloc(most);
	td_autofree unsigned char *sample = td_malloc(2 * most);
	unsigned char *at, *end;

	end = put_varint(list, location_id(locations, hit->location));
	for (int call = hit->caller; call >= 0; call = locations->calls[call].caller)
		end = put_varint(end, location_id(locations, locations->calls[call].location));
	at = put_bytes(sample, SAMPLE_LOCATIONS, list, (size_t)(end - list));
	/* a value per event: the weight for the event of the hit, else 0 */
	end = list;
	for (size_t i = 0; i < where->nr; i++)
		end = put_varint(end,
				 where->events[i].index == hit->event ? whole(hit->weight) : 0);
	at = put_bytes(at, SAMPLE_VALUES, list, (size_t)(end - list));
	write_message(fp, PROFILE_SAMPLE, sample, at);
}

static void write_value_type(FILE *fp, int field, const struct td_where *where, size_t event)
{
	unsigned char buf[MESSAGE_SIZE], *at = buf;

	at = put_number(at, TYPE_NAME, text_id(where, TEXT_TYPE, event));
	at = put_number(at, TYPE_UNIT, text_id(where, TEXT_UNIT, 0));
	write_message(fp, field, buf, at);
}

/* Write the mean period, because the kernel adapts it continually. */
static void write_period(FILE *fp, const struct td_where *where)
{
	const struct td_hot_functions *of = &where->events[0].functions;

	if (!of->samples)
		return;
	write_value_type(fp, PROFILE_PERIOD_TYPE, where, 0);
	write_number(fp, PROFILE_PERIOD, whole(of->weight / (double)of->samples));
}

/* --- all of it -------------------------------------------------------------- */

void td_pprof_write(FILE *fp, const char *name, const struct td_where *where,
		    const struct td_frame *frame)
{
	td_autofree char *bytes = NULL;
	size_t size;
	FILE *profile = td_open_memstream(&bytes, &size);

	(void)name;
	for (size_t i = 0; i < where->nr; i++)
		write_value_type(profile, PROFILE_SAMPLE_TYPE, where, i);
	for (size_t i = 0; i < where->hits->nr; i++)
		write_sample(profile, where, &where->hits->v[i]);
	write_mappings(profile, where);
	for (int i = -1; i < (int)where->locations->nr; i++)
		write_location(profile, where->locations, i);
	write_functions(profile, where);
	write_texts(profile, where);
	write_number(profile, PROFILE_TIME_NS, frame->start_ns);
	if (where->nr)
		write_period(profile, where);
	for (size_t i = 0; i < where->nr; i++)
		write_number(profile, PROFILE_COMMENT, text_id(where, TEXT_EVENT, i));
	write_number(profile, PROFILE_COMMENT, text_id(where, TEXT_PROGRAM, 0));
	td_text_close(profile, &bytes);
	td_gzip_write(fp, bytes, size);
}

/* --- folded ------------------------------------------------------------------ */

/*
 * Folded stacks for flamegraph.pl, speedscope and others.  Each stack is a line such as "main;f
 * 12": its functions from the outermost to the innermost, and its weight.
 */

/* Replace semicolons, which separate names. */
static void put_name(FILE *fp, const char *name)
{
	size_t len;

	for (; name[len = strcspn(name, ";")]; name += len + 1) {
		td_put_printable_n(fp, name, len);
		fputc(':', fp);
	}
	td_put_printable(fp, name);
}

/* Chains in a file may be of any length. */
static void put_stack(FILE *fp, const struct td_stacks *stacks, int at)
{
	size_t nr = (size_t)stacks->v[at].depth + 1;
	td_autofree int *functions = td_calloc(nr, sizeof(*functions));
	char buf[TD_STACK_NAME];

	for (size_t i = nr; i-- > 0; at = stacks->v[at].caller)
		functions[i] = stacks->v[at].function;
	for (size_t i = 0; i < nr; i++) {
		if (i)
			fputc(';', fp);
		put_name(fp, td_stack_name(buf, stacks->locations, functions[i]));
	}
}

/* Make the line of a stack.  root: name of the event if there are several, else NULL. */
static char *make_line(const struct td_stacks *stacks, int at, const char *root)
{
	char *line = NULL;
	size_t size;
	FILE *fp = td_open_memstream(&line, &size);

	if (root) {
		put_name(fp, root);
		fputc(';', fp);
	}
	put_stack(fp, stacks, at);
	fprintf(fp, " %.0f\n", stacks->v[at].own);
	td_text_close(fp, &line);
	return line;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void td_folded_write(FILE *fp, const char *name, const struct td_where *where,
		     const struct td_frame *frame)
{
	char **lines = NULL;
	size_t nr = 0;

	(void)name;
	(void)frame;
	td_for_each(const struct td_where_event, event, where->events, where->nr) {
		struct td_stacks stacks;

		td_stacks_make(&stacks, where->hits, where->locations, event->index);
		for (size_t i = 0; i < stacks.nr; i++) {
			char *line;

			if (stacks.v[i].own <= 0)
				continue;
			line = make_line(&stacks, (int)i, where->nr > 1 ? event->name : NULL);
			td_array_push(&lines, &nr, &line, sizeof(line));
		}
		td_stacks_free(&stacks);
	}
	if (nr)
		qsort(lines, nr, sizeof(*lines), by_text);
	for (size_t i = 0; i < nr; i++) {
		fputs(lines[i], fp);
		free(lines[i]);
	}
	free(lines);
}
