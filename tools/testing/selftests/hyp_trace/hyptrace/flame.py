#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Compare what hyptrace flame prints with what follows from two others:
flame.py FOLDED SPEEDSCOPE.json < TEXT

TEXT is trace-cmd's report of the same recording. The nanoseconds of each chain of functions must be
the same in all three, and something must be there."""

import json
import re
import sys
from collections import defaultdict

import tracecmd

CALL = re.compile(r"(?:[!+#*@$] )? *(?:([\d.]+) us)? *\| *(?:__kvm_nvhe_)?(?:(\w[\w.]*)\(\)(?: \{|;)|\})")


class Calls:
    """The calls of a CPU, and the time in each chain of functions."""

    def __init__(self, folded):
        self.folded, self.chain, self.inner, self.left = folded, [], [], None

    def open(self, name):
        self.chain.append(name)
        self.inner.append(0)

    def close(self, total):
        self.folded[";".join(self.chain)] += total - self.inner.pop()
        self.chain.pop()
        if self.inner:
            self.inner[-1] += total

    def leave(self, where, time):
        if self.chain and where != "eret_host":
            self.open("[guest]" if where == "eret_guest" else "[firmware]")
            self.left = time

    def come_back(self, time):
        if self.left is not None:
            self.close(time - self.left)
            self.left = None


def of_text(lines):
    folded = defaultdict(int)
    cpus = defaultdict(lambda: Calls(folded))
    for event in tracecmd.events(lines):
        calls = cpus[event.cpu]
        if event.name in ("hyp_enter", "hyp_exit"):
            calls.come_back(event.time)
        if event.name == "hyp_exit":
            calls.leave(tracecmd.word(event, "reason"), event.time)
        if event.name not in ("funcgraph_entry", "funcgraph_exit"):
            continue
        us, name = CALL.match(event.text).groups()
        if event.name == "funcgraph_entry":
            calls.open(name)
        if us:
            calls.close(round(float(us) * 1000))
    return folded


def of_speedscope(root):
    folded = defaultdict(int)
    names = [frame["name"] for frame in root["shared"]["frames"]]
    for profile in root["profiles"]:
        calls, opened, last = Calls(folded), [], profile["startValue"]
        for event in profile["events"]:
            assert last <= event["at"] <= profile["endValue"], event
            last = event["at"]
            if event["type"] == "O":
                calls.open(names[event["frame"]])
                opened.append(event)
            else:
                assert opened[-1]["frame"] == event["frame"], event
                calls.close(event["at"] - opened.pop()["at"])
        assert not opened and profile["unit"] == "nanoseconds"
    return folded


def of_folded(lines):
    return {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in lines}


def without_zero(folded):
    return {chain: time for chain, time in folded.items() if time}


printed = of_folded(open(sys.argv[1]).read().splitlines())
others = {
    "trace-cmd": without_zero(of_text(sys.stdin)),
    "speedscope": without_zero(of_speedscope(json.load(open(sys.argv[2])))),
}
print("#", len(printed), "chains,", sum(printed.values()), "ns")
for name, folded in others.items():
    for chain in printed.keys() | folded.keys():
        if printed.get(chain) != folded.get(chain):
            print("#", chain, "is", printed.get(chain), "and by", name, folded.get(chain))
sys.exit(not printed or any(folded != printed for folded in others.values()))
