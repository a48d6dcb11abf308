#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Decode with protoc what hyptrace export has written, and compare it with what hyptrace report
and trace-cmd say of the same recording: exported.py RECORDING EXPORT [PART]

PART is "no-raw" if the export has no events, or "cut" if it has only a part of the recording: then it
is only decoded. Each difference is printed; the exit status is 0 if there is none."""

import collections
import csv
import io
import json
import os
import re
import subprocess
import sys

import tracecmd
from pftrace import declare, decode, parse, run

CLEARED, NEEDED = 1, 2
REAL, MONO, BOOT, OF_TRACK = 1, 3, 6, 64
WITH_REASON = ("hyp_enter", "hyp_exit")
IS_MONO = "MONO" in os.environ         # the recording's clock

Slice = collections.namedtuple("Slice", "start end name args depth flows ended children")


class Sequence:
    """What the packets of a sequence have told."""

    def __init__(self, packet):
        assert packet["sequence_flags"] == [CLEARED], packet
        clocks = {clock["clock_id"][0]: clock for clock in packet["clock_snapshot"][0]["clocks"]}
        assert clocks[OF_TRACK]["is_incremental"] == ["true"], packet
        assert clocks[OF_TRACK]["timestamp"] == clocks[BOOT]["timestamp"], packet
        defaults = packet["trace_packet_defaults"][0]
        assert defaults["timestamp_clock_id"] == [OF_TRACK], packet
        self.now = clocks[OF_TRACK]["timestamp"][0]
        self.track = defaults["track_event_defaults"][0]["track_uuid"][0]
        self.texts = {}

    def learn(self, data):
        for use in "event_names", "debug_annotation_names":
            for text in data[use]:
                key = use, text["iid"][0]
                assert key not in self.texts, key
                self.texts[key] = text["name"][0]

    def argument(self, annotation):
        name = self.texts["debug_annotation_names", annotation.pop("name_iid")[0]]
        (value,), = (v for v in annotation.values() if v)
        return name, value


class Track:
    """A track, and what is on it: slices in the order of their ends."""

    def __init__(self, descriptor):
        self.name = descriptor["name"][0]
        self.parent = (descriptor["parent_uuid"] or [None])[0]
        self.process = descriptor["process"]
        self.slices, self.instants, self.values, self.open = [], [], [], []

    def event(self, now, event, sequence):
        kind = event["type"][0]
        if kind == "TYPE_SLICE_END":
            start, name, args, flows, ended, children = self.open.pop()
            done = Slice(start, now, name, args, len(self.open), flows, ended, children)
            self.slices.append(done)
            if self.open:
                self.open[-1][-1].append(done)
            return
        if kind == "TYPE_COUNTER":
            self.values.append((now, event["counter_value"][0]))
            return
        name = sequence.texts["event_names", event["name_iid"][0]]
        args = dict(sequence.argument(a) for a in event["debug_annotations"])
        moment = now, name, args, event["flow_ids"], event["terminating_flow_ids"]
        if kind == "TYPE_SLICE_BEGIN":
            self.open.append((*moment, []))
        else:
            assert kind == "TYPE_INSTANT", kind
            self.instants.append(moment)


class Export:
    def __init__(self, path):
        self.tracks, self.sequences, self.clocks, self.events = {}, {}, [], []
        self.described = declare(decode(path), "generic.proto")
        self.to_boot = 0
        for packet in parse(decode(path, "generic.proto"))["packet"]:
            self.packet(packet)
        assert not any(track.open for track in self.tracks.values()), "slices do not end"
        pids = [process["pid"][0] for track in self.tracks.values() for process in track.process]
        assert len(pids) == len(set(pids)), "processes with the same pid"

    def packet(self, packet):
        number = (packet["trusted_packet_sequence_id"] or [0])[0]
        for descriptor in packet["track_descriptor"]:
            uuid = descriptor["uuid"][0]
            if uuid in self.tracks:
                self.tracks[uuid].name = descriptor["name"][0]
            else:
                self.tracks[uuid] = Track(descriptor)
        if packet["trace_packet_defaults"]:
            assert number not in self.sequences
            self.sequences[number] = Sequence(packet)
        elif packet["clock_snapshot"]:
            self.clocks.append({clock["clock_id"][0]: clock["timestamp"][0]
                                for clock in packet["clock_snapshot"][0]["clocks"]})
            self.to_boot = self.clocks[0][BOOT] - self.clocks[0][MONO] if IS_MONO else 0
        for bundle in packet["ftrace_events"]:
            self.bundle(bundle)
        if not packet["track_event"] and not packet["interned_data"]:
            return
        assert packet["sequence_flags"] == [NEEDED], packet
        sequence = self.sequences[number]
        for data in packet["interned_data"]:
            sequence.learn(data)
        for event in packet["track_event"]:
            sequence.now += packet["timestamp"][0]
            self.tracks[sequence.track].event(sequence.now - self.to_boot, event, sequence)

    def bundle(self, bundle):
        for event in bundle["event"]:
            (name, (message,)), = ((k, v) for k, v in event.items()
                                   if v and k not in ("timestamp", "pid"))
            if name in self.described:
                name = name.rsplit("_", 1)[0]
            self.events.append((bundle["cpu"][0], event["timestamp"][0] - self.to_boot, event["pid"][0], name,
                                {key: value[0] for key, value in message.items()}))

    def path(self, track):
        return (self.path(self.tracks[track.parent]) if track.parent else ()) + (track.name,)


def away(slice_):
    """The time that was spent elsewhere within a slice."""
    return sum(child.end - child.start if child.name in ("[guest]", "[firmware]") else away(child)
               for child in slice_.children)


def is_of_vm(path, number):
    """Is it a VM's track, or one below that? Its name may follow the number."""
    return path[0].split()[:2] == ["VM", str(number)]


