// SPDX-License-Identifier: GPL-2.0-only
/* Finds vendors, models and cores in the tables of the vendors' directories. */
#include "lib/machine/uarch.h"

#include "lib/base/util.h"

static const struct td_vendor *const vendors[] = { &td_intel, &td_amd };

const struct td_vendor *td_vendor_of(const struct td_cpuid *cpuid)
{
	/* other vendors, whose processors have Intel's virtualization */
	static const struct td_vendor other = {
		.guest_pmus = "module/kvm_intel/parameters/enable_mediated_pmu",
	};

	for (size_t i = 0; i < TD_ARRAY_SIZE(vendors); i++) {
		if (strcmp(cpuid->vendor, vendors[i]->name) == 0)
			return vendors[i];
	}
	return &other;
}

const struct td_core *td_core_of(enum td_uarch uarch)
{
	static const struct td_core unknown = { "unknown core", .general = 4 };

	for (size_t i = 0; i < TD_ARRAY_SIZE(vendors); i++) {
		const struct td_vendor *vendor = vendors[i];

		if (uarch < vendor->nr_cores && vendor->cores[uarch].name)
			return &vendor->cores[uarch];
	}
	return &unknown;
}

const struct td_model *td_model_find(const struct td_cpuid *cpuid)
{
	const struct td_vendor *vendor = td_vendor_of(cpuid);

	td_for_each(const struct td_model, model, vendor->models, vendor->nr_models) {
		if (model->family == cpuid->family && model->model <= cpuid->model &&
		    cpuid->model <= (model->last ? model->last : model->model))
			return model;
	}
	return NULL;
}

const struct td_model *td_model_at(size_t index, struct td_cpuid *cpuid)
{
	for (size_t i = 0; i < TD_ARRAY_SIZE(vendors); i++) {
		const struct td_vendor *vendor = vendors[i];
		const struct td_model *model;

		if (index < vendor->nr_models) {
			model = &vendor->models[index];
			*cpuid =
				(struct td_cpuid){ .family = model->family, .model = model->model };
			strcpy(cpuid->vendor, vendor->name);
			return model;
		}
		index -= vendor->nr_models;
	}
	return NULL;
}

bool td_model_is_hybrid(const struct td_model *model)
{
	return model && model->atom != TD_UARCH_UNKNOWN;
}

enum td_uarch td_model_uarch(const struct td_model *model, const char *pmu)
{
	if (!model)
		return TD_UARCH_UNKNOWN;
	if (strcmp(pmu, "cpu_atom") == 0)
		return model->atom;
	if (strcmp(pmu, "cpu_lowpower") == 0)
		return model->lowpower;
	/* on a hybrid, "cpu" means that the kernel does not know the model */
	if (strcmp(pmu, "cpu") == 0 && td_model_is_hybrid(model))
		return TD_UARCH_UNKNOWN;
	return model->core;
}

enum td_uarch td_uarch_find(const struct td_cpuid *cpuid, const struct td_model *model,
			    const char *pmu)
{
	const struct td_vendor *vendor = td_vendor_of(cpuid);

	if (model)
		return td_model_uarch(model, pmu);
	return cpuid->family >= vendor->any_since ? vendor->any : TD_UARCH_UNKNOWN;
}

const char *td_uarch_name(enum td_uarch uarch)
{
	return td_core_of(uarch)->name;
}

int td_uarch_width(enum td_uarch uarch)
{
	return td_core_of(uarch)->width;
}

int td_uarch_general(enum td_uarch uarch)
{
	return td_core_of(uarch)->general;
}
