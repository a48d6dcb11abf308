#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Check hyptrace's perfetto.proto with files of others: theirs.py PERFETTO CHROMIUM

PERFETTO is what make perfetto has recorded, CHROMIUM what Chromium has written at its start. What has a
name in our file must be there in one of theirs, and mean the same; what is in neither is listed."""

import collections
import re
import sys

from pftrace import PROTO, declare, decode, parse

# What neither has to have.
NOT_SEEN = {"CounterDescriptor.unit", "FtraceEventBundle.lost_events",
            "TrackDescriptor.child_ordering", "TrackDescriptor.sibling_order_rank"}


def fields_of_proto():
    """The types of fields, by message and field."""
    fields, message = {}, []
    for line in open(f"{PROTO}/perfetto.proto"):
        opened = re.match(r"\s*(message|enum) (\w+) {", line)
        field = re.match(r"\s*(?:optional|repeated) (\w+) (\w+) = \d+;", line)
        if opened:
            message.append(opened.group(2))
        elif re.match(r"\s*}", line):
            message.pop()
        elif field:
            fields[message[-1], field.group(2)] = field.group(1)
    return fields


def count(message, name, fields, seen):
    for field, values in message.items():
        seen[f"{name}.{field}"] += len(values)
        for value in values:
            if isinstance(value, dict) and (name, field) in fields:
                count(value, fields[name, field], fields, seen)


def interned(packets, data, name):
    """How often a number is of a text that its sequence has told, and how often of none."""
    texts, known = collections.defaultdict(set), collections.Counter()
    for packet in packets:
        sequence = (packet["trusted_packet_sequence_id"] or [0])[0]
        if packet["sequence_flags"] and packet["sequence_flags"][0] & 1:
            texts[sequence].clear()
        for told in packet["interned_data"]:
            texts[sequence].update(text["iid"][0] for text in told[data])
        for event in packet["track_event"]:
            for number in name(event):
                known[number in texts[sequence]] += 1
    return known


def check_chromium(packets):
    """Slices begin and end, their names are told, and so are their processes; times are plausible."""
    kinds = collections.Counter(e["type"][0] for p in packets for e in p["track_event"] if e["type"])
    assert kinds["TYPE_SLICE_BEGIN"] > 1000 and kinds["TYPE_SLICE_END"] > 1000, kinds
    assert kinds["TYPE_INSTANT"], kinds
    names = interned(packets, "event_names", lambda event: event["name_iid"])
    assert names[True] > 1000 and not names[False], names
    arguments = interned(packets, "debug_annotation_names",
                         lambda event: [n for a in event["debug_annotations"] for n in a["name_iid"]])
    assert arguments[True] > 100 and not arguments[False], arguments
    processes = {n for p in packets for d in p["track_descriptor"] for q in d["process"]
                 for n in q["process_name"]}
    assert "Browser" in processes and "Renderer" in processes, processes
    tracks = {d["uuid"][0] for p in packets for d in p["track_descriptor"]}
    used = {t for p in packets for d in p["trace_packet_defaults"] for e in d["track_event_defaults"]
            for t in e["track_uuid"]} | {t for p in packets for e in p["track_event"] for t in e["track_uuid"]}
    assert len(used & tracks) > 3, (used, tracks)
    incremental = [c for p in packets for s in p["clock_snapshot"] for c in s["clocks"] if c["is_incremental"]]
    assert incremental and all(c["clock_id"][0] > 63 for c in incremental), incremental
    flows = {f for p in packets for e in p["track_event"] for f in e["flow_ids"]}
    ends = {f for p in packets for e in p["track_event"] for f in e["terminating_flow_ids"]}
    assert len(flows & ends) > 10, (len(flows), len(ends))


def check_perfetto(packets, described):
    """Events that Perfetto has no types for have descriptors; the others' fields mean what we think."""
    assert any(name.startswith("vcpu_enter_") for name in described), described
    events = [e for p in packets for b in p["ftrace_events"] for e in b["event"]]
    switches = [s for e in events for s in e["sched_switch"]]
    assert any(s["next_comm"] == ["swapper/0"] and s["next_pid"] == [0] for s in switches), switches[:3]
    assert all(s["prev_prio"][0] <= 139 for s in switches)
    wakings = [s for e in events for s in e["sched_waking"]]
    assert wakings and all(s["target_cpu"][0] < 8 and s["pid"] for s in wakings)
    generic = [(name, m) for e in events for name in described for m in e[name]]
    assert any(name.startswith("vcpu_enter_") and m["pc"] and m["vm"] for name, m in generic), generic[:3]
    clocks = {c["clock_id"][0]: c["timestamp"][0] for p in packets for s in p["clock_snapshot"]
              for c in s["clocks"]}
    assert clocks[1] > 1577836800 * 10 ** 9 and abs(clocks[3] - clocks[6]) < 10 ** 9, clocks
    times = [e["timestamp"][0] for e in events]
    assert max(times) <= clocks[6] + 10 ** 10 and min(times) > 0


described = declare(decode(sys.argv[1]), "generic.proto")
perfetto = parse(decode(sys.argv[1], "generic.proto"))["packet"]
chromium = parse(decode(sys.argv[2]))["packet"]
check_perfetto(perfetto, described)
check_chromium(chromium)
fields, seen = fields_of_proto(), collections.Counter()
for packet in perfetto + chromium:
    count(packet, "TracePacket", fields, seen)
missing = {f"{message}.{field}" for message, field in fields if message != "Trace"} - seen.keys()
print(f"# {len(perfetto)} packets of Perfetto, {len(chromium)} of Chromium; {len(fields)} fields, of which "
      f"{len(missing)} are in neither: {', '.join(sorted(missing))}")
sys.exit(not missing <= NOT_SEEN)
