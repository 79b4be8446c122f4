#!/usr/bin/env python3
"""explore_browser.py LINK DIRECTORY SUMMARY - uses the page of mercury explore as a person would, in headless Chromium.

Speaks WebDriver's HTTP with chromedriver, with the standard library only. Prints a line "ok ..." or "not ok ..." for
each check; leaves what the page downloads, and with --pictures screenshots, in DIRECTORY, and the
points of a curve in curve.json. SUMMARY is summary.json of mercury run --set stage2.threshold=16 --set bloom.hashes=5 with the run's inputs. Ends with 77 if no browser starts.
"""
import base64
import http.server
import json
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

ARROW_RIGHT, ENTER = "\ue014", "\ue007"
WAIT_S, AGAIN_S = 120, 10


class Browser:
    def __init__(self, directory):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                       text=True, env={**os.environ, "HOME": directory})
        started = (line for line in self.driver.stdout if "successfully on port" in line)
        self.port = next(started, "0").split()[-1].rstrip(".")
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--window-size=1280,900", "--force-device-scale-factor=1"]
        self.session = ""
        self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:loggingPrefs": {"browser": "ALL"}, "goog:chromeOptions": {"args": arguments}}}})["sessionId"]

    def call(self, method, path, body=None):
        url = f"http://127.0.0.1:{self.port}" + (f"/session/{self.session}" if self.session else "") + path
        request = urllib.request.Request(url, method=method, data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=WAIT_S) as response:
            return json.load(response)["value"]

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def find(self, selector):
        return list(self.call("POST", "/element", {"using": "css selector", "value": selector}).values())[0]

    def click(self, selector):
        """Clicks, and again for a while if the element went, or moved, because its part of the page was drawn anew."""
        end = time.monotonic() + AGAIN_S
        while True:
            try:
                self.call("POST", f"/element/{self.find(selector)}/click", {})
                return
            except urllib.error.HTTPError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def type(self, selector, keys):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": keys})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def wait(self, script, *arguments):
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            value = self.run(script, *arguments)
            if value:
                return value
            time.sleep(0.05)
        return None

    def enter(self, selector, text):
        self.run("const field = document.querySelector(arguments[0]); field.value = ''; field.focus()", selector)
        self.type(selector, text + ENTER)

    def wait_state(self, state):
        return self.wait("return document.body?.dataset.state === arguments[0]", state)

    def wait_exact(self):
        return self.wait("return document.body?.dataset.state === 'exact'")

    def close(self):
        try:
            self.call("DELETE", "")
        except OSError:
            pass
        self.driver.terminate()
        self.driver.wait()


problems = 0


def check(description, holds):
    global problems
    problems += not holds
    print("ok" if holds else "not ok", description, flush=True)


def use_the_page(browser, link, directory):
    browser.call("POST", "/url", {"url": link})
    check("the page loads and shows a time", browser.wait_exact() and browser.text("#time").strip(" …"))
    check("its address has no token", "token" not in browser.call("GET", "/url"))
    check("it has four pictures", browser.run("return document.querySelectorAll('#results svg').length") == 4)
    before = browser.text("#time")
    browser.type("#p-pcix-bandwidth", ARROW_RIGHT * 8)
    browser.wait_exact()
    value = browser.run("return document.querySelector('#p-pcix-bandwidth-value').value")
    check("eight steps of the keyboard double the bus", value == "2128000000")
    check("and the time changes", browser.text("#time") != before)
    check("the command line has it", browser.text("#command").startswith("mercury retime out/run.tokens ") and
          "--set pcix.bandwidth=2128000000" in browser.text("#command"))
    browser.click("#keep")
    browser.enter("#p-fifo-wmer-value", "32")
    browser.wait_exact()
    check("a kept machine is beside the new one", "kept" in browser.text("#comparison") and
          browser.run("return document.querySelectorAll('#results svg').length") == 8)
    check("with what differs", "fifo.wmer" in browser.text("#comparison"))
    browser.enter("#p-fifo-wmer-value", "4")
    browser.wait("return document.body?.dataset.state === 'refused'")
    line = browser.text("#p-fifo-wmer-fault")
    check("a bad value gets the program's line beside it", "expected a whole number from 16" in line)
    browser.enter("#p-fifo-wmer-value", "64")
    browser.wait_exact()
    check("a good one takes the line away", browser.text("#p-fifo-wmer-fault") == "")
    browser.devtools("Browser.setDownloadBehavior", behavior="allow", downloadPath=directory)
    browser.click("#save")
    path = os.path.join(directory, "machine.xml")
    end = time.monotonic() + WAIT_S
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.05)
    check("the platform file is saved", os.path.exists(path))


