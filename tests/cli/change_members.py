#!/usr/bin/env python3
"""change_members.py MERCURY RUN - every number of a run's summary.json and run.json is taken away, or becomes null, -1, 0,
1e308, a text; and every command that reads the run refuses it with one line that names the member (of a 0: what
contradicts it), or writes no nan and no inf.

Prints a line for each problem, and the number of files that were tried as the last one. One item of every array is
changed. MERCURY_TESTS_FEW: every fifth of them.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

MERCURY, RUN = os.path.realpath(sys.argv[1]), pathlib.Path(sys.argv[2])
CHANGED = pathlib.Path("changed")
TAKEN = object()
VALUES = [TAKEN, None, -1, 0, 1e308, "a text"]
READERS = [["report", "changed"], ["predict", "--operations", "changed"], ["validate", "changed"], ["predict", "changed"],
           ["estimate", "mercury-2010", "--from", "changed"], ["plot", "changed", "--what", "queues", "-o", "-"]]
NONE = re.compile(rb"(?<![\w-])-?(nan|inf|infinity)(?![\w-])", re.IGNORECASE)


def numbers(value, path=()):
    """The paths of all numbers, with the first item of every array."""
    if isinstance(value, dict):
        return [found for key, item in value.items() for found in numbers(item, path + (key,))]
    if isinstance(value, list):
        return numbers(value[0], path + (0,)) if value else []
    if "per_pass" in path and len(path) > 3: # as those of the run
        return []
    return [path] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def change(document, path, value):
    """A document with another value at a path; what is beside the path is the same objects."""
    key, *rest = path
    copy = document.copy()
    if rest:
        copy[key] = change(document[key], rest, value)
    elif value is TAKEN:
        del copy[key]
    else:
        copy[key] = value
    return copy


def shown(path):
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)[1:]


def ask(arguments):
    return subprocess.run([MERCURY, *arguments], capture_output=True, timeout=60, check=False)


def problem_of(name, path, value, arguments):
    """What is wrong with a command's answer; and whether it has refused the file."""
    answer = ask(arguments)
    refused = answer.returncode == 2
    said = answer.stderr.decode(errors="replace")
    if refused and (said.count("\n") != 1 or (value != 0 and f"changed/{name}: " not in said)):
        return f"said {said!r}", True
    if not refused and answer.returncode not in (0, 1):
        return f"status {answer.returncode}", True
    page = CHANGED / "report.html"
    text = answer.stdout + (page.read_bytes() if arguments[0] == "report" and page.exists() else b"")
    found = None if refused else NONE.search(text)
    where = text[max(found.start() - 60, 0):found.end() + 20] if found else b""
    return (f"has {where!r}" if found else None), refused


def main():
    shutil.rmtree(CHANGED, ignore_errors=True)
    shutil.copytree(RUN, CHANGED)
    tried = refusals = 0
    asked = set()
    for name in "summary.json", "run.json":
        document = json.loads((RUN / name).read_text())
        for path in numbers(document):
            for value in VALUES:
                if value is TAKEN and isinstance(path[-1], int):
                    continue
                tried += 1
                if os.environ.get("MERCURY_TESTS_FEW") and tried % 5:
                    continue
                text = json.dumps(change(document, path, value))
                if (name, text) in asked: # it was 0, as others were, and is no other document
                    continue
                asked.add((name, text))
                (CHANGED / name).write_text(text)
                how = "taken" if value is TAKEN else json.dumps(value)
                problem, refused = problem_of(name, path, value, ["diff", str(RUN), "changed"])
                refusals += refused
                for arguments in [] if refused else READERS[:2] if value == 0 else READERS: # one reads for all
                    problem = problem or problem_of(name, path, value, arguments)[0]
                if problem or (value in (1e308, "a text") and not refused):
                    print(f"{name}: {shown(path)}: {how}: {problem or 'is accepted'}")
        (CHANGED / name).write_text((RUN / name).read_text())
    print(f"{tried} tried, {refusals} refused")


main()
