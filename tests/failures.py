#!/usr/bin/env python3
"""What failed, in few lines, from the logs that `meson test` leaves: for who sees only the end of a log.

    tests/failures.py BUILD_DIRECTORY...

For each test that failed its name, and of what it said the lines that tell why: `not ok` of a script and its comments,
failed assertions of a Check suite, what a sanitizer found, or else its last lines. At most 40 lines of 160 columns.
"""
import json
import pathlib
import re
import sys

LINES_MOST, LINES_OF_A_TEST, COLUMNS = 40, 12, 160
GOOD = ("OK", "SKIP", "EXPECTEDFAIL", "IGNORED")
TELLING = re.compile(r"^not ok|^# |^[^\s:]+:\d+:[FE]:|ERROR: |runtime error: |^SUMMARY: |^Bail out")


def lines_of(test):
    """The lines of a test's log that tell why it failed."""
    said = [line for stream in ("stdout", "stderr") for line in (test.get(stream) or "").splitlines()]
    told, last = [], ""
    for line in said:
        if TELLING.search(line) and (not line.startswith("# ") or last.startswith("not ok") or last.startswith("# ")):
            told.append(line)
        last = line
    return told or [line for line in said if line.strip()][-4:]


def failures(directory):
    """Name, result and lines of each test that failed."""
    logs = sorted((pathlib.Path(directory) / "meson-logs").glob("testlog*.json"), key=lambda log: log.stat().st_mtime_ns)
    for line in logs[-1].read_text(encoding="utf-8", errors="replace").splitlines() if logs else []:
        test = json.loads(line)
        if test["result"] not in GOOD:
            name = test["name"].split(" / ")[-1].split(":")[-1]
            yield [f"failed: {name} in {directory} ({test['result'].lower()})"] + ["  " + told for told in lines_of(test)]


def shorten(tests):
    """As many lines of each test as are there for it, its name first."""
    share = max(1, min(LINES_OF_A_TEST, LINES_MOST // max(1, len(tests))))
    shown = [line for test in tests for line in test[:share]]
    if len(shown) > LINES_MOST:
        shown[LINES_MOST - 1:] = [f"and {len(tests) - LINES_MOST + 1} more"]
    return [line[:COLUMNS] for line in shown]


def main():
    tests = [test for directory in sys.argv[1:] for test in failures(directory)]
    for line in shorten(tests):
        print("".join(c if c.isprintable() else "?" for c in line.expandtabs()))


if __name__ == "__main__":
    main()
