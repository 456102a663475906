// SPDX-License-Identifier: GPL-2.0-only
#include "lib/sample/trace.h"

#include <errno.h>
#include <intel-pt.h>
#include <stdio.h>

#include "lib/base/library.h"
#include "lib/base/util.h"

/* --- the library ------------------------------------------------------------ */

/* clang-format off */
#define FUNCTIONS(f) \
	f(pt_pkt_alloc_decoder) f(pt_pkt_free_decoder) f(pt_pkt_get_offset) \
	f(pt_pkt_next) f(pt_pkt_sync_forward) f(pt_pkt_sync_set)
/* clang-format on */

FUNCTIONS(TD_LIBRARY_FUNCTION)

static const struct td_library_function functions[] = { FUNCTIONS(
	TD_LIBRARY_ROW) };

int td_trace_load(struct td_err *err)
{
	if (!td_library_load("libipt.so.2", functions, TD_ARRAY_SIZE(functions),
			     err))
		return 0;
	td_err_wrap(err, "Processor Trace needs libipt");
	return td_err_hint(err, "it is in Debian's package libipt2");
}

/* --- time ------------------------------------------------------------------- */

#define TSC_BITS 56
#define TMA_BITS 16

/* The CPU was off, or packets are missing: up to the next TSC packet. */
static void forget_time(struct td_trace *trace)
{
	trace->time.known = trace->time.ticks = false;
}

static uint64_t since_tsc(const struct td_trace *trace)
{
	return trace->time.ratio ? trace->time.cycles * trace->tsc_ratio /
					   trace->time.ratio
				 : 0;
}

static void set_time(struct td_trace *trace, uint64_t tsc)
{
	trace->time.tsc = tsc;
	trace->time.cycles = 0;
}

/*
 * Never goes back: cycles are scaled by a ratio of whole numbers, and may be a little
 * ahead of the packet that tells the time next.
 */
static uint64_t now(struct td_trace *trace)
{
	uint64_t tsc = trace->time.tsc + since_tsc(trace);

	if (!trace->time.known ||
	    (trace->time.cycles && (!trace->time.ratio || !trace->tsc_ratio)))
		return 0;
	if (tsc > trace->time.said)
		trace->time.said = tsc;
	return trace->time.said;
}

static void take_tsc(struct td_trace *trace, uint64_t tsc)
{
	uint64_t high = trace->tsc >> TSC_BITS << TSC_BITS;

	set_time(trace, high | tsc);
	trace->time.known = true;
	trace->time.ticks = false;
}

/* From now on the core has another frequency. */
static void take_cbr(struct td_trace *trace, unsigned int ratio)
{
	set_time(trace, trace->time.tsc + since_tsc(trace));
	trace->time.ratio = ratio;
}

static uint64_t tsc_of_mtcs(const struct td_trace *trace, uint64_t nr)
{
	return (nr << trace->mtc_period) * trace->art_ratio[0] /
	       trace->art_ratio[1];
}

/* Behind a TSC packet: the crystal's clock then, and for how long it had that. */
static void take_tma(struct td_trace *trace, const struct pt_packet_tma *tma)
{
	uint64_t within = tma->ctc & ((UINT64_C(1) << trace->mtc_period) - 1);

	trace->time.ticks = trace->art_ratio[0] && trace->art_ratio[1];
	if (!trace->time.ticks)
		return;
	trace->time.ticks_tsc =
		trace->time.tsc - tma->fc -
		within * trace->art_ratio[0] / trace->art_ratio[1];
	trace->time.nr_ticks = 0;
	trace->time.first_tick = true;
	trace->time.last_tick = (uint8_t)(tma->ctc >> trace->mtc_period);
}

/* How many MTC packets there should have been since the last one, by cycles. */
static uint64_t expect_mtcs(const struct td_trace *trace)
{
	uint64_t tsc = trace->time.tsc + since_tsc(trace);

	return td_since(tsc, trace->time.ticks_tsc +
				     tsc_of_mtcs(trace, trace->time.nr_ticks)) /
	       (tsc_of_mtcs(trace, 1) + 1);
}

