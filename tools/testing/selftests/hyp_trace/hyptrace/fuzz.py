#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run hyptrace, built with sanitizers, on damaged files: fuzz.py COUNT [FIRST]

The current directory has the files of recordings.py, host.json and runs.json, which are damaged
at random: COUNT times, each time another way, from number FIRST on. hyptrace must end, with a
message if libtracecmd or libtraceevent has crashed. These may go round in circles, but hyptrace may
not, and no sanitizer may find anything in it. A file for which that is not so stays there as
damaged-NUMBER."""

import contextlib
import os
import random
import re
import signal
import struct
import subprocess
import sys

INTERESTING = [0, 1, -1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
               0xffffffff, 1 << 40, (1 << 63) - 1, 1 << 63]
FRAME = re.compile(r"^ +#\d+ 0x[0-9a-f]+ in .*?(hyptrace/\w+\.c:\d+|libtrace\w+\.so)", re.M)

SECONDS = 20 * int(os.environ.get("HYP_TEST_SLOWER") or 1)

# How often a file is damaged, compared with others, and what it is read by. {} is its name.
USES = {
    "host.dat": (5, ["report -i {}", "report -i {} --timeline out.svg", "report -i {} --json",
                     "report -i {} --prometheus", "flame -i {}",
                     "flame -i {} --speedscope out.json", "flame -i {} --svg out.svg",
                     "hist exit_host -i {}", "wakeup -i {}", "export -i {} --perfetto out.pf",
                     "diff {} host.dat", "merge {} guest.dat --vm 1",
                     "merge {} guest.dat --vm 1 -o out.dat"]),
    "guest.dat": (3, ["merge host.dat {} --vm 1", "merge host.dat {} --vm 1 --json",
                      "merge host.dat {} --vm 1 -o out.dat"]),
    "details.dat": (3, ["report -i {} --by mmio", "report -i {} --by sysreg --csv --map iomem",
                        "report -i {} --intervals", "report -i {} --intervals --json",
                        "report -i {} --slowest 10", "report -i {} --over 1us --csv",
                        "export -i {} --no-raw --perfetto out.pf",
                        "report -i {} --around 200.0005,50",
                        "report -i {} --from 200.0002 --by thread"]),
    "marks.dat": (2, ["export -i {} --perfetto out.pf", "export -i {} --no-raw --perfetto out.pf",
                      "report -i {} --json", "report -i {} --csv --origin"]),
    "memory.dat": (2, ["export -i {} --perfetto out.pf", "report -i {}", "report -i {} --json"]),
    "host.json": (1, ["diff host.json {}", "hist guest -i {}"]),
    "runs.json": (1, ["diff runs.json {}", "diff {} runs.json --json", "diff {} host.dat -p 70",
                      "hist guest -i {}"]),
}


def flip(data, at, rng):
    data[at] ^= 1 << rng.randrange(8)


def number(data, at, rng):
    size = rng.choice((1, 2, 4, 8))
    value = rng.choice(INTERESTING) + rng.choice((0, 0, 1, -1))
    data[at:at + size] = struct.pack("<Q", value & (1 << 64) - 1)[:size]


def digit(data, at, rng):
    """Another number in a text, such as a format."""
    found = re.compile(rb"\d+").search(data, at)
    if found:
        data[found.start():found.end()] = str(rng.choice(INTERESTING)).encode()


def zero(data, at, rng):
    size = rng.randrange(1, 200)
    data[at:at + size] = bytes(len(data[at:at + size]))


def double(data, at, rng):
    size = rng.randrange(1, 200)
    data[at:at] = data[at:at + size]


def move(data, at, rng):
    size, to = rng.randrange(1, 200), rng.randrange(len(data))
    data[to:to + size] = data[at:at + size]


def cut(data, at, rng):
    del data[at:]


DAMAGES = [flip] * 4 + [number] * 4 + [digit] * 3 + [zero, double, move, cut]


def place(data, rng):
    """Most of a file are zeros, which nobody reads."""
    for _ in range(20):
        at = rng.randrange(len(data))
        if any(data[at:at + 4]):
            break
    return at


def damage(name, rng):
    with open(name, "rb") as file:
        data = bytearray(file.read())
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        rng.choice(DAMAGES)(data, place(data, rng), rng)
        data = data or bytearray(1)
    return data


def abort(process):
    """Have it print where it is: in the child that reads, or in itself if that has ended."""
    children = []
    with contextlib.suppress(OSError):      # they may end meanwhile
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            children = [int(pid) for pid in file.read().split()]
        for pid in children or [process.pid]:
            os.kill(pid, signal.SIGABRT)


def execute(command):
    """Its exit status, messages, and whether it had to be aborted."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          encoding="utf-8", errors="replace",
                          start_new_session=True) as process:
        slow = False
        try:
            messages = process.communicate(timeout=SECONDS)[1]
        except subprocess.TimeoutExpired:
            slow = True
            abort(process)
            try:
                messages = process.communicate(timeout=SECONDS)[1]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                messages = process.communicate()[1]
    return process.returncode, messages, slow


def fault(status, messages, slow):
    """What is wrong with how it has ended; nothing if that is a library's fault, and was told."""
    if "runtime error:" in messages:
        return "undefined behaviour"
    told = "is it damaged? Reading has crashed" in messages
    crashed = "ERROR: AddressSanitizer" in messages
    frame = FRAME.search(messages)
    if (crashed or told or slow) and not (frame and frame.group(1).startswith("lib")):
        what = "it does not end" if slow else "a crash"
        return f"{what}: {frame.group(1) if frame else 'nobody knows where'}"
    if status not in (0, 1):
        return f"the exit status is {status}"
    if crashed and not told:
        return "a crash without a message"
    if status and "hyptrace: " not in messages:
        return "no message"
    return None


def run(number, counts):
    rng = random.Random(number)
    name, = rng.choices(list(USES), [weight for weight, _ in USES.values()])
    path = f"damaged-{number}"
    with open(path, "wb") as file:
        file.write(damage(name, rng))
    command = ["hyptrace", *rng.choice(USES[name][1]).format(path).split()]
    status, messages, slow = execute(command)
    counts["slow" if slow else "crashed" if "Reading has crashed" in messages else
           "refused" if status else "read"] += 1
    wrong = fault(status, messages, slow)
    if not wrong:
        os.unlink(path)
        return True
    print(f"# {' '.join(command)}: {wrong}")
    with open(f"{path}.messages", "w", encoding="utf-8") as file:
        file.write(messages)
    return False


count = int(sys.argv[1])
first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
os.environ["ASAN_OPTIONS"] = ":".join(("abort_on_error=1", "handle_abort=1", "detect_leaks=0",
                                       "allocator_may_return_null=1"))
counts = dict.fromkeys(("read", "refused", "crashed", "slow"), 0)
good = [run(number, counts) for number in range(first, first + count)]
print("#", ", ".join(f"{n} {how}" for how, n in counts.items()))
# Damage that is never noticed, or always, finds nothing.
few = count // 20
sys.exit(not all(good) or counts["read"] < few or counts["refused"] < few or
         counts["slow"] > few)
