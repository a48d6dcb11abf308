#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# recorded.sh COMMAND...: run it once every CPU's events are being read. trace-cmd starts
# its recorders, one for each CPU, and what is to be recorded at the same time: a short
# command can end before a recorder has begun, which then records nothing.

. /tests/roots.sh

# Has somebody opened each CPU's pages?
all_read() {
	local cpu open

	open=$(ls -l /proc/[0-9]*/fd)
	for cpu in "$HYP"/per_cpu/cpu*; do
		case $open in
		*"/hyp/per_cpu/${cpu##*/}/trace_pipe_raw"*)	;;
		*)	return 1 ;;
		esac
	done
}

until_ok all_read || { echo "# not every CPU has a recorder"; exit 1; }
exec "$@"
