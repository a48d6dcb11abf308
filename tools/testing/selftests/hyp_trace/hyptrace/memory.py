#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Looks at what hyptrace report --json says of the memory of hyp_blocks, which has a page of code and
three blocks, of which two are split. usage: KERNEL=6.18 memory.py MODE < JSON
"""

import json
import os
import sys

PAGE = 4096
BLOCK = 512 * PAGE

report = json.load(sys.stdin)
memory, splits = report["memory"], report["splits"]

# Only protected KVM maps guests' memory at EL2, and only since Linux 6.18.
if sys.argv[1] == "nvhe" or os.environ["KERNEL"] == "6.12":
    print("#", memory, splits, len(report["vcpus"]), "vCPUs")
    sys.exit(bool(memory or splits or not report["vcpus"]))

expected_memory = [{
    "most": {"bytes": 3 * BLOCK + PAGE, "blocks": 3, "pages": 1},
    "end": {"bytes": 0, "blocks": 0, "pages": 0},
    "shares": 1 + 3 + 3, "unshares": 1 + 3 + 3,
    "faults": 1 + 3 + 3,
}]
expected_splits = [
    {"cause": "KVM wants pages, as when it logs writes", "comm": "hyp_blocks",
     "blocks": 1, "pages": 2},
    {"cause": "taken back by the host", "comm": "hyp_blocks", "blocks": 1, "pages": 1},
]

for part in memory + splits:
    part.pop("vm")
tids = {split.pop("tid") for split in splits}
print("#", memory, splits, tids)
sys.exit(memory != expected_memory or splits != expected_splits or len(tids) != 1)
