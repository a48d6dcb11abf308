#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: what hyptrace record and log take and give back, what they refuse, and what they say
# of what is missing. Prints TAP.

. /tests/roots.sh
hold_switches

OUT=/tmp/record
INSTANCES=/sys/kernel/tracing/instances
ROOT=/sys/kernel/tracing
N=50
mkdir -p $OUT
log=$OUT/log
cd $OUT || exit

# ends_with STATUS TEXT COMMAND...: does it end so, with this message?
ends_with() {
	local expected=$1 text=$2 ended

	shift 2
	"$@" > $log 2>&1
	ended=$?
	[ $ended = "$expected" ] && grep -q -e "$text" $log
}

# runs DAT: how often guests have run in it
runs() {
	hyptrace report -i "$1" --csv 2> /dev/null |
		awk -F, '$3 == "guest" { n += $5 } END { print n + 0 }'
}

# enough N DIR: waits until this instance has recorded so many events
cat > enough <<'END'
#!/bin/sh
until [ "$(cat "$2"/per_cpu/cpu*/stats | awk '
		/^(entries|read events): / { n += $NF } END { print n + 0 }')" -ge "$1" ]; do
	sleep 0.1
done
END
chmod +x enough

# Files whose settings limit a recording, what is added to set each, and what unsets it.
settings() {
	local trigger=events/hyp/vcpu_exit/trigger

	cat <<-END
		tracing_on|1|0
		set_event|hyp:vcpu_exit|
		events/hyp/vcpu_exit/filter|reason == 0x24|0
		$trigger|traceoff:5 if reason == 0x24|!traceoff
		$trigger|hist:keys=reason|!hist:keys=reason
		set_event_pid|1|
		set_event_notrace_pid|1|
		tracing_cpumask|2|3
	END
	[ ! -f $HYP/set_graph_function ] || cat <<-END
		set_ftrace_filter|*_trap|
		set_graph_function|handle_trap|
		max_graph_depth|3|0
		current_tracer|function|nop
	END
}

# What all of these say, and the sizes.
state() {
	(cd $HYP && settings | cut -d'|' -f1 | sort -u |
		while read -r file; do echo "$file: $(tr '\n' ' ' < "$file")"; done
	 head per_cpu/cpu*/buffer_size_kb options/overwrite)
}

# For each setting: nothing is recorded, and the file is named.
refuses() {
	local file set unset

	settings | while IFS='|' read -r file set unset; do
		echo "$set" >> $HYP/$file &&
			ends_with 1 "hyp/$file: " hyptrace record touch began &&
			grep -q -- '--force' $log && [ ! -e began ] || { echo "# $file"; return 1; }
		echo "$unset" > $HYP/$file || return
	done
}

state > clean
refuses && state | cmp - clean
result "record refuses hyp/ if something there would limit it, and says what"

# With --force, all that is set is set again, and the recording has not felt it.
takes_and_gives_back() {
	local file set unset

	settings | sed '1!G;h;$!d' | while IFS='|' read -r file set unset; do
		echo "$set" >> $HYP/$file || return
	done || return
	echo 0 > $HYP/options/overwrite
	echo 100 > $HYP/per_cpu/cpu0/buffer_size_kb
	state > before
	# Each of them has been set.
	[ "$(diff before clean | grep -c '^-[a-z]')" -ge "$(settings | cut -d'|' -f1 | sort -u | wc -l)" ] &&
		hyptrace record --force -o force.dat hyp_guest $N > $log 2>&1 &&
		[ "$(runs force.dat)" -ge $N ] || return
	state > after
	settings | while IFS='|' read -r file set unset; do
		echo "$unset" > $HYP/$file || return
	done || return
	echo 1 > $HYP/options/overwrite
	cat $HYP/buffer_size_kb | grep -q X && echo 1410 > $HYP/buffer_size_kb &&
		diff before after
}

takes_and_gives_back
result "record --force takes what is set, and sets it again"
state | cmp - clean
result "what the test has set is unset"

# What others trace at the root goes on, and no memory is kept.
spares_others() {
	local events

	echo sched:sched_process_exec > $ROOT/set_event
	echo 1 > $ROOT/tracing_on
	hyp_guest 1
	grep -c : $ROOT/trace > events
	events=$(cat events)
	(cd $ROOT && head buffer_size_kb set_event tracing_on trace_clock tracing_cpumask) > before
	hyptrace record -o spares.dat -b 20000 hyp_guest $N > $log 2>&1 || return
	(cd $ROOT && head buffer_size_kb set_event tracing_on trace_clock tracing_cpumask) > after
	[ "$events" -gt 0 ] && diff before after && [ "$(grep -c : $ROOT/trace)" -gt "$events" ] &&
		[ "$(runs spares.dat)" -ge $N ] && ! ls -d $INSTANCES/hyptrace.*
	ended=$?
	echo > $ROOT/set_event
	return $ended
}

spares_others
result "what is traced at the root goes on"
state | cmp - clean
result "sizes are given back"

# The second one is refused, and the first one is complete.
is_alone() {
	ends_with 0 'another hyptrace records' hyptrace record -o first.dat sh -c "
		hyptrace record -o second.dat true || hyp_guest $N" &&
		[ "$(runs first.dat)" -ge $N ] && [ ! -e second.dat ]
}

is_alone
result "there is one recorder at a time"

# What is missing is said, and the status tells it: $N runs, of which few are there.
says_what_limits() {
	local trigger=$HYP/events/hyp/vcpu_exit/trigger

	ends_with 3 'turned off before the end, by a trigger or by somebody: the last event is at [0-9]' \
		hyptrace record -o off.dat sh -c "echo 'traceoff:1 if reason == 0x24' > $trigger
			hyp_guest $N" &&
		grep -q 'meanwhile: hyp/events/hyp/vcpu_exit/trigger: traceoff:0' $log &&
		[ "$(runs off.dat)" -lt $N ] && ! grep ^traceoff $trigger &&
		ends_with 3 'meanwhile: hyp/tracing_cpumask: 2' \
			hyptrace record -o mask.dat sh -c "echo 2 > $HYP/tracing_cpumask" &&
		ends_with 0 'meanwhile: hyp/set_event_pid: 1' hyptrace record -o pid.dat \
			--allow-lost sh -c "echo 1 > $HYP/set_event_pid" &&
		ends_with 7 'meanwhile: hyp/set_event_pid: 1' hyptrace record -o pid.dat \
			sh -c "echo 1 > $HYP/set_event_pid; exit 7" &&
		ends_with 3 'another reader has taken [1-9][0-9]* events' hyptrace record -o taken.dat \
			sh -c "hyp_guest $N
				dd if=$HYP/trace_pipe of=taken bs=4k count=1" &&
		[ "$(wc -l < taken)" -gt 0 ]
}

says_what_limits
result "record says what has limited it, and ends with 3"
state | cmp - clean
result "what was set meanwhile is unset"

# What can't be is said before the command runs.
fails_early() {
	ends_with 1 '-b 99999999: the kernel refuses' hyptrace record -b 99999999 touch began &&
		ends_with 1 'no file can be made there' hyptrace record -o /none/x.dat touch began &&
		! ls -d $INSTANCES/hyptrace.* 2> /dev/null &&
		ends_with 1 'is a directory' hyptrace record -o $OUT touch began &&
		ends_with 1 'the host has no event no_such' hyptrace record -H no_such touch began &&
		ends_with 1 'has no event no_such' hyptrace record -e no_such touch began &&
		ends_with 1 'there is no process 99999' hyptrace record -p 99999 touch began &&
		ends_with 1 'there is no VM 999' hyptrace record --vm 999 touch began &&
		[ ! -e began ] && ! ls -d $INSTANCES/hyptrace.*
}

fails_early
result "what can't be recorded is said before the command runs"

# What is in the buffers when the size is reached is added: 1 MiB of each CPU at most, and twice.
has_a_size() {
	ends_with 0 'has its --max-size' hyptrace record -b 1024 --max-size 1 -o max.dat \
		sh -c 'hyp_guest 3000 && touch went_on' && [ -e went_on ] &&
		[ "$(stat -c %s max.dat)" -ge 1048576 ] && [ "$(stat -c %s max.dat)" -lt 6291456 ] &&
		grep -qE ', [1-9][0-9]* of the host' $log && [ "$(runs max.dat)" -gt 100 ]
}

has_a_size
result "record --max-size ends the recording, and says so"

keeps_old() {
	cp max.dat kept && hyptrace record -o max.dat true > $log 2>&1 && cmp max.dat.old kept &&
		[ "$(runs max.dat)" = 0 ]
}

# The command's output is none of the recording's.
pipes() {
	hyptrace record -o - sh -c "hyp_guest $N; echo output" 2> $log |
		hyptrace report -i - --csv > piped && grep -q '^output$' $log &&
		[ "$(awk -F, '$3 == "guest" { n += $5 } END { print n + 0 }' piped)" -ge $N ]
}

# A file that is appended to is not like others.
appends() {
	: > appended.dat
	hyptrace record -o - hyp_guest $N >> appended.dat 2> $log &&
		[ "$(runs appended.dat)" -ge $N ]
}

# Who reads the recording goes away: what was set before is set again, and once.
survives_a_closed_pipe() {
	echo hyp:vcpu_exit > $HYP/set_event
	hyptrace record --force -o - true 2> $log | head -c 100 > /dev/null
	[ "$(cat $HYP/set_event)" = hyp:vcpu_exit ] && echo > $HYP/set_event
}

keeps_old
result "a recording that is there is kept as .old"
pipes
result "record -o - and report -i -"
appends
result "record -o - into a file that is appended to"
survives_a_closed_pipe
result "a pipe that is closed"
ends_with 1 '/dev/full: No space left' hyptrace record -o /dev/full true
result "a full disk is an error"

# Who is killed gives back what it has taken; the recording is complete.
survives_kill() {
	local pid

	hyptrace record -o killed.dat sh -c "hyp_guest $N; touch ran; exec sleep 1000" 2> $log &
	pid=$!
	until_ok test -e ran && kill -KILL $pid
	wait $pid
	until_ok grep -q 'events of the hyp' $log && killall sleep &&
		[ "$(runs killed.dat)" -ge $N ] && state | cmp - clean
}

# The recording is complete, and nobody has hyp/ any longer.
is_interrupted() {
	rm -f ran
	ends_by_sigint 130 "test -e ran" hyptrace record -o int.dat \
		sh -c "hyp_guest $N; touch ran; exec sleep 1000" && ! pidof sleep &&
		[ "$(runs int.dat)" -ge $N ] && state | cmp - clean &&
		ends_by_sigint 0 "grep Ctrl-C $log" hyptrace record -o int.dat &&
		grep -q 'events of the hyp' $log && state | cmp - clean &&
		! ls -d $INSTANCES/hyptrace.* 2> /dev/null
}

no_recorder() {
	! pidof hyptrace-rec > /dev/null
}

# In whatever phase hyptrace is killed, nothing is left.
survives_early_kill() {
	local pid delay

	for delay in 0 0.1 0.3 0.6 1; do
		hyptrace record -o early.dat sleep 1000 2> $log &
		pid=$!
		sleep $delay
		kill -KILL $pid
		wait $pid
		until_ok no_recorder || return
		killall sleep 2> /dev/null
		state | cmp - clean && ! ls -d $INSTANCES/hyptrace.* 2> /dev/null ||
			{ echo "# after $delay s"; return 1; }
	done
}

# If the recorder is killed, hyptrace cleans up.
cleans_up() {
	hyptrace record -o none.dat sleep 1000 2> $log &
	until_ok pidof sleep > /dev/null && killall -KILL hyptrace-rec &&
		until_ok grep -q 'was killed' $log && killall sleep
	wait $!
	state | cmp - clean && ! ls -d $INSTANCES/hyptrace.* 2> /dev/null
}

# Hyptrace and the recorder are killed: hyp/ stays as they have set it.
leaves_hyp() {
	hyptrace record -o none.dat sleep 1000 2> $log &
	# If the recorder saw that hyptrace is gone, it would give hyp/ back.
	until_ok pidof sleep > /dev/null && killall -STOP hyptrace-rec &&
		killall -KILL hyptrace hyptrace-rec
	wait $!
	killall sleep
	until_ok no_recorder && ls -d $INSTANCES/hyptrace.* > dead && [ "$(wc -l < dead)" = 1 ] &&
		grep -q . $HYP/set_event
}

# What only a killed recorder has set is unset by the next one.
next_cleans_up() {
	leaves_hyp && ends_with 0 'a recorder was killed: what it has set in hyp/ is unset' \
		hyptrace record -o next.dat hyp_guest $N &&
		[ "$(runs next.dat)" -ge $N ] && ! ls -d $INSTANCES/hyptrace.* 2> /dev/null || return
	echo 1410 > $HYP/buffer_size_kb
	state | cmp - clean
}

# What somebody has set since then is not lost.
next_spares_others() {
	local filter=$HYP/events/hyp/vcpu_exit/filter

	leaves_hyp && echo 'reason == 0x24' > $filter || return
	for _ in 1 2; do
		ends_with 1 'a recorder was killed, and may have left some of it' \
			hyptrace record touch began && grep -q -e '--force' $log &&
			grep -q 'hyp/events/hyp/vcpu_exit/filter: reason == 0x24' $log &&
			[ ! -e began ] && [ "$(cat $filter)" = 'reason == 0x24' ] || return
	done
	hyptrace record --force -o next.dat hyp_guest $N > $log 2>&1 && [ "$(runs next.dat)" -ge $N ] &&
		[ "$(cat $filter)" = 'reason == 0x24' ] && grep -q . $HYP/set_event &&
		! ls -d $INSTANCES/hyptrace.* 2> /dev/null
	ended=$?
	echo 0 > $HYP/tracing_on
	echo > $HYP/set_event
	echo 0 > $filter
	echo 1410 > $HYP/buffer_size_kb
	return $ended
}

survives_kill
result "a recording survives that hyptrace is killed"
is_interrupted
result "SIGINT ends record in the background of a script, too"
survives_early_kill
result "nothing is left if hyptrace is killed early"
cleans_up
result "hyptrace gives back what a killed recorder has taken"
next_cleans_up
result "what a killed recorder leaves does not disturb the next one"
next_spares_others
result "what was set since a recorder was killed stays"

# The threads of a process come and go: that is no limit. Each run of true is one.
records_forks() {
	local pid

	sh -c 'while :; do /bin/busybox true; done' &
	pid=$!
	hyptrace record -o forks.dat -p $pid sh -c "./enough 100 $INSTANCES/hyptrace.*" > $log 2>&1
	ended=$?
	kill $pid
	wait $pid
	[ $ended = 0 ] && grep -qE ' [1-9][0-9]* of the host' $log
}

records_forks
result "record -p of a process that forks"

# Two VMs run. One is recorded: that of a process, or that with a number.
records_one() {
	hyptrace record -p $second -b 16384 -o pid.dat ./enough 3000 $HYP 2> $log &&
		hyptrace record --vm "$vm" -b 16384 -o vm.dat ./enough 3000 $HYP 2> $log &&
		hyptrace record -b 16384 -o both.dat ./enough 20000 $HYP 2> $log || return
	for file in pid vm both; do
		hyptrace report -i $file.dat --csv 2> /dev/null |
			awk -F, '$3 == "guest" { print $1 }' | sort -u | tr '\n' ' ' > $file.vms
	done
	echo "# $(cat pid.vms), $(cat vm.vms), $(cat both.vms)"
	[ -n "$vm" ] && [ "$(cat pid.vms)" = "$vm " ] && cmp pid.vms vm.vms && [ "$(wc -w < both.vms)" = 2 ]
}

# Marks tell what events do not: whose VMs they are, what other clocks say, and where it was recorded.
marks() {
	in_root bookworm trace-cmd report -i $OUT/both.dat 2> /dev/null |
		sed -n 's/.* hyptrace: //p' > marks
	sed 's/^/# /' marks
	[ -n "$first" ] && grep -qE "^vm=[0-9]+ pid=$first name=hyp_vms$" marks &&
		grep -qE "^vm=$vm pid=$second name=web2$" marks &&
		grep -qE '^clock at=start boot=[0-9]+ mono=[0-9]+ real=[0-9]+$' marks &&
		grep -qE '^clock at=end boot=[0-9]+ mono=[0-9]+ real=[0-9]+$' marks &&
		grep -q '^origin={.*"command":\["./enough","20000",' marks &&
		[ "$(wc -l < marks)" = 5 ]
}

# vm_of NAME: number and pid of the VM whose process begins its command line with this name
vm_of() {
	awk '$3 == "alive" && $4 { print $1, $2 }' $HYP/totals/vms | while read -r vm pid; do
		! grep -q -e "^$1" "/proc/$pid/cmdline" || echo "$vm $pid"
	done | grep .
}

hyp_vms 1 2 1000000 > /dev/null &
(exec -a --name=debug-threads=on,guest=web2 "$(which hyp_vms)" 1 2 1000000 > /dev/null) &
until_ok vm_of hyp_vms > vm1 && until_ok vm_of --name > vm2
read -r vm first < vm1
read -r vm second < vm2
records_one
result "record -p and --vm"
killall hyp_vms
# Log -----------------------------------------------------------------------------------

# Is all of hyp/ as it was, and does nobody use it?
is_given_back() {
	state | cmp - clean && [ "$(cat $HYP/buffer_percent)" = 50 ] && ! pidof hyptrace > /dev/null
}

# Each event is a line, in the order of its CPU, and no other event is there.
logs() {
	hyptrace log -e selftest hyp_emit 1 $N > log.text 2> $log || return
	sed -n 's/.* \[\([0-9]*\)\] .*: selftest: id=\([0-9]*\)$/\1 \2/p' log.text | sort -s -k 1,1 > logged
	for cpu in 000 001; do seq 1 $N | sed "s/^/$cpu /"; done | diff logged - &&
		[ "$(wc -l < log.text)" = $((2 * N)) ] && is_given_back
}

# Does a log run? Tracing is on before that, too, while buffers are allocated.
is_logging() {
	grep -q . $HYP/set_event && grep -qx 1 $HYP/tracing_on
}

# A line is there while the log goes on, which ends with its reader, and says nothing.
logs_at_once() {
	local pid

	mkfifo log.fifo
	hyptrace log -e selftest > log.fifo 2> $log &
	pid=$!
	exec 4< log.fifo
	until_ok is_logging
	hyp_emit 7 7 0
	read -r line <&4 && kill -0 $pid && hyp_emit 8 8 0 && read -r next <&4
	exec 4<&-
	wait $pid
	[ $? = 1 ] && is_given_back && [ ! -s $log ] || return
	case $line in *"selftest: id=7") ;; *) return 1 ;; esac
	case $next in *"selftest: id=8") ;; *) return 1 ;; esac
}

