#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: hyptrace on a system that can be traced. Prints TAP, and then the files that
# the test looks at on its own machine, in base64, from "FILE name" to "END".
#
# trace-cmd, which reads recordings, too, is in bookworm's root.

. /tests/roots.sh
hold_switches

TOTALS=$HYP/totals
OUT=/tmp/hyptrace
N=300
mkdir -p $OUT
log=$OUT/log
cd /tmp || exit

# fails_with TEXT COMMAND...: does it end with status 1 and this message?
fails_with() {
	local text=$1 ended

	shift
	"$@" > $log 2>&1
	ended=$?
	[ $ended = 1 ] && grep -q "$text" $log
}

# column FILE KIND NAME: the sum of a column of CSV, of one kind
column() {
	awk -F, -v kind="$2" -v name="$3" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) n = i }
		NR > 1 && $3 == kind { sum += $n }
		END { printf "%d\n", sum }' "$1"
}

# The same from hyp/totals/table.
table_column() {
	tr '\t' ',' < $TOTALS/table > $OUT/table.csv
	column $OUT/table.csv "$1" "$2"
}

# Without a guest, and when nobody keeps totals, there is nothing to show.
fails_with "keeps no totals: say what to measure" hyptrace stat
result "stat says what to do if there are no totals"

# Each exit of a guest is followed by an entry, but for the last one.
counts_exits() {
	local guest exits

	hyptrace stat --csv hyp_guest $N > $OUT/stat.csv || return
	guest=$(column $OUT/stat.csv guest count)
	exits=$(($(column $OUT/stat.csv exit_host count) + $(column $OUT/stat.csv exit_el2 count)))
	echo "# $guest runs, $exits exits"
	[ "$guest" -ge $N ] && [ $exits = $((guest - 1)) ] &&
		[ "$(column $OUT/stat.csv hcall count)" -ge "$guest" ] &&
		[ "$(cat $TOTALS/enable)" = 0 ]
}

counts_exits
result "stat counts what a command does, and leaves totals off"

hyptrace stat sh -c 'exit 7' > $log 2>&1
[ $? = 7 ]
result "stat ends with the status of its command"

# What was counted before must not be shown.
counts_its_own() {
	local i before after shown

	echo 1 > $TOTALS/reset && echo 1 > $TOTALS/enable || return
	for i in 1 2 3 4 5 6 7 8 9 10; do
		hyp_guest 50 || return
	done
	before=$(table_column guest count)
	hyptrace stat --csv --kind guest sh -c 'for i in 1 2 3 4 5 6; do hyp_guest 100; done' \
		> $OUT/own.csv || return
	after=$(table_column guest count)
	shown=$(column $OUT/own.csv guest count)
	echo "# $before and $shown are $after"
	[ "$before" -ge 500 ] && [ "$shown" -ge 600 ] && [ $((before + shown)) = "$after" ] &&
		[ "$(cat $TOTALS/enable)" = 1 ]
}

counts_its_own
result "stat counts only what is new, and leaves totals on"

# Without a command, all is shown as the kernel has it. Nothing changes a guest's rows now.
shows_all() {
	hyptrace stat --csv --kind guest,exit > $OUT/all.csv || return
	tail -n +2 $OUT/all.csv | cut -d, -f1-8 | sort > $OUT/shown
	tail -n +2 $TOTALS/table | tr '\t' ',' | cut -d, -f1-8 | grep -E ',(guest|exit_.*),' |
		sort > $OUT/known
	[ -s $OUT/known ] && cmp $OUT/shown $OUT/known
}

shows_all
result "stat without a command shows all"
echo 0 > $TOTALS/enable

hyptrace stat -d 0.3 > $log && grep -qE '^Measured: (0\.[3-9]|[1-9])' $log
result "stat -d"

# only COLUMN VALUE FILE: does each row of CSV have this value there?
only() {
	awk -F, -v n="$1" -v value="$2" '
		NR > 1 { rows++; if ($n != value) { print "# " $0; bad = 1 } }
		END { exit bad || !rows }' "$3"
}

