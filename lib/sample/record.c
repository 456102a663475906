// SPDX-License-Identifier: GPL-2.0-only
/* Records of the kernel's ring buffers: perf_event_open(2), MMAP layout. */
#include "lib/sample/record.h"

#include <asm/perf_regs.h>
#include <linux/perf_event.h>

#include "lib/base/util.h"

#define BUILD_ID_BIT (1U << 14) /* PERF_RECORD_MISC_MMAP_BUILD_ID */

uint64_t td_record_sample_type(const struct td_record_format *format)
{
	uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;

	if (format->weights)
		return PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT_STRUCT;
	if (format->values)
		type |= PERF_SAMPLE_READ;
	if (format->chain)
		type |= PERF_SAMPLE_CALLCHAIN;
	if (format->branches)
		type |= PERF_SAMPLE_BRANCH_STACK;
	if (format->raw)
		type |= PERF_SAMPLE_RAW;
	if (format->stack || format->copied)
		type |= PERF_SAMPLE_REGS_USER;
	if (format->copied)
		type |= PERF_SAMPLE_STACK_USER;
	if (format->cgroup)
		type |= PERF_SAMPLE_CGROUP;
	return type;
}

static uint64_t bits(int first, int last)
{
	return (UINT64_C(2) << last) - (UINT64_C(1) << first);
}

uint64_t td_record_registers(const struct td_record_format *format)
{
	if (format->copied)
		return bits(PERF_REG_X86_AX, PERF_REG_X86_IP) |
		       bits(PERF_REG_X86_R8, PERF_REG_X86_R15);
	return format->stack ? bits(PERF_REG_X86_SP, PERF_REG_X86_SP) : 0;
}

uint64_t td_record_read_format(void)
{
	return PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
	       PERF_FORMAT_TOTAL_TIME_RUNNING;
}

/* --- words ------------------------------------------------------------------ */

/* The rest of a record, from the next word to be read. */
struct words {
	const uint64_t *at, *end;
	bool short_of; /* the record was too short */
};

static uint64_t next_word(struct words *words)
{
	if (words->at == words->end) {
		words->short_of = true;
		return 0;
	}
	return *words->at++;
}

static const uint64_t *next_words(struct words *words, uint64_t nr)
{
	const uint64_t *at = words->at;

	if (nr > (uint64_t)(words->end - at)) {
		words->short_of = true;
		return NULL;
	}
	words->at += nr;
	return at;
}

/* Takes two numbers of 32 bits, the first one from the lower half of the word. */
static void read_pair(struct words *words, int *first, int *second)
{
	uint64_t word = next_word(words);

	*first = (int)(uint32_t)word;
	*second = (int)(uint32_t)(word >> 32);
}

/* --- kinds of records ------------------------------------------------------- */

/* Takes a size of 32 bits and as many bytes, which together fill whole words. */
static void parse_raw(struct td_record *r, struct words *words)
{
	uint32_t size = (uint32_t)next_word(words);

	r->nr_raw = size / sizeof(uint64_t);
	r->raw = next_words(words, r->nr_raw);
	words->short_of |= size % sizeof(uint64_t) != sizeof(uint32_t);
}

static void parse_branches(struct td_record *r, struct words *words)
{
	r->nr_branches = next_word(words);
	r->branches = r->nr_branches <= SIZE_MAX / TD_BRANCH_WORDS
			      ? next_words(words, TD_BRANCH_WORDS * r->nr_branches)
			      : NULL;
	words->short_of |= !r->branches;
}

/* Kernel threads have no user-space registers. */
static void parse_registers(struct td_record *r, const struct td_record_format *format,
			    struct words *words)
{
	uint64_t abi = next_word(words);

	if (abi == PERF_SAMPLE_REGS_ABI_NONE)
		return;
	r->wide = abi == PERF_SAMPLE_REGS_ABI_64;
	if (!format->copied) {
		r->stack = next_word(words);
		return;
	}
	r->registers = next_words(words, TD_RECORD_REGS);
	if (r->registers)
		r->stack = r->registers[PERF_REG_X86_SP];
}

/* Takes a size, as many bytes, and the number of bytes that the kernel could read. */
static void parse_copy(struct td_record *r, struct words *words)
{
	uint64_t size = next_word(words);

	if (!size)
		return;
	r->copy = (const char *)next_words(words, size / sizeof(uint64_t));
	r->nr_copied = next_word(words);
	r->copy_is_full = r->nr_copied == size;
	words->short_of |= r->nr_copied > size || size % sizeof(uint64_t);
}

static void parse_sample(struct td_record *r, const struct td_record_format *format,
			 struct words *words)
{
	int unused;

