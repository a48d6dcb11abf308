#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: KVM's selftests, once without and once with all events of the
# hypervisor. Tracing must not change what they find.

HYP=/sys/kernel/tracing/hyp
LIMIT=$((120 * ${HYP_TEST_SLOWER:-1}))	# seconds, for a program that hangs
TRIES=3
KSFT_SKIP=4	# as in kselftest.h

cd /guests || exit 1
. /tests/result.sh

# Overwritten when nobody reads them, so that they need no reader.
events() {
	cat $HYP/per_cpu/cpu*/stats |
		awk '/^(entries|overrun):/ { n += $2 } END { print n + 0 }'
}

# run_to FILE COMMAND...: its essential output, its status at the end. Not essential
# are times and rates, addresses in the program and which of two vCPUs is first.
run_to() {
	local out=$1 status=0

	shift
	timeout $LIMIT "$@" > /tmp/raw 2>&1 || status=$?
	sed -E '/^Host +virtual/d; s/[0-9]+\.[0-9]+/N/g; s/\b[pt]id=[0-9]+//g' /tmp/raw |
		sort > "$out"
	echo "exit status $status" >> "$out"
	return $status
}

# without_tracing PROGRAM...: what it says when it succeeds. Some fail now and then, in
# QEMU, in the unpatched kernel, too: what is under test is what tracing changes.
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

# with_tracing PROGRAM...: $count events; what differs is in /tmp/diff. Some have
# opinions on time, which is QEMU's: a difference has to come back.
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

# One line of the list.
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
# Programs may read from stdin: the list is not for them.
while read -r line <&3; do
	case $line in
	""|"#"*)	;;
	"protected: "*)	! grep -q kvm-arm.mode=protected /proc/cmdline ||
				compare "${line#*: }" ;;
	*)		compare "$line" ;;
	esac
done 3< kvm_selftests.list
echo 0 > $HYP/events/enable
exit $status
