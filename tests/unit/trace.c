// SPDX-License-Identifier: GPL-2.0-only
/* Packets that libipt's encoder writes. */
#include "cmd/calls/decode.h"

#include <intel-pt.h>
#include <stdlib.h>

#include "lib/base/library.h"
#include "lib/base/util.h"
#include "tests/unit/test.h"

#define FUNCTIONS(f) f(pt_alloc_encoder) f(pt_enc_next) f(pt_free_encoder)

FUNCTIONS(TD_LIBRARY_FUNCTION)

static const struct td_library_function functions[] = { FUNCTIONS(TD_LIBRARY_ROW) };

#define START UINT64_C(0x401000)
#define BACK  UINT64_C(0x400800)

static uint8_t bytes[4096];
static struct pt_encoder *encoder;
static size_t size;

#define MOST 32

static struct told {
	int what;
	uint64_t address, tsc;
} told[MOST];
static size_t nr;
static struct td_trace trace;

static void take(void *ctx, int what, uint64_t address, uint64_t tsc)
{
	(void)ctx;
	if (nr == MOST)
		exit(1);
	told[nr++] = (struct told){ what, address, tsc };
}

static bool is(size_t at, int what, uint64_t address, uint64_t tsc)
{
	const struct told *t = &told[at];

	if (at < nr && t->what == what && t->address == address && t->tsc == tsc)
		return true;
	for (size_t i = 0; i < nr; i++)
		printf("# %zu: %d 0x%llx at %llu\n", i, told[i].what,
		       (unsigned long long)told[i].address, (unsigned long long)told[i].tsc);
	return false;
}

/* --- writing ---------------------------------------------------------------- */

static void begin(void)
{
	struct pt_config config;

	pt_config_init(&config);
	config.begin = bytes;
	config.end = bytes + sizeof(bytes);
	pt_free_encoder(encoder);
	encoder = pt_alloc_encoder(&config);
	size = nr = 0;
	trace = (struct td_trace){
		.boundary = take, .tsc_ratio = 30, .art_ratio = { 125, 2 }, .mtc_period = 3
	};
}

/* Write the next packets of the CPU over the same bytes. */
static void again(void)
{
	struct td_trace old = trace;

	begin();
	trace = old;
}

static void put(struct pt_packet packet)
{
	int rc = encoder ? pt_enc_next(encoder, &packet) : -1;

	if (rc < 0)
		exit(1);
	size += (size_t)rc;
}

static void put_type(enum pt_packet_type type)
{
	put((struct pt_packet){ .type = type });
}

static void put_ip(enum pt_packet_type type, enum pt_ip_compression ipc, uint64_t ip)
{
	struct pt_packet packet = { .type = type };

	packet.payload.ip.ipc = ipc;
	packet.payload.ip.ip = ip;
	put(packet);
}

static void put_cyc(uint64_t cycles)
{
	struct pt_packet packet = { .type = ppt_cyc };

	packet.payload.cyc.value = cycles;
	put(packet);
}

static void put_tsc(uint64_t tsc)
{
	struct pt_packet packet = { .type = ppt_tsc };

	packet.payload.tsc.tsc = tsc;
	put(packet);
}

static void put_tma(uint16_t ctc, uint16_t fc)
{
	struct pt_packet packet = { .type = ppt_tma };

	packet.payload.tma.ctc = ctc;
	packet.payload.tma.fc = fc;
	put(packet);
}

static void put_mtc(uint8_t ctc)
{
	struct pt_packet packet = { .type = ppt_mtc };

	packet.payload.mtc.ctc = ctc;
	put(packet);
}

static void put_cbr(uint8_t ratio)
{
	struct pt_packet packet = { .type = ppt_cbr };

	packet.payload.cbr.ratio = ratio;
	put(packet);
}

/* PSB+ of a CPU that does not run the range. */
static void put_psb(uint64_t tsc, uint8_t ratio)
{
	put_type(ppt_psb);
	put_tsc(tsc);
	put_cbr(ratio);
	put_type(ppt_psbend);
}

static void enter(uint64_t cycles, uint64_t ip)
{
	put_cyc(cycles);
	put_ip(ppt_tip_pge, pt_ipc_sext_48, ip);
}

static void leave(uint64_t cycles, uint64_t ip)
{
	put_cyc(cycles);
	put_ip(ppt_tip_pgd, pt_ipc_sext_48, ip);
}

static void decode(void)
{
	td_trace_decode(&trace, bytes, size);
}

/* --- what happens ----------------------------------------------------------- */

