// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/serve/mhd.h"

#include "lib/base/library.h"
#include "lib/base/util.h"

/* clang-format off */
#define FUNCTIONS(f) \
	f(MHD_add_response_header) f(MHD_create_response_from_buffer) \
	f(MHD_destroy_response) f(MHD_get_connection_info) \
	f(MHD_lookup_connection_value) f(MHD_queue_response) \
	f(MHD_start_daemon) f(MHD_stop_daemon)
/* clang-format on */

FUNCTIONS(TD_LIBRARY_FUNCTION)

static const struct td_library_function functions[] = { FUNCTIONS(
	TD_LIBRARY_ROW) };

int td_mhd_load(struct td_err *err)
{
	if (!td_library_load("libmicrohttpd.so.12", functions,
			     TD_ARRAY_SIZE(functions), err))
		return 0;
	td_err_wrap(err, "tdstat serve needs libmicrohttpd");
	return td_err_hint(err, "it is in Debian's package libmicrohttpd12; "
				"without it: tdstat -a --openmetrics -o FILE");
}
