/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters of a Sapphire Rapids outside of the cores: in each die two CHAs and a
 * PCU, which are MSRs, and a memory controller, which is memory.  A PCI device of
 * each die has the table in which the kernel finds them, and the memory: Intel's
 * "Uncore Performance Monitoring Discovery", arch/x86/events/intel/uncore_discovery.h.
 * They go by the clock of the machine, which no halt stops.
 */
#include "qemu/osdep.h"

#include "cpu.h"
#include "hw/pci/pci_device.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "pmu.h"
#include "qemu/thread.h"
#include "qemu/timer.h"

enum {
	DIES = 16,    /* at most */
	NR_UNITS = 4, /* of a die */
	COUNTERS = 4,
	WIDTH = 48,
	CBO_CONFIG = 0x2ffe, /* an MSR: how many CHAs there are */
	CHAS = 2,
};

/* The kernel's numbers of access types and of units: uncore_snbep.c. */
enum {
	MSR,
	MMIO
};
enum {
	CHA = 0,
	PCU = 4,
	IMC = 6
};

/* Bits of a unit's control register. */
enum {
	FROZEN = 1,
	RESET_SELECTS = 1 << 8,
	RESET_COUNTERS = 1 << 9
};

/* Where the registers of a unit are, from its control register on. */
static const struct layout {
	int type, nr, access;
	uint32_t control; /* an MSR, or the place in the device's memory */
	uint32_t select, counter;
	uint32_t select_step, counter_step;
} layouts[NR_UNITS] = {
	{ CHA, 0, MSR, 0x2000, 2, 8, 1, 1 },
	{ CHA, 1, MSR, 0x2010, 2, 8, 1, 1 },
	{ PCU, 0, MSR, 0x2fc0, 2, 8, 1, 1 },
	{ IMC, 0, MMIO, 0x4000, 0x40, 8, 4, 8 },
};

static struct unit {
	uint64_t control, select[COUNTERS], value[COUNTERS];
	int64_t since; /* virtual ns: when the counters had their values */
} units[DIES][NR_UNITS];

static QemuMutex lock;

static void __attribute__((constructor)) init(void)
{
	qemu_mutex_init(&lock);
}

/*
 * Events in 1024 ns: event 1 is the unit's clock, which is faster in the next die; any
 * other one as the cores' (with all bits of its umask), once more in the next die.  One
 * with a threshold counts clocks in which there was any.
 */
static uint64_t rate(int die, uint64_t select)
{
	uint64_t event = select & 0xff, clock = 1536 + 512 * (uint64_t)die;
	uint64_t umask = (select >> 8 & 0xff) | select >> 32 << 8;
	uint64_t rate = 16 + (event * 131 + umask * 17) % 1024;

	if (event <= 1)
		return event ? clock : 0;
	rate *= (uint64_t)die + 1;
	return select >> 24 & 0xff ? MIN(rate, clock) : rate;
}

static void advance(int die, struct unit *unit)
{
	int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
	uint64_t ns = (uint64_t)(now - unit->since);

	for (int i = 0; i < COUNTERS && !(unit->control & FROZEN); i++) {
		unit->value[i] += rate(die, unit->select[i]) * ns / 1024;
		unit->value[i] &= TDEMU_COUNTER_MASK;
	}
	unit->since = now;
}

static void write_control(struct unit *unit, uint64_t value)
{
	if (value & RESET_SELECTS)
		memset(unit->select, 0, sizeof(unit->select));
	if (value & RESET_COUNTERS)
		memset(unit->value, 0, sizeof(unit->value));
	unit->control = value & ~(uint64_t)(RESET_SELECTS | RESET_COUNTERS);
}

/* The register of a unit at a distance from its control register; NULL: none. */
static uint64_t *register_at(const struct layout *layout, struct unit *unit, uint32_t offset)
{
	if (offset == 0)
		return &unit->control;
	for (uint32_t i = 0; i < COUNTERS; i++) {
		if (offset == layout->select + i * layout->select_step)
			return &unit->select[i];
		if (offset == layout->counter + i * layout->counter_step)
			return &unit->value[i];
	}
	return NULL;
}

/* False: no unit has this register. */
static bool reach(int access, int die, uint32_t at, uint64_t *value, bool write)
{
	bool found = false;

	for (int i = 0; i < NR_UNITS && !found && die < DIES; i++) {
		const struct layout *layout = &layouts[i];
		struct unit *unit = &units[die][i];
		uint64_t *reg;

		if (layout->access != access || at < layout->control)
			continue;
		reg = register_at(layout, unit, at - layout->control);
		found = reg != NULL;
		if (!found)
			continue;
		qemu_mutex_lock(&lock);
		advance(die, unit);
		if (write && reg == &unit->control)
			write_control(unit, *value);
		else if (write)
			*reg = *value;
		else
			*value = *reg;
		qemu_mutex_unlock(&lock);
	}
	return found;
}

