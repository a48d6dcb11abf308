#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, with 64 CPUs on a kernel that could have 4096: tracing on and off, the trace,
# totals, sizes, and half of the CPUs going and coming back. Prints TAP.

. /tests/result.sh
cd /sys/kernel/tracing/hyp || exit 1
cpus=64
half=$((cpus / 2))

# stat CPU NAME: a line of a CPU's stats
stat() {
	sed -n "s/^$2: //p" "per_cpu/cpu$1/stats"
}

# each FROM TO COMMAND...: does the command succeed for each of these CPUs?
each() {
	each=$(seq "$1" "$2")
	shift 2
	for cpu in $each; do
		"$@" "$cpu" || { echo "# $* $cpu"; return 1; }
	done
}

has_events() {
	[ "$(stat "$2" entries)" = "$1" ] && [ "$(stat "$2" overrun)" = 0 ]
}

has_size() {
	[ "$(cat "per_cpu/cpu$2/buffer_size_kb")" = "$1" ]
}

# has_totals N: have hypercalls of hyp_emit been counted N times?
has_totals() {
	awk -v want="$1" '$4 == "__hyp_trace_write_event" && $5 == want { found = 1 }
		END { exit !found }' totals/table
}

set_online() {
	echo "$1" > "/sys/devices/system/cpu/cpu$2/online"
}

# The ids of each CPU's events are in order, and so are all times.
in_order() {
	awk -v want="$1" '/ selftest: id=/ {
		cpu = $2; time = $4 + 0; id = substr($6, 4) + 0
		if (time < last || id != ids[cpu] + 1)
			bad++
		last = time; ids[cpu] = id; count++
	}
	END { print "# " count + 0 " events, " bad + 0 " out of order"
	      exit count != want || bad }' trace
}

[ "$(nproc)" = $cpus ] && [ "$(cat /sys/devices/system/cpu/possible)" = 0-$((cpus - 1)) ]
result "there are $cpus CPUs"

echo hyp:selftest > set_event
echo 1 > tracing_on && hyp_emit 1 20 && each 0 $((cpus - 1)) has_events 20
result "each CPU records its events"
in_order $((cpus * 20))
result "the trace has them all in order"

echo 0 > tracing_on && hyp_emit 21 30 && each 0 $((cpus - 1)) has_events 20
result "none is recorded while tracing is off"
echo 1 > tracing_on && hyp_emit 21 30 && each 0 $((cpus - 1)) has_events 30
result "tracing goes on where it was"

each $half $((cpus - 1)) set_online 0
result "half of the CPUs go offline"
hyp_emit 31 40 && each 0 $((half - 1)) has_events 40 && each $half $((cpus - 1)) has_events 30
result "the others go on, and what these have recorded stays"
each $half $((cpus - 1)) set_online 1 && hyp_emit 41 50 &&
	each 0 $((half - 1)) has_events 50 && each $half $((cpus - 1)) has_events 40
result "they come back, and go on"

echo 128 > buffer_size_kb && size=$(cat buffer_size_kb) && [ "$size" -ge 128 ] &&
	each 0 $((cpus - 1)) has_size "$size" && echo > trace && hyp_emit 1 10 &&
	each 0 $((cpus - 1)) has_events 10
result "all buffers get another size"
echo 512 > per_cpu/cpu$((cpus - 1))/buffer_size_kb && has_size 512 $((cpus - 1)) &&
	each 0 $((cpus - 2)) has_size "$size"
result "one buffer gets a size of its own"

echo > trace && hyp_emit 1 1 && echo 0 > tracing_on
cat per_cpu/cpu*/trace | grep -c ' selftest: id=1$' | grep -qx $cpus
result "an event of each CPU is in the file of its CPU"

echo 1 > totals/enable && hyp_emit 1 2 && has_totals $((cpus * 2))
result "there are totals of each CPU"
each $half $((cpus - 1)) set_online 0 && each $half $((cpus - 1)) set_online 1 &&
	hyp_emit 1 2 && has_totals $((cpus * 4))
result "they stay while CPUs go and come"
echo 0 > totals/enable && echo 1 > totals/reset && ! grep -q hcall totals/table
result "totals end"

exit $status
