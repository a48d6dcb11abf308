#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: runs Linux as a guest, in a VMM that people use: QEMU with KVM. Meanwhile
# all events of the hypervisor are recorded, and the host's kvm_entry and kvm_exit to
# compare with.

ROOT=/sys/kernel/tracing
HYP=$ROOT/hyp
OUT=/tmp/recorded
LIMIT=$((400 * ${HYP_TEST_SLOWER:-1}))	# seconds, for a guest that hangs

cd /guests || exit 1
. /tests/result.sh
. ./vmm.sh
hold_switches

boot() {
	timeout $LIMIT $VMM -m 256 -kernel Image -initrd linux_guest.cpio.gz \
		-append "console=ttyAMA0 panic=-1" < /dev/null
}

# The hypervisor's instance is turned on first and off last, so it has each event that
# corresponds to an event of the host.
start_recording() {
	mkdir -p $OUT
	echo boot > $ROOT/trace_clock
	for dir in $HYP $ROOT; do
		echo 0 > $dir/tracing_on
		echo 8192 > $dir/buffer_size_kb
		echo > $dir/trace
	done
	echo 1 > $HYP/events/enable
	for event in $KVM_EVENTS; do
		echo 1 > $ROOT/events/kvm/$event/enable
	done
	./record $HYP $OUT/hyp &
	hyp_recorder=$!
	./record $ROOT $OUT/kvm &
	kvm_recorder=$!
	echo 1 > $HYP/tracing_on
	echo 1 > $ROOT/tracing_on
}

stop_recording() {
	echo 0 > $ROOT/tracing_on
	echo 0 > $HYP/tracing_on
	kill $hyp_recorder $kvm_recorder
	wait $hyp_recorder && wait $kvm_recorder
	recorded=$?
	echo 0 > $HYP/events/enable
	for event in $KVM_EVENTS; do
		echo 0 > $ROOT/events/kvm/$event/enable
	done
}

# show NAME INSTANCE: print how much was recorded and lost
show() {
	for file in $OUT/$1.cpu*; do
		cpu=${file##*.}
		echo "# $1 $cpu: $(($(wc -c < $file) / $(page_size))) pages," \
			"lost: $(awk '/overrun:|dropped/ { n += $NF } END { print n }' \
				 $2/per_cpu/$cpu/stats)"
	done
}

seconds() {
	cut -d. -f1 /proc/uptime
}

# Both CPUs must have computed the sum that this system computes.
computed() {
	local sum cpu

	sum=$(for i in 1 2 3 4 5 6 7 8; do cat /bin/busybox; done | md5sum)
	for cpu in 0 1; do
		grep -q "^guest: cpu $cpu: $sum" /tmp/console || return
	done
}

if [ ! -d vmm ]; then
	skip "a Linux guest: Debian's QEMU could not be had"
	exit 0
fi
KVM_EVENTS="kvm_entry kvm_exit"

start_recording
begin=$(seconds)
boot > /tmp/raw 2>&1
vmm=$?
echo "# the guest ran for $(($(seconds) - begin)) s"
stop_recording
tr -d '\r' < /tmp/raw > /tmp/console

grep -q '^guest: shell reached' /tmp/console
result "the guest boots to its shell"
computed
result "it computes on both CPUs what the host computes"
grep -q '^guest: done' /tmp/console && grep -q 'reboot: Power down' /tmp/console &&
	[ $vmm = 0 ]
result "it powers off, and the VMM ends"
[ $recorded = 0 ] && [ -s $OUT/hyp.cpu0 ]
result "the hypervisor was recorded meanwhile"
./check_recorded $OUT
result "the record makes sense: pairs, order, time, the host's own events around it"
[ $status = 0 ] || { echo "# exit status $vmm"; sed 's/^/# /' /tmp/console; }
show hyp $HYP
show kvm $ROOT
exit $status
