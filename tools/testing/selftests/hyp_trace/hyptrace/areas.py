#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare a timeline with the times that it shows: areas.py TIMELINE.svg REPORT.json

Of each vCPU's row, an activity's area is its part of the time between the first entry and the
last exit of all vCPUs.
"""

import collections
import json
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
TOLERANCE = 0.01

vcpus = json.load(open(sys.argv[2]))["vcpus"]
rectangles = [r.attrib for r in tree.parse(sys.argv[1]).getroot().iter(SVG + "rect")]
legend, drawn = {}, collections.defaultdict(float)
names = list(vcpus[0]["time_ns"])
for r in rectangles[1:]:                # the first one is the background
    if len(legend) < len(names):
        legend[r["fill"]] = names[len(legend)]
    else:
        row = int((float(r["y"]) + float(r["height"]) / 2 - 52) // 60)
        drawn[row, legend[r["fill"]]] += float(r["width"]) * float(r["height"]) / (1000 * 48)

whole = max(v["last_ns"] for v in vcpus) - min(v["first_ns"] for v in vcpus)
bad = False
for row, vcpu in enumerate(vcpus):
    for name, ns in vcpu["time_ns"].items():
        if abs(ns / whole - drawn[row, name]) > TOLERANCE:
            print("#", row, name, ns / whole, drawn[row, name])
            bad = True
print("#", len(rectangles), "rectangles,", len(vcpus), "vCPUs,", len(drawn), "areas")
sys.exit(bad or len(vcpus) < 4 or len(drawn) < 12)
