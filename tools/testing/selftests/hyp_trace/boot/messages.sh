#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, booted with highres=off nohz=off, so that jiffies can be the clocksource: nothing
# that a user does floods the kernel's log. Prints TAP.

hyp=/sys/kernel/tracing/hyp
clocksource=/sys/devices/system/clocksource/clocksource0/current_clocksource
. /tests/result.sh

# said TEXT: prints how often the kernel has said that
said() {
	dmesg | grep -c "hyp_trace: .*$1"
}

# Prints the number of ticks so far; each updates timekeeping.
ticks() {
	awk '/arch_timer/ { for (i = 2; i <= NF; i++) n += $i } END { print n }' /proc/interrupts
}

# Waits for 100 ticks.
pass_time() {
	end=$(($(ticks) + 100))
	while [ "$(ticks)" -lt $end ]; do
		sleep 0.1
	done
}

# there_and_back TIMES: another clocksource, and the right one again; has the kernel said so so often?
there_and_back() {
	echo jiffies > $clocksource && pass_time && [ "$(said 'the clocksource is not')" = "$1" ] &&
		echo arch_sys_counter > $clocksource && pass_time &&
		[ "$(said 'the clocksource is not')" = "$1" ]
}

echo 1 > $hyp/tracing_on
there_and_back 1
result "another clocksource is reported once"
there_and_back 2
result "and once more when it comes again"

# Time as the events have it: between two reads of the boot clock.
before=$(cut -d' ' -f1 /proc/uptime)
echo 1 > $hyp/events/hyp/selftest/enable
echo 4711 > $hyp/write_event
after=$(cut -d' ' -f1 /proc/uptime)
grep 'selftest: id=4711' $hyp/trace |
	awk '{ sub(":", "", $4); exit !($4 >= '"$before"' - 0.01 && $4 <= '"$after"' + 0.01) }'
result "EL2's clock is right after that"

for i in $(seq 200); do
	echo 999999999 > $hyp/buffer_size_kb
done 2> /dev/null
count=$(said 'a buffer may have .* at most')
[ "$count" -gt 0 ] && [ "$count" -lt 100 ]
result "200 wrong sizes do not give 200 messages ($count)"
exit $status
