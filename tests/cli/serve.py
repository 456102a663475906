# SPDX-License-Identifier: GPL-2.0-only
"""Runs a test of serve.bats, as inline.py says: a tdstat that serves, HTTP, and waiting."""
import collections
import ctypes
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from inline import HANGS, TDSTAT, main, run, same, skip, tdstat  # noqa: E402,F401 the tests use them

REQUEST = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n"


def wait_until(condition, pause=0.02):
    """Returns the first true value of the condition."""
    begin = time.monotonic()
    while not (value := condition()):
        assert time.monotonic() - begin < HANGS, "waited too long"
        time.sleep(pause)
    return value


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# --- HTTP -------------------------------------------------------------------------

Answer = collections.namedtuple("Answer", "status headers body")


def open_socket(where):
    """Connects to "unix:PATH" or "ADDR:PORT"; the kernel gives up on a full queue long before we do."""
    while True:
        try:
            if where.startswith("unix:"):
                sock = socket.socket(socket.AF_UNIX)
                sock.settimeout(HANGS)
                sock.connect(where[5:])
                return sock
            host, port = where.rsplit(":", 1)
            return socket.create_connection((host, int(port)), timeout=HANGS)
        except TimeoutError:
            pass


def receive(sock):
    """Returns all up to the end of the connection."""
    answer = b""
    try:
        while part := sock.recv(65536):
            answer += part
    except ConnectionResetError:
        pass
    return answer


def joined(chunks):
    """The body of an answer with "Transfer-Encoding: chunked"."""
    body = b""
    while chunks:
        size, _, chunks = chunks.partition(b"\r\n")
        body += chunks[:int(size, 16)]
        chunks = chunks[int(size, 16) + 2:]
    return body


def parse(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    same(first[:9], "HTTP/1.1 ")
    assert "content-length" not in headers or len(body) in (0, int(headers["content-length"])), answer
    if headers.get("transfer-encoding") == "chunked":
        body = joined(body)
    return Answer(int(first[9:12]), headers, body.decode())


def exchange(where, request):
    """Sends it, and returns all up to the end of the connection.  A client that the server
    had to wait for, as this machine is busy, may be cut off: then it asks again."""
    while True:
        begin = time.monotonic()
        with open_socket(where) as sock:
            try:
                sock.sendall(request)
            except OSError:
                pass
            answer = receive(sock)
        if answer or time.monotonic() - begin < 2:
            return answer


def http(where, path="/metrics", method="GET", accept="*/*"):
    """Asks once."""
    request = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nConnection: close\r\n\r\n"
    return parse(exchange(where, request.encode()))


def series(text):
    """{name and labels as they stand: value}"""
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("tdstat_"))
    return {name: float(value) for name, value in lines}


def unordered(text):
    """{name and labels in order: value}"""
    return {tuple(sorted(re.split("[{},]", name))): value for name, value in series(text).items()}


# --- tdstat serve -----------------------------------------------------------------

def free_address():
    """An address that only this process uses, as all of 127.0.0.0/8 is this machine's; a
    port on it."""
    pid = os.getpid()
    host = f"127.{1 + (pid >> 16)}.{pid >> 8 & 255}.{pid & 255}"
    with socket.socket() as sock:
        sock.bind((host, 0))
        return "%s:%d" % sock.getsockname()


class Server:
    """tdstat serve at an address or socket of its own, from when it is ready on; what it
    tells systemd is in "states", its standard error in the file "err"."""

    def __init__(self, *options, where=None, before=()):
        self.where = where or free_address()
        self.states, self.news = [], threading.Condition()
        if os.path.exists("notify.sock"):
            os.unlink("notify.sock")
        self.notified = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notified.bind("notify.sock")
        with open("err", "w", encoding="utf-8") as err:
            self.process = subprocess.Popen(
                [*before, TDSTAT, "serve", "-l", "1", "-I", "200", "--listen", self.where, *options],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
                env=os.environ | {"NOTIFY_SOCKET": "notify.sock"})
        self.pid = self.process.pid
        self.listening = threading.Thread(target=self.listen, daemon=True)
        self.listening.start()
        self.wait_state("READY=1")

    def listen(self):
        while state := self.notified.recv(1000).decode():
            with self.news:
                self.states.append(state)
                self.news.notify_all()

    def hear_out(self):
        """After its end: up to the last that it told."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.sendto(b"", "notify.sock")
        self.listening.join()

    def wait_state(self, state, times=1):
        """Waits until it was told so often."""
        begin = time.monotonic()
        with self.news:
            while self.states.count(state) < times:
                assert self.process.poll() is None, "it has ended: " + read("err")
                assert time.monotonic() - begin < HANGS, f"no {state}: {self.states}"
                self.news.wait(0.1)

    def wait_intervals(self, nr):
        """Waits for so many more intervals."""
        self.wait_state("WATCHDOG=1", self.states.count("WATCHDOG=1") + nr)

    def http(self, *args, **options):
        return http(self.where, *args, **options)

    def counted(self):
        """Returns a page with a whole interval."""
        self.wait_state("WATCHDOG=1")
        page = self.http()
        assert "\ntdstat_slots_total" in page.body, page
        return page

    def await_(self, pattern):
        """Returns the first page that has a line with it."""
        found = re.compile(pattern, re.M).search

        def look():
            page = self.http().body
            return page if found(page) else None

        return wait_until(look, 0.1)

    def still_answers(self):
        same(self.http().status, 200)

    def memory(self):
        return int(re.search(r"VmRSS:\s*(\d+)", read(f"/proc/{self.pid}/status"))[1])

    def descriptors(self):
        """Those that are no connection."""
        links = map(os.readlink, (entry.path for entry in os.scandir(f"/proc/{self.pid}/fd")))
        return sum(not link.startswith("socket:") for link in links)

    def stop(self):
        self.process.terminate()
        same(self.process.wait(HANGS), 0)
        self.hear_out()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.kill()
        self.process.wait()
        if kind:
            print("standard error:", read("err"))


# --- clients that mean no good ------------------------------------------------------

def garbage(server):
    for text in (b"\0" * 5000, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
                 REQUEST + b"A: b\r\n" * 20000 + b"\r\n", b"GET " + b"/" * 100000,
                 REQUEST + b"Content-Length: 99999999999\r\n\r\n",
                 b"GET /\xff\xfe HTTP/1.1\r\nHost: \xff\r\n\r\n", b"\n" * 100000,
                 b"POST /metrics HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\nx"):
        with open_socket(server.where) as sock:
            try:
                sock.sendall(text)
                sock.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # it has hung up
        server.still_answers()


def crowd(server, number):
    """Connections that say nothing."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < number + 100:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, number + 100), hard))
    host, port = server.where.rsplit(":", 1)
    socks = [socket.socket() for _ in range(number)]
    for sock in socks:
        sock.setblocking(False)
        sock.connect_ex((host, int(port)))
    server.still_answers()
    for sock in socks:
        sock.close()
    server.still_answers()


