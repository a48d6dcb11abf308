#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, with tracing locked, and trace_event=hyp:hyp_enter: the files say so,
# and nothing is recorded.

hyp=/sys/kernel/tracing/hyp
status=0

refused() {
	local what=$1

	shift
	if "$@" 2>&1 | grep -q 'Operation not permitted'; then
		echo "ok $what: not permitted"
	else
		echo "not ok $what: not permitted"
		status=1
	fi
}

write() {
	sh -c "echo $2 > $hyp/$1"
}

if [ "$(cat /sys/kernel/tracing/events/hyp/hyp_enter/enable)" = 0 ] &&
   dmesg | grep -q 'hyp_trace: hyp_enter, enabled at boot, is disabled again: -EPERM'; then
	echo "ok an event enabled at boot is disabled again"
else
	echo "not ok an event enabled at boot is disabled again"
	status=1
fi
refused tracing_on write tracing_on 1
refused events write events/hyp/enable 1
refused event write events/hyp/hyp_enter/enable 1
refused set_event write set_event hyp:hyp_enter
write write_event 1
if [ "$(cat $hyp/tracing_on)" = 0 ] && ! grep -v '^#' $hyp/trace; then
	echo "ok nothing recorded"
else
	echo "not ok nothing recorded"
	status=1
fi
if dmesg | grep -q 'hyp_trace: .*: -EPERM, tracing is locked: boot with kvm-arm.hyp_trace=on'; then
	echo "ok the log says why"
else
	echo "not ok the log says why"
	status=1
fi
exit $status
