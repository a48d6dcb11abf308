#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, in a kernel that can't trace the hypervisor: no directory, no
# events, and one line in the kernel log that says why.

set -e
dmesg | grep 'hyp_trace:'
[ "$(dmesg | grep -c 'hyp_trace: not available: ')" = 1 ]
[ ! -e /sys/kernel/tracing/hyp ]
[ ! -e /sys/kernel/tracing/events/hyp ]
