/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model of the trace ring between EL2 and the host, for spin: every interleaving
 * of the writer, a consuming reader, a non-consuming reader and a controller, with
 * small numbers. Comments in brackets name the functions that are modelled; each
 * access to memory that another party sees is a step of its own. Memory is
 * sequentially consistent here; the order that weaker memory needs is in litmus/.
 *
 * Assertions check that no event is delivered twice, or torn, or out of order; that
 * none is lost uncounted; and that EL2 touches no page that has been given back. The
 * writer has no statement that can block, and the reader's loop ends after N attempts.
 *
 * Sizes and mode: -DN=slots -DEVENTS=per page -DATTEMPTS=to write -DOVERWRITE=0|1
 * -DITERATOR=0|1 -DCONTROLS=how often the controller acts -DHOSTILE=0|1 -DPANIC=0|1, which
 * has EL2 panic, on the writer's CPU or another one, and the host go on.
 * Mutations, each of which must be found: see the names beginning with BREAK_.
 */
#ifndef N
#define N		2
#endif
#ifndef EVENTS
#define EVENTS		2
#endif
#ifndef ATTEMPTS
#define ATTEMPTS	7
#endif
#ifndef OVERWRITE
#define OVERWRITE	1
#endif
#ifndef ITERATOR
#define ITERATOR	1
#endif
#ifndef CONTROLS
#define CONTROLS	0
#endif
#ifndef HOSTILE
#define HOSTILE		0
#endif
#ifndef PANIC
#define PANIC		0
#endif

/* With two spares, the reader hands a page out when it can, to somebody who holds it for a while. */
#ifndef SPARES
#define SPARES		1
#endif

#define PAGES		(N + SPARES)
#define CELL(page, i)	((page) * EVENTS + (i))
#define NONE		255
#define SPARE		254		/* first_seq of a page outside of the ring */

/* Shared memory, visible to the host. */
byte claimed, meta_tail;		/* struct ext_ring_meta */
byte commit[PAGES];			/* of struct ext_ring_page */
byte cell[PAGES * EVENTS];		/* an event: its number since the start, from 1 */
byte cell_pos[PAGES * EVENTS];		/* ghost: the position for which it was written */

/* EL2's private state: struct ext_ring and its slots and records. */
byte slot_id[N], slot_pos[N];		/* one word each, accessed at once */
byte first_seq[PAGES];
byte w_page, write, limit, tail_slot, tail, head, seq;
byte missed;
bool open, suspended;
bool loaded;				/* EL2 may touch the pages */
bool el2_lock;				/* hyp_trace_cpu.lock */
bool parked;				/* the writer's CPU is in firmware */
bool panicked;				/* hyp_trace_panicked */

/* The host's state: struct rb_ext_cpu. */
bool c_lock;
bool ring_there;			/* c->ring */
byte mirror[N];				/* c->slot_id */
byte r_page, r_spare, r_commit, next_pos, r_seq;
byte r_other;				/* the other spare, NONE if there is none */
byte held;				/* the page that somebody holds, or NONE */

/* Ghost variables that count events. */
byte base;				/* events written before the last load */
byte attempted, written, dropped, delivered, lost;
bool finished;				/* no more events will be written */

/* Requests of the controller to the writer's CPU; each is a hypercall there. */
bool want_suspend, want_open, want_reset;
byte reset_seq;				/* what the reset has returned */
#define wanted	(want_suspend || want_open || want_reset)

#define lock(l)		atomic { !l -> l = true }
#define unlock(l)	l = false

#define touch(page)	assert(loaded && page != held)

/* [ring_begin_page] by the writer, or by a reset */
inline begin_page(pos, slot, id)
{
#ifndef BREAK_STORES
	claimed = pos;
#endif
	first_seq[id] = seq;
	touch(id);
#ifdef BREAK_TAIL_FIRST
	tail = pos;
	meta_tail = pos;
#endif
	commit[id] = 0;
	d_step {
		w_page = id;
		write = 0;
		tail_slot = slot
	}
#ifndef BREAK_TAIL_FIRST
	tail = pos;
	meta_tail = pos;
#endif
}

/* [ext_ring_reserve, ext_ring_commit], with room in the page */
inline write_event()
{
	d_step {
		seq++;
		written++
	}
#ifdef BREAK_COMMIT
	commit[w_page] = write + 1;
#endif
	touch(w_page);
	d_step {
		cell[CELL(w_page, write)] = base + seq;
		cell_pos[CELL(w_page, write)] = tail
	}
	write++;
	touch(w_page);
	commit[w_page] = write
}