/*
 * The number has 8 bits from mtc_period on.  TMA packets tell 16 bits of the crystal's
 * clock, so that of the first MTC packet behind one fewer may be compared.  How often
 * that began anew meanwhile, cycles tell.
 */
static void take_mtc(struct td_trace *trace, uint8_t tick)
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
	set_time(trace, trace->time.ticks_tsc +
				tsc_of_mtcs(trace, trace->time.nr_ticks));
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

/* Packets have the part that differs from the last one's. */
static uint64_t take_ip(struct td_trace *trace, const struct pt_packet_ip *ip)
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

static int tell(struct td_trace *trace, int what, uint64_t address)
{
	trace->has_source = trace->overflowed = false;
	return trace->take(trace->ctx, what, address, now(trace));
}

static int lose(struct td_trace *trace)
{
	int rc;

	forget_time(trace);
	trace->in_psb = false;
	rc = tell(trace, TD_TRACE_LOST, 0);
	trace->overflowed = true;
	return rc;
}

/* In front of a TIP packet, where it comes from; behind an overflow, where it is. */
static void take_fup(struct td_trace *trace, const struct pt_packet_ip *ip)
{
	trace->source = take_ip(trace, ip);
	trace->has_source = !trace->in_psb && !trace->overflowed;
	trace->overflowed = false;
}

static int take_pgd(struct td_trace *trace, const struct pt_packet_ip *ip)
{
	uint64_t to = take_ip(trace, ip);

	return trace->has_source
		       ? tell(trace, TD_TRACE_INTERRUPT, trace->source)
		       : tell(trace, TD_TRACE_LEAVE, to);
}

static void take_clock(struct td_trace *trace, const struct pt_packet *packet)
{
	if (packet->type == ppt_tsc)
		take_tsc(trace, packet->payload.tsc.tsc);
	else if (packet->type == ppt_tma)
		take_tma(trace, &packet->payload.tma);
	else if (packet->type == ppt_mtc)
		take_mtc(trace, packet->payload.mtc.ctc);
	else if (packet->type == ppt_cbr)
		take_cbr(trace, packet->payload.cbr.ratio);
	else if (packet->type == ppt_cyc)
		trace->time.cycles += packet->payload.cyc.value;
}

static int take_packet(struct td_trace *trace, const struct pt_packet *packet)
{
	if (packet->type == ppt_psb) {
		trace->in_psb = true;
		trace->last_ip = 0;
	} else if (packet->type == ppt_psbend) {
		trace->in_psb = false;
	} else if (packet->type == ppt_fup) {
		take_fup(trace, &packet->payload.ip);
	} else if (packet->type == ppt_tip) {
		take_ip(trace, &packet->payload.ip);
		trace->has_source = trace->overflowed = false;
	} else if (packet->type == ppt_tip_pge) {
		return tell(trace, TD_TRACE_ENTER,
			    take_ip(trace, &packet->payload.ip));
	} else if (packet->type == ppt_tip_pgd) {
		return take_pgd(trace, &packet->payload.ip);
	} else if (packet->type == ppt_ovf) {
		return lose(trace);
	} else {
		take_clock(trace, packet);
	}
	return 0;
}

/* --- bytes ------------------------------------------------------------------ */

/* To the next packet that all can be told from. */
static int step_in(struct td_trace *trace, struct pt_packet_decoder *decoder)
{
	int rc = pt_pkt_sync_forward(decoder);

	trace->in_step = rc >= 0;
	return rc;
}

static bool is_at_end(const struct pt_packet_decoder *decoder, size_t size)
{
	uint64_t at = 0;

	return !pt_pkt_get_offset(decoder, &at) && at == size;
}

static int take_packets(struct td_trace *trace,
			struct pt_packet_decoder *decoder, size_t size)
{
	struct pt_packet packet;
	int rc = 0, read;

	while (!rc) {
		read = pt_pkt_next(decoder, &packet, sizeof(packet));
		if (read >= 0) {
			rc = take_packet(trace, &packet);
			continue;
		}
		if (is_at_end(decoder, size))
			break;
		rc = lose(trace);
		if (step_in(trace, decoder) < 0)
			break;
	}
	return rc;
}

