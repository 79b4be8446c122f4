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

clang_tidy, source, build = sys.argv[1], *(pathlib.Path(path).resolve() for path in sys.argv[2:])
commands = {}
for entry in json.loads((build / "compile_commands.json").read_text()):
    path = pathlib.Path(os.path.normpath(pathlib.Path(entry["directory"], entry["file"])))
    if path.is_relative_to(source) and path.relative_to(source).parts[0] in FOLDERS:
        commands.setdefault(str(path), entry)


def findings(path):
    run = subprocess.run([clang_tidy, "-p", database, "--quiet", path], capture_output=True, text=True, check=False)
    shown = re.sub(rf"(?m)^\S*?(?=({'|'.join(FOLDERS)})/\S*:\d+:\d+: )", "", run.stdout)
    return shown + (run.stderr if run.returncode and not run.stdout else "")


with tempfile.TemporaryDirectory() as database:
    pathlib.Path(database, "compile_commands.json").write_text(json.dumps(list(commands.values())))
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = "".join(pool.map(findings, commands))
print(found or f"nothing to say of {len(commands)} sources")
sys.exit(bool(found or not commands))
