#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Test hyptrace merge with recordings that are made up: merge.py, in a scratch directory

The recordings stay there: host.dat, guest.dat, and others for messages. Times are compared with
fractions, and with what trace-cmd prints."""

import json
import re
import subprocess
import sys
from fractions import Fraction

import traces

S = 10 ** 9
CLOCK = traces.Event(
    900, "hyp", "guest_clock",
    [("u64", "at"), ("u64", "boot"), ("u64", "mono"), ("u64", "cntvct"), ("u16", "vm"),
     ("u16", "vcpu"), ("u32", "lost")],
    '"vm=%u vcpu=%u at=%llu boot=%llu mono=%llu cntvct=%llu", REC->vm, REC->vcpu, REC->at, '
    'REC->boot, REC->mono, REC->cntvct')
ENTER = traces.Event(901, "hyp", "hyp_enter", [("u32", "reason")], '"reason=%u", REC->reason')
WAKING = traces.Event(300, "sched", "sched_waking", [("u32", "number")], '"n=%u", REC->number')
PRINT = traces.Event(5, "ftrace", "print", [("u64", "ip")],
                     '"%ps: %s", (void *)REC->ip, REC->buf', text="buf")
TYPES = [CLOCK, ENTER, WAKING, PRINT]

# The guest sleeps for 100 s, and mono stands still; then its clocks are a bit faster than before.
SLEPT = 100 * S
BOOT = [(5 * S + i * (S + 7), 200 * S + i * (S + 1234)) for i in range(10)] + \
       [(120 * S + i * S, 315 * S + i * (S - 4321)) for i in range(10)]
MONO = [(boot - (SLEPT if boot > SLEPT else 0), host) for boot, host in BOOT]
BEFORE = [(3 * S + i * S, 100 * S + i * S) for i in range(8)]   # the guest's start before
TEXTS = [b"short\n", b"long " + b"x" * 300, b"a\nhost  forged\x1b[2J\x9b", b"\xff\xfe"]


def clocks():
    """The guest_clock events of two VMs, on two CPUs."""
    cpus = [[], []]
    for i, (boot, host) in enumerate(BEFORE + BOOT):
        mono = boot - SLEPT if boot > SLEPT else boot
        cpus[i % 2].append((host + 2500, CLOCK.pack(71, host, boot, mono, 77, 1, i % 2, 0)))
        cpus[0].append((host + 3000, CLOCK.pack(72, host - 50, 7 * host, 7 * host, 77, 2, 0, 0)))
    # What can't be.
    cpus[1].append((205 * S, CLOCK.pack(71, 400 * S, 10 * S, 10 * S, 77, 1, 0, 0)))
    cpus[1].append((206 * S, CLOCK.pack(71, 205 * S + 5, 2 ** 64 - 1, 2 ** 64 - 1, 77, 1, 0, 0)))
    cpus[1].append((207 * S, CLOCK.pack(71, 206 * S + 5, 1, 1, 77, 1, 0, 0)))
    return [sorted(cpu) for cpu in cpus]


def guest_events(first, last):
    """Three streams of events, whose times are all different."""
    step = (last - first) // 400
    streams = [[(first + i * step * 3 + j, WAKING.pack(5 + j, 3 * i + j)) for i in range(133)]
               for j in range(3)]
    streams[1] += [(last - 10 + i, PRINT.pack(9, 0, text)) for i, text in enumerate(TEXTS)]
    streams[0][50] += (17,)         # events are lost before this one
    return streams


def make(name, clock, first, last):
    a, b, c = guest_events(first, last)
    traces.write(name, [WAKING, PRINT], {"": [a, b], "more": [[], c]}, clock,
                 [(5, "one"), (9, "name\twith")], 22)


def make_all():
    woken = [(150 * S + i * S // 2, WAKING.pack(71, i)) for i in range(400)]
    hyp = clocks()
    hyp[0] = sorted(hyp[0] + [(199 * S + i * S // 3, ENTER.pack(71, i)) for i in range(500)])
    traces.write("host.dat", TYPES, {"": [woken, []], "hyp": hyp}, "boot",
                 [(71, "qemu"), (72, "other")], 11)
    traces.write("empty.dat", TYPES, {"": [[], []]})
    traces.write("no-clocks.dat", TYPES, {"": [woken, []]})
    one = [[(201 * S, CLOCK.pack(71, 200 * S, 5 * S, 4 * S, 77, 3, 0, 0))], []]
    traces.write("one.dat", TYPES, {"": [[], []], "hyp": one})
    make("guest.dat", "boot", 4 * S + 1, 131 * S)
    make("mono.dat", "mono", 4 * S + 1, 31 * S)
    make("local.dat", "local", 4 * S, 31 * S)
    make("before.dat", "boot", 3 * S, 4 * S)
    with open("guest.dat", "rb") as whole, open("broken.dat", "wb") as broken:
        broken.write(whole.read()[:-20])


def exact(pairs, guest):
    """The host's time as a fraction: pairs are so far from each other that their slope counts."""
    at = max(sum(pair[0] <= guest for pair in pairs) - 1, 0)
    at = min(at, len(pairs) - 2)
    (guest_1, host_1), (guest_2, host_2) = pairs[at:at + 2]
    return host_1 + Fraction((guest - guest_1) * (host_2 - host_1), guest_2 - guest_1)


def run(*words):
    result = subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace",
                            check=True)
    return result.stdout, result.stderr


def merge_json(*words):
    out, messages = run("hyptrace", "merge", "--json", *words)
    return [json.loads(line) for line in out.splitlines()], messages


