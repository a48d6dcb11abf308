#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: trace-cmd records all of the hypervisor's events while every CPU makes calls that
# have many. Prints how many millions of events there are in a second, and how many were lost.

. /tests/roots.sh

CALLS=200000		# of all CPUs together
SUITE=bookworm
cpus=$(nproc)

# What trace-cmd runs, in the client's root.
cat > /tmp/emit <<END
#!/bin/sh
read -r begin _ < /proc/uptime
for cpu in $(seq 0 $((cpus - 1)) | paste -sd' '); do
	hyp_emit 1 $((CALLS / cpus)) \$cpu &
done
wait
read -r end _ < /proc/uptime
echo "\$begin \$end" > /tmp/times
END
chmod +x /tmp/emit

prepare_root $SUITE
in_root $SUITE trace-cmd record -o /tmp/t.dat -B hyp -b 4096 -e hyp \
	recorded.sh /tmp/emit > /tmp/log 2>&1 &&
	in_root $SUITE trace-cmd report --stat -i /tmp/t.dat > /tmp/stat 2>> /tmp/log ||
	{ cat /tmp/log > /dev/console; exit 1; }

# Each call has at least its hyp_enter, host_hcall, selftest, host_hcall_done and hyp_exit.
awk -v cpus="$cpus" -v calls=$CALLS '
	FNR == NR { time = $2 - $1; next }
	/^overrun: |^dropped events: /	{ lost += $NF }
	/^read events: |^entries: /	{ events += $NF }
	END {
		if (events < 5 * calls || time <= 0) {
			print events + 0 " events in " time " s" > "/dev/console"
			exit 1
		}
		printf "record_%d %.3f\n", cpus, events / time / 1e6
		printf "record_lost_%d %d\n", cpus, lost
	}' /tmp/times /tmp/stat
