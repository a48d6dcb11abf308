#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make another compressed dump of QEMU's: recompress.py VMCORE.flat HOW

VMCORE.zlib is as "makedumpfile -R" makes it, no longer flattened; VMCORE.lzo, VMCORE.snappy and
VMCORE.zstd have pages that are compressed by these. VMCORE.flat itself is left as it is."""

import ctypes
import struct
import sys
import zlib

DESCRIPTOR = struct.Struct("<QIIQ")
FLAGS = {"zlib": 1, "lzo": 2, "snappy": 4, "zstd": 32}


def compressed(how, data):
    size = ctypes.c_size_t(2 * len(data) + 1024)
    output, length = ctypes.create_string_buffer(size.value), ctypes.c_size_t(len(data))
    if how == "lzo":
        ctypes.CDLL("liblzo2.so.2").lzo1x_1_compress(data, length, output, ctypes.byref(size),
                                                     ctypes.create_string_buffer(1 << 18))
    elif how == "snappy":
        ctypes.CDLL("libsnappy.so.1").snappy_compress(data, length, output, ctypes.byref(size))
    else:
        size.value = ctypes.CDLL("libzstd.so.1").ZSTD_compress(output, size, data, length, 1)
    return output.raw[:size.value]


def unflatten(flat, path):
    flat.seek(4096)
    with open(path, "wb") as file:
        while True:
            place, size = struct.unpack(">qq", flat.read(16))
            if place < 0:
                return
            file.seek(place)
            file.write(flat.read(size))


def change_pages(path, how):
    with open(path, "r+b") as file:
        file.seek(428)
        block, sub_header, bitmaps = struct.unpack("<iiI", file.read(12))
        at = (1 + sub_header + bitmaps) * block
        end = file.seek(0, 2)
        file.seek(at)
        first, *_ = DESCRIPTOR.unpack(file.read(DESCRIPTOR.size))
        for at in range(at, first, DESCRIPTOR.size):
            file.seek(at)
            offset, size, flags, more = DESCRIPTOR.unpack(file.read(DESCRIPTOR.size))
            if flags != FLAGS["zlib"]:
                continue
            file.seek(offset)
            data = compressed(how, zlib.decompress(file.read(size)))
            file.seek(at)
            file.write(DESCRIPTOR.pack(end, len(data), FLAGS[how], more))
            file.seek(end)
            end += file.write(data)


name, way = sys.argv[1:]
if way != "flat":
    new = name.replace(".flat", "." + way)
    with open(name, "rb") as flattened:
        unflatten(flattened, new)
    if way != "zlib":
        change_pages(new, way)
