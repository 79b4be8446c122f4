#!/usr/bin/env python3
"""check_schemas.py SCHEMAS FILE... - every file is JSON that a schema of a directory describes, and no other JSON is.

Prints a line for each problem. A file's schema is the one whose number is its "schema". Every schema must be of draft
2020-12, describe one of the files, and refuse that file as soon as a member is removed that it requires, a member is
added that nothing knows, or a value has another type. One item of every array is tried.
"""
import json
import pathlib
import sys

from jsonschema import Draft202012Validator


def load_schemas(directory):
    schemas = {}
    for path in sorted(pathlib.Path(directory).glob("*.schema.json")):
        schema = json.loads(path.read_text())
        Draft202012Validator.check_schema(schema)
        number = schema["properties"]["schema"]["const"]
        wanted = f"mercury-{path.name.split('.')[0]}-"
        if not number.startswith(wanted) or schema["$id"] != "urn:mercury:schema:" + number[len("mercury-"):]:
            print(f"{path}: is not named as its number, {number}")
        schemas[number] = Draft202012Validator(schema)
    return schemas


def shorten(value):
    """The same with one item of every array, which is as good as many."""
    if isinstance(value, dict):
        return {key: shorten(item) for key, item in value.items()}
    return [shorten(value[0])] if isinstance(value, list) and value else value


def refused(validator, document):
    """The paths at which a document is refused; below an alternative, errors have the path of the alternative."""
    return {tuple(error.absolute_path) for error in validator.iter_errors(document)}


def is_covered(path, paths):
    return any(path[:length] in paths for length in range(max(len(path) - 1, 0), len(path) + 1))


def retype(value, path=()):
    """The same with another type of every value but those that say what the others are; and the paths of these."""
    if isinstance(value, (dict, list)) and value:
        at = value.items() if isinstance(value, dict) else enumerate(value)
        paths, result = [], {}
        for key, item in at:
            if key in ("schema", "metric"):
                result[key] = item
                continue
            result[key], inner = retype(item, path + (key,))
            paths += inner
        return (result if isinstance(value, dict) else list(result.values())), paths
    return ([] if value == {} else {"another": "type"}), [path]


def extend(value, path=()):
    """The same with an unknown member in every object; and the paths of the objects."""
    if isinstance(value, list):
        inner = [extend(item, path + (i,)) for i, item in enumerate(value)]
        return [item for item, _ in inner], [found for _, paths in inner for found in paths]
    if not isinstance(value, dict):
        return value, []
    result, paths = {"not known": [[["a member"]]]}, [path]
    for key, item in value.items():
        result[key], inner = extend(item, path + (key,))
        paths += inner
    return result, paths


def check_refusals(name, validator, document):
    for key in validator.schema["required"]:
        if validator.is_valid({other: value for other, value in document.items() if other != key}):
            print(f"{name}: is accepted without {key}")
    if validator.is_valid({**document, "not known": 1}):
        print(f"{name}: is accepted with a member that nothing knows")
    for change, below in (retype, ()), (extend, ("not known",)):
        wrong, paths = change(document)
        found = refused(validator, wrong)
        for path in paths:
            if not is_covered(path + below, found):
                print(f"{name}: is accepted after {change.__name__} at /{'/'.join(map(str, path))}")


def main():
    schemas = load_schemas(sys.argv[1])
    fullest = {}
    for name in sys.argv[2:]:
        document = json.loads(pathlib.Path(name).read_text())
        number = document.get("schema")
        if number not in schemas:
            print(f"{name}: no schema has the number {number}")
            continue
        for error in list(schemas[number].iter_errors(document))[:3]:
            print(f"{name}: {error.json_path}: {error.message:.200}")
        document = shorten(document)
        if number not in fullest or len(str(document)) > len(str(fullest[number][1])): # has the most kinds of members
            fullest[number] = (name, document)
    for number, validator in schemas.items():
        if number not in fullest:
            print(f"{number}: none of the files has it")
        else:
            name, document = fullest[number]
            check_refusals(name, validator, document)


main()
