// SPDX-License-Identifier: GPL-2.0-only
/*
 * usage: monitor SECONDS
 *
 * A virtual machine monitor: runs a guest, a loop of 16 bits code, and after each
 * exit of it loops itself for as long as the guest ran.  Half of the time is the
 * guest's.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#define CODE_AT 0x1000

/*
 * mov cx, 32; inc ax; jnz back to it; loop back to that: two million rounds, beside
 * which the way in and out is short; out 0x10, al leaves the guest; jmp to the start
 */
static const uint8_t code[] = { 0xb9, 0x20, 0x00, 0x40, 0x75, 0xfd,
				0xe2, 0xfb, 0xe6, 0x10, 0xeb, 0xf4 };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static void *map(int fd, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		err(1, "mmap");
	return at;
}

static int make_vm(int kvm)
{
	struct kvm_userspace_memory_region memory = {
		.guest_phys_addr = CODE_AT,
		.memory_size = 4096,
	};
	int vm = ioctl(kvm, KVM_CREATE_VM, 0);
	void *at = map(-1, 4096);

	memcpy(at, code, sizeof(code));
	memory.userspace_addr = (uintptr_t)at;
	if (vm < 0 || ioctl(vm, KVM_SET_USER_MEMORY_REGION, &memory))
		err(1, "no virtual machine");
	return vm;
}

static int make_cpu(int vm)
{
	struct kvm_regs regs = { .rip = CODE_AT, .rflags = 2 };
	struct kvm_sregs sregs;
	int cpu = ioctl(vm, KVM_CREATE_VCPU, 0);

	if (cpu < 0 || ioctl(cpu, KVM_GET_SREGS, &sregs))
		err(1, "no virtual CPU");
	sregs.cs.base = sregs.cs.selector = 0;
	if (ioctl(cpu, KVM_SET_SREGS, &sregs) || ioctl(cpu, KVM_SET_REGS, &regs))
		err(1, "registers");
	return cpu;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
	int kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	int cpu = kvm < 0 ? -1 : make_cpu(make_vm(kvm));
	uint64_t end = now_ns() + (uint64_t)(seconds * 1e9), at = 0;
	const struct kvm_run *run;

	if (cpu < 0)
		err(1, "/dev/kvm");
	run = map(cpu, (size_t)ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0));
	while (at < end) {
		uint64_t before = now_ns(), ran;

		if (ioctl(cpu, KVM_RUN, 0) || run->exit_reason != KVM_EXIT_IO)
			err(1, "the guest ended: %u", run->exit_reason);
		ran = now_ns() - before;
		do
			at = now_ns();
		while (at < before + 2 * ran);
	}
	return 0;
}
