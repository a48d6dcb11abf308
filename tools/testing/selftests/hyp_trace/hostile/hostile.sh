#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, booted with kunit.enable=1: what a hostile host has tried, before
# anything else ran, and whether tracing works nevertheless.

results=/sys/kernel/debug/kunit/hyp_trace_hostile/results
status=0

# Results are indented by how deep they are.
sed 's/^ *//' $results
grep -q '^ok .* hyp_trace_hostile$' $results || status=1
hyp_trace_test || status=1
exit $status
