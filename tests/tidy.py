#!/usr/bin/env python3
"""tidy.py CLANG_TIDY SOURCE_DIRECTORY BUILD_DIRECTORY - clang-tidy over every production source, as .clang-tidy says.

Sources that tests compile in other ways, too, are looked at once, as the program has them.
"""
import concurrent.futures
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
paths = list(commands)


def findings(paths):
    run = subprocess.run([clang_tidy, "-p", database, "--quiet", *paths], capture_output=True, text=True, check=False)
    shown = re.sub(rf"(?m)^\S*?(?=({'|'.join(FOLDERS)})/\S*:\d+:\d+: )", "", run.stdout)
    return shown + (run.stderr if run.returncode and not run.stdout else "")


with tempfile.TemporaryDirectory() as database:
    pathlib.Path(database, "compile_commands.json").write_text(json.dumps(list(commands.values())))
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = "".join(pool.map(findings, (paths[i:i + AT_ONCE] for i in range(0, len(paths), AT_ONCE))))
print(found or f"nothing to say of {len(commands)} sources")
sys.exit(bool(found or not commands))
