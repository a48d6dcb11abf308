#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print what it costs on this machine to read recordings, as "NAME VALUE": the time of hyptrace
report and export compared with that of a program which only reads the events, the memory of their own
and of flame, and the size of what export writes.

usage: reading.py DIR HYPTRACE READING"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../hyptrace"))
import recordings

RUNS = 5
EXPORTS = 3             # they take longer
EXITS = 100000          # of which a recording is made that has them again and again
EVENTS_OF_EXIT = 7
TREES = 10000           # of three calls, on each of two CPUs, of which a recording is made as well
NS_OF_TREE = 9000


def memory_of(pid):
    """The anonymous memory of a process and its children [bytes]; 0 of one that has ended."""
    try:
        with open(f"/proc/{pid}/status") as status:
            own = sum(int(line.split()[1]) * 1024 for line in status if line.startswith("RssAnon"))
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            return own + sum(memory_of(child) for child in children.read().split())
    except (FileNotFoundError, ProcessLookupError):
        return 0


def run(command):
    """Run a command; returns its CPU time [s], the most memory that it had, and what it printed."""
    with open("output", "w+") as output:
        process = subprocess.Popen(command, stdout=output)
        most = 0
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            most = max(most, memory_of(process.pid))
        if status:
            sys.exit(f"{' '.join(command)}: failed")
        output.seek(0)
        return usage.ru_utime + usage.ru_stime, most, output.read()


def report(path, exits, times):
    """Run hyptrace report, which must have seen all; returns the least time, and the memory."""
    runs = [run([hyptrace, "report", "-i", path]) for _ in range(times)]
    for _, _, text in runs:
        if [line.split()[1] for line in text.splitlines() if line.startswith("guest ")] != [str(exits)]:
            sys.exit(f"{path}: hyptrace report has not seen {exits} exits:\n{text}")
    return min(time for time, _, _ in runs), max(memory for _, memory, _ in runs)


def export(path, exits, *options):
    """Run hyptrace export; returns the least time, the memory, and the size for each event."""
    runs = [run([hyptrace, "export", *options, "-i", path, "--perfetto", "export.pftrace"])
            for _ in range(EXPORTS)]
    size = os.path.getsize("export.pftrace")
    os.remove("export.pftrace")
    return (min(time for time, _, _ in runs), max(memory for _, memory, _ in runs),
            size / (exits * EVENTS_OF_EXIT))


def flame(path, trees):
    """Run hyptrace flame, which must have seen all calls; returns the memory."""
    _, memory, text = run([hyptrace, "flame", "-i", path, "--speedscope", "flame.speedscope"])
    os.remove("flame.speedscope")
    if sum(int(line.split()[-1]) for line in text.splitlines()) != trees * NS_OF_TREE:
        sys.exit(f"{path}: hyptrace flame has not seen {trees} trees of calls:\n{text}")
    return memory


def read(path, exits):
    """Only read it; returns the least time."""
    runs = [run([reading, path]) for _ in range(RUNS)]
    for _, _, text in runs:
        if int(text) != exits * EVENTS_OF_EXIT:
            sys.exit(f"{path}: {text.strip()} events are not {EVENTS_OF_EXIT} of {exits} exits")
    return min(time for time, _, _ in runs)


directory, hyptrace, reading = sys.argv[1:]
os.chdir(directory)
for name, vcpus, times in ("64.dat", 64, 10), ("8192.dat", 8192, 10):
    recordings.write_many(name, vcpus, EXITS, times)
alone = read("64.dat", 10 * EXITS)
time, memory = report("64.dat", 10 * EXITS, RUNS)
print(f"report_time {time / alone:.2f}")
print(f"report_memory {memory / 1e6:.1f}")
for name, options in ("export_tracks", ["--no-raw"]), ("export", []):
    export_time, export_memory, size = export("64.dat", 10 * EXITS, *options)
    print(f"{name}_time {export_time / alone:.1f}")
    print(f"{name}_size {size:.1f}")
    print(f"{name}_memory {export_memory / 1e6:.1f}")
of_8192, memory = report("8192.dat", 10 * EXITS, RUNS)
print(f"report_8192_time {of_8192 / time:.2f}")
print(f"report_8192_memory {memory / 1e6:.1f}")
recordings.write_many("64.dat", 64, EXITS, 100)
print(f"report_long_memory {report('64.dat', 100 * EXITS, 1)[1] / 1e6:.1f}")
recordings.write_calls("calls.dat", TREES, 25)
print(f"flame_speedscope_memory {flame('calls.dat', 2 * 25 * TREES) / 1e6:.1f}")
for name in "64.dat", "8192.dat", "calls.dat":
    os.remove(name)