/* [ring_restart], under EL2's lock; with the pages that are in the ring */
inline restart_ring()
{
	d_step {
		k = 0;
		do
		:: k < N -> slot_pos[k] = k; k++
		:: else -> break
		od;
		k = 0;
		head = 0
	}
	begin_page(0, 0, slot_id[0])
}

/* [ext_ring_init] */
inline init_ring()
{
	d_step {
		k = 0;
		do
		:: k < N -> slot_id[k] = k; k++
		:: k >= N && k < PAGES -> first_seq[k] = SPARE; k++
		:: else -> break
		od;
		k = 0;
		base = base + seq;
		seq = 0
	}
	restart_ring()
}

#if PANIC
/* [hyp_trace_end]: this takes no lock */
inline end_tracing()
{
	d_step {
		open = false;
		limit = 0
	}
}

/* [ring_claim]: this waits for no lock */
inline claim_ring()
{
	if
#ifdef BREAK_RECORD
	:: open -> mine = true
#else
	:: open && !parked -> mine = true
#endif
	:: else ->
#ifdef BREAK_CLAIM_CLOSED
		mine = loaded;
		open = mine
#else
		if
		:: el2_lock -> mine = false
		:: lock(el2_lock);
			mine = loaded;
			open = mine;
			unlock(el2_lock)
		fi
#endif
	fi
}

/* [hyp_trace_panic, record_panic], on the writer's CPU: the page is begun anew in fact */
inline panic_here()
{
	panicked = true;
	claim_ring();
	if
	:: mine && write < EVENTS -> write_event()
	:: else
	fi;
	end_tracing()
}

/* Another CPU panics. */
proctype panicker()
{
	panicked = true
}
#endif

proctype writer()
{
	byte attempts, id, word_pos, slot, next, k;
#if PANIC
	bool mine;
#endif

	do
#if PANIC
	/* [hyp_trace_psci_leave, hyp_trace_psci_return]: this CPU calls firmware */
	:: attempts < ATTEMPTS && !wanted ->
		attempts++;
		if
		:: panicked
		:: !panicked ->
			lock(el2_lock);
			parked = true;
			unlock(el2_lock)
		fi;
		if			/* while it comes back */
		:: true
		:: panic_here()
		fi;
		if
		:: panicked ->
#ifndef BREAK_PANIC
			end_tracing();
			parked = false
#else
			skip
#endif
		:: !panicked ->
			lock(el2_lock);
			parked = false;
			unlock(el2_lock)
		fi
#endif

	/* [handle___hyp_trace_sync]: a hypercall of this CPU, which writes no event */
	:: want_suspend ->
		lock(el2_lock);
		d_step {			/* [ext_ring_suspend] */
#ifndef BREAK_MISSED
			suspended = true;
#endif
			limit = 0;
			open = false
		}
		unlock(el2_lock);
		want_suspend = false

	:: want_open ->
		lock(el2_lock);
		if
		:: loaded && !open ->		/* [ext_ring_open] */
			d_step {
				open = true;
				suspended = false;
				dropped = dropped + missed;
				missed = 0
			}
		:: else
		fi;
		unlock(el2_lock);
		want_open = false

	/* [handle___hyp_trace_reset]; all counts start again */
	:: want_reset ->
		lock(el2_lock);
#ifdef BREAK_RESET
		init_ring();
#else
		restart_ring();
#endif
		d_step {
			reset_seq = seq;
			missed = 0;
			attempted = 0;
			written = 0;
			dropped = 0;
			delivered = 0;
			lost = 0
		}
		unlock(el2_lock);
		want_reset = false

	/* An event. No statement in here waits. */
	:: attempts < ATTEMPTS && !wanted ->
		d_step {
			attempts++;
			attempted++
		}
		if
		:: write < limit ->
			write_event()
		:: write >= limit && !open ->	/* [ring_make_room_rarely] */
			missed = missed + suspended
		:: write >= limit && open && write < EVENTS ->
			limit = EVENTS;
			write_event()
		:: write >= limit && open && write == EVENTS ->	/* [ring_next_page] */
			limit = EVENTS;
			/* [slot_claim] */
			d_step {
				slot = (tail_slot + 1) % N;
				next = tail + 1;
				id = slot_id[slot];
				word_pos = slot_pos[slot]
			}
			if
			:: word_pos != next && !OVERWRITE ->
				dropped++
			:: word_pos != next && OVERWRITE ->
#ifdef BREAK_CLAIM
				d_step {
					slot_id[slot] = id;
					slot_pos[slot] = next
				}
#else
				atomic {	/* try_cmpxchg; id is valid either way */
					if
					:: slot_id[slot] == id &&
					   slot_pos[slot] == word_pos ->
						slot_pos[slot] = next
					:: else ->
						id = slot_id[slot]
					fi
				}
#endif
				begin_page(next, slot, id);
				write_event()
			:: word_pos == next ->
				begin_page(next, slot, id);
				write_event()
			fi
		fi;
#ifdef BREAK_STORES
		claimed = tail
#else
		skip
#endif

	:: attempts == ATTEMPTS && !wanted ->
		finished = true;
		/* Hypercalls are still served. */
		if
		:: wanted
		:: timeout -> break
		fi
	od
}

