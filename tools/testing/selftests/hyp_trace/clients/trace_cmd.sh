#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: trace-cmd and libtracefs of each suite use the hypervisor's instance.

. /tests/roots.sh
hold_switches

N=300
CPUS=$(nproc)

tc() {
	in_root "$suite" trace-cmd "$@"
}

# Does a recording with these arguments hold exactly what was emitted?
records_all() {
	rm -f /tmp/t.dat
	tc record -o /tmp/t.dat "$@" recorded.sh hyp_emit 1 $N > /tmp/record.log 2>&1 &&
		tc report -i /tmp/t.dat > /tmp/report 2>/tmp/report.log &&
		ids_are $N "$CPUS" < /tmp/report && return
	cat /tmp/record.log /tmp/report.log
	tail -n 5 /tmp/report
	return 1
}

# Events of the root and of hyp/ are on one timeline: times do not decrease, both are
# decoded, and the pid of a task is the same in both.
one_timeline() {
	local pid

	records_all -C boot -e sched:sched_switch -B hyp -e hyp || return
	awk '{ match($0, /\[[0-9]+\][ .A-Za-z0-9]* +[0-9]+\.?[0-9]*:/)
	       t = substr($0, RSTART, RLENGTH - 1)
	       sub(/.* /, "", t)
	       if (t != "" && t + 0 < last) { print "# back: " $0; exit 1 }
	       if (t != "") last = t + 0 }' /tmp/report || return
	pid=$(sed -n 's/.*hyp_emit-\([0-9]*\) .*selftest:.*/\1/p' /tmp/report |
		sort -u)
	[ "$(echo "$pid" | wc -w)" = 1 ] || { echo "# pids: $pid"; return 1; }
	grep -q "sched_switch:.*hyp_emit:$pid " /tmp/report &&
		grep -q "^ .*hyp_emit-$pid .*sched_switch:" /tmp/report &&
		grep -q "^hyp: .*hyp_emit-$pid .*hyp_enter: *reason=hvc" /tmp/report &&
		grep -q "^hyp: .*host_hcall: *__hyp_trace_write_event id=" /tmp/report
}

# libtraceevent can print events of all kinds by their formats.
decodes_all() {
	local ok=1

	tc record -o /tmp/g.dat -B hyp -e hyp recorded.sh /tests/hyp_guest 20 > /tmp/record.log 2>&1 &&
		tc record -o /tmp/e.dat -B hyp -e hyp recorded.sh hyp_emit 1 1 >> /tmp/record.log 2>&1 &&
		for dat in g e; do tc report -i /tmp/$dat.dat; done > /tmp/report 2> /tmp/report.log &&
		! grep -E 'FAILED TO PARSE|>[a-z]<|\?\?' /tmp/report &&
		grep -qE 'vcpu_exit: *vm=[0-9]+ vcpu=0 reason=DABT_LOW pc=0x4000' /tmp/report &&
		grep -qE 'hyp_printk: *selftest %llu is %#llx \(0x1, 0x1, 0x0, 0x0\)' /tmp/report &&
		grep -qE 'hyp_span: *begin selftest id=' /tmp/report && ok=0
	[ $ok = 0 ] || cat /tmp/record.log /tmp/report.log
	return $ok
}

extracts() {
	tc start -B hyp -e hyp:selftest && hyp_emit 1 $N && tc stop -B hyp &&
		tc show -B hyp | ids_are $N "$CPUS" &&
		tc extract -o /tmp/e.dat -B hyp > /dev/null 2>&1 &&
		tc report -i /tmp/e.dat 2>/dev/null | ids_are $N "$CPUS"
}

clears_and_resets() {
	tc start -B hyp -e hyp:selftest && hyp_emit 1 10 && tc clear -B hyp &&
		! tc show -B hyp | grep -q selftest: &&
		[ "$(cat $HYP/tracing_on)" = 1 ] &&
		tc reset -B hyp &&
		[ "$(cat $HYP/events/hyp/enable)" = 0 ] && [ -d $HYP ]
}

