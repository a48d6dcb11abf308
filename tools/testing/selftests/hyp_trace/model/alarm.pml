/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of waiting for events: the alarm between ext/wait.c and
 * kernel/trace/ext/ring.c, for spin. Comments in brackets name the functions.
 *
 * There is one ring, closed at first. Its CPU records EVENTS events while it is open, takes
 * interrupts between them, opens and closes it SWITCHES times, and resets it RESETS times.
 * WAITERS readers each wait for events and take them, ROUNDS times. In the end no reader
 * may be asleep while there is an event.
 *
 * BREAK_x leaves something out, which must be found.
 */
#ifndef EVENTS
#define EVENTS	4
#endif
#ifndef RESETS
#define RESETS	1
#endif
#ifndef SWITCHES
#define SWITCHES 1
#endif
#define WAITERS	2
#define ROUNDS	2

byte unread;			/* events in the ring */
bool open;			/* ring->open, EL2's */
bool alarm;			/* ring->alarm, EL2's */
bool host_alarm;		/* c->alarm, the host's */
bool sgi;			/* the doorbell was rung, the interrupt is pending */
bool rung, seen;		/* meta->rung, c->rung: modulo 2 */
bool ipi[WAITERS];		/* smp_call_function_single() */
bool set[WAITERS];		/* the waiter has set the alarm itself */
bool woken[WAITERS];		/* TASK_RUNNING */
bool asleep[WAITERS];
bool lock;			/* c->lock, for critical sections of several steps */
bool ring = true;		/* c->ring */
bool finished;

/* [alarm_clear] */
#ifdef BREAK_RUNG
#define RANG	(host_alarm && unread)
#else
#define RANG	(rung != seen)
#endif

/* [wake_up_all] */
inline wake()
{
	d_step {
		woken[0] = true;
		woken[1] = true
	}
}

proctype cpu()
{
	byte events, resets, switches, others, i;

	do
	/*
	 * EL2 records an event: it first checks for an alarm [ring_alarm], then commits the
	 * event. Interrupts are taken after that.
	 */
	:: events < EVENTS && open ->
		d_step {
			events++;
			if
			:: alarm ->
				alarm = false;
				rung = !rung;
				sgi = true
			:: else
			fi
		};
		unread++

	/* [handle___hyp_trace_sync] */
	:: switches < SWITCHES ->
		d_step {
			switches++;
			open = !open
		}

	/* [rb_ext_doorbell]: the first check is without the lock */
	:: sgi ->
		sgi = false;
		if
		:: !host_alarm
		:: else ->
			if
			:: atomic { !lock && RANG ->
					seen = rung;
#ifndef BREAK_CLEAR
					host_alarm = false
#endif
				};
				wake()
			:: atomic { !lock && !RANG -> skip }
			fi
		fi

	/* An irq_work interrupt of another user */
	:: others < 2 && !sgi ->
		others++;
		sgi = true

	/* [alarm_set], on this CPU for one of the waiters */
	:: d_step {
			!lock && (ipi[0] || ipi[1]) ->
			i = (ipi[0] -> 0 : 1);
			set[i] = !host_alarm;
			if
			:: !host_alarm ->
				host_alarm = true;
				alarm = true
			:: else
			fi;
			ipi[i] = false
		}

	/* [rb_ext_cpu_reset]: EL2 forgets the alarm, then the host does, too [rb_ext_rearm] */
	:: resets < RESETS ->
		resets++;
		atomic { !lock -> ring = false };
		d_step {
			unread = 0;
			alarm = false;
			rung = false
		}
		atomic { !lock ->
#ifndef BREAK_REARM
			seen = false;
			host_alarm = false;
#endif
			ring = true
		};
#ifndef BREAK_REARM
		wake()
#endif

	:: (events == EVENTS || !open) && resets == RESETS && !sgi && !ipi[0] && !ipi[1] ->
		finished = true;
		if
		:: ipi[0] || ipi[1]
		:: timeout -> break
		fi
	od
}

/*
 * [handle___hyp_trace_alarm] by another CPU: allowed while the ring is closed or its CPU is
 * off, which is the same in this model.
 */
#ifdef BREAK_OPEN
#define MAY_SET	true
#else
#define MAY_SET	(!open)
#endif

/*
 * [alarm_set] by another CPU. The host notes the alarm before it calls EL2, and takes the
 * note back if EL2 refuses.
 */
inline set_remotely()
{
	atomic { !lock -> lock = true };
	if
	:: ring && !host_alarm ->
#ifndef BREAK_NOTE
		host_alarm = true;
#endif
		if
		:: atomic { MAY_SET -> alarm = true };
#ifdef BREAK_NOTE
			host_alarm = true;
#endif
			set[me] = true
		:: atomic { !MAY_SET -> skip };
#ifndef BREAK_BUSY
			busy = true;
			host_alarm = false
#endif
		fi
	:: else
	fi;
	lock = false
}

/* [smp_call_function_single] */
inline set_there()
{
	ipi[me] = true;
	!ipi[me]
}

/* [rb_ext_wait] */
proctype waiter(byte me)
{
	byte rounds;
	bool busy;

	do
	:: rounds == ROUNDS -> break
	:: rounds < ROUNDS ->
		woken[me] = false;		/* [prepare_to_wait] */
		if
		:: atomic { unread -> unread = 0; rounds++ }; goto next
		:: unread -> break		/* leave the events to the other waiter */
		:: atomic { !unread -> skip }
		fi;
		/* [cpu_arm]: under the lock, or an alarm that is only noted would count */
		if
#ifdef BREAK_LOOK
		:: host_alarm
#else
		:: atomic { !lock && host_alarm -> skip }
#endif
		:: atomic { !lock && !host_alarm -> skip };
			/* [alarm_set_anywhere]: is_open() may be stale, so either */
			if
			:: set_there()
			:: set_remotely();
				if
				:: busy ->
					busy = false;
					set_there()
				:: else
				fi
			fi
		fi;
#ifdef BREAK_RECHECK
		skip;
#endif
#ifdef BREAK_RECHECK_ARMED
		if
		:: set[me] && unread -> goto next
		:: else
		fi;
#endif
#if !defined(BREAK_RECHECK) && !defined(BREAK_RECHECK_ARMED)
		if
		:: unread -> goto next
		:: else
		fi;
#endif
		asleep[me] = true;		/* [schedule] */
		if
		:: woken[me] -> asleep[me] = false
		:: timeout ->
			/* Nothing else can happen any more. */
			assert(!unread);
			break
		fi;
next:		set[me] = false
	od
}

init
{
	atomic {
		run cpu();
		run waiter(0);
		run waiter(1)
	}
}
