#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Check a merged recording: timeline.py [--exact] MERGED [TEXT]

The guest has recorded an event at EL2 and then a marker of its own, 1000 times. With --exact, they
are always as far apart, but for the clock's resolution, where no interrupt came in between. With
TEXT, what trace-cmd prints of the guest's recording is compared with the merged one."""

import argparse
import json
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../hyptrace"))
import tracecmd

EVENT = 500
TIMES = 1000
TICK = 16           # of QEMU's counter [ns]
UNDISTURBED = 950


def merged(path):
    """The times of both, by number."""
    events, marks = {}, {}
    with open(path, encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            text = line["text"]
            if line["from"] == "host" and f"id={EVENT} " in text:
                events[int(re.search(r"a0=0x([0-9a-f]+)", text)[1], 16)] = line["time_ns"]
            elif line["from"] == "guest" and "sync " in text:
                marks[int(re.search(r"sync (\d+)", text)[1])] = line["time_ns"]
    return events, marks


def compare(events, marks):
    """Each marker comes after its event and before the next one, as it was recorded."""
    if set(events) != set(range(TIMES)) or set(marks) != set(events):
        sys.exit(f"# {len(events)} events, {len(marks)} markers")
    after = sorted(marks[i] - events[i] for i in events)
    print(f"# markers after events: {after[0]} to {after[-1]} ns, "
          f"median {statistics.median(after):.0f} ns")
    wrong = [i for i in marks if not events[i] <= marks[i] <= events.get(i + 1, marks[i])]
    if wrong:
        sys.exit(f"# {len(wrong)} markers are not between two events, such as {wrong[0]}")


def compare_text(marks, path):
    """trace-cmd computes with a fraction of 32 bits."""
    shown = {}
    with open(path, encoding="utf-8", errors="replace") as lines:
        for event in tracecmd.events(lines):
            match = re.search(r"sync (\d+)", event.text)
            if event.name == "print" and match:
                shown[int(match[1])] = event.time
    if set(shown) != set(marks):
        sys.exit(f"# {len(shown)} markers, not {len(marks)}")
    worst = max(abs(shown[i] - marks[i]) for i in marks)
    print(f"# {len(shown)} markers differ by {worst} ns at most")
    if worst > 100:
        sys.exit("# that is too much")


def compare_exactly(events, marks):
    """Each marker comes as long after its event."""
    after = [marks[i] - events[i] for i in events]
    usual = statistics.median(after)
    exact = sum(abs(ns - usual) <= TICK for ns in after)
    print(f"# {exact} of {TIMES} are {usual:.0f} ns apart, to {TICK} ns")
    if exact < UNDISTURBED:
        sys.exit("# that are too few")


def main():
    """Check."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("merged")
    parser.add_argument("text", nargs="?")
    args = parser.parse_args()
    events, marks = merged(args.merged)
    compare(events, marks)
    if args.exact:
        compare_exactly(events, marks)
    if args.text:
        compare_text(marks, args.text)


main()
