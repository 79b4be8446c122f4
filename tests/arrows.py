#!/usr/bin/env python3
"""arrows.py SOURCE_DIRECTORY - includes point down, rooms are small, no line has more than 120 columns, comments are
sentences, READMEs of folders name their modules, and all that uses AVX-512 is tested on processors without it.

Fails, with file and line, on an include of a room that is not below the file's own, on blast, traces and model knowing each
other, on SimGrid's headers outside sim/simgrid, on a circle between modules (a module is its header and its source), and
on a room with fewer than 3 or more than 40 files. clang-format breaks code, but not comments: a long one fails, too, as
does one that begins like a telegram. Lines and comments of tests are looked at, too. A README names every module of its
folder and below, unless the README of a folder in between does or the item of a room stands for it, and none else.
"""
import os
import pathlib
import re
import sys

# Every line sees the lines above it; the rooms of one line do not see each other.
ORDER = """base
base/file
base/process
base/draw
blast/sequence traces/statistics traces/drawing model
traces
traces/directive
blast/stages12 model/bounds model/queue model/closed model/forecast model/estimate
blast/stage3 model/predict
model/sums
blast/write
blast/compare
sim/board
sim/tokens
sim/drawing
sim/measure
sim/host
sim/simgrid
sim/platform
sim/pass
sim/run
validate
app/commands.h
app/report
app/rank
app/why
app/run
app/sweep/point
app/chain app/share app/replay app/estimate app/sweep/draw
app/validate app/reproduce app/sweep
app/advise
app/explore app/shell
app/commands.c app/main.c"""
STRANGERS = ("blast", "traces", "model")

ROOM_FILES = range(3, 41)  # numbers of .c and .h files that a room may have

# A comment is a sentence that says what it is about, in words of someone whose first language is not English.
TELEGRAM = re.compile(r"/\*\*? (Of|The same|So many|They are)\b|\bhinges? on\b")

RANK = {room: rank for rank, line in enumerate(ORDER.splitlines()) for room in line.split()}
problems = []
edges = {}  # module: {included module: "file:line"}


def room_of(path):
    return max((room for room in RANK if path == room or path.startswith(room + "/")), key=len, default=None)


def check(path, where, included):
    here, there = room_of(path), room_of(included)
    if not here or not there:
        problems.append(f"{where}: {included if here else path} lies in no room of the order")
    elif here != there and RANK[there] >= RANK[here]:
        problems.append(f'{where}: "{included}" points up, from {here} to {there}')
    elif included.split("/")[0] in STRANGERS and path.split("/")[0] in set(STRANGERS) - {included.split("/")[0]}:
        problems.append(f'{where}: "{included}": blast, traces and model know nothing of each other')
    module, other = os.path.splitext(path)[0], os.path.splitext(included)[0]
    if module != other:
        edges.setdefault(module, {})[other] = where


def find_circle(module, trail, finished):
    """Depth first; what is finished leads into no circle."""
    if module in trail:
        circle = trail[trail.index(module):] + [module]
        problems.extend(f"{edges[a][b]}: {a} -> {b} is part of a circle" for a, b in zip(circle, circle[1:]))
    elif module not in finished:
        for other in edges.get(module, {}):
            find_circle(other, trail + [module], finished)
        finished.add(module)


def check_readme(readme):
    """Names stand in backticks; those at the head of an item are modules or rooms of the folder."""
    text, folder = readme.read_text(), readme.parent
    named = set(re.findall(r"`([^` ]+?)(?:\.[chp]+y?|/)?`", text))
    inner = [other.parent for other in folder.rglob("README.md") if other != readme]
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_dir()}
    for path in folder.rglob("*"):
        if path.suffix not in (".c", ".h", ".py"):
            continue
        there.add(path.stem)
        rooms = {str(room.relative_to(folder)) for room in path.parents if room.is_relative_to(folder)}
        if path.suffix == ".h" and path.stem not in named and not rooms & named and not set(path.parents) & set(inner):
            problems.append(f"{readme}: does not name {path}")
    for line, item in enumerate(text.splitlines(), 1):
        head = re.match(r"- ((?:`[^`]+`(?:, | and )?)+)", item)
        for name in re.findall(r"`([^` ]+?)(?:\.[chp]+y?|/)?`", head[1] if head else ""):
            if name not in there:
                problems.append(f"{readme}:{line}: {folder} has no {name}")


os.chdir(sys.argv[1])
emulated = pathlib.Path("tests/meson.build").read_text()
includes = 0
files = {}  # room: number of its .c and .h files
for folder in sorted({line.split("/")[0] for line in ORDER.split()} | {"tests"}):
    for file in sorted(pathlib.Path(folder).rglob("*.[ch]")):
        files[file.parent] = files.get(file.parent, 0) + 1
        for number, line in enumerate(file.read_text().splitlines(), 1):
            where = f"{file}:{number}"
            if len(line) > 120:
                problems.append(f"{where}: more than 120 columns")
            if TELEGRAM.search(line):
                problems.append(f"{where}: the comment is no sentence of its own: '{line.strip()[:40]}'")
            if folder == "tests":
                continue
            if line.startswith("CPU_TARGET_AVX512") and f"'../{file}'" not in emulated:
                problems.append(f"{where}: tests/meson.build does not compile this for the emulated AVX-512")
            include = re.match(r'\s*#\s*include\s*([<"])([^>"]+)', line)
            if include and include[1] == '"' and not include[2].endswith(".inc"):  # a text that the build writes
                includes += 1
                check(str(file), where, include[2])
            elif include and re.match("simgrid/|xbt/", include[2]) and room_of(str(file)) != "sim/simgrid":
                problems.append(f"{where}: <{include[2]}>: only sim/simgrid sees SimGrid")
for room, count in files.items():
    if count not in ROOM_FILES and room.parts[0] != "tests":
        problems.append(f"{room}: {count} files: expected {ROOM_FILES[0]} to {ROOM_FILES[-1]}")
for folder in {path.split("/")[0] for path in RANK}:
    for readme in sorted(pathlib.Path(folder).rglob("README.md")):
        check_readme(readme)
finished = set()
for module in sorted(edges):
    find_circle(module, [], finished)
print("\n".join(problems) or f"{includes} includes point down")
sys.exit(bool(problems or not includes))
