// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/magic.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/util.h"
#include "lib/machine/privileges.h"
#include "lib/sample/parts.h"

/* --- files ---------------------------------------------------------------- */

#define CONFIGFS_MAGIC 0x62656570 /* fs/configfs/mount.c */

/* Virtual file systems: the kernel makes the content while it is read. */
static const unsigned int virtual[] = {
	PROC_SUPER_MAGIC,   SYSFS_MAGIC,         DEBUGFS_MAGIC,  TRACEFS_MAGIC, SECURITYFS_MAGIC,
	CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC,   SELINUX_MAGIC, SMACK_MAGIC,
	PSTOREFS_MAGIC,     EFIVARFS_MAGIC,      CONFIGFS_MAGIC,
};

static bool is_virtual(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs))
		return true;
	for (size_t i = 0; i < TD_ARRAY_SIZE(virtual); i++) {
		if ((unsigned int)fs.f_type == virtual[i])
			return true;
	}
	return false;
}

/* Opens the file of an O_PATH descriptor for reading, if it is a regular one. */
static int reopen(int place)
{
	char link[40];
	struct stat st;
	int fd;

	if (fstat(place, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || is_virtual(place))
		return -EINVAL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int td_regular_open(const struct td_sysfs *fs, const char *path)
{
	int place, fd;

	if (*path != '/' && fs->proc < 0)
		return -ENOENT;
	place = openat(*path == '/' ? AT_FDCWD : fs->proc, path, O_PATH | O_CLOEXEC);
	if (place < 0)
		return -errno;
	fd = reopen(place);
	close(place);
	return fd;
}

char *td_regular_path(int pid, const char *path)
{
	return pid > 0 ? td_aprintf("%d/root%s%s", pid, *path == '/' ? "" : "/", path)
		       : td_strdup(path);
}

/* --- memory ----------------------------------------------------------------- */

/* Memory that a confined process may allocate. */
#define CONFINED_GB 4

/*
 * Returns the size of existing mappings, which RLIMIT_AS includes; they are large with sanitizers.
 */
static uint64_t mapped_bytes(void)
{
	FILE *fp = fopen("/proc/self/statm", "re");
	uint64_t pages = 0;

	if (fp && fscanf(fp, "%" SCNu64, &pages) != 1)
		pages = 0;
	if (fp)
		fclose(fp);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit(__rlimit_resource_t resource, uint64_t max)
{
	setrlimit(resource, &(const struct rlimit){ max, max });
}

/* Leaves at least half of the machine's memory for the measured program. */
static void limit_memory(void)
{
	uint64_t half = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t max = (uint64_t)CONFINED_GB << 30;
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	limit(RLIMIT_AS, mapped_bytes() + (half && half < max ? half : max));
	/* if the machine runs out of memory, this process ends first */
	if (fd >= 0 && write(fd, "1000", 4) < 0)
		perror("oom_score_adj");
	td_close_fd(&fd);
}

/* --- descriptors ------------------------------------------------------------ */

static void close_range_of(int first, int last)
{
	if (first <= last)
		syscall(SYS_close_range, first, last, 0);
}

/* --- system calls ----------------------------------------------------------- */

#ifdef __x86_64__
/*
 * The system calls that this program, libelf, libdw, the dynamic linker, the C library and
 * sanitizers need to read files.  All others fail with EPERM.
 */
static const uint16_t allowed[] = {
	SYS_read,
	SYS_pread64,
	SYS_readv,
	SYS_write,
	SYS_writev,
	SYS_close,
	SYS_fstat,
	SYS_newfstatat,
	SYS_stat,
	SYS_lstat,
	SYS_statx,
	SYS_fstatfs,
	SYS_lseek,
	SYS_access,
	SYS_readlink,
	SYS_readlinkat,
	SYS_fcntl,
	SYS_fadvise64,
	SYS_mmap,
	SYS_munmap,
	SYS_mremap,
	SYS_mprotect,
	SYS_madvise,
	SYS_brk,
	SYS_futex,
	SYS_sched_yield,
	SYS_getpid,
	SYS_gettid,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_getrandom,
	SYS_rt_sigaction,
	SYS_rt_sigreturn,
	SYS_rt_sigprocmask,
	SYS_sigaltstack,
	SYS_prctl,
	SYS_getrlimit,
	SYS_clock_gettime,
	SYS_gettimeofday,
	SYS_sysinfo,
	SYS_sched_getaffinity,
	SYS_exit,
	SYS_exit_group,
};

#define LOAD(field)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, (what))
/* Skips a number of instructions if the test fails. */
#define UNLESS(test, value, skip) BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), 0, (skip))

#define NR_ALLOWED TD_ARRAY_SIZE(allowed)
#define WRITES     (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)

static void filter_calls(void)
{
	struct sock_filter filter[9 + 2 * NR_ALLOWED] = {
		LOAD(arch),
		UNLESS(BPF_JEQ, AUDIT_ARCH_X86_64, 4),
		LOAD(nr),
		UNLESS(BPF_JEQ, SYS_openat, 4),
		LOAD(args[2]), /* low half of the argument */
		UNLESS(BPF_JSET, WRITES, 1),
		ANSWER(SECCOMP_RET_ERRNO | EPERM),
		ANSWER(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .filter = filter };
	unsigned short nr = 8;

	for (size_t i = 0; i < NR_ALLOWED; i++) {
		filter[nr++] = (struct sock_filter)UNLESS(BPF_JEQ, allowed[i], 1);
		filter[nr++] = (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW);
	}
	filter[nr++] = (struct sock_filter)ANSWER(SECCOMP_RET_ERRNO | EPERM);
	program.len = nr;
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
#else
static void filter_calls(void)
{
}
#endif

void td_confine(int keep, int keep_too)
{
	int low = keep < keep_too ? keep : keep_too, high = keep < keep_too ? keep_too : keep;
	int first = STDERR_FILENO + 1;

	close_range_of(0, STDOUT_FILENO);
	if (low >= first) {
		close_range_of(first, low - 1);
		first = low + 1;
	}
	if (high >= first) {
		close_range_of(first, high - 1);
		first = high + 1;
	}
	close_range_of(first, INT32_MAX);
	limit_memory();
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	td_capabilities_keep(TD_CAPABILITY(CAP_DAC_READ_SEARCH) | TD_CAPABILITY(CAP_SYS_PTRACE) |
			     TD_CAPABILITY(CAP_SYSLOG));
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
		filter_calls();
}
