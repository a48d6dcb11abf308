#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, in each boot of a machine whose rings survive a reboot: the kernel panics, and
# then trace-cmd, and after another panic Perfetto, takes what the last boot has left. Prints
# results, and Perfetto's trace as perfetto.sh does.

. /tests/roots.sh

N=300
LAST=/sys/kernel/tracing/hyp_last_boot
suite=sid

tc() {
	in_root "$suite" trace-cmd "$@"
}

die() {
	echo "$*" > $HYP/set_event && echo 1 > $HYP/tracing_on && hyp_emit 1 $N
	echo c > /proc/sysrq-trigger
}

# Perfetto takes all events at once, or sometimes only the first page of each CPU.
taken() {
	awk '/^read events:/ { n += $NF; cpus += $NF > 0 } END { print n; exit cpus < 2 }' \
		$LAST/per_cpu/cpu*/stats
}

# Take it, and give the memory back, as a service at the start of the machine would.
frozen() {
	local recorder

	cat > /tmp/frozen.cfg <<- 'END'
		buffers { size_kb: 16384 }
		data_sources { config {
			name: "linux.frozen_ftrace"
			frozen_ftrace_config { instance_name: "hyp_last_boot" }
		} }
	END
	start_daemons
	chroot /clients/sid perfetto --txt -c /tmp/frozen.cfg -o /tmp/frozen.pb \
		> /tmp/frozen.log 2>&1 &
	recorder=$!
	until_ok taken > /dev/null && sleep 2 && echo "taken $(taken)" &&
		kill -TERM $recorder && wait $recorder && [ -s /tmp/frozen.pb ] && return
	cat /tmp/frozen.log $PERFETTO_LOG.*
	return 1
}

have_suite sid trace-cmd || exit 0
prepare_root sid
[ -e $LAST ] || die hyp:selftest
if ! grep -q 'ended \[s after boot\]: .*' $LAST/last_boot_info; then
	result "the last boot has panicked"
	exit 1
fi

if grep -q selftest: $LAST/trace; then
	tc show -B hyp_last_boot | ids_are $N "$(nproc)"
	result "trace-cmd show -B hyp_last_boot"
	tc extract -B hyp_last_boot -o /tmp/e.dat > /tmp/extract.log 2>&1 &&
		tc report -i /tmp/e.dat 2> /dev/null | ids_are $N "$(nproc)"
	result "trace-cmd extract -B hyp_last_boot"
	# Perfetto takes only those that it has types for.
	die hyp:hyp_enter hyp:hyp_exit hyp:host_hcall
fi

frozen
result "perfetto frozen_ftrace: it records"
! grep -q hyp_enter: $LAST/trace
result "perfetto frozen_ftrace: the events are given back"
echo "TRACE frozen"
base64 /tmp/frozen.pb
echo END
exit $status
