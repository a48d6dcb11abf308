#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, in a kernel that cannot trace the hypervisor: there is no directory and no
# event, and one line in the kernel log gives the reason. The name hyp is free then.

set -e
dmesg | grep 'hyp_trace:'
[ "$(dmesg | grep -c 'hyp_trace: not available: ')" = 1 ]
cd /sys/kernel/tracing
[ ! -e hyp ]
[ ! -e hypervisor ]
[ ! -e instances/hyp ]
[ ! -e events/hyp ]
[ -e events/sched ]
[ -z "$(grep '^hyp:' available_events)" ]
[ -n "$(grep '^sched:' available_events)" ]
# An event is enabled even if it is listed with one that does not exist.
[ "$(grep -c 'sched:sched_switch' /proc/cmdline)" = "$(cat events/sched/sched_switch/enable)" ]
mkdir instances/hyp
[ -e instances/hyp/events/sched ]
[ ! -e instances/hyp/events/hyp ]
rmdir instances/hyp
