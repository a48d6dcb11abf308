# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by what runs Linux in a VMM that people use: $VMM is the start of a command, QEMU with
# KVM. QEMU's libraries are in its own directory, where this system does not look for them.

VMM="/guests/vmm/ld-linux-aarch64.so.1 --library-path /guests/vmm
	/guests/vmm/qemu-system-aarch64 -enable-kvm -M virt,gic-version=host -cpu host -smp 2
	-nodefaults -nic none -display none -serial stdio"
