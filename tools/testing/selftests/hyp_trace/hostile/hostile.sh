#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, booted with kunit.enable=1: shows the results of the hostile host's tests,
# which ran before anything else, then tests whether tracing still works.

results=/sys/kernel/debug/kunit/hyp_trace_hostile/results
status=0

# Results are indented by their depth.
sed 's/^ *//' $results
grep -q '^ok .* hyp_trace_hostile$' $results || status=1
hyp_trace_test || status=1
exit $status
