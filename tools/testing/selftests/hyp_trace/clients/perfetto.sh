#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: Perfetto records the hypervisor's instance. Prints results, and the
# recorded traces in base64 between "TRACE NAME" and "END"; clients/perfetto decodes and
# checks them.

. /tests/roots.sh
hold_switches

N=200

# config [MORE]: print a configuration that records until it is stopped. The last flush
# takes all events, however long that takes.
config() {
	cat <<-END
	buffers { size_kb: 16384 }
	flush_period_ms: 500
	flush_timeout_ms: 600000
	data_source_stop_timeout_ms: 600000
	data_sources { config { name: "linux.ftrace" ftrace_config { $1 } } }
	END
}

HYP_EVENTS='ftrace_events: "hyp/hyp_enter" ftrace_events: "hyp/hyp_exit"
	ftrace_events: "hyp/*"'

# record NAME CONFIG: record in the background; $recorder is the pid of Perfetto itself, not
# of a shell. Returns when Perfetto records, which it signals with a byte of 0.
record() {
	config "$2" > /tmp/$1.cfg
	mkfifo /tmp/$1.started
	chroot /clients/sid perfetto --txt --notify-fd 9 -c /tmp/$1.cfg -o /tmp/$1.pb \
		> /tmp/$1.log 2>&1 9> /tmp/$1.started &
	recorder=$!
	[ "$(head -c 1 /tmp/$1.started | od -An -tu1 | tr -d ' ')" = 0 ] &&
		[ "$(cat $HYP/tracing_on)" = 1 ] && return
	echo "# perfetto $1 does not record"
	cat /tmp/$1.log $PERFETTO_LOG.*
	return 1
}

# stop NAME [PID]: let Perfetto take what was recorded until now, and end
stop() {
	local pid=${2:-$recorder}

	kill -TERM $pid
	wait $pid && [ -s "/tmp/$1.pb" ] &&
		! grep 'flush unsuccessful' "/tmp/$1.log" && return
	cat "/tmp/$1.log" $PERFETTO_LOG.*
	return 1
}

show() {
	echo "TRACE $1"
	base64 "/tmp/$1.pb"
	echo END
}

daemons_live() {
	pidof traced > /dev/null && pidof traced_probes > /dev/null &&
		! grep -i 'check failed\|fatal' $PERFETTO_LOG.traced $PERFETTO_LOG.probes
}

given_back() {
	[ "$(cat $HYP/tracing_on)" = 0 ] && [ "$(cat $HYP/events/hyp/enable)" = 0 ]
}

# Record as a user would, under load, and with a CPU that goes off and on.
simple() {
	record simple "instance_name: \"hyp\" $HYP_EVENTS" || return
	hyp_emit 1 $N &&
		hyp_guest 200 &&
		echo 0 > /sys/devices/system/cpu/cpu1/online &&
		hyp_guest 50 &&
		turn_on 1 &&
		hyp_emit $((N + 1)) $((2 * N)) &&
		stop simple
}

# Record by the instance's other name, with the same daemons.
alias() {
	record alias "instance_name: \"hypervisor\" $HYP_EVENTS" &&
		hyp_emit 1 $N &&
		stop alias
}

# A call graph of EL2.
graph() {
	record graph "instance_name: \"hyp\" enable_function_graph: true
		function_filters: \"hyp_test_*\" symbolize_ksyms: true
		ftrace_events: \"ftrace/funcgraph_entry\" ftrace_events: \"ftrace/funcgraph_exit\"" &&
		taskset 1 sh -c "echo 12 20 > $HYP/write_test" &&
		stop graph && [ "$(cat $HYP/current_tracer)" = nop ]
}

unknown() {
	record unknown "instance_name: \"hyp\"
		ftrace_events: \"hyp/selftest\" ftrace_events: \"hyp/no_such_event\"" &&
		hyp_emit 1 $N &&
		stop unknown
}

# If a buffer is too large, the session continues with the existing one.
too_large() {
	echo 1024 > $HYP/buffer_size_kb
	record too_large "instance_name: \"hyp\" $HYP_EVENTS
		buffer_size_kb: 900000" &&
		hyp_emit 1 $N &&
		stop too_large
}

# Both sessions have what was emitted while both recorded; the first has later events, too.
two_at_once() {
	local first

	record first "instance_name: \"hyp\" $HYP_EVENTS" || return
	first=$recorder
	record second "instance_name: \"hyp\" $HYP_EVENTS" &&
		hyp_emit 1 $N &&
		stop second &&
		hyp_emit $((N + 1)) $((2 * N)) &&
		stop first $first
}

# Let trace-cmd take events. It turns tracing off, and then the events.
extract() {
	sid trace-cmd extract -B hyp -o /tmp/x.dat > /tmp/x.log 2>&1 &&
		sid trace-cmd report -i /tmp/x.dat > /tmp/x.report 2>> /tmp/x.log &&
		sed -n 's/.*selftest: *id=/taken by trace-cmd: /p' /tmp/x.report && return
	cat /tmp/x.log
	return 1
}

go_on() {
	echo 1 > $HYP/events/hyp/enable && echo 1 > $HYP/tracing_on
}

# Each event goes to one of the two readers. If both read at the same time (ids below
# 100000), either may get it. Then Perfetto is stopped while trace-cmd reads, and then
# there is no trace-cmd, so each has events that it must have taken.
with_trace_cmd() {
	local emitter taken

	echo 8192 > $HYP/buffer_size_kb
	record shared "instance_name: \"hyp\" $HYP_EVENTS buffer_size_kb: 8192" || return
	hyp_emit 1 $N 0
	hyp_emit $((N + 1)) 30000 0 &
	emitter=$!
	extract && wait $emitter || return

	killall -STOP traced_probes
	go_on && hyp_emit 100001 $((100000 + N)) 0 && extract
	taken=$?
	killall -CONT traced_probes
	[ $taken = 0 ] || return

	go_on && hyp_emit 200001 $((200000 + N)) 0 && stop shared
}

gone() {
	! pidof traced traced_probes perfetto > /dev/null
}

# If the daemons are killed, nobody turns tracing off.
killed() {
	record killed "instance_name: \"hyp\" $HYP_EVENTS" || return
	hyp_emit 1 $N
	killall -9 traced_probes perfetto traced
	until_ok gone && [ "$(cat $HYP/tracing_on)" = 1 ] || return
	start_daemons
	record again "instance_name: \"hyp\" $HYP_EVENTS" &&
		hyp_emit 1 $N &&
		stop again || return
	# Perfetto restores the previous state.
	echo 0 > $HYP/tracing_on
}

have_suite sid perfetto || exit 0
prepare_root sid
# Debian links Perfetto for pages of 16 KiB at most, and such a program can't be loaded.
if [ "$(page_size)" -gt 16384 ] && ! sid traced --version > /dev/null 2>&1; then
	skip "perfetto: this traced can't run with pages of $(($(page_size) / 1024)) KiB"
	exit 0
fi
start_daemons
result "perfetto: the daemons start"
grep -q function_graph $HYP/available_tracers && graph=graph
for session in simple alias $graph unknown too_large two_at_once with_trace_cmd killed; do
	$session
	result "perfetto $session"
	daemons_live
	result "perfetto $session: daemons live"
	given_back
	result "perfetto $session: tracing is off again"
done
for trace in simple alias $graph unknown too_large first second shared again; do
	show $trace
done
exit $status
