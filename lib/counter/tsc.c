// SPDX-License-Identifier: GPL-2.0-only
#include "lib/counter/tsc.h"

#include <linux/perf_event.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/counter/dummy.h"

/*
 * The page of any event has what turns the counter's ticks into nanoseconds:
 * ticks * time_mult >> time_shift (struct perf_event_mmap_page in
 * include/uapi/linux/perf_event.h).
 */
static uint64_t hz_of_page(const struct perf_event_mmap_page *page)
{
	if (!page->cap_user_time || !page->time_mult)
		return 0;
	return (uint64_t)llround(
		ldexp(1e9 / (double)page->time_mult, page->time_shift));
}

uint64_t td_tsc_hz_of_kernel(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int fd = td_dummy_open(0, -1, 0);
	uint64_t hz = 0;
	void *page;

	if (fd < 0)
		return 0;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (page != MAP_FAILED) {
		hz = hz_of_page(page);
		munmap(page, size);
	}
	close(fd);
	return hz;
}
