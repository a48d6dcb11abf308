#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: Perfetto records the hypervisor's instance. Prints results, and the
# recorded traces in base64 between "TRACE NAME" and "END"; clients/perfetto
# decodes them and knows what has to be in them.

. /tests/roots.sh

N=200

# How many times has traced_probes set up ftrace?
setups() {
	grep -c 'Ftrace setup' $PERFETTO_LOG.probes
}

more_setups_than() {
	[ "$(setups)" -gt "$1" ]
}

# config MS [MORE]: what to record for how long
config() {
	cat <<-END
	buffers { size_kb: 16384 }
	duration_ms: $1
	flush_period_ms: 500
	data_sources { config { name: "linux.ftrace" ftrace_config { $2 } } }
	END
}

HYP_EVENTS='ftrace_events: "hyp/hyp_enter" ftrace_events: "hyp/hyp_exit"
	ftrace_events: "hyp/*"'

# record NAME MS CONFIG: in the background; returns when it records
record() {
	local before=$(setups)

	config "$2" "$3" > /tmp/$1.cfg
	sid perfetto --txt -c /tmp/$1.cfg -o /tmp/$1.pb > /tmp/$1.log 2>&1 &
	until_ok more_setups_than "$before"
	until_ok grep -q 1 $HYP/tracing_on
	sleep 1
}

show() {
	echo "TRACE $1"
	base64 "/tmp/$1.pb"
	echo END
}

finished() {
	wait $!
	[ -s "/tmp/$1.pb" ] || { cat "/tmp/$1.log" $PERFETTO_LOG.*; return 1; }
}

daemons_live() {
	pidof traced > /dev/null && pidof traced_probes > /dev/null &&
		! grep -i 'check failed\|fatal' $PERFETTO_LOG.traced $PERFETTO_LOG.probes
}

given_back() {
	[ "$(cat $HYP/tracing_on)" = 0 ] && [ "$(cat $HYP/events/hyp/enable)" = 0 ]
}

# As anybody would do it, under load, and with a CPU going off and on.
simple() {
	record simple 7000 "instance_name: \"hyp\" $HYP_EVENTS"
	hyp_emit 1 $N
	hyp_guest 200
	echo 0 > /sys/devices/system/cpu/cpu1/online
	hyp_guest 50
	echo 1 > /sys/devices/system/cpu/cpu1/online
	hyp_emit $((N + 1)) $((2 * N))
	finished simple
}

# By the other name, with the same daemons.
alias() {
	record alias 3000 "instance_name: \"hypervisor\" $HYP_EVENTS"
	hyp_emit 1 $N
	finished alias
}

unknown() {
	record unknown 3000 "instance_name: \"hyp\"
		ftrace_events: \"hyp/selftest\" ftrace_events: \"hyp/no_such_event\""
	hyp_emit 1 $N
	finished unknown
}

# A buffer that can't be had: the session goes on with the one that there is.
too_large() {
	echo 1024 > $HYP/buffer_size_kb
	record too_large 3000 "instance_name: \"hyp\" $HYP_EVENTS
		buffer_size_kb: 900000"
	hyp_emit 1 $N
	finished too_large
}

two_at_once() {
	record first 6000 "instance_name: \"hyp\" $HYP_EVENTS"
	record second 3000 "instance_name: \"hyp\" $HYP_EVENTS"
	hyp_emit 1 $N
	wait_all first && wait_all second
}

# wait_all NAME: until no perfetto records, then finished NAME
wait_all() {
	while pidof perfetto > /dev/null; do
		sleep 0.2
	done
	finished "$1"
}

# Each event goes to one of them; which, is not for us to say. extract turns tracing
# off at some time.
with_trace_cmd() {
	echo 8192 > $HYP/buffer_size_kb
	record shared 5000 "instance_name: \"hyp\" $HYP_EVENTS buffer_size_kb: 8192"
	hyp_emit 1 30000 0 &
	sid trace-cmd extract -B hyp -o /tmp/x.dat > /dev/null 2>&1
	sid trace-cmd report -i /tmp/x.dat 2>/dev/null |
		sed -n 's/.*selftest: *id=/taken by trace-cmd: /p'
	while pidof hyp_emit > /dev/null; do
		sleep 0.1
	done
	wait_all shared
}

killed() {
	record killed 10000 "instance_name: \"hyp\" $HYP_EVENTS"
	hyp_emit 1 $N
	killall -9 traced_probes
	killall -9 perfetto
	killall -9 traced
	sleep 1
	start_daemons
	record again 3000 "instance_name: \"hyp\" $HYP_EVENTS"
	hyp_emit 1 $N
	finished again
	# Perfetto leaves it as it was before.
	echo 0 > $HYP/tracing_on
}

ktap_print_header
have_suite sid perfetto || exit 0
prepare_root sid
start_daemons
for session in simple alias unknown too_large two_at_once with_trace_cmd killed; do
	$session
	result "perfetto $session"
	daemons_live
	result "perfetto $session: daemons live"
	given_back
	result "perfetto $session: tracing is off again"
done
for trace in simple alias unknown too_large first second shared again; do
	show $trace
done
KSFT_NUM_TESTS=$((KTAP_TESTNO - 1))
ktap_finished
