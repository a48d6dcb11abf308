# SPDX-License-Identifier: GPL-2.0-only
"""Reads the text that trace-cmd report prints of recordings, with times in nanoseconds."""

import collections
import re

DROPPED = re.compile(r"hyp: CPU:(\d+) \[.*EVENTS DROPPED\]")
# There is no blank between the CPU and a time of twelve digits.
EVENT = re.compile(r"(?:(\w+):)? +.+-(\d+) +\[(\d+)\] *(\d+): (\w+): +(.*)")
SWITCH = re.compile(r".*:(\d+) \[\d+\] (\S+) ==> .*:(\d+) \[\d+\]")
GAP = "events are missing before the next one"

Event = collections.namedtuple("Event", "is_hyp pid cpu time name text")
Switch = collections.namedtuple("Switch", "left state entered")


def events(lines):
    """The events, and one that is named GAP where hyp has lost some."""
    gap_on = None
    for line in lines:
        match = DROPPED.match(line)
        if match:
            gap_on = int(match[1])
        match = EVENT.match(line)
        if not match:
            continue
        buffer, pid, cpu, time, name, text = match.groups()
        if gap_on is not None:          # this line has no "hyp:"; that is in the one before
            assert int(cpu) == gap_on
            buffer = "hyp"
            yield Event(True, 0, gap_on, int(time), GAP, "")
            gap_on = None
        yield Event(buffer == "hyp", int(pid), int(cpu), int(time), name, text)


def word(event, name):
    """The value of NAME=VALUE in an event."""
    return re.search(rf"\b{name}=(\S+)", event.text)[1]


def switch(event):
    """The threads of a sched_switch, and the state of the one that is left."""
    match = SWITCH.match(event.text)
    return Switch(int(match[1]), match[2], int(match[3]))
