#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Compute from trace-cmd's text what hyptrace report computes from the trace.dat.

usage: trace-cmd report -i trace.dat | intervals.py REPORT.json

REPORT.json is from hyptrace report --json. Each difference is printed; the exit status is 0
if there is none (percentiles may be 1 % apart, unless EXACT is set), and if each kind in the environment's KINDS was there, as many gaps by lost events
as GAPS says, and as many wake-ups as WAKEUPS says; if VMM is set, a VMM has run, too.
"""

import collections
import json
import os
import sys

import tracecmd
from tracecmd import GAP, switch, word

KINDS_OF_STAYS = {"hvc": "hcall", "smc": "smc", "host_abort": "abort"}
ACTIVITIES = ("guest", "EL2", "firmware", "kvm", "vmm", "preempted", "blocked")

Run = collections.namedtuple("Run", "vcpu start end reason stay pid")


def stays(events):
    """What a CPU does from an exception of the host until the host goes on; or from or to a gap."""
    stay, firmware = None, None
    for event in events:
        if event.name == GAP:
            if stay:
                yield stay
            stay, firmware = [], None
            continue
        if event.name == "hyp_enter" and word(event, "reason") in KINDS_OF_STAYS and \
           word(event, "reason") != firmware:
            stay = []
        if event.name in ("hyp_enter", "hyp_exit"):
            firmware = word(event, "reason") if event.name == "hyp_exit" else None
        if stay is None:
            continue
        stay.append(event)
        if event.name == "hyp_exit" and word(event, "reason") == "eret_host":
            yield stay
            stay = None


def gaps(stay):
    """When the CPU was not at EL2: (start, end, where, index of the hyp_exit)."""
    left = None
    for i, event in enumerate(stay):
        if event.name == "hyp_exit":
            left = i
        elif event.name == "hyp_enter" and left is not None:
            yield stay[left].time, event.time, word(stay[left], "reason"), left
            left = None


def reason_of_exit(stay, entered):
    for event in stay[entered:]:
        if event.name == "vcpu_exit":
            return word(event, "reason")
    return "?"


def host_interval(stay, exception_classes):
    """Kind, reason and duration of a stay."""
    if (stay[0].name, stay[-1].name) != ("hyp_enter", "hyp_exit") or \
       word(stay[0], "reason") not in KINDS_OF_STAYS or word(stay[-1], "reason") != "eret_host":
        return None, None, None         # there is a gap before or after it
    kind = KINDS_OF_STAYS[word(stay[0], "reason")]
    away = sum(end - start for start, end, _, _ in gaps(stay))
    reason = None
    for event in stay:
        if event.name == "host_hcall":
            reason = event.text.split()[0]
        elif event.name == "host_smc":
            reason = event.text.split()[0]
        elif event.name == "host_mem_abort":
            number = int(word(event, "esr"), 16) >> 26 & 0x3f
            reason = exception_classes.get(number, hex(number))
    if any(where == "psci" for _, _, where, _ in gaps(stay)):
        kind = "psci"
    return kind, reason, stay[-1].time - stay[0].time - away


def runs_of(number, stay, vcpu_of):
    """The guest's runs in a stay. vcpu_of has the last vCPU of each thread."""
    runs = [gap for gap in gaps(stay) if gap[2] == "eret_guest"]
    if stay[-1].name == "hyp_exit" and word(stay[-1], "reason") == "eret_guest":
        runs.append((stay[-1].time, None, "eret_guest", len(stay) - 1))  # its end is missing
    for start, end, _, left in runs:
        at = next((i for i, event in enumerate(stay) if i > left and event.name == "hyp_enter"),
                  len(stay))
        told = [event for event in stay[:at + 2] if "vcpu=" in event.text]
        pid = stay[0].pid
        if told:
            vcpu_of[pid] = int(word(told[-1], "vm")), int(word(told[-1], "vcpu"))
        if pid in vcpu_of:
            yield Run(vcpu_of[pid], start, end, reason_of_exit(stay, at), number, pid)