	r->id = next_word(words);
	r->address = next_word(words);
	read_pair(words, &r->pid, &r->tid);
	r->time_ns = next_word(words);
	read_pair(words, &r->cpu, &unused);
	r->period = next_word(words);
	if (format->values) {
		r->nr_values = next_word(words);
		r->enabled_ns = next_word(words);
		r->running_ns = next_word(words);
		r->values =
			r->nr_values <= SIZE_MAX / 2 ? next_words(words, 2 * r->nr_values) : NULL;
		words->short_of |= !r->values;
	}
	if (format->chain) {
		r->nr_chain = next_word(words);
		r->chain = next_words(words, r->nr_chain);
	}
	if (format->raw)
		parse_raw(r, words);
	if (format->branches)
		parse_branches(r, words);
	if (format->stack || format->copied)
		parse_registers(r, format, words);
	if (format->copied)
		parse_copy(r, words);
	if (format->cgroup)
		r->cgroup = next_word(words);
}

/* Takes a text that ends within the record and is padded to words. */
static const char *next_text(struct words *words)
{
	const char *text = (const char *)words->at;
	size_t size = (size_t)(words->end - words->at) * sizeof(uint64_t);
	size_t len = strnlen(text, size);

	if (len == size) {
		words->short_of = true;
		return "";
	}
	words->at += len / sizeof(uint64_t) + 1;
	return text;
}

static void read_build_id(struct words *words, struct td_build_id *id)
{
	const uint64_t *at = next_words(words, 3);
	uint8_t bytes[24];

	if (!at)
		return;
	memcpy(bytes, at, sizeof(bytes));
	id->size = bytes[0] < sizeof(id->v) ? bytes[0] : sizeof(id->v);
	memcpy(id->v, bytes + 4, id->size);
}

static void parse_mmap2(struct td_record *r, unsigned int misc, struct words *words)
{
	r->kind = misc & PERF_RECORD_MISC_MMAP_DATA ? TD_RECORD_OTHER : TD_RECORD_MAP;
	read_pair(words, &r->pid, &r->tid);
	r->address = next_word(words);
	r->length = next_word(words);
	r->offset = next_word(words);
	if (misc & BUILD_ID_BIT)
		read_build_id(words, &r->build_id);
	else
		next_words(words, 3); /* device, inode, its generation */
	next_word(words);             /* protection, flags */
	r->path = next_text(words);
}

static void parse_comm(struct td_record *r, unsigned int misc, struct words *words)
{
	r->kind = misc & PERF_RECORD_MISC_COMM_EXEC ? TD_RECORD_EXEC : TD_RECORD_NAME;
	read_pair(words, &r->pid, &r->tid);
	r->path = next_text(words);
}

static void parse_fork(struct td_record *r, struct words *words)
{
	read_pair(words, &r->pid, &r->parent);
	read_pair(words, &r->tid, &r->parent_tid);
	r->kind = r->pid != r->parent ? TD_RECORD_FORK : TD_RECORD_THREAD;
	next_word(words); /* the time, which is also in the trailer */
}

static void parse_end(struct td_record *r, struct words *words)
{
	int unused;

	r->kind = TD_RECORD_END;
	read_pair(words, &r->pid, &r->parent);
	read_pair(words, &r->tid, &unused);
	next_word(words);
}

static void parse_cgroup(struct td_record *r, struct words *words)
{
	r->kind = TD_RECORD_CGROUP;
	r->cgroup = next_word(words);
	r->path = next_text(words);
}

/*
 * Flags for missing packets.  PERF_AUX_FLAG_OVERWRITE, which is missing here, is only set by
 * snapshots.
 */
#define CUT (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION)

/* With sample_id_all, all records but samples have a trailer. */
static void parse_trailer(struct td_record *r, size_t size, const uint64_t *end)
{
	struct words words = { end - size, end, false };
	int unused, pid, tid;

	if (size == 1) {
		r->id = next_word(&words);
		return;
	}
	read_pair(&words, &pid, &tid);
	r->time_ns = next_word(&words);
	read_pair(&words, &r->cpu, &unused);
	r->id = next_word(&words);
	if (r->kind != TD_RECORD_SWITCH && r->kind != TD_RECORD_TRACE &&
	    r->kind != TD_RECORD_UNTHROTTLE)
		return;
	r->pid = pid;
	r->tid = tid;
}

static void parse_body(struct td_record *r, const struct perf_event_header *header,
		       struct words *words)
{
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		parse_mmap2(r, header->misc, words);
		break;
	case PERF_RECORD_COMM:
		parse_comm(r, header->misc, words);
		break;
	case PERF_RECORD_FORK:
		parse_fork(r, words);
		break;
	case PERF_RECORD_EXIT:
		parse_end(r, words);
		break;
	case PERF_RECORD_CGROUP:
		parse_cgroup(r, words);
		break;
	case PERF_RECORD_SWITCH:
		r->kind = TD_RECORD_SWITCH;
		r->out = header->misc & PERF_RECORD_MISC_SWITCH_OUT;
		r->preempted = header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		break;
	case PERF_RECORD_AUX:
		r->kind = TD_RECORD_TRACE;
		r->offset = next_word(words);
		r->length = next_word(words);
		r->cut = next_word(words) & CUT;
		break;
	case PERF_RECORD_LOST:
		next_word(words); /* the id of the event that noticed it */
		r->kind = TD_RECORD_LOST;
		r->lost = next_word(words);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		r->kind = TD_RECORD_LOST;
		r->lost = next_word(words);
		break;
	case PERF_RECORD_THROTTLE:
		r->kind = TD_RECORD_THROTTLE;
		break;
	case PERF_RECORD_UNTHROTTLE:
		r->kind = TD_RECORD_UNTHROTTLE;
		break;
	default:
		break;
	}
}

