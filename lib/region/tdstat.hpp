/* SPDX-License-Identifier: MIT */
/* Regions for C++11 and later: counted until the end of the scope, also if an exception ends it. */
#ifndef TDSTAT_HPP
#define TDSTAT_HPP

#include "tdstat.h"

/* A warning for td::region("parse"); which ends immediately. */
#define TD_NODISCARD_
#if defined(__has_cpp_attribute) && __cplusplus >= 201703L
#if __has_cpp_attribute(nodiscard) >= 201907L
#undef TD_NODISCARD_
#define TD_NODISCARD_ [[nodiscard]]
#endif
#endif

namespace td
{

/* A region must end in the thread that it began in. */
class region
{
    public:
	/* The name must outlive the region. */
	TD_NODISCARD_ explicit region(const char *name) noexcept : name_(name)
	{
		td_begin(name_);
	}

	~region()
	{
		td_end(name_);
	}

	region(const region &) = delete;
	region &operator=(const region &) = delete;

    private:
	const char *name_;
};

}

#define TD_REGION_JOIN_(a, b) a##b
#define TD_REGION_NAME_(line) TD_REGION_JOIN_(td_region_, line)
/* TD_REGION("parse"); counts what follows in the scope. */
#define TD_REGION(name) td::region TD_REGION_NAME_(__LINE__)(name)

#endif
