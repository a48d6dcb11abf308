# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by the tests that run clients. A client's root is /clients/SUITE, with the
# unpacked packages of a Debian suite.

HYP=/sys/kernel/tracing/hyp

: "${HYP_TEST_SLOWER:=1}"

. /tests/result.sh

# Make a root usable with the system's mounts, the tests, and a shell.
prepare_root() {
	for dir in /proc /sys /dev /tmp /bin /tests; do
		mount --rbind $dir "/clients/$1$dir"
	done
}

# Is the client there? If not, the result of its test gives the reason.
have_suite() {
	[ -d "/clients/$1" ] && return
	skip "$2: $1's packages could not be had"
	return 1
}

# in_root SUITE COMMAND...
in_root() {
	local root=/clients/$1

	shift
	chroot "$root" "$@"
}

# Run a command of the suite that has Perfetto.
sid() {
	in_root sid "$@"
}

# until_ok COMMAND...: repeat it until it succeeds; false if it does not in a long time
until_ok() {
	local i=0

	until "$@" 2> /dev/null; do
		[ $((i += 1)) -le $((600 * HYP_TEST_SLOWER)) ] || return
		sleep 0.1
	done
}

# ends_by_sigint STATUS READY COMMAND...: does it end with this status if it gets SIGINT when the
# command READY succeeds? It is in the background, where a shell lets it ignore SIGINT. Its output is
# in $log.
ends_by_sigint() {
	local expected=$1 ready=$2 pid

	shift 2
	: > "$log"
	"$@" > "$log" 2>&1 &
	pid=$!
	# shellcheck disable=SC2086 # it may have arguments
	if until_ok $ready > /dev/null; then kill -INT $pid; else kill -KILL $pid; fi
	wait $pid
	[ $? = "$expected" ]
}

PERFETTO_LOG=/tmp/perfetto

# Has the daemon that records announced itself? A session that begins earlier does not wait
# for it.
ftrace_registered() {
	sid perfetto --query-raw | grep -q linux.ftrace
}

# Start Perfetto's daemons, and wait until they are ready.
start_daemons() {
	rm -f /tmp/perfetto-producer
	sid traced > $PERFETTO_LOG.traced 2>&1 &
	until_ok [ -S /tmp/perfetto-producer ] || return
	sid traced_probes > $PERFETTO_LOG.probes 2>&1 &
	until_ok ftrace_registered
}

# Do the "selftest: id=" lines on stdin have ids 1 to $1, in this order, $2 times
# (on as many CPUs)?
ids_are() {
	awk -v last="$1" -v cpus="$2" '
		/selftest:/ {
			match($0, /\[[0-9]+\]/)
			cpu = substr($0, RSTART + 1, RLENGTH - 2)
			id = $0
			sub(/.*id=/, "", id)
			if (id + 0 != ++seen[cpu]) { print "# cpu " cpu ": " $0; bad = 1 }
			n++
		}
		END {
			if (n != last * cpus) { print "# " n " events"; bad = 1 }
			exit bad
		}'
}