int td_trace_decode(struct td_trace *trace, uint8_t *data, size_t size)
{
	struct pt_packet_decoder *decoder;
	struct pt_config config;
	int rc;

	if (!size)
		return 0;
	pt_config_init(&config);
	config.begin = data;
	config.end = data + size;
	decoder = pt_pkt_alloc_decoder(&config);
	if (!decoder)
		return -ENOMEM;
	forget_time(trace);
	rc = trace->in_step ? pt_pkt_sync_set(decoder, 0)
			    : step_in(trace, decoder);
	rc = rc < 0 ? 0 : take_packets(trace, decoder, size);
	pt_pkt_free_decoder(decoder);
	return rc;
}

void td_trace_skip(struct td_trace *trace)
{
	trace->in_step = trace->in_psb = trace->overflowed = trace->has_source =
		false;
}

/* --- the PMU -------------------------------------------------------------- */

#define PMU    "intel_pt"
#define FOLDER "bus/event_source/devices/" PMU "/"

/* -1: there is no such file. */
static int read_number(const struct td_sysfs *fs, const char *name)
{
	struct td_err unused = { 0 };
	char path[80];
	int number;

	snprintf(path, sizeof(path), FOLDER "%s", name);
	return td_sysfs_read_int(fs, path, &number, &unused) ? -1 : number;
}

static void read_ratio(const struct td_sysfs *fs, unsigned int ratio[2])
{
	struct td_err unused = { 0 };
	char text[64];

	if (td_sysfs_read(fs, FOLDER "tsc_art_ratio", text, sizeof(text),
			  &unused) < 0 ||
	    sscanf(text, "%u:%u", &ratio[0], &ratio[1]) != 2)
		ratio[0] = ratio[1] = 0;
}

/* The longest: packets of it are between calls, too; 0 has all processors. */
static unsigned int choose_mtc(const struct td_sysfs *fs)
{
	struct td_err unused = { 0 };
	unsigned int bits, period = 0;
	char text[64];

	if (td_sysfs_read(fs, FOLDER "caps/mtc_periods", text, sizeof(text),
			  &unused) < 0 ||
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
		return td_err_set(err, -ENODEV,
				  "Processor Trace of this machine has no %s",
				  name);
	return 0;
}

/* Without cycles there is no time between packets of the crystal, and of the TSC. */
int td_trace_pmu_read(const struct td_sysfs *fs, const struct td_ints *online,
		      struct td_pmu *pmu, struct td_err *err)
{
	struct td_err unused = { 0 };

	if (td_pmu_read(fs, PMU, online, pmu, &unused))
		return td_err_set(err, -ENODEV,
				  "this machine has no Processor Trace");
	if (read_number(fs, "caps/psb_cyc") <= 0)
		return td_err_set(err, -ENODEV,
				  "Processor Trace of this machine does not "
				  "count cycles");
	if (read_number(fs, "max_nonturbo_ratio") <= 0)
		return td_err_set(err, -ENODEV,
				  "Processor Trace of this machine does not "
				  "tell the ratio of its time stamp counter");
	if (read_number(fs, "nr_addr_filters") <= 0)
		return td_err_set(err, -ENODEV,
				  "Processor Trace of this machine has no "
				  "filters of addresses");
	return 0;
}

int td_trace_pmu_config(const struct td_sysfs *fs, const struct td_pmu *pmu,
			uint64_t *config, struct td_trace *trace,
			struct td_err *err)
{
	int ratio = read_number(fs, "max_nonturbo_ratio");
	uint64_t words[TD_NR_CONFIGS] = { 0 };
	int rc = set_term(pmu, "cyc", 1, words, err);

	trace->tsc_ratio = ratio > 0 ? (unsigned int)ratio : 0;
	trace->mtc_period = choose_mtc(fs);
	read_ratio(fs, trace->art_ratio);
	if (!rc)
		rc = set_term(pmu, "tsc", 1, words, err);
	if (!rc && read_number(fs, "caps/mtc") > 0)
		rc = set_term(pmu, "mtc", 1, words, err);
	if (!rc && trace->mtc_period)
		rc = set_term(pmu, "mtc_period", trace->mtc_period, words, err);
	*config = words[0];
	return rc;
}