def check_states(export, report):
    """What vCPUs did until their last exits is what the report says."""
    tracks = {export.path(track): track for track in export.tracks.values()}
    for vcpu in report["vcpus"]:
        process = next(path for path in tracks if is_of_vm(path, vcpu["vm"]))[0]
        track = tracks[process, f"vCPU {vcpu['vcpu']}"]
        time = collections.Counter()
        for state in track.slices:
            assert state.depth == 0, state
            if vcpu["first_ns"] <= state.start and state.end <= vcpu["last_ns"]:
                time[state.name] += state.end - state.start
        told = {name: ns for name, ns in vcpu["time_ns"].items() if ns}
        assert dict(+time) == told, (vcpu["vm"], vcpu["vcpu"], time, told)
        runs = [state for state in track.slices if state.name == "guest" and state.ended]
        woken = {moment[3][0]: moment[0] for moment in track.instants}
        waits = [state.start - woken[state.ended[0]] for state in runs]
        # What the thread did when it was woken first may not be known, nor behind a gap.
        unknown = vcpu["wakeups"]["count"] - len(waits)
        assert 0 <= unknown <= (10 ** 9 if report["lost"] else 1), (waits, vcpu["wakeups"])
        assert unknown or sum(waits) == vcpu["wakeups"]["total_ns"], (waits, vcpu["wakeups"])
    return tracks


def check_stays(export, tracks, intervals):
    """Each interval of the host, and of firmware and guests inside, is a slice of its CPU, and of its
    vCPU's track."""
    told = collections.Counter(
        (int(i["cpu"]), i["reason"] if i["kind"] != "guest" else "[guest]", int(i["start_ns"]),
         int(i["duration_ns"]))
        for i in intervals if i["kind"] in ("hcall", "smc", "psci", "abort", "guest") and i["reason"] != "?")
    found, of_vcpus = collections.Counter(), collections.Counter()
    for path, track in tracks.items():
        for s in track.slices if path[0] == "hypervisor" else ():
            # Of functions outside of a stay, nobody has told for what they were.
            if s.name not in ("[firmware]", "EL2") and (s.depth == 0 or s.name == "[guest]"):
                found[int(path[1].split()[1]), s.name, s.start, s.end - s.start - away(s)] += 1
        for s in track.slices if path[-1] == "EL2" else ():
            of_vcpus[s.name, s.start, s.end - s.start - away(s)] += 1
    missing = told - found
    assert told and not missing, ("not in the export", list(missing)[:3])
    # A stay of which a part is missing has no interval.
    assert sum((found - told).values()) <= SPARE, ("not in the report", list(found - told)[:9])
    vcpus = collections.Counter((name, start, ns) for _, name, start, ns in told)
    assert sum((vcpus - of_vcpus).values()) <= SPARE + OF_OTHERS, list(vcpus - of_vcpus)[:9]
    return sum(told.values())


