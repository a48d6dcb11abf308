#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, in each boot of a machine whose rings are in reserved memory: it dies in a
# different way each time, and looks at what the boot before has left. Prints TAP.
#
# Each boot records events with ids of its own: boot N from N * 10000 + 1 on.

. /tests/result.sh
cd /sys/kernel/tracing || exit 1
page=$(page_size)

# The number of this boot is kept in an instance of ftrace that survives a reboot, too.
boot=$(sed -n 's/.*: boot=\([0-9]*\)$/\1/p' instances/count/trace | sort -n | tail -n 1)
boot=$((${boot:-0} + 1))
echo 1 > instances/count/tracing_on
echo "boot=$boot" > instances/count/trace_marker

# emit CPU FROM TO: events of this boot
emit() {
	hyp_emit $((boot * 10000 + $2)) $((boot * 10000 + $3)) "$1"
}

record() {
	echo hyp:selftest hyp:hyp_panic > hyp/set_event && echo 1 > hyp/tracing_on
}

# ids FILE: the ids of the events in it
ids() {
	sed -n 's/.* selftest: id=\([0-9]*\).*/\1/p' "$1"
}

# range FROM TO: the ids of the boot before
range() {
	seq $(((boot - 1) * 10000 + $1)) $(((boot - 1) * 10000 + $2))
}

# info TEXT: a line of last_boot_info
info() {
	grep -qF "$1" hyp_last_boot/last_boot_info
}

info_ok() {
	info "kernel release: $(uname -r)" && info "ended by: $1" &&
		info "later boots whose events were not kept: 0" &&
		grep -q '^pages found: [1-9]' hyp_last_boot/last_boot_info &&
		info "pages discarded: 0 malformed, 0 misplaced"
}

# stat CPU NAME: a line of the last boot's per_cpu/cpuN/stats
stat() {
	sed -n "s/^$2: //p" "hyp_last_boot/per_cpu/cpu$1/stats"
}

# take FILE: copies all that it has to /tmp/taken; whoever reads it ends there, or sleeps
take() {
	cat "hyp_last_boot/$1" > /tmp/taken &
	while grep -q ') [RD] ' /proc/$!/stat 2> /dev/null; do sleep 0.1; done
	kill $! 2> /dev/null
	wait $! 2> /dev/null
}

# refused VALUE FILE
refused() {
	! echo "$1" 2> /dev/null > "hyp_last_boot/$2"
}

# The rings of the last boot are in memory.
is_loaded() {
	[ "$(head -c 1 hyp_last_boot/ring_pages | wc -c)" = 1 ]
}

dmesg | grep -q 'hyp_trace: rings are in reserved memory, '
result "boot $boot: the memory is found"

case $boot in
1)	[ ! -e hyp_last_boot ] && [ ! -e instances/hyp_last_boot ] &&
		[ ! -e events/hyp_last_boot ]
	result "there is no last boot"

	most=$(cat hyp/buffer_size_kb)
	! echo $((most + 8)) 2> /dev/null > hyp/buffer_size_kb &&
		[ "$(cat hyp/buffer_size_kb)" = "$most" ] &&
		dmesg | grep -q "$((most + 8)) KiB per CPU do not fit .* room for $most KiB"
	result "a buffer that is too large is refused, with the numbers"

	hold_switches
	# Events that have been read count, too.
	record && emit 0 1 600 && emit 1 601 900 && head -n 100 hyp/trace_pipe > /dev/null
	result "events are recorded"
	echo c > /proc/sysrq-trigger
	;;
2)	info_ok panic
	result "the host panicked: last_boot_info"
	ids hyp_last_boot/trace | cmp -s - /dev/null
	[ $? = 1 ] && [ "$(ids hyp_last_boot/trace)" = "$(range 1 900)" ]
	result "all events, in order"
	[ "$(grep -c '<\.\.\.>-[0-9]* .* selftest: ' hyp_last_boot/trace)" = 900 ]
	result "tasks have no name"
	[ "$(stat 0 entries) $(stat 0 overrun) $(stat 1 entries)" = "600 0 300" ]
	result "stats"
	[ "$(readlink instances/hyp_last_boot)" = ../hyp_last_boot ] &&
		cmp -s instances/hyp_last_boot/last_boot_info hyp_last_boot/last_boot_info
	result "it is in instances/, too"

	refused 1 tracing_on && refused 64 buffer_size_kb && refused hyp:selftest set_event &&
		refused 1 events/hyp/selftest/enable && refused mono trace_clock &&
		[ "$(cat hyp_last_boot/tracing_on)" = 0 ] &&
		[ "$(ids hyp_last_boot/trace | wc -l)" = 900 ]
	result "it is read-only"
	for file in events/hyp/selftest/format events/hyp/hyp_panic/format \
		    events/hyp_last_boot/hyp_unknown/format; do
		cmp -s events/"${file#events/}" hyp_last_boot/"$file" || break
	done
	result "it has the formats"

	# The copy is read a page at a time and as text.
	size=$(cat hyp_last_boot/per_cpu/cpu0/buffer_size_kb)
	take per_cpu/cpu0/trace_pipe_raw
	bytes=$(wc -c < /tmp/taken)
	[ "$bytes" -gt 0 ] && [ $((bytes % page)) = 0 ] && [ "$bytes" -le $((size * 1024 + page)) ] &&
		[ "$(stat 0 "read events")" = 600 ]
	result "trace_pipe_raw, and its size is true"
	take trace_pipe
	[ "$(ids /tmp/taken)" = "$(range 601 900)" ]
	result "trace_pipe has the rest"

	# What the hypervisor calls is a part of the trace, too.
	if grep -q function_graph hyp/available_tracers; then
		echo 'hyp_test_*' > hyp/set_ftrace_filter &&
			echo function_graph > hyp/current_tracer
		result "functions are traced"
	fi
	# A resize makes a ring of the same memory.
	echo 'stacktrace if id == 20702' > hyp/events/hyp/selftest/trigger
	record && emit 0 1 600 && echo 16 > hyp/per_cpu/cpu0/buffer_size_kb &&
		emit 0 601 700 && emit 1 701 703
	result "events are recorded after a resize"
	taskset 2 sh -c 'echo 12 1 > hyp/write_test; echo "last words" > hyp/trace_marker'
	taskset 2 sh -c 'echo 0 > hyp/write_panic'
	;;