/* [rb_ext_oldest] */
inline oldest(result, t)
{
	result = (t >= N && t - N + 1 > next_pos -> t - N + 1 : next_pos)
}

/* [ext_ring_swap], under EL2's lock; id is NONE if there is no page */
inline swap(give, id, pos, first)
{
	byte tries, at, word_id, word_pos;

	lock(el2_lock);
	id = NONE;
	tries = N;
#if !HOSTILE
	assert(first_seq[give] == SPARE);
#endif
	first_seq[give] = 0;
	do
	:: tries == 0 || !loaded -> break
	:: tries > 0 && loaded ->
		tries--;
		at = tail;
		pos = head;
		if
		:: pos > at -> break
		:: else
		fi;
		if
		:: at - pos >= N -> pos = at - N + 1
		:: else
		fi;
		d_step {
			word_id = slot_id[pos % N];
			word_pos = slot_pos[pos % N]
		}
#ifdef BREAK_SWAP
		if
		:: word_pos == pos ->
			d_step {
				slot_id[pos % N] = give;
				slot_pos[pos % N] = pos + N;
				id = word_id
			}
		:: else
		fi;
#else
		atomic {
			if
			:: word_pos == pos && slot_id[pos % N] == word_id &&
			   slot_pos[pos % N] == word_pos ->
				slot_id[pos % N] = give;
				slot_pos[pos % N] = pos + N;
				id = word_id
			:: else
			fi
		}
#endif
		head = pos + 1;
		if
		:: id != NONE ->
			first = first_seq[id];
			first_seq[id] = SPARE;
			break
		:: else
		fi
	od;
	if
	:: id == NONE -> first_seq[give] = SPARE
	:: else
	fi;
	unlock(el2_lock)
}

/* [refill_page, rb_ext_take_commit, swap_page] */
proctype consumer()
{
	byte t, c, id, pos, first;
	bool idle, last;

	do
	:: last = finished;
	   lock(c_lock);
	   idle = true;
	   if
	   :: !ring_there -> idle = false	/* the ring will be back */
	   :: ring_there ->
#if SPARES == 2
		if				/* whoever holds a page puts it */
		:: held != NONE -> held = NONE
		:: true
		fi;
#endif
		t = meta_tail;
		/* [rb_ext_refresh] */
		if
		:: r_page != NONE ->
			c = commit[r_page];
			do
			:: r_commit < c ->
				/* The event is in order, delivered once, and from here. */
				assert(cell[CELL(r_page, r_commit)] == base + r_seq + 1);
				d_step {
					r_commit++;
					r_seq++;
					delivered++;
					idle = false
				}
			:: else -> break
			od
		:: else
		fi;
		/* [can_swap]: tail first, then commit */
		if
		:: idle && (t > next_pos ||
			    (t == next_pos && commit[mirror[t % N]])) ->
#if SPARES == 2
			if			/* [hand_out]: the writer has left the page */
			:: r_page == r_spare && held == NONE ->
				d_step {
					held = r_page;
#ifndef BREAK_HELD
					r_spare = r_other;
					r_other = r_page
#endif
				}
			:: true
			fi;
#endif
			swap(r_spare, id, pos, first);
			if
			:: id != NONE ->
				idle = false;
				/* [swap_ok] */
				assert(pos >= next_pos);
				assert(first >= r_seq);
				assert(id == mirror[pos % N]);
				d_step {
					mirror[pos % N] = r_spare;
					r_spare = id;
					r_page = id;
					next_pos = pos + 1;
					r_commit = 0;
					lost = lost + first - r_seq;
					r_seq = first
				}
			:: else
			fi
		:: else
		fi
	   fi;
	   unlock(c_lock);
	   if
	   :: idle && last -> break
	   :: else
	   fi
	od
}

