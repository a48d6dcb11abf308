#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: records what a Linux guest does, here and by its own trace, and prints both
# recordings for guests/timeline.

. /tests/roots.sh
. /guests/vmm.sh

LIMIT=$((200 * ${HYP_TEST_SLOWER:-1}))	# seconds, for a guest that hangs

# send FILE: prints it, as guests/timeline expects it
send() {
	echo "FILE $(basename "$1")"
	gzip -c "$1" | base64
	echo END
}

echo 1 > $HYP/guests/default
echo 0 > $HYP/guests/limit
timeout $LIMIT hyptrace record -b 8192 -o /tmp/host.dat \
	-e hyp:guest_trace_1,hyp:guest_clock,hyp:timer_cntvoff \
	$VMM -m 384 -no-reboot -chardev file,id=out,path=/tmp/guest.dat \
	-device virtio-serial-device -device virtserialport,chardev=out,name=out \
	-kernel /guests/Image -initrd /guests/timeline.cpio.gz \
	-append "console=ttyAMA0 quiet panic=-1" < /dev/null > /tmp/console 2>&1
grep -q 'guest: recorded' /tmp/console || { tail -n 30 /tmp/console >&2; exit 1; }
send /tmp/host.dat
send /tmp/guest.dat
