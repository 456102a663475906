// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/serve/mhd.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/util.h"

#define LIBRARY "libmicrohttpd.so.12"

#define ROW(name)                                           \
	{                                                   \
		"MHD_" #name, offsetof(struct td_mhd, name) \
	}

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
	ROW(start_daemon),
	ROW(stop_daemon),
	ROW(create_response_from_buffer),
	ROW(add_response_header),
	ROW(queue_response),
	ROW(destroy_response),
	ROW(lookup_connection_value),
	ROW(get_connection_info),
};

static int missing(struct td_err *err)
{
	const char *why = dlerror();

	td_err_set(err, -ELIBACC, "tdstat serve needs libmicrohttpd: %s",
		   why ? why : LIBRARY);
	return td_err_hint(err, "it is in Debian's package libmicrohttpd12; "
				"without it: tdstat -a --openmetrics -o FILE");
}

/* The library stays loaded to the end. */
int td_mhd_load(struct td_mhd *mhd, struct td_err *err)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return missing(err);
	for (size_t i = 0; i < TD_ARRAY_SIZE(functions); i++) {
		void *function = dlsym(library, functions[i].name);

		if (!function)
			return missing(err);
		memcpy((char *)mhd + functions[i].offset, &function,
		       sizeof(function));
	}
	return 0;
}
