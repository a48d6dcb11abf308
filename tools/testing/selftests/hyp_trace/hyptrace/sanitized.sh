# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by tests of hyptrace on this machine. $top is the project.

export ASAN_OPTIONS=abort_on_error=1:detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1

# sanitized DIR: build hyptrace so that it finds its own errors, and install it in DIR/sanitized/usr.
# Another test may do that at the same time.
sanitized() {
	mkdir -p "$top/build/hyptrace"
	flock "$top/build/hyptrace" make -s -C "$top/tools/hyptrace" OUT="$top/build/hyptrace/sanitized" \
		CFLAGS="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all" \
		install DESTDIR="$1/sanitized" prefix=/usr
}
