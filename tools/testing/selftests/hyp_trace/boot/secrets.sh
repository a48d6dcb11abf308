#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, in each boot of a machine whose rings are in reserved memory: in the first one a
# protected guest with a secret runs, in the second one another guest that has it. Each boot ends
# with a crash, which dumps events, and the next one shows them. Prints TAP.

. /tests/result.sh
cd /sys/kernel/tracing || exit 1

# What the last boot has left; the first boot finds nothing.
[ ! -e hyp_last_boot ] || grep -q ' guest_hvc: ' hyp_last_boot/trace
result "the last boot's events"
type=protected
if [ -e hyp_last_boot ]; then
	type=plain
	files=$(find hyp_last_boot -type f ! -name 'trace_pipe*' -perm -400)
	if grep -q type=plain hyp_last_boot/trace; then
		hyp_secret find $files
		result "have another guest's secret"
		# For who has all that was printed.
		echo "secret: $(hyp_secret tell)"
		exit $status
	fi
	! hyp_secret find $files hyp_last_boot/per_cpu/cpu0/trace_pipe_raw
	result "have nothing of a protected guest's secret"
	echo > hyp_last_boot/trace
fi

echo 1 > hyp/events/enable
echo 1 > hyp/tracing_on
taskset 1 hyp_secret run $type 3
taskset 1 sh -c "echo type=$type > hyp/trace_marker"
echo c > /proc/sysrq-trigger