def check(what, condition):
    print("#" if condition else "# NOT:", what)
    if not condition:
        sys.exit(1)


def check_events(pairs, *words):
    events, messages = merge_json(*words)
    times = [event["time_ns"] for event in events]
    guest = [event for event in events if event["from"] == "guest"]
    wrong = [event for event in guest
             if abs(event["time_ns"] - exact(pairs, event["guest_ns"])) > Fraction(1, 2)]
    numbers = sorted(int(event["text"][2:]) for event in guest if event["event"] == "sched_waking")
    check(f"{words}: {len(events)} events in order", times == sorted(times))
    check(f"all of the guest: {len(guest)}",
          numbers == list(range(399)) and len(guest) == 399 + len(TEXTS))
    check("their times are exact", not wrong)
    check("all of the host", len(events) - len(guest) == 400 + 500 + 2 * 28 + 3)
    return events, messages


def check_text(events, *words):
    """Text and JSON are the same, and no line is forged."""
    lines = run("hyptrace", "merge", *words)[0].splitlines()
    check("lost events are told, in text and JSON",
          sum(event.get("lost", 0) for event in events) == 17 and
          "guest 17 events were lost on CPU 0" in lines)
    lines.remove("guest 17 events were lost on CPU 0")
    printed = []
    for event in events:
        comm = f"{event['comm']:>16}-{event['tid']:<7}"
        seconds = f"{event['time_ns'] // S}.{event['time_ns'] % S:09}"
        printed.append(f"{event['from']:5} {comm} [{event['cpu']:03}] {seconds}: "
                       f"{event['event']}: {event['text']}")
    check(f"text and JSON are the same: {len(lines)} lines", lines == printed)
    texts = [event["text"].split(": ")[1] for event in events if event["event"] == "print"]
    check(f"{texts[2:]} has no control characters", texts == [
        "short", "long " + "x" * 300, "a?host  forged?[2J?", "??"])
    check("nor has a name", any(event["comm"] == "name?with" for event in events))


def times_by_trace_cmd(*words):
    """Times of the guest's events, which have numbers. Some clocks' are shown in seconds."""
    out = run("trace-cmd", "report", "-t", *words)[0]
    return {int(match[2]): int(match[1].replace(".", ""))
            for match in re.finditer(r"-[567] .*\[\d+\] *([\d.]+): sched_waking: +n=(\d+)", out)}


def by_number(events):
    return {int(event["text"][2:]): event["time_ns"] for event in events
            if event["from"] == "guest" and event["event"] == "sched_waking"}


def check_shifted(events, *words):
    """The copy has the same times, but for what libtracecmd rounds, and for other buffers."""
    messages = run("hyptrace", "merge", *words, "-o", "shifted.dat")[1]
    times, mine = times_by_trace_cmd("-i", "shifted.dat"), by_number(events)
    off = max(abs(times[number] - mine[number]) for number in mine if number % 3 != 2)
    check(f"trace-cmd has the times of the copy, but for {off} ns",
          times.keys() == mine.keys() and off <= 2 and "-i shifted.dat" in messages)
    check("the other buffer is told", "buffer 'more' keeps" in messages)


def check_offset(events, messages):
    """The constant is for trace-cmd, and as good as was said."""
    match = re.search(r"by up to (\d+) ns.*\n +trace-cmd report (.* --ts-offset -?\d+)\n", messages)
    times, mine = times_by_trace_cmd(*match[2].split()), by_number(events)
    off = [times[number] - mine[number] for number in mine]
    most = max(map(abs, off))
    check(f"with the constant, the largest error is {most} ns of {match[1]}",
          times.keys() == mine.keys() and int(match[1]) * 0.9 <= most <= int(match[1]))
    # The last event that is compared is before the end, and the error grows there.
    check("another one would be worse", abs(max(off) + min(off)) <= int(match[1]) * 0.25)


def main():
    make_all()
    events, messages = check_events(BOOT, "host.dat", "guest.dat", "--vm", "1")
    check("its pairs are told",
          "VM 1: 20, from 5.000000000 to 129.000000000 s of its boot clock" in messages and
          "contradict others: 3\n" in messages and
          "run 2 of 2 is taken, which fits" in messages and
          "begins 0.999999999 s before" in messages and "ends 1.999999993 s behind" in messages)
    check_text(events, "host.dat", "guest.dat", "--vm", "1")
    check_shifted(events, "host.dat", "guest.dat", "--vm", "1")
    check_offset(events, messages)

    events, messages = check_events(MONO, "host.dat", "mono.dat", "--vm", "1")
    check("the other clock is used, too", "of its mono clock" in messages)
    check_shifted(events, "host.dat", "mono.dat", "--vm", "1")

    events, messages = check_events(BEFORE, "host.dat", "before.dat", "--vm", "1")
    check("the guest's first run is found", "run 1 of 2" in messages)
    events, messages = check_events(BEFORE, "host.dat", "before.dat", "--vm", "1", "--run", "1")
    check("or asked for", "run 1 of 2 is taken\n" in messages)

    run("trace-cmd", "convert", "-i", "guest.dat", "-o", "old.dat", "--file-version", "6")
    check_events(BOOT, "host.dat", "old.dat", "--vm", "1", "--clock", "boot")
    events, messages = merge_json("one.dat", "guest.dat")
    check("one pair is an offset",
          all(event["time_ns"] - event["guest_ns"] == 195 * S for event in events
              if event["from"] == "guest") and "by up to 0 ns" in messages)


main()
