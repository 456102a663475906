// SPDX-License-Identifier: GPL-2.0-only
/* Answers HTTP requests, using libmicrohttpd. */
#include <fcntl.h>
#include <microhttpd.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "cmd/serve/parts.h"
#include "lib/base/library.h"
#include "lib/base/util.h"

#define MAX_CONNECTIONS 64
#define MEMORY          (16 * 1024)           /* bytes per connection, for its headers */
#define SILENCE_S       15                    /* maximum time without a byte */
#define LONGEST_NS      UINT64_C(30000000000) /* maximum time between two answers */
/* maximum time between two answers while all connections are in use */
#define CROWDED_NS UINT64_C(2000000000)
#define LOOK_NS    500000000L /* time between two checks */

/* A connection. */
struct guest {
	int fd;            /* -1: free */
	uint64_t since_ns; /* time of its last answer or, before the first one, of its opening */
};

/* A page as two answers: one for connections that stay open, one for connections that close. */
struct page {
	struct MHD_Response *kept, *last;
};

struct td_http {
	struct MHD_Daemon *daemon;
	int timer; /* ticks while there are connections */
	/* last answers: clients that get them will not ask again */
	struct MHD_Response *pointer, *not_found, *not_allowed;
	pthread_mutex_t lock; /* protects the members that follow */
	struct page pages[TD_NR_EXPOSITIONS];
	struct guest guests[MAX_CONNECTIONS];
	size_t nr_guests;
};

/* --- the library ------------------------------------------------------------ */

/* clang-format off */
#define FUNCTIONS(f) \
	f(MHD_add_response_header) f(MHD_create_response_from_buffer) \
	f(MHD_destroy_response) f(MHD_get_connection_info) \
	f(MHD_lookup_connection_value) f(MHD_queue_response) \
	f(MHD_start_daemon) f(MHD_stop_daemon)
/* clang-format on */

FUNCTIONS(TD_LIBRARY_FUNCTION)

static const struct td_library_function functions[] = { FUNCTIONS(TD_LIBRARY_ROW) };

static int load(struct td_err *err)
{
	if (!td_library_load("libmicrohttpd.so.12", functions, TD_ARRAY_SIZE(functions), err))
		return 0;
	td_err_wrap(err, "tdstat serve needs libmicrohttpd");
	return td_err_hint(
		err,
		"it is in Debian's package libmicrohttpd12; without it: tdstat -a --openmetrics -o "
		"FILE");
}

/* --- connections ---------------------------------------------------------- */

static int fd_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

static struct guest *find_guest(struct td_http *http, int fd)
{
	for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
		if (http->guests[i].fd == fd)
			return &http->guests[i];
	}
	return NULL;
}

/* Start or stop the timer: without connections, the service is not woken. */
static void set_timer(const struct td_http *http, bool on)
{
	const struct timespec look = { 0, on ? LOOK_NS : 0 };
	const struct itimerspec spec = { look, look };

	timerfd_settime(http->timer, 0, &spec, NULL);
}

/* Called before a descriptor is closed. */
static void note_connection(void *ctx, struct MHD_Connection *connection, void **unused,
			    enum MHD_ConnectionNotificationCode code)
{
	struct td_http *http = ctx;
	int fd = fd_of(connection);
	bool begins = code == MHD_CONNECTION_NOTIFY_STARTED;
	struct guest *guest;

	(void)unused;
	pthread_mutex_lock(&http->lock);
	guest = find_guest(http, begins ? -1 : fd);
	if (guest) {
		*guest = (struct guest){ begins ? fd : -1, td_now_ns() };
		http->nr_guests += begins ? 1 : (size_t)-1;
		if (http->nr_guests == (begins ? 1 : 0))
			set_timer(http, begins);
	}
	pthread_mutex_unlock(&http->lock);
}

static void note_answer(void *ctx, struct MHD_Connection *connection, void **unused,
			enum MHD_RequestTerminationCode code)
{
	struct td_http *http = ctx;
	struct guest *guest;

	(void)unused;
	(void)code;
	pthread_mutex_lock(&http->lock);
	guest = find_guest(http, fd_of(connection));
	if (guest)
		guest->since_ns = td_now_ns();
	pthread_mutex_unlock(&http->lock);
}

static bool is_crowded(const struct td_http *http)
{
	return http->nr_guests == MAX_CONNECTIONS;
}

int td_http_timer(const struct td_http *http)
{
	return http->timer;
}

