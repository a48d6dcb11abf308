#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, with what "make bench-hw" packs in /hyp-trace-bench: it measures something by each
# counter that there is. Prints TAP.

. /tests/result.sh

log=/tmp/log
table=/tmp/table

# has COLUMN NAME [whole]: the row of this name has a number, COLUMN columns before the last one.
# What is measured as a whole takes time. What adds to something is a difference of two
# measurements: on a machine that does other things beside this, it may be anything.
has() {
	awk -v column="$1" -v name="$2" -v whole="${3:-}" '
		index($0, name) == 1 && $(NF - column) ~ /^-?[0-9]+(\.[0-9]+)?$/ &&
			(!whole || $(NF - column) > 0) { found = 1 }
		END { exit !found }' $table
}

/hyp-trace-bench/hw > $table 2> $log && ! grep '^==> failed' $log
result "each section can be measured"
has 2 "event with a u64 (selftest), all that it adds" && has 2 "function and its return, by function_graph" &&
	has 2 "splice() of a page" whole && has 2 "from an event to the return of whoever waits" whole
result "by time"
has 1 "event with a u64 (selftest), all that it adds" && has 1 "splice() of a page" whole &&
	! has 1 "from an event to the return of whoever waits"
result "by cycles"
grep -q '^options  *kvm-arm.mode=nvhe$' $table
result "says how KVM runs"
exit $status
