# SPDX-License-Identifier: GPL-2.0-only
#
# bench.targets and "WHERE NAME VALUE" lines to a table and to a JSON file.

FNR == NR {
	if (/^#/)
		next
	name = $1
	order[++nr] = name
	unit[name] = $2
	op[name] = $3
	target[name] = $4
	what = $5
	for (i = 6; i <= NF; i++)
		what = what " " $i
	text[name] = what
	next
}

{
	value[$2, $1] = $3
	seen[$2] = 1
	where[$1] = 1
}

function verdict(name, v) {
	if (op[name] == "<=")
		return v + 0 <= target[name] + 0 ? "" : "  MISSED"
	if (op[name] == ">=")
		return v + 0 >= target[name] + 0 ? "" : "  MISSED"
	return ""
}

END {
	printf "%-46s %-21s %10s %-13s %s\n", "", "", "", "", "target"
	print "[" > json
	for (n = 1; n <= nr; n++) {
		name = order[n]
		if (!seen[name]) {
			missing = missing " " name
			continue
		}
		for (w in where) {
			if (!((name, w) in value))
				continue
			v = value[name, w]
			bad = verdict(name, v)
			printf "%-46s %-21s %10s %-13s %s%s\n", text[name], w, v, unit[name],
				op[name] == "-" ? "" : op[name] " " target[name], bad
			printf "%s  {\"name\": \"%s\", \"where\": \"%s\", \"value\": %s, \"unit\": \"%s\"%s}",
				comma, name, w, v, unit[name],
				op[name] == "-" ? "" : sprintf(", \"target\": \"%s %s\", \"met\": %s",
					op[name], target[name], bad ? "false" : "true") > json
			comma = ",\n"
		}
	}
	print "\n]" > json
	if (missing != "" && missing != " lttng") {
		print "not measured:" missing > "/dev/stderr"
		exit 1
	}
	if (missing != "")
		print "(without LTTng, which is not installed: apt-get install lttng-tools liblttng-ust-dev)"
}
