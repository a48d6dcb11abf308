# SPDX-License-Identifier: GPL-2.0-only
"""Writes a trace.dat with events that are made up (trace-cmd.dat.v7(5))."""

import itertools
import os
import struct

PAGE = 4096
MAX_DELTA = 1 << 27
OPTIONS, BUFFER, HEADERS, FTRACE, EVENTS, KALLSYMS, PRINTK, COMMANDS = 0, 3, 16, 17, 18, 19, 20, 21
TRACECLOCK, UNAME, TRACEID, CPUCOUNT = 4, 5, 11, 8
CLOCKS = "local global counter uptime perf mono mono_raw boot tai"

HEADER_PAGE = """\
	field: u64 timestamp;	offset:0;	size:8;	signed:0;
	field: local_t commit;	offset:8;	size:8;	signed:1;
	field: int overwrite;	offset:8;	size:1;	signed:1;
	field: char data;	offset:16;	size:4080;	signed:0;
"""
HEADER_EVENT = """\
# compressed entry header
	type_len    :    5 bits
	time_delta  :   27 bits
	array       :   32 bits

	padding     : type == 29
	time_extend : type == 30
	time_stamp : type == 31
	data max type_len  == 28
"""
COMMON = """\
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

"""
TYPES = {"u64": "Q", "u32": "I", "u16": "H"}


class Event:
    """A type of events; a text is a field of its own, behind the others."""

    def __init__(self, number, system, name, fields, printk, text=None):
        self.number, self.system, self.name, self.text = number, system, name, text
        self.types = [TYPES[kind] for kind, _ in fields]
        self.format = f"name: {name}\nID: {number}\nformat:\n{COMMON}"
        offset = 8
        for kind, field in fields:
            size = struct.calcsize(TYPES[kind])
            self.format += f"\tfield:{kind} {field};\toffset:{offset};\tsize:{size};\tsigned:0;\n"
            offset += size
        if text:
            self.format += f"\tfield:char {text}[];\toffset:{offset};\tsize:0;\tsigned:0;\n"
        self.format += f"\nprint fmt: {printk}\n"

    def pack(self, pid, *values):
        data = struct.pack("<HBBi" + "".join(self.types), self.number, 0, 0, pid,
                           *values[:len(self.types)])
        return data + (values[-1] + b"\0" if self.text else b"")


def page(start, data, lost):
    commit = len(data)
    if lost:
        data += struct.pack("<Q", lost)
        commit |= 1 << 31 | 1 << 30
    return struct.pack("<QQ", start, commit) + data.ljust(PAGE - 16, b"\0")


def pages(events):
    """The pages of a CPU, from (time, data, events lost before)."""
    result, start, last, body, missed = b"", None, 0, b"", 0
    for time, data, lost in events:
        data = data.ljust((len(data) + 3) // 4 * 4, b"\0")
        if start is None or lost or not 0 <= time - last < MAX_DELTA or \
           len(body) + len(data) + 8 > PAGE - 32:
            if start is not None:
                result += page(start, body, missed)
            start, last, body, missed = time, time, b"", lost
        length = len(data) // 4
        if length <= 28:
            body += struct.pack("<I", length | time - last << 5) + data
        else:
            body += struct.pack("<II", time - last << 5, len(data) + 4) + data
        last = time
    return result + page(start, body, missed) if start is not None else b""


class Repeated:
    """A CPU's events, which come again and again: each time by a period later."""

    def __init__(self, events, times, period):
        self.events, self.times, self.period = events, times, period

    def pages(self):
        once = pages([(*event, 0)[:3] for event in self.events])
        for i in range(self.times):
            again = bytearray(once)
            for at in range(0, len(again), PAGE):
                start, = struct.unpack_from("<Q", again, at)
                struct.pack_into("<Q", again, at, start + i * self.period)
            yield again


def section(number, data):
    return struct.pack("<HHIQ", number, 0, 0, len(data)) + data


def option(number, data):
    return struct.pack("<HI", number, len(data)) + data


def sized(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def formats(events):
    """The sections of events: ftrace's, and those of the other systems."""
    ftrace = [event for event in events if event.system == "ftrace"]
    others = sorted((event for event in events if event.system != "ftrace"),
                    key=lambda event: event.system)
    systems = [(name, list(its))
               for name, its in itertools.groupby(others, lambda event: event.system)]
    text = struct.pack("<I", len(systems))
    for name, its in systems:
        text += name.encode() + b"\0" + struct.pack("<I", len(its))
        text += b"".join(sized(event.format) for event in its)
    return struct.pack("<I", len(ftrace)) + b"".join(sized(e.format) for e in ftrace), text


def kallsyms(functions):
    text = "".join(f"{address:016x} T {name}\n" for address, name in functions.items()).encode()
    return struct.pack("<I", len(text)) + text


def write(path, types, buffers, clock="boot", commands=(), trace_id=1, functions=()):
    """Write a trace.dat.

    buffers has the CPUs of each buffer, by its name, "" for the top one: of each CPU, the events
    in order, as (time, data[, events lost before]), or Repeated. functions has names by addresses."""
    with open(path, "wb") as file:
        file.write(b"\x17\x08\x44tracing" + b"7\0\0\x08" + struct.pack("<I", PAGE) + b"none\0\0")
        at_options = file.tell()
        file.write(bytes(8))
        options = b""
        ftrace, others = formats(types)
        names = "".join(f"{pid} {name}\n" for pid, name in commands)
        for number, data in (
                (HEADERS, b"header_page\0" + sized(HEADER_PAGE) +
                 b"header_event\0" + sized(HEADER_EVENT)),
                (FTRACE, ftrace), (EVENTS, others), (KALLSYMS, kallsyms(dict(functions))), (PRINTK, bytes(4)),
                (COMMANDS, sized(names))):
            options += option(number, struct.pack("<Q", file.tell()))
            file.write(section(number, data))
        clocks = CLOCKS.replace(f" {clock} ", f" [{clock}] ") + "\n"
        options += option(TRACECLOCK, clocks.encode() + b"\0")
        options += option(UNAME, b"Linux test 6.12 aarch64\0")
        options += option(TRACEID, struct.pack("<Q", trace_id))
        options += option(CPUCOUNT, struct.pack("<I", max(map(len, buffers.values()))))
        for name, cpus in buffers.items():
            options += option(BUFFER, write_buffer(file, name, clock, cpus))
        offset = file.tell()
        file.write(section(OPTIONS, options + option(0, bytes(8))))
        file.seek(at_options)
        file.write(struct.pack("<Q", offset))


def write_buffer(file, name, clock, cpus):
    start = file.tell()
    told = struct.pack("<Q", start) + name.encode() + b"\0" + clock.encode() + b"\0"
    told += struct.pack("<II", PAGE, len(cpus))
    file.write(section(BUFFER, b""))
    for cpu, events in enumerate(cpus):
        file.write(bytes(-file.tell() % PAGE))
        if not isinstance(events, Repeated):
            events = Repeated(events, 1, 0)
        at = file.tell()
        for data in events.pages():
            file.write(data)
        told += struct.pack("<IQQ", cpu, at, file.tell() - at)
    end = file.tell()
    file.seek(start)
    file.write(struct.pack("<HHIQ", BUFFER, 0, 0, end - start - 16))
    file.seek(0, os.SEEK_END)
    return told
