#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, in a kernel without a hypervisor: reads from a second external writer, a
# kthread on each CPU (CONFIG_TRACE_EXT_KTHREAD), in all ways. Prints TAP.

. /tests/result.sh

T=/sys/kernel/tracing
K=$T/kthread
N=1000
PAGE=$(page_size)
SMALL_KB=$((2 * PAGE / 1024))	# the smallest buffer
MANY=$((5000 * (PAGE / 4096)))	# more events than it holds
CPUS=$(nproc)

# Do the events on stdin have the ids $1 to $2, in this order, on each CPU?
ids_are() {
	awk -v first="$1" -v last="$2" -v cpus="$CPUS" '
		/written: id=/ {
			match($0, /\[[0-9]+\]/)
			cpu = substr($0, RSTART, RLENGTH)
			id = $0
			sub(/.*id=/, "", id)
			if (!(cpu in next_id)) next_id[cpu] = first
			if (id + 0 != next_id[cpu]++) { print "# " cpu ": " $0; bad = 1 }
			n++
		}
		END {
			if (n != (last - first + 1) * cpus) { print "# " n + 0 " events"; bad = 1 }
			exit bad
		}'
}

# stat_sum NAME: the sum of a statistic over all CPUs
stat_sum() {
	awk -v name="$1" -F': ' '$1 == name { n += $2 } END { print n + 0 }' \
		$K/per_cpu/cpu*/stats
}

has_instance() {
	[ "$(readlink $T/instances/kthread)" = ../kthread ] &&
		grep -qx kthread:written $T/available_events &&
		[ ! -e $T/hyp ]
}

# Not with tracing off, nor with the event disabled.
writes_only_when_enabled() {
	echo 1 > $K/events/kthread/written/enable
	echo $N > $K/write_events
	echo 0 > $K/events/kthread/written/enable
	echo 1 > $K/tracing_on
	echo $N > $K/write_events
	[ "$(grep -c "written: id" $K/trace)" = 0 ] &&
		echo 1 > $K/events/kthread/written/enable &&
		echo $N > $K/write_events && ids_are 1 $N < $K/trace
}

reads_twice_what_is_not_consumed() {
	ids_are 1 $N < $K/trace && ids_are 1 $N < $K/trace &&
		[ "$(stat_sum entries)" = $((N * CPUS)) ]
}

consumes() {
	timeout 60 head -n $((N * CPUS)) $K/trace_pipe | ids_are 1 $N &&
		[ "$(stat_sum entries)" = 0 ] &&
		[ "$(stat_sum 'read events')" = $((N * CPUS)) ]
}

# A reader that waits before there is an event is woken by the writer's doorbell.
wakes_readers() {
	timeout 60 head -n $((3 * CPUS)) $K/trace_pipe > /tmp/woken &
	usleep 300000
	[ ! -s /tmp/woken ] || return
	echo 3 > $K/write_events
	wait $! && ids_are 1 3 < /tmp/woken
}

# All lost events are counted.
counts_overrun() {
	echo > $K/trace
	echo $SMALL_KB > $K/buffer_size_kb
	echo $MANY > $K/write_events
	local left=$(grep -c "written: id" $K/trace)

	[ "$left" -gt 0 ] && [ "$left" -lt $((MANY * CPUS)) ] &&
		[ $((left + $(stat_sum overrun))) = $((MANY * CPUS)) ] &&
		echo 256 > $K/buffer_size_kb
}

drops_without_overwrite() {
	echo > $K/trace
	echo $SMALL_KB > $K/buffer_size_kb
	echo 0 > $K/options/overwrite
	echo $MANY > $K/write_events
	local left=$(grep -c "written: id" $K/trace)

	echo 1 > $K/options/overwrite
	[ "$left" -gt 0 ] && [ $((left + $(stat_sum 'dropped events'))) = $((MANY * CPUS)) ] &&
		echo 256 > $K/buffer_size_kb
}

only_of_traced_cpus() {
	local mask=$(cat $K/tracing_cpumask)

	echo > $K/trace
	echo 1 > $K/tracing_cpumask
	echo 10 > $K/write_events
	[ "$(grep -c '\[000\].*written: id' $K/trace)" = 10 ] &&
		[ "$(grep -c "written: id" $K/trace)" = 10 ] || return
	echo $mask > $K/tracing_cpumask
}

a_cpu_comes_and_goes() {
	[ "$CPUS" -gt 1 ] || return 0
	echo > $K/trace
	echo 0 > /sys/devices/system/cpu/cpu1/online &&
		echo 10 > $K/write_events &&
		[ "$(grep -c "written: id" $K/trace)" = $((10 * (CPUS - 1))) ] &&
		turn_on 1 &&
		echo > $K/trace &&
		echo 10 > $K/write_events && ids_are 1 10 < $K/trace
}

# What the hypervisor's events do not support is refused here, too.
refuses() {
	! echo 'id > 5' 2> /dev/null > $K/events/kthread/written/filter &&
		grep -q "kthread event: error: Kthread events can't be filtered" $K/error_log &&
		! echo 'e:p kthread.written' 2> /dev/null > $T/dynamic_events &&
		grep -q "Kthread events can't be probed" $T/error_log &&
		! echo 1000001 2> /dev/null > $K/write_events &&
		dmesg | grep -q 'trace_ext_kthread: write_events: at most 1000000 events'
}

root_records_elsewhere() {
	echo > $K/trace
	echo 0 > $K/events/enable
	echo 1 > $T/events/kthread/written/enable &&
		echo 5 > $K/write_events && ids_are 1 5 < $K/trace &&
		! grep -q "written: id" $T/trace &&
		grep -q 'are recorded in kthread/, not here' $T/error_log
	local ret=$?

	echo 0 > $T/events/kthread/written/enable
	return $ret
}

# The first page is as full as pages get, and as the ring has it.
raw_pages_are_the_rings() {
	local commit

	echo 1 > $K/events/enable
	echo > $K/trace
	echo $((N * (PAGE / 4096))) > $K/write_events
	dd if=$K/per_cpu/cpu0/trace_pipe_raw of=/tmp/raw bs=$PAGE count=1 2> /dev/null
	commit=$(od -An -td4 -j 8 -N 4 /tmp/raw | tr -d ' ')
	[ "$commit" -gt $((PAGE - 196)) ] && [ "$commit" -lt $PAGE ] || return
	# Behind the meta page, in the order of their ids.
	dd if=$K/ring_pages of=/tmp/page bs=$PAGE skip=1 count=1 2> /dev/null
	cmp -n $((16 + commit)) /tmp/raw /tmp/page
}

has_instance
result "the instance of an external writer that is a kthread is there, without EL2's"
writes_only_when_enabled
result "its events are recorded when tracing is on and they are enabled"
reads_twice_what_is_not_consumed
result "reading trace consumes nothing"
consumes
result "reading trace_pipe consumes"
wakes_readers
result "a reader that waits is woken by the writer"
counts_overrun
result "events that are overwritten are counted"
drops_without_overwrite
result "events that are dropped are counted"
only_of_traced_cpus
result "tracing_cpumask is heeded"
a_cpu_comes_and_goes
result "a CPU may go off and come back"
refuses
result "filters and probes are refused, and error_log says why"
if grep -q test_boot_filter /proc/cmdline; then
	dmesg | grep -q 'trace_boot: Failed to apply filter: id == 1'
	result "so is a filter in the boot configuration"
fi
root_records_elsewhere
result "enabled at the root, an event is recorded in the writer's instance"
raw_pages_are_the_rings
result "trace_pipe_raw gives the ring's pages"
echo 0 > $K/tracing_on
exit $status
