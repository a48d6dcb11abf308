# SPDX-License-Identifier: GPL-2.0-only
#
# Turns targets and "WHERE NAME VALUE" lines into a table and a JSON file. Each figure
# must be there, once, wherever targets says that it is measured.

FNR == NR {
	if (/^#/)
		next
	name = $1
	order[++nr] = name
	places[name] = $2
	unit[name] = $3
	op[name] = $4
	target[name] = $5
	what = $6
	for (i = 7; i <= NF; i++)
		what = what " " $i
	text[name] = what
	next
}

function is_measured(name, where) {
	return where == places[name] || (places[name] == "guest" && where ~ "/")
}

!is_measured($2, $1) || ($2, $1) in value || NF != 3 || $3 !~ /^-?[0-9]+(\.[0-9]+)?$/ {
	wrong = wrong "\n  " $0
}

{
	value[$2, $1] = $3
}

function verdict(name, v) {
	if (op[name] == "<=")
		return v + 0 <= target[name] + 0 ? "" : "  MISSED"
	if (op[name] == ">=")
		return v + 0 >= target[name] + 0 ? "" : "  MISSED"
	return ""
}

END {
	nr_where = split("site protected/cortex-a72 nvhe/max user", where)
	printf "%-60s %-21s %10s %-13s %s\n", "", "", "", "", "target"
	print "[" > json
	for (n = 1; n <= nr; n++) {
		name = order[n]
		for (i = 1; i <= nr_where; i++) {
			w = where[i]
			if (!is_measured(name, w))
				continue
			if (!((name, w) in value)) {
				missing = missing " " name
				continue
			}
			v = value[name, w]
			bad = verdict(name, v)
			printf "%-60s %-21s %10s %-13s %s%s\n", text[name], w, v, unit[name],
				op[name] == "-" ? "" : op[name] " " target[name], bad
			printf "%s  {\"name\": \"%s\", \"where\": \"%s\", \"value\": %s, \"unit\": \"%s\"%s}",
				comma, name, w, v, unit[name],
				op[name] == "-" ? "" : sprintf(", \"target\": \"%s %s\", \"met\": %s",
					op[name], target[name], bad ? "false" : "true") > json
			comma = ",\n"
		}
	}
	print "\n]" > json
	if (wrong != "")
		print "twice, not in targets, or no number:" wrong > "/dev/stderr"
	if (missing != "" && missing != " lttng")
		print "not measured:" missing > "/dev/stderr"
	if (wrong != "" || (missing != "" && missing != " lttng"))
		exit 1
	if (missing != "")
		print "(without LTTng, which is not installed: apt-get install lttng-tools liblttng-ust-dev)"
}