static bool has_units(void)
{
	const char *name = tdemu_settings()->uncore;

	return name && !strcmp(name, "spr");
}

bool tdemu_units_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value)
{
	if (!has_units())
		return false;
	if (msr == CBO_CONFIG) {
		*value = CHAS;
		return true;
	}
	return reach(MSR, tdemu_die(env), msr, value, false);
}

bool tdemu_units_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value)
{
	return has_units() && reach(MSR, tdemu_die(env), msr, &value, true);
}

/* --- the device ---------------------------------------------------------- */

#define TYPE_UNITS "tdemu-units"
OBJECT_DECLARE_SIMPLE_TYPE(Units, UNITS)

enum {
	MEMORY = 0x8000,
	TABLE = NR_UNITS + 1, /* its entries; the first one is of all */
	ENTRY = 4,            /* words */
	CAPABILITY = 0x23,    /* DVSEC */
	CAPABILITY_AT = 0x100,
	COUNTERS_TABLE = 1, /* what its discovery entry is of */
};

struct Units {
	PCIDevice device;
	MemoryRegion memory;
	uint32_t die;
};

/* The table's words: registers and their distances, the address, what it is. */
static uint64_t table(Units *units, unsigned int entry, unsigned int word)
{
	const struct layout *layout = &layouts[entry - 1];
	uint64_t base = layout->access == MMIO ? pci_get_bar_addr(&units->device, 0) : 0;

	if (word == 0)
		return COUNTERS | layout->select << 8 | WIDTH << 16 | layout->counter << 24 |
		       (uint64_t)layout->access << 62;
	if (word == 1)
		return base + layout->control;
	return word == 2 ? layout->type | layout->nr << 16 : 0;
}

/* A global control register is told, which the kernel does not use. */
static uint64_t head(unsigned int word)
{
	if (word == 0)
		return 1 | ENTRY << 8 | NR_UNITS << 16;
	return word == 1 ? 0x2ff0 : 0;
}

static uint64_t read_memory(void *opaque, hwaddr at, unsigned int size)
{
	Units *units = opaque;
	uint64_t value = 0;

	if (at < TABLE * ENTRY * 8) {
		unsigned int entry = at / (ENTRY * 8), word = at / 8 % ENTRY;

		value = entry ? table(units, entry, word) : head(word);
		return value >> (at % 8 * 8);
	}
	reach(MMIO, (int)units->die, (uint32_t)at, &value, false);
	return value;
}

static void write_memory(void *opaque, hwaddr at, uint64_t value, unsigned int size)
{
	Units *units = opaque;

	reach(MMIO, (int)units->die, (uint32_t)at, &value, true);
}

static const MemoryRegionOps operations = {
	.read = read_memory,
	.write = write_memory,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 1, .max_access_size = 8 },
	.impl = { .min_access_size = 1, .max_access_size = 8 },
};

static void realize(PCIDevice *device, Error **errp)
{
	Units *units = UNITS(device);
	uint8_t *capability = device->config + CAPABILITY_AT;

	if (pcie_endpoint_cap_init(device, 0) < 0)
		return;
	pcie_add_capability(device, CAPABILITY, 1, CAPABILITY_AT, 16);
	pci_set_long(capability + 8, COUNTERS_TABLE);
	pci_set_long(capability + 12, 0); /* its table is in BAR 0 */
	memory_region_init_io(&units->memory, OBJECT(units), &operations, units, TYPE_UNITS,
			      MEMORY);
	pci_register_bar(device, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &units->memory);
	/* as the firmware leaves it: the kernel's driver reads, and enables nothing */
	pci_set_word(device->config + PCI_COMMAND, PCI_COMMAND_MEMORY);
	pci_set_word(device->wmask + PCI_COMMAND,
		     pci_get_word(device->wmask + PCI_COMMAND) & ~PCI_COMMAND_MEMORY);
}

static const Property properties[] = {
	DEFINE_PROP_UINT32("die", Units, die, 0),
};

static void init_class(ObjectClass *class, void *data)
{
	DeviceClass *device = DEVICE_CLASS(class);
	PCIDeviceClass *pci = PCI_DEVICE_CLASS(class);

	pci->realize = realize;
	pci->vendor_id = PCI_VENDOR_ID_INTEL;
	pci->device_id = 0x09a7;
	pci->class_id = PCI_CLASS_SYSTEM_OTHER;
	device_class_set_props(device, properties);
}

static const TypeInfo type = {
	.name = TYPE_UNITS,
	.parent = TYPE_PCI_DEVICE,
	.instance_size = sizeof(Units),
	.class_init = init_class,
	.interfaces = (InterfaceInfo[]){ { INTERFACE_PCIE_DEVICE }, {} },
};

static void register_type(void)
{
	type_register_static(&type);
}

type_init(register_type)
