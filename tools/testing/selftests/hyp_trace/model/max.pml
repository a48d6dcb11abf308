/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of how the host learns of long intervals: between EL2's totals_max.c and the host's,
 * for spin. Comments in brackets name the functions.
 *
 * A CPU publishes INTERVALS intervals, each the longest so far of one of two rows, and rings,
 * but not within a period after it has rung. In the end the host has the longest of each row.
 *
 * BREAK_x leaves something out, which must be found.
 */
#ifndef INTERVALS
#define INTERVALS 4
#endif

byte longest[2];		/* EL2's own */
byte number[2], done[2], ns[2];	/* the records, by row */
byte nr_max;			/* state->nr_max */
bool recent;			/* EL2 has rung less than a period ago */
bool sgi;			/* the interrupt is pending */

byte taken[2];			/* what the host keeps */
bool now, later;		/* the work is scheduled, at once or after a period */

/* EL2 [publish, tell], and the interrupt between two calls of it [hyptrace_max_doorbell] */
active proctype cpu()
{
	byte n, row;

	do
	:: n < INTERVALS ->
		if
		:: row = 0
		:: row = 1
		fi;
		n++;
		longest[row] = n;
		number[row] = n;
		ns[row] = n;
		done[row] = n;
		nr_max = n;
		d_step {
			if
			:: !recent ->
				recent = true;
				sgi = true
			:: else
			fi
		}
	:: d_step { sgi ->
			sgi = false;
			now = true
		}
	:: n == INTERVALS && !sgi -> break
	od
}

/* The period ends at any time. */
active proctype period()
{
end:	do
	:: d_step { recent -> recent = false }
	od
}

/*
 * The work that is to look later does so a period after it has looked: then EL2's period, which
 * began before that, is over.
 */
#ifdef BREAK_PERIOD
#define LATER	later
#else
#define LATER	(later && !recent)
#endif

/* [look_work, cpu_look, max_try] */
active proctype host()
{
	byte looked, nr, row, d, value;
	bool rung;

end:	do
	:: d_step { now || LATER ->
			rung = now;
			now = false;
			later = false
		};
#ifndef BREAK_AGAIN
		later = rung;
#endif
		nr = nr_max;
		if
		:: nr == looked
		:: else ->
			row = 0;
			do
			:: row < 2 ->
				d = done[row];
				value = ns[row];
				if
				:: number[row] == d && d > looked && d <= nr ->
					d_step {
						taken[row] = (value > taken[row] ->
							      value : taken[row]);
						value = 0;
						d = 0
					}
				:: else
				fi;
				row++
			:: else -> break
			od;
#ifdef BREAK_LOOKED
			looked = nr_max
#else
			looked = nr
#endif
		fi
	od
}

active proctype finally()
{
	timeout ->
	assert(taken[0] == longest[0]);
	assert(taken[1] == longest[1])
}
