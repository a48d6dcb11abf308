#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: runs all kernel tests.

. /tests/result.sh

hold_switches

# The first two need memory that was not touched before: an access to it is an abort. The last one
# keeps totals, and hyp_totals_test begins where nobody has.
first="hyp_events_test hyp_totals_trace_test"
last=hyp_secret_test
others=$(cd /tests && ls hyp_*_test | grep -vx -e "${first% *}" -e "${first#* }" -e $last)
for test in $first $others $last; do
	$test || status=1
done

# In the kernel of make test-debug: two scans show what has leaked.
leaks=/sys/kernel/debug/kmemleak
if [ -e $leaks ]; then
	for i in 1 2; do
		sleep 6
		echo scan > $leaks
	done
	! grep . $leaks
	result "nothing leaked"
fi
exit $status