IN_WINDOW = """
    const box = document.querySelector(arguments[0]).getBoundingClientRect();
    return box.height > 0 && box.top >= 0 && box.top < innerHeight - 20 && box.bottom <= innerHeight + 1;"""


def note_questions(browser):
    browser.run("window.asked = []; const before = window.fetch; window.fetch = (address, options) => {"
                "    asked.push(options?.body ?? ''); return before(address, options); }")


def check_questions(browser, button):
    asked = browser.run("return window.asked")
    check(f"{button} are asked of all passes, as mercury retime times them",
          len(asked) > 10 and not any("sample" in question for question in asked))


def ask_below_the_buttons(browser, picture):
    for place, scroll in ("top", "0"), ("middle", "document.body.scrollHeight / 2"), ("end", "document.body.scrollHeight"):
        for button, selector in ("limits", "#advice-body table"), ("fifos", "#use-fifos"):
            browser.run(f"document.querySelector('#close-advice').click(); scrollTo(0, {scroll})")
            browser.click(f"#{button}")
            check(f"{place} of the page: a bar is shown once {button} are asked for",
                  browser.run("return !document.querySelector('#advice').hidden"
                              " && (!document.querySelector('#advice-progress').hidden"
                              f" || document.querySelector('{selector}') !== null)"))
            check(f"{place} of the page: {button} are answered in the window",
                  browser.wait("return document.querySelector(arguments[0]) !== null", selector) and
                  browser.run(IN_WINDOW, "#advice"))
    note_questions(browser)
    check("with a row for nothing and for each part that can be free", browser.run(
        "document.querySelector('#limits').click()") is None and browser.wait(
            "return document.querySelectorAll('#advice-body tbody tr').length === 13"))
    check_questions(browser, "limits")
    check("what saves most stands first", browser.run(
        "const cells = [...document.querySelectorAll('#advice-body tbody tr')].map((row) => row.lastChild.textContent);"
        "const saved = (cell) => cell === 'the same' ? 0 : parseFloat(cell.replace('\u2212', '-'));"
        "return cells.slice(1).every((cell, i, all) => i === 0 || saved(all[i - 1]) <= saved(cell))"))
    picture("limits")
    browser.run("document.querySelector('#close-advice').click(); scrollTo(0, 0)")


def vary_a_slider(browser, picture):
    """Leaves the points of the curve in curve.json, which the caller compares with mercury retime and sweep."""
    vary = "document.querySelector('#p-pcix-bandwidth').closest('.number').querySelector('.vary').click()"
    browser.run(vary)
    check("a curve is drawn from its first points on", browser.wait("return document.querySelector('.curve circle') !== null"))
    browser.run("document.querySelector('#p-fifo-sram').closest('.number').querySelector('.vary').click()")
    check("it is given up for another one", browser.wait("return document.querySelector('.curve')?.textContent.includes('fifo.sram')"))
    browser.run(vary)
    check("all points come", browser.wait("return document.querySelector('#advice-title').textContent.includes('Peak') && "
                                          "document.querySelector('#advice-took').textContent.startsWith('2')"))
    check("the curve is in the window", browser.run(IN_WINDOW, "#advice"))
    tips = browser.run("return [...document.querySelectorAll('.curve .target')].map((node) => node.textContent)")
    check(f"it has some 24 points: {len(tips)}", 22 <= len(tips) <= 24)
    check("one of them is the knee", sum("The knee" in tip for tip in tips) == 1 and
          browser.run("return document.querySelectorAll('.curve .knee').length") == 2)
    check("what limits is told along the axis", browser.run("return document.querySelectorAll('.curve .limit').length") >= 2)
    with open("curve.json", "w", encoding="utf-8") as file:
        json.dump(tips, file)
    picture("curve")
    value = browser.run("const [node] = document.querySelectorAll('.curve .target'); node.dispatchEvent(new MouseEvent('click'));"
                        "return node.dataset.value")
    browser.wait_exact()
    check("a click on a point takes its value", browser.run("return document.querySelector('#p-pcix-bandwidth-value').value") == value)
    check("and the curve stays", browser.run("return document.querySelectorAll('.curve .target').length") == len(tips))
    browser.enter("#p-fifo-wmer-value", "200")
    browser.wait_exact()
    check("another slider makes it another machine's, so it goes", browser.run("return document.querySelector('#advice').hidden"))
    browser.click("#reset")
    browser.wait_exact()


