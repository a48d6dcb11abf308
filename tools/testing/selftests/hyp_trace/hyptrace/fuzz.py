#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run hyptrace, built with sanitizers, on damaged files: fuzz.py COUNT [FIRST]

The current directory has the files of recordings.py and host.json, which are damaged at random:
COUNT times, each time another way, from number FIRST on. hyptrace must end by itself, with a
message if libtracecmd or libtraceevent has crashed; no sanitizer may find anything in hyptrace.
A file for which that is not so stays there as damaged-NUMBER."""

import os
import random
import re
import struct
import subprocess
import sys

INTERESTING = [0, 1, -1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
               0xffffffff, 1 << 40, (1 << 63) - 1, 1 << 63]
FRAME = re.compile(r"^ +#\d+ 0x[0-9a-f]+ in .*?(hyptrace/\w+\.c:\d+|libtrace\w+\.so)", re.M)

# What a damaged file is read by. {} is its name.
USES = {
    "host.dat": ["report -i {}", "report -i {} --timeline out.svg", "report -i {} --json",
                 "report -i {} --prometheus", "flame -i {}", "flame -i {} --speedscope out.json", "flame -i {} --svg out.svg",
                 "hist exit_host -i {}", "wakeup -i {}", "export -i {} --perfetto out.pf", "diff {} host.dat", "merge {} guest.dat --vm 1",
                 "merge {} guest.dat --vm 1 -o out.dat"],
    "guest.dat": ["merge host.dat {} --vm 1", "merge host.dat {} --vm 1 --json",
                  "merge host.dat {} --vm 1 -o out.dat"],
    "details.dat": ["report -i {} --by mmio", "report -i {} --by sysreg --csv --map iomem",
                    "report -i {} --intervals", "report -i {} --intervals --json",
                    "report -i {} --slowest 10", "report -i {} --over 1us --csv",
                    "export -i {} --no-raw --perfetto out.pf", "report -i {} --around 200.0005,50", "report -i {} --from 200.0002 --by thread"],
    "marks.dat": ["export -i {} --perfetto out.pf"],
    "memory.dat": ["export -i {} --perfetto out.pf", "report -i {}", "report -i {} --json"],
    "host.json": ["diff host.json {}", "hist guest -i {}"],
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


def fault(status, messages):
    """What is wrong with how it has ended; nothing if the crash was a library's, and was told."""
    if "runtime error:" in messages:
        return "undefined behaviour"
    crashed = "ERROR: AddressSanitizer" in messages
    frame = FRAME.search(messages)
    if crashed and frame and frame.group(1).startswith("hyptrace/"):
        return f"an error of memory at {frame.group(1)}"
    if status not in (0, 1):
        return f"the exit status is {status}"
    if crashed and "is it damaged? Reading has crashed" not in messages:
        return "a crash without a message"
    if status and "hyptrace: " not in messages:
        return "no message"
    return None


def run(number, counts):
    rng = random.Random(number)
    name = rng.choice(["host.dat"] * 5 + ["guest.dat"] * 3 + ["details.dat"] * 3 +
                      ["memory.dat"] * 2 + ["host.json"])
    path = f"damaged-{number}"
    with open(path, "wb") as file:
        file.write(damage(name, rng))
    command = ["hyptrace", *rng.choice(USES[name]).format(path).split()]
    # A library may go round in circles; that ends, too.
    result = subprocess.run(["timeout", "-k", "1", "20", *command], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
                            check=False)
    slow = result.returncode == 124
    counts["slow" if slow else "crashed" if "Reading has crashed" in result.stderr else
           "refused" if result.returncode else "read"] += 1
    wrong = None if slow else fault(result.returncode, result.stderr)
    if not wrong:
        os.unlink(path)
        return True
    print(f"# {' '.join(command)}: {wrong}")
    with open(f"{path}.messages", "w", encoding="utf-8") as file:
        file.write(result.stderr)
    return False


count = int(sys.argv[1])
first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
os.environ["ASAN_OPTIONS"] = "abort_on_error=1:detect_leaks=0:allocator_may_return_null=1"
counts = dict.fromkeys(("read", "refused", "crashed", "slow"), 0)
good = [run(number, counts) for number in range(first, first + count)]
print("#", ", ".join(f"{n} {how}" for how, n in counts.items()))
# Damage that is never noticed, or always, finds nothing.
few = count // 20
sys.exit(not all(good) or counts["read"] < few or counts["refused"] < few or
         counts["slow"] > few)
