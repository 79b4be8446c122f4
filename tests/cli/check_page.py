#!/usr/bin/env python3
"""check_page.py DIRECTORY - the tables of a run's page on its energy and measurements against the run's own files.

Standard input has the rows of both tables, fields separated by tabs. Prints what differs.
"""
import json
import sys

SHARE = 6e-5  # a number of the page has five digits; one among quantiles has four


def differs(shown, value, share=SHARE):
    if value is None or shown in ("-", ""):
        return value is not None or shown not in ("-", "")
    return abs(float(shown.replace("~0", "0").rstrip("!")) - value) > share * abs(value) + 1e-12


def energy_rows(summary):
    energy, counts = summary["energy"], ("sram_accesses", "block_ram_accesses", "bus_bytes", "core_cycles", None)
    for part, count in zip(("sram", "block_ram", "bus", "cores", "idle"), counts):
        share = energy[part + "_j"] / energy["total_j"]
        yield part, [(1, energy[part + "_j"]), (2, share * energy["nj_per_wmer"]), (3, 100 * share),
                     (4, energy[count] if count else summary["simulated_time_s"])], [], False


def measured_rows(group, clock_ns):
    for member in group.values():
        if "unit" not in member:
            yield from measured_rows(member, clock_ns)
            continue
        for scale in (1, clock_ns) if member["unit"] == "clocks" else (1,):
            steady = member.get("frames", {}).get("steady", {})
            half = steady.get("half_width")
            values = [member.get("mean"), steady.get("mean") if half is not None else None, half,
                      member.get("min"), member.get("max"), member.get("deviation")]
            yield (member["tap"], [(3 + i, None if value is None else scale * value) for i, value in enumerate(values)],
                   [scale * quantile["value"] for quantile in member.get("quantiles", [])],
                   half is not None and steady.get("independent") is False)


directory = sys.argv[1]
with open(directory + "/summary.json", encoding="utf-8") as file:
    of = json.load(file)
with open(directory + "/run.json", encoding="utf-8") as file:
    clock = 1e9 / float(json.load(file)["configuration"]["fpga.clock"])
shown_rows = [line.rstrip("\n").split("\t") for line in sys.stdin]
rows = [*energy_rows(of), *measured_rows(of["measurements"], clock)]
if len(shown_rows) != len(rows):
    sys.exit(f"{len(shown_rows)} rows, expected {len(rows)}")
for row, (name, values, quantiles, marked) in zip(shown_rows, rows):
    for column, value in values:
        if differs(row[column], value):
            print(f"{name}: {row[0]}: column {column + 1} says {row[column]}, expected {value}")
    told = [text.split(": ")[1] for text in row[9].split(", ")] if len(row) > 9 and row[9] else []
    if len(told) != len(quantiles) or any(differs(shown, value, 6e-4) for shown, value in zip(told, quantiles)):
        print(f"{row[0]}: quantiles {told}, expected {quantiles}")
    if marked != (len(row) > 9 and row[5].endswith("!")):
        print(f"{row[0]}: {row[5]} is marked {not marked}")
largest = max(shown_rows[:5], key=lambda row: float(row[1]))
if f"The largest part ({largest[0]}) takes {float(largest[3]):.0f}%" not in open(directory + "/report.html", encoding="utf-8").read():
    print(f"the largest part is {largest[0]}")
