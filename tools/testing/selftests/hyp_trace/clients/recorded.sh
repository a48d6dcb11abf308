#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# recorded.sh COMMAND...: run COMMAND once every CPU's events are being read. trace-cmd
# starts its recorders, one for each CPU, together with the command. A short command could
# end before a recorder has begun, which would then record nothing.

. /tests/roots.sh

# Is the trace_pipe_raw of each CPU open?
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