def percentile(times, percent):
    return sorted(times)[(len(times) * percent + 99) // 100 - 1]


def is_alike(mine, theirs):
    """Count, sum, minimum and maximum are equal, and percentiles are not more than 1 % apart."""
    if not mine or not theirs or mine[:4] != theirs[:4]:
        return False
    return mine[4:] == theirs[4:] or ("EXACT" not in os.environ and
        all(abs(m - t) <= 0.01 * m for m, t in zip(mine[4:], theirs[4:])))


def are_alike(woken, theirs):
    names = ("count", "total_ns", "min_ns", "max_ns", "p50_ns", "p99_ns")
    return woken["max_ended_ns"] == theirs["max_ended_ns"] and \
        is_alike(tuple(woken[name] for name in names), tuple(theirs[name] for name in names))


def overlap(start, end, first, last):
    return max(0, min(end, last) - max(start, first))


def wakeups(events):
    """From waking a thread until it runs a guest: by thread, (duration, end)."""
    woken, found = {}, collections.defaultdict(list)
    for event in events:
        if event.name == "sched_waking":
            woken.setdefault(int(word(event, "pid")), event.time)
        elif event.name == "sched_switch":
            if switch(event).state[0] != "R":
                woken.pop(switch(event).left, None)
        elif event.name == "hyp_exit" and event.pid in woken and \
                word(event, "reason") == "eret_guest":
            found[event.pid].append((event.time - woken.pop(event.pid), event.time))
    return found


def summary(waits):
    """What --json has of these waits."""
    times = [duration for duration, _ in waits]
    return {"count": len(times), "total_ns": sum(times), "min_ns": min(times, default=0),
            "max_ns": max(times, default=0),
            "p50_ns": percentile(times, 50) if times else 0,
            "p99_ns": percentile(times, 99) if times else 0,
            "max_ended_ns": next((end for duration, end in waits if duration == max(times)), 0)}


def off_cpu(events, pid):
    """When a thread did not run: (start, end, activity)."""
    since = None
    for event in events:
        if event.name != "sched_switch":
            continue
        left, state, entered = switch(event)
        if left == pid:
            since = event.time, "preempted" if state[0] == "R" else "blocked"
        elif entered == pid and since:
            yield since[0], event.time, since[1]
            since = None


def in_vmm(events, pid):
    """When the VMM had a thread: (start, end)."""
    since = None
    for event in events:
        if event.pid != pid:
            continue
        if event.name == "kvm_userspace_exit" and since is None:
            since = event.time
        elif event.name == "kvm_entry" and since is not None:
            yield since, event.time
            since = None
    if since is not None:
        yield since, events[-1].time


def breakdown(runs, all_stays, events):
    """Parts of a vCPU's time from its first entry to its last exit."""
    first, last, pid = runs[0].start, runs[-1].end, runs[0].pid
    its_stays = [stay for stay in all_stays if stay[0].pid == pid]
    time = dict.fromkeys(ACTIVITIES, 0)
    time["guest"] = sum(run.end - run.start for run in runs)
    for stay in its_stays:
        time["EL2"] += overlap(stay[0].time, stay[-1].time, first, last)
        time["EL2"] -= sum(overlap(start, end, first, last) for start, end, _, _ in gaps(stay))
        time["firmware"] += sum(overlap(start, end, first, last)
                                for start, end, where, _ in gaps(stay) if where in ("smc", "psci"))
    not_running = list(off_cpu(events, pid))
    for start, end in in_vmm(events, pid):
        start, end = max(start, first), min(end, last)
        if start >= end:
            continue
        time["vmm"] += end - start - sum(overlap(off, on, start, end) for off, on, _ in not_running)
        for stay in its_stays:
            at_el2 = max(start, stay[0].time), min(end, stay[-1].time)
            if at_el2[0] < at_el2[1]:
                time["vmm"] -= at_el2[1] - at_el2[0]
                time["vmm"] += sum(overlap(off, on, *at_el2) for off, on, _ in not_running)
    for start, end, activity in not_running:
        start, end = max(start, first), min(end, last)
        time[activity] += max(0, end - start)
        # KVM makes hypercalls for a thread that is being switched from: that is EL2's time.
        time[activity] -= sum(overlap(stay[0].time, stay[-1].time, start, end)
                              for stay in its_stays if start < end)
    time["kvm"] = last - first - sum(time.values())
    return time


def parts_of_exits(report, vcpu):
    """What a vCPU did while the host handled its exits, added up."""
    rows = [row for row in report["rows"] if row["kind"] == "exit_host" and
            (row["vm"], row["vcpu"]) == (vcpu["vm"], vcpu["vcpu"])]
    return {activity: sum(row["time_ns"][activity] for row in rows) for activity in ACTIVITIES[2:]}


def main():
    events = list(tracecmd.events(sys.stdin))
    report = json.load(open(sys.argv[1]))
    classes = {int(word(e, "esr"), 16) >> 26 & 0x3f: word(e, "reason")
               for e in events if e.name == "vcpu_exit" and word(e, "reason").isupper()}
    classes.update({0x20: "IABT_LOW", 0x24: "DABT_LOW"})
    by_cpu = collections.defaultdict(list)
    for event in events:
        if event.is_hyp:
            by_cpu[event.cpu].append(event)
    all_stays = [stay for cpu in by_cpu for stay in stays(by_cpu[cpu])]
    all_stays.sort(key=lambda stay: stay[0].time)
    missing = [event.time for event in events if event.name == GAP]
    vcpu_of = {}

    times = collections.defaultdict(list)
    by_vcpu = collections.defaultdict(list)
    for number, stay in enumerate(all_stays):
        kind, reason, duration = host_interval(stay, classes)
        if reason:
            times[0, 0, kind, reason].append(duration)
        for start, end, where, left in gaps(stay):
            if where == "smc":
                named = any(event.name == "host_smc" for event in stay[:left])
                times[0, 0, "firmware", reason if named else "?"].append(end - start)
        for run in runs_of(number, stay, vcpu_of):
            by_vcpu[run.vcpu].append(run)
    for vcpu, runs in by_vcpu.items():
        runs.sort(key=lambda run: run.start)
        for run, following in zip(runs, runs[1:] + [None]):
            if run.end is None:
                continue
            times[(*vcpu, "guest", "-")].append(run.end - run.start)
            if following and not any(run.end < gap <= following.start for gap in missing):
                kind = "exit_el2" if run.stay == following.stay else "exit_host"
                times[(*vcpu, kind, run.reason)].append(following.start - run.end)

    mine = {key: (len(t), sum(t), min(t), max(t), percentile(t, 50), percentile(t, 99))
            for key, t in times.items()}
    theirs = {(r["vm"], r["vcpu"], r["kind"], r["reason"]):
              (r["count"], r["total_ns"], r["min_ns"], r["max_ns"], r["p50_ns"], r["p99_ns"])
              for r in report["rows"]}
    bad = False
    for key in sorted(mine.keys() | theirs.keys()):
        if not is_alike(mine.get(key), theirs.get(key)):
            print("#", key, "text:", mine.get(key), "hyptrace:", theirs.get(key))
            bad = True
    # What a vCPU did in a gap is not known.
    waits, nr_wakeups, in_vmms = wakeups(events), 0, 0
    for vcpu in report["vcpus"] if not missing else []:
        runs = [run for run in by_vcpu[vcpu["vm"], vcpu["vcpu"]] if run.end is not None]
        parts = breakdown(runs, all_stays, events)
        if parts != vcpu["time_ns"]:
            print("#", vcpu["vm"], vcpu["vcpu"], "text:", parts, "hyptrace:", vcpu["time_ns"])
            bad = True
        # Nothing of these is elsewhere.
        exits = parts_of_exits(report, vcpu)
        if any(exits[activity] != parts[activity] for activity in exits):
            print("#", vcpu["vm"], vcpu["vcpu"], "text:", parts, "exits:", exits)
            bad = True
        in_vmms += parts["vmm"]
        woken = summary(waits[vcpu["tid"]])
        nr_wakeups += woken["count"]
        if not are_alike(woken, vcpu["wakeups"]):
            print("#", vcpu["vm"], vcpu["vcpu"], "text:", woken, "hyptrace:", vcpu["wakeups"])
            bad = True
    there = {key[2] for key in mine}
    for kind in os.environ.get("KINDS", "").split():
        if kind not in there:
            print("# nothing of kind", kind)
            bad = True
    print("#", len(mine), "rows,", len(report["vcpus"]), "vCPUs,", len(events), "events,",
          len(missing), "gaps,", nr_wakeups, "wake-ups,", in_vmms, "ns in VMMs")
    sys.exit(bad or not mine or not report["vcpus"] or
             (in_vmms == 0 and "VMM" in os.environ) or
             nr_wakeups < int(os.environ.get("WAKEUPS", "0")) or
             len(missing) < int(os.environ.get("GAPS", "0")))


main()
