#!/usr/bin/env python3
"""check_formats.py FORMATS_MD FILE=HEADING... - docs/formats.md names every column of every table, and every member of JSON.

A file's paragraph begins with HEADING, such as '`passes.tsv`'. Its names are what stands in backticks, also in the table
that follows it. A column that is not among them is a problem, and so is a name in the first column of such a table that
the file does not have. Models have columns of their own: MODEL, MODEL_covers and so on stand for them. Prints a line for each
problem.
"""
import json
import re
import sys

MODEL = re.compile(r"(printed_)?([ME](?:_n)?[/^].*?|blocking|Markov chain|five-stage|MVA)(_[45])?(_covers|_difference)?")


def names_in(text):
    return set(re.findall(r"`([^`]+)`", text))


def describe(parts, heading):
    """The names of a file's paragraph, and those of the first column of its table."""
    for part, table in zip(parts, parts[1:] + [""]):
        if part.startswith(heading):
            rows = table.split("\n")[2:] if table.startswith("| column ") or table.startswith("| member ") else []
            first = set().union(*(names_in(row.split(" | ")[0]) for row in rows))
            return names_in(part) | first, first if table.startswith("| column ") else set()
    return None, None


def stand_for(column):
    """What may stand for a column."""
    match = MODEL.fullmatch(column)
    model = {(match[1] or "") + "MODEL" + (match[4] or "")} if match else set()
    return {column, re.sub("_.*", "_*", column)} | model


def columns_of(path):
    if path.endswith(".json"):
        return [key for key in json.load(open(path)) if key != "schema"]
    return next(line for line in open(path) if not line.startswith("#")).rstrip("\n").split("\t")


def main():
    parts = re.split(r"\n\n+", open(sys.argv[1]).read())
    for argument in sys.argv[2:]:
        path, heading = argument.split("=", 1)
        named, first = describe(parts, heading)
        if named is None:
            print(f"{path}: no paragraph begins with {heading}")
            continue
        columns = columns_of(path)
        for column in columns:
            if not stand_for(column) & named:
                print(f"{path}: {column} is not named under {heading}")
        for name in sorted(first - set(columns)):
            print(f"{path}: has no {name}, which {heading} names")


main()
