#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: the commands of hyp-howto.rst (howto.py), one after the other as a reader types them,
# while VMs run. Prints TAP.

. /tests/roots.sh

log=/tmp/log output=/tmp/output
cd /tmp || exit
cp /proc/iomem iomem
hyp_vms 2 1 100000000 &

# When did something begin that was recorded [s]?
begin_of_one() {
	hyptrace report --slowest 1 --csv | awk -F, 'NR == 2 { printf "%.6f\n", $1 / 1e9 }'
}

# with_ours COMMAND: with a time that is in our recording, a command that there is here, and an end
with_ours() {
	case $1 in
	*' --around '*)	at=$(begin_of_one) ;;
	esac
	echo "$1" | sed "s/ -d [0-9]*/ -d 0.5/; s/COMMAND/hyp_guest 20/; s/200\.000503/$at/
			 s/cat trace_pipe/head -n 100 trace_pipe/"
}

# What it prints is in $output. hyptrace writes its files here; other commands are for tracefs's.
try() {
	case $1 in
	hyptrace*)	eval "$1" ;;
	*)		(cd $HYP && eval "$1") ;;
	esac > $output 2> $log
}

# Is something printed? These only write into files.
prints() {
	case $1 in
	*' > tracing_on'|*' -o '*|*' record '*|*' export '*) ;;
	*)	[ -s $output ] ;;
	esac
}

while read -r command <&3; do
	case $command in
	# It needs a terminal, and has a test of its own.
	'hyptrace top')	continue ;;
	# The trigger will act.
	'cat trace')	until [ "$(cat $HYP/tracing_on)" = 0 ]; do sleep 0.1; done ;;
	esac
	ours=$(with_ours "$command")
	try "$ours" && prints "$ours"
	result "the how-to's command: $command"
	[ "$command" != 'cat trace' ] || tail -n 4 $output > last
done 3< /tests/howto/table

grep -q ' vcpu_exit: .*DABT_LOW' last
result "the last events before it was turned off have what turned it off"
[ "$(grep -o '>VM [0-9]*, vCPU 0<' vm.svg | sort -u | tee $log | wc -l)" = 2 ] && grep -q handle_trap el2.svg && [ -s vm.pftrace ]
result "the pictures show what was recorded"
killall hyp_vms

# Without --force, record wants that nothing is set any more.
! hyptrace record -o after.dat hyp_guest 1 2> $log && grep -q 'is in use' $log
result "something is left in hyp/"
(set -e; cd $HYP; . /tests/howto/clean) 2> $log && hyptrace record -o after.dat hyp_guest 1 2> $log
result "it is cleaned up"
exit $status