def value_of(browser, name):
    return browser.run(f"return document.querySelector('#p-{name}-value').value")


def keep_in_the_address(browser):
    browser.click("#keep")
    browser.enter("#p-fifo-wmer-value", "48")
    browser.wait_exact()
    browser.click("#keep")
    browser.enter("#p-boards-value", "2")
    browser.wait_exact()
    browser.call("POST", "/refresh", {})
    both = "return document.body?.dataset.state === 'exact' && document.querySelectorAll('#kept .machine').length === 2 && " \
           "document.body.dataset.beside === 'drawn' && document.querySelectorAll('#results svg').length === 8"
    check("after a reload the sliders and both kept machines are there", browser.wait(both) and
          (value_of(browser, "fifo-wmer"), value_of(browser, "boards")) == ("48", "2"))
    browser.call("POST", "/back", {})
    check("Back takes one change away", browser.wait(
        "return document.body.dataset.state === 'exact' && document.querySelector('#p-boards-value').value === '1'") and
        value_of(browser, "fifo-wmer") == "48")
    browser.call("POST", "/forward", {})
    check("Forward makes it again", browser.wait(
        "return document.body.dataset.state === 'exact' && document.querySelector('#p-boards-value').value === '2'"))
    address = browser.call("GET", "/url")
    check("the address has no secret", browser.run("return sessionStorage.getItem('secret')") not in address)
    first = browser.call("GET", "/window")
    browser.call("POST", "/window", {"handle": browser.call("POST", "/window/new", {"type": "tab"})["handle"]})
    browser.call("POST", "/url", {"url": address})
    check("a second tab at this address has the same machine", browser.wait(both) and
          (value_of(browser, "fifo-wmer"), value_of(browser, "boards")) == ("48", "2"))
    browser.call("DELETE", "/window")
    browser.call("POST", "/window", {"handle": first})
    for left in (1, 0):
        browser.click("#kept .machine button:last-child")
        browser.wait("return document.querySelectorAll('#kept .machine').length === arguments[0]", left)
        browser.wait_exact()
    check("kept machines can be dropped", "keep=" not in browser.call("GET", "/url"))
    browser.click("#reset")
    browser.wait_exact()


LAST_TICKS = """
    return [...document.querySelectorAll('figure[data-part=' + arguments[0] + '] svg')].map((svg) => {
        const ticks = [...svg.querySelectorAll('text.f2[text-anchor=middle]')].filter((t) => /^[0-9]/.test(t.textContent));
        return ticks.map((tick) => tick.getAttribute('x') + ':' + tick.textContent).join(' ');
    });"""


MEANS = """
    const told = [...document.querySelectorAll('#pipeline svg text')].map((node) => node.textContent);
    return [...document.querySelectorAll('#comparison tr')]
        .map((row) => [...row.children].map((cell) => cell.textContent)).filter(([name]) => name.includes(', mean ['))
        .map(([name, mean]) => [mean, told[told.indexOf('mean', told.indexOf(name.split(',')[0])) + 1]]);"""


def share_axes(browser, picture):
    browser.click("#keep")
    for bus in "133000000", "4256000000":  # slower than the kept machine, and quicker
        browser.enter("#p-pcix-bandwidth-value", bus)
        browser.wait_exact()
        browser.wait("return document.body.dataset.beside === 'drawn'")
        means = browser.run(MEANS)
        check(f"bus of {bus}: means have the digits that they have in the picture", len(means) == 7 and
              all(float(mean) == float(told) for mean, told in means))
        for part in "time", "queues":
            ticks = browser.run(LAST_TICKS, part)
            check(f"bus of {bus}: both machines have the same ticks in {part}", len(ticks) == 2 and ticks[0] and
                  ticks[0] == ticks[1])
        ends = browser.run("return [...document.querySelectorAll('figure[data-part=time] svg')].map((svg) => Math.max("
                           "...[...svg.querySelectorAll('rect')].filter((r) => r.y.baseVal.value > 30)"
                           ".map((r) => r.x.baseVal.value + r.width.baseVal.value)))")
        check(f"bus of {bus}: the quicker machine ends earlier", (ends[0] > ends[1] + 5) == (bus == "133000000") and
              abs(ends[0] - ends[1]) > 5)
    picture("beside")
    browser.click("#kept .machine button:last-child")
    browser.click("#reset")
    browser.wait_exact()


