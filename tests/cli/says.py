#!/usr/bin/env python3
"""says.py FORMAT [NAME=]FILE... - print a sentence of a document with the numbers of a run.

FORMAT is a Python f-string without its quotes, such as '{1e3 * simulated_time_s:.0f} ms'. The members of a JSON file are
names in it, or, with NAME=, below that name: out.pcix.utilisation. A table (TSV) needs a name, and is a list of rows, of
which row(NAME, column='x') finds one.
"""
import csv
import json
import math
import statistics
import sys


class Members(dict):
    """Members that are reached by a dot."""
    def __getattr__(self, name):
        return self[name]


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def read(path):
    with open(path, newline="") as file:
        if path.endswith(".json"):
            return json.load(file, object_pairs_hook=Members)
        lines = [line for line in file if not line.startswith("#")]
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Members((key, number(value)) for key, value in row.items()) for row in rows]


def row(rows, **wanted):
    """The first row that has these values."""
    return next(row for row in rows if all(row[key] == value for key, value in wanted.items()))


names = {"median": statistics.median, "row": row, **vars(math)}
for argument in sys.argv[2:]:
    name, _, path = argument.rpartition("=")
    names.update({name: read(path)} if name else read(path))
print(eval(f"f'''{sys.argv[1]}'''", names))