static void test_calls(void)
{
	begin();
	put_psb(1000000, 30);
	enter(100, START);
	leave(40, BACK);
	enter(7, START);
	leave(3, BACK);
	decode();
	ok(nr == 4 && is(0, TD_TRACE_ENTER, START, 1000100) && is(1, TD_TRACE_LEAVE, BACK, 1000140),
	   "a call, by cycles of a core at the rate of the TSC");
	ok(is(2, TD_TRACE_ENTER, START, 1000147) && is(3, TD_TRACE_LEAVE, BACK, 1000150),
	   "and the next one");
}

static void test_kernel(void)
{
	begin();
	put_psb(1000, 30);
	enter(0, START);
	put_cyc(10);
	put_ip(ppt_fup, pt_ipc_sext_48, START + 8);
	put_ip(ppt_tip_pgd, pt_ipc_suppressed, 0);
	enter(500, START + 8);
	put_cyc(5);
	put_ip(ppt_tip_pgd, pt_ipc_suppressed, 0);
	decode();
	ok(is(1, TD_TRACE_INTERRUPT, START + 8, 1010) && is(2, TD_TRACE_ENTER, START + 8, 1510),
	   "an interrupt, and where it goes on");
	ok(nr == 4 && is(3, TD_TRACE_LEAVE, 0, 1515), "a system call");
}

static void test_addresses(void)
{
	const uint64_t high = UINT64_C(0xffff800000001000);

	begin();
	put_psb(1000, 30);
	put_ip(ppt_tip_pge, pt_ipc_full, UINT64_C(0x7f1234567890));
	put_ip(ppt_tip, pt_ipc_update_16, 0xabcd);
	put_ip(ppt_tip_pgd, pt_ipc_update_32, 0x11112222);
	put_ip(ppt_tip_pge, pt_ipc_update_48, UINT64_C(0x7f0000000042));
	put_ip(ppt_tip_pgd, pt_ipc_update_16, 0x43);
	put_ip(ppt_tip_pge, pt_ipc_sext_48, high);
	put_psb(1000, 30);
	put_ip(ppt_tip_pgd, pt_ipc_update_16, 0x44);
	decode();
	ok(is(0, TD_TRACE_ENTER, UINT64_C(0x7f1234567890), 1000) &&
		   is(1, TD_TRACE_LEAVE, UINT64_C(0x7f1211112222), 1000),
	   "addresses have what differs from the last one");
	ok(is(2, TD_TRACE_ENTER, UINT64_C(0x7f0000000042), 1000) &&
		   is(3, TD_TRACE_LEAVE, UINT64_C(0x7f0000000043), 1000),
	   "also 48 bits of it");
	ok(is(4, TD_TRACE_ENTER, high, 1000), "signs are extended");
	ok(nr == 6 && is(5, TD_TRACE_LEAVE, 0x44, 1000), "after a PSB there is no last one");
}

/* --- time ------------------------------------------------------------------- */

static void test_frequency(void)
{
	begin();
	put_psb(1000, 15);
	enter(10, START);
	put_cyc(10);
	put_cbr(60);
	leave(10, BACK);
	decode();
	ok(is(0, TD_TRACE_ENTER, START, 1020), "cycles of a slow core");
	ok(is(1, TD_TRACE_LEAVE, BACK, 1045), "which becomes a fast one meanwhile");
	begin();
	put_type(ppt_psb);
	put_tsc(1000);
	put_type(ppt_psbend);
	enter(10, START);
	decode();
	ok(nr == 1 && is(0, TD_TRACE_ENTER, START, 0),
	   "with an unknown frequency the time is not known");
}

/* The crystal ticks each 62.5 ticks of the TSC, an MTC packet is for each 8. */
static void test_crystal(void)
{
	begin();
	put_type(ppt_psb);
	put_tsc(100000);
	put_tma(0x7ea, 20);
	put_cbr(30);
	put_type(ppt_psbend);
	enter(500, START);
	put_mtc(0xfe);
	leave(10, BACK);
	put_mtc(0xff);
	put_mtc(0x00);
	enter(1, START);
	decode();
	/* the first multiple of 8 was 2 ticks before, and 20 of the TSC */
	ok(is(0, TD_TRACE_ENTER, START, 100500) && is(1, TD_TRACE_LEAVE, BACK, 100500),
	   "cycles that are ahead of the crystal do not go back");
	ok(nr == 3 && is(2, TD_TRACE_ENTER, START, 100000 - 145 + 3 * 500 + 1),
	   "the crystal's clock, whose number begins again");
}

