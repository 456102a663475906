// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/calls/decode.h"

#include <intel-pt.h>

#include "lib/base/library.h"
#include "lib/base/util.h"

/* --- the library ------------------------------------------------------------ */

/* clang-format off */
#define FUNCTIONS(f) \
	f(pt_pkt_alloc_decoder) f(pt_pkt_free_decoder) f(pt_pkt_get_offset) \
	f(pt_pkt_next) f(pt_pkt_sync_forward) f(pt_pkt_sync_set)
/* clang-format on */

FUNCTIONS(TD_LIBRARY_FUNCTION)

static const struct td_library_function functions[] = { FUNCTIONS(TD_LIBRARY_ROW) };

int td_trace_load(struct td_err *err)
{
	if (!td_library_load("libipt.so.2", functions, TD_ARRAY_SIZE(functions), err))
		return 0;
	td_err_wrap(err, "Processor Trace needs libipt");
	return td_err_hint(err, "it is in Debian's package libipt2");
}

/* --- time ------------------------------------------------------------------- */

#define TSC_BITS 56
#define TMA_BITS 16

/* The time is unknown until the next TSC packet. */
static void forget_time(struct td_trace *trace)
{
	trace->time.known = trace->time.ticks = false;
}

static uint64_t since_tsc(const struct td_trace *trace)
{
	return trace->time.ratio ? trace->time.cycles * trace->tsc_ratio / trace->time.ratio : 0;
}

static void set_time(struct td_trace *trace, uint64_t tsc)
{
	trace->time.tsc = tsc;
	trace->time.cycles = 0;
}

/*
 * Returns the time, or 0 if it is unknown.  A time computed from cycles may be slightly later than
 * that of the next packet, because the ratio is rounded; then returns the later one again.
 */
static uint64_t now(struct td_trace *trace)
{
	uint64_t tsc = trace->time.tsc + since_tsc(trace);

	if (!trace->time.known || (trace->time.cycles && (!trace->time.ratio || !trace->tsc_ratio)))
		return 0;
	if (tsc > trace->time.reported)
		trace->time.reported = tsc;
	return trace->time.reported;
}

static void decode_tsc(struct td_trace *trace, uint64_t tsc)
{
	uint64_t high = trace->tsc >> TSC_BITS << TSC_BITS;

	set_time(trace, high | tsc);
	trace->time.known = true;
	trace->time.ticks = false;
}

/* Sets the core's new frequency, for later cycles. */
static void decode_cbr(struct td_trace *trace, unsigned int ratio)
{
	set_time(trace, trace->time.tsc + since_tsc(trace));
	trace->time.ratio = ratio;
}

static uint64_t tsc_of_mtcs(const struct td_trace *trace, uint64_t nr)
{
	return (nr << trace->mtc_period) * trace->art_ratio[0] / trace->art_ratio[1];
}

/*
 * Reads a TMA packet, which comes after a TSC packet: ctc is the crystal's clock, fc the number of
 * TSC ticks since the crystal's last tick.
 */
static void decode_tma(struct td_trace *trace, const struct pt_packet_tma *tma)
{
	uint64_t within = tma->ctc & ((UINT64_C(1) << trace->mtc_period) - 1);

	trace->time.ticks = trace->art_ratio[0] && trace->art_ratio[1];
	if (!trace->time.ticks)
		return;
	trace->time.ticks_tsc =
		trace->time.tsc - tma->fc - within * trace->art_ratio[0] / trace->art_ratio[1];
	trace->time.nr_ticks = 0;
	trace->time.first_tick = true;
	trace->time.last_tick = (uint8_t)(tma->ctc >> trace->mtc_period);
}

/* Estimates from the cycles how many MTC packets have been due since the last one. */
static uint64_t expect_mtcs(const struct td_trace *trace)
{
	uint64_t tsc = trace->time.tsc + since_tsc(trace);

	return td_since(tsc, trace->time.ticks_tsc + tsc_of_mtcs(trace, trace->time.nr_ticks)) /
	       (tsc_of_mtcs(trace, 1) + 1);
}

/*
 * An MTC packet contains 8 bits of the crystal's clock, from bit mtc_period on.  TMA packets
 * contain the lower 16 bits, so for the first MTC packet after one, fewer bits are comparable.
 * Cycles show how often these bits have overflowed.
 */
static void decode_mtc(struct td_trace *trace, uint8_t tick)
{
	uint64_t more = (uint8_t)(tick - trace->time.last_tick), all = 256;

	if (trace->time.first_tick && trace->mtc_period > TMA_BITS - 8)
		all = UINT64_C(1) << (TMA_BITS - trace->mtc_period);
	more %= all;
	trace->time.first_tick = false;
	trace->time.last_tick = tick;
	if (!trace->time.ticks)
		return;
	more += td_since(expect_mtcs(trace) + all / 2, more) / all * all;
	trace->time.nr_ticks += more;
	set_time(trace, trace->time.ticks_tsc + tsc_of_mtcs(trace, trace->time.nr_ticks));
}

