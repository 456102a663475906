#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""browser.py FILE [--no-scripts] [--dark] [--width N] STEP...: a page in Chromium, which it drives.

Steps, in order: an expression in JavaScript, whose value is printed as a line of
JSON; "key:NAME", a key pressed; "hover:SELECTOR" and "click:SELECTOR", the mouse
in the middle of an element; "shot:FILE.png", "pdf:FILE.pdf"; "texts", what a
reader without eyes is told.  It fails if the page says an error on the console,
or asks for anything but itself.

browser.py --serve SOCKET FOLDER: stays, and does that for "browser.py --at SOCKET FILE ...",
one page after the other, in one Chromium, until the folder is gone.
"""
import base64
import fcntl
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

OPTIONS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run
--disable-background-networking --disable-component-update --disable-sync
--disable-dev-shm-usage --hide-scrollbars --remote-debugging-pipe""".split()
KEYS = {"Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37,
        "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9}


class Browser:
    """The DevTools protocol over pipes: descriptor 3 to Chromium, 4 from it."""

    def __init__(self, profile):
        theirs, self.to = os.pipe()
        self.back, back = os.pipe()
        # away from 3 and 4, which the copies are to have in the child
        high = [self.move(fd) for fd in (theirs, back)]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{high[0]} 4>&{high[1]}', "bash",
             "chromium", *OPTIONS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=high, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for fd in high:
            os.close(fd)
        self.number, self.rest, self.events, self.session = 0, b"", [], None

    @staticmethod
    def move(fd):
        new = fcntl.fcntl(fd, fcntl.F_DUPFD, 20)
        os.close(fd)
        return new

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.back, 1 << 16)
            if not more:
                sys.exit("chromium ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.read())

    def open(self, path, options):
        self.session, self.events = None, []
        self.target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", flatten=True,
                                 targetId=self.target)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=options["width"],
                  height=1200, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setScriptExecutionDisabled",
                  value=options["no_scripts"])
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme",
             "value": "dark" if options["dark"] else "light"}])
        self.url = "file://" + urllib.parse.quote(os.path.abspath(path))
        self.call("Page.navigate", url=self.url)
        self.wait("Page.loadEventFired")

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression,
                           returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            sys.exit(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def key(self, name):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=name, code=name,
                      windowsVirtualKeyCode=KEYS[name])

    def mouse(self, selector, kinds):
        x, y = self.value(
            "(() => { const e = document.querySelector(%s);"
            "e.scrollIntoView({ block: 'center' });"
            "const b = e.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
            % json.dumps(selector))
        for kind in kinds:
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y,
                      clickCount=1, button="none" if kind == "mouseMoved" else "left")

    def texts(self):
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [node["name"]["value"] for node in nodes
                if not node.get("ignored") and node.get("name", {}).get("value")]

    def step(self, step):
        """Returns what it prints, if anything."""
        kind, _, what = step.partition(":")
        if kind == "key":
            self.key(what)
        elif kind == "hover":
            self.mouse(what, ["mouseMoved"])
        elif kind == "click":
            self.mouse(what, ["mouseMoved", "mousePressed", "mouseReleased"])
        elif kind in ("shot", "pdf"):
            method = ("Page.captureScreenshot" if kind == "shot"
                      else "Page.printToPDF")
            with open(what, "wb") as file:
                file.write(base64.b64decode(self.call(method)["data"]))
        else:
            return json.dumps(self.texts() if step == "texts" else self.value(step)) + "\n"
        return ""

    def troubles(self):
        self.call("Runtime.evaluate", expression="0")
        for event in self.events:
            if event.get("sessionId") != self.session:
                continue
            method, params = event.get("method"), event.get("params", {})
            if method in ("Runtime.exceptionThrown", "Log.entryAdded"):
                yield json.dumps(params)
            elif (method == "Runtime.consoleAPICalled"
                  and params["type"] in ("error", "warning")):
                yield json.dumps(params)
            elif method == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if url.partition("#")[0] != self.url:
                    yield f"the page asks for {url}"

    def close_page(self):
        self.session = None
        self.call("Target.closeTarget", targetId=self.target)

    def run(self, path, *steps):
        """Of a page: yields what steps print; fails if something is wrong."""
        options = {"no_scripts": False, "dark": False, "width": 1000}
        steps = list(steps)
        while steps and steps[0].startswith("--"):
            name = steps.pop(0)[2:].replace("-", "_")
            options[name] = int(steps.pop(0)) if name == "width" else True
        self.open(path, options)
        for step in steps:
            yield self.step(step)
        troubles = list(self.troubles())
        self.close_page()
        if troubles:
            sys.exit("\n".join(troubles))

    def close(self):
        os.close(self.to)
        try:
            self.process.wait(float(os.environ.get("TD_HANGS", 600)))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def serve(browser, name, folder):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0" + name)
        server.listen()
        server.settimeout(1)
        while os.path.exists(folder):
            try:
                client, _ = server.accept()
            except TimeoutError:
                continue
            client.settimeout(None)
            with client, client.makefile("r") as asked, client.makefile("w") as answer:
                where, *steps = json.loads(asked.readline())
                os.chdir(where)
                try:
                    for text in browser.run(*steps):
                        answer.write(text)
                    answer.write("\0")
                except SystemExit as trouble:
                    answer.write(str(trouble))


def ask(name, *steps):
    """Waits until it is there."""
    begin = time.monotonic()
    with socket.socket(socket.AF_UNIX) as sock:
        while True:
            try:
                sock.connect("\0" + name)
                break
            except ConnectionRefusedError:
                if time.monotonic() - begin > float(os.environ.get("TD_HANGS", 600)):
                    raise
                time.sleep(0.1)
        with sock.makefile("rw") as file:
            file.write(json.dumps([os.getcwd(), *steps]) + "\n")
            file.flush()
            answer = file.read()
    if not answer.endswith("\0"):
        sys.exit(answer or "the browser ended")
    print(answer[:-1], end="")


def main():
    first, *more = sys.argv[1:]
    if first == "--at":
        ask(*more)
        return
    profile = tempfile.mkdtemp()
    browser = Browser(profile)
    try:
        if first == "--serve":
            serve(browser, *more)
        else:
            for text in browser.run(first, *more):
                print(text, end="")
    finally:
        browser.close()
        shutil.rmtree(profile, ignore_errors=True)


main()