bool td_record_parse(struct td_record *record, const struct td_record_format *format,
		     const void *data, size_t size)
{
	const struct perf_event_header *header = data;
	const uint64_t *at = data, *end = at + size / sizeof(*at);
	struct words words = { at + 1, end, false };
	/* task, time, CPU and id; or only the id */
	size_t trailer = format->weights ? 1 : 4;

	*record = (struct td_record){ .pid = -1, .tid = -1, .cpu = -1 };
	if (size < sizeof(*header) || size % sizeof(*at))
		return false;
	if (header->type == PERF_RECORD_SAMPLE) {
		record->kind = TD_RECORD_SAMPLE;
		record->kernel =
			(header->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER;
		if (format->weights) {
			record->id = next_word(&words);
			record->period = next_word(&words);
			/* union perf_sample_weight: 32, 16 and 16 bits, the lowest first */
			record->latency = (uint16_t)(next_word(&words) >> 48);
		} else {
			parse_sample(record, format, &words);
		}
		return !words.short_of;
	}
	if (end - words.at < (ptrdiff_t)trailer)
		return false;
	words.end = end - trailer;
	parse_body(record, header, &words);
	parse_trailer(record, trailer, end);
	return !words.short_of;
}

/* --- AMD's instruction-based sampling ------------------------------------- */

/* Indices of registers, which are in the order of their MSRs. */
enum {
	FETCH_CTL = 0,
	OP_DATA3 = 4, /* after OpCtl, OpRip, OpData and OpData2 */
};

/* Bits of IbsOpData3. */
enum {
	LOAD = 0,
	LOAD_L1_TLB_MISS = 2,
	LOAD_MISS = 7,
	MISS_LATENCY = 32,   /* 16 bits */
	REFILL_LATENCY = 48, /* 16 bits, of the L1 TLB */
};

/* Bits of IbsFetchCtl. */
enum {
	FETCH_LATENCY = 32, /* 16 bits */
	FETCH_MISS = 51,
	FETCH_L1_TLB_MISS = 55,
};

static bool bit(uint64_t reg, int at)
{
	return reg >> at & 1;
}

static uint64_t latency(uint64_t reg, int at)
{
	return reg >> at & UINT16_MAX;
}

uint64_t td_ibs_load_wait(const uint64_t *regs, size_t nr)
{
	uint64_t data3 = nr > OP_DATA3 ? regs[OP_DATA3] : 0, wait = 0;

	if (!bit(data3, LOAD))
		return 0;
	if (bit(data3, LOAD_MISS))
		wait += latency(data3, MISS_LATENCY);
	if (bit(data3, LOAD_L1_TLB_MISS))
		wait += latency(data3, REFILL_LATENCY);
	return wait;
}

uint64_t td_ibs_fetch_wait(const uint64_t *regs, size_t nr)
{
	uint64_t ctl = nr > FETCH_CTL ? regs[FETCH_CTL] : 0;

	return bit(ctl, FETCH_MISS) || bit(ctl, FETCH_L1_TLB_MISS) ? latency(ctl, FETCH_LATENCY)
								   : 0;
}

/* Records in the order of their times. */

static bool is_before(const struct td_queued *a, const struct td_queued *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->number < b->number;
}

static void swap(struct td_queued *a, struct td_queued *b)
{
	struct td_queued c = *a;

	*a = *b;
	*b = c;
}

static void lift(struct td_queued *v, size_t at)
{
	while (at && is_before(&v[at], &v[(at - 1) / 2])) {
		swap(&v[at], &v[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

static void sink(struct td_queued *v, size_t nr)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < nr) {
		if (child + 1 < nr && is_before(&v[child + 1], &v[child]))
			child++;
		if (!is_before(&v[child], &v[at]))
			return;
		swap(&v[at], &v[child]);
		at = child;
	}
}

void td_queue_put(struct td_queue *queue, uint64_t time_ns, const void *data, uint16_t size)
{
	struct td_queued *queued = td_array_add(&queue->v, queue->nr, sizeof(*queued));

	queued->data = td_malloc(size);
	memcpy(queued->data, data, size);
	queued->size = size;
	queued->time_ns = time_ns;
	queued->number = queue->last++;
	lift(queue->v, queue->nr++);
}

uint64_t *td_queue_pop(struct td_queue *queue, uint64_t until_ns, uint16_t *size)
{
	struct td_queued first;

	if (!queue->nr || queue->v[0].time_ns >= until_ns)
		return NULL;
	first = queue->v[0];
	queue->v[0] = queue->v[--queue->nr];
	sink(queue->v, queue->nr);
	*size = first.size;
	return first.data;
}

void td_queue_free(struct td_queue *queue)
{
	for (size_t i = 0; i < queue->nr; i++)
		free(queue->v[i].data);
	free(queue->v);
	*queue = (struct td_queue){ 0 };
}
