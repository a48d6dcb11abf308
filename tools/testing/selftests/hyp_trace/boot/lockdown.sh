#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU, in the kernel of make test-startup. Once the kernel is locked down, no file of
# hyp/ can be opened, but the formats and numbers of events, which Linux shows in any case, and
# what is for tests only.

tracing=/sys/kernel/tracing
. /tests/result.sh

# opens FILE: can it be opened? The shells are there because a failed exec ends one.
opens() {
	case $(stat -c %a "$1") in
	[4567]??)	(exec < "$1") ;;
	*)		(exec >> "$1") ;;
	esac 2> /dev/null
}

# files YES|NO: those of hyp/ that can be opened, or can't
files() {
	find $tracing/hyp -type f ! -name format ! -name id ! -name 'write_*' | while read -r file; do
		if opens "$file"; then
			[ "$1" = NO ] || echo "# $file"
		else
			[ "$1" = YES ] || echo "# $file"
		fi
	done
}

mount -t securityfs securityfs /sys/kernel/security
refused=$(files NO)
echo "$refused"
[ -z "$refused" ] && [ "$(files YES | wc -l)" -gt 200 ]
result "all files can be opened"
echo confidentiality > /sys/kernel/security/lockdown &&
	grep -qF '[confidentiality]' /sys/kernel/security/lockdown
result "the kernel is locked down"
opened=$(files YES)
echo "$opened"
[ -z "$opened" ]
result "no file can be opened"
exit $status