#if ITERATOR
/* [rb_ext_iter_reset, next_page, rb_ext_copy_page]: one page, at any time */
proctype iterator()
{
	byte t, pos, c, i, page, copy[EVENTS], copy_pos[EVENTS];

	lock(c_lock);
	if
	:: !ring_there
	:: ring_there ->
		t = meta_tail;
		if
		:: t < next_pos
		:: t >= next_pos ->
			oldest(pos, t);
			if			/* any page in the ring */
			:: true
			:: pos < t -> pos = t
			fi;
			page = mirror[pos % N];
			c = commit[page];
			i = 0;
			do
			:: i < EVENTS ->
				d_step {
					copy[i] = cell[CELL(page, i)];
					copy_pos[i] = cell_pos[CELL(page, i)]
				}
				i++
			:: else -> break
			od;
			if
#ifdef BREAK_RECHECK
			:: true ->
#else
			:: claimed >= pos + N	/* reused meanwhile: discard the copy */
			:: claimed < pos + N ->
#endif
				i = 0;
				do
				:: i < c ->
					assert(copy_pos[i] == pos);
					assert(i == 0 || copy[i] == copy[i - 1] + 1);
					i++
				:: else -> break
				od
			fi
		fi
	fi;
	unlock(c_lock)
}
#endif

/* [rb_ext_rewind] */
inline rewind(next_seq)
{
	d_step {
		r_page = NONE;
		r_commit = 0;
		next_pos = 0;
		r_seq = next_seq
	}
}

/* The same for a new ring. The old one's pages are not in it, even if somebody holds one. */
inline rewind_new()
{
	d_step {
		k = 0;
		do
		:: k < N -> mirror[k] = k; k++
		:: else -> break
		od;
		k = 0;
		r_spare = N;
		r_other = (SPARES == 2 -> N + 1 : NONE);
		held = NONE
	}
	rewind(0)
}

#if CONTROLS
/* Take the ring from the readers, which use it only under their lock. */
inline take_ring()
{
	lock(c_lock);
	ring_there = false;
	unlock(c_lock)
}

inline give_ring()
{
	ring_there = true;
	unlock(c_lock)
}

/* [ring_quiescent]: EL2 refuses while the ring is open, as its CPU may be writing. */
#if defined(BREAK_QUIESCENT)
#define quiescent	true
#elif defined(BREAK_PANIC)
#define quiescent	(parked || !open)
#else
#define quiescent	((parked && !panicked) || !open)
#endif

proctype controller()
{
	byte acts, k;

	do
	:: acts < CONTROLS ->
		acts++;
		if
#if HOSTILE
		/* Unload at any time, without closing; only touch() is checked then. */
		:: lock(el2_lock);
		   if
		   :: quiescent ->
			d_step {	/* [ext_ring_suspend] */
				open = false;
				limit = 0
			}
			loaded = false
		   :: !quiescent
		   fi;
		   unlock(el2_lock)
#else
		/* [rb_ext_cpu_reset] */
		:: take_ring();
		   want_reset = true;
		   !want_reset;
		   lock(c_lock);
		   rewind(reset_seq);
		   give_ring()

		/* [rb_ext_cpu_exchange]: unread events and missed events are counted */
		:: take_ring();
#ifndef BREAK_CLOSE
		   want_suspend = true;		/* [hyptrace_ring_close] */
		   !want_suspend;
#endif
		   lock(el2_lock);		/* [rb_ext_cpu_unload] */
		   loaded = false;
		   lost = lost + seq - r_seq;
		   unlock(el2_lock);
		   /* The host owns the pages here. */
		   lock(el2_lock);		/* [rb_ext_cpu_load, ext_ring_init] */
		   loaded = true;
		   held = NONE;
		   init_ring();
		   unlock(el2_lock);
		   lock(c_lock);
		   rewind_new();
		   give_ring();
		   want_open = true;
		   !want_open
#endif
		fi
	:: acts == CONTROLS -> break
	od
}
#endif

init
{
	byte k;

	loaded = true;
	open = true;
	held = NONE;
	init_ring();
	rewind_new();
	ring_there = true;
	atomic {
		run writer();
		run consumer();
#if ITERATOR
		run iterator();
#endif
#if CONTROLS
		run controller();
#endif
#if PANIC
		run panicker();
#endif
	}

	/* All have ended, and each event is accounted for. */
	_nr_pr == 1;
#if !HOSTILE
	assert(delivered + lost == written);
	assert(written + dropped + missed == attempted)
#endif
}
