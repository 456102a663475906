/* SPDX-License-Identifier: MIT */
/* Regions for C++: counted until the end of the scope. */
#ifndef TDSTAT_HPP
#define TDSTAT_HPP

#include "tdstat.h"

namespace td
{

class region
{
    public:
	/* The name must outlive the region. */
	explicit region(const char *name) noexcept : name_(name)
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
