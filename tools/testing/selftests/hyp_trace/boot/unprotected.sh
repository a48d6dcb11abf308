#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, booted with kvm-arm.hyp_trace=unprotected: nothing is recorded, counted or triggered
# while EL2 runs a protected guest, and all is for another one. Prints TAP.

. /tests/result.sh
cd /sys/kernel/tracing/hyp || exit 1

hold_switches

# record TYPE: run such a guest on CPU 0, with all events but EL2's own calls of functions
record() {
	echo 0 > tracing_on
	echo > trace
	echo 0 > totals/enable
	echo 1 > events/enable
	echo 1 > totals/enable
	echo 1 > guests/default
	echo 'hist:keys=vcpu' > ../events/hyp/vcpu_exit/trigger
	echo 1 > tracing_on
	taskset 1 hyp_secret run "$1" 5
	echo 0 > tracing_on
	grep -v '^#' per_cpu/cpu0/trace > /tmp/events
	grep -v '^#' totals/table > /tmp/totals
	grep '^{' ../events/hyp/vcpu_exit/hist > /tmp/hist
	echo '!hist:keys=vcpu' > ../events/hyp/vcpu_exit/trigger
}

# within: what was recorded between hypercalls that run a vCPU and their results
within() {
	awk '/ host_hcall_done: __kvm_vcpu_run / { inside = 0 }
	     inside { print }
	     / host_hcall: __kvm_vcpu_run / { inside = 1 }' /tmp/events
}

runs() {
	grep -c ' host_hcall: __kvm_vcpu_run ' /tmp/events
}

record protected
[ "$(runs)" -ge 5 ] && [ -z "$(within)" ]
result "nothing is recorded of a protected guest's runs"
[ "$(grep -c ' host_hcall_done: __kvm_vcpu_run .* result=0$' /tmp/events)" = "$(runs)" ]
result "nor why they end"
! grep -q a0=0x5ec2e7 /tmp/events
result "nor what it would record itself"
! awk 'NR > 1 && $1 != 0' /tmp/totals | grep . && grep -q __kvm_vcpu_run /tmp/totals
result "no totals are kept of it"
! grep ' host_hcall: __hyp_totals_load_vcpu ' /tmp/events
result "nor has it memory for them"
! grep . /tmp/hist
result "nothing of it is followed"
[ "$(grep -c ' hyp_enter: ' /tmp/events)" = "$(grep -c ' hyp_exit: ' /tmp/events)" ]
result "EL2 is entered and left in pairs"

record plain
[ "$(within | grep -c ' vcpu_exit: ')" -ge 5 ]
result "another guest's runs are recorded"
grep ' host_hcall_done: __kvm_vcpu_run ' /tmp/events | grep -qv ' result=0$'
result "and why they end"
grep -q a0=0x5ec2e7 /tmp/events
result "and what it records itself"
awk 'NR > 1 && $1 != 0' /tmp/totals | grep -q .
result "totals are kept of it"
grep -q ' host_hcall: __hyp_totals_load_vcpu ' /tmp/events
result "it has memory for them"
grep -q . /tmp/hist
result "it is followed"

# turned_off TYPE: is recording stopped by a guest's entry?
turned_off() {
	echo 1 > tracing_on
	echo traceoff > events/hyp/vcpu_enter/trigger
	taskset 1 hyp_secret run "$1" 1
	on=$(cat tracing_on)
	echo '!traceoff' > events/hyp/vcpu_enter/trigger
	[ "$on" = 0 ]
}

! turned_off protected
result "a protected guest triggers nothing"
turned_off plain
result "another one does"

if grep -q function_graph available_tracers; then
	echo 0 > events/enable
	for type in protected plain; do
		echo > trace
		echo function_graph > current_tracer
		echo 1 > tracing_on
		taskset 1 hyp_secret run $type 5
		echo 0 > tracing_on
		cat trace > /tmp/functions.$type
		echo nop > current_tracer
	done
	grep -q '__kvm_nvhe_handle___kvm_vcpu_run()' /tmp/functions.protected &&
		! grep -E '__kvm_nvhe_(__kvm_vcpu_run|flush_hyp_vcpu|sync_hyp_vcpu)\(' \
			/tmp/functions.protected
	result "no function is recorded while EL2 runs a protected guest"
	grep -q '__kvm_nvhe___kvm_vcpu_run()' /tmp/functions.plain
	result "functions are while it runs another one"
fi

# Rings are changed while a guest is hidden.
echo 1 > events/enable
echo 1 > tracing_on
taskset 1 hyp_secret run protected 20000 &
i=0
while kill -0 $! 2> /dev/null; do
	i=$((i + 1))
	echo $((256 + i % 2 * 64)) > buffer_size_kb || break
	echo > trace || break
	echo $((i % 2)) > tracing_on || break
done
wait $! && [ $i -gt 3 ] && ! dmesg | grep -q 'does not give back the ring'
result "rings are replaced, emptied and closed meanwhile"
exit $status