/* --- addresses -------------------------------------------------------------- */

static uint64_t low(uint64_t value, unsigned int bits)
{
	return value & ((UINT64_C(1) << bits) - 1);
}

static uint64_t replace_low(uint64_t old, uint64_t new, unsigned int bits)
{
	return (old & ~low(UINT64_MAX, bits)) | low(new, bits);
}

/* Returns the whole address: packets contain only the low part that differs from the last one. */
static uint64_t decode_ip(struct td_trace *trace, const struct pt_packet_ip *ip)
{
	uint64_t last = trace->last_ip;

	switch (ip->ipc) {
	case pt_ipc_suppressed:
		return 0;
	case pt_ipc_update_16:
		last = replace_low(last, ip->ip, 16);
		break;
	case pt_ipc_update_32:
		last = replace_low(last, ip->ip, 32);
		break;
	case pt_ipc_update_48:
		last = replace_low(last, ip->ip, 48);
		break;
	case pt_ipc_sext_48:
		last = low(ip->ip, 48);
		if (last >> 47)
			last |= ~low(UINT64_MAX, 48);
		break;
	case pt_ipc_full:
		last = ip->ip;
		break;
	}
	return trace->last_ip = last;
}

/* --- packets ---------------------------------------------------------------- */

static void report(struct td_trace *trace, int what, uint64_t address)
{
	trace->has_source = trace->overflowed = false;
	trace->boundary(trace->ctx, what, address, now(trace));
}

static void lose(struct td_trace *trace)
{
	forget_time(trace);
	trace->in_psb = false;
	report(trace, TD_TRACE_LOST, 0);
	trace->overflowed = true;
}

static void decode_pgd(struct td_trace *trace, const struct pt_packet_ip *ip)
{
	uint64_t to = decode_ip(trace, ip);

	if (trace->has_source)
		report(trace, TD_TRACE_INTERRUPT, trace->source);
	else
		report(trace, TD_TRACE_LEAVE, to);
}

static void decode_clock(struct td_trace *trace, const struct pt_packet *packet)
{
	if (packet->type == ppt_tsc)
		decode_tsc(trace, packet->payload.tsc.tsc);
	else if (packet->type == ppt_tma)
		decode_tma(trace, &packet->payload.tma);
	else if (packet->type == ppt_mtc)
		decode_mtc(trace, packet->payload.mtc.ctc);
	else if (packet->type == ppt_cbr)
		decode_cbr(trace, packet->payload.cbr.ratio);
	else if (packet->type == ppt_cyc)
		trace->time.cycles += packet->payload.cyc.value;
}

static void decode_packet(struct td_trace *trace, const struct pt_packet *packet)
{
	if (packet->type == ppt_psb) {
		trace->in_psb = true;
		trace->last_ip = 0;
	} else if (packet->type == ppt_psbend) {
		trace->in_psb = false;
	} else if (packet->type == ppt_fup) {
		/* the interrupted address before a TIP packet, the current one after an overflow */
		trace->source = decode_ip(trace, &packet->payload.ip);
		trace->has_source = !trace->in_psb && !trace->overflowed;
		trace->overflowed = false;
	} else if (packet->type == ppt_tip) {
		decode_ip(trace, &packet->payload.ip);
		trace->has_source = trace->overflowed = false;
	} else if (packet->type == ppt_tip_pge) {
		report(trace, TD_TRACE_ENTER, decode_ip(trace, &packet->payload.ip));
	} else if (packet->type == ppt_tip_pgd) {
		decode_pgd(trace, &packet->payload.ip);
	} else if (packet->type == ppt_ovf) {
		lose(trace);
	} else {
		decode_clock(trace, packet);
	}
}

/* --- bytes ------------------------------------------------------------------ */

/* Goes to the next PSB packet.  Returns false if there is none. */
static bool synchronize(struct td_trace *trace, struct pt_packet_decoder *decoder)
{
	trace->in_step = pt_pkt_sync_forward(decoder) >= 0;
	return trace->in_step;
}

static bool is_at_end(const struct pt_packet_decoder *decoder, size_t size)
{
	uint64_t at = 0;

	return !pt_pkt_get_offset(decoder, &at) && at == size;
}

