#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: runs all kernel tests.

. /tests/result.sh

# hyp_events_test is first: some events need memory that was not touched before.
for test in hyp_events_test hyp_files_test hyp_mmap_test hyp_trace_test hyp_trust_test \
	    hyp_account_test hyp_wait_test hyp_idle_test hyp_filter_test hyp_trigger_test \
	    hyp_channel_test hyp_marker_test hyp_splice_test hyp_hist_test hyp_perf_test hyp_function_test hyp_stack_test hyp_totals_test \
	    hyp_totals_trace_test; do
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
