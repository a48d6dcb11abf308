#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare JSON and CSV of hyptrace stat: same.py STAT.json STAT.csv"""

import csv
import json
import sys

root = json.load(open(sys.argv[1]))
bounds = int(root["percentiles_are_bounds"])
mine = [{**row, "avg_ns": row["total_ns"] // row["count"],
         "min_is_bound": int(row["min_is_bound"]), "max_is_bound": int(row["max_is_bound"]),
         "percentiles_are_bounds": bounds,
         "percentiles_are_rounded": int(row["percentiles_are_rounded"])} for row in root["rows"]]
theirs = list(csv.DictReader(open(sys.argv[2])))
has_bounds = bounds and "percentiles_are_bounds" in theirs[0]
same = [{name: str(row[name]) for name in theirs[0]} for row in mine] == theirs
sums = all(sum(row["histogram"].values()) == row["count"] for row in mine)
known = {vm["vm"] for vm in root["vms"]} >= {row["vm"] for row in mine if row["vm"]}
print("#", len(mine), "rows", "same" if same else "not the same")
sys.exit(not (mine and same and has_bounds and sums and known))
