/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who waits for events is woken: the alarm between ring_buffer_remote_wait.c and
 * nvhe/ring.c. Transitions name the functions.
 *
 * One ring, whose CPU records EVENTS events, takes interrupts between them, and has
 * its ring emptied RESETS times; WAITERS readers, each of which waits for something
 * and takes it, ROUNDS times. At the end nobody may be asleep while there is an event.
 *
 * BREAK_x leaves something out, which must be found.
 */
#ifndef EVENTS
#define EVENTS	4
#endif
#ifndef RESETS
#define RESETS	1
#endif
#define WAITERS	2
#define ROUNDS	2

byte unread;			/* events that are in the ring */
bool alarm;			/* ring->alarm, EL2's */
bool host_alarm;		/* c->alarm, the host's */
bool sgi;			/* the doorbell has been rung, the interrupt is pending */
bool rung, seen;		/* meta->rung, c->rung: modulo 2 */
bool ipi[WAITERS];		/* smp_call_function_single() */
bool set[WAITERS];		/* it has set the alarm itself */
bool woken[WAITERS];		/* TASK_RUNNING */
bool asleep[WAITERS];
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
	byte events, resets, others, i;

	do
	/* EL2 records an event [ring_alarm]; interrupts are taken after that */
	:: events < EVENTS ->
		d_step {
			events++;
			unread++;
			if
			:: alarm ->
				alarm = false;
				rung = !rung;
				sgi = true
			:: else
			fi
		}

	/* [rb_remote_doorbell] */
	:: sgi ->
		sgi = false;
		if
		:: atomic { RANG ->
				seen = rung;
#ifndef BREAK_CLEAR
				host_alarm = false
#endif
			};
			wake()
		:: atomic { !RANG -> skip }
		fi

	/* Somebody else's irq_work */
	:: others < 2 && !sgi ->
		others++;
		sgi = true

	/* [alarm_set], for one of the waiters */
	:: ipi[0] || ipi[1] ->
		d_step {
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

	/* [cpu_reset]: EL2 forgets the alarm, then the host does [rb_remote_rearm] */
	:: resets < RESETS ->
		resets++;
		d_step {
			unread = 0;
			alarm = false;
			rung = false
		}
#ifndef BREAK_REARM
		d_step {
			seen = false;
			host_alarm = false
		};
		wake()
#endif

	:: events == EVENTS && resets == RESETS && !sgi && !ipi[0] && !ipi[1] ->
		finished = true;
		if
		:: ipi[0] || ipi[1]
		:: timeout -> break
		fi
	od
}

/* [rb_remote_wait] */
proctype waiter(byte me)
{
	byte rounds;

	do
	:: rounds == ROUNDS -> break
	:: rounds < ROUNDS ->
		woken[me] = false;		/* [prepare_to_wait] */
		if
		:: atomic { unread -> unread = 0; rounds++ }; goto next
		:: unread -> break		/* It leaves that to the other one. */
		:: atomic { !unread -> skip }
		fi;
		/* [cpu_arm] */
		if
		:: !host_alarm ->
			ipi[me] = true;
			!ipi[me]
		:: else
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
			/* Nothing will ever happen again. */
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
