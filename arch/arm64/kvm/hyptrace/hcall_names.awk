# SPDX-License-Identifier: GPL-2.0-only
#
# asm/hyptrace_hcalls.h and asm/kvm_asm.h -> hcall_names.h: the members of enum
# __kvm_host_smccc_func as TRACE_DEFINE_ENUM() statements and as __print_symbolic() pairs.

BEGIN {
	prefix = "__KVM_HOST_SMCCC_FUNC_"
	print "/* SPDX-License-Identifier: GPL-2.0-only */"
	print "/* Generated from asm/hyptrace_hcalls.h and asm/kvm_asm.h, do not edit. */"
}

/^\t[XM]\([a-z_]+, /		{ ours[nr++] = "__hyp_" substr($1, 3, length($1) - 3) }
/^enum __kvm_host_smccc_func/	{ inside = 1 }
/^};/				{ inside = 0 }

inside && $1 == "HYP_HCALL_NUMBERS" {
	for (i = 0; i < nr; i++)
		name[n++] = ours[i]
}

inside && $1 ~ "^" prefix {
	sub(/,.*/, "", $1)
	name[n++] = substr($1, length(prefix) + 1)
}

END {
	print "#define HYP_HCALLS \\"
	for (i = 0; i < n; i++)
		printf "\tTRACE_DEFINE_ENUM(%s%s);%s\n", prefix, name[i],
		       i < n - 1 ? " \\" : ""

	print "#define HYP_HCALL_NAMES \\"
	for (i = 0; i < n; i++)
		printf "\t{ %s%s, \"%s\" }%s\n", prefix, name[i], name[i],
		       i < n - 1 ? ", \\" : ""

	exit !n || !nr
}
