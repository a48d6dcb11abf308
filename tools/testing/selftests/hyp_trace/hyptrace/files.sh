# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by tests that get files from QEMU, compressed and in base64, among its output.

# Extract the files to FILE.base64, and pass on the rest of the output.
files() {
	awk '/^FILE /		{ file = $2 ".base64"; next }
	     /^END$/		{ file = ""; next }
	     file		{ print > file; next }
				{ print }'
}

# unpack FILE.base64...
unpack() {
	local file

	for file; do
		base64 -d "$file" | gunzip > "${file%.base64}"
	done
}
