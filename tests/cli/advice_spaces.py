#!/usr/bin/env python3
"""advice_spaces.py MERCURY PLATFORM FIRST SPACES: `mercury advise` against every point of small random spaces.

In the directory of q.fa and d.fa. A space has random values of the tables, of the Bloom filter and of another number,
and a machine with random numbers as given. `advise` is asked with it; a sweep simulates the same space, every combination
of it with a grid of FIFO depths. By brute force over all these points (time of the run, block RAMs, SRAM chips and joules
of all boards), for some spaces within a limit:

- no point within the limits dominates what is advised by more than --loss: none is as good in all four and better by more
  than that in one;
- of the points with the advised tables, none that keeps the speed but for --loss has fewer block RAMs;
- what is advised loses at most that beside the machine as given, and is not dominated by it, unless that one is beyond a
  limit;
- it is within the limits, and nothing is refused that a point of the space keeps;
- the sweep's own point of it, where the grid has one, has the numbers that were said.

Prints a line for whatever is wrong, and last how many points of how many spaces were compared.
"""
import csv
import io
import random
import subprocess
import sys

MERCURY, PLATFORM, FIRST, SPACES = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
GOALS = ["simulated_time_s", "ramb18", "sram_chips", "energy_j"]
GRID = {"fifo.wmer": [16], "fifo.sram": [64], "fifo.stage2": [64], "fifo.egress": [64, 1024]}
MORE = {"boards": [1, 2], "table.family": ["displaced", "xxh3"], "fifo.wmer": [32, 200], "host.cores": [1, 2],
        "fpga.clock": [66e6, 133e6], "table.inline_positions": [1, 2, 4]}


def mercury(*arguments):
    return subprocess.run([MERCURY, *map(str, arguments)], capture_output=True, text=True, check=False)


def rows(text):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    table = list(csv.DictReader(io.StringIO("\n".join(lines)), delimiter="\t"))
    for row in table:
        row.update({goal: float(row[goal]) for goal in GOALS if row.get(goal, "NA") != "NA"})
    return table


def options(word, values):
    """--set or --vary, with a list after each name."""
    return [text for name, value in values.items()
            for text in (word, f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}")]


def make_space(draw):
    """What varies, the numbers that the machine as given has, and those that all machines share."""
    some = lambda values: sorted(draw.sample(values, draw.randint(1, 2)))
    axes = {"table.slots": some([512, 1024, 2048, 4096, 8192]), "bloom.bank_bits": some([1024, 4096, 8192, 65536])}
    more = draw.choice([*MORE, None])
    if more:
        axes[more] = MORE[more]
    if more == "table.inline_positions":  # 4 need wider slots
        axes["table.slot_bytes"] = [8, 16]
    given = {"table.slots": 4096, "bloom.bank_bits": 8192, "fifo.wmer": 130, "fifo.sram": draw.choice([60, 500]),
             "fifo.stage2": 10, "fifo.egress": draw.choice([2, 20, 512])}
    shared = {"query.segment": draw.choice([2000, 4000, 4000]), "pcix.bandwidth": draw.choice([50e6, 200e6, 1064e6, 64e9]),
              "sram.trip_cycles": draw.choice([20, 60, 600]), "bloom.copies": draw.choice([1, 4, 8])}
    return axes, given, shared


def dominates(a, b, better_by):
    """Whether a is as good as b in everything, and better by more than a share in something."""
    return all(a[g] <= b[g] for g in GOALS) and any(a[g] < b[g] * (1 - better_by) for g in GOALS)


def show(point):
    return ", ".join(f"{goal} {point[goal]:.8g}" for goal in GOALS)


def check_space(number):
    """@return problems, number of points"""
    draw = random.Random(number)
    axes, given, shared = make_space(draw)
    base = ["-q", "q.fa", "-d", "d.fa", "-s", "plus", "--quiet", *options("--set", shared)]
    grid = {name: sorted({*values, given[name]}) for name, values in GRID.items() if name not in axes}
    store = f"space.{number}.db"
    swept = mercury("sweep", "-p", PLATFORM, *base, *options("--vary", {**axes, **grid}), "--store", store)
    points = rows(mercury("sweep", "export", "--store", store).stdout)
    if swept.returncode or not points:
        return [f"space {number}: the sweep fails: {swept.stderr}"], 0
    loss = [0.001, 0.01, 0.1][number % 3]
    limits, bounds = [], {}
    if number % 3 == 1:  # half of the points are beyond it
        goal = draw.choice(["simulated_time_s", "energy_j"])
        bounds[goal] = sorted(p[goal] for p in points)[len(points) // 2]
        limits = ["--time" if goal == "simulated_time_s" else "--energy", repr(bounds[goal])]
    within = [p for p in points if all(p[goal] <= bound for goal, bound in bounds.items())]
    with open("given", "w", encoding="utf-8") as platform:
        platform.writelines(f"{name} = {value}\n" for name, value in given.items())
    asked = mercury("advise", "-p", "given", *base, *options("--vary", axes), *limits, "--loss", 100 * loss, "-f", "tsv")
    if asked.returncode:
        return [f"space {number} {axes} {given} {shared} {limits}: refused: {asked.stderr}"], len(points)
    said = rows(asked.stdout)
    advised = next(row for row in said if row["part"] == "machine")
    as_given = next((row for row in said if row["name"] == "as given"), None)
    problems = []
    dominating = [p for p in within if dominates(p, advised, loss)]
    if dominating:
        best = min(dominating, key=lambda p: p["simulated_time_s"])
        problems.append(f"dominated by {len(dominating)} points: {show(best)}; "
                        + ", ".join(f"{name} {best[name]}" for name in [*axes, *GRID]))
    if any(advised[goal] > bound for goal, bound in bounds.items()):
        problems.append("beyond its limits")
    if not as_given:
        problems.append("the machine as given is no candidate")
    elif all(as_given[goal] <= bound for goal, bound in bounds.items()):
        if advised["simulated_time_s"] * (1 - loss) > as_given["simulated_time_s"] or dominates(as_given, advised, 0):
            problems.append(f"worse than as given: {show(as_given)}")
    depths = {row["name"]: row.get("depth") for row in said if row["part"] == "fifo"}
    same_tables = [p for p in within if all(p[name] == advised[name] for name in axes)]
    quickest = min(p["simulated_time_s"] for p in [advised, *same_tables])
    fewer = [p for p in same_tables if p["ramb18"] < advised["ramb18"] and p["simulated_time_s"] * (1 - loss) <= quickest]
    if fewer:
        problems.append(f"{len(fewer)} points lose less than {loss} with fewer block RAMs: {show(fewer[0])}")
    for p in same_tables:
        if all(p[n] == d for n, d in depths.items()):
            if any(abs(p[g] / advised[g] - 1) > 1e-9 for g in GOALS):
                problems.append(f"a sweep says {show(p)}")
    return [f"space {number} {axes} {given} {shared} {limits} {loss}: advised {show(advised)}: {problem}"
            for problem in problems], len(points)


def main():
    compared = 0
    for number in range(FIRST, FIRST + SPACES):
        problems, count = check_space(number)
        compared += count
        print("".join(problem + "\n" for problem in problems), end="", flush=True)
    print(f"{compared} points of {SPACES} spaces")


main()
