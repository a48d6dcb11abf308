#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: runs KVM's selftests without tracing, then with all events of the
# hypervisor. Tracing must not change their results.

HYP=/sys/kernel/tracing/hyp
LIMIT=$((120 * ${HYP_TEST_SLOWER:-1}))	# seconds, for a program that hangs
TRIES=3
KSFT_SKIP=4	# as in kselftest.h

cd /guests || exit 1
. /tests/result.sh

# The number of events; they are overwritten, so no reader is needed.
events() {
	cat $HYP/per_cpu/cpu*/stats |
		awk '/^(entries|overrun):/ { n += $2 } END { print n + 0 }'
}

# run_to FILE COMMAND...: write the essential output and the status to FILE. Times and
# rates, addresses in the program, seeds and the order of two vCPUs are not essential.
run_to() {
	local out=$1 status=0

	shift
	timeout $LIMIT "$@" > /tmp/raw 2>&1 || status=$?
	sed -E '/^Host +virtual/d; /^Random seed: 0x/d; s/[0-9]+\.[0-9]+/N/g; s/\b[pt]id=[0-9]+//g' /tmp/raw |
		sort > "$out"
	echo "exit status $status" >> "$out"
	return $status
}

# without_tracing PROGRAM...: get the output of a successful run. Some programs sometimes
# fail in QEMU, in the unpatched kernel, too; the test is about what tracing changes.
without_tracing() {
	local try status

	for try in $(seq $TRIES); do
		status=0
		run_to /tmp/off "$@" || status=$?
		case $status in
		0|$KSFT_SKIP)	break ;;
		esac
		echo "# $1, try $try of $TRIES without tracing: exit status $status"
		sed 's/^/# /' /tmp/raw
	done
	return $status
}

# with_tracing PROGRAM...: sets $count to the number of events; /tmp/diff has differences.
# Some programs depend on timing, which QEMU changes, so only a repeated difference counts.
with_tracing() {
	local try

	for try in $(seq $TRIES); do
		echo > $HYP/trace
		echo 1 > $HYP/tracing_on
		run_to /tmp/on "$@"
		echo 0 > $HYP/tracing_on
		count=$(events)
		echo "# $1: $count events"
		diff /tmp/off /tmp/on > /tmp/diff && break
	done
}

# compare LINE: run one line of the list.
compare() {
	local last

	without_tracing ./$1
	case $? in
	0)		;;
	$KSFT_SKIP)	sed 's/^/# /' /tmp/raw
			skip "$1"
			return ;;
	*)		last=$(tail -n 1 /tmp/off)
			false
			result "$1: without tracing: $last"
			return ;;
	esac
	with_tracing ./$1
	sed 's/^/# /' /tmp/diff
	[ ! -s /tmp/diff ] && [ "$count" -gt 0 ]
	result "$1: the same with tracing, which has recorded something"
}

grep -q '^[^#]' kvm_selftests.list || { echo "Bail out! no test in kvm_selftests.list"; exit 1; }
echo 0 > $HYP/tracing_on
echo 1 > $HYP/events/enable
# Programs may read from stdin, so the list is on descriptor 3.
kernel=$(uname -r | grep -o '^[0-9]*\.[0-9]*')
while read -r line <&3; do
	case $line in
	"$kernel: "*)	compare "${line#*: }" ;;
	[0-9]*": "*)	;;
	""|"#"*)	;;
	"protected: "*)	! grep -q kvm-arm.mode=protected /proc/cmdline ||
				compare "${line#*: }" ;;
	"up to 16k: "*)	[ "$(page_size)" -gt 16384 ] || compare "${line#*: }" ;;
	*)		compare "$line" ;;
	esac
done 3< kvm_selftests.list
echo 0 > $HYP/events/enable
exit $status
