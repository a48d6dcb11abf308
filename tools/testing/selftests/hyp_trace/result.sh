# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For the scripts that print TAP: those that run in QEMU have this in /tests. They end
# with "exit $status".

status=0

# result NAME: of the command before. If that has failed, the beginning of what it said,
# where $log has that.
result() {
	if [ $? = 0 ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		[ -z "${log:-}" ] || head -n 5 "$log" | sed 's/^/# /'
		status=1
	fi
}

# skip NAME
skip() {
	echo "ok $1 # SKIP"
}
