#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: all kernel tests.

status=0
for test in hyp_files_test hyp_mmap_test hyp_trace_test hyp_trust_test \
	    hyp_account_test; do
	$test || status=1
done
exit $status
