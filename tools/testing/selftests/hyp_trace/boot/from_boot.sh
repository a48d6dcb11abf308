#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, booted with trace_instance=hyp,hyp:* kvm-arm.hyp_trace_buf_size=4M: the trace
# has all that happened since before protected KVM took the host's privileges; since Linux 7.3, all
# since then.

hyp=/sys/kernel/tracing/hyp
. /tests/result.sh

cat $hyp/tracing_on > /run/was_on
echo 0 > $hyp/tracing_on
cat $hyp/trace > /run/trace

# count PATTERN: prints how many events there are of these
count() {
	grep -c " $1" /run/trace
}

[ "$(cat /run/was_on)" = 1 ] && [ "$(cat $hyp/buffer_size_kb)" -ge 4096 ] &&
	[ "$(cat $hyp/events/hyp/enable)" = 1 ]
result "it is on, with all events and the size asked for"
[ "$(count 'hyp_enter: ')" -gt 0 ] && [ "$(count 'hyp_enter: ')" = "$(count 'hyp_exit: ')" ]
result "each hyp_enter has its hyp_exit"
[ "$(cat $hyp/per_cpu/cpu*/stats | grep -cE '^(overrun|dropped events): 0$')" = \
	$((2 * $(nproc))) ] && [ "$(awk -F': ' '/^entries/ { n += $2 } END { print n }' \
	$hyp/per_cpu/cpu*/stats)" = "$(grep -vc '^#' /run/trace)" ]
result "nothing is lost"

finalized=$(count 'host_hcall: __pkvm_prot_finalize ')
if [ "$finalized" = 0 ] && grep -q kvm-arm.mode=nvhe /proc/cmdline; then
	exit $status
fi
case $(uname -r) in
6.*) ;;
*)
	[ "$finalized" = 0 ] && [ "$(count 'host_mem_abort: ')" -gt 0 ]
	result "the host's faults are there, which come after the loss of its privileges"
	exit $status
	;;
esac

# The host is deprivileged on all CPUs, at the same time. Then each has its first faults.
[ "$finalized" = "$(nproc)" ] &&
	[ "$(count 'host_hcall_done: __pkvm_prot_finalize .* result=0')" = "$(nproc)" ]
result "the host's loss of its privileges is there, of each CPU"
awk '/host_hcall_done: __pkvm_prot_finalize/ { finalized[$2] = 1 }
     /host_mem_abort: / { if (finalized[$2]) after[$2]++; else before++ }
     END { for (cpu in finalized) n += after[cpu] > 0
	   exit !(n == cpus && !before) }' cpus="$(nproc)" /run/trace
result "and the faults that come after it"
exit $status
