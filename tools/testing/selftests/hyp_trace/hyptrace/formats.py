#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Is each member of JSON, and each column of CSV, in the manual? formats.py hyptrace-format.5

The current directory has the files of recordings.py, host.json, and runs.json, which has all members
that a recording has not. Names that are values themselves, such as bounds of histograms, don't count."""

import json
import re
import subprocess
import sys

VALUES = {"histogram", "time_ns"}
# A manual need not have the names that are between two.
BETWEEN = {f"{name}_{of}" for name in ("total_ns", "max_ns", "p99_ns") for of in "ab"}
JSON = ["report -i host.dat --json", "report -i memory.dat --json", "report -i details.dat --json",
        "diff host.json runs.json --json", "report -i details.dat --intervals --json",
        "merge host.dat guest.dat --vm 1 --json"]
CSV = ["report -i host.dat --csv", "report -i host.dat --by thread,kind --csv",
       "report -i details.dat --by mmio --csv", "report -i details.dat --intervals",
       "diff host.json runs.json --csv"]


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout.decode()


def names(value):
    for name, of in value.items() if isinstance(value, dict) else ():
        yield name
        if name not in VALUES:
            yield from names(of)
    for of in value if isinstance(value, list) else ():
        yield from names(of)


def objects(text):
    """One object, or one a line."""
    return [json.loads(line) for line in text.splitlines()] if text[1] != "\n" else [json.loads(text)]


printed = set(names(json.load(open("runs.json"))))
for options in JSON:
    for value in objects(run("hyptrace", *options.split())):
        printed.update(names(value))
for options in CSV:
    printed.update(run("hyptrace", *options.split()).splitlines()[0].split(","))
text = re.sub(".\b", "", run("mandoc", "-T", "ascii", sys.argv[1]))
missing = printed - set(re.findall(r"\w+", text)) - BETWEEN
print(f"{len(printed)} names; the manual lacks {sorted(missing)}")
sys.exit(bool(missing) or len(printed) < 80)