lists() {
	tc list -B | grep -qx hyp && tc list -e '^hyp:' | grep -q hyp:hyp_enter
}

states() {
	tc stat -B hyp > /tmp/stat || return
	grep -q 'Clock: boot' /tmp/stat && grep -q 'Instance: hyp' /tmp/stat
}

refuses_unknown() {
	! tc record -o /tmp/t.dat -B hyp -e hyp:no_such_event true \
		> /tmp/record.log 2>&1 && grep -qi 'no events enabled' /tmp/record.log
}

# A buffer larger than memory is refused, and the previous state still works.
refuses_too_large() {
	tc record -o /tmp/t.dat -B hyp -b 99999999 -e hyp:selftest true \
		> /tmp/record.log 2>&1
	grep -qiE "can.t|cannot|failed|invalid|memory" /tmp/record.log &&
		tc start -B hyp -e hyp:selftest && hyp_emit 1 10 && tc stop -B hyp &&
		tc show -B hyp | ids_are 10 "$CPUS"
}

# takes: has trace-cmd taken some of the events emitted now? (Some versions wait until half
# of the buffer is full.)
takes() {
	[ "$(cat $HYP/tracing_on)" = 1 ] && hyp_emit 1 100 &&
		awk '/^read events:/ { n += $NF } END { exit !n }' $HYP/per_cpu/cpu*/stats
}

no_trace_cmd() {
	! pidof trace-cmd > /dev/null
}

# What a filter lets pass is recorded. trace-cmd shows the error_log if a filter is refused.
filters() {
	rm -f /tmp/t.dat /tmp/ids
	tc record -o /tmp/t.dat -B hyp -e hyp:selftest -f 'id == 36 || id > 290 && id & 1' \
		recorded.sh hyp_emit 1 $N > /tmp/record.log 2>&1 &&
		tc report -i /tmp/t.dat 2> /tmp/report.log |
			sed -n 's/.*selftest: *id=//p' > /tmp/ids
	[ -s /tmp/ids ] && [ "$(sort -un /tmp/ids | tr '\n' ' ')" = "36 291 293 295 297 299 " ] &&
		[ "$(wc -l < /tmp/ids)" = $((6 * CPUS)) ] ||
		{ cat /tmp/ids /tmp/record.log; return 1; }
	tc record -o /tmp/t.dat -B hyp -e hyp:selftest -f 'comm == "x"' true > /tmp/record.log 2>&1
	grep -q 'Failed filter of .*/hyp/selftest/filter' /tmp/record.log &&
		grep -q 'compares numbers only' /tmp/record.log ||
		{ cat /tmp/record.log; return 1; }
}

TREE="hyp_test_tree hyp_test_branch hyp_test_leaf hyp_test_leaf hyp_test_branch hyp_test_leaf \
hyp_test_leaf hyp_test_small hyp_test_long_error hyp_test_int_error hyp_test_address"

# graph_is FUNCTIONS: does EL2 call these, while it calls the tree once?
graph_is() {
	tc record -o /tmp/f.dat -B hyp -p function_graph recorded.sh \
		sh -c "echo 12 1 > $HYP/write_test" > /tmp/record.log 2>&1 &&
		tc report -i /tmp/f.dat > /tmp/report 2> /tmp/report.log &&
		[ "$(sed -n 's/.*funcgraph_entry: .*| *__kvm_nvhe_\([a-z_0-9]*\)().*/\1/p' \
			/tmp/report | tr '\n' ' ')" = "$1 " ] && return
	cat /tmp/record.log /tmp/report.log
	head -n 20 /tmp/report
	return 1
}

# trace-cmd's -l and -g know the kernel's own functions only. What the instance's files say stays.
graphs() {
	echo hyp_test_tree > $HYP/set_graph_function &&
		graph_is "$TREE" &&
		echo hyp_test_branch > $HYP/set_graph_function &&
		graph_is "hyp_test_branch hyp_test_leaf hyp_test_leaf hyp_test_branch hyp_test_leaf hyp_test_leaf"
}

