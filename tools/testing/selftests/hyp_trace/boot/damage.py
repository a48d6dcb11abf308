#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Have damaged dumps read: damage.py COUNT PROGRAM DUMP...

COUNT times, a few bytes of one of the DUMPs are changed at random while PROGRAM reads it. It must
end by itself, with 1 GiB of memory, and with status 0, or 1 and a message of one line."""

import os
import random
import re
import resource
import subprocess
import sys

INTERESTING = [0, 1, -1, -16, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 40,
               (1 << 63) - 1, 1 << 63]
BLOCK = 4096
SECONDS = 20 * int(os.environ.get("HYP_TEST_SLOWER") or 1)


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def new_bytes(rng):
    size = rng.choice((1, 4, 8))
    value = rng.choice((*INTERESTING, rng.randrange(1 << 64)))
    return (value & (1 << 8 * size) - 1).to_bytes(size, rng.choice(("little", "big")))


def place(size, rng):
    """Most often near the beginning of the file and of a block, where headers are."""
    block = rng.choice((rng.randrange(3), int((size // BLOCK + 1) ** rng.random()) - 1))
    word = int((BLOCK // 4) ** rng.random()) - 1
    return min(block * BLOCK + word * 4, size - 1)


def damage(file, size, rng):
    """Change some bytes; return what they were."""
    before = []
    for _ in range(rng.choice((1, 1, 2, 5))):
        at, new = place(size, rng), new_bytes(rng)
        file.seek(at)
        before.append((at, file.read(len(new))))
        file.seek(at)
        file.write(new)
    return before


def fault(command):
    """How it has ended, and what is wrong with that, or None."""
    try:
        result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                encoding="utf-8", errors="replace", check=False,
                                timeout=SECONDS, preexec_fn=limit_memory)
    except subprocess.TimeoutExpired:
        return "slow", "it does not end"
    if not result.returncode:
        return "read", result.stderr
    if result.returncode == 1 and re.fullmatch(r"hyptrace-vmcore: .+\n", result.stderr):
        return "refused", None
    return "failed", f"status {result.returncode}, {result.stderr}"


def run(number, program, dump, counts):
    rng = random.Random(number)
    with open(dump, "r+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        before = damage(file, size, rng)
        how, wrong = fault([program, dump])
        for at, old in reversed(before):
            file.seek(at)
            file.write(old)
        file.truncate(size)
    counts[how] = counts.get(how, 0) + 1
    if wrong:
        print(f"# {dump}, damage {number}: {wrong}")
    return not wrong


def main():
    count, program, dumps = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    counts = {"read": 0, "refused": 0}
    good = [run(number, program, dumps[number % len(dumps)], counts) for number in range(count)]
    print("#", ", ".join(f"{n} {how}" for how, n in counts.items()))
    # If damage is always noticed, or never, this tests nothing.
    return all(good) and min(counts["read"], counts["refused"]) >= count // 40


sys.exit(not main())
