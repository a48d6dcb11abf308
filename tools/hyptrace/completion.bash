# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completes hyptrace's arguments in bash, and in zsh by completion.zsh, which is why nothing is here
# that zsh's bashcompinit does not have. Names of files are left to the shell.

: "${_hyptrace_hyp:=/sys/kernel/tracing/hyp}"

# Prints the events of the hypervisor, if they may be seen.
_hyptrace_events() {
	local event

	for event in "$_hyptrace_hyp"/events/hyp/*/; do
		[ -d "$event" ] && basename "$event"
	done
}

# Prints the functions of the hypervisor.
_hyptrace_functions() {
	sed 's/^__kvm_nvhe_//' "$_hyptrace_hyp/available_filter_functions" 2> /dev/null
}

# Prints the column $1 of the VMs: 1 their numbers, 2 their pids.
_hyptrace_vms() {
	tail -n +2 "$_hyptrace_hyp/totals/vms" 2> /dev/null | cut -f "$1"
}

# Prints the reasons that a kind may have: the names that its event has for numbers.
_hyptrace_reasons() {
	local kind=$1 event

	case $kind in
	exit_*)			event=vcpu_exit ;;
	hcall)			event=host_hcall ;;
	smc|psci|firmware)	event=host_smc ;;
	*)			return ;;
	esac
	grep -oE '"[A-Za-z0-9_]+" }' "$_hyptrace_hyp/events/hyp/$event/format" 2> /dev/null |
		sed "s|^\"|$kind/|; s|\" }||"
}

# Prints the options of a subcommand, from its help.
_hyptrace_options() {
	"$1" "$2" --help 2> /dev/null | grep -oE -- '(^|[ ,])--?[a-zA-Z][a-z-]*' | tr -d ' ,'
}

# Sets COMPREPLY to those of the words $1 that begin with $2.
_hyptrace_one() {
	# shellcheck disable=SC2207 # no word has a blank
	COMPREPLY=($(compgen -P "$prefix" -W "$1" -- "$2"))
}

# The same for the last name of a list with commas
_hyptrace_list() {
	prefix+=${2%"${2##*,}"}
	_hyptrace_one "$1" "${2##*,}"
}

# Sets COMPREPLY to kinds, or kinds with reasons, that begin with $1.
_hyptrace_what() {
	local kind kinds="exit_host exit_el2 hcall smc psci firmware abort" words=guest

	for kind in $(compgen -W "$kinds" -- "${1%%/*}"); do
		words+=" $kind/ $(_hyptrace_reasons "$kind")"
	done
	_hyptrace_one "$words" "$1"
	# A reason follows. This does not exist in zsh.
	[[ ${COMPREPLY[0]} != */ ]] || compopt -o nospace 2> /dev/null
}

# What may follow the option $2 of the subcommand $1? $3 is its beginning; $4 is there if it is
# behind a "=". False if the option has no value.
_hyptrace_value() {
	local subcommand=$1 word=$3 groups="vm vcpu kind reason" keys="time count max p99"

	case $2$4 in
	--kind*)	_hyptrace_list "guest exit exit_host exit_el2 hcall smc psci firmware abort" "$word" ;;
	--by*)		[ "$subcommand" != report ] || groups+=" thread mmio hypercall sysreg"
			_hyptrace_list "$groups" "$word" ;;
	-k|--key*)	[ "$subcommand" != diff ] || keys+=" slower"
			_hyptrace_one "$keys" "$word" ;;
	--clock*)	_hyptrace_one "boot mono" "$word" ;;
	--color=)	_hyptrace_one "always never auto" "$word" ;;
	-e|--event*)	_hyptrace_list "$(_hyptrace_events)" "$word" ;;
	--graph=)	_hyptrace_list "$(_hyptrace_functions)" "$word" ;;
	-H|--host*)	_hyptrace_list "sched kvm irq none" "$word" ;;
	--vm*)		_hyptrace_one "$(_hyptrace_vms 1)" "$word" ;;
	-p|--pid*)	_hyptrace_one "$(_hyptrace_vms 2)" "$word" ;;
	--input=|--output=|--timeline=|--plot=|--svg=|--speedscope=|--perfetto=|--map=)
			# Bash does this itself; for zsh the option is part of the word.
			[ -z "$prefix" ] || _hyptrace_one "$(ls -d -- "$word"* 2> /dev/null)" "$word" ;;
	--*=|-i|--input|-o|--output|--timeline|--plot|--svg|--speedscope|--perfetto|--map| \
	--vcpu|--above|--run|--max-size|-d|--duration|--delay|-b|--buffer-size|-I|--interval-print| \
	-r|--repeat|-x|--field-separator|--slowest|--over|--around|--from|--to|--min-count)
			COMPREPLY=() ;;
	*)		return 1 ;;
	esac
}

_hyptrace() {
	local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} equals='' prefix=''
	local subcommands="stat top hist max log record report wakeup export flame merge diff check"

	COMPREPLY=()
	case $COMP_CWORD,$option in
	1,*)	_hyptrace_one "$subcommands help --version" "$word"
		return ;;
	2,help)	_hyptrace_one "$subcommands" "$word"
		return ;;
	esac
	# For bash, "=" is a word of its own.
	case $option,$word in
	*,=)	equals='=' word='' ;;
	=,*)	equals='=' option=${COMP_WORDS[COMP_CWORD - 2]} ;;
	*,--*=*)
		equals='=' option=${word%%=*} prefix=${word%%=*}= word=${word#*=} ;;
	esac
	_hyptrace_value "${COMP_WORDS[1]}" "$option" "$word" "$equals" && return
	case ${COMP_WORDS[1]},$word in
	*,-*)	_hyptrace_one "$(_hyptrace_options "$1" "${COMP_WORDS[1]}")" "$word" ;;
	hist,*|report,*)
		_hyptrace_what "$word" ;;
	stat,*|max,*|log,*|record,*)
		# shellcheck disable=SC2207 # names of commands with a blank are rare
		COMPREPLY=($(compgen -c -- "$word")) ;;
	esac
}

complete -o default -F _hyptrace hyptrace