3)	info_ok panic
	result "the hypervisor panicked: last_boot_info"
	[ "$(ids hyp_last_boot/trace)" = "$(range 601 703)" ]
	result "events since the resize"
	tail -n 1 hyp_last_boot/trace |
		grep -q ' hyp_panic: BRK .* at __kvm_nvhe_panic_at+'
	result "the last one says where the hypervisor has died"
	if grep -q function_graph hyp/available_tracers; then
		[ "$(grep -c '__kvm_nvhe_hyp_test_' hyp_last_boot/trace)" = 11 ] &&
			[ "$(grep -c '__kvm_nvhe_hyp_test_leaf();' hyp_last_boot/trace)" = 4 ]
		result "functions that it has called, by their names in this boot"
	fi
	[ "$(grep -c ' => __kvm_nvhe_handle___hyp_trace_write_event$' hyp_last_boot/trace)" = 1 ]
	result "the stack that a trigger has recorded"

	[ "$(grep -c ' mark_write: last words$' hyp_last_boot/trace)" = 1 ]
	result "a mark, with its place in this boot"

	echo 256 > hyp/buffer_size_kb
	record && emit 0 1 20000 && emit 1 20001 20010
	result "a ring overruns"
	reboot -f
	;;
4)	info_ok reboot
	result "reboot: last_boot_info"
	entries=$(stat 0 entries) overrun=$(stat 0 overrun)
	ids hyp_last_boot/per_cpu/cpu0/trace > /tmp/ids
	first=$(head -n 1 /tmp/ids) last=$(tail -n 1 /tmp/ids)
	[ "$last" = $(((boot - 1) * 10000 + 20000)) ] &&
		seq "$first" "$last" | cmp -s - /tmp/ids &&
		[ "$entries" = $((last - first + 1)) ] && [ "$overrun" -gt 0 ] &&
		[ "$overrun" = $((first - (boot - 1) * 10000 - 1)) ]
	result "the newest events, and the others are counted"

	is_loaded && echo > hyp_last_boot/trace && ! grep -q selftest hyp_last_boot/trace
	result "it is cleared"
	while is_loaded; do sleep 0.1; done
	[ "$(cat hyp_last_boot/buffer_size_kb)" -lt 16 ]
	result "that frees its memory"

	# What is recorded before a reset of the ring is stale.
	record && emit 0 1 3000 && echo > hyp/trace && emit 0 3001 3100
	result "a ring is reset"
	echo system_reset > /dev/vport0p3
	sleep 100
	;;
5)	info_ok "unknown: reset" && ! info "older pages: 0"
	result "a reset from outside: last_boot_info"
	[ "$(ids hyp_last_boot/trace)" = "$(range 3001 3100)" ]
	result "events since the ring was reset"
	[ "$(stat 0 entries) $(stat 0 overrun)" = "100 0" ]
	result "what was cleared is not lost"
	record && emit 0 1 10
	echo c > /proc/sysrq-trigger
	;;
6)	# What opens its files, as those of all instances, and reads nothing has not looked.
	info_ok panic && true < hyp_last_boot/trace && true < hyp_last_boot/trace_pipe &&
		true < hyp_last_boot/per_cpu/cpu0/trace_pipe_raw
	result "nobody looks at the events of a crash"
	record && emit 0 1 20
	echo c > /proc/sysrq-trigger
	;;
7)	info "later boots whose events were not kept: 1" && info "ended by: panic"
	result "another crash: there was one more"
	[ "$(ids hyp_last_boot/trace)" = "$(seq 50001 50010)" ]
	result "the events of the first one are still there"
	record && emit 0 1 30
	echo c > /proc/sysrq-trigger
	;;
8)	info "later boots whose events were not kept: 0" &&
		[ "$(ids hyp_last_boot/trace)" = "$(range 1 30)" ]
	result "after that, those of the next crash"
	reboot -f
	;;
9)	[ "$(ids hyp_last_boot/trace)" = "$(seq 70001 70030)" ]
	result "a boot that records nothing leaves them"
	echo > hyp_last_boot/trace
	reboot -f
	;;
10)	[ ! -e hyp_last_boot ]
	result "what has been cleared is gone"
	record && emit 0 1 40
	reboot -f
	;;
11)	info_ok reboot
	result "nobody looks at the events before a reboot"
	record && emit 0 1 50
	echo c > /proc/sysrq-trigger
	;;
12)	info_ok panic && [ "$(ids hyp_last_boot/trace)" = "$(range 1 50)" ]
	result "a crash after that is shown instead"

	# The rings are unloaded when all is read; then they are cleared.
	record && emit 0 1 10 && echo 0 > hyp/tracing_on && head -n 10 hyp/trace_pipe > /dev/null
	result "all events are read"
	while [ "$(head -c 1 hyp/ring_pages | wc -c)" = 1 ]; do sleep 0.1; done
	echo > hyp/trace
	reboot -f
	;;
*)	[ ! -e hyp_last_boot ]
	result "what has been cleared in hyp/ is gone, too"
	;;
esac
exit $status
