#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Make small recordings of all kinds, in the current directory: recordings.py

host.dat has two VMs with two vCPUs each, sched_switch, calls of functions, and what a guest says of
its clocks. guest.dat is that guest's. In marks.dat, by another clock, a guest records events. In memory.dat, memory of VMs is mapped and taken back. In
many.dat, a VM has 128 vCPUs. In deep.dat, functions call each other as deep as can be recorded, and
deeper. In details.dat, a guest uses devices, memory, hypercalls and system
registers. In moved.dat, a vCPU goes to another CPU; in missing.dat, events are missing when it matters;
open.dat ends while a vCPU runs for the first time.
Of others, something is wrong:

outside.dat   a CPU's time goes back, so that parts of a vCPU's time begin before its first entry
negative.dat  the types of events can't be read, and are -1
large.dat     the number of a type is larger than any
short.dat     a field is behind the end of its event
escapes.dat   all names that there are have control characters, and what would end a name elsewhere

In all of them, the name of a thread has control characters.
"""

import traces

S = 10 ** 9
US = 1000
ENTER_REASONS = {"hvc": 0, "smc": 1, "psci": 2, "guest_exit": 3, "host_mem_abort": 4}
EXIT_REASONS = {"eret_host": 0, "eret_guest": 1, "smc": 2}
EXIT_CLASSES = {"WFx": 1, "DABT_LOW": 0x24, "IRQ": 0x100}
HCALLS = {"__kvm_vcpu_run": 14, "__kvm_timer_set_cntvoff": 18}


def symbols(field, names):
    pairs = ", ".join(f'{{ {value}, "{name}" }}' for name, value in names.items())
    return f'"{field}=%s", __print_symbolic(REC->{field}, {pairs})'


ENTER = traces.Event(901, "hyp", "hyp_enter", [("u32", "reason")],
                     symbols("reason", ENTER_REASONS))
EXIT = traces.Event(902, "hyp", "hyp_exit", [("u32", "reason")], symbols("reason", EXIT_REASONS))
HCALL = traces.Event(903, "hyp", "host_hcall", [("u64", "id")], symbols("id", HCALLS))
RUN = traces.Event(904, "hyp", "vcpu_enter", [("u64", "pc"), ("u16", "vm"), ("u16", "vcpu")],
                   '"vm=%u vcpu=%u pc=%llx", REC->vm, REC->vcpu, REC->pc')
LEFT = traces.Event(905, "hyp", "vcpu_exit", [("u32", "reason"), ("u16", "vm"), ("u16", "vcpu")],
                    symbols("reason", EXIT_CLASSES))
CLOCK = traces.Event(
    900, "hyp", "guest_clock",
    [("u64", "at"), ("u64", "boot"), ("u64", "mono"), ("u16", "vm"), ("u16", "vcpu")],
    '"vm=%u vcpu=%u at=%llu boot=%llu mono=%llu", REC->vm, REC->vcpu, REC->at, REC->boot, '
    'REC->mono')
SWITCH = traces.Event(301, "sched", "sched_switch",
                      [("u32", "prev_pid"), ("u32", "prev_state"), ("u32", "next_pid")],
                      '"%u (%u) to %u", REC->prev_pid, REC->prev_state, REC->next_pid')
WOKEN = traces.Event(302, "sched", "sched_waking", [("u32", "pid")], '"pid=%u", REC->pid')
WAKING = traces.Event(300, "sched", "sched_waking", [("u32", "number")], '"n=%u", REC->number')
ENTRY = traces.Event(400, "kvm", "kvm_entry", [("u64", "vcpu_pc")], '"PC: %llx", REC->vcpu_pc')
USER = traces.Event(401, "kvm", "kvm_userspace_exit", [("u32", "reason"), ("u32", "errno")],
                    '"reason=%u", REC->reason')
MMIO = traces.Event(402, "kvm", "kvm_mmio", [("u32", "type"), ("u32", "len"), ("u64", "gpa")],
                    '"mmio %u len %u gpa 0x%llx", REC->type, REC->len, REC->gpa')
CALL = traces.Event(11, "ftrace", "funcgraph_entry", [("u64", "func"), ("u32", "depth")],
                    '"--> %ps (%d)", (void *)REC->func, REC->depth')
RETURN = traces.Event(10, "ftrace", "funcgraph_exit", [("u64", "func"), ("u32", "depth")],
                      '"<-- %ps (%d)", (void *)REC->func, REC->depth')
PRINT = traces.Event(5, "ftrace", "print", [("u64", "ip")],
                     '"%ps: %s", (void *)REC->ip, REC->buf', text="buf")

# What EL2 maps for VMs: ranges of nr_pages, or pages.
RANGE = [("u64", "ipa"), ("u32", "nr_pages"), ("u32", "ret"), ("u16", "vm")]
A_PAGE = [("u64", "ipa"), ("u32", "ret"), ("u16", "vm")]
IN_RANGE = '"vm=%u ipa=0x%llx", REC->vm, REC->ipa'
SHARE = traces.Event(910, "hyp", "mem_host_share_guest", RANGE, IN_RANGE)
UNSHARE = traces.Event(911, "hyp", "mem_host_unshare_guest", RANGE, IN_RANGE)
PROTECT = traces.Event(912, "hyp", "s2_guest_wrprotect", RANGE, IN_RANGE)
RELAX = traces.Event(913, "hyp", "s2_guest_relax", A_PAGE, IN_RANGE)
YOUNG = traces.Event(914, "hyp", "s2_guest_young", [*RANGE, ("u16", "kind")],
                     symbols("kind", {"test": 0, "clear": 1, "set": 2}))
ABORT = traces.Event(915, "hyp", "vcpu_mem_abort", [("u64", "ipa"), ("u16", "vm"), ("u16", "vcpu")],
                     IN_RANGE)
# What protected guests get and lose.
GIVEN = [("u64", "ipa"), ("u64", "pfn"), ("u32", "ret"), ("u16", "vm")]
DONATE = traces.Event(916, "hyp", "mem_host_donate_guest", GIVEN, IN_RANGE)
RECLAIM = traces.Event(917, "hyp", "mem_host_reclaim_guest", GIVEN, IN_RANGE)
FORCE = traces.Event(918, "hyp", "mem_host_force_reclaim_guest", GIVEN, IN_RANGE)
MEMORY = [SHARE, UNSHARE, PROTECT, RELAX, YOUNG, ABORT, DONATE, RECLAIM, FORCE]

# What a guest records: three arguments of four, and a mark.
SAID = [("u16", "vm"), ("u16", "vcpu"), ("u16", "client"), ("u16", "count"), ("u32", "lost")]
TRACE = traces.Event(930, "hyp", "guest_trace_4",
                     [*SAID, ("u32", "id"), *[("u64", f"a{i}") for i in range(4)]], '"id=%u", REC->id')
MARK = traces.Event(931, "hyp", "guest_mark", SAID, '"%s", REC->text', text="text")

TYPES = [ENTER, EXIT, HCALL, RUN, LEFT, CLOCK, SWITCH, WOKEN, ENTRY, USER, CALL, RETURN,
         PRINT]

# The address and the name of each function; one has none.
FUNCTIONS = {0x1000: "__kvm_nvhe_handle_trap", 0x2000: "__kvm_nvhe___kvm_vcpu_run"}
TREE = [0x1000, 0x2000, 0x3000]
TASKS = [(71, "qemu\x1b]0;taken\x07"), (72, "vmm"), (73, "busy")]


def run_of_guest(now, tid, vm, vcpu, exit_class):
    """A hypercall that runs a guest once: all events of EL2, from @now on."""
    return [
        (now, ENTER.pack(tid, ENTER_REASONS["hvc"])),
        (now + 1 * US, HCALL.pack(tid, HCALLS["__kvm_vcpu_run"])),
        (now + 2 * US, RUN.pack(tid, 0xffff0000, vm, vcpu)),
        (now + 3 * US, EXIT.pack(tid, EXIT_REASONS["eret_guest"])),
        (now + 33 * US, ENTER.pack(tid, ENTER_REASONS["guest_exit"])),
        (now + 34 * US, LEFT.pack(tid, exit_class, vm, vcpu)),
        (now + 36 * US, EXIT.pack(tid, EXIT_REASONS["eret_host"])),
    ]


def calls(now, tid):
    """Functions call each other, and the last one calls firmware."""
    events = [(now + i * US, CALL.pack(tid, func, i)) for i, func in enumerate(TREE)]
    events += [(now + 3 * US, EXIT.pack(tid, EXIT_REASONS["smc"])),
               (now + 5 * US, ENTER.pack(tid, ENTER_REASONS["smc"]))]
    return events + [(now + (9 - i) * US, RETURN.pack(tid, func, i))
                     for i, func in reversed(list(enumerate(TREE)))]


def hyp_events(cpu, tid):
    events = []
    classes = list(EXIT_CLASSES.values())
    for i in range(12):
        now = 200 * S + i * 100 * US
        events += run_of_guest(now, tid, 1 + i // 6, cpu, classes[i % 3])
        events += calls(now + 50 * US, tid)
        events.append((now + 70 * US, CLOCK.pack(tid, now + 69 * US, now - 195 * S, now - 196 * S,
                                                 1 + cpu, cpu)))
    return events


def memory_events(tid, vmm, other):
    """What is mapped for VM 1, whose vCPU is @tid, and for VM 2; and for VM 3, which is protected."""
    page, block = 4096, 4096 * 512
    one, two, three = 0x50000000, 0x50000000 + block, 0x50000000 + 2 * block

    def fault(ipa, *handled):
        return [ABORT.pack(tid, ipa, 1, 0), *handled, RUN.pack(tid, 0, 1, 0)]

    def share(ipa, pages, ret=0):
        return SHARE.pack(tid, ipa, pages, ret, 1)

    def unshare(ipa, pages, by=tid):
        return UNSHARE.pack(by, ipa, pages, 0, 1)

    return [
        *fault(one, share(one, 512)), *fault(two + page, share(two, 512)),
        *fault(0x10000000),                                  # a device
        PROTECT.pack(vmm, three, 512, 0, 1),                 # was mapped before
        *fault(three, share(three, 512, ret=0xfffffff4)),
        # KVM maps pages of the first block, and one of them twice.
        *fault(one, unshare(one, 512), share(one, 1)), *fault(one, share(one + 5 * page, 1)),
        unshare(one + 5 * page, 1, by=other), *fault(one, share(one + 5 * page, 1)),
        # The host takes the second block back.
        unshare(two, 512, by=vmm), *fault(two, share(two, 1)),
        # The host takes the third block back for a fault, which is tried again.
        *fault(three, unshare(three, 512)), *fault(three, share(three + page, 1)),
        *fault(three, RELAX.pack(tid, three + page, 0, 1)),
        YOUNG.pack(other, three, 1, 1, 1, 1), *fault(three, YOUNG.pack(tid, three, 1, 0, 1, 2)),
        # A block that comes back whole is not split.
        SHARE.pack(vmm, one, 512, 0, 2), UNSHARE.pack(other, one, 512, 0, 2),
        SHARE.pack(vmm, one, 512, 0, 2),
        # A protected guest gets three pages, and loses two; a fourth one it never had.
        *[DONATE.pack(vmm, one + i * page, 0x90000 + i, 0, 3) for i in range(3)],
        DONATE.pack(vmm, one + 3 * page, 0x90003, 0xffffffff, 3),
        FORCE.pack(vmm, one, 0x90000, 0, 3), RECLAIM.pack(vmm, one + page, 0x90001, 0, 3),
        RECLAIM.pack(vmm, one + 3 * page, 0, 0, 3),
        ABORT.pack(tid, one, 1, 0),
    ], [SHARE.pack(tid, 0x40000000, 1, 0, 1)]                # Events were lost before.


def write_memory():
    before, after = memory_events(71, 72, 73)
    events = hyp_events(0, 71)
    now = events[-1][0] + 100 * US
    events += [(now + i * US, data) for i, data in enumerate(before)]
    events += [(now + (len(before) + i) * US, data, 3) for i, data in enumerate(after)]
    traces.write("memory.dat", TYPES + MEMORY, {"": [[], []], "hyp": [events, hyp_events(1, 72)]},
                 commands=TASKS, trace_id=12)


def host_events(tid):
    """A thread is switched from and to, and woken twice before it runs a guest next; and what a
    VMM calls its VM."""
    events = [(200 * S + i * 200 * US + j * 5 * US, SWITCH.pack(tid, *how))
              for i in range(6) for j, how in enumerate(((tid, i % 2, 73), (73, 0, tid)))]
    events += [(200 * S + (100 * i - before) * US, WOKEN.pack(73, tid))
               for i in range(2, 12, 3) for before in (17 + 4 * i, 7)]
    # Every second exit is handled by the VMM.
    for i in range(0, 12, 2):
        events.append((200 * S + (i * 100 + 38) * US, USER.pack(tid, 6, 0)))
        events.append((200 * S + (i * 100 + 88) * US, ENTRY.pack(tid, 0)))
    if tid == 71:
        events.append((199 * S, PRINT.pack(tid, 0, b"hyptrace: vm=1 pid=70 name=w\x1b]0;taken\x07eb")))
    return sorted(events, key=lambda event: event[0])


# What exits are for.
CLASSES = {"HVC64": 0x16, "SYS64": 0x18, "DABT_LOW": 0x24}
FAULT = traces.Event(920, "hyp", "vcpu_mem_abort",
                     [("u64", "ipa"), ("u32", "esr"), ("u16", "vm"), ("u16", "vcpu")], IN_RANGE)
HVC = traces.Event(921, "hyp", "guest_hvc", [("u32", "func_id"), ("u16", "vm"), ("u16", "vcpu")],
                   symbols("func_id", {"PSCI_VERSION": 0x84000000}))
SYSREG = traces.Event(
    922, "hyp", "vcpu_fixup_sysreg",
    [("u32", "sysreg"), ("u32", "write"), ("u16", "vm"), ("u16", "vcpu")],
    '"%s %s", __print_symbolic(REC->write, { 0, "read" }, { 1, "write" }), '
    '__print_symbolic(REC->sysreg, { 0x1be020, "CNTPCT_EL0" })')
LEFT_WITH_ESR = traces.Event(
    905, "hyp", "vcpu_exit", [("u32", "reason"), ("u32", "esr"), ("u16", "vm"), ("u16", "vcpu")],
    symbols("reason", CLASSES))


def esr_of_access(size, is_write):
    return CLASSES["DABT_LOW"] << 26 | 1 << 24 | (size.bit_length() - 1) << 22 | is_write << 6


def esr_of_trap(op0, op1, crn, crm, op2, is_read):
    return CLASSES["SYS64"] << 26 | op0 << 20 | op2 << 17 | op1 << 14 | crn << 10 | crm << 1 | is_read


def write_details():
    """Two reads and a write of a device, two of another one that KVM has, a fault, ..."""
    def fault(ipa, size, is_write):
        esr = esr_of_access(size, is_write)
        return "DABT_LOW", esr, FAULT.pack(71, ipa, esr, 1, 0)

    hvc = "HVC64", CLASSES["HVC64"] << 26, HVC.pack(71, 0x84000000, 1, 0)
    unknown = "HVC64", CLASSES["HVC64"] << 26, HVC.pack(71, 0xc3001234, 1, 0)
    exits = [
        (fault(0x9000018, 4, 0), "user"), (fault(0x9000018, 4, 0), "user"),
        (fault(0x9000000, 2, 1), "user"), (fault(0x8000100, 4, 0), "kvm"),
        (fault(0x8010000, 4, 0), "kvm"), (fault(0x40001000, 8, 1), None), (hvc, None), (hvc, None),
        (unknown, None), (("SYS64", esr_of_trap(2, 0, 1, 0, 4, 0), None), None),
        (("SYS64", esr_of_trap(3, 3, 14, 0, 1, 1), SYSREG.pack(71, 0x1be020, 0, 1, 0)), "el2"),
        (("SYS64", esr_of_trap(3, 3, 14, 0, 1, 1), SYSREG.pack(71, 0x1be020, 0, 1, 0)), "el2"),
        (hvc, None),
    ]
    hyp, host = [], [(200 * S - 50, PRINT.pack(
        71, 0, b"hyptrace: clock at=start boot=199999999900 mono=1 real=1700000000999999900"))]
    for i, ((name, esr, event), where) in enumerate(exits):
        now = 200 * S + i * 100 * US
        if not i or exits[i - 1][1] != "el2":
            hyp += [(now, ENTER.pack(71, ENTER_REASONS["hvc"])), (now + US, HCALL.pack(71, 14)),
                    (now + 2 * US, RUN.pack(71, 0, 1, 0))]
        hyp += [(now + 3 * US, EXIT.pack(71, EXIT_REASONS["eret_guest"])),
                (now + 33 * US, ENTER.pack(71, ENTER_REASONS["guest_exit"])),
                (now + 34 * US, LEFT_WITH_ESR.pack(71, CLASSES[name], esr, 1, 0))]
        if event:
            hyp.append((now + 35 * US, event))
        if where != "el2":
            hyp.append((now + 36 * US, EXIT.pack(71, EXIT_REASONS["eret_host"])))
        if where == "user":
            host += [(now + 40 * US, USER.pack(71, 6, 0)), (now + 60 * US, ENTRY.pack(71, 0))]
        elif where == "kvm":
            host.append((now + 40 * US, MMIO.pack(71, 1, 4, 0)))
    types = [event for event in TYPES if event is not LEFT]
    traces.write("details.dat", [*types, LEFT_WITH_ESR, FAULT, HVC, SYSREG, MMIO],
                 {"": [host], "hyp": [hyp]}, commands=TASKS, trace_id=14)


def write_marks():
    """By CLOCK_MONOTONIC, which is 3 s behind CLOCK_BOOTTIME: two runs of a guest, and what it records."""
    start = 200 * S
    marks = (b"clock at=start boot=%d mono=%d real=%d" % (start - 100 + 3 * S, start - 100, 17 * 10 ** 17),
             b'origin={"host":"a\\u001b[2J\\u009b\\u00e9b","kernel":"6.12.0","mode":5,"command":["vmm","a b"],"by":"me"}',
             b'origin={"host":"second"}')
    top = [(start - 50, PRINT.pack(71, 0, b"hyptrace: " + mark)) for mark in marks]
    hyp = []
    for i in range(2):
        now = start + i * 100 * US
        events = run_of_guest(now, 71, 1, 0, 1)
        said = [(now + 34 * US, TRACE.pack(71, 1, 0, 7, 3, 0, 1001 + i, i, 2 ** 64 - 1, 3, 0)),
                (now + 35 * US, MARK.pack(71, 1, 0, 7, 0, i, b'here "I" am \x1b[2J'))]
        hyp += [*events[:6], *said, events[6]]
    traces.write("marks.dat", [*TYPES, TRACE, MARK], {"": [top], "hyp": [hyp]}, commands=TASKS,
                 trace_id=17)


def write_open():
    """The recording of a CPU ends while a vCPU runs for the first time."""
    origin = PRINT.pack(71, 0, b'hyptrace: origin={"host":"cut')
    traces.write("open.dat", TYPES, {"": [[(199 * S, origin)], []], "hyp": [
        run_of_guest(200 * S, 71, 1, 0, 1), run_of_guest(200 * S, 72, 1, 1, 1)[:4]]},
                 commands=TASKS, trace_id=18)


def switch(prev, state, next_one):
    return SWITCH.pack(prev, prev, state, next_one)


def write_moved():
    """An exit of 470 us begins on CPU 0, which another task gets, and ends on CPU 1, which one had."""
    start = 200 * S
    tops = [[(start + 40 * US, switch(71, 0, 73)), (start + 5000 * US, switch(73, 0, 0))],
            [(start + 30 * US, switch(0, 0, 72)), (start + 490 * US, switch(72, 1, 71)),
             (start + 600 * US, switch(71, 1, 72)), (start + 1000 * US, switch(72, 1, 0))]]
    traces.write("moved.dat", TYPES, {"": tops, "hyp": [
        run_of_guest(start, 71, 1, 0, 1), run_of_guest(start + 500 * US, 71, 1, 0, 1)]},
                 commands=TASKS, trace_id=15)


def write_missing():
    """Events are lost while others have the CPU, and behind a guest's run; two hypercalls take no
    time. The guest's thread is woken before all that, when the first events have been lost, and before
    the others are."""
    start = 200 * S
    top = [(start - 5 * US, WOKEN.pack(72, 71)), (start + 40 * US, switch(71, 0, 73)),
           (start + 2900 * US, WOKEN.pack(72, 71), 9), (start + 2950 * US, switch(72, 0, 71)),
           (start + 3990 * US, WOKEN.pack(72, 71))]
    hyp = run_of_guest(start, 71, 1, 0, 1)
    for i in range(4):
        now = start + (100 + i) * US
        hyp += [(now, ENTER.pack(73, 0)), (now, HCALL.pack(73, 18)), (now + i % 2 * 16, EXIT.pack(73, 0))]
    hyp += run_of_guest(start + 3000 * US, 71, 1, 0, 1)[:-2]
    hyp += [(start + 4000 * US, ENTER.pack(73, 0), 5), (start + 4001 * US, EXIT.pack(73, 0))]
    hyp += run_of_guest(start + 5000 * US, 71, 1, 0, 1)
    traces.write("missing.dat", TYPES, {"": [top], "hyp": [hyp]}, commands=TASKS, trace_id=16)


def write_deep():
    """A guest is run by the 50th function that is open, and after that functions are ten deeper."""
    def nested(now, depth):
        down = [(now + i * US, CALL.pack(71, TREE[i % 2], i)) for i in range(depth)]
        up = [(now + 200 * US - i * US, RETURN.pack(71, TREE[i % 2], i)) for i in range(depth)]
        return [*down, (now + 100 * US, EXIT.pack(71, EXIT_REASONS["eret_guest"])),
                (now + 130 * US, ENTER.pack(71, ENTER_REASONS["guest_exit"])), *reversed(up)]

    traces.write("deep.dat", TYPES, {"": [[]], "hyp": [nested(200 * S, 50) + nested(201 * S, 60)]},
                 commands=TASKS, trace_id=19, functions=FUNCTIONS)


def write_many(name, vcpus, exits, times=1):
    """Each vCPU exits for three reasons, after different times. A VM has up to 512 vCPUs."""
    classes = list(EXIT_CLASSES.values())

    def run(cpu, i):
        vcpu = (2 * (i // 4) + cpu) % vcpus
        return run_of_guest(200 * S + i * 100 * US + i * 7919 % 13000, 100 + vcpu,
                            1 + vcpu // 512, vcpu % 512, classes[i % 3])

    cpus = [traces.Repeated([event for i in range(exits // 2) for event in run(cpu, i)], times,
                            exits // 2 * 100 * US) for cpu in range(2)]
    traces.write(name, TYPES, {"": [[], []], "hyp": cpus}, trace_id=13)


def write_calls(name, trees, times):
    """Each of two CPUs has so many trees of calls, again and again."""
    cpus = [traces.Repeated([event for i in range(trees)
                             for event in calls(200 * S + i * 100 * US, 71 + cpu)], times,
                            trees * 100 * US) for cpu in range(2)]
    traces.write(name, TYPES, {"": [[], []], "hyp": cpus}, trace_id=20, functions=FUNCTIONS)


def write_host(name, hyp, types=None, functions=None, **more):
    top = [host_events(71), host_events(72)]
    traces.write(name, types or TYPES, {"": top, "hyp": hyp, **more}, commands=TASKS, trace_id=11,
                 functions=functions or FUNCTIONS)


def changed(event, old, new):
    """A type of events with another format."""
    copy = traces.Event(event.number, event.system, event.name, [], "")
    assert old in event.format
    copy.format, copy.types = event.format.replace(old, new), event.types
    return copy


def of_types(old, new):
    return [new if event is old else event for event in TYPES]


def write_all():
    hyp = [hyp_events(0, 71), hyp_events(1, 72)]
    write_host("host.dat", hyp)
    write_host("negative.dat", hyp, [changed(event, "common_type", "common_kind") for event in TYPES])
    write_host("large.dat", hyp, of_types(LEFT, changed(LEFT, "ID: 905", "ID: 2000000000")))
    write_host("short.dat", hyp, of_types(RUN, changed(RUN, "vcpu;\toffset:18", "vcpu;\toffset:2000000000")))
    ends = "\x1b]0;taken\x07\x9b ;,\\n'"
    # In formats, libtraceevent takes printable characters only.
    woken = changed(WAKING, "", "")
    woken.system += ends
    write_host("escapes.dat", hyp,
               [ENTER, EXIT, RUN, CLOCK, SWITCH, WOKEN, ENTRY, USER, CALL, RETURN, PRINT, woken,
                changed(HCALL, "__kvm_vcpu_run", "__kvm_vcpu_run ;,'"),
                changed(LEFT, "WFx", "WFx ;,'")],
               {at: name + ends for at, name in FUNCTIONS.items()},
               **{"more" + ends: [[(200 * S, WAKING.pack(72, 1))], []]})
    write_memory()
    write_many("many.dat", 128, 512)
    write_deep()
    write_details()
    write_moved()
    write_marks()
    write_open()
    write_missing()
    before = [(time - 199 * S, data) for time, data in hyp[1]]
    write_host("outside.dat", [hyp[0], hyp[1] + before])
    woken = [(5 * S + i * 30 * US, WAKING.pack(9, i)) for i in range(40)]
    said = [(5 * S + 50 * US, PRINT.pack(9, 0, b"a\nhost  forged\x1b[2J"))]
    traces.write("guest.dat", [WAKING, PRINT], {"": [woken, said]}, commands=[(9, "a\tb")],
                 trace_id=22)


if __name__ == "__main__":
    write_all()