static void decode_packets(struct td_trace *trace, struct pt_packet_decoder *decoder, size_t size)
{
	struct pt_packet packet;

	for (;;) {
		if (pt_pkt_next(decoder, &packet, sizeof(packet)) >= 0) {
			decode_packet(trace, &packet);
			continue;
		}
		if (is_at_end(decoder, size))
			return;
		lose(trace);
		if (!synchronize(trace, decoder))
			return;
	}
}

void td_trace_decode(struct td_trace *trace, uint8_t *data, size_t size)
{
	struct pt_packet_decoder *decoder;
	struct pt_config config;

	if (!size)
		return;
	pt_config_init(&config);
	config.begin = data;
	config.end = data + size;
	decoder = td_need(pt_pkt_alloc_decoder(&config));
	forget_time(trace);
	if (trace->in_step ? pt_pkt_sync_set(decoder, 0) >= 0 : synchronize(trace, decoder))
		decode_packets(trace, decoder, size);
	pt_pkt_free_decoder(decoder);
}

void td_trace_skip(struct td_trace *trace)
{
	trace->in_step = trace->in_psb = trace->overflowed = trace->has_source = false;
}

/* --- the PMU -------------------------------------------------------------- */

#define PMU       "intel_pt"
#define DIRECTORY "bus/event_source/devices/" PMU "/"

/* Returns -1 if there is no such file. */
static int read_number(const struct td_sysfs *fs, const char *name)
{
	struct td_err unused = { 0 };
	char path[80];
	int number;

	snprintf(path, sizeof(path), DIRECTORY "%s", name);
	return td_sysfs_read_int(fs, path, &number, &unused) ? -1 : number;
}

/* Returns the longest period, because MTC packets fill the trace even between calls. */
static unsigned int choose_mtc(const struct td_sysfs *fs)
{
	struct td_err unused = { 0 };
	unsigned int bits, period = 0;
	char text[64];

	if (td_sysfs_read(fs, DIRECTORY "caps/mtc_periods", text, sizeof(text), &unused) < 0 ||
	    sscanf(text, "%x", &bits) != 1)
		return 0;
	for (unsigned int i = 0; i < 16; i++)
		period = bits >> i & 1 ? i : period;
	return period;
}

static int set_term(const struct td_pmu *pmu, const char *name, uint64_t value,
		    uint64_t config[TD_NR_CONFIGS], struct td_err *err)
{
	const struct td_format *format = td_pmu_format(pmu, name);

	if (!format || td_format_pack(format, value, config))
		return td_err_set(err, -ENODEV, "Processor Trace of this machine has no %s", name);
	return 0;
}

/* Requires cycle packets: between MTC and TSC packets, they are the only clock. */
int td_trace_pmu_read(const struct td_sysfs *fs, const struct td_ints *online, struct td_pmu *pmu,
		      struct td_err *err)
{
	struct td_err unused = { 0 };

	if (td_pmu_read(fs, PMU, online, pmu, &unused))
		return td_err_set(err, -ENODEV, "this machine has no Processor Trace");
	if (read_number(fs, "caps/psb_cyc") <= 0)
		return td_err_set(err, -ENODEV,
				  "Processor Trace of this machine does not count cycles");
	if (read_number(fs, "max_nonturbo_ratio") <= 0)
		return td_err_set(
			err, -ENODEV,
			"Processor Trace of this machine does not report the ratio of its time "
			"stamp counter");
	if (read_number(fs, "nr_addr_filters") <= 0)
		return td_err_set(err, -ENODEV,
				  "Processor Trace of this machine has no filters of addresses");
	return 0;
}

int td_trace_pmu_config(const struct td_sysfs *fs, const struct td_pmu *pmu, uint64_t *config,
			struct td_trace *trace, struct td_err *err)
{
	int ratio = read_number(fs, "max_nonturbo_ratio");
	uint64_t words[TD_NR_CONFIGS] = { 0 };
	struct td_err unused = { 0 };
	char text[64];
	int rc = set_term(pmu, "cyc", 1, words, err);

	trace->tsc_ratio = ratio > 0 ? (unsigned int)ratio : 0;
	trace->mtc_period = choose_mtc(fs);
	if (td_sysfs_read(fs, DIRECTORY "tsc_art_ratio", text, sizeof(text), &unused) < 0 ||
	    sscanf(text, "%u:%u", &trace->art_ratio[0], &trace->art_ratio[1]) != 2)
		trace->art_ratio[0] = trace->art_ratio[1] = 0;
	rc = rc ?: set_term(pmu, "tsc", 1, words, err);
	if (!rc && read_number(fs, "caps/mtc") > 0)
		rc = set_term(pmu, "mtc", 1, words, err);
	if (!rc && trace->mtc_period)
		rc = set_term(pmu, "mtc_period", trace->mtc_period, words, err);
	*config = words[0];
	return rc;
}
