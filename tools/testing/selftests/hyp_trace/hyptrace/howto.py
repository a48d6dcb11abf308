#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes the commands of hyp-howto.rst into DIR/table and DIR/clean. howto.py FILE DIR"""

import re
import sys

text = open(sys.argv[1]).read()
table, rest = text.split(".. list-table::", 1)[1].split("\nClean up\n", 1)
commands = []
for row in table.split("\n   * - ")[2:]:
    _, cell, _ = row.split("\n     - ", 2)
    for command in re.findall(r"``(.*?)``", cell, re.S):
        command = re.sub(r"\s+", " ", command)
        if command.startswith("--"):        # other options of the command before
            command = "hyptrace report " + command
        elif command == "b.json":           # "the same to b.json"
            command = commands[-1].replace("a.json", command)
        elif " " not in command and not command.startswith("hyptrace"):
            continue                        # a parameter of the kernel, or a file
        commands.append(command)
clean = re.findall(r"^  # (.*?) *(?:#.*)?$", rest.split("\nMore\n")[0], re.M)
for name, lines in ("table", commands), ("clean", clean):
    with open(f"{sys.argv[2]}/{name}", "w") as file:
        file.writelines(line + "\n" for line in lines)
sys.exit(len(commands) < 20 or len(clean) < 8)
