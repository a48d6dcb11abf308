#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make something slower: slower.py MEASURED.json KIND REASON NS_MORE_EACH"""

import json
import sys

root = json.load(open(sys.argv[1]))
changed = [row for row in root["rows"] if [row["kind"], row["reason"]] == sys.argv[2:4]]
for row in changed:
    row["total_ns"] += row["count"] * int(sys.argv[4])
json.dump(root, sys.stdout)
sys.exit(not changed)
