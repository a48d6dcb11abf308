#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Check what hyptrace report --slowest prints against trace-cmd's text of the same recording:

usage: trace-cmd report -i trace.dat | slowest.py SLOWEST.text SLOWEST.json

Of each interval, the tasks that had its CPUs meanwhile are computed from sched_switch. Each
difference is printed; the exit status is 0 if there is none, and if somebody had a CPU.
"""

import collections
import json
import re
import sys

import tracecmd

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def stretches():
    """(CPU, task, from, to) of each time that a task had a CPU."""
    since, found = {}, []
    for event in tracecmd.events(sys.stdin):
        if event.name != "sched_switch":
            continue
        if event.cpu in since:
            found.append((event.cpu, tracecmd.switch(event).left, since[event.cpu], event.time))
        since[event.cpu] = event.time
    return found


def runners(interval, found):
    """How long others had the interval's CPUs, by task."""
    start, end = interval["start_ns"], interval["start_ns"] + interval["duration_ns"]
    cpus, times = {interval["first_cpu"], interval["cpu"]}, collections.Counter()
    for cpu, pid, since, until in found:
        if cpu in cpus and pid not in (0, interval["tid"]) and min(end, until) > max(start, since):
            times[pid] += min(end, until) - max(start, since)
    return times


def told(line):
    """The same as hyptrace has printed it: the first ones of (task, time), and how many more."""
    parts = line.rstrip("\n").partition("  | ")[2]
    tasks = [(int(pid), float(time) * UNITS[unit])
             for pid, time, unit in re.findall(r"\S-(\d+) ([\d.]+) (\w+)", parts)]
    more = re.search(r", (\d+) more$", parts)
    return tasks, int(more[1]) if more else 0


def main():
    lines = open(sys.argv[1]).readlines()[1:]
    intervals = [json.loads(line) for line in open(sys.argv[2])]
    found = stretches()
    bad, nr = len(lines) != len(intervals), 0
    lengths = [interval["duration_ns"] for interval in intervals]
    bad |= lengths != sorted(lengths, reverse=True)
    for line, interval in zip(lines, intervals):
        mine = runners(interval, found)
        tasks, more = told(line)
        nr += len(tasks)
        # Printed times have three digits.
        if len(tasks) != min(3, len(mine)) or len(tasks) + more != len(mine) or \
           any(abs(time - mine[pid]) > 0.006 * time for pid, time in tasks) or \
           [time for _, time in tasks] != sorted((time for _, time in tasks), reverse=True):
            print("#", line, "events:", mine)
            bad = True
    print("#", len(intervals), "intervals,", nr, "tasks that had a CPU")
    sys.exit(bad or not nr or len(intervals) < 5)


main()
