#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints how many events KernelShark loads from each buffer of a trace.dat, the top one first.

usage: kernelshark.py TRACE.DAT; LD_LIBRARY_PATH has libkshark."""

import ctypes
import sys

lib = ctypes.CDLL("libkshark.so.2")
lib.kshark_instance.restype = ctypes.c_bool
lib.kshark_load_entries.restype = ctypes.c_ssize_t
context = ctypes.c_void_p()
if not lib.kshark_instance(ctypes.byref(context)):
    sys.exit("no memory for KernelShark")
top = lib.kshark_open(context, sys.argv[1].encode())
if top < 0:
    sys.exit(f"KernelShark can't open {sys.argv[1]}: {top}")
others = lib.kshark_tep_init_all_buffers(context, top)
if others < 0:
    sys.exit(f"KernelShark can't open the buffers of {sys.argv[1]}: {others}")
for buffer in range(top, top + 1 + others):
    rows = ctypes.c_void_p()
    print(lib.kshark_load_entries(context, buffer, ctypes.byref(rows)))