# A thread may have a name that a terminal would obey. It is known from the next switch on.
logs_names() {
	hyptrace log -e selftest sh -c "printf 'a\033]0;b' > /proc/\$\$/comm
		sleep 0.1
		for id in 1 2 3; do echo \$id > $HYP/write_event; done" > log.text 2> $log &&
		[ "$(grep -c '^ *a?\]0;b-[0-9]* .*: selftest: id=[123]$' log.text)" = 3 ] && is_given_back
}

# What QEMU's back end syslog does
logs_to_syslog() {
	syslogd -O $OUT/messages
	hyptrace log -e selftest hyp_emit 1 $N | logger -t hyp
	has_all() { [ "$(grep -c ' hyp: .*selftest: id=' $OUT/messages)" = $((2 * N)) ]; }
	until_ok has_all
	killall syslogd
	has_all
}

# Nobody takes events, so they are lost; those that are left follow a line that says so.
logs_with_loss() {
	ends_with 3 "events were lost: choose fewer" hyptrace log -b 4 -e selftest sh -c '
		killall -STOP hyptrace-rec
		hyp_emit 1 10000
		killall -CONT hyptrace-rec' && grep -q '\[LOST [0-9]* EVENTS\]' $log && is_given_back
}

# A reader that takes nothing does not keep it, nor hyp/.
logs_to_nobody() {
	mkfifo nobody.fifo
	exec 5<> nobody.fifo
	hyptrace log -b 8192 hyp_guest 1000 > nobody.fifo 2> $log
	[ $? = 3 ] && grep -q "the output takes no more" $log && is_given_back
	taken=$?
	exec 5>&-
	return $taken
}