void td_http_cut_off(struct td_http *http)
{
	uint64_t now = td_now_ns(), longest, ticks;

	/* there is nothing to read if the last connection has just ended */
	if (read(http->timer, &ticks, sizeof(ticks)) < 0)
		return;
	pthread_mutex_lock(&http->lock);
	longest = is_crowded(http) ? CROWDED_NS : LONGEST_NS;
	td_for_each(const struct guest, guest, http->guests, MAX_CONNECTIONS) {
		if (guest->fd >= 0 && td_since(now, guest->since_ns) > longest)
			shutdown(guest->fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&http->lock);
}

/* --- answers -------------------------------------------------------------- */

/* Like Prometheus's own libraries: OpenMetrics for clients that name it. */
static enum td_exposition wanted(struct MHD_Connection *connection)
{
	const char *accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept");

	return accept && strstr(accept, "application/openmetrics-text") ? TD_EXPOSE_OPENMETRICS
									: TD_EXPOSE_TEXT;
}

/*
 * While clients wait for a place, each connection gets one answer.  Otherwise clients
 * that ask often would keep all places.
 */
static struct MHD_Response *page_for(const struct td_http *http, struct MHD_Connection *connection)
{
	const struct page *page = &http->pages[wanted(connection)];

	return is_crowded(http) ? page->last : page->kept;
}

/* Answer under the lock; the library keeps the page while it is being sent. */
static enum MHD_Result send_page(struct td_http *http, struct MHD_Connection *connection,
				 const char *url)
{
	struct MHD_Response *response = http->not_found;
	unsigned int status = MHD_HTTP_OK;
	enum MHD_Result result;

	pthread_mutex_lock(&http->lock);
	if (strcmp(url, "/metrics") == 0)
		response = page_for(http, connection);
	else if (strcmp(url, "/") == 0)
		response = http->pointer;
	else
		status = MHD_HTTP_NOT_FOUND;
	result = MHD_queue_response(connection, status, response);
	pthread_mutex_unlock(&http->lock);
	return result;
}

/*
 * libmicrohttpd calls this after the headers, for each part of the body, which is ignored, and at
 * the end of the request.  Only an answer at the end keeps the connection open.
 */
/* NOLINTNEXTLINE(readability-function-size): the parameters are the library's */
static enum MHD_Result answer(void *ctx, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *body,
			      size_t *size, void **state)
{
	struct td_http *http = ctx;
	static char seen;

	(void)version;
	(void)body;
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return MHD_queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
					  http->not_allowed);
	if (*state && !*size)
		return send_page(http, connection, url);
	*state = &seen;
	*size = 0;
	return MHD_YES;
}

/* --- pages ---------------------------------------------------------------- */

static struct MHD_Response *make_response(char *text, size_t size, enum MHD_ResponseMemoryMode mode,
					  const char *type)
{
	struct MHD_Response *response = td_need(MHD_create_response_from_buffer(size, text, mode));

	MHD_add_response_header(response, "Content-Type", type);
	return response;
}

static struct MHD_Response *make_last(char *text, size_t size, const char *type)
{
	struct MHD_Response *response = make_response(text, size, MHD_RESPMEM_MUST_COPY, type);

	MHD_add_response_header(response, "Connection", "close");
	return response;
}

static struct MHD_Response *make_fixed(char *text)
{
	return make_last(text, strlen(text), "text/plain; charset=utf-8");
}

static void free_response(struct MHD_Response *response)
{
	if (response)
		MHD_destroy_response(response);
}

static void free_page(const struct page *page)
{
	free_response(page->kept);
	free_response(page->last);
}

void td_http_set_page(struct td_http *http, enum td_exposition how, char *text, size_t size)
{
	const char *type = td_out_openmetrics_type(how);
	const struct page page = {
		.last = make_last(text, size, type),
		.kept = make_response(text, size, MHD_RESPMEM_MUST_FREE, type),
	};
	struct page before;

	pthread_mutex_lock(&http->lock);
	before = http->pages[how];
	http->pages[how] = page;
	pthread_mutex_unlock(&http->lock);
	free_page(&before);
}

static void make_fixed_pages(struct td_http *http)
{
	static char pointer[] = "tdstat: the counters are at /metrics\n";
	static char not_found[] = "not found: see /metrics\n";
	static char not_allowed[] = "only GET and HEAD\n";

	http->pointer = make_fixed(pointer);
	http->not_found = make_fixed(not_found);
	http->not_allowed = make_fixed(not_allowed);
	MHD_add_response_header(http->not_allowed, "Allow", "GET, HEAD");
}

/* --- the thread ----------------------------------------------------------- */

struct td_http *td_http_new(struct td_err *err)
{
	struct td_http *http = td_calloc(1, sizeof(*http));

	pthread_mutex_init(&http->lock, NULL);
	for (size_t i = 0; i < MAX_CONNECTIONS; i++)
		http->guests[i].fd = -1;
	http->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (http->timer < 0)
		td_err_set(err, -errno, "timerfd: %s", strerror(errno));
	if (http->timer < 0 || load(err)) {
		td_http_stop(http);
		return NULL;
	}
	make_fixed_pages(http);
	return http;
}

/* The daemon closes its socket, even if it cannot be started. */
int td_http_start(struct td_http *http, int fd, struct td_err *err)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (copy >= 0)
		http->daemon = MHD_start_daemon(
			MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, 0, NULL, NULL, answer, http,
			MHD_OPTION_LISTEN_SOCKET, copy, MHD_OPTION_CONNECTION_LIMIT,
			(unsigned int)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
			(size_t)MEMORY, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)SILENCE_S,
			MHD_OPTION_NOTIFY_CONNECTION, note_connection, http,
			MHD_OPTION_NOTIFY_COMPLETED, note_answer, http, MHD_OPTION_END);
	return http->daemon ? 0 : td_err_set(err, -EIO, "libmicrohttpd cannot be started");
}

void td_http_stop(struct td_http *http)
{
	if (!http)
		return;
	if (http->daemon)
		MHD_stop_daemon(http->daemon);
	for (int how = 0; how < TD_NR_EXPOSITIONS; how++)
		free_page(&http->pages[how]);
	free_response(http->pointer);
	free_response(http->not_found);
	free_response(http->not_allowed);
	pthread_mutex_destroy(&http->lock);
	td_close_fd(&http->timer);
	free(http);
}