stacks() {
	echo > $HYP/set_graph_function
	echo hyp_test_leaf > $HYP/set_ftrace_filter
	tc record -o /tmp/f.dat -B hyp -p function -O func_stack_trace recorded.sh \
		sh -c "echo 12 1 > $HYP/write_test" > /tmp/record.log 2>&1 &&
		tc report -i /tmp/f.dat > /tmp/report 2> /tmp/report.log &&
		[ "$(grep -c 'function: *__kvm_nvhe_hyp_test_leaf' /tmp/report)" = 4 ] &&
		[ "$(sed -n 's/^=> __kvm_nvhe_\(hyp_test_[a-z_]*\) .*/\1/p' /tmp/report | sort |
			uniq -c | xargs)" = "4 hyp_test_branch 4 hyp_test_leaf 4 hyp_test_tree" ] &&
		return
	cat /tmp/record.log /tmp/report.log
	head -n 20 /tmp/report
	return 1
}

# The recorders, one for each CPU, are separate processes.
survives_kill() {
	echo > $HYP/trace
	tc record -o /tmp/k.dat -B hyp -b 256 -e hyp > /tmp/record.log 2>&1 &
	until_ok takes || { echo "# it did not record"; cat /tmp/record.log; return 1; }
	killall -9 trace-cmd && until_ok no_trace_cmd || return
	wait
	[ "$(cat $HYP/tracing_on)" = 1 ] || return
	echo 0 > $HYP/tracing_on
	echo > $HYP/trace
	records_all -B hyp -e hyp
}

run_suite() {
	have_suite "$suite" "trace-cmd" || return
	prepare_root "$suite"
	in_root "$suite" /tests/libtracefs_test
	result "$suite libtracefs_test"
	records_all -B hyp -e hyp
	result "$suite trace-cmd record -B hyp -e hyp"
	records_all -e hyp:selftest -B hyp
	result "$suite trace-cmd record -e hyp:selftest -B hyp"
	records_all -B hyp -e hyp:selftest -e hyp:hyp_enter --nosplice
	result "$suite trace-cmd record --nosplice"
	records_all -B hyp -e hyp -b 4096 -s 1000
	result "$suite trace-cmd record with buffer size and interval"
	# bookworm's trace-cmd does not have this option yet.
	if tc record --help 2>&1 | grep -q subbuf-size; then
		records_all -B hyp -e hyp --subbuf-size $(($(page_size) / 1024))
		result "$suite trace-cmd record --subbuf-size"
	else
		skip "$suite trace-cmd record --subbuf-size: this trace-cmd can't"
	fi
	filters
	result "$suite trace-cmd record -f"
	if grep -q function_graph $HYP/available_tracers; then
		graphs
		result "$suite trace-cmd record -p function_graph"
		stacks
		result "$suite trace-cmd record -p function -O func_stack_trace"
	fi
	decodes_all
	result "$suite trace-cmd prints all that happens while a guest runs"
	one_timeline
	result "$suite trace-cmd record -C boot: host and hypervisor on one timeline"
	extracts
	result "$suite trace-cmd start, stop, show, extract: all the same events"
	clears_and_resets
	result "$suite trace-cmd clear, reset"
	lists
	result "$suite trace-cmd list"
	states
	result "$suite trace-cmd stat"
	refuses_unknown
	result "$suite trace-cmd record of an unknown event fails as usual"
	refuses_too_large
	result "$suite trace-cmd record with a buffer beyond memory"
	survives_kill
	result "$suite trace-cmd killed; the next one works"
	tc reset -B hyp
	echo 256 > $HYP/buffer_size_kb
}

for suite in bookworm sid; do
	run_suite
done
echo 0 > $HYP/tracing_on
exit $status
