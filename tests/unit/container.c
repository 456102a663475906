// SPDX-License-Identifier: GPL-2.0-only
#include "lib/base/util.h"
#include "lib/target/cgroup.h"
#include "tests/unit/test.h"
#include "tests/unit/tree.h"

#define D8(n)  "0123456" n
#define ID(n)  D8(n) D8(n) D8(n) D8(n) D8(n) D8(n) D8(n) D8(n)
#define ETC(n) D8(n) "0123" /* 12 digits */
#define UID    "0a1b2c3d-1111-2222-3333-444455556666"
#define DOCKER "proc/1/root/var/lib/docker/containers/"
#define TASKS  "proc/1/root/run/containerd/io.containerd.runtime.v2.task/k8s.io/"
#define PODMAN                                                       \
	"proc/1/root/var/lib/containers/storage/overlay-containers/" \
	"containers.json"

static const struct {
	const char *path, *text;
} files[] = {
	{ DOCKER ID("a") "/config.v2.json", "{\"ID\":\"x\",\"Name\":\"/web\"}" },
	{ DOCKER ID("b") "/config.v2.json", "{\"Name\":" },
	{ DOCKER ID("c") "/config.v2.json", "{\"Name\":7}" },
	{ PODMAN,
	  "[{\"id\":\"" ID("d") "\",\"names\":[]},{\"id\":\"" ID(
		  "e") "\",\"names\":[\"db\",\"other\"]},{\"id\":\"" ID("3") "\",\"names\":[null]},7]" },
	{ TASKS ID("f") "/config.json",
	  "{\"annotations\":{\"io.kubernetes.cri.sandbox-namespace\":\"prod\",\"io.kubernetes.cri.sandbox-name\":\"shop-0\",\"io.kubernetes.cri.container-name\":\"nginx\"}}" },
	{ TASKS ID("0") "/config.json",
	  "{\"annotations\":{\"io.kubernetes.cri.sandbox-name\":\"shop-0\"}}" },
	{ TASKS ID("1") "/config.json", "{\"annotations\":{}}" },
};

static const struct {
	const char *cgroup, *want; /* NULL: of no container */
} rows[] = {
	/* where the runtimes put them */
	{ "system.slice/docker-" ID("a") ".scope", "web" },
	{ "docker/" ID("a"), "web" },
	{ "docker/" ID("a") "/init/sub", "web/init/sub" },
	{ "machine.slice/libpod-" ID("e") ".scope/container", "db/container" },
	{ "kubepods.slice/kubepods-pod0a1b2c3d_1111_2222_3333_444455556666.slice/cri-containerd-" ID(
		  "f") ".scope",
	  "prod/shop-0/nginx" },
	{ "kubepods/burstable/pod" UID "/" ID("0"), "shop-0" },
	{ "kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod0a1b2c3d_1111_2222_3333_444455556666.slice",
	  "pod0a1b2c3d" },
	{ "kubepods/pod" UID, "pod0a1b2c3d" },
	{ "lxc/mail", "mail" },
	{ "lxc.payload.mail/system.slice", "mail/system.slice" },
	{ "machine.slice/machine-qemu\\x2d1\\x2dold.scope", "qemu-1-old" },
	/* no name is known: the digits of the id */
	{ "docker/" ID("b"), ETC("b") },
	{ "docker/" ID("c"), ETC("c") },
	{ "machine.slice/libpod-" ID("d") ".scope", ETC("d") },
	{ "machine.slice/libpod-" ID("3") ".scope", ETC("3") },
	{ "kubepods/pod" UID "/" ID("1"), ETC("1") },
	{ "kubepods/pod" UID "/crio-" ID("2"), ETC("2") },
	/* the inner one of two */
	{ "docker/" ID("a") "/docker/" ID("2"), ETC("2") },
	/* no container */
	{ "/", NULL },
	{ "system.slice/ssh.service", NULL },
	{ "machine.slice/libpod-conmon-" ID("e") ".scope", NULL },
	{ "x" ID("a"), NULL },
	{ "0123456789ab", NULL },
	{ "lxc", NULL },
	{ "lxc.payload.", NULL },
	{ "machine-.scope", NULL },
	{ "pod", NULL },
	{ "podcast-service", NULL },
};

int main(void)
{
	char root[] = "/tmp/tdstat-container-XXXXXX", proc[64];
	struct td_sysfs fs, none = { -1, -1, "sys", "proc" };
	struct td_err err = { 0 };

	if (!mkdtemp(root)) {
		ok(false, "no temporary folder");
		return done_testing();
	}
	for (size_t i = 0; i < TD_ARRAY_SIZE(files); i++)
		test_file(root, files[i].path, files[i].text, strlen(files[i].text));
	snprintf(proc, sizeof(proc), "%s/proc", root);
	ok(td_sysfs_open(&fs, root, proc, &err) == 0, "made-up files");
	for (size_t i = 0; i < TD_ARRAY_SIZE(rows); i++) {
		td_autofree char *got = td_container_name(&fs, rows[i].cgroup);

		if (rows[i].want)
			is_str(got, rows[i].want, "%s", rows[i].cgroup);
		else
			ok(!got, "%s", rows[i].cgroup);
	}
	td_sysfs_close(&fs);
	td_autofree char *digits = td_container_name(&none, "docker/" ID("a"));
	is_str(digits, ETC("a"), "no files that may be read");
	test_tree_remove(root);
	return done_testing();
}
