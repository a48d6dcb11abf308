#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: prints real rings as a start for the fuzzer, in base64, a line each: the
# meta page and four data pages. The writer is stopped meanwhile: what is read page by page
# would not be one ring if EL2 began a page in between. Each ring is a new one: page n is in
# slot n.

hyp=/sys/kernel/tracing/hyp
echo 8 > $hyp/buffer_size_kb
for events in selftest '*'; do
	echo "hyp:$events" > $hyp/set_event
	for n in 10 300 700; do
		echo > $hyp/trace
		while [ "$(head -c 1 $hyp/ring_pages | wc -c)" = 1 ]; do sleep 0.1; done
		echo 1 > $hyp/tracing_on
		hyp_emit 1 $n 0
		echo 0 > $hyp/tracing_on
		dd if=$hyp/ring_pages bs=4096 count=5 2>/dev/null | base64 | tr -d '\n'
		echo
	done
done
