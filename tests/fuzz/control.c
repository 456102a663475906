// SPDX-License-Identifier: GPL-2.0-only
/* Input of --control in pieces; a byte before each piece is its length. */
#include "tests/fuzz/replay.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/run/parts.h"
#include "lib/base/util.h"

static void demand(bool holds)
{
	if (!holds)
		abort();
}

static void check(const struct td_control_request *request)
{
	size_t len = strlen(request->line);
	const char *argument = request->argument;

	demand(len && len <= TD_CONTROL_MAX + 1 && !strchr(request->line, '\n'));
	demand(!argument ||
	       (*argument && argument > request->line && argument < request->line + len));
	demand(len <= TD_CONTROL_MAX || request->word == TD_CONTROL_UNKNOWN);
	td_control_is_acked(request->word);
}

static void take(struct td_control *control)
{
	struct td_control_request request;
	struct td_err err = { 0 };

	demand(td_control_read(control, &err) == 0);
	while (td_control_next(control, &request))
		check(&request);
}

/* Writes 32 times as much, so that a line may be too long. */
static size_t feed(struct td_control *control, int to, const uint8_t *data, size_t size)
{
	size_t len = 1 + data[0] % 64, times = data[0] & 64 ? 32 : 1;

	len = len < size ? len : size - 1;
	for (; len && times; times--)
		demand(write(to, data + 1, len) == (ssize_t)len);
	if (len)
		take(control);
	return 1 + len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct td_control control;
	struct td_err err = { 0 };
	char text[32];
	int ends[2];

	demand(pipe(ends) == 0);
	snprintf(text, sizeof(text), "fd:%d", ends[0]);
	demand(td_control_open(&control, text, &err) == 0);
	for (size_t at = 0; at < size;)
		at += feed(&control, ends[1], data + at, size - at);
	close(ends[1]);
	while (control.fd >= 0)
		take(&control);
	td_control_close(&control);
	close(ends[0]);
	return 0;
}
