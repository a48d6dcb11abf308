#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: hyptrace without the system's libraries. /alone has only what is tested, and a shell.
# Prints TAP.

. /tests/result.sh

log=/tmp/log
mkdir -p /alone/proc /alone/sys /alone/dev /alone/tmp
mount --rbind /proc /alone/proc
mount --rbind /sys /alone/sys
mount --rbind /dev /alone/dev

alone() {
	chroot /alone "$@"
}

# Somebody else runs guests meanwhile: the system that has them.
hyp_vms 1 2 1000000 > /dev/null &
vms=$!
until awk '$3 == "alive" && $4 { runs = 1 } END { exit !runs }' /sys/kernel/tracing/hyp/totals/vms; do
	sleep 0.1
done

alone /static stat -d 1 > $log && grep -q '^exit_host DABT_LOW  *[1-9]' $log
result "the static program: stat"
alone /static record -d 1 -b 16384 -o /tmp/x.dat 2> $log && grep -qE ' [1-9][0-9]* events of the hyp' $log
result "the static program: record"
! alone /static report -i /tmp/x.dat 2> $log && grep -q "static hyptrace can't read recordings" $log
result "the static program says that it can't read a recording"
alone /hyptrace/hyptrace report -i /tmp/x.dat > $log 2>&1 &&
	grep -q '^exit_host DABT_LOW  *[1-9]' $log
result "the whole program: report"
alone /hyptrace/hyptrace check > $log && grep -q 'can trace its hypervisor' $log
result "the whole program: check"
kill $vms
exit $status
