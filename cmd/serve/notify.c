// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/serve/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lib/base/util.h"

/* A name that begins with '@' is abstract: a zero byte stands for it. */
void td_notify(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len >= sizeof(un.sun_path))
		return;
	memcpy(un.sun_path, path, len);
	if (un.sun_path[0] == '@')
		un.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	sendto(fd, state, strlen(state), MSG_NOSIGNAL,
	       (const struct sockaddr *)&un,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
	td_close_fd(&fd);
}
