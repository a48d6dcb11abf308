#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Does the manual have each member of JSON and each column of CSV? formats.py hyptrace-format.5

Each must be a name (Cm) in the section about that output. If the section has an item for a member,
the members of that member must be in this item. The current directory has the files of recordings.py, host.json, and
runs.json, which has all members that a recording has not. Names that are values themselves, such as
bounds of histograms, don't count."""

import json
import re
import subprocess
import sys

VALUES = {"histogram", "time_ns"}
# A manual need not have the names that are between two.
BETWEEN = {f"{name}_{of}" for name in ("total_ns", "max_ns", "p99_ns") for of in "ab"}
PRINTED = {
    "Tables as JSON": ["cat runs.json", "hyptrace report -i host.dat --json",
                       "hyptrace report -i memory.dat --json",
                       "hyptrace report -i details.dat --json"],
    "Tables as CSV": ["hyptrace report -i host.dat --csv",
                      "hyptrace report -i host.dat --by thread,kind --csv",
                      "hyptrace report -i details.dat --by mmio --csv"],
    "Intervals": ["hyptrace report -i details.dat --intervals --json",
                  "hyptrace report -i details.dat --intervals"],
    "Differences": ["hyptrace diff host.json runs.json --json",
                    "hyptrace diff host.json runs.json --csv"],
    "Merged events": ["hyptrace merge host.dat guest.dat --vm 1 --json"],
}


def names_in(text):
    return set(re.findall(r"\w+", " ".join(re.findall(r"^\..*?\bCm (.*)", text, re.M))))


class Section:
    def __init__(self, text):
        self.items = {name: names_in(item) for name, item in
                      re.findall(r"^\.It Cm (\w+)\n(.*?)(?=^\.(?:It|El)\b)", text, re.M | re.S)}
        self.names = set(self.items) or names_in(text) | BETWEEN

    def compare(self, value, names):
        """All members of the value, as (name, whether the manual has it)."""
        for name, of in value.items() if isinstance(value, dict) else ():
            yield name, name in names
            if name not in VALUES:
                yield from self.compare(of, self.items.get(name, names))
        for of in value if isinstance(value, list) else ():
            yield from self.compare(of, names)


def values(text):
    """The objects, which may be one a line, or one with the columns of CSV."""
    if not text.startswith("{"):
        return [dict.fromkeys(text.splitlines()[0].split(","))]
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]


with open(sys.argv[1], encoding="utf-8") as file:
    page = re.split(r"^\.S[sh] (.*)\n", file.read(), flags=re.M)
printed, missing = set(), set()
for title, text in zip(page[1::2], page[2::2]):
    section = Section(text)
    for command in PRINTED.pop(title, ()):
        output = subprocess.run(command.split(), check=True, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, encoding="utf-8").stdout
        for value in values(output):
            for name, is_there in section.compare(value, section.names):
                printed.add(name)
                if not is_there:
                    missing.add(f"{title}: {name}")
missing.update(PRINTED)                 # sections that there are not
print(f"{len(printed)} names; the manual lacks {sorted(missing)}")
sys.exit(bool(missing) or len(printed) < 80)