# Two VMs of two processes, with two vCPUs each.
selects() {
	local vm pid tid

	echo 1 > $TOTALS/enable
	hyp_vms 2 2 200 || return
	set -- $(tail -n 1 $TOTALS/vms)
	vm=$1 pid=$2 tid=${4#*,}
	hyptrace stat --csv --vm "$vm" > $OUT/a.csv && only 1 "$vm" $OUT/a.csv &&
		hyptrace stat --csv -p "$pid" > $OUT/b.csv && cmp $OUT/a.csv $OUT/b.csv &&
		hyptrace stat --csv --vm "$vm" --vcpu 1 > $OUT/a.csv && only 2 1 $OUT/a.csv &&
		hyptrace stat --csv -p "$tid" > $OUT/b.csv && cmp $OUT/a.csv $OUT/b.csv &&
		hyptrace stat --csv --kind exit_el2 > $OUT/a.csv && only 3 exit_el2 $OUT/a.csv
}

selects
result "stat --vm, --vcpu, -p, --kind"
fails_with "no process with a VM" hyptrace stat -p 99999 true
result "stat of a process that does not exist is an error"

# is_sorted COLUMN FILE
is_sorted() {
	awk -F, -v n="$1" 'NR > 2 && $n > last + 0 { print "# " $0; bad = 1 }
			   { last = $n } END { exit bad || NR < 4 }' "$2"
}

sorts() {
	hyptrace stat --csv > $OUT/a.csv && is_sorted 6 $OUT/a.csv &&
		hyptrace stat --csv -k count > $OUT/a.csv && is_sorted 5 $OUT/a.csv &&
		hyptrace stat --csv -k max > $OUT/a.csv && is_sorted 8 $OUT/a.csv &&
		hyptrace stat --csv -k p99 > $OUT/a.csv && is_sorted 11 $OUT/a.csv
}

sorts
result "stat -k"

# Whose a VM is, and what that calls it: its process's name here.
names_vms() {
	local vms

	hyp_vms 2 1 1000000 &
	until_ok has_vms 2 && hyptrace stat --by vm -d 0.3 > $OUT/by_vm
	vms=$(awk '/^Exits/ { is = 1 } is && $1 == "exit" && $4 == "hyp_vms" { print $2, $3 }' $OUT/by_vm | sort)
	# Each VM has a process of its own.
	killall hyp_vms
	wait
	until_ok has_no_vms
	tail -n 2 $TOTALS/vms | cut -f 1,2 | tr '\t' ' ' | sort > $OUT/vms
	echo "# $vms"
	[ "$(wc -l < $OUT/vms)" = 2 ] && [ "$vms" = "$(cat $OUT/vms)" ] &&
		! hyptrace stat --by thread 2> $log && grep -q "totals do not know threads" $log
}

# Do as many VMs live?
has_vms() {
	[ "$(grep -c alive $TOTALS/vms)" -ge "$1" ]
}

has_no_vms() {
	! grep -q alive $TOTALS/vms
}

names_vms
result "stat --by vm says whose they are"

# Parts add up to the whole, and there is no other guest.
prints_parts() {
	local before after shown

	before=$(table_column guest count)
	hyptrace stat -I 50 --csv --kind guest sh -c 'hyp_guest 200; sleep 0.4; hyp_guest 200' \
		> $OUT/parts.csv 2> $log || return
	after=$(table_column guest count)
	shown=$(awk -F, 'NR > 1 { n += $6; until[$1] = 1 } END { for (i in until) parts++; print n, parts }' \
		$OUT/parts.csv)
	echo "# $after - $before: $shown (runs, parts)"
	[ "${shown% *}" = $((after - before)) ] && [ "${shown% *}" -ge 400 ] && [ "${shown#* }" -ge 2 ] &&
		[ "$(grep -c ^until $OUT/parts.csv)" = 1 ] &&
		hyptrace stat -I 50 --json sleep 0.4 > $OUT/parts.json 2> $log &&
		[ "$(wc -l < $OUT/parts.json)" -ge 2 ] &&
		[ "$(grep -c '^{.*"until":[0-9.]*}$' $OUT/parts.json)" = "$(wc -l < $OUT/parts.json)" ]
}

# Of the number of these hypercalls, nothing differs.
repeats() {
	local each=$((100 * $(nproc)))

	hyptrace stat -r 3 --csv --kind hcall hyp_emit 1 100 > $OUT/runs.csv 2> $log || return
	grep '__hyp_trace_write_event,' $OUT/runs.csv
	[ "$(awk -F, '$4 == "__hyp_trace_write_event" { print $5, $14 }' $OUT/runs.csv)" = "$((3 * each)) 0.0" ] &&
		hyptrace stat -r 2 --kind hcall hyp_emit 1 100 > $OUT/runs.txt 2> $log &&
		grep -q '^Measured: 2 runs, of [0-9.]* s +- ' $OUT/runs.txt &&
		grep -q "^hcall *__hyp_trace_write_event *$each\.0 *0\.00% " $OUT/runs.txt || return
	hyptrace stat -r 2 sh -c 'exit 7' > $log 2>&1
	[ $? = 7 ] && hyptrace stat -r 2 --json hyp_guest 20 > $OUT/runs.json 2> $log &&
		hyptrace diff $OUT/runs.json $OUT/runs.json --csv > $OUT/runs.csv &&
		awk -F, '$1 == "guest" && $7 != "" && $7 == $12 { found = 1 } END { exit !found }' \
			$OUT/runs.csv
}

prints_parts
result "stat -I prints what has been added, all of it"
repeats
result "stat -r says how much runs differ"
hyptrace stat --kind guest,exit --csv > $OUT/a.csv &&
	hyptrace stat --kind guest,exit -x ';' -o $OUT/b.csv && tr ';' ',' < $OUT/b.csv | cmp - $OUT/a.csv
result "stat -x and -o"
echo kept > $OUT/kept
! hyptrace stat -o $OUT/kept --vm 9999 true 2> $log && [ "$(cat $OUT/kept)" = kept ]
result "what is there stays if there is nothing to print"

# Totals are the same in each of these: no guest runs, and the kinds of the host are left out.
hyptrace stat --kind guest,exit --json > $OUT/stat.json &&
	hyptrace stat --kind guest,exit --csv > $OUT/stat.csv &&
	hyptrace stat --kind guest,exit --prometheus > $OUT/stat.prom &&
	hyptrace stat --kind guest,exit > $OUT/stat.txt &&
	hyptrace hist exit_host/DABT_LOW > $OUT/hist.txt
result "stat and hist print"

# The manual's recipe must not replace a good file by one that is cut.
spares_a_good_file() {
	local dir=$OUT/full

	mkdir -p $dir && mount -t tmpfs -o size=8k none $dir && echo good > $dir/prom || return
	hyptrace stat --prometheus > $dir/prom.new 2> $log && mv $dir/prom.new $dir/prom
	[ -s $dir/prom.new ] && [ "$(cat $dir/prom)" = good ] && grep -q "can't print all" $log &&
		rm $dir/prom.new || return
	fails_with "full/prom: No space left" hyptrace stat --prometheus -o $dir/prom &&
		[ "$(cat $dir/prom)" = good ] && [ "$(ls $dir)" = prom ] && umount $dir
}

# What is no file of its own is written where it is; a file keeps its mode.
writes_in_place() {
	local dir=$OUT/outputs print='hyptrace stat --kind guest,exit --csv'

	mkdir -p $dir && cd $dir || return
	echo old > mode && chmod 640 mode && echo old > target && ln -s target link &&
		$print -o mode && [ "$(stat -c %a mode)" = 640 ] &&
		$print -o link && [ -L link ] && cmp target mode &&
		$print -o /proc/self/fd/1 > direct && cmp direct mode &&
		$print -o /proc/self/fd/1 | cmp - mode &&
		head -n 1 mode | grep -q ^vm,vcpu, &&
		[ "$(ls | tr '\n' ' ')" = "direct link mode target " ]
	ended=$?
	cd - > /dev/null || return
	return $ended
}

# A file system that does not say whether there is room, as NFS of version 3
replaces_on_ramfs() {
	local dir=$OUT/ramfs print='hyptrace stat --kind guest --csv'

	mkdir -p $dir && mount -t ramfs none $dir && $print -o $dir/csv && echo long >> $dir/csv &&
		$print -o $dir/csv && $print | cmp - $dir/csv && umount $dir
}

spares_a_good_file
result "on a full disk, what is printed is no success"
replaces_on_ramfs
result "stat -o replaces a file where room can't be made before"
writes_in_place
result "stat -o writes files, and what is none"
echo 0 > $TOTALS/enable
echo 1 > $TOTALS/reset

fails_with "has not happened" hyptrace hist exit_host/NONE hyp_guest 20
result "hist of what has not happened"
! hyptrace hist nothing 2> $log && grep -q 'no kind nothing: there are guest,' $log
result "hist of an unknown kind"

fails_with "trace.dat: No such file" hyptrace report
result "report without a recording"
fails_with "needs a terminal" hyptrace top
result "top without a terminal says so"

echo 'nobody:x:65534:65534::/:/bin/sh' >> /etc/passwd
fails_with "run it as root" su nobody -c 'hyptrace stat -d 1'
result "a user is told to be root"

# As root says in the manual, so that a group may trace.
group_traces() {
	chgrp -R 65534 /sys/kernel/tracing
	chmod -R g+rwX /sys/kernel/tracing
	su nobody -c 'hyptrace stat --csv -d 1' > $OUT/group.csv 2> $log || return
	chmod -R g-w /sys/kernel/tracing
	fails_with "hyp/totals/enable: Permission denied" su nobody -c 'hyptrace stat -d 1' || return
	chgrp -R 0 /sys/kernel/tracing
	chmod -R g-rwX /sys/kernel/tracing
	fails_with "Permission denied: run it as root, or let" su nobody -c 'hyptrace stat -d 1'
}

group_traces
result "but a group may trace, if root lets it"

# What EL2's buffers hold is a recording, too.
live() {
	echo 1 > $HYP/events/hyp/enable
	echo 1 > $HYP/tracing_on
	hyp_guest $N || return
	echo 0 > $HYP/tracing_on
	echo 0 > $HYP/events/hyp/enable
	hyptrace report --live --csv > $OUT/live.csv &&
		[ "$(column $OUT/live.csv guest count)" -ge $N ] &&
		fails_with "has no hyp_enter" hyptrace report --live
}

# What ran before goes on, and a signal ends it all.
ends_well() {
	local pid

	hyptrace stat sleep 1000 > $log 2>&1 &
	pid=$!
	until_ok grep -q 1 $TOTALS/enable && until_ok pidof sleep > /dev/null && kill $pid
	wait $pid
	[ $? = 143 ] && [ "$(cat $TOTALS/enable)" = 0 ] && ! pidof sleep
}

ends_in_background() {
	ends_by_sigint 0 "grep -q 1 $TOTALS/enable" hyptrace stat -d 1000 &&
		grep -q '^Measured: ' $log &&
		ends_by_sigint 130 "pidof sleep" hyptrace stat sleep 1000 && ! pidof sleep &&
		[ "$(cat $TOTALS/enable)" = 0 ]
}

# Who is killed leaves no totals on, and without a keeper they end, too.
ends_if_killed() {
	local pid

	hyptrace stat -d 1000 > $log 2>&1 &
	pid=$!
	until_ok grep -q 1 $TOTALS/enable && kill -KILL $pid
	wait $pid
	[ $? = 137 ] && until_ok grep -q 0 $TOTALS/enable || return
	hyptrace stat killall -KILL hyptrace-off > $log 2>&1 && [ "$(cat $TOTALS/enable)" = 0 ] &&
		! grep -q 'stay on' $log
}

says_what_stays_on() {
	echo 1 > $TOTALS/enable
	hyptrace stat true > $log 2>&1 && grep -q 'totals are on already, and stay on: echo 0' $log &&
		[ "$(cat $TOTALS/enable)" = 1 ] && echo 0 > $TOTALS/enable
}

# What others turn off, is missing.
is_disturbed() {
	hyptrace stat sh -c "echo 0 > $TOTALS/enable" > $log 2>&1 &&
		grep -q 'turned totals off meanwhile' $log &&
		fails_with 'have been reset meanwhile' hyptrace stat sh -c "hyp_guest 20
			echo 1 > $TOTALS/reset"
}

ends_well
result "a signal ends the command, and leaves totals off; tracing stays on"
ends_in_background
result "SIGINT ends it in the background of a script, too"
ends_if_killed
result "totals end if it is killed, too"
says_what_stays_on
result "stat says that totals stay on"
hyp_guest 20
is_disturbed
result "stat says if others interfere"

# Is nothing on that hyptrace max turns on?
max_is_off() {
	[ "$(cat $HYP/max/enable $TOTALS/enable $HYP/tracing_on $HYP/events/hyp/enable |
		tr '\n' ' ')" = "0 0 0 0 " ]
}

# The first row is the longest exit, and the events are those from it to the next run.
finds_the_longest() {
	local longest

	hyptrace max --why --kind exit_host hyp_guest $N > $OUT/max || return
	longest=$(awk -F '\t' '$5 == "exit_host" && $7 > ns { ns = $7; reason = $6 }
		END { print reason }' $HYP/max/table)
	echo "# the longest was $longest"
	max_is_off && head -n 2 $OUT/max | tail -n 1 | grep -q " exit_host *$longest " &&
		sed '1,/^exit_host .*:$/d' $OUT/max > $OUT/max.events &&
		head -n 1 $OUT/max.events | grep -q 'hyp_enter: reason=guest_exit$' &&
		tail -n 1 $OUT/max.events | grep -qE 'hyp_exit: reason=eret_guest$|more events are not shown$'
}

# With a threshold, those above it are there, too; and rows are of a VM if one is asked for.
finds_all_above() {
	hyptrace max --above 1 hyp_guest $N > $OUT/max && grep -q 's+ ' $OUT/max &&
		max_is_off && [ "$(cat $HYP/max/threshold_us)" = 0 ] || return
	hyptrace max > $log 2>&1 && grep -q 'are not kept: say how long' $log &&
		grep -q ' hcall ' $log &&
		hyptrace max --vm "$(tail -n 1 $TOTALS/vms | cut -f 1)" > $OUT/max 2> $log &&
		grep -q ' guest ' $OUT/max && ! grep -q ' hcall ' $OUT/max
}

# What others keep, and record, stays; what would have to change it is refused.
leaves_alone_what_is_on() {
	echo 1 > $HYP/max/enable
	hyptrace max true > $OUT/max 2> $log && grep -q 'somebody keeps' $log &&
		fails_with "^hyptrace: --above: somebody keeps" hyptrace max --above 1 touch $OUT/began &&
		fails_with "^hyptrace: --why: somebody keeps" hyptrace max --why touch $OUT/began &&
		[ ! -e $OUT/began ] && hyptrace max --why > $OUT/max 2> $log &&
		[ "$(cat $HYP/max/threshold_us)" = 0 ] && [ "$(cat $HYP/tracing_on)" = 0 ] &&
		[ "$(cat $HYP/max/enable)" = 1 ] && echo 0 > $HYP/max/enable || return
	echo 1 > $HYP/events/hyp/vcpu_exit/enable
	echo 1 > $HYP/tracing_on
	hyptrace max --why hyp_guest 10 > $OUT/max && [ "$(cat $HYP/tracing_on)" = 1 ] &&
		[ "$(cat $HYP/max/enable)" = 0 ] && [ "$(cat $TOTALS/enable)" = 1 ] &&
		[ "$(cat $HYP/events/hyp/vcpu_exit/enable)" = 1 ]
	ended=$?
	echo 0 > $TOTALS/enable
	echo 0 > $HYP/tracing_on
	echo 0 > $HYP/events/hyp/enable
	return $ended
}

max_ends_if_killed() {
	local pid

	hyptrace max --why -d 1000 > $log 2>&1 &
	pid=$!
	until_ok grep -q 1 $HYP/max/enable && kill -KILL $pid
	wait $pid
	[ $? = 137 ] && until_ok max_is_off
}

finds_the_longest
result "max --why finds the longest exit, and what happened meanwhile"
finds_all_above
result "max finds all above a threshold, and those of a VM"
leaves_alone_what_is_on
result "max leaves on what others have turned on"
max_ends_if_killed
result "all that max has turned on ends if it is killed"

live
result "report --live takes what the buffers hold"

# The number of each CPU's events is known, so none may be missing.
records_all() {
	local emitted

	hyptrace record -o $OUT/emit.dat -b 8192 hyp_emit 1 $N > $log 2>&1 &&
		hyptrace report -i $OUT/emit.dat --csv > $OUT/emit.csv || return
	emitted=$(awk -F, '$4 == "__hyp_trace_write_event" { print $5 }' $OUT/emit.csv)
	[ "$emitted" = $((N * $(nproc))) ] || { echo "# $emitted were emitted"; return 1; }
	hyptrace record -o $OUT/short.dat true > $log 2>&1 &&
		hyptrace record -o $OUT/no.dat no-such-command > $log 2>&1
	[ $? = 127 ]
}

# Two measurements of the same: totals, and a trace, which has its own hypercalls in addition.
agrees_with_totals() {
	hyptrace stat --json --kind guest,exit hyptrace record -b 16384 --host sched,kvm \
		-o $OUT/vms.dat hyp_vms 2 2 400 > $OUT/totals.json 2> $OUT/said &&
		hyptrace report -i $OUT/vms.dat --json > $OUT/vms.json
}

# What smc and psci are for. Without protection, EL2 does not see SMCs.
records_host() {
	hyptrace record -b 8192 -o $OUT/hotplug.dat sh -c "hyp_vms 1 2 50
		[ ! -f $HYP/write_smc ] || echo c3001234 > $HYP/write_smc
		echo 0 > /sys/devices/system/cpu/cpu1/online
		echo 1 > /sys/devices/system/cpu/cpu1/online" > $log 2>&1 &&
		hyptrace report -i $OUT/hotplug.dat --json > $OUT/hotplug.json
}

# What is mapped, and what is split: hyp_blocks does the same each time.
records_memory() {
	hyptrace record -H none -b 8192 -o $OUT/memory.dat hyp_blocks > $log 2>&1 &&
		hyptrace report -i $OUT/memory.dat --json > $OUT/memory.json
}

# A guest that is protected, where there are such guests.
records_protected() {
	hyptrace record -H none -b 8192 -o $OUT/protected.dat hyp_secret run protected 2 > $log 2>&1 &&
		hyptrace report -i $OUT/protected.dat --json > $OUT/protected.json
}

chooses() {
	printf '# some\nhyp_*\nvcpu_*  # of guests\n-vcpu_put\n-vcpu_*abort\nhyp:host_hcall\n' > $OUT/list
	hyptrace record -H none -e @$OUT/list -o $OUT/c.dat hyp_guest 100 > $log 2>&1 || return
	in_root bookworm trace-cmd report -i $OUT/c.dat 2> /dev/null |
		sed -n 's/^hyp:.*\] *[0-9]*: \([a-z_0-9]*\):.*/\1/p' | sort -u > $OUT/names
	grep -qx vcpu_exit $OUT/names && grep -qx host_hcall $OUT/names &&
		! grep -vE '^(hyp_|vcpu_|host_hcall$)' $OUT/names &&
		! grep -qE '^vcpu_(put|.*abort)$' $OUT/names || return
	hyptrace record -e -vcpu_put,-pool_*,-timer_* -H none -o $OUT/c.dat hyp_guest 20 > $log 2>&1 &&
		in_root bookworm trace-cmd report -i $OUT/c.dat 2> /dev/null > $OUT/text &&
		grep -q ' vcpu_load: ' $OUT/text && ! grep -q ' vcpu_put: ' $OUT/text &&
		fails_with "has no event no_such" hyptrace record -e no_such true &&
		fails_with "all events have been taken away" hyptrace record -e 'hyp_*,-*' true
}

# Lost events are counted, and are the ones that were emitted and are not in the file.
loses() {
	local recorded lost

	hyptrace record -H none -e selftest -b 8 -o $OUT/lost.dat --allow-lost sh -c '
		killall -STOP hyptrace-rec
		hyp_emit 1 20000
		killall -CONT hyptrace-rec' > $log 2>&1 || return
	recorded=$(sed -n 's/.* KiB, \([0-9]*\) events of the hyp.*/\1/p' $log)
	lost=$(sed -n 's/.* \([0-9]*\) lost$/\1/p' $log)
	echo "# $recorded recorded, $lost lost"
	[ "$lost" -gt 0 ] && [ $((recorded + lost)) = $((20000 * $(nproc))) ] &&
		grep -q 'use a larger buffer' $log
}

# A recording with gaps on each CPU: the recorder is stopped until each has lost events of guests.
# What is counted is what trace-cmd tells. A full page of the host's has no place for the number of
# those that were lost before it; then the report counts one.
has_gaps() {
	local lost told unknown

	hyptrace record -b 64 -o $OUT/gaps.dat sh -c "killall -STOP hyptrace-rec
		hyp_vms 2 2 1500 &
		until [ \$(grep -c '^overrun: [1-9]' $HYP/per_cpu/cpu*/stats |
			   grep -c ':1') = $(nproc) ] || ! pidof hyp_vms > /dev/null; do
			sleep 0.05
		done
		killall -CONT hyptrace-rec
		wait" > $log 2>&1
	[ $? = 3 ] || return
	lost=$(sed -n 's/.* \([0-9]*\) lost$/\1/p' $log)
	in_root bookworm trace-cmd report -i $OUT/gaps.dat 2> /dev/null |
		grep 'CPU:.*EVENTS DROPPED' > $OUT/gaps
	told=$(sed -n 's/.*\[\([0-9]*\) EVENTS.*/\1/p' $OUT/gaps | awk '{ n += $1 } END { print n + 0 }')
	unknown=$(grep -c '\[EVENTS' $OUT/gaps)
	echo "# $lost lost, of which trace-cmd tells $told, and $unknown times no number"
	[ "$told" -gt 0 ] && [ $((lost - told)) -ge "$unknown" ] &&
		{ [ "$lost" = "$told" ] || [ "$unknown" -gt 0 ]; } &&
		! grep -q 'hyp:.*\[EVENTS' $OUT/gaps &&
		hyptrace report -i $OUT/gaps.dat --json > $OUT/gaps.json 2> $log &&
		grep -q "$((told + unknown)) or more events were lost" $log
}

foreign() {
	in_root bookworm trace-cmd record -o $OUT/x.dat -e sched true > $log 2>&1 &&
		fails_with "no buffer 'hyp': record with" hyptrace report -i $OUT/x.dat &&
		in_root bookworm trace-cmd record -o $OUT/x.dat -B hyp -e hyp:selftest true > $log 2>&1 &&
		fails_with "has no hyp_enter and hyp_exit; record" hyptrace report -i $OUT/x.dat &&
		hyptrace record -H none -e selftest -o $OUT/y.dat true > $log 2>&1 &&
		fails_with "has no hyp_enter that a hyp_exit follows; record" \
			hyptrace report -i $OUT/y.dat
}

# What a function calls, to the call; and all that EL2 calls for a guest.
records_functions() {
	hyptrace record -H none --graph=hyp_test_tree,hyp_test_r* -o $OUT/tree.dat \
		sh -c "echo 12 5 > $HYP/write_test" > $log 2>&1 &&
		hyptrace flame -i $OUT/tree.dat --speedscope $OUT/tree.speedscope > $OUT/tree.folded &&
		hyptrace record -H none -b 16384 --graph -o $OUT/graph.dat hyp_guest 20 > $log 2>&1 &&
		hyptrace flame -i $OUT/graph.dat --speedscope $OUT/graph.speedscope > $OUT/graph.folded &&
		[ "$(cat $HYP/current_tracer)" = nop ] &&
		grep -q 'all functions enabled' $HYP/set_graph_function &&
		fails_with "has no function no_such" hyptrace record --graph=no_such true &&
		fails_with "use hyptrace record --graph" hyptrace flame -i $OUT/emit.dat
}

if have_suite bookworm "hyptrace record and report"; then
	prepare_root bookworm
	records_all
	result "record has each event of a short command"
	agrees_with_totals
	result "totals and a trace of the same"
	records_host
	result "record while CPUs go and come"
	records_memory
	result "record of a VM's memory"
	if hyp_secret run protected 1 2> /dev/null; then
		records_protected
		result "record of a protected guest"
	fi
	chooses
	result "record -e with names, patterns and a file"
	loses
	result "record counts lost events"
	has_gaps
	result "record with gaps"
	foreign
	result "report of recordings without what it needs"
	records_functions
	result "record --graph, and flame"
	[ "$(cat $HYP/tracing_on $HYP/totals/enable)" = "0
0" ] && ! pidof hyptrace-rec
	result "nothing is left on"
fi

# The shell completes names that are in these.
for file in totals/vms available_filter_functions events/hyp/vcpu_exit/format \
	    events/hyp/host_hcall/format events/hyp/host_smc/format; do
	mkdir -p "$(dirname "$OUT/hyp/$file")"
	cat "$HYP/$file" > "$OUT/hyp/$file"
done
tar -C $OUT -cf $OUT/hyp.tar hyp

for file in hyp.tar stat.json stat.csv stat.prom stat.txt hist.txt totals.json vms.dat vms.json \
	    hotplug.dat hotplug.json memory.dat memory.json protected.json gaps.dat gaps.json tree.dat \
	    tree.folded tree.speedscope graph.dat graph.folded graph.speedscope; do
	[ -f $OUT/$file ] || continue
	echo "FILE $file"
	gzip -c $OUT/$file | base64
	echo END
done
exit $status