def slow(server, number):
    """As many as are served at a time, which send a letter now and then."""
    socks = [open_socket(server.where) for _ in range(number)]
    end = threading.Event()

    def drip():
        while not end.wait(0.5):
            for sock in socks:
                try:
                    sock.send(b"G")
                except OSError:
                    pass

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        server.still_answers()
    finally:
        end.set()
        thread.join()
        for sock in socks:
            sock.close()


def insist(where, end, answered):
    """Keeps a connection and asks on it again and again, and comes back when it is ended."""
    while not end.is_set():
        with open_socket(where) as sock:
            try:
                while not end.is_set():
                    sock.sendall(REQUEST + b"\r\n")
                    if not sock.recv(65536):
                        break
                    answered.set()
                    end.wait(1)
            except OSError:
                pass


def polite(server, number):
    """More than are served at a time, each of which asks sooner than it would be cut off."""
    end = threading.Event()
    answered = [threading.Event() for _ in range(number)]
    threads = [threading.Thread(target=insist, args=(server.where, end, one)) for one in answered]
    for thread in threads:
        thread.start()
    try:
        for one in answered:
            assert one.wait(HANGS), "one is never answered"
        for _ in range(3):
            server.still_answers()
    finally:
        end.set()
        for thread in threads:
            thread.join()


# --- cgroups ------------------------------------------------------------------------

class Cgroups:
    """Mounts them at cg, in a mount namespace of this process.  Not those of version 1: a
    mount of them would take perf_event away from version 2."""

    def __init__(self):
        libc = ctypes.CDLL(None, use_errno=True)
        if os.geteuid() != 0:
            skip("only root can mount cgroups")
        if re.search(r"^\S+ \S+ cgroup \S*perf_event", read("/proc/self/mounts"), re.M):
            skip("cgroups are of version 1 here")
        os.mkdir("cg")
        new_namespace, private = 0x00020000, 0x44000
        if libc.unshare(new_namespace) or libc.mount(b"none", b"/", None, private, None) or \
                libc.mount(b"none", b"cg", b"cgroup2", 0, None):
            skip("cgroups cannot be mounted here: " + os.strerror(ctypes.get_errno()))
        self.name = f"td{os.getpid()}"
        self.workers = {}
        try:
            # any write lets the kernel count in them
            with open("cg/cgroup.subtree_control", "w", encoding="ascii") as file:
                file.write("\n")
        except OSError:
            pass

    def make(self, name):
        os.makedirs(f"cg/{self.name}/{name}")

    def work_in(self, name):
        """Makes it, with a task that never sleeps, and ends when we do."""
        self.make(name)
        self.workers[name] = subprocess.Popen(
            [sys.executable, "-S", "-c", """if True:
                import ctypes, sys
                ctypes.CDLL(None).prctl(1, 9)
                open(sys.argv[1], "w").write("0")
                while True: pass
            """, f"cg/{self.name}/{name}/cgroup.procs"])

    @staticmethod
    def remove(path):
        try:
            os.rmdir(path)
        except OSError:
            return False
        return True

    def leave(self, name):
        """Its last task ends, and it is removed."""
        worker = self.workers.pop(name)
        worker.kill()
        worker.wait()
        wait_until(lambda: self.remove(f"cg/{self.name}/{name}"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for name in list(self.workers):
            self.leave(name)
        for path, _, _ in os.walk(f"cg/{self.name}", topdown=False):
            wait_until(lambda path=path: self.remove(path))


main(globals())
