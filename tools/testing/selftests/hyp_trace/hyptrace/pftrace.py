# SPDX-License-Identifier: GPL-2.0-only
"""Reads files for Perfetto, by protoc and hyptrace's perfetto.proto."""

import collections
import os
import subprocess

PROTO = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../../../hyptrace")
FIRST_GENERIC = 65536
TYPES = {"TYPE_INT64": "int64", "TYPE_UINT64": "uint64", "TYPE_STRING": "string"}


def run(*command, **more):
    """What a command prints."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, **more).stdout


def value_of(text):
    if text[0] == '"':
        return text[1:-1].encode().decode("unicode_escape") if "\\" in text else text[1:-1]
    return int(text) if text.lstrip("-").isdigit() else text


def parse(lines):
    """protobuf's text format, as protoc prints it: messages become dictionaries of lists."""
    stack = [collections.defaultdict(list)]
    for line in lines:
        name, _, value = line.strip().partition(" ")
        if name == "}":
            stack.pop()
        elif value == "{":
            message = collections.defaultdict(list)
            stack[-1][name.strip("[]").removeprefix("generic.")].append(message)
            stack.append(message)
        else:
            stack[-1][name[:-1]].append(value_of(value))
    assert len(stack) == 1
    return stack[0]


def decode(path, *protos):
    """The lines of a file as protoc prints it."""
    with open(path, "rb") as file:
        return run("protoc", f"--proto_path={PROTO}", "--proto_path=.", "--decode=perfetto.Trace",
                   f"{PROTO}/perfetto.proto", *protos, stdin=file).decode().splitlines()


def descriptors(lines):
    """Only the descriptors of events."""
    inside = False
    for line in lines:
        if line == "    generic_event_descriptors {":
            inside = True
        if inside:
            yield line
        if line == "    }":
            inside = False


def declare(lines, path):
    """Write what the descriptors of events describe as protobuf's source, and return the names."""
    names, source = set(), ['syntax = "proto2";', 'package generic;', 'import "perfetto.proto";']
    for descriptor in parse(descriptors(lines))["generic_event_descriptors"]:
        message, number = descriptor["event_descriptor"][0], descriptor["field_id"][0]
        assert number >= FIRST_GENERIC
        name = f"{message['name'][0]}_{number}"
        if name in names:               # Perfetto repeats what it has told
            continue
        fields = " ".join(f"optional {TYPES[f['type'][0]]} {f['name'][0]} = {f['number'][0]};"
                          for f in message["field"])
        source += [f"message Of_{name} {{ {fields} }}",
                   f"extend perfetto.FtraceEvent {{ optional Of_{name} {name} = {number}; }}"]
        names.add(name)
    with open(path, "w") as file:
        file.write("\n".join(source))
    return names
