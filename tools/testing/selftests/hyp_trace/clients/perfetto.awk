# SPDX-License-Identifier: GPL-2.0-only
#
# Turns the output of "protoc --decode_raw" for a Perfetto trace into a line per event, and
# a line per complaint of Perfetto:
#
#   event CPU TIMESTAMP PID NAME [ARGUMENT...]
#   lost CPU
#   error WHAT
#   symbol NUMBER NAME, of a function in an argument
#
# Fields are numbers in that output. The numbers are from Perfetto's protos: trace.proto
# (packet 1), trace_packet.proto (ftrace_events 1, interned_data 12, ftrace_stats 34),
# interned_data.proto (kernel_symbols 26), profile_common.proto (iid 1, str 2),
# ftrace_event_bundle.proto (cpu 1, event 2, lost_events 3, error 8,
# generic_event_descriptors 11), ftrace_event.proto, ftrace_stats.proto. If Perfetto has no
# type for an event, a descriptor after the events of its bundle describes it.

BEGIN {
	name[476] = "hyp_enter"; name[477] = "hyp_exit"; name[478] = "host_hcall"
	name[479] = "host_smc"; name[480] = "host_mem_abort"
	name[437] = "funcgraph_entry"; name[438] = "funcgraph_exit"
	complaint[5] = "atrace"; complaint[6] = "unknown"; complaint[7] = "failed"
	complaint[9] = "parse"
}

function field() {
	f = $1
	sub(/:$/, "", f)
	return f
}

function value() {
	v = $0
	sub(/^ *[0-9]+: /, "", v)
	gsub(/"/, "", v)
	return v
}

# The path of the enclosing fields: "1/1/2" is an event.
/\{$/ {
	path[++depth] = field()
	where = where "/" path[depth]
	if (where == "/1/1") { n = 0; cpu = 0 }
	if (where == "/1/1/2") { ts[++n] = ""; pid[n] = "none"; kind[n] = ""; args[n] = "" }
	else if (where ~ /^\/1\/1\/2\/[0-9]+$/) kind[n] = field()
	if (where == "/1/1/8") print "error bundle"
	next
}

/\}$/ {
	if (where == "/1/1")
		for (i = 1; i <= n; i++)
			print "event", cpu, ts[i], pid[i],
				(kind[i] in name ? name[kind[i]] : kind[i]) args[i]
	sub(/\/[0-9]+$/, "", where)
	depth--
	next
}

where == "/1/1" && field() == 1 { cpu = value() }
where == "/1/1" && field() == 3 { if (value() != 0) print "lost", cpu }
where == "/1/1/2" && field() == 1 { ts[n] = value() }
where == "/1/1/2" && field() == 2 { pid[n] = value() }
# An event without arguments looks like an empty string.
where == "/1/1/2" && field() > 2 { kind[n] = field() }
where ~ /^\/1\/1\/2\/[0-9]+$/ { args[n] = args[n] " " field() "=" value() }
where == "/1/1/11" && field() == 1 { described = value() }
where == "/1/1/11/2" && field() == 1 { name[described] = value() }
where == "/1/34" && (field() in complaint) { print "error", complaint[field()], value() }
where == "/1/12/26" && field() == 1 { symbol = value() }
where == "/1/12/26" && field() == 2 { print "symbol", symbol, value() }