def click_the_picture(browser, picture):
    def place(name):
        browser.run("document.querySelector('[data-place=\"' + arguments[0] + '\"]').dispatchEvent(new MouseEvent('click'))", name)
        return browser.run("return document.activeElement.id")
    check("eight boxes and seven tanks can be clicked", browser.run("return document.querySelectorAll('[data-place]').length") == 15)
    check("a tank leads to its slider", place("wmer_fifo") == "p-fifo-wmer")
    check("with its histogram", browser.run("return document.querySelector('#advice-body svg.histogram text.bold') !== null") and
          browser.run(IN_WINDOW, "#advice"))
    check("and what it is", "holds seeds before stage 1b" in browser.text("#advice-body"))
    check("and of how many bits and block RAMs", "130 places of 54 bits, in 2 block RAMs of 18 Kb." in browser.text("#advice-body"))
    picture("tank")
    check("a box leads to its slider", place("2") == "p-stage2-fetch_cycles")
    check("by the keyboard, too", browser.run("const box = document.querySelector('[data-place=host]');"
          "box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true})); return document.activeElement.id")
          == "p-host-supply")
    browser.run("document.querySelector('#close-advice').click()")
    browser.run("const field = document.querySelector('#search'); field.value = 'egress'; field.dispatchEvent(new Event('input'))")
    names = "return [...document.querySelectorAll('.number')].filter((row) => row.offsetParent).map((row) => " \
            "row.querySelector('input, select').id).join()"
    check("the sliders can be searched", browser.run(names) == "p-fifo-egress")
    browser.run("const field = document.querySelector('#search'); field.value = ''; field.dispatchEvent(new Event('input'))")
    note_questions(browser)
    browser.click("#effects")
    check("they can be sorted by what they change", browser.wait("return document.querySelector('.number .effect')?.textContent"))
    effects = browser.run("return [...document.querySelectorAll('.effect')].map((node) => node.textContent).filter(Boolean)")
    sizes = [abs(float(text.split()[1].replace("\u2212", "-").rstrip("%"))) if "%" in text else 0 for text in effects]
    check_questions(browser, "effects")
    check("what changes the time most stands first", len(sizes) > 30 and sizes[0] > 0 and sizes[0] > sizes[10] >= sizes[-1])
    check("the host is tried twice, not nine times", any(text.endswith("at 2") for text in effects))
    picture("effects")
    browser.click("#effects")
    check("and by groups again", browser.run("return document.querySelectorAll('#machine details').length") > 5)
    browser.run("document.querySelector('#close-advice').click()")


def use_a_phone(browser):
    browser.devtools("Emulation.setDeviceMetricsOverride", width=375, height=812, deviceScaleFactor=1, mobile=True)
    order = browser.run("return ['#pipeline', '#machine', '#parts'].map((id) => document.querySelector(id)"
                        ".getBoundingClientRect().top)")
    check("on a phone the picture comes first, then the sliders", order == sorted(order))
    check("above its words", browser.run("const top = (tag) => document.querySelector('#pipeline ' + tag)"
                                         ".getBoundingClientRect().top; return top('h2') < top('figure') && top('figure') < top('p')"))
    check("and no answer is wider than it", browser.run("return document.documentElement.scrollWidth <= innerWidth"))
    check("there the bottleneck lies on the screen", browser.run(
        "const box = [...document.querySelectorAll('svg text')].find((text) => text.textContent.startsWith('bottleneck'))"
        ".getBoundingClientRect(); return box.width > 20 && box.left >= 0 && box.right <= 375"))
    check("as do all stages and queues of the pipeline", browser.run(
        "return [...document.querySelectorAll('#pipeline svg text')].every((text) => {"
        "    const box = text.getBoundingClientRect(); return box.left >= 0 && box.right <= 375; })"))
    browser.devtools("Emulation.clearDeviceMetricsOverride")


def shown_ms(browser):
    number, unit = browser.text("#time").split()
    return float(number) * {"s": 1e3, "ms": 1, "µs": 1e-3}[unit]


