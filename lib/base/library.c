// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/library.h"

#include <dlfcn.h>
#include <errno.h>

/* dlerror() says which library, and why. */
static int cannot_load(const char *library, struct td_err *err)
{
	const char *why = dlerror();

	return td_err_set(err, -ELIBACC, "%s", why ? why : library);
}

int td_library_load(const char *library,
		    const struct td_library_function *functions, size_t nr,
		    struct td_err *err)
{
	/* what it brings along is to hide no function of ours, or of others */
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return cannot_load(library, err);
	for (size_t i = 0; i < nr; i++) {
		*functions[i].at = dlsym(handle, functions[i].name);
		if (!*functions[i].at)
			return cannot_load(library, err);
	}
	return 0;
}
