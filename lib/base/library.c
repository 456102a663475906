// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/library.h"

#include <dlfcn.h>
#include <errno.h>

#ifdef TD_STATIC
/*
 * Replaces dlopen() with an error, because a shared library needs the C library for which it was
 * built.  This also prevents libdw from loading libdebuginfod, and libtraceevent from loading
 * plugins.
 */
void *__wrap_dlopen(const char *library, int flags);

void *__wrap_dlopen(const char *library, int flags)
{
	(void)library, (void)flags;
	return NULL;
}

static int load(const char *library, const struct td_library_function *functions, size_t nr,
		struct td_err *err)
{
	(void)functions, (void)nr;
	return td_err_set(err, -ELIBACC, "%s: not available in a static tdstat", library);
}
#else
/* Sets the error to dlerror(), which contains the name of the library and the reason. */
static int cannot_load(const char *library, struct td_err *err)
{
	const char *why = dlerror();

	return td_err_set(err, -ELIBACC, "%s", why ? why : library);
}

static int load(const char *library, const struct td_library_function *functions, size_t nr,
		struct td_err *err)
{
	/* RTLD_LOCAL: the library's symbols must not replace those of the program */
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
#endif

int td_library_load(const char *library, const struct td_library_function *functions, size_t nr,
		    struct td_err *err)
{
	bool linked = !functions->at;

	return linked ? 0 : load(library, functions, nr, err);
}
