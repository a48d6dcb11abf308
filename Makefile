# SPDX-License-Identifier: GPL-2.0-only
#
# Builds and boots an arm64 kernel with hypervisor tracing; see README.md.

B := $(CURDIR)/build

.PHONY: all run test test-debug test-startup test-kernels test-series test-sources test-debian test-deb test-perfetto bench bench-hw doc perfetto hyptrace-static shell apply series upstream test-upstream deb deb-hyptrace test-deb-hyptrace clean help check
.DEFAULT_GOAL := all

all:
	@tools/build/all

run: all
	@tools/qemu/demo

test: export HYP_TEST_BEGAN := $(shell date +%s)
test: all
	@tools/testing/selftests/hyp_trace/run

test-debug: all
	@tools/build/kernel debug
	@tools/testing/selftests/hyp_trace/run --kernel debug

test-startup: all
	@tools/build/kernel startup
	@tools/testing/selftests/hyp_trace/run --kernel startup

test-kernels: all
	@tools/build/test-kernels $(NAMES)

test-series: all
	@tools/build/check-series

test-sources: all
	@tools/build/check-sources

test-debian:
	@tools/build/test-debian

bench: all
	@tools/testing/selftests/hyp_trace/bench/run

bench-hw: all
	@tools/build/bench-hw

doc: bench
	@tools/build/doc

perfetto: all
	@tools/qemu/perfetto "$(B)/hyp.pftrace"

test-perfetto: all
	@tools/build/test-perfetto

hyptrace-static:
	@tools/build/hyptrace-static

shell: all
	@tools/qemu/run --interactive

check: all
	@tools/build/check

apply:
	@[ -n "$(KSRC)" ] || { echo "make apply: say where: KSRC=/path/to/linux-6.12.y, or of another kernel" >&2; exit 2; }
	@tools/build/apply "$(KSRC)"

series: all
	@tools/build/series

upstream: all
	@tools/build/upstream

test-upstream: all
	@tools/build/test-upstream

deb:
	@tools/build/deb $(FLAVOUR)

deb-hyptrace:
	@tools/build/deb-hyptrace

test-deb-hyptrace: all deb-hyptrace
	@tools/build/test-deb-hyptrace

test-deb: all deb
	@tools/build/test-deb $(FLAVOUR)

clean:
	rm -rf "$(B)"

help:
	@echo 'make              build build/Image and build/initramfs.cpio.gz; install missing packages'
	@echo 'make run          boot them, trace the hypervisor, show the events'
	@echo 'make test         run all tests; ends with "N passed, N failed"'
	@echo 'make test-debug   run the QEMU tests with KASAN, lockdep and more; takes an hour'
	@echo "make test-startup run ftrace's own startup tests on our events"
	@echo 'make test-kernels [NAMES="16k clang"]'
	@echo '                  run the kernel tests on kernels with other options; some 2 hours'
	@echo 'make test-series  build the kernel after each mail of make series; some 5 minutes'
	@echo "make test-sources build what has hooks, and what is ours, on Debian 13's source"
	@echo 'make test-debian  run "make run" in new systems of Debian; SUITES="bookworm trixie"'
	@echo '                  chooses some, FULL=1 runs "make test" there, too; some 25 minutes each'
	@echo 'make bench        measure what tracing costs, and compare with the limits; some 4 minutes'
	@echo 'make bench-hw     pack what measures it on real hardware'
	@echo 'make doc          the same, and put the results into Documentation/, and pictures'
	@echo 'make test-perfetto'
	@echo '                  compare the format that hyptrace export writes with files of Perfetto'
	@echo '                  and Chromium; some 5 minutes'
	@echo 'make perfetto     record host and hypervisor with Perfetto: build/hyp.pftrace'
	@echo 'make hyptrace-static'
	@echo '                  make hyptrace for arm64 machines without its libraries: build/hyptrace/'
	@echo 'make shell        boot to a shell'
	@echo 'make check        run sparse, W=1, checkpatch, kernel-doc and Sphinx on our files'
	@echo 'make apply KSRC=/path/to/linux-6.12.y'
	@echo '                  add hypervisor tracing to your kernel tree'
	@echo 'make series       write the whole as mails for git am: build/series/'
	@echo 'make upstream     write fixes of bugs of Linux alone as mails: build/upstream/'
	@echo 'make test-upstream'
	@echo '                  build Linux without and with them, and show the bugs; some 20 minutes'
	@echo 'make deb [FLAVOUR=cloud-arm64|arm64|arm64-16k|rt-arm64]'
	@echo "                  make packages of a kernel with Debian's configuration, and of"
	@echo '                  hyptrace for amd64 and arm64: build/deb/'
	@echo 'make deb-hyptrace make the latter only; some 3 minutes'
	@echo 'make test-deb [FLAVOUR=...]'
	@echo '                  boot that kernel in QEMU in each mode, and trace'
	@echo 'make test-deb-hyptrace'
	@echo '                  install, use and remove these in new systems of Debian; SUITES as above'
	@echo 'make clean        remove build/'
	@echo
	@echo 'KERNEL=6.18 or 7.3 is for another kernel, which is built in build/6.18: KSRC, or'
	@echo '  HYP_KERNELS=/path/to/folder            with linux-6.18.*.tar.xz'
	@echo "Without Debian, or to build another 6.12.y, set these for all commands:"
	@echo '  KSRC=/path/to/linux-6.12.y             unpatched; it is copied, not changed'
	@echo '  BUSYBOX=/path/to/static/arm64/busybox'
