# SPDX-License-Identifier: GPL-2.0-only
#
# function_results.list and dumps of EL2's code (readelf; or llvm-dwarfdump for types)
# -> function-results.S: hyp_function_results[], of asm/hyptrace_functions.h.
#
# A result is recorded if it is an int or a bool. Whatever is larger may be an address or what a
# register holds, and a function without a result leaves anything where one would be. So a function
# whose type is not certain has none: a clone, which has a name of its own, or one of two functions
# of one name but of different types.

function number(hex,	i, n)
{
	sub(/^0x/, "", hex)
	for (i = 1; i <= length(hex); i++)
		n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
	return n
}

# A list of names, then the dumps
FILENAME != "-"	{ if (/^[^#]/) listed[$1]; next }

# Symbols: number, address, size, type, binding, visibility, section, name
$4 == "FUNC"	{ at[$8] = number($2) }

# Relocations of the table of functions: the last field is the offset in .hyp.text
/^Relocation /	{ in_table = /\.hyp\.functions'/ }
in_table && $3 == "R_AARCH64_ABS64" { slot[nr++] = number($NF) }

# Types: an entry begins with its place, <level><place>: or 0xplace:, and its tag
/DW_TAG_/ {
	entry = $1
	sub(/^<.*></, "", entry)
	sub(/[>:].*/, "", entry)
	entry = number(entry)
	match($0, /DW_TAG_[a-z_]+/)
	tag[entry] = substr($0, RSTART + 7, RLENGTH - 7)
	next
}
/DW_AT_name/	{ name[entry] = $NF; gsub(/[()"]/, "", name[entry]) }
/DW_AT_producer.*clang/	{ clang = 1 }
/DW_AT_external/	{ external[entry] }
/DW_AT_encoding/	{ encoding[entry] = $NF }
/DW_AT_byte_size/	{ bytes[entry] = $NF; gsub(/[()]/, "", bytes[entry]) }
/DW_AT_type/ && match($0, /[<(]0x[0-9a-f]+/) {
	type[entry] = number(substr($0, RSTART + 1, RLENGTH - 1))
}

# HYP_RESULT_BOOL, HYP_RESULT_INT or HYP_RESULT_NONE
function result(entry,	of)
{
	# clang leaves out a result that nobody uses, of a function that is not external.
	if (clang && !(entry in external))
		return 0
	of = type[entry]
	while (tag[of] ~ /^(typedef|const_type|volatile_type)$/)
		of = type[of]
	if (tag[of] != "base_type")
		return 0
	if (encoding[of] ~ /boolean/)
		return 1
	return encoding[of] ~ /[(_]signed\)/ && number(bytes[of]) == 4 ? 2 : 0
}

END {
	for (entry in tag) {
		if (tag[entry] != "subprogram" || name[entry] == "")
			continue
		types++
		of = result(entry)
		if (name[entry] in results && results[name[entry]] != of)
			of = 0
		results[name[entry]] = of
	}

	# Several symbols at one address must agree. With BTI, a function begins before its slots.
	for (symbol in at) {
		of = symbol in results ? results[symbol] : 0
		if (of && symbol in listed)
			of += 128
		if (at[symbol] in table && table[at[symbol]] != of)
			of = 0
		table[at[symbol]] = of
	}

	print "/* Generated from the types of EL2's functions, do not edit. */"
	print "\t.section .init.rodata, \"a\""
	print "\t.globl hyp_function_results"
	print "hyp_function_results:"
	for (i = 0; i < nr; i++)
		print "\t.byte " (slot[i] in table ? table[slot[i]] : table[slot[i] - 4] + 0)

	if (!nr || !types) {
		print "function_results.awk: no functions, or no types" > "/dev/stderr"
		exit 1
	}
}
