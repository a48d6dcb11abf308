#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: what hyptrace-check says about this machine, and about this machine with some
# of its files replaced, which is done in a mount namespace of each test.

. /tests/result.sh
tracing=/sys/kernel/tracing
log=/tmp/answer

# says STATUS TEXT [COMMAND]: hyptrace-check's status and answer, after COMMAND
says() {
	unshare -m sh -c "${3:-true}"'; hyptrace-check' > $log 2>&1
	[ $? = "$1" ] && grep -q "$2" $log
}

# Does hyptrace say the same? Where it knows more than hyptrace-check, its message is another.
hyptrace_says() {
	if [ ! -e /bin/hyptrace ]; then
		skip "hyptrace could not be had: $1"
		return
	fi
	hyptrace stat -d 1 > $log 2>&1
	[ $? = 1 ] && grep -q "$1" $log
	result "hyptrace: $1"
}

case $(cat /proc/cmdline) in
*kvm-arm.mode=vhe*)
	says 1 'at EL2 (VHE)' && grep -q 'kvm-arm.mode=nvhe' $log
	result "VHE: what to boot with"
	hyptrace_says "at EL2 (VHE)"
	says 1 'built without CONFIG_KVM_HYPTRACE' 'mount --bind /dev/null /proc/kallsyms'
	result "a kernel without our option"
	without='mount --bind /dev/null /proc/kallsyms; mkdir -p /boot
		touch /boot/vmlinuz-6.12.1-hyptrace-arm64'
	says 1 'choose it in the boot loader' "$without"
	result "a kernel with it is installed"
	says 1 'Secure Boot refuses it' "$without"'; mount -t tmpfs none /sys/firmware
		mkdir -p /sys/firmware/efi/efivars; printf "\6\0\0\0\1" > \
			/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c'
	result "Secure Boot refuses it"
	says 1 'Boot without lockdown' 'mount -t tmpfs none /sys/kernel
		mkdir /sys/kernel/security
		echo "none integrity [confidentiality]" > /sys/kernel/security/lockdown'
	result "lockdown"
	says 2 'tracefs is not mounted' "umount $tracing"
	result "tracefs is not mounted"
	dmesg -c > /dev/null
	says 2 "no longer has the line"
	result "the kernel's log has been overwritten" ;;
*kvm-arm.mode=none*)
	says 1 'KVM is turned off'
	result "without KVM"
	hyptrace_says "KVM is turned off" ;;
*kvm-arm.hyp_trace=off*)
	says 1 'Boot with kvm-arm.hyp_trace=on'
	result "tracing is locked"
	hyptrace_says "boot with kvm-arm.hyp_trace=on" ;;
*)
	events=$(ls -d $tracing/hyp/events/hyp/*/ | wc -l)
	[ "$events" -gt 40 ] && says 0 "$tracing/hyp has $events events"
	result "it can" ;;
esac
exit $status