def make_tokens(browser, summary, picture):
    with open(summary, encoding="utf-8") as file:
        expected_ms = 1e3 * json.load(file)["simulated_time_s"]
    browser.click("#reset")
    browser.wait_exact()
    browser.enter("#p-stage2-threshold-value", "16")
    check("a change that needs new tokens is held until the person says so", browser.wait_state("needs"))
    check("with what it changes, and how long it takes as the run's own file says",
          "stage2.threshold = 16" in browser.text("#tokens-note") and "about 7.0 s" in browser.text("#tokens-note"))
    check("nothing else is asked of it", browser.run("return document.querySelector('#limits').disabled"))
    picture("needs")
    browser.click("#make-tokens")
    check("a button has them made", browser.wait_exact())
    picture("made")
    browser.enter("#p-bloom-hashes-value", "5")
    check("what will be quick begins by itself",
          browser.wait("return document.querySelector('#command').textContent.includes('bloom.hashes=5')"))
    check("the time is that of mercury run", abs(shown_ms(browser) / expected_ms - 1) < 1e-3)
    browser.enter("#p-fifo-wmer-value", "40")
    browser.wait_exact()
    check("they can be timed on other machines, and one command gives the same",
          browser.text("#command").startswith("mercury run -q q.fa -d d.fa ") and
          browser.text("#command").endswith(" --set fifo.wmer=40 --set stage2.threshold=16 --set bloom.hashes=5"))
    browser.click("#own-tokens")
    browser.wait_exact()
    check("a button leads back to the run's own tokens, with the same machine",
          browser.text("#command") == "mercury retime out/run.tokens --set fifo.wmer=40")


def give_tokens_up(browser, picture):
    browser.enter("#p-query-segment-value", "80")  # 80 + 745 * 16 bases: 746 passes on each strand
    browser.wait_state("needs")
    browser.click("#make-tokens")
    check("while tokens are made, their passes are counted",
          browser.wait("return document.querySelector('#tokens-left').textContent.includes(' of 1492 passes')"))
    check("with a bar", browser.wait("return document.querySelector('#tokens-bar').value > 0"))
    picture("making")
    browser.click("#cancel-tokens")
    check("it can be given up", browser.wait_state("needs") and
          browser.run("return document.querySelector('#tokens-progress').hidden"))
    with open("q.fa", encoding="ascii") as file:
        text = file.read()
    with open("q.fa", "w", encoding="ascii") as file:
        file.write(text[:-2] + "A\n" if text[-2] != "A" else text[:-2] + "C\n")
    browser.click("#make-tokens")
    check("an input that has changed is told in a line", browser.wait(
        "return document.querySelector('#tokens-fault').textContent.startsWith('q.fa: the query has changed')"))
    picture("refused")
    with open("q.fa", "w", encoding="ascii") as file:
        file.write(text)
    browser.click("#reset")
    check("the recorded run is still there", browser.wait_exact() and
          browser.run("return document.querySelector('#tokens').hidden"))


def estimate(browser, picture):
    browser.run("document.querySelector('a[href=estimate]').click()")
    wait = "return document.body?.dataset.state === 'estimated' && document.querySelector('#time')?.value"
    check("a link leads to the page of estimates", browser.wait(wait))
    check("with the workload of this run", "--from out " in browser.text("#command"))
    picture("estimate")
    before = browser.text("#time")
    browser.enter("#p-pcix-bandwidth-value", "500MB/s")
    check("a machine's number can be changed", browser.wait(
        "return document.querySelector('#command').textContent.includes('--set pcix.bandwidth=500MB/s')"))
    check("and the time with it", browser.text("#time") != before)
    browser.enter("#segments", "50")
    check("so can the workload",
          browser.wait("return document.querySelector('#command').textContent.includes('--segments 50')"))
    browser.enter("#nodes", "1,2")
    check("and the nodes: the table has a row of each", browser.wait(
        "return [...document.querySelectorAll('#numbers tbody tr, #numbers tr:has(td)')]"
        ".map((row) => row.cells[0].textContent.trim()).join() === '1,2'"))
    browser.enter("#p-board-number-value", "1.5")
    check("a number that cannot be gets the program's line", browser.wait(
        "return document.querySelector('#p-board-number-fault').textContent.includes('expected a whole number')"))
    picture("estimate-refused")
    browser.click("#reset")
    check("a button goes back to the texts",
          browser.wait("return !document.querySelector('#command').textContent.includes('--set')"))


