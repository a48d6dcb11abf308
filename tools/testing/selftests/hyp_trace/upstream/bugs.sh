#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, on a kernel without hypervisor tracing of ours: shows whether the bugs are there for
# which there are fixes in patches/*-fix-* and patches/upstream. Prints TAP, where "not ok" is a bug.
#
# There is none for patches/0005: its bug needs a panic while another CPU looks for a task's name. Nor
# for 0006: Linux 7.3 refuses the same name twice, and another reason for a directory to fail is not at
# hand.

. /tests/result.sh
cd /sys/kernel/tracing || exit 1

mkdir instances/foo
! echo 18014398509481985 2> /dev/null > instances/foo/buffer_size_kb
result "buffer_size_kb: a size that overflows is refused"
echo 64 > instances/foo/buffer_size_kb
! echo 18014398509481988 2> /dev/null > instances/foo/buffer_subbuf_size_kb
result "buffer_subbuf_size_kb: a size that overflows is refused"

seq 1000 > /tmp/expected
while read -r i; do
	echo "line $i" > instances/foo/trace_marker
done < /tmp/expected
bugs splice instances/foo | sed -n 's/.* line //p' | cmp -s - /tmp/expected
result "splice() of trace_pipe: no line is lost"

bugs mremap instances/foo
result "mremap(): the buffer's mappings are counted"

# Only with Linux' own tracer.
if [ -e remotes/hypervisor/tracing_on ]; then
	cd remotes/hypervisor || exit 1
	echo 1 > events/hypervisor/hyp_exit/enable
	echo 1 > tracing_on
	sleep 1
	hyp_guest 100 > /dev/null
	echo 0 > tracing_on
	# [CPU] TIME: hyp_exit
	awk -v now="$(cut -d ' ' -f 1 /proc/uptime)" '
		/hyp_exit/ { n++; sub(/.*\] */, ""); if ($1 + 0 > now || $1 + 0 < 1) wrong++ }
		END { exit !(n > 100 && !wrong) }' trace
	result "the hypervisor's tracer: all events have their time"
	cd /sys/kernel/tracing || exit 1
fi

# This one may stop the CPU that does it.
[ -d instances/boot_map ] && taskset 2 sh -c 'echo 0 > instances/boot_map/options/overwrite' &
sleep 5
! dmesg | grep -q 'NULL pointer dereference'
result "options/overwrite of an instance in reserved memory: no oops"
exit $status
