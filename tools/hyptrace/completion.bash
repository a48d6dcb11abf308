# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completes hyptrace's arguments in bash.

# Prints the events of the hypervisor, if they may be seen.
_hyptrace_events() {
	local event

	for event in /sys/kernel/tracing/hyp/events/hyp/*/; do
		[ -d "$event" ] && basename "$event"
	done
}

# Prints the options of a subcommand, from its help.
_hyptrace_options() {
	"$1" "$2" --help 2> /dev/null | grep -oE -- '(^|[ ,])--?[a-zA-Z?][a-z-]*' | tr -d ' ,'
}

# What the rows of the subcommand $1 may tell apart: behind a comma in $2, another one. Sets COMPREPLY.
_hyptrace_by() {
	local all="vm vcpu kind reason" before=${2%"${2##*,}"}

	[ "$1" != report ] || all+=" thread mmio hypercall sysreg"
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$all" -- "${2##*,}")
}

# What may follow the option $2 of the subcommand $1? Sets COMPREPLY; false if it is not known.
_hyptrace_value() {
	local word=$3

	case $2 in
	--kind)		mapfile -t COMPREPLY < <(compgen -W \
				"guest exit exit_host exit_el2 hcall smc psci firmware abort" -- "$word") ;;
	--by)		_hyptrace_by "$1" "$word" ;;
	-k|--key)	mapfile -t COMPREPLY < <(compgen -W \
				"time count max p99 $([ "$1" != diff ] || echo slower)" -- "$word") ;;
	--clock)	mapfile -t COMPREPLY < <(compgen -W "boot mono" -- "$word") ;;
	-e|--event)	mapfile -t COMPREPLY < <(compgen -W "$(_hyptrace_events)" -- "$word") ;;
	-H|--host)	mapfile -t COMPREPLY < <(compgen -W "sched kvm irq none" -- "$word") ;;
	-i|--input|-o|--output|--timeline|--plot|--svg|--speedscope|--perfetto|--map)
			mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	--vm|--vcpu|--above|--run|--max-size|-p|--pid|-d|--duration|--delay|-b|--buffer-size| \
	-I|--interval-print|-r|--repeat|-x|--field-separator|--slowest|--over|--around|--from|--to| \
	--min-count)
			COMPREPLY=() ;;
	*)		return 1 ;;
	esac
}

_hyptrace() {
	local subcommand=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}
	local kinds="guest exit_host/ exit_el2/ hcall/ smc/ psci/ firmware/ abort/"
	local subcommands="stat top hist max log record report wakeup export flame merge diff check"

	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$subcommands help --version" -- "$word")
		return
	fi
	if [ "$subcommand" = help ]; then
		mapfile -t COMPREPLY < <(compgen -W "$subcommands" -- "$word")
		return
	fi
	_hyptrace_value "$subcommand" "${COMP_WORDS[COMP_CWORD - 1]}" "$word" && return
	case $subcommand,$word in
	*,-*)	mapfile -t COMPREPLY < <(compgen -W "$(_hyptrace_options "$1" "$subcommand")" -- "$word") ;;
	hist,*|report,*)
		mapfile -t COMPREPLY < <(compgen -W "$kinds" -- "$word") ;;
	diff,*|merge,*)
		mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	stat,*|max,*|log,*|record,*)
		mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
	esac
}

complete -o default -F _hyptrace hyptrace
