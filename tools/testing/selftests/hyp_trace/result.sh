# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For the scripts that run in QEMU and print TAP: the guest has this in /tests. They
# end with "exit $status".

status=0

# result NAME: of the command before
result() {
	if [ $? = 0 ]; then
		echo "ok $1"
	else
		echo "not ok $1"
		status=1
	fi
}
