# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Functions for scripts that print TAP; those that run in QEMU have this file in /tests.
# Scripts end with "exit $status".

status=0

# result NAME: the result of the command before, which is also that of this one. If it has failed,
# the beginning of its output is printed, if $log has it.
result() {
	if [ $? = 0 ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		[ -z "${log:-}" ] || head -n 5 "$log" | sed 's/^/# /'
		status=1
		return 1
	fi
}

# hold_switches: have the code of task switches patched once for this boot, and again if QEMU has
# not seen it: see arch/arm64/kvm/hyptrace/test/files.c. For tests that look at tasks' pids.
hold_switches() {
	hold=/sys/kernel/tracing/hyp/write_hold
	tries=20
	until echo 1 > $hold; do
		echo 0 > $hold
		tries=$((tries - 1))
		[ $tries -gt 0 ] || break
	done
	[ $tries -gt 0 ]
	result "task switches do what tracing needs"
}

# turn_on CPU: the kernel waits for 100 ms until a CPU is off. If QEMU had no time for it until then,
# firmware refuses to turn it on until it is off.
turn_on() {
	until echo 1 2> /dev/null > "/sys/devices/system/cpu/cpu$1/online"; do
		sleep 0.1
	done
}

# qemu_does COMMAND: in a machine that may reboot, wait until QEMU's monitor has executed it
qemu_does() {
	# It stays open, as only one process may open it: busybox's timeout leaves one behind.
	[ -e /proc/$$/fd/3 ] || exec 3<>/dev/vport0p3
	# The monitor waits for who reads what it prints.
	timeout 300 grep -q 0xace <&3 &
	printf '%s\nprint 2766\n' "$1" >&3
	wait $!
}

# page_size: print the size of a page of the kernel, and so of its rings
page_size() {
	awk -F'[:;]' '/char data/ { print $4 + $6 }' /sys/kernel/tracing/events/header_page
}

# skip NAME
skip() {
	echo "ok $1 # SKIP"
}
