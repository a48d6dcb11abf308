#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: all kernel tests.

. /tests/result.sh

# The events first: some are of memory that nothing was done to before.
for test in hyp_events_test hyp_files_test hyp_mmap_test hyp_trace_test hyp_trust_test \
	    hyp_account_test hyp_wait_test hyp_idle_test; do
	$test || status=1
done

# In the kernel of make test-debug: what has leaked shows when it is looked for twice.
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
