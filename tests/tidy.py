#!/usr/bin/env python3
"""tidy.py CLANG_TIDY SOURCE_DIRECTORY BUILD_DIRECTORY - clang-tidy over every production source, as .clang-tidy says.

Sources that tests compile in other ways, too, are looked at once, as the program has them. A source of which there was
nothing to say is looked at again when it, a header of the project that it includes, its command, .clang-tidy or the
clang-tidy program has changed: BUILD_DIRECTORY/tidy.json remembers a hash of these.
"""
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDERS = ("base", "blast", "traces", "model", "sim", "validate", "app")
AT_ONCE = 8  # sources a process: to start one takes a fifth of what a source takes

clang_tidy, source, build = sys.argv[1], *(pathlib.Path(path).resolve() for path in sys.argv[2:])
commands = {}
for entry in json.loads((build / "compile_commands.json").read_text()):
    path = pathlib.Path(os.path.normpath(pathlib.Path(entry["directory"], entry["file"])))
    if path.is_relative_to(source) and path.relative_to(source).parts[0] in FOLDERS:
        # headers of libraries are the system's, wherever they are
        commands.setdefault(str(path), entry | {"command": entry["command"].replace(" -I/", " -isystem/")})


@functools.cache
def included(path):
    """The headers of the project that a file includes itself."""
    names = re.findall(r'(?m)^#include "(.*)"', path.read_text())
    return [header for header in (source / name for name in names) if header.exists()]


def hash_of(path):
    files, left = set(), [pathlib.Path(path)]
    while left:
        if (file := left.pop()) not in files:
            files.add(file)
            left += included(file)
    program = os.stat(clang_tidy)
    known = hashlib.sha256(f"{commands[path]} {program.st_size} {program.st_mtime_ns}".encode())
    for file in [source / ".clang-tidy", *sorted(files)]:
        known.update(file.read_bytes())
    return known.hexdigest()


memory = build / "tidy.json"
clean = json.loads(memory.read_text()) if memory.exists() else {}
hashes = {path: hash_of(path) for path in commands}
paths = [path for path in commands if clean.get(path) != hashes[path]]


def findings(paths):
    run = subprocess.run([clang_tidy, "-p", database, "--quiet", *paths], capture_output=True, text=True, check=False)
    shown = re.sub(rf"(?m)^\S*?(?=({'|'.join(FOLDERS)})/\S*:\d+:\d+: )", "", run.stdout)
    return shown + (run.stderr if run.returncode and not run.stdout else "")


with tempfile.TemporaryDirectory() as database:
    pathlib.Path(database, "compile_commands.json").write_text(json.dumps(list(commands.values())))
    groups = [paths[i:i + AT_ONCE] for i in range(0, len(paths), AT_ONCE)]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = list(pool.map(findings, groups))
for group, said in zip(groups, found):
    clean.update((path, "" if said else hashes[path]) for path in group)
memory.write_text(json.dumps(clean))
print("".join(found) or f"nothing to say of {len(commands)} sources, {len(paths)} of them looked at now")
sys.exit(bool(any(found) or not commands))
