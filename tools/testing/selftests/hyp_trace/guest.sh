#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: runs all kernel tests.

. /tests/result.sh

hold_switches

# hyp_events_test is first: some events need memory that was not touched before. hyp_secret_test is
# last: it keeps totals, and hyp_totals_test begins where nobody has.
for test in hyp_events_test $(cd /tests && ls | grep '^hyp_.*_test$' |
			      grep -v -e '^hyp_events_test$' -e '^hyp_secret_test$') hyp_secret_test; do
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