def check_exits(tracks, intervals):
    """Each exit's reason is an argument of what EL2 did then, and so is what it was for."""
    told = collections.Counter((i["reason"], int(i["value"] or "0", 0) if not i["name"] else i["name"])
                               for i in intervals if i["kind"].startswith("exit"))
    found = collections.Counter()
    for path, track in tracks.items():
        before = None
        for s in track.slices if len(path) == 2 and path[0] != "hypervisor" else ():
            if "reason" in s.args and (not before or "reason" not in before.args):
                found[s.args["reason"], s.args.get("name") or s.args.get("address") or
                      s.args.get("number") or 0] += 1
            before = s
    missing = told - found
    assert told and not missing, (missing, found - told)


def check_guests(export, tracks):
    """What guests have recorded is there twice: on tracks of theirs, and as events."""
    told = collections.Counter((time, name, fields["client"]) for _, time, _, name, fields in export.events
                               if name == "guest_mark" or name.startswith("guest_trace_"))
    found = collections.Counter((time, name, args["client"]) for track in tracks.values()
                                for time, name, args, *_ in track.instants if name != "woken")
    assert found == told, (told - found, found - told)
    # Arguments that an event does not use are left out.
    used = {(time, name): fields.get("count") for _, time, _, name, fields in export.events}
    for track in tracks.values():
        for time, name, args, *_ in track.instants:
            if name.startswith("guest_trace_"):
                assert sum(re.fullmatch(r"a\d+", arg) is not None for arg in args) == used[time, name], args


def check_memory(tracks, report):
    for vm in report["memory"]:
        values = next(track.values for path, track in tracks.items()
                      if is_of_vm(path, vm["vm"]) and path[-1].startswith("memory"))
        assert values[-1][1] == vm["end"]["bytes"], (vm, values[-1])
        assert max(value for _, value in values) == vm["most"]["bytes"], vm


def check_clocks(export, intervals):
    """The wall clock is what the report says."""
    walls = {int(i["wall_ns"]) - int(i["start_ns"]) for i in intervals if i["wall_ns"]}
    assert walls == {c[REAL] - c[MONO if IS_MONO else BOOT] for c in export.clocks}, (walls, export.clocks)


def check_raw(export, path):
    """The events are those that trace-cmd prints, and hyp_enter and hyp_exit have their reasons."""
    told = collections.Counter()
    text = run("trace-cmd", "report", "-t", "-i", path, stderr=subprocess.DEVNULL)
    for event in tracecmd.events(text.decode(errors="replace").splitlines()):
        if event.name == tracecmd.GAP:
            continue
        reason = tracecmd.word(event, "reason") if event.name in WITH_REASON else None
        told[event.cpu, event.time, event.pid, event.name, reason] += 1
    found = collections.Counter(
        (cpu, time, pid, name, fields["reason"] if name in WITH_REASON else None)
        for cpu, time, pid, name, fields in export.events)
    assert told and found == told, (list(told - found)[:3], list(found - told)[:3])


path, exported = sys.argv[1:3]
part = sys.argv[3] if len(sys.argv) > 3 else None
SPARE = int(os.environ.get("SPARE", "0"))
OF_OTHERS = int(os.environ.get("OF_OTHERS", "0"))
export = Export(exported)
flows = collections.Counter(f for t in export.tracks.values() for m in t.instants for f in m[3])
ends = collections.Counter(f for t in export.tracks.values() for s in t.slices for f in s.ended)
assert all(n == 1 for n in (flows | ends).values()), "a flow has more than one begin, or end"
slices = sum(len(track.slices) for track in export.tracks.values())
if part == "cut":
    assert slices or export.events
    print(f"# {slices} slices, {len(export.events)} events")
    sys.exit()
assert not ends - flows, "a flow has no begin"
assert bool(export.events) == (part != "no-raw")
report = json.loads(run("hyptrace", "report", "-i", path, "--json", stderr=subprocess.DEVNULL))
intervals = list(csv.DictReader(io.StringIO(run(
    "hyptrace", "report", "-i", path, "--intervals", stderr=subprocess.DEVNULL).decode())))
check_clocks(export, intervals)
tracks = check_states(export, report)
stays = check_stays(export, tracks, intervals)
check_exits(tracks, intervals)
check_memory(tracks, report)
if export.events:
    check_guests(export, tracks)
    check_raw(export, path)
print(f"# {slices} slices, {stays} of them intervals, {len(export.events)} events")
