#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare totals with a report of the same: agree.py TOTALS.json REPORT.json

Counts are equal. A time of the totals is rounded once, but in the trace two time stamps are,
and its clock may have been corrected in between. Each event that is recorded costs time, but
inside of what is measured by both.
"""

import json
import sys

PER_SAMPLE_NS = 2
CORRECTIONS_NS = 5000


def rows(path):
    return {(r["vm"], r["vcpu"], r["kind"], r["reason"]): r
            for r in json.load(open(path))["rows"] if r["kind"] in ("guest", "exit_host", "exit_el2")}


totals, report = rows(sys.argv[1]), rows(sys.argv[2])
bad = totals.keys() != report.keys()
for key in sorted(totals.keys() | report.keys()):
    t, r = totals.get(key), report.get(key)
    if not t or not r or t["count"] != r["count"] or \
       abs(t["total_ns"] - r["total_ns"]) > PER_SAMPLE_NS * t["count"] + CORRECTIONS_NS:
        print("#", key, t and (t["count"], t["total_ns"]), r and (r["count"], r["total_ns"]))
        bad = True
print("#", len(totals), "rows,", sum(t["count"] for t in totals.values()), "samples")
sys.exit(bad or len(totals) < 12 or {key[2] for key in totals} != {"guest", "exit_host", "exit_el2"})