def visit_another_server(browser, link):
    """Another user's server on this computer is another port of 127.0.0.1; cookies would be sent to it."""
    heard = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(dict(self.headers))
            body = b"<!DOCTYPE html><title>another</title><link rel=icon href=data:,>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    base = link.split("/#")[0]
    browser.run("document.querySelector('a[href=\"./\"]').click()")
    check("a link leads back to the run", browser.wait_exact())
    secret = browser.run("return sessionStorage.getItem('secret')")
    check("the tab has the secret", len(secret or "") == 32)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser.call("POST", "/url", {"url": f"http://127.0.0.1:{server.server_port}/"})
    check("another server of this computer is visited", len(heard) == 1)
    check("it receives no cookie and no secret", heard and not {"cookie", "authorization"} & {k.lower() for k in heard[0]} and
          secret not in str(heard))
    check("its page sees neither", browser.run("return document.cookie === '' && sessionStorage.length === 0"))
    asked = browser.call("POST", "/execute/async", {"script": """
        const [url, done] = arguments;
        const ways = [{}, { credentials: "include" }, { mode: "no-cors" },
            { method: "POST", body: "{}", headers: { "Content-Type": "application/json" } }];
        Promise.all(ways.map((way) => fetch(url, way).then((answer) => answer.type + answer.status, () => "refused")))
            .then((answers) => done(answers.join()));""", "args": [f"{base}/api/machine"]})
    check(f"its questions are refused: {asked}", asked == "refused,refused,refused,refused")
    server.shutdown()
    browser.call("POST", "/back", {})
    check("the tab that followed the link goes back to its page", browser.wait_exact())
    browser.call("POST", "/refresh", {})
    check("and may load it again", browser.wait_exact())
    first = browser.call("GET", "/window")
    browser.call("POST", "/window", {"handle": browser.call("POST", "/window/new", {"type": "tab"})["handle"]})
    browser.call("POST", "/url", {"url": link})
    check("a second tab may come in while the first one is open", browser.wait_exact())
    second = browser.call("GET", "/window")
    browser.call("POST", "/window", {"handle": first})
    browser.call("POST", "/url", {"url": "about:blank"})
    browser.call("POST", "/window", {"handle": second})
    browser.run("sessionStorage.clear()")
    browser.call("POST", "/url", {"url": "about:blank"})
    browser.call("POST", "/url", {"url": link})
    check("one that comes when no other is open is told that the link has been used",
          browser.wait("return document.querySelector('#fault')?.textContent.startsWith('This link has been used')"))
    browser.call("DELETE", "/window")
    browser.call("POST", "/window", {"handle": first})


def check_window_and_log(browser):
    check("nothing is wider than the window", browser.run("return document.documentElement.scrollWidth <= innerWidth"))
    log = browser.call("POST", "/se/log", {"type": "browser"})
    faults = [entry["message"] for entry in log if entry["level"] != "INFO"]
    check("the console has no error" + "".join(f": {fault}" for fault in faults), not faults)


def take_pictures(browser, directory, state):
    for width, height in (1280, 900), (375, 812):
        for scheme in "light", "dark":
            browser.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                             mobile=False)
            browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            wide = browser.run("return document.documentElement.scrollWidth")
            for name, full in ("top", False), ("page", True):
                browser.run("scrollTo(0, 0)")
                picture = browser.devtools("Page.captureScreenshot", captureBeyondViewport=full)["data"]
                if full:
                    size = browser.devtools("Page.getLayoutMetrics")["cssContentSize"]
                    picture = browser.devtools("Page.captureScreenshot", captureBeyondViewport=True,
                                               clip={**size, "x": 0, "y": 0, "scale": 1})["data"]
                with open(os.path.join(directory, f"{state}-{name}-{width}-{scheme}.png"), "wb") as file:
                    file.write(base64.b64decode(picture))
            check(f"{state}: at {width} pixels nothing is wider than the window", wide <= width)
    browser.devtools("Emulation.clearDeviceMetricsOverride")


link, directory, summary = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]


def picture(state):
    if "--pictures" in sys.argv:
        take_pictures(browser, directory, state)


try:
    browser = Browser(directory)
except (OSError, urllib.error.URLError) as fault:
    print(f"no browser starts: {fault}", file=sys.stderr)
    sys.exit(77)
try:
    use_the_page(browser, link, directory)
    picture("kept")
    browser.click("#kept .machine button:last-child")
    browser.click("#reset")
    browser.wait_exact()
    ask_below_the_buttons(browser, picture)
    vary_a_slider(browser, picture)
    keep_in_the_address(browser)
    share_axes(browser, picture)
    click_the_picture(browser, picture)
    use_a_phone(browser)
    make_tokens(browser, summary, picture)
    give_tokens_up(browser, picture)
    estimate(browser, picture)
    check_window_and_log(browser)
    visit_another_server(browser, link)
finally:
    browser.close()
sys.exit(bool(problems))