/* With an MTC packet for each 512 ticks, TMA contains 7 of its 8 bits: 1, where MTC has 0x82. */
static void test_long_periods(void)
{
	begin();
	trace.mtc_period = 9;
	put_type(ppt_psb);
	put_tsc(1000000);
	put_tma(1 << 9, 0);
	put_cbr(30);
	put_type(ppt_psbend);
	put_cyc(32000);
	put_mtc(0x82);
	enter(1, START);
	put_mtc(0x02);
	leave(1, BACK);
	decode();
	ok(is(0, TD_TRACE_ENTER, START, 1000000 + 32000 + 1),
	   "the first number of the crystal's clock, with a bit more than is known");
	ok(is(1, TD_TRACE_LEAVE, BACK, 1000000 + 129 * 32000 + 1), "the next ones, with all");
	again();
	put_tsc(1000000);
	put_tma(1 << 9, 0);
	put_cyc(290 * 32000);
	put_mtc(0x82 + 44);
	enter(1, START);
	put_cyc(600 * 32000);
	put_mtc((uint8_t)(0x82 + 44 + 620));
	leave(1, BACK);
	decode();
	ok(is(0, TD_TRACE_ENTER, START, 1000000 + 301 * 32000 + 1),
	   "of a longer time, by cycles, which need not be exact");
	ok(is(1, TD_TRACE_LEAVE, BACK, 1000000 + 921 * 32000 + 1),
	   "and of one in which it begins anew twice");
}

static void test_upper_bits(void)
{
	begin();
	trace.tsc = UINT64_C(0x0512345678901234);
	put_psb(UINT64_C(0x12345678901000), 30);
	enter(1, START);
	decode();
	ok(is(0, TD_TRACE_ENTER, START, UINT64_C(0x0512345678901001)),
	   "packets lack the upper 8 bits of the TSC");
}

static void test_stretches(void)
{
	begin();
	put_psb(1000, 30);
	enter(10, START);
	put_cyc(1);
	put_ip(ppt_tip_pgd, pt_ipc_suppressed, 0);
	decode();
	again();
	put_ip(ppt_tip_pge, pt_ipc_update_16, 0x1004);
	put_tsc(5000);
	leave(10, BACK);
	decode();
	ok(nr == 2 && is(0, TD_TRACE_ENTER, START + 4, 0),
	   "in the next bytes the time is not known, but the address is");
	ok(is(1, TD_TRACE_LEAVE, BACK, 5010), "until a packet tells it");
}

/* --- missing packets --------------------------------------------------------- */

static void test_overflow(void)
{
	begin();
	put_psb(1000, 30);
	enter(10, START);
	put_type(ppt_ovf);
	put_ip(ppt_fup, pt_ipc_sext_48, START + 4);
	leave(10, BACK);
	put_tsc(3000);
	enter(10, START);
	decode();
	ok(is(1, TD_TRACE_LOST, 0, 0), "an overflow");
	ok(is(2, TD_TRACE_LEAVE, BACK, 0),
	   "after which the time is not known, and FUP is no interrupt");
	ok(nr == 4 && is(3, TD_TRACE_ENTER, START, 3010), "until it is told");
}

static void test_begin(void)
{
	begin();
	enter(10, START);
	leave(10, BACK);
	decode();
	ok(!nr, "packets without a PSB before are of no use");
	put_psb(1000, 30);
	enter(10, START);
	trace.in_step = false;
	decode();
	ok(nr == 1 && is(0, TD_TRACE_ENTER, START, 1010), "the PSB is found");
	again();
	td_trace_skip(&trace);
	enter(10, START);
	decode();
	ok(!nr, "nor are those behind missing bytes");
}

static void test_garbage(void)
{
	begin();
	put_psb(1000, 30);
	enter(10, START);
	bytes[size] = 0xd9; /* no packet begins with it */
	size++;
	decode();
	ok(nr == 2 && is(1, TD_TRACE_LOST, 0, 0) && !trace.in_step, "what is no packet");
	again();
	put_psb(1000, 30);
	enter(10, START);
	size -= 2;
	decode();
	ok(nr == 1 && is(0, TD_TRACE_LOST, 0, 0), "half a packet");
	again();
	td_trace_decode(&trace, bytes, 0);
	ok(!nr, "no bytes");
}

int main(void)
{
	struct td_err err = { 0 };

	if (td_trace_load(&err) ||
	    td_library_load("libipt.so.2", functions, TD_ARRAY_SIZE(functions), &err)) {
		printf("1..0 # SKIP %s\n", err.msg);
		return 0;
	}
	test_calls();
	test_kernel();
	test_addresses();
	test_frequency();
	test_crystal();
	test_long_periods();
	test_upper_bits();
	test_stretches();
	test_overflow();
	test_begin();
	test_garbage();
	pt_free_encoder(encoder);
	return done_testing();
}
