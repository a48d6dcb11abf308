#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: Debian's perf and bpftrace on the hypervisor's events, and what reads their
# data. Each result is compared with what was emitted.

. /tests/roots.sh
hold_switches

have_suite trixie "perf and bpftrace" || exit 0
prepare_root trixie

trixie() {
	in_root trixie "$@"
}

# counted EVENT N [more]: has perf stat counted this, or more? Its output is in /tmp/stat.
counted() {
	awk -v event="hyp:$1" -v n="$2" -v more="${3:-}" '
		$2 == event { seen = $1; gsub(",", "", seen); seen += 0 }
		END { if (more ? seen < n : seen != n) { print "# " event ": " seen; exit 1 } }' \
		/tmp/stat
}

# The numbers from 1 to N, a line each?
is_sequence() {
	[ "$(cat)" = "$(seq "$1")" ]
}

# EL2 is also entered when the clock changes.
trixie perf stat -a -e hyp:selftest,hyp:hyp_enter -o /tmp/stat hyp_emit 1 1000 0 &&
	counted selftest 1000 && counted hyp_enter 1000 more
result "perf stat: counts are exact"

# Each write calls EL2 once.
trixie perf stat -a -e 'hyp:*' -o /tmp/stat hyp_emit 1 500 1 &&
	counted selftest 500 && counted hyp_puts 500 && counted host_hcall 500 more &&
	counted hyp_exit 500 more && [ "$(grep -c ' hyp:' /tmp/stat)" -gt 40 ]
result "perf stat: all events"

trixie perf stat -e hyp:selftest -o /tmp/stat sh -c 'hyp_emit 1 300 0; hyp_emit 1 300 1' &&
	counted selftest 600
result "perf stat: of a task and its children"

trixie perf record -q -k CLOCK_BOOTTIME -a -e hyp:selftest -o /tmp/perf.data \
	hyp_emit 1 500 0 &&
	trixie perf script -i /tmp/perf.data > /tmp/script &&
	sed -n 's/^ *hyp_emit .* hyp:selftest: id=//p' /tmp/script | is_sequence 500
result "perf record, perf script: each event, decoded"

trixie perf data convert --to-json /tmp/perf.json -i /tmp/perf.data 2> /dev/null &&
	trixie jq -r '.samples[] | select(.comm == "hyp_emit") | .id' /tmp/perf.json |
	is_sequence 500
result "perf data convert --to-json"

trixie perf data convert --to-ctf /tmp/ctf -i /tmp/perf.data 2> /dev/null &&
	trixie babeltrace2 /tmp/ctf | sed -n 's/.* hyp:selftest: .* id = \([0-9]*\).*/\1/p' |
	is_sequence 500
result "perf data convert --to-ctf, babeltrace2"

# As EL2 has recorded it for the ring: the same times, to the nanosecond.
echo hyp:selftest > $HYP/set_event
echo 1 > $HYP/tracing_on
trixie perf record -q -k CLOCK_BOOTTIME -a -e hyp:selftest -o /tmp/perf.data \
	hyp_emit 1 100 0
echo 0 > $HYP/tracing_on
trixie perf script --ns -F time,trace -i /tmp/perf.data |
	awk '{ sub(":", "", $1); printf "%.6f %s\n", $1, $2 }' > /tmp/perf.times
grep -v '^#' $HYP/trace | sed 's/.* \([0-9.]*\): selftest: /\1 /' > /tmp/ring.times
[ "$(wc -l < /tmp/ring.times)" = 100 ] && cmp /tmp/perf.times /tmp/ring.times
result "perf record -k CLOCK_BOOTTIME: the event's own time"
echo > $HYP/set_event
echo > $HYP/trace

# The address is the host's, although a vCPU is loaded: perf script leaves out a guest's.
trixie perf record -q -a -e hyp:vcpu_exit -o /tmp/perf.data hyp_guest 200 > /dev/null &&
	trixie perf script -F comm,ip,sym,trace -i /tmp/perf.data > /tmp/script &&
	[ "$(grep -c 'hyp_guest .*reason=.* kvm_arch_vcpu_ioctl_run' /tmp/script)" -ge 200 ]
result "perf record: where the host was"

# A kernel with BTF has these types; of this one, Documentation/trace/hyp-catching.rst says so.
cat > /tmp/types.h << 'END'
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
END

# bpf PROGRAM COMMAND: runs a program of bpftrace while the command runs
bpf() {
	trixie bpftrace --include /tmp/types.h -e "$1" -c "$2" > /tmp/bpftrace 2>&1 ||
		{ sed 's/^/# /' /tmp/bpftrace; false; }
}

bpf 'tracepoint:hyp:selftest { @[args->id % 4] = count(); }' '/tests/hyp_emit 1 1000 0' &&
	[ "$(grep -c '^@\[[0-3]\]: 250$' /tmp/bpftrace)" = 4 ]
result "bpftrace: counts are exact"

bpf 'tracepoint:hyp:vcpu_exit { @[comm] = count(); @pc = max(args->pc); }
     tracepoint:hyp:host_hcall { @calls = count(); }' '/tests/hyp_guest 300' &&
	[ "$(sed -n 's/^@\[hyp_guest\]: //p' /tmp/bpftrace)" -ge 300 ] &&
	[ "$(sed -n 's/^@calls: //p' /tmp/bpftrace)" -ge 900 ]
result "bpftrace: a guest"

! grep -v 'lost: 0 ' $HYP/follower && grep -q 'delivered: [1-9]' $HYP/follower
result "nothing was lost"
echo 5 0 > $HYP/write_test
result "and nothing is left behind"
exit $status