# Has log printed an event? Before it runs, none is recorded.
has_logged() {
	hyp_emit 7 7 0
	grep 'selftest: id=7$' $log
}

log_is_interrupted() {
	rm -f ran
	ends_by_sigint 0 has_logged hyptrace log -e selftest && is_given_back &&
		ends_by_sigint 130 "test -e ran" hyptrace log -e selftest \
			sh -c 'touch ran; exec sleep 1000' && ! pidof sleep && is_given_back
}

# Killed, it gives all back: by the process that prints, or by the other one.
logs_killed() {
	hyptrace log > log.text 2> $log &
	until_ok is_logging
	kill -KILL $!
	until_ok is_given_back || return
	hyptrace log > log.text 2> $log &
	until_ok is_logging
	killall -KILL hyptrace-rec
	wait $!
	[ $? = 1 ] && grep -q "the process that had taken hyp/ was killed" $log && is_given_back
}

logs
result "log has each event as a line, and gives hyp/ back"
logs_at_once
result "log prints events as they come, and ends with its reader"
logs_names
result "log prints no control characters"
logs_to_syslog
result "log and logger"
logs_with_loss
result "log says what was lost"
logs_to_nobody
result "log ends although its reader takes nothing"
log_is_interrupted
result "SIGINT ends log in the background of a script, too"
logs_killed
result "log that is killed gives hyp/ back"
echo hyp:vcpu_exit > $HYP/set_event
ends_with 1 "hyp/set_event: hyp:vcpu_exit" hyptrace log true &&
	ends_with 0 "" hyptrace log --force true && grep -qx hyp:vcpu_exit $HYP/set_event
result "log takes hyp/ only from nobody, or by --force"
echo > $HYP/set_event

if have_suite bookworm "marks in a recording"; then
	prepare_root bookworm
	marks
	result "marks tell whose VMs they are, and what other clocks say"
fi

# shows_all SUITE: does trace-cmd show as many events of each buffer as hyptrace has said?
shows_all() {
	hyptrace record -o shown.dat -b 16384 hyp_guest $N > $log 2>&1 || return
	in_root "$1" trace-cmd report -i $OUT/shown.dat 2> /dev/null |
		awk '!/^cpus=/ && NF { n[/^hyp:/]++ } END { print n[1] ", " n[0] }' > shown
	sed -n 's/.*KiB, \([0-9]*\) events of the hypervisor, \([0-9]*\) of the host.*/\1, \2/p' $log |
		diff - shown
}

for suite in bookworm sid; do
	have_suite $suite "hyptrace's recordings in trace-cmd" || continue
	[ $suite = bookworm ] || prepare_root $suite
	shows_all $suite
	result "trace-cmd of $suite shows each event"
done
exit $status
