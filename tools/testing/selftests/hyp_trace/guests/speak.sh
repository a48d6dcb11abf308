#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: Linux guests record events by their driver and library, in a VMM that people use:
# QEMU with KVM. What they say that they have recorded is what the trace has.

HYP=/sys/kernel/tracing/hyp
LIMIT=$((200 * ${HYP_TEST_SLOWER:-1}))	# seconds, for a guest that hangs

cd /guests || exit 1
. /tests/result.sh
. ./vmm.sh

# guest NAME PARAMETERS: boots Linux, whose console is /tmp/NAME
guest() {
	timeout $LIMIT $VMM -m 192 ${NO_REBOOT--no-reboot} -kernel Image -initrd speak.cpio.gz \
		-append "console=ttyAMA0 quiet panic=-1 $2" < /dev/null 2>&1 | tr -d '\r' > "/tmp/$1"
}

# kill_guest PARAMETER: kills the VMM of the guest with that parameter
kill_guest() {
	local file

	for file in $(grep -l -- "$1" /proc/[0-9]*/cmdline 2> /dev/null); do
		file=${file%/cmdline}
		kill "${file#/proc/}"
	done
}

show_consoles() {
	for name; do
		echo "# console of $name:"
		tail -n 20 "/tmp/$name" | sed 's/^/#   /'
	done
}

# events_of NUMBER CLIENT: the events of that client in that VM, but those that printf has written
events_of() {
	grep "guest_trace_[0-9]*: vm=$1 vcpu=[01] client=$2 " /tmp/trace | grep -vc ' id=99 '
}

# The number of the VM whose marker that is
vm_of_marker() {
	sed -n "s/.*guest_mark: vm=\([0-9]*\) .* a marker of vm $1\$/\1/p" /tmp/trace
}

# exact NAME: each client of a guest has recorded what it says, in its order
exact() {
	local vm client events

	vm=$(vm_of_marker "$1")
	[ -n "$vm" ] && [ "$(grep -c 'client [0-9]*: 1000 events' "/tmp/$1")" = 2 ] || return
	for client in $(sed -n 's/.*example: client \([0-9]*\): 1000 events$/\1/p' "/tmp/$1"); do
		events=$(events_of "$vm" "$client")
		[ "$events" = 1000 ] || { echo "# vm $vm client $client: $events"; return 1; }
		# 8 sectors a round
		grep "vm=$vm vcpu=[01] client=$client .* disk_done sector=" /tmp/trace |
			sed 's/.*sector=\([0-9]*\) .*/\1/' > /tmp/sectors
		seq 0 8 392 | cmp -s - /tmp/sectors || return
	done
}

clean_up() {
	echo 0 > $HYP/tracing_on
	echo > $HYP/trace
	echo 0 > $HYP/events/enable
	echo 0 > $HYP/guests/default
	echo 10000 > $HYP/guests/limit
}

if [ ! -d vmm ]; then
	skip "Linux guests that record events: Debian's QEMU could not be had"
	exit 0
fi

echo 16384 > $HYP/buffer_size_kb
echo > $HYP/trace
echo 'hyp:guest_*' > $HYP/set_event
echo 0 > $HYP/events/hyp/guest_hvc/enable
echo 0 > $HYP/events/hyp/guest_smc/enable
echo 1 > $HYP/tracing_on

guest nothing speak=nothing
grep -q 'guest: no channel' /tmp/nothing && grep -q 'must allow it' /tmp/nothing &&
	! grep -q guest_ $HYP/trace
result "a guest that may not record events finds no device, and its program says what to do"

echo 1 > $HYP/guests/default
echo 0 > $HYP/guests/limit
guest 1 "speak=count vm=1" &
guest 2 "speak=count vm=2 hypertrace.export_markers=1" &
# QEMU also creates VMs that only live for a moment, before its own: wait for those that record.
while [ "$(sed -n 's/.*guest_clock: \(vm=[0-9]*\) .*/\1/p' $HYP/trace | sort -u | wc -l)" -lt 2 ]; do
	sleep 1
done
[ "$(ls -d $HYP/guests/*-* | wc -l)" = 2 ] &&
	[ "$(cat $HYP/guests/*-*/vm | sort -u | wc -l)" = 2 ]
result "each of two VMs has its directory and its number"
wait
cat $HYP/trace > /tmp/trace
! ls -d $HYP/guests/*-* > /dev/null 2>&1
result "a VM that is gone has no directory"
for name in 1 2; do
	exact $name
	result "guest $name: each client's events are recorded, all and in order"
	vm=$(vm_of_marker $name)
	grep -q "guest_trace_1: vm=$vm .* id=99 a0=0x11\$" /tmp/trace
	result "guest $name: printf writes an event"
	[ "$(grep -c "guest_clock: vm=$vm " /tmp/trace)" -ge 2 ]
	result "guest $name: its clocks are recorded again and again"
	# The example is built with sanitizers, which say so when they begin.
	grep -q 'AddressSanitizer: libc' /tmp/$name && grep -q 'guest: example ended well' /tmp/$name
	result "guest $name: AddressSanitizer and UBSan have found no error in the library"
done
[ $status = 0 ] || { show_consoles 1 2; grep -v 'args a0' /tmp/trace | tail -n 30; }

echo > $HYP/trace
guest panics speak=panic
grep -q 'guest_mark: vm=[0-9]* vcpu=[01] client=0 lost=0 panic: sysrq triggered crash$' \
	$HYP/trace
result "the last words of a guest that panics are recorded"

# The guest reboots until its VMM is killed.
echo > $HYP/trace
NO_REBOOT='' guest reboots speak=reboot &
booted=0
for i in $(seq $LIMIT); do
	booted=$(grep -c 'guest_mark: .* here I am$' $HYP/trace)
	[ "$booted" -lt 3 ] || break
	sleep 1
done
kill_guest speak=reboot
wait
[ "$booted" -ge 3 ]
result "a guest that reboots goes on recording"
[ "$(grep 'here I am$' $HYP/trace | sed 's/.* vm=\([0-9]*\) .*/\1/' | sort -u | wc -l)" = 1 ]
result "it is the same VM"

clean_up
exit $status
