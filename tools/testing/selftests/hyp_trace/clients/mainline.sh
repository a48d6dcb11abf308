#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs in QEMU: the tests that Linux has for its own tracer of the hypervisor, on hyp/. They come
# from the kernel's source, in /mainline. What they assert stays; what differs is in the functions
# below:
#
# - the name of the directory, and that of the events' system
# - the text of an event, which is ftrace's here: "convert" makes it theirs
# - how to see whether the rings are loaded. Here they are unloaded some time after nobody can need
#   them any more
# - who reads trace_pipe comes to its end when tracing is turned off, and need not be killed
#
# unloading.tc is left out: with that tracer, a reader keeps the rings loaded. Prints TAP.

. /tests/result.sh

export TRACING_DIR=/tmp/tracing TEST_DIR=/mainline TMPDIR=/tmp

hold_switches
mkdir -p $TRACING_DIR/remotes
ln -s /sys/kernel/tracing/hyp $TRACING_DIR/remotes/hypervisor

{
	# These assert what their names say, of text as that tracer has it.
	sed -e 's/^check_trace()/check_text()/' -e 's/^dump_trace_pipe()/dump_text()/' \
	    -e 's,events/$name/,events/hyp/,' /mainline/remotes/functions
	cat <<-'END'
		clear_trace() { echo > trace; }
		kill() { command kill "$@" || true; }
		exit_unresolved() { exit 2; }
		exit_unsupported() { exit 3; }
		bc() { awk -F ">" "{ print (\$1 + 0 > \$2 + 0) }"; }

		# What has been converted stays.
		convert() {
			sed -e '/^#/d; /^$/d' \
			    -e 's/^ .* \(\[[0-9]*\]\) [^ ]* *\([0-9.]*\): selftest: /\1 \2: selftest /' "$@"
		}

		check_trace() {
			text=$(mktemp $TMPDIR/text.XXXXXX)
			convert "$3" > $text
			check_text "$1" "$2" $text
			rm $text
		}

		dump_trace_pipe() {
			text=$(dump_text)
			convert $text > $text.converted
			mv $text.converted $text
			echo $text
		}

		# Of a CPU that is online: each has 2^40 bytes of this file.
		is_loaded() {
			for n in $(get_cpu_ids); do
				[ "$(dd if=/sys/kernel/tracing/hyp/ring_pages bs=1M count=1 \
				     skip=$((n << 20)) 2> /dev/null | head -c 1 | wc -c)" = 0 ] || return 0
			done
			return 1
		}
		assert_loaded() { is_loaded; }
		assert_unloaded() {
			tries=300
			while is_loaded && [ $tries -gt 0 ]; do
				sleep 0.1
				tries=$((tries - 1))
			done
			! is_loaded
		}
	END
} > /tmp/functions
mv /tmp/functions /mainline/remotes/functions
sed -i -e 's/wc -l < trace)/convert trace | wc -l)/' \
       -e "s/\$(sed -n -e \('1s.*'\) trace)/\$(convert trace | sed -n -e \1)/" \
       /mainline/remotes/*.tc

for test in buffer_size hotplug reset trace trace_pipe; do
	log=/tmp/$test.log
	(cd $TRACING_DIR && sh -e "/mainline/remotes/hypervisor/$test.tc") > $log 2>&1
	result "$test.tc of this kernel's own"
done
exit $status
