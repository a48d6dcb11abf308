#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: hyptrace as a package of Debian has it, in the root of the suite HYP_SUITE, which is on
# the kernel's command line. Prints TAP.

. /tests/roots.sh
suite=$HYP_SUITE
log=/tmp/log
cd /tmp || exit

have_suite "$suite" "hyptrace as a package" || exit 1
prepare_root "$suite"
# The guest's own hyptrace is in /bin.
PATH=/usr/bin:$PATH
hyptrace() {
	in_root "$suite" /usr/bin/hyptrace "$@"
}

hyptrace check > $log
result "hyptrace check, by the package's script"
hyptrace stat --csv --by kind hyp_guest 20 > /tmp/stat.csv 2> $log &&
	awk -F, '$3 == "guest" { n = $5 } END { exit n < 20 }' /tmp/stat.csv
result "stat counts a guest's runs"
hyptrace record -o /tmp/package.dat hyp_guest 20 2> $log && hyptrace report -i /tmp/package.dat > $log &&
	grep -q '^exit_host' $log && hyptrace export -i /tmp/package.dat --perfetto /tmp/package.pftrace &&
	[ -s /tmp/package.pftrace ]
result "record, report and export"
exit $status
